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

from ownlint import Finding, Program, because, events, pairs, rule
from ownlint import records as r
from ownlint_rules.c_api_references import _lives as lives
from ownlint_rules.c_api_references._object_types import by_dealloc, object_types

_FREES = frozenset({"tp_free", "tp_dealloc"})
"""Slots of a type by which the memory of an object is given back."""


@rule(severity="error", cwe=(401,))
def dealloc_without_free(program: Program) -> Iterator[Finding]:
    for dealloc, _ in by_dealloc(object_types(program)):
        done = lives.deeds(dealloc)
        first = next((one for one in done if (one.what == "released" and one.member) or one.what == "method"), None)
        if first is None or any(map(_may_free, done)):
            continue
        given = dealloc.record.parameters[0]
        written = given.name if "PyObject" in given.type else f"(PyObject*){given.name}"
        yield dealloc.finding(
            dealloc.record.name_span,
            f"`{dealloc.name}` does not free the object: the memory of every object of the type leaks",
            certainty=because("unread-code", "harmless if the objects are not allocated by the type"),
            help=f"add `Py_TYPE({given.name})->tp_free({written});` at the end",
            steps=(first.function.step(first.at, "what the object has is released here"),),
        )


def _may_free(one: lives.Deed) -> bool:
    """Whether it frees the object, keeps it for later or stops the program, or may do so in code that was not analysed;
    its destructor alone frees no memory."""
    program = one.function.program
    match one.what:
        case "unread" | "kept" | "given" | "freed":
            return True
        case "method":
            return "~" not in one.called
        case "macro":
            said = program.macros.words(one.called) | {one.called}
            return any(_frees(word) or program.index.functions_called(word) for word in said)
        case "called" if isinstance(one.at, events.CallEvent):
            is_pointer = one.at.node.kind == "call" and isinstance(one.at.node.callee, r.Unary)  # which may have it
            return one.called in _FREES or is_pointer or "never returns" in program.models.verbs(one.called)
    return False


def _frees(word: str) -> bool:
    return word in _FREES or bool(pairs.releasing_verb(word))
