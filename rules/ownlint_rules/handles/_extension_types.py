"""Objects of an extension's own types, by CPython's interface: what one frees when it is gone, and which others are
made of a part of that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Function,
    Program,
    assignments,
    conditions,
    events,
    habits,
    natives,
    pairs,
    places,
    questions,
    types,
    wrapped_objects,
)
from ownlint import records as r
from ownlint_rules.handles import _lending as lending


class Owned(NamedTuple):
    """A member of a struct, which `function` destroys at `at`."""

    cls: Class
    field: str
    function: Function
    at: events.CallEvent


class BorrowedPart(NamedTuple):
    """At `at`, what comes out of an owned member of `self` gets into `field` of a new object of the type `made`, which
    Python gets, by the function itself or by one that it calls. `kept` says that something there may keep `self`, or
    who owns the member, alive."""

    function: Function
    at: events.Event
    made: Class
    field: str
    self: str
    owned: Owned
    kept: bool


@questions.program_question
def borrowed(program: Program) -> list[BorrowedPart]:
    """In source order."""
    owned = _owned(program)
    if not owned:
        return []
    makers = [
        function
        for function in lending.makers_of_objects(program)
        if function.language == "cpp" and function.home is None
    ]
    found = [one for function in makers for one in _of(function, owned, owned)]
    beside = {
        (one.made.symbol, one.field): one.owned._replace(cls=one.made, field=one.field) for one in found if one.kept
    }
    if beside:  # a part of what is kept by one object is no more valid alone than the whole
        found = [one for function in makers for one in _of(function, owned, {**beside, **owned})]
    return [one for one in found if not one.kept]


class BorrowedView(NamedTuple):
    """At `at`, a view over what an owned member of `self` points to is made, which Python gets, and which keeps nothing
    alive."""

    function: Function
    at: events.CallEvent
    self: str
    owned: Owned


@questions.program_question
def views(program: Program) -> list[BorrowedView]:
    """In source order."""
    makers = program.models.functions_with("borrow", "result", lambda model: model.keeps == "none")
    viewing = list(program.calling(makers))
    owned = _owned(program) if viewing else {}
    return [
        BorrowedView(function, call, *source)
        for function in viewing
        if owned and function.language == "cpp" and function.home is None
        for call in function.flow.calls
        if places.last_name(call.node.callee) in makers and _leaves(function, call.node)
        if (source := _source(function, _lent(function, call), owned)) is not None
        if not _keeps(function, "", source[1].cls, _aliases(function, source[0]))
    ]


def _lent(function: Function, call: events.CallEvent) -> r.Value | None:
    """The memory that a view is made of: the argument of which a model says that the result borrows from it."""
    numbers = (
        effect.other.index
        for model in function.program.calls.callee(call.node, function).models
        for effect in model.effects
        if effect.verb == "borrow" and effect.other is not None and effect.other.kind == "argument"
    )
    return next((call.node.args[number] for number in numbers if number < len(call.node.args)), None)


def _leaves(function: Function, call: r.Call) -> bool:
    """Whether the function answers with the result of the call."""
    answers = (places.strip(leave.value) for leave in function.flow.leaves if leave.kind == "return")
    return any(
        answer is call
        or (isinstance(answer, r.Name) and places.strip(conditions.computed_once(function, answer.text)) is call)
        for answer in answers
    )


def _owned(program: Program) -> dict[tuple[str, str], Owned]:
    """By struct and member: what a function that is given the struct destroys of it, or gives to a library's function
    that frees it."""
    found: dict[tuple[str, str], Owned] = {}
    for destroyed in _destroyed(program).values():
        for one in destroyed:
            found.setdefault((one.cls.symbol, one.field), one)
    return found


@questions.each_function
def _destroyed(function: Function) -> tuple[Owned, ...]:
    if function.language != "cpp" or function.home is not None or len(function.record.parameters) != 1:
        return ()
    return tuple(_destroyed_by(function))


def _destroyed_by(function: Function) -> Iterator[Owned]:
    known = natives.natives(function.program)
    frees = function.program.models.functions_with("release", "argument 1", lambda model: not model.counted)
    parameter = function.record.parameters[0]
    given = wrapped_objects.class_of_parameter(function, parameter)
    for call in function.flow.calls:
        destroyed = known.destroyed(function, call.node)
        ended = destroyed[1] if destroyed is not None else None
        if ended is None and places.last_name(call.node.callee) in frees and call.node.args:
            ended = call.node.args[0]
        for where in _places(function, ended) if ended is not None else ():
            cls = given if where[0] == parameter.name else _cast_from(function, where[0])
            if cls is not None and (len(where) == 2 or (len(where) > 2 and _is_held(cls, where[1]))):
                yield Owned(cls, where[1], function, call)


def _is_held(cls: Class, name: str) -> bool:
    """Whether the member is a struct that is a part of the object itself."""
    found = cls.field(name)
    return found is not None and types.parse(found[1].type).is_value


def _cast_from(function: Function, name: str) -> Class | None:
    """The struct for which a local takes what the function was given: `Book *self = (Book *)op;`."""
    at = r.Name(0, 0, name)
    found = _struct(function, at) if name in function.locals and lending.parameter(function, at) == 0 else None
    return found[1] if found is not None else None


def _places(function: Function, value: r.Value) -> Iterator[places.Place]:
    """Where a value stands; of a local where all stands that it is given: the nodes of a list begin in a member."""
    inner = places.strip(value)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        given = [write.value for write in function.flow.writes_to((inner.text,))]
    else:
        given = [inner]
    for one in given:
        where = assignments.place(function, one) if one is not None else None
        if where is not None:
            yield where


_Members = dict[tuple[str, str], Owned]


def _of(function: Function, owned: _Members, sources: _Members) -> Iterator[BorrowedPart]:
    made = dict(lending.new_objects(function))
    for write in function.flow.writes if made else ():
        if len(write.place) != 2 or write.place[0] not in made or write.value is None:
            continue
        cls = made[write.place[0]]
        if (cls.symbol, write.place[1]) in owned or not _is_pointer(cls, write.place[1]):
            continue
        if not _is_returned(function, write.place[0]):
            continue
        if _is_counted(function, write.value):
            continue
        given = [parameter.name for parameter in function.record.parameters]
        value = places.strip(write.value)
        if isinstance(value, r.Name) and value.text in given:
            yield from _by_callers(function, write, cls, given.index(value.text), sources)
        yield from _part(function, write, write.value, write.place[0], cls, write.place[1], sources)


def _is_counted(function: Function, value: r.Value) -> bool:
    """Whether the function takes a reference to the native object of its own: `thing_ref(thing, 1)`."""
    inner = places.strip(value)
    if not isinstance(inner, r.Name):
        return False
    return any(
        not habits.COUNTS.isdisjoint(pairs.words(places.last_name(call.node.callee))[-1:])
        and any(
            isinstance(one := places.strip(given), r.Name) and inner.text in _aliases(function, one.text)
            for given in call.node.args
        )
        and not any(_is_negative(given) for given in call.node.args)
        for call in function.flow.calls
    )


def _is_negative(given: r.Value) -> bool:
    return (isinstance(given, r.Unary) and given.op == "-") or (isinstance(given, r.Literal) and given.text[:1] == "-")


def _by_callers(
    function: Function, write: events.Write, cls: Class, position: int, sources: _Members
) -> Iterator[BorrowedPart]:
    """Where the function is given what it puts there, by those who have the owner and do not give that."""
    for caller in function.program.index.callers(function):
        for call in caller.flow.calls if caller is not function and caller.home is None else ():
            if position >= len(call.node.args) or places.last_name(call.node.callee) != function.name:
                continue
            if function not in function.program.calls.callee(call.node, caller).functions:
                continue
            into = call.into[0] if call.into else ""
            yield from _part(caller, call, call.node.args[position], into, cls, write.place[1], sources)


def _part(
    function: Function, at: events.Event, value: r.Value, into: str, cls: Class, field: str, sources: _Members
) -> Iterator[BorrowedPart]:
    found = _source(function, value, sources)
    if found is None or found[1].cls is cls:
        return
    name, of = found
    names = _aliases(function, name)
    if not any(write.place == (name, of.field) for write in function.flow.writes):  # else it is handed over
        yield BorrowedPart(function, at, cls, field, name, of, _keeps(function, into, cls, names))


def _struct(function: Function, value: r.Value | None) -> tuple[str, Class] | None:
    """The name, and the struct, of what a value is that the function was given: a parameter, or one that is taken for
    such a struct."""
    program, inner = function.program, places.strip(value)
    if not isinstance(inner, r.Name):
        return None
    parameter = next((one for one in function.record.parameters if one.name == inner.text), None)
    written, initial = function.locals.get(inner.text, ("", None))
    if isinstance(value, r.Cast):
        written = value.type
    elif parameter is not None:
        written = parameter.type
    elif not isinstance(places.strip(initial := conditions.computed_once(function, inner.text)), r.Name):
        return None
    kind = types.parse(initial.type if types.parse(written).is_placeholder and isinstance(initial, r.Cast) else written)
    found = program.names.find_class(kind.name, function.record.scope, function.file)
    return (inner.text, found) if found is not None and kind.pointers else None


def _is_pointer(cls: Class, name: str) -> bool:
    found = cls.field(name)
    return found is not None and types.parse(found[1].type).pointers == 1


def _source(function: Function, value: r.Value | None, owned: _Members) -> tuple[str, Owned] | None:
    """The owned member, and the name of its object, out of which a value is taken: by a call that is given it, as a
    part of it, or as what it points to."""
    inner = places.strip(value)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        initial = conditions.computed_once(function, inner.text)
        return _source(function, initial, owned) if initial is not inner else None
    for part in places.walk(inner):
        if isinstance(part, r.Member) and (of := _struct(function, part.base)) is not None:
            one = owned.get((of[1].symbol, part.name))
            if one is not None:
                return of[0], one
    return None


def _aliases(function: Function, name: str) -> frozenset[str]:
    """The names that the object has in the function."""
    initial = places.strip(conditions.computed_once(function, name))
    return frozenset({name, initial.text} if isinstance(initial, r.Name) else {name})


def _keeps(function: Function, made: str, cls: Class, owner: frozenset[str]) -> bool:
    """Whether the new object, or somebody whom nobody sees through, may keep the owner: it is stored there, or the
    object that it keeps itself, its count goes up, or it is given away whole."""

    from_it = {
        name
        for name in function.locals
        for inner in places.walk(conditions.computed_once(function, name))
        if isinstance(inner, r.Name) and inner.text in owner
    }
    given = next((at for at, one in enumerate(function.record.parameters) if one.name in owner), -1)
    for event in function.flow:
        match event:
            case events.Write(fresh=False, value=value) if not made and places.is_one_of(value, owner):
                return True  # `PyArray_BASE(array) = self`
            case events.Write(place=(first, field, *_), value=value) if first == made and value is not None:
                parts = _whole(value)
                names = owner
                if _is_object(cls, field):
                    whole = lending.parameter(function, value)
                    if whole >= 0 and whole == given and lending.is_taken_down_only(function, given, made, cls, field):
                        continue
                    parts, names = places.walk(value), owner | from_it
                if any(isinstance(inner, r.Name) and inner.text in names for inner in parts):
                    return True
            case events.CallEvent(node=call):
                if any(places.is_one_of(one, owner) for one in call.args) and not (
                    given >= 0 and lending.lends(function, call, given, made)
                ):
                    return True
    return False


def _is_object(cls: Class, name: str) -> bool:
    """Whether a member points to an object of Python's: one of the interface, or of a type that the project makes."""
    found = cls.field(name)
    if found is None:
        return False
    written = cls.program.names.expand(found[1].type, cls.file, cls.symbol)
    if "python object" in cls.program.types.roles_at(written, cls.file, cls.symbol):
        return True
    kind = types.parse(written)
    return kind.pointers == 1 and (kind.last in _object_structs(cls.program) or kind.last == "PyObject")


@questions.program_question
def _object_structs(program: Program) -> frozenset[str]:
    """Last names of the structs of which the project makes objects of Python's."""
    functions = (one for one in lending.makers_of_objects(program) if one.language == "cpp")
    return frozenset(cls.name for function in functions for _, cls in lending.new_objects(function))


def _is_returned(function: Function, made: str) -> bool:
    answers = (places.strip(leave.value) for leave in function.flow.leaves if leave.kind == "return")
    return any(isinstance(inner, r.Name) and inner.text == made for inner in answers)


def _whole(value: r.Value) -> Iterator[r.Value]:
    """The parts of a value that are no member of something."""
    stack = [value]
    while stack:
        inner = stack.pop()
        if not isinstance(inner, r.Member):
            yield inner
            stack += places.children(inner)
