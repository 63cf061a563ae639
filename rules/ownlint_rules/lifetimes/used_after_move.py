"""An object is used after it was moved from.

## What it reports

- a smart pointer that is dereferenced, or a function object that is called, after it was moved from
- the contents of a string, a container or an object of the project that are read after the move, or moved again
- the same after `std::exchange` with null, after a function of the project that moves from its argument, and in the
  next iteration of a loop

## Why it is a bug

A moved-from object is valid but unspecified: a pointer is null, a function object is empty, a string or vector is
usually empty. Dereferencing the pointer crashes; reading the string gives the wrong value.

## Example

bad:

```cpp
void Submit(Queue& queue, std::unique_ptr<Job> job) {
  queue.Add(std::move(job));
  Log("submitted", job->name());
}
```

```text
case.cc:3: error: `job` is used after it was moved from
  help: move it after its last use, or assign a new value first
```

good:

```cpp
void Submit(Queue& queue, std::unique_ptr<Job> job) {
  Log("submitting", job->name());
  queue.Add(std::move(job));
}
```

## How to fix it

Move the object after its last use, or assign a new value first.

## What it does not report

- numbers and raw pointers, which a move copies, and constants
- comparisons with null, `size` and `empty`
- objects that were assigned, cleared or passed to a function that may fill them
- functions that only read their rvalue argument

## Known limitations

- Objects of unknown classes, elements, what a `return` moves, and two arguments of one call are not analysed.

## Source

[lib.types.movedfrom]; clang-tidy's `bugprone-use-after-move`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, memory, rule


@rule(severity="error", cwe=(416, 672))
def used_after_move(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in memory.troubles(function):
        if one.ended.why != "given away" or one.at.index in told:
            continue
        told.add(one.at.index)
        yield function.finding(
            one.at,
            f"`{one.name}` is used after it was moved from",
            certainty=memory.certainty(one),
            help="move it after its last use, or assign a new value first",
            steps=(function.step(function.flow.events[one.ended.at], "moved from here", "ends"),),
        )
