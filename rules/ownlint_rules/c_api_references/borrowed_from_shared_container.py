"""A free-threaded module borrows a reference from a container that other threads modify.

## What it reports

- `PyList_GetItem`, `PyDict_GetItem` and other calls that return a borrowed item of a member or a global, where a
  variant that returns a new reference exists
- `PyDict_Next` over a member or a global
- both only where the module declares that it runs without the GIL

## Why it is a bug

A borrowed reference is owned by the container. In a free-threaded build another thread can replace the item and release
it before this thread increments its reference count: a use after free.

## Example

bad:

```cpp
static PyObject* registry;

static PyObject* find(PyObject* self, PyObject* key) {
  PyObject* found = PyDict_GetItemWithError(registry, key);
  return Py_XNewRef(found);
}
static PyModuleDef_Slot slots[] = {{Py_mod_gil, Py_MOD_GIL_NOT_USED}, {0, NULL}};
```

```text
case.cc:4: warning: `PyDict_GetItemWithError` returns a borrowed reference from `registry`, which other threads can
    modify
  help: use `PyDict_GetItemRef`
```

good:

```cpp
static PyObject* registry;

static PyObject* find(PyObject* self, PyObject* key) {
  PyObject* found = NULL;
  if (PyDict_GetItemRef(registry, key, &found) < 0) return NULL;
  return found;
}
static PyModuleDef_Slot slots[] = {{Py_mod_gil, Py_MOD_GIL_NOT_USED}, {0, NULL}};
```

## How to fix it

Call the variant that returns a new reference (`PyList_GetItemRef`, `PyDict_GetItemRef`) and release the result, or hold
a lock or a critical section (`Py_BEGIN_CRITICAL_SECTION`) during the access.

## What it does not report

- modules that keep the GIL
- tuples, and containers that are locals or arguments
- functions that acquire a lock or enter a critical section

## Known limitations

- A lock that the caller holds is not known.

## Source

docs.python.org/3/howto/free-threading-extensions.html, "Borrowed References".
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Finding,
    Function,
    Program,
    assignments,
    because,
    conditions,
    guard_classes,
    places,
    questions,
    records,
    references,
    rule,
    text,
)


@rule(severity="warning", cwe=(362, 416))
def borrowed_from_shared_container(function: Function) -> Iterator[Finding]:
    if not references.may_count(function) or not _is_free_threaded(function.program) or _is_locked(function):
        return
    known = references.references(function.program)
    for call in function.flow.calls:
        model = known.model(call.node, function)
        if model is None or not (model.counted and model.replaced_by and call.node.args and _lends(model.effects)):
            continue
        container = places.strip(call.node.args[0])
        if container is None or not _is_shared(function, container) or _is_made_here(function, container):
            continue
        yield function.finding(
            call,
            f"`{places.called(call.node)}` returns a borrowed reference from `{text(container)}`, which "
            "other threads can modify",
            certainty=because(
                "threads", "harmless if no other thread runs in the meantime, or every access holds the same lock"
            ),
            help=f"use `{model.replaced_by}`",
        )


def _lends(effects: tuple[object, ...]) -> bool:
    return any(str(effect).startswith("borrow") and str(effect).endswith("from argument 1") for effect in effects)


@questions.program_question
def _is_free_threaded(program: Program) -> bool:
    """Whether a file names the slot or the flag that says so; `#ifdef Py_GIL_DISABLED` alone says nothing."""
    words = {word for word in program.models.names_of("free threading") if "not_used" in word.lower()}
    for file in program.files.values():
        for variable in file.variables if file.language == "cpp" else ():
            if any(
                isinstance(one, records.Name) and places.last_name(one) in words for one in places.walk(variable.value)
            ):
                return True
    cpp = [function for function in program.functions if function.language == "cpp"]
    return any(_names(function, words) for function in cpp)


def _names(function: Function, words: set[str]) -> bool:
    """In its body, or in its head: a module's options stand among its parameters."""
    if any(word in parameter.type for parameter in function.record.parameters for word in words):
        return True
    body = function.encoded
    return any(word.encode() in body for word in words)


def _is_locked(function: Function) -> bool:
    """Whether the body enters a critical section, or makes a guard."""
    if any("CRITICAL_SECTION" in name or "Lock" in name for name in function.mentioned):
        return True
    known = guard_classes.guards(function.program)
    return any(known.of(written, function) is not None for written, _ in function.locals.values() if written)


def _is_made_here(function: Function, container: records.Value) -> bool:
    """Whether the function itself puts a new container there: `state->keys = PyDict_Keys(dict);`."""
    place = assignments.place(function, container)
    known = references.references(function.program)
    found = [
        write.value
        for write in function.flow.writes
        if write.place == place and not known.is_null(write.value, function)
    ]
    made = (places.strip(one) for one in found)
    sources = (conditions.computed_once(function, one.text) if isinstance(one, records.Name) else one for one in made)
    return bool(found) and all(
        isinstance(call := places.strip(source), records.Call) and known.source(call, function).kind == "new"
        for source in sources
    )


def _is_shared(function: Function, container: records.Value) -> bool:
    """A member of the object or of the module's state, or a global."""
    if isinstance(container, records.Member):
        root = container
        while isinstance(root, records.Member):
            root = places.strip(root.base)  # type: ignore[assignment]
        return isinstance(root, records.Name | records.Call)
    return (
        isinstance(container, records.Name)
        and function.program.index.is_variable(container.text)
        and (container.text not in function.declared)
    )
