"""Runs a case and compares what the rules find with what the page says.

Files are read in this process: test code is one's own, and a child for every case would cost more than the rest.
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ownlint import catalogue
from ownlint.facts import anchors
from ownlint.facts.records import FileRecord, decode_file
from ownlint.facts.vocabulary import Vocabulary
from ownlint.finding import CERTAINTIES, Crash, Finding, Fix, Step
from ownlint.fixes import FixError, apply
from ownlint.frontends.cpp import structure
from ownlint.frontends.worker import Handshake, Request, WorkerReader
from ownlint.incremental.changes import touched
from ownlint.inputs import packs
from ownlint.interplay import preferences, settle
from ownlint.models import libraries as models
from ownlint.project.program import Earlier, Program
from ownlint.rule import Rule
from ownlint.testing.markdown import SEVERE, Mode, PageBlock, PageCase, PageMark
from ownlint.testing.wording import message_problems

STANDARD = "-std=c++20"


class CaseError(Exception):
    """The case could not be run: it names a rule or a header that is not there, or a file was not read in full."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What the rules say about a case, and what was read to say it."""

    findings: tuple[Finding, ...]
    crashes: tuple[Crash, ...]
    files: tuple[FileRecord, ...]


def check(case: PageCase, rules: Sequence[Rule], mode: Mode = "structure", prelude: Path | None = None) -> list[str]:
    """What is wrong with the case, a paragraph each; nothing when all is as marked, and what is not certain gives its
    reason. The words of a finding keep the conventions, and a fix is one of a rule that says it has some. Raises
    `CaseError`."""
    found = run(case, rules, mode, prelude)
    least = CERTAINTIES.index(case.options.certainty or "likely")
    shown = [finding for finding in found.findings if CERTAINTIES.index(finding.certainty) <= least]
    crashed = [f"{crash.rule} crashed: {crash.error}" for crash in found.crashes]
    wrong = crashed + list(compare(case, shown))
    doubtful = (finding for finding in found.findings if finding.certainty != "certain" and not finding.reason)
    wrong += [f"{_told(finding)} gives no reason why it is only {finding.certainty}" for finding in doubtful]
    wrong += sorted({problem for finding in found.findings for problem in message_problems(finding)})
    fixable = {rule.id for rule in rules if rule.fixable}
    for finding in found.findings:
        if finding.fix is not None and finding.rule not in fixable:
            wrong.append(f"{_told(finding)} has a fix, and its rule is not fixable")
        if finding.fix is not None:
            wrong += _wrong_with(finding, finding.fix, case, rules, mode, prelude)
    return wrong


def _wrong_with(
    finding: Finding, fix: Fix, case: PageCase, rules: Sequence[Rule], mode: Mode, prelude: Path | None
) -> Iterator[str]:
    """A fix leaves code that parses as well as before, in which what it mends is no longer found."""
    said = f"the fix of {_told(finding)}"
    try:
        blocks = tuple(replace(block, text=_fixed(block, fix)) for block in case.blocks)
    except FixError as error:
        yield f"{said} cannot be made: {error}"
        return
    vocabulary = load_models(case.options.models or "").vocabulary()
    for before, after in zip(case.blocks, blocks, strict=True):
        if after.text != before.text and _lost(after, vocabulary) > _lost(before, vocabulary):
            yield f"{said} does not parse:\n{after.text}"
            return
    try:
        left = run(replace(case, blocks=blocks), rules, mode, prelude).findings
    except CaseError as error:
        yield f"{said}: {error}"
        return
    before_it = run(case, rules, mode, prelude).findings
    if _count(left, finding) >= _count(before_it, finding):
        yield f"{said} does not remove the finding"
    elif fix.safe and len(left) >= len(before_it):
        yield f"{said} is safe, but something else is found after it"


def _fixed(block: PageBlock, fix: Fix) -> str:
    edits = [edit for edit in fix.edits if edit.path == block.name]
    return apply(block.text.encode(), edits).decode()


def _lost(block: PageBlock, vocabulary: Vocabulary) -> int:
    if block.language == "python":
        try:
            ast.parse(block.text)
        except SyntaxError:
            return 1
        return 0
    return structure.lost(block.text.encode(), vocabulary)


def _count(findings: Sequence[Finding], like: Finding) -> int:
    return sum((one.rule, one.path, one.message) == (like.rule, like.path, like.message) for one in findings)


