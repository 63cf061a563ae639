"""Every page of a rule under rewrites that mean the same: what is found stays, where it was and as sure as it was.

Without more, each case is rewritten in a few ways that its name picks, and in those that once changed it.
`OWNLINT_METAMORPHIC=all` takes every way for every case, and `python tests/metamorphic/report.py` prints what changes
without stopping.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from comparing import PAGES, cases_of, differences, facts_differ
from cpp_rewrites import REWRITES as IN_CPP
from known_gaps import EVERY, GAPS, MENDED
from python_rewrites import REWRITES as IN_PYTHON
from rewriting import Rewrite, Rewritten

from ownlint.testing.markdown import PageCase

REWRITES = [*IN_CPP, *IN_PYTHON]
ALL = os.environ.get("OWNLINT_METAMORPHIC") == "all"
_ONE_IN = 150
"""So many ways there are for each that a case is rewritten in, unless all are asked for."""
_LAYOUT = {
    "cpp-comments-between-tokens",
    "cpp-line-comments-between-tokens",
    "cpp-a-token-a-line",
    "cpp-spliced-lines",
    "cpp-no-blanks",
    "cpp-one-line",
    "cpp-wide-blanks",
    "cpp-carriage-returns",
    "cpp-byte-order-mark",
    "cpp-const-behind",
}


def picked(rewrite: Rewrite, page: str, case: PageCase, one_in: int = _ONE_IN) -> bool:
    if (rewrite.name, page, case.heading) in MENDED:
        return True
    digest = hashlib.sha256(f"{rewrite.name}|{page}|{case.heading}".encode()).digest()
    return ALL or int.from_bytes(digest[:4]) % one_in == 0


def known(rewrite: Rewrite, page: str, case: PageCase) -> bool:
    return not {(rewrite.name, page, case.heading), (rewrite.name, page, EVERY)}.isdisjoint(GAPS)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_findings_stay(page: Path) -> None:
    changed = []
    for case in cases_of(page):
        ways = [
            one
            for one in REWRITES
            if not one.heard and not known(one, page.stem, case) and picked(one, page.stem, case)
        ]
        changed += [str(found) for found in differences(page.stem, case, ways)]
    assert not changed, "\n".join(changed)


@pytest.mark.parametrize("gap", sorted(GAPS), ids=lambda gap: " ".join(gap))
def test_a_known_gap_is_still_one(gap: tuple[str, str, str]) -> None:
    """One that is closed is to leave the table."""
    rewrite, page, heading = gap
    ways = [one for one in REWRITES if one.name == rewrite]
    found = [case for case in cases_of(PAGES / f"{page}.md") if heading in (case.heading, EVERY)]
    assert ways, f"there is no rewrite {rewrite}"
    assert found, f"there is no such case on {page}"
    layout = ways[0].name in _LAYOUT
    stays = (
        case for case in found if (layout and facts_differ(page, case, ways[0])) or any(differences(page, case, ways))
    )
    assert any(stays), "closed: take it out of the table"


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_facts_do_not_depend_on_layout(page: Path) -> None:
    """Of C++: where lines are broken and what comments stand between tokens changes no word of what is read."""
    changed = []
    for case in cases_of(page):
        for way in IN_CPP:
            if way.name in _LAYOUT and not known(way, page.stem, case):
                changed += facts_differ(page.stem, case, way) if picked(way, page.stem, case, 12) else []
    assert not changed, "\n".join(changed)


@pytest.mark.parametrize("mended", sorted(MENDED), ids=lambda mended: " ".join(mended))
def test_what_is_mended_is_still_there(mended: tuple[str, str, str]) -> None:
    """A case that was renamed would be rewritten no more, and nobody would notice."""
    name, page, heading = mended
    assert mended not in GAPS
    assert name in [one.name for one in REWRITES]
    assert heading in [case.heading for case in cases_of(PAGES / f"{page}.md")]


def test_a_rewritten_text_knows_where_it_came_from() -> None:
    from rewriting import Edit

    made = Rewritten(b"one two three", [Edit(0, 3, b"", (4, 7)), Edit(4, 7, b"<", (0, 3)), Edit(7, 7, b">")])
    assert made.text == b"two <one> three"
    assert [made.origin(made.text.index(word)) for word in (b"two", b"one", b"three")] == [4, 0, 8]
    with pytest.raises(ValueError, match="overlap"):
        Rewritten(b"one", [Edit(0, 2, b""), Edit(1, 3, b"")])


@pytest.mark.parametrize("way", REWRITES, ids=lambda way: way.name)
def test_a_rewrite_applies_somewhere(way: Rewrite) -> None:
    from rewriting import rewrite

    assert any(rewrite(case, way) for page in sorted(PAGES.glob("*.md")) for case in cases_of(page))
