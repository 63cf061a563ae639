"""Answers that rest on answers of their own kind are the same whoever was asked before."""

from __future__ import annotations

from itertools import permutations

import pytest

from ownlint.program.recursion import Bounded, Circular

GRAPHS = {
    "a chain": {"a": "b", "b": "c", "c": "d", "d": "e", "e": ""},
    "a diamond": {"a": "bc", "b": "d", "c": "d", "d": "e", "e": ""},
    "one that calls itself": {"a": "ab", "b": "c", "c": ""},
    "a circle with an entry": {"a": "b", "b": "c", "c": "bd", "d": ""},
    "two circles that touch": {"a": "b", "b": "ac", "c": "bd", "d": "c"},
    "everybody calls everybody": {"a": "bcd", "b": "acd", "c": "abd", "d": "abc"},
}
"""By name, whom each calls."""


def answers(
    asked: Bounded[str, str] | Circular[str, str], graph: dict[str, str], order: tuple[str, ...]
) -> dict[str, str]:
    """What each is told of itself: its name, and in brackets what those it calls say."""

    def of(name: str) -> str:
        return asked.ask(name, lambda: f"{name}({''.join(of(other) for other in graph[name])})")

    return {name: of(name) for name in order}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("deepest", [1, 2, 3, 6])
def test_a_bounded_answer_does_not_depend_on_who_asked_before(graph: dict[str, str], deepest: int) -> None:
    alone = {name: answers(Bounded(deepest, "?"), graph, (name,))[name] for name in graph}
    for order in permutations(graph):
        assert answers(Bounded(deepest, "?"), graph, order) == alone


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_a_circular_answer_does_not_depend_on_who_asked_before(graph: dict[str, str]) -> None:
    alone = {name: answers(Circular("?"), graph, (name,))[name] for name in graph}
    for order in permutations(graph):
        assert answers(Circular("?"), graph, order) == alone


def test_the_bound_is_that_of_who_is_asked_first() -> None:
    graph = GRAPHS["a chain"]
    assert answers(Bounded(2, "?"), graph, ("d", "a")) == {"d": "d(e())", "a": "a(b(?))"}


def test_what_is_not_in_a_circle_is_answered_once() -> None:
    asked: list[str] = []
    known: Circular[str, int] = Circular(0)

    def of(number: int) -> int:
        def answer() -> int:
            asked.append(str(number))
            return 1 + of(number - 1) if number else 0

        return known.ask(str(number), answer)

    assert [of(number) for number in (3, 5, 4)] == [3, 5, 4]
    assert len(asked) == 6


def test_a_large_circle_is_gone_round_once_for_each_who_asks() -> None:
    names = [str(number) for number in range(40)]
    asked: list[str] = []
    known: Circular[str, int] = Circular(0)

    def of(name: str) -> int:
        def answer() -> int:
            asked.append(name)
            return max(of(other) for other in names) + 1

        return known.ask(name, answer)

    for name in names:
        of(name)
    assert len(asked) <= len(names) ** 2


def test_an_answer_that_fails_leaves_nothing_behind() -> None:
    for known in (Bounded(3, "?"), Circular("?")):
        with pytest.raises(ZeroDivisionError):
            known.ask("a", lambda known=known: known.ask("b", lambda: str(1 // 0)))
        assert known.ask("b", lambda: "b") == "b"
        assert known.ask("a", lambda known=known: known.ask("b", lambda: "never")) == "b"
