"""The JSON report: a contract, described by `schema.json` beside this file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from ownlint.choices import Suite
from ownlint.finding import Assumption, Certainty, Role, Severity
from ownlint.report.causes import groups
from ownlint.report.model import Kind, Located, Report, RuleInfo
from ownlint.report.plain_json import json_line, json_page
from ownlint.report.sanitise import sanitise

_From1 = Annotated[int, msgspec.Meta(ge=1)]
_From0 = Annotated[int, msgspec.Meta(ge=0)]


class JsonStep(msgspec.Struct, frozen=True):
    """One stop on the way to the finding, in the order in which it happens."""

    path: str
    line: _From1
    column: _From1
    message: str
    role: Role | None
    """What happens there to whom it is about; null where the rule does not say. `lends` says what a call does whenever
    it is made, `borrows` that it is made here, `guards` that something holds off the bug, `turn` no more than that the
    way leads through here."""


class JsonEdit(msgspec.Struct, frozen=True):
    """The bytes from `start` up to `end` of the original file, counted from 0, become `text`."""

    path: str
    start: _From0
    end: _From0
    text: str


class JsonFix(msgspec.Struct, frozen=True):
    """`safe` means that behaviour changes in nothing but the bug."""

    message: str
    safe: bool
    edits: tuple[JsonEdit, ...]


class JsonFinding(msgspec.Struct, frozen=True):
    """Lines and columns are counted from 1, columns in code points; the end is the place after the last character.
    Paths are relative to `base` of the document, with `/`; a file outside of it has an absolute one."""

    rule: str
    severity: Severity
    suite: Suite
    """Of the rule: how often it is right."""
    certainty: Certainty
    reason: str
    """Why it is not certain; empty where that is not known, and where it is."""
    assumed: tuple[Assumption, ...]
    """What it takes for granted, which is what its certainty follows from: nothing where it is certain."""
    message: str
    help: str
    """What to do about it, lines; may be empty."""
    help_uri: str
    """The address of the rule's page; empty where no documentation is known."""
    path: str
    line: _From1
    column: _From1
    end_line: _From1
    end_column: _From1
    symbol: str
    fingerprint: str
    cause: str
    """What the mistake is about, where the same one can be made at several places: a callee, a macro, a member; empty
    where it stands alone."""
    group: str
    """The fingerprint of the first finding of this file of which the rule says the same, with the same cause: its own
    where it is that one, or stands alone. For people such findings are one problem."""
    steps: tuple[JsonStep, ...]
    fix: JsonFix | None


class JsonSuppression(msgspec.Struct, frozen=True):
    """A finding that comments in the code suppress; `reasons` are what they give, usually one."""

    finding: JsonFinding
    reasons: tuple[str, ...]


class JsonIncomplete(msgspec.Struct, frozen=True):
    """Why the analysis of a file is incomplete, so that findings in it may be missing. `kind`: it was not read
    (`unread`), a part of it was not understood (`partial`), a header was not found (`headers`), the compiler's parser
    did not tell every type (`types`), a bound on size, time, memory or steps was reached (`limit`), a rule failed on
    it (`rule`), it changed during the run (`changed`). With `--fail-on-incomplete`, any of them gives exit code 2."""

    path: str
    kind: Kind
    reason: str


class JsonNotice(msgspec.Struct, frozen=True):
    """What else the user should know, in a line; `path` is what it is about, empty for the whole run."""

    path: str
    message: str


class Document(msgspec.Struct, frozen=True):
    """`base` is what paths are relative to, as seen from the working directory of the run: the top of the git work
    tree, or `.` where there is none."""

    version: Literal[1]
    findings: tuple[JsonFinding, ...]
    incomplete: tuple[JsonIncomplete, ...]
    notices: tuple[JsonNotice, ...]
    suppressed: _From0
    """How many there are in `suppressions`."""
    suppressions: tuple[JsonSuppression, ...]
    elsewhere: _From0
    """Findings in changed files that touch no changed line and are left out for that, with `--changed` and
    `--diff-base`. In other files they are not looked for."""
    base: str


