"""How far a function reaches that takes entries out of a table for objects which own others of their class: to one
object's entry, to those of one level of the tree, or to all below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint import Function, c_containers, containers, events, places, records, types
from ownlint_rules.registries import _answers as answers
from ownlint_rules.registries import _registries as registries

ONE, LEVEL, ALL = range(3)
_DEEPEST = 3
"""Calls that are followed to what takes the entries of parts out."""


class EndedOwner(NamedTuple):
    """`said` ends at an event, and what `member` leads to ends with it."""

    at: events.Event
    said: records.Value
    member: str


def reach(function: Function, takings: Sequence[events.Event], table: registries.AnyTable, ended: EndedOwner) -> int:
    """How far the function gets by all that it takes out."""
    if any(True for _ in registries.calls_of_itself(function)):
        return ALL  # each of those that are below comes by here
    return max((_reach(function, taking, table, ended) for taking in takings), default=ONE)


def _reach(
    function: Function, taking: events.Event, table: registries.AnyTable, ended: EndedOwner, depth: int = _DEEPEST
) -> int:
    """More than one entry may be taken out: for each turn of a loop, by what takes all or asks a lambda, by a function
    that calls itself, or in what is called."""
    own = ONE
    if _is_repeated(function, taking):
        own = LEVEL if _is_level(function, taking, ended) else ALL
    if own == ALL or not isinstance(taking, events.CallEvent):
        return own
    said = (*taking.node.args, taking.node.callee)
    if any(True for one in said for _ in registries.lambdas_in(function, one)):
        return ALL
    if registries.takes_out(function, taking.node, table):
        done = c_containers.table_call(function, taking.node)
        if done is not None and done.does == "take":
            return own if done.key is not None else ALL
        return own if places.last_name(taking.node.callee) in function.program.models.containers.erases else ALL
    known = registries.registries(function.program)
    takers = known.takers(table)
    for callee in function.program.calls.callee(taking.node, function).functions:
        inner: list[events.Event] = [*known.takings(callee, table)] if callee in takers else []
        if not inner and isinstance(table, registries.Registry):
            inner = answers.unlinked(callee, table)
        if depth == 0 or _comes_back(callee):
            return ALL
        below = max((_reach(callee, one, table, ended, depth - 1) for one in inner), default=ONE)
        own = own + below if below else own
    return min(own, ALL)


def loops(function: Function, event: events.Event) -> Iterator[records.Loop]:
    """The loops in which something happens."""
    return (
        one
        for one in function.statements
        if isinstance(one, records.Loop) and one.start <= event.span.start and event.span.end <= one.end
    )


def _comes_back(function: Function) -> bool:
    """Whether a function calls itself, or another that calls it."""
    if any(True for _ in registries.calls_of_itself(function)):
        return True
    callers = function.program.index.callers(function)
    return any(True for one in callers for _ in registries.calls_of(function, one))


def _is_repeated(function: Function, taking: events.Event) -> bool:
    """Whether a loop takes out what is another thing each time; not one that searches and then leaves, or goes on."""
    if function.flow.path(taking, lambda event: event.index == taking.index) is None:
        return False
    if not isinstance(taking, events.CallEvent):
        return not any(_compares_key(function, test.value) for test, _ in function.flow.guards(taking))
    names = {
        inner.text
        for argument in taking.node.args
        for inner in places.walk(argument)
        if isinstance(inner, records.Name)
    }
    return not names or any(
        not names.isdisjoint(places.names_in(loop.target))
        or any(
            write.span.start in loop.span and bool(write.place) and write.place[0] in names
            for write in function.flow.writes
        )
        for loop in loops(function, taking)
    )


def _compares_key(function: Function, asked: records.Value | None) -> bool:
    """Whether a condition compares a member of the entry with what the function is given."""
    given = {one.name for one in function.record.parameters if types.parse(one.type).pointers}
    return any(
        isinstance(inner, records.Binary)
        and inner.op in ("==", "!=")
        and any(isinstance(one, records.Name) and one.text in given for one in _sides(inner))
        and any(isinstance(one, records.Member) for one in _sides(inner))
        for inner in places.walk(asked)
    )


def _sides(value: records.Binary) -> tuple[records.Value | None, records.Value | None]:
    return places.strip(value.left), places.strip(value.right)


# --- one level ------------------------------------------------------------------------------------


def _is_level(function: Function, taking: events.Event, ended: EndedOwner) -> bool:
    """Whether a loop goes through what an object owns itself, or through siblings that end one by one there, and not
    through what those own."""
    around = [*loops(function, taking)]
    if len(around) != 1 or not isinstance(taking, events.CallEvent) or _comes_back(function):
        return False
    loop, args = around[0], taking.node.args
    if loop.kind == "range":
        name = places.strip(loop.target)
        if not isinstance(name, records.Name) or not any(places.is_name(one, name.text) for one in args):
            return False
        return _is_part(function, loop.iterable, ended.member) or _ends_there(function, loop, name.text, ended)
    return any(_is_indexed(function, one, loop, ended.member) for one in args) or any(
        _goes_along(function, loop, inner.text, ended)
        for inner in map(places.strip, args)
        if isinstance(inner, records.Name)
    )


def _is_part(function: Function, value: records.Value | None, member: str) -> bool:
    """Whether an expression is the member by which an object owns others, also by a method that answers with it."""
    for made in containers.made_from(function, value):
        inner = places.strip(made)
        if isinstance(inner, records.Unary) and inner.op in ("*", "&"):
            inner = places.strip(inner.value)
        if isinstance(inner, records.Member | records.Name) and places.last_name(inner) == member:
            return True
        if isinstance(inner, records.Call) and not inner.args:
            called = function.program.calls.callee(inner, function).functions
            if called and all(
                places.last_name(said) == member
                for one in called
                for leave in one.flow.leaves
                if isinstance(said := places.strip(leave.value), records.Member | records.Name)
            ):
                return any(leave.value is not None for one in called for leave in one.flow.leaves)
    return False


def _is_indexed(function: Function, value: records.Value | None, loop: records.Loop, member: str) -> bool:
    """Whether it is an element of that member, of an object that is the same in each turn."""
    for made in containers.made_from(function, value):
        inner = places.strip(made)
        base = inner.base if isinstance(inner, records.Index) else None
        if isinstance(inner, records.Call) and isinstance(inner.callee, records.Member) and len(inner.args) == 1:
            base = inner.callee.base
        if isinstance(inner, records.Unary) and inner.op == "*":
            base = _begun_at(function, inner.value)
        if base is not None and _is_part(function, base, member):
            roots = places.names_in(base)
            return not any(
                write.span.start in loop.span and bool(write.place) and write.place[0] in roots
                for write in function.flow.writes
            )
    return False


def _begun_at(function: Function, value: records.Value | None) -> records.Value | None:
    """The container of which something is an iterator, as far as it is first set to where that begins."""
    name = places.strip(value)
    for write in function.flow.writes if isinstance(name, records.Name) else ():
        made = places.strip(write.value)
        if (
            write.fresh
            and places.is_name(name, write.place[0] if write.place else "")
            and isinstance(made, records.Call)
        ):
            return made.callee.base if isinstance(made.callee, records.Member) and not made.args else None
    return None


def _goes_along(function: Function, loop: records.Loop, name: str, ended: EndedOwner) -> bool:
    """Whether a variable goes from one to the next by a member that is not the one which leads to what is owned, and
    starts where that leads, or at what ends in the loop."""
    writes = [write for write in function.flow.writes if write.place == (name,)]
    steps = [write for write in writes if write.span.start in loop.span and write.op == "=" and not write.fresh]
    begins = [write for write in writes if write not in steps]
    if not steps or not all(_next(function, write.value) not in ("", ended.member) for write in steps):
        return False
    starts = any(_is_part(function, write.value, ended.member) for write in begins)
    return starts or _ends_there(function, loop, name, ended)


def _next(function: Function, value: records.Value | None) -> str:
    """The member to which something leads on."""
    for made in containers.made_from(function, value):
        if isinstance(inner := places.strip(made), records.Member):
            return inner.name
    return ""


def _ends_there(function: Function, loop: records.Loop, name: str, ended: EndedOwner) -> bool:
    """Whether what has the name ends in each turn of the loop, which does nothing with what that owns."""
    if not places.is_name(ended.said, name) or ended.at.span.start not in loop.span:
        return False
    return not any(
        _is_part(function, inner, ended.member)
        for event in function.flow
        if event.span.start in loop.span and isinstance(event, events.Read)
        for inner in (event.node,)
    )
