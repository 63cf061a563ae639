"""Functions that do the same for different backends, and the checks of each.

Siblings are found by path and name: where the words that a model (or the settings) call backends are taken out, theirs
are equal. An *outline* is what can be compared: the guards of a body, what it releases, and the words of the rest.
The same outline tells what a change took out of one function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Function, Program, Span, bodies, failure, places, questions, text, types
from ownlint import records as r

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d\w*|\"[^\"]*\"|[^\s\w]")
_PARAMETER = re.compile(r"P\d+")
_LITERALS = frozenset({"true", "false", "nullptr", "NULL", "this"})
_STATUS = re.compile(r"ok|is_?ok|failed|succeeded|has_?error|is_?error|err", re.IGNORECASE)
_QUESTION = re.compile(r"^(?:is|has|was|can|supports?)(?![a-z])|null|empty|valid|contains|count|size", re.IGNORECASE)
_SHORT = 3
"""Statements that a guard may run before it leaves."""
_LONG = 2000
_FEWEST_TOKENS = 8
_ALIKE = 0.7

Exit = OneOf["throws", "fails", "leaves", "aborts"]


class ParityGuard(NamedTuple):
    """`condition` is one on which the function does not go on, backends' words taken out and parameters numbered;
    `names` are what it looks at."""

    condition: str
    names: frozenset[str]
    exit: Exit
    span: Span
    shown: str


class Release(NamedTuple):
    """`what` is given back by the call of `name`, both without backends' words."""

    name: str
    what: str
    span: Span
    shown: str


class AskedCondition(NamedTuple):
    """A condition and what it looks at."""

    condition: str
    names: frozenset[str]


class FunctionOutline(NamedTuple):
    guards: tuple[ParityGuard, ...]
    releases: tuple[Release, ...]
    asked: tuple[AskedCondition, ...]
    """Every condition of the body, those of the guards included."""
    mentioned: frozenset[str]
    tokens: Counter[tuple[str, str]]
    """Pairs of neighbouring tokens of all that is no guard."""
    lines: tuple[tuple[str, Span], ...]
    """The statements that are no guard, as text, in source order."""


class _Pair(NamedTuple):
    path: str
    symbol: str
    arity: int


class Parity:
    """The siblings of one program, and the outlines of its functions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.group = {
            word.lower(): f"V{number}" for number, words in enumerate(program.parity) for word in reversed(words)
        }
        self.neutral = lru_cache(1 << 15)(self._neutral)
        self.outline = lru_cache(256)(self._outline)
        self.asked_below = lru_cache(256)(self._asked_below)

    # --- siblings ---

    def siblings(self, function: Function) -> list[Function]:
        """The same function of other backends, in the order of files."""
        if not self._may_have_sibling(function):
            return []
        own = self._vendors(function)
        return [one for one in self._families.get(self._key(function), ()) if self._vendors(one) != own]

    @questions.program_property
    def _families(self) -> dict[_Pair, list[Function]]:
        found: dict[_Pair, list[Function]] = {}
        for function in self.program.functions:
            if self._may_have_sibling(function):
                found.setdefault(self._key(function), []).append(function)
        return found

    def _may_have_sibling(self, function: Function) -> bool:
        if function.language != "cpp" or function.record.kind == "lambda" or function.path not in self._speaking:
            return False
        return bool(self._vendors(function))

    @questions.program_property
    def _speaking(self) -> frozenset[str]:
        """The files that say a backend's word, in their path or in the name of a function."""
        return frozenset(
            path
            for path, file in self.program.files.items()
            if file.language == "cpp"
            and not self.group.keys().isdisjoint(
                word.lower()
                for part in {path, *(f.scope for f in file.functions), *(f.name for f in file.functions)}
                for word in _WORD.findall(part)
            )
        )

    def _key(self, function: Function) -> _Pair:
        stem = function.path.rpartition(".")[0]
        return _Pair(self.neutral(stem), self.neutral(function.symbol), len(function.record.parameters))

    def _vendors(self, function: Function) -> frozenset[str]:
        """The backends' words in its path and name."""
        said = f"{function.path.rpartition('.')[0]} {function.symbol}"
        return frozenset(word.lower() for word in _WORD.findall(said) if word.lower() in self.group)

    def _neutral(self, written: str) -> str:
        """Without what differs between backends: `hipMalloc` and `cudaMalloc` are one."""
        return _WORD.sub(lambda match: self.group.get(match[0].lower(), match[0]), written)

    # --- outlines ---

    def _outline(self, function: Function) -> FunctionOutline:
        """What the body checks, releases and does."""
        return _ParityReading(self, function).outline()

    def lacks(self, function: Function, guard: ParityGuard) -> bool:
        """Whether the function deals with what the guard looks at, and nowhere asks about it: neither itself nor in
        what it calls."""
        outline = self.outline(function)
        if not guard.names <= outline.mentioned or _is_asked(guard.names, outline.asked):
            return False
        return not _is_asked(guard.names, self.asked_below(function))

    def _asked_below(self, function: Function) -> tuple[AskedCondition, ...]:
        """The conditions of the project's functions that the body calls."""
        called = dict.fromkeys(
            callee for call in _calls(function) for callee in self.program.calls.callee(call, function).functions
        )
        return tuple(asked for callee in called if callee is not function for asked in self.outline(callee).asked)


