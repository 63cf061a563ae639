"""What is known of raw memory on one path of a Python function: who owns it, and what points there without keeping it.

Every owner that is made is a *token*. A `Ref` is a value that looks into a token's memory; it may hold the owner
alive, or have lost it: then `loss` says at what (a bare number, a field that copies the pointer alone, ...).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from ownlint import Certainty, Function, Span, containment, decided, shared

Token = tuple[int, int]
"""Offset of the making, and 0 for the latest object made there or 1 for an earlier one; `-1 - n` is what the caller
passes for parameter `n`."""

_DEEPEST = 4
LENT = "lent"
"""The loss of a view of what an object frees when it dies: it holds its own address, and not that object."""


class Ref(NamedTuple):
    """`cls` is empty where nobody knows the class. `taken` is where it was got, or where it stopped holding. `whole`:
    it is the owner itself, and no view of it."""

    cls: str
    token: Token
    holds: bool
    taken: Span
    shown: str
    loss: str = ""
    whole: bool = False
    path: tuple[str, ...] = ()

    def inside(self, slot: str) -> Ref:
        path = (slot, *self.path)
        return self._replace(path=path if len(path) <= _DEEPEST else (*path[: _DEEPEST - 1], containment.BURIED))

    def out(self) -> Ref:
        return self._replace(path=self.path[1:])


Refs = frozenset[Ref]
NOTHING: Refs = frozenset()


def inside(refs: Iterable[Ref], slot: str) -> Refs:
    return frozenset(ref.inside(slot) for ref in refs)


def whole(refs: Iterable[Ref]) -> Refs:
    """Those that are the value itself, not something in it."""
    return frozenset(ref for ref in refs if not ref.path)


def in_order(refs: Iterable[Ref]) -> list[Ref]:
    return sorted(refs, key=lambda ref: (ref.token, ref.taken, ref.path, ref.cls, ref.holds, ref.loss))


class StoredRef(NamedTuple):
    """A ref that was put where it outlives the function; `name` where that is a name of a module."""

    ref: Ref
    at: Span
    name: str = ""


class Registered(NamedTuple):
    """A callback that a foreign function keeps. `others` are the locals it was registered with."""

    token: Token
    at: Span
    callee: str
    certainty: Certainty
    others: tuple[str, ...] = ()


_MOST_HELD = 256
"""Refs followed in one name: what a larger container holds, nobody knows."""


def _ref_words(ref: Ref) -> Iterator[Hashable]:
    yield ref.token
    if ref.holds:
        yield "held", ref.token


def _name_words(name: str, refs: Refs) -> Iterator[Hashable]:
    return (word for ref in refs for word in _ref_words(ref))


def _stored_words(stored: StoredRef, kept: bool) -> Iterator[Hashable]:
    return _ref_words(stored.ref)


class AddressState(NamedTuple):
    names: shared.Indexed[str, Refs] = shared.Indexed(_name_words)
    escaped: shared.Map[Token, bool] = shared.Map()
    seen: frozenset[Token] = frozenset()
    """Given to a call nobody knows, which may keep it."""
    stored: shared.Indexed[StoredRef, bool] = shared.Indexed(_stored_words)
    ended: shared.Map[Token, tuple[Span, str]] = shared.Map()
    registered: frozenset[Registered] = frozenset()
    consumed: frozenset[tuple[Token, Span]] = frozenset()
    facts: decided.Facts = decided.NO_FACTS
    """What the way knows of names that were tested, or set."""

    def get(self, name: str) -> Refs:
        return self.names.entries.get(name, NOTHING)

    def bind(self, name: str, refs: Refs, at: Span, how: str) -> AddressState:
        before = self.get(name)
        if before == refs:
            return self
        if len(refs) > _MOST_HELD:
            return self.escape({ref.token for ref in refs}).bind(name, NOTHING, at, how)
        lost = {ref.token for ref in before if ref.holds} - {ref.token for ref in refs if ref.holds}
        ended = self.ended
        for token in lost:
            ended = ended.set(token, (at, how.format(name=name)))
        names = self.names.set(name, refs) if refs else self.names.without(name)
        return self._replace(names=names, ended=ended)

    def put_away(self, stored: Iterable[StoredRef]) -> AddressState:
        """This was put where it outlives the function."""
        known = self.stored
        for one in stored:
            known = known.set(one, True)
        return self._replace(stored=known)

    def alive(self, token: Token) -> bool:
        return self.is_named(token) or self.is_kept(token)

    def is_named(self, token: Token) -> bool:
        """Whether a name holds it."""
        return ("held", token) in self.names.index

    def is_kept(self, token: Token) -> bool:
        """By what was stored, or by somebody nobody knows."""
        return token in self.escaped or ("held", token) in self.stored.index

    def end_of(self, token: Token) -> tuple[Span, str] | None:
        return self.ended.get(token, None)

    def escape(self, tokens: Iterable[Token]) -> AddressState:
        escaped = self.escaped
        for token in tokens:
            escaped = escaped.set(token, True)
        return self._replace(escaped=escaped)

    def changed(self, tokens: Iterable[Token], change: Callable[[Ref], Ref]) -> AddressState:
        """What names hold of these tokens, as the change leaves it."""
        names = self.names
        for name in names.under(*tokens):
            names = names.set(name, frozenset(change(ref) for ref in names.entries.get(name, NOTHING)))
        return self._replace(names=names)

    def age(self, site: int) -> AddressState:
        """What was made at `site` before is now an earlier object."""
        new, old = (site, 0), (site, 1)

        def older(token: Token) -> Token:
            return old if token == new else token

        aged = self.changed((new,), lambda ref: ref._replace(token=old) if ref.token == new else ref)
        stored = self.stored
        for one in stored.under(new):
            stored = stored.without(one).set(one._replace(ref=one.ref._replace(token=old)), True)
        ended, gone = self.ended, self.ended.get(new, None)
        if gone is not None:
            ended = ended.without(new) if old in ended else ended.without(new).set(old, gone)
        return aged._replace(
            escaped=self.escaped.without(new).set(old, True) if new in self.escaped else self.escaped,
            seen=frozenset(map(older, self.seen)) if new in self.seen else self.seen,
            stored=stored,
            ended=ended,
            registered=frozenset(one._replace(token=older(one.token)) for one in self.registered),
            consumed=frozenset((older(token), at) for token, at in self.consumed),
        )


class AddressSummary(NamedTuple):
    """What a function of the project does: what it returns, in tokens of its parameters and its own, the parameters it
    may keep, and those it registers as callbacks."""

    returns: Refs
    kept: frozenset[int]
    registers: tuple[tuple[int, str, Certainty], ...] = ()


class AddressMisuse(msgspec.Struct, frozen=True):
    """Raw memory that is reached, handed out or kept by a number, when nobody keeps its owner.

    `kind`: `use`, `return`, `store`, `consumed`, `kept`. `owner` and `made` say what owned it (`made` is None
    for what the caller owns), `ended` how it went; None for a temporary."""

    function: Function
    kind: str
    at: Span
    ref: Ref
    owner: str
    made: Span | None
    ended: tuple[Span, str] | None
    certainty: Certainty
    before: Span | None = None
    callee: str = ""
    used: Span | None = None
    """Where it is used, returned or stored, when that is not where the mistake is."""
    temporary: bool = False
    """Nobody ever held the owner by name."""
