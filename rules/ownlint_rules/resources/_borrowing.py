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
                yield inner, base, last


def whose(value: r.Value, function: Function, *, is_mixed: bool) -> str:
    """Whom a value belongs to that is not the function's to give away; empty when it may well be. A parameter counts
    where the function puts in acquired ones as well (`is_mixed`)."""
    given = _paired(places.strip(value))
    if isinstance(given, r.Name):
        if any(parameter.name == given.text for parameter in function.record.parameters):
            is_kept = is_mixed and not _is_moved(value) and not _is_set(given.text, function)
            return f"`{given.text}` belongs to the caller" if is_kept else ""
        given = _initial(given.text, function)
    match given:
        case r.Unary(op="&", value=r.Name(text=name) | r.Member(base=r.Name(text="this"), name=name)) if _is_object(
            name, function
        ):
            return f"`{name}` is not an owned handle"
        case r.Call(kind="call"):
            return _whose_result(given, function)
    return ""


def _whose_result(call: r.Call, function: Function) -> str:
    program: Program = function.program
    name, owner = places.last_name(call.callee), places.receiver(call)
    if resources.resources(program).acquisition(call, function) is not None:
        return ""
    if owner is not None and name == "get" and not call.args:
        roles = set(program.types.roles(program.types.of(owner, function), function))
        return (
            f"`{text(owner)}` owns the object stored here"
            if roles & duties.OWNING and "intrusive pointer" not in roles
            else ""
        )
    if not pairs.is_getter(name) or name in ("get", "at", "Get"):
        return ""
    callee = program.calls.callee(call, function)
    if any(resources.resources(program).duties.of(one).made is not None for one in callee.functions):
        return ""
    return f"the object stored here is borrowed from `{name}`" if callee.records and len(callee.functions) == 0 else ""


def _paired(value: r.Value | None) -> r.Value | None:
    """The value of a pair that is inserted: `{key, handle}`, `std::make_pair(key, handle)`."""
    match value:
        case r.Aggregate(items=(_, last)):
            return places.strip(last)
        case r.Call(args=(_, last)) if places.last_name(value.callee) in ("make_pair", "pair"):
            return places.strip(last)
    return value


def _is_moved(value: r.Value) -> bool:
    return isinstance(value, r.Call) and places.last_name(value.callee) in ("move", "exchange")


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
