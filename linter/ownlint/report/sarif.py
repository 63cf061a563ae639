"""SARIF 2.1.0, for code scanning: results with code flows, rules with their manual, fingerprints GitHub accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from ownlint.choices import Certainty, Suite
from ownlint.report.causes import elsewhere, once
from ownlint.report.model import KINDS, Lines, Located, LocatedStep, Region, Report, RuleInfo, Sources
from ownlint.report.plain_json import json_page
from ownlint.report.sanitise import sanitise

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"
"""What relative addresses are relative to: the top of the git work tree, where consumers look for files."""

_Json = dict[str, object]
_LEVELS = {"error": "error", "warning": "warning", "note": "note"}
_PRECISION: dict[Suite, str] = {"default": "high", "extended": "medium", "audit": "low"}
"""Of a rule: consumers sort alerts by it."""
_VERY_HIGH = (20, 0.95)
"""Findings that were judged at least, and the share of the right ones among them."""
_RANK: dict[Certainty, float] = {"certain": 90.0, "likely": 60.0, "possible": 30.0}
_LESS: dict[Suite, float] = {"default": 0.0, "extended": 15.0, "audit": 25.0}
"""The rank of one result among all, from 0 to 100: by how sure it is, less for a rule that is less often right."""
_MOST_STEPS = 1000
"""Of one result; a consumer shows no more."""
_LONGEST = 1024
"""Characters of a description that a consumer keeps."""


def render(
    report: Report,
    rules: Sequence[RuleInfo],
    sources: Sources,
    version: str,
    page_of: Callable[[str], str],
    *,
    suppressed: bool = False,
) -> str:
    """Findings that are suppressed are there only where they are asked for: consumers that do not know `suppressions`,
    such as GitHub, show them as open. `page_of` is the address of a rule's page, that of all of them for an empty name;
    empty where there is none."""
    silenced = report.suppressed if suppressed else ()
    used = {finding.rule for finding in (*report.findings, *(each.finding for each in silenced))}
    described = [rule for rule in rules if rule.id in used]
    index = {rule.id: at for at, rule in enumerate(described)}
    suites = {rule.id: rule.suite for rule in described}
    hashes = _LineHashes(sources)
    driver: _Json = {"name": "ownlint", "semanticVersion": version}
    if address := page_of(""):
        driver["informationUri"] = address
    driver["rules"] = [_rule(rule, page_of(rule.id)) for rule in described]
    driver["notifications"] = [
        {"id": kind, "shortDescription": {"text": text}}
        for kind, text in KINDS.items()
        if any(each.kind == kind for each in report.incomplete)
    ]
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    BASE: {"description": {"text": "The top of the git work tree, else the working directory."}}
                },
                "invocations": [_invocation(report)],
                "results": [
                    _result(finding, suites.get(finding.rule, "audit"), index, hashes, comments)
                    for finding, comments in (
                        *((finding, ()) for finding in once(report).findings),
                        *((each.finding, each.comments) for each in silenced),
                    )
                ],
            }
        ],
    }
    return json_page(document)


SECURITY = {
    8.1: {415, 416, 457, 562, 843, 908},
    5.9: {362, 367, 667, 764, 820, 833},
    5.5: {401, 404, 459, 476, 672, 911},
    4.0: {248, 252, 390, 391, 460, 694, 696, 754},
}
"""What consumers grade alerts by, from 0 to 10, to the weaknesses that are as bad: memory that is used when it is not
there any more, or not yet; threads in each other's way; a crash or memory that runs out; failures that go unseen."""


def _rule(rule: RuleInfo, page: str) -> _Json:
    made: _Json = {
        "id": rule.id,
        "name": rule.id,
        "shortDescription": {"text": rule.summary[:_LONGEST]},
        "fullDescription": {"text": _paragraph(rule.manual)[:_LONGEST]},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "help": {"text": rule.manual, "markdown": rule.manual},
        "properties": {
            "precision": _precision(rule),
            "problem.severity": _problem_severity(rule),
            **_security(rule),
        },
    }
    if page:
        made["helpUri"] = page
    return made


