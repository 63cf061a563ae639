"""Which locks are held where.

A lock is a place (`this.mu_`). It is held from the construction of a guard object to its end, or between a manual
lock and unlock. What is held at a point is what is held on every path to it: at a join, only what both
sides hold. To wait on a condition variable lets go and takes again: the lock is held before and after.

A function may count on its caller: an annotation says so, a parameter that is a guard proves it, and for the rest the
calls in the project are asked (`from_callers`). Which member belongs to which lock: see `guarded`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import msgspec

from ownlint.domains import python_locks
from ownlint.engine import guard_classes
from ownlint.engine.assignments import place
from ownlint.engine.forward import forward
from ownlint.engine.guard_classes import GuardClass
from ownlint.engine.macro_calls import written_out
from ownlint.engine.mutexes import Mutexes, asks, mutexes, plain, shares, tries
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.flow import events as e
from ownlint.flow.asked import is_null
from ownlint.flow.bodies import scoped
from ownlint.flow.places import THIS, Place, hands_on, last_name, render, spelled, strip, walk
from ownlint.patterns import strings
from ownlint.project import trials, types
from ownlint.project.program import Program
from ownlint.project.questions import Answers, GrowingNotes, flow_question, noting, program_question, read
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Class, Function

SOMEBODYS: Place = ("?",)
"""A lock that is held and that nobody can name: it may be any."""
CALLERS = "<caller>"
"""In place of a guard: the lock is the caller's, and stays held when the function ends."""

TAKES = "<takes>"
"""In place of a guard: an annotation says that the function takes the lock, wherever in it."""
READS = "<reads>"
"""In place of a guard: the caller holds the lock as a reader, beside others."""
GIVEN = frozenset({CALLERS, TAKES, READS})
"""In place of guards: nothing in the body shows where the lock is let go."""
ELSEWHERE = "<elsewhere>"
"""The root of a lock that belongs to another object, which the caller knows."""

_KEPT = 2048
_DEEPEST = 24
_MOST_CALLERS = 40
_MOST_TENTATIVE = 400
_CUT = -1.0
"""An answer leans on this where the way to it was too long to ask on."""
_HAND = frozenset(
    {"lock", "unlock", "lockshared", "unlockshared"} | {"readerlock", "readerunlock", "writerlock", "writerunlock"}
)
_REQUIRES = re.compile(
    r"REQUIRES|UNLOCK_FUNCTION$|(?:^|_)RELEASE(?:_SHARED|_GENERIC)?$|(?:^|::)(?:requires|release)_\w*capability$"
)
"""A macro of the project's own for what the models know by other names."""
_SAYS_LOCKED = re.compile(r"(?:Locked|_locked|WithLock|_with_lock|_unlocked|Unlocked|LockHeld|_lock_held)$")
_BOXING = frozenset({"emplace", "make_unique"})
"""Calls that make a guard in a box, whose name stands in a type alone."""
_TAGS = frozenset({"defer_lock", "adopt_lock", "try_to_lock"})
_TAG = frozenset({*_TAGS, *(f"{tag}_t" for tag in _TAGS)})


class HeldLock(msgspec.Struct, frozen=True, order=True):
    """A lock that is held: its place, and the local guard object that holds it (empty when locked by hand)."""

    lock: Place
    guard: str = ""


Locks = frozenset[HeldLock]


class Callers(NamedTuple):
    """What a function's callers in the project hold, in its own words. `sites` counts the calls; `alone` when all
    of them, tests aside, stand in constructors and destructors, or are made on a new object: no other thread has it."""

    sites: int
    locks: frozenset[Place] = frozenset()
    alone: bool = False


def holds(locks: Locks | frozenset[Place] | frozenset[HeldLock | Place], name: str) -> bool:
    """Whether a lock of that last name is among them, or one that may be any."""
    places = (h.lock if isinstance(h, HeldLock) else h for h in locks)
    return any(is_named(lock, name) or lock == SOMEBODYS for lock in places)


def is_named(lock: Place, name: str) -> bool:
    """Whether a lock has that last name; `mu()` is how `mu_` is asked for."""
    return lock[-1] == name or lock[-1].strip("_") == name.strip("_")


def last_names(locks: Locks) -> frozenset[str]:
    """The last names of locks, for `is_among`."""
    return frozenset(held.lock[-1].strip("_") for held in locks)


def is_among(name: str, names: frozenset[str]) -> bool:
    """What `holds` says, of the last names of locks."""
    return name.strip("_") in names or SOMEBODYS[-1] in names


