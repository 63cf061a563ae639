"""The result of a call that can fail is used without a check for NULL.

## What it reports

- a result that can be NULL, unchecked on the path, in `Py_DECREF`, `Py_INCREF` or a macro that reads the object
- such a result passed to a function that reads it without a check (`PyDict_SetItem`, `PyTuple_Pack`,
  `PyObject_GetAttr`), or before `->`
- a variable that was found to be NULL just before, on a path that goes on to such a use
- a variable that is still NULL on a path to such a use, often in a shared `fail:` label
- what `lock()` of a weak pointer answers, used without a check

## Why it is a bug

A function of the C API returns NULL when it fails. These uses dereference the pointer at once, so the Python exception
turns into a crash.

## Example

bad:

```cpp
static PyObject* Pair(PyObject* a, PyObject* b) {
  PyObject* pair = PyTuple_New(2);
  Py_INCREF(a);
  PyTuple_SET_ITEM(pair, 0, a);
  Py_INCREF(b);
  PyTuple_SET_ITEM(pair, 1, b);
  return pair;
}
```

```text
case.cc:4: error: `pair` is passed to `PyTuple_SET_ITEM` without a check, but `PyTuple_New` can return NULL
  help: check it after the call of `PyTuple_New`: `if (pair == NULL) return NULL;`
```

good:

```cpp
static PyObject* Pair(PyObject* a, PyObject* b) {
  PyObject* pair = PyTuple_New(2);
  if (pair == NULL) return NULL;
  Py_INCREF(a);
  PyTuple_SET_ITEM(pair, 0, a);
  Py_INCREF(b);
  PyTuple_SET_ITEM(pair, 1, b);
  return pair;
}
```

## How to fix it

Check for NULL and return, or use `Py_XDECREF` in shared cleanup code.

## What it does not report

- `Py_XDECREF` and `Py_CLEAR`
- results that were checked, also through `PyErr_Occurred()`
- functions that raise for NULL
- items of a list or tuple whose size the function has checked

## Known limitations

- A check in a helper or a macro of the project counts as a check.

## Source

docs.python.org/3/c-api/exceptions.html; Py_DECREF: "The object must not be NULL".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Finding,
    Function,
    Step,
    assignments,
    because,
    counting,
    events,
    failure,
    places,
    questions,
    records,
    references,
    rule,
    text,
    trials,
    types,
    weak_pointers,
)

_SIZE = re.compile(r"size|len(?:gth)?(?![a-z])", re.IGNORECASE)

_MANY = 3

_ANSWERS = {"int": "-1", "void": "", "Py_ssize_t": "-1", "bool": "false"}
"""What a function of the C API returns on failure, by its type."""


@rule(severity="error", cwe=(476,))
def null_object_used(function: Function) -> Iterator[Finding]:
    told: set[tuple[int, str]] = set()
    for one in counting.troubles(function):
        if one.what != "null used" or (one.site.index, one.name) in told:
            continue
        told.add((one.site.index, one.name))
        if _is_within(function, one) or _may_be_there_anyway(function, one):
            continue
        made = places.called(one.site.node) if isinstance(one.site, events.CallEvent) and one.site is not one.at else ""
        does = "set it to" if isinstance(one.site, events.CallEvent) and _is_set_by(one, one.site.node) else "return"
        yield function.finding(
            one.at,
            _said(function, one),
            certainty=because("possible", trials.REASON)
            if trials.is_trial(function)
            else because("path", _where_it_fails(function, one)),
            help=_help(function, one),
            steps=(
                *_null_returned(function, one),
                *((function.step(one.site, f"`{made}` may {does} NULL here"),) if made else ()),
                *(
                    function.step(
                        link, f"`{assignments.spelled(function, link.place)}` is set to `{_value(link)}` here", "turn"
                    )
                    for link in _links(function, one)
                ),
                *(
                    (function.step(one.because, "this tests for NULL, but continues"),)
                    if one.because is not None
                    else ()
                ),
                *function.branch(one.at, one.site),
            ),
            cause=places.called(one.site.node) if isinstance(one.site, events.CallEvent) else "",
        )
    yield from _gone(function)


def _gone(function: Function) -> Iterator[Finding]:
    """The objects of weak pointers."""
    for one in weak_pointers.unchecked(function):
        made = text(one.made.node)
        does = f"`{made}` can answer with nothing" if one.name else "the object may be gone"
        alive = "harmless if something else keeps the object alive"
        yield function.finding(
            one.at,
            f"`{one.name or made}` is dereferenced without a check, but {does}",
            certainty=because("guess" if one.asked is None else "sharing", alive),
            help=f"check it first: `if ({one.name or f'auto object = {made}'})`",
            steps=(
                *((function.step(one.made, "this is empty once the object is gone"),) if one.name else ()),
                *((function.step(one.asked, "the function checks the answer here"),) if one.asked is not None else ()),
            ),
        )


def _result(one: counting.CountTrouble) -> str:
    """The local that gets what may be NULL; empty where none does, or the call sets it."""
    site = one.site
    if not isinstance(site, events.CallEvent) or site is one.at or site.into is None or len(site.into) != 1:
        return ""
    return site.into[0]


def _links(function: Function, one: counting.CountTrouble) -> tuple[events.Write, ...]:
    """The assignments by which what is used has what the call has returned, where that goes by another name."""
    result = _result(one)
    return assignments.renaming(function, result, one.name, one.site, one.at) if result not in ("", one.name) else ()


def _value(write: events.Write) -> str:
    value = places.strip(write.value)
    return text(value) if value is not None else ""


def _null_returned(function: Function, one: counting.CountTrouble) -> Iterator[Step]:
    """Where a function of the project returns NULL, as such."""
    if not isinstance(one.site, events.CallEvent) or one.site is one.at or _is_set_by(one, one.site.node):
        return
    for callee in function.program.calls.callee(one.site.node, function).functions[:1]:
        for leave in callee.flow.leaves:
            value = places.strip(leave.value)
            if isinstance(value, records.Literal) and value.kind == "null" and leave.index in callee.flow.reachable:
                yield callee.step(leave, f"`{callee.name}` returns NULL here", aside=True)
                return


def _is_written(function: Function, one: counting.CountTrouble) -> bool:
    """Whether NULL stands there as such, or as a macro that stands for it."""
    value = places.strip(one.where)
    return isinstance(value, records.Literal) or (
        one.site is one.at and isinstance(value, records.Name) and value.text not in function.declared
    )


def _said(function: Function, one: counting.CountTrouble) -> str:
    if _is_written(function, one) and isinstance(one.at, events.CallEvent):
        return f"NULL is passed to `{places.called(one.at.node)}`, which dereferences it"
    called = places.called(one.at.node) if isinstance(one.at, events.CallEvent) else ""
    used = f"is passed to `{called}`" if called else "is dereferenced"
    if one.because is not None:
        return f"`{one.name}` {used} even if it is NULL"
    if isinstance(one.site, events.CallEvent) and one.site is not one.at:
        does = "set it to" if _is_set_by(one, one.site.node) else "return"
        held = f"`{_result(one)}`" if _links(function, one) else ""
        named = f"{held}, as `{one.name}`," if held else f"`{one.name}`"
        return f"{named} {used} without a check, but `{places.called(one.site.node)}` can {does} NULL"
    return f"`{one.name}` {used} without a check, but it can still be NULL"


def _is_set_by(one: counting.CountTrouble, call: records.Call) -> bool:
    """Whether a call is given the address of what may be NULL, and does not answer with it."""
    given = map(places.strip, call.args)
    return any(isinstance(value, records.Unary) and text(value.value) == one.name for value in given)


def _help(function: Function, one: counting.CountTrouble) -> str:
    """The check, with the usual answer of a function of that type: after the call that can fail, not at the use."""
    if _is_written(function, one):
        return "pass a valid object"
    is_release = isinstance(one.at, events.CallEvent) and places.called(one.at.node) == "Py_DECREF"
    if is_release and not _is_used_elsewhere(function, one):
        return f"use `Py_XDECREF({one.name})`, which accepts NULL"
    if one.because is not None:
        return f"return where `{one.name}` is NULL"
    name = _result(one) if _links(function, one) else one.name
    if "(" in name:
        return "store the result in a variable, and check that for NULL before it is used"
    made = places.called(one.site.node) if isinstance(one.site, events.CallEvent) and one.site is not one.at else ""
    where = f"after the call of `{made}`" if made else "first"
    if label := _label_beside(function, one.at):
        return f"check it {where}, and exit as the other errors here do: `if ({name} == NULL) goto {label};`"
    result = types.parse(function.record.result)
    answer = "NULL" if result.pointers else _ANSWERS.get(result.name)
    if answer is None:
        return f"check it {where}: `if ({name} == NULL)`, and report the failure to the caller"
    leave = f"return{f' {answer}' if answer else ''};"
    owned = _owned_here(function, one)
    if len(owned) < _MANY:
        releases = "".join(f"Py_DECREF({each}); " for each in owned)
        body = f"{{ {releases}{leave} }}" if releases else leave
        return f"check it {where}: `if ({name} == NULL) {body}`"
    return f"check it {where}: if `{name}` is NULL, release what this function owns, then `{leave}`"


def _is_used_elsewhere(function: Function, one: counting.CountTrouble) -> bool:
    """Whether what may be NULL is used without a check at another place, too: then the check belongs to the call."""
    return any(
        other.what == "null used" and other.site is one.site and other.at is not one.at and other.because is None
        for other in counting.troubles(function)
    )


def _label_beside(function: Function, at: events.Event) -> str:
    """The label to which the next error exit jumps, or the last before `at` if none follows; empty where that
    returns."""
    start = at.span.start
    exits = sorted((one.at for one in failure.failures(function)), key=lambda exit: exit.span.start)
    nearest = next((exit for exit in exits if exit.span.start > start), exits[-1] if exits else None)
    leave = function.leave_at(nearest.span) if nearest is not None else None
    return leave.label if leave is not None else ""


def _owned_here(function: Function, one: counting.CountTrouble) -> list[str]:
    """The locals with a new reference that the function releases or returns only later."""
    known = references.references(function.program)
    own = {
        call.into[0]
        for call in function.flow.calls
        if call is not one.site and call.index < one.at.index and call.into is not None and len(call.into) == 1
        if known.source(call.node, function).kind == "new"
    } - {one.name}
    later: list[str] = []
    for event in function.flow.after(one.at) if own else ():
        given: list[records.Value | None] = []
        if isinstance(event, events.LeaveEvent):
            given = [event.value]
        elif isinstance(event, events.CallEvent):
            uses = ((value, known.use(event.node, at, function)) for at, value in references.arguments(event.node))
            given = [value for value, use in uses if use in ("released", "stolen", "stolen on success")]
        later += (name.text for name in map(places.strip, given) if isinstance(name, records.Name))
    return [name for name in dict.fromkeys(later) if name in own]


def _where_it_fails(function: Function, one: counting.CountTrouble) -> str:
    if _is_written(function, one):
        return "harmless if this code is never reached"
    if one.site is one.at:
        if one.because is None:
            return f"this happens only on a path that does not assign `{one.name}` first"
        return f"this happens only if `{one.name}` is NULL"
    if not isinstance(one.site, events.CallEvent):
        return ""
    called = places.called(one.site.node)
    if _is_set_by(one, one.site.node):
        return f"this happens only if `{called}` sets `{one.name}` to NULL"
    return f"`{called}` can return NULL"


def _may_be_there_anyway(function: Function, one: counting.CountTrouble) -> bool:
    """Whether a constant out of sight decides if there is anything to make: `PyLong_FromLong(VERSION_MAJOR)`."""
    known = references.references(function.program)
    made = one.site.node if isinstance(one.site, events.CallEvent) else None
    model = known.model(made, function) if made is not None else None
    return made is not None and model is not None and bool(known.depends_on(made, model, function))


def _is_within(function: Function, one: counting.CountTrouble) -> bool:
    """Whether the function has asked for the size of what it takes an item from: there is one at every place."""
    site = one.site
    if not isinstance(site, events.CallEvent) or len(site.node.args) != 2:
        return False
    measured = _measured(function).get(text(site.node.args[0]))
    return measured is not None and measured < site.index


@questions.flow_question
def _measured(function: Function) -> dict[str, int]:
    """What the function asks for its size, as it is written, with the index of the first call that does."""
    found: dict[str, int] = {}
    for call in function.flow.calls:
        if len(call.node.args) == 1 and _SIZE.search(places.last_name(call.node.callee)) is not None:
            found.setdefault(text(call.node.args[0]), call.index)
    return found
