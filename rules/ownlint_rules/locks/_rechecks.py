"""Who acts under one lock on what was found under another, and whether anybody looked again.

A *gap* is a look in one critical section and an act in a later section of the same lock that happens because of what
the look found. It is closed by a second look under the lock of the act, by a mark that the first section leaves
behind, or by another lock that is held all the time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from ownlint import (
    Certainty,
    Class,
    Flow,
    Function,
    Place,
    Program,
    assignments,
    because,
    bodies,
    conditions,
    containers,
    glance,
    locks,
    log_levels,
    lookups,
    mutexes,
    patterns,
    places,
    python_locks,
    questions,
    sections,
    text,
    types,
)
from ownlint import events as e
from ownlint import records as r


class Gap(NamedTuple):
    look: e.Event
    act: e.Event
    lock: Place
    tests: tuple[sections.Decider, ...]
    """The conditions about what was found whose outcome is known where the act happens; never empty."""
    again: bool
    """The look comes again, in a loop; or the first lock was the caller's, who knows more."""
    anyway: bool
    """Some way leads to the act that takes the lock nowhere before."""


def takes_locks(function: Function, times: int = 1) -> bool:
    """False when the body does not say so often what takes a lock; needs no decoding."""
    if function.language == "python":
        return python_locks.takings(function) >= times
    words = mutexes.mutexes(function.program).words
    if words.isdisjoint(function.mentioned):
        return False
    return times == 1 or sum(1 for _ in _takings(words).said(function.encoded)) >= times


def may_call_locking(function: Function, times: int = 1) -> bool:
    """Whether the body may call so many functions of the project that take a lock; needs no decoding."""
    return len(_locking_names(function).intersection(function.mentioned)) >= times


def _locking_names(function: Function) -> frozenset[str]:
    """Last names of the functions of the same language that take a lock."""
    return _all_locking_names(function.program)[function.language]


@questions.program_question
def _all_locking_names(program: Program) -> dict[str, frozenset[str]]:
    locking = list(_locking(program))
    return {
        language: frozenset(function.name for function in locking if function.language == language)
        for language in ("cpp", "python")
    }


@questions.each_function
def _locking(function: Function) -> bool:
    return takes_locks(function)


@lru_cache(maxsize=4)
def _takings(words: frozenset[str]) -> patterns.AnyName:
    """A call of one of them, as a function or as a method."""
    return patterns.AnyName(words, _CALLED, last=True)


_CALLED = re.compile(glance.opens(r.Name) + rb'"([^"]*)"\]|,"([^":]*)"(?=,(?:true|false),)')


def is_settled(function: Function) -> bool:
    """Whether nobody else can be inside: the object is being made or destroyed."""
    return function.record.kind in ("constructor", "destructor", "conversion")


# --- gaps in one function ---------------------------------------------------------------------------


