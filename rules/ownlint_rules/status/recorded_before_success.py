"""Work is recorded as done before it has succeeded.

## What it reports

- a member that is compared with the requested value and then set to it before work that can fail, if a failing exit
  leaves the new value in place and the comparison skips the work
- the same through a helper that returns whether anything has changed

## Why it is a bug

If the work fails, the member records a value that was never applied. The next call compares equal and skips the work
for good.

## Example

bad:

```cpp
Status Display::Show(const Frame& frame) {
  if (shown_ == frame.id()) return OkStatus();
  shown_ = frame.id();
  RETURN_IF_ERROR(Upload(frame));
  return OkStatus();
}
```

```text
case.cc:3: warning: `shown_` is recorded as done before `Upload` has succeeded
  help: record it after `Upload` has succeeded, or restore the old value on the failing path
```

good:

```cpp
Status Display::Show(const Frame& frame) {
  if (shown_ == frame.id()) return OkStatus();
  RETURN_IF_ERROR(Upload(frame));
  shown_ = frame.id();
  return OkStatus();
}
```

## How to fix it

Record the value after the work has succeeded, or restore the old value on the failing path.

## What it does not report

- failing paths that restore the old value
- code that does other work, or rejects the call, if the values are equal
- ordered values (a lowest bid) and values computed from themselves (a cursor)
- locals and options

## Known limitations

- Helpers are followed one call deep; a helper that reports the change by a member or an argument is not.
- It is not known that a caller discards the object after a failure.

## Source

a review of GPU command-buffer caching in XLA, whose `UpdateBufferAllocations` notes the addresses that were passed to
the last `Record`; when `Record` fails, the next call submits a stale graph.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    assignments,
    because,
    events,
    failure,
    glance,
    lasting,
    places,
    rule,
    trials,
    undecoded,
    weaker,
)
from ownlint_rules.status import _noting as noting
from ownlint_rules.status import _passing as passing
from ownlint_rules.status import _skipping as skipping
from ownlint_rules.status import _unfinished as unfinished


@rule(severity="warning", cwe=(696,))
def recorded_before_success(function: Function) -> Iterator[Finding]:
    if not _may_note(function):
        return
    failing: list[failure.Failure] | None = None
    told: set[int] = set()
    for note in [*noting.own_notes(function), *noting.told_notes(function)]:
        event: events.Event = note.told or note.write
        noted = assignments.Assignment(event, note.place, assignments.Held("copy", None))
        if event.span.start in told or not lasting.outlives(function, noted) or _is_wish(note.place):
            continue
        if failing is None:
            failing = [*failure.failures(function), *failure.thrown(function, passed=True)]
        for failed in unfinished.failures_after(function, noted, failing):
            test = _skipping_test(function, note, noted, failed)
            if test is not None:
                told.add(event.span.start)
                yield _finding(function, note, failed, test)
                break


def _may_note(function: Function) -> bool:
    """Whether it writes, or calls what writes, and may leave early. Needs no decoding."""
    record = function.record
    if function.language != "cpp" or record.kind in ("constructor", "destructor"):
        return False
    if noting.noters(function.program).isdisjoint(function.mentioned) and not _may_note_itself(function):
        return False
    return glance.may_fail(function)


def _may_note_itself(function: Function) -> bool:
    """Whether it sets something that it also asks for, by name or as an element."""
    comparers = undecoded.comparers(function.program)
    return any(
        not name or glance.asks_again(function, name) or function.mentions_any(comparers.get(name, frozenset()))
        for name in glance.names_set(function)
    )


def _is_wish(place: Place) -> bool:
    return any(lasting.is_setting(step) for step in place[:-1])


def _finding(function: Function, note: noting.Note, failed: failure.Failure, test: events.Test) -> Finding:
    shown = assignments.spelled(function, note.place) if note.helper is None else places.render(note.write.place)
    cause = failed.cause
    work = failure.work(function, cause)
    steps = []
    if note.helper is not None:
        steps.append(note.helper.step(note.write, f"`{note.helper.name}` records it here"))
    steps.append(function.step(test, failure.is_decided_by(function, shown, cause)))
    if cause is not None:
        steps.append(function.step(cause, "this can still fail"))
    return function.finding(
        note.told or note.write,
        f"`{shown}` is recorded as done before {work} has succeeded",
        certainty=_certainty(function, note, failed),
        help=f"record it after {work} has succeeded, or restore the old value on the failing path",
        steps=tuple(steps),
    )


def _certainty(function: Function, note: noting.Note, failed: failure.Failure) -> Certainty:
    if trials.is_trial(function):
        return because("possible", trials.REASON)
    if passing.ends_with_failure(function, note.place, failed):
        return because("possible", "the object may be discarded if this fails")
    return weaker(failed.certainty, because("path", _path(function, failed)))


def _path(function: Function, failed: failure.Failure) -> str:
    return f"this happens only if {failure.fails(function, failed.cause, failed.leave)}" if failed.cause else ""


def _skipping_test(
    function: Function, note: noting.Note, noted: assignments.Assignment, failed: failure.Failure
) -> events.Test | None:
    """The test by which whoever finds nothing new goes around the work."""
    tests = [note.test] if note.told is None else list(_tests_of_answer(function, note.told))
    for test in tests:
        for now in (True, False):
            if skipping.skips(function, test, now, noted, failed):
                return test
    return None


def _tests_of_answer(function: Function, told: events.CallEvent) -> Iterator[events.Test]:
    """The tests of what the helper has answered."""
    kept = {
        write.place
        for write in function.flow.writes
        if write.value is not None and any(inner is told.node for inner in places.walk(write.value))
    }
    for test in function.flow.events:
        if not isinstance(test, events.Test) or test.asserted:
            continue
        if any(inner is told.node or assignments.place(function, inner) in kept for inner in places.walk(test.value)):
            yield test
