"""Python with a few lines that are none, as while somebody types: the rest is read without them.

A line that the parser refuses is written over with `pass`, or with `if 0:` where what follows is indented below it, so
that every other line keeps its place. Whoever reads the tree takes what stands there for not understood.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

MOST_LINES = 16
"""With more of them, it is another language, or a merge left its marks."""

_TRIES = 2
"""So often a line is written over: where it stands, and where the one above it does."""
_OPENER = re.compile(r"expected an indented block after .* on line (\d+)")
_INDENT = re.compile(r"[ \t]*")
_TRY = re.compile(r"[ \t]*try[ \t]*:")


def parsed(
    lines: list[str], parse: Callable[[str], ast.Module], error: SyntaxError
) -> tuple[ast.Module, frozenset[int]]:
    """The tree, and the numbers of the lines that were left out. `lines` have their ends, and `error` is why they could
    not be parsed, which is raised again where leaving out lines does not help."""
    text, left = list(lines), dict[int, int]()
    last = error
    for _ in range(_TRIES * MOST_LINES):
        number = _culprit(text, last)
        if number is None:
            break
        if left.get(number) == _TRIES:  # it stands in something that begins above
            number = next((n for n in range(number - 1, 0, -1) if n not in left and text[n - 1].strip()), None)
            if number is None:
                break
        left[number] = left.get(number, 0) + 1
        text[number - 1] = _without(text, number, as_before=left[number] == _TRIES)
        if len(left) > MOST_LINES:
            break
        try:
            return parse("".join(text)), frozenset(left)
        except SyntaxError as another:
            last = another
    raise error


def _culprit(text: list[str], error: SyntaxError) -> int | None:
    """The line to leave out."""
    number = error.lineno or 0
    if found := _OPENER.search(error.msg or ""):
        number = int(found[1])
    elif (error.msg or "").startswith("expected 'except'"):
        number = next((n for n in range(min(number, len(text)), 0, -1) if _TRY.match(text[n - 1])), 0)
    return number if 0 < number <= len(text) else None


def _without(text: list[str], number: int, *, as_before: bool) -> str:
    """The line written over; indented `as_before`, like the one above it."""
    line = text[number - 1]
    bare = line.rstrip("\r\n")
    end = line[len(bare) :]
    above = next((other for other in reversed(text[: number - 1]) if other.strip()), "")
    indent = _indent(above if as_before else line)
    following = next((other for other in text[number:] if other.strip()), "")
    deeper = len(_indent(following)) > len(indent)
    return f"{indent}{'if 0:' if deeper else 'pass'}{end}"


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found[0] if found is not None else ""
