"""Which finding of a run is which judged one, and what changed between two runs. Nothing here reads a file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec
from verdict_records import Certainty, Judged, Place, Verdict

NEAR = 3
"""Lines that a finding may have moved by within a file when its function is not known."""

State = Literal["reported", "possible", "silent"]
"""`reported` is at the certainty that users get without asking, `possible` only when they ask for everything."""


class FindingStep(msgspec.Struct, frozen=True):
    path: str
    line: int


class Finding(msgspec.Struct, frozen=True):
    """What the JSON report of `ownlint check` says, as much as is needed here."""

    rule: str
    path: str
    line: int
    column: int
    certainty: Certainty
    message: str
    symbol: str = ""
    fingerprint: str = ""
    assumed: tuple[str, ...] | None = None
    """None where the revision did not say it."""
    steps: tuple[FindingStep, ...] = ()

    @property
    def state(self) -> State:
        return "possible" if self.certainty == "possible" else "reported"

    def __str__(self) -> str:
        return f"{self.rule} {self.path}:{self.line} {self.symbol}".rstrip()


class Incomplete(msgspec.Struct, frozen=True):
    path: str = ""
    reason: str = ""


class Report(msgspec.Struct, frozen=True):
    """Of one release. Unknown keys are left out: an older revision may have others."""

    findings: tuple[Finding, ...] = ()
    incomplete: tuple[Incomplete, ...] = ()


class Site(NamedTuple):
    """One place of one verdict."""

    verdict: Verdict
    place: Place

    @property
    def judged(self) -> Judged:
        return self.verdict.verdict

    def __str__(self) -> str:
        at = f"{self.verdict.rule} {self.place.path}:{self.place.line} {self.place.function}".rstrip()
        return f"{at}: {self.verdict.reason}"


def sites(verdicts: Iterable[Verdict], release: str) -> list[Site]:
    """Of one release, in order of place. What several rounds judged counts once, with the last word."""
    found: dict[tuple[str, str, int, str], Site] = {}
    for verdict in verdicts:
        if verdict.release == release:
            found.update(
                {
                    (verdict.rule, place.path, place.line, place.fingerprint): Site(verdict, place)
                    for place in verdict.places
                }
            )
    return [found[key] for key in sorted(found)]


def match(judged: Sequence[Site], findings: Sequence[Finding]) -> dict[int, Finding]:
    """By the index of the judged site, the finding of the same rule that is it. A finding is that of one site at most.

    First by fingerprint, of equal ones the one in the same file; then by the very place; then one that has a step
    there; then the nearest one in the same function of the file; then the nearest within `NEAR` lines.
    """
    left = set(range(len(findings)))
    out: dict[int, Finding] = {}

    def take(
        of_site: Callable[[Site], Hashable | None], of_finding: Callable[[Finding], Hashable | None], most: int | None
    ) -> None:
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for index in sorted(left):
            key = of_finding(findings[index])
            if key is not None:
                waiting[key].append(index)
        pairs = []
        for number, site in enumerate(judged):
            key = of_site(site) if number not in out else None
            for index in waiting.get(key, ()) if key is not None else ():
                apart = abs(findings[index].line - site.place.line)
                if most is None or apart <= most:
                    pairs.append((findings[index].path != site.place.path, apart, number, index))
        for _, _, number, index in sorted(pairs):
            if number not in out and index in left:
                out[number] = findings[index]
                left.discard(index)

    take(lambda s: (s.verdict.rule, s.place.fingerprint) if s.place.fingerprint else None, _fingerprint, None)
    take(lambda s: (s.verdict.rule, s.place.path), lambda f: (f.rule, f.path), 0)
    led: dict[tuple[str, FindingStep], list[int]] = defaultdict(list)
    for index in sorted(left):
        for step in findings[index].steps:
            led[findings[index].rule, step].append(index)
    for number, site in enumerate(judged):
        through = led[site.verdict.rule, FindingStep(site.place.path, site.place.line)] if number not in out else []
        if (index := next((one for one in through if one in left), None)) is not None:
            out[number] = findings[index]
            left.discard(index)
    take(
        lambda s: (s.verdict.rule, s.place.path, s.place.function) if s.place.function else None,
        lambda f: (f.rule, f.path, f.symbol),
        None,
    )
    take(lambda s: (s.verdict.rule, s.place.path), lambda f: (f.rule, f.path), NEAR)
    return out


def _fingerprint(finding: Finding) -> Hashable | None:
    return (finding.rule, finding.fingerprint) if finding.fingerprint else None


@dataclass(frozen=True)
class Change:
    """A judged site that two runs see in unlike ways. `instead` are other findings of the new run on the line where
    the old run's stood."""

    release: str
    site: Site
    before: State
    after: State
    instead: tuple[Finding, ...] = ()

    @property
    def weaker(self) -> bool:
        return _LOUD[self.after] < _LOUD[self.before]

    @property
    def lost(self) -> bool:
        return self.site.judged == "true" and self.weaker


