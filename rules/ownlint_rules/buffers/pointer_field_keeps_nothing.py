"""A pointer is copied into a field that does not keep its array alive.

## What it reports

- a pointer to a temporary array that is assigned to a field or an element, or passed to the constructor of a structure
- a pointer to a local array in a structure that is returned, stored or used after the array was freed
- an array passed to an object that stores only its address (`SetVoidArray` of VTK, a kernel argument in PyOpenCL)

## Why it is a bug

`array.ctypes.data_as(T)` returns a pointer object that keeps the array alive through an attribute. A structure field,
or an element of an array of pointers, copies only the address. Once the array is freed the field dangles, and C code
that reads it reads freed memory.

## Example

bad:

```python
import ctypes
import numpy as np

class Frame(ctypes.Structure):
    _fields_ = [("pixels", ctypes.c_void_p)]

def frame(width):
    pixels = np.zeros(width)
    out = Frame()
    out.pixels = pixels.ctypes.data_as(ctypes.c_void_p)
    return out
```

```text
case.py:10: error: the field stores the address of `pixels.ctypes.data_as(ctypes.c_void_p)` without keeping `pixels`
    alive, which is freed when the function returns
  help: keep the array alive for as long as the structure is used
```

good:

```python
import ctypes
import numpy as np

class Frame(ctypes.Structure):
    _fields_ = [("pixels", ctypes.c_void_p)]

def frame(width):
    pixels = np.zeros(width)
    out = Frame()
    out.pixels = pixels.ctypes.data_as(ctypes.c_void_p)
    out.owner = pixels
    return out
```

## How to fix it

Keep the array in a variable or an attribute for as long as the structure is used. `--fix --unsafe-fixes` assigns a
temporary array to a variable where that is enough.

## What it does not report

- structures that are dropped before the array
- arrays that are stored or returned too, and arrays of the caller, of `self` and of the module
- pointers that a field does keep alive: `cast(...)`, `pointer`, callbacks, `c_char_p` and `POINTER` values

## Known limitations

- A structure whose class is not known (a parameter without an annotation) is assumed to be an ordinary object, which
  keeps its values alive.
- A pointer to a local that is stored in an object of `self` or of the caller is not reported, since it may be replaced
  before its next use.

## Source

run on NumPy 2 and CPython 3.11: `c_void_p` and `POINTER` fields, arrays of `c_void_p`, constructors, and through
`byref`; ctypes keeps what `cast` and `pointer` return in `_objects`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, handle_addresses, handles, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def pointer_field_keeps_nothing(function: Function) -> Iterator[Finding]:
    for misuse in addresses.borrows_in(function, handle_addresses.FIELD):
        yield function.finding(
            misuse.at,
            _message(misuse),
            certainty=misuse.certainty,
            help="keep the array alive for as long as the structure is used",
            steps=addresses.story(misuse),
            fix=addresses.fix(misuse),
        )


def _message(misuse: handles.HandleMisuse) -> str:
    pointer, owner = f"`{misuse.child.shown}`", f"`{misuse.owner}`"
    match misuse.kind:
        case "use" if not misuse.temporary:
            return (
                f"the field stores the address of {pointer} without keeping {owner} alive, and is used "
                "after it was freed"
            )
    return f"the field stores the address of {pointer} without keeping {owner} alive, which {addresses.fate(misuse)}"
