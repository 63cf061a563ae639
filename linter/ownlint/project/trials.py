"""Tests and benchmarks: a leak or a missing check there does no harm to a program.

A file is such code because it defines tests by a macro, or asserts like one and is called `x_test.cc`, because it is a
program that is called a test (`ztest.c` with a `main`), because a runner takes it for a test (`test_x.py` that defines
`test_y`), or because its name says so and a file beside it does, or one
below the folder of tests that it stands in; for a benchmark, an example or a file called `x_test.cc` any file of the
project will do. A name alone proves nothing: whole projects stand in folders called `tests`.
"""

from __future__ import annotations

import re

from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Function

_NAMED = re.compile(
    r"(?:^|[/_.-])(?:tests?|test_?(?:util|harness|suite|help|case|bed|main|lib)\w*|unit_?tests?|micro_?bench\w*"
    r"|bench\w*|stress|fuzz(?:er|ing)?|mocks?)(?:[/_.-]|$)",
    re.IGNORECASE,
)
_APART = re.compile(
    r"(?:^|[/_.-])(?:(?:micro_?)?bench(?:es|marks?)?|stress|fuzz(?:er|ing)?)(?:[/_.-]|$)"
    r"|(?:^|[/_.-])examples?(?:(?:[_.-][^/]*)?/|\.\w+$)|[_.-]tests?\.\w+$",
    re.IGNORECASE,
)
"""Such code stands in folders of its own, and has a `main` of its own. A file called `csv_example_reader.cc` reads
examples."""
_DEFINES = re.compile(r"(?:[A-Z]+_)*(?:TEST|BENCHMARK)(?:_[A-Z]+)*")
"""`TEST_F(Fixture, Works) {..}` reads as a function of that name without a result."""
_ASSERTS = re.compile(r"(?:[A-Z]+_)*(?:ASSERT|EXPECT)_[A-Z_]+")
"""`ASSERT_EQ(left, right)`, by a library of tests or by the file's own `#define`."""
_PROGRAM = re.compile(
    r"(?:(?:^|[/_.-])(?:tests?(?:[A-Z_-]\w*)?|[b-df-hj-np-tv-z0-9]{0,4}tests?)|[A-Za-z0-9](?:T|[_-][Tt])ests?/main)"
    r"\.(?:c|cc|cpp|cxx|cu)$"
)
"""`ztest.c`, `test_all.c`, `LinkTest/main.cpp`; no word ends so without a vowel before it, as `latest.c` does."""
_TREE = re.compile(r"(?:^|(?<=/))(?:unit_?)?tests?/", re.IGNORECASE)
_IN_PYTHON = re.compile(r"(?:^|/)(?:test_\w+|\w+_test|conftest)\.py$")
_BY_NAME = re.compile(r"(?:^|[/_.-])tests?\.\w+$|(?:^|/)tests?_\w+\.\w+$", re.IGNORECASE)


REASON = "this is test code"
"""Why a finding in it is not certain."""


def is_trial(function: Function) -> bool:
    return tries(function.program, function.file)


def tries(program: Program, file: File) -> bool:
    """Whether the file is such code."""
    if _NAMED.search(file.path) is not None and _folder(file.path) in _folders(program):
        return True
    if _APART.search(file.path) is not None and _folders(program):
        return True
    if file.language == "python" and _is_collected(file):
        return True
    return file.path in _test_files(program) or not _above(file.path).isdisjoint(_test_trees(program))


def _is_collected(file: File) -> bool:
    """Whether a runner of tests takes a file of Python for one, wherever it is: by its name, and what it defines."""
    if _IN_PYTHON.search(file.path) is None:
        return False
    return any(one.name.startswith("test_") for one in file.functions)


def _defines_tests(file: File) -> bool:
    if any(not record.result and _DEFINES.fullmatch(record.name) for record in file.functions):
        return True
    if _PROGRAM.search(file.path) and any(record.name == "main" and not record.scope for record in file.functions):
        return True
    if _BY_NAME.search(file.path) is None:
        return False
    return any(_ASSERTS.fullmatch(name) for record in file.functions for name in record.mentions)


@program_question
def _test_files(program: Program) -> frozenset[str]:
    return frozenset(path for path, file in program.files.items() if _defines_tests(file))


@program_question
def _folders(program: Program) -> frozenset[str]:
    """The folders with a file that defines tests."""
    return frozenset(map(_folder, _test_files(program)))


@program_question
def _test_trees(program: Program) -> frozenset[str]:
    """The folders called `tests` with a file in them, or below, that defines tests, also one of Python."""
    python = (path for path, file in program.files.items() if file.language == "python" and _IN_PYTHON.search(path))
    return frozenset(tree for path in (*_test_files(program), *python) for tree in _above(path))


def _above(path: str) -> set[str]:
    """The folders called `tests` that a file stands in."""
    return {path[: found.end() - 1] for found in _TREE.finditer(path)}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
