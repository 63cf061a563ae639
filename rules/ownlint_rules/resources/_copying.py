"""Whether objects of a class can be copied: what it declares, what its bases and members allow.

The compiler writes a copy constructor unless the class declares one, declares a move, or has a part that cannot be
copied. What is out of sight is taken for something that can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ownlint import Class, Function, pairs, patterns, places, types
from ownlint import records as r

_MOVE_ONLY = frozenset(
    {"scoped owner", "mutex", "condition variable", "thread", "atomic", "once", "guard", "future", "cleanup", "unguard"}
)
_DELETES = re.compile(r"=\s*delete\b")
_DEEPEST = 4
_SOURCE = re.compile(r".*\.(?:c|cc|cpp|cxx|c\+\+|C|cu|mm)")
"""Files that nobody includes: what a class in one of them is used for stands there too."""

Copying = Literal["implicit", "defaulted", "assignment", "own", "never", "unclear"]
"""How a class is copied: by what the compiler writes unasked or when told to; by assignment alone; by what the class
itself defines; not at all; or some base is out of sight."""


class Copies(NamedTuple):
    how: Copying
    missed: r.FunctionRecord | None = None
    """A deleted constructor that looks as if it forbade the copy, and does not: it takes something else."""


def copies(cls: Class) -> Copies:
    """How objects of the class can be copied."""
    if _forbids(cls) or _is_abstract(cls) or _ends_in_private(cls):
        return Copies("never")
    constructors, assignments = list(_copying(cls, "constructor")), list(_copying(cls, "operator="))
    missed = _missed(cls)
    made = [record for record in constructors if not _moves(record, cls)]
    moves = any(_moves(record, cls) for record in (*constructors, *assignments))
    if moves and all("delete" in record.qualifiers for record in made):
        return Copies("never")
    if made:
        if all("delete" in record.qualifiers or _is_hidden(record) for record in made):
            is_assigned = not assignments and not any(_fixes(field) for field in cls.record.fields)
            return Copies("assignment" if is_assigned else "never", missed)
        if not any("default" in record.qualifiers for record in made):
            return Copies("own")
    if not _parts_copy(cls, 0):
        return Copies("never")
    if _is_counted(cls):
        return Copies("own")
    if any(not _is_seen(cls, base) for base in cls.record.bases):
        return Copies("unclear", missed)
    return Copies("defaulted" if made else "implicit", missed)


def _copying(cls: Class, kind: str) -> Iterator[r.FunctionRecord]:
    """The constructors or assignments that take an object of the class."""
    for record in (*cls.declarations, *(method.record for method in cls.methods)):
        is_wanted = record.kind == "constructor" if kind == "constructor" else record.name == "operator="
        if not is_wanted or not record.parameters or any(p.default is None for p in record.parameters[1:]):
            continue
        written = record.parameters[0].type
        taken = types.parse(written)
        meant = types.parse(
            cls.program.names.expand(written, cls.file, cls.symbol)
        ).last  # `typedef Array<T> self_type;`
        if cls.name in (taken.last, meant) and not taken.pointers and (taken.reference or kind != "constructor"):
            yield record


def _moves(record: r.FunctionRecord, cls: Class) -> bool:
    return "&&" in record.parameters[0].type


def _is_hidden(record: r.FunctionRecord) -> bool:
    """Declared private, and never defined: how copies were forbidden before `= delete`."""
    return record.access == "private" and not record.defined


def _missed(cls: Class) -> r.FunctionRecord | None:
    for record in cls.declarations:
        if record.kind == "constructor" and "delete" in record.qualifiers and len(record.parameters) == 1:
            taken = types.parse(record.parameters[0].type)
            if taken.reference and taken.last != cls.name:
                return record
    return None


def _is_counted(cls: Class) -> bool:
    """Whether the destructor asks a member that notices copies before it ends anything: `if (count_.is_last())`."""
    counts = {field.name for field in cls.record.fields if not field.static and _notices_copies(cls, field)}
    flow = cls.destructor.flow if counts and cls.destructor is not None else None
    return flow is not None and any(
        isinstance(inner, r.Name | r.Member) and places.last_name(inner) in counts
        for call in flow.calls
        for test, _ in flow.guards(call)
        for inner in places.walk(test.value)
    )


def _notices_copies(cls: Class, field: r.Field) -> bool:
    """Whether the member's class, by value, says itself what a copy of it does."""
    kind = types.parse(cls.program.names.expand(field.type, cls.file, cls.symbol))
    found = cls.program.names.find_class(kind.name, cls.symbol, cls.file) if kind.is_value else None
    return found is not None and any(
        record.defined and "default" not in record.qualifiers and "delete" not in record.qualifiers
        for record in _copying(found, "constructor")
        if not _moves(record, found)
    )


