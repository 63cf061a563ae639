"""Peers' own tests, run from a clone: what they expect and ownlint finds, and which of their innocent code is loud.

    python benchmarks/peers/peers.py --clones DIR [--list] [--certainty likely] [infer] [cpychecker]

`DIR` holds bare clones as `OWNER+NAME` (or `OWNER+NAME/repo`). Nothing of them is kept here: their tests are written to
a temporary folder and read there, each folder of them as one project, and each file of cpychecker's, which are programs
of their own. What is compared is functions: a bug is found when a rule of its kind speaks in the function in which the
peer expects it. The files `infer.toml` and `cpychecker.toml` beside this one say which rules those are, which kinds are
not ours and why, and the reasons of misses as far as somebody has looked.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora import FetchError, bare_clone
from expected import (
    Bug,
    Finding,
    Peer,
    PeerError,
    Score,
    cpychecker_bugs,
    infer_bugs,
    is_innocent,
    last,
    peer,
    scored,
)

PEERS = ("infer", "cpychecker")


class Expected(NamedTuple):
    """What a peer's tests are: its bugs, and the places in which nothing is wrong (a path, and a function, which is
    empty where the whole file is innocent)."""

    bugs: frozenset[Bug]
    innocent: frozenset[tuple[str, str]]


def unpack(git: Path, folder: str, to: Path) -> None:
    """One folder of the clone's newest commit. Raises `PeerError`."""
    ran = subprocess.run(["git", "-C", str(git), "archive", f"HEAD:{folder}"], capture_output=True, check=False)
    if ran.returncode:
        raise PeerError(f"{git}: {ran.stderr.decode(errors='replace').strip()}")
    (to / folder).mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(ran.stdout)) as archive:
        archive.extractall(to / folder, filter="data")


def findings(folder: Path, top: Path, certainty: str) -> Iterator[Finding]:
    """What ownlint finds in all projects of a folder, by paths from `top`."""
    command = [
        sys.executable,
        "-m",
        "ownlint",
        "check",
        str(folder),
        "--exit-zero",
        "--no-cache",
        "-q",
        "--suite",
        "audit",
    ]
    command += ["--types", "never", "--certainty", certainty, "--output-format", "json"]
    ran = subprocess.run(command, cwd=top, capture_output=True, check=False)
    if ran.returncode:
        raise PeerError(f"{folder.name}: {ran.stderr.decode(errors='replace').strip()}")
    for one in json.loads(ran.stdout)["findings"]:
        yield Finding(one["rule"], one["path"], one["symbol"], one["message"])


# --- the two peers ------------------------------------------------------------------------------------

_DEFINED = re.compile(r"\b((?:\w+::)*\w+)\s*\([^;{}]*\)[^;{}()]*\{")


def infer_tests(of: Peer, top: Path) -> Expected:
    bugs: set[Bug] = set()
    innocent: set[tuple[str, str]] = set()
    for folder in of.folders:
        bugs |= infer_bugs(f"{folder}/", (top / folder / "issues.exp").read_text(encoding="utf-8"))
        for path in sorted((top / folder).rglob("*.c*")):
            names = set(_DEFINED.findall(path.read_text(encoding="utf-8", errors="replace")))
            innocent |= {(str(path.relative_to(top)), name) for name in names if is_innocent(name)}
    expected = {(bug.path, last(bug.function).rpartition("::")[2]) for bug in bugs}
    fine = ((path, name.rpartition("::")[2]) for path, name in innocent)
    known = {tuple(one.split(":", 1)) for one in of.not_innocent}
    return Expected(frozenset(bugs), frozenset(one for one in fine if one not in expected | known))


