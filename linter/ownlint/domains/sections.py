"""Critical sections: where one lock is taken and let go, and what a look in one decides about another.

Between two sections of one lock everybody else may come in. What was found in the first is then a memory, and whoever
acts on it in the second acts on what may have changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ownlint.domains import locks
from ownlint.domains.reach import outside
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.graph import Flow
from ownlint.flow.places import Place, names_in, strip
from ownlint.project.questions import Answers, flow_question
from ownlint.project.subjects import Function
from ownlint.steps import spend


class Section(NamedTuple):
    """A stretch of a function in which a lock is held without a break. `first` is the event that takes it, or the entry
    where the caller does."""

    lock: Place
    first: e.Event
    inside: frozenset[int]
    """Indexes of the events at which it is held."""

    def __contains__(self, event: object) -> bool:
        return isinstance(event, e.Event) and event.index in self.inside


class Sections:
    """All sections of a function, by their locks, in source order."""

    def __init__(self, found: dict[Place, list[Section]]) -> None:
        self.of = found

    def around(self, event: e.Event) -> Sequence[Section]:
        """The sections in which the event happens, by their locks."""
        return self._around.get(event.index, ())

    @cached_property
    def _around(self) -> dict[int, list[Section]]:
        around: dict[int, list[Section]] = {}
        for lock in sorted(self.of):
            for section in self.of[lock]:
                for index in section.inside:
                    around.setdefault(index, []).append(section)
        return around


@flow_question
def sections(function: Function) -> Sections:
    """The critical sections of a function."""
    flow = function.flow
    held_at = {index: frozenset(h.lock for h in held) for index, held in locks.held(function).items() if held}
    taken: dict[tuple[Place, int], list[int]] = {}
    for index, held in sorted(held_at.items()):
        for source, _ in flow.predecessors[index]:
            for lock in held - held_at.get(source, frozenset()):
                taken.setdefault((lock, source), []).append(index)
        if index == flow.entry:
            for lock in held:
                taken.setdefault((lock, index), []).append(index)
    whole: dict[Place, list[int]] = {}
    for index, held in held_at.items():
        spend(len(held) // _EVENTS_A_STEP)
        for lock in held:
            whole.setdefault(lock, []).append(index)
    several = Counter(lock for lock, _ in taken)
    found: dict[Place, list[Section]] = {}
    for (lock, first), starts in sorted(taken.items(), key=lambda entry: (entry[0][1], entry[0][0])):
        inside = _spread(flow, lock, starts, held_at) if several[lock] > 1 else frozenset(whole[lock])
        found.setdefault(lock, []).append(Section(lock, flow.events[first], inside))
    return Sections(found)


def passed(function: Function, event: e.Event) -> frozenset[Place]:
    """The locks, in the function's words, that all that a call may run take and let go of: what happens in it happens
    in a section of its own."""
    callees = function.program.calls.callee(event.node, function).functions if isinstance(event, e.CallEvent) else ()
    locking = locks.locking(function.program)
    found = [
        {
            outside(function, event, callee, lock)
            for lock, many in sections(callee).of.items()
            if any(section.first.index != callee.flow.entry for section in many)
            and not any(kept.lock == lock for kept in locking.net(callee)[0])
        }
        for callee in callees
        if callee is not function and locking.may_lock(callee)
    ]
    return frozenset.intersection(*map(frozenset, found)) if found and len(found) == len(callees) else frozenset()


def _spread(flow: Flow, lock: Place, starts: list[int], held_at: dict[int, frozenset[Place]]) -> frozenset[int]:
    """From these events on, the events at which the lock is still held."""
    seen = set(starts)
    queue = list(starts)
    successors = flow.successors
    for current in queue:
        for target, _ in successors[current]:
            if target not in seen and lock in held_at.get(target, ()):
                seen.add(target)
                queue.append(target)
    spend(len(queue) // _EVENTS_A_STEP)
    return frozenset(seen)


_EVENTS_A_STEP = 8


# --- what a look decides ----------------------------------------------------------------------------


class Told:
    """What the locals of one function know of what was found."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._local = [w for w in function.flow.writes if len(w.place) == 1 and function.is_local(w.place)]
        self._starts = [write.index for write in self._local]
        self._known: Answers[int, frozenset[str]] = Answers()

    def by(self, look: e.Event) -> frozenset[str]:
        """The locals that know what the look found: they begin with it or are given it, or are set where it came out
        so. What is set far behind it is left out."""
        return self._known.ask(look.index, lambda: self._told_by(look))

    def _told_by(self, look: e.Event) -> frozenset[str]:
        first = bisect_left(self._starts, look.index - _CLOSE)
        near = self._local[first : bisect_left(self._starts, look.index + _FAR)]
        told: set[str] = set()
        for _ in range(3):
            before = len(told)
            for write in near:
                if write.place[0] not in told and self._learns(write, look, told):
                    told.add(write.place[0])
            if len(told) == before:
                break
        return frozenset(told)

    def _learns(self, write: e.Write, look: e.Event, told: set[str]) -> bool:
        if _is_about(write.value, look, told):
            return True
        nearest = islice(self.function.flow.guards(write), _GUARDS)
        return any(_is_about(test.value, look, told) for test, _ in nearest)

    def deciders(self, look: e.Event, act: e.Event) -> list[Decider]:
        """The conditions about what the look found that let the act happen on one side alone, unless the look comes
        again; and what is asserted about it. In source order."""
        told, flow = self.by(look), self.function.flow
        leading = {event.index for event in flow.leading(act, lambda event: event is look)}
        behind = {event.index for event in flow.after(look, lambda event: event is act)}
        asserted = {test.index for test, _ in islice(flow.guards(act), _MOST_GUARDS) if test.asserted}
        found: list[Decider] = []
        for condition, tests in self._conditions:
            if tests[-1].index not in behind or not _is_about(condition, look, told):
                continue
            if tests[0].asserted:
                found += [Decider(condition, True)] if tests[0].index in asserted else []
                continue
            open_to = {
                _outcome(condition, test, label)
                for test in tests
                for target, label in flow.successors[test.index]
                if label is not None and (target in leading or target == act.index)
            } - {None}
            found += [Decider(condition, outcome) for outcome in (True, False) if open_to == {outcome}]
        return found

    @cached_property
    def _conditions(self) -> list[tuple[r.Value, list[e.Test]]]:
        """What branches and loops ask, each with the tests of its operands; other tests are conditions themselves."""
        tests = [event for event in self.function.flow if isinstance(event, e.Test)]
        tests.sort(key=lambda test: test.span.start)
        starts = [test.span.start for test in tests]
        found: list[tuple[r.Value, list[e.Test]]] = []
        grouped: set[int] = set()
        for statement in self.function.statements:
            condition = statement.condition if isinstance(statement, r.Branch | r.Loop) else None
            if condition is None:
                continue
            inside = tests[bisect_left(starts, condition.start) : bisect_left(starts, condition.end)]
            inside = [test for test in inside if {_outcome(condition, test, one) for one in (True, False)} != {None}]
            if inside:
                found.append((condition, inside))
                grouped.update(test.index for test in inside)
        found += [(test.value, [test]) for test in tests if test.index not in grouped]
        return sorted(found, key=lambda one: one[1][0].index)


class Decider(NamedTuple):
    """A condition, and how it came out where something happens."""

    condition: r.Value
    outcome: bool


_CLOSE = 8
_FAR = 400
"""So many events around a look may set locals to what it found."""
_GUARDS = 4
_MOST_GUARDS = 40


def _outcome(condition: r.Value, test: e.Test, label: bool) -> bool | None:
    """How the condition comes out by one operand's test alone; None when another operand has the say."""
    inner = strip(condition) or condition
    match inner:
        case r.Unary(op="!" | "not", value=negated):
            known = _outcome(negated, test, label)
            return None if known is None else not known
        case r.Binary(op="&&" | "||" as op, left=left, right=right):
            if test.span.start >= right.start:
                return _outcome(right, test, label)
            known = _outcome(left, test, label)
            return known if known is (op == "||") else None
    return label if test.span.start <= inner.start and inner.end <= test.span.end else None


def _is_about(value: r.Value | None, look: e.Event, told: set[str] | frozenset[str]) -> bool:
    if value is None:
        return False
    if value.start <= look.span.start and look.span.end <= value.end:
        return True
    return not told.isdisjoint(names_in(value))
