"""Bytes of a file as the lines and characters of an editor."""

from __future__ import annotations

from pathlib import Path

from ownlint.facts.base import Span
from ownlint.report.model import Lines, Sources
from ownlint.server.messages import Encoding, ScreenPlace

_UNITS: dict[Encoding, tuple[str, int]] = {
    "utf-8": ("utf-8", 1),
    "utf-16": ("utf-16-le", 2),
    "utf-32": ("utf-32-le", 4),
}


class Places:
    """Of the files of one project, as they were analysed."""

    def __init__(self, root: Path, sources: Sources, encoding: Encoding) -> None:
        self._root = root
        self._sources = sources
        self._encoding = encoding

    def of(self, path: str, span: Span) -> ScreenPlace:
        """A span of the file with that path below the root; kept inside of the file."""
        lines = self._sources.lines(path)
        size = len(lines.data)
        start = min(max(span.start, 0), size)
        end = min(max(span.end, start), size)
        return ScreenPlace(self.absolute(path), *self._position(lines, start), *self._position(lines, end))

    def absolute(self, path: str) -> str:
        return str(self._root / path)

    def _position(self, lines: Lines, offset: int) -> tuple[int, int]:
        number = lines.line(offset)
        before = lines.data[lines.starts[number - 1] : offset].rstrip(b"\r\n")
        if number == 1:
            before = before.removeprefix(b"\xef\xbb\xbf")
        return number - 1, units(before.decode("utf-8", "replace"), self._encoding)


def units(text: str, encoding: Encoding) -> int:
    """How many characters the editor counts in a text."""
    if text.isascii():
        return len(text)
    codec, size = _UNITS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size
