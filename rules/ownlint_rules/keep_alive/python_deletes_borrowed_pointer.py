"""Python deletes a pointer that C++ still owns.

## What it reports

- a bound method or function that returns the address of a member or an element with the default policy or
  `take_ownership`
- the same for a pointer that a smart pointer of the object holds, or that its destructor deletes
- the same for a static or global object, and for a container of such pointers

## Why it is a bug

The default policy of pybind11 and nanobind for a raw pointer is `take_ownership`: when the Python object dies, it
deletes the pointer. C++ still owns the memory: `free(): invalid pointer`, or a double free.

## Example

bad:

```cpp
class Child {};
class Parent {
 public:
  Child* child() { return &child_; }
 private:
  Child child_;
};
PYBIND11_MODULE(family, m) {
  py::class_<Child>(m, "Child");
  py::class_<Parent>(m, "Parent").def("child", &Parent::child);
}
```

```text
case.cc:10: error: Python takes ownership of the pointer that `Parent.child` returns and deletes it, but it points into
    `self`
  help: use the policy `py::return_value_policy::reference_internal`
```

good:

```cpp
class Child {};
class Parent {
 public:
  Child* child() { return &child_; }
 private:
  Child child_;
};
PYBIND11_MODULE(family, m) {
  py::class_<Child>(m, "Child");
  py::class_<Parent>(m, "Parent").def("child", &Parent::child, py::return_value_policy::reference_internal);
}
```

## How to fix it

Use `py::return_value_policy::reference_internal` for something inside `self`, else `reference` with a `keep_alive`.
`--fix` adds the policy.

## What it does not report

- properties, whose default is `reference_internal`
- `new`, `release()` and functions that return one of these; `self` returned; a body that gives up what it returns
- reference-counted holders, `enable_shared_from_this`, holders that do not delete, classes that are not bound
- pointers that came from outside, or that a member stores together with their Python objects

## Known limitations

- Without a body only the owner's fields and the function's name are considered, and the finding is `likely`.

## Source

run on pybind11 2.13.6 and 3.1.0 and nanobind 3.1.0: `free(): invalid pointer`, or a double free.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Edit, Finding, Fix, rule, signatures
from ownlint_rules.keep_alive import _taken_over as taken_over


@rule(severity="error", cwe=(415,), fixable=True)
def python_deletes_borrowed_pointer(binding: Binding) -> Iterator[Finding]:
    taken = taken_over.taken_over(binding)
    if taken is None:
        return
    bound = binding.record.kind in ("method", "property", "property_rw", "iterator")
    internal = bound and taken.index == 1
    named = signatures.argument_name(binding, taken.index) if taken.index > 1 else ""
    owner = "`self`" if internal else f"`{named}`" if named else f"argument {taken.index - bound}"
    source = f"into {owner}" if taken.index else "to a static object"
    what, them, points = ("pointers", "them", "they point") if taken.several else ("pointer", "it", "it points")
    framework = signatures.framework_of(binding)
    meaning = "reference internal" if internal else "reference"
    help = f"use the policy `{signatures.spelled_policy(binding, meaning) or meaning.replace(' ', '_')}`"
    if taken.index and not internal:
        help += f", and add `{signatures.spelled_keep_alive(binding, 0, taken.index)}`"
    yield binding.finding(
        binding.record,
        f"Python takes ownership of the {what} that `{binding.symbol}` returns and deletes {them}, but {points} "
        f"{source}",
        certainty=taken.certainty,
        help=help,
        steps=(taken.at,),
        fix=_kept(binding) if framework is not None and internal else None,
    )


def _kept(binding: Binding) -> Fix | None:
    """The policy that keeps `self`, where none is written."""
    policy = signatures.policy_named(binding, "reference internal")
    if not policy or binding.record.kind != "method" or signatures.is_in_macro(binding):
        return None
    edit = Edit(binding.path, signatures.behind_callable(binding), f", {policy}")
    return Fix(f"use `{policy}`", (edit,), safe=True)
