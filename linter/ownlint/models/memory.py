"""What libraries say about raw memory: who owns it, what gives its address, and what keeps the owner alive.

Made of the Python classes and members that models describe, for whoever follows raw addresses.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Literal, cast

import msgspec

from ownlint.models import habits
from ownlint.models.records import MemoryRole, PyClass, PyMember, Verb

MemoryKeeps = Literal["own", "owner", "none", "copy"]


class MemoryType(msgspec.Struct, frozen=True):
    """A class whose instances own raw memory, point to it, or make it."""

    library: str
    name: str
    role: MemoryRole
    bases: tuple[str, ...] = ()
    known_as: tuple[str, ...] = ()
    """Names its instances go by where nobody says what they are."""
    told_by: tuple[str, ...] = ()
    """Members that no other class has: what has one is an instance."""


class MemoryFact(msgspec.Struct, frozen=True):
    """What a function or a member gives. `source` is what the result points into: an argument from 1, or 0 for the
    receiver."""

    library: str
    on: str
    name: str
    returns: str = ""
    source: int = 0
    keeps: MemoryKeeps = "copy"
    makes_class: bool = False
    """The result is a class, derived from the one it names."""
    may_return: int = 0
    """It may hand on this argument rather than make something new; 0 for none, -1 for the receiver."""
    kept: int = 0
    """An argument that the result keeps alive, when it is given."""
    consumes: int = 0
    """An argument that can be handed over once."""
    fills: int = 0
    """An argument that is made anew, and may be handed over again."""
    stores: int = 0
    """An argument whose address the receiver takes, and nothing more: its owner is somebody else's care."""
    parameters: tuple[str, ...] = ()
    at_address: bool = False
    """What it points into may be given as a bare address."""


class Callbacks(msgspec.Struct, frozen=True):
    """Habits of naming: words in the names of foreign functions that say how long they use a callback."""

    kept_by: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    ended_by: tuple[str, ...] = ()


class MemorySection(msgspec.Struct, frozen=True):
    """What one model file says about raw memory."""

    types: tuple[MemoryType, ...] = ()
    facts: tuple[MemoryFact, ...] = ()
    callbacks: tuple[Callbacks, ...] = ()


def type_of(cls: PyClass) -> MemoryType:
    """Of a class that has to do with memory."""
    assert cls.memory
    return MemoryType(cls.library, cls.name, cls.memory, cls.bases, cls.known_as, cls.told_by)


def fact_of(member: PyMember) -> MemoryFact:
    """What a member of such a class, or a function that has to do with one, means for memory."""
    return MemoryFact(
        member.library,
        member.on,
        member.name,
        member.returns[0] if member.returns else "",
        int(member.borrows.removeprefix("argument ")) if member.borrows.startswith("argument ") else 0,
        cast(MemoryKeeps, member.keeps or "copy"),
        member.makes_class,
        _number(member, "returns") or -any(str(effect) == "returns receiver" for effect in member.effects),
        _number(member, "keep", "result"),
        _number(member, "adopt"),
        _number(member, "restore"),
        0 if member.counted else _number(member, "keep", "receiver"),
        member.parameters,
        member.at_address,
    )


def _number(member: PyMember, verb: Verb, into: str = "") -> int:
    """The argument that an effect of this kind is about; 0 where there is none."""
    places = (e.place for e in member.effects if e.verb == verb and (not into or str(e.other) == into))
    return next((place.number for place in places if place is not None and place.kind == "argument"), 0)


def _united(sections: Sequence[MemorySection]) -> MemorySection:
    return MemorySection(
        tuple(made for section in sections for made in section.types),
        tuple(fact for section in sections for fact in section.facts),
        tuple(one for section in sections for one in section.callbacks),
    )


