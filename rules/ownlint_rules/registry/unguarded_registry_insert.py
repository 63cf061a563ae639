"""A live object is put into a registry without a look at what is already there.

A registry maps the address of a native object to the handle that stands for it. When the object dies and the
entry stays, the allocator hands out the same address again: the new object meets the old entry. An insert
that overwrites it leaves the old handle valid and pointing at the wrong object; an assertion says so only in
debug builds.

bad:

```cpp
class Tracker {
 public:
  void Track(void* native, Wrapper* wrapper) {
    assert(live_.count(native) == 0);
    live_[native] = wrapper;
  }
  void Forget(void* native) { live_.erase(native); }
 private:
  std::unordered_map<void*, Wrapper*> live_;
};
```

good:

```cpp
class Tracker {
 public:
  void Track(void* native, Wrapper* wrapper) {
    auto [it, inserted] = live_.try_emplace(native, wrapper);
    if (!inserted) throw std::logic_error("already tracked");
  }
  void Forget(void* native) { live_.erase(native); }
 private:
  std::unordered_map<void*, Wrapper*> live_;
};
```

A registry is a map from a pointer (or an address kept as an integer) to something that holds a pointer or handle,
from which entries are erased somewhere in the project. An insert is guarded when every way to it has looked the
key up in the same map, has erased it, or checks the insert's own result; a test that is only asserted guards
nothing. Where the function itself does not look, its callers in the project are asked.

Quiet: maps keyed by name or number, maps of plain values, inserts of `this` in a constructor whose destructor erases
it, setters that are meant to replace.

Limits: a lookup in a helper counts only when the helper is the caller. A map that is a local variable is no registry.

Source: MLIR's Python bindings up to LLVM 21, `liveOperations` in IRCore.cpp, and the issue that led to their removal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Certainty, Finding, Function, Place, Step, events, places, records, rule, text, types

_LOOKS = frozenset(
    {"find", "count", "contains", "lookup", "at", "equal_range", "lower_bound", "has", "lookup_or_null", "exists"}
)
_CLEARS = frozenset({"erase", "clear", "extract", "remove"})
_INSERTS = frozenset({"insert", "emplace", "try_emplace", "insert_or_assign", "emplace_hint"})
_REPLACES = re.compile(
    r"^(?:set|update|replace|reset|assign|swap|rebind|reassign|overwrite|refresh|operator)", re.IGNORECASE
)
_ADDRESS = re.compile(r"^(?:std::)?u?intptr_t$")


class _Insert(NamedTuple):
    event: events.Event
    map: Place
    container: records.Value
    key: str
    value: records.Value | None
    overwrites: bool


class _Look(NamedTuple):
    event: events.Event
    asserted: bool


@rule(severity="error")
def unguarded_registry_insert(function: Function) -> Iterator[Finding]:
    for insert in _inserts(function):
        if insert.event.index not in function.flow.reachable or not _is_registry(function, insert):
            continue
        if _registers_itself(function, insert):
            continue
        if (result := _only_asserted_result(function, insert)) is not None:
            yield _asserted(function, insert, result, "certain")
            continue
        looks = _looks_before(function, insert.event, insert.map, insert.key)
        if any(not look.asserted for look in looks) or _result_is_used(insert):
            continue
        if looks:
            yield _asserted(
                function,
                insert,
                function.step(looks[0].event, "only an assertion says that it is not there"),
                "certain",
            )
        else:
            yield from _ask_callers(function, insert)


def _inserts(function: Function) -> Iterator[_Insert]:
    for event in function.flow:
        match event:
            case events.Write(place=place, op="=", value=value) if len(place) > 1 and place[-1].startswith("["):
                node = _target(function, event)
                if isinstance(node, records.Index):
                    yield _Insert(event, place[:-1], node.base, place[-1][1:-1], value, True)
            case events.Call(node=node, receiver=receiver) if (
                receiver is not None and places.last_name(node.callee) in _INSERTS
            ):
                name = places.last_name(node.callee)
                entry = node.args[0] if node.args else None
                parts = node.args
                if isinstance(entry, records.Aggregate) and len(entry.items) == 2:
                    parts = entry.items
                elif (
                    isinstance(entry, records.Call)
                    and places.last_name(entry.callee) in ("make_pair", "pair")
                    and len(entry.args) == 2
                ):
                    parts = entry.args
                base = places.receiver(node)
                if len(parts) >= 2 and base is not None:
                    yield _Insert(event, receiver, base, text(parts[0]), parts[1], name == "insert_or_assign")


def _target(function: Function, write: events.Write) -> records.Value | None:
    """The expression a write assigns to."""
    return function.program.target(function, write)


def _result_is_used(insert: _Insert) -> bool:
    return isinstance(insert.event, events.Call) and not insert.event.dropped and not insert.overwrites


def _is_registry(function: Function, insert: _Insert) -> bool:
    """A map that outlives the call, from an object's address to what stands for it, whose entries are erased somewhere."""
    if len(insert.map) == 1 and function.is_local(insert.map):
        return False
    program = function.program
    written = program.type_of(insert.container, function)
    kind = types.parse(written)
    if "associative" not in program.roles(written, function) or len(kind.arguments) < 2:
        return False
    scope = function.record.scope
    key = program.expand(kind.arguments[0], function.file, scope)
    held = program.expand(kind.arguments[1], function.file, scope)
    if not ((types.parse(key).pointers and types.parse(key).name != "char") or _ADDRESS.match(types.parse(key).name)):
        return False
    return _stands_for_something(function, held) and program.is_erased_from(insert.map[-1])


