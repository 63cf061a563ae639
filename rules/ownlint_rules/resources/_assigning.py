"""Assignment operators that give a member a new handle, and lose the one that the object has had until then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, glance, places, resources, types
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources._overwriting import SlotFilling, is_member
from ownlint_rules.resources._slot_enders import enders
from ownlint_rules.resources._slots import Slot, slots


class Assigned(NamedTuple):
    function: Function
    write: e.Write
    field: r.Field


def assigned(cls: Class, program: Program) -> Iterator[Assigned]:
    """What the assignment operators of a class lose of what its destructor would release."""
    methods = [one for one in cls.methods if one.name == "operator=" and _other(one, cls) is not None]
    if not methods or cls.destructor is None or cls.record.kind == "union":
        return
    for field in cls.record.fields:
        saying = [one for one in methods if glance.says(one, field.name)]
        if field.static or not saying or not slots(program).is_raw(field.type, cls):
            continue
        slot = Slot(cls, field, ())
        if enders(program).is_released_by_destructor(slot):
            for method in saying:
                yield from _lost(method, slot)


def _other(method: Function, cls: Class) -> r.Parameter | None:
    """The parameter, where another object of the class is assigned."""
    given = method.record.parameters
    if len(given) != 1 or not given[0].name:
        return None
    kind = types.parse(given[0].type)
    return given[0] if kind.reference and not kind.pointers and kind.last == cls.name else None


def _lost(method: Function, slot: Slot) -> Iterator[Assigned]:
    other = _other(method, slot.cls)
    writes = [
        one for one in method.flow.writes if one.value is not None and is_member(one.target, slot.field.name, method)
    ]
    if other is None or not writes:
        return
    is_moved = other.type.rstrip().endswith("&&")
    known = resources.resources(method.program)
    filling = SlotFilling(method, slot, list(enders(method.program).enders(slot)), besides=frozenset({other.name}))
    for write in writes:
        if is_moved:
            gets = _is_of(write.value, other.name, slot.field.name) and _is_emptied(method, other.name, slot.field.name)
        else:
            made = (inner for inner in places.walk(write.value) if isinstance(inner, r.Call))
            gets = any(known.acquisition(inner, method) is not None for inner in made)
        if gets and not any(filling.settles(one) or _is_unseen(method, one) for one in method.flow.before(write)):
            yield Assigned(method, write, slot.field)


def _is_of(value: r.Value | None, other: str, name: str) -> bool:
    """`other.name`, and `std::exchange(other.name, ..)`."""
    inner = places.strip(value)
    if isinstance(inner, r.Call) and places.last_name(inner.callee) == "exchange" and inner.args:
        inner = places.strip(inner.args[0])
    return isinstance(inner, r.Member) and inner.name == name and places.is_name(inner.base, other)


def _is_emptied(method: Function, other: str, name: str) -> bool:
    """Whether the other object does not have it any more."""
    return any(
        (isinstance(inner, r.Assign) and _is_of(inner.target, other, name))
        or (isinstance(inner, r.Call) and places.last_name(inner.callee) == "exchange" and _is_of(inner, other, name))
        for inner in method.values
    )


def _is_unseen(method: Function, event: e.Event) -> bool:
    """Whether a method of the object is called that may release something, for all that is seen of it."""
    if not isinstance(event, e.CallEvent) or event.node.kind != "call":
        return False
    on = places.receiver(event.node)
    if on is not None and not places.is_name(on, places.THIS):
        return False
    callee = method.program.calls.callee(event.node, method)
    return not callee.functions and not callee.models and (bool(callee.records) or isinstance(on, r.Name))
