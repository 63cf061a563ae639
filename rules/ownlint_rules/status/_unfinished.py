"""Failures that leave an assignment standing: work that begins behind it, fails, and nobody takes it back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ownlint import Function, assignments, conditions, failure, habits, pairs, places, questions
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.status import _undoing as undoing

_MOST_TRIED = 24
"""So many failures are followed for one assignment; in a function of thousands of lines the rest tell nothing new."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ENDING = re.compile(
    r"(?:(?:do|try|force|maybe|on|async|internal)_?)?"
    r"(?:close|shut|stop|finish|cancel|abort|destroy|terminat|dispos|tear_?down|end(?![a-z])|release|free|clear|reset"
    r"|clean_?up|unload|disconnect|exit|quit|kill|halt|uninstall|deinit|unmap|unmount|drain)",
    re.IGNORECASE,
)


def failures_after(
    function: Function, announced: assignments.Assignment, failing: list[failure.Failure]
) -> Iterator[failure.Failure]:
    """Failing exits that a path from the announcement reaches with the flag still set, because of work that begins
    later."""
    if not failing or undoing.taken_back_at_exit(function, announced):
        return
    flow = function.flow
    heads = loop_heads(function, announced.event)

    def taken_back(event: e.Event) -> bool:
        return event is not announced.event and undoing.takes_back(function, announced, event)

    def stop(event: e.Event) -> bool:
        return event in heads or taken_back(event)

    after = {event.index for event in flow.after(announced.event, stop)}
    tried = 0
    for failed in failing:
        cause = failed.cause
        if cause is None or not {cause.index, failed.at.index} <= after or not _begins_after(cause, announced):
            continue
        if cause.receiver is not None and not cause.node.args and failure.asks(function, cause):
            continue  # `if (entries_.size() != cache_.size()) throw Broken();` finds something wrong, and does nothing
        if failure.only_looks(cause.node) or taken_back(cause) or undoing.calls_itself(function, cause.node):
            continue  # a flag set before the function calls itself keeps it from doing so twice
        if _frees_local(function, cause, announced):
            continue
        tried += 1
        if tried > _MOST_TRIED:
            return
        if (
            _excludes(function, announced.event, failed.at)
            or _keeps_from(function, announced, cause, taken_back)
            or _is_said_again(function, announced, failed)
            or _is_thrown_away(function, announced, failed)
        ):
            continue
        stays = _fails_through(function, failed, stop) and _stays(function, announced, failed, taken_back)
        if stays and not _is_undone_by_handler(function, announced, failed, taken_back):
            yield failed


def _frees_local(function: Function, cause: e.CallEvent, announced: assignments.Assignment) -> bool:
    """Whether the call frees what a local of the function holds, which the announcement cannot be about:
    `plan_destroy(&plan)`. To close a file may be to write it."""
    name, given = places.last_name(cause.node.callee), cause.node.args
    if len(given) != 1 or pairs.releasing_verb(name) not in habits.ENDS - {"close"} or pairs.takes(name):
        return False
    inner = places.strip(given[0])
    freed = places.strip(inner.value) if isinstance(inner, r.Unary) and inner.op == "&" else inner
    if not isinstance(freed, r.Name) or freed.text == announced.place[0]:
        return False
    return freed.text in function.locals and all(freed.text != one.name for one in function.record.parameters)


def _excludes(function: Function, one: e.Event, other: e.Event) -> bool:
    """Whether a condition that holds at the one keeps control from the other: `rc == A` and `rc == B || rc == C`."""
    for known, outcome in function.flow.guards(one):
        match known.value:
            case r.Binary(op="==" | "!=" as op, left=left, right=right) if outcome == (op == "=="):
                where, held = assignments.place(function, left), assignments.held(right)
            case _:
                continue
        if where is None or held is None or held.kind == "copy":
            continue
        if one not in function.flow.writes_to(where) and not _comes_to(
            function, one, other, conditions.Given(where, held)
        ):
            return True
    return False


def _keeps_from(
    function: Function, announced: assignments.Assignment, cause: e.CallEvent, taken_back: Callable[[e.Event], bool]
) -> bool:
    """Whether the flag is assigned, and the tests of it keep control from the call while it is set."""
    if not isinstance(announced.event, e.Write) or announced.event.op != "=":
        return False
    given = conditions.Given(announced.place, announced.held)
    return not _comes_to(function, announced.event, cause, given, taken_back)


def _stays(
    function: Function,
    announced: assignments.Assignment,
    failed: failure.Failure,
    taken_back: Callable[[e.Event], bool],
) -> bool:
    """Whether the exit is reached with the flag still set: `if (state == BUSY) state = IDLE;` on the way resets it."""
    if failed.at.index == failed.leave.index:
        return True
    return any(event.index == failed.leave.index for event in _with_it(function, announced, failed.at, taken_back))


def _with_it(
    function: Function, announced: assignments.Assignment, start: e.Event, taken_back: Callable[[e.Event], bool]
) -> Iterator[e.Event]:
    """What is reached from there with the flag still set."""
    if not isinstance(announced.event, e.Write) or announced.event.op != "=":
        yield from function.flow.after(start, taken_back)
        return
    yield from _reached(function, start, conditions.Given(announced.place, announced.held), taken_back)


