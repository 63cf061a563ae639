"""A stored callback is called while a lock is held.

## What it reports

- a call of a stored `std::function`, function pointer or Python callable, which other code has set, while a lock is
  held on every path
- the same in a function that is called with the lock held, at any depth

## Why it is a bug

A callback may do anything. It may lock the same mutex, by calling the object that calls it, or wait for a thread that
does: a deadlock. And while it runs, every other thread waits.

## Example

bad:

```cpp
class Watcher {
 public:
  void OnChange(std::function<void(int)> callback) {
    std::lock_guard<std::mutex> guard(mu_);
    callback_ = std::move(callback);
  }
  void Set(int value) {
    std::lock_guard<std::mutex> guard(mu_);
    value_ = value;
    callback_(value);
  }
 private:
  std::mutex mu_;
  int value_ = 0;
  std::function<void(int)> callback_;
};
```

```text
case.cc:10: warning: `callback_` is called while `mu_` is held
  help: copy the callback while the lock is held, and call the copy after the unlock
```

good:

```cpp
class Watcher {
 public:
  void OnChange(std::function<void(int)> callback) {
    std::lock_guard<std::mutex> guard(mu_);
    callback_ = std::move(callback);
  }
  void Set(int value) {
    std::function<void(int)> callback;
    {
      std::lock_guard<std::mutex> guard(mu_);
      value_ = value;
      callback = callback_;
    }
    callback(value);
  }
 private:
  std::mutex mu_;
  int value_ = 0;
  std::function<void(int)> callback_;
};
```

## How to fix it

Copy the callback while the lock is held, and call the copy after the unlock.

## What it does not report

- callbacks that are called after the unlock
- recursive locks
- parameters, which the caller chose for this call
- functions that the class itself stored, callees that receive the guard or unlock first, and functions whose result is
  used (a clock, an order, a factory)
- with the default `--certainty`: a lock that exists only for the callback

## Known limitations

- Whether the callback acquires the lock is not known. The lock and the callback have to belong to one object, one class
  or one file; other locks are not reported.
- A table of functions that is initialized as a whole does not count as callbacks.

## Source

C++ Core Guidelines CP.22: never call unknown code while holding a lock.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, assignments, because, rule, stored_calls
from ownlint_rules.locks import _guarded as guarded


@rule(severity="warning", cwe=(833,))
def callback_under_lock(function: Function) -> Iterator[Finding]:
    for call in stored_calls.under_lock(function):
        direct, (lock, key) = call.where is function, call.held[0]
        by = "" if direct else f", by `{call.where.name}`"
        meant = guarded.is_there_for(function.program, key, call.holder[-1])
        yield function.finding(
            function.flow.events[call.at],
            f"`{call.name}` is called while `{assignments.spelled(function, lock)}` is held{by}",
            certainty=because("possible", f"`{key.name}` exists for the callback only")
            if meant
            else because("unread-code", "it depends on what the callback does"),
            help="copy the callback while the lock is held, and call the copy after the unlock",
            steps=() if direct else (call.where.step(call.span, f"`{call.name}` is called here"),),
        )
