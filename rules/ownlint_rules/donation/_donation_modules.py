"""Where the project's own modules, classes and functions are, by dotted name."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, File, Function, Program, questions
from ownlint_rules.donation._reaching import bits, reached

_MOST_HOPS = 8


class Modules:
    def __init__(self, program: Program) -> None:
        self.program = program
        self._own: questions.Answers[str, frozenset[str]] = questions.Answers()
        self._imports: questions.Answers[str, dict[str, str]] = questions.Answers()
        self._definitions: questions.Answers[str, dict[int, Function]] = questions.Answers()
        self._files: questions.Answers[str, File | None] = questions.Answers()
        self._found: questions.Answers[str, tuple[File, list[str]] | None] = questions.Answers(None)

    @questions.program_property
    def _by_last(self) -> dict[str, list[tuple[str, File]]]:
        """The dotted names of all modules, by their last part."""
        out: dict[str, list[tuple[str, File]]] = {}
        for file in self._python:
            module = _dotted(file)
            out.setdefault(module.rpartition(".")[2], []).append((module, file))
        return out

    def file(self, module: str) -> File | None:
        """The one file that this dotted name means; the root may lie anywhere."""
        return self._files.ask(module, lambda: self._file(module))

    def _file(self, module: str) -> File | None:
        found = self._by_last.get(module.rpartition(".")[2], ())
        exact = [file for name, file in found if name == module]
        fitting = exact or [file for name, file in found if name.endswith("." + module) or module.endswith("." + name)]
        return fitting[0] if len(fitting) == 1 else None

    def find(self, symbol: str, hops: int = _MOST_HOPS) -> tuple[File, list[str]] | None:
        """The file in which a dotted name is defined, re-exports followed, and what it is called in there."""
        return self._found.ask(symbol, lambda: self._find(symbol.lstrip("."), hops))

    def _find(self, symbol: str, hops: int) -> tuple[File, list[str]] | None:
        parts = symbol.split(".")
        for length in range(len(parts) - 1, 0, -1):
            file = self.file(".".join(parts[:length])) if parts[length - 1] in self._by_last else None
            if file is None:
                continue
            rest = parts[length:]
            if self._defines(file, rest[0]) or rest[0] in self._imported(file):
                return self._in(file, rest, hops)
            for other in self._starred(file, rest) if hops else ():
                if (found := self._below(other, rest, hops - 1)) is not None:
                    return found
        return None

    def _in(self, file: File, rest: list[str], hops: int) -> tuple[File, list[str]] | None:
        """What a module itself says about a name: it defines or imports it."""
        if self._defines(file, rest[0]):
            return file, rest
        target = self._imported(file).get(rest[0]) if hops else None
        return self.find(".".join([target, *rest[1:]]), hops - 1) if target is not None else None

    def _below(self, file: File, rest: list[str], hops: int) -> tuple[File, list[str]] | None:
        """In a module, or in one below it that the name begins with."""
        home = _dotted(file)
        for length in range(len(rest) - 1, 0, -1):
            inner = self.file(f"{home}.{'.'.join(rest[:length])}") if rest[length - 1] in self._by_last else None
            if inner is not None and (found := self._in(inner, rest[length:], hops)) is not None:
                return found
        return self._in(file, rest, hops)

    def _defines(self, file: File, name: str) -> bool:
        return name in self._own.ask(file.path, lambda: frozenset(_defined(file)))

    def _imported(self, file: File) -> dict[str, str]:
        """What the module imports by name, the first import of each."""
        return self._imports.ask(file.path, lambda: _imported(file))

    # --- star imports ---

    def _starred(self, file: File, rest: list[str]) -> Iterator[File]:
        """The modules that may have a name which star imports bring into this one, those of the first import first."""
        bearers = self._bearers.get(rest[0], 0)
        if len(rest) > 1 and rest[0] in self._by_last:
            bearers = -1  # or it is a module below one of them
        wanted = bearers & self._reached.get(file.path, 0)
        waiting, seen = list(reversed(self._stars.get(file.path, ()))), {file.path}
        while waiting:
            other = waiting.pop()
            if other.path in seen or not wanted & (self._reached[other.path] | self._bit[other.path]):
                continue
            seen.add(other.path)
            if wanted & self._bit[other.path]:
                yield other
            waiting += reversed(self._stars[other.path])

    @questions.program_property
    def _python(self) -> list[File]:
        return [file for file in self.program.files.values() if file.language == "python" and file.functions]

    @questions.program_property
    def _bit(self) -> dict[str, int]:
        return bits(file.path for file in self._python)

    @questions.program_property
    def _stars(self) -> dict[str, tuple[File, ...]]:
        """The modules of which a module takes all names, in order."""
        out: dict[str, tuple[File, ...]] = {}
        for file in self._python:
            targets = (self.file(i.target.lstrip(".")) for i in file.imports if i.scope == -1 and i.name == "*")
            out[file.path] = tuple({target.path: target for target in targets if target is not None}.values())
        return out

    @questions.program_property
    def _bearers(self) -> dict[str, int]:
        """By name, the modules that define or import it."""
        out: dict[str, int] = {}
        for file in self._python:
            for name in {*_defined(file), *_imported(file)}:
                out[name] = out.get(name, 0) | self._bit[file.path]
        return out

    @questions.program_property
    def _reached(self) -> dict[str, int]:
        """The modules that star imports of a module reach, however many stand between: the same for all of a cycle."""
        return reached({path: [other.path for other in stars] for path, stars in self._stars.items()}, self._bit)

    def body(self, file: File) -> Function | None:
        """The module's own statements."""
        return (
            self.program.index.function_at(file, 0) if file.functions and file.functions[0].kind == "module" else None
        )

    def definitions(self, file: File) -> dict[int, Function]:
        """The functions of a file by where their names stand."""
        return self._definitions.ask(file.path, lambda: self._found_definitions(file))

    def _found_definitions(self, file: File) -> dict[int, Function]:
        views = (self.program.index.function_at(file, index) for index in range(len(file.functions)))
        return {view.record.name_start: view for view in views if view is not None}

    def class_of(self, symbol: str) -> Class | None:
        """The project's class of that dotted name."""
        found = self.find(symbol) if symbol else None
        return self.class_called(*found) if found is not None else None

    def class_called(self, file: File, rest: list[str]) -> Class | None:
        wanted = ".".join(rest)
        return next(
            (c for c in self.program.index.classes_called(rest[-1], file) if c.file is file and c.symbol == wanted),
            None,
        )

    def function_called(self, file: File, rest: list[str]) -> Function | None:
        wanted = ".".join(rest)
        found = [f for f in self.definitions(file).values() if f.symbol == wanted]
        return found[0] if len(found) == 1 else None

    def class_body(self, cls: Class) -> Function | None:
        """The statements of a class that are not in its methods."""
        for index, record in enumerate(cls.file.functions):
            if record.kind == "class" and record.name == f"<class {cls.name}>" and record.start == cls.record.start:
                return self.program.index.function_at(cls.file, index)
        return None


def _dotted(file: File) -> str:
    return file.module.removesuffix(".__init__") or _stem(file.path)


def _stem(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def _defined(file: File) -> Iterator[str]:
    """What stands at the top of a module."""
    yield from (function.name for function in file.functions if not function.scope)
    yield from (cls.name for cls in file.classes if not cls.scope)
    yield from (variable.name for variable in file.variables)


def _imported(file: File) -> dict[str, str]:
    known: dict[str, str] = {}
    for imported in file.imports:
        if imported.scope == -1 and imported.name != "*":
            known.setdefault(imported.name, imported.target)
    return known
