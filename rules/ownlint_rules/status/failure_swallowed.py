"""A failure is tested for but never reported.

## What it reports

- a status, result or code that is tested in a function which returns a status or nothing, where the failing branch does
  nothing and the function returns success
- in a destructor, a `catch` that ignores the exception of the project's own code

## Why it is a bug

The function returns as if it had succeeded, although it could report the error. A feature that does not work on one
machine is then turned off silently, or data is missing.

## Example

bad:

```cpp
absl::Status Executable::Prepare() {
  absl::StatusOr<Buffer> buffer = allocator_->Allocate(4096);
  if (buffer.ok()) {
    stable_ = *buffer;
  }
  return absl::OkStatus();
}
```

```text
case.cc:3: warning: the failure of `allocator_->Allocate` is detected here but never reported
  help: return it, or explain in a comment why it can be ignored
```

good:

```cpp
absl::Status Executable::Prepare() {
  absl::StatusOr<Buffer> buffer = allocator_->Allocate(4096);
  if (!buffer.ok()) return buffer.status();
  stable_ = *buffer;
  return absl::OkStatus();
}
```

## How to fix it

Return the error, log it, or store it where a caller can query it. If it can be ignored, explain why in a comment.

## What it does not report

- failing branches that do anything
- results that are read later
- queries (`Find..`, `Validate..`, a const method), defaults that a success replaces, and attempts with a fallback
- `LogicalResult` and other results whose failure is an ordinary answer
- with the default `--certainty`: a comment next to the test, a callee that logs by itself or only tries, locals that
  are checked later, further conditions, error codes, tests and benchmarks

## Known limitations

- `std::optional` and null pointers are not statuses.
- It is not known that a caller notices the missing result by other means.
- Functions that return a bool, a number or a pointer are not analysed.

## Source

a review of GPU command-buffer caching in XLA, where an allocation that failed left an address unstabilised and the
function went on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    Span,
    because,
    bodies,
    events,
    failure,
    places,
    records,
    rule,
    tempered,
    text,
    trials,
)
from ownlint_rules.status import _answers as answers
from ownlint_rules.status import _destructors as destructors
from ownlint_rules.status import _telling as telling

_TRIES = re.compile(r"if_?possible|best_?effort|^_?(?:try|maybe|prefetch|probe|warm)(?![a-z])", re.IGNORECASE)
_OK_SAYS = re.compile(
    rb'"(?:is_?)?(?:ok|OK|Ok|success\w*|Success\w*|has_value|failed|succeeded|error|is_?err\w*)"|"!"|"[!=]="'
    rb"|\[33,\d+,\d+,\[1,"  # a branch that a name decides: `if (SaveError failed = Save())`
)


@rule(severity="warning", cwe=(390,))
def failure_swallowed(function: Function) -> Iterator[Finding]:
    yield from _caught(function)
    if not _could_tell(function) or not function.program.statuses.may_hold(function):
        return
    branches = telling.silent_branches(function)
    for seen in telling.seen_failures(function, branches) if branches else ():
        if seen.status.advisory or not telling.does_nothing(seen) or _only_asks(function, seen):
            continue
        if _is_kept(function, seen) or telling.is_looked_at_before(function, seen):
            continue
        after = telling.aftermath(function, seen)
        if not telling.is_silent(function, seen, after):
            continue
        leave = telling.answers_success(function, after)
        if leave is not None and not _has_default(function, after):
            yield _finding(function, seen, after, leave)


_TRY = re.compile(rb"\[36,")


def _caught(function: Function) -> Iterator[Finding]:
    """`try { Flush(); } catch (...) {}` in a destructor."""
    if function.language != "cpp" or not function.says(_TRY) or not destructors.runs_last(function):
        return
    for statement in function.statements:
        if not isinstance(statement, records.Try):
            continue
        cause = _lost_work(function, statement)
        for handler in statement.handlers if cause is not None else ():
            if cause is not None and not any(_tells(inner) for inner in bodies.statements(handler.body)):
                said = f"a failure of `{text(cause.node.callee)}` is caught here but never reported"
                certainty = because("intent", "the failure may be ignored on purpose")
                if function.has_comment_inside(handler.span) or function.has_comment_near(
                    Span(handler.start, handler.start + 1)
                ):
                    certainty = because("possible", "there is a comment in the handler")
                elif trials.is_trial(function):
                    certainty = because("possible", trials.REASON)
                yield function.finding(
                    Span(handler.start, handler.start + len("catch")),
                    said,
                    certainty=certainty,
                    help="log it, or store it where a caller can query it",
                    steps=(function.step(cause, "this can throw"),),
                )
                break


def _tells(statement: records.Statement) -> bool:
    """Whether a handler's statement does anything."""
    match statement:
        case records.Block() | records.Leave(kind="return" | "continue" | "break", value=None):
            return False
        case records.Evaluate(value=records.Cast(type="void", value=records.Name())):
            return False
    return True


def _lost_work(function: Function, tried: records.Try) -> events.CallEvent | None:
    """The first call that is tried of which a failure loses something: the project's own that throws, and gives
    nothing up."""
    inside = Span(tried.body[0].start, tried.body[-1].end) if tried.body else None
    for call in function.flow.calls if inside is not None else ():
        if inside is not None and call.span.start in inside and call.node.kind == "call":
            name = places.last_name(call.node.callee)
            if destructors.only_ends(name) or telling.is_logger(function.program, name):
                continue
            if destructors.may_throw(function, call.node) or _WRITES.match(name):
                return call
    return None


