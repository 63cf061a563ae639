"""Macros of a project that bind: `#define CLASS(T) py::class_<a::T>(m, #T)`, `#define METHOD(T, n) .def(#n, &a::T::n)`.

A call of such a macro is read as the chain of calls that its body writes. A body that does more is not opened; one
with lambdas is read as a function by the frontend.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ownlint.facts import records as r
from ownlint.facts.show import text as written

BEFORE = "<before>"
"""What stands for the chain that a macro goes on with."""

_LINK = re.compile(r"\s*\.\s*(\w+)\s*(?=[(<])")
_HEAD = re.compile(r"\s*((?:\w+::)*\w+)\s*(?=[(<])")
_CALL = re.compile(r"((?:\w+::)*\w+)\s*(?:<(.*)>)?\s*\((.*)\)", re.DOTALL)
_TEXT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)', re.DOTALL)
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)|(?<!#)#\s*+(?P<shown>\w++)|(?P<word>\w++)')
_PAIRS = {"(": ")", "<": ">"}


def expanded(call: r.Call, macro: r.Macro) -> r.Value | None:
    """The chain of calls that a call of the macro stands for; None where its body is no such chain."""
    args = given(call)
    if macro.parameters is None or len(macro.parameters) != len(args) or "..." in macro.parameters:
        return None
    return _OpenedMacro(call, dict(zip(macro.parameters, args, strict=True))).chain(macro.body)


def given(call: r.Call) -> tuple[r.Value, ...]:
    """What the call gives, also where it is no list of expressions: `CLASS(Solver, Grid&)`."""
    match call.args:
        case (r.OpaqueValue(text=text),) if "{" not in text:
            pieces = (piece.strip() for piece in between_commas(text))
            return tuple(
                r.Literal(call.start, call.end, "str", piece)
                if _TEXT.fullmatch(piece)
                else r.Name(call.start, call.end, piece)
                for piece in pieces
            )
    return call.args


class _OpenedMacro:
    def __init__(self, call: r.Call, given: Mapping[str, r.Value]) -> None:
        # In a chain all calls begin where it begins: `CLASS(Pump).METHOD(Pump, start).METHOD(Pump, stop)`.
        self.start = call.callee.name_start if isinstance(call.callee, r.Member) else call.start
        self.end = call.end
        self.given = given

    def chain(self, body: str) -> r.Value | None:
        rest, base, links = body, None, 0
        if (head := _HEAD.match(body)) is not None:
            found = _bracketed(body, head.end())
            if found is None:
                return None
            template, arguments, rest = found
            callee = r.Name(self.start, self.start, self._filled(head[1]))
            base = self._called(callee, template, arguments)
        while (link := _LINK.match(rest)) is not None:
            found = _bracketed(rest, link.end())
            if found is None:
                return None
            template, arguments, rest = found
            on = base or r.Name(self.start, self.start, BEFORE)
            base = self._called(
                r.Member(self.start, self.end, on, link[1], False, self.start + links), template, arguments
            )
            links += 1
        return base if not rest.strip(" ;\t\n") else None

    def _called(self, callee: r.Value, template: str, arguments: str) -> r.Call:
        args = tuple(self._value(piece) for piece in between_commas(arguments))
        return r.Call(self.start, self.end, callee, args, "call", self._filled(template))

    def _value(self, piece: str) -> r.Value:
        piece = piece.strip()
        if piece in self.given:
            # All that comes out of the macro has the place of its call: nothing can be written into the middle of it.
            return msgspec.structs.replace(self.given[piece], start=self.start, end=self.end)
        filled = self._filled(piece)
        if _TEXT.fullmatch(filled):
            return r.Literal(self.start, self.end, "str", filled)
        if filled.startswith("&"):
            return r.Unary(self.start, self.end, "&", r.Name(self.start, self.end, filled[1:].strip()))
        if (made := _CALL.fullmatch(filled)) is not None:
            args = tuple(self._value(one) for one in between_commas(made[3]))
            return r.Call(self.start, self.end, r.Name(self.start, self.start, made[1]), args, "call", made[2] or "")
        return r.Name(self.start, self.end, filled)

    def _filled(self, said: str) -> str:
        def fill(match: re.Match[str]) -> str:
            if match["shown"] is not None:
                given = self.given.get(match["shown"])
                return f'"{written(given, 200)}"' if given is not None else match[0]
            given = self.given.get(match["word"]) if match["word"] else None
            return written(given, 200) if given is not None else match[0]

        filled = _TOKEN.sub(fill, said)
        return "".join(piece.strip() for piece in filled.split("##")) if "##" in filled else filled


def _bracketed(said: str, at: int) -> tuple[str, str, str] | None:
    """The template arguments and the arguments that stand at a place, and what follows them."""
    template = ""
    if said[at] == "<":
        end = _closing(said, at)
        if end < 0:
            return None
        template, at = said[at + 1 : end], end + 1
        at += len(said[at:]) - len(said[at:].lstrip())
    if at >= len(said) or said[at] != "(" or (end := _closing(said, at)) < 0:
        return None
    return template, said[at + 1 : end], said[end + 1 :]


def _closing(said: str, at: int) -> int:
    opening, closing, depth = said[at], _PAIRS[said[at]], 0
    for place in _outside(said, at):
        if said[place] == opening:
            depth += 1
        elif said[place] == closing and said[place - 1] != "-":
            depth -= 1
            if not depth:
                return place
    return -1


def _outside(said: str, at: int) -> Iterator[int]:
    """The places from there on that are in no string."""
    strings: Sequence[tuple[int, int]] = [found.span() for found in _TEXT.finditer(said, at)]
    inside = {place for start, end in strings for place in range(start, end)}
    return (place for place in range(at, len(said)) if place not in inside)


def between_commas(said: str) -> Iterator[str]:
    """What stands between the commas of one level."""
    depth, start = 0, 0
    for place in _outside(said, 0):
        letter = said[place]
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and said[place - 1] != "-"):
            depth -= 1
        elif letter == "," and not depth:
            yield said[start:place]
            start = place + 1
    if said[start:].strip():
        yield said[start:]
