"""Of a change under review, the subjects of which a finding can lead through a changed line.

A finding stands in its subject, and its steps lead from there to what the subject calls, is called by, is a member of
or declares it with. So a subject can only touch the change where one of these holds, whatever the rules say of it:

* it stands in a file that has changed lines;
* it calls, at any depth, a function with changed lines, or hands it on, or says the name of something else that is
  declared on one: a class, a field, a macro, a variable, an alias, what is bound to Python;
* it is called by a function with changed lines, or handed on by it, or by what that calls: a finding further down has
  no step in the function where the calls began;
* it belongs to the class of such a function, to one of its bases, or to a class derived from it;
* it has the name of a function with changed lines, but for the words that tell parallel backends apart;
* it is a class, and a function with changed lines says its name or that of a field of it;
* it is a rule's look at the whole program.

What a call reaches is asked of the project as the engine asks it; where the callee is unknown, its name decides.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ownlint.catalogue import SubjectCase
from ownlint.facts import records as r
from ownlint.flow.places import last_name
from ownlint.patterns import WORD, AnyName
from ownlint.project import questions
from ownlint.project.callees import Callee
from ownlint.project.subjects import Binding, Class, Function
from ownlint.steps import LimitError, start, stop

if TYPE_CHECKING:
    from ownlint.project.program import Program

_MOST_CALLED = 2
"""Calls from what is changed to what can lead back there."""

Ranges = Mapping[str, Sequence[tuple[int, int]]]
"""By path, the offsets at which changed lines begin and end."""


class Touching(NamedTuple):
    """What can lead through a changed line."""

    paths: frozenset[str]
    """The files with changed lines."""
    functions: frozenset[Function]
    classes: frozenset[Class]
    names: frozenset[str]
    """Of what is bound to Python."""

    def has(self, case: SubjectCase) -> bool:
        """Whether a finding of one of its rules can."""
        subject = case.subject
        if not case.number or case.path in self.paths:
            return True
        match subject:
            case Function():
                return subject in self.functions
            case Class():
                return subject in self.classes
            case Binding():
                return not self.names.isdisjoint(_names_of(subject))
        return True


def touching(program: Program, changed: Ranges) -> Touching | None:
    """None where that takes too many steps: then all may."""
    before = start(program.size)
    found: Touching | None = None
    with questions.noting(), contextlib.suppress(LimitError, RecursionError):
        found = _Search(program, changed).found()
    return found if stop(before) else None


class _Search:
    def __init__(self, program: Program, changed: Ranges) -> None:
        self._program = program
        self._index = program.index
        self._changed = {path: ranges for path, ranges in changed.items() if ranges}
        self._families: dict[Function, list[Function]] = {}
        """By the outermost function, what is nested in it, and itself."""
        for function in self._index.functions:
            self._families.setdefault(_outermost(function), []).append(function)

    def found(self) -> Touching:
        changed = [one for one in self._index.functions if self._is_changed(one.path, one.record)]
        names = frozenset(one.name for one in self._declared() if not isinstance(one, r.FunctionRecord))
        classes = self._families_of(changed)
        saying = self._saying(names)
        at_home = (one for one in saying if one.home in classes)
        direct = [*changed, *self._declared_callers(), *self._handing_on(changed), *at_home]
        callers = self._callers(self._whole(direct))
        called = self._called(self._whole(changed))
        members = {method for cls in classes for method in cls.methods}
        functions = self._whole([*callers, *called, *saying, *members, *self._namesakes(changed)])
        said = frozenset(word.decode(errors="replace") for one in changed for word in WORD.findall(one.encoded))
        classes |= {one.home for one in functions if one.home is not None}
        classes |= {cls for cls in self._index.classes if cls.name in said or not said.isdisjoint(cls.fields)}
        bound = names | {one.name for one in callers}
        return Touching(frozenset(self._changed), frozenset(functions), frozenset(classes), bound)

    def _is_changed(self, path: str, node: r.Node) -> bool:
        return any(first < node.end and node.start < last for first, last in self._changed.get(path, ()))

    def _whole(self, some: Iterable[Function]) -> set[Function]:
        """With the functions in and around them."""
        return {one for outer in {_outermost(each) for each in some} for one in self._families[outer]}

    # --- what is declared on changed lines ---

    def _declared(self) -> Iterator[_Declaration]:
        """What is declared on a changed line outside of all bodies."""
        for path, ranges in self._changed.items():
            said = self._program.said.get(path)
            if said is None:
                continue
            bodies = [(one.start, one.end) for one in said.functions if one.defined]
            outside = [(a, b) for a, b in ranges if not any(start <= a and b <= end for start, end in bodies)]
            for one in _declarations(said):
                if one.name and any(first < one.end and one.start < last for first, last in outside):
                    yield one

    def _saying(self, names: frozenset[str]) -> list[Function]:
        pattern = AnyName(names)
        return [one for one in self._index.functions if one.says(pattern)] if names else []

    def _declared_callers(self) -> Iterator[Function]:
        """Those of functions that are declared on a changed line."""
        for record in self._declared():
            if isinstance(record, r.FunctionRecord):
                yield from (one for one in self._index.callers_by_name(record.name) if self._calls(one, record))

    # --- calls ---

    def _callers(self, functions: set[Function]) -> set[Function]:
        """With all that call one of them, at any depth."""
        found, fresh = set(functions), sorted(functions, key=lambda one: one.key)
        while fresh:
            callers = {
                caller
                for one in fresh
                for caller in self._index.callers(one)
                if caller not in found and self._calls(caller, one.record)
            }
            fresh = sorted(self._whole(callers) - found, key=lambda one: one.key)
            found.update(fresh)
        return found

    def _calls(self, caller: Function, record: r.FunctionRecord) -> bool:
        """Whether one of its calls can reach the function, as far as anybody knows."""
        calls = [call for call in caller.calls() if last_name(call.callee) == record.name]
        if not calls or caller.language == "python":
            return True
        for call in calls:
            reached = self._program.calls.callee(call, caller)
            if reached.records and (not reached.functions or any(one is record for one in _reached(reached))):
                return True
        return False

    def _called(self, functions: set[Function]) -> set[Function]:
        """With what they call or hand on, and what that does."""
        found, fresh = set(functions), sorted(functions, key=lambda one: one.key)
        for _ in range(_MOST_CALLED):
            called = {
                function
                for caller in fresh
                for call in caller.calls()
                for function in self._program.calls.callee(call, caller).functions
            }
            called |= {
                function
                for caller in fresh
                for name in _handed_on(caller)
                for function in self._index.functions_called(name)
            }
            fresh = sorted(self._whole(called) - found, key=lambda one: one.key)
            found.update(fresh)
        return found

    def _handing_on(self, changed: Sequence[Function]) -> Iterator[Function]:
        """The functions that name one of these and do not call it."""
        names = frozenset(one.name for one in changed if one.record.kind != "lambda")
        return (one for one in self._saying(names) if not names.isdisjoint(_handed_on(one)))

    # --- classes and names ---

    def _families_of(self, changed: Sequence[Function]) -> set[Class]:
        """The classes of these functions, their bases, and what is derived from them."""
        homes = {one.home for one in changed if one.home is not None}
        found = {base for cls in homes for base in (cls, *cls.ancestry)}
        return found | {cls for cls in self._index.classes if not homes.isdisjoint(cls.ancestry)}

    def _namesakes(self, changed: Sequence[Function]) -> Iterator[Function]:
        blank = cache(self._blank)
        names = {blank(one.name) for one in changed if one.record.kind != "lambda"}
        return (one for one in self._index.functions if blank(one.name) in names)

    def _blank(self, name: str) -> str:
        """Without the words that tell backends apart."""
        text = name.casefold()
        for word in (word for group in self._program.parity for word in group):
            text = text.replace(word.casefold(), "")
        return text


def _handed_on(function: Function) -> set[str]:
    """Last names of what it may give to others as a value, functions among it."""
    called = {id(call.callee) for call in function.calls()}
    named = (one for one in function.values if isinstance(one, r.Name) and id(one) not in called)
    return {one.text.rpartition("::")[2] for one in named if one.text not in function.locals}


def _outermost(function: Function) -> Function:
    while (around := function.parent) is not None:
        function = around
    return function


_Declaration = (
    r.ClassRecord | r.Field | r.FunctionRecord | r.Alias | r.Macro | r.Variable | r.BindingRecord | r.BoundClass
)


def _declarations(said: r.FileRecord) -> Iterator[_Declaration]:
    """All of a file, but for functions with a body."""
    for cls in said.classes:
        yield cls
        yield from cls.fields
    yield from (one for one in said.functions if not one.defined)
    for declared in (said.aliases, said.macros, said.variables, said.bindings, said.bound_classes):
        yield from declared


def _reached(callee: Callee) -> Iterator[r.FunctionRecord]:
    yield from callee.records
    yield from (one.record for one in callee.functions)


def _names_of(binding: Binding) -> Iterator[str]:
    """Its own in Python, and that of the function behind it."""
    yield binding.name
    for value in (binding.record.callable, binding.record.setter):
        if value is not None:
            yield last_name(value)
