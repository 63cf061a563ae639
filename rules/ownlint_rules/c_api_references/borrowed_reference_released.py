"""A borrowed reference is released.

`PyList_GetItem`, `PyDict_GetItem`, `PyTuple_GET_ITEM` and the arguments of a function lend their objects; what
`PyTuple_SetItem` has stolen belongs to the tuple. Who releases such a reference takes it from its owner: the object is
freed while the owner still points to it, and the crash comes later and elsewhere.

bad:

```cpp
static PyObject* Second(PyObject* self, PyObject* seq) {
  PyObject* one = PyList_GetItem(seq, 1);
  if (one == NULL) return NULL;
  PyObject* text = PyObject_Str(one);
  Py_DECREF(one);
  return text;
}
```

good:

```cpp
static PyObject* Second(PyObject* self, PyObject* seq) {
  PyObject* one = PyList_GetItem(seq, 1);
  if (one == NULL) return NULL;
  PyObject* text = PyObject_Str(one);
  return text;
}
```

Reported: a borrowed reference that is released without having been counted up, often in a `fail:` label that several
ways share; an argument of a function in a table of slots; a reference that was stolen before, on failure too
(`PyTuple_SetItem`, `PyList_SetItem`, `PyModule_Add`); one that is released twice.

Quiet: references that were counted up before on the same way; `PyModule_AddObject`, which steals nothing when it fails;
what is read out of a member, since its reference may be moved out; `Py_XDECREF` of NULL.

Limits: what other functions of the project do with their arguments is known as far as their bodies are simple.

Source: Appendix of docs.python.org/3/c-api: PyTuple_SetItem and PyList_SetItem "discard a reference on failure".
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, counting, events, places, references, rule, text

_SAYS = {
    "released borrowed": "borrowed reference `{}` is released here",
    "released given": "`{}` is released after its reference was stolen",
    "released twice": "`{}` is released twice",
}
_BECAUSE = {
    "released borrowed": "borrowed here",
    "released given": "the reference is stolen here, even if the call fails",
    "released twice": "first released here",
}


@rule(severity="error", cwe=(911, 416))
def borrowed_reference_released(function: Function) -> Iterator[Finding]:
    for one in counting.troubles(function):
        if one.what in _SAYS and not _counts_itself(function, one):
            reason = one.because if one.because is not None else one.site
            yield function.finding(
                one.at,
                _SAYS[one.what].format(one.name),
                certainty=because(
                    "sharing", one.reason or "harmless if this releases a reference that was acquired elsewhere"
                ),
                help="remove the release, or call `Py_INCREF` first",
                steps=(function.step(reason, _BECAUSE[one.what]),) if isinstance(reason, events.CallEvent) else (),
                cause=places.called(reason.node) if isinstance(reason, events.CallEvent) else "",
            )


def _counts_itself(function: Function, one: counting.CountTrouble) -> bool:
    """Whether an object releases the reference to itself that another of its functions has taken."""
    own = function.record.parameters[:1]
    if one.what != "released borrowed" or isinstance(one.site, events.CallEvent) or not own or one.name != own[0].name:
        return False
    known = references.references(function.program)
    return any(
        other.path == function.path
        and other is not function
        and references.may_count(other)
        and any(
            text(argument) in ("this", other.record.parameters[0].name if other.record.parameters else "")
            and known.use(call.node, index, other) == "retained"
            for call in other.flow.calls
            for index, argument in references.arguments(call.node)
        )
        for other in function.program.functions
    )
