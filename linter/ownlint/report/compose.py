"""From what the rules said to what is reported."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from types import MappingProxyType

import msgspec

from ownlint.config import Config
from ownlint.facts.records import FileRecord
from ownlint.finding import Crash, Finding, TooLarge
from ownlint.interplay import names_in, settle
from ownlint.report.model import Incomplete, Located, Notice, Report, Silenced, Sources, at_least, locate, reading_order
from ownlint.report.suppressions import Suppressions
from ownlint.selection import RuleNames

_WORD = re.compile(r"[A-Za-z_]\w*")
_BEHIND = 60
"""So many lines behind the last place of a finding may have been what it misses: at the end of a loop, say."""

Changed = Mapping[str, Sequence[tuple[int, int]]]
"""Path to the ranges of its lines that changed, both ends included."""


def compose(
    said: Iterable[Finding | Crash | TooLarge],
    files: Sequence[FileRecord],
    sources: Sources,
    config: Config,
    *,
    known: RuleNames,
    ran: Collection[str],
    yields: Mapping[str, Sequence[str]] | None = None,
    unread: Iterable[Incomplete] = (),
    hint: str = "",
    expected: bool = True,
    notices: Sequence[Notice] = (),
    changed: Changed | None = None,
    gone: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Report:
    """`files` are those that were asked for; `known` are the names of all rules there are, `ran` those that were run;
    `yields` says which rules a rule leaves the word to; `hint` says why files have no types, and `expected` that they
    should have; `notices` are what else there is to say. With `changed`, findings that touch none of these lines are
    left out, and those of them in files that have such lines are kept apart: others were not asked for."""
    findings: list[Finding] = []
    incomplete = [*unread, *_problems(files)]
    for each in said:
        if isinstance(each, Crash):
            incomplete.append(Incomplete(each.path, _not_judged(each), each.kind, each.by_others or not each.path))
        elif isinstance(each, TooLarge):
            incomplete.append(Incomplete(each.path, _given_up(each, sources), "limit"))
        else:
            findings.append(each)
    asked = {file.path for file in files}
    settled = settle(findings, yields or {}, sources.line)
    alike = {(one.rule, one.symbol) for one in settled if one.path in asked}  # which count for the fingerprints
    findings = [_led(one, sources) for one in settled if (one.rule, one.symbol) in alike]
    suppressions = Suppressions(files, sources, known)
    located = [each for each in locate(findings, sources) if each.path in asked]
    standing, silenced = suppressions.split(_permitted(located, config, known))
    about_us = locate(
        [each for each in (*suppressions.invalid(), *suppressions.unused(ran)) if each.rule in ran], sources
    )
    standing_too, silenced_too = suppressions.split(_permitted(about_us, config, known))
    sure = at_least([*standing, *standing_too], config.certainty)
    shown, elsewhere = _apart([_graded(finding, config, known) for finding in sure], changed, gone)
    comments = {each.finding: each.comments for each in (*silenced, *silenced_too)}
    hidden = _apart(at_least(list(comments), config.certainty), changed, gone)[0]
    return Report(
        findings=shown,
        elsewhere=elsewhere,
        incomplete=tuple(sorted(set(incomplete))),
        suppressed=tuple(Silenced(_graded(each, config, known), comments[each]) for each in hidden),
        files=len(files),
        notices=(*notices, *suppressions.former(), *_types_notice(files, hint, detail=not expected)),
        touched=None if changed is None else frozenset(path for path, lines in changed.items() if lines),
        digests=sources.digests_of([*shown, *hidden]),
    )


def _led(finding: Finding, sources: Sources) -> Finding:
    """Without steps that lead nowhere: to the finding's own line, where they name nothing that it does not, or where
    one has led already."""
    if not finding.steps:
        return finding
    own = sources.line(finding.path, finding.span.start)
    named = names_in(finding.message)
    steps = [
        step
        for step in finding.steps
        if step.path != finding.path
        or sources.line(step.path, step.span.start) != own
        or not names_in(step.message) <= named
    ]
    told = {(s.path, s.span.start, s.message): s for s in reversed(steps)}
    return msgspec.structs.replace(finding, steps=tuple(reversed(told.values())))


def _apart(
    findings: Iterable[Located], changed: Changed | None, gone: Mapping[str, Collection[str]]
) -> tuple[tuple[Located, ...], tuple[Located, ...]]:
    """Those that touch what changed, all of them without a change under review, and the others in changed files;
    sorted."""
    ordered = sorted(findings, key=reading_order)
    if changed is None:
        return tuple(ordered), ()
    touching = [_touches(finding, changed) or _is_left(finding, changed, gone) for finding in ordered]
    others = (one for one, touches in zip(ordered, touching, strict=True) if not touches)
    return tuple(compress(ordered, touching)), tuple(one for one in others if changed.get(one.path))


def _touches(finding: Located, changed: Changed) -> bool:
    """Whether it stands on a changed line, or leads through one."""
    places = [(finding.path, finding.region), *((step.path, step.region) for step in finding.steps)]
    return any(
        first <= region.end_line and region.line <= last
        for path, region in places
        for first, last in changed.get(path, ())
    )


def _is_left(finding: Located, changed: Changed, gone: Mapping[str, Collection[str]]) -> bool:
    """Whether the change takes out, between the first of its places and what follows the last, lines that say a name of
    which the finding speaks: a release that is there no longer."""
    words = {word for name in names_in(finding.message) for word in _WORD.findall(name)}
    if words.isdisjoint(gone.get(finding.path, ())):
        return False
    own = [finding.region, *(step.region for step in finding.steps if step.path == finding.path)]
    first, last = min(region.line for region in own), max(region.end_line for region in own) + _BEHIND
    return any(first <= end and start <= last for start, end in changed.get(finding.path, ()))


def _graded(finding: Located, config: Config, known: RuleNames) -> Located:
    name = known.best(config.severity, finding.rule)
    return finding if name is None else msgspec.structs.replace(finding, severity=config.severity[name])


def _permitted(findings: list[Located], config: Config, known: RuleNames) -> list[Located]:
    """Without those that `per-file-ignores` leaves out."""
    if not config.per_file_ignores or not findings:
        return findings
    from ownlint.gitignore import Ignored

    rules = [(Ignored([pattern]), names) for pattern, names in config.per_file_ignores.items()]

    def ignored(finding: Located) -> bool:
        return any(known.best(names, finding.rule) and paths.leaves_out(finding.path) for paths, names in rules)

    return [finding for finding in findings if not ignored(finding)]


def _not_judged(crash: Crash) -> str:
    if not crash.rule:
        return crash.error
    return f"rule `{crash.rule}` {'did not finish' if crash.kind == 'limit' else 'failed'}: {crash.error}"


def _given_up(function: TooLarge, sources: Sources) -> str:
    where = f"line {sources.line(function.path, function.start)}: "
    return f"{where}function `{function.name}` is too large for some rules"


def _problems(files: Iterable[FileRecord]) -> Iterable[Incomplete]:
    return (Incomplete(file.path, problem.reason, problem.kind) for file in files for problem in file.problems)


def _types_notice(files: Sequence[FileRecord], hint: str, *, detail: bool) -> Iterator[Notice]:
    """The hint alone, when all types are there: a database was broken, or is one of several."""
    cpp = [file for file in files if file.language == "cpp"]
    structure = sum(not file.typed and not file.meanings for file in cpp)
    part = sum(not file.typed and bool(file.meanings) for file in cpp)
    said = f"{structure} of {len(cpp)} C++ files were parsed without type information" if structure else ""
    if part:
        said = (
            f"{said}, {part} with some errors"
            if said
            else f"{part} of {len(cpp)} C++ files were parsed with some errors"
        )
    if said or hint:
        yield Notice(f"{said} ({hint})" if said and hint else said or hint, detail=detail)
