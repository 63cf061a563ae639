"""Locks that a function takes while who calls it holds them: the thread then waits for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Place, locks, once, places, types
from ownlint import events as e
from ownlint import locks as locking_of
from ownlint import records as r

_DEEPEST = 3
_WORD = re.compile(r"\w+")
_TRIES = frozenset({"try_to_lock", "try_to_lock_t", "defer_lock", "defer_lock_t"})


class Again(NamedTuple):
    """`event` calls `callee`, which takes `lock`, at `at` in `where`."""

    event: e.Event
    lock: str
    callee: Function
    where: Function
    at: e.Event


class _Taken(NamedTuple):
    lock: Place
    where: Function
    at: e.Event


def taken_again(function: Function) -> Iterator[Again]:
    """The calls made with a lock held that the callee takes once more."""
    locking = locking_of.locking(function.program)
    if function.language != "cpp" or not (locking.may_lock(function) or locking_of.required(function)):
        return
    states = locking.held(function)
    for event in function.flow:
        held = [
            one.lock for one in states.get(event.index, ()) if _is_plain(function, one) and not _is_given(event, one)
        ]
        callee = _callee(function, event) if held else None
        if callee is None or callee is function:
            continue
        for taken in _takes(callee, 0):
            lock = _outside(function, event, callee, taken.lock)
            if lock is not None and any(_name(function, one) == _name(function, lock) for one in held):
                yield Again(event, "::".join(_shown(lock)), callee, taken.where, taken.at)
                break


def _is_given(event: e.Event, held: locks.Held) -> bool:
    """Whether the call gets the guard, and may give the lock up."""
    args = event.node.args if isinstance(event, e.Call) and held.guard else ()
    return any(isinstance(part, r.Name) and part.text == held.guard for one in args for part in places.walk(one))


def _shown(lock: Place) -> Place:
    return lock[1:] if lock[0] == places.THIS and len(lock) > 1 else lock


def _callee(function: Function, event: e.Event) -> Function | None:
    """The one function that runs, where that is clear."""
    match event:
        case e.Call(node=node) if node.kind == "call":
            found = function.program.callee(node, function)
            bodies = found.functions
            if len(bodies) == 1 and found.certainty == "certain" and "virtual" not in bodies[0].record.qualifiers:
                return bodies[0]
        case e.Call(node=r.Call(kind="construct" | "new", callee=r.Name(text=name), args=args)):
            return _constructor(function, name, len(args))
        case e.Write(fresh=True, value=None, type=written) if written and types.parse(written).is_value:
            return _constructor(function, written, 0)
    return None


def _constructor(function: Function, written: str, given: int) -> Function | None:
    cls = function.program.find_class(
        function.program.expand(written, function.file, function.record.scope), function.record.scope, function.file
    )
    fitting = [one for one in cls.constructors if len(one.record.parameters) == given] if cls is not None else []
    return fitting[0] if len(fitting) == 1 else None


@once.per_function
def _own(function: Function) -> tuple[_Taken, ...]:
    """The locks that the body itself takes and waits for, each where it is first held."""
    locking = locking_of.locking(function.program)
    if not locking.may_lock(function) or _is_given_guard(function):
        return ()
    found: dict[Place, _Taken] = {}
    for index, held in sorted(locking.held(function).items()):
        for one in sorted(held):
            if one.guard != locks.CALLERS and _is_plain(function, one):
                found.setdefault(one.lock, _Taken(one.lock, function, function.flow.events[index]))
    expected = {one.lock for one in locking.held(function).get(function.flow.entry, ()) if one.guard == locks.CALLERS}
    return tuple(
        one for lock, one in found.items() if lock not in expected and not locking.lets_go(function, lock, one.at)
    )


def _is_given_guard(function: Function) -> bool:
    """Whether who calls hands its guard over, by whatever pointer."""
    words = locking_of.locking(function.program).guards.words
    return any(word in words for one in function.record.parameters for word in _WORD.findall(one.type))


def _takes(function: Function, depth: int) -> Iterator[_Taken]:
    yield from _own(function)
    if depth >= _DEEPEST or not function.record.mentions:
        return
    for event in function.flow.calls:
        callee = _callee(function, event)
        if callee is None or callee is function:
            continue
        for taken in _takes(callee, depth + 1):
            lock = _outside(function, event, callee, taken.lock)
            if lock is not None and not locking_of.locking(function.program).lets_go(function, lock, event):
                yield taken._replace(lock=lock)


def _outside(function: Function, event: e.Event, callee: Function, lock: Place) -> Place | None:
    """A lock of the callee's as the caller knows it; None where it may be another object's."""
    if lock[0] != places.THIS:
        return lock
    if _static(callee, lock):
        return (callee.home.name, *lock[1:]) if callee.home is not None else None
    if callee.record.kind == "constructor" or not isinstance(event, e.Call) or function.home is None:
        return None
    on_itself = event.receiver == (places.THIS,) or (event.receiver is None and isinstance(event.node.callee, r.Name))
    return lock if on_itself and callee.home in function.home.ancestry else None


def _static(function: Function, lock: Place) -> bool:
    held = function.home.field(lock[1]) if function.home is not None and len(lock) == 2 else None
    return held is not None and held[1].static


def _name(function: Function, lock: Place) -> Place:
    """The same for all spellings of one lock: `lock` in a method of `Registry`, and `Registry::lock`."""
    if _static(function, lock) and function.home is not None:
        return (function.home.name, lock[1])
    if len(lock) == 1 and "::" in lock[0]:
        parts = lock[0].split("::")
        return (parts[-2], parts[-1]) if function.program.classes_called(parts[-2], function.file) else (parts[-1],)
    return lock


def _is_plain(function: Function, held: locks.Held) -> bool:
    """Whether it is the one lock of its name that every thread means, waited for, and not to be taken twice."""
    lock = held.lock
    if lock == locks.SOMEBODYS or lock[0] == locks.ELSEWHERE or lock[0].startswith("<") or len(lock) > 2:
        return False
    if lock[0] in function.declared and lock[0] != places.THIS:
        return False
    written = _type(function, lock)
    roles = function.program.roles(written, function) if written and "*" not in written else ()
    if "mutex" not in roles or "recursive" in roles:
        return False
    return not held.guard or held.guard == locks.CALLERS or _waits(function, held.guard)


def _type(function: Function, lock: Place) -> str:
    if lock[0] == places.THIS:
        field = function.home.field(lock[1]) if function.home is not None and len(lock) == 2 else None
        return field[1].type if field is not None else ""
    owner, _, last = lock[0].rpartition("::")
    cls: Class | None = function.program.find_class(owner, function.record.scope, function.file) if owner else None
    if cls is not None:
        found = cls.field(last)
        return found[1].type if found is not None else ""
    return function.program.type_of(r.Name(0, 0, lock[0]), function) if len(lock) == 1 else ""


def _waits(function: Function, guard: str) -> bool:
    """Whether the guard takes the lock for itself alone, and waits for it."""
    written, initial = function.locals.get(guard, ("", None))
    models = function.program.models.classes(written, function.program.scopes(function))
    if any(model.shared for model in models):
        return False
    return not any(places.last_name(part) in _TRIES for part in places.walk(initial) if isinstance(part, r.Name))
