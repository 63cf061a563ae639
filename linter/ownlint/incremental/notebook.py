"""What rules say of each subject, written down with what it was derived from, so that the next run can keep it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ownlint.facts import records as r
from ownlint.finding import Finding, TooLarge
from ownlint.incremental import fingerprints, values
from ownlint.incremental.comparing import BEFORE, StillHolding
from ownlint.incremental.kept import (
    FactsEntry,
    KeptAnswer,
    KeptContributions,
    KeptFindings,
    KeptSubject,
    Numbering,
    numbers,
    renumbered,
)
from ownlint.project import questions
from ownlint.project.program import Program
from ownlint.project.questions import Key, Note

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

    def __init__(self, program: Program, kept: KeptFindings | None, standing: StillHolding) -> None:
        self._program = program
        self._kept = kept or KeptFindings()
        self.standing = standing
        self._numbering = Numbering(self._kept.keys)
        self._subjects: dict[str, KeptSubject] = {}

    def keep(self, name: str, said: KeptSubject) -> None:
        """What was said before, and still holds."""
        self._subjects[name] = said

    def note(self, name: str, notes: Iterable[Note], findings: Iterable[Finding]) -> None:
        """What is said of a subject now."""
        keys = questions.keys(notes)
        large = tuple(sorted(self._large(keys)))
        self._subjects[name] = KeptSubject(self._numbering.of(keys), tuple(findings), large)

    def _large(self, keys: Collection[Key]) -> Iterable[TooLarge]:
        if not any(key[0] == "large" for key in keys):
            return ()
        return (
            TooLarge(one.path, one.record.name_start, one.name)
            for one in self._program.too_large
            if ("large", *one.key[1:]) in keys
        )

    def _contributions(self, name: str) -> KeptContributions | None:
        """Of the functions that were asked now; the others brought nothing before, and still do not. None where it is
        not known what that rests on."""
        program, numbering = self._program, self._numbering
        plain: list[Key] = []
        silent: dict[int, bytes] = {}
        others: dict[int, bytes] = {}
        for key, one in program.contributions[name].items():
            keys = questions.keys((one.note,))
            if one.silent and keys == {key}:
                plain.append(key)
            else:
                (silent if one.silent else others)[numbering.number(key)] = numbering.of(keys)
        left = program.silent.get(name, frozenset[Key])() - program.contributions[name].keys()
        then = self._kept.answers.get(name)
        each = then.each if then is not None and then.each is not None else KeptContributions(b"", {}, {})
        known = self._kept.keys
        still = [known[number] for number in numbers(each.plain) if known[number] in left]
        also = {number: keys for number, keys in each.silent.items() if known[number] in left}
        if len(still) + len(also) != len(left):
            return None
        plain += still
        silent |= also
        return KeptContributions(numbering.of(plain), silent, others)

    def written(self, files: Mapping[str, FactsEntry], prints: AnswerPrints) -> KeptFindings:
        """All of it, for the next run."""
        program, asked = self._program, prints.by_name
        answers = {name: self._kept.answers[name] for name in sorted(self.standing.answers) if name not in asked}
        numbered = self._numbering.table(prints.keys)
        for name, said in asked.items():
            each = self._contributions(name) if name in program.contributions else None
            if each is None and name in program.contributions:
                continue
            keys = renumbered(said.keys, numbered)
            answers[name] = KeptAnswer(keys, said.whole, said.parts, said.of, each, said.value)
        with questions.noting():
            earlier = tuple(sorted(program.earlier_paths))
        copies = {path: r.encode_file(program.said[path]) for path in sorted(program.copied)}
        first = self._kept.first or len(self._numbering.keys)
        made = KeptFindings(
            dict(files),
            copies,
            earlier,
            program.earlier is not None,
            first,
            self._numbering.keys,
            answers,
            self._subjects,
        )
        return _in_use(made) if len(made.keys) > _GROWN * first else made


def _renumbered(each: KeptContributions | None, by: Mapping[int, int] | Sequence[int]) -> KeptContributions | None:
    if each is None:
        return None
    silent, others = (
        {by[number]: renumbered(keys, by) for number, keys in some.items()} for some in (each.silent, each.others)
    )
    return KeptContributions(renumbered(each.plain, by), silent, others)


def merged(parts: Iterable[KeptFindings]) -> KeptFindings:
    """What several workers have written of one project; each part is asked for when the one before it was taken over,
    and may be lost then."""
    every = iter(parts)
    made = next(every, KeptFindings())
    numbering = Numbering(made.keys)
    for part in every:
        numbered = numbering.table(part.keys)
        made.files, made.copies, made.earlier, made.reviewed = part.files, part.copies, part.earlier, part.reviewed
        for name, answer in part.answers.items():
            if name not in made.answers:
                keys = renumbered(answer.keys, numbered)
                each = _renumbered(answer.each, numbered)
                made.answers[name] = KeptAnswer(keys, answer.whole, answer.parts, answer.of, each, answer.value)
        for name, said in part.subjects.items():
            made.subjects[name] = KeptSubject(renumbered(said.keys, numbered), said.findings, said.large)
        del part  # before the next is read
    made.keys, made.first = numbering.keys, len(numbering.keys)
    return made


def _in_use(kept: KeptFindings) -> KeptFindings:
    """With the keys that somebody rests on."""
    used: set[int] = set()
    for keys in (*(one.keys for one in kept.answers.values()), *(one.keys for one in kept.subjects.values())):
        used.update(numbers(keys))
    for each in (one.each for one in kept.answers.values() if one.each is not None):
        used.update(numbers(each.plain))
        for number, keys in (*each.silent.items(), *each.others.items()):
            used.update((number, *numbers(keys)))
    left = sorted(used)
    numbered = dict(zip(left, range(len(left)), strict=True))
    answers = {
        name: msgspec.structs.replace(one, keys=renumbered(one.keys, numbered), each=_renumbered(one.each, numbered))
        for name, one in kept.answers.items()
    }
    subjects = {
        name: KeptSubject(renumbered(one.keys, numbered), one.findings, one.large)
        for name, one in kept.subjects.items()
    }
    kept.keys, kept.first = [kept.keys[number] for number in left], len(left)
    kept.answers, kept.subjects = answers, subjects
    return kept
