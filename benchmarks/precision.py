"""Everything the rules say about the pinned releases, to be read and judged; `docs/precision.md` keeps the tally.

    python benchmarks/precision.py [--from DIR] [NAME ...] [-- OPTIONS OF ownlint check]

`benchmarks/corpora.py` fetches the releases.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpora import RELEASES, default_folder
from speed import SUFFIXES


def report(folder: Path, options: Sequence[str]) -> dict[str, Any]:
    """The JSON report of a whole folder. A run that cannot begin ends the program with what it said."""
    command = [sys.executable, "-m", "ownlint", "check", "--isolated", "--exit-zero", "--no-cache", "-q"]
    command += ["--output-format", "json", *options]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{folder.name}: {ran.stderr.strip()}")
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def lines_of_code(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    return sum(path.read_bytes().count(b"\n") for path in files)


def show(found: dict[str, Any]) -> None:
    for finding in found["findings"]:
        place = f"{finding['path']}:{finding['line']}:{finding['column']}"
        print(f"  {place}: {finding['rule']} [{finding['certainty']}] {finding['message']}")
        for step in finding["steps"]:
            print(f"      {step['path']}:{step['line']}: {step['message']}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Print every finding on the pinned releases.")
    parser.add_argument("names", nargs="*", help="names or name-versions; all without any")
    parser.add_argument("--from", dest="place", type=Path, default=default_folder())
    given = sys.argv[1:]
    cut = given.index("--") if "--" in given else len(given)
    arguments, options = parser.parse_args(given[:cut]), given[cut + 1 :]
    total: Counter[str] = Counter()
    lines = 0
    for release in RELEASES:
        folder = arguments.place / release.folder
        if arguments.names and not {release.name, release.folder} & set(arguments.names):
            continue
        if not folder.is_dir():
            print(f"{release.folder}: not fetched", file=sys.stderr)
            continue
        found = report(folder, options)
        size = lines_of_code(folder)
        counts = Counter(f"{finding['rule']} [{finding['certainty']}]" for finding in found["findings"])
        unread = len(found["incomplete"])
        print(f"{release.folder}: {size:,} lines, {counts.total()} findings, {unread} incomplete")
        show(found)
        total.update(counts)
        lines += size
    print(f"all: {total.total()} findings, {lines:,} lines")
    for name, count in sorted(total.items()):
        print(f"  {count:5}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