def _is_asked(names: frozenset[str], conditions: Iterable[AskedCondition]) -> bool:
    """Whether some condition looks at all of the names."""
    return any(names <= asked.names for asked in conditions)


@questions.program_question
def of(program: Program) -> Parity:
    """The siblings of a program; one object a program, since its answers are remembered."""
    return Parity(program)


class _ParityReading:
    """One body, read once."""

    def __init__(self, parity: Parity, function: Function) -> None:
        self.parity = parity
        self.function = function
        self.program = function.program
        self.numbers = {p.name: f"P{n}" for n, p in enumerate(function.record.parameters, 1) if p.name}
        record, offsets = function.record, function.file.conditional
        self.conditional = [
            (start, end)
            for start, end in zip(offsets[::2], offsets[1::2], strict=True)
            if record.start <= start and end <= record.end
        ]
        self.guards: list[ParityGuard] = []
        self.releases: list[Release] = []
        self.asked: list[AskedCondition] = []
        self.tokens: list[str] = []
        self.lines: list[tuple[str, Span]] = []

    def outline(self) -> FunctionOutline:
        stack: list[r.Statement] = list(reversed(self.function.body))
        while stack:
            statement = stack.pop()
            if self._is_guard(statement):
                continue
            self._rest(statement)
            stack.extend(reversed(_inside(statement)))
        tokens = self.tokens[:_LONG]
        mentioned = {token for token in self.tokens if _NAME.fullmatch(token)}
        mentioned |= {name for guard in self.guards for name in guard.names}
        return FunctionOutline(
            tuple(self.guards),
            tuple(self.releases),
            tuple(self.asked),
            frozenset(mentioned),
            Counter(pairwise(tokens)),
            tuple(self.lines),
        )

    # --- what is no guard ---

    def _rest(self, statement: r.Statement) -> None:
        shown = []
        for value in bodies.values(statement):
            written = self.plain(value)
            shown.append(written)
            self.tokens += _TOKEN.findall(written)
            self._released(value)
        if isinstance(statement, r.Declare):
            self.tokens += list(statement.names)
            shown = [*statement.names, *shown]
        if isinstance(statement, (r.Branch, r.Loop)) and statement.condition is not None:
            self.asked.append(self._asked(statement.condition))
        if isinstance(statement, r.Leave):
            self.tokens.append(statement.kind)
        self.lines.append((f"{type(statement).__name__} {' '.join(shown)}", statement.span))

    def _released(self, value: r.Value) -> None:
        for inner in places.walk(value):
            if isinstance(inner, r.Call) and self._gives_back(inner):
                given = inner.args[0] if inner.args else places.receiver(inner)
                if given is not None:
                    name = self.parity.neutral(places.last_name(inner.callee) or inner.kind)
                    self.releases.append(Release(name, self.plain(given), inner.span, text(inner)))

    def _gives_back(self, call: r.Call) -> bool:
        if call.kind == "delete":
            return True
        models = self.program.calls.callee(call, self.function).models
        return any(effect.verb == "release" for model in models for effect in model.effects)

    # --- guards ---

    def _is_guard(self, statement: r.Statement) -> bool:
        """Whether the statement does nothing but keep the function from going on; then it is noted."""
        match statement:
            case r.Branch(condition=condition, then=then, other=(), before=(), constant=False):
                if self._is_conditional(statement.span):
                    return False
                left = self._exit(then)
                if left is None:
                    return False
                parts = list(_alternatives(condition))
                self.asked += [self._asked(part) for part in parts]
                if not all(self._is_question(part) for part in parts):
                    return False
                for part in parts:
                    self._note(part, left, statement.span)
                return True
            case r.Evaluate(value=r.Call(args=(condition, *_)) as call):
                if self.program.macros.role(places.last_name(call.callee)) != "check" or self._is_conditional(
                    statement.span
                ):
                    return False
                names = frozenset(name for arg in call.args for name in self.names_in(arg))
                self.asked.append(AskedCondition(self.plain(call), names))
                if self._is_question(condition):
                    self._note(call, "aborts", statement.span)
                    return True
        return False

    def _asked(self, condition: r.Value) -> AskedCondition:
        return AskedCondition(self.plain(condition), self.names_in(condition))

    def _is_conditional(self, span: Span) -> bool:
        """Whether the preprocessor decides about it, inside of this function: it is meant for some versions only."""
        return any(start <= span.start and span.end <= end for start, end in self.conditional)

    def _note(self, condition: r.Value, left: Exit, span: Span) -> None:
        names = self.names_in(condition)
        if names:
            self.guards.append(ParityGuard(self.plain(condition), names, left, span, text(condition)))

    def _exit(self, then: r.Body) -> Exit | None:
        """How a few statements leave, where they do nothing but leave."""
        if not then or len(then) > _SHORT or any(isinstance(one, (r.Branch, r.Loop, r.Switch)) for one in then):
            return None
        match then[-1]:
            case r.Leave(kind="throw"):
                return "throws"
            case r.Leave(kind="return", value=None):
                return "leaves"
            case r.Leave(kind="return", value=value) if failure.refuses(self.function, value) or self._explains(value):
                return "fails"
            case r.Block(body=body) if len(then) == 1:
                return self._exit(body)
        return None

    def _explains(self, value: r.Value | None) -> bool:
        """Whether an object is made that says why: a text is given to it."""
        made = places.strip(value)
        if not isinstance(made, r.Call) or not types.parse(self.function.record.result).is_value:
            return False
        return any(
            isinstance(inner, r.Literal) and inner.kind == "str" for arg in made.args for inner in places.walk(arg)
        )

    def _is_question(self, condition: r.Value) -> bool:
        """Whether the condition looks at what is there already; one that does something, or asks what came of it, is
        no guard."""
        for inner in places.walk(condition):
            match inner:
                case r.Assign() | r.Lambda() | r.OpaqueValue():
                    return False
                case r.Call() if self.program.macros.role(places.last_name(inner.callee)) == "check":
                    continue
                case r.Call(args=args):
                    name = places.last_name(inner.callee)
                    if _STATUS.fullmatch(name) or (args and not _QUESTION.search(name)):
                        return False
                case r.Name(text=name) if self._holds_outcome(name):
                    return False
        return True

    def _holds_outcome(self, name: str) -> bool:
        """Whether a local has what a call with arguments answered."""
        written, initial = self.function.locals.get(name, ("", None))
        if self.program.statuses.of(written, self.function) is not None:
            return True
        made = places.strip(initial)
        return isinstance(made, r.Call) and bool(made.args) and name not in self.numbers

    # --- words ---

    def plain(self, value: r.Value) -> str:
        """As text, without backends' words, with parameters by number and one way of asking for null."""
        inner = _canonical(value)
        written = text(inner, 1 << 16)
        return _NAME.sub(lambda match: self.numbers.get(match[0]) or self.parity.neutral(match[0]), written).replace(
            "this->", ""
        )

    def names_in(self, value: r.Value) -> frozenset[str]:
        """The places a condition looks at, by their words; constants are none."""
        found = set()
        for inner in _looked_at(value):
            name = inner.text.rpartition("::")[2] if isinstance(inner, r.Name) else inner.name
            if name not in _LITERALS and not _is_constant(name):
                found.add(self.numbers.get(name) or self.parity.neutral(name))
        return frozenset(found)


