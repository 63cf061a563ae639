"""What a job does: one run of the pipeline for the open files of a workspace folder, or one question about bindings."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from ownlint import contracting, door, pipeline
from ownlint.config import ConfigError
from ownlint.facts.base import Span
from ownlint.facts.errors import RefusalError
from ownlint.finding import Fix
from ownlint.models.contract_records import ALL, ContractFile, Lent, MemberContract
from ownlint.report import silencing
from ownlint.report.model import KINDS, TYPES_ONLY, Located, Report
from ownlint.report.progress import Told as ToldProgress
from ownlint.report.sanitise import sanitise
from ownlint.server.messages import (
    BindingFact,
    Checked,
    CheckJob,
    ContractJob,
    Failed,
    FileReport,
    Job,
    OfferedFix,
    OpenBuffer,
    PlacedNote,
    Promised,
    Reached,
    Reply,
    ScreenPlace,
    Shown,
    TextChange,
    texts,
)
from ownlint.server.places import Places
from ownlint.sources.unsaved import MOST_BYTES, stored

Say = Callable[[Reply], None]
_BETWEEN = 0.2
"""Seconds between two words about how far a job has come."""
_TOO_LARGE = f"not analysed: the buffer is larger than {MOST_BYTES >> 20} MB"


class Checks(Protocol):
    """What the command line does, for the server."""

    def projects(self, paths: Sequence[Path], given: Mapping[str, Any]) -> Sequence[pipeline.Options]:
        """The projects that the paths are in, each with its settings. Raises a `RefusalError`."""

    def report(self, options: pipeline.Options) -> Report:
        """What is reported of one of them. Raises a `RefusalError`."""


def done(job: Job, checks: Checks, say: Say) -> None:
    """Does the job and says what comes of it."""
    match job:
        case CheckJob():
            _check(job, checks, say)
        case ContractJob():
            _contracts(job, checks, say)


def _projects(job: Job, paths: Sequence[Path], checks: Checks, say: Say) -> Iterator[pipeline.Options]:
    """The projects of these files; none where their settings have a mistake, which is said."""
    if not paths:
        return
    try:
        found = checks.projects(paths, job.given)
    except RefusalError as error:
        others = error.others if isinstance(error, ConfigError) else ()
        say(Failed(job.number, "\n".join((str(error), *others))))
        return
    for options in found:
        yield msgspec.structs.replace(options, told=_telling(job.number, say))


def _telling(number: int, say: Say) -> ToldProgress:
    """Says how far the pipeline has come, now and then."""
    last = 0.0

    def told(doing: str, done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > _BETWEEN:
            last = time.monotonic()
            say(Reached(number, doing, done, of))

    return told


# --- findings --------------------------------------------------------------------------------------


def _check(job: CheckJob, checks: Checks, say: Say) -> None:
    """Says what is found in the open files, project by project."""
    large = {path for path, text in texts(job.buffers).items() if len(text) > MOST_BYTES}
    for path in large:
        say(Checked(job.number, (FileReport(path, (), (PlacedNote(ScreenPlace(path, 0, 0, 0, 0), _TOO_LARGE),)),)))
    buffers = [each for each in job.buffers if each.path not in large]
    with contextlib.ExitStack() as kept:
        unsaved = [
            kept.enter_context(stored(Path(path), data))
            for path, text in texts(buffers).items()
            if (data := text.encode("utf-8", "replace")) != _saved(path)
        ]
        for options in _projects(job, [Path(each.path) for each in buffers], checks, say):
            own = {path.resolve() for path in options.paths}
            options = msgspec.structs.replace(options, unsaved=tuple(one for one in unsaved if one.path in own))
            try:
                report = checks.report(options)
            except RefusalError as error:
                say(Failed(job.number, str(error)))
                continue
            say(Checked(job.number, tuple(_files(report, options, buffers, job))))


def _saved(path: str) -> bytes | None:
    """What the disk holds of a file; None where that cannot be read."""
    try:
        return door.read(path, MOST_BYTES)
    except door.UnreadableError:
        return None


def _files(
    report: Report, options: pipeline.Options, buffers: Sequence[OpenBuffer], job: CheckJob
) -> Iterator[FileReport]:
    """One for each open file of the project, whether something is found in it or not."""
    root = options.root.resolve()
    sources = pipeline.sources_of(options, report.digests)
    places = Places(root, sources, job.encoding)
    suppressed = {_identity(finding): finding.fix for finding in silencing.silenced(sources, report.findings, "")}
    asked = {path.resolve() for path in options.paths}
    for buffer in buffers:
        path = Path(buffer.path).resolve()
        if path not in asked:
            continue
        relative = path.relative_to(root).as_posix()
        own = [finding for finding in report.findings if finding.path == relative]
        yield FileReport(
            buffer.path,
            tuple(_shown(finding, suppressed.get(_identity(finding)), places) for finding in own),
            tuple(_incomplete(report, relative, buffer.path)),
        )


def _identity(finding: Located) -> tuple[str, int, str]:
    return finding.path, finding.region.start, finding.fingerprint


def _shown(finding: Located, comment: Fix | None, places: Places) -> Shown:
    region = finding.region
    return Shown(
        finding.rule,
        finding.severity,
        finding.certainty,
        sanitise(finding.message),
        places.of(finding.path, Span(region.start, region.end)),
        sanitise(finding.help),
        sanitise(finding.reason),
        finding.fingerprint,
        tuple(
            PlacedNote(places.of(step.path, Span(step.region.start, step.region.end)), sanitise(step.message))
            for step in finding.steps
        ),
        None if finding.fix is None else _offered(finding.fix, places),
        None if comment is None else _changes(comment, places)[0],
    )


def _offered(fix: Fix, places: Places) -> OfferedFix:
    return OfferedFix(sanitise(fix.message), fix.safe, _changes(fix, places))


def _changes(fix: Fix, places: Places) -> tuple[TextChange, ...]:
    return tuple(TextChange(places.of(edit.path, edit.span), edit.text) for edit in fix.edits)


def _incomplete(report: Report, relative: str, path: str) -> Iterator[PlacedNote]:
    """Why findings may be missing in a file; that types are missing is no news in an editor."""
    for each in report.incomplete:
        if each.path == relative and each.kind not in TYPES_ONLY and not report.is_beside(each):
            number, reason = each.placed
            line = max(number - 1, 0)
            yield PlacedNote(ScreenPlace(path, line, 0, line, 0), sanitise(f"{KINDS[each.kind]}: {reason}"))


# --- contracts -------------------------------------------------------------------------------------


def _contracts(job: ContractJob, checks: Checks, say: Say) -> None:
    """Says what the bindings of each project promise, as far as they are saved."""
    for options in _projects(job, [Path(each.path) for each in job.buffers], checks, say):
        root = options.root.resolve()
        try:
            found = contracting.extract(msgspec.structs.replace(options, paths=(root,)), "project")
        except RefusalError:
            say(Promised(job.number, str(root), ()))  # nothing is bound
            continue
        say(Promised(job.number, str(root), tuple(_facts(found.contract, root))))


def _facts(contract: ContractFile, root: Path) -> Iterator[BindingFact]:
    for member in contract.members:
        path, _, number = member.at.rpartition(":")
        line = int(number) - 1 if path and number.isdigit() else 0
        yield BindingFact(member.symbol, ScreenPlace(str(root / path), line, 0, line, 0), _told(member))


def _told(member: MemberContract) -> str:
    """A binding as Markdown: its head, and a line for each thing that it promises."""
    called = member.kind in ("method", "static", "function", "init")
    head = f"{member.symbol}({', '.join(member.names)})" if called else member.symbol
    lines = [f"**{_code(head)}**" + (f" returns {_code(member.returns)}" if member.returns else ""), ""]
    lines += [f"- {_borrowed(one)}" for one in member.borrows]
    for kept in member.stores:
        how = "kept alive by the binding" if kept.protected else "**not kept alive**"
        lines.append(f"- stores the address of argument {kept.argument} in {_code(kept.into)}; {how}")
    if member.invalidates:
        names = "everything" if ALL in member.invalidates else ", ".join(map(_code, member.invalidates))
        lines.append(f"- invalidates what was taken by {names}")
    if member.policy:
        lines.append(f"- return value policy {_code(member.policy)}")
    if member.releases_gil:
        lines.append("- releases the GIL")
    return "\n".join((*lines, "", f"Bound at {_code(member.at)}"))


def _borrowed(one: Lent) -> str:
    """As in "result borrows from `self`; kept alive by `reference_internal`"."""
    doubt = "" if one.certainty == "certain" else f" ({one.certainty})"
    if one.protected:
        kept = f"kept alive by {_code(one.reason)}" if one.reason else "kept alive by the binding"
    else:
        kept = "**not kept alive**" + (f": {_code(one.reason)}" if one.reason else "")
    return f"result borrows from {_code(one.source)}; {kept}{doubt}"


def _code(text: str) -> str:
    """Text of the project, which is no Markdown whatever it holds."""
    return f"`{sanitise(text).replace('`', chr(39))}`"
