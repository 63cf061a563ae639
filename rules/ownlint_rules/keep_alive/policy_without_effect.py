"""A return value policy has no effect.

`reference` and `reference_internal` are about pointers and references. A class that is returned by value is moved into
Python whatever the policy says, and a number or a string is copied; a lambda without `-> T&` returns by value. What
Python does to such a result does not reach the object in C++.

bad:

```cpp
struct Point {};
class Path {
 public:
  const Point& first() const;
};
PYBIND11_MODULE(paths, m) {
  py::class_<Point>(m, "Point");
  py::class_<Path>(m, "Path")
      .def("first", [](Path& p) { return p.first(); }, py::return_value_policy::reference_internal);
}
```

good:

```cpp
struct Point {};
class Path {
 public:
  const Point& first() const;
};
PYBIND11_MODULE(paths, m) {
  py::class_<Point>(m, "Point");
  py::class_<Path>(m, "Path")
      .def("first", [](Path& p) -> const Point& { return p.first(); }, py::return_value_policy::reference_internal);
}
```

Reported: `reference` or `reference_internal` on a result that is a bound class by value, a number, a string, or
nothing.
Where the value points into the object, `borrow-without-keep-alive` says so, as an error.

Quiet: `copy` and `move`, which say what happens; pointers, references, containers of pointers, Python objects and
arrays.

Limits: a class that is not bound may have a type caster that looks at the policy, and is not judged.

Source: run on pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0; `return_value_policy_override`, `infer_policy`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Finding, because, contracts, rule, signatures


@rule(severity="note", yields_to=("borrow-without-keep-alive", "annotation-raises-when-called"))
def policy_without_effect(binding: Binding) -> Iterator[Finding]:
    said = contracts.policies_of(binding)
    if said is None or not binding.record.extras or said.framework.facts.get("reference_to_value") != "moved":
        return
    policy, written = said.written_policy()
    if written is None or policy not in ("reference", "reference internal") or binding.record.kind == "init":
        return
    signature = signatures.signature_of(binding)
    if signature is None or not signature.result:
        return
    why = ""
    if signature.is_void:
        why = "it returns nothing"
    elif signatures.is_plain(signature.result, signature.roles):
        why = "Python receives a copy"
    elif (
        signature.handing == "value"
        and signature.returned is not None
        and signature.kind.last in binding.program.names.bound_types
    ):
        why = "the result is a value"
    if why:
        yield binding.finding(
            written,
            f"`{written.text}` on `{binding.symbol}` has no effect: {why}",
            certainty=because("intent", "harmless if no caller relies on it"),
            help="remove it",
        )
