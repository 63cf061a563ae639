"""Registries: members, globals and statics that lead from a key to the objects of a class, and who takes entries out.

A registry is known by its name, as any map is (see `containers`): two objects' registries of one name are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from ownlint import (
    Class,
    File,
    Flow,
    Function,
    Program,
    assignments,
    c_containers,
    conditions,
    containers,
    failure,
    locks,
    natives,
    overrides,
    places,
    questions,
    references,
    types,
    undecoded,
)
from ownlint import events as e
from ownlint import records as r
from ownlint import validity as guarding
from ownlint_rules.registries import _elements as elements
from ownlint_rules.registries import _member_stores as member_stores

_NEAR = 40
"""How many events before an erase somebody asks whether the entry is there."""
_KEPT = 64
_UP = 3
"""How many calls up from an erase a function still counts as one that takes entries out."""


class Registry(NamedTuple):
    names: tuple[str, ...]
    """By which it is known; see `containers.Container`."""
    shown: str
    home: Class | None
    held: Class
    """The class whose objects stand in it."""
    keyed: bool
    """It leads from a key to the object; else it only lists objects."""
    path: str
    at: r.Span
    """Where it is declared."""
    type: str = ""
    flags: tuple[str, ...] = ()
    """Of `held`: the members that say whether the object is still there; see `marks`."""
    owners: tuple[str, ...] = ()
    """Members of what owns the objects that they ask, too: one store tells all of them."""

    def is_called(self, names: tuple[str, ...]) -> bool:
        return not set(self.names).isdisjoint(names)


class AnyRegistry(NamedTuple):
    """A registry, or a map of whatever else, as far as it matters who touches it."""

    names: tuple[str, ...]
    shown: str
    home: Class | None
    path: str
    at: r.Span
    type: str = ""
    keyed: bool = True
    """Not so of a list or an array, whose entries have places."""

    def is_called(self, names: tuple[str, ...]) -> bool:
        return not set(self.names).isdisjoint(names)


AnyTable = Registry | AnyRegistry


def tables(program: Program) -> list[AnyRegistry]:
    """The registries, and the maps and sets that are members, variables of files, or what functions hand out."""
    found = [
        AnyRegistry(one.names, one.shown, one.home, one.path, one.at, one.type, one.keyed)
        for one in registries(program).all
    ]
    known = {(one.path, one.at) for one in found}
    declared: list[tuple[r.Field | r.Variable, File, str, Class | None]] = [
        (field, cls.file, cls.symbol, cls) for cls in program.classes for field in cls.record.fields
    ]
    declared += [(one, file, one.scope, None) for file in program.files.values() for one in file.variables]
    for node, file, scope, home in declared:
        if file.language == "cpp" and (file.path, node.span) not in known:
            written = program.names.expand(node.type, file, scope).rstrip("& ")
            if types.parse(written).arguments and "associative" in program.types.roles_at(written, file, scope):
                found.append(AnyRegistry((node.name,), node.name, home, file.path, node.span, written))
    known |= {(one.path, one.at) for one in found}
    handed = {name for one in found for name in one.names}
    for file, index, function, home in _getters(program):
        written = program.names.expand(function.result, file, function.scope).rstrip("& ")
        keyed = types.parse(written).arguments and "associative" in program.types.roles_at(
            written, file, function.scope
        )
        if keyed and (file.path, function.span) not in known and handed.isdisjoint(_handed_out(program, file, index)):
            names = (function.name + "()", *_handed_out(program, file, index))
            found.append(AnyRegistry(names, names[0], home, file.path, function.span, written))
    return found


def _getters(program: Program) -> Iterator[tuple[File, int, r.FunctionRecord, Class | None]]:
    """The functions that take nothing and answer a reference, each with its place in its file."""
    for file in program.files.values():
        for index, function in enumerate(file.functions if file.language == "cpp" else ()):
            if "&" in function.result and not function.parameters:
                home = program.names.find_class(function.owner, function.scope, file) if function.owner else None
                yield file, index, function, home


class WaySearch:
    """Which events some way through a function comes to, or goes on from, without one of the `stops`. Two searches for
    a function, however many events are asked about."""

    def __init__(self, flow: Flow, stops: frozenset[int]) -> None:
        self.stops = stops
        self._unmet_before = _reached(flow.entry, [[to for to, _ in edges] for edges in flow.successors], stops)
        self._unmet_behind = _reached(flow.exit, [[to for to, _ in edges] for edges in flow.predecessors], stops)

    def always_before(self, event: e.Event) -> bool:
        """Whether every way to the event passes a stop."""
        return bool(self.stops) and event.index not in self._unmet_before

    def always_behind(self, event: e.Event) -> bool:
        """Whether every way from the event to the end passes a stop."""
        return bool(self.stops) and event.index not in self._unmet_behind

    def always(self, event: e.Event) -> bool:
        return self.always_before(event) or self.always_behind(event)


def _reached(start: int, edges: list[list[int]], stops: frozenset[int]) -> frozenset[int]:
    seen = {start}
    queue = [start]
    for current in queue:
        if current not in stops:
            new = [to for to in edges[current] if to not in seen]
            seen.update(new)
            queue += new
    return frozenset(seen)


class Registries:
    """The registries of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.all = _merged(_registries(program))
        self._below: questions.Answers[tuple[Function, tuple[str, ...], int], bool] = questions.Answers(False)
        self._takers: questions.Answers[tuple[str, ...], frozenset[Function]] = questions.Answers()
        self._takings: questions.Answers[tuple[Function, tuple[str, ...]], list[e.CallEvent]] = questions.Answers(
            most=_KEPT
        )
        self._given: questions.Answers[tuple[Function, tuple[str, ...], str], bool] = questions.Answers(False)
        self._ways: questions.Answers[tuple[Function, tuple[str, ...]], WaySearch] = questions.Answers(most=_KEPT)
        self._stood_for: questions.Answers[Class, tuple[str, ...]] = questions.Answers()
        self._of: dict[Class, tuple[Registry, ...]] = {}
        for one in self.all:
            self._of[one.held] = (*self._of.get(one.held, ()), one)

    @questions.program_property
    def guarded(self) -> tuple[Registry, ...]:
        """Those whose objects know whether they are valid; one for each class of which objects stand in a registry of
        objects of a common base."""
        flagged = ((one, marks(one.held)) for each in self.all for one in (each, *self._of_heirs(each)))
        return tuple(one._replace(flags=found[0], owners=found[1]) for one, found in flagged if found is not None)

    def _of_heirs(self, registry: Registry) -> list[Registry]:
        """The same for the heirs of the class that it holds whose constructors put the object in."""
        heirs = (cls for cls in self.program.classes if cls.record.bases and cls is not registry.held)
        return [
            registry._replace(held=cls)
            for cls in heirs
            if registry.held in cls.ancestry and any(puts_itself(one, registry) is not None for one in cls.constructors)
        ]

    def stood_for(self, cls: Class) -> tuple[str, ...]:
        """The types of the native objects that an object of the class stands for: those to which a member leads into
        which nobody puts what was made for it, so that it owns that."""
        return self._stood_for.ask(cls, lambda: _stood_for(cls))

    def of(self, cls: Class) -> tuple[Registry, ...]:
        """Those in which objects of the class, or of a base of it, stand."""
        return tuple(found for one in cls.ancestry for found in self._of.get(one, ()))

    def takers(self, registry: AnyTable) -> frozenset[Function]:
        """The functions that take entries out, themselves or by a call or two."""
        return self._takers.ask(registry.names, lambda: frozenset(self._found_takers(registry)))

    def _found_takers(self, registry: AnyTable) -> set[Function]:
        direct = [
            function
            for function in self._taking
            if says(function, registry)
            and any(takes_out(function, call.node, registry) for call in function.flow.calls)
        ]
        found, layer = set(direct), direct
        for _ in range(_UP):
            above = {
                caller
                for function in layer
                for caller in self.program.index.callers(function)
                if caller not in found and any(True for _ in calls_of(caller, function))
            }
            above |= {function.parent for function in layer if function.parent is not None} - found
            layer = sorted(above, key=lambda one: (one.path, one.index))
            found |= above
        return found

    @questions.program_property
    def _taking(self) -> list[Function]:
        """The functions that take something out of some container, as far as is known without decoding them."""
        return [
            function
            for function in self.program.functions
            if function.mentions_any(_takes(function)) or c_containers.takes_in_c(function)
        ]

    def takings(self, function: Function, registry: AnyTable) -> list[e.CallEvent]:
        """The calls of a function that take entries out of the registry, themselves or in what they call."""
        return self._takings.ask((function, registry.names), lambda: self._found_takings(function, registry))

    def _takes_below(self, function: Function, registry: AnyTable, depth: int) -> bool:
        """Whether a function takes entries out, itself or by what it calls, so many calls deep."""
        key = (function, registry.names, depth)
        return self._below.ask(key, lambda: self._found_below(function, registry, depth))

    def _found_below(self, function: Function, registry: AnyTable, depth: int) -> bool:
        may_take = says(function, registry) and (
            function.mentions_any(_takes(function)) or c_containers.takes_in_c(function)
        )
        if may_take and any(takes_out(function, call.node, registry) for call in function.flow.calls):
            return True
        if any(self._takes_below(one, registry, depth) for one in function.lambdas()):
            return True
        return depth > 0 and any(self._calls_taker(function, call, registry, depth - 1) for call in function.flow.calls)

    def _calls_taker(self, function: Function, call: e.CallEvent, registry: AnyTable, depth: int) -> bool:
        """Whether a call reaches what takes entries out, a local lambda too, or is handed a lambda that does."""
        reached = overrides.reached(call.node, function).functions
        said = (*call.node.args, *((call.node.callee,) if isinstance(call.node.callee, r.Name) else ()))
        given = (made for one in said for made in lambdas_in(function, one))
        return any(self._takes_below(one, registry, depth) for one in (*reached, *given) if one is not function)

    def is_put_by(self, function: Function, registry: Registry, name: str) -> bool:
        """Whether the function puts what it has by that name into the registry, itself or in what it calls."""
        key = (function, registry.names, name)
        return self._given.ask(key, lambda: self.putting(function, registry, name) is not None)

    def putting(self, function: Function, registry: Registry, name: str) -> Putting | None:
        """Where it does so."""
        for putting in puttings(function, registry):
            if any(_is_named(inner, name) for value in putting.values for inner in parts_of(value)):
                return putting
        for call in function.flow.calls:
            for index, argument in enumerate(call.node.args):
                if _is_named(places.strip(argument), name) and any(
                    index < len(callee.record.parameters)
                    and self.is_put_by(callee, registry, callee.record.parameters[index].name)
                    for callee in function.program.calls.callee(call.node, function).functions
                    if callee is not function
                ):
                    return Putting(call, (argument,))
        return None

    def ways(self, function: Function, registry: AnyTable) -> WaySearch:
        """What can happen without an entry being taken out, or found not to be there."""
        return self._ways.ask((function, registry.names), lambda: self._found_ways(function, registry))

    def _found_ways(self, function: Function, registry: AnyTable) -> WaySearch:
        taking = {call.index for call in self.takings(function, registry)}
        asked = {test for index in sorted(taking) for test in asked_for(function, function.flow.events[index])}
        return WaySearch(function.flow, frozenset(taking | asked))

    def _found_takings(self, function: Function, registry: AnyTable) -> list[e.CallEvent]:
        return [
            call
            for call in function.flow.calls
            if takes_out(function, call.node, registry) or self._calls_taker(function, call, registry, _UP - 1)
        ]


