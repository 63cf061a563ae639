"""Python deletes a pointer that C++ still owns.

A function that returns a raw pointer gives it away, as far as pybind11 and nanobind can tell: the default policy for a
pointer is `take_ownership`. When the Python object dies it deletes a member of another object, an element of a
container, what a unique pointer holds, or a static object.

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

Reported: a method, function or wrapped getter that returns a pointer to a bound class, or a container of such, with the
default policy or `take_ownership`, where the body returns the address of a member or an element, what a smart pointer
of the object holds, a raw pointer that the destructor deletes, or a static or global object.

Quiet: properties, whose default keeps the object; `new`, `release()` and functions that return one of these; the object
itself; a body that forgets what it returns; holders that count, that share with `enable_shared_from_this`, or that
delete nothing; classes that are not bound; pointers that were given from outside, since Python may have that object;
pointers that a member holds beside their Python objects, which the framework finds again.

Limits: without a body only the owner's fields and the function's name speak, and what is found is likely.

Source: run on pybind11 2.13.6 and 3.1.0 and nanobind 3.1.0: `free(): invalid pointer`, or a double free.
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
    source = f"into argument {taken.index - bound}"
    if taken.index == 0:
        source = "to a static object"
    elif bound and taken.index == 1:
        source = "into `self`"
    what = "pointers" if taken.several else "a pointer"
    framework = signatures.framework_of(binding)
    help = "use the policy `reference_internal`" if bound and taken.index == 1 else "use the policy `reference`"
    if taken.index and not (bound and taken.index == 1):
        help += f", and `keep_alive<0, {taken.index}>()`"
    yield binding.finding(
        binding.record,
        f"`{binding.symbol}` returns {what} {source} that Python deletes",
        certainty=taken.certainty,
        help=help,
        steps=(taken.at,),
        fix=_kept(binding) if framework is not None and bound and taken.index == 1 else None,
    )


def _kept(binding: Binding) -> Fix | None:
    """The policy that keeps `self`, where none is written."""
    policy = signatures.policy_named(binding, "reference internal")
    if not policy or binding.record.kind != "method":
        return None
    edit = Edit(binding.path, signatures.behind_callable(binding), f", {policy}")
    return Fix(f"use `{policy}`", (edit,), safe=True)
