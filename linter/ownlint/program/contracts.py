"""What one binding promises: what its result borrows, from whom, and whether the framework keeps that alive.

The facts about policies are the framework models' (run on pybind11 2.13.6 and 3.1.0, nanobind 2.9.2 and 3.1.0); what
this module adds is where a C++ result comes from. `self` is index 1 of a bound method, arguments
count on from there; a free function's arguments count from 1; index 0 is the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as OneOf

import msgspec

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.finding import Certainty, Step, weaker
from ownlint.program import types
from ownlint.program.lower import statements
from ownlint.program.models import FrameworkModel
from ownlint.program.places import last_name, strip, walk
from ownlint.program.program import Program
from ownlint.program.subjects import Binding, Class, Function

Shape = OneOf["value", "pointer", "reference", "iterator", "other"]


class Target(msgspec.Struct, frozen=True):
    """The C++ behind a binding. `first` is the index of the callable's first written parameter: 2 when `self`
    is implied (a member function), else 1."""

    result: str
    function: Function | None
    owner: Class | None
    first: int
    declared: r.Function | None = None


class Borrow(msgspec.Struct, frozen=True):
    """`index` is whom the result borrows from; `at` and `why` are shown as a step."""

    index: int
    at: Step
    certainty: Certainty


class Contract(msgspec.Struct, frozen=True):
    """`returns` is the C++ class of the result; `borrows` is `self`, `argument N` or nothing. `protected` says that
    the framework keeps the source alive; `ineffective` names an annotation that was meant to and does not."""

    returns: str
    shape: Shape = "other"
    borrows: str = ""
    borrow: Borrow | None = None
    field: Step | None = None
    protected: bool = False
    ineffective: r.Extra | None = None
    reason: str = ""


def contract_of(binding: Binding) -> Contract | None:
    """What the binding promises, or None when its callable is not understood."""
    framework = binding.program.models.frameworks.get(binding.record.framework)
    target = target_of(binding)
    if framework is None or target is None or not target.result:
        return None
    shape = _shape(binding, framework, target)
    if shape == "other":
        return Contract(types.parse(target.result).name)
    program = binding.program
    result = program.expand(target.result, binding.file, _scope(binding, target))
    returned = program.find_class(types.parse(result).name, _scope(binding, target), (target.function or binding).file)
    name = returned.symbol if returned is not None else types.parse(result).name
    field = borrowing_field(returned) if shape == "value" and returned is not None else None
    if shape == "value" and field is None:
        return Contract(name, shape)
    if shape == "value" and not is_bound(program, name):
        return Contract(name, shape)
    borrow = _borrow(binding, framework, target, shape, returned)
    if borrow is None:
        return Contract(name, shape, field=field)
    protected, ineffective, reason = _protection(binding, framework, shape, borrow.index)
    source = "self" if borrow.index == 1 and _has_self(binding) else f"argument {borrow.index - _has_self(binding)}"
    return Contract(name, shape, source, borrow, field, protected, ineffective, reason)


def is_bound(program: Program, cxx: str) -> bool:
    """Whether a C++ class is bound to Python at all: a value of any other class is converted, not wrapped."""
    last = cxx.rsplit("::", 1)[-1]
    return any(
        types.parse(record.type).last == last for file in program.files.values() for record in file.bound_classes
    )


# --- what is called -----------------------------------------------------------------------------


def target_of(binding: Binding) -> Target | None:
    """The C++ function a binding calls, looked through wrappers."""
    framework = binding.program.models.frameworks.get(binding.record.framework)
    wrappers = framework.spelling.wrappers if framework is not None else ()
    value = strip(binding.record.callable)
    while isinstance(value, r.Call) and last_name(value.callee) in wrappers and value.args:
        value = strip(value.args[0])
    if isinstance(value, r.Call) and isinstance(value.callee, r.Call) and value.args:
        value = strip(value.args[0])  # `overload_cast<A>(&C::f)` written with its constructor called
    match value:
        case r.Lambda(function=index):
            return _lambda_target(binding, index)
        case r.Unary(op="&", value=r.Name(text=name) as inner):
            return _named_target(binding, name, inner)
        case r.Name(text=name):
            return _named_target(binding, name, value)
    return None


def _lambda_target(binding: Binding, index: int) -> Target | None:
    function = binding.program.function_at(binding.file, index)
    if function is None:
        return None
    result = function.record.result
    meaning = binding.program.meaning(binding.file, function.record.start)
    if not result and meaning is not None:
        result = meaning.type
    if not result:
        found = {_decayed(binding.program.type_of(value, function)) for value in returned_values(function)}
        result = found.pop() if len(found) == 1 else ""
        if not result and any(
            last_name(v.callee) in _iterators(binding) for v in returned_values(function) if isinstance(v, r.Call)
        ):
            result = "iterator"
    return Target(result, function, None, 1)


def _decayed(written: str) -> str:
    """What `auto` deduces from a returned expression: no reference, no constness."""
    return re.sub(r"^const\s+", "", written).rstrip(" &")


def _named_target(binding: Binding, name: str, at: r.Name) -> Target | None:
    program = binding.program
    scope = binding.around.record.scope if binding.around is not None else ""
    owner, _, last = name.rpartition("::")
    meaning = program.meaning(binding.file, at.end - len(last.encode()))
    cls = program.find_class(program.expand(owner, binding.file, scope), scope, binding.file) if owner else None
    if cls is not None:
        declared = cls.declared(last)
        results = {_plain(d.result) for d in declared if d.result}
        if not declared:
            return None
        result = meaning.type if meaning is not None and meaning.type else results.pop() if len(results) == 1 else ""
        bodies = cls.defined(last)
        static = any("static" in d.qualifiers for d in declared)
        return Target(result, bodies[0] if len(bodies) == 1 else None, cls, 1 if static else 2, declared[0])
    call = r.Call(at.start, at.end, at, ())
    free = [f for f in program.functions if f.name == last and f.record.kind == "function" and f.language == "cpp"]
    near = [f for f in free if f.file is binding.file] or free
    if len(near) != 1 or call.args:
        return None
    return Target(near[0].record.result, near[0], None, 1, near[0].record)


def _plain(written: str) -> str:
    """The type without the keywords that may stand before it (`class Gauge`)."""
    return re.sub(r"\b(?:class|struct|enum|inline|static|virtual|constexpr)\s+", "", written).strip()


def _scope(binding: Binding, target: Target) -> str:
    if target.function is not None and target.function.record.scope:
        return target.function.record.scope
    if target.owner is not None:
        return target.owner.symbol
    return binding.around.record.scope if binding.around is not None else ""


def returned_values(function: Function) -> list[r.Value]:
    return [
        value
        for statement in statements(function.body)
        if isinstance(statement, r.Leave)
        and statement.kind == "return"
        and (value := strip(statement.value)) is not None
    ]


# --- what comes back ----------------------------------------------------------------------------


def _iterators(binding: Binding) -> tuple[str, ...]:
    framework = binding.program.models.frameworks.get(binding.record.framework)
    return framework.iterators if framework is not None else ()


def _shape(binding: Binding, framework: FrameworkModel, target: Target) -> Shape:
    if target.function is not None and any(
        isinstance(value, r.Call) and last_name(value.callee) in framework.iterators
        for value in returned_values(target.function)
    ):
        return "iterator"
    kind = types.parse(target.result)
    if kind.pointers == 1:
        return "pointer"
    if kind.pointers or kind.is_placeholder:
        return "other"
    if kind.reference:
        return "reference"
    return "value" if kind.name not in ("void", "bool", "int", "float", "double", "") else "other"


def borrowing_field(cls: Class, depth: int = 0) -> Step | None:
    """The field through which a class looks at something it does not own, or None.

    A class that also holds an owner (a shared pointer, a Python object) keeps what it looks at alive, or may:
    it does not count.
    """
    if depth > 3:
        return None
    program = cls.program
    found: Step | None = None
    for owner in cls.ancestry:
        for field in owner.fields.values():
            if field.static:
                continue
            written = program.expand(field.type, owner.file, owner.symbol)
            kind = types.parse(written)
            roles = program.models.role(kind.name, (owner.symbol,))
            if any(role in ("shared pointer", "intrusive pointer", "python object", "scoped owner") for role in roles):
                return None
            why = _looks_elsewhere(written, kind, roles)
            if why and not _released(owner, field.name):
                found = found or Step(owner.path, field.span, f"`{owner.name}::{field.name}` {why}")
            elif not why and kind.is_value:
                inner = program.find_class(kind.name, owner.symbol, owner.file)
                if inner is not None and inner is not cls:
                    found = found or borrowing_field(inner, depth + 1)
    return found


def _looks_elsewhere(written: str, kind: types.Type, roles: tuple[str, ...]) -> str:
    if kind.reference and not kind.pointers:
        return "is a reference"
    if "(" in written:
        return ""
    if kind.pointers == 1 and kind.name not in ("char", "void", "FILE") and not written.strip().endswith("* const *"):
        return "is a pointer to what it does not own"
    if kind.is_value and "view" in roles:
        return "is a view of what it does not own"
    if kind.is_value and (kind.last in ("iterator", "const_iterator") or "iterator" in roles):
        return "is an iterator into what it does not own"
    return ""


def _released(cls: Class, field: str) -> bool:
    """A destructor that mentions the field frees it, or may."""
    destructor = cls.destructor
    if cls.record.destructor in ("declared", "defined") and destructor is None:
        return True
    return destructor is not None and field.encode() in bytes(destructor.record.body)


# --- where it comes from ------------------------------------------------------------------------


def _has_self(binding: Binding) -> bool:
    return binding.record.kind in ("method", "property", "property_rw", "field", "field_rw", "iterator")


def _borrow(
    binding: Binding, framework: FrameworkModel, target: Target, shape: Shape, returned: Class | None
) -> Borrow | None:
    """From which argument the result borrows; None when it does not, or nobody can tell."""
    function = target.function
    if function is None:
        return _declared_borrow(binding, target, shape, returned)
    sources: dict[str, int] = {
        p.name: target.first + i for i, p in enumerate(function.record.parameters) if _lives_on(p.type)
    }
    if target.first == 2:
        sources["this"] = 1
    elif _has_self(binding) and function.record.parameters:
        sources.setdefault(function.record.parameters[0].name, 1)
    for value in returned_values(function):
        found = _derived(value, function, sources, shape, returned, 0)
        if found is not None:
            index, sure = found
            where = function.step(value, "the result is made here from what it borrows")
            return Borrow(index, where, sure)
    return None


def _lives_on(written: str) -> bool:
    """A parameter taken by reference or pointer is the caller's object; one taken by value dies with the call."""
    return ("&" in written and "&&" not in written) or "*" in written


