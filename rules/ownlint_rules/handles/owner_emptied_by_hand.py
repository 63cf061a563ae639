"""An object is freed or released by hand while its owner still refers to it.

## What it reports

- `erase` of the root of a tree that an owner holds, through any handle and through functions of the project
- the release of a handle of a C library (`ctypes`, `cffi`) that a Python object holds, by code outside of its class,
  where the class releases it, too
- a use of an owner, of another name for it, or of something taken from it, after it was made to release its object

## Why it is a bug

The owner of a tree of native objects frees the root when it is collected. Erasing the root through its own handle frees
it twice, and the process crashes at the next collection. An owner that was made to release its object is unusable under
every name it has.

## Example

bad:

```python
from mlir.ir import Module

def discard(asm):
    module = Module.parse(asm)
    module.operation.erase()
```

```text
case.py:5: error: `module.operation.erase()` frees memory that `module` frees again
  help: delete the owner instead (`del`), which frees the memory
```

good:

```python
from mlir.ir import Module

def discard(asm):
    module = Module.parse(asm)
    del module
```

## How to fix it

Delete the owner (`del module`), which frees the tree, and do not use the owner after it released its object.

## What it does not report

- erasing an operation below the root
- roots that own themselves (a parsed operation without a module)
- dropping the owner, and an owner that is not used after it released its object
- an object whose handle the function sets to something else, or has a method take

## Known limitations

- A handle that is not known to be the root is not reported.

## Source

run on jaxlib 0.4.30, 0.7.2, 0.8.0 and 0.10.2: SIGSEGV when the module is collected. llvm PR 158506: a module and what
its capsule gives are one object, so the documented way to move a module loses it on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, handles, rule, text
from ownlint_rules.handles import _released_outside as released_outside


@rule(
    severity="error",
    cwe=(415,),
    languages=("python",),
    anchors=(r"\bCDLL\(", r"\bdlopen\(", r"\brestype\b", r"\bcdef\b"),
)
def owner_emptied_by_hand(function: Function) -> Iterator[Finding]:
    for misuse in border.of(function.program).misuses_in(function):
        stale = misuse.stale
        if stale is None:
            continue
        if misuse.about == "root":
            yield function.finding(
                misuse.at,
                f"`{stale.call}` frees memory that `{misuse.owner}` frees again",
                certainty=misuse.certainty,
                help="delete the owner instead (`del`), which frees the memory",
                steps=(function.step(misuse.made, f"`{misuse.owner}` owns it", "owns"),),
            )
        elif misuse.about == "disowned" and not _is_left_alone(misuse):
            yield function.finding(
                misuse.at,
                f"{_what(misuse, stale)} is used after `{stale.call}` released what it holds",
                certainty=misuse.certainty,
                help="do not use it afterwards; other names refer to the same object",
                steps=border.misuse_steps(misuse),
            )

    for one in released_outside.released_outside(function):
        owner = text(one.owner)
        yield function.finding(
            one.call,
            f"`{text(one.call.node)}` releases what `{owner}` still holds",
            certainty=one.certainty,
            help=f"call `{one.holder.method.name}` of `{owner}`",
            steps=(one.holder.method.step(one.holder.event, f"`{one.holder.cls.name}` releases it again", "ends"),),
        )


def _is_left_alone(misuse: handles.HandleMisuse) -> bool:
    """The owner itself stays where it was."""
    return misuse.kind == "store" and misuse.child.taken == misuse.made


def _what(misuse: handles.HandleMisuse, stale: handles.Stale) -> str:
    unnamed = misuse.child.taken == misuse.made and not misuse.child.shown.isidentifier()
    return f"`{stale.target}`" if unnamed else misuse.what
