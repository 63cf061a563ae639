"""Functions that do the same for different backends, and the checks of each.

Siblings are found by path and name: where the words that a model (or the settings) call backends are taken out, theirs
are equal. An *outline* is what can be compared: the guards of a body, what it releases, and the words of the rest.
The same outline tells what a change took out of one function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Class, File, Function, Program, Span, bodies, failure, places, questions, ranges, text, types
from ownlint import records as r

WORD = re.compile(r"(?P<letters>[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+)\d*|\d+")
_PIECE = re.compile(r"[a-z]+(?:\d+[a-z]+)+\d*|(?P<letters>[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+)\d*|\d+")
"""The same, where a number may stand inside of a word: `i2c`."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d\w*|\"[^\"]*\"|[^\s\w]")
_PARAMETER = re.compile(r"P\d+")
_LITERALS = frozenset({"true", "false", "nullptr", "NULL", "this"})
_STATUS = re.compile(r"ok|is_?ok|failed|succeeded|has_?error|is_?error|err", re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:is|has|was|can|supports?)(?-i:(?![a-z]))|null|empty|valid|contains|count|size", re.IGNORECASE
)
_CHECKS = re.compile(
    r"^(?:check|valid|verify|ensure|require|assert|expect|guard|insist|demand|must|reject|refuse|throw|fail)|valid|check",
    re.IGNORECASE,
)
_VIEW = re.compile(
    r"size|length|count|empty|is_?empty|c?r?(?:begin|end)|front|back|first|last|top|data|at", re.IGNORECASE
)
_SCOPE = re.compile(r"\b(\w+)::")
_CAST = re.compile(
    r"\b(?:static_cast<[\w: ]*>|(?:std::)?(?:u?int\d*(?:_t)?|s?size_t))(?=\()|\((?:u?int\d*(?:_t)?|s?size_t)\)"
)
_ANY_CAST = re.compile(r"\b(?:static|reinterpret|const|dynamic)_cast<[\w:*&, ]*>|\((?:const )?[\w:]+ ?\*+\)(?=[\w(&*])")
_SHORT = 3
"""Statements that a guard may run before it leaves."""
_LONG = 2000
_FEWEST_TOKENS = 8
_MOST_BACKENDS = 8
_KEPT = 256
"""Of how many functions the outlines are kept."""
_ALIKE = 0.7

_VALIDATES = re.compile(
    r"(?:check(?!point|out|sum|ed)|validate|verify|ensure(?!_?(?:cap|space|size|room|alloc|init))|require|insist|demand|assert)",
    re.IGNORECASE,
)
"""Names of what is called for nothing but to refuse what it is given."""

Exit = OneOf[
    "throws", "fails", "leaves", "aborts", "skips", "repairs", "refuses", "handles", "validates", "passes over"
]


class ParityGuard(NamedTuple):
    """`condition` is one on which the function does not go on, backends' words taken out and parameters numbered.
    `names` are the places that it reads; `sources` says of the locals among them, and so on, what they were worked out
    from."""

    condition: str
    form: str
    """The same with what stands for a local that is given a value once, so that its name does not count."""
    names: frozenset[str]
    sources: tuple[tuple[str, frozenset[str]], ...]
    exit: Exit
    span: Span
    shown: str
    message: str = ""
    """The first text that is said where the function leaves."""


class ParityBranch(NamedTuple):
    """What is done on a condition alone: the statements as in an outline's `lines`, and what they call."""

    guard: ParityGuard
    lines: frozenset[str]
    works: frozenset[str]
    deeds: frozenset[str]


class Release(NamedTuple):
    """`what` is given back by the call of `name`, both without backends' words."""

    name: str
    what: str
    span: Span
    shown: str


class AskedCondition(NamedTuple):
    """A condition and the places that it reads; `names` has what locals were worked out from, too, `own` has not."""

    condition: str
    form: str
    names: frozenset[str]
    own: frozenset[str]
    span: Span
    shown: str
    repeats: bool = False
    """It is asked by a loop: of nothing it does nothing, and does not say so."""


class FunctionOutline(NamedTuple):
    guards: tuple[ParityGuard, ...]
    handled: tuple[ParityGuard, ...]
    """Where there is nothing the function leaves, though not by an error: it does what is to be done then."""
    branches: tuple[ParityBranch, ...]
    releases: tuple[Release, ...]
    asked: tuple[AskedCondition, ...]
    """Every condition of the body, those of the guards included."""
    mentioned: frozenset[str]
    tokens: Counter[tuple[str, str]]
    """Pairs of neighbouring tokens of all that is no guard."""
    lines: tuple[tuple[str, Span], ...]
    """The statements that are no guard, as text, in source order."""
    works: frozenset[str]
    """What is called, but for the success that is made to be returned."""
    deeds: frozenset[str]
    """The same, with what it is called on."""
    is_idle: bool
    """Whether nothing is done: at most, a success is returned."""


class _Pair(NamedTuple):
    path: str
    symbol: str
    arity: int


class TableSlot(NamedTuple):
    """A member, or its number, in tables of a type."""

    type: str
    member: str


