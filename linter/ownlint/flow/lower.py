"""From a body's structured blocks to a graph of events.

The builder keeps a *frontier*: the events whose successor is whatever comes next. Branches split it,
joins unite it, a `return` empties it. Every construct of `records` is lowered once; `finally` blocks
are lowered again for each way out of their `try`, so that a return through them runs them.

An exception is seen where something would notice: a call inside a `try` has an edge to its handlers, or through its
`finally` out of the function. What no handler takes goes on to the next `try` around.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.flow import events as e
from ownlint.flow.bodies import declared_names as declared_names
from ownlint.flow.bodies import statements as statements
from ownlint.flow.expressions import ALWAYS_LEAVES, Edge, Expressions, operands
from ownlint.flow.expressions import Surroundings as Surroundings
from ownlint.flow.places import THIS, Place, is_placement

_MOST_COPIED = 10_000
"""Events that further copies of `finally` blocks may add to one function: nested ones double at each level."""
_MOST_EDGES = 10_000
"""Edges from one `try` to its handlers; beyond it they run through one event."""

_CATCH_ALL = frozenset({"", "...", "Exception", "BaseException"})
"""What a handler that takes every exception says."""


class Graph(NamedTuple):
    events: list[e.Event]
    successors: list[list[Edge]]
    entry: int
    exit: int
    aliases: dict[str, Place]


_Ends = list[tuple[Place, str]]
"""What ends with a block, and why, in the order in which it began."""


class _Final(NamedTuple):
    """A `finally` around the code that is read; it runs among the loops and handlers outside of its `try`."""

    body: r.Body
    loops: int
    handlers: int


class _Loop(NamedTuple):
    """Where `break` and `continue` lead. A `switch` has no `continues`."""

    depth: int
    """How many scopes are open outside of it."""
    breaks: list[Edge]
    continues: list[Edge] | None


class _Builder(Expressions):
    def __init__(self, function: r.FunctionRecord, body: r.Body, around: Surroundings) -> None:
        super().__init__(function, body, around)
        self.scopes: list[_Ends | _Final] = []
        self.finals = 0
        """How many of the scopes are a `finally`."""
        self.copied = 0
        self.begun: _Ends = []
        """What has begun inside of a `try`: its handlers end it."""
        self.loops: list[_Loop] = []
        self.known_labels = frozenset(s.name for s in self.every if type(s) is r.Label)
        self.open_labels: dict[str, int] = {}
        """The labels of the blocks around, and how many scopes are open where they stand."""
        self.labels: dict[str, int] = {}
        self.gotos: list[tuple[str, Edge]] = []
        self.leaves: list[Edge] = []

    # --- leaving ---

    def leave(self, span: Span, kind: str, value: r.Value | None, via: str = "", to: str = "") -> None:
        if to in self.known_labels:
            self.emit(e.LeaveEvent(span, kind, value, via))
            self.go(to, span)
            return
        if via and self.handlers and self.around.only_throws(via):
            kind = "throw"
        if kind == "throw" and self.handlers:
            event = self.emit(e.LeaveEvent(span, kind, value, via))
            self.handlers[-1].append((event, None))
            self.frontier = []
            return
        if self.finals:
            self.unwind(0, None)
        event = self.emit(e.LeaveEvent(span, kind, value, via))
        self.leaves.append((event, None))
        self.frontier = []

    def alone(self, statement: r.Opaque) -> None:
        """`if (p == NULL) { FAIL }`: a macro that brings its own semicolon is no statement that a parser knows."""
        role = self.around.role(statement.text) if statement.names == (statement.text,) else ""
        if role in ALWAYS_LEAVES:
            self.evaluate(r.Name(statement.start, statement.end, statement.text))
        else:
            self.opaque(statement)

    def unwind(self, depth: int, span: Span | None) -> None:
        """What runs on the way out to the scope at `depth`: `finally` blocks and, where `span` says at which
        place, the ends of locals."""
        scopes = self.scopes
        for position in range(len(scopes) - 1, depth - 1, -1):
            scope = scopes[position]
            if isinstance(scope, _Final):
                self.scopes = scopes[:position]
                self.run_final(scope)
            elif span is not None:
                self.end(scope, span)
        self.scopes = scopes

    def run_final(self, final: _Final) -> None:
        """One more copy of a `finally`, unless there are too many."""
        before = len(self.events)
        if self.copied > _MOST_COPIED:
            self.emit(e.OpaqueEvent(Span(final.body[0].start, final.body[-1].end), "finally"))
            return
        loops, handlers = self.loops, self.handlers
        self.loops, self.handlers = loops[: final.loops], handlers[: final.handlers]
        self.finals -= 1
        self.block(final.body)
        self.finals += 1
        self.loops, self.handlers = loops, handlers
        self.copied += len(self.events) - before

    def end(self, ends: _Ends, span: Span) -> None:
        at = Span(span.end, span.end)
        for place, why in reversed(ends):
            self.emit(e.End(at, place, why))

    def begin(self, place: Place, why: str = "scope") -> None:
        """Something that will end with the innermost scope."""
        scope = self.scopes[-1]
        assert not isinstance(scope, _Final)
        scope.append((place, why))
        if self.handlers:
            self.begun.append((place, why))

    def close(self, span: Span | None) -> None:
        """Leaves the innermost scope by its end, if anything comes there."""
        ends = self.scopes.pop()
        if ends and self.frontier and span is not None:
            assert not isinstance(ends, _Final)
            self.end(ends, span)

    # --- statements ---

    def block(self, body: r.Body, span: Span | None = None) -> None:
        if not body:
            return
        self.scopes.append([])
        if self.known_labels:
            self.labelled_block(body)
        else:
            self.sequence(body)
        self.close(span or Span(body[-1].end, body[-1].end))

    def labelled_block(self, body: r.Body) -> None:
        here = [s.name for s in body if isinstance(s, r.Label)]
        self.open_labels.update(dict.fromkeys(here, len(self.scopes)))
        self.sequence(body)
        for name in here:
            self.open_labels.pop(name, None)

    def sequence(self, body: r.Body) -> None:
        last = len(body) - 1
        sides: list[tuple[list[Edge], list[Edge]]] = []
        for position, statement in enumerate(body):
            if isinstance(statement, r.Evaluate):
                if position < last and body[position + 1].span.holds(statement.span):
                    self.value(statement.value)  # a piece of the chain that the next statement ends
                    continue
                self.change_side(statement.value, sides)
                self.evaluate(statement.value)
            elif (lowered := _STATEMENTS.get(type(statement))) is not None:
                lowered(self, statement)
        for _, ends in sides:
            self.frontier = self.frontier + ends

    def change_side(self, value: r.Value, sides: list[tuple[list[Edge], list[Edge]]]) -> None:
        """`TRY { .. } CATCH(code) { .. } END;` of macros that begin an `if`, go on with its `else`, and end it. Of each
        that is open: where it began, and the ends of its sides."""
        named = value.callee if isinstance(value, r.Call) else value
        match self.around.side(named.text) if isinstance(named, r.Name) else "":
            case "if":
                sides.append((list(self.frontier), []))
            case "other" if sides:
                began, ends = sides[-1]
                ends += self.frontier
                self.frontier = began
            case "end" if sides:
                self.frontier = self.frontier + sides.pop()[1]

    def evaluate(self, value: r.Value) -> None:
        """An expression whose value is dropped."""
        match value:
            case r.Call():
                placed = any(map(is_placement, value.args[:1]))  # the object stays, whoever looks at its address
                self.call(value, None, "" if placed else "statement", "")
            case r.Name(text=name) if (role := self.around.role(name)) in ALWAYS_LEAVES:
                self.leave_by(role, name, value)
            case r.Assign(target=r.Name(text="std::ignore" | "ignore"), value=inner):
                self.value(inner, dropped="ignore")
            case r.Assign():
                self.assign(value)
            case r.Binary(op=","):
                for operand in operands(value):
                    self.evaluate(operand)
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
        self.value(statement.value, first, "", statement.type)
        for name in statement.names:
            if name not in self.aliases:
                self.emit(e.Write(statement.span, (name,), statement.value, "=", True, statement.type))
                if not statement.static:
                    self.begin((name,))

    def leaving(self, statement: r.Leave) -> None:
        match statement.kind:
            case "return" | "throw":
                self.value(statement.value)
                self.leave(statement.span, statement.kind, statement.value)
            case "goto":
                self.goto(statement)
            case kind:
                self.leave_loop(statement.span, kind)

    def leave_loop(self, span: Span, kind: str) -> None:
        """By `break` or `continue`; a `switch` knows no `continue`."""
        for loop in reversed(self.loops):
            to = loop.breaks if kind == "break" else loop.continues
            if to is not None:
                self.unwind(loop.depth, span)
                to.extend(self.frontier)
                self.frontier = []
                break

    def goto(self, statement: r.Leave) -> None:
        if statement.label not in self.known_labels:  # nobody can say where it leads: out, as far as we know
            event = self.emit(e.OpaqueEvent(statement.span, "goto " + statement.label))
            self.leaves.append((event, None))
            self.frontier = []
            return
        self.emit(e.Mark(statement.span, "goto"))
        self.go(statement.label, statement.span)

    def go(self, label: str, span: Span) -> None:
        self.unwind(self.open_labels.get(label, len(self.scopes)), span)
        self.gotos.extend((label, edge) for edge in self.frontier)
        self.frontier = []

    def label(self, statement: r.Label) -> None:
        self.labels[statement.name] = self.emit(e.Mark(statement.span, "label " + statement.name))

    def scope(self, statement: r.Block) -> None:
        self.block(statement.body, statement.span)

    def delete(self, statement: r.Delete) -> None:
        for target in statement.targets:
            self.on_the_way(target)
            place = self.place(target)
            if place is not None:
                self.emit(e.End(statement.span, place, "del"))

    def nested(self, statement: r.Nested) -> None:
        self.emit(e.Write(statement.span, (statement.name,), None, "def", True))

    # --- branches and loops ---

    def branch(self, statement: r.Branch) -> None:
        """An `if` with all its `else if`, without recursion along them."""
        if is_of_build(statement):
            self.sides(statement)
            return
        taken: list[tuple[list[Edge], Span]] = []
        while True:
            self.scopes.append([])
            self.sequence(statement.before)
            yes, no = self.condition(statement.condition)
            self.frontier = yes
            self.block(statement.then, statement.span)
            taken.append((self.frontier, statement.span))
            self.frontier = no
            if len(statement.other) != 1 or not isinstance(statement.other[0], r.Branch):
                break
            statement = statement.other[0]
        self.block(statement.other, statement.span)
        out = list(self.frontier)
        for after, span in reversed(taken):
            out += after
            self.frontier = out
            self.close(span)
            out = self.frontier

    def sides(self, statement: r.Branch) -> None:
        """An `#if` and its `#else`: they are no blocks, so that what they declare ends with what is around them."""
        scope = self.scopes[-1]
        assert not isinstance(scope, _Final)
        before = len(scope)
        yes, no = self.condition(statement.condition)
        self.frontier = yes
        self.side(statement.then)
        taken, begun = self.frontier, scope[before:]
        del scope[before:]
        self.frontier = no
        self.side(statement.other)
        self.frontier = self.frontier + taken
        scope[before:] = _once([*begun, *scope[before:]])

    def side(self, body: r.Body) -> None:
        if self.known_labels:
            self.labelled_block(body)
        else:
            self.sequence(body)

    def loop(self, statement: r.Loop) -> None:
        span = statement.span
        while_ = statement.kind == "while"
        self.scopes.append([])
        if not while_:
            self.sequence(statement.before)
        if statement.kind == "range":
            self.value(statement.iterable)
        missed = self.first_round(statement)
        head = self.emit(e.Mark(span, "loop"))
        loop = _Loop(len(self.scopes), [], [])
        out: list[Edge] = []
        self.scopes.append([])  # what lives for one round
        if while_:
            self.sequence(statement.before)
        if statement.kind == "range":
            out = list(self.frontier)
            self.bind_loop_variable(statement)
        elif statement.condition is not None and statement.kind != "do":
            self.frontier, out = self.condition(statement.condition)
            out = self.ended(out, span)
        self.loops.append(loop)
        self.block(statement.body, span)
        self.loops.pop()
        self.close(span)
        assert loop.continues is not None
        self.frontier = self.frontier + loop.continues
        if statement.kind == "do" and statement.condition is not None and self.frontier:
            self.frontier, out = self.condition(statement.condition)
        if statement.step is not None and self.frontier:
            self.evaluate(statement.step)
        for source, label in self.frontier:
            self.successors[source].append((head, label))
        self.frontier = out + missed
        self.block(statement.otherwise)
        self.frontier = self.frontier + loop.breaks
        self.close(span)

    def first_round(self, statement: r.Loop) -> list[Edge]:
        """`errno = EINTR; while (errno == EINTR && close(f));`: where what is assigned in front settles what a loop
        without a body asks first, the rest is asked once at least. The ways on which it does not hold."""
        asked, last = statement.condition, self.events[-1] if self.events else None
        if statement.body or statement.step or not isinstance(asked, r.Binary) or asked.op != "&&":
            return []
        first, *rest = operands(asked)
        if not isinstance(last, e.Write) or [source for source, _ in self.frontier] != [last.index]:
            return []
        match first, last.value:
            case (
                r.Binary(op="==", left=r.Name(text=name), right=r.Name(text=wanted) | r.Literal(text=wanted)),
                r.Name(text=held) | r.Literal(text=held),
            ) if last.op == "=" and last.place[-1:] == (name,) and wanted == held:
                missed: list[Edge] = []
                for one in rest:
                    self.frontier, no = self.condition(one)
                    missed += no
                return missed
        return []

    def ended(self, edges: list[Edge], span: Span) -> list[Edge]:
        """The ways out of a loop's condition, behind the ends of what the condition declares."""
        ends = self.scopes[-1]
        if not ends or not edges:
            return edges
        here, self.frontier = self.frontier, edges
        assert not isinstance(ends, _Final)
        self.end(ends, span)
        edges, self.frontier = self.frontier, here
        return edges

    def bind_loop_variable(self, statement: r.Loop) -> None:
        element: r.Value | None = None
        if statement.iterable is not None:
            at = statement.iterable
            element = r.Index(at.start, at.end, at, ())
        targets = statement.target.items if isinstance(statement.target, r.Aggregate) else (statement.target,)
        for target in targets:
            if isinstance(target, r.Name) and target.text in self.aliases:
                continue
            self.write(target, element, "=", fresh=True, type=statement.type)
            if isinstance(target, r.Name) and not self.around.python:
                self.begin((target.text,))

    def switch(self, statement: r.Switch) -> None:
        self.value(statement.value)
        head = self.emit(e.Test(statement.span, statement.value))
        loop = _Loop(len(self.scopes), [], None)
        self.loops.append(loop)
        out: list[Edge] = []
        from_above: list[Edge] = []
        has_default = False
        for case in statement.cases:
            has_default = has_default or not case.values
            self.frontier = [(head, None), *from_above]
            self.emit(e.Mark(case.span, "case"))
            if statement.falls:
                self.block(case.body, case.span)
                from_above = self.frontier
            else:
                missed = self.pattern(case)
                out += self.frontier
                if not case.values:
                    from_above = []  # nothing gets past it
                elif missed:
                    self.frontier = from_above + missed
                    from_above = [(self.emit(e.Mark(case.span, "no match")), None)]
        self.loops.pop()
        self.frontier = out + from_above + loop.breaks
        if not has_default:
            self.frontier.append((head, None))

    def pattern(self, case: r.Case) -> list[Edge]:
        """A case of Python's `match`: its pattern binds and looks; the ways on to the next case are those on which its
        guard, an `if` that starts with its own condition, does not hold."""
        for value in case.values:
            self.value(value)
        last = case.body[-1] if case.body else None
        if not isinstance(last, r.Branch) or last.start != last.condition.start:
            self.block(case.body, case.span)
            return []
        self.sequence(case.body[:-1])
        yes, no = self.condition(last.condition)
        self.frontier = yes
        self.block(last.then, case.span)
        return no

    # --- exceptions ---

    def trying(self, statement: r.Try) -> None:
        unwound: list[Edge] = [] if statement.handlers else list(self.frontier)
        begun = len(self.begun)
        if statement.final:
            self.scopes.append(_Final(statement.final, len(self.loops), len(self.handlers)))
            self.finals += 1
            self.handlers.append(unwound)
        raised = list(self.frontier)
        if statement.handlers:
            self.handlers.append(raised)
        self.block(statement.body)
        if statement.handlers:
            self.handlers.pop()
            raised = list(dict.fromkeys(raised))  # a `try` inside hands on where it began, too
        ended = _once(self.begun[begun:])
        del self.begun[begun:]
        if self.handlers and not any(handler.type in _CATCH_ALL for handler in statement.handlers):
            if statement.handlers:
                self.handlers[-1].extend(raised)
            self.begun += ended  # the handler around ends them
        if statement.otherwise:
            self.block(statement.otherwise)
        ways_out = self.frontier
        if len(statement.handlers) * (len(raised) + len(ended)) > _MOST_EDGES:
            self.frontier = raised
            self.emit(e.Mark(statement.span, "raised"))
            self.end(ended, Span(statement.start, statement.start))
            raised, ended = self.frontier, []
        for handler in statement.handlers:
            self.frontier = list(raised)
            self.catch(handler, ended)
            ways_out = ways_out + self.frontier
        self.frontier = ways_out
        if statement.final:
            self.finish(statement, unwound)
            del self.begun[begun:]

    def catch(self, handler: r.Handler, ended: _Ends) -> None:
        self.emit(e.Mark(handler.span, "catch"))
        self.end(ended, Span(handler.start, handler.start))
        if handler.name:
            self.emit(e.Write(handler.span, (handler.name,), None, "=", True, handler.type))
        self.block(handler.body, handler.span)

    def finish(self, statement: r.Try, unwound: list[Edge]) -> None:
        """The `finally` of those who come to it, and of an exception on its way out."""
        final = self.scopes.pop()
        assert isinstance(final, _Final)
        self.finals -= 1
        self.handlers.pop()
        if self.frontier or not unwound:
            self.block(statement.final)
        after = self.frontier
        if unwound:
            self.frontier = list(dict.fromkeys(unwound))
            self.emit(e.Mark(statement.span, "unwinding"))
            self.finals += 1
            self.run_final(final)
            self.finals -= 1
            self.leave(statement.span, "throw", None)
        self.frontier = after

    def with_block(self, statement: r.With) -> None:
        self.scopes.append([])
        for item in statement.items:
            self.value(item.value, self.place(item.target) if item.target is not None else None)
            if item.target is not None:
                self.write(item.target, item.value, "with", fresh=True)
            place = self.place(item.target if item.target is not None else item.value)
            self.begin(place or (f"<with {item.start}>",), "with")
        self.block(statement.body)
        self.close(statement.span)


