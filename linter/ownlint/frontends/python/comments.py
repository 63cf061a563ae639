"""Comments that suppress: real comments only, never the text of a string."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from ownlint.facts.comments import parse_suppression
from ownlint.facts.records import Suppression
from ownlint.frontends.python.source import PythonSource, split_lines
from ownlint.frontends.python.wanted import speaks_to_the_linter


def suppressions(source: PythonSource) -> tuple[Suppression, ...]:
    """In order of appearance; costs next to nothing in a file that does not speak to the linter."""
    if not speaks_to_the_linter(source.data):
        return ()
    found = (parse_suppression(*comment) for comment in _comments(source))
    return tuple(suppression for suppression in found if suppression is not None)


def _comments(source: PythonSource) -> Iterator[tuple[str, int, int, bool]]:
    """Text, start, end, and whether code stands before it; up to the first error."""
    lines = split_lines(source.text)
    width = source.codec
    unified = "".join(line.rstrip("\r\n") + ("\n" if line[-1:] in "\r\n" else "") for line in lines)
    try:
        for token in tokenize.generate_tokens(io.StringIO(unified).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                before = lines[row - 1][:column]
                start = source.lines[row] + len(before.encode(width))
                yield token.string, start, start + len(token.string.encode(width)), bool(before.strip())
    except (tokenize.TokenError, SyntaxError, RecursionError):
        return
