"""The contract of a rule: a function whose first parameter says what it looks at.

    @rule(severity="error")
    def flag_set_before_success(function: Function) -> Iterator[Finding]: ...

The annotation of the first parameter is `Function`, `Class`, `Binding` or `Program`; a second parameter,
where there is one, is the `Program`. The id is the name of the file with dashes; the manual page is the
module's docstring. Nothing is registered: a file in a folder of a rule pack is a rule.

Python is read only where its text says that it is worth it: the models' anchors do, and a rule's own.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from ownlint.choices import Certainty, Suite
from ownlint.facts.base import Language
from ownlint.facts.errors import RefusalError
from ownlint.finding import Assumption, Finding, Severity
from ownlint.measured import ENOUGH, Counts
from ownlint.patterns import PatternError, expression

Subject = Literal["Function", "Class", "Binding", "Program"]
Check = Callable[..., Iterable[Finding]]

_SUBJECTS: tuple[Subject, ...] = ("Function", "Class", "Binding", "Program")


class Rule(msgspec.Struct, frozen=True):
    """`id` is what users write; `page` the manual page (Markdown); `languages` whose files it asks for. `anchors` are
    regular expressions: a Python file in whose bytes one is found is read for this rule, whatever the models say.
    `yields_to` names rules that say it better: where one of them has a finding this one is silent, see `interplay`.
    A `fixable` rule gives some of its findings a fix. `group` is the folder the rule stands in, with dashes: users
    select rules by it too. `suite`, `counts`, `weak` and `surest` are what its pack says was measured, see `measured`;
    `weak` are the assumptions that make a finding no more than possible, `surest` is a finding that assumes nothing.
    A rule `of_change` is about what a change brings: of a tree alone it says less, or nothing.
    `cwe` are the weaknesses, by their number in the CWE list, that a finding is an example of. `formerly` are names
    that the rule, or one that is now part of it, had in earlier versions: users may still write them."""

    id: str
    severity: Severity
    subject: Subject
    check: Check
    page: str
    languages: tuple[Language, ...]
    group: str
    takes_program: bool
    module: str
    anchors: tuple[str, ...] = ()
    yields_to: tuple[str, ...] = ()
    fixable: bool = False
    of_change: bool = False
    cwe: tuple[int, ...] = ()
    formerly: tuple[str, ...] = ()
    suite: Suite = "default"
    counts: Counts = Counts()
    weak: tuple[Assumption, ...] = ()
    surest: Certainty = "certain"

    @property
    def unproven(self) -> str:
        """Why a finding that assumes nothing is not certain; empty where it is."""
        if self.surest == "certain":
            return ""
        judged = self.counts.unassuming
        if judged.true + judged.false >= ENOUGH:
            return f"of {judged.all} such findings in other projects {judged.false} were false"
        return "how often this check is right is not known yet"

    @property
    def headline(self) -> str:
        """The first line of the page."""
        return self.page.strip().partition("\n")[0]


class RuleError(RefusalError):
    """A rule file does not keep the contract; the text says which file and how."""


def rule(
    *,
    severity: Severity = "warning",
    languages: tuple[Language, ...] = ("cpp",),
    anchors: tuple[str, ...] = (),
    yields_to: tuple[str, ...] = (),
    fixable: bool = False,
    of_change: bool = False,
    cwe: tuple[int, ...] = (),
    formerly: tuple[str, ...] = (),
) -> Callable[[Check], Check]:
    """Marks the check of a rule file. Raises `RuleError` when the first parameter says no subject, or when an anchor is
    no regular expression."""

    def mark(check: Check) -> Check:
        module = sys.modules[check.__module__]
        name = check.__module__.rsplit(".", 1)[-1]
        if check.__name__ != name:
            raise RuleError(f"{check.__module__}: the check is named `{check.__name__}`, not `{name}` as its file")
        parameters = list(inspect.signature(check).parameters.values())
        subject = str(parameters[0].annotation).strip("'\"").rsplit(".", 1)[-1] if parameters else ""
        if subject not in _SUBJECTS:
            raise RuleError(f"{check.__module__}: the first parameter must be one of {', '.join(_SUBJECTS)}")
        for anchor in anchors:
            _check_pattern(check.__module__, anchor)
        page = inspect.cleandoc(module.__doc__ or "")
        if not page:
            raise RuleError(f"{check.__module__}: the module has no docstring, which is the rule's manual page")
        made = Rule(
            id=name.replace("_", "-"),
            severity=severity,
            subject=_SUBJECTS[_SUBJECTS.index(subject)],
            check=check,
            page=page,
            languages=languages,
            group=_group_of(check.__module__),
            takes_program=len(parameters) > 1,
            module=check.__module__,
            anchors=anchors,
            yields_to=yields_to,
            fixable=fixable,
            of_change=of_change,
            cwe=cwe,
            formerly=formerly,
        )
        _attach(check, made)
        return check

    return mark


def _group_of(module: str) -> str:
    return module.rsplit(".", 2)[-2].replace("_", "-") if module.count(".") else ""


def _check_pattern(module: str, anchor: str) -> None:
    try:
        expression(anchor)
    except PatternError as error:
        raise RuleError(f"{module}: the anchor `{anchor}` is not a regular expression: {error}") from None


def _attach(check: Any, made: Rule) -> None:
    check.rule = made


def rule_of(check: object) -> Rule | None:
    """The rule that a marked check stands for."""
    found = getattr(check, "rule", None)
    return found if isinstance(found, Rule) else None
