"""Runs every snippet of `tests/truth` and holds what happens against the page, and against what ownlint says of it.

    python benchmarks/truth.py [--cache DIR] [--light | --bare] [--said | --run-only] [FAMILY ...]

Each environment of a page becomes a virtual environment below the cache folder, with the page's pinned requirements.
A snippet runs in a process of its own, where freed memory is poisoned and never waits in a cache, with a time limit.
Afterwards: a table for all families, and every disagreement. Exit code 1 when something ran otherwise than its page
says; with `--said` also when ownlint said otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from truth_pages import Expected, Names, Page, Truth, read

from ownlint import catalogue
from ownlint.finding import CERTAINTIES, Finding
from ownlint.rule import Rule
from ownlint.testing import cases
from ownlint.testing.markdown import SEVERE, PageBlock, PageError, PageMark

PAGES = Path(__file__).resolve().parent.parent / "tests/truth"
POISON = {
    "MALLOC_PERTURB_": "165",
    "PYTHONMALLOC": "malloc",  # Python's own objects are poisoned too
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",  # what waits in the thread's cache is not poisoned
    "PYTHONFAULTHANDLER": "1",
    "PYTHONHASHSEED": "0",
    "JAX_PLATFORMS": "cpu",
    "QT_QPA_PLATFORM": "offscreen",
}
LIMIT = 120.0
_ERROR = re.compile(r"^(?:[\w<>]+\.)*(?P<name>\w+)(?::|$)")


@dataclass(frozen=True, slots=True)
class Ran:
    """`outcome` is one of a page's, or `hangs`, or `broken` when the snippet cannot run here at all."""

    outcome: str
    error: str
    detail: str

    def __str__(self) -> str:
        return f"{self.outcome} ({self.error})" if self.error else self.outcome


@dataclass(slots=True)
class Tally:
    """What the table says of one family."""

    snippets: int = 0
    runs: int = 0
    as_told: int = 0
    said_as_told: int = 0
    dead_reported: int = 0
    dead_silent: int = 0
    fine_reported: int = 0
    fine_silent: int = 0
    disagreements: list[str] = field(default_factory=list)


# --- environments ---------------------------------------------------------------------------------


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ownlint-truth"


def interpreter(requirements: Names, cache: Path) -> str:
    """A Python that has the requirements; installed once. Without any, the one that runs."""
    if not requirements:
        return sys.executable
    key = hashlib.sha256("\n".join((platform.python_version(), *sorted(requirements))).encode()).hexdigest()[:12]
    place = cache / f"{requirements[0].replace('==', '-')}-{key}"
    python = place / "bin/python"
    done = place / "installed"
    if not done.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
        subprocess.run(install, check=True)
        done.touch()
    return str(python)


# --- running --------------------------------------------------------------------------------------


def run(truth: Truth, python: str, environment: str) -> Ran:
    """The first file of the case, in a folder with all of them. `OWNLINT_TRUTH` names the environment."""
    with tempfile.TemporaryDirectory(prefix="ownlint-truth-") as folder:
        for block in truth.case.blocks:
            place = Path(folder, block.name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, encoding="utf-8")
        environ = {**os.environ, **POISON, "OWNLINT_TRUTH": environment, "HOME": folder}
        environ.pop("PYTHONPATH", None)
        try:
            done = subprocess.run(
                [python, truth.case.blocks[0].name],
                cwd=folder,
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran("hangs", "", f"after {LIMIT:.0f} s")
    return classify(done.returncode, done.stderr.decode(errors="replace"))


def classify(code: int, errors: str) -> Ran:
    """A snippet's own `assert` speaks of poisoned data; what cannot be imported says nothing about ownership."""
    if code == 0:
        return Ran("fine", "", "")
    if code < 0:
        return Ran("crashes", signal.Signals(-code).name, "")
    told = errors.rpartition("Traceback (most recent call last):\n")[2]
    last = next((line for line in told.splitlines() if line and not line[0].isspace()), "")  # a message may have more
    match = _ERROR.match(last)
    error = match["name"] if match else ""
    if error == "AssertionError":
        return Ran("garbage", "", last)
    if error in ("ImportError", "ModuleNotFoundError", "SyntaxError", "NameError", ""):
        return Ran("broken", error, last or f"exit code {code}")
    return Ran("raises", error, last)


# --- what ownlint says ----------------------------------------------------------------------------


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in catalogue.load() if "python" in rule.languages)


def say(truth: Truth) -> tuple[Finding, ...]:
    """What is shown of the case by default."""
    least = CERTAINTIES.index("likely")
    found = cases.run(truth.case, rules())
    if found.crashes:
        raise RuntimeError(f"{truth.case.heading}: {found.crashes[0].rule} crashed: {found.crashes[0].error}")
    return tuple(finding for finding in found.findings if CERTAINTIES.index(finding.certainty) <= least)


def differences(truth: Truth, findings: Sequence[Finding]) -> Iterator[str]:
    """What was said and is not marked, or marked and not said. A mark names the rule, and speaks for all that this
    rule says at its line or leads through it: whether the origin is reported or the use is for the rule's own page."""
    rest = list(findings)
    blocks = {block.name: block for block in truth.case.blocks}
    for block in truth.case.blocks:
        for mark in (mark for mark in block.marks if mark.kind in SEVERE):
            here = [finding for finding in findings if _fits(finding, mark, block)]
            rest = [finding for finding in rest if finding not in here]
            if not here:
                yield f"line {block.line + mark.line - 1} expects {mark.kind} {mark.text}"
    for finding in rest:
        block = blocks[finding.path]
        line = block.line + cases.line_of(block, finding.span.start) - 1
        yield f"line {line} is reported: {finding.severity} {finding.rule}: {finding.message}"


