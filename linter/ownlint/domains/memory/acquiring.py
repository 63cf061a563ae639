"""Which calls hand out an owned handle: those that acquire one, and those that make an owner give up what it owns
(`release`, `detach`, and the project's own ways of saying so)."""

from __future__ import annotations

import re

from ownlint.engine.resources import OWNING, RESULT, Acquisition, argument, resources
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because
from ownlint.flow.places import THIS, called, last_name, receiver, strip
from ownlint.models import habits
from ownlint.project import types
from ownlint.project.pairs import is_getter, releasing_verb, words
from ownlint.project.program import Program
from ownlint.project.questions import (
    Answers,
    each_function,
    flow_question,
    program_property,
    program_question,
    question,
)
from ownlint.project.subjects import Class, Function

_NEW = re.compile(rb'"new"')
_NUMBER = re.compile(r"(?:size_t|ssize_t|bool|void|u?int\d+_t|float|double|long|short|char)?")


class Handing:
    """The methods of one program's owners that give up what is owned; see `handing`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._owns: Answers[Class, bool] = Answers()
        self._emptying: Answers[Function, bool] = Answers()
        self.giving_up = frozenset(self._named())
        """Last names of all methods that may make an owner give up what it owns, the libraries' included."""

    def _named(self) -> set[str]:
        mentioned = resources(self.program).mentioned
        found = {name for name in mentioned if "disown" in self.program.models.verbs(name)}
        for cls in self.program.classes:
            if cls.file.language == "cpp" and cls.record.destructor in ("declared", "defined"):
                found |= {m.name for m in cls.methods if self._may_empty(m)}
                found |= {
                    d.name for d in cls.declarations if not d.parameters and habits.GIVES_UP.intersection(words(d.name))
                }
        return found

    def may_hand_out(self, function: Function) -> bool:
        """False when no call in the body hands anything out; needs no decoding."""
        mentions = function.mentioned
        return function.says(_NEW) or not (self.giving_up.isdisjoint(mentions) and self.acquiring.isdisjoint(mentions))

    @program_property
    def acquiring(self) -> frozenset[str]:
        """Last names of what acquires: as declared, and of the project's own functions those that do hand out an owned
        handle. A body is read only where it calls something that is known to."""
        named = resources(self.program).declared_names
        real, fresh = set(named), set(named)
        makers = list(_hands_out(self.program))
        tried = [f for f in makers if f.says(_NEW) or not fresh.isdisjoint(f.mentioned)]
        while tried:
            makers = [f for f in makers if f not in set(tried)]
            fresh = {f.name for f in tried} - real
            real |= fresh
            tried = [f for f in makers if not fresh.isdisjoint(f.mentioned)]
        return frozenset(real)

    def gives_up(self, call: r.Call, function: Function) -> Certainty | None:
        """How sure it is that the receiver owned what the call hands out, and does no longer; None when it is not."""
        on = receiver(call)
        if on is None or call.args or call.kind != "call" or last_name(call.callee) not in self.giving_up:
            return None
        callee = self.program.calls.callee(call, function)
        for model in callee.models:
            if model.has("disown", "receiver") and model.has("acquire", "result"):
                return model.certainty
        written = self.program.types.of(on, function)
        for name in (written, *types.parse(written).arguments[:1]):
            cls = self.program.names.find_class(name, function.record.scope, function.file) if name else None
            if cls is not None and last_name(call.callee) in cls.declared_here:
                sure = self._by_class(cls, callee.functions, last_name(call.callee), function)
                return None if sure is None else because(sure, _by_its_name(call))
        if not OWNING.isdisjoint(self.program.types.roles(written, function)) and habits.GIVES_UP.intersection(
            words(last_name(call.callee))
        ):
            return because("name", _by_its_name(call))
        return None

    def _by_class(self, cls: Class, functions: tuple[Function, ...], name: str, function: Function) -> Certainty | None:
        if not self._releases(cls):
            return None
        if functions:
            return "certain" if all(self._empties(one) for one in functions) else None
        declared = cls.declared_here.get(name, ())
        if not habits.GIVES_UP.intersection(words(name)) or not all(
            self._is_raw(one.result, function) for one in declared
        ):
            return None
        return because("name", "")

    def _is_raw(self, written: str, function: Function) -> bool:
        kind = types.parse(written)
        if kind.pointers:
            return True
        return kind.name == "int" or (
            _NUMBER.fullmatch(kind.name) is None and resources(self.program).raw(written, function) is not None
        )

    def _releases(self, cls: Class) -> bool:
        """Whether the class ends something when it is destroyed; a destructor that nobody sees is believed."""
        return self._owns.ask(cls, lambda: self._is_owner(cls))

    def _is_owner(self, cls: Class) -> bool:
        end = cls.destructor
        seen = cls.record.destructor in ("declared", "defined")
        return seen and (end is None or bool(resources(self.program).members_ended(end)))

    def _may_empty(self, method: Function) -> bool:
        """Whether a method may hand out a member and empty it. Needs no decoding."""
        record = method.record
        if record.parameters or not record.result or not method.is_short or types.parse(record.result).last == "void":
            return False
        return any(name.startswith("=") or name in ("exchange", "swap") for name in method.mentioned)

    def _empties(self, method: Function) -> bool:
        return self._emptying.ask(method, lambda: self._may_empty(method) and self._hands_out_and_empties(method))

    def _hands_out_and_empties(self, method: Function) -> bool:
        """The result is raw, and a member is set to something on the way out."""
        if not self._is_raw(method.record.result, method):
            kind = types.parse(method.record.result)
            if (
                kind.arguments
                or _NUMBER.fullmatch(kind.name)
                or not OWNING.isdisjoint(self.program.types.roles(kind.name, method))
            ):
                return False
            cls = self.program.names.find_class(kind.name, method.record.scope, method.file)
            if cls is None or cls.record.destructor in ("declared", "defined"):
                return False
        if method.mentions("exchange"):
            return True
        written = any(write.place[0] == THIS and not write.fresh for write in method.flow.writes)
        return written and any(leave.kind == "return" and leave.value is not None for leave in method.flow.leaves)


