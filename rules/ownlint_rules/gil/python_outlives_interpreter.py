"""A Python object with static storage is destroyed after the interpreter was finalized.

## What it reports

- a namespace-scope variable, static member or static local whose type counts Python references
- a container or an optional of such objects
- an object of a class of the project with such a member (`likely`), also as a `thread_local`

## Why it is a bug

A static is destroyed at process exit. By then the interpreter is finalized: the destructor decrements the reference
count of an object whose memory is gone, without the GIL and without a thread state. The process crashes at exit.

## Example

bad:

```cpp
namespace py = pybind11;
py::object Numpy() {
  static py::module_ numpy = py::module_::import("numpy");
  return numpy;
}
```

```text
case.cc:3: error: `numpy` is destroyed after the interpreter was finalized
  help: store it in `py::gil_safe_call_once_and_store`, or never destroy it: allocate `numpy` with `new`, without a
    `delete`
```

good:

```cpp
namespace py = pybind11;
py::object Numpy() {
  static py::gil_safe_call_once_and_store<py::module_> numpy;
  return numpy.call_once_and_store_result([] { return py::module_::import("numpy"); }).get_stored();
}
```

## How to fix it

Store the object in `gil_safe_call_once_and_store`, or allocate it and never delete it.

## What it does not report

- handles, raw pointers, and references to objects that are never deleted (`*new py::object(...)`)
- storage that is never destroyed (`gil_safe_call_once_and_store`, `NoDestructor`), shared pointers
- classes whose destructor acquires the GIL or checks for the interpreter
- objects that some function clears while the program runs, such as a registered cleanup
- objects that are given a second reference which is never released (`inc_ref`)

## Known limitations

- A function that clears the object is assumed to be called.
- In a program that starts and finalizes the interpreter itself the order may be correct.

## Source

pybind11's documentation of `gil_safe_call_once_and_store`; nanobind reports such objects as leaks, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, Step, because, python_use, rule, types
from ownlint_rules.gil import _spelling as spelling
from ownlint_rules.gil import _statics as statics


@rule(severity="error", cwe=(672,))
def python_outlives_interpreter(program: Program) -> Iterator[Finding]:
    for static in statics.statics(program):
        kind = types.parse(static.type)
        if not kind.is_value or kind.is_placeholder or "extern" in static.type.split():
            continue
        counted = python_use.kind_at(program, static.type, static.file, static.scope)
        if counted not in ("object", "holder") or statics.is_emptied(program, static) or _asks(program, static):
            continue
        if statics.is_immortal(program, static):
            continue
        yield Finding(
            static.file.path,
            static.node.span,
            f"`{static.name}` is destroyed after the interpreter was finalized",
            certainty=because(
                "sharing", f"harmless if something else keeps the object of `{static.name}` alive forever"
            )
            if counted == "object" or statics.is_filled(program, static)
            else because("value", f"it is not known whether `{static.name}` holds an object by then"),
            help=_help(program, static),
            steps=_member(program, static),
            symbol=static.function.symbol if static.function is not None else static.scope,
        )


def _help(program: Program, static: statics.Static) -> str:
    once = spelling.once(program, static.file)
    never = f"never destroy it: allocate `{static.name}` with `new`, without a `delete`"
    return f"store it in {once}, or {never}" if once else never


def _asks(program: Program, static: statics.Static) -> bool:
    """Whether the destructor of a class of the project asks if there is an interpreter."""
    cls = program.names.find_class(
        program.names.expand(static.type, static.file, static.scope), static.scope, static.file
    )
    alive = {name.rpartition("::")[2] for name in program.models.gil.alive}
    return cls is not None and any(
        one.destructor is not None and one.destructor.mentions_any(alive) for one in cls.ancestry
    )


def _member(program: Program, static: statics.Static) -> tuple[Step, ...]:
    """The member that makes a class count references."""
    cls = program.names.find_class(
        program.names.expand(static.type, static.file, static.scope), static.scope, static.file
    )
    if cls is None:
        return ()
    fields = list(python_use.held_fields(cls))[:1]
    return tuple(cls.step(field, f"`{field.name}` counts references") for field in fields if field in cls.record.fields)
