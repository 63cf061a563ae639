"""Calls of what others have stored: callbacks in members, in variables and in containers of them, however deep.

What runs then is not the project's to know: it may lock what it likes, call back, or take as long as it wants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint import steps
from ownlint.domains import acquired, locks
from ownlint.domains.reach import DEEPEST, Reach, outside
from ownlint.engine.assignments import place
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.places import Place, names_in, strip
from ownlint.patterns import AnyName, strings
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import each_function, program_property, program_question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Class, Function

Holder = tuple[str, str]
"""The class and its member, or nothing and the variable."""
_WORD = re.compile(r"\w+")
_CALLABLE = frozenset({"callable", "python object", "python handle"})
_LEAVES_NOTHING = frozenset({"void", ""})


class StoredCall(NamedTuple):
    """Event `at` of a function calls what is stored as `name`, at `span` of `where`. `holder` is what it is stored
    in, `held` are the locks that are held there on every path, `given_up` those of the function's caller that have
    been let go by then: places in the function's own words, `ELSEWHERE` where it has none."""

    at: int
    name: str
    where: Function
    span: r.Span
    holder: Place
    held: tuple[tuple[Place, acquired.Key], ...] = ()
    given_up: frozenset[Place] = frozenset()


class StoredCalls:
    """Which functions of one program call what others have stored."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.acquisitions = acquired.acquisitions(program)
        self._made: Circular[Function, tuple[StoredCall, ...]] = Circular((), DEEPEST)

    def made(self, function: Function) -> tuple[StoredCall, ...]:
        """The calls that a body makes of what is stored, itself or in what it calls, in order; of a callee only the
        first that it makes with no lock of its own."""

        def answer() -> tuple[StoredCall, ...]:
            before = steps.start(function.file.size)  # all who ask share it: none pays for the others
            try:
                return self._ask(function, function.flow.events)
            finally:
                steps.stop(before)

        return self._made.ask(function, answer)

    def made_under_lock(self, function: Function) -> Iterator[StoredCall]:
        """Those of them that are made while a lock is held."""
        locking = self.acquisitions.locking
        if locking.may_lock(function) or locks.required(function):
            held = locking.held(function)
            events = [function.flow.events[index] for index in sorted(held) if held[index]]
            yield from (one for one in self._ask(function, events) if one.held)

    def _ask(self, function: Function, events: Sequence[e.Event]) -> tuple[StoredCall, ...]:
        if not self._reach.may_come(function):
            return ()
        found = sorted([*self._own(function, events), *self._below(function, events)], key=lambda one: one.at)
        gone = self.acquisitions.given_up(function) if found else {}
        return tuple(
            one._replace(
                held=tuple(
                    (lock, key)
                    for lock, key in self.acquisitions.exclusive(function, one.at).items()
                    if lock not in one.given_up and not key.again and _belongs(one, lock, key)
                ),
                given_up=one.given_up | gone.get(one.at, frozenset()),
            )
            for one in found
        )

    def _own(self, function: Function, events: Sequence[e.Event]) -> Iterator[StoredCall]:
        for event in events if function in self._reach.own else ():
            is_call = isinstance(event, e.CallEvent) and event.node.kind == "call"
            stored = self.stored(function, event.node.callee) if isinstance(event, e.CallEvent) and is_call else None
            if not isinstance(event, e.CallEvent) or stored is None or self._is_computation(function, event, stored):
                continue
            holder = place(function, stored)
            if holder is not None and self._is_others(function, holder):
                yield StoredCall(event.index, text(stored, 60), function, event.span, holder)

    def _below(self, function: Function, events: Sequence[e.Event]) -> Iterator[StoredCall]:
        for event in events:
            callee = self._reach.runs(function, event)
            if callee is None or self.acquisitions.is_given_guard(callee):
                continue
            for one in self.made(callee):
                holder = outside(function, event, callee, one.holder)
                if not one.held and self._is_others(function, holder):
                    given_up = frozenset(outside(function, event, callee, lock) for lock in one.given_up)
                    yield one._replace(at=event.index, holder=holder, given_up=given_up)
                    break

    def _is_computation(self, function: Function, call: e.CallEvent, stored: r.Value) -> bool:
        """Whether what is called answers with a value that is wanted: a clock, an order, a factory. Who only tells
        others something wants no more than to know whether it went well."""
        answer = self._answer(self.program.types.of(stored, function))
        tells = not types.parse(answer).arguments and self.program.statuses.of(answer, function) is not None
        return answer not in _LEAVES_NOTHING and not call.dropped and not tells

    @staticmethod
    def _is_others(function: Function, holder: Place) -> bool:
        """Whether it is known in what a callback is stored, and that is no object of the function's own, in which
        nobody else can have put it."""
        return holder[0] != locks.ELSEWHERE and not locks.is_made_in(function, holder[0])

    # --- what is stored ---

    def stored(self, function: Function, callee: r.Value) -> r.Value | None:
        """The member or variable that holds what a call calls, where others have put it there; None for any other call.
        Through locals that copy it, point to it or walk over it."""
        seen: set[str] = set()
        value = strip(callee)
        while value is not None:
            match value:
                case r.Name(text=name) if name in function.declared:
                    if name in seen or name not in function.locals:
                        return None
                    seen.add(name)
                    value = strip(function.locals[name][1])
                case (
                    r.Unary(op="*" | "&", value=inner)
                    | r.Index(base=inner)
                    | r.Member(base=inner, name="first" | "second")
                ):
                    value = strip(inner)
                case r.Call(callee=r.Member(base=inner)) if self._holds_callables(
                    self.program.types.of(inner, function), function.file, function.record.scope
                ):
                    value = strip(inner)
                case _:
                    return value if self._is_handed_in(function, value) else None
        return None

    def holder(self, function: Function, callee: r.Value) -> Holder | None:
        """In which member or variable others have put what a call calls, also where a lambda has captured it; None for
        any other call."""
        value = self.stored(function, callee)
        if value is not None:
            return self._holder(function, value)
        outer = _captured(function, callee)
        return self.holder(*outer) if outer is not None else None

    def _is_handed_in(self, function: Function, value: r.Value) -> bool:
        found = self._holder(function, value)
        return found is not None and found in self._handed_in

    def _holder(self, function: Function, value: r.Value | None) -> Holder | None:
        """Which member or variable an expression names, that holds callables; of an element, what it is an element
        of."""
        program = self.program
        value = strip(value)
        while isinstance(value, r.Index):
            value = strip(value.base)
        if isinstance(value, r.Member):
            owner = next(program.types.classes_of(program.types.of(value.base, function), function), None)
            return _of_field(owner, value.name)
        if not isinstance(value, r.Name) or value.text in function.declared:
            return None
        return _of_field(function.home, value.text) or ("", value.text.rpartition("::")[2])

    @program_property
    def _handed_in(self) -> frozenset[Holder]:
        """The members and variables that some function gives what a parameter of its own is, or adds it to."""
        return frozenset[Holder]().union(*_handed_by(self.program).values())

    def handed_by(self, function: Function) -> frozenset[Holder]:
        """Those that one function gives that."""
        begun = any(one.name in self._names for one in function.record.initializers)
        if not begun and not (function.language == "cpp" and self._names and function.says(self._said)):
            return frozenset()
        given = {one.name for one in function.record.parameters if self._may_be_callable(function, one.type)}
        return frozenset(self._given(function, given) if given and function.record.kind != "lambda" else ())

    def _given(self, function: Function, given: set[str]) -> Iterator[Holder]:
        for one in function.record.initializers:
            if function.cls is not None and any(not given.isdisjoint(names_in(argument)) for argument in one.args):
                yield function.cls.symbol, one.name
        for event in function.flow:
            match event:
                case e.Write(fresh=False, target=target, value=value) if target is not None and not given.isdisjoint(
                    names_in(value)
                ):
                    holder = self._holder(function, target)
                case e.CallEvent(node=r.Call(callee=r.Member(base=base), args=args)) if any(
                    not given.isdisjoint(names_in(a)) for a in args
                ):
                    holder = self._holder(function, base)
                    yield from self._element_fields(function, base)
                case _:
                    continue
            if holder is not None:
                yield holder

    def _element_fields(self, function: Function, container: r.Value) -> Iterator[Holder]:
        """The callable members of what a container holds, of which one is made from what is put in."""
        for argument in types.parse(self.program.types.of(container, function)).arguments:
            for cls in self.program.types.classes_of(argument, function):
                yield from ((cls.symbol, field.name) for field in cls.record.fields if field.name in self._names)

    def _may_be_callable(self, function: Function, written: str) -> bool:
        """Whether a parameter can be a function: its type is one, or a template's."""
        if types.parse(written).last in _WORD.findall(function.record.template):
            return True
        return self._holds_callables(written, function.file, function.record.scope)

    def _holds_callables(self, written: str, file: File, scope: str) -> bool:
        """Whether a type that is written in a file, inside the scope, is one of functions, or holds some."""
        written = self.program.names.expand(written, file, scope)
        kind = types.parse(written)
        if types.called(written) or not _CALLABLE.isdisjoint(self.program.models.role(kind.name, ())):
            return True
        return any(self._holds_callables(argument, file, scope) for argument in kind.arguments)

    def _answer(self, written: str) -> str:
        """What a function of a type answers, or one that the type holds; empty when that is unknown."""
        answers = (self._answer(argument) for argument in types.parse(written).arguments)
        return types.called(written) or next(filter(None, answers), "")

    @program_property
    def _names(self) -> frozenset[str]:
        """Names of the members and variables that hold callables."""
        found: set[str] = set()
        for file in self.program.files.values():
            if file.language != "cpp":
                continue
            written = [(one.name, one.type, "") for one in file.variables]
            written += [(field.name, field.type, _inside(cls)) for cls in file.classes for field in cls.fields]
            found.update(name for name, kind, scope in written if self._holds_callables(kind, file, scope))
        return frozenset(found)

    @property
    def _sayers(self) -> Iterator[Function]:
        """The functions that say one of the names."""
        return (one for one in self.program.saying(self._said) if one.language == "cpp")

    @program_property
    def _said(self) -> AnyName:
        return strings(self._names)

    @program_property
    def _reach(self) -> Reach:
        said = strings(name for _, name in self._handed_in)
        return Reach(self.program, (one for one in self._sayers if one.says(said)) if self._handed_in else ())


