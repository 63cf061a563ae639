"""One spelling for types and names, however their tokens are spaced: `std::map<K, V>&`, `R (C::*)(int) const`.

What is compared, looked up or shown must not depend on where a line was broken.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ROOT = re.compile(r"(?:^|(?<=[<(,])|(?<=\bconst)(?=\s))\s*::\s*(?=\w+\s*::)")
"""What says that a qualified name begins at the outermost scope."""
_PLAIN = re.compile(r"[\w:]+")
_TOKENS = re.compile(
    r"""[A-Za-z_$]\w*|\.?\d(?:[eEpP][+-]|'?[\w.])*|"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)\w*|'(?:[^'\\]|\\.)+'"""
    r"""|->\*?|::|\.\.\.|&&|\|\||[-+*/%^=!]=|==|\+\+|--|[^\s\w]"""
)
_TIGHT_BEFORE = frozenset({",", ")", "]", ">", "::", "*", "&", "&&", "...", "<", "[", ";", ".", "->", "++", "--"})
_TIGHT_BEHIND = frozenset({"(", "[", "<", "::", "~", "!", ".", "->", "{"})
_CLOSING = frozenset({")", "]", ">", "*", "&", "&&", "..."})
_NO_TYPES = frozenset({"const", "volatile", "operator", "return"})
_TYPE_WORDS = frozenset({"unsigned", "signed", "long", "short", "int", "typename", "struct", "class", "enum", "union"})
_LONGEST = 20_000


@lru_cache(maxsize=1 << 14)
def spelled(text: str) -> str:
    """The text with its tokens spaced in the usual way; a very long one (a table in a template's argument) keeps its
    own spacing but for runs of blanks."""
    text = _ROOT.sub(" ", text).strip()
    if _PLAIN.fullmatch(text):
        return text
    if len(text) > _LONGEST:
        return " ".join(text.split())
    tokens: list[str] = _TOKENS.findall(text)
    if "const" in tokens:
        tokens = _const_first(tokens)
    parts: list[str] = []
    for index, token in enumerate(tokens):
        if index and _parted(tokens, index):
            parts.append(" ")
        parts.append(token)
    return "".join(parts)


def _const_first(tokens: list[str]) -> list[str]:
    """`const T` for `T const`; one behind a star or behind parameters is about something else."""
    found: list[str] = []
    for token in tokens:
        start = _type_before(found) if token == "const" else len(found)
        found.insert(start, token)
    return found


def _type_before(tokens: list[str]) -> int:
    """Where the type begins with which the tokens end; their number if they end with none."""
    at = len(tokens)
    while at:
        last = tokens[at - 1]
        if last == ">":
            at = _opening(tokens, at - 1)
            if at < 1:
                return len(tokens)
            continue
        if not _is_word(last) or last in _NO_TYPES:
            break
        at -= 1
        if at and tokens[at - 1] == "::":
            at -= 1
        elif not (at and tokens[at - 1] in _TYPE_WORDS):
            break
    return at if tokens[at : at + 1] != ["::"] else len(tokens)


def _opening(tokens: list[str], at: int) -> int:
    """The `<` of the `>` at `at`; -1 if there is none."""
    depth = 0
    for index in range(at, -1, -1):
        depth += {">": 1, "<": -1}.get(tokens[index], 0)
        if not depth:
            return index
    return -1


def _parted(tokens: list[str], index: int) -> bool:
    """Whether a blank stands before the token at `index`."""
    left, right = tokens[index - 1], tokens[index]
    if left == ",":
        return True
    if left in _TIGHT_BEHIND or right in _TIGHT_BEFORE:
        return False
    if right == "(":
        return (_is_word(left) or left in ("*", "&", ">")) and _points(tokens, index + 1)
    if left in _CLOSING:
        return right not in ("(", "{")
    behind_value = index > 1 and (_is_word(tokens[index - 2]) or tokens[index - 2] in (")", "]"))
    return left not in ("-", "+") or behind_value  # else a sign, not an operation


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] in "_$\"'"


def _points(tokens: list[str], index: int) -> bool:
    """Whether a parenthesis opens the star of a pointer: `(*`, `(&`, `(C::*`."""
    while index + 1 < len(tokens) and _is_word(tokens[index]) and tokens[index + 1] == "::":
        index += 2
    return index < len(tokens) and tokens[index] in ("*", "&", "&&", "^")
