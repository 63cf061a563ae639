"""A new reference is created that can never be released.

## What it reports

- a new reference as a direct argument of a function that does not steal it (`PyList_Append`, `PyDict_SetItem`,
  `PyTuple_Pack`, `PyObject_Call*`, `"O"` of `Py_BuildValue`)
- a new reference in `reinterpret_borrow` or `nb::borrow`, which add a second one
- a new reference that is only compared with NULL or discarded, and a discarded `release()`, also of a class of the
  project that owns a reference

## Why it is a bug

The caller of a function that returns a new reference has to release it once. Without a variable that holds it, this is
impossible: the object leaks each time the code runs.

## Example

bad:

```cpp
static int Fill(PyObject* list, long n) {
  for (long i = 0; i < n; ++i) {
    if (PyList_Append(list, PyLong_FromLong(i)) < 0) return -1;
  }
  return 0;
}
```

```text
case.cc:3: error: the new reference returned by `PyLong_FromLong` leaks: `PyList_Append` does not steal it
  help: store it in a variable, check it for NULL, and call `Py_DECREF` after the call
```

good:

```cpp
static int Fill(PyObject* list, long n) {
  for (long i = 0; i < n; ++i) {
    PyObject* item = PyLong_FromLong(i);
    if (item == nullptr) return -1;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    if (failed < 0) return -1;
  }
  return 0;
}
```

## How to fix it

Store the result in a variable and release it after the call. For `borrow`, use `steal` (`reinterpret_steal`): `--fix`
does that.

## What it does not report

- arguments that are stolen, released (`Py_XDECREF(PyObject_CallMethod(...))`) or passed to an owner
- functions and macros of the project that release the argument
- a discarded `release()` with a comment next to it

## Known limitations

- What a function of the project does with such an argument is not analysed.
- A reference in a local variable is reported by `reference-leaked`.

## Source

docs.python.org/3/c-api/intro.html#reference-count-details; the shape stands in the bug trackers of most extensions.
MLIR's Python bindings had `borrow` around a new reference in ten releases.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Edit,
    Finding,
    Fix,
    Function,
    Span,
    because,
    counting,
    entrances,
    events,
    places,
    records,
    references,
    rule,
    tempered,
    text,
    weaker,
)
from ownlint_rules.c_api_references import _uncounted as uncounted

_COMPARES = frozenset({"==", "!=", "<", ">"})
_ONCE: Certainty = because("long-run", "the module is initialised once in a process")


@rule(severity="error", cwe=(401, 911), fixable=True)
def new_reference_unowned(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or not references.may_count(function):
        return
    known = references.references(function.program)
    for event in function.flow.calls:
        yield from _in_arguments(function, known, event.node)
        if event.dropped and event.dropped != "ignore":
            yield from _dropped(function, known, event)
    for test in function.flow:
        if isinstance(test, events.Test):
            yield from _forgotten(function, known, test)


def _in_arguments(function: Function, known: references.References, call: records.Call) -> Iterator[Finding]:
    for index, argument in references.arguments(call):
        source = known.source(argument, function)
        kept = known.kept_anyway(source, function)
        maker = source.call if source.kind == "new" else None
        if maker is None and isinstance(argument, records.Call) and counting.hands_out_new(argument, function):
            maker = argument
        if maker is None or _is_released_by_name(function, known, call, maker):
            continue
        made = places.last_name(maker.callee)
        to = places.last_name(call.callee)
        use = known.use(call, index, function)
        model = known.model(call, function)
        if use == "passed on" and model is not None and model.has("retain", f"argument {index + 1}"):
            use = "retained"
        match use:
            case "borrowed by an owner":
                yield function.finding(
                    argument,
                    f"`{made}` returns a new reference, and `{to}` adds another: the first one is never released",
                    certainty=kept,
                    help="steal the new reference instead of borrowing it",
                    fix=_swapped(function, known, call),
                    cause=f"{made}, {to}",
                )
            case "lent" | "retained":
                yield function.finding(
                    argument,
                    f"the new reference returned by `{made}` leaks: `{to}` does not steal it",
                    certainty=weaker(
                        because("unread-code", f"harmless if what `{to}` creates from it releases it")
                        if call.template
                        else "certain",
                        weaker(kept, _ONCE if entrances.runs_at_import(function) else "certain"),
                    ),
                    help="store it in a variable, check it for NULL, and call `Py_DECREF` after the call",
                    cause=f"{made}, {to}",
                )


def _is_released_by_name(
    function: Function, known: references.References, call: records.Call, maker: records.Call
) -> bool:
    """`f(Py_NewRef(x));` and then `Py_DECREF(x);`: the new reference is one more to the same object."""
    model = known.model(maker, function)
    counted = places.strip(maker.args[0]) if model is not None and model.has("retain", "argument 1") else None
    if not isinstance(counted, records.Name):
        return False
    return any(
        known.use(event.node, index, function) in ("released", "stolen") and places.is_name(argument, counted.text)
        for event in function.flow.calls
        if event.node.start > call.start
        for index, argument in references.arguments(event.node)
    )


def _swapped(function: Function, known: references.References, call: records.Call) -> Fix | None:
    model = known.model(call, function)
    if model is None or not model.replaced_by or not isinstance(call.callee, records.Name):
        return None
    old, new = places.last_name(call.callee), model.replaced_by.rpartition("::")[2]
    start = call.callee.start + len(call.callee.text.encode()) - len(old.encode())
    edit = Edit(function.path, Span(start, start + len(old.encode())), new)
    return Fix(f"steal the reference with `{new}`", (edit,), safe=True)


def _dropped(function: Function, known: references.References, event: events.CallEvent) -> Iterator[Finding]:
    source = known.source(event.node, function)
    name = places.last_name(event.node.callee)
    if isinstance(event.node.callee, records.Member) and counting.hands_out_new(event.node, function):
        yield from _given_up(function, known, event)
        return
    if source.kind != "new" or source.call is not event.node or source.model is None:
        return
    if source.model.has("retain", "receiver") or source.model.has("retain", "argument 1"):
        return  # counts up on purpose: the owned-locals walk knows who counts down
    if source.model.has("disown", "receiver"):
        if function.has_comment_near(event.span) or _is_on_purpose(function, event.node):
            return
        if isinstance(event.node.callee, records.Member) and uncounted.ends_itself(function, event.node.callee.base):
            return
        said = f"`{name}` gives up ownership and its result is ignored: the reference leaks"
    else:
        said = f"the new reference returned by `{name}` is ignored and leaks"
    yield function.finding(
        event.span,
        said,
        certainty=tempered(
            _if_forgotten(function, known, source),
            because("intent", "harmless if it is meant to live until the process exits"),
        ),
        help="store the result and release it",
    )


def _given_up(function: Function, known: references.References, event: events.CallEvent) -> Iterator[Finding]:
    """By an owner of the project, which nothing is given that could have taken the object over before."""
    owner = _receiver(event.node)
    passed = (argument for call in function.calls() for argument in call.args)
    if any(text(inner) == owner for argument in passed for inner in places.walk(argument)):
        return
    if function.has_comment_near(event.span) or function.record.kind == "destructor":
        return
    if function.cls is not None and any(_only_borrows(one, owner, known) for one in function.cls.methods):
        return
    yield function.finding(
        event.span,
        f"`{places.last_name(event.node.callee)}` gives up ownership and its result is ignored: the reference leaks",
        certainty=because("intent", "harmless if it is meant to live until the process exits"),
        help="store the result and release it",
    )


def _only_borrows(method: Function, owner: str, known: references.References) -> bool:
    """Whether a method gives the owner an object that it releases: `Py_DECREF(o); held_.steal(o);`."""
    given = [
        call.node.args[0]
        for call in method.flow.calls
        if len(call.node.args) == 1 and _receiver(call.node).removeprefix("this->") == owner.removeprefix("this->")
    ]
    names = {inner.text for one in given if isinstance(inner := places.strip(one), records.Name)}
    return bool(names) and any(
        known.use(call.node, index, method) == "released" and places.last_name(argument) in names
        for call in method.flow.calls
        for index, argument in references.arguments(call.node)
    )


def _is_on_purpose(function: Function, call: records.Call) -> bool:
    """In a destructor, which leaves to a dead interpreter what it cannot release, or beside a release by hand."""
    if function.record.kind == "destructor":
        return True
    owner = _receiver(call)
    return any(
        isinstance(other.node.callee, records.Member)
        and other.node is not call
        and _receiver(other.node) == owner
        and (model := references.references(function.program).model(other.node, function)) is not None
        and model.has("release", "receiver")
        for other in function.flow.calls
    )


def _receiver(call: records.Call) -> str:
    return text(call.callee.base) if isinstance(call.callee, records.Member) else ""


def _forgotten(function: Function, known: references.References, test: events.Test) -> Iterator[Finding]:
    """`if (PyObject_CallObject(f, args) == NULL)`: asked, and forgotten."""
    asked = test.value
    while isinstance(asked, records.Unary) and asked.op == "!":
        asked = asked.value
    sides = (asked.left, asked.right) if isinstance(asked, records.Binary) and asked.op in _COMPARES else (asked,)
    for side in sides:
        source = known.source(side, function)
        if source.kind == "new" and source.call is not None:
            yield function.finding(
                source.call,
                f"the new reference returned by `{places.called(source.call)}` is only compared or tested, and leaks",
                certainty=_if_forgotten(function, known, source),
                help=_borrowing(function, source)
                + "store it in a variable, test that, and call `Py_DECREF` on it afterwards",
            )


def _borrowing(function: Function, source: references.ReferenceSource) -> str:
    """What answers with a borrowed reference to the same: `Py_TYPE` for `PyObject_Type`."""
    call = source.call
    if source.model is None or call is None or len(call.args) != 1:
        return ""
    wanted = places.last_name(call.callee)
    found = function.program.models.functions_with(
        "borrow", "result", lambda model: model.replaced_by == wanted and not model.counted
    )
    given = places.strip(call.args[0])
    return "".join(f"use `{name}({text(given)})`, which is borrowed, or " for name in sorted(found)[:1] if given)


def _if_forgotten(function: Function, known: references.References, source: references.ReferenceSource) -> Certainty:
    """How sure it is that something is lost with a result of which nothing is used."""
    sure = known.kept_anyway(source, function)
    if source.model is None or not source.model.calls:
        return sure
    return weaker(sure, because("value", "harmless if what is called returns None"))