def _stands_for_something(function: Function, held: str) -> bool:
    """A pointer, a handle, or a pair that holds one."""
    kind = types.parse(held)
    if kind.pointers:
        return kind.name != "char"
    roles = function.program.roles(held, function)
    if any(
        role in ("handle", "python object", "python handle", "smart pointer", "shared pointer", "weak pointer")
        for role in roles
    ):
        return True
    if any(_stands_for_something(function, argument) for argument in kind.arguments):
        return True
    cls = function.program.find_class(kind.name, function.record.scope, function.file)
    return cls is not None and any(
        types.parse(field.type).pointers or "handle" in function.program.roles(field.type, function)
        for field in cls.fields.values()
    )


def _registers_itself(function: Function, insert: _Insert) -> bool:
    """`map[key] = this` where the object is made, and its destructor takes it out again: the entry never outlives it."""
    value = places.strip(insert.value)
    if not (isinstance(value, records.Name) and value.text == places.THIS) or function.cls is None:
        return False
    destructor = function.cls.destructor
    return function.record.kind == "constructor" and (destructor is None or destructor.mentions(*_CLEARS))


def _looks_before(
    function: Function, event: events.Event, map_: Place, key: str, *, any_key: bool = False
) -> list[_Look]:
    """Lookups of the key in the map, and removals from it, on every way to `event`; real ones before asserted ones."""
    found: list[_Look] = []
    asserted_spans = [test.span for test in function.flow if isinstance(test, events.Test) and test.asserted]
    for before in function.flow.dominators(event):
        if not isinstance(before, events.Call) or before.receiver is None or before.receiver[-1] != map_[-1]:
            continue
        name = places.last_name(before.node.callee)
        if name not in _LOOKS | _CLEARS:
            continue
        looked_up = text(before.node.args[0]) if before.node.args else ""
        if not any_key and looked_up != key and name != "clear" and not _same_key(function, looked_up, key):
            continue
        asserted = before.asserted or any(before.span.start in span for span in asserted_spans)
        found.append(_Look(before, asserted or _only_feeds_assertions(function, before)))
    return sorted(found, key=lambda look: look.asserted)


def _same_key(function: Function, one: str, other: str) -> bool:
    """One of them is a local that holds the other."""
    return any(
        name in function.locals and (value := function.locals[name][1]) is not None and text(value) == held
        for name, held in ((one, other), (other, one))
    )


def _only_feeds_assertions(function: Function, call: events.Call) -> bool:
    """The result goes to a local that only assertions read: `bool fresh = m.count(k) == 0; assert(fresh);`."""
    declared = next(
        (
            w
            for w in function.flow.writes
            if w.fresh and w.value is not None and any(c is call.node for c in places.calls_in(w.value))
        ),
        None,
    )
    if declared is None or len(declared.place) != 1:
        return False
    return _reads_are_asserted(function, declared.place[0])


