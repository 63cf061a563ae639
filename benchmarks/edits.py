"""Whether an edit leads to all that rests on it: what is not asked again must say the same.

    python benchmarks/edits.py [--edits N] [--alone N] [--seed N] [--rule RULE]... FOLDER...

Each folder is one project, read without settings. All rules are asked, and what each subject read is noted. Then the
sources are edited at random, one edit after the other (statements, signatures, names, macros, comments, files), and all
rules are asked of a fresh program. Printed is how many subjects an edit leads to, and by which kinds of keys; and each
subject that it does not lead to, and that says something else. The exit code is 1 when there is one.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
from shuffle import program_of

from ownlint import catalogue, children
from ownlint.catalogue import Judgement
from ownlint.finding import Crash
from ownlint.incremental import changes, fingerprints
from ownlint.project import questions
from ownlint.project.program import Program
from ownlint.project.questions import Key
from ownlint.project.subjects import Function
from ownlint.rule import Rule

_SECONDS = 600.0
_SHORT = 200
SUFFIXES = (".c", ".cc", ".cpp", ".cu", ".cxx", ".h", ".hh", ".hpp", ".py")
_STATEMENT = re.compile(rb"^[ \t]+[^\n#/{}]+;[ \t]*\n", re.MULTILINE)
_PYTHON_STATEMENT = re.compile(rb"^[ \t]+[a-z_][^\n:]*\)[ \t]*\n", re.MULTILINE)
_NAME = re.compile(rb"\b[A-Za-z_]\w{3,}\b")
_DEFINE = re.compile(rb"^#[ \t]*define[ \t]+\w+[^\n\\]*\n", re.MULTILINE)
_FUNCTION = re.compile(rb"^(?:[\w:<>*&]+[ \t]+)+[\w:~]+\([^;{}()]*\)[^;{}]*\{", re.MULTILINE)


class Said(NamedTuple):
    """What the rules say of a subject, and what was read on the way."""

    findings: tuple[tuple[str, ...], ...]
    keys: frozenset[Key]


class Edit(NamedTuple):
    name: str
    path: str


Change = Callable[[bytes, random.Random], bytes]


def asked(rules: Sequence[Rule], program: Program) -> dict[tuple[str, ...], Said]:
    """By subject; rules of the whole program are asked anew at every edit."""
    said: dict[tuple[str, ...], Said] = {}
    judgements = catalogue.judgements([rule for rule in rules if rule.subject != "Program"], program)
    for _, group in groupby(judgements, key=lambda one: one.number):
        many = list(group)
        with questions.noting() as notes:
            catalogue.begin(many[0].subject)
            found = [one for judgement in many for one in _found(judgement, program)]
        said[_name(many[0], said)] = Said(tuple(sorted(found)), questions.keys(notes))
    return said


def unnoted(rules: Sequence[Rule], program: Program, most: int, chance: random.Random) -> Iterator[str]:
    """What a subject reads when it is asked alone, and was not noted where others had asked before. Nothing may have
    been asked of the program yet."""
    many = list(catalogue.judgements([rule for rule in rules if rule.subject != "Program"], program))
    numbers = sorted({one.number for one in many})
    alone: dict[int, frozenset[Key]] = {}
    for number in chance.sample(numbers, min(most, len(numbers))):
        mine = [one for one in many if one.number == number]
        data = children.answered(lambda mine=mine: _alone(mine, program), _SECONDS, children.MEMORY)
        alone[number] = frozenset(tuple(key) for key in msgspec.json.decode(data))
    for number, group in groupby(many, key=lambda one: one.number):
        with questions.noting() as notes:
            mine = list(group)
            catalogue.begin(mine[0].subject)
            for judgement in mine:
                catalogue.judge(judgement, program)
        for key in sorted(alone.get(number, frozenset()) - questions.keys(notes)):
            yield f"{mine[0].path} {mine[0].symbol}: {' '.join(key)}"


def _alone(judgements: Sequence[Judgement], program: Program) -> bytes:
    with questions.noting() as notes:
        catalogue.begin(judgements[0].subject)
        for judgement in judgements:
            catalogue.judge(judgement, program)
    return msgspec.json.encode(sorted(questions.keys(notes)))


def _name(judgement: Judgement, known: dict[tuple[str, ...], Said]) -> tuple[str, ...]:
    subject = judgement.subject
    if isinstance(subject, Function):
        return subject.key
    plain = (type(subject).__name__, judgement.path, judgement.symbol)
    number = 0
    while (*plain, str(number)) in known:
        number += 1
    return (*plain, str(number))


def _found(judgement: Judgement, program: Program) -> Iterator[tuple[str, ...]]:
    found = catalogue.judge(judgement, program)
    if isinstance(found, Crash):
        yield found.rule, found.path, found.error
    else:
        for one in found:
            steps = (f"{step.path} {step.message}" for step in one.steps)
            yield one.rule, one.path, one.certainty, one.message, one.help, *steps


# --- edits ------------------------------------------------------------------------------------------------


def _line(pattern: re.Pattern[bytes], text: bytes, chance: random.Random) -> re.Match[bytes] | None:
    found = list(pattern.finditer(text))
    return chance.choice(found) if found else None


def _without(text: bytes, chance: random.Random) -> bytes:
    """A statement goes."""
    found = _line(_STATEMENT, text, chance) or _line(_PYTHON_STATEMENT, text, chance)
    return text[: found.start()] + text[found.end() :] if found else text


def _twice(text: bytes, chance: random.Random) -> bytes:
    """A statement stands there twice."""
    found = _line(_STATEMENT, text, chance) or _line(_PYTHON_STATEMENT, text, chance)
    return text[: found.end()] + found[0] + text[found.end() :] if found else text


def _renamed(text: bytes, chance: random.Random) -> bytes:
    """One occurrence of a name is spelled like another name of the file."""
    found, other = _line(_NAME, text, chance), _line(_NAME, text, chance)
    return text[: found.start()] + other[0] + text[found.end() :] if found and other else text


def _everywhere(text: bytes, chance: random.Random) -> bytes:
    """A name is another one everywhere in the file."""
    found = _line(_NAME, text, chance)
    return re.sub(rb"\b" + found[0] + rb"\b", found[0] + b"2", text) if found else text


def _commented(text: bytes, chance: random.Random) -> bytes:
    """A comment comes in."""
    lines = text.split(b"\n")
    lines.insert(chance.randrange(len(lines)), b"// seen" if b"#include" in text else b"# seen")
    return b"\n".join(lines)


def _redefined(text: bytes, chance: random.Random) -> bytes:
    """A macro goes, or stands for nothing."""
    found = _line(_DEFINE, text, chance)
    return text[: found.start()] + text[found.end() :] if found else _without(text, chance)


def _added(text: bytes, chance: random.Random) -> bytes:
    """A function stands in the file once more, under another name."""
    found = _line(_FUNCTION, text, chance)
    return text[: found.start()] + found[0] + b" return; }\n" + text[found.start() :] if found else text


KINDS: dict[str, Change] = {
    "statement removed": _without,
    "statement repeated": _twice,
    "name replaced": _renamed,
    "renamed everywhere": _everywhere,
    "comment added": _commented,
    "macro removed": _redefined,
    "function added": _added,
    "file emptied": lambda text, chance: b"",
}


class Project(Protocol):
    """Sources that can be edited, and read as a program."""

    texts: dict[str, bytes]

    def program(self) -> Program: ...


class Folder:
    """A copy of a folder of sources; facts are kept beside it."""

    def __init__(self, folder: Path, place: Path, rules: Sequence[Rule]) -> None:
        self.root, self.kept, self.rules = place / "project", place / "cache", rules
        shutil.copytree(folder, self.root)
        files = sorted(path for path in self.root.rglob("*") if path.suffix in SUFFIXES and path.is_file())
        self.texts = {path.relative_to(self.root).as_posix(): path.read_bytes() for path in files}
        self._written = dict(self.texts)

    def program(self) -> Program:
        for path, text in self.texts.items():
            if self._written[path] != text:
                (self.root / path).write_bytes(text)
                self._written[path] = text
        return program_of(self.root, self.rules, self.kept)


def edit(texts: dict[str, bytes], chance: random.Random, kinds: Sequence[str] = tuple(sorted(KINDS))) -> Edit:
    """Changes one of the texts."""
    paths = sorted(path for path, text in texts.items() if len(text) > _SHORT)
    while True:
        path, name = chance.choice(paths), chance.choice(kinds)
        made = KINDS[name](texts[path], chance)
        if made != texts[path]:
            texts[path] = made
            return Edit(name, path)


# --- the trial --------------------------------------------------------------------------------------------


class Tally:
    """Of the edits of one project."""

    def __init__(self) -> None:
        self.edits = self.subjects = self.again = self.needed = self.wrong = 0
        self.by_kind: Counter[str] = Counter()

    def __str__(self) -> str:
        share = 100 * self.again / max(1, self.subjects)
        needed = 100 * self.needed / max(1, self.subjects)
        causes = ", ".join(
            f"{kind} {100 * count / max(1, self.subjects):.1f}" for kind, count in self.by_kind.most_common(12)
        )
        return (
            f"{self.edits} edits, asked again {share:.1f} % of the subjects (changed {needed:.2f} %), "
            f"wrongly kept {self.wrong}; by key, in %: {causes}"
        )


def trial(project: Project, rules: Sequence[Rule], edits: int, chance: random.Random) -> Tally:
    """Edits the project, and prints what an edit did not lead to."""
    tally = Tally()
    program = project.program()
    before, answered = asked(rules, program), fingerprints.answers(program)
    for _ in range(edits):
        made = edit(project.texts, chance)
        fresh = project.program()
        after, now = asked(rules, fresh), fingerprints.answers(fresh)
        said = changes.ChangedKeys(program.said, fresh.said)
        read = {key for one in before.values() for key in one.keys if key in said}
        answers = {key for key in answered.keys() | now.keys() if answered.get(key) != now.get(key)}
        gone = frozenset(read | answers | said.keys)
        _compare(made, before, after, gone, tally)
        program, before, answered = fresh, after, now
    return tally


def _compare(
    made: Edit,
    before: dict[tuple[str, ...], Said],
    after: dict[tuple[str, ...], Said],
    gone: frozenset[Key],
    tally: Tally,
) -> None:
    tally.edits += 1
    again = 0
    for name, said in after.items():
        old = before.get(name)
        tally.subjects += 1
        differs = old is None or old.findings != said.findings
        tally.needed += differs
        if old is None or (read := old.keys & gone):
            again += 1
            if old is not None:
                tally.by_kind.update({key[1] if key[0] in ("answer", "all") else key[0] for key in read})
        elif differs:
            tally.wrong += 1
            print(f"after {made.name} in {made.path}, {name} was kept:")
            for one in sorted(set(old.findings) ^ set(said.findings)):
                print("   ", "+" if one in said.findings else "-", " | ".join(one[:4]))
    tally.again += again
    print(f"{made.name} in {made.path}: {len(gone)} keys changed, {again} of {len(after)} asked again", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether an edit leads to all that rests on it.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--alone", type=int, default=0, help="instead: subjects whose notes are compared, asked alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rule", action="append", help="only these rules; all without any")
    arguments = parser.parse_args()
    rules = [rule for rule in catalogue.load() if not arguments.rule or rule.id in arguments.rule]
    wrong = 0
    for folder in arguments.folders if arguments.alone else ():
        found = list(unnoted(rules, program_of(folder, rules), arguments.alone, random.Random(arguments.seed)))
        wrong += len(found)
        print(*found, f"{folder.name}: {len(found)} of {arguments.alone} subjects not noted", sep="\n", flush=True)
    for folder in arguments.folders if not arguments.alone else ():
        with tempfile.TemporaryDirectory(prefix="ownlint-edits-") as place:
            project = Folder(folder, Path(place), rules)
            tally = trial(project, rules, arguments.edits, random.Random(arguments.seed))
        wrong += tally.wrong
        print(f"{folder.name}: {tally}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
