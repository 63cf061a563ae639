"""Python objects that C++ makes by hand: iterators over a range, values cast, arrays over memory.

What a binding returns as an object of Python's is beyond its policy: it keeps alive what it was made with, or nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal as OneOf

import msgspec

from ownlint.bindings.origins import Origin, Origins
from ownlint.bindings.policies import Handing
from ownlint.bindings.targets import returned_values
from ownlint.bindings.views import borrowing_field
from ownlint.facts import records as r
from ownlint.finding import Step, weaker
from ownlint.flow.places import last_name, spelled, strip
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.subjects import Class, Function

Shape = OneOf["view", "pointer", "reference", "iterator", "memory", "other"]

_OBJECTS = frozenset({"python object", "python array"})
_REFERS = ("reference", "reference internal")
_SEVERAL = frozenset({"make_pair", "make_tuple", "pair", "tuple", "make_optional", "optional"})


class Made(msgspec.Struct, frozen=True):
    """A result that leads into an argument. `name` is its C++ class; `handing` says whether the binding's policy
    still matters to it. `base` is the argument that owns the memory in place of it, from 0, unless that owns nothing;
    -1 where there is none."""

    shape: Shape
    name: str
    origin: Origin
    handing: Handing = "object"
    field: Step | None = None
    base: int = -1


def made_by_hand(value: r.Value, origins: Origins, framework: FrameworkModel) -> Iterator[Made] | None:
    """What a Python object leads into; None when the value is not made here."""
    made = _made_by_hand(value, origins, framework)
    return (one for one in made if one.base < 0) if made is not None else None


def _made_by_hand(value: r.Value, origins: Origins, framework: FrameworkModel) -> Iterator[Made] | None:
    if isinstance(value, r.Name):
        return _filled(value.text, origins, framework) if _is_object(value, origins) else None
    if isinstance(value, r.Aggregate) and value.kind == "init" and _is_array(origins.function.record.result, origins):
        declared = r.Name(value.start, value.start, origins.function.record.result)
        value = r.Call(value.start, value.end, declared, value.items)
    if not isinstance(value, r.Call):
        return None
    name = last_name(value.callee)
    if name in _SEVERAL and (parts := _parts(value, origins, framework)):
        return iter(parts)
    if name in framework.iterators and origins.program.calls.callee(value, origins.function).owner is None:
        return (Made("iterator", "iterator", origin) for origin in origins.each(value.args))
    if name == framework.facts.get("makes_object") and isinstance(value.callee, r.Name) and value.args:
        return _cast(value, origins, framework)
    if name == framework.facts.get("makes_object") and isinstance(value.callee, r.Member):
        return _cast_array(value, value.callee.base, value.args, origins, framework)
    if name in framework.facts.get("memory_views", "").split():
        return (Made("memory", "memoryview", origin) for origin in origins.each(value.args[:1]))
    if isinstance(value.callee, r.Name) and _is_array(spelled(value), origins):
        return _array(value, origins, framework)
    if len(value.args) == 2 and (unshared := _unshared(value, origins)) is not None:
        return unshared
    if isinstance(value.callee, r.Name) and (lent := _lent(value, origins, framework)):
        found = (origins.address(arg) for arg in value.args[:1] if _is_address(arg, origins))
        return (Made("memory", lent, origin, "memory") for origin in found if origin is not None)
    return _by_helper(value, origins, framework)


def _is_array(written: str, origins: Origins) -> bool:
    return bool(written) and "python array" in origins.program.types.roles(written, origins.function)


def _parts(call: r.Call, origins: Origins, framework: FrameworkModel) -> list[Made]:
    """The objects in a pair or a tuple: the binding's policy reaches those in one of the standard library's."""
    made = (one for given in map(strip, call.args) if given for one in _made_by_hand(given, origins, framework) or ())
    passed_on = spelled(call).startswith("std::")
    return [one for one in made if passed_on or one.handing == "object"]


def _by_helper(call: r.Call, origins: Origins, framework: FrameworkModel) -> Iterator[Made] | None:
    """What a function of the project makes and hands on: `view_of(grid, grid.heights())`."""
    callee = origins.program.calls.callee(call, origins.function)
    target = callee.functions[0] if len(callee.functions) == 1 else None
    inner = origins.behind(target) if target is not None else None
    if target is None or inner is None or _OBJECTS.isdisjoint(origins.program.types.roles(_result(target), target)):
        return None
    return _given_on(call, target, origins, inner, framework)


def _given_on(
    call: r.Call, target: Function, origins: Origins, inner: Origins, framework: FrameworkModel
) -> Iterator[Made]:
    certainty = origins.program.calls.callee(call, origins.function).certainty
    made = (
        one for back in returned_values(target) for one in _made_by_hand(inner.resolved(back), inner, framework) or ()
    )
    for one in made:
        here = origins.given(call, one.origin.argument)
        if here is None:
            continue
        found = here._replace(certainty=weaker(here.certainty, one.origin.certainty, certainty))
        based = (one.handing, -1) if one.base < 0 else _based(call, target, one, origins, inner, framework)
        if based is not None:
            yield msgspec.structs.replace(one, origin=found, handing=based[0], base=based[1])


def _based(
    call: r.Call, target: Function, made: Made, origins: Origins, inner: Origins, framework: FrameworkModel
) -> tuple[Handing, int] | None:
    """Whose policy matters to an array, and which parameter is its base, where a helper makes the array over a base
    that it is given; None where something keeps the memory, or the array is a copy of it."""
    given = call.args[made.base] if made.base < len(call.args) else None
    base, where = (given, origins) if given is not None else (target.record.parameters[made.base].default, inner)
    if base is None:
        return None
    if _is_empty(base, where):
        return ("array", -1) if framework.facts.get("array_without_base") == "policy" else None
    parameter = _parameter(base, origins) if given is not None else -1
    return (made.handing, parameter) if parameter >= 0 or _is_nobody(base, where) else None


def _result(function: Function) -> str:
    """The type that is declared, or what `auto` comes to."""
    written = function.record.result
    return function.program.calls.inferred_result(function) if types.parse(written).is_placeholder else written


def _parameter(value: r.Value, origins: Origins) -> int:
    """The parameter that a value is; -1 for any other value."""
    inner = strip(value)
    names = [parameter.name for parameter in origins.function.record.parameters]
    return names.index(inner.text) if isinstance(inner, r.Name) and inner.text in names else -1


def _lent(call: r.Call, origins: Origins, framework: FrameworkModel) -> str:
    """The view of which the framework makes an array over the same memory, as far as the policy does not say more."""
    function, lent = origins.function, framework.facts.get("lends_memory", "").split()
    declared = types.parse(function.record.result)
    said = [spelled(call)] if not declared.name or declared.is_placeholder else [spelled(call), function.record.result]
    names = {
        types.parse(origins.program.names.expand(one, function.file, function.record.scope, function.record.start)).name
        for one in said
    }
    name = next(iter(names)).removeprefix("::")
    return name if len(names) == 1 and name in lent else ""


def views_in(value: r.Value, classes: Iterator[Class], origins: Origins, handing: Handing) -> Iterator[Made]:
    """The views of these classes that the value is, or holds."""
    for cls in classes:
        for origin in origins.view(value, cls):
            view = origin.made or cls
            field = borrowing_field(view)
            if field is not None:
                yield Made("view", view.symbol, origin, handing, field)


# --- casts -----------------------------------------------------------------------------------------


def _cast(call: r.Call, origins: Origins, framework: FrameworkModel) -> Iterator[Made]:
    """`cast(value, policy, parent)`."""
    given = origins.resolved(call.args[0])
    yield from _cast_array(call, given, call.args[1:], origins, framework)
    written = origins.program.types.of(given, origins.function)
    kind = types.parse(written)
    is_pointer = kind.pointers > 0 or (isinstance(given, r.Unary) and given.op == "&")
    handing: Handing = "pointer" if is_pointer else "reference" if kind.reference else "value"
    policy = _policy(call, handing, framework)
    if handing != "value" and policy in _REFERS:
        origin = origins.address(given) if not origins.is_argument(given) else None
        is_borrowed = policy == "reference"  # an internal one has a parent, or the cast raises
        if origin is not None and kind.last in origins.program.names.bound_types and is_borrowed:
            yield Made("pointer" if is_pointer else "reference", kind.last, origin)
        return
    cls = origins.class_of(written)
    if cls is not None:
        yield from views_in(given, iter([cls]), origins, "object")


def _cast_array(
    call: r.Call, value: r.Value, said: Sequence[r.Value], origins: Origins, framework: FrameworkModel
) -> Iterator[Made]:
    """`cast(array, policy)`, `array.cast(policy)`: the binding's policy does not reach the array."""
    given = strip(origins.resolved(value))
    if not isinstance(given, r.Call) or not _is_array(spelled(given), origins):
        return
    refers = _said_policy(said, framework) == "reference"
    for one in _array(given, origins, framework):
        if one.handing == "object" or refers:
            yield msgspec.structs.replace(one, origin=one.origin._replace(at=call), handing="object")