def _reads_are_asserted(function: Function, name: str) -> bool:
    asserted_spans = [test.span for test in function.flow if isinstance(test, events.Test) and test.asserted]
    reads = [event for event in function.flow if isinstance(event, events.Read) and event.place[0] == name]
    inside = [read for read in reads if any(read.span.start in span for span in asserted_spans)]
    outside = [read for read in reads if read not in inside and not function.program.is_voided(function, read.span)]
    return bool(inside) and not outside


def _only_asserted_result(function: Function, insert: _Insert) -> Step | None:
    """`auto [it, fresh] = m.emplace(k, v); assert(fresh);`: a release build goes on with the old entry."""
    if not isinstance(insert.event, events.Call) or insert.overwrites or insert.event.dropped:
        return None
    call = insert.event.node
    for write in function.flow.writes:
        if write.fresh and write.value is not None and any(inner is call for inner in places.calls_in(write.value)):
            names = [w.place[0] for w in function.flow.writes if w.fresh and w.span == write.span]
            flags = [name for name in names if _reads_are_asserted(function, name)]
            others = [
                event
                for event in function.flow
                if isinstance(event, events.Read) and event.place[0] in names and event.place[0] not in flags
            ]
            if flags and not others:
                test = next(
                    t for t in function.flow if isinstance(t, events.Test) and t.asserted and _mentions(t.value, flags)
                )
                return function.step(test, "only an assertion looks at whether it was inserted")
    return None


def _mentions(value: records.Value, names: list[str]) -> bool:
    return any(isinstance(inner, records.Name) and inner.text in names for inner in places.walk(value))


def _ask_callers(function: Function, insert: _Insert) -> Iterator[Finding]:
    """The function does not look: do those who call it?"""
    guarded: list[Step] = []
    asserted: list[Step] = []
    bare: list[Step] = []
    for caller in function.program.callers(function):
        for call in caller.flow.calls:
            if (
                places.last_name(call.node.callee) != function.name
                or function not in function.program.callee(call.node, caller).functions
            ):
                continue
            looks = _looks_before(caller, call, insert.map, insert.key, any_key=True)
            if any(not look.asserted for look in looks):
                guarded.append(caller.step(call, f"`{caller.name}` looks first"))
            elif looks:
                asserted.append(caller.step(looks[0].event, f"`{caller.name}` only asserts that it is not there"))
            else:
                bare.append(caller.step(call, f"`{caller.name}` comes here without a look"))
    if asserted:
        yield _asserted(function, insert, asserted[0], "certain", tuple(guarded[:1]))
    elif bare or not guarded:
        certainty: Certainty = (
            "possible"
            if _REPLACES.match(function.name) or not insert.overwrites or _fresh_key(function, insert)
            else "likely"
        )
        yield _bare(function, insert, certainty, tuple(bare[:1] + guarded[:1]))


def _fresh_key(function: Function, insert: _Insert) -> bool:
    """The key is the address of something made in this function."""
    local = function.locals.get(insert.key)
    made = places.strip(local[1]) if local is not None else None
    return isinstance(made, records.Call) and (
        made.kind == "new" or places.last_name(made.callee).startswith(("make_", "Create", "create", "New", "Make"))
    )


def _asserted(
    function: Function, insert: _Insert, step: Step, certainty: Certainty, more: tuple[Step, ...] = ()
) -> Finding:
    name = places.render(insert.map)
    return function.finding(
        insert.event,
        f"`{name}` may already hold `{insert.key}`: only an assertion says that it does not",
        certainty=certainty,
        help="insert with `try_emplace` and fail when the key is taken, or invalidate the old entry first",
        steps=(step, *more),
    )


def _bare(function: Function, insert: _Insert, certainty: Certainty, steps: tuple[Step, ...]) -> Finding:
    name = places.render(insert.map)
    did = "overwrites what" if insert.overwrites else "does not replace what"
    return function.finding(
        insert.event,
        f"this insert {did} `{name}` already holds for `{insert.key}`: nobody looks first",
        certainty=certainty,
        help="insert with `try_emplace` and handle the key that is taken, or invalidate the old entry first",
        steps=steps,
    )
