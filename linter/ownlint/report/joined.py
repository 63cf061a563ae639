"""Reports with other paths, and several reports as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b

import msgspec

from ownlint.finding import Fix
from ownlint.report.model import Located, LocatedStep, Notice, Report, Silenced, reading_order

Renamed = Callable[[str], str]


def moved(report: Report, renamed: Renamed) -> Report:
    """The same, in the same order, with each path as `renamed` says it."""
    return msgspec.structs.replace(
        report,
        findings=tuple(_finding(each, renamed) for each in report.findings),
        elsewhere=tuple(_finding(each, renamed) for each in report.elsewhere),
        suppressed=tuple(_silenced(each, renamed) for each in report.suppressed),
        incomplete=tuple(msgspec.structs.replace(each, path=renamed(each.path)) for each in report.incomplete),
        notices=tuple(_renamed(each, each.path and renamed(each.path)) for each in report.notices),
        touched=None if report.touched is None else frozenset(map(renamed, report.touched)),
        digests={renamed(path): digest for path, digest in report.digests.items()},
    )


def _renamed(notice: Notice, path: str) -> Notice:
    return msgspec.structs.replace(notice, path=path)


def _finding(finding: Located, renamed: Renamed) -> Located:
    return msgspec.structs.replace(
        finding,
        path=renamed(finding.path),
        steps=_steps(finding.steps, renamed),
        fix=None if finding.fix is None else _fix(finding.fix, renamed),
    )


def _silenced(silenced: Silenced, renamed: Renamed) -> Silenced:
    return Silenced(_finding(silenced.finding, renamed), _steps(silenced.comments, renamed))


def _steps(steps: Sequence[LocatedStep], renamed: Renamed) -> tuple[LocatedStep, ...]:
    return tuple(msgspec.structs.replace(step, path=renamed(step.path)) for step in steps)


def _fix(fix: Fix, renamed: Renamed) -> Fix:
    edits = tuple(msgspec.structs.replace(edit, path=renamed(edit.path)) for edit in fix.edits)
    return msgspec.structs.replace(fix, edits=edits)


def joined(reports: Sequence[tuple[str, Report]]) -> Report:
    """One report of several projects, each with its folder, relative to what the paths are to be relative to; empty
    for that itself."""
    parts = [(folder, moved(report, _below(folder))) for folder, report in sorted(reports, key=lambda part: part[0])]
    digests: dict[str, str] = {}
    touched = [report.touched for _, report in parts if report.touched is not None]
    for _, report in parts:
        digests |= report.digests
    return Report(
        findings=tuple(sorted(_told_apart(parts), key=reading_order)),
        elsewhere=tuple(sorted((each for _, report in parts for each in report.elsewhere), key=reading_order)),
        incomplete=tuple(sorted({each for _, report in parts for each in report.incomplete})),
        suppressed=tuple(sorted(_silenced_in(parts), key=lambda each: reading_order(each.finding))),
        files=sum(report.files for _, report in parts),
        notices=tuple(_notices(parts)),
        touched=frozenset().union(*touched) if len(touched) == len(parts) else None,
        digests=dict(sorted(digests.items())),
    )


def _silenced_in(parts: Sequence[tuple[str, Report]]) -> Iterator[Silenced]:
    return (each for _, report in parts for each in report.suppressed)


def _notices(parts: Sequence[tuple[str, Report]]) -> Iterator[Notice]:
    """Nothing is said of a project as a whole in which there was nothing to look at, beside others."""
    looked_at = any(report.files for _, report in parts)
    for folder, report in parts:
        for each in report.notices:
            if each.path or report.files or not looked_at:
                yield _renamed(each, each.path or folder or ".")


def _below(folder: str) -> Renamed:
    return lambda path: f"{folder}/{path}".rstrip("/") if folder else path


def _told_apart(parts: Sequence[tuple[str, Report]]) -> list[Located]:
    """All findings. A fingerprint counts among the equals of one project: that of a later one is made another."""
    known: set[str] = set()
    out = []
    for folder, report in parts:
        for finding in report.findings:
            name = finding.fingerprint
            while name in known:
                name = blake2b(f"{name}\0{folder}".encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
            known.add(name)
            out.append(finding if name == finding.fingerprint else msgspec.structs.replace(finding, fingerprint=name))
    return out
