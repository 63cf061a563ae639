"""A dealloc function ends what an object has, and never frees the object.

## What it reports

- a `tp_dealloc` that releases members of the object or runs its destructor, and on no path frees the memory: it neither
  calls `tp_free`, nor passes the object to anything that could free it

## Why it is a bug

Python calls `tp_dealloc` to end an object, and frees nothing itself. Without `tp_free` the memory of every object of
the type leaks.

## Example

bad:

```cpp
typedef struct { PyObject_HEAD PyObject* next; } Node;

static void Node_dealloc(Node* self) {
  Py_XDECREF(self->next);
}
static PyTypeObject NodeType = {
    .tp_name = "graph.Node",
    .tp_dealloc = (destructor)Node_dealloc,
};
```

```text
case.cc:3: error: `Node_dealloc` does not free the object: the memory of every object of the type leaks
  help: add `Py_TYPE(self)->tp_free((PyObject*)self);` at the end
```

good:

```cpp
typedef struct { PyObject_HEAD PyObject* next; } Node;

static void Node_dealloc(Node* self) {
  Py_XDECREF(self->next);
  Py_TYPE(self)->tp_free((PyObject*)self);
}
static PyTypeObject NodeType = {
    .tp_name = "graph.Node",
    .tp_dealloc = (destructor)Node_dealloc,
};
```

## How to fix it

Call `tp_free` of the object's type at the end of the dealloc function. For a type that is made on the heap, release the
type after that.

## What it does not report

- dealloc functions that free the object by another function, pass it to an unknown function or to the dealloc function
  of a base, or store it, as in a list of free objects
- dealloc functions that release nothing, and those that stop the program

## Known limitations

- A dealloc function that frees the object on some paths only is not reported.
- A slot that is filled through a variable or a parameter is not found.

## Source

docs.python.org/3/c-api/typeobj.html#c.PyTypeObject.tp_dealloc; datatable, which freed no object of its types.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, because, rule
from ownlint_rules.c_api_references import _unfreed


@rule(severity="error", cwe=(401,))
def dealloc_without_free(program: Program) -> Iterator[Finding]:
    for one in _unfreed.unfreed(program):
        given = one.dealloc.record.parameters[0]
        written = given.name if "PyObject" in given.type else f"(PyObject*){given.name}"
        yield one.dealloc.finding(
            one.dealloc.record.name_span,
            f"`{one.dealloc.name}` does not free the object: the memory of every object of the type leaks",
            certainty=because("unread-code", "harmless if the objects are not allocated by the type"),
            help=f"add `Py_TYPE({given.name})->tp_free({written});` at the end",
            steps=(one.function.step(one.at, "what the object has is released here"),),
        )
