"""Values of C++ that a function hands to Python by itself: with a cast, in a list, in a call of a Python object."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ownlint import (
    Certainty,
    Function,
    bodies,
    model_records,
    places,
    signatures,
    targets,
    text,
    types,
    weaker,
)
from ownlint import records as r
from ownlint_rules.keep_alive import _taken_over as taken_over

_APPENDS = ("append", "insert")
_FITTING = ("take ownership",)
_OWNERS = frozenset({"scoped owner", "shared pointer"})
_DEEPEST = 3


class CastToPython(msgspec.Struct, frozen=True):
    """`fresh` is an object that nobody else has and that Python is not told to delete; `owning` how this file would
    write the policy that does. `lent` is an address that Python is told to delete, and `owner` what deletes it, too."""

    call: r.Call
    policy: str
    fresh: r.Value | None = None
    lacks_parent: bool = False
    owning: str = ""
    lent: r.Value | None = None
    owner: str = ""
    certainty: Certainty = "certain"


def casts(function: Function) -> Iterator[CastToPython]:
    """What is wrong with them."""
    if function.language != "cpp":
        return
    frameworks = [f for f in function.program.models.frameworks.values() if _is_mentioned(function, f)]
    if not frameworks:
        return
    for inner in function.values:
        if isinstance(inner, r.Call) and inner.args:
            yield from _judged(inner, function, frameworks)


def _is_mentioned(function: Function, framework: model_records.FrameworkModel) -> bool:
    names = (framework.facts.get("makes_object", ""), "make_tuple", *_APPENDS)
    return any(name and function.mentions(name) for name in names) or any(
        "python object" in function.program.types.roles(p.type, function) for p in function.record.parameters
    )


def _judged(call: r.Call, function: Function, frameworks: list[model_records.FrameworkModel]) -> Iterator[CastToPython]:
    made = next((one for one in frameworks if _is_cast(call, function, one)), None)
    fresh = [] if made is not None else [arg for arg in call.args if _is_new(arg, function)]
    if made is None and not (fresh and _takes_objects(call, function, frameworks)):
        return
    if any(_counts(arg, function, framework) for framework in frameworks for arg in call.args):
        return
    if made is not None:
        yield from _cast(call, function, made)
    yield from (CastToPython(call, "reference", arg) for arg in fresh)


def _counts(value: r.Value, function: Function, framework: model_records.FrameworkModel) -> bool:
    """Whether this is an object that counts who holds it."""
    program, record = function.program, function.record
    written = program.names.expand(
        program.types.of(places.strip(value), function), function.file, record.scope, record.start
    )
    cls = program.names.find_class(types.parse(written).name, record.scope, function.file) if written else None
    return cls is not None and (
        signatures.counts_itself(framework, cls) or any(signatures.has_own_holder(each) for each in cls.ancestry)
    )


def _cast(call: r.Call, function: Function, framework: model_records.FrameworkModel) -> Iterator[CastToPython]:
    policies = [
        framework.policies[places.last_name(arg)]
        for arg in call.args[1:]
        if places.last_name(arg) in framework.policies
    ]
    policy = policies[0] if policies else framework.defaults.get("cast pointer", "")
    if len(call.args) > 1 and not policies:
        return  # a policy by another name
    if policy in ("automatic", *_FITTING):
        yield from _deleted_twice(call, policy, function, framework)
        return
    policy = "reference" if policy == "automatic reference" else policy
    given = call.args[0]
    if _is_owned_by_nobody(given, function):
        yield CastToPython(call, policy, given, owning=_owning(function, framework))
    elif policy == "reference internal" and len(call.args) == 2 and _is_address(given, function):
        yield CastToPython(call, policy, lacks_parent=True)


def _deleted_twice(
    call: r.Call, policy: str, function: Function, framework: model_records.FrameworkModel
) -> Iterator[CastToPython]:
    """An address that Python deletes, and its owner again: under `automatic` a pointer is taken over."""
    given = call.args[0]
    found = None if taken_over.gives_away(function) else _owner(given, function, 0)
    if found is None:
        return
    written = function.program.types.of(places.strip(given), function)
    kind = types.parse(written)
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
    if kind.pointers == 1 and cls is not None and taken_over.is_deleted(cls, framework, cls):
        owner, certainty = found
        yield CastToPython(call, policy, lent=given, owner=owner, certainty=certainty)


def _owner(value: r.Value | None, function: Function, depth: int) -> tuple[str, Certainty] | None:
    """What still owns the object at an address, and how sure that is."""
    inner = places.strip(value)
    if depth > _DEEPEST or inner is None or _is_new(inner, function):
        return None
    if (whole := _whole(inner, function)) is not None:
        return f"`{text(whole, 40)}` still owns it", "certain"
    match inner:
        case r.Name(text=name) if name in function.locals and len(function.flow.writes_to((name,))) == 1:
            return _owner(function.locals[name][1], function, depth + 1)
        case r.Conditional(then=then, other=other):
            return _owner(then, function, depth) or _owner(other, function, depth)
        case r.Call():
            return _lent_by_call(inner, function, depth)
    return None


def _whole(value: r.Value, function: Function) -> r.Value | None:
    """What deletes the object at an address with itself: `owner.get()`, `&whole.part`, `&items[0]`, `items.data()`."""

    def roles(of: r.Value) -> set[str]:
        return set(function.program.types.roles(function.program.types.of(of, function), function))

    match value:
        case r.Call(callee=r.Member(base=base, name="get"), args=()) if roles(base) & _OWNERS:
            return base if "python object" not in roles(base) else None
        case r.Call(callee=r.Member(base=base, name="data"), args=()) if "container" in roles(base):
            return base
        case r.Unary(op="&", value=r.Unary(op="*", value=owner)) if roles(owner) & _OWNERS:
            return owner
        case r.Unary(op="&", value=r.Member(base=base) | r.Index(base=base)) if taken_over.is_part(value, function):
            return base
        case r.Unary(op="&", value=r.Member(base=base, name="first" | "second")):
            return base if roles(base) & {"iterator", "pair"} else None
        case r.Unary(op="&", value=r.Name(text=name) as local):
            return _named(local, name, function)
    return None


def _named(value: r.Name, name: str, function: Function) -> r.Value | None:
    """The same of the address of a variable: it is an object itself, or refers to a part of one."""
    held = function.home.field(name) if function.home is not None else None
    written = function.locals[name][0] if name in function.locals else held[1].type if held is not None else ""
    if not written or types.parse(written).is_value:
        return value if written else None
    initial = function.locals[name][1] if name in function.locals else None
    return _whole(r.Unary(value.start, value.end, "&", initial), function) if initial is not None else None


def _lent_by_call(call: r.Call, function: Function, depth: int) -> tuple[str, Certainty] | None:
    """A function of the project answers with such an address, on every path that answers with one."""
    callee = function.program.calls.callee(call, function)
    if len(callee.functions) != 1 or taken_over.gives_away(callee.functions[0]):
        return None
    target = callee.functions[0]
    back = taken_over.not_null(targets.returned_values(target))
    found = [_owner(one, target, depth + 1) for one in back]
    sure: list[Certainty] = [one[1] for one in found if one is not None]
    if not found or len(sure) < len(found):
        return None
    on = places.receiver(call)
    owner = f"`{text(on, 40)}` still owns it" if on is not None else f"what `{target.name}` returns has an owner"
    return owner, weaker(callee.certainty, *sure)


def _owning(function: Function, framework: model_records.FrameworkModel) -> str:
    name = next((name for name, means in framework.policies.items() if means == "take ownership"), "")
    kind = next((n for n, means in framework.extras.items() if means == "policy" and n not in framework.policies), "")
    return f"{signatures.spelled_namespace(function.file, framework)}{kind}::{name}" if kind and name else ""


def _is_cast(call: r.Call, function: Function, framework: model_records.FrameworkModel) -> bool:
    """Whether this is the framework's own, by its namespace."""
    name = framework.facts.get("makes_object", "")
    if not isinstance(call.callee, r.Name) or places.last_name(call.callee) != name or call.template:
        return False
    space = call.callee.text.rpartition("::")[0].removeprefix("::")
    aliases = function.file.aliases
    spaces = framework.spelling.namespaces
    if not space:
        opened = [a.target.removeprefix("::") for a in aliases if a.kind in ("open", "using")]
        return any(target in spaces or target.rpartition("::")[0] in spaces for target in opened)
    target = next((a.target.removeprefix("::") for a in aliases if a.kind == "namespace" and a.name == space), space)
    return target in spaces if target != space or space in spaces else False


