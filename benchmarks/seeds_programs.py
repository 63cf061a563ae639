"""The programs of MLIR's issue and their like (`tests/truth/mlir-seed.md`): what ownlint says of each, and, with an
interpreter that has jaxlib, how each ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from truth_pages import read

from truth import run, say

RUNS = 3
"""How often each program is run: what is read after it was freed need not crash at once."""


@dataclass(frozen=True)
class Program:
    """`guilty` and `marked`: the page says that it does not end well, and that ownlint reports it. `ran`: how it ended,
    each way once, commonest first; empty without an interpreter."""

    title: str
    guilty: bool
    marked: bool
    said: tuple[str, ...]
    ran: tuple[str, ...]


def look(page: Path, python: Path | None) -> list[Program]:
    programs: list[Program] = []
    for truth in read(page).truths:
        ran = Counter(str(run(truth, str(python), "wheel")) for _ in range(RUNS)) if python else Counter[str]()
        programs.append(
            Program(
                truth.case.heading,
                any(expected.outcomes != ("fine",) for expected in truth.expected.values()),
                any(mark.kind in ("error", "warning") for block in truth.case.blocks for mark in block.marks),
                tuple(sorted({f"{finding.rule} ({finding.certainty})" for finding in say(truth)})),
                tuple(outcome for outcome, _ in ran.most_common()),
            )
        )
    return programs


def lost(programs: Sequence[Program]) -> list[str]:
    """What the page says is reported and is not, and what is reported of a program that ends well."""
    return [
        f"{one.title}: {'missed' if one.marked else 'reported, and innocent'}"
        for one in programs
        if (one.marked and not one.said) or (one.said and not one.guilty)
    ]


def table(programs: Sequence[Program]) -> Iterator[str]:
    yield "the issue's two programs and their like, each with its innocent twin (tests/truth/mlir-seed.md)"
    for one in programs:
        said = ", ".join(one.said) or ("missed" if one.guilty else "silent")
        yield f"  {one.title:<68} {' or '.join(one.ran) or 'not run':<18}  {said}"
    guilty = [one for one in programs if one.guilty]
    twins = [one for one in programs if not one.guilty]
    found, loud = (sum(bool(one.said) for one in group) for group in (guilty, twins))
    yield f"{found} of {len(guilty)} found, {loud} of {len(twins)} twins reported"
    if any(one.ran for one in programs):
        dead = sum(any(outcome != "fine" for outcome in one.ran) for one in guilty)
        yield f"{dead} of {len(guilty)} end badly with this wheel"