_LOUD: dict[State, int] = {"silent": 0, "possible": 1, "reported": 2}


@dataclass(frozen=True)
class Comparison:
    """Of one release. `unjudged` are findings that the old run has not and nobody judged, and `untold` judged ones
    that neither run has, by verdict. `incomplete` is what the new run alone could not judge in full."""

    release: str
    changes: tuple[Change, ...] = ()
    unjudged: tuple[Finding, ...] = ()
    standing: Counter[tuple[Judged, State]] = field(default_factory=Counter)
    incomplete: tuple[Incomplete, ...] = ()

    @property
    def passes(self) -> bool:
        return not self.unjudged and not any(change.lost for change in self.changes)


def compare(release: str, judged: Sequence[Site], old: Report, new: Report, *, everything: bool = False) -> Comparison:
    """With `everything`, what is merely possible is to be judged, too."""
    before, after = match(judged, old.findings), match(judged, new.findings)
    changes = []
    standing: Counter[tuple[Judged, State]] = Counter()
    for number, site in enumerate(judged):
        was = before[number].state if number in before else "silent"
        now = after[number].state if number in after else "silent"
        standing[site.judged, now] += 1
        if was != now:
            line = before[number].line if number in before else site.place.line
            same = (
                f for f in new.findings if (f.path, f.line) == (site.place.path, line) and f.rule != site.verdict.rule
            )
            changes.append(Change(release, site, was, now, tuple(same) if now == "silent" else ()))
    known = {id(finding) for finding in after.values()}
    fresh = _new(old.findings, [finding for finding in new.findings if id(finding) not in known])
    fresh = [finding for finding in fresh if everything or finding.state == "reported"]
    fresh.sort(key=lambda f: (f.rule, f.path, f.line, f.column, f.message))
    incomplete = sorted(
        (Counter(new.incomplete) - Counter(old.incomplete)).elements(), key=lambda one: (one.path, one.reason)
    )
    return Comparison(release, tuple(changes), tuple(fresh), standing, tuple(incomplete))


def _new(old: Iterable[Finding], new: Iterable[Finding]) -> list[Finding]:
    """Those that the old run has not: neither by fingerprint nor by place and words, and as loud."""
    old = list(old)
    out = []
    by_print = Counter((f.rule, f.fingerprint, f.state) for f in old if f.fingerprint)
    by_place = Counter((f.rule, f.path, f.line, f.state) for f in old)
    for finding in new:
        if by_print[finding.rule, finding.fingerprint, finding.state] > 0:
            by_print[finding.rule, finding.fingerprint, finding.state] -= 1
        elif by_place[finding.rule, finding.path, finding.line, finding.state] > 0:
            by_place[finding.rule, finding.path, finding.line, finding.state] -= 1
        else:
            out.append(finding)
    return out
