"""Ownership of a native object is transferred, but its wrapper still believes that it owns it.

## What it reports

- a native call that puts the object of a wrapper into another object, on a path that does not update the wrapper's
  ownership flag, where another function of the project does so after such a call
- the same where the wrapper has a method that updates the flag, which nothing calls

## Why it is a bug

The wrapper destroys its native object unless the flag says that something else owns it. If the flag is not updated, the
object is destroyed twice, or its new owner uses it after the wrapper destroyed it.

## Example

bad:

```cpp
struct IrOp { void* ptr; };
void irOpDestroy(IrOp op);
void irBlockAppend(IrBlock block, IrOp op);
void irBlockInsert(IrBlock block, IrOp op);
struct Op {
  ~Op() { if (!attached) irOpDestroy(op); }
  IrOp op;
  bool attached = false;
};
void append(IrBlock block, Op& op) {
  irBlockAppend(block, op.op);
  op.attached = true;
}
void insert(IrBlock block, Op& op) { irBlockInsert(block, op.op); }
```

```text
case.cc:14: error: `irBlockInsert` takes ownership of what `op` owns, but `attached` stays false: 1 of 2 such calls set
    it
  help: set `attached` to true here too
```

good:

```cpp
struct IrOp { void* ptr; };
void irOpDestroy(IrOp op);
void irBlockAppend(IrBlock block, IrOp op);
void irBlockInsert(IrBlock block, IrOp op);
struct Op {
  ~Op() { if (!attached) irOpDestroy(op); }
  IrOp op;
  bool attached = false;
};
void append(IrBlock block, Op& op) {
  irBlockAppend(block, op.op);
  op.attached = true;
}
void insert(IrBlock block, Op& op) {
  irBlockInsert(block, op.op);
  op.attached = true;
}
```

## How to fix it

Set the flag after the call, as the other functions do, best in one helper.

## What it does not report

- handles that the wrapper releases (`release()`), and clones
- pointer-to-const parameters
- containers of the standard library
- projects in which no function sets the flag after such a call, unless a method for that is never called

## Known limitations

- Native functions that are only declared are recognized by the models, or by a verb in their names (insert, append,
  add, adopt, take, push, attach, own).

## Source

MLIR's Python bindings, `PySymbolTable::insert` in IRCore.cpp: `PyInsertionPoint::insert` and `Block.append` call
`setAttached`, this one does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Certainty,
    Class,
    Finding,
    Function,
    because,
    entrances,
    events,
    glance,
    natives,
    pairs,
    places,
    records,
    resources,
    rule,
    text,
    types,
)
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _registries as registries

_OF_OWNERSHIP = frozenset({"own", "owns", "owned", "owner", "owning", "ownership", "disowned", "moved", "transferred"})
"""Words of flags that say whose an object is."""


class _Owning(NamedTuple):
    """The destructor ends the life of the member `handle`, unless `flag` has the value `free`."""

    cls: Class
    destructor: Function
    ending: events.CallEvent
    handle: str
    flag: str
    free: bool


class _Taking(NamedTuple):
    """A native call takes the wrapper's object over."""

    function: Function
    call: events.CallEvent
    wrapper: records.Value | None
    handle: str
    stored: bool
    ended: bool
    """What takes it ends it, too, as the project's own code says."""
    position: int
    """Of the wrapper's handle among the arguments."""

    @property
    def is_element(self) -> bool:
        """Whether it is put into something, and is not what something is put into: `add(list, op)`, `adopt(op)`."""
        return self.position > 0 or len(self.call.node.args) == 1


@rule(severity="error", cwe=(415,))
def moved_natively_flag_stale(cls: Class) -> Iterator[Finding]:
    for owning in _owning(cls):
        asked, converts = _asked(owning)
        using = (
            one for one in cls.program.functions if one.language == "cpp" and _may_use(one, owning, asked, converts)
        )
        takings = [taking for function in using for taking in _takings(function, owning)]
        careful = [taking for taking in takings if taking.stored]
        unused = _unused(owning) if takings and not careful else None
        for taking in takings:
            if unused is not None and not taking.stored and taking.is_element:
                yield _never_told(taking, owning, unused)
            if not taking.stored and careful:
                like = [one for one in careful if _is_like(taking, one)]
                share = f"{len(careful)} of {len(takings)}"
                inferred = f"that the flag must be set is inferred: {share} do"
                certainty = because("convention" if like else "guess", inferred)
                if taking.ended:
                    certainty = because("unread-code", f"harmless if the caller sets `{owning.flag}`")
                yield _finding(taking, owning, (like or careful)[0], share, certainty)


