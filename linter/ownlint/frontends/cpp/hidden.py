"""Locals that hide another of their function get a name of their own, so that one name is one place in a body.

In `char* a; { char* a; free(a); }` the inner `a` becomes `a` with a mark behind it, which is left out again wherever a
person reads the name. What a lambda or a class inside may mean by the name is not known: in a block that has one,
nothing is renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import msgspec

from ownlint.facts import records as r

_MOST = 4
"""So many locals of one name are told apart."""
_UNREAD = (r.Lambda, r.Nested)
_DECLARING = frozenset({r.Declare, r.Branch})
_AROUND = frozenset({r.Block, r.Branch, r.Loop, r.Switch, r.Try})
"""The statements that others stand in."""


def told_apart(body: r.Body, parameters: Iterable[str]) -> tuple[r.Body, dict[str, str]]:
    """The body with inner names of their own, and those names with what the source calls them."""
    names = dict.fromkeys(parameters, "")
    if not _may_hide(body, frozenset(), set(names)):
        return body, {}
    renaming = _Renaming()
    return renaming.body(body, {name: name for name in names}, set(names)), renaming.made


def _may_hide(body: r.Body, around: Set[str], own: set[str]) -> bool:
    """Whether some block declares a name of a block around it, before or after it. `own` are names that this one has
    already; those in it are added."""
    for statement in body:
        if type(statement) in _DECLARING:
            own.update(_declared(statement))
    if not around.isdisjoint(own):
        return True
    known: Set[str] | None = None
    for statement in body:
        if type(statement) not in _AROUND:
            continue
        for head, bodies in _scopes(statement):
            if known is None:
                known = around | own
            if not known.isdisjoint(head):
                return True
            inside = known | set(head) if head else known
            if any(one and _may_hide(one, inside, set()) for one in bodies):
                return True
    return False


def _declared(statement: r.Statement) -> Iterable[str]:
    """What a statement adds to the block that it stands in."""
    if isinstance(statement, r.Declare):
        return statement.names
    if isinstance(statement, r.Branch) and _asks_the_build(statement.condition):
        return [name for side in (statement.then, statement.other) for one in side for name in _declared(one)]
    return ()


def _bound(target: r.Value | None) -> list[str]:
    match target:
        case r.Name(text=name):
            return [name]
        case r.Aggregate(items=items):
            return [name for item in items for name in _bound(item)]
    return []


def _scopes(statement: r.Statement) -> Iterable[tuple[Sequence[str], tuple[r.Body, ...]]]:
    """The names that a statement declares for itself, with the bodies that know them."""
    match statement:
        case r.Block(body=body):
            return (((), (body,)),)
        case r.Branch(before=before, then=then, other=other):
            return (([name for one in before for name in _declared(one)], (then, other)),)
        case r.Loop(kind=kind, before=before, target=target, body=body):
            bound = _bound(target) if kind == "range" else []
            return (([*(name for one in before for name in _declared(one)), *bound], (body,)),)
        case r.Switch(cases=cases):
            return [((), (case.body,)) for case in cases]
        case r.Try(body=body, handlers=handlers):
            return [((), (body,)), *(((one.name,) if one.name else (), (one.body,)) for one in handlers)]
    return ()


class _Renaming:
    def __init__(self) -> None:
        self.made: dict[str, str] = {}
        self.unread: dict[int, bool] = {}
        """Of bodies and statements, by identity: whether something in them is a function or a class of its own."""

    def body(self, body: r.Body, known: Mapping[str, str], own: set[str]) -> r.Body:
        """`known` says what names mean around the body, `own` which of them are declared in the same block."""
        return self.block(body, dict(known), own, body)

    def block(self, body: r.Body, names: dict[str, str], own: set[str], scope: Any) -> r.Body:
        """What a side of an `#if` declares belongs to the block around it."""
        out: list[Any] = []
        for statement in body:
            if isinstance(statement, r.Declare):
                out.append(self.declare(statement, names, own, scope))
            elif isinstance(statement, r.Branch) and _asks_the_build(statement.condition):
                then, other = (self.block(side, names, own, scope) for side in (statement.then, statement.other))
                out.append(msgspec.structs.replace(statement, then=then, other=other))
            else:
                out.append(self.statement(statement, names))
        return tuple(out)

    def declare(self, statement: r.Declare, names: dict[str, str], own: set[str], scope: Any) -> r.Declare:
        for name in statement.names:
            self.begin(name, names, own, scope)
        fields = {
            "names": tuple(names[name] for name in statement.names),
            "value": self.changed(statement.value, names),
        }
        return msgspec.structs.replace(statement, **fields)

    def begin(self, name: str, names: dict[str, str], own: set[str], scope: Any) -> None:
        """From here on the name means what is declared now; `scope` is the body or statement that it is known in."""
        around = names.get(name)
        if around is None or name in own or around.count(r.INNER) >= _MOST or self.keeps(scope):
            names[name] = name if around is None else around
        else:
            names[name] = around + r.INNER
            self.made[names[name]] = name
        own.add(name)

    def keeps(self, scope: Any) -> bool:
        """Whether names in there stay as they are."""
        if id(scope) not in self.unread:
            self.unread[id(scope)] = _has_unread(scope)
        return self.unread[id(scope)]

    def statement(self, statement: Any, known: Mapping[str, str]) -> Any:
        """A statement that has a scope of its own: what it declares itself is known in all its parts."""
        names, own = dict(known), set[str]()
        fields: dict[str, Any] = {}
        if isinstance(statement, r.Branch | r.Loop):
            fields["before"] = self.block(statement.before, names, own, statement)
        if isinstance(statement, r.Loop | r.Handler):
            bound = [statement.name] if isinstance(statement, r.Handler) else _bound(statement.target)
            for name in bound if isinstance(statement, r.Handler) or statement.kind == "range" else ():
                if name:
                    self.begin(name, names, own, statement)
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


def _has_unread(part: Any) -> bool:
    """Whether something in there is read as a function or a class of its own."""
    if isinstance(part, _UNREAD):
        return True
    if isinstance(part, msgspec.Struct):
        return any(_has_unread(getattr(part, field)) for field in part.__struct_fields__)
    return isinstance(part, tuple) and any(_has_unread(one) for one in part)


def _asks_the_build(condition: r.Value) -> bool:
    while isinstance(condition, r.Unary):
        condition = condition.value
    return isinstance(condition, r.Literal) and condition.kind == "build"
