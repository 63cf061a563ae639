"""Writing files whole or not at all, and replacing those of a project while they are held."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """A file that is there keeps its mode; a device or a pipe is written as it is. Raises `OSError`."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    import tempfile

    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class HeldError(Exception):
    """A file that is not touched; the text is a clause that says why."""


_CHANGED = "changed after it was analysed"


class Held:
    """A regular file of a project, open from before it is compared until after it is replaced. It is reached from the
    root through no link, and what takes its place is written beside it and renamed."""

    def __init__(self, folder: int, file: int, name: str) -> None:
        self._folder = folder
        self._file = file
        self._name = name

    def read(self, most: int) -> bytes:
        """From the start, at most so many bytes. Raises `OSError`."""
        data = bytearray()
        while len(data) < most and (piece := os.pread(self._file, most - len(data), len(data))):
            data += piece
        return bytes(data)

    def holds(self, data: bytes) -> bool:
        """Whether these are its bytes, and it is still what its name stands for."""
        try:
            named = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            return False
        return os.path.samestat(named, os.fstat(self._file)) and self._same(data)

    def _same(self, data: bytes) -> bool:
        return self.read(len(data) + 1) == data

    def replace(self, before: bytes, after: bytes) -> None:
        """`after` takes the place of `before`, with the mode and, where that is allowed, the owner. Raises `OSError`,
        and `HeldError` where something else than `before` stands there: it is left as it is."""
        beside = self._written(after)
        try:
            if not self.holds(before):
                raise HeldError(_CHANGED)
            os.rename(beside, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            os.unlink(beside, dir_fd=self._folder)
            raise
        if not self._same(before):  # somebody wrote into it at the last moment: that stays
            theirs = self._written(self.read(1 << 30))
            os.rename(theirs, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            raise HeldError(_CHANGED)

    def _written(self, data: bytes) -> str:
        """The name of a new file beside it."""
        name = f".{self._name[:200]}.{secrets.token_hex(6)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(name, flags, 0o600, dir_fd=self._folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                status = os.fstat(self._file)
                with contextlib.suppress(PermissionError):
                    os.fchown(handle, status.st_uid, status.st_gid)
                os.fchmod(handle, stat.S_IMODE(status.st_mode))
        except BaseException:
            os.unlink(name, dir_fd=self._folder)
            raise
        return name


@contextlib.contextmanager
def held(root: Path, path: str) -> Iterator[Held]:
    """The file of this relative path, with `/`. Raises `HeldError` where a link leads to it, where it is gone or no
    regular file, and for a path that leads elsewhere; `OSError` where it cannot be opened."""
    parts = path.split("/")
    if not path or any(part in ("", ".", "..") for part in parts):
        raise HeldError("is not a file of the project")
    with contextlib.ExitStack() as opened:

        def entered(name: str | Path, flags: int, folder: int | None = None) -> int:
            handle = os.open(name, flags | os.O_CLOEXEC, dir_fd=folder)
            opened.callback(os.close, handle)
            return handle

        try:
            folder = entered(root, os.O_RDONLY | os.O_DIRECTORY)
            for part in parts[:-1]:
                folder = entered(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, folder)
            if stat.S_ISLNK(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode):
                raise HeldError("is a link, which is never written through")
            file = entered(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, folder)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # a folder that is a link is none either
            raise HeldError(_CHANGED) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise HeldError("is not a regular file")
        yield Held(folder, file, parts[-1])
