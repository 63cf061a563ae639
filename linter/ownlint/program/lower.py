"""From a body's structured blocks to a graph of events.

The builder keeps a *frontier*: the events whose successor is whatever comes next. Branches split it,
joins unite it, a `return` empties it. Every construct of `records` is lowered once; `finally` blocks
are lowered again for each way out of their `try`, so that a return through them runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.program import events as e
from ownlint.program.places import THIS, Place, last_name, place_of, strip, walk

Edge = tuple[int, bool | None]

_LEAVING_ROLES = frozenset({"return on failure", "assign or return"})
_ABORTING_ROLES = frozenset({"check"})
_VANISHING_ROLES = frozenset({"debug log"})
"""Their arguments do not run at all in a release build, and nothing is tested."""
_BORROWING_TYPES = ("&",)


class Surroundings(NamedTuple):
    """What the lowering needs to know about the world outside the body."""

    members: frozenset[str] = frozenset()
    """Names that stand for members of `this` when no local hides them."""
    role: Callable[[str], str] = lambda name: ""
    """What a macro or builtin of this name does: a role of `models.MacroModel`, or empty."""
    locals: frozenset[str] = frozenset()
    """Locals of the enclosing function, for a lambda."""
    python: bool = False


class Graph(NamedTuple):
    events: list[e.Event]
    successors: list[list[Edge]]
    entry: int
    exit: int
    aliases: dict[str, Place]


class _Loop(NamedTuple):
    depth: int
    """How many scopes are open outside of it."""
    finals: int
    breaks: list[Edge]
    continues: list[Edge]


class _Builder:
    def __init__(self, function: r.Function, body: r.Body, around: Surroundings) -> None:
        self.events: list[e.Event] = []
        self.successors: list[list[Edge]] = []
        self.frontier: list[Edge] = []
        self.around = around
        declared = declared_names(function, body, around.python)
        hidden = declared | around.locals
        self.members = around.members - hidden
        self.aliases = reference_aliases(body, self.members, around.python)
        self.scopes: list[list[Place]] = []
        self.loops: list[_Loop] = []
        self.finals: list[r.Body] = []
        self.handlers: list[list[Edge]] = []
        self.labels: dict[str, int] = {}
        self.gotos: list[tuple[str, list[Edge]]] = []
        self.leaves: list[Edge] = []
        self.asserting = False
        self.awaited: r.Value | None = None

    # --- plumbing ---

    def emit(self, event: e.Event) -> e.Event:
        event.index = len(self.events)
        self.events.append(event)
        self.successors.append([])
        for source, label in self.frontier:
            self.successors[source].append((event.index, label))
        self.frontier = [(event.index, None)]
        if self.handlers and isinstance(event, e.Call):
            self.handlers[-1].append((event.index, None))
        return event

    def place(self, value: r.Value | None) -> Place | None:
        return place_of(value, self.aliases, self.members)

    # --- values ---

    def value(self, value: r.Value | None, *, into: Place | None = None, dropped: str = "", declares: str = "") -> None:
        kind = type(value)  # the common kinds first, without the cost of a match
        if value is None or kind is r.Literal:
            return
        if kind is r.Name or kind is r.Member or kind is r.Index:
            self.read(value)
            return
        match value:
            case r.Call(callee=r.Name(text="void"), args=(inner,)):
                self.value(inner, dropped="void cast")
            case r.Call():
                self.call(value, into=into, dropped=dropped, declares=declares)
            case r.Assign():
                self.assign(value)
                if isinstance(value.target, (r.Name, r.Member, r.Index)) and value.op not in ("++", "--"):
                    self.read(value.target)  # an assignment inside an expression hands its value on
            case r.Binary(op="&&" | "||", right=right) if _acts(right) and not self.asserting:
                joined = self.condition(value)
                self.frontier = joined[0] + joined[1]
            case r.Conditional(condition=condition, then=then, other=other):
                yes, no = self.condition(condition)
                self.frontier = yes
                self.value(then, into=into, dropped=dropped, declares=declares)
                after = self.frontier
                self.frontier = no
                self.value(other, into=into, dropped=dropped, declares=declares)
                self.frontier = after + self.frontier
            case r.Cast(type="void", value=inner):
                self.value(inner, dropped="void cast")
            case r.Cast(value=inner):
                self.value(inner, into=into, dropped=dropped, declares=declares)
            case r.Unary(op="throw", value=inner):
                self.value(inner)
                self.leave(value.span, "throw", inner)
            case r.Unary(op="await" | "co_await", value=inner):
                self.awaited = inner
                self.value(inner, into=into, dropped=dropped, declares=declares)
            case r.Unary(value=inner):
                self.value(inner)
            case r.Binary(left=left, right=right):
                self.spine(value)
            case r.Lambda(captures=captures):
                for capture in captures:
                    if capture.value is not None:
                        self.value(capture.value)
                    elif capture.name not in ("this", "*this", "&", "="):
                        name = r.Name(capture.start, capture.end, capture.name)
                        self.read(name)
            case r.Aggregate(items=items):
                for item in items:
                    self.value(item)
            case r.Pair(value=inner):
                self.value(inner)
            case r.Comprehension(element=element, clauses=clauses):
                for clause in clauses:
                    self.value(clause.iterable)
                    self.write(clause.target, None, "=", fresh=True)
                    for condition in clause.conditions:
                        self.value(condition)
                self.value(element)
            case r.OpaqueValue(text=shown, names=names):
                self.emit(e.Opaque(value.span, shown, names))

    def spine(self, value: r.Binary) -> None:
        """Operands of a long left chain, without recursion along it."""
        operands: list[r.Value] = []
        current: r.Value = value
        while isinstance(current, r.Binary):
            operands.append(current.right)
            current = current.left
        operands.append(current)
        for operand in reversed(operands):
            self.value(operand)

    def read(self, value: r.Value) -> None:
        if isinstance(value, r.Name):
            name = value.text
            self.emit(
                e.Read(value.span, self.aliases.get(name) or ((THIS, name) if name in self.members else (name,)), value)
            )
            return
        place = self.place(value)
        inner: r.Value | None = value
        while inner is not None:
            match inner:
                case r.Member(base=base):
                    inner = base
                case r.Index(base=base, indexes=indexes):
                    for index in indexes:
                        self.value(index)
                    inner = base
                case r.Name() | r.Literal():
                    inner = None
                case _:
                    self.value(inner)
                    inner = None
        if place is not None:
            self.emit(e.Read(value.span, place, value))

    def call(self, call: r.Call, *, into: Place | None, dropped: str, declares: str = "") -> None:
        chain: list[r.Call] = []
        current: r.Value = call
        while isinstance(current, r.Call) and isinstance(current.callee, r.Member):
            chain.append(current)
            current = current.callee.base
        if isinstance(current, r.Call):
            self.one_call(current, None if chain else into, "" if chain else dropped, "" if chain else declares)
        elif not isinstance(current, r.Name) or chain:
            self.value(current)
        for link in reversed(chain):
            outermost = link is call
            self.one_call(
                link, into if outermost else None, dropped if outermost else "", declares if outermost else ""
            )

    def one_call(self, call: r.Call, into: Place | None, dropped: str, declares: str) -> None:
        callee = call.callee
        name = last_name(callee)
        role = self.around.role(name) if isinstance(callee, r.Name) else ""
        if role in ("assert", "assert only") or role in _ABORTING_ROLES:
            self.asserted(call, role)
            return
        if not isinstance(callee, (r.Name, r.Member)):
            self.value(callee)
        consumed = role in _LEAVING_ROLES
        before, self.asserting = self.asserting, self.asserting or role in _VANISHING_ROLES
        for argument in call.args:
            self.value(argument, into=into if consumed else None, declares=declares if consumed else "")
        self.asserting = before
        base = callee.base if isinstance(callee, r.Member) else None
        on = self.place(base) if base is not None else None
        self.emit(e.Call(call.span, call, on, dropped, into, declares, self.asserting, call is self.awaited))
        if consumed:
            here = self.frontier
            self.leave(call.span, "return", None, via=name)
            self.frontier = here
        elif call.kind == "call" and role == "leave":
            self.leave(call.span, "throw", None, via=name)

    def asserted(self, call: r.Call, role: str) -> None:
        before = self.asserting
        self.asserting = role not in _ABORTING_ROLES
        for argument in call.args:
            self.value(argument)
        condition = call.args[0] if call.args else r.Literal(call.start, call.end, "bool", "true")
        if len(call.args) == 2 and role in _ABORTING_ROLES:
            condition = r.Binary(call.start, call.end, _comparison(last_name(call.callee)), call.args[0], call.args[1])
        test = self.emit(e.Test(call.span, condition, asserted=self.asserting))
        self.asserting = before
        self.frontier = [(test.index, None if role not in _ABORTING_ROLES else True)]

    def assign(self, value: r.Assign) -> None:
        if value.op in ("++", "--"):
            self.value(value.target)
            self.write(value.target, None, value.op)
            return
        if value.op not in ("=", ":="):
            self.value(value.target)
        place = self.place(value.target)
        self.value(value.value, into=place)
        self.write(value.target, value.value, value.op)

    def write(
        self, target: r.Value | None, value: r.Value | None, op: str, *, fresh: bool = False, type: str = ""
    ) -> None:
        match target:
            case None:
                return
            case r.Aggregate(items=items):
                sources = value.items if isinstance(value, r.Aggregate) and len(value.items) == len(items) else None
                for position, item in enumerate(items):
                    source = (
                        sources[position]
                        if sources
                        else r.Index(value.start, value.end, value, ())
                        if value is not None
                        else None
                    )
                    self.write(item, source, op, fresh=fresh)
                return
            case r.Unary(op="spread", value=inner):
                self.write(inner, None, op, fresh=fresh)
                return
            case r.Index(base=base, indexes=indexes):
                for index in indexes:
                    self.value(index)
                if any(isinstance(inner, r.Call) for inner in walk(base)):
                    self.value(base)
            case r.Member(base=base):
                if any(isinstance(inner, r.Call) for inner in walk(base)):
                    self.value(base)
            case r.Name():
                pass
            case _:
                self.value(target)
        place = self.place(target) or self.element_of_result(target)
        if place is not None:
            self.emit(e.Write(target.span, place, value, op, fresh, type, target))

    def element_of_result(self, target: r.Value) -> Place | None:
        """The place of `owner.table()[key]`: an element of what a call hands out is written where others see it."""
        if not isinstance(target, r.Index):
            return None
        steps = "[" + ", ".join(text(index) for index in target.indexes) + "]"
        base = strip(target.base)
        if isinstance(base, r.Unary) and base.op == "*":
            base = strip(base.value)
        return (text(base), steps) if isinstance(base, r.Call) else None

    def condition(self, value: r.Value) -> tuple[list[Edge], list[Edge]]:
        """Lowers a condition; returns the frontiers where it holds and where it does not."""
        inner = strip(value)
        match inner:
            case r.Binary(op="&&", left=left, right=right):
                yes, no = self.condition(left)
                self.frontier = yes
                yes, more = self.condition(right)
                return yes, no + more
            case r.Binary(op="||", left=left, right=right):
                yes, no = self.condition(left)
                self.frontier = no
                more, no = self.condition(right)
                return yes + more, no
            case r.Unary(op="!" | "not", value=negated):
                yes, no = self.condition(negated)
                return no, yes
            case r.Literal(kind="bool", text=shown):
                truth = shown in ("true", "True")
                return (self.frontier, []) if truth else ([], self.frontier)
            case r.Call(callee=r.Name(text=hint), args=args) if args and self.around.role(hint) == "hint":
                return self.condition(args[0])
        self.value(value)
        test = self.emit(e.Test(value.span, value))
        return [(test.index, True)], [(test.index, False)]

    # --- leaving ---

    def leave(self, span: Span, kind: str, value: r.Value | None, via: str = "") -> None:
        if kind == "throw" and self.handlers:
            event = self.emit(e.Leave(span, kind, value, via))
            self.handlers[-1].append((event.index, None))
            self.frontier = []
            return
        self.run_finals(0)
        event = self.emit(e.Leave(span, kind, value, via))
        self.leaves.append((event.index, None))
        self.frontier = []

    def run_finals(self, down_to: int) -> None:
        pending = self.finals[down_to:]
        kept = self.finals
        for position in range(len(pending) - 1, -1, -1):
            self.finals = kept[: down_to + position]
            self.block(pending[position])
        self.finals = kept

    def end_scope(self, places: list[Place], span: Span) -> None:
        for place in reversed(places):
            self.emit(e.End(Span(span.end, span.end), place))

    # --- statements ---

    def block(self, body: r.Body, span: Span | None = None) -> None:
        self.scopes.append([])
        for statement in body:
            self.statement(statement)
        ended = self.scopes.pop()
        if self.frontier and ended:
            self.end_scope(ended, span or Span(body[-1].end, body[-1].end))

    def statement(self, statement: r.Statement) -> None:
        match statement:
            case r.Evaluate(value=value):
                self.evaluate(value)
            case r.Declare():
                self.declare(statement)
            case r.Leave():
                self.leaving(statement)
            case r.Branch():
                self.branch(statement)
            case r.Block(body=body):
                self.block(body, statement.span)
            case r.Loop():
                self.loop(statement)
            case r.Switch():
                self.switch(statement)
            case r.Try():
                self.trying(statement)
            case r.With():
                self.with_block(statement)
            case r.Label(name=name):
                mark = self.emit(e.Mark(statement.span, "label " + name))
                self.labels[name] = mark.index
            case r.Delete(targets=targets):
                for target in targets:
                    place = self.place(target)
                    if place is not None:
                        self.emit(e.End(statement.span, place, "del"))
            case r.Nested(name=name):
                self.emit(e.Write(statement.span, (name,), None, "def", True))
            case r.Opaque(text=shown, names=names):
                self.emit(e.Opaque(statement.span, shown, names))

    def evaluate(self, value: r.Value) -> None:
        match value:
            case r.Call():
                self.value(value, dropped="statement")
            case r.Assign(target=r.Name(text="std::ignore" | "ignore"), value=inner):
                self.value(inner, dropped="ignore")
            case r.Assign():
                self.assign(value)
            case r.Binary(op=",", left=left, right=right):
                self.evaluate(left)
                self.evaluate(right)
            case r.Conditional(condition=condition, then=then, other=other):
                yes, no = self.condition(condition)
                self.frontier = yes
                self.evaluate(then)
                after, self.frontier = self.frontier, no
                self.evaluate(other)
                self.frontier = after + self.frontier
            case r.Unary(op="await" | "co_await"):
                self.value(value, dropped="statement")
            case _:
                self.value(value)

    def declare(self, statement: r.Declare) -> None:
        first = (statement.names[0],) if statement.names else None
        self.value(statement.value, into=first, declares=statement.type)
        for name in statement.names:
            aliased = name in self.aliases
            if not aliased:
                self.emit(e.Write(statement.span, (name,), statement.value, "=", True, statement.type))
            if self.scopes and not statement.static and not aliased:
                self.scopes[-1].append((name,))

    def leaving(self, statement: r.Leave) -> None:
        match statement.kind:
            case "return" | "throw":
                self.value(statement.value)
                self.leave(statement.span, statement.kind, statement.value)
            case "break" | "continue" if self.loops:
                loop = self.loops[-1]
                if statement.kind == "continue":
                    loop = next((outer for outer in reversed(self.loops) if outer.continues is not _NO_CONTINUE), loop)
                self.run_finals(loop.finals)
                for places in reversed(self.scopes[loop.depth :]):
                    self.end_scope(places, statement.span)
                (loop.breaks if statement.kind == "break" else loop.continues).extend(self.frontier)
                self.frontier = []
            case "goto":
                mark = self.emit(e.Mark(statement.span, "goto"))
                self.gotos.append((statement.label, [(mark.index, None)]))
                self.frontier = []

    def branch(self, statement: r.Branch) -> None:
        self.scopes.append([])
        for before in statement.before:
            self.statement(before)
        yes, no = self.condition(statement.condition)
        self.frontier = yes
        self.block(statement.then, statement.span)
        after, self.frontier = self.frontier, no
        self.block(statement.other, statement.span)
        self.frontier = after + self.frontier
        ended = self.scopes.pop()
        if ended and self.frontier:
            self.end_scope(ended, statement.span)

    def loop(self, statement: r.Loop) -> None:
        self.scopes.append([])
        for before in statement.before:
            self.statement(before)
        if statement.kind == "range":
            self.value(statement.iterable)
        head = self.emit(e.Mark(statement.span, "loop"))
        loop = _Loop(len(self.scopes), len(self.finals), [], [])
        out: list[Edge] = []
        if statement.kind == "range":
            out = list(self.frontier)
            self.scopes.append([])
            self.bind_loop_variable(statement)
        elif statement.condition is not None and statement.kind != "do":
            self.frontier, out = self.condition(statement.condition)
        self.loops.append(loop)
        self.block(statement.body, statement.span)
        self.loops.pop()
        if statement.kind == "range":
            ended = self.scopes.pop()
            if ended and self.frontier:
                self.end_scope(ended, statement.span)
        self.frontier = self.frontier + loop.continues
        if statement.kind == "do" and statement.condition is not None and self.frontier:
            self.frontier, out = self.condition(statement.condition)
        if statement.step is not None and self.frontier:
            self.evaluate(statement.step)
        for source, label in self.frontier:
            self.successors[source].append((head.index, label))
        self.frontier = out
        if statement.otherwise:
            self.block(statement.otherwise)
        self.frontier = self.frontier + loop.breaks
        ended = self.scopes.pop()
        if ended and self.frontier:
            self.end_scope(ended, statement.span)

    def bind_loop_variable(self, statement: r.Loop) -> None:
        element: r.Value | None = None
        if statement.iterable is not None:
            at = statement.iterable
            element = r.Index(at.start, at.end, at, ())
        targets = statement.target.items if isinstance(statement.target, r.Aggregate) else (statement.target,)
        bound = [target for target in targets if not (isinstance(target, r.Name) and target.text in self.aliases)]
        for target in bound:
            self.write(target, element, "=", fresh=True, type=statement.type)
            if isinstance(target, r.Name) and not self.around.python:
                self.scopes[-1].append((target.text,))

    def switch(self, statement: r.Switch) -> None:
        self.value(statement.value)
        head = self.emit(e.Test(statement.span, statement.value))
        loop = _Loop(len(self.scopes), len(self.finals), [], _NO_CONTINUE)
        self.loops.append(loop)
        fell: list[Edge] = []
        ended: list[Edge] = []
        has_default = False
        for case in statement.cases:
            has_default = has_default or not case.values
            self.frontier = [(head.index, None), *fell]
            mark = self.emit(e.Mark(case.span, "case"))
            del mark
            self.block(case.body, case.span)
            fell = self.frontier if statement.falls else []
            if not statement.falls:
                ended += self.frontier
        self.loops.pop()
        self.frontier = ended + fell + loop.breaks
        if not has_default:
            self.frontier.append((head.index, None))

    def trying(self, statement: r.Try) -> None:
        raised: list[Edge] = list(self.frontier)
        if statement.final:
            self.finals.append(statement.final)
        self.handlers.append(raised)
        self.block(statement.body)
        self.handlers.pop()
        if statement.otherwise:
            self.block(statement.otherwise)
        ways_out = self.frontier
        for handler in statement.handlers:
            self.frontier = list(raised)
            self.emit(e.Mark(handler.span, "catch"))
            if handler.name:
                self.emit(e.Write(handler.span, (handler.name,), None, "=", True, handler.type))
            self.block(handler.body, handler.span)
            ways_out = ways_out + self.frontier
        if statement.final:
            self.finals.pop()
            self.frontier = ways_out
            self.block(statement.final)
            ways_out = self.frontier
            if not statement.handlers:
                self.frontier = list(raised)
                self.emit(e.Mark(statement.span, "unwinding"))
                self.block(statement.final)
                self.leave(statement.span, "throw", None)
        self.frontier = ways_out

    def with_block(self, statement: r.With) -> None:
        opened: list[Place] = []
        for item in statement.items:
            self.value(item.value, into=self.place(item.target) if item.target is not None else None)
            if item.target is not None:
                self.write(item.target, item.value, "with", fresh=True)
            place = self.place(item.target if item.target is not None else item.value)
            opened.append(place or (f"<with {item.start}>",))
        self.block(statement.body)
        if self.frontier:
            for place in reversed(opened):
                self.emit(e.End(Span(statement.end, statement.end), place, "with"))


_NO_CONTINUE: list[Edge] = []


def lower(function: r.Function, body: r.Body, around: Surroundings) -> Graph:
    """The event graph of one body. Linear in the size of the body but for nested `finally`."""
    builder = _Builder(function, body, around)
    start = Span(function.start, function.start)
    builder.emit(e.Mark(start, "entry"))
    for initializer in function.initializers:
        place = ("this", initializer.name)
        for argument in initializer.args:
            builder.value(argument)
        value = initializer.args[0] if len(initializer.args) == 1 else None
        builder.emit(e.Write(initializer.span, place, value, "init"))
    builder.block(body)
    if builder.frontier:
        builder.leave(Span(function.end, function.end), "end", None)
    for label, sources in builder.gotos:
        target = builder.labels.get(label)
        for source, edge in sources:
            if target is not None:
                builder.successors[source].append((target, edge))
    builder.frontier = builder.leaves
    exit_mark = builder.emit(e.Mark(Span(function.end, function.end), "exit"))
    return Graph(builder.events, builder.successors, 0, exit_mark.index, builder.aliases)


def _acts(value: r.Value) -> bool:
    return any(isinstance(inner, (r.Call, r.Assign)) for inner in walk(value))


def _comparison(name: str) -> str:
    """`CHECK_EQ(a, b)` compares; what is compared how is in the macro's last part."""
    return {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}.get(name.rsplit("_", 1)[-1], ",")


