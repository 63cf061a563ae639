"""Calls of what others have stored: callbacks in members, in variables and in containers of them, however deep.

What runs then is not the project's to know: it may lock what it likes, call back, or take as long as it wants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint.domains import acquired, locks
from ownlint.domains.reach import Reach, outside
from ownlint.engine.assignments import place
from ownlint.engine.recursion import Circular
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.places import Place, strip, walk
from ownlint.patterns import strings
from ownlint.project import types
from ownlint.project.once import per_program, shared_property
from ownlint.project.program import Program
from ownlint.project.subjects import Class, Function

_CALLABLE = frozenset({"callable", "python object", "python handle"})
_LEAVES_NOTHING = frozenset({"void", ""})
_UNKNOWN: Place = (locks.ELSEWHERE,)


class StoredCall(NamedTuple):
    """Event `index` of a function calls what is stored as `name`, at `span` of `where`. `holder` is what it is stored
    in, `held` are the locks that are held there on every path, `given_up` those of the function's caller that have
    been let go by then: places in the function's own words, `ELSEWHERE` where it has none."""

    index: int
    name: str
    where: Function
    span: r.Span
    holder: Place
    held: tuple[Place, ...] = ()
    given_up: frozenset[Place] = frozenset()

    @property
    def is_traced(self) -> bool:
        """Whether it is known whose callback it is."""
        return self.holder[0] != locks.ELSEWHERE


class StoredCalls:
    """Which functions of one program call what others have stored."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.acquisitions = acquired.acquisitions(program)
        self._made: Circular[Function, tuple[StoredCall, ...]] = Circular(())
        self._handed_in: dict[Class, frozenset[str]] = {}

    def made(self, function: Function) -> tuple[StoredCall, ...]:
        """The calls that a body makes of what is stored, itself or in what it calls, in order; of a callee only the
        first that it makes with no lock of its own."""
        return self._made.ask(function, lambda: self._ask(function, function.flow.events))

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
        found = sorted([*self._own(function, events), *self._below(function, events)], key=lambda one: one.index)
        gone = self.acquisitions.given_up(function) if found else {}
        return tuple(
            one._replace(
                held=tuple(lock for lock in self.acquisitions.exclusive(function, one.index) if lock not in one.given_up),
                given_up=one.given_up | gone.get(one.index, frozenset()),
            )
            for one in found
        )

    def _own(self, function: Function, events: Sequence[e.Event]) -> Iterator[StoredCall]:
        for event in events if function in self._reach.own else ():
            is_call = isinstance(event, e.Call) and event.node.kind == "call"
            stored = self.stored(function, event.node.callee) if isinstance(event, e.Call) and is_call else None
            if not isinstance(event, e.Call) or stored is None or self._is_computation(function, event, stored):
                continue
            holder = place(function, stored)
            if not self._is_made_here(function, holder):
                yield StoredCall(event.index, text(stored, 60), function, event.span, holder or _UNKNOWN)

    def _below(self, function: Function, events: Sequence[e.Event]) -> Iterator[StoredCall]:
        for event in events:
            callee = self._reach.runs(function, event)
            if callee is None or self.acquisitions.is_given_guard(callee):
                continue
            for one in self.made(callee):
                holder = outside(function, event, callee, one.holder) if one.holder != _UNKNOWN else _UNKNOWN
                if not one.held and not self._is_made_here(function, holder):
                    given_up = frozenset(outside(function, event, callee, lock) for lock in one.given_up)
                    yield one._replace(index=event.index, holder=holder, given_up=given_up)
                    break

    def _is_computation(self, function: Function, call: e.Call, stored: r.Value) -> bool:
        """Whether what is called answers with a value that is wanted: a clock, an order, a factory. Who only tells
        others something wants no more than to know whether it went well."""
        answer = self._answer(self.program.type_of(stored, function))
        return answer not in _LEAVES_NOTHING and not call.dropped and self.program.status(answer, function) is None

    @staticmethod
    def _is_made_here(function: Function, holder: Place | None) -> bool:
        """Whether the callback is stored in an object of the function's own, where nobody else can have put it."""
        return holder is not None and locks.is_made_in(function, holder[0])

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
                    self.program.type_of(inner, function)
                ):
                    value = strip(inner)
                case _:
                    return value if self._is_handed_in(function, value) else None
        return None

    def _is_handed_in(self, function: Function, value: r.Value) -> bool:
        program = self.program
        if isinstance(value, r.Member):
            owners = list(program.classes_of(program.type_of(value.base, function), function))[:1]
            found = owners[0].field(value.name) if owners else None
        elif isinstance(value, r.Name):
            found = function.home.field(value.text) if function.home is not None else None
            if found is None:
                return program.is_variable(value.text) and value.text in _handed_variables(function)
        else:
            return False
        if found is None or not self._holds_callables(program.expand(found[1].type, found[0].file, found[0].symbol)):
            return False
        return found[1].access == "public" or found[1].name in self.handed_in(found[0])

    def handed_in(self, cls: Class) -> frozenset[str]:
        """The private members that are given what a parameter of one of the class's methods is."""
        if cls not in self._handed_in:
            self._handed_in[cls] = frozenset(name for method in cls.methods for name in _from_parameters(method))
        return self._handed_in[cls]

    def _holds_callables(self, written: str) -> bool:
        """Whether a type is one of functions, or holds some."""
        kind = types.parse(written)
        if types.called(written) or not _CALLABLE.isdisjoint(self.program.models.role(kind.name, ())):
            return True
        return any(self._holds_callables(argument) for argument in kind.arguments)

    def _answer(self, written: str) -> str:
        """What a function of a type answers, or one that the type holds; empty when that is unknown."""
        answers = (self._answer(argument) for argument in types.parse(written).arguments)
        return types.called(written) or next(filter(None, answers), "")

    @shared_property
    def _reach(self) -> Reach:
        names = {
            one.name
            for file in self.program.files.values()
            if file.language == "cpp"
            for one in (*file.variables, *(field for cls in file.classes for field in cls.fields))
            if self._holds_callables(self.program.expand(one.type, file))
        }
        said = strings(names)
        return Reach(
            self.program, (f for f in self.program.functions if f.language == "cpp" and names and f.says(said))
        )


def _from_parameters(function: Function) -> frozenset[str]:
    """The members, or variables, that a function gives what its parameters are, or adds it to."""
    given = {parameter.name for parameter in function.record.parameters}
    if not given or function.record.kind == "lambda":
        return frozenset()
    found = {one.name for one in function.record.initializers if any(_says(argument, given) for argument in one.args)}
    for event in function.flow:
        match event:
            case e.Write(fresh=False, place=where, value=value) if _says(value, given):
                found.update(where)
            case e.Call(receiver=where, node=node) if where is not None and any(_says(one, given) for one in node.args):
                found.update(where)
    return frozenset(found)


def _says(value: r.Value | None, names: set[str]) -> bool:
    return any(isinstance(part, r.Name) and part.text in names for part in walk(value))


def _handed_variables(function: Function) -> frozenset[str]:
    """The variables that functions of the same file give what their parameters are."""
    beside = (function.program.function_at(function.file, index) for index in range(len(function.file.functions)))
    return frozenset(name for other in beside if other is not None for name in _from_parameters(other))


@per_program
def stored_calls(program: Program) -> StoredCalls:
    """The stored calls of a program; one object a program, since its answers are remembered."""
    return StoredCalls(program)


def under_lock(function: Function) -> Iterator[StoredCall]:
    """See `StoredCalls.made_under_lock`."""
    return stored_calls(function.program).made_under_lock(function)