def _fits(finding: Finding, mark: PageMark, block: PageBlock) -> bool:
    if finding.rule != mark.text or finding.severity != mark.kind:
        return False
    places = [(finding.path, finding.span), *((step.path, step.span) for step in finding.steps)]
    return any(path == block.name and cases.line_of(block, span.start) == mark.line for path, span in places)


# --- the table ------------------------------------------------------------------------------------


def hold(page: Page, pythons: dict[str, str], jobs: int, ask: bool) -> Tally:
    """Runs a page; the order of what is told is the page's, however many run at once."""
    tally = Tally()
    with ThreadPoolExecutor(jobs) as pool:
        runs = [
            (truth, {name: pool.submit(run, truth, pythons[name], name) for name in page.header.environments})
            for truth in page.truths
        ]
        for truth, waiting in runs:
            ran = {name: future.result() for name, future in waiting.items()}
            _count(tally, page, truth, ran, ask)
    return tally


def _count(tally: Tally, page: Page, truth: Truth, ran: dict[str, Ran], ask: bool) -> None:
    try:
        findings = say(truth) if ask else ()
        wrong = list(differences(truth, findings)) if ask else []
    except (RuntimeError, cases.CaseError) as error:
        findings, wrong = (), [str(error)]
    tally.snippets += 1
    tally.said_as_told += not wrong
    fine = all(one.outcome == "fine" for one in ran.values())
    tally.fine_reported += fine and bool(findings)
    tally.fine_silent += fine and not findings
    tally.dead_reported += not fine and bool(findings)
    tally.dead_silent += not fine and not findings
    otherwise = [
        _told(name, truth.expected[name], one)
        for name, one in ran.items()
        if not truth.expected[name].holds(one.outcome, one.error)
    ]
    tally.runs += len(ran)
    tally.as_told += len(ran) - len(otherwise)
    if otherwise or wrong:
        outcomes = ", ".join(f"{name} {one}" for name, one in ran.items())
        where = f"{page.family}.md:{truth.case.line}: {truth.case.heading}\n  ran: {outcomes}"
        tally.disagreements.append("\n".join([where, *(f"  {line}" for line in otherwise + wrong)]))


def _told(name: str, expected: Expected, ran: Ran) -> str:
    return f"{name}: expected {expected}, ran {ran}{f': {ran.detail}' if ran.detail else ''}"


def show(tallies: dict[str, Tally], ask: bool) -> None:
    heads: Names = ("snippets", "runs", "ran as told")
    if ask:
        heads += ("said as told", "dead+said", "dead+silent", "fine+said", "fine+silent")
    width = max(len("all"), *map(len, tallies))
    print(f"{'family':{width}}  " + "  ".join(heads))
    for family, one in tallies.items():
        _row(f"{family:{width}}", heads, _figures(one))
    if len(tallies) > 1:
        _row(f"{'all':{width}}", heads, [sum(column) for column in zip(*map(_figures, tallies.values()), strict=True)])


def _figures(one: Tally) -> list[int]:
    judged = [one.dead_reported, one.dead_silent, one.fine_reported, one.fine_silent]
    return [one.snippets, one.runs, one.as_told, one.said_as_told, *judged]


def _row(name: str, heads: Sequence[str], figures: Sequence[int]) -> None:
    print(f"{name}  " + "  ".join(f"{figure:{len(head)}}" for head, figure in zip(heads, figures, strict=False)))


def chosen(arguments: argparse.Namespace) -> list[Page]:
    pages = [read(path) for path in sorted(PAGES.glob("*.md")) if path.stem.islower()]
    if unknown := sorted(set(arguments.families) - {page.family for page in pages}):
        raise SystemExit(f"there is no page {', '.join(unknown)}")
    if arguments.families:
        pages = [page for page in pages if page.family in arguments.families]
    if arguments.light:
        pages = [page for page in pages if page.header.light]
    if arguments.bare:
        pages = [page for page in pages if not any(page.header.environments.values())]
    return pages


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold the pages of truth against what runs and what ownlint says.")
    parser.add_argument("families", nargs="*", help="pages of tests/truth; all without any")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where environments are installed")
    parser.add_argument("--light", action="store_true", help="only pages whose environments install in seconds")
    parser.add_argument("--bare", action="store_true", help="only pages that need nothing installed")
    parser.add_argument("--run-only", action="store_true", help="do not ask ownlint")
    parser.add_argument("--said", action="store_true", help="fail too where ownlint says otherwise than the page")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        pages = chosen(arguments)
    except PageError as error:
        raise SystemExit(str(error)) from None
    print(f"Python {platform.python_version()}, ownlint {version('ownlint')}, {' '.join(platform.libc_ver())}")
    tallies: dict[str, Tally] = {}
    for page in pages:
        pythons = {name: interpreter(needs, arguments.cache) for name, needs in page.header.environments.items()}
        told = "; ".join(f"{name}: {' '.join(needs) or 'nothing'}" for name, needs in page.header.environments.items())
        print(f"{page.family}: {told}", flush=True)
        tallies[page.family] = hold(page, pythons, arguments.jobs, not arguments.run_only)
    if not tallies:
        return 2
    print()
    show(tallies, not arguments.run_only)
    for tally in tallies.values():
        for text in tally.disagreements:
            print(f"\n{text}")
    ran_otherwise = any(one.as_told < one.runs for one in tallies.values())
    said_otherwise = any(one.said_as_told < one.snippets for one in tallies.values())
    return int(ran_otherwise or (arguments.said and said_otherwise))


if __name__ == "__main__":
    sys.exit(main())
