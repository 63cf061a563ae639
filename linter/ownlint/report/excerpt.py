"""Lines of source with their spans marked, as rows of styled pieces.

One file of one finding is one excerpt: a gutter with line numbers, the lines, and below each line its
marks. `^` marks the main span, `-` the others; labels stand behind the last mark of a line and below the rest.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ownlint.report.model import Lines, Region
from ownlint.report.sanitise import sanitised

Piece = tuple[str, str]
"""Text and the name of its style: empty, `gutter`, `main`, `other`."""
Row = list[Piece]

_TAB = 4
_MOST_BYTES = 8192
"""Of one line; more is never shown."""
_WHOLE_BLOCK = 6
"""A span of more lines than this is shown by its ends."""


class ExcerptMark(NamedTuple):
    region: Region
    label: str
    main: bool

    @property
    def style(self) -> str:
        return "main" if self.main else "other"

    @property
    def multiline(self) -> bool:
        return self.region.end_line > self.region.line


class _Span(NamedTuple):
    """A mark on one line, in columns of the terminal."""

    start: int
    end: int
    label: str
    style: str

    @property
    def drawn(self) -> str:
        return ("^" if self.style == "main" else "-") * (self.end - self.start)


def excerpt(lines: Lines, marks: Sequence[ExcerptMark], gutter: int, width: int) -> Iterator[Row]:
    """Rows below the line that names the file. `gutter` is the width of the numbers, `width` of the terminal."""
    block = _block(marks)
    single = [mark for mark in marks if mark is not block]
    by_line: dict[int, list[ExcerptMark]] = {}
    for mark in single:
        by_line.setdefault(mark.region.line, []).append(mark)
    room = max(width - gutter - 3 - (2 if block else 0), 40)
    yield _numbered("", gutter)
    before = 0
    for number in _numbers(by_line, block):
        if before and number == before + 2:
            yield from _line(lines, before + 1, [], block, gutter, room)
        elif before and number > before + 2:
            yield [("...".ljust(gutter + 3), "gutter"), *_bar(block, before + 1)]
        yield from _line(lines, number, by_line.get(number, []), block, gutter, room)
        before = number


def _block(marks: Sequence[ExcerptMark]) -> ExcerptMark | None:
    """The one span over several lines that gets a bar at its side; any further one is marked on its first line."""
    several = [mark for mark in marks if mark.multiline]
    return max(several, key=lambda mark: (mark.main, mark.region.end_line - mark.region.line), default=None)


def _numbers(by_line: Iterable[int], block: ExcerptMark | None) -> list[int]:
    shown = set(by_line)
    if block is not None:
        first, last = block.region.line, block.region.end_line
        shown.update(range(first, last + 1) if last - first < _WHOLE_BLOCK else (first, first + 1, last))
    return sorted(shown)


def _line(
    lines: Lines, number: int, marks: list[ExcerptMark], block: ExcerptMark | None, gutter: int, room: int
) -> Iterator[Row]:
    start = lines.starts[number - 1] if number <= len(lines.starts) else len(lines.data)
    ends = [(m.region.start - start, m.region.end - start if not m.multiline else _MOST_BYTES) for m in marks]
    edge = _edge(block, number, start)
    laid = _Laid(lines.bytes_of(number), [place for pair in ends for place in pair] + edge, room)
    opens = block is not None and number == block.region.line and not _stands_first(lines, block)
    bar = [("  ", "")] if opens else _bar(block, number)
    yield [*_numbered(str(number), gutter), *bar, (laid.text.rstrip(), "")]
    spans = [
        _Span(laid.column(first), max(laid.column(last), laid.column(first) + 1), mark.label, mark.style)
        for mark, (first, last) in zip(marks, ends, strict=True)
    ]
    if block is not None and opens:
        underline = "_" * (laid.column(edge[0]) + 1) + "^"
        yield [*_numbered("", gutter), (f" {underline}", block.style)]
    for row in _annotations(spans, room):
        yield [*_numbered("", gutter), *_bar(block, number, below=True), *row]
    if block is not None and number == block.region.end_line:
        underline = "|" + "_" * max(laid.column(edge[0]), 1) + "^"
        yield [*_numbered("", gutter), (f"{underline} {block.label}".rstrip(), block.style)]


def _edge(block: ExcerptMark | None, number: int, start: int) -> list[int]:
    """Where on this line the block begins or ends."""
    if block is None:
        return []
    if number == block.region.end_line:
        return [block.region.end - start]
    return [block.region.start - start] if number == block.region.line else []


def _stands_first(lines: Lines, block: ExcerptMark) -> bool:
    start = lines.starts[block.region.line - 1]
    return not lines.data[start : block.region.start].strip()


def _numbered(number: str, gutter: int) -> Row:
    return [(f"{number:>{gutter}} | ", "gutter")]


def _bar(block: ExcerptMark | None, number: int, below: bool = False) -> Row:
    if block is None:
        return []
    first, last = block.region.line, block.region.end_line
    if number == first and not below:
        return [("/ ", block.style)]
    return [("| ", block.style)] if first <= number <= last else [("  ", "")]


# --- one line -----------------------------------------------------------------------------------


class _Laid:
    """A line as it stands on the terminal: tabs spread, harmless, cut around what is marked."""

    def __init__(self, raw: bytes, places: Sequence[int], room: int) -> None:
        first = min(places, default=0)
        self._skipped = _boundary(raw, first - _MOST_BYTES // 4) if len(raw) > _MOST_BYTES else 0
        raw = raw[self._skipped : self._skipped + _MOST_BYTES]
        cells, self._columns = _cells(raw)
        size = self._columns[-1]
        low = 0
        if size > room and self._at(max((p for p in places if p - self._skipped < len(raw)), default=0)) > room - 2:
            low = max(self._at(first) - room // 4, 0)
        high = low + room - 2 if size > low + room else size
        self._low, self._high = low, high
        self._lead = "…" if low or self._skipped else ""
        self.text = self._lead + "".join(text for text, at in cells if low <= at < high)
        if high < size:
            self.text += "…"

    def _at(self, offset: int) -> int:
        return self._columns[min(max(offset - self._skipped, 0), len(self._columns) - 1)]

    def column(self, offset: int) -> int:
        """The column, from 0, of a byte of the line; kept inside of what is shown."""
        return min(max(self._at(offset), self._low), self._high) - self._low + len(self._lead)


def _boundary(raw: bytes, offset: int) -> int:
    """The start of the character at `offset`."""
    offset = max(offset, 0)
    while offset and raw[offset] & 0xC0 == 0x80:
        offset -= 1
    return offset


def _cells(raw: bytes) -> tuple[list[tuple[str, int]], list[int]]:
    """The characters as shown, each with its column; and the column of every byte, and of the end."""
    cells: list[tuple[str, int]] = []
    columns: list[int] = []
    at = 0
    text = raw.decode("utf-8", "surrogateescape")
    for char, harmless in zip(text, sanitised(text), strict=True):
        shown = " " * (_TAB - at % _TAB) if char == "\t" else harmless
        if char == "\ufeff" and not cells:
            shown = ""
        cells.append((shown, at))
        columns += [at] * len(char.encode("utf-8", "surrogateescape"))
        at += sum(map(_width, shown))
    columns.append(at)
    return cells, columns


def _width(char: str) -> int:
    if char < "\u0300":
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


# --- below a line -------------------------------------------------------------------------------


def _annotations(spans: Sequence[_Span], room: int) -> Iterator[Row]:
    """The row of marks, then labels from right to left, each hanging from its mark."""
    if not spans:
        return
    spans = sorted(spans, key=lambda span: (span.start, span.end))
    end = max(span.end for span in spans)
    labelled = [span for span in spans if span.label]
    beside = labelled[-1] if labelled and labelled[-1].end == end else None
    if beside is not None and end + 1 + len(beside.label) > room and beside.start < end // 2:
        beside = None  # it would run out of sight, and has more room below
    hanging = [span for span in labelled if span is not beside]
    row = _drawn(spans)
    if beside is not None:
        row.append((f" {beside.label}", beside.style))
    yield row
    if hanging:
        yield _connectors(hanging)
    while hanging:
        span = hanging.pop()
        row = _connectors([other for other in hanging if other.start < span.start])
        row.append((" " * (span.start - sum(len(text) for text, _ in row)) + span.label, span.style))
        yield row


def _drawn(spans: Sequence[_Span]) -> Row:
    """Underlines over one another: the shorter over the longer, the main one over all."""
    cells: list[Piece] = [(" ", "")] * max(span.end for span in spans)
    for span in sorted(spans, key=lambda span: (span.style == "main", span.start - span.end)):
        cells[span.start : span.end] = [(each, span.style) for each in span.drawn]
    return _joined(cells)


def _connectors(spans: Sequence[_Span]) -> Row:
    cells: list[Piece] = [(" ", "")] * max((span.start + 1 for span in spans), default=0)
    for span in spans:
        cells[span.start] = ("|", span.style)
    return _joined(cells)


def _joined(cells: Sequence[Piece]) -> Row:
    row: Row = []
    for text, style in cells:
        if row and row[-1][1] == style:
            row[-1] = (row[-1][0] + text, style)
        else:
            row.append((text, style))
    return row
