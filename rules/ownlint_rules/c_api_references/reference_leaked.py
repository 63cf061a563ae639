"""An owned reference is not released on an exit path.

## What it reports

- a new reference, or a buffer from `PyObject_GetBuffer`, in a local that a `return`, a `goto` or the end of its scope
  leaks
- a variable that is reassigned before the reference that it owns is released
- an object that is passed on with one reference too many
- `Py_INCREF` that nothing balances: of an argument, for a global container whose entries are never released, or for a
  callback that decrements another object

## Why it is a bug

An owned reference has to be released, returned or transferred on every path. Early returns and jumps past the release
are where it is forgotten; in a loop each iteration leaks one object. Memory grows until the process is killed.

## Example

bad:

```cpp
static PyObject* Names(PyObject* self, PyObject* args) {
  PyObject* list = PyList_New(0);
  if (list == NULL) return NULL;
  PyObject* name = PyUnicode_FromString("first");
  if (name == NULL) return NULL;
  if (PyList_Append(list, name) < 0) {
    Py_DECREF(name);
    Py_DECREF(list);
    return NULL;
  }
  Py_DECREF(name);
  return list;
}
```

```text
case.cc:2: error: `list` is not released on every exit path
  help: call `Py_DECREF(list)` on this path
```

good:

```cpp
static PyObject* Names(PyObject* self, PyObject* args) {
  PyObject* list = PyList_New(0);
  if (list == NULL) return NULL;
  PyObject* name = PyUnicode_FromString("first");
  if (name == NULL || PyList_Append(list, name) < 0) {
    Py_XDECREF(name);
    Py_DECREF(list);
    return NULL;
  }
  Py_DECREF(name);
  return list;
}
```

## How to fix it

Release the reference before the exit that is shown, or return it. With a shared cleanup label, jump to it and use
`Py_XDECREF`. Where it is passed to `Py_BuildValue` with `O`, which takes a reference of its own, pass it with `N`.

## What it does not report

- paths on which the pointer is known to be NULL, `PyErr_Occurred()` was true, or that contradict an earlier test
- references stored in a member, a global, an array or `*out`
- variables whose type releases its object, and objects passed to unknown functions
- test programs, which end with their process
- with the default `--certainty`: one reference too many to what a global keeps anyway

## Known limitations

- In a function with very many conditions only some of the paths are analysed.
- The contents of the project's own containers are not tracked.
- Exceptions that leave the function are not considered.

## Source

docs.python.org/3/c-api/intro.html#reference-count-details.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Program,
    Step,
    because,
    counting,
    events,
    leaks,
    places,
    questions,
    records,
    references,
    rule,
    text,
    trials,
    types,
    weaker,
)
from ownlint_rules.c_api_references import _uncounted as uncounted

_NOT_SEEN = "harmless if an earlier call takes ownership of the reference in `{}`"


@rule(severity="error", cwe=(401, 911), yields_to=("handle-leaked",))
def reference_leaked(function: Function) -> Iterator[Finding]:
    told: dict[int, list[counting.CountTrouble]] = {}
    for one in counting.troubles(function):
        if one.what not in ("leaked", "overwritten", "surplus") or _is_given(function, one.because):
            continue
        if one.what == "surplus" or not (
            isinstance(one.site, events.CallEvent) and uncounted.ends_itself(function, one.site.node)
        ):
            told.setdefault(one.site.index if one.because is None else one.because.index, []).append(one)
    for group in told.values():
        yield _finding(function, group)
    spans = {group[0].site.span for group in told.values()}
    for kept in uncounted.kept_for_ever(function):
        if kept.at.span not in spans:
            yield function.finding(
                kept.at,
                f"the reference count is incremented for `{kept.container}`, whose entries are never released",
                certainty=because(
                    "intent", f"harmless if `{kept.container}` is meant to keep them until the process exits"
                ),
                help="release the references when entries are removed, or explain in a comment why they are kept",
            )
    for crossed in uncounted.crossed(function):
        yield function.finding(
            crossed.at,
            f"`{crossed.owner}` is incremented, but {crossed.callback} decrements `{crossed.data}`",
            certainty=because("sharing", f"harmless if `{crossed.data}` owns `{crossed.owner}` and releases it"),
            help=f"increment the object that the callback receives: `{crossed.data}`",
        )


def _is_given(function: Function, raised: events.Event | None) -> bool:
    """Whether what is counted up belongs to who takes over what the same owner is asked for."""
    counted = references.counted_for_another(function)
    return isinstance(raised, events.CallEvent) and any(text(argument) in counted for argument in raised.node.args)


def _finding(function: Function, group: list[counting.CountTrouble]) -> Finding:
    """One for all the ways that lose what was made at one place."""
    first = group[0]
    at = first.because if first.because is not None else first.site
    ways = [_step(function, one) for one in group[:3]]
    made = () if at is first.site else (function.step(first.site, "the object is created here"),)
    return function.finding(
        at,
        _said(first),
        certainty=_certainty(function, first),
        help=_help(function, group),
        steps=(*(made if isinstance(first.site, events.CallEvent) else ()), *ways),
    )


def _said(one: counting.CountTrouble) -> str:
    match one.what:
        case "overwritten":
            made = f" from `{places.called(one.site.node)}`" if isinstance(one.site, events.CallEvent) else ""
            return f"`{one.name}` is reassigned without releasing the reference that it owns: the object{made} leaks"
        case "surplus":
            return f"`{one.name}` is passed on with one reference too many: the object is never freed"
    if one.because is not None:
        return f"the reference to `{one.name}` that is acquired here is never released"
    return f"`{one.name}` is not released on {'any' if one.always else 'every'} exit path"


def _help(function: Function, group: list[counting.CountTrouble]) -> str:
    one = group[0]
    if one.what == "surplus":
        return "remove the extra increment: the function already owns a reference"
    is_object = types.parse(function.locals.get(one.name, ("", None))[0]).last == "PyObject"
    release = f"call `Py_DECREF({one.name})`" if is_object else f"release `{one.name}`"
    if one.what == "overwritten":
        return f"{release} before it is reassigned"
    answers = [places.strip(each.at.value) if isinstance(each.at, events.LeaveEvent) else None for each in group]
    using = next((answer for answer in answers if _uses(answer, one.name)), None)
    if using is not None:
        others = " and before the other exits" if len(group) > 1 else ""
        return f"{_hand_over(function, using, one.name)}store the result and {release} before returning it{others}"
    released = f"{release} {'before each exit' if one.always and len(group) > 1 else 'on this path'}"
    is_answer = all(isinstance(answer, (records.Name, records.Member)) for answer in answers)
    pointer = types.parse(function.record.result).pointers
    return f"{released}, or return it" if pointer and is_answer else released


def _uses(answer: records.Value | None, name: str) -> bool:
    """Whether what is returned is made from it."""
    return isinstance(answer, records.Call) and any(text(inner) == name for inner in places.walk(answer))


def _hand_over(function: Function, answer: records.Value, name: str) -> str:
    """The letter of a format that takes the reference over, where the one that is written only lends it."""
    known = references.references(function.program)
    for call in places.calls_in(answer):
        model = known.model(call, function)
        if model is None or not model.format_steals:
            continue
        letters = references.format_letters(call, model) or {}
        for index, argument in enumerate(call.args):
            letter = letters.get(index, "")
            if letter.isalpha() and letter not in model.format_steals and text(argument) == name:
                return f"use `{model.format_steals[0]}` instead of `{letter}` for `{name}`, or "
    return ""


def _certainty(function: Function, one: counting.CountTrouble) -> Certainty:
    if trials.is_trial(function):
        return because("possible", trials.REASON)
    if (own := _releases_itself(function, one)) is not None:
        return because("possible", f"it may hold the reference to itself that `{own.name}` releases")
    kept = _kept_by_variable(function, one)
    if not one.always:
        return weaker(because("unread-code", one.reason or _NOT_SEEN.format(one.name)), kept)
    if kept == "certain" and isinstance(one.site, events.CallEvent):
        known = references.references(function.program)
        kept = known.kept_anyway(known.source(one.site.node, function), function)
    if (thrown := _thrown_by(function, one)) is not None:
        kept = weaker(kept, because("exception", f"on the path where `{text(thrown.node.callee)}` throws"))
    return kept


def _thrown_by(function: Function, one: counting.CountTrouble) -> events.CallEvent | None:
    """The call whose exception loses the reference."""
    if not isinstance(one.at, events.LeaveEvent) or one.at.kind != "throw":
        return None
    call = function.flow.events[one.at.index]
    return call if isinstance(call, events.CallEvent) else None


def _kept_by_variable(function: Function, one: counting.CountTrouble) -> Certainty:
    """How sure it is that an object is lost with the reference: not where a variable of the program has it, too."""
    if one.what == "overwritten" or one.name in function.declared or not function.program.index.is_variable(one.name):
        return "certain"
    return because("long-run", f"`{one.name}` keeps the object alive: only its count grows")


def _releases_itself(function: Function, one: counting.CountTrouble) -> Function | None:
    """A method of the object's own type that releases the object that it is called on: the type counts a reference to
    itself until then, and who makes the object gives it that one."""
    kind = types.parse(function.locals.get(one.name, ("", None))[0])
    if one.what != "leaked" or kind.pointers != 1 or kind.last == "PyObject":
        return None
    return _releasing_themselves(function.program).get(kind.last)


@questions.program_question
def _releasing_themselves(program: Program) -> dict[str, Function]:
    """By the type of their object: the functions of C that are given one first, answer with an object, and release
    the one that they were given."""
    found: dict[str, Function] = {}
    known = references.references(program)
    releasing = program.models.functions_with("release", "argument 1", lambda model: model.counted)
    for function in program.functions:
        first = function.record.parameters[:1]
        answers = types.parse(function.record.result).last
        if not first or answers != "PyObject" or releasing.isdisjoint(function.mentioned):
            continue
        kind = types.parse(first[0].type)
        if (
            kind.pointers == 1
            and kind.last != "PyObject"
            and any(
                isinstance(given := places.strip(call.node.args[0]), records.Name)
                and given.text == first[0].name
                and known.use(call.node, 0, function) == "released"
                for call in function.flow.calls
                if len(call.node.args) == 1
            )
        ):
            found.setdefault(kind.last, function)
    return found


def _step(function: Function, one: counting.CountTrouble) -> Step:
    match one.what, one.at:
        case "overwritten", _:
            return function.step(one.at, f"`{one.name}` is reassigned here")
        case "surplus", _:
            return function.step(one.at, f"`{one.name}` is passed on here")
    if (thrown := _thrown_by(function, one)) is not None:
        return function.step(one.at, f"`{one.name}` leaks here if `{text(thrown.node.callee)}` throws")
    return leaks.left_without(function, one.at, f"`{one.name}`")
