"""What says whether something worked: statuses, codes, owned errors, and the functions that answer with them.

A type is a status because a model says so, because the project's own class is made to be asked, or, where its
definition is out of sight, because functions of that result answer `T::OK()`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from ownlint.facts import records as r
from ownlint.finding import Certainty, because
from ownlint.flow.lower import statements
from ownlint.models.records import StatusType
from ownlint.patterns import AnyName
from ownlint.project import pairs, types
from ownlint.project.questions import Answers, program_property

if TYPE_CHECKING:
    from ownlint.project.program import Program
    from ownlint.project.subjects import Class, Function

_SUCCESSES = ("OK", "Ok", "ok", "Success")
_EXPLAINS = frozenset(
    {
        "message",
        "Message",
        "code",
        "Code",
        "error",
        "Error",
        "error_message",
        "error_code",
        "ToString",
        "status",
        "what",
        "What",
        "reason",
    }
)
_QUESTION = re.compile(
    r"(?:is|has)?_?(?:ok|succe(?:ss|ss?ful|eded)|good|fail(?:ed|ure)|error)|has_?value", re.IGNORECASE
)


_ERROR = re.compile(r"(?:^|_|(?<=[a-z]))(?:[Ee]rr(?:or)?|ERROR|[Ff]ailure|[Ss]tatus)(?:_t|_st)?$")
"""A type whose name says that its objects tell what went wrong."""


_OUTCOMES = re.compile(
    r"(?:Status|Result|Outcome|Error|Err|Errc|Fault|Failure|Code|Rc|Ret|RC)(?:_t|Type|Kind)?$"
    r"|_(?:status|result|error|fault|rc)(?:_t)?$"
)
"""An enum whose name says that its values tell how something went."""
_ALL_WELL = re.compile(
    r"(?:^|_|(?<=[a-z]))(?:OK|Ok|SUCCESS|Success|NO_?ERR(?:OR)?|NoErr(?:or)?)$|^k?(?:ok|success)$|_(?:ok|success)$"
)
"""An enumerator that says of itself that nothing has failed."""


class Status(msgspec.Struct, frozen=True):
    """A type that says whether something worked. `name` as the user knows it."""

    name: str
    kind: str
    nodiscard: bool
    discard: tuple[str, ...]
    ok: tuple[str, ...]
    certainty: Certainty
    advisory: bool = False
    """Failure is an answer like another (`LogicalResult`): a cast to void says that both are fine."""
    asked_by: tuple[str, ...] = ()
    """Functions that tell whether any call before them has failed."""
    repeated: tuple[str, ...] = ()
    """Functions whose failures every later call reports again."""
    throws_under: tuple[str, ...] = ()
    """Macros of a file in which methods throw where they fail, instead of returning a failure."""

    def is_success(self, constant: str) -> bool:
        """Whether a constant is what it is compared with where something worked: `_ == cudaSuccess`."""
        return any(idiom.partition(" == ")[2] == constant for idiom in self.ok)


def _numbers(enum: r.ClassRecord) -> list[int]:
    """What the enumerators stand for; empty where that is not written as numbers."""
    found: list[int] = []
    for field in enum.fields:
        match field.value:
            case None:
                found.append(found[-1] + 1 if found else 0)
            case r.Literal(kind="int", text=written) if _DECIMAL.fullmatch(written):
                found.append(int(written))
            case _:
                return []
    return found


_DECIMAL = re.compile(r"-?\d+")
_BELOW_ZERO = re.compile(r"\s*+\(?\s*+-\s*+\d++\s*+\)?\s*")


_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc")


class Statuses:
    """The status types of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._own: Answers[Class, Status | None] = Answers()

    # --- types ---

    def of(self, written: str, function: Function) -> Status | None:
        """The type, when its value says whether something worked."""
        if not written:
            return None
        program = self.program
        expanded = program.names.expand(written, function.file, function.record.scope)
        scopes = program.names.scopes(function)
        found = program.models.status(expanded, scopes) or program.models.status(written, scopes)
        if found is not None and found.certainty != "possible":
            return None if found.reference else _modelled(found, found.certainty)
        kind = types.parse(expanded)
        if kind.pointers == 1 and not kind.const and kind.last in self.owned_errors:
            freed = self.owned_errors[kind.last]
            why = f"`{kind.last}` is taken for an error type because `{freed[0].removesuffix('(_)')}` frees it"
            return Status(f"{kind.last}*", "pointer", False, freed, (), because("type", why))
        if not kind.is_value:
            return None
        cls = program.names.find_class(kind.name, function.record.scope, function.file)
        if cls is not None:
            return self.own(cls)
        enum = program.names.find_class(kind.name, function.record.scope, function.file, enum=True)
        if enum is not None:
            marked = because("type", f"`{enum.name}` is assumed to be a status since it is marked `[[nodiscard]]`")
            return Status(enum.name, "enum", True, (), (), marked) if must_look(enum.record) else None
        unknown = f"`{kind.name}` is not defined in the analysed files and is assumed to be a status"
        certainty = because("type" if kind.name in self.used else "guess", unknown)
        if found is not None:
            return _modelled(found, certainty)
        return Status(kind.name, "value", False, (), (".ok()",), certainty) if certainty == "likely" else None

    def throws_instead(self, status: Status, call: r.Call, function: Function) -> bool:
        """Whether a call throws where it fails, since its file, or a header of the project, asks the library for that
        by a macro."""
        if not status.throws_under or not isinstance(call.callee, r.Member):
            return False
        if any(macro.name in status.throws_under for macro in function.file.macros):
            return True
        return not self._defined_in_headers.isdisjoint(status.throws_under)

    @program_property
    def _defined_in_headers(self) -> frozenset[str]:
        """The names of all macros that headers of the project define: whoever includes one has them."""
        headers = (file for file in self.program.files.values() if file.path.endswith(_HEADERS))
        return frozenset(macro.name for file in headers for macro in file.macros)

    def own(self, cls: Class) -> Status | None:
        """A class that is made to be asked: a question such as `bool ok() const`, and something to say why not,
        or the class's own word that its values must be looked at."""
        return self._own.ask(cls, lambda: _asked(cls))

    @program_property
    def owned_errors(self) -> dict[str, tuple[str, ...]]:
        """Last names of the error types of which functions hand out pointers, each with the functions that free one:
        `RT_Error* rt_reset(..)` beside `void rt_error_free(RT_Error*)`."""
        freeing: dict[str, list[str]] = {}
        handed: set[str] = set()
        for name, record in self.program.index.declared_functions():
            if record.owner:
                continue
            for index, written in enumerate((record.result, *(p.type for p in record.parameters))):
                if "*" in written and _ERROR.search(last := types.parse(written).last):
                    if index == 0 and not pairs.is_getter(name) and "const" not in written:
                        handed.add(last)
                    elif index == 1 and len(record.parameters) == 1 and pairs.releasing_verb(name):
                        freeing.setdefault(last, []).append(f"{name}(_)")
        return {last: tuple(sorted(freeing[last])) for last in sorted(handed & freeing.keys())}

    @program_property
    def used(self) -> frozenset[str]:
        """Names of types that nobody here defines, and of which functions return `T::OK()` or `OkT()`."""
        found: set[str] = set()
        for function in self.program.functions:
            kind = types.parse(function.record.result)
            if kind.name in found or not kind.is_value or not kind.last[:1].isupper():
                continue
            if self.program.index.defines(kind.last) or not function.mentions(*_SUCCESSES, f"Ok{kind.last}"):
                continue
            if _returns_success(function, kind):
                found.add(kind.name)
        return frozenset(found)

    @program_property
    def names(self) -> frozenset[str]:
        """Last names of the types that are statuses, or lead to one as aliases."""
        program = self.program
        names = set(program.models.status_names) | {types.parse(name).last for name in self.used}
        names |= self.owned_errors.keys()
        names |= {c.name for c in program.classes if (must_look(c.record) if is_enum(c) else self.own(c) is not None)}
        for _ in range(3):
            names |= {alias.name for alias in program.index.type_aliases if _names(alias.target) & names}
        return frozenset(names)

    @program_property
    def _enumerators(self) -> dict[str, bool | None]:
        """By last name: whether it is the success of an enum of outcomes, or another; None when both. An enum whose
        zero says that all is well is one of outcomes whatever it is called, and so is one of which nothing is above
        zero, and something below."""
        found: dict[str, bool | None] = {}
        for cls in self.program.classes:
            if not is_enum(cls):
                continue
            values = _numbers(cls.record)
            zeros = [field.name for field, value in zip(cls.record.fields, values, strict=False) if value == 0]
            if any(_ALL_WELL.search(name) for name in zeros) or self.fails_below_zero(cls):
                fine = [value == 0 for value in values]
            elif must_look(cls.record) or _OUTCOMES.search(cls.name):
                fine = [index == 0 for index in range(len(cls.record.fields))]
            else:
                continue
            for field, is_fine in zip(cls.record.fields, fine, strict=True):
                if found.setdefault(field.name, is_fine) is not is_fine:
                    found[field.name] = None
        return found

    def fails_below_zero(self, enum: Class) -> bool:
        """Whether an enum is one of outcomes by its numbers: nothing is above zero, and something is below."""
        values = _numbers(enum.record)
        return bool(values) and max(values) <= 0 and min(values) < 0

    def says_success(self, constant: str) -> bool | None:
        """Whether a constant is the success of a project's own enum of outcomes; of its macros one that stands for a
        number below zero is none. None when it is neither."""
        name = constant.rpartition("::")[2]
        known = self._enumerators.get(name)
        if known is None and "::" not in constant:
            bodies = self.program.macros.constants(name)
            known = False if bodies and all(_BELOW_ZERO.fullmatch(body) for body in bodies) else None
        return known

    # --- functions ---

    @program_property
    def callees(self) -> frozenset[str]:
        """Last names of what can be called here and answers with a status, or with anything else that must not be
        dropped: a body that mentions none of them needs no decoding to know that it drops none."""
        program = self.program
        found = {name for name, record in program.index.declared_functions() if self._answers(record)}
        found |= {
            field.name
            for cls in program.classes
            for field in cls.record.fields
            if self._holds(program.names.expand(field.type, cls.file, cls.symbol))
        }
        return frozenset(found)

    @program_property
    def _names_status(self) -> tuple[bytes, ...]:
        return tuple(sorted(name.encode() for name in self.names))

    def may_hold(self, function: Function) -> bool:
        """Whether the body names the type of a status, or calls what may answer with one. Needs no decoding."""
        if self.may_drop(function):
            return True
        body = function.encoded
        return any(name in body for name in self._names_status)

    def names_owned_error(self, function: Function) -> bool:
        """Whether the body names the type of an error that its holder frees, or calls what may answer with one."""
        body = function.encoded
        if any(name in body for name in self._owned_names):
            return True
        return any(self.may_own(name) for name in function.mentioned)

    @program_property
    def _owned_names(self) -> tuple[bytes, ...]:
        return tuple(sorted(name.encode() for name in (*self.program.models.owned_error_types, *self.owned_errors)))

    @program_property
    def _owners(self) -> frozenset[str]:
        wanted = self.program.models.owned_error_types | self.owned_errors.keys()
        return frozenset(
            name
            for name, record in self.program.index.declared_functions()
            if types.parse(record.result).last in wanted
        )

    def may_own(self, name: str) -> bool:
        """Whether something of that last name can answer with an error that the caller owns."""
        return name in self._owners or self.program.models.may_return_owned_error(name)

    def _answers(self, record: r.FunctionRecord) -> bool:
        return bool(record.result) and (not _names(record.result).isdisjoint(self.names) or must_look(record))

    def _holds(self, written: str) -> bool:
        """Whether an object of this type can be called and answers with a status."""
        return not _names(types.called(written)).isdisjoint(self.names) or types.parse(written).last in self._functors

    @program_property
    def _functors(self) -> frozenset[str]:
        """Names of the classes whose `operator()` answers with a status."""
        return frozenset(
            record.owner.rpartition("::")[2]
            for name, record in self.program.index.declared_functions()
            if name == "operator()" and record.kind != "lambda" and record.owner and self._answers(record)
        )

    @program_property
    def _names_functor(self) -> AnyName | None:
        """Finds the name of one of these classes in an encoded body."""
        return AnyName(self._functors) if self._functors else None

    def may_answer(self, name: str, function: Function) -> bool:
        """Whether something of that last name, called in the function, can answer with a status."""
        if name in self.callees or self.program.models.may_return_status(name) or function.file.meanings:
            return True
        current: Function | None = function
        while current is not None:
            if name in current.locals:
                written, value = current.locals[name]
                expanded = self.program.names.expand(written, function.file, function.record.scope)
                return isinstance(value, r.Lambda) or self._holds(expanded)
            current = current.parent
        return False

    def may_drop(self, function: Function) -> bool:
        """False when no call in the body can answer with a status; needs no decoding."""
        if function.file.meanings or (function.path, function.index) in self._holders_of_lambdas:
            return True
        if any(self._mentioned(name) for name in function.mentioned):
            return True
        if any("(" in parameter.type and self._holds(parameter.type) for parameter in function.record.parameters):
            return True
        return self._names_functor is not None and function.says(self._names_functor)

    def _mentioned(self, name: str) -> bool:
        return name in self.callees or self.program.models.may_return_status(name)

    @program_property
    def _holders_of_lambdas(self) -> frozenset[tuple[str, int]]:
        """Functions that hold a lambda in which a status can come up: they can call it and drop what it returns."""
        return frozenset(
            (inner.path, inner.record.parent)
            for inner in self.program.functions
            if inner.record.kind == "lambda"
            and (inner.record.result not in ("", "void") or not self.callees.isdisjoint(inner.mentioned))
        )


