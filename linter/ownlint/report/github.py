"""Workflow commands: annotations in a pull request, without any upload."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.report.causes import elsewhere, once
from ownlint.report.model import KINDS, Located, Report, listed_steps
from ownlint.report.sanitise import sanitise

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> str:
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for finding in once(report).findings:
        yield _annotation(finding)
    for each in report.unanalysed:
        line, reason = each.placed
        at = f",line={line}" if line else ""
        level = "error" if each.kind == "rule" else "warning"
        title = f"ownlint ({KINDS[each.kind]})"
        yield f"::{level} file={_property(each.path)}{at},title={title}::{_data(reason)}"


def _annotation(finding: Located) -> str:
    region = finding.region
    properties = {
        "file": finding.path,
        "line": str(region.line),
        "col": str(region.column),
        "endLine": str(region.end_line),
        "endColumn": str(max(region.end_column - 1, 1)),
        "title": f"ownlint ({finding.rule})",
    }
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = [f"{finding.path}:{region.line}:{region.column}: {finding.message}"]
    text += [f"{n}{step.path}:{step.region.line}: {step.message}" for n, step in listed_steps(finding)]
    text += [f"help: {finding.help}"] if finding.help else []
    text += [elsewhere(finding)] if finding.others else []
    return f"::{_LEVELS[finding.severity]} {written}::{_newlines(text)}"


def _newlines(lines: list[str]) -> str:
    return "%0A".join(_data(line) for line in lines)


def _data(text: str) -> str:
    return sanitise(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
