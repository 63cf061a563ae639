"""Writing files whole or not at all, nowhere but where they are named, and replacing those of a project while they are
held: links are not followed."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from ownlint import door

_STREAM = re.compile(r"/dev/(std(?:out|err))|/(?:dev|proc/self)/fd/(\d+)")
_SYSTEM = ("/dev/", "/proc/")
"""Below these, links are names of the system for streams and devices."""


class PlaceError(Exception):
    """Nothing can be written there; the text is a clause without the path."""


def check_place(path: Path, root: Path) -> None:
    """Raises `PlaceError` for what `write_whole` cannot write, or must not: a link, and, in the tree that the project
    `root` comes in, what is no file, or lies behind a folder that is a link."""
    if _stream_of(path) is not None:
        return
    if path.is_dir():
        raise PlaceError("is a folder")
    if path.is_symlink() and not _is_systems(path):
        raise PlaceError("is a symlink, which is not followed; name the file itself")
    if not path.parent.is_dir():
        raise PlaceError(f"no such folder: {path.parent}")
    exists, tree = path.exists(), door.tree_of(root)
    parent = Path(os.path.abspath(path)).parent  # noqa: PTH100 - without following links
    for home in {tree, tree.resolve()}:
        if parent.is_relative_to(home):
            if parent.resolve() != tree.resolve() / parent.relative_to(home):
                raise PlaceError("the path contains a symlink to a folder, which is not followed")
            if exists and not path.is_file():
                raise PlaceError("is not a regular file")
    # A file is written beside its place; what is no file is written where it is.
    if not os.access(path if exists and not path.is_file() else path.parent, os.W_OK):
        raise PlaceError("no permission to write there")


def write_whole(path: Path, data: bytes) -> None:
    """A file that is there keeps its mode; a device or a pipe is written as it is. A link is replaced, not followed.
    Raises `OSError`."""
    if (stream := _stream_of(path)) is not None:
        _poured(os.dup(stream), data)
    elif path.exists() and not path.is_file() and (_is_systems(path) or not path.is_symlink()):
        _poured(os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY), data)
    else:
        folder = os.open(path.parent.resolve(), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _replace(folder, path.name, data)
        finally:
            os.close(folder)


def _replace(folder: int, name: str, data: bytes) -> None:
    new = f".{name[:100]}.{os.urandom(6).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(new, flags, 0o666, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            with contextlib.suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
            stream.write(data)
        os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new, dir_fd=folder)
        raise


def _poured(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


def _stream_of(path: Path) -> int | None:
    """The number of the stream that the shell opened for us, of `/dev/stdout` and its like."""
    found = _STREAM.fullmatch(str(path))
    if found is None:
        return None
    return int(found[2]) if found[2] else {"stdout": 1, "stderr": 2}[found[1]]


def _is_systems(path: Path) -> bool:
    return os.path.abspath(path).startswith(_SYSTEM)  # noqa: PTH100 - without following links


class HeldError(Exception):
    """A file that is not touched; the text is a clause that says why."""


_CHANGED = "changed after it was analysed"


class HeldFile:
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
def held(root: Path, path: str) -> Iterator[HeldFile]:
    """The file of this relative path, with `/`. Raises `HeldError` where a link leads to it, where it is gone or no
    regular file, and for a path that leads elsewhere; `OSError` where it cannot be opened."""
    parts = path.split("/")
    if not path or any(part in ("", ".", "..") for part in parts):
        raise HeldError("does not belong to the project")
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
                raise HeldError("is a symlink, which is never written through")
            file = entered(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, folder)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # a folder that is a link is none either
            raise HeldError(_CHANGED) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise HeldError("is not a regular file")
        yield HeldFile(folder, file, parts[-1])
