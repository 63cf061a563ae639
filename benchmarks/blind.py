"""Pairs of programs by people who know a rule's first paragraph alone: how many guilty ones are found, how many
innocent twins are silent.

    python benchmarks/blind.py [--half a|b] [--certainty likely] [--list] [RULE]...

Each rule has a folder in `tests/blind` with two pairs, `a` and `b`: `guilty.*`, its twin `innocent.*`, and `pair.toml`,
which says where the bug is and what it does. What is missed in `a` may be read and mended at its cause; `b` is run and
counted, and not looked at. A pair is found when a finding at the certainty stands within five lines of the bug, or in
the function that the pair names (`found`; `by another` where it is none of the rule's), and the twin has none of that
rule there. `scores.toml` in that folder holds the first run of each pair, which stays.
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
NEAR = 5
"""Lines between what is told and where the pair says the bug is."""


class Pair(NamedTuple):
    rule: str
    half: str
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.rule}/{self.half}"

    def source(self, side: str) -> Path:
        return next(path for path in sorted(self.folder.glob(f"{side}.*")) if path.suffix != ".toml")


class Outcome(NamedTuple):
    found: str
    """`found`, `by another` or `missed`."""
    loud: bool
    """The rule speaks of the twin, too."""


def pairs(rules: Sequence[str], half: str) -> list[Pair]:
    found = [Pair(path.parent.parent.name, path.parent.name, path.parent) for path in PAIRS.glob("*/*/pair.toml")]
    return sorted(one for one in found if (not rules or one.rule in rules) and half in ("", one.half))


def findings(folder: Path, certainty: str) -> list[dict[str, Any]]:
    """Of each program of the folder, which are projects of their own."""
    ran = subprocess.run(
        [sys.executable, "-m", "ownlint", "check", *OPTIONS, "--certainty", certainty, "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    said: list[dict[str, Any]] = json.loads(ran.stdout)["findings"]
    return said


def outcome(pair: Pair, certainty: str) -> Outcome:
    about = tomllib.loads((pair.folder / "pair.toml").read_text())
    said = {}
    for side in ("guilty", "innocent"):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(pair.source(side), folder)
            said[side] = findings(Path(folder), certainty)
    near = [one for one in said["guilty"] if is_near(one, about)]
    own = any(one["rule"] == pair.rule for one in said["guilty"])
    twin = Counter(one["rule"] for one in said["innocent"])
    if own and not twin[pair.rule]:
        return Outcome("found", False)
    others = [one for one in near if one["rule"] != pair.rule and not twin[one["rule"]]]
    return Outcome("by another" if others else "missed", bool(twin[pair.rule]))


def is_near(finding: dict[str, Any], about: dict[str, Any]) -> bool:
    lines = [finding["line"], *(step["line"] for step in finding.get("steps", ()))]
    return any(abs(line - int(about["line"])) <= NEAR for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="How many of the pairs in tests/blind are found.")
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--half", choices=("a", "b"), default="")
    parser.add_argument("--certainty", default="likely")
    parser.add_argument("--list", action="store_true", help="what became of each pair; of `b` too, so do not")
    asked = parser.parse_args()
    every = pairs(asked.rules, asked.half)
    outcomes = {pair: outcome(pair, asked.certainty) for pair in every}
    if asked.list:
        for pair, one in outcomes.items():
            print(f"{pair.name:50} {one.found}{', twin loud' if one.loud else ''}")
    for half in ("a", "b"):
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
