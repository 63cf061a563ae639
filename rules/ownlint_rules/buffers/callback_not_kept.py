"""A foreign function stores the address of a callback that nothing in Python keeps alive.

## What it reports

- a callback object that is created in the call, or held only by a local variable, and passed to a function whose name
  says that it stores it (`set_...`, `register...`, `on...`, `add...`, `subscribe...`)
- the same through a nested function that is decorated with its callback type
- the same through a function of the project

## Why it is a bug

A ctypes or cffi callback object owns the machine code that calls Python. C receives its address but no reference. When
the last Python reference is dropped the code is freed, and the next call from C jumps into freed memory.

## Example

bad:

```python
import ctypes

HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
lib = ctypes.CDLL("libevents.so")

def listen(on_event):
    lib.set_event_handler(HANDLER(on_event))
```

```text
case.py:7: error: `lib.set_event_handler` keeps a pointer to the callback `HANDLER(on_event)`, which nothing keeps alive
  help: store the callback in an attribute or a global for as long as it is registered
```

good:

```python
import ctypes

HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
lib = ctypes.CDLL("libevents.so")
kept = []

def listen(on_event):
    handler = HANDLER(on_event)
    kept.append(handler)
    lib.set_event_handler(handler)
```

## How to fix it

Store the callback in an attribute or a global for as long as it is registered. `--fix --unsafe-fixes` assigns a
temporary to a variable or an attribute where that is enough.

## What it does not report

- functions that use a callback only during the call (sorting, searching, `for_each`, `walk`)
- callbacks in attributes, globals, containers and structure fields, which keep them alive
- Python functions, and callbacks created from an address
- callbacks that a local holds until they are unregistered or the foreign code returns; with the default `--certainty`,
  functions whose name does not tell

## Known limitations

- An object that holds its callback, and is itself registered and dropped, is not detected.
- How long a function uses a callback is inferred from its name.

## Source

docs.python.org/3/library/ctypes.html, "make sure you keep references to CFUNCTYPE() objects as long as they are used
from C code"; run on CPython 3.11; warp issue 711.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, handles, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def callback_not_kept(function: Function) -> Iterator[Finding]:
    for misuse in addresses.misuses_in(function):
        if misuse.stored is not None:
            yield function.finding(
                misuse.at,
                f"`{misuse.stored.by}` keeps a pointer to the callback `{misuse.owner}`, {_fate(misuse)}",
                certainty=misuse.certainty,
                help="store the callback in an attribute or a global for as long as it is registered",
                steps=addresses.story(misuse),
                fix=addresses.fix(misuse),
            )


def _fate(misuse: handles.HandleMisuse) -> str:
    if addresses.is_temporary(misuse):
        return "which nothing keeps alive"
    return "which is freed when the function returns" if misuse.ended is None else "which is released"
