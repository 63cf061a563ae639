"""The one place where a project is analysed: the program is built and the rules are run in children of this process.

    parent      ->  analyst       ->  worker
    the run         the program       the rules, one judgement after the other

The *analyst* is a copy of the parent that takes up the facts, so that the parent never has them, builds the program and
judges nothing. The *worker* is a copy of the analyst. It says what it finds as it goes, and at which judgement it is.
What is cut off, raises, crashes or hangs costs that judgement: it is named, and a fresh copy goes on behind it, whose
memories hold nothing that was left half done. So no answer ever rests on one that was cut off.

Judgements always come in the same order and share nothing but what can be worked out again; who deals them to several
workers gets the same answers.

With a `RunMemory`, what the rules said of a subject is kept from run to run, see `incremental`: a subject that rests on
nothing that changed is not judged again.
"""

from __future__ import annotations

import gc
import mmap
import os
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ownlint import catalogue
from ownlint.catalogue import Judgement, SubjectCase
from ownlint.children import (
    MEMORY,
    Forked,
    LostError,
    Messages,
    answered,
    bound,
    described,
    resident,
    signal_name,
    tell,
)
from ownlint.facts.errors import RefusalError
from ownlint.finding import Crash, Cut, Finding, TooLarge
from ownlint.incremental import kept
from ownlint.incremental.comparing import StillHolding, standing
from ownlint.incremental.kept import FactsEntry, KeptFindings
from ownlint.incremental.notebook import Notebook, answer_prints, merged
from ownlint.project import questions
from ownlint.rule import Rule
from ownlint.steps import LimitError

if TYPE_CHECKING:
    from ownlint.project.program import Program

Said = Finding | Crash | TooLarge
Told = Callable[[int, int], None]
"""Is told now and then how many subjects of how many are done."""


class Limits(msgspec.Struct, frozen=True):
    """The last guard: ordinary work is bounded by counted steps, see `program.steps`. A judgement may take `seconds` of
    wall time, and one more for each `a_second` bytes of the project; so may building the program. `memory` is the
    address space of a child in bytes; one that uses more than three quarters of it is replaced."""

    seconds: float = 60.0
    a_second: int = 100_000
    memory: int = MEMORY

    def deadline(self, size: int) -> float:
        return float(round(self.seconds + size / self.a_second))


DEFAULT = Limits()


class RunMemory(NamedTuple):
    """What is kept from run to run; all of it is asked in a child.

    `recall` gives what was kept of the rules of a group (its number), None where there is nothing; `keep` takes what is
    to be kept. `facts` gives the facts of a file by their key, None where they are not there any more."""

    recall: Callable[[int], bytes | None]
    keep: Callable[[int, bytes], None]
    facts: Callable[[str], bytes | None]
    files: Mapping[str, FactsEntry]


class AnalysisError(RefusalError):
    """The program could not be built; nothing is known of the project."""


# --- what the children say ----------------------------------------------------------------------------


class _Progress(msgspec.Struct, frozen=True, tag="progress"):
    done: int
    of: int


class _Said(msgspec.Struct, frozen=True, tag="said"):
    """What was found by a rule of the group with that number. Behind crashes, the worker leaves."""

    group: int
    findings: tuple[Finding, ...] = ()
    crashes: tuple[Crash, ...] = ()
    large: tuple[TooLarge, ...] = ()


class _Refused(msgspec.Struct, frozen=True, tag="refused"):
    reason: str


class _Written(msgspec.Struct, frozen=True, tag="written"):
    """What a worker has written down of a group, before it leaves."""

    group: int
    kept: bytes


class _Leaves(msgspec.Struct, frozen=True, tag="leaves"):
    """The worker has grown and wants to be replaced, before it comes to the case with the number `next`."""

    next: int


class _Done(msgspec.Struct, frozen=True, tag="done"):
    pass


_decoder = msgspec.json.Decoder(_Progress | _Said | _Refused | _Written | _Leaves | _Done)


def _tell(descriptor: int, message: msgspec.Struct) -> None:
    tell(descriptor, msgspec.json.encode(message))


# --- the parent -----------------------------------------------------------------------------------------


def analyse(
    groups: Sequence[Sequence[Rule]],
    build: Callable[[], Program],
    size: int,
    limits: Limits,
    told: Told = lambda done, of: None,
    memory: RunMemory | None = None,
) -> list[list[Said]]:
    """What the rules of each group say of the program, `size` bytes of source, that `build` makes in a child; what is
    too large is said once, with the first group that asked about it. Raises `AnalysisError`, with the text of a
    `RefusalError` of `build` as it is."""
    said: list[list[Said]] = [[] for _ in groups]
    large: set[TooLarge] = set()
    output, theirs = os.pipe()
    try:
        analyst = Forked(lambda: _Analyst(groups, build, theirs, limits, memory).work(), group=True)
    finally:
        os.close(theirs)
    try:
        for message in _heard(analyst, Messages(output), limits.deadline(size)):
            match message:
                case _Progress(done=done, of=of):
                    told(done, of)
                case _Said():
                    fresh = [one for one in message.large if one not in large]
                    large.update(fresh)
                    said[message.group] += (*message.findings, *message.crashes, *fresh)
    finally:
        analyst.close()
        os.close(output)
    return said


