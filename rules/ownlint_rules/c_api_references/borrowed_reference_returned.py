"""A borrowed reference is returned where the caller expects a new one.

## What it reports

- in a function that a table of slots names (`PyMethodDef`, `PyGetSetDef`, `PyTypeObject`, `PyType_Slot`, the tables of
  number, sequence and mapping methods), or that is written as the manual writes such a function (`PyObject *self,
  PyObject *args`), the return of an argument, a member, a global, a library's object (`Py_None`, `Py_NotImplemented`),
  a borrowed result, or a reference that was given away before
- either side of a `c ? a : b`, and an element of the array of arguments. The same in the `cast` (nanobind: `from_cpp`)
  of a custom `type_caster`, whose caller takes the result over too
- there also a static or member `object`, which turns into a handle without a count, and the `ptr()` of what Python has
  just answered.

## Why it is a bug

Whoever calls a function from a `PyMethodDef`, a getter or a `tp_*` slot releases what it answers. A borrowed object,
an argument, a member of `self` or `Py_None` needs a reference for that: without it every call takes one from the
owner, and after some calls the object is freed in use.

## Example

bad:

```cpp
struct Thing {
  PyObject_HEAD
  int size;
  PyObject* name;
};
static PyObject* Thing_name(Thing* self, void*) { return self->name; }
static PyGetSetDef things[] = {{"name", (getter)Thing_name, NULL, NULL, NULL}, {NULL}};
```

```text
case.cc:6: error: `self->name` is returned, but `Thing_name` does not own a reference to it
  help: call `Py_INCREF` before returning it
```

good:

```cpp
struct Thing {
  PyObject_HEAD
  int size;
  PyObject* name;
};
static PyObject* Thing_name(Thing* self, void*) {
  Py_INCREF(self->name);
  return self->name;
}
static PyGetSetDef things[] = {{"name", (getter)Thing_name, NULL, NULL, NULL}, {NULL}};
```

## How to fix it

Call `Py_INCREF` before returning it.

## What it does not report

- what was counted up on the way
- `Py_RETURN_NONE` and its relatives
- a member whose reference is moved out (`self->name = NULL` before the return)
- functions in no table, whose contract nobody states.

## Known limitations

- `None`, `True` and `False` are immortal since Python 3.12, and returning them borrowed then does no harm
- it does on every version before.

## Source

docs.python.org/3/c-api/structures.html#c.PyCFunction: "returns a new reference"; pybind11 documentation, "Custom type
casters". Run on pybind11 2.13.6: each call of a function whose caster answers its static `str` takes one reference from
it, until it is freed in use.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, casters, counting, events, rule, text

_OWNED_ELSEWHERE = "harmless if this transfers a reference that was acquired elsewhere"


@rule(severity="error", cwe=(911,))
def borrowed_reference_returned(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in counting.troubles(function):
        if one.what != "returned borrowed" or one.at.index in told:
            continue
        told.add(one.at.index)
        said = text(one.where) if one.where is not None else one.name
        yield function.finding(
            one.at,
            f"`{said}` is returned, but `{function.name}` does not own a reference to it",
            certainty=because("sharing", one.reason or _OWNED_ELSEWHERE),
            help="call `Py_INCREF` before returning it",
            steps=(function.step(one.because, "the reference is given up here"),)
            if isinstance(one.because, events.CallEvent)
            else (),
        )
    for value in casters.lent(function):
        yield function.finding(
            value,
            f"`{text(value, 60)}` is returned as a borrowed reference, but the caller of "
            f"`{function.name}` expects a new one",
            certainty=because("sharing", _OWNED_ELSEWHERE),
            help="return the result of `release()` or `inc_ref()`",
        )