def _declared_borrow(binding: Binding, target: Target, shape: Shape, returned: Class | None) -> Borrow | None:
    """No body to look at: a member function that returns a view class made for its own class."""
    if target.owner is None or target.declared is None or target.first != 2 or returned is None or shape != "value":
        return None
    own = target.owner.name
    if any(types.parse(f.type).last == own and not types.parse(f.type).is_value for f in returned.fields.values()):
        record = target.declared
        at = Step(
            target.owner.path,
            Span(record.name_start, record.name_start + len(record.name.encode())),
            "the result looks back at its maker",
        )
        return Borrow(1, at, "likely")
    return None


def _derived(
    value: r.Value, function: Function, sources: dict[str, int], shape: Shape, returned: Class | None, depth: int
) -> tuple[int, Certainty] | None:
    inner = strip(value)
    match inner:
        case r.Name(text=name) if name not in sources and name in function.locals and depth < 4:
            written, initial = function.locals[name]
            if initial is None or (
                shape in ("pointer", "reference")
                and not types.parse(written).pointers
                and "&" not in written
                and "auto" not in written
            ):
                return None
            return _derived(initial, function, sources, shape, returned, depth + 1)
        case r.Conditional(then=then, other=other):
            return _derived(then, function, sources, shape, returned, depth + 1) or _derived(
                other, function, sources, shape, returned, depth + 1
            )
        case r.Aggregate(kind="init", items=items) if shape == "value":
            return _from_arguments(items, function, sources)
        case r.Call() if shape == "iterator":
            return _from_arguments(inner.args, function, sources)
        case r.Call(kind="new"):
            return None
        case r.Call(callee=callee, args=args) if shape == "value":
            name = last_name(callee)
            if returned is not None and name == returned.name:
                return _from_arguments(args, function, sources)
            return _through_callee(inner, function, sources, shape, returned, depth)
        case r.Call() if shape in ("pointer", "reference"):
            reached = _through_callee(inner, function, sources, shape, returned, depth)
            if reached is not None:
                return reached
            if isinstance(inner.callee, r.Member) and last_name(inner.callee) in ("get", "data", "at", "front", "back"):
                root = _root(inner.callee.base, function)
                return (sources[root], "certain") if root in sources and _is_inside(inner.callee.base, root) else None
            return None
    if shape in ("pointer", "reference"):
        root = _root(inner, function)
        addressed = isinstance(inner, r.Unary) and inner.op == "&"
        if root in sources and (shape == "reference" or addressed or _is_pointer_member(inner, function)):
            if _is_self(inner, root):
                return None
            return sources[root], "certain" if addressed or shape == "reference" else "likely"
    return None


