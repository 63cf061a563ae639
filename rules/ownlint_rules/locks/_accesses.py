"""Where a body goes through a pointer, a reference or a view that it was given, or that its object keeps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ownlint import Class, Function, Span, bodies, glance, places, types
from ownlint import events as e
from ownlint import records as r


class KeptAccess(NamedTuple):
    """A function goes through what is kept; `path` are the fields that it comes to, empty for all of it."""

    function: Function
    at: e.Event
    span: Span
    path: tuple[str, ...]
    method: Function | None = None
    """The project's own method that is called on it."""
    writes: bool = False
    inside: tuple[KeptAccess, ...] = ()
    """Where a function that is given it by this one goes through it."""


def accesses_in(
    function: Function,
    names: frozenset[str],
    field: str,
    direct: bool,
    owner: Class | None = None,
    lenders: frozenset[str] = frozenset(),
    within: tuple[Function, ...] = (),
) -> Iterator[KeptAccess]:
    """Where a body goes through a pointer, a reference or a view: a member of its object, or a name in it. `within`
    are the functions that hand it on, one to the next: what these are given again is read already."""
    if glance.said_names(function).isdisjoint({*names, *lenders, *([field] if field else ())}):
        return
    reader = AccessReader(function, names, field, direct, owner, lenders, within)
    for event in function.flow:
        whole = event.node if isinstance(event, e.Read) else event.target if isinstance(event, e.Write) else None
        if reader.is_object(whole) and not reader.is_handed_on(whole):
            yield KeptAccess(function, event, event.span, (), writes=isinstance(event, e.Write))
    for statement in function.statements:
        for value in bodies.values(statement):
            assigned = {
                id(part) for one in places.walk(value) if isinstance(one, r.Assign) for part in places.walk(one.target)
            }
            for node in places.walk(value):
                inner = reader.read_by(node) if isinstance(node, r.Call) else ()
                path = reader.through(node) if not inner else ()
                inside = (x for x in function.flow if node.start <= x.span.start and x.span.end <= node.end)
                first = next(inside, None) if path is not None else None
                if path is not None and first is not None:
                    writes = id(node) in assigned or _changes(function, node) or any(one.writes for one in inner)
                    yield KeptAccess(function, first, node.span, path, reader.method(node), writes, inner)


def _changes(function: Function, node: r.Value) -> bool:
    """Whether a call is of a container's method that changes it."""
    methods = function.program.models.containers
    changing = methods.keyed | methods.appends | methods.grows | methods.erases | methods.clears
    return isinstance(node, r.Call) and isinstance(node.callee, r.Member) and node.callee.name in changing


