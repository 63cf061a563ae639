"""Functions that C calls back: which they are, and what they are given for the time of the call alone.

C hands a function pointer and a `void*` around. A captureless lambda, a free function or a static method can be that
pointer; its `void*` parameter is what the caller's own state comes back as.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.engine import glance
from ownlint.engine.glance import opens
from ownlint.facts import records as r
from ownlint.flow.places import last_name, strip
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import program_question, question
from ownlint.project.subjects import Class, Function

_OWNERS = ("python object", "shared pointer", "intrusive pointer")
_DEEPEST = 2


def user_data(function: Function) -> str:
    """The parameter that is the state of whoever set the callback; empty when the function is no callback of C."""
    parameters = function.record.parameters
    if function.language != "cpp" or len(parameters) < 2:
        return ""
    aliases = untyped_aliases(function.program)
    found = [
        p.name
        for p in parameters
        if ("void" in p.type or types.parse(p.type).last in aliases) and is_untyped(function, p.type)
    ]
    return found[-1] if found and can_be_pointer(function) else ""


@question
def is_set(function: Function) -> bool:
    """Whether a function of its file passes its address, `&Db::invoke` or `invoke`, to one that the project does not
    define."""
    for user in function.program.functions_in(function.path):
        if not glance.says(user, function.name):
            continue
        for call in user.calls():
            if any(_is_address_of(function, one, user) for one in call.args):
                return not user.program.calls.callee(call, user).functions
    return False


def _is_address_of(function: Function, value: r.Value, user: Function) -> bool:
    inner = strip(value.value if isinstance(value, r.Unary) and value.op == "&" else value)
    name = inner.text if isinstance(inner, r.Name) else ""
    return last_name(inner) == function.name and user.program.calls.meant(name, user) is function


def is_untyped(function: Function, written: str) -> bool:
    """Whether it is `void*`, by whatever name."""
    if ("*" not in written and "void" in written) or "&" in written or "<" in written:
        return False
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    return kind.name == "void" and kind.pointers == 1


@program_question
def untyped_aliases(program: Program) -> frozenset[str]:
    """Names of the project's own for `void*`."""
    return frozenset(a.name for a in program.index.type_aliases if "void" in a.target and "*" in a.target)


@program_question
def untyped_takers(program: Program) -> frozenset[str]:
    """Names of the functions that take a `void*`."""
    return frozenset(
        name
        for name, record in program.index.declared_functions()
        if any("void" in p.type and "*" in p.type for p in record.parameters)
    )


def can_be_pointer(function: Function) -> bool:
    """Whether C can be given its address: it has no object and captures nothing."""
    match function.record.kind:
        case "lambda":
            return not is_capturing(function)
        case "function":
            return True
        case "method":
            return any("static" in d.qualifiers for d in _declarations(function))
    return False


def _declarations(function: Function) -> list[r.FunctionRecord]:
    return [function.record, *(function.cls.declared(function.name) if function.cls is not None else ())]


def is_capturing(function: Function) -> bool:
    """Whether a lambda captures anything; one that nobody shows is taken to."""
    outer = function.parent
    if outer is None:
        return True
    return function.index not in _plain_lambdas(outer)


@question
def _plain_lambdas(outer: Function) -> frozenset[int]:
    """The lambdas of a body that capture nothing, by index. Needs no decoding."""
    first: dict[int, bool] = {}
    for match in _LAMBDA.finditer(outer.encoded):
        first.setdefault(int(match[1]), match[2] == b"[]")
    return frozenset(index for index, plain in first.items() if plain)


_LAMBDA = re.compile(opens(r.Lambda) + rb"(\d++),(\[.)")


def handles(function: Function) -> Iterator[r.Parameter]:
    """The parameters that stand for something of the library's own: pointers to its structs, small structs by value
    that hold one, and arrays of these pointers."""
    for parameter in function.record.parameters:
        if not parameter.name or is_untyped(function, parameter.type):
            continue
        if is_handle(function, parameter.type) or is_handle(function, _element(parameter.type)):
            yield parameter


def _element(written: str) -> str:
    """`T*` of `T**` and `T*[]`; empty where it is no array of pointers."""
    array = written.strip().removesuffix("[]").rstrip()
    kind = types.parse(array)
    if array != written.strip():
        return array if kind.pointers == 1 else ""
    return array.removesuffix("*").rstrip() if kind.pointers == 2 and array.endswith("*") else ""


def is_handle(function: Function, written: str) -> bool:
    program = function.program
    scope = function.record.scope
    kind = types.parse(program.names.expand(written, function.file, scope))
    if "(" in written or not kind.name or kind.pointers > 1 or kind.arguments:
        return False
    if kind.last in _BUILTIN or program.types.roles(written, function):
        return False
    cls = program.names.find_class(kind.name, scope, function.file)
    if not kind.is_value:
        return cls is None or program.statuses.of(written, function) is None
    if cls is None:
        return (
            program.names.find_class(kind.name, scope, function.file, enum=True) is None
            and not kind.name.endswith("_t")
            and program.statuses.of(written, function) is None
        )
    return _is_small_handle(cls)


def _is_small_handle(cls: Class) -> bool:
    """A struct of pointers and numbers, with a pointer among them."""
    fields = [f.type for f in cls.fields.values() if not f.static]
    return any("*" in each for each in fields) and all(
        "*" in each or types.parse(each).last in _BUILTIN for each in fields
    )


_BUILTIN = types.SCALARS | {"void", "auto"}


def is_held_with_owner(function: Function, last: str) -> bool:
    """Whether some class of the project keeps such a handle beside a reference to what owns it: then it outlives the
    call by itself."""
    return any(
        any(types.parse(field.type).last == last for one in cls.ancestry for field in one.fields.values())
        and has_owner(cls)
        for cls in function.program.classes
        if cls.file.language == "cpp" and (cls.fields or cls.record.bases)
        if any(last in field.type for one in cls.ancestry for field in one.fields.values())
    )


def has_owner(cls: Class, depth: int = 0) -> bool:
    """Whether an object of the class shares ownership of something, itself or in a part of it."""
    for one in cls.ancestry:
        for field in one.fields.values():
            if field.static:
                continue
            roles = one.program.types.roles_at(field.type, one.file, one.symbol)
            if any(role in roles for role in _OWNERS):
                return True
            kind = types.parse(one.program.names.expand(field.type, one.file, one.symbol))
            inner = (
                one.program.names.find_class(kind.name, one.symbol, one.file)
                if kind.is_value and depth < _DEEPEST
                else None
            )
            if inner is not None and inner is not cls and has_owner(inner, depth + 1):
                return True
    return False
