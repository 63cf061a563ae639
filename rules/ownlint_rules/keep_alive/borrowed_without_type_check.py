"""An object is wrapped as a list, or another type, without a type check.

## What it reports

- such a call of an argument of a bound function that is a plain `object` or `handle`, of an element of an argument, of
  what a custom caster's `load` (nanobind: `from_python`) is given, and of what these hand to a helper
- of an attribute that the function itself adds with `setattr` where the object has none yet: what was there is
  anybody's. As `possible`: of an attribute of these
- and of types whose functions look by themselves, where a wrong object is an exception or an empty loop.

## Why it is a bug

`reinterpret_borrow<T>` and `nb::borrow<T>` add a reference and change the C++ type; they do not look at the object. A
list or a tuple is then read as the struct that C has for it: of anything else that Python passes, foreign memory.

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

Construct a `list` from it, or declare the parameter as `list`; both check the type.

## What it does not report

- behind any test that asks a call about the object (`isinstance`, `PyList_Check`, a function of the project), or behind
  a call of a function that may refuse it
- results of calls, whose contracts say what they are
- functions that C++ alone calls.

## Known limitations

- what the tests ask is not looked at. Helpers are followed two calls deep, where the call is clear.

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
    if function.language != "cpp" or not function.mentions(*function.program.models.trusting):
        return
    for one in trusting.trusted(function):
        yield function.finding(
            one.call,
            f"`{one.name}` comes from Python and is never checked to be a `{one.type}`",
            certainty=one.certainty,
            help=f"construct a `{one.type}` from it, or declare the parameter as `{one.type}`; both check the type",
            mild=not one.harmful,
        )
