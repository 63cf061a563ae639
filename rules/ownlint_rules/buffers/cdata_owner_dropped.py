"""The owner of C data is destroyed while a raw pointer to it is still in use.

## What it reports

- a new object, handle, callback or `gc` result that is put into a field, an element or an initialiser of C data, or
  cast, or added to, while nobody holds it
- a local owner whose pointer is returned or stored in such a way without it
- a function's co-owner that the caller drops (`x.to_c()[0]`).

## Why it is a bug

`ffi.new` gives an owner: the memory is freed when that object goes away. A field, a cast, a sum, an initialiser copy
the pointer and forget the owner.

## Example

bad:

```python
from cffi import FFI

ffi = FFI()

def request(name):
    out = ffi.new("request *")
    out.name = ffi.new("char[]", name)
    return out
```

```text
case.py:7: error: `ffi.new("char[]", name)` is freed immediately: only a raw pointer refers to it
  help: store the owner in a variable, attribute or list that lives as long as the pointer
```

good:

```python
from cffi import FFI

ffi = FFI()

def request(name):
    text = ffi.new("char[]", name)
    out = ffi.new("request *")
    out.name = text
    return out, text
```

## How to fix it

Store the owner in a variable, attribute or list that lives as long as the pointer. `--fix --unsafe-fixes` makes this
change.

## What it does not report

- `p[0]` of an owned structure, `ffi.buffer` and `ffi.from_buffer`, which keep what they are made of, an owner as the
  argument of a call, owners that are held, stored or returned too, attributes of Python objects, elements of Python
  lists.

## Known limitations

- what is taken from `p[0]` of an owned structure (`ffi.addressof(p[0])`) is taken for plain data. What is written
  through a pointer that came from nowhere known is not followed.

## Source

cffi.readthedocs.io, "using": the object returned by new() owns the memory; run on cffi and CPython 3.11 with freed
memory poisoned; pygit2 lost the co-owner of a signature.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def cdata_owner_dropped(function: Function) -> Iterator[Finding]:
    for misuse in addresses.of(function.program).misuses_in(function):
        if misuse.kind in ("use", "return", "store") and misuse.ref.loss in ("raw", "raw field"):
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help="store the owner in a variable, attribute or list that lives as long as the pointer",
                steps=addresses.story(misuse),
                fix=addresses.fix(misuse),
            )


def _message(misuse: addresses.AddressMisuse) -> str:
    pointer, owner = f"`{misuse.ref.shown}`", f"`{misuse.owner}`"
    if misuse.temporary and misuse.ref.shown == misuse.owner:
        return f"{owner} is freed immediately: only a raw pointer refers to it"
    if misuse.temporary and misuse.kind == "use":
        return f"{pointer} points into {owner}, which is freed immediately"
    match misuse.kind:
        case "return":
            return f"{pointer} is returned and points into {owner}, which {addresses.fate(misuse)}"
        case "store":
            return f"{pointer} is stored and points into {owner}, which {addresses.fate(misuse)}"
    return f"{pointer} points into {owner}, which is already freed"
