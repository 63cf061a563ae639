"""A native object is destroyed while handles to what it contains stay valid.

## What it reports

- a call that destroys a native object, or all that a member owns, while handles to its children remain marked as valid
- the same if only some path invalidates them
- the same for handles in no registry that check their owner, or a token that they share with it
- a handle that is invalidated without invalidating the handles to what its object contained

## Why it is a bug

Destroying an object destroys its children too. Each handle below it still has its validity flag set, so the next use
passes its check and reads freed memory. Erasing the object's own registry entry is not enough.

## Example

bad:

```cpp
struct IrOp { void* ptr; };
void irOpDestroy(IrOp op);
IrOp irOpGetParent(IrOp op);
class Op;
struct Context { std::unordered_map<void*, Op*> live; };
class Op {
 public:
  void check() const { if (!valid) throw std::runtime_error("the operation is gone"); }
  void erase() {
    context->live.erase(op.ptr);
    irOpDestroy(op);
    valid = false;
  }
 private:
  Context* context;
  IrOp op;
  bool valid = true;
};
```

```text
case.cc:11: error: `irOpDestroy` also destroys what `op` contains, but the handles to that in `live` remain valid
  help: first visit what `op` contains: set `valid` of each `Op` for it, and erase its entry in `live`
```

good:

```cpp
struct IrOp { void* ptr; };
void irOpDestroy(IrOp op);
IrOp irOpGetParent(IrOp op);
class Op;
struct Context { std::unordered_map<void*, Op*> live; };
class Op {
 public:
  void check() const { if (!valid) throw std::runtime_error("the operation is gone"); }
  void erase() {
    for (auto& entry : context->live) entry.second->valid = false;
    context->live.clear();
    irOpDestroy(op);
  }
 private:
  Context* context;
  IrOp op;
  bool valid = true;
};
```

## How to fix it

First visit everything that the object contains: set the flag of each handle and erase its registry entry.

## What it does not report

- objects without children (no function of the project leads from one to another of its kind)
- a reference that is given back to an object of which the project counts references
- handles without such a flag, or whose check calls another object
- handles that destroy themselves, and objects created in the same function
- destructors, if the handles keep their owner alive

## Known limitations

- A loop is assumed to reach every handle below the object.
- Children are known by functions that lead from one native type to another, by members that own them, by what a
  destructor ends, and by what a class gets from a library for the object that it ends itself.

## Source

MLIR's Python bindings up to LLVM 21: `PyOperation::erase` and `PySymbolTable::erase` in IRCore.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Class,
    Finding,
    Function,
    assignments,
    because,
    events,
    natives,
    places,
    records,
    rule,
    text,
    types,
    wrapped_objects,
)
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _owners as owners
from ownlint_rules.registries import _registries as registries

_LOOP_OR_WALK = 2
"""How many calls deep the loop that tells the handles may be."""
_CALLBACK = 3
"""How many calls deep the end of an object may call back who has asked for it."""
_CALLERS_UP = 3
"""How many calls up a keep-alive that is left out is looked for."""
_OWNING = frozenset({"shared pointer", "intrusive pointer", "python object", "smart pointer"})


@rule(severity="error", cwe=(416,))
def children_left_valid(function: Function) -> Iterator[Finding]:
    known = (*registries.registries(function.program).guarded, *owners.askers(function.program))
    if not known:
        return
    told: dict[registries.Registry, registries.WaySearch] = {}
    found = natives.natives(function.program)
    ended = False
    for call, kind, argument in natives.destroys(function, found):
        ended = True
        if call.index in function.flow.reachable and not registries.is_made_here(function, argument):
            parts = [
                one
                for one in known
                if _is_part(function, found, one, kind, call, argument) and _concerns(function, argument, one)
            ]
            yield from [finding for one in parts if (finding := _judge(function, call, argument, one, told))][:1]
    for end in natives.ends(function, found):
        ended = ended or not all(natives.is_container(kind) for kind in end.types)
        if end.event.index in function.flow.reachable and not (
            end.below and registries.is_made_here(function, end.said)
        ):
            parts = [
                one
                for one in known
                if _is_ended(found, one, end)
                and _concerns(function, end.said, one)
                and not _is_called(function, end, one)
            ]
            yield from [finding for one in parts if (finding := _judge(function, end.event, end.said, one, told))][:1]
    if not ended:
        yield from _cascading(function, found, told)


def _cascading(
    function: Function, found: natives.Natives, told: dict[registries.Registry, registries.WaySearch]
) -> Iterator[Finding]:
    """A handle is told that its object has ended, and its own handles to what that contained are not."""
    if function.record.kind in ("constructor", "destructor") or function.name == "operator=":
        return
    for registry in registries.registries(function.program).guarded:
        home = registry.home
        if home is None or not any(
            found.reaches(outer, inner, registry.held.name)
            for outer in registries.stood_for(home)
            for inner in registries.stood_for(registry.held)
        ):
            continue
        for flag, dead in registries.validity(home).items():
            for store in member_stores.stores_of(function, flag, home):
                value = assignments.held(store.value)
                if value is not None and value.truth is dead and not registries.is_made_here(function, store.base):
                    cause = f"`{text(store.target)}` says that its object has ended, and with it what that contained"
                    finding = _judge(function, store.at, store.target, registry, told, cause)
                    yield from (finding,) if finding is not None else ()


def _is_ended(found: natives.Natives, registry: registries.Registry, end: natives.NativeEnd) -> bool:
    """Whether the handles in the registry stand for what ends unseen, and do not end themselves."""
    pointed = registries.stood_for(registry.held)
    held = registry.held.name
    if not any(_is_of_owner(found, registry, kind) for kind in end.types):
        return False
    return not any(kind == held or found.owns(kind, held) for kind in end.types) and any(
        (one == kind and not end.below)
        or found.owns(kind, one)
        or (kind in found.types and found.reaches(kind, one, held))
        for kind in end.types
        for one in pointed
    )


def _is_of_owner(found: natives.Natives, registry: registries.Registry, kind: str) -> bool:
    """Whether what the handles ask, where they stand in no registry, is about objects of that type: their owner's."""
    home = registry.home
    if registry.names or home is None:
        return True
    return kind in found.pointed_to_by(home) or found.owns(home.name, kind)


