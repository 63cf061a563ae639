"""What a function does to its caller's memory: what every way out comes to, and what only some of them do."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from ownlint.domains import failure
from ownlint.domains.memory.blocks import (
    LOST,
    NULL,
    Answers,
    Block,
    Cell,
    EndedBlock,
    MemoryCase,
    MemoryDraft,
    MemoryOutcome,
    MemorySummary,
    Path,
    Pointer,
    root,
    steps_to,
)
from ownlint.domains.memory.calls import MemoryCalls
from ownlint.domains.memory.seen import holds_number
from ownlint.engine import ranges
from ownlint.engine.ranges import Range
from ownlint.facts import records as r
from ownlint.finding import because
from ownlint.flow import events as e
from ownlint.flow.places import THIS, names_in, strip, walk
from ownlint.project import types
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function

_MOST_TESTS = 6
"""Of a function with more of them, what a caller's numbers decide is not followed."""
_MOST_CASES = 3


class WayOut(NamedTuple):
    """How the function can be left."""

    at: e.LeaveEvent
    draft: MemoryDraft
    answer: Pointer


class Summarised(MemoryCalls):
    """What the ways out of one function have in common."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.exits: list[WayOut] = []

    @staticmethod
    def known_number(draft: MemoryDraft, name: str) -> Range:
        found = draft.tests.get(f"={name}", ranges.ANY)
        return found if isinstance(found, Range) else ranges.ANY

    @cached_property
    def number_parameters(self) -> frozenset[str]:
        """Numbers that callers give and nobody changes, of a function with few tests."""
        if len(self.flow.of(e.Test)) > _MOST_TESTS:
            return frozenset()
        return frozenset(
            one.name
            for one in self.function.record.parameters
            if holds_number(one.type) and f"={one.name}" not in self.function.mentioned
        )

    def summary(self) -> MemorySummary:
        if not self.complete:
            return MemorySummary()
        named = [one for one in (*self.co_owned, *self.given_to) if self.is_seen(_as_block(one))]
        shared = frozenset(_as_block(one) for one in named if self.is_co_owned(one))
        if not self.exits:
            writes = self.writes or bool(self.ran)
            return MemorySummary(known=True, writes=writes, written=self.written_cells(), shared=shared)
        first, *others = self.exits
        ended = {block: how for _, draft, _ in self.exits for block, how in draft.ended.items()}
        ends = [
            (block, how)
            for block, how in ended.items()
            if how.why != "moved"
            and self.is_seen(block)
            and all(draft.how_ended(block) is not None or draft.is_nothing(block) for _, draft, _ in self.exits)
        ]
        answers = {self.answer_seen(draft, answer) for _, draft, answer in self.exits}
        moves = tuple(
            sorted(
                (
                    (Cell(block[1], block[2]), how)
                    for block, how in first.draft.ended.items()
                    if how.why == "moved" and block[0] == "in" and self.is_seen(block)
                    if all(draft.how_ended(block) is not None for _, draft, _ in others)
                ),
                key=repr,
            )
        )
        puts = [
            (cell, pointer)
            for cell, pointer in first.draft.cells.items()
            if self.is_seen(cell.block) and self.is_put(first.draft, pointer)
            if all(draft.cells.get(cell, LOST) == pointer for _, draft, _ in others)
        ]
        runs = tuple(
            one
            for one, said in self.ran.items()
            if all(said in draft.tests or draft.is_nothing(one.called) for _, draft, _ in self.exits)
        )
        return MemorySummary(
            True,
            tuple(sorted(ends, key=repr)),
            frozenset(self.used),
            tuple(sorted(self.handed.items(), key=repr)),
            answers.pop() if len(answers) == 1 else None,
            tuple(sorted(puts, key=repr)),
            self.writes or len(runs) < len(self.ran),
            self.written_cells(),
            self.cases(frozenset(block for block, _ in ends)),
            self.outcomes(frozenset(block for block, _ in ends)),
            moves,
            runs,
            tuple(self.sometimes(frozenset(block for block, _ in ends))),
            shared,
            self.renewed([cell for cell, _ in moves]),
        )

    def renewed(self, moved: list[Cell]) -> tuple[Cell, Path] | None:
        """Which of the cells leads, on every way out, to the new elements one of which is the answer."""
        for cell in moved:
            paths = {
                answer.path if draft.cells.get(cell, LOST) == Pointer(answer.block) else None
                for _, draft, answer in self.exits
            }
            if len(paths) == 1 and (path := paths.pop()) is not None:
                return cell, path
        return None

    def written_cells(self) -> tuple[Cell, ...]:
        return tuple(sorted(self.written, key=repr))

    def cases(self, always: frozenset[Block]) -> tuple[MemoryCase, ...]:
        """What is ended for some values of one argument, and not for others; none where something else decides."""
        if not self.number_parameters:
            return ()
        exits: dict[frozenset[Block], list[MemoryDraft]] = {}
        for _, draft, _ in self.exits:
            ended = (
                block
                for block, how in draft.ended.items()
                if how.why not in ("moved", "given away") and self.is_seen(block)
            )
            exits.setdefault(frozenset(ended) - always, []).append(draft)
        if not 1 < len(exits) <= _MOST_CASES:
            return ()
        for name in sorted(self.number_parameters):
            within = {
                ended: tuple(dict.fromkeys(self.known_number(draft, name) for draft in drafts))
                for ended, drafts in exits.items()
            }
            if all(_are_apart(one, two) for one, two in combinations(within.values(), 2)):
                return tuple(
                    MemoryCase(
                        name,
                        within[ended],
                        tuple(sorted(((block, drafts[0].ended[block]) for block in ended), key=repr)),
                    )
                    for ended, drafts in exits.items()
                )
        return ()

    def outcomes(self, always: frozenset[Block]) -> tuple[MemoryOutcome, ...]:
        """What can be told from the answer; none where every answer comes to the same."""
        exits: dict[Pointer, list[MemoryDraft]] = {}
        for _, draft, answer in self.exits:
            told = answer == NULL or answer.is_number
            exits.setdefault(answer if told else LOST, []).append(draft)
        if not 1 < len(exits) <= _MOST_CASES:
            return ()
        found = [
            MemoryOutcome(
                answer,
                tuple(cell for cell in self.written_cells() if all(_is_as_it_was(draft, cell) for draft in drafts)),
                tuple(
                    (block, how)
                    for block, how in sorted(drafts[0].ended.items(), key=repr)
                    if how.why != "moved" and self.is_seen(block) and block not in always
                    if all(draft.how_ended(block) is not None or draft.is_nothing(block) for draft in drafts)
                ),
            )
            for answer, drafts in exits.items()
        ]
        return tuple(found) if any(one.spares or one.ends for one in found) else ()

    def is_put(self, draft: MemoryDraft, pointer: Pointer) -> bool:
        """Whether the caller knows what was put there."""
        return pointer == NULL or pointer.is_number or self.is_seen(pointer.block)

    def answer_seen(self, draft: MemoryDraft, answer: Pointer) -> Pointer | None:
        return answer if self.is_seen(answer.block) and draft.how_ended(answer.block) is None else None

    def sometimes(self, always: frozenset[Block]) -> Iterator[tuple[Block, EndedBlock]]:
        """What is ended on some ways out, and the caller cannot tell: nothing that decides about it is read off what
        ends, as a count or a flag in it is, or is a number that the caller gives."""
        returned = [one for one in self.exits if one.at.kind != "throw"]
        found: dict[Block, list[tuple[EndedBlock, e.LeaveEvent]]] = {}
        for at, draft, _ in returned:
            for block, how in draft.ended.items():
                ended = how.why in ("released", "owner", "by callee") and not how.kind.counted and not how.may_fail
                if ended and block not in always and how.answers != "unknown" and self.is_seen(block):
                    found.setdefault(block, []).append((how, at))
        for block, ways in sorted(found.items(), key=repr):
            told = [self.said_by(how, at) for how, at in ways]
            by_state = {self.depends_on(how, block) for how, _ in ways}
            if None in by_state:
                continue
            answers: Answers = told[0] if len(set(told)) == 1 else "unknown" if "unknown" in told else ""
            why = because("path", f"this happens only if `{self.function.name}` releases it")
            yield block, ways[0][0]._replace(certainty=why, answers=answers, by_state=True in by_state)

    def depends_on(self, how: EndedBlock, block: Block) -> bool | None:
        """Whether it is ended because of what the object says whose member leads to it; None where that is said by the
        block itself, or by nothing but numbers of the caller. How a call of this function went nobody knows before."""
        start, own = str(root(block)[1]), (str(root(block)[1]), *steps_to(block))
        by_state = False
        for test, outcome in self.flow.guards(self.flow.events[how.at]):
            failed = failure.failing(self.function, test, outcome)[0] is not None
            read = list(self.read_by(test.value))
            said = [self.steps_of(one) for one in read if not failed or (isinstance(one, r.Unary) and one.op == "&")]
            if any(one[: len(own)] == own for one in said):
                return None
            names = {one.text for one in read if isinstance(one, r.Name)}
            if names and names <= self._numbers_given:
                return None
            by_state |= len(own) > 1 and any(len(one) > 1 and one[0] == start for one in said)
        return by_state

    def read_by(self, value: r.Value) -> Iterator[r.Value]:
        """What a condition is about, also by locals that were set to it."""
        for one in walk(value):
            yield one
            held = strip(self.function.locals.get(one.text, ("", None))[1]) if isinstance(one, r.Name) else None
            if held is not None and not any(isinstance(inner, r.Call | r.Lambda) for inner in walk(held)):
                yield from walk(held)

    @cached_property
    def _numbers_given(self) -> frozenset[str]:
        return frozenset(one.name for one in self.function.record.parameters if holds_number(one.type))

    def steps_of(self, value: r.Value) -> tuple[str, ...]:
        """A name and the members behind it; of a member of the own object `this` first."""
        bare, steps = strip(value), list[str]()
        while isinstance(bare, r.Member | r.Index | r.Unary):
            if isinstance(bare, r.Member):
                steps.append(bare.name)
            bare = strip(bare.value if isinstance(bare, r.Unary) else bare.base)
        if not isinstance(bare, r.Name):
            return ()
        home = self.function.home
        own = home is not None and self.declared(bare.text) is None and home.field(bare.text) is not None
        return (*((THIS,) if own else ()), bare.text, *reversed(steps))

    def said_by(self, how: EndedBlock, at: e.LeaveEvent) -> Answers:
        """What the function says on a way on which it has ended something: that it worked, that it failed, either as
        what has nothing to do with that, or something of which that is not known."""
        if not self.function.record.result or types.parse(self.function.record.result).name == "void":
            return ""
        refused = failure.refuses(self.function, at.value)
        if refused is None and isinstance(strip(at.value), r.Name | r.Call) and at.index in _failing(self.function):
            refused = True
        if refused is not None:
            return "failure" if refused else "success"
        said = names_in(at.value)
        deciding = {
            one.text
            for test, _ in self.flow.guards(self.flow.events[how.at])
            for one in self.read_by(test.value)
            if isinstance(one, r.Name)
        }
        return "" if said and said.isdisjoint(deciding) else "unknown"


def _as_block(one: Block | Cell) -> Block:
    """The block that stands for what `sharing.named_by` names."""
    return ("in", *one) if isinstance(one, Pointer) else one


@flow_question
def _failing(function: Function) -> frozenset[int]:
    """The exits that a failure leaves by."""
    return frozenset(one.leave.index for one in failure.failures(function))


def _are_apart(one: tuple[Range, ...], two: tuple[Range, ...]) -> bool:
    return not any(ranges.can_be("==", left, right) for left in one for right in two)


def _is_as_it_was(draft: MemoryDraft, cell: Cell) -> bool:
    return draft.read(cell) == Pointer(("in", *cell))
