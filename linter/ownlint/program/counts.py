"""What one way through a function knows of counted references: who owns how many, what may be NULL.

A `State` is one way that has been taken so far; ways that come to know the same are one. It never changes: whoever
learns something makes another.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ownlint.program.places import Place

Id = tuple[int, int]
"""An object: the event that gave it, and which of two rounds of a loop."""

Kind = Literal["new", "borrowed", "given", "kept", "memory"]
"""Where it came from: made or handed out here; lent by somebody; an argument of the function; read out of a place that
others see; memory of another object."""

Null = Literal["no", "maybe", "unknown"]


_ROUNDS = 3
"""So many objects of one call are told apart: those of three rounds of a loop, or of three variables it writes to."""


class Held(NamedTuple):
    """One object as this way sees it. `owed` is how many references the function owes."""

    kind: Kind
    owed: int
    null: Null = "unknown"
    owner: Id | None = None
    """Who lends it: with the owner's last reference it is gone."""
    dead: int = -1
    """The event that released the last reference the function had."""
    taken: int = -1
    """The event by which somebody took a reference over."""
    stored: bool = False
    """It was put into a place that others see, or that keeps it."""
    pending: bool = False
    """A call may or may not have taken it over, and nobody has asked."""
    freed: int = -1
    """The event that released the last reference the function had, whoever else has one."""
    put: int = -1
    """The event that put it, uncounted, into a place that others see."""
    raised: int = -1
    """The event that took one reference more."""


class Known(NamedTuple):
    """A place holds no object: NULL, or a number of one of these signs, which may tell how a call went."""

    signs: str
    """Of `-0+`; NULL is `0`."""
    exact: bool = True
    """It is -1, 0 or 1, as calls answer, or NULL because the code says so; a test alone says less."""


NULL = Known("0")


Value = Id | Known


class State(NamedTuple):
    places: frozenset[tuple[Place, Value]] = frozenset()
    objects: frozenset[tuple[Id, Held]] = frozenset()
    tests: frozenset[tuple[str, bool]] = frozenset()


class Draft:
    """A state while one event changes it."""

    def __init__(self, state: State) -> None:
        self.places: dict[Place, Value] = dict(state.places)
        self.objects: dict[Id, Held] = dict(state.objects)
        self.tests: dict[str, bool] = dict(state.tests)

    def copy(self) -> Draft:
        return Draft(self.state())

    def state(self) -> State:
        """Without the objects that nobody holds any more and nobody owes for."""
        named = {value for value in self.places.values() if not isinstance(value, Known)}
        lending = {held.owner for held in self.objects.values() if held.owner is not None}
        kept = (
            (one, held)
            for one, held in self.objects.items()
            if one in named or one in lending or (held.owed and not held.stored)
        )
        return State(frozenset(self.places.items()), frozenset(kept), frozenset(self.tests.items()))

    def begin(self, site: int, held: Held) -> Id:
        """A new object; what an earlier round of a loop got here is another."""
        one = next(((site, round_) for round_ in range(_ROUNDS) if (site, round_) not in self.objects), (site, _ROUNDS))
        if one in self.objects:
            self.forget(one)
        self.objects[one] = held
        return one

    def forget(self, one: Id) -> None:
        """Nothing is said of it from now on."""
        self.objects.pop(one, None)
        for place in [place for place, value in self.places.items() if value == one]:
            del self.places[place]
        for other, held in list(self.objects.items()):
            if held.owner == one:
                self.objects[other] = held._replace(owner=None)

    def at(self, place: Place | None) -> Held | None:
        one = self.id_at(place)
        return self.objects.get(one) if one is not None else None

    def id_at(self, place: Place | None) -> Id | None:
        value = self.places.get(place) if place is not None else None
        return value if value is not None and not isinstance(value, Known) and value in self.objects else None

    def change(self, one: Id, **what: object) -> None:
        self.objects[one] = self.objects[one]._replace(**what)  # type: ignore[arg-type]

    def is_named(self, one: Id) -> bool:
        return any(value == one for value in self.places.values())

    def make_null(self, one: Id) -> None:
        """It turns out to be none: every place that holds it holds NULL."""
        for place in [place for place, value in self.places.items() if value == one]:
            self.places[place] = Known("0", exact=False)
        self.forget(one)

    def is_dead(self, one: Id) -> int:
        """The event that ended it, or the one that lends it; -1 while it lives."""
        for _ in range(4):
            held = self.objects.get(one)
            if held is None:
                return -1
            if held.dead >= 0 or held.owner is None:
                return held.dead
            if held.owed > 0:
                return -1  # it has a reference of its own
            one = held.owner
        return -1