def _looked_at(value: r.Value) -> Iterator[r.Name | r.Member]:
    """Names and members, but for the names of what is called."""
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, (r.Name, r.Member)):
            yield inner
        if isinstance(inner, r.Call):
            stack += [places.receiver(inner)] if places.receiver(inner) is not None else []  # type: ignore[list-item]
            stack += inner.args
        else:
            stack += places.children(inner)


def _is_constant(name: str) -> bool:
    return re.fullmatch(r"k[A-Z]\w*|[A-Z][A-Z0-9_]*", name) is not None and not _PARAMETER.fullmatch(name)


def _inside(statement: r.Statement) -> list[r.Statement]:
    match statement:
        case r.Block(body=body) | r.With(body=body):
            return list(body)
        case r.Branch(before=before, then=then, other=other):
            return [*before, *then, *other]
        case r.Loop(before=before, body=body, otherwise=otherwise):
            return [*before, *body, *otherwise]
        case r.Switch(cases=cases):
            return [one for case in cases for one in case.body]
        case r.Try(body=body, handlers=handlers, final=final):
            return [*body, *(one for handler in handlers for one in handler.body), *final]
    return []


def _alternatives(condition: r.Value) -> Iterator[r.Value]:
    """`a || b` is two reasons to leave."""
    stack = [condition]
    while stack:
        inner = stack.pop()
        match inner:
            case r.Binary(op="||", left=left, right=right):
                stack += [right, left]
            case _:
                yield inner


