"""A type caster creates a value with `new` and never deletes it.

## What it reports

- a member of a `type_caster` specialization that receives the result of `new` or of `release()`, if the caster has no
  destructor
- the same through a function of the project that returns a new object
- the same through an output argument (`return Convert(src, &value);`)

## Why it is a bug

A type caster lives for one call. The object that its `load` (nanobind: `from_python`) allocates is passed to the
function by address and leaks when the caster is destroyed: once per call.

## Example

bad:

```cpp
namespace pybind11::detail {
template <>
struct type_caster<Shape> {
  bool load(handle src, bool) {
    value = new Shape(src.cast<int>());
    return true;
  }
  Shape* value;
};
}
```

```text
case.cc:5: warning: `value` is allocated with `new`, but the type caster never deletes it
  help: store it by value or in a `std::unique_ptr`
```

good:

```cpp
namespace pybind11::detail {
template <>
struct type_caster<Shape> {
  bool load(handle src, bool) {
    value = std::make_unique<Shape>(src.cast<int>());
    return true;
  }
  std::unique_ptr<Shape> value;
};
}
```

## How to fix it

Store the value in the caster by value or in a `std::unique_ptr`.

## What it does not report

- members that own their object
- casters with a destructor
- local variables, and values that are not allocated here

## Known limitations

- The policy and parent in `cast` are not analysed.

## Source

pybind11 and nanobind documentation, custom casters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Finding,
    Function,
    Place,
    Span,
    Step,
    assignments,
    because,
    casters,
    places,
    records,
    resources,
    rule,
    types,
)


@rule(severity="warning", cwe=(401,))
def caster_leaks_value(function: Function) -> Iterator[Finding]:
    if not casters.is_of_caster(function) or _deletes(function):
        return
    for write in function.flow.writes:
        value = places.strip(write.value)
        if write.fresh or not isinstance(value, records.Call) or write.target is None:
            continue
        if not _is_member(function, write.place):
            continue
        if _is_new(function, value):
            yield from _told(function, write.span, write.target, write.place)
        elif (made := _made_by(function, value, "result")) is not None:
            yield from _told(function, write.span, write.target, write.place, made)
    for event in function.flow.calls:
        for number, argument in enumerate(event.node.args, 1):
            target = _addressed(argument)
            where = assignments.place(function, target) if target is not None else None
            if target is None or where is None or not _is_member(function, where):
                continue
            if (made := _made_by(function, event.node, f"argument {number}")) is not None:
                yield from _told(function, event.span, target, where, made)


def _is_member(function: Function, where: Place) -> bool:
    return where[0] not in function.declared or where[0] == places.THIS


def _told(
    function: Function, at: Span, target: records.Value, where: Place, made: tuple[Step, ...] = ()
) -> Iterator[Finding]:
    written = function.program.types.of(target, function)
    if written and types.parse(written).pointers != 1:
        return
    name = places.render(where)
    yield function.finding(
        at,
        f"`{name}` is allocated with `new`, but the type caster never deletes it",
        certainty="certain" if written else because("type", f"the type of `{name}` is not known"),
        help="store it by value or in a `std::unique_ptr`",
        steps=made,
    )


def _addressed(argument: records.Value) -> records.Value | None:
    """What an argument leads to: `value` and `&value`."""
    target = places.strip(argument)
    return places.strip(target.value) if isinstance(target, records.Unary) and target.op == "&" else target


def _made_by(function: Function, call: records.Call, where: str) -> tuple[Step, ...] | None:
    """Where a function of the project makes with `new` what it hands out there; None where it does not."""
    found = resources.resources(function.program).acquisition(call, function) if call.kind == "call" else None
    if found is None or str(found.where) != where or "delete" not in found.releases or found.certainty == "possible":
        return None
    made = [
        callee.step(event, "allocated here")
        for callee in function.program.calls.callee(call, function).functions
        for event in callee.flow.calls
        if event.node.kind == "new"
    ]
    return tuple(made[:1])


def _is_new(function: Function, value: records.Call) -> bool:
    if value.kind == "new":
        return not any(isinstance(arg, records.Pair) for arg in value.args)
    if not isinstance(value.callee, records.Member) or value.callee.name != "release":
        return False
    return "scoped owner" in function.program.types.roles(
        function.program.types.of(value.callee.base, function), function
    )


def _deletes(function: Function) -> bool:
    """Whether this specialisation has a destructor: they all go by one name, and are told apart by where they stand."""
    around = [one for one in function.file.classes if one.start <= function.record.start < one.end]
    inner = max(around, key=lambda one: one.start, default=None)
    return inner is not None and any(
        inner.start <= one.start < inner.end and one.kind == "destructor" for one in function.file.functions
    )
