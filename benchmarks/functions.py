"""How many function definitions of a C++ corpus are recovered, against a count that shares no code with ours.

    python benchmarks/functions.py FOLDER... [--missing] [--tests]

Universal Ctags counts: every function it finds with a body is looked for, by name, among the functions read
from the same file (a name that stands there n times has to be found n times). Files of tests are left out unless
`--tests` is given. Ctags reads macros as functions here and there; `--missing` lists what was not found, with
its line, to be judged by eye.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import ownlint_rules
from ownlint.facts.records import encode_file
from ownlint.frontends.cpp.structure import read
from ownlint.models.libraries import load

SUFFIXES = frozenset({".cc", ".h", ".cpp", ".cxx", ".hpp", ".hh", ".c", ".inc", ".cu", ".cuh"})
_TEST = re.compile(r"_test\.|/testdata/|testing|/tests?/")


def sources(folder: Path, tests: bool) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        is_test = _TEST.search("/" + path.relative_to(folder).as_posix()) is not None
        if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink() and (tests or not is_test):
            yield path


def counted(paths: list[Path]) -> dict[str, list[tuple[str, int]]]:
    """Name and line of every definition Ctags finds, by file."""
    command = [shutil.which("ctags") or "ctags", "-x", "--_xformat=%N\t%n\t%F", "--language-force=C++"]
    command += ["--c++-kinds=f", "-L", "-"]
    listed = subprocess.run(command, input="\n".join(map(str, paths)), capture_output=True, text=True, check=True)
    found: dict[str, list[tuple[str, int]]] = {}
    for line in listed.stdout.splitlines():
        name, number, path = line.split("\t")
        found.setdefault(path, []).append((_plain(name), int(number)))
    return found


def _plain(name: str) -> str:
    """Both sides spell operators and lambdas their own way."""
    if name.startswith("__anon"):
        return "<lambda>"
    name = re.sub(r"<[^()]*>$", "", name) if not name.startswith(("operator", "<")) else name
    return "".join(name.split())


def measure(folder: Path, tests: bool, missing: bool) -> None:
    vocabulary = load([Path(ownlint_rules.__file__).parent / "models"]).vocabulary()
    paths = list(sources(folder, tests))
    expected = counted(paths)
    total = found = opaque = defined = size = problems = 0
    spent = 0.0
    for path in paths:
        data = path.read_bytes()
        size += len(data)
        began = time.process_time()
        file = read(path.relative_to(folder).as_posix(), data, vocabulary)
        encode_file(file)
        spent += time.process_time() - began
        problems += len(file.problems)
        mine = Counter(_plain(f.name) for f in file.functions if f.defined or "delete" in f.qualifiers)
        defined += sum(f.defined for f in file.functions)
        opaque += sum(f.opaque for f in file.functions)
        for name, line in sorted(expected.get(str(path), ()), key=lambda pair: pair[1]):
            total += 1
            if mine[name] > 0:
                mine[name] -= 1
                found += 1
            elif missing:
                print(f"{path.relative_to(folder)}:{line}: {name}")
    recall = 100 * found / total if total else 100.0
    print(
        f"{folder.name}: {len(paths)} files, {size / 1e6:.1f} MB, {spent:.1f} s CPU; "
        f"{found} of {total} definitions found ({recall:.2f} %); "
        f"{defined} defined, {opaque} opaque, {problems} problems"
    )


def main(arguments: list[str]) -> None:
    for folder in arguments:
        if not folder.startswith("--"):
            measure(Path(folder), "--tests" in arguments, "--missing" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