def _takes(function: Function) -> frozenset[str]:
    return function.program.models.containers.takes | {"exchange", "move"}


def takes_out(function: Function, call: r.Call, registry: AnyTable) -> bool:
    """Whether the call itself takes something out of the registry."""
    done = c_containers.table_call(function, call)
    if done is not None and done.does == "take":
        return registry.is_called(containers.names_of(function, done.table))
    if places.last_name(call.callee) not in _takes(function):
        return False
    on = places.receiver(call)
    if on is not None and registry.is_called(containers.names_of(function, on)):
        return True
    handed = call.args if places.last_name(call.callee) == "swap" else call.args[:1]
    return any(registry.is_called(containers.names_of(function, argument)) for argument in handed)


class Putting(NamedTuple):
    """An object, or what leads to it, is put into a registry."""

    event: e.Event
    values: tuple[r.Value, ...]


def puttings(function: Function, registry: AnyTable) -> Iterator[Putting]:
    """What the function itself puts into the registry."""
    if not says(function, registry):
        return
    methods = function.program.models.containers
    puts = methods.keyed | methods.appends
    for event in function.flow:
        match event:
            case e.Write(op="=", target=target, value=value, fresh=False) if value is not None:
                element = _element(function, target)
                if element is not None and registry.is_called(containers.names_of(function, element.base)):
                    yield Putting(event, (*element.indexes, value))
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="reset"), args=(value, *_))):
                element = _element(function, base)
                if element is not None and registry.is_called(containers.names_of(function, element.base)):
                    yield Putting(event, (*element.indexes, value))
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name=name)) as node) if name in puts:
                if registry.is_called(containers.names_of(function, base)):
                    yield Putting(event, node.args)
            case e.CallEvent(node=r.Call(callee=r.Name()) as node):
                done = c_containers.table_call(function, node)
                if done is None or done.does != "put":
                    continue
                if registry.is_called(containers.names_of(function, done.table)):
                    yield Putting(event, tuple(one for one in (done.key, done.value) if one is not None))


