"""A static initializer releases the GIL while other threads wait for the initializer.

## What it reports

- a function-local static whose initializer imports a module, calls a Python object, looks up an attribute or acquires
  the GIL
- the same in the function passed to `std::call_once`
- the same through a function or lambda of the project

## Why it is a bug

C++ lets one thread initialize a static and blocks the others. Python lets one thread run, and gives up the GIL during
an import or a call. A second thread then acquires the GIL, reaches the same static and blocks; the first one waits for
the GIL. Both wait forever.

## Example

bad:

```cpp
namespace py = pybind11;
bool HasNumpy() {
  static const bool has = py::module_::import("importlib").attr("find_spec")("numpy").is_none();
  return !has;
}
```

```text
case.cc:3: warning: the initializer of the static `has` may release the GIL: a thread that acquires it then waits for
    the initializer, which waits for the GIL
  help: use `py::gil_safe_call_once_and_store`
```

good:

```cpp
namespace py = pybind11;
bool HasNumpy() {
  static py::gil_safe_call_once_and_store<bool> has;
  return has.call_once_and_store_result([] {
    return !py::module_::import("importlib").attr("find_spec")("numpy").is_none();
  }).get_stored();
}
```

## How to fix it

Use `gil_safe_call_once_and_store` of pybind11, or initialize the object when the module is loaded.

## What it does not report

- `gil_safe_call_once_and_store`
- initializers that only create objects from C++ values
- statics that are reached with the GIL released
- statics of functions that run only when their module is imported, which one thread does
- statics that are Python objects, which `python-outlives-interpreter` reports (the fix is the same)

## Known limitations

- Initializers of namespace-scope variables run when the module is loaded and are not analysed.

## Source

pybind11 pull request 4877; https://pybind11.readthedocs.io/en/stable/advanced/misc.html
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Finding,
    Function,
    Step,
    because,
    entrances,
    events,
    gil,
    places,
    python_use,
    records,
    rule,
    text,
    types,
)
from ownlint_rules.gil import _spelling as spelling
from ownlint_rules.gil import _statics as statics

_INDIRECT = "the callee may return before it releases the GIL"
_RELEASES = "harmless if nothing that it runs releases the GIL, for example if the imported module is already loaded"


@rule(severity="warning", cwe=(833,))
def python_in_static_initializer(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or entrances.runs_at_import(function):
        return
    for static in statics.in_function(function):
        if static.value is not None and not _is_object(function, static):
            yield from _initialised(function, static)
    if function.mentions("call_once"):
        yield from _once(function)


def _is_object(function: Function, static: statics.Static) -> bool:
    kind = types.parse(static.type)
    return kind.is_value and not kind.is_placeholder and python_use.is_counted(function, static.type)


def _initialised(function: Function, static: statics.Static) -> Iterator[Finding]:
    inside = [event for event in function.flow if _is_in(event, static.node)]
    if not inside or _is_released(function, inside[0]):
        return
    found = _runs(function, inside)
    if found is not None:
        yield function.finding(
            static.node,
            f"the initializer of the static `{static.name}` may release the GIL: a thread that acquires it then waits "
            "for the initializer, which waits for the GIL",
            certainty=because("path", _INDIRECT) if found[1] else because("threads", _RELEASES),
            help=_help(function, f"without a static initializer: `if (!{static.name}) {static.name} = ...;`"),
            steps=(found[0],),
        )


def _once(function: Function) -> Iterator[Finding]:
    for call in function.flow.calls:
        node = call.node
        if places.last_name(node.callee) != "call_once" or len(node.args) < 2 or _is_released(function, call):
            continue
        if "once" not in function.program.types.roles(function.program.types.of(node.args[0], function), function):
            continue
        target = entrances.meant(function, node.args[1])
        found = _in_target(target) if target is not None else None
        if found is not None:
            yield function.finding(
                call,
                f"the code that `{text(node.callee)}` runs may release the GIL: a thread that acquires it then waits "
                "for this code, which waits for the GIL",
                certainty=because("path", _INDIRECT),
                help=_help(function, f"without `{text(node.callee)}`: the GIL already lets one thread run at a time"),
                steps=(found,),
            )


def _help(function: Function, otherwise: str) -> str:
    """What is not in the project is not offered."""
    once = spelling.once(function.program, function.file)
    return f"use {once}" if once else f"initialize it when the module is loaded, or {otherwise}"


def _is_in(event: events.Event, node: records.Node) -> bool:
    return node.start <= event.span.start and event.span.end <= node.end


def _is_released(function: Function, event: events.Event) -> bool:
    states = gil.states(function, entrances.entry(function))
    return states.get(event.index, gil.UNKNOWN).status == "released"


def _runs(function: Function, inside: list[events.Event]) -> tuple[Step, bool] | None:
    """What lets go of the lock, and whether it stands in another function."""
    used = python_use.uses(function)
    for event in inside:
        use = used.get(event.index)
        if use is not None and use.runs:
            return function.step(event, f"{use.what} here"), bool(use.steps)
        if isinstance(event, events.CallEvent):
            callee = function.program.calls.callee(event.node, function)
            for target in callee.functions[:1] if callee.certainty == "certain" or callee.symbol == "<lambda>" else ():
                step = _in_target(target)
                if step is not None:
                    return step, True
    return None


def _in_target(target: Function) -> Step | None:
    """What in a function lets go of the lock: it runs Python, or takes the lock and so waits for it."""
    if python_use.takes(target):
        return target.step(gil.taken(target, gil.UNKNOWN) or target.record, "the GIL is acquired here")
    for use in python_use.uses(target).values():
        if use.runs:
            return target.step(use.event, f"{use.what} here")
    return None
