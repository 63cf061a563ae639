"""What takes libclang too long.

A name that a file declares again and again in one scope: libclang compares each declaration with all before it. With
libclang 18.1.1, 4,000 times `REGISTER("x");` whose macro's header is missing take 11 s, 4,000 times `void f() {}`
4 s, and twice as many four times as long. Such a file needs no malice: registrations that were generated are one.

And names of which it does not know whether they are templates, one in the other: `a<b<c<d` takes twice as long for each
further one, 0.1 s for 16 and 9 s for 22.

That is clang's own work, and nothing in it hears a signal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tree_sitter import Node, Parser

from ownlint.frontends.cpp import grammar as g

PAIRS = 4_000_000
"""So many comparisons take libclang 1 to 3 s; no file that was written by hand comes near."""

DEEP = 16
"""So many template arguments, one in the other, stand in no file that was written by hand."""

_WORD = re.compile(rb"[A-Za-z_]\w*+")
_NESTED = re.compile(rb"(?<![\w:])(?:[\w:]++\s*+<\s*+){%d}" % DEEP)

_DECLARE = frozenset({g.DECLARATION, g.FIELD_DECLARATION, g.FUNCTION_DEFINITION, g.PARAMETER, g.OPTIONAL_PARAMETER})
_OUTSIDE = frozenset({g.TRANSLATION_UNIT, g.DECLARATIONS, g.FIELDS, g.ERROR})
"""Where a statement is read as a declaration without a type."""
_TRANSPARENT = frozenset({g.DECLARATIONS, g.TEMPLATE, g.LINKAGE, g.ERROR}) | g.PREPROC | g.PREPROC_ELSE


def nested_too_deep(data: bytes) -> bool:
    """Whether so many names, each followed by `<`, stand one in the other that libclang would take too long for it."""
    return _NESTED.search(data) is not None


def declared_too_often(data: bytes) -> tuple[str, int] | None:
    """The name that is declared most often in one scope, and how often, if libclang would take too long for it."""
    if _pairs(Counter(_WORD.findall(data))) <= PAIRS:  # nearly every file, and much cheaper than to parse it
        return None
    counts = Counter(_declared(Parser(g.LANGUAGE).parse(data).root_node))
    if _pairs(counts) <= PAIRS:
        return None
    (_, name), most = max(counts.items(), key=lambda each: (each[1], each[0]))
    return name.decode(errors="replace"), most


def _pairs(counts: Counter[Any]) -> int:
    return sum(count * count for count in counts.values())


def _declared(root: Node) -> Iterator[tuple[bytes, bytes]]:
    """The scope, by the names of its namespaces or by where it starts, and the name of each declaration."""
    stack = [(root, b"")]
    while stack:
        parent, scope = stack.pop()
        outside = parent.kind_id in _OUTSIDE
        for node in parent.named_children:
            if node.kind_id in _DECLARE:
                for declarator in node.children_by_field_name("declarator"):
                    yield scope, _name(declarator)
            elif outside and node.kind_id == g.EXPRESSION_STATEMENT and node.named_child_count:
                yield scope, _first_word(node)
            elif node.kind_id == g.IDENTIFIER and parent.kind_id == g.ERROR:  # the parser gave up, clang goes on
                yield scope, node.text or b""
            elif node.kind_id == g.ENUMERATOR:
                yield scope, _name(node.named_children[0])
            if node.named_child_count:
                stack.append((node, _scope(node, scope)))


def _scope(node: Node, around: bytes) -> bytes:
    """A namespace is one wherever it is opened; what a template or a list holds is declared around it. So is what
    stands where brackets do not match: nobody knows which scope clang makes of it."""
    if node.kind_id == g.NAMESPACE:
        name = node.child_by_field_name("name")
        return around + b"::" + ((name.text if name is not None else None) or b"")
    return around if node.has_error or node.kind_id in _TRANSPARENT else b"%d" % node.start_byte


def _name(declarator: Node) -> bytes:
    while (inner := declarator.child_by_field_name("declarator")) is not None:
        declarator = inner
    return declarator.text or b""


def _first_word(node: Node) -> bytes:
    while node.named_child_count:
        node = node.named_children[0]
    return node.text or b""
