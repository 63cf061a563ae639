"""Members that hold Python references are destroyed after the GIL was released.

## What it reports

- a destructor that acquires the GIL in its body, while members that hold Python references are destroyed after the body
- a Python object, or an object that holds one, captured by value in a lambda that another thread runs
- a shared pointer to such an object in the closure of a thread (`likely`: the thread's reference may not be the last)

## Why it is a bug

Members are destroyed after the destructor body, when the guard has already released the GIL. The captures of a thread
are destroyed with the thread. Decrementing a reference count without the GIL corrupts it.

## Example

bad:

```cpp
namespace py = pybind11;
class Watcher {
 public:
  ~Watcher() {
    py::gil_scoped_acquire gil;
    sink_.attr("close")();
  }

 private:
  py::object sink_;
};
```

```text
case.cc:5: error: `sink_` is destroyed after this destructor has released the GIL
  help: reset `sink_` in the destructor body while the GIL is held
```

good:

```cpp
namespace py = pybind11;
class Watcher {
 public:
  ~Watcher() {
    py::gil_scoped_acquire gil;
    sink_.attr("close")();
    sink_ = py::object();
  }

 private:
  py::object sink_;
};
```

## How to fix it

Reset the members in the body while the GIL is held, or hold them in a shared pointer whose deleter acquires the GIL.

## What it does not report

- members that the body clears (assigned, reset, released, moved from)
- classes with a guard among their members
- handles and pointers, and captures by reference
- captures that the body of the lambda clears

## Known limitations

- Members of base classes alone are `possible`.
- That objects of a class are destroyed without the GIL is known only if a destructor or a thread shows it.

## Source

pybind11, whose `PYBIND11_ASSERT_GIL_HELD_INCREF_DECREF` ends the process in `dec_ref` without the GIL.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Class,
    Finding,
    Function,
    because,
    entrances,
    events,
    gil,
    places,
    python_use,
    records,
    rule,
    types,
)


@rule(severity="error", cwe=(820,))
def destroyed_without_gil(function: Function) -> Iterator[Finding]:
    if function.cls is not None and function.cls.destructor is function:
        yield from _members(function.cls, function)
    yield from _closures(function)


def _members(cls: Class, end: Function) -> Iterator[Finding]:
    fields = list(python_use.held_fields(cls))
    if not fields or not python_use.takes(end) or _has_guard(cls):
        return
    at = gil.taken(end, gil.UNKNOWN)
    emptied = _emptied(end)
    left = [field for field in fields if field.name not in emptied]
    if at is None or not left:
        return
    names = " and ".join(f"`{field.name}`" for field in left)
    yield end.finding(
        at,
        f"{names} {'is' if len(left) == 1 else 'are'} destroyed after this destructor has released the GIL",
        certainty=_certainty(cls, left, names),
        help=f"reset `{left[0].name}` in the destructor body while the GIL is held",
        steps=tuple(
            cls.step(field, f"`{field.name}` is destroyed after the destructor body")
            for field in left
            if field in cls.record.fields
        ),
    )


def _certainty(cls: Class, left: list[records.Field], names: str) -> Certainty:
    own = [field for field in left if field in cls.record.fields]
    if any(_is_always_held(cls, field.name) for field in own):
        return because("caller", "harmless if the GIL is held wherever it is destroyed")
    return because("value", f"{names} may be empty by then") if own else "possible"


def _is_always_held(cls: Class, name: str) -> bool:
    """Whether every constructor is given what the member holds, and no method gives it up."""
    made = [one for one in cls.constructors if "delete" not in one.record.qualifiers]
    given = [one for one in made for each in one.record.initializers if each.name == name and _is_given(one, each.args)]
    declared = sum(one.kind == "constructor" and "delete" not in one.qualifiers for one in cls.declarations)
    others = (one for one in cls.methods if one not in made and one is not cls.destructor)
    return 0 < len(made) == len(given) >= declared and not any(name in _emptied(one) for one in others)


def _is_given(made: Function, args: tuple[records.Value, ...]) -> bool:
    names = made.parameter_names
    return any(isinstance(part, records.Name) and part.text in names for arg in args for part in places.walk(arg))


def _has_guard(cls: Class) -> bool:
    """A guard among the members: those above it end while it holds."""
    return any(gil.guard_kind(cls.program, f.type, cls.file, cls.symbol) == "take" for f in cls.record.fields)


def _emptied(function: Function) -> set[str]:
    """Last names of what the body gives up; what it hands to others by move too."""
    found: set[str] = set()
    for event in function.flow:
        match event:
            case events.CallEvent(receiver=place, node=node) if place is not None:
                if places.last_name(node.callee) in function.program.models.containers.empties | {"dec_ref"}:
                    found.add(place[-1])
            case events.Write(place=place, fresh=False, op="="):
                found.add(place[-1])
        if isinstance(event, events.CallEvent):
            name = places.last_name(event.node.callee)
            if name in ("move", "exchange", "swap") or name.endswith("CLEAR"):
                found |= {places.last_name(argument) for argument in event.node.args}
        if isinstance(event, events.Write):
            for call in places.calls_in(event.value):
                if places.last_name(call.callee) in ("move", "exchange"):
                    found |= {places.last_name(argument) for argument in call.args}
    return found


# --- closures ----------------------------------------------------------------------------------------


def _closures(function: Function) -> Iterator[Finding]:
    for started, event, sure in entrances.spawned(function):
        made, around = started.expression, started.parent
        if made is None or around is None or not sure:
            continue
        emptied = _emptied(started)
        for name, value, shared in _captured(around, made):
            if name in emptied:
                continue
            yield around.finding(
                value if value.start >= made.start else made,
                f"`{name}` is destroyed with the closure of the thread, which does not hold the GIL",
                certainty=because("sharing", f"another owner may keep `{name}` alive") if shared else "certain",
                help="capture a `std::shared_ptr` whose deleter acquires the GIL, or reset "
                f"`{name}` in the body while the GIL is held",
                steps=(function.step(event, "the lambda runs on another thread, which does not hold the GIL"),),
            )


def _captured(function: Function, made: records.Lambda) -> Iterator[tuple[str, records.Value, bool]]:
    for name, value in python_use.captures(function, made, frozenset({"object", "holder"})):
        yield name, value, False
    for capture in made.captures:
        if capture.by_reference or capture.name in ("this", "*this", "&", "="):
            continue
        value = capture.value or records.Name(capture.start, capture.end, capture.name)
        written = types.parse(function.program.types.of(places.strip(value), function))
        if written.arguments and "shared pointer" in function.program.types.roles(written.name, function):
            held = written.arguments[0]
            if python_use.kind_of(function, held) == "holder":
                yield capture.name, value, True
