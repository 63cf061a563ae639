"""What is shown of rules: the list of them, and their manual pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ownlint.choices import Suite
from ownlint.facts.base import Language
from ownlint.finding import Severity
from ownlint.measured import Counts
from ownlint.report.model import RuleInfo

_HEAD = ("rule", "group", "suite", "language", "severity", "fix", "summary")
_LANGUAGES: dict[Language, str] = {"cpp": "C++", "python": "Python"}


class RuleEntry(msgspec.Struct, frozen=True):
    """A rule as `ownlint rules --output-format json` lists it."""

    id: str
    group: str
    languages: tuple[Language, ...]
    severity: Severity
    suite: Suite
    counts: Counts
    fixable: bool
    cwe: tuple[int, ...]
    summary: str


class RulePage(RuleEntry, frozen=True):
    """A rule with its manual page, Markdown."""

    page: str


def entry(info: RuleInfo) -> RuleEntry:
    return msgspec.convert(info, RuleEntry, from_attributes=True)


def page(info: RuleInfo) -> RulePage:
    about = msgspec.structs.asdict(entry(info))
    return RulePage(**about, page=info.manual)


def table(infos: Sequence[RuleInfo]) -> str:
    """A line a rule, below the names of the columns; the rules of one group stand together."""
    rows = [_HEAD, *(_row(info) for info in sorted(infos, key=lambda info: (info.group, info.id)))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    return "".join(f"{'  '.join([*map(str.ljust, row, widths), row[-1]])}\n" for row in rows)


def _row(info: RuleInfo) -> tuple[str, ...]:
    fix = "fix" if info.fixable else ""
    return (info.id, info.group, info.suite, _languages(info), info.severity, fix, info.summary)


def tables(infos: Sequence[RuleInfo], about: Mapping[str, str]) -> str:
    """The page `docs/rules.md`: a table for each group; `about` says of a group what it is about."""
    groups: dict[str, list[RuleInfo]] = {}
    for info in infos:
        groups.setdefault(info.group, []).append(info)
    return "\n".join(("# Rules\n", *(_group(name, groups[name], about.get(name, "")) for name in sorted(groups))))


def _group(name: str, infos: Sequence[RuleInfo], about: str) -> str:
    rows = "".join(
        f"| `{info.id}` | {info.suite} | {_languages(info)} | {info.severity} | {_summary(info)} |\n" for info in infos
    )
    head = f"## {name}\n\n{about}\n\n" if about else f"## {name}\n\n"
    return f"{head}| rule | suite | language | severity | |\n|---|---|---|---|---|\n{rows}"


def _summary(info: RuleInfo) -> str:
    return info.summary.replace("|", "\\|") + "".join(f" ({note})" for note in _notes(info))


def _notes(info: RuleInfo) -> list[str]:
    return ["some findings have a fix"] * info.fixable + ["of a change: `--diff-base`"] * info.of_change


def _languages(info: RuleInfo) -> str:
    return ", ".join(_LANGUAGES[language] for language in info.languages)


def markdown(info: RuleInfo) -> str:
    return f"# {info.id}\n\n{whole(info)}\n"


def text(info: RuleInfo) -> str:
    """The page for a terminal, headed by what the list says of the rule."""
    about = ", ".join((info.group, info.severity, *_notes(info)))
    return f"{info.id} ({about})\n\n{chr(10).join(_plain(whole(info)))}\n"


def whole(info: RuleInfo) -> str:
    """The rule's own page, and the sections that are the same for all rules."""
    comment = "#" if info.languages == ("python",) else "//"
    silence = f"`{comment} ownlint: ignore[{info.id}]: reason`"
    sections = [
        info.manual.strip(),
        f"## How to suppress it\n\n{silence} at the end of the reported line, or on a line of its own above it.",
    ]
    if info.cwe:
        links = (f"[CWE-{number}](https://cwe.mitre.org/data/definitions/{number}.html)" for number in info.cwe)
        sections.append(f"## CWE\n\n{', '.join(links)}")
    return "\n\n".join((*sections, f"## Suite and measured precision\n\n{suite(info)}"))


def suite(info: RuleInfo) -> str:
    """The suite of a rule, and what was measured: a paragraph."""
    counts = info.counts
    first, now = counts.first_contact, counts.standing
    told = []
    if first.all:
        judged = f"{first.true} true, {first.doubtful} doubtful, {first.false} false"
        still = f"still reported today: {now.true}, {now.doubtful}, {now.false}"
        told.append(f"On projects never used for tuning: {judged} ({still}).")
    if counts.history:
        told.append(f"Bugs found that a later commit fixed: {counts.history}.")
    if counts.live or counts.live_false:
        false = f", {counts.live_false} false" if counts.live_false else ""
        told.append(f"In other releases: {counts.live} true{false}.")
    return " ".join((f"Suite: {info.suite}.", *told))


def _plain(manual: str) -> Iterator[str]:
    """Markdown as text: code is indented instead of fenced."""
    inside = False
    for line in manual.strip().splitlines():
        if line.lstrip().startswith("```"):
            words = line.strip().strip("`").split()
            if not inside and len(words) > 1:
                yield f"{' '.join(words[1:])}:"
            inside = not inside
        elif inside:
            yield f"    {line}".rstrip()
        else:
            yield line.lstrip("#").lstrip() if line.startswith("#") else line
