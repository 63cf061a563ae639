"""An object is wrapped as a list, or another type, without a type check.

## What it reports

- `reinterpret_borrow<T>` or `nb::borrow<T>` of an argument that is a plain `object` or `handle`, of an element of it,
  or of the source of a custom caster
- the same in a helper that receives such an object
- the same of an attribute that Python code can set

## Why it is a bug

These casts add a reference and change the C++ type without checking the object. A `list` is then read as the C struct
of a list: for any other object that Python passes, the process reads foreign memory.

## Example

bad:

```cpp
void fill(py::object values) {
  for (auto value : py::reinterpret_borrow<py::list>(values)) use(value);
}
PYBIND11_MODULE(tables, m) { m.def("fill", &fill); }
```

```text
case.cc:2: error: `values` comes from Python and is never checked to be a `list`
  help: construct a `list` from it, or declare the parameter as `list`; both check the type
```

good:

```cpp
void fill(py::object values) {
  for (auto value : py::list(values)) use(value);
}
PYBIND11_MODULE(tables, m) { m.def("fill", &fill); }
```

## How to fix it

Construct the type (`py::list(x)`) or declare the parameter as that type; both check. Or test with `py::isinstance`
first.

## What it does not report

- code after a test of the object (`isinstance`, `PyList_Check`, a function of the project)
- code after a call that may reject the object
- results of calls with a known type
- functions that only C++ calls

## Known limitations

- The condition of the test is not analysed.
- Helpers are followed two calls deep, if the call is unambiguous.
- Types whose methods check by themselves, and attributes, are `possible`.

## Source

run on pybind11 3.0.2 and nanobind 2.9.2, compiled with NDEBUG. Loops over a `list` that is a dict, a text or a number:
both crash, nanobind with a tuple too (pybind11 reads that as it is); an index: nanobind crashes, pybind11 raises
SystemError; `size()` of such a list: 2**64 - 1 with pybind11; `dict`: no element, or TypeError. Without NDEBUG pybind11
(2.13.6, too) stops at an assertion of CPython's.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.keep_alive import _trusting as trusting


@rule(severity="error", cwe=(843,))
def borrowed_without_type_check(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or not function.mentions_any(function.program.models.trusting):
        return
    for one in trusting.trusted(function):
        yield function.finding(
            one.call,
            f"`{one.name}` comes from Python and is never checked to be a `{one.type}`",
            certainty=one.certainty,
            help=f"construct a `{one.type}` from it, or declare the parameter as `{one.type}`; both check the type",
            mild=not one.harmful,
        )
