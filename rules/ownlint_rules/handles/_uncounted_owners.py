"""Objects of an extension's own types that store a pointer to the object they are made from, by CPython's interface,
where nothing counts that object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, counting, events, places, questions, references, slot_tables, text, types
from ownlint import records as r
from ownlint_rules.handles import _lending as lending


class UncountedOwner(NamedTuple):
    """At `at`, the object `given` is stored in `field` of a `made`; `user` follows the pointer at `use`."""

    function: Function
    at: events.Write
    made: Class
    field: str
    given: str
    user: Function
    use: r.Value


class _StoredPointer(NamedTuple):
    """At `at`, a pointer to the object `given` is stored in `field` of a `made`, and nothing counts it."""

    at: events.Write
    made: Class
    field: str
    given: str


@questions.program_question
def uncounted_owners(program: Program) -> list[UncountedOwner]:
    """In source order."""
    found = []
    for stores in (_in_new(program), _in_self(program)):
        for function, stored in stores.items():
            for one in stored:
                use = _use(function, one.made, one.field)
                if use is not None:
                    found.append(UncountedOwner(function, *one, *use))
    return found


@questions.each_function
def _in_new(function: Function) -> tuple[_StoredPointer, ...]:
    """In an object that the function has made."""
    if function.language != "cpp" or function.home is not None or not lending.makes_objects(function):
        return ()
    found = []
    made = dict(lending.new_objects(function))
    for write in function.flow.writes if made else ():
        if len(write.place) != 2 or write.place[0] not in made or write.value is None:
            continue
        cls, field = made[write.place[0]], write.place[1]
        given = lending.parameter(function, write.value)
        if given < 0 or not _is_owner(function, given, cls, field):
            continue
        if references.owns_member(cls, field, function.program) or not _is_answer(function, write.place[0]):
            continue
        if lending.is_only_lent(function, given, write.place[0]):
            found.append(_StoredPointer(write, cls, field, function.record.parameters[given].name))
    return tuple(found)


@questions.each_function
def _in_self(function: Function) -> tuple[_StoredPointer, ...]:
    """`self->source = source;`, of an argument that Python passes, where nothing counts the member."""
    if function.language != "cpp" or not slot_tables.is_slot(function):
        return ()
    program, made, found = function.program, dict(lending.new_objects(function)), []
    for one in counting.troubles(function):
        where = places.strip(one.where)
        if one.what != "stored borrowed" or not isinstance(one.at, events.Write) or not isinstance(where, r.Member):
            continue
        if one.at.place[0] in made:
            continue
        cls = next(iter(program.types.classes_of(program.types.of(where.base, function), function)), None)
        if cls is None or references.owns_member(cls, where.name, program):
            continue
        stored = places.strip(one.at.value)
        if stored is not None:
            found.append(_StoredPointer(one.at, cls, where.name, text(stored)))
    return tuple(found)


def _is_owner(function: Function, given: int, cls: Class, field: str) -> bool:
    """Whether the parameter is an object of one of the project's own types, rather than a module or a type."""
    program = function.program
    found = cls.field(field)
    if found is None or types.parse(found[1].type).pointers != 1:
        return False
    written = [found[1].type, function.record.parameters[given].type]
    written += [cast.type for cast in _object_casts(function) if lending.parameter(function, cast) == given]
    return any(_struct(program, one, function) in _structs(program) for one in written)


def _object_casts(function: Function) -> Iterator[r.Cast]:
    known, program = references.references(function.program), function.program
    for value in function.values:
        if isinstance(value, r.Cast) and known.is_pointer(program.types.of(value.value, function), function):
            yield value


def _struct(program: Program, written: str, function: Function) -> str:
    kind = types.parse(written)
    cls = program.names.find_class(kind.name, function.record.scope, function.file) if kind.pointers == 1 else None
    return cls.symbol if cls is not None else ""


@questions.program_question
def _structs(program: Program) -> frozenset[str]:
    """The structs that an object of Python's is cast to."""
    return frozenset[str]().union(*_cast_to(program).values())


@questions.each_function
def _cast_to(function: Function) -> frozenset[str]:
    """Those of one function."""
    if function.language != "cpp":
        return frozenset()
    program = function.program
    known = references.references(program)
    found = {cls.symbol for _, cls in lending.new_objects(function) if lending.makes_objects(function)}
    if any(known.is_pointer(one.type, function) for one in function.record.parameters):
        found.update(_struct(program, cast.type, function) for cast in _object_casts(function))
    if slot_tables.is_slot(function) and function.record.parameters:
        found.add(_struct(program, function.record.parameters[0].type, function))
    return frozenset(found - {""})


def _is_answer(function: Function, made: str) -> bool:
    answers = (leave.value for leave in function.flow.leaves if leave.kind == "return")
    return any(isinstance(one, r.Name) and one.text == made for answer in answers for one in places.walk(answer))


def _use(maker: Function, cls: Class, field: str) -> tuple[Function, r.Value] | None:
    """Where another function follows the pointer; None as well where one sets it to null, as an owner does that ends
    what it has made."""
    program, known = maker.program, references.references(maker.program)
    found: tuple[Function, r.Value] | None = None
    for function in program.functions:
        if function.language != "cpp" or function is maker or f'"{field}"'.encode() not in function.encoded:
            continue
        for write in function.flow.writes:
            if write.place[-1:] == (field,) and known.is_null(write.value, function):
                return None
        if found is None:
            found = next(
                ((function, value) for value in function.values if _follows(function, value, cls, field)), None
            )
    return found


def _follows(function: Function, value: r.Value, cls: Class, field: str) -> bool:
    """`self->book->bids`, `book_size(self->book)`."""
    match value:
        case r.Member(base=inner):
            parts = [inner]
        case r.Call(args=args):
            parts = list(args)
        case _:
            return False
    return any(
        isinstance(part := places.strip(one), r.Member)
        and part.name == field
        and any(
            held is cls
            for held in function.program.types.classes_of(function.program.types.of(part.base, function), function)
        )
        for one in parts
    )
