"""All runs over the functions of a program, for one kind of handles: what each does with what it is given, and what
goes wrong in it, whoever calls it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ownlint.domains.handles.handle_flow import HandleInterpreter
from ownlint.domains.handles.handles import (
    NOBODY,
    Classes,
    Given,
    Handle,
    HandleMisuse,
    Handles,
    HandleSummary,
    is_given,
)
from ownlint.domains.python_calls import OBJECT
from ownlint.facts import records as r
from ownlint.project.program import Program
from ownlint.project.questions import Answers
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Function

_MOST_CALLERS, _MOST_GIVEN = 8, 2
"""From how many callers, and how many of the ways in which they call a function are looked at."""
_DEEPEST_GIVEN, _DEEPEST_IN_CIRCLE = 4, 2
"""Calls below one another of which each is looked at with what it is given, and of a function in a circle of calls.
Functions that call each other with ever more get there; what they are given then is unknown."""


class HandleRun(NamedTuple):
    """What one run over a function has found."""

    misuses: list[HandleMisuse]
    summary: HandleSummary | None
    given: dict[Function, frozenset[Given]]
    """What it gives other functions."""
    further: dict[Function, frozenset[Given]]
    """What these give others then."""


class HandleRuns:
    """`concerned` are the functions that are looked at whatever they are given; `interpreter` is what runs them. In one
    that is not `able` nothing is followed but what it is given."""

    def __init__(
        self,
        program: Program,
        classes: Classes,
        concerned: Callable[[Function], bool],
        interpreter: Callable[[Function, Classes, dict[str, Handles]], HandleInterpreter] = HandleInterpreter,
        able: Callable[[Function], bool] = lambda _: True,
        circling: Callable[[Function], bool] = lambda _: False,
    ) -> None:
        self.program = program
        self.classes = classes
        self.concerned = concerned
        self.able = able
        self.circling = circling
        self.interpreter = interpreter
        self._runs: Circular[tuple[Function, Given, int], HandleRun] = Circular(
            HandleRun([], None, {}, {}), about=lambda asked: asked[0]
        )

        self._inner: list[dict[Function, set[Given]]] = []
        """For each run under way, what is given on by those that stand below it."""
        self._depth = 0
        """How many of the calls that lead to the one that is looked at were given something."""
        self._given: Answers[Function, list[Given]] = Answers([])

    def run(self, function: Function, given: Given = ()) -> HandleRun:
        before = self._depth
        deepest = _DEEPEST_IN_CIRCLE if given and self.circling(function) else _DEEPEST_GIVEN
        self._depth = before + 1 if given and before < deepest else 0
        known = given if self._depth else ()
        try:
            found = self._runs.ask((function, known, self._depth), lambda: self._run(function, known))
        finally:
            self._depth = before
        if self._inner:
            for target, calls in found.given.items():
                self._inner[-1].setdefault(target, set()).update(calls)
        return found

    def _run(self, function: Function, given: Given) -> HandleRun:
        interpreter = self.interpreter(function, self.classes, _passed(function, given))
        inner: dict[Function, set[Given]] = {}
        self._inner.append(inner)
        try:
            misuses = interpreter.run()
        finally:
            self._inner.pop()
        passed_on, further = (
            {target: frozenset(calls) for target, calls in on.items()} for on in (interpreter.given_on, inner)
        )
        return HandleRun(misuses, interpreter.summary(), passed_on, further)

    def misuses_in(self, function: Function) -> list[HandleMisuse]:
        """What goes wrong in a function, whatever it is given, and with what the project's own calls give it."""
        if not self.concerned(function):
            return []
        own = self.run(function).misuses if self.able(function) else []
        found = {_place_of(misuse): misuse for misuse in own}
        taken = {(misuse.at, misuse.child.taken) for misuse in found.values()}
        for given in self.given_by_callers(function):
            for misuse in self.run(function, given).misuses:
                of_given = is_given(misuse.child.token) or misuse.harm is not None  # a walk has no token of its own
                if of_given and (misuse.at, misuse.child.taken) not in taken:
                    found.setdefault(_place_of(misuse), misuse)
        return [found[place] for place in sorted(found)]

    def given_by_callers(self, function: Function) -> list[Given]:
        """What the project's own calls give a function for parameters of which it does not say what they are."""
        return self._given.ask(function, lambda: self._given_by_callers(function))

    def _given_by_callers(self, function: Function) -> list[Given]:
        record = function.record
        if record.kind not in ("function", "method") or all(one.type for one in record.parameters):
            return []
        found: set[Given] = set()
        callers = self._callers(function)
        callers |= {one: None for caller in callers for one in self._callers(caller)}
        for caller in callers:
            if caller is not function and self.able(caller) and self.concerned(caller):
                run = self.run(caller)
                found |= run.given.get(function, frozenset()) | run.further.get(function, frozenset())
        return sorted(found)[:_MOST_GIVEN]

    def _callers(self, function: Function) -> dict[Function, None]:
        callers = [one for one in self.program.index.callers(function) if one.language == "python"]
        return dict.fromkeys(callers[:_MOST_CALLERS])


def _passed(function: Function, given: Given) -> dict[str, Handles]:
    """What the parameters and the variables around a function hold."""
    parameters = {one.name: r.Span(one.start, one.end) for one in function.record.parameters}
    passed: dict[str, set[Handle]] = {}
    for one in given:
        at = parameters.get(one.name, r.Span(function.record.name_start, function.record.name_start))
        shown = one.name + "".join(slot if slot[:1] == "." else "" for slot in one.path)
        token = NOBODY if one.cls[:1] == "%" and not one.cls.startswith(OBJECT) else one.token
        handle = Handle(one.cls, token, one.holds, at, shown, path=one.path)
        passed.setdefault(one.name, set()).add(handle)
    return {name: frozenset(handles) for name, handles in passed.items()}


def _place_of(misuse: HandleMisuse) -> tuple[object, ...]:
    return (misuse.at, misuse.kind, misuse.child.taken, misuse.about)
