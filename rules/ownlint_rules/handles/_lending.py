"""What makes objects of an extension's own types, by CPython's interface, and which functions leave the count of what
they are given as it is."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Function, Program, conditions, places, questions, references, slot_tables, types
from ownlint import records as r

_DEEP = 3
"""So many helpers in each other hand an object on."""


def makes_objects(function: Function) -> bool:
    """Whether it names what makes an object. Needs no decoding."""
    return not _makers(function.program).isdisjoint(function.mentioned)


def makers_of_objects(program: Program) -> Iterator[Function]:
    """The functions that do."""
    return program.calling(_makers(program))


@questions.program_question
def _makers(program: Program) -> frozenset[str]:
    """Last names of the interface's functions that answer with a new reference."""
    return program.models.functions_with("acquire", "result", lambda model: model.counted)


def new_objects(function: Function) -> Iterator[tuple[str, Class]]:
    """The locals that take a new object."""
    makers = _makers(function.program)
    for name, (written, _) in function.locals.items():
        value = conditions.computed_once(function, name)
        call = places.strip(value)
        if isinstance(call, r.Call) and places.last_name(call.callee) in makers:
            kind = types.parse(value.type if isinstance(value, r.Cast) else written)
            cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
            if cls is not None:
                yield name, cls


def parameter(function: Function, value: r.Value | None, depth: int = 0) -> int:
    """The parameter (from 0) that a value is, as it is or by a cast, a local or a helper that casts it; else -1."""
    inner = places.strip(value)
    if depth > _DEEP:
        return -1
    match inner:
        case r.Name(text=name):
            at = next((at for at, one in enumerate(function.record.parameters) if one.name == name), -1)
            if at >= 0:
                return -1 if any(not write.fresh for write in function.flow.writes_to((name,))) else at
            return parameter(function, conditions.computed_once(function, name), depth + 1)
        case r.Call(args=(only,)) if _only_casts(function, inner):
            return parameter(function, only, depth + 1)
    return -1


def _only_casts(function: Function, call: r.Call) -> bool:
    """`as_book(op)`, where `as_book` is a function of one line that answers with its argument."""
    targets = function.program.calls.callee(call, function).functions
    return bool(targets) and all(
        len(target.statements) == 1
        and isinstance(leave := target.statements[0], r.Leave)
        and isinstance(answer := places.strip(leave.value), r.Name)
        and len(target.record.parameters) == 1
        and answer.text == target.record.parameters[0].name
        for target in targets
    )


def is_only_lent(function: Function, given: int, made: str = "", depth: int = 0) -> bool:
    """Whether neither the function nor those that call it count the parameter, nor give it to anything that may: it is
    what Python calls a slot with."""
    if depth > _DEEP or not all(lends(function, call.node, given, made) for call in function.flow.calls):
        return False
    if slot_tables.is_slot(function):
        return True
    calls = [
        (caller, call.node)
        for caller in function.program.index.callers(function)
        for call in caller.flow.calls
        if places.last_name(call.node.callee) == function.name
    ]
    return bool(calls) and all(
        caller is not function
        and given < len(call.args)
        and (theirs := parameter(caller, call.args[given])) >= 0
        and is_only_lent(caller, theirs, depth=depth + 1)
        for caller, call in calls
    )


def lends(function: Function, call: r.Call, given: int, made: str) -> bool:
    """Whether a call leaves the counts of the parameter, and of what the new object has taken down, as they are."""
    known = references.references(function.program)
    targets = function.program.calls.callee(call, function).functions
    for index, argument in references.arguments(call):
        inner = places.strip(argument)
        is_member = isinstance(inner, r.Member) and isinstance(inner.base, r.Name) and inner.base.text == made
        if not is_member and parameter(function, argument) != given:
            continue
        if known.use(call, index, function) == "lent":
            continue
        if not targets or any(references.may_count(target) and not makes_objects(target) for target in targets):
            return False
        if any(makes_objects(target) and not _lends_on(target, index) for target in targets):
            return False
    return True


def _lends_on(target: Function, index: int) -> bool:
    return all(lends(target, call.node, index, "") for call in target.flow.calls)


def is_taken_down_only(function: Function, given: int, made: str, cls: Class, field: str) -> bool:
    """Whether a member of a new object that points to the parameter holds no reference to it."""
    return not references.owns_member(cls, field, function.program) and is_only_lent(function, given, made)
