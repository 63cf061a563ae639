"""Where Python reads the process's environment.

A reading is `os.environ[name]`, a method of that mapping, `name in os.environ`, `os.getenv(name)` (models say which),
or a call of the project's own helper around one of them, in whatever module. The name is a literal, a constant of this
or of another module, or such texts joined by `+`.

All readings of one variable in one function are one place: what asks `"X" in os.environ` before it takes
`os.environ["X"]` makes one thing of it. A place that sets the variable as well reads what it sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ownlint import Function, Program, patterns, text
from ownlint import records as r
from ownlint_rules.hygiene import _python_texts as python_texts
from ownlint_rules.hygiene import _repeated as repeated
from ownlint_rules.hygiene._python_texts import MissingText, PythonBody, TextUse
from ownlint_rules.hygiene._text_meanings import TextMeaning

_DEEP = 4
"""So many helpers around each other are followed."""
_MOST_READINGS = 80
"""Of one function."""
_APART = re.compile(
    r"(?:^|/)(?:tests?|_?testing|unit_?tests?|examples?|samples?|demos?|tutorials?|benchmarks?|docs?)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_tests?|conftest|noxfile)\.py$",
    re.IGNORECASE,
)
"""Tests by the conventions of pytest and unittest, and folders of programs beside a library."""
_KEY_ERROR = re.compile(r"^$|\b(?:KeyError|LookupError|Exception)\b")
"""Handlers of what a mapping raises for a name that it has not."""
_CACHED = frozenset({"cache", "lru_cache", "cached_property"})
_ASKING = frozenset({"get", "pop", "setdefault"})
"""Methods of a mapping that give what it has by a name."""
_SETTING = frozenset({"pop", "setdefault"})


class PythonReading(NamedTuple):
    """What one function reads of one variable."""

    variable: str
    at: r.Value
    function: Function
    is_in_loop: bool
    is_cached: bool
    """Whether it is a helper that keeps what it has read."""
    meanings: frozenset[TextMeaning]


class _Name(NamedTuple):
    """A variable's name, or what one is made of in a helper: the text around a parameter."""

    before: str
    parameter: str = ""
    after: str = ""

    def given(self, argument: _Name) -> _Name:
        return _Name(self.before + argument.before, argument.parameter, argument.after + self.after)


class _Helper(NamedTuple):
    """A function that reads the variable which a parameter names, and what it makes of the text."""

    name: _Name
    use: TextUse


class _Read(NamedTuple):
    """An expression that reads, or sets, a variable."""

    at: r.Value
    name: _Name
    default: r.Value | None = None
    is_optional: bool = False
    """Of a missing variable it gives None, or the default."""
    only_asks: bool = False
    sets: bool = False
    helper: tuple[Function, _Helper] | None = None


