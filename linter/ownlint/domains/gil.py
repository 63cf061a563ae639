"""Where the interpreter's lock is held, and where it is given up.

The lock has no place of its own: scoped objects of a model's classes take it or give it up, and of classes of the
project that wrap one of these; functions and macros do so by hand. What holds at the start of a function is
known for those that Python calls and for those that threads run, see `entrances`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint.engine.forward import forward
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import last_name, spelled, walk
from ownlint.patterns import AnyName
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import each_function, flow_question, program_question, question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Class, Function

LOCK = "gil"
"""What a guard class of a model says that it holds."""

Status = OneOf["held", "released", ""]
Guard = OneOf["take", "drop", ""]
Net = OneOf["take", "drop", "either", ""]
"""What a call leaves behind: `either` where it depends on how the function comes out."""

ENTRY = -1
"""In place of the event that gave the lock up: it was so from the start."""
_HAND = "#"
_TAKEN = "#taken"
BOXES = frozenset({"optional", "smart pointer", "scoped owner", "shared pointer"})
MAKES = frozenset({"make_unique", "make_shared", "make_optional"})
"""Functions that make a box with an object of their template argument in it."""
_DEEPEST = 3


class GilScope(NamedTuple):
    """Something that puts the lock back when it ends: a local, or a pair of calls."""

    name: str
    status: Status
    since: int


class GilState(NamedTuple):
    """`since` is the index of the event that gave the lock up, `ENTRY` where it was given up from the start."""

    status: Status = ""
    since: int = ENTRY
    scopes: tuple[GilScope, ...] = ()


HELD = GilState("held")
RELEASED = GilState("released")
UNKNOWN = GilState()


def states(function: Function, entry: GilState) -> dict[int, GilState]:
    """The state just before each reachable event; a guard's own construction does not count."""
    return _states(function, entry)


@flow_question
def _states(function: Function, entry: GilState) -> dict[int, GilState]:
    reader = _GilReader(function)
    return forward(function.flow, entry, reader.transfer, _both, reader.answered)


def net(function: Function) -> Net:
    """What a call of the function leaves behind for its caller."""
    if function.language != "cpp" or by_hand(function.program).isdisjoint(function.mentioned):
        return ""
    return _nets(function.program).ask(function, lambda: _net_of(function))


@program_question
def _nets(program: Program) -> Circular[Function, Net]:
    return Circular("")


def _net_of(function: Function) -> Net:
    after = states(function, UNKNOWN).get(function.flow.exit, UNKNOWN)
    names = {scope.name for scope in after.scopes}  # what no end has put back is left to the caller
    if after.status == "held" and _TAKEN in names:
        return "take"
    if after.status == "released" and _HAND in names:
        return "drop"
    # `acquire_interpreter(name)` answers with NULL, without the lock, where there is none of that name.
    return "" if states(function, RELEASED).get(function.flow.exit, RELEASED).status == "released" else "either"


@program_question
def by_hand(program: Program) -> frozenset[str]:
    """Last names by which something takes or gives up the lock other than by a local: calls, macros, and functions of
    the project that do so for their callers."""
    said = {name: word for found in _said_in(program).values() for name, word in found}
    drops, takes = ({name for name, word in said.items() if word == of} for of in ("drops", "takes"))
    found = {name for name, word in said.items() if word in ("drops", "takes", "restores")}
    taking, dropping = ({f for f in program.calling(names) if f.language == "cpp"} for names in (takes, drops))
    for _ in range(_DEEPEST):
        found |= {
            function.name for function in program.calling(found) if function.language == "cpp" and function.is_short
        }
    return frozenset(found | {function.name for function in taking ^ dropping})


@each_function
def _said_in(function: Function) -> frozenset[tuple[str, str]]:
    """What it calls that has to do with the lock, and in which way."""
    word_of = function.program.models.gil_word
    return frozenset((name, word) for name in function.mentioned if name[:1] != "=" and (word := word_of(name)))


