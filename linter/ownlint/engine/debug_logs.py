"""What only a debug log reads: its stretches of a body, the counters behind it, the blocks that hold nothing else.

A debug log is one that is off as a rule: the macros that a model or the project's own `#define`s say so of. What stands
behind a question whether the log is on belongs to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from ownlint.engine import conditions, log_levels, mutexes
from ownlint.facts import records as r
from ownlint.flow.bodies import bound_names, statements, values
from ownlint.flow.places import last_name, receiver, streamed_into, strip, walk
from ownlint.models import python_builtins
from ownlint.project import types
from ownlint.project.subjects import Function

_DEEP = 2
"""So many calls one in the other are looked into."""
_LEVEL_SAID = re.compile(rb"debug|dbg|trac(?:e|ing)|verbos|vlog|finest")
"""In an encoded body, in small letters: a name or a text that says the level. Such words stand in nothing else."""
_TELLS = re.compile(
    r"(?i)(?:to_?string|debug_?str(?:ing)?|str_?(?:cat|join|format)|format|join|dump|describe|summar|repr)"
)
"""Names of functions that make a text of something."""
_CLOCKS = re.compile(
    r"(?i)now(?:_?(?:[mun]s|micros|millis|nanos|seconds|time|ticks))?|(?:get_?)?(?:micros|nanos|ticks|cycles|time_?stamp)|current_?time(?:_\w+)?|mono_?time"
)
_CLOCKS_IN_PYTHON = frozenset({"time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "process_time"})
_CONVERTS = re.compile(r"(?:to|as)_[a-z]|items$|keys$|values$|copy$")
"""Methods of Python that answer the object in another form."""
_CONTAINERS_IN_PYTHON = frozenset({"list", "dict", "set", "deque", "Counter", "defaultdict", "OrderedDict", "StringIO"})
_CLOCKS_INTO = frozenset({"clock_gettime", "gettimeofday", "timespec_get", "getrusage", "QueryPerformanceCounter"})
"""Functions that put the time into their argument."""
_COUNTS_OF_TIME = frozenset({"count", "time_since_epoch", "duration_cast", "time_point_cast"})
"""What a reading of a clock is made a number by."""
_WATCHES = re.compile(r"(?i)(?:elapsed_?timer|stop_?watch|^(?:wall|cpu)?_?timer)$")
"""Classes whose objects read the clock when they are made, or started."""
_FOLDS = frozenset(
    {
        "accumulate",
        "reduce",
        "transform_reduce",
        "inner_product",
        "count",
        "count_if",
        "min_element",
        "max_element",
        "fold_left",
    }
)
"""Algorithms of the standard library that go through a container for one answer."""
_BUILT = frozenset({"container", "string"})
_DATA = frozenset({"pair", "optional", "view", "string", "container"})
_MOST_NESTED = 3
"""So many containers in each other."""
_NUMBER = re.compile(
    r"(?:std::)?(?:u?int(?:_fast|_least)?(?:8|16|32|64)?(?:_t)?|s?size_t|ptrdiff_t|float|double|short|long|unsigned|signed|char|\s)+"
)
_PRINTS = re.compile(r"(?i)printf|strftime|format|ntop")
"""Functions that put a text into their argument."""
_FILLING = frozenset({"write", "use", "copy", "needs", "returns"})
"""What a model says of a function that only puts something into its argument."""
_ARRAY = re.compile(r"\[[^\[\]]*+\]")
_QUIET = frozenset(
    {"size", "length", "empty", "begin", "end", "cbegin", "cend", "count", "capacity", "load", "get", "first"}
)
"""Methods that change nothing, wherever they are."""


Kind = Literal["counted", "built", "computed", "copied", "measured"]


class DebugWork(NamedTuple):
    """A local that is computed for debug logs alone."""

    name: str
    kind: Kind
    declared: r.Declare
    writes: tuple[int, ...]
    """Where it is counted on or added to: byte offsets."""
    log: r.Span
    """The first log that it comes to."""
    costs: bool
    """Whether more is done for it than an addition beside other work, or than reading a clock now and then."""


def _says_level(function: Function) -> bool:
    return _LEVEL_SAID.search(function.encoded.lower()) is not None


class DebugLogs:
    """The debug logs of one function, by what its statements say."""

    def __init__(self, function: Function, depth: int = 0) -> None:
        self.function = function
        self.depth = depth
        self.python = function.language == "python"
        macros = function.program.macros
        self.names = frozenset(name for name in function.mentioned if name[:1] != "=" and macros.is_debug_log(name))
        self.may_log = bool(self.names) or _says_level(function)
        """Whether there is reason to look further."""

    @cached_property
    def statements(self) -> Sequence[r.Statement]:
        """Those of the function; in Python the first that gives a local a value declares it."""
        return _with_declarations(self.function) if self.python else self.function.statements

    @cached_property
    def spans(self) -> list[r.Span]:
        """The stretches that are for a debug log, in source order; they may be nested."""
        found: list[r.Span] = []
        for statement in self.statements:
            match statement:
                case r.Branch(condition=condition, then=then) if then and (
                    self._asks(condition) or (self._may_ask(condition) and self.only_prints(then))
                ):
                    found.append(r.Span(condition.start, then[-1].end))
                case r.Evaluate(value=value) if self._is_log(value):
                    found.append(statement.span)
        for body in self.blocks():
            for position, statement in enumerate(body[:-1]):
                match statement:
                    case r.Branch(condition=condition, then=(r.Leave(),), other=()) if self._asks(condition, False) or (
                        self._may_ask(condition, False) and self.only_prints(body[position + 1 :])
                    ):
                        found.append(r.Span(body[position + 1].start, body[-1].end))
                    case r.Evaluate(value=r.Call(callee=r.Name(text=name))) if name in self.names:
                        if isinstance(behind := body[position + 1], r.Block):
                            found.append(behind.span)  # `IF_DEBUG(level) { ... }`, of a macro that is an `if`
        return sorted(found)

    def covers(self, offset: int) -> bool:
        return any(offset in span for span in self.spans[: bisect_right(self.spans, r.Span(offset, 1 << 62))][-8:])

    @cached_property
    def is_all(self) -> bool:
        """Whether the function does nothing unless a debug log is on."""
        return bool(self.spans) and all(
            self.covers(statement.start)
            or (isinstance(statement, r.Declare) and (statement.value is None or self._is_quiet(statement.value)))
            or (isinstance(statement, r.Branch) and self._asks(statement.condition, False))
            or (isinstance(statement, r.Branch) and self._asks(statement.condition) and not statement.other)
            or (isinstance(statement, r.Leave) and statement.value is None)
            for statement in self.statements
        )

    def _asks(self, condition: r.Value, on: bool = True) -> bool:
        """Whether a condition holds only where the log is on, or, for `on` false, where it is off."""
        return log_levels.asks(condition, self.names, on) or self._asks_by_name(condition, on)

    def _asks_by_name(self, condition: r.Value, on: bool) -> bool:
        """The same by a local that keeps the answer: `const bool count = VLOG_IS_ON(2);`."""
        inner = strip(condition)
        match inner:
            case r.Unary(op="!" | "not", value=value):
                return self._asks_by_name(value, not on)
            case r.Binary(op="&&" | "and", left=left, right=right) if on:
                return self._asks_by_name(left, on) or self._asks_by_name(right, on)
        if self.python and isinstance(inner, r.Name):
            given = [write.value for write in self.function.flow.writes_to((inner.text,))]
            return len(given) == 1 and given[0] is not None and log_levels.asks(given[0], self.names, on)
        if not isinstance(inner, r.Name) or inner.text not in self.function.locals:
            return False
        kept = conditions.computed_once(self.function, inner.text)
        return kept is not None and log_levels.asks(kept, self.names, on)

    def _may_ask(self, condition: r.Value, on: bool = True) -> bool:
        """Whether a condition is on a flag that is named after a level, and after what is logged: `trace_culling`. What
        the function finds out for itself is no flag."""
        own = self.function.declared - self.function.parameter_names
        return log_levels.may_ask(condition, on) and own.isdisjoint(_named_in(condition))

    def only_prints(self, body: r.Body) -> bool:
        """Whether statements do nothing but print, at whatever level."""
        found = False
        for statement in statements(body):
            match statement:
                case r.Evaluate(value=value) if self._prints(value):
                    found = True
                case r.Declare(value=value) if value is None or self._is_quiet(value):
                    continue
                case r.Loop(kind="range") | r.Branch() | r.Block() | r.Leave(kind="return", value=None):
                    continue
                case r.Loop(before=(r.Declare(names=names),), condition=condition, step=step):
                    if not self._is_quiet(condition) or step is None or _changed_by(step) not in names:
                        return False
                case _:
                    return False
        return found

    def _prints(self, value: r.Value) -> bool:
        into = streamed_into(value)
        if isinstance(into, r.Call) and self.function.program.macros.role(last_name(into.callee)) == "log":
            return True
        return self._is_log(value) or log_levels.prints(value)

    def _is_log(self, value: r.Value) -> bool:
        """`LOG(2) << a << b`, `LOG_LINES(2, a)`, `logger->debug("..", a)`."""
        value = streamed_into(value)
        while isinstance(value, r.Call):
            if self._is_log_call(value):
                return True
            if not isinstance(value.callee, r.Member):
                return False
            value = value.callee.base
        return False

    def _is_log_call(self, call: r.Call) -> bool:
        name = last_name(call.callee)
        if name in self.names:
            return True
        if log_levels.writes(call) or (
            log_levels.is_named_macro(call) and not self.function.program.macros.named(name)
        ):
            return True
        if self.depth >= _DEEP:
            return False
        targets = self.function.program.calls.callee(call, self.function).functions
        return bool(targets) and all(
            target is not self.function and _says_level(target)
            and DebugLogs(target, self.depth + 1).is_all
            for target in targets
        )  # fmt: skip

    # --- what is computed for them ---

    @cached_property
    def work(self) -> dict[str, DebugWork]:
        """The locals that debug logs alone read, directly or by way of each other, and that cost something."""
        uses, found = self._uses, dict[str, DebugWork]()
        of_loops = {one.start for s in self.statements if isinstance(s, r.Loop) for one in s.before}
        for name in sorted(uses.logs):
            declared = uses.begun[name]
            if declared.start in of_loops or self._is_built_in(declared.start):
                continue
            kind = self._kind(declared, uses)
            if kind is not None:
                writes = tuple(uses.writes.get(name, ()))
                costs = self._costs(kind, declared, writes)
                found[name] = DebugWork(name, kind, declared, writes, uses.logs[name], costs)
        return found

    @cached_property
    def _uses(self) -> _Uses:
        """Where each local goes in the end."""
        uses = _Uses(begun := self._begun())
        for statement in self.statements if begun else ():
            self._look(statement, uses)
            if self.python and not (
                isinstance(statement, r.Evaluate) and statement.value.start in self._counted_by_value
            ):
                uses.spoil(_bound_otherwise(statement))
        inside = self.function.program.index.nested(self.function) if self.python else self.function.lambdas()
        lambdas = (
            [one for one in self.function.values if isinstance(one, r.Lambda)] if begun and not self.python else []
        )
        bare = {one.function for one in lambdas if not one.captures}
        for inner in inside if begun else ():
            if inner.index not in bare and not self.covers(inner.record.start):
                uses.spoil(name for name in begun if f'"{name}"'.encode() in inner.encoded)
        self._settle(uses)
        return uses

    def _is_built_in(self, offset: int) -> bool:
        """Whether an `#if` of the function decides if there is anything: `#if WITH_DEBUG_LOGS`, `int seen = 0;`."""
        begin = self.function.record.start
        return any(begin < span.start and offset in span for span in self.function.file.conditionals)

    def _costs(self, kind: Kind, declared: r.Declare, writes: Sequence[int]) -> bool:
        if self._is_handled(declared.start) or (writes and all(map(self._is_handled, writes))):
            return False  # next to an exception that was thrown
        if kind == "measured" and self.python:
            return False  # next to what else a statement of Python costs
        if kind == "measured":
            inner = self._loops_around(declared.start)[-1:]
            if inner and any(isinstance(one, r.Loop) for one in statements(inner[0].body)):
                return False  # next to a loop in each round
            return any(map(self.is_in_loop, (declared.start, *writes))) or self._is_called_in_loop()
        if kind == "built" and not self.python:
            made = any(self._makes_at_a_cost(one) for one in walk(declared.value) if isinstance(one, r.Call))
            made |= any(map(self._fills_at_a_cost, self._uses.fills.get(declared.names[0], ())))
            made |= any(map(self.is_in_loop, (declared.start, *writes)))
            return made and not self._is_message(declared)
        return kind != "counted" or self.counts_at_a_cost(writes)

    def _makes_at_a_cost(self, call: r.Call) -> bool:
        """Whether a call builds more than the text of one number."""
        if not self._is_work(call):
            return False
        if last_name(call.callee) != "to_string" or len(call.args) != 1 or self.is_in_loop(call.start):
            return True
        return bool(self.function.program.calls.callee(call, self.function).functions)

    def _is_message(self, declared: r.Declare) -> bool:
        """Whether a log takes the stream itself, so that each of its messages is put together in one: `LOG_DEBUG(ss);`
        beside `VLOG(2) << ss.str();`."""
        return types.parse(declared.type).last.endswith("stream") and any(
            isinstance(inner, r.Call)
            and self._is_log_call(inner)
            and any(isinstance(arg, r.Name) and arg.text == declared.names[0] for arg in inner.args)
            for value in self.function.values
            for inner in walk(value)
        )

    def _is_called_in_loop(self) -> bool:
        """Whether a caller of the project calls the function in a loop."""
        callers = self.function.program.index.callers(self.function)
        return any(
            isinstance(one, r.Loop) and any(call.span.start in one.span for call in calls)
            for caller in callers
            if (calls := [c for c in caller.flow.calls if last_name(c.node.callee) == self.function.name])
            for one in caller.statements
        )

    def counts_at_a_cost(self, offsets: Sequence[int]) -> bool:
        """Whether counting in these places is more than an addition beside other work: it goes into a table, or a loop
        does nothing else."""
        for statement in self.statements:
            match statement:
                case r.Evaluate(value=r.Assign(target=r.Index())) if statement.value.start in offsets:
                    return True
                case r.Loop(body=body) if _is_counting(body, offsets, statement.condition):
                    return True
                case r.Loop(body=body) if _only_counts(body, offsets):
                    return True
        return False

    def is_counted_for_itself(self, offset: int) -> bool:
        """Whether a branch or a loop does nothing but count in that place."""
        return any(
            _is_counting(body, (offset,))
            for statement in self.statements
            for body in (
                (statement.then, statement.other)
                if isinstance(statement, r.Branch)
                else (statement.body,)
                if isinstance(statement, r.Loop)
                else ()
            )
        )

    def _begun(self) -> dict[str, r.Declare]:
        """The locals that are values of their own, declared once and outside of what is for a log."""
        begun: dict[str, r.Declare] = {}
        spoilt: set[str] = set()
        for statement in self.statements:
            if isinstance(statement, r.Declare):
                kind = types.parse(statement.type)
                own = kind.is_value or (kind.is_placeholder and "&" not in statement.type and "*" not in statement.type)
                for name in statement.names:
                    if (
                        name in begun
                        or not own
                        or statement.static
                        or len(statement.names) != 1
                        or self.covers(statement.start)
                    ):
                        spoilt.add(name)
                    begun[name] = statement
        return {name: declared for name, declared in begun.items() if name not in spoilt}

    def _look(self, statement: r.Statement, uses: _Uses) -> None:
        """Says where each local goes that a statement names."""
        for value in values(statement):
            named = list(_named_in(value))
            logged = next((span for span in self.spans if value.start in span), None)
            if logged is not None:
                is_asked = (
                    isinstance(statement, r.Branch) and value is statement.condition and value.start == logged.start
                )
                if is_asked and uses.begun.keys() >= {*named}:
                    uses.spoil(named)  # one of them says whether the log is on: `if (debug > 1)`
                for name in named:
                    uses.read(name, logged)
                continue
            is_step = isinstance(statement, r.Loop) and value is statement.step
            is_own = isinstance(statement, r.Evaluate) or is_step
            if is_own and (timed := _clocked(value)) in uses.begun:
                uses.clocked.add(timed)
            elif isinstance(statement, r.Declare) and len(statement.names) == 1 and statement.names[0] in uses.begun:
                self._goes_into(statement.names[0], value, uses)
            elif is_own and (target := _changed_by(value)) in uses.begun:
                assert target is not None
                self._changes(target, value, uses)
            elif is_own and (filled := self._filled_by(value)) and filled <= uses.begun.keys():
                self._fills(value, filled, uses)
            elif isinstance(statement, (r.Loop, r.Branch)) and not is_step:
                uses.steers.append((frozenset(named), statement))
            elif is_own and (rearranged := _in_place(value)):
                uses.spoil(name for name in named if name not in rearranged)
            else:
                uses.spoil(named)

    def _changes(self, target: str, value: r.Value, uses: _Uses) -> None:
        is_replaced = isinstance(value, r.Assign) and value.op in ("=", ":=") and isinstance(value.target, r.Name)
        is_replaced = is_replaced and value.start not in self._counted_by_value
        if not is_replaced:
            uses.writes.setdefault(target, []).append(value.start)
            if isinstance(value, r.Assign) and value.op not in ("=", ":="):
                uses.added_to.add(target)
        if isinstance(value, r.Assign) and self._writes_elsewhere(target, value.target, uses):
            uses.spoil((target,))
        if isinstance(value, r.Call):
            is_watch = _WATCHES.search(types.parse(uses.begun[target].type).last) is not None
            if not is_watch and not self._is_builder(target, uses):
                uses.spoil((target,))
        self._goes_into(target, value, uses)

    def _writes_elsewhere(self, name: str, target: r.Value, uses: _Uses) -> bool:
        """Whether what is assigned to belongs to an object that the local only leads to: `found->second`, and in Python
        a part of what the function did not make."""
        parts = [inner for inner in walk(target) if isinstance(inner, (r.Member, r.Index))]
        if not self.python:
            return any(isinstance(one, r.Member) and one.arrow for one in parts)
        value = uses.begun[name].value
        return bool(parts) and not (_begins_as_container(self.function, value) or _begins_as_tally(value))

    @cached_property
    def _counted_by_value(self) -> frozenset[int]:
        """Where a local gets a value for what it has been: `n = n + 1`, `if (one > most) most = one;`. Byte offsets."""
        found: set[int] = set()
        for statement in self.statements:
            asked: frozenset[str] = frozenset()
            inner: Sequence[r.Statement] = (statement,)
            if isinstance(statement, r.Branch):
                asked, inner = frozenset(_named_in(statement.condition)), (*statement.then, *statement.other)
            for one in inner:
                match one:
                    case r.Evaluate(value=r.Assign(target=r.Name(text=name), op="=", value=given)):
                        if name in asked or (not isinstance(given, r.Name) and name in _named_in(given)):
                            found.add(one.value.start)
        return frozenset(found)

    def _goes_into(self, target: str, value: r.Value, uses: _Uses) -> None:
        """What a local takes from others; an address that is taken there can go anywhere."""
        for inner in walk(value):
            if isinstance(inner, r.Unary) and inner.op == "&":
                uses.spoil(_named_in(inner))
            if (filled := self._filled_by(inner)) and filled <= uses.begun.keys():
                self._fills(inner, filled, uses)  # `n += snprintf(line + n, ..)`
        for name in _named_in(value):
            if name != target:
                uses.goes(name, target)

    def _fills(self, call: r.Value, filled: frozenset[str], uses: _Uses) -> None:
        for target in filled:
            uses.fills.setdefault(target, []).append(call)
            for name in _named_in(call):
                if name not in filled:
                    uses.goes(name, target)

    def _is_builder(self, name: str, uses: _Uses) -> bool:
        """Whether calling a method of the local changes nothing but itself: a container, a string, a stream."""
        if self.python:
            return _begins_as_container(self.function, uses.begun[name].value)
        written = uses.begun[name].type
        return types.parse(written).last.endswith("stream") or self._is_plain(written, _MOST_NESTED, _BUILT)

    def _is_plain(self, written: str, depth: int, wanted: frozenset[str] = frozenset()) -> bool:
        """Whether an object of the type is nothing but data: a number, a text, a container of such."""
        kind = types.parse(written)
        program = self.function.program
        if kind.pointers or _NUMBER.fullmatch(kind.name) or kind.last == "bool":
            return not wanted
        roles = frozenset(program.types.roles(written, self.function))
        if "string" in roles:
            return True
        if "container" in roles or not wanted.isdisjoint(_BUILT & roles):
            return depth > 0 and all(self._is_plain(argument, depth - 1) for argument in kind.arguments)
        if wanted:
            return False
        if roles:
            return roles <= _DATA and all(self._is_plain(argument, depth - 1) for argument in kind.arguments)
        cls = program.names.find_class(written, self.function.record.scope, self.function.file)
        return cls is not None and cls.record.destructor in ("implicit", "defaulted")

    def _is_tally(self, written: str) -> bool:
        """Whether it is an array of numbers, or a class of nothing else."""
        bare = _ARRAY.sub("", written).strip()
        kind = types.parse(bare)
        if bare != written and _NUMBER.fullmatch(kind.name):
            return not kind.pointers
        cls = self.function.program.names.find_class(bare, self.function.record.scope, self.function.file)
        return cls is not None and kind.is_value and all(
            _NUMBER.fullmatch(types.parse(_ARRAY.sub("", field.type)).name) and not types.parse(field.type).pointers
            for field in cls.record.fields
        )  # fmt: skip

    def _settle(self, uses: _Uses) -> None:
        """Takes back what goes to anything else than a log in the end."""
        changed = True
        while changed:
            before = len(uses.spoilt)
            for name, targets in uses.into.items():
                if not targets.isdisjoint(uses.spoilt):
                    uses.spoilt.add(name)
            for names, statement in uses.steers:
                if not names.isdisjoint(uses.begun.keys() - uses.spoilt) and not self._steers_only(statement, uses):
                    uses.spoil(names)
            changed = len(uses.spoilt) != before
        for names, statement in uses.steers:
            if not names.isdisjoint(uses.begun.keys() - uses.spoilt) and isinstance(statement, r.Loop):
                for span in self.spans:  # `for (auto& one : seen) LOG(2) << one;`
                    if span.start in statement.span:
                        for name in names:
                            uses.read(name, span)
        for name in uses.spoilt:
            uses.logs.pop(name, None)
        for _ in range(len(uses.into)):
            for name, targets in uses.into.items():
                reached = [uses.logs[target] for target in targets if target in uses.logs]
                if reached and name not in uses.spoilt:
                    uses.logs.setdefault(name, min(reached))

    def _steers_only(self, statement: r.Loop | r.Branch, uses: _Uses) -> bool:
        """Whether a loop or a branch does nothing but compute what is not spoilt."""
        bodies = (*statement.then, *statement.other) if isinstance(statement, r.Branch) else statement.body
        asked = (statement.condition, *((statement.iterable,) if isinstance(statement, r.Loop) else ()))
        if not all(map(self._is_quiet, asked)):
            return False
        for inner in statements(bodies):
            match inner:
                case r.Declare(names=(name,)) if name in uses.begun and name not in uses.spoilt:
                    continue
                case r.Loop() | r.Branch() | r.Block():
                    continue
                case r.Leave(kind="break" | "continue") if isinstance(statement, r.Loop):
                    continue
            changed = _changed(inner)
            if not self.covers(inner.start) and (changed not in uses.begun or changed in uses.spoilt):
                return False
        return True

    def _kind(self, declared: r.Declare, uses: _Uses) -> Kind | None:
        """What it costs; None for what costs nothing, or is done for other reasons as well."""
        name = declared.names[0]
        writes = uses.writes.get(name, ())
        if _begins_as_number(declared):
            return "counted" if writes else None
        if name in uses.added_to and (
            _begins_as_tally(declared.value) if self.python else self._is_tally(declared.type)
        ):
            return "counted"
        if name in uses.clocked or _WATCHES.search(types.parse(declared.type).last):
            return "measured"
        if any(map(self._fills_at_a_cost, uses.fills.get(name, ()))):
            return "built" if self._is_plain(_ARRAY.sub("", declared.type), _MOST_NESTED) else None
        value = strip(declared.value)
        called = [inner for inner in walk(value) if isinstance(inner, r.Call) and inner.kind == "call"]
        if any(map(self._is_clock, called)) and all(self._is_clock(one) or self._is_harmless(one) for one in called):
            return "measured" if not writes else None
        if self._is_builder(name, uses) and any(self.is_in_loop(offset) for offset in writes):
            return "built" if not called or self._is_quiet(value) else None
        if self.python and not writes and self._is_quiet(value) and _goes_through(value):
            return "computed"
        if not writes and self._is_copy(value, declared.type):
            return "copied"
        if called and not writes and self._is_quiet(value) and any(map(self._is_work, called)):
            written = self.function.program.calls.result_type(value, self.function) if isinstance(value, r.Call) else ""
            is_number = _NUMBER.fullmatch(types.parse(written).name or declared.type) or self._folds(value)
            return "computed" if is_number else "built"
        return None

    def _is_copy(self, value: r.Value | None, written: str) -> bool:
        """`auto before = entries_;`, `std::vector<int> before(entries_);`: of a container of data that is kept."""
        if isinstance(value, r.Call) and value.kind == "construct" and len(value.args) == 1:
            value = strip(value.args[0])
        if self.python or not isinstance(value, (r.Name, r.Member)):
            return False
        made = (
            written if not types.parse(written).is_placeholder else self.function.program.types.of(value, self.function)
        )
        kept = made.replace("&", " ").replace("const ", "").strip()
        roles = self.function.program.types.roles(kept, self.function)
        return "container" in roles and "view" not in roles and self._is_plain(kept, _MOST_NESTED)

    def _folds(self, value: r.Value | None) -> bool:
        """`std::accumulate(..)`, with nothing that could change anything."""
        return (
            isinstance(value, r.Call)
            and isinstance(value.callee, r.Name)
            and value.callee.text.startswith("std::")
            and last_name(value.callee) in _FOLDS
            and not any(isinstance(inner, r.Lambda) and inner.captures for inner in walk(value))
        )

    def _filled_by(self, value: r.Value | None) -> frozenset[str]:
        """The names of what a call puts something into, where it does nothing else: `snprintf(line, size, "..", n)`."""
        if not isinstance(value, r.Call) or value.kind != "call" or receiver(value) is not None:
            return frozenset()
        if not all(map(self._is_quiet, value.args)):
            return frozenset()
        callee = self.function.program.calls.callee(value, self.function)
        positions: set[int] = set()
        if callee.functions:
            for target in callee.functions:
                is_far = self.depth >= _DEEP or target is self.function
                written = None if is_far else _written_through(target, self.depth + 1)
                if written is None:
                    return frozenset()
                positions |= written
        else:
            effects = [effect for model in callee.models for effect in model.effects]
            if any(effect.verb not in _FILLING for effect in effects):
                return frozenset()
            written_to = (effect.place for effect in effects if effect.verb == "write")
            positions = {place.number - 1 for place in written_to if place is not None}
        roots = [_reached(value.args[at]) for at in positions if at < len(value.args)]
        return frozenset(root for root in roots if root) if all(roots) else frozenset()

    def _fills_at_a_cost(self, value: r.Value) -> bool:
        """Whether it makes a text, or what a function of the project makes in a loop, or it does so in each round."""
        if not isinstance(value, r.Call):
            return False
        targets = self.function.program.calls.callee(value, self.function).functions
        return (
            self.is_in_loop(value.start)
            or _PRINTS.search(last_name(value.callee)) is not None
            or any(isinstance(s, r.Loop) for target in targets for s in target.statements)
        )

    def _is_clock(self, call: r.Call) -> bool:
        name = last_name(call.callee)
        if _CLOCKS.fullmatch(name) is not None or (self.python and name in _CLOCKS_IN_PYTHON and not call.args):
            return True
        targets = self.function.program.calls.callee(call, self.function).functions if not self.python else ()
        return bool(targets) and all(target.is_short and _only_reads_clock(target) for target in targets)

    def _is_harmless(self, call: r.Call) -> bool:
        return last_name(call.callee) in _QUIET or not call.args

    def _is_work(self, call: r.Call) -> bool:
        """Whether a call builds something: a text, or whatever a function of the project makes in a loop."""
        written = self.function.program.calls.result_type(call, self.function)
        kind = types.parse(written)
        is_text = not written or "string" in self.function.program.types.roles(written, self.function)
        if self._folds(call):
            return True
        if self.python and isinstance(call.callee, r.Member) and isinstance(strip(call.callee.base), r.Literal):
            return False  # a few values in a text: `", ".join((a, b))`
        targets = self.function.program.calls.callee(call, self.function).functions
        if targets:
            locks = mutexes.mutexes(self.function.program).words if not self.python else frozenset()
            return any(
                not locks.isdisjoint(target.mentioned) or any(isinstance(s, r.Loop) for s in target.statements)
                for target in targets
            )
        return is_text and kind.is_value and _TELLS.search(last_name(call.callee)) is not None

    def is_in_loop(self, offset: int) -> bool:
        return bool(self._loops_around(offset))

    def _loops_around(self, offset: int) -> list[r.Loop]:
        """The outermost first."""
        return [s for s in self.statements if isinstance(s, r.Loop) and offset in s.span]

    def _is_handled(self, offset: int) -> bool:
        """Whether it is done only where an exception was caught."""
        handlers = (one for s in self.statements if isinstance(s, r.Try) for one in s.handlers)
        return any(one.body and one.body[0].start <= offset < one.body[-1].end for one in handlers)

    # --- blocks for a log alone ---

    def is_for_log(self, statement: r.Statement) -> bool:
        """Whether it does nothing but log, or count for a log."""
        if self.covers(statement.start):
            return True
        match statement:
            case r.Declare(names=(name,), value=value) if name in self._uses.logs:
                return name in self.work or self._is_quiet(value)
            case r.Evaluate(value=r.Assign(target=r.Name(text=name)) as value) if name in self._uses.logs:
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
            if isinstance(inner, r.Call) and inner.kind != "construct" and not self._is_quiet_call(inner):
                return False
        return True

    def _is_quiet_call(self, call: r.Call) -> bool:
        name = last_name(call.callee)
        if (receiver(call) is not None and name in _QUIET) or name in types.SCALARS or self._folds(call):
            return True
        if self.python and name in _CONTAINERS_IN_PYTHON:
            return True
        if self.python and not call.args and isinstance(call.callee, r.Member) and _CONVERTS.match(name):
            return True
        callee = self.function.program.calls.callee(call, self.function)
        if any("const" in record.qualifiers for record in callee.records):
            return True
        if callee.functions:
            return self.depth < _DEEP and all(
                target is not self.function and _is_pure(target, self.depth + 1) for target in callee.functions
            )
        if callee.models:
            return any(model.computes for model in callee.models) or _TELLS.search(name) is not None
        return _TELLS.search(name) is not None

    def blocks(self) -> Iterator[r.Body]:
        """Every sequence of statements, the body's own first."""
        yield self.function.body
        for statement in self.statements:
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


