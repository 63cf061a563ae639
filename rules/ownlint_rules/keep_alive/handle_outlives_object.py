"""A borrowed handle outlives the object that owns its reference.

`py::handle`, `nb::handle` and `PyObject*` count nothing. Made of a temporary, or returned of a local, they lead to an
object that its only owner has released: `return py::str(name);` in a function that answers a handle, `.ptr()` of what
ends with the statement.

bad:

```cpp
py::handle Title(const Book& book) {
  return py::str(book.title);
}
```

good:

```cpp
py::handle Title(const Book& book) {
  return py::str(book.title).release();
}
```

Reported: a function whose result is a handle or a bare pointer that returns an object made on the spot, or a local
object that began there, or the `ptr()` of one; a handle or pointer that is a local, begins with such a temporary, and
is used later.

Quiet: `release()`, `inc_ref()`, locals that are handed to a call or put somewhere (somebody else may hold them),
parameters, statics, objects that are looked up (`attr`, `import`, items): others hold those.

Limits: what a call of a Python object or of the project's own functions answers is not looked at.

Source: type casters' `cast` has to return a new reference: pybind11's documentation of custom casters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.keep_alive import _local_memory as local_memory


@rule(severity="error", cwe=(416,))
def handle_outlives_object(function: Function) -> Iterator[Finding]:
    for one in local_memory.unowned_handles(function):
        owner = f"`{one.owner}`"
        if one.how == "kept":
            message = f"`{one.into}` refers to {owner}, which is destroyed at the end of this statement"
            help = "store the object itself"
        else:
            message = f"the returned handle refers to {owner}, which is destroyed here"
            help = "return the object, or the result of its `release()`"
        yield function.finding(
            one.at,
            message,
            certainty=because("sharing", f"harmless if something else keeps the object of {owner} alive")
            if one.local
            else "certain",
            help=help,
        )