def _canonical(value: r.Value) -> r.Value:
    """`p == nullptr`, `NULL == p` and `!p` are one condition, so are `p != nullptr` and `p`."""
    match value:
        case r.Binary(op="==" | "!=" as op, left=left, right=right):
            for side, other in ((left, right), (right, left)):
                if isinstance(other, r.Literal) and other.kind == "null":
                    return r.Unary(value.start, value.end, "!", side) if op == "==" else side
        case r.Unary(op="not", value=inner):
            return r.Unary(value.start, value.end, "!", inner)
    return value


# --- what a change took out --------------------------------------------------------------------------


def before(function: Function) -> Function | None:
    """The function as it was before the change under review; None when no change is looked at, or when it was not
    there."""
    program = function.program
    earlier = program.before
    if earlier is None or function.path not in program.earlier_paths:
        return None
    return _same(of(earlier), function, program.was_called(function.path))


def _same(parity: Parity, function: Function, path: str) -> Function | None:
    named = [
        one
        for one in parity.program.index.functions_called(function.name)
        if one.symbol == function.symbol and one.record.kind == function.record.kind
    ]
    gone = [one for one in named if not _is_still_there(function, one)]
    there = [one for one in named if one.path == path] or ([] if path else gone)
    count = len(function.record.parameters)
    fitting = [one for one in there if _types(one) == _types(function)] or [
        one for one in there if len(one.record.parameters) == count
    ]
    return fitting[0] if len(fitting) == 1 else None


def _is_still_there(function: Function, old: Function) -> bool:
    """Whether what the old function was is another one now, so that this one is new."""
    return any(
        one.symbol == old.symbol and one is not function and function.program.was_called(one.path) == old.path
        for one in function.program.index.functions_called(old.name)
    )


def _types(function: Function) -> tuple[str, ...]:
    return tuple(parameter.type for parameter in function.record.parameters)


def gap(old: FunctionOutline, new: FunctionOutline, at: Span, function: Function) -> tuple[Span, Span]:
    """Where something that stood at `at` in the old body would stand in the new one: the range between its neighbours
    that are still there, and the one behind it (or in front, where it was the last)."""
    kept = dict(reversed(new.lines))
    front = [kept[line] for line, span in old.lines if span.end <= at.start and line in kept]
    behind = [kept[line] for line, span in old.lines if span.start >= at.end and line in kept]
    record = function.record
    name = Span(record.name_start, record.name_start + len(record.name.encode()))
    start = max((span.start for span in front), default=name.start)
    end = next((span for span in behind if span.start > start), None)
    if end is None:
        last = max(front, key=lambda span: span.start, default=name)
        return Span(last.start, record.end), last
    return Span(start, end.end), end


