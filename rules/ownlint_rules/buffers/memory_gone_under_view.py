"""An array or a buffer is used after its memory was unmapped.

Shared memory is unmapped when its object is closed or collected, a database's map when the transaction or the
environment ends. An array over it has no say in that: it reads what lies there then, or crashes.

bad:

```python
from multiprocessing.shared_memory import SharedMemory

import numpy as np

def attach(name):
    memory = SharedMemory(name=name)
    return np.ndarray((100,), dtype=np.float64, buffer=memory.buf)
```

good:

```python
from multiprocessing.shared_memory import SharedMemory

import numpy as np

def attach(name):
    memory = SharedMemory(name=name)
    return memory, np.ndarray((100,), dtype=np.float64, buffer=memory.buf)
```

Reported: an array over shared memory that is used, returned or stored after the memory was closed, deleted, bound to
something else, or left behind as a local; a buffer out of a transaction with `buffers=True`, an array over it, its
slices, when the transaction or its environment has ended; a view of a library's array that was resized since.

Quiet: copies (`a.copy()`, `bytes(value)`, `np.array(a)`), numbers, memory that is returned or stored beside the array,
transactions without buffers, `np.frombuffer(memory.buf)` and slices of `memory.buf`, which make closing raise instead,
and the `buf` itself after closing, which then raises.

Limits: an element of an array counts as a number, also where it is a row. A buffer that a later write of the same
transaction has overwritten is not reported.

Source: run on CPython 3.11 with NumPy 2.4 and lmdb 3.0, freed memory poisoned: SIGSEGV after close and after
collection, wrong bytes after eight writes. lmdb's documentation of `buffers`.
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
