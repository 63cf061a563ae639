"""What rules say of each subject, written down with what it was derived from, so that the next run can keep it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import msgspec

from ownlint.facts import records as r
from ownlint.finding import Crash, Finding, TooLarge
from ownlint.incremental import fingerprints, values
from ownlint.incremental.comparing import BEFORE
from ownlint.incremental.kept import (
    FactsEntry,
    KeptAnswer,
    KeptContributions,
    KeptFindings,
    KeptProject,
    KeptSubject,
    Numbering,
    all_numbers,
    numbers,
    packed,
    renumbered,
)
from ownlint.project import questions
from ownlint.project.program import Program
from ownlint.project.questions import Key, Note

_NOTHING: Mapping[str, KeptSubject] = MappingProxyType({})
_GROWN = 2
"""Keys that nobody rests on any more are dropped when there are so many times as many as there were at first."""


class AnswerPrint(NamedTuple):
    """An answer about all files, by fingerprints."""

    keys: bytes
    """By the numbers of `AnswerPrints`."""
    whole: bytes
    parts: dict[str, bytes]
    of: tuple[str, ...]
    value: bytes


class AnswerPrints(NamedTuple):
    """Answers about all files by name, and the keys that they rest on."""

    keys: list[Key]
    by_name: dict[str, AnswerPrint]


def answer_prints(program: Program, written: Collection[str] = ()) -> AnswerPrints:
    """All that were asked, but for those that cannot be asked again by name, and those that another has `written`."""
    found: dict[str, AnswerPrint] = {}
    numbering = Numbering()
    for name, answered in sorted(program.answers.items()):
        of = None if name in written else questions.holder_of(program, answered)
        if of is None or name == BEFORE:
            continue
        said = fingerprints.answer(program, name)
        parts = {key[2]: one for key, one in said.items() if len(key) > 2}
        keys = questions.keys(answered.notes)
        # What was too large is told by whoever finds it out, so that is found out again.
        value = b"" if any(key[0] == "large" for key in keys) else values.encoded(answered.answer)
        found[name] = AnswerPrint(numbering.of(keys), said["answer", name], parts, of, value)
    return AnswerPrints(numbering.keys, found)


class Notebook:
    """Of one group of rules. What still holds of what was kept is taken over as it is."""

    def __init__(
        self, program: Program, kept: KeptFindings | None = None, holding: Mapping[str, KeptSubject] = _NOTHING
    ) -> None:
        """`holding` is what still holds of the subjects of what was `kept`."""
        self._program = program
        self._first = 0 if kept is None else kept.first
        self.holding = holding
        self._numbering = Numbering(() if kept is None else kept.keys)
        self._subjects: dict[str, KeptSubject] = {}

    def keep(self, name: str, said: KeptSubject) -> None:
        """What was said before, and still holds."""
        self._subjects[name] = said

    def note(
        self, name: str, notes: Iterable[Note], findings: Iterable[Finding], crashes: Iterable[Crash] = ()
    ) -> None:
        """What is said of a subject now."""
        keys = questions.keys(notes)
        large = tuple(sorted(self._large(keys)))
        self._subjects[name] = KeptSubject(self._numbering.of(keys), tuple(findings), large, tuple(crashes))

    def _large(self, keys: Collection[Key]) -> Iterable[TooLarge]:
        if not any(key[0] == "large" for key in keys):
            return ()
        return (
            TooLarge(one.path, one.record.name_start, one.name)
            for one in self._program.too_large
            if ("large", *one.key[1:]) in keys
        )

    def written(self) -> KeptFindings:
        """All of it, for the next run."""
        keys = self._numbering.keys
        first = self._first or len(keys)
        made = KeptFindings(first, keys, self._subjects)
        return _in_use(made) if len(keys) > _GROWN * first else made


class ProjectThen(NamedTuple):
    """What was known of the project, and the questions about all files that say what they said."""

    kept: KeptProject
    same: Collection[str]


class ProjectNotes:
    """What is written down of the project, for all groups of rules."""

    def __init__(self, program: Program, then: Sequence[ProjectThen]) -> None:
        """Of what was known `then`, that which still holds is taken over."""
        self._program = program
        self._then = then
        self._numbering = Numbering(then[0].kept.keys if then else ())

    def written(self, files: Mapping[str, FactsEntry], prints: AnswerPrints) -> KeptProject:
        program, asked = self._program, prints.by_name
        answers: dict[str, KeptAnswer] = {}
        numbered = self._numbering.table(prints.keys)
        for name, said in asked.items():
            each = self._contributions(name) if name in program.contributions else None
            if each is None and name in program.contributions:
                continue
            rests_on = renumbered(said.keys, numbered)
            answers[name] = KeptAnswer(rests_on, said.whole, said.parts, said.of, each, said.value)
        for number, (kept, same) in enumerate(self._then):
            by = self._numbering.table(kept.keys) if number else None  # the first has the same numbers
            for name in sorted({*same} - asked.keys() - answers.keys()):
                held = kept.answers[name]
                answers[name] = held if by is None else _answer_renumbered(held, by)
        with questions.noting():
            earlier = tuple(sorted(program.earlier_paths))
        touched = tuple(sorted(program.earlier.touched)) if program.earlier is not None else ()
        copies = {path: r.encode_file(program.said[path]) for path in sorted(program.copied)}
        keys = self._numbering.keys
        first = (self._then[0].kept.first if self._then else 0) or len(keys)
        made = KeptProject(dict(files), copies, earlier, touched, program.earlier is not None, first, keys, answers)
        return _project_in_use(made) if len(keys) > _GROWN * first else made

    def _contributions(self, name: str) -> KeptContributions | None:
        """Of the functions that were asked now, and of those that still bring what they brought before. None where it
        is not known what that rests on."""
        program, numbering = self._program, self._numbering
        made = program.contributions[name]
        plain = list(made.plain)
        silent, others = (
            numbering.grouped((key, questions.keys((note,))) for key, note in made.noted(silent=one))
            for one in (True, False)
        )
        still = program.brought[name]() if name in program.brought else None
        left = {*still.silent, *(function.key for function in still.said)} if still is not None else set[Key]()
        left.difference_update(made.keys())
        then = self._before(name) if left else None
        if then is not None:
            kept, each = then
            by = None if kept is self._then[0].kept else numbering.table(kept.keys)  # the first has the same numbers
            each = each if by is None else _renumbered(each, by)
            key_of = numbering.keys
            plain += [key_of[number] for number in numbers(each.plain) if key_of[number] in left]
            for found, before in ((silent, each.silent), (others, each.others)):
                for beside, those in before.items():
                    holding = packed(number for number in numbers(those) if key_of[number] in left)
                    if holding:
                        found[beside] = found.get(beside, b"") + holding
        told = all_numbers((*silent.values(), *others.values()))
        if left - {*plain, *(numbering.keys[number] for number in told)}:
            return None
        return KeptContributions(numbering.of(plain), silent, others)

    def _before(self, name: str) -> tuple[KeptProject, KeptContributions] | None:
        """What was brought to an answer before, where it is known who has brought nothing."""
        for kept, _ in self._then:
            held = kept.answers.get(name)
            if held is not None and held.each is not None:
                return kept, held.each
        return None


def _answer_renumbered(answer: KeptAnswer, by: Mapping[int, int] | Sequence[int]) -> KeptAnswer:
    each = None if answer.each is None else _renumbered(answer.each, by)
    return msgspec.structs.replace(answer, keys=renumbered(answer.keys, by), each=each)


def _renumbered(each: KeptContributions, by: Mapping[int, int] | Sequence[int]) -> KeptContributions:
    silent, others = (
        {packed(sorted(numbers(renumbered(beside, by)))): renumbered(those, by) for beside, those in some.items()}
        for some in (each.silent, each.others)
    )
    return KeptContributions(renumbered(each.plain, by), silent, others)


def merged(parts: Iterable[KeptFindings]) -> KeptFindings:
    """What several workers have written of one group."""

    def take(made: KeptFindings, part: KeptFindings, numbered: Sequence[int]) -> None:
        for name, said in part.subjects.items():
            made.subjects[name] = msgspec.structs.replace(said, keys=renumbered(said.keys, numbered))

    return _merged(iter(parts), KeptFindings(), take)


def merged_projects(parts: Iterable[KeptProject]) -> KeptProject:
    """What several workers have written of the project."""

    def take(made: KeptProject, part: KeptProject, numbered: Sequence[int]) -> None:
        for name, answer in part.answers.items():
            if name not in made.answers:
                made.answers[name] = _answer_renumbered(answer, numbered)

    return _merged(iter(parts), KeptProject(), take)


_Kept = TypeVar("_Kept", KeptFindings, KeptProject)


def _merged(parts: Iterator[_Kept], empty: _Kept, take: Callable[[_Kept, _Kept, Sequence[int]], None]) -> _Kept:
    """All in the first of them; each other one is asked for when that before it was taken over, and may be lost
    then."""
    made = next(parts, empty)
    numbering = Numbering(made.keys)
    for part in parts:
        take(made, part, numbering.table(part.keys))
        del part  # before the next is read
    made.keys, made.first = numbering.keys, len(numbering.keys)
    return made


def _in_use(kept: KeptFindings) -> KeptFindings:
    """With the keys that somebody rests on."""
    left = sorted({number for one in kept.subjects.values() for number in numbers(one.keys)})
    numbered = dict(zip(left, range(len(left)), strict=True))
    subjects = {
        name: msgspec.structs.replace(one, keys=renumbered(one.keys, numbered)) for name, one in kept.subjects.items()
    }
    return KeptFindings(len(left), [kept.keys[number] for number in left], subjects)


def _project_in_use(kept: KeptProject) -> KeptProject:
    """With the keys that somebody rests on."""
    used: set[int] = set()
    for answer in kept.answers.values():
        used.update(numbers(answer.keys))
        if answer.each is not None:
            used.update(numbers(answer.each.plain))
            for some in (answer.each.silent, answer.each.others):
                used.update(all_numbers((*some, *some.values())))
    left = sorted(used)
    numbered = dict(zip(left, range(len(left)), strict=True))
    kept.answers = {name: _answer_renumbered(one, numbered) for name, one in kept.answers.items()}
    kept.keys, kept.first = [kept.keys[number] for number in left], len(left)
    return kept
