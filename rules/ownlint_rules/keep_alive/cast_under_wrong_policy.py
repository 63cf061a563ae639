"""A pointer is cast for Python with a return value policy that does not fit it.

`cast` gives a raw pointer to Python without an owner: unlike a function's result, it is `reference` by default. A new
object that is cast this way is never deleted. An internal reference needs to be told whose it is; without a parent the
cast raises.

bad:

```cpp
namespace py = pybind11;
struct Row {};
py::object make() { return py::cast(new Row()); }
```

good:

```cpp
namespace py = pybind11;
struct Row {};
py::object make() { return py::cast(new Row(), py::return_value_policy::take_ownership); }
```

Reported: `new`, the `release()` of a unique pointer, or a local made so and not used otherwise, as the argument of
`cast`, of `append` on a Python list, of a call of a Python object and of `make_tuple`, under any policy but
`take_ownership`; `reference_internal` without a third argument on a pointer or a reference.

Quiet: values, smart pointers, pointers that somebody else has as well, casts of other libraries. A cast of an interior
pointer that is returned is `borrow-without-keep-alive`.

Limits: what a function returns is not looked into: whether it is new is not known.

Source: run on pybind11 2.13.6 and 3.1.0 and nanobind 3.1.0: a leak; `RuntimeError: Could not activate keep_alive!`,
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
