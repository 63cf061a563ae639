"""Which headers are worth parsing once for many files.

Half of what it costs to understand a small file of binding code is the framework's headers, the same
for its neighbours. Files that are compiled with the same arguments share what *all* of them
include anyway, so that no file sees a declaration it would not have seen. Read as text: an include in a
conditional does not count, and a header that mentions a macro which something outside of the set may
have defined before it is left out.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ownlint import door

FEWEST = 3
"""Files that must share a set of headers before it is parsed ahead: two would only break even."""

ROUNDS = 4
LARGEST = 2_000_000
MOST_SETS = 1_000
_UNKNOWN_WEIGHT = 50_000

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|endif|include|define|undef)\b[ \t]*([^\n]*)", re.MULTILINE)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_FEATURE = re.compile(
    rb"_(GNU|DEFAULT|BSD|XOPEN|POSIX_C?)_?SOURCE|_FILE_OFFSET_BITS|_GLIBCXX_\w+|_LIBCPP_\w+|__STDC_\w+_MACROS|NDEBUG"
)
_NAME = re.compile(rb"([\"<])([^\">\n]+)[\">]")


class Unit(NamedTuple):
    """A file and how it is compiled."""

    path: str
    arguments: tuple[str, ...]
    directory: str


class _Text(NamedTuple):
    includes: tuple[tuple[bool, str], ...]
    size: int
    early: frozenset[bytes]
    """The macros it defines or undefines before its last include, its include guard left out: those are
    meant to be seen. A header that wants another's macros includes it."""


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
            result |= _SharedGroup(arguments, texts).choose(paths)
    return result


class _SharedGroup:
    """Files with the same arguments. A header is an absolute path, or `<name>` when it lies outside
    of the folders the arguments name: then it is the compiler's or the system's own."""

    def __init__(self, arguments: tuple[str, ...], texts: dict[str, _Text | None]) -> None:
        self._texts = texts
        quoted = [value for flag, value in itertools.pairwise(arguments) if flag == "-iquote"]
        self._angled = [argument[2:] for argument in arguments if argument.startswith("-I")]
        self._angled += [value for flag, value in itertools.pairwise(arguments) if flag == "-isystem"]
        self._quoted = quoted + self._angled
        self._mentioned: dict[str, frozenset[bytes]] = {}
        self._resolved: dict[tuple[str, str], str | None] = {}

    def choose(self, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        closures = {path: self._closure(path) for path in paths if self._text(path) is not None}
        result: dict[str, tuple[str, ...]] = {}
        for _round in range(ROUNDS):
            headers, users = self._best(closures)
            if len(users) < FEWEST:
                break
            kept = self._independent(headers, {user: closures[user] for user in users})
            if kept != headers:  # part of what an umbrella includes may not stand alone
                outer = {path for user in users for path in (user, *closures[user])} - headers
                asked = {header for path in outer if not path.startswith("<") for header in self._direct(path)}
                kept = {header for root in kept & asked for header in (root, *self._below(root))}
            lines = tuple(self._lines(kept, closures[users[0]]))
            for user in users:
                del closures[user]
                if lines:
                    result[user] = lines
        return result

    def _best(self, closures: Mapping[str, Mapping[str, None]]) -> tuple[set[str], list[str]]:
        """The files whose common headers save most, and those headers. Each set of files that some
        header picks out is tried."""
        users: dict[str, int] = {}
        for number, closure in enumerate(closures.values()):
            for header in closure:
                users[header] = users.get(header, 0) | 1 << number
        weights: dict[int, int] = {}
        for header, who in users.items():
            weights[who] = weights.get(who, 0) + self._weight(header)
        tried = sorted((who for who in weights if who.bit_count() >= FEWEST), key=lambda who: (-who.bit_count(), who))
        saved = {
            who: (who.bit_count() - 1) * sum(weight for other, weight in weights.items() if other & who == who)
            for who in tried[:MOST_SETS]
        }
        if not saved:
            return set(), []
        best = max(saved, key=saved.__getitem__)
        headers = {header for header, who in users.items() if who & best == best}
        return headers, [path for number, path in enumerate(closures) if best >> number & 1]

    def _independent(self, headers: set[str], users: Mapping[str, Mapping[str, None]]) -> set[str]:
        """Without those whose text depends on a macro that may come from outside of the set."""
        below = {header: self._closure(header).keys() for header in headers if not header.startswith("<")}
        while True:
            bad = {header for user, closure in users.items() for header in self._influenced(user, closure, headers)}
            bad |= {header for header, closure in below.items() if header in headers and bad & closure}
            if not bad:
                return headers
            headers = headers - bad

    def _influenced(self, user: str, closure: Iterable[str], headers: set[str]) -> Iterator[str]:
        """Those of `headers` that one file reads after something that is not among them has defined a
        macro they mention."""
        macros: set[bytes] = set()
        for header in (user, *closure):
            if header not in headers:
                text = None if header.startswith("<") else self._text(header)
                macros |= text.early if text is not None else frozenset()
            elif header.startswith("<"):
                if any(map(_FEATURE.fullmatch, macros)):
                    yield header
            elif not macros.isdisjoint(self._words(header)):
                yield header

    def _words(self, header: str) -> frozenset[bytes]:
        if header not in self._mentioned:
            data = b"" if header.startswith("<") else _bytes(header) or b""
            self._mentioned[header] = frozenset(_WORD.findall(data))
        return self._mentioned[header]

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

    def _below(self, header: str) -> dict[str, None]:
        return {} if header.startswith("<") else self._closure(header)

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
    data = _bytes(path)
    return None if data is None else _scan(data)


def _bytes(path: str) -> bytes | None:
    try:
        return door.read(path, LARGEST, cut=True)
    except door.UnreadableError:
        return None


def _scan(data: bytes) -> _Text:
    includes: list[tuple[bool, str]] = []
    macros: set[bytes] = set()
    early: frozenset[bytes] = frozenset()
    depth = outermost = 0
    guard = absent = b""
    for number, match in enumerate(_DIRECTIVE.finditer(data)):
        kind, rest = match[1], match[2]
        if kind.startswith(b"if"):
            depth += 1
            absent = b"".join(_WORD.findall(rest)[-1:]) if kind == b"ifndef" or rest.startswith(b"!") else b""
            if number == 0 and absent:
                outermost = 1
                guard = absent
        elif kind == b"endif":
            depth -= 1
            absent = b""
        elif kind == b"include":
            early = frozenset(macros)
            name = _NAME.match(rest)
            if depth <= outermost and name is not None and b"\0" not in name[2]:
                includes.append((name[1] == b'"', os.fsdecode(name[2])))
        elif kind == b"undef" and depth > outermost:
            continue
        elif (name := _WORD.match(rest)) and name[0] != absent:  # a default gives way to others
            macros.add(name[0])
    return _Text(tuple(includes), len(data), early - {guard})
