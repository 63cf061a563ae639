"""An object is used after it was moved from.

## What it reports

- a smart pointer that is dereferenced, a function that is called, the contents of a string, a container or an object of
  the project that are read, or moved once more, behind a move into a parameter, a member, a variable, a container or a
  lambda, behind `std::exchange` with null, and behind a function of the project that moves from what it is given
- also in the next round of a loop.

## Why it is a bug

What is moved from may be assigned, cleared and destroyed. What it holds is no longer what it held: a pointer is null, a
function is empty, a string or a vector has mostly nothing in it.

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

Move it after its last use, or assign a new value first.

## What it does not report

- numbers and pointers, of which a move is a copy, constants, a comparison with null, `size` and `empty`, what was
  assigned, cleared or given to a function that may fill it since, functions that only look at what they are offered.

## Known limitations

- objects of classes that are not seen, elements, what a `return` moves, and two arguments of one call.

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
