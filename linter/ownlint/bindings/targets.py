"""The C++ behind a binding: which function it calls, and what that returns.

A callable is a lambda, a pointer to a member, a free function, or one of these inside wrappers and casts that
choose an overload.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ownlint.facts import records as r
from ownlint.flow.places import last_name, strip
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import program_question, question
from ownlint.project.subjects import Binding, Class, Function

_CAST = re.compile(r"\(\s*(?P<owner>[\w:<>, ]*::\s*)?\*\s*\)\s*\((?P<parameters>.*)\)(?P<behind>[\s\w]*)")
"""The parameters in `R (C::*)(A, B) const` and `R (*)(A, B)`."""


class Overload(NamedTuple):
    """Which of several functions of one name is meant. `const` says whether it is that of a constant object; None where
    nothing says so."""

    parameters: tuple[str, ...]
    const: bool | None = None


_SAYS_CONST = re.compile(r",\s*(?:\w+::)*const_\s*(?:\{\s*\})?\s*\)$")


class Target(msgspec.Struct, frozen=True):
    """`first` is the index of the callable's first written parameter: 2 when `self` is implied (a member
    function), else 1. `result` is empty when nobody can tell."""

    result: str
    function: Function | None
    owner: Class | None
    first: int
    declared: r.FunctionRecord | None = None


@question
def target_of(binding: Binding) -> Target | None:
    """The C++ function a binding calls, looked through wrappers."""
    return _target_behind(binding, strip(binding.record.callable))


@question
def factory_of(binding: Binding) -> Target | None:
    """The C++ function that makes the objects of a class, which `init(...)` is given."""
    call = strip(binding.record.callable)
    return _target_behind(binding, strip(call.args[0])) if isinstance(call, r.Call) and call.args else None


def _target_behind(binding: Binding, value: r.Value | None) -> Target | None:
    framework = binding.program.models.frameworks.get(binding.record.framework)
    wrappers = framework.spelling.wrappers if framework is not None else ()
    while isinstance(value, r.Call) and last_name(value.callee) in wrappers and value.args:
        value = strip(value.args[0])
    while isinstance(value, r.Unary) and value.op == "+":
        value = strip(value.value)
    if isinstance(value, r.Name) and (held := _held(binding, value.text)) is not None:
        value = strip(held)
    match value:
        case r.Lambda(function=index):
            return _lambda_target(binding, index)
        case r.Unary(op="&", value=r.Name(text=name)) | r.Name(text=name):
            return _named_target(binding, name, _overload(binding, wrappers))
    return None


def _held(binding: Binding, name: str) -> r.Value | None:
    """What a local of the function around was made with: `auto getter = [](Doc& doc) { ... };`."""
    return binding.around.locals[name][1] if binding.around is not None and name in binding.around.locals else None


def scope_of(binding: Binding, target: Target) -> str:
    """Where the names in the callable's signature are looked up."""
    if target.function is not None and target.function.record.scope:
        return target.function.record.scope
    if target.owner is not None:
        return target.owner.symbol
    return binding.around.record.scope if binding.around is not None else ""


def returned_values(function: Function) -> list[r.Value]:
    return [
        value
        for statement in function.statements
        if isinstance(statement, r.Leave)
        and statement.kind == "return"
        and (value := strip(statement.value)) is not None
    ]


def _overload(binding: Binding, wrappers: Sequence[str]) -> Overload | None:
    """What chooses an overload: `overload_cast<A>(&C::f, const_)`, `static_cast<R (C::*)(A) const>(&C::f)`."""
    for extra in binding.record.extras:
        if extra.name in wrappers and (extra.template or "overload" in extra.name):
            return Overload(types.arguments_of(extra.template), _SAYS_CONST.search(extra.text) is not None)
        if found := _CAST.search(extra.template):
            of_object = "const" in found["behind"].split() if found["owner"] else None
            return Overload(types.arguments_of(found["parameters"]), of_object)
    return None


def _lambda_target(binding: Binding, index: int) -> Target | None:
    function = binding.program.index.function_at(binding.file, index)
    if function is None:
        return None
    result = function.record.result
    meaning = binding.program.names.meaning(binding.file, function.record.start)
    if not result and meaning is not None:
        result = meaning.type
    if not result:
        found = {
            kind for value in returned_values(function) if (kind := _decayed(binding.program.types.of(value, function)))
        }
        result = found.pop() if len(found) == 1 else ""
    return Target(result, function, None, 1)


