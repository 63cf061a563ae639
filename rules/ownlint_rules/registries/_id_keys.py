"""Python: what an object keeps for others by their `id`, which is the address and comes again, and where such an object
is taken out of the container that keeps it alive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, events, places, records

_TAKES = frozenset({"pop", "popitem", "clear", "discard", "__delitem__"})
_REMOVES = frozenset({"remove", "discard", "pop", "popleft"})
_PUTS = frozenset({"append", "appendleft", "add", "insert", "extend", "push", "setdefault"})
_WEAK = frozenset({"finalize", "ref", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet"})


class _IdMap(NamedTuple):
    """`member` of the objects of `cls` leads from the id of `of` to what `filler` stores, at `put`."""

    cls: Class
    member: str
    filler: Function
    put: events.Event
    of: str
    keepers: frozenset[str]
    """Members of `cls` that keep the object alive as well; an empty name is one elsewhere."""


class Removed(NamedTuple):
    """`function` takes an object out of `container`, and leaves what `table` has for it."""

    function: Function
    at: events.Event
    container: str
    table: str
    filler: Function
    put: events.Event


def left(cls: Class) -> Iterator[Removed]:
    """For the maps by ids of a class, each function that does so, at the first place."""
    for one in _maps(cls):
        takers = _takers(cls.program, one)
        names = {function.name for function in takers}
        for function in cls.program.functions:
            if function.language != "python" or function in takers or function.home is None:
                continue
            if not function.mentions(*_REMOVES) or function.mentions(*names):
                continue
            if function.home is not cls and not _has_one(function.home, cls):
                continue
            if any(caller in takers for caller in cls.program.index.callers(function)):
                continue
            found = next(_removals(function, one), None)
            if found is not None:
                yield Removed(function, *found, one.member, one.filler, one.put)


def _maps(cls: Class) -> Iterator[_IdMap]:
    seen: set[str] = set()
    for method in cls.methods:
        if not method.mentions("id") or method.mentions(*_WEAK):
            continue
        for event, member, key, value in _stores(method):
            of = _id_of(method, key)
            if of and member not in seen and not _keeps(value, of) and _is_searched(cls, member):
                seen.add(member)
                yield _IdMap(cls, member, method, event, of, _keepers(method, of))


def _stores(method: Function) -> Iterator[tuple[events.Event, str, records.Value, records.Value | None]]:
    """What is stored in maps of the object itself: where, in which member, under which key."""
    for event in method.flow:
        match event:
            case events.Write(target=records.Index(base=base, indexes=(key,)), value=value, op="="):
                member = _own(base)
            case events.CallEvent(
                node=records.Call(callee=records.Member(base=base, name="setdefault"), args=(key, value))
            ):
                member = _own(base)
            case _:
                continue
        if member:
            yield event, member, key, value


def _own(value: records.Value | None) -> str:
    """The member of the object itself that an expression is."""
    match places.strip(value):
        case records.Member(base=records.Name(text="self" | "cls"), name=name):
            return name
    return ""


def _id_of(method: Function, key: records.Value) -> str:
    """The name of which a key is the `id`, here or by a local."""
    inner = places.strip(key)
    if isinstance(inner, records.Name):
        made = [write.value for write in method.flow.writes if write.place == (inner.text,)]
        inner = places.strip(made[0]) if len(made) == 1 else None
    match inner:
        case records.Call(callee=records.Name(text="id"), args=(records.Name(text=name),)):
            return name
    return ""


def _keepers(method: Function, of: str) -> frozenset[str]:
    """The members of the object in which the method stores the other too, and which keep it alive."""
    found: set[str] = set()
    for event in method.flow:
        match event:
            case events.Write(target=records.Member() as target, value=given) if _keeps(given, of):
                found.add(_own(target))
            case events.Write(target=records.Index(base=base), value=given) if _keeps(given, of):
                found.add(_own(base))
            case events.CallEvent(node=records.Call(callee=records.Member(base=base, name=name), args=args)):
                if name in _PUTS and any(_keeps(argument, of) for argument in args):
                    found.add(_own(base))
    return frozenset(found)


def _keeps(value: records.Value | None, of: str) -> bool:
    match places.strip(value):
        case records.Name(text=name):
            return name == of
        case records.Aggregate(items=items):
            return any(_keeps(item, of) for item in items if not isinstance(item, str))
        case records.Call(callee=callee, args=args):
            return places.last_name(callee)[:1].isupper() and any(_keeps(argument, of) for argument in args)
        case records.Lambda():
            return True
    return False


def _is_searched(cls: Class, member: str) -> bool:
    """Whether a method looks something up there by an `id`."""
    for method in cls.methods:
        for event in method.flow if method.mentions("id") else ():
            match event:
                case events.CallEvent(
                    node=records.Call(callee=records.Member(base=base, name="get"), args=(key, *_))
                ) if _own(base) == member and _id_of(method, key):
                    return True
                case events.Read(node=records.Index(base=base, indexes=(key,))) if _own(base) == member:
                    if _id_of(method, key):
                        return True
    return False


def _takers(program: Program, one: _IdMap) -> set[Function]:
    """The functions that take something out of the map, or put another in its place."""
    found: set[Function] = set()
    said = f'"{one.member}"'.encode()
    for function in program.functions:
        if function.language != "python" or said not in function.encoded:
            continue
        for event in function.flow:
            match event:
                case events.End(place=(*_, member, _)) if member == one.member:
                    found.add(function)
                case events.CallEvent(node=records.Call(callee=records.Member(base=base, name=name))) if (
                    name in _TAKES and places.last_name(base) == one.member
                ):
                    found.add(function)
                case events.Write(target=records.Member(name=member)) if (
                    member == one.member and function.name != "__init__"
                ):
                    found.add(function)
    return found


def _has_one(home: Class, cls: Class) -> bool:
    """Whether objects of the one class have one of the other."""
    if any(one is not cls and one.name == cls.name and one.file is home.file for one in cls.program.classes):
        return False  # the module has a class of that name of its own
    if any(cls.name in _words_of(field.type) for field in home.record.fields):
        return True
    return any(
        isinstance(made := places.strip(write.value), records.Call)
        and places.last_name(made.callee) == cls.name
        and bool(_own(write.target))
        for method in home.methods
        if f'"{cls.name}"'.encode() in method.encoded
        for write in method.flow.writes
    )


def _words_of(written: str) -> set[str]:
    """The names in an annotation."""
    return {name for name in _split(written) if name}


def _split(written: str) -> Iterator[str]:
    word = ""
    for letter in written:
        if letter.isalnum() or letter == "_":
            word += letter
        else:
            yield word
            word = ""
    yield word


def _removals(function: Function, one: _IdMap) -> Iterator[tuple[events.Event, str]]:
    """Where an object of the sort whose id is a key is taken out of a container of the function's own object, for
    good."""
    home = function.home
    for call in function.flow.calls if home is not None else ():
        if not isinstance(call.node.callee, records.Member) or call.node.callee.name not in _REMOVES or home is None:
            continue
        container = _own(call.node.callee.base)
        if (
            not container
            or one.keepers - {container}
            or container == one.member
            or not _is_of_sort(home, container, one)
        ):
            continue
        given = [places.strip(argument) for argument in call.node.args]
        kept = [name.text for name in given if isinstance(name, records.Name)]
        if not any(_is_put_elsewhere(function, name) for name in kept):
            yield call, container


def _is_of_sort(home: Class, container: str, one: _IdMap) -> bool:
    """Whether a container keeps objects of the sort: its annotation says so, or what is put into it is also given to
    who fills the map."""
    field = home.field(container)
    sort = next((p.type for p in one.filler.record.parameters if p.name == one.of and p.type), "")
    elements = _words_of(field[1].type) if field is not None else set[str]()
    if sort and _words_of(sort) & elements:
        return True
    return any(
        _is_given(method, name, one)
        for method in home.methods
        for call in method.flow.calls
        if isinstance(call.node.callee, records.Member)
        and call.node.callee.name in _PUTS
        and _own(call.node.callee.base) == container
        for argument in call.node.args
        if isinstance(inner := places.strip(argument), records.Name)
        for name in (inner.text,)
    )


def _is_given(method: Function, name: str, one: _IdMap) -> bool:
    return (method is one.filler and name == one.of) or any(
        places.last_name(call.node.callee) == one.filler.name
        and any(isinstance(inner := places.strip(a), records.Name) and inner.text == name for a in call.node.args)
        for call in method.flow.calls
    )


def _is_put_elsewhere(function: Function, name: str) -> bool:
    return any(
        isinstance(call.node.callee, records.Member)
        and call.node.callee.name in _PUTS
        and any(_keeps(argument, name) for argument in call.node.args)
        for call in function.flow.calls
    ) or any(
        isinstance(write.target, records.Member | records.Index) and _keeps(write.value, name)
        for write in function.flow.writes
    )
