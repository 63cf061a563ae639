"""A pointer is cast to a Python object with a return value policy that does not fit it.

## What it reports

- `new`, or the `release()` of a unique pointer, passed to `cast`, to `append` of a Python list, to a Python call or to
  `make_tuple` under a policy other than `take_ownership`
- the address of what a smart pointer, a container or another object still owns, cast under `take_ownership` or
  `automatic`
- `reference_internal` on a pointer or a reference without a parent argument

## Why it is a bug

`cast` passes a raw pointer to Python without an owner: unlike for a function result, its default policy is `reference`.
A new object that is cast with it is never deleted. Under `take_ownership` Python deletes the object, and so does its
owner. `reference_internal` needs a parent; without one the cast raises.

## Example

bad:

```cpp
namespace py = pybind11;
struct Row {};
py::object make() { return py::cast(new Row()); }
```

```text
case.cc:3: warning: `new Row()` leaks: it is cast under the policy `reference`, so it is never deleted
  help: use `take_ownership`, or cast a unique pointer
```

good:

```cpp
namespace py = pybind11;
struct Row {};
py::object make() { return py::cast(new Row(), py::return_value_policy::take_ownership); }
```

## How to fix it

Use `py::return_value_policy::take_ownership` or cast a `std::unique_ptr`. For `reference_internal`, pass the parent
object as the third argument. `--fix --unsafe-fixes` adds the policy.

## What it does not report

- values and smart pointers
- pointers that something else stores as well
- casts of other libraries
- a cast of an interior pointer that is returned, which `borrow-without-keep-alive` reports

## Known limitations

- Of a called function whose body is not found, it is not known whether it returns a new object.

## Source

run on pybind11 2.13.6 and 3.1.0 and nanobind 3.1.0: a leak; `RuntimeError: Could not activate keep_alive!`,
`std::bad_cast`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Edit, Finding, Fix, Function, Span, rule, text
from ownlint_rules.keep_alive import _casting as casting


@rule(severity="warning", cwe=(415,), yields_to=("borrow-without-keep-alive",), fixable=True)
def cast_under_wrong_policy(function: Function) -> Iterator[Finding]:
    for cast in casting.casts(function):
        if cast.fresh is not None:
            yield function.finding(
                cast.fresh,
                f"`{text(cast.fresh)}` leaks: it is cast under the policy `{cast.policy}`, so it is never deleted",
                help="use `take_ownership`, or cast a unique pointer",
                fix=_taken(function, cast),
            )
        elif cast.lent is not None:
            yield function.finding(
                cast.call,
                f"`{text(cast.lent)}` is deleted twice: Python takes ownership of it, but {cast.owner}",
                certainty=cast.certainty,
                help="use `reference_internal` with the owner's Python object as parent, or `copy`",
            )
        elif cast.lacks_parent:
            yield function.finding(
                cast.call,
                f"`{text(cast.call.callee)}` raises: `reference_internal` needs a parent",
                help="pass the parent object as the third argument",
            )


def _taken(function: Function, cast: casting.CastToPython) -> Fix | None:
    if not cast.owning or len(cast.call.args) != 1:
        return None
    end = cast.call.args[0].end
    return Fix(f"use `{cast.owning}`", (Edit(function.path, Span(end, end), f", {cast.owning}"),))
