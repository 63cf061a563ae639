"""Which functions are worth following: those in which some memory may end that something else points to. Asked before
a flow is made, mostly before a body is decoded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from ownlint.domains.memory import lent_addresses
from ownlint.domains.memory.callables import keeps_lambda
from ownlint.domains.memory.effects import ending_names, releases
from ownlint.domains.memory.moves import movers, offered, uses_moved
from ownlint.domains.memory.owners import giving_up, is_raw, owning_members, takers
from ownlint.domains.memory.pointers import (
    SMART,
    captured,
    decayed,
    declared_type,
    dropping,
    emptying,
    inner_declarations,
    is_array,
    keepers,
    lending_items,
    named,
)
from ownlint.engine import overrides
from ownlint.engine.macro_calls import with_macros, written_out
from ownlint.facts import records as r
from ownlint.flow.bodies import statements, values
from ownlint.flow.graph import Flow
from ownlint.flow.places import THIS, children, last_name, strip, walk
from ownlint.patterns import constant
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import each_function, flow_question, program_question, question
from ownlint.project.subjects import Class, Function

_DELETES = re.compile(rb'"delete"')
_ADDRESS = constant(re.compile(rb'"&"'))
_DESTRUCTS = re.compile(rb'"~')
_ASSIGNS = re.compile(rb"\[8,")
_HOLDS_LAMBDA = re.compile(rb"\[10,")
"""How records of assignments and of lambdas begin."""
_NUMBERS = frozenset({"bool", "char", "int", "long", "unsigned", "float", "double", "size_t", "int64_t", "uint64_t"})
DEEPEST = 8
"""So many functions below one another are asked what they do, and looked for one that ends what it is given."""


@question
def may_end(function: Function) -> bool:
    """Whether memory may end in the function while something points into it."""
    if function.record.opaque:
        return False
    if function.says(_DELETES) or function.says(_DESTRUCTS):
        return True
    program, mentioned = function.program, function.mentioned
    if not giving_up(program).isdisjoint(mentioned):
        return True
    if not _ending(program).isdisjoint(mentioned) and _calls_ender(function):
        return True
    if not _running(program).isdisjoint(mentioned) and _runs_ender(function):
        return True
    if function.says(_HOLDS_LAMBDA) and any(may_end(inner) for inner in function.lambdas()):
        return True
    if may_change(function) or may_leave(function):
        return True
    return uses_moved(function) or _assigns_owner(function) or _assigns_owning_member(function)


@question
def may_change(function: Function) -> bool:
    """Whether elements of a container may move or end in the function while something points to them."""
    if function.record.opaque:
        return False
    program, mentioned = function.program, function.mentioned
    if not _changing(program).isdisjoint(mentioned) and _changes_pointed_into(function):
        return True
    if not emptying(program).isdisjoint(mentioned):
        return True
    if not lending_items(program).isdisjoint(mentioned) and any(
        not dropping(program).isdisjoint(one.mentioned) for one in (function, *function.lambdas())
    ):
        return True
    if _calls_growing(function) or bool(_lending_inner(function)):
        return True
    return function.says(_HOLDS_LAMBDA) and any(may_change(inner) for inner in function.lambdas())


@question
def may_leave(function: Function) -> bool:
    """Whether something may point into a local of the function, or of a block, when that ends."""
    if function.record.opaque:
        return False
    if _hands_out_own(function) or decayed(function) or _lends_to_inner(function) or bool(_lending_inner(function)):
        return True
    if keeps_lambda(function) or _lambda_outlives_block(function):
        return True
    return function.says(_HOLDS_LAMBDA) and any(may_leave(inner) for inner in function.lambdas())


@question
def may_give_up(function: Function) -> bool:
    """Whether the function may give up a counted reference, itself or in what it calls."""
    if function.record.opaque:
        return False
    names = _giving_up_references(function.program)
    around = [one for one in (function, *function.lambdas()) if not names.isdisjoint(one.mentioned)]
    return len(around) > 1 or any(one is not function or _gives_up_twice(one, names) for one in around)


def _gives_up_twice(function: Function, names: frozenset[str]) -> bool:
    """Whether what gives up a reference is given something that another call may end behind it, or an object that goes
    out of scope. In another round of a loop the same call does so on some paths only."""
    given = [one for one in function.calls() if last_name(one.callee) in names]
    if not function.file.is_c and any(
        not SMART.isdisjoint(function.program.types.roles(written, function)) or ends_what_it_holds(function, written)
        for written, _ in function.locals.values()
    ):
        return bool(given)
    enders = _ending(function.program)
    ends = [one for one in function.calls() if one.kind == "delete" or last_name(one.callee) in enders | names]
    joined = _Joined(_led_together(function) if len(ends) > 1 else ())
    worked_on = [(other, _worked_on(other)) for other in ends] if given and len(ends) > 1 else []
    for one in given if worked_on else ():
        found = joined.around(_worked_on(one))
        others = [other for other, names in worked_on if other is not one and not found.isdisjoint(names)]
        if others and any(_comes_before(one, other, function.flow) for other in others):
            return True
    return False


def _comes_before(one: r.Call, other: r.Call, flow: Flow) -> bool:
    """Whether some way leads from one call to the other."""
    first, second = flow.call_of(one), flow.call_of(other)
    return first is None or second is None or flow.path(first, lambda event: event is second) is not None


def _led_together(function: Function) -> list[set[str]]:
    """Names of which one may lead to what another leads to."""
    joined = [{name, *_led_from(value)} for name, (_, value) in function.locals.items() if value is not None]
    joined += [_names(one.target) | set(_led_from(one.value)) for one in function.values if isinstance(one, r.Assign)]
    for one in function.calls():
        if any(lent_addresses.hands_on(one, index, function) for index in range(len(one.args))):
            joined.append(_worked_on(one))
    return joined


def _led_from(value: r.Value | None) -> Iterator[str]:
    """The names in an expression but those that its calls get."""
    if isinstance(value, r.Name):
        yield value.text
    elif isinstance(value, r.Call):
        yield from _led_from(value.callee.base if isinstance(value.callee, r.Member) else None)
    elif value is not None:
        for one in children(value):
            yield from _led_from(one)


def _worked_on(call: r.Call) -> set[str]:
    """The names of what a call is given, and called on."""
    found = _names(call.callee.base) if isinstance(call.callee, r.Member) else set()
    return found.union(*map(_names, call.args)) - {"NULL", "nullptr"}


@program_question
def _giving_up_references(program: Program) -> frozenset[str]:
    """Last names of what gives up a counted reference, and of the project's functions that do so below."""
    enders = _enders_by(program, _given_up_first(program))
    return _counted_ends(program).given | with_macros({one.name for one in enders}, program, "delete")


