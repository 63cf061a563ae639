"""Whether what is found depends on the order in which subjects are asked. It must not.

    python benchmarks/shuffle.py [--orders N] [--alone N] [--rule RULE]... FOLDER...

Each folder is one project, read without settings. All rules are asked in the usual order, and then of a fresh program
each: with the subjects (functions, classes, bindings, the program) in N random orders, and N subjects alone, picked at
random. Printed is what comes (+) or goes (-). The random numbers are seeded: the same arguments ask the same. The exit
code is 1 when something comes or goes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ownlint import catalogue, children, inputs, pipeline
from ownlint.catalogue import Judgement
from ownlint.config import Config, Settings
from ownlint.facts import anchors
from ownlint.facts.cache import Cache
from ownlint.finding import Crash, Finding
from ownlint.outline import Libraries
from ownlint.project.program import Program
from ownlint.reading import Reader
from ownlint.rule import Rule
from ownlint.sources import requirements, stubs
from ownlint.sources.digests import Digests
from ownlint.sources.discover import discover

_SECONDS = 3600.0
Order = Callable[[Sequence[Judgement]], Iterable[Judgement]]


class Said(msgspec.Struct, frozen=True, order=True):
    """A finding or a crash, as far as no order may change it. `subject` is the number of who was asked."""

    subject: int
    path: str
    start: int
    rule: str
    certainty: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}@{self.start}: {self.rule} [{self.certainty}] {self.message}"


class Difference(NamedTuple):
    """What an order changed against the usual one."""

    order: str
    lost: tuple[Said, ...]
    new: tuple[Said, ...]

    def __str__(self) -> str:
        lines = [f"- {one}" for one in self.lost] + [f"+ {one}" for one in self.new]
        return "\n".join(f"{self.order}: {line}" for line in lines)


def usual(judgements: Sequence[Judgement]) -> Iterable[Judgement]:
    return judgements


def shuffled(seed: int) -> Order:
    """The subjects in a random order; of one subject the rules stay in theirs."""

    def order(judgements: Sequence[Judgement]) -> Iterable[Judgement]:
        of_subject: dict[int, list[Judgement]] = {}
        for one in judgements:
            of_subject.setdefault(one.number, []).append(one)
        many = list(of_subject.values())
        random.Random(seed).shuffle(many)
        return [one for several in many for one in several]

    return order


def alone(subject: int) -> Order:
    """Only the subject with that number; 0 is the program."""
    return lambda judgements: [one for one in judgements if one.number == subject]


def asked(rules: Sequence[Rule], program: Program, order: Order = usual) -> Counter[Said]:
    """What the rules say of a copy of the program, so that it stays as fresh as it is. Raises `children.LostError`."""

    def work() -> bytes:
        said = []
        for judgement in order(list(catalogue.judgements(rules, program))):
            found = catalogue.judge(judgement, program)
            said += [_said(judgement.number, one) for one in ([found] if isinstance(found, Crash) else found)]
        return msgspec.json.encode(said)

    return Counter(msgspec.json.decode(children.answered(work, _SECONDS, children.MEMORY), type=list[Said]))


def _said(subject: int, one: Finding | Crash) -> Said:
    if isinstance(one, Crash):
        return Said(subject, one.path, 0, one.rule, "crash", one.error)
    return Said(subject, one.path, one.span.start, one.rule, one.certainty, one.message)


def differences(
    rules: Sequence[Rule], program: Program, seeds: Iterable[int], most_alone: int | None = None
) -> Iterator[Difference]:
    """Between the usual order and random ones, and between the usual one and `most_alone` subjects (all of them with
    None), each alone. Nothing may have been asked of the program yet."""
    expected = asked(rules, program)
    for seed in seeds:
        yield from _difference(f"order {seed}", expected, asked(rules, program, shuffled(seed)))
    numbers = sorted({one.number for one in catalogue.judgements(rules, program)})
    if most_alone is not None and most_alone < len(numbers):
        numbers = sorted(random.Random(0).sample(numbers, most_alone))
    for number in numbers:
        among = Counter({one: count for one, count in expected.items() if one.subject == number})
        yield from _difference("alone", among, asked(rules, program, alone(number)))


def _difference(order: str, expected: Counter[Said], found: Counter[Said]) -> Iterator[Difference]:
    lost, new = expected - found, found - expected
    if lost or new:
        yield Difference(order, tuple(sorted(lost.elements())), tuple(sorted(new.elements())))


def program_of(folder: Path, rules: Sequence[Rule], kept: Path | None = None) -> Program:
    """Of a folder of sources, without settings and installed packages; facts are kept in the folder `kept`."""
    root = folder.resolve()
    settings = Settings(config=Config())
    cache = Cache(kept, root)
    digests = Digests(cache, root)
    found = discover(root, [root], settings.config)
    held = digests.of_sources(found.sources)
    how = pipeline.compiling(found, settings.config)
    libraries = Libraries(inputs.model_paths(root, settings), cache)
    contracts, _ = pipeline.contracts_of(inputs.contract_paths(root, settings))
    words = [word for rule in rules for word in rule.anchors] + anchors.of_contracts(contracts)
    reader = Reader(found.root, found.sources, held, how.commands, cache, digests, 1, lambda *_: None)
    facts = reader.all(libraries, words)
    facts.take_up()
    required, told = requirements.stated(found.root), stubs.read(pipeline.stubs_of(found), root)
    return Program(facts.files(), libraries.models, None, (), required, {}, contracts, told)


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether what is found depends on the order of asking.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--orders", type=int, default=3, help="random orders of all subjects")
    parser.add_argument("--alone", type=int, default=200, help="subjects that are asked alone")
    parser.add_argument("--rule", action="append", help="only these rules; all without any")
    arguments = parser.parse_args()
    rules = [rule for rule in catalogue.load() if not arguments.rule or rule.id in arguments.rule]
    changed = 0
    for folder in arguments.folders:
        found = list(differences(rules, program_of(folder, rules), range(arguments.orders), arguments.alone))
        told = {str(one) for one in found}
        changed += sum(len(one.lost) + len(one.new) for one in found)
        print(f"{folder.name}: {sum(len(one.lost) for one in found)} lost, {sum(len(one.new) for one in found)} new")
        for one in sorted(told):
            print(one, flush=True)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
