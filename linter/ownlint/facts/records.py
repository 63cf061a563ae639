"""What a file says: frozen records, one vocabulary for C++ and Python.

A `FileRecord` is everything a frontend read in one source file. Its functions hold their bodies as
*statements* (structured blocks) over *values* (expression trees). `ownlint.flow.events` lowers
a body to the six events of the flow engine (`Call`, `Read`, `Write`, `End`, `Leave`, `Opaque`).

Positions are byte offsets into the file as it lies on disk; lines and columns are computed where
something is shown. Every record is frozen, ordered, printable and free of libraries: a record says
what the source says, never what it means for ownership.

What a frontend promises of every file, whatever bytes it holds, and rules rely on:

* Ranges lie in the file, and `FunctionRecord.name_start` in its function. `Lambda.function`, `Nested.function`,
  `parent`, `in_function`, `Import.scope` and `BindingRecord.owner` are indexes that exist, or -1; a `parent` is smaller
  than the index of its child, and what a `Lambda` leads to is of kind `lambda`.
* What has a name has one: the texts of `Name`, `Member.name`, each of `Declare.names`, and the names of functions,
  fields, variables, bases, captures, initializers, labels, annotations, macros and imports are not empty, and the last
  part of a qualified `Name` is there. A parser that made a name up makes an `OpaqueValue`, or nothing. Empty is the
  name of a class without one, of a parameter, a `Handler`, a `Nested`, an `open` alias, and of a binding or a bound
  class that is not named by a literal.
* `FunctionRecord.mentions` and `qualifiers` are sorted; what the body calls or assigns is in `mentions`.
* The callee of a `construct`, `new` or `macro` is a `Name` (`<unnamed>` for a type without one); a `delete` has one
  argument; a `range` loop has a target and an iterable, a `while` or `do` loop a condition; a `Cast` has a type.
* Only a function that is `defined` has a body. The offsets in `comments`, `debug` and `conditional` come in pairs.

Text is the file's and can be of any shape: a type or template argument need not have matching brackets.

Bodies stay encoded (`msgspec.Raw`) until someone asks, since most questions are answered by the
skeleton of a file: on tensorstore 0.1.86 this keeps one run below 600 MB.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import Union

import msgspec

from ownlint.facts.base import Language as Language
from ownlint.facts.base import Span as Span


class Node(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Anything with a range in the source; `start` and `end` are byte offsets."""

    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


# --- values: what an expression says ----------------------------------------------------------


class Name(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=1):
    """A name as written, qualified or not: `x`, `this`, `self`, `absl::OkStatus`, `Foo::bar`.

    Template arguments are not part of `text`; a call keeps them in `Call.template`.
    """

    text: str


class Member(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=2):
    """`base.name`, `base->name` (then `arrow`); Python attribute access."""

    base: Value
    name: str
    arrow: bool = False
    at: int = 0
    """Byte offset of the name itself; 0 when it is the last thing in the range."""

    @property
    def name_start(self) -> int:
        return self.at or self.end - len(self.name.encode())


class Index(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=3):
    """`base[i]`, `base[i, j]`; a Python slice is an `Aggregate` of kind `slice`."""

    base: Value
    indexes: tuple[Value, ...]


class Call(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=4):
    """A call, or what is spelled like one.

    `kind`: `call` (functions, methods, macros: a frontend cannot tell them apart),
    `construct` (`T x(a)`, `T{a}`; `callee` names the type), `new`, `delete`,
    `macro` (known to be a macro: it took a declaration or braces as arguments, and the
    preprocessor took it apart; the argument is what it evaluates).
    """

    callee: Value
    args: tuple[Value, ...]
    kind: OneOf["call", "construct", "new", "delete", "macro"] = "call"
    template: str = ""
    """Template arguments as written, without the angle brackets: `0, 1` of `keep_alive<0, 1>`."""


class Literal(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=5):
    """`text` as written, at most 120 characters, without a prefix that changes nothing (`r'a'` of Python); a text of
    Python that declares functions of C is longer, up to 32768. Kind `null` is `nullptr`, `NULL`, `None`; `build` is
    what an `#if` asks (`#ifdef A`): the same wherever it stands."""

    kind: OneOf["bool", "null", "int", "float", "str", "char", "build", "other"]
    text: str

    @property
    def is_true(self) -> bool:
        """Of a `bool` of either language, or as a macro of C spells it."""
        return self.text in ("true", "True", "TRUE")


