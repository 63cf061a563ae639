"""What the members of an object hold on each way out of the functions that work on it, and what goes wrong when the
next of them begins from there.

The functions that work on an object are the methods of its class, and the functions whose first parameter points to it:
a C struct has no others. The variables of a file are the members of one more object, on which all its functions work.
Each function is followed once; where a way out, by `return` or by a throw, leaves a member that leads to what has
ended, the destructor, or what may be called next, is followed from that state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ownlint import patterns
from ownlint.domains import exceptions, failure
from ownlint.domains.counted.references import retaining_places
from ownlint.domains.memory.blocks import (
    NULL,
    SOME,
    Block,
    Cell,
    EndedBlock,
    MemoryDraft,
    MemoryState,
    Path,
    Pointer,
    given_back,
    home_of,
)
from ownlint.domains.memory.memory import MemoryTrouble, MemoryWalk, summary, walked
from ownlint.domains.memory.pointers import THIS_BLOCK
from ownlint.domains.memory.seen import class_of, may_end
from ownlint.domains.memory.unknown_calls import object_of
from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.finding import Certainty, assumptions_of, because, weaker
from ownlint.flow import events as e
from ownlint.flow.places import THIS, is_plain_new, last_name, strip
from ownlint.flow.places import walk as walk_value
from ownlint.project import types
from ownlint.project.pairs import releasing_verb
from ownlint.project.questions import each_function, flow_question, question
from ownlint.project.subjects import Class, Function

Member = tuple[Path, ...]
"""From the object, or from a variable of the file, by one pointer after the other."""

_GLOBAL = "::"
"""Begins the first step from a variable of the file."""
_BEFORE = -1
"""As if an event made it that came before the function."""
_MOST_STATES = 6
"""From so many states that a function leaves behind the next one is followed."""


class MemberExit(NamedTuple):
    """A way out of a function, and what the members of its object hold there as far as it is known: nothing, a number,
    what has `ended`."""

    at: e.Event
    certainty: Certainty
    thrown: bool
    held: tuple[tuple[Member, Pointer], ...]
    given: frozenset[Member]
    """Those that hold something else than what they held when the function began, and that has not ended."""
    ended: tuple[tuple[Member, EndedBlock], ...]


class LeftMember(NamedTuple):
    """A member still leads to what a function has `ended` where it is left at an exit, and `then` ends or uses it
    again."""

    name: str
    exit: MemberExit
    ended: EndedBlock
    then: Function
    trouble: MemoryTrouble
    certainty: Certainty


# --- whose members ----------------------------------------------------------------------------------------------


@each_function
def _given(function: Function) -> Class | None:
    """The struct that the function is given by its first parameter: in C that may be cast first."""
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


def entries(function: Function, member: Member) -> list[Function]:
    """All that works on the object whose member it is, in the order of the program."""
    first = member[0][0]
    if first.startswith(_GLOBAL):
        spelled = patterns.strings([first.removeprefix(_GLOBAL)])
        return [one for one in function.program.functions_in(function.path) if one.says(spelled)]
    cls = function.cls if function.record.kind != "function" else _given(function.program).get(function)
    if cls is None:
        return []
    given = [one for one, worked_on in _given(function.program).items() if worked_on is cls]
    own = [one for each in cls.ancestry for one in each.methods if object_of(one) is not None]
    return [*own, *given]


@question
def ends_object(function: Function) -> bool:
    """Whether the object ends with the function. One that is named so closes the object alone where another frees its
    memory."""
    if function.record.kind != "function":
        return function.record.kind == "destructor"
    if frees_object(function):
        return True
    if not releasing_verb(function.name):
        return False
    worked_on = _given(function.program)
    cls = worked_on.get(function)
    alike = (one for one, other in worked_on.items() if other is cls and one is not function and may_end(one))
    return cls is None or not any(frees_object(one) for one in alike)


def _cell(function: Function, member: Member) -> Cell | None:
    """Where the function has the member."""
    (first, *inner), *further = member
    if first.startswith(_GLOBAL):
        cell = Cell(("var", first.removeprefix(_GLOBAL)), tuple(inner))
    else:
        own = object_of(function)
        if own is None:
            return None
        cell = Cell(own, (first, *inner))
    for path in further:
        cell = Cell(("in", cell.block, cell.path), path)
    return cell


def _member(function: Function, draft: MemoryDraft, cell: Cell, own: Block | None = None) -> Member | None:
    """Of which member of an object, its own where none is named, or variable of its file, the function speaks."""
    own = own or object_of(function)
    further: Member = ()
    while cell.block != own:
        if cell.block[0] == "var":
            name = cell.block[1]
            is_global = name not in function.declared and name != THIS and function.program.index.variables_called(name)
            return ((_GLOBAL + name, *cell.path), *further) if is_global else None
        home = home_of(cell.block)
        if home is None or SOME in cell.path or draft.read(home) != Pointer(cell.block):
            return None
        further = (cell.path, *further)
        cell = home
    return (cell.path, *further) if cell.path else None


# --- exits ------------------------------------------------------------------------------------------------------


@flow_question
def throwing(function: Function) -> Mapping[int, Certainty]:
    """The calls by their events that may throw past the function."""
    if "noexcept" in function.record.qualifiers:
        return {}
    found: dict[int, Certainty] = {}
    for call in function.flow.calls:
        thrown = failure.throws(function, call) or _out_of_memory(function, call.node)
        if thrown is not None and not exceptions.is_caught(function, call):
            assumed = "value" if thrown == "possible" else thrown
            found[call.index] = because(assumed, f"this happens only if {failure.work(function, call)} throws")
    return found


def _out_of_memory(function: Function, node: r.Call) -> Certainty | None:
    """Of `new`, and of a function that hands out what it has made so."""
    if node.kind == "new":
        why = because("rare-failure", "this happens only if `new` throws `std::bad_alloc`")
        return why if is_plain_new(node) else None
    duties = resources(function.program).duties
    for maker in function.program.calls.callee(node, function).functions:
        made = duties.of(maker).made if "noexcept" not in maker.record.qualifiers else None
        if made is not None and "delete" in made.releases:
            for call in maker.flow.calls:
                thrown = _out_of_memory(maker, call.node) if call.node.kind == "new" else None
                if thrown is not None:
                    return thrown
    return None


@flow_question
def exits(function: Function) -> tuple[MemberExit, ...]:
    """The ways out of a function that may end something."""
    if function.language != "cpp" or function.record.kind == "lambda" or not may_end(function):
        return ()
    thrown = throwing(function)
    own = object_of(function)
    found: dict[tuple[object, ...], MemberExit] = {}
    for at, draft in walked(function).left:
        if isinstance(at, e.CallEvent) and at.index not in thrown:
            continue
        if own is not None and draft.how_ended(own) is not None:
            continue
        throws = not isinstance(at, e.LeaveEvent) or at.kind == "throw"
        one = MemberExit(
            at,
            thrown.get(at.index, "certain"),
            throws,
            _held(function, draft),
            _given_another(function, draft),
            _ended(function, draft),
        )
        found.setdefault((at.index, *one[3:]), one)
    return tuple(found.values())


def _ended(function: Function, draft: MemoryDraft) -> tuple[tuple[Member, EndedBlock], ...]:
    """Members that still lead to what has ended."""
    found: dict[Member, EndedBlock] = {}
    for block, how in draft.ended.items():
        if how.why in ("scope", "moved", "destroyed") or how.failed or draft.is_nothing(block):
            continue
        homes = [cell for cell, pointer in draft.cells.items() if pointer == Pointer(block)]
        for home in [*homes, home_of(block)]:
            if home is not None and draft.read(home) == Pointer(block):
                member = _member(function, draft, home)
                if member is not None:
                    found[member] = how
    return tuple(sorted(found.items()))


def _held(function: Function, draft: MemoryDraft, own: Block | None = None) -> tuple[tuple[Member, Pointer], ...]:
    """Members of the object that are known to be null, a number or a constant."""
    told = {
        member: pointer
        for cell, pointer in draft.cells.items()
        if pointer == NULL or pointer.is_number
        if (member := _member(function, draft, cell, own)) is not None
    }
    return tuple(sorted(told.items(), key=repr))


def _given_another(function: Function, draft: MemoryDraft) -> frozenset[Member]:
    told = (
        _member(function, draft, cell)
        for cell, pointer in draft.cells.items()
        if draft.how_ended(pointer.block) is None and pointer != Pointer(("in", *cell))
    )
    return frozenset(one for one in told if one is not None)


# --- two objects ------------------------------------------------------------------------------------------------


class SharedMember(NamedTuple):
    """What a copy or a move leaves in its source as well: the destructor of both ends it."""

    at: e.Event
    name: str
    source: str
    certainty: Certainty


def shared(function: Function) -> Iterator[SharedMember]:
    """The members that a constructor or an assignment of a class takes from another object of it and leaves there,
    of those that the destructor ends."""
    cls, parameters = function.cls, function.record.parameters
    is_taking = function.record.kind == "constructor" or function.name == "operator="
    if cls is None or not is_taking or len(parameters) != 1 or cls.destructor is None:
        return
    kind = types.parse(parameters[0].type)
    if kind.last != cls.name or kind.pointers or "&" not in parameters[0].type:
        return
    source: Block = ("in", ("var", parameters[0].name), ())
    told: set[Path] = set()
    for at, draft in walked(function).left:
        if not isinstance(at, e.LeaveEvent) or at.kind == "throw":
            continue
        for cell, pointer in draft.cells.items():
            path = cell.path
            is_taken = cell.block == THIS_BLOCK and pointer == Pointer(("in", source, path)) and path not in told
            if not is_taken or draft.how_ended(pointer.block) or draft.read(Cell(source, path)) != pointer:
                continue
            write = next((one for one in reversed(function.flow.writes) if one.place == (THIS, *path)), None)
            if write is None or _is_given_on(function, parameters[0].name, write):
                continue
            ends = [_ends(cls.destructor, path, _held(function, draft, own)) for own in (THIS_BLOCK, source)]
            if None not in ends:
                told.add(path)
                yield SharedMember(write, path[-1], parameters[0].name, weaker(*(one for one in ends if one)))


def _is_given_on(function: Function, source: str, write: e.Write) -> bool:
    """Whether a call is given what the member holds from then on: it may count one more, or note whose it is."""
    name = write.place[-1]
    for call in function.flow.calls:
        for inner in walk_value(call.node) if call.node.kind == "call" else ():
            if isinstance(inner, r.Member) and inner.name == name:
                if call.index > write.index or (isinstance(inner.base, r.Name) and inner.base.text == source):
                    return True
            elif isinstance(inner, r.Name) and inner.text == name and call.index > write.index:
                return True
    return False


def _ends(destructor: Function, path: Path, held: tuple[tuple[Member, Pointer], ...]) -> Certainty | None:
    """How sure it is that the destructor ends what the member holds; None where it need not."""
    block: Block = ("made", _BEFORE, ".".join(path))
    where = Cell(THIS_BLOCK, path)
    cells = {cell: pointer for one, pointer in held if (cell := _cell(destructor, one)) is not None}
    walk = MemoryWalk(destructor, begin=MemoryState({**cells, where: Pointer(block)}))
    walk.run()
    found: list[Certainty] = []
    for _, draft, _ in walk.exits if walk.complete else ():
        how = draft.how_ended(block)
        if how is not None:
            found.append(how.certainty)
        elif given_back(block) in draft.tests:
            found.append(because("name", "that the destructor releases it is inferred from a name"))
        elif draft.read(where) != NULL:
            return None
    return weaker(*found) if found else None


# --- what comes next --------------------------------------------------------------------------------------------


def left(function: Function) -> Iterator[LeftMember]:
    """Members that the function leaves behind leading to what has ended, each with what ends or uses it next."""
    if ends_object(function):
        return
    ways = [way for way in exits(function) if not (way.thrown and function.record.kind == "constructor")]
    for member, how in sorted({one for way in ways for one in way.ended}):
        dangling = [way for way in ways if (member, how) in way.ended]
        behind = {one.index for one in function.flow.after(function.flow.events[how.at])}
        always = not any(member in way.given for way in ways if way.at.index in behind)
        if always and _is_by_closing(function, how):
            continue
        working = entries(function, member)
        if not _is_entry(function, member, working, always=always):
            continue
        if _is_told_of_callee(function, member, how):
            continue
        likely_first = sorted(dangling, key=lambda way: (way.certainty != "certain", way.at.index))
        closes = always or _is_for_end(function, working)
        nexts = (_next(function, way, member, how, working, closes) for way in likely_first[:_MOST_STATES])
        found = next((one for one in nexts if one is not None), None)
        if found is not None:
            yield found


def _next(
    first: Function, way: MemberExit, member: Member, how: EndedBlock, working: list[Function], always: bool
) -> LeftMember | None:
    """What goes wrong next: where the object ends, or else where it is used."""
    name = member[-1][-1].removeprefix(_GLOBAL)
    for then in working:
        if ends_object(then) and then is not first:
            again = [one for one in _troubles(then, way, member, how) if one.what == "ended again"]
            if again:
                doubts = [way.certainty, _unless_alike(then, name, how, again[0]), again[0].certainty]
                if then.record.kind != "destructor" and not frees_object(then):
                    doubts.append(because("name", f"`{then.name}` destroys the object, judging by its name"))
                elif always:
                    doubts.append(because("later-use", f"`{first.name}` is called before the object is destroyed"))
                return LeftMember(name, way, how, then, again[0], weaker(*doubts))
    if always:
        return None  # what is closed is closed
    for then in [first, *working]:
        if ends_object(then) or then.record.kind == "constructor":
            continue
        for one in _troubles(then, way, member, how):
            doubt = because("later-use", f"harmless if `{then.name}` is not called after that")
            return LeftMember(name, way, how, then, one, weaker(way.certainty, how.certainty, one.certainty, doubt))
    return None


def _unless_alike(then: Function, name: str, how: EndedBlock, again: MemoryTrouble) -> Certainty:
    """How sure it is that the first call releases the member: if only its name says so, and the same function releases
    it at the end of the object, it is called twice for one object, whatever it does. Of what is counted two references
    are released where the member owns one, so that another owner loses its own."""
    if how.kind.counted and name not in retaining_places(then.program):
        return "certain" if assumptions_of(how.certainty) <= {"sharing"} else how.certainty
    alike = isinstance(again.at, e.CallEvent) and last_name(again.at.node.callee) == how.by
    return "certain" if alike and assumptions_of(how.certainty) <= {"name"} else how.certainty


def frees_object(function: Function) -> bool:
    """Whether the memory of the object ends there, whatever the function is called."""
    if not may_end(function) or function.record.kind != "function":
        return False
    if any(block == object_of(function) for block, _ in summary(function, deep=False).ends):
        return True
    own = object_of(function)
    return own is not None and any(
        _frees_by_slot(call.node) and any(_is_first(function, one) for one in call.node.args)
        for call in function.flow.calls
    )


def _frees_by_slot(call: r.Call) -> bool:
    """`type->tp_free(self)`: a pointer to a function, in a table that the type of the object has."""
    return isinstance(call.callee, r.Member) and call.callee.arrow and releasing_verb(call.callee.name) == "free"


def _is_first(function: Function, value: r.Value) -> bool:
    inner = strip(value)
    return isinstance(inner, r.Name) and inner.text == function.record.parameters[0].name


def _troubles(function: Function, way: MemberExit, member: Member, how: EndedBlock) -> list[MemoryTrouble]:
    """What goes wrong with that member where the function begins from what the exit leaves."""
    where = _cell(function, member)
    if where is None:
        return []
    block: Block = ("made", _BEFORE, ".".join(step for path in member for step in path))
    cells = {cell: pointer for one, pointer in way.held if (cell := _cell(function, one)) is not None}
    cells[where] = Pointer(block)
    ended = {block: how._replace(at=_BEFORE, certainty="certain")}
    walk = MemoryWalk(function, begin=MemoryState(cells, ended))
    found = [one for one in walk.run() if one.block == block]
    return sorted(found, key=lambda one: (one.at.span, one.what))


def _is_entry(function: Function, member: Member, working: list[Function], *, always: bool) -> bool:
    """Whether others find the object as the function leaves it: what only the destructor calls leaves it to that, and
    what only others of its class, or of its file, call leaves it to them, who may give the member another value.
    `always` says that it leaves it so on every path, as a helper of theirs would."""
    if _is_for_end(function, working):
        return _is_offered(function)
    named = [one for one in function.program.index.callers(function) if one is not function]
    others = [one for one in named if one not in working]
    callers = [one for one in named if one in working]
    if function.record.kind == "function":
        is_inner = "static" in function.record.qualifiers
        callers += [one for one in others if one.file is function.file]
    else:
        is_inner = not _is_public(function)
    if not is_inner and always and callers:
        is_inner = not any(function in _called(one, call) for one in others for call in one.flow.calls)
    if not is_inner:
        return True
    written = "=" + member[-1][-1].removeprefix(_GLOBAL)
    is_called = bool(callers) or function.record.kind == "function"  # a table may hold it
    return is_called and not any(one.mentions(written) for one in callers)


def _is_for_end(function: Function, working: list[Function]) -> bool:
    """Whether of what works on the object only that calls it with which the object ends."""
    named = [one for one in function.program.index.callers(function) if one is not function and one in working]
    return bool(named) and all(ends_object(one) for one in named)


def _is_offered(function: Function) -> bool:
    """Whether a function that only the destructor calls here is meant for users as well: `Close` closes early, and the
    destructor what is still open then."""
    if releasing_verb(function.name) != "close":
        return False
    if function.record.kind == "function":
        return "static" not in function.record.qualifiers
    return function.record.kind == "method" and _is_public(function)


def _called(function: Function, call: e.CallEvent) -> tuple[Function, ...]:
    return function.program.calls.callee(call.node, function).functions


def _is_told_of_callee(function: Function, member: Member, how: EndedBlock) -> bool:
    """Whether the release is that of a function that is called here, and which leaves the member so by itself."""
    call = function.flow.events[how.at]
    for called in _called(function, call) if isinstance(call, e.CallEvent) and how.why == "by callee" else ():
        ways = exits(called)
        left_there = {one for way in ways for one, _ in way.ended if one[-1] == member[-1]}
        for one in sorted(left_there):
            always = not any(one in way.given for way in ways)
            if not ends_object(called) and _is_entry(called, one, entries(called, one), always=always):
                return True
    return False


def _is_by_closing(function: Function, how: EndedBlock) -> bool:
    """Whether a call has released it that ends the object by its name, and no object of C++: who makes it for good
    ends the object as well."""
    call = function.flow.events[how.at]
    called = _called(function, call) if isinstance(call, e.CallEvent) and how.why == "by callee" else ()
    return any(ends_object(one) and one.record.kind != "destructor" for one in called)


def _is_public(method: Function) -> bool:
    declared = method.cls.declared_here.get(method.name, ()) if method.cls is not None else ()
    access = {one.access for one in (method.record, *declared) if one.access}
    return not access or "public" in access
