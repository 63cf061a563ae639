"""Who is told of a failure: a test has seen it, and then comes a log line, an answer, something else to do, or nothing.

A failing side of its own is what runs there and nowhere else. What comes where both sides have met again was not done
because of the failure, but may still read the outcome.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ownlint import (
    Certainty,
    Function,
    Place,
    Program,
    Status,
    assignments,
    failure,
    log_levels,
    places,
    questions,
    statements,
    text,
    types,
    weaker,
)
from ownlint import events as e
from ownlint import records as r

_LOGS = re.compile(
    r"(?:\w+_)?(?:LOG|LOGF?|TRACE|WARN|WARNING|ERROR)(?:_\w+)?|(?:Log|log)(?:_?(?:[Ee]rror|[Ww]arn\w*|[Ii]nfo|[Mm]essage|[Ll]ine))?"
    r"|(?:[Ww]arn|[Ww]arning|error|info|[Pp]rintf?|fprintf|perror|syslog)"
)
"""Names of the log where no model knows it. They serve to keep quiet, and to tell a line from a deed."""
_SAYS_WHY = ("ToString", "message", "what")
_ENDS = re.compile(r"fatal|panic|abort|die", re.IGNORECASE)
_LOGGERS = 2
"""So many calls deep a callee may write to the log itself."""


class Seen(NamedTuple):
    """A test in the condition of an `if` that tells a failure from a success. `outcome` is the way it goes when `cause`
    has failed; `kept` the place of the status, None when it is asked on the spot; `side` what stands in the `if` for
    that way alone, None where the test does not decide it by itself."""

    branch: r.Branch

    test: e.Test
    outcome: bool
    cause: e.CallEvent
    status: Status
    kept: Place | None
    certainty: Certainty
    side: r.Body | None


class Aftermath(NamedTuple):
    """What a failure leads to. `own` runs because of it, `other` on the good side alone, `reached` is all that comes
    after the failure before the work is tried again."""

    own: list[e.Event]
    other: list[e.Event]
    reached: list[e.Event]


def silent_branches(function: Function) -> list[r.Branch]:
    """The `if`s that ask for an outcome and have a side which does nothing, or leaves without naming what was asked.
    Needs no flow."""
    return [s for s in function.statements if isinstance(s, r.Branch) and _asks(s.condition) and _may_be_silent(s)]


def _asks(condition: r.Value) -> bool:
    for inner in places.walk(condition):
        if isinstance(inner, r.Call) and failure.names_outcome(places.last_name(inner.callee)):
            return True
        if isinstance(inner, r.Binary) and inner.op in ("==", "!="):
            return True
    bare = condition.value if isinstance(condition, r.Unary) else condition
    return isinstance(bare, r.Name | r.Call)


def _may_be_silent(branch: r.Branch) -> bool:
    if not branch.other or _only_leaves(branch.other, branch.condition):
        return not branch.then or not _is_negated(branch.condition) or _only_leaves(branch.then, branch.condition)
    return _only_leaves(branch.then, branch.condition)


def _is_negated(condition: r.Value) -> bool:
    """`if (!status.ok()) {..}` with nothing else beside it: the good side is the empty one."""
    return isinstance(condition, r.Unary) and condition.op in ("!", "not")


def _only_leaves(body: r.Body, condition: r.Value) -> bool:
    asked = places.names_in(condition)
    for statement in statements(body):
        match statement:
            case r.Block():
                continue
            case r.Leave(kind="throw"):
                return False
            case r.Leave(value=value):
                if not asked.isdisjoint(places.names_in(value)):
                    return False
            case _:
                return False
    return True


def seen_failures(function: Function, branches: list[r.Branch]) -> Iterator[Seen]:
    """The tests of statuses by which these `if`s decide, in source order. A condition inside an expression has a value
    for either case, and a loop that ends with a failure has come to its end."""
    branches = sorted(branches, key=lambda branch: branch.condition.start)
    starts = [branch.condition.start for branch in branches]
    kept = _kept(function)
    for test in function.flow.events:
        if not isinstance(test, e.Test) or test.asserted or test.index not in function.flow.reachable:
            continue
        at = bisect_right(starts, test.span.start) - 1
        if at < 0 or test.span.end > branches[at].condition.end or _is_chosen(branches[at].condition, test):
            continue
        for outcome in (True, False):
            cause, certainty = failure.failing(function, test, outcome)
            if cause is None or certainty is None:
                continue
            place = kept.get(id(cause.node))
            status = _status(function, cause, place)
            if status is not None:
                side = side_of(function, branches[at], test, outcome)
                yield Seen(branches[at], test, outcome, cause, status, place, weaker(certainty, status.certainty), side)
            break


def _status(function: Function, cause: e.CallEvent, kept: Place | None) -> Status | None:
    """What kind of outcome it is: what the callee answers, or what the local is declared to be that takes it."""
    program = function.program
    callee = program.calls.callee(cause.node, function)
    found = program.statuses.of(program.calls.result_type(cause.node, function), function)
    if found is not None:
        return msgspec.structs.replace(found, certainty=weaker(found.certainty, callee.certainty))
    written = function.locals.get(kept[0], ("", None))[0] if kept is not None and len(kept) == 1 else ""
    return program.statuses.of(written, function) if written else None


def _is_chosen(condition: r.Value, test: e.Test) -> bool:
    """Whether the test is that of a `?:` inside the condition."""
    return any(isinstance(x, r.Conditional) and x.start <= test.span.start < x.end for x in places.walk(condition))


def _kept(function: Function) -> dict[int, Place]:
    """By the identity of a call: the place that its outcome is put in."""
    return {
        id(inner): write.place
        for write in function.flow.writes
        for inner in places.walk(write.value)
        if isinstance(inner, r.Call)
    }


def side_of(function: Function, branch: r.Branch, test: e.Test, outcome: bool) -> r.Body | None:
    """The block of the `if` that the outcome leads to."""
    for target, label in function.flow.successors[test.index]:
        if label is outcome:
            event = function.flow.events[target]
            if branch.condition.start <= event.span.start < branch.condition.end and not isinstance(event, e.Mark):
                return None
            return branch.then if _is_inside(branch.then, event) else branch.other
    return None


def _is_inside(body: r.Body, event: e.Event) -> bool:
    return bool(body) and body[0].start <= event.span.start < body[-1].end


def aftermath(function: Function, seen: Seen) -> Aftermath:
    flow = function.flow

    def again(event: e.Event) -> bool:
        return event is seen.cause

    failed = flow.after(seen.test, again, branch=seen.outcome)
    fine = flow.after(seen.test, again, branch=not seen.outcome)
    on_failure, on_success = set(failed), set(fine)
    other = [x for x in fine if x not in on_failure]
    if any(isinstance(x, e.LeaveEvent) and not x.via and x.kind == "return" for x in other):
        own = failed  # the good side is done for: all that still comes is there for the other
    else:
        own = [x for x in failed if x not in on_success or (seen.side and _is_inside(seen.side, x))]
    return Aftermath(own, other, failed)


def does_nothing(seen: Seen) -> bool:
    """Whether the failing side of the `if` is empty, or leaves and does nothing else. Needs no flow."""
    return seen.side is not None and all(
        isinstance(s, r.Block | r.Leave) and getattr(s, "kind", "") != "throw" for s in statements(seen.side)
    )


def is_looked_at_before(function: Function, seen: Seen) -> bool:
    """Whether somebody else has looked at the outcome between the work and the test: `EXPECT_OK(result)`."""
    for event in function.flow.dominators(seen.test):
        if event is seen.cause:
            return False
        if reads(event, seen.kept) and not seen.test.span.start <= event.span.start < seen.test.span.end:
            return True
    return False


def is_silent(function: Function, seen: Seen, after: Aftermath) -> bool:
    """Whether nothing at all is done because of the failure, and the outcome is not read again. An answer that says
    success is no deed, though a call makes it: `return absl::OkStatus();`."""
    answers = [
        event.value
        for event in after.own
        if isinstance(event, e.LeaveEvent) and event.value is not None and _says_success(function, event.value)
    ]
    if any(
        isinstance(event, e.CallEvent | e.Write | e.OpaqueEvent)
        and not (isinstance(event, e.CallEvent) and any(event.node is places.strip(answer) for answer in answers))
        for event in after.own
    ):
        return False
    if any(isinstance(event, e.LeaveEvent) and (event.kind == "throw" or event.via) for event in after.own):
        return False
    return not any(reads(event, seen.kept) for event in after.reached)


def is_logger(program: Program, name: str) -> bool:
    """Whether something of that name writes to the log: a model's macro, or one of the project's own that hands on."""
    return program.macros.role(name) in ("log", "debug log") or _LOGS.fullmatch(name) is not None


def line_of(function: Function, statement: r.Statement) -> e.CallEvent | None:
    """The call by which a statement writes to the log: `LOG(ERROR) << text;`, `logger->Warn(text);`."""
    if not isinstance(statement, r.Evaluate):
        return None
    innermost = places.streamed_into(statement.value)
    if not isinstance(innermost, r.Call) or not is_logger(function.program, places.last_name(innermost.callee)):
        return None
    return next((call for call in function.flow.calls if call.node is innermost), None)


def words_of(call: r.Call) -> Iterator[str]:
    """What a log line says of how grave it is: its own name and the names it is given."""
    yield places.last_name(call.callee)
    for argument in call.args[:1]:
        yield from (inner.text for inner in places.walk(argument) if isinstance(inner, r.Name))


def stream_in_use(function: Function) -> str | None:
    """How the function's file writes a warning to the log by a stream: `LOG(WARNING)`. None where it does not."""
    found: set[str] = set()
    for other in function.program.functions_in(function.path):
        if not any(function.program.macros.role(name) == "log" for name in other.mentioned if name[0] != "="):
            continue
        for statement in other.statements:
            line = line_of(other, statement)
            if line is None or function.program.macros.role(places.last_name(line.node.callee)) != "log":
                continue
            match statement, line.node.args:
                case r.Evaluate(value=r.Binary(op="<<")), (r.Name(text=grave),) if not _ENDS.search(grave):
                    found.add(f"{text(line.node.callee)}({grave})")
    return min(found, key=lambda macro: ("WARN" not in macro, "ERROR" not in macro, macro), default=None)


