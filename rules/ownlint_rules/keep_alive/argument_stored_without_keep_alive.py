"""C++ stores a pointer to an argument, and nothing keeps its Python object alive.

## What it reports

- a bound constructor, factory, method or property setter that stores a reference or a pointer to a bound class in a
  field, a container or a stored lambda
- a field that is a raw pointer and is bound as writable (`def_readwrite`, `def_rw`)
- both only without a `keep_alive` from the holder to the argument

## Why it is a bug

Python may free the object that was passed as soon as its last name goes away. The pointer that C++ stores then points
into freed memory, and the next access is a use after free. For a subclass written in Python, the C++ part can survive
while the Python part is gone.

## Example

bad:

```cpp
class Engine {};
class Car {
 public:
  explicit Car(Engine& engine) : engine_(engine) {}
 private:
  Engine& engine_;
};
PYBIND11_MODULE(cars, m) {
  py::class_<Engine>(m, "Engine").def(py::init<>());
  py::class_<Car>(m, "Car").def(py::init<Engine&>());
}
```

```text
case.cc:10: error: the constructor of `Car` stores a reference to `engine` without keeping it alive: it dangles
    once Python frees `engine`
  help: add `py::keep_alive<1, 2>()` (1 is `self`, 2 is `engine`)
```

good:

```cpp
class Engine {};
class Car {
 public:
  explicit Car(Engine& engine) : engine_(engine) {}
 private:
  Engine& engine_;
};
PYBIND11_MODULE(cars, m) {
  py::class_<Engine>(m, "Engine").def(py::init<>());
  py::class_<Car>(m, "Car").def(py::init<Engine&>(), py::keep_alive<1, 2>());
}
```

## How to fix it

Add `py::keep_alive<1, N + 1>()` for argument N (`nb::keep_alive` for nanobind), or store a shared pointer. `--fix` adds
the annotation where the binding allows it.

## What it does not report

- copies, shared pointers and unique pointers
- arguments that are only used during the call, and addresses that the same body removes again
- fields that the destructor frees
- functions that receive the Python object as well

## Known limitations

- Pointers stored in a static or by a library are not tracked.
- What a method stores in another argument is `possible` only.
- Without a body only a constructor is analysed, by the fields of its class, and the finding is `likely`.

## Source

run on pybind11 2.13.6 and 3.1.0 and nanobind 2.9.2 and 3.1.0: constructors, setters, containers and
`def_readwrite`/`def_rw` of a raw pointer keep nothing; `keep_alive<1, N + 1>` keeps argument N.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Edit, Finding, Fix, arguments, rule, signatures

_BY_SETTER = "setting `{}` stores a pointer without keeping its target alive: it dangles once Python frees the target"


@rule(severity="error", cwe=(416,), yields_to=("borrow-without-keep-alive",), fixable=True)
def argument_stored_without_keep_alive(binding: Binding) -> Iterator[Finding]:
    field = arguments.stored_by_field(binding)
    if field is not None:
        yield binding.finding(
            binding.record,
            _BY_SETTER.format(binding.symbol),
            help=f"bind it as a property whose setter has `{signatures.spelled_keep_alive(binding, 1, 2)}`, or make "
            "the field a `std::shared_ptr`",
            steps=(field,),
        )
    for stored in arguments.unkept(binding):
        constructs = binding.record.kind == "init" and binding.owner is not None
        what = f"the constructor of `{binding.owner.name}`" if constructs and binding.owner else f"`{binding.symbol}`"
        holder, argument = _shown(stored)
        link = "a pointer" if stored.by_pointer else "a reference"
        where = "" if constructs else f" in {holder}"
        dangles = f"without keeping it alive: it dangles once Python frees {argument}"
        wanted = signatures.spelled_keep_alive(binding, stored.holder, stored.argument)
        said = f" ({stored.holder} is {holder}, {stored.argument} is {argument})"
        yield binding.finding(
            stored.wrong or binding.record,
            _BY_SETTER.format(binding.symbol)
            if stored.by_setter
            else f"{what} stores {link} to {argument}{where} {dangles}",
            certainty=stored.certainty,
            help=f"add `{wanted}`" + (said if not stored.by_setter else " to the setter"),
            steps=(stored.at,),
            fix=_fix(binding, stored, f"keep_alive<{stored.holder}, {stored.argument}>"),
        )


def _shown(stored: arguments.Unkept) -> tuple[str, str]:
    """The holder and the argument, by name or by number."""
    numbers = (stored.holder, stored.argument)
    one, other = (
        f"`{name}`" if name else f"argument {number - stored.has_self}"
        for name, number in zip(stored.names, numbers, strict=True)
    )
    return one, other


def _fix(binding: Binding, stored: arguments.Unkept, wanted: str) -> Fix | None:
    if stored.by_setter or signatures.is_in_macro(binding):
        return None
    framework = signatures.framework_of(binding)
    if framework is None or framework.extras.get("keep_alive") != "keep alive":
        return None
    text = f"{signatures.spelled_namespace(binding.file, framework)}{wanted}()"
    edit = Edit(binding.path, signatures.behind_callable(binding), f", {text}")
    return Fix(f"add `{text}`", (edit,), safe=True)
