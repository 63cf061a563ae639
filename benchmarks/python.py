"""What reading Python costs: CPU of `ownlint check` for each MB of `.py`, cold, one job.

    python benchmarks/python.py FOLDER...

Every folder is checked in place with `--no-cache --isolated -j1`; folders with C++ in them count that too, so give
folders of Python. The second figure is without the start of the processes: less what a folder with one file of one
line costs. The last line is the average over all bytes.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from speed import Cost, measure

PARTS = ("ownlint", "libcst", "msgspec")
OPTIONS = ("--no-cache", "--isolated", "-j1", "--exit-zero", "-q")


def check(folder: Path) -> Cost:
    return measure([sys.executable, "-m", "ownlint", "check", str(folder), *OPTIONS])


def size_of(folder: Path) -> tuple[int, float]:
    """Files, and MB."""
    sizes = [path.stat().st_size for path in folder.rglob("*.py") if path.is_file()]
    return len(sizes), sum(sizes) / 1e6


def start_up() -> float:
    """The least of three runs over next to nothing."""
    with tempfile.TemporaryDirectory(prefix="ownlint-python-") as folder:
        Path(folder, "one.py").write_text("x = 1\n", encoding="utf-8")
        return min(check(Path(folder)).cpu for _ in range(3))


def main() -> int:
    print(f"Python {platform.python_version()},", ", ".join(f"{part} {version(part)}" for part in PARTS))
    start = start_up()
    print(f"start: {start:.2f} s CPU")
    total = spent = net = 0.0
    for folder in map(Path, sys.argv[1:]):
        count, size = size_of(folder)
        cost = min(check(folder).cpu for _ in range(2))
        total, spent, net = total + size, spent + cost, net + cost - start
        figures = f"{cost / size:.3f} s/MB, {(cost - start) / size:.3f} without the start"
        print(f"{folder}: {count:,} files, {size:.1f} MB, {cost:.2f} s CPU, {figures}", flush=True)
    if total:
        print(f"all: {total:.1f} MB, {spent / total:.3f} s/MB, {net / total:.3f} without the start")
    return 0


if __name__ == "__main__":
    sys.exit(main())
