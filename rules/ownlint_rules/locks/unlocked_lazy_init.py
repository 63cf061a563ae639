"""Lazy initialization is not protected against a second thread.

## What it reports

- a pointer, owner, optional or flag that a function sets because it found it unset, without a lock, in a class or file
  that uses locks, or in a const method that returns what it created
- double-checked locking whose first check is not atomic
- an atomic flag (`initialized_`) that is set before the work that other threads then take for done

## Why it is a bug

Two threads can both find the member unset. Both initialize it, and one object leaks or is destroyed while the other
thread uses it. A function-local static is safe; a pointer that is tested and set is not.

## Example

bad:

```cpp
class Reader {
  std::mutex mu_;
  Index* index_ = nullptr;
  int position_ = 0;
 public:
  Index* index() {
    if (!index_) index_ = new Index();
    return index_;
  }
  void Seek(int to) { std::lock_guard<std::mutex> lock(mu_); position_ = to; }
};
```

```text
case.cc:7: warning: `index_` is created on first use without a lock: two threads can both initialize it
  help: hold a lock for the test and the assignment, or use `std::call_once`
```

good:

```cpp
class Reader {
  std::mutex mu_;
  Index* index_ = nullptr;
  int position_ = 0;
 public:
  Index* index() {
    std::lock_guard<std::mutex> lock(mu_);
    if (!index_) index_ = new Index();
    return index_;
  }
  void Seek(int to) { std::lock_guard<std::mutex> lock(mu_); position_ = to; }
};
```

## How to fix it

Use a function-local static or `std::call_once`, or hold a lock for the check and the assignment.

## What it does not report

- functions whose every caller holds a lock
- atomics, once flags, `thread_local`, constructors and functions that only they call
- in classes without locks, non-const methods, iterators and readers
- with the default `--certainty`: a number that every thread would compute alike, flags that return nothing, binding
  files where the GIL may be held, and overrides whose callers may hold a lock

## Known limitations

- It is not known that only one thread uses an object in spite of its lock.
- Emptiness checks other than a test of the object itself (`size() == 0`) are not recognized.

## Source

the catalogue of lock bugs; Scott Meyers and Andrei Alexandrescu on double-checked locking.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, assignments, because, places, rule
from ownlint_rules.locks import _announcing as announcing
from ownlint_rules.locks import _lazily as lazily

_THREADS = "it is not known whether several threads run this"
_CONST = "harmless if no two threads call const methods of one object at the same time"


@rule(
    severity="warning",
    cwe=(362,),
    yields_to=("check-then-act-across-locks", "guarded-member-unlocked"),
)
def unlocked_lazy_init(function: Function) -> Iterator[Finding]:
    seen: set[places.Place] = set()
    for lazy in lazily.lazy_sets(function):
        certainty = _certainty(function, lazy)
        if certainty != "possible" and not lazy.guarded and lazily.is_behind_override(function):
            certainty = because("possible", "it overrides a method whose callers may hold a lock")
        if lazy.place in seen or (certainty != "possible" and lazily.is_called_safely(function)):
            continue
        seen.add(lazy.place)
        name = assignments.spelled(function, lazy.place)
        if lazy.guarded:
            message = f"`{name}` is set under a lock but read before it, and is not atomic"
            step, help = "is read here, before the lock is acquired", "make it an atomic, or check only under the lock"
        else:
            did, doing = ("set", "run the work") if lazy.is_flag else ("created", "initialize it")
            message = f"`{name}` is {did} on first use without a lock: two threads can both {doing}"
            step, help = "is read here", "hold a lock for the test and the assignment, or use `std::call_once`"
        yield function.finding(
            lazy.act,
            message,
            certainty=certainty,
            help=help,
            steps=(function.step(lazy.read, f"`{name}` {step}"),),
        )
    for early in announcing.announced(function):
        if lazily.is_called_safely(function) or lazily.is_at_the_start(function):
            continue
        name = assignments.spelled(function, early.place)
        yield function.finding(
            early.act,
            f"`{name}` is marked as done before the work is done",
            certainty=because("threads", "harmless if no other thread checks before the work is done"),
            help="use `std::call_once`, or set it under a lock after the work is done",
            steps=(function.step(early.work, "the work starts here"),),
        )


def _certainty(function: Function, lazy: lazily.Lazy) -> Certainty:
    """As sure as that several threads come here."""
    if lazy.guarded:
        return because("threads", _THREADS)
    if function.file.bindings or lazily.is_at_the_start(function):
        return because("possible", _THREADS)
    if not lazily.others_lock(function):
        if lazily.is_number_alone(function, lazy):
            return because("possible", "two threads that both compute it store the same number")
        asked = lazily.is_getter_of_all(function) and lazily.hands_out(function, lazy)
        return because("threads" if asked else "guess", _CONST)
    if "const" in function.record.qualifiers:
        return because("threads", _THREADS)
    if lazy.is_flag:  # a flag of the function's own says that it does something once
        return because("threads" if function.is_local(lazy.place) else "guess", _THREADS)
    return because("threads" if lazily.hands_out(function, lazy) else "guess", _THREADS)
