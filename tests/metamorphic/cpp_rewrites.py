"""Ways to write the same in C++."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from cpp_tokens import Token, above, nodes, text_of, tokens, tree
from rewriting import Edit, Rewrite, Rewriter
from tree_sitter import Node

REWRITES: list[Rewrite] = []

Edits = Iterator[Edit]

_STATEMENTS = ("expression_statement", "return_statement", "throw_statement")
_MACRO = re.compile(rb"[A-Z][A-Z0-9_]+")


def means_the_same(rewriter: Rewriter) -> Rewriter:
    name = rewriter.__name__.replace("_", "-")
    REWRITES.append(Rewrite(f"cpp-{name}", "cpp", rewriter, heard="comments" in name))
    return rewriter


# --- layout ---------------------------------------------------------------------------------------


def _gaps(text: bytes) -> Iterator[tuple[Token, Token]]:
    """Neighbours between which anything blank may stand; next to directives only lines may."""
    found = tokens(text)
    for left, right in itertools.pairwise(found):
        if "directive" not in (left.kind, right.kind) and not left.text.startswith(b"//"):
            yield left, right


@means_the_same
def comments_between_tokens(text: bytes) -> Edits:
    return (Edit(left.end, left.end, b" /* as before */ ") for left, _ in _gaps(text))


@means_the_same
def line_comments_between_tokens(text: bytes) -> Edits:
    return (Edit(left.end, left.end, b' // it\'s "as" before (\n') for left, _ in _gaps(text))


@means_the_same
def a_token_a_line(text: bytes) -> Edits:
    if _comments(text):
        return
    yield from (Edit(left.end, left.end, b"\n") for left, _ in _gaps(text))


@means_the_same
def spliced_lines(text: bytes) -> Edits:
    if _comments(text):
        return
    yield from (
        Edit(left.end, left.end, b" \\\n ") for left, right in _gaps(text) if "comment" not in (left.kind, right.kind)
    )


def _comments(text: bytes) -> bool:
    """Whether there are any, which a rule may listen to: they are about what stands on their line."""
    return any(token.kind == "comment" for token in tokens(text))


def _glues(left: Token, right: Token) -> bool:
    words = ("word", "number", "string")
    return (left.kind in words and right.kind in words) or (
        left.kind == right.kind == "sign"
        and left.text + right.text not in (b"()", b"{}", b"[]", b");", b"({", b"){", b"};", b"))", b"((", b"});", b"}}")
    )


@means_the_same
def one_line(text: bytes) -> Edits:
    if _comments(text):
        return
    for left, right in _gaps(text):
        if b"\n" in text[left.end : right.start]:
            yield Edit(left.end, right.start, b" ")


@means_the_same
def no_blanks(text: bytes) -> Edits:
    if _comments(text):
        return
    for left, right in _gaps(text):
        if left.end < right.start:
            broken = b"\n" in text[left.end : right.start]
            yield Edit(left.end, right.start, b"\n" if broken else b" " if _glues(left, right) else b"")


@means_the_same
def wide_blanks(text: bytes) -> Edits:
    for left, right in _gaps(text):
        if text[left.end : right.start].strip(b" ") == b"" and left.end < right.start:
            yield Edit(left.end, left.end, b"   \t")


@means_the_same
def blank_lines(text: bytes) -> Edits:
    return (
        Edit(match.start(), match.start(), b"\n  \n")
        for match in re.finditer(rb"(?<!\\)\n", text)
        if not _inside(text, match.start()) and not _comments(text)
    )


@means_the_same
def carriage_returns(text: bytes) -> Edits:
    return (Edit(match.start(), match.start(), b"\r") for match in re.finditer(rb"\n", text))


@means_the_same
def byte_order_mark(text: bytes) -> Edits:
    yield Edit(0, 0, b"\xef\xbb\xbf")


@means_the_same
def tabs(text: bytes) -> Edits:
    for match in re.finditer(rb"^(?:  )+", text, re.MULTILINE):
        if not _inside(text, match.start()):
            yield Edit(match.start(), match.end(), b"\t" * (len(match[0]) // 2))


@means_the_same
def no_last_newline(text: bytes) -> Edits:
    end = len(text.rstrip())
    if not _inside(text, end) and tokens(text)[-1].kind != "directive":
        yield Edit(end, len(text), b"")


@means_the_same
def braces_on_own_lines(text: bytes) -> Edits:
    if _comments(text):
        return
    for left, right in _gaps(text):
        if right.text == b"{" and not left.text.startswith(b"/"):
            yield Edit(left.end, right.start, b"\n")
        if left.text in (b"{", b"}") and right.text not in (b";", b")", b","):
            yield Edit(left.end, left.end, b"\n")


@means_the_same
def braces_behind(text: bytes) -> Edits:
    if _comments(text):
        return
    for left, right in _gaps(text):
        if right.text in (b"{", b"}") or left.text in (b"{", b"}"):
            yield Edit(left.end, right.start, b" ")


def _inside(text: bytes, at: int) -> bool:
    """Whether a token (a raw string, a comment, a macro's continued text) goes on at `at`."""
    return any(token.start < at < token.end for token in tokens(text))


# --- code around ----------------------------------------------------------------------------------


@means_the_same
def code_before(text: bytes) -> Edits:
    yield Edit(_start(text), _start(text), _UNRELATED % (b"before", b"Before", b"Before"))


@means_the_same
def much_code_before(text: bytes) -> Edits:
    functions = b"".join(b"int prelude_%d(int a) {\n  return a + %d;\n}\n" % (n, n) for n in range(170))
    yield Edit(_start(text), _start(text), functions)


@means_the_same
def code_behind(text: bytes) -> Edits:
    yield Edit(len(text), len(text), b"\n" + _UNRELATED % (b"behind", b"Behind", b"Behind"))


@means_the_same
def a_header_before(text: bytes) -> Edits:
    yield Edit(
        _start(text),
        _start(text),
        b"/*\n * Copyright: its authors'.\n */\n\n#include <cstddef>\n#define QUITE_UNRELATED 1\n\n",
    )


_UNRELATED = b"""
static int %b_count(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += i;
  }
  return sum;
}
struct %bPoint {
  int x = 0;
  int y = 0;
};
enum class %bColour { red, green };
"""


def _start(text: bytes) -> int:
    """Behind `#pragma once`, and an include guard."""
    at = 0
    for token in tokens(text):
        if token.kind != "directive" or not re.match(rb"#\s*(pragma|ifndef|define)", token.text):
            break
        at = token.end + 1
    return min(at, len(text))


@means_the_same
def a_true_condition_around_each(text: bytes) -> Edits:
    """`#if 1` round each function."""
    for node in nodes(tree(text), "function_definition"):
        parent = node.parent
        if parent is not None and parent.type in ("translation_unit", "declaration_list") and _alone(text, node):
            yield Edit(node.start_byte, node.start_byte, b"\n#if 1\n")
            yield Edit(node.end_byte, node.end_byte, b"\n#endif\n")


@means_the_same
def a_true_condition_around_statements(text: bytes) -> Edits:
    if _comments(text):
        return
    for node in _whole_statements(text, *_STATEMENTS):
        yield Edit(node.start_byte, node.start_byte, b"\n#if 1\n")
        yield Edit(node.end_byte, node.end_byte, b"\n#endif\n")


def _alone(text: bytes, node: Node) -> bool:
    return text[text.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].strip() == b""


def _whole_statements(text: bytes, *kinds: str) -> Iterator[Node]:
    """Statements of a block, no part of a macro that leaves its semicolon to be seen as one."""
    for node in nodes(tree(text), *kinds):
        parent = node.parent
        if (
            parent is not None
            and parent.type == "compound_statement"
            and text_of(node).endswith(b";")
            and text_of(node) != b";"
            and not _MACRO.match(text_of(node))  # it may declare, or hold more than a statement
        ):
            yield node


# --- statements -----------------------------------------------------------------------------------


@means_the_same
def statements_in_blocks(text: bytes) -> Edits:
    for node in _whole_statements(text, *_STATEMENTS):
        yield Edit(node.start_byte, node.start_byte, b"{ ")
        yield Edit(node.end_byte, node.end_byte, b" }")


@means_the_same
def statements_in_do_while(text: bytes) -> Edits:
    for node in _whole_statements(text, *_STATEMENTS):
        yield Edit(node.start_byte, node.start_byte, b"do { ")
        yield Edit(node.end_byte, node.end_byte, b" } while (0);")


@means_the_same
def statements_under_if_true(text: bytes) -> Edits:
    for node in _whole_statements(text, "expression_statement"):
        yield Edit(node.start_byte, node.start_byte, b"if (true) { ")
        yield Edit(node.end_byte, node.end_byte, b" }")


@means_the_same
def empty_statements(text: bytes) -> Edits:
    for node in _whole_statements(text, "expression_statement", "declaration"):
        yield Edit(node.end_byte, node.end_byte, b";")


@means_the_same
def braces_round_single_statements(text: bytes) -> Edits:
    for node in nodes(tree(text), "if_statement", "for_statement", "while_statement", "for_range_loop"):
        for body in (node.child_by_field_name("consequence"), node.child_by_field_name("body")):
            if body is not None and body.type != "compound_statement":
                yield Edit(body.start_byte, body.start_byte, b"{ ")
                yield Edit(body.end_byte, body.end_byte, b" }")


@means_the_same
def braces_round_else(text: bytes) -> Edits:
    for node in nodes(tree(text), "else_clause"):
        body = node.named_children[-1]
        if body.type != "compound_statement":
            yield Edit(body.start_byte, body.start_byte, b"{ ")
            yield Edit(body.end_byte, body.end_byte, b" }")


@means_the_same
def no_braces_round_single_statements(text: bytes) -> Edits:
    for node in nodes(tree(text), "if_statement", "for_statement", "while_statement", "for_range_loop"):
        body = node.child_by_field_name("consequence") or node.child_by_field_name("body")
        if body is None or body.type != "compound_statement" or len(body.named_children) != 1:
            continue
        only = body.named_children[0]
        kinds = (*_STATEMENTS, "break_statement", "continue_statement")
        if only.type in kinds and text_of(only).endswith(b";") and not _MACRO.match(text_of(only)):
            yield Edit(body.start_byte, only.start_byte, b" ")
            yield Edit(only.end_byte, body.end_byte, b" ")


@means_the_same
def branches_exchanged(text: bytes) -> Edits:
    """`if (c) A else B` as `if (!(c)) B else A`."""
    for node in nodes(tree(text), "if_statement"):
        condition, yes, other = (node.child_by_field_name(name) for name in ("condition", "consequence", "alternative"))
        if other is None or yes is None or condition is None or yes.type != "compound_statement":
            continue
        no = other.named_children[-1]
        held = condition.child_by_field_name("value")
        declares = [child for child in condition.named_children if child.type != "comment"]
        if no.type == "compound_statement" and held is not None and len(declares) == 1 and held.type != "declaration":
            if any(nodes(yes, "if_statement")) or any(nodes(no, "if_statement")):
                continue
            yield Edit(held.start_byte, held.start_byte, b"!(")
            yield Edit(held.end_byte, held.end_byte, b")")
            yield Edit(yes.start_byte, yes.end_byte, b"", (no.start_byte, no.end_byte))
            yield Edit(no.start_byte, no.end_byte, b"", (yes.start_byte, yes.end_byte))


@means_the_same
def declared_then_assigned(text: bytes) -> Edits:
    """`T* p = e;` as `T* p; p = e;`."""
    for node in _whole_statements(text, "declaration"):
        declared = node.child_by_field_name("declarator")
        if declared is None or declared.type != "init_declarator" or len(node.named_children) != 2:
            continue
        pointer, value, kind = (
            declared.child_by_field_name("declarator"),
            declared.child_by_field_name("value"),
            node.child_by_field_name("type"),
        )
        if (
            pointer is None
            or value is None
            or kind is None
            or b"auto" in text_of(kind)
            or value.type == "initializer_list"
            or b"=" not in text[pointer.end_byte : value.start_byte]
        ):
            continue
        if (
            pointer.type == "pointer_declarator"
            and pointer.named_children[-1].type == "identifier"
            and len(pointer.named_children) == 1
        ):
            yield Edit(pointer.end_byte, pointer.end_byte, b"; " + text_of(pointer.named_children[-1]))


@means_the_same
def initialised_in_braces(text: bytes) -> Edits:
    for node in nodes(tree(text), "init_declarator"):
        pointer, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
        if pointer is None or value is None or pointer.type != "pointer_declarator" or value.type == "initializer_list":
            continue
        between = text[pointer.end_byte : value.start_byte]
        if between.strip() == b"=" and value.type in (
            "call_expression",
            "new_expression",
            "identifier",
            "field_expression",
        ):
            yield Edit(pointer.end_byte, value.start_byte, b"{")
            yield Edit(value.end_byte, value.end_byte, b"}")


# --- expressions ----------------------------------------------------------------------------------


def _in_parentheses(*found: Node) -> Edits:
    for node in found:
        yield Edit(node.start_byte, node.start_byte, b"(")
        yield Edit(node.end_byte, node.end_byte, b")")


_EXPRESSIONS = (
    "identifier", "field_expression", "call_expression", "binary_expression", "unary_expression", "pointer_expression",
    "conditional_expression", "subscript_expression", "this", "new_expression", "null", "number_literal",
    "true", "false", "assignment_expression", "lambda_expression", "cast_expression", "string_literal",
)  # fmt: skip


def _is_macro_call(node: Node | None) -> bool:
    called = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    return called is not None and _MACRO.fullmatch(text_of(called)) is not None


def _under_macro(node: Node) -> bool:
    at = above(node, "call_expression")
    while at is not None:
        if _is_macro_call(at):
            return True
        at = above(at, "call_expression")
    return False


@means_the_same
def parentheses_round_returned(text: bytes) -> Edits:
    for node in nodes(tree(text), "return_statement"):
        if node.named_children and node.named_children[0].type in _EXPRESSIONS:
            yield from _in_parentheses(node.named_children[0])


@means_the_same
def parentheses_round_conditions(text: bytes) -> Edits:
    for node in nodes(
        tree(text),
        "if_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "conditional_expression",
        "for_statement",
    ):
        held = node.child_by_field_name("condition")
        if held is not None and held.type == "condition_clause":
            held = held.child_by_field_name("value") if len(held.named_children) == 1 else None
        elif held is not None and held.type == "parenthesized_expression":
            held = held.named_children[0]
        if held is not None and held.type in _EXPRESSIONS:
            yield from _in_parentheses(held)


@means_the_same
def parentheses_round_arguments(text: bytes) -> Edits:
    for node in nodes(tree(text), "argument_list"):
        if not _is_macro_call(node.parent) and not _under_macro(node):
            yield from _in_parentheses(
                *(
                    child
                    for child in node.named_children
                    if child.type in _EXPRESSIONS and child.type != "string_literal"
                )
            )


@means_the_same
def parentheses_round_initial_values(text: bytes) -> Edits:
    for node in nodes(tree(text), "init_declarator"):
        value = node.child_by_field_name("value")
        if value is not None and value.type in _EXPRESSIONS and value.type != "string_literal":
            yield from _in_parentheses(value)


@means_the_same
def parentheses_round_assigned(text: bytes) -> Edits:
    for node in nodes(tree(text), "assignment_expression"):
        value = node.child_by_field_name("right")
        if value is not None and value.type in _EXPRESSIONS:
            yield from _in_parentheses(value)


@means_the_same
def parentheses_round_places(text: bytes) -> Edits:
    for node in nodes(tree(text), "assignment_expression"):
        value = node.child_by_field_name("left")
        parent = node.parent
        is_statement = parent is not None and parent.type == "expression_statement"
        if is_statement and value is not None and value.type in _EXPRESSIONS:
            yield from _in_parentheses(value)


@means_the_same
def parentheses_round_receivers(text: bytes) -> Edits:
    for node in nodes(tree(text), "field_expression"):
        value = node.child_by_field_name("argument")
        if value is not None and value.type in (
            "identifier",
            "call_expression",
            "this",
            "field_expression",
            "subscript_expression",
        ):
            yield from _in_parentheses(value)


@means_the_same
def parentheses_round_operands(text: bytes) -> Edits:
    for node in nodes(tree(text), "binary_expression", "unary_expression", "subscript_expression", "delete_expression"):
        for child in node.named_children:
            if child.type in _EXPRESSIONS and child.type != "string_literal" and not _under_macro(child):
                yield from _in_parentheses(child)


@means_the_same
def parentheses_round_pointed_to(text: bytes) -> Edits:
    for node in nodes(tree(text), "pointer_expression"):
        for child in node.named_children:
            if child.type in ("identifier", "field_expression", "subscript_expression", "call_expression"):
                yield from _in_parentheses(child)


@means_the_same
def parentheses_round_statements(text: bytes) -> Edits:
    for node in _whole_statements(text, "expression_statement"):
        value = node.named_children[0]
        if value.type in _EXPRESSIONS and not _is_macro_call(value) and not _MACRO.match(text_of(value)):
            yield from _in_parentheses(value)


@means_the_same
def alternative_tokens(text: bytes) -> Edits:
    for node in nodes(tree(text), "binary_expression", "unary_expression"):
        sign = node.child_by_field_name("operator")
        word = {b"&&": b" and ", b"||": b" or ", b"!": b" not "}.get(text_of(sign)) if sign is not None else None
        if word is not None and sign is not None:
            yield Edit(sign.start_byte, sign.end_byte, word)


@means_the_same
def literals_first(text: bytes) -> Edits:
    """`p == nullptr` as `nullptr == p`."""
    for node in nodes(tree(text), "binary_expression"):
        left, right, sign = (node.child_by_field_name(name) for name in ("left", "right", "operator"))
        if (
            left is None
            or right is None
            or sign is None
            or text_of(sign) not in (b"==", b"!=")
            or left.type in ("binary_expression", "null", "assignment_expression")
        ):
            continue
        if right.type in ("null", "number_literal") or _MACRO.fullmatch(text_of(right)):
            if any(nodes(left, "binary_expression", "lambda_expression")):
                continue
            yield Edit(left.start_byte, left.end_byte, b"", (right.start_byte, right.end_byte))
            yield Edit(right.start_byte, right.end_byte, b"", (left.start_byte, left.end_byte))


@means_the_same
def comparisons_with_null(text: bytes) -> Edits:
    """`p == nullptr` as `!p`, `p != NULL` as `p`, in a condition that is nothing else."""
    for node in nodes(tree(text), "condition_clause"):
        held = node.child_by_field_name("value")
        if held is None or held.type != "binary_expression" or len(node.named_children) != 1:
            continue
        left, right, sign = (held.child_by_field_name(name) for name in ("left", "right", "operator"))
        if (
            left is not None
            and right is not None
            and sign is not None
            and right.type == "null"
            and text_of(sign) in (b"==", b"!=")
        ) and left.type in ("identifier", "field_expression", "call_expression", "parenthesized_expression"):
            yield Edit(left.start_byte, left.start_byte, b"!" if text_of(sign) == b"==" else b"")
            yield Edit(left.end_byte, right.end_byte, b"")


@means_the_same
def stars_for_arrows(text: bytes) -> Edits:
    """`a->b` as `(*a).b`."""
    for node in nodes(tree(text), "field_expression"):
        value, sign = node.child_by_field_name("argument"), node.child_by_field_name("operator")
        if value is not None and sign is not None and text_of(sign) == b"->" and value.type in ("identifier", "this"):
            yield Edit(value.start_byte, value.start_byte, b"(*")
            yield Edit(sign.start_byte, sign.end_byte, b").")


@means_the_same
def casts_to_void(text: bytes) -> Edits:
    for node in nodes(tree(text), "cast_expression"):
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        if kind is not None and value is not None and text_of(kind) == b"void" and value.type in _EXPRESSIONS:
            yield Edit(node.start_byte, value.start_byte, b"static_cast<void>(")
            yield Edit(value.end_byte, value.end_byte, b")")


# --- declarations ---------------------------------------------------------------------------------


@means_the_same
def const_behind(text: bytes) -> Edits:
    """`T const&` for `const T&`."""
    for node in nodes(tree(text), "type_qualifier"):
        kind = node.next_sibling
        if (
            text_of(node) == b"const"
            and kind is not None
            and kind.type in ("type_identifier", "qualified_identifier", "template_type", "primitive_type")
        ):
            yield Edit(node.start_byte, kind.start_byte, b"")
            yield Edit(kind.end_byte, kind.end_byte, b" const ")


@means_the_same
def trailing_returns(text: bytes) -> Edits:
    for node in nodes(tree(text), "function_definition", "field_declaration"):
        kind, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
        if (
            kind is None
            or declarator is None
            or b"auto" in text_of(kind)
            or kind.type in ("class_specifier", "struct_specifier", "enum_specifier", "decltype")
        ):
            continue
        signs = b""
        first = declarator
        while declarator.type in ("pointer_declarator", "reference_declarator"):
            signs += text_of(declarator.children[0])
            declarator = declarator.named_children[-1]
        parameters = declarator.child_by_field_name("parameters")
        name = declarator.child_by_field_name("declarator")
        if declarator.type != "function_declarator" or parameters is None or name is None:
            continue
        if (
            name.type not in ("identifier", "field_identifier", "qualified_identifier")
            or b"operator" in text_of(name)
            or any(nodes(declarator, "trailing_return_type"))
        ):
            continue
        consts = [
            one for one in node.children if one.type == "type_qualifier" and one.end_byte <= declarator.start_byte
        ]
        if any(text_of(one) != b"const" for one in consts):
            continue
        behind = [
            one
            for one in declarator.children
            if one.type in ("type_qualifier", "noexcept", "ref_qualifier") and one.start_byte > parameters.start_byte
        ]
        at = behind[-1].end_byte if behind else parameters.end_byte
        for one in consts:
            yield Edit(one.start_byte, one.end_byte, b"")
        yield Edit(kind.start_byte, kind.end_byte, b"auto ")
        if first.start_byte < declarator.start_byte:
            yield Edit(first.start_byte, declarator.start_byte, b"")
        yield Edit(at, at, b" -> " + b"const " * len(consts) + text_of(kind) + signs)


@means_the_same
def typedefs(text: bytes) -> Edits:
    for node in nodes(tree(text), "alias_declaration"):
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or kind is None or node.parent is None or node.parent.type == "template_declaration":
            continue
        if not any(
            nodes(
                kind, "abstract_function_declarator", "abstract_array_declarator", "abstract_parenthesized_declarator"
            )
        ):
            yield Edit(node.start_byte, node.end_byte, b"typedef " + text_of(kind) + b" " + text_of(name) + b";")


@means_the_same
def usings(text: bytes) -> Edits:
    for node in nodes(tree(text), "type_definition"):
        kind, names = node.child_by_field_name("type"), node.children_by_field_name("declarator")
        if (
            kind is None
            or len(names) != 1
            or names[0].type != "type_identifier"
            or kind.type not in ("type_identifier", "qualified_identifier", "template_type", "primitive_type")
        ):
            continue
        if len(node.named_children) == 2:
            yield Edit(node.start_byte, node.end_byte, b"using " + text_of(names[0]) + b" = " + text_of(kind) + b";")


@means_the_same
def classes_for_structs(text: bytes) -> Edits:
    for node in nodes(tree(text), "struct_specifier"):
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        bases = [one for one in node.children if one.type == "base_class_clause"]
        if body is None or name is None or any(b"public" not in text_of(one) for one in bases):
            continue
        yield Edit(node.start_byte, node.start_byte + len(b"struct"), b"class")
        yield Edit(body.start_byte + 1, body.start_byte + 1, b" public: ")


@means_the_same
def maybe_unused(text: bytes) -> Edits:
    for node in _whole_statements(text, "declaration"):
        if not text_of(node).startswith((b"[[", b"static", b"extern", b"using", b"class ", b"struct ", b"friend")):
            yield Edit(node.start_byte, node.start_byte, b"[[maybe_unused]] ")


@means_the_same
def global_scope(text: bytes) -> Edits:
    """`::std::move` for `std::move`."""
    for node in nodes(tree(text), "qualified_identifier"):
        scope = node.child_by_field_name("scope")
        parent = node.parent
        if (
            scope is None
            or text_of(scope) not in (b"std", b"py", b"nb", b"absl", b"pybind11", b"nanobind")
            or parent is None
            or parent.type in ("qualified_identifier", "using_declaration")
        ):
            continue
        if scope.start_byte and text[scope.start_byte - 1 : scope.start_byte] in (b" ", b"(", b"\n", b"<"):
            yield Edit(node.start_byte, node.start_byte, b"::")


@means_the_same
def names_of_std_used(text: bytes) -> Edits:
    """`using std::move;` once, then `move`."""
    found = tokens(text)
    words = {token.text for index, token in enumerate(found) if token.kind == "word" and found[index - 1].text != b"::"}
    directives = b" ".join(token.text for token in found if token.kind == "directive")
    used: set[bytes] = set()
    root = tree(text)
    if root is None or (any(nodes(root, "namespace_definition")) and b"namespace std" in text):
        return
    for node in nodes(root, "qualified_identifier"):
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if (
            scope is None
            or name is None
            or text_of(scope) != b"std"
            or (
                above(node, "using_declaration") and node.parent is not None and node.parent.type == "using_declaration"
            )
        ):
            continue
        bare = re.match(rb"\w+", text_of(name))
        if (
            bare is None
            or bare[0] in words
            or bare[0] in directives
            or text_of(name).startswith((b"chrono", b"filesystem", b"this_thread", b"ranges", b"pmr"))
        ):
            continue
        used.add(bare[0])
        yield Edit(node.start_byte, name.start_byte, b"")
    at = _behind_includes(text)
    yield Edit(at, at, b"".join(b"using std::%b;\n" % name for name in sorted(used)))


def _behind_includes(text: bytes) -> int:
    includes = [
        token.end for token in tokens(text) if token.kind == "directive" and re.match(rb"#\s*include", token.text)
    ]
    return min(includes[-1] + 1, len(text)) if includes else _start(text)


@means_the_same
def renamed_namespace_alias(text: bytes) -> Edits:
    """`namespace py = pybind11;` under another name."""
    alias = re.search(rb"^namespace (\w+) = \w+(?:::\w+)*;", text, re.MULTILINE)
    if alias is None or re.search(rb"#\s*define.*\b%b\b" % alias[1], text):
        return
    for token in tokens(text):
        if token.kind == "word" and token.text == alias[1]:
            yield Edit(token.start, token.end, b"q1")


# --- order ----------------------------------------------------------------------------------------


def _is_method(node: Node) -> bool:
    if node.type == "function_definition":
        return True
    declarator = node.child_by_field_name("declarator") if node.type in ("field_declaration", "declaration") else None
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.named_children[-1]
    return (
        declarator is not None
        and declarator.type == "function_declarator"
        and declarator.named_children[0].type != "parenthesized_declarator"
    )


def _runs(text: bytes) -> Iterator[list[Node]]:
    """The members of classes between two access specifiers (or directives)."""
    for body in nodes(tree(text), "field_declaration_list"):
        run: list[Node] = []
        for member in body.named_children:
            if member.type == "access_specifier" or member.type.startswith("preproc"):
                yield run
                run = []
            elif member.type != "comment":
                run.append(member)
        yield run


def _permuted(now: list[Node], then: list[Node]) -> Edits:
    for place, member in zip(now, then, strict=True):
        if place != member:
            yield Edit(place.start_byte, place.end_byte, b"", (member.start_byte, member.end_byte))


@means_the_same
def methods_reversed(text: bytes) -> Edits:
    for run in _runs(text):
        methods = [member for member in run if _is_method(member)]
        if (
            len(methods) > 1
            and not _declares_types(run)
            and not any(nodes(m, "field_declaration_list") for m in methods if any(nodes(m, "field_declaration_list")))
        ):
            yield from _permuted(methods, methods[::-1])


def _declares_types(run: list[Node]) -> bool:
    return any(
        member.type
        in ("alias_declaration", "type_definition", "template_declaration", "friend_declaration", "using_declaration")
        or any(nodes(member, "field_declaration_list", "enumerator_list"))
        for member in run
    )


@means_the_same
def methods_behind_data(text: bytes) -> Edits:
    for run in _runs(text):
        if not _declares_types(run):
            yield from _permuted(run, sorted(run, key=_is_method))


@means_the_same
def data_behind_methods(text: bytes) -> Edits:
    for run in _runs(text):
        if not _declares_types(run):
            yield from _permuted(run, sorted(run, key=lambda member: not _is_method(member)))


@means_the_same
def methods_defined_in_reverse(text: bytes) -> Edits:
    """Definitions of members, out of the class, trade places."""
    for inside in nodes(tree(text), "translation_unit", "declaration_list"):
        if any(child.type.startswith("preproc_") and child.type != "preproc_include" for child in inside.children):
            continue
        found = [node for node in inside.named_children if node.type == "function_definition" and _is_of_class(node)]
        if len(found) > 1 and not any(
            child.type in ("alias_declaration", "class_specifier", "declaration")
            for child in inside.named_children
            if child.start_byte > found[0].start_byte
        ):
            yield from _permuted(found, found[::-1])


def _is_of_class(node: Node) -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "qualified_identifier":
        declarator = declarator.child_by_field_name("declarator") or (
            declarator.named_children[-1] if declarator.type == "reference_declarator" else None
        )
    return declarator is not None


@means_the_same
def functions_declared_first(text: bytes) -> Edits:
    """Each function is declared where it stands, and defined behind all others, the last one first."""
    root = tree(text)
    if (
        root is None
        or any(nodes(root, "preproc_if", "preproc_ifdef", "namespace_definition"))
        or re.search(rb"#\s*undef", text)
    ):
        return
    found = []
    for node in root.named_children:
        declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
        if (
            node.type != "function_definition"
            or declarator is None
            or body is None
            or body.type != "compound_statement"
            or _is_of_class(node)
        ):
            continue
        if (
            b"auto" in text[node.start_byte : declarator.start_byte]
            or any(nodes(declarator, "optional_parameter_declaration"))
            or not _is_method(node)
            or b"constexpr" in text[node.start_byte : body.start_byte]
        ):
            continue
        if _MACRO.match(text_of(declarator)) or not node.child_by_field_name("type"):
            continue
        found.append((node, body))
    for node, body in found:
        yield Edit(body.start_byte, node.end_byte, b";")
    for node, _ in reversed(found):
        yield Edit(len(text), len(text), b"\n", (node.start_byte, node.end_byte))


# --- names ----------------------------------------------------------------------------------------


def _declared(function: Node) -> set[bytes]:
    """Names of parameters and of locals."""
    found: set[bytes] = set()
    for node in nodes(
        function,
        "parameter_declaration",
        "declaration",
        "init_declarator",
        "for_range_loop",
        "optional_parameter_declaration",
    ):
        for declarator in node.children_by_field_name("declarator"):
            inner: Node | None = declarator
            while inner is not None and inner.type in (
                "pointer_declarator",
                "reference_declarator",
                "init_declarator",
                "array_declarator",
            ):
                inner = inner.child_by_field_name("declarator") or inner.named_children[-1]
            if inner is not None and inner.type == "identifier":
                found.add(text_of(inner))
    return found


def _called(function: Node) -> Iterator[Node]:
    for call in nodes(function, "call_expression"):
        called = call.child_by_field_name("function")
        if called is not None and called.type == "identifier":
            yield called


def _is_in_sight(use: Node, name: bytes) -> bool:
    """Whether something around the use, or before it in a block around it, declares the name."""
    at, scope = use, use.parent
    while scope is not None:
        before = [one for one in scope.children if one.start_byte < at.start_byte]
        if scope.type in ("for_range_loop", "function_definition", "lambda_expression") and name in _declared(scope):
            if scope.type != "function_definition" or name in _declared_by(scope.child_by_field_name("declarator")):
                return True
        elif any(one.type == "declaration" and name in _declared_by(one) for one in before):
            return True
        at, scope = scope, scope.parent
    return False


def _declared_by(node: Node | None) -> set[bytes]:
    return {text_of(one) for one in nodes(node, "identifier")}


def _renaming(text: bytes, fresh: Callable[[int], bytes]) -> Edits:
    root = tree(text)
    if root is None:
        return
    found = tokens(text)
    directives = b" ".join(token.text for token in found if token.kind == "directive")
    count = 0
    functions = [node for node in nodes(root, "function_definition") if above(node, "function_definition") is None]
    spans = [(node.start_byte, node.end_byte) for node in functions]
    outside = {t.text for t in found if t.kind == "word" and not any(start <= t.start < end for start, end in spans)}
    for node, (start, end) in zip(functions, spans, strict=True):
        names = sorted(_declared(node) - outside)
        renamed = {}
        for name in names:
            if re.search(rb"\b%b\b" % name, directives) or (len(name) < 2 and name.isupper()):
                continue
            uses = [t for t in found if start <= t.start < end and t.text == name]
            if any(name == text_of(called) and not _is_in_sight(called, name) for called in _called(node)):
                continue  # a function of the same name, where the local has ended
            plain = [
                n
                for n in nodes(node, "identifier")
                if text_of(n) == name and n.parent is not None and n.parent.type != "function_declarator"
            ]
            if len(uses) == len(plain):
                count += 1
                renamed[name] = fresh(count)
        for token in found:
            if start <= token.start < end and token.kind == "word" and token.text in renamed:
                yield Edit(token.start, token.end, renamed[token.text])


@means_the_same
def renamed_locals(text: bytes) -> Edits:
    return _renaming(text, lambda n: b"x%d" % n)


@means_the_same
def locals_renamed_at_length(text: bytes) -> Edits:
    return _renaming(text, lambda n: b"TheLocalVariableNumber%d" % n)


@means_the_same
def written_this(text: bytes) -> Edits:
    """`this->x_` for `x_`."""
    root = tree(text)
    for cls in nodes(root, "class_specifier", "struct_specifier"):
        body = cls.child_by_field_name("body")
        if body is None:
            continue
        members = {
            text_of(name)
            for field in body.named_children
            if field.type == "field_declaration" and not _is_method(field) and not text_of(field).startswith(b"static")
            for name in nodes(field, "field_identifier")
            if name.parent is not None and name.parent.type != "field_expression"
        }
        for method in body.named_children:
            inside = method.child_by_field_name("body") if method.type == "function_definition" else None
            if inside is None or text_of(method).startswith((b"static", b"friend")):
                continue
            shadowed = _declared(method)
            for node in nodes(inside, "identifier"):
                parent = node.parent
                if (
                    text_of(node) in members - shadowed
                    and parent is not None
                    and parent.type
                    not in (
                        "qualified_identifier",
                        "lambda_capture_specifier",
                        "lambda_capture_initializer",
                        "attribute",
                    )
                    and not _under_macro(node)
                ):
                    yield Edit(node.start_byte, node.start_byte, b"this->")


@means_the_same
def unwritten_this(text: bytes) -> Edits:
    for node in nodes(tree(text), "field_expression"):
        value, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        function = above(node, "function_definition")
        if value is None or name is None or function is None or value.type != "this" or name.type != "field_identifier":
            continue
        if (
            text_of(name).endswith(b"_")
            and text_of(name) not in _declared(function)
            and above(node, "lambda_expression") is None
        ):
            yield Edit(node.start_byte, name.start_byte, b"")
