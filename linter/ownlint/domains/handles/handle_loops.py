"""Loops and callbacks: what is visited, and what is ended or added while it is.

A native sequence is walked by the native side: an iterator may already hold the next element, so that ending it, or
adding to what is walked, goes wrong at the next step. Ending the element that has just been given is harmless.
"""

from __future__ import annotations

from typing import NamedTuple

from ownlint.domains.handles.handle_calls import HandleCalls
from ownlint.domains.handles.handle_chains import at as picked_at
from ownlint.domains.handles.handle_values import MOST_EXACT, exact_length, single_round
from ownlint.domains.handles.handles import (
    NOTHING,
    Classes,
    Fact,
    Handle,
    Handles,
    HandleState,
    Harm,
    How,
    Stale,
    in_order,
    native,
)
from ownlint.domains.python_calls import CODE, PassedArgument, bound_arguments, passed
from ownlint.engine.containment import ANY, HELD
from ownlint.engine.decided import Facts, common
from ownlint.engine.ways import Ways
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.flow.places import last_name
from ownlint.project.subjects import Function

_LOOP_ENDS = "the loop over it ends here"
_STOPS = ("skip", "interrupt", "stop")
"""Last words of what a callback returns so that what it has just been given is not looked into."""


class HandleWalk(NamedTuple):
    """A loop that runs: where it stands, the native sequence it asks, and what it has just been given."""

    site: int
    over: Handles = NOTHING
    given: Handles = NOTHING
    before: bool = False
    """A callback is given what it visits before what lies in it."""


