"""Arguments whose storage a call takes away: the records, and what is known on one path through a function.

A *consuming* callable is made by a wrapper, which names the positions or the names of the arguments whose storage every
call takes. A value is a *path*: where it was made, and the steps (members, items) that lead into it. What is taken
from a path is taken from everything below it; a copy of a name is the same path.

`donation_specs` reads wrappers, `donation_callables` says what a name stands for, `donation_values` evaluates
expressions, `donation_flow` runs a function, `donations` knows the whole program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from ownlint import Certainty, Class, Function, Span, Step, because, consumer_models, decided, weaker
from ownlint import records as r

Origin = tuple[str, ...]
"""`("parameter", name)`, `("outer", name)` or `("made", start, end, number)`."""
Path = tuple[Origin | str, ...]
"""An origin, then steps: `.name`, `['key']`, `[0]`."""


# --- what can be called ---------------------------------------------------------------------------


class Take(NamedTuple):
    """What one call takes away: the argument at `position` (-1 when it has none), also known as `name`, or a part of
    it. `outer` names a variable around the function instead."""

    position: int
    name: str = ""
    steps: tuple[str, ...] = ()
    certainty: Certainty = "certain"
    outer: str = ""
    by: str = ""
    """Which callable inside of the function takes it."""


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


# --- what is known on a path ------------------------------------------------------------------------


class Loss(NamedTuple):
    """How storage was taken away. `how` is `consumed`, `ended` or `moved`; `failed`: by a call that then raised."""

    at: Span
    shown: str
    by: str
    how: str
    certainty: Certainty
    rounds: tuple[int, ...] = ()
    made: Step | None = None
    failed: bool = False
    told: bool = False
    target: str = ""
    """What the result of the call can be bound to instead of being dropped."""
    call: int = -1


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


class DonationState:
    """Names, what is stored where, and what is gone."""

    __slots__ = ("_loose", "_uses", "dead", "facts", "heap", "names")

    def __init__(self) -> None:
        self.names: dict[str, Path] = {}
        """Changed by `bind` and `unbind` alone, as the heap by `store`: who is used is counted."""
        self.heap: dict[Path, Path] = {}
        self._uses: dict[object, int] = {}
        """By origin, how many names and ends of what is stored lead there."""
        self._loose: set[object] = set()
        """Origins that have lost their last use, or a part of their storage, since `prune`."""
        self.dead: dict[Path, Loss] = {}
        self.facts = decided.NO_FACTS

    def copy(self) -> DonationState:
        other = DonationState()
        other.names, other.heap, other.dead = dict(self.names), dict(self.heap), dict(self.dead)
        other.facts = self.facts
        other._uses, other._loose = dict(self._uses), set(self._loose)
        return other

    def bind(self, name: str, path: Path) -> None:
        self.unbind(name)
        self.names[name] = path
        self._use(path, 1)

    def unbind(self, name: str) -> None:
        before = self.names.pop(name, None)
        if before is not None:
            self._use(before, -1)

    def _use(self, path: Path, count: int) -> None:
        if path:
            left = self._uses.get(path[0], 0) + count
            if left:
                self._uses[path[0]] = left
            else:
                del self._uses[path[0]]
                self._loose.add(path[0])

    def same(self, other: DonationState) -> bool:
        return (
            self.names == other.names
            and self.dead == other.dead
            and self.heap == other.heap
            and self.facts == other.facts
        )

    # --- paths ---

    def resolve(self, path: Path) -> Path:
        """Through what is stored on the way."""
        current: Path = path[:1]
        for step in path[1:]:
            current = self.heap.get((*current, step), (*current, step))
        return current

    def store(self, path: Path, value: Path | None, otherwise: Path) -> None:
        """`otherwise` is a new path, for a value without one."""
        for known in [known for known in self.heap if known[: len(path)] == path]:
            self._use(known, -1)
            self._use(self.heap.pop(known), -1)
        for known in [known for known in self.dead if len(known) > len(path) and known[: len(path)] == path]:
            del self.dead[known]
        target = value if value is not None else otherwise
        self.heap[path] = target
        self._use(path, 1)
        self._use(target, 1)

    def below(self, path: Path) -> list[Path]:
        """The path, and whatever is stored below it."""
        found, waiting = [path], [path]
        while waiting:
            top = waiting.pop()
            for known, target in self.heap.items():
                if len(known) > len(top) and known[: len(top)] == top and target not in found:
                    found.append(target)
                    waiting.append(target)
        return found

    # --- losses ---

    def loss(self, path: Path) -> Loss | None:
        """How this came to be gone, wholly."""
        dead = self.dead
        if not dead:
            return None
        for length in range(1, len(path) + 1):
            if path[:length] in dead:
                return dead[path[:length]]
        return None

    def losses_inside(self, path: Path) -> Iterator[Loss]:
        """What is gone of its parts."""
        if self.dead:
            for one in self.below(path):
                for known, loss in self.dead.items():
                    if (len(known) > len(one) and known[: len(one)] == one) or (known == one and one != path):
                        yield loss

    def take(self, path: Path, loss: Loss) -> None:
        for one in self.below(path):
            before = self.loss(one)
            self.lose(one, loss if before is None else loss._replace(told=loss.told or before.told))

    def lose(self, path: Path, loss: Loss) -> None:
        """Of this alone."""
        self._loose.add(path[0])
        self.dead[path] = loss

    def revive(self, path: Path) -> None:
        """Nobody knows any more that this, or anything below it, is gone."""
        for known in [known for known in self.dead if known[: len(path)] == path]:
            del self.dead[known]
        for length in range(1, len(path)):
            self.dead.pop(path[:length], None)

    def told(self, loss: Loss) -> None:
        for known, one in list(self.dead.items()):
            if one._replace(told=False) == loss._replace(told=False):
                self.dead[known] = one._replace(told=True)

    def forget(self, name: str) -> None:
        """What was decided about this name holds no more."""
        self.facts = decided.without(name, self.facts)

    def is_used(self, origin: Origin) -> bool:
        return origin in self._uses

    def prune(self) -> None:
        """Losses of what nobody can reach any more."""
        gone = {origin for origin in self._loose if origin not in self._uses}
        self._loose.clear()
        for known in [k for k in self.dead if k[0] in gone and k[0][0] == "made"] if gone else ():
            del self.dead[known]
