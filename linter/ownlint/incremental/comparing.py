"""Of what was kept, what still holds: that which rests on nothing that says something else now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial

import msgspec

from ownlint.facts import records as r
from ownlint.incremental import changes, fingerprints, values
from ownlint.incremental.kept import (
    FactsEntry,
    KeptAnswer,
    KeptContributions,
    KeptFindings,
    KeptProject,
    KeptSubject,
    all_numbers,
    numbers,
)
from ownlint.project import questions
from ownlint.project.program import Program
from ownlint.project.questions import Key, StillBrought

BEFORE = "ownlint.project.program.Program.before"
"""The question for the project as it was before the change under review: nobody compares these."""

_NOBODY = KeptContributions(b"", {}, {})

Facts = Callable[[str], bytes | None]
"""The facts that are kept under a key; None where they are not any more."""


def _before(kept: KeptProject, paths: Iterable[str], facts: Facts) -> dict[str, r.FileRecord] | None:
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
    return bool(said.findings or said.large) and (
        any(not finding.paths.isdisjoint(paths) for finding in said.findings)
        or any(one.path in paths for one in said.large)
    )


class Comparison:
    """What was known of a project, compared with what is known now; what may say something else now is asked again.

    `files` are those of the program; `facts` gives the facts that are kept under a key, None where they are not any
    more: then nothing is known of what has changed, and `is_known` says so."""

    def __init__(self, kept: KeptProject, program: Program, files: Mapping[str, FactsEntry], facts: Facts) -> None:
        self.kept = kept
        self._program = program
        self.same: set[str] = set()
        """The questions about all files that say what they said."""
        moved = {path for path in kept.files.keys() | files.keys() if kept.files.get(path) != files.get(path)}
        paths = moved | kept.copies.keys() | program.copied
        before = _before(kept, paths, facts)
        self.is_known = before is not None
        if before is None:
            return
        now = {path: program.said[path] for path in paths if path in program.said}
        self._placed = moved | {path for path in paths if before.get(path) != now.get(path)}
        self._changed = changes.ChangedKeys(before, now)
        with questions.noting():
            self._reviewed_paths = {*kept.earlier, *program.earlier_paths}
        self._touched = {*kept.touched, *(program.earlier.touched if program.earlier is not None else ())}
        self._reviewed = kept.reviewed or program.earlier is not None
        self._numbers = {number for number, key in enumerate(kept.keys) if self._is_changed(key)}
        self._of_answers: dict[str, list[int]] = {}
        for number, key in enumerate(kept.keys):
            if key[0] == "answer":
                self._of_answers.setdefault(key[1], []).append(number)
        self._answer_of = {number: name for name, those in self._of_answers.items() for number in those}
        self._of_any = set(self._answer_of)
        self._asked: set[str] = set()
        """The questions that were asked again."""
        self._seen: set[str] = set()
        for name in sorted({*kept.answers, *self._of_answers}):
            self._look_at(name)

    def subjects(self, findings: KeptFindings) -> dict[str, KeptSubject]:
        """What a group of rules said then and would say again."""
        if not self.is_known:
            return {}
        gone = {
            number
            for number, key in enumerate(findings.keys)
            if (self._answers_another(key) if key[0] == "answer" else self._is_changed(key))
        }
        return {
            name: said
            for name, said in findings.subjects.items()
            if (not gone or gone.isdisjoint(numbers(said.keys))) and not _stands_in(said, self._placed)
        }

    def _is_changed(self, key: Key) -> bool:
        """Whether the files say something else; answers are not looked at."""
        if key[0] == "earlier":
            if len(key) == 3:
                return ("body", *key[1:]) in self._touched
            return len(key) == 1 or key[1] in self._reviewed_paths
        return key in self._changed

    def _answers_another(self, key: Key) -> bool:
        """Whether a question that was looked at says something else of what the key names, or is not known."""
        name = key[1]
        if name in self.same:
            return False
        if name not in self._asked:
            return name != BEFORE or self._reviewed
        held = self.kept.answers[name]
        then = held.whole if len(key) == 2 else held.parts.get(key[2])
        return fingerprints.answer(self._program, name).get(key) != then

    def _look_at(self, name: str) -> None:
        """Those that it rests on first."""
        if name in self._seen:
            return
        self._seen.add(name)
        held = self.kept.answers.get(name)
        if held is not None and name != BEFORE:
            self._compare(name, held)
        if name not in self.same:
            mine = self._of_answers.get(name, ())
            self._numbers.update(number for number in mine if self._answers_another(self.kept.keys[number]))

    def _compare(self, name: str, held: KeptAnswer) -> None:
        """Asks it again where something that it rests on says something else."""
        each = held.each or _NOBODY
        by_function = (part for some in (each.silent, each.others) for part in (*some, *some.values()))
        read = {*all_numbers((held.keys, each.plain, *by_function))}
        for other in sorted({self._answer_of[number] for number in read & self._of_any}):
            if other != name:
                self._look_at(other)
        if held.each is not None:
            self._program.brought.setdefault(name, cache(partial(self._still_brought, held.each, held.value)))
        if self._numbers.isdisjoint(read):
            self.same.add(name)
            values.recall(self._program, {name: held.value})
        elif questions.ask_again(self._program, name, held.of):
            self._asked.add(name)

    def _still_brought(self, each: KeptContributions, value: bytes) -> StillBrought:
        """Of the functions of which nothing that was read for it is gone, what they bring; `value` is the answer."""
        changed = self._numbers

        def still(read: Mapping[bytes, bytes]) -> Iterator[Key]:
            for beside, those in read.items():
                if changed.isdisjoint(numbers(beside)):
                    yield from (self.kept.keys[number] for number in numbers(those) if number not in changed)

        plain = (self.kept.keys[number] for number in numbers(each.plain) if number not in changed)
        silent = frozenset((*plain, *still(each.silent)))
        return StillBrought(silent, values.said_by(self._program, value, {*still(each.others)}))
