"""Tables that lead from a key to an object, or to its place, where a member of the object keeps the key: the entry is
found by that member alone, so who stores something else in it has to take the entry out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, assignments, containers, events, places, questions, records, types
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _registries as registries

_SAID = re.compile(rb'(\w++)"')
"""In an encoded body: the last word of each name."""
_LAST = re.compile(r"(\w+)\W*\Z")


class BackKey(NamedTuple):
    """`member` of the objects of `held` keeps the key of their entry in `table`; `put`, in `putter`, is where both get
    it."""

    table: registries.AnyRegistry
    held: Class
    member: str
    putter: Function
    put: events.Event


def of(held: Class) -> tuple[BackKey, ...]:
    """Those of a class whose table is searched, and where nothing that searches it compares the member."""
    program = held.program
    return tuple(
        one for one in _all(program).get(held, ()) if _is_searched(program, one) and not _is_compared(program, one)
    )


@questions.program_question
def _all(program: Program) -> dict[Class, tuple[BackKey, ...]]:
    found: dict[Class, dict[tuple[str, records.Span, str], BackKey]] = {}
    for table in registries.tables(program):
        for one in _of_table(program, table):
            found.setdefault(one.held, {}).setdefault((table.path, table.at, one.member), one)
    return {cls: tuple(keys.values()) for cls, keys in found.items()}


def _of_table(program: Program, table: registries.AnyRegistry) -> Iterator[BackKey]:
    by_word = _filling(program)
    words = {last[1] for name in table.names if (last := _LAST.search(name)) is not None}
    for function in dict.fromkeys(one for word in sorted(words) for one in by_word.get(word, ())):
        if not registries.says(function, table) or _is_of_namesake(function, table):
            continue
        for putting in registries.puttings(function, table):
            given = [one for value in putting.values for one in registries.parts_of(value)]
            if len(given) != 2 or not _leads(function, given[1]):
                continue
            for held, member in _keeping(function, given[0], given[1]):
                yield BackKey(table, held, member, function, putting.event)


@questions.program_question
def _filling(program: Program) -> dict[str, list[Function]]:
    """The functions that may put something into a container, by the words that they say. Needs no decoding."""
    appends = program.models.containers.appends
    found: dict[str, list[Function]] = {}
    for function in program.functions:
        if function.language == "cpp" and (containers.may_insert(function) or function.mentions_any(appends)):
            for word in dict.fromkeys(_SAID.findall(function.encoded)):
                found.setdefault(word.decode(), []).append(function)
    return found


def _leads(function: Function, value: records.Value) -> bool:
    """Whether an entry is a pointer or a number, which says where the object is, rather than the object itself."""
    kind = types.parse(function.program.names.expand(function.program.types.of(value, function), function.file))
    return kind.pointers == 1 or (kind.is_value and kind.is_scalar)


def _keeping(function: Function, key: records.Value, value: records.Value) -> Iterator[tuple[Class, str]]:
    """The class and the member that gets the key, of the object to which the value leads."""
    said = containers.key_text(function, key)
    inner = places.strip(key)
    if isinstance(inner, records.Member) and _is_place_of(function, inner.base, value):
        yield from _classes(function, inner.base, inner.name)
    for name in {mentioned[1:] for mentioned in function.mentioned if mentioned[0] == "="}:
        for store in member_stores.stores(function, name):
            if store.base is None or store.value is None or containers.key_text(function, store.value) != said:
                continue
            if _is_place_of(function, store.base, value):
                yield from _classes(function, store.base, name)


def _classes(function: Function, base: records.Value, member: str) -> Iterator[tuple[Class, str]]:
    kind = types.parse(function.program.types.of(base, function))
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
    if cls is not None and cls.field(member) is not None:
        yield cls, member


def _is_place_of(function: Function, base: records.Value, value: records.Value) -> bool:
    """Whether an entry leads to the object: it is that, its address, or a local from which that was got, as an
    index is."""
    named = places.strip(value)
    if isinstance(named, records.Unary) and named.op == "&":
        named = places.strip(named.value)
    led = assignments.place(function, named)
    if led is not None and led == assignments.place(function, places.strip(base)):
        return True
    root = places.strip(base)
    made = [
        *containers.made_from(function, base),
        *(  # one of several locals of one name
            statement.value
            for statement in function.statements
            if isinstance(statement, records.Declare)
            and isinstance(root, records.Name)
            and root.text in statement.names
        ),
    ]
    return isinstance(named, records.Name) and any(
        isinstance(inner, records.Name) and inner.text == named.text for one in made for inner in places.walk(one)
    )


def _searching(program: Program, table: registries.AnyRegistry) -> Iterator[Function]:
    for function in program.functions:
        if function.language != "cpp" or _is_of_namesake(function, table):
            continue
        if any(change is False for _, change in registries.touches(function, table)):
            yield function


def _is_of_namesake(function: Function, table: registries.AnyRegistry) -> bool:
    """Whether it is a method of another class of the same name, which has a table of its own."""
    home, own = table.home, function.home
    return home is not None and own is not None and own is not home and own.name == home.name


def _is_searched(program: Program, one: BackKey) -> bool:
    return any(True for _ in _searching(program, one.table))


def _is_compared(program: Program, one: BackKey) -> bool:
    """Whether who searches the table, or calls who does, asks the object that it finds for the member, in a comparison:
    an entry that is left is found out."""
    said = f'"{one.member}"'.encode()
    searching = list(_searching(program, one.table))
    around = dict.fromkeys(
        [*searching, *(caller for function in searching for caller in program.index.callers(function))]
    )
    return any(
        isinstance(inner, records.Binary)
        and inner.op in ("==", "!=")
        and any(_is_member(places.strip(side), one.member) for side in (inner.left, inner.right))
        for function in around
        if said in function.encoded
        for value in _conditions(function)
        for inner in places.walk(value)
    )


def _conditions(function: Function) -> Iterator[records.Value | None]:
    for event in function.flow:
        match event:
            case events.Test(value=value) | events.LeaveEvent(value=value) | events.Write(value=value):
                yield value


def _is_member(value: records.Value | None, member: str) -> bool:
    if isinstance(value, records.Call) and not value.args:
        value = places.strip(value.callee)
    return isinstance(value, records.Member) and value.name.rstrip("_").lower() == member.rstrip("_").lower()


def resets(one: BackKey) -> Iterator[tuple[Function, member_stores.MemberStore]]:
    """Where a function stores something else in the member of an object that may have an entry: neither one that it has
    just made, nor where it puts an entry in for the first time."""
    putters, makers = _putters(one, made=False), set(_putters(one, made=True))
    others = {key.table.home for key in _all(one.held.program).get(one.held, ())} - {None, one.table.home, one.held}
    for function in member_stores.storing(one.held, one.member):
        if function.record.kind in ("constructor", "destructor") or function.name in ("operator=", "swap"):
            continue
        if function.home in others:
            continue  # the objects there stand in the table there
        if _only_begins(function) or (function in putters and not makers - {function}):
            continue
        for store in member_stores.stores_of(function, one.member, one.held):
            if not registries.is_made_here(function, store.base):
                yield function, store


def _putters(one: BackKey, *, made: bool) -> list[Function]:
    """The functions that put an entry into the table; with `made`, those that make the object first."""
    program = one.held.program
    return [
        function
        for function in program.functions
        if function.language == "cpp"
        for putting in registries.puttings(function, one.table)
        if not made
        or any(
            registries.is_made_here(function, value) for given in putting.values for value in registries.parts_of(given)
        )
    ]


def _only_begins(function: Function) -> bool:
    """Whether it is part of the beginning of an object: constructors alone call it."""
    callers = function.program.index.callers(function)
    return bool(callers) and all(one.record.kind == "constructor" for one in callers)


def is_rebuilt(one: BackKey) -> bool:
    """Whether the table is emptied as a whole somewhere, and never loses one entry: an index that is made anew."""
    program = one.held.program
    known = program.models.containers
    taking = [
        places.last_name(call.node.callee)
        for function in program.functions
        if function.language == "cpp"
        and registries.says(function, one.table)
        and not _is_of_namesake(function, one.table)
        for call in function.flow.calls
        if registries.takes_out(function, call.node, one.table)
    ]
    return bool(taking) and all(name in known.clears for name in taking)


def says_where_it_stands(one: BackKey, function: Function, store: member_stores.MemberStore) -> bool:
    """Whether the member gets the place of the entry in an array: `(*at)->place = at - entries;`."""
    return not one.table.keyed and any(
        one.table.is_called(containers.names_of(function, inner))
        for inner in places.walk(store.value)
        if isinstance(inner, (records.Name, records.Member))
    )


def may_be_entry(one: BackKey, function: Function, store: member_stores.MemberStore) -> bool:
    """Whether a function, or who gives it the object, may have come by the object by way of the table; so it is of what
    no one else gives it."""
    base = places.strip(store.base)
    given = isinstance(base, records.Name) and any(one.name == base.text for one in function.record.parameters)
    callers = function.program.index.callers(function) if given else ()
    if not callers or registries.says(function, one.table):
        return True
    around = dict.fromkeys(
        [*callers, *(outer for caller in callers for outer in function.program.index.callers(caller))]
    )
    called = (
        inner
        for caller in callers
        for call in caller.calls()
        for inner in function.program.calls.callee(call, caller).functions
    )
    return any(registries.says(inner, one.table) for inner in (*around, *called))
