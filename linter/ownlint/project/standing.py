"""What stands behind an accessor: a function without parameters that always answers with one object, a static of its
own or a variable of its file. A call of it is a name of that object.

    std::mutex& TableMutex() { static std::mutex* mu = new std::mutex; return *mu; }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ownlint.facts import records as r
from ownlint.flow.bodies import statements
from ownlint.flow.places import Place, strip
from ownlint.project import types
from ownlint.project.questions import Answers, program_question, question
from ownlint.project.subjects import Function

if TYPE_CHECKING:
    from ownlint.project.program import Program

_MOST_STATEMENTS = 6
_BRANCHES = (r.Branch, r.Loop, r.Switch, r.Try)


class Standing(NamedTuple):
    """An accessor, and the variable of its file with which it answers; empty for a static of its own."""

    accessor: Function
    variable: str

    @property
    def name(self) -> str:
        """By which its object goes where it has no other: `TableMutex()`, `Table::Get()`."""
        cls = self.accessor.record.owner.rpartition("::")[2]
        return f"{cls}::{self.accessor.name}()" if cls else f"{self.accessor.name}()"


def names(function: Function) -> Mapping[str, Place]:
    """The calls of accessors that a body can hold, as they are written with `()` behind, and the places that they
    are."""
    return {written: (_root(one, function),) for written, one in _called(function).items()}


def behind(function: Function, root: str) -> Function | None:
    """The accessor whose calls are a place of that name in a body."""
    found = _called(function).get(root) if root.endswith("()") else None
    return found.accessor if found is not None else None


@question
def _called(function: Function) -> dict[str, Standing]:
    if function.language != "cpp" or not (known := _by_name(function.program)):
        return {}
    found: dict[str, Standing] = {}
    for name in function.mentioned:
        if name in known and name not in function.declared:
            found.update(_written(function, name, known[name]))
    return found


def _root(one: Standing, function: Function) -> str:
    return one.variable if one.variable and one.accessor.file is function.file else one.name


def of_file(program: Program, path: str) -> tuple[Standing, ...]:
    """The accessors outside of classes that a file defines and whose object has no other name there."""
    return tuple(one for one in _by_file(program).get(path, ()) if not one.variable and not one.accessor.record.owner)


def _written(function: Function, name: str, known: Mapping[Function, Standing]) -> Iterator[tuple[str, Standing]]:
    """Each way to write a call of an accessor of that name, with and without what it stands in: left out are those
    that may mean another function."""
    for written, every in _spelled(function.program, name).items():
        meant = [one for one in every if one.file is function.file] or every
        if "::" not in written:
            meant = [one for one in meant if not one.record.owner or _is_own(function, one)]
        if len({one.symbol for one in meant}) == 1 and all(one in known for one in meant):
            yield written + "()", known[meant[0]]


@program_question
def _spellings(_program: Program) -> Answers[str, dict[str, list[Function]]]:
    return Answers()


def _spelled(program: Program, name: str) -> dict[str, list[Function]]:
    """Each way to write a call of a function of that name which takes nothing, and whom it can mean."""

    def answer() -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for one in program.index.functions_called(name):
            for form in () if one.record.parameters else _forms(one):
                found.setdefault(form, []).append(one)
        return dict(sorted(found.items()))

    return _spellings(program).ask(name, answer)


def _is_own(function: Function, accessor: Function) -> bool:
    return accessor.cls is not None and function.home is not None and accessor.cls in function.home.ancestry


def _forms(accessor: Function) -> tuple[str, ...]:
    """`Get`, `Table::Get`, `db::Table::Get`."""
    parts = accessor.symbol.split("::")
    return tuple("::".join(parts[at:]) for at in range(len(parts)))


@program_question
def _by_name(program: Program) -> dict[str, dict[Function, Standing]]:
    found: dict[str, dict[Function, Standing]] = {}
    for function in program.functions:
        if _may_be(function) and (variable := answered(function)) is not None:
            found.setdefault(function.name, {})[function] = Standing(function, variable)
    return found


@program_question
def _by_file(program: Program) -> dict[str, list[Standing]]:
    found: dict[str, list[Standing]] = {}
    for known in _by_name(program).values():
        for one in known.values():
            found.setdefault(one.accessor.path, []).append(one)
    return found


@program_question
def classes(program: Program) -> frozenset[str]:
    """Last names of the classes with an object that stands behind an accessor, or is a variable of a file: what it
    holds lives as long as the program."""
    answers = {one.accessor.record.result for known in _by_name(program).values() for one in known.values()}
    declared = {one.type for file in program.files.values() if file.language == "cpp" for one in file.variables}
    return frozenset(types.parse(written).last for written in answers | declared)


def _may_be(function: Function) -> bool:
    """Needs no decoding."""
    record = function.record
    return (
        function.language == "cpp"
        and record.kind in ("function", "method")
        and not record.parameters
        and record.result.rstrip().endswith(("&", "*"))
        and function.is_short
    )


@question
def answered(function: Function) -> str | None:
    """The variable of its file with which a function always answers, by reference or address; empty for a static of
    its own, None where it answers with anything else."""
    every = statements(function.body)
    leaves = [one for one in every if isinstance(one, r.Leave)]
    if len(leaves) != 1 or len(every) > _MOST_STATEMENTS or any(isinstance(one, _BRANCHES) for one in every):
        return None
    value = strip(leaves[0].value)
    if isinstance(value, r.Unary) and value.op in ("*", "&"):
        value = strip(value.value)
    if not isinstance(value, r.Name):
        return None
    for one in every:
        if isinstance(one, r.Declare) and value.text in one.names:
            return "" if one.static and not one.thread_local else None
    return value.text if any(v.name == value.text and not v.thread_local for v in function.file.variables) else None
