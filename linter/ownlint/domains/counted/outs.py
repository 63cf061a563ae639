"""References that a function of the project hands out through a pointer to the caller's variable."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from ownlint.domains.counted.counts import OUT, CountDraft, Id, KnownPlace
from ownlint.domains.counted.references import may_count, references
from ownlint.facts import records as r
from ownlint.flow.places import Place
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import each_function, program_question, question
from ownlint.project.subjects import Function


class Filled(NamedTuple):
    """A variable of the caller gets a reference, unless the call fails. The signs of the answers with which it is
    filled, and of those with which it is not; both are empty where the answers do not tell."""

    parameter: int
    worked: str = ""
    failed: str = ""
    kind: Literal["new", "borrowed"] = "new"
    lender: int = -1
    """Which argument (from 0) lends a borrowed one."""


def out_place(name: str) -> Place:
    """What the parameter of that name leads to."""
    return (*OUT, name)


@question
def _names(function: Function) -> frozenset[str]:
    """Parameters like `PyObject** out`."""
    found = set()
    known = references(function.program)
    for parameter in function.record.parameters:
        written = parameter.type.rstrip()
        pointers = types.parse(written).pointers
        if pointers == 2 and "&" not in written and known.is_pointer(written[: written.rindex("*")], function):
            found.add(parameter.name)
    return frozenset(found)


@program_question
def filling_names(program: Program) -> frozenset[str]:
    """Last names of the functions with such a parameter that deal in counted references. Needs no decoding."""
    return frozenset(function.name.rpartition("::")[2] for function in _filling(program))


@each_function
def _filling(function: Function) -> bool:
    return function.language == "cpp" and may_count(function) and bool(_names(function))


def led_to(target: r.Value | None, function: Function) -> Place | None:
    """The place of the caller's that `*out` is."""
    if isinstance(target, r.Unary) and target.op == "*" and isinstance(target.value, r.Name):
        return out_place(target.value.text) if target.value.text in _names(function) else None
    return None


def give(function: Function, draft: CountDraft) -> None:
    """What was borrowed and is counted up has, on the way out, been counted up for the caller's variable it is in."""
    for name in _names(function):
        one = draft.id_at(out_place(name))
        if one is not None and draft.objects[one].kind == "borrowed" and draft.objects[one].owed > 0:
            draft.change(one, owed=draft.objects[one].owed - 1, stored=True)


def filled(
    function: Function, exits: Iterable[tuple[CountDraft, str]], lender: Callable[[CountDraft, Id], int]
) -> tuple[Filled, ...]:
    """The parameters that some of the exits fill with a reference, and no exit with anything else. Of an exit the
    state, and the signs of its answer, empty where they are not known."""
    found = []
    exits = list(exits) if _names(function) else []
    for number, parameter in enumerate(function.record.parameters):
        if not exits or parameter.name not in _names(function):
            continue
        where = out_place(parameter.name)
        answers: dict[str, set[str]] = {"new": set(), "borrowed": set(), "empty": set()}
        for draft, sign in exits:
            answers.setdefault(_left_in(draft, where), set()).add(sign)
        if "other" in answers or bool(answers["new"]) == bool(answers["borrowed"]):
            continue
        signs = answers["new"] or answers["borrowed"]
        worked, failed = "".join(sorted(signs)), "".join(sorted(answers["empty"]))
        tells = "" not in signs | answers["empty"] and len(worked) == 1 and not set(worked) & set(failed)
        if answers["borrowed"]:
            if tells or not answers["empty"]:  # else the variable may still hold a reference of the caller's own
                lenders = {lender(draft, one) for draft, _ in exits if (one := draft.id_at(where)) is not None}
                told = (worked, failed) if tells else ("", "")
                found.append(Filled(number, *told, "borrowed", lenders.pop() if len(lenders) == 1 else -1))
        elif not answers["empty"]:
            found.append(Filled(number, worked if tells else "", ""))
        else:
            found.append(Filled(number, worked, failed) if tells else Filled(number))
    return tuple(found)


def _left_in(draft: CountDraft, where: Place) -> str:
    value = draft.places.get(where)
    if value is None or (isinstance(value, KnownPlace) and value.signs == "0"):
        return "empty"
    held = draft.at(where)
    if held is None or held.owed:
        return "other"
    if held.kind == "borrowed" and not held.stored:
        return "borrowed"
    return "new" if held.kind in ("new", "borrowed") and held.stored else "other"
