"""What the elements of a container lead to: the class of the project to whose objects they point, are linked, or are
cast from Python's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Class, File, Function, Program, containers, places, questions, types
from ownlint import records as r

_DEPTH = 2
"""How deep in pairs and structs the pointer to the object may stand."""


def held_class(program: Program, written: str, file: File, scope: str, depth: int = 0) -> Class | None:
    """The class of the project to whose objects an entry points, itself or from inside a pair or a struct."""
    kind = types.parse(program.names.expand(written, file, scope))
    if kind.pointers:
        return program.names.find_class(kind.name, scope, file)
    roles = set(program.types.roles_at(written, file, scope))
    if roles & {"weak pointer", "shared pointer", "intrusive pointer", "smart pointer", "pair"}:
        for argument in kind.arguments:
            pointee = program.names.find_class(argument, scope, file) if "pair" not in roles else None
            found = pointee or held_class(program, argument, file, scope, depth)
            if found is not None:
                return found
        return None
    if depth == _DEPTH or roles or kind.arguments:
        return None
    cls = program.names.find_class(kind.name, scope, file)
    for field in cls.record.fields if cls is not None else ():
        if not field.static and (found := held_class(program, field.type, file, scope, depth + 1)) is not None:
            return found
    return None


def own_container(program: Program, written: str, file: File, scope: str) -> tuple[Class, bool] | None:
    """The class to whose objects the entries of a container lead that the project has written, and whether it has
    keys: what the container in it holds, with the arguments that it is given here."""
    kind = types.parse(written)
    cls = program.names.find_class(kind.name, scope, file)
    names = [part.split()[-1] for part in types.arguments_of(cls.record.template) if part.split()] if cls else []
    if cls is None or not names or len(names) != len(kind.arguments):
        return None
    given = dict(zip(names, kind.arguments, strict=True))
    for field in cls.record.fields:
        inner = re.sub(r"\w+", lambda word: given.get(word[0], word[0]), field.type)
        roles = program.types.roles_at(inner, cls.file, cls.symbol)
        found = types.parse(inner).arguments
        keyed = "associative" in roles and "set" not in roles and len(found) > 1
        if keyed or (found and {"set", "sequence"}.intersection(roles)):
            held = held_class(program, found[1 if keyed else 0], file, scope)
            if held is not None:
                return held, keyed
    return None


def linked(program: Program, written: str, file: File, scope: str) -> Class | None:
    """The class whose objects are linked from the one to which a pointer of this type leads, or are in an array of
    such pointers."""
    kind = types.parse(written.split("[")[0])
    cls = program.names.find_class(kind.name, scope, file) if kind.name and not kind.arguments else None
    if cls is None:
        return None
    if kind.pointers == 2 or (kind.pointers == 1 and "[" in written):
        return cls
    links = any(
        (next_one := types.parse(field.type)).pointers == 1 and next_one.last == cls.name for field in cls.record.fields
    )
    return cls if links and kind.pointers == 1 else None


@questions.program_question
def wrapped(program: Program) -> dict[str, Class]:
    """By the name of a container that outlives a call, the class to or from whose objects its elements are cast."""
    casts = {name for one in program.models.frameworks.values() if (name := one.facts.get("makes_object"))}
    found: dict[str, Class] = {}
    for function in program.functions if casts else ():
        if function.language == "cpp" and function.mentions_any(casts):
            for name, cls in (*_put(function, casts), *_taken(function, casts)):
                found.setdefault(name, cls)
    return found


def _put(function: Function, casts: set[str]) -> Iterator[tuple[str, Class]]:
    for insert in containers.inserts(function):
        for made in containers.made_from(function, insert.value):
            call = places.strip(made)
            if isinstance(call, r.Call) and places.last_name(call.callee) in casts and call.args:
                cls = _class(function, function.program.types.of(places.strip(call.args[0]), function))
                if cls is not None:
                    yield insert.container.names[0], cls


def _taken(function: Function, casts: set[str]) -> Iterator[tuple[str, Class]]:
    for call in function.flow.calls:
        if places.last_name(call.node.callee) in casts and call.node.template:
            given = places.receiver(call.node) or next(iter(call.node.args), None)
            names = containers.names_of(function, given)
            cls = _class(function, call.node.template)
            if names and cls is not None:
                yield names[0].removesuffix("[]"), cls


def _class(function: Function, written: str) -> Class | None:
    return function.program.names.find_class(types.parse(written).name, function.record.scope, function.file)
