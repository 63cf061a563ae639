"""What is known of raw memory on one path of a Python function: who owns it, and what points there without keeping it.

Every owner that is made is a *token*. A `Ref` is a value that looks into a token's memory; it may hold the owner
alive, or have lost it: then `loss` says at what (a bare number, a field that copies the pointer alone, ...).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from ownlint.facts.records import Span
from ownlint.finding import Certainty
from ownlint.program.containment import BURIED
from ownlint.program.subjects import Function

Token = tuple[int, int]
"""Offset of the making, and 0 for the latest object made there or 1 for an earlier one; `-1 - n` is what the caller
passes for parameter `n`."""

_DEEPEST = 4


class Ref(NamedTuple):
    """`cls` is empty where nobody knows the class. `taken` is where it was got, or where it stopped holding. `whole`:
    it is the owner itself, and no view of it. `stale` is the call that moved the memory."""

    cls: str
    token: Token
    holds: bool
    taken: Span
    shown: str
    loss: str = ""
    whole: bool = False
    path: tuple[str, ...] = ()
    stale: Span = Span(0, 0)

    def inside(self, slot: str) -> Ref:
        path = (slot, *self.path)
        return self._replace(path=path if len(path) <= _DEEPEST else (*path[: _DEEPEST - 1], BURIED))

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
    return sorted(refs, key=lambda ref: (ref.token, ref.taken, ref.path, ref.cls, ref.holds, ref.loss, ref.stale))


class Stored(NamedTuple):
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


class State(NamedTuple):
    names: tuple[tuple[str, Refs], ...] = ()
    escaped: frozenset[Token] = frozenset()
    seen: frozenset[Token] = frozenset()
    """Given to a call nobody knows, which may keep it."""
    stored: frozenset[Stored] = frozenset()
    ended: tuple[tuple[Token, Span, str], ...] = ()
    registered: frozenset[Registered] = frozenset()
    consumed: frozenset[tuple[Token, Span]] = frozenset()

    def get(self, name: str) -> Refs:
        return next((refs for known, refs in self.names if known == name), NOTHING)

    def bind(self, name: str, refs: Refs, at: Span, how: str) -> State:
        before = self.get(name)
        if before == refs:
            return self
        names = [(known, held) for known, held in self.names if known != name]
        if refs:
            names = sorted([*names, (name, refs)], key=lambda pair: pair[0])
        lost = {ref.token for ref in before if ref.holds} - {ref.token for ref in refs if ref.holds}
        kept = tuple(entry for entry in self.ended if entry[0] not in lost)
        ended = (*kept, *((token, at, how.format(name=name)) for token in sorted(lost)))
        return self._replace(names=tuple(names), ended=ended)

    def alive(self, token: Token) -> bool:
        return (
            token in self.escaped
            or any(ref.token == token and ref.holds for _, refs in self.names for ref in refs)
            or any(stored.ref.token == token and stored.ref.holds for stored in self.stored)
        )

    @property
    def stored_owners(self) -> frozenset[Token]:
        return frozenset(stored.ref.token for stored in self.stored if stored.ref.holds)

    def end_of(self, token: Token) -> tuple[Span, str] | None:
        return next(((at, how) for ended, at, how in self.ended if ended == token), None)

    def escape(self, tokens: Iterable[Token]) -> State:
        return self._replace(escaped=self.escaped | frozenset(tokens))

    def changed(self, change: Callable[[Ref], Ref]) -> State:
        names = tuple((name, frozenset(change(ref) for ref in refs)) for name, refs in self.names)
        return self._replace(names=names)

    def age(self, site: int) -> State:
        """What was made at `site` before is now an earlier object."""

        def older(token: Token) -> Token:
            return (site, 1) if token[0] == site else token

        aged = self.changed(lambda ref: ref._replace(token=older(ref.token)) if ref.token[0] == site else ref)
        return aged._replace(
            escaped=frozenset(older(token) for token in self.escaped),
            seen=frozenset(older(token) for token in self.seen),
            stored=frozenset(s._replace(ref=s.ref._replace(token=older(s.ref.token))) for s in self.stored),
            ended=tuple((older(token), at, how) for token, at, how in self.ended),
            registered=frozenset(one._replace(token=older(one.token)) for one in self.registered),
            consumed=frozenset((older(token), at) for token, at in self.consumed),
        )


class Summary(NamedTuple):
    """What a function of the project does: what it returns, in tokens of its parameters and its own, the parameters it
    may keep, and those it registers as callbacks."""

    returns: Refs
    kept: frozenset[int]
    registers: tuple[tuple[int, str, Certainty], ...] = ()


class Misuse(msgspec.Struct, frozen=True):
    """Raw memory that is reached, handed out or kept by a number, when nobody keeps its owner.

    `kind`: `use`, `return`, `store`, `stale`, `consumed`, `kept`. `owner` and `made` say what owned it (`made` is None
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
