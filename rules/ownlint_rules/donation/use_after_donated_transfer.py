"""An array is used after it was donated with `device_put(donate=True)`.

## What it reports

- a read of the array, or of another name of it, after such a transfer.

## Why it is a bug

On CPU nothing happens: `device_put` keeps the buffer, whatever it is told. On an accelerator the buffer moves, and
the array the caller still holds is deleted: code that passes its tests breaks on the machine it is for.

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

Use the result of the transfer.

## What it does not report

- metadata, a name that is bound anew, numpy arrays and scalars, `donate=False` or a flag nobody knows, code that asks
  `is_deleted` or expects the failure.

## Known limitations

- a flag that is a variable is taken to be false.

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
