"""Ways into a guarded container that leave a `with` of Python: its live views, lazy iterators over it, and itself.

`dict.items()` copies nothing, and neither does `zip` or a generator. Code that iterates over one after the lock was
released sees the container change: a `RuntimeError` now and then, or some of the entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, assignments, locks, places, python_locks, questions
from ownlint import events as e
from ownlint import records as r


class LiveView(NamedTuple):
    """A way into what a lock guards is there when that lock is released: `event` returns it, or uses it."""

    event: e.Event
    member: str
    lock: str
    what: str
    """`a view` or `an iterator`; empty for the container itself."""
    name: str
    """The local that is used; empty where it is returned."""
    bound: e.Event | None
    """Where the local was bound."""
    changed: Function
    change: e.Event


class _LiveWay(NamedTuple):
    member: str
    what: str


def escaping(function: Function) -> Iterator[LiveView]:
    """Those of a method, in source order."""
    cls = function.cls
    if cls is None or function.language != "python" or not python_locks.takings(function):
        return
    if function.record.kind != "method":
        return
    held = locks.held(function)
    for leave in function.flow.leaves:
        way = _way(function, leave.value) if leave.kind == "return" else None
        found = _judged(function, cls, way, held.get(leave.index, frozenset())) if way is not None else None
        if way is not None and found is not None:
            lock, other = found
            yield LiveView(leave, way.member, lock, way.what, "", None, other.function, other.event)
    for write in function.flow.writes:
        is_local = len(write.place) == 1 and function.is_local(write.place)
        way = _way(function, write.value) if is_local else None
        found = _judged(function, cls, way, held.get(write.index, frozenset())) if way is not None else None
        if way is None or found is None:
            continue
        lock, other = found
        if (used := _used_later(function, write, lock, held)) is not None:
            yield LiveView(used, way.member, lock, way.what, write.place[0], write, other.function, other.event)


class HandedContainer(NamedTuple):
    """`function` hands the container `member` to an object at an event, which keeps it: `user`, a method of that, goes
    through it at `use` without a lock, while `changed` changes it under the lock."""

    event: e.Event
    member: str
    lock: str
    user: Function
    use: e.Event
    changed: Function
    change: e.Event


def handed(function: Function) -> Iterator[HandedContainer]:
    """Those of a method, in source order."""
    cls = function.cls
    if cls is None or function.language != "python" or function.record.kind not in ("method", "constructor"):
        return
    for call in function.flow.calls:
        for index, argument in enumerate(call.node.args):
            way = _way(function, argument)
            other = _changed_under_one(cls, way.member) if way is not None and way.what in ("", "a view") else None
            kept = _kept_by(function, call.node, index) if other is not None else None
            use = _gone_through(*kept) if kept is not None else None
            if way is not None and other is not None and use is not None and use[0].cls is not cls:
                yield HandedContainer(call, way.member, min(other.locks), *use, other.function, other.event)


def _changed_under_one(cls: Class, member: str) -> _MemberChange | None:
    """Where the container is changed, if one lock is held wherever that is."""
    changes = _known(cls.program).ask(cls, lambda: _changes(cls)).get(member, [])
    always = frozenset.intersection(*(one.locks for one in changes)) if changes else frozenset[str]()
    return changes[0]._replace(locks=always) if always else None


def _kept_by(function: Function, call: r.Call, index: int) -> tuple[Class, str] | None:
    """The class whose object keeps an argument, and the attribute: of one that is made, or whose method is called."""
    name = places.last_name(call.callee)
    made = [one for one in function.program.classes if one.name == name and one.file.language == "python"]
    callees = [one for cls in made for one in cls.methods if one.name == "__init__"]
    if not made and isinstance(call.callee, r.Member):
        callees = [one for one in function.program.index.functions_called(name) if one.language == "python"]
    if len(callees) != 1 or (home := callees[0].cls) is None:
        return None
    given = callees[0].record.parameters[index + 1 : index + 2]
    for write in callees[0].flow.writes if given else ():
        value = places.strip(write.value)
        own = len(write.place) == 2 and write.place[0] == places.THIS
        if own and isinstance(value, r.Name) and value.text == given[0].name:
            return home, write.place[1]
    return None


def _gone_through(cls: Class, attribute: str) -> tuple[Function, e.Event] | None:
    """Where a method goes through what an attribute keeps, and holds no lock, nor do those that call it."""
    for method in cls.methods:
        if f'"{attribute}"'.encode() not in method.encoded or method.name == "__init__":
            continue
        held = locks.held(method)
        for event in method.flow:
            value = event.value if isinstance(event, e.Write | e.LeaveEvent) else None
            gone = [inner.base for inner in places.walk(value) if isinstance(inner, r.Index) and not inner.indexes]
            gone += [
                clause.iterable
                for inner in places.walk(value)
                if isinstance(inner, r.Comprehension)
                for clause in inner.clauses
            ]
            ways = (_way(method, one) for one in gone)
            if any(one is not None and one.member == attribute for one in ways) and not held.get(event.index):
                callers = method.program.index.callers(method)
                if not any(python_locks.takings(one) for one in callers):
                    return method, event
    return None


def _used_later(function: Function, write: e.Write, lock: str, held: dict[int, locks.Locks]) -> e.Event | None:
    """The first event behind which the container is gone through, or looked at, without the lock."""

    def rebinds(event: e.Event) -> bool:
        return isinstance(event, e.Write) and event.place == write.place and event is not write

    for event in sorted(function.flow.after(write, rebinds), key=lambda one: one.index):
        is_bare = event.index in held and not locks.holds(held[event.index], lock)
        if is_bare and isinstance(event, e.Read) and event.place[:1] == write.place:
            return event
    return None


def _way(function: Function, value: r.Value | None) -> _LiveWay | None:
    """The member of `self` into which a value leads, without a copy."""
    match places.strip(value):
        case r.Member() as member:
            where = assignments.place(function, member)
            return _LiveWay(where[1], "") if where is not None and len(where) == 2 and where[0] == places.THIS else None
        case r.Call(callee=r.Member(base=base, name=name), args=()) if name in function.container_methods.lends:
            inner = _way(function, base)
            return _LiveWay(inner.member, "a view") if inner is not None else None
        case r.Call(callee=r.Name() | r.Member() as callee, args=args) if (
            leads := _leads(function, callee)
        ) is not None:
            found = (_way(function, one) for one in args[leads.at :])
            inner = next((one for one in found if one is not None), None)
            return _LiveWay(inner.member, leads.what) if inner is not None else None
        case r.Comprehension(kind="generator", clauses=(first, *_)):
            inner = _way(function, first.iterable)
            return _LiveWay(inner.member, "an iterator") if inner is not None else None
    return None


class _Leading(NamedTuple):
    at: int
    what: str


def _leads(function: Function, callee: r.Name | r.Member) -> _Leading | None:
    """The argument from which on a function answers a view of what it is given, or an iterator that goes through it as
    it is asked."""
    symbol = function.program.names.named(function.file, callee)
    if not symbol and not isinstance(callee, r.Name):
        return None
    name = symbol if "." in symbol else f"builtins.{places.last_name(callee)}"
    for model in function.program.models.function(name, "python"):
        if model.lender is not None:
            return _Leading(model.lender, "a view" if model.result == "view" else "an iterator")
    return None


def _judged(function: Function, cls: Class, way: _LiveWay, here: locks.Locks) -> tuple[str, _MemberChange] | None:
    """The lock that is held here under which another method changes the container, and never without it; and where."""
    if any(write.place == (places.THIS, way.member) for write in function.flow.writes):
        return None  # it takes the container out, and leaves another one in its place
    names = {one.lock[-1] for one in here if one.lock[0] == places.THIS}
    changes = _known(cls.program).ask(cls, lambda: _changes(cls)).get(way.member, ())
    for lock in sorted(names):
        under = [one for one in changes if lock in one.locks]
        other = next((one for one in under if one.function is not function), None)
        if other is not None and len(under) == len(changes):
            return lock, other
    return None


class _MemberChange(NamedTuple):
    function: Function
    event: e.Event
    locks: frozenset[str]


@questions.program_question
def _known(_: Program) -> questions.Answers[Class, dict[str, list[_MemberChange]]]:
    return questions.Answers()


def _changes(cls: Class) -> dict[str, list[_MemberChange]]:
    """By attribute of `self`: where methods put something into the container or take something out, with the locks of
    the object that are held there."""
    found: dict[str, list[_MemberChange]] = {}
    for method in cls.methods:
        if method.name in ("__init__", "__new__", "__setstate__", "__del__"):
            continue
        held = None
        for event in method.flow:
            member = _changed(method, event)
            if not member:
                continue
            held = locks.held(method) if held is None else held
            own = frozenset(one.lock[-1] for one in held.get(event.index, ()) if one.lock[0] == places.THIS)
            found.setdefault(member, []).append(_MemberChange(method, event, own))
    return found


def _changed(method: Function, event: e.Event) -> str:
    """The attribute of whose container an event changes the contents; empty for none."""
    known = method.container_methods
    match event:
        case e.CallEvent(receiver=(places.THIS, member), node=node):
            name = places.last_name(node.callee)
            return member if name in known.keyed | known.appends | known.takes else ""
        case e.Write(place=(places.THIS, member, step, *_)) | e.End(place=(places.THIS, member, step, *_)):
            return member if step.startswith("[") else ""
    return ""
