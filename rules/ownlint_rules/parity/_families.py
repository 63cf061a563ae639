"""Families of functions in one file and class that do the same: their names differ by one word, or they are overloads.
The word may be part of any name in their bodies: `destroy_buffer(buffer)`, `destroy_image(image)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, questions
from ownlint_rules.parity import _parity as parity

_FEWEST, _MOST = 2, 12
"""How many other functions a family has."""
_ALIKE = 0.6
_REFUSES = ("throws", "fails", "aborts", "refuses")


class FamilyMember(NamedTuple):
    """A function of a family, and the word that is its own; empty for an overload."""

    function: Function
    word: str

    def without(self, written: str) -> str:
        """The text without the word, in any case and number: `free_queue` and `queues` are `free_*` and `*`."""
        if not self.word:
            return written
        own = self.word.removesuffix("s")
        return parity.WORD.sub(lambda match: "*" if match[0].lower().removesuffix("s") == own else match[0], written)


class MissingCheck(NamedTuple):
    """A check that all `others` of a family make; `example` makes it itself."""

    guard: parity.ParityGuard
    example: Function
    others: int


def missing(function: Function) -> Iterator[MissingCheck]:
    """The checks that all others of a family make, themselves or in a callee, and this function of the same body does
    not."""
    for own, others in _families(function):
        yield from _missing(own, others)


def _families(function: Function) -> Iterator[tuple[FamilyMember, list[FamilyMember]]]:
    if function.language == "cpp" and function.record.kind in ("function", "method"):
        for key, word in _keys(function):
            others = [one for one in _by_key(function.program).get(key, ()) if one.function is not function]
            if _FEWEST <= len(others) < _MOST:
                yield FamilyMember(function, word), others


_Key = tuple[str, str, int]


@questions.program_question
def _by_key(program: Program) -> dict[_Key, list[FamilyMember]]:
    found: dict[_Key, list[FamilyMember]] = {}
    for function in program.functions:
        if function.language == "cpp" and function.record.kind in ("function", "method"):
            for key, word in _keys(function):
                found.setdefault(key, []).append(FamilyMember(function, word))
    return found


def _keys(function: Function) -> Iterator[tuple[_Key, str]]:
    """The path and the symbol: as it is, and without each word of the last name, where it has several."""
    path, symbol, count = function.path, function.symbol, len(function.record.parameters)
    yield (path, symbol, count), ""
    scope, name = symbol[: len(symbol) - len(function.name)], function.name
    words = dict.fromkeys(word[0] for word in parity.WORD.finditer(name) if len(word[0]) > 1)
    for word in words if len(words) > 1 else ():
        yield (path, f"{scope}{name.replace(word, '*', 1)}", count), word.lower()


def _missing(own: FamilyMember, others: list[FamilyMember]) -> Iterator[MissingCheck]:
    known = parity.of(own.function.program)
    outline = known.outline(own.function)
    made = [(one, _checks(one)) for one in others]
    asked = {own.without(form) for form in (*(a.form for a in outline.asked), *(g.form for g in outline.guards))}
    for form in dict.fromkeys(form for _, checks in made for form in checks):
        makers = [(one, checks[form]) for one, checks in made if form in checks]
        if form in asked or len(makers) < _FEWEST:
            continue
        first, guard = makers[0]
        if not all(form in checks or known.asks_in_callees(one.function, guard) for one, checks in made):
            continue
        if _is_relevant(own, outline, first, guard) and any(_is_like(own, one) for one in others):
            yield MissingCheck(guard, first.function, len(others))


def _checks(one: FamilyMember) -> dict[str, parity.ParityGuard]:
    """The checks of a function by their form without its word."""
    guards = parity.of(one.function.program).outline(one.function).guards
    return {one.without(guard.form): guard for guard in guards if guard.exit in _REFUSES}


def _is_relevant(
    own: FamilyMember, outline: parity.FunctionOutline, maker: FamilyMember, guard: parity.ParityGuard
) -> bool:
    """Whether the body uses what the check reads, and neither it nor a callee tests that in another way."""
    known = parity.of(own.function.program)
    roots = {maker.without(parity.root_of(place)) for place in guard.names}
    if not {root for root in roots if "*" not in root} <= {own.without(name) for name in outline.mentioned}:
        return False
    if known.asks_in_callees(own.function, guard) or known.asks_members_in_callees(own.function, guard):
        return False
    # A parameter is checked for several things; a local of the same name that a loop tests is checked by that.
    is_local = not any(map(parity.is_of_parameter, guard.names))
    return not (is_local and parity.is_asked(guard.names, outline.asked))


def _is_like(one: FamilyMember, other: FamilyMember) -> bool:
    """Whether two bodies are the same but for the word."""
    return parity.is_similar(_tokens(one), _tokens(other), _ALIKE)


def _tokens(one: FamilyMember) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for (left, right), times in parity.of(one.function.program).outline(one.function).tokens.items():
        found[one.without(left), one.without(right)] += times
    return found
