"""Which object an expression of a wrapper's functions means: getters, locals and casts looked through."""

from __future__ import annotations

import re

from ownlint.engine import glance
from ownlint.engine.assignments import place
from ownlint.engine.conditions import computed_once
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, Place, last_name, receiver, strip
from ownlint.project import types
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Class, Function

_MOST_STEPS = 8
CASTS = re.compile(glance.opens(r.Cast) + b"|" + glance.opens(r.Call))


_CAST_IN_MACRO = re.compile(
    r"[\s(]*(?:\(\s*(?:struct\s+)?([\w:]+)\s*\*\s*\)|(?:reinterpret|static)_cast\s*<\s*(?:struct\s+)?([\w:]+)\s*\*\s*>)"
    r"[\s(]*(\w+)[\s)]*"
)


def class_of_parameter(function: Function, parameter: r.Parameter) -> Class | None:
    """The project's class that a parameter refers to; of an object of Python's, the one that it is cast to."""
    kind = types.parse(parameter.type)
    if not parameter.name or not (kind.pointers or kind.reference):
        return None
    named = parameter.type
    if kind.pointers == 1 and "python handle" in function.program.models.role(kind.last, ()):
        casts = _casts(function)
        if len(casts.get(parameter.name, ())) != 1:
            return None
        (named,) = casts[parameter.name]
    written = function.program.names.expand(named, function.file, function.record.scope)
    return function.program.names.find_class(written, function.record.scope, function.file)


def object_place(function: Function, value: r.Value | None, depth: int = 0) -> Place | None:
    """The place a value names, getters and locals that are set once looked through."""
    inner = pointee(value)
    match inner:
        case r.Member(base=base, name=name) if depth < _MOST_STEPS:
            found = object_place(function, base, depth + 1)
            return (*found, name) if found is not None else None
        case r.Call(args=()) if inner.kind == "call" and depth < _MOST_STEPS:
            return _through_getter(function, inner, depth)
        case r.Call(args=(given,)) if depth < _MOST_STEPS and _cast_by(function, inner):
            return object_place(function, given, depth + 1)
    found = place(function, inner)
    if found is None or depth >= _MOST_STEPS:
        return found
    root = found[0]
    if root in function.locals and root not in function.parameter_names:
        initial = computed_once(function, root)
        origin = object_place(function, initial, depth + 1) if initial is not None else None
        return (*origin, *found[1:]) if origin is not None else found
    return found


def _through_getter(function: Function, call: r.Call, depth: int) -> Place | None:
    on = receiver(call)
    name = last_name(call.callee)
    if on is None and (function.home is None or not function.home.declared(name)):
        return None
    base = object_place(function, on, depth + 1) if on is not None else (THIS,)
    if base is None or not name:
        return None
    below = _returned(function, call, depth)
    if below is None and on is not None and place(function, call) is not None:
        return base  # it hands on what it is called on, like a smart pointer's `get`
    return (*base, *below) if below is not None else (*base, f"{name}()")


def _returned(function: Function, call: r.Call, depth: int) -> Place | None:
    """The member that a short method returns, whatever it checks before."""
    candidates = function.program.calls.callee(call, function).functions
    if len(candidates) != 1 or not candidates[0].is_short or candidates[0].record.parameters:
        return None
    getter = candidates[0]
    if getter is function or getter.cls is None or any(n.startswith("=") for n in getter.mentioned):
        return None
    found = {
        object_place(getter, statement.value, depth + 1)
        for statement in getter.statements
        if isinstance(statement, r.Leave) and statement.kind == "return"
    }
    only = found.pop() if len(found) == 1 else None
    return only[1:] if only is not None and only[0] == THIS else None


def receiver_of(function: Function, call: e.CallEvent) -> Place | None:
    """The object a call is about: what it is called on, `this`, or the first argument."""
    on = receiver(call.node)
    if on is not None:
        return object_place(function, on)
    if function.home is not None and function.home.declared(last_name(call.node.callee)):
        return (THIS,)
    return object_place(function, pointee(call.node.args[0])) if call.node.args else None


@flow_question
def _casts(function: Function) -> dict[str, frozenset[str]]:
    """To which types a function casts each of its parameters, also where what it calls does nothing else."""
    names = function.parameter_names
    found: dict[str, set[str]] = {}
    for value in function.values:
        match value:
            case r.Cast(value=inner) | r.Call(args=(inner,)) if isinstance(given := strip(inner), r.Name):
                if given.text in names:
                    kind = types.parse(value.type if isinstance(value, r.Cast) else _cast_by(function, value))
                    if kind.pointers == 1 and not kind.is_scalar:
                        found.setdefault(given.text, set()).add(kind.last)
    for written, initial in function.locals.values():
        given = strip(initial)
        kind = types.parse(written)
        if isinstance(initial, r.Cast) or not isinstance(given, r.Name) or given.text not in names:
            continue
        if kind.pointers == 1 and not kind.is_scalar and not kind.is_placeholder:
            found.setdefault(given.text, set()).add(kind.last)
    plain = {types.parse(parameter.type).last for parameter in function.record.parameters} | {"void", "PyVarObject"}
    return {name: frozenset(kinds - plain) for name, kinds in found.items() if kinds - plain}


def _cast_by(function: Function, call: r.Call) -> str:
    """The type of what a call answers that does nothing but cast what it is given; empty for any other."""
    name = call.callee.text if isinstance(call.callee, r.Name) else ""
    if not name or name in function.declared:
        return ""
    for macro in function.program.macros.named(name):
        cast = _CAST_IN_MACRO.fullmatch(macro.body)
        if cast is not None and macro.parameters == (cast[3],):
            return f"{cast[1] or cast[2]}*"
    for callee in function.program.calls.callee(call, function).functions[:1]:
        match callee.body if callee.is_short and len(callee.record.parameters) == 1 else ():
            case (r.Leave(kind="return", value=r.Cast(type=written, value=inner)),):
                given = strip(inner)
                if isinstance(given, r.Name) and given.text == callee.record.parameters[0].name:
                    return written
    return ""


def subject_of(function: Function) -> Place:
    return (THIS,) if function.cls is not None and function.record.kind == "method" else (_first(function),)


def _first(function: Function) -> str:
    return function.record.parameters[0].name if function.record.parameters else ""


def pointee(value: r.Value | None) -> r.Value | None:
    """Without the `*` or `&` around it: it is the same object."""
    inner = strip(value)
    while isinstance(inner, r.Unary) and inner.op in ("*", "&"):
        inner = strip(inner.value)
    return inner
