"""One model file, read and validated; `docs/models-reference.md` is the reference of what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec

from ownlint.facts.records import Language, TableKind
from ownlint.facts.vocabulary import Framework, is_word
from ownlint.models import former_tables
from ownlint.models.python_part import PYTHON_TABLES, PythonPart, Subject
from ownlint.models.records import (
    BindingKind,
    ClassModel,
    Environment,
    FrameworkModel,
    FunctionModel,
    Gil,
    Keeps,
    KindModel,
    MacroModel,
    MacroRole,
    Policy,
    Role,
    StatusKind,
    StatusModel,
    Version,
    called_as,
    makers_among,
)
from ownlint.models.tables import ModelError, ModelTable, parse

_HANDINGS = tuple(
    way + kind for way in ("", "property ", "cast ") for kind in ("pointer", "reference", "value", "memory", "array")
)
"""What a framework can have a default policy for."""


class ModelFile:
    """One model file, read and validated."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.source, top = parse(path, data)
        self.top = ModelTable(self.source, top)
        library = ModelTable(self.source, self._section("library", {}), "library")
        if not library.data:
            raise ModelError(path, 1, "a model needs a `[library]` table with a `name`")
        self.library = library.required("name")
        self.languages: tuple[Language, ...] = library.choices("languages", ("cpp", "python")) or ("cpp",)
        self.namespaces = library.texts("namespaces")
        self.aliases: dict[str, str] = library.mapping("aliases")
        self.anchors = library.expressions("anchors")
        self.beside = library.expressions("beside")
        self.helpers = library.flag("helpers", default=True)
        self.prefixes = library.texts("prefixes")
        self.constants = library.texts("constants")
        self.tables: dict[str, str] = library.mapping("tables", get_args(TableKind))
        self.atomic = library.texts("atomic")
        self.makes: dict[str, str] = library.mapping("makes")
        self.asks: dict[str, str] = library.mapping("asks")
        self.documentation = library.texts("source")
        library.done()
        self.statuses = [self._status(table) for table in self._tables("status")]
        self.functions = [model for table in self._tables("function") for model in self._functions(table)]
        self.kinds = [self._kind(table) for table in self._tables("kind")]
        self.classes = [model for table in self._tables("class") for model in self._classes(table)]
        self.macros = [model for table in self._tables("macro") for model in self._macros(table)]
        self.frameworks = [self._framework(table) for table in self._tables("framework")]
        self.versions = [self._version(table) for table in self._tables("version")]
        self.parity = [self._parity(table) for table in self._tables("parity")]
        self.environment = self._environment(ModelTable(self.source, self._section("env", {}), "env"))
        self.gil = self._gil(ModelTable(self.source, self._section("gil", {}), "gil"))
        self.python = self._python()
        self.top.done()

    def _section(self, key: str, default: object) -> Any:
        value = self.top.take(key)
        return default if value is None else value

    def lines(self, kind: str, *keys: str) -> Iterator[tuple[str, int]]:
        """What the entries of a kind list under the keys (their names, when none is given), in order, with its line."""
        for table in self._tables(kind):
            for key in keys or ("pattern", "name", "names"):
                for value in table.texts(key):
                    yield value, table.line(key, value)

    def _tables(self, key: str, data: Any = None) -> Iterator[ModelTable]:
        items = self._section(key, []) if data is None else data
        if not isinstance(items, list):
            line = self.source.positions.line(*key.split("."))
            raise ModelError(
                self.source.path, line, f"write `[[{key}]]` with double brackets: it is an array of tables"
            )
        for number, item in enumerate(items):
            yield ModelTable(self.source, item, *key.split("."), number)

    def _status(self, table: ModelTable) -> StatusModel:
        model = StatusModel(
            library=self.library,
            types=table.texts("types"),
            kind=table.choice("kind", get_args(StatusKind), "value"),
            ok=table.texts("ok"),
            failed=table.texts("failed"),
            discard=table.texts("discard"),
            nodiscard=table.flag("nodiscard"),
            carries_value=table.flag("carries_value"),
            bare=table.flag("bare"),
            returned_by=table.texts("returned_by"),
            droppable=table.texts("droppable"),
            asked_by=table.texts("asked_by"),
            repeated=table.texts("repeated"),
            advisory=table.flag("advisory"),
            throws_under=table.texts("throws_under"),
            source=table.text("source"),
        )
        if not model.types:
            table.lacks("types")
        table.done()
        return model

    def _python(self) -> PythonPart:
        section = ModelTable(self.source, self._section("python", {}), "python")
        memory = ModelTable(self.source, self._section("memory", {}), "memory")

        def read(header: str) -> list[ModelTable]:
            of, _, key = header.partition(".")
            return list(self._tables(header, (memory if of == "memory" else section).take(key) or []))

        tables = {key: read(f"python.{key}") for key in PYTHON_TABLES}
        self.former = former_tables.add(tables, read)
        section.done()
        memory.done()
        formerly: tuple[tuple[Subject, bool], ...] = (
            ("memory", bool(memory.data)),
            ("storage", "consumer" in section.data),
        )
        also = frozenset(subject for subject, is_written in formerly if is_written)
        return PythonPart(self.library, tuple(version.name for version in self.versions), tables, also)

    def _functions(self, table: ModelTable) -> Iterator[FunctionModel]:
        names = table.names()
        languages = table.choices("languages", ("cpp", "python")) or self.languages
        model = FunctionModel(
            library=self.library,
            name="",
            effects=table.effects(),
            languages=languages,
            released_by=table.texts("released_by"),
            keeps=table.choice("keeps", get_args(Keeps)),
            replaced_by=table.text("replaced_by"),
            replaced_since=table.text("replaced_since"),
            nullable=table.flag("nullable"),
            never_null=table.flag("never_null"),
            counted=table.flag("counted"),
            together=table.flag("together"),
            rest_nullable=table.flag("rest_nullable"),
            by_reference=table.flag("by_reference"),
            drops_answers=table.flag("drops_answers"),
            makes_room=table.flag("makes_room"),
            kept_at=table.number("kept_at", 0),
            kept_for=table.text("kept_for"),
            option_at=table.number("option_at", 0),
            options=table.texts("options"),
            sized_by=table.texts("sized_by"),
            room_made_by=table.texts("room_made_by"),
            trusts_type=table.flag("trusts_type"),
            result=table.text("result"),
            casts=table.flag("casts"),
            durable=table.flag("durable"),
            written_by=table.texts("written_by"),
            answers_zero=table.flag("answers_zero"),
            fails_by_zero=table.flag("fails_by_zero"),
            fails_below_zero=table.flag("fails_below_zero"),
            computes=table.flag("computes"),
            calls=table.flag("calls"),
            throws=table.flag("throws"),
            exceptions=table.texts("exceptions"),
            fills=table.texts("fills"),
            member=table.text("member"),
            format_at=table.number("format_at", 0),
            format_from=table.number("format_from", 0),
            format_steals=table.text("format_steals"),
            format_lends=table.text("format_lends"),
            format_points=table.text("format_points"),
            format_acquires=table.text("format_acquires"),
            bare=table.flag("bare"),
            note=table.text("note"),
            source=table.text("source"),
        )
        if not model.effects:
            table.lacks("effect")
        table.done()
        return (msgspec.structs.replace(model, name=name) for name in names)

    def _kind(self, table: ModelTable) -> KindModel:
        model = KindModel(
            name=table.required("name"),
            released_by=table.texts("released_by"),
            memory=table.flag("memory"),
            number=table.flag("number"),
            stays=table.flag("stays"),
            lasting=table.flag("lasting"),
        )
        table.text("source")
        if not model.released_by:
            table.lacks("released_by")
        table.done()
        return model

    def _classes(self, table: ModelTable) -> Iterator[ClassModel]:
        names = table.names()
        model = ClassModel(
            library=self.library,
            name="",
            roles=table.choices("role", get_args(Role)),
            argument=table.number("argument", 1),
            holds=table.text("holds"),
            shared=table.flag("shared"),
            element=table.number("element", 1),
            bases=table.texts("bases"),
            plain_by=table.texts("plain_by"),
            bare=table.flag("bare"),
            source=table.text("source"),
        )
        if not model.roles:
            table.lacks("role")
        table.done()
        return (msgspec.structs.replace(model, name=name) for name in names)

    def _environment(self, table: ModelTable) -> Environment:
        model = Environment(*(table.texts(key) for key in Environment.__struct_fields__))
        table.text("source")
        table.done()
        return model

    def _gil(self, table: ModelTable) -> Gil:
        model = Gil(*(table.texts(key) for key in Gil.__struct_fields__))
        table.text("source")
        table.done()
        return model

    def _macros(self, table: ModelTable) -> Iterator[MacroModel]:
        patterns = table.expressions("pattern")
        names = () if patterns else table.names()
        role = table.choice("role", get_args(MacroRole))
        if role is None:
            table.lacks("role")
        argument = table.number("argument", 2 if role in ("assign or return", "declaring") else 1)
        source = table.text("source")
        ends = table.texts("ends")
        table.done()
        both = [*((name, False) for name in names), *((pattern, True) for pattern in patterns)]
        return (MacroModel(self.library, name, role, argument, regular, source, ends) for name, regular in both)

    def _framework(self, table: ModelTable) -> FrameworkModel:
        spelling = Framework(
            name=table.required("name"),
            namespaces=table.texts("namespaces"),
            classes=table.texts("classes"),
            methods=table.mapping("methods", get_args(BindingKind)),
            constructors=table.texts("constructors"),
            wrappers=table.texts("wrappers"),
            macros=table.texts("macros"),
        )
        extras = ("keep alive", "policy", "call guard", "argument", "call policy", "other")
        model = FrameworkModel(
            library=self.library,
            spelling=spelling,
            policies=table.mapping("policies", get_args(Policy)),
            defaults=table.mapping("defaults", get_args(Policy), _HANDINGS),
            extras=table.mapping("extras", extras),
            facts=table.mapping("facts"),
            iterators=table.texts("iterators"),
            source=table.text("source"),
        )
        table.done()
        return model

    def _parity(self, table: ModelTable) -> tuple[str, ...]:
        words = table.texts("words")
        table.text("source")
        if len(words) < 2:
            table.fail("`words` needs at least two alternative words", "words")
        for word in words:
            if not is_word(word):
                table.fail(f"`{word}` is not a word: use letters and digits, starting with a letter", "words", word)
        table.done()
        return words

    def _version(self, table: ModelTable) -> Version:
        version = Version(self.library, table.required("name"), table.mapping("packages"), table.text("note"))
        table.done()
        return version


