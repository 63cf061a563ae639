"""A type caster creates a value with `new` and never deletes it.

A caster lives for one call. What its `load` (nanobind: `from_python`) makes for a raw pointer is handed to the function
by address, and lost with the caster.

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

Reported: in a specialisation of `type_caster`, a member that gets the result of `new` or of a unique pointer's
`release()`, where the caster has no destructor.

Quiet: members that own what they hold, casters with a destructor, locals, values that are not made here.

Limits: what a function of the project makes is not followed, nor what `cast` does with its policy and parent.

Source: pybind11 and nanobind documentation, custom casters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, casters, places, records, rule, types


@rule(severity="warning", cwe=(401,), usually="likely")
def caster_leaks_value(function: Function) -> Iterator[Finding]:
    if not casters.is_of_caster(function) or _deletes(function):
        return
    for write in function.flow.writes:
        value = places.strip(write.value)
        if write.fresh or not isinstance(value, records.Call) or not _is_new(function, value):
            continue
        if write.place[0] in function.declared and write.place[0] != places.THIS:
            continue
        written = function.program.types.of(write.target, function) if write.target is not None else ""
        if written and types.parse(written).pointers != 1:
            continue
        yield function.finding(
            write,
            f"`{places.render(write.place)}` is made with `new`, and the caster deletes nothing",
            certainty="certain"
            if written
            else because("likely", f"the type of `{places.render(write.place)}` is not known"),
            help="hold it by value, or in a `std::unique_ptr`",
        )


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
