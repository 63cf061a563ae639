"""Python: what an object keeps for others by their `id`, which is the address and comes again, and where such an object
is taken out of the container that keeps it alive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, events, glance, places, questions, records

_TAKES = frozenset({"pop", "popitem", "clear", "discard", "__delitem__"})
_REMOVES = frozenset({"remove", "discard", "pop", "popleft", "clear"})
_PUTS = frozenset({"append", "appendleft", "add", "insert", "extend", "push", "setdefault"})
_WEAK = frozenset({"finalize", "ref", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet"})
_WORD = re.compile(r"\w+")
STORES = re.compile(glance.opens(records.Index))
"""Of the text of a function that may store something by a key."""
_LOOKS = frozenset({"get", "setdefault", "__contains__"})


class _IdMap(NamedTuple):
    """`name`, a member of the objects of `home` or, where that is None, a variable of the file, leads from the id of
    `of` to what `filler` stores, at `put`."""

    home: Class | None
    name: str
    filler: Function
    put: events.Event
    of: str
    keepers: frozenset[str]
    """Members of `home` that keep the object alive as well; an empty name is one elsewhere."""


class Removed(NamedTuple):
    """`function` takes an object out of `container`, and leaves what `table` has for it."""

    function: Function
    at: events.Event
    container: str
    table: str
    filler: Function
    put: events.Event


def left(cls: Class) -> Iterator[Removed]:
    """For the maps by ids of the project, each method of a class that does so, at the first place."""
    for one in _maps(cls.program):
        takers = _takers(cls.program, one)
        names = {function.name for function in takers}
        for method in cls.methods:
            if method in takers or method.mentions_any(names) or _calls_own(method, takers | _callers(cls, takers)):
                continue
            if any(caller in takers for caller in cls.program.index.callers(method)):
                continue
            found = next(_removals(method, cls, one), None)
            if found is not None:
                yield Removed(method, *found, one.name, one.filler, one.put)


def _callers(cls: Class, takers: set[Function]) -> set[Function]:
    """The methods of a class that call what takes entries out."""
    names = {function.name for function in takers}
    return {method for method in cls.methods if method.mentions_any(names)}


def _calls_own(method: Function, others: set[Function]) -> bool:
    """Whether a method calls one of those of its object's own."""
    names = {one.name for one in others if one.home is method.home}
    return any(
        isinstance(call.node.callee, records.Member)
        and call.node.callee.name in names
        and is_self(call.node.callee.base)
        for call in method.flow.calls
    )


@questions.program_question
def _maps(program: Program) -> tuple[_IdMap, ...]:
    found: dict[tuple[str, str], _IdMap] = {}
    for function in program.functions:
        if function.language != "python" or not function.mentions("id") or function.mentions_any(_WEAK):
            continue
        for event, name, home, key, value in stores(function):
            of = _id_of(function, key)
            place = (function.path if home is None else f"{home.path}:{home.name}", name)
            if of and place not in found and not _keeps(function, value, of) and _is_searched(function, home, name):
                found[place] = _IdMap(home, name, function, event, of, _keepers(function, of))
    return tuple(found.values())


def stores(
    function: Function,
) -> Iterator[tuple[events.Event, str, Class | None, records.Value, records.Value | None]]:
    """What is stored in maps of the object itself, or of the file: where, in which, under which key."""
    for event in function.flow:
        match event:
            case events.Write(target=records.Index(base=base, indexes=(key,)), value=value, op="="):
                pass
            case events.CallEvent(
                node=records.Call(callee=records.Member(base=base, name="setdefault"), args=(key, value))
            ):
                pass
            case _:
                continue
        if (member := own(base) or _of_class(function, base)) and function.home is not None:
            yield event, member, function.home, key, value
        elif name := _global(function, base):
            yield event, name, None, key, value


def own(value: records.Value | None) -> str:
    """The member of the object itself that an expression is."""
    match places.strip(value):
        case records.Member(base=base, name=name) if is_self(base):
            return name
    return ""


