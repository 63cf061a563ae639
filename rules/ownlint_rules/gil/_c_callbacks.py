"""Functions that C holds a pointer to: in tables of slots, in members of structs, as deleters, as arguments beside a
pointer to their state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import File, Function, Program, Step, callbacks, entrances, gil, glance, places, questions, types
from ownlint import events as e
from ownlint import records as r

Way = OneOf["slot", "member", "deleter", "argument", "released"]

_DELETERS = frozenset({"shared pointer", "scoped owner", "smart pointer"})
_POINTER = re.compile(r"\(\s*\*")
_NEAR = 2000
"""So many bytes apart two members are set that belong to one struct."""
_LAMBDA = re.compile(glance.opens(r.Lambda))
_POINTED = re.compile(rb'"&",%b"([^"]*)"' % glance.opens(r.Name))
_DECLARED = re.compile(glance.opens(r.Declare) + rb"\[([^\]]*)\]")
_WORD = re.compile(rb'"((?:\w+::)*\w+)"')


class CCallback(NamedTuple):
    """`way`: how C comes to call it (`released`: from a call that is made without the GIL); `at`: where it is handed
    over."""

    way: Way
    at: Step
    member: str = ""
    """The name of the struct's member."""
    taker: str = ""
    """The function that is given it."""
    of_cpp: bool = False
    """C++ calls it, which exceptions may pass through."""


def held_by_c(function: Function) -> list[CCallback]:
    """The ways in which C comes to call the function."""
    return _all(function.program).get(function, [])


@questions.program_question
def _all(program: Program) -> dict[Function, list[CCallback]]:
    found: dict[Function, list[CCallback]] = {}
    tables = program.models.names_of("slot table")
    for file in program.files.values():
        if file.language != "cpp":
            continue
        for variable in file.variables:
            if any(table in variable.type for table in tables):
                for function in _in_table(program, file, variable.value):
                    step = Step(file.path, r.Span(variable.start, variable.end), "Python calls it through this table")
                    found.setdefault(function, []).append(CCallback("slot", step))
    for handed in _handed_to_c(program).values():
        for held, callback in handed:
            found.setdefault(held, []).append(callback)
    return found


@questions.each_function
def _handed_to_c(function: Function) -> list[tuple[Function, CCallback]]:
    """The functions that are handed to C here, or put where it looks for them."""
    if function.language != "cpp" or not _names_function(function):
        return []
    return list(_handed(function, function.program.models.names_of("slot table")))


@questions.program_question
def _plain_functions(program: Program) -> frozenset[str]:
    """One without a type of its result is a misread one, as `bool(isinf)(float x)`."""
    plain = (one for one in program.functions if one.language == "cpp" and one.record.kind == "function")
    return frozenset(one.name for one in plain if one.record.result)


def _names_function(function: Function) -> bool:
    """Whether the body names a function without calling it: `table->free = Free`. Needs no decoding."""
    program = function.program
    if function.says(_LAMBDA):
        return True
    body = function.encoded
    pointed = {name.decode() for name in _POINTED.findall(body)}
    if any(_is_function(name, function) for name in pointed):
        return True
    local = {name for declared in _DECLARED.findall(body) for name in _WORD.findall(declared)}
    said = {word.decode() for word in set(_WORD.findall(body)) - local} - pointed
    said -= function.parameter_names
    called = set(function.mentioned)
    return not (said - called).isdisjoint(_plain_functions(program)) or any(
        "::" in name and name.rpartition("::")[2] not in called and _is_function(name, function) for name in said
    )


def _is_function(name: str, function: Function) -> bool:
    """Whether a name may be a function's: a qualified one of any, another of a plain one or of a method beside."""
    owner, _, last = name.rpartition("::")
    if owner:
        return bool(function.program.index.functions_called(last))
    home = function.home
    return name in _plain_functions(function.program) or (home is not None and bool(home.defined(name)))


