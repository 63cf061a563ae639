"""Which rules there are, and the one place where they are run.

Rule packs are the entry points of group `ownlint.rules`; the built-in pack is one of them. Only
installed packages can be packs: nothing of the tree under analysis is ever imported.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ownlint.facts.records import Span
from ownlint.finding import Crash, Finding
from ownlint.rule import Rule, RuleError, rule_of

if TYPE_CHECKING:
    from ownlint.program.program import Program

GROUP = "ownlint.rules"


@lru_cache(maxsize=1)
def load() -> tuple[Rule, ...]:
    """Every rule of every installed pack, by id. Raises `RuleError` for a file that breaks the contract
    and for two rules of one id."""
    found: dict[str, Rule] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        pack = importlib.import_module(point.module)
        for made in rules_of(pack):
            other = found.get(made.id)
            if other is not None and other.module != made.module:
                raise RuleError(f"{made.module}: the rule `{made.id}` is already defined in {other.module}")
            found[made.id] = made
    return tuple(found[name] for name in sorted(found))


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


def run(rules: Sequence[Rule], program: Program) -> Iterator[Finding | Crash]:
    """What the rules find in the program. A rule that raises is named and costs only its own subject.

    A template that is read once for each of its types is guilty once.
    """
    told: set[tuple[str, str, Span]] = set()
    for said in _run(rules, program):
        if isinstance(said, Finding) and any(said.span.start in span for span in program.repeats.get(said.path, ())):
            if (said.rule, said.path, said.span) in told:
                continue
            told.add((said.rule, said.path, said.span))
        yield said


def _run(rules: Sequence[Rule], program: Program) -> Iterator[Finding | Crash]:
    chosen = {
        subject: [r for r in rules if r.subject == subject] for subject in ("Program", "Class", "Binding", "Function")
    }
    for made in chosen["Program"]:
        yield from _run_one(made, program, "", program)
    for subject, many in (("Class", program.classes), ("Binding", program.bindings), ("Function", program.functions)):
        if not chosen[subject]:
            continue
        spoken = {one.file.language for one in many}
        fitting = {language: [r for r in chosen[subject] if language in r.languages] for language in spoken}
        for one in many:
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
