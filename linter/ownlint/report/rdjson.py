"""Reviewdog's diagnostic format: what comments on a pull request are made of.

Source: reviewdog's `proto/rdf` (`DiagnosticResult`): columns count UTF-8 bytes from 1, and the end is the place after
the last one; `suggestions` are offered where a fix changes this file alone.
"""

from __future__ import annotations

from typing import Any

from ownlint.report.model import Located, Region, Report, Sources
from ownlint.report.plain_json import json_page
from ownlint.report.sanitise import sanitise

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render(report: Report, sources: Sources) -> str:
    document = {
        "source": {"name": "ownlint"},
        "severity": "WARNING",
        "diagnostics": [_diagnostic(finding, sources) for finding in report.findings],
    }
    return json_page(document)


def _diagnostic(finding: Located, sources: Sources) -> dict[str, Any]:
    text = sanitise(finding.message) + (f"\n{sanitise(finding.help)}" if finding.help else "")
    diagnostic: dict[str, Any] = {
        "message": text,
        "location": {"path": sanitise(finding.path), "range": _range(finding.path, finding.region, sources)},
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.rule},
    }
    if finding.steps:
        diagnostic["related_locations"] = [
            {
                "message": sanitise(step.message),
                "location": {"path": sanitise(step.path), "range": _range(step.path, step.region, sources)},
            }
            for step in finding.steps
        ]
    fix = finding.fix
    if fix is not None and fix.safe and all(edit.path == finding.path for edit in fix.edits):
        lines = sources.lines(finding.path)
        if finding.path not in sources.changed:
            diagnostic["suggestions"] = [
                {"range": _range(finding.path, lines.region(edit.span), sources), "text": edit.text}
                for edit in fix.edits
            ]
    return diagnostic


def _range(path: str, region: Region, sources: Sources) -> dict[str, Any]:
    lines = sources.lines(path)

    def at(offset: int, line: int) -> dict[str, int]:
        if path in sources.changed:  # nobody knows how many bytes stand before it
            return {"line": line}
        start = lines.starts[line - 1] if line <= len(lines.starts) else 0
        return {"line": line, "column": max(offset - start, 0) + 1}

    return {"start": at(region.start, region.line), "end": at(region.end, region.end_line)}
