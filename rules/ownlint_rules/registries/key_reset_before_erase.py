"""The key is reset before its registry entry is erased.

A handle's destructor takes its entry out of the registry by a member of the handle. A method that gives that member
another value, and does not take the old entry out first, leaves an entry behind that nobody has the key for: it leads
to a handle that is soon gone, and the next object with the old key meets it.

bad:

```cpp
class Conn;
std::map<void*, Conn*> conns;
class Conn {
 public:
  ~Conn() { conns.erase(raw_); }
  void close() { raw_ = nullptr; }
 private:
  void* raw_;
};
```

good:

```cpp
class Conn;
std::map<void*, Conn*> conns;
class Conn {
 public:
  ~Conn() { conns.erase(raw_); }
  void close() {
    conns.erase(raw_);
    raw_ = nullptr;
  }
 private:
  void* raw_;
};
```

Reported: an assignment to the member by which the destructor takes the object out of a registry of such objects, where
some way to it takes nothing out of that registry, and nothing is taken out afterwards by what the member held before.

Quiet: constructors, moves, swaps, functions that return the old key, members that a condition says were empty, and
helpers whose callers have taken the entry out. A member that is set right before the object is put in for the first
time is taken for empty before, unless it is clearly one that was in.

Limits: two objects' registries of one name are one, and which key is taken out is not looked at.

Source: the design of MLIR's Python bindings (`liveModules`, keyed by `module.ptr`), where it was avoided with care.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Certainty, Class, Finding, Function, because, events, places, records, rule, text
from ownlint_rules.registries import _registries as registries

_CALLERS = 2


class _Key(NamedTuple):
    cls: Class
    destructor: Function
    taking: events.CallEvent
    registry: registries.Registry
    member: str


@rule(severity="error", cwe=(459,), yields_to=("flag-cleared-entry-kept",))
def key_reset_before_erase(cls: Class) -> Iterator[Finding]:
    for key in _keys(cls):
        for function in registries.registries(cls.program).storing(key.member):
            if function.record.kind in ("constructor", "destructor") or _hands_over(function, key):
                continue
            for store in registries.stores(function, key.member):
                if registries.is_of_class(function, store.base, cls) and _stays(function, store, key):
                    yield _finding(function, store, key)


def _keys(cls: Class) -> Iterator[_Key]:
    """The members by which the destructor takes the object out of registries."""
    destructor = cls.destructor
    if destructor is None:
        return
    known = registries.registries(cls.program)
    for registry in known.of(cls):
        if not registry.keyed:
            continue
        found: dict[str, events.CallEvent] = {}
        for taking in known.takings(destructor, registry):
            for value in _asked_by(destructor, taking, registry):
                if (member := _member(destructor, value)) is not None:
                    found.setdefault(member, taking)
        for member, taking in sorted(found.items()):
            yield _Key(cls, destructor, taking, registry, member)


def _asked_by(destructor: Function, taking: events.CallEvent, registry: registries.Registry) -> Iterator[records.Value]:
    """The key of an erase; of a helper that erases, what it is handed."""
    if registries.takes_out(destructor, taking.node, registry):
        yield from registries.taken_keys(destructor, registry, [taking])
    else:
        yield from taking.node.args


def _member(destructor: Function, value: records.Value) -> str | None:
    """The member of the object itself that the key is, or is read from."""
    place = places.place_of(value, destructor.flow.aliases, _members(destructor))
    if place is None or len(place) < 2 or place[0] != places.THIS:
        return None
    return place[1]


def _members(function: Function) -> frozenset[str]:
    return function.home.members - function.declared if function.home is not None else frozenset()


def _stays(function: Function, store: registries.MemberStore, key: _Key) -> bool:
    if _was_empty(function, store, key) or _is_first(function, store, key):
        return False
    return not _is_taken_out(function, store.at, key, _CALLERS, after=_saves_old(function, store, key))


def _is_taken_out(function: Function, at: events.Event, key: _Key, depth: int, *, after: bool) -> bool:
    """Before the event on every way, or behind it where the old key was kept or everything goes; or by the callers."""
    known = registries.registries(function.program)
    ways = known.ways(function, key.registry)
    if ways.always_before(at) or (after and ways.always_behind(at)):
        return True
    wholesale = frozenset(call.index for call in known.takings(function, key.registry) if not call.node.args)
    if wholesale and function.flow.always_after(at, lambda event: event.index in wholesale):
        return True
    if depth == 0:
        return False
    calls = [
        (caller, call)
        for caller in function.program.index.callers(function)
        for call in registries.calls_of(caller, function)
    ]
    return bool(calls) and all(_is_taken_out(one, call, key, depth - 1, after=False) for one, call in calls)


def _saves_old(function: Function, store: registries.MemberStore, key: _Key) -> bool:
    """Whether a local was made from the member before: `auto old = key_;`."""
    return any(
        write.fresh and write.index < store.at.index and _reads(write.value, key.member)
        for write in function.flow.writes
    )


def _reads(value: records.Value | None, member: str) -> bool:
    return any(
        isinstance(inner, (records.Name, records.Member)) and places.last_name(inner) == member
        for inner in places.walk(value)
    )


def _hands_over(function: Function, key: _Key) -> bool:
    """A move, a swap, or a function that returns the old key."""
    if function.name in ("operator=", "swap"):
        return True
    saved = {
        name for name, (_, initial) in function.locals.items() if initial is not None and _reads(initial, key.member)
    }
    return any(
        _reads(leave.value, key.member)
        or any(isinstance(inner, records.Name) and inner.text in saved for inner in places.walk(leave.value))
        for leave in function.flow.leaves
        if leave.kind == "return" and leave.value is not None
    )


def _was_empty(function: Function, store: registries.MemberStore, key: _Key) -> bool:
    """Whether a condition on the way asks the member itself, and goes on for one of its values."""
    return any(
        not test.asserted and _reads(test.value, key.member) and store.at.index in function.flow.reachable
        for test, outcome in function.flow.guards(store.at)
        if _says_empty(test.value, outcome)
    )


def _says_empty(value: records.Value, outcome: bool) -> bool:
    """`!key`, `key == nullptr`, `key == 0` held true; or `key`, `key != 0` held false."""
    match places.strip(value):
        case records.Unary(op="!" | "not", value=inner):
            return _says_empty(inner, not outcome)
        case records.Binary(op="==", right=records.Literal()):
            return outcome
        case records.Binary(op="!=", right=records.Literal()):
            return not outcome
        case records.Name() | records.Member() | records.Call():
            return not outcome
    return False


def _is_first(function: Function, store: registries.MemberStore, key: _Key) -> bool:
    """`id_ = id; tasks[id] = this;`: an object that no constructor puts in is put in here for the first time."""
    if any(registries.puts_itself(made, key.registry) for made in key.cls.constructors):
        return False
    return any(putting.event.index > store.at.index for putting in registries.puttings(function, key.registry))


def _finding(function: Function, store: registries.MemberStore, key: _Key) -> Finding:
    partly = bool(registries.registries(function.program).takings(function, key.registry))
    certainty: Certainty = (
        because("value", f"`{function.name}` erases entries of `{key.registry.shown}` elsewhere")
        if partly
        else "certain"
    )
    shown = text(store.target).replace("this->", "")
    return function.finding(
        store.at,
        f"`{shown}` is reset, but its entry in `{key.registry.shown}` stays",
        certainty=certainty,
        help=f"erase the entry from `{key.registry.shown}` before `{key.member}` is reassigned",
        steps=(key.destructor.step(key.taking, f"the destructor erases it by `{key.member}`"),),
    )
