"""A pointer is copied into a field, which does not keep its array alive.

`array.ctypes.data_as(T)` gives a pointer object that holds the array by an attribute. A field of a structure, or an
element of an array of pointers, copies the address alone: once the array is gone the field dangles.

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

Reported: such a pointer of a temporary that is put into a field, an element or a constructor of a structure; such a
pointer of a local, in a structure that is returned, stored or used after the array is gone; memory of which a library's
object takes the address alone (VTK's `SetVoidArray`, a kernel's argument in PyOpenCL), likewise.

Quiet: structures that end with the array, arrays that are stored or returned too, arrays of the caller, of `self` and
of the module; pointers that are kept by fields: `cast(...)`, `pointer`, callbacks, `c_char_p` and `POINTER` values.

Limits: a structure whose class nobody names (a parameter without annotation) is an ordinary object, which keeps what it
is given. What an object of `self` or of the caller is told about a local is not reported, since it may be told anew.

Source: run on NumPy 2 and CPython 3.11: `c_void_p` and `POINTER` fields, arrays of `c_void_p`, constructors, and
through `byref`; ctypes keeps what `cast` and `pointer` return in `_objects`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def pointer_field_keeps_nothing(function: Function) -> Iterator[Finding]:
    for misuse in addresses.of(function.program).misuses_in(function):
        if misuse.kind in ("use", "return", "store") and misuse.ref.loss == "field":
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help="keep the array alive for as long as the structure is used",
                steps=addresses.story(misuse),
                fix=addresses.fix(misuse),
            )


def _message(misuse: addresses.AddressMisuse) -> str:
    pointer, owner = f"`{misuse.ref.shown}`", f"`{misuse.owner}`"
    match misuse.kind:
        case "use" if not misuse.temporary:
            return (
                f"the field stores the address of {pointer} without keeping {owner} alive, and is used "
                "after it was freed"
            )
    return f"the field stores the address of {pointer} without keeping {owner} alive, which {addresses.fate(misuse)}"
