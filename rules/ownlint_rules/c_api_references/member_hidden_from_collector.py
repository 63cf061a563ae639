"""A type owns an object that its traverse function does not visit.

## What it reports

- a `PyObject*` member that the type's clear or dealloc function releases, but that its traverse function does not visit
- a traverse function of a heap type (`PyType_Slot`) that visits members but not `Py_TYPE(self)`

## Why it is a bug

The garbage collector finds cycles by what `tp_traverse` visits. An object that the traverse function leaves out can be
part of a cycle that is never collected. An object of a heap type also owns its type, since Python 3.9.

## Example

bad:

```cpp
static int Node_traverse(Node* self, visitproc visit, void* arg) {
  Py_VISIT(self->next);
  return 0;
}
static int Node_clear(Node* self) {
  Py_CLEAR(self->next);
  Py_CLEAR(self->callback);
  return 0;
}
static int Node_set(Node* self, PyObject* callback) {
  self->callback = Py_NewRef(callback);
  return 0;
}
static PyTypeObject NodeType = {.tp_traverse = (traverseproc)Node_traverse, .tp_clear = (inquiry)Node_clear};
```

```text
case.cc:1: warning: `Node_traverse` does not visit `callback`, which the object owns
  help: add `Py_VISIT(self->callback)`
```

good:

```cpp
static int Node_traverse(Node* self, visitproc visit, void* arg) {
  Py_VISIT(self->next);
  Py_VISIT(self->callback);
  return 0;
}
static int Node_clear(Node* self) {
  Py_CLEAR(self->next);
  Py_CLEAR(self->callback);
  return 0;
}
static int Node_set(Node* self, PyObject* callback) {
  self->callback = Py_NewRef(callback);
  return 0;
}
static PyTypeObject NodeType = {.tp_traverse = (traverseproc)Node_traverse, .tp_clear = (inquiry)Node_clear};
```

## How to fix it

Add `Py_VISIT(self->member)` to the traverse function; for a heap type also `Py_VISIT(Py_TYPE(self))`.

## What it does not report

- members that only ever hold strings, numbers and bytes
- members of other types, and types without a traverse function
- traverse functions that pass the object to an unknown function, or visit through a local

## Known limitations

- The traverse function has to be in the file of the table, and the member has to be assigned there.
- A type with the flag but without a traverse function is not reported: CPython rejects it with a SystemError (run on
  3.11). A missing clear function is not reported either.
- Bound classes of pybind11 and nanobind are reported by `cycle-never-collected`.

## Source

docs.python.org/3/c-api/gcsupport.html; the heap type's own type: What's New In Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, because, rule
from ownlint_rules.c_api_references import _collected as collected


@rule(severity="warning", cwe=(401,))
def member_hidden_from_collector(program: Program) -> Iterator[Finding]:
    told: set[tuple[str, int, str]] = set()
    for one in collected.hidden(program):
        at = (one.traverse.path, one.traverse.record.start, one.member)
        if at in told:
            continue
        told.add(at)
        steps = (one.released.step(one.at, "the object owns it: released here"),) if one.released and one.at else ()
        what = f"`{one.member}`" if one.member else "the object's type"
        yield one.traverse.finding(
            one.traverse.record,
            f"`{one.traverse.name}` does not visit {what}, which the object owns",
            certainty=because("caller", "harmless if no caller ever makes it part of a reference cycle")
            if one.open
            else because("value", "harmless if it can never be part of a reference cycle"),
            help=f"add `Py_VISIT(self->{one.member})`" if one.member else "add `Py_VISIT(Py_TYPE(self))`",
            steps=steps,
        )
