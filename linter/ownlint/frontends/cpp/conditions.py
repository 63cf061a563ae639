"""The conditions of the preprocessor: what each asks, and which sides the usual build of today leaves out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_LONGEST_QUESTION = 120


class Directive(NamedTuple):
    start: int
    end: int
    word: bytes
    rest: bytes


class ConditionalGroup(NamedTuple):
    """One conditional: its `#if`, `#elif`s and `#else`, and its `#endif` (the end of the file if it has none)."""

    parts: list[Directive]
    end: list[Directive]


_NOT_RELEASE = frozenset({b"!defined(NDEBUG)", b"!definedNDEBUG"})


def debug_sides(group: ConditionalGroup) -> Iterator[tuple[int, int]]:
    """The side of `#ifndef NDEBUG`, also where more is asked beside it, and the `#else` of `#ifdef NDEBUG`."""
    first = group.parts[0]
    ends = [part.start for part in group.parts[1:]] + [group.end[0].start]
    condition = first.word + b" " + b"".join(first.rest.replace(b"\\\n", b"").split())
    together = condition.removeprefix(b"if ").split(b"&&") if b"||" not in condition else ()
    if condition == b"ifndef NDEBUG" or not _NOT_RELEASE.isdisjoint(together):
        yield first.end, ends[0]
    elif condition in (b"ifdef NDEBUG", b"if defined(NDEBUG)", b"if definedNDEBUG") and len(group.parts) == 2:
        yield group.parts[1].end, ends[1]


def defined_sides(group: ConditionalGroup) -> Iterator[tuple[int, int, str]]:
    """The first side of `#ifdef A`, and the macro."""
    question = asked(group.parts[0])
    if question.startswith("#ifdef "):
        end = group.parts[1].start if len(group.parts) > 1 else group.end[0].start
        yield group.parts[0].end, end, question.removeprefix("#ifdef ")


_DEFINED = re.compile(r"(!?) ?defined ?(?:\( ?(\w+) ?\)|(\w+))")


def asked(part: Directive) -> str:
    """What a directive asks, in one spelling: `#if !defined(A)` is the contrary of `#ifdef A`."""
    written = " ".join(part.rest.decode("utf-8", "replace").strip().replace("\\\n", " ").split())
    if part.word.endswith(b"def"):
        return ("!" if b"ifn" in part.word else "") + f"#ifdef {written}"
    if (match := _DEFINED.fullmatch(written)) is not None:
        return f"{match[1]}#ifdef {match[2] or match[3]}"
    return f"#if {written}"[:_LONGEST_QUESTION]


def contrary(asked: str) -> str:
    return asked.removeprefix("!") if asked.startswith("!") else f"!{asked}"


class Constant(NamedTuple):
    """What a file defines once, outside of every conditional but the one around all of it, and never undefines."""

    at: int
    value: int


Constants = Mapping[bytes, Constant]

_NUMBER = re.compile(rb"\s*+(\w++)[ \t]++\(?(\d{1,9})\)?\s*+\Z")


def constants(directives: Iterable[Directive]) -> dict[bytes, Constant]:
    """The macros of a file that are one number in every build; `directives` are all of it, in order."""
    found: dict[bytes, Constant] = {}
    given: Counter[bytes] = Counter()
    depth, guard = 0, b""
    for number, one in enumerate(directives):
        if one.word.startswith(b"if"):
            depth += 1
            guard = one.rest.strip() if number == 0 and one.word == b"ifndef" else guard
        elif one.word == b"endif":
            depth -= 1
        elif one.word in (b"define", b"undef"):
            name, _, _ = one.rest.strip().partition(b" ")
            given[name.partition(b"(")[0].rstrip()] += 1
            depth -= number == 1 and name == guard  # a guard stands around all of the file
            if one.word == b"define" and depth == 0 and (match := _NUMBER.fullmatch(one.rest)) is not None:
                found[match[1]] = Constant(one.start, int(match[2]))
    return {name: constant for name, constant in found.items() if given[name] == 1}


def is_never_built(part: Directive, earlier: list[Directive], known: Constants) -> bool:
    """A side that no CPython of today builds, or that the file's own constants leave out."""
    return _holds(part, known) is False or any(_holds(one, known) is True for one in earlier)


