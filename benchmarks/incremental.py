"""Whether a run that keeps what still holds says what a run from nothing says, and what it costs.

    python benchmarks/incremental.py [--edits N] [--seed N] [--kind KIND]... FOLDER...

Each folder is one project. It is checked as a user would, with a cache; then it is edited at random, one edit after the
other, and checked with that cache and without any. Printed are seconds of CPU and of wall time, and each difference
between the two reports; the exit code is 1 when there is one.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from edits import KINDS, SUFFIXES, edit

COMMAND = ("check", "--isolated", "--exit-zero", "-q", "--suite", "audit", "--certainty", "possible")


class CheckRun(NamedTuple):
    report: bytes
    cpu: float
    wall: float


def check(root: Path, *options: str) -> CheckRun:
    """One run of the command line, types left out."""
    command = (sys.executable, "-m", "ownlint", *COMMAND, "--types", "never", "--output-format", "json", *options, ".")
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    said = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return CheckRun(said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began)


def trial(folder: Path, root: Path, edits: int, kinds: list[str], chance: random.Random) -> int:
    """How many runs said something else than one from nothing."""
    shutil.copytree(folder, root)
    files = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    texts = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    cache = ("--cache-dir", str(root.parent / "cache"))
    cold = check(root, *cache)
    print(f"{folder.name}: {len(texts)} files, from nothing {cold.cpu:.1f} s CPU, {cold.wall:.1f} s")
    wrong, costs = 0, []
    for _ in range(edits):
        made = edit(texts, chance, kinds)
        (root / made.path).write_bytes(texts[made.path])
        kept, fresh = check(root, *cache), check(root, "--no-cache")
        same = kept.report == fresh.report
        wrong += not same
        costs.append(kept.cpu / fresh.cpu)
        word = "" if same else "   DIFFERS"
        print(
            f"  {made.name} in {made.path}: {kept.cpu:.2f} of {fresh.cpu:.2f} s CPU, {kept.wall:.2f} s{word}",
            flush=True,
        )
        if not same:
            name = root.parent / f"differs-{wrong}"
            print(f"    see {shutil.copytree(root, Path(tempfile.mkdtemp(prefix=name.name)) / 'project')}")
    share = 100 * statistics.median(costs) if costs else 0.0
    print(f"{folder.name}: {edits} edits, {wrong} said something else; median {share:.1f} % of the CPU from nothing")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether what is kept is what a run from nothing says.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only these edits; all without any")
    arguments = parser.parse_args()
    wrong = 0
    for folder in arguments.folders:
        with tempfile.TemporaryDirectory(prefix="ownlint-incremental-") as place:
            chance = random.Random(arguments.seed)
            wrong += trial(folder, Path(place) / "project", arguments.edits, arguments.kind or sorted(KINDS), chance)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
