"""Owners of handles: where functions end native objects and objects of the project, and which handles keep their owner
alive until then."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Class, Function, Program, events, natives, places, questions, references, refusals, types, validity
from ownlint import records as r
from ownlint_rules.registries import _registries as registries


def counted_owner(held: Class, owner: Class) -> str:
    """The member by which an object of the one class holds a counted reference to one of the other until it ends
    itself."""
    names = held.program.names
    leading = {
        field.name
        for field in held.record.fields
        if types.parse(field.type).pointers == 1
        if types.parse(field.type).last == "PyObject"
        or names.find_class(names.expand(field.type, held.file), held.symbol, held.file) is owner
    }
    for function, _ in natives.endings(held.program).get(held, ()) if leading else ():
        known = references.references(function.program)
        for call in function.flow.calls:
            for index, argument in enumerate(call.node.args):
                member = places.strip(argument)
                is_leading = isinstance(member, r.Member) and member.name in leading
                if is_leading and known.use(call.node, index, function) == "released":
                    return places.last_name(member)
    return ""


Ended = tuple[Function, events.Event, r.Value]


@questions.program_question
def ends(program: Program) -> dict[str, list[Ended]]:
    """Where functions end an object of a native type, by the type's name; below `NUMBER` what a value stands for that
    is handed to a function which is not defined in the project."""
    found = natives.natives(program)
    out: dict[str, list[Ended]] = {}
    for function in program.functions:
        if function.language != "cpp" or function.record.kind in ("constructor", "destructor"):
            continue
        ended: list[tuple[events.Event, tuple[str, ...], r.Value]]
        ended = [(call, _names(function, kind), said) for call, kind, said in natives.destroys(function, found)]
        known = {call.index for call, _, _ in ended}
        ended += [(call, (kind,), said) for call, kind, said in natives.given_up(function) if call.index not in known]
        ended += [(event, owned, container) for event, container, owned in natives.ends_of_elements(function)]
        ended += [
            (end.event, end.types, end.said) for end in natives.ends_by_calls(function, found, own=True) if end.below
        ]
        ended += [(call, (NUMBER,), said) for call, said in _closes_number(function)]
        for event, kinds, said in ended:
            for kind in kinds if event.index in function.flow.reachable else ():
                out.setdefault(kind, []).append((function, event, said))
    return out


NUMBER = "#"


def _names(function: Function, kind: str) -> tuple[str, ...]:
    """A native type's name, and that of what it stands for where it is an alias of a pointer."""
    meant = types.parse(function.program.names.expand(kind, function.file, function.record.scope)).last
    return (kind, meant) if meant and meant != kind else (kind,)


def _closes_number(function: Function) -> Iterator[tuple[events.CallEvent, r.Value]]:
    """Where a function ends what a number stands for: it comes again."""
    if not any(natives.ends_life(name) for name in function.mentioned):
        return
    for call in function.flow.calls:
        name, args = places.last_name(call.node.callee), call.node.args
        if not natives.ends_life(name) or len(args) != 1 or not isinstance(call.node.callee, r.Name):
            continue
        inner = places.strip(args[0])
        is_named = isinstance(inner, r.Member | r.Name) or (isinstance(inner, r.Call) and not inner.args)
        if is_named and inner is not None and not function.program.calls.callee(call.node, function).functions:
            yield call, inner


@questions.program_question
def emptied(program: Program) -> dict[str, list[Ended]]:
    """Where methods end what a member of their object owns, by the class of that."""
    found: dict[str, list[Ended]] = {}
    for function in program.functions:
        if function.language == "cpp" and function.record.kind not in ("constructor", "destructor"):
            for event, member, owned in natives.ends_of_members(function):
                for kind in owned if event.index in function.flow.reachable else ():
                    found.setdefault(kind, []).append((function, event, member))
    return found