def _forbids(cls: Class) -> bool:
    """A macro among the members says so: by its words, or by what the project defines it as."""
    for mark in cls.record.annotations:
        said = set(pairs.words(mark.name))
        if "copy" in " ".join(said) or {"evil", "constructors"} <= said or {"disallow", "assign"} <= said:
            return True
        if {"noncopyable", "deleted"} & said or any(
            _DELETES.search(m.body) for m in cls.program.macros.named(mark.name)
        ):
            return True
    return False


def _is_abstract(cls: Class) -> bool:
    return any("pure" in record.qualifiers for record in cls.declarations)


def _ends_in_private(cls: Class) -> bool:
    """Whether only the class itself can end its objects: none of them is a local or a member of another."""
    return any(record.kind == "destructor" and record.access == "private" for record in cls.declarations)


def _parts_copy(cls: Class, depth: int) -> bool:
    """Whether all bases and members can be copied, as far as they are in sight."""
    for base in cls.record.bases:
        said = pairs.words(types.parse(base.name).last)
        if {"copy", "copyable", "noncopyable", "noncopy"} & set(said) and {
            "non",
            "no",
            "un",
            "disallow",
            "noncopyable",
        } & {*said}:
            return False
        found = _base(cls, base)
        meant = [found] if found is not None else cls.program.index.classes_called(_base_name(cls, base), cls.file)
        if depth < _DEEPEST and not all(_copies_as_part(one, depth + 1) for one in meant):
            return False
    return all(field.static or _field_copies(cls, field, depth) for field in cls.record.fields)


def _field_copies(cls: Class, field: r.Field, depth: int) -> bool:
    program = cls.program
    written = program.names.expand(field.type, cls.file, cls.symbol)
    kind = types.parse(written)
    if kind.pointers or kind.reference:
        return True
    if _is_move_only(cls, written, 0):
        return False
    if depth >= _DEEPEST:
        return True
    found = program.names.find_class(kind.name, cls.symbol, cls.file)
    # Of several classes of the name it may be any.
    meant = program.index.variants(found) if found is not None else program.index.classes_called(kind.last, cls.file)
    return all(_copies_as_part(one, depth + 1) for one in meant if one is not cls)


def _is_move_only(cls: Class, written: str, depth: int) -> bool:
    """`std::unique_ptr<T>`, and a container of such."""
    roles = set(cls.program.types.roles_at(written, cls.file, cls.symbol))
    if roles & _MOVE_ONLY or ("smart pointer" in roles and not roles & {"shared pointer", "intrusive pointer"}):
        return True
    kind = types.parse(written)
    return depth < 3 and any(
        not types.parse(argument).pointers and _is_move_only(cls, argument, depth + 1)
        for argument in kind.arguments
        if roles or kind.arguments
    )


def _copies_as_part(cls: Class, depth: int) -> bool:
    """Whether an object that contains one of these can be copied: its own copy is there, or the compiler writes it."""
    if _forbids(cls):
        return False
    found = list(_copying(cls, "constructor"))
    made = [record for record in found if not _moves(record, cls)]
    if made:
        return not all("delete" in record.qualifiers or _is_hidden(record) for record in made)
    if found or any(_moves(record, cls) for record in _copying(cls, "operator=")):
        return False
    return _parts_copy(cls, depth)


