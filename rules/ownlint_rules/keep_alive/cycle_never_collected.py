"""A bound class holds Python objects that the garbage collector cannot see.

## What it reports

- a member that is a Python object, a `std::function` or a container of these, and that Python code can set (a writable
  field, a property setter, a method, a constructor, a factory), once per class
- for nanobind, a `std::shared_ptr` to the class itself, which keeps its Python object alive

## Why it is a bug

The type that a framework creates for a C++ class does not show the garbage collector what its objects hold. If Python
stores a function that refers back (`button.on_click = lambda: button.hide()`), the cycle is never freed.

## Example

bad:

```cpp
struct Button {
  std::function<void()> on_click;
};
NB_MODULE(ui, m) {
  nb::class_<Button>(m, "Button").def(nb::init<>()).def_rw("on_click", &Button::on_click);
}
```

```text
case.cc:5: note: a reference cycle through `Button::on_click` is never collected: the type of `Button` has no
    `tp_traverse` that visits it
  help: give the class `tp_traverse` and `tp_clear` slots: `type_slots`
```

good:

```cpp
struct Button {
  std::function<void()> on_click;
};
int button_traverse(PyObject* self, visitproc visit, void* arg);
int button_clear(PyObject* self);
PyType_Slot button_slots[] = {
    {Py_tp_traverse, (void*)button_traverse}, {Py_tp_clear, (void*)button_clear}, {0, nullptr}};
NB_MODULE(ui, m) {
  nb::class_<Button>(m, "Button", nb::type_slots(button_slots)).def_rw("on_click", &Button::on_click);
}
```

## How to fix it

Give the class `tp_traverse` and `tp_clear` slots: `nb::type_slots(...)` in nanobind, `py::custom_type_setup(...)` in
pybind11.

## What it does not report

- classes with `type_slots` or `custom_type_setup`, also in a base
- strings, numbers, arrays and weak references
- members that only C++ sets, and values that are dropped in the same call
- a class with a static pointer to its only object

## Known limitations

- Whether a cycle is created depends on the Python code; this is why the rule is a note.
- Raw `PyObject*` members and shared pointers to other classes are not analysed.

## Source

nanobind documentation, "Reference cycles" and "typeslots"; pybind11's `custom_type_setup`. Run on pybind11 2.13.6 and
3.0.2 and nanobind 2.9.2: `o.fn = lambda: o` is alive after `gc.collect()`, with `dynamic_attr` too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, Step, because, filled, rule, signatures
from ownlint_rules.keep_alive import _hidden_members as hidden_members


@rule(severity="note", cwe=(401,))
def cycle_never_collected(program: Program) -> Iterator[Finding]:
    found: dict[str, list[filled.FilledMember]] = {}
    for one in hidden_members.hiding(program):
        found.setdefault(one.cls.symbol, []).append(one)
    for group in found.values():
        first = group[0]
        members = {first.field.name: first}
        for one in group:
            members.setdefault(one.field.name, one)
        steps = [
            one.binding.step(
                one.binding.record, f"`{one.home.name}::{one.field.name}` also stores objects that are set here"
            )
            for one in list(members.values())[1:]
        ]
        if first.binding.record.kind in ("function", "static"):
            bound = signatures.bound_as(first.cls, first.cls)[:1]
            steps = [Step(file.path, record.span, "bound here") for file, record in bound] + steps
        yield first.binding.finding(
            first.binding.record,
            f"a reference cycle through `{first.home.name}::{first.field.name}` is never collected: the "
            f"type of `{first.cls.name}` has no `tp_traverse` that visits it",
            certainty=because("value", f"it is not known whether a cycle through `{first.field.name}` is ever created"),
            help="give the class `tp_traverse` and `tp_clear` slots: " + _extras(first),
            steps=tuple(steps),
        )


def _extras(one: filled.FilledMember) -> str:
    framework = one.cls.program.models.frameworks[one.binding.record.framework]
    return f"`{framework.facts['collected_with'].split()[0]}`"
