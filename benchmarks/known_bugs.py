"""How many bugs that history fixed are found, and are gone once fixed.

    python benchmarks/known_bugs.py --repositories DIR [--releases DIR] [--list L]... [--family F]... [--id ID]...
                                    [--depth N] [--write DIR] [--jobs N] [--record]
    python benchmarks/known_bugs.py --import DIR

`benchmarks/known_bugs/*.toml` refers to public repairs: repository, files, the commit before and the one that fixed
it; nothing of their code is kept here. DIR holds bare clones, `owner+name` or `owner/name`; what refers to releases
of LLVM is read from those that `corpora.py` fetches, in the folder of `--releases`. Both sides are written (below
`--write`, or a folder that goes away) with the project's own headers and modules that they include, `--depth` levels
deep, and checked; only the named files are reported on. Who runs the linter has the whole project there; where what
a finding rests on is in a file that none of these include, the entry names it (`also`).

A bug is caught when a finding of a rule that tells its family has its line, or a step, in the named function or at
most three lines from a named one; and is gone on the fixed side. Each miss has a cause: `outcome` and `reason` of its
entry; of a list that is called `...-unread`, which stays unread so that it can measure, only the totals are printed.
The program fails when an entry that is written down as found is missed, or is found by none of its `rules`.
`--record` writes the rules that found an entry into it. `--import` makes the entries from lists in JSON, and keeps
what is written down already.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from corpora import FetchError, bare_clone, default_folder

HERE = Path(__file__).resolve().parent / "known_bugs"
FAMILIES = HERE / "families.toml"
UNREAD = "-unread"
"""How a list's name ends whose entries nobody reads: what is found of it is no example to learn from."""
NEAR = 3
"""Lines around a named one that still tell the bug."""
SURE = ("certain", "likely")
"""The default certainty."""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_FIELDS = (
    "id",
    "language",
    "repository",
    "paths",
    "also",
    "before",
    "fixed",
    "fixed_path",
    "where",
    "near",
    "family",
    "why",
)


class NotHereError(Exception):
    """A repository, a commit or a file of it cannot be had."""


