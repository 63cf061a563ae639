"""A callback from C code uses Python before it acquires the GIL.

## What it reports

- a function or captureless lambda that uses Python without acquiring the GIL, and is passed to C by a call made with
  the GIL released, is the deleter of a shared pointer, or is stored in a C struct as a destructor
- the same in a C struct if other members of it acquire the GIL
- a function passed to C together with a state pointer, or an override, that uses Python first and acquires the GIL
  later

## Why it is a bug

C calls back from any thread: a thread of its own, after the lock was released, or wherever the last owner is destroyed.
Without the GIL, reference counts are corrupted and the interpreter crashes.

## Example

bad:

```cpp
void Export(Tensor* tensor, PyObject* owner) {
  tensor->context = owner;
  tensor->deleter = [](Tensor* self) { Py_DECREF(static_cast<PyObject*>(self->context)); };
}
```

```text
case.cc:3: error: `Py_DECREF` is called in a callback that does not acquire the GIL
  help: acquire the GIL in the first statement: `PyGILState_Ensure()`
```

good:

```cpp
void Export(Tensor* tensor, PyObject* owner) {
  tensor->context = owner;
  tensor->deleter = [](Tensor* self) {
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(static_cast<PyObject*>(self->context));
    PyGILState_Release(state);
  };
}
```

## How to fix it

Acquire the GIL in the first statement: `py::gil_scoped_acquire gil;` or `PyGILState_Ensure()`.

## What it does not report

- callbacks that acquire the GIL first, and trampolines (`PYBIND11_OVERRIDE`, `NB_OVERRIDE` acquire it)
- slots of types and modules, and capsule destructors, which Python calls while it holds the GIL
- callbacks that are called during the call they are passed to
- members that plain functions of the project call

## Known limitations

- A lambda with captures is a `std::function` and is not analysed here.
- Whether C calls back while the GIL is held is assumed for arguments and overrides.

## Source

DLPack's deleters in NumPy take the lock and ask `Py_IsInitialized` first; pybind11's documentation of the GIL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Step, because, entrances, locks, python_use, rule
from ownlint_rules.gil import _c_callbacks as c_callbacks
from ownlint_rules.gil import _spelling as spelling

_ENDS = re.compile(r"delet|destr|destroy|free|releas|dispos|finali[sz]|dealloc|cleanup", re.IGNORECASE)
"""Names of members that end something."""

_HELD_ANYWAY = "harmless if the GIL is held wherever it is called"
_ON_THE_SPOT = "it may be called while the function that passes it still holds the GIL"


@rule(severity="error", cwe=(820,), yields_to=("python-without-gil",))
def callback_without_gil(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or entrances.entrances(function.program).of(function):
        return
    held = c_callbacks.held_by_c(function)
    if any(one.way == "slot" for one in held):
        return
    later = python_use.takes(function)
    stored = [one for one in held if one.way in ("member", "deleter", "released")]
    reasons = stored or (held if later else [])
    steps = tuple(one.at for one in reasons[:1]) or _override(function, later)
    if not steps:
        return
    use = python_use.without_lock(function)
    if use is None:
        return
    yield function.finding(
        use.event,
        f"{use.what} before the GIL is acquired"
        if later
        else (f"{use.what} in a callback that does not acquire the GIL"),
        certainty=_certainty(function, stored, later),
        help=f"acquire the GIL in the first statement: {spelling.acquire(function.program, function.file)}",
        steps=(*steps, *use.steps),
    )


def _certainty(function: Function, stored: list[c_callbacks.CCallback], later: bool) -> Certainty:
    """Of what is stored in a struct: a deleter that stands alone, or one of several of which others take the lock.
    Where all of them use Python as they are, C calls them on the spot, for all we know."""
    if later or not stored or any(one.way in ("deleter", "released") for one in stored):
        return because("caller", _HELD_ANYWAY)
    if c_callbacks.is_called_here(function):
        return because("possible", _ON_THE_SPOT)
    others = c_callbacks.beside(function)
    if any(python_use.takes(other) for other in others):
        return because("caller", _HELD_ANYWAY)
    plain = any(python_use.without_lock(other) is not None for other in others)
    ends = any(_ENDS.search(one.member) for one in stored)
    return because("caller", _HELD_ANYWAY) if ends and not plain else because("possible", _ON_THE_SPOT)


def _override(function: Function, later: bool) -> tuple[Step, ...]:
    """Of a method that overrides: why somebody calls it without the lock."""
    cls = function.cls
    if cls is None or not locks.is_override(function):
        return ()
    if later:
        return (function.step(function.record, f"`{function.name}` is called through the base class"),)
    others = [one for one in cls.methods if one is not function and locks.is_override(one)]
    taking = [one for one in others if python_use.takes(one)]
    if not taking or any(one not in taking and python_use.without_lock(one) for one in others):
        return ()
    return (taking[0].step(taking[0].record, f"`{taking[0].name}` acquires the GIL"),)
