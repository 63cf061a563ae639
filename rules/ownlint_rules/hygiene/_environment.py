"""Where a project reads the process's environment: which variable, how often, and what is made of the text.

A reading is a call of what a model says reads a variable, or of the project's own wrapper around it, with a name that
is written there or stands in a constant. What runs once (the initial value of a static, a call through a once flag,
`main`, a variable outside of functions) is told from what runs each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Class, Function, Program, bodies, places, questions, text, trials, types
from ownlint import records as r

_PLAIN = re.compile(r"\"((?:[^\"\\\\]|\\\\.)*)\"")

_MOST_READINGS = 50
"""Of one function."""

When = OneOf["construction", "loop", "once", "call"]


class EnvironmentReading(NamedTuple):
    variable: str
    call: r.Call
    function: Function | None
    """None for a member's initial value."""
    owner: Class | None
    """Whose construction reads it."""
    when: When
    understood: frozenset[str]
    """What is asked of the text: names of functions, and constants it is compared with."""


class EnvironmentChange(NamedTuple):
    call: r.Call
    function: Function


class ProgramEnvironment:
    """All that one program has to do with its environment."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.model = program.models.environment
        self.reads = frozenset(self.model.reads)
        self.writes = frozenset(self.model.writes)

    @questions.program_property
    def readings(self) -> list[EnvironmentReading]:
        """In the order of files and offsets; tests and the system's own variables are left out."""
        found = [*self._in_functions(), *self._in_members()]
        return sorted(
            (reading for reading in found if not self.model.ignores(reading.variable)),
            key=lambda reading: (self.path_of(reading), reading.call.start),
        )

    @questions.program_property
    def changes(self) -> list[EnvironmentChange]:
        """Where the program changes its environment, outside of tests."""
        return [
            EnvironmentChange(call, function)
            for function in self.program.functions
            if not self.writes.isdisjoint(function.mentioned) and not trials.is_trial(function)
            for call in _calls(function)
            if places.last_name(call.callee) in self.writes and places.receiver(call) is None
        ]

    @questions.program_property
    def wrappers(self) -> dict[str, dict[Function, int]]:
        """The project's functions that read the variable which a parameter names, by last name; the parameter's
        position, from 0."""
        found: dict[str, dict[Function, int]] = {}
        for function in self.program.functions:
            if self.reads.isdisjoint(function.mentioned):
                continue
            names = {p.name: i for i, p in enumerate(function.record.parameters) if p.name}
            for call in self._readers(function):
                named = _named(call.args[0]) if call.args else ""
                if named in names:
                    found.setdefault(function.name, {})[function] = names[named]
        return found

    @staticmethod
    def path_of(reading: EnvironmentReading) -> str:
        if reading.function is not None:
            return reading.function.path
        return reading.owner.path if reading.owner is not None else ""

    # --- finding them ---

    def _readers(self, function: Function) -> Iterator[r.Call]:
        for call in _calls(function):
            if places.last_name(call.callee) in self.reads and places.receiver(call) is None:
                yield call

    def _in_functions(self) -> Iterator[EnvironmentReading]:
        spelled = self.reads | self.wrappers.keys()
        for function in self.program.functions:
            if function.language != "cpp" or spelled.isdisjoint(function.mentioned) or trials.is_trial(function):
                continue
            for call, named in islice(self._named_in(function), _MOST_READINGS):
                variable = self.fold(named, function)
                if variable:
                    when = self._when(function, call)
                    owner = function.cls if when == "construction" else None
                    if when == "construction" and owner is not None and self.is_single(owner):
                        when = "once"
                    yield EnvironmentReading(variable, call, function, owner, when, understood(function, call))

    def _named_in(self, function: Function) -> Iterator[tuple[r.Call, r.Value]]:
        """The calls that read a variable, and what names it."""
        for call in _calls(function):
            name = places.last_name(call.callee)
            if name in self.reads and places.receiver(call) is None and call.args:
                yield call, call.args[0]
            elif name in self.wrappers:
                for target in self.program.calls.callee(call, function).functions:
                    position = self.wrappers[name].get(target, len(call.args))
                    if position < len(call.args):
                        yield call, call.args[position]
                        break

    def _in_members(self) -> Iterator[EnvironmentReading]:
        for cls in self.program.classes:
            if cls.file.language != "cpp" or trials.tries(self.program, cls.file):
                continue
            for field in cls.record.fields:
                for call in places.calls_in(field.value) if field.value is not None and not field.static else ():
                    if places.last_name(call.callee) in self.reads and call.args and (name := _literal(call.args[0])):
                        when: When = "once" if self.is_single(cls) else "construction"
                        yield EnvironmentReading(name, call, None, cls, when, frozenset())

    # --- names and moments ---

    def fold(self, value: r.Value, function: Function) -> str:
        """The variable that an expression names; empty when it is computed."""
        inner = places.strip(value)
        while isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and not inner.args:
            inner = places.strip(inner.callee.base)  # `name.c_str()`
        if direct := _literal(inner):
            return direct
        named = _named(inner)
        if not named:
            return ""
        if named in function.locals:
            written, initial = function.locals[named]
            return _literal(initial) if "const" in written else ""
        field = function.home.field(named) if function.home is not None else None
        if field is not None and field[1].static:
            return _literal(field[1].value) or _unquoted(self.program.names.written_as(named))
        return "" if named in function.declared else _unquoted(self.program.names.written_as(named))

    def _when(self, function: Function, call: r.Call) -> When:
        current: Function | None = function
        offset = call.start
        looped = False
        while current is not None:
            if current.name == "main" or _is_in_static(current, offset) or _is_handed_to_once(current, offset):
                return "once"
            looped = looped or _is_in_loop(current, offset)
            if current.record.kind == "constructor":
                return "construction"
            offset = current.record.start
            current = current.parent
        return "loop" if looped else "call"

    def is_single(self, cls: Class) -> bool:
        """Whether the project keeps one object of the class: in a static or outside of functions."""
        for file in self.program.files.values():
            if any(types.parse(variable.type).last == cls.name for variable in file.variables):
                return True
        said = cls.name.encode()
        for function in self.program.functions:
            if said in function.encoded and any(
                isinstance(s, r.Declare) and s.static and _makes(s, cls.name) for s in function.statements
            ):
                return True
        return False