class Locking:
    """What is known about the locks of one program."""

    NOTED = ("_callers", "_notes", "_under_way", "_tentative")

    def __init__(self, program: Program) -> None:
        self.program = program
        self.mutexes: Mutexes = mutexes(program)
        self.guards = guard_classes.guards(program)
        self.by_hand = frozenset(
            function.name
            for function in program.calling({name for name in program.index.mentioned("cpp") if plain(name) in _HAND})
            if function.language == "cpp"
        )
        """Names of the functions that lock or unlock something by hand."""
        self.fixed = strings(sorted(self.guards.fixed)) if self.guards.fixed else None
        """The guards that take their mutex without an argument: `HeapLock lock;` calls nothing by name."""
        self._held: Answers[tuple[Function, bool], tuple[dict[int, Locks], dict[int, Locks], Locks]] = Answers(
            most=_KEPT
        )
        """What is held before each event, what the events take, and what some take as readers."""
        self._held_if: Answers[tuple[Function, frozenset[Place]], dict[int, frozenset[Place]]] = Answers(most=_KEPT)
        self._entries: Answers[Function, Locks] = Answers()
        self._nets: Circular[Function, tuple[Locks, frozenset[Place]]] = Circular((frozenset(), frozenset()))
        self._callers: dict[Function, Callers] = {}
        self._notes: dict[Function, GrowingNotes] = {}
        """Of each question that was asked, what its answer was derived from."""
        self._under_way: dict[Function, int] = {}
        """The questions that are being asked, and which one it is, counted from the first."""
        self._tentative: dict[Function, tuple[Callers, float]] = {}

    def held(self, function: Function, *, anywhere: bool = False) -> dict[int, Locks]:
        """See `held`; with `anywhere`, what is held on some path."""
        return self._states(function, anywhere)[0]

    def taken(self, function: Function) -> dict[int, Locks]:
        """The locks that events of the body itself wait for and then hold, by event index. One that is taken again
        while it is held stands here, too; one that is only tried does not."""
        return self._states(function)[1]

    def shared(self, function: Function) -> Locks:
        """The locks for which the body waits as a reader, and then holds."""
        return self._states(function)[2]

    def _states(self, function: Function, anywhere: bool = False) -> tuple[dict[int, Locks], dict[int, Locks], Locks]:
        return self._held.ask((function, anywhere), lambda: self._read(function, self._entry(function), anywhere)[:3])

    def taker(self, function: Function, lock: Place, event: e.Event) -> e.Event | None:
        """The nearest event before `event` that takes a lock which is held there; None where the caller does."""
        held, flow = self.held(function), function.flow
        queue = [event.index]
        seen = set(queue)
        for current in queue:
            for source, _ in flow.predecessors[current]:
                if source in seen or source not in held:
                    continue
                if all(one.lock != lock for one in held[source]):
                    return flow.events[source]
                seen.add(source)
                queue.append(source)
        return None

    def held_if(self, function: Function, locks: frozenset[Place]) -> dict[int, frozenset[Place]]:
        """Which of the locks are still held just before each event, when the caller holds them all."""
        return self._held_if.ask((function, locks), lambda: self._ask_held_if(function, locks))

    def _ask_held_if(self, function: Function, locks: frozenset[Place]) -> dict[int, frozenset[Place]]:
        states = self._read(function, frozenset(HeldLock(lock, CALLERS) for lock in locks))[0]
        kept = {held: frozenset(one.lock for one in held if one.lock in locks) for held in set(states.values())}
        return {index: kept[held] for index, held in states.items()}

    def _read(
        self, function: Function, entry: Locks, anywhere: bool = False
    ) -> tuple[dict[int, Locks], dict[int, Locks], Locks, Locks]:
        """What is held before each event, what the events take, what some take as readers, and what callees take."""
        flow = function.flow
        if not self.may_lock(function):
            return dict.fromkeys(range(len(flow.events)), entry), {}, frozenset(), frozenset()
        reader = _LockReader(self, function)
        held = forward(flow, entry, reader.transfer, frozenset.union if anywhere else _both, reader.decided)
        taken = {index: frozenset(locks) for index, locks in reader.taken.items()}
        return held, taken, frozenset(reader.shared), frozenset(reader.helped)

    def may_lock(self, function: Function) -> bool:
        """Whether the body can change what is held. Needs no decoding."""
        if function.language == "python":
            return python_locks.takings(function) > 0 or function.mentions("release")
        mentions = function.mentioned
        if not (self.mutexes.words.isdisjoint(mentions) and self.by_hand.isdisjoint(mentions)):
            return True
        if self.fixed is not None and function.says(self.fixed):
            return True
        return not _BOXING.isdisjoint(mentions) and function.says(self.mutexes.types)

    def _entry(self, function: Function) -> Locks:
        return self._entries.ask(function, lambda: self._at_entry(function))

    def _at_entry(self, function: Function) -> Locks:
        if function.language == "python":
            return frozenset({HeldLock(SOMEBODYS, CALLERS)} if python_locks.is_decorated(function) else ())
        return _said_on_entry(function) | {HeldLock(lock, CALLERS) for lock in self._only_released(function)}

    def _only_released(self, function: Function) -> frozenset[Place]:
        """The object's own locks that the body releases on every path and never acquires: callers hold them."""
        own = frozenset(HeldLock(lock, CALLERS) for lock in own_locks(function))
        if not own or not self.may_lock(function):
            return frozenset()
        held, taken, shared, helped = self._read(function, own, anywhere=True)
        acquired = {lock.lock for locks in (*taken.values(), shared, helped) for lock in locks}
        return frozenset(lock.lock for lock in own - held.get(function.flow.exit, own)) - acquired

    # --- what calling a function does to locks ---

    def net(self, function: Function) -> tuple[Locks, frozenset[Place]]:
        """Which locks a call leaves held that were not, and which it lets go, in the function's own words."""

        def answer() -> tuple[Locks, frozenset[Place]]:
            entry = frozenset(HeldLock(lock, CALLERS) for lock in own_locks(function))
            known = {THIS, *(parameter.name for parameter in function.record.parameters)}
            held, takes, shared, helped = self._read(function, frozenset())
            without = held.get(function.flow.exit, frozenset())
            taken = frozenset(h for h in without if not h.guard and h.lock[0] in known)
            after = self._read(function, entry)[0].get(function.flow.exit, frozenset())
            let_go = frozenset(h.lock for h in entry) - {h.lock for h in after}
            return taken, let_go - {
                lock.lock for locks in (*takes.values(), shared, helped) for lock in locks
            }  # its own it gives back

        return self._nets.ask(function, answer)

    # --- callers ---

    def from_callers(self, function: Function) -> Callers:
        """What every call of the function in the project holds."""
        return self._asked(function)[0]

    def _asked(self, function: Function) -> tuple[Callers, float]:
        """The answer, and how far up it leans: on the first question under way that it left out because it stands in a
        circle with it, or on the whole way here (`_CUT`) where that was too long. Only what leans on nothing else is
        true whoever asks; the rest is kept until the question that it leans on is answered."""
        notes = self._notes.setdefault(function, GrowingNotes())
        read(notes)
        if function in self._callers:
            return self._callers[function], math.inf
        if function in self._tentative:
            return self._tentative[function]
        at = len(self._under_way)
        self._under_way[function] = at
        try:
            with noting() as rests_on:
                answer, leans = self._ask_callers(function)
        finally:
            del self._under_way[function]
            notes.rest_on(rests_on)
        bare = bool(answer.sites) and not answer.alone and not answer.locks  # what was left out cannot add a lock
        if at == 0 or leans >= at or (bare and leans != _CUT):
            self._callers[function] = answer
            self._tentative = {f: kept for f, kept in self._tentative.items() if at and kept[1] < at}
            return answer, math.inf
        self._tentative[function] = answer, leans
        return answer, leans

    def _ask_callers(self, function: Function) -> tuple[Callers, float]:
        """The answer, and what it leans on (see `_asked`)."""
        common: frozenset[Place] | None = None
        sites = alone = others = 0
        leans = math.inf
        for caller, event in self._sites(function):
            if _is_alone(caller) or _made_it(caller, event):
                sites += 1
                alone += 1
                continue
            if caller in self._under_way:
                read(self._notes[caller])
                leans = min(leans, self._under_way[caller])
                continue
            sites += 1
            here = self.held(caller).get(event.index, frozenset())
            around, below = self._asked(caller) if self._may_ask(caller) else (Callers(0), _CUT)
            leans = min(leans, below)
            if around.alone:
                alone += 1
                continue
            others += not trials.is_trial(caller)
            found = _translated({h.lock for h in here} | around.locks, function, event)
            common = found if common is None else common & found
            if not common and others:
                break
        if alone and not others:
            return Callers(sites, alone=True), leans
        return Callers(sites, common or frozenset()), leans

    def _may_ask(self, caller: Function) -> bool:
        known = caller in self._callers or caller in self._tentative
        return known or (len(self._under_way) < _DEEPEST and len(self._tentative) < _MOST_TENTATIVE)

    def some_caller_holds(self, function: Function, name: str) -> bool:
        """Whether a call of the function in the project holds a lock of that name."""
        return any(
            holds(self.held(caller).get(event.index, frozenset()) | self.from_callers(caller).locks, name)
            for caller, event in self._sites(function)
        )

    def was_held(self, function: Function, at: int, name: str) -> bool:
        """Whether the body has held a lock of that name on every way to an event."""
        held = self.held(function)
        before = function.flow.dominators(function.flow.events[at])
        return any(holds(held.get(event.index, frozenset()), name) for event in before)

    def callers_held(self, function: Function, name: str) -> bool:
        """Whether each call of the function in the project stands where its caller has held a lock of that name."""
        sites = list(self._sites(function))
        return bool(sites) and all(self.was_held(caller, event.index, name) for caller, event in sites)

    def outermost(self, function: Function) -> frozenset[Function]:
        """The functions from which the calls come that lead to it in the end; empty when nobody calls it by name.

        Level by level, and where that becomes too many, those of the last level stand for whoever calls them."""
        seen: set[Function] = {function}
        last: set[Function] = set()
        level = {function}
        while level and len(seen) <= _MOST_CALLERS:
            above: set[Function] = set()
            for one in level:
                callers = {caller for caller, _ in self._sites(one)}
                if not callers and one is not function:
                    last.add(one)
                above |= callers
            level = above - seen
            seen |= level
        return frozenset(last | level)

    def _sites(self, function: Function) -> Iterator[tuple[Function, e.Event]]:
        if function.record.kind == "lambda":
            made = self.creation(function)
            if made is not None and function.parent is not None and not self._runs_apart(function):
                yield function.parent, made
            return
        callers = self.program.index.callers(function)
        if len(callers) > _MOST_CALLERS:
            callers = [one for one in callers if not trials.is_trial(one)]
        if len(callers) > _MOST_CALLERS:
            callers = [one for one in callers if one.home is not None and one.home is function.home]
        if len(callers) > _MOST_CALLERS:
            return
        for caller in callers:
            for event in caller.flow.calls:
                if last_name(event.node.callee) == function.name and self._reaches(caller, event, function):
                    yield caller, event

    def _reaches(self, caller: Function, event: e.CallEvent, function: Function) -> bool:
        found = self.program.calls.callee(event.node, caller)
        if found.functions:
            callee = event.node.callee
            if function in found.functions:
                return True
            if isinstance(callee, r.Name) and "::" in callee.text:  # no override is called by `Base::f()`
                return False
            return any(overrides(function, one) for one in found.functions)
        if _says_what_it_makes(caller, event, function):
            return True
        return event.receiver in (None, (THIS,)) and caller.home is not None and caller.home is function.home

    def starts_thread(self, made: Function) -> bool:
        """Whether a lambda is what a new thread runs."""
        event = self.creation(made)
        if made.parent is None or not isinstance(event, e.CallEvent):
            return False
        written = event.node.callee.text if isinstance(event.node.callee, r.Name) else ""
        return bool(written) and "thread" in self.program.types.roles(written, made.parent)

    def is_deleter(self, made: Function) -> bool:
        """Whether a lambda is the deleter of an owner that the function around it returns: it runs where the last share
        is dropped, and nothing that was held where it was made is held then."""
        around, event = made.parent, self.creation(made)
        if around is None or event is None:
            return False
        name = event.place[0] if isinstance(event, e.Write) and len(event.place) == 1 else ""
        for leave in around.flow.leaves:
            owner = strip(leave.value) if leave.kind == "return" else None
            if not isinstance(owner, r.Call) or not any(_is_lambda(one, made, name) for one in owner.args[1:]):
                continue
            written = owner.callee.text if isinstance(owner.callee, r.Name) else ""
            if not _OWNERS.isdisjoint(self.program.types.roles(written, around) if written else ()):
                return True
        return False

    def _runs_apart(self, made: Function) -> bool:
        return self.starts_thread(made) or self.is_deleter(made)

    def is_deferred(self, function: Function) -> bool:
        """Whether nobody knows when the function runs, and under which locks: a lambda that is handed on."""
        return function.record.kind == "lambda" and not self._runs_apart(function)

    def creation(self, made: Function) -> e.Event | None:
        """Where the function around a lambda makes it, and hands it on or runs it."""
        return _creations(made.parent).get(made.index) if made.parent is not None else None


