"""The types that C code describes to Python, and the functions in the slots by which their objects end and are visited.

A type is a record, an array of slots, or what the statements of a function fill: `NodeType.tp_dealloc = Node_dealloc`.
In a record without names a dealloc function is known by its position, and a traverse function by what it calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, places, questions, text, wrapped_objects
from ownlint import records as r

_ENDS = ("tp_dealloc", "tp_clear", "tp_finalize", "tp_del")
"""Slots that end an object, or what it refers to; docs.python.org/3/c-api/typeobj.html."""
_TRAVERSE = "tp_traverse"
_COLLECTED = "Py_TPFLAGS_HAVE_GC"
_POSITIONS = frozenset({"3", "4"})
"""Of tp_dealloc, after the macro of the head: `PyObject_HEAD_INIT(0) 0, "name", ...` has one number more."""


class ObjectType(NamedTuple):
    """A type whose objects end, or are visited, by functions of the project. `collected` is the flag by which they take
    part in garbage collection, in the file `path`; `on_heap` says that the type is made of an array of slots."""

    path: str
    ends: dict[str, Function]
    collected: r.Node | None = None
    traverse: Function | None = None
    on_heap: bool = False

    @property
    def dealloc(self) -> Function | None:
        return self.ends.get("tp_dealloc")

    @property
    def struct(self) -> Class | None:
        """What its objects are in C, where nothing but these functions ends it."""
        given = (wrapped_objects.class_of_parameter(one, one.record.parameters[0]) for one in self.ends.values())
        return next((cls for cls in given if cls is not None and cls.record.destructor == "implicit"), None)


@questions.program_question
def object_types(program: Program) -> list[ObjectType]:
    found = []
    for path, file in program.files.items():
        for table in file.tables if file.language == "cpp" else ():
            if table.kind in ("type", "slot"):
                ends = {end: one for end in _ENDS if (one := _in_table(program, path, table, end)) is not None}
                traverse = _visiting(program, path, (entry.function for entry in table.entries))
                flag = _flag(table, file.variables)
                found.append(ObjectType(path, ends, flag, traverse, table.kind == "slot"))
    for function in program.calling({f"={slot}" for slot in (*_ENDS, _TRAVERSE)}):
        if function.language == "cpp":
            found += _assigned(function)
    return [one for one in found if one.ends or one.traverse is not None]


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
    own = _named(program, path, value)
    return own[0] if len(own) == 1 and len(own[0].record.parameters) == 1 else None


def _visiting(program: Program, path: str, values: Iterable[r.Value | None]) -> Function | None:
    """The function among those that shows members to the collector."""
    named = (one for value in values for one in _named(program, path, value)[:1])
    return next((one for one in named if one.mentions_any(program.models.visitors)), None)


def _named(program: Program, path: str, value: r.Value | None) -> list[Function]:
    """The functions of the project that a line of a table can mean: those of its file, else those of any."""
    inner = places.strip(value)
    if not isinstance(inner, r.Name):
        return []
    found = program.index.functions_called(places.last_name(inner))
    return [one for one in found if one.path == path] or [one for one in found if one.record.kind == "function"]


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
    found: dict[str, ObjectType] = {}
    for statement in function.values:
        target = places.strip(statement.target) if isinstance(statement, r.Assign) else None
        if not isinstance(statement, r.Assign) or not isinstance(target, r.Member):
            continue
        of = text(target.base)
        kind = found.setdefault(of, ObjectType(function.path, {}))
        if target.name == "tp_flags" and kind.collected is None:
            named = (one for one in places.walk(statement.value) if isinstance(one, r.Name))
            found[of] = kind._replace(collected=next((one for one in named if one.text == _COLLECTED), None))
        elif target.name == _TRAVERSE and kind.traverse is None:
            found[of] = kind._replace(traverse=_visiting(function.program, function.path, [statement.value]))
        elif target.name in _ENDS and (end := _ending(function.program, function.path, statement.value)) is not None:
            kind.ends.setdefault(target.name, end)
    yield from found.values()
