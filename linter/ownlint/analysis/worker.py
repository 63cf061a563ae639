"""The worker: it judges one case after the other, and may crash, hang or grow at any of them."""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ownlint import catalogue
from ownlint.analysis.messages import Done, Holding, Leaving, Message, SaidOfCase, WrittenDown, tell
from ownlint.catalogue import Judgement, SubjectCase
from ownlint.children import resident
from ownlint.finding import Crash, Finding, TooLarge
from ownlint.incremental import kept, values
from ownlint.incremental.comparing import Comparison
from ownlint.incremental.kept import KeptFindings, KeptProject, KeptSubject
from ownlint.incremental.notebook import Notebook, ProjectNotes, ProjectThen, answer_prints
from ownlint.project import questions

if TYPE_CHECKING:
    from ownlint.analysis.analyst import Analyst

_MOST_OF_RULE_IN_FILE = 3
_MOST_IN_FILE = 6
_MOST_OF_RULE = 20
_MOST_LOST = 20
"""A failure may cost a new worker and what it has to find out again; a rule that fails everywhere, and a file at which
everything fails, are given up. What takes too many steps is the file's doing: it costs no rule its other files."""

OUT_OF_MEMORY = 77
"""The status with which a worker ends."""

HALF_DONE = 78
"""The status with which an analyst ends that has judged what leaves something half-done."""

COMPARING = -1
"""In place of a case, while what was kept is compared."""

_WRITTEN = 3 << 20
"""Bytes of what is kept that are written in a second. What took less time than that is not written down: the next run
finds it out again, beside what has changed since."""

_OWN = 512 << 20
"""Bytes that all workers together may have beside what they share, however much that is."""

STRIDE = 32
"""So many cases are judged between two looks at how much memory that took."""


class At(NamedTuple):
    """A judgement by its number: of the case among all, of the rule among those of the case."""

    case: int
    rule: int


def goes_on(crash: Crash) -> bool:
    """Whether a worker that has said this judges what follows: an answer that takes too many counted steps leaves
    nothing half-done, see `questions`; what a rule's bug or a stack that is too deep leaves is not known."""
    return crash.kind == "limit" and crash.counted


class DealtCase(NamedTuple):
    group: int
    before: int
    """Subjects of the groups before."""
    name: str
    case: SubjectCase


class Position:
    """At which judgement and subject a worker is, and where its block of cases ends: in memory that it shares with the
    analyst, and that survives it."""

    _LAYOUT = struct.Struct("qqq")
    _END = struct.Struct("q")

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, self._LAYOUT.size + self._END.size)
        self.put(0, 0, 0)

    def put(self, case: int, rule: int, subject: int) -> None:
        self._LAYOUT.pack_into(self._memory, 0, case, rule, subject)

    @property
    def judgement(self) -> At:
        return At(*self._LAYOUT.unpack_from(self._memory)[:2])

    @property
    def subject(self) -> int:
        return int(self._LAYOUT.unpack_from(self._memory)[2])

    @property
    def end(self) -> int:
        """The number of the first case that is somebody else's."""
        return int(self._END.unpack_from(self._memory, self._LAYOUT.size)[0])

    @end.setter
    def end(self, case: int) -> None:
        self._END.pack_into(self._memory, self._LAYOUT.size, case)


class Blocks:
    """Runs of cases that are dealt to workers, each in pipes: who reads takes the next, and who has done its own takes
    what is left of another's."""

    _RUN = struct.Struct("qq")
    MOST = 1024
    """Runs for one worker: what a pipe holds anywhere."""

    def __init__(self, dealt: Sequence[Sequence[range]]) -> None:
        self._pipes = []
        for runs in dealt:
            reading, writing = os.pipe()
            for run in runs:
                os.write(writing, self._RUN.pack(run.start, run.stop))
            os.close(writing)
            self._pipes.append(reading)

    def next(self, worker: int) -> range | None:
        """For the worker with that number; None when nothing is left."""
        for pipe in (*self._pipes[worker:], *self._pipes[:worker]):
            data = os.read(pipe, self._RUN.size)
            if data:
                return range(*self._RUN.unpack(data))
        return None

    def close(self) -> None:
        for pipe in self._pipes:
            os.close(pipe)


