"""Values that come with their lock: what leads into one is good as long as the object that holds the lock for it.

`players.wlock()` answers a guard, through which the value is reached. As a temporary it lets go at the end of its
statement, as a local at the end of its block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, mutexes, patterns, places, questions, types
from ownlint import events as e
from ownlint import records as r


class UnguardedWay(NamedTuple):
    """A way into the value is used, or returned, where its guard is gone."""

    event: e.Event
    bound: e.Event | None
    """Where a local was bound to it; None where it is returned at once."""
    name: str
    member: str


def loose(function: Function) -> Iterator[UnguardedWay]:
    words = _words(function.program)
    if words is None or not function.says(words):
        return
    guards = dict(_guards(function))
    for event in function.flow.writes:
        name = event.place[0]
        is_way = len(event.place) == 1 and function.is_local(event.place) and name not in guards
        if is_way and _leads_in(function, event.value, _written(function, event), guards) is not None:
            yield from _used(function, event, name, event.value, guards)
    for statement in function.statements:
        if isinstance(statement, r.Declare) and len(statement.names) == 1 and statement.names[0] in function.locals:
            name, value = statement.names[0], statement.value
            is_alias = "&" in statement.type and name not in {write.place[0] for write in function.flow.writes}
            if is_alias and _leads_in(function, value, statement.type, guards) is not None and value is not None:
                at = [one for one in function.flow if value.start <= one.span.start and one.span.end <= value.end]
                if at:
                    yield from _used(function, max(at, key=lambda one: one.index), name, value, guards)
    result = function.record.result
    for leave in function.flow.leaves:
        if leave.kind == "return" and result and (on := _leads_in(function, leave.value, result, guards)) is not None:
            yield UnguardedWay(leave, None, "", _member(function, on, guards))


def changes(program: Program, member: str) -> tuple[Function, e.CallEvent] | None:
    """Where the value is locked to be changed."""
    return _changing(program).get(member)


@questions.program_question
def _changing(program: Program) -> dict[str, tuple[Function, e.CallEvent]]:
    words = _words(program)
    found: dict[str, tuple[Function, e.CallEvent]] = {}
    for function in program.functions if words is not None else ():
        if function.language == "cpp" and words is not None and function.says(words):
            for call in function.flow.calls:
                on = _locked(function, call.node)
                if on is not None and not mutexes.shares(call.node):
                    found.setdefault(places.last_name(on), (function, call))
    return found


@questions.program_question
def _words(program: Program) -> patterns.AnyName | None:
    """Stands in every body that names a member or variable whose value comes with its lock."""
    kinds = program.models.names_of("synchronized")
    declared = [(field.name, field.type) for cls in program.classes for field in cls.record.fields]
    declared += [(variable.name, variable.type) for file in program.files.values() for variable in file.variables]
    names = sorted({name for name, written in declared if types.parse(written).last in kinds})
    return patterns.strings(names) if names else None


# --- guards -----------------------------------------------------------------------------------------


def _locked(function: Function, call: r.Value | None) -> r.Value | None:
    """The value that a call locks for as long as what it answers lives."""
    inner = places.strip(call)
    if not isinstance(inner, r.Call) or not isinstance(inner.callee, r.Member) or inner.args:
        return None
    if not any(model.has("borrow") for model in function.program.calls.callee(inner, function).models):
        return None
    written = function.program.types.of(inner.callee.base, function)
    return inner.callee.base if "synchronized" in function.program.types.roles(written, function) else None


def _guards(function: Function) -> Iterator[tuple[str, r.Value]]:
    """The locals that are guards, each with what it locks."""
    for name, (_, initial) in function.locals.items():
        if (on := _locked(function, initial)) is not None:
            yield name, on


def _written(function: Function, write: e.Write) -> str:
    return write.type or function.locals.get(write.place[0], ("", None))[0]


def _leads_in(function: Function, value: r.Value | None, wanted: str, guards: dict[str, r.Value]) -> r.Value | None:
    """The guard, or what is locked by a temporary one, through which a value of the wanted type leads."""
    inner = places.strip(value)
    if inner is None or _locked(function, inner) is not None:
        return None
    kind = types.parse(wanted)
    is_address = isinstance(inner, r.Unary) and inner.op == "&"
    if kind.pointers or (kind.is_placeholder and kind.is_value):
        methods = function.program.models.containers
        called = places.last_name(inner.callee) if isinstance(inner, r.Call) else ""
        if not is_address and called not in methods.iterators | {"get", "data", "c_str"}:
            return None
    elif kind.reference:
        called = places.last_name(inner.callee) if isinstance(inner, r.Call) else ""
        if called and called not in function.program.models.containers.places:
            return None  # a value, as far as anybody can tell, which lives as long as the reference
    elif not kind.last.endswith("iterator"):
        return None
    return _root(function, inner, guards)


def _root(function: Function, value: r.Value, guards: dict[str, r.Value]) -> r.Value | None:
    inner: r.Value | None = value
    while inner is not None:
        if _locked(function, inner) is not None:
            return inner
        match inner:
            case r.Name(text=name):
                return inner if name in guards else None
            case r.Unary(op="&" | "*", value=base) | r.Index(base=base) | r.Member(base=base):
                inner = places.strip(base)
            case r.Call(callee=r.Member(base=base)):
                inner = places.strip(base)
            case _:
                return None
    return None


def _member(function: Function, on: r.Value, guards: dict[str, r.Value]) -> str:
    locked = guards[on.text] if isinstance(on, r.Name) else _locked(function, on)
    return places.last_name(locked)


def _used(
    function: Function, bound: e.Event, name: str, value: r.Value | None, guards: dict[str, r.Value]
) -> Iterator[UnguardedWay]:
    """The first use of a local where the guard that it was got through is gone."""
    on = _root(function, inner, guards) if (inner := places.strip(value)) is not None else None
    if on is None:
        return
    flow = function.flow
    starts = [bound]
    if isinstance(on, r.Name):
        starts = [one for one in flow.after(bound) if isinstance(one, e.End) and one.place == (on.text,)]
    for start in starts:
        for later in flow.after(start, lambda one: isinstance(one, e.Write) and one.place == (name,)):
            if isinstance(later, e.Read | e.Write) and later.place[0] == name and later.span.start > bound.span.start:
                yield UnguardedWay(later, bound, name, _member(function, on, guards))
                return