@program_question
def _counted_ends(program: Program) -> _Enders:
    counted = with_macros({one for one in ending_names(program) if program.models.counts(one)}, program, "delete")
    return _Enders(counted, frozenset(), frozenset(), frozenset(), {}, deletes=False)


@each_function
def _given_up_first(function: Function) -> tuple[_Ended, ...]:
    return _counted_ends(function.program).ended_first(function)


@question
def may_take(function: Function) -> bool:
    """Whether the function may take over, or release, what an owner that it sees has."""
    if function.language != "cpp" or may_end(function):
        return function.language == "cpp"
    names = takers(function.program)
    return not names.isdisjoint(function.mentioned) and any(
        _is_kept(one) and is_raw(function, one)
        for call in function.calls()
        if last_name(call.callee) in names
        for one in call.args
    )


def _is_kept(given: r.Value) -> bool:
    """Whether it is something that somebody has already: a place, its address, what an object is asked for."""
    bare = strip(given)
    return isinstance(bare, r.Name | r.Unary | r.Member) or (
        isinstance(bare, r.Call) and isinstance(bare.callee, r.Member) and not bare.args
    )


def _lending_inner(function: Function) -> frozenset[str]:
    """Containers of inner blocks that are asked for an element, or where their elements are, and somebody keeps it."""
    if _lending(function.program).isdisjoint(function.mentioned) or not function.says(_ASSIGNS):
        return frozenset()
    inner = {name for one in inner_declarations(function) for name in one.names}
    asked = {
        call.callee.base.text
        for one in function.values
        if isinstance(one, r.Assign) and isinstance(one.target, r.Name) and one.target.text not in inner
        for call in (strip(one.value),)
        if isinstance(call, r.Call) and isinstance(call.callee, r.Member) and isinstance(call.callee.base, r.Name)
        if call.callee.name in _lending(function.program)
    }
    return frozenset(asked & inner)


def _assigns_owner(function: Function) -> bool:
    """Whether one local takes what another, or a temporary, will end as well."""
    assigned = {name.removeprefix("=") for name in function.mentioned if name.startswith("=")}
    return any(
        name in assigned and ends_what_it_holds(function, written) for name, (written, _) in function.locals.items()
    )


def _assigns_owning_member(function: Function) -> bool:
    """Whether a member that is a smart pointer gets something else."""
    assigned = {name.removeprefix("=") for name in function.mentioned if name.startswith("=")}
    return not assigned.isdisjoint(owning_members(function.program) - function.declared)


def _lends_to_inner(function: Function) -> bool:
    """Whether an object of an inner block is made of what a name stands for, and ends that with its block; or lends
    what is its own to a pointer from further out."""
    program = function.program
    for one in inner_declarations(function):
        bare = strip(one.value)
        if isinstance(bare, r.Call) and any(isinstance(strip(given), r.Name) for given in bare.args):
            if not SMART.isdisjoint(program.types.roles(one.type, function)):
                return True
            if ends_what_it_holds(function, one.type):
                return True
    return False


def ends_what_it_holds(function: Function, written: str) -> bool:
    """Whether it is a class of the project whose destructor may end memory, or calls a member that may."""
    if types.parse(written).pointers:
        return False
    cls = class_of(function, written)
    return (
        cls is not None
        and cls.record.destructor == "defined"
        and cls.destructor is not None
        and (may_end(cls.destructor) or any(field.name in cls.destructor.mentioned for field in cls.record.fields))
    )