class AccessReader:
    def __init__(
        self,
        function: Function,
        names: frozenset[str],
        field: str,
        direct: bool,
        owner: Class | None = None,
        lenders: frozenset[str] = frozenset(),
        within: tuple[Function, ...] = (),
    ) -> None:
        self.function = function
        self.within = (*within, function)
        inside = owner is None or (function.home is not None and owner in function.home.ancestry)
        self.field = field if inside and field not in function.declared else ""
        self.foreign = field if not inside else ""
        self.owner = owner
        self.lenders = lenders if inside else frozenset()
        self.direct = direct
        self.pointers = frozenset() if direct else names
        self.objects = names if direct else frozenset()
        for name, (written, initial) in function.locals.items():
            kind, inner = types.parse(written), places.strip(initial)
            if inner is None:
                continue
            pointee = inner.value if isinstance(inner, r.Unary) and inner.op == "*" else None
            if kind.reference and (self.is_pointer(pointee) or self.is_object(inner)):
                self.objects |= {name}
            elif not kind.reference and self.is_pointer(inner):
                self.pointers |= {name}

    def _is_kept(self, value: r.Value | None) -> bool:
        match places.strip(value):
            case r.Name(text=name):
                return name == self.field and bool(name)
            case r.Member(base=r.Name(text=places.THIS), name=name):
                return name == self.field and bool(name)
            case r.Call(callee=r.Name(text=name) | r.Member(base=r.Name(text=places.THIS), name=name), args=()):
                return name in self.lenders
            case r.Member(base=base, name=name) if name == self.foreign:
                return self._is_owner(base)
        return False

    def _is_owner(self, value: r.Value) -> bool:
        """Whether an expression is an object of the class that has the field, or a pointer to one."""
        written = self.function.program.types.of(value, self.function)
        kind = types.parse(written)
        return self.owner is not None and self.owner.name in (kind.last, *(types.parse(a).last for a in kind.arguments))

    def is_pointer(self, value: r.Value | None) -> bool:
        inner = places.strip(value)
        named = isinstance(inner, r.Name) and inner.text in self.pointers
        return named or (not self.direct and self._is_kept(inner))

    def is_object(self, value: r.Value | None) -> bool:
        inner = places.strip(value)
        named = isinstance(inner, r.Name) and inner.text in self.objects
        return named or (self.direct and self._is_kept(inner))

    def through(self, node: r.Value) -> tuple[str, ...] | None:
        """The fields to which an expression comes through what is kept; None when it does not go there."""
        match node:
            case r.Call(callee=r.Member(base=base)) if self.is_pointer(base) or self.is_object(base):
                return ()
            case r.Member(base=base, name=name) if self.is_pointer(base) or self.is_object(base):
                return (name,)
            case r.Index(base=base) if self.is_pointer(base) or self.is_object(base):
                return ()
            case r.Unary(op="*", value=inner) if self.is_pointer(inner) or self.is_object(inner):
                return () if id(node) not in self._lent else None
        return None

    def read_by(self, call: r.Call) -> tuple[KeptAccess, ...]:
        """Where a function that is given it goes through it; of one that hands it on, the first place alone."""
        found: list[KeptAccess] = []
        for arg, target, parameter in self._given(call):
            direct = self.is_object(arg) or self._is_pointee(arg)
            if direct or self.is_pointer(arg):
                reads = accesses_in(target, frozenset({parameter.name}), "", direct, within=self.within)
                found += islice(reads, 1 if len(self.within) > 1 else None)
        return tuple(found)

    def _given(self, call: r.Call) -> Iterator[tuple[r.Value, Function, r.Parameter]]:
        """The arguments of a call of the project's own function, with the parameters that get them."""
        for target in self.function.program.calls.callee(call, self.function).functions[:1]:
            if target not in self.within and target.record.kind != "constructor":
                for arg, parameter in zip(call.args, target.record.parameters, strict=False):
                    yield arg, target, parameter

    def _is_pointee(self, value: r.Value) -> bool:
        inner = places.strip(value)
        return isinstance(inner, r.Unary) and inner.op == "*" and self.is_pointer(inner.value)

    @cached_property
    def _lent(self) -> frozenset[int]:
        """What is given by reference to the project's own functions: they decide what is read of it."""
        return frozenset(
            id(places.strip(arg))
            for statement in self.function.statements
            for value in bodies.values(statement)
            for call in places.calls_in(value)
            for arg, _target, parameter in self._given(call)
            if self._is_pointee(arg) and types.parse(parameter.type).reference
        )

    def is_handed_on(self, value: r.Value | None) -> bool:
        """Whether only the address of an object goes on, to a call, a reference or a caller."""
        return value is not None and value.start in self._handed_on

    @cached_property
    def _handed_on(self) -> frozenset[int]:
        found: set[int] = set()
        by_reference = not types.parse(self.function.record.result).is_value
        for statement in self.function.statements:
            if isinstance(statement, r.Declare) and statement.value is not None:
                found.add(statement.value.start)
            if isinstance(statement, r.Leave) and statement.value is not None and by_reference:
                found.add(statement.value.start)
            for value in bodies.values(statement):
                for inner in places.walk(value):
                    if isinstance(inner, r.Call):
                        found.update(arg.start for arg in inner.args)
                    if isinstance(inner, r.Unary) and inner.op == "&":
                        found.add(inner.value.start)
        return frozenset(found)

    def method(self, node: r.Value) -> Function | None:
        if isinstance(node, r.Call) and isinstance(node.callee, r.Member):
            return next(iter(self.function.program.calls.callee(node, self.function).functions), None)
        return None
