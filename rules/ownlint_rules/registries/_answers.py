"""How a registry, or any table, answers for a key: who fills it, who looks there, and what an entry that was left means
to them."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Function, Program, c_containers, containers, events, pairs, places, records, types
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _registries as registries

_HELPERS = 2
"""Calls up from what takes an entry out."""
ENDED = frozenset(
    {"finalized", "destroyed", "deleted", "freed", "died", "gone", "disposed", "released", "closed", "removed", "lost"}
)
"""Words of a function that is called when something has ended."""


def key_of(registry: registries.Registry) -> types.Type:
    """The type of the keys of a registry; of addresses that are cast, that of what they are of."""
    arguments = types.parse(registry.type).arguments if registry.keyed else ()
    program = registry.held.program
    scope, file = (registry.home.symbol, registry.home.file) if registry.home else ("", program.files[registry.path])
    key = types.parse(program.names.expand(arguments[0], file, scope) if arguments else "")
    if arguments and (key.last == "void" or key.is_scalar):
        return next(addresses_put(program, registry), key)
    return key


def addresses_put(program: Program, table: registries.AnyTable) -> Iterator[types.Type]:
    """Of what the keys are addresses, where their type does not say: of pointers that are cast, here or by a call."""
    for function in program.functions:
        if function.language == "cpp":
            for putting in registries.puttings(function, table):
                for value in putting.values[:1]:
                    yield from _pointed_to(function, value)


def _pointed_to(function: Function, value: records.Value, depth: int = 1) -> Iterator[types.Type]:
    for made in containers.made_from(function, value):
        inner = places.strip(made)
        kind = types.parse(function.program.types.of(inner, function))
        if isinstance(inner, records.Name) and inner.text == places.THIS and function.home is not None:
            kind = types.parse(function.home.name + "*")
        if kind.pointers == 1 and not kind.is_scalar and kind.last != "void":
            yield kind
        given = [parameter.name for parameter in function.record.parameters]
        if depth and isinstance(inner, records.Name) and inner.text in given:
            for caller in function.program.index.callers(function):
                for call in registries.calls_of(caller, function):
                    for argument in call.node.args[given.index(inner.text) :][:1]:
                        yield from _pointed_to(caller, argument, depth - 1)


def compared_keys(registry: registries.Registry) -> Iterator[types.Type]:
    """Of a table of entries that are linked, or an array of them: types of the pointers by which they are looked up,
    or with which who searches compares a member of each."""
    program = registry.held.program
    for function in program.functions:
        if function.language != "cpp" or not registries.says(function, registry):
            continue
        for call in function.flow.calls:
            done = c_containers.table_call(function, call.node)
            if (
                done is not None
                and done.does == "find"
                and registry.is_called(containers.names_of(function, done.table))
            ):
                key = places.strip(done.key)
                key = places.strip(key.value) if isinstance(key, records.Unary) and key.op == "&" else None
                yield from _pointed_to(function, key, 0) if key is not None else ()
        given = {one.name: one.type for one in function.record.parameters}
        for event in function.flow:
            for inner in places.walk(event.value) if isinstance(event, events.Test) else ():
                if not isinstance(inner, records.Binary) or inner.op not in ("==", "!="):
                    continue
                for one, other in ((inner.left, inner.right), (inner.right, inner.left)):
                    member, name = places.strip(one), places.strip(other)
                    if not isinstance(member, records.Member) or not isinstance(name, records.Name):
                        continue
                    kind = types.parse(program.names.expand(given.get(name.text, ""), function.file))
                    leads = kind.pointers == 1 and not kind.is_scalar and kind.last not in ("void", registry.held.name)
                    if leads and member_stores.is_of_class(function, member.base, registry.held, strict=True):
                        yield kind


def unlinking(registry: registries.Registry) -> frozenset[Function]:
    """The functions that take an entry out of such a table, by linking what led to it with the next, and those that
    call them."""
    if registry.keyed or registry.type:
        return frozenset()
    found = {
        function
        for function in registry.held.program.functions
        if function.language == "cpp" and registries.says(function, registry) and any(unlinks(function, registry))
    }
    for _ in range(_HELPERS):
        found |= {
            caller
            for function in found
            for caller in function.program.index.callers(function)
            if any(True for _ in registries.calls_of(caller, function))
        }
    return frozenset(found)


def unlinks(function: Function, registry: registries.Registry) -> Iterator[events.Event]:
    """Where the function links what led to an entry with the next one."""
    held = registry.held
    links = {field.name for field in held.record.fields if types.parse(field.type).last == held.name}
    for write in function.flow.writes:
        if (
            not write.fresh
            and isinstance(next_one := places.strip(write.value), records.Member)
            and next_one.name in links
            and not isinstance(places.strip(write.target), records.Name)
        ):
            yield write


def unlinked(function: Function, registry: registries.Registry) -> list[events.Event]:
    """Where an entry is taken out of a table whose entries are linked: here, or in what is called."""
    takers = unlinking(registry)
    if function not in takers:
        return []
    here = [*unlinks(function, registry)] if registries.says(function, registry) else []
    calls = (call for taker in takers for call in registries.calls_of(function, taker))
    return sorted([*here, *calls], key=lambda event: event.index)


def finds_or_makes(program: Program, registry: registries.AnyTable) -> bool:
    """Whether a function looks a key up and, where it is new, puts something in, itself or in what it calls: it answers
    with the entry that was left where a new object has got the old one's key."""
    looking: set[Function] = set()
    putting: set[Function] = set()
    for function in program.functions:
        if function.language != "cpp" or not registries.says(function, registry):
            continue
        if any(change is False for _, change in registries.touches(function, registry)):
            looking.add(function)
        inserts = [one for one in containers.inserts(function) if registry.is_called(one.container.names)]
        if inserts or any(registries.puttings(function, registry)):
            putting.add(function)
        if any(one.is_answered for one in inserts):
            looking.add(function)

    def calling(ones: set[Function]) -> set[Function]:
        return ones | {
            caller
            for one in ones
            for caller in one.program.index.callers(one)
            if any(True for _ in registries.calls_of(caller, one))
        }

    return not calling(looking).isdisjoint(calling(putting))


