"""Expressions as events: what is evaluated in which order, and what decides whether it is evaluated at all.

The frontier is the set of events whose successor is whatever comes next; see `lower`, which adds the statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.bodies import declared_names, never_null, reference_aliases, settled, statements
from ownlint.flow.places import CHAIN, THIS, Place, is_plain_new, last_name, place_of, strip, walk
from ownlint.steps import spend

Edge = tuple[int, bool | None]
"""An event and how it is come to from a `Test`: where it holds, where not; None from anything else."""

_LEAVING_ROLES = frozenset({"return on failure", "assign or return"})
ALWAYS_LEAVES = frozenset({"return", "leave", "break", "continue", "end"})
"""Nothing runs behind such a macro: `RETURN_TRUE;`, `SKIP(why);` in a loop, `DIE(why);`."""
_ABORTING_ROLES = frozenset({"check"})
EVALUATED = "evaluated assert"
"""An assertion that evaluates what it is given in every build, and tests it in some."""
_VANISHING_ROLES = frozenset({"debug log"})
"""Their arguments do not run at all in a release build, and nothing is tested."""
_ASSERTING_ROLES = _ABORTING_ROLES | {"assert", EVALUATED}

_NULLS = frozenset({"NULL", "nullptr"})
_NUMBER = re.compile(r"-?\d+")
_ZERO = re.compile(r"0[xXbBoO]?[0'_]*[uUlLzZ]*")


class LeavingTest(NamedTuple):
    """What a macro asks of one of its parameters, by its number, before it leaves: whether it is true, or compared with
    a constant by `op`; and how that comes out then."""

    parameter: int
    op: str
    constant: str
    outcome: bool


class Surroundings(NamedTuple):
    """What the lowering needs to know about the world outside the body."""

    members: frozenset[str] = frozenset()
    """Names that stand for members of `this` when no local hides them."""
    role: Callable[[str], str] = lambda name: ""
    """What a macro or builtin of this name does: a role of `models.MacroModel`, or empty."""
    locals: frozenset[str] = frozenset()
    """Locals of the enclosing function, for a lambda."""
    python: bool = False
    answer: Callable[[str], tuple[tuple[str, ...], str]] = lambda name: ((), "")
    """The parameters of a macro that always returns, and what it answers as its `#define` writes it."""
    jump: Callable[[str], tuple[tuple[str, ...], str]] = lambda name: ((), "")
    """The parameters of a macro that leaves by a `goto`, and the label as its `#define` writes it."""
    leaving_test: Callable[[str], LeavingTest | None] = lambda name: None
    """What a macro that returns on failure asks of one of its arguments."""
    throws: Callable[[str], bool] = lambda name: True
    """Whether a call by this name can throw: not one of a library of C."""
    accessors: Mapping[str, Place] = {}
    """Calls that always answer with one object, as they are written, and its place: see `project.standing`."""
    itself: str = ""
    """The parameter of Python that is the object whose method it is."""
    only_throws: Callable[[str], bool] = lambda name: False
    """Whether a macro that leaves on failure does so by a `throw`."""
    never_null: Callable[[str], bool] = lambda name: False
    """Whether what is called by that last name never answers with NULL."""
    ends: Callable[[str], tuple[frozenset[str], int]] = lambda name: (frozenset(), 0)
    """The words in front with which a log's macro ends the program, and where its condition stands, 0 for nowhere."""
    side: Callable[[str], str] = lambda name: ""
    """Whether a macro begins an `if` that it leaves open, goes on with its `else`, or ends it: `if`, `other`, `end`."""


