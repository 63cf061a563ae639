"""Functions that only say a condition, or a number: a call of one is that expression with its arguments in it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ownlint.engine.overrides import reached
from ownlint.facts import records as r
from ownlint.flow.places import strip
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import question
from ownlint.project.subjects import Function

_DEEPEST = 3


def meant(program: Program, function: Function, value: r.Value, depth: int = _DEEPEST) -> r.Value:
    """What the expression, which stands in the function, comes to once such calls are taken apart."""
    match strip(value):
        case r.Call(kind="call", args=args) as call if depth:
            callee = reached(call, function).only
            told = _answer(callee) if callee is not None else None
            names = [parameter.name for parameter in callee.record.parameters] if callee is not None else []
            if told is None or len(names) != len(args):
                return value
            given = [meant(program, function, one, depth - 1) for one in args]
            return _put(told, dict(zip(names, given, strict=True)))
        case r.Unary(op="!" | "-", value=inner) as unary:
            return msgspec.structs.replace(unary, value=meant(program, function, inner, depth))
        case r.Binary(left=left, right=right) as binary:
            one, two = meant(program, function, left, depth), meant(program, function, right, depth)
            return binary if one is left and two is right else msgspec.structs.replace(binary, left=one, right=two)
    return value


def is_steady(function: Function, call: r.Call) -> bool:
    """Whether a call answers the same as often as one object is asked: what it may run answers with a constant, or the
    object is constant and nothing is looked at but its plain members."""
    on = call.callee.base if isinstance(call.callee, r.Member) else None
    if on is None or call.args or not _is_path(on):
        return False
    callee = reached(call, function)
    fixed = types.parse(function.program.types.written(on, function)).const
    return callee.all_defined and all(
        _answer(one) is not None or (fixed and _looks_at_members(one)) for one in callee.functions
    )


def _is_path(value: r.Value | None) -> bool:
    """`a.b->c`: names alone."""
    inner = strip(value)
    while isinstance(inner, r.Member):
        inner = strip(inner.base)
    return isinstance(inner, r.Name)


@question
def _looks_at_members(function: Function) -> bool:
    """Whether a method answers with what members say that only the object's methods change: none is an atomic, which
    a thread may set meanwhile, or an object with operators of its own."""
    match function.body, function.home:
        case (r.Leave(kind="return", value=value),), home if home is not None and value is not None:
            own = (one for one in home.record.fields if not one.static and "volatile" not in one.type)
            kinds = ((one.name, types.parse(one.type)) for one in own)
            plain = frozenset(name for name, kind in kinds if kind.pointers or kind.is_scalar)
            return _is_plain(value, plain)
    return False


@question
def _answer(function: Function) -> r.Value | None:
    """What the function answers with, where it does nothing else and asks its parameters alone."""
    names = function.parameter_names
    match function.body:
        case (r.Leave(kind="return", value=value),):
            pass
        case (r.Branch(then=(r.Leave(kind="return", value=yes),), other=(), before=()) as branch, last):
            value = _chosen(branch, yes, last)
        case (r.Branch(then=(r.Leave(kind="return", value=yes),), other=(last,), before=()) as branch,):
            value = _chosen(branch, yes, last)
        case _:
            return None
    return value if value is not None and _is_plain(value, names) else None


def _chosen(branch: r.Branch, yes: r.Value | None, last: r.Statement) -> r.Value | None:
    if not isinstance(last, r.Leave) or last.kind != "return":
        return None
    condition = branch.condition
    match (strip(yes), strip(last.value)):
        case (r.Literal(kind="bool") as one, r.Literal(kind="bool") as other) if one.is_true != other.is_true:
            return condition if one.is_true else r.Unary(condition.start, condition.end, "!", condition)
    return None


def _is_plain(value: r.Value, names: frozenset[str]) -> bool:
    match strip(value):
        case r.Name(text=name):
            return name in names
        case r.Literal(kind=kind):
            return kind != "build"
        case r.Unary(op="!" | "-", value=inner):
            return _is_plain(inner, names)
        case r.Binary(op=op, left=left, right=right):
            return op not in (",", "&&", "||") and _is_plain(left, names) and _is_plain(right, names)
    return False


def _put(told: r.Value, given: Mapping[str, r.Value]) -> r.Value:
    """The answer with arguments in place of parameters."""
    bare = strip(told)
    match bare:
        case r.Name(text=name):
            return given[name]
        case r.Unary(value=inner):
            return msgspec.structs.replace(bare, value=_put(inner, given))
        case r.Binary(left=left, right=right):
            return msgspec.structs.replace(bare, left=_put(left, given), right=_put(right, given))
    return told
