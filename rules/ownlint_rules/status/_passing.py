"""Objects that end with the run that failed: nobody comes back to a half-done one.

A class whose objects are nowhere but in locals, of functions that leave when a call on them fails, is used once and
thrown away: `Serializer serializer(out); if (failed(serializer.Run())) return failure();`. What a failure
leaves in such an object misleads nobody.
"""

from __future__ import annotations

import re

from ownlint import Class, Function, Program, exceptions, failure, questions, types
from ownlint import events as e
from ownlint import records as r

_WORD = re.compile(r"[A-Za-z_]\w*\b(?!::)")
"""Of `Writer::Mark<Row>` these are `Mark` and `Row`: a class that another lies in is not meant."""
_MOST_MAKERS = 40
"""A class that more functions than that make is one of the project's common things."""


def ends_with_failure(function: Function) -> bool:
    """Whether every object that the method can be called on is a local of somebody who gives up when it fails."""
    if function.home is None:
        return False
    family = _family(function.home)
    names = {cls.name for cls in family}
    if not names.isdisjoint(_kept_types(function.program)):
        return False
    makers = [maker for maker in function.program.functions if maker.language == "cpp" and _says_any(maker, names)]
    found = False
    for maker in makers[: _MOST_MAKERS + 1]:
        made = _made(maker, names)
        if made is None:
            return False
        for name in made:
            if not _gives_up(maker, name):
                return False
            found = True
    return found and len(makers) <= _MOST_MAKERS


def _family(cls: Class) -> list[Class]:
    """The class and those that derive from it."""
    return [cls, *(other for other in cls.program.classes if other is not cls and cls in other.ancestry)]


@questions.program_question
def _kept_types(program: Program) -> frozenset[str]:
    """All words in the types of fields and of variables outside of functions, but for what these only refer to: a
    local may have helpers that know it."""
    written = {field.type for cls in program.classes for field in cls.record.fields}
    written |= {variable.type for file in program.files.values() for variable in file.variables}
    return frozenset(word for one in written if not _is_plain_reference(one) for word in _WORD.findall(one))


def _is_plain_reference(written: str) -> bool:
    kind = types.parse(written)
    return bool(kind.pointers or kind.reference) and not kind.arguments


def _says_any(function: Function, names: set[str]) -> bool:
    body = function.encoded
    return any(name.encode() in body for name in names)


def _made(maker: Function, names: set[str]) -> list[str] | None:
    """The locals of these types that a function declares; None where it makes one that may live on."""
    locals_: list[str] = []
    for statement in maker.statements:
        match statement:
            case r.Declare(names=declared, type=written, static=static):
                kind = types.parse(written)
                if kind.last in names and kind.is_value:
                    if static:
                        return None
                    locals_ += declared
                elif any(word in names for word in _WORD.findall(written)) and not (kind.pointers or kind.reference):
                    return None
    for call in maker.flow.calls:
        node = call.node
        words = set(_WORD.findall(node.template))
        if node.kind == "new" and isinstance(node.callee, r.Name):
            words.add(types.parse(node.callee.text).last)
        if not words.isdisjoint(names) and (node.kind == "new" or node.template):
            return None
    return locals_


def _gives_up(maker: Function, name: str) -> bool:
    """Whether the function leaves where a call on the local fails, and catches nothing that it throws."""
    calls = [c for c in maker.flow.calls if (c.receiver and c.receiver[0] == name) or _is_given(c, name)]
    if any(exceptions.is_caught(maker, call) for call in calls):
        return False
    results = [maker.program.calls.result_type(call.node, maker) for call in calls]
    told = [
        call
        for call, written in zip(calls, results, strict=True)
        if maker.program.statuses.of(written, maker) is not None
    ]
    if not told:
        return bool(calls)
    causes = {id(failed.cause) for failed in failure.failures(maker)}
    return all(id(call) in causes for call in told)


def _is_given(call: e.CallEvent, name: str) -> bool:
    return any(isinstance(argument, r.Name) and argument.text == name for argument in call.node.args)
