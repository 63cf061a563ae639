"""An owner releases what it owns before the work that can fail is done.

## What it reports

- the result of `owner.release()` that is not adopted before an operation that can fail, so that the function returns
  without an owner
- the same for the scoped types of models, and for classes of the project with a method that returns a member and clears
  it

## Why it is a bug

After `release()` nothing frees the object until the next owner has it. If an operation in between fails, the object
leaks: the smart pointer that should prevent this was emptied too early.

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
case.cc:2: error: `plan` gives up ownership before `Warm` has succeeded: the object leaks if that fails
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

Keep the owner until nothing can fail any more, and release in the expression that adopts the object.

## What it does not report

- objects that are adopted before anything can fail
- failing paths that free the object
- methods named `release` of classes that own nothing

## Known limitations

- An object released as the argument of the next call belongs to that call.
- A discarded `release()` is often an intended leak and is not reported here.

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
                f"`{loss.name}` gives up ownership before {work} has succeeded: the object leaks if that fails",
                certainty=loss.certainty,
                help=(
                    f"keep `{loss.name}` as the owner until nothing can fail any more, and release it "
                    "where it is adopted"
                ),
                steps=tuple(leaks.steps(function, loss, f"the object of `{loss.name}`")),
            )
