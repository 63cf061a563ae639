"""What a weak pointer answers with is empty once the object is gone: where that is used without having been asked.

`lock()` is such a call where a model says that the method may answer with nothing and the receiver is a weak pointer.
A local that holds the answer is asked about by whatever reads the local itself: a test, an assertion, a call that is
given it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import is_name, last_name, receiver, strip, walk
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function


class UncheckedLock(NamedTuple):
    """`at` uses what `made` may have left empty: the local `name`, or the answer itself where `name` is empty."""

    made: e.CallEvent
    at: e.Event
    name: str
    asked: e.CallEvent | None
    """Another call of the function on the same weak pointer, whose answer it asks about."""


def unchecked(function: Function) -> Iterator[UncheckedLock]:
    """In source order, the first use of each answer."""
    for made in _locks(function) if _may_lock(function) else ():
        name = made.into[0] if made.into is not None and len(made.into) == 1 else ""
        if name and not function.is_local((name,)):
            continue
        at = _used(function, made, name)
        if at is None or _is_own(function, made) or function.mentions("expired", "use_count"):
            continue
        asked = _asked_alike(function, made)
        if not any(function.flow.dominates(one, made) for one in asked):
            yield UncheckedLock(made, at, name, next(iter(asked), None))


def _may_lock(function: Function) -> bool:
    return function.language == "cpp" and function.mentions_any(function.program.models.weak_answers)


@flow_question
def _locks(function: Function) -> tuple[e.CallEvent, ...]:
    """The calls that answer with what a weak pointer leads to."""
    names = function.program.models.weak_answers
    return tuple(
        call
        for call in function.flow.calls
        if not call.node.args and last_name(call.node.callee) in names and _is_weak(function, receiver(call.node))
    )


def _is_weak(function: Function, value: r.Value | None) -> bool:
    if value is None:
        return False
    types = function.program.types
    return "weak pointer" in types.roles(types.of(value, function), function)


def _used(function: Function, made: e.CallEvent, name: str) -> e.Event | None:
    """The first event that goes through the answer, with nothing on the way that asks or changes it."""
    if not name:
        return next(
            (one for one in function.flow if one.index > made.index and _goes_through_call(one, made.node)), None
        )
    write = next((one for one in function.flow.writes_to((name,)) if one.index > made.index), None)
    if write is None or strip(write.value) is not made.node:
        return None

    def asks(event: e.Event) -> bool:
        return _asks(event, name)

    found = function.flow.path(write, lambda event: _goes_through(event, name) and not asks(event), asks)
    return found[-1] if found else None


def _goes_through_call(event: e.Event, made: r.Call) -> bool:
    """`weak.lock()->f()`, `(*weak.lock()).n`."""
    return any(_pointee(inner) is made for value in _values(event) for inner in walk(value))


def _goes_through(event: e.Event, name: str) -> bool:
    return any(is_name(_pointee(inner), name) for value in _values(event) for inner in walk(value))


def _pointee(value: r.Value) -> r.Value | None:
    """`p` of `p->f` and of `*p`."""
    match value:
        case r.Member(base=base, arrow=True) | r.Unary(op="*", value=base):
            return strip(base)
    return None


def _asks(event: e.Event, name: str) -> bool:
    """Whether something reads the local itself, or sets it."""
    if isinstance(event, e.Write) and event.place == (name,):
        return True
    through = {id(_pointee(inner)) for value in _values(event) for inner in walk(value)}
    said = (inner for value in _values(event) for inner in walk(value) if is_name(inner, name))
    return any(id(inner) not in through for inner in said)


def _values(event: e.Event) -> Iterator[r.Value]:
    match event:
        case e.CallEvent(node=node):
            yield node
        case e.Write(target=target, value=value):
            yield from (one for one in (target, value) if one is not None)
        case e.LeaveEvent(value=value) | e.Test(value=value):
            if value is not None:
                yield value


def _is_own(function: Function, made: e.CallEvent) -> bool:
    """Whether the weak pointer is a local that the function has made itself."""
    on = receiver(made.node)
    return isinstance(on, r.Name) and on.text in function.locals


def _asked_alike(function: Function, made: e.CallEvent) -> list[e.CallEvent]:
    """The other calls on the weak pointer of that name about whose answers the function asks."""
    on = last_name(receiver(made.node))
    return [
        other
        for other in _locks(function)
        if other is not made and last_name(receiver(other.node)) == on and _is_asked(function, other)
    ]


def _is_asked(function: Function, made: e.CallEvent) -> bool:
    """Whether a test looks at the answer."""
    name = made.into[0] if made.into is not None and len(made.into) == 1 else ""
    return any(
        inner is made.node or (name and is_name(inner, name))
        for event in function.flow.of(e.Test)
        if isinstance(event, e.Test) and not event.asserted
        for inner in walk(event.value)
    )
