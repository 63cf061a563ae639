"""TOML as it comes from strangers: settings, models, contracts, and what build tools say in a `pyproject.toml`.

The parser of Python's library takes time that grows with the square of the parts of a dotted key, and says in four ways
that it gives up.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 32
"""Of a dotted key."""

_TOKEN = re.compile(r"""[\w-]++|"(?:[^"\\]|\\.)*+"?|'[^']*+'?|\.|[ \t]++|.""", re.DOTALL)


class TomlError(Exception):
    """`message` starts small and names no place; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message[:1].lower() + message[1:]


def parse(text: str) -> dict[str, Any]:
    """Raises `TomlError`."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") >= MOST_PARTS and _longest_key(line) > MOST_PARTS:
            raise TomlError(number, f"a key of more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        found = re.match(r"line (\d+)", place)
        raise TomlError(int(found[1]) if found else _last_line(text), message or str(error)) from None
    except RecursionError:
        raise TomlError(1, "nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python reads
        raise TomlError(1, str(error).partition(":")[0]) from None


def _last_line(text: str) -> int:
    return len(text.splitlines()) or 1


def _longest_key(line: str) -> int:
    """How many names stand in a row, with dots between them."""
    longest = parts = 0
    dotted = False
    for token in _TOKEN.finditer(line):
        first = token[0][0]
        if first == ".":
            dotted = parts > 0
        elif first.isalnum() or first in "_-\"'":
            parts = parts + 1 if dotted else 1
            longest, dotted = max(longest, parts), False
        elif first not in " \t":
            parts, dotted = 0, False
    return longest
