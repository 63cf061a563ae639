"""The words people choose among, and which one is near a word that is none of them.

Nothing is imported here that takes time: `ownlint --help` needs little more than this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

Severity = Literal["error", "warning", "note"]
Certainty = Literal["certain", "likely", "possible"]
"""How sure a finding is. Made less than certain by `ownlint.because`, which says why."""

CERTAINTIES: tuple[Certainty, ...] = get_args(Certainty)
"""The surest first."""

Role = Literal["owns", "lends", "borrows", "ends", "uses", "guards", "turn"]
"""What happens at a step to whom it is about: `lends` says what a call does whenever it is made, `borrows` that it is
made here, `guards` that something holds off the bug, `turn` nothing about ownership."""

PACKS = "ownlint.rules"
"""The group of entry points by which packs of rules are found."""

Types = Literal["auto", "always", "never"]

Suite = Literal["default", "extended", "audit"]
"""Of a rule, by how often it was right where it was measured. A run has the rules of a suite and of those before it."""

SUITES: tuple[Suite, ...] = get_args(Suite)
MEASURED = "measured.json"
"""The file beside a pack's folders that says the suites of its rules."""

FORMER_PRESETS: dict[str, Suite] = {"hook": "default", "ci": "default", "audit": "audit"}
"""What suites were called once, with what they are now."""

FORMATS = (
    "full",
    "concise",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "markdown",
    "html",
)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean `x`?`, or nothing when no known word is near."""
    import difflib

    words = sorted(known)
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.6) or _containing(word.strip("-_*. "), words)
    return f"; did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else ""


def _containing(part: str, words: Sequence[str]) -> list[str]:
    """A part of a name, as those give who know other linters; nothing when it would be a guess."""
    found = [each for each in words if len(part) > 2 and part in each]
    return found if len(found) <= 3 else []
