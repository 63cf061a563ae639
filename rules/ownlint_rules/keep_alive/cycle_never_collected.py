"""A bound class holds Python objects that the garbage collector cannot see.

The type that a framework makes for a C++ class shows nothing of what its objects hold. When Python puts a function or
an object into a member, and that leads back (`button.on_click = lambda: button.hide()`), the cycle counts references
that the cyclic collector cannot explain: it is never freed.

bad:

```cpp
struct Button {
  std::function<void()> on_click;
};
NB_MODULE(ui, m) {
  nb::class_<Button>(m, "Button").def(nb::init<>()).def_rw("on_click", &Button::on_click);
}
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

Reported, once for each class: a member that is an object of Python's, a `std::function` or a container of these, and
that Python sets: a writable field, the setter of a property, a method or constructor that keeps what it is given, a
bound function that makes the object of what it is given. Of nanobind also a `std::shared_ptr` to the class itself,
which keeps the Python object it was made of.

Quiet: classes with `type_slots` or `custom_type_setup`, or whose bases have them; texts, numbers, arrays and weak
references; members that C++ alone sets; what is forgotten again in the same call; a class with a
static pointer to its one object.

Limits: that a cycle comes about is up to the Python code, which is why this is a note. Members of members, raw
`PyObject*` members and shared pointers to other classes are not looked at.

Source: nanobind documentation, "Reference cycles" and "typeslots"; pybind11's `custom_type_setup`. Run on pybind11
2.13.6 and 3.0.2 and nanobind 2.9.2: `o.fn = lambda: o` is alive after `gc.collect()`, with `dynamic_attr` too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, Step, because, rule, signatures
from ownlint_rules.keep_alive import _hidden_members as hidden_members


@rule(severity="note", cwe=(401,))
def cycle_never_collected(program: Program) -> Iterator[Finding]:
    found: dict[str, list[hidden_members.Hiding]] = {}
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


def _extras(one: hidden_members.Hiding) -> str:
    framework = one.cls.program.models.frameworks[one.binding.record.framework]
    return f"`{framework.facts['collected_with'].split()[0]}`"
