"""Lambdas as objects: which locals one looks at, and where one is kept beyond the function that made it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ownlint.domains.memory.blocks import Cell, EndedBlock, MemoryDraft, Pointer
from ownlint.domains.memory.moves import Moves
from ownlint.domains.memory.pointers import captured
from ownlint.facts import records as r
from ownlint.finding import because
from ownlint.flow import events as e
from ownlint.flow.places import strip
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_question
from ownlint.project.subjects import Function

KEPT = "<kept>"
"""The step from a container to the lambda that was put into it last."""
_RUNS = frozenset({"callable", "thread"})
_WAKES = frozenset({"mutex", "condition variable", "future", "atomic"})
_DEEPEST = 4
_UNWAITED = because("threads", "harmless if this waits for the thread")
_HOLDS_LAMBDA = re.compile(rb"\[10,")


@program_question
def keepers(program: Program) -> frozenset[str]:
    """Last names of what keeps what it is given, and of what lets go of what it has."""
    return program.models.functions_that(
        lambda model: model.has("keep", "argument 1") or model.has("disown", "receiver")
    )


@flow_question
def keeps_lambda(function: Function) -> bool:
    """Whether a lambda that looks at locals may be kept beyond the function: returned, put into something, or run by a
    thread that nobody waits for."""
    if not function.says(_HOLDS_LAMBDA):
        return False
    made = [one for one in function.values if isinstance(one, r.Lambda) and one.captures]
    if not made:
        return False
    return not keepers(function.program).isdisjoint(function.mentioned) or any(
        (isinstance(one, r.Leave) and one.value is not None)
        or (isinstance(one, r.Evaluate) and isinstance(one.value, r.Assign))
        for one in function.statements
    )


class LambdaObjects(Moves):
    """The lambdas of one function."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.kept_at: dict[Cell, tuple[e.Event, str]] = {}
        """By the cell that holds a lambda, which event put it there, and how the code calls the place."""

    @cached_property
    def lambdas_of(self) -> dict[int, r.Lambda]:
        """The lambdas that the function makes, by their number in the file."""
        return {one.function: one for one in self.function.values if isinstance(one, r.Lambda)}

    def is_value(self, name: str) -> bool:
        raise NotImplementedError

    def is_seen(self, block: tuple[object, ...]) -> bool:
        raise NotImplementedError

    def run_by(self, draft: MemoryDraft, call: r.Call) -> Pointer | None:
        """The lambda that an object is made of which calls it: a function object, a thread."""
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        if not call.args or _RUNS.isdisjoint(self.program.types.roles(written, self.function)):
            return None
        held = self.pointer(draft, call.args[0])
        return held if held.block[0] == "lambda" else None

    def looked_at_by(self, draft: MemoryDraft, number: int, depth: int = 0) -> Iterator[str]:
        """The locals of the function that a lambda looks at when it is called."""
        made = self.lambdas_of.get(number)
        if made is None or depth > _DEEPEST:
            return
        told = {one.name: one for one in made.captures}
        for name in sorted(captured(self.function, made)):
            capture = told.get(name)
            if capture.by_reference if capture is not None else "&" in told:
                place = self.cell(draft, capture.value) if capture is not None and capture.value is not None else None
                block = place.block if place is not None else ("var", name)
                if capture is None or capture.value is None or place is not None:
                    yield from self.own_objects(block)
                continue
            value = capture.value if capture is not None else None
            held = self.pointer(draft, value) if value is not None else draft.read(Cell(("var", name)))
            if held.block[0] == "lambda":
                yield from self.looked_at_by(draft, held.block[1], depth + 1)
            else:
                yield from self.own_objects(held.block)

    def own_objects(self, block: tuple[object, ...]) -> Iterator[str]:
        if block[0] == "var" and self.is_own(str(block[1])) and self.is_value(str(block[1])):
            yield str(block[1])

    def returned_lambda(self, draft: MemoryDraft, answer: Pointer, value: r.Value) -> None:
        for name in list(self.looked_at_by(draft, answer.block[1]))[:1]:
            self.report("returned", self.named(value), EndedBlock(self.event.index, "scope", name), answer.block)

    def keep_lambda(self, draft: MemoryDraft, where: Cell | None, held: Pointer, target: r.Value, kind: str) -> None:
        """A lambda is put into a place of that type; what is put there next takes its place."""
        if where is None or held.block[0] != "lambda":
            return
        if "callable" in self.program.types.roles(kind, self.function):
            draft.put(where, held)
            self.kept_at[where] = (self.event, self.named(target))

    def lambdas_left(self, draft: MemoryDraft) -> None:
        """The function is left: what stays behind with others must not look at its locals."""
        leaving = self.event
        for cell, held in draft.cells.items():
            if held.block[0] == "lambda" and cell in self.kept_at and self.is_seen(cell.block):
                for name in list(self.looked_at_by(draft, held.block[1]))[:1]:
                    self.event, shown = self.kept_at[cell]
                    self.report("stored", shown, EndedBlock(leaving.index, "scope", name), held.block)
        self.event = leaving

    def detach(self, draft: MemoryDraft, thread: r.Value) -> None:
        """A thread goes on by itself, with what it looks at."""
        held = self.pointer(draft, thread)
        if held.block[0] != "lambda":
            return
        names = list(self.looked_at_by(draft, held.block[1]))
        for name in names:
            written = (self.declared(name) or ("", None))[0]
            if not _WAKES.isdisjoint(self.program.types.roles(written, self.function)):
                return  # by which the function can wait for it
        for name in names[:1]:
            how = EndedBlock(self.event.index, "scope", name, _UNWAITED)
            self.report("stored", self.named(strip(thread)), how, held.block)
