"""A dealloc function releases members of an object that the garbage collector still tracks.

## What it reports

- a `tp_dealloc` of a type with `Py_TPFLAGS_HAVE_GC` that releases members, itself or through its clear function, and
  never calls `PyObject_GC_UnTrack`

## Why it is a bug

To release a member can run any code, and so the collector. It then visits an object whose reference count is 0 and
whose members are already gone: it reads freed memory, or the object is freed twice. Debug builds of Python stop with an
assertion.

## Example

bad:

```cpp
typedef struct { PyObject_HEAD PyObject* next; } Node;

static int Node_traverse(Node* self, visitproc visit, void* arg) {
  Py_VISIT(self->next);
  return 0;
}
static void Node_dealloc(Node* self) {
  Py_CLEAR(self->next);
  Py_TYPE(self)->tp_free((PyObject*)self);
}
static PyTypeObject NodeType = {
    .tp_dealloc = (destructor)Node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)Node_traverse,
};
```

```text
case.cc:8: error: `Node_dealloc` releases `self->next` while the garbage collector still tracks the object
  help: call `PyObject_GC_UnTrack(self)` first
```

good:

```cpp
typedef struct { PyObject_HEAD PyObject* next; } Node;

static int Node_traverse(Node* self, visitproc visit, void* arg) {
  Py_VISIT(self->next);
  return 0;
}
static void Node_dealloc(Node* self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(self->next);
  Py_TYPE(self)->tp_free((PyObject*)self);
}
static PyTypeObject NodeType = {
    .tp_dealloc = (destructor)Node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)Node_traverse,
};
```

## How to fix it

Call `PyObject_GC_UnTrack(self)` at the beginning of the dealloc function, before the first member is released.

## What it does not report

- types without the flag, and dealloc functions that release no member
- dealloc functions that pass the object to an unknown function or to the dealloc function of a base, each of which may
  untrack it, and those that use a macro of the project which untracks it or hands it to a function of the project

## Known limitations

- A dealloc function that untracks the object after its members were released is not reported.
- A flag that is set through a variable or a parameter is not seen.

## Source

docs.python.org/3/c-api/typeobj.html#c.PyTypeObject.tp_dealloc; psycopg2, whose `cursor_dealloc` freed an object twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, Step, rule, text
from ownlint_rules.c_api_references import _lives as lives
from ownlint_rules.c_api_references._object_types import by_dealloc, object_types

_UNTRACKS = frozenset({"PyObject_GC_UnTrack", "_PyObject_GC_UNTRACK"})
"""docs.python.org/3/c-api/gcsupport.html#c.PyObject_GC_UnTrack."""


@rule(severity="error", cwe=(416, 415))
def dealloc_without_untrack(program: Program) -> Iterator[Finding]:
    for dealloc, kind in by_dealloc(kind for kind in object_types(program) if kind.collected is not None):
        done = lives.deeds(dealloc)
        first = next((one for one in done if one.what == "released" and one.member), None)
        if first is None or first.value is None or kind.collected is None or any(map(_may_untrack, done)):
            continue
        yield first.function.finding(
            first.at,
            f"`{dealloc.name}` releases `{text(first.value)}` while the garbage collector still tracks the object",
            help=f"call `PyObject_GC_UnTrack({dealloc.record.parameters[0].name})` first",
            steps=(Step(kind.path, kind.collected.span, "the type takes part in garbage collection", aside=True),),
        )


def _may_untrack(one: lives.Deed) -> bool:
    """Whether it untracks the object, also by a macro, or code that was not analysed gets the object."""
    if one.what != "macro":
        return one.what in ("unread", "method", "given") or one.called in _UNTRACKS
    program = one.function.program
    said = program.macros.words(one.called) | {one.called}
    return not said.isdisjoint(_UNTRACKS) or (one.value is not None and any(map(program.index.functions_called, said)))