def ended(program: Program, kind: str) -> Iterator[Ended]:
    """Where objects of a class end, in whatever way: by themselves, with what owns them, in a function of C of the
    project that frees what it is given."""
    yield from ends(program).get(kind, ())
    yield from emptied(program).get(kind, ())
    yield from _ended_elsewhere(program).get(kind, ())
    yield from _freed(program).get(kind, ())


@questions.program_question
def _ended_elsewhere(program: Program) -> dict[str, list[Ended]]:
    found: dict[str, list[Ended]] = {}
    for function in program.functions:
        if function.language == "cpp" and function.record.kind not in ("constructor", "destructor"):
            for event, on, owned in natives.ends_elsewhere(function):
                for kind in owned if event.index in function.flow.reachable else ():
                    found.setdefault(kind, []).append((function, event, on))
    return found


@questions.program_question
def _freed(program: Program) -> dict[str, list[Ended]]:
    """Where functions hand an object to one of C that frees it."""
    found: dict[str, list[Ended]] = {}
    for cls, endings in natives.endings(program).items():
        for ending, _ in endings:
            for caller in program.index.callers(ending):
                for call in registries.calls_of(caller, ending):
                    if call.node.args and call.index in caller.flow.reachable:
                        found.setdefault(cls.name, []).append((caller, call, call.node.args[0]))
    return found


@questions.program_question
def askers(program: Program) -> tuple[registries.Registry, ...]:
    """Classes whose objects ask something of their owner, or that they share with it, before they use what they stand
    for: as if the owner had a registry of all of them, which one store tells."""
    found: dict[tuple[Class, Class], dict[str, None]] = {}
    known = validity.of(program)
    for cls in program.classes:
        if cls.file.language != "cpp" or not registries.stood_for(cls):
            continue
        flags = {flag for guard in known.guards_of(cls) for flag in guard.flags}
        for flag in sorted(flags | set(_asked_before_throwing(cls))):
            for owner, mark in _asked(cls, flag):
                found.setdefault((owner, cls), {})[mark] = None
    return tuple(
        registries.Registry((), "", owner, cls, False, owner.path, owner.record.span, "", (), tuple(marks))
        for (owner, cls), marks in found.items()
        if owner is not cls
    )


def _asked_before_throwing(cls: Class) -> Iterator[places.Place]:
    for method in cls.methods:
        if method.record.kind == "method" and method.says(_THROWS):
            for leave in method.flow.leaves:
                for test, _ in method.flow.guards(leave) if leave.kind == "throw" else ():
                    yield from refusals.flags_asked(method, test.value, (places.THIS,))


_THROWS = re.compile(rb'"throw"')


def _asked(cls: Class, flag: places.Place) -> Iterator[tuple[Class, str]]:
    """The owner that a flag belongs to, and its member."""
    field = cls.field(flag[0])
    if field is None:
        return
    names = cls.program.names
    written = names.expand(field[1].type, field[0].file, field[0].symbol)
    kind = types.parse(written)
    shared = "shared pointer" in cls.program.types.roles_at(written, field[0].file, field[0].symbol)
    led_to = kind.arguments[0] if kind.arguments else kind.name
    owner = names.find_class(led_to, field[0].symbol, field[0].file)
    if len(flag) == 2 and owner is not None and owner.field(flag[1]) is not None:
        yield owner, flag[1]
        yield from ((one, flag[1]) for one, _ in _sharing(cls, kind) if shared and one is not owner)
    elif len(flag) == 1 and shared:
        yield from _sharing(cls, kind)


def _sharing(cls: Class, kind: types.Type) -> Iterator[tuple[Class, str]]:
    """The other classes that have a member of the same type, whatever is constant in it, and the member."""
    said = [types.parse(one).name for one in kind.arguments]
    for owner in cls.program.classes:
        for field in owner.record.fields if owner is not cls and owner.file.language == "cpp" else ():
            same = types.parse(cls.program.names.expand(field.type, owner.file, owner.symbol))
            if same.name == kind.name and [types.parse(one).name for one in same.arguments] == said:
                yield owner, field.name
