"""Maps that share what they have in common say what a dict says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ownlint.engine.shared import Indexed, Map

CHANGES = st.lists(st.tuples(st.integers(0, 60), st.one_of(st.none(), st.integers(0, 3))), max_size=150)


def changed(changes: list[tuple[int, int | None]]) -> tuple[Map[int, int], dict[int, int]]:
    """The same changes to a map and a dict; None takes the key away."""
    shared: Map[int, int] = Map()
    plain: dict[int, int] = {}
    for key, value in changes:
        if value is None:
            shared = shared.without(key)
            plain.pop(key, None)
        else:
            shared = shared.set(key, value)
            plain[key] = value
    return shared, plain


@given(CHANGES)
def test_a_map_is_what_a_dict_is(changes: list[tuple[int, int | None]]) -> None:
    shared, plain = changed(changes)
    assert dict(shared.items()) == plain
    assert len(shared) == len(plain)
    assert sorted(shared) == sorted(plain)
    assert all(shared.get(key, -1) == plain.get(key, -1) and (key in shared) == (key in plain) for key in range(61))


@given(CHANGES)
def test_maps_of_the_same_entries_are_equal_however_they_came_about(changes: list[tuple[int, int | None]]) -> None:
    shared, plain = changed(changes)
    anew, _ = changed(sorted(plain.items()))
    assert shared == anew
    assert hash(shared) == hash(anew)
    assert shared.set(99, 1) != anew


def test_a_change_leaves_the_map_before_it_as_it_was() -> None:
    before, _ = changed([(key, 0) for key in range(5000)])
    after = before.set(17, 1).without(18)
    assert (before.get(17, -1), before.get(18, -1), len(before)) == (0, 0, 5000)
    assert (after.get(17, -1), after.get(18, -1), len(after)) == (1, -1, 4999)


def test_a_large_map_is_shared_but_for_the_branch_that_changed() -> None:
    before, _ = changed([(key, 0) for key in range(5000)])
    after = before.set(17, 1)
    assert sum(one is not other for one, other in zip(before._tree, after._tree, strict=True)) == 1


def test_an_index_follows_its_entries() -> None:
    known: Indexed[str, frozenset[str]] = Indexed(lambda key, value: value)
    known = known.set("a", frozenset("xy")).set("b", frozenset("y"))
    assert sorted(known.under("x", "y")) == ["a", "b"]
    known = known.set("a", frozenset("z"))
    assert known.under("x") == []
    assert known.under("y") == ["b"]
    assert known.without("b").under("y") == []
    assert "y" not in known.without("b").index
