"""A lock is acquired that the same thread already holds.

A plain mutex does not know its holder. Who holds it and calls a function, or makes an object, that takes it once more
waits for itself: for ever.

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

Reported: a call, or the making of an object, with a lock held on every way to it, where the callee, or what it calls in
turn, takes the same lock: a global one, a static member, or a member of the same object.

Quiet: recursive locks, locks whose kind is chosen at run time, readers' guards, guards that only try; callees that may
be others (virtual ones, overloads), other objects' locks, lambdas, which run later.

Limits: whether the callee gets as far as its lock is not looked at. Objects that are made by `make_unique` and its like
are not followed; nor is a lock that is taken twice in one body.

Source: [thread.mutex.class]: the behaviour is undefined; in practice the thread blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.locks import _relocking as relocking


@rule(severity="error", cwe=(764,), usually="likely")
def lock_taken_twice(function: Function) -> Iterator[Finding]:
    for one in relocking.taken_again(function):
        constructs = one.callee.record.kind == "constructor" and one.callee.home is not None
        name = f"the constructor of `{one.callee.home.name}`" if constructs and one.callee.home else ""
        yield function.finding(
            one.event,
            f"`{one.lock}` is held here, and {name or f'`{one.callee.name}`'} takes it again",
            certainty=because("likely", f"on the path through `{one.callee.name}` that locks"),
            help="give the lock up before, or call something that expects it to be held",
            steps=(one.where.step(one.at, "it is taken here"),),
        )
