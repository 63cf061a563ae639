"""Which rules there are, and what one of them says of one subject.

Rule packs are the entry points of group `ownlint.rules`; the built-in pack is one of them. Only
installed packages can be packs: nothing of the tree under analysis is ever imported.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from ownlint import choices, door, steps
from ownlint.choices import PACKS, Assumption
from ownlint.facts.base import Span
from ownlint.facts.records import INNER, Node
from ownlint.finding import (
    Certainty,
    Crash,
    Cut,
    Finding,
    Severity,
    assumptions_of,
    because,
    certainty_of,
    reason_of,
    weaker,
)
from ownlint.machine import kept_for_good
from ownlint.measured import Measured, Weighed
from ownlint.project import questions, trials
from ownlint.project.subjects import Binding, Class, Function
from ownlint.rule import Rule, RuleError, rule_of
from ownlint.sources.distributions import entry_points

if TYPE_CHECKING:
    from ownlint.project.program import Program


@lru_cache(maxsize=1)
@kept_for_good()
def load() -> tuple[Rule, ...]:
    """Every rule of every installed pack, by id. Raises `RuleError` for a file that breaks the contract
    and for two rules of one id."""
    found: dict[str, Rule] = {}
    for _, module in entry_points(PACKS, sys.path):
        pack = importlib.import_module(module)
        suites = _beside(pack, choices.MEASURED, Measured)
        weighed = _beside(pack, choices.WEIGHED, Weighed) or {}
        weak = tuple(sorted(one for one in choices.ASSUMPTIONS if one in weighed and weighed[one].makes == "possible"))
        for made in rules_of(pack):
            other = found.get(made.id)
            if other is not None and other.module != made.module:
                raise RuleError(f"{made.module}: the rule `{made.id}` is already defined in {other.module}")
            told = suites.get(made.id, _UNMEASURED) if suites is not None else Measured("default")
            found[made.id] = replace(made, suite=told.suite, counts=told.counts, weak=weak, surest=told.surest)
    return tuple(found[name] for name in sorted(found))


_MOST_BYTES = 1 << 20
_T = TypeVar("_T")
_UNMEASURED = Measured("audit", surest="likely")


def _beside(pack: ModuleType, name: str, of: type[_T]) -> dict[str, _T] | None:
    """What a pack says in a file beside its folders; None where it has none. Raises `RuleError` for a file that cannot
    be read."""
    for folder in map(Path, pack.__path__):
        try:
            text = door.read(folder / name, _MOST_BYTES)
        except door.UnreadableError as error:
            if error.missing:
                continue
            raise RuleError(f"{folder / name}: {error.reason}") from None
        try:
            return msgspec.json.decode(text, type=dict[str, of])  # type: ignore[valid-type]
        except msgspec.DecodeError as error:
            raise RuleError(f"{folder / name}: {error}") from None
    return None


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
            raise RuleError(f"{info.name}: no check with the name of the file is marked with @rule")
        yield made


class SubjectCase(NamedTuple):
    """A subject and the rules that judge it; for the program, one rule alone."""

    rules: Sequence[Rule]
    subject: Program | Class | Binding | Function
    number: int
    """Of the subject among all, from 1; 0 for the program."""

    @property
    def path(self) -> str:
        """Empty for a rule about the program."""
        return self.subject.path if self.number else ""  # type: ignore[union-attr]

    @property
    def symbol(self) -> str:
        return getattr(self.subject, "symbol", "")

    def holds(self, offset: int) -> bool:
        """Whether a place in its file stands in the subject."""
        record: Node = self.subject.record  # type: ignore[union-attr]
        return record.start <= offset < record.end

    def judgements(self) -> list[Judgement]:
        """One for each of the rules."""
        path = self.path
        return [Judgement(rule, self.subject, path, self.number) for rule in self.rules]


class Judgement(NamedTuple):
    """One rule on one subject: what is judged as a whole, or named as not judged."""

    rule: Rule
    subject: Program | Class | Binding | Function
    path: str
    """Empty for a rule about the program."""
    number: int
    """Of the subject among all, from 1."""

    @property
    def symbol(self) -> str:
        return getattr(self.subject, "symbol", "")


MOST_ANEW = 8
"""So often all is judged again without the bodies for which an answer about the whole program took too many steps."""


def subjects(rules: Sequence[Rule], program: Program) -> int:
    """How many subjects are judged by some of the rules; the program itself is none."""
    chosen = {rule.subject for rule in rules}
    return sum(len(many) for subject, many in _subjects(program) if subject in chosen)


def _subjects(program: Program) -> tuple[tuple[str, Sequence[Class | Binding | Function]], ...]:
    return ("Class", program.classes), ("Binding", program.bindings), ("Function", program.functions)


def cases(rules: Sequence[Rule], program: Program, least: Certainty = "possible") -> Iterator[SubjectCase]:
    """All that the rules have to judge, always in the same order, but for what can only give findings that are less
    sure than `least`: most rules are no more than possible in test code. Where comments suppress them, they count."""
    for rule in rules:
        if rule.subject == "Program":
            yield SubjectCase((rule,), program, 0)
    number = 0
    tried: dict[str, bool] = {}
    for kind, many in _subjects(program):
        chosen = [rule for rule in rules if rule.subject == kind]
        if not chosen:
            continue
        spoken = {one.file.language for one in many}
        fitting = {language: [rule for rule in chosen if language in rule.languages] for language in spoken}
        surer = {name: [one for one in some if "test-code" not in one.weak] for name, some in fitting.items()}
        for number, one in enumerate(many, number + 1):  # noqa: B020 - it goes on from the kind before
            file = one.file
            if least != "possible" and file.path not in tried:
                tried[file.path] = not file.suppressions and trials.tries(program, file)
            asked = (surer if tried.get(file.path) else fitting)[file.language]
            if asked:
                yield SubjectCase(asked, one, number)


def judgements(rules: Sequence[Rule], program: Program) -> Iterator[Judgement]:
    """All of all cases."""
    return (judgement for case in cases(rules, program) for judgement in case.judgements())


class SubjectNames:
    """What tells subjects apart from one run to the next."""

    def __init__(self, functions: dict[Function, str] | None = None) -> None:
        """`functions`: their names, which are the same for other rules."""
        self._same: Counter[tuple[str, ...]] = Counter()
        self._functions = functions if functions is not None else {}

    def of(self, case: SubjectCase) -> str:
        subject = case.subject
        if isinstance(subject, Function):
            name = self._functions.get(subject)
            if name is None:
                name = self._functions[subject] = "\0".join(subject.key)
            return name
        if not case.number:
            return f"program\0{case.rules[0].id}"
        said = (type(subject).__name__, case.path, getattr(subject, "symbol", ""))
        self._same[said] += 1
        return "\0".join((*said, str(self._same[said])))


def begin(subject: Program | Class | Binding | Function) -> None:
    """Notes that what the rules say of the subject rests on its own record."""
    match subject:
        case Function():
            questions.read(subject.key)
        case Class():
            questions.read(("name", subject.name))
        case Binding():
            questions.read(("file", subject.path, "bindings"))
            questions.read(("file", subject.path, "bound_classes"))


def judge(judgement: Judgement, program: Program) -> list[Finding] | Crash:
    """All that the rule finds, or why it is not known: findings beside a failure may rest on what failed."""
    rule, subject = judgement.rule, judgement.subject
    found: list[Finding] = []
    before = steps.start(subject.size)
    error: Exception | None = None
    try:
        for finding in rule.check(subject, program) if rule.takes_program else rule.check(subject):
            severity = "warning" if finding.mild and rule.severity == "error" else rule.severity
            found.append(_settled(finding, rule, severity, program))
    except MemoryError:
        raise
    except Exception as failure:  # noqa: BLE001 - a rule's bug must not hide the other rules' findings
        error = failure
    if not steps.stop(before) or isinstance(error, steps.LimitError | RecursionError):
        return _cut_off(judgement, counted=not isinstance(error, RecursionError))
    return found if error is None else not_judged(judgement, f"{type(error).__name__}: {error}", "rule")


def _cut_off(judgement: Judgement, *, counted: bool) -> Crash:
    """Names the function that has to be left unread, for the others to be judged."""
    said = not_judged(judgement, "it takes too many steps", "limit")
    whole, found = questions.blamed(whole=judgement.number > 0), questions.blamed(whole=False)
    if counted and isinstance(found, Function) and found.path != judgement.path:
        said = replace(said, error=f"{said.error}, over `{found.symbol}` of {found.path}", by_others=True)
    asked = "" if counted else questions.ended_stack()
    return replace(
        said,
        culprit=(whole.path, whole.index) if isinstance(whole, Function) else None,
        counted=counted,
        by_others=said.by_others or bool(asked) or (counted and questions.is_of_all()),
        question=asked,
    )


def _settled(finding: Finding, rule: Rule, severity: Severity, program: Program) -> Finding:
    """With what the rule leaves to whoever runs it: how sure it is follows from all that it assumes."""
    sure = because(finding.certainty, finding.reason)
    file = program.files.get(finding.path)
    if file is not None and trials.tries(program, file):
        sure = weaker(sure, because("test-code", trials.REASON))
    if file is not None and severity == "note" and file.is_generated:
        sure = weaker(sure, because("possible", "the file is generated, and not edited by hand"))
    assumed = assumptions_of(sure)
    return replace(
        _as_written(finding),
        rule=rule.id,
        severity=severity,
        certainty=certainty_of(assumed, rule.weak) if assumed else rule.surest,
        reason=(reason_of(sure).replace(INNER, "") or _supposed(assumed)) if assumed else rule.unproven,
        assumed=tuple(sorted(assumed)),
    )


def _supposed(assumed: Collection[Assumption]) -> str:
    """What is taken for granted, where the rule does not say it of the very code."""
    said = "; ".join(choices.ASSUMPTIONS[one] for one in sorted(assumed) if one != "other")
    return f"this takes for granted that {said}" if said else "the rule does not say what it takes for granted"


def _as_written(finding: Finding) -> Finding:
    """With names as the source has them."""
    steps = tuple(replace(step, message=step.message.replace(INNER, "")) for step in finding.steps)
    said = {field: getattr(finding, field).replace(INNER, "") for field in ("message", "help", "cause")}
    if finding.fix is not None:
        edits = tuple(replace(edit, text=edit.text.replace(INNER, "")) for edit in finding.fix.edits)
        return replace(finding, **said, steps=steps, fix=replace(finding.fix, edits=edits))
    return replace(finding, **said, steps=steps)


def not_judged(judgement: Judgement, why: str, kind: Cut) -> Crash:
    place = f" (in `{judgement.symbol}`)" if judgement.symbol else ""
    return Crash(judgement.rule.id, judgement.path, f"{why}{place}", kind)


class Repeats:
    """A template that is read once for each of its types is guilty once."""

    def __init__(self, program: Program) -> None:
        self._spans = program.repeats
        self._seen: set[tuple[str, str, Span]] = set()

    def first(self, said: Finding) -> bool:
        """Whether nobody asked about the same finding before."""
        if not any(said.span.start in span for span in self._spans.get(said.path, ())):
            return True
        key = (said.rule, said.path, said.span)
        fresh = key not in self._seen
        self._seen.add(key)
        return fresh


def run(rules: Sequence[Rule], program: Program) -> Iterator[Finding | Crash]:
    """What the rules find in the program, worked out in this process: for tests and measurements, whose code is one's
    own. `analysis` does the same where it can hurt nobody."""
    found = [judge(judgement, program) for judgement in judgements(rules, program)]
    for _ in range(MOST_ANEW):
        culprits = {said.culprit for said in found if isinstance(said, Crash) and said.culprit is not None}
        if not culprits:
            break
        program = program.without(culprits)
        found = [judge(judgement, program) for judgement in judgements(rules, program)]
    repeats = Repeats(program)
    for said in found:
        if isinstance(said, Crash):
            yield said
        else:
            yield from (finding for finding in said if repeats.first(finding))
