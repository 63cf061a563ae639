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


class Domain(NamedTuple, Generic[S]):
    """What the loop asks: the states behind an event, by the event that comes next, and an order among states, so that
    those which are left out at a limit are the same in every run."""

    step: Callable[[Event, S], Iterable[tuple[int, S]]]
    in_order: Callable[[list[S]], Iterable[S]]
    most: int
    """So many different states are followed through one event."""


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
    as lines that a person reads, and how many went on to which event; under -1 how many there were."""

    def __init__(self) -> None:
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


def follow(
    flow: Flow, begin: S, domain: Domain[S], listener: Listener[S] | None = None, start: int | None = None
) -> bool:
    """Whether every way was followed, from the entry or from the event `start` on."""
    first = flow.entry if start is None else start
    states: dict[int, dict[S, None]] = {first: {begin: None}}  # in the order in which they came
    queue, pending = [first], {first}
    done: dict[int, int] = {}
    complete = True
    while queue:
        current = heapq.heappop(queue)
        pending.discard(current)
        fresh = list(states[current])[done.get(current, 0) :]
        done[current] = len(states[current])
        event = flow.events[current]
        for state in domain.in_order(fresh):
            spend()
            behind = domain.step(event, state)
            if listener is not None:
                behind = tuple(behind)
                listener(event, state, behind)
            for target, after in behind:
                known = states.setdefault(target, {})
                if after in known:
                    continue
                if len(known) >= domain.most:
                    complete = False
                    continue
                known[after] = None
                if target not in pending:
                    pending.add(target)
                    heapq.heappush(queue, target)
    return complete
