"""How often code runs: whether a loop leads to it, through calls and through the construction of objects.

Calls are followed upwards, from a function to those that call it. Tests are no callers, and a call through a base class
does not say which override it reaches. A call that a static or a once flag guards runs once, wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, bodies, keeping, patterns, places, records, trials, types

_MOST_FUNCTIONS = 100
"""Of those that lead to one function."""
_MOST_CALLERS = 60
"""Of one name: more say too little about which function is called."""
_ROUNDS = 2
"""An object is a part of another, which is a part of a third."""
_ONCE = re.compile(r"(?i)once")


class Site(NamedTuple):
    """Where something is called, or an object is made."""

    function: Function
    start: int


class Constructions:
    """Where objects of some classes are made: on their own or as a part of another, by any name.

    With which constructor a subclass makes its base is not known."""

    def __init__(self, program: Program, classes: Iterable[Class]) -> None:
        self.program = program
        self._names = {cls: {cls.name} for cls in classes}
        self._parts: dict[Class, int] = {}
        """How many members have the class for a type."""
        if self._names:
            self._add_aliases()
            for _ in range(_ROUNDS):
                self._add_owners()
        self._sites: dict[Class, list[Site]] = {cls: [] for cls in self._names}
        if self._names:
            self._look()

    def sites(self, cls: Class) -> list[Site]:
        return self._sites.get(cls, [])

    def places(self, cls: Class) -> int:
        """How many places make one, those of tests left out."""
        return len({site.start for site in self.sites(cls)}) + self._parts.get(cls, 0)

    def _add_aliases(self) -> None:
        for alias in self.program.index.type_aliases:
            for names in self._names.values():
                if types.parse(alias.target).is_value and types.parse(alias.target).last in names:
                    names.add(alias.name)

    def _add_owners(self) -> None:
        """What has one for a part makes one with each of its own objects."""
        for owner in self.program.classes:
            if owner.file.language != "cpp" or trials.tries(self.program, owner.file):
                continue
            parts = [kind.last for f in owner.record.fields if not f.static and (kind := types.parse(f.type)).is_value]
            for cls, names in self._names.items():
                held = sum(part in names for part in parts)
                if held and owner.name not in names:
                    names.add(owner.name)
                    self._parts[cls] = self._parts.get(cls, 0) + held

    def _look(self) -> None:
        said = patterns.AnyName(set[str]().union(*self._names.values()))
        for function in self.program.functions:
            if function.language == "cpp" and function.says(said) and not trials.is_trial(function):
                for statement in function.statements:
                    for name in _made(function, statement):
                        for cls, names in self._names.items():
                            if name in names:
                                self._sites[cls].append(Site(function, statement.start))


def _made(function: Function, statement: records.Statement) -> Iterator[str]:
    """Last names of the classes of which a statement makes an object."""
    if isinstance(statement, records.Declare):
        kind = types.parse(statement.type)
        if kind.is_value and not kind.is_placeholder and (statement.value is None or _constructs(statement.value)):
            yield kind.last
            return
    for value in bodies.values(statement):
        for call in places.calls_in(value):
            made = keeping.made_class(function, call)
            if made is not None:
                yield made.name
            elif call.kind in ("construct", "new"):
                yield types.parse(places.last_name(call.callee)).last


def _constructs(value: records.Value) -> bool:
    return isinstance(value, records.Aggregate) or (isinstance(value, records.Call) and value.kind == "construct")


def in_loop(start: Site, made: Constructions) -> Site | None:
    """What a loop runs again and again that leads to the place, or is the place itself."""
    pending = [start]
    seen = {start}
    for site in pending:
        if is_once(site.function, site.start):
            continue
        if is_in_loop(site.function, site.start):
            return site
        for caller in _sites(site.function, made) if len(pending) <= _MOST_FUNCTIONS else ():
            if caller not in seen:
                seen.add(caller)
                pending.append(caller)
    return None


def _sites(function: Function, made: Constructions) -> Iterator[Site]:
    """What calls a function, as far as the call can be told from others of its name."""
    record = function.record
    if record.kind == "lambda":
        yield from _calls_of_lambda(function)
    elif record.kind == "constructor":
        yield from made.sites(function.cls) if function.cls is not None else ()
    else:
        callers = function.program.index.callers(function)
        for caller in callers if len(callers) <= _MOST_CALLERS else ():
            if not trials.is_trial(caller):
                yield from (Site(caller, call.start) for call in calls(caller) if _reaches(caller, call, function))


def _calls_of_lambda(function: Function) -> Iterator[Site]:
    """Where the local that holds it is called; one that no local holds runs where it stands."""
    around = function.parent
    if around is None:
        return
    start = function.record.start
    held = {
        name
        for statement in around.statements
        if isinstance(statement, records.Declare) and isinstance(statement.value, records.Lambda)
        if start in statement.span
        for name in statement.names
    }
    if not held:
        yield Site(around, start)
    for caller in (around, *around.lambdas()) if held else ():
        for call in calls(caller):
            if isinstance(call.callee, records.Name) and call.callee.text in held:
                yield Site(caller, call.start)


def _reaches(caller: Function, call: records.Call, function: Function) -> bool:
    if places.last_name(call.callee) != function.name:
        return False
    found = caller.program.calls.callee(call, caller)
    return found.certainty == "certain" and function in found.functions


def calls(function: Function) -> Iterator[records.Call]:
    """Those of a constructor's initializers first."""
    for initializer in function.record.initializers:
        for argument in initializer.args:
            yield from places.calls_in(argument)
    for statement in function.statements:
        for value in bodies.values(statement):
            yield from places.calls_in(value)


def is_in_loop(function: Function, offset: int) -> bool:
    """Whether a loop of the function runs what stands there, or the function is a lambda that a library calls with the
    elements of something: `std::for_each`."""
    if function.record.kind == "lambda" and function.language == "cpp" and _is_called_with_elements(function):
        return True
    for statement in function.statements:
        if isinstance(statement, records.Loop) and offset in statement.span:
            begins = statement.iterable if statement.kind == "range" else None
            before = [*statement.before, *([begins] if begins is not None else [])]
            if not any(offset in one.span for one in before):
                return True
    return False


def _is_called_with_elements(made: Function) -> bool:
    called = made.program.calls.called_by(made)
    return any(effect.other is not None and effect.other.kind != "arguments" for _, effect, _ in called)


def is_once(function: Function, offset: int) -> bool:
    """Whether it stands in the initial value of a static, in a branch that fills one that is empty, or in what a once
    flag is given."""
    for statement in function.statements:
        match statement:
            case records.Declare(static=True) if offset in statement.span:
                return True
            case records.Branch(condition=condition, then=then) if _fills(function, condition):
                if any(offset in one.span for one in then):
                    return True
    return any(
        _ONCE.search(places.last_name(call.callee)) and any(offset in argument.span for argument in call.args)
        for call in calls(function)
        if offset in call.span
    )


def _fills(function: Function, condition: records.Value) -> bool:
    """`if (!kept)` of a static."""
    match places.strip(condition):
        case (
            records.Unary(op="!" | "not", value=asked)
            | records.Binary(op="==", left=asked, right=records.Literal(kind="null"))
        ):
            inner = places.strip(asked)
            return isinstance(inner, records.Name) and any(
                isinstance(one, records.Declare) and one.static and inner.text in one.names
                for one in function.statements
            )
    return False
