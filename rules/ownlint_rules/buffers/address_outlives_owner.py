"""A raw address is used or returned after the memory it points to was freed.

## What it reports

- the address of a temporary that is used in a later statement, returned or stored
- the address of a local that is returned or stored although the local is freed when the function returns, or that is
  used after the local was deleted or reassigned
- the same through pointers and objects created from addresses (`cast`, `c_void_p`, `from_address`), sums, helper
  functions, containers and attributes

## Why it is a bug

`array.ctypes.data`, `tensor.data_ptr()`, `buffer.address` and `addressof(x)` are plain integers: they do not keep the
object alive. CPython frees a temporary at the end of the expression and a local at the end of the function. Reading
through the address then reads freed memory: wrong values, or a crash.

## Example

bad:

```python
import numpy as np

def submit(lib, values):
    address = np.ascontiguousarray(values).ctypes.data
    lib.submit(address, len(values))
```

```text
case.py:4: error: the address `np.ascontiguousarray(values).ctypes.data` is used later, but its owner
    `np.ascontiguousarray(values)` is freed immediately
  help: assign the owner to a variable that outlives every use of the address
```

good:

```python
import numpy as np

def submit(lib, values):
    array = np.ascontiguousarray(values)
    lib.submit(array.ctypes.data, len(array))
```

## How to fix it

Assign the owner to a variable that outlives every use of the address, return it together with the address, or store it
next to the address. `--fix --unsafe-fixes` assigns a temporary to a variable where that is enough.

## What it does not report

- pointers that keep their target alive: `data_as`, `cast` of an object, `pointer`, `byref`, `c_char_p`
- addresses that are only compared, printed or tested
- addresses of parameters, attributes and globals
- owners that are stored or returned too, or passed to an unknown call
- with the default `--certainty`: the address of a temporary as an argument of the same call (NumPy and PyTorch free
  large blocks before it but cache small ones), and addresses returned by unknown functions

## Known limitations

- `np.asarray` and other functions that usually return their argument are assumed to do so.
- An attribute that one method sets again while another attribute holds its old address is not detected.

## Source

numpy.org, ndarray.ctypes: "the array is deallocated before the next Python statement"; run on NumPy 2, torch 2.13.0,
pyarrow and CPython 3.11 with freed memory poisoned; cufinufft kept `kx.ptr` in a plan.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, handle_addresses, handles, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def address_outlives_owner(function: Function) -> Iterator[Finding]:
    for misuse in addresses.borrows_in(function, handle_addresses.ADDRESS):
        yield function.finding(
            misuse.at,
            _message(misuse),
            certainty=misuse.certainty,
            help=_help(misuse),
            steps=addresses.story(misuse),
            fix=addresses.fix(misuse),
        )


def _message(misuse: handles.HandleMisuse) -> str:
    address, owner = f"the address `{misuse.child.shown}`", f"`{misuse.owner}`"
    if misuse.kind == "use" and misuse.temporary:
        return f"{address} is used later, but its owner {owner} is freed immediately"
    if misuse.kind == "use":
        return f"{address} is used after its owner {owner} was freed"
    verb = "returned" if misuse.kind == "return" else "stored"
    return f"{address} is {verb}, but its owner {owner} {addresses.fate(misuse)}"


def _help(misuse: handles.HandleMisuse) -> str:
    if not misuse.temporary:
        return f"keep `{misuse.owner}` alive for as long as the address is used, for example in an attribute or a list"
    if misuse.kind == "store":
        return "store the owner next to the address"
    return "assign the owner to a variable that outlives every use of the address"
