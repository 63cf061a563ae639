"""What a call that nobody sees the body of does to the objects it is given, whoever says so: a model, or a pair of the
project's own declarations. The one place that the engine asks, and what decides whether it has to follow a function.

What functions with a body do, their summaries say; a function of such a name whose body is seen ends what its body
ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint.engine.macro_calls import macros_by_called, with_macros
from ownlint.engine.resources import Acquisition, Resources, resources
from ownlint.facts import records as r
from ownlint.finding import Certainty, because, weaker
from ownlint.flow.places import last_name
from ownlint.models import habits
from ownlint.models.records import HANDLE, REFERENCE, FunctionModel, KindModel
from ownlint.project.callees import Callee
from ownlint.project.pairs import releasing_verb
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Function

_SHARED = because("sharing", "harmless if something else still owns a reference to it")


class ReleaseEffect(NamedTuple):
    """A call ends what argument `at` (from 0) is, or, `by_address`, what stands where it points to."""

    at: int
    by: str
    kind: KindModel
    certainty: Certainty
    by_address: bool = False
    may_fail: bool = False
    """Then nothing is released."""


def by_models(node: r.Call, models: tuple[FunctionModel, ...], program: Program) -> Iterator[ReleaseEffect]:
    """What libraries' functions end; of a lock they end a duty alone, of what is counted one reference."""
    name = last_name(node.callee)
    kind = program.models.kind(name)
    if name in program.models.unlocking or kind.stays:
        return
    for model in models:
        if model.has("acquire"):
            continue
        for effect in model.effects:
            index = effect.place.index if effect.verb == "release" and effect.place is not None else -1
            if 0 <= index < len(node.args) and not effect.mode:
                certainty = weaker(model.certainty, _SHARED) if model.counted else model.certainty
                counted = REFERENCE if model.counted else kind
                yield ReleaseEffect(index, name, counted, certainty, may_fail=model.has("may fail"))


def by_pairs(node: r.Call, callee: Callee, program: Program) -> ReleaseEffect | None:
    """What a function ends that is declared alone, or not at all, by the pair that it is half of."""
    known: Resources = resources(program)
    if callee.functions or node.kind != "call":
        return None
    if not callee.records:
        return _by_use(node, callee, known)
    found = [known.pairs.releaser(record) for record in callee.records]
    one = found[0]
    if one is None or any(each is None or not each.ends or each.argument != one.argument for each in found):
        return None
    if one.argument >= len(node.args) or known.is_idle(one.record):
        return None
    name = one.record.name
    return ReleaseEffect(one.argument, name, HANDLE, weaker(callee.certainty, _named(name)), one.by_address)


def _by_use(node: r.Call, callee: Callee, known: Resources) -> ReleaseEffect | None:
    """Of a library that the project does not declare: other code releases with it what its opposite handed out."""
    name = last_name(node.callee)
    if callee.models or name not in known.used_releasers or not node.args or releasing_verb(name) not in habits.ENDS:
        return None
    return ReleaseEffect(0, name, HANDLE, _named(name))


def _named(name: str) -> Certainty:
    """How sure it is that a function ends what it is given of which only the name is known, and its opposite."""
    return because("name", f"that `{name}` frees it is inferred from its name")


def needs_first(callee: Callee, program: Program) -> bool:
    """Whether the first argument has to be there for a function that is declared alone, since it works on that."""
    known = resources(program).pairs
    return not callee.functions and bool(callee.records) and all(map(known.works_on, callee.records))


def given_back(node: r.Call, callee: Callee, program: Program) -> int:
    """Which argument a function gives back that is declared alone, whether it ends with that or is counted; or -1."""
    known = resources(program).pairs
    found = [known.releaser(record) for record in callee.records if not callee.functions]
    indexes = {one.argument if one is not None else -1 for one in found}
    index = indexes.pop() if len(indexes) == 1 else -1
    return index if index < len(node.args) else -1


def releases(node: r.Call, callee: Callee, program: Program) -> bool:
    """Whether the call ends something by a model or a pair."""
    if node.kind == "delete":
        return True
    by_model = not callee.functions and any(by_models(node, callee.models, program))
    return by_model or by_pairs(node, callee, program) is not None


def acquired(node: r.Call, function: Function) -> Acquisition | None:
    """What a call hands out by a model or a pair, if it is an owned raw handle."""
    return resources(function.program).declared_acquisition(node, function)


@program_question
def ending_names(program: Program) -> frozenset[str]:
    """Last names of the functions that end what they are given, seen from their declarations alone."""
    known = resources(program)
    called = known.mentioned.union(macros_by_called(program))
    modelled = {name for name in called if program.models.may_release(name)}
    paired = {name for name, many in known.pairs.releasers.items() if any(one.ends for one in many)}
    used = {name for name in known.used_releasers if releasing_verb(name) in habits.ENDS}
    return with_macros(modelled | paired | used, program, "delete")