def _is_called(function: Function, end: natives.NativeEnd, registry: registries.Registry) -> bool:
    """Whether it is a method of the owner that ends it, which is judged itself."""
    return (
        not registry.names
        and isinstance(end.event, events.CallEvent)
        and any(one.home is registry.home for one in _called(function, end.event.node))
    )


def _judge(
    function: Function,
    call: events.Event,
    argument: records.Value,
    registry: registries.Registry,
    told: dict[registries.Registry, registries.WaySearch],
    cause: str = "",
) -> Finding | None:
    """`cause` is how it is said that something ends where it does not end itself."""
    if registry not in told:
        told[registry] = registries.WaySearch(function.flow, frozenset(_telling(function, registry)))
    ways = told[registry]
    if call.index in ways.stops or ways.always(call):
        return None
    if isinstance(call, events.CallEvent) and _runs_stored(function, call.node):
        return None
    if _has_no_parts(function, call, registry):
        return None
    if _callers_tell(function, registry):
        return None
    some = sorted(ways.stops)
    steps = (function.step(function.flow.events[some[0]], "not every path runs this"),) if some else ()
    flag, what = (registry.flags or registry.owners)[0], text(argument)
    if not registry.names:
        left = f"each `{registry.held.name}` remains valid: `{flag}` is unchanged"
        help_text = f"change `{flag}` first: each `{registry.held.name}` checks it"
    else:
        left = f"the handles to that in `{registry.shown}` remain valid"
        help_text = (
            f"first visit what `{what}` contains: set `{flag}` of each `{registry.held.name}` for it, and erase its "
            f"entry in `{registry.shown}`"
        )
    return function.finding(
        call,
        f"{cause or _ending(call, what)}, but {left}",
        certainty=_certainty(function, call, registry, bool(some)),
        help=help_text,
        steps=steps,
    )


