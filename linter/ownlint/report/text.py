"""Findings for people: `concise`, one line each; `full`, with excerpts."""

from __future__ import annotations

from collections.abc import Callable

from ownlint.report.model import Report, Sources
from ownlint.report.sanitise import sanitise

Shown = Callable[[str], str]
"""Writes a path of the project as seen from where the user stands."""


def concise(report: Report, shown: Shown) -> str:
    """The lines that editors and problem matchers know: `path:line:col: severity[rule] message`."""
    return "".join(
        f"{sanitise(shown(f.path))}:{f.region.line}:{f.region.column}: {f.severity}[{f.rule}] {sanitise(f.message)}\n"
        for f in report.findings
    )


def summary(report: Report) -> str:
    """`Found 7 problems (5 errors, 2 warnings) in 12 files; 1 suppressed`."""
    suppressed = f"; {report.suppressed} suppressed" if report.suppressed else ""
    files = _count(report.files, "file")
    if not report.findings:
        return f"No problems found in {files}{suppressed}"
    counts = [sum(f.severity == word for f in report.findings) for word in ("error", "warning", "note")]
    kinds = ", ".join(_count(n, word) for n, word in zip(counts, ("error", "warning", "note"), strict=True) if n)
    return f"Found {_count(len(report.findings), 'problem')} ({kinds}) in {files}{suppressed}"


def statistics(report: Report) -> str:
    """How often each rule was heard, most often first."""
    counts: dict[tuple[str, str], int] = {}
    for finding in report.findings:
        at = (finding.rule, finding.severity)
        counts[at] = counts.get(at, 0) + 1
    width = max((len(str(count)) for count in counts.values()), default=1)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{count:>{width}}  {severity}[{rule}]\n" for (rule, severity), count in ordered)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def full(report: Report, sources: Sources, shown: Shown, *, colour: bool, width: int) -> str:
    return concise(report, shown)
