"""The words of findings: what is wrong with them, by the conventions that docs/writing-a-rule.md names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.finding import Finding, reason_of

_NO_WORK = re.compile(
    r"(?<!the macro )`(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|operator\W[^`]*)` "
    r"(?:fails|throws|has succeeded|can (?:still )?fail)"
)
_PROPER_NAMES = re.compile(r"(?:C|Python|NULL|None|JAX|NumPy|MLIR)(?!\w)|C\+\+")


def name_problems(what: str, text: str) -> Iterator[str]:
    """An empty name; an operator, or a macro by its name, that is said to fail: what it stands for does."""
    if "``" in text:
        yield f"the {what} has an empty name: {text}"
    if _NO_WORK.search(text):
        yield f"the {what} names what cannot fail: {text}"


def message_problems(finding: Finding) -> Iterator[str]:
    """Where the words of a finding break the conventions."""
    for what, text in (
        ("message", finding.message),
        ("help", finding.help),
        ("reason", finding.reason or reason_of(finding.certainty)),
        *(("step", s.message) for s in finding.steps),
    ):
        yield from name_problems(what, text)
        if not text:
            if what not in ("help", "reason"):
                yield f"a {what} is empty"
        elif text[0].isupper() and not _PROPER_NAMES.match(text):
            yield f"the {what} starts with a capital: {text}"
        elif text.endswith((".", "!")) and not text.endswith("..."):
            yield f"the {what} ends with a full stop: {text}"
    if "`" not in finding.message:
        yield f"the message names nothing from the user's code: {finding.message}"
