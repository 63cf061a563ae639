"""What one body does with a member that owns a handle: whether it ends the handle, or hands it on.

Any call that may do so counts, whatever it is called: who asks wants to know that nobody does.
`SlotEnding.releases` is the strict question: whether the body ends it for certain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ownlint import Class, Function, bodies, habits, pairs, places, questions, resources, types, undecoded
from ownlint import records as r

_ELEMENTS = frozenset({"begin", "front", "back", "top", "at", "data", "get", "value"})
_WORDS = re.compile(r"\w+")
_COMMON = frozenset({"get", "data", "begin", "end", "size", "empty", "clear", "first", "second", "value", "ok"})


@questions.question
def _ended_for_certain(function: Function) -> tuple[r.Value, ...]:
    """The arguments that calls of the body end, by a release that is known."""
    asked = resources.resources(function.program)
    return tuple(
        inner.args[ended.where.index]
        for statement in function.statements
        for value in bodies.values(statement)
        for inner in places.walk(value)
        if isinstance(inner, r.Call)
        for ended in asked.released(inner, function)
        if 0 <= ended.where.index < len(inner.args) and ended.certainty != "possible"
    )


class SlotEnding:
    """Whether one body ends what a slot holds: what the slot's value may be called there, and what calls do with it."""

    def __init__(self, function: Function, cls: Class, field: str) -> None:
        self.function = function
        self.name = field
        self.cls = cls
        self.program = function.program
        self.resources: resources.Resources = resources.resources(function.program)
        self.accessors = undecoded.accessors(self.program).get(self.name, frozenset()) - _COMMON
        self.names: set[str] = set()
        self.nulled = False

    def ends(self) -> bool:
        """Whether the body ends what the slot holds, or hands it on."""
        function = self.function
        if _hands_over_to_its_like(function, self.cls):
            return False
        for initializer in function.record.initializers:
            if initializer.name != self.name and any(self.touches(arg) for arg in initializer.args):
                return True
        self.find_names()
        for inner in self.expressions():
            if isinstance(inner, r.Call) and self.ended_by(inner):
                return True
            if isinstance(inner, r.Assign) and self.moved_by(inner):
                return True
        returned = any(
            isinstance(statement, r.Leave) and statement.kind == "return" and self.is_it(statement.value)
            for statement in function.statements
        )
        return self.nulled and returned

    def takes_out(self, is_slot: Callable[[r.Value], bool]) -> bool:
        """Whether the body empties the slot and answers with what was in it; `is_slot` says of a place that it is."""
        self.find_names()
        emptied = any(
            isinstance(inner, r.Assign)
            and self.is_it(inner.target)
            and isinstance(places.strip(inner.value), r.Literal)
            and is_slot(inner.target)
            for inner in self.expressions()
        )
        return emptied and any(
            isinstance(statement, r.Leave) and statement.kind == "return" and self.is_it(statement.value)
            for statement in self.function.statements
        )

    def releases(self) -> bool:
        """Whether the body ends it for certain: itself, not what it leads to, and with a release that is known."""
        self.find_exact_names()
        return any(self.is_exactly(given) for given in _ended_for_certain(self.function))

    def find_exact_names(self) -> None:
        """The locals that are the slot's value, or one of its elements."""
        for statement in self.function.statements:
            match statement:
                case r.Declare(names=names, value=value) if value is not None and self.is_exactly(value):
                    self.names.update(names)
                case r.Loop(kind="range", target=target, iterable=iterable) if self.is_exactly(iterable):
                    self.names.update(bodies.bound_names(target))

    def is_exactly(self, value: r.Value | None) -> bool:
        """Whether the expression is the slot's value, its address or one of its elements."""
        inner = places.strip(value)
        match inner:
            case r.Unary(op="&" | "*", value=operand):
                return self.is_exactly(operand)
            case r.Member(base=r.Name(text=places.THIS), name=name):
                return name == self.name
            case r.Index(base=base) | r.Member(base=base, name="second" | "first"):
                return self.is_exactly(base)
            case r.Call(args=(), callee=r.Member(base=base, name=name)) if name in _ELEMENTS:
                return self.is_exactly(base)
            case r.Name(text=name):
                return name in self.names or (name == self.name and name not in self.function.declared)
        return False

    def expressions(self) -> Iterator[r.Value]:
        for statement in self.function.statements:
            for value in bodies.values(statement):
                yield from places.walk(value)

    def find_names(self) -> None:
        """What locals stand for it, wherever they are set."""
        for _ in range(2):
            for statement in self.function.statements:
                self.name_things(statement)
            for inner in self.expressions():
                if isinstance(inner, r.Assign) and self.is_local(inner.target) and self.touches(inner.value):
                    self.names.add(places.last_name(places.strip(inner.target)))

    def is_local(self, target: r.Value) -> bool:
        inner = places.strip(target)
        return isinstance(inner, r.Name) and inner.text in self.function.declared

    def name_things(self, statement: r.Statement) -> None:
        match statement:
            case r.Declare(names=names, value=value) if value is not None and self.touches(value):
                self.names.update(names)
            case r.Loop(kind="range", target=target, iterable=iterable) if self.touches(iterable):
                self.names.update(bodies.bound_names(target))

    def touches(self, value: r.Value | None) -> bool:
        """Whether the expression speaks of the slot."""
        return any(self.is_said(inner) for inner in places.walk(value))

    def is_said(self, value: r.Value) -> bool:
        match value:
            case r.Member(name=name):
                return name == self.name
            case r.Name(text=name):
                if name in self.names or (name == self.name and name not in self.function.declared):
                    return True
                return self.is_spelled(name)
            case r.Call():
                return places.last_name(value.callee) in self.accessors and not self.is_asked_of_another(
                    places.receiver(value)
                )
        return False

    def is_spelled(self, name: str) -> bool:
        """Whether it is a macro for the slot: `#define DOCUMENT static_cast<Document*>(document_)`."""
        found = self.program.macros.named(name)
        return any(macro.parameters is None and self.name in _WORDS.findall(macro.body) for macro in found)

    def is_asked_of_another(self, on: r.Value | None) -> bool:
        """Whether a method is called on a local of some other type, which has one of that name, too."""
        inner = places.strip(on)
        if not isinstance(inner, r.Name) or inner.text not in self.function.locals:
            return False
        written = types.parse(self.program.types.of(inner, self.function))
        own = {cls.name for cls in self.cls.ancestry}
        return bool(written.last) and written.is_value and not written.is_placeholder and written.last not in own

    def is_it(self, value: r.Value | None) -> bool:
        inner = places.strip(value)
        return inner is not None and self.is_said(inner)

    def ended_by(self, call: r.Call) -> bool:
        name = places.last_name(call.callee)
        on = places.receiver(call)
        given = [index for index, arg in enumerate(call.args) if self.touches(arg)]
        is_on = on is not None and self.touches(on)
        if not given and not is_on:
            return False
        if pairs.releasing_verb(name) and (given or not _is_container_call(name, call)):
            return True
        for ended in self.resources.released(call, self.function):
            if ended.where.index in given or (ended.where.kind == "receiver" and is_on):
                return True
        if name == "exchange" and given:
            return True
        if any(self.is_deleter(arg) for arg in call.args):
            return True
        return any(self.is_handed_over(call, name, index) for index in given)

    def is_handed_over(self, call: r.Call, name: str, index: int) -> bool:
        if not self.is_it(call.args[index]) and not isinstance(
            places.strip(call.args[index]), r.Index | r.Call | r.Unary
        ):
            return False
        taking = self.resources.taking(call, self.function, index)
        if taking in ("released", "adopted", "kept"):
            return True
        words = habits.MAY_END.intersection(pairs.words(name))
        if index == 0 and len(call.args) > 1 and isinstance(call.callee, r.Name):
            words -= {"set"}  # `cublasSetStream(handle_, stream)`: something is set in it
        return taking == "unknown" and bool(words)

    def is_deleter(self, value: r.Value) -> bool:
        """A lambda that releases what it is given, or a function named so: `std::for_each(b, e, free)`."""
        inner = places.strip(value)
        if isinstance(inner, r.Lambda):
            made = self.program.index.function_at(self.function.file, inner.function)
            return made is not None and bool(self.resources.duties.of(made).released)
        if isinstance(inner, r.Unary) and inner.op == "&":
            inner = inner.value
        return isinstance(inner, r.Name | r.Call) and bool(pairs.releasing_verb(places.last_name(inner)))

    def moved_by(self, assign: r.Assign) -> bool:
        """Put somewhere else that lives on."""
        target = places.strip(assign.target)
        if self.is_local(assign.target):
            return False
        if self.is_it(target) and isinstance(places.strip(assign.value), r.Literal):
            self.nulled = True
        if not self.is_it(assign.value):
            return False
        return places.last_name(target) != self.name if not isinstance(target, r.Index) else not self.touches(target)


def _is_container_call(name: str, call: r.Call) -> bool:
    """`entries_.clear()`, `entries_.erase(it)`: the container forgets, the handles stay."""
    return name in ("clear", "erase", "pop_back", "drop_front")


def _hands_over_to_its_like(function: Function, cls: Class) -> bool:
    """A move, a copy or a swap: the handle stays in an object of the class."""
    if function.cls is not cls:
        return False
    if "swap" in pairs.words(function.name):
        return True
    parameters = function.record.parameters
    if len(parameters) != 1 or (function.record.kind != "constructor" and function.name != "operator="):
        return False
    kind = types.parse(parameters[0].type)
    return kind.reference and kind.last == cls.name
