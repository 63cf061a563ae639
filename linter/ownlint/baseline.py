"""Findings that a project has put up with for now: a file in its repository, which a run leaves out of its report.

An entry is known by the finding's fingerprint (rule, symbol, the text of its lines, a count among equals), not by path
or line: it survives what happens around it. One entry a line, sorted: two branches that each add one merge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from pathlib import Path

import msgspec

from ownlint import door, json_reading
from ownlint.report.model import Kind, Located, Report
from ownlint.report.plain_json import json_line
from ownlint.report.sanitise import sanitise

NAME = "ownlint-baseline.json"
VERSION = 1
_MOST_BYTES = 64 << 20


class BaselineError(Exception):
    """The file is none; the text is one line with its place."""


class BaselineEntry(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """`message` and `symbol` are for people, who read the file in a review."""

    path: str
    rule: str
    symbol: str
    message: str
    fingerprint: str


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    findings: list[BaselineEntry]


def entries(report: Report) -> list[BaselineEntry]:
    """Of everything that is reported, sorted."""
    return sorted(
        BaselineEntry(sanitise(f.path), f.rule, sanitise(f.symbol), sanitise(f.message), f.fingerprint)
        for f in report.findings
    )


def text(found: Iterable[BaselineEntry]) -> str:
    lines = ",\n".join(f"    {json_line(entry)}" for entry in sorted(found))
    return f'{{\n  "version": {VERSION},\n  "findings": [\n{lines}\n  ]\n}}\n' if lines else _EMPTY


_EMPTY = f'{{\n  "version": {VERSION},\n  "findings": []\n}}\n'


def read(path: Path, root: Path) -> list[BaselineEntry]:
    """Raises `BaselineError`, also for a link in the project `root` that leads out of it."""
    try:
        data = door.read(path, _MOST_BYTES, within=root)
    except door.UnreadableError as error:
        raise BaselineError(f"{path}: {error.reason}") from None
    if marker := re.search(rb"^(?:<{7}|={7}|>{7})", data, re.MULTILINE):
        line = data.count(b"\n", 0, marker.start()) + 1
        raise BaselineError(f"{path}:{line}: merge conflict marker; keep the lines of both sides")
    try:
        document = json_reading.decode(data, _Document)
    except msgspec.DecodeError as error:
        raise BaselineError(f"{path}:{_line(data, error)}: {_reason(error)}") from None
    if document.version != VERSION:
        raise BaselineError(
            f"{path}:1: written in version {document.version}; this version of ownlint reads version {VERSION}"
        )
    return document.findings


def _line(data: bytes, error: msgspec.DecodeError) -> int:
    if at := re.search(r"byte (\d+)", str(error)):
        return data.count(b"\n", 0, int(at[1])) + 1
    if number := re.search(r"\$\.findings\[(\d+)\]", str(error)):
        starts = [match.start() for match in re.finditer(rb"^[ \t]*\{[ \t]*\"", data, re.MULTILINE)]
        index = int(number[1])
        return data.count(b"\n", 0, starts[index]) + 1 if index < len(starts) else 1
    return data.count(b"\n") + 1 if "truncated" in str(error) else 1


def _reason(error: msgspec.DecodeError) -> str:
    return sanitise(re.sub(r" - at `.*`$| \(byte \d+\)$", "", str(error))[:200])


class Split(msgspec.Struct, frozen=True):
    """A report without what the baseline knows, and the entries that match nothing any more."""

    report: Report
    known: tuple[Located, ...]
    stale: tuple[BaselineEntry, ...]


class Unjudged:
    """The files in which findings of this run may be missing that another run has: they were not read, changed, or a
    rule did not come to an end on them. All are, when that happened to something about the whole project."""

    def __init__(self, report: Report) -> None:
        self._paths = frozenset(sanitise(each.path) for each in report.incomplete if each.kind in _UNJUDGED)

    def __contains__(self, path: object) -> bool:
        return path in self._paths or "" in self._paths

    def __len__(self) -> int:
        return len(self._paths)


_UNJUDGED: frozenset[Kind] = frozenset({"unread", "limit", "rule", "changed"})


def renamed(found: Iterable[BaselineEntry], report: Report, now: Mapping[str, str]) -> list[BaselineEntry]:
    """With the names of today for rules that had others when the file was written: their entries are those of findings
    of which all but that is the same."""
    taken: dict[tuple[str, ...], list[str]] = {}
    for one in (*report.findings, *report.elsewhere) if now else ():
        key = (sanitise(one.path), one.rule, sanitise(one.symbol), sanitise(one.message))
        taken.setdefault(key, []).append(one.fingerprint)
    entries = []
    for entry in found:
        if entry.rule in now:
            entry = msgspec.structs.replace(entry, rule=now[entry.rule])
            if prints := taken.get((entry.path, entry.rule, entry.symbol, entry.message)):
                entry = msgspec.structs.replace(entry, fingerprint=prints.pop(0))
        entries.append(entry)
    return entries


def split(report: Report, found: Iterable[BaselineEntry], asked: Container[str], ran: Container[str]) -> Split:
    """`asked` are the files that were asked for and `ran` the rules: of others an entry says nothing, unless its file
    is gone, which is when it is not among `asked` of a run over everything. Nothing is stale in what was not judged in
    full. An entry matches once."""
    left = Counter(entry.fingerprint for entry in found)
    standing, known = _matched(report.findings, left)
    elsewhere, _ = _matched(report.elsewhere, left)
    stale = []
    unjudged = Unjudged(report)
    for entry in sorted(found, reverse=True):
        if entry.rule in ran and entry.path in asked and left[entry.fingerprint] > 0:
            left[entry.fingerprint] -= 1
            if entry.path not in unjudged:
                stale.append(entry)
    new = msgspec.structs.replace(report, findings=standing, elsewhere=elsewhere)
    return Split(new, known, tuple(sorted(stale)))


def _matched(findings: Iterable[Located], left: Counter[str]) -> tuple[tuple[Located, ...], tuple[Located, ...]]:
    """Those that no entry is left for, and those that took one."""
    standing: list[Located] = []
    known: list[Located] = []
    for finding in findings:
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
            known.append(finding)
        else:
            standing.append(finding)
    return tuple(standing), tuple(known)