def render(
    report: Report, rules: Sequence[RuleInfo], page_of: Callable[[str], str] = lambda rule: "", base: str = "."
) -> str:
    """`page_of` is the address of a rule's page, empty where there is none; `base` is what paths are relative to."""
    document = Document(
        version=1,
        findings=_findings(report, rules, page_of),
        incomplete=tuple(
            JsonIncomplete(sanitise(each.path), each.kind, sanitise(each.reason)) for each in report.incomplete
        ),
        notices=tuple(JsonNotice(sanitise(each.path), sanitise(each.message)) for each in report.notices),
        suppressed=len(report.suppressed),
        suppressions=tuple(_suppressions(report, rules, page_of)),
        elsewhere=len(report.elsewhere),
        base=sanitise(base),
    )
    return json_page(document)


def lines(report: Report, rules: Sequence[RuleInfo], page_of: Callable[[str], str] = lambda rule: "") -> str:
    """A finding a line, as in the document; what is incomplete is told elsewhere."""
    return "".join(f"{json_line(each)}\n" for each in _findings(report, rules, page_of))


def schema() -> str:
    """The text of `schema.json`."""
    described: dict[str, Any] = msgspec.json.schema(Document)
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ownlint report, version 1",
        **_outdented(described),
    }
    text = msgspec.json.format(msgspec.json.encode(described, order="sorted"), indent=2).decode() + "\n"
    for name in described["$defs"]:
        text = text.replace(f'{name}"', f'{name.removeprefix("Json")}"')  # what is JSON anyway need not say so
    return text


def _outdented(part: Any) -> Any:
    """The same with docstrings as they are meant: Python takes their indentation away only from 3.13 on."""
    match part:
        case dict():
            return {key: _outdented(value) for key, value in part.items()}
        case list() | tuple():
            return [_outdented(item) for item in part]
        case str():
            return inspect.cleandoc(part)
    return part


def _findings(report: Report, rules: Sequence[RuleInfo], page_of: Callable[[str], str]) -> tuple[JsonFinding, ...]:
    suites = {rule.id: rule.suite for rule in rules}
    first = {each.fingerprint: group[0].fingerprint for group in groups(report.findings) for each in group}
    return tuple(
        _finding(each, suites.get(each.rule, "audit"), page_of(each.rule), first[each.fingerprint])
        for each in report.findings
    )


def _suppressions(
    report: Report, rules: Sequence[RuleInfo], page_of: Callable[[str], str]
) -> Iterator[JsonSuppression]:
    suites = {rule.id: rule.suite for rule in rules}
    for each in report.suppressed:
        one = each.finding
        told = _finding(one, suites.get(one.rule, "audit"), page_of(one.rule), one.fingerprint)
        yield JsonSuppression(told, tuple(sanitise(comment.message) for comment in each.comments))


def _finding(located: Located, suite: Suite, page: str, group: str) -> JsonFinding:
    region = located.region
    fix = located.fix
    return JsonFinding(
        rule=located.rule,
        severity=located.severity,
        suite=suite,
        certainty=located.certainty,
        reason=sanitise(located.reason),
        assumed=located.assumed,
        message=sanitise(located.message),
        help="\n".join(map(sanitise, located.help.splitlines())),
        help_uri=page,
        path=sanitise(located.path),
        line=region.line,
        column=region.column,
        end_line=region.end_line,
        end_column=region.end_column,
        symbol=sanitise(located.symbol),
        fingerprint=located.fingerprint,
        cause=sanitise(located.cause),
        group=group,
        steps=tuple(
            JsonStep(sanitise(step.path), step.region.line, step.region.column, sanitise(step.message), step.role)
            for step in located.steps
        ),
        fix=None
        if fix is None
        else JsonFix(
            sanitise(fix.message),
            fix.safe,
            # An edit is written to a file, never shown: its text stays as it is.
            tuple(JsonEdit(edit.path, edit.span.start, edit.span.end, edit.text) for edit in fix.edits),
        ),
    )
