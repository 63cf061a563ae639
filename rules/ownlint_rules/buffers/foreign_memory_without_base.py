"""Foreign memory is wrapped in a buffer that does not keep its owner alive.

A foreign buffer is an address and a size. Unless it is given a base, it keeps nothing alive, and every array that is
made of it reads freed memory once the owner is gone.

bad:

```python
import numpy as np
import pyarrow as pa

def wrap(values: np.ndarray):
    return pa.foreign_buffer(values.ctypes.data, values.nbytes)
```

good:

```python
import numpy as np
import pyarrow as pa

def wrap(values: np.ndarray):
    return pa.foreign_buffer(values.ctypes.data, values.nbytes, base=values)
```

Reported: a foreign buffer without a base that is returned or stored, or made of the address of something that is
already gone, and arrays made of one. Likewise a ctypes object or an array at an address that a foreign function gives
for a handle of `self`, which a method returns where the destructor frees that handle.

Quiet: buffers with a base, buffers that end with the function while the owner lives, `py_buffer` and memory maps, which
keep what they are made of. Methods that give `self` to the view, to a finalizer, or back beside it.

Limits: an address that a C library hands out, and that lives as long as the process, looks the same: give the buffer
a base, or silence the line.

Source: arrow.apache.org, pyarrow.foreign_buffer: "the user must ensure that the memory stays valid"; run on pyarrow
with freed memory poisoned. `cupy.cuda.UnownedMemory` is read from its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.buffers import _addresses as addresses
from ownlint_rules.buffers._address_records import LENT


@rule(severity="error", cwe=(416,), languages=("python",))
def foreign_memory_without_base(function: Function) -> Iterator[Finding]:
    for misuse in addresses.of(function.program).misuses_in(function):
        if misuse.kind in ("use", "return", "store") and misuse.ref.loss == "foreign":
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help="pass a base object that owns the memory",
                steps=addresses.story(misuse),
            )
        elif misuse.kind == "return" and misuse.ref.loss == LENT:
            yield function.finding(
                misuse.at,
                f"`{misuse.owner}` is returned but does not keep `self` alive, whose destructor frees this memory",
                certainty=misuse.certainty,
                help="store the object on the view (`view._owner = self`), or return a copy",
            )


def _message(misuse: addresses.AddressMisuse) -> str:
    buffer = f"`{misuse.ref.shown}`"
    done = {"return": "returned", "store": "stored", "use": "used"}[misuse.kind]
    if misuse.ref.holds:
        return f"{buffer} is {done}, but has no base: nothing keeps its memory alive"
    gone = "is already freed" if misuse.kind == "use" else addresses.fate(misuse)
    return f"{buffer} is {done}, but has no base that keeps `{misuse.owner}` alive, which {gone}"
