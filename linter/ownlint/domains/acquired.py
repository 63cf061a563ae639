"""Which locks a call takes, however deep: what its body waits for, and what the functions that it calls wait for.

A lock has two names. Its place is that of one object, in the words of one function: `this.mu_`. Its key is that of all
objects: the class that declares it, and the member; or the variable. The place tells whether a thread meets a lock
twice, the key in which order locks are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ownlint import steps
from ownlint.domains import locks
from ownlint.domains.reach import DEEPEST, Reach, outside
from ownlint.engine import conditions
from ownlint.engine.assignments import place
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, Place, last_name, strip, walk
from ownlint.project import standing
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_property, program_question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Class, Function

_WORD = re.compile(r"\w+")


class Key(NamedTuple):
    """A lock as a kind: `owner` is the class that declares it, or the file or the scope of a variable. `single` when
    there is but one for all objects, `again` when who holds it may take it once more."""

    owner: str
    name: str
    single: bool
    again: bool = False

    def __str__(self) -> str:
        last = self.owner.rpartition("::")[2]
        return f"{last}::{self.name}" if last and "/" not in last and "." not in last else self.name


class Wait(NamedTuple):
    """Event `at` of a function waits for `lock`, which is taken at `span` of `where`; where that is `conditional`,
    a test decides about the lock alone, and what comes then runs with it or without. `given_up` are the locks that the
    function's caller may hold and that have been let go by then. Places are in the function's own words; a lock for
    which it has none is `ELSEWHERE`."""

    at: int
    lock: Place
    key: Key
    where: Function
    span: r.Span
    conditional: bool
    given_up: frozenset[Place] = frozenset()
    asked: frozenset[str] = frozenset()
    """The members that were tested on the way there: who sets one of them first may find another way."""


def _asked(function: Function, event: e.Event) -> frozenset[str]:
    """The members of the function's class that are tested before an event."""
    home = function.home
    if home is None:
        return frozenset()
    values = (part for test, _ in function.flow.guards(event) for part in walk(test.value))
    names = {last_name(part) for part in values if isinstance(part, r.Name | r.Member)}
    return frozenset(name for name in names if home.field(name) is not None)


def _given_up_too(wait: Wait, gone: frozenset[Place]) -> Wait:
    """With the locks that the function itself has let go by then."""
    return wait._replace(given_up=wait.given_up | gone if wait.given_up else gone) if gone else wait


