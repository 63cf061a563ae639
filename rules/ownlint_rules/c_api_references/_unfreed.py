"""Dealloc functions that end what an object has, and never free the object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, events, pairs, places, references
from ownlint import records as r
from ownlint_rules.c_api_references import _destroyed as destroyed
from ownlint_rules.c_api_references._object_types import by_dealloc, object_types

_DEEPEST = 3
_LENT = frozenset({"lent", "retained", "passed on", "borrowed by an owner"})
_FREES = frozenset({"tp_free", "tp_dealloc"})
"""Slots of a type by which the memory of an object is given back."""


class Unfreed(NamedTuple):
    """`at` in `function` ends a part of the object, which `dealloc` does not free."""

    dealloc: Function
    function: Function
    at: events.Event


def unfreed(program: Program) -> Iterator[Unfreed]:
    """Each dealloc function once."""
    for dealloc in dict(by_dealloc(object_types(program))):
        ended: list[tuple[Function, events.Event]] = []
        if not _may_free(dealloc, ended, 0) and ended:
            yield Unfreed(dealloc, *ended[0])


def _may_free(function: Function, ended: list[tuple[Function, events.Event]], depth: int) -> bool:
    """Whether the function, or a helper that gets the object, may free it, or keep it for later. Adds to `ended` where
    parts of it are ended."""
    if depth > _DEEPEST or function.record.opaque:
        return True
    known, own = references.references(function.program), destroyed.own_names(function)
    for event in function.flow:
        match event:
            case events.OpaqueEvent():
                return True
            case events.Write(place=place, value=value):
                if (len(place) != 1 or place[0] not in own) and _has_it(value, own):
                    return True
            case events.LeaveEvent(value=value):
                if _has_it(value, own):
                    return True
            case events.CallEvent(node=call):
                if _may_be_freed_by(call, function, own, known, ended, depth):
                    return True
                if _ends_part(call, function, own, known):
                    ended.append((function, event))
    return False


def _has_it(value: r.Value | None, own: set[str]) -> bool:
    """Whether it is the object, or an aggregate that it goes into; what is read of it is not."""
    inner = places.strip(value)
    parts = inner.items if isinstance(inner, r.Aggregate) else (inner,)
    return any(destroyed.is_it(one, own) for one in parts)


def _may_be_freed_by(
    call: r.Call,
    function: Function,
    own: set[str],
    known: references.References,
    ended: list[tuple[Function, events.Event]],
    depth: int,
) -> bool:
    name, receiver = places.last_name(call.callee), places.receiver(call)
    if "never returns" in function.program.models.verbs(name) or name in _FREES:
        return True
    if receiver is not None and destroyed.is_it(receiver, own):
        return "~" not in name
    if known.is_macro(call):
        return _macro_may_free(function.program, name)
    for index, argument in enumerate(call.args):
        if not _has_it(argument, own):
            continue
        helper = destroyed.helper(call, index, function)
        if helper is not None and len(helper.record.parameters) == len(call.args):
            if _may_free(helper, ended, depth + 1):
                return True
        elif call.kind != "call" or not _is_only_lent(call, index, function, known):
            return True
    return call.kind == "call" and isinstance(call.callee, r.Unary)  # through a pointer, which may have it


def _is_only_lent(call: r.Call, index: int, function: Function, known: references.References) -> bool:
    """Whether a library gets the object, and a model or its name says that it frees nothing."""
    if known.use(call, index, function) not in _LENT:
        return False
    return known.model(call, function) is not None or not pairs.releasing_verb(places.last_name(call.callee))


def _macro_may_free(program: Program, name: str) -> bool:
    """Whether a macro of the project, or one that it is made of, comes to what may free an object: a slot, or a
    function that is called so, or one of the project."""
    said = destroyed.words_of(name, program)
    return any(word in _FREES or pairs.releasing_verb(word) or program.index.functions_called(word) for word in said)


def _ends_part(call: r.Call, function: Function, own: set[str], known: references.References) -> bool:
    """Whether a part of the object ends there: a reference that a member has, or all by its destructor."""
    receiver = places.receiver(call)
    if receiver is not None and destroyed.is_it(receiver, own):
        return "~" in places.last_name(call.callee)
    return any(
        known.use(call, index, function) == "released" and destroyed.is_member(argument, own)
        for index, argument in enumerate(call.args)
    )