def _policy(call: r.Call, handing: Handing, framework: FrameworkModel) -> str:
    """The one that the cast is given, or that it has by itself."""
    return _said_policy(call.args[1:], framework) or framework.defaults.get(f"cast {handing}", "")


def _said_policy(said: Sequence[r.Value], framework: FrameworkModel) -> str:
    names = (last_name(arg) for arg in said)
    return next((framework.policies[name] for name in names if name in framework.policies), "")


# --- lists and dicts ------------------------------------------------------------------------------


def _is_object(value: r.Name, origins: Origins) -> bool:
    function = origins.function
    parameters = function.parameter_names
    if value.text in parameters or value.text not in function.locals:
        return False
    return "python object" in origins.program.types.roles(function.locals[value.text][0], function)


def _filled(name: str, origins: Origins, framework: FrameworkModel) -> Iterator[Made]:
    """`out.append(&x)`, `out[key] = &x` on a local that is returned: what a list is given is cast."""
    policy = framework.defaults.get("cast pointer", "")
    for statement in origins.function.statements:
        for put in _put_into(name, getattr(statement, "value", None)):
            inner = strip(put)
            if isinstance(inner, r.Call) and (made := made_by_hand(inner, origins, framework)) is not None:
                yield from made
                continue
            kind = types.parse(origins.program.types.of(put, origins.function))
            if policy in _REFERS and kind.pointers == 1 and kind.last in origins.program.names.bound_types:
                origin = origins.address(put) if not origins.is_argument(put) else None
                if origin is not None:
                    yield Made("pointer", kind.last, origin)


