"""Tables whose keys are addresses, whatever they lead to: an address comes again, so what ends the object, or
others with it, has to take the entries out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from ownlint import (
    Class,
    Function,
    Program,
    containers,
    events,
    habits,
    natives,
    pairs,
    places,
    questions,
    records,
    types,
)
from ownlint_rules.registries import _answers as answers
from ownlint_rules.registries import _companions as companions
from ownlint_rules.registries import _levels as levels
from ownlint_rules.registries import _owners as owners
from ownlint_rules.registries import _registries as registries

_ASKING = 2
"""Calls up from what fills a table at which objects are still handed to it."""
_ANY = frozenset({"void", "uintptr_t", "intptr_t"})


class LeftEntry(NamedTuple):
    """`function` destroys `said` at an event, and leaves its entry in the table; or, with a `member`, those of what it
    owns, where its own is taken out, at `taking`."""

    function: Function
    at: events.Event
    said: records.Value
    table: registries.AnyTable
    member: str = ""
    taking: events.Event | None = None
    is_level: bool = False
    """The entries of what it owns itself are taken out as well, or those of its siblings, but of nothing below."""
    through: Function | None = None
    """What is called there, and destroys it."""


class _Keyed(NamedTuple):
    """`kinds` are the names of the class whose objects' addresses are keys, and of its heirs."""

    table: registries.AnyTable
    of: Class | None
    kinds: tuple[str, ...]


def left(cls: Class) -> Iterator[LeftEntry]:
    """For the tables that a class has, those that lead to its objects, and those of files by addresses of its
    objects."""
    for one in _tables(cls.program).get(cls, ()):
        yield from _left(cls.program, one)


@questions.program_question
def _tables(program: Program) -> dict[Class, list[_Keyed]]:
    found: dict[Class, list[_Keyed]] = {}
    known = {(one.path, one.at): one for one in registries.registries(program).all}
    for table in registries.tables(program):
        registry = known.get((table.path, table.at))
        key = _key(program, registry or table)
        if key is None:
            continue
        scope = table.home.symbol if table.home is not None else ""
        of = program.names.find_class(key.name, scope, program.files[table.path])
        subject = registry.held if registry is not None else table.home or of
        if subject is not None:
            heirs = (one.name for one in program.classes if of is not None and of in one.ancestry)
            found.setdefault(subject, []).append(
                _Keyed(registry or table, of, tuple(dict.fromkeys((key.last, *heirs))))
            )
    return found


def _key(program: Program, table: registries.AnyTable) -> types.Type | None:
    """The type of the objects whose addresses are keys; None where the keys are none."""
    scope, file = (table.home.symbol, table.home.file) if table.home is not None else ("", program.files[table.path])
    written = program.names.expand(table.type, file, scope).rstrip("*& ")
    arguments = types.parse(written).arguments
    looked_up = answers.compared_keys(table) if isinstance(table, registries.Registry) else iter(())
    if isinstance(table, registries.Registry) and not table.keyed:
        pair = arguments[0] if arguments and "pair" in program.types.roles_at(arguments[0], file, scope) else ""
        key = types.parse(next(iter(types.parse(pair).arguments), ""))
        if key.pointers == 1 and not key.is_scalar and key.last not in _ANY:
            return key  # a table whose pairs are searched one by one
        return next(looked_up, None) if not table.type else None
    if len(arguments) < 2:
        return None  # a set has keys alone
    key = types.parse(program.names.expand(arguments[0], file, scope))
    if key.last in _ANY:
        return next(chain(answers.addresses_put(program, table), looked_up), None)
    return key if key.pointers == 1 and not key.is_scalar else None


