"""A body as it is written: its statements, the names it binds, what its references are bound to.

Nothing here asks in which order things run; that is what `lower` and `flow` are for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ownlint.facts import records as r
from ownlint.flow.places import Place, place_of, strip, walk
from ownlint.steps import spend


def statements(body: r.Body) -> list[r.Statement]:
    """Every statement of a body, nested ones included, in source order."""
    out: list[r.Statement] = []
    stack: list[r.Statement] = list(reversed(body))
    while stack:
        statement = stack.pop()
        out.append(statement)
        inner_bodies = _INNER.get(type(statement))
        if inner_bodies is not None:
            for inner in reversed(inner_bodies(statement)):
                stack.extend(reversed(inner))
    spend(len(out))
    return out


def scoped(body: r.Body, end: int) -> Iterator[tuple[r.Statement, int]]:
    """Every statement of a body that ends at `end`, nested ones included, and where what it declares ends."""
    stack = [(statement, end) for statement in reversed(body)]
    while stack:
        statement, end = stack.pop()
        yield statement, end
        inner_bodies = _INNER.get(type(statement))
        for inner in reversed(inner_bodies(statement)) if inner_bodies is not None else ():
            stack += [(one, statement.end) for one in reversed(inner)]


_INNER: dict[type, Callable[[Any], list[r.Body]]] = {
    r.Block: lambda block: [block.body],
    r.With: lambda block: [block.body],
    r.Branch: lambda branch: [branch.before, branch.then, branch.other],
    r.Loop: lambda loop: [loop.before, loop.body, loop.otherwise],
    r.Switch: lambda switch: [case.body for case in switch.cases],
    r.Try: lambda block: [block.body, *(h.body for h in block.handlers), block.otherwise, block.final],
}


def values(statement: r.Statement) -> Iterator[r.Value]:
    """The values a statement holds itself, not those of the statements inside it."""
    match statement:
        case r.Evaluate(value=value) | r.Branch(condition=value):
            yield value
        case r.Declare(value=value) | r.Leave(value=value):
            if value is not None:
                yield value
        case r.Loop():
            yield from (v for v in (statement.iterable, statement.condition, statement.step) if v is not None)
        case r.Switch():
            yield statement.value
            for case in statement.cases:
                yield from case.values
        case r.With(items=items):
            yield from (item.value for item in items)
        case r.Delete(targets=targets):
            yield from targets


# --- names ------------------------------------------------------------------------------------


def declared_names(
    function: r.FunctionRecord, body: r.Body, python: bool = False, *, every: Sequence[r.Statement] | None = None
) -> frozenset[str]:
    """Every name the body binds itself: parameters, locals, loop variables. In Python an assignment binds,
    unless the name is declared global. `every` saves a walk: the `statements` of the body."""
    names = {parameter.name for parameter in function.parameters}
    outside: set[str] = set()
    for statement in statements(body) if every is None else every:
        kind = type(statement)
        if kind is r.Declare:
            names.update(statement.names)  # type: ignore[union-attr]
        elif kind is r.Evaluate:
            if python:
                names.update(_assigned_in(statement))
        else:
            if python:
                names.update(_assigned_in(statement))
            names.update(_declared_by(statement))
            if kind is r.Scope:
                outside.update(statement.names)  # type: ignore[union-attr]
    return frozenset(names - outside)


def _declared_by(statement: r.Statement) -> Iterator[str]:
    match statement:
        case r.With(items=items):
            for item in items:
                yield from bound_names(item.target)
        case r.Loop(kind="range", target=target):
            yield from bound_names(target)
        case r.Try(handlers=handlers):
            yield from (handler.name for handler in handlers)
        case r.Nested(name=name):
            yield name


def hidden_names(body: r.Body, around: Iterable[str]) -> frozenset[str]:
    """Of C++: names of locals that a block inside declares once more, or that hide one of `around`. In a body where
    names stand for places, such a name stands for several, and which of them ends is not known."""
    found: set[str] = set()
    left: list[tuple[r.Body, frozenset[str]]] = [(body, frozenset(around))]
    while left:
        inside, visible = left.pop()
        own: set[str] = set()
        for statement in inside:
            declared = statement.names if isinstance(statement, r.Declare) else tuple(_declared_by(statement))
            found |= visible.intersection(declared)
            inner_bodies = _INNER.get(type(statement))
            if inner_bodies is not None:
                known = visible | own | set(declared)
                left.extend((inner, known) for inner in inner_bodies(statement) if inner)
            elif isinstance(statement, r.Declare):
                own.update(declared)
    return frozenset(found)


def bound_names(target: r.Value | None) -> Iterator[str]:
    """The names that an assignment to `target` binds: `a` and `b` of `a, (b, *c.d)`."""
    match target:
        case r.Name(text=name):
            yield name
        case r.Aggregate(items=items):
            for item in items:
                yield from bound_names(item)
        case r.Unary(op="spread" | "spread2", value=inner):
            yield from bound_names(inner)


def _assigned_in(statement: r.Statement) -> Iterator[str]:
    """Names that a statement's own expressions assign."""
    for value in values(statement):
        for inner in walk(value):
            if isinstance(inner, r.Assign):
                yield from bound_names(inner.target)


_COMPARING = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


