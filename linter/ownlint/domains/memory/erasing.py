"""Elements that are erased while something still stands at them: an iterator, or a loop over the container.

Of a container whose other elements stay where they are, the one that is erased is told by the iterator that is given,
or by the key that is read off it, or under which it was found. With an element goes what it owns alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ownlint.domains.memory.blocks import SOME, Cell, EndedBlock, MemoryDraft, Pointer
from ownlint.domains.memory.pointers import range_cell
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because
from ownlint.flow import events as e
from ownlint.flow.places import THIS, last_name, strip, walk
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function


class ElementPosition(NamedTuple):
    """What stands at an element: the local that is an iterator, or what a loop over a range keeps."""

    cell: Cell
    container: str
    """As it is written."""


class KeyedElement(NamedTuple):
    """What the element of a container under a key owns alone, and a local points to."""

    name: str
    container: str
    key: str


class ErasedByKey(NamedTuple):
    """A method erases from a member of its object what one of its parameters is the key of."""

    container: str
    parameter: int
    certainty: Certainty


def erase(draft: MemoryDraft, function: Function, event: e.CallEvent) -> None:
    """What a call erases, by itself or in the method that it is of."""
    node = event.node
    callee = function.program.calls.callee(node, function)
    base = node.callee.base if isinstance(node.callee, r.Member) else None
    if base is not None and node.args and any(model.has("erase", "argument 1") for model in callee.models):
        _end(draft, function, event, text(base), node.args[0], "certain")
        _end_owned(draft, function, event, text(base), node.args[0], "certain")
    elif len(callee.functions) == 1 and (base is None or text(base) == THIS):
        for one in erased_by_key(callee.functions[0]):
            if one.parameter < len(node.args) and callee.functions[0].cls is function.cls is not None:
                given = node.args[one.parameter]
                _end(draft, function, event, one.container, given, one.certainty)
                if not takes_out(callee.functions[0]):
                    _end_owned(draft, function, event, one.container, given, one.certainty)


def _end(
    draft: MemoryDraft, function: Function, event: e.CallEvent, container: str, given: r.Value, certainty: Certainty
) -> None:
    known = positions(function)
    for name in _standing(given):
        position = known.get(name)
        if position is None or position.container.removeprefix(f"{THIS}->") != container.removeprefix(f"{THIS}->"):
            continue
        block = draft.begin(("made", event.index, "erased")).block
        draft.end(block, EndedBlock(event.index, "erased", text(event.node.callee), certainty))
        draft.put(position.cell, Pointer(block, (SOME,)))


def _end_owned(
    draft: MemoryDraft, function: Function, event: e.CallEvent, container: str, given: r.Value, certainty: Certainty
) -> None:
    """With an element goes what it owns alone."""
    key = strip(given)
    if not isinstance(key, r.Name):
        return
    for one in keyed(function):
        if (one.key, one.container) == (key.text, container.removeprefix(f"{THIS}->")):
            block = draft.begin(("made", event.index, one.name)).block
            draft.end(block, EndedBlock(event.index, "owner", text(event.node.callee), certainty))
            draft.put(Cell(("var", one.name)), Pointer(block))


def _standing(given: r.Value) -> Iterator[str]:
    """The name of what stands at the element that is meant: `it`, `*it`, `it->first`, `it.key()`, the key itself."""
    match strip(given):
        case r.Name(text=name) | r.Unary(op="*", value=r.Name(text=name)):
            yield name
        case r.Member(base=r.Name(text=name), name="first"):
            yield name
        case r.Call(callee=r.Member(base=r.Name(text=name), arrow=False), args=()):
            yield name


@flow_question
def positions(function: Function) -> Mapping[str, ElementPosition]:
    """By the names that speak of them."""
    found: dict[str, ElementPosition] = {}
    for statement in function.statements:
        if isinstance(statement, r.Loop) and statement.kind == "range" and statement.iterable is not None:
            names = [one.text for one in walk(statement.target) if isinstance(one, r.Name)]
            if names:  # of `[key, value]` the key
                found[names[0]] = ElementPosition(range_cell(statement.start), text(statement.iterable))
    begun: dict[str, set[str]] = {}
    for write in function.flow.writes:
        made = strip(write.value)
        if len(write.place) == 1 and write.op in ("=", "init"):
            lends = isinstance(made, r.Call) and isinstance(made.callee, r.Member) and _lends(function, made)
            begun.setdefault(write.place[0], set()).add(text(made.callee.base) if lends else "")  # type: ignore[union-attr]
    for name, containers in begun.items():
        if len(containers) == 1 and "" not in containers:
            found[name] = ElementPosition(Cell(("var", name)), containers.pop())
    return found


@flow_question
def keyed(function: Function) -> tuple[KeyedElement, ...]:
    """The locals that point only to what an element owns, where its key is known."""
    if takes_out(function):
        return ()
    found: dict[str, set[KeyedElement | None]] = {}
    for write in function.flow.writes:
        if len(write.place) == 1 and write.op in ("=", "init") and write.place[0] in function.locals:
            held = _held_under(function, write.value)
            key = held[1].text if held is not None else ""
            known = key in function.locals and f"={key}" not in function.mentioned
            one = KeyedElement(write.place[0], held[0], key) if held is not None and known else None
            found.setdefault(write.place[0], set()).add(one)
    return tuple(one for ones in found.values() if len(ones) == 1 for one in ones if one is not None)


@flow_question
def takes_out(function: Function) -> bool:
    """Whether something may be taken out of its owner in the function, which then ends nothing."""
    models = function.program.models
    names = models.functions_with("disown", "receiver") | models.functions_with("swap") | models.functions_with("move")
    return not names.isdisjoint(function.mentioned)


def _held_under(function: Function, value: r.Value | None) -> tuple[str, r.Name] | None:
    """The container and the key of whose element the value is what that owns: `held[key].get()`, `find(key)`."""
    made = strip(value)
    if not isinstance(made, r.Call):
        return None
    on = strip(made.callee.base) if isinstance(made.callee, r.Member) else None
    match on:
        case r.Index(base=base, indexes=(key,)) if _gives_owned(function, made, on):
            pass
        case r.Call(callee=r.Member(base=base), args=(key,)) if _gives_owned(function, made, on):
            pass
        case None | r.Name(text="this"):
            callees = function.program.calls.callee(made, function).functions
            under = found_by_key(callees[0]) if len(callees) == 1 and callees[0].cls is function.cls else None
            given = strip(made.args[under[1]]) if under is not None and under[1] < len(made.args) else None
            return (under[0], given) if under is not None and isinstance(given, r.Name) else None
        case _:
            return None
    bare = strip(key)
    roles = function.program.types.roles(function.program.types.of(base, function), function)
    associative = "associative" in roles and "multiple" not in roles
    return (text(base).removeprefix(f"{THIS}->"), bare) if associative and isinstance(bare, r.Name) else None


def _gives_owned(function: Function, call: r.Call, owner: r.Value) -> bool:
    """Whether a smart pointer that shares with none is asked for what it owns."""
    if call.args or not any(
        one.has("borrow", "result") for one in function.program.calls.callee(call, function).models
    ):
        return False
    return "smart pointer" in function.program.types.roles(function.program.types.of(owner, function), function)


@flow_question
def found_by_key(function: Function) -> tuple[str, int] | None:
    """The member of its object in which a method looks up the key that is one of its parameters, where it answers with
    what the element owns, or with nothing."""
    names = [one.name for one in function.record.parameters]
    if function.home is None or function.record.kind != "method" or takes_out(function):
        return None
    found: set[tuple[str, str] | None] = set()
    for leave in function.flow.leaves:
        for one in _either(leave.value) if leave.kind == "return" else ():
            found.add(_looked_up(function, one))
    only = found.pop() if len(found) == 1 else None
    if only is None or only[1] not in names or f"={only[1]}" in function.mentioned:
        return None
    return only[0], names.index(only[1])


def _either(value: r.Value | None) -> Iterator[r.Value]:
    """What may be answered but null."""
    match strip(value):
        case r.Conditional(then=then, other=other):
            yield from _either(then)
            yield from _either(other)
        case r.Literal(kind="null") | None:
            pass
        case r.Name(text="NULL"):
            pass
        case bare:
            yield bare


def _looked_up(function: Function, value: r.Value) -> tuple[str, str] | None:
    """`it->second.get()`, where the iterator begins as what was found: the container, and the name of the key."""
    if not isinstance(value, r.Call) or not isinstance(value.callee, r.Member):
        return None
    owner = strip(value.callee.base)
    if not _gives_owned(function, value, owner or value):
        return None
    held = _held_under(function, value)
    if held is not None:
        return held[0], held[1].text
    if (
        not isinstance(owner, r.Member)
        or not isinstance(at := strip(owner.base), r.Name)
        or at.text not in positions(function)
    ):
        return None
    begun = strip(function.locals.get(at.text, ("", None))[1])
    if not isinstance(begun, r.Call) or len(begun.args) != 1 or f"={at.text}" in function.mentioned:
        return None
    key = strip(begun.args[0])
    finds = any(one.has("find", "argument 1") for one in function.program.calls.callee(begun, function).models)
    container = positions(function)[at.text].container.removeprefix(f"{THIS}->")
    return (container, key.text) if finds and isinstance(key, r.Name) else None


def _lends(function: Function, call: r.Call) -> bool:
    """Whether it answers with an iterator, or goes on from one."""
    models = function.program.calls.callee(call, function).models
    return any(model.has("borrow", "result") or model.has("erase") for model in models)


@flow_question
def erased_by_key(function: Function) -> tuple[ErasedByKey, ...]:
    names = [one.name for one in function.record.parameters]
    if function.home is None or function.record.kind != "method":
        return ()
    found: list[ErasedByKey] = []
    for call in function.flow.calls:
        on = call.node.callee.base if isinstance(call.node.callee, r.Member) else None
        key = strip(call.node.args[0]) if call.node.args else None
        if on is None or not isinstance(key, r.Name) or key.text not in names or f"={key.text}" in function.mentioned:
            continue
        models = function.program.calls.callee(call.node, function).models
        if function.home.field(last_name(on)) and any(model.has("erase", "argument 1") for model in models):
            always = function.flow.dominates(call, function.flow.events[function.flow.exit])
            why = because("path", f"this happens only if `{function.name}` erases it")
            found.append(ErasedByKey(text(on), names.index(key.text), "certain" if always else why))
    return tuple(found)