def _is_lambda(value: r.Value, made: Function, name: str) -> bool:
    """Whether it is that lambda, or the local that was given it."""
    for inner in walk(value):
        if isinstance(inner, r.Lambda) and inner.function == made.index:
            return True
    named = strip(value)
    if isinstance(named, r.Call) and hands_on(named):
        named = strip(named.args[0])
    return bool(name) and isinstance(named, r.Name) and named.text == name


_OWNERS = frozenset({"smart pointer", "shared pointer"})


@flow_question
def _creations(function: Function) -> dict[int, e.Event]:
    """Where each lambda of a function is made, by its index."""
    found: dict[int, e.Event] = {}
    for event in function.flow:
        match event:
            case e.CallEvent(node=node):
                made = [inner for arg in node.args for inner in walk(arg) if isinstance(inner, r.Lambda)]
            case e.Write(value=value):
                made = [inner for inner in walk(value) if isinstance(inner, r.Lambda)]
            case _:
                continue
        for inner in made:
            found.setdefault(inner.function, event)
    return found


def overrides(function: Function, other: Function) -> bool:
    """Whether a call of the other, a method of a base, can come to the function."""
    home, base = function.home, other.home
    return (
        home is not None and base is not None and home is not base and base in home.ancestry and is_override(function)
    )


