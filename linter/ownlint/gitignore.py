"""Patterns of paths as git reads them in a `.gitignore`, matched in linear time.

The rules are those of git's `dir.c` and `wildmatch.c`, over bytes: `?` is one byte, a class may say `[:alpha:]`, and a
pattern with a mistake (`[a`, a backslash at the end) matches nothing. Each becomes an expression for RE2, since a glob
of thirty `a*` takes years to be refused by trial and error.
"""

from __future__ import annotations

import os
import string
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ownlint.patterns import PatternError, compiled, joined, parted


class _Pattern(NamedTuple):
    source: bytes
    folders_only: bool
    takes_back: bool


class Ignored:
    """The lines of one `.gitignore`, or of a setting that is read like one; paths are relative to its folder, with `/`.
    Lines that are no pattern leave nothing out."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [made for made in map(_pattern, lines) if made is not None]
        self._folders: dict[str, bool] = {}

    @cached_property
    def _pieces(self) -> list[tuple[Any, range]]:
        """For each run of patterns, what matches where one of them does; the last run comes first."""
        sources = [pattern.source for pattern in self._patterns]
        return [(compiled(joined(sources[i] for i in part)), part) for part in reversed(list(parted(sources)))]

    def decides(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that fits this very path leaves it out; None where no pattern fits."""
        if not self._patterns:
            return None
        data = os.fsencode(path)
        for any_of_them, part in self._pieces:
            if any_of_them.fullmatch(data) is None:
                continue
            for number in reversed(part):
                pattern = self._patterns[number]
                if (is_folder or not pattern.folders_only) and compiled(pattern.source).fullmatch(data) is not None:
                    return not pattern.takes_back
        return None

    def leaves_out(self, path: str) -> bool:
        """Whether the file is left out, or a folder that it lies in: what is in such a folder is not taken back."""
        if not self._patterns:
            return False
        return self._folder_is_out(path.rpartition("/")[0]) or self.decides(path, is_folder=False) is True

    def _folder_is_out(self, folder: str) -> bool:
        pending: list[str] = []
        while folder and folder not in self._folders:
            pending.append(folder)
            folder = folder.rpartition("/")[0]
        out = self._folders.get(folder, False)
        for below in reversed(pending):
            out = self._folders[below] = out or self.decides(below, is_folder=True) is True
        return out


def mistake(line: str) -> str:
    """Why a line is no pattern that anybody means, as a clause; empty for one that is, and for a comment."""
    text = _trimmed(line)
    if not text or text.startswith("#"):
        return ""
    try:
        return "" if _made(text, strict=True) is not None else "nothing is left to match"
    except PatternError as error:
        return str(error)


def _pattern(line: str) -> _Pattern | None:
    text = _trimmed(line)
    if not text or text.startswith("#"):
        return None
    try:
        return _made(text)
    except PatternError:
        return None


def _trimmed(line: str) -> str:
    """Without the blanks at its end that no backslash keeps; git's lines end at a NUL, too."""
    line = line.partition("\0")[0]
    end = at = 0
    while at < len(line):
        at += 2 if line[at] == "\\" else 1
        if line[at - 1 : at] != " " or line[at - 2 : at - 1] == "\\":
            end = at
    return line[:end]


def _made(text: str, *, strict: bool = False) -> _Pattern | None:
    """Raises `PatternError` for what can match nothing or is too large, and, if `strict`, for a range that runs
    backwards: git takes `[z-a]` for a `z`, and nobody means that."""
    takes_back = text.startswith("!")
    pattern = os.fsencode(text.removeprefix("!"))
    folders_only = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    if b"/" in pattern:
        pattern = pattern.removeprefix(b"/")
        plain = next((at for at, byte in enumerate(pattern) if byte in b"*?[\\"), len(pattern))
        # Git compares what stands before the first wildcard apart: `a**` begins anew behind the `a`.
        source = b"".join(map(_literal, pattern[:plain])) + _translated(pattern[plain:], strict, is_path=True)
    else:
        source = b"(?:.*/)?" + _translated(pattern, strict, is_path=False)
    if not pattern:
        return None
    source = b"(?s:%b)" % source
    compiled(source)
    return _Pattern(source, folders_only, takes_back)


