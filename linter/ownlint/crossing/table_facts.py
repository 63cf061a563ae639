"""What a function of a table does with its arguments: which `self` keeps, and whether with a reference of its own.

The facts of a `PyMethodDef`, a `PyGetSetDef` and a `tp_init` for a contract. What is neither counted up nor found to be
kept without that is left out: nobody can say how long it lasts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.domains.counted.counting import troubles
from ownlint.domains.counted.references import References, arguments, references
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import strip
from ownlint.models.contract_records import KeptAddress
from ownlint.models.formats import format_letters
from ownlint.project.subjects import Function


def stores_of(function: Function, flags: str, is_setter: bool) -> tuple[KeptAddress, ...]:
    """In the order of arguments, which count from 1 behind `self`."""
    known = references(function.program)
    numbers = dict(_given(function, flags, is_setter, known))
    own = set(_self(function))
    if not numbers or not own:
        return ()
    counted = {name for call in function.flow.calls for name in _counted_up(call, function, known)}
    unowned = {one.at for one in troubles(function) if one.what == "stored borrowed"}
    found = set()
    for write in function.flow.writes:
        name, is_counted = _put(write.value, function, known)
        if write.place[0] not in own or len(write.place) < 2 or name not in numbers:
            continue
        if write in unowned or is_counted or name in counted:
            via = f"`{write.place[-1]}` stores it"
            found.add(KeptAddress(numbers[name], "self", write not in unowned, via))
    return tuple(sorted(found))


def _self(function: Function) -> Iterator[str]:
    """The object, and the locals that are it in its own type."""
    if not function.record.parameters:
        return
    first = function.record.parameters[0].name
    yield first
    for name, (_, initial) in function.locals.items():
        inner = strip(initial)
        if isinstance(inner, r.Name) and inner.text == first:
            yield name


def _given(function: Function, flags: str, is_setter: bool, known: References) -> Iterator[tuple[str, int]]:
    """The variables that hold an argument of Python's, and which one."""
    parameters = function.record.parameters
    if len(parameters) > 1 and (is_setter or "METH_O" in flags.replace("|", " ").split()):
        yield parameters[1].name, 1
    for event in function.flow.calls:
        model = known.model(event.node, function)
        letters = format_letters(event.node, model) if model is not None and model.format_lends else None
        if model is None or not letters:
            continue
        for position, letter, number in _counted_letters(letters):
            inner = strip(event.node.args[position]) if position < len(event.node.args) else None
            if letter in model.format_lends and isinstance(inner, r.Unary) and isinstance(inner.value, r.Name):
                yield inner.value.text, number


def _counted_letters(letters: dict[int, str]) -> Iterator[tuple[int, str, int]]:
    """Position, letter and which argument of Python's it is about: `#`, `!` and what a `&` converts go with another."""
    number, before = 0, ""
    for position, letter in sorted(letters.items()):
        if letter not in "#!" and not (letter == "&" == before):
            number += 1
        before = letter if before != "&" else ""
        yield position, letter, number


def _counted_up(call: e.CallEvent, function: Function, known: References) -> Iterator[str]:
    """The variables, and the members, that the call gives one more reference."""
    for index, argument in arguments(call.node):
        if known.use(call.node, index, function) == "retained":
            yield argument.text if isinstance(argument, r.Name) else getattr(argument, "name", "")


def _put(value: r.Value | None, function: Function, known: References) -> tuple[str, bool]:
    """The variable that is stored, and whether that is by a call which counts it up: `Py_NewRef(given)`."""
    inner = strip(value)
    if isinstance(inner, r.Name):
        return inner.text, False
    if isinstance(inner, r.Call) and len(inner.args) == 1 and isinstance(given := strip(inner.args[0]), r.Name):
        model = known.model(inner, function)
        return given.text, model is not None and model.has("retain", "argument 1")
    return "", False
