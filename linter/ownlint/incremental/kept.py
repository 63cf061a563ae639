"""What rules said of each subject, as it is kept from one run to the next, with what it was derived from: of each group
of rules for itself, and, once for all groups, what was known of the project then.

Keys are numbered: most are read for many subjects. A list of them is kept as their numbers, four bytes each.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import msgspec

from ownlint.facts import records as r
from ownlint.finding import Crash, Finding, TooLarge
from ownlint.project.questions import Key

_NUMBERS = "I"
_QUICK = 1
"""How hard to compress: what is written at every run has to be written fast."""


class FactsEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What was known of a file. `key` is where the cache has its facts; empty for a file that was passed over."""

    language: r.Language
    module: str
    digest: str
    key: str = ""

    def bare(self, path: str) -> r.FileRecord:
        """The file, of which nothing is known but that it is there."""
        return r.FileRecord(path, self.language, 0, module=self.module)


class KeptContributions(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the functions brought to an answer that is put together from them; functions go by the numbers of their
    keys."""

    plain: bytes
    """Those that bring nothing, and of which nothing was read but the body."""
    silent: dict[bytes, bytes]
    """The others that bring nothing, by what was read beside the body: that is the same of many."""
    others: dict[bytes, bytes]


class KeptAnswer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An answer about all files: fingerprints, of the whole and by what it is about, by what it is asked again, and
    the answer itself (see `values`) where it is of a kind that is kept."""

    keys: bytes
    whole: bytes
    parts: dict[str, bytes]
    of: tuple[str, ...]
    each: KeptContributions | None = None
    value: bytes = b""


class KeptSubject(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What all rules of a group said of one subject."""

    keys: bytes
    findings: tuple[Finding, ...] = ()
    large: tuple[TooLarge, ...] = ()
    crashes: tuple[Crash, ...] = ()
    """The rules that were cut off at a counted limit: every run would meet it again."""


class KeptFindings(msgspec.Struct, array_like=True):
    """What one group of rules said of a project."""

    first: int = 0
    """How many keys there were when all was asked."""
    keys: list[Key] = []
    subjects: dict[str, KeptSubject] = {}


class KeptProject(msgspec.Struct, array_like=True):
    """What was known of a project when the rules of some groups said that."""

    files: dict[str, FactsEntry] = {}
    copies: dict[str, bytes] = {}
    """Files with what templates say with the types of others; their facts alone do not say it."""
    earlier: tuple[str, ...] = ()
    """The files that the change under review touched; the rules may have looked at what they were."""
    touched: tuple[Key, ...] = ()
    """The functions that it touched, by the keys of their bodies."""
    reviewed: bool = False
    """There was a change under review."""
    first: int = 0
    """How many keys there were when all was asked."""
    keys: list[Key] = []
    answers: dict[str, KeptAnswer] = {}


_encoder = msgspec.msgpack.Encoder()
_findings: msgspec.msgpack.Decoder[KeptFindings] = msgspec.msgpack.Decoder(KeptFindings)
_project: msgspec.msgpack.Decoder[KeptProject] = msgspec.msgpack.Decoder(KeptProject)


_FIELDS, _MANY, _MAPPING = b"\x90", b"\xdd", b"\xdf"
"""What begins an array of a few, an array and a map in MessagePack."""
_BATCH = 1 << 10


def encode(kept: KeptFindings | KeptProject) -> bytes:
    """It is compressed as it is encoded: the whole is many times as large."""
    compressing = zlib.compressobj(_QUICK)
    found = [compressing.compress(part) for part in _parts(kept)]
    return b"".join((*found, compressing.flush()))


def _parts(kept: KeptFindings | KeptProject) -> Iterator[bytes]:
    """What encodes it as a whole, in parts."""
    encoded = _encoder.encode
    names = kept.__struct_fields__
    yield bytes((_FIELDS[0] | len(names),))
    for held in (getattr(kept, name) for name in names):
        parts: Iterator[bytes]
        match held:
            case list():
                yield _MANY + len(held).to_bytes(4, "big")
                parts = map(encoded, held)
            case dict():
                yield _MAPPING + len(held).to_bytes(4, "big")
                parts = (encoded(name) + encoded(one) for name, one in held.items())
            case _:
                parts = iter((encoded(held),))
        while some := b"".join(islice(parts, _BATCH)):
            yield some


def decode(data: bytes) -> KeptFindings | None:
    """None for what is none."""
    return _decoded(data, _findings)


def decode_project(data: bytes) -> KeptProject | None:
    """None for what is none."""
    return _decoded(data, _project)


_Kept = TypeVar("_Kept")


def _decoded(data: bytes, decoder: msgspec.msgpack.Decoder[_Kept]) -> _Kept | None:
    try:
        return decoder.decode(zlib.decompress(data))
    except (zlib.error, msgspec.DecodeError):
        return None


def numbers(data: bytes) -> array[int]:
    """The numbers of some keys."""
    found = array(_NUMBERS)
    found.frombytes(data)
    return found


def all_numbers(parts: Iterable[bytes]) -> array[int]:
    """The numbers of several."""
    return numbers(b"".join(parts))


def packed(some: Iterable[int]) -> bytes:
    """Numbers as they are kept."""
    return array(_NUMBERS, some).tobytes()


def renumbered(data: bytes, by: Mapping[int, int] | Sequence[int]) -> bytes:
    """The same keys by other numbers."""
    return packed(map(by.__getitem__, numbers(data)))


class Numbering:
    """Numbers keys."""

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        self.keys = list(keys)
        self._known = {key: number for number, key in enumerate(self.keys)}

    def of(self, keys: Iterable[Key]) -> bytes:
        """Their numbers."""
        known = self._known
        wanted = keys if isinstance(keys, Collection) else list(keys)
        new = [key for key in wanted if key not in known]
        for number, key in enumerate(new, len(self.keys)):
            known[key] = number
        self.keys += new
        return packed(map(known.__getitem__, wanted))

    def grouped(self, read: Iterable[tuple[Key, Iterable[Key]]]) -> dict[bytes, bytes]:
        """Keys by what was read for them beside themselves, all by their numbers."""
        found: dict[bytes, array[int]] = {}
        for key, keys in read:
            beside = packed(sorted(numbers(self.of([one for one in keys if one != key]))))
            found.setdefault(beside, array(_NUMBERS)).frombytes(self.of((key,)))
        return {beside: those.tobytes() for beside, those in found.items()}

    def table(self, keys: Iterable[Key]) -> array[int]:
        """The number of each of them, in order."""
        return numbers(self.of(keys))
