"""Maps from addresses of C++ objects to their Python objects, as bindings keep them, and whether they lose entries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Class, Function, Program, assignments, duties, glance, questions, references, types
from ownlint import events as e
from ownlint import records as r

_SETS_ELEMENT = re.compile(glance.opens(r.Assign) + glance.opens(r.Index))
_NUMBERS = frozenset({"uintptr_t", "intptr_t"})


def kept_by_address(function: Function) -> Iterator[tuple[e.Event, str]]:
    """Where the function puts a Python object into such a map, and the name of the map, if nothing in the program
    takes entries out of it and somebody looks them up."""
    keyed = function.program.models.containers.keyed
    if not (function.mentions_any(keyed) or function.says(_SETS_ELEMENT)):
        return
    for event in function.flow:
        held = _put_into(event, keyed)
        name = _name(function, held)
        if held is None or not name or not _is_wrapper_map(function, held):
            continue
        taken, searched = _touched(function.program)
        if name not in taken and name in searched and not _is_handed_on(function.program, name):
            yield event, name


def _put_into(event: e.Event, keyed: frozenset[str]) -> r.Value | None:
    match event:
        case e.Write(target=r.Index(base=base)):
            return base
        case e.CallEvent(node=r.Call(callee=r.Member(base=base, name=name))) if name in keyed:
            return base
    return None


def _name(function: Function, value: r.Value | None) -> str:
    """The last name of the map: a member's, a variable's or that of the accessor whose object it is, whatever a
    reference to it is called."""
    held = assignments.place(function, value)
    return "" if held is None else held[-1]


def _is_wrapper_map(function: Function, value: r.Value) -> bool:
    program, file, scope = function.program, function.file, function.record.scope
    written = program.names.expand(program.types.of(value, function), file, scope)
    kind = types.parse(written)
    if len(kind.arguments) < 2 or "associative" not in program.types.roles_at(kind.name, file, scope):
        return False
    key = types.parse(program.names.expand(kind.arguments[0], file, scope))
    held = program.names.expand(kind.arguments[1], file, scope)
    if "*" in held or references.OBJECTS.isdisjoint(program.types.roles_at(held, file, scope)):
        return False
    if key.pointers == 1:
        return key.last == "void" or key.last in program.names.bound_types or key.last in _owned(program)
    return not key.pointers and key.last in _NUMBERS


@questions.program_question
def _owned(program: Program) -> frozenset[str]:
    """Last names of the classes whose objects an owner in some class ends, such as a `std::unique_ptr`."""
    found: set[str] = set()
    for cls in program.classes:
        for field in cls.record.fields if cls.file.language == "cpp" else ():
            found.update(_owned_in(types.parse(field.type), cls))
    return frozenset(found)


def _owned_in(kind: types.Type, cls: Class, depth: int = 3) -> Iterator[str]:
    roles = set(cls.program.types.roles_at(kind.name, cls.file, cls.symbol)) if kind.arguments else set[str]()
    for argument in kind.arguments if depth else ():
        inner = types.parse(argument)
        if roles & duties.OWNING:
            yield inner.last
        yield from _owned_in(inner, cls, depth - 1)


@questions.program_question
def _touched(program: Program) -> tuple[frozenset[str], frozenset[str]]:
    """Last names of what entries are taken out of, or is handed on; and of what is searched."""
    taken: set[str] = set()
    searched: set[str] = set()
    methods = program.models.containers
    for function in program.functions:
        if function.language != "cpp":
            continue
        for event in function.flow.calls if _may_touch(function) else ():
            call = event.node
            if isinstance(call.callee, r.Member):
                own = _name(function, call.callee.base)
                if call.callee.name in methods.takes:
                    taken.add(own)
                elif call.callee.name in methods.looks:
                    searched.add(own)
    return frozenset(taken), frozenset(searched)


def _may_touch(function: Function) -> bool:
    methods = function.program.models.containers
    return function.mentions(*methods.takes, *methods.looks)


def _is_handed_on(program: Program, name: str) -> bool:
    """Whether a function gives the map to another, returns it or assigns to it."""
    said = name.removesuffix("()").rpartition("::")[2].encode()
    for function in program.functions:
        if function.language != "cpp" or said not in function.encoded:
            continue
        for event in function.flow:
            match event:
                case e.CallEvent(node=call) if any(_name(function, argument) == name for argument in call.args):
                    return True
                case e.LeaveEvent(value=value) | e.Write(target=r.Name() | r.Member() as value, fresh=False) if (
                    _name(function, value) == name
                ):
                    return True
    return False
