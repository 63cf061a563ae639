"""Writing files whole or not at all, and nowhere but where they are named: links are not followed."""

from __future__ import annotations

import contextlib
import os
import re
import stat
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
        raise PlaceError("is a link, which is not followed; name the file itself")
    if not path.parent.is_dir():
        raise PlaceError(f"no folder {path.parent}")
    exists, tree = path.exists(), door.tree_of(root)
    parent = Path(os.path.abspath(path)).parent  # noqa: PTH100 - without following links
    for home in {tree, tree.resolve()}:
        if parent.is_relative_to(home):
            if parent.resolve() != tree.resolve() / parent.relative_to(home):
                raise PlaceError("leads through a folder that is a link, which is not followed")
            if exists and not path.is_file():
                raise PlaceError("is not a regular file")
    # A file is written beside its place; what is no file is written where it is.
    if not os.access(path if exists and not path.is_file() else path.parent, os.W_OK):
        raise PlaceError("no right to write there")


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