def class_of(function: Function, written: str) -> Class | None:
    """The project's class that a type names there: one that the file declares itself goes before others' aliases."""
    names, scope, file = function.program.names, function.record.scope, function.file
    found = names.find_class(written, scope, file)
    if found is not None and found.file is file:
        return found
    return names.find_class(names.expand(written, file, scope), scope, file)


def _calls_ender(function: Function) -> bool:
    """Whether something is called that ends what it is given, and not only called so."""
    program = function.program
    names, enders = _ending(program), _enders(program)
    given = (one for one in function.calls() if last_name(one.callee) in names)
    called = (inner for one in given for inner in _meant(one, program))
    return any(
        any(found in enders for found in callee.functions) or releases(one, callee, program)
        for one in called
        for callee in (overrides.reached(one, function),)
    )


def _meant(call: r.Call, program: Program) -> Iterator[r.Call]:
    """The call itself, or those that a macro stands for."""
    inner = written_out(call, program)
    yield from (one for one in inner if isinstance(one, r.Call)) if inner else (call,)


def _runs_ender(function: Function) -> bool:
    """Whether a function that ends something is given to who calls it, or is called through what holds it."""
    program = function.program
    names = _ending(program)
    return not _holding(program).isdisjoint(function.mentioned) or any(
        isinstance(bare := strip(given.value if isinstance(given, r.Unary) else given), r.Name)
        and bare.text.rpartition("::")[2] in names
        for one in function.calls()
        if last_name(one.callee) in _running(program)
        for given in map(strip, one.args)
    )


@program_question
def _running(program: Program) -> frozenset[str]:
    """Last names of what calls what it is given, or makes something that does, and of what holds a function."""
    own = {
        one.name
        for one in program.functions
        if one.language == "cpp" and not one.parameter_names.isdisjoint(one.mentioned)
    }
    return frozenset(
        own | _holding(program) | program.models.functions_with("call") | program.models.functions_with("bind")
    )


@program_question
def _holding(program: Program) -> frozenset[str]:
    """Names of variables of the program, and of the members of some, that hold a function which ends something."""
    names, found = _ending(program), set[str]()
    for file in program.files.values():
        for variable in file.variables if file.language == "cpp" else ():
            inside = {one.text.rpartition("::")[2] for one in walk(variable.value) if isinstance(one, r.Name)}
            if not names.isdisjoint(inside):
                cls = program.names.find_class(variable.type, variable.scope, file)
                found |= {variable.name} | {field.name for field in (cls.record.fields if cls is not None else ())}
    return frozenset(found)


@program_question
def _ending(program: Program) -> frozenset[str]:
    """Last names of what ends memory that it is given, or that of its own object."""
    named = ending_names(program) | emptying(program)
    return with_macros(named | {one.name for one in _enders(program)}, program, "delete")


@program_question
def _enders(program: Program) -> dict[Function, bool]:
    """The project's functions that do so; looked up one by one."""
    return _enders_by(program, _ended_first(program))


@program_question
def _ends(program: Program) -> _Enders:
    given = frozenset(ending_names(program) | emptying(program))
    return _Enders(given, frozenset(), giving_up(program), owning_members(program), {})


@each_function
def _ended_first(function: Function) -> tuple[_Ended, ...]:
    return _ends(function.program).ended_first(function)


def _enders_by(program: Program, first: Mapping[Function, tuple[_Ended, ...]]) -> dict[Function, bool]:
    """`first` are those that do so by themselves; others call them."""
    found: dict[Function, bool] = {}
    told: set[tuple[Function, str]] = set()
    fresh: _Enders | None = None
    for _ in range(DEEPEST):
        if fresh is None:
            ends = [(one, place) for one, places in first.items() for place in places]
        else:
            calling = program.calling(fresh.given | fresh.own)
            ends = [(one, place) for one in calling if _is_plain(one) for place in fresh.ended_by(one)]
        more = [one for one in dict.fromkeys(ends) if one not in told]
        if not more:
            break
        told.update(more)
        found.update((one, True) for one, _ in more)
        fresh = _Enders(
            with_macros({one.name for one, place in more if place == "given"}, program, "delete"),
            frozenset(one.name for one, place in more if place == "own"),
            frozenset(),
            frozenset(),
            found,
            deletes=False,
        )
    return found


def _is_plain(function: Function) -> bool:
    return function.language == "cpp" and function.record.kind != "destructor"


_Ended = Literal["given", "own"]


