"""Git is started here and nowhere else, and is asked nothing that can run a command.

The configuration of a tree under analysis is a stranger's, and git runs commands that a configuration names: hooks,
monitors of the file system, filters, text converters, pagers, helpers for passwords, and what brings missing objects
from another machine. None of it is wanted: only questions are asked that need nothing of it, each way to a command is
closed besides, and a question has a limit of time and an answer one of size.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ownlint import door

_SECONDS = 120.0
_MOST_ANSWER = 256 << 20
_MOST_COMPLAINT = 1 << 16

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=false",
    "core.editor=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "protocol.allow=never",
    "diff.autoRefreshIndex=true",
    "diff.orderFile=/dev/null",
    "diff.suppressBlankEmpty=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "log.showSignature=false",
    "safe.bareRepository=explicit",
)
"""What stands on the command line wins over every file of settings."""

_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # none at all, whatever `protocol.*.allow` says: what is missing stays missing
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}


class GitError(Exception):
    """Git gave no answer; the text is a clause for the user."""


class GitAnswer(NamedTuple):
    code: int
    out: bytes
    err: bytes

    @property
    def complaint(self) -> str:
        """The first line of what git says against it."""
        said = self.err.decode("utf-8", "replace").strip().splitlines()
        return said[0].removeprefix("fatal: ") if said else ""


def program(root: Path | None = None) -> str:
    """Where git is, an absolute path; empty where there is none but in the tree under analysis, which is never run."""
    found = shutil.which("git")
    if found is None:
        return ""
    places = {Path(os.path.abspath(found)), Path(os.path.realpath(found))}  # noqa: PTH100
    if root is not None and any(root.resolve() in place.parents for place in places):
        return ""
    return os.path.abspath(found)  # noqa: PTH100


def _refuse_to_wait(root: Path) -> None:
    """Git opens what stands in its folder, or what its settings name, whatever it is: at a pipe it would wait. Raises
    `GitError`."""
    home = top(root)
    if home is None:
        return
    folder = home / ".git"
    if folder.is_file():
        said = door.read(folder, _MOST_SETTINGS, cut=True).decode("utf-8", "surrogateescape")
        folder = home / said.removeprefix("gitdir:").strip()
    for place in (folder, folder / "info", folder / "objects" / "info"):
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                _refuse_pipe(Path(entry.path))
    for name in ("config", "config.worktree"):
        with contextlib.suppress(door.UnreadableError):
            said = door.read(folder / name, _MOST_SETTINGS, cut=True).decode("utf-8", "surrogateescape")
            for value in _FILE.findall(said):
                _refuse_pipe(folder / Path(value.strip().strip('"')).expanduser())


def _refuse_pipe(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError, RuntimeError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISSOCK(mode)):
        raise GitError(f"would block on {path.name}, which is not a regular file")


_MOST_SETTINGS = 1 << 20
_FILE = re.compile(r"(?im)^[ \t]*+(?:path|excludesfile|attributesfile)[ \t]*+=(.*+)$")
"""A setting that names a file."""


def version() -> str:
    """Raises `GitError`."""
    answer = _run([program(), "--version"], Path("/"), _clean(os.environ), b"", 10.0, _MOST_COMPLAINT)
    if answer.code:
        raise GitError(answer.complaint or f"ended with status {answer.code}")
    return answer.out.decode("utf-8", "replace").strip().removeprefix("git version ")


class Git:
    """Answers of git about the work tree that `root` is in."""

    def __init__(self, root: Path) -> None:
        """Raises `GitError`."""
        found = program(root)
        if not found:
            raise GitError("is not installed")
        _refuse_to_wait(root)
        self._root = root
        self._command = [found, "--no-pager", "--literal-pathspecs"]
        for setting in _SETTINGS:
            self._command += ["-c", setting]
        self._environment = _clean(os.environ) | _of_a_hook(os.environ, root)
        self._filters: dict[str, str] | None = None

    def ask(
        self, *arguments: str, given: bytes = b"", seconds: float = _SECONDS, most: int = _MOST_ANSWER
    ) -> GitAnswer:
        """`given` is its standard input. Raises `GitError`."""
        return _run([*self._command, *arguments], self._root, self._environment, given, seconds, most)

    def compare(self, *arguments: str) -> GitAnswer:
        """What `git diff` says of files as they are: the one question for which git would filter and convert them."""
        if self._filters is None:
            keys = self.ask("config", "--name-only", "-z", "--get-regexp", r"^filter\.").out
            self._filters = _without_filters(keys)
        command = [*self._command, "diff", *_PLAIN, *arguments]
        return _run(command, self._root, self._environment | self._filters, b"", _SECONDS, _MOST_ANSWER)

    def is_partial(self) -> bool:
        """Whether it is a clone without all objects. Raises `GitError`."""
        keys = r"^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$"
        return bool(self.ask("config", "--name-only", "--get-regexp", keys).out)


_PLAIN = (
    "--find-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "--submodule=short",
    "--relative",
    "--no-color",
    "--inter-hunk-context=0",
    "--no-indent-heuristic",
    "--diff-algorithm=histogram",
)


def _without_filters(keys: bytes) -> dict[str, str]:
    """Filters are programs that the repository's configuration names: each is replaced by none."""
    names = sorted({os.fsdecode(key).rpartition(".")[0] for key in keys.split(b"\0") if key})
    settings = [(f"{name}.{what}", value) for name in names for what, value in _NO_FILTER]
    given = {"GIT_CONFIG_COUNT": str(len(settings))} if settings else {}
    for number, (key, value) in enumerate(settings):
        given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return given


