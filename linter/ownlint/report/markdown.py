"""Markdown for people: the summary of a job, or a comment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ownlint.report.causes import elsewhere, once
from ownlint.report.model import KINDS, Located, Report, listed_steps
from ownlint.report.sanitise import sanitise
from ownlint.report.text import counted

MOST = 200
"""Findings that are listed; a job's summary holds a megabyte."""

_MARKUP = re.compile(r"[\\*_{}\[\]()<>#+!|~&@$-]|(?<=\w):(?=//)")


def render(report: Report) -> str:
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield "## ownlint"
    yield ""
    report = once(report)
    count = len(report.findings)
    files = f"{report.files} file{'s' * (report.files != 1)}"
    files = files if report.touched is None else f"the change ({files} read)"
    yield f"{count or 'No'} problem{'s' * (count != 1)} found in {files}."
    if report.elsewhere:
        yield f"{len(report.elsewhere)} on other lines of the changed files not shown."
    if report.suppressed:
        yield f"{len(report.suppressed)} suppressed by comments."
    if report.findings:
        yield ""
        yield "| rule | findings |"
        yield "|---|---:|"
        for rule, number in sorted(Counter(finding.rule for finding in report.findings).items()):
            yield f"| {_text(rule)} | {number} |"
    for finding in report.findings[:MOST]:
        yield ""
        yield from _finding(finding)
    if count > MOST:
        yield ""
        yield f"{count - MOST} more are not listed."
    if report.incomplete:
        yield ""
        yield "### Incomplete"
        yield ""
        yield f"{_text(counted(report.incomplete))}."
        yield ""
        unanalysed = report.unanalysed[:MOST]
        yield from (f"- {_code(each.path)}: {KINDS[each.kind]}: {_text(each.reason)}" for each in unanalysed)


def _finding(finding: Located) -> Iterator[str]:
    place = f"{finding.path}:{finding.region.line}:{finding.region.column}"
    yield f"### {finding.severity}: {_told(finding.message)}"
    yield ""
    reason = f": {_told(finding.reason)}" if finding.reason else ""
    yield f"{_code(place)} {_text(finding.rule)}, {finding.certainty}{reason}"
    if finding.steps:
        yield ""
    for number, step in listed_steps(finding):
        yield f"{number}{_code(f'{step.path}:{step.region.line}')} {_told(step.message)}"
    if finding.help:
        yield ""
        yield f"Help: {_told(finding.help)}"
    if finding.others:
        yield ""
        yield _text(elsewhere(finding))


def _told(text: str) -> str:
    """A message of a rule: what stands between backticks is code, all else is plain text."""
    parts = sanitise(text).split("`")
    if len(parts) % 2 == 0:  # one backtick is left over
        return _text(text)
    return "".join(_code(part) if number % 2 else _text(part) for number, part in enumerate(parts))


def _text(text: str) -> str:
    return _MARKUP.sub(lambda match: f"\\{match[0]}", sanitise(text)).replace("`", "\\`")


def _code(text: str) -> str:
    """In as many backticks as it takes."""
    text = sanitise(text)
    fence = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{pad}{text}{pad}{fence}"
