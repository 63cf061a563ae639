"""Elements of an object's containers that a binding lends to Python, and members that move or destroy them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ownlint.bindings.origins import Origins, sources_of
from ownlint.bindings.policies import Policies
from ownlint.bindings.signatures import framework_of, signature_of
from ownlint.bindings.targets import returned_values, target_of
from ownlint.bindings.views import roles_of
from ownlint.engine import containers
from ownlint.facts import records as r
from ownlint.finding import Step
from ownlint.flow.places import last_name, strip
from ownlint.project import types
from ownlint.project.subjects import Binding, Class, Function

_DEEPEST = 3


class LentElement(msgspec.Struct, frozen=True):
    cls: Class
    field: str
    at: Step


def lent_element(binding: Binding) -> LentElement | None:
    """The field of whose elements one is handed out as it is."""
    framework = framework_of(binding)
    signature = signature_of(binding) if framework is not None and binding.record.owner >= 0 else None
    if framework is None or signature is None or signature.handing not in ("pointer", "reference"):
        return None
    if Policies(binding, framework).effective(signature.handing) != "reference internal":
        return None
    target = signature.target
    if target is None or target.function is None or signature.kind.last not in binding.program.names.bound_types:
        return None
    for value in returned_values(target.function):
        found = _field(value, target.function, target.first, 0)
        if found is not None:
            return LentElement(*found, target.function.step(value, "the element is returned here"))
    return None


def _leads_in(call: r.Call, function: Function) -> bool:
    methods = function.program.models.containers
    return last_name(call.callee) in methods.lends - methods.finds | methods.places


def _field(value: r.Value | None, function: Function, first: int, depth: int) -> tuple[Class, str] | None:
    """The container that the value is an element of: a field of the object, whose elements move."""
    inner = strip(value)
    while isinstance(inner, r.Unary) and inner.op in ("&", "*"):
        inner = strip(inner.value)
    base: r.Value | None = None
    if isinstance(inner, r.Index):
        base = inner.base
    elif isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and _leads_in(inner, function):
        base = inner.callee.base
    if base is not None and (place := _place(base, function, first)) is not None:
        return place if _moves_elements(*place) else None
    return _field_behind(inner, function, first, depth) if isinstance(inner, r.Call) and depth < _DEEPEST else None


def _field_behind(call: r.Call, function: Function, first: int, depth: int) -> tuple[Class, str] | None:
    """The one that the called method of the same object returns an element of."""
    origins = Origins(function, sources_of(function, first))
    for target in function.program.calls.callee(call, function).functions[:1]:
        owner = origins.given(call, 1)
        if owner is not None and owner.argument == 1 and {"&", "*"} & set(target.record.result):
            for back in returned_values(target):
                if (found := _field(back, target, 2, depth + 1)) is not None:
                    return found
    return None


def _place(base: r.Value, function: Function, first: int) -> tuple[Class, str] | None:
    """A field of the object itself: `points_`, `this->points_`, `path.points`."""
    inner = strip(base)
    sources = sources_of(function, first)
    if isinstance(inner, r.Name):
        home = function.home if "this" in sources and inner.text not in function.declared else None
        held = home.field(inner.text) if home is not None else None
        return (held[0], inner.text) if held is not None else None
    if isinstance(inner, r.Member):
        origins = Origins(function, sources)
        root = strip(inner.base)
        if isinstance(root, r.Name) and root.text == "this":
            cls = function.home
        elif origins.is_argument(root) and (found := origins.address(root)) is not None and found.argument == 1:
            written = function.program.types.of(root, function)
            cls = origins.class_of(written) or origins.class_of(types.element(written))
        else:
            return None
        held = cls.field(inner.name) if cls is not None else None
        return (held[0], inner.name) if held is not None else None
    return None


def _moves_elements(cls: Class, field: str) -> bool:
    """Whether the elements are in the container by value, and do not stay where they are."""
    written = cls.program.names.expand(cls.fields[field].type, cls.file, cls.symbol)
    roles = roles_of(cls, written)
    kind = types.parse(written)
    if kind.pointers or not {"container", "sequence"} & set(roles) or not kind.arguments:
        return False
    if {"stable container", "associative", "set"} & set(roles):
        return False
    element = types.parse(kind.arguments[0])
    held = set(roles_of(cls, kind.arguments[0]))
    return not element.pointers and not {"scoped owner", "smart pointer", "shared pointer"} & held


def changes(binding: Binding, cls: Class, field: str) -> Step | None:
    """Where a bound member changes how many elements the container has."""
    if binding.record.kind not in ("method", "property_rw") or binding.name == "__init__":
        return None
    target = target_of(binding)
    if target is None or target.function is None:
        return None
    return next(_changed(target.function, target.first, cls, field, 0), None)


def _changed(function: Function, first: int, cls: Class, field: str, depth: int) -> Iterator[Step]:
    if depth > _DEEPEST:
        return
    methods = function.program.models.containers
    moving = methods.puts | methods.takes | methods.grows
    for inner in function.values:
        if not isinstance(inner, r.Call):
            continue
        if (
            isinstance(inner.callee, r.Member)
            and inner.callee.name in moving
            and not containers.leaves_elements(function, inner)
        ):
            place = _place(inner.callee.base, function, first)
            if place is not None and place == (cls, field):
                yield function.step(inner, f"`{field}` grows or shrinks here")
                continue
        origins = Origins(function, sources_of(function, first))
        for target in function.program.calls.callee(inner, function).functions[:1]:
            owner = origins.given(inner, 1)
            if target is not function and owner is not None and owner.argument == 1:
                yield from _changed(target, 2, cls, field, depth + 1)
