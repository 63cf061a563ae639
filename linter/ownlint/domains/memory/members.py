"""What the members of an object hold on each way out of the functions that work on it, and what goes wrong when the next
of them begins from there.

The functions that work on an object are the methods of its class, and the functions whose first parameter points to it:
a C struct has no others. Each is followed once; where a way out, by `return` or by a throw, leaves a member that leads
to memory which has ended, the destructor, or what is called after it, is followed from that state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ownlint.domains import failure
from ownlint.domains.memory.blocks import NULL, Block, Cell, EndedBlock, MemoryDraft, MemoryState, Path, Pointer, home_of
from ownlint.domains.memory.memory import MemoryTrouble, MemoryWalk
from ownlint.domains.memory.seen import class_of, may_end
from ownlint.domains.memory.unknown_calls import object_of
from ownlint.facts import records as r
from ownlint.finding import Certainty, because, weaker
from ownlint.flow import events as e
from ownlint.flow.places import strip
from ownlint.project import types
from ownlint.project.pairs import releasing_verb
from ownlint.project.questions import each_function, flow_question, question
from ownlint.project.subjects import Class, Function

_BEFORE = -1
"""As if an event made it that came before the function."""
_MOST_STATES = 6
"""From so many states that a function leaves behind the next one is followed."""
_NOTHROW = len("new(nothrow)")


class MemberExit(NamedTuple):
    """A way out of a function, and what the members of its object hold there as far as it is known: nothing, a number,
    what has `ended`."""

    at: e.Event
    certainty: Certainty
    thrown: bool
    held: tuple[tuple[Path, Pointer], ...]
    ended: tuple[tuple[Path, EndedBlock], ...]


class LeftMember(NamedTuple):
    """A member still leads to what `first` has ended where it is left at an exit, and `then` ends or uses it again."""

    member: str
    first: Function
    exit: MemberExit
    ended: EndedBlock
    then: Function
    trouble: MemoryTrouble
    certainty: Certainty


# --- whose members ----------------------------------------------------------------------------------------------


@each_function
def _worked_on(function: Function) -> Class | None:
    """The struct that the function is given by its first parameter: of C, where that may be cast first."""
    if function.language != "cpp" or function.record.kind != "function" or not function.record.parameters:
        return None
    first = function.record.parameters[0]
    kind = types.parse(first.type)
    if kind.pointers + kind.reference != 1 or kind.is_scalar:
        return None
    found = class_of(function, kind.name)
    if found is None and kind.pointers and may_end(function):
        for written, value in function.locals.values():
            inner = strip(value)
            if isinstance(inner, r.Name) and inner.text == first.name and types.parse(written).pointers == 1:
                found = found or class_of(function, types.parse(written).name)
    return found if found is not None and found.record.fields else None


def entries(cls: Class) -> Iterator[Function]:
    """All that works on objects of the class, the destructor last."""
    yield from (one for one in cls.methods if one.record.kind != "destructor" and object_of(one) is not None)
    yield from (one for one, worked in _worked_on(cls.program).items() if worked is cls)
    yield from (one for one in cls.methods if one.record.kind == "destructor")


# --- exits ------------------------------------------------------------------------------------------------------


@flow_question
def throwing(function: Function) -> Mapping[int, Certainty]:
    """The calls by their events that may throw past the function."""
    if "noexcept" in function.record.qualifiers:
        return {}
    found: dict[int, Certainty] = {}
    for call in function.flow.calls:
        thrown = failure.throws(function, call) or _out_of_memory(call.node)
        if thrown == "possible":
            thrown = "value"
        if thrown is not None and not failure.is_caught(function, call):
            found[call.index] = because(thrown, f"on the path where {failure.work(function, call)} throws")
    return found


def _out_of_memory(node: r.Call) -> Certainty | None:
    if node.kind != "new" or node.callee.start - node.start >= _NOTHROW:
        return None
    return because("rare-failure", "on the path where `new` finds no memory")


@flow_question
def exits(function: Function) -> tuple[MemberExit, ...]:
    """The ways out on which a member leads to what has ended, among them all the others."""
    own = object_of(function)
    if own is None or function.language != "cpp" or not may_end(function):
        return ()
    thrown = throwing(function)
    walk = MemoryWalk(function, throwing=thrown)
    walk.run()
    found: dict[tuple[object, ...], MemberExit] = {}
    for at, draft in walk.left if walk.complete else ():
        if draft.how_ended(own) is not None:
            continue
        throws = not isinstance(at, e.LeaveEvent) or at.kind == "throw"
        one = MemberExit(at, thrown.get(at.index, "certain"), throws, _held(draft, own), _ended(draft, own))
        found.setdefault((at.index, one.held, one.ended), one)
    return tuple(found.values())


def _ended(draft: MemoryDraft, own: Block) -> tuple[tuple[Path, EndedBlock], ...]:
    """Members of the object that still lead to what has ended."""
    found: dict[Path, EndedBlock] = {}
    for block, how in draft.ended.items():
        if how.why in ("scope", "moved", "destroyed") or draft.is_nothing(block):
            continue
        homes = [cell for cell, pointer in draft.cells.items() if pointer == Pointer(block)]
        for home in [*homes, home_of(block)]:
            if home is not None and home.block == own and home.path and draft.read(home) == Pointer(block):
                found[home.path] = how
    return tuple(sorted(found.items()))


def _held(draft: MemoryDraft, own: Block) -> tuple[tuple[Path, Pointer], ...]:
    """Members of the object that are known to be null or a number."""
    told = (
        (cell.path, pointer)
        for cell, pointer in draft.cells.items()
        if cell.block == own and cell.path and (pointer == NULL or pointer.block[0] == "number")
    )
    return tuple(sorted(told, key=repr))


# --- what comes next --------------------------------------------------------------------------------------------


def left(cls: Class) -> Iterator[LeftMember]:
    """Members that an exit leaves behind leading to what has ended, each with what ends or uses it again first."""
    working = list(entries(cls))
    for first in working:
        if first.record.kind != "destructor" and may_end(first) and _is_entry(first, cls, working):
            yield from _left_by(first, cls, working)


def _left_by(first: Function, cls: Class, working: list[Function]) -> Iterator[LeftMember]:
    ways = [way for way in exits(first) if not (way.thrown and first.record.kind == "constructor")]
    members = {(path, how) for way in ways for path, how in way.ended}
    for path, how in sorted(members):
        dangling = [way for way in ways if (path, how) in way.ended]
        always = len(dangling) == len(ways)
        told = None
        for way in sorted(dangling, key=lambda way: (way.certainty != "certain", way.at.index))[:_MOST_STATES]:
            told = _next(first, cls, working, way, path, how, always)
            if told is not None:
                yield told
                break


def _next(
    first: Function, cls: Class, working: list[Function], way: MemberExit, path: Path, how: EndedBlock, always: bool
) -> LeftMember | None:
    endings = [one for one in working if is_ending(one, cls) and one is not first]
    for then in endings:
        if path[0] not in _own_members(first, cls) or not may_end(then):
            continue
        again = [one for one in _troubles(then, way, path, how) if one.what == "ended again"]
        if again:
            doubts = [way.certainty, how.certainty, again[0].certainty]
            if then.record.kind != "destructor":
                doubts.append(because("name", f"`{then.name}` ends the object, by its name"))
            elif always:
                doubts.append(because("later-use", f"`{first.name}` is called before the object ends"))
            return LeftMember(path[-1], first, way, how, then, again[0], weaker(*doubts))
    if always:
        return None  # what is closed is closed
    others = [first, *(one for one in working if one not in endings and one is not first)]
    for then in others:
        if then.record.kind in ("constructor", "destructor"):
            continue
        for one in _troubles(then, way, path, how):
            doubt = because("later-use", f"`{then.name}` is called after that")
            return LeftMember(path[-1], first, way, how, then, one, weaker(way.certainty, how.certainty, one.certainty, doubt))
    return None


def is_ending(function: Function, cls: Class) -> bool:
    """Whether the object ends with the function."""
    if function.record.kind == "function":
        return bool(releasing_verb(function.name))
    return function.record.kind == "destructor"


def _own_members(function: Function, cls: Class) -> frozenset[str]:
    return cls.members


def _troubles(function: Function, way: MemberExit, path: Path, how: EndedBlock) -> list[MemoryTrouble]:
    """What goes wrong with that member where the function begins from what the exit leaves."""
    own = object_of(function)
    if own is None:
        return []
    block: Block = ("made", _BEFORE, ".".join(path))
    cells = {Cell(own, held): pointer for held, pointer in way.held}
    cells[Cell(own, path)] = Pointer(block)
    ended = {block: how._replace(at=_BEFORE, certainty="certain")}
    walk = MemoryWalk(function, begin=MemoryState(cells, ended))
    found = [one for one in walk.run() if one.block == block]
    return sorted(found, key=lambda one: (one.at.span, one.what))


def _is_entry(function: Function, cls: Class, working: list[Function]) -> bool:
    """Whether others can call it, and find the object as it leaves it: a helper that only the class's own methods call
    leaves it to them."""
    callers = [one for one in working if one is not function and one.mentions(function.name)]
    if callers and all(is_ending(one, cls) for one in callers):
        return False
    if function.record.kind == "function":
        return True
    access = {one.access for one in (function.record, *cls.declared_here.get(function.name, ())) if one.access}
    if "public" in access or not access:
        return True
    return bool(callers) and not any(word.startswith("=") for one in callers for word in one.mentioned)