def settled(every: Sequence[r.Statement]) -> dict[str, r.Literal]:
    """Locals that hold one constant for as long as they live: nothing but conditions asks for them by name, so that
    nobody can change them, or their type says so."""
    known: dict[str, r.Literal] = {}
    constant: set[str] = set()
    declared = Counter(name for one in every if isinstance(one, r.Declare) for name in one.names)
    declared.update(name for one in every for name in _declared_by(one))
    for one in every:
        if not isinstance(one, r.Declare) or len(one.names) != 1 or one.static or declared[one.names[0]] != 1:
            continue
        if isinstance(one.value, r.Literal) and one.value.kind in ("bool", "int") and "*" not in one.type:
            known[one.names[0]] = one.value
            constant |= set(one.names) if _CONSTANT.search(one.type) else set()
    if not known:
        return known
    mentioned: Counter[str] = Counter()
    for value in (value for one in every for value in values(one)):
        for inner in walk(value):
            match inner:
                case r.Name(text=name):
                    mentioned[name] += 1
                case r.Lambda(captures=captures):
                    mentioned.update({capture.name for capture in captures})
                case r.OpaqueValue(names=names):
                    mentioned.update(names)
    asked = Counter(name for one in every if isinstance(one, r.Branch | r.Loop) for name in _only_asked(one.condition))
    mentioned.update(name for one in every if isinstance(one, r.Opaque) for name in one.names)
    lent = "&" in mentioned  # a lambda that captures whatever it likes
    return {
        name: value
        for name, value in known.items()
        if name in constant or (not lent and mentioned[name] == asked[name])
    }


def never_null(every: Sequence[r.Statement], is_never_null: Callable[[r.Value | None], bool]) -> frozenset[str]:
    """Locals that are given a value once, of which `is_never_null` holds, and whose address is not taken."""
    found: set[str] = set()
    for one in every:
        match one:
            case r.Declare(names=(name,), value=value, static=False) if is_never_null(strip(value)):
                found.add(name)
            case r.Assign(target=r.Name(text=name), op="=", value=value) if is_never_null(strip(value)):
                found.add(name)
    if not found:
        return frozenset()
    declared = Counter(name for one in every if isinstance(one, r.Declare) for name in one.names)
    declared.update(name for one in every for name in _declared_by(one))
    given = Counter(name for one in every if isinstance(one, r.Declare) and one.value is not None for name in one.names)
    for value in (value for one in every for value in values(one)):
        for inner in walk(value):
            match inner:
                case r.Assign(target=r.Name(text=name)):
                    given[name] += 1
                case r.Unary(op="&", value=r.Name(text=name)):
                    found.discard(name)
                case r.Lambda(captures=captures):
                    found.difference_update(one.name for one in captures if one.by_reference)
                    if any(one.name == "&" for one in captures):
                        return frozenset()
    return frozenset(name for name in found if declared[name] == given[name] == 1)


_CONSTANT = re.compile(r"\bconst(expr)?\b")


def _only_asked(value: r.Value | None) -> Iterator[str]:
    """Names that a condition asks for what they hold."""
    match value:
        case r.Name(text=name):
            yield name
        case r.Unary(op="!", value=inner):
            yield from _only_asked(inner)
        case r.Binary(op=op, left=left, right=right) if op in _COMPARING:
            yield from _only_asked(left)
            yield from _only_asked(right)


# --- references -------------------------------------------------------------------------------


def reference_aliases(
    every: Sequence[r.Statement],
    members: frozenset[str],
    accessors: Mapping[str, Place] = MappingProxyType({}),
) -> dict[str, Place]:
    """What C++ references (and pointers that are never set again) are bound to, and, among them, the calls of
    `accessors`.

    A reference is bound once, so this needs no flow. A name declared twice with different targets
    is dropped: it may be either.
    """
    return _References(every, members, accessors).found


class _References:
    def __init__(self, every: Sequence[r.Statement], members: frozenset[str], accessors: Mapping[str, Place]) -> None:
        self.every = every
        self.members = members
        self.found: dict[str, Place] = dict(accessors)
        self.dropped: set[str] = set()
        self.assigned: frozenset[str] | None = None
        for statement in every:
            kind = type(statement)
            if kind is r.Declare:
                self.declare(statement)  # type: ignore[arg-type]
            elif kind is r.Loop:
                self.loop(statement)  # type: ignore[arg-type]

    def declare(self, statement: r.Declare) -> None:
        if len(statement.names) != 1:
            return
        name, value = statement.names[0], statement.value
        if value is not None and statement.type.rstrip().endswith("&"):
            if isinstance(value, r.Call) and value.kind == "construct" and len(value.args) == 1:
                value = value.args[0]
            self.bind(name, self.place(value))
        elif self.is_address(statement, value) and not self.is_assigned(name):
            self.bind(name, self.place(value))
        elif name in self.found:
            self.bind(name, None)

    def is_address(self, statement: r.Declare, value: r.Value | None) -> bool:
        """A pointer to what has a name: `T* p = &x`, or to what an accessor stands for: `T* p = Table::Get()`."""
        if "*" not in statement.type:
            return False
        if isinstance(value, r.Call) and isinstance(value.callee, r.Name):
            return value.callee.text.removeprefix("::") + "()" in self.found
        return isinstance(value, r.Unary) and value.op == "&"

    def loop(self, statement: r.Loop) -> None:
        if statement.kind != "range" or "&" not in statement.type:
            return
        place = self.place(statement.iterable)
        if place is None:
            return
        names = list(bound_names(statement.target))
        if len(names) == 1:
            self.bind(names[0], (*place, "[*]"))
        elif len(names) == 2:
            self.bind(names[0], (*place, "[*]", "first"))
            self.bind(names[1], (*place, "[*]", "second"))

    def place(self, value: r.Value | None) -> Place | None:
        return place_of(value, self.found, self.members)

    def bind(self, name: str, place: Place | None) -> None:
        if place is None or place[0] == name or name in self.dropped or self.found.get(name, place) != place:
            self.dropped.add(name)
            self.found.pop(name, None)
        else:
            self.found[name] = place

    def is_assigned(self, name: str) -> bool:
        if self.assigned is None:
            self.assigned = frozenset(name for statement in self.every for name in _assigned_in(statement))
        return name in self.assigned
