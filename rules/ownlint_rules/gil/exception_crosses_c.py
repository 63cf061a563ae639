"""A C++ exception escapes from a function that C code calls.

## What it reports

- functions and captureless lambdas in a method table or a member of a C struct, or passed to C, that throw or call
  something that throws: a function of the project at any depth, `std::stoi`, the constructor of a `std::regex`
- the same where they call into pybind11 or nanobind, which throw when Python raises
- destructors that run Python code through pybind11 or nanobind

## Why it is a bug

The Python interpreter is written in C, like any library that takes a function pointer and a `void*`. An exception that
crosses C frames unwinds nothing there: the process calls `std::terminate`, or the C code stays half done. A destructor
is `noexcept` by default, so the process terminates in any case.

## Example

bad:

```cpp
namespace nb = nanobind;
static PyObject* Repr(PyObject* self) {
  nb::object text = nb::handle(self).attr("text")();
  return text.release().ptr();
}
static PyType_Slot slots[] = {{Py_tp_repr, (void*)&Repr}, {0, nullptr}};
```

```text
case.cc:3: error: a Python error raised by `nb::handle(self).attr` escapes from `Repr`, which is called from C
  help: catch it here and set a Python error
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

## How to fix it

Catch the exception in the function and convert it: set a Python error (`e.restore()` or `PyErr_SetString`) and return
NULL, or return an error code.

## What it does not report

- code inside a `try` block whose handlers may take what is thrown
- functions of the C API, which return NULL, and framework calls that do not throw (`inst_ptr`, `borrow`, `isinstance`)
- destructors declared `noexcept(false)`
- functions bound by a framework, which catches exceptions

## Known limitations

- Of the standard library, what throws on its caller's mistake (`at`), or for want of memory (`new`), is not considered.
- Failing conversions, and calls that run no Python code, are not considered.

## Source

https://docs.python.org/3/extending/extending.html: CPython's frames are C and have no handler; not run here.
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
    exceptions,
    python_use,
    rule,
    tempered,
    text,
    trials,
)
from ownlint_rules.gil import _c_callbacks as c_callbacks


@rule(severity="error", cwe=(248,))
def exception_crosses_c(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or function.file.is_c:
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
    for event in function.flow:
        if event.index not in function.flow.reachable:
            continue
        match event:
            case events.LeaveEvent(kind="throw", via="") if not is_end and event.value is not None:
                if not exceptions.is_handled(function, event, {exceptions.thrown_class(function, event)}):
                    yield event, "an exception", "certain"
            case events.CallEvent():
                use = used.get(event.index)
                if use is not None and use.throws and use.runs and not exceptions.is_handled(function, event, ()):
                    yield event, f"a Python error raised by `{text(event.node.callee)}`", _where_it_fails(event)
                elif is_end or use is not None or exceptions.is_caught(function, event):
                    continue
                elif exceptions.lets_out(function, event):
                    yield event, f"an exception thrown by `{text(event.node.callee)}`", _where_it_fails(event)


def _where_it_fails(call: events.CallEvent) -> Certainty:
    return because("path", f"this happens only if `{text(call.node.callee)}` fails")
