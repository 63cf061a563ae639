"""A capsule is consumed a second time.

## What it reports

- a DLPack capsule that is imported twice on a path
- the address of an exported Arrow structure that is imported twice
- either in each iteration of a loop that does not export it again

## Why it is a bug

DLPack capsules and the structures of the Arrow C interface transfer memory once: the consumer marks them as used. The
second consumer raises, often far from where the capsule was created.

## Example

bad:

```python
from torch.utils.dlpack import from_dlpack, to_dlpack

def twice(tensor):
    capsule = to_dlpack(tensor)
    return from_dlpack(capsule), from_dlpack(capsule)
```

```text
case.py:5: warning: `capsule` is consumed a second time
  help: create a new capsule for each consumer
```

good:

```python
from torch.utils.dlpack import from_dlpack, to_dlpack

def twice(tensor):
    return from_dlpack(to_dlpack(tensor)), from_dlpack(to_dlpack(tensor))
```

## How to fix it

Export a new capsule for each consumer (`tensor.__dlpack__()`), or pass the tensor itself (`from_dlpack(tensor)`).

## What it does not report

- objects that export a new capsule each time (`from_dlpack(tensor)`)
- structures that are exported again in between
- imports on different paths

## Known limitations

- Capsules in attributes of other objects are not tracked, nor is a second import inside another function.

## Source

dmlc.github.io/dlpack, a consumer renames the capsule to `used_dltensor`; run on torch 2.13.0 (RuntimeError) and pyarrow
(ArrowInvalid: cannot import released ArrowArray).
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="warning", cwe=(415,), languages=("python",))
def capsule_consumed_twice(function: Function) -> Iterator[Finding]:
    for misuse in addresses.misuses_in(function):
        if misuse.stale is not None:
            yield function.finding(
                misuse.at,
                f"`{misuse.owner}` is consumed a second time",
                certainty=misuse.certainty,
                help="create a new capsule for each consumer",
                steps=addresses.story(misuse),
            )
