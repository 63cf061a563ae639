"""Moves that leave a handle where they take it from: both objects then release it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, places, types
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources import _slots as slots

_DEEP = 3
"""So many of the class's methods, one called by the other, are looked into."""


class LeftInSource(NamedTuple):
    """The member `field` takes what the source of a move holds, at `node`, and the source keeps it."""

    node: r.Node
    field: r.Field
    source: str


def left_in_source(function: Function) -> Iterator[LeftInSource]:
    """The handles that a move constructor takes and leaves, of those that the destructor of the class releases."""
    source = _source(function)
    cls = function.cls
    if not source or cls is None or cls.destructor is None:
        return
    field = slots.slots(function.program).released_by_destructor(cls)
    if field is None:
        return
    taken = _taken(function, cls, source, field.name)
    asked = _run_by(cls.destructor, _DEEP)
    if taken is None or _is_let_go(function, source, field.name, asked):
        return
    if not any(_names(asked, name) for name in _others(function, source, field.name)):
        yield LeftInSource(taken, field, f"{source}.{field.name}")


def _run_by(function: Function, depth: int) -> bytes:
    """The encoded bodies of a method and of those of its own class that it calls."""
    found = [function.encoded]
    for call in function.flow.calls if depth else ():
        if places.receiver(call.node) is None or isinstance(places.receiver(call.node), r.Name):
            callee = function.program.calls.callee(call.node, function)
            inner = callee.functions[0] if len(callee.functions) == 1 else None
            if inner is not None and inner is not function and inner.home is function.home:
                found.append(_run_by(inner, depth - 1))
    return b"".join(found)


def _source(function: Function) -> str:
    """The name of what a move constructor moves from."""
    parameters = function.record.parameters
    if function.record.kind != "constructor" or len(parameters) != 1 or function.cls is None:
        return ""
    written = parameters[0].type
    moved = "&&" in written and "const" not in written and types.parse(written).last == function.cls.name
    return parameters[0].name if moved else ""


def _taken(function: Function, cls: Class, source: str, name: str) -> r.Node | None:
    """Where the member gets the very value that the source's has."""
    for initializer in function.record.initializers:
        if initializer.name == name and len(initializer.args) == 1 and _is_sources(initializer.args[0], source, name):
            return initializer
    for write in function.flow.writes:
        value = write.value if write.place == (places.THIS, name) and write.op == "=" else None
        if value is not None and _is_sources(value, source, name):
            return value
    return None


def _is_sources(value: r.Value, source: str, name: str) -> bool:
    inner = places.strip(value)
    if isinstance(inner, r.Aggregate) and len(inner.items) == 1 and not isinstance(inner.items[0], r.Pair):
        inner = places.strip(inner.items[0])
    return isinstance(inner, r.Member) and inner.name == name and _is_source(inner.base, source)


def _names(body: bytes, name: str) -> bool:
    return b'"%b"' % name.encode() in body


def _is_let_go(function: Function, source: str, name: str, asked: bytes) -> bool:
    """Whether the source may be changed: its member is written or handed on, or one that the destructor, whose body
    `asked` is, looks at too, or the source as a whole is."""
    for event in function.flow:
        match event:
            case e.Write(place=(root, *rest)) if root == source:
                if not rest or rest[0] == name or _names(asked, rest[0]):
                    return True
            case e.CallEvent(node=call) if not _is_about_another(call, source, name) or _is_given(call, name):
                return True
            case e.OpaqueEvent():
                return True
    return False


def _is_given(call: r.Call, name: str) -> bool:
    """Whether the call is about what the new object has: it may count one more."""
    return any(
        (isinstance(inner, r.Name) and inner.text == name)
        or (isinstance(inner, r.Member) and inner.name == name and _is_source(inner.base, places.THIS))
        for inner in places.walk(call)
    )


def _others(function: Function, source: str, name: str) -> set[str]:
    """The other members of the source that the move is about: one of them may say whose the handle is."""
    arguments = [argument for one in function.record.initializers for argument in one.args]
    spoken = [*arguments, *(event.node for event in function.flow.calls)]
    return {
        inner.name
        for value in spoken
        for inner in places.walk(value)
        if isinstance(inner, r.Member) and inner.name != name and _is_source(inner.base, source)
    }


def _is_about_another(call: r.Call, source: str, name: str) -> bool:
    """Whether all that a call is given of the source are other members of it: `std::exchange(o.size_, 0)`."""
    if isinstance(call.callee, r.Member) and _is_source(call.callee.base, source):
        return False
    named = [inner for inner in places.walk(call) if isinstance(inner, r.Name) and inner.text == source]
    parts = [inner for inner in places.walk(call) if isinstance(inner, r.Member) and inner.name != name]
    return len([part for part in parts if _is_source(part.base, source)]) == len(named)


def _is_source(value: r.Value, source: str) -> bool:
    return isinstance(value, r.Name) and value.text == source
