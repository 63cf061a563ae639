"""Atomics that tell other threads that something is ready, and are set before it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Place, habits, locks, places
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.locks import _lazily as lazily

_WON = {
    "exchange": (0, False),
    "test_and_set": (-1, False),
    "compare_exchange_strong": (1, True),
    "compare_exchange_weak": (1, True),
}
"""Who sets an atomic and is told whether it was unset: which argument it is set to, and what the one who did it is
told."""


class Announced(NamedTuple):
    """`act` sets the atomic `place`, and `work` is done behind it by the one who found it unset."""

    act: e.Event
    place: Place
    work: e.Event


def announced(function: Function) -> Iterator[Announced]:
    """In source order, one for each atomic."""
    if function.language != "cpp" or not function.mentions(*_WON, "store"):
        return
    if function.record.kind in ("constructor", "destructor"):
        return  # nobody else has the object
    seen: set[Place] = set()
    held: dict[int, locks.Locks] | None = None
    for call in function.flow.calls:
        place = call.receiver
        if place is None or place in seen or not _is_set(call.node) or not _says_ready(place[-1]):
            continue
        if not _is_atomic(function, place):
            continue
        held = locks.locking(function.program).held(function) if held is None else held
        work = next(_work(function, call, place), None)
        if work is not None and not held.get(call.index):
            seen.add(place)
            yield Announced(call, place, work)


def _is_set(call: r.Call) -> bool:
    name = places.last_name(call.callee)
    position = 0 if name == "store" else _WON.get(name, (-2, False))[0]
    if position < 0:
        return position == -1
    given = places.strip(call.args[position]) if position < len(call.args) else None
    return isinstance(given, r.Literal) and given.text in ("true", "1")


def _says_ready(name: str) -> bool:
    return habits.READY.search(name) is not None and habits.NOT_READY.search(name) is None


def _is_atomic(function: Function, place: Place) -> bool:
    written, file, scope = lazily.declared(function, place)
    return bool(written) and "atomic" in function.program.types.roles_at(written, file, scope)


def _work(function: Function, act: e.CallEvent, place: Place) -> Iterator[e.Event]:
    """What is done behind the act by the one who found the atomic unset: members are set, here or in a function of the
    project."""
    for event in function.flow.after(act):
        if not _is_of_finder(function, event, act, place):
            continue
        match event:
            case e.Write(fresh=False, place=(places.THIS, name)) if name != place[-1]:
                yield event
            case e.CallEvent(node=node) if event is not act:
                reached = function.program.calls.callee(node, function).functions
                if any(word.startswith("=") for one in reached for word in one.mentioned):
                    yield event


def _is_of_finder(function: Function, event: e.Event, act: e.CallEvent, place: Place) -> bool:
    """Whether it happens where the atomic was found unset, by the act itself or by a look before it."""
    won = _WON.get(places.last_name(act.node.callee))
    for test, outcome in function.flow.guards(event):
        if won is not None:
            if act.span.start in test.value.span and test.value.span.end <= act.span.end and outcome is won[1]:
                return True
        elif places.says(test.value, place[-1]):
            return not outcome and any(one is test for one, _ in function.flow.guards(act))
    return False
