"""Pointers that stand for what the function owns, although no call that hands out says so: one that a call fills in
and that an owner is given later (whoever gives a pointer to an owner has owned it from the start), and what a new
object answers that is known to nobody else.
"""

from __future__ import annotations

import re

from ownlint import Function, because, pairs, places, questions, resources, text, types
from ownlint import records as r

_ADDRESS = re.compile(rb'"&"')
_POINTER = re.compile(rb"\w ?\*\"")
"""A declared type that ends so."""
_OWNS = re.compile(rb"_ptr\b|[a-z]Ptr\b")


def may_be_filled(function: Function) -> bool:
    """False when no local is filled in through its address and given to an owner. Needs no decoding."""
    if not (function.mentions("reset") or function.says(_OWNS)):
        return False
    return function.says(_ADDRESS) and function.says(_POINTER)


@questions.flow_question
def adopted(function: Function) -> frozenset[str]:
    """Locals, pointers to objects, that the function gives to an owner: `owner.reset(p)`, `unique_ptr<T> owner(p)`."""
    if not may_be_filled(function):
        return frozenset()
    found = resources.resources(function.program)
    given: set[str] = set()
    for event in function.flow.calls:
        first = places.strip(event.node.args[0]) if event.node.args else None
        if not isinstance(first, r.Name) or not _is_pointer(function, first.text):
            continue
        if found.taking(event.node, function, 0) == "adopted":
            given.add(first.text)
    return frozenset(given)


def filled(function: Function, call: r.Call) -> resources.Acquisition | None:
    """What a call of which no body is seen writes to a local that an owner is given later. A look-up is none: what it
    finds may be taken out of where it is kept in between."""
    if pairs.is_getter(places.last_name(call.callee)) or call.kind != "call":
        return None
    if function.program.calls.callee(call, function).functions:
        return None
    for index, argument in enumerate(call.args):
        match places.strip(argument):
            case r.Unary(op="&", value=r.Name(text=name)) if name in adopted(function):
                certainty = because("name", f"that `{name}` is owned is told by where it goes")
                return resources.Acquisition(resources.argument(index), (), "an owner is given it later", certainty)
    return None


def part_of_new(function: Function, call: r.Call) -> resources.Acquisition | None:
    """`part = (new Whole(x))->part()`: from there on the part is the only way to the object."""
    callee = places.strip(call.callee)
    made = places.strip(callee.base) if isinstance(callee, r.Member) else None
    if not isinstance(made, r.Call) or made.kind != "new":
        return None
    records = function.program.calls.callee(call, function).records
    if not records or not all(types.parse(record.result).pointers == 1 for record in records):
        return None
    why = because("sharing", f"harmless if `{text(made.callee)}` hands itself to somebody")
    return resources.Acquisition(resources.RESULT, (), "a new object answers it", why)


def _is_pointer(function: Function, name: str) -> bool:
    if name not in function.locals or name in {parameter.name for parameter in function.record.parameters}:
        return False
    kind = types.parse(function.locals[name][0])
    return kind.pointers == 1 and kind.last not in ("void", "char")
