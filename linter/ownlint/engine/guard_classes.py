"""Which classes hold a lock for as long as their object lives: those of the models, and the project's own.

A class of the project is a guard when its constructor locks something and its destructor unlocks it, by the names that
locks of any library use for that, or by a guard that it has as a member. A class that no model and no file of the
project describes is one by its name, where a local of it is made from something: `fibers::LockGuard guard(mutex_);`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.flow.places import last_name
from ownlint.models import habits
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Class, Function

_SCOPED = re.compile(r"scoped_(?:lockable|capability)$", re.IGNORECASE)
"""What compilers that analyse thread safety call a guard."""


_TAKES = re.compile(r"(?:lock_function|acquire(?:_capability)?)$", re.IGNORECASE)
"""What they call a constructor that takes the lock it names."""
_NAMED = re.compile(r"(?:::)?\w++(?:::\w++)*")
_SHARED = re.compile(r"shared|(?<!th)read(?!y)|rd_?lock", re.IGNORECASE)


def shares(name: str) -> bool:
    """Whether a call of that name locks as a reader, beside others."""
    return _SHARED.search(name) is not None


def is_shared(cls: Class) -> bool:
    """Whether a guard class of the project's own locks as a reader. Needs no decoding."""
    said = (name for made in cls.constructors for name in made.mentioned)
    return any(shares(name) and "lock" in name.lower() for name in said)


class GuardClass(NamedTuple):
    """What making an object of the class does. `argument` is the constructor's argument that is the lock, from 1; 0
    when it takes none."""

    name: str
    argument: int
    gives_up: bool = False
    """It unlocks when it is made and locks again when it ends."""
    shared: bool = False
    """It locks as a reader, beside others."""
    holds: str = ""
    """The one lock it is about, when that is always the same."""
    condition: int = 0
    """The constructor's argument that says whether it locks at all, from 1; 0 when it always does."""
    lock: str = ""
    """The mutex outside of all functions that each object of the class takes."""


