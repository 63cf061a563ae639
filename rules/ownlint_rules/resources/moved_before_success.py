"""A member is moved from by a call that can fail, but still appears to hold a value.

## What it reports

- an optional or status member that is moved into a call, if the call can fail, the function returns because of that,
  and a condition of the class checks whether the member has a value

## Why it is a bug

`std::move(*builder_).Build()` consumes the value, but the optional does not notice: `has_value()` is still true. If the
call fails, the next caller uses a moved-from object.

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

Move the value out of the member first (`std::exchange(member, std::nullopt)`), or reset the member on the failing path.

## What it does not report

- smart pointers, which are null after a move
- failing paths that reset the member, also through a cleanup or another method

## Known limitations

- Objects that are discarded after a failure are not recognized.
- Classes of the project that store a flag next to the value are not analysed.
- If nothing checks for a value, the finding is `possible`.

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
        certainty=because("path", f"this happens only if {work} fails")
        if asked is not None
        else because("possible", f"nothing that checks whether `{one.name}` has a value was found"),
        help=f"move the value out of `{one.name}` first (`std::exchange`), or reset it on the failing path",
        steps=tuple(steps),
    )
