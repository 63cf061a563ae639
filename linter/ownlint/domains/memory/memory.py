"""Which memory is used, or ended again, after it has ended: by `delete` and `free`, by the end of a scope or of an
owner, by a container that moved its elements; here, or in a function that is called.

Every way through a function is followed, with what tests say. A function of the project does to its caller's memory
what its summary says; what an unknown function does to pointers that others see, nobody knows afterwards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from ownlint.domains.failure import failing
from ownlint.domains.memory.blocks import (
    ELEMENTS,
    LOST,
    NOTHING,
    NULL,
    Block,
    Cell,
    EndedBlock,
    MaybeEnds,
    MemoryCase,
    MemoryDraft,
    MemoryOutcome,
    MemoryState,
    MemorySummary,
    MemoryTrouble,
    Pointer,
    What,
    home_of,
    nothing,
)
from ownlint.domains.memory.live import LiveKnowledge
from ownlint.domains.memory.outcomes import is_set_by
from ownlint.domains.memory.owners import CoOwner, lets_go
from ownlint.domains.memory.pointers import ONE, THIS_BLOCK, declared_type, named, range_cell, result_cell
from ownlint.domains.memory.seen import (
    DEEPEST,
    ending_rounds,
    ends_what_it_holds,
    holds_number,
    may_change,
    may_end,
    may_give_up,
    may_leave,
    may_take,
)
from ownlint.domains.memory.summarised import Summarised, WayOut
from ownlint.engine import ranges
from ownlint.engine.heap import Domain, Listener, follow, without_idle_tests
from ownlint.engine.predicates import is_steady, meant
from ownlint.engine.ranges import Range
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import SOME_PATHS, Certainty, because, weaker
from ownlint.flow import events as e
from ownlint.flow.asked import as_asked
from ownlint.flow.graph import addressed
from ownlint.flow.places import THIS, last_name, names_in, strip, walk
from ownlint.flow.remembered import remembered
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, forget, program_question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Function

__all__ = [
    "CoOwner",
    "MemoryTrouble",
    "certainty",
    "changed_elements",
    "left_locals",
    "reference_troubles",
    "told_end",
    "troubles",
    "twice_owned",
]

_MOST_STATES = 8
_TOLD = frozenset({"in", "late", "made"})
"""Blocks that another pointer may lead to as well."""
_NO_CASE = (None,)
_NOTHING_ENDED = MaybeEnds(())
_UNKNOWN = MemorySummary()


def troubles(function: Function) -> tuple[MemoryTrouble, ...]:
    """What goes wrong with memory in the function, in source order."""
    return walked(function).troubles if function.language == "cpp" and may_end(function) else ()


def changed_elements(function: Function) -> Iterator[MemoryTrouble]:
    """Of them those with an element that its container has moved or dropped."""
    if function.language == "cpp" and may_change(function):
        yield from (one for one in troubles(function) if one.ended.why in ("moved", "erased"))


def left_locals(function: Function) -> Iterator[MemoryTrouble]:
    """Of them those with a pointer that leads into a local whose scope has ended, or goes out with the result."""
    if function.language == "cpp" and may_leave(function):
        for one in troubles(function):
            if one.what != "stored" and (one.ended.why == "scope" or one.what == "returned"):
                yield one


def twice_owned(function: Function) -> tuple[CoOwner, ...]:
    """What gets a second owner in the function, in source order."""
    found = walked(function).twice if may_take(function) else ()
    return tuple(sorted((one for one in found if not lets_go(function, one)), key=lambda one: one.at.span))


@flow_question
def _ranged(function: Function) -> dict[int, list[str]]:
    """By where a loop over a range stands, the names of its variables."""
    found: dict[int, list[str]] = {}
    for statement in function.statements:
        if isinstance(statement, r.Loop) and statement.kind == "range":
            names = [one.text for one in walk(statement.target) if isinstance(one, r.Name)]
            found.setdefault(statement.start, []).extend(names)
    return found


@flow_question
def _loops_left(function: Function) -> dict[int, tuple[int, ...]]:
    """By the events that come when a loop over a range is over, where that stands."""
    found: dict[int, dict[int, None]] = {}
    for statement in function.statements:
        if isinstance(statement, r.Loop) and statement.kind == "range":
            inside = {event.index for event in function.flow if _is_within(event, statement)}
            for index in inside:
                for target, _ in function.flow.successors[index]:
                    if target not in inside:
                        found.setdefault(target, {})[statement.start] = None
    return {index: tuple(starts) for index, starts in found.items()}


def _rounds(start: int) -> tuple[Cell, Cell]:
    """Where it stands what the round that is over of a loop has ended, and what each round so far has: null where that
    is nothing."""
    return Cell(range_cell(start).block, ("<round>",)), Cell(range_cell(start).block, ("<each>",))


def _once(start: int) -> Cell:
    """Where it stands that a loop has begun a round."""
    return Cell(range_cell(start).block, ("<once>",))


def _each(around: Cell) -> Block:
    """What the elements of a container lead to, all of them."""
    return ("in", *around)


def _is_within(event: e.Event, loop: r.Loop) -> bool:
    """Whether the event belongs to the loop; scopes in it end where its last brace stands."""
    return event.span.start in loop.span or (isinstance(event, e.End) and event.span.start == loop.span.end)


def _what_ended(state: MemoryState) -> frozenset[Block]:
    return frozenset(state.ended)


def met(states: list[MemoryState], before: Sequence[MemoryState]) -> list[MemoryState]:
    """What remains of states that meet."""
    found: list[MemoryState] = []
    for state in without_idle_tests(states, MemoryState.apart, MemoryState.without_test):
        if not any(other.covers(state) for other in (*before, *found)):
            found = [*(other for other in found if not state.covers(other)), state]
    return found


class WalkedFunction(NamedTuple):
    """What a walk over a function has come to, from a state of which nothing is known."""

    troubles: tuple[MemoryTrouble, ...]
    left: tuple[tuple[e.Event, MemoryDraft], ...]
    """See `MemoryWalk.left`; nothing where not every way was followed."""
    summary: MemorySummary
    twice: tuple[CoOwner, ...]
    """What gets a second owner; nothing, likewise."""


def walked(function: Function) -> WalkedFunction:
    """The walk that all share who ask what goes wrong in the function, how it is left and what it does to its caller's
    memory."""
    summary(function, deep=False)  # walks, and keeps that, unless the function comes back to itself
    return _walked(function)


@flow_question
def _walked(function: Function) -> WalkedFunction:
    walk = MemoryWalk(function)
    troubles = sorted(walk.run(), key=lambda one: (one.at.span, one.what, one.name))
    left, twice = (walk.left, walk.twice.values()) if walk.complete else ((), ())
    return WalkedFunction(tuple(troubles), tuple(left), walk.summary(), tuple(twice))


@program_question
def _summaries(program: Program) -> Circular[tuple[Function, bool], MemorySummary]:
    return Circular(_UNKNOWN, DEEPEST)


def summary(function: Function, deep: bool) -> MemorySummary:
    """What the function does to its caller's memory; `deep` also what the functions look at that it calls."""
    if function.language != "cpp":
        return _UNKNOWN

    known = _summaries(function.program)

    def answer() -> MemorySummary:
        if deep:
            walk = MemoryWalk(function, deep=True)
            walk.run()
            return walk.summary()
        try:
            return _walked(function).summary
        finally:
            if known.is_tentative:
                forget(_walked, function)

    return known.ask((function, deep), answer)


