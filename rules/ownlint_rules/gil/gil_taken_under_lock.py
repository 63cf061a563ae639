"""The GIL is acquired while holding a mutex that other threads lock while holding the GIL.

## What it reports

- an acquire of the GIL while a mutex (a member or a global) is held, if another function locks the same mutex while
  holding the GIL
- the same if the GIL is acquired in a called function of the project, or released there and acquired again

## Why it is a bug

Two locks that are acquired in opposite orders deadlock. One thread is called from Python, holds the GIL and waits for
the mutex; another holds the mutex and waits for the GIL. The whole interpreter stops.

## Example

bad:

```cpp
namespace py = pybind11;
class Queue {
 public:
  void Push(int item) {
    std::lock_guard<std::mutex> lock(mu_);
    items_.push_back(item);
  }
  void Deliver() {
    std::lock_guard<std::mutex> lock(mu_);
    py::gil_scoped_acquire gil;
    for (int item : items_) sink_(item);
  }

 private:
  std::mutex mu_;
  std::vector<int> items_;
  py::function sink_;
};
PYBIND11_MODULE(queues, m) { py::class_<Queue>(m, "Queue").def("push", &Queue::Push); }
```

```text
case.cc:10: error: the GIL is acquired while `mu_` is held, but `Push` locks it while holding the GIL
  help: release the GIL before locking the mutex, or unlock the mutex before acquiring the GIL
```

good:

```cpp
namespace py = pybind11;
class Queue {
 public:
  void Push(int item) {
    py::gil_scoped_release nogil;
    std::lock_guard<std::mutex> lock(mu_);
    items_.push_back(item);
  }
  void Deliver() {
    std::lock_guard<std::mutex> lock(mu_);
    py::gil_scoped_acquire gil;
    for (int item : items_) sink_(item);
  }

 private:
  std::mutex mu_;
  std::vector<int> items_;
  py::function sink_;
};
PYBIND11_MODULE(queues, m) { py::class_<Queue>(m, "Queue").def("push", &Queue::Push); }
```

## How to fix it

Release the GIL before the mutex is locked (`py::gil_scoped_release`), or unlock the mutex before the GIL is acquired.

## What it does not report

- code that always uses the same order
- mutexes that are never locked while the GIL is held, and locks that are released first
- functions bound with a call guard that releases the GIL

## Known limitations

- Mutexes reached through another object are not compared.
- Cycles of three or more locks are not detected.
- A lock that is acquired twice is reported by other rules.

## Source

pybind11 issue 4877 and the documentation of the GIL in pybind11 and nanobind; not run here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Finding,
    Function,
    Program,
    Step,
    because,
    entrances,
    events,
    gil,
    locks,
    places,
    python_use,
    questions,
    rule,
    sections,
)

_DEEPEST = 2


class _LockTaking(NamedTuple):
    """A lock is taken while another is held: `lock` is the mutex, by its class and its name; `again` is where a callee
    acquires the GIL that it has released."""

    lock: tuple[str, str]
    function: Function
    event: events.Event
    again: Step | None = None


@rule(severity="error", cwe=(833,))
def gil_taken_under_lock(program: Program) -> Iterator[Finding]:
    holding = [one for one in program.functions if one.language == "cpp" and _holds_gil(one)]
    under = [one for many in _under_mutex(program).values() for one in many] if holding else []
    if not under:
        return
    wanted = {one.lock for one in under}
    inside: dict[tuple[str, str], _LockTaking] = {}
    for function in holding:
        for found in _locked(function, entrances.entry(function), wanted, 0):
            inside.setdefault(found.lock, found)
    for one in under:
        other = inside.get(one.lock)
        if other is not None and not (other.function is one.function and other.event is one.event):
            yield one.function.finding(
                one.event,
                f"the GIL is acquired while `{one.lock[1]}` is held, but `{other.function.name}` locks it "
                "while holding the GIL",
                certainty=because("threads", "deadlocks only if two threads run both at the same time"),
                help="release the GIL before locking the mutex, or unlock the mutex before acquiring the GIL",
                steps=(
                    *((one.again,) if one.again is not None else ()),
                    other.function.step(other.event, f"`{one.lock[1]}` is locked here while the GIL is held"),
                ),
            )


def _may_take(function: Function) -> bool:
    return function.language == "cpp" and locks.locking(function.program).may_lock(function)


def _key(function: Function, lock: places.Place) -> tuple[str, str] | None:
    if lock[0] == places.THIS and len(lock) == 2 and function.home is not None:
        return function.home.symbol, lock[1]
    if len(lock) == 1 and not lock[0].startswith("<") and function.program.index.is_variable(lock[0]):
        return "", lock[0]
    return None


@questions.each_function
def _under_mutex(function: Function) -> list[_LockTaking]:
    """Where the GIL comes to be held with a mutex held already."""
    if not _may_take(function):
        return []
    held = locks.held(function)
    if not any(_key(function, one.lock) for found in held.values() for one in found):
        return []
    states = gil.states(function, entrances.entry(function))
    for event in function.flow:
        before = states.get(event.index)
        if before is None or not held.get(event.index):
            continue
        again = _acquired_again(function, event)
        if again is not None or (before.status != "held" and _takes(function, event, states)):
            keys = (_key(function, one.lock) for one in sorted(held[event.index]))
            return [_LockTaking(key, function, event, again) for key in keys if key is not None]
    return []


def _acquired_again(function: Function, event: events.Event) -> Step | None:
    """Where a callee that is entered with the GIL acquires it again after it has released it."""
    if not isinstance(event, events.CallEvent):
        return None
    callee = function.program.calls.callee(event.node, function)
    for target in callee.functions[:1] if callee.certainty == "certain" else ():
        if target.language == "cpp" and target.record.kind != "lambda" and gil.may_release(target):
            taken = gil.taken_again(target)
            if taken is not None:
                return target.step(taken, f"`{target.name}` releases the GIL, and acquires it again")
    return None


def _takes(function: Function, event: events.Event, states: dict[int, gil.GilState]) -> bool:
    if any(states.get(index, gil.UNKNOWN).status == "held" for index, _ in function.flow.successors[event.index]):
        return True
    if not isinstance(event, events.CallEvent):
        return False
    callee = function.program.calls.callee(event.node, function)
    targets = callee.functions[:1] if callee.certainty == "certain" else ()
    return any(target.record.kind != "lambda" and python_use.takes(target) for target in targets)


def _holds_gil(function: Function) -> bool:
    return entrances.held(function) is not None or python_use.takes(function)


def _locked(function: Function, entry: gil.GilState, wanted: set[tuple[str, str]], depth: int) -> Iterator[_LockTaking]:
    states = gil.states(function, entry)
    for lock, found in sorted(sections.sections(function).of.items()):
        key = _key(function, lock)
        for section in found:
            if key is not None and key in wanted and states.get(section.first.index, gil.UNKNOWN).status == "held":
                yield _LockTaking(key, function, section.first)
    if depth >= _DEEPEST:
        return
    for call in function.flow.calls:
        if states.get(call.index, gil.UNKNOWN).status == "held":
            callee = function.program.calls.callee(call.node, function)
            for target in callee.functions[:1] if callee.certainty == "certain" else ():
                yield from _locked(target, gil.HELD, wanted, depth + 1)
