"""Where the outcome of a call that hands out a handle goes, beside the handle: its result where an argument gets the
handle, an argument where the result does (`open(path, &error)`, `allocate(size, error)`), or what the object that it
hands out says of itself. A call that failed has handed out nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ownlint.domains import failure, numbers
from ownlint.engine import assignments, ranges
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.asked import is_null
from ownlint.flow.places import Place, is_name, last_name, strip, walk
from ownlint.flow.remembered import remembered
from ownlint.models import habits
from ownlint.project import types
from ownlint.project.pairs import words
from ownlint.project.questions import flow_question, question
from ownlint.project.subjects import Function


class Outcomes:
    """Of one call; `start` is the event from which on there is a handle."""

    def __init__(
        self, function: Function, start: e.Event, call: r.Call, result: Place | None, argument: int | None = None
    ) -> None:
        self.function = function
        self.start = start
        self.call = call
        self.result = result
        """Where the answer of the call goes, when it is not the handle."""
        self.argument = argument
        """Which one gets the handle, when it is not the answer."""

    @cached_property
    def places(self) -> frozenset[Place]:
        result = () if self.result is None else (self.result,)
        return frozenset((*result, *(where for where, is_outcome in self._filled() if is_outcome), *self.errors))

    @cached_property
    def errors(self) -> frozenset[Place]:
        """Those of them that are set only where the answer is null: there is what they get, or a handle."""
        return frozenset(where for where, is_outcome in self._filled() if not is_outcome)

    @cached_property
    def _lent(self) -> frozenset[Place]:
        """Pointers of the function's own that the call is given as they are: what they lead to is the outcome."""
        handed = (
            self._place(strip(argument))
            for index, argument in enumerate(self.call.args)
            if not is_set_by(self.function, self.call, index)
        )
        return frozenset(where for where in handed if where is not None and where in self.errors)

    def _filled(self) -> Iterator[tuple[Place, bool]]:
        """Each with whether it is an outcome; what is set only beside a null answer otherwise."""
        for index, argument in enumerate(self.call.args):
            inner = strip(argument)
            is_own = isinstance(inner, r.Unary) and inner.op == "&"
            if isinstance(inner, r.Unary) and is_own:
                inner = strip(inner.value)
            is_own = is_own or is_set_by(self.function, self.call, index)
            where = self._place(inner)
            if where is None:
                continue
            if is_own and self._is_outcome(inner):
                yield where, True
                continue
            for member in self._set_with_null(index):
                yield (*where, member) if member else where, False

    def _place(self, value: r.Value | None) -> Place | None:
        return assignments.place(self.function, value) if isinstance(value, r.Name | r.Member) else None

    def _set_with_null(self, index: int) -> frozenset[str]:
        """Which members of what the argument leads to, or empty for that itself, are set to more than null only where
        the answer is null, by all that the call may mean; nothing where the answer is not the handle."""
        callee = self.function.program.calls.callee(self.call, self.function)
        if self.argument is not None or not callee.all_defined:
            return frozenset()
        return frozenset.intersection(*(_set_with_null(one).get(index, frozenset()) for one in callee.functions))

    def _is_outcome(self, value: r.Value | None) -> bool:
        """Whether a variable holds how something went: by its type, or by its name."""
        written = self.function.program.types.of(value, self.function)
        kind = types.parse(written)
        if kind.pointers or kind.last.startswith("size"):
            return False
        said = {*words(last_name(value)), *words(kind.last)}
        return self.function.program.statuses.of(written, self.function) is not None or not said.isdisjoint(
            habits.OUTCOMES
        )

    def is_asked(self, value: r.Value, at: e.Event) -> bool:
        """Whether a condition is about the outcome, as the call has left it."""
        return any(self._is_fresh(where, at) for where in self._said(value))

    def _said(self, value: r.Value) -> Iterator[Place]:
        for inner in walk(value):
            where = self._place(strip(inner.value) if isinstance(inner, r.Unary) and inner.op == "*" else inner)
            is_lent = isinstance(inner, r.Unary)
            if where is not None and where in self.places and is_lent is (where in self._lent):
                yield where

    def _is_fresh(self, where: Place, at: e.Event) -> bool:
        """Whether nothing that stands in between sets it anew."""
        low, high = self.start.index, at.index
        flow = self.function.flow
        if any(
            low < write.index < high and write.index in self.behind and not self._is_answer(write)
            for write in flow.writes_to(where)
        ):
            return False
        return not any(
            low < event.index < high and event.index in self.behind and self._fills(event.node, where)
            for event in flow.calls
            if event.node is not self.call
        )

    def _is_answer(self, write: e.Write) -> bool:
        return any(inner is self.call for inner in walk(write.value))

    @cached_property
    def behind(self) -> frozenset[int]:
        return frozenset(event.index for event in self.function.flow.after(self.start))

    def _fills(self, call: r.Call, where: Place) -> bool:
        if where in self._lent:
            return any(self._place(strip(argument)) == where for argument in call.args)
        other = Outcomes(self.function, self.start, call, None)
        return where in other.places

    def failed(self, test: e.Test, outcome: bool) -> bool | None:
        """Whether an outcome of a test says that the call has failed; None where it is about the outcome and says
        neither."""
        return self._failed(test)[outcome]

    @remembered
    def _failed(self, test: e.Test) -> tuple[bool | None, bool | None]:
        return self._has_failed(test, False), self._has_failed(test, True)

    def _has_failed(self, test: e.Test, outcome: bool) -> bool | None:
        if (told := self.by_answer(test, outcome)) is not None:
            return told
        if not self.is_asked(test.value, test):
            return False
        if not self.errors.isdisjoint(self._said(test.value)):
            asked, is_there = _asked(test.value, outcome)
            return is_there if isinstance(asked, r.Name | r.Member | r.Unary) else None
        return failure.says_failure(self.function, test.value, outcome)

    def by_answer(self, test: e.Test, outcome: bool) -> bool | None:
        """Whether the answer of which a test tells is one that the callee never gives once it has set the argument;
        None where it may have set it with any answer."""
        asked, answer = _asked(test.value, outcome)
        if asked is not self.call:
            where = assignments.place(self.function, asked) if isinstance(asked, r.Name | r.Member) else None
            if where is None or where != self.result or not self._is_fresh(where, test):
                return None
        return answer not in self._answers if len(self._answers) == 1 else None

    @cached_property
    def _answers(self) -> frozenset[bool]:
        """What all that the call may mean answer once they have set the argument; empty where that is not known."""
        callee = self.function.program.calls.callee(self.call, self.function)
        if self.argument is None or not callee.all_defined:
            return frozenset()
        told = [_answers_with(one, self.argument) for one in callee.functions]
        return frozenset[bool]().union(*told) if all(told) else frozenset()


