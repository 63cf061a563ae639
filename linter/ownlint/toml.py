"""TOML as it comes from strangers: settings, models, contracts, and what build tools say in a `pyproject.toml`.

The parser of Python's library takes time that grows with the square of the parts of a dotted key, and says in four ways
that it gives up.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_PARTS = 32
"""Of a dotted key."""

_TOKEN = re.compile(r"""[\w-]++|"[^"\\]*+(?:\\.[^"\\]*+)*"?|'[^']*+'?|\.|[ \t]++|.""", re.DOTALL)


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


# --- where something stands -------------------------------------------------------------------

Step = str | int
"""A key, or a number in an array."""
_TABLES = ("table", "table_array_element")
_KEYS = ("bare_key", "quoted_key", "dotted_key")


class Positions:
    """On which line each key and each value of a TOML text stands, by the steps that lead to it. The text is parsed
    when the first place is asked for; what is no TOML has whatever places can be told."""

    def __init__(self, text: str) -> None:
        self._text = text

    def line(self, *path: Step) -> int:
        """Where that key is set, or that value begins; of what is not there, where what would hold it does."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def has(self, *path: Step) -> bool:
        return path in self._lines

    def word(self, word: str, *path: Step) -> int:
        """Where `word` stands below `path`, as a string or a key."""
        for at, said, line in self._words:
            if said == word and at[: len(path)] == path:
                return line
        return self.line(*path)

    @cached_property
    def _lines(self) -> dict[tuple[Step, ...], int]:
        lines: dict[tuple[Step, ...], int] = {}
        for path, node in self._nodes:
            lines.setdefault(path, node.start_point.row + 1)
        return lines

    @cached_property
    def _words(self) -> list[tuple[tuple[Step, ...], str, int]]:
        return [
            (path, word, node.start_point.row + 1)
            for path, node in self._nodes
            for word in {_string(node) if node.type == "string" else path[-1] if path else ""}
            if isinstance(word, str)
        ]

    @cached_property
    def _nodes(self) -> list[tuple[tuple[Step, ...], Node]]:
        """Each table, key and value in the order of the text, with its path."""
        import tree_sitter_toml
        from tree_sitter import Language, Parser

        tree = Parser(Language(tree_sitter_toml.language())).parse(self._text.encode("utf-8", "surrogateescape"))
        found: list[tuple[tuple[Step, ...], Node]] = []
        arrays: dict[tuple[Step, ...], int] = {}
        # A stack, since a stranger's text may nest deeper than Python calls go.
        left: list[tuple[tuple[Step, ...], Node]] = [((), tree.root_node)]
        while left:
            path, node = left.pop()
            if node.type in (*_TABLES, "pair"):
                keys = next((child for child in node.named_children if child.type in _KEYS), None)
                if keys is None:
                    continue
                path = _within(path, list(_names(keys)), arrays, entry=node.type == "table_array_element")
                found += [(path[:end], node) for end in range(1, len(path) + 1)]
                inner = [(path, child) for child in node.named_children if child.type not in _KEYS]
            elif node.type == "array":
                values = [child for child in node.named_children if child.type != "comment"]
                inner = [((*path, number), child) for number, child in enumerate(values)]
                found += inner
            else:
                if node.type == "string":
                    found.append((path, node))
                inner = [(path, child) for child in node.named_children]
            left += reversed(inner)
        return found


def _within(
    path: tuple[Step, ...], keys: list[str], arrays: dict[tuple[Step, ...], int], *, entry: bool
) -> tuple[Step, ...]:
    """The path with the keys; what is an array of tables is spoken of by its latest entry."""
    for key in keys[:-1]:
        path = (*path, key)
        if path in arrays:
            path = (*path, arrays[path])
    path = (*path, *keys[-1:])
    if entry:
        arrays[path] = arrays.get(path, -1) + 1
        path = (*path, arrays[path])
    return path


def _names(node: Node) -> Iterator[str]:
    """The parts of a key, which may be dotted."""
    if node.type == "dotted_key":
        # The first parts of a long key nest within one another.
        parts: list[Node] = []
        left = [node]
        while left:
            one = left.pop()
            if one.type == "dotted_key":
                left += reversed(one.named_children)
            else:
                parts.append(one)
        for part in parts:
            yield from _names(part)
    elif node.type == "quoted_key":
        yield _string(node)
    else:
        yield (node.text or b"").decode("utf-8", "replace")


def _string(node: Node) -> str:
    """What a string, or a key in quotes, says; the text itself where it is none."""
    text = (node.text or b"").decode("utf-8", "replace")
    try:
        return str(tomllib.loads(f"x = {text}")["x"])
    except tomllib.TOMLDecodeError:
        return text
