"""Comments that silence what a project has decided to keep, with the reason that it gives.

A comment stands alone above the line of the finding, indented like it. Where that is no comment (inside a string, below
a line that goes on), it stands at the end of the line instead; the caller finds out by checking again.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ownlint.facts.base import Span
from ownlint.finding import Edit, Fix
from ownlint.report.model import Located, Sources
from ownlint.report.suppressions import INVALID, UNUSED

ABOUT_COMMENTS = (INVALID, UNUSED)
"""Rules that say of a comment that it is none, or of no use."""


class ReasonError(ValueError):
    """A reason that cannot stand in a comment; the text says why."""


def check_reason(reason: str) -> str:
    """In one line. Raises `ReasonError`."""
    text = " ".join(reason.split())
    if not text:
        raise ReasonError("a reason is required: it tells the next reader why the finding is suppressed")
    if not text.isprintable():
        raise ReasonError("the reason contains characters that cannot be displayed")
    return text


def silenced(sources: Sources, findings: Iterable[Located], reason: str, *, trailing: bool = False) -> list[Located]:
    """The findings, each with a comment as its fix; those of one line have one comment with all their rules. Findings
    in files that changed since they were analysed are left out, see `Sources.changed`."""
    by_line: dict[tuple[str, int], list[Located]] = {}
    for finding in findings:
        by_line.setdefault((finding.path, finding.region.line), []).append(finding)
    out = []
    for (path, number), many in sorted(by_line.items()):
        lines = sources.lines(path)
        if path in sources.changed or not 1 <= number <= len(lines.starts):
            continue
        edit = _edit(path, lines.data, lines.starts[number - 1], _comment(path, many, reason), trailing=trailing)
        fix = Fix(f"suppress {', '.join(sorted({one.rule for one in many}))}", (edit,), safe=True)
        out += [msgspec.structs.replace(one, fix=fix) for one in many]
    return out


def _comment(path: str, findings: Iterable[Located], reason: str) -> str:
    mark = "#" if path.endswith((".py", ".pyi", ".pyx")) else "//"
    return f"{mark} ownlint: ignore[{', '.join(sorted({one.rule for one in findings}))}]: {reason}"


def _edit(path: str, data: bytes, start: int, comment: str, *, trailing: bool) -> Edit:
    end = data.find(b"\n", start)
    end = len(data) if end < 0 else end
    newline = "\r\n" if data[end - 1 : end] == b"\r" and end > start else "\n"
    if trailing:
        end = start + len(data[start:end].rstrip())
        return Edit(path, Span(end, end), f"  {comment}")
    if start == 0 and data.startswith(b"\xef\xbb\xbf"):
        start = 3
    line = data[start:end]
    indent = line[: len(line) - len(line.lstrip(b" \t"))].decode()
    return Edit(path, Span(start, start), f"{indent}{comment}{newline}")