class PythonEnvironment:
    """All that one program's Python has to do with its environment."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.model = program.models.environment
        self.texts = python_texts.PythonTexts(program)
        self.code = self.texts.code
        self._helpers: dict[str, dict[Function, _Helper]] = {}
        known = (*self.model.mappings, *self.model.reads)
        self._words = {one.rpartition(".")[2] for one in known if "." in one}

    def readings(self) -> list[PythonReading]:
        """In the order of files and offsets; those of tests and examples are left out."""
        if not self._words:
            return []
        functions = [one for one in self.program.functions_of("python") if not _APART.search(one.path)]
        self._find_helpers(functions)
        found: dict[tuple[str, str, str], list[tuple[Function, _Read]]] = {}
        for function in self._saying(functions, self._words | self._helpers.keys()):
            for read in islice(self._reads(function), _MOST_READINGS):
                if not read.name.parameter and read.name.before:
                    found.setdefault((read.name.before, *_whose(function)), []).append((function, read))
        together = (self._reading(key[0], reads) for key, reads in found.items())
        return sorted((one for one in together if one), key=lambda one: (one.function.path, one.at.start))

    def _reading(self, variable: str, reads: list[tuple[Function, _Read]]) -> PythonReading | None:
        if any(read.sets for _, read in reads):
            return None
        whole = TextUse()
        for function, read in reads:
            use = self._use_of(function, read)
            whole.add(use)
            whole.answers |= use.answers
        if whole.is_only_shown:
            return None
        function, first = reads[0]
        is_in_loop = _is_each_time(function, first.at.start)
        is_cached = all(read.helper is not None and _is_cached(read.helper[0]) for _, read in reads)
        return PythonReading(variable, first.at, function, is_in_loop, is_cached, frozenset(self.texts.meanings(whole)))

    def _saying(self, functions: list[Function], words: set[str]) -> Iterator[Function]:
        """The functions that say one of the words, or what their file has imported one as."""
        known: dict[frozenset[str], patterns.AnyName] = {}
        by_file: dict[str, patterns.AnyName] = {}
        for function in functions:
            said = by_file.get(function.path)
            if said is None:
                renamed = (i.name for i in function.file.imports if i.target.rpartition(".")[2] in words)
                every = frozenset(words.union(renamed))
                if every not in known:
                    known[every] = patterns.AnyName(every)
                said = by_file[function.path] = known[every]
            if function.says(said):
                yield function

    # --- helpers ---

    def _find_helpers(self, functions: list[Function]) -> None:
        words = self._words
        for _ in range(_DEEP):
            further: dict[str, dict[Function, _Helper]] = {}
            for function in self._saying(functions, words):
                is_known = function in self._helpers.get(function.name, {})
                helper = self._helper(function) if function.record.parameters and not is_known else None
                if helper is not None:
                    further.setdefault(function.name, {})[function] = helper
            for name, found in further.items():
                self._helpers.setdefault(name, {}).update(found)
            words = set(further)
            if not words:
                return

    def _helper(self, function: Function) -> _Helper | None:
        if function.record.kind == "lambda":
            return None
        reads = [read for read in islice(self._reads(function), _MOST_READINGS) if read.name.parameter]
        names = {read.name for read in reads}
        if len(names) != 1 or any(read.sets for read in reads):
            return None
        use = TextUse()
        for read in reads:
            one = self._use_of(function, read)
            use.add(one)
            use.answers |= one.answers
        return _Helper(names.pop(), use)

    # --- readings ---

    def _reads(self, function: Function) -> Iterator[_Read]:
        body = self.texts.body(function)
        for value in body.every:
            read = self._read(value, function, body)
            if read is not None:
                yield read
        for statement in body.statements:
            for target in statement.targets if isinstance(statement, r.Delete) else ():
                read = self._read(target, function, body)
                if read is not None:
                    yield read._replace(sets=True)

    def _read(self, value: r.Value, function: Function, body: PythonBody) -> _Read | None:
        match value:
            case r.Index(base=base, indexes=(named,)) if self._is_mapping(base, function):
                return self._named(_Read(value, _Name(""), sets=body.is_target(value)), named, function)
            case r.Binary(op="in" | "not in", left=named, right=right) if self._is_mapping(_keyed(right), function):
                return self._named(_Read(value, _Name(""), only_asks=True), named, function)
            case r.Call(callee=r.Member(base=base, name=name)) if name in _ASKING and self._is_mapping(base, function):
                given = _given(value)
                read = _Read(value, _Name(""), given.get("default"), is_optional=True, sets=name in _SETTING)
                return self._named(read, given.get("key"), function)
            case r.Call():
                if self.program.names.named(function.file, value.callee) in self.model.reads:
                    given = _given(value)
                    read = _Read(value, _Name(""), given.get("default"), is_optional=True)
                    return self._named(read, given.get("key"), function)
                return self._helped(value, function)
        return None

    def _named(self, read: _Read, named: r.Value | None, function: Function) -> _Read | None:
        name = self._name_of(named, function, _DEEP) if named is not None else None
        return read._replace(name=name) if name is not None else None

    def _helped(self, call: r.Call, function: Function) -> _Read | None:
        known = self._helpers.get(self.program.names.meant_name(function.file, call.callee))
        for target in self.code.functions_called(call, function) if known else ():
            helper = known.get(target) if known else None
            if helper is not None:
                given = self.code.given_parameters(call, function, target).values.get(helper.name.parameter)
                name = self._name_of(given, function, _DEEP) if given is not None else None
                if name is not None:
                    return _Read(call, helper.name.given(name), helper=(target, helper))
        return None

    def _is_mapping(self, value: r.Value, function: Function) -> bool:
        return isinstance(value, (r.Name, r.Member)) and (
            self.program.names.named(function.file, value) in self.model.mappings
        )

    def _name_of(self, value: r.Value, function: Function, left: int) -> _Name | None:
        """What an expression says of a variable's name: text, and at most one parameter in it."""
        match value:
            case r.Literal(kind="str"):
                return _Name(python_texts.unquoted(value))
            case r.Binary(op="+", left=first, right=then) if left > 0:
                one, other = self._name_of(first, function, left - 1), self._name_of(then, function, left - 1)
                if one is None or other is None or (one.parameter and other.parameter):
                    return None
                if one.parameter:
                    return one._replace(after=one.after + other.before)
                return other._replace(before=one.before + other.before)
            case r.Name(text=text) if any(one.name == text for one in function.record.parameters):
                return _Name("", text)
            case r.Name() | r.Member() if left > 0:
                found = self.code.value_of(value, function)
                if found is not None and not isinstance(found.value, (r.Name, r.Member)):
                    return self._name_of(found.value, found.scope, left - 1)
        return None

    # --- what is made of them ---

    def _use_of(self, function: Function, read: _Read) -> TextUse:
        if read.only_asks:
            use = TextUse()
            use.is_asked = True
            return use
        if read.sets:
            return TextUse()
        if read.helper is not None:
            return self._use_of_helped(function, read, *read.helper)
        use = self.texts.of_value(function, read.at)
        use.may_be_none |= read.is_optional and read.default is None
        if read.default is not None:
            use.missing.append(MissingText(function, read.default))
        if isinstance(read.at, r.Index):
            use.missing += _where_it_is_missing(function, read.at)
        return use

    def _use_of_helped(self, function: Function, read: _Read, target: Function, helper: _Helper) -> TextUse:
        """What the helper makes of the text, and then the call's place of the helper's answer."""
        assert isinstance(read.at, r.Call)
        known = helper.use
        use = TextUse()
        if known.answers == {"text"}:
            use = self.texts.of_value(function, read.at)
        elif known.answers == {"number"}:
            use = self.texts.of_value(function, read.at, "number")
        use.forms |= known.forms
        use.words |= known.words
        use.is_switch |= known.is_switch
        use.is_used |= known.is_used and "text" not in known.answers
        use.is_asked |= known.is_asked and not known.is_used
        use.may_be_none |= known.may_be_none
        is_turned = "false" in known.answers and "true" not in known.answers
        given = self.code.given_parameters(read.at, function, target).values
        for one in known.missing:
            found = self._parameter_given(one, function, target, given)
            use.missing.append(found._replace(is_turned=one.is_turned != (is_turned and one.is_answer)))
        return use

    @staticmethod
    def _parameter_given(
        one: MissingText, function: Function, target: Function, given: dict[str, r.Value]
    ) -> MissingText:
        """What stands for a missing text, with what the call gives for it."""
        if one.scope is not target or not isinstance(one.value, r.Name):
            return one
        name = one.value.text
        if name in given:
            return one._replace(scope=function, value=given[name])
        default = next((p.default for p in target.record.parameters if p.name == name), None)
        return one._replace(value=default) if default is not None else one


