"""One page for people: a summary, filters, and each finding as a walk through its steps. It asks no network.

The page is static where it is small (the summary, the rules' manual pages); the findings are data that its script shows
as they are asked for, so that thousands of them load at once. No text is ever parsed as markup: the template escapes,
the script makes text nodes, and the policy in the head forbids all but this very script and this very style.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ownlint.choices import SEVERITIES
from ownlint.facts.errors import NotInstalledError
from ownlint.finding import CERTAINTIES, Severity
from ownlint.report.causes import elsewhere, once
from ownlint.report.model import KINDS, Located, Report, RuleInfo, Sources
from ownlint.report.sanitise import sanitise
from ownlint.report.shown import Shelf
from ownlint.report.story import stops, story
from ownlint.report.text import counted, summary

if TYPE_CHECKING:
    from jinja2 import Template
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    from ownlint.sources.origin import Checkout

_PAGE = Path(__file__).parent / "page"
_NEEDED = ("jinja2", "markdown_it")
MOST_PLAIN = 500
"""Findings that are listed where no script may run."""


def check_installed() -> None:
    """Raises `NotInstalledError` when what draws the page is not there; worth asking before a run, not after it."""
    if any(find_spec(name) is None for name in _NEEDED):
        raise NotInstalledError("the HTML report needs a template engine: `pip install 'ownlint[html]'`")


def render(report: Report, rules: Sequence[RuleInfo], sources: Sources, version: str, origin: Checkout) -> str:
    """Places are those of the project: a report is read elsewhere, and its head says what it is a report of. Errors
    come first: findings by severity, then by place; rules by the severity of their worst finding, then by count."""
    check_installed()
    from markupsafe import Markup

    report = once(report)

    style, script = _asset("report.css"), _asset("report.js")
    findings = sorted(report.findings, key=lambda finding: SEVERITIES.index(finding.severity))
    counts = Counter(finding.rule for finding in findings)
    infos = {rule.id: rule for rule in rules}
    worst = {finding.rule: finding.severity for finding in reversed(findings)}
    ordered = sorted(counts, key=lambda rule: (SEVERITIES.index(worst[rule]), -counts[rule], rule))
    listed = [_Heard(rule, counts[rule], worst[rule], infos.get(rule)) for rule in ordered]
    return _template().render(
        version=version,
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(_data(findings, [heard.id for heard in listed], sources)),
        report=report,
        origin=origin,
        summary=summary(report),
        severities=[(word, sum(f.severity == word for f in report.findings)) for word in SEVERITIES],
        certainties=[(word, sum(f.certainty == word for f in report.findings)) for word in CERTAINTIES],
        rules=listed,
        most=max(counts.values(), default=1),
        manuals=_manuals(listed),
        kinds=KINDS,
        incomplete=counted(report.incomplete),
        plain=findings[:MOST_PLAIN],
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader(_PAGE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"shown": sanitise, "told": _told}
    return environment.get_template("report.html.j2")


class _Heard(msgspec.Struct, frozen=True):
    """A rule that has findings."""

    id: str
    count: int
    worst: Severity
    info: RuleInfo | None


def _told(text: str) -> str:
    """Markup for a sentence: what stands between backticks is code."""
    from markupsafe import Markup, escape

    parts = sanitise(text).split("`")
    if len(parts) % 2 == 0:
        return escape(sanitise(text))
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(part) if number % 2 else part for number, part in enumerate(parts))


def _asset(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


# --- manual pages -----------------------------------------------------------------------------


def _manuals(listed: Sequence[_Heard]) -> list[tuple[str, str, Markup]]:
    """Id, headline and the page as markup, by id."""
    from markupsafe import Markup

    parser = _parser()
    made = []
    for heard in sorted(listed, key=lambda heard: heard.id):
        if heard.info is not None:
            _, _, rest = heard.info.manual.strip().partition("\n")
            text = "\n".join(map(sanitise, rest.replace("\t", "    ").split("\n")))
            made.append((heard.id, heard.info.summary, Markup(parser.render(text))))
    return made


def _parser() -> MarkdownIt:
    """A page of a stranger's rule pack brings no markup of its own and fetches no picture."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


# --- findings ---------------------------------------------------------------------------------

_UNSAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "#": "\\u0023"})


def _data(findings: Sequence[Located], rules: Sequence[str], sources: Sources) -> str:
    """JSON that ends no element and begins no command. These four stand in strings alone, where an escape means the
    same."""
    shelf = Shelf(sources)
    numbers = {rule: number for number, rule in enumerate(rules)}
    told = [_finding(finding, numbers, shelf) for finding in findings]
    document = {"rules": [sanitise(rule) for rule in rules], "files": shelf.files(), "findings": told}
    return msgspec.json.encode(document).decode().translate(_UNSAFE)


def _finding(finding: Located, numbers: dict[str, int], shelf: Shelf) -> dict[str, object]:
    told = stops(finding)
    picture = story(finding, told)
    data: dict[str, object] = {
        "id": finding.fingerprint,
        "rule": numbers[finding.rule],
        "severity": SEVERITIES.index(finding.severity),
        "certainty": CERTAINTIES.index(finding.certainty),
        "message": sanitise(finding.message),
        "symbol": sanitise(finding.symbol),
        "reason": sanitise(finding.reason),
        "help": [sanitise(line) for line in (*finding.help.splitlines(), elsewhere(finding)) if line],
        "stops": [
            {
                "at": [shelf.number(stop.path), stop.region.line, stop.region.column],
                "says": sanitise(stop.message),
                "role": stop.role,
                "main": stop.main,
                "lane": lane,
                **shelf.excerpt(stop.path, stop.region),
            }
            for stop, lane in zip(told, picture.lane_of, strict=True)
        ],
        "lanes": [[lane.kind, sanitise(lane.name)] for lane in picture.lanes],
        "end": picture.end,
    }
    if finding.fix is not None:
        fix = finding.fix
        data["fix"] = {"says": sanitise(fix.message), "safe": fix.safe, "changes": shelf.changes(fix)}
    return data
