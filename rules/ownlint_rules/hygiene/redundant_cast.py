"""A value is cast to the type that it already has.

It does nothing, and it hides the day on which it would do something: when one of the two types changes, the cast
makes the compiler say nothing.

bad:

```cpp
struct Stream { int id; };
int Id(Stream* stream) { return static_cast<Stream*>(stream)->id; }
```

good:

```cpp
struct Stream { int id; };
int Id(Stream* stream) { return stream->id; }
```

Reported where a parser that knows types says that operand and target are one pointer to a class, or one class by
reference; without one, where a local is declared so, or owns such an object. The fix deletes the cast and keeps the
operand.

Quiet: numbers, since two of them may be one type on this platform alone; copies that are made on purpose, moves,
casts to `void`, templates, where the type may be another next time.

Limits: a cast of an expression that is no name, member, call, address or `this` is not looked at, nor one to a class
with template arguments that are not spelled as the compiler does.

Source: a review of GPU command-buffer caching in XLA, where `unique_ptr<T>::get()` was cast to `T*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Edit, Finding, Fix, Function, Span, because, places, records, rule, text, types

_CASTS = re.compile(rb"\[9,\d")
_STYLES = frozenset({"c", "static_cast", "reinterpret_cast", "dynamic_cast", "const_cast"})
_SPACES = re.compile(r"\s+")
_HIDDEN = re.compile(r"\(anonymous[^)]*\)::|\b(?:class|struct|enum|union)\s+")
_BUILTIN = re.compile(
    r"(?:(?:unsigned|signed|long|short|const|volatile) ?)*"
    r"(?:char\w*|int|long|short|float|double|bool|wchar_t|unsigned|signed)?"
)


_NO_TYPES = "the types are known by their written names alone"


@rule(severity="note", fixable=True)
def redundant_cast(function: Function) -> Iterator[Finding]:
    if not function.says(_CASTS) or _is_template(function):
        return
    for statement in function.statements:
        for value in _values(statement):
            for cast in places.walk(value):
                if isinstance(cast, records.Cast) and cast.style in _STYLES and _is_redundant(function, cast):
                    yield function.finding(
                        cast,
                        f"`{text(cast.value)}` is a `{cast.type}` already",
                        certainty="certain" if function.file.meanings else because("likely", _NO_TYPES),
                        help="delete the cast",
                        fix=_fix(function, statement, cast),
                    )


def _values(statement: records.Statement) -> Iterator[records.Value]:
    for name in ("value", "condition", "step", "iterable"):
        value = getattr(statement, name, None)
        if value is not None:
            yield value


def _is_template(function: Function) -> bool:
    """Whether it, or anything around it, has a template's parameters."""
    around: Function | None = function
    while around is not None:
        if "template" in around.record.qualifiers or any("auto" in p.type.split() for p in around.record.parameters):
            return True
        if around.cls is not None and around.cls.record.template:
            return True
        around = around.parent
    scopes = function.record.scope
    owner = function.home
    while owner is not None and "::" in scopes:
        scopes = scopes.rpartition("::")[0]
        owner = function.program.names.find_class(scopes, "", function.file)
        if owner is not None and owner.record.template:
            return True
    return False


def _is_redundant(function: Function, cast: records.Cast) -> bool:
    if "&&" in cast.type or "(" in cast.type or "auto" in cast.type:
        return False
    given = _canonical(function, cast.value) if function.file.meanings else _declared(function, cast.value)
    if not given or "type-parameter" in given or "<dependent" in given:
        return False
    wanted = _meant(function, cast)
    kind = types.parse(wanted)
    if kind.is_value or _BUILTIN.fullmatch(_SPACES.sub(" ", kind.name)):
        return False
    if kind.reference and not types.parse(given).pointers:
        given = given.rstrip(" &") + "&"
    return bool(wanted) and _plain(given) == _plain(wanted)


def _canonical(function: Function, value: records.Value) -> str:
    """What the parser says that the operand is; a reference to a pointer is the pointer."""
    inner: records.Value | None = value
    match value:
        case records.Name(text="this"):
            if function.home is None or "static" in function.record.qualifiers or function.record.kind == "lambda":
                return ""
            return ("const " if "const" in function.record.qualifiers else "") + function.home.symbol + "*"
        case records.Unary(op="&", value=inner):
            pointee = _canonical(function, inner) if isinstance(inner, records.Name) else ""
            return pointee.rstrip(" &") + "*" if pointee and "*" not in pointee else ""
        case records.Name(start=start, end=end, text=name):
            start = end - len(name.rsplit("::", 1)[-1].encode())
        case records.Member():
            start = value.name_start
        case records.Call(kind="call", callee=records.Member() as callee):
            start = callee.name_start
        case records.Call(kind="call", callee=records.Name(text=name, end=end)):
            start = end - len(name.rsplit("::", 1)[-1].encode())
        case _:
            return ""
    meaning = function.program.names.meaning(function.file, start)
    written = meaning.type if meaning is not None else ""
    return written.rstrip(" &") if "*" in written else written


def _declared(function: Function, value: records.Value) -> str:
    """What is known without a parser: the declared type of a local, and what an owner of one hands out."""
    match places.strip(value):
        case records.Name(text=name) if name in function.locals:
            return _in_full(function, function.locals[name][0], value.start)
        case records.Call(callee=records.Member(base=records.Name(text=name), name="get"), args=()):
            written = function.locals[name][0] if name in function.locals else ""
            if "smart pointer" in function.program.types.roles(written, function):
                return _in_full(function, types.element(written) + "*", value.start)
    return ""


def _meant(function: Function, cast: records.Cast) -> str:
    return _in_full(function, cast.type, cast.start)


def _in_full(function: Function, written: str, at: int) -> str:
    """The type with its class named in full; empty when nobody knows the class."""
    program, scope = function.program, function.record.scope
    is_const = types.parse(written).const  # an alias that is followed forgets it
    written = program.names.expand(written, function.file, scope, at)
    kind = types.parse(written)
    cls = program.names.find_class(kind.name, scope, function.file)
    if cls is None:
        return written if "::" in kind.name and function.file.meanings else ""
    if cls.record.template:
        return ""
    const = "const " if is_const or kind.const else ""
    return f"{const}{cls.symbol}{'*' * kind.pointers}{'&' * kind.reference}"


def _plain(written: str) -> str:
    bare = _HIDDEN.sub("", written).replace(" const", " const ").strip()
    return _SPACES.sub("", re.sub(r"\bconst\s+", "const.", bare)).removeprefix("::").replace("const.::", "const.")


def _fix(function: Function, statement: records.Statement, cast: records.Cast) -> Fix:
    """The operand alone, in brackets where what follows binds closer than it."""
    start, end = cast.value.start, cast.value.end
    opening, closing = "", ""
    if isinstance(cast.value, records.Unary) and cast.style != "c":
        opening, closing = "(", ")"
    if cast.style == "c" and isinstance(statement, records.Leave) and cast.start - statement.start <= len("return"):
        opening = " "
    edits = [Edit(function.path, Span(cast.start, start), opening)]
    if end < cast.end or closing:
        edits.append(Edit(function.path, Span(end, cast.end), closing))
    return Fix("delete the cast", tuple(edits), safe=True)