def is_emptied_where_filled(program: Program, table: registries.AnyTable) -> bool:
    """Whether who fills the map, or calls who does, also empties it: what it knows is about one piece of work."""
    filling = [one for one in program.functions if one.language == "cpp" and any(registries.puttings(one, table))]
    return any(
        places.last_name(call.node.callee) not in program.models.containers.erases
        and registries.takes_out(one, call.node, table)
        for filler in filling
        for one in (filler, *program.index.callers(filler))
        for call in one.flow.calls
    )


def replaces(program: Program, table: registries.AnyTable) -> bool:
    """Whether all who put something in say that it is to take the place of what is there: `insert_or_assign`."""
    puttings = [
        putting
        for function in program.functions
        if function.language == "cpp"
        for putting in registries.puttings(function, table)
    ]
    return bool(puttings) and all(
        isinstance(one.event, events.CallEvent)
        and not _REPLACING.isdisjoint(pairs.words(places.last_name(one.event.node.callee)))
        for one in puttings
    )


_REPLACING = frozenset({"assign", "replace"})


def is_verified(registry: registries.Registry) -> bool:
    """Whether who looks an entry up asks the handle whether it is still good, or compares what it says of itself."""
    marks = registries.marks(registry.held)
    asked = {*marks[0]} if marks is not None else set[str]()
    asking = {
        method.name
        for cls in registry.held.ancestry
        for method in cls.methods
        if method.record.result == "bool" and not method.record.parameters
    }
    return any(
        any(change is False for _, change in registries.touches(function, registry))
        and any(
            places.last_name(inner if isinstance(inner, records.Name | records.Member) else None) in asked | asking
            for test in function.flow
            if isinstance(test, events.Test) and not test.asserted
            for inner in (
                *(call.callee for call in places.calls_in(test.value)),
                *(one for one in places.walk(test.value) if isinstance(one, records.Member)),
            )
        )
        for function in registry.held.program.functions
        if function.language == "cpp" and function.home is not registry.held
    ) or any(
        any(_compares_own(function, part, registry.held) for part in places.walk(test.value))
        for function in registry.held.program.functions
        if function.language == "cpp"
        and function.home is not registry.held
        and any(change is False for _, change in registries.touches(function, registry))
        for test in function.flow
        if isinstance(test, events.Test) and not test.asserted
    )


def _compares_own(function: Function, value: records.Value, held: Class) -> bool:
    """Whether a handle is asked for something which is compared with that of another object."""
    if not isinstance(value, records.Binary) or value.op not in ("==", "!="):
        return False
    return any(
        isinstance(inner, records.Call)
        and not inner.args
        and isinstance(inner.callee, records.Member)
        and member_stores.is_of_class(function, inner.callee.base, held, strict=True)
        and isinstance(places.strip(other), records.Member | records.Call)
        for one, other in ((value.left, value.right), (value.right, value.left))
        for inner in (places.strip(one),)
    )
