"""Where the outcome of a call that hands out a handle goes, beside the handle: its result where an argument gets the
handle, an argument where the result does (`open(path, &error)`, `allocate(size, error)`), or what the object that it
hands out says of itself. A call that failed has handed out nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ownlint.domains import failure
from ownlint.engine import assignments
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.asked import is_null
from ownlint.flow.places import Place, last_name, strip, walk
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
        """Those of them that get the error itself, while the answer is null then: there is an error, or a handle."""
        return frozenset(where for where, is_outcome in self._filled() if not is_outcome)

    def _filled(self) -> Iterator[tuple[Place, bool]]:
        """Each with whether it is an outcome; an error that is an object otherwise."""
        for index, argument in enumerate(self.call.args):
            inner = strip(argument)
            if isinstance(inner, r.Unary) and inner.op == "&":
                inner = strip(inner.value)
            elif not is_set_by(self.function, self.call, index):
                continue
            where = assignments.place(self.function, inner) if isinstance(inner, r.Name | r.Member) else None
            if where is not None and (is_outcome := self._is_outcome(inner)) is not self._is_error(inner, index):
                yield where, is_outcome

    def _is_error(self, value: r.Value | None, index: int) -> bool:
        """Whether a variable is a pointer that is named as an error, and all that the call may mean answer with null
        wherever they set it."""
        written = self.function.program.types.of(value, self.function)
        kind = types.parse(written)
        if kind.pointers != 1 or not {*words(last_name(value)), *words(kind.last)} & {"err", "error"}:
            return False
        callee = self.function.program.calls.callee(self.call, self.function)
        return callee.all_defined and all(index in _set_with_null(one) for one in callee.functions)

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
            if isinstance(inner, r.Name | r.Member):
                where = assignments.place(self.function, inner)
                if where is not None and where in self.places:
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
        other = Outcomes(self.function, self.start, call, None)
        return where in other.places

    def failed(self, test: e.Test, outcome: bool) -> bool | None:
        """Whether an outcome of a test says that the call has failed; None where it is about the outcome and says
        neither."""
        if (told := self.by_answer(test, outcome)) is not None:
            return told
        if not self.is_asked(test.value, test):
            return False
        if not self.errors.isdisjoint(self._said(test.value)):
            return _is_there(test.value, outcome)
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


def _is_there(value: r.Value | None, outcome: bool) -> bool | None:
    """Whether the outcome of a test says that a pointer is not null; None where it says neither."""
    asked, there = _asked(value, outcome)
    return there if isinstance(asked, r.Name | r.Member) else None


def _asked(value: r.Value | None, outcome: bool) -> tuple[r.Value | None, bool]:
    """What a test compares with null, or asks by itself, and whether its outcome says that it is not."""
    match inner := strip(value):
        case r.Unary(op="!" | "not", value=denied):
            return _asked(denied, not outcome)
        case r.Binary(op="!=" | "==" as op, left=left, right=right) if is_null(strip(left)) or is_null(strip(right)):
            return strip(right if is_null(strip(left)) else left), outcome == (op == "!=")
    return inner, outcome


@question
def _set_with_null(callee: Function) -> frozenset[int]:
    """The parameters that a function sets, or gives away to be set, and always returns null after that."""
    found = set[int]()
    for index, parameter in enumerate(callee.record.parameters):
        sets = list(_sets(callee, parameter.name))
        if sets and all(one.kind == "return" and is_null(strip(one.value)) for one in _exits_behind(callee, sets)):
            found.add(index)
    return frozenset(found)


@flow_question
def _answers_with(callee: Function, index: int) -> frozenset[bool]:
    """Whether a function answers with 0, or with something else, once it has put more than null into what a parameter
    leads to; empty where that is not known."""
    if index >= len(callee.record.parameters):
        return frozenset()
    name = callee.record.parameters[index].name
    sets = [one for one in _sets(callee, name) if not isinstance(one, e.Write) or not is_null(strip(one.value))]
    said = [strip(one.value) if one.kind == "return" else None for one in _exits_behind(callee, sets)]
    if not all(isinstance(one, r.Literal) and one.kind in ("int", "bool", "null") for one in said):
        return frozenset()
    return frozenset(
        not is_null(one) and (one.kind != "bool" or one.is_true) for one in said if isinstance(one, r.Literal)
    )


def _sets(callee: Function, name: str) -> Iterator[e.Event]:
    """What sets what a parameter leads to, or may do so."""
    for event in callee.flow:
        match event:
            case e.CallEvent(node=node) if any(_is_named(argument, name) for argument in node.args):
                yield event
            case e.Write(target=target) if _is_behind(target, name):
                yield event


def _exits_behind(callee: Function, events: Iterable[e.Event]) -> Iterator[e.LeaveEvent]:
    return (one for event in events for one in callee.flow.after(event) if isinstance(one, e.LeaveEvent))


def _is_named(value: r.Value | None, name: str) -> bool:
    inner = strip(value)
    return isinstance(inner, r.Name) and inner.text == name


def _is_behind(target: r.Value | None, name: str) -> bool:
    inner = strip(target)
    return isinstance(inner, r.Unary) and inner.op == "*" and _is_named(inner.value, name)
