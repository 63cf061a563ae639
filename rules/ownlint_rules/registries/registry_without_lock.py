"""A registry is accessed without a lock in a free-threaded module.

In a module that says that it does not need the interpreter's lock, or that uses locks made for that, every registry
needs a lock of its own. Where one registry of a class is always touched under a lock and the one beside it never is,
the second was forgotten.

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

Reported, where the project names a lock or an option that models know for free threading: a registry (see
`registry-entry-left-behind`) that at least two functions touch, one of them to change it, none of them under a lock,
while every touch of another registry of the same class, or the same file, is under one.

Quiet: projects that rely on the interpreter's lock, registries that only constructors fill, those that are sometimes
touched under a lock, and functions all of whose callers hold one.

Limits: that the two registries are touched by the same threads is taken for granted.

Source: MLIR's Python bindings since LLVM 20, where `liveContexts` has a lock and `liveModules` has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Finding, Function, Program, because, events, locks, places, records, rule
from ownlint_rules.registries import _registries as registries

_FEWEST = 2


class _Touch(NamedTuple):
    function: Function
    event: events.Event
    changes: bool
    lock: str


@rule(severity="warning", cwe=(362,))
def registry_without_lock(program: Program) -> Iterator[Finding]:
    known = registries.registries(program)
    if len(known.all) < _FEWEST or not _runs_free(program):
        return
    touches = {one.names: list(_touches(program, one)) for one in known.all}
    for registry in known.all:
        bare = touches[registry.names]
        if len({touch.function for touch in bare}) < _FEWEST or any(touch.lock for touch in bare):
            continue
        change = next((touch for touch in bare if touch.changes), None)
        if change is None:
            continue
        for sibling in known.all:
            locked = touches[sibling.names]
            if sibling.names == registry.names or not _is_beside(registry, sibling):
                continue
            if len(locked) >= _FEWEST and all(touch.lock for touch in locked):
                yield _finding(registry, change, sibling, locked[0])
                break


def _runs_free(program: Program) -> bool:
    """Whether the project names what only code without the interpreter's lock needs."""
    words = program.models.names_of("free threading")
    for cls in program.classes:
        if any(field.type.rsplit("::", 1)[-1].strip(" &*") in words for field in cls.record.fields):
            return True
    for file in program.files.values():
        for variable in file.variables:
            if variable.type.rsplit("::", 1)[-1].strip(" &*") in words:
                return True
            if any(isinstance(v, records.Name) and v.text in words for v in places.walk(variable.value)):
                return True
    return any(function.mentions(*words) for function in program.functions)


def _touches(program: Program, registry: registries.Registry) -> Iterator[_Touch]:
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


def _is_beside(one: registries.Registry, other: registries.Registry) -> bool:
    """Of the same class, or both of the same file and of none."""
    if one.home is not None or other.home is not None:
        return one.home is other.home
    return one.path == other.path


def _finding(registry: registries.Registry, change: _Touch, sibling: registries.Registry, locked: _Touch) -> Finding:
    return Finding(
        registry.path,
        registry.at,
        f"`{registry.shown}` is accessed without a lock, but this module runs without the GIL",
        because("threads", f"harmless if only one thread uses `{registry.shown}`"),
        f"access it under a lock, like `{sibling.shown}`",
        (
            change.function.step(change.event, "this modifies it"),
            locked.function.step(locked.event, f"its neighbor `{sibling.shown}` is accessed under `{locked.lock}`"),
        ),
    )
