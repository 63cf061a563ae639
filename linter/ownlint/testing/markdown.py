"""Reads a page of tests: headings make claims, the code blocks below them are one small project.

Marks are comments in the code: `// error: text` on the guilty line, `// ok: why` on an innocent one,
`// missed: text` for a known gap, `// step: text` where a finding must lead through. A mark that is
alone on its line speaks for the next line of code. Marks are blanked out before a rule sees the code, so that no
rule can read the answer from them, and no byte moves.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

import msgspec

from ownlint.facts.records import Language
from ownlint.finding import Certainty

Mode = Literal["structure", "typed"]
Kind = Literal["error", "warning", "note", "ok", "missed", "step", "reason"]

MODES: tuple[Mode, ...] = get_args(Mode)
MOST_BYTES = 4 << 20
"""Of a page, or of the source of a rule."""

SEVERE: tuple[Kind, ...] = ("error", "warning", "note")
"""The marks that expect a finding, each of that severity."""

_LANGUAGES: dict[str, Language] = {
    "c": "cpp",
    "cpp": "cpp",
    "c++": "cpp",
    "cc": "cpp",
    "python": "python",
    "py": "python",
}
_SUFFIXES = {"c": ".c", "python": ".py", "py": ".py"}
"""Of the files of blocks that have no name; else they are C++."""
_KINDS = "|".join(get_args(Kind))
_MARK = (
    rf"(?P<kind>{_KINDS})(?:\[(?P<certainty>\w+)\])?:[ \t]*"
    r"(?P<text>.*?)[ \t]*"
)
_MARKS: dict[Language, re.Pattern[str]] = {
    "cpp": re.compile(rf"(?://|/\*)[ \t]*{_MARK}(?:\*/|(?=//[ \t]*(?:{_KINDS})\b)|$)"),
    "python": re.compile(rf"#[ \t]*{_MARK}(?:(?=#[ \t]*(?:{_KINDS})\b)|$)"),
}


_BEFORE = "before/"
"""Begins the name of a block that says what a file was before the change that the case is about."""


class PageError(ValueError):
    """The page itself is wrong; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class PageOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `toml` block: above the first heading of level two it holds for the page, else for its case."""

    modes: tuple[Mode, ...] | None = None
    certainty: Certainty | None = None
    """The least certainty that is shown; `likely`, as on the command line, when not given."""
    select: tuple[str, ...] | None = None
    """Further rules to run; findings of these must be marked too."""
    models: str | None = None
    """The text of one more model."""
    prelude: tuple[str, ...] | None = None
    """Headers of the `prelude` folder beside the page, included before each C++ file in typed mode."""
    requires: dict[str, str] | None = None
    """What the project's build asks of the versions of other packages: `{ frame = ">=3" }`."""
    versions: dict[str, str] | None = None
    """Python packages to the versions that the code is for."""

    def over(self, page: PageOptions) -> PageOptions:
        """These options where they are given, the page's elsewhere."""
        given = {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}
        return msgspec.structs.replace(page, **given)


@dataclass(frozen=True, slots=True)
class PageMark:
    """What the page says about `line` (from 1) of its block."""

    kind: Kind
    text: str
    line: int
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class PageBlock:
    """One file of a case. `text` has its marks blanked out; `line` is the page's line of its first."""

    language: Language
    name: str
    text: str
    line: int
    marks: tuple[PageMark, ...] = ()


@dataclass(frozen=True, slots=True)
class PageCase:
    """All blocks under one heading."""

    heading: str
    line: int
    blocks: tuple[PageBlock, ...]
    options: PageOptions = field(default_factory=PageOptions)
    before: tuple[PageBlock, ...] = ()
    """What its files said before the change that the case is about."""

    @property
    def modes(self) -> tuple[Mode, ...]:
        return self.options.modes or ("structure",)

    def count(self, *kinds: Kind) -> int:
        return sum(mark.kind in kinds for block in self.blocks for mark in block.marks)


@dataclass(slots=True)
class _Fence:
    info: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)


@dataclass(slots=True)
class _Section:
    heading: str
    line: int
    fences: list[_Fence] = field(default_factory=list)


def parse(text: str) -> list[PageCase]:
    """The cases of a page, in order; a heading without code makes none. Raises `PageError`."""
    page = PageOptions()
    cases: list[PageCase] = []
    for section in sections(text):
        case = read_case(section.heading, section.line, section.fences, page)
        if case.blocks:
            if any(case.heading == other.heading for other in cases):
                raise PageError(section.line, f"heading `{case.heading}` is used twice")
            cases.append(case)
        elif not cases:
            page = case.options
    return cases


def sections(text: str) -> Iterator[_Section]:
    """What stands under each heading, and first what stands above them all."""
    section = _Section("", 1)
    for item in _items(text):
        if isinstance(item, _Fence):
            section.fences.append(item)
        else:
            yield section
            section = _Section(*item)
    yield section