class Unary(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=6):
    """`op` is `*`, `&`, `!`, `-`, `~`, `not`, `await`, `co_await`, `yield`, `yield from`,
    `sizeof`, `*args` and `**kwargs` (spread: `spread`, `spread2`), `throw` inside an expression."""

    op: str
    value: Value


class Binary(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=7):
    """`op` as in the source; `and`/`or` are written `&&`/`||` in both languages.
    `,` is the comma operator. Python's `is`, `is not`, `in`, `not in` keep their names."""

    op: str
    left: Value
    right: Value
    language: Language = "cpp"


class Assign(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=8):
    """A place gets a new value. `op` is `=`, `+=`, `++`, `--`, `:=` ...; for `++` and `--` `value` is the target
    itself, opaque when something in there is incremented too. Python's `a, b = v` has an `Aggregate` as target."""

    target: Value
    op: str
    value: Value


class Cast(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=9):
    """`style` is `c`, `functional`, `static_cast`, `reinterpret_cast`, `const_cast`, `dynamic_cast`, ..."""

    type: str
    style: str
    value: Value


class Capture(Node, frozen=True, array_like=True, gc=False):
    """`name` is `this`, `*this`, `&` or `=` for the defaults, else a variable."""

    name: str
    by_reference: bool
    value: Value | None = None


class Lambda(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=10):
    """A function of its own, `FileRecord.functions[function]`, with what it captures."""

    function: int
    captures: tuple[Capture, ...] = ()
    language: Language = "cpp"
    parameters: tuple[str, ...] = ()
    """As written, of one in Python."""


class Conditional(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=11):
    """`condition ? then : other`, `then if condition else other`."""

    condition: Value
    then: Value
    other: Value
    language: Language = "cpp"


class Aggregate(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=12):
    """`{a, b}`, tuples, lists, sets, dicts (a dict's items are `Pair`s), f-strings, slices.

    `cut` says that more than 64 items were written; only the first 64 are kept.
    """

    kind: OneOf["init", "tuple", "list", "set", "dict", "fstring", "slice"]
    items: tuple[Value, ...]
    cut: bool = False


class Pair(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=13):
    """`key: value` of a dict; `.key = value` of a designated initialiser;
    `key=value` of a Python call (then `key` is a `Name`)."""

    key: Value
    value: Value


class Clause(Node, frozen=True, array_like=True, gc=False):
    """`for target in iterable if a if b` of a comprehension."""

    target: Value
    iterable: Value
    conditions: tuple[Value, ...] = ()


class Comprehension(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=14):
    kind: OneOf["list", "set", "dict", "generator"]
    element: Value
    clauses: tuple[Clause, ...]


class OpaqueValue(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=15):
    """An expression that was not understood. Rules stay silent about what it touches:
    `names` are the identifiers inside, as far as they can be read."""

    text: str
    names: tuple[str, ...] = ()


Value = Union[  # noqa: UP007 - a forward reference in every member
    Name,
    Member,
    Index,
    Call,
    Literal,
    Unary,
    Binary,
    Assign,
    Cast,
    Lambda,
    Conditional,
    Aggregate,
    Pair,
    Comprehension,
    OpaqueValue,
]


# --- statements: the structured blocks --------------------------------------------------------


class Evaluate(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=30):
    """An expression statement; the value of the whole expression is dropped."""

    value: Value


INNER = "\u02b9"
"""Stands behind the name of a local that hides another of its function: one name is one place in a body."""


class Declare(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=31):
    """A C++ local. `type` as written (`auto&`, `std::unique_ptr<T>`); several `names` for a
    structured binding. `T x(a, b)` and `T x{a}` have a `Call` of kind `construct` as value;
    `T x;` has none. Its life ends with the enclosing block, unless `static`. `cleanup` is the function that is called
    with its address then, `__attribute__((cleanup(f)))`, or the macro that stands before its type. What is
    `thread_local` or `extern` is `static` as well."""

    names: tuple[str, ...]
    type: str
    value: Value | None = None
    cleanup: str = ""
    thread_local: bool = False
    static: bool = False


class Block(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=32):
    body: tuple[Statement, ...]