class MemoryWalk(Summarised):
    """The walk over one function."""

    def __init__(
        self,
        function: Function,
        *,
        deep: bool = False,
        begin: MemoryState | None = None,
    ) -> None:
        super().__init__(function)
        self.deep = deep
        self.begin = begin or MemoryState()
        self.passed_by: dict[int, int] = {}
        self.passing = 0
        self.taken_apart: dict[int, r.Value] = {}
        self._reached: dict[int, Function | None] = {}
        """By call the one function that it is known to reach."""
        self.spelled: dict[tuple[int, bool], tuple[str, bool]] = {}
        """By test and how it goes what it asks, see `as_asked`."""
        self.written_types: dict[int, str] = {}
        """By event what it writes as a whole, if that is made of members."""
        self.found: dict[tuple[object, ...], MemoryTrouble] = {}
        self.troubled: dict[tuple[object, ...], set[int]] = {}
        self.spared: set[Block] = set()
        """What the elements of a container lead to over which a loop goes that ends some of them alone."""
        self.left: list[tuple[e.Event, MemoryDraft]] = []
        """What is known on each way out, behind a `return` or a `throw`; and before each call, by which it is left if
        that throws, where something has ended."""

    def summary_of(self, function: Function, *, deep: bool) -> MemorySummary:
        return summary(function, deep)

    def run(self, listener: Listener[MemoryState] | None = None) -> list[MemoryTrouble]:
        if not follow(self.flow, self.begin, Domain(self.step, met, _MOST_STATES, sort=_what_ended), listener):
            self.meet_limit()
        alike: dict[tuple[int, Block], list[MemoryTrouble]] = {}
        for one in self.found.values():
            alike.setdefault((one.ended.at, one.block), []).append(one)
        return [
            self.judged(key, one)
            for key, one in self.found.items()
            if one.block not in self.spared
            if not any(self.is_behind(one, other) for other in alike[one.ended.at, one.block])
        ]

    def is_behind(self, one: MemoryTrouble, other: MemoryTrouble) -> bool:
        """Whether every way to one has the other before it. By another variable each way counts from where that ends
        which both use: in a loop the other may come before."""
        if one is other or not self.flow.dominates(other.at, one.at):
            return False
        at = one.ended.at
        if (one.variable or one.name) == (other.variable or other.name) or not 0 <= at < len(self.flow.events):
            return True
        ending = self.flow.events[at]
        if not self.flow.dominates(other.at, ending):
            return True
        return self.flow.path(ending, lambda event: event is one.at, lambda event: event is other.at) is None

    def judged(self, key: tuple[object, ...], one: MemoryTrouble) -> MemoryTrouble:
        if one.certainty != "certain" or (len(self.troubled[key]) >= self.passed_by[one.at.index] and self.complete):
            return one
        return one._replace(certainty=because("path", SOME_PATHS))

    def report(
        self,
        what: What,
        name: str,
        ended: EndedBlock,
        block: Block,
        certainty: Certainty = "certain",
        through: str = "",
        variable: str = "",
    ) -> None:
        key = (what, self.event.index, ended.at)
        self.troubled.setdefault(key, set()).add(self.passing)
        self.found.setdefault(key, MemoryTrouble(what, self.event, name, ended, block, certainty, through, variable))

    # --- events ---

    def step(self, event: e.Event, state: MemoryState) -> Iterator[tuple[int, MemoryState]]:
        self.passing += 1
        self.passed_by[event.index] = self.passed_by.get(event.index, 0) + 1
        self.event = event
        edges = self.flow.successors[event.index]
        if isinstance(event, e.Test):
            for target, outcome in edges:
                way = MemoryDraft(state, self)
                self.forget_choices(event, way)
                if self.decided(event, way, outcome) and (outcome is not None or self.chosen(event, way, target)):
                    yield target, self.arriving(way.state(), target)
            return
        is_call = isinstance(event, e.CallEvent)
        if is_call and state.ended:
            self.left.append((event, MemoryDraft(state, self)))
        for case in self.choices(event, MemoryDraft(state, self)) if is_call else _NO_CASE:
            self.case = case
            draft = MemoryDraft(state, self)
            if self.passes(event, draft):
                after = draft.state()
                is_head = isinstance(event, e.Mark) and event.span.start in self.ranged
                for target, _ in edges:
                    if not is_head:
                        yield target, self.arriving(after, target)
                    elif self.may_go_round(way := MemoryDraft(after, self), event.span.start, target):
                        yield target, self.arriving(way.state(), target)

    def arriving(self, state: MemoryState, at: int) -> MemoryState:
        """The state as it comes to an event; where ways meet, without what no event asks from there on."""
        if len(self.flow.predecessors[at]) < 2:
            return state
        left = self.asked_later.sliced(state, at)
        return MemoryDraft(left, self).swept() if left is not state and left.ended else left

    @cached_property
    def asked_later(self) -> LiveKnowledge:
        numbers = self.never_lent(
            name
            for name, (written, _) in self.function.locals.items()
            if holds_number(written) and name not in self.shared | self.references | self.set_in_lambdas
        )
        return LiveKnowledge(self.flow, self.repeated, (numbers | self.asked_again) - self.number_parameters)

    def passes(self, event: e.Event, draft: MemoryDraft) -> bool:
        """Whether the way goes on behind the event."""
        for start in self.loops_left.get(event.index, ()):
            self.leave_loop(draft, start)
        match event:
            case e.CallEvent():
                self.forget_given(draft, event.node)
                return self.call(event, draft)
            case e.Write():
                self.write(event, draft)
            case e.Read():
                self.read_moved(draft, event.node)
                self.touch(draft, event.node)
                self.bind(draft, event.node)
            case e.End():
                self.end_of_local(event, draft)
            case e.LeaveEvent():
                return self.leave(event, draft)
            case e.OpaqueEvent():
                for name in event.names:
                    self.count_on(draft, (name,))
                    draft.write(self.cell_of_name(draft, name), LOST)
            case e.Mark(what="loop"):
                self.next_round(event, draft)
        if self.choices_between:
            self.choose(event, draft)
        return True

    def choose(self, event: e.Event, draft: MemoryDraft) -> None:
        """Of `which ? one : other` one has been evaluated; what is around it has been, too, once that is used."""
        self.forget_choices(event, draft)
        if isinstance(event, e.Read | e.CallEvent):
            node = event.node
            for one in self.chosen_by.get((node.start, node.end), ()):
                draft.put(result_cell(one), self.pointer(draft, node))

    def forget_choices(self, event: e.Event, draft: MemoryDraft) -> None:
        """A choice is made anew where its condition is asked, and used up by what is around it."""
        for one in self.choices_between:
            around = event.span.start <= one.start and one.end <= event.span.end
            if around or (isinstance(event, e.Test) and one.condition.start <= event.span.start < one.condition.end):
                draft.remove(result_cell(one))

    @cached_property
    def choices_between(self) -> tuple[r.Conditional, ...]:
        """The conditional expressions of the function by which one thing that is followed gets another name."""
        return tuple(
            one
            for one in self.function.values
            if isinstance(one, r.Conditional) and not self.relevant.isdisjoint(names_in(one))
        )

    @cached_property
    def chosen_by(self) -> dict[tuple[int, int], list[r.Conditional]]:
        """By where one of their sides stands, the choices that it is a side of."""
        found: dict[tuple[int, int], list[r.Conditional]] = {}
        for one in self.choices_between:
            for side in (one.then, one.other):
                if (bare := strip(side)) is not None:
                    found.setdefault((bare.start, bare.end), []).append(one)
        return found

    def bind(self, draft: MemoryDraft, node: r.Value) -> None:
        """Locals that are another name for what is read here, or its address."""
        for name, value in self.bound_at.get((node.start, node.end), ()):
            self.bind_one(draft, name, value)

    def write(self, event: e.Write, draft: MemoryDraft) -> None:
        counted = self.counted_up(draft, event)
        if draft.tests:
            self.forget_tests(draft, event.place[0], through=self.flow.goes_through(event))
        self.count_on(draft, event.place)
        tied = strip(event.target)
        if isinstance(tied, r.Call):  # `std::tie(one, other) = ...`
            for one in tied.args:
                draft.write(self.cell(draft, one), LOST)
                self.regain(draft, self.cell(draft, one))
        if event.target is not None:
            self.write_into_moved(draft, event.target)
            where = self.cell(draft, event.target, look=True)
            bare = strip(event.target)
            by_name = isinstance(bare, r.Name) and not self.is_reference(bare) and not self.is_captured(bare.text)
            if where is not None and not by_name:
                self.looked_at(draft, where, event.target)
        elif len(event.place) == 1:
            where = self.cell_of_name(draft, event.place[0])
        else:
            where = self.initialised(event)
        value = self.pointer(draft, event.value) if event.value is not None else LOST
        parts = self.parts_written(draft, event, where)
        if event.fresh and len(event.place) == 1:
            if event.place[0] in self.references:
                value = self.cell(draft, event.value) or LOST
            where = draft.begin(("var", event.place[0]))
        if event.op not in ("=", "init"):
            held = draft.read(where)
            value = self.stepped(held, event.target)
            if event.target is not None and value == held != LOST and not self.is_pointer(event.target):
                self.looked_at(draft, held, event.target)
        elif value is LOST and parts:
            value = draft.begin(("made", event.index, "value"))
        elif value is LOST and where is not None:
            value = draft.begin(("made", event.index, "value"))
            source = self.cell(draft, event.value)
            if source is not None and source != where:
                draft.write(source, value)
        if not event.fresh and where is not None and self.owns(event.target):
            self.end_held(draft, where, value)
        draft.write(where, value)
        if event.fresh and len(event.place) == 1 and event.place[0] in self.gathering:
            draft.put(Cell(("var", event.place[0]), (ONE,)), NULL)
        elif isinstance(target := strip(event.target), r.Index) and named(target) in self.gathering:
            draft.put(Cell(("var", named(target)), (ONE,)), LOST)
        if where is not None:
            for name, part in parts:
                draft.put(Cell(where.block, (*where.path, name)), part)
        if event.target is not None and value.block[0] == "lambda":
            kind = self.type_of(event.target)
            self.keep_lambda(draft, where, value, event.target, kind)
        if where is not None and not event.fresh:
            self.assign_object(draft, event, where)
        if event.fresh and len(event.place) == 1 and event.place[0] in self.plain_objects:
            self.settle_in(draft, event)
        self.note_write(where)
        if len(event.place) == 1 and event.place[0] in self.asked_again:
            given = ranges.of(event.value, lambda _: ranges.ANY) if event.op in ("=", "init") else counted
            if given != ranges.ANY:
                draft.know(f"={event.place[0]}", given)
        self.capture(draft, event)
        self.move_out(draft, event.value)
        self.regain(draft, where)

    def counted_up(self, draft: MemoryDraft, event: e.Write) -> Range:
        """The range of a number after an increment: positive if it was not negative. The exact value is not kept, since
        the walk of a loop would not end."""
        up = event.op == "++" or (event.op == "+=" and ranges.of(event.value, lambda _: ranges.ANY).low > 0)
        known = self.known_number(draft, event.place[0]) if up and len(event.place) == 1 else ranges.ANY
        return ranges.POSITIVE if known.low >= 0 else ranges.ANY

    def count_on(self, draft: MemoryDraft, place: Sequence[str]) -> None:
        """What a variable has counted is known otherwise once it counts something else."""
        if len(place) == 1 and place[0] in self.counting:
            draft.count_on(place[0], self.event.index)

    def parts_written(self, draft: MemoryDraft, event: e.Write, where: Cell | None) -> list[tuple[str, Pointer]]:
        """What leads somewhere of the members that an object gets which is written as a whole."""
        name = event.place[0] if len(event.place) == 1 else ""
        if event.op not in ("=", "init") or (event.fresh and name not in self.relevant) or name in self.references:
            return []
        if event.index not in self.written_types:
            written = event.type if event.fresh else self.type_of(event.target)
            self.written_types[event.index] = written if self.members_of(written) else ""
        written = self.written_types[event.index]
        told = self.parts(draft, written, event.value) if written and where is not None else ()
        return [(name, part) for name, part in told if part is not LOST and not part.is_number]

    def initialised(self, event: e.Write) -> Cell | None:
        """The member that a constructor begins with."""
        home = self.function.home
        own, name = event.place[0], event.place[-1]
        is_member = own == THIS and len(event.place) == 2 and home is not None and name in home.fields
        return Cell(THIS_BLOCK, (name,)) if is_member else None

    def assign_object(self, draft: MemoryDraft, event: e.Write, where: Cell) -> None:
        """An object gets what another one is; where the class says nothing of it, both lead to the same afterwards."""
        before = draft.how_ended(where.block)
        if before is not None and before.why == "destroyed" and not where.path:
            draft.revive(where.block)
        name = event.place[0] if len(event.place) == 1 else ""
        written = (self.declared(name) or ("", None))[0]
        if not written or name not in self.plain_objects or not ends_what_it_holds(self.function, written):
            return
        cls = self.class_of(written)
        source = strip(event.value)
        copies = cls is not None and not any(one.name == "operator=" for one in cls.declarations)
        for path in self.held_paths(cls):
            held = LOST
            if copies and isinstance(source, r.Name) and source.text in self.plain_objects:
                held = draft.read(Cell(("var", source.text), path))
            elif copies and isinstance(source, r.Call) and self.class_of(text(source.callee)) is cls:
                held = draft.begin(("made", event.index, ".".join(path)))
                draft.end(held.block, EndedBlock(event.index, "destructor", f"~{cls.name}" if cls is not None else ""))
            draft.put(Cell(where.block, (*where.path, *path)), held)

    def settle_in(self, draft: MemoryDraft, event: e.Write) -> None:
        """What a constructor has left in an object stands in the variable from here on."""
        made = strip(event.value)
        if not isinstance(made, r.Call):
            return
        for cell, held in list(draft.cells.items()):
            if cell.block == result_cell(made).block and cell.path:
                draft.put(Cell(("var", event.place[0]), cell.path), held)

    def is_reference(self, target: r.Value) -> bool:
        bare = strip(target)
        return isinstance(bare, r.Name) and bare.text in self.references

    @remembered
    def owns(self, target: r.Value | None) -> bool:
        """Whether a smart pointer is assigned to, which ends what it has held."""
        if target is None:
            return False
        roles = self.program.types.roles(self.type_of(target), self.function)
        return "smart pointer" in roles

    def next_round(self, event: e.Mark, draft: MemoryDraft) -> None:
        """A loop over a range goes on to the next element."""
        around = draft.cells.get(range_cell(event.span.start), LOST)
        this_round, each = _rounds(event.span.start)
        if draft.cells.get(this_round) is not None:
            if ending_rounds(self.function)[event.span.start] in self.references:
                self.end_round(draft, event.span.start, draft.cells.get(around, LOST))
            draft.put(each, draft.cells[this_round] if draft.cells.get(each) != NULL else NULL)
            draft.remove(this_round)
        for name in self.ranged.get(event.span.start, ()):
            self.count_on(draft, (name,))
            self.regain(draft, Pointer(("var", name)))
            if around.path:
                self.looked_at(draft, around, r.Name(event.span.start, event.span.end, name))
            elif not draft.cells.get(Pointer(("var", name)), LOST).path:
                draft.write(Pointer(("var", name)), draft.begin(("made", event.index, name)))

    @cached_property
    def ranged(self) -> dict[int, list[str]]:
        return _ranged(self.function)

    @cached_property
    def loops_left(self) -> dict[int, tuple[int, ...]]:
        return _loops_left(self.function)

    def leave_loop(self, draft: MemoryDraft, start: int) -> None:
        """A loop over a range is over, at its head or before."""
        for cell in (
            range_cell(start),
            _once(start),
            *_rounds(start),
            *(Cell(("var", name)) for name in self.ranged[start]),
        ):
            draft.remove(cell)

    def may_go_round(self, draft: MemoryDraft, start: int, target: int) -> bool:
        """Whether the way goes on from the head of a loop over a range, into a round or out of it. There are no more
        rounds than elements."""
        self.around_round(draft, start, target)
        container = self.gathered.get(start)
        if container is None or start in self.loops_left.get(target, ()):
            return True
        held, once = draft.cells.get(Cell(("var", container), (ONE,)), LOST), _once(start)
        if held == NULL or (held != LOST and once in draft.cells):
            return False
        draft.put(once, NULL)
        return True

    @cached_property
    def gathered(self) -> dict[int, str]:
        """By where it begins, a loop over a local of which it is known how many elements it has, if that is one."""
        return {
            one.start: named(one.iterable)
            for one in self.function.statements
            if isinstance(one, r.Loop) and one.kind == "range" and named(one.iterable) in self.gathering
        }

    def around_round(self, draft: MemoryDraft, start: int, target: int) -> None:
        """What each round of a loop has ended that may end what its variable leads to is all that the container holds;
        where there was none, that holds nothing."""
        if start not in ending_rounds(self.function):
            return
        around, (this_round, each) = draft.cells.get(range_cell(start), LOST), _rounds(start)
        if not around.path:
            return
        if start not in self.loops_left.get(target, ()):
            if ending_rounds(self.function)[start] in self.references:
                draft.put(this_round, NULL)
                draft.put(around, draft.begin(("made", self.event.index, "round")))
            return
        ended = draft.cells.get(each)
        if (home := home_of(around.block)) is not None:
            draft.put(home, Pointer(around.block))
        if ended is None:
            draft.know(nothing(_each(around)), True)
        draft.put(around, ended or NULL)

    def end_round(self, draft: MemoryDraft, start: int, held: Pointer) -> None:
        """A round is over; whether what the variable of the loop leads to has ended in it."""
        how = draft.how_ended(held.block) if not held.path else None
        around, (this_round, _) = draft.cells.get(range_cell(start), LOST), _rounds(start)
        if not around.path:
            return
        if how is not None and how.why in ("released", "by callee") and not how.failed and not how.kind.counted:
            draft.end(_each(around), how)
            draft.put(this_round, Pointer(_each(around)))
        else:
            draft.put(this_round, NULL)
            self.spared.add(_each(around))

    @cached_property
    def rounds_left(self) -> dict[int, int]:
        """By the event at which the variable of such a loop ends, where the loop stands."""
        loops = {one.start: one for one in self.function.statements if isinstance(one, r.Loop)}
        return {
            event.index: start
            for start, name in ending_rounds(self.function).items()
            for event in self.flow.of(e.End)
            if isinstance(event, e.End) and event.place == (name,) and _is_within(event, loops[start])
        }

    def end_of_local(self, event: e.End, draft: MemoryDraft) -> None:
        name = event.place[0]
        if event.index in self.rounds_left:
            self.end_round(draft, self.rounds_left[event.index], draft.read(Cell(("var", name))))
        if len(event.place) == 1 and self.is_own(name) and name not in self.references and name not in self.hidden:
            self.end_variable(draft, event.place[0])
            self.forget_tests(draft, name)

    def leave(self, event: e.LeaveEvent, draft: MemoryDraft) -> bool:
        """Whether the way goes on, to a label or to a handler."""
        if any(target != self.flow.exit for target, _ in self.flow.successors[event.index]):
            return True
        answer = LOST
        if event.kind == "return" and event.value is not None:
            refers = types.parse(self.function.record.result).reference
            if not refers:
                answer = self.pointer(draft, event.value)
            elif not self.is_converted(event.value):
                answer = self.cell(draft, event.value) or LOST
            if refers or answer.block[0] == "lambda" or self.may_point(event.value):
                self.hand_out(draft, answer, event.value)
        self.end_owners(event, draft)
        if event.kind != "throw":
            self.lambdas_left(draft)
            self.exits.append(WayOut(event, draft, answer))
        self.left.append((event, draft))
        return False

    def end_owners(self, event: e.LeaveEvent, draft: MemoryDraft) -> None:
        """Locals that own something end with the function, the last first; what is returned may be one of them."""
        returned = names_in(event.value)
        begun = {cell.block for cell in draft.cells}
        for name in reversed(self.owners):
            own = ("var", name)
            ended = draft.how_ended(own)
            if name not in returned and own in begun and (ended is None or ended.why != "scope"):
                self.end_variable(draft, name)

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """The locals that end what they hold, in the order in which they are declared."""
        return tuple(
            name
            for name, (written, _) in self.function.locals.items()
            if self.is_own(name)
            and name not in self.references
            and name not in self.hidden
            and (
                "smart pointer" in self.program.types.roles(written, self.function)
                or name in self.function.released_at_end
                or ends_what_it_holds(self.function, written)
            )
        )

    def may_point(self, value: r.Value) -> bool:
        """Whether what is returned is an address, and no object that is copied."""
        kind = types.parse(self.function.record.result)
        if kind.is_placeholder or not self.function.record.result:
            return isinstance(strip(value), r.Unary | r.Lambda)
        return bool(kind.pointers) or isinstance(strip(value), r.Lambda)

    def is_converted(self, value: r.Value) -> bool:
        """Whether a reference that is returned is what a local converts to, and not the local: what a
        `std::reference_wrapper` is made of, or what the conversion of a class of the project answers with."""
        inner = strip(value)
        if not isinstance(inner, r.Name) or inner.text not in self.function.locals:
            return False
        written, names = self.program.types.of(inner, self.function), self.program.names
        wanted = types.parse(self.function.record.result).last
        held = types.parse(names.expand(written, self.function.file, self.function.record.scope))
        if held.last == wanted or held.pointers:
            return False
        if "view" in self.program.types.roles(written, self.function):
            return not held.arguments or any(types.parse(argument).last == wanted for argument in held.arguments)
        cls = names.find_class(held.name, self.function.record.scope, self.function.file)
        return any(
            to.reference and to.last == wanted and not self.is_part_of_itself(one)
            for around in (cls.ancestry if cls is not None else ())
            for one in around.methods
            if one.record.kind == "conversion"
            for to in (types.parse(one.name.removeprefix("operator ")),)
        )

    def is_part_of_itself(self, conversion: Function) -> bool:
        """Whether it answers with a member of the object that is an object itself."""
        answers = [strip(leave.value) for leave in conversion.flow.leaves if leave.kind == "return"]
        home = conversion.home
        return home is None or any(
            not isinstance(one, r.Unary)
            and not ((held := home.field(last_name(one))) and types.parse(held[1].type).reference)
            for one in answers
        )

    def hand_out(self, draft: MemoryDraft, answer: Pointer, value: r.Value) -> None:
        if answer in (LOST, NULL):
            return
        block = answer.block
        if block[0] == "lambda":
            self.returned_lambda(draft, answer, value)
            return
        ended = draft.how_ended(block)
        if ended is not None and ended.why in ("scope", "owner"):
            self.report("returned", self.named(value), ended, block)
        elif block[0] == "var" and self.is_own(block[1]) and self.is_value(block[1]) and self.is_part(answer):
            self.report("returned", str(block[1]), EndedBlock(self.event.index, "scope", str(block[1])), block)
        elif (owner := self.owner_of(draft, block)) is not None:
            self.report("returned", self.named(value), EndedBlock(self.event.index, "owner", owner), block)

    def is_value(self, name: str) -> bool:
        """Whether the variable of this very function holds an object, and is no other's name."""
        return name in self.function.locals and name not in self.references

    def owner_of(self, draft: MemoryDraft, block: Block) -> str | None:
        """The local that ends the block when the function is left."""
        for name in self.function.locals:
            if not self.is_own(name) or name in self.references:
                continue
            if draft.cells.get(Pointer(("var", name)), LOST).block == block:
                roles = self.program.types.roles(declared_type(self.function, name), self.function)
                return name if "smart pointer" in roles else None
            if name in self.plain_objects and any(
                self.is_part(cell) for cell in self.leading_to(draft, block) if cell.block == ("var", name)
            ):
                return name
        return None

    @staticmethod
    def leading_to(draft: MemoryDraft, block: Block) -> list[Cell]:
        """The containers whose elements these are."""
        first = home_of(block)
        homes = [first] if first is not None and draft.read(first) == Pointer(block) else []
        homes += [cell for cell, pointer in draft.cells.items() if pointer == Pointer(block)]
        return [Cell(cell.block, cell.path[:-1]) for cell in homes if cell.path[-1:] == (ELEMENTS,)]

    def is_part(self, cell: Cell) -> bool:
        """Whether the cell of a local lies in the memory of that: no member on the way there is a reference."""
        written = declared_type(self.function, cell.block[1])
        for step in cell.path:
            if step[:1] in "<[":
                written = types.element(written)
                continue
            cls = self.class_of(written)
            found = cls.field(step) if cls is not None else None
            written = found[1].type if found is not None else ""
            if types.parse(written).reference:
                return False
        return True

    # --- tests ---

    def decided(self, event: e.Test, draft: MemoryDraft, outcome: bool | None) -> bool:
        if event.asserted:
            outcome = True
        if outcome is None:
            return True
        if not self.learn_failure(event, draft, outcome):
            return False
        key = (event.index, outcome)
        if key not in self.spelled:
            self.spelled[key] = as_asked(event.value, outcome)
        said, holds = self.spelled[key]
        if said in self.repeated:
            if draft.tests.get(said, holds) != holds:
                return False
            draft.know(said, holds)
        return self.holds(draft, self.asked(event), outcome)

    def chosen(self, event: e.Test, draft: MemoryDraft, target: int) -> bool:
        """Whether a `switch` can go on with the case that begins there, or past all of them."""
        switch = self.switches.get(event.span.start)
        asked = self.pointer(draft, event.value) if switch is not None else LOST
        if switch is None or not asked.is_number:
            return True
        begun = self.flow.events[target].span.start
        case = next((one for one in switch.cases if one.start == begun), None)
        told = case.values if case is not None else ()
        meant = [self.pointer(draft, value) for value in told or [v for one in switch.cases for v in one.values]]
        if any(one.block[0] != asked.block[0] for one in meant):
            return True
        return (asked in meant) if told else asked not in meant

    @cached_property
    def switches(self) -> dict[int, r.Switch]:
        return {one.start: one for one in self.function.statements if isinstance(one, r.Switch)}

    def learn_failure(self, event: e.Test, draft: MemoryDraft, outcome: bool) -> bool:
        """What a test says of whether a call has failed that ends something; whether that can be on this way."""
        released = [(block, how) for block, how in draft.ended.items() if how.why == "released" or how.answers]
        cause = failing(self.function, event, outcome)[0] if released else None
        worked = failing(self.function, event, not outcome)[0] if released else None
        for block, how in released:
            at = self.flow.events[how.at].span
            if how.answers:
                said = "failure" if cause and cause.span == at else "success" if worked and worked.span == at else ""
                if said and said != how.answers:
                    return False
            elif cause is not None and at == cause.span:
                if how.may_fail:
                    draft.revive(block)
                else:
                    draft.end(block, how._replace(failed=True))
        return True

    def asked(self, event: e.Test) -> r.Value:
        """What a test comes to once functions that only say a condition are taken apart."""
        if event.index not in self.taken_apart:
            self.taken_apart[event.index] = meant(self.program, self.function, event.value)
        return self.taken_apart[event.index]

    @cached_property
    def repeated(self) -> frozenset[str]:
        """Tests that stand in the function more than once, and call nothing but what answers the same again."""
        asked: dict[str, list[r.Value]] = {}
        for test in self.flow.of(e.Test):
            if isinstance(test, e.Test):
                asked.setdefault(as_asked(test.value, True)[0], []).append(test.value)
        return frozenset(said for said, tests in asked.items() if len(tests) > 1 and self.says_the_same(tests[0]))

    def says_the_same(self, value: r.Value) -> bool:
        """Whether a test comes to the same when it is asked again, if nothing is written to what it names."""
        parts = list(walk(value))
        if any(isinstance(one, r.Assign | r.OpaqueValue) for one in parts):
            return False
        return all(is_steady(self.function, one) for one in parts if isinstance(one, r.Call))

    def forget_tests(self, draft: MemoryDraft, name: str, *, through: bool = False) -> None:
        """What tests have said of a variable may be otherwise now; if something was written `through` it, only what
        they have said beyond the variable alone."""
        for said in [said for said in draft.tests if name in said and name in _words(said)]:
            if not through or said.removeprefix("=") != name:
                draft.forget(said)

    def forget_given(self, draft: MemoryDraft, call: r.Call) -> None:
        """A call may set what it gets the address of."""
        for name in addressed(call) if draft.tests else ():
            self.forget_tests(draft, name)

    def holds(self, draft: MemoryDraft, value: r.Value, outcome: bool) -> bool:
        """Whether the test can come to this on this way."""
        match strip(value):
            case r.Unary(op="!" | "not", value=inner):
                return self.holds(draft, inner, not outcome)
            case r.Binary(op="==" | "!=" | "<" | ">" | "<=" | ">=" as op, left=left, right=right):
                if op in ("==", "!=") and _is_zero(self.pointer(draft, right)):
                    return self.is_there(draft, left, outcome == (op == "!="))
                if op in ("==", "!=") and not self.are_one(draft, left, right, outcome == (op == "==")):
                    return False
                return self.compared(draft, op if outcome else ranges.opposite(op), left, right)
            case r.Name() | r.Member() | r.Literal() | r.Assign() | r.Call() as bare:
                return self.is_there(draft, bare, outcome)
            case r.Binary(op="&" | "|" | "+" | "-" | "*") as number:
                zero = r.Literal(number.start, number.start, "int", "0")
                return self.compared(draft, "!=" if outcome else "==", number, zero)
        return True

    def are_one(self, draft: MemoryDraft, left: r.Value, right: r.Value, same: bool) -> bool:
        """Whether two pointers can be one, or not, on this way; where they are, both lead to one block from here on."""
        one, two = self.pointer(draft, left), self.pointer(draft, right)
        if one.block[0] == two.block[0] == "constant":
            return same == (one == two)
        if any(pointer in (LOST, NULL) or pointer.path or pointer.block[0] not in _TOLD for pointer in (one, two)):
            return True
        if one == two or not same:
            return same or one != two
        kept, other = (two, one) if draft.how_ended(two.block) is not None else (one, two)
        for cell, held in list(draft.cells.items()):
            if held == other:
                draft.put(cell, kept)
        if self.is_seen(other.block):
            draft.know(nothing(other.block), True)
        for value in (left, right):
            where = self.cell(draft, value)
            if where is not None and draft.read(where) == other:
                draft.put(where, kept)
        return True

    def is_there(self, draft: MemoryDraft, value: r.Value, there: bool) -> bool:
        pointer = self.pointer(draft, value)
        if _is_zero(pointer):
            return not there
        if pointer.block[0] == "number":
            return there
        zero = r.Literal(value.start, value.start, "int", "0")
        if not self.compared(draft, "!=" if there else "==", value, zero):
            return False
        if not there and pointer is not LOST and not pointer.path:
            for cell, held in list(draft.cells.items()):
                if held == pointer:
                    draft.write(cell, NULL)
            if self.is_seen(pointer.block):
                draft.know(nothing(pointer.block), True)
                home = home_of(pointer.block)
                if home is not None and home.path and draft.read(home) == pointer:
                    draft.put(home, NULL)  # what the function leaves in a member, its next caller finds there
        return there or pointer.block[0] != "var"

    def choices(self, event: e.Event, draft: MemoryDraft) -> Sequence[MemoryCase | MemoryOutcome | MaybeEnds | None]:
        """Of the cases in which a callee ends something, those that can be on this way."""
        if event.index not in self._reached:
            self._reached[event.index] = self._only_callee(event)
        function = self._reached[event.index]
        if function is None or not isinstance(event, e.CallEvent):
            return _NO_CASE
        told = self.told_choices(event.node, draft, function)
        maybe = self.may_have_ended(event.node, draft, function)
        return (*told, maybe) if maybe.ends else told

    def _only_callee(self, event: e.Event) -> Function | None:
        """The one function that a call is known to reach."""
        node = event.node if isinstance(event, e.CallEvent) and event.node.kind == "call" else None
        if node is None or strip(node) is not node:
            return None
        return self.program.calls.callee(node, self.function).only

    def may_have_ended(self, node: r.Call, draft: MemoryDraft, function: Function) -> MaybeEnds:
        """What a callee ends on some of its ways of what this function knows."""
        if not may_end(function):
            return _NOTHING_ENDED
        tested = (node.start, node.end) in self.tested_answers
        return MaybeEnds(
            tuple(
                (block, how)
                for block, how in self.summary_of(function, deep=False).sometimes
                if not (tested and how.answers == "unknown")
                if (there := self.seen_there(draft, node, function, block)) is not None
                if draft.how_ended(there.block) is None
            )
        )

    def told_choices(
        self, node: r.Call, draft: MemoryDraft, function: Function
    ) -> Sequence[MemoryCase | MemoryOutcome | None]:
        if self.tells_by_answer(draft, node, function):
            outcomes = self.summary_of(function, deep=False).outcomes
            if outcomes:
                return outcomes
        if not isinstance(node.callee, r.Name) or not may_end(function):
            return _NO_CASE
        cases = self.summary_of(function, deep=False).cases
        names = [parameter.name for parameter in function.record.parameters]
        if not cases or len(node.args) != len(names):
            return _NO_CASE
        given = node.args[names.index(cases[0].parameter)]
        lies = ranges.of(meant(self.program, self.function, given), lambda name: self.known_number(draft, name))
        fitting = [case for case in cases if any(ranges.can_be("==", lies, one) for one in case.within)]
        if len(fitting) == 1 or not self.is_asked_otherwise(given):
            return fitting
        return _NO_CASE

    def tells_by_answer(self, draft: MemoryDraft, node: r.Call, function: Function) -> bool:
        """Whether it matters what the function has done when it answers so: something has ended, what it does is
        asked, and a test is about its answer."""
        if not draft.ended or function is self.function or (node.start, node.end) not in self.tested_answers:
            return False
        kind = types.parse(function.record.result)
        if not kind.pointers and not kind.is_scalar:
            return False
        return self.deep or self.asks_for(draft, node, function) or self.is_concerned(draft, node, function)

    @cached_property
    def tested_answers(self) -> frozenset[tuple[int, int]]:
        """The calls whose answers a test is about, at once or by a local."""
        tests = [test.value for test in self.flow.of(e.Test) if isinstance(test, e.Test)]
        asked = [one for test in tests for one in walk(test)]
        names = {one.text for one in asked if isinstance(one, r.Name)}
        given = [
            write.value for write in self.flow.of(e.Write) if isinstance(write, e.Write) and write.place[0] in names
        ]
        calls = [one for one in (*asked, *map(strip, given)) if isinstance(one, r.Call)]
        return frozenset((one.start, one.end) for one in calls)

    def is_asked_otherwise(self, given: r.Value) -> bool:
        """Whether a test may be about what is given to a call, in a way that is not followed."""
        names = names_in(given) - self.asked_again
        tests = (test for test in self.flow.of(e.Test) if isinstance(test, e.Test))
        return any(isinstance(one, r.Name) and one.text in names for test in tests for one in walk(test.value))

    def learn_case(self, draft: MemoryDraft, given: r.Value, case: MemoryCase) -> None:
        """What is known of an argument once it is known which case holds."""
        bare = strip(given)
        if isinstance(bare, r.Name) and bare.text in self.asked_again and len(case.within) == 1:
            draft.know(f"={bare.text}", ranges.both(self.known_number(draft, bare.text), case.within[0]))

    def compared(self, draft: MemoryDraft, op: str, left: r.Value, right: r.Value) -> bool:
        """Whether the comparison can hold on this way; then what it says is known from here on."""

        def known(name: str) -> Range:
            return self.known_number(draft, name)

        one, two = ranges.of(left, known), ranges.of(right, known)
        one = self.answered(draft, left) if one == ranges.ANY else one
        if not ranges.can_be(op, one, two):
            return False
        for value, own, other, said in ((left, one, two, op), (right, two, one, ranges.turned(op))):
            bare = strip(value)
            if isinstance(bare, r.Name) and bare.text in self.asked_again:
                draft.know(f"={bare.text}", ranges.narrowed(said, own, other))
        return True

    def answered(self, draft: MemoryDraft, value: r.Value) -> Range:
        """The number that the value is known to be."""
        kind, *said = self.pointer(draft, value).block
        return ranges.of(r.Literal(0, 0, "int", str(said[0])), lambda _: ranges.ANY) if kind == "number" else ranges.ANY

    @cached_property
    def asked_again(self) -> frozenset[str]:
        """Numbers of the function, which nobody else can change, that more than one test is about."""
        asked = Counter(
            name for test in self.flow.of(e.Test) if isinstance(test, e.Test) for name in names_in(test.value)
        )
        others = self.shared | self.references | self.set_in_lambdas
        return self.never_lent(
            name
            for name, times in asked.items()
            if self.is_own(name)
            and name not in others
            and (times > 1 or name in self.number_parameters or self.is_given_number(name))
        )

    def never_lent(self, names: Iterable[str]) -> frozenset[str]:
        """Those that no call gets by a reference through which it may write."""
        found = set(names)
        for call in self.flow.calls if found and not self.function.file.is_c else ():
            for index, argument in enumerate(call.node.args):
                given = strip(argument)
                if isinstance(given, r.Name) and given.text in found and is_set_by(self.function, call.node, index):
                    found.discard(given.text)
        return frozenset(found)

    @cached_property
    def set_in_lambdas(self) -> frozenset[str]:
        """Locals that a lambda assigns which may capture all of them."""
        inner = (
            self.program.index.function_at(self.function.file, one.function)
            for one in self.function.values
            if isinstance(one, r.Lambda) and any(capture.name == "&" for capture in one.captures)
        )
        return frozenset(
            name.removeprefix("=") for one in inner if one is not None for name in one.mentioned if name.startswith("=")
        )

    def is_given_number(self, name: str) -> bool:
        return any(isinstance(write.value, r.Literal) for write in self.flow.writes_to((name,)))


