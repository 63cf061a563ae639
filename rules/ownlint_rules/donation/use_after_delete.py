"""An array is used after its buffer was deleted.

## What it reports

- a read of an array after `x.delete()`
- a read of another name of it, or of a tree that holds it
- a read after `jax.tree.map(lambda leaf: leaf.delete(), tree)`

## Why it is a bug

`x.delete()` frees the buffer at once. Reading the array under any name raises `RuntimeError: Array has been deleted`.
Only metadata can still be read.

## Example

bad:

```python
import jax.numpy as jnp

def scale(n):
    buffer = jnp.ones(n)
    buffer.delete()
    return buffer * 2
```

```text
case.py:6: error: `buffer` is used after its buffer was deleted
  help: delete it after the last use
```

good:

```python
import jax.numpy as jnp

def scale(n):
    buffer = jnp.ones(n)
    scaled = buffer * 2
    buffer.delete()
    return scaled
```

## How to fix it

Delete the array after its last use.

## What it does not report

- metadata, and a second `delete()`, which does nothing
- variables that are reassigned, and copies
- code that checks `is_deleted` or expects the failure
- receivers that are not known to be arrays

## Known limitations

- An array is recognized by the call that creates it (a library function, a compiled function) or by an annotation.
- Arrays taken out of a list in a loop are not tracked.

## Source

run on jax 0.4.30, 0.7.2 and 0.10.2 (CPU); jax issue 1705.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.donation import _donations as donations


@rule(severity="error", cwe=(672,), languages=("python",))
def use_after_delete(function: Function) -> Iterator[Finding]:
    for misuse in donations.of(function.program).misuses_in(function):
        if misuse.loss.how == "erased":
            yield function.finding(
                misuse.at,
                f"`{misuse.shown}` is used after its buffer was deleted",
                certainty=misuse.certainty,
                help="delete it after the last use",
                steps=donations.steps_of(misuse),
            )
