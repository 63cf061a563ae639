"""Classes of Python by their bases: what a class of the project derives from, by dotted names."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import program_question


def bases(program: Program, dotted: str) -> Iterator[str]:
    """The bases of the one class of that name, as imports resolve them."""
    module, _, last = dotted.rpartition(".")
    named = _classes(program).get(last, [])
    found = [
        (file, cls)
        for file, cls in named
        if (home := ".".join(part for part in (file.module.removesuffix(".__init__"), cls.scope) if part)) == module
        or (module and home.endswith("." + module))
        or not module
    ]
    if len(found) != 1:
        return
    file, cls = found[0]
    for base in cls.bases:
        meaning = next((m for m in file.meanings if base.start <= m.start < base.end), None)
        yield meaning.symbol if meaning is not None else base.name


@program_question
def _classes(program: Program) -> dict[str, list[tuple[File, r.ClassRecord]]]:
    found: dict[str, list[tuple[File, r.ClassRecord]]] = {}
    for file in program.files.values():
        if file.language == "python":
            for cls in file.classes:
                found.setdefault(cls.name, []).append((file, cls))
    return found