class Branch(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=33):
    """`if`. `before` holds the initialiser of `if (init; condition)` and a declaration that is the
    condition (`if (auto* p = f())`: then `condition` is the name); its locals end after the branch.
    `constant` is `if constexpr`. Python's `match` becomes a `Switch`. Where the condition is one of the build, what
    the sides declare lives on behind the branch."""

    condition: Value
    then: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()
    before: tuple[Statement, ...] = ()
    constant: bool = False


class Loop(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=34):
    """`kind`: `for` (C++ three-part), `while`, `do`, `range` (C++ range-for and Python `for`;
    `target` and `iterable` are set, `type` is the declared type of the C++ loop variable).
    `otherwise` is Python's `else`. A structured binding is an `Aggregate` target."""

    kind: OneOf["for", "while", "do", "range"]
    body: tuple[Statement, ...]
    before: tuple[Statement, ...] = ()
    condition: Value | None = None
    step: Value | None = None
    target: Value | None = None
    type: str = ""
    iterable: Value | None = None
    otherwise: tuple[Statement, ...] = ()


class Case(Node, frozen=True, array_like=True, gc=False):
    """No `values`: `default:`, `case _:`. Falls through to the next case in C++ unless it leaves."""

    values: tuple[Value, ...]
    body: tuple[Statement, ...]


class Switch(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=35):
    """`falls` is true for C++, where a case without `break` goes on into the next."""

    value: Value
    cases: tuple[Case, ...]
    falls: bool = True


class Handler(Node, frozen=True, array_like=True, gc=False):
    """`catch (T const& name)`, `except T as name`; `type` is empty for `catch (...)` and bare `except`."""

    type: str
    name: str
    body: tuple[Statement, ...]


class Try(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=36):
    body: tuple[Statement, ...]
    handlers: tuple[Handler, ...]
    otherwise: tuple[Statement, ...] = ()
    final: tuple[Statement, ...] = ()


class WithItem(Node, frozen=True, array_like=True, gc=False):
    value: Value
    target: Value | None = None


class With(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=37):
    items: tuple[WithItem, ...]
    body: tuple[Statement, ...]


class Leave(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=38):
    """`kind`: `return` (also `co_return`), `throw` (also `raise`), `break`, `continue`, `goto`
    (`label` is set), `yield` is an expression, not a statement."""

    kind: OneOf["return", "throw", "break", "continue", "goto"]
    value: Value | None = None
    label: str = ""


class Label(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=39):
    name: str


class Delete(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=40):
    """Python's `del a, b[i]`."""

    targets: tuple[Value, ...]


class Nested(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=41):
    """A function or class defined here, inside a body: `FileRecord.functions[function]` when it is a
    function (a Python nested `def`), else -1. The definition binds `name`."""

    name: str
    function: int = -1


class Scope(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=42):
    """Python's `global` and `nonlocal`."""

    kind: OneOf["global", "nonlocal"]
    names: tuple[str, ...]


class Opaque(Node, frozen=True, array_like=True, gc=False, tag_field="is", tag=43):
    """A statement that was not understood: inline assembly, a macro of unknown shape, a star
    import, `exec`. `names` are the identifiers inside."""

    text: str
    names: tuple[str, ...] = ()


Statement = Union[  # noqa: UP007
    Evaluate,
    Declare,
    Block,
    Branch,
    Loop,
    Switch,
    Try,
    With,
    Leave,
    Label,
    Delete,
    Nested,
    Scope,
    Opaque,
]

Body = tuple[Statement, ...]


# --- what a file declares ----------------------------------------------------------------------


class Annotation(Node, frozen=True, array_like=True, gc=False):
    """An attribute-like macro, a C++ attribute or a Python decorator, as written:
    `ABSL_GUARDED_BY(mu_)` is name `ABSL_GUARDED_BY`, arguments `mu_`;
    `[[nodiscard]]` is name `nodiscard`; a decorator's name is its dotted text."""

    name: str
    arguments: str = ""


class Parameter(Node, frozen=True, array_like=True, gc=False):
    """`type` as written, empty when Python gives none. `spread` is `*args` or `**kwargs`."""

    name: str
    type: str = ""
    default: Value | None = None
    spread: OneOf["", "*", "**"] = ""
    keyword_only: bool = False
    annotations: tuple[Annotation, ...] = ()


class Initializer(Node, frozen=True, array_like=True, gc=False):
    """One entry of a constructor's initialiser list: member (or base) and its arguments."""

    name: str
    args: tuple[Value, ...]


