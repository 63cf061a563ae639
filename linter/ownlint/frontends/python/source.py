"""The text of one Python file, and the way back from the parser's positions to bytes on disk.

`ast` counts lines from 1 and columns in bytes of UTF-8; CRLF and a lone CR end a line as LF does, a
form feed does not. So a line table over the original bytes is enough for UTF-8 files; the columns of a
file in another encoding are rewritten in the tree, once, and nobody else has to know.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n?|\n")
_BOM = b"\xef\xbb\xbf"
_ASCII = bytes(range(128))
_PLACED = (ast.expr, ast.stmt, ast.arg, ast.keyword, ast.alias, ast.excepthandler, ast.pattern)
"""Nodes of a tree that say where they stand."""


class UnparsableError(Exception):
    """The file is no Python that this interpreter can parse; `line` is 0 when it is not known."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def line_starts(data: bytes) -> list[int]:
    """Byte offsets at which lines start; index 0 is never a line, index 1 is the first one, and the last
    entry is the end of the file."""
    first = len(_BOM) if data.startswith(_BOM) else 0
    starts = [first, *accumulate(map(len, data.splitlines(keepends=True)), initial=0)]
    starts[1] = first
    return starts


@dataclass(frozen=True, slots=True)
class PythonSource:
    data: bytes
    text: str
    lines: list[int]
    codec: str
    """How a part of the file is decoded: the encoding, without the byte order mark."""

    def slice(self, start: int, end: int) -> str:
        return self.data[start:end].decode(self.codec, "replace")

    @property
    def is_utf8(self) -> bool:
        return self.codec == "utf-8"


def decode(data: bytes) -> PythonSource:
    """Raises `UnparsableError` for what is not text in an encoding that can be mapped back to bytes."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if encoding not in ("utf-8", "utf-8-sig"):
            _require_mappable(encoding)
        text = data.decode(encoding)
    except SyntaxError as error:
        raise UnparsableError(error.msg or "unknown encoding", 1) from error
    except UnicodeDecodeError as error:
        reason = f"not valid {error.encoding}: {error.reason}"
        raise UnparsableError(reason, len(_LINE_END.findall(data[: error.start])) + 1) from error
    except (UnicodeError, LookupError, ValueError) as error:
        raise UnparsableError(f"cannot be decoded: {error}", 1) from error
    if "\0" in text:
        raise UnparsableError("contains a NUL byte", len(_LINE_END.findall(data[: data.find(b"\0")])) + 1)
    return PythonSource(data, text, line_starts(data), "utf-8" if encoding == "utf-8-sig" else encoding)


def _require_mappable(encoding: str) -> None:
    """ASCII must stand for itself in both directions, else offsets in the text say nothing about the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = _ASCII.decode(encoding)
            same = text.encode("ascii") == _ASCII == text.encode(encoding)
    except UnicodeError:
        same = False
    if not same:
        raise UnparsableError(f"the encoding {encoding} is not ASCII-compatible", 1)


class Parsed(NamedTuple):
    """The tree, with columns in bytes of the file as it lies on disk. The lines `left_out` are no Python, for a
    `reason`: a `pass` or an `if` stands in the tree in their place."""

    tree: ast.Module
    left_out: frozenset[int] = frozenset()
    reason: UnparsableError | None = None


def parse(source: PythonSource) -> Parsed:
    """Raises `UnparsableError`."""
    left_out: frozenset[int] = frozenset()
    reason = None
    try:
        tree = _parsed(source.text)
    except SyntaxError as error:
        newer = _in_newer_syntax(source)
        if newer is None:
            reason = UnparsableError(error.msg or "invalid syntax", error.lineno or 0)
            newer, left_out = _tolerantly(source, error, reason)
        tree = newer
    except RecursionError as error:
        raise UnparsableError("nested too deeply") from error
    except MemoryError as error:
        raise UnparsableError("too complex to parse") from error
    except (ValueError, OverflowError) as error:
        raise UnparsableError(str(error)) from error
    if not source.is_utf8 and not source.data.isascii():
        _rewrite_columns(tree, source)
    return Parsed(tree, left_out, reason)


def _tolerantly(source: PythonSource, error: SyntaxError, reason: UnparsableError) -> tuple[ast.Module, frozenset[int]]:
    """Without a few lines. Raises the reason where that does not help."""
    from ownlint.frontends.python import tolerant

    try:
        if source.is_utf8 or source.data.isascii():
            lines = split_lines(source.text)
            tree, left_out = tolerant.parsed(lines, _parsed, error)
            _keep_within(tree, {number: len(lines[number - 1].rstrip("\r\n").encode()) for number in left_out})
            return tree, left_out
    except (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError):
        pass  # what the file itself was refused for is the better reason
    raise reason from error


def _keep_within(tree: ast.Module, widths: dict[int, int]) -> None:
    """What is written over a line may be longer than the line: nothing ends behind it."""
    for node in ast.walk(tree):
        if isinstance(node, _PLACED):
            node.col_offset = min(node.col_offset, widths.get(node.lineno, node.col_offset))
            if node.end_lineno in widths and node.end_col_offset is not None:
                node.end_col_offset = min(node.end_col_offset, widths[node.end_lineno])


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _in_newer_syntax(source: PythonSource) -> ast.Module | None:
    """The tree of a file that a later Python understands, every node at its own place."""
    if not source.is_utf8:
        return None
    from ownlint.frontends.python import newer

    older = newer.rewritten(source.text)
    try:
        return None if older is None else _parsed(older)
    except (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError):
        return None  # what the file itself was refused for is the better reason


def _rewrite_columns(tree: ast.Module, source: PythonSource) -> None:
    lines = split_lines(source.text)
    if b"".join(line.encode(source.codec) for line in lines) != source.data:
        raise UnparsableError(f"the encoding {source.codec} cannot be mapped back to bytes", 1)
    wide = {number: line for number, line in enumerate(lines, 1) if not line.isascii()}

    def column(number: int, utf8: int) -> int:
        line = wide.get(number)
        if line is None:
            return utf8
        return len(line.encode()[:utf8].decode("utf-8", "ignore").encode(source.codec))

    for node in ast.walk(tree):
        if isinstance(node, _PLACED):
            node.col_offset = column(node.lineno, node.col_offset)
            if node.end_lineno is not None and node.end_col_offset is not None:
                node.end_col_offset = column(node.end_lineno, node.end_col_offset)


def split_lines(text: str) -> list[str]:
    """Lines with their ends, split where Python splits them and nowhere else."""
    return re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+", text)
