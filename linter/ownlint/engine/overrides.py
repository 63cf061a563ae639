"""Which bodies a call of a virtual method can run: those of the classes below, as far as they were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ownlint.facts import records as r
from ownlint.finding import because, weaker
from ownlint.project import trials, types
from ownlint.project.callees import Callee
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Function

_VIRTUAL = frozenset({"virtual", "override", "pure"})


def reached(call: r.Call, function: Function) -> Callee:
    """What a call reaches in the end: of a pure method the one body that it has below; of a virtual method, called on
    what may be of a class below, also the bodies there."""
    callee = function.program.calls.callee(call, function)
    if callee.owner is None or not callee.records:
        return callee
    if any(_VIRTUAL.isdisjoint(one.qualifiers) for one in callee.records) or _is_of_this_class(call, function):
        return callee
    found = [one for one in below(callee, function.program) if one not in callee.functions]
    if callee.functions:
        return msgspec.structs.replace(callee, functions=(*callee.functions, *found)) if found else callee
    if len(found) != 1 or not is_pure(callee):
        return callee
    why = f"that no class but `{found[0].cls.name}` has another `{found[0].name}`" if found[0].cls is not None else ""
    certainty = weaker(callee.certainty, because("type", why))
    return msgspec.structs.replace(callee, functions=(found[0],), models=(), certainty=certainty)


def below(callee: Callee, program: Program) -> list[Function]:
    """The bodies that a virtual method has in the classes below; those of tests are none."""
    if callee.owner is None or not callee.records:
        return []
    name, count = callee.records[0].name, len(callee.records[0].parameters)
    found = _overrides(program).get((callee.owner.symbol, name), ())
    return [one for one in found if len(one.record.parameters) == count]


def is_pure(callee: Callee) -> bool:
    """Whether a call reaches nothing but a method that has no body."""
    return bool(callee.records) and all("pure" in one.qualifiers for one in callee.records)


def _is_of_this_class(call: r.Call, function: Function) -> bool:
    """Whether the object is exactly of the class that is named: `Base::f()`, and `object.f()` of what is no
    reference."""
    match call.callee:
        case r.Name(text=text):
            return "::" in text
        case r.Member(base=base, arrow=False):
            held = types.parse(function.program.types.written(base, function))
            return held.is_value and bool(held.name)
    return False


@program_question
def _overrides(program: Program) -> Mapping[tuple[str, str], Sequence[Function]]:
    """By a class and a name, the methods of classes below that have a virtual method of the class anew."""
    found: dict[tuple[str, str], list[Function]] = {}
    for cls in program.classes:
        is_test = trials.tries(program, cls.file)
        for base in cls.ancestry[1:]:
            for method in cls.methods if not is_test else ():
                declared = base.declared_here.get(method.name, ())
                if any(not _VIRTUAL.isdisjoint(one.qualifiers) for one in declared):
                    found.setdefault((base.symbol, method.name), []).append(method)
    return found
