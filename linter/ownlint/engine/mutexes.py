"""What locks: mutexes, macros that make a guard, and calls that lock by hand. Guards: see `guard_classes`.

A model says it for libraries. A mutex of the project's own is known by its shape: it has a `lock` and an `unlock`, and
something that can wait inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as OneOf

from ownlint.engine import guard_classes
from ownlint.engine.macro_calls import with_macros
from ownlint.facts import records as r
from ownlint.flow.places import last_name
from ownlint.models import habits
from ownlint.patterns import AnyName
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Class, Function

_ASSERTS = re.compile("assert|check|force", re.IGNORECASE)
_IS_HELD = re.compile("held|locked|owned", re.IGNORECASE)
_PARTS = frozenset({"mutex", "condition variable", "atomic"})
"""What a mutex is made of."""
_NATIVE = frozenset(
    {"pthread_mutex_t", "pthread_rwlock_t", "pthread_spinlock_t", "CRITICAL_SECTION", "SRWLOCK", "os_unfair_lock"}
)
_BOXES = frozenset({"smart pointer", "shared pointer", "optional"})

_WORDS = re.compile(r"\w+")
_DECLARES_LOCAL = re.compile(r"\b(\w++)(?=(?:<[^()]{0,200}>)?\s++\w[\w#]*+\s*+[({]([^(){}]*+)[)}])")

Verb = OneOf["hold", "release", "yield", "assert", ""]


def _asserts(name: str) -> bool:
    """Whether a call of that name asserts that a mutex is held."""
    asserts = _ASSERTS.search(name)
    return "heldlock" in name.lower() or (asserts is not None and bool(_IS_HELD.search(name, asserts.end())))


def plain(name: str) -> str:
    """A word as it compares: `lock_shared` and `LockShared` are one."""
    return name.replace("_", "").lower()


def tries(call: r.Call) -> bool:
    """Whether a call that locks does so only where it need not wait."""
    return plain(last_name(call.callee)) in habits.TRIES or "trylock" in plain(last_name(call.callee))


def asks(call: r.Call) -> bool:
    """Whether a method's answer says that a lock has been got."""
    return tries(call) or plain(last_name(call.callee)).replace(" ", "") in habits.ASKS_GUARD


def shares(call: r.Call) -> bool:
    """Whether a call that locks does so as a reader, beside others."""
    return guard_classes.shares(last_name(call.callee))


