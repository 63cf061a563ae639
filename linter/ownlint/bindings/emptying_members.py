"""Bound members that end what other members of the same class have handed out: elements move, owned parts are freed."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.bindings.contracts import contracts_in
from ownlint.bindings.elements import LentElement, changes, lent_element
from ownlint.bindings.signatures import bound_class
from ownlint.bindings.targets import target_of
from ownlint.bindings.views import is_released
from ownlint.facts import records as r
from ownlint.flow.places import last_name, strip
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Binding, Class, Function

_OWNS = ("scoped owner", "smart pointer", "shared pointer")
_LENDING = ("method", "property", "property_rw", "iterator")
_FREES = frozenset(["reset", "clear"])


def killed_by(binding: Binding) -> tuple[str, ...]:
    """Names of the members whose results are dead after this one was called, sorted."""
    if binding.record.kind not in ("method", "property_rw") or binding.record.owner < 0 or not binding.name:
        return ()
    cls = bound_class(binding)
    if cls is None:
        return ()
    lending = _lending(binding.program).get((binding.path, binding.record.owner), ())
    found = {name for name, lent in lending if _ends(binding, cls, lent)}
    return tuple(sorted(found))


@program_question
def _lending(program: Program) -> dict[tuple[str, int], list[tuple[str, LentElement]]]:
    """By bound class: the members that hand out parts of what a field holds, with that field."""
    found: dict[tuple[str, int], list[tuple[str, LentElement]]] = {}
    for binding in program.bindings:
        if binding.record.kind not in _LENDING or binding.record.owner < 0:
            continue
        key = (binding.path, binding.record.owner)
        lent = lent_element(binding)
        if lent is not None:
            found.setdefault(key, []).append((binding.name, lent))
            continue
        for home, field in _owned_fields(binding):
            found.setdefault(key, []).append((binding.name, LentElement(home, field, binding.step(binding.record, ""))))
    return found


def _owned_fields(binding: Binding) -> Iterator[tuple[Class, str]]:
    """The owning fields through which a member reaches what its result looks at."""
    if not any(one.borrows == "self" for one in contracts_in(binding)):
        return
    cls, target = bound_class(binding), target_of(binding)
    if cls is None or target is None or target.function is None:
        return
    body = target.function.encoded
    for owner in cls.ancestry:
        for field in owner.record.fields:
            if not field.static and f'"{field.name}"'.encode() in body and _owns(owner, field):
                yield owner, field.name


def _owns(cls: Class, field: r.Field) -> bool:
    expanded = cls.program.names.expand(field.type, cls.file, cls.symbol)
    roles = cls.program.types.roles_at(expanded, cls.file, cls.symbol)
    if any(role in roles for role in _OWNS):
        return not types.parse(expanded).pointers
    return types.parse(expanded).pointers == 1 and cls.destructor is not None and is_released(cls, field)


def _ends(binding: Binding, cls: Class, lent: LentElement) -> bool:
    if changes(binding, lent) is not None:
        return True
    target = target_of(binding)
    return target is not None and target.function is not None and _frees(target.function, lent.field)


def _frees(function: Function, field: str) -> bool:
    """Whether the body frees what the field holds, and puts nothing new there."""
    frees = refills = False
    for inner in function.values:
        match inner:
            case r.Call(kind="delete", args=(target, *_)) if _is_field(target, field):
                frees = True
            case r.Call(callee=r.Member(base=base, name=name), args=args) if _is_field(base, field):
                frees |= name in _FREES and not args
                refills |= name in _FREES and bool(args)
            case r.Assign(op="=", target=target, value=made) if _is_field(target, field):
                nothing = isinstance(strip(made), r.Literal)
                frees |= nothing
                refills |= not nothing
    return frees and not refills


def _is_field(value: r.Value | None, field: str) -> bool:
    inner = strip(value)
    while isinstance(inner, r.Unary) and inner.op in ("*", "&"):
        inner = strip(inner.value)
    return isinstance(inner, r.Name | r.Member) and last_name(inner) == field
