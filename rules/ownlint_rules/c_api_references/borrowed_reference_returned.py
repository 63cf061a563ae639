"""A borrowed reference is returned where the caller expects a new one.

## What it reports

- in a function of a method table or a type slot, the return of an argument, a member, a global, a library object
  (`Py_None`) or a borrowed result without an increment
- the return of a reference that was given up before, on either side of a `c ? a : b`
- in the `cast` of a custom `type_caster`, a static or member `object`, or the `ptr()` of a temporary

## Why it is a bug

The caller of such a function releases its result. A borrowed object needs a reference of its own for that. Without it
every call takes one from the owner, and after some calls the object is freed while it is in use.

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
  help: call `Py_INCREF(self->name)` before returning it
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

Call `Py_INCREF` before the return, or return `Py_NewRef(x)`. In a caster, return the result of `release()` or
`inc_ref()`.

## What it does not report

- objects that were incremented on the path
- `Py_RETURN_NONE` and similar macros
- a member whose reference is moved out (`self->name = NULL` before the return)
- functions in no table, whose contract is not known

## Known limitations

- `None`, `True` and `False` are immortal since Python 3.12; returning them borrowed is harmless there, but not in
  earlier versions.

## Source

docs.python.org/3/c-api/structures.html#c.PyCFunction: "returns a new reference"; pybind11 documentation, "Custom type
casters". Run on pybind11 2.13.6: each call of a function whose caster answers its static `str` takes one reference from
it, until it is freed in use.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    because,
    casters,
    counting,
    events,
    places,
    references,
    rule,
    text,
    weaker,
)
from ownlint import records as r

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
            certainty=weaker(one.doubt("sharing", _OWNED_ELSEWHERE), _as_stored(function, one)),
            help=f"call `Py_INCREF({said})` before returning it",
            steps=(function.step(one.because, "the reference is given up here"),)
            if isinstance(one.because, events.CallEvent)
            else counting.borrowed_at(function, one),
        )
    for value in casters.lent(function):
        yield function.finding(
            value,
            f"`{text(value, 60)}` is returned as a borrowed reference, but the caller of "
            f"`{function.name}` expects a new one",
            certainty=because("sharing", _OWNED_ELSEWHERE),
            help="return the result of `release()` or `inc_ref()`",
        )


def _as_stored(function: Function, one: counting.CountTrouble) -> Certainty:
    """A new object has its only reference in the member it was stored in, unless that just refers back to it: nothing
    releases it there."""
    returned = places.strip(one.where)
    if not isinstance(returned, r.Name) or not isinstance(one.site, events.CallEvent):
        return "certain"
    stores = [
        (write.place, write.target)
        for write in function.flow.writes
        if isinstance(write.target, r.Member) and places.last_name(places.strip(write.value)) == returned.text
    ]
    if not stores or any(where[-1] in references.owning_places(function.program) for where, _ in stores):
        return "certain"
    return because("intent", f"harmless if `{text(stores[0][1])}` does not own a reference: nothing releases it")