class Gaps:
    """The sections of one function and what lies between them."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.sections = sections.sections(function)
        self.told = sections.Told(function)
        self._passed: dict[int, frozenset[Place]] = {}

    @property
    def is_divided(self) -> bool:
        """Whether some lock is taken more than once, here or by a call."""
        if any(len(found) > 1 for found in self.sections.of.values()):
            return True
        known = _locking_names(self.function) if self.sections.of else ()
        calls = (call for call in self.function.flow.calls if places.last_name(call.node.callee) in known)
        return any(not self.passed(call).isdisjoint(self.sections.of) for call in calls)

    def passed(self, event: e.Event) -> frozenset[Place]:
        """The locks that a call takes and lets go of, which does so in a section of its own."""
        if event.index not in self._passed:
            self._passed[event.index] = sections.passed(self.function, event)
        return self._passed[event.index]

    def is_decided(self, act: e.Event) -> bool:
        """Whether the act happens under a lock, and something is asked before."""
        tests = self._first_test
        return bool(self.sections.around(act)) and tests is not None and tests.index < act.index

    @cached_property
    def _first_test(self) -> e.Test | None:
        return next((event for event in self.function.flow if isinstance(event, e.Test)), None)

    def locks(self, event: e.Event) -> frozenset[str]:
        """Last names of the locks around an event that the function takes itself."""
        entry = self.function.flow.entry
        return frozenset(one.lock[-1] for one in self.sections.around(event) if one.first.index != entry)

    def before(self, act: e.Event, looks: Iterable[e.Event], about: Collection[str] = ()) -> Gap | None:
        """The gap between the act and the first of the looks that led to it. The locals that it is `about` are bound
        anew where the next round of a loop looks for something else."""
        here = self.sections.around(act)
        if not here:
            return None
        asked = [look for look in looks if look is not act]
        again = [look for look in asked if any(look in section for section in here)]
        renewed = frozenset(look.index for look in again)
        reached: dict[frozenset[int], set[int]] = {}
        for look in asked:
            if look.index in renewed:
                continue
            stops = renewed | self._asked_again(look, again, here)
            if stops not in reached:
                reached[stops] = self._leading(act, stops)
            if look.index in reached[stops]:
                for section in here:
                    if (gap := self._gap(look, act, section, about)) is not None:
                        return gap
        return None

    def _leading(self, act: e.Event, stops: frozenset[int]) -> set[int]:
        return {event.index for event in self.function.flow.leading(act, lambda event: event.index in stops)}

    def _asked_again(self, look: e.Event, again: list[e.Event], here: Iterable[sections.Section]) -> set[int]:
        """The tests in the section of the act that lead to another look, where those are the tests that led to the
        first: `if (n < size && table[n])` said twice asks again, whichever part of it decides."""
        flow = self.function.flow
        first = {text(test.value) for test, _ in flow.guards(look)} if again else set[str]()
        found: set[int] = set()
        for other in again:
            tests = [test for test, _ in flow.guards(other) if any(test in section for section in here)]
            if all(text(test.value) in first for test in tests):
                found.update(test.index for test in tests)
        return found

    def is_apart(self, look: e.Event, act: e.Event, looks: Iterable[e.Event]) -> bool:
        """Whether one lock is let go between the look and the act, and no look comes again before the act."""
        here = self.sections.around(act)
        renewed = {one.index for one in looks if any(one in section for section in here)}
        return (
            look.index not in renewed
            and any(one.lock == section.lock for one in self.sections.around(look) for section in here)
            and not self._is_covered(look, act)
            and not self.is_marked(look, act)
            and not _leads(self.function.flow, look, look)
            and look in self.function.flow.leading(act, lambda event: event.index in renewed)
        )

    def _gap(self, look: e.Event, act: e.Event, section: sections.Section, about: Collection[str]) -> Gap | None:
        firsts = [one for one in self.sections.around(look) if one.lock == section.lock and act not in one]
        apart = not self.sections.around(look) and section.lock in self.passed(look)
        if not (firsts or apart) or self._is_covered(look, act):
            return None
        tests = self.told.deciders(look, act)
        if not tests or self.is_marked(look, act) or not self._lets_others_in(look, act):
            return None
        flow = self.function.flow
        anew = {write.index for name in about for write in flow.writes_to((name,))}
        again = flow.path(look, lambda event: event is look, lambda event: event.index in anew) is not None
        lent = bool(firsts) and all(_is_lent(self.function, one) for one in firsts)
        taken = {one.first.index for one in self.sections.of[section.lock] if act not in one}
        taken |= {look.index} if apart else set()
        anyway = any(event.index == flow.entry for event in flow.leading(act, lambda event: event.index in taken))
        return Gap(look, act, section.lock, tuple(tests), again or lent, anyway)

    def _lets_others_in(self, look: e.Event, act: e.Event) -> bool:
        """Whether another task may run between the two, where tasks take turns."""
        if "async" not in self.function.record.qualifiers:
            return True
        leading = {event.index for event in self.function.flow.before(act)}
        between = (event for event in self.function.flow.after(look, lambda event: event is act))
        return any(isinstance(one, e.CallEvent) and one.awaited and one.index in leading for one in between)

    def _is_covered(self, look: e.Event, act: e.Event) -> bool:
        """Whether some other lock is held from the look to the act."""
        return any(act in one for one in self.sections.around(look))

    def is_marked(self, look: e.Event, act: e.Event) -> bool:
        """Whether a section of the look leaves something behind, on the way to the act, that others see."""
        flow, function = self.function.flow, self.function
        methods = function.container_methods
        if isinstance(look, e.CallEvent) and places.last_name(look.node.callee) in methods.keyed:
            return True
        around = [one for one in self.sections.around(look) if act not in one]
        leading = {event.index for event in flow.before(act)}
        puts = methods.keyed | methods.appends
        for event in flow.after(look):
            if event.index not in leading or not any(event in one for one in around):
                continue
            match event:
                case e.Write(place=place, op="=" | "|=", fresh=False) if outlives(function, place):
                    return True
                case e.CallEvent(node=node) if places.last_name(node.callee) in puts:
                    on = places.receiver(node)
                    if on is not None and containers.names_of(function, on):
                        return True
        return False


MOST_ACTS = 12
MOST_LOOKS = 16
"""Of one function; one with more of them was written by a program."""
_LARGEST_HELPER = 3000
"""Bytes of an encoded body: some ten statements."""


def _is_lent(function: Function, section: sections.Section) -> bool:
    """Whether the caller holds the lock already: it is held on entry, or an assertion says so."""
    first = section.first
    if isinstance(first, e.CallEvent):
        return mutexes.mutexes(function.program).verb(first.node, function) == "assert"
    return first.index == function.flow.entry


def divided(function: Function) -> Gaps | None:
    """The function's gaps, when some lock is taken in it more than once."""
    if not takes_locks(function, 2) and not (takes_locks(function) and may_call_locking(function)):
        return None
    gaps = Gaps(function)
    return gaps if gaps.is_divided else None


def container_gaps(gaps: Gaps) -> Iterator[tuple[containers.Insert, Gap]]:
    """Inserts into a map or set that outlives the call, under one lock, because of a look under another."""
    function = gaps.function
    for insert in (*_own_inserts(gaps), *_inserts_by_helpers(gaps)):
        found = islice(lookups.looks(function, insert.container, insert.key), MOST_LOOKS)
        looks = [look.event for look in found if not look.asserted]
        if (gap := gaps.before(insert.event, looks, containers.origins(function, insert.key))) is not None:
            yield insert, gap


def _own_inserts(gaps: Gaps) -> list[containers.Insert]:
    function = gaps.function
    return [
        one
        for one in containers.inserts(function)
        if gaps.is_decided(one.event) and (isinstance(one.event, e.CallEvent) or _is_entry(function, one.event))
    ][:MOST_ACTS]


def _inserts_by_helpers(gaps: Gaps) -> Iterator[containers.Insert]:
    """What methods of the same class store that count on the caller's lock."""
    function = gaps.function
    known = helpers(function.program)
    if known.bare_names.isdisjoint(function.mentioned):
        return
    for call, stored in _calls_of(function, known.bare):
        insert = stored.insert
        if insert is not None and call.receiver in (None, (places.THIS,)) and gaps.is_decided(call):
            value = _handed_value(stored, call.node)
            yield insert._replace(event=call, key=call.node.args[stored.key], value=value)