class Parity:
    """The siblings of one program, and the outlines of its functions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.group = {
            word.lower(): f"V{number}" for number, words in enumerate(program.parity) for word in reversed(words)
        }
        self.neutral = lru_cache(1 << 15)(self._neutral)
        self._outlines: questions.Answers[Function, FunctionOutline] = questions.Answers(most=_KEPT)

    # --- siblings ---

    def siblings(self, function: Function) -> list[Function]:
        """The same function of other backends, in the order of files; then that of other classes on one base, and of
        other tables of one type. Where a change is looked at, also another of the same name, and one whose name differs
        as its file's does: of code that always was so, that says too little."""
        paired = [*self._homonyms(function), *self._namesakes(function)] if self.program.before is not None else []
        return list(
            dict.fromkeys((*self.backends(function), *self._overrides(function), *self._in_slot(function), *paired))
        )

    def backends(self, function: Function) -> list[Function]:
        """The same function of other backends by name."""
        if not self._may_have_sibling(function):
            return []
        own = self._vendors(function)
        return [one for one in self._families.get(self._key(function), ()) if self._vendors(one) != own]

    def _overrides(self, function: Function) -> list[Function]:
        """The same virtual method of other classes on one base, where they are few: a base of many is no interface to
        backends."""
        cls, count = function.cls, len(function.record.parameters)
        if cls is None or function.language != "cpp" or function.record.kind != "method":
            return []
        for base in reversed(cls.ancestry[1:]):
            if self._asks_for(base, function.name):
                derived = self._derived.get(base.symbol, ())
                if len(derived) > _MOST_BACKENDS:
                    return []
                return [
                    one
                    for other in derived
                    if other not in cls.ancestry and cls not in other.ancestry
                    for one in other.defined_here.get(function.name, ())
                    if len(one.record.parameters) == count
                ]
        return []

    @staticmethod
    def _asks_for(base: Class, name: str) -> bool:
        """Whether a base leaves a method to its derived classes: it is virtual there, or, of a template over them, the
        base calls it and does not have it."""
        declared = base.declared_here.get(name, ())
        if declared:
            return any("virtual" in one.qualifiers for one in declared)
        return any(method.mentions(name) for method in base.methods)

    def _homonyms(self, function: Function) -> list[Function]:
        """Another specialisation of a template, an overload, or what another branch of the preprocessor has."""
        if function.language != "cpp" or function.record.kind not in ("method", "function"):
            return []
        count = len(function.record.parameters)
        alike = [
            one
            for one in self.program.index.functions_called(function.name)
            if one is not function and one.symbol == function.symbol and len(one.record.parameters) == count
        ]
        return alike if len(alike) < _MOST_BACKENDS else []

    def _namesakes(self, function: Function) -> list[Function]:
        """Those that are called the same but for one word, by which the names of their files differ as well, or which
        stand in one file: `spi_send` in `spi_link.c`, `uart_send` in `uart_link.c`."""
        if function.language != "cpp" or function.record.kind == "lambda":
            return []
        found = [one for key in _blanked(function) for one in self._by_blank.get(key, ()) if one is not function]
        return found if len(found) < _MOST_BACKENDS else []

    @questions.program_property
    def _by_blank(self) -> dict[_Pair, list[Function]]:
        found: dict[_Pair, list[Function]] = {}
        for function in self.program.functions:
            if function.language == "cpp" and function.record.kind != "lambda":
                for key in _blanked(function):
                    found.setdefault(key, []).append(function)
        return found

    def slots(self, function: Function) -> Sequence[TableSlot]:
        """Where it stands in tables of function pointers."""
        return self._slots[0].get((function.path, function.name), ())

    def _in_slot(self, function: Function) -> list[Function]:
        """Those that stand in the same place of other tables of function pointers of one type."""
        filled = self._slots[1]
        mine = self.slots(function)
        count = len(function.record.parameters)
        others = dict.fromkeys(one for slot in mine for one in filled[slot])
        if len(others) > _MOST_BACKENDS:
            return []
        return [
            one
            for path, name in others
            if (path, name) != (function.path, function.name)
            for one in self.program.index.functions_called(name)
            if one.path == path and len(one.record.parameters) == count
        ]

    @questions.program_property
    def _slots(self) -> tuple[dict[tuple[str, str], list[TableSlot]], dict[TableSlot, list[tuple[str, str]]]]:
        """The slots that a function stands in, by its path and name, and what stands in each slot."""
        slots: dict[tuple[str, str], list[TableSlot]] = {}
        filled: dict[TableSlot, list[tuple[str, str]]] = {}
        for path, file in sorted(self.program.files.items()):
            defined = {function.name for function in file.functions} if file.language == "cpp" else frozenset()
            for variable in file.variables if defined else ():
                for slot, name in self._filled_slots(variable, file):
                    if name in defined:
                        slots.setdefault((path, name), []).append(slot)
                        filled.setdefault(slot, []).append((path, name))
        return slots, filled

    def _filled_slots(self, variable: r.Variable, file: File) -> Iterator[tuple[TableSlot, str]]:
        """The names in the table that a variable is, or in each of an array of tables."""
        written = types.parse(variable.type.replace("[", " ").replace("]", " ").replace("struct ", "")).last
        cls = self.program.names.find_class(written, "", file)
        fields = [field.name for field in cls.record.fields] if cls is not None else []
        stack = [places.strip(variable.value)]
        while stack:
            table = stack.pop()
            if not isinstance(table, r.Aggregate):
                continue
            for number, item in enumerate(table.items):
                in_order = fields[number] if number < len(fields) else str(number)
                member, value = (text(item.key), item.value) if isinstance(item, r.Pair) else (in_order, item)
                match places.strip(value):
                    case r.Name(text=name) | r.Unary(op="&", value=r.Name(text=name)):
                        yield TableSlot(written, member.lstrip(".")), name
                    case r.Aggregate() as inner:
                        stack.append(inner)

    @questions.program_property
    def _derived(self) -> dict[str, list[Class]]:
        """By the name of a base the classes that derive from it, through others too."""
        found: dict[str, list[Class]] = {}
        for cls in self.program.classes:
            for base in cls.ancestry[1:]:
                found.setdefault(base.symbol, []).append(cls)
        return found

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
            and any(
                self._group_of(word)
                for part in {path, *(f.scope for f in file.functions), *(f.name for f in file.functions)}
                for word in WORD.finditer(part)
            )
        )

    def _key(self, function: Function) -> _Pair:
        stem = function.path.rpartition(".")[0]
        return _Pair(self.neutral(stem), self.neutral(function.symbol), len(function.record.parameters))

    def _vendors(self, function: Function) -> frozenset[str]:
        """The backends' words in its path and name."""
        said = f"{function.path.rpartition('.')[0]} {function.symbol}"
        return frozenset(word[0].lower() for word in WORD.finditer(said) if self._group_of(word))

    def _group_of(self, word: re.Match[str]) -> str:
        """What stands for a backend's word, a number behind it or not: `avx2`, `x86`; empty for another word."""
        return self.group.get(word[0].lower()) or self.group.get((word["letters"] or "").lower(), "")

    def _neutral(self, written: str) -> str:
        """Without what differs between backends: `hipMalloc` and `cudaMalloc` are one."""
        return WORD.sub(lambda match: self._group_of(match) or match[0], written)

    # --- outlines ---

    def outline(self, function: Function) -> FunctionOutline:
        """What the body checks, releases and does."""
        return self._outlines.ask(function, lambda: ParityReading(self, function).outline())

    def lacking(self, function: Function, guards: Iterable[ParityGuard]) -> list[ParityGuard]:
        """Those of a sibling's guards of which the function deals with what they look at, and nowhere asks about it:
        neither itself nor in what it calls. One `if` that looks at something else besides is about another design."""
        outline = self.outline(function)
        known = list(guards)
        foreign = {guard.span for guard in known if not known_subjects(guard, outline)}
        return [guard for guard in known if guard.span not in foreign and self._lacks(function, guard)]

    def lacking_beside(self, function: Function, guards: Iterable[ParityGuard]) -> list[ParityGuard]:
        """Those of a sibling's guards that other functions of the same file or class make as well, and this one does
        not, though it uses what they read: then its body need not be like the sibling's."""
        outline = self.outline(function)
        missing = [
            guard
            for guard in guards
            if outline.works
            and outline.mentioned.issuperset(map(root_of, guard.names))
            and not is_asked(guard.names, outline.asked)
            and not self.asks_in_callees(function, guard)
        ]
        if not missing:
            return []
        made = {one.form for other in self._around(function) for one in self.outline(other).guards}
        return [guard for guard in missing if guard.form in made]

    def _around(self, function: Function) -> Iterator[Function]:
        """The other methods of its class, or the other functions of its file that are none."""
        if function.home is not None:
            others: Iterable[Function | None] = function.home.methods
        else:
            file, index = function.file, self.program.index
            others = (index.function_at(file, at) for at in range(len(file.functions)))
        return (one for one in others if one is not None and one is not function and one.home is function.home)

    def asks_in_callees(self, function: Function, guard: ParityGuard) -> bool:
        """Whether a function of the project that it calls tests all that the guard reads."""
        return is_asked(guard.names, self._asked_below(function))

    def asks_members_in_callees(self, function: Function, guard: ParityGuard) -> bool:
        """Whether one tests members of the same names, whichever name the object has there."""
        members = {place.rpartition(".")[2] for place in guard.names if "." in place}
        return bool(members) and any(
            members <= {place.rpartition(".")[2] for place in asked.names} for asked in self._asked_below(function)
        )

    def _lacks(self, function: Function, guard: ParityGuard) -> bool:
        outline = self.outline(function)
        subjects = known_subjects(guard, outline)
        if is_asked(subjects, outline.asked):
            return False
        return not is_asked(subjects, self._asked_below(function))

    def _asked_below(self, function: Function) -> tuple[AskedCondition, ...]:
        """The conditions of the project's functions that the body calls."""
        called = dict.fromkeys(
            callee for call in function.calls() for callee in self.program.calls.callee(call, function).functions
        )
        return tuple(asked for callee in called if callee is not function for asked in self.outline(callee).asked)


