"""What a run found, with its places as people count them: lines and columns from 1, columns in code points."""

from __future__ import annotations

import bisect
import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec

from ownlint import door
from ownlint.choices import Suite
from ownlint.facts.base import Language, Span
from ownlint.facts.digest import digest_of
from ownlint.finding import Assumption, Certainty, Finding, Fix, Role, Severity
from ownlint.measured import Counts

_MOST_BYTES = 64 << 20


class Region(msgspec.Struct, frozen=True, gc=False):
    """`start` and `end` are bytes; the end, in bytes and in columns, is the place after the last character."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class LocatedStep(msgspec.Struct, frozen=True):
    path: str
    region: Region
    message: str
    role: Role | None = None
    """As the rule said it."""
    aside: bool = False
    """Beside the path: it has no number."""


class Located(msgspec.Struct, frozen=True):
    """A finding with its places."""

    rule: str
    severity: Severity
    certainty: Certainty
    message: str
    path: str
    region: Region
    help: str = ""
    symbol: str = ""
    fingerprint: str = ""
    """Stays the same when lines move: made of rule, symbol, text of the line, and a count among equals."""
    steps: tuple[LocatedStep, ...] = ()
    fix: Fix | None = None
    reason: str = ""
    """Why it is not certain; empty where nobody knows, and where it is."""
    assumed: tuple[Assumption, ...] = ()
    cause: str = ""
    """As the rule said it."""
    others: tuple[Region, ...] = ()
    """Of one that is told for several with one cause, the places of the others, in its file."""


class Silenced(msgspec.Struct, frozen=True):
    """A finding that comments suppress."""

    finding: Located
    comments: tuple[LocatedStep, ...]
    """Where they stand, each with the reason that it gives as its message."""


Kind = Literal["unread", "partial", "headers", "types", "limit", "rule", "changed"]
KINDS: Mapping[Kind, str] = MappingProxyType(
    {
        "unread": "not read",
        "partial": "partially analysed",
        "headers": "parsed without all headers",
        "types": "parsed without full type information",
        "limit": "stopped at a limit",
        "rule": "not checked by every rule",
        "changed": "changed during the run",
    }
)
"""Every way in which the analysis of a file can be incomplete, and how it is written for people."""

TYPES_ONLY: frozenset[Kind] = frozenset({"headers", "types"})
"""The structure of the file was analysed in full: what is missing are types."""


class Incomplete(msgspec.Struct, frozen=True, order=True):
    """Why the analysis of a file is incomplete: findings in it may be missing."""

    path: str
    reason: str
    kind: Kind = "unread"
    by_others: bool = False
    """It is due to another file, or to nobody knows which."""

    @property
    def placed(self) -> tuple[int, str]:
        """The line the reason begins with, 0 where it names none, and the rest of it."""
        found = re.match(r"line (\d+): ", self.reason)
        return (int(found[1]), self.reason[found.end() :]) if found else (0, self.reason)


class Notice(msgspec.Struct, frozen=True):
    """One line; `path` is what it is about, relative to the root, `.` for that and empty for the whole run."""

    message: str
    path: str = ""
    detail: bool = False
    """Nothing that was asked for is missing: for people it is worth a line with `--verbose` alone."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a renderer may say. Findings are sorted by path, place and rule."""

    findings: tuple[Located, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()
    elsewhere: tuple[Located, ...] = ()
    """Of a run about changes, the findings in changed files that touch none of them: counted, not shown. What touches
    none and stands in other files was not looked for."""
    suppressed: tuple[Silenced, ...] = ()
    files: int = 0
    """How many files were asked for."""
    notices: tuple[Notice, ...] = ()
    """What the user should know beside the findings: that files were not looked at, or by structure only."""
    touched: frozenset[str] | None = None
    """Of a run about changes, the files that have changed lines; None where all are asked about."""
    digests: Mapping[str, str] = {}
    """By path, the digest of what was analysed of the files that findings speak of."""

    def is_beside(self, each: Incomplete) -> bool:
        """Whether it is of a file that the changes which the run is about do not touch."""
        return bool(each.path) and not self.is_about(each.path)

    def is_about(self, path: str) -> bool:
        """Whether all was looked for in a file, as far as the run was asked about it: not where nothing changed."""
        return self.touched is None or path in self.touched

    @property
    def lost(self) -> tuple[Incomplete, ...]:
        """What costs findings in files that are not to blame for it, as far as they were asked for."""
        return tuple(each for each in self.incomplete if each.by_others and not self.is_beside(each))

    @property
    def failed(self) -> bool:
        """A rule raised, or a file never stood still: findings may be missing."""
        return any(each.kind in ("rule", "changed") for each in self.incomplete)

    @property
    def unanalysed(self) -> tuple[Incomplete, ...]:
        """What is incomplete for more than want of types."""
        return tuple(each for each in self.incomplete if each.kind not in TYPES_ONLY)


class RuleInfo(msgspec.Struct, frozen=True):
    """What the renderers need to know of a rule."""

    id: str
    severity: Severity
    summary: str
    manual: str
    """The whole manual page, Markdown."""
    group: str = ""
    """What the rule is about, as in `select`; the name of its folder, with dashes."""
    languages: tuple[Language, ...] = ()
    fixable: bool = False
    """Some of its findings come with a fix."""
    of_change: bool = False
    """It is about what a change brings, and asks for `--diff-base` or `--changed`."""
    cwe: tuple[int, ...] = ()
    """Numbers of the CWE list: the weaknesses that a finding is an example of."""
    suite: Suite = "default"
    counts: Counts = Counts()
    """What it was given its suite for."""
    formerly: tuple[str, ...] = ()
    """Names of earlier versions that stand for it."""


class Lines:
    """Byte offsets of one file as lines and columns."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = [0]
        at = data.find(b"\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = data.find(b"\n", at + 1)

    def line(self, offset: int) -> int:
        """Numbered from 1."""
        return bisect.bisect_right(self.starts, offset)

    def around(self, first: int, last: int) -> tuple[int, int]:
        """Where these lines begin and end, as far as there are such."""
        begins = self.starts[min(first, len(self.starts)) - 1]
        return begins, self.starts[last] if last < len(self.starts) else len(self.data)

    def bytes_of(self, line: int) -> bytes:
        """The text of a line, without its end."""
        if not 1 <= line <= len(self.starts):
            return b""
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.data)
        return self.data[self.starts[line - 1] : end].rstrip(b"\r")

    def column(self, offset: int) -> int:
        """In code points, from 1; each byte that is not UTF-8 counts as one, a byte order mark as none."""
        start = self.starts[self.line(offset) - 1]
        before = self.data[start:offset]
        if start == 0:
            before = before.removeprefix(b"\xef\xbb\xbf")
        return len(before.decode("utf-8", "surrogateescape")) + 1

    def region(self, span: Span) -> Region:
        """Kept inside the file and without the blank end a parser may have included."""
        size = len(self.data)
        start = min(max(span.start, 0), size)
        end = min(max(span.end, start), size)
        end = start + len(self.data[start:end].rstrip())
        return Region(start, end, self.line(start), self.column(start), self.line(end), self.column(end))


class Sources:
    """The text of the project's files, read when something is to be shown: never another one than was analysed."""

    def __init__(
        self,
        root: Path,
        unsaved: Mapping[str, bytes] = MappingProxyType({}),
        digests: Mapping[str, str] | None = None,
        base: Path | None = None,
    ) -> None:
        """`unsaved` is what stands in some of them, by path, whatever is on the disk; `digests` are those of what was
        analysed, None where nothing was. Paths are relative to `base`, else to `root`; below it all files lie."""
        self._root = Path(os.path.abspath(root))  # noqa: PTH100 - without following links
        self._base = self._root if base is None else base
        self._digests = digests
        self._lines = {path: Lines(text) for path, text in unsaved.items()}
        self.changed: set[str] = set()
        """Files that were asked for and no longer hold what was analysed."""

    def lines(self, path: str) -> Lines:
        """Empty when the file cannot be read (any more), no longer holds what was analysed, or is none of the
        project's."""
        known = self._lines.get(path)
        if known is None:
            data = self._read(path)
            if self._digests is not None and digest_of(data) != self._digests.get(path, ""):
                self.changed.add(path)
                data = b""
            known = self._lines[path] = Lines(data)
        return known

    def digests_of(self, findings: Iterable[Located]) -> dict[str, str]:
        """Of all files that these speak of, by path."""
        known = self._digests or {}
        return {path: known[path] for path in sorted(set().union(*map(places, findings))) if known.get(path)}

    def line(self, path: str, offset: int) -> int:
        """The line, from 1, in which a byte of a file stands."""
        return self.lines(path).region(Span(offset, offset)).line

    def _read(self, path: str) -> bytes:
        place = Path(os.path.normpath(self._base / path))
        if not place.is_relative_to(self._root):
            return b""
        try:
            return door.read(place, _MOST_BYTES, within=self._root, cut=True)
        except door.UnreadableError:
            return b""


def in_order(finding: Located) -> list[tuple[int, LocatedStep]]:
    """Each step with its number: those of the path are counted in the order in which they happen; what stands aside
    has 0, and so has the only one of a path."""
    several = sum(not step.aside for step in finding.steps) > 1
    numbers = itertools.count(1)
    return [(next(numbers) if several and not step.aside else 0, step) for step in finding.steps]


def listed_steps(finding: Located) -> list[tuple[str, LocatedStep]]:
    """The same for a list of lines: each with what stands before it."""
    return [(f"{number}. " if number else "- ", step) for number, step in in_order(finding)]


def places(finding: Located) -> set[str]:
    """The files that it speaks of."""
    edits = finding.fix.edits if finding.fix is not None else ()
    return {finding.path, *(step.path for step in finding.steps), *(edit.path for edit in edits)}


def locate(findings: Iterable[Finding], sources: Sources) -> list[Located]:
    """With lines, columns and fingerprints; sorted. Findings that say the same are one."""
    ordered = sorted(findings, key=_order)
    equals: dict[bytes, int] = {}
    located: list[Located] = []
    last: Finding | None = None
    for finding in ordered:
        same = msgspec.structs.replace(
            finding, reason="", assumed=()
        )  # who doubts for another reason has found nothing else
        if same != last:
            located.append(_located(finding, sources, equals))
        last = same
    return located


def _order(finding: Finding) -> tuple[object, ...]:
    steps = tuple((step.path, step.span.start, step.message) for step in finding.steps)
    said = (finding.message, finding.certainty, steps, finding.reason, finding.assumed)
    return (finding.path, finding.span.start, finding.rule, finding.span.end, *said)


def _located(finding: Finding, sources: Sources, equals: dict[bytes, int]) -> Located:
    lines = sources.lines(finding.path)
    region = lines.region(finding.span)
    steps = (
        LocatedStep(s.path, sources.lines(s.path).region(s.span), s.message, s.role, s.aside) for s in finding.steps
    )
    return Located(
        rule=finding.rule,
        severity=finding.severity,
        certainty=finding.certainty,
        message=finding.message,
        path=finding.path,
        region=region,
        help=finding.help,
        symbol=finding.symbol,
        fingerprint=_fingerprint(finding, lines, region, equals),
        steps=tuple(steps),
        fix=finding.fix,
        reason=finding.reason,
        assumed=finding.assumed,
        cause=finding.cause,
    )


def _fingerprint(finding: Finding, lines: Lines, region: Region, equals: dict[bytes, int]) -> str:
    shown = range(region.line, min(region.end_line, region.line + 20) + 1)
    text = b" ".join(b" ".join(lines.bytes_of(number).split()) for number in shown)
    same = b"\0".join((finding.rule.encode(), finding.symbol.encode(), text))
    count = equals[same] = equals.get(same, -1) + 1
    return blake2b(same + b"\0%d" % count, digest_size=8).hexdigest()


def reading_order(finding: Located) -> tuple[str, int, str, int, str]:
    """By this findings stand in a report."""
    return (finding.path, finding.region.start, finding.rule, finding.region.end, finding.message)


def below(place: str, base: Path) -> str:
    """An absolute path, relative to `base` where it lies below it."""
    place = os.path.normpath(place)
    return place.removeprefix(f"{base}/".replace("//", "/"))


def at_least(findings: Sequence[Located], certainty: Certainty) -> list[Located]:
    from ownlint.finding import CERTAINTIES

    limit = CERTAINTIES.index(certainty)
    return [finding for finding in findings if CERTAINTIES.index(finding.certainty) <= limit]
