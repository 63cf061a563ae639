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
case.cc:5: error: `one` is released, but it is a borrowed reference: its owner releases it again
  help: remove `Py_DECREF(one)`, or call `Py_INCREF(one)` first if this function must own a reference
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

from ownlint import Finding, Function, Step, counting, events, memory, places, references, rule, text
from ownlint_rules.c_api_references import _borrows as borrows

_TWICE = "`{}` is released again after its reference was released"


@rule(severity="error", cwe=(911, 416))
def borrowed_reference_released(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in counting.troubles(function):
        if one.what not in ("released borrowed", "released given", "released twice") or _counts_itself(function, one):
            continue
        told.add(one.at.index)
        reason = one.because if one.because is not None else one.site
        message, help = _said(function, one, reason)
        harmless = f"harmless if this releases a reference to `{one.name}` that was acquired elsewhere"
        if one.name in function.parameter_names:
            harmless = f"harmless if the caller transfers its reference to `{one.name}`"
        yield function.finding(
            one.at,
            message,
            certainty=function.on_jump(one.doubt("sharing", harmless), reason, one.at),
            help=help,
            steps=_steps(function, one, reason),
            cause=places.called(reason.node) if isinstance(reason, events.CallEvent) else "",
        )
    for end in memory.reference_troubles(function, "ended again"):
        if end.at.index not in told:
            told.add(end.at.index)
            first = function.flow.events[end.ended.at]
            yield function.finding(
                end.at,
                _TWICE.format(end.name),
                certainty=memory.certainty(end),
                help=_once(function, end.name, first, end.at),
                steps=(function.step(first, memory.told_end(end)), *function.jump(first, end.at)),
            )


def _said(function: Function, one: counting.CountTrouble, reason: events.Event) -> tuple[str, str]:
    """The message and the help."""
    release = text(one.at.node) if isinstance(one.at, events.CallEvent) else "the release"
    if one.what == "released twice":
        return _TWICE.format(one.name), _once(function, one.name, reason, one.at)
    if one.what == "released given":
        stolen = f"`{places.called(reason.node)}` stole its reference" if isinstance(reason, events.CallEvent) else ""
        message = f"`{one.name}` is released after {stolen or 'its reference was stolen'}"
        return message, f"remove `{release}`, or set `{one.name}` to NULL after the call"
    message = f"`{one.name}` is released, but it is a borrowed reference: its owner releases it again"
    acquire = f"call `Py_{_x(one.at)}INCREF({one.name})`" if "Py_" in release else "acquire a reference"
    if one.reason and function.jump(reason, one.at):  # other paths may own a reference there
        message = f"`{one.name}` is released, but on this path it is a borrowed reference: its owner releases it again"
        return message, f"{acquire} before this `goto`, or jump to a label after this release"
    return message, f"remove `{release}`, or {acquire} first if this function must own a reference"


def _once(function: Function, name: str, first: events.Event, again: events.Event) -> str:
    """How it is released once; a release that accepts NULL finds NULL after `Py_CLEAR`."""
    accepts = _x(again) or any(
        any(places.is_name(v, name) for v in places.walk(t.value)) for t, _ in function.flow.guards(again)
    )
    called = places.called(first.node) if isinstance(first, events.CallEvent) else ""
    if accepts and called in ("Py_DECREF", "Py_XDECREF"):
        return f"use `Py_CLEAR({name})` for the first release"
    return f"remove one of the two releases of `{name}`"


def _x(release: events.Event) -> str:
    """`X` where the release accepts NULL."""
    called = places.called(release.node) if isinstance(release, events.CallEvent) else ""
    return "X" if called in ("Py_XDECREF", "Py_CLEAR") else ""


def _steps(function: Function, one: counting.CountTrouble, reason: events.Event) -> tuple[Step, ...]:
    """Why there is no reference to release, and how control comes from there."""
    if one.what == "released borrowed":
        jump = function.jump(reason, one.at) if one.reason else ()
        return (*borrows.steps(function, reason, one.name), *jump)
    if not isinstance(reason, events.CallEvent):
        return ()
    called = places.called(reason.node)
    stolen = f"`{called}` steals the reference here{'' if called.endswith('SET_ITEM') else ', even if it fails'}"
    says = f"`{one.name}` is first released here" if one.what == "released twice" else stolen
    return (function.step(reason, says), *function.jump(reason, one.at))


def _counts_itself(function: Function, one: counting.CountTrouble) -> bool:
    """Whether an object releases the reference to itself that another of its functions has taken."""
    own = function.record.parameters[:1]
    if one.what != "released borrowed" or isinstance(one.site, events.CallEvent) or not own or one.name != own[0].name:
        return False
    known = references.references(function.program)
    return any(
        other is not function
        and references.may_count(other)
        and any(
            text(argument) in ("this", other.record.parameters[0].name if other.record.parameters else "")
            and known.use(call.node, index, other) == "retained"
            for call in other.flow.calls
            for index, argument in references.arguments(call.node)
        )
        for other in function.program.functions_in(function.path)
    )