class Loops(HandleCalls, Ways[HandleState]):
    """Runs loops, and functions that are called for each element."""

    MOST_STATES = 8
    MOST_STEPS = 20_000

    def __init__(self, function: Function, classes: Classes) -> None:
        HandleCalls.__init__(self, function, classes)
        Ways.__init__(self)
        self.walks: list[HandleWalk] = []
        self.all_ended: dict[int, Stale | None] = {}
        """For each loop that ends every element on all ways what has done so to the last one."""

    def choose_way(self, number: int) -> int:
        return Ways.choose_way(self, number)

    # --- what inheritors do ---

    def done(self, handles: Handles, call: r.Value, at: Span) -> None:
        """A generator or a context is done: it ends what it says."""
        raise NotImplementedError

    def harmed(self, harm: Harm) -> None:
        """The walk goes on after that."""
        raise NotImplementedError

    # --- loops ---

    def knowing(self, state: HandleState, facts: Facts) -> HandleState:
        return state._replace(facts=facts)

    @property
    def often_run(self) -> bool:
        return bool(self.loops or self.repeated)

    def loop(self, statement: r.Loop, states: list[HandleState]) -> list[HandleState]:
        self.walks.append(HandleWalk(statement.start))
        self.all_ended.pop(statement.start, None)
        after = super().loop(statement, states)
        self.walks.pop()
        ended = self.all_ended.get(statement.start)
        if ended is not None and isinstance(statement.iterable, r.Name):
            name = statement.iterable.text
            after = self.each(after, lambda: self.end_all(name, ended))
        return after

    def end_all(self, name: str, why: Stale) -> None:
        """Every element of a container has ended."""
        held = self.state.get(name)
        gone = frozenset(h._replace(stale=why) if h.path == (ANY,) and h.stale is None else h for h in held)
        self.set_name(name, gone, why.at, "")

    def begin(self, statement: r.Loop) -> None:
        if statement.kind == "range":
            handles = self.use(self.value(statement.iterable), statement.iterable)
            self.set_name(_iterator(statement), handles, statement.span, _LOOP_ENDS)

    def through(self, statement: r.Loop, states: list[HandleState]) -> list[HandleState]:
        if statement.kind != "range":
            return super().through(statement, states)
        lengths = ((state, exact_length(state.get(_iterator(statement)))) for state in states)
        return [state for state, length in lengths if length is None or length < self.rounds[-1]]

    def going_on(self, statement: r.Loop, states: list[HandleState]) -> list[HandleState]:
        if statement.kind != "range":
            return states
        lengths = ((state, exact_length(state.get(_iterator(statement)))) for state in states)
        return [state for state, length in lengths if length is None or length >= self.rounds[-1]]

    def most_rounds(self, statement: r.Loop) -> int:
        return 1 if single_round(statement.iterable) else MOST_EXACT

    def round(self, statement: r.Loop, states: list[HandleState]) -> list[HandleState]:
        """A third round, or a later one, is for lists of which the elements are known alone."""
        if self.rounds[-1] > 2:
            states = [s for s in states if exact_length(s.get(_iterator(statement))) is not None]
        after = super().round(statement, states)
        self.note_ended(statement, after)
        return after

    def note_ended(self, statement: r.Loop, states: list[HandleState]) -> None:
        """Whether each way through the body has ended the element."""
        start = statement.start
        target = statement.target.text if isinstance(statement.target, r.Name) else ""
        if self.rounds[-1] > 2 or not target or (self.rounds[-1] == 2 and self.all_ended.get(start) is None):
            return
        held = [native(state.get(target)) for state in states]
        ended = bool(held) and all(handles and all(h.stale is not None for h in handles) for handles in held)
        self.all_ended[start] = in_order(held[0])[0].stale if ended and not self.loops[-1].breaks else None

    def next_item(self, statement: r.Loop) -> None:
        self.gone_on(statement.start)
        over = self.state.get(_iterator(statement))
        if exact_length(over) is not None:
            elements = frozenset(h.out() for h in over if h.path[:1] == (str(self.rounds[-1] - 1),))
        else:
            elements = self.elements(over, statement.iterable)
        self.walks[-1] = HandleWalk(statement.start, native(over), elements)
        if statement.target is not None:
            self.assign(statement.target, elements, statement.span, None)

    def finish(self, statement: r.Loop) -> None:
        """What was done to the walk harms nobody now."""
        self.state = self.state.gone_on(statement.start)
        if statement.kind == "range" and statement.iterable is not None:
            self.done(self.state.get(_iterator(statement)), statement.iterable, statement.iterable.span)
        self.set_name(_iterator(statement), NOTHING, Span(statement.end, statement.end), _LOOP_ENDS)

    # --- what happens while a loop runs ---

    def noted(self, handle: Handle, how: How, by: r.Node, value: r.Value) -> None:
        """An object ends: what does that to the loops that are running?"""
        if how != "erased":
            return
        for walk in self.walks:
            kind = _ending(walk, handle)
            if kind:
                self.harm(Harm(walk.site, kind, by.span, text(value), _shown(walk)))

    def added(self, where: Handle, by: r.Node) -> None:
        """Something is put behind the last element of what `where` is."""
        for walk in self.walks:
            if any(h.token == where.token and h.chain == where.chain for h in walk.over):
                self.harm(Harm(walk.site, "added", by.span, text(by) if isinstance(by, r.Call) else "", _shown(walk)))

    def gone_on(self, site: int) -> None:
        """The next element is asked for: what was done to the walk before goes wrong now."""
        for harm in sorted(self.state.harms):
            if harm.site == site:
                self.harmed(harm)
        self.state = self.state.gone_on(site)

    def harm(self, harm: Harm) -> None:
        self.state = self.state._replace(harms=self.state.harms | {harm})

    # --- callbacks ---

    def visited(self, call: r.Call, fact: Fact, on: Handle, arguments: list[Handles]) -> None:
        """A function is called with each of what a member visits; the order is one of the other arguments."""
        order = [
            last_name(argument.value if isinstance(argument, r.Pair) else argument).lower()
            for argument in call.args
            if isinstance(argument, (r.Member, r.Name, r.Pair))
        ]
        before = any(word.startswith("pre") for word in order)
        for argument, values in zip(call.args, arguments, strict=True):
            inner, bound = self.callback(argument.value if isinstance(argument, r.Pair) else argument, values)
            if inner is not None and inner.record.parameters:
                given = frozenset(self.taken(on, fact, call, picked_at(-call.end)))
                self.walks.append(HandleWalk(call.start, NOTHING, given, before))
                self.run_inside(inner, passed(inner, [*bound, PassedArgument(given)]))
                self.walks.pop()
                self.gone_on(call.start)

    def callback(self, value: r.Value, on: Handles) -> tuple[Function | None, list[PassedArgument[Handle]]]:
        """The function of this file that is meant, and what it is bound to: `self.visit`, `partial(f, x)`, `F()`."""
        inner = self.function_of(value)
        if inner is not None:
            return inner, []
        bound = bound_arguments(h for h in on if h.path and h.path[0][0] == HELD)
        if (cls := self.class_of(on)) is not None:
            found, bound = self.classes.code.method(cls, "__call__"), [PassedArgument(on)]
        else:
            codes = {h.cls for h in on if not h.path and h.cls.startswith(CODE)}
            found = self.classes.code.function_of(codes.pop()) if len(codes) == 1 else None
        return (found, bound) if found is not None and found.path == self.function.path else (None, [])

    def function_of(self, value: r.Value) -> Function | None:
        """The function of this file that is meant: a lambda, a nested function, or one of the module."""
        program = self.function.program
        if isinstance(value, r.Lambda):
            return program.index.function_at(self.function.file, value.function)
        if not isinstance(value, r.Name):
            return None
        nested = [inner for inner in program.index.nested(self.function) if inner.name == value.text]
        if nested:
            return nested[-1] if len(nested) == 1 else None
        found = self.classes.code.function(self.symbol(value), self.function.file)
        return found if found is not None and found.path == self.function.path else None

    def run_inside(self, inner: Function, given: dict[str, Handles]) -> None:
        """The body of a function that looks at this one's names, for one call; what it leaves on all its ways."""
        if inner in self.running or "generator" in inner.record.qualifiers:
            return
        self.running.append(inner)
        around = self.function.declared if inner.parent is not None else frozenset[str]()
        own = sorted(inner.declared - around | inner.parameter_names)
        before = {name: self.state.get(name) for name in own}
        start = self.state
        for name in own:
            start = start.bind(name, NOTHING, Span(0, 0), "")
        for one in inner.record.parameters:
            start = start.bind(one.name, given.get(one.name, NOTHING), Span(one.start, one.end), "")
        saved = self.ends, self.exits, self.loops
        self.ends, self.exits, self.loops = [], [], []
        ends = self.block(inner.body, [start]) + self.ends
        self.ends, self.exits, self.loops = saved
        state = _joined(ends) if ends else start
        for name, handles in before.items():
            state = state.bind(name, handles, Span(0, 0), "")
        self.state = state
        self.running.pop()

    def callback_returns(self, value: r.Value | None) -> None:
        """What a callback returns may say that the walk does not go into what it was given."""
        if self.running and value is not None and last_name(value).lower() in _STOPS:
            site = self.walks[-1].site if self.walks else -1
            self.state = self.state.gone_on(site)


