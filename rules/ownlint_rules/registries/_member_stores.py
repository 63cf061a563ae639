"""Where members of objects get values: which functions do it to objects of a class, and what they store."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ownlint import Class, Function, Program, assignments, places, questions, types
from ownlint import events as e
from ownlint import records as r

_IN_OTHER_WORDS = frozenset({"store", "exchange"})


class _Of(NamedTuple):
    """Whose member it may be."""

    own: bool
    """That of the function's own object."""
    classes: tuple[Class, ...]
    """Those that its object's type names."""
    typed: bool
    """The type is known, of the project or not."""

    def is_one(self, function: Function, cls: Class, *, strict: bool) -> bool:
        if self.own:
            return function.home is not None and (cls in function.home.ancestry or function.home in cls.ancestry)
        if self.classes:
            return any(cls in one.ancestry for one in self.classes)
        return not strict and self.is_unknown

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it."""
        return not (self.own or self.classes or self.typed)


def is_of_class(function: Function, base: r.Value | None, cls: Class, *, strict: bool = False) -> bool:
    """Whether an object is one of the class; None is the function's own. Others may have a member of the same name, so
    one of unknown type is taken for one unless that is to be `strict`."""
    return _whose(function, base).is_one(function, cls, strict=strict)


def _whose(function: Function, base: r.Value | None) -> _Of:
    if base is None or (isinstance(base, r.Name) and base.text == places.THIS):
        return _Of(True, (), True)
    written = types.parse(function.program.types.of(base, function))
    names = [written.name, *written.arguments]
    found = [function.program.names.find_class(name, function.record.scope, function.file) for name in names if name]
    return _Of(False, tuple(one for one in found if one is not None), bool(written.name) and not written.is_placeholder)


class MemberStore(NamedTuple):
    """A member of some object gets a value. `base` is the object, None for the function's own."""

    at: e.Event
    base: r.Value | None
    value: r.Value | None
    target: r.Value


def stores(function: Function, name: str) -> Iterator[MemberStore]:
    """Every assignment to a member of that name, whatever object it belongs to, also in other words:
    `flag.store(false)`, `std::exchange(key_, nullptr)`."""
    if may_store(function, name):
        yield from _stores(function).get(name, ())


def stores_of(function: Function, name: str, cls: Class, *, strict: bool = True) -> Iterator[MemberStore]:
    """Those to a member of an object of the class."""
    return (store for store in stores(function, name) if is_of_class(function, store.base, cls, strict=strict))


@questions.flow_question
def _stores(function: Function) -> Mapping[str, tuple[MemberStore, ...]]:
    events = sorted(function.flow, key=lambda event: event.span.start)
    starts = [event.span.start for event in events]
    found: dict[str, list[MemberStore]] = {}
    for name, value, base, target, given in _assigned_in(function):
        inside = events[bisect_left(starts, value.span.start) : bisect_left(starts, value.span.end)]
        writes: list[e.Event] = [event for event in inside if isinstance(event, e.Write)]
        if inside:
            at = (writes or sorted(inside, key=lambda event: event.index))[-1]
            found.setdefault(name, []).append(MemberStore(at, base, given, target))
    return {name: tuple(stores) for name, stores in found.items()}


def storing(cls: Class, name: str, *, strict: bool = True) -> Iterator[Function]:
    """The functions that assign to a member of that name of objects of the class; unless that is to be `strict`, of
    objects of unknown type, too."""
    return iter(_members(cls.program).storing(name).of(cls, strict=strict))


