"""Reads the pages of `tests/truth`: snippets with what happens when they run, and what ownlint is to say of them.

The form is that of a rule's page (docs/testing.md), read by the same parser, with two things more: the block that is
run says its outcome after its language (`python crashes`, `python A:raises(RuntimeError) B:crashes`), and a `toml`
block above the first claim names the environments that the page's snippets run in. A mark's text is a rule's id.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

import msgspec

from ownlint.testing.markdown import PageCase, PageError, PageOptions, read_case, sections

Outcome = Literal["fine", "raises", "crashes", "garbage"]
Names = tuple[str, ...]

_OUTCOMES = "|".join(get_args(Outcome))
_WORD = re.compile(rf"(?:(?P<environment>\w+):)?(?P<any>(?:{_OUTCOMES})(?:\|(?:{_OUTCOMES}))*)(?:\((?P<error>\w+)\))?")


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The `toml` block above the first claim."""

    environments: dict[str, Names]
    """Name to requirements, each pinned as `name==version`; without any, the running Python serves."""
    light: bool = False
    """The page is part of the reduced run: its environments install in seconds."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What happens in one environment: one of `outcomes`, where an exception is thrown this one."""

    outcomes: tuple[Outcome, ...]
    error: str = ""

    def holds(self, outcome: str, error: str) -> bool:
        return outcome in self.outcomes and (outcome != "raises" or self.error in ("", error))

    def __str__(self) -> str:
        return " or ".join(self.outcomes) + (f" ({self.error})" if self.error else "")


@dataclass(frozen=True, slots=True)
class Truth:
    """One snippet. `case` is what ownlint reads, its marks blanked out; its first block is what runs."""

    case: PageCase
    expected: Mapping[str, Expected]
    """By environment."""


@dataclass(frozen=True, slots=True)
class Page:
    """A family of truths, named after its file."""

    family: str
    header: Header
    truths: tuple[Truth, ...]


def read(path: Path) -> Page:
    """Raises `PageError`."""
    header: Header | None = None
    truths: list[Truth] = []
    for section in sections(path.read_text(encoding="utf-8")):
        if header is None:
            fence = next((fence for fence in section.fences if fence.info == "toml"), None)
            if fence is not None:
                header = _header(fence.text, fence.line)
            elif section.fences:
                raise PageError(section.line, "a page of truths begins with a `toml` block that names its environments")
            continue
        expected: dict[str, Expected] = {}
        for fence in section.fences:
            language, *words = fence.info.split() or [""]
            if language == "python":
                told = [word for word in words if _WORD.fullmatch(word)]
                expected |= _expected(told, header, fence.line - 1)
                fence.info = " ".join([language, *(word for word in words if word not in told)])
        case = read_case(section.heading, section.line, section.fences, PageOptions())
        if not case.blocks:
            continue
        if missing := sorted(set(header.environments) - set(expected)):
            raise PageError(section.line, f"what happens in {', '.join(missing)} is not said")
        if any(case.heading == other.case.heading for other in truths):
            raise PageError(section.line, f"a second heading says `{case.heading}`")
        truths.append(Truth(case, expected))
    if header is None:
        raise PageError(1, "the page is empty")
    return Page(path.stem, header, tuple(truths))


def _header(text: str, line: int) -> Header:
    try:
        return msgspec.convert(tomllib.loads(text), Header)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise PageError(line, str(error)) from None


def _expected(words: list[str], header: Header, line: int) -> dict[str, Expected]:
    """What is said of each environment; a word without a name speaks for all that no other word names."""
    named: dict[str, Expected] = {}
    rest: Expected | None = None
    for word in words:
        match = _WORD.fullmatch(word)
        assert match is not None
        said = Expected(cast("tuple[Outcome, ...]", tuple(match["any"].split("|"))), match["error"] or "")
        if match["environment"] is None:
            rest = said
        elif match["environment"] in header.environments:
            named[match["environment"]] = said
        else:
            raise PageError(line, f"`{match['environment']}` is none of the page's environments")
    return (dict.fromkeys(header.environments, rest) if rest else {}) | named
