"""A borrowed reference is stored in a member or a global that owns its reference.

The arguments of a function from a table of slots, what `PyArg_ParseTuple` fills in with `O`, and the items that a list
or a dict lends belong to somebody else. Who keeps such an object longer than the call needs a reference of his own:
without it the member points to freed memory as soon as the caller lets go, and the release in `tp_dealloc` takes away
a reference that was never there.

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

Reported: an argument of a function in a table of slots (`PyMethodDef`, `PyGetSetDef`, `PyTypeObject` and the like), an
object that was parsed out of the arguments, or an item that a container lends, that is assigned to a global, a static
local or a member behind `->` and not counted up before or after, on the same way. Of a member, and of an item that was
lent, it is asked that some function of the project releases what stands there.

Quiet: `Py_NewRef`, `Py_INCREF` of the object or of the member; a member that is put back before the function returns;
members that nobody releases, which may look at an owner on purpose; what is put into an array or behind a pointer.

Limits: places are told apart by their last names.

Source: docs.python.org/3/extending/extending.html#calling-python-functions-from-c.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, counting, events, references, rule, text
from ownlint_rules.c_api_references import _owned_places as owned_places


@rule(severity="error", cwe=(911,))
def borrowed_reference_stored(function: Function) -> Iterator[Finding]:
    for one in counting.troubles(function):
        if one.what != "stored borrowed" or not isinstance(one.at, events.Write):
            continue
        if (_is_lent(function, one) or len(one.at.place) > 1) and not owned_places.owns(function, one.at.place):
            continue
        said = text(one.at.target) if one.at.target is not None else one.at.place[-1]
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