class _Enders(NamedTuple):
    """Last names of functions that end what they are given, and of those that end their own object, or a part of it."""

    given: frozenset[str]
    own: frozenset[str]
    giving_up: frozenset[str]
    """Of methods by which a smart pointer ends what it holds."""
    owners: frozenset[str]
    """Of members that are one."""
    known: Mapping[Function, bool]
    """Those that were found before."""
    deletes: bool = True
    """Whether a `delete` ends something, too."""

    def may_be_in(self, function: Function) -> bool:
        """Whether one of them, or `delete`, stands in the body. Needs no decoding."""
        mentioned = function.mentioned
        if not self.given.isdisjoint(mentioned) or not self.own.isdisjoint(mentioned):
            return True
        if not self.giving_up.isdisjoint(mentioned) or (self.deletes and function.says(_DELETES)):
            return True
        return bool(self.owners) and any(name[:1] == "=" and name[1:] in self.owners for name in mentioned)

    def ended_first(self, function: Function) -> tuple[_Ended, ...]:
        """What it ends, each once; needs no decoding where that is nothing."""
        is_worth = _is_plain(function) and self.may_be_in(function)
        return tuple(dict.fromkeys(self.ended_by(function))) if is_worth else ()

    def ended_by(self, function: Function) -> Iterator[_Ended]:
        """Whether the function ends what its caller knows: an argument, or something of its object."""
        lent = {p.name for p in function.record.parameters if not _is_constant(p.type)}
        lent |= _copies(function, lent)
        for one in function.values:
            for place in filter(None, self.ended_in(one, function)):
                if place in lent:
                    yield "given"
                elif place not in function.declared:
                    yield "own"

    def ended_in(self, value: r.Value, function: Function) -> Iterator[str]:
        """The names from which goes out what the expression ends."""
        match value:
            case r.Call(callee=callee, args=args, kind=kind):
                name = last_name(callee)
                on = callee.base if isinstance(callee, r.Member) else None
                if on is not None and name in self.giving_up and last_name(on) in self.owners:
                    yield named(on)
                given, own = (kind == "delete" and self.deletes) or name in self.given, name in self.own
                if (given or own) and self.may_be(value, function):
                    yield from map(named, args if given else ())
                    if own:
                        yield named(on) if on is not None else THIS
            case r.Assign(op="=", target=r.Name() | r.Member() as target) if last_name(target) in self.owners:
                yield named(target)

    def may_be(self, call: r.Call, function: Function) -> bool:
        """Whether a call by the name of one runs one that is known, or a macro in which it stands."""
        if not self.known or function.program.macros.named(last_name(call.callee)):
            return True
        return any(one in self.known for one in overrides.reached(call, function).functions)


def _copies(function: Function, lent: set[str]) -> set[str]:
    """Locals that begin as what one of these is, and are nothing else later."""
    begun = [(name, strip(value)) for name, (_, value) in function.locals.items() if value is not None]
    found: set[str] = set()
    for name, value in begun:
        copied = isinstance(value, r.Name) and (value.text in lent or value.text in found)
        if copied and f"={name}" not in function.mentioned:
            found.add(name)
    return found


def _is_constant(written: str) -> bool:
    """A reference by which nothing can be ended."""
    kind = types.parse(written)
    return kind.reference and kind.const and not kind.pointers


@program_question
def _changing(program: Program) -> frozenset[str]:
    """Last names of what moves the elements of a container."""
    return program.models.functions_with("invalidate", "receiver")


def changes_elements(function: Function) -> bool:
    """Whether the function may move the elements of a container that its caller knows."""
    return function in _growers(function.program)


@program_question
def _growers(program: Program) -> dict[Function, bool]:
    """The project's functions that may do so, by themselves or by what they call; looked up one by one."""
    more = [one for one in program.calling(_changing(program)) if _lends_container(one)]
    found: dict[Function, bool] = {}
    for _ in range(DEEPEST):
        found.update((one, True) for one in more)
        names = frozenset(one.name for one in more)
        calling = (one for one in program.calling(names) if one not in found and _lends_container(one))
        more = [one for one in calling if _passes_on(one, names, found)]
        if not more:
            break
    return found


def _passes_on(function: Function, names: frozenset[str], growers: Mapping[Function, bool]) -> bool:
    """Whether one of those is called of something that is no local of the function."""
    own = function.locals.keys() - function.parameter_names
    for call in function.calls():
        if last_name(call.callee) in names:
            on = call.callee.base if isinstance(call.callee, r.Member) else r.Name(-1, -1, THIS)
            lent = any((name := named(one)) and name not in own for one in (on, *call.args))
            if lent and any(one in growers for one in function.program.calls.callee(call, function).functions):
                return True
    return False


def _lends_container(function: Function) -> bool:
    """Whether a container of its caller, or of its object, can be changed by it."""
    record = function.record
    if function.language != "cpp" or record.kind not in ("function", "method"):
        return False
    given = (types.parse(one.type) for one in record.parameters if not _is_constant(one.type))
    lent = any(one.reference or (one.pointers and not one.const and not one.is_scalar) for one in given)
    return lent or (bool(record.owner) and not {"const", "static"} & set(record.qualifiers))


@program_question
def _growing(program: Program) -> frozenset[str]:
    """Last names of the project's functions that may do so."""
    return frozenset(one.name for one in _growers(program))


