"""Where a model says something else than the headers of its library do.

Headers are read as they are written: a name that is not found in them may come from another library or a macro, and is
told apart from a contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from ownlint.facts import records as r
from ownlint.models.files import ModelFile
from ownlint.models.names import parts_of, without_templates
from ownlint.models.records import ClassModel, Effect, FunctionModel, MacroModel, StatusModel
from ownlint.patterns import Expression
from ownlint.project import signatures
from ownlint.project.program import Program

_DOES = {
    "assert": "evaluates its argument in debug builds only",
    "evaluated assert": "evaluates its argument in every build",
    "check": "tests its argument in every build",
    "return on failure": "returns if its argument failed",
    "assign or return": "assigns, or returns if its argument failed",
    "return": "always returns",
    "leave": "always leaves the function",
    "break": "always leaves the loop",
    "continue": "always goes on with the next iteration",
    "end": "always ends the program",
    "debug log": "runs in debug builds only",
    "": "never returns",
}
_MUST_USE = re.compile(r"(?i)nodiscard|must_use|warn_unused")
_OPEN_RESULT = re.compile(r"\b(?:auto|decltype|typename)\b|^$")


class Difference(msgspec.Struct, frozen=True):
    model: str
    model_line: int
    name: str
    model_says: str
    header: str
    header_line: int
    header_says: str


class Absent(msgspec.Struct, frozen=True):
    """Of the `known` names of a model file those that no header has."""

    model: str
    names: tuple[str, ...]
    known: int


class Differences(msgspec.Struct, frozen=True):
    differences: tuple[Difference, ...]
    absent: tuple[Absent, ...]


class _Place(NamedTuple):
    path: str
    record: r.FunctionRecord | r.ClassRecord | r.Macro


def differences(program: Program, files: Sequence[ModelFile], line: Callable[[str, int], int]) -> Differences:
    """Of the model files, in their order; only what they say of C++ is compared. `line` is that of an offset in a
    header. A function without a namespace is not taken for that of a library most of which is elsewhere."""
    headers = _Headers(program)
    found: list[Difference] = []
    absent: list[Absent] = []
    for file in files:
        compared = _Compared(headers, file, line)
        own = list(compared.differences())
        names = tuple(dict.fromkeys(compared.missing))
        is_another = len(names) > len(compared.present)
        found += (one for one in own if not is_another or "::" in one.name or one.name in headers.macros)
        if names:
            absent.append(Absent(str(file.source.path), names, len(names) + len(compared.present)))
    return Differences(tuple(dict.fromkeys(found)), tuple(absent))


class _Headers:
    """What the headers define, by qualified name."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions: dict[tuple[str, ...], list[_Place]] = {}
        self.classes: dict[tuple[str, ...], list[_Place]] = {}
        self.macros: dict[str, list[_Place]] = {}
        self.owners: set[tuple[str, ...]] = set()
        """Of what member functions are declared."""
        self.namespaces: set[tuple[str, ...]] = set()
        self.aliases: set[str] = set()
        self.brought: set[tuple[str, str]] = set()
        """Names that a class or namespace takes from elsewhere, and its last name."""
        for path, file in program.said.items():
            for function in file.functions:
                if function.kind != "lambda" and "delete" not in function.qualifiers:
                    parts = self._parts(function)
                    self.functions.setdefault(parts, []).append(_Place(path, function))
                    if function.owner:
                        self.owners.add(parts[:-1])
                    elif function.kind == "function":
                        self.namespaces.add(parts[:-1])
            for cls in file.classes:
                self.classes.setdefault(self._parts(cls), []).append(_Place(path, cls))
            for macro in file.macros:
                self.macros.setdefault(macro.name, []).append(_Place(path, macro))
            for alias in file.aliases:
                self.aliases.add(alias.name or alias.target.rpartition("::")[2])
                self.brought.add((alias.scope.rpartition("::")[2], alias.target.rpartition("::")[2]))

    def _parts(self, record: r.FunctionRecord | r.ClassRecord) -> tuple[str, ...]:
        scope = without_templates(record.scope)[0]
        return self.program.models.full_name(parts_of(f"{scope}::{record.name}"))

    @cached_property
    def by_model(self) -> dict[FunctionModel, list[_Place]]:
        """What is declared under the whole name of a function's model."""
        found: dict[FunctionModel, list[_Place]] = {}
        for parts, places in self.functions.items():
            for model in self.program.models.function("::".join(parts)):
                if model.certainty == "certain":
                    found.setdefault(model, []).extend(places)
        return found

    def has_members(self, cls: tuple[str, ...]) -> bool:
        """Whether all members of a class were read."""
        if cls not in self.classes or cls not in self.owners or cls in self.namespaces:
            return False
        return not any(self.program.said[place.path].problems for place in self.classes[cls])

    def bases(self, cls: tuple[str, ...]) -> list[tuple[str, ...]] | None:
        """The class and all that it derives from; None where one of them is not in the headers."""
        found = [cls]
        for one in found:
            for place in self.classes[one]:
                for base in place.record.bases if isinstance(place.record, r.ClassRecord) else ():
                    written = parts_of(without_templates(base.name)[0].strip())
                    named = [parts for parts in self.classes if parts[-len(written) :] == written and parts != one]
                    if not named:
                        return None
                    found += [parts for parts in named if parts not in found]
        return found


