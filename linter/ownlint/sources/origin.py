"""Which project a report is about, and at which state of it: what its own files and git say, never the clock.

The same tree gives the same answer, so that two reports of it are the same bytes: the date is that of the commit, or
the one that `SOURCE_DATE_EPOCH` gives, as for any reproducible build.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ownlint import door, toml
from ownlint.facts.errors import RefusalError
from ownlint.sources.git import Git, GitError

_EPOCH = "SOURCE_DATE_EPOCH"
_LAST = 253402300799
"""The end of the year 9999, in seconds: a date has no room for more."""
_MOST_BYTES = 1 << 20


class OriginError(RefusalError):
    """The environment gives no date; the text is one line."""


class Checkout(NamedTuple):
    """`commit` is the full hash of what is checked out; `changed` says that files which git tracks differ from it.
    `date` is a day, as 2026-01-31, in UTC. What is not known is empty; the project always has a name."""

    project: str
    commit: str = ""
    changed: bool = False
    date: str = ""


def origin_of(root: Path, environment: Mapping[str, str] = os.environ) -> Checkout:
    """Of the project in `root`. A tree that git does not know, or knows and does not track a file of, has no commit.
    Raises `OriginError`."""
    given = given_date(environment)
    seconds, commit, changed = _commit(root)
    return Checkout(_name(root), commit, changed, _day(seconds) if given is None else given)


def given_date(environment: Mapping[str, str] = os.environ) -> str | None:
    """What `SOURCE_DATE_EPOCH` says, None where it is not set or empty. Raises `OriginError` where it is no time."""
    said = environment.get(_EPOCH, "")
    if not said:
        return None
    seconds = _seconds(said)
    if seconds is None:
        raise OriginError(f"{_EPOCH}: {said} is not a number of seconds since 1970")
    return _day(seconds)


def _seconds(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_LAST))
    return int(text) if is_number and int(text) <= _LAST else None


def _day(seconds: int | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _commit(root: Path) -> tuple[int | None, str, bool]:
    """When it was made, its hash, and whether tracked files differ from it."""
    try:
        git = Git(root)
        if not git.ask("ls-files", "-z", "--", ".").out:
            return None, "", False  # the folder stands in the work tree of another project, which does not track it
        told = git.ask("rev-list", "--max-count=1", "--timestamp", "HEAD")
        seconds, _, commit = told.out.decode("ascii", "replace").strip().partition(" ")
        if told.code or not commit.isalnum():
            return None, "", False
        return _seconds(seconds), commit, git.compare("--quiet", "HEAD", "--", ".").code == 1
    except GitError:
        return None, "", False


def _name(root: Path) -> str:
    """What `pyproject.toml` calls it, else what its folder is called."""
    try:
        project = toml.parse(door.read(root / "pyproject.toml", _MOST_BYTES, within=root).decode()).get("project")
    except (door.UnreadableError, UnicodeDecodeError, toml.TomlError):
        project = None
    name = project.get("name") if isinstance(project, dict) else None
    return name if isinstance(name, str) and name.strip() else root.name or "/"