@questions.program_question
def environment(program: Program) -> ProgramEnvironment:
    """What the program has to do with its environment."""
    return ProgramEnvironment(program)


def _makes(statement: r.Declare, name: str) -> bool:
    if types.parse(statement.type).last == name:
        return True
    return any(
        (isinstance(v, r.Name) and v.text.rpartition("::")[2] == name) or (isinstance(v, r.Call) and name in v.template)
        for v in places.walk(statement.value)
    )


def _calls(function: Function) -> Iterator[r.Call]:
    for initializer in function.record.initializers:
        for argument in initializer.args:
            yield from places.calls_in(argument)
    for statement in function.statements:
        for value in bodies.values(statement):
            yield from places.calls_in(value)


def _literal(value: r.Value | None) -> str:
    inner = places.strip(value)
    if isinstance(inner, r.Aggregate) and len(inner.items) == 1:
        inner = places.strip(inner.items[0])
    if isinstance(inner, r.Call) and inner.kind == "construct" and len(inner.args) == 1:
        inner = places.strip(inner.args[0])
    return _unquoted(inner.text) if isinstance(inner, r.Literal) and inner.kind == "str" else ""


def _unquoted(written: str) -> str:
    match = _PLAIN.fullmatch(written.strip().lstrip("LuU8"))
    return match[1] if match is not None else ""


def _named(value: r.Value | None) -> str:
    inner = places.strip(value)
    while isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and not inner.args:
        inner = places.strip(inner.callee.base)
    return inner.text.rpartition("::")[2] if isinstance(inner, r.Name) else ""


def _is_in_static(function: Function, offset: int) -> bool:
    return any(isinstance(s, r.Declare) and s.static and offset in s.span for s in function.statements)


def _is_in_loop(function: Function, offset: int) -> bool:
    for statement in function.statements:
        if isinstance(statement, r.Loop) and offset in statement.span:
            begins = statement.iterable if statement.kind == "range" else None
            before = [*statement.before, *([begins] if begins is not None else [])]
            if not any(offset in one.span for one in before):
                return True
    return False


def _is_handed_to_once(function: Function, offset: int) -> bool:
    return any(
        "once" in places.last_name(call.callee).lower() and any(offset in argument.span for argument in call.args)
        for call in _calls(function)
        if offset in call.span
    )


# --- what is made of the text -------------------------------------------------------------------------


def understood(function: Function, call: r.Call) -> frozenset[str]:
    """What is done with what was read, directly or through the local that holds it: names of the calls it goes to and
    constants it is compared with. That it is asked whether it is there says nothing."""
    holder = next(
        (
            name
            for statement in function.statements
            if isinstance(statement, r.Declare) and statement.value is not None and call.start in statement.value.span
            for name in statement.names
        ),
        "",
    )

    def is_it(value: r.Value | None) -> bool:
        inner = places.strip(value)
        return inner is call or (bool(holder) and isinstance(inner, r.Name) and inner.text == holder)

    found: set[str] = set()
    for statement in function.statements:
        for value in bodies.values(statement):
            for inner in places.walk(value):
                match inner:
                    case r.Call(args=args) if inner is not call and any(map(is_it, args)):
                        found.add(places.last_name(inner.callee))
                        found |= {text(arg) for arg in args if isinstance(places.strip(arg), r.Literal)}
                    case r.Binary(op="==" | "!=", left=left, right=r.Literal(kind="str" | "char") as other) if any(
                        is_it(part) for part in places.walk(left)
                    ):
                        found.add(text(other))
    return frozenset(found)