def _element(function: Function, target: r.Value | None) -> r.Index | None:
    """The element of a container that is meant, itself or by a reference to it: `auto& slot = live_[node];`."""
    inner = places.strip(target)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        written, initial = function.locals[inner.text]
        inner = places.strip(initial) if written.rstrip().endswith("&") else None
    return inner if isinstance(inner, r.Index) else None


def touches(function: Function, registry: AnyTable) -> Iterator[tuple[e.Event, bool]]:
    """Where the function itself looks into the registry or changes it, and whether it changes it."""
    if not says(function, registry):
        return
    put = {putting.event.index for putting in puttings(function, registry)}
    for event in function.flow:
        match event:
            case e.Write() if event.index in put:
                yield event, True
            case e.CallEvent(node=r.Call(callee=r.Member(base=base)) as node) if registry.is_called(
                containers.names_of(function, base)
            ):
                yield event, event.index in put or takes_out(function, node, registry)
            case e.CallEvent(node=r.Call(callee=r.Name()) as node) if (
                done := c_containers.table_call(function, node)
            ) is not None and registry.is_called(containers.names_of(function, done.table)):
                yield event, done.does != "find"
            case e.Read(node=r.Index(base=base)) if registry.is_called(containers.names_of(function, base)):
                yield event, False


def puts_itself(function: Function, registry: Registry) -> Putting | None:
    """Where a method puts its own object into the registry, itself or in what it calls."""
    return registries(function.program).putting(function, registry, places.THIS)


def _is_named(value: r.Value | None, name: str) -> bool:
    return isinstance(value, r.Name) and value.text == name