def beside(function: Function) -> list[Function]:
    """The other functions that are stored in members where this one is."""
    return [
        other
        for one in held_by_c(function)
        for other, ways in _all(function.program).items()
        if other is not function and any(way.way == "member" and _is_near(way.at, one.at) for way in ways)
    ]


@questions.program_question
def _callers(program: Program) -> dict[str, list[Function]]:
    """Who calls through a member that is a pointer to a function, by the name of the member."""
    stored = {one.member for ways in _all(program).values() for one in ways if one.member}
    found: dict[str, list[Function]] = {}
    for function in program.functions:
        if function.language != "cpp" or not function.mentions_any(stored):
            continue
        for event in function.flow.calls:
            callee = event.node.callee
            if isinstance(callee, r.Member) and callee.name in stored:
                found.setdefault(callee.name, []).append(function)
    return found


def is_called_here(function: Function) -> bool:
    """Whether the project itself calls it, through the members that hold it, and from plain functions alone: it then
    holds the lock, or not, as they do."""
    held = held_by_c(function)
    for one in held:
        callers = _callers(function.program).get(one.member, []) if one.way == "member" else []
        if not callers or any(each.record.kind in ("destructor", "lambda") or held_by_c(each) for each in callers):
            return False
    return bool(held)


def _is_near(one: Step, other: Step) -> bool:
    return one.path == other.path and abs(one.span.start - other.span.start) < _NEAR


def _in_table(
    program: Program, file: File, value: r.Value | None, around: Function | None = None
) -> Iterator[Function]:
    if not isinstance(value, r.Aggregate):
        return
    for part in places.walk(value):
        if isinstance(part, r.Lambda):
            made = program.index.function_at(file, part.function)
            if made is not None:
                yield made
        elif isinstance(part, r.Name):
            for one in program.index.functions_called(places.last_name(part)):
                if one.file is file and one.record.kind in ("function", "method"):
                    yield one


def _handed(function: Function, tables: frozenset[str]) -> Iterator[tuple[Function, CCallback]]:
    for statement in function.statements:
        if isinstance(statement, r.Declare) and statement.value is not None:
            if any(table in statement.type for table in tables):
                step = function.step(statement, "Python calls it through this table")
                for one in _in_table(function.program, function.file, statement.value):
                    yield one, CCallback("slot", step)
            else:
                yield from _members(function, statement.value)
    for event in function.flow:
        match event:
            case e.Write(fresh=False, target=r.Member() as target, value=value):
                held = _pointer(function, value)
                if held is None or not _is_plain_member(function, target) or _is_slot(held):
                    continue
                if types.parse(function.program.types.of(target.base, function)).last in tables:
                    yield held, CCallback("slot", function.step(event, "Python calls it through this table"))
                else:
                    step = function.step(event, f"C code calls it through `{target.name}`")
                    of_cpp = _is_in_cpp(function, target) or _has_scoped(held)
                    yield held, CCallback("member", step, target.name, of_cpp=of_cpp)
            case e.CallEvent(node=node):
                yield from _arguments(function, event, node)


def _members(function: Function, value: r.Value) -> Iterator[tuple[Function, CCallback]]:
    """`{.deleter = &Free}`"""
    for part in places.walk(value):
        if isinstance(part, r.Pair):
            held = _pointer(function, part.value)
            if held is not None and not _is_slot(held):
                step = function.step(part, "C code calls it through this")
                yield held, CCallback("member", step, places.last_name(part.key))


