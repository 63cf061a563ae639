"""An array is used after it was donated with `device_put(donate=True)`.

## What it reports

- a read of an array after `device_put(x, device, donate=True)`
- a read of another name of it

## Why it is a bug

On CPU, `device_put` ignores the flag and keeps the buffer. On an accelerator the buffer is donated and the array of the
caller is deleted: code that passes its tests fails on the target machine.

## Example

bad:

```python
import jax

def move(x, device):
    moved = jax.device_put(x, device, donate=True)
    return moved + x
```

```text
case.py:5: warning: `x` is used after it was donated; this works only on CPU
  help: use the result of the transfer
```

good:

```python
import jax

def move(x, device):
    x = jax.device_put(x, device, donate=True)
    return x + x
```

## How to fix it

Use the result of the transfer (`x = jax.device_put(x, device, donate=True)`).

## What it does not report

- metadata
- variables that are reassigned
- NumPy arrays and scalars; `donate=False` or an unknown flag
- code that checks `is_deleted` or expects the failure

## Known limitations

- A flag that is a variable is assumed to be false.

## Source

run on jax 0.7.2 and 0.10.2 (CPU), where nothing is deleted; jax 0.4.30 does not know the keyword.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.donation import _donations as donations


@rule(severity="warning", cwe=(672,), languages=("python",))
def use_after_donated_transfer(function: Function) -> Iterator[Finding]:
    for misuse in donations.of(function.program).misuses_in(function):
        if misuse.loss.how == "moved":
            yield function.finding(
                misuse.at,
                f"`{misuse.shown}` is used after it was donated; this works only on CPU",
                certainty=misuse.certainty,
                help="use the result of the transfer",
                steps=donations.steps_of(misuse),
            )