def _with_declarations(function: Function) -> list[r.Statement]:
    """The statements of a function of Python, with a declaration for the first assignment to each of its locals."""
    own = function.declared - function.parameter_names
    if function.record.kind in ("module", "class") or function.mentions("locals", "vars", "eval"):
        own = frozenset()
    known: set[str] = set()
    found: list[r.Statement] = []
    for one in function.statements:
        match one:
            case r.Evaluate(value=r.Assign(op="=") as given):
                begun = dict(_begun_by(given))
                is_first = bool(begun) and begun.keys() <= own and known.isdisjoint(begun)
                known.update(begun)
                if is_first:
                    found += [r.Declare(given.start, one.end, (name,), "auto", value) for name, value in begun.items()]
                else:
                    found.append(one)
            case _:
                found.append(one)
    return found


def _begun_by(given: r.Assign) -> Iterator[tuple[str, r.Value]]:
    """The names that an assignment gives a value of their own, and that: all of `a = b = 0` and `a, b = 0, []`, none of
    `a = b = []`, where both are one object."""
    targets, value = [given.target], given.value
    while isinstance(value, r.Assign) and value.op == "=":
        targets.append(value.target)
        value = value.value
    if len(targets) > 1 and not isinstance(value, r.Literal):
        return
    for target in targets:
        match target, value:
            case r.Name(text=name), _:
                yield name, value
            case r.Aggregate(kind="tuple", items=names), r.Aggregate(kind="tuple", items=parts) if len(names) == len(
                parts
            ) and all(isinstance(name, r.Name) for name in names):
                yield from (
                    (name.text, one) for name, one in zip(names, parts, strict=True) if isinstance(name, r.Name)
                )