def may_be_reserved(function: Function, container: r.Value) -> bool:
    """Whether room may have been made for a container out of sight: for a member, by the project somewhere, for what a
    parameter refers to, by a caller. What is made for the function's own containers is seen."""
    given = {parameter.name: index for index, parameter in enumerate(function.record.parameters)}
    inner, names = strip(container), set[str]()
    while isinstance(inner, r.Name) and inner.text not in names:
        names.add(inner.text)
        if inner.text in given:
            return given[inner.text] in _given_reserved(function)
        if inner.text not in function.locals:
            break
        written, initial = function.locals[inner.text]
        kind = types.parse(written)
        if not kind.reference and not kind.pointers and not kind.is_placeholder:
            return False
        inner = strip(initial)
    return last_name(inner) in _reserved(function.program)


@question
def _given_reserved(function: Function) -> frozenset[int]:
    """The parameters, from 0, for which a caller may give a container that room was made for."""
    everywhere = _reserved(function.program)
    return frozenset(
        index
        for caller in function.program.index.callers(function)
        for call in (caller.calls() if caller.language == "cpp" else ())
        if last_name(call.callee) == function.name
        for index, given in enumerate(call.args)
        if (name := last_name(given)) in everywhere or name in _makes_room(caller)
    )


@program_question
def _reserved(program: Program) -> frozenset[str]:
    """Last names of the containers for which the project makes room somewhere, but for what ends with the function."""
    return frozenset(
        name
        for one in program.calling(_making_room(program))
        if one.language == "cpp"
        for name in _makes_room(one)
        if name not in one.locals
    )


@question
def _makes_room(function: Function) -> frozenset[str]:
    """Last names of the containers for which the function makes room itself."""
    names = _making_room(function.program)
    if names.isdisjoint(function.mentioned):
        return frozenset()
    calls = (call for call in function.calls() if isinstance(call.callee, r.Member) and call.callee.name in names)
    return frozenset(last_name(call.callee.base) for call in calls if isinstance(call.callee, r.Member))


@program_question
def _making_room(program: Program) -> frozenset[str]:
    return program.models.functions_that(lambda model: model.makes_room)


@question
def _calls_growing(function: Function) -> bool:
    """Whether one is called that is given, or is a method of, what something points into that is used afterwards, or
    goes on over."""
    if _growing(function.program).isdisjoint(function.mentioned):
        return False
    inside = _pointing(function)
    growing = _growing(function.program) if inside else frozenset[str]()
    return any(
        last_name(one.callee) in growing
        and any(
            _is_given(one, pointing.into, function) and pointing.is_used_behind(one, function) for pointing in inside
        )
        and any(map(changes_elements, overrides.reached(one, function).functions))
        for one in (function.calls() if inside else ())
    )


def _is_given(call: r.Call, names: AbstractSet[str], function: Function) -> bool:
    """Whether one of them is given to the call, or is called on it, as members of the object are by its methods."""
    if any(named(value) in names for value in call.args):
        return True
    members = not names <= function.locals.keys()
    if not isinstance(call.callee, r.Member):
        return members
    base = named(call.callee.base)
    return base in names or (members and base == THIS)


class _Pointing(NamedTuple):
    """Variables that point into something, or a loop over it."""

    into: AbstractSet[str]
    """The names from which that goes out."""
    names: tuple[str, ...]
    begun: int
    end: int
    """Of a loop; -1 of variables."""
    is_element: bool = True
    """Whether it may be an element, and not what is known by a name as a whole."""

    def is_used_behind(self, call: r.Call, function: Function) -> bool:
        """Whether it is used behind the call: later, or in another round of a loop."""
        if self.end >= 0 or not self.begun < call.end:
            return self.begun <= call.start < self.end
        last, repeated = _uses(function)[self.names, self.begun]
        return call.start < last or any(call.start in one for one in repeated)


@flow_question
def _pointing(function: Function) -> tuple[_Pointing, ...]:
    """What points into something, in source order."""
    found: list[_Pointing] = []
    for statement in function.statements:
        match statement:
            case r.Loop(kind="range", iterable=iterable):
                over = strip(iterable)
                into = {named(one) for one in (_lenders(over) if isinstance(over, r.Call) else (over,))} - {""}
                found.append(_Pointing(into, (), statement.start, statement.end))
            case r.Declare(type=written, value=value) if value is not None:
                if into := set(_pointed_by(written, value, statement.names, function)) - {""}:
                    bare = strip(value)
                    whole = isinstance(bare, r.Unary) and isinstance(strip(bare.value), r.Name | r.Member)
                    found.append(_Pointing(into, statement.names, statement.end, -1, not whole))
    return tuple(found)


