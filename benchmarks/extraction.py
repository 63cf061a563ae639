"""How much of what binding code says is extracted: counted by hand in the text, and compared with what ownlint reads.

    python benchmarks/extraction.py FOLDER... [--misses] [--least 98]

The count is plain and knows nothing of ownlint: over text without comments and macro definitions, every
`.def...(` of a file that speaks of a binding framework, and every entry of a `PyMethodDef`, `PyGetSetDef`,
`PyMemberDef` or `PyType_Slot` table, by its place. What ownlint extracts, by structure alone, must stand at that
place. A file that declares no table and defines nothing counts for nothing, nor does what a release brings along of
others (`deps`, `extern`, `third_party`). Exits with 1 when a folder falls short.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ownlint.facts import binding_reader
from ownlint.facts import records as r
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.cpp import structure, tables
from ownlint.inputs import packs
from ownlint.models.libraries import load

SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp")
_BROUGHT = frozenset({"deps", "extern", "external", "third_party", "thirdparty", "_deps"})
_NOISE = re.compile(
    r'(?P<kept>R"(?P<mark>[^()\\ ]{0,16})\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\')'
    r"|//(?:[^\n\\]|\\.)*|/\*.*?\*/"
    r"|^[ \t]*#[ \t]*define\b(?:[^\n]*\\\r?\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_ABOUT = re.compile(r"pybind11|nanobind|boost/python|\bpy::|\bnb::|\bbp::|\bclass_<")
_DEF = re.compile(r"(?:\.|->)\s*(?:template\s+)?(?P<name>def(?:_(?!submodule\b|visitor\b)\w+)?)\s*(?:<[\w:, ]*>\s*)?\(")
_TABLE = re.compile(r"\b(?:PyMethodDef|PyGetSetDef|PyMemberDef|PyType_Slot)\s+(?:\w+::)*\w+\s*\[[^\]]*\]\s*(?:=\s*)?\{")
_END = re.compile(r"\s*(?:NULL|nullptr|0|\.ml_name\s*=\s*(?:NULL|nullptr)|\(\s*char\s*\*\s*\)\s*NULL|\})\s*[,}]?")


class Count(NamedTuple):
    """`said` are the places that were counted in the text, `missed` those of them where ownlint has nothing."""

    files: int
    said: int
    missed: tuple[str, ...]
    extra: int

    @property
    def share(self) -> float:
        return 100 * (self.said - len(self.missed)) / self.said if self.said else 100.0


def main() -> int:
    options = _arguments()
    vocabulary = load([pack / "models" for pack in packs()]).vocabulary()
    print(f"{'folder':32} {'kind':6} {'files':>5} {'said':>6} {'found':>6} {'share':>7}")
    short = False
    for folder in options.folders:
        for kind in ("def", "table"):
            count = measure(folder, kind, vocabulary)
            if not count.said:
                continue
            found = count.said - len(count.missed)
            print(f"{folder.name:32} {kind:6} {count.files:5} {count.said:6} {found:6} {count.share:6.1f}%")
            short |= count.share < options.least
            for miss in count.missed if options.misses else ():
                print(f"    {miss}")
    return int(short)


def _arguments() -> Namespace:
    parser = ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--misses", action="store_true", help="show every place that is missed")
    parser.add_argument("--least", type=float, default=98.0)
    return parser.parse_args()


def measure(folder: Path, kind: str, vocabulary: Vocabulary) -> Count:
    files = said = extra = 0
    missed: list[str] = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        if path.suffix not in SUFFIXES or not path.is_file() or _BROUGHT.intersection(path.relative_to(folder).parts):
            continue
        data = path.read_bytes()
        text = without_comments(data.decode("latin-1"))  # a byte is a character: places stay
        places = list(definitions(text) if kind == "def" else entries(text))
        if not places:
            continue
        found = _extracted(structure.read(str(path), data, vocabulary), kind, vocabulary)
        files, said, extra = files + 1, said + len(places), extra + len(found - set(places))
        for at in places:
            if at not in found:
                line = text.count("\n", 0, at) + 1
                missed.append(f"{path}:{line}: {' '.join(text[at : at + 90].split())}")
    return Count(files, said, tuple(missed), extra)


def _extracted(file: r.FileRecord, kind: str, vocabulary: Vocabulary) -> set[int]:
    if kind == "def":
        return {binding.start for binding in binding_reader.extract(file, vocabulary)[1]}
    return {entry.start for table in tables.extract(file, vocabulary) for entry in table.entries}


# --- the count by hand ----------------------------------------------------------------------------


def without_comments(text: str) -> str:
    """Comments, macro definitions and what stands in strings as spaces, of the same length."""

    def blank(match: re.Match[str]) -> str:
        if (kept := match["kept"]) is not None:
            return kept[0] + re.sub(r"[^\n]", "_", kept[1:-1]) + kept[-1]
        return re.sub(r"[^\n]", " ", match[0])

    return _NOISE.sub(blank, text)


def definitions(text: str) -> Iterator[int]:
    """Where the names of the calls stand."""
    if _ABOUT.search(text):
        for match in _DEF.finditer(text):
            yield match.start("name")


def entries(text: str) -> Iterator[int]:
    """Where the braces of the tables' entries stand, those aside that end a table."""
    for match in _TABLE.finditer(text):
        depth, start = 1, 0
        for at in range(match.end(), len(text)):
            if text[at] == "{":
                depth += 1
                if depth == 2:
                    start = at
            elif text[at] == "}":
                depth -= 1
                if depth == 1 and not _END.match(text[start + 1 : at + 1]):
                    yield start
                elif depth == 0:
                    break


if __name__ == "__main__":
    sys.exit(main())