def _is_self(value: r.Value | None, root: str) -> bool:
    """Returning the receiver itself is harmless: the framework finds the instance it already knows."""
    while isinstance(value, r.Unary) and value.op in ("*", "&"):
        value = strip(value.value)
    return isinstance(value, r.Name) and value.text == root


def _is_inside(value: r.Value | None, root: str) -> bool:
    return not _is_self(value, root)


def _is_pointer_member(value: r.Value | None, function: Function) -> bool:
    return value is not None and types.parse(function.program.type_of(value, function)).pointers > 0


def _root(value: r.Value | None, function: Function) -> str:
    """The parameter, `this` or local that an expression starts from; a bare member starts from `this`."""
    while True:
        value = strip(value)
        match value:
            case r.Member(base=base) | r.Index(base=base):
                value = base
            case r.Unary(op="*" | "&", value=inner):
                value = inner
            case r.Name(text=name):
                if function.home is not None and name in function.home.members and name not in function.declared:
                    return "this"
                if (
                    name in function.locals
                    and function.locals[name][1] is not None
                    and ("&" in function.locals[name][0] or "*" in function.locals[name][0])
                ):
                    initial = function.locals[name][1]
                    if isinstance(initial, r.Name) and initial.text == name:
                        return name
                    value = initial
                    continue
                return name
            case r.Call(callee=r.Member(base=base)):
                value = base
            case _:
                return ""


