"""Where a project reads the process's environment: which variable, how often, and what is made of the text.

A reading is a call of what a model says reads a variable, or of the project's own wrapper around it (a function, or a
macro; also of one wrapper around another), with a name that is written there or stands in a constant. What runs once
(the initial value of a static, a call through a once flag, `main`, a variable outside of functions) is told from what
runs each time. What is read to be restored is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Class, File, Function, Program, debug_logs, failure, places, questions, ranges, text, trials, types
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.hygiene import _python_environment as python_environment
from ownlint_rules.hygiene import _repeated as repeated
from ownlint_rules.hygiene import _text_meanings as text_meanings
from ownlint_rules.hygiene._text_meanings import TextMeaning

_PLAIN = re.compile(r"\"((?:[^\"\\\\]|\\\\.)*)\"")
_TOKENS = re.compile(r"(?:\s*(?:\"(?:[^\"\\\\]|\\\\.)*\"|[A-Za-z_]\w*))+\s*")
"""String literals beside each other, and macros that stand for one."""
_TOKEN = re.compile(r"(\"(?:[^\"\\\\]|\\\\.)*\")|(#\s*+[A-Za-z_]\w*+|[A-Za-z_]\w*+)")
_GIVEN = re.compile(r"\b(\w++)\s*+\(\s*+((?:\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*\"|[#\s]|[A-Za-z_]\w*+)+)[,)]")
"""In a macro's body: a call, and its first argument."""
_CALLED = re.compile(r"\b(\w++)\s*+\(")
_ASKED = re.compile(r"[!=]=\s*(?:nullptr|NULL|0)\b|!\s*!")
"""In a macro's body: whether there is one."""

_MADE = re.compile(r"(?:[\w:]+\s*)?[({]\s*(\"[^\"]*\"\w*)\s*[)}]")
"""`{"A"}`, `std::string_view("A")`."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_MAIN = re.compile(r"__name__ == ['\"]__main__['\"]")
_MARKS = ("L", "u", "U", "u8", "s", "sv")
"""Before and after the quotes of a literal."""

_PARSES = re.compile(r"(?:Int|Float|Double|Bool|Long)(?:[A-Z\d]|$)|_(?:int|float|double|bool|long)(?:_|$)")
"""In the name of a function that reads a variable, and makes a number of it."""
_SAME = frozenset(
    {
        "c_str",
        "data",
        "empty",
        "isEmpty",
        "isNull",
        "has_value",
        "value",
        "value_or",
        "size",
        "length",
        "string",
        "get",
        "substr",
        "mid",
        "trimmed",
    }
)
"""Methods of a text that give it or a part of it on, or say whether there is one."""

_OFF = frozenset({"false", "0"})
"""What a switch is before it is set, which is no default."""
_LENGTHS = frozenset({"size", "length", "strlen", "wcslen"})

_MOST_READINGS = 50
"""Of one function."""
_DEEP = 4
"""So many wrappers around each other are followed."""

_TEXTS = frozenset({"string", "view"})
"""Roles of types that are made of a text."""
_AS_PATH = (text_meanings.PATH, text_meanings.VALUE)

When = OneOf["construction", "loop", "once", "call"]


class EnvironmentReading(NamedTuple):
    variable: str
    call: r.Value
    """In Python any expression that reads: `os.environ["X"]`, `"X" in os.environ`."""
    function: Function | None
    """None for a member's initial value."""
    owner: Class | None
    """Whose construction reads it."""
    when: When
    meanings: frozenset[TextMeaning]
    """What is made of the text. Empty where it is taken as it is, or what is made of it is not known."""

    @property
    def path(self) -> str:
        """Of the file in which it stands."""
        if self.function is not None:
            return self.function.path
        return self.owner.path if self.owner is not None else ""


class EnvironmentChange(NamedTuple):
    variable: str
    """Empty where it is not known."""
    call: r.Call
    function: Function
    sets: bool
    """It gives it a value, rather than to take it away."""


class VariableName(NamedTuple):
    """A variable's name, or what one is made of in a wrapper: the text around a parameter."""

    before: str
    parameter: str = ""
    after: str = ""

    def given(self, argument: str) -> str:
        return f"{self.before}{argument}{self.after}"


class EnvironmentWrapper(NamedTuple):
    position: int
    """Of the parameter, from 0."""
    name: VariableName
    spells: bool = False
    """A macro that makes a string of its argument."""