def _both(one: GilState, other: GilState) -> GilState:
    if one == other:
        return one
    scopes: list[GilScope] = []
    for left, right in zip(one.scopes, other.scopes, strict=False):
        if left != right:
            break
        scopes.append(left)
    one, other = _unwound(one, len(scopes)), _unwound(other, len(scopes))
    if one.status == other.status:
        return GilState(one.status, min(one.since, other.since), tuple(scopes))
    return GilState("", ENTRY, tuple(scopes))


def _unwound(state: GilState, depth: int) -> GilState:
    """What it is once the guards have ended that the other way has not met: where a handler begins, an exception has
    left the scopes of its `try`."""
    inner = state.scopes[depth : depth + 1]
    if not inner or inner[0].name.startswith(_HAND):
        return state
    return GilState(inner[0].status, inner[0].since, state.scopes[:depth])


class _GilReader:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.program = function.program
        self.models = function.program.models
        self.scopes = function.program.names.scopes(function)
        self.boxes: set[str] = set()
        """Locals that may come to hold a guard."""

    def transfer(self, event: e.Event, state: GilState) -> GilState:
        match event:
            case e.Write(fresh=True):
                return self.declared(event, state)
            case e.Write(place=place) if place[0] in self.boxes:
                return self.boxed(place[0], event.value, state)
            case e.End(place=place):
                return _ended(place[0], state)
            case e.CallEvent():
                return self.called(event, state)
            case e.Read(place=(name,), node=r.Name()):
                return self.said(self.models.gil_word(name), event, state)
        return state

    def answered(self, event: e.Event, outcome: bool, state: GilState) -> GilState:
        """Behind a question whether the lock is held, on the side where it is."""
        if state.status != "released" or not isinstance(event, e.Test):
            return state
        value = event.value
        if isinstance(value, r.Unary) and value.op == "!":
            value, outcome = value.value, not outcome
        asks = isinstance(value, r.Call) and self.models.gil_word(last_name(value.callee)) == "asks"
        return GilState("held", ENTRY, state.scopes) if asks and outcome else state

    def declared(self, write: e.Write, state: GilState) -> GilState:
        name, written = write.place[0], write.type
        kind = types.parse(written)
        made = _made(write.value)
        if kind.is_placeholder or not written:
            if made is None:
                return state
            written = made.template if last_name(made.callee) in MAKES else spelled(made)
            if last_name(made.callee) in MAKES:
                self.boxes.add(name)
            return self.guarded(name, self.guard(written), write, state)
        if not kind.is_value and not kind.pointers:
            return state
        if kind.arguments and types.parse(kind.arguments[0]).last in words(self.program):
            if not BOXES.intersection(self.program.types.roles(kind.name, self.function)):
                return state
            self.boxes.add(name)
            if write.value is None or (isinstance(write.value, r.Call) and not _is_filled(write.value)):
                return state
            return self.guarded(name, self.guard(kind.arguments[0]), write, state)
        return self.guarded(name, self.guard(written), write, state)

    def guard(self, written: str) -> Guard:
        return guard_kind(self.program, written, self.function.file, self.function.record.scope)

    def guarded(self, name: str, kind: Guard, event: e.Event, state: GilState) -> GilState:
        if not kind:
            return state
        scopes = (*state.scopes, GilScope(name, state.status, state.since))
        return GilState("held", ENTRY, scopes) if kind == "take" else GilState("released", event.index, scopes)

    def boxed(self, name: str, value: r.Value | None, state: GilState) -> GilState:
        """A box gets a guard, or loses it."""
        if isinstance(value, r.Literal) or (isinstance(value, r.Name) and value.text.endswith("nullopt")):
            return _ended(name, state)
        return GilState("", ENTRY, state.scopes)

    def called(self, event: e.CallEvent, state: GilState) -> GilState:
        node = event.node
        if event.receiver is not None and event.receiver[0] in self.boxes:
            return self.on_box(event, event.receiver[0], state)
        if isinstance(node.callee, r.Member):
            return self.by_helper(event, state) if node.callee.name in by_hand(self.program) else state
        name = node.callee.text if isinstance(node.callee, r.Name) else ""
        word = self.models.gil_word(name, self.scopes) if name else ""
        if word in ("drops", "takes", "restores"):
            return self.said(word, event, state)
        if word == "asks" and event.into is not None and state.status == "released":
            return GilState("", ENTRY, state.scopes)
        if not word and name.rpartition("::")[2] in by_hand(self.program):
            return self.by_helper(event, state)
        return state

    def on_box(self, event: e.CallEvent, name: str, state: GilState) -> GilState:
        verb = last_name(event.node.callee)
        if verb == "reset" and not event.node.args:
            return _ended(name, state)
        if verb in ("emplace", "reset"):
            written = self.function.locals.get(name, ("", None))[0]
            boxed = types.parse(written).arguments[:1]
            return self.guarded(name, self.guard(boxed[0]) if boxed else "", event, state)
        return state

    def by_helper(self, event: e.CallEvent, state: GilState) -> GilState:
        for helper in self.program.calls.callee(event.node, self.function).functions[:1]:
            if helper is not self.function and (done := net(helper)):
                if done == "either":
                    return GilState("", ENTRY, state.scopes)
                return self.said("takes" if done == "take" else "drops", event, state)
        return state

    def said(self, word: str, event: e.Event, state: GilState) -> GilState:
        """By hand: giving up and taking again are a pair, and so are taking and putting back."""
        match word:
            case "drops":
                scope = GilScope(_HAND, state.status, state.since)
                return GilState("released", event.index, (*state.scopes, scope))
            case "takes" if any(scope.name == _HAND for scope in state.scopes):
                return GilState("held", ENTRY, _without(_HAND, state.scopes))
            case "takes":
                return GilState("held", ENTRY, (*state.scopes, GilScope(_TAKEN, state.status, state.since)))
            case "restores":
                before = next((scope for scope in reversed(state.scopes) if scope.name == _TAKEN), None)
                if before is None:
                    return GilState("", ENTRY, state.scopes)
                return GilState(before.status, before.since, _without(_TAKEN, state.scopes))
        return state


