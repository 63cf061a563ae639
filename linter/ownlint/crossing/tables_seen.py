"""Classes and functions that tables of C make visible to Python: which table belongs to which type or module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint.crossing.table_facts import stores_of
from ownlint.facts import records as r
from ownlint.flow.places import last_name
from ownlint.models.contract_records import KeptAddress, Kind
from ownlint.project.files import File
from ownlint.project.program import Program

_KINDS: dict[str, Kind] = {"method": "method", "property": "property", "field": "field"}
_DEEPEST = 3
_INITIALISES = "tp_init"


class Listed(NamedTuple):
    """A type of C that Python sees."""

    name: str
    path: str
    start: int


class SeenEntry(NamedTuple):
    """One function or attribute; `on` is empty for a module's."""

    on: str
    name: str
    kind: Kind
    path: str
    start: int
    cxx: str
    releases_gil: bool
    stores: tuple[KeptAddress, ...] = ()


def table_classes(program: Program) -> Iterator[Listed]:
    for file in program.files.values():
        for table in file.tables:
            if table.kind == "type" and (name := _class_name(table)):
                yield Listed(name, file.path, table.start)


def table_functions(program: Program) -> Iterator[SeenEntry]:
    """Every line of a table that a type or module of its file refers to, and those of tables nobody is known to own."""
    for file in program.files.values():
        if not file.tables:
            continue
        owners = _owners(file)
        for table in file.tables:
            if table.kind not in _KINDS:
                yield from _makers(program, file, table, owners)
                continue
            on = owners.get(table.name, "")
            if not on and table.kind != "method":
                continue
            for line in table.entries:
                if line.name.isidentifier():
                    yield _entry(program, file, table, line, on)


def _entry(program: Program, file: File, table: r.Table, line: r.Entry, on: str) -> SeenEntry:
    kind: Kind = _KINDS[table.kind]
    if kind == "method" and not on:
        kind = "function"
    elif kind == "method" and "STATIC" in line.flags:
        kind = "static"
    elif kind == "property" and line.setter is not None:
        kind = "property_rw"
    called = last_name(line.function) if isinstance(line.function, r.Name) else ""
    stores = _stores(program, file, line, kind) if on and kind != "static" else ()
    return SeenEntry(on, line.name, kind, file.path, line.start, called, _releases(program, file, called), stores)


def _makers(program: Program, file: File, table: r.Table, owners: dict[str, str]) -> Iterator[SeenEntry]:
    """The function that a type gets its arguments by: `tp_init`, where it keeps one of them."""
    on = _class_name(table) if table.kind == "type" else owners.get(table.name, "")
    for line in table.entries if on else ():
        if line.name.endswith(_INITIALISES) and (stores := _stores(program, file, line, "init")):
            called = last_name(line.function)
            yield SeenEntry(on, "__init__", "init", file.path, line.start, called, False, stores)


def _stores(program: Program, file: File, line: r.Entry, kind: Kind) -> tuple[KeptAddress, ...]:
    asked = line.setter if kind == "property_rw" else line.function
    if not isinstance(asked, r.Name):
        return ()
    here = (one for one in program.index.functions_called(last_name(asked)) if one.file is file)
    function = next((one for one in here if one.record.kind == "function"), None)
    return stores_of(function, line.flags, kind == "property_rw") if function is not None else ()


def _owners(file: File) -> dict[str, str]:
    """The name of a table -> the Python class it belongs to, by way of the slots that a type refers to."""
    tables = {table.name: table for table in file.tables}
    found: dict[str, str] = {}
    for table in file.tables:
        name = _class_name(table) if table.kind == "type" else ""
        if not name:
            continue
        waiting = [(table, 0)]
        while waiting:
            current, depth = waiting.pop()
            for line in current.entries:
                for word in line.refers:
                    other = tables.get(word)
                    if other is not None and other.kind not in ("type", "module") and depth < _DEEPEST:
                        found.setdefault(word, name)
                        if other.kind == "slot":
                            waiting.append((other, depth + 1))
    return found


def _class_name(table: r.Table) -> str:
    last = table.title.rpartition(".")[2]
    return last if last.isidentifier() else ""


def _releases(program: Program, file: File, called: str) -> bool:
    words = [f'"{word}"'.encode() for word in program.models.gil.drops]
    bodies = (bytes(function.body) for function in file.functions if function.name == called)
    return any(word in body for body in bodies for word in words)