def state_gaps(gaps: Gaps) -> Iterator[tuple[assignments.Assignment, Gap]]:
    """Assignments to what is no entry of a map, under one lock, because of what was read under another."""
    function = gaps.function
    read = reads(function)
    settings = [one for one in _settings(function) if one.place in read and gaps.is_decided(one.event)]
    for setting in settings[:MOST_ACTS]:
        looks = [look for look in read[setting.place] if not is_target(look, setting.event)]
        if not outlives(function, setting.place) or _is_claimed(gaps, setting):
            continue
        if (gap := gaps.before(setting.event, looks)) is not None:
            yield setting, gap


def _is_claimed(gaps: Gaps, setting: assignments.Assignment) -> bool:
    """Whether the act is done only if a token of the same object, which was put there under an earlier lock, is still
    the one that a local holds: `if (job.owner == mine) job.state = kDone;`."""
    flow, function = gaps.function.flow, gaps.function
    sections = gaps.sections.around(setting.event)
    for test, _ in flow.guards(setting.event):
        if not any(test in section for section in sections):
            continue
        for inner in places.walk(test.value):
            if not isinstance(inner, r.Binary) or inner.op not in ("==", "!="):
                continue
            for token, mine in ((inner.left, inner.right), (inner.right, inner.left)):
                where, local = assignments.place(function, token), places.strip(mine)
                if where is None or where[:-1] != setting.place[:-1] or where == setting.place:
                    continue
                if isinstance(local, r.Name) and function.is_local((local.text,)) and _was_put(gaps, where, setting):
                    return True
    return False


def _was_put(gaps: Gaps, token: Place, setting: assignments.Assignment) -> bool:
    """Whether a member of that name is written under a lock that was released before."""
    now = gaps.sections.around(setting.event)
    return any(
        write.place[-1] == token[-1] and len(write.place) > 1 and gaps.sections.around(write)
        for write in gaps.function.flow.writes
        if not any(write in section for section in now)
    )


def reads(function: Function) -> dict[Place, list[e.Event]]:
    """By place, where it is read; to bind a reference reads nothing yet."""
    found: dict[Place, list[e.Event]] = {}
    for event in function.flow:
        match event:
            case e.Read(place=place, node=node) if not (
                place[-1].startswith("[") and lookups.binds_reference(function, node)
            ):
                found.setdefault(place, []).append(event)
            case e.CallEvent(node=node, receiver=on) if on is not None and node.args:
                at = assignments.place(function, node)
                if at is not None and at[-1].startswith("["):
                    found.setdefault(at, []).append(event)
    return found


def is_target(look: e.Event, act: e.Event) -> bool:
    """Whether it is what the act is done to: `p` of `p.reset(..)`, `v.at(i)` of `v.at(i) = ..`."""
    target = places.receiver(act.node) if isinstance(act, e.CallEvent) else None
    span = (target.start, target.end) if target is not None else (act.span.start, act.span.end)
    return (look.span.start, look.span.end) == span


def _settings(function: Function) -> Iterator[assignments.Assignment]:
    """What is given a value as a whole: by `=`, or as an owner by `reset` and `emplace`."""
    known = {
        one.event.index: one
        for one in assignments.assignments(function)
        if isinstance(one.event, e.CallEvent) and one.held.kind == "object" and one.event.receiver == one.place
    }
    for event in function.flow:
        if isinstance(event, e.Write) and event.op == "=" and not event.fresh and not _is_entry(function, event):
            yield assignments.Assignment(
                event, event.place, assignments.held(event.value) or assignments.Held("object", None)
            )
        elif event.index in known:
            yield known[event.index]


def _is_entry(function: Function, write: e.Write) -> bool:
    """Whether it writes an entry of a map; elements of a sequence are there before."""
    if not write.place[-1].startswith("[") or write.target is None:
        return False
    base = _indexed(function, write.target)
    written = function.program.types.of(base, function) if base is not None else ""
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    return not kind.pointers and "sequence" not in function.program.types.roles(written, function)


def _indexed(function: Function, value: r.Value | None) -> r.Value | None:
    """`v` of `v[i]`, of `v.at(i)`, and of a reference to them."""
    match places.strip(value):
        case r.Index(base=base):
            return base
        case r.Call(callee=r.Member(base=base, name="at")):
            return base
        case r.Name(text=name) if name in function.locals:
            initial = function.locals[name][1]
            return None if isinstance(places.strip(initial), r.Name) else _indexed(function, initial)
    return None


_COUNTS = frozenset({"empty", "size"})


def emptiness_gaps(gaps: Gaps) -> Iterator[Gap]:
    """Elements that are taken from a container under one lock, because it was not empty under another."""
    function = gaps.function
    methods = function.container_methods
    need_one = methods.places | methods.erases
    if not function.mentions_any(need_one):
        return
    asked = _asked_for_any(function)
    for act in [call for call in function.flow.calls if call.receiver in asked and gaps.is_decided(call)][:MOST_ACTS]:
        if act.receiver is None or places.last_name(act.node.callee) not in need_one or act.node.args:
            continue
        if not _is_container(function, places.receiver(act.node)) or not outlives(function, act.receiver):
            continue
        if function.language == "python" and _is_caught(function, act):
            continue
        gap = gaps.before(act, asked[act.receiver])
        if gap is not None and any(_says_one(function, one.condition, one.outcome) for one in gap.tests):
            yield gap


def _asked_for_any(function: Function) -> dict[Place, list[e.Event]]:
    """By place, where a container is asked for its size, or whether there is anything in it."""
    asked: dict[Place, list[e.Event]] = {}
    if function.language == "python":
        reads: dict[Place | None, list[e.Event]] = {}
        for event in function.flow:
            if isinstance(event, e.Read):
                reads.setdefault(event.place, []).append(event)
        tested = [(event.value, event.span) for event in function.flow if isinstance(event, e.Test)]
        given = (places.strip(write.value) for write in function.flow.writes if function.is_local(write.place))
        for value, span in (*tested, *((one, one.span) for one in given if one is not None)):
            if (at := _tested_for_any(function, value)) is not None:
                asked.setdefault(at, []).extend(one for one in reads.get(at, ()) if one.span.start in span)
        return asked
    for call in function.flow.calls if function.mentions_any(_COUNTS) else ():
        if call.receiver is not None and places.last_name(call.node.callee) in _COUNTS:
            asked.setdefault(call.receiver, []).append(call)
    return asked


