"""Two containers of one class: one owns the objects, the other has bare pointers to them. Who takes an object out of
the first ends it, and the pointer in the second stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, conditions, events, glance, habits, places, records, types

_OWNERS = frozenset({"smart pointer", "shared pointer", "intrusive pointer", "scoped owner"})


class Companion(NamedTuple):
    """`held` is what the members `owner` and `pointers` are containers of."""

    owner: records.Field
    pointers: records.Field
    held: str


class LeftBehind(NamedTuple):
    """A method takes an object out of the owner alone; `put` is where the other container gets a pointer."""

    method: Function
    at: events.CallEvent
    companion: Companion
    filler: Function
    put: events.Event


def left_behind(home: Class) -> Iterator[LeftBehind]:
    """Each method of the class that does so, at the first place."""
    for one in _companions(home):
        filler = next(iter(_fillers(home, one)), None)
        if filler is None or not any(_looks_up(method, one) for method in home.methods):
            continue
        takers = [method for method in home.methods if any(_taken(method, one.pointers.name))]
        if _takes_itself_out(home, one, takers) or _is_taken_from_outside(home, one, takers):
            continue
        for method in home.methods:
            if method.record.kind in ("destructor", "constructor") or _concerns(method, one.pointers.name):
                continue
            if any(caller is not method and caller in takers for caller in home.program.index.callers(method)):
                continue  # judged there
            call = None if method.mentions_any(habits.MOVES_OUT) else next(_taken(method, one.owner.name), None)
            if call is not None:
                yield LeftBehind(method, call, one, *filler)


def _companions(home: Class) -> Iterator[Companion]:
    owners: dict[str, records.Field] = {}
    pointers: dict[str, list[records.Field]] = {}
    for field in home.record.fields:
        if field.static or not types.parse(field.type).arguments:
            continue
        written = types.parse(home.program.names.expand(field.type, home.file, home.symbol))
        roles = home.program.types.roles_at(field.type, home.file, home.symbol)
        if not {"associative", "sequence", "set", "container"}.intersection(roles):
            continue
        for argument in written.arguments:
            kind = types.parse(argument)
            held, is_shared = owned(home, argument)
            if not held and argument is written.arguments[-1] and "stable container" in roles:
                held = _of_value(home, argument)
            if held and not is_shared:
                owners.setdefault(held, field)
            elif kind.pointers == 1 and home.program.names.find_class(kind.name, home.symbol, home.file) is not None:
                pointers.setdefault(kind.last, []).append(field)
    for held, owner in owners.items():
        for field in pointers.get(held, ()):
            yield Companion(owner, field, held)


def _member_of(call: events.CallEvent) -> str:
    """The member that a method is called on: `by_id_.erase(it)`, `this->by_id_.clear()`."""
    return _member(places.receiver(call.node))


def _member(value: records.Value | None) -> str:
    on = places.strip(value)
    if isinstance(on, records.Member) and isinstance(on.base, records.Name) and on.base.text == places.THIS:
        return on.name
    return on.text if isinstance(on, records.Name) else ""


def _taken(function: Function, member: str) -> Iterator[events.CallEvent]:
    """Where something is taken out of the member, by a method of it or by an algorithm that is given it."""
    takes = function.program.models.containers.takes
    for call in function.flow.calls:
        name = places.last_name(call.node.callee)
        given = places.strip(call.node.args[0]) if call.node.args else None
        if name in takes and (
            _member_of(call) == member
            or (isinstance(given, records.Name) and given.text == member and len(call.node.args) > 1)
        ):
            yield call


def _of_value(home: Class, argument: str) -> str:
    """The class whose objects are elements themselves, where pointers to them stay good while others come and go."""
    kind = types.parse(argument)
    cls = home.program.names.find_class(kind.name, home.symbol, home.file) if kind.is_value else None
    return cls.name if cls is not None and not kind.arguments else ""


def _fillers(home: Class, one: Companion) -> Iterator[tuple[Function, events.Event]]:
    """Where the bare pointer of what the owner gets is put in, or anything that is found by its address."""
    known = home.program.models.containers
    puts = known.inserts | known.appends | known.replaces
    for method in home.methods:
        for call in method.flow.calls:
            is_put = _member_of(call) == one.pointers.name and places.last_name(call.node.callee) in puts
            if is_put and any(_is_bare(method, argument) for argument in call.node.args):
                yield method, call
        for write in method.flow.writes:
            target = places.strip(write.target)
            is_put = isinstance(target, records.Index) and _member(target.base) == one.pointers.name
            if is_put and write.value is not None and _is_bare(method, write.value):
                yield method, write


def _is_bare(method: Function, argument: records.Value) -> bool:
    """Whether it is the address of something, or what an owner's `get` hands out, also by way of a local."""
    inner = places.strip(argument)
    if isinstance(inner, records.Name):
        inner = places.strip(conditions.computed_once(method, inner.text))
    return (isinstance(inner, records.Unary) and inner.op == "&") or (
        isinstance(inner, records.Call) and places.last_name(inner.callee) == "get" and not inner.args
    )


def _looks_up(method: Function, one: Companion) -> bool:
    known = method.program.models.containers
    return any(
        _member_of(call) == one.pointers.name and places.last_name(call.node.callee) in known.looks
        for call in method.flow.calls
    ) or any(
        isinstance(read.node, records.Index) and _member(read.node.base) == one.pointers.name
        for read in method.flow
        if isinstance(read, events.Read)
    )


def _concerns(method: Function, member: str, depth: int = 2) -> bool:
    """Whether the method, or one of its class that it calls, has to do with the member."""
    if glance.says(method, member):
        return True
    return depth > 0 and any(
        callee is not method and callee.home is method.home and _concerns(callee, member, depth - 1)
        for call in method.flow.calls
        for callee in method.program.calls.callee(call.node, method).functions
    )


def _takes_itself_out(home: Class, one: Companion, takers: list[Function]) -> bool:
    """Whether the destructor of the object calls what takes its pointer out."""
    names = {method.name for method in takers}
    held = (cls for cls in home.program.classes if cls.name == one.held)
    return any(cls.destructor is not None and cls.destructor.mentions_any(names) for cls in held)


def _is_taken_from_outside(home: Class, one: Companion, takers: list[Function]) -> bool:
    """Whether other code takes pointers out, by methods that leave the objects where they are."""
    if any(any(_taken(method, one.owner.name)) for method in takers):
        return False
    callers = home.program.index.callers_by_name
    names = {method.name for method in takers if method.record.kind != "destructor"}
    return any(caller.home is not home and caller.language == "cpp" for name in names for caller in callers(name))


def owned(cls: Class, written: str) -> tuple[str, bool]:
    """The last name of the class whose objects a smart pointer of the type owns, and whether others may own them, too;
    empty for any other type."""
    kind, roles = types.parse(written), cls.program.types.roles_at(written, cls.file, cls.symbol)
    if not kind.arguments or _OWNERS.isdisjoint(roles):
        return "", False
    return types.parse(kind.arguments[0]).last, "smart pointer" not in roles or "shared pointer" in roles
