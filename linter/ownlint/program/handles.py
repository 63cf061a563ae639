"""Python handles of native objects: who owns what they point to, and who keeps that alive.

Every creation of an owner (`Module.parse(...)`) is a *token*; a handle knows the token it points into and whether it
holds it. A token is alive while some name holds it. A child that is used when nobody holds its token any more is
a bug; so is a child that leaves the function while its token stays behind.

Here are the records; `handle_values` says what an expression gives, `handle_flow` runs a function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import msgspec

from ownlint.facts.records import Span
from ownlint.finding import Certainty, Step
from ownlint.program.models import PyMember
from ownlint.program.subjects import Function

Token = tuple[int, int]
"""Offset of the creating call, and 0 for the latest object made there or 1 for an earlier one. What a caller owns has
a negative offset: `-1 - n` for the argument of parameter `n`."""

ANY = "*"
"""Slots, which say where in a Python object a handle sits: some element; `0`, `1`.. are the places of a tuple."""
VALUE = "="
"""A value of a dict."""
BURIED = "#"
"""Somewhere, where nobody takes it out: in a closure, a bound method, an iterator."""
AWAITED = "await"
"""The result of a coroutine."""
_DEEPEST = 4


class Fact(msgspec.Struct, frozen=True):
    """What a member or function gives: `keeps` as in `PyMember`; `returns` the class of the result (empty for plain
    data); `source` the argument it is borrowed from, 0 for the receiver; `declared` where the fact comes from when the
    project's own bindings say so. `called`: it is no property. `moves`: somebody else may be the owner afterwards."""

    keeps: str
    returns: str = ""
    declared: Step | None = None
    source: int = 0
    called: bool = True
    moves: bool = False

    @property
    def borrows(self) -> bool:
        return bool(self.returns) and self.keeps in ("owner", "wrapper", "none")

    def holds(self, holds: bool) -> bool:
        """Whether the result keeps its owner alive, taken from a handle that does (or does not)."""
        return self.keeps == "owner" or (self.keeps == "wrapper" and holds)


def fact_of(member: PyMember) -> Fact:
    """A model's member as a fact; what it borrows without a class is a view."""
    returns = member.returns[0] if member.returns else ""
    if not returns and member.borrows in ("self", "parent") and member.keeps in ("owner", "wrapper", "none"):
        returns = VIEW
    source = int(member.borrows.removeprefix("argument ")) if member.borrows.startswith("argument ") else 0
    moves = any(effect.verb in ("adopt", "own", "disown") for effect in member.effects)
    return Fact(
        member.keeps or "",
        returns,
        source=source,
        called=member.kind not in ("property", "buffer"),
        moves=moves and member.kind == "method",
    )


VIEW = "<view>"
"""The class of a handle of which nothing is known but that it looks into its owner."""


class Classes(Protocol):
    """Where the knowledge about handle classes comes from."""

    def find(self, dotted: str) -> str | None:
        """The canonical name of a handle class, or None when `dotted` is none."""

    def member(self, cls: str, name: str) -> Fact | None: ...

    def function(self, dotted: str) -> Fact | None:
        """A function of a native module."""

    def called(self, caller: Function, symbol: str, given: tuple[Given, ...]) -> Summary | None:
        """What the project's own function does with its arguments; None when nobody knows."""


class Handle(NamedTuple):
    """A value that points into native memory. `path` says where in a Python object it sits, outermost slot first;
    `element` that it was taken out of `shown`."""

    cls: str
    token: Token
    holds: bool
    taken: Span
    shown: str
    element: bool = False
    declared: Step | None = None
    path: tuple[str, ...] = ()

    def inside(self, slot: str) -> Handle:
        path = (slot, *self.path)
        return self._replace(path=path if len(path) <= _DEEPEST else (*path[: _DEEPEST - 1], BURIED))

    def out(self) -> Handle:
        return self._replace(path=self.path[1:])


Handles = frozenset[Handle]
NOTHING: Handles = frozenset()


