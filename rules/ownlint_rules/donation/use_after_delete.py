"""An array is used after its buffer was deleted.

## What it reports

- a read of an array, of another name of it, or of a tree that holds it, after `delete()`, or after `jax.tree.map(lambda
  leaf: leaf.delete(), tree)`.

## Why it is a bug

`x.delete()` frees the buffer at once. Every name of the array, and every part that shares the buffer, is dead:
looking at it raises `RuntimeError: Array has been deleted`. Only metadata can still be read; a second `delete()` does
nothing.

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

Delete it after the last use.

## What it does not report

- metadata, a second `delete()`, a name that is bound anew, true copies, code that asks `is_deleted` or expects the
  failure
- a receiver that is not known to be an array, since many things have a `delete`.

## Known limitations

- an array is known by what makes it (a function of the library, a compiled function) or by an annotation. Arrays that a
  loop takes out of a list are not followed.

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
        if misuse.loss.how == "ended":
            yield function.finding(
                misuse.at,
                f"`{misuse.shown}` is used after its buffer was deleted",
                certainty=misuse.certainty,
                help="delete it after the last use",
                steps=donations.steps_of(misuse),
            )
