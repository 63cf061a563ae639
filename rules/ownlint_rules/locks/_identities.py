"""Of Python: whether two of what is made do harm where one was meant.

A value that is computed twice is the same value. Of two threads, connections or locks under one key, who came first
keeps one that cannot be found any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ownlint import Class, Function, assignments, bodies, glance, pairs, places, python_calls
from ownlint import records as r
from ownlint_rules.locks import _rechecks as rechecks

_ENDS = frozenset({"stop", "join", "shutdown", "terminate", "disconnect", "cancel", "kill", "__exit__", "__aexit__"})
"""Methods that end what an object does or holds, beside those that say it by a verb of releasing."""
_DEEPEST = 2
"""So many functions are looked into that make what they answer."""


def is_one_too_many(function: Function, value: r.Value | None, held_in: Iterable[str]) -> bool:
    """Whether a value that a function stores has to be ended, does something by itself, or is what others wait for.
    `held_in` are the last names of what it is stored in."""
    made = list(_made(function, value))
    if not made:
        return False
    return (
        any(_is_ended(function, call, _DEEPEST) or _is_changing(function, call) for call in made)
        or _is_started(function, value)
        or any(_ends_elements(other, name) for name in held_in for other in _users(function, name))
    )


def _made(function: Function, value: r.Value | None) -> Iterator[r.Call]:
    """The calls that make a value, or a part of it: `(session, now())`."""
    for source in rechecks.sources(function, value):
        parts = source.items if isinstance(source, r.Aggregate) else (source,)
        for part in parts:
            inner = part.value if isinstance(part, r.Pair) else part
            if isinstance(inner, r.Unary) and inner.op == "await":
                inner = inner.value
            if isinstance(inner, r.Call):
                yield inner
            elif part is not source:
                yield from _made(function, inner)


def _is_changing(function: Function, call: r.Call) -> bool:
    """Whether a call makes an object of a class of the project whose methods change it: what the one has counted is
    unknown to the other."""
    symbol = function.program.names.named(function.file, call.callee)
    cls = python_calls.of(function.program).cls(symbol, function.file) if symbol else None
    return cls is not None and any(
        write.place[0] == places.THIS and len(write.place) > 1
        for method in cls.methods
        if not method.name.startswith("__")
        for write in method.flow.writes
    )


def _is_ended(function: Function, call: r.Call, depth: int) -> bool:
    """Whether a call makes an object that has to be ended, by a model or by the methods of its class."""
    program = function.program
    symbol = program.names.named(function.file, call.callee)
    known = program.models.function(symbol, "python") if "." in symbol else ()
    if any(one.certainty == "certain" and (one.has("acquire", "result") or one.has("own", "result")) for one in known):
        return True
    cls = python_calls.of(program).cls(symbol, function.file) if symbol else None
    if cls is not None:
        return _has_end(cls)
    callees = program.calls.callee(call, function).functions if depth else ()
    return any(
        _is_ended(callee, made, depth - 1)
        for callee in callees
        for leave in callee.flow.leaves
        if leave.kind == "return"
        for made in _made(callee, leave.value)
    )


def _has_end(cls: Class) -> bool:
    return any(_ends(name) for one in cls.ancestry for name in one.defined_here)


def _ends(name: str) -> bool:
    return name in _ENDS or (not name.startswith("_") and bool(pairs.releasing_verb(name)))


def _is_started(function: Function, value: r.Value | None) -> bool:
    """Whether the function begins something with what it stores: `thread.start()`, `client.connect()`."""
    inner = places.strip(value)
    return isinstance(inner, r.Name) and any(
        call.receiver == (inner.text,) and pairs.takes(places.last_name(call.node.callee))
        for call in function.flow.calls
        if call.dropped
    )


def _users(function: Function, name: str) -> Iterator[Function]:
    """The functions of the file that say a name."""
    program, file = function.program, function.file
    for index in range(len(file.functions)):
        other = program.index.function_at(file, index)
        if other is not None and glance.says(other, name):
            yield other


def _ends_elements(function: Function, name: str) -> bool:
    """Whether the function ends what stands in a table, or in an attribute, of that name."""
    ended = {
        place
        for call in function.flow.calls
        if _ends(places.last_name(call.node.callee))
        for place in (call.receiver, *(assignments.place(function, one) for one in call.node.args))
        if place is not None
    }
    if not ended:
        return False
    if any(place[-1] == name or (place[-2:-1] == (name,) and place[-1].startswith("[")) for place in ended):
        return True
    held = {
        target
        for statement in function.statements
        if isinstance(statement, r.Loop) and places.says(statement.iterable, name)
        for target in bodies.bound_names(statement.target)
    }
    held |= {
        write.place[0] for write in function.flow.writes if len(write.place) == 1 and places.says(write.value, name)
    }
    return any((one,) in ended for one in held)
