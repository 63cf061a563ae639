"""Python: tables that lead from the address of an object of a C library, which `ctypes` or `cffi` has declared, to its
wrapper, and functions that have the library end such an object, or what owns some, and leave entries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, events, foreign, habits, natives, pairs, places, questions, records, text
from ownlint_rules.registries import _id_keys as id_keys

_UP = 2
"""Calls up from where an entry is stored to what has got the address."""
_DOWN = 2
"""Calls down from where an object ends to what takes entries out."""
_CASTS = frozenset({"int", "cast", "c_void_p", "addressof"})
_TAKES = frozenset({"pop", "popitem", "clear", "__delitem__"})
_LOOKS = frozenset({"get", "setdefault", "__contains__", "__getitem__"})


class LeftWrapper(NamedTuple):
    """`function` has the library end the object `of`, or, with a `part`, what ends with it: the objects that wrappers
    of that class stand for."""

    function: Function
    at: events.CallEvent
    of: str
    part: str
    table: str
    filler: Function
    put: events.Event


class _NativeTable(NamedTuple):
    """`name` is a member of the objects of `home` or, where that is None, a variable of the file."""

    home: Class | None
    name: str
    filler: Function
    put: events.Event


class _Put(NamedTuple):
    """An object of the class `made` stands in the table by the address that the library's `maker` has handed out, which
    was given the handle of an object of `owner`."""

    made: Class
    maker: str
    owner: Class | None


def left(cls: Class) -> Iterator[LeftWrapper]:
    """In the methods of a class, and in the functions of its file that end its objects."""
    for table, puts in _tables(cls.program):
        wrapped = {put.made for put in puts}
        parts = [put.made for put in puts if put.owner is cls and put.made is not cls]
        parts = [part for part in parts if part not in _ends(cls.program)]
        for function, at, name in _ends(cls.program).get(cls, ()):
            takings, is_wide = _takings(function, table, name)
            if is_wide or any(_takings(one, table, "", without=function)[0] for one in _callers(function)):
                continue
            if parts:
                yield LeftWrapper(function, at, name, parts[0].name, table.name, table.filler, table.put)
            elif cls in wrapped and not takings and not natives.only_empties(places.last_name(at.node.callee)):
                yield LeftWrapper(function, at, name, "", table.name, table.filler, table.put)


class LeftClosed(NamedTuple):
    """`function` ends its object for good, as `mark` says from there on, and leaves it in the table of its class."""

    function: Function
    mark: events.Write
    table: str
    filler: Function
    put: events.Event


def closed(cls: Class) -> Iterator[LeftClosed]:
    """The methods of a class by which an object is closed that a table of the class, or of its file, still answers."""
    enders = [(method, mark) for method in cls.methods if (mark := _mark(method)) is not None]
    seen: set[Function] = set()
    for table in _own_tables(cls) if enders else ():
        for method, mark in enders:
            takings = [_takings(one, table, "")[0] for one in (method, *_callers(method))]
            if method not in seen and not any(takings):
                seen.add(method)
                yield LeftClosed(method, mark, table.name, table.filler, table.put)


def _own_tables(cls: Class) -> Iterator[_NativeTable]:
    """The tables of a class, or of its file, in which its objects stand and are looked up, and which it does not ask
    whether what it has found is still good."""
    for function in cls.program.functions:
        if function.file is not cls.file or not (function.says(id_keys.STORES) or function.mentions("setdefault")):
            continue
        for event, name, home, _, value in id_keys.stores(function):
            table = _NativeTable(home, name, function, event)
            shared = home is None or any(field.static and field.name == name for field in home.record.fields)
            is_own = home in (None, cls) and shared and value is not None and cls in _made(function, value)
            if is_own and _is_answered(table):
                yield table


def _mark(method: Function) -> events.Write | None:
    """Where a method that ends its object says so in a member which nothing sets back."""
    if not natives.ends_life(method.name) or method.cls is None:
        return None
    for write in method.flow.writes:
        member = id_keys.own(write.target)
        dead = places.strip(write.value)
        if (
            member
            and isinstance(dead, records.Literal)
            and not any(
                id_keys.own(other.target) == member and (other.value is None or text(other.value) != text(dead))
                for one in method.cls.methods
                if one.name != "__init__"
                for other in one.flow.writes
            )
        ):
            return write
    return None


def _callers(function: Function) -> Iterator[Function]:
    for caller in function.program.index.callers(function):
        if caller.language == "python" and caller is not function:
            named = (call.node for call in caller.flow.calls if places.last_name(call.node.callee) == function.name)
            if any(function in _called(caller, call) for call in named):
                yield caller


# --- the tables -----------------------------------------------------------------------------------


@questions.program_question
def _tables(program: Program) -> tuple[tuple[_NativeTable, tuple[_Put, ...]], ...]:
    found: dict[tuple[str, str], tuple[_NativeTable, dict[_Put, None]]] = {}
    if not any(foreign.declared(program).values()):
        return ()
    for function in program.functions:
        if function.language != "python" or not (function.says(id_keys.STORES) or function.mentions("setdefault")):
            continue
        for event, name, home, key, value in id_keys.stores(function):
            table = _NativeTable(home, name, function, event)
            puts = {} if value is None else dict.fromkeys(_puts(function, key, value, _UP))
            if puts and _is_answered(table):
                place = (function.path if home is None else f"{home.path}:{home.name}", name)
                found.setdefault(place, (table, {}))[1].update(puts)
    return tuple((table, tuple(puts)) for table, puts in found.values())


def _puts(function: Function, key: records.Value, value: records.Value, depth: int) -> Iterator[_Put]:
    """What is stored under which addresses, as far up as either is known."""
    made = _made(function, value)
    makers = list(_makers(function, key))
    for cls in made:
        yield from (_Put(cls, places.last_name(call.callee), _owner(function, call)) for call in makers)
    if (made and makers) or depth == 0:
        return
    names = [one.name for one in function.record.parameters]
    is_new = function.name in ("__new__", "__init__") and function.home is not None
    called = function.home.name if is_new and function.home is not None else function.name
    skipped = 1 if function.home is not None and names[:1] in (["self"], ["cls"]) else 0
    for caller in function.program.index.callers_by_name(called):
        for call in caller.flow.calls if caller.language == "python" and caller is not function else ():
            if places.last_name(call.node.callee) != called:
                continue
            if caller.file is not function.file and _is_own(caller, called):
                continue
            given = dict(zip(names[skipped:], call.node.args, strict=False))
            given |= {
                one.key.text: one.value
                for one in call.node.args
                if isinstance(one, records.Pair) and isinstance(one.key, records.Name)
            }
            outer_key, outer_value = _given(function, key, given), _given(function, value, given)
            if outer_key is not None and made:
                for cls in made:
                    for maker in _makers(caller, outer_key):
                        yield _Put(cls, places.last_name(maker.callee), _owner(caller, maker))
            elif outer_key is not None and outer_value is not None:
                yield from _puts(caller, outer_key, outer_value, depth - 1)
            elif makers and outer_value is not None:
                for cls in _made(caller, outer_value):
                    yield from (_Put(cls, places.last_name(one.callee), _owner(function, one)) for one in makers)


def _is_own(caller: Function, called: str) -> bool:
    """Whether the file of a function has a function or class of that name of its own."""
    names = {one.name for one in caller.file.functions} | {one.name for one in caller.file.classes}
    return called in names


def _given(function: Function, value: records.Value | None, given: dict[str, records.Value]) -> records.Value | None:
    """What a function is given for a parameter, from which a value comes here: it, a cast of it, what calls it."""
    for inner in _sources(function, value):
        if isinstance(inner, records.Name) and inner.text in given:
            return given[inner.text]
        if isinstance(inner, records.Call) and isinstance(inner.callee, records.Name) and inner.callee.text in given:
            return given[inner.callee.text]
    return None


def _sources(function: Function, value: records.Value | None, depth: int = 3) -> Iterator[records.Value]:
    """The values from which one comes: by locals, casts and attributes of the object that are set in the function."""
    inner = places.strip(value)
    if inner is None:
        return
    yield inner
    if depth == 0:
        return
    match inner:
        case records.Name(text=name):
            for write in function.flow.writes_to((name,)):
                yield from _sources(function, write.value, depth - 1)
        case records.Member(name="value", base=base):
            yield from _sources(function, base, depth - 1)
        case records.Member(base=base, name=name) if id_keys.is_self(base):
            for write in function.flow.writes_to((places.THIS, name)):
                yield from _sources(function, write.value, depth - 1)
        case records.Assign(value=given):
            yield from _sources(function, given, depth - 1)
        case records.Call(callee=callee, args=args) if places.last_name(callee) in _CASTS:
            for one in args:
                yield from _sources(function, one, depth - 1)


def _made(function: Function, value: records.Value) -> list[Class]:
    """The classes of what a value makes: by a call, or named as what is to be called."""
    found: list[Class] = []
    for inner in _sources(function, value):
        name = ""
        if isinstance(inner, records.Call):
            name = places.last_name(inner.callee)
        elif isinstance(inner, records.Name):
            name = inner.text
        if function.home is not None and name in ("self", "cls", places.THIS):
            found.append(function.home)
        named = [one for one in function.program.classes if one.name == name and one.file.language == "python"]
        near = [one for one in named if one.file is function.file] or named
        found += near if len(near) == 1 else []
    return list(dict.fromkeys(found))


def _makers(function: Function, key: records.Value) -> Iterator[records.Call]:
    """The calls of the library that hand out an address that is the key."""
    declared = foreign.declared(function.program)
    for inner in _sources(function, key):
        if isinstance(inner, records.Call) and declared.get(places.last_name(inner.callee), False):
            yield inner


def _owner(function: Function, call: records.Call) -> Class | None:
    """The class of the object whose handle a function of the library is given, where it is the method's own."""
    own = function.home is not None and any(
        id_keys.is_self(inner) or bool(id_keys.own(inner)) for inner in map(places.strip, call.args[:1])
    )
    return function.home if own else None