_STATEMENTS: dict[type, Callable[[_Builder, Any], None]] = {
    r.Declare: _Builder.declare,
    r.Leave: _Builder.leaving,
    r.Branch: _Builder.branch,
    r.Block: _Builder.scope,
    r.Loop: _Builder.loop,
    r.Switch: _Builder.switch,
    r.Try: _Builder.trying,
    r.With: _Builder.with_block,
    r.Label: _Builder.label,
    r.Delete: _Builder.delete,
    r.Nested: _Builder.nested,
    r.Opaque: _Builder.alone,
}


def lower(function: r.FunctionRecord, body: r.Body, around: Surroundings) -> Graph:
    """The event graph of one body. Linear in the size of the body but for nested `finally`, which is bounded."""
    builder = _Builder(function, body, around)
    builder.emit(e.Mark(Span(function.start, function.start), "entry"))
    for initializer in function.initializers:
        place = (THIS, initializer.name)
        value = initializer.args[0] if len(initializer.args) == 1 else None
        for argument in initializer.args:
            builder.value(argument, place if value is not None else None)
        builder.emit(e.Write(initializer.span, place, value, "init"))
    builder.block(body)
    end = Span(function.end, function.end)
    if builder.frontier:
        builder.leave(end, "end", None)
    for label, (source, edge) in builder.gotos:
        if label in builder.labels:
            builder.successors[source].append((builder.labels[label], edge))
        else:  # a label that was not read, in a macro say: nobody knows where this goes on
            builder.leaves.append((source, edge))
    builder.frontier = builder.leaves
    exit_ = builder.emit(e.Mark(end, "exit"))
    return Graph(builder.events, builder.successors, 0, exit_, builder.aliases)


def is_of_build(statement: r.Branch) -> bool:
    """Whether it is the build that decides: an `#if`."""
    asked = statement.condition
    asked = asked.value if isinstance(asked, r.Unary) else asked
    return isinstance(asked, r.Literal) and asked.kind == "build"


def _once(ends: _Ends) -> _Ends:
    return list(dict.fromkeys(ends))