class Given(NamedTuple):
    """An argument: the class of the handle that is passed, and the parameter it is passed for."""

    parameter: int
    cls: str
    holds: bool


class Summary(NamedTuple):
    """What a function of the project returns, in tokens of its parameters and one of its own; `kept` are the
    parameters whose owners somebody may keep afterwards."""

    returns: Handles
    kept: frozenset[int]


def in_order(handles: Iterable[Handle]) -> list[Handle]:
    return sorted(handles, key=lambda h: (h.token, h.taken, h.path, h.cls, h.holds))


def inside(handles: Iterable[Handle], slot: str) -> Handles:
    return frozenset(handle.inside(slot) for handle in handles)


class Stored(NamedTuple):
    """A handle that was put where it outlives the function; `name` where that is a name of a module."""

    handle: Handle
    at: Span
    name: str = ""


class State(NamedTuple):
    """What is known on one path."""

    names: tuple[tuple[str, Handles], ...] = ()
    escaped: frozenset[Token] = frozenset()
    stored: frozenset[Stored] = frozenset()
    ended: tuple[tuple[Token, Span, str], ...] = ()
    """How the last name that held a token let go of it."""

    def get(self, name: str) -> Handles:
        return next((handles for known, handles in self.names if known == name), NOTHING)

    def bind(self, name: str, handles: Handles, at: Span, how: str) -> State:
        before = self.get(name)
        if before == handles:
            return self
        names = [(known, held) for known, held in self.names if known != name]
        if handles:
            names = sorted([*names, (name, handles)], key=lambda pair: pair[0])
        lost = {h.token for h in before if h.holds} - {h.token for h in handles if h.holds}
        kept = tuple(e for e in self.ended if e[0] not in lost)
        ended = (*kept, *((token, at, how.format(name=name)) for token in sorted(lost)))
        return self._replace(names=tuple(names), ended=ended)

    def alive(self, token: Token) -> bool:
        return (
            token in self.escaped
            or any(h.token == token and h.holds for _, handles in self.names for h in handles)
            or token in self.stored_owners
        )

    @property
    def stored_owners(self) -> frozenset[Token]:
        return frozenset(stored.handle.token for stored in self.stored if stored.handle.holds)

    def end_of(self, token: Token) -> tuple[Span, str] | None:
        return next(((at, how) for ended, at, how in self.ended if ended == token), None)

    def escape(self, tokens: Iterable[Token]) -> State:
        return self._replace(escaped=self.escaped | frozenset(tokens))

    def age(self, site: int) -> State:
        """What was made at `site` before is now an earlier object."""

        def older(token: Token) -> Token:
            return (site, 1) if token[0] == site else token

        if not any(token[0] == site for token in self.tokens()):
            return self
        names = tuple(
            (name, frozenset(h._replace(token=older(h.token)) for h in handles)) for name, handles in self.names
        )
        stored = frozenset(s._replace(handle=s.handle._replace(token=older(s.handle.token))) for s in self.stored)
        ended = tuple((older(token), at, how) for token, at, how in self.ended)
        return State(names, frozenset(older(token) for token in self.escaped), stored, ended)

    def tokens(self) -> Iterator[Token]:
        yield from self.escaped
        yield from (handle.token for _, handles in self.names for handle in handles)
        yield from (stored.handle.token for stored in self.stored)
        yield from (token for token, _, _ in self.ended)


class Misuse(msgspec.Struct, frozen=True):
    """A handle that is used, or handed out, when its owner is gone.

    `kind`: `use`, `return`, `store`. `made` is where the owner is created, `ended` how the owner dies (None for a
    temporary)."""

    function: Function
    kind: str
    at: Span
    child: Handle
    owner: str
    made: Span
    ended: tuple[Span, str] | None
    certainty: Certainty

    @property
    def declared(self) -> Step | None:
        """Where the project's own binding says so."""
        return self.child.declared

    @property
    def what(self) -> str:
        """The child in words, the user's code in backticks."""
        return f"an element of `{self.child.shown}`" if self.child.element else f"`{self.child.shown}`"
