"""Chains: which handles one native object takes with it."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from ownlint.domains.handles.handle_chains import HandleChain, at, literal

ROOT = HandleChain()
CHILD = ROOT.step("part", "body").step("below", "[0]")
INNER = CHILD.step("part", "regions").step("part", "[0]").step("below", "[1]")

WHERES = st.sampled_from(["part", "same", "below", "above", "holder", "elsewhere"])
KEYS = st.sampled_from(["body", "[0]", "[1]", "(main)", at(7), at(-7)])
CHAINS = st.lists(st.tuples(WHERES, KEYS), max_size=30).map(
    lambda steps: reduce(lambda chain, step: chain.step(*step), steps, ROOT)
)


def test_what_an_invalidation_reaches() -> None:
    body = ROOT.step("part", "body")
    assert [c.is_hit(ROOT, "below") for c in (ROOT, body, CHILD, INNER)] == [False, False, True, True]
    assert [c.is_hit(CHILD, "deep") for c in (ROOT, body, CHILD, INNER)] == [False, False, True, True]
    assert [c.is_hit(CHILD, "derived") for c in (body, CHILD, INNER)] == [False, False, True]
    assert [c.is_hit(CHILD, "shallow") for c in (body, CHILD, INNER)] == [False, True, False]


def test_an_element_is_only_the_same_by_the_same_constant() -> None:
    body = ROOT.step("part", "body")
    assert not body.step("below", "[1]").is_hit(CHILD, "deep")
    assert not body.step("below", at(9)).is_hit(CHILD, "deep")
    assert not CHILD.moved().is_hit(CHILD, "deep")  # elements were taken out in between


def test_the_way_up() -> None:
    assert INNER.step("above", "") == CHILD
    assert CHILD.step("above", "") == ROOT
    assert INNER.step("part", "results").step("holder", "") == INNER
    around = ROOT.step("above", "")
    assert CHILD.is_hit(around, "below")
    assert not around.is_hit(ROOT, "deep")


def test_picked_again_is_another_object() -> None:
    picked = ROOT.step("below", at(12))
    assert picked.aged(12) != picked
    assert picked.aged(13) == picked


def test_numbers_alone_move() -> None:
    assert literal(["0"]) == "[0]"
    named = ROOT.step("below", literal(['"main"']))
    assert named.moved() == named


def test_a_callee_speaks_of_its_argument() -> None:
    assert CHILD.within(HandleChain(0, (".regions",))) == CHILD.step("part", "regions")
    assert INNER.within(ROOT.step("above", "")) == CHILD


@given(CHAINS, CHAINS)
def test_reaches_are_ordered(outer: HandleChain, inner: HandleChain) -> None:
    hit = {reach: inner.is_hit(outer, reach) for reach in ("deep", "derived", "below", "shallow")}
    assert not hit["below"] or hit["deep"]
    assert hit["deep"] == (hit["derived"] or hit["shallow"]) or inner.up != outer.up
    assert not (hit["derived"] and hit["shallow"])


@given(CHAINS)
def test_every_chain_is_its_own(chain: HandleChain) -> None:
    assert chain.is_hit(chain, "deep")
    assert not chain.is_hit(chain, "below")
    assert len(chain.steps) <= 24
