"""What the methods of containers are called, by what they do to the one they are called on.

Said once, for every rule: by the models' effects (`insert argument 1 in receiver`), and by the habits of projects that
write containers of their own. A method is known by its last name alone where the type of its receiver is not.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ownlint.models import habits
from ownlint.models.records import FunctionModel

Entry = tuple[Sequence[str], FunctionModel]
"""The parts of a function's name, and what is said of it."""
Method = tuple[str, FunctionModel, tuple[str, ...]]
"""Its last name, what is said of it, and its effects as they are written."""


RANGE = frozenset({"begin", "end", "cbegin", "cend", "rbegin", "rend", "crbegin", "crend"})
"""What a loop over a range calls: the language's own names."""
_LENDS = "borrow result from receiver"
_EMPTIES_GIVEN = re.compile("erase .* from argument 1")
"""What a function that is no method does to the container that it is given: `std::erase_if`."""


class ContainerMethods(NamedTuple):
    inserts: frozenset[str]
    """Put something in under a key, and keep what is there already."""
    replaces: frozenset[str]
    """Put something in under a key, in the place of what is there."""
    appends: frozenset[str]
    """Put something in that has no key."""
    finds: frozenset[str]
    """Look whether something is in, or where."""
    erases: frozenset[str]
    """Take elements out."""
    clears: frozenset[str]
    """Take all out, or exchange all for others."""
    grows: frozenset[str]
    """May move the elements that are in."""
    lends: frozenset[str]
    """Answer something that leads to elements: a reference, a pointer, an iterator."""
    places: frozenset[str]
    """Of those, the ones that answer the element itself, by reference."""
    opens: frozenset[str]
    """Of what holds one thing at most, the ways to it: of pointers and optionals."""

    @property
    def keyed(self) -> frozenset[str]:
        return self.inserts | self.replaces

    @property
    def puts(self) -> frozenset[str]:
        """All that put something in, also into a project's own containers."""
        return self.keyed | self.appends | habits.PUTS

    @property
    def ways_in(self) -> frozenset[str]:
        """All that answer something that leads into the object they are called on."""
        return self.lends | self.opens

    @property
    def iterators(self) -> frozenset[str]:
        """All that answer an iterator."""
        return (self.finds & self.lends) - self.places | RANGE

    @property
    def looks(self) -> frozenset[str]:
        """All that look for something, also in a project's own containers."""
        return self.finds | habits.LOOKS

    @property
    def takes(self) -> frozenset[str]:
        """All after which something that was in may be gone."""
        return self.erases | self.clears

    @property
    def empties(self) -> frozenset[str]:
        """All after which what they are called on, a container or what holds one thing, may hold something else."""
        return self.takes | habits.EMPTIES


def methods(entries: Iterable[Entry], containers: frozenset[str], holders: frozenset[str]) -> ContainerMethods:
    """The methods among the entries, by the last names of the classes of containers, and of those of what holds one
    thing at most."""
    known = [(parts, model) for parts, model in entries if not parts[-1].startswith("operator")]
    named = list(_methods_of(containers, known))
    free = frozenset(parts[-1] for parts, model in known if len(parts) > 1 and _empties_argument(model))
    of = functools.partial(_having, named)
    return ContainerMethods(
        inserts=of("insert"),
        replaces=of("overwrite"),
        appends=of("keep"),
        finds=of("find"),
        erases=of("erase") | free,
        clears=of("clear"),
        grows=of("invalidate receiver shallow") - of("erase"),
        lends=frozenset(name for name, _, effects in named if _LENDS in effects),
        opens=frozenset(name for name, _, effects in _methods_of(holders, known) if _LENDS in effects),
        places=frozenset(name for name, model, effects in named if model.by_reference and _LENDS in effects),
    )


def is_method(model: FunctionModel) -> bool:
    """Whether what is said of a function is what methods of containers do."""
    return any(effect.verb in _OF_METHODS for effect in model.effects)


_OF_METHODS = frozenset({"insert", "overwrite", "find", "erase", "clear"})


def _methods_of(classes: frozenset[str], entries: Iterable[Entry]) -> Iterator[Method]:
    for parts, model in entries:
        if len(parts) > 1 and parts[-2] in classes:
            yield parts[-1], model, tuple(map(str, model.effects))


def _having(methods: Iterable[Method], effect: str) -> frozenset[str]:
    """Those with an effect that begins so."""
    return frozenset(name for name, _, effects in methods if any(one.startswith(effect) for one in effects))


def _empties_argument(model: FunctionModel) -> bool:
    return any(effect.verb == "erase" and _EMPTIES_GIVEN.match(str(effect)) for effect in model.effects)
