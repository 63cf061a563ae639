"""The words people choose among, and which one is near a word that is none of them.

Nothing is imported here that takes time: `ownlint --help` needs little more than this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The worst first."""
Certainty = Literal["certain", "likely", "possible"]
"""How sure a finding is: it follows from what the finding assumes, see `ownlint.because`."""

CERTAINTIES: tuple[Certainty, ...] = get_args(Certainty)
"""The surest first."""

Assumption = Literal[
    "path",
    "conditions",
    "exception",
    "rare-failure",
    "name",
    "pair",
    "type",
    "value",
    "version",
    "unread-code",
    "sharing",
    "caller",
    "later-use",
    "long-run",
    "threads",
    "convention",
    "guarded-by",
    "intent",
    "test-code",
    "other",
    "guess",
]
"""What a finding takes for granted since no code that was read shows it."""

ASSUMPTIONS: dict[Assumption, str] = {
    "path": "the path that leads there can be taken",
    "conditions": "the conditions of the path that leads there can hold together",
    "exception": "an exception is thrown there, and the program goes on after it",
    "rare-failure": "an operation that rarely fails, such as an allocation, fails",
    "name": "a function does what its name says, or a call found by name alone calls that function",
    "pair": "two functions are a pair: their names are, and the type of what they make and end is their own",
    "type": "a type that is not fully known is what it appears to be",
    "value": "a variable has, at run time, the value that makes it a bug",
    "version": "a library or an interpreter has the version that makes it a bug",
    "unread-code": "code that was not analysed does not keep, modify or release it",
    "sharing": "nothing else owns it or keeps it alive",
    "caller": "callers do not handle it themselves",
    "later-use": "the object is used again",
    "long-run": "the process keeps running and comes here often enough for it to matter",
    "threads": "another thread runs at the same time",
    "convention": "what sibling functions do is needed here too",
    "guarded-by": "the lock that other accesses hold is needed at this one too",
    "intent": "it is not intended",
    "test-code": "a bug in test code matters",
    "other": "something else, given in the reason",
    "guess": "the evidence is weak, or something in the code speaks against it",
}
"""With a clause for people that says it."""

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
WEIGHED = "assumptions.json"
"""The file beside a pack's folders that says how often its findings were right, by what they assume."""

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
