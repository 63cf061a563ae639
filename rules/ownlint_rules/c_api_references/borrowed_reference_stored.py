"""A borrowed reference is stored in a member or a global that owns its reference.

## What it reports

- an argument of a function in a method table (`PyMethodDef`, `PyGetSetDef`, `PyTypeObject`) that is stored in a global,
  a static or a member without an increment, also by `Py_SETREF` and `Py_XSETREF`
- an object filled in by `PyArg_ParseTuple` (`O`) that is stored likewise
- an item that a list or a dict lends, where some function of the project releases the member

## Why it is a bug

These objects belong to someone else. Without a reference of its own the member points to freed memory as soon as the
caller drops its reference, and the release in `tp_dealloc` takes a reference that was never acquired.

## Example

bad:

```cpp
static PyObject* callback = NULL;
static PyObject* set_callback(PyObject* module, PyObject* args) {
  PyObject* given;
  if (!PyArg_ParseTuple(args, "O", &given)) return NULL;
  callback = given;
  Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"set_callback", set_callback, METH_VARARGS, NULL}};
```

```text
case.cc:5: error: `callback` stores an object that `set_callback` only borrows
  help: call `Py_INCREF` when storing it
```

good:

```cpp
static PyObject* callback = NULL;
static PyObject* set_callback(PyObject* module, PyObject* args) {
  PyObject* given;
  if (!PyArg_ParseTuple(args, "O", &given)) return NULL;
  Py_INCREF(given);
  Py_XDECREF(callback);
  callback = given;
  Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"set_callback", set_callback, METH_VARARGS, NULL}};
```

## How to fix it

Call `Py_INCREF` (or `Py_NewRef`) when the object is stored.

## What it does not report

- `Py_NewRef`, and `Py_INCREF` of the object or of the member
- a member that is restored before the function returns
- members that are never released, which may borrow on purpose
- elements of arrays and pointer targets

## Known limitations

- Members are distinguished by their last name only.

## Source

docs.python.org/3/extending/extending.html#calling-python-functions-from-c.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, assignments, because, counting, events, references, rule, text


@rule(severity="error", cwe=(911,))
def borrowed_reference_stored(function: Function) -> Iterator[Finding]:
    for one in counting.troubles(function):
        if one.what != "stored borrowed" or not isinstance(one.at, events.Write | events.CallEvent):
            continue
        where = one.at.place if isinstance(one.at, events.Write) else assignments.place(function, one.where)
        if where is None:
            continue
        if (_is_lent(function, one) or len(where) > 1) and where[-1] not in references.owning_places(function.program):
            continue
        said = text(one.where) if one.where is not None else where[-1]
        yield function.finding(
            one.at,
            f"`{said}` stores an object that `{function.name}` only borrows",
            certainty=because(
                "sharing", f"harmless if something else keeps the object alive for as long as `{said}` is used"
            ),
            help="call `Py_INCREF` when storing it",
            steps=(function.step(one.site, "borrowed here"),) if isinstance(one.site, events.CallEvent) else (),
        )


def _is_lent(function: Function, one: counting.CountTrouble) -> bool:
    """Whether a container lends it: not who called the function."""
    if not isinstance(one.site, events.CallEvent):
        return False
    model = references.references(function.program).model(one.site.node, function)
    return model is None or not model.format_lends
