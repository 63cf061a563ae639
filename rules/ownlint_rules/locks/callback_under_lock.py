"""A stored callback is called while a lock is held.

## What it reports

- a call of a `std::function`, a pointer to a function or a Python callable that is stored in a member, in a container
  or in a variable, and that others have put there (it is public, or given a parameter), with a lock held on every path
- also by a function that is called with the lock held, however many lie between.

## Why it is a bug

What a callback does is not known where it is called. It may lock what the caller has locked, by calling the very object
that calls it, or wait for a thread that does: then both wait for ever. And while it runs, every other thread waits.

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

- callbacks that are called behind the unlock, also through a copy
- recursive locks, which the same thread may take again
- parameters, which the caller has chosen for this very call
- functions that the class itself has put there, or that are stored in an object of the function's own
- callees that are given the guard, or that unlock first
- functions whose answer is used and is more than a status: a clock, an order, a factory.
- Not shown by default (`possible`): a lock that is there for the callback alone, so that nobody takes it away
  meanwhile.

## Known limitations

- whether the callback comes back to the lock is not looked at. It is looked for where who sets it knows the lock by the
  same object: both are of one object, or the class that calls it declares the lock, or both are variables of one file
- other locks that are held on the way to it are not reported. A table of functions that is written down whole is no
  callback.

## Source

C++ Core Guidelines CP.22: never call unknown code while holding a lock.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, places, rule, stored_calls
from ownlint_rules.locks import _guarded as guarded


@rule(severity="warning", cwe=(833,))
def callback_under_lock(function: Function) -> Iterator[Finding]:
    for call in stored_calls.under_lock(function):
        direct, (lock, key) = call.where is function, call.held[0]
        by = "" if direct else f", by `{call.where.name}`"
        meant = guarded.is_there_for(function.program, key, call.holder[-1])
        yield function.finding(
            function.flow.events[call.at],
            f"`{call.name}` is called while `{places.render(lock)}` is held{by}",
            certainty=because("possible", f"`{key.name}` exists for the callback only")
            if meant
            else because("unread-code", "it depends on what the callback does"),
            help="copy the callback while the lock is held, and call the copy after the unlock",
            steps=() if direct else (call.where.step(call.span, f"`{call.name}` is called here"),),
        )
