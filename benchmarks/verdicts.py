"""Whether a change loses what was judged right, or says what nobody has judged.

    python benchmarks/verdicts.py run --revision REV --to DIR [--corpora DIR] [RELEASE ...]
    python benchmarks/verdicts.py compare OLD NEW [--everything]
    python benchmarks/verdicts.py show RUN [RELEASE ...]
    python benchmarks/verdicts.py suites [--run RUN [--rules RULE,RULE]]
    python benchmarks/verdicts.py assumptions
    python benchmarks/verdicts.py page

`run` checks releases that `corpora.py` unpacked with ownlint of a revision of this repository (`.` is the working
tree), by all rules and at every certainty, and keeps one JSON report for each. `compare` reads two such folders
beside `benchmarks/verdicts/*.toml`: what was judged true and is gone or quieter, what was judged false and is gone,
what came and was never judged. Its exit code is 1 when something true was lost or something unjudged came, 2 when
nothing could be compared. `show` prints what a run found at default certainty, with the verdict on each: what is
`unjudged` is to be read. `suites` computes the suite of each rule and what an assumption makes of a finding
(`verdict_suites.py`) and writes the files that the catalogue reads; with a run it first notes which judged findings
that one still has, and what they assume. `assumptions` counts verdicts by assumption. `page` prints docs/precision.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import verdict_suites
from corpora import default_folder, every_release
from verdict_matching import Change, Comparison, Report, compare, match, sites
from verdict_page import by_assumption, page
from verdict_records import VERDICTS, VerdictError, judged, read_all

from ownlint import catalogue
from ownlint.facts.errors import RefusalError

ROOT = Path(__file__).parents[1]
OPTIONS = ("--isolated", "--exit-zero", "--no-cache", "-q", "--certainty", "possible")
ALL_RULES, FORMERLY = ("--suite", "audit"), ("--preview", "--preset", "audit")
RUN = "run.json"
"""Beside the reports: the revision, and the seconds of CPU by release."""


# --- running ------------------------------------------------------------------------------------------


@contextmanager
def source(revision: str) -> Iterator[Path]:
    """A tree of that revision, in a temporary folder unless it is the working tree."""
    if revision == ".":
        yield ROOT
        return
    with tempfile.TemporaryDirectory(prefix="ownlint-revision-") as name:
        tree = Path(name) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), revision], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def options(tree: Path) -> tuple[str, ...]:
    """What makes that revision run all its rules, and show all that it finds."""
    has_suites = "SUITES" in (tree / "linter/ownlint/choices.py").read_text(encoding="utf-8")
    return (*OPTIONS, *(ALL_RULES if has_suites else FORMERLY))


def run(tree: Path, folder: Path, to: Path) -> float:
    """Checks one release and writes its report; the seconds of CPU. Raises `OSError` with what it said if it fails."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join((str(tree / "linter"), str(tree / "rules"))))
    command = [sys.executable, "-m", "ownlint", "check", *options(tree), "--output-format", "json"]
    before = os.times()
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    after = os.times()
    if ran.returncode:
        raise OSError(f"{folder.name}: {ran.stderr.decode(errors='replace').strip()}")
    (to / f"{folder.name}.json").write_bytes(ran.stdout)
    return after.children_user + after.children_system - before.children_user - before.children_system


def run_all(revision: str, corpora: Path, to: Path, names: list[str]) -> int:
    to.mkdir(parents=True, exist_ok=True)
    kept = to / RUN
    costs: dict[str, float] = json.loads(kept.read_text())["cpu"] if kept.is_file() else {}
    failed = 0
    with source(revision) as tree:
        for release in every_release():
            if names and not {release.name, release.folder} & set(names):
                continue
            folder = corpora / release.folder
            if not folder.is_dir():
                print(f"{release.folder}: not fetched", file=sys.stderr)
                failed = 1
                continue
            try:
                costs[release.folder] = round(run(tree, folder, to), 1)
            except OSError as error:
                print(error, file=sys.stderr)
                failed = 1
                continue
            print(f"{release.folder}: {costs[release.folder]} s CPU", flush=True)
            kept.write_text(json.dumps({"revision": revision, "cpu": costs}, indent=1, sort_keys=True) + "\n")
    return failed


# --- comparing ----------------------------------------------------------------------------------------


def load(folder: Path) -> dict[str, Report]:
    """The reports of a run, by release. Raises `OSError` where there is no such folder."""
    return {
        path.stem: msgspec.json.decode(path.read_bytes(), type=Report)
        for path in sorted(folder.iterdir())
        if path.suffix == ".json" and path.name != RUN
    }


def compare_all(old: Path, new: Path, everything: bool) -> int:
    before, after = load(old), load(new)
    both = sorted(before.keys() & after.keys())
    if not both:
        print(f"{old} and {new} have no release in common", file=sys.stderr)
        return 2
    for name in sorted(before.keys() ^ after.keys()):
        print(f"{name}: only in {old if name in before else new}")
    verdicts = [verdict for _, verdict in judged(read_all())]
    found = [compare(name, sites(verdicts, name), before[name], after[name], everything=everything) for name in both]
    for line in told(found):
        print(line)
    for line in _costs(old, new, both):
        print(line)
    return 0 if all(one.passes for one in found) else 1