def _bound_otherwise(statement: r.Statement) -> Iterator[str]:
    """The names that a statement of Python binds by other means than an assignment, or whose use is not known."""
    match statement:
        case r.Loop(target=target) if target is not None:
            yield from bound_names(target)
        case r.With(items=items):
            for item in items:
                yield from bound_names(item.target)
        case r.Try(handlers=handlers):
            yield from (handler.name for handler in handlers)
        case r.Opaque(names=names) | r.Scope(names=names):
            yield from names
        case r.Evaluate(value=r.Assign(target=r.Name(text=name), op="=")):
            yield name  # what it holds before may be another thing


def _begins_as_container(function: Function, value: r.Value | None) -> bool:
    """`[]`, `""`, `Counter()`: an object that nothing else refers to."""
    match strip(value):
        case r.Aggregate(kind="list" | "dict" | "set", items=()) | r.Literal(kind="str"):
            return True
        case r.Call(callee=callee, args=args):
            return function.program.names.meant_name(function.file, callee) in _CONTAINERS_IN_PYTHON and all(
                isinstance(one, r.Name) for one in args
            )
    return False


def _begins_as_tally(value: r.Value | None) -> bool:
    """A container of numbers alone: `{"hits": 0, "misses": 0}`, `[0] * 8`, `dict(hits=0)`."""
    match strip(value):
        case r.Aggregate(kind="list" | "dict", items=items):
            parts: Sequence[r.Value] = items
        case r.Binary(op="*", left=r.Aggregate(kind="list", items=items)):
            parts = items
        case r.Call(callee=r.Name(text="dict" | "Counter"), args=args):
            parts = args
        case _:
            return False
    given = [one.value if isinstance(one, r.Pair) else one for one in parts]
    return bool(given) and all(isinstance(one, r.Literal) and one.kind in ("int", "float") for one in given)