def _blanked(function: Function) -> Iterator[_Pair]:
    """Path and symbol without a word that both have, and the path and the symbol without another, for each such
    word; that two functions have nothing but their arity in common is no reason to compare them."""
    stem = function.path.rpartition(".")[0]
    said = {word[0].lower() for word in _PIECE.finditer(stem)}
    for blank in sorted({word[0].lower() for word in _PIECE.finditer(function.symbol)} - {function.name.lower()}):
        path, symbol = (
            _PIECE.sub(lambda word: "*" if word[0].lower() == blank else word[0], part)  # noqa: B023
            for part in (stem, function.symbol)
        )
        yield _Pair(path if blank in said else stem, symbol, len(function.record.parameters))


def known_subjects(guard: ParityGuard, outline: FunctionOutline, limits: Iterable[str] | None = None) -> frozenset[str]:
    """What a guard looks at, as far as a body deals with it: what it reads, and for a local that the body does not have
    what that was worked out from; empty where the body does not deal with all of it. With `limits`, the
    members of the own object, it is enough that the body has an object, whatever part the guard looks at, and one of
    all that is compared with these and with parameters."""
    sources = dict(guard.sources)
    found: set[str] = set()
    seen: set[str] = set()
    deals = False
    stack = sorted(guard.names)
    while stack:
        place = stack.pop()
        root = root_of(place)
        parts = [part for part in place.split(".")[1:] if not part.endswith(("*", ")"))]
        if outline.mentioned.issuperset([root] if limits is not None else [root, *parts]):
            found.add(place)
            deals = True
        elif limits is not None and (root in limits or is_of_parameter(root)):
            found.add(place)
        elif root not in sources:
            return frozenset()
        elif root not in seen:
            seen.add(root)
            stack += sorted(sources[root])
    if limits is not None and outline.works and all(root_of(place) in limits for place in found):
        return frozenset(found)  # the state of the object itself, whatever the body does with it
    return frozenset(found) if deals else frozenset()


def made_of(guard: ParityGuard) -> frozenset[str]:
    """The places that a guard looks at, with what locals were worked out from in their place."""
    sources = dict(guard.sources)
    found: set[str] = set()
    seen: set[str] = set()
    stack = sorted(guard.names)
    while stack:
        place = stack.pop()
        root = root_of(place)
        if root not in sources:
            found.add(place)
        elif root not in seen:
            seen.add(root)
            stack += sorted(sources[root])
    return frozenset(found)


def is_asked(names: frozenset[str], conditions: Iterable[AskedCondition]) -> bool:
    """Whether some condition looks at all of these places."""
    return any(covers(asked.names, names) for asked in conditions)


def covers(asked: Iterable[str], places: Iterable[str]) -> bool:
    """Whether each of the places is among those asked about, is a part of one that a call looks at as a whole, or has
    a part that is."""
    known = [place.replace("()", "") for place in asked]
    return all(any(_touches(one, place.replace("()", "")) for one in known) for place in places)


def _touches(asked: str, place: str) -> bool:
    whole, of = place.removesuffix(".*"), asked.removesuffix(".*")
    return of == whole or of.startswith(f"{whole}.") or (asked != of and whole.startswith(f"{of}."))


@questions.program_question
def of(program: Program) -> Parity:
    """The siblings of a program; one object a program, since its answers are remembered."""
    return Parity(program)


