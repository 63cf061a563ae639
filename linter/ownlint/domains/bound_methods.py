"""Calls of a name that stands for a bound method: `run = passes.run; run(root)`, `go = partial(passes.run, root)`."""

from __future__ import annotations

import msgspec

from ownlint.domains.instances import bound_by
from ownlint.facts import records as r
from ownlint.project.questions import question
from ownlint.project.subjects import Function


def behind(call: r.Call, function: Function) -> r.Call | None:
    """The call as it would be written without the name; None where the name, or what it was bound to, may be anew."""
    if not isinstance(call.callee, r.Name) or call.callee.text not in function.declared:
        return None
    (given, *others) = _bindings(function).get(call.callee.text, [None])
    if given is None or others or given.end > call.start:
        return None
    match given:
        case r.Member() as method:
            args = call.args
        case r.Call(callee=maker, args=(r.Member() as method, *first)) if _is_partial(maker, function):
            args = (*first, *call.args)
        case _:
            return None
    if not all(_is_steady(value, function) for value in (method.base, *args[: len(args) - len(call.args)])):
        return None
    return msgspec.structs.replace(call, callee=method, args=args)


def _is_partial(callee: r.Value, function: Function) -> bool:
    return function.program.names.meant_name(function.file, callee) == "partial"


def _is_steady(value: r.Value, function: Function) -> bool:
    """Whether it is later what it was when the method was bound: names that are bound once, and what is taken from
    them."""
    match value:
        case r.Name():
            parameter = any(p.name == value.text for p in function.record.parameters)
            return len(_bindings(function).get(value.text, ())) <= (0 if parameter else 1)
        case r.Member(base=base):
            return _is_steady(base, function)
        case r.Call(callee=r.Member(), args=args):  # `Passes.parse(text).run`
            return all(isinstance(argument, (r.Literal, r.Name)) for argument in args)
        case r.Literal():
            return True
        case r.Pair(value=inner):
            return _is_steady(inner, function)
    return False


@question
def _bindings(function: Function) -> dict[str, list[r.Value | None]]:
    """What each name of the function is bound to; None for what nobody can say."""
    found: dict[str, list[r.Value | None]] = {}
    for statement in function.statements:
        for name, value in bound_by(statement):
            found.setdefault(name, []).append(value)
    return found
