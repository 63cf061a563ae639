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
    locking = locks.locking(function.program)
    known = acquired.acquisitions(function.program)
    done: set[int] = set()
    for wait in known.waits_under_lock(function):
        event = function.flow.events[wait.at]
        for held in sorted(locking.held(function).get(wait.at, ())):
            if wait.at in done or held.lock in wait.given_up or not _is_waited_for(held, locking, function):
                continue
            if _is_given(event, held) or not _is_same(known, function, held.lock, wait):
                continue
            done.add(wait.at)
            shown = assignments.spelled(function, held.lock)
            yield Again(event, shown, wait, known.runs(function, event), locking.taker(function, held.lock, event))


def _is_waited_for(held: locks.HeldLock, locking: locks.Locking, function: Function) -> bool:
    """Whether the thread has waited for a lock, alone or as a reader, or its caller has: nobody lets it go meanwhile.
    What waits for it again waits for all readers to be gone."""
    if held.guard == locks.CALLERS or held in locking.shared(function):
        return True
    return any(held in own for own in locking.taken(function).values())


def _is_same(known: acquired.Acquisitions, function: Function, lock: places.Place, wait: acquired.Wait) -> bool:
    key = known.key(function, lock)
    return key is not None and key == wait.key and not key.again and (key.single or lock == wait.lock)


def _is_given(event: e.Event, held: locks.HeldLock) -> bool:
    """Whether the call gets the guard, and may give the lock up."""
    args = event.node.args if isinstance(event, e.CallEvent) and held.guard else ()
    return any(isinstance(part, r.Name) and part.text == held.guard for one in args for part in places.walk(one))
