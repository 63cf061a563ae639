"""Whether a Python file is worth reading: the first and cheapest gate, by regular expressions over its bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from ownlint.facts.vocabulary import Anchor

_ADDRESSED = re.compile(rb"ownlint\s*:")


def speaks_to_the_linter(data: bytes) -> bool:
    """Whether a comment may be meant for it."""
    return _ADDRESSED.search(data) is not None


def wanted(data: bytes, anchors: tuple[Anchor, ...]) -> bool:
    """Also when no anchor could be found in it: Python reads no UTF-16, and people ask why nothing is reported."""
    if not anchors or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    tests, modules = _tests(anchors)
    if any(words(data) and (beside is None or beside(data)) for words, beside in tests):
        return True
    named = (
        {word for found in _IMPORT.findall(data) for word in _WORD.findall(found)} if modules else frozenset[bytes]()
    )
    return any(word in named and names(data) for word, names in modules)


_IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(\\;]|\\\r?\n|\([^)]*\))*", re.MULTILINE)
"""An import as it is written, over several lines too; one behind a `;` is not seen."""
_WORD = re.compile(rb"\w+")
_Test = Callable[[bytes], bool]


@lru_cache(maxsize=8)
def _tests(
    anchors: tuple[Anchor, ...],
) -> tuple[tuple[tuple[_Test, _Test | None], ...], tuple[tuple[bytes, _Test], ...]]:
    """One test for all words that want the same beside them; those that want nothing come first. And, apart, the
    modules that have to be imported, with what has to stand beside."""
    words: dict[tuple[str, ...], list[str]] = {}
    modules: list[tuple[bytes, _Test]] = []
    for anchor in anchors:
        if anchor.imported:
            modules.append((anchor.word.encode(), _any(anchor.beside)))
        else:
            words.setdefault(anchor.beside, []).append(anchor.word)
    return tuple((_any(words[beside]), _any(beside) if beside else None) for beside in sorted(words)), tuple(modules)


def _any(patterns: Sequence[str]) -> _Test:
    """Whether one of them is found. Each for itself: that is faster than all as one expression, which has no text to
    skip to; and plain text is looked for as such first."""
    tests = [(_plain(pattern), re.compile(pattern.encode())) for pattern in patterns]
    return lambda data: any(text in data and expression.search(data) is not None for text, expression in tests)


def _plain(pattern: str) -> bytes:
    """The text every match holds, where the expression is nothing but that text and its borders."""
    text = pattern.replace(r"\b", "").replace(r"\.", "\0")
    return text.replace("\0", ".").encode() if re.fullmatch(r"[\w \0]+", text) else b""