def _precision(rule: RuleInfo) -> str:
    judged = rule.counts.standing
    least, share = _VERY_HIGH
    proven = judged.true + judged.false >= least and judged.right >= share
    return "very-high" if rule.suite == "default" and proven else _PRECISION[rule.suite]


def _security(rule: RuleInfo) -> _Json:
    """Of a rule whose findings are weaknesses; `tags` of any."""
    tags = ["ownership", *([rule.group] if rule.group else [])]
    graded = [grade for grade, weaknesses in SECURITY.items() if not weaknesses.isdisjoint(rule.cwe)]
    if not graded or rule.severity == "note":
        return {"tags": tags}
    tags += ["security", *(f"external/cwe/cwe-{number:03}" for number in rule.cwe)]
    return {"security-severity": str(max(graded)), "tags": tags}


def _paragraph(page: str) -> str:
    """The first one that says why: no heading, list or code. The headline where there is none."""
    headline, *others = (" ".join(part.split()) for part in page.strip().split("\n\n"))
    return next((part for part in others if not part.startswith(("#", "- ", "```"))), headline)


def _problem_severity(rule: RuleInfo) -> str:
    return "recommendation" if rule.severity == "note" else rule.severity


def _invocation(report: Report) -> _Json:
    notifications = [
        {
            "descriptor": {"id": each.kind},
            "level": "error" if each.kind == "rule" else "warning",
            "message": {"text": _message(f"{KINDS[each.kind]}: {each.reason}")},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(each.path)}}],
        }
        for each in report.incomplete
    ]
    return {"executionSuccessful": not report.failed, "toolExecutionNotifications": notifications}


def _result(
    finding: Located, suite: Suite, index: dict[str, int], hashes: _LineHashes, comments: Sequence[LocatedStep]
) -> _Json:
    steps = finding.steps[:_MOST_STEPS]
    text = "\n".join(filter(None, (finding.message, finding.help, elsewhere(finding))))
    result: _Json = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "rank": _RANK[finding.certainty] - _LESS[suite],
        "message": {"text": "\n".join(_message(line) for line in text.splitlines())},
        "locations": [_location(finding.path, finding.region, symbol=finding.symbol)],
        "partialFingerprints": {
            **hashes.of(finding.path, finding.region.line),
            "ownlint/v1": finding.fingerprint,
        },
        "properties": {
            "certainty": finding.certainty,
            "suite": suite,
            **({"assumed": list(finding.assumed)} if finding.assumed else {}),
            **({"reason": _message(finding.reason)} if finding.reason else {}),
        },
    }
    if comments:
        result["suppressions"] = [_suppression(comment) for comment in comments]
    if finding.rule in index:
        result["ruleIndex"] = index[finding.rule]
    if steps:
        result["codeFlows"] = [{"threadFlows": [{"locations": list(_flow(finding, steps))}]}]
    if related := [*((s.path, s.region, s.message) for s in steps), *_of_others(finding)]:
        result["relatedLocations"] = [_location(*place, number) for number, place in enumerate(related, 1)]
    if finding.fix is not None:
        result["fixes"] = [_fix(finding)]
    return result


def _suppression(comment: LocatedStep) -> _Json:
    return {
        "kind": "inSource",
        "status": "accepted",
        "justification": sanitise(comment.message),
        "location": _location(comment.path, comment.region),
    }


def _of_others(finding: Located) -> Iterator[tuple[str, Region, str]]:
    return ((finding.path, region, "same here") for region in finding.others[:_MOST_STEPS])


def _flow(finding: Located, steps: Sequence[LocatedStep]) -> Iterator[_Json]:
    """The steps, and the finding itself at the end: consumers take the last place for that of the alert."""
    itself = LocatedStep(finding.path, finding.region, finding.message)
    ends = (steps[-1].path, steps[-1].region) == (itself.path, itself.region)
    for number, step in enumerate(steps if ends else (*steps, itself), 1):
        yield {"executionOrder": number, "location": _location(step.path, step.region, step.message)}


