"""Python handles of native objects: who owns what they point to, and who keeps that alive.

An abstract interpreter over the structured body of a Python function. Every creation of an owner
(`Module.parse(...)`) is a *token*; a handle knows the token it points into and whether it holds it. A token
is alive while some name holds it. A child that is used when nobody holds its token any more is a bug; so
is a child that leaves the function while its token stays behind.

What a class's members return, borrow and keep comes from the models and from the project's own bindings
(`Classes`); nothing here knows a library. Whatever is not known (an unknown call that takes the owner,
a name captured by a nested function) counts as keeping the owner alive: doubt is silent.

States are kept apart path by path, at most `_MOST_STATES` of them, so that two branches that each bind
an owner and its child do not accuse each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

import msgspec

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.finding import Certainty, Step
from ownlint.program.lower import statements
from ownlint.program.models import PyMember
from ownlint.program.places import last_name, walk
from ownlint.program.subjects import Function

_MOST_STATES = 24
_MOST_STEPS = 20_000
"""Statements interpreted in one function, over all states; beyond it the function is left alone."""

Token = tuple[int, int]
"""Offset of the creating call, and 0 for the latest object made there or 1 for an earlier one."""

_HARMLESS = frozenset(
    [
        "str",
        "repr",
        "print",
        "len",
        "hash",
        "id",
        "bool",
        "int",
        "float",
        "type",
        "isinstance",
        "issubclass",
        "format",
        "ascii",
        "hasattr",
        "callable",
        "dir",
        "vars",
    ]
)
_TAKES_OUT = frozenset(
    [
        "next",
        "iter",
        "list",
        "tuple",
        "sorted",
        "reversed",
        "set",
        "frozenset",
        "enumerate",
        "zip",
        "filter",
        "max",
        "min",
        "dict",
    ]
)


class Classes(Protocol):
    """Where the knowledge about handle classes comes from."""

    def find(self, dotted: str) -> str | None:
        """The canonical name of a handle class, or None when `dotted` is none."""

    def member(self, cls: str, name: str) -> Fact | None: ...


class Fact(msgspec.Struct, frozen=True):
    """What a member gives: `keeps` as in `PyMember`; `returns` the class of the result (empty for plain data);
    `declared` where the fact comes from when the project's own bindings say so."""

    keeps: str
    returns: str = ""
    declared: Step | None = None
    callback: bool = False


class Handle(NamedTuple):
    """A value that points into native memory. `inside` says that it sits in a Python container."""

    cls: str
    token: Token
    holds: bool
    taken: Span
    shown: str
    declared: Step | None = None
    inside: bool = False

    @property
    def owns(self) -> bool:
        return self.taken.start == self.token[0] and self.holds


Handles = frozenset[Handle]
NOTHING: Handles = frozenset()


class State(NamedTuple):
    """What is known on one path."""

    names: tuple[tuple[str, Handles], ...] = ()
    escaped: frozenset[Token] = frozenset()
    stored: frozenset[tuple[Handle, Span, str]] = frozenset()
    ended: tuple[tuple[Token, Span, str], ...] = ()
    """How the last name that held a token let go of it."""

    def get(self, name: str) -> Handles:
        return next((handles for known, handles in self.names if known == name), NOTHING)

    def bind(self, name: str, handles: Handles, at: Span, how: str) -> State:
        names = tuple(
            sorted([(known, h) for known, h in self.names if known != name] + ([(name, handles)] if handles else []))
        )
        lost = {h.token for h in self.get(name) if h.holds} - {h.token for h in handles if h.holds}
        ended = self.ended
        for token in sorted(lost):
            ended = tuple(e for e in ended if e[0] != token) + ((token, at, how.format(name=name)),)
        return self._replace(names=names, ended=ended)

    def alive(self, token: Token) -> bool:
        return token in self.escaped or any(h.token == token and h.holds for _, handles in self.names for h in handles)

    def escape(self, tokens: Iterable[Token]) -> State:
        return self._replace(escaped=self.escaped | frozenset(tokens))

    def age(self, site: int) -> State:
        """What was made at `site` before is now an earlier object."""

        def older(token: Token) -> Token:
            return (site, 1) if token[0] == site else token

        names = tuple(
            (name, frozenset(h._replace(token=older(h.token)) for h in handles)) for name, handles in self.names
        )
        return State(
            names,
            frozenset(older(t) for t in self.escaped),
            frozenset((h._replace(token=older(h.token)), span, how) for h, span, how in self.stored),
            tuple((older(t), span, how) for t, span, how in self.ended),
        )