def _of_class(function: Function, value: records.Value | None) -> str:
    """The member of its own class that an expression in a method is: `Texture._known`."""
    match places.strip(value):
        case records.Member(base=records.Name(text=text), name=name) if function.home is not None:
            return name if text == function.home.name else ""
    return ""


def is_self(value: records.Value | None) -> bool:
    inner = places.strip(value)
    return isinstance(inner, records.Name) and inner.text in ("self", "cls")


def _global(function: Function, value: records.Value | None) -> str:
    """The variable of the file that an expression is."""
    inner = places.strip(value)
    return inner.text if isinstance(inner, records.Name) and inner.text not in function.declared else ""


def _id_of(method: Function, key: records.Value) -> str:
    """The name of which a key, or a part of it, is the `id`, here or by a local."""
    inner = places.strip(key)
    if isinstance(inner, records.Name):
        made = [write.value for write in method.flow.writes if write.place == (inner.text,)]
        inner = places.strip(made[0]) if len(made) == 1 else None
    match inner:
        case records.Call(callee=records.Name(text="id"), args=(records.Name(text=name),)):
            return name
        case records.Aggregate(items=items):
            return next((found for one in items if not isinstance(one, str) and (found := _id_of(method, one))), "")
    return ""


def _keepers(method: Function, of: str) -> frozenset[str]:
    """The members of the object in which the method stores the other too, and which keep it alive."""
    found: set[str] = set()
    for event in method.flow:
        match event:
            case events.Write(target=records.Member() as target, value=given) if _keeps(method, given, of):
                found.add(own(target))
            case events.Write(target=records.Index(base=base), value=given) if _keeps(method, given, of):
                found.add(own(base))
            case events.CallEvent(node=records.Call(callee=records.Member(base=base, name=name), args=args)):
                if name in _PUTS and any(_keeps(method, argument, of) for argument in args):
                    found.add(own(base))
    return frozenset(found)


def _keeps(function: Function, value: records.Value | None, of: str) -> bool:
    """Whether a value keeps what has the name alive: it is that, or has it, or may have it."""
    match places.strip(value):
        case records.Name(text=name):
            return name == of
        case records.Aggregate(items=items):
            return any(_keeps(function, item, of) for item in items if not isinstance(item, str))
        case records.Call(callee=callee, args=args) if places.last_name(callee)[:1].isupper():
            made = [one for one in function.program.classes if one.name == places.last_name(callee)]
            return any(
                _keeps(function, argument, of) and not (len(made) == 1 and _only_reads(made[0], index))
                for index, argument in enumerate(args)
            )
        case records.Assign(value=inner):
            return _keeps(function, inner, of)
        case records.Lambda():
            return True
    return False


def _only_reads(cls: Class, index: int) -> bool:
    """Whether an object that is made with such an argument asks it for something, and does not keep it."""
    begins = next((method for method in cls.methods if method.name == "__init__"), None)
    given = begins.record.parameters[index + 1 : index + 2] if begins is not None else ()
    if begins is None or not given:
        return False
    kept = (write.value for write in begins.flow.writes)
    handed = (argument for call in begins.flow.calls for argument in call.node.args)
    return not any(
        isinstance(inner := places.strip(one), records.Name | records.Aggregate | records.Lambda)
        and given[0].name in places.names_in(inner)
        for one in (*kept, *handed)
    )


def is_of(function: Function, base: records.Value | None, home: Class | None, name: str) -> bool:
    """Whether an expression is the map."""
    if home is None:
        return _global(function, base) == name
    return function.home is not None and home in function.home.ancestry and own(base) == name