def declared_names(function: r.Function, body: r.Body, python: bool = False) -> frozenset[str]:
    """Every name the body binds itself: parameters, locals, loop variables. In Python an assignment binds,
    unless the name is declared global."""
    names = {parameter.name for parameter in function.parameters}
    outside: set[str] = set()
    for statement in statements(body):
        match statement:
            case r.Evaluate(value=value) if python:
                names.update(_bound_by(value))
            case r.With(items=items):
                names.update(inner.text for item in items for inner in walk(item.target) if isinstance(inner, r.Name))
            case r.Nested(name=name):
                names.add(name)
            case r.Scope(names=elsewhere):
                outside.update(elsewhere)
            case r.Declare(names=declared):
                names.update(declared)
            case r.Loop(kind="range", target=target):
                names.update(inner.text for inner in walk(target) if isinstance(inner, r.Name))
            case r.Try(handlers=handlers):
                names.update(handler.name for handler in handlers)
    return frozenset(names - outside)


def _bound_by(value: r.Value) -> list[str]:
    """Names an expression statement assigns."""
    return [
        target.text
        for inner in walk(value)
        if isinstance(inner, r.Assign)
        for target in walk(inner.target)
        if isinstance(target, r.Name) and not isinstance(inner.target, (r.Member, r.Index))
    ]


