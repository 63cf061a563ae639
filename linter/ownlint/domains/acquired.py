"""Which locks a call takes, however deep: what its body waits for, and what the functions that it calls wait for.

A lock has two names. Its place is that of one object, in the words of one function: `this.mu_`. Its key is that of all
objects: the class that declares it, and the member; or the variable. The place tells whether a thread meets a lock
twice, the key in which order locks are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
from ownlint.project.questions import program_property, program_question
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
        if not self.locking.may_lock(function) and not locks.required(function):
            return ()
        held = self.locking.held(function)
        return self._ask(function, [function.flow.events[index] for index in sorted(held) if held[index]])

    def _ask(self, function: Function, events: Sequence[e.Event]) -> tuple[Wait, ...]:
        if function.language != "cpp" or not self._reach.may_come(function):
            return ()
        found = sorted([*self._own(function, events), *self._below(function, events)], key=lambda one: one.at)
        gone = self.given_up(function, frozenset(one.lock for one in found)) if found else {}
        return tuple(one._replace(given_up=one.given_up | gone.get(one.at, frozenset())) for one in found)

    def _own(self, function: Function, events: Sequence[e.Event]) -> Iterator[Wait]:
        taken = self.locking.taken(function)
        for event in events if taken else ():
            for held in sorted(taken.get(event.index, ())):
                key = self.key(function, held.lock)
                if key is not None:
                    conditional = self._is_conditional(function, held.lock)
                    asked = _asked(function, event)
                    yield Wait(event.index, held.lock, key, function, event.span, conditional, asked=asked)

    def _is_conditional(self, function: Function, lock: Place) -> bool:
        """Whether a lock is held somewhere in a function on some of the paths alone that lead there; where scopes end,
        ways come together that left them early and late."""
        always, events = self.locking.held(function), function.flow.events
        return any(
            not isinstance(events[index], e.End | e.LeaveEvent | e.Mark)
            and index != function.flow.exit
            and any(one.lock == lock for one in held)
            and lock not in {one.lock for one in always.get(index, ())}
            for index, held in self.locking.held(function, anywhere=True).items()
        )

    def _below(self, function: Function, events: Sequence[e.Event]) -> Iterator[Wait]:
        for event in events:
            callee = self.runs(function, event)
            if callee is None:
                continue
            for one in self.takes(callee, event):
                given_up = (outside(function, event, callee, lock) for lock in one.given_up)
                lock = outside(function, event, callee, one.lock)
                yield one._replace(
                    at=event.index,
                    lock=lock,
                    given_up=frozenset(given_up),
                    conditional=one.conditional or self._may_set(function, event, one.asked),
                    asked=one.asked | _asked(function, event),
                )

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
        for one in waits:
            if not conditions.may_come(function, function.flow.events[one.at], given):
                continue
            if all(held.lock != one.lock for held in self.locking.held(function).get(one.at, ())):
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
        places = sorted({one.lock for one in held if one.guard not in (locks.TAKES, locks.READS)})
        return {place: key for place in places if (key := self.key(function, place)) is not None}

    def given_up(self, function: Function, beside: frozenset[Place] = frozenset()) -> dict[int, frozenset[Place]]:
        """Which locks of the function's own object, or of those named beside, a body has let go before each event, when
        its caller holds them all."""
        if not self.locking.may_lock(function):
            return {}
        names = beside | locks.own_locks(function)
        return {index: names - kept for index, kept in self.locking.held_if(function, names).items()}

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
