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
case.cc:2: error: `list` leaks if `PyUnicode_FromString` returns NULL
  help: call `Py_DECREF(list)` before this return
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
    assignments,
    because,
    counting,
    events,
    exits,
    failure,
    leaks,
    places,
    questions,
    reason_of,
    reasoned,
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
    count, more = exits.shown([one.at for one in group])
    steps = [step for one in group[:count] for step in _steps(function, one, first.name, alone=len(group) == 1)]
    steps += exits.further(function, more, f"`{first.name}`")
    known = references.references(function.program)
    if at is not first.site and isinstance(first.site, events.CallEvent):
        lent = known.source(first.site.node, function).kind == "borrowed"
        what = "a borrowed reference from" if lent else "the result of"
        said = f"`{first.name}` is {what} `{places.called(first.site.node)}`"
        steps.insert(0, function.step(first.site, said, aside=lent))
    ending = next((one for one in group if isinstance(one.at, events.End)), None)
    if ending is not None and (lent_to := _lent_to(function, ending)) is not None:
        says = f"`{places.called(lent_to.node)}` does not steal the reference to `{ending.name}`"
        steps.insert(0, function.step(lent_to, says, aside=True))
    return function.finding(
        at,
        _said(function, group),
        certainty=_on_path(function, group, _certainty(function, first)),
        help=_help(function, group),
        steps=tuple(steps),
    )


def _lent_to(function: Function, one: counting.CountTrouble) -> events.CallEvent | None:
    """The last call before the end of a block that puts the object into another one: it takes a reference of its own,
    which the author may not have known."""
    if one.what != "leaked":
        return None
    known, flow = references.references(function.program), function.flow
    return next(
        (
            call
            for call in reversed(flow.calls)
            if one.site.index < call.index < one.at.index and flow.dominates(call, one.at)
            for index, argument in references.arguments(call.node)
            if index and _is_variable(places.strip(argument), one.name) and known.model(call.node, function) is not None
            if known.use(call.node, index, function) in ("lent", "retained", "passed on")
        ),
        None,
    )


_GENERAL = frozenset({counting.NOT_OWED_ELSEWHERE, counting.NOT_ALL_FOLLOWED})
"""Reasons that name no path."""


def _on_path(function: Function, group: list[counting.CountTrouble], certainty: Certainty) -> Certainty:
    """With the conditions of the exits as its reason, where it has no better one. An exit without one is taken."""
    if reason_of(certainty) not in _GENERAL:
        return certainty
    if condition := _condition(function, group):
        return reasoned(certainty, f"this happens only if {condition}")
    is_usual = len(group) == 1 and reason_of(certainty) == counting.NOT_OWED_ELSEWHERE
    return reasoned(certainty, _NOT_SEEN.format(group[0].name)) if is_usual else certainty


def _condition(function: Function, group: list[counting.CountTrouble]) -> str:
    """When it is lost, as a clause, where one or two exits lose it and a condition decides about each."""
    return leaks.either(
        failure.decided(function, function.turn(one.at, counting.trail(function, one)), one.site) for one in group
    )


def _said(function: Function, group: list[counting.CountTrouble]) -> str:
    one = group[0]
    match one.what:
        case "overwritten":
            made = f" from `{places.called(one.site.node)}`" if isinstance(one.site, events.CallEvent) else ""
            when = "in the next iteration " if _comes_again(one) else ""
            return f"`{one.name}` is reassigned {when}while it owns a reference: the object{made} leaks"
        case "surplus":
            return f"`{one.name}` is passed on with one reference too many: the object is never freed"
    lost = f"`{one.name}`" if one.because is None else f"the reference to `{one.name}` that is acquired here"
    if one.always:
        return f"{lost} is never released"
    if condition := _condition(function, group):
        return f"{lost} leaks if {condition}"
    if len(group) > 1:
        return f"{lost} leaks on {len(group)} exit paths"
    if exits.ends_iteration(function, one.at):
        return f"{lost} leaks {'in every' if _is_never_released_in(function, one) else 'at the end of an'} iteration"
    return f"{lost} leaks on one exit path"


def _is_never_released_in(function: Function, one: counting.CountTrouble) -> bool:
    """Whether no path comes to the end of the iteration past a call that releases the object."""
    known = references.references(function.program)
    for call in function.flow.calls:
        if not one.site.index < call.index < one.at.index:
            continue
        given = references.arguments(call.node)
        uses = {
            known.use(call.node, at, function) for at, value in given if _is_variable(places.strip(value), one.name)
        }
        if uses & {"released", "stolen", "stolen on success", ""} and one.at in function.flow.after(call):
            return False
    return True