class ParityReading:
    """One body, read once."""

    def __init__(self, parity: Parity, function: Function) -> None:
        self.parity = parity
        self.function = function
        self.program = function.program
        self.numbers = {p.name: f"P{n}" for n, p in enumerate(function.record.parameters, 1) if p.name}
        record = function.record
        self.conditional = [
            span
            for span in function.file.conditionals
            if record.start <= span.start and span.end <= record.end and not self._is_all(span)
        ]
        self.guards: list[ParityGuard] = []
        self.handled: list[ParityGuard] = []
        self.branches: list[ParityBranch] = []
        self.releases: list[Release] = []
        self.asked: list[AskedCondition] = []
        self.tokens: list[str] = []
        self.lines: list[tuple[str, Span]] = []

    def _is_all(self, span: Span) -> bool:
        """Whether the whole body depends on one conditional of the preprocessor: then it says nothing of a check."""
        body = self.function.body
        return bool(body) and span.start <= body[0].start and body[-1].end <= span.end

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
        mentioned |= {
            part
            for guard in self.guards
            for place in guard.names
            for part in (root_of(place), *place.split(".")[1:])
            if not part.endswith(("*", ")"))
        }
        return FunctionOutline(
            tuple(self.guards),
            tuple(self.handled),
            tuple(self.branches),
            tuple(self.releases),
            tuple(self.asked),
            frozenset(mentioned),
            Counter(pairwise(tokens)),
            tuple(self.lines),
            frozenset(self._works(self.function.body)),
            frozenset(self._works(self.function.body, whole=True)),
            all(self._is_idle(statement) for statement in self.function.body),
        )

    # --- what is no guard ---

    def _rest(self, statement: r.Statement) -> None:
        line = self._line(statement)
        for value in bodies.values(statement):
            self.tokens += _TOKEN.findall(_ANY_CAST.sub("", self.plain(value)))
            self._released(value)
        if isinstance(statement, r.Declare):
            self.tokens += list(statement.names)
        if isinstance(statement, (r.Branch, r.Loop)) and statement.condition is not None:
            repeats = isinstance(statement, r.Loop)
            self.asked.append(self._asked(statement.condition)._replace(repeats=repeats))
        self.asked += map(self._asked, self._asked_inside(statement))
        if isinstance(statement, r.Branch):
            self._branch(statement)
        self._otherwise(statement)
        if isinstance(statement, r.Leave):
            self.tokens.append(statement.kind)
        self.lines.append((line, statement.span))

    def _asked_inside(self, statement: r.Statement) -> Iterator[r.Value]:
        """What else something depends on: `a ? b : c`, `bool fits = a < b`, `a && b`, `switch (a)`, and a call that
        refuses or limits what it is given, `at(i)`, `clamp(a, 0, 9)`."""
        if isinstance(statement, r.Switch):
            yield statement.value
        for value in bodies.values(statement):
            for inner in places.walk(value):
                match inner:
                    case r.Conditional(condition=condition):
                        yield from _terms(condition)
                    case r.Binary(op="&&" | "||"):
                        yield from _terms(inner)
                    case r.Call() if self._limits(inner):
                        yield inner
            if not isinstance(statement, (r.Branch, r.Loop, r.Switch)):
                yield from (inner for inner in places.walk(value) if _compares(inner))
        match statement:
            case r.Leave(kind="return", value=r.Unary(op="!") as value):
                yield value

    def _limits(self, call: r.Call) -> bool:
        """Whether a model says that the call checks what it is given."""
        models = self.program.calls.callee(call, self.function).models
        return any(
            effect.verb == "check" and str(effect.place).startswith("argument")
            for model in models
            for effect in model.effects
        )

    def _line(self, statement: r.Statement) -> str:
        names = statement.names if isinstance(statement, r.Declare) else ()
        shown = [*names, *(self.plain(value) for value in bodies.values(statement))]
        return f"{type(statement).__name__} {' '.join(shown)}"

    def _branch(self, branch: r.Branch) -> None:
        names = self.names_in(branch.condition)
        if self._handles(branch) and names and not self._is_conditional(branch.span):
            self.handled.append(self._guard(branch.condition, names, "handles", branch.span))
        if branch.other or branch.constant or not names or not self._is_question(branch.condition):
            return
        inside = bodies.statements(branch.then)
        works = frozenset(self._works(branch.then))
        if works and not self._is_conditional(branch.span):
            lines = frozenset(map(self._line, inside))
            guard = self._guard(branch.condition, names, "skips", Span(branch.start, branch.condition.end))
            self.branches.append(ParityBranch(guard, lines, works, frozenset(self._works(branch.then, whole=True))))

    def _otherwise(self, statement: r.Statement) -> None:
        """Notes what the function leaves on by the other path: `if (fits) { .. } else { return false; }`,
        `return fits ? data[i] : -1;`."""
        match statement:
            case r.Branch(condition=condition, then=then, other=other, constant=False) if other and not self._exit(
                then
            ):
                left = self._exit(other)
            case r.Leave(kind="return", value=r.Conditional(condition=condition, other=value)):
                left, other = self._exit((r.Leave(value.start, value.end, "return", value),)), ()
            case _:
                return
        if left is None or self._is_conditional(statement.span):
            return
        terms = list(_alternatives(condition, "&&"))
        if all(map(self._is_question, terms)):
            for term in map(_contrary, terms):
                self.asked.append(self._asked(term))
                self._note(term, left, condition.span, _message(other))

    def _handles(self, branch: r.Branch) -> bool:
        """Whether the branch is about nothing being there, and leaves."""
        condition, left = _canonical(branch.condition), branch.then[-1] if branch.then else None
        if not isinstance(condition, r.Unary) or condition.op != "!" or branch.other or branch.constant:
            return False
        return isinstance(left, r.Leave) and left.kind in ("return", "goto") and self._is_question(branch.condition)

    def _works(self, body: r.Body, whole: bool = False) -> Iterator[str]:
        """The names of what is called, and as a `whole` what it is called on, but for a success that is made to be
        returned, logs and handed-on outcomes."""
        for statement in bodies.statements(body):
            for value in bodies.values(statement):
                if isinstance(statement, r.Leave) and failure.refuses(self.function, value) is False:
                    continue
                for inner in places.walk(value):
                    if isinstance(inner, r.Call):
                        name = places.last_name(inner.callee) or inner.kind
                        if self.program.macros.role(name) == "":
                            yield self.plain(inner.callee) if whole else self.parity.neutral(name)

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

    def _is_idle(self, statement: r.Statement) -> bool:
        match statement:
            case r.Leave(kind="return", value=value):
                return failure.refuses(self.function, value) is False
            case r.Evaluate(value=value):
                return isinstance(places.strip(value), (r.Name, r.Literal))
        return False

    # --- guards ---

    def _is_guard(self, statement: r.Statement) -> bool:
        """Whether the statement does nothing but keep the function from going on; then it is noted."""
        match statement:
            case r.Branch(condition=condition, then=then, other=(), constant=False):
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
                    self._note(part, left, statement.span, _message(then))
                return True
            case r.Evaluate(value=r.Call(args=(condition, *_)) as call):
                if self.program.macros.role(places.last_name(call.callee)) == "return on failure":
                    made = places.strip(condition)
                    if isinstance(made, r.Call) and self._validates(made):
                        return True
                    return self._is_refusal(call, condition) or self._is_asked_inside(call, condition)
                if self._validates(call):
                    return True
                if self.program.macros.role(places.last_name(call.callee)) != "check" or self._is_conditional(
                    statement.span
                ):
                    return False
                names = frozenset(name for arg in call.args for name in self.names_in(arg))
                written = self.plain(call)
                self.asked.append(
                    AskedCondition(written, self.form(call), self._traced(names), names, statement.span, text(call))
                )
                if self._is_question(condition):
                    self._note(call, "aborts", statement.span)
                    return True
        return False

    def _validates(self, call: r.Call) -> bool:
        """Whether the call is of a function that refuses what it is given: `ValidateShape(shape)`."""
        name, names = places.last_name(call.callee), self.names_in(call)
        if call.kind != "call" or not names or not _VALIDATES.match(name) or self._is_conditional(call.span):
            return False
        if self.program.macros.role(name):
            return False
        self.asked.append(self._asked(call))
        self.guards.append(self._guard(call, names, "validates", call.span))
        return True

    def _is_refusal(self, call: r.Call, condition: r.Value) -> bool:
        """Whether the call is of a macro that leaves on a comparison: `RETURN_IF(n == 0, Invalid("empty"))`."""
        name = places.last_name(call.callee)
        if self._is_conditional(call.span):
            return False
        terms = list(_terms(condition))
        if not all(
            isinstance(_canonical(term), r.Unary) or _canonical(term) is not term or _compares(term) for term in terms
        ):
            return False
        asked = self._asked(condition)
        asked = asked._replace(condition=f"{name}({asked.condition})", form=f"{name}({asked.form})")
        self.asked.append(asked)
        if not asked.own or not self._is_question(condition):
            return False
        guard = self._guard(condition, asked.own, "refuses", call.span)
        self.guards.append(guard._replace(condition=asked.condition, form=asked.form, shown=f"{name}({guard.shown})"))
        return True

    def _is_asked_inside(self, call: r.Call, condition: r.Value) -> bool:
        """Whether the macro asks something of an object of the function, and leaves: `REQUIRE_IDLE(buffer)`."""
        name, names = places.last_name(call.callee), self.names_in(condition)
        inner = places.strip(condition)
        if not isinstance(inner, r.Name | r.Member) or not names or not self._is_question(inner):
            return False
        if not self.program.macros.looks_into(name):
            return False
        written, form = f"{name}({self.plain(condition)})", f"{name}({self.form(condition)})"
        asked = AskedCondition(written, form, self._traced(names), names, call.span, text(call))
        self.asked.append(asked)
        guard = self._guard(condition, names, "refuses", call.span)
        self.guards.append(guard._replace(condition=written, form=form, shown=text(call)))
        return True

    def _asked(self, condition: r.Value) -> AskedCondition:
        names = self.names_in(condition)
        written, form = self.plain(condition), self.form(condition)
        return AskedCondition(written, form, self._traced(names), names, condition.span, text(condition))

    def _is_conditional(self, span: Span) -> bool:
        """Whether the preprocessor decides about it, inside of this function: it is meant for some versions only."""
        return any(one.start <= span.start and span.end <= one.end for one in self.conditional)

    def _note(self, condition: r.Value, left: Exit, span: Span, message: str = "") -> None:
        names = self.names_in(condition)
        if names:
            self.guards.append(self._guard(condition, names, left, span)._replace(message=message))

    def _guard(self, condition: r.Value, names: frozenset[str], left: Exit, span: Span) -> ParityGuard:
        roots = sorted({root_of(place) for place in self._traced(names)})
        sources = tuple((name, self._sources[name]) for name in roots if name in self._sources)
        return ParityGuard(self.plain(condition), self.form(condition), names, sources, left, span, text(condition))

    def _exit(self, then: r.Body) -> Exit | None:
        """How a few statements leave, where they do nothing but leave."""
        if not then or len(then) > _SHORT or any(isinstance(one, (r.Branch, r.Loop, r.Switch)) for one in then):
            return None
        match then[-1]:
            case r.Leave(kind="throw"):
                return "throws"
            case r.Leave(kind="continue") if len(then) == 1:
                return "passes over"
            case r.Leave(kind="return", value=value) if value is None or self._is_success(value):
                return "leaves"
            case r.Leave(kind="return", value=value) if failure.refuses(self.function, value) or self._explains(value):
                return "fails"
            case r.Leave(kind="return", value=r.Name(text=said)) if self._is_other_answer(said):
                return "fails"
            case r.Block(body=body) if len(then) == 1:
                return self._exit(body)
            case r.Leave(kind="return" | "goto" as kind, value=value, label=label):
                returned = value if kind == "return" else self._returned_behind(label)
                if isinstance(returned, r.Name):
                    given = _last_given(then, returned.text) or self._begun(returned.text, then[-1].start)
                    if failure.refuses(self.function, given):
                        return "fails"
                if kind == "goto" and returned is not None and failure.refuses(self.function, returned):
                    return "fails"
        return None

    def _is_other_answer(self, said: str) -> bool:
        """Whether it is an enumerator beside the one with which the function ends: `return Fault::NotHomed;` where the
        last line is `return Fault::None;`."""
        last = self.function.body[-1] if self.function.body else None
        answer = places.strip(last.value) if isinstance(last, r.Leave) and last.kind == "return" else None
        scope, _, _ = said.rpartition("::")
        return (
            isinstance(answer, r.Name) and bool(scope) and answer.text != said and answer.text.startswith(f"{scope}::")
        )

    def _begun(self, name: str, before: int) -> r.Value | None:
        """What a local begins with, as long as nothing else is given to it."""
        given = (
            one.start
            for one in self.function.statements
            if isinstance(one, r.Evaluate) and isinstance(one.value, r.Assign) and text(one.value.target) == name
        )
        return self.function.locals.get(name, ("", None))[1] if min(given, default=before) >= before else None

    def _returned_behind(self, label: str) -> r.Value | None:
        """What is returned behind a label, where that is the same for all who go there."""
        body = tuple(self.function.body)
        at = next((n for n, one in enumerate(body) if isinstance(one, r.Label) and one.name == label), len(body))
        left = (one for one in bodies.statements(body[at:]) if isinstance(one, r.Leave))
        match next(left, None):
            case r.Leave(kind="return", value=value):
                return value
        return None

    def _is_success(self, value: r.Value) -> bool:
        """Whether a status is returned that says that all is well."""
        result = self.function.record.result
        return (
            self.program.statuses.of(result, self.function) is not None
            and failure.refuses(self.function, value) is False
        )

    def _explains(self, value: r.Value | None) -> bool:
        """Whether an object is made that says why: a text is given to it."""
        match places.strip(value):
            case r.Call(callee=r.Member()):  # an object's method does something
                return False
            case r.Call(args=given) | r.Aggregate(items=given) if types.parse(self.function.record.result).is_value:
                return any(
                    isinstance(inner, r.Literal) and inner.kind == "str" for one in given for inner in places.walk(one)
                )
        return False

    def _is_question(self, condition: r.Value) -> bool:
        """Whether the condition looks at what is there already; one that does something, or asks what came of it, is
        no guard."""
        amounts = {id(side) for inner in places.walk(condition) for side in self._amounts(inner)}
        amounts.update(map(id, _looked_into(condition)))
        for inner in places.walk(condition):
            match inner:
                case r.Assign() | r.Lambda() | r.OpaqueValue():
                    return False
                case r.Call() if self.program.macros.role(places.last_name(inner.callee)) == "check":
                    continue
                case r.Call() if _converts(inner) or (id(inner) in amounts and self._computes(inner)):
                    continue
                case r.Call(callee=r.Name(text=name), args=args) if name.startswith("std::") and not any(
                    isinstance(places.strip(arg), r.Unary) for arg in args
                ):
                    continue  # the library's functions of values work something out
                case r.Call(args=args):
                    name = places.last_name(inner.callee)
                    if places.receiver(inner) is not None and name in self.program.models.containers.looks:
                        continue
                    asks = _QUESTION.search(name) or _VALIDATES.match(name) or name.lower().endswith("check")
                    if _STATUS.fullmatch(name) or (args and not asks):
                        return False
                case r.Name(text=name) if id(inner) not in amounts and self._holds_outcome(name):
                    return False
        return True

    def _amounts(self, value: r.Value) -> Iterator[r.Value]:
        """What is compared by size with something else than zero, or with what the call that made it was given:
        `n > sizeof(buffer)`, where `write(fd, data, n) < n` asks what came of it."""
        if not isinstance(value, r.Binary) or value.op not in ("<", ">", "<=", ">="):
            return
        for side, other in ((value.left, value.right), (value.right, value.left)):
            if isinstance(places.strip(other), r.Literal) and text(other) in ("0", "-1", "1"):
                continue
            against = self.names_in(other)
            for inner in places.walk(side):
                made = inner
                if isinstance(inner, r.Name):
                    made = self._made(self.function.locals.get(inner.text, ("", None))[1]) or inner
                if isinstance(made, r.Call) and any(
                    covers(self.names_in(one), against) for one in made.args if against
                ):
                    continue
                yield inner

    def _computes(self, call: r.Call) -> bool:
        """Whether all that can be called does nothing but work out an answer."""
        callees = self.program.calls.callee(call, self.function).functions
        return bool(callees) and all(
            isinstance(one, (r.Leave, r.Declare)) for callee in callees for one in callee.statements
        )

    def _holds_outcome(self, name: str) -> bool:
        """Whether a local has what a call with arguments answered, and that did more than work it out."""
        written, initial = self.function.locals.get(name, ("", None))
        if self.program.statuses.of(written, self.function) is not None:
            return True
        made = self._made(initial)
        if not isinstance(made, r.Call) or not made.args or name in self.numbers:
            return False
        called = places.last_name(made.callee)
        if places.receiver(made) is not None and called in self.program.models.containers.looks:
            return False
        return _QUESTION.search(called) is None and not self._computes(made)

    def _made(self, initial: r.Value | None) -> r.Value | None:
        """What a local is given, where the macro around it leaves when it failed."""
        made = places.strip(initial)
        while isinstance(made, r.Call) and made.args and self._hands_value(places.last_name(made.callee)):
            made = places.strip(made.args[0])
        return made

    def _hands_value(self, name: str) -> bool:
        return self.program.macros.role(name) == "assign or return"

    # --- what a local was worked out from ---

    def traced(self, value: r.Value) -> frozenset[str]:
        """The places a value looks at, and what locals among them were worked out from."""
        return self._traced(self.names_in(value))

    def _traced(self, names: frozenset[str]) -> frozenset[str]:
        found = set(names)
        stack = sorted(names)
        while stack:
            fresh = self._sources.get(root_of(stack.pop()), frozenset()) - found
            found |= fresh
            stack += sorted(fresh)
        return frozenset(found)

    @cached_property
    def _sources(self) -> dict[str, frozenset[str]]:
        """Of each local the places that what it is given, or the call that fills it, looks at."""
        own = {self.parity.neutral(name) for name in self.function.locals if name not in self.numbers}
        found: dict[str, set[str]] = {}
        for statement in self.function.statements:
            if isinstance(statement, r.Declare):
                for name in statement.names:
                    found.setdefault(self.parity.neutral(name), set()).update(self._worked_on(statement.value))
            if isinstance(statement, r.Loop) and statement.kind == "range":
                for element in places.walk(statement.target):
                    if isinstance(element, r.Name):
                        found.setdefault(self.parity.neutral(element.text), set()).update(
                            self._worked_on(statement.iterable)
                        )
            for value in bodies.values(statement):
                for inner in places.walk(value):
                    if isinstance(inner, r.Assign) and isinstance(inner.target, r.Name):
                        found.setdefault(self.parity.neutral(inner.target.text), set()).update(
                            self._worked_on(inner.value)
                        )
                    if isinstance(inner, r.Call):
                        for name in self._filled(inner):
                            found.setdefault(name, set()).update(self._worked_on(inner))
        return {
            name: frozenset(place for place in sources if root_of(place) != name)
            for name, sources in found.items()
            if name in own and sources
        }

    def _filled(self, call: r.Call) -> Iterator[str]:
        """The locals whose address a call is given."""
        for argument in call.args:
            match places.strip(argument):
                case r.Unary(op="&", value=r.Name(text=name)):
                    yield self.parity.neutral(name)

    def _worked_on(self, value: r.Value | None) -> frozenset[str]:
        """What a value is worked out from; of a call of an own method without arguments the members that it reads."""
        made = self._made(value)
        if made is None:
            return frozenset()
        names = self.names_in(made)
        if names or not isinstance(made, r.Call):
            return names
        members = self.function.home.members if self.function.home is not None else frozenset()
        read = {
            self.parity.neutral(inner.text)
            for called in self.program.calls.callee(made, self.function).functions
            for statement in called.statements
            for part in bodies.values(statement)
            for inner in _looked_at(part)
            if isinstance(inner, r.Name) and inner.text in members
        }
        return frozenset(read or {self.parity.neutral(places.last_name(made.callee))})

    # --- what cannot be nothing ---

    def first_need(self, nothing: str) -> Span | None:
        """Where the body first works on something as if it were there, by the condition that says that it is not, and
        asks in no way before; None where it does not."""
        subject = _dotted(nothing.removeprefix("!"))
        if not subject:
            return None
        same = {subject}
        for statement in self.function.statements:
            asks_first = not (isinstance(statement, r.Loop) and statement.kind == "do")
            condition = statement.condition if isinstance(statement, (r.Branch, r.Loop)) else None
            for value in bodies.values(statement):
                if asks_first and (self._settles(value, same) or (value is condition and self._term(value) in same)):
                    return None
                if self._needs(value, same):
                    return statement.span
            if isinstance(statement, r.Declare) and statement.value and self._says(statement.value) == subject:
                same.update(self.plain(r.Name(0, 0, name)) for name in statement.names)
        return None

    def judged_inside(self, asked: AskedCondition) -> frozenset[str]:
        """The places that a condition looks at by what functions of the project answer that it calls: these ask what
        their bodies say."""
        calls = [call for call in self.function.calls() if call.start in asked.span]
        calls += [made for name in asked.own if isinstance(made := self._only_value(name), r.Call)]
        known = (call for call in calls if self.program.calls.callee(call, self.function).functions)
        return frozenset(name for call in known for name in self.names_in(call))

    def passes_over(self, nothing: str) -> bool:
        """Whether the body loops over what may be empty, by the condition that says that it is, and works in no other
        way on what is in it: then there is nothing to be refused."""
        subject = _dotted(nothing.removeprefix("!"))
        loops = (one for one in self.function.statements if isinstance(one, r.Loop))
        return (
            any(self._says(loop.iterable) == subject for loop in loops if loop.iterable)
            and self.first_need(nothing) is None
        )

    def is_needed(self, place: str, alone: bool = False) -> bool:
        """Whether the body works on something that it is given or has as a member, or on a part of that, as if it were
        there, and does not ask before; `alone` is for the part itself."""
        part = place.removesuffix(".*")
        if root_of(part) in {self.parity.neutral(name) for name in self.function.locals} - set(self.numbers.values()):
            return False
        return any(
            self.first_need(whole) is not None for whole in dict.fromkeys((part if alone else root_of(part), part))
        )

    def first_element(self, of: Iterable[str]) -> Span | None:
        """Where the body first takes an element of one of these places, chosen by another one."""
        known = frozenset(of)
        for statement in self.function.statements:
            for value in bodies.values(statement):
                for inner in places.walk(value):
                    if isinstance(inner, r.Index) and self.place(inner.base) in known:
                        chosen = frozenset(name for index in inner.indexes for name in self.names_in(index))
                        if not chosen.isdisjoint(known):
                            return statement.span
        return None

    def _settles(self, value: r.Value, same: set[str]) -> bool:
        """Whether something is asked about it, or it is something else from here on."""
        for inner in places.walk(value):
            match inner:
                case r.Assign(target=target) if _dotted(self.plain(target)) in same:
                    return True
                case r.Binary() | r.Unary(op="!" | "not") | r.Call() if _canonical(inner) is not inner:
                    if self._term(inner) in same:
                        return True
                case r.Conditional(condition=condition) if self._term(condition) in same:
                    return True
                case r.Binary(op="&&" | "||") if any(self._term(part) in same for part in _terms(inner)):
                    return True
        return False

    def _term(self, condition: r.Value) -> str:
        return _dotted(self.plain(condition)).removeprefix("!")

    def _says(self, value: r.Value) -> str:
        return _dotted(self.plain(_counted(places.strip(value) or value)))

    def _needs(self, value: r.Value, same: set[str]) -> bool:
        for inner in places.walk(value):
            match inner:
                case r.Member(base=base, arrow=True) | r.Unary(op="*", value=base):
                    needed = base
                case r.Index(base=base, indexes=(r.Literal(),)):
                    needed = base
                case r.Binary(op="/" | "%", right=base):
                    needed = base
                case r.Call(callee=r.Member(base=base, name="front" | "back" | "first" | "last" | "top" | "pop_back")):
                    needed = base
                case _:
                    continue
            if self._says(needed) in same:
                return True
        return False

    # --- what calls ask ---

    def asked_by(
        self, call: r.Call, callee: Function, more: bool = False, of_parts: bool = False, depth: int = 2
    ) -> Iterator[frozenset[str]]:
        """What a callee and those that it calls ask, in this body's words: of its object and of what it is given. With
        `more` what they ask more than whether there is something; without, not what they ask of a parameter that they
        have worked on before as if it were there: on the parameter itself, too, unless only its parts are asked for
        (`of_parts`)."""
        inner = ParityReading(self.parity, callee)
        below: list[frozenset[str]] = []
        for made in callee.calls() if depth else ():
            called = self.program.calls.callee(made, callee)
            if not called.functions and not called.models and is_named_check(places.last_name(made.callee)):
                below.append(inner.names_in(made))
            below += (
                names
                for one in called.functions
                if one is not callee
                for names in inner.asked_by(made, one, more, of_parts, depth - 1)
            )
        members = callee.home.members if callee.home is not None else frozenset()
        asked = (
            frozenset(name for name in one.names if more or not inner.is_needed(name, of_parts))
            for one in self.parity.outline(callee).asked
            if not (more and asks_for_something(one.form))
        )
        for names in (*asked, *below):
            yield frozenset(self.in_words_of(call, names, members))

    def in_words_of(self, call: r.Call, names: Iterable[str], members: frozenset[str]) -> Iterator[str]:
        """Places of what is called as its caller names them: parts of what is given, and of the object it is called
        on."""
        of = places.receiver(call)
        for place in names:
            root, dot, rest = place.partition(".")
            if _PARAMETER.fullmatch(root) and int(root[1:]) <= len(call.args):
                given = call.args[int(root[1:]) - 1]
            elif of is not None and root in {self.parity.neutral(name) for name in members}:
                given, dot, rest = of, ".", place
            else:
                yield place
                continue
            whole = self.place(given)
            if whole:
                yield whole + dot + rest
            elif self._is_question(given):  # else it asks what came of a call
                yield from self.names_in(given)

    # --- words ---

    def plain(self, value: r.Value) -> str:
        """As text, without backends' words, with parameters by number and one way of asking for null."""
        inner = _canonical(value)
        written = _SCOPE.sub(
            lambda match: "" if match[1].lower() in self.parity.group else match[0], text(inner, 1 << 16)
        )
        return _NAME.sub(lambda match: self.numbers.get(match[0]) or self.parity.neutral(match[0]), written).replace(
            "this->", ""
        )

    def form(self, condition: r.Value) -> str:
        """As text like `plain`, but with what a local is given in place of its name, and without casts of numbers."""
        return self._inlined(_ordered(condition), 0)

    def _inlined(self, value: r.Value, depth: int) -> str:
        written = _CAST.sub("", self.plain(value))
        given = {
            inner.text: initial
            for inner in places.walk(value)
            if isinstance(inner, r.Name) and depth < 4 and (initial := self._only_value(inner.text)) is not None
        }
        if not given:
            return written
        shown = {self.parity.neutral(name): self._inlined(initial, depth + 1) for name, initial in given.items()}
        return _NAME.sub(lambda match: shown.get(match[0], match[0]), written)

    def _only_value(self, name: str) -> r.Value | None:
        """What a local is given where it is declared, where it is given nothing else."""
        if name in self.numbers or self.function.mentions("=" + name):
            return None
        return self._made(self.function.locals.get(name, ("", None))[1])

    def names_in(self, value: r.Value) -> frozenset[str]:
        """The places a condition looks at, `P1.count`, with `P1.*` for one that a call is given as a whole; constants
        are none."""
        return frozenset(self._places_in(value))

    def _places_in(self, value: r.Value) -> Iterator[str]:
        stack: list[r.Value] = [value]
        while stack:
            inner = stack.pop()
            if place := self.place(inner):
                if not _is_constant(root_of(place)) and not _is_constant(place.rpartition(".")[2]):
                    yield place
                stack += _indexes(inner)
            elif isinstance(inner, r.Call) and not _converts(inner):
                of = places.receiver(inner)
                for operand in (*([of] if of is not None else []), *inner.args):
                    whole = self.place(operand)
                    if whole and not _is_constant(root_of(whole)):
                        yield f"{whole}.*"
                    if not whole:
                        stack.append(operand)
                    stack += _indexes(operand)
            elif isinstance(inner, r.Call):
                stack += inner.args
            else:
                stack += places.children(inner)

    def place(self, value: r.Value | None) -> str:
        """What a name, a member of it, an element, or a getter of such leads to; empty for anything else."""
        match places.strip(value):
            case r.Name(text=name):
                if name in _LITERALS or self._is_enumerator(name):
                    return ""
                name = name.rpartition("::")[2]
                return self.numbers.get(name) or self._aliased(name) or self.parity.neutral(name)
            case r.Member(base=r.Name(text="this"), name=name):
                return self.parity.neutral(name)
            case r.Member(base=base, name=name):
                return f"{of}.{self.parity.neutral(name)}" if (of := self.place(base)) else ""
            case r.Index(base=base) | r.Unary(op="*" | "&", value=base):
                return self.place(base)
            case r.Call(args=()) as call if call.kind == "call":
                of = self.place(places.receiver(call))
                if of and _VIEW.fullmatch(places.last_name(call.callee)):
                    return of
                if (member := self._got(call)) and (of or isinstance(call.callee, r.Name)):
                    return f"{of}.{member}()" if of else f"{member}()"
        return ""

    def _is_enumerator(self, name: str) -> bool:
        of = name.rpartition("::")[0]
        file, scope = self.function.file, self.function.record.scope
        return bool(of) and self.program.names.find_class(of, scope, file, enum=True) is not None

    def _aliased(self, name: str) -> str:
        """What a reference or a pointer is a name for."""
        written, initial = self.function.locals.get(name, ("", None))
        kind = types.parse(written)
        if initial is None or kind.is_value or self.function.mentions("=" + name):
            return ""
        inner = places.strip(initial)
        named = places.names_in(inner)
        return self.place(inner) if name not in named and named.isdisjoint(self.function.locals) else ""

    def _got(self, call: r.Call) -> str:
        """The member that a method does nothing but answer with."""
        found = set()
        for callee in self.program.calls.callee(call, self.function).functions:
            match callee.body if callee.is_short else ():
                case (r.Leave(kind="return", value=r.Name(text=name)),) if callee.home and callee.home.field(name):
                    found.add(self.parity.neutral(name))
                case _:
                    return ""
        return found.pop() if len(found) == 1 else ""