def _tested_for_any(function: Function, value: r.Value | None) -> Place | None:
    """The container of Python that a condition asks: `if self.items`, `len(self.items) > 0`, `bool(self.items)`."""
    match places.strip(value):
        case r.Unary(op="not", value=inner):
            return _tested_for_any(function, inner)
        case r.Binary(left=r.Call() as left):
            return _tested_for_any(function, left)
        case r.Call(callee=r.Name(text="len" | "bool"), args=(given,)) | (r.Name() | r.Member() as given):
            return assignments.place(function, given)
    return None


def _is_container(function: Function, value: r.Value | None) -> bool:
    """Whether it is a container of a library; in Python its methods alone say so."""
    if function.language == "python":
        return True
    return "container" in function.program.types.roles(function.program.types.of(value, function), function)


def _is_caught(function: Function, act: e.Event) -> bool:
    """Whether a handler in the function takes what is raised where the act finds nothing."""
    return any(
        isinstance(statement, r.Try)
        and any(
            one.type in ("", "Exception", "BaseException") or _MISSES.search(one.type) for one in statement.handlers
        )
        and any(inner.start <= act.span.start < inner.end for inner in statement.body)
        for statement in function.statements
    )


_MISSES = re.compile(r"\b(?:Index|Key|Lookup)Error\b")


def presence_gaps(gaps: Gaps) -> Iterator[tuple[Gap, str, str]]:
    """Elements that are counted on under one lock, because they were found under another, with the key and the
    container: what `entries.find(key)` returns is used unasked."""
    function, methods = gaps.function, gaps.function.container_methods
    if function.language == "python":
        yield from _presence_gaps_in_python(gaps)
        return
    if not function.mentions_any(methods.finds):
        return
    unasked = {one.span for one in map(_used_unasked, function.values) if one is not None}
    calls = [call for call in function.flow.calls if call.receiver is not None and call.node.args]
    for act in [call for call in calls if call.span in unasked and gaps.is_decided(call)][:MOST_ACTS]:
        key = act.node.args[0]
        if act.receiver is None or not outlives(function, act.receiver):
            continue
        looks = [
            call
            for call in calls
            if call.receiver == act.receiver
            and places.last_name(call.node.callee) in methods.looks
            and text(call.node.args[0]) == text(key)
        ]
        if (gap := gaps.before(act, looks, containers.origins(function, key))) is not None:
            yield gap, text(key), places.render(act.receiver)


def _presence_gaps_in_python(gaps: Gaps) -> Iterator[tuple[Gap, str, str]]:
    """`entries[key]` and `del entries[key]`, which raise where nothing is there."""
    function = gaps.function
    counting = list(_counting_on(function))
    all_acts = {act.index for act, _, _ in counting}
    acts = [one for one in counting if gaps.is_decided(one[0]) and not _is_caught(function, one[0])]
    for act, base, key in acts[:MOST_ACTS]:
        held = containers.container(function, base)
        if held is None or not containers.is_erased(function, held):
            continue
        looks = [
            look.event
            for look in islice(lookups.looks(function, held, key), MOST_LOOKS)
            if not look.asserted and look.event.index not in all_acts
        ]
        if (gap := gaps.before(act, looks, containers.origins(function, key))) is not None:
            yield gap, text(key), held.shown


def _counting_on(function: Function) -> Iterator[tuple[e.Event, r.Value, r.Value]]:
    """Where an element of a container is counted on: the container, and the key."""
    deleted = {
        (statement.start, assignments.place(function, target)): target
        for statement in function.statements
        if isinstance(statement, r.Delete)
        for target in statement.targets
    }
    for event in function.flow:
        match event:
            case e.Read(node=r.Index(base=base, indexes=(key,))) if not isinstance(key, r.Aggregate | r.Literal):
                yield event, base, key
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="pop" | "remove"), args=(key,))):
                yield event, base, key
            case e.End(why="del", place=place):
                target = deleted.get((event.span.start, place))
                if isinstance(target, r.Index) and len(target.indexes) == 1:
                    yield event, target.base, target.indexes[0]


def _used_unasked(value: r.Value) -> r.Call | None:
    """The call that looks for an element, where the value goes through its result."""
    inner = places.strip(value.base if isinstance(value, r.Member) and value.arrow else None)
    if isinstance(value, r.Unary) and value.op == "*":
        inner = places.strip(value.value)
    return inner if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) else None


def _says_one(function: Function, value: r.Value | None, outcome: bool, depth: int = 0) -> bool:
    """Whether a condition that came out so says that something is in the container."""
    match places.strip(value):
        case r.Unary(op="!" | "not", value=negated):
            return _says_one(function, negated, not outcome, depth)
        case r.Call(callee=callee) if places.last_name(callee) == "empty":
            return not outcome
        case (r.Name() | r.Member()) as asked if function.language == "python" and not function.is_local(
            assignments.place(function, asked) or ("",)
        ):
            return outcome
        case r.Call(callee=r.Name(text="bool")):
            return outcome
        case r.Name(text=name) if depth < 3:
            return _says_one(function, only_value(function, name), outcome, depth + 1)
        case r.Binary() | r.Call() as inner:
            counts = {"len"} if function.language == "python" else _COUNTS
            return any(places.last_name(call.callee) in counts for call in places.calls_in(inner))
    return False


