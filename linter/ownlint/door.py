"""The one door through which files are opened: sources, settings, models, contracts, stubs, build files, baselines.

A tree under analysis may hold anything under any name: a FIFO that never answers, a link to a device that never ends,
a file that grows while it is read. What is no regular file is not opened for reading, and what is read is bounded in
bytes and in time.
"""

from __future__ import annotations

import os
import stat
import time
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


def read(path: str | Path, most: int, *, within: str | Path | None = None) -> bytes:
    """The bytes of a regular file of at most `most` bytes. Below `within`, a folder without links in its own path,
    a file that is only reached by a link that leads out of that folder is none. Raises `UnreadableError`."""
    try:
        if within is not None and not _stays(os.fspath(path), os.fspath(within)):
            raise UnreadableError("a link that leads out of the project")
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(reason, missing=isinstance(error, FileNotFoundError | NotADirectoryError)) from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise UnreadableError("not a regular file")
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        if status.st_size > most:
            raise UnreadableError(f"{megabytes(status.st_size)} is larger than {megabytes(most)}", status.st_size)
        until = time.monotonic() + DEADLINE
        data = bytearray()
        try:
            while piece := stream.read(min(_PIECE, most + 1 - len(data))):
                data += piece
                if len(data) > most:  # it grew while we looked, or its size is a lie, as under /proc
                    raise UnreadableError(f"the file is larger than {megabytes(most)}", len(data))
                if time.monotonic() > until:
                    raise UnreadableError(f"not read within {DEADLINE:g} s", status.st_size)
        except OSError as error:
            raise UnreadableError(error.strerror or str(error), status.st_size) from error
        return bytes(data)


def _stays(path: str, folder: str) -> bool:
    """What `path` stands for lies in `folder`."""
    real = os.path.realpath(folder)
    return os.path.commonpath((real, os.path.realpath(path))) == real


def megabytes(size: int) -> str:
    return f"{size / 1_000_000:g} MB" if size >= 100_000 else f"{size} bytes"
