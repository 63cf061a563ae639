"""Findings for people: `concise`, one line each; `full`, with excerpts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ownlint.report.causes import elsewhere, once
from ownlint.report.excerpt import ExcerptMark, Row, excerpt
from ownlint.report.model import KINDS, Incomplete, Located, Report, Sources, in_order
from ownlint.report.sanitise import sanitise

Shown = Callable[[str], str]
"""Writes a path of the project as seen from where the user stands."""


def concise(report: Report, shown: Shown) -> str:
    """The lines that editors and problem matchers know: `path:line:col: severity[rule] message`; ` (likely)` at the end
    where it is not certain. Editors mark every place, so each has its line."""
    return "".join(
        f"{sanitise(shown(f.path))}:{f.region.line}:{f.region.column}: "
        f"{f.severity}[{f.rule}] {sanitise(f.message)}{_confidence(f)}\n"
        for f in report.findings
    )


def _confidence(finding: Located) -> str:
    """Behind the message, where readers and patterns that know none are not in its way."""
    return "" if finding.certainty == "certain" else f" ({finding.certainty})"


def summary(report: Report) -> str:
    """`Found 7 problems (5 errors, 2 warnings) in 12 files; 1 suppressed`. With several places for one: `Found 7
    problems (5 errors, 2 warnings) at 30 places in 12 files`. Of a change: `No problems found in the change (12 files
    read); 3 on other lines of the changed files not shown`."""
    beside = f"; {len(report.elsewhere)} on other lines of the changed files not shown" if report.elsewhere else ""
    beside += f"; {len(report.suppressed)} suppressed" if report.suppressed else ""
    beside += f"; {unanalysed}" if (unanalysed := counted(report.unanalysed)) else ""
    files = (
        _count(report.files, "file") if report.touched is None else f"the change ({_count(report.files, 'file')} read)"
    )
    if not report.findings:
        so_far = " so far" if report.lost else ""
        return f"No problems found{so_far} in {files}{beside}"
    found = once(report).findings
    counts = [sum(f.severity == word for f in found) for word in ("error", "warning", "note")]
    kinds = ", ".join(_count(n, word) for n, word in zip(counts, ("error", "warning", "note"), strict=True) if n)
    places = len(found) + sum(len(f.others) for f in found)
    at = f" at {places} places" if places > len(found) else ""
    return f"Found {_count(len(found), 'problem')} ({kinds}){at} in {files}{beside}"


def counted(incomplete: Iterable[Incomplete]) -> str:
    """How many files are incomplete in each way: `2 not read, 1 parsed without all headers`; empty when none is."""
    files = {(each.kind, each.path) for each in incomplete}
    counts = {kind: sum(each == kind for each, _ in files) for kind in KINDS}
    return ", ".join(f"{count} {KINDS[kind]}" for kind, count in counts.items() if count)


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


# --- full -------------------------------------------------------------------------------------

_STYLES = {
    "": "",
    "gutter": "bold blue",
    "other": "bold blue",
    "title": "bold",
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
}


def full(report: Report, sources: Sources, shown: Shown, *, colour: bool, width: int, verbose: bool = False) -> str:
    """Each problem with its excerpt, its numbered steps and its help. Only with `verbose` what was measured of findings
    like it, where that alone makes it uncertain: no reader can check that in the code."""
    found = once(report).findings
    rows = [row for finding in found for row in (*_finding(finding, sources, shown, width, verbose), [])]
    return _coloured(rows) if colour else "".join(f"{_flat(row)}\n" for row in rows)


def _flat(row: Row) -> str:
    return "".join(text for text, _ in row).rstrip()


def _coloured(rows: list[Row]) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", width=10_000, highlight=False)
    for row in rows:
        # Text and never markup: brackets in the code are no styles.
        console.print(Text.assemble(*((text, _STYLES[style]) for text, style in row)), soft_wrap=True)
    return out.getvalue()


def _finding(finding: Located, sources: Sources, shown: Shown, width: int, verbose: bool) -> Iterator[Row]:
    kind, message = f"{finding.severity}[{finding.rule}]", f": {sanitise(finding.message)}"
    yield [(kind, finding.severity), (message, "title"), (_confidence(finding), "")]
    files = _marks(finding)
    gutter = max(len(str(mark.region.end_line)) for marks in files.values() for mark in marks)
    for path, marks in files.items():
        yield from _file(finding, path, marks, sources, shown, gutter, width)
    yield [(" " * gutter + " |", "gutter")]
    for word, text in _notes(finding, verbose):
        first, *more = text.splitlines() or [""]
        yield [(" " * gutter + " = ", "gutter"), (word, "title"), (f": {sanitise(first)}", "")]
        for line in more:
            yield [(" " * (gutter + 3 + len(word) + 2) + sanitise(line), "")]


def _file(
    finding: Located, path: str, marks: list[ExcerptMark], sources: Sources, shown: Shown, gutter: int, width: int
) -> Iterator[Row]:
    main = path == finding.path
    place = finding.region if main else marks[0].region
    if not main:
        yield [(" " * gutter + " |", "gutter")]
    arrow = " " * gutter + ("--> " if main else "::: ")
    yield [(arrow, "gutter"), (f"{sanitise(shown(path))}:{place.line}:{place.column}", "")]
    lines = sources.lines(path)
    if lines.data:
        for row in excerpt(lines, marks, gutter, width):
            yield [(text, finding.severity if style == "main" else style) for text, style in row]
        return
    for mark in marks:  # gone since, or none of the project's files: no excerpt
        if mark.label:
            yield [(" " * gutter + " = ", "gutter"), (mark.label, "")]


def _marks(finding: Located) -> dict[str, list[ExcerptMark]]:
    """By file, the one of the main span first. A step at the main span labels it."""
    labels = [sanitise(f"{n}: {s.message}" if n else s.message) for n, s in in_order(finding)]
    files: dict[str, list[ExcerptMark]] = {finding.path: []}
    labelled = False
    for step, label in zip(finding.steps, labels, strict=True):
        main = not labelled and step.path == finding.path and step.region == finding.region
        labelled = labelled or main
        files.setdefault(step.path, []).append(ExcerptMark(step.region, label, main))
    if not labelled:
        files[finding.path].insert(0, ExcerptMark(finding.region, "", True))
    return files


def _is_said(finding: Located) -> bool:
    """Whether the message gives the reason already: "`p` leaks if `f` fails"."""
    clause = finding.reason.removeprefix("this happens only if ").removesuffix(" is true")
    return f" if {clause}" in finding.message or f" but {clause}" in finding.message


def _notes(finding: Located, verbose: bool) -> Iterator[tuple[str, str]]:
    if finding.help and (finding.fix is None or finding.fix.message != finding.help):
        yield "help", finding.help
    if finding.fix is not None:
        yield "fix", finding.fix.message
    if finding.reason and (verbose or (finding.assumed and not _is_said(finding))):
        yield "note", f"{finding.certainty}: {finding.reason}"
    if finding.others:
        yield "note", elsewhere(finding)