def is_set_by(function: Function, call: r.Call, index: int) -> bool:
    """Whether a call may write to an argument, since the parameter is a reference to what is not constant."""
    found = function.program.calls.callee(call, function).records
    given = [types.parse(one.parameters[index].type) for one in found if index < len(one.parameters)]
    return bool(given) and all(kind.reference and not kind.const for kind in given)


def _asked(value: r.Value | None, outcome: bool) -> tuple[r.Value | None, bool]:
    """What a test compares with null, or asks by itself, and whether its outcome says that it is not."""
    match inner := strip(value):
        case r.Unary(op="!" | "not", value=denied):
            return _asked(denied, not outcome)
        case r.Binary(op="!=" | "==" as op, left=left, right=right) if is_null(strip(left)) or is_null(strip(right)):
            return strip(right if is_null(strip(left)) else left), outcome == (op == "!=")
    return inner, outcome


@question
def _set_with_null(callee: Function) -> dict[int, frozenset[str]]:
    """The parameters into what leads to which a function puts more than null, or gives it away to be set, and always
    returns null after that; each with the members that it sets, or the empty name for what is no struct."""
    found: dict[int, frozenset[str]] = {}
    for index, parameter in enumerate(callee.record.parameters):
        kind = types.parse(parameter.type)
        if kind.pointers + kind.reference < 2 and (kind.const or not (kind.pointers or kind.reference)):
            continue
        sets = list(_sets(callee, parameter.name))
        exits = _exits_behind(callee, sets)
        if sets and all(one.kind == "return" and is_null(strip(one.value)) for one in exits):
            members = {_member_set(one, parameter.name) for one in sets}
            if kind.pointers + kind.reference > 1:
                members.add("")  # there is nothing to do but to set it
            found[index] = frozenset(one for one in members if one is not None)
    return found


