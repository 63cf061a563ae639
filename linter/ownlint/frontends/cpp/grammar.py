"""The grammar's words as numbers, since comparing numbers is what makes reading fast."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_cpp
from tree_sitter import Language, Node

LANGUAGE = Language(tree_sitter_cpp.language())


def kind(name: str, named: bool = True) -> int:
    """The number of a node kind; raises when the grammar does not know it, so that a typo cannot hide."""
    number = LANGUAGE.id_for_node_kind(name, named)
    if number is None:
        raise LookupError(name)
    return number


def kinds(*names: str) -> frozenset[int]:
    return frozenset(kind(name) for name in names)


ERROR = 65535
IDENTIFIER = kind("identifier")
FIELD_IDENTIFIER = kind("field_identifier")
TYPE_IDENTIFIER = kind("type_identifier")
QUALIFIED = kind("qualified_identifier")
TEMPLATE_FUNCTION = kind("template_function")
TEMPLATE_METHOD = kind("template_method")
TEMPLATE_TYPE = kind("template_type")
DEPENDENT_NAME = kind("dependent_name")
DEPENDENT_TYPE = kind("dependent_type")
DESTRUCTOR_NAME = kind("destructor_name")
OPERATOR_NAME = kind("operator_name")
OPERATOR_CAST = kind("operator_cast")

CALL = kind("call_expression")
FIELD = kind("field_expression")
SUBSCRIPT = kind("subscript_expression")
ARGUMENTS = kind("argument_list")
BINARY = kind("binary_expression")
NUMBER = kind("number_literal")
PARENTHESIZED = kind("parenthesized_expression")
INITIALIZER_LIST = kind("initializer_list")
PARAMETER_PACK = kind("parameter_pack_expansion")

DECLARATION = kind("declaration")
DECLARATIONS = kind("declaration_list")
FIELDS = kind("field_declaration_list")
NAMESPACE = kind("namespace_definition")
TEMPLATE = kind("template_declaration")
LINKAGE = kind("linkage_specification")
TRANSLATION_UNIT = kind("translation_unit")
EXPRESSION_STATEMENT = kind("expression_statement")
COMPOUND = kind("compound_statement")
FUNCTION_DEFINITION = kind("function_definition")
TRY = kind("try_statement")
INIT_DECLARATOR = kind("init_declarator")
POINTER_DECLARATOR = kind("pointer_declarator")
REFERENCE_DECLARATOR = kind("reference_declarator")
ARRAY_DECLARATOR = kind("array_declarator")
FUNCTION_DECLARATOR = kind("function_declarator")
PARENTHESIZED_DECLARATOR = kind("parenthesized_declarator")
STRUCTURED_BINDING = kind("structured_binding_declarator")
VARIADIC_DECLARATOR = kind("variadic_declarator")
ATTRIBUTED_DECLARATOR = kind("attributed_declarator")
ABSTRACT_FUNCTION = kind("abstract_function_declarator")
ABSTRACT_ARRAY = kind("abstract_array_declarator")
PARAMETERS = kind("parameter_list")
PARAMETER = kind("parameter_declaration")
OPTIONAL_PARAMETER = kind("optional_parameter_declaration")
VARIADIC_PARAMETER = kind("variadic_parameter_declaration")
FIELD_DECLARATION = kind("field_declaration")
FIELD_INITIALIZERS = kind("field_initializer_list")
FIELD_INITIALIZER = kind("field_initializer")
BITFIELD = kind("bitfield_clause")
TRAILING_RETURN = kind("trailing_return_type")
DEFAULT_CLAUSE = kind("default_method_clause")
DELETE_CLAUSE = kind("delete_method_clause")
PURE_CLAUSE = kind("pure_virtual_clause")
ACCESS = kind("access_specifier")
BASES = kind("base_class_clause")
TYPE_DESCRIPTOR = kind("type_descriptor")
TYPE_QUALIFIER = kind("type_qualifier")
VIRTUAL_SPECIFIER = kind("virtual_specifier")
ATTRIBUTE_DECLARATION = kind("attribute_declaration")
ATTRIBUTE = kind("attribute")
PRIMITIVE_TYPE = kind("primitive_type")
PLACEHOLDER = kind("placeholder_type_specifier")
CLASS = kind("class_specifier")
STRUCT = kind("struct_specifier")
UNION = kind("union_specifier")
ENUM = kind("enum_specifier")
ENUMERATOR = kind("enumerator")
CLASSES = frozenset({CLASS, STRUCT, UNION})
TYPES = frozenset({CLASS, STRUCT, UNION, ENUM}) | kinds(
    "type_identifier",
    "qualified_identifier",
    "template_type",
    "primitive_type",
    "sized_type_specifier",
    "placeholder_type_specifier",
    "decltype",
    "dependent_type",
)
PREPROC = kinds("preproc_if", "preproc_ifdef")
PREPROC_ELSE = kinds("preproc_else", "preproc_elif", "preproc_elifdef")
SEMICOLON = kind(";", False)
COMMA = kind(",", False)
EQUALS = kind("=", False)
VIRTUAL_WORD = kind("virtual", False)


def gaps(root: Node) -> Iterator[Node]:
    """The outermost nodes that the parser could not place, and the tokens that it made up, in the order of the file."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind_id == ERROR:
            yield node
        elif node.is_missing and node.kind_id != TYPE_IDENTIFIER and node.kind_id != SEMICOLON:
            # Not these: a default argument `= {}`, which the grammar takes for `T{}`, and `MACRO(x)` without `;`.
            yield node
        elif node.has_error:
            stack.extend(reversed(node.children))


def unplaced(root: Node) -> int:
    """How many bytes are in gaps, each of which counts as one at least; a file without errors has none."""
    return sum(node.end_byte - node.start_byte or 1 for node in gaps(root))
