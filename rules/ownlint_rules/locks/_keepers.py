"""Objects that keep a way into guarded state, and what they do with it: their methods go through it, with the lock of
whoever made them or without.

The object cannot know the lock unless it is given it, too. So a method that goes through what it keeps is careful when
it takes a lock that is not the object's own, or when whoever calls it holds one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Function,
    Place,
    Program,
    bodies,
    glance,
    guard_classes,
    keeping,
    lasting,
    locks,
    mutexes,
    places,
    questions,
    types,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.locks._accesses import AccessReader, KeptAccess, accesses_in
from ownlint_rules.locks._escapes import thread_starts
from ownlint_rules.locks._guarded import begins_or_ends, guarded, is_exempt, is_unreachable

_LAMBDA = re.compile(glance.opens(r.Lambda))
_DEEPEST = 2
_MOST_CALLERS = 400


class HandedAway(NamedTuple):
    """`value` stays in an object, or in what a lambda captures."""

    value: r.Value
    wanted: str
    """The type as which it is taken."""
    into: Place | None = None
    """Where the object stands, or the pointer; None where it is returned or handed on."""
    holder: Class | None = None
    field: str = ""
    made: r.Lambda | None = None
    body: Function | None = None
    """The function that a thread runs with it; `field` is then the parameter."""
    used: e.CallEvent | None = None
    """The object lives no longer than the function, which calls it here, or gives it to what it calls."""
    stored: tuple[Function, e.Event] | None = None
    """Where a function that is called puts it there."""


# --- who is given what ------------------------------------------------------------------------------------


def given(function: Function, leads: Callable[[r.Value], bool]) -> Iterator[tuple[e.Event, HandedAway]]:
    """What objects and lambdas keep that live on, or are used, and when they get it. `leads` says which values are
    worth a look."""
    yield from _given(function)
    for call in function.flow.calls:
        for position, argument in enumerate(call.node.args):
            for one in _handed(function, call, position) if leads(argument) else ():
                if one.into is None or outlives(function, one.into, None):
                    yield call, one
                elif one.holder is not None:
                    yield from _onward(function, call, one, one.into[0])
            yield from ((call, one) for one in _handed_in_object(function, call, position))


@questions.flow_question
def _given(function: Function) -> list[tuple[e.Event, HandedAway]]:
    """Those of them that get it whatever leads where: not by being handed to a call."""
    found = [*_initialised(function), *_by_default(function)]
    result = result_of(function)
    for leave in function.flow.leaves:
        if leave.kind == "return" and leave.value is not None:
            all_kept = keeping.kept(function, leave.value, result)
            kept = (one for one in all_kept if one.holder is not None or one.how == "capture")
            found += [(leave, _of(one, leave.value, None)) for one in kept]
    for event, one in _put(function, everywhere=True):
        if one.into is None or outlives(function, one.into, getattr(event, "target", None)):
            found.append((event, one))
        elif one.holder is not None or one.made is not None:
            found += _onward(function, event, one, one.into[0])
    return [*found, *_to_threads(function)]


def result_of(function: Function) -> str:
    written = function.record.result
    if not written or types.parse(written).is_placeholder:
        return function.program.calls.inferred_result(function)
    return written


def _to_threads(function: Function) -> Iterator[tuple[e.Event, HandedAway]]:
    """What lambdas keep that run on threads of their own."""
    for call in thread_starts(function):
        for argument in call.node.args:
            if isinstance(inner := places.strip(argument), r.Lambda):
                for kept in keeping.kept(function, inner, ""):
                    yield call, _of(kept, inner, None)
        for body, first in _run_by(function, call.node):
            for parameter, argument in zip(body.record.parameters, call.node.args[first:], strict=False):
                yield call, HandedAway(argument, parameter.type, field=parameter.name, body=body)


def _run_by(function: Function, call: r.Call) -> Iterator[tuple[Function, int]]:
    """The function whose name a thread is started with, and where what it is given begins among the arguments."""
    inner = places.strip(call.args[0]) if call.args else None
    named = places.strip(inner.value) if isinstance(inner, r.Unary) and inner.op == "&" else inner
    if not isinstance(named, r.Name):
        return
    meant = function.program.index.functions_called(places.last_name(named))
    if len(meant) == 1:  # of several nobody says which
        is_bound = meant[0].is_method and "static" not in _qualifiers(meant[0])
        yield meant[0], 2 if is_bound else 1


def _qualifiers(method: Function) -> set[str]:
    declared = method.home.declared(method.name) if method.home is not None else []
    return {word for record in (method.record, *declared) for word in record.qualifiers}


def _put(function: Function, *, everywhere: bool = False) -> Iterator[tuple[e.Event, HandedAway]]:
    """What stays in members, in variables, in what pointers lead to; `everywhere`, also in locals."""
    for store in keeping.stores(function, _anywhere if everywhere else outlives):
        if store.kept.read or store.kept.how == "key":
            continue
        one = _of(store.kept, value_of(store.event), store.place)
        if one.holder is None and one.made is None:
            one = one._replace(holder=(owner := _owner(function, store)), field=store.place[-1] if owner else "")
        yield store.event, one
    for write in function.flow.writes if everywhere else ():
        is_local = len(write.place) == 1 and write.place[0] in function.declared
        if (write.fresh or is_local) and write.op == "=" and write.value is not None:
            for kept in keeping.kept(function, write.value, ""):
                if (kept.holder is not None and not kept.read) or kept.how == "capture":
                    yield write, _of(kept, write.value, write.place)


def _anywhere(_function: Function, _place: Place, _target: r.Value | None) -> bool:
    return True


def _onward(function: Function, event: e.Event, one: HandedAway, name: str) -> Iterator[tuple[e.Event, HandedAway]]:
    """Where an object goes that a local names, and where it is called."""
    later = {x.index for x in function.flow.after(event, lambda x: isinstance(x, e.Write) and x.place == (name,))}
    for then, into in _goes(function, name, 0):
        if then.index in later:
            yield event, one._replace(into=into)
            return
    if one.made is None:
        for call in function.flow.calls:
            if call.index not in later:
                continue
            is_on = call.receiver is not None and call.receiver[0] == name
            if is_on or any(_is_address_of(arg, name) for arg in call.node.args):
                yield event, one._replace(into=None, used=call)


def _is_address_of(value: r.Value, name: str) -> bool:
    inner = places.strip(value)
    return isinstance(inner, r.Unary) and inner.op == "&" and _is_name(inner.value, name)


def _goes(function: Function, name: str, depth: int) -> Iterator[tuple[e.Event, Place | None]]:
    """Where what a local or a parameter names is put, as a whole, so that it lives on."""
    puts = function.program.models.containers.keyed | function.program.models.containers.appends
    for event in function.flow:
        match event:
            case e.LeaveEvent(kind="return", value=value) if not depth and _is_name(value, name):
                yield event, None
            case e.Write(place=place, value=value, op=op, target=target) if _is_name(value, name):
                if op == "init" or outlives(function, place, target):
                    yield event, place
            case e.CallEvent(node=call, receiver=receiver):
                for position, arg in enumerate(call.args):
                    if not _is_name(arg, name):
                        continue
                    if receiver is not None and places.last_name(call.callee) in puts:
                        if outlives(function, receiver, None):
                            yield event, receiver
                    elif _is_kept(function, call, position, depth + 1):
                        yield event, None


def _is_name(value: r.Value | None, name: str) -> bool:
    inner = places.strip(value)
    if isinstance(inner, r.Call) and places.hands_on(inner):
        inner = places.strip(inner.args[0])
    return isinstance(inner, r.Name) and inner.text == name


def _is_kept(function: Function, call: r.Call, position: int, depth: int) -> bool:
    """Whether a function of the project puts an argument where it lives on."""
    if depth > _DEEPEST:
        return False
    if any(start.node is call for start in thread_starts(function)):
        return True
    callee = function.program.calls.callee(call, function)
    if not callee.functions and not callee.models:
        event = function.flow.call_of(call)
        if event is None or locks.held(function).get(event.index):
            return False  # it may be called at once, under the lock
        return any(_takes_callable(function, record, position) for record in callee.records)
    for target in callee.functions[:1]:
        if target is not function and position < len(target.record.parameters):
            return any(True for _ in _goes(target, target.record.parameters[position].name, depth))
    return False


def _takes_callable(function: Function, record: r.FunctionRecord, position: int) -> bool:
    """Whether a function whose body is out of sight takes something to call as its own: what is only called
    meanwhile is given by reference."""
    if position >= len(record.parameters):
        return False
    program, scope = function.program, record.owner or record.scope
    written = program.names.expand(record.parameters[position].type, function.file, scope)
    return types.parse(written).is_value and "callable" in program.types.roles(written, function)


def _by_default(function: Function) -> Iterator[tuple[e.Event, HandedAway]]:
    """What members keep by the initialisers in the class body."""
    home, first = function.home, next(iter(function.flow), None)
    if home is None or first is None or not stands_for_defaults(function):
        return
    for field in home.record.fields:
        inner = places.strip(field.value)
        if inner is None or field.static:
            continue
        for kept in keeping.kept(function, inner, field.type):
            if kept.holder is not None and not kept.read:
                yield first, _of(kept, None, (places.THIS, field.name))


def _initialised(function: Function) -> Iterator[tuple[e.Event, HandedAway]]:
    """What members keep that a constructor makes."""
    home = function.home
    for write in function.flow.writes if home is not None and function.record.initializers else ():
        each = next((one for one in function.record.initializers if one.span == write.span), None)
        found = home.field(each.name) if each is not None and write.op == "init" and home is not None else None
        if each is None or found is None:
            continue
        owner, field = found
        written = owner.program.names.expand(field.type, owner.file, owner.symbol)
        cls = owner.program.names.find_class(types.parse(written).name, owner.symbol, owner.file)
        if cls is not None and types.parse(written).is_value:
            kepts = keeping.kept_by(cls, each.args)
        else:
            kepts = (one for arg in each.args for one in keeping.kept(function, arg, ""))
        for kept in kepts:
            if kept.holder is not None and not kept.read:
                yield write, _of(kept, None, (places.THIS, each.name))


def _handed_in_object(function: Function, call: e.CallEvent, position: int) -> Iterator[HandedAway]:
    """What an object or a lambda keeps that is made for a call, and stored by it."""
    argument = places.strip(call.node.args[position])
    if not isinstance(argument, r.Lambda | r.Call):
        return
    kepts = [k for k in keeping.kept(function, argument, "") if k.holder is not None or k.how == "capture"]
    if kepts and _is_kept(function, call.node, position, 0):
        for kept in kepts:
            yield _of(kept, argument, None)


def _handed(function: Function, call: e.CallEvent, position: int, depth: int = 0) -> Iterator[HandedAway]:
    """What a function of the project stores of one of its arguments: a setter, a register."""
    for target in function.program.calls.callee(call.node, function).functions[:2]:
        if target is function or position >= len(target.record.parameters):
            continue
        taken = target.record.parameters[position]
        for one in _stored(target, taken.name, depth):
            into = _outside(function, call, target, one.into)
            if into is None:
                continue
            is_own = into[0] == places.THIS and len(into) == 2
            if one.holder is None and one.into is not None and one.into[0] == places.THIS and not is_own:
                one = one._replace(holder=target.home, field=one.into[1])
            yield one._replace(value=call.node.args[position], wanted=taken.type, into=into)


def _stored(target: Function, name: str, depth: int) -> Iterator[HandedAway]:
    for event, one in _put(target):
        if one.made is None and keeping.leads_to(target, one.value, {name}):
            yield one._replace(stored=(target, event))
    if depth >= _DEEPEST:
        return
    for call in target.flow.calls:
        for position, arg in enumerate(call.node.args):
            inner = places.strip(arg)
            if isinstance(inner, r.Name) and inner.text == name:
                for one in _handed(target, call, position, depth + 1):
                    if one.into is not None and outlives(target, one.into, None):
                        yield one


def _outside(function: Function, call: e.CallEvent, target: Function, into: Place | None) -> Place | None:
    """A place of the callee, as its caller knows it."""
    if into is None or into[0] == places.THIS:
        return (*(call.receiver or (places.THIS,)), *into[1:]) if into is not None else None
    names = [parameter.name for parameter in target.record.parameters]
    if into[0] not in names:
        return into
    at = names.index(into[0])
    given = places.strip(call.node.args[at]) if at < len(call.node.args) else None
    while isinstance(given, r.Unary) and given.op in ("&", "*"):
        given = places.strip(given.value)
    root = places.place_of(given, function.flow.aliases) if given is not None else None
    return (*root, *into[1:]) if root is not None else None


def _of(kept: keeping.Kept, inside: r.Value | None, into: Place | None) -> HandedAway:
    if kept.holder is not None or kept.how != "capture":
        return HandedAway(kept.value, kept.taken_as or "auto*", into, kept.holder, kept.field)
    for made in places.walk(inside):
        for capture in made.captures if isinstance(made, r.Lambda) else ():
            if capture.value is not None and places.strip(capture.value) is kept.value:
                wanted = "auto&" if capture.by_reference else "auto*"
                return HandedAway(kept.value, wanted, into, None, capture.name, made)  # type: ignore[arg-type]
            if isinstance(kept.value, r.Name) and capture.name in (kept.value.text, "&", "="):
                by_reference = capture.by_reference or capture.name == "&"
                return HandedAway(kept.value, "auto&" if by_reference else "auto*", into, None, kept.value.text, made)  # type: ignore[arg-type]
    return HandedAway(kept.value, "auto&", into)


def _owner(function: Function, store: keeping.Store) -> Class | None:
    """The class of the object to whose field a pointer is written."""
    target = store.event.target if isinstance(store.event, e.Write) else None
    inner = places.strip(target)
    if isinstance(inner, r.Member):
        written = function.program.types.of(inner.base, function)
        for one in (written, types.element(written)):
            expanded = function.program.names.expand(types.parse(one).name, function.file, function.record.scope)
            cls = function.program.names.find_class(expanded, function.record.scope, function.file) if one else None
            if cls is not None and cls.field(inner.name) is not None:
                return cls
    return None


def outlives(function: Function, place: Place, target: r.Value | None) -> bool:
    """Whether what is written lives on when the function ends: a member, a variable, what a parameter leads to, or a
    pointer to what was not made here."""
    root = place[0]
    if root == places.THIS:
        return len(place) > 1
    if root not in function.declared or root in lasting.statics(function):
        return root not in function.flow.aliases
    written, initial = function.locals.get(root, ("", None))
    parameter = next((p for p in function.record.parameters if p.name == root), None)
    kind = types.parse(parameter.type if parameter is not None else written)
    if kind.reference:
        return parameter is not None
    if not kind.pointers or (len(place) == 1 and isinstance(places.strip(target), r.Name)):
        return False
    made = places.strip(initial)
    return parameter is not None or not (
        isinstance(made, r.Unary) or (isinstance(made, r.Call) and made.kind == "new") or made is None
    )


def value_of(event: e.Event) -> r.Value | None:
    """What is called, written or left with."""
    return event.node if isinstance(event, e.CallEvent) else getattr(event, "value", None)


def may_give(function: Function) -> bool:
    """Whether the function may give an address away, or make an object that keeps one. Needs no decoding."""
    if function.record.initializers or b'"&"' in function.encoded or stands_for_defaults(function):
        return True
    if function.says(_LAMBDA):
        return True
    said = glance.said_names(function)
    return not keeping.keepers(function.program).classes.isdisjoint(said) or not _takers(function.program).isdisjoint(
        said
    )


@questions.program_question
def _takers(program: Program) -> frozenset[str]:
    """Names of the methods that take a reference, in classes that have a pointer or a view to keep it in."""
    known = keeping.keepers(program).classes
    return frozenset(
        method.name
        for cls in program.classes
        if cls.name in known
        for method in cls.declarations
        if method.kind == "method"
        and any("&" in p.type and not keeping.is_plain_type(p.type) for p in method.parameters)
    )


def stands_for_defaults(function: Function) -> bool:
    """Whether it is the function of its class that is asked about the initialisers in the class body: the first
    constructor, or where there is none the first method."""
    home = function.home
    if home is None or function.cls is not home or not any(field.value is not None for field in home.record.fields):
        return False
    return function is next(iter([*home.constructors, *home.methods]), None) and function.file is home.file


# --- what is done with it ---------------------------------------------------------------------------------


def looks(function: Function, one: HandedAway) -> list[KeptAccess]:
    """Where methods of the object that keeps it, or the lambda, go through what was one."""
    if one.made is not None:
        body = function.program.index.function_at(function.file, one.made.function)
        direct = one.wanted.endswith("&")
        return list(accesses_in(body, frozenset({one.field}), "", direct)) if body is not None else []
    if one.body is not None:
        direct = types.parse(one.wanted).reference and not types.parse(one.wanted).pointers
        return list(accesses_in(one.body, frozenset({one.field}), "", direct))
    found = one.holder.field(one.field) if one.holder is not None else None
    if found is None or one.holder is None:
        return []
    owner, field = found
    kind = types.parse(owner.program.names.expand(field.type, owner.file, owner.symbol))
    users = [*_methods(one.holder, owner), *_outsiders(function, owner, field)]
    if one.into is None and one.used is None:  # its new owner lets it go at any time
        users += [end for cls in one.holder.ancestry if (end := cls.destructor) is not None]
    lenders = _lenders(owner, field.name)
    return [
        look for user in users for look in accesses_in(user, frozenset(), field.name, not kind.pointers, owner, lenders)
    ]


def _lenders(owner: Class, field: str) -> frozenset[str]:
    """The methods of a class that do nothing but answer with a field."""
    return frozenset(
        method.name
        for method in owner.methods
        if method.is_short and not method.record.parameters and _answers(method, field)
    )


def _answers(method: Function, field: str) -> bool:
    values = [places.strip(leave.value) for leave in method.flow.leaves if leave.value is not None]
    return len(values) == 1 and isinstance(values[0], r.Name | r.Member) and places.last_name(values[0]) == field


def _outsiders(giver: Function, owner: Class, field: r.Field) -> Iterator[Function]:
    """The functions beside a class, or beside who fills it, that go through a field which others can see."""
    if field.access == "private" or (field.access != "public" and owner.record.kind == "class"):
        return
    known = guarded(owner.program)
    seen: set[Function] = set()
    for path in (owner.file.path, giver.path):
        for one in known.functions_beside(path, field.name):
            inside = one.home is not None and owner in one.home.ancestry
            if one not in seen and not inside and not is_exempt(one) and not begins_or_ends(one):
                seen.add(one)
                yield one


def may_be_looked_through(one: HandedAway) -> bool:
    """Whether somebody can go through what an object keeps: others who see the field, a method that is not shown, one
    that hands it out or on. What is only compared says who it is."""
    found = one.holder.field(one.field) if one.holder is not None else None
    if found is None or one.holder is None:
        return True
    owner, field = found
    if field.access != "private" or any(not owner.defined(declared.name) for declared in owner.declarations):
        return True
    return any(_hands_on(method, field.name) for method in _methods(one.holder, owner))


def _hands_on(function: Function, field: str) -> bool:
    if field not in glance.said_names(function):
        return False
    reader = AccessReader(function, frozenset(), field, False)
    given = (arg for statement in function.statements for v in bodies.values(statement) for arg in _given_in(v))
    return not types.parse(function.record.result).is_value or any(map(reader.is_pointer, given))


def _given_in(value: r.Value) -> Iterator[r.Value]:
    for call in places.calls_in(value):
        yield from call.args


def _methods(cls: Class, owner: Class) -> Iterator[Function]:
    """What can run on an object of a class and knows a field of `owner`, one of its bases."""
    seen: set[str] = set()
    known = guarded(cls.program).functions_with(owner)
    for one in cls.ancestry[: cls.ancestry.index(owner) + 1] if owner in cls.ancestry else (cls,):
        here = [f for f in known if f.home is one]
        yield from (f for f in here if f.name not in seen and not is_exempt(f) and not is_unreachable(f))
        seen |= {f.name for f in here if f.record.kind == "method"}


def comes_to(look: KeptAccess, changed: tuple[str, ...]) -> bool:
    """Whether a look meets what is changed, a place below what is kept."""
    if not changed:
        return True
    if look.path:
        return changed[0] in look.path
    return look.method is None or changed[0] in glance.said_names(look.method)


def is_taken_back(function: Function, event: e.Event) -> bool:
    """Whether the function itself puts null where it has put an address before, by an assignment or the same setter."""
    for later in function.flow.after(event):
        match event, later:
            case e.Write(place=one), e.Write(place=other, value=r.Literal(kind="null")) if one == other:
                return True
            case e.CallEvent(node=one, receiver=on), e.CallEvent(node=other, receiver=where) if on == where:
                is_same = places.last_name(one.callee) == places.last_name(other.callee)
                if is_same and any(isinstance(arg, r.Literal) and arg.kind == "null" for arg in other.args):
                    return True
    return False


# --- without the lock -------------------------------------------------------------------------------------


def is_bare(look: KeptAccess, lock: str, giver: Function) -> bool:
    """Whether nothing that can be the lock is held at a look, by the function itself or by those who call it."""
    function = look.function
    if _holds_some(look, giver):
        return False
    if function.record.kind == "lambda":
        return True
    if locks.says_locked(function):
        return False
    locking = locks.locking(function.program)
    known = locking.from_callers(function)
    if any(not _is_its_own(function, place, giver) for place in known.locks):
        return False
    if known.alone and all(_begins_or_ends(caller) for caller in function.program.index.callers(function)):
        return False
    return (bool(known.sites) and not known.alone) or not _may_be_called_under(function, lock)


def _holds_some(look: KeptAccess, giver: Function) -> bool:
    """Whether a function itself holds something at a look that can be the lock, or never comes there; or the one that
    looks for it does."""
    held = locks.locking(look.function.program).held(look.function).get(look.at.index)
    if held is None or any(not _is_its_own(look.function, h.lock, giver) for h in held):
        return True
    return bool(look.inside) and all(_holds_some(one, giver) for one in look.inside)


def is_bare_when_called(look: KeptAccess, call: e.CallEvent, giver: Function) -> bool:
    """Whether a call, made without the lock, comes to a look that takes none."""
    function = look.function
    if _holds_some(look, giver):
        return False
    name = places.last_name(call.node.callee)
    if any(isinstance(arg, r.Unary) and arg.op == "&" for arg in map(places.strip, call.node.args)):
        targets = giver.program.calls.callee(call.node, giver).functions
        if not targets or any(function.name in target.mentioned for target in targets):
            return True  # who is given the object calls its methods
    return name == function.name or any(
        function.name in method.mentioned
        for method in (function.home.defined(name) if function.home is not None else ())
    )


def holds_lock(given: HandedAway) -> bool:
    """Whether the object has a guard in it, so that it holds a lock for as long as it lives."""
    if given.holder is None:
        return False
    guards = guard_classes.guards(given.holder.program).words
    fields = (field for cls in given.holder.ancestry for field in cls.record.fields)
    kinds = (types.parse(field.type) for field in fields)
    return any({kind.last, *(types.parse(one).last for one in kind.arguments)} & guards for kind in kinds)


def is_known_bare(look: KeptAccess, given: HandedAway) -> bool:
    """Whether a call is known that comes to a look without the lock."""
    if look.function.record.kind == "lambda":
        return False
    known = locks.locking(look.function.program).from_callers(look.function)
    return given.used is not None or (bool(known.sites) and not known.alone)


def _is_its_own(function: Function, lock: Place, giver: Function) -> bool:
    """Whether a lock is a part of the function's object, which is no object of the giver's class: then it is not that
    of the giver."""
    if giver.home is not None and function.home is giver.home:
        return False
    found = function.home.field(lock[1]) if function.home is not None and lock[0] == places.THIS else None
    if found is None or len(lock) != 2:
        return False
    owner, field = found
    written = owner.program.names.expand(field.type, owner.file, owner.symbol)
    return types.parse(written).is_value and mutexes.mutexes(owner.program).is_mutex(
        field.type, owner.file, owner.symbol
    )


def _begins_or_ends(function: Function) -> bool:
    return function.record.kind in ("constructor", "destructor")


def _may_be_called_under(function: Function, lock: str) -> bool:
    """Whether some call that can mean a function is made under the lock, and none that does without."""
    program = function.program
    locking = locks.locking(program)
    careful = False
    for caller in program.index.callers(function)[:_MOST_CALLERS]:
        for event in caller.flow.calls:
            if places.last_name(event.node.callee) != function.name or not _may_mean(caller, event, function):
                continue
            if event.receiver is not None and len(event.receiver) == 1 and locks.is_made_in(caller, event.receiver[0]):
                continue  # another object
            here = locking.held(caller).get(event.index, frozenset())
            if locks.holds(here, lock) or locks.holds(locking.from_callers(caller).locks, lock):
                careful = True
            elif program.calls.callee(event.node, caller).owner is not None:
                return False
    return careful


def _may_mean(caller: Function, event: e.CallEvent, function: Function) -> bool:
    found = caller.program.calls.callee(event.node, caller)
    if found.owner is None or function.home is None:
        return function in found.functions or not found.functions
    return found.owner in function.home.ancestry or function.home in found.owner.ancestry
