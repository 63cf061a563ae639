"""What a dotted name of Python means in the project: the module it leads to, and what that defines, imports or assigns.

A module is found by its path, so that folders without an `__init__.py` are packages too. Of several files that a name
fits, the one below the nearest folder around the file that imports it is meant, else the only one. A file inside a
package is imported by its whole name, or from the folder in which it stands. A name of the standard library is never
one of the project.

A name that a module imports, also by `*`, or assigns another name (`remove = helpers.drop`) is followed to what it
stands for.
"""

from __future__ import annotations

from typing import NamedTuple

from ownlint.domains import instances
from ownlint.facts import records as r
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Class, Function
from ownlint.steps import spend

ROOT = "/"
"""How a dotted name begins that is a path from the root of the project."""
_MOST_NAMES = 8
"""So many imports and assignments are followed from one name to the next."""
_MOST_STARS = 8
"""So many star imports of one module are followed."""


class PythonValue(NamedTuple):
    """An expression, and the body it stands in."""

    scope: Function
    value: r.Value


class Defined(NamedTuple):
    """What a dotted name means: functions (several where a module defines one name for several cases), a class, or the
    one value that a module or class assigns. Nothing at all: it is not of the project, or not known."""

    functions: tuple[Function, ...] = ()
    cls: Class | None = None
    value: PythonValue | None = None


_NOTHING = Defined()


