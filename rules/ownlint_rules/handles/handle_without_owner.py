"""A Python class wraps a native handle without keeping its owner alive, as its siblings do.

## What it reports

- a bound class with a native handle but no reference to an owner, where at least two other classes created from the
  same object do hold one (the message gives the ratio)
- a class of Python that is made of a part of a native handle which another object ends when it is collected, and does
  not get that object, as the other classes do that are made so (ctypes, cffi)
- an object of an extension type (`PyObject_New`) that stores a pointer which another object frees in its `tp_dealloc`,
  or to a part of what that frees, without a reference to that object
- a `PyMemoryView_FromMemory` over what a member points to which the object frees in its `tp_dealloc`
- an object of an extension type that stores the object it is made from, which nothing counts, and follows it later

## Why it is a bug

A handle that comes from a context, a document or a scene is valid only while that object lives. Most wrappers store a
reference to it. The one that does not is left with a dangling handle when Python drops the owner.

## Example

bad:

```cpp
struct Page { py::object doc; page_t* page; };
struct Font { py::object doc; font_t* font; };
struct Link { link_t* link; };
PYBIND11_MODULE(pdf, m) {
  py::class_<Doc>(m, "Doc")
      .def("page", [](Doc& self, py::object doc) { return Page{doc, doc_page(self.raw())}; })
      .def("font", [](Doc& self, py::object doc) { return Font{doc, doc_font(self.raw())}; })
      .def("link", [](Doc& self) { return Link{doc_link(self.raw())}; });
  py::class_<Page>(m, "Page");
  py::class_<Font>(m, "Font");
  py::class_<Link>(m, "Link");
}
class Doc { public: doc_t* raw() const; };
```

```text
case.cc:8: error: `Link` wraps a handle from `Doc` without keeping it alive; 2 of 3 such classes hold an owner
  help: store a reference to the `Doc` in `Link`, or add a keep-alive to `link`
```

good:

```cpp
struct Page { py::object doc; page_t* page; };
struct Font { py::object doc; font_t* font; };
struct Link { link_t* link; };
PYBIND11_MODULE(pdf, m) {
  py::class_<Doc>(m, "Doc")
      .def("page", [](Doc& self, py::object doc) { return Page{doc, doc_page(self.raw())}; })
      .def("font", [](Doc& self, py::object doc) { return Font{doc, doc_font(self.raw())}; })
      .def("link", [](Doc& self) { return Link{doc_link(self.raw())}; }, py::keep_alive<0, 1>());
  py::class_<Page>(m, "Page");
  py::class_<Font>(m, "Font");
  py::class_<Link>(m, "Link");
}
class Doc { public: doc_t* raw() const; };
```

## How to fix it

Store a reference to the owner in the wrapper, or add a keep-alive to the binding that returns it.

## What it does not report

- a binding with a keep-alive
- handles for which no class holds an owner (they may live forever)
- objects that do not reach Python
- handles that do not come from a bound object

## Known limitations

- A class that destroys its handle itself, or whose handle comes from a function named after creating or copying, may
  not need an owner: such a finding is `possible`.
- Objects created in helpers that are not bound are not reported.

## Source

MLIR's Python bindings, `PyPassManager` and the classes below `BaseContextObject`; LLVM 16 to 22.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Certainty, Class, Finding, Program, because, contracts, records, rule, validity
from ownlint_rules.handles import _extension_types as extension_types
from ownlint_rules.handles import _python_wrappers as python_wrappers
from ownlint_rules.handles import _uncounted_owners as uncounted_owners
from ownlint_rules.handles import _wrappers as wrappers

_LEAST = 2
"""How many siblings hold an owner where that is what is meant."""


@rule(severity="error", cwe=(416,), languages=("cpp", "python"), anchors=(r"\bCDLL\(", r"\bdlopen\(", r"\bcdef\("))
def handle_without_owner(program: Program) -> Iterator[Finding]:
    yield from _by_siblings(program)
    yield from _of_python(program)
    for one in extension_types.borrowed(program):
        owned, name = one.owned, one.owned.function.name
        yield one.function.finding(
            one.at,
            f"`{one.made.name}` stores `{one.field}` of `{one.self}->{owned.field}` without a reference "
            f"to `{one.self}`, which is destroyed by `{name}`",
            certainty=because("sharing", "harmless if a reference to the native object keeps it alive"),
            help=f"store a new reference to `{one.self}` next to `{one.field}` and release it in the deallocator",
            steps=(owned.function.step(owned.at, f"`{owned.field}` is freed here", "ends"),),
        )
    for view in extension_types.views(program):
        owned, name = view.owned, view.owned.function.name
        yield view.function.finding(
            view.at,
            f"the view of `{view.self}->{owned.field}` keeps no reference to `{view.self}`: it dangles once `{name}` "
            f"has freed the data",
            certainty=because("sharing", f"harmless if something else keeps `{view.self}` alive"),
            help=f"return a copy, or make `{view.self}` the base of the array or the exporter of the buffer",
            steps=(owned.function.step(owned.at, f"`{owned.field}` is freed here", "ends"),),
        )
    for two in uncounted_owners.uncounted_owners(program):
        yield two.function.finding(
            two.at,
            f"`{two.given}` is stored in `{two.made.name}::{two.field}` without a strong reference: it dangles once "
            "the object is freed",
            certainty=because("sharing", f"harmless if something else keeps `{two.given}` alive"),
            help=f"store `Py_NewRef({two.given})`, and release it in the deallocator of `{two.made.name}`; if "
            f"`{two.given}` owns the `{two.made.name}`, pass it to the functions that use it instead",
            steps=(two.user.step(two.use, f"`{two.field}` is used here"),),
        )


def _by_siblings(program: Program) -> Iterator[Finding]:
    known = wrappers.of(program)
    makers: dict[str, list[wrappers.Wrapped]] = {}
    for wrapped in known.made:
        makers.setdefault(wrapped.source.symbol, []).append(wrapped)
    for source in sorted(makers):
        classes = {wrapped.made.symbol: wrapped.made for wrapped in makers[source]}
        shared = next((wrapped.source for wrapped in makers[source] if wrapped.same), None)
        if shared is not None and known.holds_owner(shared):
            classes[source] = shared  # it holds that handle, too, and an owner beside it
        holding = [symbol for symbol, cls in classes.items() if known.holds_owner(cls)]
        if not holding:
            continue
        said: set[str] = set()
        for wrapped in makers[source]:
            symbol, field = wrapped.made.symbol, known.handle_of(wrapped.made)
            if symbol in holding or symbol in said or field is None or symbol not in known.bound:
                continue
            binding = _bound_without_keep_alive(program, wrapped)
            if binding is not None:
                said.add(symbol)
                yield _finding(binding, wrapped, field, len(holding), len(classes), classes[holding[0]])


def _of_python(program: Program) -> Iterator[Finding]:
    every = python_wrappers.children(program)
    for child in every:
        beside = {one.made: one for one in every if one.made.file is child.made.file}
        holding = [one for one in beside.values() if one.kept]
        if child.kept or not holding or child.made in {one.made for one in holding} or python_wrappers.ends(child.made):
            continue
        made, source = child.made, child.source
        share = f"{len(holding)} of {len(beside)} such classes hold an owner"
        yield child.function.finding(
            child.value,
            f"`{made.name}` wraps a handle from `{source.name}` without keeping it alive; {share}",
            certainty=because("convention", f"that it needs an owner is inferred: {share}"),
            help=f"store a reference to the `{source.name}` in `{made.name}`",
            steps=(
                source.step(source.record, f"`{source.name}` ends its handle when it is collected", "ends"),
                holding[0].made.step(holding[0].made.record, f"`{holding[0].made.name}` holds its owner", "owns"),
            ),
        )


def _bound_without_keep_alive(program: Program, wrapped: wrappers.Wrapped) -> Binding | None:
    """The binding that hands the object to Python, where nothing beside it keeps anybody alive."""
    binding = validity.of(program).bound_as(wrapped.function)
    policies = contracts.policies_of(binding) if binding is not None else None
    if binding is None or (policies is not None and any(True for _ in policies.keep_alives())):
        return None
    return binding


def _finding(
    binding: Binding, wrapped: wrappers.Wrapped, field: records.Field, holding: int, classes: int, sibling: Class
) -> Finding:
    made, source = wrapped.made, wrapped.source
    certainty = _certainty(wrapped, holding, classes)
    return wrapped.function.finding(
        wrapped.value,
        f"`{made.name}` wraps a handle from `{source.name}` without keeping it alive; {holding} of "
        f"{classes} such classes hold an owner",
        certainty=certainty,
        help=f"store a reference to the `{source.name}` in `{made.name}`, or add a keep-alive to `{binding.name}`",
        steps=(
            made.step(field, f"`{made.name}` stores this handle but not its owner", "borrows"),
            sibling.step(_name(sibling), f"`{sibling.name}` holds its owner", "owns"),
        ),
    )


def _certainty(wrapped: wrappers.Wrapped, holding: int, classes: int) -> Certainty:
    """What destroys its handle itself may be on its own, unless nearly all that come from there hold an owner."""
    share = f"that it needs an owner is inferred: {holding} of {classes} such classes hold one"
    if wrapped.copied or holding < _LEAST:
        return because("possible", "" if wrapped.copied else share)
    if wrapped.made.destructor is not None or wrapped.made.record.destructor not in ("implicit", "defaulted"):
        return because("convention" if holding > _LEAST and 3 * holding >= 2 * classes else "guess", share)
    return because("convention", share)


def _name(cls: Class) -> records.Node:
    return cls.record