def _has_no_parts(function: Function, event: events.Event, registry: registries.Registry) -> bool:
    """Whether it only comes there where a container of what the handles stand for was asked if anything is in it."""
    parts = registries.stood_for(registry.held)
    return any(
        isinstance(call.callee, records.Member)
        and not call.args
        and not set(parts).isdisjoint(
            natives.owned_by(
                function.program,
                function.program.types.of(call.callee.base, function).rstrip("& "),
                function.file,
                function.record.scope,
            )
        )
        for test, _ in function.flow.guards(event)
        for call in places.calls_in(test.value)
    )


def _ending(event: events.Event, what: str) -> str:
    name = "="
    if isinstance(event, events.CallEvent):
        name = "delete" if event.node.kind == "delete" else places.last_name(event.node.callee)
    return f"`{name}` also destroys what `{what}` contains"


def _callers_tell(function: Function, registry: registries.Registry) -> bool:
    """Whether all who call the function tell the handles on every way through the call."""
    calls = [
        (caller, call)
        for caller in function.program.index.callers(function)
        for call in registries.calls_of(caller, function)
    ]
    return bool(calls) and all(
        registries.WaySearch(caller.flow, frozenset(_telling(caller, registry))).always(call) for caller, call in calls
    )


def _certainty(function: Function, call: events.Event, registry: registries.Registry, partly: bool) -> Certainty:
    if function.record.kind == "destructor" or natives.ends_itself(function) is not None:
        held = registry.held.name
        keeper, always = _keeper(function, registry)
        if always:
            return because(
                "possible", f"a `{held}` may keep its owner alive through `{keeper}`, which is destroyed later"
            )
        if keeper:
            return because("type", f"only for a `{held}` that was created without a `{keeper}`, which is optional")
    found = natives.natives(function.program)
    ended = found.destroyed(function, call.node) if isinstance(call, events.CallEvent) else None
    if ended is None or not any(
        found.reaches(ended[0], one, registry.held.name) for one in registries.stood_for(registry.held)
    ):
        return because("later-use", "harmless if no handle is used afterwards")
    if partly:
        return because("path", "this happens only on a path that does not visit what it contains")
    return because("later-use", "harmless if no handle is used afterwards")


def _is_part(
    function: Function,
    found: natives.Natives,
    registry: registries.Registry,
    kind: str,
    call: events.CallEvent,
    argument: records.Value,
) -> bool:
    """Whether an object of the native type `kind` has parts for which the handles in the registry stand, or all objects
    are ended for which they do."""
    pointed = registries.stood_for(registry.held)
    if _is_own(function, registry, kind, argument) or found.owns(kind, registry.held.name):
        return False
    if not _is_of_owner(found, registry, kind):
        return False
    if not found.ends_parts(call.node, kind):
        return False
    if any(found.reaches(kind, one, registry.held.name) for one in pointed):
        return True
    homes = tuple(natives.homes(function))
    if any(found.hands_out(home, kind, one) for home in homes for one in pointed):
        return True
    if not any(registry.home in home.ancestry for home in homes):
        return False
    if kind in pointed:
        return next(function.flow.loops_over(call.span.start), None) is not None
    return any(found.makes(kind, one) for one in pointed)


def _is_own(function: Function, registry: registries.Registry, kind: str, argument: records.Value) -> bool:
    """Whether a handle is ended, or the owner of the registry, rather than a native object: a library's may have the
    same name, in its namespace."""
    program = function.program
    written = types.parse(program.types.of(argument, function).rstrip("& ")).name
    named = written if types.parse(written).last == kind else kind
    named = types.parse(program.names.expand(named, function.file, function.record.scope)).name
    ended = program.names.find_class(named, function.record.scope, function.file)
    if ended is None:
        return kind == registry.held.name and "::" not in named
    return ended in (registry.held, registry.home)


