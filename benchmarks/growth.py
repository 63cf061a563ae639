"""How the cost of reading and of every rule grows with a function, with a file and with a project.

    python benchmarks/growth.py [--sizes 3750,7500,15000,30000] [--rule RULE]... [--chart FILE.svg] [SHAPE]...
    python benchmarks/growth.py --kilobytes 100 [SHAPE]...
    python benchmarks/growth.py --profile SHAPE

Each shape of `shapes.py` is written at several sizes. Each size is read and checked in a process of its own, which may
take `--limit` seconds of CPU; `*`: something was cut off at its limit of steps, and named. An exponent of 1 is linear,
2 is quadratic; it is that of the last doubling done. With `--kilobytes` each shape is written once, at about that
size, and those that cost most come first.
"""

from __future__ import annotations

import argparse
import cProfile
import math
import multiprocessing
import platform
import pstats
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from growth_chart import draw
from shapes import SHAPES, Shape

from ownlint import catalogue, children
from ownlint.finding import Crash
from ownlint.frontends.cpp import structure
from ownlint.frontends.python import read
from ownlint.inputs import packs
from ownlint.machine import collect_rarely
from ownlint.models.libraries import Models, load
from ownlint.project.program import Program
from ownlint.rule import Rule

SIZES = (3750, 7500, 15000, 30000)
PARTS = ("ownlint", "tree-sitter", "tree-sitter-cpp", "msgspec")
MEMORY = 4 << 30


class Cost(NamedTuple):
    """CPU seconds of reading, and of the rules; how many findings there are, and how many judgements were cut off."""

    read: float
    checked: float
    findings: int
    cut: int

    @property
    def all(self) -> float:
        return self.read + self.checked


@lru_cache(maxsize=1)
def known() -> Models:
    return load([pack / "models" for pack in packs()])


def cost(shape: Shape, size: int, rules: list[Rule]) -> Cost:
    """What one size costs in this process."""
    models = known()
    vocabulary = models.vocabulary()
    files = shape.write(size)
    started = time.process_time()
    records = [
        read.read(path, text.encode(), vocabulary, path.removesuffix(".py").replace("/", "."))
        if path.endswith(".py")
        else structure.read(path, text.encode(), vocabulary)
        for path, text in files.items()
    ]
    done = time.process_time()
    found = list(catalogue.run(rules, Program(records, models)))
    crashes = [one for one in found if isinstance(one, Crash)]
    for crash in crashes:
        if crash.kind != "limit":
            sys.exit(f"{crash.rule} failed: {crash.error}")
    return Cost(done - started, time.process_time() - done, len(found) - len(crashes), len(crashes))


def apart(shape: Shape, size: int, rules: list[Rule], limit: int) -> Cost | str:
    """What one size costs in a process of its own, or in a word why nobody knows."""
    context = multiprocessing.get_context("fork")  # what is imported and compiled once is not what grows
    answers = context.SimpleQueue()

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        collect_rarely(0)  # as a child that analyses does
        deep(lambda: answers.put(tuple(cost(shape, size, rules))))

    child = context.Process(target=bounded)
    child.start()
    child.join()
    if child.exitcode == 0:
        return Cost(*answers.get())
    return f"over {limit} s" if child.exitcode in (-signal.SIGKILL, -signal.SIGXCPU) else "failed"


def deep(work: Callable[[], object]) -> None:
    """Does it with the stack that a child has which analyses."""
    sys.setrecursionlimit(children.RECURSION)
    threading.stack_size(children.STACK)
    done: list[object] = []
    thread = threading.Thread(target=lambda: done.append(work()))
    thread.start()
    thread.join()
    if not done:
        sys.exit(1)


def exponent(costs: dict[int, float]) -> float:
    """Of the last two sizes; not a number when there is no second one."""
    sizes = sorted(costs)[-2:]
    if len(sizes) < 2 or not costs[sizes[0]]:
        return math.nan
    return math.log(costs[sizes[1]] / costs[sizes[0]]) / math.log(sizes[1] / sizes[0])


