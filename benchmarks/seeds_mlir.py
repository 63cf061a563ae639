"""The holes of MLIR's Python bindings, release by release: what `seeds/mlir.toml` says, and what is found."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from known_bugs import SURE, reported

Found = dict[str, Any]
_CORE = ("mlir/lib/Bindings/Python/IRCore.cpp",)
WIDTH = 11


@dataclass(frozen=True)
class Hole:
    """`there` and `found` are majors of releases; `functions` are names as a symbol ends with them, or as the message
    quotes them; `scopes` the class before them, where the name alone does not say which."""

    kind: str
    says: str
    functions: tuple[str, ...]
    rules: tuple[str, ...]
    there: tuple[int, ...]
    found: tuple[int, ...]
    paths: tuple[str, ...] = _CORE
    scopes: tuple[str, ...] = ()
    repaired: str = ""
    reason: str = ""

    def told(self, findings: Sequence[Found]) -> list[Found]:
        """What tells it, the surest first."""
        own = [one for one in findings if self._holds(one)]
        return sorted(own, key=lambda one: (("certain", *SURE, "possible").index(one["certainty"]), one["line"]))

    def _holds(self, finding: Found) -> bool:
        if finding["rule"] not in self.rules or finding["path"] not in self.paths:
            return False
        scope = re.split(r"::|\.", finding["symbol"])[-2:-1]
        if self.scopes and not set(self.scopes).intersection(scope):
            return False
        return bool(names_of(finding).intersection(self.functions))


@dataclass(frozen=True)
class Judged:
    """A finding that tells no hole: `true`, `doubtful` or `false`, and the fact that decides it."""

    rule: str
    functions: tuple[str, ...]
    verdict: str
    fact: str

    def means(self, finding: Found) -> bool:
        return self.rule == finding["rule"] and bool(names_of(finding).intersection(self.functions))


def names_of(finding: Found) -> set[str]:
    """The last name of the symbol, and what the message quotes."""
    return {re.split(r"::|\.", finding["symbol"])[-1], *re.findall(r"`([^`]+)`", finding["message"])}


@dataclass(frozen=True)
class Bindings:
    title: str
    note: str
    releases: tuple[str, ...]
    folders: tuple[str, ...]
    holes: tuple[Hole, ...]
    judged: tuple[Judged, ...] = ()


def read_bindings(path: Path) -> Bindings:
    told = tomllib.loads(path.read_text(encoding="utf-8"))

    def records(name: str) -> Iterator[dict[str, Any]]:
        for one in told[name]:
            yield {key: tuple(value) if isinstance(value, list) else value for key, value in one.items()}

    return Bindings(
        told["title"],
        told["note"],
        tuple(told["releases"]),
        tuple(told["folders"]),
        tuple(Hole(**one) for one in records("hole")),
        tuple(Judged(**one) for one in records("finding")),
    )


def major(release: str) -> int:
    return int(release.partition(".")[0])


def look(bindings: Bindings, releases: Path, to: Path, jobs: int) -> dict[str, list[Found]]:
    """Every finding in the bindings of each release that is there, `possible` ones included."""

    def one(release: str) -> list[Found]:
        work = to / f"mlir-{release}"
        for folder in bindings.folders:
            source = releases / f"mlir-{release}" / folder
            if source.is_dir():
                shutil.copytree(source, work / folder)
        subprocess.run(["git", "init", "-q", str(work)], check=True)
        return reported(work, ".", "--no-cache", "-j1", "--certainty", "possible")

    there = [release for release in bindings.releases if (releases / f"mlir-{release}").is_dir()]
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(there, pool.map(one, there), strict=True))


# --- the table ------------------------------------------------------------------------------------


def cell(hole: Hole, release: str, findings: Sequence[Found]) -> str:
    """The certainty of what is found; `missed`, `FALSE` where it is told and not there, `-` where neither is so."""
    told, there = hole.told(findings), major(release) in hole.there
    if told and not there:
        return "FALSE" if told[0]["certainty"] in SURE else "-"
    return told[0]["certainty"] if told else "missed" if there else "-"


def lost(bindings: Bindings, found: Mapping[str, Sequence[Found]]) -> list[str]:
    """What the list says is found and is not at the default certainty, and what is told where it is not."""
    wrong: list[str] = []
    for hole in bindings.holes:
        for release, findings in found.items():
            said = cell(hole, release, findings)
            if major(release) in hole.found and said not in SURE:
                wrong.append(f"MLIR {release}, {hole.kind}, {hole.says}: written down as found, and {said}")
            elif said == "FALSE":
                wrong.append(f"MLIR {release}, {hole.kind}, {hole.says}: told, and not there")
    return wrong


def beside(bindings: Bindings, found: Mapping[str, Sequence[Found]]) -> Iterator[str]:
    """What is said at the default certainty and tells no hole, by rule and place, with its verdict."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    facts: dict[tuple[str, str, str], str] = {}
    for release, findings in found.items():
        for one in findings:
            if one["certainty"] not in SURE or any(hole.told([one]) for hole in bindings.holes):
                continue
            judged = next((each for each in bindings.judged if each.means(one)), None)
            place = f"{Path(one['path']).name} {one['symbol'].rpartition('::')[2]}"
            row = (judged.verdict if judged else "unjudged", one["rule"], place)
            rows.setdefault(row, []).append(f"{release.partition('.')[0]}:{one['line']}")
            facts[row] = judged.fact if judged else one["message"]
    for row in sorted(rows):
        yield f"  {row[0]}: {row[1]} {row[2]} ({', '.join(rows[row])})"
        yield f"    {facts[row]}"
    counts = Counter(row[0] for row in rows for _ in rows[row])
    yield "  " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))


def table(bindings: Bindings, found: Mapping[str, Sequence[Found]]) -> Iterator[str]:
    yield bindings.title
    yield f"  {bindings.note}"
    for release in bindings.releases:
        if release not in found:
            yield f"  {release}: not here"
    if not found:
        return
    yield " " * 4 + "".join(f"{release:<{WIDTH}}" for release in found)
    counts: Counter[str] = Counter()
    for hole in bindings.holes:
        cells = [cell(hole, release, findings) for release, findings in found.items()]
        counts.update("found" if text in SURE else text for text in cells)
        yield f"{hole.kind}: {hole.says}"
        yield (" " * 4 + "".join(f"{text:<{WIDTH}}" for text in cells)).rstrip()
        first = [next(iter(hole.told(findings)), None) for findings in found.values()]
        if any(first):
            lines = [f":{one['line']}" if one else "" for one in first]
            yield (" " * 4 + "".join(line.ljust(WIDTH) for line in lines)).rstrip()
            yield f"    {', '.join(sorted({one['rule'] for one in first if one}))}"
        if hole.repaired:
            yield f"    repaired in {hole.repaired}"
        if hole.reason:
            yield f"    missed: {hole.reason}"
    whole = sum(counts[text] for text in ("found", "possible", "missed"))
    yield (
        f"of {whole} (hole, release) {counts['found']} found at the default certainty, "
        f"{counts['possible']} as possible, {counts['missed']} missed; {counts['FALSE']} told where it is not"
    )
    yield "what else is said about the bindings:"
    yield from beside(bindings, found)