@each_function
def _hands_out(function: Function) -> bool:
    """Whether a function of the project that is not declared to hands out an owned handle."""
    found = resources(function.program)
    if function.name not in found.acquiring_names or function.name in found.declared_names:
        return False
    if not function.says(_NEW) and not function.mentions_any(found.acquiring_names):
        return False
    duty = found.duties.of(function)
    return duty.made is not None or bool(duty.outs)


@program_question
def handing(program: Program) -> Handing:
    """One object a program, since its answers are remembered."""
    return Handing(program)


def _by_its_name(call: r.Call) -> str:
    return f"that `{called(call)}` gives up ownership is inferred from its name"


# --- what a call fills in ---

_ADDRESS = re.compile(rb'"&"')
_POINTER = re.compile(rb"\w ?\*\"")
"""A declared type that ends so."""
_OWNS = re.compile(rb"tr\b(?<=(?:_p|[a-z]P)tr)")


@question
def may_be_filled(function: Function) -> bool:
    """False when no local is filled in through its address and given to an owner. Needs no decoding."""
    if not (function.mentions("reset") or function.says(_OWNS)):
        return False
    return function.says(_ADDRESS) and function.says(_POINTER)


@flow_question
def adopted(function: Function) -> frozenset[str]:
    """Locals, pointers to objects, that the function gives to an owner: `owner.reset(p)`, `unique_ptr<T> owner(p)`."""
    if not may_be_filled(function):
        return frozenset()
    found = resources(function.program)
    given: set[str] = set()
    for event in function.flow.calls:
        first = strip(event.node.args[0]) if event.node.args else None
        if not isinstance(first, r.Name) or not _is_pointer(function, first.text):
            continue
        if found.taking(event.node, function, 0) == "adopted":
            given.add(first.text)
    return frozenset(given)


def filled(function: Function, call: r.Call) -> Acquisition | None:
    """What a call of which no body is seen writes to a local that an owner is given later. A look-up is none: what it
    finds may be taken out of where it is kept in between."""
    if call.kind != "call" or not may_be_filled(function):
        return None
    for index, given in enumerate(call.args):
        match strip(given):
            case r.Unary(op="&", value=r.Name(text=name)) if name in adopted(function):
                if is_getter(last_name(call.callee)) or function.program.calls.callee(call, function).functions:
                    return None
                certainty = because("name", f"that `{name}` is owned is inferred from where it is passed")
                return Acquisition(argument(index), (), "it is passed to an owner later", certainty)
    return None


def part_of_new(function: Function, call: r.Call) -> Acquisition | None:
    """`part = (new Whole(x))->part()`: from there on the part is the only way to the object."""
    callee = strip(call.callee)
    made = strip(callee.base) if isinstance(callee, r.Member) else None
    if not isinstance(made, r.Call) or made.kind != "new":
        return None
    records = function.program.calls.callee(call, function).records
    if not records or not all(types.parse(record.result).pointers == 1 for record in records):
        return None
    why = because("sharing", f"harmless if `{text(made.callee)}` passes itself on")
    return Acquisition(RESULT, (), "returned by a new object", why)


def _is_pointer(function: Function, name: str) -> bool:
    if name not in function.locals or name in function.parameter_names:
        return False
    kind = types.parse(function.locals[name][0])
    return kind.pointers == 1 and kind.last not in ("void", "char")


# --- arenas ---

_BYTES = frozenset({"void", "char", "byte", "uint8_t"})


def is_arena(written: str, function: Function) -> bool:
    """Whether a value of that type, or what it points to, is an arena."""
    if not written:
        return False
    program = function.program
    bare = written.rstrip("&* ")
    if "arena" in program.types.roles(bare, function):
        return True
    cls = program.names.find_class(types.parse(bare).name, function.record.scope, function.file)
    return cls is not None and any(_is_modelled(one) or _hands_out_for_good(one) for one in cls.ancestry)


def _is_modelled(cls: Class) -> bool:
    named = (cls.symbol, *(base.name for base in cls.record.bases))
    return any("arena" in cls.program.types.roles_at(name, cls.file, cls.symbol) for name in named)


def _hands_out_for_good(cls: Class) -> bool:
    """Whether it has a destructor, a method that answers bare memory of a size, and none that is named after taking
    something back."""
    if cls.record.destructor not in ("declared", "defined"):
        return False
    methods = [one for one in cls.declarations if one.kind == "method"]
    return any(_allocates(one) for one in methods) and not any(releasing_verb(one.name) for one in methods)


def _allocates(record: r.FunctionRecord) -> bool:
    kind = types.parse(record.result)
    if kind.pointers != 1 or kind.last not in _BYTES or not record.parameters or "static" in record.qualifiers:
        return False
    return all(not types.parse(one.type).pointers for one in record.parameters) and "const" not in record.qualifiers