class ProgramEnvironment:
    """All that one program has to do with its environment."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.model = program.models.environment
        written = [one.split("/") for one in self.model.reads]
        self.reads = {name: int(positions[0]) - 1 if positions else 0 for name, *positions in written}
        self.into = {name: int(positions[1]) - 1 for name, *positions in written if len(positions) > 1}
        """Where the functions that answer something else put the text."""
        self.writes = frozenset(self.model.writes)

    def number(self, name: str) -> TextMeaning | None:
        """What a function of this last name makes of a text, where that is a number."""
        if name in self.model.parses:
            return text_meanings.INTEGER
        return text_meanings.REAL if name in self.model.parses_real else None

    def takes_path(self, written: str, file: File, scope: str) -> bool:
        """Whether a library's function, or its class as it is constructed, takes the text that it is given for a
        path."""
        if written.rpartition("::")[2] not in self._last_of_paths:
            return False
        full = self.program.names.in_full(self.program.names.expand(written, file, scope), file).removeprefix("::")
        opened = (f"{space}::{full}" for space in self.program.names.opened(file))
        return not {full, full.removeprefix("std::"), *opened}.isdisjoint(self.model.paths)

    @questions.program_property
    def _last_of_paths(self) -> frozenset[str]:
        return frozenset(one.rpartition("::")[2] for one in self.model.paths)

    @questions.program_property
    def readings(self) -> list[EnvironmentReading]:
        """In the order of files and offsets; tests and the system's own variables are left out."""
        found = [*self._in_functions(), *self._in_members(), *self._in_python()]
        return sorted(
            (reading for reading in found if not self.model.ignores(reading.variable)),
            key=lambda reading: (reading.path, reading.call.start),
        )

    @questions.program_property
    def changes(self) -> list[EnvironmentChange]:
        """Where the program changes its environment, outside of tests."""
        return [
            self._change(call, function)
            for function in self.program.calling(self.writes)
            if not trials.is_trial(function)
            for call in repeated.calls(function)
            if places.last_name(call.callee) in self.writes and places.receiver(call) is None
        ]

    def _change(self, call: r.Call, function: Function) -> EnvironmentChange:
        variable, sets, _ = self.fold(call.args[0], function).partition("=") if call.args else ("", "", "")
        return EnvironmentChange(variable, call, function, bool(sets) or len(call.args) > 1)

    @questions.program_property
    def macros(self) -> dict[str, EnvironmentWrapper]:
        """The project's macros that read the variable which a parameter names."""
        written = [m for file in self.program.files.values() for m in file.macros if m.parameters]
        found: dict[str, EnvironmentWrapper] = {}
        for macro in written:
            for call in _GIVEN.finditer(macro.body):
                if self.reads.get(call[1], 1) == 0 or call[1] in self.wrappers:
                    name = self._joined(call[2], frozenset(macro.parameters or ()))
                    if name is not None and name.parameter:
                        position = (macro.parameters or ()).index(name.parameter)
                        spells = f"#{name.parameter}" in call[2].replace(" ", "")
                        found.setdefault(macro.name, EnvironmentWrapper(position, name, spells))
        return found

    def _made_by_macro(self, name: str) -> frozenset[TextMeaning]:
        """What macros of that name make of the text, as far as their body says it: a number, or whether it is one of
        some words, or is there."""
        found: set[TextMeaning] = set()
        words: set[str] = set()
        for macro in self.program.macros.named(name):
            for call in _CALLED.finditer(macro.body):
                made = self.number(call[1])
                if made is not None:
                    found.add(made)
                if call[1] in self.model.compares:
                    words.update(word.casefold() for word in _PLAIN.findall(_arguments(macro.body, call.end())))
            if _ASKED.search(macro.body):
                found.add(text_meanings.PRESENCE)
        words.discard("")
        if words:
            found.add(text_meanings.one_of(words, is_form=words <= text_meanings.SWITCHES))
        return text_meanings.plain(frozenset(found))

    @questions.program_property
    def wrappers(self) -> dict[str, dict[Function, EnvironmentWrapper]]:
        """The project's functions that read the variable which a parameter names, by last name."""
        found: dict[str, dict[Function, EnvironmentWrapper]] = {}
        latest = frozenset(self.reads)
        for _ in range(_DEEP):
            further: set[str] = set()
            for function in self.program.calling(latest):
                if function in found.get(function.name, {}):
                    continue
                if not function.record.parameters or self._saves(function):
                    continue
                wrapper = self._wrapper(function, found)
                if wrapper is not None:
                    found.setdefault(function.name, {})[function] = wrapper
                    further.add(function.name)
            latest = frozenset(further)
        return found

    def _wrapper(
        self, function: Function, known: dict[str, dict[Function, EnvironmentWrapper]]
    ) -> EnvironmentWrapper | None:
        positions = {p.name: i for i, p in enumerate(function.record.parameters) if p.name}
        for _, argument, around in self._named_in(function, known, {}):
            name = self.name_of(argument, function)
            if name is not None and name.parameter in positions:
                whole = VariableName(around.before + name.before, name.parameter, name.after + around.after)
                return EnvironmentWrapper(positions[name.parameter], whole)
        return None

    def _saves(self, function: Function) -> bool:
        """Whether it changes variables as well, or constructs what does: it reads one to put it back."""
        inner = [function, *(function.home.methods if function.record.kind == "constructor" and function.home else ())]
        return any(not self.writes.isdisjoint(one.mentioned) for one in inner)

    # --- finding them ---

    def _in_functions(self) -> Iterator[EnvironmentReading]:
        spelled = self.reads.keys() | self.wrappers.keys() | self.macros.keys()
        for function in self.program.calling(spelled):
            if function.language != "cpp" or trials.is_trial(function):
                continue
            named: list[tuple[str, r.Call, r.Value]] = []
            for call, argument, around in islice(self._named_in(function, self.wrappers, self.macros), _MOST_READINGS):
                variable = self.fold(argument, function)
                if variable:
                    named.append((around.given(variable), call, argument))
            for variable, call, argument in named:
                if not self._is_restored(variable, function):
                    when = self._when(function, call)
                    owner = function.home if when == "construction" else None
                    if when == "construction" and owner is not None and self.is_single(owner):
                        when = "once"
                    targets = self.program.calls.callee(call, function).functions
                    name = places.last_name(call.callee)
                    by_macro = self._made_by_macro(name) if name in self.macros else frozenset()
                    meanings = self._parsed(name, targets) | by_macro
                    if not by_macro and not any(self._makes_other(call, target, meanings) for target in targets):
                        same = tuple(one for other, one, _ in named if other == variable and _is_alike(one, call))
                        meanings |= set(_Use(self, _Body.of(function), same).meanings())  # else it is no text any more
                    meanings |= set(_fallbacks(call, argument, targets))
                    yield EnvironmentReading(variable, call, function, owner, when, meanings)

    def _in_python(self) -> Iterator[EnvironmentReading]:
        for one in python_environment.PythonEnvironment(self.program).readings():
            when: When = "once" if one.is_cached else "loop" if one.is_in_loop else "call"
            yield EnvironmentReading(one.variable, one.at, one.function, None, when, one.meanings)

    def _makes_other(self, call: r.Call, wrapper: Function, meanings: frozenset[TextMeaning]) -> bool:
        """Whether a wrapper's answer is no text: a number, or an unknown type that it makes of one (`meanings`)."""
        given = types.parse(call.template.strip("<> ")) if call.template else None
        kind = types.parse(wrapper.record.result)
        if given is not None and given.is_scalar and kind.name in _WORD.findall(wrapper.record.template):
            return True  # `read<bool>("X")`
        if kind.is_scalar or kind.pointers or kind.is_placeholder:
            return kind.is_scalar
        written = (kind.name, *kind.arguments)
        return bool(meanings) and all(_TEXTS.isdisjoint(self.program.types.roles(one, wrapper)) for one in written)

    def _named_in(
        self,
        function: Function,
        wrappers: dict[str, dict[Function, EnvironmentWrapper]],
        macros: dict[str, EnvironmentWrapper],
    ) -> Iterator[tuple[r.Call, r.Value, VariableName]]:
        """The calls that read a variable, what names it, and what is put around that."""
        for call in repeated.calls(function):
            name = places.last_name(call.callee)
            if self._is_read(call, name, function):
                yield call, call.args[self.reads[name]], VariableName("")
            elif name in macros and macros[name].position < len(call.args):
                given = call.args[macros[name].position]
                if macros[name].spells:
                    given = r.Literal(given.start, given.end, "str", f'"{text(given)}"')
                yield call, given, macros[name].name
            elif name in wrappers:
                for target in self.program.calls.callee(call, function).functions:
                    wrapper = wrappers[name].get(target)
                    if wrapper is not None and wrapper.position < len(call.args):
                        yield call, call.args[wrapper.position], wrapper.name
                        break

    def _is_read(self, call: r.Call, name: str, function: Function) -> bool:
        """Whether it calls what a model says reads a variable, rather than a function of the project of that name."""
        if name not in self.reads or places.receiver(call) is not None or self.reads[name] >= len(call.args):
            return False
        return not self.program.calls.callee(call, function).functions

    def _in_members(self) -> Iterator[EnvironmentReading]:
        said = self.reads.keys() | self.wrappers.keys() | self.macros.keys()
        for cls in self.program.classes:
            if cls.file.language != "cpp" or trials.tries(self.program, cls.file):
                continue
            for field in cls.record.fields:
                if field.value is None or field.static:
                    continue
                called = ((call, places.last_name(call.callee)) for call in places.calls_in(field.value))
                named = [(self._read_by_member(call, name, cls), call, name) for call, name in called if name in said]
                for variable, call, name in named:
                    if variable:
                        when: When = "once" if self.is_single(cls) else "construction"
                        targets = list(self.wrappers.get(name, {}))[:1]
                        by_macro = self._made_by_macro(name) if name in self.macros else frozenset()
                        meanings = self._parsed(name, targets) | by_macro | set(_fallbacks(call, call.args[0], targets))
                        if not by_macro and not any(self._makes_other(call, target, meanings) for target in targets):
                            same = tuple(one for other, one, _ in named if other == variable and _is_alike(one, call))
                            meanings |= set(_Use(self, _Body.of_member(field.value, cls), same).meanings())
                        yield EnvironmentReading(variable, call, None, cls, when, meanings)

    def _parsed(self, name: str, targets: Sequence[Function], depth: int = 0) -> frozenset[TextMeaning]:
        """What a function that reads a variable makes of the text: a wrapper by its body, another by its name."""
        if name in self.model.asks:
            return frozenset({text_meanings.PRESENCE})
        known = self.wrappers.get(name, {})
        if name in self.reads and known.keys().isdisjoint(targets):
            return frozenset({_by_name(name)} if _PARSES.search(name) else ())
        wrapper = next((target for target in targets or known if target in known), None)
        if wrapper is None:
            return frozenset()
        found: set[TextMeaning] = set()
        parameters = {parameter.name for parameter in wrapper.record.parameters}
        for call, argument, _ in self._named_in(wrapper, self.wrappers, {}):
            inner = self.name_of(argument, wrapper)
            if inner is not None and inner.parameter:
                further = self.program.calls.callee(call, wrapper).functions
                made = {*_Use(self, _Body.of(wrapper), (call,)).meanings(), *_fallbacks(call, argument, further)}
                found |= made - {text_meanings.PRESENCE} if _only_shows(wrapper, inner.parameter) else made
                if depth < _DEEP:
                    found |= self._parsed(places.last_name(call.callee), further, depth + 1)
        # A default that is a parameter is whatever the call gives for it.
        return frozenset(
            one for one in found if one.kind != "fallback" or parameters.isdisjoint(_WORD.findall(one.said))
        )

    def _read_by_member(self, call: r.Call, name: str, cls: Class) -> str:
        """A member's initial value has no function in which its callee could be looked up: by name."""
        wrapper = EnvironmentWrapper(self.reads.get(name, 0), VariableName(""))
        if name in self.macros:
            wrapper = self.macros[name]
        elif name in self.wrappers:
            wrapper = next(iter(self.wrappers[name].values()))
        if wrapper.position >= len(call.args):
            return ""
        inner = self.bare(call.args[wrapper.position], cls.file, cls.symbol)
        if wrapper.spells:
            return wrapper.name.given(text(inner)) if inner is not None else ""
        written = inner.text if isinstance(inner, r.Literal) and inner.kind == "str" else ""
        if isinstance(inner, r.Name):
            written = self.program.names.written_as(inner.text.rpartition("::")[2])
        joined = self._joined(written)
        return wrapper.name.given(joined.before) if joined is not None and joined.before else ""

    # --- names and moments ---

    def fold(self, value: r.Value, function: Function) -> str:
        """The variable that an expression names; empty when it is computed."""
        name = self.name_of(value, function)
        return name.before if name is not None and not name.parameter else ""

    def name_of(self, value: r.Value | None, function: Function) -> VariableName | None:
        """What an expression says of a variable's name: text, and at most one parameter in it."""
        match inner := self.bare(value, function.file, function.record.scope):
            case r.Literal(kind="str", text=written):
                return self._joined(written)
            case r.Binary(op="+", left=left, right=right):
                first, then = self.name_of(left, function), self.name_of(right, function)
                if first is None or then is None or (first.parameter and then.parameter):
                    return None
                if first.parameter:
                    return first._replace(after=first.after + then.before)
                return then._replace(before=first.before + then.before)
            case r.Name():
                return self._named(inner, function)
        return None

    def bare(self, value: r.Value | None, file: File, scope: str) -> r.Value | None:
        """Without what only changes the type: `std::string(name).c_str()`, `{name}`."""
        inner = places.strip(value)
        while True:
            match inner:
                case r.Call(callee=r.Member(base=base), args=()):
                    inner = places.strip(base)
                case r.Call(kind="construct", args=(only,)) | r.Aggregate(items=(only,)):
                    inner = places.strip(only)
                case r.Call(callee=r.Name(text=name), args=(only,)) if not _TEXTS.isdisjoint(
                    self.program.types.roles_at(name, file, scope)
                ):
                    inner = places.strip(only)
                case _:
                    return inner

    def _named(self, value: r.Name, function: Function) -> VariableName | None:
        named = value.text.rpartition("::")[2]
        parameter = next((one for one in function.record.parameters if one.name == named), None)
        if parameter is not None:
            return VariableName("", named) if not _is_rewritten(parameter, function) else None
        if named in function.locals:
            written, initial = function.locals[named]
            is_kept = "const" in written or Counter(_names(function))[named] == 1
            return self.name_of(initial, function) if is_kept and initial is not None else None
        field = self._constant_of_class(value, function)
        if field is not None and field[1].static:
            initial = self.bare(field[1].value, function.file, function.record.scope)
            if isinstance(initial, r.Literal):
                return self._joined(initial.text)
            return self._joined(self.program.names.written_as(named))
        return None if named in function.declared else self._joined(self.program.names.written_as(named))

    def _constant_of_class(self, value: r.Name, function: Function) -> tuple[Class, r.Field] | None:
        """A member of the function's own class, or of the one that is spelled out: `Names::kDepth`."""
        owner, _, named = value.text.rpartition("::")
        other = self.program.names.find_class(owner, function.record.scope, function.file) if owner else None
        home = other or function.home
        return home.field(named) if home is not None else None

    def _joined(self, written: str, parameters: frozenset[str] = frozenset()) -> VariableName | None:
        """`"A_" NAME "_B"`, where `NAME` is a macro, or one of the parameters."""
        made = _MADE.fullmatch(written)
        written = made[1] if made is not None else written
        if not _TOKENS.fullmatch(written.replace("#", "")):
            return None
        before, parameter, after = "", "", ""
        for literal, name in _TOKEN.findall(written.strip()):
            word = name.lstrip("# \t")
            if literal:
                said = literal[1:-1]
            elif word in parameters:
                if parameter:
                    return None
                parameter = word
                continue
            elif word not in _MARKS:
                constants = self.program.macros.constants(word)
                joined = _PLAIN.fullmatch(constants.pop().strip()) if len(constants) == 1 else None
                if joined is None:
                    return None
                said = joined[1]
            else:
                continue
            before, after = (before, after + said) if parameter else (before + said, after)
        return VariableName(before, parameter, after)

    def _is_restored(self, variable: str, function: Function) -> bool:
        """Whether the same function or class changes the variable, or a constructor's class changes some: what is read
        is what it puts back."""
        outer = _outermost(function)
        for change in self.changes:
            other = _outermost(change.function)
            if change.sets and change.variable in ("", variable):
                if other is outer:
                    return True
                is_sibling = other.home is not None and other.home is outer.home
                if is_sibling and (change.variable or outer.record.kind == "constructor"):
                    return True
        return False

    def _when(self, function: Function, call: r.Call) -> When:
        current: Function | None = function
        offset = call.start
        looped = False
        while current is not None:
            if current.name == "main" or repeated.is_once(current, offset):
                return "once"
            looped = looped or repeated.is_in_loop(current, offset)
            if current.record.kind == "constructor":
                return "construction"
            offset = current.record.start
            current = current.parent
        return "loop" if looped else "call"

    @questions.program_property
    def constructions(self) -> repeated.Constructions:
        """Where objects are made whose construction reads a variable."""
        owners = {one.owner: None for one in self.readings if one.owner is not None and one.when == "construction"}
        return repeated.Constructions(self.program, owners)

    def is_of_command(self, reading: EnvironmentReading) -> bool:
        """Whether it stands in the file of a program's `main`: an example or a command beside a library reads what it
        needs on its own. In Python that is a file which asks if it is `"__main__"`, and which no other imports, or one
        that builds a package: `setup(name="..")`."""
        file = reading.function.file if reading.function is not None else None
        if file is not None and file.language == "python":
            return self.is_script(file)
        return file is not None and any(one.name == "main" and one.defined and not one.owner for one in file.functions)

    def is_script(self, file: File) -> bool:
        if not {*self.model.programs}.isdisjoint(self._called_at_top(file)):
            return True
        stem = file.path.rpartition("/")[2].removesuffix(".py")
        return stem not in self._imported and any(
            isinstance(one, r.Branch) and _MAIN.fullmatch(text(one.condition)) is not None for one in self._top(file)
        )

    def _called_at_top(self, file: File) -> Iterator[str]:
        """The dotted names of what a file of Python calls outside of functions."""
        for one in self._top(file):
            if isinstance(one, r.Evaluate) and isinstance(one.value, r.Call):
                yield self.program.names.named(file, one.value.callee)

    def _top(self, file: File) -> Iterator[r.Statement]:
        """What a file of Python runs outside of functions."""
        for index, record in enumerate(file.functions):
            function = self.program.index.function_at(file, index) if record.kind == "module" else None
            yield from function.body if function is not None else ()

    @questions.program_property
    def _imported(self) -> frozenset[str]:
        """All names that imports of Python spell."""
        files = (file for file in self.program.files.values() if file.language == "python")
        return frozenset(word for file in files for one in file.imports for word in one.target.split("."))

    def loop_around(self, reading: EnvironmentReading) -> repeated.Site | None:
        """What a loop runs that leads to the reading."""
        if reading.when == "once":
            return None
        if reading.function is not None:
            return repeated.in_loop(repeated.Site(reading.function, reading.call.start), self.constructions)
        sites = self.constructions.sites(reading.owner) if reading.owner is not None else []
        found = (repeated.in_loop(site, self.constructions) for site in sites)
        return next((site for site in found if site is not None), None)

    def is_single(self, cls: Class) -> bool:
        """Whether the project keeps one object of the class: in a static or outside of functions."""
        for file in self.program.files.values():
            if any(types.parse(variable.type).last == cls.name for variable in file.variables):
                return True
        said = cls.name.encode()
        for function in self.program.functions:
            if said in function.encoded and any(
                isinstance(s, r.Declare) and s.static and not s.thread_local and _makes(s, cls.name)
                for s in function.statements
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


def _is_alike(one: r.Call, other: r.Call) -> bool:
    """Whether two readings of one variable give the same: by the same function."""
    return places.last_name(one.callee) == places.last_name(other.callee)


def _only_shows(wrapper: Function, name: str) -> bool:
    """Whether it only prints what a variable says, and which it is: `if (std::getenv(name)) log(name, value);`."""
    shown = (one.value for one in wrapper.statements if isinstance(one, r.Evaluate))
    says = any(isinstance(part, r.Name) and part.text == name for value in shown for part in places.walk(value))
    return says and debug_logs.DebugLogs(wrapper).only_prints(wrapper.body)


def _arguments(body: str, start: int) -> str:
    """What stands in the parentheses that are open at an offset, without what further ones enclose."""
    depth, written = 1, ""
    for letter in body[start:]:
        depth -= letter == ")"
        if depth == 0:
            break
        written += letter if depth == 1 else ""
        depth += letter == "("
    return written


def _is_rewritten(parameter: r.Parameter, function: Function) -> bool:
    """Whether a function may make another text of what it is given: `std::transform(name.begin(), ..)`,
    `for (char& one : name)`."""
    named = parameter.name
    if function.flow.writes_to((named,)):
        return True
    if "const" in parameter.type:
        return False
    return any(
        isinstance(one, r.Call)
        and places.last_name(one.callee) in ("begin", "rbegin")
        and named in places.names_in(one)
        for one in function.values
    ) or any(
        isinstance(one, r.Loop)
        and isinstance(one.iterable, r.Name)
        and one.iterable.text == named
        and "&" in one.type
        and "const" not in one.type
        for one in function.statements
    )


def _names(function: Function) -> Iterator[str]:
    yield from (inner.text for inner in function.values if isinstance(inner, r.Name))


def _outermost(function: Function) -> Function:
    while function.parent is not None:
        function = function.parent
    return function


# --- what is made of the text -------------------------------------------------------------------------


class _Body(NamedTuple):
    """Code that may make something of a text: a function, or the initial value of a member."""

    function: Function | None
    file: File
    scope: str
    values: Sequence[r.Value]
    statements: Sequence[r.Statement] = ()

    @staticmethod
    def of(function: Function) -> _Body:
        values = tuple(_values(function))
        return _Body(function, function.file, function.record.scope, values, function.statements)

    def between(self, begin: int, ends: Sequence[int]) -> _Body:
        """From there to the first of those: a local of the same name in another block is another one."""
        end = min((one for one in ends if one > begin), default=1 << 62)
        return self._replace(
            values=tuple(one for one in self.values if begin <= one.start < end),
            statements=tuple(one for one in self.statements if begin <= one.start < end),
        )

    @staticmethod
    def of_member(value: r.Value, cls: Class) -> _Body:
        return _Body(None, cls.file, cls.symbol, tuple(places.walk(value)))


class _Use:
    """What a body makes of a text that it reads or is given, and of the locals that hold it, as a text of another type,
    too. That it is stored, or handed to a function that is not known, says nothing; nor does what only some instances
    of a template do with it, in a side of `if constexpr`."""

    def __init__(self, around: ProgramEnvironment, body: _Body, text_of: tuple[r.Call, ...] | str) -> None:
        self.around = around
        self.body = body
        self._calls = () if isinstance(text_of, str) else text_of
        self._telling: list[r.Call] = []
        """The calls that put it into a local, and answer whether there is one."""
        self._numbers: list[r.Call] = []
        """The calls that make a number of it."""
        self._holders: set[str] = {text_of} if isinstance(text_of, str) else set()
        declared = [one for one in body.statements if isinstance(one, r.Declare)]
        own: list[r.Declare] = []
        for one in declared:
            if self._is_it(one.value):
                own.append(one)
                self._holders.update(one.names)
        again = [
            one.start for one in declared if not self._is_it(one.value) and not self._holders.isdisjoint(one.names)
        ]
        if own and again:
            self.body = body.between(own[0].start, again)
        self._answers: set[str] = set()
        """The locals that keep what is answered beside the text: an error, its length."""
        for call in self._calls if self.around.into else ():
            at = self.around.into.get(places.last_name(call.callee), len(call.args))
            if at < len(call.args):
                self._into(call, text(call.args[at]).removeprefix("&"))

    def _into(self, call: r.Call, holder: str) -> None:
        """The call puts the text into a local."""
        self._holders.add(holder)
        self._calls = tuple(one for one in self._calls if one is not call)
        self._telling.append(call)
        for statement in self.body.statements:
            if isinstance(statement, r.Declare) and places.strip(statement.value) is call:
                self._answers.update(statement.names)

    def meanings(self, depth: int = 0) -> Iterator[TextMeaning]:
        if self._depends_on_instance():
            return
        words: set[str] = set()
        asked: list[r.Value] = []
        conditions = [one for statement in self.body.statements for one in _conditions(statement)]
        if any(map(self._asks_if_empty, self.body.values)) or any(map(self._is_first, conditions)):
            yield text_meanings.EMPTY
        else:
            yield from (text_meanings.TAKEN for _ in islice(self._defaults(), 1))
        yield from self._defaults()
        for value in self.body.values:
            match value:
                case r.Call() if not self._reads(value):
                    words |= self._compared_by(value)
                    yield from self._taken_for_path(value)
                    yield from self._given_on(value, depth)
                case r.Binary(op="==" | "!=", left=left, right=r.Literal(kind="str" | "char") as other) if any(
                    self._is_it(part) for part in places.walk(left)
                ):
                    words.add(_word(other))
                    asked.append(value)
                case r.Binary(op=op, left=left, right=r.Literal(text="0")) if op in ranges.COMPARISONS and self._tells(
                    left
                ):
                    asked.append(value)
                case _:
                    asked += (
                        one for one in _asked(value) if self._is_it(one) or self._is_first(one) or self._tells(one)
                    )
        for statement in self.body.statements:
            if isinstance(statement, r.Declare) and self._is_it(statement.value) and self._is_path(statement.type):
                yield from _AS_PATH
        asked += [one for one in conditions if self._is_it(one) or self._is_first(one) or self._tells(one)]
        if asked and self._is_only(asked):
            yield text_meanings.PRESENCE
        if any(
            isinstance(value, r.Binary) and value.op == "%" and self._is_number(value.left)
            for value in self.body.values
        ):
            yield text_meanings.DIGITS
        words.discard("")
        if words:
            yield text_meanings.one_of(words, is_form=words <= text_meanings.SWITCHES or bool(self._numbers))

    def _depends_on_instance(self) -> bool:
        """Whether it stands in a side of `if constexpr`, of which an instance has one alone."""
        sides = [one.span for one in self.body.statements if isinstance(one, r.Branch) and one.constant]
        return any(value.start in side for side in sides for value in self.body.values if self._is_it(value))

    def _tells(self, value: r.Value | None) -> bool:
        """Whether it is the answer of a call that puts the text into a local."""
        inner = places.strip(value)
        return any(inner is one for one in self._telling) or (isinstance(inner, r.Name) and inner.text in self._answers)

    def _reads(self, value: r.Value | None) -> bool:
        return any(value is call for call in self._calls)

    def _is_it(self, value: r.Value | None) -> bool:
        inner = places.strip(value)
        if self._reads(inner):
            return True
        match inner:
            case r.Name(text=name):
                return name in self._holders
            case r.Conditional(then=then, other=other):
                return self._is_it(then) or self._is_it(other)
            case r.Call(args=(only,)) if self._is_text(inner):
                return self._is_it(only)
            case r.Call(callee=r.Member(base=base, name=name)) if name in _SAME:
                return self._is_it(base)
        return False

    def _is_first(self, value: r.Value | None) -> bool:
        """Its first letter, or how long it is: `*found`, `found[0]`, `strlen(found)`, `found.size()`."""
        match places.strip(value):
            case r.Unary(op="*", value=base) | r.Index(base=base, indexes=(r.Literal(text="0"),)):
                return self._is_it(base)
            case r.Call(callee=r.Member(base=base, name=name), args=()) if name in _LENGTHS:
                return self._is_it(base)
            case r.Call(args=(only,)) as call if call.kind == "call" and places.last_name(call.callee) in _LENGTHS:
                return self._is_it(only)
        return False

    def _asks_if_empty(self, value: r.Value) -> bool:
        """`*found == '\\0'`, `!found[0]`, `found.empty()`, `found == ""`, `strcmp(found, "") == 0`."""
        match value:
            case r.Binary(op="==" | "!=" | ">" | "<", left=left, right=r.Literal() as right):
                if right.text in ("0", "'\\0'"):
                    return self._is_first(left)
                return right.text == '""' and self._is_it(left)
            case r.Call(callee=r.Member(base=base, name="empty" | "isEmpty")):
                return self._is_it(base)
            case r.Call() if self._compared_by(value) == {""}:
                return True
        return any(map(self._is_first, _asked(value)))

    def _is_in(self, value: r.Value | None) -> bool:
        return any(map(self._is_it, places.walk(value)))

    def _defaults(self) -> Iterator[TextMeaning]:
        """Of what stands for a missing text; that there is none is no default."""
        given = [one for value in self.body.values for one in self._stands_for(value)]
        given += [one for s in self.body.statements if isinstance(s, r.Branch) for one in self._set_by(s)]
        given += self._returned()
        bare = ((self.around.bare(value, self.body.file, self.body.scope) or value) for value in given)
        made = (TextMeaning("fallback", text(value)) for value in bare)
        yield from (meaning for meaning in made if not text_meanings.is_empty(meaning))

    def _stands_for(self, value: r.Value) -> Iterator[r.Value]:
        """What stands for a text that is not there: `dir ? fs::path(dir) : fallback`, `dir.value_or(fallback)`."""
        match value:
            case r.Conditional(condition=condition, then=then, other=other) if self._is_in(condition):
                if self._is_in(then) != self._is_in(other):
                    yield _last(other if self._is_in(then) else then)
            case r.Call(callee=r.Member(base=base, name="value_or"), args=(only,)) if self._is_it(base):
                yield only

    def _returned(self) -> Iterator[r.Value]:
        """What a function answers where there is no text, and elsewhere what it makes of it: `if (!s) return "/tmp";`;
        `if (s) return s; return "/tmp";`."""
        body = self.body.function.body if self.body.function is not None else ()
        made = [one.value for one in self.body.statements if isinstance(one, r.Leave) and one.kind == "return"]
        if not any(value is not None and (self._is_in(value) or self._is_number(value)) for value in made):
            return
        for at, statement in enumerate(body):
            if not isinstance(statement, r.Branch) or statement.other or not self._is_in(statement.condition):
                continue
            match _plain(statement.then), body[at + 1 :]:
                case (r.Leave(kind="return", value=value),), _ if value is not None and not self._is_in(value):
                    if any(map(self._is_it, _asked(statement.condition))) and text(value) not in _OFF:
                        yield value
                case (r.Leave(kind="return", value=r.Literal() | r.Call() | r.Name() as first),), (
                    r.Leave(kind="return", value=r.Literal() as value),
                ) if self._is_in(first) and self._is_it(statement.condition) and text(value) not in _OFF:
                    yield value

    def _set_by(self, branch: r.Branch) -> Iterator[r.Value]:
        """The same by a branch: `if (dir) root = dir; else root = fallback;`, `if (!dir) dir = fallback;`,
        `root = fallback; if (dir) root = dir;`, `if (dir) use(dir); else use(fallback);`."""
        if not self._is_in(branch.condition):
            return
        then, other = _only_assigned(branch.then), _only_assigned(branch.other)
        if then is not None and other is not None and text(then.target) == text(other.target):
            if self._is_in(then.value) != self._is_in(other.value):
                yield other.value if self._is_in(then.value) else then.value
        elif then is not None and not branch.other and self._is_it(then.target) and not self._is_in(then.value):
            yield then.value
        elif then is not None and not branch.other and self._is_in(then.value) and self.body.function is not None:
            yield from self._begun(then.target)
        elif then is None and not branch.other:
            yield from (one for target in self._parsed_into(branch.then) for one in self._begun(target))
        for one, instead in _called_alike(branch):
            if self._is_in(one) != self._is_in(instead):
                yield instead if self._is_in(one) else one

    def _parsed_into(self, body: r.Body) -> Iterator[r.Value]:
        """Where a call puts the number that it makes of the text: `from_chars(s, end, n)`, `sscanf(s, "%d", &n)`."""
        match _plain(body):
            case (r.Evaluate(value=r.Call() as call),) if self.around.number(places.last_name(call.callee)) is not None:
                if any(map(self._is_it, call.args)):
                    yield from (one for one in call.args if not self._is_in(one))

    def _begun(self, target: r.Value) -> Iterator[r.Value]:
        """What a local, or a member of the object, is given first, where that is no switch that is off."""
        function = self.body.function
        if function is None:
            return
        named = text(target).removeprefix("&")
        initial = function.locals.get(named, ("", None))[1]
        if named not in function.declared and function.home is not None:
            field = function.home.field(named.removeprefix("this->"))
            initial = field[1].value if field is not None else None
        if initial is not None and not self._is_in(initial) and text(initial) not in _OFF:
            yield initial

    def _is_number(self, value: r.Value) -> bool:
        """Whether it is a number made of the text, or a local that begins with one."""
        inner = places.strip(value)
        if isinstance(inner, r.Name) and self.body.function is not None and inner.text in self.body.function.locals:
            inner = self.body.function.locals[inner.text][1]
        return any(part is call for part in places.walk(inner) for call in self._numbers)

    def _is_only(self, asked: list[r.Value]) -> bool:
        """Whether the text serves for nothing but these questions: one that is used as well is no switch, but for one
        that only gets another name."""
        named = [s.value for s in self.body.statements if isinstance(s, r.Declare) and self._is_it(s.value) and s.value]
        within = {id(inner) for value in (*asked, *self._telling, *named) for inner in places.walk(value)}
        return not any(
            id(value) not in within
            for value in self.body.values
            if (isinstance(value, r.Name) and value.text in self._holders) or (self._reads(value) and not self._holders)
        )

    def _compared_by(self, call: r.Call) -> set[str]:
        """The words that a comparison has the text beside."""
        whole = (*call.args, call.callee.base) if isinstance(call.callee, r.Member) else call.args
        if places.last_name(call.callee) not in self.around.model.compares or not any(map(self._is_it, whole)):
            return set()
        return {
            _word(inner) for arg in call.args if isinstance(inner := places.strip(arg), r.Literal) and _quoted(inner)
        }

    def _is_text(self, call: r.Call) -> bool:
        """Whether it makes nothing but a text: `std::string(found)`."""
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        roles = self.around.program.types.roles_at(written, self.body.file, self.body.scope) if written else ()
        return not _TEXTS.isdisjoint(roles)

    def _is_path(self, written: str) -> bool:
        return self.around.takes_path(types.parse(written).name, self.body.file, self.body.scope)

    def _taken_for_path(self, call: r.Call) -> Iterator[TextMeaning]:
        """By a library: a function of the project that has such a name says itself what it does."""
        written = call.template or (call.callee.text if isinstance(call.callee, r.Name) else "")
        if written and any(map(self._is_in, call.args)) and self._is_path(written):
            function = self.body.function
            if function is None or not self.around.program.calls.callee(call, function).functions:
                yield from _AS_PATH

    def _given_on(self, call: r.Call, depth: int) -> Iterator[TextMeaning]:
        given = [at for at, arg in enumerate(call.args) if self._is_it(arg)]
        is_asked = isinstance(call.callee, r.Member) and self._is_it(call.callee.base)
        made = self.around.number(places.last_name(call.callee))
        if made is not None and (given or is_asked):
            self._numbers.append(call)
            yield made
        elif given and depth < _DEEP and self.body.function is not None:
            for target in self.around.program.calls.callee(call, self.body.function).functions:
                for at in given:
                    name = target.record.parameters[at].name if at < len(target.record.parameters) else ""
                    if name:
                        use = _Use(self.around, _Body.of(target), name)
                        yield from (one for one in use.meanings(depth + 1) if one != text_meanings.PRESENCE)


def _by_name(name: str) -> TextMeaning:
    """What a reading function makes of the text, by the type in its name."""
    if re.search(r"(?i)bool", name):
        return TextMeaning("form", name)
    return text_meanings.REAL if re.search(r"(?i)float|double", name) else text_meanings.INTEGER


def _only_assigned(body: r.Body) -> r.Assign | None:
    match _plain(body):
        case (r.Evaluate(value=r.Assign(op="=") as value),):
            return value
    return None


def _called_alike(branch: r.Branch) -> Iterator[tuple[r.Value, r.Value]]:
    """The arguments, side by side, of one call on either path."""
    match [*_plain(branch.then), *_plain(branch.other)]:
        case [r.Evaluate(value=r.Call() as one), r.Evaluate(value=r.Call() as other)] if text(one.callee) == text(
            other.callee
        ):
            yield from zip(one.args, other.args, strict=False)


def _plain(body: r.Body) -> r.Body:
    match body:
        case (r.Block(body=inner),):
            return inner
    return body


def _values(function: Function) -> Iterator[r.Value]:
    yield from function.values
    for initializer in function.record.initializers:
        for argument in initializer.args:
            yield from places.walk(argument)


def _asked(value: r.Value) -> Iterator[r.Value]:
    """What an expression asks for being there."""
    match value:
        case r.Unary(op="!" | "not", value=asked) | r.Conditional(condition=asked):
            yield asked
        case r.Binary(op="&&" | "||" | "and" | "or", left=left, right=right):
            yield from (left, right)
        case r.Binary(op="==" | "!=", left=asked, right=r.Literal(kind="null")):
            yield asked


def _conditions(statement: r.Statement) -> Iterator[r.Value]:
    if isinstance(statement, r.Branch) and statement.condition is not None:
        yield statement.condition


def _last(value: r.Value) -> r.Value:
    """What stands for a text where another variable does not stand for it, either: `other ? other : "x"`."""
    inner = places.strip(value)
    while isinstance(inner, r.Conditional):
        value = inner.other
        inner = places.strip(value)
    return value


def _quoted(value: r.Literal) -> bool:
    return value.kind in ("str", "char")


def _word(value: r.Literal) -> str:
    return value.text.strip("\"'").replace("\\0", "").casefold()


def _fallbacks(call: r.Call, argument: r.Value, targets: Sequence[Function]) -> Iterator[TextMeaning]:
    """The constants beside the variable's name that say what is read, also those of default arguments: not those that
    a function of the project only tests, such as whether to read at all."""
    for at, one in enumerate(call.args):
        taking = [(target, target.record.parameters[at]) for target in targets if at < len(target.record.parameters)]
        if one is not argument and (not taking or any(_goes_on(target, parameter) for target, parameter in taking)):
            yield from _fallback(one)
    for target in targets:
        for parameter in target.record.parameters[len(call.args) :]:
            if parameter.default is not None and _goes_on(target, parameter):
                yield from _fallback(parameter.default)


def _fallback(value: r.Value) -> Iterator[TextMeaning]:
    if _is_literal(value):
        yield TextMeaning("fallback", text(value))


def _goes_on(function: Function, parameter: r.Parameter) -> bool:
    """Whether a parameter is returned, stored or given to a call; not one that an error says."""
    flow = function.flow
    values = [
        *(write.value for write in flow.writes),
        *(leave.value for leave in flow.leaves if leave.kind == "return"),
    ]
    thrown = [leave.value for leave in flow.leaves if leave.kind == "throw"]
    inside = {id(call) for value in thrown for call in places.calls_in(value)}
    values += [
        arg
        for call in flow.calls
        if id(call.node) not in inside and not _fails(function, call)
        for arg in call.node.args
    ]
    return any(
        isinstance(inner, r.Name) and inner.text == parameter.name for value in values for inner in places.walk(value)
    )


def _fails(function: Function, call: e.CallEvent) -> bool:
    """Whether a call does not come back, by what is known of it, or as the function that has to answer something ends
    there without an answer."""
    if failure.never_comes_back(function, call.node):
        return True
    leaves = [one.kind for one in function.flow.after(call) if isinstance(one, e.LeaveEvent)]
    return function.record.result not in ("", "void") and bool(leaves) and {*leaves} == {"end"}


def _is_literal(value: r.Value) -> bool:
    return isinstance(places.strip(value), r.Literal)
