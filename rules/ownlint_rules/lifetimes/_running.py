"""Objects that go on by themselves once they are started, and that end with their last name.

Which classes are of that kind, what starts one and what waits for one, models say; a class of the project is one when
a base of it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import File, Function, Program, Span, bodies, closures, model_records, places, questions, text
from ownlint import records as r

_DEEPEST = 8


class StartedObject(NamedTuple):
    """An object that is started while nobody but a local, or nobody, keeps it."""

    made: r.Call
    started: Span
    name: str


class Running:
    """Classes of running objects, and where one is dropped."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def dropped_in(self, function: Function) -> Iterator[StartedObject]:
        record = function.record
        if record.kind not in ("function", "method") or {"generator", "async"} & set(record.qualifiers):
            return
        if not function.mentions_any(self._starters) or function.mentions_any(self._waiters):
            return
        tops = [value for statement in function.statements for value in bodies.values(statement)]
        yield from self._temporaries(function, tops)
        for name, made in sorted(self._locals(function, tops).items()):
            started = next(_calls_of(tops, name, self._starters), None)
            if started is not None and not _escapes(function, tops, name):
                yield StartedObject(made, started.span, name)

    def _temporaries(self, function: Function, tops: list[r.Value]) -> Iterator[StartedObject]:
        """`Timer().start()`"""
        for top in tops:
            match top:
                case r.Call(callee=r.Member(base=r.Call() as made, name=name)):
                    cls = self._made(function, made)
                    if cls is not None and name in cls.started_by:
                        yield StartedObject(made, top.span, "")

    def _locals(self, function: Function, tops: list[r.Value]) -> dict[str, r.Call]:
        """Names that are bound once, to something that runs and has no parent."""
        found: dict[str, r.Call | None] = {}
        for top in tops:
            for value in places.walk(top):
                match value:
                    case r.Assign(target=r.Name(text=name), value=inner):
                        fits = isinstance(inner, r.Call) and self._made(function, inner) is not None
                        found[name] = inner if fits and name not in found and isinstance(inner, r.Call) else None
        own = function.parameter_names
        return {name: made for name, made in found.items() if made is not None and name not in own}

    def _made(self, function: Function, call: r.Call) -> model_records.PyClass | None:
        """The class of a running object that this call makes, without a parent that would own it."""
        symbol = _symbol(self.program, function.file, call.callee)
        cls = self._class_of(symbol) if symbol else None
        if cls is None or any(isinstance(argument, r.Unary) for argument in call.args):
            return None
        passed = {text(a.value if isinstance(a, r.Pair) else a) for a in call.args}
        named = {a.key.text for a in call.args if isinstance(a, r.Pair) and isinstance(a.key, r.Name)}
        is_theirs = self.program.models.python_class(symbol) is not None
        return None if "parent" in named or "self" in passed or (is_theirs and call.args) else cls

    def _class_of(self, symbol: str, depth: int = 0) -> model_records.PyClass | None:
        model = self.program.models.python_class(symbol)
        if model is not None:
            return model if model.started_by else None
        record = self._classes.get(symbol)
        if record is None or depth > _DEEPEST:
            return None
        file, cls = record
        bases = (_symbol_at(self.program, file, base.end - len(base.name.rpartition(".")[2])) for base in cls.bases)
        return next((found for base in bases if base and (found := self._class_of(base, depth + 1))), None)

    @questions.program_property
    def _classes(self) -> dict[str, tuple[File, r.ClassRecord]]:
        """The project's own classes by dotted name."""
        found: dict[str, tuple[File, r.ClassRecord]] = {}
        for file in self.program.files.values():
            for cls in file.classes if file.language == "python" else ():
                dotted = (file.module.removesuffix(".__init__"), cls.scope, cls.name)
                found[".".join(part for part in dotted if part)] = (file, cls)
        return found

    @questions.program_property
    def _starters(self) -> frozenset[str]:
        return frozenset(name for cls in self.program.models.running_classes for name in cls.started_by)

    @questions.program_property
    def _waiters(self) -> frozenset[str]:
        return frozenset(name for cls in self.program.models.running_classes for name in cls.awaited_by)


def _symbol(program: Program, file: File, value: r.Value) -> str:
    match value:
        case r.Name(start=start):
            return _symbol_at(program, file, start)
        case r.Member(name_start=start):
            return _symbol_at(program, file, start)
    return ""


def _symbol_at(program: Program, file: File, start: int) -> str:
    meaning = program.names.meaning(file, start)
    if meaning is None:
        return ""
    return program.names.star_import(file, meaning.symbol) if meaning.symbol.startswith("*.") else meaning.symbol


def _calls_of(tops: list[r.Value], name: str, methods: frozenset[str]) -> Iterator[r.Call]:
    for top in tops:
        for value in places.walk(top):
            match value:
                case r.Call(callee=r.Member(base=r.Name(text=base), name=method)) if base == name and method in methods:
                    yield value


def _escapes(function: Function, tops: list[r.Value], name: str) -> bool:
    """Whether somebody else may keep it: it is handed on, or a bound method of it is, or a closure looks at it."""
    used = [value for top in tops for value in places.walk(top)]
    uses = sum(isinstance(value, r.Name) and value.text == name for value in used)
    called = [value.callee for value in used if isinstance(value, r.Call)]
    harmless = sum(_is_own_member(callee, name) for callee in called)
    bound = sum(isinstance(v, r.Assign) and isinstance(v.target, r.Name) and v.target.text == name for v in used)
    set_on = sum(isinstance(v, r.Assign) and _is_own_member(v.target, name) for v in used)
    if uses > harmless + bound + set_on:
        return True
    inner = [s.function for s in function.statements if isinstance(s, r.Nested) and s.function >= 0]
    inner += [value.function for value in used if isinstance(value, r.Lambda)]
    return any(name in closures.captured(function, index) for index in inner)


def _is_own_member(value: r.Value, name: str) -> bool:
    """`timer.start`, `timer.timeout.connect`"""
    if not isinstance(value, r.Member):
        return False
    while isinstance(value, r.Member):
        value = value.base
    return isinstance(value, r.Name) and value.text == name


@questions.program_question
def of(program: Program) -> Running:
    """One object a program, since its answers are remembered."""
    return Running(program)
