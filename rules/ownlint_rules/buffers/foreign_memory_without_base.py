"""Foreign memory is wrapped in a buffer that does not keep its owner alive.

## What it reports

- a foreign buffer without a base that is returned or stored
- a foreign buffer, or an array over one, created from an address whose owner is already freed
- a ctypes object or an array that a method returns at an address that the destructor of `self` frees

## Why it is a bug

A foreign buffer is an address and a size. Without a base object it keeps nothing alive, so every array created from it
reads freed memory once the owner is gone.

## Example

bad:

```python
import numpy as np
import pyarrow as pa

def wrap(values: np.ndarray):
    return pa.foreign_buffer(values.ctypes.data, values.nbytes)
```

```text
case.py:5: error: `pa.foreign_buffer(values.ctypes.data, values.nbytes)` is returned, but has no base: nothing keeps its
    memory alive
  help: pass a base object that owns the memory
```

good:

```python
import numpy as np
import pyarrow as pa

def wrap(values: np.ndarray):
    return pa.foreign_buffer(values.ctypes.data, values.nbytes, base=values)
```

## How to fix it

Pass the owner as the base (the third argument of `pyarrow.foreign_buffer`), store it on the view (`view._owner =
self`), or return a copy.

## What it does not report

- buffers with a base
- buffers that are dropped before their owner
- `py_buffer` and memory maps, which keep their source alive
- methods that pass `self` to the view or to a finalizer, or return it with the view

## Known limitations

- Memory that a C library never frees looks the same: pass a base, or suppress the finding.

## Source

arrow.apache.org, pyarrow.foreign_buffer: "the user must ensure that the memory stays valid"; run on pyarrow with freed
memory poisoned. `cupy.cuda.UnownedMemory` is read from its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, handle_addresses, handles, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",))
def foreign_memory_without_base(function: Function) -> Iterator[Finding]:
    for misuse in addresses.borrows_in(function, handle_addresses.FOREIGN_BUFFER, handle_addresses.LENT):
        if misuse.child.loss == handle_addresses.FOREIGN_BUFFER:
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help="pass a base object that owns the memory",
                steps=addresses.story(misuse),
            )
        elif misuse.kind == "return":
            yield function.finding(
                misuse.at,
                f"`{misuse.owner}` is returned but does not keep `self` alive, whose destructor frees this memory",
                certainty=misuse.certainty,
                help="store the object on the view (`view._owner = self`), or return a copy",
            )


def _message(misuse: handles.HandleMisuse) -> str:
    buffer = f"`{misuse.child.shown}`"
    done = {"return": "returned", "store": "stored", "use": "used"}[misuse.kind]
    if misuse.child.holds:
        return f"{buffer} is {done}, but has no base: nothing keeps its memory alive"
    gone = "is already freed" if misuse.kind == "use" else addresses.fate(misuse)
    return f"{buffer} is {done}, but has no base that keeps `{misuse.owner}` alive, which {gone}"
