"""Types that stand where the grammar takes nothing but a value: what macros are given, `va_arg(ap, char *)` and
`container_of(p, struct node, link)`, and casts to pointers to members.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_MEMBER_FUNCTION = (
    rb"[A-Za-z_][\w:<>,*&\s]{0,400}?\(\s*+(?:[A-Za-z_]\w*+(?:<[\w:<>,*&\s]{0,100}>)?\s*+::\s*+)+\*\s*+\)\s*+"
    rb"\([^(){};]{0,400}\)\s*+(?:const\b|noexcept\b|[&\s])*"
)
_MEMBER_CASTS = re.compile(
    rb"\(\s*+(?P<type>%(type)s)\)\s*+&\s*+[A-Za-z_]|(?<=_cast)\s*+<\s*+(?P<argument>%(type)s)>(?=\s*+\()"
    % {b"type": _MEMBER_FUNCTION}
)
"""`(R (C::*)(A, B) const) &C::f`, `static_cast<R (C::*)(A, B) const>(&C::f)`: the grammar takes neither for a cast."""
_BUILT_IN = rb"(?:void|bool|_Bool|char|short|int|long|float|double|signed|unsigned)"
_WORDS_OF_TYPE = rb"(?:(?:const|volatile|struct|union|enum|%s)\s++)" % _BUILT_IN
_POINTER = rb"(?:\s*+(?:\bconst\b\s*+)?\*)"
_ARGUMENTS = re.compile(
    rb"[(,]\s*+(?P<type>%(words)s{0,4}%(built)s\b%(star)s{0,3}|%(words)s{1,4}[A-Za-z_]\w*+%(star)s{0,3}|[A-Za-z_][\w:]*+%(star)s{1,3})"
    rb"\s*+(?=[,)])" % {b"words": _WORDS_OF_TYPE, b"built": _BUILT_IN, b"star": _POINTER}
)
"""An argument, or a parameter without a name, that is a type for certain."""
_CALLED = re.compile(rb"(?<![\w:.>])([A-Za-z_]\w*+)\s*+\Z")
_CAST = re.compile(rb"\(\s*+(?:%s{0,4}[A-Za-z_]\w*+%s{0,3})\s*+\)\s*+\Z" % (_WORDS_OF_TYPE, _POINTER))
_EVALUATED = re.compile(rb"(?:\breturn|[=!?]|&&|\|\|)\s*+[!&*]*+\Z")
_ALIAS = re.compile(rb"\busing\s++\w++\s*+=\s*+\Z")
_ASKING = frozenset({b"if", b"while", b"switch", b"for"})
_NO_MACRO = frozenset(
    {b"sizeof", b"alignof", b"_Alignof", b"offsetof", b"typeof", b"__typeof__", b"decltype", b"return"}
)
_WIDEST = 400
"""So many bytes before an argument its call may begin."""
_DEEPEST = 4


def types_as_values(masked: bytes, macros: Collection[bytes]) -> Iterator[tuple[int, int]]:
    """Where one begins and ends; `macros` are those of the file that take arguments."""
    if b"::" in masked and b"*" in masked:
        for match in _MEMBER_CASTS.finditer(masked):
            yield match.span("type" if match["type"] else "argument")
    for match in _ARGUMENTS.finditer(masked):
        if _is_given_to_macro(masked, match.start(), macros):
            yield match.span("type")


def _is_given_to_macro(masked: bytes, at: int, macros: Collection[bytes]) -> bool:
    """Whether the comma or parenthesis there belongs to the arguments of a call, and not to parameters: the call is
    part of an expression, or a statement that is known to be a macro's."""
    for depth in range(_DEEPEST):
        opening = _opening(masked, at) if depth or masked[at : at + 1] == b"," else at
        before = masked[max(opening - _WIDEST, 0) : opening] if opening >= 0 else b""
        called = _CALLED.search(before)
        if called is None or called[1] in _NO_MACRO:
            return False
        if called[1] in _ASKING:
            return depth > 0
        before = _CAST.sub(b"", before[: called.start()])
        if _EVALUATED.search(before):
            return not _ALIAS.search(before)
        if before.rstrip()[-1:] not in (b"(", b","):
            return (depth > 0 or called[1] in macros) and before.rstrip()[-1:] in (b";", b"{", b"}")
        at = opening - len(called[0])
    return False


def _opening(masked: bytes, at: int) -> int:
    """The parenthesis around a place, -1 where none is near."""
    depth = 0
    for index in range(at - 1, max(at - _WIDEST, -1), -1):
        match masked[index]:
            case 0x29:
                depth += 1
            case 0x28 if depth:
                depth -= 1
            case 0x28:
                return index
            case 0x3B | 0x7B | 0x7D:
                return -1
    return -1