_NO_FILTER = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))


# --- what git knows of where it is started ----------------------------------------------------


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Without all that is said to git alone: it may name commands, or another repository."""
    return {name: value for name, value in environment.items() if not name.startswith("GIT_")} | _ENVIRONMENT


def _of_a_hook(environment: Mapping[str, str], root: Path) -> dict[str, str]:
    """Where a hook says that the repository and its index are, if it speaks of the work tree that `root` is in."""
    here = Path.cwd()
    told = {name: here / environment[name] for name in ("GIT_DIR", "GIT_INDEX_FILE") if environment.get(name)}
    if not told:
        return {}
    if "GIT_DIR" in told:
        home = (here / environment.get("GIT_WORK_TREE", "")).resolve()  # git takes the folder that it is started in
        told["GIT_WORK_TREE"] = home
    else:
        home = top(here) or Path("/")
    nearest = top(root) or Path("/")
    if (root != home and home not in root.parents) or (nearest != home and home in nearest.parents):
        return {}  # another work tree, or one inside of it
    return {name: str(path) for name, path in told.items()}


def top(folder: Path) -> Path | None:
    """The top of the work tree that `folder` is in, without links; None where it is in none. Git is not asked: in a
    worktree and a submodule `.git` is a file."""
    folder = folder.resolve()
    return next((each for each in (folder, *folder.parents) if os.path.exists(each / ".git")), None)  # noqa: PTH110


# --- starting it ------------------------------------------------------------------------------


def _run(
    command: list[str], folder: Path, environment: Mapping[str, str], given: bytes, seconds: float, most: int
) -> GitAnswer:
    name = next((word for word in command[1:] if not word.startswith("-") and "=" not in word), "")
    with tempfile.TemporaryFile() as written:
        written.write(given)
        written.seek(0)
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=written,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # no terminal to ask on, and one group to end
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            raise GitError(f"cannot be run: {getattr(error, 'strerror', None) or error}") from None
    until = time.monotonic() + seconds
    try:
        out, err = _answered(process, until, most)
        return GitAnswer(process.wait(timeout=max(until - time.monotonic(), 1)), out, err)
    except subprocess.TimeoutExpired:
        raise GitError(f"{name} took longer than {seconds:g} s") from None
    except _TooMuchError:
        raise GitError(f"{name} returns more than {most} bytes") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # with everything that it may have started
            process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


class _TooMuchError(Exception):
    """An answer is larger than it may be."""


def _answered(process: subprocess.Popen[bytes], until: float, most: int) -> tuple[bytes, bytes]:
    """Both streams to their ends. Raises `TimeoutExpired` and `_TooMuchError`."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = bytearray(), bytearray()
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ, out)
        waiting.register(process.stderr, selectors.EVENT_READ, err)
        while waiting.get_map():
            ready = waiting.select(max(until - time.monotonic(), 0))
            if not ready and time.monotonic() >= until:
                raise subprocess.TimeoutExpired(process.args, until)
            for key, _ in ready:
                piece = os.read(key.fd, 1 << 20)
                if not piece:
                    waiting.unregister(key.fileobj)
                elif key.data is out or len(err) < _MOST_COMPLAINT:
                    key.data.extend(piece)
            if len(out) > most:
                raise _TooMuchError
    return bytes(out), bytes(err)
