"""Where the project's own modules, classes and functions are, by dotted name."""

from __future__ import annotations

from ownlint.facts import records as r
from ownlint.program.once import shared_property
from ownlint.program.program import Program
from ownlint.program.subjects import Class, Function

_MOST_HOPS = 8


class Modules:
    def __init__(self, program: Program) -> None:
        self.program = program
        self._definitions: dict[str, dict[int, Function]] = {}
        self._found: dict[str, tuple[r.File, list[str]] | None] = {}

    @shared_property
    def _by_last(self) -> dict[str, list[tuple[str, r.File]]]:
        """The dotted names of all modules, by their last part."""
        out: dict[str, list[tuple[str, r.File]]] = {}
        for file in self.program.files.values():
            if file.language == "python" and file.functions:
                module = file.module.removesuffix(".__init__") or _stem(file.path)
                out.setdefault(module.rpartition(".")[2], []).append((module, file))
        return out

    def file(self, module: str) -> r.File | None:
        """The one file that this dotted name means; the root may lie anywhere."""
        found = self._by_last.get(module.rpartition(".")[2], ())
        exact = [file for name, file in found if name == module]
        fitting = exact or [file for name, file in found if name.endswith("." + module) or module.endswith("." + name)]
        return fitting[0] if len(fitting) == 1 else None

    def find(self, symbol: str, hops: int = _MOST_HOPS) -> tuple[r.File, list[str]] | None:
        """The file in which a dotted name is defined, re-exports followed, and what it is called in there."""
        if symbol not in self._found:
            self._found[symbol] = None
            self._found[symbol] = self._find(symbol.lstrip("."), hops)
        return self._found[symbol]

    def _find(self, symbol: str, hops: int) -> tuple[r.File, list[str]] | None:
        parts = symbol.split(".")
        for length in range(len(parts) - 1, 0, -1):
            file = self.file(".".join(parts[:length]))
            if file is None:
                continue
            rest = parts[length:]
            if self._defines(file, rest[0]):
                return file, rest
            if hops:
                for imported in file.imports:
                    if imported.scope == -1 and imported.name == rest[0]:
                        return self.find(".".join([imported.target, *rest[1:]]), hops - 1)
                for imported in file.imports:
                    if imported.scope == -1 and imported.name == "*":
                        found = self.find(".".join([imported.target, *rest]), hops - 1)
                        if found is not None:
                            return found
        return None

    def _defines(self, file: r.File, name: str) -> bool:
        return (
            any(variable.name == name for variable in file.variables)
            or any(record.name == name and not record.scope for record in file.functions)
            or any(record.name == name and not record.scope for record in file.classes)
        )

    def body(self, file: r.File) -> Function | None:
        """The module's own statements."""
        return self.program.function_at(file, 0) if file.functions and file.functions[0].kind == "module" else None

    def definitions(self, file: r.File) -> dict[int, Function]:
        """The functions of a file by where their names stand."""
        if file.path not in self._definitions:
            views = (self.program.function_at(file, index) for index in range(len(file.functions)))
            self._definitions[file.path] = {view.record.name_start: view for view in views if view is not None}
        return self._definitions[file.path]

    def class_of(self, symbol: str) -> Class | None:
        """The project's class of that dotted name."""
        found = self.find(symbol) if symbol else None
        return self.class_called(*found) if found is not None else None

    def class_called(self, file: r.File, rest: list[str]) -> Class | None:
        wanted = ".".join(rest)
        return next(
            (c for c in self.program.classes_called(rest[-1], file) if c.file is file and c.symbol == wanted), None
        )

    def function_called(self, file: r.File, rest: list[str]) -> Function | None:
        wanted = ".".join(rest)
        found = [f for f in self.definitions(file).values() if f.symbol == wanted]
        return found[0] if len(found) == 1 else None

    def class_body(self, cls: Class) -> Function | None:
        """The statements of a class that are not in its methods."""
        for index, record in enumerate(cls.file.functions):
            if record.kind == "class" and record.name == f"<class {cls.name}>" and record.start == cls.record.start:
                return self.program.function_at(cls.file, index)
        return None


def _stem(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
