"""Handles that somebody else owns, put into a slot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, duties, pairs, places, resources, text, types
from ownlint import records as r


class Borrowed(NamedTuple):
    function: Function
    node: r.Node
    whose: str
    """Whom the handle belongs to, as a clause: "`current` belongs to the caller"."""


def puts(function: Function) -> Iterator[tuple[r.Node, r.Value, r.Value]]:
    """What the body puts where: the node, the place or container, and the value."""
    words = function.program.models.containers.puts
    for inner in function.values:
        match inner:
            case r.Assign(op="=", target=r.Index() as target, value=held):
                yield inner, target, held
            case r.Call(callee=r.Member(base=base, name=name), args=(*_, last)) if name in words:
                if name not in _KEY_FIRST or len(inner.args) > 1:
                    yield inner, base, last


_KEY_FIRST = frozenset({"try_emplace"})
"""Methods of maps alone: the only argument is the key."""
_MOST_ACCESSORS = 3
"""So many functions are asked, one of which answers with what the next does."""


def whose(value: r.Value, function: Function, *, is_mixed: bool, depth: int = _MOST_ACCESSORS) -> str:
    """Whom a value belongs to that is not the function's to give away; empty when it may well be. A parameter counts
    where the function puts in acquired ones as well (`is_mixed`)."""
    given = _paired(places.strip(value))
    if isinstance(given, r.Name):
        if any(parameter.name == given.text for parameter in function.record.parameters):
            is_kept = is_mixed and not _is_set(given.text, function)
            return f"`{given.text}` belongs to the caller" if is_kept else ""
        given = _initial(given.text, function)
    match given:
        case r.Unary(op="&", value=r.Name(text=name) | r.Member(base=r.Name(text="this"), name=name)) if _is_object(
            name, function
        ):
            return f"`{name}` is not an owned handle"
        case r.Call(kind="call"):
            return _whose_result(given, function, depth)
    return ""


def _whose_result(call: r.Call, function: Function, depth: int) -> str:
    program: Program = function.program
    name, owner = places.last_name(call.callee), places.receiver(call)
    if resources.resources(program).acquisition(call, function) is not None:
        return ""
    if owner is not None and name == "get" and not call.args:
        roles = set(program.types.roles(program.types.of(owner, function), function))
        return (
            f"`{text(owner)}` owns the object stored here"
            if roles & duties.OWNING and "intrusive pointer" not in roles and not _is_given_up(owner, function)
            else ""
        )
    callee = program.calls.callee(call, function)
    borrowed = f"the object stored here is borrowed from `{name}`"
    if callee.functions:
        lends = bool(depth) and callee.all_defined and all(_lends(one, depth - 1) for one in callee.functions)
        return borrowed if lends else ""
    return borrowed if callee.records and pairs.is_getter(name) and name not in ("get", "at", "Get") else ""


def _is_given_up(owner: r.Value, function: Function) -> bool:
    """Whether the function has the owner let go of what it holds: `all.push_back(p.get()); p.release();`."""
    disowning = function.program.models.functions_with("disown")
    return any(
        last in disowning and text(on) == text(owner)
        for call in function.calls()
        if (last := places.last_name(call.callee)) and (on := places.receiver(call)) is not None
    )


def _lends(function: Function, depth: int) -> bool:
    """Whether a function returns nothing but borrowed pointers and null."""
    answers = [
        one.value
        for one in function.statements
        if isinstance(one, r.Leave) and one.kind == "return" and not _is_null(one.value)
    ]
    return bool(answers) and all(
        one is not None and whose(one, function, is_mixed=False, depth=depth) != "" for one in answers
    )


def _is_null(value: r.Value | None) -> bool:
    inner = places.strip(value)
    return isinstance(inner, r.Literal) and (inner.kind == "null" or inner.text == "0")


def _paired(value: r.Value | None) -> r.Value | None:
    """The value of a pair that is inserted: `{key, handle}`."""
    match value:
        case r.Aggregate(items=(_, last)):
            return places.strip(last)
    return value


def _is_set(name: str, function: Function) -> bool:
    return function.mentions(f"={name}")


def _initial(name: str, function: Function) -> r.Value | None:
    """What a local begins with, unless it is set again."""
    return None if _is_set(name, function) else places.strip(function.locals.get(name, ("", None))[1])


def _is_object(name: str, function: Function) -> bool:
    """A local or a member by value, whose address nobody can release."""
    written = function.locals[name][0] if name in function.locals else ""
    if not written and function.home is not None and (found := function.home.field(name)) is not None:
        written = found[1].type
    kind = types.parse(written)
    return bool(written) and not kind.pointers and not kind.reference and not kind.is_placeholder