def cpychecker_tests(of: Peer, top: Path) -> Expected:
    bugs: set[Bug] = set()
    innocent: set[tuple[str, str]] = set()
    for folder in of.folders:
        for path in sorted((top / folder).rglob("input.c")):
            name = str(path.relative_to(top))
            told = path.with_name("stderr.txt")
            here = cpychecker_bugs(name, told.read_text(encoding="utf-8")) if told.is_file() else set()
            bugs |= here
            if not here and name not in of.not_innocent:
                innocent.add((name, ""))
            path.with_name("ownlint.toml").write_text("", encoding="utf-8")  # a project of its own
    return Expected(frozenset(bugs), frozenset(innocent))


def run(name: str, clones: Path, certainty: str) -> tuple[Peer, Expected, Score]:
    """Raises `PeerError`, and `FetchError` where there is no clone."""
    of = peer(name)
    git = bare_clone(clones, of.repository)
    with tempfile.TemporaryDirectory(prefix="ownlint-peers-") as place:
        top = Path(place)
        for folder in of.folders:
            unpack(git, folder, top)
        tests = infer_tests(of, top) if name == "infer" else cpychecker_tests(of, top)
        if name == "infer":
            for folder in of.folders:
                (top / folder / "ownlint.toml").write_text("", encoding="utf-8")
        said = [one for folder in of.folders for one in findings(top / folder, top, certainty)]
    quiet = [
        one
        for one in said
        if not {(one.path, ""), (one.path, last(one.symbol).rpartition("::")[2])}.isdisjoint(tests.innocent)
    ]
    return of, tests, scored(of, tests.bugs, said, quiet)


# --- the table ----------------------------------------------------------------------------------------


def table(of: Peer, tests: Expected, score: Score, listed: bool) -> Iterator[str]:
    yield f"{of.title}:"
    kinds = of.kinds
    found = Counter(kinds[bug.kind].name for bug in score.found)
    missed = Counter(kinds[bug.kind].name for bug in score.missed)
    for kind in of.kind:
        expected = found[kind.name] + missed[kind.name]
        yield f"  {kind.name:42}{expected:5} expected{found[kind.name]:5} found"
    expected = len(score.found) + len(score.missed)
    share = 100 * len(score.found) / expected if expected else 0
    yield f"  {'all':42}{expected:5} expected{len(score.found):5} found ({share:.0f} %)"
    loud = {(one.path, last(one.symbol)) for one in score.loud}
    yield f"  {len(tests.innocent)} innocent places, {len(loud)} loud"
    for one in score.loud:
        yield f"    loud: {one.path}: {one.symbol}: {one.rule}: {one.message}"
    reasons = Counter(of.reason(bug) for bug in score.missed)
    for reason, count in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"  {count:5} missed: {reason}"
    for old in of.measured[-1:]:
        yield (
            f"  on {old.day}, commit {old.commit}: {old.found} of {old.expected}, "
            f"{old.loud} of {old.innocent} innocent places loud"
        )
    beyond = Counter(bug.kind for bug in score.beyond)
    for kind, count in sorted(beyond.items()):
        yield f"  {count:5} out of subject: {kind}: {of.out_of_subject[kind]}"
    for bug in sorted(score.missed) if listed else ():
        yield f"    missed: {bug.path}:{bug.function}: {bug.kind}"
    for bug in sorted(score.found) if listed else ():
        yield f"    found: {bug.path}:{bug.function}: {bug.kind}"


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Run peers' own tests from a clone.")
    parser.add_argument("names", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)}; all without any")
    parser.add_argument("--clones", type=Path, required=True, help="a folder of bare clones")
    parser.add_argument("--certainty", default="likely", choices=("certain", "likely", "possible"))
    parser.add_argument("--list", action="store_true", help="every bug")
    arguments = parser.parse_args(given)
    for name in arguments.names or PEERS:
        if name not in PEERS:
            parser.error(f"there is no peer {name}; there are {', '.join(PEERS)}")
        try:
            for line in table(*run(name, arguments.clones.resolve(), arguments.certainty), arguments.list):
                print(line, flush=True)
        except (PeerError, FetchError) as error:
            print(error, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
