"""Runs a round of first contact with one frozen revision, and writes sheets for those who judge.

    python benchmarks/first_contact/run.py ROUND --to DIR [--clones DIR] [--revision DIR] [--only NAME]...
                                           [--sheets DIR]

ROUND is the number of a file in `rounds/`. Each release is fetched by version and hash into DIR, from a bare clone
below `--clones` if it is a commit of a repository, and checked with default settings, by the ownlint of a checkout
(`--revision`: a folder with `linter` and `rules`; this one without it). `DIR/findings/<release>.json` holds the report
with its cost; a release that has one is not run again. `--sheets` then writes one page a release of the findings that
are drawn to be judged, with what the judge must do.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from corpora import ROUNDS, FetchError, Release, fetch, read_round  # noqa: E402
from speed import SUFFIXES, measure  # noqa: E402

SECONDS = 1500
"""A release that takes longer is told of, and counts as one that ended nothing."""
OF_A_PROJECT, OF_A_RULE = 40, 15

JUDGING = """# How to judge

Each page here lists findings of one release, whose source is in the folder that the page names. Read the source
around each finding, as far as it takes (callers, callees, headers, the library's documentation), and decide:

* `true`: a concrete way to harm exists (input, interleaving or failing call); write it down.
* `doubtful`: the shape is there, and harmless as far as one sees.
* `false`: the finding rests on a fact that is wrong; name the fact.

The judge has not read the rule's code, and does not. A duplicate of an earlier finding is judged like it, with
"duplicate of ..." in the reason. Write `{verdicts}/<release>.toml`, one table a finding, all of them:

    [[verdict]]
    release = "name-1.0"
    rule = "..."
    path = "..."
    line = 1
    fingerprint = "..."
    certainty = "likely"
    verdict = "true"
    reason = "the fact that decides it, in a sentence"
"""


def sizes(folder: Path) -> dict[str, int]:
    """Lines of code: C and C++, and Python."""
    lines = {"cpp": 0, "python": 0}
    for path in folder.rglob("*"):
        if path.suffix in SUFFIXES and path.is_file():
            lines["python" if path.suffix.startswith(".py") else "cpp"] += path.read_bytes().count(b"\n")
    return lines


def run(release: Release, place: Path, to: Path) -> dict[str, Any]:
    """The report of one release, with its size and cost; read from `to` if it is there."""
    kept = to / f"{release.folder}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    to.mkdir(parents=True, exist_ok=True)
    report = to / f".{release.folder}.report"
    report.unlink(missing_ok=True)
    here = Path.cwd()
    os.chdir(place)
    options = ["--isolated", "--exit-zero", "--no-cache", "-q", "--output-format", "json", "-o", str(report)]
    try:
        cost = measure(["timeout", str(SECONDS), sys.executable, "-m", "ownlint", "check", *options])
    finally:
        os.chdir(here)
    ended = cost.code in (0, 2) and report.exists()  # 2: a file was incomplete, and the report names it
    found = json.loads(report.read_text(encoding="utf-8")) if ended else {"findings": [], "incomplete": []}
    found |= {"ended": ended, "cost": asdict(cost), "lines": sizes(place)}
    kept.write_text(json.dumps(found, indent=1), encoding="utf-8")
    report.unlink(missing_ok=True)
    return found


def sample(findings: Sequence[dict[str, Any]], seed: str) -> list[dict[str, Any]]:
    """A random choice of at most 40, at most 15 of one rule, in the order of their places: what a judge reads.

    It depends on the findings and the seed alone, not on the order they come in.
    """
    ordered = sorted(findings, key=lambda one: (one["path"], one["line"], one["column"], one["rule"], one["message"]))
    chance = random.Random(seed)
    taken: list[int] = []
    counts: Counter[str] = Counter()
    for index in chance.sample(range(len(ordered)), len(ordered)):
        rule = ordered[index]["rule"]
        if len(taken) < OF_A_PROJECT and counts[rule] < OF_A_RULE:
            counts[rule] += 1
            taken.append(index)
    return [ordered[index] for index in sorted(taken)]


def sheet(release: Release, place: Path, found: dict[str, Any], chosen: Sequence[dict[str, Any]]) -> str:
    lines = f"{found['lines']['cpp']:,} lines of C and C++, {found['lines']['python']:,} of Python"
    shown = f"{len(chosen)} of {len(found['findings'])} findings"
    out = [f"# {release.folder}", "", f"Source: `{place}`; {lines}. {shown}."]
    for number, one in enumerate(chosen, 1):
        out += [
            "",
            f"## {number}. {one['rule']} ({one['severity']}, {one['certainty']})",
            "",
            f"- place: `{one['path']}:{one['line']}:{one['column']}` in `{one['symbol']}`",
            f"- fingerprint: `{one['fingerprint']}`",
            f"- message: {one['message']}",
        ]
        out += [f"- step: `{step['path']}:{step['line']}`: {step['message']}" for step in one["steps"]]
        out += [f"- help: {one['help']}"] if one["help"] else []
        out += [f"- confidence: {one['reason']}"] if one.get("reason") else []
    return "\n".join(out) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Run a round of first contact with a frozen revision.")
    parser.add_argument("round", type=int)
    parser.add_argument("--to", type=Path, required=True, help="the folder to unpack and to keep findings in")
    parser.add_argument("--clones", type=Path, help="bare clones of the repositories")
    parser.add_argument("--revision", type=Path, default=HERE.parent.parent, help="a checkout of ownlint")
    parser.add_argument("--only", action="append", default=[], help="a name or name-version")
    parser.add_argument("--sheets", type=Path, help="write sheets for judges there")
    given = parser.parse_args()
    revision = given.revision.resolve()
    os.environ["PYTHONPATH"] = os.pathsep.join(str(revision / part) for part in ("linter", "rules"))
    to = given.to.resolve()
    seed, releases = read_round(ROUNDS / f"{given.round}.toml")
    if given.sheets:
        given.sheets.mkdir(parents=True, exist_ok=True)
        verdicts = given.sheets.resolve().parent / "verdicts"
        (given.sheets / "README.md").write_text(JUDGING.format(verdicts=verdicts), encoding="utf-8")
    failed = 0
    for release, kind in releases:
        if given.only and not {release.name, release.folder} & set(given.only):
            continue
        try:
            place = fetch(release, to, given.clones)
        except (FetchError, OSError) as error:
            print(f"{release.folder}: {error}", file=sys.stderr, flush=True)
            failed = 1
            continue
        found = run(release, place, to / "findings")
        chosen = sample(found["findings"], f"{seed}:{release.folder}")
        print(
            f"{release.folder}\t{kind}\t{found['lines']['cpp']}\t{found['lines']['python']}\t{len(found['findings'])} "
            f"findings\t{len(chosen)} to judge\t{found['cost']['cpu']:.1f} s\t{found['cost']['memory'] / 1e6:.0f} MB"
            + ("" if found["ended"] else "\tdid not end"),
            flush=True,
        )
        if given.sheets and chosen:
            page = sheet(release, place, found, chosen)
            (given.sheets / f"{release.folder}.md").write_text(page, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
