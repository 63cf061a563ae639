"""An array or a buffer is used after its memory was unmapped.

## What it reports

- an array over shared memory that is used, returned or stored after the memory was closed, deleted, reassigned or freed
  with its function
- a buffer from a transaction with `buffers=True`, an array over it or a slice of it, after the transaction or its
  environment has ended
- a view of a library's array that has been resized since

## Why it is a bug

Shared memory is unmapped when its object is closed or collected; a database map when the transaction or the environment
ends. An array over that memory does not prevent it. Its next use reads other data, or crashes with SIGSEGV.

## Example

bad:

```python
from multiprocessing.shared_memory import SharedMemory

import numpy as np

def attach(name):
    memory = SharedMemory(name=name)
    return np.ndarray((100,), dtype=np.float64, buffer=memory.buf)
```

```text
case.py:7: error: `np.ndarray((100,), dtype=np.float64, buffer=memory.buf)` is returned, but its memory is freed with
    `memory` here
  help: copy the data while the memory is valid, or keep the owner of the memory alive
```

good:

```python
from multiprocessing.shared_memory import SharedMemory

import numpy as np

def attach(name):
    memory = SharedMemory(name=name)
    return memory, np.ndarray((100,), dtype=np.float64, buffer=memory.buf)
```

## How to fix it

Copy the data while the memory is valid (`a.copy()`, `bytes(value)`), or keep the object that owns the memory open and
alive for as long as the array is used.

## What it does not report

- copies (`a.copy()`, `bytes(value)`, `np.array(a)`) and numbers
- memory that is returned or stored together with the array
- transactions without `buffers=True`
- `np.frombuffer(memory.buf)` and slices of `memory.buf`, which make `close()` raise, and `buf` itself, which raises
  after closing

## Known limitations

- An element of an array is assumed to be a number, even if it is a row, unless it comes from a loop and is sliced.
- A buffer that a later write in the same transaction overwrites is not reported.

## Source

run on CPython 3.11 with NumPy 2.4 and lmdb 3.0, freed memory poisoned: SIGSEGV after close and after collection, wrong
bytes after eight writes. lmdb's documentation of `buffers`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, handles, rule


@rule(severity="error", cwe=(416,), languages=("python",))
def memory_gone_under_view(function: Function) -> Iterator[Finding]:
    known = border.of(function.program)
    for misuse in known.misuses_in(function):
        role = known.role(misuse.child.cls)
        if (misuse.about == "closed" and role == "view") or (misuse.about == "owner" and role in ("view", "checked")):
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help="copy the data while the memory is valid, or keep the owner of the memory alive",
                steps=border.misuse_steps(misuse),
            )


def _message(misuse: handles.HandleMisuse) -> str:
    does = {"return": "returned", "store": "stored"}.get(misuse.kind, "used")
    if misuse.stale is not None and misuse.stale.reach == "derived":
        return f"{misuse.what} is {does} after `{misuse.stale.call}` moved or freed its memory"
    if misuse.stale is not None:
        return f"{misuse.what} is {does} after its memory was freed with `{misuse.stale.target}`"
    if misuse.kind in ("return", "store"):
        return f"{misuse.what} is {does}, but its memory is freed with `{misuse.owner}` here"
    return f"{misuse.what} is used after its memory was freed with `{misuse.owner}`"
