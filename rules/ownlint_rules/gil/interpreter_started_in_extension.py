"""An extension module starts or finalizes the interpreter that runs it.

## What it reports

- a call that starts or finalizes an interpreter in a function that defines a module
- the same in a function that Python calls through a binding or a method table
- the same in a function of the project that one of these calls
- a callback of C that starts an interpreter if there is none, and then uses an object of Python that it is given

## Why it is a bug

A program that imports an extension module already runs an interpreter and owns it. `Py_Initialize` does nothing there,
but makes a later `Py_Finalize` look correct, and that shuts down the interpreter of the whole process.

An object that a callback gets was created while an interpreter ran. Where none runs any more, that one has been
finalized, and its objects do not belong to a new one.

## Example

bad:

```cpp
namespace py = pybind11;
PYBIND11_MODULE(core, m) {
  Py_Initialize();
  m.def("run", &Run);
}
```

```text
case.cc:3: warning: the interpreter that runs this module is started by `Py_Initialize`
  help: let the host program start and stop the interpreter
```

good:

```cpp
namespace py = pybind11;
PYBIND11_MODULE(core, m) {
  m.def("run", &Run);
}
```

## How to fix it

Remove the call and use the running interpreter. To call Python from another thread, acquire the GIL
(`PyGILState_Ensure`).

## What it does not report

- programs that embed Python (a `main` in the file, `PYBIND11_EMBEDDED_MODULE`, `scoped_interpreter`, `Py_Main`,
  configuration before the start)
- other functions that check `Py_IsInitialized` before they start one, or that end one where the project starts one

## Known limitations

- A library that is both an extension and a host, in one file, is assumed to be a host.

## Source

https://docs.python.org/3/c-api/init.html#c.Py_Initialize: a no-op when called again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Finding,
    Function,
    Program,
    Step,
    because,
    entrances,
    events,
    places,
    python_use,
    questions,
    records,
    rule,
    text,
)
from ownlint_rules.gil import _c_callbacks as c_callbacks

_DEEPEST = 3


@rule(severity="warning")
def interpreter_started_in_extension(function: Function) -> Iterator[Finding]:
    models = function.program.models
    names = {name.rpartition("::")[2] for name in (*models.gil.starts, *models.gil.ends)}
    alive = {name.rpartition("::")[2] for name in models.gil.alive}
    if function.language != "cpp" or not function.mentions_any(names) or _is_host(function):
        return
    is_asked = function.mentions_any(alive)
    for call in function.flow.calls:
        word = _word(function, call)
        if is_asked and word == "starts" and (step := _called_with_object(function)) is not None:
            yield function.finding(
                call,
                f"another interpreter is started by `{text(call.node.callee)}` for an object of the one that has ended",
                certainty=because("caller", "harmless if the process never finalizes the interpreter"),
                help="return without releasing anything where no interpreter runs any more",
                steps=(step,),
            )
        elif not word or (is_asked and (word == "starts" or _starts_one(function.program))):
            continue
        elif (step := _reached(function, 0, frozenset())) is not None:
            verb = "started" if word == "starts" else "ended"
            yield function.finding(
                call,
                f"the interpreter that runs this module is {verb} by `{text(call.node.callee)}`",
                certainty="certain"
                if entrances.initialises_module(function)
                else because("caller", f"a standalone program could call `{function.name}` too"),
                help="let the host program start and stop the interpreter",
                steps=(step,),
            )


@questions.program_question
def _starts_one(program: Program) -> bool:
    """Whether some code starts an interpreter: one that asks first may be about its own."""
    names = {name.rpartition("::")[2] for name in program.models.gil.starts}
    return any(function.language == "cpp" and function.mentions_any(names) for function in program.functions)


def _word(function: Function, call: events.CallEvent) -> str:
    callee = call.node.callee
    if not isinstance(callee, records.Name) or function.program.calls.callee(call.node, function).functions:
        return ""
    word = function.program.models.gil_word(callee.text, function.program.names.scopes(function))
    return word if word in ("starts", "ends") else ""


def _called_with_object(function: Function) -> Step | None:
    """How C comes to call it, with an object of Python that it uses."""
    held = [one for one in c_callbacks.held_by_c(function) if one.way != "slot"]
    if not held:
        return None
    given = {parameter.name for parameter in function.record.parameters}
    for name, (_, value) in function.locals.items():
        if _root(value) in given:
            given.add(name)
    used = python_use.uses(function)
    is_used = any(
        call.index in used and any(_root(arg) in given for arg in call.node.args) for call in function.flow.calls
    )
    return held[0].at if is_used else None


def _root(value: records.Value | None) -> str:
    """The local or parameter that leads to what an expression stands for."""
    inner = places.strip(value)
    while isinstance(inner, records.Member | records.Unary):
        inner = places.strip(inner.base if isinstance(inner, records.Member) else inner.value)
    return inner.text if isinstance(inner, records.Name) else ""


def _is_host(function: Function) -> bool:
    """Whether the file belongs to a program that has an interpreter of its own."""
    words = set(function.program.models.gil.embeds)
    own = {name for name in words if "*" not in name}
    return any(one.name in own or not own.isdisjoint(one.mentions) for one in function.file.functions)


def _reached(function: Function, depth: int, seen: frozenset[Function]) -> Step | None:
    """How Python comes here."""
    if entrances.initialises_module(function):
        return function.step(function.record, "this defines a module")
    found = entrances.entrances(function.program).of(function)
    if found:
        return found[0].at
    held = [one for one in c_callbacks.held_by_c(function) if one.way == "slot"]
    if held:
        return held[0].at
    if depth >= _DEEPEST or function in seen:
        return None
    for caller in function.program.index.callers(function):
        if caller.language == "cpp" and any(
            function in function.program.calls.callee(call.node, caller).functions for call in caller.flow.calls
        ):
            step = _reached(caller, depth + 1, seen | {function})
            if step is not None:
                return step
    return None