def _heard(analyst: Forked, messages: Messages, deadline: float) -> Iterator[_Progress | _Said]:
    """Until it is done. While it builds the program it says nothing; after that, it does every few seconds."""
    while True:
        try:
            data = messages.next(deadline)
        except EOFError:
            raise AnalysisError(f"the analysis failed: {analyst.death()}") from None
        if data is None:
            raise AnalysisError(f"the analysis failed: nothing was heard of it for {deadline:g} s")
        match _decoder.decode(data):
            case _Refused(reason=reason):
                raise AnalysisError(reason)
            case _Done():
                return
            case _Progress() | _Said() as message:
                yield message


class _Answered(msgspec.Struct, frozen=True):
    """`refused` instead of an answer."""

    answer: msgspec.Raw = msgspec.Raw(b"null")
    refused: str | None = None


def asked(
    build: Callable[[], Program], question: Callable[[Program], msgspec.Struct], size: int, limits: Limits
) -> bytes:
    """What a question about the program, `size` bytes of source, is answered: both are worked out in a child, and the
    answer is JSON. Raises `AnalysisError`, with the text of a `RefusalError` of either as it is."""

    def work() -> bytes:
        try:
            return msgspec.json.encode(_Answered(msgspec.Raw(msgspec.json.encode(question(build())))))
        except RefusalError as error:
            return msgspec.json.encode(_Answered(refused=str(error)))
        except LimitError as error:
            return msgspec.json.encode(_Answered(refused=f"the analysis was cut off: {error}"))

    try:
        said = msgspec.json.decode(answered(work, limits.deadline(size), limits.memory), type=_Answered)
    except LostError as error:
        raise AnalysisError(f"the analysis failed: {error.reason}") from None
    if said.refused is not None:
        raise AnalysisError(said.refused)
    return bytes(said.answer)


# --- the analyst ----------------------------------------------------------------------------------------

_TICK = 0.5
"""Seconds between two looks at where the worker is."""

_MOST_OF_RULE_IN_FILE = 3
_MOST_IN_FILE = 6
_MOST_OF_RULE = 20
_MOST_LOST = 20
"""Each failure costs a new worker and what it has to find out again; a rule that fails everywhere, and a file at which
everything fails, are given up."""

_COLLECTING = (200_000, 10, 20)
"""Answers that are kept are most of what is made, and cycles among what goes are few: at Python's own pace a sixth of
the time would be spent in looking for them."""

_OUT_OF_MEMORY = 77
"""The status with which a worker ends."""


