"""Arguments of which a native object keeps the address and nothing else: the Python object must live as long.

A *dependence* says that: the holder, the argument, and the call that stored it. It ends when the same member stores
something else, or when a member is called whose name says that something is taken away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ownlint.facts.records import Span
from ownlint.finding import Certainty, Step

if TYPE_CHECKING:
    from ownlint.domains.handles.handles import Token

_TAKES_AWAY = re.compile(
    r"(?:^|_|(?<=[a-z])(?=[A-Z]))(?i:remove|clear|close|release|disconnect|unset|detach|stop|reset|pop|del|delete|drop"
    r"|unregister|unsubscribe|off|exit|cancel|shutdown|finish|end|destroy|dispose)"
)


class Dependence(NamedTuple):
    """`argument` has to live as long as `holder`; `member` stored it `at` that call. `shown` and `by` are their texts.
    `derived` is the Python class of the argument, where it derives from a bound one that calls back."""

    holder: Token
    argument: Token
    member: str
    place: int
    at: Span
    shown: str
    by: str
    declared: Step | None = None
    certainty: Certainty = "certain"
    derived: str = ""


Dependences = frozenset[Dependence]


def in_sequence(known: Iterable[Dependence]) -> list[Dependence]:
    return sorted(known, key=lambda d: (d.at, d.holder, d.argument, d.member, d.place))


def takes_away(member: str) -> bool:
    """Whether a member's name says that what was given before is given up."""
    return bool(_TAKES_AWAY.search(member))


def without(known: Dependences, holder: Token, member: str) -> Dependences:
    """What is left when that member of the holder is called."""
    if not known:
        return known
    return frozenset(d for d in known if d.holder != holder or not (d.member == member or takes_away(member)))
