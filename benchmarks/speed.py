"""What a run of `ownlint check` costs: cold, and again with nothing changed.

    python benchmarks/speed.py [--rounds N] FOLDER... [-- OPTIONS OF ownlint check]

CPU is user and system time of the command and all its children. Memory is the largest sum of the resident sizes of
all its processes, looked at every 50 ms: shared pages count more than once, so the truth is at most that.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

PARTS = ("ownlint", "libclang", "libcst", "tree-sitter", "tree-sitter-cpp", "msgspec")
SUFFIXES = frozenset(
    (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".cu", ".cuh", ".py", ".pyi")
)


@dataclass(frozen=True)
class Cost:
    """Seconds, and bytes."""

    cpu: float
    wall: float
    memory: int
    code: int

    def __str__(self) -> str:
        return f"{self.cpu:7.2f} s CPU  {self.wall:7.2f} s wall  {self.memory / 1e6:6.0f} MB  exit {self.code}"


def measure(command: Sequence[str]) -> Cost:
    started = time.perf_counter()
    before = os.times()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    watch = _Watch(process.pid)
    watch.start()
    _, errors = process.communicate()
    watch.stop()
    wall, after = time.perf_counter() - started, os.times()
    if process.returncode > 1:
        sys.stderr.write(errors.decode(errors="replace"))
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(cpu, wall, watch.most, process.returncode)


class _Watch(threading.Thread):
    """Looks at the resident sizes of a process and of all that it started."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._root = root
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(0.05):
            self.most = max(self.most, _resident(self._root))

    def stop(self) -> None:
        self._done.set()
        self.join()


def _resident(root: int) -> int:
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            parents[int(entry.name)], sizes[int(entry.name)] = int(fields[1]), int(fields[21])
    total = 0
    for process, size in sizes.items():
        ancestor = process
        while ancestor != root and ancestor in parents:
            ancestor = parents[ancestor]
        total += size if ancestor == root else 0
    return total * os.sysconf("SC_PAGE_SIZE")


def sources(folder: Path) -> tuple[int, int]:
    """Files that look like code, and their bytes."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file()]
    return len(sizes), sum(sizes)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure ownlint check, cold and warm.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    given = sys.argv[1:]
    cut = given.index("--") if "--" in given else len(given)
    arguments, options = parser.parse_args(given[:cut]), given[cut + 1 :]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores,", ", ".join(f"{p} {version(p)}" for p in PARTS))
    failed = 0
    for folder in arguments.folders:
        count, size = sources(folder)
        print(f"{folder.name}: {count:,} files, {size / 1e6:.1f} MB")
        for _ in range(arguments.rounds):
            with tempfile.TemporaryDirectory(prefix="ownlint-speed-") as cache:
                check = [sys.executable, "-m", "ownlint", "check", str(folder), "--isolated", "--exit-zero", "-q"]
                command = [*check, "--cache-dir", cache, *options]
                for name in ("cold", "warm"):
                    cost = measure(command)
                    failed = max(failed, cost.code)
                    print(f"  {name}  {cost}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
