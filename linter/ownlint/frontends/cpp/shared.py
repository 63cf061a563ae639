"""Which headers are worth parsing once for many files.

Half of what it costs to understand a small file of binding code is the framework's headers, the same
for its neighbours. Files that are compiled with the same arguments share what *all* of them
include anyway, so that no file sees a declaration it would not have seen. Read as text: an include in a
conditional does not count, and a file that defines a macro before its includes takes no part.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

FEWEST = 3
"""Files that must share a set of headers before it is parsed ahead: two would only break even."""

ROUNDS = 4
LARGEST = 2_000_000
_SHARES = (1.0, 0.8, 0.6, 0.4)
_UNKNOWN_WEIGHT = 50_000

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|endif|include|define|undef)\b[ \t]*([^\n]*)", re.MULTILINE)
_NAME = re.compile(rb"([\"<])([^\">\n]+)[\">]")


class Unit(NamedTuple):
    """A file and how it is compiled."""

    path: str
    arguments: tuple[str, ...]
    directory: str


class _Text(NamedTuple):
    includes: tuple[tuple[bool, str], ...]
    size: int
    prepared: bool
    """A macro is defined before the last include."""


def shared(units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    """For each path the lines of a header to parse ahead; a path that shares nothing is missing."""
    groups: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for unit in units:
        if not unit.path.endswith(".c") and not {"-include", "-imacros"} & set(unit.arguments):
            groups.setdefault((unit.arguments, unit.directory), []).append(unit.path)
    texts: dict[str, _Text | None] = {}
    result: dict[str, tuple[str, ...]] = {}
    for (arguments, _directory), paths in groups.items():
        if len(paths) >= FEWEST:
            result |= _Group(arguments, texts).choose(paths)
    return result


class _Group:
    """Files with the same arguments. A header is an absolute path, or `<name>` when it lies outside
    of the folders given with `-I`: then nothing is known of it but that it is there."""

    def __init__(self, arguments: tuple[str, ...], texts: dict[str, _Text | None]) -> None:
        self._texts = texts
        quoted = [value for flag, value in itertools.pairwise(arguments) if flag == "-iquote"]
        self._angled = [argument[2:] for argument in arguments if argument.startswith("-I")]
        self._quoted = quoted + self._angled
        self._resolved: dict[tuple[str, str], str | None] = {}

    def choose(self, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        closures = {}
        for path in paths:
            text = self._text(path)
            if text is not None and not text.prepared:
                closures[path] = self._closure(path)
        result: dict[str, tuple[str, ...]] = {}
        for _round in range(ROUNDS):
            headers, users = self._best(closures)
            if len(users) < FEWEST:
                break
            lines = tuple(self._lines(headers, closures[users[0]]))
            for user in users:
                result[user] = lines
                del closures[user]
        return result

    def _best(self, closures: Mapping[str, Mapping[str, None]]) -> tuple[set[str], list[str]]:
        """The set of headers that saves most, and the files that include all of it."""
        counts: dict[str, int] = {}
        for closure in closures.values():
            for header in closure:
                counts[header] = counts.get(header, 0) + 1
        best: tuple[int, set[str], list[str]] = (0, set(), [])
        for share in _SHARES:
            headers = {header for header, count in counts.items() if count >= share * len(closures)}
            users = [path for path, closure in closures.items() if headers <= closure.keys()]
            saved = (len(users) - 1) * sum(map(self._weight, headers))
            if saved > best[0]:
                best = (saved, headers, users)
        return best[1], best[2]

    def _weight(self, header: str) -> int:
        text = None if header.startswith("<") else self._text(header)
        return _UNKNOWN_WEIGHT if text is None else text.size

    def _lines(self, headers: set[str], order: Iterable[str]) -> Iterator[str]:
        """Only what no other header of the set brings along, in the order one of the files has."""
        ordered = [header for header in order if header in headers]
        closures = {header: self._closure(header) for header in ordered if not header.startswith("<")}
        implied: set[str] = set()
        for header in ordered:
            if header not in implied:
                implied |= closures.get(header, {}).keys() - {header}
        for header in ordered:
            if header not in implied:
                yield f"#include {header}" if header.startswith("<") else f'#include "{header}"'

    def _closure(self, path: str) -> dict[str, None]:
        """All headers below `path`, in the order in which they are met."""
        found: dict[str, None] = {}
        stack = [iter(self._direct(path))]
        while stack:
            header = next(stack[-1], None)
            if header is None:
                stack.pop()
            elif header not in found:
                found[header] = None
                if not header.startswith("<"):
                    stack.append(iter(self._direct(header)))
        return found

    def _direct(self, path: str) -> Iterator[str]:
        text = self._text(path)
        folder = path.rpartition("/")[0]
        for quoted, name in text.includes if text is not None else ():
            header = self._find(folder if quoted else "", name)
            if header is not None:
                yield header

    def _find(self, folder: str, name: str) -> str | None:
        """None for what is included for its text: a table, a list of macros."""
        if os.path.splitext(name)[1] not in ("", ".h", ".hh", ".hpp", ".hxx"):  # noqa: PTH122
            return None
        key = (folder, name)
        if key not in self._resolved:
            folders = [folder, *self._quoted] if folder else self._angled
            places = (os.path.normpath(f"{place}/{name}") for place in folders)
            self._resolved[key] = next((place for place in places if os.path.isfile(place)), f"<{name}>")  # noqa: PTH113
        return self._resolved[key]

    def _text(self, path: str) -> _Text | None:
        if path not in self._texts:
            self._texts[path] = _read(path)
        return self._texts[path]


def _read(path: str) -> _Text | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as stream:  # noqa: PTH123
            data = stream.read(LARGEST)
    except (OSError, ValueError):
        return None
    return _scan(data)


def _scan(data: bytes) -> _Text:
    includes: list[tuple[bool, str]] = []
    depth = outermost = 0
    defined = prepared = False
    for number, match in enumerate(_DIRECTIVE.finditer(data)):
        kind, rest = match[1], match[2]
        if kind.startswith(b"if"):
            depth += 1
            if number == 0 and (kind == b"ifndef" or rest.startswith(b"!")):
                outermost = 1  # an include guard
        elif kind == b"endif":
            depth -= 1
        elif kind == b"include":
            prepared = prepared or defined
            name = _NAME.match(rest)
            if depth <= outermost and name is not None and b"\0" not in name[2]:
                includes.append((name[1] == b'"', os.fsdecode(name[2])))
        elif not (outermost and number == 1):  # the guard's own `#define`
            defined = True
    return _Text(tuple(includes), len(data), prepared)
