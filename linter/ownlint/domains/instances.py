"""What a Python expression is, as far as imports, constructors, annotations and plain assignments say.

Knows the classes that models describe as owners of raw memory, and those of the project that derive from them. Order
plays no part: a name is what it is first assigned.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.flow.bodies import statements
from ownlint.flow.places import walk
from ownlint.models.memory import MemoryFact, MemoryModels
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Class, Function

_DEEPEST = 10
COMMON = frozenset(["get", "set", "add", "close", "open", "read", "write", "run", "start", "stop", "append", "update"])
"""Methods so named are everybody's."""


class Kind(NamedTuple):
    """An instance of a class, or the class itself (or one that derives from it)."""

    type: str
    instance: bool


class Instances:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.memory: MemoryModels = program.models.memory
        self._bindings: Answers[Function, dict[str, list[r.Value | None]]] = Answers()
        self._kinds: Answers[tuple[Function, int, int], Kind | None] = Answers(
            None
        )  # what refers to itself says nothing
        self._returns: Answers[Function, Kind | None] = Answers(None)
        self._set_by: Answers[Function, dict[str, list[r.Value]]] = Answers()

    # --- names ---

    def symbol(self, function: Function, value: r.Value) -> str:
        """The dotted name, aliases of modules replaced, that an expression means through imports and definitions."""
        symbol = self.program.names.named(function.file, value)
        if not symbol:
            return ""
        if symbol.startswith("*."):
            symbol = self.program.names.star_import(function.file, symbol)
        return self.program.models.canonical(symbol)

    def bindings(self, function: Function) -> dict[str, list[r.Value | None]]:
        """What each name of a body is assigned, in source order; None for what nobody can say."""
        return self._bindings.ask(function, lambda: _bound_in(function))

    def module_body(self, file: File) -> Function | None:
        return self.program.index.function_at(file, 0)

    def file_of(self, module: str) -> File | None:
        """The project's file of that dotted name; the root may lie anywhere."""
        found = self._modules.get(module.lstrip("."), [])
        exact = [file for file in found if file.module.removesuffix(".__init__") == module]
        return exact[0] if len(exact) == 1 else found[0] if len(found) == 1 else None

    @program_property
    def _modules(self) -> dict[str, list[File]]:
        """The project's modules by their dotted names, and by the ends of these."""
        found: dict[str, list[File]] = {}
        for file in self.program.files.values():
            if file.language == "python" and file.module:
                parts = file.module.removesuffix(".__init__").split(".")
                for start in range(len(parts)):
                    found.setdefault(".".join(parts[start:]), []).append(file)
        return found

    # --- kinds ---

    def of(self, function: Function, value: r.Value | None, depth: int = _DEEPEST) -> Kind | None:
        if value is None or depth <= 0 or isinstance(value, r.Literal):
            return None
        key = (function, value.start, value.end)
        return self._kinds.ask(key, lambda: self._of(function, value, depth - 1))

    def _of(self, function: Function, value: r.Value, depth: int) -> Kind | None:
        match value:
            case r.Name(text=name):
                return self._name(function, value, name, depth) or self._known_as(name)
            case r.Member(name=name):
                return self._member(function, value, depth) or self._known_as(name)
            case r.Call():
                return self._called(function, value, depth)
            case r.Binary(op="*", left=left, right=right):
                for side in (left, right):
                    kind = self.of(function, side, depth)
                    if kind is not None and not kind.instance:
                        return self._given(self.memory.member(kind.type, "__mul__"), kind)
            case r.Conditional(then=then, other=other):
                return self.of(function, then, depth) or self.of(function, other, depth)
            case r.Assign(value=inner):
                return self.of(function, inner, depth)
            case r.Index(base=base):
                kind = self.of(function, base, depth)
                if kind is not None and kind.instance:
                    return self._given(self.memory.member(kind.type, "__getitem__"), kind)
        return None

    def _known_as(self, name: str) -> Kind | None:
        found = self.memory.known_as.get(name)
        return Kind(found, True) if found is not None else None

    def _given(self, fact: MemoryFact | None, kind: Kind | None) -> Kind | None:
        if fact is None or not fact.returns:
            return None
        if fact.returns == "self":
            return Kind(kind.type, True) if kind is not None else None
        return Kind(fact.returns, not fact.makes_class)

    def _name(self, function: Function, value: r.Name, name: str, depth: int) -> Kind | None:
        scope: Function | None = function
        while scope is not None:
            if any(parameter.name == name for parameter in scope.record.parameters):
                return self._parameter(scope, name)
            if name in (bound := self.bindings(scope)) and scope.record.kind != "module":
                return self._first(scope, bound[name], depth)
            scope = scope.parent
        if symbol := self.symbol(function, value):
            return self._attribute_of_library(symbol) or self.named(symbol, function.file, depth)
        module = self.module_body(function.file)
        return self._first(module, self.bindings(module).get(name, []), depth) if module is not None else None

    def _attribute_of_library(self, symbol: str) -> Kind | None:
        """An object that a library's module has: `loader.name`."""
        fact = self.memory.function(symbol)
        kind = self._given(fact, None) if fact is not None and fact.keeps == "own" else None
        return kind if kind is not None and self.memory.role(kind.type) == "library" else None

    def _first(self, scope: Function, values: list[r.Value | None], depth: int) -> Kind | None:
        return next((kind for value in values if (kind := self.of(scope, value, depth)) is not None), None)

    def _parameter(self, function: Function, name: str) -> Kind | None:
        parameter = next(p for p in function.record.parameters if p.name == name)
        meaning = self.program.names.meaning(function.file, parameter.start)
        written = self.program.models.canonical(meaning.type) if meaning is not None and meaning.type else ""
        if not written:
            return None
        kind = self.named(written, function.file, 4)
        return Kind(kind.type, True) if kind is not None and not kind.instance else None

    def _member(self, function: Function, value: r.Member, depth: int) -> Kind | None:
        if (symbol := self.symbol(function, value)) and (kind := self.named(symbol, function.file, depth)) is not None:
            return kind
        if symbol and (kind := self._attribute_of_library(symbol)) is not None:
            return kind
        base = value.base
        kind = self.of(function, base, depth)
        if kind is not None and kind.instance:
            fact = self.memory.member(kind.type, value.name)
            return self._given(fact, kind) if fact is not None else None
        if isinstance(base, r.Name) and base.text in ("self", "cls"):
            return self._attribute(function, value.name, depth)
        return None

    def _attribute(self, function: Function, name: str, depth: int) -> Kind | None:
        """An attribute of the class whose method this is, as any of its methods or its body assigns it."""
        home = function.home
        for cls in home.ancestry if home is not None else ():
            for scope, value in self.attribute_values(cls, name):
                if (kind := self.of(scope, value, depth)) is not None:
                    return kind
        return None

    def attribute_values(self, cls: Class, name: str) -> Iterator[tuple[Function, r.Value | None]]:
        """What an attribute is assigned in the class's body and in its methods."""
        for index, record in enumerate(cls.file.functions):
            if record.kind == "class" and record.start == cls.record.start:
                body = self.program.index.function_at(cls.file, index)
                if body is not None:
                    yield from ((body, value) for value in self.bindings(body).get(name, []))
        for method in cls.methods:
            if method.mentions("=" + name):
                for value in self.attributes_set(method).get(name, ()):
                    yield method, value

    def attributes_set(self, method: Function) -> dict[str, list[r.Value]]:
        """By attribute, what a method assigns to it."""
        return self._set_by.ask(method, lambda: _set_by(method))

    def _called(self, function: Function, call: r.Call, depth: int) -> Kind | None:
        symbol = self.symbol(function, call.callee)
        if symbol and (fact := self.memory.function(symbol)) is not None:
            return self._given(fact, None)
        if isinstance(call.callee, r.Member):
            on = self.of(function, call.callee.base, depth)
            if on is not None and (fact := self.memory.member(on.type, call.callee.name)) is not None:
                return self._given(fact, on)
        kind = self.of(function, call.callee, depth)
        if kind is not None and not kind.instance:
            return Kind(kind.type, True)
        if kind is not None:
            return self._given(self.memory.member(kind.type, "__call__"), kind)
        if symbol and (made := self.function(symbol)) is not None and made.is_short:
            return self._returned(made, min(depth, 4))
        if isinstance(call.callee, r.Member) and (method := self.only_method(call.callee.name)) is not None:
            return self._returns.ask(method, lambda: self._returned(method, 4))
        return None

    def _returned(self, function: Function, depth: int) -> Kind | None:
        """What a function gives; of a name that is assigned several times, what it was assigned last."""
        returned = [s.value for s in function.statements if isinstance(s, r.Leave) and s.kind == "return"]
        if len(returned) == 1 and isinstance(returned[0], r.Name):
            assigned = self.bindings(function).get(returned[0].text, ())
            returned = [*reversed(assigned), *returned]
        return self._first(function, returned, depth)

    def named(self, symbol: str, file: File, depth: int = _DEEPEST) -> Kind | None:
        """A class or an object by its dotted name: a library's, or what the project binds to that name."""
        if symbol in self.memory.types:
            return Kind(symbol, False)
        if depth <= 0:
            return None
        module, _, name = symbol.rpartition(".")
        home = self.file_of(module) if module else file
        if home is not None:
            return self._in_module(home, name, depth - 1)
        outer, _, cls = module.rpartition(".")
        home = self.file_of(outer) if outer else None
        if home is not None and (found := self._class(home, cls)) is not None:
            for scope, value in self.attribute_values(found, name):
                if (kind := self.of(scope, value, depth - 1)) is not None:
                    return kind
        return self._known_as(name)

    def _in_module(self, file: File, name: str, depth: int) -> Kind | None:
        if (cls := self._class(file, name)) is not None:
            return self._derived(cls, depth)
        body = self.module_body(file)
        if body is not None and name in (bound := self.bindings(body)):
            return self._first(body, bound[name], depth) or self._known_as(name)
        for imported in file.imports:
            if imported.name == name and imported.scope < 0:
                return self.named(self.program.models.canonical(imported.target), file, depth)
            if imported.name == "*" and (other := self.file_of(imported.target)) not in (None, file):
                assert other is not None
                if (kind := self._in_module(other, name, depth - 1)) is not None:
                    return kind
        return self._known_as(name)

    def _class(self, file: File, name: str) -> Class | None:
        return next((c for c in self.program.index.classes_called(name, file) if c.file is file), None)

    def _derived(self, cls: Class, depth: int) -> Kind | None:
        body = self.module_body(cls.file)
        for base in cls.record.bases if body is not None and depth > 0 else ():
            last = base.end - len(base.name.rpartition(".")[2].encode())
            meaning = self.program.names.meaning(cls.file, last)
            symbol = meaning.symbol if meaning is not None else ""
            if symbol.startswith("*."):
                symbol = self.program.names.star_import(cls.file, symbol)
            found = self.named(self.program.models.canonical(symbol), cls.file, depth - 1) if symbol else None
            if found is None and not symbol and body is not None:
                found = self._first(body, self.bindings(body).get(base.name, []), depth - 1)
            if found is not None and not found.instance:
                return found
        return None

    # --- the project's own functions ---

    def function(self, symbol: str) -> Function | None:
        """The one function of the project that this dotted name means."""
        module, _, name = symbol.rpartition(".")
        exact = [
            function
            for function in self._by_name.get(name, ())
            if module and (home := _home(function)) and (home == module or home.endswith("." + module.lstrip(".")))
        ]
        if not exact and (file := self.file_of(module)) is not None:
            target = next((i.target for i in file.imports if i.name == name and i.scope < 0), "")
            target = target or self._assigned_in(file, name)
            return self.function(target) if target and target != symbol else None
        return exact[0] if len(exact) == 1 else None

    def _assigned_in(self, file: File, name: str) -> str:
        """What a module's name stands for that is assigned another name: `remove = helpers.drop`."""
        body = self.module_body(file)
        match self.bindings(body).get(name) if body is not None else None:
            case [r.Name() | r.Member() as value] if body is not None:
                return self.symbol(body, value)
        return ""

    def method(self, name: str) -> list[Function]:
        """The project's methods of that name, whosever they are."""
        return [function for function in self._by_name.get(name, ()) if function.record.owner]

    def only_method(self, name: str) -> Function | None:
        """The one method of the project that is called so, where the name is not everybody's."""
        methods = self.method(name) if name not in COMMON else []
        return methods[0] if len(methods) == 1 else None

    @program_property
    def _by_name(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.program.functions:
            kind = function.record.kind
            if function.language == "python" and kind in ("function", "method", "constructor"):
                found.setdefault(function.name, []).append(function)
        return found


def _bound_in(function: Function) -> dict[str, list[r.Value | None]]:
    out: dict[str, list[r.Value | None]] = {}
    for statement in statements(function.body):
        for name, value in bound_by(statement):
            out.setdefault(name, []).append(value)
    return out


def _set_by(method: Function) -> dict[str, list[r.Value]]:
    found: dict[str, list[r.Value]] = {}
    for statement in method.statements:
        for part in walk(statement.value) if isinstance(statement, r.Evaluate) else ():
            match part:
                case r.Assign(target=r.Member(base=r.Name(text="self" | "cls"), name=name), value=value):
                    found.setdefault(name, []).append(value)
    return found


def _home(function: Function) -> str:
    return ".".join(part for part in (function.file.module, function.record.scope) if part)


def is_standard(symbol: str) -> bool:
    """Whether a dotted name is one of Python's own library."""
    return symbol.partition(".")[0] in sys.stdlib_module_names


def bound_by(statement: r.Statement) -> Iterator[tuple[str, r.Value | None]]:
    match statement:
        case r.Evaluate(value=value) | r.Branch(condition=value):
            yield from _assigned(value)
        case r.Loop(target=target):
            yield from ((part.text, None) for part in walk(target) if isinstance(part, r.Name))
        case r.With(items=items):
            for item in items:
                match item.target:
                    case r.Name(text=name):
                        yield name, item.value
        case r.Nested(name=name):
            yield name, None


def _assigned(value: r.Value) -> Iterator[tuple[str, r.Value | None]]:
    for part in walk(value):
        match part:
            case r.Assign(target=r.Name(text=name), op="=" | ":=", value=inner):
                while isinstance(inner, r.Assign):
                    inner = inner.value
                yield name, inner
            case r.Assign(target=r.Aggregate(items=items), op="=", value=inner):
                given = inner.items if isinstance(inner, r.Aggregate) and len(inner.items) == len(items) else ()
                for position, item in enumerate(items):
                    if isinstance(item, r.Name):
                        yield item.text, given[position] if given else None


@program_question
def of(program: Program) -> Instances:
    return Instances(program)