def parts_of(value: r.Value) -> Iterator[r.Value]:
    """The value itself, or the parts of a pair that is made on the spot."""
    inner = places.strip(value)
    if isinstance(inner, r.Aggregate):
        for item in inner.items:
            yield from parts_of(item)
    elif isinstance(inner, r.Call):
        for argument in inner.args:
            yield from parts_of(argument)
    elif inner is not None:
        yield inner


def says(function: Function, registry: AnyTable) -> bool:
    """Whether the body may name the registry. Needs no decoding."""
    return any(name.rstrip("[]").removesuffix("()").encode() + b'"' in function.encoded for name in registry.names)


def taken_keys(function: Function, registry: Registry, takings: list[e.CallEvent]) -> Iterator[r.Value]:
    """What a function's own erases name as key: `m.erase(k)`, or `m.erase(it)` where `it = m.find(k)`."""
    for call in takings:
        if takes_out(function, call.node, registry):
            for argument in call.node.args[:1]:
                yield from _key(function, argument)


def _key(function: Function, argument: r.Value) -> Iterator[r.Value]:
    inner = places.strip(argument)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        inner = places.strip(function.locals[inner.text][1]) or inner
    if isinstance(inner, r.Call) and places.last_name(inner.callee) in ("find", "lower_bound") and inner.args:
        yield inner.args[0]
    else:
        yield argument


def asked_for(function: Function, taking: e.Event) -> Iterator[int]:
    """The tests before an erase that ask whether the entry is there, or who has it: behind them it is out on either
    way."""
    on = taking.receiver if isinstance(taking, e.CallEvent) else None
    for test in islice(function.flow.dominators(taking), _NEAR):
        if isinstance(test, e.Test) and not test.asserted:
            asked = assignments.place(function, places.strip(test.value))
            if _asks_container(function, test.value) or (asked is not None and asked == on):
                yield test.index


def _asks_container(function: Function, value: r.Value | None) -> bool:
    """Whether a condition compares with a container's end, or asks it for a key."""
    inner = places.strip(value)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        value = function.locals[inner.text][1]
    asks = function.program.models.containers.looks | {"end", "cend"}
    return any(places.last_name(call.callee) in asks for call in places.calls_in(value))


def lambdas_in(function: Function, argument: r.Value) -> Iterator[Function]:
    """The lambda that an argument is, or that the local holds which it names."""
    inner = places.strip(argument)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        inner = places.strip(function.locals[inner.text][1])
    while isinstance(inner, r.Unary):
        inner = places.strip(inner.value)
    if isinstance(inner, r.Lambda):
        made = function.program.index.function_at(function.file, inner.function)
        if made is not None:
            yield made


def calls_of(caller: Function, function: Function) -> Iterator[e.CallEvent]:
    """The calls in the one function that reach the other."""
    for call in caller.flow.calls:
        is_named = places.last_name(call.node.callee) == function.name and caller is not function
        if is_named and _reaches(caller, call.node, (function,)):
            yield call


def calls_of_itself(function: Function) -> Iterator[e.CallEvent]:
    """The calls in a function that reach it again, of another object."""
    for call in function.flow.calls:
        named = places.last_name(call.node.callee) == function.name
        if named and function in function.program.calls.callee(call.node, function).functions:
            yield call


def _reaches(caller: Function, call: r.Call, functions: Iterable[Function]) -> bool:
    """Whether a call reaches one of the functions, also by the method of a base that it overrides."""
    found = caller.program.calls.callee(call, caller)
    return any(
        one in found.functions or (one.home is not None and found.owner in one.home.ancestry[1:]) for one in functions
    )


def is_own(call: r.Call) -> bool:
    """Whether a method is called on the function's own object."""
    on = places.receiver(call)
    return isinstance(call.callee, r.Name) or (isinstance(on, r.Name) and on.text == places.THIS)


def _merged(found: Iterable[Registry]) -> tuple[Registry, ...]:
    """Each registry once, with the names of the getters that hand it out."""
    out: dict[tuple[tuple[str, ...], int], Registry] = {}
    for one in found:
        same = next((key for key, other in out.items() if other.held is one.held and other.is_called(one.names)), None)
        if same is None:
            out[one.names, id(one.held)] = one
        else:
            out[same] = out[same]._replace(names=tuple(dict.fromkeys(out[same].names + one.names)))
    return tuple(out.values())


def _handed_out(program: Program, file: File, index: int) -> tuple[str, ...]:
    """The names of what a getter returns."""
    getter = program.index.function_at(file, index)
    returned = [leave.value for leave in getter.flow.leaves if leave.kind == "return"] if getter is not None else []
    return containers.names_of(getter, returned[0]) if getter is not None and len(returned) == 1 else ()


def _registries(program: Program) -> Iterator[Registry]:
    for cls in program.classes:
        if cls.file.language == "cpp":
            for field in cls.record.fields:
                yield from _registry(program, field, field.name, field.type, cls.file, cls.symbol, cls)
    for file in program.files.values():
        if file.language == "cpp":
            for variable in file.variables:
                yield from _registry(program, variable, variable.name, variable.type, file, variable.scope, None)
    for file, index, function, home in _getters(program):
        name = function.name + "()"
        for one in _registry(program, function, name, function.result, file, function.scope, home):
            yield one._replace(names=tuple(dict.fromkeys((name, *_handed_out(program, file, index)))))
    yield from _of_c(program)