def _member_set(event: e.Event, name: str) -> str | None:
    """What a write sets behind a parameter: a member, or, by the empty name, what it leads to; None for neither."""
    target = strip(event.target) if isinstance(event, e.Write) else None
    if isinstance(target, r.Member):
        return target.name if is_name(target.base, name) else None
    return "" if _is_behind(target, name) else None


@flow_question
def _answers_with(callee: Function, index: int) -> frozenset[bool]:
    """Whether a function answers with 0, or with something else, once it has put more than null into what a parameter
    leads to; empty where that is not known."""
    if index >= len(callee.record.parameters):
        return frozenset()
    found = set[bool]()
    for event in _sets(callee, callee.record.parameters[index].name):
        for leave in _exits_behind(callee, (event,)):
            told = _answers_at(callee, event, leave, index)
            if not told:
                return frozenset()
            found |= told
    return frozenset(found)


def _answers_at(callee: Function, event: e.Event, leave: e.LeaveEvent, index: int) -> frozenset[bool]:
    """The same of one exit behind what has set it."""
    answer = strip(leave.value) if leave.kind == "return" else None
    if isinstance(answer, r.Call):
        return _answers_of(callee, answer, callee.record.parameters[index].name)
    if is_null(answer):
        return frozenset({False})
    within = ranges.of(answer, lambda name: _known(callee, event, leave, name))
    is_zero, is_more = (ranges.can_be(op, within, ranges.Range(0, 0)) for op in ("==", "!="))
    return frozenset({is_more}) if answer is not None and is_zero is not is_more else frozenset()


def _answers_of(callee: Function, call: r.Call, name: str) -> frozenset[bool]:
    """Of a call that sets it, and of which the answer is handed on."""
    given = [at for at, argument in enumerate(call.args) if is_name(argument, name)]
    inner = callee.program.calls.callee(call, callee)
    if len(given) != 1 or not inner.all_defined or callee in inner.functions:
        return frozenset()
    told = [_answers_with(one, given[0]) for one in inner.functions]
    return frozenset[bool]().union(*told) if all(told) else frozenset()


def _known(callee: Function, event: e.Event, leave: e.LeaveEvent, name: str) -> ranges.Range:
    """What is known at an exit of a number: a constant, or what was asked before something was set on the way."""
    if name not in callee.declared:
        return numbers.constant(name, callee)
    found = ranges.ANY
    for test, outcome in callee.flow.guards(event):
        asked = strip(test.value)
        if not isinstance(asked, r.Binary) or asked.op not in ranges.COMPARISONS or not is_name(asked.left, name):
            continue
        if not callee.flow.sets_between(test, leave, frozenset((name,)), again=False):
            other = ranges.of(asked.right, lambda said: numbers.constant(said, callee))
            found = ranges.narrowed(asked.op if outcome else ranges.opposite(asked.op), found, other)
    return found


def _sets(callee: Function, name: str) -> Iterator[e.Event]:
    """What puts more than null into what a parameter leads to, or may do so."""
    macros = callee.program.macros
    for event in callee.flow:
        match event:
            case e.CallEvent(node=node) if any(is_name(argument, name) for argument in node.args) or (
                name in macros.words(last_name(node.callee))
            ):
                yield event
            case e.Write(target=target, value=value) if is_name(value, name) or (
                _is_behind(target, name) and not is_null(strip(value))
            ):
                yield event


def _exits_behind(callee: Function, events: Iterable[e.Event]) -> Iterator[e.LeaveEvent]:
    return (one for event in events for one in callee.flow.after(event) if isinstance(one, e.LeaveEvent))


def _is_behind(target: r.Value | None, name: str) -> bool:
    inner = strip(target)
    while isinstance(inner, r.Member | r.Index):
        inner = strip(inner.base)
        if is_name(inner, name):
            return True
    return isinstance(inner, r.Unary) and inner.op == "*" and is_name(inner.value, name)
