"""Classes of Python by their bases: what a class of the project derives from, by dotted names."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import program_question

_MAKES_FIELDS = frozenset({"dataclass", "dataclasses.dataclass"})


def find(program: Program, dotted: str) -> tuple[File, r.ClassRecord] | None:
    """The one class of that name."""
    module, _, last = dotted.rpartition(".")
    named = _classes(program).get(last, [])
    found = [
        (file, cls)
        for file, cls in named
        if (home := ".".join(part for part in (file.module.removesuffix(".__init__"), cls.scope) if part)) == module
        or (module and home.endswith("." + module))
        or not module
    ]
    return found[0] if len(found) == 1 else None


def bases(program: Program, dotted: str) -> Iterator[str]:
    """The bases of the one class of that name, as imports resolve them."""
    if (found := find(program, dotted)) is not None:
        file, cls = found
        yield from (_meaning(file, base) or base.name for base in cls.bases)


def declared_fields(program: Program, dotted: str) -> tuple[tuple[str, str], ...]:
    """The parameters of a constructor that is made from the fields that a class declares, each with its field."""
    found = find(program, dotted)
    if found is None:
        return ()
    file, cls = found
    made = any((_meaning(file, one) or one.name) in _MAKES_FIELDS for one in cls.annotations) and not cls.bases
    if not made and list(bases(program, dotted)) != ["typing.NamedTuple"]:
        return ()
    own = [one for one in cls.fields if one.type and not one.type.rpartition(".")[2].startswith("ClassVar")]
    if any(isinstance(one.value, r.Call) for one in own):  # `field(init=False)`, `field(kw_only=True)`
        return ()
    return tuple((one.name, one.name) for one in sorted(own, key=lambda one: one.start))


def _meaning(file: File, node: r.Node) -> str:
    return next((m.symbol for m in file.meanings if node.start <= m.start < node.end), "")


@program_question
def _classes(program: Program) -> dict[str, list[tuple[File, r.ClassRecord]]]:
    found: dict[str, list[tuple[File, r.ClassRecord]]] = {}
    for file in program.files.values():
        if file.language == "python":
            for cls in file.classes:
                found.setdefault(cls.name, []).append((file, cls))
    return found
