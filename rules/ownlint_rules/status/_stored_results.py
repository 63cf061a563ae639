"""What happens to a result that a local stores: a test or something else reads it, or the next value overwrites it."""

from __future__ import annotations

from collections.abc import Callable

from ownlint import Function, places, statements
from ownlint import events as e
from ownlint import records as r

NEXT_ITERATION = "overwritten by the next iteration"


def lost(function: Function, write: e.Write, voided: frozenset[int]) -> tuple[str, e.Event | None]:
    """How the status in a local is lost, and where the next one overwrites it; empty where something may read it. What
    is `voided` are casts to void."""
    name = write.place[0]
    if name in captured(function):
        return "", None

    def is_replaced(event: e.Event) -> bool:
        return replaces(event, write)

    def is_read(event: e.Event) -> bool:
        return reads(event, name, voided)

    if function.flow.path(write, is_read, is_replaced) is not None:
        return (NEXT_ITERATION if _is_lost_in_a_loop(function, write) else ""), None
    if any(reads(event, name) for event in function.flow.after(write, is_replaced)):
        return "cast to void", None
    then = first_after(function, write, is_replaced)
    return ("overwritten" if then is not None else "never read"), then


def first_after(function: Function, write: e.Write, wanted: Callable[[e.Event], bool]) -> e.Event | None:
    """The first such event on the paths from a write; those further down before those of the next iteration."""
    found = [event for event in function.flow.after(write) if wanted(event)]
    return min(found, key=lambda event: (event.index < write.index, event.index), default=None)


def _is_lost_in_a_loop(function: Function, write: e.Write) -> bool:
    """Whether every iteration of a loop writes it and none reads it, so that only the last one is known in the end."""
    if write.fresh:
        return False
    loops = [s for s in function.statements if isinstance(s, r.Loop) and write.span.start in s.span]
    if not loops or any(isinstance(s, (r.Leave, r.Opaque)) for s in statements(loops[-1].body)):
        return False
    round_trip = function.flow.path(write, lambda event: event is write, lambda event: reads(event, write.place[0]))
    condition = loops[-1].condition
    return round_trip is not None and all(
        condition is not None and event.span.start in condition.span
        for event in round_trip
        if isinstance(event, e.Test)
    )


def replaces(event: e.Event, write: e.Write) -> bool:
    return isinstance(event, e.Write) and event is not write and event.place == write.place


def reads(event: e.Event, name: str, except_at: frozenset[int] = frozenset()) -> bool:
    if isinstance(event, e.Read):
        return event.place[0] == name and event.span.start not in except_at
    return isinstance(event, e.OpaqueEvent)


def tests(event: e.Event, name: str) -> bool:
    """Whether the event is a test that reads the local."""
    return isinstance(event, e.Test) and name in places.names_in(event.value)


def is_checked(function: Function, write: e.Write) -> bool:
    """Whether a test reads it before the next value is written."""

    def is_replaced(event: e.Event) -> bool:
        return replaces(event, write)

    return any(tests(event, write.place[0]) for event in function.flow.after(write, is_replaced))


def captured(function: Function) -> frozenset[str]:
    """Locals a lambda may look at."""
    return frozenset(name for inner in function.lambdas() for name in function.locals if name.encode() in inner.encoded)