class WorkerPlace(Protocol):
    """Where a worker stands: the one with that `number` of `lanes` that work at the same time; without `blocks`, all
    cases are its own."""

    analyst: Analyst
    number: int
    lanes: int
    blocks: Blocks | None
    at: Position


class _InFile(NamedTuple):
    rule: str
    path: str


class FailureTally:
    """What is not judged any more, since it has failed too often."""

    def __init__(self) -> None:
        self._in_files: Counter[_InFile] = Counter()
        self._files: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()
        self._lost: set[str] = set()
        """The files at which a worker was lost: what one of them does costs the others nothing."""

    def after(self, crash: Crash, *, lost: bool) -> tuple[Crash, ...]:
        """Counts a failure, and says what is given up now; each is named once."""
        return tuple(self._given_up(crash, lost=lost))

    def _given_up(self, crash: Crash, *, lost: bool) -> Iterator[Crash]:
        here, before = _InFile(crash.rule, crash.path), len(self._lost)
        self._in_files[here] += 1
        self._files[crash.path] += bool(crash.path) and (lost or crash.kind == "limit")
        self._rules[crash.rule] += crash.kind != "limit"
        if lost:
            self._lost.add(crash.path)
        if self._in_files[here] == _MOST_OF_RULE_IN_FILE:
            yield Crash(
                crash.rule, crash.path, "it is not run on the rest of the file", crash.kind, counted=crash.counted
            )
        if self._files[crash.path] == _MOST_IN_FILE:
            why = "no rule is run on the rest of the file: too many failed"
            yield Crash("", crash.path, why, crash.kind, counted=crash.counted)
        if self._rules[crash.rule] == _MOST_OF_RULE and crash.kind != "limit":
            yield Crash(crash.rule, "", "it is not run on the rest of the project", crash.kind)
        if len(self._lost) == _MOST_LOST and before < _MOST_LOST:
            yield Crash("", "", "no rule is run on the rest of the project: too many failed", crash.kind)

    def any(self) -> bool:
        """Whether something has failed at all."""
        return bool(self._rules)

    def __contains__(self, judgement: Judgement) -> bool:
        rule, path = judgement.rule.id, judgement.path
        return (
            self._in_files[_InFile(rule, path)] >= _MOST_OF_RULE_IN_FILE
            or self._files[path] >= _MOST_IN_FILE
            or self._rules[rule] >= _MOST_OF_RULE
            or len(self._lost) >= _MOST_LOST
        )