def run(case: PageCase, rules: Sequence[Rule], mode: Mode = "structure", prelude: Path | None = None) -> CaseResult:
    """Every finding of `rules`, of any certainty, sorted by place. Raises `CaseError`."""
    program, files = read(case, rules, mode, prelude)
    results = list(catalogue.run(rules, program))
    said = [result for result in results if isinstance(result, Finding)]
    blocks = {block.name: block for block in case.blocks}
    findings = sorted(
        settle(said, preferences(rules), lambda path, offset: line_of(blocks[path], offset)),
        key=lambda finding: (finding.path, finding.span, finding.rule, finding.message),
    )
    return CaseResult(tuple(findings), tuple(result for result in results if isinstance(result, Crash)), files)


def read(
    case: PageCase, rules: Sequence[Rule], mode: Mode = "structure", prelude: Path | None = None
) -> tuple[Program, tuple[FileRecord, ...]]:
    """The program that the case is, of which nothing was asked, and its files as they were read. Raises `CaseError`."""
    known = load_models(case.options.models or "")
    with tempfile.TemporaryDirectory(prefix="ownlint-case-") as folder:
        words = [word for rule in rules for word in rule.anchors]
        files = tuple(_read(case.blocks, case, mode, Path(folder), prelude, known, words))
        earlier = _earlier(case, Path(folder), known, words, files)
    asked, versions = case.options.requires, case.options.versions or {}
    return Program(files, known, earlier, requirements=asked, packages=versions), files


@lru_cache(maxsize=32)
def load_models(extra: str = "") -> models.Models:
    """The models of every installed rule pack, and one more given as text."""
    paths = [pack / "models" for pack in packs() if (pack / "models").is_dir()]
    if not extra:
        return models.load(paths)
    with tempfile.TemporaryDirectory(prefix="ownlint-models-") as place:
        written = Path(place) / "case.toml"
        written.write_text(extra, encoding="utf-8")
        return models.load([*paths, written])


def _earlier(
    case: PageCase, folder: Path, known: models.Models, words: Sequence[str], now: Sequence[FileRecord]
) -> Earlier | None:
    """What the files of the case said before the change that it is about; None when it is about none."""
    if not case.before:
        return None
    files = tuple(_read(case.before, case, "structure", folder / "before", None, known, words))
    then = {file.path for file in files}
    renamed = {block.name: block.name if block.name in then else "" for block in case.blocks}
    return Earlier(files, renamed, touched(files, now, renamed))


def _read(
    all_of_them: Sequence[PageBlock],
    case: PageCase,
    mode: Mode,
    folder: Path,
    prelude: Path | None,
    known: models.Models,
    words: Sequence[str],
) -> Iterator[FileRecord]:
    """As the pipeline does: C++ first, then Python, and the Python that was passed over once more."""
    for block in all_of_them:
        place = folder / block.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(block.text, encoding="utf-8")

    def of(language: str, vocabulary: Vocabulary) -> list[FileRecord]:
        reader = WorkerReader(Handshake(vocabulary, retire=sys.maxsize))  # nobody replaces it: it need not look
        blocks = (block for block in all_of_them if block.language == language)
        return [_file(reader, block, _request(block, case, mode, folder, prelude), mode) for block in blocks]

    vocabulary = anchors.with_words(known.vocabulary(), words)
    cpp = of("cpp", vocabulary)
    vocabulary = anchors.with_bound_classes(vocabulary, cpp)
    python = of("python", vocabulary)
    yield from cpp
    for _ in range(anchors.MOST_PASSES):
        wider = anchors.with_helpers(vocabulary, python, known)
        if wider == vocabulary:
            break
        vocabulary, python = wider, of("python", wider)
    yield from python


def _file(reader: WorkerReader, block: PageBlock, request: Request, mode: Mode) -> FileRecord:
    file = decode_file(reader.answer(request)[1])
    reasons = "; ".join(problem.reason for problem in file.problems)
    if mode == "typed" and block.language == "cpp" and not file.typed:
        raise CaseError(f"{block.name} was not parsed with types: {reasons or 'no reason given'}")
    if reasons:
        raise CaseError(f"{block.name} was not fully parsed: {reasons}")
    return file


