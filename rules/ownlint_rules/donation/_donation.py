"""Arguments whose storage a call takes away: the records of what can be called, and of what goes wrong.

A *consuming* callable is made by a wrapper, which names the positions or the names of the arguments whose storage every
call takes.

`donation_specs` reads wrappers, `donation_callables` says what a name stands for, `arrays` says it to the interpreter
of handles, which runs functions, `donations` knows the whole program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from ownlint import Certainty, Class, Function, Span, Step, because, consumer_models, weaker
from ownlint import records as r

# --- what can be called ---------------------------------------------------------------------------


class Take(NamedTuple):
    """What one call takes away: the argument at `position` (-1 when it has none), also known as `name`."""

    position: int
    name: str = ""
    certainty: Certainty = "certain"


class Consumer(msgspec.Struct, frozen=True):
    """A callable that takes storage away, or one that a wrapper made and that takes nothing."""

    takes: tuple[Take, ...]
    parameters: tuple[str, ...] = ()
    """Names by position, as the caller counts them; nothing when the signature is out of sight."""
    model: consumer_models.ConsumerModel | None = None
    shown: str = ""
    made: Step | None = None
    certainty: Certainty = "certain"
    static: tuple[int, ...] = ()
    wraps: Function | None = None
    unbound: bool = False
    """It takes no receiver, wherever it is found."""
    held: tuple[tuple[int, r.Value], ...] = ()
    """Arguments that are bound already, by position before they were."""

    @property
    def keywords(self) -> bool:
        return self.model is None or self.model.keywords

    def shifted(self, count: int) -> Consumer:
        """The first arguments are given already."""
        takes = tuple(
            t._replace(position=t.position - count) for t in self.takes if t.position < 0 or t.position >= count
        )
        return msgspec.structs.replace(
            self,
            takes=tuple(t if t.position >= 0 else t._replace(position=-1) for t in takes),
            parameters=self.parameters[count:],
            static=tuple(place - count for place in self.static if place >= count),
        )

    def compiled(self) -> Consumer:
        """What is constant is no argument of the compiled form."""
        gone = sorted(self.static)

        def place(position: int) -> int:
            return position - sum(1 for one in gone if one < position)

        takes = tuple(t._replace(position=place(t.position)) if t.position >= 0 else t for t in self.takes)
        names = tuple(name for number, name in enumerate(self.parameters) if number not in gone)
        return msgspec.structs.replace(self, takes=takes, parameters=names, static=())


class Spec(msgspec.Struct, frozen=True):
    """A wrapper that knows what its callable will consume, and waits for it."""

    model: consumer_models.ConsumerModel
    positions: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    static: tuple[int, ...] = ()
    certainty: Certainty = "certain"
    made: Step | None = None


class Own(msgspec.Struct, frozen=True):
    """A function of the project; `given` are positional arguments that it has already, `bound` a receiver."""

    function: Function
    bound: bool = False
    given: int = 0
    around: DonationScope | None = None


class DonationInstance(msgspec.Struct, frozen=True):
    cls: Class


class Items(msgspec.Struct, frozen=True):
    """A tuple, a list or a dict of known things, by step."""

    items: dict[str, Known | None]


class PassesOn(msgspec.Struct, frozen=True):
    """A function that makes another callable of the same arguments."""


Known = Consumer | Spec | Own | DonationInstance | Items | PassesOn


class DonationScope(NamedTuple):
    """Where an expression stands, and what the parameters around it are given."""

    function: Function
    given: Mapping[str, tuple[r.Value, DonationScope]] = MappingProxyType({})

    def __hash__(self) -> int:
        return hash((self.function, *self.given))


_SEVERAL = "the callee is one of several functions that donate different arguments"


def union(found: Iterable[Known | None]) -> Known | None:
    """What a name stands for that has several bindings: any of them may be meant."""
    every = list(found)
    consumers = [one for one in every if isinstance(one, Consumer)]
    if not consumers:
        return next((one for one in every if one is not None), None)
    first = max(consumers, key=lambda one: len(one.takes))
    if all(one == first for one in every):
        return first
    takes = tuple(sorted({take for one in consumers for take in one.takes}))
    return msgspec.structs.replace(first, takes=takes, certainty=weaker(first.certainty, because("value", _SEVERAL)))


# --- what goes wrong --------------------------------------------------------------------------------


class Loss(NamedTuple):
    """How storage was taken away. `how` is `consumed`, `erased` or `moved`."""

    at: Span
    shown: str
    by: str
    how: str
    made: Step | None = None


class DonationMisuse(msgspec.Struct, frozen=True):
    """Storage that is used when it is gone. `kind`: `use`, `again` (consumed once more), `round` (by the next round of
    a loop), `twice` (in one call), `retry` (by whoever goes on after a failure)."""

    function: Function
    kind: str
    at: Span
    shown: str
    loss: Loss
    certainty: Certainty
    target: str = ""
    """What to bind the result of the consuming call to, where its result is dropped and replaces what it took."""
    statement: int = -1
    """Where that call begins."""
