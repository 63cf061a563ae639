"""A cache entry is published before the work that makes it usable has succeeded.

## What it reports

- an entry that is inserted into a container which outlives the call, before an operation on it that can fail, if a
  failing exit leaves the entry in place
- only if the same function skips the work when it finds the key, or another method returns the entry

## Why it is a bug

If the operation fails, the entry stays. The next caller finds it, skips the work and uses an object that was never
initialized.

## Example

bad:

```cpp
absl::StatusOr<Plan*> Plans::For(int size) {
  auto it = plans_.find(size);
  if (it != plans_.end()) return it->second.get();
  plans_[size] = std::make_unique<Plan>(size);
  RETURN_IF_ERROR(plans_[size]->Tune());
  return plans_[size].get();
}
```

```text
case.cc:4: error: `plans_[size]` is cached before `Tune` has succeeded
  help: store it after `Tune` has succeeded, or erase it on the failing path
```

good:

```cpp
absl::StatusOr<Plan*> Plans::For(int size) {
  auto it = plans_.find(size);
  if (it != plans_.end()) return it->second.get();
  auto plan = std::make_unique<Plan>(size);
  RETURN_IF_ERROR(plan->Tune());
  return (plans_[size] = std::move(plan)).get();
}
```

## How to fix it

Insert the entry after the operation has succeeded, or erase it on the failing path.

## What it does not report

- failing paths, cleanups and helpers that erase or replace the entry
- entries that store the result, and lookups that return the error
- keys that are never looked up
- counts and flags, which `flag-set-before-success` reports, and numbers that are assigned in sequence

## Known limitations

- Sequences (`push_back`) have no keys and are not analysed.
- It is not known that a caller erases the entry after a failure.

## Source

a review of GPU command-buffer caching in XLA, where a cache's entry is made before the command buffer in it has been
recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    assignments,
    because,
    conditions,
    events,
    failure,
    glance,
    lasting,
    places,
    records,
    rule,
    text,
    trials,
    types,
    weaker,
)
from ownlint_rules.status import _passing as passing
from ownlint_rules.status import _skipping as skipping
from ownlint_rules.status import _unfinished as unfinished

_REFERENCE = re.compile(rb'&"')
"""A local that is a reference, to a slot for one."""
_HELD = assignments.Held("object", True)
_NO_ENTRY = frozenset({"flag", "cleared", "emptied", "state", "bit", "count"})


@rule(severity="error", cwe=(696,))
def cached_before_success(function: Function) -> Iterator[Finding]:
    if not _may_keep(function):
        return
    failing: list[failure.Failure] | None = None
    told: set[int] = set()
    for kept, value in _entries(function):
        if kept.event.span.start in told or not lasting.outlives(function, kept):
            continue
        if failing is None:
            failing = [*failure.failures(function), *failure.thrown(function, passed=True)]
        for failed in unfinished.failures_after(function, kept, failing):
            if _is_given_outcome(function, kept, failed) or _is_empty_where(function, kept, failed):
                continue
            if _put_nothing_where(function, kept, failed):
                continue
            skip = skipping.skip_here(function, kept, failed) or _handed_out(function, kept, value, failed)
            if skip is not None:
                told.add(kept.event.span.start)
                yield _finding(function, kept, failed, skip)
                break


def _may_keep(function: Function) -> bool:
    """Whether it puts something under a key and may leave early. Needs no decoding."""
    record = function.record
    if function.language != "cpp" or record.kind in ("constructor", "destructor"):
        return False
    if not function.mentions_any(function.program.models.containers.keyed) and not (
        names := glance.names_set(function)
    ) & {""}:
        return bool(names) and function.says(_REFERENCE) and glance.may_fail(function)
    return glance.may_fail(function)


def _finding(function: Function, kept: assignments.Assignment, failed: failure.Failure, skip: skipping.Skip) -> Finding:
    shown = assignments.spelled(function, kept.place)
    cause = failed.cause
    work = failure.work(function, cause)
    steps = [skip.step]
    if cause is not None:
        steps.append(function.step(cause, "this can still fail"))
    return function.finding(
        kept.event,
        f"`{shown}` is cached before {work} has succeeded",
        certainty=_certainty(function, kept, failed, skip),
        help=f"store it after {work} has succeeded, or erase it on the failing path",
        steps=tuple(steps),
    )


def _certainty(
    function: Function, kept: assignments.Assignment, failed: failure.Failure, skip: skipping.Skip
) -> Certainty:
    if trials.is_trial(function):
        return because("possible", trials.REASON)
    if passing.ends_with_failure(function, kept.place, failed):
        return because("possible", "the object may be discarded if this fails")
    work = f"this happens only if {failure.fails(function, failed.cause, failed.leave)}" if failed.cause else ""
    return weaker(skip.certainty, failed.certainty, because("path", work))


# --- what is kept ---


def _entries(function: Function) -> Iterator[tuple[assignments.Assignment, records.Value | None]]:
    """What is put under a key, as something that is there from then on, and the value that is."""
    for event in function.flow:
        match event:
            case events.Write(fresh=False, op="=", place=where, value=value) if _is_entry(function, where, value):
                yield assignments.Assignment(event, where, _HELD), value
            case events.CallEvent(node=call, receiver=where) if where is not None and _puts_pair(call, function):
                key = assignments.inserted(call, function)
                if key is not None and not assignments.is_number_of(function, where, call.args[-1]):
                    yield assignments.Assignment(event, (*where, f"[{text(key)}]"), _HELD), call.args[-1]


def _is_entry(function: Function, where: Place, value: records.Value | None) -> bool:
    if len(where) < 2 or not where[-1].startswith("[") or value is None:
        return False
    known = assignments.held(value)
    if known is not None and known.kind in _NO_ENTRY:
        return False
    if isinstance(places.strip(value), records.Literal | records.Binary) or assignments.is_number_of(
        function, where[:-1], value
    ):
        return False
    return not any(assignments.place(function, inner) == where for inner in places.walk(value))


def _puts_pair(call: records.Call, function: Function) -> bool:
    """Whether a key comes with a value, or the value is made of nothing: a set has keys alone."""
    name = places.last_name(call.callee)
    if name not in function.program.models.containers.keyed or not call.args:
        return False
    if name == "try_emplace" or len(call.args) > 1:
        return not isinstance(call.args[-1], records.Literal)
    return assignments.inserted(call, function) is not call.args[0]


# --- who finds it ---


def _is_given_outcome(function: Function, kept: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the entry is handed the outcome: whoever finds it learns of the failure."""
    if failed.cause is None:
        return False
    outcome = {
        write.place[0]
        for write in function.flow.writes
        if any(inner is failed.cause.node for inner in places.walk(write.value))
    }
    for event in function.flow.dominators(failed.leave):
        if event is failed.cause:
            return False
        if isinstance(event, events.CallEvent) and event.receiver and places.covers(kept.place, event.receiver):
            handed = (inner for argument in event.node.args for inner in places.walk(argument))
            if any(isinstance(inner, records.Name) and inner.text in outcome for inner in handed):
                return True
    return False


