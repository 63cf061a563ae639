"""What Python code asks of handles: whether two are one object, under which key one is found, for which members.

The interpreter of `handle_flow` says of which class a value is; here it only takes notes, and knows more classes than
it needs for owners: those of plain objects, and of what has a member that no other class has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ownlint import (
    File,
    Function,
    Program,
    Span,
    border,
    handle_flow,
    handles,
    model_records,
    patterns,
    places,
    questions,
    text,
)
from ownlint import records as r

_KEYED = frozenset(["add", "get", "setdefault", "pop", "discard", "remove", "index", "count"])
_INDEXED = re.compile(rb"\[3,")
"""An index in an encoded body."""
_NAME = re.compile(r"\w+")
_WRITES = re.compile(r"print|repr|str|hex|format|log|debug|info|warn|error", re.IGNORECASE)


class Operand(NamedTuple):
    """What is asked about. `classes` are those it may be of, none where nobody knows; `anew` that it is taken where
    the question stands; `taken` are the places where what it may be was taken."""

    value: r.Value
    classes: tuple[str, ...]
    anew: bool = False
    taken: frozenset[Span] = frozenset()


class IdentityUse(NamedTuple):
    """`identity`: `a is b`, `name` is the operator; `number`: `id(a)`; `key`: `a` is looked up by its hash; `member`:
    `a.name`; `keyword`: `name` is passed in a call of `a`'s `member`. `told`: the name alone says the class."""

    kind: Literal["identity", "number", "key", "member", "keyword"]
    at: Span
    operands: tuple[Operand, ...]
    name: str = ""
    member: str = ""
    told: bool = False

    @property
    def is_one(self) -> bool:
        """Two names of which one may be given what the other is: taken at one place."""
        return len(self.operands) == 2 and not self.operands[0].taken.isdisjoint(self.operands[1].taken)


class Missing(NamedTuple):
    """A member, or a keyword of one, that does not exist in a version; `sure` that this is the version at hand."""

    member: model_records.PyMember
    version: model_records.Version
    sure: bool


class Gone(NamedTuple):
    """A function or a constant of a module that does not exist in a version; `shown` is how it is written."""

    at: Span
    name: str
    shown: str
    missing: Missing


