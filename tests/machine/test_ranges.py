"""What tests say of whole numbers: a comparison that some numbers pass is never held to be impossible."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint.engine import ranges
from ownlint.engine.ranges import ANY, Range
from ownlint.facts import records as r

COMPARED = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
small = st.integers(-4, 4)
some = st.tuples(small, small).map(lambda ends: Range(min(ends), max(ends)))


@given(op=st.sampled_from(sorted(COMPARED)), one=some, two=some)
def test_what_can_be_is_not_ruled_out(op: str, one: Range, two: Range) -> None:
    pairs = [(a, b) for a in range(one.low, one.high + 1) for b in range(two.low, two.high + 1)]
    passing = [(a, b) for a, b in pairs if COMPARED[op](a, b)]
    assert ranges.can_be(op, one, two) == bool(passing)
    left = ranges.narrowed(op, one, two)
    assert all(left.low <= a <= left.high for a, _ in passing)
    assert all(COMPARED[ranges.turned(op)](b, a) for a, b in passing)
    assert not any(COMPARED[ranges.opposite(op)](a, b) for a, b in passing)


@pytest.mark.parametrize(
    ("said", "expected"), [("12", 12), ("0x1F", 31), ("010", 8), ("7u", 7), ("1'000", 1000), ("0b11", 3)]
)
def test_numbers_as_they_are_written(said: str, expected: int) -> None:
    assert ranges.of(r.Literal(0, 0, "int", said), lambda _: ANY) == Range(expected, expected)


def test_sums_of_what_is_known_of_names() -> None:
    value = r.Binary(0, 0, "+", r.Name(0, 0, "a"), r.Literal(0, 0, "int", "3"))
    assert ranges.of(value, lambda _: Range(1, 4)) == Range(4, 7)
    assert ranges.of(value, lambda _: ANY) == ANY
    assert ranges.of(r.Literal(0, 0, "int", "9" * 400), lambda _: ANY) == ANY