class _Analyst:
    """Builds the program, and replaces workers until everything is judged or named."""

    def __init__(
        self,
        groups: Sequence[Sequence[Rule]],
        build: Callable[[], Program],
        output: int,
        limits: Limits,
        memory: RunMemory | None,
    ) -> None:
        self.groups = groups
        self.build = build
        self.output = output
        self.limits = limits
        self.memory = memory
        self.written: list[list[KeptFindings]] = [[] for _ in groups]
        self.at = _Position()
        self.given_up = _GivenUp()

    def work(self) -> None:
        bound(self.limits.memory)
        gc.set_threshold(*_COLLECTING)
        try:
            self.program = self.build()
            self.of = sum(catalogue.subjects(rules, self.program) for rules in self.groups)
        except RefusalError as error:
            _tell(self.output, _Refused(str(error)))
            return
        except Exception as error:  # noqa: BLE001 - the parent says it in one line
            _tell(self.output, _Refused(f"the program could not be built: {described(error)}"))
            return
        self.repeats = catalogue.Repeats(self.program)
        gc.collect()
        gc.freeze()  # it stays; and what is never looked at by the collector is not copied for the worker
        following: _At | None = _At(0, 0)
        while following is not None:
            following = self.supervise(following)
        self._keep()
        _tell(self.output, _Done())

    def cases(self) -> Iterator[_Case]:
        """All there are, with the number of their group, and how many subjects the groups before it have."""
        before = 0
        for group, rules in enumerate(self.groups):
            named = catalogue.SubjectNames()
            for case in catalogue.cases(rules, self.program):
                yield _Case(group, before, named.of(case), case)
            before += catalogue.subjects(rules, self.program)

    def supervise(self, begin: _At) -> _At | None:
        """One worker, from there on; returns where the next has to begin, None when all are done."""
        output, theirs = os.pipe()
        self.at.put(begin.case, begin.rule, self.at.subject)
        try:
            worker = Forked(lambda: _Worker(self, theirs).work(begin), group=False)
        finally:
            os.close(theirs)
        try:
            return self._watch(worker, Messages(output), begin)
        finally:
            worker.close()
            os.close(output)

    def _keep(self) -> None:
        """What the workers have written down; those that were lost have not."""
        if self.memory is not None:
            for group, parts in enumerate(self.written):
                if parts:
                    self.memory.keep(group, kept.encode(parts[0] if len(parts) == 1 else merged(parts)))

    def _watch(self, worker: Forked, messages: Messages, begin: _At) -> _At | None:
        """What a worker says. After its last word it says what it has written down, and ends."""
        deadline = self.limits.deadline(self.program.size)
        seen, since, ticked = self.at.judgement, time.monotonic(), 0.0
        ended: list[_At | None] = []
        while True:
            try:
                data = messages.next(_TICK)
            except EOFError:
                return ended[0] if ended else self._lost(begin, *_why(worker))
            now = time.monotonic()
            if now - ticked >= _TICK:
                _tell(self.output, _Progress(self.at.subject, self.of))
                ticked = now
            if self.at.judgement != seen:
                seen, since = self.at.judgement, now
            if data is not None:
                ended += self._heard(data)
            if now - since > deadline:
                return ended[0] if ended else self._lost(begin, f"it was not done within {deadline:g} s", "limit")

    def _heard(self, data: bytes) -> Iterator[_At | None]:
        """Where the next worker has to begin, once that is known; None for nowhere."""
        match _decoder.decode(data):
            case _Done():
                yield None
            case _Leaves(next=following):
                yield _At(following, 0)
            case _Written(group=group, kept=held):
                part = kept.decode(held)
                self.written[group] += [part] if part is not None else []
            case _Said() as said:
                fresh = tuple(finding for finding in said.findings if self.repeats.first(finding))
                _tell(self.output, _Said(said.group, fresh, (), said.large))
                if said.crashes:
                    yield self._failed(said.group, said.crashes[0], lost=False)

    def _lost(self, begin: _At, why: str, kind: Cut) -> _At:
        at = self.at.judgement
        if at.case == _COMPARING:
            self.memory = None  # all is judged
            return begin
        found = next(islice(self.cases(), at.case, None))
        judgement = next(islice(found.case.judgements(), at.rule, None))
        return self._failed(found.group, catalogue.not_judged(judgement, why, kind), lost=True)

    def _failed(self, group: int, crash: Crash, *, lost: bool) -> _At:
        crashes = (crash, *self.given_up.after(crash, lost=lost))
        _tell(self.output, _Said(group, crashes=crashes))
        return _At(self.at.judgement.case, self.at.judgement.rule + 1)


class _At(NamedTuple):
    """A judgement by its number: of the case among all, of the rule among those of the case."""

    case: int
    rule: int


_COMPARING = -1
"""In place of a case, while what was kept is compared."""


class _Case(NamedTuple):
    group: int
    before: int
    name: str
    case: SubjectCase


def _why(worker: Forked) -> tuple[str, Cut]:
    """Why a worker has gone without a word."""
    status = worker.ended(5)
    if status == _OUT_OF_MEMORY:
        return "it takes too much memory", "limit"
    if status is not None and status < 0:
        return f"its process crashed ({signal_name(-status)})", "rule"
    return "its process ended", "rule"


class _Position:
    """At which judgement and subject the worker is: in memory that it shares with the analyst, and that survives it."""

    _LAYOUT = struct.Struct("qqq")

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, self._LAYOUT.size)
        self.put(0, 0, 0)

    def put(self, case: int, rule: int, subject: int) -> None:
        self._LAYOUT.pack_into(self._memory, 0, case, rule, subject)

    @property
    def judgement(self) -> _At:
        return _At(*self._LAYOUT.unpack_from(self._memory)[:2])

    @property
    def subject(self) -> int:
        return int(self._LAYOUT.unpack_from(self._memory)[2])


class _InFile(NamedTuple):
    rule: str
    path: str