def _result(function: Function) -> str:
    """The declared result type, or what `auto` and `auto&` come to."""
    written = function.record.result
    kind = types.parse(written)
    if not kind.is_placeholder:
        return plain(written)
    found = function.program.calls.inferred_result(function)
    if kind.name == "decltype(auto)" or not found:
        return found
    return _decayed(found) + ("&" if kind.reference else "")


def _decayed(written: str) -> str:
    """What `auto` deduces from a returned expression: no reference, no constness."""
    return written if "*" in written else re.sub(r"^const\s+", "", written).rstrip(" &")


def _named_target(binding: Binding, name: str, overload: Overload | None) -> Target | None:
    program = binding.program
    owner, _, last = name.rpartition("::")
    cls = _class_said(binding, owner) if owner else None
    if cls is not None:
        return _member_target(cls, last, overload)
    free = [f for f in _free_functions(program).get(last, ()) if f.record.scope.endswith(owner)]
    near = [f for f in free if f.file is binding.file] or free
    if overload is not None or len(near) > 1:
        near = [f for f in near if f.record in _fitting([f.record for f in near], overload)]
    if not free:
        return _declared_target(binding, name, overload)
    return Target(_result(near[0]), near[0], None, 1, near[0].record) if len(near) == 1 else None


def _class_said(binding: Binding, name: str) -> Class | None:
    """The class that is called so where the binding stands."""
    names = binding.program.names
    scope = binding.around.record.scope if binding.around is not None else ""
    return names.find_class(names.expand(name, binding.file, scope, binding.record.start), scope, binding.file)


@program_question
def _free_functions(program: Program) -> dict[str, list[Function]]:
    found: dict[str, list[Function]] = {}
    for function in program.functions:
        if function.language == "cpp" and function.record.kind == "function":
            found.setdefault(function.name, []).append(function)
    return found


def _declared_target(binding: Binding, name: str, overload: Overload | None) -> Target | None:
    """A free function that is declared, and whose body nobody shows."""
    owner, _, last = name.rpartition("::")
    declared = [
        record
        for record in binding.program.index.declarations_of(last)
        if not record.owner and record.scope.endswith(owner)
    ]
    fitting = _fitting(declared, overload)
    results = {plain(record.result) for record in fitting if record.result}
    return Target(results.pop(), None, None, 1, fitting[0]) if len(results) == 1 else None


def _member_target(cls: Class, name: str, overload: Overload | None) -> Target | None:
    declared = _fitting(cls.declared(name), overload)
    if not declared:
        return None
    results = _results(declared)
    if len(results) > 1 and len({_without_const(one) for one in results}) == 1:
        declared = [d for d in declared if "const" not in d.qualifiers] or declared  # one for whoever may change it
        results = _results(declared)
    body = _only_body(cls, name, overload)
    static = any("static" in d.qualifiers for d in declared)
    result = results.pop() if len(results) == 1 else ""
    if body is not None and types.parse(result).is_placeholder:
        result = _result(body)
    return Target(result, body, cls, 1 if static else 2, declared[0])


def _results(declared: Sequence[r.FunctionRecord]) -> set[str]:
    return {plain(d.result) for d in declared if d.result}


def _only_body(cls: Class, name: str, overload: Overload | None) -> Function | None:
    defined = cls.defined(name)
    fitting = _fitting([b.record for b in defined], overload)
    bodies = [f for f in defined if f.record in fitting]
    return bodies[0] if len(bodies) == 1 else None


def _fitting(records: Sequence[r.FunctionRecord], overload: Overload | None) -> list[r.FunctionRecord]:
    if overload is None:
        return list(records)
    said = overload.parameters
    same = [record for record in records if len(record.parameters) == len(said)]
    exact = [record for record in same if all(_same(p.type, t) for p, t in zip(record.parameters, said, strict=True))]
    fitting = exact or same
    return [one for one in fitting if ("const" in one.qualifiers) is overload.const] or fitting


def _same(one: str, other: str) -> bool:
    left, right = types.parse(one), types.parse(other)
    return (left.last, left.pointers, left.reference) == (right.last, right.pointers, right.reference)


def _without_const(written: str) -> str:
    return " ".join(re.sub(r"\bconst\b", " ", plain(written)).split())


def plain(written: str) -> str:
    """The type without the keywords that may stand before it (`class Gauge`)."""
    return re.sub(r"\b(?:class|struct|enum|inline|static|virtual|constexpr)\s+", "", written).strip()
