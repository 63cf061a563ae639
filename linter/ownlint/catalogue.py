"""Which rules there are, and the one place where they are run.

Rule packs are the entry points of group `ownlint.rules`; the built-in pack is one of them. Only
installed packages can be packs: nothing of the tree under analysis is ever imported.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ownlint.choices import PACKS
from ownlint.facts.base import Span
from ownlint.finding import Crash, Finding
from ownlint.rule import Rule, RuleError, rule_of
from ownlint.sources.distributions import entry_points

if TYPE_CHECKING:
    from ownlint.program.program import Program


_STRIDE = 64
"""So many subjects are looked at between two words about it."""


@lru_cache(maxsize=1)
def load() -> tuple[Rule, ...]:
    """Every rule of every installed pack, by id. Raises `RuleError` for a file that breaks the contract
    and for two rules of one id."""
    found: dict[str, Rule] = {}
    for _, module in entry_points(PACKS, sys.path):
        pack = importlib.import_module(module)
        for made in rules_of(pack):
            other = found.get(made.id)
            if other is not None and other.module != made.module:
                raise RuleError(f"{made.module}: the rule `{made.id}` is already defined in {other.module}")
            found[made.id] = made
    return tuple(found[name] for name in sorted(found))


def groups() -> dict[str, str]:
    """The groups of the rules, each with the first line of its folder's docstring."""
    folders = {made.group: made.module.rpartition(".")[0] for made in load()}
    found = {group: importlib.import_module(folder).__doc__ or "" for group, folder in sorted(folders.items())}
    return {group: text.strip().partition("\n")[0] for group, text in found.items()}


def rules_of(pack: ModuleType) -> Iterator[Rule]:
    """The rules of one pack: every module below it that marks a check. A module whose name starts with `_` is none."""
    for info in pkgutil.walk_packages(pack.__path__, pack.__name__ + "."):
        if info.ispkg or info.name.rsplit(".", 1)[-1].startswith("_"):
            continue
        module = importlib.import_module(info.name)
        made = rule_of(getattr(module, info.name.rsplit(".", 1)[-1], None))
        if made is None:
            raise RuleError(f"{info.name}: no check named as the file is marked with @rule")
        yield made


def run(
    rules: Sequence[Rule], program: Program, told: Callable[[int, int], None] = lambda done, of: None
) -> Iterator[Finding | Crash]:
    """What the rules find in the program. A rule that raises is named and costs only its own subject. `told` is told
    now and then how many subjects of how many are done. A template that is read once for each of its types is guilty
    once.
    """
    seen: set[tuple[str, str, Span]] = set()
    for said in _run(rules, program, told):
        if isinstance(said, Finding) and any(said.span.start in span for span in program.repeats.get(said.path, ())):
            if (said.rule, said.path, said.span) in seen:
                continue
            seen.add((said.rule, said.path, said.span))
        yield said


def _run(rules: Sequence[Rule], program: Program, told: Callable[[int, int], None]) -> Iterator[Finding | Crash]:
    chosen = {
        subject: [r for r in rules if r.subject == subject] for subject in ("Program", "Class", "Binding", "Function")
    }
    subjects = (("Class", program.classes), ("Binding", program.bindings), ("Function", program.functions))
    done, of = 0, sum(len(many) for subject, many in subjects if chosen[subject])
    for made in chosen["Program"]:
        yield from _run_one(made, program, "", program)
    for subject, many in subjects:
        if not chosen[subject]:
            continue
        spoken = {one.file.language for one in many}
        fitting = {language: [r for r in chosen[subject] if language in r.languages] for language in spoken}
        for one in many:
            done += 1
            if not done % _STRIDE:
                told(done, of)
            for made in fitting[one.file.language]:
                yield from _run_one(made, one, one.path, program)


def _run_one(made: Rule, subject: object, path: str, program: Program) -> Iterator[Finding | Crash]:
    try:
        for finding in made.check(subject, program) if made.takes_program else made.check(subject):
            severity = "warning" if finding.mild and made.severity == "error" else made.severity
            yield replace(finding, rule=made.id, severity=severity)
    except Exception as error:  # noqa: BLE001 - a rule's bug must not hide the other rules' findings
        place = getattr(subject, "symbol", "")
        yield Crash(made.id, path, f"{type(error).__name__}: {error}" + (f" (in `{place}`)" if place else ""))
