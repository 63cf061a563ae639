"""A foreign function keeps the address of a callback that nothing in Python keeps alive.

## What it reports

- a callback object that is made in a call or bound to a local (a nested function decorated with its type is one), is
  given to a function whose name says that it keeps it (`set_...`, `register...`, `on...`, `add...`, `subscribe...`,
  handlers, loggers), by itself or through a function of the project, and is neither stored, returned nor global.

## Why it is a bug

A callback object is a small piece of memory with code in it that calls Python. C gets its address and no reference:
when the last Python name of the object goes away the memory is freed, and the next call from C jumps into it.

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
case.py:7: error: `lib.set_event_handler` stores the address of `HANDLER(on_event)`, which nothing keeps alive
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

Store the callback in an attribute or a global for as long as it is registered. `--fix --unsafe-fixes` makes this
change.

## What it does not report

- functions that use a callback during the call alone (sorting, searching, `for_each`, `enumerate`, `walk`), callbacks
  in attributes, globals, containers and fields of structures, which keep them, functions of Python, callbacks made of
  an address, callbacks that a local holds until they are taken back or while the foreign side runs. Shown with
  `--certainty possible`: functions whose name says nothing.

## Known limitations

- an object that holds its callback, and is itself registered and let go, is not found. How long a function uses a
  callback is told by its name.

## Source

docs.python.org/3/library/ctypes.html, "make sure you keep references to CFUNCTYPE() objects as long as they are used
from C code"; run on CPython 3.11; warp issue 711.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def callback_not_kept(function: Function) -> Iterator[Finding]:
    for misuse in addresses.of(function.program).misuses_in(function):
        if misuse.kind == "kept":
            yield function.finding(
                misuse.at,
                f"`{misuse.callee}` stores the address of `{misuse.owner}`, {_fate(misuse)}",
                certainty=misuse.certainty,
                help="store the callback in an attribute or a global for as long as it is registered",
                steps=addresses.story(misuse),
                fix=addresses.fix(misuse),
            )


def _fate(misuse: addresses.AddressMisuse) -> str:
    if misuse.temporary:
        return "which nothing keeps alive"
    return "which is freed when the function returns" if misuse.ended is None else "which is released"