def _put_into(name: str, value: r.Value | None) -> Iterator[r.Value]:
    match value:
        case r.Call(callee=r.Member(base=r.Name(text=on), name="append" | "insert" | "add"), args=args) if on == name:
            yield from args
        case r.Assign(target=r.Index(base=r.Name(text=on)), op="=", value=put) if on == name:
            yield put


# --- arrays ----------------------------------------------------------------------------------------


def _array(call: r.Call, origins: Origins, framework: FrameworkModel) -> Iterator[Made]:
    """`array_t<T>(shape, data, base)`, `ndarray<T>(data, shape, owner)`: without a base it is a copy, unless the
    framework leaves that to the policy."""
    name, by_policy = last_name(call.callee), framework.facts.get("array_without_base") == "policy"
    found = [position for position, arg in enumerate(call.args) if _is_address(arg, origins)]
    first = found[:1] == [0] and not (len(found) > 1 and _is_extent(call.args[0], origins))
    for position in found[:1] if first else found[-1:]:  # before the shape, or after it
        origin = origins.address(call.args[position])
        if origin is None:
            continue
        bases = [base for base in call.args[position + 1 :] if _is_base(base, origins) and not _is_empty(base, origins)]
        if any(_is_nobody(base, origins) for base in bases):
            yield Made("memory", name, origin)
        elif not bases and by_policy:
            yield Made("memory", name, origin, "array")
        elif len(bases) == 1 and (given := _parameter(bases[0], origins)) >= 0:
            yield Made("memory", name, origin, base=given)


def _is_address(value: r.Value, origins: Origins) -> bool:
    """`data()`, `&first[0]`, a pointer; a shape or a size leads nowhere."""
    inner = strip(value)
    if isinstance(inner, r.Unary) and inner.op == "&":
        return True
    if isinstance(inner, r.Binary) and inner.op in ("+", "-"):
        return _is_address(inner.left, origins)
    if isinstance(inner, r.Call) and last_name(inner.callee) == "data":
        return True
    written = origins.program.types.of(inner, origins.function)
    return types.parse(written).pointers > 0 or written.endswith("]")  # an array stands for its first element