def _comes_again(one: counting.CountTrouble) -> bool:
    """Whether the same statement, in the next round of a loop, is what overwrites it."""
    value = one.at.value if isinstance(one.at, events.Write) else None
    return isinstance(one.site, events.CallEvent) and any(inner is one.site.node for inner in places.walk(value))


def _help(function: Function, group: list[counting.CountTrouble]) -> str:
    one = group[0]
    if one.what == "surplus":
        return "remove the extra increment: the function already owns a reference"
    if isinstance(one.because, events.CallEvent) and _is_one_too_many(function, group, one.because):
        return f"remove this `{places.called(one.because.node)}`: the function already owns a reference"
    release = _release(function, one, may_be_null=any(_may_be_null(function, each) for each in group))
    if one.what == "overwritten":
        others = f" and {exits.before_exits(function, [each.at for each in group[1:]])}" if len(group) > 1 else ""
        return f"{release} before it is reassigned{others}"
    answers = [places.strip(each.at.value) if isinstance(each.at, events.LeaveEvent) else None for each in group]
    using = next((answer for answer in answers if _uses(answer, one.name)), None)
    if using is not None:
        others = "; the other exits need it, too" if len(group) > 1 else ""
        return (
            f"{_hand_over(function, using, one.name)}store the result in a variable, {release}, then return it{others}"
        )
    before = exits.before_exits(function, [each.at for each in group])
    released = f"{release} {before}{_within(function, one)}{_half_built(function, one)}"
    is_answer = all(isinstance(answer, (records.Name, records.Member)) for answer in answers)
    pointer = types.parse(function.record.result).pointers
    return f"{released}, or return `{one.name}`" if pointer and is_answer else released


def _is_one_too_many(function: Function, group: list[counting.CountTrouble], taken: events.CallEvent) -> bool:
    """Whether the function, which owns the object already, takes one reference more, releases one before each of the
    exits, and on no path gives the object to who may keep it."""
    known, flow, name = references.references(function.program), function.flow, group[0].name
    after = flow.after(taken)
    uses = {
        call: known.use(call.node, index, function)
        for call in flow.calls
        if call in after
        for index, argument in references.arguments(call.node)
        if _is_variable(places.strip(argument), name)
    }
    if set(uses.values()) - {"released", "lent", "retained"}:
        return False
    given = (one.value for one in flow if one in after and isinstance(one, (events.Write, events.LeaveEvent)))
    if any(_is_variable(places.strip(value), name) for value in given):
        return False
    released = [call for call, use in uses.items() if use == "released" and taken.index < call.index]
    return all(any(flow.dominates(call, one.at) for call in released) for one in group)


def _release(function: Function, one: counting.CountTrouble, *, may_be_null: bool) -> str:
    """What releases it, as code where it is known how that is called."""
    acquiring = one.because if one.because is not None else one.site
    model = None
    if isinstance(acquiring, events.CallEvent):
        model = references.references(function.program).model(acquiring.node, function)
    kind = types.parse(function.locals.get(one.name, ("", None))[0])
    releases = model.released_by[:1] if model is not None else ()
    if not releases and kind.last == "PyObject":
        releases = ("Py_DECREF",)
    if not releases or "::" in releases[0]:
        return f"call `{releases[0]}` to release `{one.name}`" if releases else f"release `{one.name}`"
    release = "Py_XDECREF" if releases[0] == "Py_DECREF" and may_be_null else releases[0]
    address = "&" if kind.is_value and not kind.is_placeholder and kind.name else ""
    return f"call `{release}({address}{one.name})`"


def _half_built(function: Function, one: counting.CountTrouble) -> str:
    """What to keep in mind where the object is one of the project's own types that this function has begun to fill."""
    kind = types.parse(function.locals.get(one.name, ("", None))[0])
    is_named = kind.last != "" and not kind.is_placeholder
    is_own = kind.pointers == 1 and is_named and not kind.last.startswith("Py")
    return (
        "; first make sure that its `tp_dealloc` accepts a partly initialized object"
        if is_own and one.because is None
        else ""
    )