def sequence_gaps(gaps: Gaps) -> Iterator[tuple[e.CallEvent, Gap, str]]:
    """What is appended to a sequence under one lock because a search through it under another has not found it; with
    the name of what was searched for."""
    function = gaps.function
    if not function.mentions_any(function.container_methods.appends):
        return
    acts = [act for act in function.flow.calls if _appends(function, act) and gaps.is_decided(act)]
    for act in acts[:MOST_ACTS]:
        assert act.receiver is not None
        given = _names_in(function, act.node.args) & function.declared
        made = [value for name in sorted(given) for value in sources(function, r.Name(act.span.start, 0, name))]
        given |= _names_in(function, made) & function.declared
        looks = {look.index: (look, said) for look, said in _searches(function, act.receiver)}
        gap = gaps.before(act, [look for look, _ in looks.values()]) if looks and given else None
        if gap is None:
            continue
        if isinstance(gap.look, e.Read) and not _leads(function.flow, act, gap.look):
            gap = gap._replace(again=False)  # it comes again for the next element
        said = looks[gap.look.index][1] or _names_in(function, [test.condition for test in gap.tests])
        for name in sorted(given & said):
            yield act, gap, name
            break


def _appends(function: Function, call: e.CallEvent) -> bool:
    if call.receiver is None or not call.dropped or not outlives(function, call.receiver):
        return False
    if places.last_name(call.node.callee) not in function.container_methods.appends:
        return False
    on = places.receiver(call.node)
    return "sequence" in function.program.types.roles(function.program.types.of(on, function), function)


def _searches(function: Function, sequence: Place) -> Iterator[tuple[e.Event, set[str]]]:
    """Where a sequence is searched: by an algorithm, with the names that it is given, or by a loop over it."""
    for call in function.flow.calls:
        if _SEARCHES.search(places.last_name(call.node.callee)) and any(
            _is_range_of(function, arg, sequence) for arg in call.node.args[:1]
        ):
            yield call, _names_in(function, call.node.args[1:])
    loops = (s.iterable for s in function.statements if isinstance(s, r.Loop) and s.iterable is not None)
    heads = {iterable.start for iterable in loops}
    below = len(sequence)
    for event in function.flow:
        if not isinstance(event, e.Read) or event.place[:below] != sequence:
            continue
        is_head = len(event.place) == below and event.span.start in heads
        if is_head or event.place[below : below + 1] == ("[*]",):
            yield event, set()


_SEARCHES = re.compile(r"find|any_of|none_of|count|contains|search", re.IGNORECASE)


def _is_range_of(function: Function, value: r.Value, sequence: Place) -> bool:
    inner = places.strip(value)
    if isinstance(inner, r.Call) and places.last_name(inner.callee) in ("begin", "cbegin", "rbegin"):
        inner = places.receiver(inner) or (inner.args[0] if inner.args else None)
    return inner is not None and assignments.place(function, inner) == sequence


def _names_in(function: Function, values: Iterable[r.Value]) -> set[str]:
    """The names that values say, and the bodies of the lambdas in them."""
    found: set[str] = set()
    for value in values:
        for inner in places.walk(value):
            if isinstance(inner, r.Name):
                found.add(inner.text)
            elif isinstance(inner, r.Lambda):
                body = function.program.index.function_at(function.file, inner.function)
                inside = (v for s in body.statements for v in bodies.values(s)) if body is not None else ()
                found |= {one.text for v in inside for one in places.walk(v) if isinstance(one, r.Name)}
    return found


def _leads(flow: Flow, one: e.Event, other: e.Event) -> bool:
    return flow.path(one, lambda event: event is other) is not None


def outlives(function: Function, place: Place) -> bool:
    """Whether others can see it: a member, a variable, or what a pointer or reference leads to."""
    if not function.is_local(place):
        return True
    if len(place) < 2 or place[0] not in function.locals:
        return False
    written, initial = function.locals[place[0]]
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    if kind.is_placeholder and kind.is_value and initial is not None:
        written = function.program.types.of(initial, function)
        kind = types.parse(written)
        return bool(kind.pointers) or kind.last == "iterator" or _leads_out(function, written)
    return not kind.is_value or _leads_out(function, written)


def _leads_out(function: Function, written: str) -> bool:
    return not _POINTING.isdisjoint(function.program.types.roles(written, function))


_POINTING = frozenset({"smart pointer", "shared pointer", "iterator"})


# --- gaps between two methods -----------------------------------------------------------------------


class Helper(NamedTuple):
    """What a method does to a map under a lock that it takes itself. `key` is the parameter that is the key."""

    function: Function
    container: containers.Container
    key: int
    locks: frozenset[str]
    """Last names of those it takes."""
    insert: containers.Insert | None = None
    """None for one that only looks."""


class Helpers:
    """The methods and functions of a project that look something up, or store it, under a lock that they take."""

    def __init__(self, program: Program) -> None:
        self.looking: dict[Function, list[Helper]] = {}
        self.storing: dict[Function, list[Helper]] = {}
        self.bare: dict[Function, list[Helper]] = {}
        """Those that store, and take no lock."""
        for function, studied in _studied(program).items():
            of_kinds = (self.looking, studied.looking), (self.storing, studied.storing), (self.bare, studied.bare)
            for known, found in of_kinds:
                if found:
                    known[function] = found
        self.looking_names = frozenset(method.name for method in self.looking)
        self.storing_names = frozenset(method.name for method in self.storing)
        self.bare_names = frozenset(method.name for method in self.bare)


class _Studied(NamedTuple):
    """What one function does with what maps, see `Helpers`."""

    looking: list[Helper]
    storing: list[Helper]
    bare: list[Helper]


@questions.each_function
def _studied(function: Function) -> _Studied | None:
    if not function.record.parameters or is_settled(function):
        return None
    if function.cls is None and (function.record.kind != "function" or function.home):
        return None
    found = _Studied([], [], [])
    _study(function.cls, function, found)
    return found if any(found) else None


