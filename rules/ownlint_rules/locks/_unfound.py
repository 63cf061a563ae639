"""What is added to shared state under one lock because a search of the project's own, under another, has not found it.

A *search* is a function that only reads what others share and answers about a key, or a walk over a list or table that
compares its elements with one. An *addition* puts what was made of the key in between into the same state: it is
linked into a list, stored in a table, or given to a method of the searched object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Place, assignments, bodies, failure, places, questions, types
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.locks import _rechecks as rechecks

_MOST_CALLS = 2
"""So many functions are followed, one of which calls the next."""
_TABLE = 4000
"""Bytes of an encoded body of a function that searches; a longer one does more."""


class Touched(NamedTuple):
    """What a function does to state that outlives its call, by the last names of members and variables."""

    reads: frozenset[str]
    writes: frozenset[str]


class Addition(NamedTuple):
    event: e.Event
    made: r.Value
    """The local that is added, or the call that makes it there."""
    names: frozenset[str]
    """Last names of the state that it is added to."""
    shown: str


class Unfound(NamedTuple):
    addition: Addition
    gap: rechecks.Gap
    key: str


def unfound(gaps: rechecks.Gaps) -> Iterator[Unfound]:
    """Additions under one lock that rest on a search under another."""
    function = gaps.function
    for addition in [one for one in _additions(function) if gaps.is_decided(one.event)][: rechecks.MOST_ACTS]:
        keys = _made_of(function, addition.made) - {lock[0] for lock in gaps.sections.of}
        looks = {
            event.index: (event, said)
            for event, said in _searches(function, addition, keys)
            if isinstance(event, e.Test) or _is_asked(gaps, event)
        }
        again = _looked_up_again(gaps, addition)
        gap = gaps.before(addition.event, [*(event for event, _ in looks.values()), *again], keys) if looks else None
        if gap is not None and not _is_repeated(gaps, addition.event, gap, [event for event, _ in looks.values()]):
            if gap.look not in function.flow.after(addition.event):
                gap = gap._replace(again=False)  # it comes again for the next element
            yield Unfound(addition, gap, min(looks[gap.look.index][1]))


class Passed(NamedTuple):
    """The same by two functions that each take the lock for themselves."""

    look: e.CallEvent
    addition: Addition
    key: str


def passed(function: Function) -> Iterator[Passed]:
    """Additions by a function that takes the lock itself, which rest on a search by another such function."""
    if not rechecks.may_call_locking(function, 2):
        return
    added = [one for one in _additions(function) if isinstance(one.event, e.CallEvent) and _appends(function, one)]
    if not added:
        return
    gaps = rechecks.Gaps(function)
    for addition in added[: rechecks.MOST_ACTS]:
        keys = _made_of(function, addition.made)
        for look, said in _searches(function, addition, keys):
            if (
                isinstance(look, e.CallEvent)
                and _locks(function, look)
                and not gaps.sections.around(look)
                and gaps.told.deciders(look, addition.event)
            ):
                yield Passed(look, addition, min(said))
                break


def _locks(function: Function, call: e.CallEvent) -> bool:
    callee = function.program.calls.callee(call.node, function)
    return bool(callee.functions) and all(rechecks.takes_locks(one) for one in callee.functions)


def _appends(function: Function, addition: Addition) -> bool:
    """Whether the called function takes the lock, and adds to a sequence or list without a search of its own."""
    assert isinstance(addition.event, e.CallEvent)
    targets = function.program.calls.callee(addition.event.node, function).functions
    return _locks(function, addition.event) and all(_adds_unasked(one, addition.names) for one in targets)


def _adds_unasked(function: Function, names: frozenset[str]) -> bool:
    given = {parameter.name for parameter in function.record.parameters if parameter.name}
    heads = _walked(function, names)
    tests = [event for event in function.flow if isinstance(event, e.Test)]
    if any(
        not _names(function, test.value).isdisjoint(given) and _walks(function, test.value, heads, names)
        for test in tests
    ):
        return False
    methods = function.container_methods
    calls = [call for call in function.flow.calls if call.receiver is not None and _last(call.receiver) in names]
    if any(places.last_name(call.node.callee) in methods.looks for call in calls):
        return False
    return any(
        (name := places.last_name(call.node.callee)) in methods.appends and (name not in methods.keyed or call.dropped)
        for call in calls
    )


def _is_asked(gaps: rechecks.Gaps, look: e.Event) -> bool:
    """Whether a condition depends on what a call answers: else it computes where something is to be put."""
    told = gaps.told.by(look)
    return any(
        (event.value.start <= look.span.start and look.span.end <= event.value.end)
        or not told.isdisjoint(places.names_in(event.value))
        for event in gaps.function.flow.after(look)
        if isinstance(event, e.Test)
    )


def _is_repeated(gaps: rechecks.Gaps, act: e.Event, gap: rechecks.Gap, looks: list[e.Event]) -> bool:
    """Whether a walk begins again before the act, which compares nothing where there is nothing; or the first only goes
    through all there is."""
    flow, loops = gaps.function.flow, [s for s in gaps.function.statements if isinstance(s, r.Loop)]
    heads = [head for loop in loops if (head := loop.condition or loop.iterable) is not None]
    if all(any(test.condition is head for head in heads) for test in gap.tests):
        return True
    again = [look for look in looks if any(look in section for section in gaps.sections.around(act))]
    begun = [
        head
        for loop in loops
        if (head := loop.condition or loop.iterable) is not None
        and any(loop.start <= look.span.start and look.span.end <= loop.end for look in again)
    ]

    def begins(event: e.Event) -> bool:
        return any(head.start <= event.span.start and event.span.end <= head.end for head in begun)

    return bool(begun) and gap.look not in flow.leading(act, begins)


# --- what is added ----------------------------------------------------------------------------------


def _additions(function: Function) -> Iterator[Addition]:
    for event in function.flow:
        match event:
            case e.Write(op="=", fresh=False, value=value, place=place) if made := _made(function, value):
                if isinstance(places.strip(event.target), r.Unary):
                    place = (*place, "[*]")
                if place[0] != _root(made) and (names := _state(function, place)):
                    yield Addition(event, made, names, places.render(_shared(function, place)))
            case e.CallEvent(node=node, receiver=on) if node.kind == "call":
                given = [made for arg in node.args for part in _parts(arg) if (made := _made(function, part))]
                names = _added_to(function, event) if given else frozenset()
                if names:
                    shown = places.render(on) if on is not None and on != (places.THIS,) else min(names)
                    yield Addition(event, given[-1], names, shown)


def _parts(value: r.Value) -> Iterator[r.Value]:
    """What a value is made of on the spot: `{name, id}`, else the value itself."""
    match places.strip(value):
        case r.Aggregate(items=items) | r.Call(kind="construct", args=(_, _, *_) as items):
            for item in items:
                yield from _parts(item.value if isinstance(item, r.Pair) else item)
        case _:
            yield value


def _made(function: Function, value: r.Value | None) -> r.Value | None:
    """The local that a value is, or is moved out of, where a call or `new` has made what it holds; or what makes it on
    the spot."""
    inner = places.strip(value)
    while isinstance(inner, r.Call) and places.last_name(inner.callee) in ("move", "release") and inner.kind == "call":
        inner = places.strip(inner.args[0] if inner.args else places.receiver(inner))
    if isinstance(inner, r.Call):
        return inner if inner.args and not _only_reads(function, inner) else None
    if not isinstance(inner, r.Name) or inner.text not in function.locals:
        return None
    if any(parameter.name == inner.text for parameter in function.record.parameters):
        return None
    given = [write.value for write in function.flow.writes_to((inner.text,))]
    made = (places.strip(value) for value in (*given, function.locals[inner.text][1]))
    return inner if any(isinstance(one, r.Call) and not _only_reads(function, one) for one in made) else None


def _only_reads(function: Function, call: r.Call) -> bool:
    """Whether a call answers with what is there already."""
    if call.kind != "call" or places.last_name(call.callee) in function.container_methods.ways_in:
        return call.kind not in ("new", "construct")
    callee = function.program.calls.callee(call, function)
    return bool(callee.functions) and all(
        (touched := touches(one)).reads and not touched.writes for one in callee.functions
    )


def _state(function: Function, place: Place) -> frozenset[str]:
    """The state behind a place: members and variables in it, and what a local pointer was led to."""
    names = {step for step in place[1:] if _is_name(step)}
    root = place[0]
    if root == places.THIS or not function.is_local((root,)):
        return frozenset(names | ({root} if root != places.THIS else set()))
    if any(parameter.name == root for parameter in function.record.parameters):
        return frozenset(names)
    for write in function.flow.writes_to((root,)):
        for inner in places.walk(write.value):
            if isinstance(inner, r.Member):
                names.add(inner.name)
            elif isinstance(inner, r.Call) and inner.kind == "call":
                for one in function.program.calls.callee(inner, function).functions:
                    names |= touches(one).reads
    return frozenset(names) if rechecks.outlives(function, place) else frozenset()


def _shared(function: Function, place: Place) -> Place:
    """The place to show: what a local pointer leads to is known by its value."""
    return tuple(step for step in place if _is_name(step)) or place


def _is_name(step: str) -> bool:
    return not step.startswith("[") and step not in ("second", "*")


def _added_to(function: Function, event: e.CallEvent) -> frozenset[str]:
    """What a call adds its argument to: a method of a shared object, or a function that writes what others share."""
    node, on = event.node, event.receiver
    callee = function.program.calls.callee(node, function)
    name = places.last_name(node.callee)
    methods = function.container_methods
    own = {place for one in callee.functions for place in touches(one).writes} - _ANYTHING.writes
    if on is None or on == (places.THIS,):
        return frozenset(own)
    if not rechecks.outlives(function, on):
        return frozenset()
    if callee.functions:
        return frozenset({*own, places.last_name(places.receiver(node))}) if own else frozenset()
    return frozenset({_last(on)}) if name in methods.appends and event.dropped else frozenset()


def _last(place: Place) -> str:
    return next((step for step in reversed(place) if _is_name(step)), "")


# --- where it is searched ---------------------------------------------------------------------------


def _made_of(function: Function, value: r.Value) -> frozenset[str]:
    """The names of which something is made, or what a local holds was, and those that were put into it."""
    made = value.text if isinstance(value, r.Name) else ""
    found: set[str] = set() if made else _names(function, value)
    for event in function.flow if made else ():
        match event:
            case e.Write(place=place, value=given) if place[0] == made:
                found |= _names(function, given)
            case e.CallEvent(node=node) if any(_root(arg) == made for arg in node.args):
                found |= {name for arg in node.args for name in _names(function, arg)}
    for _ in range(2):
        for name in sorted(found & function.locals.keys()):
            for write in function.flow.writes_to((name,)):
                found |= _names(function, write.value)
    return frozenset(found - {made})


def _root(value: r.Value | None) -> str:
    inner = places.strip(value)
    while isinstance(inner, r.Member | r.Index | r.Unary):
        inner = places.strip(inner.value if isinstance(inner, r.Unary) else inner.base)
    return inner.text if isinstance(inner, r.Name) else ""


def _names(function: Function, value: r.Value | None) -> set[str]:
    return {
        inner.text for inner in places.walk(value) if isinstance(inner, r.Name) and inner.text in function.declared
    } - {places.THIS}


def _searches(function: Function, addition: Addition, keys: frozenset[str]) -> Iterator[tuple[e.Event, frozenset[str]]]:
    """The events that search the state for a key, each with the keys that it says."""
    heads = _walked(function, addition.names)
    for event in function.flow:
        match event:
            case e.CallEvent(node=node) if node.kind == "call" and event is not addition.event:
                given = _keys_given(function, node) & keys
                if given and not _reads_of(function, event).isdisjoint(addition.names):
                    yield event, frozenset(given)
            case e.Test(value=value):
                said = _names(function, value) & keys
                if said and _walks(function, value, heads, addition.names):
                    yield event, frozenset(said)


def _looked_up_again(gaps: rechecks.Gaps, addition: Addition) -> list[e.Event]:
    """Where a container that it is added to is asked in the section of the addition."""
    here, methods = gaps.sections.around(addition.event), gaps.function.container_methods
    return [
        call
        for call in gaps.function.flow.calls
        if call.receiver is not None
        and _last(call.receiver) in addition.names
        and places.last_name(call.node.callee) in methods.looks
        and any(call in section for section in here)
    ]


def _keys_given(function: Function, call: r.Call) -> set[str]:
    """The names in the arguments of a call, but for what the called function changes: that is no key."""
    callees = function.program.calls.callee(call, function).functions
    changed = {at for callee in callees for at in _changed(callee)}
    return {name for at, arg in enumerate(call.args) if at not in changed for name in _names(function, arg)}


@questions.flow_question
def _changed(callee: Function) -> frozenset[int]:
    """The parameters, objects of the project by a reference that is not `const`, on which, or on a part of which, a
    method is called that is not: a generator of random numbers is drawn from."""
    found: set[int] = set()
    for at, parameter in enumerate(callee.record.parameters):
        kind = types.parse(parameter.type)
        if not kind.reference or kind.const or kind.name.startswith("std::"):
            continue
        calls = (call for call in callee.flow.calls if call.receiver is not None and call.receiver[0] == parameter.name)
        if any(not failure.asks(callee, call) for call in calls):
            found.add(at)
    return frozenset(found)


def _reads_of(function: Function, event: e.CallEvent) -> frozenset[str]:
    """What a call only looks through, by last names; nothing for one that writes what others share."""
    callee = function.program.calls.callee(event.node, function)
    if not callee.functions or not callee.all_defined:
        return frozenset()
    touched = [touches(one) for one in callee.functions]
    if any(one.writes for one in touched):
        return frozenset()
    on = event.receiver
    own = {_last(on)} if on is not None and on != (places.THIS,) and any(one.reads for one in touched) else set()
    return frozenset(own).union(*(one.reads for one in touched))


def _walked(function: Function, names: frozenset[str]) -> frozenset[str]:
    """The locals that go through the state from its beginning, one element after the other."""
    begun, moved = set(), set()
    for write in function.flow.writes:
        if len(write.place) != 1 or write.place[0] not in function.locals:
            continue
        said = {places.last_name(inner) for inner in places.walk(write.value) if isinstance(inner, r.Name | r.Member)}
        if not said.isdisjoint(names) and not isinstance(places.strip(write.value), r.Call):
            begun.add(write.place[0])
        if _root(write.value) == write.place[0] and isinstance(places.strip(write.value), r.Member):
            moved.add(write.place[0])
    for statement in function.statements:
        if isinstance(statement, r.Loop) and statement.kind == "range" and statement.iterable is not None:
            at = assignments.place(function, statement.iterable)
            if at is not None and not names.isdisjoint(at):
                bound = set(bodies.bound_names(statement.target))
                begun |= bound
                moved |= bound
    return frozenset(begun & moved)


def _walks(function: Function, value: r.Value, heads: frozenset[str], names: frozenset[str]) -> bool:
    """Whether a condition compares an element of the state."""
    for inner in places.walk(value):
        match inner:
            case r.Name(text=name) if name in heads:
                return True
            case r.Index(base=base, indexes=(at,)) if _names(function, at):
                if places.last_name(places.strip(base)) in names:
                    return True
    return False


# --- what functions touch ---------------------------------------------------------------------------


@questions.question
def touches(function: Function) -> Touched:
    return _touch(function, _MOST_CALLS)


def _touch(function: Function, depth: int) -> Touched:
    if function.language != "cpp" or len(function.encoded) > _TABLE:
        return _ANYTHING
    reads: set[str] = set()
    writes: set[str] = set()
    methods = function.container_methods
    changing = methods.puts | methods.erases | methods.takes | methods.grows
    for event in function.flow:
        match event:
            case e.Write(place=place, fresh=False) if rechecks.outlives(function, place) or _is_behind(function, place):
                writes |= _steps(function, place)
            case e.Read(place=place):
                reads |= _steps(function, place)
            case e.CallEvent(node=node, receiver=on):
                if on is not None:
                    said = _steps(function, on)
                    reads |= said
                    if places.last_name(node.callee) in changing:
                        writes |= said
                called = function.program.calls.callee(node, function).functions if node.kind == "call" else ()
                for one in called:
                    if one is not function:
                        inner = _touch(one, depth - 1) if depth else _ANYTHING
                        reads |= inner.reads
                        writes |= inner.writes
    return Touched(frozenset(reads), frozenset(writes))


_ANYTHING = Touched(frozenset(), frozenset({"*"}))


def _is_behind(function: Function, place: Place) -> bool:
    """Whether it is a part of what a parameter leads to."""
    return len(place) > 1 and any(one.name == place[0] for one in function.record.parameters)


def _steps(function: Function, place: Place) -> set[str]:
    names = {step for step in place[1:] if _is_name(step)}
    if place[0] != places.THIS and not function.is_local((place[0],)):
        names.add(place[0])
    return names