def _iterator(statement: r.Loop) -> str:
    """The hidden name of what a loop walks."""
    return f"<iterator {statement.start}>"


def _joined(states: list[HandleState]) -> HandleState:
    """What may be so after any of them."""
    joined, *others = states
    names, escaped, stored, facts = joined.names, joined.escaped, joined.stored, joined.facts
    for state in others:
        for name, handles in state.names.entries.items():
            names = names.set(name, names.entries.get(name, NOTHING) | handles)
        for token in state.escaped:
            escaped = escaped.set(token, True)
        for one in state.stored.entries:
            stored = stored.set(one, True)
        facts = common(facts, state.facts)
    return HandleState(
        names,
        escaped,
        stored,
        joined.ended,
        frozenset.intersection(*(state.endings for state in states)),
        frozenset(harm for state in states for harm in state.harms),
        facts,
        dead=joined.dead,
    )


def _ending(walk: HandleWalk, ended: Handle) -> str:
    """How the end of an object harms a walk: it is the one that is given next, or has been given and is looked into."""
    if walk.before:
        return "inside" if any(h.token == ended.token and h.chain == ended.chain for h in walk.given) else ""
    for given in walk.given:
        if given.token == ended.token and given.chain.is_apart_in(ended.chain):
            return "users"
    for over in walk.over:
        steps = ended.chain.below(over.chain) if over.token == ended.token else None
        if steps is not None and len(steps) == 1 and not any(_same_pick(h, ended) for h in walk.given):
            return "next"
    return ""


def _same_pick(given: Handle, ended: Handle) -> bool:
    """Both were given by one loop, in this round or before."""
    last = given.chain.steps[-1] if given.chain.steps else ""
    return bool(ended.chain.steps) and ended.chain.steps[-1].startswith(last)


def _shown(walk: HandleWalk) -> str:
    return next((h.shown for h in in_order(walk.over or walk.given)), "")
