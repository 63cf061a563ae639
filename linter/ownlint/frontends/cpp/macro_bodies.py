"""Macros that bind, with lambdas in them, as the function templates that they could be written as.

`#define FIELD(T, NAME) py::class_<Field<T>>(m, "Field" #NAME).def("data", [](Field<T> &self) { return self.data(); })`
is read as `template <class T, class NAME> void FIELD()` with that body, each byte at its place; what calls of the macro
say of its parameters is filled in where such templates are, see `ownlint.project.instantiating`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ownlint.facts.records import Macro
from ownlint.facts.vocabulary import Vocabulary

LARGEST = 20_000
"""Bytes of a macro; larger ones are not read."""
MOST = 64
"""Macros of one file."""
MOST_BYTES = 4_000_000
"""Bytes that are parsed for all of them: each is parsed with blanks for what stands before it."""

_LAMBDA = re.compile(rb"\[[&=\w\s,*]*+\]\s*+[({]")
_BODY = re.compile(rb"(?P<head>[ \t]*+#[ \t]*+define[ \t]++)(?P<name>\w++)(?P<parameters>\([^()]*+\))")
_STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"?'
_SHOWN = re.compile(rb"(?:(?:" + _STRING + rb"|(?<!#)#[ \t]*+\w++)\s*+)+")
_MEMBER = re.compile(rb"\.\s*+(\w++)\s*+[(<]")
_PAIRS = ((b"{", b"}"), (b"(", b")"))
_PIECE = re.compile(rb"(?P<text>" + _STRING + rb")|#[ \t]*+(?P<word>\w++)")


def functions(data: bytes, macros: Sequence[Macro], vocabulary: Vocabulary) -> Iterator[tuple[Macro, bytes]]:
    """Each such macro, and the source up to its end in which nothing but that function stands."""
    methods = {word.encode() for framework in vocabulary.frameworks for word in framework.methods}
    defined = Counter(macro.name for macro in macros)
    found = (macro for macro in macros if macro.parameters and "..." not in macro.parameters)
    chosen = [one for one in found if defined[one.name] == 1 and _is_one(data[one.start : one.end], methods)]
    size = 0
    for macro in chosen[:MOST]:
        size += macro.end
        if size > MOST_BYTES:
            return
        if (source := _as_function(data, macro)) is not None:
            yield macro, source


def _is_one(text: bytes, methods: Set[bytes]) -> bool:
    """Not one that pastes names together, which are known where it is called alone."""
    if len(text) > LARGEST or b"[" not in text or b"##" in text:
        return False
    return _LAMBDA.search(text) is not None and any(match[1] in methods for match in _MEMBER.finditer(text))


def _as_function(data: bytes, macro: Macro) -> bytes | None:
    head = _BODY.match(data, macro.start, macro.end)
    if head is None or macro.end + 2 > len(data):
        return None
    body = data[head.end() : macro.end].replace(b"\\\n", b" \n")
    if body.lstrip().startswith(b"."):
        return None  # a part of a chain: only its calls say what stands before it
    if any(body.count(opening) != body.count(closing) for opening, closing in _PAIRS):
        return None  # it opens a block that what follows its call closes
    shown = _SHOWN.sub(_one_string, body)
    said = b"void ".rjust(len(head["head"])) + head["name"] + b"(){".ljust(len(head["parameters"]))
    if len(shown) != len(body) or len(said) != head.end() - head.start():
        return None
    return b" " * head.start() + said + shown + b";}"


def _one_string(match: re.Match[bytes]) -> bytes:
    """`"Field" #NAME` as `"Field#NAME"`; a lone `#NAME` as the name."""
    text = match[0]
    pieces = list(_PIECE.finditer(text))
    if all(piece["word"] is None for piece in pieces):
        return text
    if len(pieces) == 1:
        return text.replace(b"#", b" ")
    said = (one["text"][1:].removesuffix(b'"') if one["text"] else b"#" + one["word"] for one in pieces)
    joined = b'"%s"' % b"".join(said)
    return joined.ljust(len(text)) if len(joined) <= len(text) else text