def _concerns(function: Function, argument: records.Value, registry: registries.Registry) -> bool:
    """Whether the handle comes from a wrapper or its registry, rather than from inside the library that made it."""
    beside = (one.held for one in registries.registries(function.program).guarded if one.names == registry.names)
    if function.home is not None and not {registry.home, registry.held, *beside}.isdisjoint(function.home.ancestry):
        return True
    if function.home is not None and registry.home is not None and _leads_to(function, function.home, registry.home):
        return True
    if any(_is_of(function, inner, registry.held) for inner in places.walk(argument)):
        return True
    if any(True for _ in registries.touches(function, registry)):
        return True
    classes = [cls for cls in (registry.held, registry.home) if cls is not None]
    return any(
        _is_class(function, p.type, cls) or wrapped_objects.class_of_parameter(function, p) is cls
        for p in function.record.parameters
        for cls in classes
    )


def _leads_to(function: Function, cls: Class, home: Class) -> bool:
    """Whether an object of the class has a member that leads to the registry's owner."""
    return any(
        _is_class(function, one.program.names.expand(field.type, one.file, one.symbol), home)
        for one in cls.ancestry
        for field in one.record.fields
    )


def _is_of(function: Function, value: records.Value, cls: Class) -> bool:
    if not isinstance(value, (records.Name, records.Call, records.Member)):
        return False
    return _is_class(function, function.program.types.of(value, function), cls)


def _is_class(function: Function, written: str, cls: Class) -> bool:
    kind = types.parse(written)
    names = [kind.name, *(types.parse(argument).name for argument in kind.arguments)]
    return any(
        name
        and name.rsplit("::", 1)[-1] == cls.name
        and function.program.names.find_class(name, cls.symbol, cls.file) is cls
        for name in names
    )


# --- who is told ----------------------------------------------------------------------------------


def _runs_stored(function: Function, call: records.Call, depth: int = 0) -> bool:
    """Whether a call comes to what somebody has stored in a member, who may tell the handles."""
    for callee in _called(function, call) if depth < _CALLBACK else ():
        for inner in callee.flow.calls:
            if _is_stored(callee, inner.node.callee) or _runs_stored(callee, inner.node, depth + 1):
                return True
    return False


def _is_stored(function: Function, callee: records.Value) -> bool:
    inner = places.strip(callee)
    while isinstance(inner, records.Unary):
        inner = places.strip(inner.value)
    if not isinstance(inner, records.Name | records.Member):
        return False
    written = function.program.types.of(inner, function)
    if isinstance(inner, records.Name) and inner.text in function.declared:
        return bool(types.called(written))
    return (
        bool(types.called(written)) or "(*" in written or "callable" in function.program.types.roles(written, function)
    )


def _telling(function: Function, registry: registries.Registry) -> set[int]:
    """The events by which more than one handle is told: those of a loop that does, a helper, a walk."""
    found: set[int] = set()
    loops = [s for s in function.statements if isinstance(s, records.Loop)]
    for event in function.flow:
        if isinstance(event, events.CallEvent) and _tells_many(function, event.node, registry):
            found.add(event.index)
        if _tells_owner(function, event, registry, _LOOP_OR_WALK):
            found.add(event.index)
    ones = [
        event
        for event in function.flow
        if loops and _tells_one(function, event, registry) and not _is_about_one(function, event, registry)
    ]
    for loop in loops:
        if any(event.span.start in loop.span for event in ones):
            found.update(event.index for event in function.flow if event.span.start in loop.span)
    return found


def _tells_owner(function: Function, event: events.Event, registry: registries.Registry, depth: int) -> bool:
    """Whether it stores what all handles ask of their owner, `++generation_`, `closed_ = true`, or calls who does."""
    match event:
        case events.Write(place=place):
            return place[-1] in registry.owners
        case events.CallEvent(receiver=on) if on is not None and on[-1] in registry.owners:
            return True
        case events.CallEvent(node=node) if depth and registry.owners:
            return any(
                callee is not function
                and any(f'"{name}"'.encode() in callee.encoded for name in registry.owners)
                and any(_tells_owner(callee, one, registry, depth - 1) for one in callee.flow)
                for callee in _called(function, node)
            )
    return False