_CONSTANT = re.compile(rb"(!?)\s*+(\w++)(?:\s*+(==|!=)\s*+(\d{1,9}))?")
_LITERAL = re.compile(rb"(!?)\s*+(?:(true|0[xX]0*+[1-9a-fA-F][0-9a-fA-F]*+|0*+[1-9]\d*+)|false|0[xX]0++|0++)[uUlL]*+")
"""A constant; the second group is there where it is not 0."""
_LONGEST_CONDITION = 400


def _holds(part: Directive, known: Constants) -> bool | None:
    """What a condition says in every build of the file; None where builds differ."""
    if part.word not in (b"if", b"elif"):
        return _holds_today(part)
    written = part.rest.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    return _truth(written, part, known) if len(written) <= _LONGEST_CONDITION and b"?" not in written else None


def _truth(written: bytes, part: Directive, known: Constants) -> bool | None:
    """What a condition, or a side of its `&&` or `||`, says in every build."""
    says = True
    while True:
        written = written.strip()
        for operator, decisive in ((b"||", True), (b"&&", False)):
            if len(sides := _sides(written, operator)) > 1:
                said = [_truth(side, part, known) for side in sides]
                found = decisive if decisive in said else None if None in said else not decisive
                return None if found is None else found is says
        denied = written[:1] == b"!" and written[1:].lstrip()[:1] == b"("
        inner = written[1:].lstrip() if denied else written
        if inner[:1] != b"(" or len(_closed(inner)) < len(inner):
            break
        written, says = inner[1:-1], says is not denied
    found = _plain_truth(written, part, known)
    return None if found is None else found is says


def _sides(written: bytes, operator: bytes) -> list[bytes]:
    """What stands on the sides of an operator outside of brackets."""
    sides, side = [], b""
    for piece in written.split(operator):
        side = side + operator + piece if side else piece
        if side.count(b"(") == side.count(b")"):
            sides.append(side)
            side = b""
    return [*sides, side] if side else sides


def _closed(written: bytes) -> bytes:
    """The text up to where the bracket is closed with which it begins."""
    depth = 0
    for at, letter in enumerate(written):
        depth += (letter == 0x28) - (letter == 0x29)
        if not depth:
            return written[: at + 1]
    return b""


def _plain_truth(written: bytes, part: Directive, known: Constants) -> bool | None:
    if (literal := _LITERAL.fullmatch(written)) is not None:
        return (literal[2] is None) is bool(literal[1])
    if (match := _CONSTANT.fullmatch(written)) is not None:
        constant = known.get(match[2])
        if constant is not None and constant.at < part.start and not (match[1] and match[3]):
            if match[3]:
                return (constant.value == int(match[4])) is (match[3] == b"==")
            return bool(constant.value) is not bool(match[1])
    return _holds_today(part._replace(word=b"if", rest=written))


_VERSION = re.compile(r"#if \(? ?(PY_MAJOR_VERSION|PY_VERSION_HEX) ?(==|!=|<=|>=|<|>) ?(0[xX][0-9a-fA-F]+|\d+) ?\)?")
_VERSIONS = {"PY_MAJOR_VERSION": range(3, 4), "PY_VERSION_HEX": range(0x03070000, 0x04000000)}
"""What each is in the releases that are in use: CPython 3.7 and later."""


def _holds_today(part: Directive) -> bool | None:
    """What a condition says in each CPython since 3.7; None where builds differ. All of them define `WITH_THREAD`."""
    if part.word == b"else":
        return None
    said = asked(part)
    if said.removeprefix("!") == "#ifdef WITH_THREAD":
        return not said.startswith("!")
    if (match := _VERSION.fullmatch(said)) is None:
        return None
    known, bound = _VERSIONS[match[1]], int(match[3], 0)
    return _compared(match[2], known, bound)


def _compared(op: str, known: range, bound: int) -> bool | None:
    """Whether all of the known numbers compare so with the bound, or none does; None where they differ."""
    match op:
        case "<":
            return True if known[-1] < bound else False if known[0] >= bound else None
        case "<=":
            return _compared("<", known, bound + 1)
        case ">" | ">=":
            below = _compared("<" if op == ">=" else "<=", known, bound)
            return None if below is None else not below
    if bound not in known:
        return op == "!="
    return op == "==" if len(known) == 1 else None


_USUAL = frozenset({"__cplusplus"})
_UNUSUAL = frozenset({"NDEBUG", "PYPY_VERSION"})


def unlikely(part: Directive) -> bool:
    """Sides that the usual build does not see: release builds, other languages and interpreters."""
    said = asked(part)
    return said.removeprefix("!").removeprefix("#ifdef ") in (_USUAL if said.startswith("!") else _UNUSUAL)