def _is_alone(function: Function) -> bool:
    return function.record.kind in ("constructor", "destructor") or (
        function.record.kind == "lambda" and function.parent is not None and _is_alone(function.parent)
    )


def _made_it(caller: Function, event: e.Event) -> bool:
    """Whether a call is made on an object that the caller has just made."""
    on = event.receiver if isinstance(event, e.CallEvent) else None
    return on is not None and len(on) == 1 and is_made_in(caller, on[0])


def _says_what_it_makes(caller: Function, event: e.CallEvent, function: Function) -> bool:
    """Whether the receiver is a local that a maker out of sight, or of a roundabout type, has made as an object of the
    function's class: `auto pool = make_counted<Pool>(n)`."""
    on = event.receiver
    if on is None or len(on) != 1 or function.home is None or not is_made_in(caller, on[0]):
        return False
    made = strip(caller.locals[on[0]][1])
    return isinstance(made, r.Call) and types.parse(made.template).last == function.home.name


def is_made_in(function: Function, name: str) -> bool:
    """Whether a local is an object of its own, or points to one that begins with it."""
    written, value = function.locals.get(name, ("", None))
    if not written or any(p.name == name for p in function.record.parameters):
        return False
    kind = types.parse(written)
    if kind.is_value and not kind.arguments and not kind.is_placeholder:
        return True
    given = [strip(write.value) for write in function.flow.writes_to((name,)) if write.value is not None]
    made = [one for one in given or [strip(value)] if not is_null(one)]
    return bool(made) and all(_makes(one) for one in made)


def _makes(value: r.Value | None) -> bool:
    inner = value
    while isinstance(inner, r.Call) and len(inner.args) == 1 and isinstance(inner.args[0], r.Call):
        inner = inner.args[0]
    return isinstance(inner, r.Call) and (
        inner.kind == "new" or (last_name(inner.callee).lower().startswith(("make", "new")) and bool(inner.template))
    )


def _translated(held: set[Place], function: Function, event: e.Event) -> frozenset[Place]:
    """Places of the caller as the callee knows them: its receiver is `this`, its arguments are parameters."""
    if function.record.kind == "lambda" or not isinstance(event, e.CallEvent):
        return frozenset(held)
    on = event.receiver or (THIS,)
    out: set[Place] = set()
    for lock in held:
        if function.is_method and lock[: len(on)] == on and len(lock) > len(on):
            out.add((THIS, *lock[len(on) :]))
        else:
            out.add((ELSEWHERE, lock[-1]) if lock[0] == THIS else lock)
    for parameter, argument in zip(function.record.parameters, event.node.args, strict=False):
        root = place(function, argument) if function.parent is None else None
        for lock in held:
            if root is not None and lock[: len(root)] == root:
                out.add((parameter.name, *lock[len(root) :]))
    return frozenset(out)


def _both(one: Locks, other: Locks) -> Locks:
    """What is held on both ways, whoever holds it."""
    if one == other:
        return one
    same = one & other
    locks = {h.lock for h in other}
    return same | {HeldLock(h.lock) for h in one - same if h.lock in locks}


# --- one function -------------------------------------------------------------------------------------