def _is_about_one(function: Function, event: events.Event, registry: registries.Registry) -> bool:
    """Whether the handle is told only when it is the one that stands for what no loop around changes: a loop that looks
    for one handle."""
    loops = [loop.span for loop in function.flow.loops_over(event.span.start)]
    changing = {
        write.place[0]
        for write in function.flow.writes
        if any(write.span.start in span for span in loops) and len(write.place) == 1
    }
    pointing = set(registries.pointing_fields(registry.held))
    for test, outcome in function.flow.guards(event):
        for part in _parts_of(test.value, outcome):
            if not isinstance(part, records.Binary) or part.op != ("==" if outcome else "!="):
                continue
            for one, other in ((part.left, part.right), (part.right, part.left)):
                if _names_in(one) & pointing or _is_key(one):
                    said = places.names_in(other)
                    if said.isdisjoint(changing) and not any(True for _ in places.calls_in(other)):
                        return True
    return False


def _parts_of(value: records.Value | None, outcome: bool) -> Iterator[records.Value]:
    """What holds each by itself when the condition comes out so."""
    inner = places.strip(value)
    match inner:
        case records.Binary(op="&&" | "||" as op, left=left, right=right) if (op == "&&") is outcome:
            yield from _parts_of(left, outcome)
            yield from _parts_of(right, outcome)
        case None:
            return
        case _:
            yield inner


def _names_in(value: records.Value) -> set[str]:
    return {inner.name for inner in places.walk(value) if isinstance(inner, records.Member)} | places.names_in(value)


def _is_key(value: records.Value) -> bool:
    """A whole key: several have `it->first.first` in common."""
    inner = places.strip(value)
    return isinstance(inner, records.Member) and inner.name == "first" and not isinstance(inner.base, records.Member)


def _tells_one(function: Function, event: events.Event, registry: registries.Registry) -> bool:
    if isinstance(event, events.Write):
        return event.place[-1] in registry.flags
    return isinstance(event, events.CallEvent) and any(
        _stores_flag(helper, registry, _LOOP_OR_WALK)
        for helper in function.program.calls.callee(event.node, function).functions
    )


def _tells_many(function: Function, call: records.Call, registry: registries.Registry, depth: int = 0) -> bool:
    """A call of a helper that tells in a loop, or one that is handed a function that tells one."""
    for argument in call.args:
        for told in _handed(function, argument):
            if _stores_flag(told, registry, _LOOP_OR_WALK):
                return True
    if depth == _LOOP_OR_WALK:
        return False
    return any(
        helper is not function and _has_telling_loop(helper, registry, depth) for helper in _called(function, call)
    )


def _called(function: Function, call: records.Call) -> tuple[Function, ...]:
    """The project's functions that a call runs; a `delete` runs the destructor."""
    if call.kind != "delete":
        return function.program.calls.callee(call, function).functions
    kind = types.parse(function.program.types.of(call.args[0], function)) if call.args else types.parse("")
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
    return (cls.destructor,) if cls is not None and cls.destructor is not None else ()


def _has_telling_loop(helper: Function, registry: registries.Registry, depth: int) -> bool:
    spans = [s.span for s in helper.statements if isinstance(s, records.Loop)]
    return any(
        (
            any(event.span.start in span for span in spans)
            and _tells_one(helper, event, registry)
            and not _is_about_one(helper, event, registry)
        )
        or (isinstance(event, events.CallEvent) and _tells_many(helper, event.node, registry, depth + 1))
        for event in helper.flow
    )