def _goes_through(value: r.Value | None) -> bool:
    """Whether a value of Python is made of the elements of something: by a comprehension, or by `sorted(scores)`."""
    return any(isinstance(inner, r.Comprehension) or _is_made_of_elements(inner) for inner in walk(value))


def _is_made_of_elements(value: r.Value) -> bool:
    if not isinstance(value, r.Call) or len(value.args) != 1:
        return False
    through = isinstance(strip(value.args[0]), (r.Name, r.Member, r.Index, r.Call))
    return through and last_name(value.callee) in python_builtins.FOLDS | python_builtins.COLLECTS - {"reversed"}


def _begins_as_number(statement: r.Declare) -> bool:
    """`int n = 0;`, `size_t n{0};`, `auto n = 0;`, `int n;`."""
    value = strip(statement.value)
    if value is None and len(statement.names) == 1 and _NUMBER.fullmatch(types.parse(statement.type).name):
        return types.parse(statement.type).is_value and not statement.static and "[" not in statement.type
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


# --- where locals go ----------------------------------------------------------------------------------


class _Uses:
    """What becomes of each local of a function."""

    def __init__(self, begun: dict[str, r.Declare]) -> None:
        self.begun = begun
        self.spoilt: set[str] = set()
        """Something else than a log reads them."""
        self.writes: dict[str, list[int]] = {}
        self.logs: dict[str, r.Span] = {}
        """The first log that reads one."""
        self.added_to: set[str] = set()
        """A number of theirs is counted on."""
        self.fills: dict[str, list[r.Value]] = {}
        """The calls that put something into them: `snprintf(line, ..)`, `Describe(pose, &text)`."""
        self.clocked: set[str] = set()
        """A clock has put the time into them."""
        self.into: dict[str, set[str]] = {}
        """The locals that one is used for."""
        self.steers: list[tuple[frozenset[str], r.Loop | r.Branch]] = []
        """The loops and branches that ask for one."""

    def spoil(self, names: Iterable[str]) -> None:
        self.spoilt.update(name for name in names if name in self.begun)

    def read(self, name: str, log: r.Span) -> None:
        if name in self.begun:
            self.logs.setdefault(name, log)

    def goes(self, name: str, into: str) -> None:
        if name in self.begun:
            self.into.setdefault(name, set()).add(into)


