"""What a model says of a function, beside how the function is declared."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ownlint.facts import records as r
from ownlint.models.names import parts_of, without_templates
from ownlint.models.records import Effect, FunctionModel

_CHANGING = ("insert", "overwrite", "erase", "clear", "invalidate")
_OF_RESULTS = ("acquire", "own", "copy", "borrow", "adopt", "keep", "returns")
"""Effects by which a result is obtained; others name as `result` what the call leaves nobody."""


def contradiction(effect: Effect, functions: Sequence[r.FunctionRecord]) -> tuple[str, str] | None:
    """What an effect presumes and no overload offers, and what is declared instead."""
    named = [place for place in (effect.place, effect.other) if place is not None]
    highest = max((place.number for place in named if place.kind == "argument"), default=0)
    most = max(len(function.parameters) for function in functions)
    kinds = {place.kind for place in named}
    if highest > most and not any(map(is_variadic, functions)):
        return f"has an argument {highest}", takes(most)
    if "receiver" in kinds and all(map(_has_no_receiver, functions)):
        return "has a receiver", "is called on no object"
    if "result" in kinds and effect.verb in _OF_RESULTS and all(function.result == "void" for function in functions):
        return "has a result", "returns nothing"
    if "receiver" in kinds and effect.verb in _CHANGING and all("const" in one.qualifiers for one in functions):
        return f"changes its receiver (`{effect}`)", "is `const`"
    return None


def agreeing(models: tuple[FunctionModel, ...], found: Sequence[r.FunctionRecord]) -> tuple[FunctionModel, ...]:
    """The models without the effects that contradict the declarations of the very function that they describe."""
    if not models or not found:
        return models
    return tuple(one for model in models if (one := _agreeing(model, found)).effects)


def _agreeing(model: FunctionModel, found: Sequence[r.FunctionRecord]) -> FunctionModel:
    parts = parts_of(model.name)
    own = [record for record in found if record.name == parts[-1] and _parts(record) == parts]
    kept = tuple(effect for effect in model.effects if contradiction(effect, own) is None) if own else model.effects
    return model if len(kept) == len(model.effects) else msgspec.structs.replace(model, effects=kept)


def _parts(record: r.FunctionRecord) -> tuple[str, ...]:
    return parts_of(f"{without_templates(record.scope)[0]}::{record.name}")


def is_variadic(function: r.FunctionRecord) -> bool:
    return any(parameter.spread or "..." in parameter.type for parameter in function.parameters)


def accepts(function: r.FunctionRecord, count: int) -> bool:
    """Whether it can be called with so many arguments."""
    required = sum(parameter.default is None for parameter in function.parameters)
    return required <= count <= len(function.parameters)


def _has_no_receiver(function: r.FunctionRecord) -> bool:
    return "static" in function.qualifiers if function.owner else function.kind == "function"


def takes(count: int) -> str:
    number = f"{count or 'no'} argument{'s' * (count != 1)}"
    return f"takes {number}" + " at most" * (count > 0)
