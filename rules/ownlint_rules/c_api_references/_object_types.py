"""The types that C code describes to Python, and the functions in the slots by which their objects end.

A type is a record, an array of slots, or what the statements of a function fill: `NodeType.tp_dealloc = Node_dealloc`.
In a record without names a dealloc function is known by its position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import Function, Program, places, text
from ownlint import records as r

_ENDS = ("tp_dealloc", "tp_clear", "tp_finalize", "tp_del")
"""Slots that end an object, or what it refers to; docs.python.org/3/c-api/typeobj.html."""
_COLLECTED = "Py_TPFLAGS_HAVE_GC"
_POSITIONS = frozenset({"3", "4"})
"""Of tp_dealloc, after the macro of the head: `PyObject_HEAD_INIT(0) 0, "name", ...` has one number more."""


class ObjectType(NamedTuple):
    """A type whose objects end by functions of the project. `collected` is the flag by which they take part in garbage
    collection, in the file `path`."""

    path: str
    ends: dict[str, Function]
    collected: r.Node | None

    @property
    def dealloc(self) -> Function | None:
        return self.ends.get("tp_dealloc")


def object_types(program: Program) -> Iterator[ObjectType]:
    for path, file in program.files.items():
        for table in file.tables if file.language == "cpp" else ():
            if table.kind in ("type", "slot"):
                ends = {end: one for end in _ENDS if (one := _in_table(program, path, table, end)) is not None}
                if ends:
                    yield ObjectType(path, ends, _flag(table, file.variables))
    for function in program.calling({f"={end}" for end in _ENDS}):
        if function.language == "cpp":
            yield from _assigned(function)


def by_dealloc(kinds: Iterable[ObjectType]) -> Iterator[tuple[Function, ObjectType]]:
    """Each dealloc function once, with the first type whose objects end by it."""
    seen: set[Function] = set()
    for kind in kinds:
        if kind.dealloc is not None and kind.dealloc not in seen:
            seen.add(kind.dealloc)
            yield kind.dealloc, kind


def _in_table(program: Program, path: str, table: r.Table, end: str) -> Function | None:
    for entry in table.entries:
        by_place = end == "tp_dealloc" and table.kind == "type" and entry.name in _POSITIONS
        if not (entry.name == end or entry.name == f"Py_{end}" or by_place):
            continue
        found = _ending(program, path, entry.function)
        if found is not None and (not by_place or found.record.result == "void"):
            return found
    return None


def _ending(program: Program, path: str, value: r.Value | None) -> Function | None:
    """The one function of the project of that name that is given an object alone."""
    inner = places.strip(value)
    if not isinstance(inner, r.Name):
        return None
    found = program.index.functions_called(places.last_name(inner))
    own = [one for one in found if one.path == path] or [one for one in found if one.record.kind == "function"]
    return own[0] if len(own) == 1 and len(own[0].record.parameters) == 1 else None


def _flag(table: r.Table, variables: tuple[r.Variable, ...]) -> r.Node | None:
    """Where the flag stands: in the record of the type, or in the specification that names its slots."""
    line = next((one for one in table.entries if _COLLECTED in one.refers), None)
    if line is not None or table.kind == "type":
        return line
    for one in variables:
        named = [inner for inner in places.walk(one.value) if isinstance(inner, r.Name)]
        if any(inner.text == table.name for inner in named):
            return next((inner for inner in named if inner.text == _COLLECTED), None)
    return None


def _assigned(function: Function) -> Iterator[ObjectType]:
    """The types whose slots the statements of a function fill, by how it writes them."""
    ends: dict[str, dict[str, Function]] = {}
    flags: dict[str, r.Node] = {}
    for statement in function.values:
        target = places.strip(statement.target) if isinstance(statement, r.Assign) else None
        if not isinstance(statement, r.Assign) or not isinstance(target, r.Member):
            continue
        of = text(target.base)
        if target.name == "tp_flags":
            named = (one for one in places.walk(statement.value) if isinstance(one, r.Name))
            flag = next((one for one in named if one.text == _COLLECTED), None)
            if flag is not None:
                flags.setdefault(of, flag)
        elif target.name in _ENDS and (end := _ending(function.program, function.path, statement.value)) is not None:
            ends.setdefault(of, {}).setdefault(target.name, end)
    for of, found in ends.items():
        yield ObjectType(function.path, found, flags.get(of))
