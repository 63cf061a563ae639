"""Python is used without the GIL.

Every call of Python's, and every reference that is counted, needs the interpreter's lock. Between `gil_scoped_release`
and the end of its scope, in a function that is bound with a guard that releases, between `Py_BEGIN_ALLOW_THREADS` and
`Py_END_ALLOW_THREADS` and in what a thread runs, nobody holds it: another thread changes the same counters at the same
time.

bad:

```cpp
namespace py = pybind11;
void Train(Model& model, const py::function& on_step) {
  py::gil_scoped_release nogil;
  model.Step();
  on_step(model.loss());
}
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

Reported, inside such a region: functions of the C API, of pybind11 and of nanobind, and methods of their objects; an
object made, copied, assigned, iterated over, captured by copy or ended; exceptions that fetch Python's error
(`error_already_set()`, `python_error()`); and functions of the project that do one of these without taking the lock
first, with a step to the place. Of a function that is bound with a releasing guard also its parameters by value,
containers of objects among them, and an object that it returns: both end behind its body. The first use of each way
through a region is reported.

Quiet: objects by reference and handles that are passed through, pointers, sizes and elements of arrays, what is
allowed (`PyGILState_*`, `PyMem_Raw*`, `PyThread_*`, `Py_AddPendingCall`), exceptions that carry a text
(`value_error`), a `std::function` that the framework made (it takes the lock itself), code behind an acquire or on the
side of `PyGILState_Check()` where it is held, and regions of which not every way knows whether the lock is held.

Limits: OpenMP's threads, and pools that are not the project's own nor a model's, are not known. Of a bound function
whose definition is out of sight the parameters are not known. Implicit conversions to Python objects are seen where a
type is written.

Source: the rows of `tests/oracle` were run on pybind11 2.13.6 and 3.1.0 with asserted counters.
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
    found = list(_first_uses(function, states))
    yield from (_finding(function, use, states[use.event.index], entrance) for use in found)
    if entrance is not None and entrance.why == "guard":
        yield from _parameters(function, entrance)
        if not any(isinstance(use.event, events.CallEvent) and _is_returned(function, use.event) for use in found):
            yield from _result(function, states, entrance)


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
