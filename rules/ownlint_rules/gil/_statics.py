"""What lives until the process ends: variables outside of functions, static members, static and thread-local locals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import File, Function, Program, glance, places, references, types
from ownlint import events as e
from ownlint import records as r


class Static(NamedTuple):
    """`function` is where a local stands; None for one outside of functions. `scope` is where its type is looked up."""

    name: str
    type: str
    node: r.Node
    value: r.Value | None
    file: File
    scope: str
    function: Function | None = None


def statics(program: Program) -> Iterator[Static]:
    """Every static of the project's C++, in the order of files and offsets."""
    for file in program.files.values():
        if file.language == "cpp":
            yield from _outside(file)
    for function in program.functions:
        if function.language == "cpp":
            yield from in_function(function)


def _outside(file: File) -> Iterator[Static]:
    defined = {(variable.scope, variable.name) for variable in file.variables}
    for variable in file.variables:
        if "extern" not in variable.type.split() or variable.value is not None:
            yield Static(variable.name, variable.type, variable, variable.value, file, variable.scope)
    for cls in file.classes:
        scope = f"{cls.scope}::{cls.name}" if cls.scope else cls.name
        for field in cls.fields:
            if field.static and (scope, field.name) not in defined and (cls.name, field.name) not in defined:
                yield Static(field.name, field.type, field, field.value, file, scope)


def in_function(function: Function) -> Iterator[Static]:
    if not function.says(_STATIC):
        return
    for statement in function.statements:
        if isinstance(statement, r.Declare) and statement.static:
            scope = function.record.scope
            for name in statement.names:
                yield Static(name, statement.type, statement, statement.value, function.file, scope, function)


def is_filled(program: Program, static: Static) -> bool:
    """Whether something puts an object into it while the program runs, as an element or as what it holds."""
    for function in _users(program, static):
        for event in function.flow:
            match event:
                case e.CallEvent(receiver=(name, *_), node=node) if name == static.name:
                    if node.args and places.last_name(node.callee) in program.models.containers.puts:
                        return True
                case e.Write(place=(name, *_), value=value, fresh=False) if name == static.name:
                    if not _is_nothing(value):
                        return True
    return False


def is_emptied(program: Program, static: Static) -> bool:
    """Whether something gives up what it holds while the program runs: it is released, reset, or set to nothing."""
    for function in _users(program, static):
        for event in function.flow:
            match event:
                case e.CallEvent(receiver=place, node=node) if place is not None and place[-1] == static.name:
                    if places.last_name(node.callee) in _empties(function):
                        return True
                case e.Write(place=place, value=value, fresh=False) if place[-1] == static.name:
                    if event.op == "=" and _is_nothing(value):
                        return True
    return False


def is_immortal(program: Program, static: Static) -> bool:
    """Whether its object has one more reference that nothing gives back: the lambda that makes it counts up what it
    returns, or the function in which it stands counts it up. Then it is never destroyed."""
    maker = _maker(program, static)
    if maker is not None:
        returned = {places.last_name(places.strip(leave.value)) for leave in maker.flow.leaves} - {""}
        if any(_counts_up(maker, call) in returned for call in maker.flow.calls):
            return True
    around = static.function
    return around is not None and any(_counts_up(around, call) == static.name for call in around.flow.calls)


def _maker(program: Program, static: Static) -> Function | None:
    """The lambda that is called where the static begins."""
    made = places.strip(static.value)
    called = made.callee if isinstance(made, r.Call) and not made.args else None
    return program.index.function_at(static.file, called.function) if isinstance(called, r.Lambda) else None


def _counts_up(function: Function, call: e.CallEvent) -> str:
    """The local or variable that a call adds a reference to; empty where it adds none. A method is taken by its name:
    the caller knows that what it is about is an object."""
    program, callee = function.program, call.node.callee
    if isinstance(callee, r.Member):
        model, counted = program.models.counted_method(callee.name), call.receiver
        adds = model is not None and model.has("retain", "receiver")
    else:
        model = references.references(program).model(call.node, function)
        adds = model is not None and model.has("retain", "argument 1") and bool(call.node.args)
        counted = places.place_of(call.node.args[0]) if adds else None
    return counted[0] if adds and counted else ""


def _is_nothing(value: r.Value | None) -> bool:
    match value:
        case r.Literal(kind="null") | r.Aggregate(items=()):
            return True
        case r.Call(args=()):
            return types.parse(places.last_name(value.callee)).name != ""
        case r.Name(text=text):
            return text.endswith("nullopt")
    return False


def _users(program: Program, static: Static) -> Iterator[Function]:
    """The functions that name it: of a local the one in which it stands, and those inside."""
    for function in program.functions:
        if static.function is not None and static.function not in (function, function.parent):
            continue
        if function.language == "cpp" and glance.says(function, static.name):
            yield function


_STATIC = re.compile(rb",true\]")


def _empties(function: Function) -> frozenset[str]:
    return function.program.models.containers.empties | {"dec_ref"}
