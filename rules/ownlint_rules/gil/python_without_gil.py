"""Python is used without the GIL.

## What it reports

- calls of the C API, pybind11 or nanobind where the GIL is released: after `gil_scoped_release`, between
  `Py_BEGIN_ALLOW_THREADS` and `Py_END_ALLOW_THREADS`, under a releasing call guard, or on another thread
- a Python object that is created, copied, assigned, iterated over, captured by copy or destroyed there, also in a
  function of the project that is called
- Python that a function uses before it acquires the GIL itself, or after it has given that up again, as a handler does
  whose `try` block holds the guard
- a `return` or `throw` between `Py_BEGIN_ALLOW_THREADS` and `Py_END_ALLOW_THREADS`: the caller goes on without the GIL
- parameters by value and returned objects of a function bound with a releasing call guard, which are destroyed after
  its body

## Why it is a bug

Every Python call and every change of a reference count needs the GIL. Without it two threads change the same counters
at once: objects leak or are freed while in use, and the interpreter crashes at some later time.

## Example

bad:

```cpp
namespace py = pybind11;
void Train(Model& model, const py::function& on_step) {
  py::gil_scoped_release nogil;
  model.Step();
  on_step(model.loss());
}
```

```text
case.cc:5: error: `on_step` is called without the GIL
  help: acquire the GIL here, or end the release scope earlier
```

good:

```cpp
namespace py = pybind11;
void Train(Model& model, const py::function& on_step) {
  {
    py::gil_scoped_release nogil;
    model.Step();
  }
  on_step(model.loss());
}
```

## How to fix it

Acquire the GIL for the Python work (`py::gil_scoped_acquire`), or release it only around the work that does not use
Python. Pass parameters by `const &`.

## What it does not report

- objects and handles passed through by reference; pointers, sizes and elements of arrays
- calls that are allowed without the GIL (`PyGILState_*`, `PyMem_Raw*`, `PyThread_*`, `Py_AddPendingCall`)
- exceptions that carry only a text (`value_error`), and a `std::function` created by the framework, which acquires the
  GIL itself
- a function that acquires the GIL itself where all its callers in the project hold it
- code after an acquire or a test of `PyGILState_Check()`, and code where it is not known on every path whether the GIL
  is held

## Known limitations

- OpenMP threads, and thread pools of unknown libraries, are not known.
- The parameters of a bound function whose definition is not found are not known.
- Implicit conversions to Python objects are seen only where a type is written.
- Only the first use on each path is reported.

## Source

the rows of `tests/oracle` were run on pybind11 2.13.6 and 3.1.0 with asserted counters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
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
)


@rule(severity="error", cwe=(820,))
def python_without_gil(function: Function) -> Iterator[Finding]:
    entrance = entrances.guarded(function)
    if function.language != "cpp" or (entrance is None and not gil.may_release(function)):
        return
    states = gil.states(function, entrances.entry(function))
    yield from _left(function, states)
    acquired = _acquired_itself(function) if entrance is None else None
    if acquired is not None:
        without = gil.states(function, gil.RELEASED)
        yield from (
            _outside(function, use, acquired)
            for use in _first_uses(function, without)
            if without[use.event.index].since == gil.ENTRY
        )
    found = list(_first_uses(function, states))
    yield from (_finding(function, use, states[use.event.index], entrance) for use in found)
    if entrance is not None and entrance.why == "guard":
        yield from _parameters(function, entrance)
        if not any(isinstance(use.event, events.CallEvent) and _is_returned(function, use.event) for use in found):
            yield from _result(function, states, entrance)


def _left(function: Function, states: dict[int, gil.GilState]) -> Iterator[Finding]:
    """Ways out of the block that `Py_BEGIN_ALLOW_THREADS` opens."""
    for leave in function.flow.leaves:
        state = states.get(leave.index, gil.UNKNOWN)
        if state.status != "released" or state.since == gil.ENTRY or leave.kind not in ("return", "throw"):
            continue
        begun = function.flow.events[state.since]
        if _opens_block(begun) and all(
            target == function.flow.exit for target, _ in function.flow.successors[leave.index]
        ):
            does = "throws" if leave.kind == "throw" else "returns"
            yield function.finding(
                leave,
                f"`{function.name}` {does} without the GIL",
                help="acquire the GIL first (`Py_BLOCK_THREADS`), or move this exit after `Py_END_ALLOW_THREADS`",
                steps=(function.step(begun, "the GIL is released here"),),
            )


def _opens_block(begun: events.Event) -> bool:
    """Whether it is a macro, which opens a block that no function leaves to its caller."""
    if isinstance(begun, events.CallEvent):
        return begun.node.kind == "macro"
    return isinstance(begun, events.Read) and isinstance(begun.node, records.Name)


def _acquired_itself(function: Function) -> events.Event | None:
    """Where a function acquires the GIL of which it is not known how it is entered: it may be called without."""
    if entrances.held(function) is not None or function.record.kind == "lambda":
        return None
    acquired = gil.taken(function, gil.UNKNOWN)
    if acquired is None or gil.states(function, gil.UNKNOWN)[acquired.index] != gil.UNKNOWN:
        return None
    if function.home is not None and gil.is_guard(function.home):
        return None
    callers = [one for one in function.program.index.callers(function) if one is not function]
    return None if callers and all(_holds_at_calls(one, function) for one in callers) else acquired


def _holds_at_calls(caller: Function, function: Function) -> bool:
    states = gil.states(caller, entrances.entry(caller))
    return all(
        states.get(call.index, gil.HELD).status == "held"
        for call in caller.flow.calls
        if function in caller.program.calls.callee(call.node, caller).functions
    )


def _outside(function: Function, use: python_use.PythonUse, acquired: events.Event) -> Finding:
    """What a function uses where it does not hold the GIL that it acquires elsewhere."""
    return function.finding(
        use.event,
        f"{use.what} without the GIL",
        certainty=because("caller", f"harmless if every caller of `{function.name}` holds the GIL"),
        help="acquire the GIL before the first use of Python, and hold it until after the last, also in error handling",
        steps=(
            function.step(acquired, "the GIL that is acquired here is released at the end of this scope"),
            *use.steps,
        ),
        cause=places.called(use.event.node) if isinstance(use.event, events.CallEvent) else "",
    )


def _first_uses(function: Function, states: dict[int, gil.GilState]) -> Iterator[python_use.PythonUse]:
    """Of each region, what no other use of the same region comes before."""
    inside = [
        use
        for index, use in sorted(python_use.uses(function).items())
        if index in states and states[index].status == "released"
    ]
    first: list[python_use.PythonUse] = []
    for use in inside:
        since = states[use.event.index].since
        if not any(
            states[one.event.index].since == since and function.flow.dominates(one.event, use.event) for one in first
        ):
            first.append(use)
            yield use


def _finding(
    function: Function, use: python_use.PythonUse, state: gil.GilState, entrance: entrances.Entrance | None
) -> Finding:
    sure = state.since != gil.ENTRY or entrance is None or entrance.sure
    return function.finding(
        use.event,
        f"{use.what} without the GIL",
        certainty=_certainty(use, sure),
        help=_help(state, entrance),
        steps=(*_since(function, state, entrance), *use.steps),
        cause=places.called(use.event.node) if isinstance(use.event, events.CallEvent) else "",
    )


def _certainty(use: python_use.PythonUse, sure: bool) -> Certainty:
    if not sure:
        return because("threads", "that it runs on another thread is inferred from how it is passed on")
    if use.perhaps:
        return because("path", "this happens only on a path on which it holds an object of Python's")
    return because("path", "the callee may return before it uses Python") if use.steps else "certain"


def _help(state: gil.GilState, entrance: entrances.Entrance | None) -> str:
    if state.since == gil.ENTRY and entrance is not None and entrance.why == "guard":
        return "acquire the GIL here, or release it in the body around the work only"
    return "acquire the GIL here, or end the release scope earlier"


def _since(function: Function, state: gil.GilState, entrance: entrances.Entrance | None) -> tuple[Step, ...]:
    if state.since != gil.ENTRY:
        return (function.step(function.flow.events[state.since], "the GIL is released here"),)
    return (entrance.at,) if entrance is not None else ()


def _parameters(function: Function, entrance: entrances.Entrance) -> Iterator[Finding]:
    """Parameters by value: they end behind the body, before the guard does."""
    moved = python_use.given_away(function)
    for parameter in function.record.parameters:
        if parameter.name not in moved and python_use.is_counted(function, parameter.type):
            yield function.finding(
                parameter,
                f"parameter `{parameter.name or parameter.type}` is destroyed without the GIL",
                help="pass it by `const &`, or release the GIL in the body around the work only",
                steps=(entrance.at,),
            )


def _result(function: Function, states: dict[int, gil.GilState], entrance: entrances.Entrance) -> Iterator[Finding]:
    """An object that is returned: the caller's copy of it is counted while the guard lives."""
    result = function.record.result or function.program.calls.inferred_result(function)
    if not python_use.is_counted(function, result):
        return
    for leave in function.flow.leaves:
        state = states.get(leave.index)
        if leave.kind == "return" and state is not None and state.status == "released":
            yield function.finding(
                leave,
                f"`{function.name}` returns a Python object without the GIL",
                help="release the GIL in the body around the work only",
                steps=(entrance.at,),
            )
            return


def _is_returned(function: Function, call: events.CallEvent) -> bool:
    return any(
        isinstance(leave.value, records.Node) and leave.span.start <= call.span.start < leave.span.end
        for leave in function.flow.leaves
        if leave.kind == "return"
    )