class _LockReader:
    def __init__(self, locking: Locking, function: Function) -> None:
        self.locking = locking
        self.function = function
        self.program = function.program
        self.guards = locking.guards
        self.mutexes = locking.mutexes
        self.python = function.language == "python"
        self.known: dict[str, tuple[Place, ...]] = {} if self.python else dict.fromkeys(guard_parameters(function), ())
        """The local guards, and which locks they are about."""
        self.macro_scopes: dict[str, Span] = {}
        """Where the guards live that macros declare."""
        self.gave_up: dict[str, Locks] = {}
        self.taken: dict[int, set[HeldLock]] = {}
        """The locks that are waited for, by event."""
        self.shared: set[HeldLock] = set()
        """Those that are waited for as a reader."""
        self.helped: set[HeldLock] = set()
        """Those that a function of the project takes for the body."""
        self.at = -1

    def transfer(self, event: e.Event, state: Locks) -> Locks:
        self.at = event.index
        if self.python:
            return self.in_python(event, state)
        kind = type(event)
        if self.macro_scopes:
            at, scopes = event.span.start, self.macro_scopes
            state = frozenset(h for h in state if h.guard not in scopes or at in scopes[h.guard])
        if kind is e.Write:
            return self.written(event, state)  # type: ignore[arg-type]
        if kind is e.End:
            return self.ended(event.place[0], state)  # type: ignore[attr-defined]
        if kind is e.CallEvent:
            return self.called(event, state)  # type: ignore[arg-type]
        return state

    def in_python(self, event: e.Event, state: Locks) -> Locks:
        """What a `with` takes is held until its block ends; one inside of another may take the same lock again."""
        contexts = python_locks.contexts(self.function)
        match event:
            case e.Read(span=span) | e.CallEvent(span=span) if (span.start, span.end) in contexts.taken:
                state = self.hold(
                    state, frozenset({HeldLock(contexts.taken[span.start, span.end], f"<{span.start:9}>")})
                )
            case e.End(place=place, why="with") if place in contexts.ended:
                state -= frozenset(sorted(h for h in state if h.lock == contexts.ended[place] and h.guard)[-1:])
            case e.CallEvent(node=node, receiver=on) if on is not None:
                changed = self.on_receiver(node, on, last_name(node.callee), state)
                state = state if changed is None else changed
        return state

    def hold(self, state: Locks, locks: Locks) -> Locks:
        """What is held once the thread has waited for the locks and has them."""
        self.taken.setdefault(self.at, set()).update(locks)
        return state | locks

    # --- locks that are only tried ---

    def decided(self, test: e.Event, outcome: bool, state: Locks) -> Locks:
        """What is held behind a test: what was tried is not where the test says that it failed."""
        if not state or not isinstance(test, e.Test):
            return state
        asked, got = self.asked(test.value, outcome)
        if asked is None or got:
            return state
        name = render(asked)
        return frozenset(h for h in state if (h.guard != name if name in self.known else h.lock != asked))

    def asked(self, value: r.Value | None, outcome: bool) -> tuple[Place | None, bool]:
        """The guard or the lock of which a condition asks whether it has been got, and whether it has."""
        inner = strip(value)
        while isinstance(inner, r.Unary | r.Binary):
            match inner:
                case r.Unary(op="!", value=below):
                    inner, outcome = strip(below), not outcome
                case r.Binary(op="==" | "!=" as op, left=left, right=r.Literal(text=text)):
                    inner, outcome = strip(left), outcome is ((op == "==") is (text in ("true", "1")))
                case _:
                    return None, False
        if isinstance(inner, r.Name) and inner.text not in self.known and inner.text in self.function.locals:
            inner = strip(self.function.locals[inner.text][1])
        if isinstance(inner, r.Name) and inner.text in self.known:
            return (inner.text,), outcome
        if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and (asks(inner) or self.may_fail(inner)):
            return place(self.function, inner.callee.base), outcome
        return None, False  # of functions of C nobody knows whether 0 says that it worked

    # --- guard objects ---

    def written(self, write: e.Write, state: Locks) -> Locks:
        name = render(write.place)
        guard = self.guard_of(write)
        if guard is None:
            return state
        if fixed := guard.lock or (f"<{guard.holds}>" if guard.holds and not guard.gives_up else ""):
            self.known[name] = ((fixed,),)
            return self.hold(state, frozenset({HeldLock((fixed,), name)}))
        if guard.holds:
            return state
        call = self.maker(write.value)
        if call is None and write.fresh:  # empty, until something is put into it
            self.known[name] = ()
            return state
        locks = self.locks_of(guard, call)
        if guard.gives_up:
            gone = frozenset(h for h in state if h.lock in locks or (h.guard and (h.guard,) in locks))
            self.gave_up[name] = gone
            return state - gone
        moved = [h for h in state if (h.guard,) in locks and h.guard]
        if moved:
            self.known[name] = tuple(h.lock for h in moved)
            return (state - frozenset(moved)) | {HeldLock(h.lock, name) for h in moved}
        self.known[name] = locks
        tags = {last_name(arg).removesuffix("_t") for arg in call.args} if call is not None else set()
        asked = call.args[guard.condition - 1 : guard.condition] if call is not None and guard.condition else ()
        if "defer_lock" in tags or any(_is_literal(one, "false", "0") for one in asked):
            return state
        is_open = not all(_is_literal(one, "true", "1") for one in asked)
        if is_open or not tags.isdisjoint(_TAGS):  # taken before, or tried, or taken on a condition
            state = frozenset(h for h in state if h.lock not in locks or h.guard)
            return state | {HeldLock(lock, name) for lock in locks}
        got = frozenset(HeldLock(lock, name) for lock in locks)
        if guard.shared:
            self.shared.update(got)
        kept = state if guard.shared else self.hold(state, got)
        return frozenset(h for h in kept if h.lock not in locks or h.guard) | got

    def guard_of(self, write: e.Write) -> GuardClass | None:
        """The kind of guard that a write makes; None when it makes none."""
        written = write.type
        if written and not types.parse(written).is_placeholder:
            return self.named_guard(written) or self.guards.by_name(written, self.function)
        call = self.maker(write.value)
        if call is None:
            return None
        name = last_name(call.callee)
        if name in self.guards.words:
            return self.named_guard(spelled(call))
        if name in self.guards.makers:
            return GuardClass(name, 0)
        if types.parse(call.template).last in self.guards.words:
            return self.named_guard(call.template)
        return None

    def named_guard(self, written: str) -> GuardClass | None:
        found = self.guards.of(written, self.function)
        if found is not None:
            return found
        holder = self.mutexes.holder(written, self.function)
        if holder is not None:
            return holder
        boxed = types.parse(written).arguments[:1]
        if boxed and types.parse(boxed[0]).last in self.guards.words and types.parse(written).is_value:
            return self.guards.of(boxed[0], self.function)
        return None

    def maker(self, value: r.Value | None) -> r.Call | None:
        """The call that makes a guard, without what wraps it: `make_unique<Guard>(&mu)`, `new Guard(&mu)`."""
        inner = value
        while isinstance(inner, r.Call) and len(inner.args) == 1 and isinstance(inner.args[0], r.Call):
            wrapped = inner.args[0]
            if (
                last_name(inner.callee) in self.guards.words
                and wrapped.kind != "new"
                and last_name(wrapped.callee) not in self.guards.words
            ):
                break
            inner = wrapped
        if isinstance(inner, r.Aggregate) and inner.items:
            return r.Call(inner.start, inner.end, r.Name(inner.start, inner.start, ""), inner.items, "construct")
        return inner if isinstance(inner, r.Call) else None

    def locks_of(self, guard: GuardClass, call: r.Call | None) -> tuple[Place, ...]:
        """The locks that a guard takes; `SOMEBODYS` where that is not clear."""
        if call is None or not call.args or guard.argument < 1 or last_name(call.callee) in self.guards.makers:
            return (SOMEBODYS,)
        several = types.parse(guard.name).last == "scoped_lock"
        given = call.args[guard.argument - 1 :] if several else call.args[guard.argument - 1 : guard.argument]
        return tuple(self.lock_in(arg) for arg in given if last_name(arg) not in _TAG) or (SOMEBODYS,)

    def lock_in(self, value: r.Value) -> Place:
        """A lock that a guard is given; of an object that has one, nobody knows which it is."""
        kind = types.parse(self.program.types.of(value, self.function))
        cls = (
            self.program.names.find_class(kind.name, self.function.record.scope, self.function.file)
            if kind.name
            else None
        )
        return SOMEBODYS if cls is not None and mutex_fields(cls) and cls not in self.mutexes.own else self.lock(value)

    def lock(self, value: r.Value) -> Place:
        """The place of a lock: a getter stands for the member it returns."""
        where = place(self.function, value)
        if where is not None:
            return where
        inner = strip(value)
        while isinstance(inner, r.Unary):
            inner = strip(inner.value)
        if isinstance(inner, r.Call):
            for getter in self.program.calls.callee(inner, self.function).functions[:1]:
                returned = [s.value for s in getter.statements if isinstance(s, r.Leave) and s.kind == "return"]
                member = place(getter, returned[0]) if len(returned) == 1 else None
                if member is not None and member[0] == THIS:
                    on = inner.callee.base if isinstance(inner.callee, r.Member) else None
                    root = place(self.function, on) if on is not None else (THIS,)
                    if root is not None:
                        return (*root, *member[1:])
        return SOMEBODYS

    def ended(self, name: str, state: Locks) -> Locks:
        back = self.gave_up.get(name)
        if back is not None:
            return self.hold(state, back)
        return frozenset(h for h in state if h.guard != name) if name in self.known else state

    # --- calls ---

    def called(self, event: e.CallEvent, state: Locks) -> Locks:
        call, on = event.node, event.receiver
        name = last_name(call.callee)
        for inner in written_out(call, self.program) if on is None and name not in self.mutexes.macros else ():
            if isinstance(inner, r.Call):
                state = self.called(replace(event, node=inner), state)
        if call.args and state and name not in self.guards.words:
            state = self.without_moved(call, state)
        if on is not None and (changed := self.on_receiver(call, on, name, state)) is not None:
            return changed
        if on is None and name in self.mutexes.macros:
            position = self.mutexes.macros[name]
            locks = self.lock(call.args[position]) if 0 <= position < len(call.args) else SOMEBODYS
            guard = f"<macro {call.start}>"
            self.macro_scopes[guard] = Span(call.start, self.scope_end(call))
            return self.hold(state, frozenset({HeldLock(locks, guard)}))
        if on is None and (changed := self.on_getter(call, name, state)) is not None:
            return changed
        if on is None and call.kind == "call" and (name in self.mutexes.takers or name in self.mutexes.letters):
            return self.by_model(call, state)
        if name in self.locking.by_hand:
            return self.by_helper(call, on, state)
        return state

    def scope_end(self, call: r.Call) -> int:
        """Where the innermost block around a call ends."""
        record = self.function.record
        around = scoped(self.function.body, record.end)
        return [end for statement, end in around if statement.start <= call.start < statement.end][-1]

    def on_getter(self, call: r.Call, name: str, state: Locks) -> Locks | None:
        """`mutex().lock()`, `AssertLockHeld()`, `try_lock(&mu)`, `lock(one, other)`."""
        if name == "lock" and len(call.args) > 1 and not isinstance(call.callee, r.Member):
            return self.hold(state, frozenset().union(*(self.locked(argument) for argument in call.args)))
        if call.args and "trylock" in plain(name) and not isinstance(call.callee, r.Member):
            return state | {HeldLock(self.lock(call.args[0]))}
        verb = self.mutexes.verb(call, self.function)
        if verb == "assert":
            return state | {HeldLock(SOMEBODYS, CALLERS)}
        if not verb or not isinstance(call.callee, r.Member) or not isinstance(strip(call.callee.base), r.Call):
            return None
        where = self.lock(call.callee.base)
        if verb == "hold":
            if where == SOMEBODYS and not self.is_lock(call, where):
                return None
            return self.got(call, state, frozenset({HeldLock(where)}))
        return _without(state, where)

    def got(self, call: r.Call, state: Locks, locks: Locks) -> Locks:
        """What is held once a call has locked something, for itself alone or as a reader, or has tried to."""
        if shares(call) and not tries(call):
            self.shared.update(locks)
        return state | locks if tries(call) or shares(call) or self.may_fail(call) else self.hold(state, locks)

    def may_fail(self, call: r.Call) -> bool:
        """Whether a call of Python that takes a lock says whether, or how long, to wait: it may fail."""
        return self.python and bool(call.args) and last_name(call.callee) == "acquire"

    def locked(self, given: r.Value) -> Locks:
        """What is held once a lock, or a guard that has waited with it, is locked."""
        inner = strip(given)
        if isinstance(inner, r.Name) and inner.text in self.known:
            return frozenset(HeldLock(lock, inner.text) for lock in self.known[inner.text] or (SOMEBODYS,))
        return frozenset({HeldLock(self.lock(given))})

    def without_moved(self, call: r.Call, state: Locks) -> Locks:
        """A guard that is moved into a call is gone when it returns."""
        gone = {
            arg.args[0].text
            for arg in call.args
            if isinstance(arg, r.Call) and last_name(arg.callee) == "move" and len(arg.args) == 1
            if isinstance(arg.args[0], r.Name) and arg.args[0].text in self.known
        }
        return frozenset(h for h in state if h.guard not in gone) if gone else state

    def on_receiver(self, call: r.Call, on: Place, name: str, state: Locks) -> Locks | None:
        """A lock, an unlock or an assertion, of the lock itself or through its guard object."""
        root = render(on)
        if root in self.known:
            if name in ("emplace", "reset") and call.args:
                made = call if name == "emplace" else self.maker(call.args[0]) or call
                locks = self.locks_of(GuardClass("", 1), made)
                self.known[root] = locks
                return self.hold(state, frozenset(HeldLock(lock, root) for lock in locks))
            if name == "reset":
                return frozenset(h for h in state if h.guard != root)
            verb = self.mutexes.verb(call, self.function)
            if verb == "hold":
                return self.got(
                    call, state, frozenset(HeldLock(lock, root) for lock in self.known[root] or (SOMEBODYS,))
                )
            return frozenset(h for h in state if h.guard != root) if verb == "release" else None
        verb = self.mutexes.verb(call, self.function)
        if not verb or on == (THIS,) or not self.is_lock(call, on):
            return state | {HeldLock(SOMEBODYS, CALLERS)} if verb == "assert" else None
        if verb == "release":
            return _without(state, on)
        known = bool(_of(state, on))
        if verb == "assert":
            return state if known else state | {HeldLock(on, READS if shares(call) else CALLERS)}
        after = self.got(call, state, frozenset({HeldLock(on)}))
        return state if known else after

    def is_lock(self, call: r.Call, on: Place) -> bool:
        """Whether a receiver can be a mutex: its type says so, or nobody knows its type."""
        assert isinstance(call.callee, r.Member)
        if self.python:
            return python_locks.is_lock(self.function, call.callee.base)
        written = self.program.types.of(call.callee.base, self.function)
        if not written:
            return plain(last_name(call.callee)) in ("lock", "unlock", "assertheld")
        kind, file, scope = types.parse(written), self.function.file, self.function.record.scope
        if self.mutexes.is_mutex(kind.name + _arguments(written), file, scope):
            return True
        trying = plain(last_name(call.callee)) in ("trylock", "unlock")
        return trying and kind.is_value and not kind.arguments and self.is_unseen(kind.name)

    def is_unseen(self, name: str) -> bool:
        """Whether a class is neither defined in the analysed files nor in a model: its methods are known by their names
        alone."""
        file, scope = self.function.file, self.function.record.scope
        kind = types.parse(self.program.names.expand(name, file, scope))
        return not self.program.index.defines(kind.last) and not self.program.types.roles_at(kind.name, file, scope)

    def by_model(self, call: r.Call, state: Locks) -> Locks:
        for model in self.program.calls.callee(call, self.function).models:
            for effect in model.effects:
                if effect.verb in ("hold", "release") and effect.place is not None and effect.place.kind == "argument":
                    where = (
                        self.lock(call.args[effect.place.index]) if effect.place.index < len(call.args) else SOMEBODYS
                    )
                    if effect.verb == "hold":
                        state = self.got(call, state, frozenset({HeldLock(where)}))
                    else:
                        state = _without(state, where)
        return state

    def by_helper(self, call: r.Call, on: Place | None, state: Locks) -> Locks:
        """A function of the project that locks or unlocks for its caller."""
        for helper in self.program.calls.callee(call, self.function).functions[:1]:
            taken, let_go = self.locking.net(helper)
            if not taken and not let_go:
                continue
            gone = {self.outside(lock, helper, call, on) for lock in let_go}
            state = frozenset(h for h in state if h.lock not in gone)
            got = {HeldLock(self.outside(h.lock, helper, call, on)) for h in taken}
            self.helped |= got
            state = state | got
        return state

    def outside(self, lock: Place, helper: Function, call: r.Call, on: Place | None) -> Place:
        """A lock as the caller knows it."""
        if lock[0] == THIS:
            return (*(on or (THIS,)), *lock[1:])
        for parameter, argument in zip(helper.record.parameters, call.args, strict=False):
            if parameter.name == lock[0]:
                root = place(self.function, argument)
                return (*root, *lock[1:]) if root is not None else SOMEBODYS
        return lock