class FunctionRecord(Node, frozen=True, array_like=True, gc=False):
    """A function's declaration or definition.

    `name` is the last part (`~Foo`, `operator=`, `operator()`, `<lambda>`, `<module>`, `<class C>`),
    `scope` what stands before it, joined by the language's separator: `a::B` in C++ (namespaces,
    classes, and what an out-of-line definition names; anonymous namespaces are left out), `C.method`
    in Python. `owner` is the class it is a member of, as in `scope`, or empty: for an out-of-line
    `X::f` it is `X` even though only the link step knows whether `X` is a class or a namespace.
    """

    name: str
    scope: str
    owner: str
    kind: OneOf["function", "method", "constructor", "destructor", "conversion", "lambda", "module", "class"]
    result: str
    """The declared result type as written (`absl::StatusOr<T*>`), trailing form included; empty when none."""
    parameters: tuple[Parameter, ...]
    name_start: int
    defined: bool
    qualifiers: tuple[str, ...] = ()
    """Sorted words: `const`, `static`, `virtual`, `override`, `final`, `noexcept`, `inline`, `constexpr`,
    `explicit`, `default`, `delete`, `pure`, `friend`, `async`, `generator`, `template`, `extern "C"`, `&&`; `throws`
    where its comment says that it does, `macro` for the body of a macro that is read as a function."""
    annotations: tuple[Annotation, ...] = ()
    initializers: tuple[Initializer, ...] = ()
    access: OneOf["", "public", "protected", "private"] = ""
    parent: int = -1
    """Index of the enclosing function in `FileRecord.functions`: lambdas, nested functions and the
    methods of classes that are local to a function."""
    mentions: tuple[str, ...] = ()
    """Sorted last names of all that the body calls, plus `=name` for every member or name it
    assigns: enough to skip a body without decoding it."""
    body: msgspec.Raw = msgspec.Raw(b"[]")
    """A `Body`, encoded; see `decode_body`."""
    opaque: bool = False
    """The body holds something that was not understood."""
    template: str = ""
    """C++: template parameters as written, without angle brackets."""

    @property
    def name_span(self) -> Span:
        """Where it says its name: the whole of it is too much to show."""
        return Span(self.name_start, self.name_start + len(self.name.encode()))


class Field(Node, frozen=True, array_like=True, gc=False):
    """A data member of a C++ class; in Python an attribute assigned in the class body or on `self`.

    `comment` is the comment on its line or directly above, at most 200 characters, since some
    projects say there which lock guards it. What is `thread_local` is `static` as well."""

    name: str
    type: str
    static: bool = False
    access: OneOf["", "public", "protected", "private"] = ""
    annotations: tuple[Annotation, ...] = ()
    value: Value | None = None
    comment: str = ""
    thread_local: bool = False
    bits: bool = False
    """A bit-field: it has another type in an expression than its declaration says."""
    overlaid: bool = False
    """It stands in a union without a name, whose members share their memory."""


class Base(Node, frozen=True, array_like=True, gc=False):
    name: str
    access: OneOf["", "public", "protected", "private"] = ""
    virtual: bool = False


