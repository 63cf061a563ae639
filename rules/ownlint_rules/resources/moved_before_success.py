"""A member is moved from by a call that can fail, and still looks as if it had a value.

## What it reports

- where the member is an optional or a status with a value, the call that gets it can fail and the function leaves
  because of that, nothing on the way puts something else into the member, and a condition of the class asks if it has a
  value. Where nobody asks, it is `possible`.

## Why it is a bug

`std::move(*builder_).Build()` consumes what an optional member holds. The optional itself does not notice: it still
says that it has a value. Where the call fails and the function leaves, the next caller asks `has_value()`, is told yes,
and goes on with what was moved from.

## Example

bad:

```cpp
struct Compiler {
  Status Finish() {
    if (!builder_.has_value()) return FailedPreconditionError("finished");
    ASSIGN_OR_RETURN(image_, std::move(*builder_).Build());
    builder_.reset();
    return OkStatus();
  }
  std::optional<Builder> builder_;
  Image image_;
};
```

```text
case.cc:4: warning: `builder_` is moved from when `Build` fails, but still appears to hold a value
  help: move the value out of `builder_` first (`std::exchange`), or reset it on the failing path
```

good:

```cpp
struct Compiler {
  Status Finish() {
    if (!builder_.has_value()) return FailedPreconditionError("finished");
    Builder builder = *std::exchange(builder_, std::nullopt);
    ASSIGN_OR_RETURN(image_, std::move(builder).Build());
    return OkStatus();
  }
  std::optional<Builder> builder_;
  Image image_;
};
```

## How to fix it

Move the value out of `builder_` first (`std::exchange`), or reset it on the failing path.

## What it does not report

- for smart pointers, which are null when they have been moved from, and where the failing way resets the member, by
  itself, by a cleanup or by another method.

## Known limitations

- objects that are thrown away after a failure cannot be told from others. Classes of the project that keep a flag
  beside the value are not seen.

## Source

a review of GPU command-buffer caching in XLA.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Step, because, failure, rule
from ownlint_rules.resources import _consuming as consuming


@rule(severity="warning", cwe=(460,))
def moved_before_success(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or function.record.kind in ("constructor", "destructor"):
        return
    failing: list[failure.Failure] | None = None
    for one in consuming.consumed(function):
        failing = failure.failures(function) if failing is None else failing
        failed = next((found for found in failing if _is_lost(function, one, found)), None)
        if failed is not None and not consuming.ended_by_guard(function, one.member):
            yield _finding(function, one, failed)


def _is_lost(function: Function, one: consuming.Consumed, failed: failure.Failure) -> bool:
    """Whether the exit is taken because the call failed, or one it is an argument of, with the member as it is."""
    cause = failed.cause
    if cause is None or not (cause.span.start <= one.call.span.start and one.call.span.end <= cause.span.end):
        return False
    way = function.flow.path(
        one.call,
        lambda event: event.index == failed.leave.index,
        lambda event: consuming.empties(function, event, one.member),
    )
    return way is not None


def _finding(function: Function, one: consuming.Consumed, failed: failure.Failure) -> Finding:
    cause = failed.cause
    work = failure.work(function, cause)
    asked = consuming.asked(function, one.member)
    steps = [function.step(failed.at, f"this returns while `{one.name}` is moved from")]
    if asked is not None:
        steps.append(Step(asked[0].path, asked[1].span, f"this checks whether `{one.name}` has a value"))
    return function.finding(
        one.call,
        f"`{one.name}` is moved from when {work} fails, but still appears to hold a value",
        certainty=because("path", f"on the path where {work} fails")
        if asked is not None
        else because("possible", f"nothing that checks whether `{one.name}` has a value was found"),
        help=f"move the value out of `{one.name}` first (`std::exchange`), or reset it on the failing path",
        steps=tuple(steps),
    )
