"""Which locks are held where, and which member belongs to which lock.

A lock is a place (`this.mu_`). It is held from the construction of a guard object to its end, or between a manual
lock and unlock. What is held at a point is what is held on every path to it: at a join, only what both
sides hold. What guards a member is said by an annotation, by a comment, or by use: a member that is touched
under one lock of its own class nearly always belongs to it.
"""

from __future__ import annotations

import re
from typing import Literal as OneOf

import msgspec

from ownlint.facts import records as r
from ownlint.program import events as e
from ownlint.program import types
from ownlint.program.places import THIS, Place, place_of, render
from ownlint.program.subjects import Class, Function
from ownlint.program.typestate import forward

MOST_CAREFUL = 0.8
"""Share of a member's accesses that must hold the lock before it counts as guarded by use; with at least
`FEWEST` accesses, one of them a write. From counts over XLA, gRPC core and Arrow."""
FEWEST = 3

_SAYS = re.compile(r"\b(?:guarded|protected)\s+by\s+`?(?:this->)?(\w+)`?", re.IGNORECASE)


class Held(msgspec.Struct, frozen=True, order=True):
    """A lock that is held: its place, and the local guard object that holds it (empty when locked by hand)."""

    lock: Place
    guard: str = ""


class Guard(msgspec.Struct, frozen=True):
    """`member` belongs to `lock`; `touched` and `careful` count its accesses outside of constructors and
    those of them that hold the lock (both 0 when it is written down)."""

    member: str
    lock: str
    why: OneOf["annotation", "comment", "use"]
    touched: int = 0
    careful: int = 0


Locks = frozenset[Held]


def held(function: Function) -> dict[int, Locks]:
    """The locks held just before each reachable event, by event index; a guard's own construction does not count."""
    entry = frozenset(Held((THIS, name)) for name in required(function))

    def transfer(event: e.Event, state: Locks) -> Locks:
        match event:
            case e.Write(place=place, fresh=True) if (taken := _taken_by(function, event)) is not None:
                return state | {Held(taken, place[0])}
            case e.End(place=place):
                return frozenset(h for h in state if h.guard != place[0] or not h.guard)
            case e.Call(node=node, receiver=on) if on is not None:
                return _by_hand(function, node, on, state)
        return state

    return forward(function.flow, entry, transfer, lambda one, other: one & other)


def _taken_by(function: Function, write: e.Write) -> Place | None:
    """The lock a guard object takes when it is made, or None when this is no guard."""
    if not write.type:
        return None
    program = function.program
    written = program.expand(write.type, function.file, function.record.scope)
    models = [
        m for m in program.models.classes(types.parse(written).name, program.scopes(function)) if "guard" in m.roles
    ]
    if not models:
        return None
    model = models[0]
    if model.holds:
        return (f"<{model.holds}>",)
    value = write.value
    if not isinstance(value, r.Call) or len(value.args) < model.argument or model.argument < 1:
        return None
    members = function.home.members if function.home is not None else frozenset()
    return place_of(value.args[model.argument - 1], function.flow.aliases, members - function.declared)


def _by_hand(function: Function, call: r.Call, on: Place, state: Locks) -> Locks:
    """A manual lock or unlock, of the lock itself or through its guard object."""
    effects = {
        effect.verb
        for model in function.program.callee(call, function).models
        for effect in model.effects
        if str(effect.place) == "receiver"
    }
    if "hold" in effects:
        guarded = {h.lock for h in state if h.guard == on[0]}
        return state if guarded else state | {Held(on)}
    if effects & {"release", "yield"}:
        return frozenset(h for h in state if h.lock != on and h.guard != on[0])
    return state


def required(function: Function) -> tuple[str, ...]:
    """The locks an annotation says the caller holds: names of members."""
    program = function.program
    records = [function.record]
    if function.cls is not None:
        records += [d for d in function.cls.declarations if d.name == function.name]
    return tuple(
        sorted(
            {
                last_part(argument)
                for record in records
                for annotation in record.annotations
                if program.role(annotation.name) == "requires lock"
                for argument in annotation.arguments.split(",")
                if argument.strip()
            }
        )
    )


def last_part(written: str) -> str:
    """`&this->mu_` is `mu_`."""
    return re.split(r"->|\.", written.strip().lstrip("&*"))[-1].strip()


def guards(cls: Class) -> dict[str, Guard]:
    """Which of the class's own members belong to which of its locks."""
    mutexes = {name for name, field in cls.fields.items() if _is_mutex(cls, field)}
    found: dict[str, Guard] = {}
    for name, field in cls.fields.items():
        if name in mutexes:
            continue
        said = _annotated(cls, field) or _commented(field, mutexes)
        if said is not None:
            found[name] = said
    if mutexes:
        for guard in _by_use(cls, mutexes):
            found.setdefault(guard.member, guard)
    return found


def _is_mutex(cls: Class, field: r.Field) -> bool:
    written = cls.program.expand(field.type, cls.file, cls.symbol)
    return "mutex" in cls.program.models.role(types.parse(written).name, (cls.symbol,))


def _annotated(cls: Class, field: r.Field) -> Guard | None:
    for annotation in field.annotations:
        if cls.program.role(annotation.name) == "guarded by" and annotation.arguments.strip():
            return Guard(field.name, last_part(annotation.arguments), "annotation")
    return None


def _commented(field: r.Field, mutexes: set[str]) -> Guard | None:
    match = _SAYS.search(field.comment)
    return Guard(field.name, match[1], "comment") if match is not None and match[1] in mutexes else None


def _by_use(cls: Class, mutexes: set[str]) -> list[Guard]:
    """Members that are nearly always touched with one and the same lock of the class held."""
    touched: dict[str, int] = {}
    careful: dict[tuple[str, str], int] = {}
    written: set[tuple[str, str]] = set()
    for method in cls.methods:
        if method.record.kind in ("constructor", "destructor"):
            continue
        if not any(f'"{name}"'.encode() in bytes(method.record.body) for name in mutexes) and not required(method):
            locks_at: dict[int, Locks] = {}
        else:
            locks_at = held(method)
        for event in method.flow:
            if not isinstance(event, (e.Read, e.Write)) or len(event.place) < 2 or event.place[0] != THIS:
                continue
            member = event.place[1]
            if member in mutexes or member not in cls.fields:
                continue
            touched[member] = touched.get(member, 0) + 1
            for lock in {
                h.lock[1] for h in locks_at.get(event.index, frozenset()) if len(h.lock) == 2 and h.lock[0] == THIS
            }:
                careful[member, lock] = careful.get((member, lock), 0) + 1
                if isinstance(event, e.Write):
                    written.add((member, lock))
    found = []
    for (member, lock), count in sorted(careful.items()):
        if touched[member] >= FEWEST and count >= MOST_CAREFUL * touched[member] and (member, lock) in written:
            found.append(Guard(member, lock, "use", touched[member], count))
    return found


def describe(locks: Locks) -> str:
    """The locks as a user would write them."""
    return ", ".join(render(h.lock) for h in sorted(locks))