def _study(cls: Class | None, method: Function, found: _Studied) -> None:
    if len(method.encoded) > _LARGEST_HELPER:
        return
    stores = containers.may_insert(method)
    python = method.language == "python"
    if not stores and not method.mentions_any(method.container_methods.looks) and not (python and method.says(_IN)):
        return
    if not takes_locks(method) and not (stores and cls is not None and locks.mutex_fields(cls)):
        return
    gaps = Gaps(method)
    numbers = {parameter.name: i for i, parameter in enumerate(_filled(method)) if parameter.name}
    inserts = list(containers.inserts(method)) if stores else []
    for insert in inserts:
        key = _parameter(insert.key, numbers)
        looks = list(lookups.looks(method, insert.container, insert.key))
        if key is not None and all(look.event is insert.event for look in looks):
            mine = gaps.locks(insert.event)
            (found.storing if mine else found.bare).append(Helper(method, insert.container, key, mine, insert))
    if inserts or (not python and method.record.result in ("", "void")):
        return
    for event, on, asked in _asked_keys(method):
        key, held = _parameter(asked, numbers), containers.container(method, on)
        if key is not None and held is not None and gaps.sections.around(event):
            found.looking.append(Helper(method, held, key, gaps.locks(event)))


_IN = re.compile(rb'"(?:not )?in"')


def _asked_keys(method: Function) -> Iterator[tuple[e.Event, r.Value, r.Value]]:
    """Where a method looks something up: the container, and the key."""
    for event in method.flow:
        match event:
            case e.CallEvent(node=r.Call(callee=r.Member(base=on, name=name), args=(key, *_))):
                if name in method.container_methods.looks:
                    yield event, on, key
            case e.Read(node=node) if (asked := lookups.membership(method, event)) is not None:
                yield event, node, asked


def _parameter(value: r.Value | None, numbers: dict[str, int]) -> int | None:
    """The number of the parameter that a value is, or is a part of."""
    inner = places.strip(value)
    while isinstance(inner, r.Member):
        inner = places.strip(inner.base)
    return numbers.get(inner.text) if isinstance(inner, r.Name) else None


class Handover(NamedTuple):
    """`look` asks an object for a key, and `store` calls a method that takes the lock itself and puts something
    there."""

    look: e.Event
    store: e.CallEvent
    asked: Helper | None
    stored: Helper
    insert: containers.Insert
    key: r.Value
    value: r.Value | None
    tests: tuple[sections.Decider, ...]


def handovers(function: Function) -> Iterator[Handover]:
    """Where a function looks something up, itself or by a method, and a method that it calls later stores it, each
    under a lock of its own."""
    said = function.mentioned
    known = helpers(function.program)
    stores, asks = not known.storing_names.isdisjoint(said), not known.looking_names.isdisjoint(said)
    locking = takes_locks(function)
    storing = _calls_of(function, known.storing) if stores and (asks or locking) else []
    if not storing:
        return
    asking = _calls_of(function, known.looking) if asks else []
    gaps = Gaps(function)
    seen: set[int] = set()
    for handover in (
        *_by_two(gaps, asking, storing),
        *(_stored_by_method(gaps, storing) if locking else ()),
    ):
        if handover.store.index not in seen:
            seen.add(handover.store.index)
            yield handover


Calls = list[tuple[e.CallEvent, Helper]]


def _by_two(gaps: Gaps, asking: Calls, storing: Calls) -> Iterator[Handover]:
    function = gaps.function
    for store, stored in storing:
        for look, asked in asking:
            if look.receiver != store.receiver or not asked.container.is_same(stored.container.names):
                continue
            one, other = look.node.args[asked.key], store.node.args[stored.key]
            if not _is_of_same(look, asked, store):
                continue
            if containers.is_same_key(function, one, other) and not gaps.sections.around(look):
                yield from _handed(gaps, look, store, asked, stored)


def _is_of_same(look: e.CallEvent, asked: Helper, store: e.CallEvent) -> bool:
    """Whether two functions are given the same object, beside the key."""
    if asked.function.home is not None:
        return True
    given = {text(arg) for arg in store.node.args}
    return all(at == asked.key or text(arg) in given for at, arg in enumerate(look.node.args))


def _is_given(function: Function, call: e.CallEvent, helper: Helper, event: e.Event) -> bool:
    """Whether a function is given the object whose map an event touches, where the map is not one of the program."""
    place = event.place if isinstance(event, e.Write) else getattr(event, "receiver", None)
    if helper.function.home is not None:
        return True
    return place is not None and (not function.is_local(place) or any(text(a) == place[0] for a in call.node.args))


def _stored_by_method(gaps: Gaps, storing: Calls) -> Iterator[Handover]:
    """What the function has found under its own lock, a method of the same object stores."""
    for store, stored in storing:
        if store.receiver in (None, (places.THIS,)) and not gaps.sections.around(store):
            looks = lookups.looks(gaps.function, stored.container, store.node.args[stored.key])
            for look in islice(looks, MOST_LOOKS):
                if (
                    gaps.locks(look.event) & stored.locks
                    and _is_given(gaps.function, store, stored, look.event)
                    and not look.asserted
                    and not gaps.is_marked(look.event, store)
                ):
                    yield from _handed(gaps, look.event, store, None, stored)


def _handed(gaps: Gaps, look: e.Event, store: e.CallEvent, asked: Helper | None, stored: Helper) -> Iterator[Handover]:
    tests = gaps.told.deciders(look, store)
    if tests and _leads(gaps.function.flow, look, store) and stored.insert is not None:
        key, value = store.node.args[stored.key], _handed_value(stored, store.node)
        yield Handover(look, store, asked, stored, stored.insert, key, value, tuple(tests))