def _of_c(program: Program) -> Iterator[Registry]:
    """Containers that functions of C fill, which do not say what they hold: it is what is put in."""
    declared = {
        field.name: (cls.file, field, cls) for cls in program.classes for field in cls.record.fields if not field.static
    } | {one.name: (file, one, None) for file in program.files.values() for one in file.variables}
    for function in program.functions:
        said = (c_containers.verb_of(name) for name in function.mentioned) if function.language == "cpp" else ()
        if not any(one is not None and one[0] == "put" for one in said):
            continue
        for call in function.flow.calls:
            done = c_containers.table_call(function, call.node)
            names = containers.names_of(function, done.table) if done is not None and done.does == "put" else ()
            if done is None or not names or names[0] not in declared:
                continue
            value = containers.key_type(function, done.value) if done.value is not None else ""
            if "python handle" in program.models.role(types.parse(value).last, ()):  # a cast that Python asks for
                value = program.types.of(places.strip(done.value), function)
            held = elements.held_class(program, value, function.file, function.record.scope)
            if held is not None:
                file, node, home = declared[names[0]]
                key = containers.key_type(function, done.key) if done.key is not None else ""
                weak = value != program.types.of(places.strip(done.value), function)
                named = "address" if weak else types.parse(node.type).name
                written = f"{named}<{key}, {held.name}*>" if key else ""
                yield Registry(names, names[0], home, held, bool(key), file.path, node.span, written)


def _registry(
    program: Program, node: r.Node, name: str, written: str, file: File, scope: str, home: Class | None
) -> Iterator[Registry]:
    kind = types.parse(written)
    if (kind.pointers or "[" in written) and not kind.arguments:
        held = elements.linked(program, written, file, scope)
        if held is not None and held is not home:
            yield Registry((name,), name, home, held, False, file.path, node.span, "")
        return
    if kind.pointers > 1 or not (kind.arguments or program.index.defines(kind.last)):
        return
    written = program.names.expand(written, file, scope).rstrip("*& ")
    kind = types.parse(written)
    if not kind.arguments or kind.pointers:
        return
    roles = program.types.roles_at(written, file, scope)
    keyed = "associative" in roles and "set" not in roles and len(kind.arguments) > 1
    if not keyed and not {"set", "sequence"}.intersection(roles):
        own = elements.own_container(program, written, file, scope) if not roles else None
        if own is not None:
            yield Registry((name,), name, home, own[0], own[1], file.path, node.span, "")
        return
    element = kind.arguments[1 if keyed else 0]
    held = elements.held_class(program, element, file, scope)
    if held is None and not references.OBJECTS.isdisjoint(program.types.roles_at(element, file, scope)):
        held = elements.wrapped(program).get(name)
    if held is not None:
        yield Registry((name,), name, home, held, keyed, file.path, node.span, written)


# --- flags ----------------------------------------------------------------------------------------


def flags(cls: Class) -> dict[str, r.Field]:
    """The members that are true or false, inherited ones included."""
    return {
        name: field
        for one in reversed(cls.ancestry)
        for name, field in one.fields.items()
        if not field.static and (_is_bool(field.type) or _is_truth(one, field))
    }


_NUMBERS = frozenset({"int", "unsigned", "unsigned int", "char", "unsigned char", "short", "uint8_t", "gboolean"})


def _is_truth(cls: Class, field: r.Field) -> bool:
    """Whether a number is what C has for a flag: nothing but 0 and 1 is ever stored in it."""
    name = field.name
    return field.type in _NUMBERS and _truths(cls.program).ask(name, lambda: assignments.is_truth(cls.program, name))


@questions.program_question
def _truths(program: Program) -> questions.Answers[str, bool]:
    """Which names of members hold nothing but 0 and 1; one object a program, since its answers are remembered."""
    return questions.Answers(False)


def _is_bool(written: str) -> bool:
    kind = types.parse(written)
    return kind.is_value and (
        kind.name == "bool" or kind.last == "atomic_bool" or (kind.last == "atomic" and kind.arguments == ("bool",))
    )


