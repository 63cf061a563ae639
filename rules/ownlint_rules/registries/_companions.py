"""Two containers of one class: one owns the objects, the other has bare pointers to them. Who takes an object out of
the first ends it, and the pointer in the second stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, events, glance, places, records, types


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
    put: events.CallEvent


def left_behind(home: Class) -> Iterator[LeftBehind]:
    for one in _companions(home):
        filler = next(iter(_fillers(home, one)), None)
        if filler is None or not any(_looks_up(method, one) for method in home.methods):
            continue
        takers = [method for method in home.methods if any(_taken(method, one.pointers.name))]
        if _ended_by_held(home, one, takers):
            continue
        for method in home.methods:
            if method.record.kind in ("destructor", "constructor") or _concerns(method, one.pointers.name):
                continue
            if _keeps_object(method):
                continue
            for call in _taken(method, one.owner.name):
                yield LeftBehind(method, call, one, *filler)
                break


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
            inner = home.program.types.roles_at(argument, home.file, home.symbol)
            if "smart pointer" in inner and "shared pointer" not in inner and kind.arguments:
                owners.setdefault(types.parse(kind.arguments[0]).last, field)
            elif kind.pointers == 1 and home.program.names.find_class(kind.name, home.symbol, home.file) is not None:
                pointers.setdefault(kind.last, []).append(field)
    for held, owner in owners.items():
        for field in pointers.get(held, ()):
            yield Companion(owner, field, held)


def _member_of(call: events.CallEvent) -> str:
    """The member that a method is called on: `by_id_.erase(it)`, `this->by_id_.clear()`."""
    on = places.strip(places.receiver(call.node))
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


def _fillers(home: Class, one: Companion) -> Iterator[tuple[Function, events.CallEvent]]:
    """Where the bare pointer of what the owner gets is put in, or anything that is found by its address."""
    known = home.program.models.containers
    puts = known.inserts | known.appends | known.replaces
    for method in home.methods:
        for call in method.flow.calls:
            if _member_of(call) == one.pointers.name and places.last_name(call.node.callee) in puts:
                given = [places.strip(argument) for argument in call.node.args]
                if any(isinstance(arg, records.Unary) and arg.op == "&" for arg in given) or any(
                    isinstance(arg, records.Call) and places.last_name(arg.callee) == "get" and not arg.args
                    for arg in given
                ):
                    yield method, call


def _looks_up(method: Function, one: Companion) -> bool:
    known = method.program.models.containers
    return any(
        _member_of(call) == one.pointers.name and places.last_name(call.node.callee) in known.looks
        for call in method.flow.calls
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


def _keeps_object(method: Function) -> bool:
    """Whether the object may live on: it is moved out, or the owner gives it up."""
    return method.mentions("move", "release", "extract", "swap", "exchange", "forward")


def _ended_by_held(home: Class, one: Companion, takers: list[Function]) -> bool:
    """Whether the object takes its pointer out itself when it ends, or somebody else does."""
    names = {method.name for method in takers}
    for cls in home.program.classes:
        if cls.name == one.held and cls.destructor is not None and any(map(cls.destructor.mentions, names)):
            return True
    return any(
        caller.home is not home and caller.language == "cpp"
        for method in takers
        if method.record.kind != "destructor"
        for caller in home.program.index.callers_by_name(method.name)
    ) and not any(_taken_with_owner(method, one) for method in takers)


def _taken_with_owner(method: Function, one: Companion) -> bool:
    return any(_taken(method, one.owner.name))
