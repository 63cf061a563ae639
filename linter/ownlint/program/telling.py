"""Who is told of a failure: a test has seen it, and then comes a log line, an answer, something else to do, or nothing.

A failing side of its own is what runs there and nowhere else. What comes where both sides have met again was not done
because of the failure, but may still read the outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.finding import Certainty
from ownlint.program import events as e
from ownlint.program.assignments import place
from ownlint.program.failure import failing, refuses
from ownlint.program.places import Place, last_name, walk
from ownlint.program.statuses import Status
from ownlint.program.subjects import Function

_LOGGERS = 2
"""So many calls deep a callee may write to the log itself."""


class Seen(NamedTuple):
    """A test that tells a failure from a success. `outcome` is the way it goes when `cause` has failed; `kept` the
    place of the status, None when it is asked on the spot."""

    test: e.Test
    outcome: bool
    cause: e.Call
    status: Status
    kept: Place | None
    certainty: Certainty


class Aftermath(NamedTuple):
    """What a failure leads to. `own` runs on the failing side alone, `other` on the good side alone, `reached` is all
    that comes after the failure before the work is tried again."""

    own: list[e.Event]
    other: list[e.Event]
    reached: list[e.Event]


def seen_failures(function: Function) -> Iterator[Seen]:
    """The tests of statuses, in source order."""
    for test in function.flow.events:
        if not isinstance(test, e.Test) or test.asserted or test.index not in function.flow.reachable:
            continue
        for outcome in (True, False):
            cause, certainty = failing(function, test, outcome)
            if cause is None or certainty is None:
                continue
            status = function.program.status(function.program.result_type(cause.node, function), function)
            if status is not None:
                yield Seen(test, outcome, cause, status, _kept(function, cause), certainty)
            break


def _kept(function: Function, cause: e.Call) -> Place | None:
    """The place that a call's outcome was put in."""
    for write in function.flow.writes:
        if write.value is not None and any(inner is cause.node for inner in walk(write.value)):
            return write.place
    return None


def aftermath(function: Function, seen: Seen) -> Aftermath:
    flow = function.flow

    def again(event: e.Event) -> bool:
        return event is seen.cause

    failed = flow.after(seen.test, again, branch=seen.outcome)
    fine = flow.after(seen.test, again, branch=not seen.outcome)
    on_failure, on_success = set(failed), set(fine)
    return Aftermath([x for x in failed if x not in on_success], [x for x in fine if x not in on_failure], failed)


def is_silent(seen: Seen, after: Aftermath) -> bool:
    """Whether nothing at all is done because of the failure, and nobody reads the outcome any more."""
    if any(isinstance(event, e.Call | e.Write | e.Opaque) for event in after.own):
        return False
    if any(isinstance(event, e.Leave) and (event.kind == "throw" or event.via) for event in after.own):
        return False
    return not any(reads(event, seen.kept) for event in after.reached)


def is_logged_only(function: Function, after: Aftermath) -> e.Call | None:
    """The log line, where that is all the failing side does."""
    calls = [event for event in after.own if isinstance(event, e.Call)]
    lines = [call for call in calls if logs(function, call.node)]
    if not lines or any(isinstance(event, e.Write) and not event.fresh for event in after.own):
        return None
    spoken = [call for call in calls if not any(_is_said(call, line) for line in lines)]
    if any(isinstance(event, e.Leave) and (event.kind == "throw" or event.via) for event in after.own):
        return None
    return lines[0] if not [call for call in spoken if not _only_words(call)] else None


def _is_said(call: e.Call, line: e.Call) -> bool:
    return call is line or line.span.start <= call.span.start < line.span.end


def _only_words(call: e.Call) -> bool:
    """A call that makes what is said: `status.message()`, `ToString(x)`, whose answer is used."""
    return not call.dropped


def logs(function: Function, call: r.Call) -> bool:
    return function.program.role(last_name(call.callee)) in ("log", "debug log")


def reads(event: e.Event, kept: Place | None) -> bool:
    """Whether the event looks at the kept outcome, or hands it on."""
    if kept is None:
        return False
    if isinstance(event, e.Opaque):
        return True
    return isinstance(event, e.Read) and event.place[: len(kept)] == kept


def answers_success(function: Function, after: Aftermath) -> e.Leave | None:
    """An exit behind the failure by which the function says that all went well, or says nothing."""
    silent = function.record.result in ("", "void") or function.record.kind in ("constructor", "destructor")
    for event in after.reached:
        if not isinstance(event, e.Leave) or event.via or event.kind == "throw":
            continue
        if event.value is None:
            if silent:
                return event
        elif _says_success(function, event.value):
            return event
    return None


def _says_success(function: Function, value: r.Value) -> bool:
    known = refuses(function, value)
    if known is not None:
        return not known
    program = function.program
    answer = program.status(function.record.result, function)
    if answer is None:
        return False
    written = program.type_of(value, function)
    return bool(written) and program.status(written, function) is None and place(function, value) is not None


def tells_itself(function: Function, call: r.Call) -> bool:
    """Whether the project's own callee writes to the log, itself or in what it calls."""
    return any(_logs(callee, _LOGGERS) for callee in function.program.callee(call, function).functions)


def _logs(function: Function, depth: int) -> bool:
    program = function.program
    if any(program.role(name) == "log" for name in function.record.mentions if name[0] != "="):
        return True
    if depth <= 1:
        return False
    return any(
        _logs(callee, depth - 1)
        for call in function.flow.calls
        for callee in program.callee(call.node, function).functions
        if callee is not function
    )