def removed_guards(old: Function, new: Function) -> Iterator[ParityGuard]:
    """The guards of the old body that the new one has no more, where it still deals with what they looked at: not moved
    to what it calls or to its callers, not replaced by another question about the same, not made needless by a type."""
    then, now = of(old.program).outline(old), of(new.program).outline(new)
    if not is_alike(then, now):
        return
    known = {asked.condition for asked in then.asked}
    kept = {asked.condition for asked in now.asked}
    fresh = [asked.names for asked in now.asked if asked.condition not in known]
    retyped = _retyped(old, new)
    gone = [
        guard
        for guard in then.guards
        if guard.condition not in kept and guard.names <= now.mentioned and retyped.isdisjoint(guard.names)
    ]
    if gone:
        fresh += _asked_by_new_callees(old, new)
    for guard in gone:
        if not any(guard.names <= names for names in fresh) and not _is_asked_by_callers(new, guard):
            yield guard


def removed_releases(old: Function, new: Function) -> Iterator[Release]:
    """What the old body gave back and the new one does not, though it takes it as before and does nothing new to it."""
    then, now = of(old.program).outline(old), of(new.program).outline(new)
    if not is_alike(then, now):
        return
    left = Counter((release.name, release.what) for release in now.releases)
    known = {line for line, _ in then.lines}
    fresh = [set(_NAME.findall(line)) for line, _ in now.lines if line not in known]
    for release in then.releases:
        key = (release.name, release.what)
        left[key] -= 1
        words = set(_NAME.findall(release.what))
        if left[key] >= 0 or any(not words.isdisjoint(line) for line in fresh):
            continue
        kept = {line for line, _ in now.lines}
        if any(words <= set(_NAME.findall(line)) and line in kept for line, _ in then.lines):
            yield release


def is_alike(one: FunctionOutline, other: FunctionOutline) -> bool:
    """Whether two bodies are the same but for what they check."""
    total = one.tokens.total() + other.tokens.total()
    if min(one.tokens.total(), other.tokens.total()) < _FEWEST_TOKENS:
        return one.tokens == other.tokens and total > 0
    return 2 * (one.tokens & other.tokens).total() / total >= _ALIKE


def _retyped(old: Function, new: Function) -> frozenset[str]:
    """Parameters, by number, whose type is another now: what their guards asked may be settled by that."""
    pairs = zip(_types(old), _types(new), strict=False)
    return frozenset(f"P{number}" for number, (one, other) in enumerate(pairs, 1) if one != other)


def _asked_by_new_callees(old: Function, new: Function) -> list[frozenset[str]]:
    """What the new body's further calls are given, about which they may ask in its place, and what they ask of their
    own object."""
    reading = _ParityReading(of(new.program), new)
    known = of(old.program).outline(old).mentioned
    found = []
    for call in _calls(new):
        if reading.parity.neutral(places.last_name(call.callee)) not in known:
            found.append(reading.names_in(call))
            for callee in new.program.calls.callee(call, new).functions:
                found += [_without_parameters(asked.names) for asked in of(new.program).outline(callee).asked]
    return found


def _without_parameters(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in names if not _PARAMETER.fullmatch(name))


def _is_asked_by_callers(function: Function, guard: ParityGuard) -> bool:
    """Whether all who call the function ask before: about the arguments that they give."""
    found = False
    for caller in function.program.index.callers(function):
        reading = _ParityReading(of(function.program), caller)
        for call in _calls(caller):
            if (
                places.last_name(call.callee) != function.name
                or function not in function.program.calls.callee(call, caller).functions
            ):
                continue
            given = {f"P{n}": reading.names_in(argument) for n, argument in enumerate(call.args, 1)}
            names = frozenset(word for name in guard.names for word in given.get(name, frozenset({name})))
            if not any(names <= asked.names for asked in of(function.program).outline(caller).asked):
                return False
            found = True
    return found


def _calls(function: Function) -> Iterator[r.Call]:
    for statement in function.statements:
        for value in bodies.values(statement):
            yield from (inner for inner in places.walk(value) if isinstance(inner, r.Call))


def words(written: str) -> frozenset[str]:
    """The names in a text of an outline."""
    return frozenset(_NAME.findall(written))
