"""Casters that a project writes for a framework: classes by which values go from Python to C++ and back.

A framework's facts name the template that is specialised (`caster`), the method that reads an object of Python's
(`caster_reads`) and the one that answers a new reference to one (`caster_makes`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.domains.counted.references import alternatives, references
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow.places import strip
from ownlint.models.records import FrameworkModel
from ownlint.project.questions import question
from ownlint.project.subjects import Function


@question
def reads(function: Function) -> bool:
    """Whether it is given whatever Python passes for a parameter."""
    return _is(function, "caster_reads")


@question
def makes(function: Function) -> bool:
    """Whether its result is an object, and belongs to who calls."""
    return _is(function, "caster_makes")


def given(function: Function) -> str:
    """The value that a caster is to make an object of, by its name, where it asks nobody how long that lives: neither
    for the policy nor for the parent."""
    parameters = function.record.parameters
    if not makes(function) or not parameters:
        return ""
    body = function.encoded
    asks = any(one.name and f'"{one.name}"'.encode() in body for one in parameters[1:])
    return "" if asks else parameters[0].name


def lent(function: Function) -> Iterator[r.Value]:
    """What a caster answers that is somebody else's object, or a temporary's, and was not counted up."""
    if not makes(function):
        return
    known = references(function.program)
    statics = {n for s in function.statements if isinstance(s, r.Declare) and s.static for n in s.names}
    counted = {
        text(event.node.callee.base)
        for event in function.flow.calls
        if isinstance(event.node.callee, r.Member)
        and (model := known.model(event.node, function)) is not None
        and model.has("retain", "receiver")
    }
    for statement in function.statements:
        if not isinstance(statement, r.Leave) or statement.kind != "return":
            continue
        for value in alternatives(statement.value):
            inner = strip(value)
            bare = isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and inner.callee.name == "ptr"
            held = strip(inner.callee.base) if bare else inner  # type: ignore[union-attr]
            if held is None or text(held) in counted:
                continue
            match held:
                case r.Name(text=name):
                    found = name in statics or name not in function.declared
                case r.Member():
                    found = True
                case r.Call(callee=r.Call(callee=r.Member(name="attr"))) if bare:
                    yield value
                    continue
                case _:
                    continue
            if found and "python object" in known.roles(held, function):
                yield value


def is_of_caster(function: Function) -> bool:
    return function.language == "cpp" and any(
        _stands_in(function, framework) for framework in function.program.models.frameworks.values()
    )


def _is(function: Function, fact: str) -> bool:
    return function.language == "cpp" and any(
        function.name in framework.facts.get(fact, "").split() and _stands_in(function, framework)
        for framework in function.program.models.frameworks.values()
    )


def _stands_in(function: Function, framework: FrameworkModel) -> bool:
    last = function.record.scope.rpartition("::")[2] if "<" not in function.record.scope else function.record.scope
    names = framework.facts.get("caster", "").split()
    return any(last == name or f"{name}<" in last for name in names)
