"""The one place where a project is analysed: the program is built and the rules are run in children of this process.

    parent      ->  analyst       ->  worker
    the run         the program       the rules, one judgement after the other

The *analyst* is a copy of the parent that takes up the facts, so that the parent never has them, and builds the
program. Of a small project it judges nothing. The *worker* is a copy of the analyst. It says what it finds as it goes,
and at which judgement it is. What is cut off, raises, crashes or hangs costs that judgement: it is named, and a fresh
copy goes on after it, whose memories hold nothing that was left half done. So no answer ever rests on one that was cut
off.

Judgements always come in the same order and share nothing but what can be worked out again: a large project is dealt to
several workers, see `analyst`, and says the same. Of such a project the analyst is the first worker: what its first
cases want to know of the whole program is then known to its copies, and so much memory is theirs together. Where it
crashes, hangs or leaves something half done, another analyst begins, and judges nothing.

With a `RunMemory`, what the rules said of a subject is kept from run to run, see `incremental`: a subject that rests on
nothing that changed is not judged again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from ownlint.analysis.analyst import Analyst
from ownlint.analysis.messages import DEFAULT as DEFAULT
from ownlint.analysis.messages import Ahead, Done, Progressed, Refused, SaidOfCase, heard
from ownlint.analysis.messages import Limits as Limits
from ownlint.analysis.messages import Recalled as Recalled
from ownlint.analysis.messages import RunMemory as RunMemory
from ownlint.analysis.touching import Ranges
from ownlint.children import Forked, LostError, Messages, answered
from ownlint.children import RunEnd as RunEnd
from ownlint.facts.errors import RefusalError
from ownlint.finding import Certainty, Crash, Finding, TooLarge
from ownlint.rule import Rule
from ownlint.steps import LimitError

if TYPE_CHECKING:
    from ownlint.project.program import Program

Said = Finding | Crash | TooLarge
Told = Callable[[int, int], None]
"""Is told now and then how many subjects of how many are done."""


_LOOKS = 0.5
"""Seconds between two looks at whether it is time to end."""
_GRACE = 30.0
"""Seconds within which something has to be said, then."""


class AnalysisError(RefusalError):
    """The program could not be built; nothing is known of the project."""


def analyse(
    groups: Sequence[Sequence[Rule]],
    build: Callable[[], Program],
    size: int,
    limits: Limits,
    told: Told = lambda done, of: None,
    memory: RunMemory | None = None,
    jobs: int = 1,
    ending: RunEnd | None = None,
    changed: Ranges | None = None,
    least: Certainty = "possible",
) -> list[list[Said]]:
    """What the rules of each group say of the program, `size` bytes of source, that `build` makes in a child; what is
    too large is said once, with the first group that asked about it. Raises `AnalysisError`, with the text of a
    `RefusalError` of `build` as it is. At most `jobs` workers judge at the same time. What is not judged at the
    `ending`, or when a signal asks us to end, is named. Of a change under review, with what `changed`, only that is
    judged which can touch it, and of all only what can give findings as sure as `least`."""
    ending = ending or RunEnd()

    def analyst(output: int, *, ahead: bool) -> None:
        Analyst(groups, build, output, limits, memory, jobs, ending, changed, least, ahead=ahead).work()

    with ending.on_signals():
        try:
            return _said(lambda output: analyst(output, ahead=True), len(groups), limits.deadline(size), told, ending)
        except _LostAheadError:
            return _said(lambda output: analyst(output, ahead=False), len(groups), limits.deadline(size), told, ending)


class _LostAheadError(Exception):
    """The analyst was lost while it judged something itself; it has said nothing yet."""


def _said(work: Callable[[int], None], groups: int, deadline: float, told: Told, ending: RunEnd) -> list[list[Said]]:
    """What an analyst says of each group that tells it to a descriptor."""
    said: list[list[Said]] = [[] for _ in range(groups)]
    large: set[TooLarge] = set()
    output, theirs = os.pipe()
    try:
        analyst = Forked(lambda: work(theirs), group=True)
    finally:
        os.close(theirs)
    try:
        for message in _messages(analyst, Messages(output), deadline, ending):
            match message:
                case Progressed(done=done, of=of):
                    told(done, of)
                case SaidOfCase():
                    fresh = [one for one in message.large if one not in large]
                    large.update(fresh)
                    said[message.group] += (*message.findings, *message.crashes, *fresh)
    finally:
        analyst.close()
        os.close(output)
    return said


def _messages(
    analyst: Forked, messages: Messages, deadline: float, ending: RunEnd
) -> Iterator[Progressed | SaidOfCase]:
    """Until it is done. While it builds the program it says nothing; after that, it does every few seconds.

    Raises:
        AnalysisError: nothing is known of the project.
        _LostAheadError: it was lost while it judged something itself.
    """
    heard_at, is_ahead = time.monotonic(), False

    def lost(reason: str) -> Exception:
        return _LostAheadError() if is_ahead else AnalysisError(reason)

    while True:
        try:
            data = messages.next(_LOOKS)
        except EOFError:
            raise lost(f"the analysis failed: {analyst.death()}") from None
        if data is None:
            silent = time.monotonic() - heard_at
            if min(-ending.left, silent) > _GRACE:
                raise lost("the run had to end before anything was analysed")
            if silent > deadline:
                raise lost(f"the analysis failed: no response for {deadline} s")
            continue
        heard_at = time.monotonic()
        match heard(data):
            case Refused(reason=reason):
                raise AnalysisError(reason)
            case Ahead(over=over):
                is_ahead = not over
            case Done():
                return
            case Progressed() | SaidOfCase() as message:
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
