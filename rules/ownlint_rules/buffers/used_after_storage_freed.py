"""A tensor is used after its storage was freed.

## What it reports

- a tensor that is used after its storage was resized to zero (`resize_(0)`)
- a view of it (slice, reshape, `detach()`) that is used afterwards
- a tensor whose view's storage was resized to zero

## Why it is a bug

A tensor and its views share one storage. `resize_(0)` on the storage frees the memory of all of them, and no access is
checked: reading one crashes with SIGSEGV on the CPU and reads other data on a GPU.

## Example

bad:

```python
import torch

def shrink():
    weights = torch.zeros(1000)
    head = weights[:10]
    weights.untyped_storage().resize_(0)
    return head.sum()
```

```text
case.py:7: error: `head` is used after `weights.untyped_storage().resize_(0)` freed its memory
  help: clone the tensor first, or resize its storage before using it again
```

good:

```python
import torch

def shrink():
    weights = torch.zeros(1000)
    head = weights[:10].clone()
    weights.untyped_storage().resize_(0)
    return head.sum()
```

## How to fix it

`clone()` the tensor before its storage is freed, or resize the storage again before the tensor is used.

## What it does not report

- metadata (shape, dtype), which need no memory
- a storage that was resized again, `set_`, a new `.data`, copies
- a tensor that is passed to an unknown function, which may allocate memory again
- storages shared with NumPy, which cannot be resized

## Known limitations

- A computed size is assumed to be greater than zero.
- A value that is not known to be a tensor (a parameter without an annotation, an attribute) is not tracked.

## Source

run on torch 2.13 (CPU): SIGSEGV; pytorch 94859, 171676, 195862 on GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, handles, rule


@rule(severity="error", cwe=(416,), languages=("python",))
def used_after_storage_freed(function: Function) -> Iterator[Finding]:
    for misuse in border.of(function.program).misuses_in(function):
        if misuse.stale is not None and misuse.about == "emptied" and misuse.kind == "use":
            yield function.finding(
                misuse.at,
                _message(misuse, misuse.stale),
                certainty=misuse.certainty,
                help="clone the tensor first, or resize its storage before using it again",
                steps=border.misuse_steps(misuse),
            )


def _message(misuse: handles.HandleMisuse, stale: handles.Stale) -> str:
    what = "a tensor" if misuse.child.taken == misuse.made else misuse.what
    return f"{what} is used after `{stale.call}` freed its memory"
