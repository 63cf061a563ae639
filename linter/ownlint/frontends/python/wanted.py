"""Whether a Python file is worth reading: the first and cheapest gate, by regular expressions over its bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from ownlint.facts.vocabulary import Anchor
from ownlint.patterns import BUT_NOT, expression, occurrences

_ADDRESSED = re.compile(rb"ownlint\s*:")


def speaks_to_the_linter(data: bytes) -> bool:
    """Whether a comment may be meant for it."""
    return _ADDRESSED.search(data) is not None


def wanted(data: bytes, anchors: tuple[Anchor, ...]) -> bool:
    """Also when no anchor could be found in it: Python reads no UTF-16, and people ask why nothing is reported."""
    if not anchors or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if _fits(data, anchors):
        return True
    if not _may_fit_folded(data, anchors) or (not _has_word(data, anchors) and not _goes_on(data)):
        return False
    folded = _on_one_line(data)
    if _fits(folded, anchors):
        return True
    plain = _with_plain_brackets(folded)
    return plain != folded and _fits(plain, anchors)


def _has_word(data: bytes, anchors: tuple[Anchor, ...]) -> bool:
    """Whether there may be more to it than is seen at once: an anchor's word is there, and what belongs beside it is
    not, as it is written."""
    return any(words(data) for words, _ in _tests(anchors)[0])


def _may_fit_folded(data: bytes, anchors: tuple[Anchor, ...]) -> bool:
    """Whether the names are there that an anchor and what belongs beside it need, however they are written."""
    return any(words(data) and (beside is None or beside(data)) for words, beside in _name_tests(anchors))


def _goes_on(data: bytes) -> bool:
    """Whether a statement may go on in the next line: behind a backslash, and before the point of a chain."""
    return b"\\\n" in data or b"\\\r\n" in data or _CHAIN.search(data) is not None


def _with_plain_brackets(folded: bytes) -> bytes:
    """Without the line ends and comments inside of brackets, and without the parentheses that call nothing: `(f)(x)`,
    `id((a))`, `(a.b).c`. Those of tuples go too, and whatever looks alike in a string: expressions alone read this, and
    a file that is read for nothing costs time only."""
    pieces: list[bytes] = []
    dropped: list[bool] = []
    """Of each bracket that is open: whether it went."""
    at = 0
    for found in _BRACKET.finditer(folded):
        start, end = found.span()
        sign = folded[start:end]
        if sign in b"([{":
            before = folded[max(start - 8, 0) : start]
            drop = sign == b"(" and (_OPERAND.search(before) is None or _KEYWORD.search(before) is not None)
            dropped.append(drop)
        elif sign in b")]}":
            drop = bool(dropped) and dropped.pop()
        else:
            if _DEFINES.match(folded, end):  # a bracket in a string was never closed
                dropped.clear()
            drop = bool(dropped)
        if drop:
            bracket = sign in b"([{)]}"
            pieces.append(folded[at:start] if bracket else folded[at:start].rstrip(b" \t"))
            at = end
            if sign != b")":
                pieces.append(b" ")
    return _tight(b"".join([*pieces, folded[at:]])) if pieces else folded


_LINE_ENDS = rb"(?:(?<=#)[^\n]*+\n|(?<=\r)\n|(?<=\n))(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*[ \t]*+"
"""The rest of a comment and of lines without code, behind the `#` or the first byte of the line's end. Blanks before
them are no part of it: an expression that may begin with some is tried at every byte."""
_BRACKET = re.compile(rb"[()\[\]{}#\r\n](?:(?<=[()\[\]{}])|%s)" % _LINE_ENDS)
_OPERAND = re.compile(rb"[\w)\]\"']\Z")
_KEYWORD = re.compile(
    rb"(?:^|\W)(?:and|as|assert|await|del|elif|else|from|if|in|is|lambda|not|or|return|while|with|yield)\Z"
)
_DEFINES = re.compile(rb"(?:@|(?:async\s+)?def|class|from|import)\b")


def _on_one_line(data: bytes) -> bytes:
    pieces: list[bytes] = []
    at = 0
    for found in _FOLDED.finditer(data):
        if found[1] is None or found[2]:
            pieces.append(data[at : found.start()].rstrip(b" \t"))
            at = found.end()
    return _tight(b" ".join([*pieces, data[at:]]))


def _tight(text: bytes) -> bytes:
    """Without the blanks around signs."""
    return _AFTER_SIGN.sub(lambda found: found[1], _BEFORE_SIGN.sub(b"", text))


_CHAIN = re.compile(rb"^[ \t]*+\.[ \t]*+\w", re.MULTILINE)
_FOLDED = re.compile(rb"[\\#\r\n](?:(?<=\\)\r?\n[ \t]*+|(%s)(?=(\.[ \t]*+\w)?))" % _LINE_ENDS)
"""A line's end behind a backslash, or line ends and comments, with the point that follows. All of them are consumed, so
that no blank is looked at twice."""
_BEFORE_SIGN = re.compile(rb"[ \t]++(?=[.(\[=\])])")
_AFTER_SIGN = re.compile(rb"([.(\[=])[ \t]++")


def _fits(data: bytes, anchors: tuple[Anchor, ...]) -> bool:
    tests, modules = _tests(anchors)
    if any(words(data) and (beside is None or beside(data)) for words, beside in tests):
        return True
    named = (
        {word for found in _IMPORT.findall(data) for word in _WORD.findall(found)} if modules else frozenset[bytes]()
    )
    return any(word in named and names(data) for word, names in modules)


_IMPORT = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*(?:from|import)\b(?:[^\n(\\;]|\\\r?\n|\([^)]*\))*", re.MULTILINE)
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


@lru_cache(maxsize=8)
def _name_tests(anchors: tuple[Anchor, ...]) -> tuple[tuple[_Test, _Test | None], ...]:
    """The same tests, of names alone. What can only be there as it is written is left out."""
    words: dict[tuple[str, ...], list[bytes]] = {}
    for anchor in anchors:
        if not _is_as_written(anchor.word):
            words.setdefault(anchor.beside, []).append(_longest_name(anchor.word))
    beside = {names: [_longest_name(one) for one in names if not _is_as_written(one)] for names in words}
    return tuple((_any_text(words[key]), _any_text(beside[key]) if key else None) for key in sorted(words))


def _is_as_written(pattern: str) -> bool:
    """Whether no way to write code on one line gives text that fits where the text as it is does not: what fits is a
    literal, or has a blank where none is left."""
    return _LITERAL.fullmatch(pattern) is not None or _BLANK_AT_SIGN.search(plain_text(pattern)) is not None


_LITERAL = re.compile(r"""\[\\?["']\\?["']\](?:\[[A-Za-z0-9_-]+\][*+]?|\w)*\[\\?["']\\?["']\]""")
_BLANK_AT_SIGN = re.compile(rb" [.(\[=\])]|[.(\[=] ")


def _longest_name(pattern: str) -> bytes:
    """The longest name, or part of one, that every match of the pattern holds; empty where none is plain to see."""
    return max(_WORD.findall(plain_text(pattern)), key=len, default=b"")


def _any_text(texts: Sequence[bytes]) -> _Test:
    return lambda data: any(text in data for text in texts)


def _any(patterns: Sequence[str]) -> _Test:
    """Whether one of them is found. Each for itself: that is faster than all as one expression, which has no text to
    skip to."""
    tests = [_test(pattern) for pattern in patterns]
    return lambda data: any(test(data) for test in tests)


def _test(pattern: str) -> _Test:
    """Plain text is looked for as such, and so is the longest text that every match of an expression holds: an
    expression alone goes through a file byte by byte."""
    text = plain_text(pattern)
    if text and re.fullmatch(r"(?:\\b(?=\w))?(?:[\w ]|\\\.)+(?:(?<=\w)\\b)?", pattern):
        return _word_test(text, pattern.startswith(r"\b"), pattern.endswith(r"\b"))
    return lambda data: text in data and expression(pattern).search(data)


def _word_test(text: bytes, begins: bool, ends: bool) -> _Test:
    if not begins and not ends:
        return lambda data: text in data
    return lambda data: next(occurrences(data, text, begins=begins, ends=ends), None) is not None


_QUANTIFIERS = "?*{"


def plain_text(pattern: str) -> bytes:
    """The longest text that every match of a regular expression holds, as far as it is plain to see: what stands in a
    group, a class or beside an alternative counts for nothing."""
    pattern = pattern.partition(BUT_NOT)[0]
    best, run, depth, at = "", "", 0, 0
    while at < len(pattern):
        char = pattern[at]
        literal, width = "", 1
        if char == "\\":
            width = 2
            literal = pattern[at + 1 : at + 2] if not pattern[at + 1 : at + 2].isalnum() else ""
        elif char == "[":
            closing = pattern.find("]", at + 2)
            width = closing - at + 1 if closing > 0 else len(pattern)
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            return b""
        elif char not in ".^$*+?{}":
            literal = char
        at += width
        optional = pattern[at : at + 1] in _QUANTIFIERS and at < len(pattern)
        if literal and depth == 0 and not optional:
            run += literal
        elif not (char == "\\" and pattern[at - 1] == "b"):  # a border takes no room
            run = ""
        best = max(best, run, key=len)
        if pattern[at : at + 1] == "{":
            at = pattern.find("}", at) + 1 or len(pattern)
            run = ""
    return best.encode()