def _dotted(written: str) -> str:
    """With one way of writing a part of something: `graph->nodes` is the place `graph.nodes`."""
    return written.replace("->", ".")


def root_of(place: str) -> str:
    return place.partition(".")[0].removesuffix("()")


def _indexes(value: r.Value) -> list[r.Value]:
    """What the elements on the way to a place are chosen by."""
    found: list[r.Value] = []
    inner = places.strip(value)
    while isinstance(inner, (r.Member, r.Index, r.Unary)):
        if isinstance(inner, r.Index):
            found += inner.indexes
        inner = places.strip(inner.value if isinstance(inner, r.Unary) else inner.base)
    return found


def _looked_into(condition: r.Value) -> Iterator[r.Value]:
    """The names of which a member is read, as data: `layout->partitions` is what a call has found, and not whether it
    has."""
    called = {id(inner.callee) for inner in places.walk(condition) if isinstance(inner, r.Call)}
    for inner in places.walk(condition):
        if isinstance(inner, r.Member) and id(inner) not in called and not _STATUS.fullmatch(inner.name):
            yield inner.base


def _converts(call: r.Call) -> bool:
    """`size_t(n)`, `uint32_t{n}`."""
    return places.last_name(call.callee) in types.SCALARS


def _ordered(condition: r.Value) -> r.Value:
    """With the lesser of two sides first, by one of two ways to write a comparison."""
    match condition:
        case r.Binary(op=">" | ">=" as op, left=left, right=right):
            return r.Binary(condition.start, condition.end, ranges.turned(op), right, left)
    return condition


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


