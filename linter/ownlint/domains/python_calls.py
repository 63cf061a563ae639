"""What a call of Python means, whatever is followed: which code of the project it runs, and where each argument goes.

Functions and classes are values like others: they lie in tables and attributes, are bound to arguments and given away.
So a flow carries them as things with *slots* (see `engine.containment`): a name of code, and beside it, in slots that
begin with `HELD`, what it is bound to: arguments by their place, keywords, and captured variables.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from ownlint.domains import instances, python_modules
from ownlint.domains.python_modules import ROOT as _ROOT
from ownlint.domains.python_modules import PythonValue, absolute
from ownlint.engine.containment import ANY, HELD, VALUE
from ownlint.facts import records as r
from ownlint.flow.lower import declared_names
from ownlint.flow.places import names_in
from ownlint.project import derived
from ownlint.project.closures import captured, outside_names
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Class, Function
from ownlint.steps import spend

CODE, OBJECT, MEMBER = "%code ", "%object ", "%member "
"""How the names begin of a function of the project, an object of one of its classes, and a method that is to be given
its receiver."""
KEYWORD = HELD + VALUE
SAME = frozenset(["functools.wraps", "functools.cache", "functools.lru_cache", "contextlib.contextmanager"])
"""Behind these a function is what it was."""
_SAME = SAME | {
    f"{module}{name}" for module in ("", "builtins.") for name in ("staticmethod", "classmethod", "property")
}
_MOST_CALLERS = 300
"""Functions that call something of one name: of more it is not asked which of them call this one."""
_CONTEXTS = frozenset(["contextlib.contextmanager", "contextlib.asynccontextmanager"])


class Placed(Protocol):
    """What sits in slots."""

    @property
    def path(self) -> tuple[str, ...]: ...

    def inside(self, slot: str) -> Self: ...

    def out(self) -> Self: ...


S = TypeVar("S", bound=Placed)
T = TypeVar("T", Function, Class)


class PassedArgument(NamedTuple, Generic[S]):
    """An argument: by place, by keyword, or spread (`*`, `**`)."""

    values: frozenset[S]
    keyword: str = ""
    spread: str = ""


class ArgumentsByParameter(NamedTuple):
    """What a call gives by parameter. Without `is_complete` it spreads out something that may give others as well."""

    values: dict[str, r.Value]
    is_complete: bool


class ArgumentOfCall(NamedTuple):
    """What one call gives a parameter: None where that has its default, or, without `is_known`, where it is part of
    something that is spread out."""

    caller: Function
    call: r.Call
    value: r.Value | None
    is_known: bool


def arguments_of(call: r.Call, values: Iterable[frozenset[S]]) -> Iterator[PassedArgument[S]]:
    """The arguments of a call, with what each of them gives; of a spread one what is spread."""
    for argument, given in zip(call.args, values, strict=True):
        match argument:
            case r.Pair(key=r.Name(text=keyword)):
                yield PassedArgument(given, keyword)
            case r.Unary(op="spread"):
                yield PassedArgument(given, spread="*")
            case r.Unary(op="spread2"):
                yield PassedArgument(given, spread="**")
            case _:
                yield PassedArgument(given)


def bound_arguments(held: Iterable[S]) -> list[PassedArgument[S]]:
    """What a callable is bound to, as arguments that come before those of a call."""
    by_slot: dict[str, list[S]] = {}
    for one in held:
        if one.path:
            by_slot.setdefault(one.path[0], []).append(one)
    places: dict[int, set[S]] = {}
    named: dict[str, set[S]] = {}
    for slot, values in by_slot.items():
        if slot.startswith(KEYWORD):
            named.setdefault(slot.removeprefix(KEYWORD), set()).update(one.out() for one in values)
        elif slot.startswith(HELD) and slot[1:].isdigit():
            places.setdefault(int(slot[1:]), set()).update(one.out() for one in values)
    ordered = [PassedArgument(frozenset(places.get(n, ()))) for n in range(max(places, default=-1) + 1)]
    return ordered + [PassedArgument(frozenset(values), name) for name, values in sorted(named.items())]


def bound_to(arguments: Iterable[PassedArgument[S]], first: int = 0) -> Iterator[S]:
    """The slots of arguments that a callable is bound to."""
    number = first
    for one in arguments:
        if one.spread:
            return
        slot = KEYWORD + one.keyword if one.keyword else f"{HELD}{number}"
        number += not one.keyword
        yield from (value.inside(slot) for value in one.values)


def passed(function: Function, arguments: Iterable[PassedArgument[S]]) -> dict[str, frozenset[S]]:
    """By parameter what it gets. What is spread out of a container of which nobody knows the places goes to `*args`
    alone."""
    parameters = function.record.parameters
    names = [one.name for one in parameters if not one.spread and not one.keyword_only]
    known = {one.name for one in parameters if not one.spread}
    rest = next((one.name for one in parameters if one.spread == "*"), "")
    others = next((one.name for one in parameters if one.spread == "**"), "")
    found: dict[str, frozenset[S]] = {}

    def put(name: str, values: Iterable[S]) -> None:
        if name:
            found[name] = found.get(name, frozenset()) | frozenset(values)

    def place(number: int, values: frozenset[S]) -> None:
        if number < len(names):
            put(names[number], values)
        else:
            put(rest, (one.inside(str(number - len(names))) for one in values))

    def by_keyword(keyword: str, values: frozenset[S]) -> None:
        if keyword in known:
            put(keyword, values)
        else:
            put(others, (one.inside(VALUE + keyword) for one in values))

    number = 0
    for argument in arguments:
        if argument.spread == "*":
            placed = [one for one in argument.values if one.path and one.path[0].isdigit()]
            for one in placed:
                place(number + int(one.path[0]), frozenset({one.out()}))
            put(rest, (one for one in argument.values if one.path and one.path[0] == ANY))
            number += max((int(one.path[0]) for one in placed), default=-1) + 1
        elif argument.spread == "**":
            for one in argument.values:
                if one.path and one.path[0].startswith(VALUE) and one.path[0] != VALUE:
                    by_keyword(one.path[0].removeprefix(VALUE), frozenset({one.out()}))
        elif argument.keyword:
            by_keyword(argument.keyword, argument.values)
        else:
            place(number, argument.values)
            number += 1
    return found


class PythonCode:
    """The functions and classes of the project's Python, by what they are called."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._functions: Answers[str, Function | None] = Answers(None)
        self._found_classes: Answers[str, Class | None] = Answers(None)
        self._outer: Answers[Function, frozenset[str]] = Answers()
        self._own: Answers[Function, frozenset[str]] = Answers()
        self._wrapped: Answers[Function, tuple[r.Call, ...] | None] = Answers()
        self._names: Answers[str, frozenset[str]] = Answers()
        self._by_place: Answers[str, list[tuple[int, int, str, r.Value]]] = Answers()
        self._mentioning: Answers[str, dict[str, list[int]]] = Answers()
        self._globals: Answers[str, dict[str, list[r.Value]]] = Answers()
        self._called: Answers[tuple[Function, int, int], tuple[Function, ...]] = Answers(())
        self._given: Answers[tuple[Function, str], tuple[ArgumentOfCall, ...]] = Answers(())

    # --- names of code ---

    def name_of(self, function: Function) -> str:
        return f"{CODE}{function.index} {function.path}"

    def function_of(self, name: str) -> Function | None:
        index, _, path = name.partition(" ")[2].partition(" ")
        file = self.program.files.get(path)
        return self.program.index.function_at(file, int(index)) if file is not None else None

    def object_of(self, cls: Class) -> str:
        return f"{OBJECT}{cls.record.start} {cls.file.path}"

    def class_of(self, name: str) -> Class | None:
        """The class of an object."""
        return self._by_object.get(name)

    @program_property
    def _by_object(self) -> dict[str, Class]:
        classes = (cls for cls in self.program.classes if cls.file.language == "python")
        return {self.object_of(cls): cls for cls in classes}

    # --- symbols ---

    def function(self, symbol: str, file: File | None = None) -> Function | None:
        """The one function or method of the project that this dotted name means, in that file."""
        full = absolute(symbol, file)
        return self._functions.ask(full, lambda: self._meant(full, self._functions_called, self.function))

    def cls(self, symbol: str, file: File | None = None) -> Class | None:
        """The one class of the project that this dotted name means, in that file."""
        full = absolute(symbol, file)
        return self._found_classes.ask(full, lambda: self._meant(full, self._classes_called, self.cls))

    def _meant(self, symbol: str, called: dict[str, list[T]], elsewhere: Callable[[str], T | None]) -> T | None:
        module, _, name = symbol.rpartition(".")
        exact = [one for one in called.get(name, ()) if module and _fits(one, module)]
        if exact or not module:
            return exact[0] if len(exact) == 1 else None
        target = self._handed_on.get(symbol, "")
        return elsewhere(target) if target else None

    @program_property
    def _handed_on(self) -> dict[str, str]:
        """What a module of the project imports can be imported from it: where it comes from."""
        out: dict[str, str] = {}
        for file in self.program.files.values():
            if file.language == "python" and file.module:
                homes = (file.module.removesuffix(".__init__"), _place(file))
                imports = [i for i in file.imports if i.scope < 0 and i.name != "*"]
                out.update((f"{home}.{i.name}", absolute(i.target, file)) for home in homes for i in imports)
        return {name: target for name, target in out.items() if name != target and out.get(target) != name}

    @program_property
    def _functions_called(self) -> dict[str, list[Function]]:
        out: dict[str, list[Function]] = {}
        for function in self.program.functions_of("python"):
            if function.record.kind in ("function", "method", "constructor") and function.record.parent < 0:
                out.setdefault(function.name, []).append(function)
        return out

    @program_property
    def _classes_called(self) -> dict[str, list[Class]]:
        out: dict[str, list[Class]] = {}
        for cls in self.program.classes:
            if cls.file.language == "python":
                out.setdefault(cls.record.name, []).append(cls)
        return out

    def is_one(self, name: str) -> bool:
        """Whether some function or class of the project is called so."""
        return name in self._functions_called or name in self._classes_called

    # --- calls ---

    def functions_called(self, call: r.Call, function: Function) -> tuple[Function, ...]:
        """The functions of the project that a call in `function` runs; of a class its constructor. More than one where
        a module defines a name for several cases, none where what is called is not known."""
        return self._called.ask((function, call.start, call.end), lambda: self._run_by(call, function))

    def _run_by(self, call: r.Call, function: Function) -> tuple[Function, ...]:
        callee = call.callee
        if isinstance(callee, r.Name) and (nested := self._nested(callee.text, function)) is not None:
            return (nested,)
        if isinstance(callee, r.Member):
            cls, behind = self._receiver(callee.base, function)
            if cls is not None:
                method = self.method(cls, callee.name, behind)
                return (method,) if method is not None else ()
        symbol = self.program.names.named(function.file, callee)
        found = python_modules.of(self.program).defined(symbol, function.file) if symbol else python_modules.Defined()
        if found.cls is not None:
            method = self.method(found.cls, "__init__")
            return (method,) if method is not None else ()
        return found.functions

    def _nested(self, name: str, function: Function) -> Function | None:
        """The function that the body, or one around it, defines by that name."""
        scope: Function | None = function
        while scope is not None:
            inside = self.program.index.nested(scope) if scope.record.kind not in ("module", "class") else ()
            found = [one for one in inside if one.name == name and one.record.kind == "function"]
            if found:
                return found[0] if len(found) == 1 else None
            scope = scope.parent
        return None

    def _receiver(self, base: r.Value, function: Function) -> tuple[Class | None, Class | None]:
        """The class of what a method is called on, and, for `super()`, the one whose bases are asked."""
        home = function.home
        if isinstance(base, r.Call) and isinstance(base.callee, r.Name) and base.callee.text == "super":
            return home, home
        if isinstance(base, r.Name) and base.text == function.itself:
            return home, None
        return self.class_of_object(base, function), None

    def class_of_object(self, value: r.Value, function: Function, left: int = 4) -> Class | None:
        """The class of the project whose object an expression is: one that is constructed there, or by the one
        assignment of its name or attribute, or a parameter that is declared as one."""
        if left <= 0:
            return None
        modules = python_modules.of(self.program)
        if isinstance(value, r.Call):
            symbol = self.program.names.named(function.file, value.callee)
            return modules.defined(symbol, function.file).cls if symbol else None
        if isinstance(value, r.Name):
            parameter = next((one for one in function.record.parameters if one.name == value.text), None)
            if parameter is not None:
                meaning = self.program.names.meaning(function.file, parameter.start)
                return modules.defined(meaning.type, function.file).cls if meaning and meaning.type else None
        found = self.value_of(value, function)
        return self.class_of_object(found.value, found.scope, left - 1) if found is not None else None

    def value_of(self, value: r.Value, function: Function, left: int = 4) -> PythonValue | None:
        """What the one assignment of a name or attribute gives it, in this module or in the one it is imported from; of
        any other expression itself. None for parameters, and for what is assigned more than once."""
        if not isinstance(value, (r.Name, r.Member)):
            return PythonValue(function, value)
        found = self._assigned_once(value, function)
        if found is None or left <= 0:
            return None
        return self.value_of(found.value, found.scope, left - 1)

    def _assigned_once(self, value: r.Name | r.Member, function: Function) -> PythonValue | None:
        asking, modules = instances.of(self.program), python_modules.of(self.program)
        if isinstance(value, r.Member):
            base = value.base
            if isinstance(base, r.Name) and base.text == function.itself and function.home is not None:
                return modules.class_value(function.home, value.name)
        else:
            scope: Function | None = function
            while scope is not None:
                if any(one.name == value.text for one in scope.record.parameters):
                    return None
                if scope is function or scope.record.kind not in ("module", "class"):
                    known = asking.bindings(scope).get(value.text, [])
                    if known and value.text not in outside_names(scope):
                        given = known[0]
                        return PythonValue(scope, given) if len(known) == 1 and given is not None else None
                scope = scope.parent
            module = asking.module_body(function.file)
            known = asking.bindings(module).get(value.text, []) if module is not None else []
            if known and module is not None:
                given = known[0]
                return PythonValue(module, given) if len(known) == 1 and given is not None else None
        symbol = self.program.names.named(function.file, value)
        return modules.defined(symbol, function.file).value if symbol else None

    def given_parameters(self, call: r.Call, function: Function, target: Function) -> ArgumentsByParameter:
        """What a call in `function` gives each parameter of the function it runs. Defaults are not among it."""
        parameters = target.record.parameters
        placed = [one.name for one in parameters if not one.spread and not one.keyword_only]
        if placed and target.itself and self._is_bound(call, function, target):
            placed = placed[1:]
        known = {one.name for one in parameters if not one.spread}
        given: dict[str, r.Value] = {}
        is_complete, number = True, 0
        for argument in call.args:
            match argument:
                case r.Pair(key=r.Name(text=keyword), value=value):
                    if keyword in known:
                        given[keyword] = value
                case r.Unary(op="spread" | "spread2"):
                    is_complete = False
                    number = len(placed) if argument.op == "spread" else number
                case _:
                    if number < len(placed):
                        given[placed[number]] = argument
                    number += 1
        return ArgumentsByParameter(given, is_complete)

    def _is_bound(self, call: r.Call, function: Function, target: Function) -> bool:
        """Whether the call gives the first parameter by itself: the object, the one that is made, or the class."""
        if target.record.kind == "constructor" or any(one.name == "classmethod" for one in target.record.annotations):
            return True
        if not isinstance(call.callee, r.Member):
            return False
        base = call.callee.base
        symbol = self.program.names.named(function.file, base) if isinstance(base, (r.Name, r.Member)) else ""
        return not symbol or python_modules.of(self.program).defined(symbol, function.file).cls is None

    def given_arguments(self, function: Function, parameter: str) -> tuple[ArgumentOfCall, ...]:
        """Each call of the function in the project, with what its parameter gets there. Empty where nothing is known to
        call it, and where more call something of its name than are looked at."""
        return self._given.ask((function, parameter), lambda: tuple(self._given_to(function, parameter)))

    def _given_to(self, function: Function, parameter: str) -> Iterator[ArgumentOfCall]:
        is_made = function.record.kind == "constructor" and function.cls is not None
        name = function.cls.name if is_made and function.cls is not None else function.name
        callers = self.program.index.callers_by_name(name)
        spend(len(callers))
        for caller in callers if len(callers) <= _MOST_CALLERS else ():
            for call in caller.calls() if caller.language == "python" else ():
                is_named = self.program.names.meant_name(caller.file, call.callee) == name
                if is_named and function in self.functions_called(call, caller):
                    given = self.given_parameters(call, caller, function)
                    value = given.values.get(parameter)
                    yield ArgumentOfCall(caller, call, value, value is not None or given.is_complete)

    # --- what a function is ---

    def method(self, cls: Class, name: str, behind: Class | None = None) -> Function | None:
        """The method that an object of the class has by that name; `behind` a class of its ancestry for `super()`."""
        order = list(cls.ancestry)
        if behind is not None:
            order = order[order.index(behind) + 1 :] if behind in order else []
        for one in order:
            found = [method for method in one.defined_here.get(name, ()) if not _sets(method)]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def setter(self, cls: Class, name: str) -> Function | None:
        """What runs when an attribute is assigned that is a property."""
        found = (method for one in cls.ancestry for method in one.defined_here.get(name, ()) if _sets(method))
        return next(found, None)

    def fields(self, cls: Class) -> tuple[tuple[str, str], ...]:
        """Of a class that declares its fields, the parameters of its constructor, each with its field."""
        home = ".".join(filter(None, (cls.file.module.removesuffix(".__init__"), cls.record.scope, cls.record.name)))
        return derived.declared_fields(self.program, home)

    def outer_names(self, function: Function) -> frozenset[str]:
        """Names from around a function that it looks at, or sets."""
        return self._outer.ask(function, lambda: captured(function, function.index) | outside_names(function))

    def own_names(self, function: Function) -> frozenset[str]:
        """The names that a function binds for itself."""
        return self._own.ask(function, lambda: self._own_names(function))

    def _own_names(self, function: Function) -> frozenset[str]:
        every = function.declared if function.parent is None else declared_names(function.record, function.body, True)
        return every - outside_names(function) if function.record.kind != "module" else every

    def is_context_manager(self, function: Function) -> bool:
        return any(self._means(one, function.file, _CONTEXTS) for one in function.record.annotations)

    def is_wrapped(self, function: Function) -> bool:
        """Whether a decorator may have put something else in its place."""
        return not all(
            self._means(one, function.file, _SAME | _CONTEXTS) or one.name.endswith(".setter")
            for one in function.record.annotations
        )

    def _means(self, annotation: r.Annotation, file: File, wanted: frozenset[str]) -> bool:
        names = self.program.names
        last = annotation.start + len(annotation.name.rpartition(".")[0].encode()) + ("." in annotation.name)
        found = names.meaning(file, last) or names.meaning(file, annotation.start)
        return (found.symbol if found is not None else annotation.name) in wanted or annotation.name in wanted

    def decorations(self, function: Function) -> tuple[r.Call, ...] | None:
        """The calls that its decorators stand for, the innermost first; None when they are not found."""
        return self._wrapped.ask(function, lambda: self._decorations(function))

    def _decorations(self, function: Function) -> tuple[r.Call, ...] | None:
        at = function.record.name_start
        found = tuple(
            statement.value.value
            for scope in self._scopes(function)
            for statement in scope.statements
            if isinstance(statement, r.Evaluate)
            and isinstance(statement.value, r.Assign)
            and isinstance(statement.value.value, r.Call)
            and _is_name_at(statement.value.value.args[:1], at)
        )
        return found if len(found) == len(function.record.annotations) else None

    def _scopes(self, function: Function) -> Iterator[Function]:
        """The bodies in which the function may be defined: of its module, of its class."""
        for index, record in enumerate(function.file.functions):
            if record.kind in ("module", "class") and record.start <= function.record.start < max(record.end, 1):
                found = self.program.index.function_at(function.file, index)
                if found is not None:
                    yield found

    def value_of_global(self, file: File, name: str) -> r.Value | None:
        """The one value that a module gives a name, where it is made of functions: a table, a lambda, a call."""
        found = self._globals.ask(file.path, lambda: self._values_of_globals(file)).get(name, ())
        return found[0] if len(found) == 1 else None

    def names_of(self, file: File) -> frozenset[str]:
        """What a module imports by name, or defines: no variables."""
        return self._names.ask(file.path, lambda: self._names_of(file))

    def _names_of(self, file: File) -> frozenset[str]:
        functions = (function.name for function in file.functions if not function.scope)
        classes = (cls.name for cls in file.classes if not cls.scope)
        return frozenset([*functions, *classes, *(imported.name for imported in file.imports)])

    def global_at(self, file: File, at: int) -> tuple[str, r.Value] | None:
        """The name of a module in whose one value this stands, with the value."""
        known = self._by_place.ask(file.path, lambda: self._globals_by_place(file))
        number = bisect_right(known, (at, sys.maxsize)) - 1
        if number < 0:
            return None
        name, value = known[number][2:]
        return (name, value) if at in value.span else None

    def globals_made_of(self, file: File, name: str) -> list[int]:
        """Where the values begin that a module makes of what is called so in it."""
        return self._mentioning.ask(file.path, lambda: self._made_of(file)).get(name, [])

    def _made_of(self, file: File) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for start, _, _, value in self._by_place.ask(file.path, lambda: self._globals_by_place(file)):
            for inner in names_in(value):
                found.setdefault(inner, []).append(start)
        return found

    def _globals_by_place(self, file: File) -> list[tuple[int, int, str, r.Value]]:
        known = self._globals.ask(file.path, lambda: self._values_of_globals(file))
        values = ((name, given[0]) for name, given in known.items() if len(given) == 1)
        return sorted((value.start, number, name, value) for number, (name, value) in enumerate(values))

    def _values_of_globals(self, file: File) -> dict[str, list[r.Value]]:
        known: dict[str, list[r.Value]] = {}
        module = self.program.index.function_at(file, 0)
        for statement in module.body if module is not None and module.record.kind == "module" else ():
            match statement:
                case r.Evaluate(value=r.Assign(target=r.Name(text=name), value=value)):
                    known.setdefault(name, []).append(value)
        return known


def _is_name_at(args: tuple[r.Value, ...], at: int) -> bool:
    return len(args) == 1 and isinstance(args[0], r.Name) and args[0].start == at


def _sets(method: Function) -> bool:
    return any(one.name == f"{method.name}.setter" for one in method.record.annotations)


def _place(file: File) -> str:
    """The dotted name of a file by its path."""
    return ".".join([_ROOT, *file.path.removesuffix(".py").removesuffix("/__init__").split("/")])


def _fits(one: Function | Class, module: str) -> bool:
    """Whether it may stand in that module, as an import says it; the root may lie anywhere."""
    scope = one.record.scope
    if module.startswith(_ROOT):
        return ".".join(filter(None, (_place(one.file), scope))) == module
    home = ".".join(filter(None, (one.file.module.removesuffix(".__init__"), scope)))
    return home == module or home.endswith("." + module)


@program_question
def of(program: Program) -> PythonCode:
    return PythonCode(program)
