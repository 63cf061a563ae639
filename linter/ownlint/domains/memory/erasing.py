"""Elements that are erased while something still stands at them: an iterator, or a loop over the container.

Of a container whose other elements stay where they are, the one that is erased is told by the iterator that is given,
or by the key that is read off it.
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
    elif len(callee.functions) == 1 and (base is None or text(base) == THIS):
        for one in erased_by_key(callee.functions[0]):
            if one.parameter < len(node.args) and callee.functions[0].cls is function.cls is not None:
                _end(draft, function, event, one.container, node.args[one.parameter], one.certainty)


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
            why = because("path", f"on the path where `{function.name}` erases it")
            found.append(ErasedByKey(text(on), names.index(key.text), "certain" if always else why))
    return tuple(found)
