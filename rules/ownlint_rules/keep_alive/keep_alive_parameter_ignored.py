"""A method ignores a parameter that it is meant to keep alive.

## What it reports

- a constructor, a factory or a method that never uses a named Python object parameter, where the class has a member
  that can store such an object and the function does not set it

## Why it is a bug

The parameter is there to keep the owner of a native object alive. The caller relies on that, but nothing stores it: the
native memory is freed before the wrapper, which then reads freed memory.

## Example

bad:

```cpp
namespace py = pybind11;
class Op {
 public:
  void setAttached(const py::object& parent) { attached = true; }
 private:
  py::object keepAlive;
  bool attached = false;
};
```

```text
case.cc:4: warning: parameter `parent` is ignored: nothing here keeps it alive
  help: store it (for example in `keepAlive`), or remove the parameter
```

good:

```cpp
namespace py = pybind11;
class Op {
 public:
  void setAttached(const py::object& parent) {
    keepAlive = parent;
    attached = true;
  }
 private:
  py::object keepAlive;
  bool attached = false;
};
```

## How to fix it

Store the parameter in the member, or remove it from the signature.

## What it does not report

- virtual methods and overrides
- unnamed parameters, and those marked as unused (`(void)parent`, `maybe_unused`)
- functions with several such parameters (the signature is given, like that of `__exit__`)
- bodies that do nothing or only throw

## Known limitations

- A class without a member that could store it is not reported: the binding's `keep_alive` may keep it there.

## Source

MLIR's Python bindings, `PyOperation::setAttached` in IRModule.h up to LLVM 22: `parent` has never been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Class, Finding, Function, because, keeping, places, records, rule, types

_OBJECTS = frozenset({"python object", "python handle"})
_FROM_C = "PyObject"
_EXIT = re.compile(r"exc|trace|tb$|unused|ignore", re.IGNORECASE)
_HEADLESS = frozenset({"virtual", "override", "final", "pure", "delete", "default"})


@rule(severity="warning", cwe=(416,))
def keep_alive_parameter_ignored(function: Function) -> Iterator[Finding]:
    cls = function.cls
    if cls is None or function.language != "cpp" or not function.record.parameters or function.record.opaque:
        return
    ignored = [p for p in function.record.parameters if p.name and not _says(function, p.name)]
    if not ignored or not _HEADLESS.isdisjoint(_qualifiers(function)):
        return
    kept = [p for p in ignored if _is_object(function, p.type)]
    if len(kept) != 1 or _EXIT.search(kept[0].name) or kept[0].annotations:
        return
    keeper = _keeper(function, cls)
    if keeper is None or not _stores_something(function, cls) or _stores(function, keeper[1].name):
        return
    holder, field = keeper
    sibling = next((one for one in cls.methods if one is not function and _stores_own(one, field.name)), None)
    is_meant = (
        sibling is None and _is_namesake(kept[0].name, field.name) and not _is_stored_anywhere(holder, field.name)
    )
    yield function.finding(
        kept[0],
        f"parameter `{kept[0].name}` is ignored: nothing here keeps it alive",
        certainty=because("convention", f"`{sibling.name}` stores such a parameter in `{field.name}`")
        if sibling is not None
        else because("convention", f"`{field.name}` has its name, and nothing is ever stored in it")
        if is_meant
        else because("name", f"that `{kept[0].name}` is to be kept alive is inferred from `{field.name}`"),
        help=f"store it (for example in `{field.name}`), or remove the parameter",
        steps=(holder.step(field, "this could keep it alive"),),
    )


def _says(function: Function, name: str) -> bool:
    """Whether the body, an initialiser or a lambda inside says the name. Needs no decoding for most."""
    spelled = f'"{name}"'.encode()
    if spelled in function.encoded:
        return True
    if any(
        isinstance(inner, records.Name) and inner.text == name
        for initializer in function.record.initializers
        for value in initializer.args
        for inner in places.walk(value)
    ):
        return True
    return any(spelled in inner.encoded for inner in function.lambdas())


def _qualifiers(function: Function) -> frozenset[str]:
    """Also those of its declarations: `virtual` does not stand on a definition outside of the class."""
    found = set(function.record.qualifiers)
    if function.cls is not None:
        for declared in function.cls.declarations:
            if declared.name == function.name:
                found.update(declared.qualifiers)
    return frozenset(found)


def _is_object(function: Function, written: str) -> bool:
    """A Python object, or a class around one."""
    program = function.program
    if _is_python(function, written):
        return True
    kind = types.parse(program.names.expand(written, function.file, function.record.scope))
    cls = program.names.find_class(kind.name, function.record.scope, function.file) if kind.arguments else None
    return cls is not None and any(
        not field.static and _OBJECTS.intersection(program.types.roles_at(field.type, cls.file, cls.symbol))
        for field in cls.record.fields
    )


def _is_python(function: Function, written: str) -> bool:
    program = function.program
    kind = types.parse(written)
    return (kind.last == _FROM_C and kind.pointers == 1) or not _OBJECTS.isdisjoint(
        program.types.roles(written, function)
    )


def _keeper(function: Function, cls: Class) -> tuple[Class, records.Field] | None:
    """The first member of the class that can keep such an object."""
    for one in cls.ancestry:
        for field in one.record.fields:
            kind = types.parse(field.type)
            weak = not kind.pointers and "python handle" in cls.program.types.roles_at(field.type, one.file, one.symbol)
            can_keep = not field.static and not weak and not kind.reference
            if can_keep and _is_object(function, field.type):
                return one, field
    return None


def _stores_something(function: Function, cls: Class) -> bool:
    """A constructor, a method that stores into members, or a factory that makes such an object."""
    record = function.record
    if record.kind == "constructor":
        return bool(record.initializers) or any(name.startswith("=") for name in function.mentioned)
    stored = {name[1:] for name in function.mentioned if name.startswith("=")}
    if stored & cls.members:
        return True
    return "static" in _qualifiers(function) and (cls.name in record.result or _makes(function, cls))


def _makes(function: Function, cls: Class) -> bool:
    """Whether an object of the class is made in the body, whatever the result is called: `py::object`."""
    return any(keeping.made_class(function, call) is cls for call in function.calls())


def _stores(function: Function, member: str) -> bool:
    """Whether the function puts something else into the member that could keep it."""
    return function.mentions("=" + member) or any(one.name == member for one in function.record.initializers)


def _is_namesake(parameter: str, member: str) -> bool:
    """Whether a member is called as a parameter is: `parent_`, `m_parent`."""
    return parameter.strip("_").lower() == member.removeprefix("m_").strip("_").lower()


def _is_stored_anywhere(cls: Class, member: str) -> bool:
    """Whether any function puts something into a member of that name, of whatever class."""
    return any(_stores(one, member) for one in cls.program.functions_of("cpp"))


def _stores_own(function: Function, member: str) -> bool:
    """Whether it puts what it is given as a parameter into that member, of itself or of what it makes."""
    if not _stores(function, member):
        return False
    names = function.parameter_names
    given: list[records.Value | None] = [
        value for one in function.record.initializers if one.name == member for value in one.args
    ]
    given += [write.value for write in function.flow.writes if write.place[-1].lstrip(".") == member]
    return any(
        isinstance(inner, records.Name) and inner.text in names for value in given for inner in places.walk(value)
    )