def _is_searched(filler: Function, home: Class | None, name: str) -> bool:
    """Whether something is looked up there by an `id`."""
    said = f'"{name}"'.encode()
    for function in filler.program.calling({"id"}):
        if function.language != "python" or said not in function.encoded:
            continue
        if home is None and function.path != filler.path:
            continue
        for event in function.flow:
            match event:
                case events.CallEvent(
                    node=records.Call(callee=records.Member(base=base, name=called), args=(key, *_))
                ) if called in _LOOKS:
                    pass
                case events.Read(node=records.Index(base=base, indexes=(key,))):
                    pass
                case events.Test(value=records.Binary(op="in" | "not in", left=key, right=base)):
                    pass
                case _:
                    continue
            if is_of(function, base, home, name) and _id_of(function, key):
                return True
    return False


def _takers(program: Program, one: _IdMap) -> set[Function]:
    """The functions that take something out of the map, or put another in its place."""
    found: set[Function] = set()
    said = f'"{one.name}"'.encode()
    for function in program.functions:
        if function.language != "python" or said not in function.encoded:
            continue
        for event in function.flow:
            match event:
                case events.End(place=(*_, name, _)) if name == one.name:
                    found.add(function)
                case events.CallEvent(node=records.Call(callee=records.Member(base=base, name=name))) if (
                    name in _TAKES and places.last_name(base) == one.name
                ):
                    found.add(function)
                case events.Write(target=records.Member(name=name) | records.Name(text=name)) if (
                    name == one.name and function.name not in ("__init__", "<module>")
                ):
                    found.add(function)
    return found


def _has_one(home: Class, cls: Class) -> bool:
    """Whether objects of the one class have one of the other."""
    if any(one is not cls and one.name == cls.name and one.file is home.file for one in cls.program.classes):
        return False  # the module has a class of that name of its own
    if any(cls.name in words_of(field.type) for field in home.record.fields):
        return True
    return any(
        bool(own(write.target)) and _is_one(method, write.value, cls)
        for method in home.methods
        if f'"{cls.name}"'.encode() in method.encoded
        or any(cls.name in words_of(parameter.type) for parameter in method.record.parameters)
        for write in method.flow.writes
    )


def _is_one(method: Function, value: records.Value | None, cls: Class) -> bool:
    """Whether a value is made by the class, or is a parameter of that type."""
    match places.strip(value):
        case records.Call(callee=callee):
            return places.last_name(callee) == cls.name
        case records.Name(text=name):
            return any(p.name == name and cls.name in words_of(p.type) for p in method.record.parameters)
    return False


def words_of(written: str) -> set[str]:
    """The names in an annotation."""
    return set(_WORD.findall(written))


# --- removals -------------------------------------------------------------------------------------


def _removals(function: Function, cls: Class, one: _IdMap) -> Iterator[tuple[events.Event, str]]:
    """Where a method takes an object of the sort whose id is a key out of a container of its object, for good."""
    for event, container, given in _taken(function):
        if not container or container == one.name or one.keepers - {container}:
            continue
        if _is_of_sort(cls, container, one) and not any(_is_put_elsewhere(function, name) for name in given):
            yield event, container


def _taken(function: Function) -> Iterator[tuple[events.Event, str, list[str]]]:
    """Where something is taken out of a member, or others are put in its place, and what names it."""
    for event in function.flow:
        match event:
            case events.CallEvent(node=records.Call(callee=records.Member(base=base, name=name), args=args)) if (
                name in _REMOVES
            ):
                given = [places.strip(argument) for argument in args]
                yield event, own(base), [inner.text for inner in given if isinstance(inner, records.Name)]
            case events.End(place=("this" | "self", container, _)):
                yield event, container, []
            case events.Write(target=records.Member() as target, value=value, op="="):
                container = own(target)
                if container and _replaces(function, event, container, value):
                    yield event, container, []
            case events.Write(target=records.Index(base=base), value=value, op="="):
                container = own(base)
                if container and _is_list(function, container) and not _leads_to(value, container):
                    yield event, container, []


