"""Whole numbers between two bounds: what tests say of a variable, and which tests can still come out which way."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.flow.places import strip

_FAR = 1 << 70
_LONGEST = 20
_WIDEST = 32
_MOST_LEFT_OUT = 8
_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "*": operator.mul,
    "<<": operator.lshift,
}


class Range(NamedTuple):
    """Both ends included; `_FAR` away is as far as it goes."""

    low: int = -_FAR
    high: int = _FAR
    without: frozenset[int] = frozenset()
    """Numbers between the two that it is not."""


ANY = Range()
POSITIVE = Range(1)
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
COMPARISONS = frozenset(_TURNED)
"""The operators that compare."""


def of(value: r.Value | None, known: Callable[[str], Range]) -> Range:
    """Between which numbers the value lies, by what is known of names."""
    match strip(value):
        case r.Literal(kind="int", text=said):
            number = _number(said)
            return ANY if number is None else Range(number, number)
        case r.Literal(kind="bool") as constant:
            return Range(1, 1) if constant.is_true else Range(0, 0)
        case r.Name(text=name):
            return known(name)
        case r.Unary(op="-", value=inner):
            one = of(inner, known)
            return Range(-one.high, -one.low)
        case r.Binary(op="+" | "-" as op, left=left, right=right):
            one, two = of(left, known), of(right, known)
            if op == "-":
                two = Range(-two.high, -two.low)
            low = -_FAR if -_FAR in (one.low, two.low) else one.low + two.low
            high = _FAR if _FAR in (one.high, two.high) else one.high + two.high
            return Range(max(low, -_FAR), min(high, _FAR))
        case r.Binary(op="&" | "|" | "*" | "<<" as op, left=left, right=right):
            one, two = of(left, known), of(right, known)
            if one.low == one.high and two.low == two.high and (op != "<<" or 0 <= two.low < _WIDEST):
                number = _COMPUTED[op](one.low, two.low)
                return Range(number, number) if abs(number) < _FAR else ANY
            if op == "&" and (masks := [mask.high for mask in (one, two) if mask.low >= 0]):
                return Range(0, min(masks))
        case r.Binary(op=op) if op in COMPARISONS:
            return Range(0, 1)
        case r.Unary(op="!"):
            return Range(0, 1)
        case r.Conditional(then=then, other=other):
            return either(of(then, known), of(other, known))
    return ANY


def can_be(op: str, one: Range, two: Range) -> bool:
    """Whether there are numbers in these ranges of which the comparison holds."""
    match op:
        case "<":
            return one.low < two.high
        case "<=":
            return one.low <= two.high
        case ">" | ">=":
            return can_be(_TURNED[op], two, one)
        case "==":
            apart = (one.low == one.high and one.low in two.without) or (two.low == two.high and two.low in one.without)
            return one.low <= two.high and two.low <= one.high and not apart
        case "!=":
            return not (one.low == one.high == two.low == two.high)
    return True


def opposite(op: str) -> str:
    """What holds where the comparison does not."""
    return _OPPOSITE[op]


def turned(op: str) -> str:
    """The comparison with its sides exchanged."""
    return _TURNED[op]


def narrowed(op: str, one: Range, two: Range) -> Range:
    """What is left of the first range where the comparison holds."""
    match op:
        case "<":
            return _shrunk(one, one.low, min(one.high, two.high - 1))
        case "<=":
            return _shrunk(one, one.low, min(one.high, two.high))
        case ">":
            return _shrunk(one, max(one.low, two.low + 1), one.high)
        case ">=":
            return _shrunk(one, max(one.low, two.low), one.high)
        case "==":
            return _shrunk(one, max(one.low, two.low), min(one.high, two.high))
        case "!=" if two.low == two.high and len(one.without) < _MOST_LEFT_OUT:
            return _shrunk(one._replace(without=one.without | {two.low}), one.low, one.high)
    return one


def either(one: Range, two: Range) -> Range:
    """What lies in one of the ranges, and between them."""
    return Range(min(one.low, two.low), max(one.high, two.high), one.without & two.without)


def both(one: Range, two: Range) -> Range:
    """What lies in both ranges."""
    return _shrunk(one._replace(without=one.without | two.without), max(one.low, two.low), min(one.high, two.high))


def _shrunk(one: Range, low: int, high: int) -> Range:
    """The range between these, which lie in it; what it is not is left out at both ends."""
    while low <= high and low in one.without:
        low += 1
    while low <= high and high in one.without:
        high -= 1
    return Range(low, high, frozenset(number for number in one.without if low < number < high))


def _number(said: str) -> int | None:
    digits = said.rstrip("uUlLzZ").replace("'", "")
    if len(digits) > _LONGEST:
        return None
    try:
        return int(digits, 8 if len(digits) > 1 and digits.isdigit() and digits[0] == "0" else 0)
    except ValueError:
        return None


def ranged(name: str, within: Range) -> str:
    """What is known of a number, as a condition in code."""
    if within.low == within.high:
        return f"{name} == {within.low}"
    bounds = [f"{name} >= {within.low}"] * (within.low > -_FAR) + [f"{name} <= {within.high}"] * (within.high < _FAR)
    return " and ".join((*bounds, *(f"{name} != {one}" for one in sorted(within.without)))) or f"{name} is any number"