class ClassRecord(Node, frozen=True, array_like=True, gc=False):
    """A class, struct, union or enum. `scope` as for `FunctionRecord`.

    Methods that are only declared here stand in `FileRecord.functions` with `defined` false; the
    destructor is `implicit` when none is declared. A macro that is called among the members
    (`DISALLOW_COPY(T);`) is one of the `annotations`."""

    name: str
    scope: str
    kind: OneOf["class", "struct", "union", "enum", "enum class"]
    fields: tuple[Field, ...] = ()
    bases: tuple[Base, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    destructor: OneOf["implicit", "declared", "defaulted", "defined", "deleted"] = "implicit"
    template: str = ""
    """Template parameters as written, without angle brackets."""
    parent: int = -1
    """Index of the enclosing function, for a local class."""
    access: OneOf["", "public", "protected", "private"] = ""
    """In the class around it, for a nested class that is defined there."""


class Variable(Node, frozen=True, array_like=True, gc=False):
    """A variable at namespace or module level, or a static class member's definition."""

    name: str
    scope: str
    type: str
    static: bool = False
    annotations: tuple[Annotation, ...] = ()
    value: Value | None = None
    thread_local: bool = False


class Alias(Node, frozen=True, array_like=True, gc=False):
    """`using A = B`, `typedef B A`, `namespace a = b` (kind `namespace`), `using namespace b`
    (kind `open`, name empty), `using b::A` (kind `using`)."""

    name: str
    scope: str
    target: str
    kind: OneOf["type", "namespace", "open", "using"] = "type"
    access: OneOf["", "public", "protected", "private"] = ""


class Macro(Node, frozen=True, array_like=True, gc=False):
    """A `#define`. `parameters` is None for an object-like macro; `body` has its line
    continuations folded, at most 2,000 characters. A release build does not see one that is `debug`."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    debug: bool = False


class Import(Node, frozen=True, array_like=True, gc=False):
    """Python: `name` is bound to the dotted `target` (`from a.b import C as D`: `D`, `a.b.C`);
    relative imports are resolved against the file's place below its package root where that is
    known, else they keep their dots. A star import has the name `*`.
    C++: an `#include`; `target` is the path as written, `name` is `"` or `<`."""

    name: str
    target: str
    scope: int = -1
    """Index of the function it stands in, -1 at the top of the file."""


class Meaning(Node, frozen=True, array_like=True, gc=False):
    """What a parser that knows types says about the expression whose *name token* starts at
    `start` (for a call: the callee's last name; for a constructor: the type's name or the variable's).

    `symbol` is the qualified name of what it refers to (`mlir::python::PyOperation::checkValid`,
    `jaxlib.mlir.ir.Module.parse`), without template arguments or parameters; `type` the canonical
    type of the expression (of a call: of its result, as the callee declares it, with `&` kept).
    `owner` is the class of the receiver, where there is one. Python fills `symbol` alone."""

    symbol: str
    type: str = ""
    owner: str = ""


class Suppression(Node, frozen=True, array_like=True, gc=False):
    """A comment that silences. `kind`: `line` (this line), `next` (the line below), `begin`,
    `end`, `file`. `rules` is never empty for a well-formed one; `problem` says what is wrong else."""

    kind: OneOf["line", "next", "begin", "end", "file"]
    rules: tuple[str, ...]
    reason: str = ""
    problem: str = ""


class Problem(Node, frozen=True, array_like=True, gc=False):
    """Why less is known of a file than stands in it. `kind`: nothing of it was read (`unread`), a part of it was not
    understood (`partial`), a header was not found (`headers`), libclang did not tell every type (`types`), a bound on
    size, time or memory was reached (`limit`)."""

    kind: OneOf["unread", "partial", "headers", "types", "limit"]
    reason: str


# --- bindings: where C++ becomes Python ---------------------------------------------------------


class Extra(Node, frozen=True, array_like=True, gc=False):
    """One argument after the callable of a `.def(...)`: `name` is the last part of its name
    (`keep_alive`, `reference_internal`, `call_guard`, `arg`), `template` its template arguments as
    written, `text` the whole of it."""

    name: str
    template: str = ""
    text: str = ""


class BoundClass(Node, frozen=True, array_like=True, gc=False):
    """`class_<T, Bases..., Holder>(scope, "Name", extras...)`.

    `name` is `<label>` where the variable `label` says it. `arguments` are all template arguments as
    written, `T` first. `variable` is the C++ variable that holds the class object, where there is one.
    `in_function` is the index of the enclosing function."""

    name: str
    type: str
    arguments: tuple[str, ...]
    framework: str
    variable: str = ""
    parent: str = ""
    """The scope argument as written: `m`, `submodule`, another class variable."""
    extras: tuple[Extra, ...] = ()
    in_function: int = -1


class BindingRecord(Node, frozen=True, array_like=True, gc=False):
    """One thing made visible to Python: `.def("name", callable, extras...)` and its relatives.

    `owner` is the index into `FileRecord.bound_classes`, or -1 for a module function or when unknown.
    `kind`: `method`, `static`, `function` (of a module), `init`, `property` (read-only),
    `property_rw`, `field` (`def_readonly`, `def_ro`), `field_rw`, `iterator`, `other`.
    `callable` is the C++ callable (a `Lambda`, `&Class::method`, a name, `init<...>` as a `Call`),
    `setter` the second one of a writable property. `method` is the binding call's own name (`def`,
    `def_property_readonly`, `def_prop_ro`)."""

    name: str
    owner: int
    kind: OneOf[
        "method", "static", "function", "init", "property", "property_rw", "field", "field_rw", "iterator", "other"
    ]
    method: str
    framework: str
    callable: Value | None
    setter: Value | None = None
    extras: tuple[Extra, ...] = ()
    in_function: int = -1
    parent: str = ""
    """The receiver as written when `owner` is -1: `m`."""
    setter_extras: tuple[Extra, ...] = ()
    """What is said inside a wrapper around `setter`."""


TableKind = OneOf["method", "property", "field", "slot", "type", "module"]


class Entry(Node, frozen=True, array_like=True, gc=False):
    """One line of a table: `{"name", function, flags}`. `name` is the Python name, of a slot its own (`Py_tp_init`,
    `tp_init`); `function` what is called, without casts, and `setter` the second function of an attribute; `refers`
    are all names in the line."""

    name: str
    function: Value | None = None
    setter: Value | None = None
    flags: str = ""
    refers: tuple[str, ...] = ()


class Table(Node, frozen=True, array_like=True, gc=False):
    """A variable by which C makes things visible to Python: an array of methods, attributes, fields or slots, or the
    one record of a type or module. `title` is the Python name that such a record gives. `in_function` as of a
    `BoundClass`."""

    name: str
    kind: TableKind
    title: str = ""
    entries: tuple[Entry, ...] = ()
    in_function: int = -1


# --- the file -------------------------------------------------------------------------------


class FileRecord(msgspec.Struct, frozen=True, gc=False):
    """Everything one source file says. `path` is relative to the project root, with `/`."""

    path: str
    language: Language
    size: int
    functions: tuple[FunctionRecord, ...] = ()
    classes: tuple[ClassRecord, ...] = ()
    variables: tuple[Variable, ...] = ()
    aliases: tuple[Alias, ...] = ()
    macros: tuple[Macro, ...] = ()
    imports: tuple[Import, ...] = ()
    bound_classes: tuple[BoundClass, ...] = ()
    bindings: tuple[BindingRecord, ...] = ()
    tables: tuple[Table, ...] = ()
    comments: tuple[int, ...] = ()
    """Flat pairs of byte offsets: start and end of each comment."""
    comment_lines: tuple[int, ...] = ()
    """C++: a pair for each comment: where its first line begins, and where the line after its last one ends."""
    excuses: tuple[int, ...] = ()
    """C++: a pair for each comment that can say why a failure does not matter: where it starts and ends."""
    forgiven: tuple[int, ...] = ()
    """C++: a pair for each comment that says of what follows that it may fail: where the lines begin and end for which
    it stands, up to an empty line or the end of the block."""
    replacing: tuple[int, ...] = ()
    """C++: where the comments start that speak of overwriting or replacing."""
    suppressions: tuple[Suppression, ...] = ()
    meanings: tuple[Meaning, ...] = ()
    """Sorted by `start`; empty when the file was read by structure only."""
    typed: bool = False
    """A parser that knows types read the whole file without an error that hides code."""
    problems: tuple[Problem, ...] = ()
    module: str = ""
    """Python: the dotted module name, as far as the folders with an `__init__.py` tell."""
    debug: tuple[int, ...] = ()
    """Flat pairs of byte offsets: what a release build does not compile (`#ifndef NDEBUG`)."""
    conditional: tuple[int, ...] = ()
    """Flat pairs of byte offsets: each conditional, from its `#if` to its `#endif`, in the order in which they end."""
    defined: tuple[tuple[int, int, str], ...] = ()
    """What is compiled where a macro is defined (`#ifdef A`): from, to, and the macro's name."""
    generated: bool = False
    """C++: a comment at its beginning says that a program has written it."""


_body_encoder = msgspec.json.Encoder()
_body_decoder = msgspec.json.Decoder(Body)
_file_decoder = msgspec.json.Decoder(FileRecord)


def encode_body(statements: Body) -> msgspec.Raw:
    """The encoded form a `FunctionRecord` keeps."""
    return msgspec.Raw(_body_encoder.encode(statements))


def decode_body(function: FunctionRecord) -> Body:
    """The statements of a function. A new tree on every call: keep it if you need it twice."""
    return _body_decoder.decode(function.body)


def encode_file(file: FileRecord) -> bytes:
    """JSON, the same bytes for the same file."""
    return _body_encoder.encode(file)


def decode_file(data: bytes) -> FileRecord:
    """Raises `msgspec.DecodeError` (or its `ValidationError`) on anything that is not a `FileRecord`."""
    return _file_decoder.decode(data)
