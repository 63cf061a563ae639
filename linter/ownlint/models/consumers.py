"""What models say about callables that consume what they are given, and about the values that can be consumed.

A *wrapper* makes a callable of a callable; keywords of the wrapper name the positions, or the names, of the arguments
whose storage each call takes away.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache

import msgspec

from ownlint.models.tables import ModelTable


class ConsumerModel(msgspec.Struct, frozen=True):
    """A wrapper whose result consumes arguments; with `when`, a function that consumes its first argument itself when
    this keyword is given this constant."""

    name: str = ""
    positions: str = ""
    """The keyword that says which positions are consumed; they count from 0, as the code writes them."""
    by_name: str = ""
    static: str = ""
    """The keyword that says which positions are constants: a compiled form takes them no more."""
    keywords: bool = True
    """What is passed by keyword is consumed too."""
    inert: tuple[str, ...] = ()
    """Methods of the result that take the same arguments and consume nothing."""
    carries: tuple[str, ...] = ()
    """Methods that lead on to another form of the same callable."""
    when: tuple[str, ...] = ()
    source: str = ""

    @property
    def is_wrapper(self) -> bool:
        return not self.when


class StorageModel(msgspec.Struct, frozen=True):
    """Values with storage that can be taken away. Names are dotted, and `*` stands for anything."""

    types: tuple[str, ...] = ()
    made_by: tuple[str, ...] = ()
    """Functions that give such values, or trees of them."""
    elsewhere: tuple[str, ...] = ()
    """Functions whose results are plain data, or storage of somebody else's."""
    foreign_types: tuple[str, ...] = ()
    """Types of values that lose nothing when they are passed."""
    same: tuple[str, ...] = ()
    """Functions that hand on the storage of their first argument."""
    same_methods: tuple[str, ...] = ()
    same_when: tuple[str, ...] = ()
    """Functions and methods that do so when they are asked for what the value has: `v.reshape(v.shape)`."""
    reads: tuple[str, ...] = ()
    """Methods that look at the storage."""
    fetches: tuple[str, ...] = ()
    """Of these, those whose results are plain data."""
    plain: tuple[str, ...] = ()
    """Members that can be read when the storage is gone."""
    parts: tuple[str, ...] = ()
    """Members that are sequences of parts of the storage."""
    aside: tuple[str, ...] = ()
    """Members of trees that are no part of what is passed on: functions, settings."""
    looks: tuple[str, ...] = ()
    """Functions that look at no storage."""
    maps: tuple[str, ...] = ()
    """Functions that call their first argument on every leaf of the others."""
    ends: tuple[str, ...] = ()
    """Methods that free the storage."""
    asks: tuple[str, ...] = ()
    """Methods that ask whether it is there: who asks knows what happens here."""
    traced_by: tuple[str, ...] = ()
    """Functions that run what they are given on stand-ins: nothing is consumed in there."""
    passes_on: tuple[str, ...] = ()
    """Functions that make another callable of the same arguments."""
    expects: tuple[str, ...] = ()
    """Calls and contexts that expect a failure inside."""
    suspends: tuple[str, ...] = ()
    """Contexts in which nothing is consumed."""
    switched_by: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    """What `switched_by` switches so that nothing is consumed: the text of its first argument."""
    repeats: tuple[str, ...] = ()
    """Functions that call their first argument again and again."""
    failures: tuple[str, ...] = ()
    """Last names of the exceptions that a call can raise after it has consumed its arguments."""


def read_storage(table: ModelTable) -> StorageModel:
    found = {key: table.texts(key) for key in StorageModel.__struct_fields__}
    table.text("source")
    table.done()
    return StorageModel(**found)


class Consuming:
    """The consumers and storage of all models; `canonical` resolves aliases of modules."""

    def __init__(self, consumers: Iterable[ConsumerModel], storages: Iterable[StorageModel]) -> None:
        self.consumers = {model.name: model for model in consumers}
        storages = list(storages)
        self.storage = StorageModel(
            **{
                key: tuple(dict.fromkeys(word for one in storages for word in getattr(one, key)))
                for key in StorageModel.__struct_fields__
            }
        )
        self.fits = lru_cache(1 << 14)(self._fits)

    @property
    def keywords(self) -> frozenset[str]:
        """Every keyword that says what is consumed."""
        words = {word for m in self.consumers.values() for word in (m.positions, m.by_name, *m.when[:1])}
        return frozenset(words - {""})

    @property
    def wrapper_keywords(self) -> frozenset[str]:
        words = {word for model in self.consumers.values() for word in (model.positions, model.by_name)}
        return frozenset(words - {""})

    def _fits(self, kind: str, dotted: str) -> bool:
        """Whether a dotted name is among those of that kind; a pattern without a dot stands for a last name."""
        if not dotted:
            return False
        last = dotted.rpartition(".")[2]
        patterns: tuple[str, ...] = getattr(self.storage, kind)
        return any(fnmatchcase(dotted if "." in pattern else last, pattern) for pattern in patterns)
