"""Pointers that a binding hands to Python to delete, although C++ still owns what they point to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from ownlint import (
    Binding,
    Certainty,
    Class,
    Function,
    Step,
    because,
    glance,
    lasting,
    model_records,
    origins,
    places,
    policies,
    references,
    signatures,
    targets,
    types,
    views,
)
from ownlint import records as r

_MAKES = re.compile(
    r"(?:^|_)(?:new|make|create|clone|copy|build|alloc|open|parse|read|load|take|release|from)|^[Gg]et[A-Z]?Copy|"
    r"(?:Make|Create|Clone|Copy|New|Build|Alloc|Release|Take)(?=[A-Z_]|$)"
)
_DEEPEST = 5


class TakenOver(msgspec.Struct, frozen=True):
    """`index` is the argument that owns it, 0 for a static object."""

    index: int
    at: Step
    certainty: Certainty
    several: bool = False
    """Whether they are the elements of a container."""


def taken_over(binding: Binding) -> TakenOver | None:
    """The surest of the pointers that Python deletes and somebody else owns."""
    framework = signatures.framework_of(binding)
    if framework is None or binding.record.kind in ("init", "field", "field_rw", "other"):
        return None
    said = policies.Policies(binding, framework)
    signature = signatures.signature_of(binding)
    if signature is None or signature.target is None or not signature.result:
        return None
    handing = signature.handing if signature.handing == "reference" else "pointer"
    if said.effective(handing) != "take ownership" or said.written_policy()[0] == "none":
        return None
    pointee, several = _pointee(binding, signature)
    if pointee is None or not is_deleted(binding, framework, pointee):
        return None
    found = list(_found(binding, signature, pointee, several))
    return min(found, key=lambda one: ("certain", "likely", "possible").index(one.certainty), default=None)


def _pointee(binding: Binding, signature: signatures.Signature) -> tuple[Class | None, bool]:
    """The bound class that the result points to, and whether it is a container of such pointers."""
    kind = signature.kind
    if kind.pointers or signature.handing == "reference":
        is_bound = kind.pointers < 2 and kind.last in binding.program.names.bound_types
        return (signature.returned if is_bound else None), False
    for written in kind.arguments:
        held = types.parse(written)
        if held.pointers == 1 and held.last in binding.program.names.bound_types:
            target = signature.target
            file = (target.function or target.owner or binding).file if target is not None else binding.file
            scope = target.function.record.scope if target is not None and target.function is not None else ""
            return binding.program.names.find_class(held.name, scope, file), True
    return None, False


def is_deleted(asked: Binding | Class, framework: model_records.FrameworkModel, cls: Class) -> bool:
    """Whether what holds such an object deletes it: not one that counts, shares with what is there, or only looks."""
    if cls.record.destructor == "deleted" or _is_hidden(cls) or signatures.counts_itself(framework, cls):
        return False
    if views.shares_itself(cls) and framework.facts.get("holder_mismatch") == "no holders":
        return False
    program = cls.program
    for file, bound in signatures.bound_as(asked, cls):
        for written in bound.arguments[1:]:
            holder = types.parse(program.names.expand(written, file, at=bound.start))
            if not any(types.parse(argument).last == cls.name for argument in holder.arguments):
                continue
            roles = program.types.roles_at(written, file, "")
            if "shared pointer" in roles and not views.shares_itself(cls):
                continue
            if "smart pointer" in roles and len(holder.arguments) == 1 and holder.last == "unique_ptr":
                continue
            return False
    return True


def _is_hidden(cls: Class) -> bool:
    destructor = next(
        (d for d in (*cls.declarations, *(m.record for m in cls.methods)) if d.kind == "destructor"), None
    )
    return destructor is not None and destructor.access in ("private", "protected")


def _found(binding: Binding, signature: signatures.Signature, pointee: Class, several: bool) -> Iterator[TakenOver]:
    target = signature.target
    if target is None:
        return
    function = target.function
    if function is None:
        yield from _declared(binding, signature, pointee, several)
        return
    if gives_away(function) or _is_wrapped(function, pointee):
        return
    derived = origins.Origins(function, origins.sources_of(function, target.first))
    for value in targets.returned_values(function):
        step = function.step(value, "Python receives the pointer here")
        if signature.handing == "reference":
            value = r.Unary(value.start, value.end, "&", value)  # its address is what Python deletes
        inner = derived.resolved(value)
        if several and not _is_pointer(inner, function):
            for origin in derived.elements(value):
                yield TakenOver(origin.argument, step, origin.certainty, True)
            continue
        if derived.is_argument(inner) or _is_made(inner, function, 0):
            continue
        if _lasts(inner, function, 0):
            yield TakenOver(0, step, "certain")
        elif (found := derived.address(inner)) is not None:
            sure = "certain" if is_part(inner, function) else found.certainty
            yield TakenOver(found.argument, step, sure)


def _is_pointer(value: r.Value | None, function: Function) -> bool:
    """Whether one pointer is returned, which the result type wraps: `std::optional<T*>`."""
    inner = places.strip(value)
    if isinstance(inner, r.Unary):
        return inner.op == "&"
    return inner is not None and types.parse(function.program.types.of(inner, function)).pointers == 1


def is_part(value: r.Value | None, function: Function) -> bool:
    """Whether this is the address of a part of something: nobody can delete that, whoever the whole belongs to."""
    match places.strip(value):
        case r.Unary(op="&", value=r.Index(base=whole)):
            return "container" in function.program.types.roles(function.program.types.of(whole, function), function)
        case r.Unary(op="&", value=r.Member(base=whole, name=name)):
            program = function.program
            written = program.types.of(whole, function)
            cls = program.names.find_class(types.parse(written).name, function.record.scope, function.file)
            held = cls.field(name) if cls is not None else None
            return held is not None and types.parse(held[1].type).is_value
    return False


def gives_away(function: Function) -> bool:
    """Whether the body forgets a member, so that what it returns is nobody's any more."""
    for statement in function.statements:
        for value in places.walk(getattr(statement, "value", None)):
            match value:
                case r.Assign(op="=", value=r.Literal(kind="null")):
                    return True
                case r.Call() if places.last_name(value.callee) in (
                    "exchange",
                    "release",
                    "erase",
                    "extract",
                    "pop_back",
                ):
                    return True
    return False