def _asked(owning: _Owning) -> tuple[frozenset[str], bool]:
    """The names of the methods that say the handle, and whether a conversion is among them."""
    methods = [one for cls in owning.cls.ancestry for one in cls.methods if glance.says(one, owning.handle)]
    return frozenset(one.name for one in methods), any(one.record.kind == "conversion" for one in methods)


def _may_use(function: Function, owning: _Owning, asked: frozenset[str], converts: bool) -> bool:
    """Whether the function says the handle, or may ask an accessor or a conversion for it. Needs no decoding."""
    if converts or not asked.isdisjoint(function.mentioned):
        return True
    return glance.says(function, owning.handle) or glance.says(function, owning.cls.name)


def _is_like(taking: _Taking, other: _Taking) -> bool:
    """Whether two calls do the same: by the verb, or into the same kind of thing."""
    names = [places.last_name(one.call.node.callee) for one in (taking, other)]
    if names[0] == names[1] or natives.takes_in(names[0]) & natives.takes_in(names[1]):
        return True
    return bool(_into(taking) & _into(other))


def _into(taking: _Taking) -> set[str]:
    """The types of what else the call is given: as declared, else as far as it is known."""
    given = [taking.function.program.types.of(argument, taking.function) for argument in taking.call.node.args]
    declared = taking.function.program.calls.callee(taking.call.node, taking.function).records
    for record in declared[:1]:
        given = [parameter.type for parameter in record.parameters]
    kinds = [types.parse(written).last for written in given if written]
    handle = types.parse(taking.handle).last
    if handle in kinds:
        kinds.remove(handle)  # a node that takes a node in is a kind of thing, too
    return set(kinds) - {"int", "size_t", "bool", "unsigned", "long"}


def _owning(cls: Class) -> Iterator[_Owning]:
    destructor = cls.destructor
    names = sorted(registries.flags(cls)) if destructor is not None else []
    if destructor is None or not names:
        return
    seen: set[str] = set()
    for call, handle in _endings(destructor, cls):
        for flag, free in registries.skipped_when(destructor, call, names):
            if flag not in seen and not _is_validity(cls, flag, free):
                seen.add(flag)
                yield _Owning(cls, destructor, call, handle, flag, free)


def _endings(function: Function, cls: Class, depth: int = 1) -> Iterator[tuple[events.CallEvent, str]]:
    """The calls by which a method ends the life of one of the object's handles, itself or by another method."""
    found = natives.natives(cls.program)
    for call, _, argument in natives.destroys(function, found):
        place = places.place_of(argument, function.flow.aliases, cls.members - function.declared)
        if place is not None and len(place) > 1 and place[0] == places.THIS:
            yield call, place[1]
    for call in function.flow.calls if depth else ():
        for method in function.program.calls.callee(call.node, function).functions:
            if method.cls in cls.ancestry and method is not function and registries.is_own(call.node):
                yield from ((call, handle) for _, handle in _endings(method, cls, depth - 1))


def _is_validity(cls: Class, flag: str, free: bool) -> bool:
    """Whether methods throw when the flag has that value: then it says that the object is gone, not whose it is, unless
    its name says otherwise."""
    return registries.validity(cls).get(flag) is free and _OF_OWNERSHIP.isdisjoint(pairs.words(flag))


def _unused(owning: _Owning) -> Function | None:
    """The method of the wrapper that only gives its object up, by the flag, and that nothing calls."""
    for method in owning.cls.methods:
        if method.record.kind != "method" or not method.is_short or "operator" in method.name:
            continue
        gives_up = any(
            isinstance(value := places.strip(store.value), records.Literal)
            and value.text == ("true" if owning.free else "false")
            for store in member_stores.stores_of(method, owning.flag, owning.cls)
        )
        ends = any(True for _ in _endings(method, owning.cls, 0))
        if gives_up and not ends and not _is_used(method):
            return method
    return None


def _is_used(method: Function) -> bool:
    known = method.program
    return known.index.is_called(method.name) or bool(entrances.entrances(known).of(method))


def _takings(function: Function, owning: _Owning) -> Iterator[_Taking]:
    storing: registries.WaySearch | None = None
    for call, taken_at in natives.taken(function):
        given = [
            (found[0], position)
            for position, argument in enumerate(call.node.args)
            if position in taken_at and not _is_const(function, call.node, position)
            if (found := _wrapper(function, argument, owning, 0)) is not None
        ]
        if given and not any(_gives_up(function, argument, owning) for argument in call.node.args):
            storing = storing or _storing(function, owning)
            handle = owning.cls.field(owning.handle)
            written = handle[1].type if handle is not None else ""
            wrapper, position = given[-1]
            ended = resources.resources(function.program).taking(call.node, function, position) == "adopted"
            yield _Taking(function, call, wrapper, written, storing.always(call), ended, position)


