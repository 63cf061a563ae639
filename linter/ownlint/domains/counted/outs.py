"""New references that a function of the project hands out through a pointer to the caller's variable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ownlint.domains.counted.counts import CountDraft, KnownPlace
from ownlint.domains.counted.references import may_count, references
from ownlint.facts import records as r
from ownlint.flow.places import Place
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import program_question, question
from ownlint.project.subjects import Function

SOMETHING = KnownPlace("-0+", exact=False)
"""What stands there is no reference of which anything is known."""


class Filled(NamedTuple):
    """A variable of the caller gets a new reference, unless the call fails. The signs of the answers with which it is
    filled, and of those with which it is not; both are empty where the answers do not tell."""

    parameter: int
    worked: str = ""
    failed: str = ""


def out_place(name: str) -> Place:
    """What the parameter of that name leads to."""
    return ("%", "out", name)


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
    return frozenset(
        function.name.rpartition("::")[2]
        for function in program.functions
        if function.language == "cpp" and may_count(function) and _names(function)
    )


def written_to(target: r.Value | None, function: Function) -> Place | None:
    """The place of the caller's that `*out = x` writes to."""
    if isinstance(target, r.Unary) and target.op == "*" and isinstance(target.value, r.Name):
        return out_place(target.value.text) if target.value.text in _names(function) else None
    return None


def filled(function: Function, exits: Iterable[tuple[CountDraft, str]]) -> tuple[Filled, ...]:
    """The parameters that some of the exits fill with a new reference, and no exit with anything else. Of an exit the
    state, and the signs of its answer, empty where they are not known."""
    found = []
    exits = list(exits) if _names(function) else []
    for number, parameter in enumerate(function.record.parameters):
        if not exits or parameter.name not in _names(function):
            continue
        answers: dict[str, set[str]] = {"new": set(), "empty": set()}
        for draft, sign in exits:
            answers.setdefault(_left_in(draft, out_place(parameter.name)), set()).add(sign)
        if "other" in answers or not answers["new"]:
            continue
        worked, failed = "".join(sorted(answers["new"])), "".join(sorted(answers["empty"]))
        tells = "" not in answers["new"] | answers["empty"] and len(worked) == 1 and not set(worked) & set(failed)
        if not answers["empty"]:
            found.append(Filled(number, worked if tells else "", ""))
        else:
            found.append(Filled(number, worked, failed) if tells else Filled(number))
    return tuple(found)


def _left_in(draft: CountDraft, where: Place) -> str:
    value = draft.places.get(where)
    if value is None or (isinstance(value, KnownPlace) and value.signs == "0"):
        return "empty"
    held = draft.at(where)
    return "new" if held is not None and held.kind == "new" and held.stored and not held.owed else "other"
