"""How often a rule was right where findings on public code were judged: what its suite follows from. And how often
findings were right that assume the same: what their certainty follows from.

A pack of rules says it in files beside its folders (`choices.MEASURED`, `choices.WEIGHED`). Those of the built-in pack
are written by `benchmarks/verdicts.py suites`, which has the formulas.
"""

from __future__ import annotations

import msgspec

from ownlint.choices import Certainty, Suite

ENOUGH = 10
"""Verdicts from which a share can be taken."""


class Judged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many findings were judged so."""

    true: int = 0
    doubtful: int = 0
    false: int = 0

    @property
    def all(self) -> int:
        return self.true + self.doubtful + self.false

    @property
    def right(self) -> float:
        """The share of the true ones among those that could be decided; 0 where none could be."""
        decided = self.true + self.false
        return self.true / decided if decided else 0.0


class Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`first_contact` was judged in projects that no rule had been shown; `standing` are those of them that are still
    reported. `history` counts bugs that were fixed once and are found on the code before the repair, `live` bugs that
    were found elsewhere in releases of today, and `live_false` what was judged false there and is still reported.
    `unassuming` are the latest of first contact that assumed nothing, as they were judged then: what was fixed since
    says little of the next project."""

    first_contact: Judged = Judged()
    standing: Judged = Judged()
    history: int = 0
    live: int = 0
    live_false: int = 0
    unassuming: Judged = Judged()


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`surest` is what a finding of the rule is that assumes nothing."""

    suite: Suite
    counts: Counts = Counts()
    surest: Certainty = "certain"


class Weighed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an assumption alone makes of a finding, and what was judged where it was the only one."""

    makes: Certainty
    judged: Judged = Judged()
