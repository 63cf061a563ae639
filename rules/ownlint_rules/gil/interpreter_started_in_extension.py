"""An extension module starts or finalizes the interpreter that runs it.

## What it reports

- a call that starts or finalizes an interpreter in a function that defines a module, or an object that owns one
  (`scoped_interpreter`): a local, a variable of the module's file, a member of a class that is constructed
- the same in a function that Python calls through a binding or a method table
- the same in a function of the project that one of these calls
- a callback of C that starts an interpreter if there is none, and then uses an object of Python that it is given

## Why it is a bug

A program that imports an extension module already runs an interpreter and owns it. `Py_Initialize` does nothing there,
but makes a later `Py_Finalize` look correct, and that shuts down the interpreter of the whole process.
`pybind11::scoped_interpreter` throws there.

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

- programs that embed Python (a `main` in the file, `PYBIND11_EMBEDDED_MODULE`, `Py_Main`, configuration before the
  start)
- other functions that check `Py_IsInitialized` before they start one, or that end one where the project starts one

## Known limitations

- A library that is both an extension and a host, in one file, is assumed to be a host.

## Source

https://docs.python.org/3/c-api/init.html#c.Py_Initialize: a no-op when called again; pybind11's `embed.h`:
`initialize_interpreter` fails with "The interpreter is already running".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Finding,
    Function,
    Program,
    Step,
    because,
    entrances,
    events,
    gil,
    patterns,
    places,
    python_use,
    questions,
    records,
    rule,
    types,
)
from ownlint_rules.gil import _c_callbacks as c_callbacks

_DEEPEST = 3
_FILLS = "emplace"
"""The method that makes an object in a box."""


class _Act(NamedTuple):
    """`name` starts or ends an interpreter, at `at`."""

    word: str
    name: str
    at: records.Node | events.Event
    cls: str = ""
    """The class whose objects start it."""


@rule(severity="warning")
def interpreter_started_in_extension(function: Function) -> Iterator[Finding]:
    models = function.program.models
    alive = {name.rpartition("::")[2] for name in models.gil.alive}
    if function.language != "cpp":
        return
    acts = [*_in_body(function), *_beside_body(function)]
    if not acts or _is_host(function):
        return
    is_asked = function.mentions_any(alive)
    for act in acts:
        if is_asked and act.word == "starts" and (step := _called_with_object(function)) is not None:
            yield function.finding(
                act.at,
                f"another interpreter is started by `{act.name}` for an object of the one that has ended",
                certainty=because("caller", "harmless if the process never finalizes the interpreter"),
                help="return without releasing anything where no interpreter runs any more",
                steps=(step,),
            )
        elif is_asked and (act.word == "starts" or _starts_one(function.program)):
            continue
        elif (step := _reached(function, 0, frozenset())) is not None:
            verb = "started" if act.word == "starts" else "ended"
            yield function.finding(
                act.at,
                f"the interpreter that runs this module is {verb} by `{act.name}`",
                certainty="certain"
                if entrances.initialises_module(function) and not act.cls
                else because("caller", f"a standalone program could use `{act.cls or function.name}` too"),
                help="let the host program start and stop the interpreter",
                steps=(step,),
            )


@questions.program_question
def _starts_one(program: Program) -> bool:
    """Whether some code starts an interpreter: one that asks first may be about its own."""
    names = {name.rpartition("::")[2] for name in program.models.gil.starts}
    return any(function.language == "cpp" for function in program.calling(names))


@questions.program_question
def _said(program: Program) -> patterns.AnyName:
    """The names of what starts or ends an interpreter."""
    return patterns.AnyName(_names(program))


@questions.program_question
def _names(program: Program) -> frozenset[str]:
    return frozenset(name.rpartition("::")[2] for name in (*program.models.gil.starts, *program.models.gil.ends))


def _in_body(function: Function) -> Iterator[_Act]:
    """Calls, and objects that own an interpreter: locals, in boxes, put into boxes that are members."""
    says = function.says(_said(function.program))
    if not says and not _may_fill(function):
        return
    for event in function.flow:
        match event:
            case events.CallEvent(node=node):
                written = _made(function, node)
                # A function of the project may have the name of one of C's.
                if (word := _word(function, written)) and not function.program.calls.callee(node, function).functions:
                    yield _Act(word, written, node)
            case events.Write(fresh=True, type=written, value=value) if says and not isinstance(value, records.Call):
                if _is_object(function, written):
                    yield _Act("starts", written, event)


def _may_fill(function: Function) -> bool:
    """Whether it may make an interpreter in a member without a word of it in the body."""
    if function.home is None or not (function.record.initializers or function.mentions(_FILLS)):
        return False
    return any(name in field.type for field in function.home.record.fields for name in _names(function.program))


def _made(function: Function, call: records.Call) -> str:
    """The function that is called, or the type of the object that it makes in a box."""
    match places.strip(call.callee):
        case records.Name(text=name):
            return call.template if places.last_name(call.callee) in gil.MAKES else name
        case records.Member(name=name, base=base) if name == _FILLS:
            boxed = types.parse(function.program.types.of(base, function)).arguments
            return boxed[0] if boxed else ""
    return ""


def _beside_body(function: Function) -> Iterator[_Act]:
    """Objects that own an interpreter and are made without a word: members of what is constructed, and variables of a
    file that is loaded as a module."""
    file = function.file
    if function.record.kind == "constructor" and function.home is not None:
        for at, written in _held(function, function.home):
            yield _Act("starts", written, at if function.home.file is file else function.record)
    if entrances.initialises_module(function):
        for variable in file.variables:
            if _is_object(function, variable.type):
                yield _Act("starts", variable.type, variable)
        for bound in file.bound_classes:
            cls = function.program.names.find_class(bound.type, function.record.scope, file)
            if cls is not None and cls.file is file and not cls.declared(cls.name):
                yield from (_Act("starts", written, at, cls.name) for at, written in _held(function, cls))


def _held(function: Function, cls: Class) -> Iterator[tuple[records.Field, str]]:
    for field in cls.record.fields:
        if not field.static and _is_object(function, field.type):
            yield field, field.type


def _is_object(function: Function, written: str) -> bool:
    """Whether it is a value of a type whose objects own an interpreter."""
    if not any(name in written for name in _names(function.program)):
        return False
    return types.parse(written).is_value and _word(function, written) == "starts"


def _word(function: Function, name: str) -> str:
    word = function.program.models.gil_word(name, function.program.names.scopes(function)) if name else ""
    return word if word in ("starts", "ends") else ""


def _called_with_object(function: Function) -> Step | None:
    """How C comes to call it, with an object of Python that it uses."""
    held = [one for one in c_callbacks.held_by_c(function) if one.way != "slot"]
    if not held:
        return None
    given = set(function.parameter_names)
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
    found = [one for one in entrances.entrances(function.program).of(function) if one.why != "thread"]
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
