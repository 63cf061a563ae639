"""Whether the project ends the objects that have slots. Where it makes them one by one and no code gives one back, they
live as long as the program as far as it shows, and what they hold does as well."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Function, Program, pairs, patterns, places, questions, resources, types
from ownlint import records as r
from ownlint_rules.resources._slots import slots


@questions.program_question
def kept_for_good(program: Program) -> frozenset[Class]:
    """The plain classes with slots whose objects are allocated, or are locals of `main`, and of which nothing releases
    one: no call, no owner, no other scope, no function that is named for it."""
    known = slots(program)
    plain = {cls for cls in known.by_class if _is_plain(cls)}
    if not plain:
        return frozenset()
    left = plain - _standing(plain, program)
    if not left:
        return frozenset()
    named = {
        name
        for function in program.functions
        if function.language == "cpp" and _is_main(function)
        for written, _ in function.locals.values()
        for name in _values(written)
    }
    left &= {cls for cls in left if cls.name in named}.union(*_made(program).values())
    ended = set[Class]().union(*_ended(program).values()) if left else set[Class]()
    return frozenset(cls for cls in left if ended.isdisjoint(cls.ancestry))


def _standing(plain: set[Class], program: Program) -> set[Class]:
    """Those of the classes, or with a base, of which an object ends with a scope, a container or an owner."""
    said = patterns.strings(sorted({cls.name for cls in plain}))
    held = {name for cls in program.classes for field in cls.record.fields for name in _values(field.type)}
    for file in program.files.values():
        held.update(name for variable in file.variables for name in _values(variable.type))
    for function in program.functions_of("cpp"):
        held.update(_values(function.record.result))
    for function in program.saying(said):
        if function.language == "cpp" and not _is_main(function):
            held.update(_held(function))
    held |= program.names.bound_types
    return {cls for cls in plain if any(one.name in held for one in cls.ancestry)}


def _is_main(function: Function) -> bool:
    return function.name == "main" and not function.record.scope


def _is_plain(cls: Class) -> bool:
    """Whether neither it nor a base has a destructor that does anything: that is there for its objects to end."""
    return not cls.record.template and all(
        one.record.destructor == "implicit" or (one.destructor is not None and not one.destructor.statements)
        for one in cls.ancestry
    )


@questions.each_function
def _made(function: Function) -> frozenset[Class]:
    """The classes of which it allocates an object: `T *made = malloc(sizeof(T))`."""
    asked = resources.resources(function.program)
    if function.language != "cpp" or not asked.may_acquire(function):
        return frozenset()
    found: set[Class] = set()
    for statement in function.statements:
        if isinstance(statement, r.Declare) and _is_allocation(statement.value, function, asked):
            found.update(_pointed(statement.type, function))
    for inner in function.values:
        if isinstance(inner, r.Assign) and _is_allocation(inner.value, function, asked):
            found.update(_pointed(function.program.types.of(inner.target, function), function))
        elif isinstance(inner, r.Call) and inner.kind == "new":
            found.update(_pointed(function.program.types.of(inner, function), function))
    return frozenset(found)


def _is_allocation(value: r.Value | None, function: Function, asked: resources.Resources) -> bool:
    inner = places.strip(value)
    made = asked.acquisition(inner, function) if isinstance(inner, r.Call) else None
    return made is not None and not made.is_counted


@questions.each_function
def _ended(function: Function) -> frozenset[Class]:
    """The classes of which it releases an object, also one that a callback gets as plain memory, or by its name."""
    found: set[Class] = set()
    if function.language != "cpp":
        return frozenset()
    if pairs.releasing_verb(function.name):
        found.update(cls for one in function.record.parameters[:1] for cls in _pointed(one.type, function))
    asked = resources.resources(function.program)
    if not asked.may_release(function):
        return frozenset(found)
    for inner in function.values:
        if not isinstance(inner, r.Call):
            continue
        for ended in asked.released(inner, function):
            by_receiver = ended.where.kind == "receiver"
            value = places.strip(places.receiver(inner) if by_receiver else resources.argument_at(inner, ended.where))
            found.update(_pointed(function.program.types.of(value, function), function))
            if not isinstance(value, r.Name):
                continue
            if value.text == places.THIS and function.home is not None:
                found.add(function.home)
            for written, initial in function.locals.values():
                if places.is_name(initial, value.text):
                    found.update(_pointed(written, function))
    return frozenset(found)


def _pointed(written: str, function: Function) -> Iterator[Class]:
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file) if kind.pointers else None
    if cls is not None:
        yield cls


def _held(function: Function) -> Iterator[str]:
    """Last names of the types of which objects end with a scope of the function, a container or an owner."""
    for parameter in function.record.parameters:
        yield from _values(parameter.type)
    for statement in function.statements:
        if isinstance(statement, r.Declare):
            yield from _values(statement.type)


def _values(written: str) -> Iterator[str]:
    """Last names of what a type has by value: itself, or the arguments of a template."""
    kind = types.parse(written)
    if not kind.pointers and not kind.reference:
        yield kind.last
    for argument in kind.arguments:
        yield from _values(argument)
