"""The owner of C data is destroyed while a raw pointer to it is still in use.

## What it reports

- a new cffi object, handle, callback or `gc` result that is stored in a field, an element or an initializer, cast, or
  used in arithmetic, while nothing holds it
- a local owner whose pointer is returned or stored without the owner
- the second owner that a function returns and the caller drops (`x.to_c()[0]`)

## Why it is a bug

`ffi.new` returns the owner: the memory is freed when that object is collected. A field, a cast, a sum or an initializer
copies only the pointer. C then reads freed memory.

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

Store the owner in a variable, an attribute or a list that lives as long as the pointer. `--fix --unsafe-fixes` assigns
a temporary to a variable where that is enough.

## What it does not report

- `p[0]` of an owned structure, `ffi.buffer` and `ffi.from_buffer`, which keep their source alive
- an owner as the argument of a call
- owners that are held, stored or returned too
- attributes of Python objects and elements of Python lists

## Known limitations

- A pointer taken from `p[0]` of an owned structure (`ffi.addressof(p[0])`) is assumed to be plain data.
- Writes through a pointer of unknown origin are not tracked.

## Source

cffi.readthedocs.io, "using": the object returned by new() owns the memory; run on cffi and CPython 3.11 with freed
memory poisoned; pygit2 lost the co-owner of a signature.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, handle_addresses, handles, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def cdata_owner_dropped(function: Function) -> Iterator[Finding]:
    for misuse in addresses.borrows_in(function, handle_addresses.RAW, handle_addresses.RAW_FIELD):
        yield function.finding(
            misuse.at,
            _message(misuse),
            certainty=misuse.certainty,
            help="store the owner in a variable, attribute or list that lives as long as the pointer",
            steps=addresses.story(misuse),
            fix=addresses.fix(misuse),
        )


def _message(misuse: handles.HandleMisuse) -> str:
    pointer, owner = f"`{misuse.child.shown}`", f"`{misuse.owner}`"
    if misuse.temporary and misuse.child.shown == misuse.owner:
        return f"{owner} is freed immediately: only a raw pointer refers to it"
    if misuse.temporary and misuse.kind == "use":
        return f"{pointer} points into {owner}, which is freed immediately"
    if pointer == owner:
        does = {"return": "returned", "store": "stored"}.get(misuse.kind, "used")
        return f"{pointer} is {does} as a raw pointer, but its memory {_freed(misuse)}"
    match misuse.kind:
        case "return":
            return f"{pointer} is returned and points into {owner}, which {addresses.fate(misuse)}"
        case "store":
            return f"{pointer} is stored and points into {owner}, which {addresses.fate(misuse)}"
    return f"{pointer} points into {owner}, which is already freed"


def _freed(misuse: handles.HandleMisuse) -> str:
    return addresses.fate(misuse) if misuse.kind in ("return", "store") else "is already freed"