def _is_answered(table: _NativeTable) -> bool:
    """Whether something is looked up in a table, and what was found is not asked whether it is still good."""
    said = f'"{table.name}"'.encode()
    found = False
    for function in table.filler.program.functions:
        if function.language != "python" or said not in function.encoded:
            continue
        names = {name for name, is_found in _looked_up(function, table) if is_found}
        found = found or any(True for _ in _looked_up(function, table))
        if any(_asks(test.value, names) for test in function.flow if isinstance(test, events.Test)):
            return False
    return found


def _looked_up(function: Function, table: _NativeTable) -> Iterator[tuple[str, bool]]:
    """The local into which each look-up goes, if any; and whether it goes into one."""
    for event in function.flow:
        match event:
            case events.Write(target=records.Name(text=name), value=value) if _looks(function, value, table):
                yield name, True
            case events.CallEvent(node=node) | events.Read(node=node) if _looks(function, node, table):
                yield "", False
            case events.Test(value=records.Binary(op="in" | "not in", right=base)) if _is_table(function, base, table):
                yield "", False


def _looks(function: Function, value: records.Value | None, table: _NativeTable) -> bool:
    match places.strip(value):
        case records.Call(callee=records.Member(base=base, name=name)) if name in _LOOKS:
            return _is_table(function, base, table)
        case records.Index(base=base):
            return _is_table(function, base, table)
    return False


