"""What was found last: a member that points to one of the objects to which another member of its class leads, so that
the same question is answered at once. Who ends such an object has to empty it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, containers, events, natives, places, questions, records, types
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _owners as owners
from ownlint_rules.registries import _registries as registries

_DEEPEST = 2
"""Calls that are followed to what empties the member."""


class RememberedSlot(NamedTuple):
    """`member` of the objects of `home` points to an object of `held`; `put`, in `filler`, remembers one there."""

    home: Class
    member: str
    held: Class
    filler: Function
    put: events.Event


class StaleSlot(NamedTuple):
    """`function` ends `said` at an event, and leaves the slot alone."""

    slot: RememberedSlot
    function: Function
    at: events.Event
    said: records.Value


def left(home: Class) -> Iterator[StaleSlot]:
    """For the slots of a class, each function that has an object of it at hand and does so, at the first place."""
    program = home.program
    for slot in _slots(home):
        reading = [function for function in _sayers(program, slot) if _uses(function, slot)]
        ended = list(owners.ended(program, slot.held.name))
        if not reading or any(_is_slot(function, said, slot) for function, _, said in ended):
            continue  # nothing asks it, or it owns what it leads to
        seen: set[Function] = set()
        for function, at, said in ended:
            if function in seen or not _has_at_hand(function, slot) or registries.is_made_here(function, said):
                continue
            seen.add(function)
            if _concerns(function, slot) or _ends_home(function, slot) or _is_dated(function, reading, slot):
                continue
            callers = [one for one in program.index.callers(function) if any(registries.calls_of(one, function))]
            if callers and all(_concerns(one, slot, 0) or _ends_home(one, slot) for one in callers):
                continue
            yield StaleSlot(slot, function, at, said)


def _slots(home: Class) -> Iterator[RememberedSlot]:
    """The members that lead to one object and get what a function answers with, where another member leads to several
    of the class."""
    names = home.program.names
    for field in home.record.fields:
        kind = types.parse(names.expand(field.type, home.file, home.symbol))
        if kind.pointers != 1 or kind.is_scalar or field.static or kind.arguments or "[" in field.type:
            continue
        held = names.find_class(kind.name, home.symbol, home.file)
        if held is None or held is home or not _leads_to_several(home, held, field):
            continue
        fillers = ((one, _remembers(one, home, field.name)) for one in member_stores.storing(home, field.name))
        filler = next(((one, put) for one, put in fillers if put is not None), None)
        if filler is not None:
            yield RememberedSlot(home, field.name, held, *filler)


def _leads_to_several(home: Class, held: Class, slot: records.Field) -> bool:
    """Whether a container, or an array, of the class leads to objects."""
    for field in home.record.fields:
        if field is slot:
            continue
        kind = types.parse(home.program.names.expand(field.type, home.file, home.symbol))
        if "[" in field.type and types.parse(field.type.partition("[")[0]).last == held.name:
            return True
        if kind.pointers == 2 and kind.last == held.name:
            return True
        if any(held.name in _named(argument) for argument in kind.arguments):
            return True
    return False


def _named(written: str) -> set[str]:
    kind = types.parse(written)
    return {kind.last, *(name for argument in kind.arguments for name in _named(argument))}


def _remembers(function: Function, home: Class, member: str) -> events.Event | None:
    """Where the function stores in the member what it answers with."""
    if function.record.kind in ("constructor", "destructor"):
        return None
    returned = {
        containers.key_text(function, leave.value)
        for leave in function.flow.leaves
        if leave.kind == "return" and leave.value is not None
    }
    for store in member_stores.stores_of(function, member, home):
        inner = places.strip(store.value)
        said = {containers.key_text(function, store.target), containers.key_text(function, store.value)}
        if inner is not None and not isinstance(inner, records.Literal) and returned & said:
            return store.at
    return None


def _sayers(program: Program, slot: RememberedSlot) -> list[Function]:
    return _by_word(program).ask(slot.member, lambda: _saying(program, slot.member))


def _saying(program: Program, word: str) -> list[Function]:
    said = f'"{word}"'.encode()
    return [one for one in program.functions if one.language == "cpp" and said in one.encoded]


@questions.program_question
def _by_word(program: Program) -> questions.Answers[str, list[Function]]:
    """Which functions say a word; one object a program, since its answers are remembered."""
    return questions.Answers()


def _is_slot(function: Function, value: records.Value | None, slot: RememberedSlot) -> bool:
    """Whether an expression is the member of an object of the class."""
    match places.strip(value):
        case records.Member(base=base, name=name) if name == slot.member:
            return member_stores.is_of_class(function, base, slot.home, strict=True)
        case records.Name(text=name) if name == slot.member and name not in function.declared:
            return function.home is not None and slot.home in function.home.ancestry
    return False


def _uses(function: Function, slot: RememberedSlot) -> bool:
    """Whether the function reads from the object to which the member leads, itself or by a local that it gave."""
    leading = {
        name
        for name, (_, initial) in function.locals.items()
        if any(_is_slot(function, inner, slot) for inner in places.walk(initial))
    }
    return any(
        isinstance(inner, records.Member)
        and (
            _is_slot(function, inner.base, slot)
            or (isinstance(base := places.strip(inner.base), records.Name) and base.text in leading)
        )
        for event in function.flow
        if isinstance(event, events.Test | events.LeaveEvent | events.Write)
        for inner in places.walk(event.value)
    )


def _has_at_hand(function: Function, slot: RememberedSlot) -> bool:
    """Whether it is a method of the class, or is given a pointer to an object of it."""
    if function.home is not None and slot.home in function.home.ancestry:
        return True
    return any(
        types.parse(one.type).last == slot.home.name
        and function.program.names.find_class(types.parse(one.type).name, function.record.scope, function.file)
        is slot.home
        for one in function.record.parameters
    )


def _concerns(function: Function, slot: RememberedSlot, depth: int = _DEEPEST) -> bool:
    """Whether the function, or one that it calls, has to do with the member."""
    if f'"{slot.member}"'.encode() in function.encoded:
        return True
    return depth > 0 and any(
        _concerns(callee, slot, depth - 1)
        for call in function.flow.calls
        for callee in function.program.calls.callee(call.node, function).functions
        if callee is not function
    )


def _ends_home(function: Function, slot: RememberedSlot) -> bool:
    """Whether the member ends with what it leads to."""
    if function.record.kind == "destructor":
        return True
    if natives.ends_itself(function) is not None and slot.home in natives.homes(function):
        return True
    return any(one is function for one, _, _ in owners.ends(function.program).get(slot.home.name, ()))


def _is_dated(function: Function, reading: list[Function], slot: RememberedSlot) -> bool:
    """Whether who asks the member compares another one of the object, a count or a number of a state, that the function
    stores: what it finds there is out of date then, and is not used."""
    members = {field.name for field in slot.home.record.fields} - {slot.member}
    stored = {
        places.last_name(write.target)
        for write in function.flow.writes
        if not write.fresh and isinstance(places.strip(write.target), records.Member | records.Name)
    }
    dates = members & stored
    return bool(dates) and all(
        any(
            isinstance(inner, records.Binary)
            and inner.op in ("==", "!=")
            and any(places.last_name(side) in dates for side in (inner.left, inner.right))
            and all(_is_kept(one, side, members) for side in (inner.left, inner.right))
            for event in one.flow
            if isinstance(event, events.Test | events.LeaveEvent | events.Write)
            for inner in places.walk(event.value)
        )
        for one in reading
    )


def _is_kept(function: Function, value: records.Value, members: set[str]) -> bool:
    """Whether an expression is a member, of the object or of what it leads to."""
    inner = places.strip(value)
    if isinstance(inner, records.Name):
        return inner.text in members and inner.text not in function.declared
    return isinstance(inner, records.Member)
