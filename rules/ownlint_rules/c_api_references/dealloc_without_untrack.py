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
from ownlint_rules.c_api_references import _tracked as tracked


@rule(severity="error", cwe=(416, 415))
def dealloc_without_untrack(program: Program) -> Iterator[Finding]:
    for one in tracked.untracked(program):
        given = one.dealloc.record.parameters[0].name
        yield one.function.finding(
            one.at,
            f"`{one.dealloc.name}` releases `{text(one.at.node.args[0])}` while the garbage collector still tracks the "
            "object",
            help=f"call `PyObject_GC_UnTrack({given})` first",
            steps=(Step(one.path, one.flag.span, "the type takes part in garbage collection", aside=True),),
        )