def _of(state: Locks, lock: Place) -> list[HeldLock]:
    return [held for held in state if held.lock == lock]


def _without(state: Locks, lock: Place) -> Locks:
    """Without that lock, whoever holds it."""
    return state.difference(_of(state, lock))


def _arguments(written: str) -> str:
    kind = types.parse(written)
    return f"<{', '.join(kind.arguments)}>" if kind.arguments else ""


# --- what is held on entry ------------------------------------------------------------------------------


def _said_on_entry(function: Function) -> Locks:
    """What annotations and parameters say that the caller holds."""
    given = function.parameter_names
    found = {HeldLock(_lock_named(written, given), CALLERS) for written in _required(function)}
    found |= {HeldLock(_lock_named(written, given), TAKES) for written in _annotated(function, "takes lock")}
    for parameter in guard_parameters(function):
        own = own_locks(function)
        found.add(HeldLock(next(iter(own)) if len(own) == 1 else SOMEBODYS, parameter))
    return frozenset(found)


def guard_parameters(function: Function) -> list[str]:
    """The parameters that are guards: whoever calls holds the lock."""
    guards = guard_classes.guards(function.program)
    found = []
    for parameter in function.record.parameters:
        kind = types.parse(parameter.type)
        if kind.last in guards.words:
            bare = kind.name + _arguments(parameter.type)
            if guards.of(bare, function) is not None:
                found.append(parameter.name)
    return found