class Expressions:
    """Lowers values; what statements need besides is kept by `lower`."""

    def __init__(self, function: r.FunctionRecord, body: r.Body, around: Surroundings) -> None:
        self.events: list[e.Event] = []
        self.successors: list[list[Edge]] = []
        self.frontier: list[Edge] = []
        self.handlers: list[list[Edge]] = []
        """For each `try` around, innermost last: the events at which an exception can have left its body."""
        self.function = function
        self.around = around
        self.every = statements(body)
        self.locals = declared_names(function, body, around.python, every=self.every) | around.locals
        self.members = around.members - self.locals
        self.aliases = reference_aliases(self.every, self.members, around.accessors) if not around.python else {}
        if around.itself:
            self.aliases[around.itself] = (THIS,)
        self.asserting = False
        self.awaited: r.Value | None = None

    @cached_property
    def settled(self) -> dict[str, r.Literal]:
        if self.around.python:
            return {}
        others = self.around.locals | {parameter.name for parameter in self.function.parameters}
        return {name: value for name, value in settled(self.every).items() if name not in others}

    @cached_property
    def never_null(self) -> frozenset[str]:
        """Locals that only ever hold the address of a `new` that throws where there is no memory, or what a function
        answered that never answers with NULL."""
        return frozenset() if self.around.python else never_null(self.every, self.is_never_null) - self.around.locals

    def is_never_null(self, value: r.Value | None) -> bool:
        if not isinstance(value, r.Call):
            return False
        return is_plain_new(value) or (
            value.kind in ("call", "macro") and self.around.never_null(last_name(value.callee))
        )

    def leave(self, span: Span, kind: str, value: r.Value | None, via: str = "", to: str = "") -> None:
        raise NotImplementedError

    def leave_loop(self, span: Span, kind: str) -> None:
        raise NotImplementedError

    # --- plumbing ---

    def emit(self, event: e.Event) -> int:
        spend(1 + len(self.frontier))
        successors = self.successors
        event.index = index = len(successors)
        self.events.append(event)
        edge = (index, None)
        for source, label in self.frontier:
            successors[source].append(edge if label is None else (index, label))
        successors.append([])
        self.frontier = [edge]
        return index

    def emit_call(self, event: e.CallEvent) -> None:
        self.emit(event)
        callee = event.node.callee
        if not self.handlers or event.node.kind == "delete":  # destructors are `noexcept` unless they say otherwise
            return
        if not isinstance(callee, r.Name) or callee.text in self.locals or self.around.throws(callee.text):
            self.handlers[-1].append((event.index, None))

    def place(self, value: r.Value | None) -> Place | None:
        return place_of(value, self.aliases, self.members)

    def named(self, name: str) -> Place:
        """The place of a bare name."""
        aliased = self.aliases.get(name)
        if aliased is not None:
            return aliased
        return (THIS, name) if name in self.members else (name,)

    # --- values ---

    def value(self, value: r.Value | None, into: Place | None = None, dropped: str = "", declares: str = "") -> None:
        """Lowers an expression. `into`, `dropped` and `declares` say where its result goes: see `CallEvent`."""
        kind = type(value)
        if kind is r.Name:
            self.name(value)  # type: ignore[arg-type]
        elif kind is r.Call:
            self.call(value, into, dropped, declares)  # type: ignore[arg-type]
        elif kind in _PASSING:
            _PASSING[kind](self, value, into, dropped, declares)
        elif kind in _VALUES:
            _VALUES[kind](self, value)

    def name(self, value: r.Name) -> None:
        if value.text != CHAIN:
            self.emit(e.Read(Span(value.start, value.end), self.named(value.text), value))

    def conditional(self, value: r.Conditional, into: Place | None, dropped: str, declares: str) -> None:
        yes, no = self.condition(value.condition)
        self.frontier = yes
        self.value(value.then, into, dropped, declares)
        after, self.frontier = self.frontier, no
        self.value(value.other, into, dropped, declares)
        self.frontier = after + self.frontier

    def cast(self, value: r.Cast, into: Place | None, dropped: str, declares: str) -> None:
        if value.type == "void":
            self.value(value.value, dropped="void cast")
        else:
            self.value(value.value, into, dropped, declares)

    def unary(self, value: r.Unary, into: Place | None, dropped: str, declares: str) -> None:
        if value.op in ("await", "co_await"):
            self.awaited = value.value
            self.value(value.value, into, dropped, declares)
            return
        if value.op == "sizeof":
            return  # its operand is not evaluated
        self.value(value.value)
        if value.op == "throw":
            self.leave(value.span, "throw", value.value)

    def binary(self, value: r.Binary) -> None:
        if value.op in ("&&", "||"):
            parts = operands(value)
            if not self.asserting and any(map(_acts, parts[1:])):
                yes, no = self.condition(value)
                self.frontier = yes + no
                return
        else:
            parts = _spine(value)
        for part in parts:
            self.value(part)

    def assignment(self, value: r.Assign) -> None:
        self.assign(value)
        if value.op not in ("++", "--") and isinstance(value.target, (r.Name, r.Member, r.Index)):
            # An assignment inside an expression hands its value on. What is inside the target has been evaluated: once
            # more for each level of nesting would take time without end.
            place = self.place(value.target)
            if place is not None:
                self.emit(e.Read(value.target.span, place, value.target))

    def aggregate(self, value: r.Aggregate) -> None:
        for item in value.items:
            self.value(item)

    def pair(self, value: r.Pair) -> None:
        self.value(value.value)

    def captures(self, value: r.Lambda) -> None:
        """A lambda's body runs when it is called; what it captures is looked at now."""
        for capture in value.captures:
            if capture.value is not None:
                self.value(capture.value)
            elif capture.name not in ("this", "*this", "&", "="):
                self.name(r.Name(capture.start, capture.end, capture.name))

    def comprehension(self, value: r.Comprehension) -> None:
        """As if it ran once: its own loop says nothing about order that a rule could use."""
        for clause in value.clauses:
            self.value(clause.iterable)
            self.write(clause.target, None, "=", fresh=True)
            for condition in clause.conditions:
                self.value(condition)
        self.value(value.element)

    def opaque(self, value: r.OpaqueValue | r.Opaque) -> None:
        self.emit(e.OpaqueEvent(value.span, value.text, value.names))

    def element(self, value: r.Member | r.Index) -> None:
        """Reads a member or an element: what it is reached through comes first."""
        place = self.place(value)
        inner: r.Value = value
        while True:
            if isinstance(inner, r.Member):
                inner = inner.base
            elif isinstance(inner, r.Index):
                for index in inner.indexes:
                    self.value(index)
                inner = inner.base
            else:
                break
        if not isinstance(inner, (r.Name, r.Literal)):
            self.value(inner)
        if place is not None:
            self.emit(e.Read(value.span, place, value))

    # --- calls ---

    def call(self, call: r.Call, into: Place | None, dropped: str, declares: str) -> None:
        """`a.f().g()`: what a method is called on runs first, without recursion along the chain."""
        callee = call.callee
        if type(callee) is r.Name:
            self.plain_call(call, callee, into, dropped, declares)
            return
        chain: list[tuple[r.Call, r.Member]] = []
        current: r.Value = call
        while isinstance(current, r.Call) and isinstance(current.callee, r.Member):
            chain.append((current, current.callee))
            current = current.callee.base
        if isinstance(current, r.Call):
            if chain:
                self.call(current, None, "", "")
            else:
                self.value(callee)
                self.finish_call(call, None, into, dropped, declares)
        else:
            self.value(current)
        while chain:
            link, member = chain.pop()
            if chain:
                self.finish_call(link, member.base, None, "", "")
            else:
                self.finish_call(link, member.base, into, dropped, declares)

    def finish_call(self, call: r.Call, on: r.Value | None, into: Place | None, dropped: str, declares: str) -> None:
        """The arguments, then the call itself."""
        for argument in call.args:
            self.value(argument)
        receiver = self.place(on) if on is not None else None
        self.emit_call(
            e.CallEvent(call.span, call, receiver, dropped, into, declares, self.asserting, call is self.awaited)
        )
        if self.around.accessors and not call.args and (place := self.place(call)) is not None:
            self.emit(e.Read(call.span, place, call))

    def plain_call(self, call: r.Call, callee: r.Name, into: Place | None, dropped: str, declares: str) -> None:
        name = last_name(callee)
        if name == "void" and len(call.args) == 1:
            self.value(call.args[0], dropped="void cast")
            return
        role = self.around.role(name)
        if not role:
            self.finish_call(call, None, into, dropped, declares)
        elif role in _ASSERTING_ROLES:
            self.asserted(call, role)
        elif role == "later":
            said = dict.fromkeys(one.text for given in call.args for one in walk(given) if isinstance(one, r.Name))
            self.emit(e.OpaqueEvent(call.span, name, tuple(said)))
        elif role in _LEAVING_ROLES:
            for argument in call.args:
                self.value(argument, into, "", declares)
            self.emit_call(
                e.CallEvent(call.span, call, None, dropped, into, declares, self.asserting, call is self.awaited)
            )
            here = self.tested_by(name, call)
            self.leave(call.span, "return", None, via=name, to=self.jump_of(name, call))
            self.frontier = here
        else:
            before, self.asserting = self.asserting, self.asserting or role in _VANISHING_ROLES
            for argument in call.args:
                self.value(argument)
            self.asserting = before
            self.emit_call(e.CallEvent(call.span, call, None, dropped, into, declares, before, call is self.awaited))
            if call.kind == "call":
                self.leave_by(role, name, call)
                self.end_by(name, call)

    def leave_by(self, role: str, name: str, node: r.Call | r.Name) -> None:
        """Behind a macro that always leaves; the others go on."""
        match role:
            case "return":
                self.leave(node.span, "return", self.answer_of(name, node))
            case "leave":
                self.leave(node.span, "throw", None, via=name)
            case "break" | "continue":
                self.leave_loop(node.span, role)
            case "end":
                self.frontier = []

    def end_by(self, name: str, call: r.Call) -> None:
        """Behind a log's macro nothing runs where it is `LOG(FATAL)`; of `LOG_IF(FATAL, condition)` if that holds."""
        level = strip(call.args[0]) if call.args else None
        words, at = self.around.ends(name) if isinstance(level, r.Name) else (frozenset[str](), 0)
        if not isinstance(level, r.Name) or last_name(level) not in words or at >= len(call.args):
            return
        if not at:
            self.frontier = []
            return
        test = self.emit(e.Test(call.span, call.args[at]))
        self.frontier = [(test, False)]

    def tested_by(self, name: str, call: r.Call) -> list[Edge]:
        """The test before a macro leaves, where its `#define` tells it; where it goes on otherwise."""
        asked = self.around.leaving_test(name)
        if asked is None or asked.parameter >= len(call.args):
            return self.frontier
        condition = call.args[asked.parameter]
        if asked.op:
            constant: r.Value = r.Name(call.start, call.end, asked.constant)
            if asked.constant in _NULLS:
                constant = r.Literal(call.start, call.end, "null", asked.constant)
            elif _NUMBER.fullmatch(asked.constant):
                constant = r.Literal(call.start, call.end, "int", asked.constant)
            condition = r.Binary(call.start, call.end, asked.op, condition, constant)
        test = self.emit(e.Test(call.span, condition))
        self.frontier = [(test, asked.outcome)]
        return [(test, not asked.outcome)]

    def jump_of(self, name: str, call: r.Call) -> str:
        """The label to which a macro jumps: one of its own text, or an argument."""
        parameters, label = self.around.jump(name)
        if label in parameters and (position := parameters.index(label)) < len(call.args):
            given = call.args[position]
            return given.text if isinstance(given, r.Name) else ""
        return label

    def answer_of(self, name: str, node: r.Call | r.Name) -> r.Value | None:
        """What a macro that always returns answers: an argument, a constant, a local of the function that uses it, or
        what only its name tells."""
        parameters, written = self.around.answer(name)
        if isinstance(node, r.Call) and written in parameters:
            position = parameters.index(written)
            return node.args[position] if position < len(node.args) else None
        if written in _NULLS or _NUMBER.fullmatch(written):
            return r.Literal(node.start, node.end, "null" if written in _NULLS else "int", written)
        if written and written in self.locals:  # a parameter may have no name
            named = r.Name(node.start, node.end, written)
            self.value(named)
            return named
        return node

    def asserted(self, call: r.Call, role: str) -> None:
        aborts, evaluated = role in _ABORTING_ROLES, role == EVALUATED
        before, self.asserting = self.asserting, self.asserting or not (aborts or evaluated)
        for argument in call.args:
            self.value(argument)
        condition = call.args[0] if call.args else r.Literal(call.start, call.end, "bool", "true")
        if len(call.args) == 2 and aborts:
            condition = r.Binary(call.start, call.end, _comparison(last_name(call.callee)), call.args[0], call.args[1])
        for part in _conjuncts(condition):
            test = self.emit(e.Test(call.span, part, asserted=not aborts, evaluated=evaluated))
            self.frontier = [(test, True if aborts else None)]
        self.asserting = before

    # --- writes ---

    def assign(self, value: r.Assign) -> None:
        if value.op in ("++", "--"):
            self.value(value.target)
            self.write(value.target, None, value.op, evaluated=True)
            return
        is_compound = value.op not in ("=", ":=")
        if is_compound:
            self.value(value.target)
        self.value(value.value, self.place(value.target))
        self.write(value.target, value.value, value.op, evaluated=is_compound)

    def write(
        self,
        target: r.Value | None,
        value: r.Value | None,
        op: str,
        *,
        fresh: bool = False,
        type: str = "",
        evaluated: bool = False,
    ) -> None:
        if target is None:
            return
        if isinstance(target, r.Aggregate):
            self.write_each(target, value, op, fresh)
            return
        if isinstance(target, r.Unary) and target.op == "spread":
            self.write(target.value, None, op, fresh=fresh)
            return
        if not evaluated:
            self.on_the_way(target)
        place = self.place(target) or self.element_by_address(target) or self.place_in_result(target)
        if place is not None:
            self.emit(e.Write(target.span, place, value, op, fresh, type, target))

    def write_each(self, target: r.Aggregate, value: r.Value | None, op: str, fresh: bool) -> None:
        """`a, b = x, y` gives each its own; `a, b = f()` an element of what comes."""
        sources: Sequence[r.Value | None] = [None] * len(target.items)
        if isinstance(value, r.Aggregate) and len(value.items) == len(target.items):
            sources = value.items
        elif value is not None:
            sources = [r.Index(value.start, value.end, value, ())] * len(target.items)
        for item, source in zip(target.items, sources, strict=True):
            self.write(item, source, op, fresh=fresh)

    def on_the_way(self, target: r.Value) -> None:
        """What is evaluated to find the place that `target` names."""
        if isinstance(target, r.Name):
            return
        if isinstance(target, (r.Member, r.Index)):
            if isinstance(target, r.Index):
                for index in target.indexes:
                    self.value(index)
            if any(isinstance(inner, r.Call) for inner in walk(target.base)):
                self.value(target.base)
        else:
            self.value(target)

    def element_by_address(self, target: r.Value) -> Place | None:
        """The place of `*(p - 1)` and of `(p - 1)->next`, which are `p[-1]` and `p[-1].next`."""
        steps: list[str] = []
        inner = strip(target)
        while isinstance(inner, r.Member) or (isinstance(inner, r.Unary) and inner.op == "*"):
            if isinstance(inner, r.Member):
                steps.append(inner.name)
            inner = strip(inner.base if isinstance(inner, r.Member) else inner.value)
        if inner is target or not isinstance(inner, r.Binary) or inner.op not in ("+", "-"):
            return None
        base = self.place(inner.left)
        element = ("[-" if inner.op == "-" else "[") + text(inner.right) + "]"
        return (*base, element, *reversed(steps)) if base is not None else None

    def place_in_result(self, target: r.Value) -> Place | None:
        """The place of `owner.table()[key]`, `find(key)->next`, `ROW(self)`, `*slot(key)`: what a call hands out, or a
        part of it, is written where others see it."""
        steps: list[str] = []
        base = strip(target)
        while True:
            match base:
                case r.Index(base=inner, indexes=indexes):
                    steps.append("[" + ", ".join(text(index) for index in indexes) + "]")
                case r.Member(base=inner, name=name):
                    steps.append(name)
                case r.Unary(op="*", value=inner):
                    pass
                case _:
                    break
            base = strip(inner)
        return (text(base), *reversed(steps)) if isinstance(base, r.Call) else None

    # --- conditions ---

    def condition(self, value: r.Value) -> tuple[list[Edge], list[Edge]]:
        """Lowers a condition; returns the frontiers where it holds and where it does not."""
        inner = strip(value)
        match inner:
            case r.Binary(op="&&" | "||"):
                return self.short_circuit(inner)
            case r.Binary(op=",", left=first, right=last):
                self.value(first)
                return self.condition(last)
            case r.Unary(op="!" | "not", value=negated):
                yes, no = self.condition(negated)
                return no, yes
            case r.Literal() | r.Name():
                known = inner if isinstance(inner, r.Literal) else self.settled.get(inner.text)
                truth = _truth(known) if known is not None else None
                if truth is None and isinstance(inner, r.Name) and inner.text in self.never_null:
                    truth = True
                if truth is not None:
                    return (self.frontier, []) if truth else ([], self.frontier)
            case r.Binary(op="==" | "!=", left=r.Name(text=name), right=r.Literal(kind="null")) if (
                name in self.never_null
            ):
                return (self.frontier, []) if inner.op == "!=" else ([], self.frontier)
            case r.Call(callee=r.Name(text=hint), args=args) if args and self.around.role(hint) == "hint":
                return self.condition(args[0])
        self.value(value)
        test = self.emit(e.Test(value.span, value))
        return [(test, True)], [(test, False)]

    def short_circuit(self, value: r.Binary) -> tuple[list[Edge], list[Edge]]:
        """`a && b && c`: each operand is asked only where the one before did not decide."""
        decided: list[Edge] = []
        for operand in operands(value):
            yes, no = self.condition(operand)
            open_, closed = (yes, no) if value.op == "&&" else (no, yes)
            decided += closed
            self.frontier = open_
        return (self.frontier, decided) if value.op == "&&" else (decided, self.frontier)