def _handed(function: Function, argument: records.Value) -> Iterator[Function]:
    """The functions that an argument stands for: a lambda, one held by a local, or a function's name."""
    yield from registries.lambdas_in(function, argument)
    inner = places.strip(argument)
    while isinstance(inner, records.Unary) and inner.op in ("&", "+"):
        inner = places.strip(inner.value)
    if isinstance(inner, records.Name) and inner.text not in function.declared:
        named = places.last_name(inner)
        yield from (one for one in function.program.index.functions_called(named) if one.cls is None)


def _stores_flag(function: Function, registry: registries.Registry, depth: int) -> bool:
    asked = (*registry.flags, *registry.owners)
    if any(True for name in asked for _ in member_stores.stores(function, name)):
        return True
    return depth > 0 and any(
        helper is not function and _stores_flag(helper, registry, depth - 1)
        for call in function.flow.calls
        for helper in function.program.calls.callee(call.node, function).functions
    )


def _keeper(function: Function, registry: registries.Registry) -> tuple[str, bool]:
    """A member of a handle that keeps its owner alive, so that its owner's destructor runs after its own, and whether
    it always does so; empty where there is none."""
    held, optional = registry.held, ""
    if function.home is None and registry.home is not None:
        counted = owners.counted_owner(held, registry.home)
        return counted, bool(counted)
    for cls in held.ancestry:
        for field in cls.record.fields:
            written = cls.program.names.expand(field.type, cls.file, cls.symbol)
            if types.parse(written).arguments and function.home and _is_class(function, written, function.home):
                return field.name, True
            if not _OWNING.intersection(cls.program.types.roles_at(written, cls.file, cls.symbol)):
                continue
            if _names_class(function, written, cls):
                continue
            if not _is_left_out(held, field):
                return field.name, True
            optional = field.name
    return optional, False


def _names_class(function: Function, written: str, cls: Class) -> bool:
    """Whether the type says of which class the object is that is kept, and the owner is none of them."""
    names = (types.parse(argument).name for argument in types.parse(written).arguments)
    found = [function.program.names.find_class(name, cls.symbol, cls.file) for name in names if name]
    owners = function.home.ancestry if function.home is not None else ()
    return any(one is not None and one not in owners for one in found)


def _is_left_out(held: Class, field: records.Field) -> bool:
    """Whether a parameter alone fills the member, and some of those who make a handle pass nothing for it."""
    kind = types.parse(field.type).last
    filled = [
        _parameter_of(function, store.value)
        for function in member_stores.storing(held, field.name, strict=False)
        for store in member_stores.stores_of(function, field.name, held, strict=False)
        if not _is_empty(store.value, kind) and not _is_copied(store.value, field)
    ]
    return bool(filled) and all(one is not None and _is_omitted(*one, kind, _CALLERS_UP) for one in filled)


def _parameter_of(function: Function, value: records.Value | None) -> tuple[Function, int] | None:
    """The parameter that a value is, moved or not."""
    inner = places.strip(value)
    names = [parameter.name for parameter in function.record.parameters]
    if isinstance(inner, records.Name) and inner.text in names:
        return function, names.index(inner.text)
    return None


def _is_omitted(function: Function, position: int, kind: str, depth: int) -> bool:
    for caller in function.program.index.callers(function) if depth else ():
        for call in caller.flow.calls:
            if function not in caller.program.calls.callee(call.node, caller).functions:
                continue
            if len(call.node.args) <= position or _is_empty(call.node.args[position], kind):
                return True
            passed = _parameter_of(caller, call.node.args[position])
            if passed is not None and caller is not function and _is_omitted(*passed, kind, depth - 1):
                return True
    return False


def _is_copied(value: records.Value | None, field: records.Field) -> bool:
    """From another handle, which keeps as much."""
    inner = places.strip(value)
    return isinstance(inner, records.Member) and inner.name == field.name


def _is_empty(value: records.Value | None, kind: str) -> bool:
    """Nothing is kept: `nullptr`, `{}`, `py::object()`."""
    match places.strip(value):
        case records.Literal(kind="null") | records.Aggregate(items=()):
            return True
        case records.Call(args=(), callee=callee):
            return places.last_name(callee) == kind
    return False