def own_locks(function: Function) -> frozenset[Place]:
    """The places of the locks that are members of the function's own object."""
    home = function.home
    return frozenset((THIS, name) for name in mutex_fields(home)) if home is not None else frozenset()


def mutex_fields(cls: Class) -> tuple[str, ...]:
    """The class's own members that are locks, in order."""
    return mutexes(cls.program).fields(cls)


def required(function: Function) -> tuple[str, ...]:
    """The locks an annotation says the caller holds: names of members."""
    return tuple(sorted({last_part(written) for written in _required(function)}))


def _is_literal(value: r.Value, *written: str) -> bool:
    inner = strip(value)
    return isinstance(inner, r.Literal) and inner.text in written


def _lock_named(written: str, given: frozenset[str]) -> Place:
    """The place of a lock that an annotation names: `mu_` is the object's own, `&Pool::mu_` and `pool_->mu` are not."""
    parts = [part.strip(" ()") for part in re.split(r"->|\.|::", written.strip().lstrip("!&*"))]
    if len(parts) == 1:
        return SOMEBODYS if parts[0] in given else (THIS, parts[0])
    if parts[0] == THIS:
        return (THIS, *parts[1:])
    return tuple(parts) if parts[0] in given else (ELSEWHERE, parts[-1])


def _required(function: Function) -> tuple[str, ...]:
    """The locks an annotation says the caller holds, as written."""
    return _annotated(function, "requires lock", _REQUIRES)


