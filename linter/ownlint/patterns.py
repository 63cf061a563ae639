"""Patterns that others bring: a model's regular expressions, and the names that a tree says.

What a tree or its settings say is never compiled by Python's `re`, whose time can double with each letter. A model's
expression goes to RE2, which takes time that grows with the text and with the expression and no faster; a name is
looked up among words. The expressions that ownlint itself is written with are constants.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

MEMORY = 1 << 20
"""Bytes that one compiled expression may take, RE2's own tables included."""

TOGETHER = 8 << 20
"""The same where many are compiled as one: with less RE2 forgets its tables and begins anew all the time."""

LONGEST = 16_000
"""Characters of the expressions that are compiled as one."""

BUT_NOT = " but not "
"""Parts an expression from one that what it matches must not fit: RE2 cannot look ahead or behind."""


class PatternError(ValueError):
    """An expression that is none; the text is a clause for the user."""


class Expression:
    """A regular expression as RE2 reads it: no look-around, no back references, and `\\w` is ASCII. Of `A but not B`, a
    match of A counts where B does not fit all that it matched. Raises `PatternError`."""

    def __init__(self, text: str) -> None:
        found, parted, excepted = text.partition(BUT_NOT)
        self._found = compiled(found.encode())
        self._excepted = compiled(excepted.encode()) if parted else None

    def fullmatch(self, name: str) -> bool:
        """Whether it fits the whole name."""
        data = name.encode(errors="surrogateescape")
        if self._found.fullmatch(data) is None:
            return False
        return self._excepted is None or self._excepted.fullmatch(data) is None

    def search(self, data: bytes) -> bool:
        """Whether it matches somewhere."""
        if self._excepted is None:
            return self._found.search(data) is not None
        return any(self._excepted.fullmatch(match[0]) is None for match in self._found.finditer(data))


@lru_cache(maxsize=1 << 10)
def expression(text: str) -> Expression:
    """The same as `Expression(text)`, made once."""
    return Expression(text)


class PatternSet:
    """Several expressions at once, of which the first that fits a whole name counts. Raises `PatternError` when it is
    asked and one of them is none."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)

    @cached_property
    def _pieces(self) -> tuple[tuple[Any, range], ...]:
        """What fits a name that one of these may fit: one look for many."""
        sources = [text.partition(BUT_NOT)[0].encode() for text in self._texts]
        return tuple((compiled(joined(sources[i] for i in part), TOGETHER), part) for part in parted(sources))

    def first(self, name: str) -> int | None:
        """The number of the first that fits the name."""
        data = name.encode(errors="surrogateescape")
        for any_of_them, part in self._pieces:
            if any_of_them.fullmatch(data) is not None:
                for number in part:
                    if expression(self._texts[number]).fullmatch(name):
                        return number
        return None


def compiled(source: bytes, memory: int = MEMORY) -> Any:
    """What RE2 makes of an expression over bytes. Raises `PatternError`."""
    import re2

    try:
        return re2.compile(source, _options(memory))
    except re2.error as error:
        raise PatternError(_reason(error)) from None


def _reason(error: Exception) -> str:
    """RE2's message, which comes as bytes."""
    message = error.args[0] if error.args else ""
    return message.decode(errors="replace") if isinstance(message, bytes) else str(message)


@lru_cache(maxsize=2)
def _options(memory: int) -> Any:
    import re2

    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1
    return options


def joined(sources: Iterable[bytes]) -> bytes:
    return b"|".join(b"(?:%b)" % source for source in sources)


def parted(sources: Iterable[bytes]) -> Iterator[range]:
    """Neighbours that are compiled as one, by their numbers."""
    start, size, end = 0, 0, 0
    for source in sources:
        if end > start and size + len(source) > LONGEST:
            yield range(start, end)
            start, size = end, 0
        size += len(source) + 5
        end += 1
    if end > start:
        yield range(start, end)