def _from_arguments(
    args: tuple[r.Value, ...], function: Function, sources: dict[str, int]
) -> tuple[int, Certainty] | None:
    """A view made from `self`, from an address, an iterator or a pointer into it."""
    for argument in args:
        inner = strip(argument)
        if isinstance(inner, r.Pair):
            inner = strip(inner.value)
        root = _root(inner, function)
        if root not in sources or inner is None:
            continue
        if _hands_on_an_address(inner, function, root):
            return sources[root], "certain"
    return None


def _hands_on_an_address(value: r.Value, function: Function, root: str) -> bool:
    match value:
        case r.Unary(op="&"):
            return True
        case r.Unary(op="*") | r.Name():
            return _is_self(value, root) or types.parse(function.program.type_of(value, function)).reference
        case r.Call(callee=r.Member(name=name)):
            return (
                name in ("begin", "end", "cbegin", "cend", "data", "get", "c_str", "rbegin", "rend")
                or types.parse(function.program.type_of(value, function)).pointers > 0
            )
        case r.Call(callee=callee, args=args):
            return last_name(callee) in ("begin", "end", "cbegin", "cend", "data", "addressof", "ref", "cref") and bool(
                args
            )
        case r.Member():
            kind = types.parse(function.program.type_of(value, function))
            return (
                not kind.name
                or kind.pointers > 0
                or (
                    (kind.is_value and bool(kind.arguments))
                    or function.program.find_class(kind.name, function.record.scope, function.file) is not None
                )
            )
    return False


