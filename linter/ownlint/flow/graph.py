"""Order: which event can follow which, what every path has passed, which locks are held.

Every question is linear in the number of events, or near it: there is no enumeration of paths.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.asked import Asked, plainly_asked
from ownlint.flow.lower import Graph
from ownlint.flow.places import THIS, Place, strip, walk
from ownlint.steps import spend

Predicate = Callable[[e.Event], bool]

Edge = tuple[int, bool | None]
Edges = tuple[Edge, ...]

_MOST_PLAIN = 4096
_PLAIN: list[Edges] = [((index, None),) for index in range(_MOST_PLAIN)]
"""The one way from or to each event: nearly all events have no other, and all functions share these."""


def _shared(all_edges: Iterable[Sequence[Edge]]) -> list[Edges]:
    return [
        _PLAIN[edges[0][0]] if len(edges) == 1 and edges[0][1] is None and edges[0][0] < _MOST_PLAIN else tuple(edges)
        for edges in all_edges
    ]


_FEW = 400
"""So many events are walked up faster than their order in the dominator tree is found."""


def _may_set(event: e.Write | e.OpaqueEvent, names: frozenset[str]) -> bool:
    if isinstance(event, e.OpaqueEvent) or not event.place:
        return True
    return event.place[0] in names or (event.place[0] == THIS and not names.isdisjoint(event.place[1:2]))


def addressed(call: r.Call) -> frozenset[str]:
    """The names of which a call is given the address, and which it may set by that: `fill(&size)`."""
    return frozenset(
        part.value.text
        for argument in call.args
        for part in walk(argument)
        if isinstance(part, r.Unary) and part.op == "&" and isinstance(part.value, r.Name)
    )


class Flow:
    """The control-flow graph of one function, and the questions rules ask of it."""

    def __init__(self, graph: Graph) -> None:
        self.events = graph.events
        self.successors = _shared(graph.successors)
        self.entry = graph.entry
        self.exit = graph.exit
        self.aliases = graph.aliases
        self.known: dict[Any, Any] = {}
        """Answers about the function that others have worked out, see `questions.flow_question`."""

    def __iter__(self) -> Iterator[e.Event]:
        spend(len(self.events))
        return iter(self.events)

    @cached_property
    def predecessors(self) -> list[Edges]:
        out: list[list[Edge]] = [[] for _ in self.events]
        for source, edges in enumerate(self.successors):
            for target, label in edges:
                out[target].append((source, label))
        return _shared(out)

    @cached_property
    def reachable(self) -> frozenset[int]:
        """Indexes of the events some run can reach from the entry."""
        return frozenset(self._search(self.entry, lambda _: False, forward=True)) | {self.entry}

    def of(self, kind: type[e.Event] | tuple[type[e.Event], ...]) -> list[e.Event]:
        spend(len(self.events))
        return [event for event in self.events if isinstance(event, kind)]

    @cached_property
    def calls(self) -> list[e.CallEvent]:
        return [event for event in self.events if isinstance(event, e.CallEvent)]

    @cached_property
    def writes(self) -> list[e.Write]:
        return [event for event in self.events if isinstance(event, e.Write)]

    @cached_property
    def leaves(self) -> list[e.LeaveEvent]:
        return [event for event in self.events if isinstance(event, e.LeaveEvent)]

    @cached_property
    def loops(self) -> list[e.Mark]:
        """Where loops begin; the span of each is the whole loop."""
        return [event for event in self.events if isinstance(event, e.Mark) and event.what == "loop"]

    def loops_over(self, start: int) -> Iterator[e.Mark]:
        """The loops that hold a position of the text, the last to begin first."""
        starts, ends, loops = self._loops_by_start
        position = bisect_right(starts, start) - 1
        while position >= 0 and ends[position] > start:
            if loops[position].span.end > start:
                yield loops[position]
            position -= 1

    @cached_property
    def _loops_by_start(self) -> tuple[list[int], list[int], list[e.Mark]]:
        """Where loops begin, how far the one or any before it goes, and the loops."""
        loops = sorted(self.loops, key=lambda mark: mark.span.start)
        ends = list(accumulate((mark.span.end for mark in loops), max))
        return [mark.span.start for mark in loops], ends, loops

    def writes_to(self, place: Place) -> list[e.Write]:
        found = self._writes_of.get(place)
        return found[0] if found is not None else []

    @cached_property
    def catches(self) -> list[e.Mark]:
        """Where handlers begin; the span of each is the whole handler."""
        return [event for event in self.events if isinstance(event, e.Mark) and event.what == "catch"]

    def goes_through(self, write: e.Write) -> bool:
        """Whether a write is to what a name leads to, as `p->next = q` and `p[i] = q` are: `p` stays what it is."""
        inner = strip(write.target)
        while True:
            match inner:
                case r.Member(base=base, arrow=leads):
                    inner = strip(base)
                case r.Index(base=base):
                    inner, leads = strip(base), False
                case r.Unary(op="*", value=base):
                    inner, leads = strip(base), True
                case _:
                    return False
            if isinstance(inner, r.Name):
                return inner.text == write.place[0] and (leads or inner.text in self._pointers)

    @cached_property
    def _pointers(self) -> frozenset[str]:
        """Locals that are declared as pointers, wherever one of that name is."""
        declared = [(write.place[0], write.type.endswith("*")) for write in self.writes if write.fresh and write.type]
        return frozenset(name for name, _ in declared) - {name for name, is_pointer in declared if not is_pointer}

    def call_of(self, node: object) -> e.CallEvent | None:
        """The event of a call, by the identity of what is called."""
        return self._calls_by_node.get(id(node))

    @cached_property
    def _calls_by_node(self) -> dict[int, e.CallEvent]:
        return {id(call.node): call for call in reversed(self.calls)}

    def calls_of(self, leave: e.LeaveEvent) -> list[e.CallEvent]:
        """The calls inside of a macro that leaves, the macro's own among them: they run right before it does."""
        found: list[e.CallEvent] = []
        for position in range(bisect_left(self.calls, leave.index, key=lambda call: call.index) - 1, -1, -1):
            call = self.calls[position]
            if call.span.start < leave.span.start or call.span.end > leave.span.end:
                break
            found.append(call)
        return found[::-1]

    # --- paths ---

    def _search(self, start: int, stop: Predicate, *, forward: bool) -> dict[int, int]:
        """Breadth first from `start` (not included unless on a cycle); index -> the index it was reached
        from. Does not go on behind an event for which `stop` holds, nor record it."""
        edges = self.successors if forward else self.predecessors
        came: dict[int, int] = {}
        queue = [start]
        for current in queue:
            for target, _ in edges[current]:
                if target not in came and not stop(self.events[target]):
                    came[target] = current
                    queue.append(target)
        spend(len(queue))
        return came

    def path(
        self, start: e.Event, target: Predicate, avoiding: Predicate = lambda _: False, *, branch: bool | None = None
    ) -> list[e.Event] | None:
        """A shortest path from just behind `start` to an event for which `target` holds, meeting none for
        which `avoiding` holds on the way (the target itself is not asked). None when there is none.
        `branch` starts along the true or false edge of a `Test` only."""
        came: dict[int, int] = {}
        queue: list[int] = []
        for index, label in self.successors[start.index]:
            if (branch is None or label is branch) and index not in came:
                came[index] = start.index
                queue.append(index)
        for current in queue:
            spend()
            event = self.events[current]
            if target(event):
                return self._trail(came, current, start.index)
            if avoiding(event):
                continue
            for index, _ in self.successors[current]:
                if index not in came:
                    came[index] = current
                    queue.append(index)
        return None

    def _trail(self, came: dict[int, int], last: int, first: int) -> list[e.Event]:
        trail = [last]
        while came[trail[-1]] != first:
            trail.append(came[trail[-1]])
        return [self.events[index] for index in reversed(trail)]

    def after(
        self, start: e.Event, avoiding: Predicate = lambda _: False, *, branch: bool | None = None
    ) -> list[e.Event]:
        """All events some path from `start` reaches without meeting one for which `avoiding` holds, in source order."""
        seen: set[int] = set()
        queue = [index for index, label in self.successors[start.index] if branch is None or label is branch]
        seen.update(queue)
        out: list[int] = []
        for current in queue:
            if avoiding(self.events[current]):
                continue
            out.append(current)
            for index, _ in self.successors[current]:
                if index not in seen:
                    seen.add(index)
                    queue.append(index)
        spend(len(queue))
        return [self.events[index] for index in sorted(out)]

    def before(self, event: e.Event, avoiding: Predicate = lambda _: False) -> list[e.Event]:
        """All events from which some path reaches `event`, in source order."""
        return [self.events[index] for index in sorted(self._search(event.index, avoiding, forward=False))]

    def leading(self, event: e.Event, avoiding: Predicate = lambda _: False) -> list[e.Event]:
        """Like `before`, by ways that agree with what is asked of names above the event: none leads from under
        `if (p)` to under `if (!p)` while nothing sets `p`."""
        cut = self._cut(event)
        if not cut:
            return self.before(event, avoiding)
        open_to = {self.entry}
        queue = [self.entry]
        for current in queue:
            for target, label in self.successors[current]:
                if target not in open_to and (current, label) not in cut:
                    open_to.add(target)
                    queue.append(target)
        seen: set[int] = set()
        queue = [event.index]
        for current in queue:
            for source, label in self.predecessors[current]:
                if source in seen or source not in open_to or (source, label) in cut or avoiding(self.events[source]):
                    continue
                seen.add(source)
                queue.append(source)
        spend(len(open_to) + len(seen))
        return [self.events[index] for index in sorted(seen)]

    def _cut(self, event: e.Event) -> frozenset[tuple[int, bool | None]]:
        """The outcomes of earlier tests that cannot be on a way to the event, by the tests' indexes."""
        if event.index not in self._cuts:
            decided = self.decided(event)
            self._cuts[event.index] = frozenset(
                (test.index, outcome)
                for test in (self.before(event) if decided else ())
                for outcome in (True, False)
                if self._disagrees(test, outcome, decided)
            )
        return self._cuts[event.index]

    @cached_property
    def _cuts(self) -> dict[int, frozenset[tuple[int, bool | None]]]:
        """Of the events that somebody has asked about."""
        return {}

    def _disagrees(self, test: e.Event, outcome: bool, decided: list[tuple[e.Test, Asked]]) -> bool:
        """Whether a test that comes so cannot be followed by those `decided` later."""
        if not isinstance(test, e.Test) or (asked := self._plainly_asked(test, outcome)) is None:
            return False
        return any(
            asked.contradicts(later)
            and not self._changes_between(test, decider, asked)
            and not self._changes_between(decider, test, asked)
            for decider, later in decided
            if decider is not test
        )

    def always_before(self, event: e.Event, wanted: Predicate) -> bool:
        """Whether every path from the entry to `event` meets one for which `wanted` holds."""
        if event.index not in self.reachable:
            return False
        return self.entry not in self._search(event.index, wanted, forward=False)

    def always_after(self, event: e.Event, wanted: Predicate) -> bool:
        """Whether every path from `event` to the end of the function meets one for which `wanted` holds."""
        return self.exit not in self._search(event.index, wanted, forward=True)

    # --- dominance and guards ---

    @cached_property
    def _dominators(self) -> list[int]:
        """Immediate dominators (Cooper, Harvey, Kennedy 2001); -1 for the entry and what is unreachable."""
        order: list[int] = []
        seen = {self.entry}
        stack: list[tuple[int, int]] = [(self.entry, 0)]
        while stack:
            node, position = stack[-1]
            edges = self.successors[node]
            if position < len(edges):
                stack[-1] = (node, position + 1)
                target = edges[position][0]
                if target not in seen:
                    seen.add(target)
                    stack.append((target, 0))
            else:
                stack.pop()
                order.append(node)
        order.reverse()
        rank = {node: position for position, node in enumerate(order)}
        parents = [-1] * len(self.events)
        parents[self.entry] = self.entry
        depth = [0] * len(self.events)
        changed = True
        while changed:
            changed = False
            for node in order[1:]:
                sources = [one for one, _ in self.predecessors[node] if one in rank and parents[one] != -1]
                if len(sources) > 2:
                    # The deepest first: what they have in common then climbs, and none is climbed from twice.
                    sources.sort(key=depth.__getitem__, reverse=True)
                best = sources[0] if sources else -1
                for source in sources[1:]:
                    best = self._meet(parents, rank, best, source)
                if best != -1 and parents[node] != best:
                    parents[node] = best
                    depth[node] = depth[best] + 1
                    changed = True
        parents[self.entry] = -1
        return parents

    @staticmethod
    def _meet(parents: list[int], rank: dict[int, int], one: int, other: int) -> int:
        while one != other:
            spend()
            while rank[one] > rank[other]:
                one = parents[one]
            while rank[other] > rank[one]:
                other = parents[other]
        return one

    def dominators(self, event: e.Event) -> Iterator[e.Event]:
        """The events every path to `event` has passed, nearest first, without `event` itself."""
        current = self._dominators[event.index]
        parents = self._dominators
        while current != -1:
            spend()
            yield self.events[current]
            current = parents[current]

    def dominates(self, one: e.Event, other: e.Event) -> bool:
        """Whether every path to `other` has passed `one`; an event does not dominate itself."""
        if len(self.events) <= _FEW:
            return any(event is one for event in self.dominators(other))
        if one is other or self.events[one.index] is not one:
            return False
        first, last = self._tree
        return first[one.index] <= first[other.index] <= last[one.index] and self._dominators[other.index] != -1

    @cached_property
    def _tree(self) -> tuple[list[int], list[int]]:
        """For each event its number in a walk of the dominator tree, and the last number below it."""
        below: list[list[int]] = [[] for _ in self.events]
        for index, parent in enumerate(self._dominators):
            if parent != -1:
                below[parent].append(index)
        first, order = [0] * len(self.events), [self.entry]
        stack = below[self.entry][::-1]
        while stack:
            current = stack.pop()
            first[current] = len(order)
            order.append(current)
            stack += below[current][::-1]
        last = list(first)
        for current in reversed(order[1:]):
            parent = self._dominators[current]
            last[parent] = max(last[parent], last[current])
        return first, last

    def last_write(self, event: e.Event, place: Place) -> e.Write | None:
        """The write of a place that every path to `event` has passed, and the nearest of them."""
        found = self._writes_of.get(place)
        if found is None:
            return None
        if len(self.events) <= _FEW:
            return next(
                (one for one in self.dominators(event) if isinstance(one, e.Write) and one.place == place), None
            )
        writes, numbers, around = found
        position = bisect_left(numbers, self._tree[0][event.index]) - 1
        while position != -1 and not self.dominates(writes[position], event):
            spend()
            position = around[position]
        return writes[position] if position != -1 else None

    def given_by(self, event: e.Event, place: Place, avoiding: Predicate = lambda _: False) -> list[e.Write]:
        """The writes of a place that may be what it holds at an event: from them some path leads there that passes no
        other, and nothing for which `avoiding` holds."""
        writes = self.writes_to(place)
        others = {write.index for write in writes}
        return [
            write
            for write in writes
            if event in self.after(write, lambda passed: passed.index in others or avoiding(passed))
        ]

    @cached_property
    def _writes_of(self) -> dict[Place, tuple[list[e.Write], list[int], list[int]]]:
        """For each place its writes in the order of the dominator tree, their numbers there, and for each the position
        of the nearest that dominates it."""
        grouped: dict[Place, list[e.Write]] = {}
        for write in self.writes:
            grouped.setdefault(write.place, []).append(write)
        if len(self.events) <= _FEW:
            return {place: (writes, [], []) for place, writes in grouped.items()}
        first = self._tree[0]
        out: dict[Place, tuple[list[e.Write], list[int], list[int]]] = {}
        for place, writes in grouped.items():
            ordered = sorted(writes, key=lambda write: first[write.index])
            around: list[int] = []
            for position, write in enumerate(ordered):
                above = position - 1
                while above != -1 and not self.dominates(ordered[above], write):
                    above = around[above]
                around.append(above)
            out[place] = ordered, [first[write.index] for write in ordered], around
        return out

    def guards(self, event: e.Event) -> Iterator[tuple[e.Test, bool]]:
        """The tests whose outcome is known at `event`, nearest first, each with that outcome.

        Tests that are only asserted count as passed; ask `Test.asserted`."""
        above = self._guards_above[event.index]
        while above is not None:
            spend()
            index, outcome = above
            test = self.events[index]
            assert isinstance(test, e.Test)
            yield test, outcome
            above = self._guards_above[index]

    def excludes(self, one: e.Event, other: e.Event) -> bool:
        """Whether no path leads from one event to the other: their conditions on locals contradict each other, and
        nothing sets these between the two tests. (`if (!p) one(); if (p) other();`)"""
        before: dict[frozenset[str], dict[str, tuple[e.Test, Asked]]] = {}
        for test, asked in self._asked_before(one):
            before.setdefault(asked.names, {}).setdefault(asked.shown, (test, asked))
        return any(
            earlier.contradicts(asked)
            and not self._changes_between(first, test, asked)
            and not self._changes_between(test, first, asked)
            for test, asked in self._asked_before(other)
            for first, earlier in before.get(asked.names, {}).values()
        )

    def rules_out(self, decided: list[tuple[e.Test, Asked]], test: e.Test, outcome: bool) -> bool:
        """Whether a test that comes behind what others have `decided` cannot have that outcome:
        `if (kind == 1) one(); if (kind == 2) other();`"""
        asked = self._plainly_asked(test, outcome) if decided else None
        return asked is not None and any(
            earlier.contradicts(asked) and not self._changes_between(first, test, asked) for first, earlier in decided
        )

    def decided(self, event: e.Event) -> list[tuple[e.Test, Asked]]:
        """What tests above an event ask of names alone, nearest first."""
        return list(self._asked_before(event))

    def _asked_before(self, event: e.Event) -> Iterator[tuple[e.Test, Asked]]:
        for test, outcome in self.guards(event):
            if not test.asserted and (asked := self._plainly_asked(test, outcome)) is not None:
                yield test, asked

    def _plainly_asked(self, test: e.Test, outcome: bool) -> Asked | None:
        key = test.index, outcome
        if key not in self._asked:
            self._asked[key] = plainly_asked(test.value, outcome)
        return self._asked[key]

    @cached_property
    def _asked(self) -> dict[tuple[int, bool], Asked | None]:
        """What tests ask of names alone, as far as somebody wanted to know."""
        return {}

    def _changes_between(self, test: e.Test, later: e.Test, asked: Asked) -> bool:
        """Whether a way from the one to the other may change the answer. Only what is compared with a constant may be a
        text, which lies behind its name."""
        return self.sets_between(test, later, asked.names, behind=bool(asked.constant))

    def sets_between(
        self, test: e.Test, later: e.Event, names: frozenset[str], *, behind: bool = True, again: bool = True
    ) -> bool:
        """Whether a way from the one to the other sets a name, or what is `behind` it, or gives its address away. The
        way may pass the test `again`."""
        passed = {event.index for event in self.after(test)}
        return any(
            event.index in passed
            and (
                (
                    isinstance(event, e.Write | e.OpaqueEvent)
                    and _may_set(event, names)
                    and (behind or isinstance(event, e.OpaqueEvent) or not self.goes_through(event))
                )
                or (isinstance(event, e.CallEvent) and not names.isdisjoint(addressed(event.node)))
            )
            for event in self.before(later, lambda one: one is test and not again)
        )

    @cached_property
    def _guards_above(self) -> list[tuple[int, bool] | None]:
        """For each event the nearest test whose outcome is known there, and that outcome."""
        parents = self._dominators
        found: list[tuple[int, bool] | None] = [None] * len(self.events)
        done = [parent == -1 for parent in parents]
        for start in range(len(self.events)):
            climb: list[int] = []
            inside = start
            while not done[inside]:
                climb.append(inside)
                inside = parents[inside]
            for inside in reversed(climb):
                found[inside] = self._guard_of(parents[inside], inside, found)
                done[inside] = True
        return found

    def _guard_of(self, parent: int, inside: int, found: list[tuple[int, bool] | None]) -> tuple[int, bool] | None:
        test = self.events[parent]
        if not isinstance(test, e.Test):
            return found[parent]
        if test.asserted:
            return parent, True
        before = self.predecessors[inside]
        label = before[0][1] if len(before) == 1 else None
        return (parent, label) if label is not None else found[parent]


def first(events: Iterable[e.Event]) -> e.Event | None:
    return next(iter(events), None)
