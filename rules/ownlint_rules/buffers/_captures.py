"""Work that is recorded once and played again: what was read while it was recorded is read again from the same memory.

Which `with` records, and which method plays it, models say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import Function, Program, Span, bodies, places, questions, statements, text
from ownlint import records as r


class Recording(NamedTuple):
    """`graph` is what it is kept in, `graphs` that and the places it is put into afterwards, `inputs` the places that
    are read in the block and bound before it."""

    function: Function
    block: r.With
    graph: str
    graphs: frozenset[str]
    inputs: frozenset[str]


class Rebound(NamedTuple):
    """A place that a recording reads is bound to something else, and the recording is played afterwards."""

    place: str
    at: Span
    recording: Recording
    played: Span


class Captures:
    """The recordings of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        models = program.models
        self._players = frozenset(name for cls in models.recordings for name in cls.started_by)

    def rebound_in(self, function: Function) -> Iterator[Rebound]:
        """In the function that records, behind that; and in other methods of its class, for what its object holds."""
        if not self._players or not function.mentions_any(self._players):
            return
        for recording in self._near(function):
            start = recording.block.end if recording.function is function else -1
            own = recording.inputs if start >= 0 else {name for name in recording.inputs if "." in name}
            yield from self._rebound(function, recording, frozenset(own), start)

    def _near(self, function: Function) -> list[Recording]:
        record = function.record
        others = self._by_class.get((function.path, record.owner), ()) if record.owner and record.parent < 0 else ()
        return [found for other in (function, *(o for o in others if o is not function)) for found in self._in(other)]

    @questions.program_property
    def _by_class(self) -> dict[tuple[str, str], list[Function]]:
        found: dict[tuple[str, str], list[Function]] = {}
        for function in self.program.functions:
            if function.language == "python" and function.record.owner and function.record.parent < 0:
                found.setdefault((function.path, function.record.owner), []).append(function)
        return found

    def _in(self, function: Function) -> Iterator[Recording]:
        if not function.mentions(*(cls.last for cls in self.program.models.recordings)):
            return
        for statement in function.statements:
            if isinstance(statement, r.With):
                for item in statement.items:
                    if (graph := self._graph(function, item.value)) is not None:
                        kept = frozenset(_kept(function, text(graph)))
                        yield Recording(function, statement, text(graph), kept, _read_in(statement.body))

    def _graph(self, function: Function, value: r.Value) -> r.Value | None:
        """What is recorded into: the first argument of a call that records."""
        if not isinstance(value, r.Call) or not value.args or not isinstance(value.callee, (r.Name, r.Member)):
            return None
        start = value.callee.start if isinstance(value.callee, r.Name) else value.callee.name_start
        meaning = self.program.names.meaning(function.file, start)
        cls = self.program.models.python_class(meaning.symbol) if meaning is not None else None
        if cls is None or cls.role != "recording":
            return None
        first = value.args[0]
        return first.value if isinstance(first, r.Pair) else first

    def _rebound(
        self, function: Function, recording: Recording, inputs: frozenset[str], start: int
    ) -> Iterator[Rebound]:
        """The last thing that happens to each place before the recording is played."""
        waiting: dict[str, Span] = {}
        told: set[Span] = set()
        for value in self._with_helpers(function, recording, start):
            match value:
                case r.Assign(target=target, op="=", value=r.Literal()) if text(target) in recording.graphs:
                    waiting.clear()  # given up
                case r.Assign(target=target, op="=") if text(target) in inputs:
                    waiting[text(target)] = value.span
                case r.Call(callee=r.Member(base=base, name=name)) if name in self._players:
                    if text(base) in recording.graphs:
                        for place, at in sorted(waiting.items()):
                            if at not in told:
                                yield Rebound(place, at, recording, value.span)
                        told.update(waiting.values())
                        waiting.clear()
                case r.Call(callee=callee) if places.last_name(callee) == recording.function.name or self._graph(
                    function, value
                ):
                    waiting.clear()  # recorded anew

    def _with_helpers(self, function: Function, recording: Recording, start: int) -> Iterator[r.Value]:
        """What happens in order; in the methods that are called on the same object, too."""
        itself = function.record.parameters[0].name if function.cls is not None and function.record.parameters else ""
        methods = {one.name: one for one in self._by_class.get((function.path, function.record.owner), ())}
        for value in _in_order(function, start):
            match value:
                case r.Call(callee=r.Member(base=r.Name(text=base), name=name)) if base == itself and name in methods:
                    other = methods[name]
                    own = [parameter.name for parameter in other.record.parameters[:1]]
                    if other not in (function, recording.function) and own == [itself]:
                        yield from (one for one in _in_order(other, -1) if not _is_local(one))
            yield value


def _is_local(value: r.Value) -> bool:
    return isinstance(value, r.Assign) and isinstance(value.target, r.Name)


def _kept(function: Function, graph: str) -> Iterator[str]:
    """The place of a graph, and those that get it: `self.graph = graph`."""
    yield graph
    for value in function.values:
        if isinstance(value, r.Assign) and value.op == "=" and text(value.value) == graph:
            yield text(value.target)


def _in_order(function: Function, start: int) -> list[r.Value]:
    """Values behind an offset; those of a loop's body come again, for its next turn."""
    tops = [v for s in function.statements for v in _values(s) if v.start >= start]
    again = [
        v
        for loop in function.statements
        if isinstance(loop, r.Loop) and loop.end > start
        for s in statements(loop.body)
        for v in _values(s)
        if v.start >= start
    ]
    return [value for top in (*sorted(tops, key=lambda v: v.start), *again) for value in _inside(top)]


def _values(statement: r.Statement) -> Iterable[r.Value]:
    yield from bodies.values(statement)
    if isinstance(statement, r.With):
        yield from (item.value for item in statement.items)


def _inside(top: r.Value) -> list[r.Value]:
    """What is assigned comes before the assignment."""
    found = list(places.walk(top))
    return sorted(found, key=lambda v: (v.end, -v.start))


def _read_in(body: r.Body) -> frozenset[str]:
    """Names and attributes that are read in the block before the block binds them; no functions that it calls."""
    read: set[str] = set()
    bound: set[str] = set()
    called: set[str] = set()
    for statement in statements(body):
        for top in bodies.values(statement):
            targets = {id(v.target) for v in places.walk(top) if isinstance(v, r.Assign)}
            for value in places.walk(top):
                match value:
                    case r.Assign(target=r.Name(text=name)):
                        bound.add(name)
                    case r.Assign(target=r.Member() as target):
                        bound.add(text(target))
                    case r.Call(callee=callee):
                        called.add(text(callee))
                    case r.Name(text=name) if id(value) not in targets and name not in bound:
                        read.add(name)
                    case r.Member(base=r.Name()) if id(value) not in targets and text(value) not in bound:
                        read.add(text(value))
    return frozenset(read - called - bound)


@questions.program_question
def of(program: Program) -> Captures:
    """One object a program, since its answers are remembered."""
    return Captures(program)
