"""How a flow goes through a Python function: path by path, each path with a state of its own.

What a state is, and what a value or a name does to it, is the flow's to say. Here is what all flows have in common: the
order of statements, how many states and steps are followed, and that a loop is run twice, so that the next round meets
what the first has left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Generic, NamedTuple, TypeVar

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.steps import spend

S = TypeVar("S")


class TooLongError(Exception):
    """The function has too many statements on too many paths."""


class Left(NamedTuple, Generic[S]):
    """The states in which a running loop was left early, and how many blocks stood around it."""

    breaks: list[S]
    continues: list[S]
    around: int = 0

    def by(self, kind: str) -> list[S]:
        return self.continues if kind == "continue" else self.breaks


class Paths(Generic[S]):
    """Runs the statements of one function over all states; `state` is the one that is at work."""

    MOST_STATES: ClassVar[int]
    """Paths followed at once: one that is not followed is a bug that is not reported."""
    MOST_STEPS: ClassVar[int]
    """Statements interpreted in one function, over all states; beyond it the function is left alone."""

    state: S
    steps: int = 0
    too_long: bool = False
    loops: list[Left[S]]
    """The loops around, the innermost last."""

    # --- what a flow says ---

    def evaluate(self, value: r.Value | None) -> object:
        """What is evaluated for what it does."""
        raise NotImplementedError

    def leaving(self, statement: r.Leave, states: list[S]) -> list[S]:
        raise NotImplementedError

    def switch(self, statement: r.Switch, states: list[S]) -> list[S]:
        raise NotImplementedError

    def branch(self, statement: r.Branch, states: list[S]) -> list[S]:
        raise NotImplementedError

    def loop(self, statement: r.Loop, states: list[S]) -> list[S]:
        raise NotImplementedError

    def trying(self, statement: r.Try, states: list[S]) -> list[S]:
        raise NotImplementedError

    def with_block(self, statement: r.With, states: list[S]) -> list[S]:
        raise NotImplementedError

    def delete(self, targets: tuple[r.Value, ...], at: Span) -> None:
        raise NotImplementedError

    def not_understood(self, names: tuple[str, ...]) -> None:
        """A statement that could not be read, and the names in it."""
        raise NotImplementedError

    def define(self, statement: r.Nested) -> None:
        """A function or class inside of this one."""
        raise NotImplementedError

    # --- what they have in common ---

    def distinct(self, states: Iterable[S]) -> list[S]:
        """Each state once, in order, at most `MOST_STATES`."""
        return list(dict.fromkeys(states))[: self.MOST_STATES]

    def block(self, body: r.Body, states: list[S]) -> list[S]:
        for statement in body:
            if not states:
                break
            states = self.statement(statement, states)
        return states

    def each(self, states: list[S], action: Callable[[], object]) -> list[S]:
        """`action` on each state.

        Raises:
            TooLongError: `MOST_STEPS` are done.
        """
        out: list[S] = []
        for state in states:
            self.steps += 1
            spend()
            if self.steps > self.MOST_STEPS:
                raise TooLongError
            self.state = state
            action()
            out.append(self.state)
        return self.distinct(out)

    def statement(self, statement: r.Statement, states: list[S]) -> list[S]:
        match statement:
            case r.Evaluate(value=value):
                return self.each(states, lambda: self.evaluate(value))
            case r.Leave():
                return self.leaving(statement, states)
            case r.Branch():
                return self.branch(statement, states)
            case r.Loop():
                return self.loop(statement, states)
            case r.Switch():
                return self.switch(statement, states)
            case r.Try():
                return self.trying(statement, states)
            case r.With():
                return self.with_block(statement, states)
            case r.Delete(targets=targets):
                return self.each(states, lambda: self.delete(targets, statement.span))
            case r.Block(body=body):
                return self.block(body, states)
            case r.Opaque(names=names):
                return self.each(states, lambda: self.not_understood(names))
            case r.Nested():
                return self.each(states, lambda: self.define(statement))
        return states

    def two_rounds(
        self, statement: r.Loop, states: list[S], next_item: Callable[[], None] | None, around: int = 0
    ) -> tuple[list[S], list[S]]:
        """The body twice, after `next_item` each time: the states in which it ends, and in which it is broken off."""
        self.loops.append(Left([], [], around))
        after: list[S] = []
        for _ in range(2):
            after += [] if endless(statement) else states
            if next_item is not None:
                states = self.each(states, next_item)
            states = self.block(statement.body, states)
            states = self.distinct(states + self.loops[-1].continues)
            self.loops[-1].continues.clear()
            states = self.each(states, lambda: self.evaluate(statement.condition))
        after += [] if endless(statement) else states
        return self.distinct(after), self.loops.pop().breaks


def endless(loop: r.Loop) -> bool:
    """`while True:` ends by `break` alone."""
    return isinstance(loop.condition, r.Literal) and loop.condition.text in ("True", "1")
