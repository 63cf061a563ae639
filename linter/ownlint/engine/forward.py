"""What state is this place in here? A worklist over the event graph, joined at merges.

States are hashable values in a lattice the caller joins. `forward` is the engine; rules and
summaries bring a transfer function. It visits an event again only when what arrives has changed, so a
finite lattice ends, and ordinary code takes two passes.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from ownlint.finding import SOME_PATHS, Certainty, because
from ownlint.flow.events import Event
from ownlint.flow.graph import Flow
from ownlint.steps import spend

State = TypeVar("State")

_ROUNDS = 64
"""How often one event may be visited before the engine gives up on it: only a lattice of unbounded
height gets there. What was computed so far is kept, which is less than all, never wrong about a path
it saw."""


def forward(
    flow: Flow,
    initial: State,
    transfer: Callable[[Event, State], State],
    join: Callable[[State, State], State],
    branch: Callable[[Event, bool, State], State] | None = None,
) -> dict[int, State]:
    """The state just before each reachable event, by event index.

    `branch` refines the state along the true or false edge of a `Test`.
    """
    before: dict[int, State] = {flow.entry: initial}
    visits: dict[int, int] = {}
    # The lowest index first: events are numbered in source order, so loops settle inside out.
    queue = [flow.entry]
    pending = {flow.entry}
    while queue:
        current = heapq.heappop(queue)
        pending.discard(current)
        visits[current] = visits.get(current, 0) + 1
        if visits[current] > _ROUNDS:
            continue
        spend()
        event = flow.events[current]
        after = transfer(event, before[current])
        for target, label in flow.successors[current]:
            arriving = after if branch is None or label is None else branch(event, label, after)
            known = before.get(target)
            joined = arriving if known is None else join(known, arriving)
            if known is None or joined != known:
                before[target] = joined
                if target not in pending:
                    pending.add(target)
                    heapq.heappush(queue, target)
    return before


class Machine(NamedTuple):
    """A typestate: `table` says where an event leads from a state; a pair it does not name changes nothing.

    Events are words that the rule's `classify` gives (`acquire`, `release`, `use`); so are states.
    """

    initial: str
    table: Mapping[tuple[str, str], str]

    def step(self, states: frozenset[str], event: str) -> frozenset[str]:
        return frozenset(self.table.get((state, event), state) for state in states)


def run(flow: Flow, machine: Machine, classify: Callable[[Event], str | None]) -> dict[int, frozenset[str]]:
    """The states a place can be in just before each reachable event: one state means on every path, several
    mean that it depends on the way taken."""

    def transfer(event: Event, states: frozenset[str]) -> frozenset[str]:
        word = classify(event)
        return machine.step(states, word) if word is not None else states

    return forward(flow, frozenset({machine.initial}), transfer, lambda one, other: one | other)


def certainty(states: frozenset[str], bad: str) -> Certainty | None:
    """How sure it is that a place is in state `bad`: on every path, on some, or not at all."""
    if bad not in states:
        return None
    return "certain" if len(states) == 1 else because("path", SOME_PATHS)