def _is_wrapped(function: Function, pointee: Class) -> bool:
    """Whether the objects stand beside the Python objects they already have, which the framework then finds again: a
    `map<void*, pair<handle, Node*>>`."""
    home = function.home
    for field in home.fields.values() if home is not None else ():
        if home is not None and glance.says(function, field.name):
            parts = list(_parts(home, field.type))
            beside = any(
                not references.OBJECTS.isdisjoint(function.program.types.roles_at(part.name, home.file, ""))
                for part in parts
            )
            if beside and any(part.pointers == 1 and part.last == pointee.name for part in parts):
                return True
    return False


def _parts(home: Class, written: str) -> Iterator[types.Type]:
    """The type and the arguments of its templates, the project's aliases followed."""
    kind = types.parse(home.program.names.expand(written, home.file, home.name))
    yield kind
    for argument in kind.arguments:
        yield from _parts(home, argument)


def _is_made(value: r.Value | None, function: Function, depth: int) -> bool:
    """Whether this is made for whoever asks: `new`, `release()`, a local that was, or a call of what does so."""
    inner = places.strip(value)
    match inner:
        case r.Call(kind="new"):
            return True
        case r.Literal(kind="null"):
            return True
        case r.Name(text=name) if name in function.locals and name not in lasting.statics(function):
            given = [function.locals[name][1], *_given_later(function, name)]
            held = not_null(one for one in given if one is not None) or given[:1]
            return depth < _DEEPEST and any(_is_made(one, function, depth + 1) for one in held if one is not None)
        case r.Call():
            if places.last_name(inner.callee) == "release":
                return True
            called = function.program.calls.callee(inner, function).functions
            if not called or depth >= _DEEPEST:
                return False
            back = list(targets.returned_values(called[0]))
            return any(_is_made(one, called[0], depth + 1) for one in not_null(back) or back)
    return False


def _given_later(function: Function, name: str) -> list[r.Value | None]:
    """What a local is assigned behind its declaration."""
    return [one.value for one in function.flow.writes_to((name,)) if not one.fresh and one.op == "="]


def not_null(values: Iterable[r.Value]) -> list[r.Value]:
    return [one for one in values if not _is_null(one)]


def _is_null(value: r.Value) -> bool:
    inner = places.strip(value)
    return isinstance(inner, r.Literal) and inner.kind == "null"


def _lasts(value: r.Value | None, function: Function, depth: int) -> bool:
    """Whether this leads to a static or global object."""
    inner = places.strip(value)
    if depth > _DEEPEST or inner is None:
        return False
    match inner:
        case r.Unary(op="&" | "*", value=pointee):
            return _lasts(pointee, function, depth)
        case r.Conditional(then=then, other=other):
            return _lasts(then, function, depth) or _lasts(other, function, depth)
        case r.Name(text=name):
            if name in lasting.statics(function):
                return True
            if name in function.locals:
                written, initial = function.locals[name]
                leads = types.parse(written).reference or _is_pointer(inner, function)
                once = not _given_later(function, name)
                return leads and once and initial is not None and _lasts(initial, function, depth + 1)
            return function.program.index.is_variable(name) and not (function.home and function.home.field(name))
        case r.Member(base=base):
            return _lasts(base, function, depth)
        case r.Index(base=base):  # an element that is itself in there, and no pointer to something else
            element = function.program.types.of(inner, function)
            pointing = "smart pointer" in function.program.types.roles(element, function)
            return types.parse(element).is_value and not pointing and _lasts(base, function, depth)
        case r.Call():
            called = function.program.calls.callee(inner, function).functions
            if len(called) != 1 or not ({"*", "&"} & set(called[0].record.result)):
                return False
            back = not_null(targets.returned_values(called[0]))
            return bool(back) and all(_lasts(each, called[0], depth + 1) for each in back)
    return False


def _declared(binding: Binding, signature: signatures.Signature, pointee: Class, several: bool) -> Iterator[TakenOver]:
    """No body to look at: the owner's fields say what is likely, unless the name says that it makes something."""
    target = signature.target
    if target is None or target.owner is None or target.declared is None or target.first != 2 or several:
        return
    record = target.declared
    if _MAKES.search(record.name) or _MAKES.search(binding.name) or not views.holds(target.owner, pointee):
        return
    step = Step(target.owner.path, record.name_span, f"`{target.owner.name}` owns the returned object", "lends")
    yield TakenOver(1, step, because("unread-code", "the body was not found; this is inferred from the classes"))