def _annotated(function: Function, role: str, pattern: re.Pattern[str] | None = None) -> tuple[str, ...]:
    """The arguments of a function's annotations of a role, or of a name like the pattern."""
    records = [function.record]
    if function.cls is not None:
        records += function.cls.declared_here.get(function.name, ())
    of_role = function.program.macros.role
    found = [
        annotation.arguments
        for record in records
        for annotation in record.annotations
        if of_role(annotation.name) == role or (pattern is not None and pattern.search(annotation.name))
    ]
    return tuple(sorted({written.strip() for one in found for written in one.split(",") if written.strip()}))


def is_override(function: Function) -> bool:
    """Whether others may call it through a base; the declaration says so where the definition stands elsewhere, or that
    of the base does."""
    cls = function.cls
    own = cls.declared_here.get(function.name, ()) if cls is not None else ()
    if any(not {"override", "final"}.isdisjoint(record.qualifiers) for record in (function.record, *own)):
        return True
    return any(
        "virtual" in record.qualifiers and len(record.parameters) == len(function.record.parameters)
        for base in (cls.ancestry[1:] if cls is not None else ())
        for record in (*base.declared_here.get(function.name, ()), *_records(base, function.name))
    )


def _records(cls: Class, name: str) -> list[r.FunctionRecord]:
    return [method.record for method in cls.defined_here.get(name, ())]


def says_locked(function: Function) -> bool:
    """Whether a name says that the caller holds the lock: weak, since nobody checks it."""
    return _SAYS_LOCKED.search(function.name) is not None


def last_part(written: str) -> str:
    """`&this->mu_` is `mu_`."""
    return re.split(r"->|\.|::", written.strip().lstrip("!&*"))[-1].strip(" ()")


@program_question
def locking(program: Program) -> Locking:
    """The locks of a program; one object a program, since its answers are remembered."""
    return Locking(program)


def held(function: Function) -> dict[int, Locks]:
    """The locks held just before each reachable event, by event index; a guard's own construction does not count."""
    return locking(function.program).held(function)


def describe(locks: Locks) -> str:
    """The locks as a user would write them."""
    return ", ".join(render(h.lock) for h in sorted(locks))