def _named_in(value: r.Value | None) -> Iterator[str]:
    for inner in walk(value):
        if isinstance(inner, r.Name):
            yield inner.text
        elif isinstance(inner, r.Lambda):
            yield from (capture.name for capture in inner.captures)
        elif isinstance(inner, r.OpaqueValue):
            yield from inner.names


def _root(value: r.Value | None) -> str | None:
    """The name that an access begins with: `a` of `a[i].b`."""
    inner = strip(value)
    while isinstance(inner, (r.Member, r.Index)):
        inner = strip(inner.base)
    return inner.text if isinstance(inner, r.Name) else None


def _is_counting(body: r.Body, offsets: Sequence[int], condition: r.Value | None = None) -> bool:
    """Whether statements do nothing but count in some of the places, and go on to the next round."""
    steps = frozenset(_named_in(condition))
    counts = [statement.value.start in offsets for statement in body if isinstance(statement, r.Evaluate)]
    others = (s for s in body if not (isinstance(s, r.Evaluate) and s.value.start in offsets))
    return any(counts) and all(_changed(statement) in steps for statement in others)


def _only_counts(body: r.Body, offsets: Sequence[int]) -> bool:
    """Whether a loop looks for something only to count that it is there: `if (fits(one)) { ++n; break; }`."""
    every = statements(body)
    leaves = any(isinstance(one, r.Leave) and one.kind == "break" for one in every)
    counts = [one.value.start in offsets for one in every if isinstance(one, r.Evaluate)]
    others = (one for one in every if not isinstance(one, (r.Evaluate, r.Branch, r.Block)))
    return leaves and bool(counts) and all(counts) and all(isinstance(o, r.Leave) and o.kind == "break" for o in others)