class _GivenUp:
    """What is not judged any more, since it has failed too often."""

    def __init__(self) -> None:
        self._in_files: Counter[_InFile] = Counter()
        self._files: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()
        self._lost = 0

    def after(self, crash: Crash, *, lost: bool) -> Iterator[Crash]:
        """What is given up now; each is named once."""
        here = _InFile(crash.rule, crash.path)
        self._in_files[here] += 1
        self._files[crash.path] += bool(crash.path) and (lost or crash.kind == "limit")
        self._rules[crash.rule] += 1
        self._lost += lost
        if self._in_files[here] == _MOST_OF_RULE_IN_FILE:
            yield Crash(crash.rule, crash.path, "it is not run on the rest of the file", crash.kind)
        if self._files[crash.path] == _MOST_IN_FILE:
            yield Crash("", crash.path, "no rule is run on the rest of the file: too many failed", crash.kind)
        if self._rules[crash.rule] == _MOST_OF_RULE:
            yield Crash(crash.rule, "", "it is not run on the rest of the project", crash.kind)
        if self._lost == _MOST_LOST and lost:
            yield Crash("", "", "no rule is run on the rest of the project: too many failed", crash.kind)

    def __contains__(self, judgement: Judgement) -> bool:
        if not self._rules:
            return False
        rule, path = judgement.rule.id, judgement.path
        return (
            self._in_files[_InFile(rule, path)] >= _MOST_OF_RULE_IN_FILE
            or self._files[path] >= _MOST_IN_FILE
            or self._rules[rule] >= _MOST_OF_RULE
            or self._lost >= _MOST_LOST
        )


# --- the worker -----------------------------------------------------------------------------------------

_STRIDE = 32
"""So many cases are judged between two looks at how much memory that took."""


class _Worker:
    """Judges. Whatever happens here, the analyst goes on."""

    def __init__(self, analyst: _Analyst, output: int) -> None:
        self.analyst = analyst
        self.output = output
        self.told_large = 0
        self.notebooks: list[Notebook] = []

    def work(self, begin: _At) -> None:
        analyst, enough = self.analyst, self.analyst.limits.memory * 3 // 4
        self.notebooks = list(self._notebooks())
        for number, found in enumerate(analyst.cases()):
            if number < begin.case:
                continue
            if not number % _STRIDE and number > begin.case and resident() > enough:
                _tell(self.output, _Leaves(number))
                break
            first = begin.rule if number == begin.case else 0
            if not self._case(number, first, found):
                break
        else:
            _tell(self.output, _Done())
        self._leave()

    def _notebooks(self) -> Iterator[Notebook]:
        """One for each group, with what still holds of what was kept."""
        analyst, memory = self.analyst, self.analyst.memory
        if memory is None:
            return
        analyst.at.put(_COMPARING, 0, analyst.at.subject)
        for group, _ in enumerate(analyst.groups):
            data = memory.recall(group)
            then = None if data is None else kept.decode(data)
            try:
                holds = standing(then, analyst.program, memory.files, memory.facts) if then else StillHolding()
            except MemoryError:
                os._exit(_OUT_OF_MEMORY)
            except Exception:  # noqa: BLE001 - what is not known to hold is asked again
                holds = StillHolding()
            yield Notebook(analyst.program, then if holds.subjects else None, holds)

    def _case(self, number: int, first: int, found: _Case) -> bool:
        """Whether all rules of the case have judged it; `first` is the first that has to."""
        analyst = self.analyst
        group, subject = found.group, found.before + found.case.number
        notebook = self.notebooks[group] if self.notebooks else None
        held = None if notebook is None or first else notebook.standing.subjects.get(found.name)
        if held is not None and notebook is not None:
            notebook.keep(found.name, held)
            analyst.at.put(number, 0, subject)
            if held.findings or held.large:
                _tell(self.output, _Said(group, held.findings, (), held.large))
            return True
        whole = not first
        findings: list[Finding] = []
        with questions.noting() as notes:
            catalogue.begin(found.case.subject)
            for order, judgement in enumerate(found.case.judgements()):
                if order < first:
                    continue
                if judgement in analyst.given_up:
                    whole = False
                    continue
                analyst.at.put(number, order, subject)
                said = self._judge(judgement)
                large = self._large()
                if isinstance(said, Crash):
                    _tell(self.output, _Said(group, (), (said,), large))
                    return False
                findings += said
                if said or large:
                    _tell(self.output, _Said(group, tuple(said), (), large))
        if notebook is not None and whole:
            notebook.note(found.name, notes, findings)
        return True

    def _leave(self) -> None:
        """Says what was written down."""
        memory = self.analyst.memory
        if self.notebooks and memory is not None:
            prints = answer_prints(self.analyst.program)
            for group, notebook in enumerate(self.notebooks):
                _tell(self.output, _Written(group, kept.encode(notebook.written(memory.files, prints))))

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
            os._exit(_OUT_OF_MEMORY)
        except BaseException as error:  # noqa: BLE001 - a rule that wants to end the run ends its judgement
            return catalogue.not_judged(judgement, f"{type(error).__name__}: {error}", "rule")
