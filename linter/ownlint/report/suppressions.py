"""Comments that silence findings, and what is wrong with them.

A finding is silenced by a comment that names its rule and covers one of the lines of its main span.
Comments that silence nothing are findings themselves, so that none outlives its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ownlint.facts.records import FileRecord, Suppression
from ownlint.finding import Finding
from ownlint.report.model import TYPES_ONLY, Lines, Located, LocatedStep, Notice, RuleInfo, Silenced, Sources
from ownlint.selection import RuleNames

UNUSED = "unused-suppression"
INVALID = "invalid-suppression"
GROUP = "suppressions"

RULES: tuple[RuleInfo, ...] = (
    RuleInfo(
        UNUSED,
        "warning",
        "A suppression comment suppresses nothing.",
        "A suppression comment suppresses nothing.\n\nThe code was fixed, or the comment never was in the "
        "right place. If it stays, it hides the next bug of its kind. Remove it.\n\nIt is reported only "
        "for rules that were run, in files that were fully analysed.\n",
        group=GROUP,
        languages=("cpp", "python"),
    ),
    RuleInfo(
        INVALID,
        "warning",
        "A suppression comment is invalid.",
        "A suppression comment is invalid.\n\nIt names no rule or an unknown one, gives no reason, or "
        "begins a range that never ends; it suppresses nothing. Write `ownlint: ignore[rule-name]: why "
        "this is right`.\n",
        group=GROUP,
        languages=("cpp", "python"),
    ),
)
"""Rules of the linter about itself; they can be ignored like any other."""


class _Silence:
    """One name of rules that one comment silences, on some lines."""

    def __init__(self, name: str, rules: frozenset[str], first: int, last: int, comment: Suppression) -> None:
        self.name = name
        self.rules = rules
        self.first = first
        self.last = last
        self.comment = comment
        self.used = False

    def covers(self, finding: Located) -> bool:
        region = finding.region
        return finding.rule in self.rules and self.first <= region.end_line and region.line <= self.last


class Suppressions:
    """The comments of the files that were asked for."""

    def __init__(self, files: Iterable[FileRecord], sources: Sources, known: RuleNames) -> None:
        self._known = known
        self._sources = sources
        self._silences: dict[str, list[_Silence]] = {}
        self._invalid: list[Finding] = []
        self._partial: set[str] = set()
        self._former: dict[tuple[str, str], None] = {}
        for file in files:
            if not file.suppressions:
                continue
            if any(problem.kind not in TYPES_ONLY for problem in file.problems):
                self._partial.add(file.path)
            self._silences[file.path] = list(self._read(file, sources.lines(file.path)))

    def split(self, findings: Sequence[Located]) -> tuple[list[Located], list[Silenced]]:
        """Those that stand, and those that are silenced."""
        standing: list[Located] = []
        silenced: list[Silenced] = []
        for finding in findings:
            covering = [each for each in self._silences.get(finding.path, ()) if each.covers(finding)]
            for silence in covering:
                silence.used = True
            if covering:
                silenced.append(Silenced(finding, self._comments(finding.path, covering)))
            else:
                standing.append(finding)
        return standing, silenced

    def _comments(self, path: str, covering: Iterable[_Silence]) -> tuple[LocatedStep, ...]:
        """Each once, also where it names the rule twice."""
        lines = self._sources.lines(path)
        comments = {silence.comment.start: silence.comment for silence in covering}
        return tuple(LocatedStep(path, lines.region(each.span), each.reason) for _, each in sorted(comments.items()))

    def invalid(self) -> list[Finding]:
        return self._invalid

    def former(self) -> Iterator[Notice]:
        """Of names that rules had in earlier versions, one for each file."""
        for path, name in self._former:
            yield Notice(self._known.renamed(name), path)

    def unused(self, ran: Collection[str]) -> Iterator[Finding]:
        """To be asked after `split`. Silence about ourselves is never unused."""
        for path, silences in self._silences.items():
            if path in self._partial:
                continue
            for silence in silences:
                if not silence.used and not silence.rules.isdisjoint(ran) and silence.rules - {UNUSED, INVALID}:
                    yield Finding(
                        path,
                        silence.comment.span,
                        f"unused suppression: `{silence.name}` does not report anything here",
                        help="remove the comment, or the rule from its list",
                        rule=UNUSED,
                        severity="warning",
                    )

    def _read(self, file: FileRecord, lines: Lines) -> Iterator[_Silence]:
        open_: dict[str, Suppression] = {}
        for each in sorted(file.suppressions, key=lambda suppression: suppression.start):
            self._judge(file, each)
            for rule in each.rules:
                if self._is_wrong(rule):
                    continue
                if each.kind == "begin":
                    if rule in open_:
                        self._wrong(file, open_[rule], f"`begin-ignore[{rule}]` has no `end-ignore[{rule}]`")
                    open_[rule] = each
                elif each.kind == "end":
                    begin = open_.pop(rule, None)
                    if begin is None:
                        self._wrong(file, each, f"`end-ignore[{rule}]` has no `begin-ignore[{rule}]`")
                    elif begin.reason:
                        yield _Silence(
                            rule, self._known.of(rule), lines.line(begin.start), lines.line(each.start), begin
                        )
                elif each.reason:
                    first, last = _range(each, file, lines)
                    yield _Silence(rule, self._known.of(rule), first, last, each)
        for rule, begin in open_.items():
            self._wrong(file, begin, f"`begin-ignore[{rule}]` has no `end-ignore[{rule}]`")

    def _is_wrong(self, name: str) -> str:
        """What is wrong with a name in a list; nothing when it is one of rules."""
        if self._known.exactness(name) == 1:
            return f"`{name}` would suppress every rule: name the rules or their group"
        return "" if self._known.of(name) else f"unknown rule `{name}`{self._known.instead_of(name)}"

    def _judge(self, file: FileRecord, each: Suppression) -> None:
        if each.problem:
            self._wrong(file, each, each.problem)
            return
        if not each.rules:
            self._wrong(file, each, "suppression names no rule")
            return
        for rule in each.rules:
            if wrong := self._is_wrong(rule):
                self._wrong(file, each, wrong)
            elif rule in self._known.now:
                self._former[file.path, rule] = None
        if not each.reason and each.kind != "end":
            self._wrong(file, each, "suppression has no reason", "give a reason after a colon: `]: reason`")

    def _wrong(self, file: FileRecord, each: Suppression, message: str, help: str = "") -> None:
        finding = Finding(file.path, each.span, message, help=help, rule=INVALID, severity="warning")
        self._invalid.append(finding)


def _range(each: Suppression, file: FileRecord, lines: Lines) -> tuple[int, int]:
    if each.kind == "file":
        return 1, len(lines.starts)
    if each.kind == "next":
        line = _next_code_line(each.end, file, lines)
        return line, line
    return lines.line(each.start), lines.line(each.start)


def _next_code_line(offset: int, file: FileRecord, lines: Lines) -> int:
    """The next line below `offset` that holds more than blanks and comments."""
    data = lines.data
    newline = data.find(b"\n", offset)
    at = len(data) if newline < 0 else newline + 1
    ends = dict(zip(file.comments[::2], file.comments[1::2], strict=False))
    while at < len(data):
        if at in ends and ends[at] > at:
            at = ends[at]
        elif data[at : at + 1].isspace():
            at += 1
        else:
            break
    return lines.line(min(at, max(len(data) - 1, 0)))
