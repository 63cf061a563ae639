"""What became of each state that one walk has followed: from where on no way leads elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from ownlint.domains.counted.counts import CountState
from ownlint.flow.events import Event
from ownlint.steps import spend


class Followed:
    """The states of one walk, numbered from 1 in the order in which they were followed."""

    def __init__(self) -> None:
        self._events: list[int] = []
        self._behind: list[Sequence[tuple[int, CountState]]] = []
        self._numbers: dict[tuple[int, object], list[int]] = {}
        """By event, and by the state or what it knows beside tests, the numbers of those that were followed: states
        that differ in a test alone become one."""

    def see(self, event: Event, state: CountState, behind: Sequence[tuple[int, CountState]]) -> None:
        self._events.append(event.index)
        self._behind.append(behind)
        for known in (state, _known(state)):
            self._numbers.setdefault((event.index, known), []).append(len(self._events))

    def trail(self, troubled: Collection[int], since: int) -> list[int]:
        """The events on a shortest path from the event `since` on to one of these states, without the last."""
        then: dict[int, int] = dict.fromkeys(troubled, 0)
        waiting = sorted(troubled)
        for current in waiting:
            if self._events[current - 1] == since:
                found = [current]
                while found[-1] not in troubled:
                    found.append(then[found[-1]])
                return [self._events[number - 1] for number in found[:-1]]
            for number in self._before.get(current, ()):
                if number not in then:
                    then[number] = current
                    waiting.append(number)
        spend(len(waiting))
        return []

    @cached_property
    def _before(self) -> dict[int, list[int]]:
        """By the number of a state those of the states that it comes from."""
        found: dict[int, list[int]] = {}
        for number in range(1, len(self._events) + 1):
            for target in self._next(number):
                found.setdefault(target, []).append(number)
        spend(len(self._events))
        return found

    def is_doomed(self, troubled: Collection[int]) -> bool:
        """Whether there is an event from which every way leads to one of these states, whatever it has passed before:
        no conditions on the way have to hold together. Of the troubled states' own event nothing is asked."""
        spend(len(self._events))
        following = [self._next(number) for number in range(1, len(self._events) + 1)]
        before: dict[int, list[int]] = {}
        for number, targets in enumerate(following, 1):
            for target in targets if number not in troubled else ():
                before.setdefault(target, []).append(number)
        waiting = [number for number, targets in enumerate(following, 1) if not targets and number not in troubled]
        spared = set(waiting)
        while waiting:
            spend()
            fresh = [number for number in before.get(waiting.pop(), ()) if number not in spared]
            spared.update(fresh)
            waiting += fresh
        left = {self._events[number - 1] for number in spared}
        own = {self._events[number - 1] for number in troubled}
        reached = self._leading(troubled, before)
        return any(self._events[number - 1] not in left | own for number in reached)

    @staticmethod
    def _leading(troubled: Collection[int], before: dict[int, list[int]]) -> set[int]:
        """The states from which a way leads to one of these."""
        waiting, found = list(troubled), set[int]()
        while waiting:
            spend()
            fresh = [number for number in before.get(waiting.pop(), ()) if number not in found]
            found.update(fresh)
            waiting += fresh
        return found

    def _next(self, number: int) -> set[int]:
        found: set[int] = set()
        for at, after in self._behind[number - 1]:
            found.update(self._numbers.get((at, after)) or self._numbers.get((at, _known(after))) or ())
        return found


def _known(state: CountState) -> CountState:
    return state._replace(tests=frozenset())
