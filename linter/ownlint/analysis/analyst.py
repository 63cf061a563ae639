"""The analyst: it builds the program, and sees to it that all is judged or named.

A large project of which nothing is kept is dealt to several workers: the cases in blocks, and whoever is done takes the
next. What they say is put in the order of the cases. Where a rule fails so often that it is given up, all is judged
again by one worker after the other, since what is given up then depends on who failed first.

Before it deals, the analyst judges some cases from all over the project itself. What rules want to know of the whole
program is then worked out once, and lies in memory that its copies share.
"""

from __future__ import annotations

import gc
import os
import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import structs

from ownlint import catalogue
from ownlint.analysis.messages import (
    Ahead,
    Done,
    Holding,
    Leaving,
    Limits,
    Message,
    Progressed,
    Refused,
    RunMemory,
    SaidOfCase,
    WrittenDown,
    heard,
    tell,
)
from ownlint.analysis.touching import Ranges, touching
from ownlint.analysis.worker import (
    COMPARING,
    OUT_OF_MEMORY,
    STRIDE,
    AheadWorker,
    At,
    Blocks,
    DealtCase,
    FailureTally,
    Position,
    Worker,
    goes_on,
)
from ownlint.children import Forked, Messages, RunEnd, bound, described, signal_name
from ownlint.facts.errors import RefusalError
from ownlint.finding import ENDED, Certainty, Crash, Cut, Finding, TooLarge
from ownlint.incremental import kept
from ownlint.incremental.kept import KeptFindings, KeptProject
from ownlint.incremental.notebook import merged, merged_projects
from ownlint.machine import collect_rarely
from ownlint.project import questions
from ownlint.rule import Rule

if TYPE_CHECKING:
    from ownlint.project.program import FunctionPlace, Program
    from ownlint.project.subjects import Function

_TICK = 0.5
"""Seconds between two looks at where the workers are."""

_WORTH_DEALING = 1 << 20
"""Bytes of source for each worker: each finds out for itself what all of them need."""

_BLOCKS = 24
"""So many blocks are dealt to each worker, or it waits for the last."""

_AHEAD_RUNS, _AHEAD = 48, 16
"""So many runs of so many cases are judged before the others are dealt."""


_FIRST = At(0, 0)


class _CaseName(NamedTuple):
    """By which a case is known again when all is begun anew."""

    group: int
    name: str


