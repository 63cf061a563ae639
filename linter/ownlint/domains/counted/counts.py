"""What one way through a function knows of counted references: who owns how many, what may be NULL.

A `CountState` is one way that has been taken so far; ways that come to know the same are one. It never changes: whoever
learns something makes another.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, MutableMapping, Set
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ownlint.engine.shared import Indexed, Map
from ownlint.flow.places import Place

Id = tuple[int, int]
"""An object: the event that gave it, and which of two rounds of a loop."""

Kind = Literal["new", "borrowed", "given", "kept", "memory"]
"""Where it came from: made or handed out here; lent by somebody; an argument of the function; read out of a place that
others see; memory of another object."""

Null = Literal["no", "maybe", "unknown"]


_MOST_HOLDERS = 3
ROUNDS = 3
"""So many objects of one call are told apart: those of three rounds of a loop, or of three variables it writes to."""


class HeldReference(NamedTuple):
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
    """A call may or may not have taken it over, and no test has asked; or there is none, since its call has failed."""
    freed: int = -1
    """The event that released the last reference the function had, whoever else has one."""
    put: int = -1
    """The event that put it, uncounted, into a place that others see."""
    raised: int = -1
    """The event that took one reference more."""
    lent: bool = False
    """A part of it was given away together with a function that counts it down: the next reference that is taken is for
    that one."""
    holds: tuple[Id, ...] = ()
    """What it was made from, and may have a reference to: an iterator, a bound method, a tuple."""
    kept: bool = False
    """What holds it went out of sight."""


class KnownPlace(NamedTuple):
    """A place holds no object: NULL, or a number of one of these signs, which may tell how a call went."""

    signs: str
    """Of `-0+`; NULL is `0`."""
    exact: bool = True
    """It is -1, 0 or 1, as calls answer, or NULL because the code says so; a test alone says less."""


NULL = KnownPlace("0")

SOMETHING = KnownPlace("-0+", exact=False)
"""What stands there is no reference of which anything is known."""

OUT: Place = ("%", "out")
"""How the places begin that belong to the caller's variables."""


Value = Id | KnownPlace


MAYBE, PENDING, PRESENT, OWING = "maybe NULL", "pending", "new and not NULL", "owing"
"""Words under which objects are found."""


def _place_words(place: Place, value: Value) -> Iterator[Hashable]:
    if not isinstance(value, KnownPlace):
        yield value


def _object_words(one: Id, held: HeldReference) -> Iterator[Hashable]:
    if held.owner is not None:
        yield held.owner
    if held.null == "maybe":
        yield MAYBE
    if held.kind == "new" and held.null == "no":
        yield PRESENT
    if held.pending:
        yield PENDING
    if is_owing(held):
        yield OWING


def is_owing(held: HeldReference) -> bool:
    """Whether references are owed, or were given away that nobody had."""
    return held.owed != 0 and not held.pending


class CountState(NamedTuple):
    places: Indexed[Place, Value] = Indexed(_place_words)
    objects: Indexed[Id, HeldReference] = Indexed(_object_words)
    tests: frozenset[tuple[str, bool]] = frozenset()
    loose: frozenset[Id] = frozenset()
    """Objects that nobody holds or owes for since the last event: the next one drops them."""


K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


class _Changing(MutableMapping[K, V], Generic[K, V]):
    """A map of a state while one event changes it: however large it is, a change costs the same."""

    def __init__(self, known: Indexed[K, V]) -> None:
        self.known = known
        self.changed: list[tuple[K, V | None]] = []
        """What was set or deleted, with what stood there before."""

    def __getitem__(self, key: K) -> V:
        found = self.known.entries.get(key, None)
        if found is None:
            raise KeyError(key)
        return found

    def get(self, key: K, default: Any = None) -> Any:
        return self.known.entries.get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self.known.entries

    def __setitem__(self, key: K, value: V) -> None:
        self.changed.append((key, self.known.entries.get(key, None)))
        self.known = self.known.set(key, value)

    def __delitem__(self, key: K) -> None:
        self.changed.append((key, self[key]))
        self.known = self.known.without(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.known.entries)

    def __len__(self) -> int:
        return len(self.known.entries)


