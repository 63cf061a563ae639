"""Names that many records say, kept once: each decoded record has texts of its own."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import force_setattr

from ownlint.facts import records as r


class SharedNames:
    """Of the files of one project."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._lists: dict[tuple[str, ...], tuple[str, ...]] = {}

    def share(self, file: r.FileRecord) -> r.FileRecord:
        """The file, which was decoded just now and nobody else has seen, with the names that others have as well."""
        for function in file.functions:
            self._texts_of(function, ("name", "scope", "owner", "result"))
            self._list_of(function, "mentions", function.mentions)
            self._list_of(function, "qualifiers", function.qualifiers)
            self._all(function.parameters, ("name", "type"))
        for cls in file.classes:
            self._texts_of(cls, ("name", "scope"))
            self._all(cls.fields, ("name", "type"))
        self._all(file.imports, ("name", "target"))
        self._all(file.aliases, ("name", "scope", "target"))
        self._all(file.meanings, ("symbol", "type", "owner"))
        return file

    def _all(self, records: Iterable[r.Node], fields: tuple[str, ...]) -> None:
        for one in records:
            self._texts_of(one, fields)

    def _texts_of(self, record: r.Node, fields: tuple[str, ...]) -> None:
        for field in fields:
            said: str = getattr(record, field)
            if said:
                known = self._texts.setdefault(said, said)
                if known is not said:
                    force_setattr(record, field, known)

    def _list_of(self, record: r.Node, field: str, said: tuple[str, ...]) -> None:
        if said:
            known = self._lists.get(said)
            if known is None:
                known = tuple(self._texts.setdefault(one, one) for one in said)
                self._lists[known] = known
            force_setattr(record, field, known)