def anchors(file: ModelFile) -> tuple[str, ...]:
    """What a Python file holds in which the library matters: where nobody says it, one of its packages."""
    if file.anchors:
        return file.anchors
    part = file.python
    dotted = [*part.exports, *part.modules, *(one.name for one in part.handles), *(one.name for one in part.functions)]
    dotted += [*(one.name for one in part.consumers), *(one.name for one in part.memory.types)]
    dotted += [one.name for one in part.memory.facts]
    packages = {name.partition(".")[0] for name in dotted if "." in name}
    return tuple(rf"\b{re.escape(package)}\b" for package in sorted(packages) if package.isidentifier())


def beside(file: ModelFile) -> tuple[str, ...]:
    """What a Python file holds that can come by an owner of this library's: a handle that somebody else owns is
    somebody else's to keep. Nothing where the library is known by its packages alone."""
    if file.beside or not file.anchors:
        return file.beside
    makers = {
        maker for cls in file.python.handles for variants in cls.variants.values() for maker in makers_among(variants)
    }
    words = {(r"\b" if maker.name == "__init__" else r"\.") + re.escape(called_as(maker)) + r"\b" for maker in makers}
    words |= {rf"\b{re.escape(maker.name.rpartition('.')[2])}\b" for maker in makers_among(file.python.functions)}
    return tuple(sorted(words))
