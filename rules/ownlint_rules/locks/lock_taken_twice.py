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
case.cc:9: error: `g_lock` is held here, and `Log` locks it again
  help: unlock it first, or call a variant that expects it to be held
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

from ownlint import Certainty, Finding, Function, because, rule
from ownlint_rules.locks import _relocking as relocking


@rule(severity="error", cwe=(764,))
def lock_taken_twice(function: Function) -> Iterator[Finding]:
    for one in relocking.taken_again(function):
        if one.callee is None:
            yield function.finding(
                one.event,
                f"`{one.lock}` is already held here and is locked again",
                certainty=because("possible", "a condition decides which of several paths locks")
                if one.wait.conditional
                else "certain",
                help="unlock it first, or do not lock it again",
            )
            continue
        constructs = one.callee.record.kind == "constructor" and one.callee.home is not None
        name = f"the constructor of `{one.callee.home.name}`" if constructs and one.callee.home else ""
        yield function.finding(
            one.event,
            f"`{one.lock}` is held here, and {name or f'`{one.callee.name}`'} locks it again",
            certainty=_certainty(one),
            help="unlock it first, or call a variant that expects it to be held",
            steps=(one.wait.where.step(one.wait.span, "locked here"),),
        )


def _certainty(again: relocking.Again) -> Certainty:
    where = again.wait.where.name
    if again.wait.conditional:
        return because("possible", f"`{where}` locks only under a condition")
    return because("path", f"on the path through `{where}` that locks")