_VALUES: dict[type, Callable[[Expressions, Any], None]] = {
    r.Member: Expressions.element,
    r.Index: Expressions.element,
    r.Binary: Expressions.binary,
    r.Assign: Expressions.assignment,
    r.Lambda: Expressions.captures,
    r.Aggregate: Expressions.aggregate,
    r.Pair: Expressions.pair,
    r.Comprehension: Expressions.comprehension,
    r.OpaqueValue: Expressions.opaque,
}
_PASSING: dict[type, Callable[[Expressions, Any, Place | None, str, str], None]] = {
    r.Conditional: Expressions.conditional,
    r.Cast: Expressions.cast,
    r.Unary: Expressions.unary,
}
"""Values that hand on what an inner one gives, and so where it goes."""


_PLAIN = frozenset({r.Name, r.Member, r.Literal})


def _acts(value: r.Value) -> bool:
    """Whether evaluating it does anything, so that it matters whether it is evaluated."""
    if type(value) in _PLAIN and type(getattr(value, "base", value)) in _PLAIN:
        return False
    return any(isinstance(inner, (r.Call, r.Assign)) for inner in walk(value))


def operands(value: r.Binary) -> list[r.Value]:
    """`a`, `b`, `c` of `a && b && c`: the operands of one operator, without recursion along it."""
    out = [value.right]
    left = value.left
    while isinstance(left, r.Binary) and left.op == value.op:
        out.append(left.right)
        left = left.left
    out.append(left)
    out.reverse()
    return out


