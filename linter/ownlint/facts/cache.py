"""Files named by the digest of all that went into them: the same key never means two contents.

Entries are JSON behind a checksum; whatever is wrong with one, it is a miss. Several runs may share
a folder: an entry is written beside its place and renamed into it. A folder that cannot be written
is no cache, without a word.

The checksum is keyed, and is of the entry's name too: what was put into the folder by somebody who does not know the
secret (see `cache_secret`), or under another name, is a miss.
"""

# os.path is several times as fast, and this is done for every file of the project.
# ruff: noqa: PTH103, PTH105, PTH106, PTH108, PTH114, PTH116, PTH120, PTH208

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from hashlib import blake2b
from pathlib import Path

from ownlint import door
from ownlint.facts import cache_secret

FOLDER = ".ownlint_cache"

_LIMIT = 2 << 30
_MOST_BYTES = 512 << 20
_CHECKSUM = 32
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# Written by ownlint; see https://bford.info/cachedir/\n"
_DAY = 24 * 3600
_ENTRY = re.compile(r"[0-9a-f]{38}|\.new-.*")


class NotOursError(Exception):
    """A folder that is no cache of ours; the text is one line."""


def remove(folder: Path) -> int | None:
    """Removes the cache, and returns how many bytes that were; None when there is none. Raises `NotOursError` before
    anything is removed. What does not look like ours stays, and the folder with it."""
    if not folder.exists() and not folder.is_symlink():
        return None
    if folder.is_symlink() or not folder.is_dir():
        raise NotOursError(f"{folder}: is not a folder")
    try:
        tag = door.read(folder / "CACHEDIR.TAG", len(_TAG), cut=True)
    except door.UnreadableError:
        tag = b""
    if tag != _TAG:
        raise NotOursError(f"{folder}: is not a cache of ownlint: it has no CACHEDIR.TAG file")
    removed = 0
    for shard in shards(folder):
        with os.scandir(shard) as found:
            for entry in found:
                if _ENTRY.fullmatch(entry.name) and not entry.is_dir(follow_symlinks=False):
                    removed += entry.stat(follow_symlinks=False).st_size
                    os.unlink(entry.path)
        with contextlib.suppress(OSError):
            os.rmdir(shard)
    left = os.listdir(folder)
    if {".gitignore", "CACHEDIR.TAG"} <= set(left) <= {".gitignore", "CACHEDIR.TAG", cache_secret.NAME}:
        for name in left:
            os.unlink(folder / name)
        os.rmdir(folder)
    return removed


class Cache:
    """`folder` None is a cache that never holds anything; so is one for which there is no secret, and `distrust` says
    why. `root` is the project that it may lie in."""

    def __init__(self, folder: Path | None, root: Path | None = None) -> None:
        self.folder = folder
        self.root = root
        self.distrust = ""
        self._secret = b""
        if folder is not None:
            try:
                self._secret = cache_secret.of(folder, root)
            except cache_secret.NoSecretError as error:
                self.folder, self.distrust = None, str(error)
        self._writable = self.folder is not None
        self._prepared = False
        self.wrote = 0

    @staticmethod
    def key(*parts: bytes) -> str:
        """One digest of the parts and of where each ends."""
        digest = blake2b(digest_size=20)
        for part in parts:
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        if not self._secret:
            return None
        try:
            data = door.read(self._place(key), _MOST_BYTES)
        except door.UnreadableError:
            return None
        checksum, content = data[:_CHECKSUM], data[_CHECKSUM:]
        if self._checksum(key, content) != checksum:
            return None
        with contextlib.suppress(OSError):
            if time.time() - os.stat(self._place(key)).st_mtime > _DAY:  # in use: the last to be swept
                os.utime(self._place(key))
        return content

    def _checksum(self, key: str, content: bytes) -> bytes:
        digest = blake2b(key.encode(), key=self._secret, digest_size=_CHECKSUM)
        digest.update(b"\0")
        digest.update(content)
        return digest.digest()

    def put(self, key: str, data: bytes) -> None:
        if not self._writable:
            return
        import tempfile

        place = self._place(key)
        try:
            self._prepare(place)
            handle, name = tempfile.mkstemp(dir=os.path.dirname(place), prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(self._checksum(key, data))
                    stream.write(data)
                os.replace(name, place)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
        except OSError:  # read-only, full, not a folder: go on without
            self._writable = False
            return
        self.wrote += len(data)

    def _place(self, key: str) -> str:
        return f"{self.folder}/{key[:2]}/{key[2:]}"

    def _prepare(self, place: str) -> None:
        assert self.folder is not None
        if not self._prepared:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not stat.S_ISDIR(self.folder.lstat().st_mode):  # a link in the tree under analysis leads elsewhere
                raise NotADirectoryError(self.folder)
            for name, content in ((".gitignore", b"*\n"), ("CACHEDIR.TAG", _TAG)):
                with contextlib.suppress(FileExistsError), (self.folder / name).open("xb") as stream:
                    stream.write(content)
            try:
                self._secret = cache_secret.of(self.folder, self.root, make=True)
            except cache_secret.NoSecretError as error:
                raise PermissionError(str(error)) from None
            self._prepared = True
        shard = os.path.dirname(place)
        os.makedirs(shard, exist_ok=True)
        if os.path.islink(shard):
            raise NotADirectoryError(shard)

    def sweep(self, limit: int = _LIMIT) -> None:
        """Removes the entries that were unused longest until three quarters of `limit` are left."""
        if self.folder is None or not self.wrote:
            return
        entries = []
        for folder in shards(self.folder):
            with contextlib.suppress(OSError), os.scandir(folder) as found:
                for entry in found:
                    status = entry.stat(follow_symlinks=False)
                    entries.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in entries)
        if total <= limit:
            return
        for _, size, path in sorted(entries):
            if total <= limit * 3 // 4:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size


def shards(folder: Path) -> list[str]:
    """Only what looks like ours is ever swept."""
    try:
        with os.scandir(folder) as found:
            return [entry.path for entry in found if len(entry.name) == 2 and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
