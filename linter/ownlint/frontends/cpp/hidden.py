"""Locals that hide another of their function get a name of their own, so that one name is one place in a body.

In `char* a; { char* a; free(a); }` the inner `a` becomes `a` with a mark behind it, which is left out again wherever a
person reads the name. What a lambda or a class inside may mean by the name is not known: in a block that has one,
nothing is renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ownlint.facts import records as r

_MOST = 4
"""So many locals of one name are told apart."""
_UNREAD = (r.Lambda, r.Nested)


def told_apart(body: r.Body, parameters: Iterable[str]) -> tuple[r.Body, dict[str, str]]:
    """The body with inner names of their own, and those names with what the source calls them."""
    names = dict.fromkeys(parameters, "")
    if not _may_hide(body, set(names)):
        return body, {}
    renaming = _Renaming(body)
    return renaming.body(body, {name: name for name in names}, set(names)), renaming.made


def _may_hide(body: r.Body, seen: set[str]) -> bool:
    """Whether some name is declared twice, wherever that is."""
    left: list[Any] = [body]
    while left:
        inside = left.pop()
        for statement in inside:
            for name in _declared(statement):
                if name in seen:
                    return True
                seen.add(name)
            left += [one for one in _inner(statement) if one]
    return False


def _declared(statement: r.Statement) -> tuple[str, ...]:
    match statement:
        case r.Declare(names=names):
            return names
        case r.Loop(kind="range", target=target):
            return tuple(_bound(target))
        case r.Try(handlers=handlers):
            return tuple(handler.name for handler in handlers if handler.name)
    return ()


def _bound(target: r.Value | None) -> list[str]:
    match target:
        case r.Name(text=name):
            return [name]
        case r.Aggregate(items=items):
            return [name for item in items for name in _bound(item)]
    return []


def _inner(statement: r.Statement) -> Iterable[r.Body]:
    match statement:
        case r.Block(body=body):
            return (body,)
        case r.Branch(before=before, then=then, other=other):
            return (before, then, other)
        case r.Loop(before=before, body=body):
            return (before, body)
        case r.Switch(cases=cases):
            return [case.body for case in cases]
        case r.Try(body=body, handlers=handlers):
            return (body, *(handler.body for handler in handlers))
    return ()


class _Renaming:
    def __init__(self, body: r.Body) -> None:
        self.made: dict[str, str] = {}
        self.unread: set[int] = set()
        """The identities of statements and bodies in which something is read as a function or a class of its own."""
        _note_unread(body, self.unread)

    def body(self, body: r.Body, known: Mapping[str, str], own: set[str]) -> r.Body:
        """`known` says what names mean around the body, `own` which of them are declared in the same block."""
        return self.block(body, dict(known), own, keeps=id(body) in self.unread)

    def block(self, body: r.Body, names: dict[str, str], own: set[str], *, keeps: bool) -> r.Body:
        """What a side of an `#if` declares belongs to the block around it."""
        out: list[Any] = []
        for statement in body:
            if isinstance(statement, r.Declare):
                out.append(self.declare(statement, names, own, keeps=keeps))
            elif isinstance(statement, r.Branch) and _asks_the_build(statement.condition):
                then, other = (self.block(side, names, own, keeps=keeps) for side in (statement.then, statement.other))
                out.append(msgspec.structs.replace(statement, then=then, other=other))
            else:
                out.append(self.statement(statement, names))
        return tuple(out)

    def declare(self, statement: r.Declare, names: dict[str, str], own: set[str], *, keeps: bool) -> r.Declare:
        for name in statement.names:
            self.begin(name, names, own, keeps=keeps)
        fields = {
            "names": tuple(names[name] for name in statement.names),
            "value": self.changed(statement.value, names),
        }
        return msgspec.structs.replace(statement, **fields)

    def begin(self, name: str, names: dict[str, str], own: set[str], *, keeps: bool) -> None:
        """From here on the name means what is declared now."""
        around = names.get(name)
        if around is None or name in own or keeps or around.count(r.INNER) >= _MOST:
            names[name] = name if around is None else around
        else:
            names[name] = around + r.INNER
            self.made[names[name]] = name
        own.add(name)

    def statement(self, statement: Any, known: Mapping[str, str]) -> Any:
        """A statement that has a scope of its own: what it declares itself is known in all its parts."""
        names, own = dict(known), set[str]()
        keeps = id(statement) in self.unread
        fields: dict[str, Any] = {}
        if isinstance(statement, r.Branch | r.Loop):
            fields["before"] = self.block(statement.before, names, own, keeps=keeps)
        if isinstance(statement, r.Loop | r.Handler):
            bound = [statement.name] if isinstance(statement, r.Handler) else _bound(statement.target)
            for name in bound if isinstance(statement, r.Handler) or statement.kind == "range" else ():
                if name:
                    self.begin(name, names, own, keeps=keeps)
            if isinstance(statement, r.Handler):
                fields["name"] = names.get(statement.name, statement.name)
        for field in statement.__struct_fields__:
            if field not in fields:
                fields[field] = self.part(getattr(statement, field), names)
        return msgspec.structs.replace(statement, **fields)

    def part(self, part: Any, names: Mapping[str, str]) -> Any:
        """A field of a statement: a body of its own, some values, some words."""
        if isinstance(part, tuple) and part and isinstance(part[0], r.Case | r.Handler):
            return tuple(self.statement(one, names) for one in part)
        if isinstance(part, tuple) and part and isinstance(part[0], _STATEMENTS):
            return self.body(part, names, set())
        return self.changed(part, names)

    def changed(self, value: Any, names: Mapping[str, str]) -> Any:
        """A value with the names that it is about now; itself where none of them is another."""
        if not self.made:
            return value
        match value:
            case r.Name(text=name):
                told = names.get(name, name)
                return value if told == name else msgspec.structs.replace(value, text=told)
            case r.OpaqueValue(names=said) | r.Opaque(names=said) if not names.keys().isdisjoint(said):
                return msgspec.structs.replace(value, names=tuple(names.get(name, name) for name in said))
            case tuple():
                parts = tuple(self.changed(one, names) for one in value)
                return parts if any(one is not before for one, before in zip(parts, value, strict=True)) else value
            case msgspec.Struct():
                told_fields = {}
                for field in value.__struct_fields__:
                    part = getattr(value, field)
                    if (
                        isinstance(part, tuple | msgspec.Struct)
                        and (told_part := self.changed(part, names)) is not part
                    ):
                        told_fields[field] = told_part
                return msgspec.structs.replace(value, **told_fields) if told_fields else value
        return value


_STATEMENTS = r.Statement.__args__  # type: ignore[attr-defined]


def _note_unread(part: Any, found: set[int]) -> bool:
    """Whether something in there is read as a function or a class of its own."""
    if isinstance(part, tuple):
        inside: Iterable[Any] = part
    elif isinstance(part, msgspec.Struct):
        inside = (getattr(part, field) for field in part.__struct_fields__)
    else:
        return False
    has_any = isinstance(part, _UNREAD)
    for one in inside:  # all of them are noted
        if isinstance(one, tuple | msgspec.Struct) and _note_unread(one, found):
            has_any = True
    if has_any:
        found.add(id(part))
    return has_any


def _asks_the_build(condition: r.Value) -> bool:
    while isinstance(condition, r.Unary):
        condition = condition.value
    return isinstance(condition, r.Literal) and condition.kind == "build"