def _modelled(found: StatusType, certainty: Certainty) -> Status:
    model = found.model
    idioms = (model.discard, model.ok)
    return Status(
        found.name,
        model.kind,
        model.nodiscard,
        *idioms,
        certainty,
        model.advisory,
        model.asked_by,
        model.repeated,
        model.throws_under,
    )


def _asked(cls: Class) -> Status | None:
    asks = [record for one in cls.ancestry for record in one.declarations if _is_question(record)]
    fields = [f for f in cls.record.fields if f.type == "bool" and _QUESTION.fullmatch(f.name)]
    if not asks and not fields:
        return None
    strict = must_look(cls.record)
    explains = any(cls.declared(name) for name in _EXPLAINS) or any(f.rstrip("_") in _EXPLAINS for f in cls.members)
    named = any(record.kind != "conversion" for record in asks)
    if not (explains and (named or fields)) and not strict:
        return None
    truth = "!_" if _ERROR.search(cls.name) and not cls.name.lower().endswith("status") else "_"
    ok = tuple(f".{record.name}()" if record.kind != "conversion" else truth for record in asks)
    ok += tuple(f".{field.name}" for field in fields)
    sure = because("certain" if strict else "type", f"`{cls.name}` is assumed to be a status because of its members")
    return Status(cls.name, "value", strict, (), ok, sure)