def _replaces(function: Function, event: events.Event, container: str, value: records.Value | None) -> bool:
    """Whether a member that was filled before gets what has not all that it had."""
    callers = function.program.index.callers(function)
    if function.name == "__init__" or (callers and all(one.name == "__init__" for one in callers)):
        return False
    if any(_leads_to(test.value, container) for test, _ in function.flow.guards(event)):
        return False  # it has nothing yet
    if any(write is not event and own(write.value) == container for write in function.flow.writes):
        return False  # what it had has another name
    inner = places.strip(value)
    if isinstance(inner, records.Comprehension):
        asks = any(clause.conditions for clause in inner.clauses)
        return asks or not _leads_to(inner, container)
    return not _leads_to(inner, container)


def _leads_to(value: records.Value | None, container: str) -> bool:
    return any(own(inner) == container for inner in places.walk(value))


def _is_list(function: Function, container: str) -> bool:
    return any(
        isinstance(call.node.callee, records.Member)
        and call.node.callee.name in ("append", "insert")
        and own(call.node.callee.base) == container
        for method in (function.home.methods if function.home is not None else ())
        for call in method.flow.calls
    )


def _is_of_sort(home: Class, container: str, one: _IdMap) -> bool:
    """Whether a container keeps objects of the sort: its annotation says so where objects of the class have the map at
    hand, or what is put into it, or found in it, is also given to who fills the map."""
    field = home.field(container)
    sort = next((p.type for p in one.filler.record.parameters if p.name == one.of and p.type), "")
    elements = words_of(field[1].type) if field is not None else set[str]()
    near = home is one.home or (one.home is None and home.file is one.filler.file)
    if near or (one.home is not None and _has_one(home, one.home)):
        if words_of(sort) & elements:
            return True
    elif one.home is not None:
        return False
    users = _users(one)
    return any(_is_given(method, name, users, near) for method in home.methods for name in _elements(method, container))


def _users(one: _IdMap) -> dict[Function, str]:
    """The functions that ask the map, fill it or empty it by the `id` of something, and the name of that."""
    found = {one.filler: one.of}
    said = f'"{one.name}"'.encode()
    for function in one.filler.program.functions_in(one.filler.path):
        if function.mentions("id") and said in function.encoded:
            for call in function.flow.calls:
                if of := _id_of(function, call.node):
                    found.setdefault(function, of)
    return found


def _elements(method: Function, container: str) -> Iterator[str]:
    """The names in a method of what is put into a container or taken out, and of what a loop finds there."""
    for call in method.flow.calls:
        callee = call.node.callee
        if isinstance(callee, records.Member) and callee.name in _PUTS | _REMOVES and own(callee.base) == container:
            given = (places.strip(argument) for argument in call.node.args)
            yield from (inner.text for inner in given if isinstance(inner, records.Name))
    for write in method.flow.writes:
        found = places.strip(write.value)
        if write.place and isinstance(found, records.Index) and _leads_to(found.base, container):
            yield write.place[0]


def _is_given(method: Function, name: str, users: dict[Function, str], near: bool) -> bool:
    """Whether a map is asked for the `id` of what a method calls so: there, in what it calls with it or, where their
    class has the map, by the same name for what both are given."""
    if users.get(method) == name or any(
        places.last_name(call.node.callee) == user.name and any(places.is_name(a, name) for a in call.node.args)
        for user in users
        for call in method.flow.calls
    ):
        return True
    given = {one.name for one in method.record.parameters if not one.type}
    return (
        near
        and name in given
        and any(
            user.home is method.home and of == name and any(p.name == of for p in user.record.parameters)
            for user, of in users.items()
        )
    )


def _is_put_elsewhere(function: Function, name: str) -> bool:
    return any(
        isinstance(call.node.callee, records.Member)
        and call.node.callee.name in _PUTS
        and any(_keeps(function, argument, name) for argument in call.node.args)
        for call in function.flow.calls
    ) or any(
        isinstance(write.target, records.Member | records.Index) and _keeps(function, write.value, name)
        for write in function.flow.writes
    )
