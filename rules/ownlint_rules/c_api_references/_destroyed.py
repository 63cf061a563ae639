"""Types of C whose objects own members that nothing releases when an object is destroyed.

A member is owned where some function stores a new reference in it, or adopts one into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ownlint import Class, Function, Program, events, patterns, places, references, text, types
from ownlint import records as r
from ownlint_rules.c_api_references import _lives as lives
from ownlint_rules.c_api_references._object_types import object_types
from ownlint_rules.c_api_references._stores import stores

_OBJECT_FIELDS = frozenset({"T_OBJECT", "T_OBJECT_EX", "Py_T_OBJECT_EX", "_Py_T_OBJECT"})
"""Kinds of `PyMemberDef` whose setter stores a new reference; docs.python.org/3/c-api/structures.html."""


class OwnedStore(NamedTuple):
    """A store of a reference that the member owns from then on; `function` is None for a line of a `PyMemberDef`."""

    function: Function | None
    path: str
    at: r.Span


class MissedMember(NamedTuple):
    """`function` destroys an object of `cls`, or clears it for that, and does not release `member`. `borrows` says that
    a reference that is not owned is stored in it as well, `is_container` that it holds several."""

    function: Function
    cls: Class
    member: r.Field
    store: OwnedStore
    borrows: bool
    is_container: bool


def missed(program: Program) -> Iterator[MissedMember]:
    ending = [(kind.dealloc, kind.ends.values(), cls) for kind in object_types(program) if (cls := kind.struct)]
    owned = _owned(program, frozenset(cls for _, _, cls in ending)) if ending else {}
    seen: set[tuple[Class, str]] = set()
    for dealloc, ends, cls in ending:
        wanted = {name: stores for (owner, name), stores in owned.items() if owner is cls}
        done = [one for end in ends for one in lives.deeds(end)] if wanted else []
        if dealloc is None or not done or any(map(_may_release_all, done)):
            continue
        reached = {name for function in lives.functions(done) for name in _reached(function)}
        touching = [(one.function, _touched(one)) for one in done]
        touched = {name for _, names in touching for name in names}
        # where the release is missing: in the first function that releases other members, else in dealloc itself
        others = [function for function, names in touching if names]
        shown = dealloc if dealloc in others or not others else others[0]
        for member in cls.record.fields:
            stores = wanted.get(member.name)
            if stores is None or not stores.owned or (cls, member.name) in seen:
                continue
            is_container = _holds_references(member, cls)
            if member.name not in (reached if is_container else touched):
                seen.add((cls, member.name))
                yield MissedMember(shown, cls, member, stores.owned[0], stores.borrows, is_container)


# --- what destroys ---


def _may_release_all(one: lives.Deed) -> bool:
    """Whether code may release any member: it was not analysed, or is put together by a macro."""
    macros = one.function.program.macros
    if one.what != "macro":
        return one.what in ("unread", "method", "given")
    return any(
        "##" in macro.body or any(word != macro.name and macros.named(word) for word in macros.words(macro.name))
        for macro in macros.named(one.called)
    )


def _touched(one: lives.Deed) -> frozenset[str]:
    """The members that are released there, or given to code that may do that. A macro of the project may release each
    that it mentions: `#define FIELDS(X) X(left) X(right)`."""
    if one.what == "macro":
        return one.function.program.macros.words(one.called)
    may = one.what in ("kept", "released", "visited") or (one.what == "part" and not one.is_lent)
    return frozenset(inner.name for inner in one.members) if may else frozenset()


def _reached(function: Function) -> set[str]:
    """The members that a loop goes through, that have another name here, that a call is given or whose methods are
    called, but for those by which a container ends."""
    led = [statement.iterable for statement in function.statements if isinstance(statement, r.Loop)]
    led += [initial for _, initial in function.locals.values()]
    clears = function.program.models.containers.clears
    for call in function.calls():
        led += call.args if call.kind == "call" else ()
        if isinstance(call.callee, r.Member) and call.callee.name not in clears and "~" not in call.callee.name:
            led.append(call.callee.base)
    return {inner.name for value in led for inner in places.walk(value) if isinstance(inner, r.Member)}


# --- what is owned ---


@dataclass
class _OwnedStores:
    owned: list[OwnedStore] = field(default_factory=list)
    borrows: bool = False


def _owned(program: Program, wanted: frozenset[Class]) -> dict[tuple[Class, str], _OwnedStores]:
    """By class and name of a member what is stored in it."""
    found: dict[tuple[Class, str], _OwnedStores] = {}
    members = {
        field.name
        for cls in wanted
        for field in cls.record.fields
        if types.parse(field.type).pointers == 1 or _holds_references(field, cls)
    }
    any_member = patterns.strings(sorted(members))
    for function in program.functions if members else ():
        if function.language != "cpp" or not references.may_count(function) or not function.says(any_member):
            continue
        for cls, name, at, is_owned in _stored_by(function, wanted):
            stores = found.setdefault((cls, name), _OwnedStores())
            if is_owned:
                stores.owned.append(OwnedStore(function, function.path, at))
            else:
                stores.borrows = True
    for cls, name, path, line in _object_fields(program, wanted):
        found.setdefault((cls, name), _OwnedStores()).owned.append(OwnedStore(None, path, line))
    return found


def _object_fields(program: Program, wanted: frozenset[Class]) -> Iterator[tuple[Class, str, str, r.Span]]:
    """The members that a `PyMemberDef` lets Python assign: `{"hook", T_OBJECT, offsetof(Timer, hook), 0}`."""
    for file in program.files.values():
        for table in file.tables:
            for line in table.entries if table.kind == "field" else ():
                if _OBJECT_FIELDS.isdisjoint(line.refers) or any("READONLY" in word for word in line.refers):
                    continue
                named = [
                    program.names.find_class(program.names.expand(word, file, ""), "", file) for word in line.refers
                ]
                cls = next((one for one in named if one in wanted), None)
                member = next((word for word in line.refers if cls is not None and word in cls.fields), None)
                if cls is not None and member is not None:
                    yield cls, member, file.path, r.Span(line.start, line.end)


def _stored_by(function: Function, wanted: frozenset[Class]) -> Iterator[tuple[Class, str, r.Span, bool]]:
    """The members of those classes in which the function stores something: the class, the name, where, and whether the
    member owns a reference from then on."""
    known = references.references(function.program)
    for one in stores(function):
        held = _member_of(one.into, function, wanted, containers=one.inside)
        if held is None or (isinstance(one.at, events.Write) and _is_same(one.value, held[1])):
            continue
        model = known.model(one.at.node, function) if one.adopted and isinstance(one.at, events.CallEvent) else None
        if not one.adopted or (model is not None and model.counted):
            yield *held, one.at.span, one.adopted or _is_owned(function, one.at, one.value, known)


def _holds_references(field: r.Field, cls: Class) -> bool:
    """Whether a member is a container of bare references, or a pointer to one."""
    written = cls.program.names.expand(field.type, cls.file, cls.symbol)
    kind = types.parse(written)
    held = types.parse(kind.arguments[-1]) if kind.arguments else None
    is_container = "container" in cls.program.models.role(kind.name)
    return is_container and held is not None and held.last == "PyObject" and held.pointers == 1


def _is_same(value: r.Value, name: str) -> bool:
    return any(isinstance(inner, r.Member) and inner.name == name for inner in places.walk(value))


def _member_of(
    inner: r.Value | None, function: Function, wanted: frozenset[Class], *, containers: bool
) -> tuple[Class, str] | None:
    """The class and the name of a member of an object: `self->hook`, of no element and no struct inside of it. With
    `containers` of one that holds references."""
    if not isinstance(inner, r.Member):
        return None
    written = function.program.types.holder(inner.base, function)
    cls = function.program.names.find_class(written, function.record.scope, function.file) if written else None
    if cls is None or cls not in wanted or inner.name not in cls.fields:
        return None
    field = cls.fields[inner.name]
    is_container = _holds_references(field, cls)
    is_wanted = is_container if containers else types.parse(field.type).pointers == 1 and "[" not in field.type
    return (cls, inner.name) if is_wanted and is_container is containers else None


def _is_owned(function: Function, store: events.Event, value: r.Value, known: references.References) -> bool:
    """Whether what is stored is a reference that the function owns and does not release afterwards."""
    flow = function.flow
    inner = places.strip(value)
    if known.source(value, function).kind == "new":
        return True
    names = {inner.text} if isinstance(inner, r.Name) and inner.text in function.declared else set()

    def uses(event: events.Event, wanted: str) -> bool:
        return isinstance(event, events.CallEvent) and any(
            known.use(event.node, index, function) == wanted and _is_value(argument, store, names)
            for index, argument in references.arguments(event.node)
        )

    def replaces(event: events.Event) -> bool:
        """What puts another object into the local, or the way on which the store has failed."""
        if isinstance(event, events.Mark):
            return event.what == "catch"
        return isinstance(event, events.Write) and event.place[:1] in {(name,) for name in names}

    if flow.path(store, lambda event: uses(event, "released"), replaces) is not None:
        return False
    if any(uses(event, "retained") for event in flow):
        return True
    made = [event.value for name in names for event in flow.writes_to((name,))]
    real = [one for one in made if one is not None and not known.is_null(one, function)]
    return bool(real) and all(known.source(one, function).kind == "new" for one in real)


def _is_value(argument: r.Value, store: events.Event, names: set[str]) -> bool:
    """Whether it is what was stored: the local, or the member itself."""
    inner = places.strip(argument)
    if isinstance(inner, r.Name):
        return inner.text in names
    target = store.target if isinstance(store, events.Write) else None
    return isinstance(inner, r.Member) and target is not None and text(inner) == text(target)