def _is_table(function: Function, base: records.Value | None, table: _NativeTable) -> bool:
    is_elsewhere = table.home is None and function.path != table.filler.path
    if is_elsewhere and any(one.name == table.name for one in function.file.variables):
        return False  # it has one of its own
    return id_keys.is_of(function, base, table.home, table.name) or (
        table.home is not None and isinstance(base, records.Member) and base.name == table.name
    )


def _asks(value: records.Value, names: set[str]) -> bool:
    """Whether a condition asks something of what has one of the names."""
    return any(
        isinstance(inner, records.Member) and isinstance(inner.base, records.Name) and inner.base.text in names
        for inner in places.walk(value)
    )


# --- what ends ------------------------------------------------------------------------------------


@questions.program_question
def _ends(program: Program) -> dict[Class, list[tuple[Function, events.CallEvent, str]]]:
    """Where functions have a library end what an object stands for, by the object's class, and its name there."""
    declared = foreign.declared(program)
    counted = any(not (habits.COUNTS | {"unref", "decref"}).isdisjoint(pairs.words(name)) for name in declared)
    ending = {
        name
        for name in declared
        if (pairs.releasing_verb(name) or natives.ends_life(name) or natives.only_empties(name))
        and not (counted and pairs.counts_down(name))
    }
    found: dict[Class, list[tuple[Function, events.CallEvent, str]]] = {}
    for function in program.functions:
        if function.language != "python" or not ending or not function.mentions_any(ending):
            continue
        if function.name == "__del__":
            continue  # the table keeps the object
        for call in function.flow.calls:
            if places.last_name(call.node.callee) not in ending or places.receiver(call.node) is None:
                continue
            named = [name for argument in call.node.args if (name := _object(argument))]
            cls = _class_of(function, named[-1]) if named else None
            if cls is not None:
                found.setdefault(cls, []).append((function, call, named[-1]))
    return found


def _object(value: records.Value) -> str:
    """The name of the object that is handed to a library, itself or by its attribute."""
    match places.strip(value):
        case records.Name(text=name) | records.Member(base=records.Name(text=name)):
            return name
    return ""


