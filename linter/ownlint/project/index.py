"""What the files of a project say by name: the only way to anything outside of what is looked at.

Linking joins a class's header with the files that define its methods, and a declaration with its definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ownlint.facts import records as r
from ownlint.project import qualified, types
from ownlint.project.once import shared_property
from ownlint.project.subjects import Binding, Class, Function
from ownlint.steps import spend

if TYPE_CHECKING:
    from ownlint.project.program import Program


class Index:
    """The subjects of a program's files, and every look-up of one of them by its name."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.files = program.files
        self.size = program.size
        self.classes = [Class(program, file, record) for file in self.files.values() for record in file.classes]
        self.functions: list[Function] = []
        """Those that are defined."""
        self._views: dict[tuple[str, int], Function] = {}
        self._nested: dict[tuple[str, int], list[Function]] = {}
        self._classes_by_last: dict[str, list[Class]] = {}
        self._classes_by_symbol: dict[tuple[str, str], list[Class]] = {}
        self._functions_by_last: dict[str, list[tuple[r.File, r.Function]]] = {}
        self._aliases: dict[str, list[tuple[r.File, r.Alias]]] = {}
        self._variables: dict[str, list[tuple[r.File, r.Variable]]] = {}
        for cls in self.classes:
            self._classes_by_last.setdefault(cls.name, []).append(cls)
            if qualified.last(cls.symbol) == cls.name:
                self._classes_by_symbol.setdefault((cls.file.language, cls.symbol), []).append(cls)
        for file in self.files.values():
            for alias in file.aliases:
                if alias.name and not _names_constructors(alias):
                    self._aliases.setdefault(alias.name, []).append((file, alias))
            for variable in file.variables:
                self._variables.setdefault(variable.name, []).append((file, variable))
        for file in self.files.values():
            self._link(file)

    def _link(self, file: r.File) -> None:
        """Joins the functions of a file with their classes."""
        owners: dict[str, Class | None] = {}
        for index, function in enumerate(file.functions):
            self._functions_by_last.setdefault(function.name, []).append((file, function))
            if function.owner not in owners:
                owners[function.owner] = self.owner(file, function)
            owner = owners[function.owner]
            inside = owner is not None and owner.file is file
            if owner is not None and inside and (not function.defined or _inside(function, owner.record)):
                owner.declarations.append(function)
            if function.defined:
                self._define(file, index, owner)

    def _define(self, file: r.File, index: int, owner: Class | None) -> None:
        view = Function(self._program, file, index)
        view.cls = owner
        self._views[file.path, index] = view
        self.functions.append(view)
        if view.record.parent != index:
            self._nested.setdefault((file.path, view.record.parent), []).append(view)
        if owner is not None:
            owner.methods.append(view)

    def records_called(self, last: str) -> Sequence[tuple[r.File, r.Function]]:
        """Every function of that last name, declared or defined."""
        return self._functions_by_last.get(last, ())

    def aliases_called(self, last: str) -> Sequence[tuple[r.File, r.Alias]]:
        return self._aliases.get(last, ())

    def variables_called(self, name: str) -> Sequence[tuple[r.File, r.Variable]]:
        """What the project declares under that name outside functions and classes."""
        return self._variables.get(name, ())

    def classes_called(self, last: str, file: r.File) -> list[Class]:
        """Every class of that last name, whatever its scope, in the file's own language: a stub for Python and the C++
        class behind it have one name."""
        return [c for c in self._classes_by_last.get(last, ()) if c.file.language == file.language]

    def variants(self, cls: Class) -> list[Class]:
        """The class and the others of its name: specializations, and what the preprocessor chooses between."""
        return [one for one in self.classes_called(cls.name, cls.file) if one.symbol == cls.symbol]

    def nearest(self, candidates: Sequence[Class], file: r.File) -> Class | None:
        """Of several classes of one name: the one in this file, in its header, in what it includes, the only one."""
        spend(len(candidates))
        if len(candidates) < 2:
            return candidates[0] if candidates else None
        same = [c for c in candidates if c.file is file]
        if same:
            return same[0]
        stem = _stem(file.path)
        beside = [c for c in candidates if _stem(c.path) == stem]
        if len(beside) == 1:
            return beside[0]
        included = [c for c in candidates if any(_suffix_path(c.path, i.target) for i in file.imports)]
        if len(included) == 1:
            return included[0]
        filled = [c for c in candidates if c.record.fields or c.declarations]
        return filled[0] if len(filled) == 1 else None

    def owner(self, file: r.File, function: r.Function) -> Class | None:
        if not function.owner:
            return None
        exact = self._classes_by_symbol.get((file.language, function.owner))
        if exact is None:
            candidates = self.classes_called(qualified.last(function.owner), file)
            exact = [c for c in candidates if qualified.names(c.symbol, function.owner)]
        return self.nearest(exact, file)

    def function_at(self, file: r.File, index: int) -> Function | None:
        return self._views.get((file.path, index))

    def nested(self, function: Function) -> Sequence[Function]:
        """The functions, lambdas and class bodies that stand in the function itself, in source order."""
        return self._nested.get((function.path, function.index), ())

    def bindings_of(self, file: r.File, owner: int) -> list[Binding]:
        return self._bindings_by_owner.get((file.path, owner), []) if owner >= 0 else []

    @shared_property
    def _bindings_by_owner(self) -> dict[tuple[str, int], list[Binding]]:
        out: dict[tuple[str, int], list[Binding]] = {}
        for binding in self._program.bindings:
            out.setdefault((binding.path, binding.record.owner), []).append(binding)
        return out

    def is_variable(self, name: str) -> bool:
        """Whether the project declares a variable of that name outside functions and classes."""
        return qualified.last(name) in self._variables

    def defines(self, last: str) -> bool:
        """Whether a class or an alias of the project has that last name."""
        return last in self._classes_by_last or last in self._aliases

    @property
    def type_aliases(self) -> Iterator[r.Alias]:
        return (alias for found in self._aliases.values() for _, alias in found)

    def declarations_of(self, last: str) -> list[r.Function]:
        """Every C++ function of that last name that is declared and not defined."""
        found = self._functions_by_last.get(last, ())
        return [record for file, record in found if file.language == "cpp" and not record.defined]

    def functions_called(self, name: str) -> Sequence[Function]:
        """Every function that is defined under that last name, in the order of `functions`."""
        return self._defined_by_last.get(name, ())

    @shared_property
    def _defined_by_last(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.functions:
            found.setdefault(function.record.name, []).append(function)
        return found

    def bound_classes_called(self, last: str) -> Sequence[tuple[r.File, r.BoundClass]]:
        """Where classes of that last name are bound, as written there."""
        return self._bound_by_last.get(last, ())

    @shared_property
    def _bound_by_last(self) -> dict[str, list[tuple[r.File, r.BoundClass]]]:
        found: dict[str, list[tuple[r.File, r.BoundClass]]] = {}
        for file in self.files.values():
            for bound in file.bound_classes:
                found.setdefault(types.parse(bound.type).last, []).append((file, bound))
        return found

    def declared_functions(self) -> Iterator[tuple[str, r.Function]]:
        """Every declaration and definition, with its last name."""
        return ((name, record) for name, found in self._functions_by_last.items() for _, record in found)

    def callers(self, function: Function) -> list[Function]:
        """Functions of the project that call something of this name; ask `callee` whether it is this one."""
        return self.callers_by_name(function.name)

    def callers_by_name(self, name: str) -> list[Function]:
        return self._callers_by_name.get(name, [])

    @property
    def called_names(self) -> Iterable[str]:
        """Last names of all that is called somewhere."""
        return self._callers_by_name.keys()

    @shared_property
    def _callers_by_name(self) -> dict[str, list[Function]]:
        out: dict[str, list[Function]] = {}
        for function in self.functions:
            for name in function.record.mentions:
                if not name.startswith("="):
                    out.setdefault(name, []).append(function)
        return out

    def definitions(self, found: Sequence[tuple[r.File, r.Function]], owner: Class | None) -> Iterator[Function]:
        """Definitions of what was found: the same record, or the class's method of that name and arity."""
        seen: set[int] = set()
        for file, record in found:
            views = self._views_by_record(file)
            view = views.get(id(record))
            if view is None and owner is not None:
                view = next(
                    (m for m in owner.defined(record.name) if len(m.record.parameters) == len(record.parameters)), None
                )
            if view is None and owner is None:
                view = self._definition_elsewhere(record)
            if view is not None and id(view) not in seen:
                seen.add(id(view))
                yield view

    def _views_by_record(self, file: r.File) -> dict[int, Function]:
        if file.path not in self._records:
            self._records[file.path] = {
                id(view.record): view
                for index in range(len(file.functions))
                if (view := self._views.get((file.path, index)))
            }
        return self._records[file.path]

    @shared_property
    def _records(self) -> dict[str, dict[int, Function]]:
        return {}

    def _definition_elsewhere(self, record: r.Function) -> Function | None:
        wanted = qualified.of(record, "::")
        spend(len(self._functions_by_last.get(record.name, ())))
        matching = [
            view
            for file, other in self._functions_by_last.get(record.name, ())
            if other.defined and qualified.of(other, "::") == wanted and len(other.parameters) == len(record.parameters)
            if (view := self._views_by_record(file).get(id(other)))
        ]
        return matching[0] if len(matching) == 1 else None


def _inside(inner: r.Node, outer: r.Node) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _suffix_path(path: str, included: str) -> bool:
    return path == included or path.endswith("/" + included)


def _stem(path: str) -> str:
    return path.rsplit(".", 1)[0]


def _names_constructors(alias: r.Alias) -> bool:
    """`using Base::Base` in a class: it takes the constructors over, and names no type."""
    parts = types.parse(alias.target).name.split("::")
    return alias.kind == "using" and bool(alias.scope) and parts[-2:] == [alias.name, alias.name]