def _items(text: str) -> Iterator[tuple[str, int] | _Fence]:
    """Headings and fenced blocks; a block's text loses the indentation of its fence."""
    fence: _Fence | None = None
    closing = ""
    indent = ""
    for number, line in enumerate(text.splitlines(), 1):
        if fence is not None:
            if _closes(line, closing):
                yield fence
                fence = None
            else:
                fence.lines.append(line.removeprefix(indent))
        elif opened := re.fullmatch(r"(\s*)(`{3,}|~{3,})\s*([^`]*)", line):
            indent, ticks, info = opened.groups()
            closing = ticks
            fence = _Fence(info.strip(), number + 1)
        elif heading := re.fullmatch(r"#{1,6}\s+(.*?)\s*#*", line):
            yield heading[1], number
    if fence is not None:
        raise PageError(fence.line - 1, "unterminated code block")


def _closes(line: str, opening: str) -> bool:
    """A fence of the same letter, and at least as long, closes a block."""
    bare = line.strip()
    return len(bare) >= len(opening) and not bare.strip(opening[0])


def read_case(heading: str, line: int, fences: list[_Fence], page: PageOptions) -> PageCase:
    blocks: list[PageBlock] = []
    before: list[PageBlock] = []
    options = PageOptions()
    for fence in fences:
        language, *words = fence.info.split() or [""]
        if language == "toml":
            options = _options(fence)
        elif language in _LANGUAGES:
            name, modes = _words(words, fence.line - 1)
            into = before if name.startswith(_BEFORE) else blocks
            into.append(_block(language, name.removeprefix(_BEFORE), fence, into))
            if modes:
                options = msgspec.structs.replace(options, modes=modes)
        elif language != "md" and any(_MARKS["cpp"].search(text) for text in fence.lines):
            raise PageError(fence.line - 1, f"no block of `{language}` is run, and this one has marks")
    return PageCase(heading, line, tuple(blocks), options.over(page), tuple(before))


def _options(fence: _Fence) -> PageOptions:
    try:
        return msgspec.convert(tomllib.loads(fence.text), PageOptions)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise PageError(fence.line, str(error)) from None


def _words(words: list[str], line: int) -> tuple[str, tuple[Mode, ...]]:
    """The file's name and the modes from an info string: `cpp engine.h typed`."""
    name = ""
    modes: list[Mode] = []
    for word in words:
        if word in MODES:
            modes.append(word)
        elif "." in word and not name and not word.startswith(("/", ".")) and ".." not in word:
            name = word
        else:
            raise PageError(line, f"`{word}` is neither a file name nor one of {', '.join(MODES)}")
    return name, tuple(modes)


def _block(written: str, name: str, fence: _Fence, before: list[PageBlock]) -> PageBlock:
    language = _LANGUAGES[written]
    taken = {block.name for block in before}
    number = 1
    while not name:
        candidate = f"case{'' if number == 1 else number}{_SUFFIXES.get(written, '.cc')}"
        name = "" if candidate in taken else candidate
        number += 1
    if name in taken:
        raise PageError(fence.line - 1, f"block name `{name}` is used twice")
    lines, marks = _marks(language, fence)
    return PageBlock(language, name, "".join(line + "\n" for line in lines), fence.line, tuple(marks))


def _marks(language: Language, fence: _Fence) -> tuple[list[str], list[PageMark]]:
    """The block's lines without their marks, and the marks."""
    pattern = _MARKS[language]
    lines: list[str] = []
    marks: list[PageMark] = []
    waiting: list[PageMark] = []
    for number, line in enumerate(fence.lines, 1):
        found = [_mark(match, number, fence) for match in pattern.finditer(line)]
        clean = pattern.sub(lambda match: " " * len(match[0].encode()), line) if found else line
        lines.append(clean)
        if found and not clean.strip():
            waiting += found
        elif clean.strip():
            marks += [PageMark(mark.kind, mark.text, number, mark.certainty) for mark in waiting] + found
            waiting = []
    if waiting:
        raise PageError(fence.line + waiting[0].line - 1, f"`{waiting[0].kind}` marks no line of code")
    return lines, marks


def _mark(match: re.Match[str], line: int, fence: _Fence) -> PageMark:
    certainty = match["certainty"]
    if certainty is not None and certainty not in get_args(Certainty):
        raise PageError(fence.line + line - 1, f"`{certainty}` is not one of {', '.join(get_args(Certainty))}")
    if not match["text"]:
        raise PageError(fence.line + line - 1, f"`{match['kind']}` has no text")
    return PageMark(cast("Kind", match["kind"]), match["text"], line, cast("Certainty | None", certainty))
