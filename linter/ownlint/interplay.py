"""One bug is reported once, by the rule that says it best.

A rule may yield to others (`@rule(yields_to=...)`). Its finding is dropped where one of theirs, at least as sure, is
about the same line: begins there; or leads through it, or begins on a line that this one leads through, and speaks of
something that this one speaks of, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ownlint.choices import CERTAINTIES
from ownlint.finding import Finding

if TYPE_CHECKING:
    from ownlint.rule import Rule

LineOf = Callable[[str, int], int]
"""The line of a byte offset in a file, by the file's path."""

_Place = tuple[str, int]
_NAME = re.compile(r"`([^`]+)`")


def preferences(rules: Iterable[Rule]) -> dict[str, tuple[str, ...]]:
    """What each rule yields to; rules that yield to none are left out."""
    return {rule.id: rule.yields_to for rule in rules if rule.yields_to}


def settle(findings: Sequence[Finding], yields: Mapping[str, Sequence[str]], line_of: LineOf) -> list[Finding]:
    """The findings that remain, in the same order. What was dropped still counts against a third: the order in which
    rules are asked changes nothing."""
    preferred = {name for names in yields.values() for name in names}
    begins: dict[_Place, list[Finding]] = {}
    through: dict[_Place, list[Finding]] = {}
    for finding in findings:
        if finding.rule in preferred:
            begins.setdefault(_begin(finding, line_of), []).append(finding)
            for place in _steps(finding, line_of):
                through.setdefault(place, []).append(finding)

    def stays(finding: Finding) -> bool:
        names = yields.get(finding.rule, ())
        if not names:
            return True
        here = _begin(finding, line_of)
        near = through.get(here, []) + [one for place in _steps(finding, line_of) for one in begins.get(place, [])]
        rivals = begins.get(here, []) + [one for one in near if _speak_of_one(one, finding)]
        return not any(rival.rule in names and _at_least_as_sure(rival, finding) for rival in rivals)

    return [finding for finding in findings if stays(finding)]


def _speak_of_one(one: Finding, other: Finding) -> bool:
    """Where one of them names nothing, it may be."""
    names, others = _names(one), _names(other)
    return not (names and others) or not names.isdisjoint(others)


def names_in(text: str) -> set[str]:
    """What a message names of the user's own, without the backticks."""
    return set(_NAME.findall(text))


def _names(finding: Finding) -> set[str]:
    return set().union(*(names_in(text) for text in (finding.message, *(s.message for s in finding.steps))))


def _begin(finding: Finding, line_of: LineOf) -> _Place:
    return finding.path, line_of(finding.path, finding.span.start)


def _steps(finding: Finding, line_of: LineOf) -> set[_Place]:
    return {(step.path, line_of(step.path, step.span.start)) for step in finding.steps}


def _at_least_as_sure(one: Finding, other: Finding) -> bool:
    return CERTAINTIES.index(one.certainty) <= CERTAINTIES.index(other.certainty)