class Analyst:
    """Builds the program, and replaces workers until everything is judged or named."""

    def __init__(
        self,
        groups: Sequence[Sequence[Rule]],
        build: Callable[[], Program],
        output: int,
        limits: Limits,
        memory: RunMemory | None,
        jobs: int,
        ending: RunEnd,
        changed: Ranges | None,
        least: Certainty,
        *,
        ahead: bool,
    ) -> None:
        """`ahead`: it judges some cases itself, before it deals the others."""
        self.ahead = ahead
        self.least = least
        self.ending = ending
        self.changed = changed
        self.groups = groups
        self.build = build
        self.output = output
        self.limits = limits
        self.memory = memory
        self.jobs = jobs
        self.holding: Holding | None = None
        """What a worker has found out about what was kept."""
        self.recalls = False
        """Something was kept of the run before."""
        self.given_up = FailureTally()
        self._before: dict[_CaseName, list[SaidOfCase]] = {}
        """What was judged before all was begun anew: said where the run ends before it comes to that again."""
        self._culprits: dict[FunctionPlace, TooLarge] = {}
        """The functions that are left unread, so that answers about the whole program can be given."""
        self._begin()

    def _begin(self) -> None:
        self._said: list[SaidOfCase] = []
        self._anew = False
        """Something more has to be left unread first."""
        self._left: list[int] = []
        """The cases that were not judged when the workers ended."""
        self._gives_up = False
        """So much has failed that one worker after the other would not judge the rest."""
        self._own: set[int] = set()
        """The cases that the analyst has judged itself."""
        self._is_alone = False
        """It judges all itself, in order."""
        self._mine = range(0)
        """Those that were dealt to it last."""
        self._lanes: list[_Lane] = []
        self._blocks: Blocks | None = None
        self._hearing = threading.Lock()
        """Of whoever takes what is said, or says what is left."""
        self._done = threading.Event()
        """Nothing is judged any more."""
        self._ticked = 0.0
        self._running: list[_Lane] = []
        self._written: list[list[bytes]] = [[] for _ in self.groups]
        """What was written down of each group, as it is kept."""
        self._project: list[bytes] = []
        """What was written down of the project."""
        self.answered: frozenset[str] = frozenset()
        """The questions about the whole program that it has answered before there were workers, and writes down."""

    def work(self) -> None:
        bound(self.limits.memory)
        collect_rarely()
        try:
            self.program = self.build()
            self._prepare()
            self.of = sum(catalogue.subjects(rules, self.program) for rules in self.groups)
        except RefusalError as error:
            tell(self.output, Refused(str(error)))
            return
        except Exception as error:  # noqa: BLE001 - the parent says it in one line
            tell(self.output, Refused(f"the program could not be built: {described(error)}"))
            return
        gc.freeze()  # it stays: building leaves no garbage; what the collector never looks at is not copied for workers
        collect_rarely(self.program.size)
        self._judge()
        while self._anew and self.ending.left > 0:
            self._remember()
            self._leave_unread()
            self._judge()
        self._name_left()
        self._say()
        self._keep()
        tell(self.output, Done())

    def _remember(self) -> None:
        """What was judged so far."""
        left = set(self._left)
        judged = {number: _CaseName(one.group, one.name) for number, one in enumerate(self.cases) if number not in left}
        self._before |= {name: [] for name in judged.values()}
        for said in self._said:
            if said.case in judged and not said.crashes:
                self._before[judged[said.case]].append(said)

    def _leave_unread(self) -> None:
        """Begins anew without the bodies for which answers about the whole program would take too many steps."""
        gc.unfreeze()
        self.program = self.program.without(self._culprits.keys())
        self._prepare()
        self.given_up = FailureTally()
        self.holding = None
        self._begin()
        gc.collect()
        gc.freeze()

    def _prepare(self) -> None:
        self.cases = list(self._cases())
        self.touching = None if self.changed is None else touching(self.program, self.changed)

    def asks(self, number: int) -> bool:
        """Whether a finding of the case with this number can be shown."""
        return self.touching is None or self.touching.has(self.cases[number].case)

    def _cases(self) -> Iterator[DealtCase]:
        """All there are, with the number of their group, and how many subjects the groups before it have."""
        before = 0
        functions: dict[Function, str] = {}
        for group, rules in enumerate(self.groups):
            named = catalogue.SubjectNames(functions)
            for case in catalogue.cases(rules, self.program, self.least):
                yield DealtCase(group, before, named.of(case), case)
            before += catalogue.subjects(rules, self.program)

    # --- workers ---

    def _judge(self) -> None:
        memory = self.memory
        self.recalls = memory is not None and any(memory.recall(group) for group in range(len(self.groups)))
        workers = min(self.jobs, self.program.size // _WORTH_DEALING)
        itself = self.ahead and self.touching is None and not self.recalls
        if itself and workers == 1:
            self._judge_alone()
            return
        dealt = self._dealt(workers) if not self.recalls and workers > 1 else []
        if dealt and max(map(len, dealt)) + _AHEAD_RUNS <= Blocks.MOST:
            if itself:
                self._judge_with(workers)
            else:
                blocks = Blocks(dealt)
                self._run([_Lane(self, number, workers, blocks) for number in range(workers)], blocks)
                blocks.close()
            if self._anew or self.ending.left <= 0 or not self._gives_up:
                return
            self._remember()
            self.given_up = FailureTally()
            self._begin()
        self._run([_Lane(self, 0, 1, None)], None)

    def _judge_alone(self) -> None:
        """The analyst judges all in order, as a worker would. Where it has grown too much, one goes on."""
        self._is_alone = True
        tell(self.output, Ahead(over=False))
        worker = AheadWorker(_Lane(self, 0, 1, None), self._hear_itself)
        worker.begins()
        guard = threading.Thread(target=self._guards, daemon=True)
        guard.start()
        at, every = 0, len(self.cases)
        while at < every and not self._stops and not worker.is_large:
            for number in range(at, min(at + STRIDE, every)):
                if not self._stops:
                    self._judge_itself(worker, number)
                    at = number + 1
        if not self._stops:
            worker.leave()
        self._run([_Lane(self, 0, 1, None)] if at < every and not self._stops else [], None, begin=At(at, 0))
        guard.join()
        tell(self.output, Ahead(over=True))

    def _judge_with(self, workers: int) -> None:
        """The analyst judges some cases before it deals the others, and is one of the workers then."""
        tell(self.output, Ahead(over=False))
        worker = AheadWorker(_Lane(self, 0, workers, None), self._hear_itself)
        guard = threading.Thread(target=self._guards, daemon=True)
        guard.start()
        self._judge_ahead(worker)
        if not self._stops:
            blocks = Blocks(self._dealt(workers))
            self._run([_Lane(self, number, workers, blocks) for number in range(1, workers)], blocks, worker)
            blocks.close()
        else:
            self._settle()
        guard.join()
        tell(self.output, Ahead(over=True))

    @property
    def _stops(self) -> bool:
        """Whether what is left is not judged as it is dealt."""
        return self._gives_up or self._anew or self.ending.left <= 0

    def _judge_ahead(self, worker: AheadWorker) -> None:
        """Judges what is about the program, and some cases from all over the project."""
        chosen = [number for number, one in enumerate(self.cases) if not one.case.number]
        rest = [number for number, one in enumerate(self.cases) if one.case.number]
        for start in range(0, len(rest), max(_AHEAD, len(rest) // _AHEAD_RUNS)):
            chosen += rest[start : start + _AHEAD]
        for number in chosen:
            if self._stops:
                break
            self._judge_itself(worker, number)
        self.answered = frozenset(self.program.answers)
        self.program.lowering.forget()
        gc.collect()
        gc.freeze()

    def _judge_beside(self, worker: AheadWorker, blocks: Blocks) -> None:
        """Takes what is dealt, as the workers do, and hears them now and then. Where it has grown too much, a worker
        takes its place."""
        worker.begins()
        while not self._stops and not worker.is_large and (run := blocks.next(0)) is not None:
            self._mine = run
            for number in run:
                if self._stops:
                    return
                self._judge_itself(worker, number)
                if self._is_due():
                    self._hear_lanes(0)
        if self._stops:
            return
        worker.leave()
        if worker.is_large and (run := blocks.next(0)) is not None:
            lane = _Lane(self, 0, len(self._lanes) + 1, blocks)
            with self._hearing:
                lane.at.end = run.stop
                lane.start(At(run.start, 0))
                self._lanes.append(lane)
                self._running.append(lane)

    def _judge_itself(self, worker: AheadWorker, number: int) -> None:
        worker.judges(number)
        self._own.add(number)
        if self._is_due() and not self._lanes:
            self._progress()

    def _is_due(self) -> bool:
        return time.monotonic() - self._ticked >= _TICK

    def _guards(self) -> None:
        """Says what there is when the run has to end while the analyst judges."""
        while not self._done.wait(_TICK):
            if self.ending.left <= 0 and self._find_left():
                self._hearing.acquire()  # nothing is taken any more
                for lane in self._lanes:
                    lane.close()
                self._name_left()
                self._say()
                tell(self.output, Done())
                os._exit(0)

    def _hear_itself(self, message: Message) -> None:
        with self._hearing:
            match message:
                case SaidOfCase(crashes=(_, *_)) as said:
                    self.failed(said, lost=False, alone=self._is_alone)
                case WrittenDown() | SaidOfCase() as said:
                    self.take(said)

    def _dealt(self, workers: int) -> list[list[range]]:
        """For each worker its cases, in runs: those about neighbouring files, since what is found out about one
        function serves those around it."""
        sizes = [(path, file.size) for path, file in sorted(self.program.said.items())]
        share, done, whose = self.program.size / workers + 1, 0, {}
        for path, size in sizes:
            whose[path] = int(done // share)
            done += size
        runs: list[list[range]] = [[] for _ in range(workers)]
        most = max(1, len(self.cases) // (workers * _BLOCKS))
        for number, found in enumerate(self.cases):
            if number in self._own:
                continue
            mine = runs[whose.get(found.case.path, number % workers)]
            if mine and mine[-1].stop == number and len(mine[-1]) < most:
                mine[-1] = range(mine[-1].start, number + 1)
            else:
                mine.append(range(number, number + 1))
        return runs

    def _run(
        self, lanes: list[_Lane], blocks: Blocks | None, beside: AheadWorker | None = None, begin: At = _FIRST
    ) -> None:
        """Until all is judged by the workers, and by the analyst `beside` them."""
        with self._hearing:
            for lane in lanes:
                lane.start(begin)
            self._lanes, self._running, self._blocks = lanes, list(lanes), blocks
        try:
            if beside is not None and blocks is not None:
                self._judge_beside(beside, blocks)
            while self._running and not self._stops:
                self._hear_lanes(_TICK)
            self._settle()
        finally:
            for lane in lanes:
                lane.close()
            self._lanes = []

    def _hear_lanes(self, seconds: float) -> None:
        """What the workers say within that time."""
        poll = select.poll()
        for lane in self._running:
            poll.register(lane.descriptor, select.POLLIN)
        poll.poll(seconds * 1000)
        with self._hearing:
            self._running = [lane for lane in self._running if lane.goes_on()]
        if self._is_due():
            self._progress()

    def _progress(self) -> None:
        done = max([len(self._own), *(lane.at.subject for lane in self._lanes)])
        tell(self.output, Progressed(min(done, self.of), self.of))
        self._ticked = time.monotonic()

    def _settle(self) -> None:
        """Notes what is left. Where the guard has, the process ends with what it says."""
        if not self._find_left():
            threading.Event().wait()

    def _find_left(self) -> bool:
        """Notes the cases that were not judged, and that nothing is judged any more; False where that was noted."""
        with self._hearing:
            if self._done.is_set():
                return False
            self._done.set()
            dealt = [case for lane in self._lanes for case in lane.rest()]
            while self._blocks is not None and (run := self._blocks.next(0)) is not None:
                dealt += run
            every = [*dealt, *self._mine] if self._lanes else range(len(self.cases))
            self._left = [case for case in every if case not in self._own]
        return True

    def _name_left(self) -> None:
        """Names what has not been judged, by files; what was, before all was begun anew, is said."""
        self._left = [number for number in self._left if self.asks(number)]
        if not self._left:
            return
        names = {number: _CaseName(self.cases[number].group, self.cases[number].name) for number in self._left}
        known = {number: self._before[name] for number, name in names.items() if name in self._before}
        self._said = [said for said in self._said if said.case not in known]
        self._said += [structs.replace(said, case=number) for number, before in known.items() for said in before]
        paths = {self.cases[number].case.path for number in names.keys() - known.keys()}
        crashes = tuple(Crash("", path, ENDED, "limit", by_others=True) for path in sorted(paths))
        self._said.append(SaidOfCase(0, len(self.cases), crashes=crashes))

    def beside(self, found: Iterable[Finding]) -> list[int]:
        """The cases that were not asked and count for whether and how findings are shown that touch the change, those
        `found` here among them: a finding of theirs may say it better, see `interplay`, or have the same symbol, by
        which fingerprints are numbered."""
        if self.touching is None:
            return []
        all_found = [*found, *(one for said in self._said for one in said.findings)]
        shown = [one for one in all_found if not self.touching.paths.isdisjoint(one.paths)]
        symbols = {one.symbol for one in shown}
        at: dict[str, set[int]] = {}
        for one in shown:
            for path, span in ((one.path, one.span), *((step.path, step.span) for step in one.steps)):
                at.setdefault(path, set()).add(span.start)
        return [
            number
            for number, dealt in enumerate(self.cases)
            if (dealt.case.symbol in symbols or any(map(dealt.case.holds, at.get(dealt.case.path, ()))))
            and not self.asks(number)
        ]

    def take(self, message: Holding | WrittenDown | SaidOfCase) -> None:
        """What a worker has said."""
        match message:
            case Holding():
                self.holding = message
            case WrittenDown(group=group, kept=data):
                (self._project if group is None else self._written[group]).append(data)
            case SaidOfCase():
                self._said.append(message)

    def failed(self, message: SaidOfCase, *, lost: bool, alone: bool) -> None:
        """Something was not judged; a worker that is `alone` will not judge what is given up."""
        crash = message.crashes[0]
        if crash.question:
            questions.give_up(self.program, crash.question)  # the workers to come do not begin it again
        if crash.culprit is not None and crash.culprit not in self._culprits and self._is_left(crash.culprit):
            self._anew = True
        further = self.given_up.after(crash, lost=lost)
        self._gives_up = self._gives_up or (bool(further) and not alone)
        self._said.append(SaidOfCase(message.group, message.case, (), (crash, *further), message.large))

    def _is_left(self, culprit: FunctionPlace) -> bool:
        """Whether it helps to leave a function unread, of which it is said that it is."""
        if len(self._culprits) >= catalogue.MOST_ANEW:
            return False
        path, index = culprit
        record = self.program.said[path].functions[index]
        self._culprits[culprit] = TooLarge(path, record.name_start, record.name)
        return True

    def _say(self) -> None:
        if self._culprits:
            tell(self.output, SaidOfCase(0, 0, (), (), tuple(sorted(self._culprits.values()))))
        repeats = catalogue.Repeats(self.program)
        for said in sorted(self._said, key=lambda one: one.case):
            fresh = tuple(finding for finding in said.findings if repeats.first(finding))
            tell(self.output, SaidOfCase(said.group, said.case, fresh, said.crashes, said.large))

    def _keep(self) -> None:
        """What the workers have written down; those that were lost have not."""
        written = {group: parts for group, parts in enumerate(self._written) if parts}
        if self.memory is not None and written and self._project:
            project = _together(self._project, kept.decode_project, merged_projects)
            found = {group: _together(parts, kept.decode, merged) for group, parts in written.items()}
            self.memory.keep(found, project)


_Kept = TypeVar("_Kept", KeptFindings, KeptProject)


def _together(
    parts: list[bytes], decode: Callable[[bytes], _Kept | None], merge: Callable[[Iterable[_Kept]], _Kept]
) -> bytes:
    """What several workers have written of one thing."""
    return parts[0] if len(parts) == 1 else kept.encode(merge(_decoded(parts, decode)))


def _decoded(parts: list[bytes], decode: Callable[[bytes], _Kept | None]) -> Iterator[_Kept]:
    """One after the other: when the next is read, none before it is there any more."""
    while parts:
        part = decode(parts.pop(0))
        if part is not None:
            yield part
            del part


class _Lane:
    """Workers, one after the other."""

    def __init__(self, analyst: Analyst, number: int, lanes: int, blocks: Blocks | None) -> None:
        self.analyst = analyst
        self.number = number
        self.lanes = lanes
        self.blocks = blocks
        self.at = Position()
        self._deadline = analyst.limits.deadline(analyst.program.size)
        self._worker: Forked | None = None

    def start(self, begin: At) -> None:
        """A worker, from there on."""
        self._begin = begin
        self.descriptor, theirs = os.pipe()
        self.at.put(begin.case, begin.rule, self.at.subject)
        try:
            self._worker = Forked(lambda: Worker(self, theirs).work(begin), group=False)
        finally:
            os.close(theirs)
        self._messages = Messages(self.descriptor)
        self._ended: list[At | None] = []
        self._seen, self._since = self.at.judgement, time.monotonic()

    def goes_on(self) -> bool:
        """Hears what the worker has to say. After its last word it says what it has written down, and ends; then the
        next is started, until all is done."""
        worker = self._worker
        assert worker is not None
        try:
            while (data := self._messages.next(0)) is not None:
                self._hear(data)
        except EOFError:
            return self._next(self._ended[0] if self._ended else self._lost(*_why(worker)))
        if self.at.judgement != self._seen:
            self._seen, self._since = self.at.judgement, time.monotonic()
        if time.monotonic() - self._since > self._deadline:
            why = f"not finished within {self._deadline:g} s"
            return self._next(self._ended[0] if self._ended else self._lost(why, "limit"))
        return True

    def rest(self) -> range:
        """The cases that it has taken and not judged."""
        if self._worker is None:
            return range(0)
        at = self.at.judgement.case
        case = self._begin.case if at == COMPARING else at
        return range(case, len(self.analyst.cases) if self.blocks is None else self.at.end)

    def _next(self, begin: At | None) -> bool:
        self.close()
        if begin is not None:
            self.start(begin)
        return begin is not None

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            os.close(self.descriptor)
            self._worker = None

    def _hear(self, data: bytes) -> None:
        match heard(data):
            case Done():
                self._ended.append(None)
            case Leaving(next=following):
                self._ended.append(At(following, 0))
            case SaidOfCase(crashes=(_, *_)) as said:
                self.analyst.failed(said, lost=False, alone=self.blocks is None)
                if not goes_on(said.crashes[0]):
                    self._ended.append(self._behind())
            case Holding() | WrittenDown() | SaidOfCase() as said:
                self.analyst.take(said)

    def _behind(self) -> At:
        at = self.at.judgement
        return At(at.case, at.rule + 1)

    def _lost(self, why: str, kind: Cut) -> At:
        at = self.at.judgement
        if at.case == COMPARING:
            self.analyst.memory = None  # all is judged
            return self._begin
        found = self.analyst.cases[at.case]
        judgement = next(islice(found.case.judgements(), at.rule, None))
        crash = catalogue.not_judged(judgement, why, kind)
        said = SaidOfCase(found.group, at.case, crashes=(crash,))
        self.analyst.failed(said, lost=True, alone=self.blocks is None)
        return self._behind()


def _why(worker: Forked) -> tuple[str, Cut]:
    """Why a worker has gone without a word."""
    status = worker.ended(5)
    if status == OUT_OF_MEMORY:
        return "it uses too much memory", "limit"
    if status is not None and status < 0:
        return f"its process crashed ({signal_name(-status)})", "rule"
    return "its process ended", "rule"