def told(found: list[Comparison]) -> Iterator[str]:
    """The text of a comparison, release by release, and a table of where the judged findings stand now."""
    for one in found:
        changes = [_change(change) for change in one.changes]
        fresh = [f"  unjudged: {finding} [{finding.certainty}]: {finding.message}" for finding in one.unjudged]
        unread = [f"  incomplete now: {each.path}: {each.reason}" for each in one.incomplete]
        if changes or fresh or unread:
            yield f"{one.release}:"
            yield from sorted(changes)
            yield from fresh
            yield from unread
    standing = sum((one.standing for one in found), Counter())
    yield "judged     reported  possible    silent"
    for verdict in VERDICTS:
        counts = [standing[verdict, state] for state in ("reported", "possible", "silent")]
        yield f"{verdict:9}" + "".join(f"{count:10,}" for count in counts)
    lost = sum(change.lost for one in found for change in one.changes)
    yield f"true lost: {lost}, unjudged: {sum(len(one.unjudged) for one in found)}, of {len(found)} releases"


def _change(change: Change) -> str:
    word = "LOST" if change.lost else "gone" if change.weaker else "back"
    also = f" (there now: {', '.join(sorted({one.rule for one in change.instead}))})" if change.instead else ""
    return f"  {change.site.judged} {word}, {change.before} -> {change.after}: {change.site}{also}"


def _costs(old: Path, new: Path, both: list[str]) -> Iterator[str]:
    """CPU of the two runs over the releases that both measured; nothing where one measured none."""
    kept = [folder / RUN for folder in (old, new)]
    if not all(path.is_file() for path in kept):
        return
    before, after = (json.loads(path.read_text())["cpu"] for path in kept)
    shared = [name for name in both if name in before and name in after]
    was, now = (sum(cost[name] for name in shared) for cost in (before, after))
    if was:
        yield f"CPU: {was:.1f} s before, {now:.1f} s now, {now / was:.2f} times, over {len(shared)} releases"


def show(reports: dict[str, Report], names: list[str]) -> Iterator[str]:
    """Every finding at default certainty, release by release."""
    verdicts = [verdict for _, verdict in judged(read_all())]
    for name, report in reports.items():
        if names and name not in names:
            continue
        here = sites(verdicts, name)
        said = {id(finding): here[number].judged for number, finding in match(here, report.findings).items()}
        loud = [finding for finding in report.findings if finding.state == "reported"]
        yield f"{name}: {len(loud)} findings, {len(report.incomplete)} incomplete"
        for finding in loud:
            verdict = said.get(id(finding), "unjudged")
            yield f"  {verdict}: {finding} [{finding.certainty}]: {finding.message}"


def write_suites(run: Path | None, of: frozenset[str] = frozenset()) -> Iterator[str]:
    """Writes both files; what there is to say about it. `of` are the rules of the run, where it was not one of all."""
    rounds, standing = read_all(), verdict_suites.read_standing()
    if run is not None:
        standing = standing.after((verdict for _, verdict in judged(rounds)), load(run), of)
        verdict_suites.STANDING.write_text(standing.text(), encoding="utf-8")
    rules = [rule.id for rule in catalogue.load()]
    weighed = verdict_suites.weigh(rounds, standing)
    verdict_suites.WEIGHED.write_text(verdict_suites.text_of(weighed), encoding="utf-8")
    measured = verdict_suites.measure(rules, rounds, standing)
    verdict_suites.MEASURED.write_text(verdict_suites.text_of(measured), encoding="utf-8")
    yield from verdict_suites.summary(measured, rules)
    yield from by_assumption(rounds, standing)


def precision() -> str:
    """The text of docs/precision.md."""
    rounds, standing = read_all(), verdict_suites.read_standing()
    standing = standing.weighed(verdict_suites.weigh(rounds, standing))
    measured = verdict_suites.measure((rule.id for rule in catalogue.load()), rounds, standing)
    return page(rounds, standing, {rule: one.suite for rule, one in measured.items()})


def assumptions() -> str:
    """The table of verdicts by assumption, as docs/precision.md has it."""
    rounds, standing = read_all(), verdict_suites.read_standing()
    return "\n".join(by_assumption(rounds, standing)) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether a change loses what was judged right.")
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="check releases with a revision")
    running.add_argument("names", nargs="*", help="names or name-versions; all that are pinned without any")
    running.add_argument("--revision", default=".", help="a revision of this repository, or `.`")
    running.add_argument("--to", type=Path, required=True, help="where the reports go")
    running.add_argument("--corpora", type=Path, default=default_folder(), help="where corpora.py unpacked")
    comparing = commands.add_parser("compare", help="two such runs")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--everything", action="store_true", help="what is merely possible must be judged, too")
    showing = commands.add_parser("show", help="what a run found, with the verdicts")
    showing.add_argument("run", type=Path)
    showing.add_argument("names", nargs="*", help="name-versions; all without any")
    counting = commands.add_parser("suites", help="compute the suite of each rule")
    counting.add_argument("--run", type=Path, help="the reports of a run, which say what is still reported")
    counting.add_argument("--rules", default="", help="the rules of that run, with commas, where it was not one of all")
    commands.add_parser("assumptions", help="count verdicts by what the findings assume")
    commands.add_parser("page", help="print docs/precision.md")
    arguments = parser.parse_args()
    try:
        if arguments.command == "run":
            return run_all(arguments.revision, arguments.corpora.resolve(), arguments.to.resolve(), arguments.names)
        if arguments.command == "compare":
            return compare_all(arguments.old, arguments.new, arguments.everything)
        if arguments.command == "show":
            for line in show(load(arguments.run), arguments.names):
                print(line)
            return 0
        if arguments.command == "suites":
            for line in write_suites(arguments.run, frozenset(filter(None, arguments.rules.split(",")))):
                print(line)
            return 0
        sys.stdout.write(assumptions() if arguments.command == "assumptions" else precision())
    except (OSError, VerdictError, RefusalError, msgspec.DecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
