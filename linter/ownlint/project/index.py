"""What the files of a project say by name: the only way to anything outside of what is looked at.

Linking joins a class's header with the files that define its methods, and a declaration with its definition. Each
look-up notes what it looked for, see `questions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ownlint.facts import records as r
from ownlint.project import qualified, types
from ownlint.project.files import File, is_compiled_alone
from ownlint.project.questions import Keys, noting, read
from ownlint.project.subjects import Binding, Class, Function
from ownlint.steps import spend

if TYPE_CHECKING:
    from ownlint.project.program import Program


class ProjectIndex:
    """The subjects of a program's files, and every look-up of one of them by its name."""

    def __init__(self, program: Program, files: Mapping[str, File]) -> None:
        self._program = program
        self.files = files
        self.size = program.size
        self.answers = program.answers
        self.bindings = [Binding(program, file, record) for file in self.files.values() for record in file.bindings]
        self.classes = [Class(program, file, record) for file in self.files.values() for record in file.classes]
        self._name_keys, self._caller_keys = Keys("name"), Keys("callers")
        self.functions: list[Function] = []
        """Those that are defined."""
        self._views: dict[tuple[str, int], Function] = {}
        self._ordinals: dict[tuple[str, str, str], int] = {}
        self._nested: dict[tuple[str, int], list[Function]] = {}
        self._classes_by_last: dict[str, list[Class]] = {}
        self._classes_by_symbol: dict[tuple[str, str], list[Class]] = {}
        self._functions_by_last: dict[str, list[tuple[File, r.FunctionRecord]]] = {}
        self._declared_by_last: dict[str, list[r.FunctionRecord]] = {}
        self._aliases: dict[str, list[tuple[File, r.Alias]]] = {}
        self._variables: dict[str, list[tuple[File, r.Variable]]] = {}
        self._included: set[str] = set()
        """Names of the source files that others include."""
        for cls in self.classes:
            self._classes_by_last.setdefault(cls.name, []).append(cls)
            if qualified.last(cls.symbol) == cls.name:
                self._classes_by_symbol.setdefault((cls.file.language, cls.symbol), []).append(cls)
        for file in self.files.values():
            for alias in file.aliases:
                if alias.name and not _names_constructors(alias):
                    self._aliases.setdefault(alias.name, []).append((file, alias))
            self._included.update(i.target.rpartition("/")[2] for i in file.imports if is_compiled_alone(i.target))
            for variable in file.variables:
                self._variables.setdefault(variable.name, []).append((file, variable))
        self._defined_by_last: dict[str, list[Function]] = {}
        self._callers_by_name: dict[str, list[Function]] = {}
        self._bound_by_last: dict[str, list[tuple[File, r.BoundClass]]] = {}
        self._bindings_by_owner: dict[tuple[str, int], list[Binding]] = {}
        self._records: dict[str, dict[int, Function]] = {}
        with noting():
            self._fill()

    def _fill(self) -> None:
        for file in self.files.values():
            self._link(file)
        for function in self.functions:
            self._defined_by_last.setdefault(function.record.name, []).append(function)
            for name in function.mentioned:
                if not name.startswith("="):
                    self._callers_by_name.setdefault(name, []).append(function)
        for file in self.files.values():
            for bound in file.bound_classes:
                self._bound_by_last.setdefault(types.parse(bound.type).last, []).append((file, bound))
        for binding in self.bindings:
            self._bindings_by_owner.setdefault((binding.path, binding.record.owner), []).append(binding)

    def _link(self, file: File) -> None:
        """Joins the functions of a file with their classes."""
        owners: dict[str, Class | None] = {}
        for index, function in enumerate(file.functions):
            self._functions_by_last.setdefault(function.name, []).append((file, function))
            if file.language == "cpp" and not function.defined:
                self._declared_by_last.setdefault(function.name, []).append(function)
            if function.owner not in owners:
                owners[function.owner] = self.owner(file, function)
            owner = owners[function.owner]
            inside = owner is not None and owner.file is file
            if owner is not None and inside and (not function.defined or owner.record.span.holds(function.span)):
                owner.add_declaration(function)
            if function.defined:
                self._define(file, index, owner)

    def _define(self, file: File, index: int, owner: Class | None) -> None:
        record = file.functions[index]
        same = (file.path, record.scope, record.name)
        ordinal = self._ordinals[same] = self._ordinals.get(same, -1) + 1
        view = Function(self._program, file, index, ordinal, owner)
        self._views[file.path, index] = view
        self._records.setdefault(file.path, {})[id(view.record)] = view
        self.functions.append(view)
        if view.record.parent != index:
            self._nested.setdefault((file.path, view.record.parent), []).append(view)
        if owner is not None:
            owner.add_method(view)

    def records_called(self, last: str) -> Sequence[tuple[File, r.FunctionRecord]]:
        """Every function of that last name, declared or defined."""
        read(self._name_keys[last])
        return self._functions_by_last.get(last, ())

    def aliases_called(self, last: str, file: File) -> list[tuple[File, r.Alias]]:
        """What goes by that last name in place of another, and can be known in that file: another file that is compiled
        alone keeps its aliases to itself."""
        read(self._name_keys[last])
        return [found for found in self._aliases.get(last, ()) if found[0] is file or self._is_shared(found[0])]

    def _is_shared(self, file: File) -> bool:
        return file.language != "cpp" or not is_compiled_alone(file.path) or self.is_included(file)

    def variables_called(self, name: str) -> Sequence[tuple[File, r.Variable]]:
        """What the project declares under that name outside functions and classes."""
        read(self._name_keys[name])
        return self._variables.get(name, ())

    def classes_called(self, last: str, file: File) -> list[Class]:
        """Every class of that last name, whatever its scope, in the file's own language: a stub for Python and the C++
        class behind it have one name."""
        read(self._name_keys[last])
        return [c for c in self._classes_by_last.get(last, ()) if c.file.language == file.language]

    def variants(self, cls: Class) -> list[Class]:
        """The class and the others of its name: specializations, and what the preprocessor chooses between."""
        return [one for one in self.classes_called(cls.name, cls.file) if one.symbol == cls.symbol]

    def nearest(self, candidates: Sequence[Class], file: File) -> Class | None:
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

    def owner(self, file: File, function: r.FunctionRecord) -> Class | None:
        if not function.owner:
            return None
        read(self._name_keys[qualified.last(function.owner)])
        exact = self._classes_by_symbol.get((file.language, function.owner))
        if exact is None:
            candidates = self.classes_called(qualified.last(function.owner), file)
            exact = [c for c in candidates if qualified.names(c.symbol, function.owner)]
        return self.nearest(exact, file)

    def function_at(self, file: File, index: int) -> Function | None:
        found = self._views.get((file.path, index))
        if found is not None:
            read(found.key if found.record.kind == "lambda" else self._name_keys[found.name])
        return found

    def nested(self, function: Function) -> Sequence[Function]:
        """The functions, lambdas and class bodies that stand in the function itself, in source order."""
        read(function.key)
        return self._nested.get((function.path, function.index), ())

    def bindings_of(self, file: File, owner: int) -> list[Binding]:
        """The bindings of one bound class of a file, by its number there."""
        read(("file", file.path, "bindings"))
        return self._bindings_by_owner.get((file.path, owner), []) if owner >= 0 else []

    def is_variable(self, name: str) -> bool:
        """Whether the project declares a variable of that name outside functions and classes."""
        read(self._name_keys[qualified.last(name)])
        return qualified.last(name) in self._variables

    def is_included(self, file: File) -> bool:
        """Whether some file includes this source file, and so knows what is static in it."""
        read(("all", "included sources"))
        return file.path.rpartition("/")[2] in self._included

    def defines(self, last: str) -> bool:
        """Whether a class or an alias of the project has that last name."""
        read(self._name_keys[last])
        return last in self._classes_by_last or last in self._aliases

    @property
    def type_aliases(self) -> Iterator[r.Alias]:
        read(("all", "aliases"))
        return (alias for found in self._aliases.values() for _, alias in found)

    def declarations_of(self, last: str) -> Sequence[r.FunctionRecord]:
        """Every C++ function of that last name that is declared and not defined."""
        read(self._name_keys[last])
        return self._declared_by_last.get(last, ())

    def functions_called(self, name: str) -> Sequence[Function]:
        """Every function that is defined under that last name, in the order of `functions`."""
        read(self._name_keys[name])
        return self._defined_by_last.get(name, ())

    def bound_classes_called(self, last: str) -> Sequence[tuple[File, r.BoundClass]]:
        """Where classes of that last name are bound, as written there."""
        read(self._name_keys[last])
        return self._bound_by_last.get(last, ())

    def declared_functions(self) -> Iterator[tuple[str, r.FunctionRecord]]:
        """Every declaration and definition, with its last name."""
        read(("all", "functions"))
        return ((name, record) for name, found in self._functions_by_last.items() for _, record in found)

    def callers(self, function: Function) -> list[Function]:
        """Functions of the project that call something of this name; ask `callee` whether it is this one."""
        return self.callers_by_name(function.name)

    def callers_by_name(self, name: str) -> list[Function]:
        """Functions that call something of that last name."""
        read(self._caller_keys[name])
        return self._callers_by_name.get(name, [])

    def is_called(self, name: str) -> bool:
        """Whether something of that last name is called somewhere."""
        read(self._caller_keys[name])
        return name in self._callers_by_name

    @property
    def called_names(self) -> Iterable[str]:
        """Last names of all that is called somewhere."""
        read(("all", "called names"))
        return self._callers_by_name.keys()

    def functions_in(self, path: str) -> Sequence[Function]:
        """The functions of a file; it is not noted who asks."""
        return tuple(self._records.get(path, {}).values())

    def mentioned(self, *languages: r.Language) -> frozenset[str]:
        """Last names of all that functions of these languages mention, see `Function.mentions`."""
        read(("all", "called names"))
        return frozenset(name for one in self.functions if one.language in languages for name in one.record.mentions)

    def definitions(self, found: Sequence[tuple[File, r.FunctionRecord]], owner: Class | None) -> Iterator[Function]:
        """Definitions of what was found: the same record, or the class's method of that name and arity."""
        seen: set[int] = set()
        for file, record in found:
            views = self._views_by_record(file)
            view = views.get(id(record))
            if view is None and owner is not None:
                view = _definition(record, owner.defined(record.name))
            if view is None and owner is None:
                view = self._definition_elsewhere(record)
            if view is not None and id(view) not in seen:
                seen.add(id(view))
                yield view

    def _views_by_record(self, file: File) -> dict[int, Function]:
        return self._records.get(file.path, {})

    def _definition_elsewhere(self, record: r.FunctionRecord) -> Function | None:
        wanted = qualified.of(record, "::")
        read(self._name_keys[record.name])
        spend(len(self._functions_by_last.get(record.name, ())))
        bodies = [
            view
            for file, other in self._functions_by_last.get(record.name, ())
            if other.defined and qualified.of(other, "::") == wanted
            if (view := self._views_by_record(file).get(id(other)))
        ]
        alike = [one for one in bodies if len(one.record.parameters) == len(record.parameters)]
        return _definition(record, alike) if len({_signature(one.record) for one in alike}) == len(alike) else None


def _definition(record: r.FunctionRecord, bodies: Iterable[Function]) -> Function | None:
    """The body of a declaration: the only one of so many parameters, or the one of such parameters."""
    alike = [one for one in bodies if len(one.record.parameters) == len(record.parameters)]
    if len(alike) > 1:
        alike = [one for one in alike if _signature(one.record) == _signature(record)]
    return alike[0] if alike else None


def _signature(record: r.FunctionRecord) -> tuple[tuple[tuple[str, int, bool, bool], ...], bool]:
    """What tells overloads apart, whatever scope their types are written with."""
    taken = (types.parse(parameter.type) for parameter in record.parameters)
    return tuple((one.last, one.pointers, one.reference, one.const) for one in taken), "const" in record.qualifiers


def _suffix_path(path: str, included: str) -> bool:
    return path == included or path.endswith("/" + included)


def _stem(path: str) -> str:
    return path.rsplit(".", 1)[0]


def _names_constructors(alias: r.Alias) -> bool:
    """`using Base::Base` in a class: it takes the constructors over, and names no type."""
    parts = types.parse(alias.target).name.split("::")
    return alias.kind == "using" and bool(alias.scope) and parts[-2:] == [alias.name, alias.name]
