"""What is done with a report before it is shown: what is known is left out, what can be mended is mended.

Whatever is written is checked by running again: a fix after which a file can no longer be read is undone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ownlint import baseline, pipeline
from ownlint.cli import mending
from ownlint.cli.delivery import CannotRunError, shown
from ownlint.cli.projects import Run
from ownlint.facts.cache import Cache
from ownlint.files import write_whole
from ownlint.outline import outline_of_rules
from ownlint.pipeline import Options
from ownlint.report.model import TYPES_ONLY, Located, Report
from ownlint.report.sanitise import sanitise
from ownlint.selection import RuleNames

_MOST_ROUNDS = 10
"""A fix may make room for another."""


class Adopted(NamedTuple):
    """`notes` are lines for the user; `done` is how many findings were mended or silenced, and `undone` are lines about
    what was to be, and was not: they are said to those, too, who asked for quiet."""

    report: Report
    notes: tuple[str, ...] = ()
    done: int = 0
    undone: tuple[str, ...] = ()


def adopted(run: Run, known: Sequence[Path | None], *, fix: bool, unsafe: bool, reason: str | None) -> Adopted:
    """What is reported of the run, with the baseline of each project. With `fix`, what can be mended is mended, with a
    `reason` what is found is silenced: in no project before all were analysed. Raises a `RefusalError` when a project
    cannot be, and `CannotRunError`."""
    found = [without_known(pipeline.run(one), one, file) for one, file in zip(run.projects, known, strict=True)]
    for number, (one, file) in enumerate(zip(run.projects, known, strict=True)):
        if fix:
            found[number] = mended(found[number].report, one, unsafe=unsafe, baseline_file=file)
        elif reason is not None:
            found[number] = silenced(found[number].report, one, reason, file)
    notes = [note for one in found for note in one.notes]
    done = sum(one.done for one in found)
    if done and fix:
        notes.append(f"fixed {_count(done, 'finding')}")
    elif reason is not None:
        notes.append(f"suppressed {_count(done, 'finding')}")
    undone = tuple(line for one in found for line in one.undone)
    return Adopted(run.joined(one.report for one in found), tuple(notes), done, undone)


# --- baselines --------------------------------------------------------------------------------


def baseline_of(options: Options, given: Path | None, *, isolated: bool) -> Path | None:
    """The file that is named, else the one of the settings, else the one of the usual name where there is one."""
    if given is not None:
        return given
    if (named := options.settings.config.baseline) is not None:
        return options.root / named
    usual = options.root / baseline.NAME
    return usual if not isolated and os.path.lexists(usual) else None


def baselines(run: Run, given: Path | None, *, isolated: bool) -> list[Path | None]:
    """For each project. Raises `CannotRunError` where one file is named for several."""
    if given is not None and len(run.projects) > 1:
        roots = ", ".join(os.path.relpath(project.root) for project in run.projects)
        raise CannotRunError(
            f"--baseline: each of these projects has its own: {roots}; set `baseline` in their settings, "
            "or check one of them"
        )
    return [baseline_of(project, given, isolated=isolated) for project in run.projects]


def without_known(report: Report, options: Options, file: Path | None) -> Adopted:
    """Raises `CannotRunError` for a file that is none."""
    if file is None:
        return Adopted(report)
    split = baseline.split(report, _renamed(file, report, options), _Asked(options, report), _ran(options))
    notes = []
    if split.known:
        notes.append(f"{_count(len(split.known), 'finding')} hidden by the baseline {os.path.relpath(file)}")
    if split.stale:
        entries = _count(len(split.stale), "stale entry")
        notes.append(f"{entries} in {os.path.relpath(file)}; `ownlint baseline prune` removes them")
    return Adopted(split.report, tuple(notes))


def write_baseline(report: Report, options: Options, file: Path) -> str:
    """With the findings of this run, and what the file says of others; told in one line."""
    kept: list[baseline.BaselineEntry] = []
    found = list(baseline.entries(report))
    if file.exists():
        asked, ran = _Asked(options), _ran(options)
        known = _renamed(file, report, options)
        kept = [entry for entry in known if entry.path not in asked or entry.rule not in ran]
        lost = (Counter(known) - Counter(kept) - Counter(found)).elements()
        unjudged = baseline.Unjudged(report)
        kept += [entry for entry in lost if entry.path in unjudged]
    _write(file, [*kept, *found])
    return f"wrote {_count(len(found), 'finding')} to {file}" + (f", and kept {len(kept)} others" if kept else "")


def prune_baseline(report: Report, options: Options, file: Path) -> str:
    """Without the entries that match nothing any more, or whose file is gone."""
    entries = _renamed(file, report, options)
    stale = list(baseline.split(report, entries, _Asked(options), _ran(options)).stale)
    left = []
    for entry in entries:
        if entry in stale:
            stale.remove(entry)
        else:
            left.append(entry)
    _write(file, left)
    return f"removed {_count(len(entries) - len(left), 'entry')} from {file}; {len(left)} left"


def unjudged(report: Report, file: Path) -> str:
    """What is said where a baseline is written or pruned without the whole truth; empty where it is."""
    if not baseline.Unjudged(report):
        return ""
    return f"warning: not everything was analysed; entries of {file.name} for the rest are kept, see `ownlint check`"


def shown_baseline(file: Path, options: Options) -> Iterable[str]:
    """A line for each entry, and how many there are."""
    entries = _read(file, options)
    for entry in sorted(entries):
        yield f"{sanitise(entry.path)}: {sanitise(entry.rule)}: {sanitise(entry.message)}"
    yield f"{_count(len(entries), 'entry')} in {_count(len({entry.path for entry in entries}), 'file')}"


def _read(file: Path, options: Options) -> list[baseline.BaselineEntry]:
    try:
        return baseline.read(file, options.root)
    except baseline.BaselineError as error:
        raise CannotRunError(str(error)) from None


def _write(file: Path, entries: Iterable[baseline.BaselineEntry]) -> None:
    try:
        write_whole(file, baseline.text(entries).encode())
    except OSError as error:
        raise CannotRunError(f"{file}: {error.strerror or error}") from None


class _Asked:
    """The paths of a run: whether a file of the project is among them, or would be if it were still there. With the
    report of a change, whether all was looked for in it."""

    def __init__(self, options: Options, report: Report | None = None) -> None:
        self._report = report
        self._root = options.root
        self._paths = [path.resolve() for path in options.paths]

    def __contains__(self, path: object) -> bool:
        place = self._root / str(path)
        if self._report is not None and not self._report.is_about(str(path)) and place.exists():
            return False
        return any(asked == place or asked in place.parents for asked in self._paths)


def _ran(options: Options) -> frozenset[str]:
    return _names(options).selected(options.settings.config)


def _names(options: Options) -> RuleNames:
    return RuleNames(outline_of_rules(Cache(options.cache, options.root)).infos)


def _renamed(file: Path, report: Report, options: Options) -> list[baseline.BaselineEntry]:
    return baseline.renamed(_read(file, options), report, _names(options).now)


# --- fixes ------------------------------------------------------------------------------------


def mended(report: Report, options: Options, *, unsafe: bool, baseline_file: Path | None) -> Adopted:
    """Makes the fixes in the files, as long as there are any. Raises `CannotRunError` when a file cannot be written."""
    done, undone = 0, list[str]()
    alone: dict[str, str] = {}
    for _ in range(_MOST_ROUNDS):
        written = _mend(options.root, mending.plan(options.root, report, unsafe=unsafe, alone=alone))
        alone |= written.alone
        if not written.after:
            break
        report, broken = _checked(written, report, options, alone)
        report = without_known(report, options, baseline_file).report
        if broken:
            there = ", ".join(map(shown(options.root, Path.cwd()), broken))
            undone.append(f"warning: {there}: the fix was undone: the file could not be fully analysed after it")
            break
        done += len(written.made)
    return Adopted(report, done=done, undone=(*left_alone(alone, options.root), *undone))


def _checked(
    written: mending.Plan, report: Report, options: Options, alone: dict[str, str]
) -> tuple[Report, list[str]]:
    """The report after it, and the files for which it had to be undone: with each, all that a fix changed with it."""
    after = pipeline.run(options)
    hurt = (_unread(after) - _unread(report)) & written.after.keys()
    if not hurt:
        return after, []
    undone = mending.together(written, hurt)
    _undo(options.root, written, undone, alone)
    return pipeline.run(options), undone


def _undo(root: Path, written: mending.Plan, paths: Iterable[str], alone: dict[str, str]) -> None:
    for path in paths:
        try:
            if not mending.undo(root, written, path):
                alone[path] = "changed after it was fixed"
        except mending.MendError as error:
            raise CannotRunError(str(error)) from None


def left_alone(alone: Mapping[str, str], root: Path) -> list[str]:
    """A line for each file below `root` that no fix was made in."""
    here = shown(root, Path.cwd())
    return [f"warning: {sanitise(here(path))}: {reason}; not changed" for path, reason in sorted(alone.items())]


def _unread(report: Report) -> set[str]:
    return {each.path for each in report.incomplete if each.kind not in (*TYPES_ONLY, "rule")}


def _mend(root: Path, planned: mending.Plan) -> mending.Plan:
    """What was made of it."""
    try:
        return mending.write(root, planned)
    except mending.MendError as error:
        raise CannotRunError(str(error)) from None


# --- comments that silence --------------------------------------------------------------------


def silenced(report: Report, options: Options, reason: str, baseline_file: Path | None) -> Adopted:
    """A comment at every finding of the report. Raises `CannotRunError` for a reason that cannot stand in one."""
    from ownlint.report import silencing

    try:
        reason = silencing.check_reason(reason)
    except silencing.ReasonError as error:
        raise CannotRunError(f"--add-suppressions: {error}") from None
    first, unread = report, _unread(report)
    asked = {finding.fingerprint for finding in first.findings}
    alone: dict[str, str] = {}
    for trailing in (False, True):
        left = [finding for finding in report.findings if finding.fingerprint in asked]
        while left:
            sources = pipeline.sources_of(options, report.digests)
            comments = silencing.silenced(sources, left, reason, trailing=trailing)
            alone |= dict.fromkeys(sources.changed, "changed after it was analysed")
            commented = msgspec.structs.replace(report, findings=tuple(comments))
            written = _mend(options.root, mending.plan(options.root, commented, unsafe=False, alone=alone))
            alone |= written.alone
            if not written.after:
                break
            after = pipeline.run(options)
            wrong = _of_no_use(after, left, unread) & written.after.keys()
            tried = left
            if wrong:  # what stands there is no comment; those beside it may do
                _undo(options.root, written, sorted(wrong), alone)
                standing = {finding.fingerprint for finding in after.findings}
                left = [one for one in tried if one.path in wrong and one.fingerprint not in standing]
                after = pipeline.run(options)
            report = without_known(after, options, baseline_file).report
            if not wrong or len(left) == len(tried):
                break
    done = len(first.findings) - len(report.findings)
    undone = left_alone(alone, options.root)
    here = shown(options.root, Path.cwd())
    undone += [
        (
            f"warning: {sanitise(here(one.path))}:{one.region.line}: {one.rule}: not suppressed: a comment "
            "above the line or at its end has no effect, or would change how the file is parsed"
        )
        for one in report.findings
        if one.path not in alone
    ]
    return Adopted(report, done=done, undone=tuple(undone))


def _of_no_use(after: Report, silenced: Iterable[Located], unread: Collection[str]) -> set[str]:
    """Files in which a comment did not do what it should, or that cannot be read as before: not those of `unread`."""
    from ownlint.report import silencing

    known = {finding.fingerprint for finding in silenced}
    wrong = {f.path for f in after.findings if f.fingerprint in known or f.rule in silencing.ABOUT_COMMENTS}
    return wrong | (_unread(after) - set(unread))


# --- words ------------------------------------------------------------------------------------


def fixable(report: Report) -> str:
    """How many of the findings could be mended, for the end of a report; empty when none."""
    safe = sum(f.fix is not None and f.fix.safe for f in report.findings)
    unsafe = sum(f.fix is not None and not f.fix.safe for f in report.findings)
    if not safe and not unsafe:
        return ""
    said = f"{safe} fixable with `--fix`" if safe else ""
    more = f"{unsafe} {'more ' * bool(safe)}fixable with `--fix --unsafe-fixes`" if unsafe else ""
    return ", ".join(part for part in (said, more) if part)


def _count(number: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"