def _arguments(function: Function, event: e.CallEvent, node: r.Call) -> Iterator[tuple[Function, CCallback]]:
    written = node.callee.text if isinstance(node.callee, r.Name) else ""
    program = function.program
    if node.kind == "construct" and _DELETERS.intersection(program.types.roles(types.parse(written).name, function)):
        held = entrances.meant(function, node.args[1]) if len(node.args) > 1 else None
        if held is not None and held.record.kind in ("lambda", "function"):
            yield (
                held,
                CCallback("deleter", function.step(event, "it is not known which thread destroys the last owner")),
            )
        return
    if not written or node.kind != "call" or program.models.gil_word(written, program.names.scopes(function)):
        return
    for argument in node.args:
        held = _pointer(function, argument)
        if held is None:
            continue
        of_cpp = _is_of_cpp(function, node)
        if _is_released(function, event):
            step = function.step(event, f"passed to `{written}` as a callback without the GIL")
            yield held, CCallback("released", step, taker=written, of_cpp=of_cpp)
        elif callbacks.user_data(held) or _is_of_library(held, written):
            step = function.step(event, f"passed to `{written}` as a callback")
            yield held, CCallback("argument", step, taker=written, of_cpp=of_cpp)


def _is_of_library(held: Function, taker: str) -> bool:
    """Whether the function is made for a library of C: a plain one that takes nothing but numbers and pointers, one of
    these to what the library alone defines; and the library is nothing of the project's."""
    program, record = held.program, held.record
    if record.kind not in ("function", "lambda") or record.template or _is_slot(held):
        return False
    if program.index.functions_called(taker):
        return False
    kinds = [types.parse(program.names.expand(one.type, held.file, record.scope)) for one in record.parameters]
    if any(kind.arguments or "::" in kind.name or not (kind.pointers or kind.is_scalar) for kind in kinds):
        return False
    foreign = (kind for kind in kinds if kind.pointers and not kind.is_scalar and kind.last != "void")
    return any(program.names.find_class(kind.name, record.scope, held.file) is None for kind in foreign)


def _is_of_cpp(function: Function, node: r.Call) -> bool:
    """Whether the callee is no function of C: it stands in a scope (`T::search`), is a template, or takes what C has
    not."""
    written = node.callee.text.removeprefix("::") if isinstance(node.callee, r.Name) else ""
    if "::" in written or node.template:
        return True
    records = function.program.calls.callee(node, function).records
    return any(
        one.template or any("&" in parameter.type or "<" in parameter.type for parameter in one.parameters)
        for one in records
    )


def _is_in_cpp(function: Function, target: r.Member) -> bool:
    """Whether the struct that holds it stands in a namespace or a class, where C cannot name it, and no model says that
    C calls what is in it all the same."""
    written = function.program.types.of(target.base, function)
    if not written or "called from c" in function.program.types.roles(types.parse(written).name, function):
        return False
    return "::" in types.parse(function.program.names.expand(written, function.file, function.record.scope)).name


def _has_scoped(held: Function) -> bool:
    """Whether it takes something that stands in a namespace or a class, which no function of C hands over."""
    return any("::" in types.parse(one.type).name for one in held.record.parameters)


def _is_released(function: Function, event: e.CallEvent) -> bool:
    """Whether the function has released the GIL where the event is."""
    if not gil.may_release(function):
        return False
    return gil.states(function, entrances.entry(function)).get(event.index, gil.UNKNOWN).status == "released"


def _pointer(function: Function, value: r.Value | None) -> Function | None:
    """A function without state: a pointer to one, or a lambda that captures nothing."""
    inner = places.strip(value)
    held = entrances.meant(function, inner) if isinstance(inner, (r.Lambda, r.Unary, r.Name, r.Conditional)) else None
    if held is None or held.record.kind == "constructor":
        return None
    if any("&" in parameter.type for parameter in held.record.parameters):
        return None  # C has no references: C++ calls it
    if held.record.kind == "lambda":
        return held if not callbacks.is_capturing(held) else None
    return held


def _is_plain_member(function: Function, target: r.Member) -> bool:
    """A member that is a pointer to a function, not an object that is called."""
    written = function.program.types.of(target, function)
    if not written:
        return True
    return bool(_POINTER.search(written)) or not types.parse(written).arguments


def _is_slot(held: Function) -> bool:
    """Whether its first parameter is an object of Python's: then Python calls it, and holds its lock."""
    first = held.record.parameters[:1]
    roles = held.program.types.roles(types.parse(first[0].type).name, held) if first else ()
    return "python handle" in roles
