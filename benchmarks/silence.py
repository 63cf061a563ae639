"""What ownlint says of much Python that is right, and what it costs to say so little.

    python benchmarks/silence.py [--corpora DIR] [--anchors] [--list] [NAME ...]

The Python of the pinned releases (corpora.py) and of the standard library is checked, each release as a project of its
own, cold; then a project of 5,000 files of them all, of which one is changed. `--anchors` tells which words make files
be read, `--list` every finding. The cost of starting is counted in, and told.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from corpora import PYTHON, RELEASES, default_folder
from speed import measure

from ownlint import catalogue
from ownlint.facts import anchors
from ownlint.facts.vocabulary import Anchor
from ownlint.testing import cases

OTHERS = ("jax", "pyarrow", "pyopencl")
"""Releases with C++ whose Python counts too."""
PROJECT = 5_000
"""Files of the project in which one is changed."""
PARTS = ("ownlint", "libcst", "msgspec")


def folders(corpora: Path, only: list[str]) -> Iterator[tuple[str, Path]]:
    """Name and place; a release that was not fetched is told of and left out."""
    for release in (*PYTHON, *(release for release in RELEASES if release.name in OTHERS)):
        place = corpora / release.folder
        if only and release.name not in only:
            continue
        if place.is_dir():
            yield release.folder, place
        else:
            print(f"not there: {release.folder}", file=sys.stderr)
    if not only or "stdlib" in only:
        yield f"stdlib-{platform.python_version()}", Path(sysconfig.get_path("stdlib"))


def lay_out(corpora: Path, only: list[str], to: Path) -> list[Path]:
    """All `.py` files below `to`, in order: links, which nobody writes to."""
    out: list[Path] = []
    for name, place in folders(corpora, only):
        for path in sorted(place.rglob("*.py")):
            if path.is_file() and "site-packages" not in path.parts:
                copy = to / name / path.relative_to(place)
                copy.parent.mkdir(parents=True, exist_ok=True)
                _link(path, copy)
                out.append(copy)
    return out


def _link(path: Path, to: Path) -> None:
    try:
        os.link(path, to)
    except OSError:  # another file system
        shutil.copyfile(path, to)


def check(folder: Path, cache: Path, *options: str) -> list[str]:
    command = [sys.executable, "-m", "ownlint", "check", str(folder), "--isolated", "--types", "never", "--exit-zero"]
    return [*command, "-q", "--suite", "audit", "--certainty", "likely", "--cache-dir", str(cache), *options]


def megabytes(paths: list[Path]) -> float:
    return sum(path.stat().st_size for path in paths) / 1e6


def each(paths: list[Path], project: Path, work: Path, jobs: int, listed: bool) -> None:
    report = work / "report.json"
    counts: Counter[str] = Counter()
    spent = 0.0
    for folder in sorted(path for path in project.iterdir() if path.is_dir()):
        cost = measure(
            check(folder, work / "caches" / folder.name, f"-j{jobs}", "--output-format", "json", "-o", str(report))
        )
        findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
        counts.update(finding["rule"] for finding in findings)
        spent += cost.cpu
        own = [path for path in paths if path.is_relative_to(folder)]
        size = megabytes(own)
        print(
            f"{folder.name}: {len(own):,} files, {size:.1f} MB, {cost.cpu:.1f} s CPU, {cost.cpu / size:.3f} s per MB, "
            f"{len(findings)} findings",
            flush=True,
        )
        for one in findings if listed else ():
            print(f"  {one['path']}:{one['line']}: {one['severity']}[{one['rule']}] {one['message']}", flush=True)
    size = megabytes(paths)
    start = measure(check(_empty(work), work / "caches/empty")).cpu
    print(f"all: {len(paths):,} files, {size:.1f} MB, {spent:.1f} s CPU, {spent / size:.3f} s per MB")
    print(f"a start costs {start:.2f} s CPU")
    found = sum(counts.values())
    print(f"findings: {found}, one in {len(paths) // max(1, found):,} files")
    for rule, count in sorted(counts.items()):
        print(f"  {rule} {count}")


def _empty(work: Path) -> Path:
    folder = work / "empty"
    folder.mkdir()
    (folder / "one.py").write_text("x = 1\n", encoding="utf-8")
    return folder


def one_changed(paths: list[Path], project: Path, work: Path) -> None:
    """A file that is read (it has an anchor) and one that is not get a line more; the least of three runs."""
    chosen = paths[:: max(1, len(paths) // PROJECT)][:PROJECT]
    small = work / "small"
    for path in chosen:
        copy = small / path.relative_to(project)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    files = sorted(small.rglob("*.py"))
    cold = measure(check(small, work / "cache-small"))
    print(f"a project of {len(files):,} files, {megabytes(files):.1f} MB: cold {cold}")
    tests = list(_tests())
    is_read = [path for path in files if any(_wanted(path.read_bytes(), test) for test in tests)]
    not_read = sorted(set(files) - set(is_read))
    for name, some in (("that is read", is_read), ("that is not", not_read)):
        walls: list[float] = []
        for path in some[len(some) // 2 : len(some) // 2 + 3]:
            path.write_bytes(path.read_bytes() + b"\nCHANGED = 1\n")
            cost = measure(check(small, work / "cache-small"))
            walls.append(cost.wall)
        if walls:
            print(f"  one changed file {name}: {min(walls):.2f} s wall (of {', '.join(f'{w:.2f}' for w in walls)})")


# --- anchors --------------------------------------------------------------------------------------

Test = tuple[Anchor, re.Pattern[bytes], re.Pattern[bytes] | None]


def _tests() -> Iterator[Test]:
    """What models and rules look for in a file's bytes before anything of the project is known."""
    words = [word for rule in catalogue.load() for word in rule.anchors]
    for anchor in anchors.with_words(cases.load_models().vocabulary(), words).anchors:
        beside = re.compile("|".join(f"(?:{word})" for word in anchor.beside).encode()) if anchor.beside else None
        yield anchor, re.compile(anchor.word.encode()), beside


