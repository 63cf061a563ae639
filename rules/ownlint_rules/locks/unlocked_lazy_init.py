"""Lazy initialisation is not protected against a second thread.

A getter looks whether a member is there, makes it when it is not, and hands it out. Two threads can both find
nothing: one object is lost or destroyed while it is in use. A static of a function begins once by itself; a pointer
that is tested and set does not.

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

Reported for pointers, owners and optionals, and for flags, that a function sets because it found them unset, with no
lock held at the look, where there is evidence of threads: a class with a lock that other methods take, and a method
that is const or hands out what it made; a const method that hands out what it made, whatever its class, since callers
expect that const methods of one object may run at the same time; a variable or bare static in a file that takes
locks. Also double-checked locking whose first look is no atomic, a lock that is taken behind the only look, and an
atomic (`initialized_`, `ready_`) that one thread sets before it does the work that the others then take for done.

Quiet where every caller holds a lock (annotations, guards, the calls in the project), for atomics and once flags, for
`thread_local`, in constructors and what they alone call, and, in classes that know no lock, in methods that are not
const and in iterators, readers and the like. Shown with `--certainty possible`: a number that is made alone, which a
second thread would set to the same, in a class that knows no lock, flags and methods that start something and hand out
nothing, files of bindings, where Python's own lock may be held, and what is reached through overrides alone, whose
callers may hold the lock.

Limits: that an object is used by one thread in spite of its lock cannot be seen. Values that are told empty by other
words than a test of the object itself (`size() == 0`) are not followed.

Source: the catalogue of lock bugs; Scott Meyers and Andrei Alexandrescu on double-checked locking.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, because, places, rule
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
        name = places.render(lazy.place)
        if lazy.guarded:
            message = f"`{name}` is set under a lock but read before it, and is not atomic"
            step, help = "is read here, before the lock is acquired", "make it an atomic, or check only under the lock"
        else:
            did = "set" if lazy.is_flag else "made"
            message = f"`{name}` is {did} on first use without a lock: two threads can both initialize it"
            step, help = "is read here", "hold a lock, use `std::call_once`, or use a function-local static"
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
        name = places.render(early.place)
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