class _Storing:
    """The functions that assign to a member of one name, by whose it may be."""

    def __init__(self, functions: Iterable[Function], name: str) -> None:
        self._functions = tuple(functions)
        self._of_heirs: dict[Class, set[int]] = {}
        """Those that do it to objects of the class or of one that derives from it."""
        self._own: dict[Class, set[int]] = {}
        """Those of the class that do it to their own object."""
        self._unknown: set[int] = set()
        for number, function in enumerate(self._functions):
            for one in _owners(function).get(name, ()):
                for named in (function.home,) if one.own else one.classes:
                    if named is not None:
                        for base in named.ancestry:
                            self._of_heirs.setdefault(base, set()).add(number)
                if one.own and function.home is not None:
                    self._own.setdefault(function.home, set()).add(number)
                if one.is_unknown:
                    self._unknown.add(number)

    def of(self, cls: Class, *, strict: bool) -> list[Function]:
        """Those that do it to objects of the class, in order."""
        found = set[int]().union(
            self._of_heirs.get(cls, ()),
            () if strict else self._unknown,
            *(self._own[base] for base in cls.ancestry if base in self._own),
        )
        return [self._functions[number] for number in sorted(found)]


class _StoredMembers:
    """What is stored in the members of each name."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: questions.Answers[str, _Storing] = questions.Answers()

    def storing(self, name: str) -> _Storing:
        return self._known.ask(name, lambda: _Storing(self._that_store(name), name))

    def _that_store(self, name: str) -> Iterator[Function]:
        plain = _storing(self._program).get(name, ())
        yield from plain
        known = set(plain)
        for one in _storing_in_other_words(self._program):
            if one not in known and may_store(one, name):
                yield one


@questions.program_question
def _members(program: Program) -> _StoredMembers:
    return _StoredMembers(program)


@questions.program_question
def _storing(program: Program) -> dict[str, list[Function]]:
    """The functions that say that they assign to something of that name."""
    found: dict[str, list[Function]] = {}
    for function in program.functions:
        for name in function.mentioned:
            if name[0] == "=":
                found.setdefault(name[1:], []).append(function)
    return found


@questions.program_question
def _storing_in_other_words(program: Program) -> list[Function]:
    return [function for function in program.functions if function.mentions_any(_IN_OTHER_WORDS)]


def may_store(function: Function, name: str) -> bool:
    """Whether the body can assign to a member of that name. Needs no decoding."""
    if function.mentions("=" + name):
        return True
    return function.mentions_any(_IN_OTHER_WORDS) and f'"{name}"'.encode() in function.encoded


@questions.question
def _owners(function: Function) -> Mapping[str, tuple[_Of, ...]]:
    """Of the members that a function assigns to, by their names, whose they may be."""
    found: dict[str, dict[_Of, None]] = {}
    for name, _, base, _, _ in _assigned_in(function):
        found.setdefault(name, {})[_whose(function, base)] = None
    return {name: tuple(owners) for name, owners in found.items()}


def _assigned_in(function: Function) -> Iterator[tuple[str, r.Value, r.Value | None, r.Value, r.Value | None]]:
    """The name of each member that is assigned to; by what, to which object's, how it is written, and what it gets."""
    for statement in function.statements:
        if isinstance(statement, r.Evaluate | r.Declare | r.Leave):
            for value in places.walk(statement.value):
                if isinstance(value, r.Assign | r.Call):
                    for target, given in _assigned(value):
                        if (member := _member(function, target)) is not None:
                            yield member[0], value, member[1], target, given


def _assigned(value: r.Assign | r.Call) -> Iterable[tuple[r.Value, r.Value | None]]:
    """The target of an assignment and its value; several targets for `a = b = c`, which is nested."""
    if isinstance(value, r.Assign):
        if value.op == "=":
            yield value.target, value.value
    elif places.last_name(value.callee) in _IN_OTHER_WORDS and (found := assignments.assigned(value)) is not None:
        yield found[0], value.args[0 if places.receiver(value) is not None else 1]


def _member(function: Function, target: r.Value) -> tuple[str, r.Value | None] | None:
    """The name of a member, and its object; None for the function's own."""
    match places.strip(target):
        case r.Member(base=r.Name(text="this"), name=name):
            return name, None
        case r.Member(base=base, name=name):
            return name, base
        case r.Name(text=name) if name not in function.declared:
            return name, None
    return None
