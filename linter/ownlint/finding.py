"""What a rule says: a place, a sentence, the steps that lead there, and how sure it is."""

from __future__ import annotations

from typing import Literal, cast

import msgspec

from ownlint.choices import CERTAINTIES as CERTAINTIES
from ownlint.choices import Certainty as Certainty
from ownlint.choices import Role as Role
from ownlint.choices import Severity as Severity
from ownlint.facts.base import Span

SOME_PATHS = "on some of the paths that lead here"
"""The reason where the states of several paths were followed to one place, and it holds in some of them."""


class _Doubt(str):
    """A certainty that says why it is no higher; it equals the same word without a reason."""

    __slots__ = ("reason",)
    reason: str


def because(certainty: Certainty, reason: str) -> Certainty:
    """The same certainty, with the reason why it is no higher: a clause about the very code, as "on the path where `f`
    fails". It is said where the doubt is made, so that every rule that builds on the fact hands it on. A reason that is
    there stays: it is nearer to the cause. What is certain has none."""
    if certainty == "certain" or not reason or reason_of(certainty):
        return certainty
    made = _Doubt(certainty)
    made.reason = reason
    return cast("Certainty", made)


def reason_of(certainty: Certainty) -> str:
    """Why it is no higher; empty where nobody said so."""
    return certainty.reason if isinstance(certainty, _Doubt) else ""


def word_of(certainty: Certainty) -> Certainty:
    """The bare word, as it is written."""
    return CERTAINTIES[CERTAINTIES.index(certainty)]


def weaker(*certainties: Certainty) -> Certainty:
    """The weakest of them: a chain of reasons is as sure as its weakest link. Among equals the first with a reason."""
    return max(certainties, key=lambda one: (CERTAINTIES.index(one), bool(reason_of(one))), default="certain")


class Step(msgspec.Struct, frozen=True):
    """One stop on the way to the finding, in the order in which it happens."""

    path: str
    span: Span
    message: str
    role: Role | None = None
    """For the picture of the story; None leaves it to the words of the message."""


class Edit(msgspec.Struct, frozen=True):
    """The bytes `span` of the original file become `text`."""

    path: str
    span: Span
    text: str


class Fix(msgspec.Struct, frozen=True):
    """`safe` means that behaviour changes in nothing but the bug."""

    message: str
    edits: tuple[Edit, ...]
    safe: bool = False


class Finding(msgspec.Struct, frozen=True):
    """One bug at one place.

    `message` names the user's own things, states a fact in the present tense, starts small and ends
    without a full stop. `help` says what to do. `symbol` is the qualified name of the function, class
    or binding it is about. A rule leaves `rule` and `severity` empty: whoever runs it fills them in.
    """

    path: str
    span: Span
    message: str
    certainty: Certainty = "certain"
    help: str = ""
    steps: tuple[Step, ...] = ()
    symbol: str = ""
    fix: Fix | None = None
    rule: str = ""
    severity: Severity = "warning"
    mild: bool = False
    """What happens here is less than the rule says of others: an exception where there might be worse."""
    reason: str = ""
    """Why it is not certain: a clause about this very finding, as "on the path where `f` fails". Empty where the rule
    knows none; nothing is said then. What the certainty brings
    along (see `because`) is filled in by whoever runs the rule."""
    cause: str = ""
    """What the mistake is about, where it can be made at many places: a callee, a macro, a member, a shared object.
    Findings of a file with one cause, of which a rule says the same, are told once; empty: it stands alone."""


Cut = Literal["rule", "limit"]
"""Why a rule did not come to an end: by a mistake of its own, or since it was at it for too long."""


class TooLarge(msgspec.Struct, frozen=True, order=True):
    """A function that was given up by what follows its ways, and is by every run: a counted bound says so. Rules stay
    silent about what they would have had to follow."""

    path: str
    start: int
    name: str


class Crash(msgspec.Struct, frozen=True):
    """A rule did not judge something. The run goes on; it is named in the report and in `incomplete`."""

    rule: str
    path: str
    error: str
    kind: Cut = "rule"
