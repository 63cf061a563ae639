"""A tensor is used after its storage was freed.

Tensors that look at the same storage share it: a slice, a reshaped view, `detach()`. `resize_(0)` on the storage frees
the memory under all of them, and nothing of that is checked when one is read.

bad:

```python
import torch

def shrink():
    weights = torch.zeros(1000)
    head = weights[:10]
    weights.untyped_storage().resize_(0)
    return head.sum()
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

Reported: a tensor, or a view of it, that is used after the storage of any of them was resized to nothing.

Quiet: its shape, its type and the like, which need no memory; a storage that was resized again before, `set_`, a new
`.data`; copies; a tensor that is handed to a function that nobody knows, which may give it memory again; storages
shared with NumPy, which refuse.

Limits: a size that is computed is taken to be more than nothing. A tensor of which nobody says that it is one
(a parameter without an annotation, an attribute) is not followed.

Source: run on torch 2.13 (CPU): SIGSEGV; pytorch 94859, 171676, 195862 on GPUs.
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
