"""Pairs of programs by people who know a rule's first paragraph alone: how many guilty ones are found, how many
innocent twins are silent.

    python benchmarks/blind.py [--half a|b|c|d|e|f] [--certainty likely] [--list] [RULE]...

Each rule has a folder in `tests/blind` with two pairs, `a` and `b`: `guilty.*`, its twin `innocent.*`, and
`pair.toml`, which says where the bug is and what it does. Some rules have a third and a fourth, `c` and `d`, which
were written later. What is missed in `a`, `b` and `c` may be read and fixed at its cause; `d` is run and counted, and
not read. A pair is found when the rule has a finding in it (`by another` where only another rule has one, within five
lines of the bug), and the twin has none of that rule. `scores.toml` in that folder holds the first run of each pair,
which stays.

A folder `seed-*` is a kind of point that a reviewer made, not a rule: its pairs are `a1`, `a2` to `e1`, `e2`, of which
`e` is not read, and `rules` in its `scores.toml` names the rules that make the point. A side that is a folder is a
project; where it holds `before` and `after`, it is that change, checked with `--diff-base`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

PAIRS = Path(__file__).resolve().parent.parent / "tests" / "blind"
OPTIONS = ("--isolated", "--exit-zero", "--no-cache", "--suite", "audit", "--types", "never", "--output-format", "json")
HALVES = ("a", "b", "c", "d", "e", "f")
NEAR = 5
"""Lines between what is told and where the pair says the bug is."""


class Pair(NamedTuple):
    rule: str
    """The rule, or the kind of point."""
    number: str
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.rule}/{self.number}"

    @property
    def half(self) -> str:
        return self.number[0]

    @property
    def rules(self) -> tuple[str, ...]:
        """Those that make the point."""
        scores = self.folder.parent / "scores.toml"
        told = tomllib.loads(scores.read_text()) if scores.is_file() else {}
        return tuple(told.get("rules", (self.rule,)))

    def source(self, side: str) -> Path:
        """A file, or a folder."""
        return next(path for path in sorted(self.folder.glob(f"{side}*")) if path.suffix != ".toml")


class Outcome(NamedTuple):
    found: str
    """`found`, `by another` or `missed`."""
    loud: bool
    """The rule speaks of the twin, too."""


def pairs(rules: Sequence[str], half: str) -> list[Pair]:
    found = [Pair(path.parent.parent.name, path.parent.name, path.parent) for path in PAIRS.glob("*/*/pair.toml")]
    return sorted(one for one in found if (not rules or one.rule in rules) and half in ("", one.half))


def findings(source: Path, certainty: str) -> list[dict[str, Any]]:
    """Of the program, as a project of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = [*OPTIONS, "--certainty", certainty]
        if source.is_file():
            shutil.copy(source, folder)
        elif (source / "before").is_dir():
            _commit(source / "before", folder)
            shutil.copytree(source / "after", folder, dirs_exist_ok=True)
            options += ["--diff-base", "HEAD"]
        else:
            shutil.copytree(source, folder, dirs_exist_ok=True)
        ran = subprocess.run(
            [sys.executable, "-m", "ownlint", "check", *options, "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ,
        )
    said: list[dict[str, Any]] = json.loads(ran.stdout)["findings"]
    return said


def _commit(tree: Path, folder: Path) -> None:
    """The tree as the only commit of a new repository."""
    shutil.copytree(tree, folder, dirs_exist_ok=True)
    git = ["git", "-c", "user.name=blind", "-c", "user.email=blind@invalid"]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "before"]):
        subprocess.run([*git, *command], cwd=folder, check=True)


def outcome(pair: Pair, certainty: str) -> Outcome:
    about = tomllib.loads((pair.folder / "pair.toml").read_text())
    guilty, innocent = (findings(pair.source(side), certainty) for side in ("guilty", "innocent"))
    twin = {one["rule"] for one in innocent}
    loud = not twin.isdisjoint(pair.rules)
    if any(one["rule"] in pair.rules for one in guilty) and not loud:
        return Outcome("found", loud)
    others = [
        one for one in guilty if is_near(one, about) and one["rule"] not in pair.rules and one["rule"] not in twin
    ]
    return Outcome("by another" if others else "missed", loud)


def is_near(finding: dict[str, Any], about: dict[str, Any]) -> bool:
    lines = [finding["line"], *(step["line"] for step in finding.get("steps", ()))]
    return any(abs(line - int(about["line"])) <= NEAR for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="How many of the pairs in tests/blind are found.")
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--half", choices=HALVES, default="")
    parser.add_argument("--certainty", default="likely")
    parser.add_argument("--list", action="store_true", help="what became of each pair")
    asked = parser.parse_args()
    every = pairs(asked.rules, asked.half)
    outcomes = {pair: outcome(pair, asked.certainty) for pair in every}
    if asked.list:
        for pair, one in outcomes.items():
            print(f"{pair.name:50} {one.found}{', twin loud' if one.loud else ''}")
    for half in HALVES:
        of = [one for pair, one in outcomes.items() if pair.half == half]
        if of:
            found = Counter(one.found for one in of)
            loud = sum(one.loud for one in of)
            print(
                f"{half}: {found['found']} of {len(of)} found, {found['by another']} by another rule, {loud} twins loud"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
