"""A return value policy has no effect.

## What it reports

- `reference` or `reference_internal` on a function that returns a bound class by value
- the same on a function that returns a number, a string or nothing
- the same on a lambda without `-> T&`, which returns by value

## Why it is a bug

These policies apply to pointers and references. A class that is returned by value is moved into Python whatever the
policy says, and a number or a string is copied. Changes that Python makes do not reach the C++ object.

## Example

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

```text
case.cc:9: note: `py::return_value_policy::reference_internal` on `Path.first` has no effect: the result is a value
  help: remove it
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

## How to fix it

Return a reference (`[](T& self) -> Config& { ... }`), or remove the policy.

## What it does not report

- `copy` and `move`, which describe what happens
- pointers, references, containers of pointers, Python objects and arrays
- values that point into the object, which `borrow-without-keep-alive` reports as an error

## Known limitations

- A class that is not bound may have a type caster that uses the policy, and is not reported.

## Source

run on pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0; `return_value_policy_override`, `infer_policy`.
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