class Globs:
    """Patterns (`*`, `?`, `[...]`) of which one may fit a whole name."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(sorted(set(patterns)))
        self._known: dict[str, bool] = {}

    @cached_property
    def _pieces(self) -> tuple[Any, ...]:
        sources = [_as_expression(pattern) for pattern in self._patterns]
        return tuple(compiled(joined(sources[i] for i in part), TOGETHER) for part in parted(sources))

    def fits(self, name: str) -> bool:
        """Whether one of them does; each name is looked up once."""
        known = self._known.get(name)
        if known is None:
            data = name.encode(errors="surrogateescape")
            known = self._known[name] = any(piece.fullmatch(data) is not None for piece in self._pieces)
        return known


def _as_expression(pattern: str) -> bytes:
    """What `fnmatch` means by the pattern, for RE2, which needs no atomic groups to be quick."""
    text = fnmatch.translate(pattern).removesuffix(r"\Z").removesuffix(r"\z")
    return text.replace("(?>", "(?:").replace("(?!)", r"[^\x00-\xff]").encode(errors="surrogateescape")


# --- constants that are known by their text ----------------------------------------------------------

_constants: dict[str, re.Pattern[bytes]] = {}


def constant(pattern: re.Pattern[bytes]) -> re.Pattern[bytes]:
    """A constant expression, which `spelled` can name from here on, and `as_spelled` finds again in the next run."""
    _constants[_text(pattern)] = pattern
    return pattern


def _text(pattern: re.Pattern[bytes]) -> str:
    return f"{pattern.flags} {pattern.pattern.decode('latin-1')}"


class Quoted(NamedTuple):
    """A text in quotes, as a name stands in an encoded body."""

    text: str

    def search(self, data: bytes) -> bool:
        return b'"%b"' % self.text.encode() in bytes(data)


def spelled(pattern: AnyName | Quoted | re.Pattern[bytes]) -> tuple[str, ...]:
    """A pattern as a few texts."""
    if isinstance(pattern, Quoted):
        return "", pattern.text
    return pattern.spelled if isinstance(pattern, AnyName) else (_text(pattern),)


def as_spelled(texts: Sequence[str]) -> AnyName | Quoted | re.Pattern[bytes] | None:
    """The pattern that was `spelled`; None where its expression is no known constant."""
    if not texts[0]:
        return Quoted(texts[1])
    found = _constants.get(texts[0])
    if found is None or len(texts) == 1:
        return found
    return AnyName(texts[2:], found, last=texts[1] == _LAST)


# --- words -------------------------------------------------------------------------------------------

WORD = constant(re.compile(rb"\w++"))
STRING = constant(re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*)(?:"|\\?\Z)', re.DOTALL))
"""A string in an encoded body, without its quotes."""
_FEW = 16
_LAST = "last"


def occurrences(data: bytes, text: bytes, *, begins: bool = True, ends: bool = True) -> Iterator[int]:
    """Where a text stands, if it `begins` and `ends` a word there: found much faster than by an expression, which is
    tried at every byte."""
    at = data.find(text)
    while at >= 0:
        end = at + len(text)
        if not (begins and _is_word(data[at - 1 : at] if at else b"")) and not (ends and _is_word(data[end : end + 1])):
            yield at
        at = data.find(text, at + 1)


def _is_word(byte: bytes) -> bool:
    return byte == b"_" or byte.isalnum()


class AnyName:
    """Names of which one may stand in bytes. `finds` is what a name stands in, a constant: a match of it, or its first
    group that is not empty, is looked up among the names, without what stands before a `::` if they are `last` names.
    What it costs does not grow with the number of names."""

    def __init__(self, names: Iterable[str], finds: re.Pattern[bytes] = WORD, *, last: bool = False) -> None:
        self._names = frozenset(name.encode() for name in names)
        self._few = tuple(sorted(self._names)) if len(self._names) <= _FEW else None
        self._finds = finds
        self._last = last

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """See `spelled`."""
        return (_text(self._finds), _LAST if self._last else "", *sorted(name.decode() for name in self._names))

    def search(self, data: bytes) -> bool:
        data = bytes(data)
        if self._few is None:
            return self._stands_in(data)
        for name in self._few:
            if name in data:
                return self._stands_in(data)
        return False

    def _stands_in(self, data: bytes) -> bool:
        if not self._last and self._finds.groups < 2:
            return not self._names.isdisjoint(self._finds.findall(data))
        return next(self.said(data), None) is not None

    def said(self, data: bytes) -> Iterator[bytes]:
        """The names that are found, as often as they are."""
        for match in self._finds.finditer(bytes(data)):
            name = next(filter(None, match.groups()), b"") if match.re.groups else match[0]
            if (name.rpartition(b"::")[2] if self._last else name) in self._names:
                yield name


def strings(names: Iterable[str]) -> AnyName:
    """The names as strings in an encoded body."""
    return AnyName(names, STRING)