@flow_question
def _uses(function: Function) -> Mapping[tuple[tuple[str, ...], int], tuple[int, list[r.Span]]]:
    """By the variables that point into something and where they begin: where they, or what is made of them, are named
    for the last time, and the loops behind in which they are."""
    made = [({name}, _names(value)) for name, (written, value) in function.locals.items() if not holds_number(written)]
    at: dict[str, list[int]] = {}
    for one in function.values:
        match one:
            case r.Name(text=name):
                at.setdefault(name, []).append(one.start)
            case r.Lambda():
                for name in _names(one):
                    at.setdefault(name, []).append(one.start)
            case r.Assign(target=target, value=value):
                made.append((_names(target), _names(value)))
                for name in _names(target):
                    at.setdefault(name, []).append(one.end)  # what is assigned to comes last
    loops = [one.span for one in function.statements if isinstance(one, r.Loop)]
    found: dict[tuple[tuple[str, ...], int], tuple[int, list[r.Span]]] = {}
    for pointing in _pointing(function):
        derived = set(pointing.names)
        while more := [one for one, of in made if not derived.isdisjoint(of) and not one <= derived]:
            derived.update(*more)
        used = [start for name in derived for start in at.get(name, ())]
        repeated = [one for one in loops if pointing.begun <= one.start and any(start in one for start in used)]
        found[pointing.names, pointing.begun] = max(used, default=-1), repeated
    return found


def _pointed_into(function: Function) -> set[str]:
    """The names from which goes out what a local points into, or what a loop goes over."""
    return set().union(*(one.into for one in _pointing(function)))


def _pointed_by(written: str, value: r.Value, names: tuple[str, ...], function: Function) -> Iterator[str]:
    """The names from which goes out what a local points into that is declared so."""
    bare = strip(value)
    if isinstance(bare, r.Unary) and bare.op == "&":
        yield named(bare.value)
        bare = strip(bare.value)
    elif isinstance(bare, r.Index) and types.parse(written).reference:
        yield named(bare)
    if isinstance(bare, r.Call) and last_name(bare.callee) in _lending(function.program):
        yield from (named(one) for one in _lenders(bare))
        if isinstance(bare.callee, r.Name) and function.home and function.home.defined(bare.callee.text):
            yield from (THIS, *names)


def _lenders(call: r.Call) -> Iterator[r.Value]:
    """What a call may answer with a part of: what it is called on, or what it is given, itself or by such a call."""
    for one in (call.callee.base,) if isinstance(call.callee, r.Member) else call.args:
        bare = strip(one)
        if isinstance(bare, r.Call):
            yield from _lenders(bare)
        else:
            yield one


@program_question
def _joining(program: Program) -> frozenset[str]:
    """Last names of what puts into one place what stands in another."""
    return program.models.functions_with("swap") | keepers(program)


@program_question
def _lending(program: Program) -> frozenset[str]:
    """Last names of what answers with a part of what it is called on or given: by the models, and the project's own
    that answer with a reference, take an address, or ask one of the former for what they answer with."""
    modelled = program.models.functions_with("borrow", "result")
    found = set(modelled)
    left: dict[Function, None] = {}
    asking = {*program.calling(modelled)}
    for one in program.functions:
        if one.language == "cpp" and one.record.kind in ("function", "method"):
            kind = types.parse(one.record.result)
            if kind.pointers and not kind.reference:
                left[one] = None
            elif kind.reference or (one in asking and kind.last not in (*_NUMBERS, "void", "")):
                found.add(one.name)
    found |= {one.name for one in program.saying(_ADDRESS) if one in left}
    for _ in range(DEEPEST):
        more = {one.name for one in program.calling(found) if one.name not in found and one in left}
        if not more:
            break
        found |= more
    return frozenset(found)


@flow_question
def ending_rounds(function: Function) -> Mapping[int, str]:
    """By where it begins, each loop over a range that may end what its variable leads to, with the variable. Not where
    the range is made in the function, or its elements get other values there: in which order, and how many, nobody
    counts."""
    enders, found = _ending(function.program), dict[int, str]()
    own = function.locals.keys() - function.parameter_names
    for loop in _ranges(function):
        container, name = named(loop.iterable), last_name(loop.target)
        if (
            container
            and container not in own
            and any(
                (one.kind == "delete" or last_name(one.callee) in enders)
                and any(named(given) == name for given in one.args)
                for one in _calls_in(loop.body)
            )
        ):
            found[loop.start] = name
    refilled = _refilled(function) if found else frozenset[str]()
    return {
        one.start: found[one.start]
        for one in _ranges(function)
        if one.start in found and named(one.iterable) not in refilled
    }


def _ranges(function: Function) -> Iterator[r.Loop]:
    for one in function.statements:
        if isinstance(one, r.Loop) and one.kind == "range" and isinstance(one.target, r.Name):
            yield one


def _calls_in(body: r.Body) -> Iterator[r.Call]:
    for statement in statements(body):
        for value in values(statement):
            yield from (one for one in walk(value) if isinstance(one, r.Call))


def _refilled(function: Function) -> frozenset[str]:
    """The containers whose elements are assigned to, by an index, by a loop, or by who is given where they begin."""
    found: set[str] = set()
    over = {last_name(loop.target): named(loop.iterable) for loop in _ranges(function)}
    for one in function.values:
        match one:
            case r.Assign(target=r.Index(base=base)):
                found.add(named(base))
            case r.Assign(target=r.Name(text=name)) if name in over:
                found.add(over[name])
            case r.Call(args=args):
                inner = (strip(given) for given in args)
                found.update(
                    named(at.callee.base) for at in inner if isinstance(at, r.Call) and isinstance(at.callee, r.Member)
                )
    return frozenset(found)


