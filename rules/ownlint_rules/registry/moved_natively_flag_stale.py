"""A native object gets an owner, and its wrapper goes on owning it.

A wrapper has a flag that says whether it is the one that destroys its native object. A native call that puts the
object into something else takes it over; whoever makes the call stores the flag. Where the store is forgotten, the
object is destroyed twice, or used by its new owner after the wrapper has destroyed it.

bad:

```cpp
struct IrOp { void* ptr; };
void irOpDestroy(IrOp op);
void irBlockAppend(IrBlock block, IrOp op);
void irTableInsert(IrTable table, IrOp op);
struct Op {
  ~Op() { if (!attached) irOpDestroy(op); }
  IrOp op;
  bool attached = false;
};
void append(IrBlock block, Op& op) {
  irBlockAppend(block, op.op);
  op.attached = true;
}
void insert(IrTable table, Op& op) { irTableInsert(table, op.op); }
```

good:

```cpp
struct IrOp { void* ptr; };
void irOpDestroy(IrOp op);
void irBlockAppend(IrBlock block, IrOp op);
void irTableInsert(IrTable table, IrOp op);
struct Op {
  ~Op() { if (!attached) irOpDestroy(op); }
  IrOp op;
  bool attached = false;
};
void append(IrBlock block, Op& op) {
  irBlockAppend(block, op.op);
  op.attached = true;
}
void insert(IrTable table, Op& op) {
  irTableInsert(table, op.op);
  op.attached = true;
}
```

Reported: a call of a native function whose name says that it puts something into something else, with the handle of a
wrapper whose destructor destroys it unless a flag is stored, where some way through the function stores neither the
flag nor the handle, while another function of the project makes such a call and does store it.

Quiet: handles that the wrapper gives up (`release()`), clones, parameters of pointer to const, containers of the
project or the standard library, and projects in which nobody stores the flag after such a call.

Limits: native functions are known by a verb in their names (insert, append, add, adopt, take, push, attach, own).

Source: MLIR's Python bindings, `PySymbolTable::insert` in IRCore.cpp: `PyInsertionPoint::insert` and `Block.append`
call `setAttached`, this one does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Certainty, Class, Finding, Function, events, natives, places, records, registries, rule, text, types


class _Owning(NamedTuple):
    """The destructor ends the life of the member `handle`, unless `flag` has the value `free`."""

    cls: Class
    destructor: Function
    ending: events.Call
    handle: str
    flag: str
    free: bool


class _Taking(NamedTuple):
    """A native call takes the wrapper's object over."""

    function: Function
    call: events.Call
    wrapper: records.Value | None
    stored: bool


@rule(severity="error")
def moved_natively_flag_stale(cls: Class) -> Iterator[Finding]:
    for owning in _owning(cls):
        takings = [taking for function in cls.program.functions for taking in _takings(function, owning)]
        careful = [taking for taking in takings if taking.stored]
        for taking in takings:
            if not taking.stored and careful:
                yield _finding(taking, owning, careful, len(takings))


def _owning(cls: Class) -> Iterator[_Owning]:
    destructor = cls.destructor
    names = sorted(registries.flags(cls)) if destructor is not None else []
    if destructor is None or not names:
        return
    found = natives.natives(cls.program)
    seen: set[str] = set()
    for call, _, argument in natives.destroys(destructor, found):
        place = places.place_of(argument, destructor.flow.aliases, cls.members - destructor.declared)
        if place is None or len(place) < 2 or place[0] != places.THIS:
            continue
        for flag, free in registries.skipped_when(destructor, call, names):
            if flag not in seen and not _is_validity(cls, flag, free):
                seen.add(flag)
                yield _Owning(cls, destructor, call, place[1], flag, free)


def _is_validity(cls: Class, flag: str, free: bool) -> bool:
    """Whether methods throw when the flag has that value: then it says that the object is gone, not whose it is."""
    return registries.validity(cls).get(flag) is free


def _takings(function: Function, owning: _Owning) -> Iterator[_Taking]:
    if not any(natives.takes_in(name) for name in function.record.mentions if name[0] != "="):
        return
    for call in function.flow.calls:
        name = places.last_name(call.node.callee)
        if (
            not natives.takes_in(name)
            or not _is_native(function, call.node)
            or call.index not in function.flow.reachable
        ):
            continue
        given = [
            found
            for position, argument in enumerate(call.node.args)
            if not _is_const(function, call.node, position)
            if (found := _wrapper(function, argument, owning, 0)) is not None
        ]
        if given and not any(_gives_up(function, argument, owning) for argument in call.node.args):
            yield _Taking(function, call, given[-1][0], _is_stored(function, call, owning))


