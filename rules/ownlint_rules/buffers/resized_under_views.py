"""An array is resized without a check, and a view of its old memory is used.

`resize(n, refcheck=False)` moves the memory of an array although others look at it. A slice, a reshaped view or an
address that was taken before points to what is freed.

bad:

```python
import numpy as np

def grow():
    values = np.zeros(4)
    head = values[:2]
    values.resize(4000, refcheck=False)
    return head[0]
```

good:

```python
import numpy as np

def grow():
    values = np.zeros(4)
    values.resize(4000, refcheck=False)
    head = values[:2]
    return head[0]
```

Reported: a view or an address of an array that was taken before the resize and is used, returned or given away after
it.

Quiet: views that are taken anew, copies, the array itself and its other names, a resize with the check, which raises
while views live. `bytearray`, `BytesIO` and `mmap` refuse to be resized while somebody looks at them.

Limits: views in attributes and those that other functions hold are not seen.

Source: numpy.org, ndarray.resize: "refcheck"; run on NumPy 2 with freed memory poisoned.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.buffers import _addresses as addresses


@rule(severity="error", cwe=(416,), languages=("python",))
def resized_under_views(function: Function) -> Iterator[Finding]:
    for misuse in addresses.of(function.program).misuses_in(function):
        if misuse.kind == "stale":
            yield function.finding(
                misuse.at,
                f"`{misuse.ref.shown}` is used later, but this resize moves the memory it points to",
                certainty=misuse.certainty,
                help="create the view after the resize, or copy the data first",
                steps=addresses.story(misuse),
            )
