"""Lines of source as a page shows them: harmless, tabs spread, each line of a file kept once.

Places in a line are counted in UTF-16 units of what is shown, which is how a browser's script counts.
"""

from __future__ import annotations

import difflib

from ownlint.facts.base import Span
from ownlint.finding import Edit, Fix
from ownlint.fixes import FixError, apply
from ownlint.report.model import Lines, Region, Sources
from ownlint.report.sanitise import sanitise
from ownlint.report.story import is_python

_TAB = 4
_AROUND = 2
"""Lines shown before and behind a place."""
_WHOLE = 8
"""A place of more lines than this is shown by its ends."""
_MOST_BYTES = 400
"""Of one line; of a longer one a window is shown, around what is marked."""
_LEAD = 120
"""Of the window, before the mark."""
_MOST_CHANGED = 200
"""Lines of a change; a larger one is not drawn."""

Row = int | list[int | str]
"""The number of a line that is in `files`; a number with a text of its own; 0 for lines left out."""


class Shelf:
    """The files that findings speak of, in order of their first mention, with the lines that are shown."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._numbers: dict[str, int] = {}
        self._texts: list[dict[int, str]] = []

    def number(self, path: str) -> int:
        if path not in self._numbers:
            self._numbers[path] = len(self._numbers)
            self._texts.append({})
        return self._numbers[path]

    def files(self) -> list[dict[str, object]]:
        return [
            {
                "path": sanitise(path),
                "python": is_python(path),
                "lines": {str(number): text for number, text in sorted(self._texts[at].items())},
            }
            for path, at in self._numbers.items()
        ]

    def excerpt(self, path: str, region: Region) -> dict[str, object]:
        """`rows` around a place and `marks` in them: line, first and last place. Empty for a file that is gone."""
        lines = self._sources.lines(path)
        if not lines.data:
            return {"rows": [], "marks": []}
        kept = self._texts[self.number(path)]
        rows: list[Row] = []
        marks: list[list[int]] = []
        for number in _numbers(lines, region):
            if not number:
                rows.append(0)
                continue
            raw = lines.bytes_of(number)
            marked = _marked(lines, region, number, len(raw))
            low = 0
            if len(raw) > _MOST_BYTES:
                low, raw = _window(raw, marked)
                text, places = _laid(raw, low > 0)
                rows.append([number, text])
            else:
                text, places = _laid(raw, False)
                kept[number] = text
                rows.append(number)
            if marked is not None:
                first, last = (places[min(max(at - low, 0), len(raw))] for at in marked)
                marks.append([number, first, max(last, first + 1)])
        return {"rows": rows, "marks": marks}

    def changes(self, fix: Fix) -> list[dict[str, object]]:
        """What the fix does to each file, as rows of a diff. Nothing where a file has changed since."""
        made = []
        for path in sorted({edit.path for edit in fix.edits}):
            edits = [edit for edit in fix.edits if edit.path == path]
            line, rows = _changed(self._sources.lines(path), edits)
            if rows:
                made.append({"file": self.number(path), "line": line, "rows": rows})
        return made


def _numbers(lines: Lines, region: Region) -> list[int]:
    """The lines to show; 0 where some are left out. Blank ones at the edges say nothing."""
    first, last = max(region.line - _AROUND, 1), min(region.end_line + _AROUND, len(lines.starts))
    while first < region.line and not lines.bytes_of(first).strip():
        first += 1
    while last > region.end_line and not lines.bytes_of(last).strip():
        last -= 1
    if region.end_line - region.line < _WHOLE:
        return list(range(first, last + 1))
    return [*range(first, region.line + 3), 0, *range(region.end_line - 1, last + 1)]


def _marked(lines: Lines, region: Region, number: int, size: int) -> tuple[int, int] | None:
    """The bytes of a line that belong to the place."""
    if not region.line <= number <= region.end_line:
        return None
    start = lines.starts[number - 1]
    raw = lines.data[start : start + size]
    blank = size - len(raw.lstrip())
    first = region.start - start if number == region.line else blank
    last = region.end - start if number == region.end_line else len(raw.rstrip())
    return (first, max(last, first)) if last > first or number == region.line else None


def _window(raw: bytes, marked: tuple[int, int] | None) -> tuple[int, bytes]:
    """A part of a long line, from the start of a character."""
    first = marked[0] if marked is not None else 0
    low = 0 if first < _MOST_BYTES - _LEAD else first - _LEAD
    while low and raw[low : low + 1] and raw[low] & 0xC0 == 0x80:
        low -= 1
    high = low + _MOST_BYTES
    while high < len(raw) and raw[high] & 0xC0 == 0x80:
        high += 1
    return low, raw[low:high] + (b"" if high >= len(raw) else "…".encode())


def _laid(raw: bytes, cut: bool) -> tuple[str, list[int] | range]:
    """The text, and for each byte and the end its place in it."""
    if not cut and raw.isascii() and raw.decode("ascii").isprintable():
        return raw.decode("ascii"), range(len(raw) + 1)
    parts, at = (["…"], 1) if cut else ([], 0)
    places: list[int] = []
    for index, char in enumerate(raw.decode("utf-8", "surrogateescape")):
        shown = " " * (_TAB - at % _TAB) if char == "\t" else sanitise(char)
        if char == "\ufeff" and not index:
            shown = ""
        places += [at] * len(char.encode("utf-8", "surrogateescape"))
        parts.append(shown)
        at += sum(2 if char > "\uffff" else 1 for char in shown)
    places.append(at)
    return "".join(parts), places


def _changed(lines: Lines, edits: list[Edit]) -> tuple[int, list[list[str]]]:
    """The first line that is shown, and rows of a sign and a text."""
    size = len(lines.data)
    if any(not 0 <= edit.span.start <= edit.span.end <= size for edit in edits):
        return 0, []
    first = max(lines.line(min(edit.span.start for edit in edits)) - _AROUND, 1)
    last = min(lines.line(max(edit.span.end for edit in edits)) + _AROUND, len(lines.starts))
    if last - first > _MOST_CHANGED:
        return 0, []
    start = lines.starts[first - 1]
    end = lines.starts[last] if last < len(lines.starts) else size
    before = lines.data[start:end]
    moved = [Edit(edit.path, Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in edits]
    try:
        after = apply(before, moved)
    except FixError:
        return 0, []
    told = list(difflib.unified_diff(_texts(before), _texts(after), n=_MOST_CHANGED, lineterm=""))
    return first, [[line[0], line[1:]] for line in told[3:]]


def _texts(data: bytes) -> list[str]:
    parts = data.removesuffix(b"\n").split(b"\n")
    return [_laid(part.removesuffix(b"\r")[:_MOST_BYTES], False)[0] for part in parts]