class Misuse(msgspec.Struct, frozen=True):
    """A handle that is used, or handed out, when its owner is gone.

    `kind`: `use`, `return`, `store`. `made` is where the owner is created, `taken` where the child is taken from it,
    `ended` how the owner dies (None for a temporary)."""

    function: Function
    kind: str
    at: Span
    child: str
    owner: str
    made: Span
    taken: Span
    ended: tuple[Span, str] | None
    certainty: Certainty
    declared: Step | None = None


class _TooLong(Exception):
    """The function has too many statements on too many paths."""


class _Result(NamedTuple):
    handles: Handles
    plain: bool = False


class Interpreter:
    """Runs one function abstractly and collects misuses."""

    def __init__(
        self, function: Function, classes: Classes, callee: Callable[[Function, r.Call], Handles | None]
    ) -> None:
        self.function = function
        self.classes = classes
        self.callee = callee
        self.found: dict[tuple[str, int, int], list[Misuse | None]] = {}
        self.reached: dict[tuple[str, int, int], int] = {}
        self.owners: dict[int, str] = {}
        self.made: dict[int, Span] = {}
        self.returned: list[Handles] = []
        self.steps = 0
        self.loops: list[tuple[list[State], list[State]]] = []
        self.state = State()
        self.silent_names = _captured(function)
        self.first_values: dict[str, r.Value] | None = None

    # --- running ---

    def run(self) -> list[Misuse]:
        try:
            ends = self.block(self.function.body, [State()])
        except _TooLong:
            return []
        if self.function.record.kind != "module":
            for state in ends:
                self.leave(state)
        out = []
        for key, misuses in sorted(self.found.items()):
            real = [m for m in misuses if m is not None]
            sure = self.reached[key] == len(real)
            out.append(msgspec.structs.replace(real[0], certainty="certain" if sure else "likely"))
        return _one_per_child(out)

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
                raise _TooLong
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
                return _distinct([state for case in cases for state in self.block(case.body, states)] + states)
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
            case r.Nested(name=name):
                return self.each(
                    states, lambda: self.set_name(name, NOTHING, statement.span, "`{name}` is defined anew here")
                )
        return states

    def leaving(self, statement: r.Leave, states: list[State]) -> list[State]:
        def leave() -> None:
            result = self.value(statement.value) if statement.value is not None else _Result(NOTHING)
            if statement.kind == "return":
                self.hand_out(result.handles, statement.value)
                self.returned.append(result.handles)
                self.leave(self.state)

        if statement.kind in ("break", "continue") and self.loops:
            self.loops[-1][statement.kind == "continue"].extend(states)
            return []
        self.each(states, leave)
        return []

    def loop(self, statement: r.Loop, states: list[State]) -> list[State]:
        before = (
            self.each(states, lambda: self.evaluate(statement.condition)) if statement.condition is not None else states
        )
        hidden = f"<iterator {statement.start}>"
        after: list[State] = []
        self.loops.append(([], []))
        if statement.kind == "range":
            before = self.each(before, lambda: self.start_iteration(statement, hidden))
        rounds = before
        for _ in range(2):
            after += rounds
            if statement.kind == "range":
                rounds = self.each(rounds, lambda: self.next_item(statement, hidden))
            rounds = self.block(statement.body, rounds)
            rounds = _distinct(rounds + self.loops[-1][1])
            self.loops[-1][1].clear()
            if statement.condition is not None:
                rounds = self.each(rounds, lambda: self.evaluate(statement.condition))
        after += rounds
        breaks, _ = self.loops.pop()
        after = _distinct(after)
        if statement.otherwise:
            after = self.block(statement.otherwise, after)
        after = _distinct(after + breaks)
        return self.each(
            after,
            lambda: self.set_name(hidden, NOTHING, Span(statement.end, statement.end), "the loop over it ends here"),
        )

    def start_iteration(self, statement: r.Loop, hidden: str) -> None:
        result = self.value(statement.iterable)
        self.use(result.handles, statement.iterable)
        self.set_name(hidden, result.handles, statement.span, "the loop over it ends here")

    def next_item(self, statement: r.Loop, hidden: str) -> None:
        elements = self.elements(self.state.get(hidden), statement.iterable)
        if statement.target is not None:
            self.assign(statement.target, elements, statement.span)

    def trying(self, statement: r.Try, states: list[State]) -> list[State]:
        after = self.block(statement.body, states)
        raised = _distinct(states + after)
        ways = self.block(statement.otherwise, after) if statement.otherwise else after
        for handler in statement.handlers:
            ways = ways + self.block(handler.body, raised)
        ways = _distinct(ways)
        return self.block(statement.final, ways or raised) if statement.final else ways

    def with_block(self, statement: r.With, states: list[State]) -> list[State]:
        def enter() -> None:
            for position, item in enumerate(statement.items):
                result = self.value(item.value)
                self.set_name(
                    f"<with {statement.start} {position}>", result.handles, item.span, "its `with` block ends here"
                )
                if item.target is not None:
                    self.assign(item.target, result.handles, item.span)

        def leave() -> None:
            for position, item in enumerate(statement.items):
                at = Span(statement.end, statement.end)
                self.set_name(f"<with {statement.start} {position}>", NOTHING, at, "its `with` block ends here")

        return self.each(self.block(statement.body, self.each(states, enter)), leave)

    def delete(self, targets: tuple[r.Value, ...], at: Span) -> None:
        for target in targets:
            if isinstance(target, r.Name):
                self.set_name(target.text, NOTHING, at, "`{name}` is deleted here")
            else:
                self.evaluate(target)

    def leave(self, state: State) -> None:
        """The function ends: what was stored outlives it, its locals do not. The names of a class body stay."""
        kept = {h.token for h, _, _ in state.stored if h.holds}
        if self.function.record.kind == "class":
            kept |= {h.token for _, handles in state.names for h in handles if h.holds}
        for handle, span, how in sorted(state.stored, key=lambda s: (s[1], s[0].shown)):
            if not handle.holds and handle.token not in kept:
                dead = handle.token not in state.escaped
                ended = next(((s, h) for t, s, h in state.ended if t == handle.token), None)
                self.judge("store", handle, span, dead, ended)

    # --- judging ---

    def judge(self, kind: str, handle: Handle, at: Span, dead: bool, ended: tuple[Span, str] | None) -> None:
        key = (kind, at.start, handle.taken.start)
        self.reached[key] = self.reached.get(key, 0) + 1
        if not dead:
            return
        self.found.setdefault(key, []).append(
            Misuse(
                self.function,
                kind,
                at,
                handle.shown,
                self.owners.get(handle.token[0], "its owner"),
                self.made[handle.token[0]],
                handle.taken,
                ended,
                "certain",
                handle.declared,
            )
        )

    def use(self, handles: Handles, value: r.Value | None) -> None:
        """Something looks at these handles."""
        if value is None:
            return
        for handle in sorted(handles):
            if handle.inside or handle.holds:
                continue
            dead = not self.state.alive(handle.token)
            ended = next(((s, h) for t, s, h in self.state.ended if t == handle.token), None)
            self.judge("use", handle, value.span, dead, ended)

    def hand_out(self, handles: Handles, value: r.Value | None) -> None:
        """These handles leave the function; what holds their owner may leave with them."""
        if value is None:
            return
        kept = {h.token for h in handles if h.holds} | {h.token for h, _, _ in self.state.stored if h.holds}
        for handle in sorted(handles):
            if handle.holds:
                continue
            dead = handle.token not in kept and handle.token not in self.state.escaped
            ended = next(((s, h) for t, s, h in self.state.ended if t == handle.token), None)
            self.judge("return", handle, value.span, dead, ended)

    # --- names ---

    def set_name(self, name: str, handles: Handles, at: Span, how: str) -> None:
        self.state = self.state.bind(name, handles, at, how)
        if name in self.silent_names:
            self.state = self.state.escape(h.token for h in handles)

    def escape_names(self, names: Iterable[str]) -> None:
        for name in names:
            self.state = self.state.escape(h.token for h in self.state.get(name))

    def assign(self, target: r.Value, handles: Handles, at: Span) -> None:
        match target:
            case r.Name(text=name):
                if self.function.record.kind == "class":
                    self.store(handles, at, f"class attribute `{name}`")
                self.set_name(name, handles, at, "`{name}` is bound to something else here")
            case r.Aggregate(items=items):
                for item in items:
                    self.assign(item, frozenset(h._replace(inside=False) for h in handles), at)
            case r.Unary(op="spread", value=inner):
                self.assign(inner, handles, at)
            case r.Member(base=base):
                self.evaluate(base)
                self.store(handles, at, f"`{text(target)}`")
            case r.Index(base=base, indexes=indexes):
                for index in indexes:
                    self.evaluate(index)
                self.put(base, handles, at)

    def put(self, container: r.Value, handles: Handles, at: Span) -> None:
        """Into a container: a local one carries them on, any other outlives the function."""
        inside = frozenset(h._replace(inside=True) for h in handles)
        if isinstance(container, r.Name) and container.text in self.function.declared:
            parameters = {p.name for p in self.function.record.parameters}
            if container.text not in parameters:
                self.set_name(container.text, self.state.get(container.text) | inside, at, "")
                return
        self.store(inside, at, f"`{text(container)}`")

    def store(self, handles: Handles, at: Span, where: str) -> None:
        for handle in handles:
            self.state = self.state._replace(stored=self.state.stored | {(handle, at, where)})

    # --- values ---

    def evaluate(self, value: r.Value | None) -> None:
        if isinstance(value, r.Name):
            return  # a bare name looks at nothing
        self.value(value)

    def value(self, value: r.Value | None) -> _Result:
        match value:
            case None | r.Literal():
                return _Result(NOTHING, True)
            case r.Name(text=name):
                return _Result(self.state.get(name))
            case r.Member(base=base, name=name):
                return self.member(value, base, name)
            case r.Index(base=base, indexes=indexes):
                return self.index(value, base, indexes)
            case r.Call():
                return self.call(value)
            case r.Assign(target=target, op=op, value=inner):
                return self.assignment(value, target, op, inner)
            case r.Conditional(condition=condition, then=then, other=other):
                self.evaluate(condition)
                return _Result(self.value(then).handles | self.value(other).handles)
            case r.Binary(op="is" | "is not", left=left, right=right):
                self.value(left)
                self.value(right)
                return _Result(NOTHING, True)
            case r.Binary(op="&&" | "||", left=left, right=right):
                return _Result(self.value(left).handles | self.value(right).handles)
            case r.Binary(left=left, right=right):
                for side in (left, right):
                    self.use(self.value(side).handles, side)
                return _Result(NOTHING, True)
            case r.Aggregate(kind=kind, items=items):
                collected: Handles = NOTHING
                for item in items:
                    inner_value = item.value if isinstance(item, r.Pair) else item
                    result = self.value(inner_value)
                    if kind == "fstring":
                        self.use(result.handles, inner_value)
                    else:
                        collected |= frozenset(h._replace(inside=True) for h in result.handles)
                return _Result(collected)
            case r.Unary(op="yield" | "yield from" | "await", value=inner):
                result = self.value(inner)
                self.state = self.state.escape(h.token for h in result.handles)
                return _Result(NOTHING)
            case r.Unary(op="not", value=inner):
                self.value(inner)
                return _Result(NOTHING, True)
            case r.Unary(op="spread" | "spread2", value=inner):
                return _Result(self.elements(self.value(inner).handles, inner))
            case r.Unary(value=inner):
                self.use(self.value(inner).handles, inner)
                return _Result(NOTHING)
            case r.Pair(value=inner):
                return self.value(inner)
            case r.Comprehension():
                return self.comprehension(value)
            case r.Lambda() | r.OpaqueValue():
                names = {inner.text for inner in walk(value) if isinstance(inner, r.Name)}
                self.escape_names(names | set(value.names if isinstance(value, r.OpaqueValue) else ()))
        return _Result(NOTHING)

    def assignment(self, value: r.Assign, target: r.Value, op: str, inner: r.Value) -> _Result:
        if op not in ("=", ":="):
            self.use(self.value(target).handles, target)
            result = self.value(inner)
            self.put(target, result.handles, value.span)
            return result
        if isinstance(target, r.Aggregate) and isinstance(inner, r.Aggregate) and len(target.items) == len(inner.items):
            results = [self.value(item).handles for item in inner.items]
            for item, handles in zip(target.items, results, strict=True):
                self.assign(item, handles, value.span)
            return _Result(NOTHING)
        result = self.value(inner)
        self.assign(target, result.handles, value.span)
        return result

    def comprehension(self, value: r.Comprehension) -> _Result:
        names: list[str] = []
        for position, clause in enumerate(value.clauses):
            iterated = self.value(clause.iterable).handles
            self.use(iterated, clause.iterable)
            hidden = f"<iterator {clause.start} {position}>"
            self.set_name(hidden, iterated, clause.span, "the comprehension over it ends here")
            names.append(hidden)
            self.assign(clause.target, self.elements(iterated, clause.iterable), clause.span)
            names += [inner.text for inner in walk(clause.target) if isinstance(inner, r.Name)]
            for condition in clause.conditions:
                self.evaluate(condition)
        element = value.element
        if isinstance(element, r.Pair):
            self.value(element.key)
            element = element.value
        result = frozenset(h._replace(inside=True) for h in self.value(element).handles)
        for name in names:
            self.set_name(name, NOTHING, Span(value.end, value.end), "the comprehension over it ends here")
        return _Result(result)

    def symbol(self, value: r.Value) -> str:
        """The dotted name an expression resolves to through imports, or nothing."""
        match value:
            case r.Name(text=name):
                start = -1 if self.state.get(name) else value.start
            case r.Member():
                start = value.name_start
            case _:
                start = -1
        meaning = self.function.program.meaning(self.function.file, start)
        if meaning is None:
            return ""
        if meaning.symbol.startswith("*."):
            return self.function.program.star_import(self.function.file, meaning.symbol)
        return meaning.symbol

    def member(self, value: r.Member, base: r.Value, name: str) -> _Result:
        on = self.value(base).handles
        self.use(on, base)
        return _Result(frozenset(h for handle in on if not handle.inside for h in self.take(handle, name, value)))

    def take(self, handle: Handle, name: str, value: r.Value) -> Iterator[Handle]:
        """What a member gives: a new handle into the same token, or nothing when it is plain data."""
        fact = self.classes.member(handle.cls, name)
        if fact is None or not fact.returns:
            return
        if fact.keeps in ("owner", "wrapper", "none"):
            holds = fact.keeps == "owner" or (fact.keeps == "wrapper" and handle.holds)
            yield Handle(fact.returns, handle.token, holds, value.span, text(value), fact.declared or handle.declared)

    def elements(self, handles: Handles, value: r.Value | None) -> Handles:
        """What iterating gives."""
        out: set[Handle] = set()
        for handle in handles:
            if handle.inside:
                out.add(handle._replace(inside=False))
                continue
            iterator = self.classes.member(handle.cls, "__iter__")
            cls = iterator.returns if iterator is not None and iterator.returns else handle.cls
            fact = self.classes.member(cls, "__next__") or self.classes.member(handle.cls, "__getitem__")
            if fact is not None and fact.returns and fact.keeps in ("owner", "wrapper", "none") and value is not None:
                holds = fact.keeps == "owner" or (fact.keeps == "wrapper" and handle.holds)
                declared = fact.declared or handle.declared
                out.add(Handle(fact.returns, handle.token, holds, value.span, f"an element of {text(value)}", declared))
        return frozenset(out)

    def index(self, value: r.Index, base: r.Value, indexes: tuple[r.Value, ...]) -> _Result:
        on = self.value(base).handles
        self.use(on, base)
        for index in indexes:
            self.evaluate(index)
        sliced = any(isinstance(i, r.Aggregate) and i.kind == "slice" for i in indexes)
        out: set[Handle] = set()
        for handle in on:
            if handle.inside:
                out.add(handle if sliced else handle._replace(inside=False))
            else:
                out |= {h._replace(inside=sliced) for h in self.take(handle, "__getitem__", value)}
        return _Result(frozenset(out))

    def call(self, call: r.Call) -> _Result:
        symbol = self.symbol(call.callee)
        if symbol.startswith("builtins."):
            symbol = ""
        made = self.construct(call, symbol) if symbol else None
        if made is not None:
            return made
        name = last_name(call.callee)
        builtin = isinstance(call.callee, r.Name) and not symbol
        if isinstance(call.callee, r.Member):
            return self.method(call, call.callee)
        arguments = [self.value(argument).handles for argument in call.args]
        if builtin and name in _TAKES_OUT:
            taken: Handles = frozenset(
                h
                for argument, handles in zip(call.args, arguments, strict=True)
                for h in self.elements(handles, argument)
            )
            for argument, handles in zip(call.args, arguments, strict=True):
                self.use(handles, argument)
            if name in ("next", "max", "min"):
                return _Result(taken)
            if name in ("iter", "enumerate", "zip", "reversed", "filter"):
                return _Result(frozenset(h for handles in arguments for h in handles))
            return _Result(frozenset(h._replace(inside=True) for h in taken))
        for argument, handles in zip(call.args, arguments, strict=True):
            self.use(handles, argument)
            if not (builtin and name in _HARMLESS):
                self.state = self.state.escape(h.token for h in handles if h.holds)
        if builtin and name in _HARMLESS:
            return _Result(NOTHING, True)
        given = self.callee(self.function, call)
        return _Result(self.fresh(given, call)) if given else _Result(NOTHING)

    def fresh(self, given: Handles, call: r.Call) -> Handles:
        """What the project's own function returns, as made by this call."""
        site = call.start
        self.state = self.state.age(site)
        self.made[site] = call.span
        self.owners[site] = text(call)
        return frozenset(h._replace(token=(site, 0), taken=call.span, shown=text(call)) for h in given)

    def construct(self, call: r.Call, symbol: str) -> _Result | None:
        """A constructor or a static factory of a handle class."""
        cls = self.classes.find(symbol)
        name = "__init__"
        if cls is None:
            head, _, name = symbol.rpartition(".")
            cls = self.classes.find(head) if head else None
        if cls is None:
            return None
        fact = self.classes.member(cls, name)
        arguments = [self.value(argument).handles for argument in call.args]
        for argument, handles in zip(call.args, arguments, strict=True):
            self.use(handles, argument)
        if fact is None or not fact.returns:
            return _Result(NOTHING)
        if fact.keeps == "own":
            site = call.start
            self.state = self.state.age(site)
            self.made[site] = call.span
            self.owners[site] = text(call)
            return _Result(frozenset({Handle(fact.returns, (site, 0), True, call.span, text(call), fact.declared)}))
        if fact.keeps in ("owner", "wrapper", "none") and arguments and arguments[0]:
            return _Result(
                frozenset(
                    Handle(
                        fact.returns,
                        h.token,
                        fact.keeps == "owner" or (fact.keeps == "wrapper" and h.holds),
                        call.span,
                        text(call),
                    )
                    for h in arguments[0]
                    if not h.inside
                )
            )
        return _Result(NOTHING)

    def method(self, call: r.Call, callee: r.Member) -> _Result:
        on = self.value(callee.base).handles
        arguments = [self.value(argument).handles for argument in call.args]
        plain = [h for h in on if not h.inside]
        known = [h for h in plain if self.classes.member(h.cls, callee.name) is not None]
        if not plain and callee.name in ("append", "add", "insert", "extend", "update", "appendleft", "setdefault"):
            handles = frozenset(h for given in arguments for h in given)
            if handles:
                inside = frozenset(h._replace(inside=True) for h in handles)
                self.put(callee.base, inside, call.span)
            return _Result(NOTHING)
        self.use(frozenset(plain), callee.base)
        for argument, handles in zip(call.args, arguments, strict=True):
            self.use(handles, argument)
            if not known and not self.is_known_receiver(callee.base):
                self.state = self.state.escape(h.token for h in handles if h.holds)
        held = [h for h in on if h.inside]
        if held and callee.name in ("pop", "get", "popleft", "popitem", "values", "items", "copy"):
            return _Result(frozenset(h._replace(inside=callee.name in ("values", "items", "copy")) for h in held))
        return _Result(frozenset(h for handle in known for h in self.take(handle, callee.name, call)))

    def assigned(self, name: str) -> r.Value | None:
        """What a local is given first."""
        if self.first_values is None:
            self.first_values = {}
            for statement in statements(self.function.body):
                if isinstance(statement, r.Evaluate) and isinstance(statement.value, r.Assign):
                    target = statement.value.target
                    if isinstance(target, r.Name):
                        self.first_values.setdefault(target.text, statement.value.value)
        return self.first_values.get(name)

    def is_known_receiver(self, base: r.Value) -> bool:
        """A receiver whose class a model describes takes its arguments as the model says: it keeps none."""
        inner = base
        if isinstance(inner, r.Name):
            written = self.function.locals.get(inner.text)
            assigned = self.assigned(inner.text) if written is None else None
            inner = assigned if assigned is not None else inner
        if isinstance(inner, r.Call):
            symbol = self.symbol(inner.callee)
            return (
                bool(symbol) and (self.classes.find(symbol) or self.classes.find(symbol.rpartition(".")[0])) is not None
            )
        return False


def _distinct(states: list[State]) -> list[State]:
    """Each state once, in order, at most `_MOST_STATES`: a path not followed is a bug not reported."""
    return list(dict.fromkeys(states))[:_MOST_STATES]


def _captured(function: Function) -> frozenset[str]:
    """Names of this function that a nested function looks at: it may keep them as long as it likes."""
    names: set[str] = set()
    for inner in function.file.functions:
        if inner.parent == function.index:
            body = bytes(inner.body)
            names |= {name for name in function.declared if f'"{name}"'.encode() in body}
    for statement in function.body:
        if isinstance(statement, r.Scope):
            names |= set(statement.names)
    return frozenset(names)


def _one_per_child(found: list[Misuse]) -> list[Misuse]:
    """The first misuse of each child taken: the ones behind it follow from it."""
    first: dict[int, Misuse] = {}
    for misuse in sorted(found, key=lambda m: (m.at, m.kind)):
        first.setdefault(misuse.taken.start, misuse)
    return sorted(first.values(), key=lambda m: m.at)


def fact_of(member: PyMember) -> Fact:
    """A model's member as a fact."""
    return Fact(member.keeps or "", member.returns[0] if member.returns else "")