def _is_const(function: Function, call: records.Call, position: int) -> bool:
    return any(
        position < len(record.parameters) and types.parse(record.parameters[position].type).const
        for record in function.program.calls.callee(call, function).records
    )


def _wrapper(
    function: Function, argument: records.Value, owning: _Owning, depth: int
) -> tuple[records.Value | None] | None:
    """The wrapper whose handle an argument is, None inside for the function's own object: `op.raw_`, `op.get()`,
    `raw_`, or a local that begins with one of these."""
    inner = places.strip(argument)
    match inner:
        case records.Member(base=base, name=name) if name == owning.handle:
            return (_own(base),) if member_stores.is_of_class(function, base, owning.cls, strict=True) else None
        case records.Name(text=name) if name in function.locals and depth < 2:
            initial = function.locals[name][1]
            found = _wrapper(function, initial, owning, depth + 1) if initial is not None else None
            return found or ((inner,) if _converts(function, inner, owning) else None)
        case records.Name(text=name) if name == owning.handle and name not in function.declared:
            return (None,) if member_stores.is_of_class(function, None, owning.cls) else None
        case records.Call(args=()) if _returns_handle(function, inner, owning):
            return (_own(places.receiver(inner)),)
    return None


def _own(base: records.Value | None) -> records.Value | None:
    return None if isinstance(base, records.Name) and base.text == places.THIS else base


def _converts(function: Function, value: records.Value, owning: _Owning) -> bool:
    """Whether a local is a wrapper that converts itself to its handle."""
    if types.parse(function.program.types.of(value, function)).last != owning.cls.name:
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
        for one in function.program.calls.callee(call, function).functions
    )


def _gives_up(function: Function, argument: records.Value, owning: _Owning) -> bool:
    """Whether what computes the argument takes the handle away from the wrapper."""
    return any(
        _stores_either(one, owning)
        for call in places.calls_in(argument)
        for one in function.program.calls.callee(call, function).functions
    )


def _storing(function: Function, owning: _Owning) -> registries.WaySearch:
    """Where the function stores the flag or the handle; a throw says that nothing was taken over."""
    storing = {
        store.at.index
        for name in (owning.flag, owning.handle)
        for store in member_stores.stores_of(function, name, owning.cls)
    }
    for event in function.flow.calls:
        if any(_stores_either(one, owning) for one in function.program.calls.callee(event.node, function).functions):
            storing.add(event.index)
    throwing = {leave.index for leave in function.flow.leaves if leave.kind == "throw"}
    return registries.WaySearch(function.flow, frozenset(storing | throwing if storing else storing))


def _stores_either(function: Function, owning: _Owning) -> bool:
    return any(
        True
        for name in (owning.flag, owning.handle)
        for _ in member_stores.stores_of(function, name, owning.cls, strict=False)
    )


def _never_told(taking: _Taking, owning: _Owning, unused: Function) -> Finding:
    name = places.last_name(taking.call.node.callee)
    shown = f"`{text(taking.wrapper)}`" if taking.wrapper is not None else f"this `{owning.cls.name}`"
    stays = "false" if owning.free else "true"
    return taking.function.finding(
        taking.call,
        f"`{name}` takes ownership of what {shown} owns, but `{owning.flag}` stays {stays}: "
        f"nothing calls `{unused.name}`",
        certainty=because("convention", f"that `{name}` takes it over is inferred from its name and `{unused.name}`"),
        help=f"call `{unused.name}` after `{name}`",
        steps=(
            owning.destructor.step(owning.ending, f"the destructor destroys it unless `{unused.name}` was called"),
            unused.step(unused.record.name_span, "never called"),
        ),
    )


def _finding(taking: _Taking, owning: _Owning, careful: _Taking, share: str, certainty: Certainty) -> Finding:
    name = places.last_name(taking.call.node.callee)
    shown = f"`{text(taking.wrapper)}`" if taking.wrapper is not None else f"this `{owning.cls.name}`"
    value, other = ("true", "false") if owning.free else ("false", "true")
    return taking.function.finding(
        taking.call,
        f"`{name}` takes ownership of what {shown} owns, but `{owning.flag}` stays {other}: {share} such calls set it",
        certainty=certainty,
        help=f"set `{owning.flag}` to {value} here too",
        steps=(
            owning.destructor.step(owning.ending, f"the destructor still destroys it if `{owning.flag}` is {other}"),
            careful.function.step(careful.call, f"`{owning.flag}` is set here"),
        ),
    )