def _is_native(function: Function, call: records.Call) -> bool:
    """A free function that the project only declares, or that has C linkage."""
    if not isinstance(call.callee, records.Name) or call.kind != "call":
        return False
    callee = function.program.callee(call, function)
    return not callee.functions or any('extern "C"' in record.qualifiers for record in callee.records)


def _is_const(function: Function, call: records.Call, position: int) -> bool:
    return any(
        position < len(record.parameters) and types.parse(record.parameters[position].type).const
        for record in function.program.callee(call, function).records
    )


def _wrapper(
    function: Function, argument: records.Value, owning: _Owning, depth: int
) -> tuple[records.Value | None] | None:
    """The wrapper whose handle an argument is, None inside for the function's own object: `op.raw_`, `op.get()`,
    `raw_`, or a local that begins with one of these."""
    inner = places.strip(argument)
    match inner:
        case records.Member(base=base, name=name) if name == owning.handle:
            return (_own(base),) if registries.is_of_class(function, base, owning.cls) else None
        case records.Name(text=name) if name in function.locals and depth < 2:
            initial = function.locals[name][1]
            written = function.locals[name][0]
            if initial is not None:
                return _wrapper(function, initial, owning, depth + 1)
            return (inner,) if _converts(function, inner, written, owning) else None
        case records.Name(text=name) if name == owning.handle and name not in function.declared:
            return (None,) if registries.is_of_class(function, None, owning.cls) else None
        case records.Call(args=()) if _returns_handle(function, inner, owning):
            return (_own(places.receiver(inner)),)
    return None


def _own(base: records.Value | None) -> records.Value | None:
    return None if isinstance(base, records.Name) and base.text == places.THIS else base


def _converts(function: Function, value: records.Value, written: str, owning: _Owning) -> bool:
    """Whether a parameter is a wrapper that converts itself to its handle."""
    if types.parse(written).last != owning.cls.name:
        return False
    return any(method.record.kind == "conversion" for one in owning.cls.ancestry for method in one.methods)


def _returns_handle(function: Function, call: records.Call, owning: _Owning) -> bool:
    """Whether it is an accessor of the wrapper that answers with the handle."""
    return any(
        one.cls is not None
        and one.cls in owning.cls.ancestry
        and any(
            leave.kind == "return"
            and leave.value is not None
            and places.last_name(places.strip(leave.value)) == owning.handle
            for leave in one.flow.leaves
        )
        for one in function.program.callee(call, function).functions
    )


def _gives_up(function: Function, argument: records.Value, owning: _Owning) -> bool:
    """Whether what computes the argument takes the handle away from the wrapper."""
    return any(
        _stores_either(one, owning)
        for call in places.calls_in(argument)
        for one in function.program.callee(call, function).functions
    )


def _is_stored(function: Function, call: events.Call, owning: _Owning) -> bool:
    """Whether every way through the call stores the flag or the handle, before it or behind it."""
    storing: set[int] = set()
    for name in (owning.flag, owning.handle):
        for store in registries.stores(function, name):
            if registries.is_of_class(function, store.base, owning.cls):
                storing.add(store.at.index)
    for event in function.flow.calls:
        if any(_stores_either(one, owning) for one in function.program.callee(event.node, function).functions):
            storing.add(event.index)
    flow = function.flow
    leaving = {leave.index for leave in flow.leaves if leave.kind == "throw"}
    return bool(storing) and (
        flow.always_before(call, lambda event: event.index in storing)
        or flow.always_after(call, lambda event: event.index in storing or event.index in leaving)
    )


def _stores_either(function: Function, owning: _Owning) -> bool:
    return any(
        registries.is_of_class(function, store.base, owning.cls)
        for name in (owning.flag, owning.handle)
        for store in registries.stores(function, name)
    )


def _finding(taking: _Taking, owning: _Owning, careful: list[_Taking], asked: int) -> Finding:
    name = places.last_name(taking.call.node.callee)
    shown = f"`{text(taking.wrapper)}`" if taking.wrapper is not None else f"this `{owning.cls.name}`"
    value, other = ("true", "false") if owning.free else ("false", "true")
    certainty: Certainty = "likely"
    first = careful[0]
    return taking.function.finding(
        taking.call,
        f"`{name}` takes what {shown} owns, and `{owning.flag}` stays {other}: {len(careful)} of {asked} such calls "
        "store it",
        certainty=certainty,
        help=f"store {value} in `{owning.flag}` here too",
        steps=(
            owning.destructor.step(owning.ending, f"the destructor still destroys it when `{owning.flag}` is {other}"),
            first.function.step(first.call, f"here `{owning.flag}` is stored"),
        ),
    )