class Mutexes:
    """The lock types of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: Answers[tuple[str, str, str], bool] = Answers()
        self._fields: Answers[Class, tuple[str, ...]] = Answers()

    def fields(self, cls: Class) -> tuple[str, ...]:
        """A class's own members that are locks, in order."""
        return self._fields.ask(cls, lambda: tuple(self._fields_of(cls)))

    def _fields_of(self, cls: Class) -> Iterator[str]:
        return (field.name for field in cls.record.fields if self.is_mutex(field.type, cls.file, cls.symbol))

    def is_mutex(self, written: str, file: File, scope: str) -> bool:
        """Whether a type is one of a lock, or owns one."""
        if self.names.isdisjoint(_WORDS.findall(written)):
            return False
        key = (written, file.path, scope)
        return self._known.ask(key, lambda: self._is_mutex(written, file, scope))

    @program_property
    def names(self) -> frozenset[str]:
        """Last names by which a mutex can be written."""
        names = _NATIVE | self.program.models.names_of("mutex") | {cls.name for cls in self.own}
        return names | {
            a.name for a in self.program.index.type_aliases if not names.isdisjoint(_WORDS.findall(a.target))
        }

    def _is_mutex(self, written: str, file: File, scope: str) -> bool:
        program = self.program
        expanded = program.names.expand(written, file, scope)
        kind = types.parse(expanded)
        if kind.last in _NATIVE or "mutex" in program.types.roles_at(kind.name, file, scope):
            return True
        if kind.arguments and _BOXES.intersection(program.types.roles_at(expanded, file, scope)):
            return self.is_mutex(kind.arguments[0], file, scope)
        cls = program.names.find_class(kind.name, scope, file) if program.index.defines(kind.last) else None
        return cls is not None and cls in self.own

    @program_property
    def own(self) -> frozenset[Class]:
        """The project's own mutexes."""
        found = {cls for cls in self.program.classes if cls.file.language == "cpp" and self._locks(cls)}
        named = self.program.models.names_of("mutex") | {cls.name for cls in found}
        for cls in self.program.classes:
            heir = any(types.parse(base.name).last in named for base in cls.record.bases)
            if heir and (
                any(base in found for base in cls.bases) or any(self._models(cls, b.name) for b in cls.record.bases)
            ):
                found.add(cls)
        return frozenset(found)

    def _models(self, cls: Class, base: str) -> bool:
        return "mutex" in self.program.types.roles_at(types.parse(base).name, cls.file, cls.symbol)

    def _locks(self, cls: Class) -> bool:
        words = {plain(record.name) for record in cls.declarations}
        if not (words & habits.LOCKS and words & habits.UNLOCKS):
            return False
        if not cls.record.fields:
            return "lock" in words and "unlock" in words
        for field in cls.record.fields:
            kind = types.parse(self.program.names.expand(field.type, cls.file, cls.symbol))
            roles = self.program.types.roles_at(kind.name, cls.file, cls.symbol)
            if kind.is_value and (kind.last in _NATIVE or _PARTS.intersection(roles)):
                return True
        return False

    # --- guards of the project's own mutexes ---

    @program_property
    def holders(self) -> dict[str, Class]:
        """The project's classes that refer to a mutex, are given it where they are made, and have something to do when
        they end; by last name. `guard_classes` knows those that lock in words of a library."""
        found: dict[str, Class] = {}
        for cls in self.program.classes:
            if cls.file.language == "cpp" and cls.record.destructor in ("declared", "defined") and self._holds(cls):
                found[cls.name] = cls
        return found

    def _holds(self, cls: Class) -> bool:
        if cls in self.own or not 0 < len(cls.record.fields) <= 3:
            return False
        for field in cls.record.fields:
            kind = types.parse(field.type)
            if not kind.is_value and self.is_mutex(kind.name, cls.file, cls.symbol):
                return self._lock_argument(cls, kind.last) > 0 and self._lets_go(cls)
        return False

    def _lets_go(self, cls: Class) -> bool:
        end = cls.destructor
        return end is None or any(
            plain(name) in habits.UNLOCKS or plain(name).endswith("unlock") for name in end.mentioned
        )

    def _lock_argument(self, cls: Class, last: str) -> int:
        for made in (d for d in cls.declarations if d.kind == "constructor"):
            for position, parameter in enumerate(made.parameters, 1):
                if types.parse(parameter.type).last == last:
                    return position
        return 0

    def holder(self, written: str, function: Function) -> guard_classes.GuardClass | None:
        """What a type does with the lock that it is given, when it is such a class; None for any other."""
        cls = self.holders.get(types.parse(written).last)
        if cls is None or self.program.names.find_class(written, function.record.scope, function.file) is not cls:
            return None
        field = next(f for f in cls.record.fields if self.is_mutex(types.parse(f.type).name, cls.file, cls.symbol))
        argument = self._lock_argument(cls, types.parse(field.type).last)
        return guard_classes.GuardClass(written, argument, shared=guard_classes.is_shared(cls)) if argument else None

    # --- by hand ---

    def verb(self, call: r.Call, function: Function) -> Verb:
        """What a method call does to the mutex, or the guard, that it is made on."""
        name = last_name(call.callee)
        word = plain(name)
        known = word in habits.LOCKS or word in habits.UNLOCKS or word in habits.TRIES
        if known:
            for model in self.program.calls.callee(call, function).models:
                for effect in model.effects:
                    if str(effect.place) == "receiver" and effect.verb in ("hold", "release"):
                        return "hold" if effect.verb == "hold" else "release"
            return "release" if word in habits.UNLOCKS else "hold"
        return "assert" if _asserts(name) else ""

    # --- words, for a look before decoding ---

    @program_property
    def words(self) -> frozenset[str]:
        """Last names of the calls that may lock or unlock something: they make a guard, or do it by hand."""
        known = guard_classes.guards(self.program)
        names = known.words | known.makers | set(self.macros) | self.takers | self.letters | set(self.holders)
        names |= known.undescribed
        by_name = {name for name in self.program.index.called_names if self._locks_by_name(name)}
        return with_macros(names | by_name, self.program)

    @program_property
    def types(self) -> AnyName:
        """Stands in every body that declares a guard, or something around one."""
        names = guard_classes.guards(self.program).words | set(self.holders)
        return AnyName(names)

    @staticmethod
    def _locks_by_name(name: str) -> bool:
        word = plain(name)
        return word in habits.LOCKS or "unlock" in word or "trylock" in word or word in habits.TRIES or _asserts(name)

    @program_property
    def takers(self) -> frozenset[str]:
        """Last names of the functions that lock one of their arguments, by the models."""
        return frozenset().union(*(self.program.models.pairs_of("hold", f"argument {n}")[0] for n in (1, 2)))

    @program_property
    def letters(self) -> frozenset[str]:
        """Last names of the functions that unlock one of their arguments, by the models."""
        return frozenset().union(*(self.program.models.pairs_of("hold", f"argument {n}")[1] for n in (1, 2)))

    @program_property
    def macros(self) -> dict[str, int]:
        """The project's macros that declare a guard, and which of their arguments is the lock, from 0; -1 for none."""
        names = guard_classes.guards(self.program).words | set(self.holders)
        found: dict[str, int] = {}
        for file in self.program.files.values():
            for macro in file.macros:
                match = next((m for m in _DECLARES_LOCAL.finditer(macro.body) if m[1] in names), None)
                if match is not None:
                    given = re.findall(r"\w+", match[2])
                    parameters = macro.parameters or ()
                    found[macro.name] = next((i for i, p in enumerate(parameters) if p in given), -1)
        return found


@program_question
def mutexes(program: Program) -> Mutexes:
    """The lock types of a program; one object a program, since its answers are remembered."""
    return Mutexes(program)
