"""A registry is accessed without a lock in a free-threaded module.

## What it reports

- a registry (see `registry-entry-left-behind`), or another map or set, that at least two functions access without a
  lock, one of them to modify it, while every access to another one of the same class or file holds one
- only in a project that supports free threading

## Why it is a bug

Without the GIL two threads can modify the map at the same time, which corrupts it. The registry next to it has a lock;
this one was forgotten.

## Example

bad:

```cpp
class Broker {
 public:
  void put(long k, Proxy* p) {
    nanobind::ft_lock_guard hold(mutex_);
    known_[k] = p;
  }
  void drop(long k) {
    nanobind::ft_lock_guard hold(mutex_);
    known_.erase(k);
  }
  void remember(long k, Proxy* p) { recent_[k] = p; }
  void forget(long k) { recent_.erase(k); }
 private:
  nanobind::ft_mutex mutex_;
  std::map<long, Proxy*> known_;
  std::map<long, Proxy*> recent_;
};
struct Proxy {};
```

```text
case.cc:16: warning: `recent_` is modified without a lock, but the module declares that it does not need the GIL
  help: lock `mutex_` wherever it is used, as for `known_`
```

good:

```cpp
class Broker {
 public:
  void put(long k, Proxy* p) {
    nanobind::ft_lock_guard hold(mutex_);
    known_[k] = p;
  }
  void drop(long k) {
    nanobind::ft_lock_guard hold(mutex_);
    known_.erase(k);
  }
  void remember(long k, Proxy* p) {
    nanobind::ft_lock_guard hold(mutex_);
    recent_[k] = p;
  }
  void forget(long k) {
    nanobind::ft_lock_guard hold(mutex_);
    recent_.erase(k);
  }
 private:
  nanobind::ft_mutex mutex_;
  std::map<long, Proxy*> known_;
  std::map<long, Proxy*> recent_;
};
struct Proxy {};
```

## How to fix it

Access the registry under a lock, like the other one.

## What it does not report

- projects that rely on the GIL, and modules of the C API that do, beside others that do not
- registries that only constructors fill
- registries that are accessed under a lock somewhere
- functions whose callers all hold a lock

## Known limitations

- It is assumed that the same threads access both registries.

## Source

MLIR's Python bindings since LLVM 20, where `liveContexts` has a lock and `liveModules` has none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Finding, Function, Program, because, events, locks, places, questions, rule
from ownlint_rules.registries import _registries as registries

_FEWEST = 2


class _Touch(NamedTuple):
    function: Function
    event: events.Event
    changes: bool
    lock: str


@rule(severity="warning", cwe=(362,))
def registry_without_lock(program: Program) -> Iterator[Finding]:
    free = _running_free(program)
    known = [one for one in registries.tables(program) if _runs_free(program, one.path, free)] if free else []
    if len(known) < _FEWEST:
        return
    known = [one for one in known if any(one.names != other.names and _is_beside(one, other) for other in known)]
    touches = {one.names: list(_touches(program, one)) for one in known}
    for registry in known:
        bare = touches[registry.names]
        if len({touch.function for touch in bare}) < _FEWEST or any(touch.lock for touch in bare):
            continue
        change = next((touch for touch in bare if touch.changes), None)
        if change is None:
            continue
        for sibling in known:
            locked = touches[sibling.names]
            if sibling.names == registry.names or not _is_beside(registry, sibling):
                continue
            if len(locked) >= _FEWEST and all(touch.lock for touch in locked):
                yield _finding(registry, change, sibling, locked[0])
                break


def _running_free(program: Program) -> frozenset[str]:
    """The files that name what only code without the interpreter's lock needs."""
    words = program.models.names_of("free threading")
    found = {
        cls.path
        for cls in program.classes
        if any(field.type.rsplit("::", 1)[-1].strip(" &*") in words for field in cls.record.fields)
    }
    for file in program.files.values():
        for variable in file.variables:
            if variable.type.rsplit("::", 1)[-1].strip(" &*") in words:
                found.add(file.path)
            if not words.isdisjoint(places.names_in(variable.value)):
                found.add(file.path)
    return frozenset(
        found.union(one.path for one in program.functions if one.mentions_any(words) or _is_given(one, words))
    )


def _runs_free(program: Program, path: str, free: frozenset[str]) -> bool:
    """Whether the module to which a file belongs, the nearest one, says that it needs no GIL, or something as near. One
    that is made by the C API says so in its own slots or does not."""
    nearest = max((_shared(path, one) for one in _modules(program)), default=0)
    return any(_shared(path, one) >= nearest for one in free)


@questions.program_question
def _modules(program: Program) -> frozenset[str]:
    """The files with the function by which Python loads a module."""
    return frozenset(one.path for one in program.functions if one.name.startswith("PyInit_"))


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    pairs = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_given(function: Function, words: frozenset[str]) -> bool:
    """`PYBIND11_MODULE(name, m, py::mod_gil_not_used()) {`: a module's options stand among its parameters."""
    return any(word in parameter.type for parameter in function.record.parameters for word in words)


def _touches(program: Program, registry: registries.AnyRegistry) -> Iterator[_Touch]:
    for function in program.functions:
        if function.record.kind == "constructor" and function.home is registry.home:
            continue
        found = list(registries.touches(function, registry))
        held = locks.held(function) if found else {}
        around = locks.locking(program).from_callers(function).locks if found else frozenset()
        for event, changes in found:
            taken = {one.lock for one in held.get(event.index, ())} | around
            names = sorted(places.render(lock) for lock in taken if "<" not in lock[0])
            yield _Touch(function, event, changes, names[0] if names else "")


def _is_beside(one: registries.AnyRegistry, other: registries.AnyRegistry) -> bool:
    """Of the same class, or both of the same file and of none."""
    if one.home is not None or other.home is not None:
        return one.home is other.home
    return one.path == other.path


def _finding(
    registry: registries.AnyRegistry, change: _Touch, sibling: registries.AnyRegistry, locked: _Touch
) -> Finding:
    return Finding(
        registry.path,
        registry.at,
        f"`{registry.shown}` is modified without a lock, but the module declares that it does not need the GIL",
        because("threads", f"harmless if only one thread uses `{registry.shown}`"),
        f"lock `{locked.lock}` wherever it is used, as for `{sibling.shown}`",
        (
            change.function.step(change.event, f"`{registry.shown}` is modified here without a lock"),
            locked.function.step(locked.event, f"its sibling `{sibling.shown}` is accessed under `{locked.lock}` here"),
        ),
    )