def _changed(statement: r.Statement) -> str | None:
    """The name of what a statement changes, where it does nothing else."""
    return _changed_by(statement.value) if isinstance(statement, r.Evaluate) else None


def _changed_by(value: r.Value) -> str | None:
    """`n += 1`, `v.push_back(x)`, `s << x`."""
    while isinstance(value, r.Binary) and value.op == "<<":
        value = value.left
        if isinstance(value, r.Name):
            return value.text
    match value:
        case r.Assign(target=target):
            return _root(target)
        case r.Call(callee=r.Member(base=base)):
            return _changed_by(inner) if isinstance(inner := strip(base), r.Call) else _root(base)
    return None


def _clocked(value: r.Value) -> str:
    """`clock_gettime(CLOCK_MONOTONIC, &t);`"""
    if isinstance(value, r.Call) and last_name(value.callee) in _CLOCKS_INTO:
        for arg in value.args:
            if isinstance(arg, r.Unary) and arg.op == "&" and isinstance(arg.value, r.Name):
                return arg.value.text
    return ""


def _only_reads_clock(function: Function) -> bool:
    """Whether a function calls nothing but what reads a clock, and writes nothing but locals."""
    called = [last_name(call.node.callee) for call in function.flow.calls if call.node.kind == "call"]
    clocks = [name in _CLOCKS_INTO or _CLOCKS.fullmatch(name) is not None for name in called]
    counts = [name in _COUNTS_OF_TIME for name in called]
    return (
        any(clocks)
        and all(map(max, clocks, counts))
        and all(write.fresh or function.is_local(write.place) for write in function.flow.writes)
    )


