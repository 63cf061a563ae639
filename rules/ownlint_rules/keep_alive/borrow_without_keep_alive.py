"""A binding returns an object that points into C++ memory without keeping its owner alive.

## What it reports

- a bound class, returned by value or inside an optional, a smart pointer or a container, that holds a reference,
  pointer, view or iterator into `self` or an argument; an iterator without a keep-alive; a pointer returned with the
  policy `reference`
- an array or memoryview over C++ memory whose base owns nothing, an `Eigen::Map` over it, and an Eigen matrix returned
  by reference with the policy `reference`
- a `shared_ptr` to a part of an argument that owns nothing: its deleter does nothing, or it shares an empty one
- annotations that have no effect: `reference_internal` on a result by value, a `keep_alive` on a pybind11 property,
  wrong indexes, a `keep_alive<0, N>` on a constructor

## Why it is a bug

Python holds the result, but nothing holds the object that it points into. When the last Python reference to that object
is dropped, the result dangles: its next use reads freed memory.

## Example

bad:

```cpp
class Doc {
 public:
  int size() const;
};
class Cursor {
 public:
  explicit Cursor(Doc& doc) : doc_(doc) {}
 private:
  Doc& doc_;
};
PYBIND11_MODULE(text, m) {
  py::class_<Cursor>(m, "Cursor");
  py::class_<Doc>(m, "Doc").def("cursor", [](Doc& d) { return Cursor(d); });
}
```

```text
case.cc:13: error: `Doc.cursor` returns a `Cursor` that points into `self` without keeping it alive: it dangles once
    Python frees `self`
  help: add `py::keep_alive<0, 1>()` (0 is the result, 1 is `self`)
```

good:

```cpp
class Doc {
 public:
  int size() const;
};
class Cursor {
 public:
  explicit Cursor(Doc& doc) : doc_(doc) {}
 private:
  Doc& doc_;
};
PYBIND11_MODULE(text, m) {
  py::class_<Cursor>(m, "Cursor");
  py::class_<Doc>(m, "Doc").def("cursor", [](Doc& d) { return Cursor(d); }, py::keep_alive<0, 1>());
}
```

## How to fix it

Add `py::keep_alive<0, 1>()` (the result keeps `self` alive), use `py::return_value_policy::reference_internal`, or
return a copy. For a property, pass the keep-alive to the getter: `py::cpp_function(getter, py::keep_alive<0, 1>())`.

`--fix --unsafe-fixes` corrects the index of a keep-alive on a constructor.

## What it does not report

- classes that hold a shared pointer or a Python object next to the pointer
- results that are converted (strings, numbers, containers of values), and `self` returned
- statics and globals, call policies, explicit keep-alive calls
- what points into an object that is never freed, where Python owns no object of its class (`possible` where C++ may
  free it)
- pointers that the object received from outside, which others own

## Known limitations

- A class whose fields the project does not define is not known to borrow, nor is a function whose body is not found,
  unless the classes imply it.
- Extras in a template or function parameter are not known. What a setter or constructor stores is reported by
  `argument-stored-without-keep-alive`.
- A class with a copy constructor that does more than copy its fields is assumed to own its pointers; the target of a
  raw pointer that a class never frees is assumed to belong to someone else.
- A pointer returned with the default policy is another bug (Python deletes it), which `python-deletes-borrowed-pointer`
  reports.

## Source

pybind11 and nanobind documentation on return value policies and keep_alive; every row of the policy table was run on
pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Certainty, Finding, Step, because, border, contracts, rule, signatures, tempered


@rule(severity="error", cwe=(416,), languages=("cpp", "python"), fixable=True)
def borrow_without_keep_alive(binding: Binding) -> Iterator[Finding]:
    if binding.record.kind == "init":
        yield from _constructor(binding)
        return
    contract = border.of(binding.program).contract(binding)
    if contract is None or contract.borrow is None or contract.protected:
        return
    steps = [contract.borrow.at]
    if contract.field is not None:
        steps.append(contract.field)
    steps.extend(_used_in_python(binding))
    at = contract.ineffective or binding.record
    yield binding.finding(
        at,
        _message(binding, contract),
        certainty=tempered(contract.borrow.certainty, _of_shape(contract)),
        help=_help(binding, contract),
        steps=tuple(steps),
    )


def _message(binding: Binding, contract: contracts.Contract) -> str:
    source = _source(binding, contract)
    if contract.ineffective is not None:
        return f"`{contract.ineffective.text}` on `{binding.symbol}` {contract.reason}: its result points into {source}"
    name = contract.returns.rsplit("::", 1)[-1]
    what = {
        "iterator": "an iterator over",
        "memory": f"{'an' if name[0] in 'aeiou' or name == 'ndarray' else 'a'} `{name}` over",
        "pointer": "a pointer into",
        "reference": "a reference into",
    }.get(contract.shape, f"a `{name}` that points into")
    return f"`{binding.symbol}` returns {what} {source} without keeping it alive: it dangles once Python frees {source}"


def _source(binding: Binding, contract: contracts.Contract) -> str:
    """Whom the result points into, by name where there is one."""
    if contract.borrows == "self":
        return "`self`"
    name = signatures.argument_name(binding, contract.borrow.index) if contract.borrow is not None else ""
    return f"`{name}`" if name else contract.borrows


def _of_shape(contract: contracts.Contract) -> Certainty:
    """An iterator, a pointer or a reference leads where it comes from; of an object it follows from its fields."""
    if contract.shape in ("iterator", "memory", "pointer", "reference"):
        return "certain"
    name = contract.returns.rsplit("::", 1)[-1]
    return because("type", f"harmless if this `{name}` copies what it is given, or keeps it alive itself")


def _help(binding: Binding, contract: contracts.Contract) -> str:
    index = contract.borrow.index if contract.borrow is not None else 1
    keeps = signatures.spelled_keep_alive(binding, 0, index)
    if binding.record.kind in ("property", "property_rw") and contract.shape == "view":
        return f"add the keep-alive to the getter: `{_namespace(binding)}cpp_function(getter, {keeps})`"
    source = _source(binding, contract)
    if contract.shape in ("pointer", "reference") and index == 1:
        policy = signatures.spelled_policy(binding, "reference internal") or "reference_internal"
        return f"use the policy `{policy}`, or add `{keeps}`"
    return f"add `{keeps}` (0 is the result, {index} is {source})"


def _namespace(binding: Binding) -> str:
    framework = signatures.framework_of(binding)
    return signatures.spelled_namespace(binding.file, framework) if framework is not None else ""


def _used_in_python(binding: Binding) -> Iterator[Step]:
    """Python of this project that uses such a result after its owner is gone."""
    for misuse in border.of(binding.program).misuses:
        if (
            misuse.about == "owner"
            and misuse.declared is not None
            and misuse.declared.path == binding.path
            and misuse.declared.span == binding.record.span
        ):
            yield misuse.function.step(misuse.at, f"Python uses it here after `{misuse.owner}` was freed")


def _constructor(binding: Binding) -> Iterator[Finding]:
    """`keep_alive<0, N>` on a constructor: the result of `__init__` is None, so nothing is kept."""
    policies = contracts.policies_of(binding)
    if policies is None or binding.owner is None:
        return
    keeps = list(policies.keep_alives())
    for keep in keeps:
        if keep.nurse != 0 or any((other.nurse, other.patient) == (1, keep.patient) for other in keeps):
            continue
        field = contracts.borrowed_by(binding)
        yield binding.finding(
            keep.extra,
            f"`{keep.extra.text}` on the constructor of `{binding.owner.name}` keeps nothing alive",
            certainty="certain" if field is not None else because("possible", "no member that needs it was found"),
            help="the constructed object has index 1: write "
            f"`{signatures.spelled_keep_alive(binding, 1, max(keep.patient, 2))}`",
            steps=(field,) if field is not None else (),
            fix=contracts.renumbered(binding, keep, 1, max(keep.patient, 2)),
        )