class MemoryModels:
    """All model files together. Names are canonical: whoever asks has replaced the aliases of modules."""

    def __init__(self, sections: Iterable[MemorySection]) -> None:
        every = _united(list(sections))
        self.types = {made.name: made for made in every.types}
        self._facts: dict[tuple[str, str], MemoryFact] = {}
        for fact in every.facts:
            self._facts[fact.on, fact.name] = fact
        self._patterns = [fact for fact in self._facts.values() if "*" in fact.name and not fact.on]
        self.known_as = {word: made.name for made in self.types.values() for word in made.known_as}
        self.told_by = {word: made.name for made in self.types.values() for word in made.told_by}
        self.kept_by = frozenset(word for one in every.callbacks for word in one.kept_by)
        self.ended_by = frozenset(word for one in every.callbacks for word in one.ended_by)
        self.used_by = tuple(pattern for one in every.callbacks for pattern in one.used_by)
        self._keeping: dict[str, bool | None] = {}
        self._members: dict[tuple[str, str], MemoryFact | None] = {}
        self._functions: dict[str, MemoryFact | None] = {}

    def role(self, name: str) -> str:
        """Empty for what is no class of memory."""
        made = self.types.get(name)
        return made.role if made is not None else ""

    def member(self, name: str, member: str) -> MemoryFact | None:
        """A member of a class or of its bases."""
        key = (name, member)
        if key not in self._members:
            self._members[key] = self._find(name, member)
        return self._members[key]

    def _find(self, name: str, member: str) -> MemoryFact | None:
        pending = [name]
        for current in pending:
            if (fact := self._facts.get((current, member))) is not None:
                return fact
            made = self.types.get(current)
            pending += [base for base in made.bases if base not in pending] if made is not None else []
        return None

    def function(self, dotted: str) -> MemoryFact | None:
        """A function of a library."""
        if dotted not in self._functions:
            depth = dotted.count(".")
            fits = (fact for fact in self._patterns if fact.name.count(".") == depth and fnmatchcase(dotted, fact.name))
            self._functions[dotted] = self._facts.get(("", dotted)) or next(fits, None)
        return self._functions[dotted]

    @functools.cached_property
    def fresh(self) -> dict[str, tuple[str, ...]]:
        """Names of methods that make new memory: the classes that have one."""
        out: dict[str, list[str]] = {}
        for (on, name), fact in self._facts.items():
            if on and fact.keeps == "own" and not name.startswith("_") and self.role(on) != "maker":
                out.setdefault(name, []).append(on)
        return {name: tuple(sorted(classes)) for name, classes in out.items()}

    @functools.cached_property
    def callback_makers(self) -> frozenset[str]:
        """Last names of the functions that make a class of callbacks."""
        facts = (fact for fact in self._facts.values() if fact.makes_class and self.role(fact.returns) == "callback")
        return frozenset(fact.name.rpartition(".")[2] for fact in facts)

    @functools.cached_property
    def losing(self) -> dict[str, frozenset[str]]:
        """Words that stand where an address is taken that keeps nothing alive, a callback is made, or the like: by the
        package that is imported then, and under the empty name those that say it by themselves."""
        found: dict[str, set[str]] = {"": set(self.told_by)}
        found[""] |= {word for word, name in self.known_as.items() if self.role(name) == "maker"}
        for (on, name), fact in self._facts.items():
            if self._loses(on, fact):
                word = name.rpartition(".")[2]
                found.setdefault((on or name).partition(".")[0], set()).add("int" if word == "__int__" else word)
        return {root: frozenset(word for word in words if word.isidentifier()) for root, words in found.items()}

    def _loses(self, on: str, fact: MemoryFact) -> bool:
        if fact.at_address:
            return True
        if on.rpartition(".")[2].startswith("_") or self.role(on) in ("raw", "maker"):
            return False
        return fact.keeps == "none" or bool(fact.consumes or fact.stores or (fact.makes_class and not on))

    def _is_used_at_once(self, callee: str) -> bool:
        return any(fnmatchcase(callee, pattern.lower()) for pattern in self.used_by)

    def _sets_something(self, callee: str) -> bool:
        """`scan_set_progress`: what stands before the verb is whom it is about."""
        said = parts(callee)
        return any(
            word in habits.KEEPS and not self._is_used_at_once("_".join(said[at:]))
            for at, word in enumerate(said[:-1])
            if at
        )

    def keeps_callback(self, callee: str) -> bool | None:
        """Whether a function of that name keeps a callback after the call; None when its name does not say."""
        if callee not in self._keeping:
            used = self._is_used_at_once(callee.lower()) and not self._sets_something(callee)
            words = parts(callee)  # what is made from one may be done
            said = list(itertools.takewhile(lambda word: word != "from", words))
            kept = next((at for at, word in enumerate(said) if word in self.kept_by), None)
            is_taken_away = kept is not None and not self._taking_away.isdisjoint(said[:kept])
            self._keeping[callee] = False if used or is_taken_away else True if kept is not None else None
        return self._keeping[callee]

    @functools.cached_property
    def _taking_away(self) -> frozenset[str]:
        """Words for the opposite of keeping: `SDL_DelHintCallback`, `unregister_callback`."""
        opposites = {word for word in self.ended_by if any(word.endswith(one) for one in self.kept_by - {word})}
        return habits.TABLE_TAKES | opposites

    def ends_callback(self, callee: str) -> bool:
        return bool(self.ended_by & set(parts(callee)))


@functools.lru_cache(1 << 12)
def parts(name: str) -> tuple[str, ...]:
    """The words of a name, in small letters: `setLogHandler` -> `set`, `log`, `handler`."""
    return tuple(word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name))
