"""An owner releases what it owns before the work that can fail is done.

## What it reports

- Owners are smart pointers and the scoped types that models name, and the project's own classes that release something
  when they are destroyed and have a method without parameters that hands out a member and empties it. The way from
  there to the failing exit is that of `handle-leaked`.

## Why it is a bug

`owner.release()` hands out a raw handle; from then on nobody frees it until the next owner has it. When something that
stands in between fails, the handle is lost: the owner that was there to prevent just that has been emptied too early.

## Example

bad:

```cpp
Status Engine::Install(std::unique_ptr<Plan> plan) {
  Plan* raw = plan.release();
  RETURN_IF_ERROR(Warm(raw));
  plan_ = raw;
  return OkStatus();
}
```

```text
case.cc:2: error: `plan` gives up ownership before `Warm` has succeeded
  help: keep `plan` as the owner until nothing can fail any more, and release it where it is adopted
```

good:

```cpp
Status Engine::Install(std::unique_ptr<Plan> plan) {
  RETURN_IF_ERROR(Warm(plan.get()));
  plan_ = plan.release();  // nothing can fail between the two
  return OkStatus();
}
```

## How to fix it

Keep `plan` as the owner until nothing can fail any more, and release it where it is adopted.

## What it does not report

- where the handle is adopted before anything can fail, in the same statement or later, where the failing way frees it,
  and for methods named `release` of classes that own nothing.

## Known limitations

- what is given up as an argument of the next call is that call's. A `release` that nobody uses is often a leak on
  purpose, and is not reported.

## Source

a review of GPU command-buffer caching in XLA, whose scoped allocations were released one call too early.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, failure, leaks, rule


@rule(severity="error", cwe=(460,))
def released_before_success(function: Function) -> Iterator[Finding]:
    for loss in leaks.losses(function):
        if loss.kind == "disowned":
            cause = next((way.cause for way in loss.ways if way.cause is not None), None)
            work = failure.work(function, cause)
            yield function.finding(
                loss.acquired,
                f"`{loss.name}` gives up ownership before {work} has succeeded",
                certainty=loss.certainty,
                help=(
                    f"keep `{loss.name}` as the owner until nothing can fail any more, and release it "
                    "where it is adopted"
                ),
                steps=tuple(leaks.steps(function, loss, "the released object")),
            )