def _left(program: Program, one: _Keyed) -> Iterator[LeftEntry]:
    known, table = registries.registries(program), one.table
    takers = known.takers(table)
    if isinstance(table, registries.Registry):
        takers |= answers.unlinking(table)
    if _takes_itself_out(one, takers) or any(not answers.ENDED.isdisjoint(pairs.words(t.name)) for t in takers):
        return
    ended = [
        each
        for kind in one.kinds
        for each in owners.ended(program, kind)
        if not _gives_one_back(program, kind, each[1])
    ]
    if not ended:
        return
    member = _parts_of(one)
    keepers = {f: _takings(known, f, table) for f, _, _ in ended if f in takers}
    answering = answers.finds_or_makes(program, table) and not answers.is_emptied_where_filled(program, table)
    if isinstance(table, registries.Registry) and answering:
        answering = not answers.is_verified(table) and not answers.replaces(program, table)
    if containers.is_taken_out_by_hook(ended[0][0], containers.Container(table.names, table.shown, table.type)):
        return
    asking = _asking(program, one) if answering else {}
    ending = {function for function, _, _ in ended}
    seen: set[Function] = set()
    for function, at, said in ended:
        if function in takers:
            takings = keepers[function]
            beside = member and takings and function not in seen and not any(t.home is one.of for t in takers if t.home)
            reach = (
                levels.reach(function, takings, table, levels.EndedOwner(at, said, member)) if beside else levels.ALL
            )
            if reach != levels.ALL:
                seen.add(function)
                yield LeftEntry(function, at, said, table, member, takings[0], reach == levels.LEVEL)
        elif answering and not registries.is_made_here(function, said) and not _is_moved_out(function, at, said):
            for by, place, through in _related(function, at, one, asking, takers, ending):
                touched = by in takers or any(True for _ in registries.touches(by, table))
                if by not in seen and not touched and not _is_called_by_taker(by, takers):
                    seen.add(by)
                    yield LeftEntry(by, place, said, table, through=through)


def _takings(known: registries.Registries, function: Function, table: registries.AnyTable) -> list[events.Event]:
    """Where a function takes entries out, also of those that are linked."""
    found: list[events.Event] = [*known.takings(function, table)]
    return found or (answers.unlinked(function, table) if isinstance(table, registries.Registry) else [])


def _related(
    function: Function,
    at: events.Event,
    one: _Keyed,
    asking: dict[Function, bool],
    takers: frozenset[Function],
    ending: set[Function],
) -> Iterator[tuple[Function, events.Event, Function | None]]:
    """Where what a function ends may have an entry: in it or, where its class knows nothing of the table, in methods of
    another that call it, and are not among those that are known to end one."""
    if _may_stand_in(function, one, asking, takers):
        yield function, at, None
        return
    for caller in function.program.index.callers(function) if function.home is not None else ():
        elsewhere = caller.home not in (None, function.home) and caller.record.kind == "method"
        if elsewhere and caller not in ending and _may_stand_in(caller, one, asking, takers):
            yield from ((caller, call, function) for call in registries.calls_of(caller, function))


def _gives_one_back(program: Program, kind: str, at: events.Event) -> bool:
    """Whether a function is called with an object whose references are counted: that may end nothing, as others have
    it."""
    if not isinstance(at, events.CallEvent) or not isinstance(at.node.callee, records.Name) or at.node.kind == "delete":
        return False
    declared = program.index.records_called(places.last_name(at.node.callee))
    written = {types.parse(one.type).last for _, record in declared for one in record.parameters[:1]}
    return not natives.natives(program).counted.isdisjoint({kind, *written})


def _takes_itself_out(one: _Keyed, takers: frozenset[Function]) -> bool:
    """Whether every object takes its entry out when it ends: by its destructor, or that of a part, or those of all
    heirs, or by the function of C that gives back its memory."""
    if one.of is None:
        return False
    for ending, call in natives.endings(one.of.program).get(one.of, ()):
        freed = isinstance(call.node.callee, records.Name)
        if freed and ending in takers and not one.of.program.calls.callee(call.node, ending).functions:
            return True
    homes = {taker.home for taker in takers if taker.record.kind == "destructor"}
    names = one.of.program.names

    def takes(cls: Class) -> bool:
        parts = (
            names.find_class(field.type, each.symbol, each.file)
            for each in cls.ancestry
            for field in each.record.fields
        )
        return any(each in homes for each in (*cls.ancestry, *parts) if each is not None)

    heirs = [cls for cls in one.of.program.classes if cls is not one.of and one.of in cls.ancestry]
    return takes(one.of) or (bool(heirs) and all(takes(cls) for cls in heirs))


