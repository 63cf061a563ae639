"""Functions whose results, where they are objects, belong to the caller: those that stand in a table of slots, those
that are written as such a table asks for it, and those by which a caster gives objects to Python."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ownlint.domains.counted import casters, marks
from ownlint.domains.counted.references import references
from ownlint.facts import records as r
from ownlint.flow.places import last_name, walk
from ownlint.patterns import strings
from ownlint.project.program import Program
from ownlint.project.questions import each_function, program_question, question
from ownlint.project.subjects import Function


@question
def is_slot(function: Function) -> bool:
    named = function.name in _slots(function.program).get(function.path, ())
    return named or _is_method(function) or _is_inquiry(function) or casters.makes(function)


_RECEIVERS = frozenset({"self", "module"})
_ARGUMENTS = ("args",)
_KEYWORDS = frozenset({"kwargs", "kwds", "keywds", "kw"})


def _is_method(function: Function) -> bool:
    """Whether it is written as the manual writes a `PyCFunction`, `(PyObject *self, PyObject *args)`, with or without
    `PyObject *kwargs`: its table may be made by macros, or stand in another file. One whose declaration is marked as
    handing out a borrowed reference is something else."""
    record = function.record
    names = tuple(one.name for one in record.parameters)
    if record.kind != "function" or not 2 <= len(names) <= 3 or names[0] not in _RECEIVERS:
        return False
    if names[1:2] != _ARGUMENTS or not _KEYWORDS.issuperset(names[2:]):
        return False
    known = references(function.program)
    objects = (record.result, *(one.type for one in record.parameters[1:]))
    if "*" not in record.parameters[0].type or not all(known.is_pointer(written, function) for written in objects):
        return False
    return not marks.is_lender(function) and not marks.taken(function)


def _is_inquiry(function: Function) -> bool:
    """Whether it is written as the manual writes an `inquiry`, `int (PyObject *self)`, and nobody calls it here."""
    record = function.record
    if record.kind != "function" or record.result != "int" or len(record.parameters) != 1:
        return False
    only = record.parameters[0]
    if only.name not in _RECEIVERS or not references(function.program).is_pointer(only.type, function):
        return False
    return not marks.taken(function) and not function.program.index.callers(function)


@program_question
def _slots(program: Program) -> dict[str, frozenset[str]]:
    """By file the names of the functions in its tables."""
    tables = program.models.names_of("slot table")
    found: dict[str, set[str]] = {}
    for path, file in program.files.items():
        if file.language == "cpp":
            names = {name for one in file.variables if _is_table(one.type, tables) for name in _named(one.value)}
            found[path] = names
    for function, filled in _in_bodies(program).items():
        found[function.path].update(filled)
    return {path: frozenset(names) for path, names in found.items() if names}


@program_question
def _tables(program: Program) -> frozenset[str]:
    """Names of the variables that are tables."""
    tables = program.models.names_of("slot table")
    variables = (one for file in program.files.values() if file.language == "cpp" for one in file.variables)
    return frozenset(one.name for one in variables if one.name and _is_table(one.type, tables))


@each_function
def _in_bodies(function: Function) -> frozenset[str]:
    """What the function puts into tables: its own, and those variables."""
    if function.language != "cpp":
        return frozenset()
    found: set[str] = set()
    tables = function.program.models.names_of("slot table")
    if any(table.encode() in function.encoded for table in tables):
        found.update(_local(function, tables))
    filled = _tables(function.program)
    if filled and any(mention[:1] == "=" for mention in function.mentioned) and function.says(_any_of(filled)):
        found.update(_filled_in(function, filled))
    return frozenset(found)


_any_of = lru_cache(maxsize=1)(strings)


def _is_table(written: str, tables: frozenset[str]) -> bool:
    """One that points to a table holds none of its functions: `PyTypeObject *base = base_of(object);`."""
    return "*" not in written and any(table in written for table in tables)


def _named(value: r.Value | None) -> Iterator[str]:
    for inner in walk(value):
        match inner:
            case r.Name():
                yield last_name(inner)
            case r.OpaqueValue(names=names):
                yield from names


def _local(function: Function, tables: frozenset[str]) -> Iterator[str]:
    for statement in function.statements:
        if isinstance(statement, r.Declare) and _is_table(statement.type, tables):
            yield from _named(statement.value)


def _filled_in(function: Function, tables: frozenset[str]) -> Iterator[str]:
    """`BookType.tp_iter = Book_iter;`, where the table is one of the program's variables."""
    for value in function.values:
        match value:
            case r.Assign(target=r.Member(base=r.Name(text=name)), value=given) if name in tables:
                yield from _named(given)
