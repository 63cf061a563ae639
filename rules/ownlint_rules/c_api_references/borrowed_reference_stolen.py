"""A borrowed reference is passed to a call that steals it.

## What it reports

- `.ptr()` of an object that owns its reference, or the result of a call that returns a borrowed reference, as an
  argument that is stolen
- `steal`, `reinterpret_steal` and `handle<>` without `borrowed` around such an expression
- a local, an argument or a library object (`Py_None`) that is stolen without an increment on the path

## Why it is a bug

`PyTuple_SetItem`, `PyList_SET_ITEM` and `PyModule_AddObject` steal the reference they are given, and `steal` releases
it later. A borrowed reference already has an owner: it is released twice, and the object is freed while it is in use.

## Example

bad:

```cpp
PyObject* Wrapped(const py::str& name) {
  PyObject* one = PyTuple_New(1);
  if (one == nullptr) return nullptr;
  PyTuple_SET_ITEM(one, 0, name.ptr());
  return one;
}
```

```text
case.cc:4: error: `PyTuple_SET_ITEM` steals the borrowed reference `name.ptr()`
  help: call `Py_INCREF` before passing it
```

good:

```cpp
PyObject* Wrapped(const py::str& name) {
  PyObject* one = PyTuple_New(1);
  if (one == nullptr) return nullptr;
  PyTuple_SET_ITEM(one, 0, name.inc_ref().ptr());
  return one;
}
```

## How to fix it

Call `Py_INCREF` before passing the object, pass `Py_NewRef(x)` or `x.release().ptr()`, or use `borrow` in place of
`steal`. `--fix` makes the change where the borrowed reference is written in the call.

## What it does not report

- `.release().ptr()`, `.inc_ref().ptr()`, `Py_NewRef(...)`
- a `Py_INCREF` on the same path
- handles whose ownership is not known

## Known limitations

- An object read from a member is not reported: its reference may be moved out.

## Source

docs.python.org/3/c-api/tuple.html#c.PyTuple_SetItem "steals a reference".
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Edit,
    Finding,
    Fix,
    Function,
    Span,
    because,
    counting,
    events,
    places,
    records,
    references,
    rule,
    text,
)

_DROPPED = "harmless if the owner gives up its reference"


@rule(severity="error", cwe=(911,), fixable=True)
def borrowed_reference_stolen(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or not references.may_count(function):
        return
    known = references.references(function.program)
    told = {one.at.index for one in counting.troubles(function) if one.what == "stored borrowed"}
    for event in function.flow.calls:
        for index, argument in references.arguments(event.node):
            source = known.source(argument, function)
            if source.kind != "borrowed" or source.call is None:
                continue
            if counting.use_of(event.node, index, function) not in ("stolen", "stolen on success"):
                continue
            if event.index in told:
                continue  # it replaces what a member holds: told of what is stored there
            told.add(event.index)
            if text(argument) in references.counted_for_another(function):
                continue
            yield function.finding(
                argument,
                f"`{places.called(event.node)}` steals the borrowed reference `{text(argument)}`",
                certainty="certain" if known.use(event.node, index, function) else because("sharing", _DROPPED),
                help="call `Py_INCREF` before passing it",
                fix=_fix(function, known, event.node, source),
            )
    for one in counting.troubles(function):
        if one.what == "stolen borrowed" and one.at.index not in told and not _is_put_back(function, one.at):
            yield function.finding(
                one.where if one.where is not None else one.at,
                f"borrowed reference `{one.name}` is stolen here",
                certainty=because("sharing", _DROPPED),
                help=f"call `Py_INCREF({one.name})` first",
                steps=counting.borrowed_at(function, one),
            )


def _is_put_back(function: Function, at: events.Event) -> bool:
    """Whether the same place gets another object before the function is left: the borrowed one is there for a while."""
    if not isinstance(at, events.CallEvent) or len(at.node.args) < 3:
        return False
    place = [text(argument) for argument in at.node.args[:-1]]
    return any(
        call.index > at.index
        and places.last_name(call.node.callee) == places.last_name(at.node.callee)
        and [text(argument) for argument in call.node.args[:-1]] == place
        and text(call.node.args[-1]) != text(at.node.args[-1])
        for call in function.flow.calls
    )


def _fix(
    function: Function, known: references.References, call: records.Call, source: references.ReferenceSource
) -> Fix | None:
    """`steal` becomes `borrow`; `o.ptr()` counts up first."""
    model = known.model(call, function)
    if model is not None and model.has("own", "result"):
        if not model.replaced_by or not isinstance(call.callee, records.Name):
            return None
        old, new = places.last_name(call.callee), model.replaced_by.rpartition("::")[2]
        start = call.callee.start + len(call.callee.text.encode()) - len(old.encode())
        return Fix(
            f"borrow the reference with `{new}`",
            (Edit(function.path, Span(start, start + len(old.encode())), new),),
            safe=True,
        )
    asked = source.call
    if asked is None or not isinstance(asked.callee, records.Member) or asked.callee.arrow:
        return None
    way = "release" if isinstance(asked.callee.base, records.Call) else "inc_ref"
    at = asked.callee.base.end
    return Fix(f"transfer a reference with `.{way}()`", (Edit(function.path, Span(at, at), f".{way}()"),))
