"""What a rule looks at: functions, classes and bindings, each knowing the program around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.finding import SOME_PATHS, Certainty, Finding, Fix, Role, Step, reason_of, reasoned
from ownlint.flow import clauses
from ownlint.flow import events as e
from ownlint.flow.bodies import scoped, values
from ownlint.flow.graph import Flow
from ownlint.flow.lower import declared_names, statements
from ownlint.flow.places import Place, everything_in, strip, walk
from ownlint.models import habits
from ownlint.models.containers import ContainerMethods
from ownlint.patterns import AnyName
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.pairs import words
from ownlint.project.questions import Key, derived_property, read
from ownlint.steps import spend

if TYPE_CHECKING:
    from ownlint.project.program import Program


_BYTES_A_STEP = 1024
"""Bytes of an encoded body that are searched in a step."""
_SHORT = 600
_FEW_WORDS, _FEW_NAMES = 4, 8
"""So many words are compared with so many names faster than a set of them is made."""
_VALUES_A_STEP = 16
"""So many expressions that are kept are gone through in about the time of one step."""


_set_of: Callable[[tuple[str, ...]], frozenset[str]] = lru_cache(1024)(frozenset)
"""The same names are asked for of every function."""


class _Subject:
    """Somewhere a finding can stand."""

    __slots__ = ()

    program: Program
    path: str
    symbol: str
    file: File
    size: int
    """Bytes of the file in which it stands."""

    def finding(
        self,
        at: Span | r.Node | e.Event,
        message: str,
        *,
        certainty: Certainty = "certain",
        help: str = "",
        steps: tuple[Step, ...] = (),
        fix: Fix | None = None,
        mild: bool = False,
        reason: str = "",
        cause: str = "",
    ) -> Finding:
        """`reason` says why it is not certain; `cause` what it is about, where that has many places."""
        symbol, at = self.symbol, _span(at)
        return Finding(
            self.path, at, message, certainty, help, steps, symbol, fix, mild=mild, reason=reason, cause=cause
        )

    def step(self, at: Span | r.Node | e.Event, message: str, role: Role | None = None, *, aside: bool = False) -> Step:
        return Step(self.path, _span(at), message, role, aside)


_MOST_ANCESTORS = 32
"""Every class has its own list of them: a deep hierarchy of many would cost the square."""


class Turn(NamedTuple):
    """How a path comes to its end: the condition that decides it, as it is written, and a `goto`."""

    asked: r.Value | None
    jump: r.Leave | None
    outcome: str = ""
    """As "`n < 0` is true"; empty where no condition decides."""
    clause: str = ""
    """The same behind an "if": a comparison that holds is enough."""
    decided: tuple[e.Test, bool] | None = None
    """The test, and how it goes."""


def _as_written(condition: r.Value, test: e.Test, outcome: bool) -> tuple[r.Value, bool]:
    """What a test of a condition asks, with the `!` that stands before it."""
    for one in walk(condition):
        if isinstance(one, r.Unary) and one.op in ("!", "not") and strip(one.value) is strip(test.value):
            return one, not outcome
    return test.value, outcome


def _span(at: Span | r.Node | e.Event) -> Span:
    return at if isinstance(at, Span) else at.span


class Function(_Subject):
    """One function, method, lambda, module body or class body that has a definition."""

    language: r.Language
    """Of the file in which it stands."""

    # Most are asked for little: they do without a dictionary of their own, which answers alone are kept in.
    __slots__ = (
        "__dict__",
        "cls",
        "file",
        "index",
        "key",
        "known",
        "language",
        "path",
        "program",
        "record",
        "size",
        "symbol",
        "usual",
    )

    def __init__(self, program: Program, file: File, index: int, ordinal: int, cls: Class | None) -> None:
        """`ordinal` counts those of one name and scope in the file."""
        self.program = program
        self.file = file
        self.size = file.size
        self.index = index
        self.record = record = file.functions[index]
        self.path = file.path
        self.language = file.language
        self.cls = cls
        separator = "::" if file.language == "cpp" else "."
        self.symbol = record.scope + separator + record.name if record.scope else record.name
        self.key: Key = ("body", file.path, f"{self.symbol}#{ordinal}")
        """Under which it is noted who has read the body."""
        self.known: dict[Any, Any] = {}  # see `questions.question`, also of `usual`
        self.usual = 0

    def __repr__(self) -> str:
        return f"<Function {self.symbol} in {self.path}>"

    def forget(self) -> None:
        """What was learned of the body; whoever asks again is answered the same."""
        self.__dict__.clear()

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def is_method(self) -> bool:
        return self.cls is not None

    @property
    def parent(self) -> Function | None:
        """The enclosing function of a lambda or nested function."""
        around = self.record.parent
        return self.program.index.function_at(self.file, around) if around >= 0 else None

    @property
    def home(self) -> Class | None:
        """The class whose members its bare names can mean: its own, or that of the function around a lambda."""
        if self.cls is not None:
            return self.cls
        around = self.parent
        return around.home if around is not None else None

    @property
    def itself(self) -> str:
        """In Python, the parameter that is the object, or the class, whose method it is or stands in."""
        record = self.record
        if self.language != "python" or record.kind in ("module", "class"):
            return ""
        if self.cls is None:
            outer = self.parent.itself if self.parent is not None else ""
            return outer if all(one.name != outer for one in record.parameters) else ""
        return record.parameters[0].name if record.parameters and "static" not in record.qualifiers else ""

    @derived_property
    def expression(self) -> r.Lambda | None:
        """What a lambda is in the function around it."""
        if self.record.kind != "lambda" or self.parent is None:
            return None
        written = (value for value in self.parent.values if isinstance(value, r.Lambda))
        return next((value for value in written if value.function == self.index), None)

    @property
    def _bytes(self) -> int:
        return memoryview(self.record.body).nbytes

    def mentions(self, *names: str) -> bool:
        """Whether the body calls something whose last name is among `names`; a name with a leading `=`
        asks for an assignment. Needs no decoding."""
        read(self.key)
        said = self.record.mentions
        if len(said) > _FEW_WORDS or len(names) > _FEW_NAMES:
            return not _set_of(names).isdisjoint(said)
        for one in said:  # noqa: SIM110 - a generator would take as long again
            if one in names:
                return True
        return False

    def mentions_any(self, names: AbstractSet[str]) -> bool:
        """The same of many names."""
        read(self.key)
        return not names.isdisjoint(self.record.mentions)

    def says(self, pattern: AnyName | re.Pattern[bytes]) -> bool:
        """Whether the encoded body matches; names and literals stand in it as JSON strings (`"true"`). Cheap
        and coarse: it tells which bodies are worth decoding, nothing else."""
        read(self.key)
        spend(1 + self._bytes // _BYTES_A_STEP)
        return bool(pattern.search(self.record.body))

    def is_of_debug_build(self, span: r.Span) -> bool:
        """Whether only a debug build compiles what stands there: under `#ifndef NDEBUG`, or where a macro is asked for
        that is defined there."""
        if self.file.is_debug(span.start):
            return True
        asked = (name for start, end, name in self.file.defined if start <= span.start < end)
        return any(map(self.program.macros.is_of_debug_build, asked))

    @property
    def is_short(self) -> bool:
        """Whether the body can be a statement or two. Needs no decoding."""
        read(self.key)
        return self._bytes <= _SHORT

    @property
    def encoded(self) -> bytes:
        """The encoded body, for a look at what need not be decoded."""
        read(self.key)
        return bytes(self.record.body)

    @property
    def mentioned(self) -> tuple[str, ...]:
        """Last names of what the body calls, and those of what it assigns to with a leading `=`."""
        read(self.key)
        return self.record.mentions

    @property
    def container_methods(self) -> ContainerMethods:
        """What the methods of containers are called in the function's language."""
        models = self.program.models
        return models.python_containers if self.language == "python" else models.containers

    @property
    def body(self) -> r.Body:
        read(self.key)
        return self.program.lowering.body(self)

    @derived_property
    def statements(self) -> tuple[r.Statement, ...]:
        """Every statement of the body, nested ones included, in source order."""
        return tuple(statements(self.body))

    @property
    def values(self) -> tuple[r.Value, ...]:
        """Every expression of the body, and all in it, in source order, outermost first."""
        found = self._values
        spend(1 + len(found) // _VALUES_A_STEP)
        return found

    def calls(self) -> Iterator[r.Call]:
        """Every call of the body, in source order, outermost first."""
        return (one for one in self.values if isinstance(one, r.Call))

    @derived_property
    def _values(self) -> tuple[r.Value, ...]:
        return tuple(everything_in(value for statement in self.statements for value in values(statement)))

    @derived_property
    def voided(self) -> tuple[Span, ...]:
        """Every `(void)x;` of the body."""
        return tuple(
            statement.span
            for statement in self.statements
            if isinstance(statement, r.Evaluate)
            and isinstance(statement.value, r.Cast)
            and statement.value.type == "void"
        )

    @derived_property
    def targets(self) -> dict[int, r.Value]:
        """What the body's expressions assign to, by the offset at which it starts."""
        found: dict[int, r.Value] = {}
        for statement in self.statements:
            for value in walk(statement.value) if isinstance(statement, r.Evaluate) else ():
                if isinstance(value, r.Assign):
                    found.setdefault(value.target.start, value.target)
        return found

    @property
    def flow(self) -> Flow:
        return self.program.lowering.flow(self)

    @derived_property
    def cleaned(self) -> frozenset[str]:
        """Locals that a function ends when they go, by an attribute of theirs, also one that a macro stands for."""
        return frozenset(
            name
            for one in self.statements
            if isinstance(one, r.Declare) and one.cleanup and self.program.macros.may_clean_up(one.cleanup)
            for name in one.names
        )

    @derived_property
    def released_at_end(self) -> frozenset[str]:
        """Of these, the locals whose attribute, or the macro, says by a word of its name that it releases them:
        `g_autofree`, `_cleanup_close_`."""
        return frozenset(
            name
            for one in self.statements
            if isinstance(one, r.Declare) and not habits.CLEANS_UP.isdisjoint(words(one.cleanup))
            for name in one.names
            if name in self.cleaned
        )

    @derived_property
    def locals(self) -> dict[str, tuple[str, r.Value | None]]:
        """Declared type as written and initial value of each local; parameters have no value."""
        found: dict[str, tuple[str, r.Value | None]] = {p.name: (p.type, p.default) for p in self.record.parameters}
        for statement in self.statements:
            for name, one in _locals_of(statement, self.language):
                found.setdefault(name, one)
        return found

    def local_at(self, name: str, at: int) -> tuple[str, r.Value | None]:
        """Declared type and initial value of the local that a name means at an offset: of several the last one declared
        before it in a statement around it."""
        meant = [one for start, end, one in self._redeclared.get(name, ()) if start <= at < end]
        return meant[-1] if meant else self.locals[name]

    @derived_property
    def _redeclared(self) -> dict[str, tuple[tuple[int, int, tuple[str, r.Value | None]], ...]]:
        """The names that several locals have: the scope of each, and what `locals` says of it, in source order."""
        found: dict[str, list[tuple[int, int, tuple[str, r.Value | None]]]] = {}
        whole = (self.record.start, self.record.end)
        for parameter in self.record.parameters:
            found.setdefault(parameter.name, []).append((*whole, (parameter.type, parameter.default)))
        for statement, end in scoped(self.body, self.record.end):
            for name, one in _locals_of(statement, self.language):
                inside = statement.end if isinstance(statement, r.Loop) else end
                found.setdefault(name, []).append((statement.start, inside, one))
        return {name: tuple(all_of_it) for name, all_of_it in found.items() if len(all_of_it) > 1}

    @derived_property
    def bound(self) -> dict[str, tuple[str, ...]]:
        """Each local that is a part of a structured binding, with all the parts."""
        found: dict[str, tuple[str, ...]] = {}
        for statement in self.statements:
            if isinstance(statement, r.Declare) and len(statement.names) > 1:
                for name in statement.names:
                    found.setdefault(name, statement.names)
        return found

    @derived_property
    def declared(self) -> frozenset[str]:
        inherited = self.parent.declared if self.parent is not None else frozenset()
        own = declared_names(self.record, self.body, self.language == "python")
        return inherited if own <= inherited else own | inherited  # many small lambdas share one set

    @property
    def parameter_names(self) -> frozenset[str]:
        return frozenset([parameter.name for parameter in self.record.parameters])

    def is_local(self, place: Place) -> bool:
        """Whether the place is rooted in something that ends with this call."""
        return place[0] in self.declared

    def branch(self, at: e.Event, after: e.Event) -> tuple[Step, ...]:
        """Which way the nearest `if` that `at` stands in goes, where that is decided between the two. No step where
        there is none: what a test before `at` has let pass is the usual way."""
        test, condition = self._branch(at, after)
        return (self.step(test, f"{condition} on this path", "turn"),) if test is not None else ()

    def turn(self, at: e.Event, trail: Sequence[e.Event]) -> Turn:
        """How the path of a `trail` comes to `at`, its end: the last `goto` on it, and the test that decides the `if`
        around that."""
        jumps = [index for index, one in enumerate(trail) if isinstance(one, e.Mark) and one.what == "goto"]
        came = trail[: jumps[-1]] if jumps else trail
        jump = self.leave_at(trail[jumps[-1]].span) if jumps else None
        own = self.leave_at(at.span, ended=True) if isinstance(at, e.End) else None
        leave = own if own is not None and jump in (own, None) else jump
        start = (leave.span if leave is not None else at.span).start
        around = [one for one in self.statements if isinstance(one, r.Branch) and start in one.span]
        asked = min(around, key=lambda one: one.end - one.start).condition if around else None
        if asked is None:
            return Turn(None, jump if jump is not own else None)
        then = trail[jumps[-1]] if jumps else at
        for test in reversed(came):
            if isinstance(test, e.Test) and test.span.start in asked.span:
                outcomes = {outcome for target, outcome in self.flow.successors[test.index] if target == then.index}
                if not test.asserted and len(outcomes) == 1 and (outcome := outcomes.pop()) is not None:
                    written = _as_written(asked, test, outcome)
                    return Turn(
                        written[0],
                        jump if jump is not own else None,
                        clauses.outcome(*written, self.kind_of),
                        clauses.clause(*written, self.kind_of),
                        (test, outcome),
                    )
            then = test
        return Turn(None, jump if jump is not own else None)

    def kind_of(self, value: r.Value) -> Literal["pointer", "number", "truth", ""]:
        """What a value is by its type, for the words of a condition; see `clauses`."""
        kind = types.parse(self.program.types.of(value, self) if self.language == "cpp" else "")
        if kind.pointers:
            return "pointer"
        if kind.last in ("bool", "_Bool"):
            return "truth"
        return "number" if kind.is_scalar else ""

    def leave_at(self, span: Span, *, ended: bool = False) -> r.Leave | None:
        """The statement that leaves at a place, or that ends there."""
        found = (
            one
            for one in self.statements
            if isinstance(one, r.Leave) and (one.end == span.start if ended else one.span == span)
        )
        return next(found, None)

    def on_branch(self, certainty: Certainty, at: e.Event, after: e.Event) -> Certainty:
        """The certainty of what happens on the paths through `at`: where its reason names no condition, with that of
        the nearest `if`; see `branch`."""
        condition = self._branch(at, after)[1] if reason_of(certainty) == SOME_PATHS else ""
        return reasoned(certainty, f"this happens only if {condition}") if condition else certainty

    def _branch(self, at: e.Event, after: e.Event) -> tuple[e.Event | None, str]:
        around = [one.span for one in self.statements if isinstance(one, r.Branch) and at.span.start in one.span]
        for test, outcome in self.flow.guards(at) if around else ():
            inside = any(test.span.start in span for span in around)
            if inside and test is not at and test.index > after.index and self.flow.dominates(after, test):
                return test, clauses.outcome(test.value, outcome, self.kind_of)
        return None, ""

    def jump(self, start: e.Event, end: e.Event) -> tuple[Step, ...]:
        """The last `goto` on the shortest path from `start` to `end`."""
        gone = self._jump(start, end)
        return (self.step(gone, f"this jumps to `{gone.label}`", "turn"),) if gone is not None else ()

    def on_jump(self, certainty: Certainty, start: e.Event, end: e.Event) -> Certainty:
        """The certainty of what happens on some paths: where its reason names none, by that `goto`; see `jump`."""
        gone = self._jump(start, end) if reason_of(certainty) == SOME_PATHS else None
        return (
            reasoned(certainty, f"this happens only on the path through `goto {gone.label}`")
            if gone is not None
            else certainty
        )

    def _jump(self, start: e.Event, end: e.Event) -> r.Leave | None:
        trail = self.flow.path(start, lambda event: event is end) or ()
        at = next((one.span for one in reversed(trail) if isinstance(one, e.Mark) and one.what == "goto"), None)
        return self.leave_at(at) if at is not None else None

    def has_comment_near(self, span: Span) -> bool:
        """Whether a comment stands on the lines of `span` or on the line directly above."""
        return self.file.has_comment_near(span)

    def has_excuse_near(self, span: Span) -> bool:
        """Whether a comment that stands there, as for `has_comment_near`, can say why a failure does not matter."""
        return self.file.has_excuse_near(span)

    def is_said_to_replace(self, span: Span) -> bool:
        """Whether a comment that stands there, as for `has_comment_near`, speaks of overwriting or replacing."""
        return self.file.is_said_to_replace(span)

    def is_forgiven(self, span: Span) -> bool:
        """Whether a comment above says that what stands there may fail, as that its errors are ignored."""
        return self.file.is_forgiven(span)

    def has_comment_inside(self, span: Span) -> bool:
        """Whether a comment begins inside `span`."""
        return self.file.has_comment_inside(span)

    def has_comment_behind(self, span: Span) -> bool:
        """Whether a comment stands behind `span`, on the line of its end."""
        return self.file.has_comment_behind(span)

    def target(self, write: e.Write) -> r.Value | None:
        """The expression a write assigns to."""
        return self.targets.get(write.span.start)

    def is_voided(self, span: Span) -> bool:
        """Whether the expression at `span` is all of a `(void)x;`."""
        return any(statement.start <= span.start < statement.end for statement in self.voided)

    def lambdas(self) -> Iterator[Function]:
        """Those that stand in the body itself, in source order."""
        return (inner for inner in self.program.index.nested(self) if inner.record.kind == "lambda")

    def running_lambdas(self) -> Iterator[Function]:
        """Those of them that may run: one in a local that nothing names again never does."""
        return (inner for inner in self.lambdas() if inner.index not in self._idle)

    @derived_property
    def _idle(self) -> frozenset[int]:
        held = {
            statement.names[0]: statement.value.function
            for statement in self.statements
            if isinstance(statement, r.Declare)
            and isinstance(statement.value, r.Lambda)
            and statement.value.language == "cpp"
            and len(statement.names) == 1
            and (types.parse(statement.type).is_placeholder or types.parse(statement.type).last == "function")
        }
        if not held:
            return frozenset()
        said: set[str] = set()
        for statement in self.statements:
            said.update(statement.names if isinstance(statement, r.Opaque) else ())
            for part in (part for value in values(statement) for part in walk(value)):
                match part:
                    case r.Name(text=name):
                        said.add(name)
                    case r.OpaqueValue(names=names):
                        said.update(names)
                    case r.Lambda(captures=captures):
                        said.update(capture.name for capture in captures)
        inside = [(inner.index, inner.encoded) for inner in self.lambdas()]
        return frozenset(
            index
            for name, index in held.items()
            if name not in said and not any(b'"%b"' % name.encode() in body for at, body in inside if at != index)
        )


_T = TypeVar("_T")


def _by_name(pairs: Iterable[tuple[str, _T]]) -> dict[str, tuple[_T, ...]]:
    found: dict[str, list[_T]] = {}
    for name, one in pairs:
        found.setdefault(name, []).append(one)
    return {name: tuple(ones) for name, ones in found.items()}


class Class(_Subject):
    """A class as the whole project defines it: the header's fields, the sources' method bodies."""

    def __init__(self, program: Program, file: File, record: r.ClassRecord) -> None:
        self.program = program
        self.file = file
        self.size = file.size
        self.path = file.path
        self.name = record.name
        self._record = record
        self._methods: list[Function] = []
        self._declarations: list[r.FunctionRecord] = []
        self._key = ("name", record.name)

    def __repr__(self) -> str:
        return f"<Class {self.symbol} in {self.path}>"

    @property
    def record(self) -> r.ClassRecord:
        """What the class's body says."""
        read(self._key)
        return self._record

    @property
    def methods(self) -> Sequence[Function]:
        """Definitions, in the order of files and offsets."""
        read(self._key)
        return self._methods

    def add_method(self, method: Function) -> None:
        """Links a definition."""
        self._methods.append(method)

    @property
    def declarations(self) -> Sequence[r.FunctionRecord]:
        """Methods declared in the class body, defined or not."""
        read(self._key)
        return self._declarations

    def add_declaration(self, record: r.FunctionRecord) -> None:
        """Links a declaration."""
        self._declarations.append(record)

    @cached_property
    def symbol(self) -> str:  # type: ignore[override]
        separator = "::" if self.file.language == "cpp" else "."
        return self._record.scope + separator + self.name if self._record.scope else self.name

    @derived_property
    def fields(self) -> dict[str, r.Field]:
        return {field.name: field for field in self.record.fields}

    @derived_property
    def bases(self) -> tuple[Class, ...]:
        """The bases that the project defines."""
        return tuple(found for base in self.record.bases if (found := self._base(base.name)) is not None)

    def _base(self, name: str) -> Class | None:
        """By its own name, or by another that it goes by."""
        found = self.program.names.find_class(name, self.symbol, self.file)
        if found is not None:
            return found
        meant = types.parse(self.program.names.expand(name, self.file, self.symbol)).name
        return self.program.names.find_class(meant, self.symbol, self.file) if meant != name else None

    @derived_property
    def ancestry(self) -> tuple[Class, ...]:
        """The class itself, then its bases, nearest first, each once; of more than any code has, the nearest."""
        out: dict[Class, None] = {}
        queue: list[Class] = [self]
        for current in queue:
            if current not in out:
                out[current] = None
                queue.extend(current.bases)
            if len(out) == _MOST_ANCESTORS:
                break
        return tuple(out)

    @derived_property
    def members(self) -> frozenset[str]:
        """Names of all data members, inherited ones included."""
        return frozenset(name for cls in self.ancestry for name in cls.fields)

    def field(self, name: str) -> tuple[Class, r.Field] | None:
        """A data member and the class of the ancestry that has it."""
        return self._inherited_fields.get(name)

    @derived_property
    def _inherited_fields(self) -> dict[str, tuple[Class, r.Field]]:
        """Name -> the data member, and the nearest class of the ancestry that has it."""
        return {name: (cls, field) for cls in reversed(self.ancestry) for name, field in cls.fields.items()}

    @derived_property
    def declared_here(self) -> Mapping[str, tuple[r.FunctionRecord, ...]]:
        """Name -> the methods of that name which the class body declares, defined or not."""
        return _by_name((record.name, record) for record in self.declarations)

    @derived_property
    def defined_here(self) -> Mapping[str, tuple[Function, ...]]:
        """Name -> the definitions of the class's own methods of that name."""
        return _by_name((method.record.name, method) for method in self.methods)

    def declared(self, name: str) -> list[r.FunctionRecord]:
        """Declarations and definitions of methods of that name, inherited ones last."""
        out: list[r.FunctionRecord] = []
        for cls in self.ancestry:
            own = cls.declared_here.get(name, ())
            out += [*own, *(m.record for m in cls.defined_here.get(name, ()) if m.record not in own)]
        return out

    def defined(self, name: str) -> list[Function]:
        return [method for cls in self.ancestry for method in cls.defined_here.get(name, ())]

    @derived_property
    def setters(self) -> frozenset[str]:
        """Names of the short methods that assign to something. Needs no decoding."""
        return frozenset(
            method.name
            for cls in self.ancestry
            for method in cls.methods
            if method.is_short and any(name.startswith("=") for name in method.mentioned)
        )

    @derived_property
    def destructor(self) -> Function | None:
        return next((m for m in self.methods if m.record.kind == "destructor"), None)

    @derived_property
    def constructors(self) -> tuple[Function, ...]:
        return tuple(m for m in self.methods if m.record.kind == "constructor")


class Binding(_Subject):
    """One thing made visible to Python, with the class it belongs to and the C++ behind it."""

    def __init__(self, program: Program, file: File, record: r.BindingRecord) -> None:
        self.program = program
        self.file = file
        self.size = file.size
        self.record = record
        self.path = file.path
        self.known: dict[Any, Any] = {}  # see `questions.question`, also of `usual`
        self.usual = 0

    def __repr__(self) -> str:
        return f"<Binding {self.symbol} in {self.path}>"

    @property
    def name(self) -> str:
        return self.record.name

    @derived_property
    def owner(self) -> r.BoundClass | None:
        return self.file.bound_classes[self.record.owner] if self.record.owner >= 0 else None

    @cached_property
    def symbol(self) -> str:  # type: ignore[override]
        if self.owner is None:
            return self.name
        is_computed = "(" in self.owner.name  # `name.c_str()`: the class of C++ says more
        return f"{self.owner.type if is_computed else self.owner.name}.{self.name}"

    @property
    def siblings(self) -> list[Binding]:
        """The other bindings of the same Python class."""
        return [b for b in self.program.index.bindings_of(self.file, self.record.owner) if b.record is not self.record]

    @derived_property
    def around(self) -> Function | None:
        """The function in which the binding is made."""
        return (
            self.program.index.function_at(self.file, self.record.in_function) if self.record.in_function >= 0 else None
        )


def _locals_of(statement: r.Statement, language: r.Language) -> Iterator[tuple[str, tuple[str, r.Value | None]]]:
    """The locals that a statement declares itself."""
    match statement:
        case r.Declare(names=names, type=written, value=value):
            for name in names:
                yield name, (written, value)
        case r.Loop(kind="range", target=r.Name(text=name), type=written, iterable=iterable):
            element = r.Index(iterable.start, iterable.end, iterable, ()) if iterable is not None else None
            yield name, (written, element)
        case r.Loop(kind="range", target=r.Aggregate(items=items)) if language == "cpp":
            for name, one in _bound_pair(statement, items):
                yield name, (statement.type, one)


def _bound_pair(loop: r.Loop, items: Sequence[r.Value]) -> Iterator[tuple[str, r.Value]]:
    """What the two names of `for (auto& [key, value] : all)` stand for, as far as a pair is walked over."""
    if loop.iterable is None or len(items) != 2:
        return
    element = r.Index(loop.iterable.start, loop.iterable.end, loop.iterable, ())
    for item, part in zip(items, ("first", "second"), strict=True):
        if isinstance(item, r.Name):
            yield item.text, r.Member(item.start, item.end, element, part, at=item.start)
