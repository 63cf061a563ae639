"""A type does not release a member that its objects own when an object is destroyed.

## What it reports

- a member of a C type's struct in which a function stores a new reference, and that neither the dealloc function nor
  the clear function of the type releases
- a member that is a C++ container of references, or a pointer to one, whose elements neither of them releases
- the same for a member that Python code can assign through a `PyMemberDef` of kind `T_OBJECT` or `T_OBJECT_EX`

## Why it is a bug

CPython frees the memory of an object, but not what its struct refers to. A reference that the dealloc function does not
release is never released: each destroyed object leaks it, with everything that it refers to.

## Example

bad:

```cpp
typedef struct { PyObject_HEAD PyObject* next; PyObject* hook; } Node;

static int Node_init(Node* self, PyObject* args, PyObject* kwargs) {
  PyObject *next, *hook;
  if (!PyArg_ParseTuple(args, "OO", &next, &hook)) return -1;
  Py_XSETREF(self->next, Py_NewRef(next));
  Py_XSETREF(self->hook, Py_NewRef(hook));
  return 0;
}
static void Node_dealloc(Node* self) {
  Py_XDECREF(self->next);
  Py_TYPE(self)->tp_free((PyObject*)self);
}
static PyTypeObject NodeType = {.tp_init = (initproc)Node_init, .tp_dealloc = (destructor)Node_dealloc};
```

```text
case.cc:10: error: `Node_dealloc` does not release `hook`, which the object owns
  help: add `Py_CLEAR(self->hook)`
```

good:

```cpp
typedef struct { PyObject_HEAD PyObject* next; PyObject* hook; } Node;

static int Node_init(Node* self, PyObject* args, PyObject* kwargs) {
  PyObject *next, *hook;
  if (!PyArg_ParseTuple(args, "OO", &next, &hook)) return -1;
  Py_XSETREF(self->next, Py_NewRef(next));
  Py_XSETREF(self->hook, Py_NewRef(hook));
  return 0;
}
static void Node_dealloc(Node* self) {
  Py_XDECREF(self->next);
  Py_XDECREF(self->hook);
  Py_TYPE(self)->tp_free((PyObject*)self);
}
static PyTypeObject NodeType = {.tp_init = (initproc)Node_init, .tp_dealloc = (destructor)Node_dealloc};
```

## How to fix it

Release the member with `Py_CLEAR` in the clear function, if the type has one, and call that from the dealloc function.

## What it does not report

- members that are released in one of both, by a helper, or by a macro
- members that only borrow their objects
- dealloc functions that pass the object to an unknown function or to the dealloc function of a base
- C++ structs with a destructor

## Known limitations

- The dealloc function is found by the name of its slot, or by its position in a record without names. A slot that is
  filled through a variable or a parameter is not found.
- A member that the clear function releases counts as released, even if the dealloc function does not call it.
- References in arrays and in structs inside the object are not tracked.

## Source

docs.python.org/3/extending/newtypes.html#finalization-and-de-allocation;
docs.python.org/3/c-api/typeobj.html#c.PyTypeObject.tp_dealloc.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, Step, because, rule, weaker
from ownlint_rules.c_api_references import _destroyed as destroyed


@rule(severity="error", cwe=(401, 911))
def dealloc_misses_member(program: Program) -> Iterator[Finding]:
    for one in destroyed.missed(program):
        name, store = one.member.name, one.store
        what = f"the objects in `{name}`" if one.is_container else f"`{name}`"
        certainty = because("unread-code", f"code that was not analysed could release `{name}`")
        if one.borrows:
            certainty = weaker(
                certainty, because("possible", f"`{name}` may hold what the object does not own as well")
            )
        yield one.function.finding(
            one.function.record.name_span,
            f"`{one.function.name}` does not release {what}, which the object owns",
            certainty=certainty,
            help=f"release each element of `{name}`" if one.is_container else f"add `Py_CLEAR(self->{name})`",
            steps=(
                Step(store.path, store.at, "a new reference is stored here"),
                one.cls.step(one.member, "declared here"),
            ),
        )
