"""The review of a change that ownlint came from, asked of ownlint: what `seeds/review.toml` says, and what is found."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora import bare_clone
from known_bugs import reported

WHOLE = "whole change"
BASE = "base"
Found = dict[str, Any]
Said = Mapping[str, Sequence[Found]]
"""The findings on the whole change, on each commit against its parent, and on the base alone."""


@dataclass(frozen=True)
class Place:
    """Where a point is told: by one of these rules, in one of these files, in a function or class that is so named."""

    paths: tuple[str, ...]
    functions: tuple[str, ...]
    rules: tuple[str, ...]

    def holds(self, finding: Found) -> bool:
        named = last_name(finding["symbol"]) in self.functions and finding["path"] in self.paths
        return named and finding["rule"] in self.rules


@dataclass(frozen=True)
class Point:
    """`commits`: those whose own change has the point in it. `found`: it was, there and on the whole change, by the
    rules `told_by`."""

    id: str
    says: str
    places: tuple[Place, ...]
    commits: tuple[str, ...]
    found: bool
    told_by: tuple[str, ...] = ()

    def told(self, findings: Sequence[Found]) -> list[Found]:
        """The findings that tell it, the first of each place; none unless every place has one."""
        each = [next((one for one in findings if place.holds(one)), None) for place in self.places]
        return [] if None in each else [one for one in each if one]


@dataclass(frozen=True)
class Judged:
    """A finding that is no point of the review: `true`, `doubtful` or `false`, and the fact that decides it."""

    rule: str
    path: str
    function: str
    verdict: str
    fact: str

    def means(self, finding: Found) -> bool:
        return (self.rule, self.path, self.function) == (
            finding["rule"],
            finding["path"],
            last_name(finding["symbol"]),
        )


@dataclass(frozen=True)
class Review:
    title: str
    repository: str
    folders: tuple[str, ...]
    commits: tuple[str, ...]
    points: tuple[Point, ...]
    judged: tuple[Judged, ...]


def last_name(symbol: str) -> str:
    return re.split(r"::|\.", symbol)[-1]


def read_review(path: Path) -> Review:
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    points = tuple(
        Point(
            point["id"],
            point["says"],
            tuple(Place(**{key: tuple(names) for key, names in place.items()}) for place in point["place"]),
            tuple(point["commits"]),
            point["found"],
            tuple(point.get("told_by", ())) or tuple(dict.fromkeys(r for one in point["place"] for r in one["rules"])),
        )
        for point in told["point"]
    )
    return Review(
        told["title"],
        told["repository"],
        tuple(told["folders"]),
        tuple(told["commits"]),
        points,
        tuple(Judged(**one) for one in told.get("finding", ())),
    )


# --- the change -----------------------------------------------------------------------------------


def look(review: Review, repositories: Path, to: Path, jobs: int) -> dict[str, list[Found]]:
    """Every finding at the default certainty. Raises `FetchError` where there is no clone."""
    clone = bare_clone(repositories, review.repository).resolve()
    work = to / "change"
    work.mkdir()
    git(work, "init", "-q")
    for commit in review.commits:
        write(clone, commit, review.folders, work)
        git(work, "add", "-A", "-f")
        git(work, "commit", "-q", "--allow-empty", "-m", commit)
        git(work, "tag", commit)
    options = ("-j", str(jobs), "--cache-dir", str(to / "cache"))
    base, *later = review.commits
    said = {WHOLE: reported(work, ".", "--diff-base", base, *options)}
    for parent, commit in zip(review.commits, later, strict=False):
        git(work, "checkout", "-q", commit)
        said[commit] = reported(work, ".", "--diff-base", parent, *options)
    git(work, "checkout", "-q", base)
    paths = {path for point in review.points for place in point.places for path in place.paths}
    said[BASE] = reported(work, *options, "--", *sorted(path for path in paths if (work / path).is_file()))
    return said


def write(clone: Path, commit: str, folders: Sequence[str], work: Path) -> None:
    """Those folders of the commit in place of what the work tree has."""
    for folder in folders:
        shutil.rmtree(work / folder, ignore_errors=True)
    command = ["git", "-c", "safe.directory=*", "--git-dir", str(clone), "archive", "--format", "tar", commit, *folders]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as archive:
        assert archive.stdout
        with tarfile.open(fileobj=archive.stdout, mode="r|") as members:
            members.extractall(work, filter="data")
    if archive.returncode:
        raise RuntimeError(f"{commit} of {clone} cannot be read")


def git(work: Path, *arguments: str) -> None:
    settings = ["user.name=a", "user.email=a@b", "commit.gpgsign=false", "core.hooksPath=/dev/null", "gc.auto=0"]
    options = [part for setting in settings for part in ("-c", setting)]
    subprocess.run(["git", *options, *arguments], cwd=work, check=True, capture_output=True)


# --- the table ------------------------------------------------------------------------------------


def cell(point: Point, findings: Sequence[Found]) -> str:
    """At which certainty it is found: the least sure of its places."""
    told = point.told(findings)
    order = ("certain", "likely", "possible")
    return max((one["certainty"] for one in told), key=order.index) if told else "missed"


def stretches(review: Review, point: Point) -> list[str]:
    """Where the point is to be found."""
    return [WHOLE, *(commit for commit in review.commits[1:] if commit in point.commits)]


def lost(review: Review, said: Said) -> list[str]:
    """What the list says is found, and is not; or is not silent on the base."""
    return [
        f"{point.id}, {where}: written down as found, and missed"
        for point in review.points
        if point.found
        for where in stretches(review, point)
        if not point.told(said[where])
    ] + [f"{point.id}: told on the base, too" for point in review.points if point.told(said[BASE])]


def beside(review: Review, said: Said) -> list[tuple[Found, list[str], str, str]]:
    """Each finding that tells no point: on which stretches, its verdict, and the fact that decides it."""
    rows: dict[tuple[str, str, str], tuple[Found, list[str], str, str]] = {}
    for where, findings in said.items():
        for one in findings if where != BASE else ():
            if any(place.holds(one) for point in review.points for place in point.places):
                continue
            judged = next((each for each in review.judged if each.means(one)), None)
            row = (one, list[str](), judged.verdict if judged else "unjudged", judged.fact if judged else "")
            rows.setdefault((one["rule"], one["path"], one["symbol"]), row)[1].append(where)
    return [rows[key] for key in sorted(rows)]


def table(review: Review, said: Said) -> Iterator[str]:
    yield f"{review.title} ({review.repository}, {review.commits[0]}..{review.commits[-1]})"
    yield "".join(f"{head:<19}" for head in ("point", WHOLE, *review.commits[1:], "base")).rstrip()
    for point in review.points:
        due = stretches(review, point)
        cells = [cell(point, said[where]) if where in due else "-" for where in (WHOLE, *review.commits[1:])]
        loud = "told" if point.told(said[BASE]) else "silent"
        yield "".join(f"{text:<19}" for text in (point.id, *cells, loud)).rstrip()
        yield f"    {point.says}"
        for one in point.told(said[WHOLE]):
            yield f"    {one['rule']}: {Path(one['path']).name}:{one['line']} {last_name(one['symbol'])}"
        if not point.told(said[WHOLE]):
            for place in point.places:
                yield f"    expected: {', '.join(place.rules)} in {Path(place.paths[0]).name} {place.functions[0]}"
    count = sum(bool(point.told(said[WHOLE])) for point in review.points)
    everywhere = sum(all(point.told(said[where]) for where in stretches(review, point)) for point in review.points)
    yield f"{count} of {len(review.points)} found on the whole change, {everywhere} on each commit that has it, too"
    yield ""
    yield "what else is said about the change:"
    for one, where, verdict, fact in beside(review, said):
        yield f"  {verdict}: {one['rule']} ({one['certainty']}) {one['path']}:{one['line']} {last_name(one['symbol'])}"
        yield f"    {one['message']}; on {', '.join(where)}"
        if fact:
            yield f"    {fact}"