_WRITES = re.compile(
    r"(?i)_*(?:do_?)?(?:commit|flush|f?sync|save|store|persist|write|publish|post|checkpoint|upload)(?!r)"
)


def _could_tell(function: Function) -> bool:
    """Whether the function answers with a status, or with nothing at all."""
    record = function.record
    if function.language != "cpp" or not function.says(_OK_SAYS):
        return False
    if record.result in ("", "void") or record.kind in ("constructor", "destructor"):
        return True
    return function.program.statuses.of(record.result, function) is not None


def _is_kept(function: Function, seen: telling.Seen) -> bool:
    """Whether the outcome lies where others can look at it."""
    return seen.kept is not None and (len(seen.kept) > 1 or not function.is_local(seen.kept))


def _only_asks(function: Function, seen: telling.Seen) -> bool:
    return failure.asks(function, seen.cause) or failure.only_looks(seen.cause.node)


def _finding(function: Function, seen: telling.Seen, after: telling.Aftermath, leave: events.LeaveEvent) -> Finding:
    called = text(seen.cause.node.callee)
    steps = [] if seen.cause.span.start >= seen.test.span.start else [function.step(seen.cause, "this can fail")]
    if leave.value is not None:
        steps.append(function.step(leave, f"`{function.name}` returns as if it had succeeded"))
    quiet = function.record.result in ("", "void")
    return function.finding(
        seen.test,
        f"the failure of `{called}` is detected here but never reported",
        certainty=_certainty(function, seen, after, leave),
        help="log it, or store it where a caller can query it"
        if quiet
        else "return it, or explain in a comment why it can be ignored",
        steps=tuple(steps),
    )


def _certainty(function: Function, seen: telling.Seen, after: telling.Aftermath, leave: events.LeaveEvent) -> Certainty:
    sure = tempered(seen.certainty, because("intent", "the failure may be ignored on purpose"))
    if trials.is_trial(function):
        return because("possible", trials.REASON)
    if _is_commented(function, seen, after, leave):
        return because("possible", "there is a comment next to the test or in its branch")
    tries = _TRIES.search(places.last_name(seen.cause.node.callee)) or _TRIES.search(function.name)
    spared = (
        tries
        or (seen.status.kind == "enum" and function.record.result in ("", "void"))
        or telling.tells_itself(function, seen.cause.node)
        or _is_kept_inside(function, seen)
        or _is_noticed(function, after)
        or _is_one_of_several(seen)
    )
    return because("possible", "this failure appears to be ignored on purpose") if spared else sure


def _is_one_of_several(seen: telling.Seen) -> bool:
    """`Work().ok() && Fits(x)`: whether more is asked before the good side is taken, so that it has two ways to end."""
    return seen.kept is None and any(
        isinstance(inner, records.Binary) and inner.op in ("&&", "and") and seen.test.span.start in inner.left.span
        for inner in places.walk(seen.branch.condition)
    )


def _is_kept_inside(function: Function, seen: telling.Seen) -> bool:
    """Whether the callee keeps the outcome where others can ask for it, or has nothing but success to tell."""
    callees = function.program.calls.callee(seen.cause.node, function).functions
    return answers.are_kept(callees) or answers.cannot_fail(callees, seen.cause.node, seen.status)


def _is_commented(function: Function, seen: telling.Seen, after: telling.Aftermath, leave: events.LeaveEvent) -> bool:
    spots = [seen.test.span, seen.cause.span]
    if leave in after.own:
        spots.append(leave.span)
    if any(function.has_comment_near(span) for span in spots):
        return True
    branch = seen.branch
    inside = Span(branch.condition.end, branch.end)
    return seen.side is branch.then and function.has_comment_inside(inside)


def _has_default(function: Function, after: telling.Aftermath) -> bool:
    """Whether the good side does no more than replace what some local holds for the other case."""
    acts = [event for event in after.other if isinstance(event, events.Write) or _does(event)]
    writes = [event for event in acts if isinstance(event, events.Write) and not event.fresh]
    if not writes or any(isinstance(event, events.CallEvent) for event in acts):
        return False
    return all(_has_value(function, write.place) for write in writes)


def _does(event: events.Event) -> bool:
    return isinstance(event, events.CallEvent) and bool(event.dropped)


def _has_value(function: Function, place: Place) -> bool:
    return function.is_local(place) and place[0] in function.locals and function.locals[place[0]][1] is not None


def _is_noticed(function: Function, after: telling.Aftermath) -> bool:
    """Whether the good side leaves something in a local which is looked at where both sides have met."""
    touched = [
        event.place if isinstance(event, events.Write) else event.receiver
        for event in after.other
        if isinstance(event, events.CallEvent) or (isinstance(event, events.Write) and not event.fresh)
    ]
    left = {place[0] for place in touched if place is not None and function.is_local(place)}
    if any(name not in function.locals for name in left):
        return True  # around a lambda
    only = set(after.own)
    return any(
        isinstance(event, events.Read) and event.place[0] in left for event in after.reached if event not in only
    )
