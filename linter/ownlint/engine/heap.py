"""The loop that follows a function way by way: every state that comes to an event goes through it, once.

What a state knows, and what an event does to it, is a domain's. Ways that come to know the same are one.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from ownlint.flow.events import Event
from ownlint.flow.graph import Flow
from ownlint.steps import spend

S = TypeVar("S", bound=Hashable)


_MOST_SORTS = 4
_FEW = 2
"""So many states of one sort are followed through an event of a function whose ways have multiplied: as many steps were
gone as if every event had the most. Not every way is followed there in any case."""


def all_alike(state: object) -> Hashable:
    """For domains whose states are of one sort."""
    return None


class Domain(NamedTuple, Generic[S]):
    """What the loop asks: the states behind an event, by the event that comes next, what remains of several that meet,
    and an order among states, so that those which are left out at a limit are the same in every run."""

    step: Callable[[Event, S], Iterable[tuple[int, S]]]
    met: Callable[[list[S], Sequence[S]], Iterable[S]]
    """Is also given those that have gone on before."""
    most: int
    """So many different states are followed through one event."""
    in_order: Callable[[list[S]], list[S]] = list
    sort: Callable[[S], Hashable] = all_alike
    """Sorts of states, of which each has so many: where nothing has happened yet, they do not crowd out the others."""


Listener = Callable[[Event, S, Sequence[tuple[int, S]]], None]
"""Is told of each state that comes to an event what becomes of it, by the event that comes next."""


class SeenIncident(NamedTuple):
    """What a domain found at the event of that index, for a person; `dropped` says why it is not told, if it is not."""

    at: int
    what: str
    reason: str = ""
    dropped: str = ""


class SeenRun:
    """What was seen of one run of `follow`, for whoever asks why: by the event's index the states that came there, each
    as lines that a person reads, and how many went on to which event; under -1 how many there were. `skipped` says why
    there was no run."""

    def __init__(self, skipped: str = "") -> None:
        self.skipped = skipped
        self.states: dict[int, list[tuple[str, ...]]] = {}
        self.passed: dict[int, dict[int, int]] = {}
        self.complete = True
        self.incidents: list[SeenIncident] = []

    def see(self, at: int, told: Iterable[str]) -> None:
        """A state came to the event of that index."""
        lines, seen = tuple(told), self.states.setdefault(at, [])
        if lines not in seen:
            seen.append(lines)

    def listener(self, told: Callable[[S], Iterable[str]]) -> Listener[S]:
        """`told` says a state in words."""

        def listen(event: Event, state: S, after: Sequence[tuple[int, S]]) -> None:
            self.see(event.index, told(state))
            passed = self.passed.setdefault(event.index, {})
            passed[-1] = passed.get(-1, 0) + 1
            for target in {target for target, _ in after}:
                passed[target] = passed.get(target, 0) + 1

        return listen


def all_of_them(states: list[S], before: Sequence[S]) -> list[S]:
    """For domains in which states that meet stay what they are."""
    return states


Tests = frozenset[tuple[str, object]]
"""How tests went, by their text; also what else is known under a name."""


def without_idle_tests(
    states: list[S], apart: Callable[[S], tuple[Hashable, Tests]], untested: Callable[[S, str], S]
) -> list[S]:
    """Of states that meet, those which differ in how one test went alone become one that does not know it: whatever the
    test comes to the next time, both ways go on from there.

    `apart` gives what a state knows beside tests, and its tests; `untested` the state without one of them.
    """
    if len({apart(state)[0] for state in states}) == len(states):
        return states
    places: dict[tuple[Hashable, Tests], int] = {}
    remaining: list[S | None] = []
    waiting = states[::-1]
    while waiting:
        state = waiting.pop()
        rest, tests = apart(state)
        for said, how in sorted((one for one in tests if isinstance(one[1], bool)), key=lambda one: one[0]):
            other = places.pop((rest, tests - {(said, how)} | {(said, not how)}), None)
            if other is not None:
                remaining[other] = None
                waiting.append(untested(state, said))
                break
        else:
            if (rest, tests) not in places:
                places[rest, tests] = len(remaining)
                remaining.append(state)
    return [state for state in remaining if state is not None]


def _together(came: list[S], before: int, flow: Flow, at: int, domain: Domain[S]) -> list[S]:
    """What remains of the states that came, but for those that went on `before`."""
    fresh, gone = came[before:], came[:before]
    if len(came) > 1 and len(flow.predecessors[at]) > 1:
        fresh = [state for state in domain.met(fresh, gone) if state not in gone]
    return domain.in_order(fresh) if len(fresh) > 1 else fresh


def follow(
    flow: Flow, begin: S, domain: Domain[S], listener: Listener[S] | None = None, start: int | None = None
) -> bool:
    """Whether every way was followed, from the entry or from the event `start` on."""
    first = flow.entry if start is None else start
    states: dict[int, dict[S, None]] = {first: {begin: None}}  # in the order in which they came
    queue, pending = [first], {first}
    done: dict[int, int] = {}
    sorts: dict[tuple[int, Hashable], int] = {}
    complete = True
    most, steps, enough = domain.most, 0, domain.most * len(flow.events)
    while queue:
        current = heapq.heappop(queue)
        pending.discard(current)
        came = list(states[current])
        before = done.get(current, 0)
        done[current] = len(came)
        event = flow.events[current]
        for state in _together(came, before, flow, current, domain):
            spend()
            if (steps := steps + 1) > enough:
                most = min(most, _FEW)
            behind = domain.step(event, state)
            if listener is not None:
                behind = tuple(behind)
                listener(event, state, behind)
            for target, after in behind:
                known = states.setdefault(target, {})
                if after in known:
                    continue
                sort = (target, domain.sort(after))
                if (count := sorts.get(sort, 0)) >= most or len(known) >= most * _MOST_SORTS:
                    complete = False
                    continue
                sorts[sort] = count + 1
                known[after] = None
                if target not in pending:
                    pending.add(target)
                    heapq.heappush(queue, target)
    return complete
