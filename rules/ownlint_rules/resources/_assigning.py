"""Assignment operators and setters that give a member a new handle, and lose the one that the object has had until
then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, glance, places, resources, types
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources._emptying import other_object
from ownlint_rules.resources._overwriting import SlotFilling, is_member
from ownlint_rules.resources._slot_enders import enders
from ownlint_rules.resources._slots import Slot, is_by_constructor, slots


class Assigned(NamedTuple):
    function: Function
    write: e.Write
    field: r.Field
    made_by: Function | None = None
    """The constructor that fills the field into which `function` puts what its caller gives."""


def assigned(cls: Class, program: Program) -> Iterator[Assigned]:
    """What the assignment operators of a class lose of what its destructor would release."""
    methods = [one for one in cls.methods if one.name == "operator=" and other_object(one, cls) is not None]
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


def set_by_caller(cls: Class, program: Program) -> Iterator[Assigned]:
    """What methods lose of what a constructor has put into a member, and the destructor would release."""
    if cls.destructor is None or not cls.constructors or cls.record.kind == "union":
        return
    for field, stores in slots(program).fields(cls):
        word = f"={field.name}"
        setting = [one for one in cls.methods if word in one.mentioned and _may_set(one)]
        if field.static or not setting or not slots(program).is_raw(field.type, cls):
            continue
        made_by = next((one.function for one in stores if is_by_constructor(one, cls)), None)
        slot = Slot(cls, field, ())
        if made_by is None or not enders(program).is_released_by_destructor(slot):
            continue
        for method in setting:
            write = _overwriting_write(method, slot)
            if write is not None:
                yield Assigned(method, write, field, made_by)


def _may_set(method: Function) -> bool:
    """Whether others call it to give the object something."""
    record = method.record
    is_setter = record.kind == "method" and method.name != "operator=" and record.access != "private"
    return is_setter and any(types.parse(one.type).pointers == 1 for one in record.parameters)


def _overwriting_write(method: Function, slot: Slot) -> e.Write | None:
    """Where a parameter is put into the member, which nobody has asked for or released until then."""
    given = {one.name for one in method.record.parameters if types.parse(one.type).pointers == 1}
    name = slot.field.name
    writes = [one for one in method.flow.writes if is_member(one.target, name, method)]
    if len(writes) != 1 or not isinstance(value := places.strip(writes[0].value), r.Name) or value.text not in given:
        return None
    filling = SlotFilling(method, slot, list(enders(method.program).enders(slot)))
    before = method.flow.before(writes[0])
    return None if any(filling.settles(one) for one in before) else writes[0]


def _lost(method: Function, slot: Slot) -> Iterator[Assigned]:
    other = other_object(method, slot.cls)
    writes = [
        one for one in method.flow.writes if one.value is not None and is_member(one.target, slot.field.name, method)
    ]
    if other is None or not other.name or not writes:
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
        if gets and not any(filling.settles(one) for one in method.flow.before(write)):
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
