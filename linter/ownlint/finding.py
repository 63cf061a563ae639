"""What a rule says: a place, a sentence, the steps that lead there, and how sure it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, cast

import msgspec

from ownlint.choices import CERTAINTIES as CERTAINTIES
from ownlint.choices import Assumption as Assumption
from ownlint.choices import Certainty as Certainty
from ownlint.choices import Role as Role
from ownlint.choices import Severity as Severity
from ownlint.facts.base import Span

SOME_PATHS = "this happens only on some of the paths that lead here"
"""The reason where the states of several paths were followed to one place, and it holds in some of them."""


class _Doubt(str):
    """A certainty that says what is assumed, and why; it equals the same word without."""

    __slots__ = ("assumed", "reason")
    assumed: frozenset[Assumption]
    reason: str


_PATHS: frozenset[Assumption] = frozenset(("path", "conditions", "exception"))


def certainty_of(assumed: Collection[Assumption], weak: Collection[Assumption] = ()) -> Certainty:
    """How sure a finding is that assumes this: certain with nothing, likely with one assumption, possible with more,
    and with one that is too often wrong: a guess, or what is `weak`. That a path can be taken, which was read, weighs
    nothing beside another, whatever leads along it."""
    if not assumed:
        return "certain"
    if sum(one not in _PATHS for one in assumed) > 1 or "guess" in assumed or any(one in weak for one in assumed):
        return "possible"
    return "likely"


def because(assumed: Assumption | Certainty, reason: str) -> Certainty:
    """The certainty of a finding that assumes this, with the reason: a clause about the very code, as "this happens
    only if `f` fails". It is said where the doubt is made, so that every rule that builds on the fact hands it on. A
    certainty keeps what it assumes, and a reason that is there stays: it is nearer to the cause. What is certain has
    none."""
    if assumed == "certain":
        return "certain"
    if isinstance(assumed, _Doubt) and (assumed.reason or not reason):
        return cast("Certainty", assumed)
    kinds = assumptions_of(assumed) if assumed in CERTAINTIES else frozenset((assumed,))
    return _doubt(cast("frozenset[Assumption]", kinds), reason)


def reasoned(certainty: Certainty, reason: str) -> Certainty:
    """The same certainty for a reason that says more than its own."""
    return _doubt(assumptions_of(certainty), reason) if certainty != "certain" else certainty


def _doubt(assumed: frozenset[Assumption], reason: str) -> Certainty:
    made = _Doubt(certainty_of(assumed))
    made.assumed = assumed
    made.reason = reason
    return cast("Certainty", made)


def assumptions_of(certainty: Certainty) -> frozenset[Assumption]:
    """What it assumes; where nobody said that, `other` for what is likely and `guess` for what is possible."""
    return certainty.assumed if isinstance(certainty, _Doubt) else _UNSAID[certainty]


_UNSAID: dict[Certainty, frozenset[Assumption]] = {
    "certain": frozenset(),
    "likely": frozenset(("other",)),
    "possible": frozenset(("guess",)),
}


def reason_of(certainty: Certainty) -> str:
    """Why it is no higher; empty where nobody said so."""
    return certainty.reason if isinstance(certainty, _Doubt) else ""


def weaker(*certainties: Certainty) -> Certainty:
    """What all of them together leave: a chain assumes what each of its links assumes. The reason is that of the
    weakest link, of equals the first with one; where several likely ones make it less sure, they are told together."""
    doubts = [one for one in certainties if one != "certain"]
    if len(doubts) < 2:
        return doubts[0] if doubts else "certain"
    assumed = frozenset[Assumption]().union(*map(assumptions_of, doubts))
    weakest = max(doubts, key=lambda one: (CERTAINTIES.index(one), bool(reason_of(one))))
    if assumed == assumptions_of(weakest):
        return weakest
    reasons = [reason_of(weakest)]
    if weakest == "likely" and certainty_of(assumed) == "possible":
        reasons = list(dict.fromkeys(reason_of(one) for one in doubts if reason_of(one)))
    return _doubt(assumed, "; ".join(reasons))


def tempered(certainty: Certainty, general: Certainty) -> Certainty:
    """With what stands for every finding of a kind, and is said only of one that would be certain: what a finding
    assumes of its own is nearer to the cause. Where nobody said why, its reason is taken."""
    return general if certainty == "certain" else because(certainty, reason_of(general))


class Step(msgspec.Struct, frozen=True):
    """One stop on the way to the finding, in the order in which it happens."""

    path: str
    span: Span
    message: str
    role: Role | None = None
    """For the picture of the story; None leaves it to the words of the message."""
    aside: bool = False
    """Beside the path: what other paths do, another name, one of several exits. It has no number in a report."""


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
    """Why it is not certain: a clause about this very finding, as "this happens only if `f` fails". Empty where the
    rule knows none; nothing is said then. What the certainty brings along (see `because`) is filled in by whoever runs
    the rule."""
    assumed: tuple[Assumption, ...] = ()
    """What its certainty follows from, sorted; filled in by whoever runs the rule."""
    cause: str = ""
    """What the mistake is about, where it can be made at many places: a callee, a macro, a member, a shared object.
    Findings of a file with one cause, of which a rule says the same, are told once; empty: it stands alone."""

    @property
    def paths(self) -> set[str]:
        """The files that it speaks of."""
        edits = self.fix.edits if self.fix is not None else ()
        return {self.path, *(step.path for step in self.steps), *(edit.path for edit in edits)}


Cut = Literal["rule", "limit"]
"""Why a rule did not come to an end: by a mistake of its own, or since it was at it for too long."""


class TooLarge(msgspec.Struct, frozen=True, order=True):
    """A function that was given up by what follows its ways, and is by every run: a counted bound says so. Rules stay
    silent about what they would have had to follow."""

    path: str
    start: int
    name: str


ENDED = "the run had to end before everything was analysed"
"""Why a file was not analysed, where nothing is wrong with any."""


class Crash(msgspec.Struct, frozen=True):
    """A rule did not judge something. The run goes on; it is named in the report and in `incomplete`."""

    rule: str
    path: str
    error: str
    kind: Cut = "rule"
    culprit: tuple[str, int] | None = None
    """The function over which an answer about the whole program took too many steps: its file, and its index in it."""
    counted: bool = False
    """A counted bound says so, in every run."""
    question: str = ""
    """The answer about the whole program that asked itself until the stack ended."""
    by_others: bool = False
    """What could not be followed stands in another file."""
