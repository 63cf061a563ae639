"""Types of C that take part in garbage collection, and whose dealloc function releases members of an object that the
collector still tracks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ownlint import Function, Program, events, places, references
from ownlint import records as r
from ownlint_rules.c_api_references import _destroyed as destroyed
from ownlint_rules.c_api_references._object_types import by_dealloc, object_types

_UNTRACKS = frozenset({"PyObject_GC_UnTrack", "_PyObject_GC_UNTRACK"})
"""docs.python.org/3/c-api/gcsupport.html#c.PyObject_GC_UnTrack."""
_DEEPEST = 3


class TrackedDealloc(NamedTuple):
    """`dealloc` comes to the call `at` in `function`, which releases a member; `flag` makes it a collected type."""

    dealloc: Function
    function: Function
    at: events.CallEvent
    path: str
    flag: r.Node


@dataclass
class _DeallocEnding:
    releases: list[tuple[Function, events.CallEvent]] = field(default_factory=list)
    is_silent: bool = False
    """It may untrack the object: it says so, or code gets the object that was not analysed."""


def untracked(program: Program) -> Iterator[TrackedDealloc]:
    """Each dealloc function once."""
    for dealloc, kind in by_dealloc(kind for kind in object_types(program) if kind.collected is not None):
        ending = _DeallocEnding()
        _follow(dealloc, ending, 0)
        if ending.releases and not ending.is_silent and kind.collected is not None:
            yield TrackedDealloc(dealloc, *ending.releases[0], kind.path, kind.collected)


def _follow(function: Function, ending: _DeallocEnding, depth: int) -> None:
    """Adds what the function, and each helper that gets the object, does."""
    if depth > _DEEPEST or len(function.record.parameters) != 1 or function.record.opaque:
        ending.is_silent = True
        return
    known, own = references.references(function.program), destroyed.own_names(function)
    for event in function.flow:
        if isinstance(event, events.OpaqueEvent):
            ending.is_silent = True
        elif isinstance(event, events.CallEvent):
            _add(function, event, own, known, ending, depth)


def _add(
    function: Function,
    event: events.CallEvent,
    own: set[str],
    known: references.References,
    ending: _DeallocEnding,
    depth: int,
) -> None:
    call = event.node
    name, receiver = places.last_name(call.callee), places.receiver(call)
    if name in _UNTRACKS or (receiver is not None and destroyed.is_it(receiver, own)):
        ending.is_silent = True
    if known.is_macro(call):
        gets_it = any(destroyed.is_it(inner, own) for argument in call.args for inner in places.walk(argument))
        ending.is_silent = ending.is_silent or _may_untrack(function.program, name, gets_it=gets_it)
        return
    for index, argument in enumerate(call.args):
        if destroyed.is_it(argument, own):
            if destroyed.is_of_library(call, function):
                continue
            inner = destroyed.helper(call, index, function)
            if inner is not None:
                _follow(inner, ending, depth + 1)
            elif not destroyed.is_free(name) and known.use(call, index, function) != "lent":
                ending.is_silent = True
        elif known.use(call, index, function) == "released" and destroyed.is_member(argument, own):
            ending.releases.append((function, event))


def _may_untrack(program: Program, name: str, *, gets_it: bool) -> bool:
    """Whether a macro of the project untracks an object, itself or by a function of the project that gets it."""
    said = destroyed.words_of(name, program)
    return not said.isdisjoint(_UNTRACKS) or (gets_it and any(map(program.index.functions_called, said)))
