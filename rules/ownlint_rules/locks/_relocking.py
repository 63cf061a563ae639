"""Locks that a function takes while it, or who calls it, holds them: the thread then waits for itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, acquired, assignments, locks, places
from ownlint import events as e
from ownlint import records as r


class Again(NamedTuple):
    """`event` waits for `lock`, which is held there; `callee` is called there and takes it, if it is not taken there
    and then. `first` has taken it, unless the function's caller has."""

    event: e.Event
    lock: str
    wait: acquired.Wait
    callee: Function | None
    first: e.Event | None


def taken_again(function: Function) -> Iterator[Again]:
    """What waits for a lock that the function holds."""
    known = acquired.acquisitions(function.program)
    waits = known.waits_under_lock(function)
    held = known.locking.held(function) if waits else {}
    by_kind = _waited_for(function) if waits else {}
    done: set[int] = set()
    for wait in waits:
        event = function.flow.events[wait.at]
        for one in by_kind.get(wait.key, ()) if wait.at not in done else ():
            if one not in held.get(wait.at, ()) or one.lock in wait.given_up or _is_given(event, one):
                continue
            if one.lock == wait.lock or wait.key.single:
                done.add(wait.at)
                shown = assignments.spelled(function, one.lock)
                taker = known.locking.taker(function, one.lock, event)
                yield Again(event, shown, wait, known.runs(function, event), taker)
                break


def _waited_for(function: Function) -> dict[acquired.Key, list[locks.HeldLock]]:
    """By their kinds the locks that a function holds somewhere and that the thread has waited for, alone or as a
    reader, or its caller has: nobody lets them go meanwhile. What waits for one again waits for all readers to be
    gone."""
    locking = locks.locking(function.program)
    waited_for = locking.shared(function).union(*locking.taken(function).values())
    held: frozenset[locks.HeldLock] = frozenset().union(*set(locking.held(function).values()))
    kinds = acquired.kinds(function)
    found: dict[acquired.Key, list[locks.HeldLock]] = {}
    for one in sorted(held):
        key = kinds.get(one.lock)
        if key is not None and not key.again and (one.guard == locks.CALLERS or one in waited_for):
            found.setdefault(key, []).append(one)
    return found


def _is_given(event: e.Event, held: locks.HeldLock) -> bool:
    """Whether the call gets the guard, and may give the lock up."""
    args = event.node.args if isinstance(event, e.CallEvent) and held.guard else ()
    return any(isinstance(part, r.Name) and part.text == held.guard for one in args for part in places.walk(one))