def _in_place(value: r.Value) -> frozenset[str]:
    """What an algorithm of the standard library rearranges: `std::sort(v.begin(), v.end())`."""
    if isinstance(value, r.Call) and isinstance(value.callee, r.Name) and value.callee.text.startswith("std::"):
        return frozenset(name for arg in value.args[:2] if (name := _root(_receiver_of(arg))) is not None)
    return frozenset()


def _receiver_of(value: r.Value) -> r.Value:
    inner = strip(value)
    on = receiver(inner) if isinstance(inner, r.Call) else None
    return on if on is not None else value


def _reached(value: r.Value | None) -> str | None:
    """The name of what a pointer or a reference leads into: `a` of `&a`, `a + n`, `&a[i].b`."""
    inner = strip(value)
    while isinstance(inner, r.Binary) and inner.op in ("+", "-"):
        inner = strip(inner.left)
    while isinstance(inner, r.Unary) and inner.op in ("&", "*"):
        inner = strip(inner.value)
    return _root(inner)


def _is_pure(function: Function, depth: int) -> bool:
    """Whether a function changes nothing but its own locals."""
    return _written_through(function, depth) == frozenset()


def _written_through(function: Function, depth: int) -> frozenset[int] | None:
    """The positions of the parameters through which a function changes what they lead to; None where it changes, or may
    change, anything else but its own locals."""
    if function.record.opaque or not function.record.defined:
        return None
    logs = DebugLogs(function, depth)
    leading = {
        parameter.name: at
        for at, parameter in enumerate(function.record.parameters)
        if not (kind := types.parse(parameter.type)).const
        and (kind.reference or kind.pointers or "[" in parameter.type)
    }
    values_of = function.parameter_names - leading.keys()
    own = function.locals.keys() - leading.keys() | values_of
    found: set[int] = set()

    def changes(name: str | None) -> bool:
        """Whether it may, but for what the function can change."""
        if name in leading:
            found.add(leading[name])
        return name is not None and (name in own or name in leading)

    for statement in function.statements:
        if isinstance(statement, (r.Opaque, r.Delete)) or (
            isinstance(statement, r.Leave) and statement.kind == "throw"
        ):
            return None
        changed = _changed(statement)
        if changed is not None and not changes(changed):
            return None
        for value in values(statement):
            for inner in walk(value):
                if isinstance(inner, r.Assign) and not changes(_reached(inner.target)):
                    return None
                if isinstance(inner, r.Call) and inner.kind in ("new", "delete"):
                    return None
                if isinstance(inner, r.Call) and inner.kind == "call" and not isinstance(inner.callee, r.Lambda):
                    on = receiver(inner)
                    rearranged = _in_place(inner) or logs._filled_by(inner)
                    if on is not None and _root(on) in leading and not logs._is_quiet_call(inner):
                        return None
                    is_own = _root(on) in own if on is not None else bool(rearranged)
                    is_own = all(map(changes, rearranged)) and is_own
                    if not is_own and not logs._is_quiet_call(inner):
                        return None
    return frozenset(found)
