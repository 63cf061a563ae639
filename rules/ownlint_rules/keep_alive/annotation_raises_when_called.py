"""An annotation of a binding raises on every call.

## What it reports

- a `keep_alive` whose nurse is a number, a string, a list, a tuple or a dict, which support no weak references
- an index that no argument has (pybind11; nanobind rejects it at compile time)
- `reference_internal` on a function without `self`

## Why it is a bug

The module imports and the function exists, but every call of it raises: `TypeError: cannot create weak reference to
'list' object`.

## Example

bad:

```cpp
class Book {
 public:
  std::string title() const;
};
PYBIND11_MODULE(books, m) {
  py::class_<Book>(m, "Book").def("title", &Book::title, py::keep_alive<0, 1>());
}
```

```text
case.cc:6: warning: `py::keep_alive<0, 1>()` on `Book.title` raises on every call: its result does not support weak
    references
```

good:

```cpp
class Book {
 public:
  std::string title() const;
};
PYBIND11_MODULE(books, m) {
  py::class_<Book>(m, "Book").def("title", &Book::title);
}
```

## How to fix it

Remove the annotation, correct the index, or return a bound class.

## What it does not report

- containers that the project binds as classes
- results of unknown type
- optional results

## Known limitations

- The types are taken as written; a type caster of the project may convert to anything, so classes that are not bound
  are not reported.

## Source

run on pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0: `TypeError: cannot create weak reference to 'list'
object`, `RuntimeError: Could not activate keep_alive!`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Finding, contracts, policies, records, rule, signatures


@rule(severity="warning", yields_to=("keep-alive-without-effect",))
def annotation_raises_when_called(binding: Binding) -> Iterator[Finding]:
    said = contracts.policies_of(binding)
    if said is None or not binding.record.extras:
        return
    keeps = [keep for keep in said.keep_alives() if not said.is_ignored(keep.extra)]
    policy, written = said.written_policy()
    if not keeps and policy != "reference internal":
        return
    signature = signatures.signature_of(binding)
    if signature is None:
        return
    for keep in keeps:
        why = _beyond(said, signature, keep) or _unweakable(binding, said, signature, keep)
        if why:
            yield _finding(binding, keep.extra.text, keep.extra, why)
    if written is not None and policy == "reference internal" and _lacks_parent(binding, said, signature):
        yield _finding(binding, written.text, written, "there is no parent object")


def _finding(binding: Binding, text: str, at: records.Extra, why: str) -> Finding:
    owner = binding.owner
    constructs = binding.record.kind == "init" and owner is not None
    where = f"the constructor of `{owner.name}`" if constructs and owner is not None else f"`{binding.symbol}`"
    return binding.finding(at, f"`{text}` on {where} raises on every call: {why}")


def _beyond(said: policies.Policies, signature: signatures.Signature, keep: policies.KeepAlive) -> str:
    if said.framework.facts.get("keep_alive_beyond_arguments") != "raises" or signature.parameters is None:
        return ""
    highest = max(keep.nurse, keep.patient)
    return f"there is no argument {highest}" if highest > len(signature.parameters) else ""


def _unweakable(
    binding: Binding, said: policies.Policies, signature: signatures.Signature, keep: policies.KeepAlive
) -> str:
    """The nurse, where no weak reference can point to it."""
    if said.framework.facts.get("keep_alive_without_weakref") != "raises":
        return ""
    if keep.nurse == 0:
        written, what = signature.result, "its result"
    elif signature.parameters is not None and keep.nurse <= len(signature.parameters):
        written, what = signature.parameters[keep.nurse - 1], f"argument {keep.nurse}"
    else:
        return ""
    roles = binding.program.types.roles_at(written, binding.file, "")
    return (
        f"{what} does not support weak references"
        if written and signatures.is_unweakable(binding, written, roles)
        else ""
    )


def _lacks_parent(binding: Binding, said: policies.Policies, signature: signatures.Signature) -> bool:
    if binding.record.kind not in ("function", "static") or signature.handing not in ("pointer", "reference"):
        return False
    if signature.kind.last not in binding.program.names.bound_types:
        return False
    how = said.framework.facts.get("reference_internal_on_function", "")
    return how == "raises" or (how == "first argument" and signature.parameters == ())
