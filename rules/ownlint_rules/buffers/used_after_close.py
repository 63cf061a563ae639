"""A dataset, a variable or an archive is used after its file was closed.

Libraries for large files hand out objects that read when they are asked: a dataset is a place in a file. Closing the
file ends all of them. What is left raises far from the cause, or reads another file that was given the same number
meanwhile.

bad:

```python
import h5py

def load(path):
    with h5py.File(path) as file:
        return file["x"]
```

good:

```python
import h5py

def load(path):
    with h5py.File(path) as file:
        return file["x"][...]
```

Reported: what was taken out of a file and is used, returned, yielded or stored after the file was closed, by hand or
at the end of its `with` block, here or in a function of the project; the file itself.

Quiet: values (`x[...]`, `x[()]`, `x[:]`, `np.array(x)`, `x.astype(..)[:]`, `dict(file.attrs)`), names, generators
that yield within the `with`, files that are never closed, asking whether something is closed, a second `close`, and
whatever raises by itself at the spot, as sqlite's cursors do.

Limits: an index on what an index gave may be a group's member or a dataset's value, and counts as a value. A method
that closes what another method handed out is not followed.

Source: run on h5py 3.16, netCDF4 1.7.5 and NumPy 2.4; h5py issues 231 (numbers are used again) and 2299.
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
