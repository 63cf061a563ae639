"""The key is reset before its registry entry is erased.

## What it reports

- an assignment to the member that is the key of the handle in a registry, on a path that does not erase the entry
  first, or by the old key afterwards
- the same for a member of an object, or of a slot, that keeps the key under which a table leads to it

## Why it is a bug

The destructor erases the entry by this member. After the assignment no one has the old key: the entry stays, points to
a handle that is soon freed, and the next object with the old key finds it.

## Example

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

```text
case.cc:6: error: `raw_` is overwritten while `conns` has an entry under the old key: the destructor, which erases by
    `raw_`, never removes it
  help: erase the entry from `conns` before `raw_` is reassigned
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

## How to fix it

Erase the entry before the member is reassigned.

## What it does not report

- constructors, moves and swaps
- functions that return the old key
- members that are known to be empty, and members that are set just before the first insertion
- helpers whose callers erase the entry
- tables in which every lookup compares the key of the object with the one asked for
- places in an array that say where the entry stands now; other places in one, and objects that are given by functions
  which do not know the table, are `possible`

## Known limitations

- Registries of one name in two objects count as one, and the erased key is not compared.

## Source

the design of MLIR's Python bindings (`liveModules`, keyed by `module.ptr`), where it was avoided with care.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Certainty, Class, Finding, Function, because, c_containers, events, places, records, rule, text
from ownlint_rules.registries import _back_keys as back_keys
from ownlint_rules.registries import _member_stores as member_stores
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
    found: set[tuple[Function, int]] = set()
    for key in _keys(cls):
        for function in member_stores.storing(cls, key.member, strict=False):
            if function.record.kind in ("constructor", "destructor") or _hands_over(function, key):
                continue
            for store in member_stores.stores_of(function, key.member, cls, strict=False):
                if _stays(function, store, key):
                    found.add((function, store.at.index))
                    yield _finding(function, store, key)
    yield from _of_back_keys(cls, found)


def _of_back_keys(cls: Class, known: set[tuple[Function, int]]) -> Iterator[Finding]:
    """A member by which alone an object's entry would be found again gets another value, and the entry stays."""
    for key in back_keys.of(cls):
        for function, store in back_keys.resets(key):
            if (function, store.at.index) in known or _hands_over(function, key) or _was_empty(function, store, key):
                continue
            if _is_taken_out(function, store.at, key, _CALLERS, after=_saves_old(function, store, key)):
                continue
            if back_keys.says_where_it_stands(key, function, store):
                continue
            shown = text(store.target).replace("this->", "")
            yield function.finding(
                store.at,
                f"`{shown}` is overwritten, but `{key.table.shown}` keeps the entry under the old key",
                certainty=_how_sure(key, function, store),
                help=f"erase the entry under the old key from `{key.table.shown}` before `{shown}` is overwritten",
                steps=(key.putter.step(key.put, f"the entry is added under `{key.member}` here"),),
            )


def _how_sure(key: back_keys.BackKey, function: Function, store: member_stores.MemberStore) -> Certainty:
    shown = key.table.shown
    if not key.table.keyed:
        return because("possible", f"`{key.member}` is a place in `{shown}`, whose entries may be put in order again")
    if store.base is not None and not back_keys.may_be_entry(key, function, store):
        return because("possible", f"nothing shows that `{text(store.base)}` has an entry in `{shown}`")
    if back_keys.is_rebuilt(key):
        return because("guess", f"harmless if `{shown}` is emptied and filled again then")
    return because("later-use", "harmless if the old key is never looked up again")


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


def _stays(function: Function, store: member_stores.MemberStore, key: _Key) -> bool:
    if _was_empty(function, store, key) or _is_first(function, store, key):
        return False
    return not _is_taken_out(function, store.at, key, _CALLERS, after=_saves_old(function, store, key))


def _is_taken_out(
    function: Function, at: events.Event, key: _Key | back_keys.BackKey, depth: int, *, after: bool
) -> bool:
    """Before the event on every way, or behind it where the old key was kept or everything goes; or by the callers."""
    known = registries.registries(function.program)
    ways = known.ways(function, _table(key))
    if ways.always_before(at) or (after and ways.always_behind(at)):
        return True
    wholesale = frozenset(call.index for call in known.takings(function, _table(key)) if not call.node.args)
    if wholesale and function.flow.always_after(at, lambda event: event.index in wholesale):
        return True
    if depth == 0:
        return False
    calls = [
        (caller, call)
        for caller in function.program.index.callers(function)
        for call in registries.calls_of(caller, function)
    ]
    return bool(calls) and all(
        _takes_from_given(one, call) or _is_taken_out(one, call, key, depth - 1, after=False) for one, call in calls
    )


def _takes_from_given(function: Function, call: events.CallEvent) -> bool:
    """Whether a table that a parameter refers to loses an element on every way behind the call: who goes over the table
    has the key from there."""
    given = function.parameter_names
    taking = {
        one.index
        for one in function.flow.calls
        if (done := c_containers.table_call(function, one.node)) is not None
        and done.does == "take"
        and isinstance(table := places.strip(done.table), records.Name)
        and table.text in given
    }
    return bool(taking) and function.flow.always_after(call, lambda event: event.index in taking)


def _table(key: _Key | back_keys.BackKey) -> registries.Registry | registries.AnyRegistry:
    return key.registry if isinstance(key, _Key) else key.table


def _saves_old(function: Function, store: member_stores.MemberStore, key: _Key | back_keys.BackKey) -> bool:
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


def _hands_over(function: Function, key: _Key | back_keys.BackKey) -> bool:
    """A move, a swap, or a function that returns the old key."""
    if function.name in ("operator=", "swap"):
        return True
    saved = {
        name for name, (_, initial) in function.locals.items() if initial is not None and _reads(initial, key.member)
    }
    return any(
        _reads(leave.value, key.member) or not saved.isdisjoint(places.names_in(leave.value))
        for leave in function.flow.leaves
        if leave.kind == "return" and leave.value is not None
    )


def _was_empty(function: Function, store: member_stores.MemberStore, key: _Key | back_keys.BackKey) -> bool:
    """Whether a condition on the way asks the member itself, and goes on for one of its values, or it gets the address
    of its object."""
    if store.value is not None and places.is_name(store.value, places.THIS):
        return True  # the same for as long as the object lives
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


def _is_first(function: Function, store: member_stores.MemberStore, key: _Key) -> bool:
    """`id_ = id; tasks[id] = this;`: an object that no constructor puts in is put in here for the first time."""
    if any(registries.puts_itself(made, key.registry) for made in key.cls.constructors):
        return False
    return any(putting.event.index > store.at.index for putting in registries.puttings(function, key.registry))


def _finding(function: Function, store: member_stores.MemberStore, key: _Key) -> Finding:
    partly = bool(registries.registries(function.program).takings(function, key.registry))
    certainty: Certainty = (
        because("value", f"`{function.name}` erases entries of `{key.registry.shown}` elsewhere")
        if partly
        else "certain"
    )
    shown = text(store.target).replace("this->", "")
    return function.finding(
        store.at,
        f"`{shown}` is overwritten while `{key.registry.shown}` has an entry under the old key: the destructor, which "
        f"erases by `{key.member}`, never removes it",
        certainty=certainty,
        help=f"erase the entry from `{key.registry.shown}` before `{key.member}` is reassigned",
        steps=(key.destructor.step(key.taking, f"the destructor erases it by `{key.member}`"),),
    )