def shown_by(function: Function, name: str, status: Status, written: str) -> str:
    """How a local of a status type is written to a stream: by a method that its class is seen to have, or by itself
    where the class is out of sight and nothing but its reason is in it."""
    cls = function.program.names.find_class(written, function.record.scope, function.file)
    if cls is not None:
        method = next((said for said in _SAYS_WHY if cls.declared(said)), None)
        return f" << {name}.{method}()" if method is not None else ""
    return f" << {name}" if status.nodiscard and not types.parse(written).arguments else ""


def reads(event: e.Event, kept: Place | None) -> bool:
    """Whether the event looks at the kept outcome, or hands it on."""
    if kept is None:
        return False
    if isinstance(event, e.OpaqueEvent):
        return True
    return isinstance(event, e.Read) and event.place[: len(kept)] == kept


def answers_success(function: Function, after: Aftermath) -> e.LeaveEvent | None:
    """An exit behind the failure by which the function says that all went well, or says nothing."""
    silent = function.record.result in ("", "void") or function.record.kind in ("constructor", "destructor")
    for event in after.reached:
        if not isinstance(event, e.LeaveEvent) or event.via or event.kind == "throw":
            continue
        if event.value is None:
            if silent:
                return event
        elif _says_success(function, event.value):
            return event
    return None