def _module(name: str) -> str:
    """The dotted name of a module; a package's own file has the package's."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _request(block: PageBlock, case: PageCase, mode: Mode, folder: Path, prelude: Path | None) -> Request:
    place = str(folder / block.name)
    if block.language == "python":
        return Request("python", block.name, place, module=_module(block.name))
    if mode == "structure":
        return Request("structure", block.name, place)
    arguments = ["-x", "c++", STANDARD, f"-I{folder}"]
    for header in case.options.prelude or ():
        if prelude is None or not (prelude / header).is_file():
            raise CaseError(f"the prelude `{header}` is not in {prelude}")
        arguments += [f"-I{prelude}", "-include", str(prelude / header)]
    return Request("meaning", block.name, place, tuple(arguments), str(folder))


# --- what was found against what was marked -------------------------------------------------------


def compare(case: PageCase, findings: Sequence[Finding]) -> Iterator[str]:
    """Each difference between the findings and the marks, as a paragraph."""
    rest = list(findings)
    for block in case.blocks:
        for mark in block.marks:
            if mark.kind in SEVERE:
                match = next((finding for finding in rest if _fits(finding, block, mark)), None)
                if match is None:
                    yield _missing(block, mark, findings)
                else:
                    rest.remove(match)
            elif mark.kind == "step" and not any(_leads_through(finding, block, mark) for finding in findings):
                steps = (step for finding in findings for step in finding.steps)
                here = sorted({step.message for step in steps if _stops(step, block, mark)})
                but = f"\n  but {', '.join(here)}" if here else ""
                yield f"no finding has this step:\n{_at(block, mark.line)}{mark.text}{but}"
            elif mark.kind == "reason" and not any(_doubts(finding, block, mark) for finding in findings):
                here = sorted({f.reason or "none" for f in findings if _begins(f, block, mark)})
                yield f"no finding has this reason:\n{_at(block, mark.line)}{mark.text}\n  but {', '.join(here)}"
    for finding in rest:
        block = next(block for block in case.blocks if block.name == finding.path)
        yield _unexpected(block, finding)


def _fits(finding: Finding, block: PageBlock, mark: PageMark) -> bool:
    return (
        _begins(finding, block, mark)
        and finding.severity == mark.kind
        and mark.text in finding.message
        and mark.certainty in (None, finding.certainty)
    )


def _begins(finding: Finding, block: PageBlock, mark: PageMark) -> bool:
    return finding.path == block.name and line_of(block, finding.span.start) == mark.line


def _doubts(finding: Finding, block: PageBlock, mark: PageMark) -> bool:
    return _begins(finding, block, mark) and mark.text in finding.reason


def _leads_through(finding: Finding, block: PageBlock, mark: PageMark) -> bool:
    return any(_stops(step, block, mark) and mark.text in step.message for step in finding.steps)


def _stops(step: Step, block: PageBlock, mark: PageMark) -> bool:
    return step.path == block.name and line_of(block, step.span.start) == mark.line


def line_of(block: PageBlock, offset: int) -> int:
    """The line of the block, from 1, in which the byte stands."""
    return block.text.encode().count(b"\n", 0, offset) + 1


def _missing(block: PageBlock, mark: PageMark, findings: Sequence[Finding]) -> str:
    near = [f for f in findings if f.path == block.name and line_of(block, f.span.start) == mark.line]
    said = "".join(f"\n  but there is {_told(finding)}" for finding in near)
    certainty = f"[{mark.certainty}]" if mark.certainty else ""
    return f"expected, but not found:\n{_at(block, mark.line)}{mark.kind}{certainty}: {mark.text}{said}"


def _unexpected(block: PageBlock, finding: Finding) -> str:
    line = line_of(block, finding.span.start)
    here = [mark for mark in block.marks if mark.line == line]
    because = "found, but not expected"
    if missed := next((mark for mark in here if mark.kind == "missed"), None):
        because = f"marked `missed: {missed.text}`, but it is found now (mark it as `{finding.severity}`)"
    elif innocent := next((mark for mark in here if mark.kind == "ok"), None):
        because = f"found on a line that is innocent (`ok: {innocent.text}`)"
    steps = "".join(f"\n  step {step.path}: {step.message}" for step in finding.steps)
    return f"{because}:\n{_at(block, line)}{_told(finding)}{steps}"


def _told(finding: Finding) -> str:
    return f"{finding.severity}[{finding.certainty}]: {finding.message} ({finding.rule})"


def _at(block: PageBlock, line: int) -> str:
    lines = block.text.splitlines()
    code = lines[line - 1].strip() if line <= len(lines) else ""
    return f"  {block.name}:{line} (line {block.line + line - 1} of the page): {code}\n    "
