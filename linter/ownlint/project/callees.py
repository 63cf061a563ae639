"""What a call reaches, and what it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from ownlint.facts import records as r
from ownlint.finding import Certainty, because
from ownlint.flow.places import last_name, receiver, strip
from ownlint.models.libraries import Models
from ownlint.models.records import Effect, FunctionModel
from ownlint.project import qualified, types
from ownlint.project.deduced import Types
from ownlint.project.files import File
from ownlint.project.index import ProjectIndex
from ownlint.project.names import ProjectNames
from ownlint.project.questions import Answers, Note, derived, program_property, read
from ownlint.project.signatures import agreeing
from ownlint.project.subjects import Class, Function
from ownlint.steps import spend

_MOST_CALLEES = 4096
"""Rules ask about the calls of one function, several times and one after the other."""

_MOST_BODIES = 48
"""Of so many overloads that cannot be told apart nobody knows which is called: the bodies of none count, and no more
declarations than that."""
_MOST_SETS = 2048
"""So many sets of overloads are kept, for whoever calls them next."""
_WORDS = re.compile(r"\w+")
_MAKERS = {"make_unique": "std::unique_ptr", "make_shared": "std::shared_ptr"}


class Callee(msgspec.Struct, frozen=True):
    """What a call reaches: `records` are the project's own candidates, declarations included, `functions` those of them
    that are defined, `models` what libraries say of it."""

    symbol: str
    records: tuple[r.FunctionRecord, ...] = ()
    functions: tuple[Function, ...] = ()
    models: tuple[FunctionModel, ...] = ()
    certainty: Certainty = "possible"
    owner: Class | None = None
    result: str = ""
    """The declared result type, as written or canonical; empty when unknown or when candidates disagree."""

    @property
    def only(self) -> Function | None:
        """The one function of the project that it reaches; None where that is a guess."""
        return self.functions[0] if len(self.functions) == 1 and self.certainty != "possible" else None

    @property
    def all_defined(self) -> bool:
        """Whether the bodies of all candidates are seen. Declarations of one function count once."""
        if not self.functions or len(self.functions) >= len(self.records):
            return bool(self.functions)
        return len({_signature(record) for record in self.records}) <= len(self.functions)


Found = tuple[File, r.FunctionRecord]


class _Overloads(NamedTuple):
    """What functions have in common that a call may reach; they are held, so that their identities stay their own."""

    found: tuple[Found, ...]
    agreed: bool
    result: str
    """What all are declared to answer; empty where they do not agree."""
    functions: tuple[Function, ...]
    """Those that are defined; none where they are too many."""


class Handed(NamedTuple):
    """A lambda is an argument of a call: which, counted from 0."""

    call: r.Call
    position: int


def is_template_parameter(name: str, function: Function) -> bool:
    """Whether a type is a parameter of the template in which the function stands: an object of it can be of any
    class."""
    around: Function | None = function
    templates = [function.home.record.template if function.home is not None else ""]
    while around is not None:
        templates.append(around.record.template)
        around = around.parent
    written = (one.partition("=")[0].split() for text in templates for one in text.split(","))
    return any(words[-1:] == [name] for words in written)


def _is_called(file: File, record: r.FunctionRecord, symbol: str, given: int) -> bool:
    """Whether the symbol means the function, which can take so many arguments. In Python it is that of its module,
    which may lie anywhere, and the object itself is no argument of a method."""
    if file.language == "cpp":
        return qualified.of(record, "::") == symbol and _takes(record, given)
    module = file.module.removesuffix(".__init__")
    if not f".{module}.{qualified.of(record, '.')}".endswith("." + symbol.lstrip(".")):
        return False
    on_object = given != _MANY and record.owner and "static" not in record.qualifiers
    return _takes(record, given + 1 if on_object else given)


def _handed(around: Function) -> dict[int, Handed]:
    """By its number in the file, each lambda of a function that is given to a call."""
    held = {
        name: value.function
        for name, (_, initial) in around.locals.items()
        if isinstance(value := strip(initial), r.Lambda)
    }
    found: dict[int, Handed] = {}
    for call in around.values:
        for position, argument in enumerate(call.args if isinstance(call, r.Call) else ()):
            given = strip(argument)
            index = held.get(given.text, -1) if isinstance(given, r.Name) else -1
            index = given.function if isinstance(given, r.Lambda) else index
            if index >= 0 and isinstance(call, r.Call):
                found.setdefault(index, Handed(call, position))
    return found


class Calls:
    """The calls of a program."""

    def __init__(self, index: ProjectIndex, names: ProjectNames, types: Types, models: Models) -> None:
        self._index = index
        self._names = names
        self._types = types
        self._models = models
        self.size = index.size
        self.answers = index.answers
        self._callees: dict[int, tuple[r.Call, Callee, Note]] = {}
        """What was asked last, by the identity of the call, which is held so that it stays its own."""
        self._candidates: Answers[tuple[object, ...], list[Found]] = Answers(most=_MOST_SETS)
        self._overloads: Answers[tuple[object, ...], _Overloads] = Answers(most=_MOST_SETS)
        self._refusing: Answers[int, tuple[r.FunctionRecord, list[str]]] = Answers(most=_MOST_CALLEES)
        self._inferred: Answers[Function, str] = Answers()
        self._inferring: set[Function] = set()
        self._handed: Answers[Function, dict[int, Handed]] = Answers()

    def operator_call(self, value: r.Value, function: Function) -> r.Call | None:
        """`list += item` or `list << item`, written as the call of the project's operator that it is; None for
        operators of the language and of libraries."""
        match value:
            case r.Assign(target=left, op=sign, value=right) if sign not in ("=", ":="):
                pass
            case r.Binary(left=left, op=sign, right=right):
                pass
            case _:
                return None
        name = f"operator{sign}"
        if not self._index.records_called(name):
            return None
        kind = types.parse(self._names.expand(self._types.of(left, function), function.file, function.record.scope))
        if not kind.name or kind.pointers:
            return None
        cls = self._names.find_class(kind.name, function.record.scope, function.file)
        if cls is not None and cls.declared(name):
            callee: r.Value = r.Member(value.start, value.end, left, name, False, value.start)
            return r.Call(value.start, value.end, callee, (right,))
        first = (
            record.parameters[0].type for _, record in self._index.records_called(name) if len(record.parameters) == 2
        )
        if any(types.parse(written).last == kind.last for written in first):
            return r.Call(value.start, value.end, r.Name(value.start, value.end, name), (left, right))
        return None

    def callee(self, call: r.Call, function: Function, depth: int = 0) -> Callee:
        """What a call reaches. Certain when the receiver's type or the only candidate says so, likely when
        all candidates of that name agree on the result, possible otherwise."""
        spend()
        known = self._callees.get(id(call))
        if known is not None and known[0] is call:
            read(known[2])
            return known[1]
        if depth:
            return self._callee(call, function, depth)
        found, note = derived(lambda: _as_asked(self._callee(call, function, depth), call))
        if len(self._callees) >= _MOST_CALLEES:
            self._callees.clear()
        self._callees[id(call)] = call, found, note
        return found

    def _callee(self, call: r.Call, function: Function, depth: int) -> Callee:
        called = self._called_lambda(call, function)
        if called is not None:
            return Callee(
                "<lambda>", (called.record,), (called,), (), "certain", None, self.inferred_result(called, depth)
            )
        name = last_name(call.callee)
        if not name:
            return Callee("")
        held = self._called_object(call.callee, function, depth)
        if held is not None:
            return held
        meaning = self._names.meaning(function.file, _name_start(call.callee))
        if meaning is not None and meaning.symbol:
            return self._typed(call, meaning, function)
        on = receiver(call)
        if function.language == "python":
            own = isinstance(on, r.Name) and on.text == function.itself and function.home is not None
            return self._own_method(call, name, function) if own else Callee(name)
        if on is not None:
            return self._method(call, name, on, function, depth)
        return self._free(call, name, function)

    def _called_object(self, callee: r.Value, function: Function, depth: int) -> Callee | None:
        """A local, parameter or member that can be called: it holds a function, or its class has an `operator()`."""
        if (
            function.language != "cpp"
            or not isinstance(callee, (r.Name, r.Member))
            or not self._is_object(callee, function)
        ):
            return None
        written = self._types.of(callee, function, depth + 1)
        if isinstance(callee, r.Name) and self._is_of_any_type(callee.text, function):
            return None
        answered = types.called(written)
        if answered:
            return Callee(last_name(callee), certainty="certain", result=answered)
        cls = (
            self._names.find_class(types.parse(written).name, function.record.scope, function.file) if written else None
        )
        records = cls.declared("operator()") if cls is not None else []
        if cls is None or not records:
            return None
        return self._made(
            f"{cls.symbol}::operator()", [(cls.file, record) for record in records], (), "certain", cls, function
        )

    def _is_of_any_type(self, name: str, function: Function) -> bool:
        """Whether a local may have the type of a template's parameter, which can be called like an alias elsewhere."""
        around = [function]
        while around[-1].parent is not None:
            around.append(around[-1].parent)
        if not any("template" in one.record.qualifiers for one in around):
            return False
        kind = next((types.parse(one.locals[name][0]) for one in around if name in one.locals), None)
        return kind is not None and not kind.arguments and "::" not in kind.name and not kind.is_placeholder

    def _is_object(self, callee: r.Name | r.Member, function: Function) -> bool:
        name = last_name(callee)
        if isinstance(callee, r.Member):
            return name in self._callable_fields
        if "::" in callee.text:
            return False
        current: Function | None = function
        while current is not None:
            if name in current.locals:
                return True
            current = current.parent
        return function.home is not None and function.home.field(name) is not None

    @program_property
    def _callable_fields(self) -> frozenset[str]:
        """Names of data members that hold something to call."""
        return frozenset(
            field.name
            for cls in self._index.classes
            for field in cls.record.fields
            if types.called(self._names.expand(field.type, cls.file, cls.symbol))
        )

    def handed_to(self, made: Function) -> Handed | None:
        """The call that a lambda is given to, as an argument, on the spot or through the local that holds it."""
        if made.parent is None or made.record.kind != "lambda":
            return None
        around = made.parent
        return self._handed.ask(around, lambda: _handed(around)).get(made.index)

    def called_by(self, made: Function) -> Iterator[tuple[FunctionModel, Effect, Handed]]:
        """What models say of who calls the lambda with elements of something: `std::for_each`."""
        handed = self.handed_to(made)
        if handed is None or made.parent is None or last_name(handed.call.callee) not in self._callers:
            return
        for model in self.callee(handed.call, made.parent).models:
            for effect in model.effects:
                if effect.verb == "call" and effect.place is not None and effect.place.index == handed.position:
                    yield model, effect, handed

    @program_property
    def _callers(self) -> frozenset[str]:
        """Last names of the libraries' functions that call what they are given."""
        return self._models.functions_with("call")

    def given_element(self, made: Function, name: str, depth: int) -> str:
        """The type of a lambda's `auto` parameter, where it is called with the elements of something; else empty."""
        first = made.record.parameters[:1]
        if made.parent is None or not first or first[0].name != name:
            return ""
        for _, effect, handed in self.called_by(made):
            at = effect.other.index if effect.other is not None else -1
            if 0 <= at < len(handed.call.args):
                given = strip(handed.call.args[at])
                if isinstance(given, r.Call) and not given.args and (on := receiver(given)) is not None:
                    given = on  # `all.begin()`
                return types.element(self._types.of(given, made.parent, depth + 1))
        return ""

    def _called_lambda(self, call: r.Call, function: Function) -> Function | None:
        """The lambda that is called: on the spot, or through the local that holds it."""
        made: r.Value | None = call.callee
        if isinstance(made, r.Name) and function.language == "cpp":
            written, made = function.locals.get(made.text, ("", None))
            if not types.parse(written).is_placeholder:
                return None
        return self._index.function_at(function.file, made.function) if isinstance(made, r.Lambda) else None

    def _typed(self, call: r.Call, meaning: r.Meaning, function: Function) -> Callee:
        separator = "::" if function.language == "cpp" else "."
        wanted = qualified.last(meaning.symbol) if separator == "::" else meaning.symbol.rsplit(".", 1)[-1]
        found = [
            (file, record)
            for file, record in self._index.records_called(wanted)
            if file.language == function.language and _is_called(file, record, meaning.symbol, _given(call))
        ]
        found = self._by_arguments(found, call, function, 0) if separator == "::" else found
        models = self._models.function(meaning.symbol, function.language)
        owner = self._names.find_class(meaning.owner, function.record.scope, function.file) if meaning.owner else None
        return self._made(meaning.symbol, found, models, "certain", owner, function, meaning.type)

    def _own_method(self, call: r.Call, name: str, function: Function) -> Callee:
        """Of the object itself, in Python: the nearest one of that name; a class that derives may have another."""
        for cls in function.home.ancestry if function.home is not None else ():
            records = cls.declared(name)
            if records:
                found = [(cls.file, record) for record in records]
                return self._made(f"{cls.symbol}.{name}", found, (), "certain", cls, function)
        return Callee(name)

    def _method(self, call: r.Call, name: str, on: r.Value, function: Function, depth: int) -> Callee:
        base = self._types.of(on, function, depth + 1)
        scopes = self._names.scopes(function)
        if base:
            is_constant = types.parse(base).const or self._is_constant(on, function)
            if isinstance(call.callee, r.Member) and not call.callee.arrow:
                holder = self._holder(base, function)
                symbol = f"{holder}::{name}"
                # `ptr.get()`, though what it points to has a `get`, too
                if holder and (models := self._models_of(symbol, scopes)):
                    is_own = is_constant and "container" in self._types.roles(base, function)
                    result = _said(models, types.element(base), is_own)
                    return Callee(symbol, (), (), models, models[0].certainty, result=result)
            for cls in self._types.classes_of(base, function):
                records = [record for record in cls.declared(name) if _takes(record, _given(call))]
                if records:
                    if isinstance(on, r.Name) and on.text in function.locals:
                        records = _as_const_as(types.parse(base), records)
                    found = self._by_arguments([(cls.file, record) for record in records], call, function, depth)
                    if not call.template and not self._agreed(found):
                        found = [(file, record) for file, record in found if not _must_be_given(record)] or found
                    return self._made(
                        f"{cls.symbol}::{name}",
                        found,
                        self._models_of(f"{cls.symbol}::{name}", scopes),
                        "certain",
                        cls,
                        function,
                    )
            held = types.parse(base)
            for written in (base, *held.arguments[:1]):
                owner = types.parse(written).name
                models = self._models_of(f"{owner}::{name}", scopes)
                if models:
                    is_own = is_constant if written is base else types.parse(written).const
                    result = _said(models, types.element(written.rstrip(" &*")), is_own)
                    return Callee(f"{owner}::{name}", (), (), models, models[0].certainty, result=result)
                returned, certainty = self._models.returns(f"{owner}::{name}", scopes)
                if returned:
                    return Callee(f"{owner}::{name}", certainty=certainty, result=returned)
            for cls in self._types.classes_of(base, function):
                if (inherited := self._inherited(cls, name, is_constant, scopes)) is not None:
                    return inherited
            if not held.is_placeholder and self._models.role(held.name, scopes):
                return Callee(f"{held.name}::{name}", certainty="possible")
        is_of_family = bool(base) and not types.parse(base).is_placeholder
        is_of_family = is_of_family and not is_template_parameter(types.parse(base).name, function)
        family = self._family(base, function) if is_of_family else None
        given = _given(call)
        found = self._candidates.ask((name, given, family), lambda: self._methods(name, given, family))
        agreed = self._shared(found).agreed and any(self._fits(f, g, call, function) for f, g in found)
        agreed = agreed and not self._models.verbs(name, "receiver")  # a library's class may be meant
        sure = because("name" if agreed else "guess", _by_name(name, bool(found), agreed))
        return self._made(name, found, (), sure, None, function)

    def _methods(self, name: str, given: int, family: frozenset[str] | None) -> list[Found]:
        """The methods that take so many arguments, of any class or of those of a family."""
        called = self._index.records_called(name)
        spend(len(called))
        found = [(file, record) for file, record in called if record.owner and _takes(record, given)]
        return found if family is None else [one for one in found if self._is_method_of(family, *one)]

    def _inherited(self, cls: Class, name: str, is_constant: bool, scopes: tuple[str, ...]) -> Callee | None:
        """The method of a library's class that one of the project's derives from, where a model says its result."""
        for one in cls.ancestry:
            for base in one.record.bases:
                kind = types.parse(base.name)
                models = self._models_of(f"{kind.name}::{name}", scopes)
                if result := _said(models, one.symbol, is_constant):  # which the base is given
                    return Callee(f"{kind.name}::{name}", (), (), models, models[0].certainty, result=result)
        return None

    def _is_constant(self, on: r.Value, function: Function) -> bool:
        """Whether an object is a member of one that a method does not change."""
        while isinstance(on, r.Member) and not on.arrow:
            on = on.base
        is_own = isinstance(on, r.Name) and on.text not in function.locals
        return is_own and "const" in function.record.qualifiers

    def _holder(self, written: str, function: Function) -> str:
        """The name of a library's class that leads to another: of a smart pointer, an optional."""
        kind = types.parse(self._names.expand(written, function.file, function.record.scope))
        if not kind.arguments or kind.pointers:
            return ""
        cls = self._names.find_class(kind.name, function.record.scope, function.file)
        return kind.name if cls is None else ""

    def _by_arguments(self, found: list[Found], call: r.Call, function: Function, depth: int) -> list[Found]:
        """Of several overloads, those that take objects of the classes that are given; all where that leaves none."""
        if len(found) < 2 or all(taken_types(record) == taken_types(found[0][1]) for _, record in found[1:]):
            return found
        spend(len(found) // 8)
        written = [self._types.of(value, function, depth + 1) for value in call.args]
        given = [self._objects(one, function) for one in written]
        if any(given):
            found = [(file, record) for file, record in found if self._takes_objects(file, record, given)] or found
        values = [number for number, one in enumerate(written) if self._is_container(one, function)]
        if values:
            found = [(file, record) for file, record in found if _takes_values(record, values)] or found
        return found

    def _is_container(self, written: str, function: Function) -> bool:
        kind = types.parse(written)
        return bool(kind.arguments) and not kind.pointers and "container" in self._types.roles(written, function)

    def _objects(self, written: str, function: Function) -> frozenset[str]:
        """The names of the class of an object, or of what is pointed to, and of its bases; empty if unknown."""
        kind = types.parse(self._names.expand(written, function.file, function.record.scope))
        cls = self._names.find_class(kind.name, function.record.scope, function.file) if kind.name else None
        if cls is None or kind.pointers > 1 or any(one.record.template for one in cls.ancestry):
            return frozenset()
        bases = {types.parse(base.name).last for one in cls.ancestry for base in one.record.bases}
        return frozenset({cls.name, *bases, *(one.name for one in cls.ancestry)})

    def _takes_objects(self, file: File, record: r.FunctionRecord, given: Sequence[frozenset[str]]) -> bool:
        """False where a parameter is of another class than what is given, and not of one of its bases."""
        _, refusing = self._refusing.ask(id(record), lambda: (record, list(self._refuses(file, record))))
        return all(not names or not last or last in names for last, names in zip(refusing, given, strict=False))

    def _refuses(self, file: File, record: r.FunctionRecord) -> Iterator[str]:
        """Of each parameter the last name of the class or type of which an object has to be; empty where that is not
        known."""
        for parameter in record.parameters:
            taken = types.parse(self._names.expand(parameter.type, file, record.scope))
            is_known = taken.is_scalar or (
                taken.pointers and self._names.find_class(taken.name, record.scope, file) is not None
            )
            yield taken.last if is_known else ""

    def _fits(self, file: File, record: r.FunctionRecord, call: r.Call, function: Function) -> bool:
        """Whether the arguments can be what a method of an unknown object takes: a number is no object."""
        if "template" in record.qualifiers:
            return True
        return all(
            fits(self._types.of(given, function), self._names.expand(taken.type, file, record.scope))
            for given, taken in zip(call.args, record.parameters, strict=False)
        )

    def _is_method_of(self, family: frozenset[str], file: File, record: r.FunctionRecord) -> bool:
        owner = self._index.owner(file, record)
        symbols = [owner.symbol if owner is not None else record.owner]
        if owner is None and "::" not in record.owner:  # of which namespace, says what the file opens
            symbols = [f"{opened}::{record.owner}" for opened in self._names.opened(file)] or symbols
        return any(
            qualified.names(symbol, name) or qualified.names(name, symbol) for symbol in symbols for name in family
        )

    def _family(self, written: str, function: Function) -> frozenset[str]:
        """Names of the classes whose methods a receiver of this type can have, though none of them declares
        the one that is asked for: its own class where that is out of sight, and the bases."""
        kind = types.parse(written)
        names = {kind.name, *(types.parse(argument).name for argument in kind.arguments)}
        for cls in self._types.classes_of(written, function):
            names.update(types.parse(base.name).name for one in cls.ancestry for base in one.record.bases)
        return frozenset(names)

    def _free(self, call: r.Call, name: str, function: Function) -> Callee:
        written = call.callee.text if isinstance(call.callee, r.Name) else name
        given = _given(call)
        scopes = self._names.scopes(function)
        if function.home is not None and "::" not in written:
            records = [record for record in function.home.declared(name) if _takes(record, given)]
            if records:
                symbol = f"{function.home.symbol}::{name}"
                found = self._by_arguments([(function.home.file, record) for record in records], call, function, 0)
                return self._made(symbol, found, self._models_of(symbol, scopes), "certain", function.home, function)
            is_constant = "const" in function.record.qualifiers
            if (inherited := self._inherited(function.home, name, is_constant, scopes)) is not None:
                return inherited
        seen_from = (written, given, function.file.path, function.record.scope, scopes)
        chosen = self._candidates.ask(seen_from, lambda: self._functions(name, written, given, function))
        chosen = self._by_arguments(chosen, call, function, 0)
        models = self._models_of(self._names.in_full(written, function.file), scopes) or self._models_of(
            written, scopes
        )
        if not chosen:
            result, fit = self._models.returns(written, scopes)
            if result or not models:
                return Callee(written, models=models, certainty=fit, result=result)
        certainty: Certainty = "certain" if self._shared(chosen).agreed else "possible"
        if not chosen and models:
            certainty = models[0].certainty
        certainty = because(certainty, _by_name(name, bool(chosen), agreed=False))
        symbol = qualified.of(chosen[0][1], "::") if chosen else models[0].name
        answered = "" if chosen else _said(models, "", is_constant=False)
        return self._made(symbol, chosen, models, certainty, None, function, answered)

    def _functions(self, name: str, written: str, given: int, function: Function) -> list[Found]:
        """The functions that take so many arguments and can be meant by a name in the function, the nearest alone."""
        scopes = self._names.scopes(function)
        called = self._index.records_called(name)
        spend(len(called))
        candidates = [
            (f, g)
            for f, g in called
            if (written == name or qualified.names(qualified.of(g, "::"), written)) and _takes(g, given)
            if f is function.file or not self._is_of_its_file(f, g)
        ]
        visible = [
            (f, g) for f, g in candidates if "::" in written or (not g.owner and not g.scope) or g.scope in scopes
        ]
        chosen = visible or ([] if "::" not in written else candidates)
        if len(chosen) < 2:
            return chosen
        shared = [qualified.shared(qualified.of(g, "::"), function.record.scope) for _, g in chosen]
        nearest = max(shared)
        chosen = [one for one, common in zip(chosen, shared, strict=True) if common == nearest]
        same = [(f, g) for f, g in chosen if f is function.file]
        return same if same and not self._agreed(chosen) else chosen

    def meant(self, name: str, function: Function) -> Function | None:
        """The function that a name means in the function where it is not called, if that is one alone."""
        scopes = ("", *self._names.scopes(function))
        found = [
            (file, record)
            for file, record in self._index.records_called(qualified.last(name))
            if qualified.names(qualified.of(record, "::"), name)
            and ("::" in name or record.scope in scopes)
            and (file is function.file or not self._is_of_its_file(file, record))
        ]
        shared = [qualified.shared(qualified.of(record, "::"), function.record.scope) for _, record in found]
        nearest = [one for one, common in zip(found, shared, strict=True) if common == max(shared)]
        functions = tuple(self._index.definitions(nearest, None))
        return functions[0] if len(functions) == 1 else None

    def _is_of_its_file(self, file: File, record: r.FunctionRecord) -> bool:
        """A static function of a source file, which no other file can call; unless that file is itself included."""
        is_own = "static" in record.qualifiers and not record.owner and file.is_compiled_alone
        return is_own and not self._index.is_included(file)

    def _models_of(self, symbol: str, scopes: tuple[str, ...]) -> tuple[FunctionModel, ...]:
        return self._models.function(symbol, "cpp", scopes)

    def _agreed(self, found: Sequence[Found]) -> bool:
        return len({_plain(written) for written in self._results(found)}) == 1

    def _results(self, found: Sequence[Found]) -> list[str]:
        """What they are declared to answer; not of one where a macro in front was read as that."""
        written = [record.result for _, record in found if record.result]
        return [one for one in written if not self._names.is_macro(types.parse(one).last)] or written

    def _shared(self, found: Sequence[Found], owner: Class | None = None) -> _Overloads:
        key = (id(owner), *(id(record) for _, record in found))
        return self._overloads.ask(key, lambda: self._compared(found, owner))

    def _compared(self, found: Sequence[Found], owner: Class | None) -> _Overloads:
        agreed = self._agreed(found)
        functions = tuple(self._index.definitions(found, owner))
        result = self._results(found)[0] if agreed else ""
        return _Overloads(tuple(found), agreed, result, functions if len(functions) <= _MOST_BODIES else ())

    def _made(
        self,
        symbol: str,
        found: Sequence[Found],
        models: tuple[FunctionModel, ...],
        certainty: Certainty,
        owner: Class | None,
        function: Function,
        result: str = "",
    ) -> Callee:
        shared = self._shared(found, owner)
        records = tuple(record for _, record in found[:_MOST_BODIES])
        if not result and shared.agreed:
            result = shared.result
            file, record = found[0]
            origin = qualified.of(record, "::").rpartition("::")[0]
            result = self._names.carried(result, (file, origin), (function.file, function.record.scope))
        functions = shared.functions
        if types.parse(result).is_placeholder and len(functions) == 1:
            result = self.inferred_result(functions[0], 4)
        return Callee(symbol, records, functions, agreeing(models, records), certainty, owner, result)

    def result_type(self, call: r.Call, function: Function, depth: int = 0) -> str:
        callee = call.callee
        name = last_name(callee)
        if call.kind in ("construct", "new"):
            written = callee.text if isinstance(callee, r.Name) else ""
            if call.template:
                written += f"<{call.template}>"
            return written + "*" if call.kind == "new" else written
        if name in _MAKERS and call.template:
            return f"{_MAKERS[name]}<{call.template}>"
        called = self._called_lambda(call, function)
        if called is not None:
            return self.inferred_result(called, depth)
        held = self._called_object(callee, function, depth)
        if held is not None:
            return held.result
        meaning = self._names.meaning(function.file, _name_start(callee))
        if meaning is not None and meaning.type:
            return meaning.type
        if name in ("get", "get_if", "any_cast") and call.template and isinstance(callee, r.Name):
            return self._alternative(call, name, function, depth)
        if name in ("move", "forward") and len(call.args) == 1:
            return self._types.of(call.args[0], function, depth + 1).rstrip(" &")
        if isinstance(callee, r.Name) and self._names.has_no_value(name):
            return ""
        on = receiver(call)
        if on is not None and (led := self._led_to(on, name, function, depth) or self._put(on, name, function, depth)):
            return led
        found = self.callee(call, function, depth)
        if on is None and call.args and (moved := self._moved_iterator(call, found, function, depth)):
            return moved
        if not found.records and not found.models and isinstance(callee, r.Name):
            made = self._names.find_class(callee.text, function.record.scope, function.file)
            if made is not None:  # `T(a)` is spelled like a call
                return made.symbol + (f"<{call.template}>" if call.template else "")
            meant = self._names.expand(callee.text, function.file, function.record.scope)
            if meant != callee.text and self._names.find_class(meant, function.record.scope, function.file) is not None:
                return meant
            written = f"{meant}<{call.template}>" if call.template else meant
            if self._types.roles(written, function):  # a class that a model knows
                return written
        return self._instantiated(found, call, function, depth)

    def _alternative(self, call: r.Call, name: str, function: Function, depth: int) -> str:
        """What `std::get` and its like answer: what the template names, or the part at that place of a tuple; a pointer
        to it where a pointer is given."""
        written, given = call.template, call.args[0] if call.args else None
        if written.isdigit():
            held = self._types.of(given, function, depth + 1) if given is not None else ""
            parts = types.parse(self._names.expand(held, function.file, function.record.scope)).arguments
            in_order = {"pair", "optional"} & set(self._types.roles(held, function)) if held else ()
            written = parts[int(written)] if in_order and int(written) < len(parts) else ""
        elif written[:1].isdigit():
            return ""
        is_lent = name == "get_if" or (isinstance(given, r.Unary) and given.op == "&")
        return written + "*" if written and is_lent else written

    def _instantiated(self, found: Callee, call: r.Call, function: Function, depth: int) -> str:
        """What the callee answers, with the arguments of its template that are written, of its class or its own."""
        result, on = found.result, receiver(call)
        if found.models and result in ("template", "template*"):
            return types.arguments_of(call.template)[0] + result[len("template") :] if call.template else ""
        if on is not None and found.owner is not None and found.owner.record.template:
            of = types.parse(self._types.of(on, function, depth + 1))
            if of.arguments and of.last == found.owner.name:
                result = types.substituted(result, found.owner.record.template, of.arguments)
        if call.template and len({record.template for record in found.records}) == 1:
            result = types.substituted(result, found.records[0].template, types.arguments_of(call.template))
        return result

    def _led_to(self, on: r.Value, name: str, function: Function, depth: int) -> str:
        """What a method leads to that containers, pointers and optionals have: an element, a pointer, an iterator."""
        methods = self._models.containers
        if name == "lock":
            weak = self._types.of(on, function, depth + 1)
            if weak and "weak pointer" in self._types.roles(weak, function):
                return f"std::shared_ptr<{types.element(weak)}>"
        if name not in methods.ways_in:
            return ""
        base = self._types.of(on, function, depth + 1)
        base = self._types.walked(base, function) or base
        declared = bool(base) and bool(list(self._declared_on(base, name, function)))
        if base and not declared and (name in ("at", "value") or name in methods.places):
            return types.element(base)
        if base and name == "get" and types.parse(base).arguments and not declared:
            return types.element(base) + "*"
        roles = self._types.roles(base, function) if base and name in methods.iterators else ()
        if "container" in roles and not ("string" in roles and name in methods.finds):  # a string finds a position
            return f"iterator<{base.rstrip(' &*')}>"
        return ""

    def _put(self, on: r.Value, name: str, function: Function, depth: int) -> str:
        """What a container answers into which something is put under a key: where that is, and whether it is new."""
        methods = self._models.containers
        if name not in (methods.inserts | methods.replaces) - methods.places:
            return ""
        base = self._types.of(on, function, depth + 1)
        roles = self._types.roles(base, function) if base else ()
        if "multiple" in roles or not ({"associative", "set"} & set(roles)):
            return ""
        return f"std::pair<iterator<{base.rstrip(' &*')}>, bool>"

    def _moved_iterator(self, call: r.Call, found: Callee, function: Function, depth: int) -> str:
        """What a library's algorithm answers that leads into the same range as the iterator that it is given."""
        if not any(
            str(effect) == "borrow result from argument 1" for model in found.models for effect in model.effects
        ):
            return ""
        given = self._types.of(call.args[0], function, depth + 1)
        return given if types.iterated(given) else ""

    def _declared_on(self, base: str, name: str, function: Function) -> Iterator[r.FunctionRecord]:
        cls = self._names.find_class(types.parse(base).name, function.record.scope, function.file)
        if cls is not None:
            yield from cls.declared(name)

    def inferred_result(self, function: Function, depth: int = 0) -> str:
        """The result type, read off the returned values where it is left to the compiler; empty when they disagree."""
        if function.record.result and not types.parse(function.record.result).is_placeholder:
            return function.record.result
        if depth >= 8 or function in self._inferring:  # a function that returns what it calls itself
            return ""
        return self._inferred.ask(function, lambda: self._returned(function, depth))

    def _returned(self, function: Function, depth: int) -> str:
        self._inferring.add(function)
        try:
            answers = {
                self._types.of(statement.value, function, depth + 1)
                for statement in function.statements
                if isinstance(statement, r.Leave) and statement.kind == "return"
            }
        finally:
            self._inferring.discard(function)
        return answers.pop() if len(answers) == 1 else ""


def _as_asked(found: Callee, call: r.Call) -> Callee:
    """Without the models that are about other uses of the function than that which the call names."""
    if not any(model.option_at for model in found.models):
        return found
    return msgspec.structs.replace(found, models=tuple(one for one in found.models if _is_about(one, call)))


def _is_about(model: FunctionModel, call: r.Call) -> bool:
    given = strip(call.args[model.option_at - 1]) if 0 < model.option_at <= len(call.args) else None
    return not model.option_at or (isinstance(given, r.Name) and given.text in model.options)


def _said(models: Sequence[FunctionModel], element: str, is_constant: bool) -> str:
    """The result that models say, for what the receiver holds; empty where none does, or that is not known."""
    written = next((model.result for model in models if model.result), "")
    if "element" not in written:
        return written
    if is_constant and written != "element" and not types.parse(element).const:
        element = f"const {element}" if not element.endswith("*") else ""
    return _ELEMENT.sub(lambda _: element, written) if element else ""


_ELEMENT = re.compile(r"\belement\b")


def _by_name(name: str, found: bool, agreed: bool) -> str:
    """Why it is not certain what a call reaches that only its name leads to."""
    if not found:
        return f"`{name}` is not defined in the analysed files"
    if not agreed:
        return f"several functions are called `{name}`, and it is not known which one is called"
    return f"`{name}` is found by name only: the type that it is called on is not known"


def _signature(record: r.FunctionRecord) -> tuple[str, tuple[str, ...], bool]:
    """What declarations of one function have in common: where the body stands, its class may be named by less."""
    where = record.owner.rpartition("::")[2] if record.owner else record.scope
    return where, taken_types(record), "const" in record.qualifiers


def taken_types(record: r.FunctionRecord) -> tuple[str, ...]:
    return tuple(parameter.type for parameter in record.parameters)


def _as_const_as(kind: types.Type, records: list[r.FunctionRecord]) -> list[r.FunctionRecord]:
    """Of two methods that differ in `const` alone the one that a local of the type is asked by."""
    if kind.arguments or kind.is_placeholder:
        return records
    known = {_signature(record)[1:] for record in records}
    return [
        record
        for record in records
        if kind.const == ("const" in record.qualifiers) or (taken_types(record), kind.const) not in known
    ]


def _plain(written: str) -> str:
    kind = types.parse(written)
    return kind.last + "<" + ",".join(kind.arguments) + ">" + "*" * kind.pointers + "&" * kind.reference


def fits(given: str, taken: str) -> bool:
    """Whether a value of one type can be an argument of another, as far as builtin types tell: a `size_t` is no
    `Stream&`, and a `char*` no `Node*`."""
    one, other = types.parse(given), types.parse(taken)
    if not given or not one.is_scalar or other.is_scalar or other.is_placeholder or other.last == "void":
        return True
    if one.pointers:
        return not (one.pointers == other.pointers and not other.reference)
    return not other.pointers and (not other.reference or other.const)


_MANY = -1


def _given(call: r.Call) -> int:
    """How many arguments a call gives; `_MANY` where that is not known."""
    is_spread = any(isinstance(arg, r.Unary) and arg.op.startswith("spread") for arg in call.args)
    return _MANY if is_spread else len(call.args)


def _takes(record: r.FunctionRecord, given: int) -> bool:
    """Whether a function can take so many arguments."""
    parameters = record.parameters
    if given == _MANY:
        return True
    if any(p.spread or p.type.endswith("...") or p.name == "..." or p.type == "..." for p in parameters):
        return True
    required = sum(1 for p in parameters if p.default is None)
    return required <= given <= len(parameters)


def _takes_values(record: r.FunctionRecord, positions: Sequence[int]) -> bool:
    """Whether none of those parameters, which get containers, is a pointer."""
    return not any(
        types.parse(one.type).pointers for number, one in enumerate(record.parameters) if number in positions
    )


def _must_be_given(record: r.FunctionRecord) -> bool:
    """Whether a call has to say the first argument of a template, as no parameter does: `T` of `T* Make<T>(int)`."""
    first = record.template.partition(",")[0]
    words = _WORDS.findall(first)
    return (
        bool(words)
        and "=" not in first
        and "..." not in first
        and not any(words[-1] in _WORDS.findall(parameter.type) for parameter in record.parameters)
    )


def _name_start(callee: r.Value) -> int:
    match callee:
        case r.Member():
            return callee.name_start
        case r.Name(text=name):
            return callee.end - len(qualified.last(name).encode()) if "::" in name else callee.start
    return -1
