"""A C++ exception leaves a function that C calls.

Python's interpreter is C, and so is whatever takes a function pointer and a `void*`. An exception that goes through its
frames unwinds nothing there: the process ends, or what C was in the middle of stays half done. Out of a destructor,
which is `noexcept` unless it says otherwise, the process ends in any case.

bad:

```cpp
namespace nb = nanobind;
static PyObject* Repr(PyObject* self) {
  nb::object text = nb::handle(self).attr("text")();
  return text.release().ptr();
}
static PyType_Slot slots[] = {{Py_tp_repr, (void*)&Repr}, {0, nullptr}};
```

good:

```cpp
namespace nb = nanobind;
static PyObject* Repr(PyObject* self) {
  try {
    nb::object text = nb::handle(self).attr("text")();
    return text.release().ptr();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}
static PyType_Slot slots[] = {{Py_tp_repr, (void*)&Repr}, {0, nullptr}};
```

Reported: functions and lambdas without captures in a table of slots, in a member of a struct of C, or handed to C
beside a pointer to their state, that throw, call a function of the project that throws, or call into pybind11 or
nanobind, which throw where Python has raised; and destructors that call Python's code through one of these.

Quiet: whatever stands in a `try`, functions of the C API (they answer with NULL), what frameworks do without throwing
(`inst_ptr`, `borrow`, `isinstance`), destructors that say `noexcept(false)`, and functions that a framework binds: it
catches.

Limits: exceptions of the standard library (`at`, `new`) are not looked at, nor failures of conversions and of calls
that run no code of Python's.

Source: https://docs.python.org/3/extending/extending.html: CPython's frames are C and have no handler; not run here.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Step,
    because,
    events,
    failure,
    python_use,
    records,
    rule,
    tempered,
    text,
    trials,
)
from ownlint_rules.gil import _c_callbacks as c_callbacks


@rule(severity="error", cwe=(248,))
def exception_crosses_c(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or function.path.endswith(".c"):  # C has no exceptions
        return
    steps: tuple[Step, ...] = ()
    held: list[c_callbacks.CCallback] = []
    unread: Certainty = "certain"
    who = "C calls"
    if function.record.kind == "destructor":
        who = "is a destructor"
    else:
        held = [one for one in c_callbacks.held_by_c(function) if not one.of_cpp]
        if not any(one.way != "deleter" for one in held) or "noexcept" in function.record.qualifiers:
            return
        steps = (held[0].at,)
        if not any(one.way == "slot" for one in held):
            unread = because("unread-code", "harmless if the caller is C++ code that lets the exception propagate")
    for event, what, certainty in _thrown(function):
        name = "this lambda" if function.record.kind == "lambda" else f"`{function.name}`"
        by = f"by `{held[0].taker}`" if function.record.kind == "lambda" and held and held[0].taker else "from C"
        left = f"{name}, which is called {by}" if who == "C calls" else f"the destructor `{function.name}`"
        yield function.finding(
            event,
            f"{what} escapes from {left}",
            certainty=because("possible", trials.REASON) if trials.is_trial(function) else tempered(certainty, unread),
            help=_help(function, event),
            steps=steps,
        )
        return


def _help(function: Function, event: events.Event) -> str:
    """Only where Python is used is there one that can be told."""
    if function.record.kind == "destructor":
        return "catch it here"
    is_python = event.index in python_use.uses(function) or python_use.takes(function)
    return "catch it here and set a Python error" if is_python else "catch it here and return an error code"


def _thrown(function: Function) -> Iterator[tuple[events.Event, str, Certainty]]:
    """What can leave the function by an exception."""
    is_end = function.record.kind == "destructor"
    used = python_use.uses(function)
    handled = _handled(function)
    for event in function.flow:
        if event.index not in function.flow.reachable or any(event.span.start in block for block in handled):
            continue
        match event:
            case events.LeaveEvent(kind="throw", via="") if not is_end and event.value is not None:
                yield event, "an exception", "certain"
            case events.CallEvent():
                use = used.get(event.index)
                if use is not None and use.throws and use.runs:
                    yield event, f"a Python error raised by `{text(event.node.callee)}`", _where_it_fails(event)
                elif not is_end and use is None and failure.throws(function, event) is not None:
                    yield event, f"an exception thrown by `{text(event.node.callee)}`", _where_it_fails(event)


def _where_it_fails(call: events.CallEvent) -> Certainty:
    return because("path", f"on the path where `{text(call.node.callee)}` fails")


def _handled(function: Function) -> list[range]:
    """The bytes of the blocks that have a handler; which exceptions that takes is not asked."""
    return [
        range(statement.body[0].start, statement.body[-1].end)
        for statement in function.statements
        if isinstance(statement, records.Try) and statement.handlers and statement.body
    ]
