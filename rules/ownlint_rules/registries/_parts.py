"""Objects that end others of their class when they end, as a tree's nodes do: who destroys one, and takes its entry out
of a map that is keyed by addresses, has to take out those of its parts as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, events, natives, places, records, types
from ownlint_rules.registries import _companions as companions
from ownlint_rules.registries import _owners as owners
from ownlint_rules.registries import _registries as registries

_DEEPEST = 3
"""Calls that are followed to whoever takes the entries of parts out."""


class EndOfParts(NamedTuple):
    """`function` destroys `said` at an event, and what is part of it, `member`; of the entries in `table` it takes its
    own out, at `taking`."""

    function: Function
    at: events.Event
    said: records.Value
    member: str
    table: str
    taking: events.CallEvent


def left(home: Class) -> Iterator[EndOfParts]:
    """For the maps of a class, each function that does so, at the first place."""
    program, known = home.program, registries.registries(home.program)
    for field in home.record.fields:
        key = registries.address_key(home, field)
        part = program.names.find_class(key.name, home.symbol, home.file) if key is not None else None
        member = _parts_of(part) if part is not None else ""
        if part is None or not member:
            continue
        table = registries.AnyRegistry((field.name,), field.name, home, home.path, field.span)
        takers = known.takers(table)
        if part.destructor in takers or any(one.home is part for one in takers):
            continue  # an object takes itself out, or its parts
        seen: set[Function] = set()
        for function, at, said in owners.ends(program).get(part.name, ()):
            takings = known.takings(function, table) if function in takers else []
            if function not in seen and takings and not any(_is_for_all(function, one, table) for one in takings):
                seen.add(function)
                yield EndOfParts(function, at, said, member, field.name, takings[0])


def _parts_of(cls: Class) -> str:
    """The member of a class by which an object owns others of it; empty for none."""
    for field in cls.record.fields:
        written = types.parse(cls.program.names.expand(field.type, cls.file, cls.symbol))
        for argument in (field.type, *written.arguments):
            held, is_shared = companions.owned(cls, argument)
            if held == cls.name and not is_shared:
                return field.name
    destructor = cls.destructor
    if destructor is None:
        return ""
    for call, kind, said in natives.destroys(destructor, natives.natives(cls.program)):
        loop = next((one for one in _loops(destructor, call) if one.iterable is not None), None)
        named = places.last_name(loop.iterable) if loop is not None and loop.iterable is not None else ""
        if kind == cls.name and (named or places.last_name(said)):
            return named or places.last_name(said)
    return ""


def _loops(function: Function, event: events.Event) -> Iterator[records.Loop]:
    return (
        one
        for one in function.statements
        if isinstance(one, records.Loop) and one.start <= event.span.start and event.span.end <= one.end
    )


def _is_for_all(
    function: Function, taking: events.CallEvent, table: registries.AnyRegistry, depth: int = _DEEPEST
) -> bool:
    """Whether more than one entry may be taken out there: in a loop, by what takes all or asks a lambda, by a function
    that calls itself, or in what is called."""
    if any(function.flow.loops_over(taking.span.start)):
        return True
    if any(isinstance(places.strip(argument), records.Lambda) for argument in taking.node.args):
        return True
    if registries.takes_out(function, taking.node, table):
        return places.last_name(taking.node.callee) not in function.program.models.containers.erases
    known = registries.registries(function.program)
    takers = known.takers(table)
    for callee in function.program.calls.callee(taking.node, function).functions:
        inner = known.takings(callee, table) if callee in takers else []
        is_recursive = any(one.node is not taking.node and _calls(callee, one, callee) for one in callee.flow.calls)
        if depth == 0 or is_recursive or any(_is_for_all(callee, one, table, depth - 1) for one in inner):
            return True
    return False


def _calls(function: Function, call: events.CallEvent, target: Function) -> bool:
    named = places.last_name(call.node.callee) == target.name
    return named and target in function.program.calls.callee(call.node, function).functions
