"""An abstract interpreter over the structured body of a Python function: which handles are used too late.

States are kept apart path by path, at most `_MOST_STATES` of them, so that two branches that each bind
an owner and its child do not accuse each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.program.closures import kept_out_of_sight, outside_names, read_by_functions
from ownlint.program.handle_values import Values
from ownlint.program.handles import (
    ANY,
    NOTHING,
    VALUE,
    Classes,
    Handle,
    Handles,
    Misuse,
    State,
    Summary,
    in_order,
    inside,
)
from ownlint.program.subjects import Function

_MOST_STATES = 24
_MOST_STEPS = 20_000
"""Statements interpreted in one function, over all states; beyond it the function is left alone."""

_LOOP_ENDS = "the loop over it ends here"
_WITH_ENDS = "its `with` block ends here"


class _TooLongError(Exception):
    """The function has too many statements on too many paths."""


class Interpreter(Values):
    """Runs one function abstractly and collects misuses. `given` are handles that the caller passes."""

    def __init__(self, function: Function, classes: Classes, given: dict[str, Handles] | None = None) -> None:
        super().__init__(function, classes)
        self.given = given or {}
        self.found: dict[tuple[str, int, int], list[Misuse]] = {}
        self.reached: dict[tuple[str, int, int], int] = {}
        self.returned: list[Handles | None] = []
        self.ends: list[State] = []
        self.too_long = False
        self.steps = 0
        self.loops: list[tuple[list[State], list[State]]] = []
        self.hidden = kept_out_of_sight(function)
        self.outside = outside_names(function)
        self.is_module = function.record.kind == "module"
        self.looked_at = read_by_functions(function) if self.is_module else frozenset[str]()

    # --- running ---

    def run(self) -> list[Misuse]:
        start = State()
        for name, handles in sorted(self.given.items()):
            start = start.bind(name, handles, Span(0, 0), "")
        try:
            self.ends += self.block(self.function.body, [start])
        except _TooLongError:
            self.too_long = True
            return []
        for state in self.ends:
            self.leave(state)
        out = []
        for key, misuses in sorted(self.found.items()):
            sure = self.reached[key] == len(misuses)
            out.append(msgspec.structs.replace(misuses[0], certainty="certain" if sure else "likely"))
        return _first_of_each(out)

    def summary(self) -> Summary | None:
        """What a caller has to know, after `run`; None when it cannot be said."""
        if self.too_long:
            return None
        kept = {-1 - token[0] for state in self.ends for token in state.escaped | state.stored_owners if token[0] < 0}
        return Summary(_common(self.returned), frozenset(kept))

    def block(self, body: r.Body, states: list[State]) -> list[State]:
        for statement in body:
            if not states:
                break
            states = self.statement(statement, states)
        return states

    def each(self, states: list[State], action: Callable[[], None]) -> list[State]:
        out: list[State] = []
        for state in states:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise _TooLongError
            self.state = state
            action()
            out.append(self.state)
        return _distinct(out)

    def statement(self, statement: r.Statement, states: list[State]) -> list[State]:
        match statement:
            case r.Evaluate(value=value):
                return self.each(states, lambda: self.evaluate(value))
            case r.Leave():
                return self.leaving(statement, states)
            case r.Branch(condition=condition):
                states = self.each(states, lambda: self.evaluate(condition))
                return _distinct(self.block(statement.then, states) + self.block(statement.other, states))
            case r.Loop():
                return self.loop(statement, states)
            case r.Switch(value=value, cases=cases):
                states = self.each(states, lambda: self.evaluate(value))
                return _distinct([state for case in cases for state in self.case(case, states)] + states)
            case r.Try():
                return self.trying(statement, states)
            case r.With():
                return self.with_block(statement, states)
            case r.Delete(targets=targets):
                return self.each(states, lambda: self.delete(targets, statement.span))
            case r.Block(body=body):
                return self.block(body, states)
            case r.Opaque(names=names):
                return self.each(states, lambda: self.escape_names(names))
            case r.Nested(name=name, function=index):
                return self.each(states, lambda: self.define(name, index, statement.span))
        return states

    def leaving(self, statement: r.Leave, states: list[State]) -> list[State]:
        def leave() -> None:
            handles = self.value(statement.value)
            if statement.kind == "return":
                nothing = statement.value is None or isinstance(statement.value, r.Literal)
                self.hand_out(handles, statement.value)
                self.returned.append(None if nothing else self.kept_on_return(handles))

        if statement.kind in ("break", "continue") and self.loops:
            self.loops[-1][statement.kind == "continue"].extend(states)
            return []
        states = self.each(states, leave)
        if statement.kind == "return":
            self.ends += states
        return []

    def case(self, case: r.Case, states: list[State]) -> list[State]:
        def matched() -> None:
            for value in case.values:
                self.evaluate(value)

        states = self.each(states, matched)
        return self.block(case.body, states)

    def define(self, name: str, index: int, at: Span) -> None:
        """A nested function holds what it looks at; what its defaults hold is held too."""
        self.set_name(name, self.closure(index) if index >= 0 else NOTHING, at, "`{name}` is defined anew here")

    # --- loops, handlers, contexts ---

    def loop(self, statement: r.Loop, states: list[State]) -> list[State]:
        hidden = f"<iterator {statement.start}>"
        endless = isinstance(statement.condition, r.Literal) and statement.condition.text in ("True", "1")
        before = self.each(states, lambda: self.evaluate(statement.condition))
        self.loops.append(([], []))
        if statement.kind == "range":
            before = self.each(before, lambda: self.start_iteration(statement, hidden))
        rounds, after = before, list[State]()
        for _ in range(2):
            after += [] if endless else rounds
            if statement.kind == "range":
                rounds = self.each(rounds, lambda: self.next_item(statement, hidden))
            rounds = self.block(statement.body, rounds)
            rounds = _distinct(rounds + self.loops[-1][1])
            self.loops[-1][1].clear()
            rounds = self.each(rounds, lambda: self.evaluate(statement.condition))
        after += [] if endless else rounds
        breaks, _ = self.loops.pop()
        after = self.block(statement.otherwise, _distinct(after))
        at = Span(statement.end, statement.end)
        return self.each(_distinct(after + breaks), lambda: self.set_name(hidden, NOTHING, at, _LOOP_ENDS))

    def start_iteration(self, statement: r.Loop, hidden: str) -> None:
        handles = self.use(self.value(statement.iterable), statement.iterable)
        self.set_name(hidden, handles, statement.span, _LOOP_ENDS)

    def next_item(self, statement: r.Loop, hidden: str) -> None:
        elements = self.elements(self.state.get(hidden), statement.iterable)
        if statement.target is not None:
            self.assign(statement.target, elements, statement.span, None)

    def trying(self, statement: r.Try, states: list[State]) -> list[State]:
        raised = list(states)
        after = states
        for inner in statement.body:
            after = self.statement(inner, after) if after else []
            raised += after
        ways = self.block(statement.otherwise, after)
        for handler in statement.handlers:
            ways = ways + self.block(handler.body, _distinct(raised))
        ways = _distinct(ways)
        return self.block(statement.final, ways or _distinct(raised)) if statement.final else ways

    def with_block(self, statement: r.With, states: list[State]) -> list[State]:
        names = [f"<with {statement.start} {position}>" for position in range(len(statement.items))]

        def enter() -> None:
            for name, item in zip(names, statement.items, strict=True):
                handles = self.value(item.value)
                self.set_name(name, handles, item.span, _WITH_ENDS)
                if item.target is not None:
                    self.assign(item.target, handles, item.span, item.value)

        def leave() -> None:
            for name in names:
                self.set_name(name, NOTHING, Span(statement.end, statement.end), _WITH_ENDS)

        return self.each(self.block(statement.body, self.each(states, enter)), leave)

    def delete(self, targets: tuple[r.Value, ...], at: Span) -> None:
        for target in targets:
            match target:
                case r.Name(text=name):
                    self.set_name(name, NOTHING, at, "`{name}` is deleted here")
                case r.Aggregate(items=items):
                    self.delete(items, at)
                case _:
                    self.evaluate(target)

    def leave(self, state: State) -> None:
        """The function ends: what was stored outlives it, its locals do not. The names of a module and of a class
        body stay."""
        kept = set(state.stored_owners)
        if self.is_module or self.function.record.kind == "class":
            kept |= {h.token for _, handles in state.names for h in handles if h.holds}
        self.state = state
        for stored in sorted(state.stored, key=lambda s: (s.at, s.name, s.handle.taken, s.handle.path)):
            handle = stored.handle
            if stored.name and handle not in state.get(stored.name):
                continue
            if not handle.holds and handle.token not in kept:
                self.judge("store", handle, stored.at, dead=handle.token not in state.escaped)

    # --- judging ---

    def judge(self, kind: str, handle: Handle, at: Span, *, dead: bool) -> None:
        site = handle.token[0]
        if site < 0:  # the caller's own
            return
        key = (kind, at.start, handle.taken.start)
        self.reached[key] = self.reached.get(key, 0) + 1
        if dead:
            ended = self.state.end_of(handle.token)
            misuse = Misuse(self.function, kind, at, handle, self.owners[site], self.made[site], ended, "certain")
            self.found.setdefault(key, []).append(misuse)

    def use(self, handles: Handles, value: r.Value | None) -> Handles:
        gone: set[Handle] = set()
        for handle in in_order(handles):
            if handle.path or handle.holds or value is None:
                continue
            dead = handle.token[0] >= 0 and not self.state.alive(handle.token)
            self.judge("use", handle, value.span, dead=dead)
            if dead:
                gone.add(handle)
        return handles - gone if gone else handles

    def hand_out(self, handles: Handles, value: r.Value | None) -> None:
        """These handles leave the function; what holds their owner may leave with them."""
        kept = {h.token for h in handles if h.holds} | self.state.stored_owners | self.state.escaped
        for handle in in_order(handles):
            if not handle.holds and value is not None:
                self.judge("return", handle, value.span, dead=handle.token not in kept)

    def kept_on_return(self, handles: Handles) -> Handles:
        """Without those that are dead when the caller gets them: they are reported here."""
        held = {h.token for h in handles if h.holds}
        return frozenset(h for h in handles if h.token in held or h.token[0] < 0)

    # --- names ---

    def set_name(self, name: str, handles: Handles, at: Span, how: str) -> None:
        self.state = self.state.bind(name, handles, at, how)
        if name in self.hidden:
            self.escape_all(handles)

    def assign(self, target: r.Value, handles: Handles, at: Span, source: r.Value | None = None) -> None:
        match target:
            case r.Name(text=name):
                self.assign_name(name, handles, at)
            case r.Aggregate(items=items):
                self.unpack(items, handles, at, source)
            case r.Unary(op="spread", value=inner):
                self.assign(inner, inside(handles, ANY), at)
            case r.Member(base=base, name=name):
                if not self.is_native(base):
                    self.put(base, inside(handles, "." + name), at)
            case r.Index(base=base, indexes=indexes):
                for index in indexes:
                    self.evaluate(index)
                if not self.is_native(base) and self.may_be_container(base):
                    self.put(base, inside(handles, VALUE), at)

    def assign_name(self, name: str, handles: Handles, at: Span) -> None:
        if name in self.outside:
            self.escape_all(h for h in handles if h.holds)
            self.store(handles, at)
        elif self.function.record.kind == "class":
            self.store(handles, at)
        elif name in self.looked_at:
            self.store(handles, at, name)
        self.set_name(name, handles, at, "`{name}` is bound to something else here")

    def is_native(self, base: r.Value) -> bool:
        """A native object that is written to: that is a setter, which points at what it is given and no more."""
        native = frozenset(h for h in self.value(base) if not h.path)
        self.use(native, base)
        return bool(native)

    def may_be_container(self, base: r.Value) -> bool:
        """`found[key] = op`, `self.found[key] = op`; what lies deeper in an unknown object may be anything."""
        match base:
            case r.Name() | r.Member(base=r.Name(text="self" | "cls")):
                return True
        return self.is_container(base)

    def unpack(self, items: tuple[r.Value, ...], handles: Handles, at: Span, source: r.Value | None) -> None:
        """`a, *b = pair`: what sits in a place goes to its target, what sits anywhere to all."""
        loose = self.elements(frozenset(h for h in handles if not h.path), source)
        spread = any(isinstance(item, r.Unary) for item in items)
        for position, item in enumerate(items):
            placed = frozenset(
                h.out()
                for h in handles
                if h.path and (h.path[0] in (ANY, str(position)) or (spread and h.path[0].isdigit()))
            )
            self.assign(item, loose | placed, at)


def _distinct(states: Iterable[State]) -> list[State]:
    """Each state once, in order, at most `_MOST_STATES`: a path not followed is a bug not reported."""
    return list(dict.fromkeys(states))[:_MOST_STATES]


def _common(returned: list[Handles | None]) -> Handles:
    """What every return hands out, `return None` aside."""
    given = [handles for handles in returned if handles is not None]
    if not given or not all(given):
        return NOTHING
    return frozenset(handle for handles in given for handle in handles)


def _first_of_each(found: list[Misuse]) -> list[Misuse]:
    """The first misuse of each child taken, and one at a place: the others follow from it."""
    children: dict[int, Misuse] = {}
    for misuse in sorted(found, key=lambda m: (m.at, m.kind, m.child.taken)):
        children.setdefault(misuse.child.taken.start, misuse)
    places: dict[int, Misuse] = {}
    for misuse in sorted(children.values(), key=lambda m: (m.at, m.kind, m.child.taken)):
        places.setdefault(misuse.at.start, misuse)
    return sorted(places.values(), key=lambda m: m.at)
