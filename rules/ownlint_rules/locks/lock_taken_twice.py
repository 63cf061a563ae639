"""A lock is acquired that the same thread already holds.

## What it reports

- with a lock held on every path, the same lock is taken again in the same body, or by a call, or by the constructor of
  an object, however many functions lie between: a global lock, a static member, or a member of the same object.

## Why it is a bug

A plain mutex does not know its holder. Who holds it and calls a function, or makes an object, that takes it once more
waits for itself: for ever.

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

Unlock it first, or call a variant that expects it to be held.

## What it does not report

- recursive locks, locks whose kind is chosen at run time, readers' guards, guards that only try or are deferred
- callees that may be others (virtual ones, overloads), other objects' locks, lambdas, which run later
- callees that are given the guard, or that unlock first.
- Not shown by default (`possible`): a callee in which a condition decides whether it locks, and nothing else.

## Known limitations

- whether the callee gets as far as its lock is not looked at. Objects that are made by `make_unique` and its like are
  not followed.

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
