"""What a guarded container leads to, and another function frees under the same lock: a pointer to it that is still used
when the lock is released.

The container is a member of a struct that has its lock beside it: an array of buckets, a list of nodes, a table of a
library. `s = find(t, key); unlock(&t->lock); return s;` here, `free(s)` under `t->lock` there. A function that counts
a reference while the lock is held, or takes the element out, keeps it alive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Function,
    Place,
    Program,
    assignments,
    habits,
    locks,
    pairs,
    places,
    questions,
    resources,
    types,
)
from ownlint import events as e
from ownlint import records as r

_DEEPEST = 3
"""So many helpers that look an element up are followed into each other."""
_PLACES = (r.Name, r.Member, r.Index, r.Unary)
_RETAINS = frozenset(
    {
        "ref",
        "get",
        "retain",
        "acquire",
        "hold",
        "addref",
        "incref",
        "pin",
        "keep",
        "grab",
        "use",
        "inc",
        "add",
        "up",
        "take",
    }
)
"""Words of functions that count their caller in."""


class Freeing(NamedTuple):
    function: Function
    event: e.CallEvent
    element: str
    """The last name of the class of what is freed."""


class LooseElement(NamedTuple):
    """`name` leads to an element of `member`, and is used at `event`, where `lock` is no longer held."""

    name: str
    member: str
    lock: str
    bound: e.Event
    event: e.Event
    freeing: Freeing


def escaping(function: Function) -> Iterator[LooseElement]:
    """The first use of each local without the lock under which it was looked up."""
    if function.record.kind in ("constructor", "destructor") or not locks.locking(function.program).may_lock(function):
        return
    roots = [places.THIS, *(one.name for one in function.record.parameters if "*" in one.type)]
    homes = {root: cls for root in roots if (cls := _class_of(function, root)) is not None and _freeing(cls)}
    led = {name: way for name, way in _led(function).items() if way[0] in homes} if homes else {}
    if not led:
        return
    held = locks.held(function)
    for name, (root, member) in sorted(led.items()):
        found = _freed_of(homes[root]).get(member)
        if found is None or _takes_out(function, root, member, name):
            continue
        lock, freeing = found
        if freeing.function is function or not _is_element(function, name, freeing):
            continue
        if _retains(function, name, held, root, lock):
            continue
        for write in function.flow.writes_to((name,)):
            if not _is_held(held.get(write.index, frozenset()), root, lock):
                continue
            event = _loose(function, write, name, root, lock, held)
            if event is not None and (
                _is_held(held[event.index], root, lock) or _is_released_with_it(function, write, name, root, lock, held)
            ):
                yield LooseElement(name, member, lock, write, event, freeing)
                break


def _loose(
    function: Function, write: e.Write, name: str, root: str, lock: str, held: dict[int, locks.Locks]
) -> e.Event | None:
    """The first event behind the write that returns the local, or follows it, where the lock is not held."""

    def rebinds(event: e.Event) -> bool:
        return isinstance(event, e.Write) and event.place == (name,) and event is not write

    for event in sorted(function.flow.after(write, rebinds), key=lambda one: one.index):
        if event.index not in held:
            continue
        if isinstance(event, e.LeaveEvent):  # what a local guard holds ends with the function
            by_hand = frozenset(one for one in held[event.index] if one.guard not in function.locals)
            if event.kind == "return" and places.is_name(event.value, name) and not _is_held(by_hand, root, lock):
                return event
            continue
        if _is_held(held[event.index], root, lock):
            continue
        match event:
            case e.Read(place=place) | e.Write(place=place) if len(place) > 1 and place[0] == name:
                return event
    return None


def _is_released_with_it(
    function: Function, write: e.Write, name: str, root: str, lock: str, held: dict[int, locks.Locks]
) -> bool:
    """Whether the lock is released elsewhere than where the local is known to be null, or not to be:
    `if (!s) unlock(&t->lock);`."""
    for event in function.flow.after(write):
        if not isinstance(event, e.CallEvent | e.End):
            continue
        following = [held.get(to, frozenset()) for to, _ in function.flow.successors[event.index]]
        if not _is_held(held.get(event.index, frozenset()), root, lock) or all(
            _is_held(one, root, lock) for one in following
        ):
            continue
        if not any(name in places.names_in(test.value) for test, _ in function.flow.guards(event)):
            return True
    return False


def _is_held(held: locks.Locks, root: str, lock: str) -> bool:
    return any(one.lock == (root, lock) for one in held)


# --- what leads to an element ---


@questions.flow_question
def _led(function: Function) -> dict[str, tuple[str, str]]:
    """The local pointers that lead to an element of a member of a parameter or of `this`: its root and the member."""
    found: dict[str, tuple[str, str]] = {}
    writes = [
        w
        for w in function.flow.writes
        if len(w.place) == 1 and w.value is not None and w.place[0] in function.locals
        if not isinstance(places.strip(w.target), r.Unary)  # `*copy = *found` copies the element
    ]
    changed = True
    while changed:
        changed = False
        for write in writes:
            name = write.place[0]
            if name not in found and _points(function, name) and (led := _leads(function, write.value, found)):
                found[name] = led
                changed = True
    return found


def _points(function: Function, name: str) -> bool:
    kind = types.parse(function.locals[name][0])
    return kind.pointers > 0 or kind.is_placeholder


def _leads(
    function: Function, value: r.Value | None, led: dict[str, tuple[str, str]], depth: int = 0
) -> tuple[str, str] | None:
    """The root and the member of which a value is an element."""
    inner = places.strip(value)
    if isinstance(inner, r.Name) and inner.text in led:
        return led[inner.text]
    where = assignments.place(function, inner) if isinstance(inner, _PLACES) else None
    if where is not None and where[0] in led:
        return led[where[0]]
    if where is not None and len(where) > 1:
        return (where[0], where[1]) if _is_root(function, where[0]) else None
    if not isinstance(inner, r.Call) or inner.kind != "call" or depth > _DEEPEST:
        return None
    for index, argument in enumerate(inner.args):
        if (found := _led_by(function, inner, index, argument)) is not None:
            return found
    return None


def _led_by(function: Function, call: r.Call, index: int, argument: r.Value) -> tuple[str, str] | None:
    """The same, of a call that looks something up in what it is given."""
    callees = function.program.calls.callee(call, function).functions
    inner = places.strip(argument)
    if isinstance(inner, r.Name) and _is_root(function, inner.text) and len(callees) == 1:
        member = _looks_up(callees[0], index)
        return (inner.text, member) if member else None
    return None


@questions.flow_question
def _looks_up(callee: Function, index: int) -> str:
    """The member of parameter `index` (from 0) of which a function answers an element; empty where it does not."""
    parameters = callee.record.parameters
    if index >= len(parameters) or not types.parse(callee.record.result).pointers:
        return ""
    led = _led(callee)
    found = {
        led[inner.text]
        for leave in callee.flow.leaves
        if isinstance(inner := places.strip(leave.value), r.Name) and inner.text in led
    }
    members = {member for root, member in found if root == parameters[index].name}
    return members.pop() if len(members) == 1 and len(found) == 1 else ""


def _is_root(function: Function, name: str) -> bool:
    return name == places.THIS or any(
        one.name == name and types.parse(one.type).pointers == 1 for one in function.record.parameters
    )


def _class_of(function: Function, root: str) -> Class | None:
    if root == places.THIS:
        return function.home
    parameter = next((one for one in function.record.parameters if one.name == root), None)
    if parameter is None:
        return None
    name = types.parse(function.program.names.expand(parameter.type, function.file, function.record.scope)).name
    return function.program.names.find_class(name.removeprefix("struct "), function.record.scope, function.file)


def _is_element(function: Function, name: str, freeing: Freeing) -> bool:
    kind = types.parse(function.locals[name][0])
    return kind.is_placeholder or (kind.pointers == 1 and kind.last == freeing.element)


# --- what keeps it alive ---


def _takes_out(function: Function, root: str, member: str, name: str) -> bool:
    """Whether the function unlinks an element: it writes into the container, or its nodes, what another one holds."""
    led = _led(function)
    for write in function.flow.writes:
        inside = write.place[:2] == (root, member) or (len(write.place) > 1 and write.place[0] in led)
        inner = places.strip(write.value)
        if (
            inside
            and not write.fresh
            and (
                isinstance(inner, (r.Member, r.Index, r.Unary))
                or (isinstance(inner, r.Name) and inner.text in led and inner.text != name)
                or (isinstance(inner, r.Literal) and inner.kind == "null")
            )
        ):
            where = assignments.place(function, inner)
            if where is None or where[0] in led:
                return True
    erases = function.program.models.containers.takes
    for call in function.flow.calls:
        called = places.last_name(call.node.callee)
        if called in erases or not _TAKES.isdisjoint(pairs.words(called)):
            return True
    return False


_TAKES = frozenset(
    {"del", "remove", "erase", "unlink", "pop", "detach", "take", "extract", "dequeue", "shift", "steal"}
)


def _retains(function: Function, name: str, held: dict[int, locks.Locks], root: str, lock: str) -> bool:
    """Whether a number of the element is counted up, or a function that does so is given it, or a method of it counts a
    user while the lock is held: after that it comes too late."""
    for event in function.flow:
        match event:
            case e.Write(place=(first, _, *_), op="++" | "+=") if first == name:
                return True
            case e.CallEvent(node=call) if any(name in places.names_in(one) for one in call.args):
                called = places.last_name(call.callee)
                if not _RETAINS.isdisjoint(pairs.words(called)) or pairs.releasing_verb(called):
                    return True
            case e.CallEvent(node=call, receiver=(first, *_)) if first == name:
                if _is_held(held.get(event.index, frozenset()), root, lock) and _counts_user(function, call):
                    return True
    return False


_COUNTS_ITSELF = habits.COUNTS | {"pin"}
"""Words of methods that count one more user of their object."""


def _counts_user(function: Function, call: r.Call) -> bool:
    """Whether a method counts its object, by its name, or counts up a member that another method counts down."""
    name = places.last_name(call.callee)
    if name == "fetch_add" or not _COUNTS_ITSELF.isdisjoint(pairs.words(name)):
        return True
    return any(
        not _counted(callee, "++", "+=", "fetch_add").isdisjoint(_counted(other, "--", "-=", "fetch_sub"))
        for callee in function.program.calls.callee(call, function).functions
        for other in (callee.home.methods if callee.home is not None else ())
        if other is not callee
    )


def _counted(method: Function, *how: str) -> frozenset[str]:
    """The members of its object that a method counts up, or down."""
    writes = {write.place for write in method.flow.writes if write.op in how}
    calls = {call.receiver for call in method.flow.calls if places.last_name(call.node.callee) in how}
    return frozenset(
        place[1] for place in writes | calls if place is not None and place[:1] == (places.THIS,) and place[1:]
    )


# --- who frees it ---


@questions.program_question
def _known(_: Program) -> questions.Answers[Class, dict[str, tuple[str, Freeing]]]:
    return questions.Answers()


@questions.program_question
def _candidates(_: Program) -> questions.Answers[Class, tuple[Function, ...]]:
    return questions.Answers()


def _freed_of(cls: Class) -> dict[str, tuple[str, Freeing]]:
    """By member of the class: its lock under which a function frees what the member leads to, and that."""
    return _known(cls.program).ask(cls, lambda: _freed(cls))


def _freed(cls: Class) -> dict[str, tuple[str, Freeing]]:
    releasing = resources.resources(cls.program)
    found: dict[str, tuple[str, Freeing]] = {}
    for function in _freeing(cls):
        led = _led(function)
        held = locks.held(function) if led else {}
        for call in function.flow.calls if led else ():
            for ended in releasing.released(call.node, function):
                given = _argument(call.node, ended.where.index)
                name = given.text if isinstance(given, r.Name) else ""
                if name not in led:
                    continue
                root, member = led[name]
                under = (one.lock for one in held.get(call.index, ()))
                lock = next((one[1] for one in under if one[:1] == (root,) and len(one) == 2), "")
                if not lock or _is_new(function, call, name, held, (root, lock)):
                    continue
                if _class_of(function, root) is cls and cls.field(member) is not None:
                    element = types.parse(function.locals[name][0]).last
                    found.setdefault(member, (lock, Freeing(function, call, element)))
    return found


def _is_new(function: Function, freed: e.CallEvent, name: str, held: dict[int, locks.Locks], lock: Place) -> bool:
    """Whether what is freed was made by the function itself, and the lock was not released since then: no other
    function has seen it."""

    def under(at: int) -> bool:
        return any(one.lock == lock for one in held.get(at, ()))

    writes = function.flow.given_by(freed, (name,))
    before = {event.index for event in function.flow.before(freed)}
    for write in writes:
        made = places.strip(write.value)
        if not isinstance(made, r.Call) or made.kind != "new":
            return False
        since = [event for event in function.flow.after(write, lambda one: one is freed) if event.index in before]
        following = (to for event in since if under(event.index) for to, _ in function.flow.successors[event.index])
        if not all(under(to) for to in following if to in before):
            return False
    return bool(writes)


def _freeing(cls: Class) -> tuple[Function, ...]:
    """The methods of the class and the functions that are given a pointer to it, which may lock and free something.
    Needs no decoding."""
    return _candidates(cls.program).ask(cls, lambda: tuple(filter(_may_free, _around(cls))))


def _around(cls: Class) -> tuple[Function, ...]:
    return *cls.methods, *_given_pointer(cls.program).get(cls.name, ())


@questions.program_question
def _given_pointer(program: Program) -> dict[str, list[Function]]:
    """The free functions of C and C++ by the last names of the classes to which they are given a pointer."""
    found: dict[str, list[Function]] = {}
    for function, names in _pointed_to(program).items():
        for name in sorted(names):
            found.setdefault(name, []).append(function)
    return found


@questions.each_function
def _pointed_to(function: Function) -> frozenset[str]:
    """The last names of the classes to which a free function of C or C++ is given a pointer."""
    if function.language != "cpp" or function.home is not None:
        return frozenset()
    return frozenset(types.parse(one.type).last for one in function.record.parameters if "*" in one.type)


def _argument(call: r.Call, index: int) -> r.Value | None:
    return places.strip(call.args[index]) if 0 <= index < len(call.args) else None


def _may_free(function: Function) -> bool:
    """Whether it may free something, and take a lock."""
    if function.record.kind in ("constructor", "destructor"):
        return False
    frees = any(name == "delete" or pairs.releasing_verb(name) for name in function.mentioned)
    return frees and locks.locking(function.program).may_lock(function)