def _may_be_null(function: Function, one: counting.CountTrouble) -> bool:
    """Whether the variable can be NULL at the exit: no path there has to find an object in it."""
    if one.because is not None or not isinstance(one.site, events.CallEvent):
        return False
    known, flow = references.references(function.program), function.flow
    model = known.model(one.site.node, function)
    if model is not None and not model.nullable:
        return False
    start, end = one.site.index, one.at.index
    for test, outcome in flow.guards(one.at):
        if test.index > start and _says_there(test.value, one.name, outcome):
            return False
    return not any(
        _dereferences(function, known, event, one.name)
        for event in flow.dominators(one.at)
        if start < event.index < end
    )


def _says_there(value: records.Value, name: str, outcome: bool) -> bool:
    """Whether a test that goes like this says that a variable is not NULL."""
    inner = places.strip(value)
    while isinstance(inner, records.Unary) and inner.op in ("!", "not"):
        inner, outcome = places.strip(inner.value), not outcome
    if isinstance(inner, records.Binary) and inner.op in ("==", "!="):
        sides = [places.strip(inner.left), places.strip(inner.right)]
        named = any(_is_variable(side, name) for side in sides)
        null = any(isinstance(side, records.Literal) for side in sides)
        return named and null and outcome is (inner.op == "!=")
    return outcome and _is_variable(inner, name)


def _is_variable(value: records.Value | None, name: str) -> bool:
    inner = places.strip(value.target) if isinstance(value, records.Assign) else value
    return inner is not None and text(inner) == name


def _dereferences(function: Function, known: references.References, event: events.Event, name: str) -> bool:
    match event:
        case events.Read(node=records.Member(base=base, arrow=True)):
            return text(base) == name
        case events.Write(target=records.Member(base=base, arrow=True)):
            return text(base) == name
        case events.CallEvent(node=node):
            model = known.model(node, function)
            return model is not None and any(
                model.has("needs", f"argument {at + 1}") and _is_variable(places.strip(argument), name)
                for at, argument in references.arguments(node)
            )
    return False


def _within(function: Function, one: counting.CountTrouble) -> str:
    """Where to release it if it is made in a branch of an `#if` that ends before the exit: what the other branch makes
    can be borrowed, or is not analysed."""
    start, end = one.site.span.start, one.at.span.start
    around = [span for span in function.file.conditionals if start in span and end not in span]
    if not around or one.because is not None:
        return ""
    known = references.references(function.program)
    others = [
        known.source(write.value, function).kind
        for write in function.flow.writes_to((one.name,))
        if write.value is not None and start not in write.span and any(write.span.start in span for span in around)
    ]
    if "borrowed" in others:
        return ", within the same branch of the `#if`: the other one borrows it"
    return "" if others else ", within the same `#if` if the other branch borrows it"


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
        kept = weaker(kept, because("exception", f"this happens only if `{text(thrown.node.callee)}` throws"))
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
    for function in program.calling(releasing):
        first = function.record.parameters[:1]
        answers = types.parse(function.record.result).last
        if not first or answers != "PyObject":
            continue
        kind = types.parse(first[0].type)
        if (
            kind.pointers == 1
            and kind.last != "PyObject"
            and any(
                places.is_name(call.node.args[0], first[0].name) and known.use(call.node, 0, function) == "released"
                for call in function.flow.calls
                if len(call.node.args) == 1
            )
        ):
            found.setdefault(kind.last, function)
    return found


def _steps(function: Function, one: counting.CountTrouble, name: str, *, alone: bool) -> Iterator[Step]:
    match one.what, one.at:
        case "overwritten", at:
            again = "in the next iteration" if _comes_again(one) else "here"
            yield function.step(at, f"`{one.name}` is reassigned {again}")
        case "surplus", _:
            yield function.step(one.at, f"`{one.name}` is passed on here")
        case _ if (thrown := _thrown_by(function, one)) is not None:
            yield function.step(one.at, f"`{one.name}` leaks here if `{text(thrown.node.callee)}` throws")
        case _:
            trail = counting.trail(function, one) if not one.always else ()
            lost = f"`{name}`"
            if one.name != name:
                lost = f"`{name}` (here called `{one.name}`)"
                for link in assignments.renaming(function, name, one.name, one.site, one.at):
                    yield function.step(link, f"`{one.name}` and `{name}` are one object from here on", aside=True)
            yield from exits.steps(function, one.at, lost, trail, alone=alone, acquired=one.site)