def _is_empty_where(function: Function, kept: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the failure stands where a look at the entry found nothing: `if (!slots[id]) return fail();`."""
    holding = conditions.Given(kept.place, assignments.Held("object", True))
    return isinstance(kept.event, events.Write) and any(
        conditions.comes_to(function, test.value, holding) is (not outcome)
        for test, outcome in function.flow.guards(failed.cause or failed.leave)
        if not test.asserted and any(by is kept.event for by in function.flow.dominators(test))
    )


def _put_nothing_where(function: Function, kept: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the failure stands where the insertion said that the key was there already: the entry is older then."""
    if not isinstance(kept.event, events.CallEvent):
        return False
    bound = [write.place for write in function.flow.writes if write.fresh and write.value is kept.event.node]
    if not bound:
        return False
    done = conditions.Given(bound[1] if len(bound) == 2 else (*bound[0], "second"), assignments.Held("flag", True))
    return any(
        conditions.comes_to(function, test.value, done) is (not outcome)
        for test, outcome in function.flow.guards(failed.leave)
        if not test.asserted
    )


def _handed_out(
    function: Function, kept: assignments.Assignment, value: records.Value | None, failed: failure.Failure
) -> skipping.Skip | None:
    """Another method that gives out what it finds under a key, while the entry itself was not made ready."""
    if failed.cause is None or not _is_about(function, kept, value, failed.cause):
        return None
    container = kept.place[:-1]
    # What an exception goes through is unwound, and most often given up.
    certainty: Certainty = "possible" if failed.leave.kind == "throw" else "likely"
    for other in skipping.neighbours(function):
        if other is function or other.home is not function.home or not glance.says(other, container[-1]):
            continue
        for leave in other.flow.leaves:
            if leave.kind == "return" and leave.value is not None and _is_of(other, leave.value, container):
                return skipping.Skip(other.step(leave, f"`{other.name}` returns it"), certainty)
    return None


def _is_of(other: Function, value: records.Value, container: Place) -> bool:
    """Whether the value is an element of the container: `it->second`, `m[k]`, `m.at(k).get()`."""
    for inner in places.walk(value):
        where = assignments.place(other, inner)
        if where is not None and len(where) > len(container) and places.covers(container, where):
            return True
        if isinstance(inner, records.Member) and inner.name == "second" and _finds(other, inner.base, container):
            return True
    return False


def _finds(other: Function, base: records.Value, container: Place) -> bool:
    """Whether it is an iterator that was looked up in the container."""
    inner = places.strip(base)
    found = other.locals.get(inner.text, ("", None))[1] if isinstance(inner, records.Name) else None
    return isinstance(found, records.Call) and assignments.place(other, places.receiver(found)) == container


def _is_about(
    function: Function, kept: assignments.Assignment, value: records.Value | None, cause: events.CallEvent
) -> bool:
    """Whether the work is done on the entry: called on it, or given it."""
    names = _names(function, kept, value)
    on = places.receiver(cause.node)
    if not _is_object(function, value):
        return False
    for handed in (*cause.node.args, on):
        for inner in places.walk(handed):
            if isinstance(inner, records.Name) and inner.text in names:
                return True
            where = assignments.place(function, inner) if isinstance(inner, records.Index | records.Member) else None
            if where is not None and places.covers(kept.place, where):
                return True
    return False


def _is_object(function: Function, value: records.Value | None) -> bool:
    """Whether what is kept can be made ready at all; a number cannot."""
    written = function.program.types.of(places.strip(value), function)
    kind = types.parse(written)
    return not written or bool(kind.pointers) or (kind.name not in ("bool", "char") and not failure.is_number(written))


def _names(function: Function, kept: assignments.Assignment, value: records.Value | None) -> set[str]:
    """The locals that are the entry, or lead to it."""
    inner = places.strip(value)
    names = {inner.text} if isinstance(inner, records.Name) and inner.text in function.locals else set()
    for write in function.flow.writes:
        if not write.fresh or write.value is None:
            continue
        for part in places.walk(write.value):
            if part.span == kept.event.span or (isinstance(part, records.Name) and part.text in names):
                names.add(write.place[0])
    return names