class CountDraft:
    """A state while one event changes it."""

    def __init__(self, state: CountState) -> None:
        self._state = state
        self.places = _Changing(state.places)
        self.objects = _Changing(state.objects)
        self.tests = state.tests
        """How tests went, by their text: at most one outcome of each."""

    def copy(self) -> CountDraft:
        return CountDraft(self.state())

    def state(self) -> CountState:
        """Without the objects that nobody holds any more and nobody owes for."""
        before = self._state
        tests = before.tests if self.tests == before.tests else self.tests
        if not (before.loose or self.objects.changed or self.places.changed) and tests is before.tests:
            return before
        left = {*before.loose, *(one for one, _ in self.objects.changed)}
        left |= {held.owner for _, held in self.objects.changed if held is not None and held.owner is not None}
        left |= {value for _, value in self.places.changed if value is not None and not isinstance(value, KnownPlace)}
        objects = self.objects.known
        dropped = [one for one in left if self._is_loose(one, objects)]
        owners = {self.objects[one].owner for one in dropped}
        for one in dropped:
            objects = objects.without(one)
        loose = frozenset(one for one in owners if one is not None and self._is_loose(one, objects))
        return CountState(self.places.known, objects, tests, loose)

    def _is_loose(self, one: Id, objects: Indexed[Id, HeldReference]) -> bool:
        held = objects.entries.get(one, None)
        if held is None or self.is_named(one) or one in objects.index:
            return False
        return not held.owed or held.stored

    def holders(self, one: Id) -> list[Place]:
        """The places that hold an object."""
        return self.places.known.under(one)

    def holding(self, one: Id) -> Map[Place, bool] | None:
        """The same as `holders`, as it is kept: another where one came or went."""
        return self.places.known.index.get(one, None)

    def borrowers(self, one: Id) -> list[Id]:
        """The objects that an object lends."""
        return self.objects.known.under(one)

    def marked(self, word: str) -> list[Id]:
        """The objects that are found under one of the words above."""
        return self.objects.known.under(word)

    def begin(self, site: int, held: HeldReference) -> Id:
        """A new object; what an earlier round of a loop got here is another."""
        one = next(((site, round_) for round_ in range(ROUNDS) if (site, round_) not in self.objects), (site, ROUNDS))
        if one in self.objects:
            self.forget(one)
        self.objects[one] = held
        return one

    def forget(self, one: Id) -> None:
        """Nothing is said of it from now on: what it holds, it may hold for good."""
        gone = self.objects.pop(one, None)
        for other in gone.holds if gone is not None else ():
            if other in self.objects:
                self.change(other, kept=True)
        for place in self.holders(one):
            if place[:2] == OUT:
                self.places[place] = SOMETHING
            else:
                del self.places[place]
        for other in self.borrowers(one):
            self.objects[other] = self.objects[other]._replace(owner=None)

    def at(self, place: Place | None) -> HeldReference | None:
        one = self.id_at(place)
        return self.objects.get(one) if one is not None else None

    def id_at(self, place: Place | None) -> Id | None:
        value = self.places.get(place) if place is not None else None
        return value if value is not None and not isinstance(value, KnownPlace) and value in self.objects else None

    def change(self, one: Id, **what: object) -> None:
        self.objects[one] = self.objects[one]._replace(**what)  # type: ignore[arg-type]

    def is_named(self, one: Id) -> bool:
        return one in self.places.known.index

    def make_null(self, one: Id) -> None:
        """It turns out to be none: every place that holds it holds NULL."""
        for place in self.holders(one):
            self.places[place] = KnownPlace("0", exact=False)
        if one in self.objects:
            self.change(one, holds=())
        self.forget(one)

    def is_held(self, one: Id, given_on: Set[Id], depth: int = 0) -> bool:
        """Whether another object that lives, or was `given_on` to something that does, may have a reference to it."""
        return self.objects[one].kept or any(
            one in other.holds
            and (
                other.owed > 0
                or other.stored
                or holder in given_on
                or depth > _MOST_HOLDERS
                or self.is_held(holder, given_on, depth + 1)
            )
            for holder, other in self.objects.items()
        )

    def is_dead(self, one: Id) -> int:
        """The event that ended it, or the one that lends it; -1 while it lives."""
        for _ in range(4):
            held = self.objects.get(one)
            if held is None:
                return -1
            if held.dead >= 0 or held.owner is None:
                dead: int = held.dead
                return dead
            if held.owed > 0:
                return -1  # it has a reference of its own
            one = held.owner
        return -1
