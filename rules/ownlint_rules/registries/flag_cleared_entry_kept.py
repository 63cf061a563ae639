"""A handle is marked invalid, but its registry entry stays.

## What it reports

- a store to the flag with which the destructor skips erasing the handle from a registry, in a function that does not
  erase the entry either
- the same through a method that only sets the flag

## Why it is a bug

The destructor erases the entry only if the handle is valid. Clearing the flag without erasing leaves an entry that
nothing will ever erase: it points to a freed handle, and the next object with the same key finds it.

## Example

bad:

```cpp
class Sound;
std::map<int, Sound*> playing;
class Sound {
 public:
  ~Sound() {
    if (!alive_) return;
    playing.erase(id_);
  }
  void kill() { alive_ = false; }
 private:
  int id_;
  bool alive_ = true;
};
void stop(Sound* sound) { sound->kill(); }
```

```text
case.cc:14: error: nothing erases `sound` from `playing`: once `alive_` is false, the destructor does not
  help: erase the entry from `playing` where `alive_` is set, best in one method
```

good:

```cpp
class Sound;
std::map<int, Sound*> playing;
class Sound {
 public:
  ~Sound() {
    if (!alive_) return;
    playing.erase(id_);
  }
  void kill() {
    playing.erase(id_);
    alive_ = false;
  }
 private:
  int id_;
  bool alive_ = true;
};
void stop(Sound* sound) { sound->kill(); }
```

## How to fix it

Erase the registry entry in the same method that sets the flag.

## What it does not report

- constructors
- moves, and functions that return the key of the entry
- functions whose callers erase the entry

## Known limitations

- Registries of one name in two objects count as one, and the erased key is not compared.
- Outside constructors, a handle that was never inserted is assumed to be registered.

## Source

MLIR's Python bindings up to LLVM 21, `PySymbolTable::erase` in IRCore.cpp: it clears `valid` and leaves the operation
in `liveOperations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Certainty, Class, Finding, Function, Step, because, events, places, records, rule, text
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _registries as registries

_CALLERS = 2
"""How many calls up somebody may take the entry out."""


class _Skip(NamedTuple):
    """The destructor does not come to `taking` when `flag` has the value `dead`."""

    cls: Class
    destructor: Function
    taking: events.CallEvent
    registry: registries.Registry
    flag: str
    dead: bool


@rule(severity="error", cwe=(459,))
def flag_cleared_entry_kept(cls: Class) -> Iterator[Finding]:
    for skip in _skips(cls):
        for function in _writers(skip):
            for at, base in _marks(function, skip):
                if not _is_taken_out(function, at, skip, _CALLERS) and not _hands_over(function, base, skip):
                    yield _finding(function, at, base, skip)


def _skips(cls: Class) -> Iterator[_Skip]:
    """What the destructor leaves out, flag by flag."""
    destructor = cls.destructor
    if destructor is None:
        return
    known = registries.registries(cls.program)
    names = sorted(registries.flags(cls))
    for registry in known.of(cls) if names else ():
        takings = known.takings(destructor, registry)
        common: set[tuple[str, bool]] | None = None
        for taking in takings:
            skipped = set(registries.skipped_when(destructor, taking, names))
            common = skipped if common is None else common & skipped
        for flag, dead in sorted(common or ()):
            yield _Skip(cls, destructor, takings[0], registry, flag, dead)


def _writers(skip: _Skip) -> Iterator[Function]:
    """Functions that store the flag, or call a setter of it."""
    setters = _setters(skip)
    calling = [one for name in sorted(setters) for one in skip.cls.program.index.callers_by_name(name)]
    for function in dict.fromkeys([*member_stores.storing(skip.cls, skip.flag, strict=False), *calling]):
        if function.record.kind == "constructor" or function is skip.destructor:
            continue
        is_setter = function.name in setters and function.home is skip.cls
        if not is_setter:
            yield function


def _setters(skip: _Skip) -> frozenset[str]:
    """Methods that only mark their own object; whoever calls them is asked instead."""
    return frozenset(
        method.name
        for cls in skip.cls.ancestry
        for method in cls.methods
        if len(method.body) == 1 and method.program.index.callers(method) and not method.record.parameters
        if any(_is_dead(store.value, skip) for store in member_stores.stores(method, skip.flag) if store.base is None)
    )


def _marks(function: Function, skip: _Skip) -> Iterator[tuple[events.Event, records.Value | None]]:
    """Where the function marks an object of the class dead, and which."""
    for store in member_stores.stores_of(function, skip.flag, skip.cls, strict=False):
        if _is_dead(store.value, skip):
            yield store.at, store.base
    setters = _setters(skip)
    if not function.mentions_any(setters):
        return
    for call in function.flow.calls:
        if places.last_name(call.node.callee) in setters:
            base = places.receiver(call.node)
            reached = function.program.calls.callee(call.node, function).functions
            if any(one.cls in skip.cls.ancestry for one in reached) and member_stores.is_of_class(
                function, base, skip.cls
            ):
                yield call, base


def _is_dead(value: records.Value | None, skip: _Skip) -> bool:
    match places.strip(value):
        case records.Literal(kind="bool", text=shown):
            return (shown == "true") is skip.dead
    return False


def _is_taken_out(function: Function, at: events.Event, skip: _Skip, depth: int) -> bool:
    """Whether every way through the mark passes something that takes an entry out: here, or in those who call."""
    known = registries.registries(function.program)
    if known.ways(function, skip.registry).always(at):
        return True
    if depth == 0:
        return False
    if function.record.kind == "lambda":
        around = function.parent
        return around is not None and bool(known.takings(around, skip.registry))
    callers = [
        (one, call) for one in function.program.index.callers(function) for call in registries.calls_of(one, function)
    ]
    return bool(callers) and all(_is_taken_out(one, call, skip, depth - 1) for one, call in callers)


def _hands_over(function: Function, base: records.Value | None, skip: _Skip) -> bool:
    """A move, a swap, or a function that returns a member of the object: somebody else has the entry now."""
    if function.record.kind == "constructor" or function.name in ("operator=", "swap"):
        return True
    members = skip.cls.members
    return any(
        isinstance(inner, (records.Name, records.Member)) and places.last_name(inner) in members - {skip.flag}
        for leave in function.flow.leaves
        if leave.kind == "return" and leave.value is not None
        for inner in places.walk(leave.value)
    )


def _finding(function: Function, at: events.Event, base: records.Value | None, skip: _Skip) -> Finding:
    shown = f"`{text(base)}`" if base is not None and text(base) != places.THIS else f"this `{skip.cls.name}`"
    known = registries.registries(function.program)
    partly = because("value", f"`{function.name}` erases an entry of `{skip.registry.shown}` elsewhere")
    certainty: Certainty = partly if known.takings(function, skip.registry) else "certain"
    steps: tuple[Step, ...] = (
        skip.destructor.step(_test(skip), f"the destructor returns here if `{skip.flag}` is {_word(skip.dead)}"),
        skip.destructor.step(skip.taking, "so this is not reached"),
    )
    return function.finding(
        at,
        f"nothing erases {shown} from `{skip.registry.shown}`: once `{skip.flag}` is {_word(skip.dead)}, "
        "the destructor does not",
        certainty=certainty,
        help=f"erase the entry from `{skip.registry.shown}` where `{skip.flag}` is set, best in one method",
        steps=steps,
    )


def _test(skip: _Skip) -> events.Event:
    for test, _ in skip.destructor.flow.guards(skip.taking):
        if not test.asserted:
            return test
    return skip.taking


def _word(value: bool) -> str:
    return "true" if value else "false"