def _takes_objects(call: r.Call, function: Function, frameworks: list[model_records.FrameworkModel]) -> bool:
    """Whether the arguments become Python objects: a call of one, `append` on one, a tuple that is made of them."""
    callee = call.callee

    def is_object(value: r.Value) -> bool:
        return "python object" in function.program.types.roles(function.program.types.of(value, function), function)

    if isinstance(callee, r.Member):
        return callee.name in _APPENDS and is_object(callee.base)
    if isinstance(callee, r.Name):
        space, _, last = callee.text.rpartition("::")
        if last == "make_tuple":
            spaces = {name for framework in frameworks for name in framework.spelling.namespaces}
            return space in spaces or spelled_by_alias(function, space, spaces)
        return callee.text in function.locals and is_object(callee)
    return False


def spelled_by_alias(function: Function, space: str, spaces: set[str]) -> bool:
    """Whether the file's own alias `space` means one of the namespaces."""
    found = (a.target.removeprefix("::") for a in function.file.aliases if a.kind == "namespace" and a.name == space)
    return any(target in spaces for target in found)


def _is_owned_by_nobody(value: r.Value, function: Function) -> bool:
    inner = places.strip(value)
    if _is_new(value, function):
        return True
    if not isinstance(inner, r.Name) or inner.text not in function.locals:
        return False
    written, initial = function.locals[inner.text]
    is_raw = types.parse(written).pointers == 1 or types.parse(written).is_placeholder
    return initial is not None and is_raw and _is_new(initial, function) and _uses(inner.text, function) == 1


