"""C++ classes that look at what they do not own, and how they come to do so.

A view is a class with a field that is a reference, a raw pointer it does not free, a view type or an iterator, of
its own, of a base class or of a view inside it. A class that also shares ownership (a shared pointer, a Python
object) keeps what it looks at alive, or may: it is no view.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.finding import Step
from ownlint.flow.places import last_name, strip, walk
from ownlint.project import types
from ownlint.project.signatures import accepts
from ownlint.project.subjects import Class, Function

_SHARES = ("shared pointer", "intrusive pointer", "weak pointer", "python object")
_DEEPEST = 3
_PIECE = re.compile(r"\w+|&&")
_PLAIN_POINTEES = ("char", "void", "FILE", "PyObject", "PyTypeObject")


class BorrowingField(msgspec.Struct, frozen=True):
    name: str
    at: Step


def borrowing_field(cls: Class) -> Step | None:
    """The field through which a class looks at something it does not own, or None."""
    return next((field.at for field in borrowing_fields(cls)), None)


def borrowing_fields(cls: Class, depth: int = 0) -> tuple[BorrowingField, ...]:
    """All such fields, those of bases too; none when the class shares ownership."""
    if depth > _DEEPEST:
        return ()
    found: list[BorrowingField] = []
    for owner in cls.ancestry:
        for field in owner.fields.values():
            if field.static:
                continue
            written = owner.program.names.expand(field.type, owner.file, owner.symbol)
            roles = roles_of(owner, written)
            if any(role in _SHARES for role in roles):
                return ()
            why = _looks_elsewhere(written, roles)
            if why and not is_released(owner, field) and not _is_copied_by_hand(owner):
                at = Step(owner.path, field.span, f"`{owner.name}::{field.name}` {why}")
                found.append(BorrowingField(field.name, at))
            elif not why and not _is_copied_by_hand(owner):
                found += _inside(owner, field, written, depth)
    return tuple(found)


def _inside(owner: Class, field: r.Field, written: str, depth: int) -> Iterator[BorrowingField]:
    """A view inside the view, itself or in a container."""
    for inner in _classes_in(owner, written):
        if deeper := borrowing_fields(inner, depth + 1):
            yield BorrowingField(field.name, deeper[0].at)
            return


def _classes_in(owner: Class, written: str) -> Iterator[Class]:
    for held in types.within(written):
        kind = types.parse(held)
        inner = owner.program.names.find_class(kind.name, owner.symbol, owner.file) if kind.is_value else None
        if inner is not None and inner is not owner:
            yield inner


def views_held(owner: Class, field: r.Field) -> tuple[Class, ...]:
    """The classes of views that a field is, or holds, as a container or an owner."""
    written = owner.program.names.expand(field.type, owner.file, owner.symbol)
    return tuple(inner for inner in _classes_in(owner, written) if borrowing_fields(inner))


def roles_of(cls: Class, written: str) -> tuple[str, ...]:
    return cls.program.models.role(types.parse(written).name, cls.program.names.scopes_at(cls.file, cls.symbol))


def looks_elsewhere(written: str, roles: tuple[str, ...]) -> bool:
    """Whether a value of this type is an address, in one way or another."""
    return bool(_looks_elsewhere(written, roles))


def _looks_elsewhere(written: str, roles: tuple[str, ...]) -> str:
    kind = types.parse(written)
    if "(" in written:
        return ""
    if kind.reference and not kind.pointers:
        return "is a reference"
    if kind.pointers == 1 and kind.last not in _PLAIN_POINTEES and not written.strip().endswith("* const *"):
        return "is a non-owning pointer"
    if kind.is_value and "view" in roles:
        return "is a non-owning view"
    if kind.is_value and (kind.last in ("iterator", "const_iterator") or "iterator" in roles):
        return "is a non-owning iterator"
    return ""


def is_given(cls: Class, field: str) -> bool:
    """Whether a constructor stores what its caller gave: a way out of the object, to what others own."""
    return any(True for made in cls.constructors for _ in _kept(cls, made, {field}, _DEEPEST))


def is_released(cls: Class, field: r.Field) -> bool:
    """Whether the destructor frees what the field points to, or may: one nobody shows counts as freeing."""
    if types.parse(field.type).reference:
        return False
    if cls.destructor is None:
        return cls.record.destructor in ("declared", "defined")
    return resources(cls.program).end_of(cls, field.name) is not None


def takes_its_own(cls: Class, record: r.FunctionRecord) -> bool:
    """Whether a constructor takes another object of the class to look at, as in `Node(Node& parent)`."""
    return takes_one(cls, record) and not {"const", "&&"} & set(_PIECE.findall(record.parameters[0].type))


def _copies(cls: Class, record: r.FunctionRecord) -> bool:
    return takes_one(cls, record) and "const" in _PIECE.findall(record.parameters[0].type)


def takes_one(cls: Class, record: r.FunctionRecord) -> bool:
    """Whether a constructor can be called with a reference to an object of its own class alone."""
    if record.kind != "constructor" or not record.parameters or not accepts(record, 1):
        return False
    kind = types.parse(record.parameters[0].type)
    return kind.last == cls.name and bool(kind.reference) and not kind.pointers


def _is_copied_by_hand(cls: Class) -> bool:
    """Whether its author wrote a copy constructor that does more than copy the fields: the class manages what it
    points to, and a copy of it gets memory of its own."""
    written = [
        copy for copy in cls.declarations if _copies(cls, copy) and not {"default", "delete"} & {*copy.qualifiers}
    ]
    shown = [made for made in cls.constructors if _copies(cls, made.record)]
    return bool(written) and not any(_is_fieldwise(made) for made in shown)


def _is_fieldwise(copy: Function) -> bool:
    """`Copy(const Copy& other) : a_(other.a_) {}`."""
    plain = all(isinstance(arg, r.Member | r.Name) for each in copy.record.initializers for arg in each.args)
    return plain and not any(True for _ in copy.statements)


def points_at(view: Class, target: Class) -> bool:
    """Whether a field of the view is a pointer or reference to that class or to one of its bases."""
    names = {cls.name for cls in target.ancestry}
    kinds = [types.parse(field.type) for cls in view.ancestry for field in cls.fields.values() if not field.static]
    return any(kind.last in names and not kind.is_value for kind in kinds)


def shares_itself(cls: Class) -> bool:
    """Whether a pointer to such an object can be turned into a shared one, which binding frameworks do."""
    bases = [base.name for owner in cls.ancestry for base in owner.record.bases]
    return any(types.parse(base).last == "enable_shared_from_this" for base in bases)


def holds(owner: Class, inner: Class) -> bool:
    """Whether objects of `inner` are parts of `owner`: a field, an element, or what a smart pointer owns."""
    for cls in owner.ancestry:
        for field in cls.fields.values():
            written = cls.program.names.expand(field.type, cls.file, cls.symbol)
            if field.static or not types.parse(written).is_value:
                continue
            if any(types.parse(held).last == inner.name for held in (written, *types.parse(written).arguments)):
                return True
    return False


# --- what a constructor keeps -------------------------------------------------------------------


def stored_arguments(cls: Class, count: int, depth: int = 0) -> frozenset[int]:
    """Which of `count` constructor arguments end up in a borrowing field, from 0."""
    made = [c for c in cls.constructors if accepts(c.record, count)]
    if made and depth <= _DEEPEST:
        fields = {field.name for field in borrowing_fields(cls)}
        return frozenset[int]().union(*(_kept(cls, each, fields, depth) for each in made))
    declared = [d for d in cls.declarations if d.kind == "constructor"]
    if declared or cls.constructors:
        return frozenset(_views_taken(cls, declared, count))
    if not cls.fields and cls.bases and depth <= _DEEPEST:
        return frozenset[int]().union(*(stored_arguments(base, count, depth + 1) for base in cls.bases))
    return _stored_by_order(cls)


def _stored_by_order(cls: Class) -> frozenset[int]:
    """By a class without a constructor: its bases and then its fields are filled one after the other."""
    fields = {field.name for field in borrowing_fields(cls)}
    first = len(cls.bases)
    order = [field.name for field in cls.record.fields if not field.static]
    return frozenset([*range(first), *(first + i for i, name in enumerate(order) if name in fields)])


def _views_taken(cls: Class, declared: list[r.FunctionRecord], count: int) -> Iterator[int]:
    for each in declared:
        if accepts(each, count):
            for position, parameter in enumerate(each.parameters):
                if looks_elsewhere(parameter.type, roles_of(cls, parameter.type)):
                    yield position


def initialised_name(written: str) -> str:
    """The last name of a field or a base as an initializer writes it."""
    return written.partition("<")[0].rpartition("::")[2]


def constructed_part(cls: Class, name: str) -> Class | None:
    """What an initializer of that name makes: a base, or the whole object by another constructor."""
    return next((base for base in cls.bases if base.name == name), cls if name == cls.name else None)


def kept_by(cls: Class, method: str, count: int) -> frozenset[int]:
    """Which of `count` arguments a method stores in a borrowing field, from 0."""
    fields = {field.name for field in borrowing_fields(cls)}
    made = [m for m in cls.defined(method) if m.record.kind == "method" and accepts(m.record, count)] if fields else []
    return frozenset(position for each in made for position in _kept(cls, each, fields, 0) if position < count)


def _kept(cls: Class, constructor: Function, fields: set[str], depth: int) -> Iterator[int]:
    kept = [*_initial(cls, constructor, fields, depth), *_put_later(constructor, fields)]
    named = {inner.text for value in kept if not _is_new(value) for inner in walk(value) if isinstance(inner, r.Name)}
    for position, parameter in enumerate(constructor.record.parameters):
        if parameter.name in named:
            yield position


def _initial(cls: Class, constructor: Function, fields: set[str], depth: int) -> Iterator[r.Value]:
    """What the initializers put into the fields, those of a base among them."""
    for each in constructor.record.initializers:
        written = each.name if each.name in fields else cls.program.names.expand(each.name, cls.file, cls.symbol)
        name = initialised_name(written)
        base = constructed_part(cls, name)
        if name in fields:
            yield from each.args
        elif base is not None:
            stored = stored_arguments(base, len(each.args), depth + 1)
            yield from (arg for position, arg in enumerate(each.args) if position in stored)


def _put_later(constructor: Function, fields: set[str]) -> Iterator[r.Value]:
    """What the body assigns to the fields, or gives to their methods."""
    for statement in constructor.statements:
        if isinstance(statement, r.Evaluate):
            for value in walk(statement.value):
                match value:
                    case r.Assign(target=target) if last_name(target) in fields:
                        yield value.value
                    case r.Call(callee=r.Member(base=base)) if last_name(base) in fields:
                        yield from value.args


def _is_new(value: r.Value) -> bool:
    """`new T[rows * columns]`: what is kept is fresh, whatever it was made with."""
    inner = strip(value)
    return isinstance(inner, r.Call) and inner.kind == "new"