def _spine(value: r.Binary) -> list[r.Value]:
    """The operands of a long left chain of operators that evaluate both sides."""
    out = [value.right]
    left = value.left
    while isinstance(left, r.Binary) and left.op not in ("&&", "||"):
        out.append(left.right)
        left = left.left
    out.append(left)
    out.reverse()
    return out


def _truth(literal: r.Literal) -> bool | None:
    """What a constant condition comes to: `true`, `1` of `while (1)`, `0` of `do {} while (0)`."""
    if literal.kind == "bool":
        return literal.is_true
    if literal.kind == "int":
        return _ZERO.fullmatch(literal.text) is None
    return False if literal.kind == "null" else None


def _comparison(name: str) -> str:
    """`CHECK_EQ(a, b)` compares; what is compared how is in the macro's last part."""
    return {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}.get(name.rsplit("_", 1)[-1], ",")


def _conjuncts(condition: r.Value) -> list[r.Value]:
    """What holds each by itself where all of it does, without texts: `p && "is there"` asks for `p` alone."""
    match strip(condition):
        case r.Binary(op="&&", left=left, right=right):
            parts = [part for side in (left, right) for part in _conjuncts(side)]
            said = [part for part in parts if not (isinstance(part, r.Literal) and part.kind == "str")]
            return said or parts[:1]
    return [condition]