def _asking(program: Program, one: _Keyed) -> dict[Function, bool]:
    """The functions that fill the table, and those that hand it such an object, by a call or two; and whether that is
    the function's own."""
    filling = [f for f in program.functions if f.language == "cpp" and any(registries.puttings(f, one.table))]
    found = dict.fromkeys(filling, False)
    layer = filling
    for _ in range(_ASKING):
        above: dict[Function, bool] = {}
        for function in layer:
            for caller in program.index.callers(function):
                for call in registries.calls_of(caller, function) if caller not in found else ():
                    for argument in call.node.args:
                        own = places.is_name(argument, places.THIS)
                        if own and caller.home is not None and caller.home.name in one.kinds:
                            above[caller] = True
                        elif types.parse(program.types.of(argument, caller)).last in one.kinds:
                            above.setdefault(caller, False)
        found |= above
        layer = list(above)
    return found


def _may_stand_in(function: Function, one: _Keyed, asking: dict[Function, bool], takers: frozenset[Function]) -> bool:
    """Whether what a function ends may have an entry: it is of the table's class, or its class takes entries out, or
    hands such objects to what fills the table; or such objects hand themselves to it."""
    home = one.table.home
    if any(asking.values()) or (home is not None and function.home is home):
        return True
    around = set(natives.homes(function))
    return any(not around.isdisjoint(natives.homes(other)) for other in (*asking, *takers))


def _is_moved_out(function: Function, at: events.Event, said: records.Value) -> bool:
    """Whether something is taken alive out of what a function erases from."""
    name = places.last_name(said if not isinstance(said, records.Index) else said.base)
    return function.mentions_any(habits.MOVES_OUT) and any(
        places.last_name(inner) == name
        for call in function.flow.calls
        if call is not at and places.last_name(call.node.callee) in habits.MOVES_OUT
        for given in (places.receiver(call.node), *call.node.args)
        for made in containers.made_from(function, given)
        for inner in places.walk(made)
        if isinstance(inner, records.Name | records.Member)
    )


def _is_called_by_taker(function: Function, takers: frozenset[Function]) -> bool:
    callers = function.program.index.callers(function)
    return any(one in takers and any(True for _ in registries.calls_of(one, function)) for one in callers)


# --- parts ----------------------------------------------------------------------------------------


def _parts_of(one: _Keyed) -> str:
    """The member by which an object owns others of its class, as a tree's nodes do; empty for none."""
    program = one.of.program if one.of is not None else None
    for cls in program.classes if program is not None else ():
        if cls.name not in one.kinds or one.of not in cls.ancestry:
            continue
        for field in cls.record.fields:
            written = types.parse(cls.program.names.expand(field.type, cls.file, cls.symbol))
            for argument in (field.type, *written.arguments):
                held, is_shared = companions.owned(cls, argument)
                if held in one.kinds and not is_shared:
                    return field.name
        endings = [ending for ending, _ in natives.endings(cls.program).get(cls, ())]
        for ending in (cls.destructor, *endings):
            if ending is not None and (member := _ended_with(ending, cls)):
                return member
    return ""


def _ended_with(ending: Function, cls: Class) -> str:
    """The member that leads to the others of its class that an object ends, when it ends itself."""
    natively = [
        (call, said) for call, kind, said in natives.destroys(ending, natives.natives(cls.program)) if kind == cls.name
    ]
    again = [(call, call.node.args[0]) for call in registries.calls_of_itself(ending) if call.node.args]
    for call, said in (*natively, *again):
        if isinstance(inner := places.strip(said), records.Name) and inner.text in {
            p.name for p in ending.record.parameters
        }:
            continue
        loop = next((one for one in levels.loops(ending, call) if one.iterable is not None), None)
        member = places.last_name(loop.iterable) if loop is not None and loop.iterable is not None else ""
        for made in () if member else containers.made_from(ending, said):
            names = (places.last_name(i) for i in places.walk(made) if isinstance(i, records.Member | records.Name))
            member = member or next((name for name in names if cls.field(name) is not None), "")
        if member or (member := places.last_name(said)):
            return member
    return ""