def must_look(record: r.FunctionRecord | r.ClassRecord) -> bool:
    """Whether the declaration says that what it gives must not be dropped."""
    words = ("nodiscard", "warn_unused", "must_use")
    return any(word in (a.name + a.arguments).lower() for a in record.annotations for word in words)


def is_enum(cls: Class) -> bool:
    return cls.record.kind in ("enum", "enum class")


def _is_question(record: r.FunctionRecord) -> bool:
    """`bool ok() const`, `explicit operator bool() const`."""
    if record.parameters or "const" not in record.qualifiers:
        return False
    if record.kind == "conversion":
        return record.name.split()[-1:] == ["bool"]
    return record.result.split()[-1:] == ["bool"] and bool(_QUESTION.fullmatch(record.name))


def _names(written: str) -> set[str]:
    """The last name of a type, and of what it was made for: `Task` and `Status` of `Task<a::Status>`."""
    kind = types.parse(written)
    return {kind.last, *(types.parse(argument).last for argument in kind.arguments)}


def _returns_success(function: Function, kind: types.Type) -> bool:
    for statement in statements(function.body):
        match statement:
            case r.Leave(value=r.Call(callee=r.Name(text=made), args=())):
                wanted = tuple(f"{kind.last}::{name}" for name in _SUCCESSES)
                if made.rpartition("::")[2] == f"Ok{kind.last}" or made.endswith(wanted):
                    return True
    return False
