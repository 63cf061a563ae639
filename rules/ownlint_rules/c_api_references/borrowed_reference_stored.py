"""A borrowed reference is stored in a member or a global that owns its reference.

## What it reports

- an argument of a function in a method table (`PyMethodDef`, `PyGetSetDef`, `PyTypeObject`) that is stored in a global,
  a static or a member without an increment, also by `Py_SETREF` and `Py_XSETREF`
- an object filled in by `PyArg_ParseTuple` (`O`) that is stored likewise
- an item that a list or a dict lends, where some function of the project releases the member
- an argument of such a function, its object included, that is stored in a new object which it returns, and which
  nothing else is given

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
case.cc:5: error: `given` is stored in `callback` without a strong reference: it dangles once the object is freed
  help: store `Py_NewRef(given)`, and release the previous value: `Py_XSETREF(callback, Py_NewRef(given))`
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

Store a new reference (`Py_NewRef`, or `Py_XNewRef` if it can be NULL), and release it in `tp_dealloc`.

## What it does not report

- `Py_NewRef`, and `Py_INCREF` of the object or of the member
- a member that is restored before the function returns
- other members that are never released, which may borrow on purpose
- elements of arrays and pointer targets
- the object that `tp_dealloc` frees, as in a free list

## Known limitations

- Members are distinguished by their last name only.

## Source

docs.python.org/3/extending/extending.html#calling-python-functions-from-c.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, assignments, because, counting, events, places, records, references, rule, text
from ownlint_rules.c_api_references import _borrows as borrows


@rule(severity="error", cwe=(911,), yields_to=("handle-without-owner",))
def borrowed_reference_stored(function: Function) -> Iterator[Finding]:
    for one in counting.troubles(function):
        if one.what != "stored borrowed" or not isinstance(one.at, events.Write | events.CallEvent):
            continue
        where = one.at.place if isinstance(one.at, events.Write) else assignments.place(function, one.where)
        if where is None or _is_being_freed(function, one):
            continue
        may_borrow = where[-1] not in references.owning_places(function.program)
        if may_borrow and (
            borrows.is_lent(function, one.site) or (len(where) > 1 and not _is_in_result(function, where[0]))
        ):
            continue
        said = text(one.where) if one.where is not None else where[-1]
        given = _given(one.at)
        shown = _shown(given) or one.name
        subject = f"the result of `{shown}`" if isinstance(given, records.Call) else f"`{shown}`"
        yield function.finding(
            one.at,
            f"{subject} is stored in `{said}` without a strong reference: it dangles once the object is freed",
            certainty=because(
                "sharing", f"harmless if something else keeps the object alive for as long as `{said}` is used"
            ),
            help=_help(function, one, given, said, may_borrow),
            steps=borrows.steps(function, one.site, shown),
        )


def _given(at: events.Write | events.CallEvent) -> records.Value | None:
    """What is stored."""
    return places.strip(at.value if isinstance(at, events.Write) else at.node.args[-1])


def _shown(given: records.Value | None) -> str:
    return places.called(given) if isinstance(given, records.Call) else text(given) if given is not None else ""


def _help(
    function: Function, one: counting.CountTrouble, given: records.Value | None, said: str, may_borrow: bool
) -> str:
    """`may_borrow`: no function releases what is stored there."""
    owned = (
        f"`Py_{'X' if _may_be_null(function, given) else ''}NewRef({text(given) if given is not None else one.name})`"
    )
    if isinstance(one.at, events.CallEvent):
        return f"pass {owned}"
    if isinstance(one.where, records.Member):
        return f"store {owned}" + (f", and release it in the deallocator: `Py_CLEAR({said})`" if may_borrow else "")
    return f"store {owned}, and release the previous value: `Py_XSETREF({said}, {owned.strip('`')})`"


def _may_be_null(function: Function, given: records.Value | None) -> bool:
    """Whether it may be NULL: a call can fail, an optional argument be missing, and a setter be called to delete."""
    if not isinstance(given, records.Name):
        return not isinstance(given, records.Member)
    initial = places.strip(function.locals.get(given.text, ("", None))[1])
    optional = isinstance(initial, records.Literal)
    return optional or (function.record.result == "int" and given.text in function.parameter_names)


def _is_being_freed(function: Function, one: counting.CountTrouble) -> bool:
    """Whether it is the object that a slot gets to free it, as `tp_dealloc`: no reference to it is left."""
    alone = len(function.record.parameters) == 1 and function.record.result == "void"
    return alone and not isinstance(one.site, events.CallEvent)


def _is_in_result(function: Function, name: str) -> bool:
    """Whether it is stored in an object that the function makes and returns, and that nothing else is given: who has
    the object need not have what it points to."""
    if name not in function.locals:
        return False
    returned = [
        event.value for event in function.flow if isinstance(event, events.LeaveEvent) and event.kind == "return"
    ]
    if not any(places.is_name(value, name) for value in returned):
        return False
    handed = any(
        len(call.node.args) > 1 and any(places.is_name(argument, name) for argument in call.node.args)
        for call in function.flow.calls
    )
    kept = any(
        (len(write.place) > 1 or write.place[0] not in function.locals) and places.is_name(write.value, name)
        for write in function.flow.writes
    )
    made = [write.value for write in function.flow.writes if write.place == (name,)]
    return (
        not handed
        and not kept
        and all(isinstance(places.strip(value), records.Call | records.Literal) for value in made)
    )
