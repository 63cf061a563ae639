"""What every file holds, as digests; files that did not change since the last run are not read again."""

# os.path is several times as fast, and this is done for every file of the project.
# ruff: noqa: PTH116

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from ownlint import door
from ownlint.facts.cache import Cache
from ownlint.facts.digest import SIZE
from ownlint.sources.discover import Source, Stamp

MOST_BYTES = 64 << 20
"""Of a larger file the size and the times stand for what it holds: no reader takes it."""

_Memo = dict[str, tuple[Stamp, str]]


class Digests:
    """Remembers, in the cache, the digest of each file together with its size, times and inode."""

    def __init__(self, cache: Cache, root: Path) -> None:
        self._cache = cache
        # The one entry that is overwritten: it holds no facts, only what need not be read again.
        self._key = Cache.key(b"digests", os.fsencode(root))
        self._memo: _Memo = {}
        self._new: _Memo = {}
        self._changed = False
        data = cache.get(self._key)
        if data is not None:
            try:
                self._memo = msgspec.json.decode(data, type=_Memo)
            except msgspec.DecodeError:
                self._changed = True

    def of_sources(self, sources: Sequence[Source]) -> list[str]:
        """In order; empty for a file that cannot be read."""
        return [self._digest(str(source.path), source.stamp) for source in sources]

    def of(self, path: str) -> str:
        """Of any file, by absolute path; empty when it cannot be read."""
        try:
            status = os.stat(path)
        except OSError:
            return ""
        if not stat.S_ISREG(status.st_mode):
            return ""
        return self._digest(path, Stamp.of(status))

    def save(self) -> None:
        if self._changed or len(self._new) != len(self._memo):
            self._cache.put(self._key, msgspec.json.encode(self._new))

    def _digest(self, path: str, stamp: Stamp) -> str:
        known = self._new.get(path) or self._memo.get(path)
        if known is not None and known[0] == stamp:
            self._new[path] = known
            return known[1]
        settled = stamp.is_settled()
        digest = _read(path) if stamp.size <= MOST_BYTES else _of_stamp(stamp)
        if digest and settled:
            self._new[path] = (stamp, digest)
            self._changed = True
        return digest


def _of_stamp(stamp: Stamp) -> str:
    return blake2b(repr(tuple(stamp)).encode(), digest_size=SIZE).hexdigest()


def _read(path: str) -> str:
    digest = blake2b(digest_size=SIZE)
    try:
        for piece in door.pieces(path, MOST_BYTES):
            digest.update(piece)
    except door.UnreadableError:
        return ""
    return digest.hexdigest()