def _without(name: str, scopes: tuple[GilScope, ...]) -> tuple[GilScope, ...]:
    """Without the last of that name."""
    position = max(index for index, scope in enumerate(scopes) if scope.name == name)
    return scopes[:position] + scopes[position + 1 :]


def _ended(name: str, state: GilState) -> GilState:
    """What it was before the local began. Those that began inside of it have ended already."""
    for position in range(len(state.scopes) - 1, -1, -1):
        if state.scopes[position].name == name:
            return GilState(state.scopes[position].status, state.scopes[position].since, state.scopes[:position])
    return state


def _made(value: r.Value | None) -> r.Call | None:
    return value if isinstance(value, r.Call) else None


def _is_filled(made: r.Call) -> bool:
    return bool(made.args) or last_name(made.callee) in MAKES or made.kind == "new"


# --- guard classes ------------------------------------------------------------------------------------


def guard_kind(program: Program, written: str, file: File, scope: str) -> Guard:
    """Whether an object of the type takes the lock, or gives it up, for as long as it lives."""
    kind = types.parse(written)
    if not kind.is_value or kind.last not in words(program):
        return ""
    meant = types.parse(program.names.expand(written, file, scope))
    for model in program.models.classes(meant.name, program.names.scopes_at(file, scope)):
        if model.holds == LOCK:
            return "drop" if "unguard" in model.roles else "take"
    cls = program.names.find_class(meant.name, scope, file)
    if cls is not None:
        return _own(program).get(cls.symbol, "")
    named = {kind for symbol, kind in _own(program).items() if symbol.rpartition("::")[2] == meant.last}
    return "take" if named == {"take"} else ""  # `typename D::Lock`: where nobody knows, it is taken


@program_question
def words(program: Program) -> frozenset[str]:
    """Last names by which such a type can be written."""
    known = _known(program)
    names = known | {symbol.rpartition("::")[2] for symbol in _own(program)}
    return names | {alias.name for alias in program.index.type_aliases if types.parse(alias.target).last in names}


@program_question
def _known(program: Program) -> frozenset[str]:
    return program.models.holders_of(LOCK)


