"""Blocks whose only pointer is overwritten by the call that resizes them: where it fails, the block is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ownlint.domains import failure
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.asked import as_asked, is_null
from ownlint.flow.places import covers, place_of, render, strip, walk
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function


class Resized(NamedTuple):
    name: str
    """The place, as a user writes it."""
    call: e.CallEvent
    lost: e.LeaveEvent
    """Where the function is left when it fails."""


def overwritten(function: Function) -> tuple[Resized, ...]:
    """`p = realloc(p, n)` where the function goes on after a failure and nothing else has the old pointer."""
    return _found(function) if function.mentions_any(function.program.models.resizing) else ()


@flow_question
def _found(function: Function) -> tuple[Resized, ...]:
    return tuple(_overwritten(function))


def _overwritten(function: Function) -> Iterator[Resized]:
    flow = function.flow
    for write in flow.writes:
        call = flow.call_of(strip(write.value))
        if call is None or write.op != "=" or write.index not in flow.reachable:
            continue
        if not _is_given_itself(function, call, write) or _is_kept(function, write):
            continue
        if _is_null_before(function, call, write):
            continue
        ended = _ends(function, write)
        for test, branch in _failing(function, call, write):
            left = [one for one in flow.after(test, ended, branch=branch) if isinstance(one, e.LeaveEvent)]
            if left:
                yield Resized(_name(write), call, left[0])
                break


def _is_given_itself(function: Function, call: e.CallEvent, write: e.Write) -> bool:
    """Whether the call resizes what is overwritten with its result."""
    for model in function.program.calls.callee(call.node, function).models:
        index = model.resized
        if index is not None and index < len(call.node.args):
            given = strip(call.node.args[index])
            return given is not None and text(given) == _name(write)
    return False


def _is_kept(function: Function, write: e.Write) -> bool:
    """Whether the caller has the old pointer as well, or another variable of the function."""
    if isinstance(write.target, r.Name) and write.target.text in function.parameter_names:
        return True
    aliases = function.flow.aliases
    return any(
        place_of(strip(one.value), aliases) == write.place for one in function.flow.writes if one.value is not None
    )


def _is_null_before(function: Function, call: e.CallEvent, write: e.Write) -> bool:
    """Whether a local has nothing yet that could be lost."""
    given = function.flow.given_by(call, write.place)
    return bool(given) and all(is_null(strip(one.value)) for one in given)


def _failing(function: Function, call: e.CallEvent, write: e.Write) -> Iterator[tuple[e.Test, bool]]:
    """The tests that ask whether it failed, each with the outcome that says so."""
    name = _name(write)
    for test in function.flow.after(write, _sets(write)):
        if not isinstance(test, e.Test):
            continue
        asked, holds = as_asked(test.value, True)
        if asked == name or any(inner is call.node for inner in walk(test.value)):
            yield test, not holds


def _name(write: e.Write) -> str:
    return text(write.target) if write.target is not None else render(write.place)


def _sets(write: e.Write) -> Callable[[e.Event], bool]:
    return lambda event: isinstance(event, e.Write) and covers(event.place, write.place)


def _ends(function: Function, write: e.Write) -> Callable[[e.Event], bool]:
    """Whether it is set anew, or nothing runs after the event."""
    sets = _sets(write)
    return lambda event: (
        sets(event) or (isinstance(event, e.CallEvent) and failure.never_comes_back(function, event.node))
    )
