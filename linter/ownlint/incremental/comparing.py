"""Of what was kept, what still holds: that which rests on nothing that says something else now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, partial

import msgspec

from ownlint.facts import records as r
from ownlint.incremental import changes, fingerprints, values
from ownlint.incremental.kept import FactsEntry, KeptAnswer, KeptContributions, KeptFindings, KeptSubject, numbers
from ownlint.project import questions
from ownlint.project.program import Program
from ownlint.project.questions import Key

BEFORE = "ownlint.project.program.Program.before"
"""The question for the project as it was before the change under review: nobody compares these."""

_NOBODY = KeptContributions(b"", {}, {})

Facts = Callable[[str], bytes | None]
"""The facts that are kept under a key; None where they are not any more."""


class StillHolding(msgspec.Struct, frozen=True):
    """What still holds, of a group of rules."""

    subjects: Mapping[str, KeptSubject] = {}
    answers: Collection[str] = ()
    """The questions about all files that say what they said."""


def standing(kept: KeptFindings, program: Program, files: Mapping[str, FactsEntry], facts: Facts) -> StillHolding:
    """`files` are those of the program; `facts` gives the facts that are kept under a key, None where they are not any
    more: then nothing is known of what has changed."""
    moved = {path for path in kept.files.keys() | files.keys() if kept.files.get(path) != files.get(path)}
    paths = moved | kept.copies.keys() | program.copied
    before = _before(kept, paths, facts)
    if before is None:
        return StillHolding()
    now = {path: program.said[path] for path in paths if path in program.said}
    gone = _Gone(kept, program, changes.changed(before, now))
    gone.look_at_answers()
    placed = moved | {path for path in paths if before.get(path) != now.get(path)}
    subjects = {
        name: said
        for name, said in kept.subjects.items()
        if gone.numbers.isdisjoint(numbers(said.keys)) and not _stands_in(said, placed)
    }
    return StillHolding(subjects, gone.same)


def _before(kept: KeptFindings, paths: Iterable[str], facts: Facts) -> dict[str, r.FileRecord] | None:
    """What these files said then."""
    found: dict[str, r.FileRecord] = {}
    for path in paths:
        entry = kept.files.get(path)
        if entry is None:
            continue
        if path in kept.copies or entry.key:
            data = kept.copies.get(path) or facts(entry.key)
            if data is None:
                return None
            try:
                found[path] = r.decode_file(data)
            except msgspec.DecodeError:
                return None
        else:
            found[path] = entry.bare(path)
    return found


def _stands_in(said: KeptSubject, paths: Collection[str]) -> bool:
    """Whether a place that was named then is in one of these files: it may stand elsewhere in them now."""
    return any(not finding.paths.isdisjoint(paths) for finding in said.findings) or any(
        one.path in paths for one in said.large
    )


class _Gone:
    """The numbers of the keys that say something else."""

    def __init__(self, kept: KeptFindings, program: Program, changed: frozenset[Key]) -> None:
        self._kept = kept
        self._program = program
        now = program.earlier_paths
        with questions.noting():
            reviewed = {*kept.earlier, *now}
        self._reviewed = kept.reviewed or program.earlier is not None
        self.numbers = {
            number
            for number, key in enumerate(kept.keys)
            if key in changed or (key[0] == "earlier" and (len(key) == 1 or key[1] in reviewed))
        }
        self._of_answers: dict[str, list[int]] = {}
        for number, key in enumerate(kept.keys):
            if key[0] == "answer":
                self._of_answers.setdefault(key[1], []).append(number)
        self._answer_of = {number: name for name, numbers_of in self._of_answers.items() for number in numbers_of}
        self._of_any = set(self._answer_of)
        self.same: set[str] = set()
        """The questions about all files that say what they said."""
        self._seen: set[str] = set()

    def look_at_answers(self) -> None:
        """Those that may say something else now are asked again."""
        for name in sorted({*self._kept.answers, *self._of_answers}):
            self._look_at(name)

    def _look_at(self, name: str) -> None:
        """Those that it rests on first."""
        if name in self._seen:
            return
        self._seen.add(name)
        held = self._kept.answers.get(name)
        if held is None or name == BEFORE:
            self._all_of(name, name != BEFORE or self._reviewed)
            return
        each = held.each or _NOBODY
        parts = (held.keys, each.plain, *each.silent.values(), *each.others.values())
        read = {*numbers(b"".join(parts))}
        for other in sorted({self._answer_of[number] for number in read & self._of_any}):
            if other != name:
                self._look_at(other)
        if held.each is not None:
            self._program.silent.setdefault(name, cache(partial(self._still_silent, held.each)))
        if self.numbers.isdisjoint(read):
            self.same.add(name)
            values.recall(self._program, {name: held.value})
        else:
            self._ask_again(name, held)

    def _still_silent(self, each: KeptContributions) -> frozenset[Key]:
        """Those that bring nothing, and of which nothing that was read for it is gone."""
        silent = {*numbers(each.plain)} - self.numbers
        silent |= {
            number
            for number, keys in each.silent.items()
            if number not in self.numbers and self.numbers.isdisjoint(numbers(keys))
        }
        return frozenset(self._kept.keys[number] for number in silent)

    def _ask_again(self, name: str, held: KeptAnswer) -> None:
        if not questions.ask_again(self._program, name, held.of):
            self._all_of(name, True)
            return
        said = fingerprints.answer(self._program, name)
        for number in self._of_answers.get(name, ()):
            key = self._kept.keys[number]
            then = held.whole if len(key) == 2 else held.parts.get(key[2])
            if said.get(key) != then:
                self.numbers.add(number)

    def _all_of(self, name: str, gone: bool) -> None:
        if gone:
            self.numbers.update(self._of_answers.get(name, ()))
