"""Which of two findings about one line stays."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from ownlint.facts.records import Span
from ownlint.finding import Certainty, Finding, Step
from ownlint.interplay import settle

YIELDS = {"vague": ("exact",), "exact": ("best",)}


def finding(
    rule: str, line: int, certainty: Certainty = "likely", steps: Sequence[int] = (), path: str = "a"
) -> Finding:
    led = tuple(Step("a", Span(step, step), "") for step in steps)
    return Finding(path, Span(line, line), "", certainty, steps=led, rule=rule)


def remaining(*findings: Finding) -> list[str]:
    return [each.rule for each in settle(findings, YIELDS, lambda _, offset: offset)]


@pytest.mark.parametrize(
    ("exact", "vague"),
    [
        (finding("exact", 3), finding("vague", 3)),
        (finding("exact", 3, steps=[5]), finding("vague", 5)),
        (finding("exact", 3), finding("vague", 5, steps=[3])),
        (finding("exact", 3, "certain"), finding("vague", 3, "likely")),
    ],
    ids=["same line", "led through", "leads there", "surer"],
)
def test_about_one_line(exact: Finding, vague: Finding) -> None:
    assert remaining(exact, vague) == remaining(vague, exact) == ["exact"]


@pytest.mark.parametrize(
    ("exact", "vague"),
    [
        (finding("exact", 3), finding("vague", 4)),
        (finding("exact", 3), finding("vague", 3, path="b")),
        (finding("exact", 3, "possible"), finding("vague", 3, "likely")),
        (finding("exact", 3, steps=[5]), finding("vague", 4, steps=[5])),
        (finding("other", 3), finding("vague", 3)),
    ],
    ids=["another line", "another file", "less sure", "one common step", "not yielded to"],
)
def test_about_two_things(exact: Finding, vague: Finding) -> None:
    assert remaining(exact, vague) == [exact.rule, "vague"]


def test_what_is_dropped_still_counts() -> None:
    assert remaining(finding("vague", 3), finding("exact", 3, steps=[7]), finding("best", 7)) == ["best"]


def test_a_step_on_its_line_is_no_rival_that_speaks_of_something_else() -> None:
    exact, vague = finding("exact", 3, steps=[5]), finding("vague", 5)
    one, other = (msgspec.structs.replace(exact, message=f"`{name}` is lost") for name in ("buffer", "object"))
    leak = msgspec.structs.replace(vague, message="`object` is not released")
    assert remaining(one, leak) == ["exact", "vague"]
    assert remaining(other, leak) == ["exact"]
