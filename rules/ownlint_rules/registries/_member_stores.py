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
        return not strict and not self.typed


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
    program = cls.program
    plain = _storing(program).get(name, ())
    known = set(plain)
    others = (one for one in _storing_in_other_words(program) if one not in known and may_store(one, name))
    for function in (*plain, *others):
        if any(one.is_one(function, cls, strict=strict) for one in _owners(function).get(name, ())):
            yield function


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
    return [function for function in program.functions if function.mentions(*_IN_OTHER_WORDS)]


def may_store(function: Function, name: str) -> bool:
    """Whether the body can assign to a member of that name. Needs no decoding."""
    if function.mentions("=" + name):
        return True
    return function.mentions(*_IN_OTHER_WORDS) and f'"{name}"'.encode() in function.encoded


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
