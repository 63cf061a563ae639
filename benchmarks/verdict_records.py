"""What was judged of findings on public releases, as data: `benchmarks/verdicts/*.toml`, one file a round of reading.

A round has a name, the day, and how it was read; the releases that it read, with their sizes; verdicts; and notes in
prose on what is not one finding. A verdict is of one release and one rule, with the fact that decides it, and holds
for all places that it names:

    [[verdict]]
    release = "leveldb-1.23"
    rule = "copyable-owner"
    verdict = "true"
    reason = "the destructor deletes, nothing forbids the copy"
    places = [
      {path = "db/table_cache.h", line = 25, function = "leveldb::TableCache", fingerprint = "57e71bdbcbb384cd"},
    ]

Where the places were never listed, `where` says in words which they are, and `count` how many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Literal

import msgspec

from ownlint import toml

FOLDER = Path(__file__).parent / "verdicts"
Judged = Literal["true", "doubtful", "false"]
VERDICTS: tuple[Judged, ...] = ("true", "doubtful", "false")
Certainty = Literal["certain", "likely", "possible"]


class VerdictError(Exception):
    """A file of verdicts that cannot be read; the text is one line with the file, and the line where it is known."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Place(_Strict, frozen=True, kw_only=True):
    """Where a finding stands in its release: the path from the release's folder, the line of that release, counted
    from 1, and, where they are known, the function and the report's fingerprint (empty otherwise). Two findings of one
    rule on one line are two places with unlike fingerprints. `certainty` is the one it was read at; empty stands for
    the round's. `unassuming` says of a finding that was not certain that it assumed nothing: its rule had been
    too often wrong."""

    path: str
    line: int
    function: str = ""
    fingerprint: str = ""
    certainty: Certainty | Literal[""] = ""
    unassuming: bool = False


class Verdict(_Strict, frozen=True, kw_only=True):
    """`gone` are findings that were mended before the round ended, or that another build of its day had: a later run
    need not have them. `earlier` is what older rounds said of the same places, where the words were others. `again` is
    what holds of a finding whose message was wrong and has been rewritten; the round keeps what it judged."""

    release: str
    rule: str
    verdict: Judged
    reason: str
    again: Judged | Literal[""] = ""
    places: tuple[Place, ...] = ()
    where: str = ""
    count: int = 0
    gone: bool = False
    earlier: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        return len(self.places) or self.count

    @property
    def today(self) -> Judged:
        """What holds of the finding as it is worded now."""
        return self.again or self.verdict


class Release(_Strict, frozen=True, kw_only=True):
    """One that a round read. Lines are of C and C++, and of Python; 0 where nobody counted. `commit` and `repository`
    name what is no archive of a package index."""

    name: str
    cpp_lines: int = 0
    python_lines: int = 0
    python_files: int = 0
    findings: int = 0
    commit: str = ""
    repository: str = ""


class Note(_Strict, frozen=True, kw_only=True):
    """What a round said in prose; about a rule, or with an empty one about all."""

    rule: str = ""
    text: str


class Round(_Strict, frozen=True, kw_only=True):
    """One file. `certainty` is the least sure that was read. Of a round that is not `counted`, places were picked and
    not all were read: its verdicts guard the rules, and no rate comes from it. The projects of a `popular` round were
    chosen for how many people use them."""

    title: str
    day: date
    about: str
    certainty: Certainty = "likely"
    counted: bool = True
    popular: bool = False
    release: tuple[Release, ...] = ()
    verdict: tuple[Verdict, ...] = ()
    note: tuple[Note, ...] = ()


def read(path: Path) -> Round:
    """Raises `VerdictError`: for what is no TOML, an unknown key, a verdict without any place, and a place that is
    judged twice for the same rule."""
    text = path.read_text(encoding="utf-8")
    try:
        found = msgspec.convert(toml.parse(text), Round)
    except toml.TomlError as error:
        raise VerdictError(f"{path}:{error.line}: {error.message}") from None
    except msgspec.ValidationError as error:
        raise VerdictError(f"{path}:{_line(text, str(error))}: {error}") from None
    seen: set[tuple[str, str, str, int, str]] = set()
    for number, verdict in enumerate(found.verdict):
        if not verdict.places and not verdict.where:
            at = f"{path}:{_line(text, f'$.verdict[{number}]')}"
            raise VerdictError(f"{at}: the verdict has neither `places` nor `where`")
        for place in verdict.places:
            key = (verdict.release, verdict.rule, place.path, place.line, place.fingerprint)
            if key in seen:
                at = f"{path}:{_line(text, f'$.verdict[{number}]')}"
                raise VerdictError(f"{at}: {place.path}:{place.line} is judged twice for {verdict.rule}")
            seen.add(key)
    return found


def _line(text: str, message: str) -> int:
    """Of the table that a message names as `$.verdict[3]`; 1 where it names none."""
    named = re.search(r"\$\.(verdict|release|note)\[(\d+)\]", message)
    if named is None:
        return 1
    starts = [at.start() for at in re.finditer(rf"^\[\[{named[1]}\]\]", text, re.MULTILINE)]
    number = int(named[2])
    return text.count("\n", 0, starts[number]) + 1 if number < len(starts) else 1


def read_all(folder: Path = FOLDER) -> dict[str, Round]:
    """Every round by the name of its file, sorted."""
    return {path.stem: read(path) for path in sorted(folder.glob("*.toml"))}


def at_first_contact(rounds: Mapping[str, Round]) -> dict[str, Round]:
    """Those whose releases had not been shown to any rule, and from which rates are taken."""
    return {name: each for name, each in rounds.items() if name.startswith("first-contact") and each.counted}


def judged(rounds: Mapping[str, Round]) -> Iterator[tuple[Round, Verdict]]:
    for each in rounds.values():
        for verdict in each.verdict:
            yield each, verdict