@each_function
def _handed_by(function: Function) -> frozenset[Holder]:
    return stored_calls(function.program).handed_by(function)


def _captured(function: Function, value: r.Value) -> tuple[Function, r.Value] | None:
    """What a name stands for that a lambda has captured, in the function around it."""
    named, around = strip(value), function.parent
    if around is None or function.record.kind != "lambda" or not isinstance(named, r.Name):
        return None
    made = function.expression
    found = next((one for one in made.captures if one.name == named.text), None) if made is not None else None
    meant = found.value if found is not None and found.value is not None else named
    return (around, meant) if found is not None or named.text in around.declared else None


def _of_field(cls: Class | None, name: str) -> Holder | None:
    found = cls.field(name) if cls is not None else None
    return (found[0].symbol, name) if found is not None else None


def _inside(cls: r.ClassRecord) -> str:
    return f"{cls.scope}::{cls.name}" if cls.scope else cls.name


def _belongs(call: StoredCall, lock: Place, key: acquired.Key) -> bool:
    """Whether who has set a callback knows the lock by the same object: the lock and the callback are of one object, or
    the class that calls the callback declares the lock, or both are variables of one file."""
    home = call.where.home
    if home is not None and any(cls.symbol == key.owner for cls in home.ancestry):
        return True
    if len(lock) > 1 and len(call.holder) > 1:
        return lock[0] == call.holder[0]
    variables = {one.name for one in call.where.file.variables}
    return variables.issuperset((key.name, call.holder[0]))


@program_question
def stored_calls(program: Program) -> StoredCalls:
    """The stored calls of a program; one object a program, since its answers are remembered."""
    return StoredCalls(program)


def under_lock(function: Function) -> Iterator[StoredCall]:
    """See `StoredCalls.made_under_lock`."""
    return stored_calls(function.program).made_under_lock(function)
