"""Owners that give up what they were just given, and nobody has seen it: `owner.release();` as a statement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, places
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources._handing import handing

_MAKERS = frozenset({"make_unique", "make_unique_for_overwrite"})


class GivenUp(NamedTuple):
    name: str
    """The owner."""
    at: e.CallEvent
    made: e.Event
    """Where it gets what it gives up."""


def given_up(function: Function) -> Iterator[GivenUp]:
    """Of locals that are made around a new object, and whose pointer nobody asks for: who keeps it on purpose says so
    in a comment, by a cast to void, or gives it to somebody before."""
    found = handing(function.program)
    for event in function.flow.calls:
        on = places.receiver(event.node)
        if event.dropped != "statement" or not isinstance(on, r.Name) or on.text not in function.locals:
            continue
        if found.gives_up(event.node, function) != "certain" or function.has_comment_near(event.span):
            continue
        made = [write for write in function.flow.writes_to((on.text,)) if write.fresh]
        if len(made) == 1 and _makes(made[0].value) and not _is_seen(function, on.text, event):
            yield GivenUp(on.text, event, made[0])


def _makes(value: r.Value | None) -> bool:
    """`new T`, `unique_ptr<T>(new T)`, `make_unique<T>()`: nobody else has it."""
    inner = places.strip(value)
    match inner:
        case r.Call(kind="new"):
            return True
        case r.Call(callee=callee) if places.last_name(callee) in _MAKERS:
            return True
        case r.Call(kind="construct", args=(only,)) | r.Call(callee=r.Name(), args=(only,)):
            return _makes(only)
    return False


def _is_seen(function: Function, name: str, but: e.CallEvent) -> bool:
    """Whether a call gets the owner, or is made on the object, or the owner is given to something: who does may have
    the pointer."""
    for event in function.flow:
        match event:
            case e.CallEvent(node=node) if event is not but and _says(node, name):
                return True
            case e.Write(value=value, fresh=False) | e.LeaveEvent(value=value) if _says(value, name):
                return True
            case e.Write(value=value, place=place) if place != (name,) and _says(value, name):
                return True
    return False


def _says(value: r.Value | None, name: str) -> bool:
    return any(isinstance(inner, r.Name) and inner.text == name for inner in places.walk(value))
