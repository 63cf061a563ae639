"""Objects that C++ takes for those of a certain type, without a look: where they come from, and who has looked before.

Which functions do so, models say (`trusts_type`). What Python hands over is an argument of a bound function, what a
custom caster loads from, and the elements of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Certainty,
    Function,
    Program,
    because,
    casters,
    entrances,
    places,
    questions,
    references,
    text,
    types,
)
from ownlint import events as e
from ownlint import records as r

_DEEPEST = 6
_CALLS = 2
_UP_TO_CALLER = "harmless if the Python code around it always passes that type"
_ANYBODY_SETS = "harmless if no Python code sets the attribute"
_GENERIC = frozenset({"object", "handle"})
_ASKS_NOTHING = frozenset({"ptr", "is_none", "is", "is_valid", "inc_ref", "dec_ref", "bool", "move", "forward"})
"""Methods that say nothing about a type."""


class Trusted(NamedTuple):
    """`call` takes `name` for a `type`. `harmful`: such objects are read as C structs."""

    call: r.Call
    name: str
    type: str
    harmful: bool
    certainty: Certainty


class _Source(NamedTuple):
    certainty: Certainty
    said: tuple[str, ...]
    """All by which the object goes."""


def trusted(function: Function) -> Iterator[Trusted]:
    """What the function takes on trust of what Python handed over, in source order."""
    known = references.references(function.program)
    for event in function.flow.calls:
        node = event.node
        if not node.template or len(node.args) != 1 or (model := known.model(node, function)) is None:
            continue
        framework = function.program.models.frameworks.get(model.library)
        if not model.trusts_type or framework is None or event.index not in function.flow.reachable:
            continue
        wanted = types.parse(function.program.names.expand(node.template, function.file, function.record.scope))
        if wanted.last in _GENERIC or not _is_object(function, node.template):
            continue
        source = _TrustReading(function).source(node.args[0])
        if source is None or _was_looked_at(function, event, source):
            continue
        harmful = wanted.last in framework.facts.get("plain_memory_of", "").split()
        certainty: Certainty = (
            source.certainty if harmful else because("possible", f"harmless if it is always a `{wanted.last}`")
        )
        yield Trusted(node, source.said[0], wanted.last, harmful, certainty)


def _is_object(function: Function, written: str) -> bool:
    return "python object" in function.program.types.roles(written, function)


# --- where it comes from -------------------------------------------------------------------------------


@questions.program_question
def _entered(program: Program) -> frozenset[Function]:
    """The functions whose arguments Python fills."""
    found: set[Function] = set()
    for binding in program.bindings:
        target = entrances.callable_of(binding)
        if target is not None and target.function is not None:
            found.add(target.function)
    return frozenset(found | {function for function in program.functions if casters.reads(function)})


class _TrustReading:
    def __init__(self, function: Function, depth: int = 0) -> None:
        self.function = function
        entered = function in _entered(function.program)
        self.given = {
            p.name: p.type
            for number, p in enumerate(function.record.parameters)
            if entered
            or ((self._is_generic(p.type) or _is_object(function, p.type)) and self._is_handed_on(number, depth))
        }

    def _is_handed_on(self, number: int, depth: int) -> bool:
        """Whether a function that Python calls hands what it got to this one, without a look."""
        function = self.function
        if depth >= _CALLS or function.record.kind not in ("function", "method"):
            return False
        for caller in function.program.index.callers(function):
            for event in caller.flow.calls if caller is not function else ():
                args = event.node.args
                if places.last_name(event.node.callee) != function.name or number >= len(args):
                    continue
                if function.program.calls.callee(event.node, caller).functions != (function,):
                    continue
                found = _TrustReading(caller, depth + 1).handed(args[number])
                if found is not None and found.certainty == "likely" and not _was_looked_at(caller, event, found):
                    return True
        return False

    def handed(self, value: r.Value) -> _Source | None:
        """Also of a container whose own type is known: nobody knows its elements."""
        inner = places.strip(value)
        if isinstance(inner, r.Name) and _is_object(self.function, self.given.get(inner.text, "")):
            return _Source(because("caller", _UP_TO_CALLER), (inner.text,))
        return self.source(value)

    def source(self, value: r.Value | None, depth: int = 0) -> _Source | None:
        """None for what Python has not handed over, or where the type says what it is."""
        inner = places.strip(value)
        if depth > _DEEPEST:
            return None
        match inner:
            case r.Name(text=name):
                return self._named(name, depth)
            case r.Call(callee=r.Member(base=base, name="ptr")):
                return self.source(base, depth + 1)
            case r.Call(callee=r.Member(base=base, name="attr"), args=(r.Literal(text=said),)):
                if self._is_set_by_hand(base, said):
                    return _Source(because("caller", _ANYBODY_SETS), (text(inner),))
                found = self.source(base, depth + 1)
                if found is None or said.strip('"').startswith("__"):
                    return None
                return _Source(
                    because("possible", f"the type of `{text(inner)}` depends on the class"), (text(inner), *found.said)
                )
            case r.Index(base=base):
                return self._element(base, inner, depth)
            case r.Member(base=base, name="first" | "second"):
                found = self.source(base, depth + 1)
                return _Source(found.certainty, (text(inner),)) if found is not None else None
            case r.Unary(op="*", value=pointee):
                return self.source(pointee, depth + 1)
        return None

    def _is_set_by_hand(self, base: r.Value, name: str) -> bool:
        """Whether the function itself adds the attribute to the object where it is not there yet: Python can, too."""
        for event in self.function.flow.calls:
            given = event.node.args
            if places.last_name(event.node.callee) != "setattr" or len(given) != 3 or text(given[0]) != text(base):
                continue
            said = isinstance(given[1], r.Literal) and given[1].text == name
            if said and any(_asks_for(test.value, name) for test, _ in self.function.flow.guards(event)):
                return True
        return False

    def _named(self, name: str, depth: int) -> _Source | None:
        function = self.function
        if (loop := self._unpacked(name)) is not None:
            return self._element(loop.iterable, r.Name(0, 0, name), depth)
        written = function.locals.get(name, ("", None))[0]
        if not self._is_generic(written) and not types.parse(written).is_placeholder:
            return None
        writes = [one for one in function.flow.writes_to((name,)) if not (one.fresh and one.value is None)]
        if name in self.given:
            return _Source(because("caller", _UP_TO_CALLER), (name,)) if not writes else None
        if len(writes) > 1:
            return None
        initial = writes[0].value if writes else function.locals.get(name, ("", None))[1]
        found = self.source(initial, depth + 1)
        return _Source(found.certainty, (name, *found.said)) if found is not None else None

    def _unpacked(self, name: str) -> r.Loop | None:
        """The loop that has the name for a part of each element: `for (auto [key, value] : dict)`."""
        for statement in self.function.statements:
            parts = statement.target if isinstance(statement, r.Loop) else None
            if isinstance(parts, r.Aggregate) and any(places.last_name(one) == name for one in parts.items):
                return statement if isinstance(statement, r.Loop) else None
        return None

    def _is_generic(self, written: str) -> bool:
        program, function = self.function.program, self.function
        kind = types.parse(program.names.expand(written, function.file, function.record.scope))
        return (
            kind.last in _GENERIC
            and not kind.pointers
            and not references.OBJECTS.isdisjoint(program.types.roles(written, function))
        )

    def _element(self, base: r.Value | None, whole: r.Value, depth: int) -> _Source | None:
        """Of a container that Python handed over: nobody knows its elements."""
        inner = places.strip(base)
        if isinstance(inner, r.Name) and inner.text in self.given and _is_object(self.function, self.given[inner.text]):
            return _Source(because("caller", _UP_TO_CALLER), (text(whole),))
        found = self.source(inner, depth + 1)
        return _Source(found.certainty, (text(whole),)) if found is not None else None


# --- who has looked ------------------------------------------------------------------------------------


def _was_looked_at(function: Function, event: e.Event, source: _Source) -> bool:
    """Whether a test before asks a call about the object, or it was given to somebody who may refuse it."""
    flow = function.flow
    tests = [test.value for test, _ in flow.guards(event)]
    tests += [one.value for one in flow.dominators(event) if isinstance(one, e.Test)]
    asked = [part for test in tests for part in places.walk(test) if isinstance(part, r.Name | r.Member)]
    flags = dict.fromkeys(places.place_of(part, flow.aliases) for part in asked)
    for place in flags:
        tests += [write.value for write in flow.writes_to(place) if write.value is not None] if place else []
    if any(_asks(test, source) for test in tests):
        return True
    return any(
        isinstance(one, e.CallEvent) and one is not event and one.dropped and _asks(one.node, source)
        for one in flow.dominators(event)
    )


def _asks(test: r.Value, source: _Source) -> bool:
    for part in places.walk(test):
        if not isinstance(part, r.Call) or places.last_name(part.callee) in _ASKS_NOTHING:
            continue
        on = part.callee.base if isinstance(part.callee, r.Member) else None
        for given in (on, *part.args):
            if given is not None and any(_is_about(given, said) for said in source.said):
                return True
    return False


def _asks_for(test: r.Value, name: str) -> bool:
    """`hasattr(o, name)`."""
    return any(
        isinstance(part, r.Call) and any(isinstance(arg, r.Literal) and arg.text == name for arg in part.args)
        for part in places.walk(test)
    )


def _is_about(given: r.Value, said: str) -> bool:
    return any(
        text(part) == said for part in places.walk(given) if isinstance(part, r.Name | r.Index | r.Call | r.Member)
    )