def is_view(deed: str) -> bool:
    """Whether a method that is called changes nothing, by its name."""
    return _VIEW.fullmatch(deed.rpartition(".")[2]) is not None


def asks_for_something(form: str) -> bool:
    """Whether a condition asks no more of a place than whether there is something: `!P1`, `n != 0`."""
    return _PLACE.fullmatch(form) is not None


def nothing_of(guard: ParityGuard) -> str:
    """What a guard says is not there, as `plain` writes it; empty where it asks more."""
    inside = _IN_MACRO.fullmatch(guard.condition)
    asked = inside[1] if inside is not None else guard.condition
    return asked.removeprefix("!") if asks_for_something(asked.replace("()", "")) else ""


_IN_MACRO = re.compile(r"\w+\(((?:[^()]|\(\))*)\)")


def asks_more(form: str) -> bool:
    """Whether a condition asks more than whether there is something, also by a getter: `n > 8`, `fits(P1)`."""
    return _PLACE.fullmatch(form.replace("()", "")) is None


_PLACE = re.compile(r"!?[\w.:]+(?:->[\w.]+)*")
_WORKED_OUT = re.compile(r"(?<![\w.>:])[A-Za-z_][\w:]*+\((?!\))")
_COMPARES = re.compile(r" [<=!>]=? ")
_NUMBER = re.compile(r"(?<![\w.])(?!0\b)\d[\w.]*")


