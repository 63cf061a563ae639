"""Elements of an object's containers that a binding lends to Python, and members that move or destroy them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ownlint.bindings.origins import Origins, sources_of
from ownlint.bindings.policies import Policies
from ownlint.bindings.signatures import framework_of, signature_of
from ownlint.bindings.targets import returned_values, target_of
from ownlint.bindings.views import roles_of, shares_itself
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
    stays: bool = False
    """It stays where it is until it is taken out: an element of a map, or what an element points to."""


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
            cls, field, stays = found
            return LentElement(cls, field, target.function.step(value, "the element is returned here"), stays)
    return None


def _leads_in(call: r.Call, function: Function) -> bool:
    methods = function.program.models.containers
    return last_name(call.callee) in methods.lends - methods.finds | methods.places


def _field(
    value: r.Value | None, function: Function, first: int, depth: int, *, through: bool = False
) -> tuple[Class, str, bool] | None:
    """The container that the value is an element of, or what an element points to: a field of the object. And whether
    that stays where it is until it is taken out. `through` says that what an element points to is meant."""
    inner = strip(value)
    while True:
        match inner:
            case r.Conditional(then=then, other=other):
                sides = (_field(side, function, first, depth, through=through) for side in (then, other))
                return next((found for found in sides if found is not None), None)
            case r.Unary(op="&" | "*" as op, value=operand):
                inner, through = strip(operand), through or op == "*"
            case r.Call(callee=r.Member(base=pointer, name="get"), args=()):
                inner, through = strip(pointer), True
            case _:
                break
    base = _container(inner, function)
    if base is not None and (place := _place(base, function, first)) is not None:
        stays = _stays(*place, through=through)
        return (*place, stays) if stays is not None else None
    if isinstance(inner, r.Call) and depth < _DEEPEST:
        return _field_behind(inner, function, first, depth, through=through)
    return None


def _container(value: r.Value | None, function: Function, depth: int = 0) -> r.Value | None:
    """The container of which an expression is an element: `all[i]`, `all.front()`, `it->second`, a local."""
    match value:
        case r.Index(base=base):
            return base
        case r.Call(callee=r.Member(base=base)) if _leads_in(value, function):
            return base
        case r.Member(base=base, name="second"):
            return _found_in(strip(base), function)
        case r.Name(text=name) if depth < _DEEPEST:
            for statement in function.statements:
                if isinstance(statement, r.Loop) and statement.kind == "range" and statement.target == value:
                    return statement.iterable
            return _container(strip(function.locals.get(name, ("", None))[1]), function, depth + 1)
    return None


def _found_in(value: r.Value | None, function: Function) -> r.Value | None:
    """The container that was asked for an iterator: `it`, made by `all.find(key)`."""
    initial = strip(function.locals.get(value.text, ("", None))[1]) if isinstance(value, r.Name) else value
    if isinstance(initial, r.Call) and isinstance(initial.callee, r.Member):
        return initial.callee.base if initial.callee.name in function.program.models.containers.finds else None
    return None


def _field_behind(
    call: r.Call, function: Function, first: int, depth: int, *, through: bool
) -> tuple[Class, str, bool] | None:
    """The one that the called method of the same object returns an element of."""
    origins = Origins(function, sources_of(function, first))
    for target in function.program.calls.callee(call, function).functions[:1]:
        owner = origins.given(call, 1)
        if owner is not None and owner.argument == 1 and _leads_on(target):
            for back in returned_values(target):
                if (found := _field(back, target, 2, depth + 1, through=through)) is not None:
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


def _leads_on(function: Function) -> bool:
    """Whether the result leads to what others hold: a pointer, a reference, or a pointer that shares it."""
    result = function.record.result
    return bool({"&", "*"} & set(result)) or "shared pointer" in function.program.types.roles(result, function)


def _stays(cls: Class, field: str, *, through: bool) -> bool | None:
    """Whether what is handed out stays where it is until it is taken out of the container: an element of a map, or,
    with `through`, what an element points to and owns. None where the container does not own it."""
    written = cls.program.names.expand(cls.fields[field].type, cls.file, cls.symbol)
    roles = set(roles_of(cls, written))
    kind = types.parse(written)
    if kind.pointers or not {"container", "sequence"} & roles or not kind.arguments:
        return None
    keyed = "associative" in roles and len(kind.arguments) > 1
    held = kind.arguments[1 if keyed else 0]
    if types.parse(held).pointers:
        return None
    owning = {"scoped owner", "smart pointer", "shared pointer"} & set(roles_of(cls, held))
    if owning or through:
        return True if owning and through and not _shares_itself(cls, held) else None
    return bool({"stable container", "associative", "set"} & roles)


def _shares_itself(cls: Class, pointer: str) -> bool:
    """Whether the framework makes a shared pointer of what such a pointer holds."""
    held = types.parse(pointer).arguments
    found = cls.program.names.find_class(held[0], cls.symbol, cls.file) if held else None
    return found is not None and shares_itself(found)


def changes(binding: Binding, lent: LentElement) -> Step | None:
    """Where a bound member changes how many elements the container has, so that the one that is lent may be gone."""
    if binding.record.kind not in ("method", "property_rw") or binding.name == "__init__":
        return None
    target = target_of(binding)
    if target is None or target.function is None:
        return None
    return next(_changed(target.function, target.first, lent, 0), None)


def _changed(function: Function, first: int, lent: LentElement, depth: int) -> Iterator[Step]:
    if depth > _DEEPEST:
        return
    methods = function.program.models.containers
    moving = methods.takes if lent.stays else methods.puts | methods.takes | methods.grows
    for inner in function.values:
        if not isinstance(inner, r.Call):
            continue
        changed = inner.callee.base if isinstance(inner.callee, r.Member) else next(iter(inner.args), None)
        if last_name(inner.callee) in moving and not containers.leaves_elements(function, inner):
            place = _place(changed, function, first) if changed is not None else None
            if place == (lent.cls, lent.field):
                erases = last_name(inner.callee) in methods.takes
                done = (
                    f"an element of `{lent.field}` is erased"
                    if erases
                    else f"the elements of `{lent.field}` may be moved"
                )
                yield function.step(inner, f"{done} here")
                continue
        origins = Origins(function, sources_of(function, first))
        for target in function.program.calls.callee(inner, function).functions[:1]:
            owner = origins.given(inner, 1)
            if target is not function and owner is not None and owner.argument == 1:
                yield from _changed(target, 2, lent, depth + 1)