def _is_extent(value: r.Value, origins: Origins) -> bool:
    """Whether it is an array of numbers that says how large another is, rather than what is in it."""
    written = origins.program.types.of(strip(value), origins.function)
    return written.endswith("]") and types.parse(written.split("[")[0]).last in ("size_t", "ssize_t", "Py_ssize_t")


def _is_base(value: r.Value, origins: Origins) -> bool:
    """Whether this can be the object that owns the memory: no number, no list of them."""
    inner = strip(value)
    if isinstance(inner, r.Aggregate | r.Literal | r.Binary):
        return False
    written = origins.program.types.of(inner, origins.function)
    kind, roles = types.parse(written), origins.program.types.roles(written, origins.function)
    is_numbers = written.endswith("]") or bool(kind.pointers) or kind.is_scalar
    return (
        (isinstance(inner, r.Name) and not is_numbers)
        or "python object" in roles
        or "python handle" in roles
        or _is_nobody(value, origins)
    )


def _is_empty(value: r.Value, origins: Origins) -> bool:
    """`handle()`: a base that is none at all, as if it were left out."""
    inner = strip(value)
    return (
        isinstance(inner, r.Call)
        and not inner.args
        and isinstance(inner.callee, r.Name)
        and "python handle" in origins.program.types.roles(spelled(inner), origins.function)
    )


def _is_nobody(value: r.Value, origins: Origins) -> bool:
    """A base that owns nothing: `none()`, a string made for the purpose, a capsule that frees nothing."""
    inner = strip(value)
    written = ""
    if isinstance(inner, r.Name) and inner.text in origins.function.locals:
        written, initial = origins.function.locals[inner.text]
        if initial is None and inner.text in origins.function.parameter_names:
            return False
        inner = strip(initial)
        if isinstance(inner, r.Name) and inner != strip(value):
            return _is_nobody(inner, origins)
    if isinstance(inner, r.Call) and (not written or types.parse(written).is_placeholder):
        written = spelled(inner)
    if "python object" not in origins.program.types.roles(written, origins.function):
        return False
    return not isinstance(inner, r.Call) or _frees_nothing(inner, origins)


def _frees_nothing(made: r.Call, origins: Origins) -> bool:
    destructors = [arg for arg in map(strip, made.args) if isinstance(arg, r.Lambda)]
    if destructors:
        return _does_nothing(destructors[-1], origins)
    return all(isinstance(arg, r.Literal) for arg in made.args)


def _does_nothing(value: r.Value | None, origins: Origins) -> bool:
    """Whether a callable is known to do nothing: a lambda, a function or the call operator of an object, without a
    statement, or what a library makes for that."""
    match inner := strip(value):
        case r.Lambda():
            body = origins.program.index.function_at(origins.function.file, inner.function)
            return body is not None and not body.body
        case r.Unary(op="&", value=r.Name(text=name)) | r.Name(text=name) if name not in origins.function.locals:
            named = origins.program.calls.meant(name, origins.function)
            return named is not None and not named.record.opaque and not named.body
        case r.Name(text=name):
            return _does_nothing(origins.function.locals[name][1], origins)
        case r.Call(args=()):
            written = spelled(inner)
            cls = origins.class_of(written)
            called = cls.defined("operator()") if cls is not None else []
            roles = origins.program.types.roles(written, origins.function)
            return "deletes nothing" in roles or (bool(called) and not any(one.body for one in called))
    return False


# --- shared pointers -------------------------------------------------------------------------------


def _unshared(call: r.Call, origins: Origins) -> Iterator[Made] | None:
    """A shared pointer that owns nothing: its deleter does nothing, or it shares what an empty one does."""
    first, second = map(strip, call.args)
    written = spelled(call)
    if "shared pointer" not in origins.program.types.roles(written, origins.function):
        return None
    to = first if _does_nothing(second, origins) else second if _is_empty_owner(first, origins) else None
    found = origins.address(to) if not origins.is_argument(to) else None
    name = types.parse(types.element(written)).last
    return iter([Made("pointer", name, found, "value")]) if found is not None else None


def _is_empty_owner(value: r.Value | None, origins: Origins) -> bool:
    match value:
        case r.Literal(kind="null") | r.Aggregate(items=()):
            return True
        case r.Call(args=()):
            return "shared pointer" in origins.program.types.roles(spelled(value), origins.function)
    return False
