"""What is made on first use: a member, global or static that is set because a look found it unset.

Which of them more than one thread can come to is a matter of evidence: the class has a lock that others take, the
method is const, the file locks other things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    File,
    Function,
    Place,
    Program,
    assignments,
    conditions,
    glance,
    guard_classes,
    locks,
    mutexes,
    pairs,
    places,
    questions,
    trials,
    types,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.locks._rechecks import is_settled, is_skipped

_MAKES = frozenset({"reset", "emplace"})
_OF_ONE_THREAD = frozenset({"iterator", "cursor", "generator", "visitor", "builder", "parser", "reader"})
"""Words of classes whose objects are made for the one who goes through something."""
_HAS_STATIC = re.compile(rb",true\]")
_MOST_ACTS = 100
"""Of one function; one with more of them was written by a program."""
_HOLDERS = frozenset({"smart pointer", "shared pointer", "intrusive pointer", "optional"})


class Lazy(NamedTuple):
    """`act` sets `place` because `read`, decided by `test`, found it unset."""

    act: e.Event
    place: Place
    read: e.Event
    test: e.Test
    guarded: bool
    """The act happens under a lock, the read does not."""
    is_flag: bool


def lazy_sets(function: Function) -> Iterator[Lazy]:
    """Where the function sets something that outlives it, on first use, with nothing held at the first look."""
    if function.language != "cpp" or is_settled(function):
        return
    names = _candidates(function)
    if not names:
        return
    flow = function.flow
    held: dict[int, locks.Locks] | None = None
    acts = [act for act in _acts(function) if any(flow.guards(act[0]))]
    for event, place, value in acts[:_MOST_ACTS]:
        if place[-1] not in names or event.index not in flow.reachable or not _is_plain(function, place):
            continue
        found = _looked(function, event, place, value)
        if found is None:
            continue
        held = locks.locking(function.program).held(function) if held is None else held
        test, read, held_value = found
        if held.get(read.index) or _is_run_once(function) or _may_be_locked(function, read):
            continue
        yield Lazy(event, place, read, test, bool(held.get(event.index)), held_value.kind == "flag")


def _may_be_locked(function: Function, read: e.Event) -> bool:
    """Whether something that nobody can name is locked by hand on every way to the read."""
    verb = mutexes.mutexes(function.program).verb
    return any(
        isinstance(one, e.CallEvent) and verb(one.node, function) == "hold" for one in function.flow.dominators(read)
    )


def _candidates(function: Function) -> frozenset[str]:
    """Names that the body may set and that lead out of it, as far as that can be told without decoding."""
    set_here = {name[1:] for name in function.mentioned if name.startswith("=")}
    members = function.home.members if function.home is not None else frozenset()
    if not _MAKES.isdisjoint(function.mentioned):
        set_here |= members
    if not set_here:
        return frozenset()
    shared = _shared(function.program)
    named = set()
    if function.home is not None and (function.home.symbol in shared.classes or is_getter_of_all(function)):
        named = set_here & members
    if function.path in shared.files:
        outside = set_here - members
        named |= outside & shared.files[function.path]
        named |= outside if function.says(_HAS_STATIC) else set()
    return frozenset(name for name in named if glance.asks_again(function, name))


def _acts(function: Function) -> Iterator[tuple[e.Event, Place, r.Value | None]]:
    for event in function.flow:
        match event:
            case e.Write(fresh=False, op="=", place=place, value=value) if len(place) <= 2:
                yield event, place, value
            case e.CallEvent(receiver=place, node=r.Call(args=(value, *_)) as node) if (
                place is not None and len(place) <= 2
            ):
                if places.last_name(node.callee) in _MAKES:
                    yield event, place, value


def _looked(
    function: Function, act: e.Event, place: Place, value: r.Value | None
) -> tuple[e.Test, e.Event, assignments.Held] | None:
    """The test that keeps the act from happening again, and the read it rests on."""
    known = assignments.held(value) if isinstance(act, e.Write) else None
    if known is not None and known.kind in ("emptied", "cleared", "state"):
        return None
    holding = known if known is not None and known.kind == "flag" else assignments.Held("object", True)
    caches = "const" in function.record.qualifiers
    if holding.kind == "object" and not caches and not _can_be_empty(function, place):
        return None
    given = conditions.Given(place, holding)
    earlier = {event.index for event in function.flow.before(act)}
    reads = [one for one in function.flow if isinstance(one, e.Read) and one.place == place and one.index in earlier]
    if not reads:
        return None
    oldest: tuple[e.Test, e.Event, assignments.Held] | None = None
    for test, outcome in function.flow.guards(act):
        if test.asserted:
            continue
        read = next((one for one in reversed(reads) if one.span.start in test.value.span), None)
        if is_skipped(function, test.value, outcome, given) or (caches and read is not None):
            oldest = (test, read or reads[0], holding)
    return oldest


def _can_be_empty(function: Function, place: Place) -> bool:
    written, file, scope = declared(function, place)
    kind = types.parse(function.program.names.expand(written, file, scope))
    return bool(kind.pointers) or not _HOLDERS.isdisjoint(function.program.types.roles_at(written, file, scope))


def declared(function: Function, place: Place) -> tuple[str, File, str]:
    """The type of a member, variable or static as it is declared, and where that is."""
    name = place[-1]
    if place[0] == places.THIS and function.home is not None and (found := function.home.field(name)) is not None:
        return found[1].type, found[0].file, found[0].symbol
    if name in function.locals:
        return function.locals[name][0], function.file, function.record.scope
    for variable in function.file.variables:
        if variable.name == name:
            return variable.type, function.file, variable.scope
    return "", function.file, ""


def _is_plain(function: Function, place: Place) -> bool:
    """A member of this object, a variable of this file or a static of this function; no atomic, not one a thread."""
    if len(place) == 2:
        if place[0] != places.THIS or place[1].startswith("["):
            return False
        if function.home is not None and (found := function.home.field(place[1])) and found[1].thread_local:
            return False
    elif place[0] in function.declared:
        if not _is_shared_static(function, place[0]):
            return False
    elif not any(v.name == place[0] and not v.thread_local for v in function.file.variables):
        return False
    written, file, scope = declared(function, place)
    return bool(written) and {"atomic", "once"}.isdisjoint(function.program.types.roles_at(written, file, scope))


def _is_shared_static(function: Function, name: str) -> bool:
    return any(
        isinstance(statement, r.Declare) and statement.static and name in statement.names and not statement.thread_local
        for statement in function.statements
    )


def _is_run_once(function: Function) -> bool:
    """A lambda that is handed to what calls it once."""
    if function.record.kind != "lambda" or function.parent is None:
        return False
    for call in function.parent.flow.calls:
        if any(
            isinstance(v, r.Lambda) and v.function == function.index for arg in call.node.args for v in places.walk(arg)
        ):
            written = (function.program.types.of(arg, function.parent) for arg in call.node.args)
            return "once" in places.last_name(call.node.callee).lower() or any(
                "once" in function.program.types.roles(kind, function.parent) for kind in written if kind
            )
    return False


# --- evidence of threads ----------------------------------------------------------------------------


class _Shared(NamedTuple):
    classes: frozenset[str]
    """Symbols of the classes that have a lock of their own."""
    files: dict[str, frozenset[str]]
    """The files in which some function takes a lock, and the variables that they declare."""


@questions.program_question
def _shared(program: Program) -> _Shared:
    return _Shared(
        frozenset(cls.symbol for cls in program.classes if cls.file.language == "cpp" and locks.mutex_fields(cls)),
        {
            path: frozenset(variable.name for variable in program.files[path].variables)
            for path in sorted(set(_locking_files(program)))
        },
    )


def _locking_files(program: Program) -> Iterator[str]:
    spelled = guard_classes.guards(program).words | mutexes.mutexes(program).holders.keys()
    for function in program.functions:
        if not spelled.isdisjoint(function.mentioned):
            yield function.path


def is_called_safely(function: Function) -> bool:
    """Whether everybody in the project who calls it holds a lock, or is a constructor."""
    callers = locks.locking(function.program).from_callers(function)
    return callers.alone or bool(callers.locks) or locks.says_locked(function)


def is_behind_override(function: Function) -> bool:
    """Whether all ways that can be seen begin in overrides, which others call under locks that nobody can see."""
    first = locks.locking(function.program).outermost(function)
    return bool(first) and all(locks.is_override(one) for one in first)


def is_at_the_start(function: Function) -> bool:
    """Whether it is a program's own start, or a test's, or they alone lead there: one thread runs it."""
    first = locks.locking(function.program).outermost(function)
    return _starts(function) or (bool(first) and all(_starts(one) for one in first))


def _starts(function: Function) -> bool:
    return trials.is_trial(function) or any(p.name == "argv" or "char**" in p.type for p in function.record.parameters)


def others_lock(function: Function) -> bool:
    """Whether other methods of the class take a lock; for a function outside of classes, others of its file."""
    if function.home is None:
        return function.path in _shared(function.program).files
    spelled = mutexes.mutexes(function.program).words
    return any(
        method is not function and not spelled.isdisjoint(method.mentioned) and method.record.kind == "method"
        for method in function.home.methods
    )


def is_getter_of_all(function: Function) -> bool:
    """Whether it is a const method with a result, of an object that several threads may ask at once: they do not share
    an iterator."""
    if "const" not in function.record.qualifiers or function.record.result in ("", "void") or function.home is None:
        return False
    return _OF_ONE_THREAD.isdisjoint(pairs.words(function.home.name))


def is_number_alone(function: Function, lazy: Lazy) -> bool:
    """Whether a plain number is all that is made on that look, and at once: who makes it a second time stores the same.
    A number that is set in several steps is seen half made."""
    written, file, scope = declared(function, lazy.place)
    kind = types.parse(function.program.names.expand(written, file, scope))
    if lazy.is_flag or not kind.is_scalar or kind.pointers or kind.reference or kind.name == "bool":
        return False
    around = {event.index for event in (*function.flow.before(lazy.act), *function.flow.after(lazy.act))}
    return not any(
        event is not lazy.act
        and (event.index in around or not _is_write_of(event, lazy.place))
        and _changes(function, event)
        and any(test is lazy.test for test, _ in function.flow.guards(event))
        for event in function.flow
    )


def _is_write_of(event: e.Event, place: Place) -> bool:
    return isinstance(event, e.Write) and event.place == place


def _changes(function: Function, event: e.Event) -> bool:
    """Whether the event changes something that outlives the call, or may do so."""
    match event:
        case e.Write(fresh=False, place=place):
            return not function.is_local(place)
        case e.CallEvent(receiver=place, node=node) if place is not None and not function.is_local(place):
            callee = function.program.calls.callee(node, function)
            return not callee.records or any("const" not in record.qualifiers for record in callee.records)
    return False


def hands_out(function: Function, lazy: Lazy) -> bool:
    """Whether the function returns what it made, or what that leads to."""
    place = lazy.place
    members = function.home.members - function.declared if function.home is not None else frozenset()
    stored = places.strip(lazy.act.value) if isinstance(lazy.act, e.Write) else None
    also = stored.text if isinstance(stored, r.Name) else ""

    def leads(value: r.Value | None) -> bool:
        named = places.place_of(value, function.flow.aliases, members)
        if named is not None:
            return named[: len(place)] == place or named == (also,)
        inner = places.strip(value)
        if isinstance(inner, r.Call):
            return any(leads(argument) for argument in inner.args)
        return isinstance(inner, r.Conditional) and (leads(inner.then) or leads(inner.other))

    return any(leads(leave.value) for leave in function.flow.leaves)
