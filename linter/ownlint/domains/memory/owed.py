"""Along which ways a function still owes the release of what one of its calls has handed out.

From the acquisition on, every way is followed with the cells that lead to the block, until somebody else has the duty.
What a single event does with the block `uses` says. A function is followed a second time when a way seems to lose the
block: what is known by then of the other ways tells what its tests are about.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from typing import NamedTuple

from ownlint.domains import failure
from ownlint.domains.memory.blocks import SOME, Cell, MemoryDraft, MemoryState, Path, Pointer
from ownlint.domains.memory.outcomes import Outcomes
from ownlint.domains.memory.uses import ENDINGS, OwedUses, Use, stretches
from ownlint.engine import assignments, ranges
from ownlint.engine.heap import Domain, all_of_them, follow
from ownlint.engine.ranges import Range
from ownlint.engine.resources import Acquisition
from ownlint.facts import records as r
from ownlint.finding import Certainty
from ownlint.flow import events as e
from ownlint.flow.asked import Asked, as_asked
from ownlint.flow.graph import addressed
from ownlint.flow.places import Place, last_name, names_in, receiver, strip, walk
from ownlint.flow.remembered import remembered
from ownlint.models import habits
from ownlint.project.pairs import releasing_verb, words
from ownlint.project.subjects import Function
from ownlint.steps import spend

HELD, PASSED, UNSURE = 1, 2, 4
"""Held for certain; a callee that nobody sees was given it, who shows no sign of keeping it; nobody knows."""

_MOST_STATES, _MOST_DECISIVE = 8, 32
"""How many states at one event are followed; the second where only decisive tests are."""


class Acquired(NamedTuple):
    """`place`, a local, holds what `call` hands out from `start` on; `several` when it is a container of such."""

    call: e.CallEvent
    start: e.Event
    place: Place
    acquisition: Acquisition
    certainty: Certainty
    owner: str = ""
    """What has given it up, where an owner did."""
    known: bool = True
    """What is made can be seen: an object that nobody sees may end itself."""
    several: bool = False
    rest: r.Loop | None = None
    """The loop, at whose `start` the container is, that ends one element of it in each round."""
    cleaned: bool = False
    """What the local holds where it ends is released then: what is written over it is lost all the same."""


class OwedWalk(OwedUses):
    """The paths on which one block is owed. `seen` is the first walk, of a later one. A walk that is to refute what was
    found also knows how tests went: all of them, or those that read nothing but `asking_for`. The others know only what
    leads to the block, and so meet no limit."""

    def __init__(
        self,
        function: Function,
        acquired: Acquired,
        seen: OwedWalk | None = None,
        *,
        refuting: bool = False,
        asking_for: frozenset[str] | None = None,
    ) -> None:
        super().__init__(function, ("made", acquired.start.index, "owed"), several=acquired.several)
        self.acquired = acquired
        self.start = acquired.start
        self.rest = acquired.rest
        self.seen = seen
        self.refuting = refuting
        self.asking_for = asking_for
        call = acquired.call
        where = acquired.acquisition.where
        result, index = (call.into, where.index) if where.kind == "argument" else (None, None)
        own = Outcomes(function, acquired.start, call.node, result, index)
        self.told_by: Outcomes = seen.told_by if seen is not None else own
        self.stretches = stretches(function)
        self.reached: dict[int, tuple[int, int]] = {}
        """By event how sure it is that the block is owed where it is reached, and up to which event it stays so."""
        self.out: dict[int, int] = {}
        """The same by event that loses it: an exit, the end of the last local that leads to it, a later write to it."""
        self.uses: dict[int, Use] = {}
        """What the events do with it that name it."""
        self.givers: set[int] = set()
        """Calls that get it as an argument."""
        self.blurred: set[int] = set()
        """Where it goes on in a form that is not followed."""
        self.of_elements: set[int] = set()
        """Calls of elements, of a walk about the rest."""
        self.own_tests: set[int] = set()
        """Exits of macros that ask whether there is a handle."""
        self.put: set[int] = set()
        """Where it is put into something."""
        self.asking: set[int] = set()
        """Tests of which one outcome says that there is no handle."""
        self.came: dict[int, int] = {}

    @cached_property
    def known_before(self) -> list[tuple[e.Test, Asked]]:
        """What tests above the start ask."""
        if self.seen is not None:
            return self.seen.known_before
        events, start = self.flow.events, self.acquired.start
        return self.flow.decided(start) if start.index < len(events) and events[start.index] is start else []

    # --- the walk ---

    def owing(self, how: int) -> MemoryState:
        root, *path = self.acquired.place
        self.names.add(root)
        return MemoryState({Cell(("var", root), tuple(path)): Pointer(self.block)}, owed={self.block: how})

    def owed_behind_start(self) -> MemoryState:
        """What is owed behind the start; of a loop, with what its head has made to lead to the elements."""
        state = self.owing(HELD)
        if self.refuting:
            draft = MemoryDraft(state, self)
            for said, within in self.numbers_before().items():
                draft.know(said, within)
            for said, holds in self.tests_before().items():
                draft.know(said, holds)
            state = draft.state()
        head = self.flow.events[: self.start.index] if self.rest is not None else []
        for event in head:
            if self.rest is not None and event.span.start in self.rest.span:
                self.event = event
                draft = MemoryDraft(state, self)
                self.happen(draft, event, HELD, self.leading(draft))
                state = draft.state()
        return state

    @cached_property
    def asked_again(self) -> frozenset[str]:
        if not self.refuting:
            return frozenset()  # such a walk knows nothing of numbers
        asked = super().asked_again
        return asked if self.asking_for is None else asked & self.asking_for

    @cached_property
    def repeated(self) -> frozenset[str]:
        asked = super().repeated
        if self.asking_for is None:
            return asked
        return frozenset(said for said in asked if self.asking_for.issuperset(re.findall(r"[A-Za-z_]\w*", said)))

    def decisive(self) -> frozenset[str]:
        """The names in the tests that decide whether the block is released or leaked, and in those that decide which
        constant one of them reads: `failed = 1; ... if (failed) release(block)`."""
        waiting: list[e.Event] = [
            self.flow.events[index] for index in {*self.out, *(at for at, use in self.uses.items() if use in ENDINGS)}
        ]
        found: set[str] = set()
        while waiting:
            for test, _ in self.flow.guards(waiting.pop()):
                fresh = names_in(test.value) - found
                found |= fresh
                for name in sorted(fresh):
                    waiting += (
                        w for w in self.flow.writes_to((name,)) if isinstance(strip(w.value), r.Literal | r.Unary)
                    )
        return frozenset(found)

    def numbers_before(self) -> dict[str, Range]:
        """The ranges of numbers where the block is acquired: from the writes that reach that place, and from tests that
        every path there has passed."""
        draft = MemoryDraft(MemoryState({}), self)
        for name in sorted(self.asked_again - self.set_by_start):
            if (within := self.written_before(name)) != ranges.ANY:
                draft.know(f"={name}", within)
        for test, outcome in reversed([] if self.rest is not None else list(self.flow.guards(self.start))):
            said = names_in(test.value)
            names = self.asked_again & said if self.set_by_start.isdisjoint(said) else frozenset[str]()
            if names and not test.asserted and not self.flow.sets_between(test, self.start, names, again=False):
                self.holds(draft, test.value, outcome)
        return {said: within for said, within in draft.tests.items() if isinstance(within, Range)}

    def tests_before(self) -> dict[str, bool]:
        """How tests that are asked again went on every path to where the block is acquired."""
        found: dict[str, bool] = {}
        for test, outcome in [] if self.rest is not None or not self.repeated else self.flow.guards(self.start):
            said, holds = as_asked(test.value, outcome)
            names = names_in(test.value)
            if said not in self.repeated or said in found or not self.set_by_start.isdisjoint(names):
                continue
            if not self.flow.sets_between(test, self.start, names, again=False):
                found[said] = holds
        return found

    @cached_property
    def set_by_start(self) -> frozenset[str]:
        """What is another value from the start on: what gets the block, and what the call is given the address of."""
        own = [] if self.rest is not None else [self.acquired.place[0]]
        return frozenset((*own, *addressed(self.acquired.call.node)))

    def written_before(self, name: str) -> Range:
        """The range of a number by the writes that reach the start."""
        if self.flow.last_write(self.start, (name,)) is None:
            return ranges.ANY
        found: list[Range] = []
        for write in self.flow.given_by(self.start, (name,)):
            if write.op in ("=", "init"):
                found.append(ranges.of(write.value, lambda _: ranges.ANY))
            elif write.op == "++":
                found.append(self.counted_from(name))
            else:
                return ranges.ANY
        return reduce(ranges.either, found) if found else ranges.ANY

    def counted_from(self, name: str) -> Range:
        """The range of a number after `++`: positive if nothing else is written but constants that are not negative."""
        begins = [write for write in self.flow.writes_to((name,)) if write.op != "++"]
        if any(write.op not in ("=", "init") for write in begins):
            return ranges.ANY
        low = min((ranges.of(write.value, lambda _: ranges.ANY).low for write in begins), default=-1)
        return ranges.POSITIVE if low >= 0 else ranges.ANY

    def go(self) -> OwedWalk:
        """From the acquisition on; itself."""
        most = _MOST_STATES if self.asking_for is None else _MOST_DECISIVE
        if not follow(self.flow, self.owing(0), Domain(self.step, all_of_them, most), start=self.start.index):
            self.meet_limit()
        return self

    def go_through(self) -> OwedWalk:
        """From the entry of a lambda on that captures what holds it; itself."""
        follow(self.flow, self.owing(HELD), Domain(self.step, all_of_them, _MOST_STATES))
        return self

    def step(self, event: e.Event, state: MemoryState) -> Iterator[tuple[int, MemoryState]]:
        index, how = event.index, state.owed[self.block]
        edges = self.flow.successors[index]
        if event is self.start:
            later = self.acquired_again(event, state) if how else self.owed_behind_start()
            if later is None:
                self.arrive(index, index, how)
                return
            self.came.setdefault(index, -1)
            for target, _ in edges:
                if self.rest is not None and self.flow.events[target].span.start not in self.rest.span:
                    continue  # the last round is over
                self.came.setdefault(target, index)
                yield target, later
            return
        spend()
        if self.stretches.idle[index] > index and (self.refuting or self.stretches.last[index] == index):
            yield self.pass_by(index, self.stretches.idle[index], state, how)
            return
        self.event = event
        draft = MemoryDraft(state, self)
        leading = self.leading(draft)
        behind = self.stretches.behind(index, leading) if not self.refuting else index + 1
        if behind > index + 1:
            yield self.pass_by(index, behind, state, how)
            return
        self.arrive(index, index, how)
        if index == self.flow.exit:
            return
        if isinstance(event, e.Test):
            for target, outcome in edges:
                way = MemoryDraft(state, self)
                after = how if outcome is None else self.behind(way, event, outcome, how)
                if after and self.refuting:
                    after = after if self.decided(event, way, outcome) and way.is_led_to(self.block) else 0
                if after:
                    way.owe(self.block, after)
                    self.came.setdefault(target, index)
                    yield target, way.state()
            return
        after = self.happen(draft, event, how, leading)
        if not after:
            return
        if not self.refuting:
            self.slice(draft)
        draft.owe(self.block, after)
        for target, _ in edges:
            self.came.setdefault(target, index)
            yield target, draft.state()

    def pass_by(self, index: int, behind: int, state: MemoryState, how: int) -> tuple[int, MemoryState]:
        """From one event on to another `behind` it, between which nothing is done to the block."""
        self.arrive(index, behind - 1, how)
        self.came.setdefault(behind, index)
        return behind, state

    def is_over(self, test: e.Test, outcome: bool) -> bool:
        """Whether a test ends the loop that ends the elements, since there are no more."""
        asked = self.rest.condition if self.rest is not None else None
        return asked is not None and not outcome and test.span.start in asked.span

    def is_about_element(self, draft: MemoryDraft, event: e.Event) -> bool:
        """Whether a call is given one element of the container, or is made on one, and not on all of it."""
        given = [receiver(event.node), *event.node.args] if isinstance(event, e.CallEvent) else []
        for one in map(strip, given):
            inner = strip(one.value) if isinstance(one, r.Unary) and one.op == "*" else one
            around = self.container_of(inner)
            if self.pointer(draft, inner) == Pointer(self.block, (SOME,)) or (
                around is not None and self.is_it(draft, around)
            ):
                return True
        return False

    def arrive(self, first: int, last: int, how: int) -> None:
        known, until = self.reached.get(first, (0, first))
        self.reached[first] = known | how, max(until, last)

    def live(self, index: int) -> int:
        """How sure it is that the block is owed where an event is reached; 0 where it is not."""
        position = bisect_right(self.firsts, index)
        found = 0
        while position > 0:
            position -= 1
            how, last = self.reached[self.firsts[position]]
            if last >= index:
                found |= how
            if self.stretches.last[self.firsts[position]] < index:
                break
        return found

    def was_asked(self, event: e.Event) -> bool:
        """Whether every way to the event has asked before whether there is a handle."""
        return any(self.flow.dominates(self.flow.events[index], event) for index in self.asking)

    @cached_property
    def firsts(self) -> list[int]:
        """The events that were looked at, in ascending order; to be asked once the walk is over."""
        return sorted(self.reached)

    def slice(self, draft: MemoryDraft) -> None:
        """Leaves what leads to the block, and nothing else."""
        for cell, held in list(draft.cells.items()):
            if held.block != self.block and not (held.block[0] == "var" and held.block[1] in self.names):
                draft.remove(cell)
        draft.tests = {}

    def acquired_again(self, event: e.Event, state: MemoryState) -> MemoryState | None:
        """What the same place handed out before, behind it; None where nothing leads to that any more."""
        draft = MemoryDraft(state, self)
        if isinstance(event, e.Write):
            super().write(event, draft)
        root, *path = self.acquired.place
        if not self.several:
            draft.remove(Cell(("var", root), tuple(path)))
        return draft.state() if draft.is_led_to(self.block) and not self.several else None

    def happen(self, draft: MemoryDraft, event: e.Event, how: int, leading: frozenset[str]) -> int:
        """How sure it is behind an event that the block is owed; 0 where somebody else has the duty from here on."""
        use = self.use(draft, event, leading)
        named = not leading.isdisjoint(self.said[event.index])
        if use or named:
            self.note(draft, event, use)
        if isinstance(event, e.LeaveEvent) and any(
            target == self.flow.exit for target, _ in self.flow.successors[event.index]
        ):
            if use:
                self.uses[event.index] = use
            elif event.via and self.tests_itself(draft, event):
                self.own_tests.add(event.index)
            else:
                self.lose(event, how)
            return 0
        match event:
            case e.LeaveEvent(via=via) if via and self.is_own_failure(event):
                return 0
            case e.Write() if not use:
                return self.put_elsewhere(draft, event, how, named=named)
            case e.End():
                return self.ended_local(draft, event, how)
            case e.Mark(what="loop"):
                return 0 if self.is_emptied_by(event) else self.round(draft, event, how)
            case e.Read():
                self.bind(draft, event.node)
            case e.CallEvent():
                if self.never_goes_on(event):
                    return 0
                if self.several and (exchanged := self.exchanged(event.node)) is not None:
                    self.swap(draft, *exchanged)
                self.forget_given(draft, event.node)
                self.bind(draft, event.node)
        if self.rest is not None and self.is_about_element(draft, event):
            self.of_elements.add(event.index)
            return how
        if use in ("released", "kept", "gone"):
            return 0
        if use == "unknown":
            return self.behind_unknown(draft, event, how)
        return how

    def never_goes_on(self, event: e.CallEvent) -> bool:
        return not self.stretches.silent[event.index] and failure.never_comes_back(self.function, event.node)

    def is_own_failure(self, jump: e.LeaveEvent) -> bool:
        """Whether a macro jumps to a label since the call has failed that would have handed it out."""
        cause = failure.cause_inside(self.function, jump)
        return cause is not None and is_part_of(self.acquired.call.node, cause.node)

    def lose(self, event: e.Event, how: int) -> None:
        if self.acquired.cleaned and not isinstance(event, e.Write):
            return
        self.out[event.index] = self.out.get(event.index, 0) | how

    def note(self, draft: MemoryDraft, event: e.Event, use: Use) -> None:
        """What the event is about, for whoever judges the ways."""
        index = event.index
        if use or index not in self.uses:
            self.uses[index] = use
        match event:
            case e.CallEvent(node=node):
                if self.is_given_to(draft, node):
                    self.givers.add(index)
                    if node.kind == "construct" or any(self.is_function(argument) for argument in node.args):
                        self.blurred.add(index)
                    if any(self.is_inside(draft, argument) for argument in node.args):
                        self.put.add(index)
            case e.Write(value=value, fresh=fresh) if value is not None:
                made = strip(value)
                if isinstance(made, r.Call) and fresh:
                    known = self.program.calls.callee(made, self.function).models
                    if self.is_given_to(draft, made) and not self.is_plain(made) and not known:
                        self.blurred.add(index)
                elif self.is_computed_with(draft, value) or (not fresh and self.is_pointee(draft, value)):
                    self.blurred.add(index)
                if self.is_inside(draft, value):
                    self.put.add(index)

    def is_function(self, value: r.Value) -> bool:
        """Whether a function is given, as `run`, `&run` or `(void *)&run`, or a local that is a lambda."""
        inner = strip(value)
        if isinstance(inner, r.Unary) and inner.op == "&":
            inner = strip(inner.value)
        if isinstance(inner, r.Name) and inner.text in self.function.locals:
            inner = strip(self.function.locals[inner.text][1])
        elif isinstance(inner, r.Name) and inner.text not in self.function.declared:
            return bool(self.program.index.functions_called(inner.text))
        return isinstance(inner, r.Lambda)

    # --- writes and ends ---

    def put_elsewhere(self, draft: MemoryDraft, event: e.Write, how: int, *, named: bool) -> int:
        copied = named and self.is_copied_by(draft, event)
        where = self.target_of(draft, event)
        loses = where is not None and SOME not in where.path and event.op in ("=", "init")
        loses = loses and draft.read(where).block == self.block and not self.says(draft, event.value)
        parts = self.parts_of(draft, event) if copied else {}
        super().write(event, draft)
        if copied and where is not None:
            for path in parts:
                draft.put(Cell(where.block, where.path + path), Pointer(self.block))
            if not parts:
                draft.put(where, Pointer(self.block, (SOME,) if self.several else ()))
        if draft.is_led_to(self.block):
            return how
        if loses and isinstance(strip(event.value), r.Call):
            self.lose(event, how)
        return 0

    def parts_of(self, draft: MemoryDraft, event: e.Write) -> dict[Path, None]:
        """Where in a struct that is copied the handle stands; empty where it is the handle itself."""
        source = self.cell(draft, self.source(event.value))
        if source is None or draft.read(source).block == self.block:
            return {}
        depth = len(source.path)
        return {
            cell.path[depth:]: None
            for cell, held in draft.cells.items()
            if held.block == self.block and cell.block == source.block and cell.path[:depth] == source.path
        }

    def look(
        self,
        draft: MemoryDraft,
        pointer: Pointer,
        name: str,
        certainty: Certainty = "certain",
        through: str = "",
        variable: str = "",
    ) -> None:
        """What is looked at does not matter."""

    def ended_local(self, draft: MemoryDraft, event: e.End, how: int) -> int:
        if len(event.place) != 1:
            return how
        ended = Cell(("var", event.place[0]))
        inside = [cell for cell in draft.cells if cell.block == ended.block]
        held = any(draft.cells[cell].block == self.block for cell in inside)
        for cell in inside:
            draft.remove(cell)
        if draft.is_led_to(self.block):
            return how
        if held:
            self.lose(event, how)
        return 0

    def round(self, draft: MemoryDraft, event: e.Mark, how: int) -> int:
        for name in self.ranged.get(event.span.start, ()):
            if draft.read(Cell(("var", name))).block != self.block:
                draft.write(Cell(("var", name)), draft.begin(("made", event.index, name)))
        return how if draft.is_led_to(self.block) else 0

    def is_emptied_by(self, loop: e.Event) -> bool:
        """A loop that releases or keeps the elements of a container or an array: once it is over they are gone, and
        where it runs for no round there were none."""
        endings = self.endings if self.several else self.by_element
        if self.seen is None or self.start.span.start in loop.span:
            return False
        inside = next((one for one in endings if one.span.start in loop.span), None)
        if inside is not None:
            self.uses[inside.index] = self.seen.uses[inside.index]
        return inside is not None

    def behind_unknown(self, draft: MemoryDraft, event: e.Event, how: int) -> int:
        node = event.node if isinstance(event, e.CallEvent) else None
        if node and _speaks_of_the_same(node, self.acquired.acquisition) and self.is_it(draft, node.args[0]):
            return PASSED if how & (HELD | PASSED) else how
        if node and self.is_context_of(draft, node):
            return 0
        if self.seen is None:
            return how
        # What is called before it is released or kept has not taken it.
        return UNSURE if how == UNSURE or event.index not in self.before_endings else PASSED

    def is_context_of(self, draft: MemoryDraft, node: r.Call) -> bool:
        """`send(socket, data, size, request)`: a function of the project gets the new object back as a `void*` and
        deletes it."""
        made = self.acquired.call.node
        return (
            made.kind == "new"
            and isinstance(made.callee, r.Name)
            and any(
                self.is_it(draft, argument)
                and self.resources.is_lent_as_context(node, self.function, index, made.callee.text)
                for index, argument in enumerate(node.args)
            )
        )

    # --- what the first walk has seen ---

    @cached_property
    def endings(self) -> list[e.Event]:
        """What releases it or keeps it on some way."""
        uses = self.seen.uses if self.seen is not None else self.uses
        return [self.flow.events[index] for index, use in sorted(uses.items()) if use in ENDINGS]

    @cached_property
    def by_element(self) -> list[e.Event]:
        """Stores of one element of an array: `all[i] = block + i`, `all[i] = &block[i]`, `all[i] = next; next += n`."""
        return [one for one in self.endings if isinstance(one, e.Write) and self.is_element(strip(one.value))]

    def is_element(self, value: r.Value | None) -> bool:
        """Whether it is spelled as a part of an array, or is a pointer that goes from one to the next."""
        match value:
            case r.Name(text=name) | r.Assign(op="++", target=r.Name(text=name)):
                return any(write.op in ("++", "+=") for write in self.flow.writes_to((name,)))
            case r.Unary(op="&", value=inner):
                return isinstance(strip(inner), r.Index)
        return isinstance(value, r.Binary)

    @cached_property
    def before_endings(self) -> frozenset[int]:
        """The events from which the function goes on to release or keep it."""
        found: set[int] = set()
        waiting = [event.index for event in self.endings]
        while waiting:
            spend()
            current = waiting.pop()
            fresh = {source for source, _ in self.flow.predecessors[current] if source < current} - found
            found |= fresh
            waiting += fresh
        return frozenset(found)

    # --- tests ---

    def behind(self, draft: MemoryDraft, test: e.Test, outcome: bool, how: int) -> int:
        """How sure it is behind one outcome of a test that the block is owed. Tests of elements tell nothing of the
        rest."""
        if self.rest is not None:
            return 0 if self.is_over(test, outcome) or self.ruled_out(test)[outcome] else how
        if self.is_none(draft, test, outcome):
            self.asking.add(test.index)
            return 0
        if self.ruled_out(test)[outcome]:
            return 0
        if self.acquired.call.node.kind != "new" and self.is_failed(draft, test, outcome):
            return UNSURE
        if self.seen is None or self.told_by.by_answer(test, outcome) is False:
            return how
        cause, certainty = failure.failing(self.function, test, outcome)
        other_cause, other = failure.failing(self.function, test, not outcome)
        if certainty is not None:
            if cause is not None and failure.never_fails(self.function, cause):
                return 0
            if cause is not None and is_part_of(self.acquired.call.node, cause.node):
                return 0
            if (cause is None or not self.seen.live(cause.index)) and self.told_by.is_asked(test.value, test):
                return 0
            return how if cause is not None else UNSURE
        if other is not None and self.is_taken_on_success(test, outcome, other_cause):
            return 0
        if (test.index, outcome) in self.around:
            return UNSURE if other is None else how
        return how

    @remembered
    def ruled_out(self, test: e.Test) -> tuple[bool, bool]:
        """Whether a test cannot be false, and whether it cannot be true, by what was tested before the start."""
        before = self.known_before
        return self.flow.rules_out(before, test, False), self.flow.rules_out(before, test, True)

    def is_none(self, draft: MemoryDraft, test: e.Test, outcome: bool) -> bool:
        """Whether the outcome of a test says that there is no handle: by itself, by a variable that says so, or because
        the call has failed that would have handed it out."""
        if self.is_absent(draft, self.noted(test.value), outcome):
            return True
        failed = self.told_by.failed(test, outcome)
        if failed is None or (self.acquired.call.node.kind != "new" and self.says_how_it_went(draft, test.value)):
            # Whoever has it goes on with it.
            return (
                self.seen is not None
                and not self.is_said_behind(test, outcome)
                and self.is_said_behind(test, not outcome)
            )
        return failed

    def noted(self, value: r.Value) -> r.Value:
        """What a variable stands for that is set once, by asking the handle: `failed = fd < 0`."""
        inner = strip(value)
        if isinstance(inner, r.Unary) and inner.op in ("!", "not"):
            return r.Unary(inner.start, inner.end, inner.op, self.noted(inner.value))
        if not isinstance(inner, r.Name):
            return value
        reached = [
            write
            for write in self.flow.writes_to((inner.text,))
            if write.index > self.start.index and write.index in self.told_by.behind
        ]
        noted = strip(reached[0].value) if len(reached) == 1 else None
        says = isinstance(noted, r.Binary | r.Unary) and not self.names.isdisjoint(
            one.text for one in walk(noted) if isinstance(one, r.Name)
        )
        return noted if says and noted is not None else value

    def is_said_behind(self, test: e.Test, outcome: bool) -> bool:
        """Whether anything behind the outcome of a test is about the handle."""
        uses = self.seen.uses if self.seen is not None else {}
        return any(event.index in uses for event in self.flow.after(test, branch=outcome))

    def is_taken_on_success(self, test: e.Test, outcome: bool, cause: e.CallEvent | None) -> bool:
        """A callee that nobody has read and that was given the handle, whose failure gives it back to be released:
        where it has not failed and nobody says the name any more, it has it."""
        assert self.seen is not None
        uses = self.seen.uses
        unread = {index for index in self.seen.givers if uses[index] in ("unknown", "gone")}
        if cause is not None:
            if cause.index not in unread or not self.seen.live(cause.index):
                return False
        elif not any(self.answers(index, test) for index in unread):
            return False
        released = {one.index for one in self.endings}
        if not any(event.index in released for event in self.flow.after(test, branch=not outcome)):
            return False
        if cause is not None and not habits.PUTS_IN.isdisjoint(words(last_name(cause.node.callee))):
            return True
        return not any(
            event.index in uses and event.index > test.index and event.index not in released
            for event in self.flow.after(test, branch=outcome)
            if not isinstance(event, e.End)
        )

    def answers(self, index: int, test: e.Test) -> bool:
        """Whether a call that is given the handle sets what is tested: on one of several ways to the test."""
        event = self.flow.events[index]
        return (
            isinstance(event, e.CallEvent)
            and event.into is not None
            and any(
                assignments.place(self.function, inner) == event.into
                for inner in walk(test.value)
                if isinstance(inner, r.Name)
            )
        )

    def renews(self, event: e.Event) -> bool:
        """Whether the place gets another one there."""
        if event is self.start:
            return True
        if not isinstance(event, e.Write) or event.place != self.acquired.place:
            return False
        return isinstance(strip(event.value), r.Call)

    @cached_property
    def around(self) -> set[tuple[int, bool]]:
        """The outcomes of tests that go around what releases or keeps it, and nothing else: `if (owned) free(p)` is for
        somebody who knows when it is there. No end is what another follows: `if (small) { free(p); p = more(); }`."""
        ending = [one.span.start for one in self.endings if not isinstance(one, e.LeaveEvent)]
        found: set[tuple[int, bool]] = set()
        if not ending:
            return found
        bodies = (
            (r.Span(body[0].start, body[-1].end), branch)
            for branch in self.function.statements
            if isinstance(branch, r.Branch)
            for body in (branch.then, branch.other)
            if body
        )
        renewed = [event.span.start for event in self.flow.writes_to(self.acquired.place) if self.renews(event)]

        def settles(body: r.Span) -> bool:
            first = next((at for at in ending if at in body), None)
            return first is not None and not any(at in body and at > first for at in renewed)

        whole = {(id(branch), span): (branch, span) for span, branch in bodies if settles(span)}
        several = Counter(branch for branch, _ in whole)
        for (branch_id, _), (branch, span) in whole.items():
            if several[branch_id] == 1:
                found |= self.outcomes_around(branch, span)
        return found

    def outcomes_around(self, branch: r.Branch, body: r.Span) -> set[tuple[int, bool]]:
        """The outcomes of the tests of a condition that lead neither into that body nor to another of the tests."""
        condition = branch.condition.span
        return {
            (test.index, label)
            for test in self.flow.of(e.Test)
            if condition.start <= test.span.start < condition.end
            for target, label in self.flow.successors[test.index]
            if label is not None and (at := self.flow.events[target].span.start) not in body and at not in condition
        }

    def is_absent(self, draft: MemoryDraft, value: r.Value | None, outcome: bool) -> bool:
        """Whether the outcome of a condition says that there is no handle, or that it is another one."""
        value = _expected(value)
        while isinstance(value, r.Unary) and value.op in ("!", "not"):
            value, outcome = _expected(value.value), not outcome
        if isinstance(value, r.Assign):
            value = strip(value.target)
        if self.is_it(draft, value):
            return not outcome
        match value:
            case r.Binary(op="==" | "!=" as op, left=left, right=right) if self.is_looked_at(
                draft, left
            ) or self.is_looked_at(draft, right):
                return outcome == (op == "==")
            case r.Binary(op="<" | "<=", left=left, right=right):
                return outcome if self.is_looked_at(draft, left) else not outcome and self.is_looked_at(draft, right)
            case r.Binary(op=">" | ">=", left=left, right=right):
                return not outcome if self.is_looked_at(draft, left) else outcome and self.is_looked_at(draft, right)
            case r.Member(base=base) if self.is_it(draft, base):
                return not outcome  # `if (handle.ptr)`
            case r.Call() if asked := self.asks_for_it(draft, value):
                return outcome == (asked == "absent")
        return False

    def is_failed(self, draft: MemoryDraft, test: e.Test, outcome: bool) -> bool:
        """Whether the object says itself that it came to nothing: `p->in_error()`. Who hands out an object that stands
        for none has nothing to get back."""
        value = strip(test.value)
        while isinstance(value, r.Unary) and value.op in ("!", "not"):
            value, outcome = strip(value.value), not outcome
        value = _expected(value)
        if not isinstance(value, r.Call) or value.args or not self.is_it(draft, receiver(value)):
            return False
        return outcome and _ABSENT.search(last_name(value.callee)) is not None

    def says_how_it_went(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """Whether a condition compares what the object says itself of how it was made: `file.status() != Open`. One
        that is reached through a pointer is there in any case."""
        inner = strip(value)
        if not isinstance(inner, r.Binary) or inner.op not in ("==", "!="):
            return False
        return any(
            isinstance(part, r.Call)
            and not part.args
            and isinstance(part.callee, r.Member)
            and not part.callee.arrow
            and self.is_it(draft, part.callee.base)
            and not habits.OUTCOMES.isdisjoint(words(part.callee.name))
            for part in (strip(inner.left), strip(inner.right))
        )

    def asks_for_it(self, draft: MemoryDraft, call: r.Call) -> str:
        """Whether a call asks the handle if there is one (`present`), or if there is none (`absent`). A method that is
        called through a pointer has one already, and a function that is not named as a question does something."""
        name = last_name(call.callee)
        on = receiver(call)
        if on is not None and not call.args:
            arrow = isinstance(call.callee, r.Member) and call.callee.arrow
            if arrow or not self.is_it(draft, on):
                return ""
        elif (
            on is not None
            or len(call.args) != 1
            or not (self.is_it(draft, call.args[0]) or self.is_address(draft, call.args[0]))
        ):
            return ""
        if _ABSENT.search(name):
            return "absent"
        return "present" if not _ASKS.isdisjoint(words(name)) or on is not None else ""

    def is_looked_at(self, draft: MemoryDraft, value: r.Value) -> bool:
        """The handle, or what it has for a number: `handle.id`, `handle.ptr`."""
        inner = strip(value)
        if isinstance(inner, r.Member) and not inner.arrow and not self.several:
            inner = strip(inner.base)
        return self.is_it(draft, inner)

    def tests_itself(self, draft: MemoryDraft, leave: e.LeaveEvent) -> bool:
        """`RETURN_IF_NULL(handle)`, `RET_CHECK(handle != nullptr)`: a macro that leaves where there is none."""
        for call in self.flow.calls_of(leave):
            if call.span == leave.span and last_name(call.node.callee) == leave.via:
                return any(self.is_null_test(draft, argument) for argument in call.node.args)
        return False

    def is_null_test(self, draft: MemoryDraft, value: r.Value) -> bool:
        inner = strip(value)
        while isinstance(inner, r.Unary) and inner.op in ("!", "not"):
            inner = strip(inner.value)
        if isinstance(inner, r.Binary) and inner.op in ("&&", "and"):
            return self.is_absent(draft, inner.left, True) or self.is_absent(draft, inner.right, True)
        if isinstance(inner, r.Binary) and inner.op in ("==", "!=", "<", ">", ">=", "<="):
            return self.is_looked_at(draft, inner.left) or self.is_looked_at(draft, inner.right)
        if isinstance(inner, r.Call) and len(inner.args) <= 1 and last_name(inner.callee):
            return self.is_it(draft, receiver(inner)) and not inner.args
        return self.is_it(draft, inner)

    # --- what the walk came to ---

    @property
    def ended(self) -> list[e.Event]:
        """What ended the duty on some way."""
        return [
            event
            for event in (
                self.flow.events[index] for index, use in sorted(self.uses.items()) if use not in ("", "unknown")
            )
            if not (isinstance(event, e.CallEvent) and failure.ends_program(self.function, event.node))
        ]

    @cached_property
    def is_unsure(self) -> bool:
        return any(how & UNSURE for how, _ in self.reached.values())

    def passed(self, index: int, marks: Sequence[int]) -> int | None:
        """The last of some events, in ascending order, on the way by which an event was first reached."""
        current = index
        while (current := self.came.get(current, -1)) != -1:
            spend()
            last = self.reached.get(current, (0, current))[1]
            position = bisect_right(marks, last) - 1
            if position >= 0 and marks[position] >= current:
                return marks[position]
        return None

    def trail(self, index: int) -> list[e.Event]:
        """The path by which an event was first reached, without what does nothing to the block."""
        found: list[e.Event] = []
        while (index := self.came.get(index, -1)) != -1:
            spend()
            found.append(self.flow.events[index])
        return found[::-1]

    def is_ended_in_lambda(self) -> bool:
        """Whether a lambda sees what one of the locals holds."""
        for inner in self.lambdas_about_it(self.function):
            if self.several:
                return True
            inside = OwedWalk(inner, self.acquired)
            inside.start = _NOWHERE
            told = self.told_by
            inside.told_by = Outcomes(inner, inner.flow.events[inner.flow.entry], told.call, told.result, told.argument)
            inside.names |= self.names
            if any(inside.go_through().uses.values()):
                return True
        return False


_NOWHERE = e.Mark(r.Span(0, 0))


def is_part_of(call: r.Call, outer: r.Value) -> bool:
    """Whether it is that call, or stands in its arguments."""
    return call is outer or (
        outer.start <= call.start and call.end <= outer.end and any(inner is call for inner in walk(outer))
    )


def _speaks_of_the_same(call: r.Call, acquisition: Acquisition) -> bool:
    """Whether a function is named as one of those that are about the handle: `thing_show` beside `thing_destroy`."""
    said = words(last_name(call.callee))
    for name in acquisition.releases:
        about = words(name)
        verb = next((at for at, word in enumerate(about) if releasing_verb(word)), 0)
        if verb and said[:verb] == about[:verb]:
            return bool(call.args) and habits.TAKES_OVER.isdisjoint(said)
    return False


def _expected(value: r.Value | None) -> r.Value | None:
    """What a test is about inside of `UNLIKELY(p == nullptr)`, which tells the compiler what to expect."""
    inner = strip(value)
    while isinstance(inner, r.Call) and inner.args and _EXPECTS.search(last_name(inner.callee)):
        inner = strip(inner.args[0])
    return inner


_EXPECTS = re.compile(r"likely$|builtin_expect$", re.IGNORECASE)
_ABSENT = re.compile(r"null|empty|invalid|fail|err|none|absent|missing|unset|bad|nil|closed", re.IGNORECASE)
_ASKS = frozenset({"is", "has", "ok", "valid", "good", "exists", "present", "succeeded", "alive", "open", "set"})