def _given(call: r.Call) -> dict[str, r.Value]:
    """The name and the default that a reading is given, by place or by keyword."""
    found: dict[str, r.Value] = {}
    for position, argument in enumerate(call.args):
        match argument:
            case r.Pair(key=r.Name(text=keyword), value=value):
                found[keyword] = value
            case r.Unary(op="spread" | "spread2"):
                return {}
            case _ if position < 2:
                found["key" if position == 0 else "default"] = argument
    return found


def _keyed(value: r.Value) -> r.Value:
    """The mapping of `mapping.keys()`."""
    match value:
        case r.Call(callee=r.Member(base=base, name="keys"), args=()):
            return base
    return value


def _whose(function: Function) -> tuple[str, str]:
    """One function, with those inside of it; what a file runs outside of functions is one."""
    outer = function
    while outer.parent is not None:
        outer = outer.parent
    is_free = outer.record.kind in ("module", "class", "lambda")
    return function.path, "" if is_free else outer.key[2]


def _is_cached(function: Function) -> bool:
    return any(one.name.rpartition(".")[2] in _CACHED for one in function.record.annotations)


def _is_each_time(function: Function, offset: int) -> bool:
    """Whether a loop of the function reads it in each iteration."""
    current: Function | None = function
    while current is not None:
        is_once = current.record.kind in ("module", "class") or current.name == "main"
        if is_once or _is_cached(current) or repeated.is_once(current, offset):
            return False
        if repeated.is_in_loop(current, offset):
            return not _leaves(current, offset)
        offset, current = current.record.start, current.parent
    return False


def _leaves(function: Function, offset: int) -> bool:
    """Whether the innermost loop around it waits, or tries again: a `while`, or one that is left from its body."""
    around = [one for one in function.statements if isinstance(one, r.Loop) and offset in one.span]
    inner = max(around, key=lambda one: one.start)
    return inner.kind != "range" or any(
        isinstance(one, r.Leave) and one.kind in ("break", "return") and one.start in inner.span
        for one in function.statements
    )


def _where_it_is_missing(function: Function, read: r.Index) -> Iterator[MissingText]:
    """What stands for a text whose reading raises, or is not come to: `except KeyError: x = default`, the `else` of
    `if "X" in os.environ: x = os.environ["X"]`."""
    for statement in function.statements:
        match statement:
            case r.Try(body=body, handlers=handlers) if (at := _around(body, read)) is not None:
                others = [one.body for one in handlers if _KEY_ERROR.search(one.type)]
            case r.Branch(condition=r.Binary(op="in" | "not in", left=asked) as condition, then=then, other=other) if (
                text(asked) == text(read.indexes[0])
            ):
                there, missing = (then, other) if condition.op == "in" else (other, then)
                at, others = _around(there, read), [missing]
            case _:
                continue
        for other in others:
            match at, other:
                case (
                    r.Evaluate(value=r.Assign(target=one)),
                    (r.Evaluate(value=r.Assign(target=two, op="=", value=given)),),
                ) if text(one) == text(two):
                    yield MissingText(function, given)
                case r.Leave(kind="return"), (r.Leave(kind="return", value=given),) if given is not None:
                    yield MissingText(function, given, is_answer=True)


def _around(body: r.Body, read: r.Index) -> r.Statement | None:
    """The statement of a body that reads; none where there are others that may do something else."""
    return body[0] if len(body) == 1 and read.start in body[0].span else None
