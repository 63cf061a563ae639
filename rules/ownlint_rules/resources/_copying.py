"""Whether objects of a class can be copied: what it declares, what its bases and members allow.

The compiler writes a copy constructor unless the class declares one, declares a move, or has a part that cannot be
copied. What is out of sight is taken for something that can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

from ownlint import (
    Class,
    File,
    Function,
    Program,
    Span,
    Step,
    pairs,
    patterns,
    places,
    questions,
    resources,
    text,
    types,
)
from ownlint import records as r
from ownlint_rules.resources import _slot_enders as enders

_MOVE_ONLY = frozenset(
    {"scoped owner", "mutex", "condition variable", "thread", "atomic", "once", "guard", "future", "cleanup", "unguard"}
)
_DELETES = re.compile(r"=\s*delete\b")
_DEEPEST = 4

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

_Key = tuple[str, str]
"""A class by its full name and its path."""


class CopyMade(NamedTuple):
    """Where an object of a class is copied, or kept where copies are made of it."""

    of: _Key
    step: Step
    assigned: bool = False


def is_assigned_by_itself(cls: Class) -> bool:
    """Whether the class writes its own assignment: copies were thought of, and forgotten in the constructor."""
    return any(
        record.defined and not {"default", "delete"} & set(record.qualifiers)
        for record in _copying(cls, "operator=")
        if not _moves(record, cls)
    )


def copy_made(cls: Class) -> CopyMade | None:
    """A copy that is in sight of an object of the class, or of one that it is a member of."""
    by_itself = is_assigned_by_itself(cls)
    of = _copies_made(cls.program).get(_key(cls), [])
    return next((made for made in of if not (by_itself and made.assigned)), None)


def is_handle(cls: Class, field: r.Field) -> bool:
    """Whether what the destructor ends is a handle, by a function that ends nothing but such, and no memory."""
    end = resources.resources(cls.program).end_of(cls, field.name)
    return end is not None and end.call.node.kind != "delete" and not _is_memory(end.function, end.call.node)


def speaks_python(cls: Class) -> bool:
    """Whether the class takes or answers objects of Python by a binding's own types."""
    return any(
        "python" in role
        for record in cls.declarations
        for written in (record.result, *(parameter.type for parameter in record.parameters))
        if written not in ("", "void") and not types.parse(written).pointers
        for role in cls.program.types.roles_at(written, cls.file, cls.symbol)
    )


def _is_memory(body: Function, node: r.Call) -> bool:
    """Whether the standard library gives it back."""
    models = body.program.calls.callee(node, body).models
    return any(model.library == "std" and effect.verb == "release" for model in models for effect in model.effects)


def _key(cls: Class) -> _Key:
    return cls.symbol, cls.path


@questions.program_question
def _copies_made(program: Program) -> dict[_Key, list[CopyMade]]:
    watched = _watched(program)
    found: dict[_Key, list[CopyMade]] = {}
    if watched:
        for made in chain(_in_declarations(program, _named(watched)), *_in_bodies(program).values()):
            for owner in watched.get(made.of, ()):
                found.setdefault(owner, []).append(made)
    return found


@questions.program_question
def _watched(program: Program) -> dict[_Key, tuple[_Key, ...]]:
    """The classes whose objects release something and can be copied, and those that have one as a member: what is
    copied with them."""
    known = enders.enders(program)
    found: dict[_Key, tuple[_Key, ...]] = {}
    for cls in program.classes:
        if cls.destructor is not None and cls.destructor.mentioned and known.released_by_destructor(cls) is not None:
            found |= {_key(cls): (_key(cls),)} if _is_copied(cls) else {}
    for _ in range(_DEEPEST):
        said = _named(found)
        holders: dict[_Key, tuple[_Key, ...]] = {}
        for cls in program.classes:
            if cls.file.language == "cpp" and _key(cls) not in found:
                parts = tuple(owner for part in _parts(cls, said) for owner in found.get(part, ()))
                holders |= {_key(cls): parts} if parts and _is_copied(cls) else {}
        if not holders:
            break
        found |= holders
    return found


def _is_copied(cls: Class) -> bool:
    return copies(cls).how not in ("never", "own")