def _comes_to(
    function: Function,
    one: e.Event,
    other: e.Event,
    given: conditions.Given,
    stop: Callable[[e.Event], bool] = lambda _: False,
) -> bool:
    """Whether a way leads from the one to the other where a place holds what is given, until it is written."""
    return any(event.index == other.index for event in _reached(function, one, given, stop))


def _reached(
    function: Function, start: e.Event, given: conditions.Given, stop: Callable[[e.Event], bool]
) -> Iterator[e.Event]:
    """What is reached from there, where a place holds what is given until another value is written."""
    flow = function.flow
    written = {write.index for write in flow.writes_to(given.place)}
    queue = [start.index]
    seen = {start.index}
    for current in queue:
        event = flow.events[current]
        holds = conditions.comes_to(function, event.value, given) if isinstance(event, e.Test) else None
        for target, label in flow.successors[current]:
            if target in seen or (holds is not None and label is not None and label is not holds):
                continue
            seen.add(target)
            following = flow.events[target]
            if stop(following):
                continue
            yield following
            if target in written and not _holds_again(following, given):
                yield from flow.after(following)
            else:
                queue.append(target)


def _holds_again(event: e.Event, given: conditions.Given) -> bool:
    """Whether the event writes the very value that the place holds."""
    if not isinstance(event, e.Write) or event.op != "=":
        return False
    again = assignments.held(event.value)
    return again is not None and again == given.held and again.kind != "copy"


def _is_undone_by_handler(
    function: Function,
    announced: assignments.Assignment,
    failed: failure.Failure,
    taken_back: Callable[[e.Event], bool],
) -> bool:
    """Whether what is thrown is caught in the function, or a macro jumps to a label, and no way out from there leaves
    the flag set."""
    flow = function.flow

    def is_out(event: e.Event) -> bool:
        return any(target == flow.exit for target, _ in flow.successors[event.index])

    stays = isinstance(flow.events[failed.leave.index], e.LeaveEvent) and (
        failed.leave.kind == "throw" or failed.leave.via
    )
    if not stays or is_out(failed.leave):
        return False
    return not any(is_out(event) for event in _with_it(function, announced, failed.leave, taken_back))


def _is_said_again(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether every way from the call to the exit sets it anew: then that exit is the one that works."""
    flow = function.flow
    again = [
        write
        for write in flow.writes_to(announced.place)
        if write is not announced.event
        and flow.dominates(write, failed.leave)
        and assignments.held(write.value) == announced.held
    ]
    if not again or failed.cause is None:
        return False
    later = set(flow.after(failed.cause))
    return any(write in later for write in again)


def _is_thrown_away(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether what a local of the function points to is ended on every way from the call to the exit."""
    root = announced.place[0]
    if root not in function.locals or failed.cause is None:
        return False
    flow = function.flow
    ending = [call for call in _that_end(function, root) if flow.dominates(call, failed.leave)]
    later = set(flow.after(failed.cause)) if ending else set()
    return any(call in later for call in ending)


@questions.flow_question
def _that_end(function: Function, root: str) -> list[e.CallEvent]:
    return [call for call in function.flow.calls if _ends(call.node, root)]


def _ends(call: r.Call, name: str) -> bool:
    """`delete x`, `thing_destroy(x)`."""
    handed = any(places.is_name(a, name) for a in call.args)
    words = _WORDS.findall(places.last_name(call.callee))
    return handed and (call.kind == "delete" or any(_ENDING.match(word) for word in words))


def _begins_after(cause: e.CallEvent, announced: assignments.Assignment) -> bool:
    """In the text, too: what stands before the announcement is about an earlier round."""
    return cause is not announced.event and cause.span.start >= announced.event.span.start


def _fails_through(function: Function, failed: failure.Failure, stop: Callable[[e.Event], bool]) -> bool:
    """Whether a way from the cause to the exit meets no stop: where the outcome is tested before it is handed on, by
    the failing side of that test."""
    cause = failed.cause
    assert cause is not None
    if not _leads(function, cause, failed.at, stop):
        return False
    if failed.leave.via or not isinstance(failed.leave.value, r.Name):
        return True
    for test in function.flow.dominators(failed.at):
        if test is cause:
            break
        if isinstance(test, e.Test) and not test.asserted:
            for outcome in (True, False):
                if failure.failing(function, test, outcome)[0] is cause:
                    found = function.flow.path(test, lambda x: x.index == failed.at.index, stop, branch=outcome)
                    return found is not None
    return True


def _leads(function: Function, one: e.Event, other: e.Event, stop: Callable[[e.Event], bool]) -> bool:
    if one.index == other.index:
        return True
    return function.flow.path(one, lambda event: event.index == other.index, stop) is not None


def loop_heads(function: Function, event: e.Event) -> set[e.Event]:
    """Beginnings of the loops around the event: what the next round does is about something else."""
    flow = function.flow
    return {mark for mark in flow.loops_over(event.span.start) if flow.dominates(mark, event)}
