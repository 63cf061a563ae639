"""What changed since a revision: which lines of which files, and what those files said before.

Git is asked, and nothing that the tree's configuration names is run: no hooks, filters, text converters or external
diffs. Names come as bytes and are never read as options or patterns.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ownlint.facts.digest import digest_of
from ownlint.facts.errors import RefusalError
from ownlint.sources.discover import Source, Stamp, is_source, language_of

_GIT_SECONDS = 120
_MOST_BYTES = 64 << 20
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
    compared = git.run("diff", *_PLAIN, "--raw", "-z", "--no-abbrev", base, "--", ".")
    entries = list(_raw(compared))
    hunks = _hunks(git.run("diff", *_PLAIN, "--unified=0", "--no-color", base, "--", "."), len(entries))
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

_PLAIN = (
    "--find-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "--relative",
    "--no-indent-heuristic",
    "--diff-algorithm=histogram",
)


class _Git:
    def __init__(self, root: Path) -> None:
        found = shutil.which("git")
        if found is None or root in Path(found).parents:
            raise ChangesError("--diff-base: git is not installed")
        self.root = root
        self.command = [found, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--literal-pathspecs"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environment = environment | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        done = self.ask("rev-parse", "--is-inside-work-tree")
        if done.returncode or done.stdout.strip() != b"true":
            raise ChangesError(f"--diff-base: {root} is in no git repository{_because(done)}")
        self.environment |= _without_filters(
            self.ask("config", "--name-only", "-z", "--get-regexp", r"^filter\.").stdout
        )

    def ask(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                [*self.command, *arguments],
                cwd=self.root,
                env=self.environment,
                input=given,
                capture_output=True,
                timeout=_GIT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise ChangesError(f"--diff-base: git {arguments[0]} took longer than {_GIT_SECONDS} s") from None
        except OSError as error:
            raise ChangesError(f"--diff-base: git cannot be run: {error.strerror or error}") from None

    def run(self, *arguments: str) -> bytes:
        done = self.ask(*arguments)
        if done.returncode:
            raise ChangesError(f"--diff-base: git {arguments[0]} failed{_because(done)}")
        return bytes(done.stdout)

    def commit(self, revision: str) -> str:
        """The commit to compare with."""
        if not revision or "\0" in revision or "\n" in revision:
            raise ChangesError(f"--diff-base: {revision!r} names no commit")
        done = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        named = os.fsdecode(done.stdout).strip()
        if done.returncode or not named:
            shallow = self.ask("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"
            hint = "; the clone is shallow: fetch more of its history" if shallow else ""
            raise ChangesError(f"--diff-base: `{revision}` names no commit{hint}")
        forked = self.ask("merge-base", named, "HEAD")
        return os.fsdecode(forked.stdout).strip() or named

    def blobs(self, names: Sequence[str]) -> list[bytes]:
        """Their contents, in order. What is missing, as in a partial clone, or is too large, is empty."""
        if not names:
            return []
        data = self.ask("cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode()).stdout
        contents = []
        at = 0
        for _ in names:
            header, _, _ = data[at:].partition(b"\n") if at < len(data) else (b"", b"", b"")
            words = header.split()
            size = int(words[2]) if len(words) == 3 and words[1] == b"blob" else -1
            start = at + len(header) + 1
            contents.append(data[start : start + size] if 0 <= size <= _MOST_BYTES else b"")
            at = start + size + 1 if size >= 0 else start
        return contents


def _because(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git complains about."""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return f": {said[0].removeprefix('fatal: ')}" if said else ""


def _without_filters(keys: bytes) -> dict[str, str]:
    """Filters are programs that the repository's configuration names: each is replaced by none."""
    names = sorted({os.fsdecode(key).rpartition(".")[0] for key in keys.split(b"\0") if key})
    settings = [(f"{name}.{what}", value) for name in names for what, value in _NO_FILTER]
    given = {"GIT_CONFIG_COUNT": str(len(settings))} if settings else {}
    for number, (key, value) in enumerate(settings):
        given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return given


_NO_FILTER = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))


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
