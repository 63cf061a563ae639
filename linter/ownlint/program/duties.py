"""What the project's own functions do with handles: release a parameter, store it, hand out an owned one.

Read off the bodies as they are written, without asking in which order things run: a function that releases its
parameter on some path takes the duty over. Functions that call each other are read again until nothing changes;
answers only ever grow, so that ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ownlint.facts import records as r
from ownlint.program import types
from ownlint.program.bodies import bound_names, statements, values
from ownlint.program.places import THIS, last_name, receiver, strip, walk

if TYPE_CHECKING:
    from ownlint.program.resources import Acquisition, Resources
    from ownlint.program.subjects import Function

OWNING = frozenset({"scoped owner", "smart pointer", "shared pointer", "intrusive pointer", "cleanup", "python object"})
"""Roles of the types that end what they hold."""

RECEIVER = -1
_MOST_ROUNDS = 8
_DEEPEST = 6
"""Calls that are followed into bodies; beyond it a callee is one nobody knows."""


class Duty(NamedTuple):
    """What a call of one function does, parameters counted from 0 and the receiver as -1."""

    released: frozenset[int] = frozenset()
    adopted: frozenset[int] = frozenset()
    """Put into something that ends it: a smart pointer, a member that the class releases."""
    stored: frozenset[int] = frozenset()
    """Put into a member, a container or behind a pointer, and nobody says who ends it."""
    returned: frozenset[int] = frozenset()
    made: Acquisition | None = None
    """The result is an owned handle that was acquired here and is nowhere else."""
    outs: tuple[tuple[int, Acquisition], ...] = ()
    """The parameters through which an owned handle comes out."""


class _Source(NamedTuple):
    """What a value may be: a parameter, or what an acquisition handed out."""

    parameter: int
    made: Acquisition | None = None
    at: int = -1


class Duties:
    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self._done: dict[Function, Duty] = {}
        self._under_way: dict[Function, Duty] = {}
        self._touched_cycle = False

    def of(self, function: Function) -> Duty:
        if function in self._done:
            return self._done[function]
        if function in self._under_way:
            self._touched_cycle = True
            return self._under_way[function]
        if len(self._under_way) > _DEEPEST or function.language != "cpp":
            return Duty()
        outer_cycle, self._touched_cycle = self._touched_cycle, False
        self._under_way[function] = Duty()
        for _ in range(_MOST_ROUNDS):
            found = _Reading(function, self.resources).read()
            settled = found == self._under_way[function]
            self._under_way[function] = found
            if settled or not self._touched_cycle:
                break
        result = self._under_way.pop(function)
        # Inside a cycle the result may rest on what an outer function had not yet found: only the outermost is kept.
        if not self._touched_cycle or not self._under_way:
            self._done[function] = result
        self._touched_cycle = outer_cycle or (self._touched_cycle and bool(self._under_way))
        return result


class _Reading:
    """One function's body, read once from top to bottom."""

    def __init__(self, function: Function, resources: Resources) -> None:
        self.function = function
        self.resources = resources
        self.names: dict[str, set[_Source]] = {THIS: {_Source(RECEIVER)}}
        self.statics: set[str] = set()
        for index, parameter in enumerate(function.record.parameters):
            if parameter.name:
                self.names[parameter.name] = {_Source(index)}
        self.released: set[int] = set()
        self.adopted: set[int] = set()
        self.stored: set[int] = set()
        self.returned: set[int] = set()
        self.given_away: set[int] = set()
        """Where acquisitions start that somebody else got, too."""
        self.made: list[tuple[int, Acquisition]] = []
        self.borrowed_results = 0
        self.outs: dict[int, Acquisition] = {}

    def read(self) -> Duty:
        for initializer in self.function.record.initializers:
            self.initialise(initializer)
        for statement in statements(self.function.body):
            self.statement(statement)
        made = [one for at, one in self.made if at not in self.given_away]
        owns = made and len(made) == len(self.made) and not self.borrowed_results and self.is_raw_result()
        return Duty(
            frozenset(self.released),
            frozenset(self.adopted - self.released),
            frozenset(self.stored - self.released - self.adopted),
            frozenset(self.returned),
            made[0] if owns else None,
            tuple(sorted(self.outs.items())),
        )

    def is_raw_result(self) -> bool:
        program, function = self.resources.program, self.function
        written = program.inferred_result(function) or function.record.result
        if types.parse(written).arguments:
            status = program.models.status(written, program.scopes(function))
            if status is not None and status.model.carries_value:
                written = types.parse(written).arguments[0]
        return self.resources.raw(written, function) is not None

    # --- statements ---

    def initialise(self, initializer: r.Initializer) -> None:
        for argument in initializer.args:
            self.look(argument)
            sources = self.sources(argument)
            if sources:
                self.put(sources, self.is_owned_member(initializer.name))

    def statement(self, statement: r.Statement) -> None:
        for value in values(statement):
            self.look(value)
        match statement:
            case r.Declare(names=(name,)) if statement.value is not None:
                if statement.static:
                    self.statics.add(name)
                    self.give_away(self.sources(statement.value))
                else:
                    self.declare(name, statement.type, statement.value)
            case r.Loop(kind="range", target=target, iterable=iterable):
                sources = self.sources(iterable)
                for name in bound_names(target):
                    self.names.setdefault(name, set()).update(sources)
            case r.Leave(kind="return") if statement.value is not None:
                self.returns(statement.value)

    def declare(self, name: str, written: str, value: r.Value) -> None:
        if isinstance(value, r.Call) and value.kind == "construct" and len(value.args) == 1:
            roles = self.resources.program.roles(written, self.function)
            if not roles and (types.parse(written).pointers or types.parse(written).is_placeholder):
                value = value.args[0]
        self.names.setdefault(name, set()).update(self.sources(value))

    def returns(self, value: r.Value) -> None:
        sources = self.sources(value)
        inner = strip(value)
        if not sources and not (isinstance(inner, r.Literal) or _is_failure(inner)):
            self.borrowed_results += 1
        for source in sources:
            if source.made is not None:
                self.made.append((source.at, source.made))
            else:
                self.returned.add(source.parameter)
                self.borrowed_results += 1

    # --- expressions ---

    def look(self, value: r.Value) -> None:
        """What the calls and assignments inside an expression do."""
        for inner in walk(value):
            if isinstance(inner, r.Call):
                self.call(inner)
            elif isinstance(inner, r.Assign) and inner.op in ("=", ":="):
                self.assign(inner)
            elif isinstance(inner, r.Lambda):
                self.captured(inner)

    def assign(self, assign: r.Assign) -> None:
        sources = self.sources(assign.value)
        if not sources:
            return
        target = assign.target
        if isinstance(target, r.Name) and target.text in self.function.declared:
            if target.text in self.statics:
                self.give_away(sources)
            elif "*&" in self.parameter_type(target.text) and (index := self.parameter(target.text)) is not None:
                self.comes_out(index, sources)
            else:
                self.names.setdefault(target.text, set()).update(sources)
            return
        if isinstance(target, r.Unary) and target.op == "*" and isinstance(target.value, r.Name):
            index = self.parameter(target.value.text)
            if index is not None:
                self.comes_out(index, sources)
                self.stored.update(source.parameter for source in sources if source.made is None)
                return
        name = last_name(target) if not isinstance(target, r.Index) else last_name(target.base)
        written = self.resources.program.type_of(target, self.function)
        self.put(sources, self.owns(written) or (_is_member(target) and self.is_released_member(name)))

    def comes_out(self, index: int, sources: set[_Source]) -> None:
        for source in sources:
            if source.made is not None and source.at not in self.given_away:
                self.outs.setdefault(index, source.made)

    def call(self, call: r.Call) -> None:
        given = [(index, sources) for index, arg in enumerate(call.args) if (sources := self.sources(arg))]
        on = self.sources(receiver(call)) if isinstance(call.callee, r.Member) else set()
        if isinstance(call.callee, r.Name) and self.function.cls is not None and call.kind == "call":
            on = {_Source(RECEIVER)}  # a method of our own, perhaps
        if not given and not on:
            return
        ended = self.resources.released(call, self.function)
        for one in ended:
            if one.where.kind == "receiver":
                if isinstance(call.callee, r.Member) or one.certainty != "possible":
                    self.end(on)
            elif one.where.index < len(call.args):
                self.end(self.sources(call.args[one.where.index]))
        done = {one.where.index for one in ended}
        for index, sources in given:
            if index in done:
                continue
            taking = self.resources.taking(call, self.function, index)
            if taking in ("released", "adopted", "kept"):
                self.put(sources, taking != "kept")
            elif taking == "unknown":
                self.give_away(sources)

    def captured(self, made: r.Lambda) -> None:
        """What a lambda takes along lives on in it, for all we know."""
        for capture in made.captures:
            if capture.name in self.names and not capture.by_reference:
                self.give_away(self.names[capture.name])

    # --- what becomes of a source ---

    def end(self, sources: set[_Source]) -> None:
        self.released.update(source.parameter for source in sources if source.made is None)
        self.give_away(sources)

    def put(self, sources: set[_Source], owned: bool) -> None:
        found = {source.parameter for source in sources if source.made is None and source.parameter != RECEIVER}
        (self.adopted if owned else self.stored).update(found)
        self.give_away(sources)

    def give_away(self, sources: set[_Source]) -> None:
        self.given_away.update(source.at for source in sources if source.made is not None)

    def sources(self, value: r.Value | None) -> set[_Source]:
        """What the value may be, as far as we follow it."""
        inner = strip(value)
        match inner:
            case r.Name(text=name):
                return self.names.get(name, set())
            case r.Conditional(then=then, other=other):
                return self.sources(then) | self.sources(other)
            case r.Assign(value=assigned):
                return self.sources(assigned)
            case r.Unary(op="&", value=operand):
                return {source for source in self.sources(operand) if source.parameter != RECEIVER}
            case r.Unary(op="*", value=r.Name(text=name)) if "**" in self.parameter_type(name):
                return self.names.get(name, set())
            case r.Call():
                return self.sources_of_call(inner)
        return set()

    def sources_of_call(self, call: r.Call) -> set[_Source]:
        made = self.resources.acquisition(call, self.function)
        if made is not None and made.where.kind == "result":
            return {_Source(RECEIVER, made, call.start)}
        if call.kind != "call" or not any(self.sources(arg) for arg in call.args):
            return set()
        through = self.resources.passes_on(call, self.function)
        return {source for index in through if index < len(call.args) for source in self.sources(call.args[index])}

    # --- members ---

    def is_owned_member(self, name: str) -> bool:
        """Whether a member ends what it is given: by its type, or by the destructor of the class."""
        home = self.function.home
        found = home.field(name) if home is not None else None
        return found is not None and (self.owns(found[1].type) or self.is_released_member(name))

    def owns(self, written: str) -> bool:
        return bool(written) and not OWNING.isdisjoint(self.resources.program.roles(written, self.function))

    def is_released_member(self, name: str) -> bool:
        home = self.function.home
        destructor = home.destructor if home is not None else None
        if destructor is None or destructor is self.function:
            return False
        return any(releases_member(self.resources, call, destructor, name) for call in _calls(destructor))

    def parameter(self, name: str) -> int | None:
        return next((i for i, p in enumerate(self.function.record.parameters) if p.name == name), None)

    def parameter_type(self, name: str) -> str:
        index = self.parameter(name)
        return "" if index is None else self.function.record.parameters[index].type.replace(" ", "")


def releases_member(resources: Resources, call: r.Call, function: Function, name: str) -> bool:
    """Whether the call ends what the member of that name holds, as far as its arguments say it themselves."""
    return any(
        one.where.kind == "argument"
        and one.where.index < len(call.args)
        and any(last_name(inner) == name for inner in walk(call.args[one.where.index]))
        for one in resources.released(call, function)
    )


def _calls(function: Function) -> Iterator[r.Call]:
    for statement in function.statements:
        for value in values(statement):
            yield from (inner for inner in walk(value) if isinstance(inner, r.Call))


def _is_member(target: r.Value) -> bool:
    return isinstance(target, r.Name | r.Member | r.Index)


def _is_failure(value: r.Value | None) -> bool:
    """A returned call that hands out no handle at all: a status, `{}`."""
    return isinstance(value, r.Aggregate) and not value.items