def _is_new(value: r.Value, function: Function) -> bool:
    """`new T(...)`, or what a unique pointer gives up."""
    if isinstance(value, r.Cast) and not types.parse(value.type).pointers:
        return False  # `ref<T>(new T)`: a conversion to what owns it
    if isinstance(value, r.Call) and value.kind != "new" and places.last_name(value.callee) not in ("release", "move"):
        return False
    inner = places.strip(value)
    if not isinstance(inner, r.Call):
        return False
    if inner.kind == "new":
        return not any(isinstance(arg, r.Pair) for arg in inner.args)
    if not isinstance(inner.callee, r.Member) or inner.callee.name != "release" or inner.args:
        return False
    roles = function.program.types.roles(function.program.types.of(inner.callee.base, function), function)
    return "scoped owner" in roles and "python object" not in roles


def _uses(name: str, function: Function) -> int:
    """How often a local is said as a whole, not for one of its members."""
    count = 0
    for statement in function.statements:
        for value in bodies.values(statement):
            seen = list(places.walk(value))
            members = {id(places.strip(each.base)) for each in seen if isinstance(each, r.Member)}
            count += sum(isinstance(each, r.Name) and each.text == name and id(each) not in members for each in seen)
    return count


def _is_address(value: r.Value, function: Function) -> bool:
    """A pointer or a reference, as far as is written."""
    inner = places.strip(value)
    if isinstance(inner, r.Unary) and inner.op == "&":
        return True
    kind = types.parse(function.program.types.of(inner, function))
    return kind.pointers == 1 or (isinstance(inner, r.Call) and kind.reference)
