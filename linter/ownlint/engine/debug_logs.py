"""What only a debug log reads: its stretches of a body, the counters behind it, the blocks that hold nothing else.

A debug log is one that is off as a rule: the macros that a model or the project's own `#define`s say so of. What stands
behind a question whether the log is on belongs to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.flow.bodies import values
from ownlint.flow.places import last_name, receiver, strip, walk
from ownlint.project import types
from ownlint.project.subjects import Function

_NUMBER = re.compile(
    r"(?:std::)?(?:u?int(?:_fast|_least)?(?:8|16|32|64)?(?:_t)?|s?size_t|ptrdiff_t|float|double|short|long|unsigned|signed|char|\s)+"
)
_QUIET = frozenset(
    {"size", "length", "empty", "begin", "end", "cbegin", "cend", "count", "capacity", "load", "get", "first"}
)
"""Methods that change nothing, wherever they are."""


class Counter(NamedTuple):
    name: str
    declared: r.Declare
    writes: tuple[int, ...]
    """Where it is counted on: byte offsets."""
    log: r.Span
    """The first log that reads it."""


class DebugLogs:
    """The debug logs of one function, by what its statements say."""

    def __init__(self, function: Function) -> None:
        self.function = function
        role = function.program.macros.role
        self.names = frozenset(name for name in function.mentioned if name[:1] != "=" and role(name) == "debug log")

    @cached_property
    def spans(self) -> list[r.Span]:
        """The stretches that are for a debug log, in source order; they may be nested."""
        found: list[r.Span] = []
        for statement in self.function.statements:
            match statement:
                case r.Branch(condition=condition, then=then) if then and self._asks(condition):
                    found.append(r.Span(condition.start, then[-1].end))
                case r.Evaluate(value=value) if self._is_log(value):
                    found.append(statement.span)
        return sorted(found)

    def covers(self, offset: int) -> bool:
        return any(offset in span for span in self.spans[: bisect_right(self.spans, r.Span(offset, 1 << 62))][-8:])

    def _asks(self, condition: r.Value) -> bool:
        inner = strip(condition)
        return isinstance(inner, r.Call) and last_name(inner.callee) in self.names

    def _is_log(self, value: r.Value) -> bool:
        """`LOG(2) << a << b`, `LOG_LINES(2, a)`."""
        while isinstance(value, r.Binary) and value.op == "<<":
            value = value.left
        while isinstance(value, r.Call) and isinstance(value.callee, r.Member):
            value = value.callee.base
        return isinstance(value, r.Call) and last_name(value.callee) in self.names

    # --- counters ---

    @cached_property
    def counters(self) -> dict[str, Counter]:
        """The numbers that begin with a constant, are counted on, and are read by debug logs alone."""
        begun: dict[str, r.Declare] = {}
        spoilt: set[str] = set()
        for statement in self.function.statements:
            if isinstance(statement, r.Declare):
                for name in statement.names:
                    if name in begun or not _begins_as_number(statement) or self.covers(statement.start):
                        spoilt.add(name)
                    begun[name] = statement
        candidates = set(begun) - spoilt
        if not candidates:
            return {}
        writes: dict[str, list[int]] = {}
        reads: dict[str, r.Span] = {}
        for statement in self.function.statements:
            for value in values(statement):
                self._look(statement, value, candidates, writes, reads)
        for inner in self.function.lambdas():
            candidates -= {name for name in candidates if f'"{name}"'.encode() in inner.encoded}
        return {
            name: Counter(name, begun[name], tuple(writes[name]), reads[name])
            for name in sorted(candidates)
            if name in writes and name in reads
        }

    def _look(
        self,
        statement: r.Statement,
        value: r.Value,
        candidates: set[str],
        writes: dict[str, list[int]],
        reads: dict[str, r.Span],
    ) -> None:
        logged = next((span for span in self.spans if value.start in span), None)
        is_own = isinstance(statement, r.Evaluate) or (isinstance(statement, r.Loop) and value is statement.step)
        counted = value.target if is_own and isinstance(value, r.Assign) and value.op not in ("=", ":=") else None
        if isinstance(counted, r.Name) and counted.text in candidates and logged is None:
            writes.setdefault(counted.text, []).append(value.start)
            if isinstance(value, r.Assign) and value.op in ("++", "--"):
                return
        for inner in walk(value):
            if isinstance(inner, r.Lambda):
                candidates -= {capture.name for capture in inner.captures}
            if isinstance(inner, r.Name) and inner.text in candidates and inner is not counted:
                if logged is None:
                    candidates.discard(inner.text)
                else:
                    reads.setdefault(inner.text, logged)

    def is_in_loop(self, offset: int) -> bool:
        return any(isinstance(s, r.Loop) and offset in s.span for s in self.function.statements)

    # --- blocks for a log alone ---

    def is_for_log(self, statement: r.Statement) -> bool:
        """Whether it does nothing but log, or count for a log."""
        if self.covers(statement.start):
            return True
        match statement:
            case r.Declare(names=(name,)):
                return name in self.counters
            case r.Evaluate(value=r.Assign(target=r.Name(text=name)) as value) if name in self.counters:
                return self._is_quiet(value.value)
            case r.Block(body=body):
                return all(map(self.is_for_log, body))
            case r.Branch(condition=condition, then=then, other=other, before=()):
                return self._is_quiet(condition) and all(map(self.is_for_log, (*then, *other)))
            case r.Loop(kind="range", iterable=iterable, body=body):
                return self._is_quiet(iterable) and all(map(self.is_for_log, body))
            case r.Leave(kind="continue" | "break"):
                return True
        return False

    def _is_quiet(self, value: r.Value | None) -> bool:
        """Whether evaluating it changes nothing."""
        for inner in walk(value):
            if isinstance(inner, r.Assign) and inner is not value:
                return False
            if isinstance(inner, r.Call):
                const = any(
                    "const" in record.qualifiers
                    for record in self.function.program.calls.callee(inner, self.function).records
                )
                if not const and (receiver(inner) is None or last_name(inner.callee) not in _QUIET):
                    return False
        return True

    def blocks(self) -> Iterator[r.Body]:
        """Every sequence of statements, the body's own first."""
        yield self.function.body
        for statement in self.function.statements:
            match statement:
                case r.Block(body=body) | r.Loop(body=body):
                    yield body
                case r.Branch(then=then, other=other):
                    yield then
                    yield other
                case r.Switch(cases=cases):
                    yield from (case.body for case in cases)
                case r.Try(body=body):
                    yield body


def _begins_as_number(statement: r.Declare) -> bool:
    """`int n = 0;`, `size_t n{0};`, `auto n = 0;`."""
    value = strip(statement.value)
    if isinstance(value, r.Call) and value.kind == "construct" and len(value.args) <= 1:
        value = strip(value.args[0]) if value.args else r.Literal(0, 0, "int", "0")
    if isinstance(value, r.Aggregate):
        value = strip(value.items[0]) if len(value.items) == 1 else None
    if isinstance(value, r.Unary) and value.op == "-":
        value = value.value
    if statement.static or len(statement.names) != 1 or not isinstance(value, r.Literal):
        return False
    kind = types.parse(statement.type)
    number = kind.is_value and (kind.is_placeholder or bool(_NUMBER.fullmatch(kind.name)))
    return number and value.kind in ("int", "float")
