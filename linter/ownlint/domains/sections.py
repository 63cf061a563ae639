"""Critical sections: where one lock is taken and let go, and what a look in one decides about another.

Between two sections of one lock everybody else may come in. What was found in the first is then a memory, and whoever
acts on it in the second acts on what may have changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from ownlint.domains import locks
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import Place, walk
from ownlint.project.questions import Answers
from ownlint.project.subjects import Function


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
        self._around: dict[int, list[Section]] = {}
        for lock in sorted(found):
            for section in found[lock]:
                for index in section.inside:
                    self._around.setdefault(index, []).append(section)

    def around(self, event: e.Event) -> Sequence[Section]:
        """The sections in which the event happens, by their locks."""
        return self._around.get(event.index, ())


def sections(function: Function) -> Sections:
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
    found: dict[Place, list[Section]] = {}
    for (lock, first), starts in sorted(taken.items(), key=lambda entry: (entry[0][1], entry[0][0])):
        found.setdefault(lock, []).append(Section(lock, flow.events[first], _spread(function, lock, starts, held_at)))
    return Sections(found)


def _spread(function: Function, lock: Place, starts: list[int], held_at: dict[int, frozenset[Place]]) -> frozenset[int]:
    seen = set(starts)
    queue = list(starts)
    for current in queue:
        for target, _ in function.flow.successors[current]:
            if target not in seen and lock in held_at.get(target, frozenset()):
                seen.add(target)
                queue.append(target)
    return frozenset(seen)


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

    def deciders(self, look: e.Event, act: e.Event) -> list[tuple[e.Test, bool]]:
        """The tests about what the look found whose outcome is known where the act happens, nearest first."""
        told = self.by(look)
        nearest = islice(self.function.flow.guards(act), _MOST_GUARDS)
        return [(test, outcome) for test, outcome in nearest if _is_about(test.value, look, told)]


_CLOSE = 8
_FAR = 400
"""So many events around a look may set locals to what it found."""
_GUARDS = 4
_MOST_GUARDS = 40


def _is_about(value: r.Value | None, look: e.Event, told: set[str] | frozenset[str]) -> bool:
    if value is None:
        return False
    if value.start <= look.span.start and look.span.end <= value.end:
        return True
    return any(isinstance(inner, r.Name) and inner.text in told for inner in walk(value))
