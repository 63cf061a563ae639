"""A failure is logged, and the missing result is used anyway.

## What it reports

- a local that is tested, where the failing branch only logs, and that is dereferenced or passed to a call after the
  `if` without another test
- the same where the outcome of the call is tested that acquires something into the local: `open(path, &db) != 0`

## Why it is a bug

The log says what is about to go wrong, but the code continues with a null handle: a crash, or an error far from its
cause.

## Example

bad:

```cpp
void Ring::Grow(size_t bytes) {
  char* block = arena_->Acquire(bytes);
  if (block == nullptr) {
    LOG(ERROR) << "no memory for " << bytes;
  }
  memcpy(block, data_, bytes);
}
```

```text
case.cc:3: note: `block` is null if `arena_->Acquire` fails, which is only logged
  help: return, or assign a replacement
```

good:

```cpp
absl::Status Ring::Grow(size_t bytes) {
  char* block = arena_->Acquire(bytes);
  if (block == nullptr) return absl::ResourceExhaustedError("ring");
  memcpy(block, data_, bytes);
  return absl::OkStatus();
}
```

## How to fix it

Return in the failing branch, or assign a replacement.

## What it does not report

- failing branches that return, assign a replacement or do anything else
- logs that terminate the program (`LOG(FATAL)`)
- locals that are tested again, stored, returned or deleted
- lookups (`Find..`), whose null result is an ordinary answer

## Known limitations

- Whether the callee accepts null is not analysed.
- Members are not tracked.

## Source

a review of GPU command-buffer caching in XLA: an allocation that failed was logged, and the loop went on with the
address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Finding, Function, because, events, failure, places, records, rule, text, weaker
from ownlint_rules.status import _telling as telling

_ASKS_NULL = re.compile(r"(?:is_?)?null(?:_?ptr)?", re.IGNORECASE)
_ENDS = re.compile(r"fatal|panic|abort|die", re.IGNORECASE)


class _Empty(NamedTuple):
    """A test that finds the local `name`, which `cause` has filled, empty when it goes the way of `outcome`."""

    test: events.Test
    outcome: bool
    name: str
    cause: events.CallEvent
    holds: bool
    """It is a result that holds a value, rather than a handle."""
    given: bool = False
    """The call is given its address, and answers with how it went."""

    @property
    def state(self) -> str:
        return "is not set" if self.given else "holds nothing" if self.holds else "is null"


@rule(severity="note", cwe=(390,))
def failure_only_logged(function: Function) -> Iterator[Finding]:
    if not _may_log(function):
        return
    sides = _logging_sides(function)
    for test, branch in sides:
        empty = _empty(function, test)
        if empty is None:
            continue
        found = _gone_on(function, branch, empty)
        if found is not None:
            yield _finding(function, empty, *found)


def _may_log(function: Function) -> bool:
    if function.language != "cpp":
        return False
    return any(name[0] != "=" and telling.is_logger(function.program, name) for name in function.mentioned)


def _logging_sides(function: Function) -> list[tuple[events.Test, records.Branch]]:
    """The conditions of one part each that decide about a side which does nothing but log."""
    branches = [
        branch
        for branch in function.statements
        if isinstance(branch, records.Branch)
        if any(_only_line(function, side) is not None for side in (branch.then, branch.other))
    ]
    if not branches:
        return []
    tests = [test for test in function.flow.events if isinstance(test, events.Test) and not test.asserted]
    found = []
    for branch in branches:
        inside = [test for test in tests if test.span.start in branch.condition.span]
        if len(inside) == 1:
            found.append((inside[0], branch))
    return found


def _empty(function: Function, test: events.Test) -> _Empty | None:
    found = _tested(function, test.value)
    if found is None:
        return _not_acquired(function, test)
    name, outcome, holds = found
    if not function.is_local((name,)) or name in function.parameter_names:
        return None
    cause = _maker(function, test, name)
    if cause is None or failure.asks(function, cause) or failure.only_looks(cause.node):
        return None
    return _Empty(test, outcome, name, cause, holds)


def _not_acquired(function: Function, test: events.Test) -> _Empty | None:
    """The local into which a call that has failed puts what it acquires: `if (open(path, &db) != 0)`."""
    for outcome in (True, False):
        cause, _ = failure.failing(function, test, outcome)
        for model in function.program.calls.callee(cause.node, function).models if cause is not None else ():
            for effect in model.effects:
                at = effect.place.index if effect.place is not None and effect.place.kind == "argument" else -1
                if cause is None or effect.verb != "acquire" or not 0 <= at < len(cause.node.args):
                    continue
                given = places.strip(cause.node.args[at])
                filled = places.strip(given.value) if isinstance(given, records.Unary) and given.op == "&" else None
                if isinstance(filled, records.Name) and function.is_local((filled.text,)):
                    return _Empty(test, outcome, filled.text, cause, holds=False, given=True)
    return None


def _tested(function: Function, condition: records.Value) -> tuple[str, bool, bool] | None:
    """The local that a condition looks at, the outcome that says that it is empty, and whether it is a result."""
    value, empty = places.strip(condition), False
    while isinstance(value, records.Unary) and value.op in ("!", "not"):
        value, empty = places.strip(value.value), not empty
    match value:
        case records.Name(text=name):
            return name, empty, False
        case records.Binary(op="==" | "!=" as op, left=records.Name(text=name), right=right) if _is_null(right):
            return name, (op == "==") is not empty, False
        case records.Call(callee=records.Member(base=records.Name(text=name), name=asked), args=()):
            if _ASKS_NULL.fullmatch(asked):
                return name, not empty, False
            if asked in ("ok", "has_value"):
                return name, empty, True
    return None


def _is_null(value: records.Value) -> bool:
    return isinstance(value, records.Literal) and value.kind == "null"


def _maker(function: Function, test: events.Test, name: str) -> events.CallEvent | None:
    """The call that has filled the local, where it is the last that did."""
    for event in function.flow.dominators(test):
        if isinstance(event, events.Write) and event.place == (name,):
            made = places.strip(event.value)
            return next((call for call in function.flow.calls if call.node is made and call.node.kind == "call"), None)
    return None


def _gone_on(function: Function, branch: records.Branch, empty: _Empty) -> tuple[events.CallEvent, events.Event] | None:
    """The log line, and the use behind it."""
    side = telling.side_of(function, branch, empty.test, empty.outcome)
    line = _only_line(function, side) if side else None
    if line is None or _only_tells(function, branch):
        return None
    end = branch.end
    use = next(
        (
            e
            for e in function.flow.after(empty.test, branch=empty.outcome)
            if e.span.start >= end and _uses(function, e, empty)
        ),
        None,
    )
    return (line, use) if use is not None and not _is_asked_again(function, empty, use) else None


def _only_tells(function: Function, branch: records.Branch) -> bool:
    """Whether both sides do nothing but log: the `if` chooses the words."""
    return all(side and _only_line(function, side) is not None for side in (branch.then, branch.other))


def _only_line(function: Function, side: records.Body) -> events.CallEvent | None:
    """The log line that is all of a block."""
    inside = [s for s in side if not isinstance(s, records.Block)] or [i for s in side for i in getattr(s, "body", ())]
    if not inside or not all(isinstance(statement, records.Evaluate) for statement in inside):
        return None
    first: events.CallEvent | None = None
    for statement in inside:
        line = telling.line_of(function, statement)
        if line is None or any(_ENDS.search(word) for word in telling.words_of(line.node)):
            return None
        if failure.ends_program(function, line.node):
            return None
        first = first or line
    return first


def _uses(function: Function, event: events.Event, empty: _Empty) -> bool:
    """Whether the local is dereferenced there, or a handle is given to a call."""
    if not isinstance(event, events.CallEvent) or event.node.kind not in ("call", "construct"):
        return False
    node = event.node
    if function.program.macros.role(places.last_name(node.callee)):
        return False
    if empty.given and any(model.has("release") for model in function.program.calls.callee(node, function).models):
        return False
    return any(_is_used(inner, empty) for part in (*node.args, node.callee) for inner in places.walk(part)) or (
        not empty.holds and any(_is_it(places.strip(argument), empty) for argument in node.args)
    )


def _is_used(value: records.Value, empty: _Empty) -> bool:
    match value:
        case records.Unary(op="*", value=inner) | records.Member(base=inner, arrow=True):
            return _is_it(inner, empty)
        case records.Member(base=inner, name="value"):
            return empty.holds and _is_it(inner, empty)
    return False


def _is_it(value: records.Value | None, empty: _Empty) -> bool:
    return isinstance(value, records.Name) and value.text == empty.name


def _is_asked_again(function: Function, empty: _Empty, use: events.Event) -> bool:
    """Whether another test of the local, or something new in it, stands before the use."""
    for event in function.flow.dominators(use):
        if event is empty.test:
            return False
        if isinstance(event, events.Write) and event.place == (empty.name,):
            return True
        asked: records.Value | None = None
        if isinstance(event, events.Test):
            asked = event.value
        elif isinstance(event, events.CallEvent) and event is not use and _may_leave(function, event):
            asked = event.node
        if empty.name in places.names_in(asked):
            return True
    return True


def _may_leave(function: Function, call: events.CallEvent) -> bool:
    """A macro that leaves, or ends the program, when it is not given what it wants."""
    role = function.program.macros.role(places.last_name(call.node.callee))
    return role in ("return on failure", "assign or return", "check", "assert", "evaluated assert")


def _finding(function: Function, empty: _Empty, line: events.CallEvent, use: events.Event) -> Finding:
    called = text(empty.cause.node.callee)
    certainty = because("path", f"this happens only if {failure.work(function, empty.cause)} fails")
    return function.finding(
        empty.test,
        f"`{empty.name}` {empty.state} if `{called}` fails, which is only logged",
        certainty=weaker(
            certainty,
            because("possible", "there is a comment next to it") if function.has_comment_near(line.span) else "certain",
        ),
        help="return, or assign a replacement",
        steps=(
            function.step(empty.cause, "this can fail"),
            function.step(line, "logged here"),
            function.step(use, f"`{empty.name}` is used anyway"),
        ),
    )
