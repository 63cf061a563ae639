"""Syntax that is newer than the interpreter that runs: rewritten to older syntax without moving a byte.

libcst's own parser knows the syntax of Pythons to come. Where `ast` gives up and libcst does not, what is newer is
written over, so that everything else keeps its place:

* type parameters (`def f[T]`, `class C[T]`) become blanks, and `type X = ...` becomes `pass`: they own nothing;
* an f-string or t-string whose expressions need Python 3.12 becomes a tuple of its expressions;
* `except A, B:` becomes `except A| B:`.

This costs some fifty times what `ast.parse` costs, and only a file that `ast` refuses pays for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

_DEEPEST = 100
"""Brackets in brackets; some 1,500 of them crash libcst's parser, and the process with it."""
_BRACKETS = re.compile(r"[\[\](){}]")
_BLANK = ord(" ")
_NEWLINES = b"\r\n"

_String = cst.FormattedString | cst.TemplatedString
_Inserted = cst.FormattedStringExpression | cst.TemplatedStringExpression


def rewritten(text: str) -> str | None:
    """The same text in older syntax, as long in UTF-8 as before; None when it is no Python at all, or cannot be."""
    if _nesting(text) > _DEEPEST:
        return None
    try:
        module = cst.parse_module(text)
        if module.code != text:
            return None
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        rewriter = _PythonRewriter(text.encode())
        wrapper.visit(rewriter)
        return rewriter.data.decode() if rewriter.changed else None
    except _REFUSALS:
        return None


def _nesting(text: str) -> int:
    """How deep brackets can be nested at most: those in strings count too."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest


class _CannotError(Exception):
    """There is no room for the older spelling."""


_REFUSALS = (_CannotError, cst.ParserSyntaxError, cst.CSTLogicError, SyntaxError, RecursionError, ValueError)
"""How libcst says no: its parser takes more than Python does, and its nodes refuse then what it took (`"a" b"b"`, by a
kind of `SyntaxError`)."""


class _PythonRewriter(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (ByteSpanPositionProvider,)

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = bytearray(data)
        self.changed = False

    def _range(self, node: cst.CSTNode) -> tuple[int, int]:
        span = self.get_metadata(ByteSpanPositionProvider, node)
        return span.start, span.start + span.length

    # --- what owns nothing ---

    def visit_TypeParameters(self, node: cst.TypeParameters) -> bool:  # noqa: N802
        self._blank(*self._range(node))
        return False

    def visit_TypeAlias(self, node: cst.TypeAlias) -> bool:  # noqa: N802
        start, end = self._range(node)
        self._blank(start, end)
        self.data[start : start + 4] = b"pass"
        return False

    def _blank(self, start: int, end: int) -> None:
        """Blanks; the lines stay as many, each joined to the next by a backslash."""
        for at in range(start, end):
            if self.data[at] not in _NEWLINES:
                self.data[at] = _BLANK
        for at in range(start, end):
            if self.data[at] in _NEWLINES and not (self.data[at] == 0x0A and self.data[at - 1] == 0x0D):
                if at == start or self.data[at - 1] != _BLANK:
                    raise _CannotError
                self.data[at - 1] = ord("\\")
        self.changed = True

    # --- handlers ---

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:  # noqa: N802
        if isinstance(node.type, cst.Tuple) and not node.type.lpar:
            for element in node.type.elements[1:]:
                start, _ = self._range(element)
                self.data[self.data.rindex(b",", 0, start)] = ord("|")
            self.changed = True

    # --- strings with expressions in them ---

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:  # noqa: N802
        return self._string(node)

    def visit_TemplatedString(self, node: cst.TemplatedString) -> bool:  # noqa: N802
        return self._string(node)

    def _string(self, node: _String) -> bool:
        """Its expressions stay; all else becomes blanks between them and commas behind them."""
        start, end = self._range(node)
        inserted = list(_inserted(node))
        if not self._is_newer(node):
            return True
        original = bytes(self.data)
        for at in range(start, end):
            if self.data[at] not in _NEWLINES:
                self.data[at] = _BLANK
        self.data[start], self.data[end - 1] = ord("("), ord(")")
        for part in inserted:
            first, last = self._range(part.expression)
            self.data[first:last] = original[first:last]
            self.data[self._range(part)[1] - 1] = ord(",")
        self.changed = True
        return True

    def _is_newer(self, node: _String) -> bool:
        """Before Python 3.12, an expression has no quote of the string, backslash, comment or, in a short string,
        newline in it."""
        if isinstance(node, cst.TemplatedString):
            return True
        return any(self._needs_room(part, node.quote) for part in _inserted(node))

    def _needs_room(self, part: _Inserted, quote: str) -> bool:
        start, end = self._range(part)
        written = bytes(self.data[start:end]).decode(errors="replace")
        return any(sign in written for sign in (quote, "#", "\\")) or (len(quote) == 1 and "\n" in written)

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> None:  # noqa: N802 - libcst's name
        """A tuple beside a string would be a call of it."""
        for side in (node.left, node.right):
            if isinstance(side, (cst.FormattedString, cst.TemplatedString)) and self._is_newer(side):
                raise _CannotError


def _inserted(node: _String) -> Iterator[_Inserted]:
    for part in node.parts:
        if isinstance(part, (cst.FormattedStringExpression, cst.TemplatedStringExpression)):
            yield part