def _fixes(field: r.Field) -> bool:
    """A reference or a constant: the object cannot be assigned to."""
    kind = types.parse(field.type)
    return not field.static and (kind.reference or (kind.const and not kind.pointers))


def _is_seen(cls: Class, base: r.Base) -> bool:
    return _base(cls, base) is not None


def _base(cls: Class, base: r.Base) -> Class | None:
    """The class that a base names, itself or by an alias."""
    return cls.program.names.find_class(cls.program.names.expand(base.name, cls.file, cls.symbol), cls.symbol, cls.file)


def _base_name(cls: Class, base: r.Base) -> str:
    return types.parse(cls.program.names.expand(base.name, cls.file, cls.symbol)).last


# --- whether somebody does ---


def stays_where_it_is(cls: Class, depth: int = 0) -> bool:
    """Whether the class is known to one source file or function alone, which uses it and never copies an object of it.

    False as well where nothing uses it: then who does is out of sight.
    """
    is_hidden = _SOURCE.fullmatch(cls.path) is not None or cls.record.parent >= 0
    if not is_hidden or cls.name in cls.program.names.bound_types:
        return False
    uses = [*_declared_uses(cls, depth), *_uses_in_bodies(cls)]
    return bool(uses) and not any(uses)


def _declared_uses(cls: Class, depth: int) -> Iterator[bool]:
    """Of each member, parameter and result of that type in the file: whether it makes copies."""
    for other in cls.program.classes:
        if other.file is cls.file and other is not cls:
            for field in other.record.fields:
                for by_value in _says(cls, field.type):
                    yield by_value and not _is_part_that_stays(cls, other, field, depth)
    for record in cls.file.functions:
        for written in (record.result, *(parameter.type for parameter in record.parameters)):
            yield from (by_value for by_value in _says(cls, written) if by_value or record.owner != cls.symbol)


def _is_part_that_stays(cls: Class, other: Class, field: r.Field, depth: int) -> bool:
    """Whether what has the object as a member is not copied either."""
    if types.parse(field.type).last != cls.name or depth >= _DEEPEST:
        return False
    return copies(other).how == "never" or stays_where_it_is(other, depth + 1)


def _uses_in_bodies(cls: Class) -> Iterator[bool]:
    """Of each local and each object that the file's functions make of the class: whether it is a copy."""
    name = patterns.AnyName((cls.name,))
    for index in range(len(cls.file.functions)):
        function = cls.program.index.function_at(cls.file, index)
        if function is None or not function.says(name):
            continue
        for written, value in function.locals.values():
            for by_value in _says(cls, written):
                yield by_value and (types.parse(written).last != cls.name or _is_object(cls, value, function))
        for write in function.flow.writes:
            if write.op == "=":
                yield _is_object(cls, write.value, function)
        for event in function.flow.calls:
            node = event.node
            if node.kind in ("new", "construct") and places.last_name(node.callee) == cls.name:
                yield any(_is_object(cls, argument, function) for argument in node.args[:1])


def _says(cls: Class, written: str) -> Iterator[bool]:
    """Of each time that a type says the class's name: whether it holds an object, and so may copy one."""
    if cls.name not in written:
        return
    kind = types.parse(written)
    if kind.last == cls.name:
        yield kind.is_value
    points = {"smart pointer", "scoped owner"} & set(cls.program.types.roles_at(written, cls.file, cls.symbol))
    for argument in kind.arguments:
        for by_value in _says(cls, argument):
            yield by_value and not points


def _is_object(cls: Class, value: r.Value | None, function: Function) -> bool:
    """Whether the value is an object that is there already."""
    inner = places.strip(value)
    if not isinstance(inner, r.Name | r.Member | r.Unary | r.Index):
        return False
    kind = types.parse(cls.program.types.of(inner, function))
    return kind.last == cls.name and not kind.pointers