class _Listener(handle_flow.HandleInterpreter):
    """Runs a function for what it asks."""

    def __init__(self, function: Function, between: border.Border, watched: frozenset[str]) -> None:
        super().__init__(function, between)
        self.watched = watched
        self.asked_for: dict[tuple[str, Span, str], IdentityUse] = {}
        self.last: dict[int, handles.Handles] = {}
        self.shown: set[Span] = set()
        """What is only written somewhere."""

    def note(self, kind: Literal["number", "key"], at: Span, value: r.Value) -> None:
        self.asked_for[kind, at, ""] = IdentityUse(kind, at, (self.operand(value),))

    def operand(self, value: r.Value) -> Operand:
        here = [h for h in handles.in_order(self.last.get(id(value), handles.NOTHING)) if not h.path]
        anew = bool(here) and all(h.taken == value.span for h in here)
        return Operand(value, tuple(sorted({h.cls for h in here})), anew, frozenset(h.taken for h in here))

    # --- what is known of values ---

    def evaluate(self, value: r.Value | None) -> None:
        self.value(value)

    def value(self, value: r.Value | None) -> handles.Handles:
        here = super().value(value)
        if value is not None:
            self.last[id(value)] = here
        return here

    def plain(self, value: r.Value, on: handles.Handles, name: str) -> handles.Handles:
        """What a member gives that borrows nothing: an object of a class all the same."""
        facts = (self.classes.member(h.cls, name) for h in handles.in_order(on) if not h.path)
        return frozenset(self.object_of(value, cls) for fact in facts if fact is not None for cls in fact.several[:1])

    def object_of(self, value: r.Value, cls: str) -> handles.Handle:
        return self.somebodys(cls, handles.foreign(value.start), value.span, text(value))

    def native(self, call: r.Call, symbol: str) -> handles.Handles | None:
        made = super().native(call, symbol)
        head, _, name = symbol.rpartition(".")
        cls, owner = self.classes.find(symbol), self.classes.find(head) if head else None
        if cls is None and owner is not None and isinstance(call.callee, r.Member):
            self.look(call.callee, (owner,), name, call)
            fact = self.classes.member(owner, name)
            cls = fact.several[0] if fact is not None and fact.several else None
        return frozenset({self.object_of(call, cls)}) if cls is not None and not made else made

    def member(self, value: r.Member) -> handles.Handles:
        base = value.base
        found = super().member(value)
        on = self.last.get(id(base), handles.NOTHING)
        classes = {h.cls for h in on if not h.path}
        if not on and (head := self.symbol(base)):
            cls = self.classes.find(head)
            fact = self.classes.member(cls, value.name) if cls is not None else None
            if cls is not None and fact is not None:
                classes, found = {cls}, frozenset(self.object_of(value, c) for c in fact.several[:1])
        self.look(value, tuple(sorted(classes)), value.name)
        return found or self.plain(value, on, value.name)

    def method(self, call: r.Call, callee: r.Member, symbol: str) -> handles.Handles:
        self.written(call, callee.name)
        given = super().method(call, callee, symbol)
        on = self.last.get(id(callee.base), handles.NOTHING)
        self.look(callee, tuple(sorted({h.cls for h in on if not h.path})), callee.name, call)
        return given or self.plain(call, on, callee.name)

    def look(self, value: r.Member, classes: tuple[str, ...], name: str, call: r.Call | None = None) -> None:
        """A member is asked for: of something, or of what has it alone."""
        known = self.function.program.models.telling_members.get(name)
        if name in self.watched and (classes or known):
            at = Span(value.name_start, value.end) if value.name_start else value.span
            found = Operand(value.base, classes or (known or "",))
            self.asked_for["member", at, name] = IdentityUse("member", at, (found,), name, told=not classes)
        for argument in call.args if call is not None else ():
            match argument:
                case r.Pair(key=r.Name(text=keyword)) if keyword in self.watched and classes:
                    found = Operand(value.base, classes)
                    asked = IdentityUse("keyword", argument.span, (found,), keyword, name)
                    self.asked_for["keyword", argument.span, keyword] = asked

    # --- questions ---

    def binary(self, value: r.Binary) -> handles.Handles:
        if value.op not in ("is", "is not"):
            given = super().binary(value)
            if value.op in ("in", "not in") and not any(
                not h.path for h in self.last.get(id(value.right), handles.NOTHING)
            ):
                self.note("key", value.left.span, value.left)
            return given
        self.value(value.left)
        self.value(value.right)
        left, right = self.operand(value.left), self.operand(value.right)
        before = self.asked_for.get(("identity", value.span, ""))
        found = IdentityUse("identity", value.span, (left, right), value.op)
        if before is None or (not before.is_one and (found.is_one or _known(found) >= _known(before))):
            self.asked_for["identity", value.span, ""] = found  # on one path at least it may be a name for the same
        return handles.NOTHING

    def builtin(self, call: r.Call, name: str, arguments: list[handles.Handles]) -> handles.Handles | None:
        self.written(call, name)
        if name == "assert":  # that two wrappers differ holds, and is known to whoever asserts it
            self.shown.update(a.span for a in call.args if isinstance(a, r.Binary) and a.op == "is not")
        if name == "id" and len(call.args) == 1:
            self.note("number", call.span, call.args[0])
        return super().builtin(call, name, arguments)

    def written(self, call: r.Call, name: str) -> None:
        if _WRITES.fullmatch(name):
            self.shown.update(argument.span for argument in call.args)

    def aggregate(self, value: r.Aggregate) -> handles.Handles:
        given = super().aggregate(value)
        for item in value.items:
            match value.kind, item:
                case "dict", r.Pair(key=key) if key is not None:
                    self.note("key", key.span, key)
                case "set", _:
                    self.note("key", item.span, item)
                case "fstring", _:
                    self.shown.add(item.span)
        return given

    def comprehension(self, value: r.Comprehension) -> handles.Handles:
        given = super().comprehension(value)
        key = value.element.key if isinstance(value.element, r.Pair) else value.element
        if value.kind in ("dict", "set") and key is not None:
            self.note("key", key.span, key)
        return given

    def index(self, value: r.Index) -> handles.Handles:
        given = super().index(value)
        if not any(not h.path for h in self.last.get(id(value.base), handles.NOTHING)) and len(value.indexes) == 1:
            self.note("key", value.indexes[0].span, value.indexes[0])
        return given

    def assign(self, target: r.Value, here: handles.Handles, at: Span, source: r.Value | None = None) -> None:
        super().assign(target, here, at, source)
        if isinstance(target, r.Index) and len(target.indexes) == 1:
            self.note("key", target.indexes[0].span, target.indexes[0])

    def project(
        self,
        call: r.Call,
        symbol: str,
        on: handles.Handles,
        arguments: list[handles.Handles],
        values: list[handles.Handles],
        receiver: handles.Handles = handles.NOTHING,
    ) -> handles.Handles:
        self.keyed(call)
        return super().project(call, symbol, on, arguments, values, receiver)

    def container_method(
        self, call: r.Call, callee: r.Member, on: handles.Handles, arguments: list[handles.Handles]
    ) -> handles.Handles:
        self.keyed(call)
        return super().container_method(call, callee, on, arguments)

    def keyed(self, call: r.Call) -> None:
        """`seen.add(key)`, `table.get(key)`."""
        if isinstance(call.callee, r.Member) and call.callee.name in _KEYED and call.args:
            self.note("key", call.args[0].span, call.args[0])


