"""Answers that rest on answers of their own kind are the same whoever was asked before."""

from __future__ import annotations

from itertools import permutations

import pytest

from ownlint.project.recursion import Circular, circles

GRAPHS = {
    "a chain": {"a": "b", "b": "c", "c": "d", "d": "e", "e": ""},
    "a diamond": {"a": "bc", "b": "d", "c": "d", "d": "e", "e": ""},
    "one that calls itself": {"a": "ab", "b": "c", "c": ""},
    "a circle with an entry": {"a": "b", "b": "c", "c": "bd", "d": ""},
    "two circles that touch": {"a": "b", "b": "ac", "c": "bd", "d": "c"},
    "everybody calls everybody": {"a": "bcd", "b": "acd", "c": "abd", "d": "abc"},
}
"""By name, whom each calls."""


def answers(asked: Circular[str, str], graph: dict[str, str], order: tuple[str, ...]) -> dict[str, str]:
    """What each is told of itself: its name, and in brackets what those it calls say."""

    def of(name: str) -> str:
        return asked.ask(name, lambda: f"{name}({''.join(of(other) for other in graph[name])})")

    return {name: of(name) for name in order}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_a_circular_answer_does_not_depend_on_who_asked_before(graph: dict[str, str]) -> None:
    alone = {name: answers(Circular("?"), graph, (name,))[name] for name in graph}
    for order in permutations(graph):
        assert answers(Circular("?"), graph, order) == alone


def test_a_chain_is_followed_as_deep_as_code_goes_and_no_further() -> None:
    names = [str(number) for number in range(200)]
    graph = {name: str(after) for name, after in zip(names, [*names[1:], ""], strict=True)}

    def of(known: Circular[str, int], name: str) -> int:
        return known.ask(name, lambda: 1 + (of(known, graph[name]) if graph[name] else 0))

    assert of(Circular(0), "150") == 50
    assert 60 < of(Circular(0), "0") < 70
    known: Circular[str, int] = Circular(0)
    assert [of(known, name) for name in reversed(names)] == list(range(1, 201))


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


def test_a_large_circle_is_gone_round_once() -> None:
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
    assert len(asked) == len(names)


def test_an_answer_that_fails_leaves_nothing_behind() -> None:
    known = Circular("?")
    with pytest.raises(ZeroDivisionError):
        known.ask("a", lambda: known.ask("b", lambda: str(1 // 0)))
    assert known.ask("b", lambda: "b") == "b"
    assert known.ask("a", lambda: known.ask("b", lambda: "never")) == "b"


def test_what_rested_on_an_answer_that_fails_is_forgotten() -> None:
    known = Circular("?")

    def fails() -> str:
        known.ask("b", lambda: f"b({known.ask('a', fails)})")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        known.ask("a", fails)
    assert known.ask("c", lambda: known.ask("b", lambda: "b")) == "b"


def test_what_leads_to_each_other_is_one_circle() -> None:
    steps = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["d", "e"], "e": [], "f": ["a"]}
    assert sorted(sorted(circle) for circle in circles(steps)) == [["a", "b", "c"], ["d"], ["e"], ["f"]]


def test_a_long_way_round_is_one_circle() -> None:
    many = 50_000
    found = list(circles({number: [(number + 1) % many] for number in range(many)}))
    assert [len(circle) for circle in found] == [many]
