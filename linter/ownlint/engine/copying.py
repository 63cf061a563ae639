"""What takes the bytes that a pointer leads to, and not the pointer: strings, objects that only read a buffer they are
made of. Whoever owns the buffer owns it still."""

from __future__ import annotations

from ownlint.facts import records as r
from ownlint.flow.bodies import statements, values
from ownlint.flow.places import children, last_name, names_in, receiver, strip
from ownlint.models.records import FunctionModel
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.questions import question
from ownlint.project.subjects import Function

_COMPARES = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "and", "or"})
_LOOKING = frozenset({"return on failure", "check", "assert", "log", "debug log"})
_LOOKS = frozenset({"use", "write", "copy"})


def is_copying(written: str, function: Function) -> bool:
    """Whether a value of the type holds no pointer that it is made of or assigned: a string, a container of strings.
    Models say which types are strings (the role `string`)."""
    return bool(written) and _is_copying(written, function, function.file, function.record.scope)


def _is_copying(written: str, function: Function, file: File, scope: str) -> bool:
    program = function.program
    kind = types.parse(program.names.expand(written, file, scope))
    if kind.pointers or kind.is_placeholder or not kind.name:
        return False
    roles = program.types.roles_at(kind.name, file, scope)
    if "string" in roles:
        return True
    return (
        "container" in roles
        and bool(kind.arguments)
        and all(_is_copying(argument, function, file, scope) for argument in kind.arguments)
    )


def is_copied_into(function: Function, member: str) -> bool:
    """Whether a member of the function's class takes what a pointer leads to: `name_(text)` of a string."""
    found = function.home.field(member) if function.home is not None else None
    return found is not None and is_copying(found[1].type, function)


def copies_from(call: r.Call, function: Function, index: int) -> bool:
    """Whether an object that is made of argument `index` (from 0) holds no pointer to what that leads to: a string, an
    object of a class of the project whose constructors are seen to do nothing but read the buffer."""
    if not isinstance(call.callee, r.Name):
        return False
    if is_copying(call.callee.text, function):
        return True
    cls = function.program.names.find_class(call.callee.text, function.record.scope, function.file)
    if cls is None:
        return False

    def is_meant(record: r.FunctionRecord) -> bool:
        return record.kind == "constructor" and max(index + 1, len(call.args)) <= len(record.parameters)

    seen = [one for one in cls.constructors if is_meant(one.record)]
    if not seen or sum(map(is_meant, cls.declarations)) > len(seen):
        return False
    return all(one.record.parameters[index].name in _read_alone(one) for one in seen)


@question
def _read_alone(constructor: Function) -> frozenset[str]:
    """The parameters of a constructor that lead to plain bytes or numbers, which it reads and gives to nobody."""
    names = {one.name for one in constructor.record.parameters if one.name and _is_buffer(one.type)}
    for initializer in constructor.record.initializers if names else ():
        if not is_copied_into(constructor, initializer.name):
            names -= {name for name in names for arg in initializer.args if _gives_away(arg, name, constructor)}
    for statement in statements(constructor.body) if names else ():
        for value in values(statement):
            names -= {name for name in names if _gives_away(value, name, constructor)}
    return frozenset(names)


def _is_buffer(written: str) -> bool:
    """Whether a parameter leads to plain bytes or numbers, which have no methods: `const char*`, `float*`."""
    kind = types.parse(written)
    return kind.pointers == 1 and not kind.reference and not kind.arguments and kind.last in types.SCALARS | {"void"}


def _gives_away(value: r.Value, name: str, function: Function) -> bool:
    """Whether a value may hand on the pointer that a name stands for: anything but reading through it, comparing it,
    and calls that models know to do no more."""
    match strip(value):
        case r.Name(text=text):
            return text == name
        case r.Lambda():
            return True
        case r.Unary(op="&", value=inner):
            return name in names_in(inner)
        case r.Unary(op="*", value=inner) | r.Index(base=inner, indexes=()):
            return not _is_part(inner, name) and _gives_away(inner, name, function)
        case r.Unary(op="!" | "not", value=inner):
            return not _is_part(inner, name) and _gives_away(inner, name, function)
        case r.Index(base=base, indexes=indexes):
            looks = _is_part(base, name) or not _gives_away(base, name, function)
            return not looks or any(_gives_away(one, name, function) for one in indexes)
        case r.Binary(op=op, left=left, right=right) if op in _COMPARES:
            return any(not _is_part(one, name) and _gives_away(one, name, function) for one in (left, right))
        case r.Assign(op="=" | "+=" | "init", target=target, value=given) if is_copying(
            function.program.types.of(target, function), function
        ):
            return _gives_away(target, name, function) or (
                not _is_part(given, name) and _gives_away(given, name, function)
            )
        case r.Call() as call:
            return any(
                _gives_away(one, name, function) and not (_is_part(one, name) and _only_looks(call, index, function))
                for index, one in enumerate(call.args)
            ) or _gives_away(call.callee, name, function)
        case None:
            return False
        case inner:
            return any(_gives_away(one, name, function) for one in children(inner))


def _is_part(value: r.Value, name: str) -> bool:
    """`text`, `text + 4`, `text++`."""
    inner = strip(value)
    while True:
        match inner:
            case r.Binary(op="+" | "-", left=left, right=right) if name not in names_in(right):
                inner = strip(left)
            case r.Unary(op="++" | "--", value=moved) | r.Assign(op="++" | "--", target=moved):
                inner = strip(moved)
            case _:
                return isinstance(inner, r.Name) and inner.text == name


def _only_looks(call: r.Call, index: int, function: Function) -> bool:
    """Whether a call does nothing with what argument `index` (from 0) leads to but read and write."""
    program = function.program
    if program.macros.role(last_name(call.callee)) in _LOOKING:
        return True
    if call.kind == "call" and is_copying(program.types.of(receiver(call), function), function):
        return True
    if call.kind in ("construct", "new") and isinstance(call.callee, r.Name):
        return is_copying(call.callee.text, function)
    models = program.calls.callee(call, function).models
    return bool(models) and all(_leaves(model, index) for model in models)


def _leaves(model: FunctionModel, index: int) -> bool:
    return all(
        effect.verb in _LOOKS
        for effect in model.effects
        for place in (effect.place, effect.other)
        if place is not None and place.kind == "argument" and place.index == index
    )
