"""An array is resized without a check, and a view of its old memory is used.

## What it reports

- a view (slice, reshape) of an array that was created before `resize(n, refcheck=False)` and is used, returned or
  passed on afterwards
- an address that was taken before the resize and is used afterwards
- a view in an attribute that one method leaves outdated and another method of the class uses

## Why it is a bug

`resize(n, refcheck=False)` moves the memory of an array even if other objects refer to it. A slice, a reshaped view or
an address that was created before then points to freed memory.

## Example

bad:

```python
import numpy as np

def grow():
    values = np.zeros(4)
    head = values[:2]
    values.resize(4000, refcheck=False)
    return head[0]
```

```text
case.py:6: error: `head` is used later, but this resize moves the memory it points to
  help: create the view after the resize, or copy the data first
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

## How to fix it

Create the view after the resize, copy the data first, or let `resize` check (`refcheck=True`, the default), which
raises while views exist.

## What it does not report

- views created after the resize, and copies
- the array itself and its other names
- a resize with the check
- `bytearray`, `BytesIO` and `mmap`, which refuse to be resized while their memory is exported

## Known limitations

- Views that other objects hold are not tracked.

## Source

numpy.org, ndarray.resize: "refcheck"; run on NumPy 2 with freed memory poisoned.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, rule


@rule(severity="error", cwe=(416,), languages=("python",))
def resized_under_views(function: Function) -> Iterator[Finding]:
    known = border.of(function.program)
    for misuse in known.misuses_in(function):
        if misuse.stale is None or misuse.about != "outdated" or known.role(misuse.child.cls) != "view":
            continue
        yield function.finding(
            misuse.stale.at,
            f"{misuse.what} is used later, but this resize moves the memory it points to",
            certainty=misuse.certainty,
            help="create the view after the resize, or copy the data first",
            steps=(*border.misuse_steps(misuse)[:-1], function.step(misuse.at, "used here", "uses")),
        )
