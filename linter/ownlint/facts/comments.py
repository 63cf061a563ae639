"""Suppression comments, in the one grammar that both languages share.

ownlint: ignore[rule-a, rule-b]: reason          this line, or the next when the comment stands alone
ownlint: ignore-next[rule-a]: reason             the line below
ownlint: begin-ignore[rule-a]: reason            from here ...
ownlint: end-ignore[rule-a]                      ... to here
ownlint: file-ignore[rule-a]: reason             the whole file
"""

from __future__ import annotations

import re
from typing import Literal

from ownlint.facts.records import Suppression

Kind = Literal["line", "next", "begin", "end", "file"]

_KINDS: dict[str, Kind] = {
    "ignore": "line",
    "ignore-next": "next",
    "begin-ignore": "begin",
    "end-ignore": "end",
    "file-ignore": "file",
}

# The word must open the comment, so that prose about the linter is left alone.
_ADDRESSED = re.compile(r"(?://+|/\*+|#+)?[!<]?\s*ownlint\s*:\s*(?P<rest>.*)", re.DOTALL)
_VERB = re.compile(r"(?P<verb>[A-Za-z][\w-]*)?\s*(?P<rest>.*)", re.DOTALL)
_RULE = re.compile(r"[a-z0-9*?][a-z0-9*?-]*\Z")
"""A rule, a group of rules or a glob; whether it stands for anything is known where the rules are."""


def parse_suppression(text: str, start: int, end: int, code_before: bool) -> Suppression | None:
    """What a comment silences; None when it does not speak to the linter.

    `text` is the comment as written, delimiters included. `code_before` says that code stands before
    it on its line: then `ignore` means that line, else the next one.
    """
    addressed = _ADDRESSED.match(text)
    if addressed is None:
        return None
    rest = addressed["rest"]
    if text.startswith("/*"):
        rest = rest.removesuffix("*/")
    match = _VERB.match(" ".join(rest.split()))
    assert match is not None  # every part of the pattern is optional
    verb, rest = match["verb"] or "", match["rest"]
    kind: Kind = _KINDS.get(verb, "line")
    if kind == "line" and not code_before:
        kind = "next"
    if verb not in _KINDS:
        known = ", ".join(f"`{name}`" for name in _KINDS)
        said = f"unknown word `{verb}`" if verb else "missing word"
        return Suppression(start, end, kind, (), problem=f"{said} after `ownlint:`: write one of {known}")
    rules, reason, problem = _list(verb, rest)
    return Suppression(start, end, kind, rules, reason, problem)


def _list(verb: str, rest: str) -> tuple[tuple[str, ...], str, str]:
    """Rules, reason and problem of what follows the verb."""
    if not rest.startswith("["):
        return (), "", f"`{verb}` needs a list of rules: `{verb}[rule-name]: reason`"
    inside, closed, after = rest[1:].partition("]")
    if not closed:
        return (), "", f"the list of rules after `{verb}` is not closed with `]`"
    rules = tuple(rule.strip() for rule in inside.split(",") if rule.strip())
    if not rules:
        return (), "", f"the list of rules after `{verb}` is empty"
    bad = [rule for rule in rules if not _RULE.match(rule)]
    if bad:
        return (), "", f"`{bad[0]}` is not the name of a rule"
    after = after.strip()
    if after and not after.startswith(":"):
        return rules, "", "write a reason after the list: `]: reason`"
    return rules, after.removeprefix(":").strip(), ""
