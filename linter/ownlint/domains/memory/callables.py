"""What can be called as an object: which function a value leads to, and with what it is bound; which locals a lambda
looks at, and where one is kept beyond the function that made it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ownlint.domains.memory.blocks import LOST, Cell, EndedBlock, MemoryDraft, Path, Pointer
from ownlint.domains.memory.moves import Moves
from ownlint.domains.memory.pointers import captured, keepers
from ownlint.facts import records as r
from ownlint.finding import because
from ownlint.flow import events as e
from ownlint.flow.places import strip, walk
from ownlint.project import qualified, types
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_question
from ownlint.project.subjects import Function

KEPT = "<kept>"
"""The step from a container to the lambda that was put into it last."""
_CALLED = "<called>"
_GIVEN = "<given> "
"""The steps from what `std::bind` has made to what it calls, and to the arguments that it gives."""
_LATER = re.compile(r"(?:.*::)?_([1-9])$")
"""An argument that is given only by who calls it."""
_RUNS = frozenset({"callable", "thread"})
_WAKES = frozenset({"mutex", "condition variable", "future", "atomic"})
_DEEPEST = 4
_UNWAITED = because("threads", "harmless if this waits for the thread")
_HOLDS_LAMBDA = re.compile(rb"\[10,")


class RunningFunction(NamedTuple):
    """A function that a value leads to is called: on that object, with these arguments, or with those of the call
    itself where there are none."""

    function: Function
    on: Pointer | None = None
    given: tuple[Pointer, ...] | None = None


@program_question
def assigned(program: Program) -> frozenset[str]:
    """The names that some body assigns to."""
    return frozenset(name[1:] for name in program.index.mentioned("cpp", "python") if name[:1] == "=")


@flow_question
def keeps_lambda(function: Function) -> bool:
    """Whether a lambda that looks at locals may be kept beyond the function: returned, put into something, or run by a
    thread that nobody waits for."""
    if not function.says(_HOLDS_LAMBDA):
        return False
    made = {one.span for one in function.values if isinstance(one, r.Lambda) and one.captures}
    if not made:
        return False
    if not keepers(function.program).isdisjoint(function.mentioned):
        return True

    def leads(value: r.Value | None) -> bool:
        return any(
            one.span in made if isinstance(one, r.Lambda) else isinstance(one, r.Name) and one.text in holders
            for one in walk(value)
        )

    holders: set[str] = set()
    holders |= {name for name, (_, value) in function.locals.items() if leads(value)}
    return any(
        (isinstance(one, r.Leave) and leads(one.value))
        or (isinstance(one, r.Evaluate) and isinstance(one.value, r.Assign) and leads(one.value.value))
        for one in function.statements
    )


class LambdaObjects(Moves):
    """The lambdas of one function."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.kept_at: dict[Cell, tuple[e.Event, str]] = {}
        """By the cell that holds a lambda, which event put it there, and how the code calls the place."""

    # --- which function it is ---

    def bind_arguments(self, draft: MemoryDraft, node: r.Call) -> Pointer:
        """`std::bind(function, arguments)`."""
        made = draft.begin(("bound", self.event.index))
        called, *given = (self.pointer(draft, one) for one in node.args)
        draft.put(Cell(made.block, (_CALLED,)), called)
        for index, (one, value) in enumerate(zip(given, node.args[1:], strict=True)):
            later = _LATER.match(value.text) if isinstance(value, r.Name) else None
            draft.put(Cell(made.block, (f"{_GIVEN}{index}",)), Pointer(("constant", later[1])) if later else one)
        return made

    def running(
        self, draft: MemoryDraft, held: Pointer, given: tuple[Pointer, ...] | None = None
    ) -> RunningFunction | None:
        """Which function it is that the pointer leads to, and with what it is called; None where nobody knows."""
        if held.block[0] != "bound":
            function = self.function_of(draft, held)
            return self.on_object(function, given) if function is not None else None
        function = self.function_of(draft, draft.read(Cell(held.block, (_CALLED,))))
        bound: list[Pointer] = []
        while (one := draft.cells.get(Cell(held.block, (f"{_GIVEN}{len(bound)}",)))) is not None:
            at = int(one.block[1]) - 1 if one.block[0] == "constant" else -1
            bound.append((given[at] if given is not None and at < len(given) else LOST) if at >= 0 else one)
        return self.on_object(function, tuple(bound)) if function is not None else None

    @staticmethod
    def on_object(function: Function, given: tuple[Pointer, ...] | None) -> RunningFunction:
        """A method is called on the first of what is given."""
        if given and function.record.kind == "method" and "static" not in function.record.qualifiers:
            return RunningFunction(function, given[0], given[1:])
        return RunningFunction(function, None, given)

    def function_of(self, draft: MemoryDraft, held: Pointer, depth: int = 0) -> Function | None:
        """The function, if there is one alone that the pointer can lead to."""
        match held:
            case Pointer(("lambda", index), _):
                return self.program.index.function_at(self.function.file, index)
            case Pointer(("var", name), ()) | Pointer(("in", ("var", name), ()), ()) if self.declared(name) is None:
                begun = self.constant(draft, name, ()) if depth < _DEEPEST else None
                if begun is not None:
                    return self.function_of(draft, begun, depth + 1)
                return self.program.calls.meant(name, self.function)
            case Pointer(("in", ("var", name), path) | ("late", _, ("var", name), path), ()) if (
                self.declared(name) is None
            ):
                begun = self.constant(draft, name, path)
                return self.function_of(draft, begun, depth + 1) if begun is not None and depth < _DEEPEST else None
        return None

    def constant(self, draft: MemoryDraft, name: str, path: Path) -> Pointer | None:
        """What a variable of the program that nobody assigns to holds there from the start on."""
        last = qualified.last(name)
        scopes = ("", *self.program.names.scopes(self.function))
        found = [
            one
            for file, one in self.program.index.variables_called(last)
            if ("::" in name or one.scope in scopes) and (file is self.function.file or not one.static)
        ]
        variable = max(found, key=lambda one: len(one.scope)) if found else None
        if variable is None or [one.scope for one in found].count(variable.scope) > 1:
            return None
        if not types.parse(variable.type).const and not assigned(self.program).isdisjoint((last, *path[-1:])):
            return None
        if not path:
            return self.pointer(draft, variable.value)
        parts = dict(self.parts(draft, variable.type, variable.value))
        return parts.get(path[0]) if len(path) == 1 else None

    # --- what lambdas look at ---

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