class Worker:
    """Judges. Whatever happens here, the analyst goes on."""

    def __init__(self, place: WorkerPlace, output: int) -> None:
        self.analyst = place.analyst
        self.place = place
        self.at = place.at
        self.output = output
        self.told_large = 0
        self.notebooks: list[Notebook] = []
        self._begun = time.process_time()
        self._recalled = 0
        """Bytes of what was kept."""
        self._found: list[Finding] = []
        self._judged_cases = 0
        """Since it was looked at how much memory that took."""
        self._comparisons: dict[str, Comparison | None] = {}
        """What was kept of the project, by its name."""
        self._then: list[ProjectThen] = []

    def work(self, begin: At) -> None:
        """From there on, in the blocks that it gets."""
        enough = self._most()
        self.notebooks = list(self._notebooks())
        self.at.put(begin.case, begin.rule, self.at.subject)
        for number, found in self._cases(begin):
            if self._judged_cases >= STRIDE:
                self._judged_cases = 0
                if resident() > enough:
                    self._tell(Leaving(number))
                    break
            if not self._case(number, begin.rule if number == begin.case else 0, found):
                break
        else:
            if all(self._case(number, 0, self.analyst.cases[number]) for number in self.analyst.beside(self._found)):
                self._tell(Done())
        self._leave()

    def _most(self) -> int:
        """Bytes that it may have: what it has now is the analyst's, and no copy has that for itself."""
        shared = resident()
        return shared + max(self.analyst.limits.memory * 3 // 4 - shared, _OWN) // self.place.lanes

    def _cases(self, begin: At) -> Iterator[tuple[int, DealtCase]]:
        """Its own, with their numbers."""
        cases, blocks = self.analyst.cases, self.place.blocks
        asks_all = self.analyst.touching is None
        run: range | None = range(begin.case, len(cases) if blocks is None else self.at.end)
        while run is not None:
            for number in run:
                if asks_all or self.analyst.asks(number):
                    yield number, cases[number]
                else:
                    self._pass_over(cases[number])
            run = None if blocks is None else blocks.next(self.place.number)
            if run is not None:
                self.at.put(run.start, 0, self.at.subject)
                self.at.end = run.stop

    def _tell(self, message: Message) -> None:
        tell(self.output, message)

    def _notebooks(self) -> Iterator[Notebook]:
        """One for each group, with what still holds of what was kept."""
        analyst, memory = self.analyst, self.analyst.memory
        if memory is None:
            return
        recalled = [memory.recall(group) if analyst.recalls else None for group in range(len(analyst.groups))]
        holding = analyst.holding
        if holding is not None:  # a worker before this one has found it out
            for project, known in holding.same.items():
                self._take_over(project, known)
        elif any(recalled):
            self.at.put(COMPARING, 0, self.at.subject)
        gone: dict[int, tuple[str, ...]] = {}
        for group, one in enumerate(recalled):
            then = None if one is None else kept.decode(one.findings)
            if one is None or then is None:
                yield Notebook(analyst.program)
                continue
            self._recalled += len(one.findings)
            if holding is not None:
                lost = frozenset(holding.gone.get(group, then.subjects))
                holds = {name: said for name, said in then.subjects.items() if name not in lost}
            else:
                holds = self._compared(one.project, then)
                gone[group] = tuple(then.subjects.keys() - holds.keys())
            yield Notebook(analyst.program, then if holds else None, holds)
        if holding is None and any(recalled):
            same = {name: tuple(one.same) for name, one in self._comparisons.items() if one is not None}
            self._tell(Holding(gone, same))

    def _take_over(self, name: str, same: Collection[str]) -> None:
        """What a worker before this one has found out about what was kept of the project."""
        then = self._project(name)
        if then is not None:
            values.recall(self.analyst.program, {one: then.answers[one].value for one in same})
            self._then.append(ProjectThen(then, same))

    def _project(self, name: str) -> KeptProject | None:
        memory = self.analyst.memory
        data = None if memory is None else memory.project(name)
        self._recalled += len(data or b"")
        return None if data is None else kept.decode_project(data)

    def _compared(self, project: str, then: KeptFindings) -> dict[str, KeptSubject]:
        """What still holds of what was kept of a group, and with it of the project."""
        try:
            if project not in self._comparisons:
                self._comparisons[project] = None  # where it fails, it is not tried again
                self._comparisons[project] = self._compare(project)
            comparison = self._comparisons[project]
            return {} if comparison is None else comparison.subjects(then)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except Exception:  # noqa: BLE001 - what is not known to hold is asked again
            return {}

    def _compare(self, project: str) -> Comparison | None:
        memory, then = self.analyst.memory, self._project(project)
        if memory is None or then is None:
            return None
        comparison = Comparison(then, self.analyst.program, memory.files, memory.facts)
        self._then.append(ProjectThen(then, comparison.same))
        return comparison

    def _pass_over(self, found: DealtCase) -> None:
        """What still holds of it is kept, though nobody asks."""
        notebook = self.notebooks[found.group] if self.notebooks else None
        held = None if notebook is None else notebook.holding.get(found.name)
        if held is not None and notebook is not None:
            notebook.keep(found.name, held)

    def _case(self, number: int, first: int, found: DealtCase) -> bool:
        """Whether all rules of the case have judged it; `first` is the first that has to."""
        group = found.group
        notebook = self.notebooks[group] if self.notebooks else None
        held = None if notebook is None or first else notebook.holding.get(found.name)
        if held is not None and notebook is not None:
            notebook.keep(found.name, held)
            self.at.put(number, 0, found.before + found.case.number)
            if held.findings or held.large:
                self._found += held.findings
                self._tell(SaidOfCase(group, number, held.findings, (), held.large))
            for crash in held.crashes:
                self._tell(SaidOfCase(group, number, (), (crash,)))
                self._count(crash)
            return True
        self._judged_cases += 1
        findings: list[Finding] = []
        crashes: list[Crash] = []
        with questions.noting() as notes:
            whole = self._judged(number, first, found, findings, crashes)
        if notebook is not None and whole:
            notebook.note(found.name, notes, findings, crashes)
        return whole is not None

    def _judged(
        self, number: int, first: int, found: DealtCase, findings: list[Finding], crashes: list[Crash]
    ) -> bool | None:
        """Whether all rules have judged the case, or would be cut off in every run; None where this worker judges
        nothing after it."""
        analyst, group, subject = self.analyst, found.group, found.before + found.case.number
        whole = not first
        catalogue.begin(found.case.subject)
        given_up, known, put = analyst.given_up, analyst.program.too_large, self.at.put
        any_given_up = given_up.any()
        for order, judgement in enumerate(found.case.judgements()):
            if order < first:
                continue
            if any_given_up and judgement in given_up:
                whole = False
                continue
            put(number, order, subject)
            said = self._judge(judgement)
            if not said and len(known) == self.told_large:
                continue
            large = self._large()
            if isinstance(said, Crash):
                self._tell(SaidOfCase(group, number, (), (said,), large))
                if not goes_on(said):
                    return None
                crashes.append(said)
                whole = whole and said.culprit is None and not said.question
                self._count(said)
                any_given_up = given_up.any()
                continue
            findings += said
            self._found += said
            self._tell(SaidOfCase(group, number, tuple(said), (), large))
        return whole

    def _count(self, crash: Crash) -> None:
        """The analyst counts, too, and says what is given up."""
        self.analyst.given_up.after(crash, lost=False)

    def _leave(self) -> None:
        """Says what was written down."""
        memory = self.analyst.memory
        spent = time.process_time() - self._begun
        if self.notebooks and memory is not None and spent * _WRITTEN >= self._recalled:
            self.analyst.program.lowering.forget()  # what is written takes its place
            same = {name for then in self._then for name in then.same}  # these are taken over as they are
            prints = answer_prints(self.analyst.program, {*self._written(), *same})
            project = ProjectNotes(self.analyst.program, self._then).written(memory.files, prints)
            self._tell(WrittenDown(None, kept.encode(project)))
            del prints, project
            for group in range(len(self.notebooks)):  # each is dropped when it is written
                self._tell(WrittenDown(group, kept.encode(self.notebooks.pop(0).written())))

    def _written(self) -> Collection[str]:
        """The questions about the whole program whose answers the analyst writes down itself."""
        return self.analyst.answered

    def _large(self) -> tuple[TooLarge, ...]:
        """What was found to be too large since this was asked last."""
        known = self.analyst.program.too_large
        fresh = islice(known, self.told_large, None) if len(known) > self.told_large else ()
        self.told_large = len(known)
        return tuple(TooLarge(one.path, one.record.name_start, one.name) for one in fresh)

    def _judge(self, judgement: Judgement) -> list[Finding] | Crash:
        try:
            return catalogue.judge(judgement, self.analyst.program)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except BaseException as error:  # noqa: BLE001 - a rule that wants to end the run ends its judgement
            return catalogue.not_judged(judgement, f"{type(error).__name__}: {error}", "rule")


class AheadWorker(Worker):
    """The analyst itself, which judges some cases before it deals the others: what is found out for them about the
    whole program, its copies have in common, and none finds it out once more.

    What leaves something half-done ends the process, and with it the analyst: see `analysis`."""

    def __init__(self, place: WorkerPlace, hear: Callable[[Message], None]) -> None:
        super().__init__(place, -1)
        self._hear = hear
        self._enough = 0
        self.notebooks = list(self._notebooks())

    def judges(self, number: int) -> None:
        """All rules judge the case, or it is named as not judged."""
        found = self.analyst.cases[number]
        if not self.analyst.asks(number):
            self._pass_over(found)
        elif not self._case(number, 0, found):
            os._exit(HALF_DONE)

    def begins(self) -> None:
        """From here on it is one of the workers."""
        self._enough = self._most()

    @property
    def is_large(self) -> bool:
        """Whether it has grown so much that another has to take its place."""
        return resident() > self._enough

    def leave(self) -> None:
        """Says what was written down."""
        self._leave()

    def _written(self) -> Collection[str]:
        return ()

    def _tell(self, message: Message) -> None:
        self._hear(message)

    def _count(self, crash: Crash) -> None:
        """Whoever hears of it has counted."""
