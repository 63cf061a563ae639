"""What changed since a revision: which lines of which files, and what those files said before.

Git is asked, see `ownlint.sources.git`. Names come as bytes and are never read as options or patterns.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ownlint.facts.digest import digest_of
from ownlint.facts.errors import RefusalError
from ownlint.sources.discover import Source, Stamp, is_source, language_of
from ownlint.sources.git import Answer, Git, GitError

_MOST_BYTES = 8 << 20
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


class ChangesError(RefusalError):
    """The revision cannot be compared with; the text is one line."""


class Change(msgspec.Struct, frozen=True):
    """One file that differs. `path` is below the root, empty when the file is gone; `old` is what it was called then,
    empty when it is new. `lines` are the changed ranges as the file is now, from 1, both ends included."""

    path: str
    old: str
    blob: str = ""
    lines: tuple[tuple[int, int], ...] = ()


class Changes(msgspec.Struct, frozen=True):
    """What changed since `base`, a commit: the one from which the revision and the work tree went their ways."""

    base: str
    files: tuple[Change, ...] = ()

    @property
    def lines(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """The changed lines of each file that is there."""
        return {change.path: change.lines for change in self.files if change.path}


_EVERY_LINE = ((1, 1 << 31),)


def since(root: Path, revision: str) -> Changes:
    """How the files below `root` differ from the revision, or from where the work tree went its own way from it.
    Raises `ChangesError`."""
    git = _Git(root)
    base = git.commit(revision)
    compared = git.compare("--raw", "-z", "--no-abbrev", base, "--", ".")
    entries = list(_raw(compared))
    hunks = _hunks(git.compare("--unified=0", base, "--", "."), len(entries))
    found = [
        Change(path, old, blob if old else "", lines if old else _EVERY_LINE)
        for (path, old, blob), lines in zip(entries, hunks, strict=True)
    ]
    known = {change.path for change in found}
    untracked = git.run("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    new = {os.fsdecode(name) for name in untracked if name} - known
    found += [Change(path, "", "", _EVERY_LINE) for path in new]
    named = (change for change in found if _is_text(change.path) and _is_text(change.old))
    return Changes(base, tuple(sorted(named, key=lambda change: (change.path, change.old))))


@contextmanager
def as_before(root: Path, changes: Changes) -> Iterator[tuple[list[Source], list[str]]]:
    """The sources of the base that differ, as files of a folder of their own, each with the digest of its bytes. The
    folder is gone afterwards."""
    wanted = [change for change in changes.files if change.old and change.blob and is_source(change.old)]
    with tempfile.TemporaryDirectory(prefix="ownlint-base-") as folder:
        sources, held = [], []
        for number, (change, data) in enumerate(zip(wanted, _Git(root).blobs([c.blob for c in wanted]), strict=True)):
            place = Path(folder) / f"{number}{Path(change.old).suffix}"
            place.write_bytes(data)
            sources.append(Source(place, change.old, language_of(change.old), False, Stamp(0, 0, len(data), number)))
            held.append(digest_of(data))
        yield sources, held


def _is_text(path: str) -> bool:
    """Whether the name is UTF-8: a file of another name is no source of the project."""
    return path.isascii() or path.encode("utf-8", "replace").decode() == path


# --- what git says ------------------------------------------------------------------------------------

_MOST_AT_ONCE = 64 << 20


class _Git:
    """The same, with its answers turned into what a comparison needs or a `ChangesError`."""

    def __init__(self, root: Path) -> None:
        try:
            self._git = Git(root)
        except GitError as error:
            raise ChangesError(f"--diff-base: git {error}") from None
        done = self.ask("rev-parse", "--is-inside-work-tree")
        if done.code or done.out.strip() != b"true":
            raise ChangesError(f"--diff-base: {root} is in no git repository{_because(done)}")

    def ask(self, *arguments: str, given: bytes = b"") -> Answer:
        try:
            return self._git.ask(*arguments, given=given)
        except GitError as error:
            raise ChangesError(f"--diff-base: git {error}") from None

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self.ask(*arguments, given=given)
        if done.code:
            raise ChangesError(f"--diff-base: git {arguments[0]} failed{_because(done)}")
        return done.out

    def compare(self, *arguments: str) -> bytes:
        try:
            done = self._git.compare(*arguments)
            if done.code and self._git.is_partial():
                raise ChangesError(f"--diff-base: {_PARTIAL}")
        except GitError as error:
            raise ChangesError(f"--diff-base: git {error}") from None
        if done.code:
            raise ChangesError(f"--diff-base: git diff failed{_because(done)}")
        return done.out

    def commit(self, revision: str) -> str:
        """The commit to compare with."""
        if not revision or "\0" in revision or "\n" in revision:
            raise ChangesError(f"--diff-base: {revision!r} names no commit")
        done = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        named = os.fsdecode(done.out).strip()
        if done.code or not named:
            shallow = self.ask("rev-parse", "--is-shallow-repository").out.strip() == b"true"
            hint = "; the clone is shallow: fetch more of its history" if shallow else ""
            raise ChangesError(f"--diff-base: `{revision}` names no commit{hint}")
        forked = self.ask("merge-base", named, "HEAD")
        return os.fsdecode(forked.out).strip() or named

    def blobs(self, names: Sequence[str]) -> Iterator[bytes]:
        """Their contents, in order; empty where one is larger than a source can be. Raises `ChangesError` for one that
        is not there."""
        sizes = self._sizes(names)
        group: list[str] = []
        total = 0
        for name in names:
            size = min(sizes[name], _MOST_BYTES)
            if group and total + size > _MOST_AT_ONCE:
                yield from self._contents(group, sizes)
                group, total = [], 0
            group.append(name)
            total += size
        yield from self._contents(group, sizes)

    def _sizes(self, names: Sequence[str]) -> dict[str, int]:
        sizes = {}
        done = self.ask("cat-file", "--batch-check", given="".join(f"{name}\n" for name in names).encode())
        lines = done.out.splitlines()
        for name, line in zip(names, [*lines, *[b""] * (len(names) - len(lines))], strict=True):
            words = line.split()
            if len(words) != 3 or words[1] != b"blob":
                raise ChangesError(f"--diff-base: {self._missing(name)}")
            sizes[name] = int(words[2])
        return sizes

    def _missing(self, name: str) -> str:
        try:
            return _PARTIAL if self._git.is_partial() else f"git has no object {name}"
        except GitError as error:
            return f"git {error}"

    def _contents(self, names: Sequence[str], sizes: Mapping[str, int]) -> Iterator[bytes]:
        wanted = [name for name in names if sizes[name] <= _MOST_BYTES]
        data = self.run("cat-file", "--batch", given="".join(f"{name}\n" for name in wanted).encode())
        at = 0
        for name in names:
            if sizes[name] > _MOST_BYTES:
                yield b""
                continue
            start = data.find(b"\n", at) + 1
            at = start + sizes[name] + 1
            yield data[start : at - 1]


_PARTIAL = "the clone is partial and lacks files of that revision, which are not available: nothing is fetched"


def _because(done: Answer) -> str:
    return f": {done.complaint}" if done.complaint else ""


def _raw(output: bytes) -> Iterator[tuple[str, str, str]]:
    """New path, old path and old blob of each entry of `git diff --raw -z`. Raises `ChangesError` when it is no such
    output: a git that was stopped may say half of it."""
    fields = iter(output.split(b"\0"))
    for field in fields:
        if not field:
            continue
        words = [os.fsdecode(word) for word in field.split()]
        if len(words) < 5:
            raise ChangesError("--diff-base: what git diff lists cannot be read")
        status, blob = words[4][:1], words[2]
        path, renamed = _name(fields), _name(fields) if status in ("R", "C") else ""
        match status:
            case "R" | "C":
                yield renamed, path, blob
            case "A":
                yield path, "", ""
            case "D":
                yield "", path, blob
            case "U":
                yield path, "", ""
            case _:
                yield path, path, blob


def _name(fields: Iterator[bytes]) -> str:
    found = next(fields, b"")
    if not found:
        raise ChangesError("--diff-base: what git diff lists has an end without a name")
    return os.fsdecode(found)


def _hunks(output: bytes, count: int) -> Iterable[tuple[tuple[int, int], ...]]:
    """The changed lines of each file, in the order of the raw entries: both come from one list. Where that does not
    hold, as with a conflict, every line counts as changed."""
    sections: list[list[tuple[int, int]]] = []
    for line in output.split(b"\n"):
        if line.startswith((b"diff --git ", b"* Unmerged path ")):
            sections.append([])
        elif sections and line.startswith(b"@@ ") and (hunk := _HUNK.match(line)) is not None:
            first, size = int(hunk[1]), int(hunk[2]) if hunk[2] is not None else 1
            # Where lines are only gone, their neighbours on both sides touch the change.
            sections[-1].append((first, first + size - 1) if size else (max(first, 1), first + 1))
        elif sections and line.startswith(b"Binary files "):
            sections[-1].extend(_EVERY_LINE)
    if len(sections) != count:
        return [_EVERY_LINE] * count
    return [tuple(ranges) for ranges in sections]
