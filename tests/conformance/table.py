"""The table of features by kinds of objects: each cell is a guilty program and its innocent twin.

`features.*.txt` holds a template for each feature, `kinds.toml` how an object of each kind is made, used and ended,
`holes.toml` what is not found (`missed`), and which twins are not silent (`loud`). `python tests/conformance/table.py
[KIND...]` prints how it is today; `--write` writes that to `holes.toml`, `--show KIND FEATURE` prints the programs of a
cell and what is said of them.

The lines of a template are in both programs, but where they begin with `-` (guilty) or `+` (innocent); `!` is for both.
A finding counts on a line of `-` or `!`, and where a leaked object is made. `= end | use` is the two in this order in
the guilty program, and in the other in the innocent one. Above `--` stand declarations, below it the body of a function
that has made `h` and returns `r`. `@ name` begins a file. `# $Name` at the top begins lines that templates share.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ownlint import catalogue
from ownlint.facts.records import Language
from ownlint.finding import CERTAINTIES, Finding
from ownlint.testing import cases
from ownlint.testing.markdown import PageBlock, PageCase

HERE = Path(__file__).parent
HOLES = HERE / "holes.toml"
_SUFFIX = {"cpp": "cc", "python": "py"}
_WORD = re.compile(r"\$(\w+)(?:\(((?:[^()]|\(\))*)\))?")
_HEADERS = "".join(f"#include <{name}>\n" for name in ("functional", "map", "memory", "stdexcept", "utility", "vector"))


@dataclass(frozen=True)
class Kind:
    name: str
    words: dict[str, str]
    harms: tuple[str, ...]
    language: str

    def written(self, line: str) -> Iterator[str]:
        """The line in the words of the kind; some make several of it, or none."""
        indent = line[: len(line) - len(line.lstrip())]
        word = _WORD.fullmatch(line.strip())
        if word and word[1] in ("make", "fill", "check"):
            x, _, leave = (word[2] or "").partition(", ")
            yield from (indent + one for one in self._made(word[1], x, self._inline(leave or "return -1")))
        else:
            yield self._inline(line)

    def _made(self, how: str, x: str, leave: str) -> Iterator[str]:
        words = self.words
        if self.language == "python":
            yield f"{x} = {words['made']}"
        elif "fill" in words and how != "check":
            if how == "make":
                yield f"{words['T']} {x} = nullptr;"
            yield f"if ({words['fill'].replace('{x}', x)}) {leave};"
        else:
            if how != "check":
                yield f"{words['T'] + ' ' if how == 'make' else ''}{x} = {words['made']};"
            if "failed" in words:
                yield f"if ({words['failed'].replace('{x}', x)}) {leave};"

    def _inline(self, line: str) -> str:
        def say(match: re.Match[str]) -> str:
            known = {"null": "nullptr", "alive": "{x}", **self.words}
            x, _, held = (match[2] or "").partition(", ")
            return known[match[1]].replace("{x}", x).replace("{from}", held)

        return _WORD.sub(say, line)


@dataclass(frozen=True)
class Feature:
    name: str
    harm: str
    lines: tuple[str, ...]
    language: str

    def is_for(self, kind: Kind) -> bool:
        words = {match[1] for line in self.lines for match in _WORD.finditer(line)}
        known = kind.words.keys() | {"make", "fill", "check", "null", "alive"}
        return self.harm in kind.harms and words <= known

    def program(self, kind: Kind, guilty: bool) -> Program:
        folder = re.sub(r"\W+", "_", f"{self.name} {'guilty' if guilty else 'innocent'}").strip("_")
        program = Program(folder, kind, [f"run.{_SUFFIX[self.language]}"], [[]], [[]])
        inside = False
        for line in self.lines:
            if line == "--":
                inside = True
                program.add("def run(n):" if self.language == "python" else "int Run(int n) {", False)
                program.add(self._indented("$make(h)"), self.harm == "leak")
            elif line.startswith("@ "):
                program.begin(line.removeprefix("@ "))
            else:
                for one, place in _of_program(line, guilty):
                    program.add(self._indented(one) if inside else one, place)
        if inside:
            program.add(self._indented("return r;" if self.language == "cpp" else "return r"), False)
            program.add("}" if self.language == "cpp" else "", False)
        return program

    def _indented(self, line: str) -> str:
        return ("  " if self.language == "cpp" else "    ") + line if not line.startswith("#") else line


def _of_program(line: str, guilty: bool) -> Iterator[tuple[str, bool]]:
    """The lines that one of a template stands for, and whether a finding there is the one that was planted."""
    match line[:1]:
        case "-" | "+":
            if (line[0] == "-") == guilty:
                yield line[1:], guilty
        case "!":
            yield line[1:], True
        case "=":
            end, use = line[1:].split(" | ")
            use = end[: len(end) - len(end.lstrip())] + use
            yield from ((end, True), (use, True)) if guilty else ((use, True), (end, True))
        case _:
            yield line, False


@dataclass
class Program:
    """The files of a program, and the lines at which its bug may be told."""

    folder: str
    kind: Kind
    names: list[str]
    lines: list[list[str]]
    places: list[list[bool]]

    def begin(self, name: str) -> None:
        if self.lines == [[]]:
            self.names, self.lines, self.places = [], [], []
        self.names.append(name)
        self.lines.append([])
        self.places.append([])

    def add(self, line: str, place: bool) -> None:
        written = list(self.kind.written(line))
        self.lines[-1] += written
        self.places[-1] += [place] * len(written)

    def files(self) -> Iterator[tuple[PageBlock, frozenset[int]]]:
        """Each file, and the lines of it, from 1, at which the bug may be told."""
        for name, lines, places in zip(self.names, self.lines, self.places, strict=True):
            top, bottom = self._around(lines)
            written = [line.replace('#include "', f'#include "{self.folder}/') for line in lines]
            language: Language = "python" if name.endswith(".py") else "cpp"
            text = "\n".join([*top, *(line for line in written if not line.startswith("#include")), *bottom, ""])
            skipped = sum(line.startswith("#include") for line in lines)
            told = frozenset(at + 1 + len(top) - skipped for at, place in enumerate(places) if place)
            yield PageBlock(language, f"{self.folder}/{name}", text, 1), told

    def _around(self, lines: list[str]) -> tuple[list[str], list[str]]:
        if self.kind.language == "python":
            return [*self.kind.words["header"].strip().splitlines(), "", ""], []
        includes = [line.replace('#include "', f'#include "{self.folder}/') for line in lines if "#include" in line]
        return ['#include "kind.h"', *includes, f"namespace {self.folder} {{"], ["}"]


def kinds() -> dict[str, Kind]:
    found = tomllib.loads((HERE / "kinds.toml").read_text())
    return {
        name: Kind(name, words, tuple(words.get("harms", ("use", "twice", "leak"))), words["language"])
        for name, words in found.items()
    }


def features(language: str) -> dict[str, Feature]:
    shared, *sections = re.split(r"^## ", (HERE / f"features.{language}.txt").read_text(), flags=re.MULTILINE)
    blocks = {name: lines for name, *lines in map(str.splitlines, shared.split("# ")[1:])}
    found: dict[str, Feature] = {}
    for title, *lines in map(str.splitlines, sections):
        name, _, harm = title.partition(" (")
        written = tuple(one for line in lines for one in blocks.get(line, [line]))
        found[name] = Feature(name, harm.rstrip(")") or "use", written, language)
    return found


@dataclass(frozen=True)
class Cell:
    """What is said of a feature for a kind: whether the planted bug is, and what else of the innocent twin."""

    feature: str
    found: bool
    loud: tuple[str, ...]
    guilty: tuple[str, ...]


def run(kind: Kind, only: str = "") -> dict[str, Cell]:
    """Every feature that there is for the kind, of one analysis of all its programs."""
    told: dict[str, dict[bool, dict[str, frozenset[int]]]] = {}
    blocks: list[PageBlock] = []
    if kind.language == "cpp":
        header = f"#pragma once\n{_HEADERS}{kind.words['header'].strip()}\n"
        blocks.append(PageBlock("cpp", "kind.h", header, 1))
    for name, feature in features(kind.language).items():
        for guilty in (True, False) if only in ("", name) and feature.is_for(kind) else ():
            files = list(feature.program(kind, guilty).files())
            blocks += [block for block, _ in files]
            told.setdefault(name, {})[guilty] = {block.name: lines for block, lines in files}
    result = cases.run(PageCase(kind.name, 1, tuple(blocks)), tuple(catalogue.load()))
    if result.crashes:
        raise RuntimeError(str(result.crashes[0]))
    texts = {block.name: block for block in blocks}
    shown = [one for one in result.findings if CERTAINTIES.index(one.certainty) <= CERTAINTIES.index("likely")]

    def said(finding: Finding) -> str:
        line = cases.line_of(texts[finding.path], finding.span.start)
        return f"{finding.path}:{line}: {finding.rule}[{finding.certainty}]: {finding.message}"

    found: dict[str, Cell] = {}
    for name, files_of in told.items():
        guilty_files, innocent_files = files_of[True], files_of[False]
        of_bad = [one for one in shown if one.path in guilty_files]
        hit = any(cases.line_of(texts[one.path], one.span.start) in guilty_files[one.path] for one in of_bad)
        loud = tuple(said(one) for one in shown if one.path in innocent_files)
        found[name] = Cell(name, hit, loud, tuple(map(said, of_bad)))
    return found


def holes() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(HOLES.read_text()) if HOLES.is_file() else {}


def printed(results: dict[str, dict[str, Cell]]) -> Iterator[str]:
    """`+` is found, `.` is missed, `!` stands behind either where the innocent twin is not silent."""
    for language in ("cpp", "python"):
        columns = [name for name in results if kinds()[name].language == language]
        if columns:
            yield f"{'':32}" + " ".join(f"{name:>8}" for name in columns)
            for feature in features(language):
                cells = [results[name].get(feature) for name in columns]
                signs = ["" if one is None else ("+" if one.found else ".") + "!" * bool(one.loud) for one in cells]
                yield f"{feature:32}" + " ".join(f"{sign:>8}" for sign in signs)
            sums = [results[name].values() for name in columns]
            yield f"{'found':32}" + " ".join(f"{f'{sum(c.found for c in one)}/{len(one)}':>8}" for one in sums)
            yield f"{'loud':32}" + " ".join(f"{sum(bool(c.loud) for c in one):>8}" for one in sums)


def _as_holes(results: dict[str, dict[str, Cell]]) -> Iterator[str]:
    yield "# Cells that are not as they should be; `python tests/conformance/table.py --write` writes this file.\n"
    for name, cells in results.items():
        yield f"\n[{name}]\n"
        yield from _names("missed", [cell.feature for cell in cells.values() if not cell.found])
        yield from _names("loud", [cell.feature for cell in cells.values() if cell.loud])


def _names(key: str, names: list[str]) -> Iterator[str]:
    if names:
        yield f"{key} = [\n" + "".join(f'  "{name}",\n' for name in names) + "]\n"


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--show"]:
        kind, name = kinds()[arguments[1]], arguments[2]
        for guilty in (True, False):
            for block, lines in features(kind.language)[name].program(kind, guilty).files():
                print(f"--- {block.name} {sorted(lines)}\n{block.text}")
        cell = run(kind, name)[name]
        print("found" if cell.found else "missed", *cell.guilty, "twin:", *cell.loud, sep="\n")
        return
    writes = "--write" in arguments
    wanted = list(kinds()) if writes else arguments or list(kinds())
    results = {name: run(kinds()[name]) for name in wanted}
    print("\n".join(printed(results)))
    if writes:
        HOLES.write_text("".join(_as_holes(results)))


if __name__ == "__main__":
    main(sys.argv[1:])