class _Compared:
    """One model file beside the headers."""

    def __init__(self, headers: _Headers, file: ModelFile, line: Callable[[str, int], int]) -> None:
        self.headers, self.file, self.models, self.line = headers, file, headers.program.models, line
        self.missing: list[str] = []
        self.present: set[str] = set()

    def differences(self) -> Iterator[Difference]:
        for (name, line), macro in zip(self.file.lines("macro"), self.file.macros, strict=True):
            yield from self._macro(name, line, macro)
        for (name, line), function in zip(self.file.lines("function"), self.file.functions, strict=True):
            if "cpp" in function.languages:
                yield from self._function(name, line, function)
        for (name, line), cls in zip(self.file.lines("class"), self.file.classes, strict=True):
            yield from self._class(name, line, cls)
        statuses = {name: status for status in self.file.statuses for name in status.types}
        for name, line in self.file.lines("status", "types"):
            yield from self._status(name, line, statuses[name])
        returning = {name: status for status in self.file.statuses for name in status.returned_by}
        for name, line in self.file.lines("status", "returned_by"):
            yield from self._returning(name, line, returning[name])

    def _differs(self, name: str, line: int, said: str, place: _Place, found: str) -> Difference:
        record = place.record
        at = record.name_start if isinstance(record, r.FunctionRecord) else record.start
        return Difference(str(self.file.source.path), line, name, said, place.path, self.line(place.path, at), found)

    def _lacks(self, name: str) -> None:
        if "*" not in name:
            self.missing.append(name)

    # --- macros ---

    def _macro(self, name: str, line: int, model: MacroModel) -> Iterator[Difference]:
        fits = Expression(model.name).fullmatch if model.regular else model.name.__eq__
        found = sorted(one for one in self.headers.macros if fits(one) and self.models.macro(one) == model)
        if not found and not model.regular:
            self._lacks(name)
        for one in found:
            self.present.add(one)
            yield from self._defined(one, line, model, self.headers.macros[one])

    def _defined(self, name: str, line: int, model: MacroModel, places: list[_Place]) -> Iterator[Difference]:
        role = self.headers.program.macros.role(name)
        if role != model.role and role in _DOES:
            said = _DOES.get(model.role, f"is `{model.role}`")
            yield self._differs(name, line, said, places[0], _DOES[role])
        written = [place.record.parameters for place in places if isinstance(place.record, r.Macro)]
        counts = [len(one) for one in written if one is not None and "..." not in "".join(one)]
        if counts and len(counts) == len(written) and model.argument > max(counts) and _counts_arguments(model):
            yield self._differs(
                name, line, f"evaluates argument {model.argument}", places[0], signatures.takes(max(counts))
            )

    # --- functions ---

    def _function(self, name: str, line: int, model: FunctionModel) -> Iterator[Difference]:
        places = self.headers.by_model.get(model, [])
        if places:
            self.present.add(name)
            yield from self._declared(name, line, model.effects, places)
            return
        parts = tuple(name.split("::"))
        owner, last = parts[:-1], parts[-1]
        if last in self.headers.macros or last in self.headers.aliases:
            self.present.add(name)
        elif "*" in name or not self.headers.has_members(owner) or last == owner[-1]:
            self._lacks(name)
        elif (classes := self.headers.bases(owner)) is not None and not self._has(classes, last):
            whose = f"is not a member of `{'::'.join(owner)}`"
            yield self._differs(name, line, "exists", self.headers.classes[owner][0], whose)

    def _has(self, classes: Iterable[tuple[str, ...]], last: str) -> bool:
        return any(
            (*cls, last) in self.headers.functions
            or (cls[-1], last) in self.headers.brought
            or any(field.name == last for place in self.headers.classes[cls] for field in _fields(place))
            for cls in classes
        )

    def _declared(self, name: str, line: int, effects: Sequence[Effect], places: list[_Place]) -> Iterator[Difference]:
        functions = [place.record for place in places if isinstance(place.record, r.FunctionRecord)]
        found = (signatures.contradiction(effect, functions) for effect in effects)
        for said, declared in dict.fromkeys(one for one in found if one is not None):
            yield self._differs(name, line, said, places[0], declared)

    # --- classes and statuses ---

    def _class(self, name: str, line: int, model: ClassModel) -> Iterator[Difference]:
        parts = tuple(name.split("::"))
        places = self.headers.classes.get(parts, [])
        if not places:
            if parts[-1] in self.headers.aliases or parts[-1] in self.headers.macros:
                self.present.add(name)
            else:
                self._lacks(name)
            return
        self.present.add(name)
        templates = [place.record.template for place in places if isinstance(place.record, r.ClassRecord)]
        counts = [_commas(template) for template in templates]
        if "container" in model.roles and all(templates) and model.element > max(counts):
            said = f"holds its template argument {model.element}"
            yield self._differs(name, line, said, places[0], f"has {_counted(max(counts), 'template parameter')}")
        makers = [place.record for place in self.headers.functions.get((*parts, parts[-1]), [])]
        made = [maker for maker in makers if isinstance(maker, r.FunctionRecord)]
        most = max((len(maker.parameters) for maker in made), default=99)
        if "guard" in model.roles and model.argument > most and not any(map(signatures.is_variadic, made)):
            said = f"is constructed with a lock as argument {model.argument}"
            yield self._differs(name, line, said, self.headers.functions[*parts, parts[-1]][0], signatures.takes(most))

    def _status(self, name: str, line: int, model: StatusModel) -> Iterator[Difference]:
        parts = tuple(name.rstrip("*").split("::"))
        places = self.headers.classes.get(parts, [])
        if places or parts[-1] in self.headers.aliases or parts[-1] in self.headers.macros:
            self.present.add(name)
        else:
            self._lacks(name)
        for place in places:
            marks = place.record.annotations if isinstance(place.record, r.ClassRecord) else ()
            if not model.nodiscard and any(_MUST_USE.search(mark.name) for mark in marks):
                yield self._differs(name, line, "can be discarded without a warning", place, "is `[[nodiscard]]`")

    def _returning(self, name: str, line: int, model: StatusModel) -> Iterator[Difference]:
        parts = tuple(name.split("::"))
        places = self.headers.functions.get(parts, [])
        if places:
            self.present.add(name)
        else:
            self._lacks(name)
        results = [p.record.result for p in places if isinstance(p.record, r.FunctionRecord)]
        if results and all(self._is_other(result, parts) for result in results):
            yield self._differs(name, line, f"returns a `{model.types[0]}`", places[0], f"returns `{results[0]}`")

    def _is_other(self, result: str, parts: tuple[str, ...]) -> bool:
        """Whether the type is surely no status."""
        last = without_templates(result)[0].strip(" *&").rpartition("::")[2]
        scopes = tuple("::".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
        unknown = last in self.headers.aliases or last in self.headers.macros
        return not unknown and not _OPEN_RESULT.search(result) and self.models.status(result, scopes) is None


def _counts_arguments(model: MacroModel) -> bool:
    return model.role in ("assert", "check", "return on failure", "assign or return", "declaring", "hint", "discard")


def _fields(place: _Place) -> Sequence[r.Field]:
    return place.record.fields if isinstance(place.record, r.ClassRecord) else ()


def _commas(template: str) -> int:
    """How many parameters a template has; a pack counts as many."""
    return 99 if "..." in template else without_templates(template)[0].count(",") + 1


def _counted(number: int, word: str) -> str:
    return f"{number or 'no'} {word}{'s' * (number != 1)}"
