"""The examples in a rule's manual page: `bad:` and `good:`, each followed by the files of a small project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ownlint.finding import Finding
from ownlint.rule import Rule
from ownlint.testing import cases, markdown
from ownlint.testing.markdown import Mode, PageCase

_OPENS = re.compile(r"^(bad|good)(?:[ \t]*\(.*\))?:[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    kind: Literal["bad", "good"]
    case: PageCase
    report: str = ""
    """The `text` block below a bad example: findings as the command line prints them, each with its help."""


def examples(page: str) -> Iterator[Example]:
    """The examples of a manual page, in order; several of a kind are cases of their own."""
    opened = list(_OPENS.finditer(page))
    for number, (match, after) in enumerate(zip(opened, [*opened[1:], None], strict=True), 1):
        text = page[match.end() : after.start() if after else len(page)]
        line = page.count("\n", 0, match.start()) + 1
        fences = next(iter(markdown.sections(text))).fences
        case = markdown.read_case(f"{match[1]} {number}", line, fences, markdown.PageOptions())
        report = "\n".join(fence.text for fence in fences if fence.info == "text")
        if case.blocks:
            yield Example(cast("Literal['bad', 'good']", match[1]), case, report)


def check(rule: Rule, mode: Mode = "structure") -> Iterator[str]:
    """What is wrong with the examples of a rule: a bad one in which it finds nothing, a good one in which it does."""
    for example in examples(rule.page):
        found = cases.run(example.case, [rule], mode)
        yield from (f"{example.case.heading}: {crash.error}" for crash in found.crashes)
        findings = [finding for finding in found.findings if finding.certainty != "possible"]
        if example.kind == "bad" and not findings:
            yield f"{example.case.heading}: the rule finds nothing in it"
        if example.kind == "bad":
            yield from _unreported(example, findings)
        if example.kind == "good":
            yield from cases.compare(example.case, findings)


_LINE = re.compile(r"^(?=\S+:\d+: )", re.MULTILINE)


def _unreported(example: Example, findings: Sequence[Finding]) -> Iterator[str]:
    """The report that is shown is one that the rule gives; white space does not count."""
    shown = [" ".join(part.split()) for part in _LINE.split(example.report) if part.strip()]
    if not shown:
        yield f"{example.case.heading}: no report is shown below it"
    given = {printed(example.case, finding) for finding in findings}
    yield from (f"{example.case.heading}: this is not reported: {one}" for one in shown if one not in given)


def printed(case: PageCase, finding: Finding) -> str:
    """A finding in one line, as a manual page shows it."""
    block = next(block for block in case.blocks if block.name == finding.path)
    line = cases.line_of(block, finding.span.start)
    help = f" help: {' '.join(finding.help.split())}" if finding.help else ""
    return " ".join(f"{finding.path}:{line}: {finding.severity}: {finding.message}{help}".split())