class Guards:
    """The guard classes of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._conditions: Answers[Class, int] = Answers()
        self.known = program.models.names_of("guard", "unguard")
        self.taking, self.releasing = program.models.pairs_of("hold", "receiver")
        self.own = {cls.symbol: cls for cls in program.classes if self._is_guard(cls)}
        self.fixed = frozenset(cls.name for cls in self.own.values() if _fixed_lock(cls))
        """Names of those that take one mutex without being given any."""
        words = self.known | {cls.name for cls in self.own.values()}
        self.own |= {
            cls.symbol: cls for cls in program.classes if any(_last(b.name) in words for b in cls.record.bases)
        }
        words |= {cls.name for cls in self.own.values()}
        meant: dict[str, bool] = {}
        for alias in program.index.type_aliases:
            if alias.kind == "type":
                meant[alias.name] = meant.get(alias.name, True) and types.parse(alias.target).last in words
        self.words = words | {name for name, always in meant.items() if always}
        """Last names by which a guard can be written."""

    def of(self, written: str, function: Function) -> GuardClass | None:
        """The guard class that a type is, as it is written in a function."""
        kind = types.parse(written)
        if not kind.is_value or kind.last not in self.words:
            return None
        program = self.program
        meant = types.parse(program.names.expand(written, function.file, function.record.scope))
        for model in program.models.classes(meant.name, program.names.scopes(function)):
            if "guard" in model.roles or "unguard" in model.roles:
                return GuardClass(written, model.argument, "unguard" in model.roles, model.shared, model.holds)
        cls = program.names.find_class(meant.name, function.record.scope, function.file)
        if cls is None or cls.symbol not in self.own:
            return None
        if lock := _fixed_lock(cls):
            return GuardClass(written, 0, shared=is_shared(cls), lock=lock)
        return GuardClass(
            written, 1, shared=is_shared(cls), condition=self._conditions.ask(cls, lambda: self._condition(cls))
        )

    @program_property
    def undescribed(self) -> frozenset[str]:
        """Last names of guards that the project's code may mention, and that nothing describes."""
        index = self.program.index
        found = {name for name in index.mentioned("cpp") if habits.GUARDS.search(name)} - self.words
        found -= {alias.name for alias in index.type_aliases} if found else set()
        return frozenset(name for name in found if not (index.defines(name) or index.declarations_of(name)))

    def by_name(self, written: str, function: Function) -> GuardClass | None:
        """What a local of a type does that nothing describes; None where its name is not a guard's."""
        kind = types.parse(written)
        if not kind.is_value or kind.last not in self.undescribed:
            return None
        names = self.program.names
        meant = types.parse(names.expand(written, function.file, function.record.scope))
        is_known = any(True for _ in self.program.models.classes(meant.name, names.scopes(function)))
        return None if is_known else GuardClass(written, 1, shared=shares(kind.last))

    @program_property
    def makers(self) -> frozenset[str]:
        """Last names of the project's functions that return a guard."""
        return frozenset(
            name
            for name, record in self.program.index.declared_functions()
            if record.result and types.parse(record.result).last in self.words and types.parse(record.result).is_value
        )

    def _is_guard(self, cls: Class) -> bool:
        """Whether constructing it locks what it is given and destroying it unlocks that, or an attribute says so."""
        if any(_SCOPED.search(annotation.name) for annotation in cls.record.annotations):
            makers = (record for record in cls.declarations if record.kind == "constructor")
            return any(record.parameters for record in makers) or bool(_fixed_lock(cls))
        destructor = cls.destructor
        if cls.file.language != "cpp" or destructor is None or not destructor.mentions_any(self.releasing):
            return False
        made = [method for method in cls.constructors if method.record.parameters]
        takes = [method for method in made if method.mentions_any(self.taking)]
        return (
            bool(takes)
            and any(last_name(call.node.callee) in self.releasing for call in destructor.flow.calls)
            and self._is_small(cls)
        )

    def _condition(self, cls: Class) -> int:
        """The parameter that says whether its constructor locks: `if (locks_) mutex_.lock();`."""
        for made in cls.constructors:
            if not made.mentions_any(self.taking):
                continue
            given = {parameter.name: number for number, parameter in enumerate(made.record.parameters, 1)}
            for member in made.record.initializers:
                if len(member.args) == 1 and last_name(member.args[0]) in given:
                    given.setdefault(member.name, given[last_name(member.args[0])])
            for call in made.flow.calls:
                if last_name(call.node.callee) in self.taking:
                    tests = (test.value for test, outcome in made.flow.guards(call) if outcome)
                    numbers = [given[last_name(test)] for test in tests if last_name(test) in given]
                    if numbers:
                        return numbers[0]
        return 0

    def _is_small(self, cls: Class) -> bool:
        """A guard refers to a lock of others; what owns the lock that it takes is something else."""
        for field in cls.record.fields:
            kind = types.parse(self.program.names.expand(field.type, cls.file, cls.symbol))
            if kind.is_value and "mutex" in self.program.types.roles_at(kind.name, cls.file, cls.symbol):
                return False
        return True


def _fixed_lock(cls: Class) -> str:
    """The one lock that objects of a guard class without arguments take, as the attribute of its constructor says:
    `Holder() EXCLUSIVE_LOCK_FUNCTION(heap_lock)`."""
    makers = [made.record for made in cls.constructors]
    makers = makers or [record for record in cls.declarations if record.kind == "constructor"]
    if len(makers) != 1 or makers[0].parameters:
        return ""
    said = {one.arguments for one in makers[0].annotations if _TAKES.search(one.name)}
    named = said.pop() if len(said) == 1 else ""
    return named.rpartition("::")[2] if _NAMED.fullmatch(named) else ""


@program_question
def guards(program: Program) -> Guards:
    """The guard classes of a program; one object a program, since they are looked for once."""
    return Guards(program)


def _last(name: str) -> str:
    return types.parse(name).last


def locks_of(guard: GuardClass, call: r.Call) -> tuple[r.Value, ...]:
    """The arguments that are the locks: of a guard of several, all of them."""
    return call.args[guard.argument - 1 :] if guard.argument else ()
