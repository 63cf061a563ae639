"""The secret that entries of a cache are signed with: whoever writes in the tree under analysis does not know it.

A cache that lies in the tree, where a pull request can put one, is signed with the secret of the user, which lies in
the user's folder for caches. One that lies outside of the tree has its secret beside its entries: a folder that is
restored as a whole, as in CI, is believed.
"""

# os.path is several times as fast, and this is done in every run.
# ruff: noqa: PTH100, PTH103, PTH105, PTH108, PTH118, PTH120

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from ownlint import door

NAME = "key"
SIZE = 32
"""Bytes."""


class NoSecretError(Exception):
    """No cache can be believed; the text is a clause that says why."""


def of(folder: Path, root: Path | None, *, make: bool = False) -> bytes:
    """The secret of the cache in `folder`; `root` is the project, and without it the cache counts as one that lies
    inside. Where there is none yet it is made, or is empty. Raises `NoSecretError`, also when none can be made."""
    home = _home_of(folder, root)
    place = os.path.join(home, NAME)
    if known := _read(place):
        return known
    if make:
        return _made(home, place)
    there = home
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.access(there, os.W_OK | os.X_OK):
        raise NoSecretError(f"{place}: cannot be written")
    return b""


def _home_of(folder: Path, root: Path | None) -> str:
    """The folder in which the secret of a cache lies."""
    if root is not None and not _is_below(folder, door.tree_of(root)):
        return os.fspath(folder)
    home = _home()
    if root is not None and _is_below(home, root):
        raise NoSecretError(f"the user's cache folder {home} is inside the project")
    return os.path.join(home, "ownlint")


def _home() -> str:
    """The user's folder for caches, as XDG says: a path that is not absolute does not count."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if chosen.startswith("/"):
        return chosen
    home = os.environ.get("HOME", "")
    if not home.startswith("/"):
        raise NoSecretError("there is no home folder to store the key of the cache in")
    return os.path.join(home, ".cache")


def _is_below(path: str | Path, folder: Path) -> bool:
    """By its name or by where its links lead."""
    real = os.path.realpath(folder)
    return any(os.path.commonpath((real, place)) == real for place in (os.path.abspath(path), os.path.realpath(path)))


def _read(place: str) -> bytes:
    """Empty when there is none, or one that was not written to its end."""
    try:
        status = os.lstat(place)
        if not stat.S_ISREG(status.st_mode):
            raise NoSecretError(f"{place}: not a regular file")
        if status.st_uid != os.geteuid():
            raise NoSecretError(f"{place}: belongs to another user")
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise NoSecretError(f"{place}: other users have access to it; run `chmod 600` on it, or remove it")
        data = door.read(place, SIZE)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return b""
        raise NoSecretError(f"{place}: {error.strerror or error}") from None
    except door.UnreadableError as error:
        raise NoSecretError(f"{place}: {error.reason}") from None
    return data if len(data) == SIZE else b""


def _made(folder: str, place: str) -> bytes:
    """Whole. It is read again: of several that are made at one time the last stays."""
    new = f"{place}.{os.getpid()}.{os.urandom(4).hex()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(os.urandom(SIZE))
            os.replace(new, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise
    except OSError as error:
        raise NoSecretError(f"{place}: cannot be written: {error.strerror or error}") from None
    made = _read(place)
    if not made:
        raise NoSecretError(f"{place}: cannot be read again")
    return made
