"""Whether code only ever compares what it puts into an attribute: an address behind which nobody looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ownlint import Function, bodies, glance, places
from ownlint import records as r

_COMPARES = frozenset(["==", "!=", "is", "is not", "<", ">", "<=", ">=", "%"])
_MOST = 20


class ComparedPlace(NamedTuple):
    """An attribute of that name in the whole file, a local of one function, or what calls of that function give."""

    kind: Literal["attribute", "local", "result"]
    name: str
    function: Function | None = None


def is_only_compared(function: Function, attribute: str) -> bool:
    """Every read of the attribute in the file, and of what it is handed on to by names and returns, is an operand of a
    comparison or an argument of an assertion; there is one at least."""
    inside = function.program.functions_in(function.path)
    pending = [ComparedPlace("attribute", attribute)]
    asked = False
    for place in pending:
        for user in inside:
            if place.kind == "local" and user is not place.function:
                if user.parent is place.function and _says(user, place.name) and not _binds(user, place.name):
                    return False  # a nested function looks at it
                continue
            if not _says(user, place.name):
                continue
            for goes in _uses(user, place):
                if goes is None or len(pending) > _MOST:
                    return False
                asked = asked or goes is place
                if goes not in pending:
                    pending.append(goes)
    return asked


def _says(function: Function, name: str) -> bool:
    return glance.says(function, name)


def _binds(function: Function, name: str) -> bool:
    """Whether the name is one of the function's own, no matter what it is around it."""
    return name in bodies.declared_names(function.record, function.body, True)


def _uses(function: Function, place: ComparedPlace) -> Iterator[ComparedPlace | None]:
    """What becomes of the place where the function looks at it: the place itself where it is compared, where it goes,
    or None."""
    for statement in function.statements:
        for value in bodies.values(statement):
            where = "return" if isinstance(statement, r.Leave) and statement.kind == "return" else ""
            yield from _goes(value, function, place, where)


def _goes(value: r.Value, function: Function, place: ComparedPlace, where: str) -> Iterator[ComparedPlace | None]:
    match value:
        case r.Assign(target=target, op="=", value=given):
            for to in target.items if isinstance(target, r.Aggregate) else (target,):
                if not _is(to, place):
                    yield from _goes_inside(to, place)
            if _is(given, place):
                names = target.items if isinstance(target, r.Aggregate) else (target,)
                local = function.record.kind != "module" and all(isinstance(name, r.Name) for name in names)
                bound = [ComparedPlace("local", name.text, function) for name in names if isinstance(name, r.Name)]
                yield from bound if local else (None,)
            else:
                yield from _goes(given, function, place, "")
        case r.Aggregate(kind="tuple", items=items) if where == "return":
            for item in items:
                yield from _goes(item, function, place, where)
        case _ if _is(value, place):
            yield ComparedPlace("result", function.name) if where == "return" and function.name else None
        case _:
            yield from _goes_inside(value, place)


def _goes_inside(value: r.Value, place: ComparedPlace) -> Iterator[ComparedPlace | None]:
    """Each occurrence inside an expression: fine as the side of a comparison or in an assertion."""
    compared: set[int] = set()
    for part in places.walk(value):
        match part:
            case r.Binary(op=op, left=left, right=right) if op in _COMPARES:
                compared |= {id(left), id(right)}
            case r.Call(callee=callee, args=args) if places.last_name(callee).lower().startswith("assert"):
                compared |= {id(argument) for argument in args}
        if _is(part, place):
            yield place if id(part) in compared else None


def _is(value: r.Value, place: ComparedPlace) -> bool:
    match value:
        case r.Member(name=name):
            return place.kind == "attribute" and name == place.name
        case r.Name(text=name):
            return place.kind == "local" and name == place.name
        case r.Call(callee=callee):
            return place.kind == "result" and places.last_name(callee) == place.name
    return False
