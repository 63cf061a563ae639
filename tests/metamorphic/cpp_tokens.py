"""Tokens and trees of C++ as the rewrites need them: a lexer of our own, apart from the one under test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

_TOKEN = re.compile(
    rb"(?P<comment>//(?:[^\n\\]|\\\r?\n|\\.)*|/\*(?s:.*?)\*/)"
    rb'|(?P<string>(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\((?s:.*?)\)(?P=tag)"\w*'
    rb'|(?:u8|[uUL])?"(?:[^"\\\n]|\\(?s:.))*"\w*|(?:u8|[uUL])?\'(?:[^\'\\\n]|\\.)+\')'
    rb"|(?P<word>[A-Za-z_$]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"
    rb"|(?P<hash>#)|(?P<sign>->\*|<<<|>>>(?=\s*\()|<=>|<<=|>>=|\.\.\.|::|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||\[\[|\]\]|[^\s\w])"
)
_DIRECTIVE = re.compile(rb"#(?:[^\n\\/]|\\\r?\n|\\.|/\*(?s:.*?)\*/|/(?!/|\*))*")
_PARSER = Parser(Language(tree_sitter_cpp.language()))


class Token(NamedTuple):
    kind: str
    """`word`, `number`, `string`, `sign`, `comment` or `directive`."""
    start: int
    end: int
    text: bytes


def tokens(text: bytes) -> list[Token]:
    found: list[Token] = []
    at = 0
    fresh = True  # no token yet on this line
    while match := _TOKEN.search(text, at):
        start, end = match.span()
        if b"\n" in text[at:start]:
            fresh = True
        kind = match.lastgroup or ""
        kind = "string" if kind == "tag" else kind
        if kind == "hash":
            kind = "sign"
            if fresh and (whole := _DIRECTIVE.match(text, start)):
                kind, end = "directive", start + len(whole[0].rstrip())
        found.append(Token(kind, start, end, text[start:end]))
        fresh = fresh and kind == "comment"
        at = end
    return found


def tree(text: bytes) -> Node | None:
    """The root, or None where the grammar does not understand all of the text."""
    root = _PARSER.parse(text).root_node
    return None if root.has_error else root


def nodes(root: Node | None, *kinds: str) -> Iterator[Node]:
    """All nodes of these kinds below `root`, outer ones first, in order of the text."""
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        if node.type in kinds:
            yield node
        stack.extend(reversed(node.children))


def text_of(node: Node) -> bytes:
    return node.text or b""


def above(node: Node, *kinds: str) -> Node | None:
    """The nearest node of one of these kinds around `node`."""
    parent = node.parent
    while parent is not None and parent.type not in kinds:
        parent = parent.parent
    return parent
