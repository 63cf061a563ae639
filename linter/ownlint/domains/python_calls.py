"""What a call of Python means, whatever is followed: which code of the project it runs, and where each argument goes.

Functions and classes are values like others: they lie in tables and attributes, are bound to arguments and given away.
So a flow carries them as things with *slots* (see `engine.containment`): a name of code, and beside it, in slots that
begin with `HELD`, what it is bound to: arguments by their place, keywords, and captured variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from ownlint.engine.containment import ANY, HELD, VALUE
from ownlint.facts import records as r
from ownlint.flow.lower import declared_names
from ownlint.project import derived
from ownlint.project.closures import captured, outside_names
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Class, Function

CODE, OBJECT, MEMBER = "%code ", "%object ", "%member "
"""How the names begin of a function of the project, an object of one of its classes, and a method that is to be given
its receiver."""
KEYWORD = HELD + VALUE
SAME = frozenset(["functools.wraps", "functools.cache", "functools.lru_cache", "contextlib.contextmanager"])
"""Behind these a function is what it was."""
_SAME = SAME | {
    f"{module}{name}" for module in ("", "builtins.") for name in ("staticmethod", "classmethod", "property")
}
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
    places: dict[int, set[S]] = {}
    named: dict[str, set[S]] = {}
    for one in held:
        slot = one.path[0] if one.path else ""
        if slot.startswith(KEYWORD):
            named.setdefault(slot.removeprefix(KEYWORD), set()).add(one.out())
        elif slot.startswith(HELD) and slot[1:].isdigit():
            places.setdefault(int(slot[1:]), set()).add(one.out())
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
        self._globals: Answers[str, dict[str, list[r.Value]]] = Answers()

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
        for function in self.program.functions:
            named = function.record.kind in ("function", "method", "constructor") and function.record.parent < 0
            if named and function.language == "python":
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

    def tables(self, file: File) -> list[str]:
        """The names of a module that may stand for functions which it does not define by them."""
        known = self._globals.ask(file.path, lambda: self._values_of_globals(file))
        return [name for name, values in known.items() if not isinstance(values[0], r.Literal)]

    def _values_of_globals(self, file: File) -> dict[str, list[r.Value]]:
        known: dict[str, list[r.Value]] = {}
        module = self.program.index.function_at(file, 0)
        for statement in module.body if module is not None and module.record.kind == "module" else ():
            match statement:
                case r.Evaluate(value=r.Assign(target=r.Name(text=name), value=value)):
                    known.setdefault(name, []).append(value)
        return known


_ROOT = "/"
"""How a dotted name begins that is a path from the root of the project."""


def _is_name_at(args: tuple[r.Value, ...], at: int) -> bool:
    return len(args) == 1 and isinstance(args[0], r.Name) and args[0].start == at


def _sets(method: Function) -> bool:
    return any(one.name == f"{method.name}.setter" for one in method.record.annotations)


def absolute(symbol: str, file: File | None) -> str:
    """A dotted name as all files say it: one that begins with dots by the folder that these mean."""
    rest = symbol.lstrip(".")
    level = len(symbol) - len(rest)
    if not level or file is None:
        return rest
    folders = file.path.split("/")[:-1]
    return ".".join([_ROOT, *folders[: len(folders) - level + 1], rest])


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
