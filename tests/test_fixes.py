"""Edits change their own bytes and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint.facts.records import Span
from ownlint.finding import Edit
from ownlint.fixes import FixError, apply


def edit(start: int, end: int, text: str) -> Edit:
    return Edit("a.cc", Span(start, end), text)


@st.composite
def _pieces(draw: st.DrawFn) -> list[tuple[bytes, str | None]]:
    """A text in pieces, some of which are to become another text."""
    return draw(st.lists(st.tuples(st.binary(max_size=8), st.none() | st.text(max_size=8)), max_size=12))


@given(_pieces(), st.randoms())
def test_the_rest_stays_to_the_byte(pieces: list[tuple[bytes, str | None]], random: object) -> None:
    edits, wanted, at = [], b"", 0
    for old, new in pieces:
        # an insertion and a replacement that begin at one byte would be sorted by where they end
        if new is not None and old:
            edits.append(edit(at, at + len(old), new))
        wanted += old if new is None or not old else new.encode(errors="strict")
        at += len(old)
    random.shuffle(edits)  # type: ignore[attr-defined]
    assert apply(b"".join(old for old, _ in pieces), edits) == wanted


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply(b"ac", [edit(1, 1, "b"), edit(1, 1, "B")]) == b"abBc"


@pytest.mark.parametrize("wrong", [[(0, 2), (1, 3)], [(0, 2), (0, 2)], [(3, 5)], [(2, 1)], [(5, 5)]])
def test_what_cannot_be_done_is_refused(wrong: list[tuple[int, int]]) -> None:
    with pytest.raises(FixError):
        apply(b"abcd", [edit(start, end, "") for start, end in wrong])