def _named(found: Iterable[_Key]) -> patterns.AnyName:
    return patterns.AnyName(name.rsplit("::", 1)[-1] for name, _ in found)


def _parts(cls: Class, said: patterns.AnyName) -> Iterator[_Key]:
    """The classes of the members that are objects."""
    for field in cls.record.fields:
        if not field.static and said.search(field.type.encode()):
            key = _class_of(cls.program, field.type, cls.file, cls.symbol)
            if key is not None:
                yield key


def _class_of(program: Program, written: str, file: File, scope: str) -> _Key | None:
    """The class of which a type is an object."""
    kind = types.parse(program.names.expand(written, file, scope))
    found = program.names.find_class(kind.name, scope, file) if kind.is_value else None
    if found is None or (found.file is not file and found.file.is_compiled_alone):
        return None  # an object needs the whole class, and nobody includes that file
    return _key(found)


def _in_declarations(program: Program, said: patterns.AnyName) -> Iterator[CopyMade]:
    """Parameters by value, and variables and members that are containers of objects."""
    for file in program.files.values():
        for record in file.functions if file.language == "cpp" else ():
            is_macro = not record.result and record.kind == "function"  # `TEST(Queue, Grows) {}`
            for parameter in () if is_macro else record.parameters:
                if said.search(parameter.type.encode()):
                    key = _class_of(program, parameter.type, file, record.scope)
                    if key is not None:
                        yield CopyMade(key, Step(file.path, parameter.span, "this parameter is a copy"))
                    yield from _of_elements(program, parameter.type, file, record.scope, parameter.span)
        for variable in file.variables if file.language == "cpp" else ():
            if said.search(variable.type.encode()):
                yield from _of_elements(program, variable.type, file, variable.scope, variable.span)
        for cls in file.classes if file.language == "cpp" else ():
            scope = f"{cls.scope}::{cls.name}" if cls.scope else cls.name
            for field in cls.fields:
                if said.search(field.type.encode()):
                    yield from _of_elements(program, field.type, file, scope, field.span)


def _of_elements(program: Program, written: str, file: File, scope: str, at: Span) -> Iterator[CopyMade]:
    """A container of objects that moves them when it grows."""
    roles = program.types.roles_at(written, file, scope)
    arguments = types.parse(program.names.expand(written, file, scope)).arguments
    if "container" in roles and "stable container" not in roles and arguments:
        key = _class_of(program, arguments[-1] if "associative" in roles else arguments[0], file, scope)
        if key is not None:
            yield CopyMade(key, Step(file.path, at, "its elements are copied when it grows"))


@questions.each_function
def _in_bodies(function: Function) -> list[CopyMade]:
    watched = _watched(function.program)
    if function.language != "cpp" or not watched or not function.says(_named(watched)):
        return []
    return [made for made in _made_in(function) if made.of in watched]


def _made_in(function: Function) -> Iterator[CopyMade]:
    program, file, scope = function.program, function.file, function.record.scope

    def of_object(value: r.Value) -> _Key | None:
        kind = types.parse(program.names.expand(program.types.of(value, function), file, scope))
        return _class_of(program, kind.name, file, scope) if not kind.pointers else None

    for write in function.flow.writes:
        value = write.value
        if write.fresh:
            key = _class_of(program, write.type, file, scope)
            if key is not None and value is not None and _is_object(value) and of_object(value) == key:
                yield CopyMade(key, function.step(value, "copied here"))
            yield from _of_elements(program, write.type, file, scope, write.span)
        elif write.op == "=" and write.target is not None and (key := of_object(write.target)) is not None:
            yield CopyMade(key, function.step(write, "this copies its argument"), assigned=True)
    for event in function.flow.calls:
        node = event.node
        if node.kind in ("new", "construct") and len(node.args) == 1 and _is_object(node.args[0]):
            key = _class_of(program, text(node.callee), file, scope)
            if key is not None and of_object(node.args[0]) == key:
                yield CopyMade(key, function.step(node, "this is a copy"))


def _is_object(value: r.Value) -> bool:
    """Whether the value is an object that is there already."""
    return isinstance(places.strip(value), r.Name | r.Member | r.Unary | r.Index)