class Acquisitions:
    """Which locks the functions of one program take."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.locking = locks.locking(program)
        self._waits: Circular[Function, tuple[Wait, ...]] = Circular((), DEEPEST)

    def waits(self, function: Function) -> tuple[Wait, ...]:
        """What the events of a body wait for, itself or in what they call; of a call each lock once."""

        def answer() -> tuple[Wait, ...]:
            before = steps.start(function.file.size)  # all who ask share it: none pays for the others
            try:
                return self._ask(function, function.flow.events)
            finally:
                steps.stop(before)

        return self._waits.ask(function, answer)

    def waits_under_lock(self, function: Function) -> tuple[Wait, ...]:
        """Those of them at whose events a lock is held."""
        may_hold = self.locking.may_lock(function) or locks.required(function)
        return _under_lock(function) if may_hold else ()

    def ask_under_lock(self, function: Function) -> tuple[Wait, ...]:
        """The same, worked out anew."""
        held = self.locking.held(function)
        return self._ask(function, [function.flow.events[index] for index in sorted(held) if held[index]])

    def _ask(self, function: Function, events: Sequence[e.Event]) -> tuple[Wait, ...]:
        if function.language != "cpp" or not self._reach.may_come(function):
            return ()
        found = sorted([*self._own(function, events), *self._below(function, events)], key=lambda one: one.at)
        gone = self.given_up(function, frozenset(one.lock for one in found)) if found else {}
        return tuple(_given_up_too(one, gone.get(one.at, frozenset())) for one in found)

    def _own(self, function: Function, events: Sequence[e.Event]) -> Iterator[Wait]:
        taken = self.locking.taken(function)
        for event in events if taken else ():
            for held in sorted(taken.get(event.index, ())):
                key = self.key(function, held.lock)
                if key is not None:
                    conditional, asked = held.lock in _conditional(function), _asked(function, event)
                    yield Wait(event.index, held.lock, key, function, event.span, conditional, asked=asked)

    def _below(self, function: Function, events: Sequence[e.Event]) -> Iterator[Wait]:
        for event in events:
            callee = self.runs(function, event)
            taken = self.takes(callee, event) if callee is not None else ()
            if callee is None or not taken:
                continue
            asked = _asked(function, event)
            sets = {members: self._may_set(function, event, members) for members in {one.asked for one in taken}}
            for one in taken:
                steps.spend()
                yield Wait(
                    event.index,
                    self._outside(function, event, callee, one.lock),
                    one.key,
                    one.where,
                    one.span,
                    one.conditional or sets[one.asked],
                    frozenset(self._outside(function, event, callee, lock) for lock in one.given_up),
                    one.asked | asked,
                )

    def _outside(self, function: Function, event: e.Event, callee: Function, lock: Place) -> Place:
        """A lock of the callee's as the caller knows it; as another object's where nobody holds a lock of an object to
        which the same members lead: what is held cannot be that one, whoever calls."""
        found = outside(function, event, callee, lock)
        way = found[1:-1]
        while way and way not in self._ways and way[0] in self._kept:
            way = way[1:]
        return found if way in self._ways else (locks.ELSEWHERE, lock[-1])

    @program_property
    def _ways(self) -> frozenset[Place]:
        """The members that lead to objects whose locks are held somewhere, from any object on the way: of `a->b.mu_`
        these are `b`, and none."""
        found: set[Place] = {()}
        for function in self.program.functions:
            if function.language == "cpp" and (self.locking.may_lock(function) or locks.required(function)):
                steps.looks_at(function, function.path)
                places = {one.lock for held in set(self.locking.held(function).values()) for one in held}
                found.update(lock[start:-1] for lock in places for start in range(1, len(lock)))
        return frozenset(found)

    @program_property
    def _kept(self) -> frozenset[str]:
        """Members for which who calls a constructor may know another name, since it gave them."""
        made = (one.record for one in self.program.functions if one.record.kind == "constructor")
        return frozenset(one.name for record in made for one in record.initializers if len(one.args) == 1)

    def _may_set(self, function: Function, event: e.Event, members: frozenset[str]) -> bool:
        """Whether one of these members may be assigned to before an event, here or in a function that is called."""
        if not members:
            return False
        assigned = {f"={name}" for name in members}
        for earlier in function.flow.before(event):
            if isinstance(earlier, e.Write) and earlier.place[-1] in members:
                return True
            if isinstance(earlier, e.CallEvent) and any(
                not assigned.isdisjoint(callee.mentioned)
                for callee in self.program.calls.callee(earlier.node, function).functions
            ):
                return True
        return False

    def takes(self, function: Function, event: e.Event | None = None) -> tuple[Wait, ...]:
        """What a function waits for, each lock once: without what it holds itself by then, and nothing where it is
        given a guard, by which it may do with the lock what it likes. A constant argument of the `event` that runs it
        decides which way it goes: `close(false)`."""
        if self.is_given_guard(function):
            return ()
        waits = self.waits(function)
        given: list[conditions.Given] = []
        if waits and isinstance(event, e.CallEvent):
            given.extend(conditions.said_of_parameters(function, event.node))
        found: dict[tuple[Place, Key], Wait] = {}
        held = self.locking.held(function) if waits else {}
        for at, together in groupby(waits, key=lambda one: one.at):
            if not conditions.may_come(function, function.flow.events[at], given):
                continue
            own = {one.lock for one in held.get(at, ())}
            for one in together:
                if one.lock not in own:
                    found.setdefault((one.lock, one.key), one)
        return tuple(found.values())

    def is_given_guard(self, function: Function) -> bool:
        """Whether who calls hands its guard over, by whatever pointer: the lock may be let go by it."""
        words = self.locking.guards.words
        return any(not words.isdisjoint(_WORD.findall(one.type)) for one in function.record.parameters)

    @program_property
    def _reach(self) -> Reach:
        return Reach(self.program, filter(self.locking.may_lock, self.program.functions))

    def runs(self, function: Function, event: e.Event) -> Function | None:
        """The one function that an event runs and that may take a lock, where it is clear which runs."""
        return self._reach.runs(function, event)

    # --- what is held ---

    def exclusive(self, function: Function, index: int) -> dict[Place, Key]:
        """The locks held on every path to an event, as far as they are of a kind that `key` knows."""
        held = self.locking.held(function).get(index, ())
        places = {one.lock for one in held if one.guard not in (locks.TAKES, locks.READS)}
        return {place: key for place, key in kinds(function).items() if place in places} if places else {}

    def given_up(self, function: Function, beside: frozenset[Place] = frozenset()) -> dict[int, frozenset[Place]]:
        """Which locks of the function's own object, or of those named beside, a body has let go before each event, when
        its caller holds them all."""
        if not self.locking.may_lock(function):
            return {}
        names = beside | locks.own_locks(function)
        held = self.locking.held_if(function, names)
        gone = {kept: names - kept for kept in set(held.values())}
        return {index: gone[kept] for index, kept in held.items()}

    # --- names of locks ---

    def key(self, function: Function, lock: Place) -> Key | None:
        """The kind of a lock that only one thread can have at a time; None for any other, and where it is not known
        what it is."""
        found = self._named(function, lock)
        if found is None:
            return None
        key, written, (file, scope) = found
        roles = self.program.types.roles_at(written, file, scope) if "*" not in written else ()
        if "mutex" not in roles:
            return None
        return key._replace(again="recursive" in roles and not self._plain.get((key.owner, key.name), False))

    @program_property
    def _plain(self) -> dict[tuple[str, str], bool]:
        """Of the locks that are begun in sight and might be recursive, by owner and name: whether each time that is
        done so that they are not."""
        found: dict[tuple[str, str], bool] = {}
        words = self.program.models.plain_locks
        for file in self.program.files.values():
            for one in file.variables if file.language == "cpp" else ():
                if one.value is not None and last_name(one.value) in words:
                    found[file.path if one.static else one.scope, one.name] = True
        for cls in self.program.classes:
            for field in cls.record.fields:
                if field.value is not None and last_name(field.value) in words:
                    found[cls.symbol, field.name] = True
        for function in self.program.functions:
            if words.isdisjoint(function.mentioned):
                continue
            for call in function.flow.calls:
                if last_name(call.node.callee) not in words or not call.node.args:
                    continue
                lock = place(function, call.node.args[0])
                named = self._named(function, lock) if lock is not None else None
                if named is not None:
                    begun, last = (named[0].owner, named[0].name), strip(call.node.args[-1])
                    is_plain = isinstance(last, r.Literal) and (last.kind == "null" or last.text == "0")
                    found[begun] = found.get(begun, True) and is_plain
        return found

    def _named(self, function: Function, lock: Place) -> tuple[Key, str, tuple[File, str]] | None:
        """The member or the variable that a lock is, its type, and where that is written."""
        if lock == locks.SOMEBODYS or lock[0] == locks.ELSEWHERE or any(step.startswith(("<", "[")) for step in lock):
            return None
        return self._member(function, lock) if len(lock) > 1 else self._variable(function, lock[0])

    def _member(self, function: Function, lock: Place) -> tuple[Key, str, tuple[File, str]] | None:
        owner: Class | None = None
        if lock[0] == THIS and len(lock) == 2:
            owner = function.home
        else:
            base: r.Value = r.Name(-1, -1, lock[0])
            for step in lock[1:-1]:
                base = r.Member(-1, -1, base, step)
            written = self.program.types.of(base, function)
            owner = next(self.program.types.classes_of(written, function), None) if written else None
        found = owner.field(lock[-1]) if owner is not None else None
        if found is None:
            return None
        cls, field = found
        return Key(cls.symbol, field.name, field.static), field.type, (cls.file, cls.symbol)

    def _variable(self, function: Function, written: str) -> tuple[Key, str, tuple[File, str]] | None:
        if written in function.declared:
            return None
        scope, _, name = written.rpartition("::")
        cls = self.program.names.find_class(scope, function.record.scope, function.file) if scope else None
        found = cls.field(name) if cls is not None else None
        if found is not None:
            return Key(found[0].symbol, name, True), found[1].type, (found[0].file, found[0].symbol)
        here = next((one for one in function.file.variables if one.name == name), None)
        if here is not None:
            owner = function.path if here.static else here.scope
            return Key(owner, name, True), here.type, (function.file, here.scope)
        accessor = standing.behind(function, written)
        if accessor is not None:
            return Key(accessor.path, written, True), accessor.record.result, (accessor.file, accessor.record.scope)
        kind = self.program.types.of(r.Name(-1, -1, written), function)
        return (Key(scope, name, True), kind, (function.file, function.record.scope)) if kind else None


@program_question
def acquisitions(program: Program) -> Acquisitions:
    """The acquisitions of a program; one object a program, since its answers are remembered."""
    return Acquisitions(program)


@flow_question
def _under_lock(function: Function) -> tuple[Wait, ...]:
    return acquisitions(function.program).ask_under_lock(function)


@flow_question
def kinds(function: Function) -> dict[Place, Key]:
    """The locks that are held somewhere in a function, in order, as far as `Acquisitions.key` knows their kinds."""
    known = acquisitions(function.program)
    places = {one.lock for held in set(known.locking.held(function).values()) for one in held}
    return {place: key for place in sorted(places) if (key := known.key(function, place)) is not None}


@flow_question
def _conditional(function: Function) -> frozenset[Place]:
    """The locks that are held somewhere in a function on some of the paths alone that lead there; where scopes end,
    ways come together that left them early and late."""
    locking, events = locks.locking(function.program), function.flow.events
    always = locking.held(function)
    found: set[Place] = set()
    for index, held in locking.held(function, anywhere=True).items():
        sure = always.get(index, frozenset())
        some = held - sure
        if some and not isinstance(events[index], e.End | e.LeaveEvent | e.Mark) and index != function.flow.exit:
            found |= {one.lock for one in some} - {one.lock for one in sure}
    return frozenset(found)
