"""A borrowed handle outlives the object that owns its reference.

## What it reports

- a function that returns `py::handle`, `nb::handle` or `PyObject*` of an object created on the spot: `return
  py::str(name);`
- the same of a local object, or of its `ptr()`
- a local handle or pointer that is initialized from a temporary object, from what a call of Python code answers, or
  from a cast, and used later
- the same of a member that is a handle, and of an element of a container of handles

## Why it is a bug

`py::handle` and `PyObject*` do not count references. The temporary or local object releases its reference when it is
destroyed, and the handle then refers to a freed object.

## Example

bad:

```cpp
py::handle Title(const Book& book) {
  return py::str(book.title);
}
```

```text
case.cc:2: error: the returned handle refers to `py::str(book.title)`, which is destroyed here
  help: return the object, or the result of its `release()`
```

good:

```cpp
py::handle Title(const Book& book) {
  return py::str(book.title).release();
}
```

## How to fix it

Return the object itself (`py::object`), or the result of `release()`. Store a `py::object` in place of a handle.

## What it does not report

- `release()` and `inc_ref()`
- locals that are passed to a call or stored (something else may hold them)
- parameters and statics
- objects that are looked up (`attr`, `import`, items), which others hold

## Known limitations

- The results of Python calls and of functions of the project are not considered.

## Source

type casters' `cast` has to return a new reference: pybind11's documentation of custom casters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.keep_alive import _local_memory as local_memory


@rule(severity="error", cwe=(416,), yields_to=("borrowed-reference-returned",))
def handle_outlives_object(function: Function) -> Iterator[Finding]:
    for one in local_memory.unowned_handles(function):
        owner = f"`{one.owner}`"
        if one.how == "kept":
            message = f"`{one.into}` refers to {owner}, which is destroyed at the end of this statement"
            help = "store the object itself"
        elif one.how == "put":
            message = f"`{one.into}` gets a handle to {owner}, which is destroyed at the end of this statement"
            help = "hold objects there, which own their references"
        else:
            message = f"the returned handle refers to {owner}, which is destroyed here"
            help = "return the object, or the result of its `release()`"
        yield function.finding(
            one.at,
            message,
            certainty=because("sharing", f"harmless if something else keeps the object of {owner} alive")
            if one.shared
            else "certain",
            help=help,
        )
