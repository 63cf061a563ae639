"""What all functions of a project say, read off their encoded bodies: cheap and coarse, for what is worth a look."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ownlint.facts.records import Language
from ownlint.patterns import constant
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Function

THROWS = constant(re.compile(rb'"throw"'))
"""A body that throws by itself."""
_SAID = re.compile(rb'"([A-Za-z_]\w*)"')


@program_question
def asserting(program: Program) -> frozenset[str]:
    """Names of what is called somewhere and is compiled in debug builds alone, with what it is given."""
    return frozenset(name for name in program.index.called_names if program.macros.role(name) == "assert")


@program_question
def throwers(program: Program) -> frozenset[str]:
    """Names of the project's own functions that throw by themselves, or of which a comment says that they throw."""
    documented = (
        record.name for file in program.files.values() for record in file.functions if "throws" in record.qualifiers
    )
    return frozenset((*(function.name for function in program.saying(THROWS)), *documented))


@program_question
def library_throwers(program: Program) -> Mapping[Language, frozenset[str]]:
    """Last names of the libraries' functions that throw where they fail, by language."""
    languages: tuple[Language, ...] = ("cpp", "python")
    return {language: program.models.functions_that(lambda model: model.throws, language) for language in languages}


@program_question
def passers(program: Program) -> Mapping[Language, frozenset[str]]:
    """Names of the project's functions that may let out what a library's function throws, their own or others'."""
    found: dict[Language, frozenset[str]] = {}
    for language, latest in library_throwers(program).items():
        known: frozenset[str] = frozenset()
        for _ in range(PASSED):
            calling = (one for one in program.calling(latest) if one.language == language)
            latest = frozenset(one.name for one in calling if "noexcept" not in one.record.qualifiers) - known - latest
            known |= latest
        found[language] = known
    return found


PASSED = 2
"""Through so many functions a library's exception is followed."""


@program_question
def accessors(program: Program) -> Mapping[str, frozenset[str]]:
    """For each name, the short functions without parameters that say it."""
    return _short_sayers(program, lambda function: not function.record.parameters)


@program_question
def comparers(program: Program) -> Mapping[str, frozenset[str]]:
    """For each name, the short functions with parameters that answer a bool and say it."""
    return _short_sayers(program, lambda found: found.record.result == "bool" and bool(found.record.parameters))


@program_question
def member_sayers(program: Program) -> Mapping[str, list[Function]]:
    """For each name of a data member, the functions of C and C++ that say it, in the order of the program."""
    members = {field.name for cls in program.classes for field in cls.record.fields if not field.static}
    out: dict[str, list[Function]] = {}
    for function in program.functions:
        if function.language == "cpp":
            for name in sorted(members.intersection(said.decode() for said in _SAID.findall(function.encoded))):
                out.setdefault(name, []).append(function)
    return out


def _short_sayers(program: Program, wanted: Callable[[Function], bool]) -> Mapping[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for function in program.functions:
        if function.is_short and wanted(function):
            for said in _SAID.findall(function.encoded):
                out.setdefault(said.decode(), set()).add(function.name)
    return {name: frozenset(functions) for name, functions in out.items()}