def skipped_when(function: Function, event: e.Event, names: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The flags, each with the value that keeps control from reaching the event."""
    guards = [(test, outcome) for test, outcome in function.flow.guards(event) if not test.asserted]
    if not guards:
        return
    for name in names:
        for value in (False, True):
            given = conditions.Given((places.THIS, name), _held(value))
            for test, outcome in guards:
                known = conditions.comes_to(function, test.value, given)
                if known is not None and known is not outcome:
                    yield name, value
                    break


def validity(cls: Class) -> dict[str, bool]:
    """The flags of a class that its methods ask before they go on, each with the value that makes them throw."""
    found: dict[str, bool] = {}
    for one in cls.ancestry:
        for method in one.methods:
            if method.record.kind in ("constructor", "destructor") or not method.says(_THROWS):
                continue
            for leave in method.flow.leaves:
                if leave.kind == "throw":
                    found.update(_reached_when(method, leave, flags(cls)))
    return found


_THROWS = re.compile(rb'"throw"')


def marks(cls: Class) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The members that the methods of a class ask before they go on, its own and its owner's: flags, pointers that may
    be null, states, counters. None where there is none, or where they ask somebody else, too."""
    own: dict[str, set[bool]] = {name: {value} for name, value in validity(cls).items()}
    owners = set[str]()
    for guard in guarding.of(cls.program).guards_of(cls):
        if guard.owners:
            return None
        for flag in guard.flags:
            if len(flag) == 1:
                own.setdefault(flag[-1], set())
            else:
                owners.add(flag[-1])
    members = {field.name for one in cls.ancestry for field in one.record.fields if not field.static}
    pointing, gone = set(pointing_fields(cls)), _gone(cls, members)
    for function, root in _using(cls):
        for leave in function.flow.leaves:
            if not _refuses(function, leave):
                continue
            by_return = leave.kind != "throw"
            for test, outcome in function.flow.guards(leave):
                asked = containers.made_from(function, test.value)
                if any(_asks_another(function, value, members) for value in asked):
                    return None
                for name, held in gone:
                    given = conditions.Given((root, name), held)
                    if conditions.comes_to(function, test.value, given) is outcome and (
                        not by_return or _decides(function, cls, name, held, pointing)
                    ):
                        own.setdefault(name, set()).add(bool(held.truth))
    for name in deciding(cls.program).get(cls, ()):
        own.setdefault(name, set())
    states = set(_states(cls)) - set(flags(cls))
    known = tuple(
        name
        for name, values in sorted(own.items())
        if not _is_to_come(cls, name, values) and (name not in states or _marks_an_end(cls, name))
    )
    return (known, tuple(sorted(owners))) if known or owners else None


def _is_to_come(cls: Class, name: str, values: set[bool]) -> bool:
    """Whether every object begins with one of the values in the member and never gets one later: it says that something
    is not done yet (`compiled`), or that a look-up found nothing, not that the object is gone."""
    kind = types.parse(_written(cls, name))
    found = cls.field(name)
    begun = [found[1].value] if found is not None and found[1].value is not None else []
    begun += [v for one in cls.constructors for i in one.record.initializers if i.name == name for v in i.args]
    later: list[tuple[Function, r.Value | None]] = []
    for function in member_stores.storing(cls, name, strict=False) if values else ():
        for store in member_stores.stores_of(function, name, cls, strict=False):
            if _begins(function, store):
                begun += [store.value] if store.value is not None else []
            else:
                later.append((function, store.value))
    return any(_truth(value) in values for value in begun) and not any(
        _may_be(function, value, values, kind) for function, value in later
    )


def _truth(value: r.Value | None) -> bool | None:
    known = assignments.held(value)
    return known.truth if known is not None else None


def _begins(function: Function, store: member_stores.MemberStore) -> bool:
    """Whether an object gets its first state, or that of another: in a constructor, what those alone call, an
    assignment."""
    return store.base is None and (
        function.record.kind == "constructor"
        or function.name == "operator="
        or (_is_called_by_constructor(function) and locks.locking(function.program).from_callers(function).alone)
    )


def _is_called_by_constructor(function: Function) -> bool:
    return any(caller.record.kind == "constructor" for caller in function.program.index.callers(function))


def _may_be(function: Function, value: r.Value | None, values: set[bool], kind: types.Type) -> bool:
    """Whether a value may be one of those; a pointer that is found or copied leads to an object."""
    if (truth := _truth(value)) is not None:
        return truth in values
    inner = places.strip(value)
    if isinstance(inner, r.Name) and any(parameter.name == inner.text for parameter in function.record.parameters):
        return True
    return not kind.pointers or not isinstance(inner, r.Call | r.Name | r.Member)


@questions.program_question
def deciding(program: Program) -> dict[Class, dict[str, list[assignments.Held]]]:
    """Of each class whose objects stand in a registry: the members that decide, somewhere, whether what the object
    points to is used, and that are stored so that it is not, with what is stored then: whoever asks, and however it
    goes on."""
    found: dict[Class, dict[str, list[assignments.Held]]] = {}
    for cls in dict.fromkeys(one.held for one in registries(program).all):
        pointing = set(pointing_fields(cls))
        asked = set(_states(cls)) | {name for name in pointing if types.parse(_written(cls, name)).pointers == 1}
        for name in sorted(asked) if pointing else ():
            stored = _stored_dead(cls, name)
            dead = [
                held
                for held in stored
                if any(
                    _decides(function, cls, name, held, pointing)
                    for function in dict.fromkeys(
                        (
                            *undecoded.member_sayers(program).get(name, ()),
                            *(one for each in cls.ancestry for one in each.methods),
                        )
                    )
                )
            ]
            if dead and not _revives(cls, name, dead):
                found.setdefault(cls, {})[name] = dead
    return found


def pointing_fields(cls: Class) -> Iterator[str]:
    """The members of a class that point to something other than objects of its own, as a handle does."""
    for one in cls.ancestry:
        for field in one.record.fields:
            kind = types.parse(cls.program.names.expand(field.type, one.file, one.symbol))
            plain = (kind.pointers == 1 or kind.reference) and not kind.arguments and "(" not in field.type
            if not plain or field.static or kind.is_scalar or kind.last == "void":
                continue
            if kind.last != cls.name or cls.program.names.find_class(kind.name, one.symbol, one.file) is None:
                yield field.name


def _states(cls: Class) -> Iterator[str]:
    """The members that are true or false, an enumerator, or a number with which C says so."""
    for one in cls.ancestry:
        for field in one.record.fields:
            kind = types.parse(cls.program.names.expand(field.type, one.file, one.symbol))
            if not field.static and (_is_bool(field.type) or (kind.is_value and not kind.arguments)):
                yield field.name


def _stored_dead(cls: Class, name: str) -> list[assignments.Held]:
    """What is stored in the member where the object is neither made nor moved, and what it holds from then on; nothing
    where anything but constants is stored, and it may be a number of things."""
    found: list[assignments.Held] = []
    is_pointer = bool(types.parse(_written(cls, name)).pointers)
    for function in member_stores.storing(cls, name):
        if function.record.kind in ("constructor", "destructor") or function.name in ("operator=", "swap"):
            continue
        for store in member_stores.stores_of(function, name, cls):
            if is_made_here(function, store.base):
                continue
            held = assignments.held(store.value)
            if held is None or held.kind not in ("flag", "cleared", "emptied", "state"):
                if not is_pointer:
                    return []
            elif held.text.isdigit() and held.text not in ("0", "1"):
                return []
            elif held not in found:
                found.append(held)
    return found


def stood_for(cls: Class) -> tuple[str, ...]:
    """See `Registries.stood_for`."""
    return registries(cls.program).stood_for(cls)


def _stood_for(cls: Class) -> tuple[str, ...]:
    pointed = set(natives.natives(cls.program).pointed_to_by(cls))
    for one in cls.ancestry:
        for field in one.record.fields:
            kind = types.parse(field.type)
            if kind.pointers == 1 and kind.last in pointed and _is_made_for(cls, field.name):
                pointed.discard(kind.last)
    return tuple(sorted(pointed))


@questions.question
def _ended_by(function: Function) -> frozenset[str]:
    """The types of the native objects that a function ends."""
    known = natives.natives(function.program)
    destroyed = {kind for _, kind, _ in natives.destroys(function, known)}
    return frozenset(destroyed.union(*(end.types for end in natives.ends(function, known))))


def _is_made_for(cls: Class, name: str) -> bool:
    return any(
        isinstance(inner := places.strip(store.value), r.Call) and inner.kind == "new"
        for function in member_stores.storing(cls, name)
        for store in member_stores.stores_of(function, name, cls)
    )


def _marks_an_end(cls: Class, name: str) -> bool:
    """Whether the member is stored where something ends to which an object of the class leads, in the function that
    ends it or in one that calls it. A state that is stored nowhere else says how far something has come, or of what
    sort it is."""
    found = natives.natives(cls.program)
    names = cls.program.names

    def is_itself(kind: str) -> bool:
        return names.find_class(names.expand(kind, cls.file, cls.symbol), cls.symbol, cls.file) is cls

    written = {types.parse(_written(cls, one)).last for one in pointing_fields(cls)}
    pointed = [one for one in stood_for(cls) if one in written or not is_itself(one)]

    def concerns(kind: str) -> bool:
        leads = any(kind == one or found.reaches(kind, one) or found.owns(kind, one) for one in pointed)
        return leads and not is_itself(kind)

    for function in member_stores.storing(cls, name):
        for one in (function, *cls.program.index.callers(function)):
            if any(concerns(kind) for kind in sorted(_ended_by(one))):
                return True
    return False


def _revives(cls: Class, name: str, dead: list[assignments.Held]) -> bool:
    """Whether an object that is there already gets another value than what says that its own is gone: then the member
    says something that comes and goes, as a cache or a change does."""
    pointing = set(pointing_fields(cls))
    for function in member_stores.storing(cls, name):
        if function.record.kind in ("constructor", "destructor") or function.name in ("operator=", "swap"):
            continue
        for store in member_stores.stores_of(function, name, cls):
            root = places.strip(store.base)
            is_new = (
                isinstance(root, r.Name) and root.text in function.locals and root.text not in function.parameter_names
            )
            if is_new or assignments.held(store.value) in dead:
                continue
            filled = name not in pointing and any(
                isinstance(write.target, r.Member) and write.target.name in pointing for write in function.flow.writes
            )
            if not filled:
                return True
    return False


def is_made_here(function: Function, base: r.Value | None) -> bool:
    """Whether the object, or what it is part of, is a local that holds nothing but what calls have just made."""
    root = places.strip(base)
    while isinstance(root, r.Member | r.Unary):
        root = places.strip(root.base if isinstance(root, r.Member) else root.value)
    if not isinstance(root, r.Name) or root.text not in function.locals or root.text in function.parameter_names:
        return False
    held = [write.value for write in function.flow.writes if write.place == (root.text,)]
    made = [inner for one in held if not _is_nothing(inner := places.strip(one))]
    return bool(made) and all(
        isinstance(one, r.Call) and (one.kind == "new" or natives.makes(places.last_name(one.callee))) for one in made
    )


def _is_nothing(value: r.Value | None) -> bool:
    return value is None or (isinstance(value, r.Literal) and value.kind == "null")


def _decides(function: Function, cls: Class, name: str, dead: assignments.Held, pointing: set[str]) -> bool:
    """Whether the function uses what an object of the class points to on such ways alone on which the member does not
    hold that."""
    if function.language != "cpp" or function.record.kind in ("constructor", "destructor"):
        return False
    asked: set[places.Place] = set()
    if f'"{name}"'.encode() not in function.encoded:
        if function.cls not in cls.ancestry or not _asks_own(function, name):
            return False
        asked.add((places.THIS,))
    asked |= {
        where[:-1]
        for test in function.flow
        if isinstance(test, e.Test) and not test.asserted
        for inner in places.walk(test.value)
        if isinstance(inner, (r.Name, r.Member))
        and (where := assignments.place(function, inner)) is not None
        and len(where) > 1
        and where[-1] == name
        and member_stores.is_of_class(function, inner.base if isinstance(inner, r.Member) else None, cls, strict=True)
    }
    if not asked:
        return False
    for event in function.flow:
        place = assignments.place(function, event.node) if isinstance(event, e.Read) else None
        for at, last in enumerate(place or ()):
            if place is None or last not in pointing or place[:at] not in asked:
                continue
            given = conditions.Given((*place[:at], name), dead)
            for test, outcome in function.flow.guards(event):
                known = conditions.comes_to(function, test.value, given)
                if not test.asserted and known is not None and known is not outcome:
                    return True
    return False


def _asks_own(function: Function, name: str) -> bool:
    """Whether a condition asks a method of the object that answers yes or no with what it is given, by that member."""
    return any(
        call.args
        and callee.cls is not None
        and callee.record.result == "bool"
        and f'"{name}"'.encode() in callee.encoded
        for test in function.flow
        if isinstance(test, e.Test) and not test.asserted
        for call in places.calls_in(test.value)
        for callee in function.program.calls.callee(call, function).functions
    )


def _gone(cls: Class, members: set[str]) -> list[tuple[str, assignments.Held]]:
    """What the members of the class can hold that says that the object is gone, each with its name."""
    found: list[tuple[str, assignments.Held]] = []
    boolean = flags(cls)
    for name in sorted(members):
        if types.parse(_written(cls, name)).pointers == 1:
            found.append((name, assignments.Held("emptied", False, "null")))
        elif name in boolean:
            found += [(name, _held(False)), (name, _held(True))]
    return found


def _using(cls: Class) -> Iterator[tuple[Function, str]]:
    """The methods of a class, and the functions of C that are given one of its objects first, with what it is there."""
    for one in cls.ancestry:
        for method in one.methods:
            if method.record.kind not in ("constructor", "destructor") and (
                method.says(_THROWS) or method.says(_RETURNS)
            ):
                yield method, places.THIS
    for function in _answering_about(cls.program).get(cls.name, ()):
        yield function, function.record.parameters[0].name


_RETURNS = re.compile(rb'"return"')


@questions.program_question
def _answering_about(program: Program) -> dict[str, tuple[Function, ...]]:
    found: dict[str, list[Function]] = {}
    for function, last in _answering(program).items():
        found.setdefault(last, []).append(function)
    return {last: tuple(functions) for last, functions in found.items()}


@questions.each_function
def _answering(function: Function) -> str:
    """The class of what a function of C that leaves by a `return` is given first."""
    first = function.record.parameters[:1]
    if function.language != "cpp" or function.home is not None or not first or not function.says(_RETURNS):
        return ""
    return types.parse(first[0].type).last


def _refuses(function: Function, leave: e.LeaveEvent) -> bool:
    """It throws, or answers with a failure that is made there."""
    return leave.kind == "throw" or (leave.kind == "return" and failure.refuses(function, leave.value) is True)


def _asks_another(function: Function, value: r.Value, members: set[str]) -> bool:
    """Whether a condition calls a method of another object that a member leads to."""
    return any(
        isinstance(on := places.strip(call.callee.base), r.Name) and on.text in members - function.declared
        for call in places.calls_in(value)
        if isinstance(call.callee, r.Member)
    )


def _written(cls: Class, name: str) -> str:
    found = cls.field(name)
    return found[1].type if found is not None else ""


def _reached_when(function: Function, leave: e.Event, names: dict[str, r.Field]) -> Iterator[tuple[str, bool]]:
    """The flags that are asked on the way to an event, each with the value that leads there."""
    for test, outcome in function.flow.guards(leave):
        for name in names:
            for value in (False, True):
                known = conditions.comes_to(function, test.value, conditions.Given((places.THIS, name), _held(value)))
                if not test.asserted and known is outcome:
                    yield name, value


def _held(value: bool) -> assignments.Held:
    return assignments.Held("flag", True, "true") if value else assignments.Held("cleared", False, "false")


@questions.program_question
def registries(program: Program) -> Registries:
    """The registries of a program; one object a program, since its answers are remembered."""
    return Registries(program)
