"""Members that a call is given by `std::move`, and whether they look empty afterwards.

A smart pointer that was moved from is null. An optional, or a status with a value, still has a value: one that is
moved from, which is what nobody who asks it can see.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Place, assignments, glance, places, types
from ownlint import events as e
from ownlint import records as r

_ASKS = frozenset({"has_value", "ok", "operator bool", "is_some", "is_none"})


class Consumed(NamedTuple):
    """`call` takes what `member` holds."""

    call: e.CallEvent
    member: Place
    name: str


def consumed(function: Function) -> Iterator[Consumed]:
    """The calls that are given a member which still has a value when that has been moved out of it."""
    if function.home is None or not function.mentions("move") or not _says_engaged(function, function.home):
        return
    for call in function.flow.calls:
        if call.index not in function.flow.reachable or places.last_name(call.node.callee) in ("move", "value"):
            continue
        for given in (places.receiver(call.node), *call.node.args):
            member = _moved(function, given)
            if member is not None and _stays_engaged(function, member):
                yield Consumed(call, member, member[1])


def _says_engaged(function: Function, home: Class) -> bool:
    """Whether the body names a member that may be one; needs no decoding."""
    return any(glance.says(function, name) and _stays_engaged(function, (places.THIS, name)) for name in home.members)


def _moved(function: Function, value: r.Value | None) -> Place | None:
    """The member in `std::move(member)`, `*std::move(member)`, `std::move(*member)`, `std::move(member).value()`."""
    inner = value
    moved = False
    while inner is not None:
        match inner:
            case r.Call(callee=callee, args=(argument,), kind="call") if places.last_name(callee) == "move":
                moved, inner = True, argument
            case r.Unary(op="*", value=pointee):
                inner = pointee
            case r.Call(callee=r.Member(base=base, name="value"), args=()):
                inner = base
            case _:
                break
    where = assignments.place(function, inner) if moved and isinstance(inner, r.Name | r.Member) else None
    return where if where is not None and len(where) == 2 and where[0] == places.THIS else None


def _stays_engaged(function: Function, member: Place) -> bool:
    found = function.home.field(member[1]) if function.home is not None else None
    if found is None or found[1].static:
        return False
    cls, field = found
    roles = function.program.types.roles_at(field.type, cls.file, cls.symbol)
    if "optional" in roles:
        return True
    expanded = function.program.names.expand(field.type, cls.file, cls.symbol)
    return bool(types.parse(expanded).arguments) and function.program.statuses.of(expanded, function) is not None


def empties(function: Function, event: e.Event, member: Place) -> bool:
    """Whether an event puts something else into the member, or may."""
    match event:
        case e.Write(place=where):
            return places.covers(where, member) and not event.fresh
        case e.CallEvent(node=node, receiver=on):
            name = places.last_name(node.callee)
            if on == member and name in _renewing(function):
                return True
            return _may_empty(function, node, member)
    return False


def _may_empty(function: Function, node: r.Call, member: Place) -> bool:
    """A method of the same object that names the member and changes something."""
    one = assignments.own_method(function, node)
    return (
        one is not None
        and one is not function
        and glance.says(one, member[1])
        and (one.mentions("=" + member[1]) or one.mentions_any(_renewing(one)))
    )


def ended_by_guard(function: Function, member: Place) -> bool:
    """Whether a lambda of the function knows the member: a cleanup, more often than not."""
    return any(glance.says(inner, member[1]) for inner in function.running_lambdas())


def asked(function: Function, member: Place) -> tuple[Function, e.Event] | None:
    """A condition of the class that asks if the member has a value: in this function first."""
    if function.home is None:
        return None
    for other in (function, *(m for cls in function.home.ancestry for m in cls.methods if m is not function)):
        if other.record.kind in ("constructor", "destructor") or not glance.says(other, member[1]):
            continue
        for event in other.flow:
            if isinstance(event, e.Test) and not event.asserted and _asks(other, event.value, member):
                return other, event
    return None


def _asks(function: Function, value: r.Value, member: Place) -> bool:
    inner = places.strip(value)
    match inner:
        case r.Name() | r.Member():
            return assignments.place(function, inner) == member
        case r.Call(callee=r.Member(base=base, name=name), args=()) if name in _ASKS:
            return assignments.place(function, base) == member
        case r.Unary(op="!" | "not", value=negated):
            return _asks(function, negated, member)
        case r.Binary(op="==" | "!=" | "&&" | "||"):
            return any(_asks(function, child, member) for child in places.children(inner))
    return False


def _renewing(function: Function) -> frozenset[str]:
    return function.program.models.containers.empties | {"emplace", "value_or"}