@flow_question
def relevant(function: Function) -> frozenset[str]:
    """The names of the function from which memory that may end can be come by: what is ended, and all that is put
    into something of these, or the other way round. The others need not be followed."""
    program = function.program
    enders, moving = _ending(program) | _changing(program) | dropping(program), movers(program)
    found: set[str] = set(_lending_inner(function) | decayed(function) | _handed_out(function))
    items, taking, joining = lending_items(program), takers(program), _joining(program)
    if not _changing(program).isdisjoint(function.mentioned) or _calls_growing(function):
        found |= _pointed_into(function)
    joined: list[set[str]] = []
    for one in function.values:
        if isinstance(one, r.Call):
            name = last_name(one.callee)
            if name in joining:
                joined.append(_names(one))
            if (
                (one.args and name in taking)
                or name in items  # what drops the item may name its container alone, and elsewhere
                or one.kind == "delete"
                or name in enders
                or _destructs(one)
            ):
                found |= _names(one)
            elif (given := offered(one, moving)) is not None:
                found |= _names(given)
        elif isinstance(one, r.Unary) and one.op == "&":
            found.add(named(one))
        elif isinstance(one, r.Lambda):
            found |= captured(function, one)
        elif isinstance(one, r.Binary) and one.op in ("==", "!="):
            joined.append(_names(one))
        elif isinstance(one, r.Assign):
            joined.append(_names(one))
            if isinstance(strip(one.value), r.Lambda):
                found |= _names(one.target)
    for name, (written, value) in function.locals.items():
        if not SMART.isdisjoint(program.types.roles(written, function)) or ends_what_it_holds(function, written):
            found.add(name)
        if any(isinstance(one, r.Lambda) for one in walk(value)):
            found.add(name)
        if value is not None and (not holds_number(written) or isinstance(strip(value), r.Name)):
            joined.append({name, *_names(value)})
    joined += [
        {ending_rounds(function)[loop.start], named(loop.iterable)}
        for loop in function.statements
        if isinstance(loop, r.Loop) and loop.start in ending_rounds(function)
    ]
    return frozenset(_Joined(joined).around(found))


class _Joined:
    """Names that stand together, with those that stand together with one of them, and so on."""

    def __init__(self, sets: Iterable[set[str]]) -> None:
        self._circles: dict[str, set[str]] = {}
        for names in sets:
            known = {id(one): one for name in names if (one := self._circles.get(name)) is not None}
            whole = max(known.values(), key=len, default=set[str]())
            for other in (names, *known.values()):
                if other is not whole:
                    whole |= other
                    self._circles.update(dict.fromkeys(other, whole))

    def around(self, names: Collection[str]) -> set[str]:
        """These, and all that stand together with one of them."""
        return set[str]().union(names, *(self._circles.get(name, ()) for name in names))


def _names(value: r.Value | None) -> set[str]:
    found: set[str] = set()
    for one in walk(value):
        if isinstance(one, r.Name):
            found.add(one.text)
        elif isinstance(one, r.Lambda):
            found.update(capture.name for capture in one.captures)
    return found


def _destructs(call: r.Call) -> bool:
    return isinstance(call.callee, r.Member) and call.callee.name.startswith("~")


def holds_number(written: str) -> bool:
    """Whether it is a number, or a truth value, by its type."""
    kind = types.parse(written)
    return not kind.pointers and not kind.reference and kind.last in _NUMBERS


def _changes_pointed_into(function: Function) -> bool:
    """Whether a container may be changed to whose elements a local points that is used afterwards, or over which a loop
    goes: both go out from one name, or from names of which one was made of the other."""
    pointing = [one for one in _pointing(function) if one.is_element]
    changing = _changing(function.program)
    changes = [one for one in function.calls() if last_name(one.callee) in changing] if pointing else []
    joined = _Joined(_other_names(function) if changes else ())
    into = [(one, joined.around(one.into)) for one in pointing] if changes else []
    for call in changes:
        changed = _names(call.callee.base) if isinstance(call.callee, r.Member) else {THIS}
        is_member = not changed <= function.locals.keys()
        for one, found in into:
            is_same = not found.isdisjoint(changed) or (
                is_member and not found <= function.locals.keys() and (THIS in found or THIS in changed)
            )
            if is_same and one.is_used_behind(call, function):
                return True
    return False


def _other_names(function: Function) -> list[set[str]]:
    """Names of which one may lead to what another stands for: numbers and containers that are made of others do not."""
    copies = {
        name
        for name, (written, _) in function.locals.items()
        if holds_number(written)
        or ("&" not in written and "container" in function.program.types.roles(written, function))
    }
    joined = [
        {name, *_names(value)}
        for name, (_, value) in function.locals.items()
        if value is not None and name not in copies
    ]
    assigned = (one for one in function.values if isinstance(one, r.Assign))
    joined += [_names(one) for one in assigned if not (isinstance(one.target, r.Name) and one.target.text in copies)]
    return joined


