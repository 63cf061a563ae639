"""The loop over a Python function as it is written: way by way, each with a state of its own.

What a state is, and what a value, a name or a block does to it, is a domain's. Here is what all of them have in common:
the order of statements, which way a condition goes that was asked before, that what is left runs the ends of the blocks
around it, that a handler begins with any state of its `try`, and that a loop is run twice, so that the next round meets
what the first has left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

from ownlint.engine import decided
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.project.questions import read
from ownlint.project.subjects import Function
from ownlint.steps import spend


class Knowing(Protocol):
    """A state says how conditions came out on its way."""

    @property
    def facts(self) -> decided.Facts: ...


S = TypeVar("S", bound=Knowing)


class TooLongError(Exception):
    """The function has too many statements on too many ways."""


class Left(NamedTuple, Generic[S]):
    """The states in which a running loop was left early, and how many blocks stood around it."""

    breaks: list[S]
    continues: list[S]
    around: int

    def by(self, kind: str) -> list[S]:
        return self.continues if kind == "continue" else self.breaks


class Ways(Generic[S]):
    """Runs the statements of one function over all states; `state` is the one that is at work."""

    MOST_STATES: ClassVar[int]
    """Ways followed at once: one that is not followed is a bug that is not reported."""
    MOST_STEPS: ClassVar[int]
    """Statements interpreted in one function, over all states; beyond it the function is left alone."""

    MOST_WAYS: ClassVar[int] = 6
    """Ways through one expression."""

    function: Function
    state: S
    listener: Callable[[Span, Sequence[S]], None] | None = None
    """Is told of the states that come to each statement."""

    def __init__(self) -> None:
        self.steps = 0
        self.too_long = False
        self.going: tuple[int, ...] = ()
        """Which way to go where the next choices are."""
        self.gone: list[tuple[int, int]] = []
        """Which way was gone where there was a choice, and between how many."""
        self.loops: list[Left[S]] = []
        """The loops around, the innermost last."""
        self.rounds: list[int] = []
        """In which round each of them is, from 1."""
        self.exits: list[Callable[[list[S]], list[S]]] = []
        """What runs when control leaves the `with` and `try` blocks around, the innermost last."""
        self.ends: list[S] = []
        """In which the function returns."""

    # --- what a domain says ---

    def evaluate(self, value: r.Value | None) -> object:
        """What is evaluated for what it does."""
        raise NotImplementedError

    def ask(self, condition: r.Value | None) -> object:
        """What is evaluated to decide which way to go."""
        return self.evaluate(condition)

    def fork(self, states: Sequence[S]) -> list[S]:
        """The same states once more, for another way: copies where states can be changed."""
        return list(states)

    def knowing(self, state: S, facts: decided.Facts) -> S:
        """The state with these for what it knows of conditions: a copy where states can be changed."""
        raise NotImplementedError

    def returns(self, statement: r.Leave) -> object:
        """A `return` or `raise` evaluates what it gives; the blocks around have not ended yet."""
        raise NotImplementedError

    def thrown(self, statement: r.Leave, states: list[S]) -> object:
        """The function raises this; the blocks around have not ended yet."""

    def returned(self, statement: r.Leave) -> object:
        """The function has ended by this `return`, and so have its blocks."""

    def choose(self, statement: r.Switch) -> object:
        """A `match` evaluates its subject."""
        return self.evaluate(statement.value)

    def matched(self, case: r.Case, statement: r.Switch) -> object:
        """A case is tried."""
        for value in case.values:
            self.evaluate(value)
        return None

    def behind(self, case: r.Case) -> r.Body:
        """What is run once a case was matched."""
        return case.body

    def chosen(self, statement: r.Switch) -> object:
        """A `match` is left at its end."""

    def begin(self, statement: r.Loop) -> object:
        """A loop begins: what is walked is evaluated."""

    def next_item(self, statement: r.Loop) -> object:
        """A `for` gets its next element."""

    def through(self, statement: r.Loop, states: list[S]) -> list[S]:
        """Those in which a loop can be over before its next round."""
        return [] if endless(statement) else self.fork(states)

    def going_on(self, statement: r.Loop, states: list[S]) -> list[S]:
        """Those in which it can have another round."""
        return states

    def finish(self, statement: r.Loop) -> object:
        """A loop is over."""

    def most_rounds(self, statement: r.Loop) -> int:
        """How often the body is run."""
        return 2

    def attempt(self, statement: r.Try, states: list[S]) -> tuple[list[S], list[S]]:
        """The body of a `try`: the states in which it ends, and all on the way, in which it may be left."""
        raised, after = self.fork(states), states
        for inner in statement.body:
            after = self.statement(inner, after) if after else []
            raised += self.fork(after)
        return after, raised

    def caught(self, handler: r.Handler, statement: r.Try, raised: list[S]) -> list[S]:
        """Those in which a handler begins."""
        return raised

    def enter(self, statement: r.With) -> object:
        """The contexts of a `with` are entered."""
        raise NotImplementedError

    def within(self, statement: r.With, states: list[S]) -> list[S]:
        """Its body."""
        return self.block(statement.body, states)

    def exit(self, statement: r.With) -> object:
        """They are left, whichever way leads out."""

    def delete(self, targets: tuple[r.Value, ...], at: Span) -> None:
        raise NotImplementedError

    def not_understood(self, names: tuple[str, ...]) -> None:
        """A statement that could not be read, and the names in it."""
        raise NotImplementedError

    def define(self, statement: r.Nested) -> None:
        """A function or class inside of this one."""
        raise NotImplementedError

    # --- states ---

    def follow(self, begin: S) -> bool:
        """Whether the function was followed to its ends, from this state on."""
        try:
            self.ends += self.block(self.function.body, [begin])
        except TooLongError:
            self.too_long = True
            read(("large", *self.function.key[1:]))
            self.function.program.too_large[self.function] = None
        return not self.too_long

    def distinct(self, states: Iterable[S]) -> list[S]:
        """Each state once, in order, at most `MOST_STATES`."""
        return list(dict.fromkeys(states))[: self.MOST_STATES]

    def each(self, states: list[S], action: Callable[[], object]) -> list[S]:
        """`action` on each state, and where it can go several ways on each of them.

        Raises:
            TooLongError: `MOST_STEPS` are done.
        """
        around = self.going, self.gone
        out: list[S] = []
        for state in states:
            self.going = ()
            waiting: list[tuple[int, ...]] = []
            for number in range(self.MOST_WAYS):
                self.steps += 1
                spend()
                if self.steps > self.MOST_STEPS:
                    raise TooLongError
                self.gone = []
                self.state = state if not number else self.fork([state])[0]
                action()
                out.append(self.state)
                if self.gone:
                    waiting += self._other_ways()
                if not waiting:
                    break
                self.going = waiting.pop(0)
        self.going, self.gone = around
        return self.distinct(out)

    def choose_way(self, number: int) -> int:
        """Which of several ways what is evaluated goes now: `each` goes all of them."""
        if number <= 1:
            return 0
        at = len(self.gone)
        way = self.going[at] if at < len(self.going) else 0
        self.gone.append((way, number))
        return way

    def _other_ways(self) -> Iterator[tuple[int, ...]]:
        """Where there was a choice just now, the others."""
        ways = tuple(way for way, _ in self.gone)
        for at in range(len(self.going), len(self.gone)):
            yield from ((*ways[:at], other) for other in range(1, self.gone[at][1]))

    # --- statements ---

    def block(self, body: r.Body, states: list[S]) -> list[S]:
        for statement in body:
            if not states:
                break
            states = self.statement(statement, states)
        return states

    def statement(self, statement: r.Statement, states: list[S]) -> list[S]:
        if self.listener is not None:
            self.listener(statement.span, states)
        match statement:
            case r.Evaluate(value=value):
                return self.each(states, lambda: self.evaluate(value))
            case r.Leave():
                return self._leave(statement, states)
            case r.Branch():
                return self._branch(statement, states)
            case r.Loop():
                return self.loop(statement, states)
            case r.Switch():
                return self._switch(statement, states)
            case r.Try():
                return self._try(statement, states)
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

    def _branch(self, statement: r.Branch, states: list[S]) -> list[S]:
        """Each way, where it is not known that it is not taken."""
        states = self.each(states, lambda: self.ask(statement.condition))
        yes, no = self.taking(statement.condition, True, states), self.taking(statement.condition, False, states)
        return self.merged(self.block(statement.then, yes), self.block(statement.other, no))

    def merged(self, then: list[S], other: list[S]) -> list[S]:
        """Both ways of a branch; where they differ in how it came out alone, they are one."""
        known = {self.knowing(state, decided.NO_FACTS): state.facts for state in then}
        plain = [self.knowing(state, decided.NO_FACTS) for state in other]
        if known.keys() == set(plain):  # nothing to do with what is followed
            both = zip(other, plain, strict=True)
            return self.distinct(self.knowing(s, decided.common(s.facts, known[bare])) for s, bare in both)
        return self.distinct(then + other)

    def taking(self, condition: r.Value | None, outcome: bool, states: list[S]) -> list[S]:
        ways = (s for s in states if decided.answer(condition, s.facts) in (None, outcome))
        return self.distinct(self.knowing(s, decided.assume(condition, outcome, s.facts)) for s in ways)

    def _switch(self, statement: r.Switch, states: list[S]) -> list[S]:
        states = self.each(states, lambda: self.choose(statement))
        left = [state for case in statement.cases for state in self._case(case, statement, self.fork(states))]
        if all(case.values for case in statement.cases):
            left += states
        return self.each(self.distinct(left), lambda: self.chosen(statement))

    def _case(self, case: r.Case, statement: r.Switch, states: list[S]) -> list[S]:
        return self.block(self.behind(case), self.each(states, lambda: self.matched(case, statement)))

    def _leave(self, statement: r.Leave, states: list[S]) -> list[S]:
        if statement.kind in ("break", "continue") and self.loops:
            left = self.loops[-1]
            left.by(statement.kind).extend(self._leaving(states, left.around))
            return []
        states = self.each(states, lambda: self.returns(statement))
        if statement.kind == "return":
            self.ends += self.each(self._leaving(states, 0), lambda: self.returned(statement))
        elif statement.kind == "throw":
            self.thrown(statement, states)
        return []

    def _leaving(self, states: list[S], around: int) -> list[S]:
        """The blocks between here and the outer `around` ones end, the innermost first."""
        exits, self.exits = self.exits, self.exits[:around]
        for number in range(len(exits), around, -1):
            self.exits = exits[: number - 1]
            states = exits[number - 1](states)
        self.exits = exits
        return states

    # --- loops, handlers, contexts ---

    def loop(self, statement: r.Loop, states: list[S]) -> list[S]:
        states = self.each(states, lambda: self.begin(statement))
        self.loops.append(Left([], [], len(self.exits)))
        after: list[S] = []
        most = self.most_rounds(statement)
        for number in range(1, most + 2):
            self.rounds.append(number)
            if statement.condition is not None:
                states = self.each(states, lambda: self.ask(statement.condition))
            after += self.through(statement, states)
            if number <= most:
                states = self.round(statement, self.going_on(statement, states))
            self.rounds.pop()
        after = self.block(statement.otherwise, self.distinct(after))
        return self.each(self.distinct(after + self.loops.pop().breaks), lambda: self.finish(statement))

    def round(self, statement: r.Loop, states: list[S]) -> list[S]:
        if statement.kind == "range":
            states = self.each(states, lambda: self.next_item(statement))
        continued = self.loops[-1].continues
        states = self.distinct(self.block(statement.body, states) + continued)
        continued.clear()
        return states

    def _try(self, statement: r.Try, states: list[S]) -> list[S]:
        if statement.final:
            self.exits.append(lambda left: self.block(statement.final, left))
        after, raised = self.attempt(statement, states)
        ways = self.block(statement.otherwise, after)
        for handler in statement.handlers:
            entering = self.distinct(self.fork(self.caught(handler, statement, raised)))
            ways = ways + self.block(handler.body, entering)
        ways = self.distinct(ways)
        if not statement.final:
            return ways
        self.exits.pop()
        if ways:
            return self.block(statement.final, ways)
        self.block(statement.final, self.distinct(self.fork(raised)))  # it runs, and what was raised goes on
        return []

    def with_block(self, statement: r.With, states: list[S]) -> list[S]:
        states = self.each(states, lambda: self.enter(statement))
        self.exits.append(lambda left: self.each(left, lambda: self.exit(statement)))
        states = self.within(statement, states)
        self.exits.pop()
        return self.each(states, lambda: self.exit(statement))


def endless(loop: r.Loop) -> bool:
    """`while True:` ends by `break` alone."""
    return isinstance(loop.condition, r.Literal) and loop.condition.text in ("True", "1")
