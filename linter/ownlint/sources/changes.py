"""What changed, since a revision or in what is staged: which lines of which files, and what those files said before.

Git is asked, see `ownlint.sources.git`. Names come as bytes and are never read as options or patterns.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from ownlint.facts.digest import digest_of
from ownlint.facts.errors import RefusalError
from ownlint.sources.discover import Source, Stamp, is_source, language_of
from ownlint.sources.git import Git, GitAnswer, GitError

_MOST_BYTES = 8 << 20
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_WORD = re.compile(rb"[A-Za-z_]\w*")

Ranges = tuple[tuple[int, int], ...]
"""Of lines, from 1, both ends included; in order."""


class ChangesError(RefusalError):
    """There is nothing to compare with; the text is one line, and does not name the option that asked."""


class Change(msgspec.Struct, frozen=True):
    """One file that differs. `path` is below the root, empty when the file is gone; `old` is what it was called then,
    empty when it is new. `lines` are the changed ranges as the file is now, from 1, both ends included, and `gone` the
    words of the lines that are there no longer, but for those of the lines that came, sorted."""

    path: str
    old: str
    blob: str = ""
    lines: Ranges = ()
    gone: tuple[str, ...] = ()


class Changes(msgspec.Struct, frozen=True):
    """What changed since `base`, a commit, or the empty tree where there is none yet. `note` says what else was
    compared than was asked for, a clause; empty where it was just that."""

    base: str
    files: tuple[Change, ...] = ()
    note: str = ""

    @property
    def lines(self) -> dict[str, Ranges]:
        """The changed lines of each file that is there."""
        return {change.path: change.lines for change in self.files if change.path}

    @property
    def judged(self) -> tuple[Change, ...]:
        """The files as those see them that judge: what is gone decides about what is shown alone."""
        return tuple(msgspec.structs.replace(change, gone=()) for change in self.files)

    @property
    def gone(self) -> dict[str, tuple[str, ...]]:
        """The words of the lines that each of them has lost."""
        return {change.path: change.gone for change in self.files if change.path and change.gone}


_EVERY_LINE = ((1, 1 << 31),)


def since(root: Path, revision: str) -> Changes:
    """How the files below `root` differ from where the work tree and the revision parted, their merge base.
    Raises `ChangesError`."""
    git = _Git(root)
    return _in_work_tree(git, git.commit(revision))


def staged(root: Path) -> Changes:
    """How what is staged below `root` differs from the last commit, as lines of the work tree, which is what is
    analysed. In a merge, a line is changed that differs from both sides. Where nothing at all is staged it is the work
    tree that is compared; where pre-commit looks at a range of commits, the work tree with the begin of that range.
    Raises `ChangesError`."""
    if revision := os.environ.get("PRE_COMMIT_FROM_REF"):
        return since(root, revision)
    git = _Git(root)
    base = git.last()
    if not git.compare("--cached", "--no-relative", "--name-only", "-z", base):
        return msgspec.structs.replace(
            _in_work_tree(git, base), note="nothing is staged: using all uncommitted changes"
        )
    found = [each.change for each in _compared(git, "--cached", base)]
    if other := git.merged():
        theirs = {each.change.path: each.change.lines for each in _compared(git, "--cached", other)}
        found = [_with_lines(change, _in_both(change.lines, theirs.get(change.path, ()))) for change in found]
    since_then = {each.change.old: each.hunks for each in _compared(git) if each.change.old}
    edited = [change.path for change in found if change.path in since_then]
    moved = [_with_lines(change, tuple(_moved(change.lines, since_then.get(change.path, ())))) for change in found]
    return _changes(base, moved, _edited(edited))


def _in_work_tree(git: _Git, base: str) -> Changes:
    """How the work tree differs from a commit or tree; what git does not know yet and does not leave out is new."""
    found = [each.change for each in _compared(git, base)]
    known = {change.path for change in found}
    untracked = git.run("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    new = {os.fsdecode(name) for name in untracked if name} - known
    return _changes(base, [*found, *(Change(path, "", "", _EVERY_LINE) for path in new)])


def _changes(base: str, found: Iterable[Change], note: str = "") -> Changes:
    named = (change for change in found if _is_text(change.path) and _is_text(change.old))
    return Changes(base, tuple(sorted(named, key=lambda change: (change.path, change.old))), note)


def _edited(paths: Iterable[str]) -> str:
    """What is said of files that are analysed as they are, which is not as they are staged."""
    sources = sorted(path for path in paths if is_source(path) and _is_text(path))
    if not sources:
        return ""
    more = f" and {len(sources) - 1} more differ" if len(sources) > 1 else " differs"
    return f"{sources[0]}{more} from what is staged: the work tree was analysed"


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
            raise ChangesError(f"git {error}") from None
        done = self.ask("rev-parse", "--is-inside-work-tree")
        if done.code or done.out.strip() != b"true":
            raise ChangesError(f"{root} is not in a git repository{_because(done)}")

    def ask(self, *arguments: str, given: bytes = b"") -> GitAnswer:
        try:
            return self._git.ask(*arguments, given=given)
        except GitError as error:
            raise ChangesError(f"git {error}") from None

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self.ask(*arguments, given=given)
        if done.code:
            raise ChangesError(f"git {arguments[0]} failed{_because(done)}")
        return done.out

    def compare(self, *arguments: str) -> bytes:
        try:
            done = self._git.compare(*arguments)
            if done.code and self._git.is_partial():
                raise ChangesError(f"{_PARTIAL}")
        except GitError as error:
            raise ChangesError(f"git {error}") from None
        if done.code:
            raise ChangesError(f"git diff failed{_because(done)}")
        return done.out

    def commit(self, revision: str) -> str:
        """The commit to compare with."""
        if not revision or "\0" in revision or "\n" in revision:
            raise ChangesError(f"{revision} is not a commit")
        done = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        named = os.fsdecode(done.out).strip()
        if done.code or not named:
            shallow = self.ask("rev-parse", "--is-shallow-repository").out.strip() == b"true"
            hint = "; the clone is shallow: fetch more of its history" if shallow else ""
            raise ChangesError(f"`{revision}` is not a commit{hint}")
        forked = self.ask("merge-base", named, "HEAD")
        return os.fsdecode(forked.out).strip() or named

    def last(self) -> str:
        """The commit that HEAD names, the empty tree before the first one."""
        if not self.ask("rev-parse", "--verify", "--quiet", "HEAD").code:
            return self.commit("HEAD")
        return os.fsdecode(self.run("hash-object", "-t", "tree", "--stdin")).strip()

    def merged(self) -> str:
        """The commit that is being merged, of several the first; empty where none is."""
        done = self.ask("rev-parse", "--verify", "--quiet", "MERGE_HEAD^{commit}")
        return "" if done.code else os.fsdecode(done.out).strip()

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
                raise ChangesError(f"{self._missing(name)}")
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


_PARTIAL = "the clone is partial and lacks files of that revision; nothing is fetched"


def _because(done: GitAnswer) -> str:
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
            raise ChangesError("the output of git diff cannot be read")
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
        raise ChangesError("the output of git diff has a section without a file name")
    return os.fsdecode(found)


class _Hunk(NamedTuple):
    """`gone` lines from line `old` on became `come` lines from line `new` on; either may be none."""

    old: int
    gone: int
    new: int
    come: int

    @property
    def touched(self) -> tuple[int, int]:
        """Where lines are only gone, their neighbours on both sides touch the change."""
        return (self.new, self.new + self.come - 1) if self.come else (max(self.new - 1, 1), self.new)


_WHOLE = _Hunk(1, 1 << 31, 1, 1 << 31)


class _FileDifference(NamedTuple):
    """What git says of one file."""

    hunks: list[_Hunk]
    removed: set[bytes]
    """Words of lines that are gone."""
    added: set[bytes]
    """Words of those that have come."""

    @property
    def gone(self) -> tuple[str, ...]:
        return tuple(sorted(word.decode() for word in self.removed - self.added))


class _Difference(NamedTuple):
    change: Change
    hunks: tuple[_Hunk, ...]


def _compared(git: _Git, *sides: str) -> list[_Difference]:
    """What `git diff` says of these sides, which are its arguments."""
    entries = list(_raw(git.compare("--raw", "-z", "--no-abbrev", *sides, "--", ".")))
    sections = _sections(git.compare("--unified=0", *sides, "--", "."), len(entries)) if entries else ()
    differences = []
    for (path, old, blob), section in zip(entries, sections, strict=True):
        lines = tuple(hunk.touched for hunk in section.hunks) if old else _EVERY_LINE
        differences.append(_Difference(Change(path, old, blob, lines, section.gone), tuple(section.hunks)))
    return differences


def _sections(output: bytes, count: int) -> Sequence[_FileDifference]:
    """The hunks of each file, in the order of the raw entries: both come from one list. Where that does not hold, as
    with a conflict, every line counts as changed."""
    sections: list[_FileDifference] = []
    for line in output.split(b"\n"):
        if line.startswith((b"diff --git ", b"* Unmerged path ")):
            sections.append(_FileDifference([], set(), set()))
        elif sections and line.startswith(b"@@ ") and (found := _HUNK.match(line)) is not None:
            old, gone, new, come = (1 if number is None else int(number) for number in found.groups())
            # Of no lines git names the line before.
            sections[-1].hunks.append(_Hunk(old + (not gone), gone, new + (not come), come))
        elif sections and line.startswith(b"Binary files "):
            sections[-1].hunks.append(_WHOLE)
        elif sections and sections[-1].hunks and line[:1] in (b"-", b"+"):
            (sections[-1].removed if line.startswith(b"-") else sections[-1].added).update(_WORD.findall(line))
    if len(sections) != count:
        return [_FileDifference([_WHOLE], set(), set()) for _ in range(count)]
    return sections


# --- lines ------------------------------------------------------------------------------------


def _with_lines(change: Change, lines: Ranges) -> Change:
    return msgspec.structs.replace(change, lines=lines)


def _moved(ranges: Ranges, hunks: Iterable[_Hunk]) -> Iterator[tuple[int, int]]:
    """Where lines are after the hunks; what one of them was replaced by counts, what was put between them does not."""
    for first, last in ranges:
        shift = 0
        for hunk in hunks:
            if hunk.old > last:
                break
            if first < hunk.old:
                yield first + shift, hunk.old - 1 + shift
            if hunk.gone and hunk.come and first < hunk.old + hunk.gone:
                yield hunk.new, hunk.new + hunk.come - 1
            first = max(first, hunk.old + hunk.gone)
            shift = hunk.new + hunk.come - hunk.old - hunk.gone
        if first <= last:
            yield first + shift, last + shift


def _in_both(left: Ranges, right: Ranges) -> Ranges:
    """The lines that are in a range of each."""
    common = []
    at, other = 0, 0
    while at < len(left) and other < len(right):
        first, last = max(left[at][0], right[other][0]), min(left[at][1], right[other][1])
        if first <= last:
            common.append((first, last))
        if left[at][1] < right[other][1]:
            at += 1
        else:
            other += 1
    return tuple(common)
