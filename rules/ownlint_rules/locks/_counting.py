"""Counts and sizes that are read under one lock and relied on under the next: bounds, places at the end, last users."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from ownlint import Function, Place, assignments, containers, lookups, places, ranges
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.locks import _rechecks as rechecks

_GROWS = frozenset({"++", "+="})
_SHRINKS = frozenset({"--", "-="})

Bound = Literal["above", "below", "apart"]
"""What is known of a count: that it is greater than something, less than it, or not the same."""


class Counted(NamedTuple):
    place: Place
    gap: rechecks.Gap
    is_size: bool
    """The count is the size of a container, into which something is put."""


def bounded(gaps: rechecks.Gaps) -> Iterator[Counted]:
    """Counts that are changed under one lock towards the bound that they were compared with under another."""
    function = gaps.function
    reads = rechecks.reads(function)
    sizes = _sizes(function)
    taken = 0
    for event in function.flow:
        if (place := _changed(function, event, reads, sizes)) is None or not gaps.is_decided(event):
            continue
        taken += 1
        if taken > rechecks.MOST_ACTS:
            return
        is_size = isinstance(event, e.CallEvent)
        asked = sizes[place] if is_size else [one for one in reads[place] if not rechecks.is_target(one, event)]
        wanted: Bound = "above" if isinstance(event, e.Write) and event.op in _SHRINKS else "below"
        gap = gaps.before(event, asked)
        if gap is None or _is_reserved(function, gap):
            continue
        known = {bound for one in gap.tests for bound in _bounds(function, one.condition, one.outcome, place, is_size)}
        if wanted in known or "apart" in known:
            yield Counted(place, gap, is_size)


def _changed(
    function: Function, event: e.Event, reads: dict[Place, list[e.Event]], sizes: dict[Place, list[e.Event]]
) -> Place | None:
    """The count that the event changes, or the container that it puts something into."""
    methods = function.container_methods
    match event:
        case e.Write(place=place, op=op, fresh=False) if op in _GROWS | _SHRINKS and place in reads:
            return place if rechecks.outlives(function, place) else None
        case e.CallEvent(node=node, receiver=on) if on in sizes and on is not None:
            if places.last_name(node.callee) in methods.keyed | methods.appends:
                return on if rechecks.outlives(function, on) else None
    return None


def _sizes(function: Function) -> dict[Place, list[e.Event]]:
    """By container, where its size is asked for."""
    found: dict[Place, list[e.Event]] = {}
    for call in function.flow.calls if function.mentions("size", "len") else ():
        at = assignments.place(function, _sized(function, call.node))
        if at is not None:
            found.setdefault(at, []).append(call)
    return found


def _sized(function: Function, call: r.Call) -> r.Value | None:
    """The container whose size a call asks for: `items.size()`, and in Python `len(items)`."""
    match call:
        case r.Call(callee=r.Name(text="len"), args=(given,)) if function.language == "python":
            return given
        case r.Call(callee=r.Member(base=base, name="size"), args=()) if function.language == "cpp":
            return base
    return None


def _is_reserved(function: Function, gap: rechecks.Gap) -> bool:
    """Whether what the conditions ask is counted on the way from the look already."""
    names = {
        part
        for one in gap.tests
        for inner in places.walk(one.condition)
        if (part := assignments.place(function, inner)) is not None
    }
    leading = {event.index for event in function.flow.before(gap.act)}
    return any(
        isinstance(event, e.Write) and event.op in _GROWS | _SHRINKS and event.place in names
        for event in function.flow.after(gap.look, lambda event: event is gap.act)
        if event.index in leading
    )


def _bounds(
    function: Function, value: r.Value | None, outcome: bool, place: Place, is_size: bool, depth: int = 0
) -> Iterator[Bound]:
    """What a condition says of the count where it came out so."""
    match places.strip(value):
        case r.Unary(op="!" | "not", value=negated):
            yield from _bounds(function, negated, not outcome, place, is_size, depth)
        case r.Binary(op="&&" | "||" as op, left=left, right=right):
            if outcome is (op == "&&"):
                yield from _bounds(function, left, outcome, place, is_size, depth)
                yield from _bounds(function, right, outcome, place, is_size, depth)
        case r.Binary(op=op, left=left, right=right) if op in ranges.COMPARISONS:
            if _counts(function, left, place, is_size):
                other = right
            elif _counts(function, right, place, is_size):
                other, op = left, ranges.turned(op)
            else:
                return
            op = op if outcome else ranges.opposite(op)
            if op in ("<", "<="):
                yield "below"
            elif op in (">", ">="):
                yield "above"
            elif op == "!=":
                yield "above" if _is_zero(other) else "apart"
        case r.Name(text=name) if depth < 3 and (made := rechecks.only_value(function, name)) is not None:
            yield from _bounds(function, made, outcome, place, is_size, depth + 1)
        case inner if inner is not None and not is_size and outcome and assignments.place(function, inner) == place:
            yield "above"


def _counts(function: Function, value: r.Value, place: Place, is_size: bool) -> bool:
    """Whether one side of a comparison is the count, or a sum of it."""
    inner = places.strip(value)
    if isinstance(inner, r.Binary) and inner.op in ("+", "-"):
        return _counts(function, inner.left, place, is_size) or (
            inner.op == "+" and _counts(function, inner.right, place, is_size)
        )
    if is_size:
        asked = _sized(function, inner) if isinstance(inner, r.Call) else None
        return asked is not None and assignments.place(function, asked) == place
    return assignments.place(function, inner) == place


def _is_zero(value: r.Value) -> bool:
    inner = places.strip(value)
    return isinstance(inner, r.Literal) and inner.text == "0"


# --- the place at the end ----------------------------------------------------------------------------


class TakenIndex(NamedTuple):
    """A size that was read before something is put at the end, and what it is used for."""

    look: e.Event
    act: e.CallEvent
    local: str


def taken_indexes(gaps: rechecks.Gaps) -> Iterator[TakenIndex]:
    """Sizes that are taken for the index of what is put at the end under a later lock, and handed out as that."""
    function = gaps.function
    sizes = _sizes(function)
    for look in [one for place in sizes for one in sizes[place]][: rechecks.MOST_ACTS]:
        local = _held_in(function, look)
        if not local or not isinstance(look, e.CallEvent) or look.receiver is None:
            continue
        if not rechecks.outlives(function, look.receiver):
            continue
        for act in function.flow.after(look):
            if (
                isinstance(act, e.CallEvent)
                and act.receiver == look.receiver
                and places.last_name(act.node.callee) in function.container_methods.appends
                and gaps.is_apart(look, act, sizes[look.receiver])
                and _is_handed_out(function, local, act)
            ):
                yield TakenIndex(look, act, local)
                break


def _held_in(function: Function, look: e.Event) -> str:
    """The local that is given the outcome of the call, and nothing else ever."""
    for write in function.flow.writes:
        value = places.strip(write.value)
        if value is not None and len(write.place) == 1 and (value.start, value.end) == (look.span.start, look.span.end):
            others = [one for one in function.flow.writes_to(write.place) if one is not write and one.value is not None]
            return write.place[0] if not others and function.is_local(write.place) else ""
    return ""


def _is_handed_out(function: Function, local: str, act: e.CallEvent) -> bool:
    """Whether the local is returned after the act, or kept in something that outlives the call."""
    for event in function.flow.after(act):
        match event:
            case e.LeaveEvent(kind="return", value=r.Name(text=name)) if name == local:
                return True
            case e.Write(value=r.Name(text=name), place=place, fresh=False) if name == local:
                if rechecks.outlives(function, place):
                    return True
    return False


# --- the last user -----------------------------------------------------------------------------------


class Drop(NamedTuple):
    container: containers.Container
    key: r.Value
    gap: rechecks.Gap


def drops(gaps: rechecks.Gaps) -> Iterator[Drop]:
    """Entries that are erased under one lock because their count reached zero under another."""
    function = gaps.function
    takes = function.container_methods.takes
    lowered = [w for w in function.flow.writes if w.op in _SHRINKS and not w.fresh and gaps.sections.around(w)]
    if not lowered:
        return
    for act in [call for call in function.flow.calls if gaps.is_decided(call)]:
        if places.last_name(act.node.callee) not in takes or len(act.node.args) != 1:
            continue
        held, key = containers.container(function, places.receiver(act.node)), act.node.args[0]
        if held is None:
            continue
        looks = [one.event for one in islice(lookups.looks(function, held, key), rechecks.MOST_LOOKS)]
        if any(look in one for look in looks for one in gaps.sections.around(act) if look is not act):
            continue
        counts = [write for write in lowered if _is_of_entry(function, write, held, key)]
        if counts and (gap := gaps.before(act, counts)) is not None:
            yield Drop(held, key, gap)


def _is_of_entry(function: Function, write: e.Write, held: containers.Container, key: r.Value) -> bool:
    """Whether it writes something inside the entry of that key."""
    value: r.Value | None = write.target
    for _ in range(8):
        match places.strip(value):
            case r.Member(base=base):
                value = base
            case r.Unary(op="*" | "&", value=inner):
                value = inner
            case r.Index(base=base, indexes=(index,)):
                return held.is_same(containers.names_of(function, base)) and containers.is_same_key(
                    function, index, key
                )
            case r.Call(callee=r.Member(base=base, name="at" | "find"), args=(index,)):
                return held.is_same(containers.names_of(function, base)) and containers.is_same_key(
                    function, index, key
                )
            case r.Name(text=name) if name in function.locals and function.locals[name][1] is not None:
                value = function.locals[name][1]
            case _:
                return False
    return False
