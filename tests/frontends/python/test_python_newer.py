"""Syntax newer than Python 3.11 is read too, and nothing moves."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from python_facts import file_of

from ownlint.facts import records as r
from ownlint.flow.bodies import statements, values
from ownlint.flow.places import walk
from ownlint.frontends.python.newer import rewritten

NEWER = {
    "type parameters": "def first[T: (int, str) = int](xs: list[T]) -> T:\n    return marked(xs)\n",
    "type parameters over lines": "def first[\n  T,\n](xs):\n    return marked(xs)\n",
    "of a class": "class Box[T](Base):\n    def get(self): return marked(self)\n",
    "an alias": "type Pairs[T] = list[tuple[T, T]]\nmarked(Pairs)\n",
    "an alias over lines": "type Pairs = (\n  int\n)\nmarked(Pairs)\n",
    "quotes in an f-string": 'print(f"{marked(names["a"])} of {n:>{width}}")\n',
    "a backslash": "print(f\"{marked('\\n'.join(xs))}\")\n",
    "lines and comments": 'print(f"{\n  marked(xs)  # all\n}")\n',
    "a template": "print(t'{marked(x)} and {y!r}')\n",
    "handlers": "try:\n    marked(x)\nexcept KeyError, ValueError:\n    pass\n",
    "umlauts before it": "x = 'ä'; type Ü[T] = int\nmarked(Ü)\n",
}


@pytest.mark.parametrize("source", NEWER.values(), ids=NEWER)
def test_what_is_newer_is_read_where_it_stands(source: str) -> None:
    file = file_of(source)
    assert not file.problems
    names = [
        value
        for function in file.functions
        for statement in statements(r.decode_body(function))
        for inner in values(statement)
        for value in walk(inner)
        if isinstance(value, r.Name) and value.text == "marked"
    ]
    data = source.encode()
    assert [data[name.start : name.end] for name in names] == [b"marked"]


@pytest.mark.parametrize("source", NEWER.values(), ids=NEWER)
def test_no_byte_moves(source: str) -> None:
    older = rewritten(source)
    assert older is not None
    assert len(older.encode()) == len(source.encode())
    assert [len(line) for line in older.encode().split(b"\n")] == [len(line) for line in source.encode().split(b"\n")]


def test_what_no_python_reads_is_a_problem_with_its_line() -> None:
    (problem,) = file_of("x = 1\nprint 'old'\n").problems
    assert problem.reason.startswith("line 2")


READS_TYPES = pytest.mark.skipif(sys.version_info >= (3, 12), reason="this interpreter's own parser reads it")


@READS_TYPES
def test_what_has_no_room_is_a_problem() -> None:
    """A newline right behind the bracket that opens, and nothing to put a backslash on."""
    (problem,) = file_of("def f[T,\n\n](x): pass\n").problems
    assert problem.reason.startswith("line 1")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("type X = int\nwith.1and x: pass\n", marks=READS_TYPES),
        pytest.param("type X = int\nx = not.1\n", marks=READS_TYPES),
        "x = f'{1}' b'b'\ntype X = int\n",
    ],
)
def test_what_libcst_parses_and_then_refuses_is_a_problem_with_its_line(source: str) -> None:
    (problem,) = file_of(source).problems
    assert problem.reason.startswith("line ")


PIECES = st.sampled_from(
    [*NEWER.values(), "with.1", "'a' b'' ", "def f(", "[", "]", "type ", 'f"{', '}"', "\n", "  ", "x", ": ", "\\", "é"]
)


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_nothing_raises_and_every_position_is_inside(source: str) -> None:
    file = file_of(source)
    size = len(source.encode())
    assert all(0 <= function.start <= function.end <= size for function in file.functions)
    assert all(0 <= problem.start <= problem.end <= size for problem in file.problems)