def _through_callee(
    call: r.Call, function: Function, sources: dict[str, int], shape: Shape, returned: Class | None, depth: int
) -> tuple[int, Certainty] | None:
    """`self.cursor()`: what the project's own method hands back borrows from what it was called on."""
    if depth > 3:
        return None
    callee = function.program.callee(call, function)
    for target in callee.functions[:1]:
        inner_sources = {p.name: 2 + i for i, p in enumerate(target.record.parameters) if _lives_on(p.type)}
        inner_sources["this"] = 1
        for value in returned_values(target):
            found = _derived(value, target, inner_sources, shape, returned, depth + 1)
            if found is None:
                continue
            index, sure = found
            if index == 1 and isinstance(call.callee, r.Member):
                root = _root(call.callee.base, function)
            elif index == 1:
                root = "this"
            elif index - 2 < len(call.args):
                root = _root(call.args[index - 2], function)
            else:
                continue
            if root in sources:
                return sources[root], weaker(sure, callee.certainty)
    return None


# --- who keeps it alive -------------------------------------------------------------------------

_NUMBERS = re.compile(r"\d+")


def keep_alives(binding: Binding, framework: FrameworkModel) -> Iterator[tuple[int, int, r.Extra]]:
    """The `keep_alive<nurse, patient>` extras."""
    for extra in binding.record.extras:
        if framework.extras.get(extra.name) == "keep alive":
            numbers = _NUMBERS.findall(extra.template)
            if len(numbers) == 2:
                yield int(numbers[0]), int(numbers[1]), extra


def policy_of(binding: Binding, framework: FrameworkModel) -> tuple[str, r.Extra | None]:
    """The meaning of the policy written on the binding, and where it is written."""
    for extra in binding.record.extras:
        if extra.name in framework.policies:
            return framework.policies[extra.name], extra
    return "", None


def _protection(
    binding: Binding, framework: FrameworkModel, shape: Shape, source: int
) -> tuple[bool, r.Extra | None, str]:
    if any(framework.extras.get(extra.name) == "call policy" for extra in binding.record.extras):
        return True, None, ""
    ineffective: r.Extra | None = None
    reason = ""
    is_property = binding.record.kind in ("property", "property_rw")
    for nurse, patient, extra in keep_alives(binding, framework):
        if (nurse, patient) == (0, source):
            if is_property and _ignored_on_property(binding, framework, extra):
                ineffective, reason = extra, "is ignored on a property"
                continue
            return True, None, ""
        if (nurse, patient) == (source, 0):
            ineffective, reason = extra, "keeps the result alive, not what it points into"
    policy, written = policy_of(binding, framework)
    if shape in ("pointer", "reference"):
        default = framework.defaults.get(f"property {shape}" if is_property else shape, "")
        effective = policy if policy not in ("", "automatic") else default
        if effective == "reference internal":
            return (
                (True, None, "")
                if source == 1
                else (False, written, "keeps `self` alive, not what the result points into")
            )
        if effective != "reference":
            return True, None, ""  # copied, moved or taken over: no borrow reaches Python
        return False, ineffective or written, reason or "keeps nobody alive"
    if policy in ("reference", "reference internal") and written is not None:
        return False, ineffective or written, reason or "has no effect on a result by value"
    return False, ineffective, reason


def _ignored_on_property(binding: Binding, framework: FrameworkModel, extra: r.Extra) -> bool:
    if framework.facts.get("keep_alive_on_property") != "ignored":
        return False
    getter = binding.record.callable
    return getter is None or not (getter.start <= extra.start and extra.end <= getter.end)


def describe(value: r.Value | None) -> str:
    return text(value) if value is not None else ""


def looks_at(value: r.Value, name: str) -> bool:
    return any(isinstance(inner, r.Name) and inner.text == name for inner in walk(value))