def _handed_value(stored: Helper, call: r.Call) -> r.Value | None:
    """The argument that the method stores; None when it stores something that it makes itself."""
    value = stored.insert.value if stored.insert is not None else None
    names = places.names_in(value)
    for parameter, argument in zip(_filled(stored.function), call.args, strict=False):
        if parameter.name in names:
            return argument
    return None


def _filled(function: Function) -> list[r.Parameter]:
    """The parameters that a call's arguments fill: without Python's own object."""
    return [one for one in function.record.parameters if not function.itself or one.name != function.itself]


def _calls_of(function: Function, helpers: dict[Function, list[Helper]]) -> list[tuple[e.CallEvent, Helper]]:
    names = {helper.name for helper in helpers}
    found = []
    for call in function.flow.calls:
        if places.last_name(call.node.callee) not in names:
            continue
        for target in function.program.calls.callee(call.node, function).functions:
            found += [
                (call, h) for h in helpers.get(target, ()) if target is not function and h.key < len(call.node.args)
            ]
    return found


@questions.program_question
def helpers(program: Program) -> Helpers:
    return Helpers(program)


# --- atomics ----------------------------------------------------------------------------------------


_AT_ONCE = "harmless if two threads never run this at the same time"
_LOCKED = "every known call holds one lock"
_ALONE = "every known call is on an object that is being made or destroyed"


def atomic_gaps(function: Function) -> Iterator[tuple[assignments.Assignment, e.Event, Certainty]]:
    """Flags stored in an atomic member or variable because of what a load of it gave, in two steps and under no lock.
    It is `possible` where nothing but the flag comes of it."""
    said = function.mentioned
    names, assigned = _atomics(function.program)
    stored = {name[1:] for name in assigned.intersection(said)}
    if function.mentions("store"):
        stored |= names & glance.said_names(function)
    if not stored:
        return
    flow = function.flow
    every = list(assignments.assignments(function))
    looked = 0
    for assignment in every:
        act = assignment.event
        if assignment.held.kind not in ("flag", "cleared") or assignment.place[-1] not in stored:
            continue
        if not _is_atomic(function, assignment.place):
            continue
        if isinstance(act, e.CallEvent) and places.last_name(act.node.callee) != "store":
            continue
        nearest = next(iter(flow.guards(act)), None)
        given = conditions.Given(assignment.place, assignment.held)
        if (
            nearest is None
            or not _can_fail(function, nearest[0])
            or not is_skipped(function, nearest[0].value, nearest[1], given)
        ):
            continue
        looked += 1
        if looked > MOST_ACTS:
            return
        earlier = flow.before(act)
        reads = [one for one in earlier if isinstance(one, e.Read) and one.place == assignment.place]
        if (
            not reads
            or any(_is_swap(one, assignment.place) for one in earlier)
            or sections.sections(function).around(act)
        ):
            continue
        if _is_set_anyway(function, assignment, nearest, every):
            continue
        asked = next((one for one in reads if one.span.start in nearest[0].value.span), reads[0])
        done = assignment.held.kind == "flag" and works_after(function, nearest, act)
        again = _leads(flow, act, asked)
        locking = locks.locking(function.program)
        if _is_under_lock_of_callers(locking, function, assignment.place):
            if not _is_internal(function):
                yield assignment, asked, because("possible", _LOCKED)
        elif done and not again and locking.from_callers(function).alone:
            yield assignment, asked, because("possible", _ALONE)
        else:
            yield assignment, asked, because("threads" if done and not again else "guess", _AT_ONCE)


def _is_under_lock_of_callers(locking: locks.Locking, function: Function, place: Place) -> bool:
    """Whether every call in the project holds one lock, and not to read alone: of the same object where the flag is a
    member."""
    held = locking.from_callers(function).locks
    own = {
        lock for lock in held if (lock[0] == places.THIS) is (place[0] == places.THIS) and lock[0] != locks.ELSEWHERE
    }
    callers = function.program.index.callers(function) if own else ()
    shared = {one.lock[-1] for caller in callers for one in locking.shared(caller)}
    return any(lock[-1] not in shared for lock in own)


def _is_internal(function: Function) -> bool:
    """Whether only the project's own code that is seen can call it: a private method, a static function."""
    if function.home is None:
        return "static" in function.record.qualifiers
    declared = (function.record, *function.home.declared(function.name))
    return {one.access for one in declared if one.access} == {"private"}


def _is_set_anyway(
    function: Function,
    assignment: assignments.Assignment,
    guard: tuple[e.Test, bool],
    every: list[assignments.Assignment],
) -> bool:
    """Whether the other way from the test leaves the same behind."""
    test, outcome = guard
    other = {event.index for event in function.flow.after(test, branch=not outcome)}
    return any(
        one.event.index in other and one.place == assignment.place and one.held == assignment.held
        for one in every
        if one.event is not assignment.event
    )


def _can_fail(function: Function, test: e.Test) -> bool:
    """Whether the test decides, rather than asserts or aborts."""
    return not test.asserted and len(function.flow.successors[test.index]) > 1


def _is_atomic(function: Function, place: Place) -> bool:
    """Whether what stands at the place is an atomic that threads share: not one of a local object."""
    root = function.locals.get(place[0], ("", None))[0]
    if root and types.parse(root).is_value and not types.parse(root).is_placeholder:
        return False
    at: r.Value = r.Name(0, 0, place[0])
    for part in place[1:]:
        at = r.Member(0, 0, at, part, arrow=False)
    if any(one.name == place[0] and one.thread_local for one in function.file.variables):
        return False
    return "atomic" in function.program.types.roles(function.program.types.of(at, function), function)


