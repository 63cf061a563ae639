"""Maps that share what they have in common: a changed one costs a few small copies, however large it is.

A flow keeps a state for each path and changes it with each statement. Copied whole, the states of a function of n
statements would cost n * n.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Generic, TypeVar, cast

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
D = TypeVar("D")

_SMALL = 256
"""Up to so many entries are one dict, which is copied faster than a path through the tree is."""
_BITS = 6
_MASK = (1 << _BITS) - 1
_EMPTY: tuple[None, ...] = (None,) * (1 << _BITS)
_ABSENT = object()


class Map(Generic[K, V]):
    """An immutable map, which can be hashed and compared. Its order means nothing: sort what is shown."""

    __slots__ = ("_hash", "_leaf", "_size", "_tree")

    def __init__(self) -> None:
        self._leaf: dict[K, V] | None = {}
        self._tree: tuple[Any, ...] = _EMPTY
        self._size = 0
        self._hash = 0

    def __len__(self) -> int:
        return self._size

    def __contains__(self, key: object) -> bool:
        return self._found(key) is not _ABSENT

    def __iter__(self) -> Iterator[K]:
        for leaf in self._leaves():
            yield from leaf

    def listed(self) -> list[K]:
        """The keys."""
        return list(self._leaf) if self._leaf is not None else list(self)

    def items(self) -> Iterator[tuple[K, V]]:
        for leaf in self._leaves():
            yield from leaf.items()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Map) or (self._hash, self._size) != (other._hash, other._size):
            return False
        return all(other._found(key) == value for key, value in self.items())

    def get(self, key: K, default: D) -> V | D:
        found = self._found(key)
        return default if found is _ABSENT else found

    def set(self, key: K, value: V) -> Map[K, V]:
        before = self._found(key)
        if before is not _ABSENT and before == value:
            return self
        gone = hash((key, before)) if before is not _ABSENT else 0
        return self._with(key, {key: value}, self._size + (before is _ABSENT), self._hash ^ gone ^ hash((key, value)))

    def without(self, key: K) -> Map[K, V]:
        before = self._found(key)
        return self if before is _ABSENT else self._with(key, {}, self._size - 1, self._hash ^ hash((key, before)))

    def replaced(self, entries: dict[K, V]) -> Map[K, V]:
        """With all these."""
        if self._leaf is None:
            made = self
            for key, value in entries.items():
                made = made.set(key, value)
            return made
        leaf, code = {**self._leaf}, self._hash
        for key, value in entries.items():
            before = leaf.get(key, _ABSENT)
            code ^= hash((key, value)) ^ (hash((key, before)) if before is not _ABSENT else 0)
            leaf[key] = value
        return _of_leaf(leaf, code)

    def _found(self, key: Any) -> Any:
        leaf: Any
        if self._leaf is not None:
            return self._leaf.get(key, _ABSENT)
        code = hash(key)
        branch = self._tree[code & _MASK]
        leaf = branch[code >> _BITS & _MASK] if branch is not None else None
        return leaf.get(key, _ABSENT) if leaf is not None else _ABSENT

    def _with(self, key: K, entry: dict[K, V], size: int, code: int) -> Map[K, V]:
        made: Map[K, V] = Map()
        made._size, made._hash = size, code
        if self._leaf is not None and size <= _SMALL:
            leaf = {**self._leaf, **entry}
            if not entry:
                del leaf[key]
            made._leaf = leaf
            return made
        tree = self._tree
        if self._leaf is not None:
            for known, value in self._leaf.items():
                tree = _grown(tree, known, {known: value})
        made._leaf, made._tree = None, _grown(tree, key, entry)
        return made

    def _leaves(self) -> Iterator[dict[K, V]]:
        if self._leaf is not None:
            yield self._leaf
            return
        for branch in self._tree:
            yield from (leaf for leaf in branch or () if leaf is not None)


def _of_leaf(leaf: dict[K, V], code: int) -> Map[K, V]:
    made: Map[K, V] = Map()
    made._size, made._hash = len(leaf), code
    if len(leaf) <= _SMALL:
        made._leaf = leaf
        return made
    tree = _EMPTY
    for key, value in leaf.items():
        tree = _grown(tree, key, {key: value})
    made._leaf, made._tree = None, tree
    return made


def _grown(tree: tuple[Any, ...], key: Hashable, entry: dict[Any, Any]) -> tuple[Any, ...]:
    """The tree in which the key has this entry, or none."""
    code = hash(key)
    high, low = code & _MASK, code >> _BITS & _MASK
    branch = tree[high] or _EMPTY
    leaf = {**(branch[low] or {}), **entry}
    if not entry:
        del leaf[key]
    return _put(tree, high, _put(branch, low, leaf))


def _put(items: tuple[Any, ...], at: int, item: object) -> tuple[Any, ...]:
    changed = list(items)
    changed[at] = item
    return tuple(changed)


class Indexed(Generic[K, V]):
    """An immutable map with an index: which keys have a value that is about something. Compared by its entries."""

    __slots__ = ("_about", "_shown", "entries", "index")

    def __init__(self, about: Callable[[K, V], Iterable[Hashable]]) -> None:
        """`about` says under which words an entry is looked for; it is called again when the entry goes. Where values
        are sets, it says so of each element."""
        self._about = about
        self.entries: Map[K, V] = Map()
        self.index: Map[Hashable, Map[K, bool]] = Map()
        self._shown: tuple[str, ...] | None = None

    def shown(self) -> tuple[str, ...]:
        """The entries as text, sorted: an order among maps that is the same in every run."""
        if self._shown is None:
            self._shown = tuple(sorted(map(repr, self.entries.items())))
        return self._shown

    def __hash__(self) -> int:
        return hash(self.entries)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Indexed) and self.entries == other.entries)

    def set(self, key: K, value: V) -> Indexed[K, V]:
        entries = self.entries.set(key, value)
        if entries is self.entries:
            return self
        before = self.entries._found(key)
        if isinstance(before, frozenset) and isinstance(value, frozenset):
            gone = frozenset(self._about(key, cast("V", before - value)))
            come = frozenset(self._about(key, cast("V", value - before)))
            gone = gone - frozenset(self._about(key, value)) if gone - come else frozenset()
            return self._made(entries, _changed(self.index, key, gone, come))
        known = self._words(key)
        after = frozenset(self._about(key, value))
        return self._made(entries, _changed(self.index, key, known - after, after - known))

    def without(self, key: K) -> Indexed[K, V]:
        if key not in self.entries:
            return self
        return self._made(self.entries.without(key), _changed(self.index, key, self._words(key), frozenset()))

    def _words(self, key: K) -> frozenset[Hashable]:
        value = self.entries._found(key)
        return frozenset() if value is _ABSENT else frozenset(self._about(key, value))

    def under(self, *words: Hashable) -> list[K]:
        """The keys whose values are about one of these words, once each."""
        found = [keys.listed() for word in words if (keys := self.index.get(word, None)) is not None]
        if len(found) < 2:
            return found[0] if found else []
        return list(dict.fromkeys(key for keys in found for key in keys))

    def _made(self, entries: Map[K, V], index: Map[Hashable, Map[K, bool]]) -> Indexed[K, V]:
        made = Indexed(self._about)
        made.entries, made.index = entries, index
        return made


def _changed(
    index: Map[Hashable, Map[K, bool]], key: K, gone: frozenset[Hashable], come: frozenset[Hashable]
) -> Map[Hashable, Map[K, bool]]:
    if not gone and not come:
        return index
    alone: Map[K, bool] = _NOTHING.set(key, True)
    if index._leaf is not None:  # of an index nobody asks for its hash
        words = {**index._leaf}
        for word in gone:
            known = words.get(word)
            if known is not None and key in known:
                if len(known) > 1:
                    words[word] = known.without(key)
                else:
                    del words[word]
        for word in come:
            known = words.get(word)
            words[word] = alone if known is None else known.set(key, True)
        return _of_leaf(words, 0)
    for word in gone:
        left = index.get(word, _NOTHING).without(key)
        index = index.set(word, left) if left else index.without(word)
    for word in come:
        index = index.set(word, index.get(word, _NOTHING).set(key, True))
    return index


_NOTHING: Map[Any, Any] = Map()
