"""A lock is acquired that the same thread already holds.

## What it reports

- a lock that is held on every path and acquired again in the same body
- the same in a called function or in the constructor of an object, at any depth; the lock is global, a static member or
  a member of the same object

## Why it is a bug

A `std::mutex` is not recursive: a thread that locks it twice waits for itself forever.

## Example

bad:

```cpp
static std::mutex g_lock;
void Log(const char* text) {
  std::lock_guard<std::mutex> guard(g_lock);
  write(text);
}
void Add(int n) {
  std::lock_guard<std::mutex> guard(g_lock);
  values.push_back(n);
  Log("added");
}
```

```text
case.cc:9: error: `Log` locks `g_lock`, which this thread already holds: the thread deadlocks
  help: unlock `g_lock` before the call, or call a variant that expects it to be held
```

good:

```cpp
static std::mutex g_lock;
void Log(const char* text) {
  std::lock_guard<std::mutex> guard(g_lock);
  write(text);
}
void Add(int n) {
  {
    std::lock_guard<std::mutex> guard(g_lock);
    values.push_back(n);
  }
  Log("added");
}
```

## How to fix it

Unlock it first, or split off a variant of the function that expects the lock to be held (`REQUIRES(mu_)`).

## What it does not report

- recursive locks, and locks whose kind is chosen at run time
- shared guards, `try_lock`, deferred guards
- callees that are ambiguous (overloads, virtual functions that more than one class has), locks of other objects, and
  lambdas, which run later
- callees that receive the guard or unlock first
- with the default `--certainty`: a callee that locks only under a condition

## Known limitations

- Whether the callee reaches its lock is not analysed.

## Source

[thread.mutex.class]: the behaviour is undefined; in practice the thread blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Step, because, rule
from ownlint_rules.locks import _relocking as relocking


@rule(severity="error", cwe=(764,))
def lock_taken_twice(function: Function) -> Iterator[Finding]:
    for one in relocking.taken_again(function):
        if one.callee is None:
            yield function.finding(
                one.event,
                f"`{one.lock}` is locked again while this thread holds it: the thread deadlocks",
                certainty=because("possible", "a condition decides which of several paths locks")
                if one.wait.conditional
                else "certain",
                help=f"remove this lock, or unlock `{one.lock}` before it",
                steps=_first(function, one),
            )
            continue
        constructs = one.callee.record.kind == "constructor"
        home = one.callee.home if constructs else None
        name = f"the constructor of `{home.name}`" if home is not None else f"`{one.callee.name}`"
        yield function.finding(
            one.event,
            f"{name} locks `{one.lock}`, which this thread already holds: the thread deadlocks",
            certainty=_certainty(one),
            help=f"unlock `{one.lock}` before the call, or call a variant that expects it to be held",
            steps=(*_first(function, one), one.wait.where.step(one.wait.span, "it is locked again here")),
        )


def _first(function: Function, again: relocking.Again) -> tuple[Step, ...]:
    """Where the lock was taken, and by which branch it is still held."""
    if again.first is None:
        span = function.record.name_span
        return (function.step(span, f"`{function.name}` is called with `{again.lock}` locked"),)
    return (
        function.step(again.first, f"`{again.lock}` is first locked here"),
        *function.branch(again.event, again.first),
    )


def _certainty(again: relocking.Again) -> Certainty:
    where = again.wait.where.name
    if again.wait.conditional:
        return because("possible", f"`{where}` locks only under a condition")
    return because("path", f"this happens only on a path through `{where}` that locks")
