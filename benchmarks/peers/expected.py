"""What peers' tests expect, read out of their own files, and what of it ownlint finds. Nothing here starts anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from ownlint import toml

HERE = Path(__file__).parent


class PeerError(Exception):
    """A peer's description or tests cannot be read; the text is one line."""


class Bug(NamedTuple):
    """What a peer expects: its own kind, in a function of a file below the clone's top."""

    path: str
    function: str
    kind: str


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Kinds of the peer (`theirs`) that are one of ours, and the rules that say it. `unsaid` is why most of it is not
    found, where no rule is about it: the reason of every miss that has none of its own."""

    name: str
    theirs: tuple[str, ...]
    rules: tuple[str, ...]
    unsaid: str = ""


class Miss(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why expected bugs are not found: in general words, with the functions as `path:function`."""

    reason: str
    functions: tuple[str, ...]


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What was found on one day in one commit of the peer: a baseline, no bound."""

    day: str
    commit: str
    expected: int
    found: int
    innocent: int
    loud: int


class Peer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    title: str
    repository: str
    folders: tuple[str, ...]
    kind: tuple[Kind, ...]
    out_of_subject: dict[str, str]
    miss: tuple[Miss, ...] = ()
    measured: tuple[Measured, ...] = ()
    not_innocent: dict[str, str] = {}
    """By path of files in which nothing is expected, or `path:function`, why something is wrong all the same."""

    @property
    def kinds(self) -> dict[str, Kind]:
        """By the peer's own word."""
        return {theirs: kind for kind in self.kind for theirs in kind.theirs}

    def reason(self, bug: Bug) -> str:
        """Why it is missed, as far as it is recorded."""
        here = f"{bug.path}:{bug.function}"
        recorded = (miss.reason for miss in self.miss if here in miss.functions)
        return next(recorded, "") or self.kinds[bug.kind].unsaid or "nobody has looked yet"


def peer(name: str) -> Peer:
    """Raises `PeerError`."""
    path = HERE / f"{name}.toml"
    try:
        return msgspec.convert(toml.parse(path.read_text(encoding="utf-8")), Peer)
    except toml.TomlError as error:
        raise PeerError(f"{path}:{error.line}: {error.message}") from None
    except msgspec.ValidationError as error:
        raise PeerError(f"{path}: {error}") from None


# --- what Infer expects -------------------------------------------------------------------------------

_ISSUE = re.compile(r"([^,]+), (.+?), -?\d+, ([A-Z_\d]+), ")
"""`path, function, line from its start, KIND, ...`; a function can have template arguments."""

_THEIRS_FALSE = re.compile(r"(?:^|_|::)FP|FP$|_ok\d*(?:_FP)?$|::ok\d*$|_good$")
"""Their names for reports that they themselves hold to be false."""

_INNOCENT = re.compile(r"(?:_|^|::)(?:ok|good)(?:\d+|_FP|_latent)?$")
"""Their names for functions in which nothing is wrong."""


def infer_bugs(folder: str, issues: str) -> set[Bug]:
    """Out of an `issues.exp` of that folder. What they name as their own false alarm, and what they suppress, is no
    bug."""
    found = set()
    for line in issues.splitlines():
        told = _ISSUE.match(line)
        if told is None or "*** SUPPRESSED ***" in line:
            continue
        path, function, kind = told.groups()
        if not _THEIRS_FALSE.search(bare(function)):
            found.add(Bug(f"{folder.partition('codetoanalyze/')[0]}{path}", bare(function), kind))
    return found


def is_innocent(function: str) -> bool:
    return _INNOCENT.search(bare(function)) is not None


def bare(function: str) -> str:
    """Without template arguments, parameters, and what a lambda adds."""
    while (shorter := re.sub(r"<[^<>]*>", "", function)) != function:
        function = shorter
    return re.sub(r"\(.*|::lambda.*|::_lambda.*|\[.*", "", function).strip().removesuffix("::")


# --- what cpychecker expects --------------------------------------------------------------------------

_WARNINGS = (
    ("refcount too high", re.compile(r"ob_refcnt of .* too high")),
    ("refcount too low", re.compile(r"ob_refcnt of .* too low")),
    ("deallocated memory", re.compile(r"deallocated memory")),
    ("NULL used", re.compile(r"with NULL as argument|dereferencing NULL")),
    ("NULL without exception", re.compile(r"without setting an exception")),
    ("uninitialized data", re.compile(r"uninitialized data")),
)


def cpychecker_bugs(path: str, stderr: str) -> set[Bug]:
    """Out of the warnings that are expected of one input file; the function is the one that they stand under."""
    found = set()
    function = ""
    for line in stderr.splitlines():
        if within := re.search(r": In function '(\w+)'|^In function '(\w+)'", line):
            function = within[1] or within[2]
        elif told := re.search(r": (?:warning|error): (.*)", line):
            kind = next((name for name, pattern in _WARNINGS if pattern.search(told[1])), "not checked")
            found.add(Bug(path, function, kind))
    return found


# --- what we find -------------------------------------------------------------------------------------


class Finding(NamedTuple):
    rule: str
    path: str
    symbol: str
    message: str


@dataclass(frozen=True)
class Score:
    """Of one peer. `loud` are findings of the rules above in innocent places."""

    found: frozenset[Bug]
    missed: frozenset[Bug]
    beyond: frozenset[Bug]
    loud: tuple[Finding, ...]


def scored(peer: Peer, bugs: Iterable[Bug], findings: Sequence[Finding], innocent: Sequence[Finding]) -> Score:
    """`innocent` are the findings in functions in which the peer says that nothing is wrong. A bug is found when a rule
    of its kind speaks in its function."""
    said = {(finding.path, last(finding.symbol), finding.rule) for finding in findings}
    kinds = peer.kinds
    found, missed, beyond = set(), set(), set()
    for bug in bugs:
        if bug.kind not in kinds:
            if bug.kind not in peer.out_of_subject:
                raise PeerError(f"{peer.title}: nothing is said of the kind {bug.kind}")
            beyond.add(bug)
        elif any((bug.path, last(bug.function), rule) in said for rule in kinds[bug.kind].rules):
            found.add(bug)
        else:
            missed.add(bug)
    ours = {rule for kind in peer.kind for rule in kind.rules}
    loud = tuple(sorted(one for one in innocent if one.rule in ours))
    return Score(frozenset(found), frozenset(missed), frozenset(beyond), loud)


def last(symbol: str) -> str:
    """`Class::method` of a qualified name, or the function's own name."""
    parts = bare(symbol).split("::")
    return "::".join(parts[-2:])