def _class_of(function: Function, name: str) -> Class | None:
    """The class of an object: the method's own, the parameter's annotation says it, or no other class of those which
    the file has gives its objects all that is used of this one here."""
    if name in ("self", places.THIS):
        return function.home
    classes = [one for one in function.program.classes if one.file is function.file]
    written = next((one.type for one in function.record.parameters if one.name == name), "")
    for cls in classes:
        if written and cls.name in id_keys.words_of(written):
            return cls
    used = {
        inner.name
        for event in function.flow
        for inner in (event.target if isinstance(event, events.Write) else getattr(event, "node", None),)
        if isinstance(inner, records.Member | records.Call)
        for inner in ([inner] if isinstance(inner, records.Member) else [inner.callee])
        if isinstance(inner, records.Member) and isinstance(inner.base, records.Name) and inner.base.text == name
    }
    fitting = [one for one in classes if used and all(_has(one, each) for each in used)]
    return fitting[0] if len(fitting) == 1 else None


def _has(cls: Class, name: str) -> bool:
    return cls.field(name) is not None or any(method.name == name for each in cls.ancestry for method in each.methods)


def _takings(
    function: Function, table: _NativeTable, name: str, depth: int = _DOWN, without: Function | None = None
) -> tuple[bool, bool]:
    """Whether entries are taken out of the table, here or in what is called; and whether that may be more than the one
    of the object that has the name."""
    taken = wide = False
    for event, key in _taken(function, table):
        taken = True
        wide = wide or not name or name not in map(_object, _sources(function, key)) or _is_repeated(function, event)
    for call in function.flow.calls if depth else ():
        for callee in _called(function, call.node):
            if callee in (function, without):
                continue
            inner, is_wide = _takings(callee, table, _name_below(callee, call.node, name), depth - 1, without)
            taken = taken or inner
            wide = wide or (inner and (is_wide or _is_repeated(function, call)))
    return taken, wide


def _taken(function: Function, table: _NativeTable) -> Iterator[tuple[events.Event, records.Value | None]]:
    """Where the function itself takes something out, and by which key; None where that may be all."""
    if f'"{table.name}"'.encode() not in function.encoded:
        return
    for event in function.flow:
        match event:
            case events.CallEvent(node=records.Call(callee=records.Member(base=base, name=name), args=args)) if (
                name in _TAKES and _is_table(function, base, table)
            ):
                yield event, next(iter(args), None) if name in ("pop", "__delitem__") else None
            case events.End(place=(*_, name, _)) if name == table.name:
                yield event, _deleted(function, event, table)
            case events.Write(target=records.Member() | records.Name() as target) if _is_table(
                function, target, table
            ) and function.name not in ("__init__", "<module>"):
                yield event, None


def _deleted(function: Function, event: events.Event, table: _NativeTable) -> records.Value | None:
    """The key of what a `del` takes out."""
    return next(
        (
            one.node
            for one in function.flow
            if isinstance(one, events.Read)
            and one.span.start in event.span
            and _object(one.node) not in ("", table.name)
        ),
        None,
    )


def _is_repeated(function: Function, event: events.Event) -> bool:
    return function.flow.path(event, lambda other: other.index == event.index) is not None


@questions.program_question
def _by_name(program: Program) -> dict[str, list[Function]]:
    found: dict[str, list[Function]] = {}
    for function in program.functions:
        if function.language == "python":
            found.setdefault(function.name, []).append(function)
    return found


def _called(function: Function, call: records.Call) -> list[Function]:
    """The functions that a call may reach, by their name: methods on an object, others without one."""
    named = _by_name(function.program).get(places.last_name(call.callee), [])
    named = [one for one in named if one.file is function.file] or named
    if not isinstance(call.callee, records.Member):
        return [one for one in named if one.home is None]
    own = [one for one in named if function.home is not None and one.home in function.home.ancestry]
    return own if own and id_keys.is_self(call.callee.base) else [one for one in named if one.home is not None]


def _name_below(callee: Function, call: records.Call, name: str) -> str:
    """What the function that is called calls the object which has the name here."""
    names = [one.name for one in callee.record.parameters]
    skipped = 1 if callee.home is not None else 0
    if skipped and isinstance(call.callee, records.Member) and _object(call.callee.base) == name:
        return names[0] if names else ""
    given = zip(names[skipped:], call.args, strict=False)
    return next((inner for inner, argument in given if name and _object(argument) == name), "")