def _says_success(function: Function, value: r.Value) -> bool:
    known = failure.refuses(function, value)
    if known is not None:
        return not known
    program = function.program
    answer = program.statuses.of(function.record.result, function)
    if answer is None:
        return False
    written = program.types.of(value, function)
    return (
        bool(written)
        and program.statuses.of(written, function) is None
        and assignments.place(function, value) is not None
    )


def tells_itself(function: Function, call: r.Call) -> bool:
    """Whether the project's own callee writes to the log, itself or in what it calls."""
    return any(_logs(callee, _LOGGERS) for callee in function.program.calls.callee(call, function).functions)


def reports_each(function: Function, call: r.Call) -> bool:
    """Whether the project's own callee writes an error to the log wherever it finds that something has failed."""
    callees = function.program.calls.callee(call, function).functions
    return bool(callees) and all(map(_reports_each, callees))


@questions.flow_question
def _reports_each(callee: Function) -> bool:
    sides = [
        side
        for branch in callee.statements
        if isinstance(branch, r.Branch)
        for test in callee.flow.of(e.Test)
        if isinstance(test, e.Test) and branch.condition.start <= test.span.start < branch.condition.end
        for outcome in (True, False)
        if failure.failing(callee, test, outcome)[1] is not None
        for side in (branch.then, branch.other)
        if side
        and any(event.span.start in r.Span(side[0].start, side[-1].end) for event in _alone(callee, test, outcome))
    ]
    return bool(sides) and all(map(log_levels.has_complaint, sides))


def _alone(callee: Function, test: e.Test, outcome: bool) -> list[e.Event]:
    """What runs on that outcome of a test and on no other."""
    other = set(callee.flow.after(test, branch=not outcome))
    return [event for event in callee.flow.after(test, branch=outcome) if event not in other]


def _logs(function: Function, depth: int) -> bool:
    program = function.program
    if any(is_logger(program, name) for name in function.mentioned if name[0] != "="):
        return True
    if depth <= 1:
        return False
    return any(
        _logs(callee, depth - 1)
        for call in function.flow.calls
        for callee in program.calls.callee(call.node, function).functions
        if callee is not function
    )