def _hands_out_own(function: Function) -> bool:
    """Whether the address of a local may get out of its scope."""
    kind = types.parse(function.record.result)
    if kind.reference or function.record.result in ("", "auto"):
        return bool(_handed_out(function)) or any(
            isinstance(one, r.Leave)
            and (isinstance(bare := strip(one.value), r.Lambda) or _calls_local(function, bare))
            for one in function.statements
        )
    if kind.pointers and (_handed_out(function) or _lends_owned(function)):
        return True
    if not function.says(_ADDRESS):
        return False
    addresses = [one.value for one in function.values if isinstance(one, r.Unary) and one.op == "&"]
    asked = {lent_addresses.within(one, function) for one in addresses}
    lent = asked & {name for one in inner_declarations(function) for name in one.names} if asked else set()
    if kind.pointers:
        led = class_of(function, kind.name) if asked and kind.pointers == 1 else None
        own = asked & function.locals.keys()
        lent |= {name for name in own if led is None or _may_hold(function, function.locals[name][0], led)}
    return bool(lent) and lent_addresses.may_stay(function, lent)


def _may_hold(function: Function, written: str, cls: Class) -> bool:
    """Whether an object of the class may lie in one of that type: numbers and pointers hold none."""
    kind = types.parse(written)
    if kind.pointers or holds_number(written):
        return False
    own = class_of(function, written)
    return (
        own is None
        or cls in own.ancestry
        or any(not types.parse(one.type).pointers and not holds_number(one.type) for one in own.record.fields)
    )


def _lends_owned(function: Function) -> bool:
    return not _lending(function.program).isdisjoint(function.mentioned) and _has_owner(function)


@flow_question
def _handed_out(function: Function) -> frozenset[str]:
    """The locals that are objects and into which leads what is returned, as far as the expression says."""
    kind = types.parse(function.record.result)
    if not (kind.reference or kind.pointers or function.record.result in ("", "auto")):
        return frozenset()
    return frozenset(
        name
        for one in function.statements
        if isinstance(one, r.Leave) and one.kind == "return"
        for name in _led_into(function, one.value)
        if not ((written := types.parse(function.locals[name][0])).reference or written.pointers)
    )


def _led_into(function: Function, value: r.Value | None) -> Iterator[str]:
    """The local in which, or in what it holds, the expression lies."""
    match strip(value):
        case r.Name(text=name) if name in function.locals:
            yield name
        case r.Member(base=base) as member if not _is_pointer(function, member):
            yield from _led_into(function, base)
        case r.Index(base=base):
            yield from _led_into(function, base)
        case r.Unary(op="*" | "&", value=inner):
            yield from _led_into(function, inner)
        case r.Conditional(then=then, other=other):
            yield from _led_into(function, then)
            yield from _led_into(function, other)
        case r.Call(callee=callee, args=args) if last_name(callee) in _lending(function.program):
            lender = strip(callee.base if isinstance(callee, r.Member) else args[0] if args else None)
            if not (
                function.file.is_c
                and isinstance(lender, r.Name)
                and not is_array(function.locals[lender.text][0] if lender.text in function.locals else "")
            ):
                yield from _led_into(function, lender)


def _is_pointer(function: Function, value: r.Value) -> bool:
    """Whether it is a pointer, by its type: where it leads is nothing of what it lies in."""
    return bool(types.parse(function.program.types.of(value, function)).pointers)


def _calls_local(function: Function, value: r.Value | None) -> bool:
    """Whether it is a call of a lambda that a local holds."""
    if not isinstance(value, r.Call) or not isinstance(value.callee, r.Name):
        return False
    held = function.locals.get(value.callee.text)
    return held is not None and isinstance(strip(held[1]), r.Lambda)


def _lambda_outlives_block(function: Function) -> bool:
    """Whether a variable may get a lambda that looks at the locals of a block further in."""
    if not function.says(_ASSIGNS) or not function.says(_HOLDS_LAMBDA):
        return False
    inner = {name for one in inner_declarations(function) for name in one.names}
    made = [one for one in function.values if isinstance(one, r.Lambda)] if inner else []
    if not any(capture.by_reference and capture.name in inner | {"&"} for one in made for capture in one.captures):
        return False
    held = {
        name for name, (_, value) in function.locals.items() if any(isinstance(one, r.Lambda) for one in walk(value))
    }
    return any(
        isinstance(one, r.Assign)
        and isinstance(one.target, r.Name)
        and one.target.text not in inner
        and (isinstance(given := strip(one.value), r.Lambda) or (isinstance(given, r.Name) and given.text in held))
        for one in function.values
    )


def _has_owner(function: Function) -> bool:
    return any(
        not SMART.isdisjoint(function.program.types.roles(declared_type(function, name), function))
        for name in function.locals
    )
