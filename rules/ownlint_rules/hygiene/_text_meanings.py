"""What is made of an environment variable's text, in whatever language it is read, and whether two places contradict
each other in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Literal as OneOf
from typing import NamedTuple

_Kind = OneOf["form", "words", "value", "asked", "fallback", "unset", "empty", "computed"]


class TextMeaning(NamedTuple):
    """What is made of a variable's text.

    `form`: whether there is one, a number, a list, or which of some words it is; `words` where these switch nothing on
    or off. `value`: what comes out is used as such, not only as on or off. `asked`: something is decided by whether
    there is one, whatever else it serves for. `fallback`: what stands for a missing text; `computed`: what is called
    for one; `unset`: whether a missing one counts as one of the words; `empty`: whether an empty one counts as
    missing."""

    kind: _Kind
    said: str


PRESENCE = TextMeaning("form", "is there")
INTEGER = TextMeaning("form", "an integer")
REAL = TextMeaning("form", "a real number")
DIGITS = TextMeaning("form", "digits")
"""An integer of which digits are taken apart, as of 0930."""
PATH = TextMeaning("form", "a path")
VALUE = TextMeaning("value", "is used as a value")
ASKED = TextMeaning("asked", "is there")
EMPTY = TextMeaning("empty", "is missing")
"""An empty text counts as a missing one."""
LOOSE = TextMeaning("empty", "is off")
"""Whether there is a text is asked as Python asks for a truth, for which an empty one is none; no place is blamed for
that it tells these apart."""
TAKEN = TextMeaning("empty", "is taken as it is")
"""Only a missing text has the default. Where it holds beside `EMPTY`, an empty text does not come as far."""

SWITCHES = frozenset(
    {"0", "1", "2", "true", "false", "on", "off", "yes", "no", "y", "n", "t", "f", "enabled", "disabled"}
)
"""Words that switch something on and off: which of them a place knows decides what it makes of the others. Two places
that ask for other words may each ask for their own."""


_ONE_OF = "is one of "


def one_of(words: set[str], *, is_form: bool) -> TextMeaning:
    """That a text is compared with these words, in small letters."""
    return TextMeaning("form" if is_form else "words", f"{_ONE_OF}{', '.join(sorted(words))}")


def switches(meaning: TextMeaning) -> bool:
    """Whether it is decided by words for on and off."""
    return meaning.kind == "form" and meaning.said.startswith(_ONE_OF)


def is_empty(meaning: TextMeaning) -> bool:
    """Whether a default is no more than that there is none: `""`, `nullptr`."""
    return meaning.kind == "fallback" and meaning.said in ('""', "nullptr", "NULL", "std::string()", "{}", "")


def is_off(meaning: TextMeaning) -> bool:
    """Whether a default is no more than that nothing is switched on, or what people are shown for none: places that say
    so agree on nothing that could change."""
    return is_empty(meaning) or (meaning.kind == "fallback" and meaning.said in ("0", "false", '"0"', '"(null)"'))


def plain(every: frozenset[TextMeaning]) -> frozenset[TextMeaning]:
    """What is made of a text in one place: that it is there is also asked for the sake of what is made of it."""
    made = {meaning for meaning in every if meaning.kind in ("form", "words") and meaning != PRESENCE}
    return every - {PRESENCE} if made else every


def contradict(one: frozenset[TextMeaning], other: frozenset[TextMeaning]) -> bool:
    """Whether two places make different things of one text. One that does not make anything of it may hand it on, and
    one may ask whether there is a text of which the other uses the value, but not take one that is empty for one where
    the other does not."""
    if (_only_asks(one) and EMPTY in other) or (_only_asks(other) and EMPTY in one):
        return True
    if _takes_empty(one, other) or _takes_empty(other, one):
        return True
    for kind in ("form", "fallback", "unset"):
        first, second = _said(one, kind), _said(other, kind)
        if first and second and first != second:
            if kind == "unset" and _said(one, "words") != _said(other, "words"):
                continue
            asks = kind == "form" and {PRESENCE.said} in (first, second)
            if not (asks and VALUE in one | other):
                return True
    return False


def _only_asks(meanings: frozenset[TextMeaning]) -> bool:
    """Whether any text will do, also one without letters."""
    return _said(meanings, "form") == {PRESENCE.said} and meanings.isdisjoint({EMPTY, LOOSE})


def _takes_empty(one: frozenset[TextMeaning], other: frozenset[TextMeaning]) -> bool:
    """Whether a place takes an empty text for what it says, for which the other has the default that both have."""
    return (
        TAKEN in one and EMPTY in other and EMPTY not in one and bool(_said(one, "fallback") & _said(other, "fallback"))
    )


def _said(meanings: frozenset[TextMeaning], kind: str) -> set[str]:
    return {meaning.said.strip('"') for meaning in meanings if meaning.kind == kind}


def told_apart(one: frozenset[TextMeaning], other: frozenset[TextMeaning]) -> str:
    """What a place makes of the text in which the other contradicts it, as in "also read here: compared with `1`"."""
    if EMPTY in one and _only_asks(other):
        return "an empty one counts as missing"
    if EMPTY in other and _only_asks(one):
        return _form(PRESENCE.said)
    if EMPTY in one and _takes_empty(other, one):
        return "an empty one counts as missing"
    if _takes_empty(one, other):
        return "an empty one is taken as it is"
    for kind in ("form", "fallback", "unset"):
        mine, theirs = _said(one, kind), _said(other, kind)
        if mine and theirs and mine != theirs:
            return " and ".join(_PHRASES[kind](said) for said in sorted(mine))
    return ""


def _form(said: str) -> str:
    if said == PRESENCE.said:
        return "only its presence counts"
    if said.startswith(_ONE_OF):
        return "compared with " + ", ".join(f"`{word}`" for word in said.removeprefix(_ONE_OF).split(", "))
    return f"read as {said}"


_PHRASES: dict[str, Callable[[str], str]] = {
    "form": _form,
    "fallback": lambda said: f"the default is `{said}`",
    "unset": lambda said: f"a missing one counts as {said}",
}


def contradictions(places: Sequence[frozenset[TextMeaning]]) -> Iterator[tuple[int, int]]:
    """The pairs of places, by their numbers, that contradict each other."""
    for first, second in combinations(range(len(places)), 2):
        if contradict(places[first], places[second]):
            yield first, second
