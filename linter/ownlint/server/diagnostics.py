"""Findings as the diagnostics of an editor."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from ownlint.choices import Severity
from ownlint.server.actions import range_of
from ownlint.server.messages import FileReport, Shown
from ownlint.server.uris import uri_of

SOURCE = "ownlint"
_SEVERITIES: dict[Severity, lsp.DiagnosticSeverity] = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


def of(report: FileReport, *, related: bool) -> Iterator[lsp.Diagnostic]:
    """Findings, then why more of them may be missing. `related`: the editor shows related places; else they are
    written out."""
    for finding in report.findings:
        yield of_finding(finding, related=related)
    for note in report.incomplete:
        yield lsp.Diagnostic(range_of(note.place), note.message, lsp.DiagnosticSeverity.Hint, source=SOURCE)


def of_finding(finding: Shown, *, related: bool) -> lsp.Diagnostic:
    doubt = "" if finding.certainty == "certain" else f" ({finding.certainty})"
    lines = [f"{finding.message}{doubt}"]
    if not related:
        lines += [f"{step.place.path}:{step.place.line + 1}: {step.message}" for step in finding.steps]
    lines += [f"help: {finding.help}"] * bool(finding.help)
    lines += [f"{finding.certainty}: {finding.reason}"] * bool(finding.reason)
    return lsp.Diagnostic(
        range_of(finding.place),
        "\n".join(lines),
        _SEVERITIES[finding.severity],
        code=finding.rule,
        source=SOURCE,
        related_information=[
            lsp.DiagnosticRelatedInformation(lsp.Location(uri_of(step.place.path), range_of(step.place)), step.message)
            for step in finding.steps
        ]
        if related
        else None,
        data=finding.fingerprint,
    )