@program_question
def _own(program: Program) -> dict[str, Guard]:
    """The project's classes that take or give up the lock where they begin and undo it where they end: themselves, by a
    member or by a base."""
    known = _known(program)
    found: dict[str, Guard] = {}
    for _ in range(_DEEPEST):
        before = len(found)
        names = known | {symbol.rpartition("::")[2] for symbol in found}
        for cls in program.classes:
            if cls.symbol not in found and cls.file.language == "cpp" and (kind := _kind(cls, names, found)):
                found[cls.symbol] = kind
        if len(found) == before:
            break
    return found


def _kind(cls: Class, names: frozenset[str], found: dict[str, Guard]) -> Guard:
    if len(cls.record.fields) > 3:
        return ""
    parts = [field.type for field in cls.record.fields] + [base.name for base in cls.record.bases]
    for written in parts:
        kind = types.parse(written)
        if kind.is_value and kind.last in names:
            return _part_kind(cls, written, found)
    return _by_hand(cls)


def _part_kind(cls: Class, written: str, found: dict[str, Guard]) -> Guard:
    program = cls.program
    meant = types.parse(program.names.expand(written, cls.file, cls.symbol))
    for model in program.models.classes(meant.name, program.names.scopes_at(cls.file, cls.symbol)):
        if model.holds == LOCK:
            return "drop" if "unguard" in model.roles else "take"
    own = program.names.find_class(meant.name, cls.symbol, cls.file)
    return found.get(own.symbol, "") if own is not None else ""


def _by_hand(cls: Class) -> Guard:
    """What the constructor does with calls, when the destructor undoes it."""
    end = cls.destructor
    if end is None or not (begins := _said(cls, cls.constructors)) or not (ends := _said(cls, [end])):
        return ""
    if "takes" in begins and ("restores" in ends or "drops" in ends):
        return "take"
    return "drop" if "drops" in begins and "takes" in ends else ""


def _said(cls: Class, methods: Sequence[Function]) -> set[str]:
    """What the methods do to the lock by hand, themselves or in methods of the class that they call; where their
    initializers do it, these say it."""
    models = cls.program.models
    names = {name for method in methods for name in (*method.mentioned, *_initial(method))}
    names |= {name for one in cls.methods if one.name in names for name in one.mentioned}
    return {word for name in names if (word := models.gil_word(name)) in ("takes", "drops", "restores")}


def _initial(method: Function) -> set[str]:
    return {
        last_name(part.callee)
        for initializer in method.record.initializers
        for value in initializer.args
        for part in walk(value)
        if isinstance(part, r.Call)
    }


def is_guard(cls: Class) -> bool:
    """Whether objects of a class of the project take or give up the lock for as long as they live."""
    return cls.symbol in _own(cls.program)


def guards_in(program: Program, written: str, file: File, scope: str) -> set[Guard]:
    """The kinds of guard that the words of a type, or of an annotation, name."""
    found: set[Guard] = set()
    for name in re.findall(r"[\w:]+", written):
        if name.rpartition("::")[2] in words(program) and (kind := guard_kind(program, name, file, scope)):
            found.add(kind)
    return found


@question
def may_release(function: Function) -> bool:
    """Whether the body can give the lock up. Needs no decoding."""
    program = function.program
    if not by_hand(program).isdisjoint(function.mentioned):
        return True
    return function.says(_types(program))


@program_question
def _types(program: Program) -> AnyName:
    """Stands in every body that declares a guard, or says a macro without parentheses."""
    names = words(program) | {
        name for word in ("drops", "takes") for name in getattr(program.models.gil, word) if "*" not in name
    }
    return AnyName(names)


def taken(function: Function, entry: GilState) -> e.Event | None:
    """The first event that takes the lock."""
    found = states(function, entry)
    for event in function.flow:
        before = found.get(event.index)
        if before is None or before.status == "held":
            continue
        if any(found.get(index, UNKNOWN).status == "held" for index, _ in function.flow.successors[event.index]):
            return event
    return None


def taken_again(function: Function) -> e.Event | None:
    """Of a body that is entered with the lock held: the first event that takes it after it was given up, or that begins
    the guard which takes it where the body ends."""
    found = taken(function, HELD)
    if found is not None:
        return found
    after = states(function, HELD).get(function.flow.exit, UNKNOWN)
    until_end = after.status == "released" and after.since != ENTRY and _unwound(after, 0).status == "held"
    return function.flow.events[after.since] if until_end else None