def without_limits(form: str) -> str:
    """A condition with one mark in place of numbers: how much is too much differs between backends. So does who works
    out what is compared."""
    return _NUMBER.sub("N", _WORKED_OUT.sub("F(", form) if _COMPARES.search(form) else form)


def is_of_parameter(place: str) -> bool:
    return _PARAMETER.fullmatch(root_of(place)) is not None


def without_parameter(place: str) -> str:
    """What the place is a part of left out, where that is a parameter."""
    return place.partition(".")[2] if is_of_parameter(place) else place


def _message(body: r.Body) -> str:
    for statement in bodies.statements(body):
        for value in bodies.values(statement):
            for inner in places.walk(value):
                if isinstance(inner, r.Literal) and inner.kind == "str":
                    return inner.text
    return ""


def _last_given(body: r.Body, name: str) -> r.Value | None:
    """What a local is given last in a few statements."""
    found: r.Value | None = None
    for statement in body:
        match statement:
            case r.Evaluate(value=r.Assign(target=r.Name(text=given), value=value)) if given == name:
                found = value
    return found


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


def _alternatives(condition: r.Value, either: str = "||") -> Iterator[r.Value]:
    """`a || b` is two reasons to leave, and `a && b` to leave otherwise."""
    stack = [condition]
    while stack:
        inner = stack.pop()
        match inner:
            case r.Binary(op=op, left=left, right=right) if op == either:
                stack += [right, left]
            case _:
                yield inner