@dataclass(frozen=True)
class Bug:
    """`near` and `where` are of the side before the repair; `fixed` is empty while no repair is known. `also`: files
    that hold what the finding rests on, written with what they include and not reported on. `user` is false for a bug
    of a binding that its Python users only met: silence is right there. `rules` are those that found it when it was
    last recorded; none where that was never done."""

    id: str
    language: str
    repository: str
    paths: tuple[str, ...]
    before: str
    fixed: str
    family: str
    fixed_path: str = ""
    where: str = ""
    near: tuple[str, ...] = ()
    why: str = ""
    also: tuple[str, ...] = ()
    user: bool = True
    outcome: str = ""
    reason: str = ""
    rules: tuple[str, ...] = ()

    def found_by(self, families: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
        """The rules that its finding counts for: those recorded, else that of its family where it has only one."""
        if self.outcome != "found":
            return ()
        family = families[self.family]
        return self.rules or (tuple(family) if len(family) == 1 else ())


@dataclass
class Verdict:
    """What happened to one bug, at one certainty. `caught` names the rules; `loud` those that are so on both sides."""

    bug: Bug
    missing: str = ""
    caught: list[str] = field(default_factory=list)
    loud: list[str] = field(default_factory=list)
    other: int = 0

    @property
    def outcome(self) -> str:
        if self.missing:
            return "not available here"
        return "found" if self.caught else "found on both sides" if self.loud else "missed"


# --- entries --------------------------------------------------------------------------------------


def read_bugs(folder: Path) -> list[tuple[str, Bug]]:
    """The name of the list, and each of its entries, in order."""
    bugs: list[tuple[str, Bug]] = []
    for path in sorted(folder.glob("*.toml")):
        for told in tomllib.loads(path.read_text(encoding="utf-8")).get("bug", []):
            lists = {key: tuple(told.get(key, ())) for key in ("paths", "near", "also", "rules")}
            bugs.append((path.stem, Bug(**(told | lists))))
    return bugs


def read_families(path: Path) -> dict[str, frozenset[str]]:
    """The rules that tell each family's bug; none for what no rule is about."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))["family"]
    return {name: frozenset(rules) for name, rules in told.items()}


def entry(told: dict[str, Any], known: Bug | None) -> str:
    """One entry as TOML, of a record of a list in JSON; what is written down of it already is kept."""
    fields = {key: told[key] for key in _FIELDS if told.get(key)}
    if not told.get("is_user_bug", True):
        fields["user"] = False
    fields |= {"fixed": told.get("fixed") or "", "outcome": "", "reason": ""}
    if known:
        fields |= {"outcome": known.outcome, "reason": known.reason}
        fields |= {key: list(told) for key in ("also", "rules") if (told := getattr(known, key))}
    # JSON's strings, lists of strings and booleans are TOML's, too.
    return "[[bug]]\n" + "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())


def record(name: str, verdict: Verdict) -> None:
    """Writes into its list which rules found the bug."""
    path = HERE / f"{name}.toml"
    before, opening, rest = path.read_text(encoding="utf-8").partition(f"[[bug]]\nid = {json.dumps(verdict.bug.id)}\n")
    own, end, after = rest.partition("\n\n")
    lines = [line for line in own.splitlines() if not line.startswith("rules = ")]
    lines.append(f"rules = {json.dumps(sorted(set(verdict.caught)))}")
    told = "\n".join(lines) + ("" if end else "\n")
    path.write_text(before + opening + told + end + after, encoding="utf-8")


def import_lists(lists: Path, to: Path) -> None:
    known = {(name, bug.id): bug for name, bug in read_bugs(to)}
    for path in sorted(lists.glob("*.json")):
        records = json.loads(path.read_text(encoding="utf-8"))
        entries = [entry(one, known.get((path.stem, one["id"]))) for one in records]
        (to / f"{path.stem}.toml").write_text("\n".join(entries), encoding="utf-8")


# --- both sides -----------------------------------------------------------------------------------


class Clone:
    """A bare clone, read without a work tree."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._trees: dict[str, list[str]] = {}

    def file(self, commit: str, path: str) -> bytes:
        return self._git("show", f"{commit}:{path}")

    def tree(self, commit: str) -> list[str]:
        """The paths of all files of a commit."""
        if commit not in self._trees:
            self._trees[commit] = self._git("ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0")[:-1]
        return self._trees[commit]

    def _git(self, *arguments: str) -> bytes:
        command = ["git", "-c", "safe.directory=*", "--git-dir", str(self._place), *arguments]
        ran = subprocess.run(command, capture_output=True, check=False)
        if ran.returncode:
            raise NotHereError(ran.stderr.decode(errors="replace").strip().splitlines()[-1][:120])
        return ran.stdout


class Releases:
    """The releases that stand for commits where a repository is too large to be cloned, unpacked as corpora.py does."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def file(self, commit: str, path: str) -> bytes:
        return (self._folder(commit) / path).read_bytes()

    def tree(self, commit: str) -> list[str]:
        folder = self._folder(commit)
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

    def _folder(self, commit: str) -> Path:
        folder = self._place / f"mlir-{commit.removeprefix('llvmorg-')}"
        if not folder.is_dir():
            raise NotHereError(f"no {folder.name}")
        return folder


@dataclass(frozen=True)
class Places:
    """Where repositories are: bare clones, and releases."""

    repositories: Path
    releases: Path

    def source(self, bug: Bug) -> Clone | Releases:
        if bug.before.startswith("llvmorg-"):
            return Releases(self.releases)
        try:
            return Clone(bare_clone(self.repositories, bug.repository))
        except FetchError as error:
            raise NotHereError(str(error)) from error


def included(text: str) -> list[str]:
    return _INCLUDE.findall(text)


def resolve(name: str, includer: str, tree: Sequence[str]) -> str:
    """The file of the tree that an `#include` means: beside its includer, else the one that ends like it and shares
    most folders with the includer; empty for what is not the project's (`<vector>`)."""
    beside = str(PurePosixPath(includer).parent / name)
    known = set(tree) if len(tree) < 64 else None
    if beside in (known or tree):
        return beside
    own = PurePosixPath(includer).parts
    fitting = [path for path in tree if path == name or path.endswith("/" + name)]
    if "/" not in name and includer.count("/") > 0:  # a bare name fits too many places elsewhere
        fitting = [path for path in fitting if PurePosixPath(path).parts[0] == own[0]]
    if not fitting and name.count("/") > 1:  # the project's root may stand in a folder of the build, named by includes
        return resolve(name.partition("/")[2], includer, tree)
    return max(fitting, key=lambda path: (_shared(PurePosixPath(path).parts, own), -len(path), path), default="")


def imported(text: str, importer: str, tree: Sequence[str]) -> list[str]:
    """The project's own modules that a file imports, in order; nothing for a file that does not parse."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return []
    own = PurePosixPath(importer).parts
    found: set[str] = set()
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name.replace(".", "/") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").replace(".", "/")
            base = "/".join(part for part in (*own[: len(own) - node.level], module) if part) if node.level else module
            names = [base, *(f"{base}/{alias.name}" for alias in node.names)]
        for name in names:
            ends = (f"{name}.py", f"{name}/__init__.py")
            fitting = [path for path in tree if path in ends or path.endswith(tuple(f"/{end}" for end in ends))]
            if fitting:
                found.add(max(fitting, key=lambda path: (_shared(PurePosixPath(path).parts, own), -len(path), path)))
    return sorted(found - {importer})


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def needed(text: str, path: str, tree: Sequence[str]) -> list[str]:
    """What a file includes or imports of its own project."""
    if path.endswith((".py", ".pyi")):
        return imported(text, path, tree)
    return [found for name in included(text) if (found := resolve(name, path, tree))]


def lay_out(clone: Clone | Releases, commit: str, paths: Iterable[str], depth: int, to: Path) -> None:
    """Writes the files, and what they include of the same commit."""
    tree = clone.tree(commit)
    wanted, done = list(paths), set[str]()
    for level in range(depth + 1):
        following: list[str] = []
        for path in wanted:
            if path in done:
                continue
            done.add(path)
            content = clone.file(commit, path)
            place = to / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            if level < depth:
                following += needed(content.decode(errors="replace"), path, tree)
        wanted = following


def sides(bug: Bug) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Name, commit and paths of each side."""
    yield "before", bug.before, bug.paths
    if bug.fixed:
        yield "fixed", bug.fixed, (bug.fixed_path, *bug.paths[1:]) if bug.fixed_path else bug.paths


def check(folder: Path, paths: Sequence[str]) -> list[dict[str, Any]]:
    """All findings in those of the paths that are there, `possible` ones included."""
    there = [path for path in paths if (folder / path).is_file()]
    # Else the project would be the folder of the path alone, and nobody would read what lies beside it.
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return reported(folder, "--no-cache", "-j1", "--certainty", "possible", "--", *there)


def reported(folder: Path, *options: str) -> list[dict[str, Any]]:
    """What a check of every rule in that folder finds."""
    command = [sys.executable, "-m", "ownlint", "check", "--isolated", "--exit-zero", "-q", "--output-format", "json"]
    command += ["--suite", "audit"]
    ran = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{folder.name}: {ran.stderr.strip()}")
    findings: list[dict[str, Any]] = json.loads(ran.stdout)["findings"]
    return findings


# --- what counts ----------------------------------------------------------------------------------


def names_in(where: str) -> frozenset[str]:
    """The functions that an entry names, by their last names: `A::B::get (lambda)` names `get`; `~A` stays so."""
    plain = re.sub(r"\([^()]*\)", " ", re.sub(r"<[^<>]*>", "", where))
    found = (re.findall(r"~?[A-Za-z_]\w*", part) for part in re.split(r"[/,\s{}&]+", plain))
    return frozenset(words[-1] for words in found if words) - {"lambda", "ctor", "copy"}


def tells(finding: dict[str, Any], bug: Bug, rules: frozenset[str]) -> bool:
    """Whether a finding on the side before is that bug: its rule, and its place or a step's."""
    if finding["rule"] not in rules:
        return False
    if re.split(r"::|\.", finding["symbol"])[-1] in names_in(bug.where):
        return True
    if not bug.where and not bug.near:  # the whole file is the place
        return finding["path"] in bug.paths
    named = [(file, int(line)) for file, _, line in (one.rpartition(":") for one in bug.near)]
    places = [(finding["path"], finding["line"]), *((step["path"], step["line"]) for step in finding["steps"])]
    return any(
        PurePosixPath(path).name == file and abs(line - number) <= NEAR
        for path, line in places
        for file, number in named
    )


def identity(finding: dict[str, Any]) -> tuple[str, str, str]:
    """What stays of a finding when lines move: a repair that leaves it has not made it go."""
    return finding["rule"], finding["symbol"], finding["message"]


def judge(bug: Bug, rules: frozenset[str], before: list[dict[str, Any]], fixed: list[dict[str, Any]]) -> Verdict:
    """Of the findings that tell the bug, which are gone on the fixed side; one of several alike, if fewer are."""
    verdict = Verdict(bug)
    were, are = Counter(map(identity, before)), Counter(map(identity, fixed))
    for finding in before:
        if not tells(finding, bug, rules):
            verdict.other += 1
        elif are[identity(finding)] < were[identity(finding)]:
            verdict.caught.append(finding["rule"])
        else:
            verdict.loud.append(finding["rule"])
    return verdict


def sure(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in findings if one["certainty"] in SURE]


def examine(bug: Bug, rules: frozenset[str], places: Places, depth: int, to: Path) -> tuple[Verdict, Verdict]:
    """At the default certainty, and with what is `possible`."""
    found: dict[str, list[dict[str, Any]]] = {"fixed": []}
    try:
        clone = places.source(bug)
        for side, commit, paths in sides(bug):
            folder = to / bug.id / side
            # A path that the repair adds or removes is on one side only.
            tree = set(clone.tree(commit))
            there = [path for path in paths if path in tree]
            if not there:
                raise NotHereError(f"none of its files in {commit}")
            lay_out(clone, commit, [*there, *(path for path in bug.also if path in tree)], depth, folder)
            found[side] = check(folder, there)
    except NotHereError as error:
        return Verdict(bug, missing=str(error)), Verdict(bug, missing=str(error))
    return (
        judge(bug, rules, sure(found["before"]), sure(found["fixed"])),
        judge(bug, rules, found["before"], found["fixed"]),
    )


# --- the table ------------------------------------------------------------------------------------


def ratio(part: int, whole: int) -> str:
    return f"{part:3} of {whole:3} ({part / whole:4.0%})" if whole else "none"


def table(judged: Sequence[tuple[str, Verdict, Verdict]]) -> Iterator[str]:
    """Recall by list and by family, of the bugs that could be had and are their user's."""
    had = [one for one in judged if not one[1].missing and one[1].bug.user]
    for kind in ("list", "family"):
        groups: dict[str, list[tuple[Verdict, Verdict]]] = {}
        for name, default, possible in had:
            groups.setdefault(name if kind == "list" else default.bug.family, []).append((default, possible))
        yield f"by {kind:54} default             possible"
        for group, rows in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            counts = [sum(row[side].outcome == "found" for row in rows) for side in (0, 1)]
            yield f"  {group:54} {ratio(counts[0], len(rows))}  {ratio(counts[1], len(rows))}"
    counts = [sum(row[side].outcome == "found" for row in had) for side in (1, 2)]
    yield f"all{'':55}{ratio(counts[0], len(had))}  {ratio(counts[1], len(had))}"
    both = sum(row[1].outcome == "found on both sides" for row in had)
    other = sum(row[1].other for row in had)
    yield f"told on both sides: {both}; about something else on the same files: {other}"
    yield f"not here, or not the user's: {len(judged) - len(had)}"
    causes = Counter(
        row[1].bug.reason.split(":")[0] or "(not written down)"
        for row in had
        if row[1].outcome != "found" and not row[0].endswith(UNREAD)
    )
    yield "causes of what is missed:"
    yield from (f"  {count:3} {cause}" for cause, count in sorted(causes.items(), key=lambda item: (-item[1], item[0])))


def lost(judged: Iterable[tuple[str, Verdict, Verdict]]) -> list[Verdict]:
    """What is written down as found, at either certainty, and is not."""
    recorded = {"found": 1, "found as possible": 2}
    return [row[1] for row in judged if (side := recorded.get(row[1].bug.outcome)) and row[side].outcome != "found"]


def changed_hands(judged: Iterable[tuple[str, Verdict, Verdict]]) -> list[Verdict]:
    """What is found, but by none of the rules that are written down."""
    return [one for _, one, _ in judged if one.caught and one.bug.rules and not {*one.caught} & {*one.bug.rules}]


def main() -> int:
    parser = argparse.ArgumentParser(description="Recall on bugs that history fixed.")
    parser.add_argument("--repositories", type=Path, help="a folder of bare clones")
    parser.add_argument("--releases", type=Path, default=default_folder(), help="where corpora.py has unpacked")
    parser.add_argument("--list", action="append", default=[])
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--id", action="append", default=[])
    parser.add_argument("--depth", type=int, default=1, help="levels of headers that are written with the files")
    parser.add_argument("--write", type=Path, help="keep both sides there")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write into each entry that is found by which rules")
    parser.add_argument("--import", dest="lists", type=Path, help="make the entries from a folder of lists in JSON")
    given = parser.parse_args()
    if given.lists:
        import_lists(given.lists, HERE)
        return 0
    if not given.repositories:
        parser.error("--repositories is needed")
    families = read_families(FAMILIES)
    places = Places(given.repositories, given.releases)
    chosen = [
        (name, bug)
        for name, bug in read_bugs(HERE)
        if (not given.list or name in given.list)
        and (not given.family or bug.family in given.family)
        and (not given.id or bug.id in given.id)
    ]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(given.jobs) as pool:
        to = (given.write or Path(scratch)).resolve()

        def one(row: tuple[str, Bug]) -> tuple[str, Verdict, Verdict]:
            name, bug = row
            both = examine(bug, families[bug.family], places, given.depth, to / name)
            return name, *both

        judged = []
        for row in pool.map(one, chosen):
            judged.append(row)
            name, default, possible = row
            if given.record and default.bug.outcome == "found" and default.caught:
                record(name, default)
            rules = sorted({*possible.caught, *possible.loud})
            if name.endswith(UNREAD) and not given.id:
                continue
            print(
                f"{name}/{default.bug.id}: {default.outcome}; with possible: {possible.outcome} "
                f"{' '.join(rules)}{default.missing}",
                flush=True,
            )
    print("\n".join(table(judged)))
    missed = lost(judged)
    for verdict in missed:
        print(f"written down as found, and missed: {verdict.bug.id}", file=sys.stderr)
    others = [] if given.record else changed_hands(judged)
    for verdict in others:
        rules = ", ".join(verdict.bug.rules)
        print(f"written down as found by {rules}: {verdict.bug.id}: {', '.join(verdict.caught)}", file=sys.stderr)
    return 1 if missed or others else 0


if __name__ == "__main__":
    sys.exit(main())