@lru_cache(maxsize=1 << 12)
def _words(said: str) -> frozenset[str]:
    """What a test names; nothing of what is known of a pointer."""
    return frozenset(re.findall(r"\w+", said)) if said[:1] != NOTHING else frozenset()


def _is_zero(pointer: Pointer) -> bool:
    return pointer == NULL or pointer.block in (("number", "0"), ("number", "false"))


def reference_troubles(function: Function, what: Literal["used", "ended again"]) -> Iterator[MemoryTrouble]:
    """Of counted objects those that happen on every path: what depends on paths is not told, since the walk forgets
    what a loop has asked."""
    for one in troubles(function) if what == "used" or may_give_up(function) else ():
        if one.ended.kind.counted and one.what == what and one.certainty == "certain":
            yield one


def certainty(one: MemoryTrouble) -> Certainty:
    """How sure it is that it happens."""
    return weaker(one.certainty, one.ended.certainty)


def told_end(one: MemoryTrouble) -> str:
    """What happens where the memory ends, for a person."""
    match one.ended.why:
        case "owner":
            return (
                f"`{one.ended.by}` releases the object it holds here"
                if one.ended.by
                else ("its owner is destroyed here")
            )
        case "by callee" | "destructor":
            return f"`{one.ended.by}` releases it here"
        case "destroyed":
            return "its destructor is called here"
        case "erased":
            return f"`{one.ended.by}` drops it here"
    return f"`{one.name}` is released here"