def _contrary(condition: r.Value) -> r.Value:
    match condition:
        case r.Binary(op=op, left=left, right=right) if op in ranges.COMPARISONS:
            return r.Binary(condition.start, condition.end, ranges.opposite(op), left, right)
    return r.Unary(condition.start, condition.end, "!", condition)


def _canonical(value: r.Value) -> r.Value:
    """`p == nullptr`, `NULL == p`, `n <= 0`, `v.size() == 0`, `v.empty()` and `!p` are one condition; so is the
    contrary of each."""
    match value:
        case r.Binary(op=op, left=left, right=right) if op in ranges.COMPARISONS:
            for side, other, asked in ((left, right, op), (right, left, ranges.turned(op))):
                if isinstance(other, r.Literal) and (asked, _zero(other)) in _EMPTY:
                    inner = _counted(side)
                    return r.Unary(value.start, value.end, "!", inner) if _EMPTY[asked, _zero(other)] else inner
        case r.Unary(op="not" | "!", value=inner):
            known = _canonical(inner)
            if isinstance(known, r.Unary) and known.op == "!" and known is not inner:
                return known.value
            return r.Unary(value.start, value.end, "!", known)
        case r.Call(args=()) if places.last_name(value.callee).lower() in ("empty", "isempty", "is_empty"):
            if (of := places.receiver(value)) is not None:
                return r.Unary(value.start, value.end, "!", of)
    return value


_EMPTY = {
    ("==", "0"): True,
    ("<=", "0"): True,
    ("<", "1"): True,
    ("!=", "0"): False,
    (">", "0"): False,
    (">=", "1"): False,
}
"""Whether a comparison with a number says that there is nothing."""


def _terms(condition: r.Value) -> Iterator[r.Value]:
    """The conditions that `&&` and `||` put together."""
    stack = [condition]
    while stack:
        inner = stack.pop()
        if isinstance(inner, r.Binary) and inner.op in ("&&", "||"):
            stack += [inner.right, inner.left]
        else:
            yield inner


def _compares(value: r.Value) -> bool:
    return isinstance(value, r.Binary) and value.op in ranges.COMPARISONS


def _zero(literal: r.Literal) -> str:
    return "0" if literal.kind == "null" else literal.text


def _counted(value: r.Value) -> r.Value:
    """The container of which this is the size."""
    match places.strip(value):
        case r.Call(args=()) as call if places.last_name(call.callee).lower() in ("size", "length", "count"):
            of = places.receiver(call)
            return value if of is None else of
    return value


def is_named_check(name: str) -> bool:
    return _CHECKS.search(name) is not None


def words(written: str) -> frozenset[str]:
    """The names in a text of an outline."""
    return frozenset(_NAME.findall(written))


def is_alike(one: FunctionOutline, other: FunctionOutline, guards: Iterable[ParityGuard] = ()) -> bool:
    """Whether two bodies are the same but for what they check. Of the other one's `guards` that are not in the first,
    what only they need does not count."""
    tokens = other.tokens - _feeding(one, other, guards)
    return is_similar(one.tokens, tokens, _ALIKE)


def is_similar(one: Counter[tuple[str, str]], other: Counter[tuple[str, str]], share: float) -> bool:
    """Whether two bodies have that share of their pairs of tokens in common; short ones have to be equal."""
    total = one.total() + other.total()
    if min(one.total(), other.total()) < _FEWEST_TOKENS:
        return one == other and total > 0
    return 2 * (one & other).total() / total >= share


def feeders(outline: FunctionOutline, guards: Iterable[ParityGuard]) -> frozenset[str]:
    """The locals that guards read and a body does not have."""
    return frozenset(name for guard in guards for name, _ in guard.sources) - outline.mentioned


def _feeding(one: FunctionOutline, other: FunctionOutline, guards: Iterable[ParityGuard]) -> Counter[tuple[str, str]]:
    needed = feeders(one, guards)
    return Counter(pair for line, _ in other.lines if words(line) & needed for pair in pairwise(_TOKEN.findall(line)))
