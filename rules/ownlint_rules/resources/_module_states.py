"""The state of modules of C: a struct that the interpreter makes with the module and gives back as plain memory. What
its members hold, the module releases in `m_clear` or `m_free`; without these it stays to the interpreter's end."""

from __future__ import annotations

from ownlint import Program, questions, types
from ownlint import records as r

_SIZE, _ENDING = ("m_size", "3"), (("m_clear", "7"), ("m_free", "8"))
"""Members of `PyModuleDef` (Python's C API, "Module Objects"), each with its place."""


@questions.program_question
def never_cleared(program: Program) -> frozenset[str]:
    """Last names of the structs that modules have for a state, where no module with such a state clears or frees it."""
    kept, cleared = set[str](), set[str]()
    for file in program.files.values():
        for table in file.tables:
            if table.kind == "module":
                names = {types.parse(name).last for name in _refers(table, _SIZE)}
                ends = any(_is_function(table, place) for place in _ENDING)
                (cleared if ends else kept).update(names)
    return frozenset(kept - cleared)


def _refers(table: r.Table, place: tuple[str, str]) -> tuple[str, ...]:
    return next((entry.refers for entry in table.entries if entry.name in place), ())


def _is_function(table: r.Table, place: tuple[str, str]) -> bool:
    return any(entry.name in place and entry.function is not None for entry in table.entries)
