"""The loop that follows a function way by way: every state that comes to an event goes through it, once.

What a state knows, and what an event does to it, is a domain's. Ways that come to know the same are one.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable
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


def follow(flow: Flow, begin: S, domain: Domain[S], start: int | None = None) -> bool:
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
            for target, after in domain.step(event, state):
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
