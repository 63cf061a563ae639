"""Findings of one cause are told once.

A mistake that is made at many places of a file (a macro that drops its status, an object that is released although it
is only lent) is one problem with many places. Findings of a file belong together where one rule, with one severity and
certainty, says the same of the same cause; one without a cause stands alone. Whatever leaves findings out (comments,
baselines, changes) has done so before: the first place that is left carries the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from ownlint.report.model import Located, Region, Report

_NAME = re.compile(r"`[^`]*`")
_MOST_LINES = 10


def groups(findings: Iterable[Located]) -> list[list[Located]]:
    """In the order of their first ones."""
    found: dict[object, list[Located]] = {}
    for number, finding in enumerate(findings):
        found.setdefault(_key(finding) if finding.cause else number, []).append(finding)
    return list(found.values())


def _key(finding: Located) -> tuple[str, ...]:
    """Which of the user's names it is said of does not matter: `cause` is the one that does."""
    said = _NAME.sub("``", finding.message)
    return finding.path, finding.rule, finding.severity, finding.certainty, finding.cause, said


def once(report: Report) -> Report:
    """With the first of each group, which has the places of the others. A report that is so already stays as it is."""
    return msgspec.structs.replace(report, findings=tuple(map(_first, groups(report.findings))))


def _first(group: Sequence[Located]) -> Located:
    first, *others = group
    if not others:
        return first
    return msgspec.structs.replace(first, others=(*first.others, *(other.region for other in others)))


def elsewhere(finding: Located) -> str:
    """The places of the others, as a clause; empty where it stands for itself alone."""
    if not finding.others:
        return ""
    return f"the same problem at {_lines(finding.others)}"


def _lines(places: Sequence[Region]) -> str:
    lines = list(dict.fromkeys(place.line for place in places))
    shown = ", ".join(map(str, lines[:_MOST_LINES])) + (", …" if len(lines) > _MOST_LINES else "")
    return f"line{'s' * (len(lines) != 1)} {shown}"