class PythonModules:
    def __init__(self, program: Program) -> None:
        self.program = program
        self._defined: Answers[tuple[str, str], Defined] = Answers(_NOTHING)  # an import that leads back says nothing
        self._own: Answers[str, dict[str, tuple[Function, ...]]] = Answers()

    # --- modules ---

    @program_property
    def _by_last(self) -> dict[str, tuple[str, ...]]:
        """The paths of modules by the last part of their names."""
        found: dict[str, list[str]] = {}
        for path, file in self.program.files.items():
            if file.language == "python":
                found.setdefault(_parts(path)[-1] if _parts(path) else "", []).append(path)
        return {last: tuple(sorted(paths)) for last, paths in found.items()}

    def module(self, dotted: str, file: File | None = None) -> File | None:
        """The module of that name, or path from the root, as `file` imports it; the root may lie anywhere."""
        if dotted.startswith(ROOT):
            wanted = [part for part in dotted.removeprefix(ROOT).split(".") if part]
        else:
            wanted = dotted.split(".")
            if not dotted or instances.is_standard(dotted):
                return None
        paths = self._by_last.get(wanted[-1] if wanted else "", ())
        spend(1 + len(paths))
        fitting = [path for path in paths if _parts(path)[-len(wanted) :] == wanted or not wanted]
        if dotted.startswith(ROOT):
            fitting = [path for path in fitting if len(_parts(path)) == len(wanted)]
        else:
            fitting = [path for path in fitting if self._is_importable(path, wanted, file)]
        return self._nearest(fitting, len(wanted), file)

    def _is_importable(self, path: str, wanted: list[str], file: File | None) -> bool:
        """Whether the folder above begins no package, or is where the importing file stands."""
        root = _root(path, len(wanted))
        if file is not None and root == _folder(file.path):
            return True
        known = [part for part in self.program.files[path].module.removesuffix("__init__").split(".") if part]
        if len(known) > len(wanted):
            return False
        is_package = len(known) == len(wanted) and path.rpartition("/")[2].startswith("__init__.")
        return len(wanted) > 1 or is_package or file is None or _is_around(root, file.path)

    def _nearest(self, paths: list[str], parts: int, file: File | None) -> File | None:
        if len(paths) > 1 and file is not None:
            around = [path for path in paths if _is_around(_root(path, parts), file.path)]
            longest = max((len(_root(path, parts)) for path in around), default=0)
            paths = [path for path in around if len(_root(path, parts)) == longest] or paths
        if len(paths) > 1:  # `a.py` beside `a.pyi`, or beside the package `a`, which is the one that Python imports
            paths = [path for path in paths if path.endswith("/__init__.py")] or [p for p in paths if p.endswith(".py")]
        return self.program.files[paths[0]] if len(paths) == 1 else None

    # --- names ---

    def defined(self, symbol: str, file: File | None = None) -> Defined:
        """What a dotted name means where `file` says it; one that begins with dots by the folder that these mean."""
        full = absolute(symbol, file)
        return self._defined.ask((full, _folder(file.path) if file is not None else ""), lambda: self._look(full, file))

    def _look(self, symbol: str, file: File | None) -> Defined:
        own = file.module.removesuffix("__init__").rstrip(".") if file is not None else ""
        if file is not None and own and symbol.startswith(own + "."):
            found = self._in_module(file, symbol.removeprefix(own + ".").split("."), _MOST_NAMES)
            if found != _NOTHING:
                return found
        return self._followed(symbol, file, _MOST_NAMES)

    def _followed(self, symbol: str, file: File | None, left: int) -> Defined:
        """By the longest part of the name that is a module."""
        if left <= 0:
            return _NOTHING
        if symbol.startswith("*.") and file is not None:
            return self._by_star(file, symbol.removeprefix("*.").split("."), left - 1)
        head, separator, names = symbol.removeprefix(ROOT).rpartition(".")
        first = ROOT if symbol.startswith(ROOT) else ""
        rest = [names]
        while separator:
            module = self.module(first + head, file)
            if module is not None:
                found = self._in_module(module, rest, left - 1)
                if found != _NOTHING:
                    return found
            head, separator, names = head.rpartition(".")
            rest.insert(0, names)
        return _NOTHING

    def _in_module(self, file: File, names: list[str], left: int) -> Defined:
        """What a module has by a name, and that by the next one."""
        spend()
        if left <= 0:
            return _NOTHING
        first, rest = names[0], names[1:]
        functions = self._functions(file).get(first, ())
        if functions:
            return Defined(functions) if not rest else _NOTHING
        cls = next((c for c in self.program.index.classes_called(first, file) if _is_at_top(c, file)), None)
        if cls is not None:
            return self._in_class(cls, rest)
        for imported in file.imports:
            if imported.name == first and imported.scope < 0:
                found = self._followed(absolute(".".join([imported.target, *rest]), file), file, left - 1)
                if found != _NOTHING:
                    return found
        if not file.functions and not rest:
            return self._below(file, first)
        assigned = self._assigned(file, first, rest, left)
        return assigned if assigned != _NOTHING else self._by_star(file, names, left)

    def _below(self, file: File, name: str) -> Defined:
        """What a package has by a name, of which the `__init__` was passed over: the one that stands below it."""
        folder = _folder(file.path)
        if not file.path.endswith("/__init__.py"):
            return _NOTHING
        called = self.program.index.functions_called(name)
        spend(1 + len(called))
        found = tuple(one for one in called if one.path.startswith(folder) and _is_free(one))
        return Defined(found) if len({one.path for one in found}) == 1 else _NOTHING

    def _by_star(self, file: File, names: list[str], left: int) -> Defined:
        stars = [one.target for one in file.imports if one.name == "*"] if not names[0].startswith("_") else []
        for target in stars[:_MOST_STARS]:
            other = self.module(absolute(target, file), file)
            found = self._in_module(other, names, left - 1) if other is not None and other is not file else _NOTHING
            if found != _NOTHING:
                return found
        return _NOTHING

    def _assigned(self, file: File, name: str, rest: list[str], left: int) -> Defined:
        asking = instances.of(self.program)
        body = asking.module_body(file)
        values = asking.bindings(body).get(name, []) if body is not None and body.record.kind == "module" else []
        value = values[0] if len(values) == 1 else None
        if body is None or value is None:
            return _NOTHING
        if isinstance(value, (r.Name, r.Member)):
            symbol = self.program.names.named(file, value)
            if symbol and symbol.rpartition(".")[2] != name:
                return self._followed(absolute(".".join([symbol, *rest]), file), file, left - 1)
        return Defined(value=PythonValue(body, value)) if not rest else _NOTHING

    def _in_class(self, cls: Class, names: list[str]) -> Defined:
        if not names:
            return Defined(cls=cls)
        if len(names) > 1:
            return _NOTHING
        for one in cls.ancestry:
            found = tuple(one.defined_here.get(names[0], ()))
            if found:
                return Defined(found)
        value = self.class_value(cls, names[0])
        return Defined(value=value) if value is not None else _NOTHING

    def class_value(self, cls: Class, name: str) -> PythonValue | None:
        """The one value that a class or its methods assign to an attribute."""
        asking = instances.of(self.program)
        for one in cls.ancestry:
            found = list(asking.attribute_values(one, name))
            if found:
                scope, value = found[0]
                return PythonValue(scope, value) if len(found) == 1 and value is not None else None
        return None

    def _functions(self, file: File) -> dict[str, tuple[Function, ...]]:
        return self._own.ask(file.path, lambda: self._functions_of(file))

    def _functions_of(self, file: File) -> dict[str, tuple[Function, ...]]:
        """Those at the top of a file, by name."""
        found: dict[str, tuple[Function, ...]] = {}
        for index, record in enumerate(file.functions):
            is_free = record.kind == "function" and not record.scope and record.parent < 0
            function = self.program.index.function_at(file, index) if is_free else None
            if function is not None:
                found[record.name] = (*found.get(record.name, ()), function)
        return found


def absolute(symbol: str, file: File | None) -> str:
    """A dotted name as all files say it: one that begins with dots by the folder that these mean."""
    rest = symbol.lstrip(".")
    level = len(symbol) - len(rest)
    if not level or file is None:
        return rest
    folders = file.path.split("/")[:-1]
    return ".".join([ROOT, *folders[: len(folders) - level + 1], rest])


def _parts(path: str) -> list[str]:
    """The dotted name of a file by its whole path."""
    stem, _, _ = path.rpartition(".")
    return [part for part in (stem.removesuffix("__init__") or "").split("/") if part]


def _root(path: str, parts: int) -> str:
    """The folder from which a module of so many parts is imported, with `/` at its end; empty for the project's own."""
    known = _parts(path)
    return "".join(part + "/" for part in known[: len(known) - parts])


def _folder(path: str) -> str:
    return path[: path.rfind("/") + 1]


def _is_around(root: str, path: str) -> bool:
    return path.startswith(root)


def _is_free(function: Function) -> bool:
    record = function.record
    return function.language == "python" and record.kind == "function" and not record.scope and record.parent < 0


def _is_at_top(cls: Class, file: File) -> bool:
    return cls.file is file and not cls.record.scope and cls.record.parent < 0


@program_question
def of(program: Program) -> PythonModules:
    return PythonModules(program)