def chosen(names: list[str]) -> list[Rule]:
    return [rule for rule in catalogue.load() if not names or rule.id in names]


def profile(shape: Shape, size: int, rules: list[Rule]) -> None:
    profiler = cProfile.Profile()
    deep(lambda: profiler.runcall(cost, shape, size, rules))
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    pstats.Stats(profiler).sort_stats("cumtime").print_stats(60)


def measure(shape: Shape, sizes: list[int], rules: list[Rule], limit: int) -> dict[int, float]:
    """Prints one row; what each size that was done costs."""
    costs: dict[int, float] = {}
    cut: dict[int, str] = {}
    row, word = f"{shape.language:7} {shape.name:34}", ""
    for size in sizes:
        if size <= shape.most and not word:
            found = apart(shape, size, rules, limit)
            word = found if isinstance(found, str) else ""
            if isinstance(found, Cost):
                costs[size] = found.all
                cut[size] = "*" * bool(found.cut)
        row += f" {costs[size]:>9.2f}{cut[size] or ' '}" if size in costs else f" {word or '-':>10}"
    print(f"{row}   {exponent(costs):8.2f}", flush=True)
    return costs


def lines_for(shape: Shape, size: int) -> int:
    """How many lines make about so many bytes, as far as the shape goes."""
    lines = 256
    for _ in range(4):
        lines = max(1, min(shape.most, lines * size // max(1, _bytes(shape, lines))))
    return lines


def _bytes(shape: Shape, lines: int) -> int:
    return sum(len(text.encode()) for text in shape.write(lines).values())


def by_bytes(shapes: list[Shape], size: int, rules: list[Rule], limit: int) -> None:
    """Prints a row for each shape: CPU seconds for 100 kB, the dearest first."""
    rows = []
    for shape in shapes:
        lines = lines_for(shape, size)
        written, found = _bytes(shape, lines), apart(shape, lines, rules, limit)
        each = found.all * 100_000 / written if isinstance(found, Cost) else math.inf
        said = found if isinstance(found, str) else f"{found.all:.2f}{'*' * bool(found.cut)}"
        rows.append(
            (each, f"{shape.language:7} {shape.name:44} {lines:>7,} {written / 1000:>6.0f} {said:>10} {each:>9.2f}")
        )
    print(f"{'':52} {'lines':>7} {'kB':>6} {'CPU s':>10} {'for 100 kB':>10}")
    for _, row in sorted(rows, key=lambda one: (-one[0], one[1])):
        print(row)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="all by default")
    parser.add_argument("--sizes", type=lambda text: [int(part) for part in text.split(",")], default=list(SIZES))
    parser.add_argument("--kilobytes", type=int, help="one size, by bytes")
    parser.add_argument("--rule", action="append", default=[], help="all by default")
    parser.add_argument("--limit", type=int, default=60, help="seconds of CPU for one size")
    parser.add_argument("--chart", type=Path, help="an SVG to write")
    parser.add_argument("--profile", action="store_true", help="profile the one shape at its largest size")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    unknown = [name for name in given.shapes if name not in SHAPES]
    if unknown:
        sys.exit(f"no such shape: {', '.join(unknown)}; there are: {', '.join(SHAPES)}")
    shapes = [SHAPES[name] for name in given.shapes] or list(SHAPES.values())
    rules = chosen(given.rule)
    if given.profile:
        profile(shapes[0], given.sizes[-1], rules)
        return 0
    for warm in ("straight", "owners"):
        cost(SHAPES[warm], 8, rules)
    print(f"{len(rules)} rules, Python {platform.python_version()},", ", ".join(f"{p} {version(p)}" for p in PARTS))
    if given.kilobytes:
        by_bytes(shapes, given.kilobytes * 1000, rules, given.limit)
        return 0
    print(
        f"CPU seconds, read and checked\n\n{'':42}" + "".join(f" {size:>10,}" for size in given.sizes) + "   exponent"
    )
    rows = [(shape, measure(shape, given.sizes, rules, given.limit)) for shape in shapes]
    if given.chart:
        given.chart.write_text(draw([(shape.name, shape.language, costs) for shape, costs in rows]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
