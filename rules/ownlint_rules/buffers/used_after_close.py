"""A dataset, a variable or an archive is used after its file was closed.

## What it reports

- a dataset, variable or member of a file that is used, yielded or stored after the file was closed
- the same when the file is closed by the end of its `with` block, or in a function of the project
- the closed file itself

## Why it is a bug

Libraries for large files return lazy objects: a dataset is a position in a file and reads when it is accessed. Closing
the file invalidates all of them. A later access raises far from the cause, or reads another file that was given the
same handle in the meantime.

## Example

bad:

```python
import h5py

def load(path):
    with h5py.File(path) as file:
        return file["x"]
```

```text
case.py:5: warning: `file["x"]` is returned after `file` was closed
  help: read the values before closing (`[...]`, `dict(..)`), or let the caller close it
```

good:

```python
import h5py

def load(path):
    with h5py.File(path) as file:
        return file["x"][...]
```

## How to fix it

Read the values while the file is open (`data[...]`, `dict(file.attrs)`), or let the caller close the file.

## What it does not report

- values (`x[...]`, `x[()]`, `x[:]`, `np.array(x)`, `x.astype(..)[:]`, `dict(file.attrs)`) and names
- generators that yield inside the `with` block
- files that are never closed, tests whether something is closed, a second `close`
- objects that raise a clear error by themselves, such as sqlite cursors

## Known limitations

- An index applied to the result of an index may select a group member or a value of a dataset; it is assumed to be a
  value unless the code shows that it is an object (`name in group`, `group.keys()`, `data.attrs`, `isinstance`).
- A method that closes an object that another method returned is not tracked.

## Source

run on h5py 3.16, netCDF4 1.7.5 and NumPy 2.4; h5py issues 231 (numbers are used again) and 2299.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, handles, rule


@rule(severity="warning", cwe=(672,), languages=("python",))
def used_after_close(function: Function) -> Iterator[Finding]:
    known = border.of(function.program)
    for misuse in known.misuses_in(function):
        if _is_about_it(misuse, known.role(misuse.child.cls)):
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help=_help(misuse),
                steps=border.misuse_steps(misuse),
            )


def _is_about_it(misuse: handles.HandleMisuse, role: str) -> bool:
    """A closed file that stays in its attribute is no news, nor is one that may be closed when it is returned."""
    if misuse.about != "closed" or role in ("view", "checked"):
        return False
    itself = misuse.child.taken == misuse.made
    return not itself or misuse.kind == "use" or (misuse.kind == "return" and misuse.certainty == "certain")


def _message(misuse: handles.HandleMisuse) -> str:
    does = {"return": "returned", "store": "stored"}.get(misuse.kind, "used")
    stale = misuse.stale
    assert stale is not None
    if misuse.child.taken == misuse.made:
        return f"`{stale.target}` is {does} after it was closed"
    return f"{misuse.what} is {does} after `{stale.target}` was closed"


def _help(misuse: handles.HandleMisuse) -> str:
    if misuse.kind in ("return", "store"):
        return "read the values before closing (`[...]`, `dict(..)`), or let the caller close it"
    return "use it before it is closed, or read its values before then"