def _wanted(data: bytes, test: Test) -> bool:
    return bool(test[1].search(data)) and (test[2] is None or bool(test[2].search(data)))


def select(paths: list[Path]) -> None:
    """By anchor: the files it selects, and those that no other does."""
    tests = list(_tests())
    many: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    size: Counter[str] = Counter()
    read = 0
    read_bytes = 0
    for path in paths:
        data = path.read_bytes()
        words = sorted({test[0].word for test in tests if _wanted(data, test)})
        many.update(words)
        if words:
            read += 1
            read_bytes += len(data)
        if len(words) == 1:
            alone[words[0]] += 1
            size[words[0]] += len(data)
    share = read_bytes / 1e6 / megabytes(paths)
    print(f"read for an anchor: {read:,} files, {read_bytes / 1e6:.1f} MB ({share:.0%}); helpers of these come on top")
    for word, count in many.most_common():
        print(f"  {count:6,} files, {alone[word]:5,} ({size[word] / 1e6:5.1f} MB) for nothing else: {word}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Count findings, and what they cost, on much Python that is right.")
    parser.add_argument("names", nargs="*", help="releases, and `stdlib`; all without any")
    parser.add_argument("--corpora", type=Path, default=default_folder(), help="where corpora.py unpacked")
    parser.add_argument("--anchors", action="store_true", help="tell which words make files be read")
    parser.add_argument("--anchors-only", action="store_true", help="and nothing else")
    parser.add_argument("--list", action="store_true", help="every finding")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores,", ", ".join(f"{p} {version(p)}" for p in PARTS))
    with tempfile.TemporaryDirectory(prefix="ownlint-silence-") as name:
        work = Path(name)
        project = work / "project"
        paths = lay_out(arguments.corpora, arguments.names, project)
        if arguments.anchors or arguments.anchors_only:
            select(paths)
        if not arguments.anchors_only:
            each(paths, project, work, arguments.jobs, arguments.list)
            if len(paths) >= PROJECT:
                one_changed(paths, project, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
