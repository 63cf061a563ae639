"""docs/precision.md out of the verdicts: how often the rules are right, by round and by rule.

python benchmarks/verdicts.py page > docs/precision.md
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from verdict_records import VERDICTS, Judged, Round, Verdict, at_first_contact
from verdict_suites import Standing, certain_now, weigh

from ownlint.choices import ASSUMPTIONS, SUITES, Suite

_A_FILE = 20_000
"""Lines of C and C++ that findings are counted on: one large component."""

_HEAD = """\
# What the rules say about real code

Findings on public releases, each read in the source and judged. `true`: the bug is there. `doubtful`: the shape is
there, and something that the rule cannot see, or the author's intent, makes it harmless or may. `false`: noise.

Each verdict, with its place and the fact that decides it, is in `benchmarks/verdicts/*.toml`, one file for each round
of reading. This page is printed from them by `python benchmarks/verdicts.py page`. To see the findings again:

    python benchmarks/corpora.py                                        # fetches the releases by version and hash
    python benchmarks/verdicts.py run --revision . --to reports         # every finding on them
    python benchmarks/verdicts.py compare reports-before reports        # which verdicts a change alters
"""


def page(rounds: Mapping[str, Round], standing: Standing, suites: Mapping[str, Suite]) -> str:
    """`suites` are those of the rules that were measured; another rule is in `audit`."""
    return "\n".join(_lines(rounds, standing, suites)) + "\n"


def _lines(rounds: Mapping[str, Round], standing: Standing, suites: Mapping[str, Suite]) -> Iterator[str]:
    yield _HEAD
    yield "## By round"
    yield ""
    yield from _by_round(rounds)
    yield ""
    for name, each in rounds.items():
        yield f"* **{each.title}** (`{name}.toml`, {each.day}): {each.about}"
    yield ""
    yield "## By suite"
    yield ""
    yield (
        "Of first contact, what the code of today still reports at the default confidence. A rule's suite is computed "
        "from this: the formula is in `benchmarks/verdict_suites.py`."
    )
    yield ""
    yield from _by_suite(rounds, standing, suites)
    yield ""
    yield "## By assumption"
    yield ""
    yield (
        "A finding is likely with one assumption, possible with two, with a guess, and with one that was measured to "
        "be too often wrong. Where nothing is assumed it is certain if, of the latest such findings of its rule at "
        "first contact, at most one in 40 of those that could be decided was false, and ten or more could be; else "
        "likely. Of first contact, what the code of today finds with one assumption alone, also where that makes it no "
        "more than possible."
    )
    yield ""
    yield from by_assumption(rounds, standing)
    yield ""
    yield "## By rule"
    yield ""
    yield (
        "Of the rounds above from which rates are taken. `first contact` are releases that no rule had been shown; "
        "`pinned` are those that rules were tried on while they were written, and says less. "
        "Findings that were mended before a round ended are in its file and not counted."
    )
    yield ""
    yield from _by_rule(rounds, suites)


def _by_suite(rounds: Mapping[str, Round], standing: Standing, suites: Mapping[str, Suite]) -> Iterator[str]:
    found: dict[tuple[bool, Suite | str], Counter[Judged]] = defaultdict(Counter)
    for each in at_first_contact(rounds).values():
        for verdict in each.verdict:
            found[each.popular, suites.get(verdict.rule, "audit")][verdict.today] += standing.number(verdict)
    yield "| projects | suite | true | doubtful | false | true of true and false | true of all |"
    yield "|---|---|---|---|---|---|---|"
    for popular, projects in ((False, "drawn by kind"), (True, "popular")):
        for suite in SUITES:
            counts = found[popular, suite]
            yield f"| {projects} | {suite} | {_counts(counts)} | {_share(counts)} | {_of_all(counts)} |"
    for suite in SUITES:
        counts = found[False, suite] + found[True, suite]
        yield f"| all | {suite} | {_counts(counts)} | {_share(counts)} | {_of_all(counts)} |"


def by_assumption(rounds: Mapping[str, Round], standing: Standing) -> Iterator[str]:
    """A table; the line for what assumes nothing counts what was certain at first contact and still is, of the rules
    that may be certain."""
    yield "| assumption | taken for granted | makes | true | doubtful | false | true of true and false |"
    yield "|---|---|---|---|---|---|---|"
    sure = certain_now(rounds, standing)
    yield f"| none | nothing | certain | {_counts(sure)} | {_share(sure)} |"
    for assumption, one in weigh(rounds, standing).items():
        counts = Counter[Judged]({name: getattr(one.judged, name) for name in VERDICTS})
        row = f"{assumption} | {ASSUMPTIONS[assumption]} | {one.makes}"
        yield f"| {row} | {_counts(counts)} | {_share(counts)} |"


def _by_round(rounds: Mapping[str, Round]) -> Iterator[str]:
    yield "| round | certainty | true | doubtful | false | true of true and false | for each 20,000 lines |"
    yield "|---|---|---|---|---|---|---|"
    for each in rounds.values():
        lines = sum(release.cpp_lines for release in each.release)
        shown = sum(release.findings for release in each.release) if lines else 0
        dense = f"{shown * _A_FILE / lines:.1f}" if lines else ""
        rows = _by_certainty(each)[0 if each.counted else -1 :]  # where no share is taken, the sum says it
        for certainty, counts in rows:
            yield (
                f"| {each.title} | {certainty} | {_counts(counts)} | {_share(counts) if each.counted else ''} "
                f"| {dense if certainty == 'all' else ''} |"
            )


def _by_certainty(each: Round) -> list[tuple[str, Counter[Judged]]]:
    """With a line for all; that alone where it would say the same. Where nobody wrote down what is certain, it is among
    the likely."""
    found: dict[str, Counter[Judged]] = defaultdict(Counter)
    for verdict in _standing(each):
        for place in verdict.places:
            found[place.certainty or each.certainty][verdict.verdict] += 1
        if not verdict.places:
            found[each.certainty][verdict.verdict] += verdict.count
    every = sum(found.values(), Counter[Judged]())
    names = {
        "certain": "certain",
        "likely": "likely" if found["certain"] else "likely or surer",
        "possible": "possible",
    }
    rows = [(name, found[certainty]) for certainty, name in names.items() if found[certainty]]
    return [*rows, ("all", every)] if len(rows) > 1 else [("all", every)]


def _standing(each: Round) -> Iterator[Verdict]:
    """Those that count: what was mended before the round ended does not."""
    return (verdict for verdict in each.verdict if not verdict.gone)


def _by_rule(rounds: Mapping[str, Round], suites: Mapping[str, Suite]) -> Iterator[str]:
    at_contact: dict[str, Counter[Judged]] = defaultdict(Counter)
    pinned: dict[str, Counter[Judged]] = defaultdict(Counter)
    fresh = at_first_contact(rounds)
    for name, each in rounds.items():
        if each.counted:
            _count(at_contact if name in fresh else pinned, _standing(each))
    yield "| rule | suite | first contact: true | doubtful | false | right | pinned: true | doubtful | false | right |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for rule in sorted(at_contact.keys() | pinned.keys()):
        here, there = at_contact[rule], pinned[rule]
        suite = suites.get(rule, "audit")
        yield f"| {rule} | {suite} | {_counts(here)} | {_share(here)} | {_counts(there)} | {_share(there)} |"
    here, there = (sum(some.values(), Counter[Judged]()) for some in (at_contact, pinned))
    yield f"| all | | {_counts(here)} | {_share(here)} | {_counts(there)} | {_share(there)} |"


def _count(into: dict[str, Counter[Judged]], verdicts: Iterable[Verdict]) -> None:
    for verdict in verdicts:
        into[verdict.rule][verdict.verdict] += verdict.number


def _counts(counts: Counter[Judged]) -> str:
    return " | ".join(f"{counts[verdict]:,}" for verdict in VERDICTS)


def _share(counts: Counter[Judged]) -> str:
    """Of what is true or false; empty where nothing is."""
    sure = counts["true"] + counts["false"]
    return f"{100 * counts['true'] / sure:.0f} %" if sure else ""


def _of_all(counts: Counter[Judged]) -> str:
    every = counts.total()
    return f"{100 * counts['true'] / every:.0f} %" if every else ""
