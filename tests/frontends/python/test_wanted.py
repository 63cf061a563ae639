"""The gate by words: as quick as looking for text, and never another answer than the expressions give."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ownlint.facts import anchors
from ownlint.facts.vocabulary import Anchor, Vocabulary
from ownlint.frontends.python.wanted import plain_text, wanted

pieces = st.sampled_from(
    [
        "ab",
        "a",
        "b_",
        r"\b",
        r"\.",
        r"\(",
        "b?",
        "a*",
        "b+",
        "[ab]",
        "[^a]",
        "(?:ab|b)",
        "(?:a)?",
        ".",
        r"\s*",
        "a{0,2}",
    ]
)
patterns = st.lists(pieces, min_size=1, max_size=6).map("".join)
texts = st.text("ab_.( \n", max_size=25)


@given(pattern=patterns, text=texts)
def test_every_match_holds_the_plain_text(pattern: str, text: str) -> None:
    found = re.search(pattern, text)
    if found is not None:
        assert plain_text(pattern).decode() in found[0]


@example(words=[r"\b\."], beside=[], text=".")
@example(words=[r"a\."], beside=[], text=".a .")
@given(words=st.lists(patterns, min_size=1, max_size=3), beside=st.lists(patterns, max_size=2), text=texts)
def test_the_gate_answers_as_the_expressions_do(words: list[str], beside: list[str], text: str) -> None:
    given_ = tuple(Anchor(word, tuple(beside)) for word in words)
    expected = any(re.search(word, text) for word in words)
    expected = expected and (not beside or any(re.search(other, text) for other in beside))
    read = wanted(text.encode(), given_)
    loose = "(" in text or re.search(r"\s\.", text) is not None
    assert read if expected else not read or loose, "only brackets, and blanks before a point, may let in too much"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import train\nmain()", True),
        ("from pkg import (\n    other,\n    train,\n)\nmain()", True),
        ("from .train import main", True),
        ("from pkg.train import \\\n    main", True),
        ("def train(): main()", False),
        ("import training\nmain()", False),
        ("import train", False),
    ],
)
def test_a_module_has_to_be_imported(text: str, expected: bool) -> None:
    assert wanted(text.encode(), (Anchor("train", (r"\bmain\b",), imported=True),)) is expected


def test_a_later_pass_asks_for_what_is_new() -> None:
    known = Vocabulary(anchors=(Anchor("a"),))
    wider = Vocabulary(anchors=(Anchor("a"), Anchor("b", ("c",))))
    assert anchors.beside_those(known, wider).anchors == (Anchor("b", ("c",)),)


@pytest.mark.parametrize(
    "text",
    [
        "lib\nid(a)",
        "lib\n(id)(a)",
        "lib\nid((a))",
        "lib\nreturn (id)(a)",
        "lib\nx = [(id)(a)]",
        "lib\nid(  # why\n  a\n)",
        "lib\nid(\n\n  # why\n(\na\n)\n)",
        "lib\n(x(')')\ndef f():\n  id(\na)",
    ],
)
def test_parentheses_and_line_ends_inside_of_them_change_nothing(text: str) -> None:
    assert wanted(text.encode(), (Anchor("lib", (r"\bid\(\w",)),))
    assert not wanted(text.replace("id", "is").encode(), (Anchor("lib", (r"\bid\(\w",)),))


@pytest.mark.parametrize(
    "hostile", [" " * 100_000, "(" * 100_000, "((  \n" * 30_000, "(#\n \n" * 30_000, ")" * 100_000]
)
def test_a_file_is_looked_at_in_a_time_that_grows_with_it(hostile: str) -> None:
    assert not wanted(b"lib " + hostile.encode(), (Anchor("lib", (r"\bid\(\w",)),))
