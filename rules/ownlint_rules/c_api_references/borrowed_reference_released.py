"""A borrowed reference is released.

## What it reports

- a borrowed reference that is released without an increment, often in a `fail:` label that several paths share
- an argument of a function in a method table that is released
- a reference that was stolen before, also by a call that failed (`PyTuple_SetItem`, `PyList_SetItem`, `PyModule_Add`),
  or that is released twice

## Why it is a bug

`PyList_GetItem`, `PyDict_GetItem` and the arguments of a function are borrowed: their container or caller owns the
reference. Releasing one takes the reference of its owner. The object is freed while the owner still points to it, and
the process crashes later, somewhere else.

## Example

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

```text
case.cc:5: error: borrowed reference `one` is released here
  help: remove the release, or call `Py_INCREF` first
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

## How to fix it

Remove the release, or call `Py_INCREF` when the object is obtained.

## What it does not report

- references that were incremented on the same path
- `PyModule_AddObject`, which does not steal if it fails
- objects read from a member, whose reference may be moved out
- `Py_XDECREF` of NULL

## Known limitations

- What other functions of the project do with their arguments is known only if their bodies are simple.

## Source

Appendix of docs.python.org/3/c-api: PyTuple_SetItem and PyList_SetItem "discard a reference on failure".
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, counting, events, memory, places, references, rule, text

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
    told: set[int] = set()
    for one in counting.troubles(function):
        if one.what in _SAYS and not _counts_itself(function, one):
            told.add(one.at.index)
            reason = one.because if one.because is not None else one.site
            yield function.finding(
                one.at,
                _SAYS[one.what].format(one.name),
                certainty=one.doubt("sharing", "harmless if this releases a reference that was acquired elsewhere"),
                help="remove the release, or call `Py_INCREF` first",
                steps=(function.step(reason, _BECAUSE[one.what]),) if isinstance(reason, events.CallEvent) else (),
                cause=places.called(reason.node) if isinstance(reason, events.CallEvent) else "",
            )
    for end in memory.reference_troubles(function, "ended again"):
        if end.at.index not in told:
            told.add(end.at.index)
            yield function.finding(
                end.at,
                _SAYS["released twice"].format(end.name),
                certainty=memory.certainty(end),
                help="remove the release, or call `Py_INCREF` first",
                steps=(function.step(function.flow.events[end.ended.at], memory.told_end(end)),),
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
