"""The one door through which files are opened: sources, settings, models, contracts, stubs, build files, baselines.

A tree under analysis may hold anything under any name: a FIFO that never answers, a link to a device that never ends,
a file that grows while it is read. What is no regular file is not opened for reading, and what is read is bounded in
bytes and in time.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

DEADLINE = 20.0
"""Seconds of wall time that one file may take to come in: a dead network folder is the last thing that this guards
against, since a read of a regular file cannot be interrupted, only not begun again."""

_PIECE = 1 << 20


class UnreadableError(Exception):
    """The bytes of a file cannot be had; `reason` is a clause for the user, `size` is what the file system says."""

    def __init__(self, reason: str, size: int = 0, *, missing: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.size = size
        self.missing = missing
        """There is nothing under this name."""


def read(path: str | Path, most: int, *, within: str | Path | None = None, cut: bool = False) -> bytes:
    """The bytes of a regular file of at most `most` bytes; with `cut` the first `most` of a larger one. A link that
    stands below the folder `within` and leads out of it is not followed; a path that does not lie below it by its name
    is not looked at for that. Raises `UnreadableError`."""
    data = bytearray()
    for piece in pieces(path, most, within=within, cut=cut):
        data += piece
    return bytes(data)


def pieces(path: str | Path, most: int, *, within: str | Path | None = None, cut: bool = False) -> Iterator[bytes]:
    """The same bytes as of `read`, one after another, for what need not be held at once."""
    descriptor, size = _opened(path, within)
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        if size > most and not cut:
            raise UnreadableError(_compared(size, most), size)
        until = time.monotonic() + DEADLINE
        left = most
        try:
            while piece := stream.read(min(_PIECE, left + (not cut))):
                left -= len(piece)
                if left < 0:  # it grew while we looked, or its size is a lie, as under /proc
                    raise UnreadableError(f"the file is larger than {megabytes(most)}", most - left)
                yield piece
                if time.monotonic() > until:
                    raise UnreadableError(f"not read within {DEADLINE:g} s", size)
        except OSError as error:
            raise UnreadableError(error.strerror or str(error), size) from error


def _opened(path: str | Path, within: str | Path | None) -> tuple[int, int]:
    """A descriptor, and the size. It is looked at before it is opened: to open some devices is to act on them."""
    try:
        place = os.fspath(path) if within is None else _followed(os.fspath(path), os.fspath(within))
        _check_kind(os.stat(place).st_mode)  # noqa: PTH116 - several times as fast, for every file of the project
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        raise UnreadableError(error.strerror or str(error), missing=missing) from error
    except ValueError as error:  # a null byte, or what the file system cannot spell: each Python words it anew
        raise UnreadableError("not a valid file name") from error
    status = os.fstat(descriptor)
    try:
        _check_kind(status.st_mode)
    except UnreadableError:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def _check_kind(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise UnreadableError("is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise UnreadableError("not a regular file")


def tree_of(folder: Path) -> Path:
    """All that comes with a project in `folder`, an absolute path: the git tree that it is in, else the folder."""
    return next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), folder)


def check_links(path: str | Path, within: str | Path) -> None:
    """Raises `UnreadableError` for what `read` would not follow: a link below `within` that leads out of it."""
    _followed(os.fspath(path), os.fspath(within))


def _followed(path: str, folder: str) -> str:
    """Where `path` leads."""
    named, home = os.path.abspath(path), os.path.abspath(folder)  # noqa: PTH100 - without following links
    real, real_home = os.path.realpath(path), os.path.realpath(folder)
    by_name = _below(named, home) or _below(named, real_home)
    if by_name and not _below(real, real_home):
        raise UnreadableError("symlink points outside the project")
    return real


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _compared(size: int, most: int) -> str:
    """To the byte, where that is what it takes to tell them apart."""
    told = (megabytes(size), megabytes(most))
    one, other = told if told[0] != told[1] else (f"{size:,} bytes", f"{most:,} bytes")
    return f"{one} is larger than {other}"


def megabytes(size: int) -> str:
    return f"{size / 1_000_000:g} MB" if size >= 100_000 else f"{size} bytes"