def _location(path: str, region: Region, message: str = "", number: int = 0, symbol: str = "") -> _Json:
    physical = {"artifactLocation": _artifact(path), "region": _region(region)}
    location: _Json = {"physicalLocation": physical}
    if number:
        location["id"] = number
    if message:
        location["message"] = {"text": _message(message)}
    if symbol:
        location["logicalLocations"] = [{"fullyQualifiedName": sanitise(symbol)}]
    return location


def _region(region: Region) -> _Json:
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }


def _artifact(path: str) -> _Json:
    if path.startswith("/"):
        return {"uri": f"file://{quote(path, safe='/', errors='surrogateescape')}"}
    return {"uri": quote(path, safe="/", errors="surrogateescape"), "uriBaseId": BASE}


_LINK = re.compile(r"\[([^\[\]]*)\](?=\()")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def _message(text: str) -> str:
    """Code such as `[this](...)` is no link and `{0}` no placeholder; other brackets are shown as they are."""
    return _PLACEHOLDER.sub(r"{{\1}}", _LINK.sub(r"\\[\1\\]", sanitise(text)))


def _fix(finding: Located) -> _Json:
    fix = finding.fix
    assert fix is not None
    paths = sorted({edit.path for edit in fix.edits})
    changes = [
        {
            "artifactLocation": _artifact(path),
            "replacements": [
                {
                    "deletedRegion": {"byteOffset": edit.span.start, "byteLength": edit.span.end - edit.span.start},
                    "insertedContent": {"text": edit.text},
                }
                for edit in fix.edits
                if edit.path == path
            ],
        }
        for path in paths
    ]
    return {"description": {"text": _message(fix.message)}, "artifactChanges": changes}


# --- fingerprints -----------------------------------------------------------------------------

_WINDOW = 100
_FACTOR = 37
_MASK = (1 << 64) - 1
_LAST = pow(_FACTOR, _WINDOW, 1 << 64)


class _LineHashes:
    """`primaryLocationLineHash` as GitHub's upload action computes it: the action does so itself where it is not
    given, as for a file that changed since it was analysed."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[str, list[str]] = {}

    def of(self, path: str, line: int) -> dict[str, str]:
        if path not in self._known:
            lines = self._sources.lines(path)
            self._known[path] = [] if path in self._sources.changed else line_hashes(lines)
        hashes = self._known[path]
        if path in self._sources.changed:
            return {}
        return {"primaryLocationLineHash": hashes[line - 1] if line <= len(hashes) else "0:1"}


def line_hashes(lines: Lines) -> list[str]:
    """For every line a rolling hash of the 100 characters from its start, blanks left out, with a count among equals.

    The characters are UTF-16 units; each line end counts as one; behind the file stand 65535 and zeros.
    """
    text = lines.data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    wide = text.replace(" ", "").replace("\t", "").encode("utf-16-le", "surrogatepass")
    units = [*memoryview(wide).cast("H"), 0xFFFF]
    # A line starts at the first unit behind a line end, and so does the end of the file.
    starts = [0, *(at + 1 for at, unit in enumerate(units) if unit == 0x0A)]
    wanted = {start + _WINDOW for start in starts}
    padded = [*units, *[0] * _WINDOW]
    hashes: dict[int, int] = {}
    rolling = 0
    for at, unit in enumerate(padded, 1):
        rolling = (rolling * _FACTOR + unit - (padded[at - 1 - _WINDOW] * _LAST if at > _WINDOW else 0)) & _MASK
        if at in wanted:
            hashes[at - _WINDOW] = rolling
    counts: dict[int, int] = {}
    written = []
    for start in starts:
        value = hashes[start]
        counts[value] = counts.get(value, 0) + 1
        written.append(f"{value:x}:{counts[value]}")
    return written