def is_skipped(function: Function, value: r.Value, outcome: bool, given: conditions.Given) -> bool:
    """Whether the test comes out the other way once the place holds what the act leaves there; a local stands for what
    was last assigned to it."""
    known = conditions.can_come_to(function, value, given)
    inner = places.strip(value)
    while known is None:
        match inner:
            case r.Unary(op="!", value=tested):
                inner, outcome = places.strip(tested), not outcome
            case r.Binary(op="==" | "!=" as op, left=tested, right=nothing) if is_nothing(nothing):
                inner, outcome = places.strip(tested), outcome is (op == "!=")
            case r.Binary(op="==" | "!=" as op, left=nothing, right=tested) if is_nothing(nothing):
                inner, outcome = places.strip(tested), outcome is (op == "!=")
            case _:
                break
    if known is None and isinstance(inner, r.Name) and inner.text in function.declared:
        given_to = [
            write.value
            for write in function.flow.writes
            if write.place == (inner.text,) and write.op == "=" and write.span.start < value.start
        ]
        known = conditions.can_come_to(function, given_to[-1], given) if given_to else None
    return known is (not outcome)


def _is_swap(event: e.Event, place: Place) -> bool:
    return (
        isinstance(event, e.CallEvent)
        and event.receiver == place
        and places.last_name(event.node.callee).startswith(_SWAPS)
    )


_SWAPS = ("exchange", "compare_exchange", "test_and_set", "fetch_")


class _Atomics(NamedTuple):
    names: frozenset[str]
    """Of all members and variables that are atomics."""
    assigned: frozenset[str]
    """How a body mentions that it assigns to one."""


@questions.program_question
def _atomics(program: Program) -> _Atomics:
    words = program.models.names_of("atomic")
    found = [(field.name, field.type) for cls in program.classes for field in cls.record.fields]
    found += [(variable.name, variable.type) for file in program.files.values() for variable in file.variables]
    names = frozenset(name for name, written in found if types.parse(written).last in words)
    return _Atomics(names, frozenset(f"={name}" for name in names))


# --- what comes in between ----------------------------------------------------------------------------


def works_between(function: Function, gap: Gap) -> bool:
    """Whether something is called between the look and the act, but for what only logs."""
    ahead = {event.index for event in function.flow.after(gap.look, lambda event: event is gap.act)}
    return any(_is_work(function, event) for event in function.flow.before(gap.act) if event.index in ahead)


def works_for(function: Function, gap: Gap, key: r.Value) -> bool:
    """Whether, between the look and the act and under no lock, something is done with a key that answers nothing, or
    only whether it has succeeded."""
    known = sections.sections(function)
    ahead = {event.index for event in function.flow.after(gap.look, lambda event: event is gap.act)}
    for event in function.flow.before(gap.act):
        if event.index not in ahead or not isinstance(event, e.CallEvent) or known.around(event):
            continue
        about = any(containers.is_same_key(function, arg, key) for arg in event.node.args)
        if about and event.dropped and _is_work(function, event):
            return True
    return False


def works_after(function: Function, guard: tuple[e.Test, bool], act: e.Event) -> bool:
    """Whether something is called where the test came out so, before the act or behind it."""
    test, outcome = guard
    other = {event.index for event in function.flow.after(test, branch=not outcome)}
    return any(
        _is_work(function, event)
        for event in function.flow.after(test, branch=outcome)
        if event.index not in other and event is not act
    )


def _is_work(function: Function, event: e.Event) -> bool:
    return (
        isinstance(event, e.CallEvent)
        and event.node.kind == "call"
        and not (function.language == "python" and log_levels.is_log(event.node))
        and places.last_name(event.node.callee) not in _HANDLING
        and function.program.macros.role(places.last_name(event.node.callee))
        not in ("log", "debug log", "check", "assert", "evaluated assert")
    )


_HANDLING = frozenset(
    {"lock", "unlock", "Lock", "Unlock", "Release", "load", "store", "end", "find", "acquire", "release", "len", "get"}
    | {"wait", "Wait", "synchronize", "Synchronize"}
)
"""Names of calls that two threads may as well make both: to wait for the same is no work that is done twice."""


def sources(function: Function, value: r.Value | None) -> list[r.Value]:
    """What a value may be: itself, or what is assigned to the local that it names, or that carries it: `*made` of an
    optional or a status around it."""
    inner = places.strip(value)
    if isinstance(inner, r.Call) and inner.kind == "construct" and len(inner.args) == 1:
        inner = places.strip(inner.args[0])
    if isinstance(inner, r.Unary) and inner.op == "*":
        carrier = places.strip(inner.value)
        if isinstance(carrier, r.Call) and places.last_name(carrier.callee) == "move" and len(carrier.args) == 1:
            carrier = places.strip(carrier.args[0])
        if isinstance(carrier, r.Name) and types.parse(function.program.types.of(carrier, function)).is_value:
            inner = carrier
    if not isinstance(inner, r.Name) or inner.text not in function.declared:
        return [inner] if inner is not None else []
    return [write.value for write in function.flow.writes if write.place == (inner.text,) and write.value is not None]


def only_value(function: Function, name: str) -> r.Value | None:
    """What a local holds where it holds anything: the one value that is given to it and is not null."""
    if name not in function.declared:
        return None
    given = [write.value for write in function.flow.writes_to((name,)) if write.value is not None]
    given = [value for value in given if not is_nothing(value)]
    return given[0] if len(given) == 1 else None


def is_nothing(value: r.Value | None) -> bool:
    """Whether it says that nothing is there: null, false, zero, an empty optional, the end of a container."""
    match places.strip(value):
        case r.Literal(kind=kind, text=shown) as said:
            return kind == "null" or shown == "0" or (kind == "bool" and not said.is_true)
        case r.Name() as name:
            return places.last_name(name) in ("NULL", "nullopt")
        case r.Call(callee=callee, args=()):
            return places.last_name(callee) in ("end", "cend")
    return False
