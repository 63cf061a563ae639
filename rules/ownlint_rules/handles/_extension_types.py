"""Objects of an extension's own types, by CPython's interface: what one frees when it is gone, and which others are
made of a part of that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, assignments, events, natives, places, questions, types, validity
from ownlint import records as r


class Owned(NamedTuple):
    """A member of a struct, which `function` destroys at `at`."""

    cls: Class
    field: str
    function: Function
    at: events.CallEvent


class BorrowedPart(NamedTuple):
    """At `at`, what comes out of an owned member of `self` gets into `field` of a new object of the type `made`, which
    Python gets, by the function itself or by one that it calls; nothing there keeps `self` alive."""

    function: Function
    at: events.Event
    made: Class
    field: str
    self: str
    owned: Owned


@questions.program_question
def borrowed(program: Program) -> list[BorrowedPart]:
    """In source order."""
    owned = _owned(program)
    if not owned:
        return []
    return [
        found
        for function in program.functions
        if function.language == "cpp" and function.home is None and _makes_objects(function)
        for found in _of(function, owned)
    ]


def _owned(program: Program) -> dict[tuple[str, str], Owned]:
    """By struct and member: what a function that is given the struct destroys of it."""
    known, valid = natives.natives(program), validity.of(program)
    found: dict[tuple[str, str], Owned] = {}
    for function in program.functions:
        if function.language != "cpp" or function.home is not None or len(function.record.parameters) != 1:
            continue
        parameter = function.record.parameters[0]
        cls = valid.class_of_parameter(function, parameter)
        if cls is None:
            continue
        for call in function.flow.calls:
            destroyed = known.destroyed(function, call.node)
            where = assignments.place(function, destroyed[1]) if destroyed is not None else None
            if where is not None and len(where) == 2 and where[0] == parameter.name:
                found.setdefault((cls.symbol, where[1]), Owned(cls, where[1], function, call))
    return found


def _makes_objects(function: Function) -> bool:
    """Whether it names what makes an object. Needs no decoding."""
    return not _makers(function.program).isdisjoint(function.mentioned)


@questions.program_question
def _makers(program: Program) -> frozenset[str]:
    """Last names of the interface's functions that answer with a new reference."""
    return program.models.functions_that(lambda model: model.counted and model.has("acquire", "result"))


def _of(function: Function, owned: dict[tuple[str, str], Owned]) -> Iterator[BorrowedPart]:
    made = dict(_made(function))
    for write in function.flow.writes if made else ():
        if len(write.place) != 2 or write.place[0] not in made or write.value is None:
            continue
        cls = made[write.place[0]]
        if (cls.symbol, write.place[1]) in owned or not _is_pointer(cls, write.place[1]):
            continue
        if not _is_returned(function, write.place[0]):
            continue
        given = [parameter.name for parameter in function.record.parameters]
        value = places.strip(write.value)
        if isinstance(value, r.Name) and value.text in given:
            yield from _by_callers(function, write, cls, given.index(value.text), owned)
        found = _source(function, write.value, owned)
        if found is None or found[1].cls is cls:
            continue
        if not _keeps(function, write.place[0], _aliases(function, found[0])):
            yield BorrowedPart(function, write, cls, write.place[1], *found)


def _by_callers(
    function: Function, write: events.Write, cls: Class, position: int, owned: dict[tuple[str, str], Owned]
) -> Iterator[BorrowedPart]:
    """Where the function is given what it puts there, by those who have the owner and do not give that."""
    for caller in function.program.index.callers(function):
        for call in caller.flow.calls if caller is not function and caller.home is None else ():
            if position >= len(call.node.args) or places.last_name(call.node.callee) != function.name:
                continue
            if function not in function.program.calls.callee(call.node, caller).functions:
                continue
            into = call.into[0] if call.into else ""
            found = _source(caller, call.node.args[position], owned)
            if found is None or found[1].cls is cls:
                continue
            if not _keeps(caller, into, _aliases(caller, found[0])):
                yield BorrowedPart(caller, call, cls, write.place[1], *found)


def _struct(function: Function, value: r.Value | None) -> tuple[str, Class] | None:
    """The name, and the struct, of what a value is that the function was given: a parameter, or one that is taken for
    such a struct."""
    program, inner = function.program, places.strip(value)
    if not isinstance(inner, r.Name):
        return None
    parameter = next((one for one in function.record.parameters if one.name == inner.text), None)
    written, initial = function.locals.get(inner.text, ("", None))
    if isinstance(value, r.Cast):
        written = value.type
    elif parameter is not None:
        written = parameter.type
    elif not isinstance(places.strip(initial), r.Name):
        return None
    kind = types.parse(initial.type if types.parse(written).is_placeholder and isinstance(initial, r.Cast) else written)
    found = program.names.find_class(kind.name, function.record.scope, function.file)
    return (inner.text, found) if found is not None and kind.pointers else None


def _made(function: Function) -> Iterator[tuple[str, Class]]:
    """The locals that take a new object."""
    makers = _makers(function.program)
    for name, (written, value) in function.locals.items():
        call = places.strip(value)
        if isinstance(call, r.Call) and places.last_name(call.callee) in makers:
            kind = types.parse(value.type if isinstance(value, r.Cast) else written)
            cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
            if cls is not None:
                yield name, cls


def _is_pointer(cls: Class, name: str) -> bool:
    found = cls.field(name)
    return found is not None and types.parse(found[1].type).pointers == 1


def _source(function: Function, value: r.Value | None, owned: dict[tuple[str, str], Owned]) -> tuple[str, Owned] | None:
    """The owned member, and the name of its object, out of which a value is taken: by a call that is given it, or as a
    part of it."""
    inner = places.strip(value)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        initial = function.locals[inner.text][1]
        return _source(function, initial, owned) if initial is not inner else None
    for part in places.walk(inner):
        if isinstance(part, r.Member) and part is not inner and (of := _struct(function, part.base)) is not None:
            one = owned.get((of[1].symbol, part.name))
            if one is not None:
                return of[0], one
    return None


def _aliases(function: Function, name: str) -> frozenset[str]:
    """The names that the object has in the function."""
    initial = places.strip(function.locals[name][1]) if name in function.locals else None
    return frozenset({name, initial.text} if isinstance(initial, r.Name) else {name})


def _keeps(function: Function, made: str, owner: frozenset[str]) -> bool:
    """Whether the new object, or somebody whom nobody sees through, may keep the owner: it is stored there, its count
    goes up, or it is given away whole."""

    def is_owner(value: r.Value | None) -> bool:
        inner = places.strip(value)
        return isinstance(inner, r.Name) and inner.text in owner

    for event in function.flow:
        match event:
            case events.Write(place=(first, *_, _), value=value) if first == made and value is not None:
                if any(isinstance(inner, r.Name) and inner.text in owner for inner in _whole(value)):
                    return True
            case events.CallEvent(node=call):
                if any(map(is_owner, call.args)):
                    return True
    return False


def _is_returned(function: Function, made: str) -> bool:
    answers = (places.strip(leave.value) for leave in function.flow.leaves if leave.kind == "return")
    return any(isinstance(inner, r.Name) and inner.text == made for inner in answers)


def _whole(value: r.Value) -> Iterator[r.Value]:
    """The parts of a value that are no member of something."""
    stack = [value]
    while stack:
        inner = stack.pop()
        if not isinstance(inner, r.Member):
            yield inner
            stack += places.children(inner)