def _translated(pattern: bytes, strict: bool, *, is_path: bool) -> bytes:
    out: list[bytes] = []
    at = 0
    while at < len(pattern):
        byte = pattern[at]
        if byte == ord("*"):
            end = at + 1
            while pattern[end : end + 1] == b"*":
                end += 1
            deep = is_path and end - at > 1 and pattern[at - 1 : at] in (b"/", b"")
            if deep and pattern[end : end + 1] == b"/":
                out.append(b"(?:.*/)?")
                end += 1
            elif deep and (end == len(pattern) or pattern[end : end + 2] == rb"\/"):
                out.append(b".*")
            else:
                out.append(b"[^/]*")
            at = end
        elif byte == ord("?"):
            out.append(b"[^/]")
            at += 1
        elif byte == ord("["):
            members, at = _class(pattern, at + 1, strict)
            out.append(_class_of(members))
        elif byte == ord("\\"):
            if at + 1 == len(pattern):
                raise PatternError("it ends with a backslash")
            out.append(_literal(pattern[at + 1]))
            at += 2
        else:
            out.append(_literal(byte))
            at += 1
    return b"".join(out)


def _literal(byte: int) -> bytes:
    return b"%c" % byte if byte in _PLAIN else rb"\x%02x" % byte


_PLAIN = frozenset((string.ascii_letters + string.digits + "_/").encode())


# --- classes -----------------------------------------------------------------------------------------


def _of(characters: str) -> frozenset[int]:
    return frozenset(characters.encode())


_CONTROL = frozenset({*range(32), 127})
_CLASSES = {
    b"alnum": _of(string.ascii_letters + string.digits),
    b"alpha": _of(string.ascii_letters),
    b"blank": _of(" \t"),
    b"cntrl": _CONTROL,
    b"digit": _of(string.digits),
    b"graph": frozenset(range(33, 127)),
    b"lower": _of(string.ascii_lowercase),
    b"print": frozenset(range(32, 127)),
    b"punct": _of(string.punctuation),
    b"space": _of(" \t\n\r"),
    b"upper": _of(string.ascii_uppercase),
    b"xdigit": _of(string.hexdigits),
}
"""As git has them, which knows no locale."""


def _class(pattern: bytes, at: int, strict: bool) -> tuple[frozenset[int], int]:
    """The bytes that a `[...]` stands for, never `/`, and where it ends; `at` is behind its bracket."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    before: int | None = None
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        if at >= len(pattern):
            raise PatternError("its `[` is not closed")
        if pattern[at] == ord("-") and before is not None and pattern[at + 1 : at + 2] not in (b"", b"]"):
            last, at = _member(pattern, at + 1)
            if strict and last < before:
                raise PatternError("a range in its `[...]` runs backwards")
            members.update(range(before, last + 1))
            before = None
        elif (named := _named(pattern, at)) is not None:
            found, at = named
            members |= found
            before = None
        else:
            before, at = _member(pattern, at)
            members.add(before)
    members = set(range(256)) - members if negated else members
    return frozenset(members - {ord("/")}), at + 1


def _member(pattern: bytes, at: int) -> tuple[int, int]:
    at += pattern[at] == ord("\\")
    if at >= len(pattern):
        raise PatternError("its `[` is not closed")
    return pattern[at], at + 1


def _named(pattern: bytes, at: int) -> tuple[frozenset[int], int] | None:
    """A class that is named within one, `[:alpha:]`; None where it is spelled otherwise."""
    if pattern[at : at + 2] != b"[:":
        return None
    end = pattern.find(b"]", at + 2)
    if end < 0:
        raise PatternError("its `[` is not closed")
    if end < at + 3 or pattern[end - 1 : end] != b":":
        return None
    found = _CLASSES.get(name := pattern[at + 2 : end - 1])
    if found is None:
        raise PatternError(f"`[:{name.decode(errors='replace')}:]` is not a character class")
    return found, end + 1


def _class_of(members: Sequence[int] | frozenset[int]) -> bytes:
    if not members:
        raise PatternError("its `[...]` matches no character")
    return b"[%b]" % b"".join(rb"\x%02x" % byte for byte in sorted(members))