def statements(body: r.Body) -> list[r.Statement]:
    """Every statement of a body, nested ones included, in source order."""
    out: list[r.Statement] = []
    stack: list[r.Statement] = list(reversed(body))
    while stack:
        statement = stack.pop()
        out.append(statement)
        for inner in reversed(_inner_bodies(statement)):
            stack.extend(reversed(inner))
    return out


def _inner_bodies(statement: r.Statement) -> list[r.Body]:
    match statement:
        case r.Block(body=body) | r.With(body=body):
            return [body]
        case r.Branch():
            return [statement.before, statement.then, statement.other]
        case r.Loop():
            return [statement.before, statement.body, statement.otherwise]
        case r.Switch(cases=cases):
            return [case.body for case in cases]
        case r.Try():
            return [statement.body, *(h.body for h in statement.handlers), statement.otherwise, statement.final]
    return []


def reference_aliases(body: r.Body, members: frozenset[str], python: bool) -> dict[str, Place]:
    """What C++ references (and pointers that are never set again) are bound to.

    A reference is bound once, so this needs no flow. A name declared twice with different targets
    is dropped: it may be either.
    """
    if python:
        return {}
    aliases: dict[str, Place] = {}
    dropped: set[str] = set()
    every = statements(body)

    def is_assigned(name: str) -> bool:
        return any(
            isinstance(value, r.Assign) and isinstance(value.target, r.Name) and value.target.text == name
            for statement in every
            if isinstance(statement, r.Evaluate)
            for value in walk(statement.value)
        )

    def bind(name: str, place: Place | None) -> None:
        if place is None or place[0] == name or name in dropped or aliases.get(name, place) != place:
            dropped.add(name)
            aliases.pop(name, None)
        else:
            aliases[name] = place

    for statement in every:
        match statement:
            case r.Declare(names=(name,), type=written, value=value):
                if written.rstrip().endswith("&") and value is not None:
                    if isinstance(value, r.Call) and value.kind == "construct" and len(value.args) == 1:
                        value = value.args[0]
                    bind(name, place_of(value, aliases, members))
                elif "*" in written and isinstance(value, r.Unary) and value.op == "&" and not is_assigned(name):
                    bind(name, place_of(value, aliases, members))
                elif name in aliases:
                    bind(name, None)
            case r.Loop(kind="range", target=target, type=written, iterable=iterable) if "&" in written:
                place = place_of(iterable, aliases, members)
                if place is None:
                    continue
                names = [inner.text for inner in walk(target) if isinstance(inner, r.Name)]
                parts = ("[*]",) if len(names) == 1 else ("[*]", "first"), ("[*]", "second")
                if len(names) == 1:
                    bind(names[0], (*place, "[*]"))
                elif len(names) == 2:
                    bind(names[0], (*place, *parts[0]))
                    bind(names[1], (*place, *parts[1]))
    return aliases


def describe(value: r.Value | None) -> str:
    return text(value) if value is not None else ""