def _known(asked: IdentityUse) -> int:
    """Of how many operands the class is known: on another path nobody may know it, or it may be None."""
    return sum(1 for operand in asked.operands if operand.classes)


def _asserted(function: Function) -> set[str]:
    """Members of which something is asserted."""
    asserting = (call for call in function.calls() if places.last_name(call.callee).startswith("assert"))
    return {value.name for call in asserting for value in places.walk(call) if isinstance(value, r.Member)}


class IdentityQuestions:
    """The questions of a program, function by function."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.border = border.of(program)
        models = program.models
        self._watched = models.absent
        self._asks = patterns.strings({"is", "is not", "id", *models.absent})
        self._looks_up = patterns.strings(_KEYED | {"in", "not in", "dict", "set"})
        self._loose = models.loosely_hashed
        self._gives = patterns.strings(self._loose)
        self._found: questions.Answers[Function, tuple[IdentityUse, ...]] = questions.Answers()
        self._spoken: questions.Answers[str, bool] = questions.Answers()
        self._gone: questions.Answers[str, dict[int, model_records.PyMember]] = questions.Answers()
        self._set_anew: questions.Answers[str, bool] = questions.Answers()

    def asked_in(self, function: Function) -> tuple[IdentityUse, ...]:
        return self._found.ask(function, lambda: self._asked_in(function))

    def _asked_in(self, function: Function) -> tuple[IdentityUse, ...]:
        worth = function.language == "python" and self._may_ask(function)
        worth = worth and self._speaks(function) and self.border.may_have(function)
        return tuple(self._run(function)) if worth else ()

    def _may_ask(self, function: Function) -> bool:
        """Whether a word of the body, or the type of a parameter, lets expect a question."""
        if function.says(self._asks):
            return True
        if not function.says(_INDEXED) and not function.says(self._looks_up):
            return False
        return function.says(self._gives) or any(
            self._loose.intersection(_NAME.findall(p.type)) for p in function.record.parameters if p.type
        )

    def missing(self, asked: IdentityUse) -> Missing | None:
        """What a member or keyword is not there for; where nobody knows the version, the latest counts."""
        models = self.program.models
        if asked.told and asked.name in self._defined:
            return None
        for cls in asked.operands[0].classes:
            for member in models.python_variants(cls, asked.member or asked.name):
                if member.removed if asked.kind == "member" else asked.name in member.lacks:
                    return self._absent(member)
        return None

    def _absent(self, member: model_records.PyMember) -> Missing | None:
        known = self.version_of(member.library)
        latest = [version for version in self.program.models.versions if version.library == member.library]
        version = known or latest[-1]
        return Missing(member, version, known is not None) if version.name in member.versions else None

    def version_of(self, library: str) -> model_records.Version | None:
        """The version at hand: of the packages, the one that the project's tests say it has, or the latest that it
        says it can be used with."""
        models, program = self.program.models, self.program
        at_hand = models.version_at(library, program.packages) or self._tested.get(library)
        return at_hand or models.version_required(library, program.requirements)

    def gone_in(self, function: Function) -> Iterator[Gone]:
        """Functions and constants of modules that the version at hand does not have."""
        named = self._gone.ask(function.path, lambda: self._gone_names(function.file))
        for value in function.values if named else ():
            if not isinstance(value, (r.Name, r.Member)):
                continue
            start = value.name_start if isinstance(value, r.Member) else value.start
            missing = self._absent(named[start]) if start in named else None
            if missing is not None and not self._is_set_anew(missing.member.name):
                at = Span(start, value.end)
                yield Gone(at, missing.member.name.rpartition(".")[2], text(value), missing)

    def _gone_names(self, file: File) -> dict[int, model_records.PyMember]:
        """By where they stand, the names in a file of what some version of a library does not have."""
        models, found = self.program.models, dict[int, model_records.PyMember]()
        for meaning in file.meanings if file.language == "python" else ():
            head, _, name = meaning.symbol.rpartition(".")
            member = models.python_gone(meaning.symbol) if head and name in models.gone_names else None
            if member is not None:
                found[meaning.start] = member
        return found

    def _is_set_anew(self, dotted: str) -> bool:
        """Whether the project itself puts something there: `np.float = float`."""
        return self._set_anew.ask(dotted, lambda: self._sets_anew(dotted))

    def _sets_anew(self, dotted: str) -> bool:
        names, name = self.program.names, dotted.rpartition(".")[2]
        canonical, asking = self.program.models.canonical, patterns.strings({name})
        return any(
            isinstance(value, r.Assign)
            and isinstance(value.target, r.Member)
            and value.target.name == name
            and canonical(names.named(function.file, value.target)) == dotted
            for function in self.program.saying(asking)
            if function.language == "python"
            for value in function.values
        )

    @questions.program_property
    def _tested(self) -> dict[str, model_records.Version]:
        """Where somebody asserts something of a member that one version alone has, the code is for that version."""
        models, found = self.program.models, {}
        for function in self.program.functions:
            if function.language == "python" and function.says(self._telling):
                for name in sorted(_asserted(function)):
                    for member in models.python_variants(models.telling_members.get(name, ""), name):
                        of_it = (v for v in models.versions if v.library == member.library)
                        having = [v for v in of_it if member.removed and v.name not in member.versions]
                        if having:
                            found[member.library] = having[0]
        return found

    @questions.program_property
    def _defined(self) -> frozenset[str]:
        """Names of the project's own methods."""
        return frozenset(f.name for f in self.program.functions_of("python") if f.record.owner)

    def compared_by(self, operand: Operand) -> tuple[str, ...]:
        """What tells whether two objects of these classes stand for one native object; nothing where their identity
        does, or may do."""
        found = [self._compared(cls) for cls in operand.classes]
        return found[0] if found and all(found) else ()

    def may_be_unique(self, operand: Operand) -> bool:
        """Whether some version has one wrapper for each native object of these classes."""
        models = self.program.models
        return any((model := models.python_class(cls)) is not None and model.unique for cls in operand.classes)

    def _compared(self, cls: str) -> tuple[str, ...]:
        models, waiting = self.program.models, [cls]
        for name in waiting:
            if (model := models.python_class(name)) is not None:
                known = self.version_of(model.library)
                if model.compared_by:
                    return () if known is not None and known.name in model.unique else model.compared_by
                waiting += [base for base in model.bases if base not in waiting]
        return ()

    def _run(self, function: Function) -> Iterator[IdentityUse]:
        self.border.look_into(function)
        listener = _Listener(function, self.border, self._watched)
        listener.run()
        for key in sorted(listener.asked_for):
            if key[0] not in ("number", "identity") or key[1] not in listener.shown:
                yield listener.asked_for[key]

    def _speaks(self, function: Function) -> bool:
        """Whether the file speaks of a library of whose objects something may be asked."""
        return self._speaking(function.file) or function.says(self._telling)

    def _speaking(self, file: File) -> bool:
        return self._spoken.ask(file.path, lambda: self._is_spoken_of(file))

    def _is_spoken_of(self, file: File) -> bool:
        models = self.program.models
        said = {m.symbol for m in file.meanings} | {m.type for m in file.meanings if m.type}
        said |= {imported.target for imported in file.imports}
        words = models.words(library for dotted in said for library in models.libraries_of(dotted))
        return bool(words.absent or words.likened)

    @questions.program_property
    def _telling(self) -> patterns.AnyName:
        return patterns.strings(self.program.models.telling_members)


@questions.program_question
def of(program: Program) -> IdentityQuestions:
    """The questions of a program; one object a program, since its answers are remembered."""
    return IdentityQuestions(program)
