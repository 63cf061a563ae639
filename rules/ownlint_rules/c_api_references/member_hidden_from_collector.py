"""A type owns an object that its traverse function does not visit.

## What it reports

- a `PyObject*` member that the functions which clear or end an object release, and that the type's traverse function
  does not visit
- a traverse function in a table of `PyType_Slot`s that visits members and not `Py_TYPE(self)`.

## Why it is a bug

A type with `Py_TPFLAGS_HAVE_GC` has a `tp_traverse` that visits whatever its objects own. What it leaves out can be
part of a cycle that is never collected: the object counts a reference that the collector cannot explain. An object
whose type is made of slots owns its type too, since Python 3.9.

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

Add `Py_VISIT(self->callback)`.

## What it does not report

- members that are given texts, numbers and bytes alone, members of other types, types without a traverse function,
  traverse functions that hand the object to somebody unseen, or visit by way of a local.

## Known limitations

- the traverse function has to stand in the file of the table, and the member has to be assigned there. A type with the
  flag and no traverse function is not looked at: CPython refuses it where it is made ready, with a SystemError (run on
  3.11). Nor is a traverse function without a clear function, which breaks no cycle of such objects alone. Bound classes
  of pybind11 and nanobind: see `cycle-never-collected`.

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
            certainty=because("value", "harmless if it can never be part of a reference cycle"),
            help=f"add `Py_VISIT(self->{one.member})`" if one.member else "add `Py_VISIT(Py_TYPE(self))`",
            steps=steps,
        )
