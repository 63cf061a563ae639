"""Notes of what was done last: a value that outlives the call is compared with what it is then made to hold.

`if (last_ == now) return; last_ = now;`, in the function itself or in a helper that answers whether anything has
changed. What goes on from itself (a cursor, a lowest bid) is no such note: it is not compared with what it becomes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Place, Program, assignments, glance, places, questions, text, types
from ownlint import events as e
from ownlint import records as r

_COMPARES = re.compile(rb'"[!=]="|"!"')
_NAMES = (r.Name, r.Member, r.Index)
_NEAR = 64
"""So many tests before a write are looked at."""


class Note(NamedTuple):
    """`write` makes `place` hold what `test` has compared it with. `told` is the call of the helper that does both, and
    says by its answer whether anything has changed; `place` is then the caller's, `write` and `test` the helper's."""

    write: e.Write
    test: e.Test
    place: Place
    helper: Function | None = None
    told: e.CallEvent | None = None


def own_notes(function: Function) -> Iterator[Note]:
    """The notes that the function writes itself."""
    if not function.says(_COMPARES):
        return
    flow = function.flow
    writes = [event for event in flow.writes if _may_note(function, event)]
    if not writes:
        return
    about = _tests_by_word(function)
    for write in writes:
        near = _tests_before(about, write)
        if not near or _mentions(function, write.value, write.place):
            continue
        comparing = [test for test in near if _compares(function, test.value, write)]
        # `a != last_.a || b != last_.b`: the first stands before the write on every way, and whoever finds nothing new
        # goes around the work behind the last.
        if comparing and flow.dominates(comparing[0], write):
            yield from (Note(write, test, write.place) for test in comparing)


@questions.program_question
def noters(program: Program) -> frozenset[str]:
    """Names of the methods that may note something and answer whether it is new. Needs no decoding."""
    return frozenset(function.name for function in program.functions if _says_what_changed(function))


def told_notes(function: Function) -> Iterator[Note]:
    """The notes that a helper writes whose answer the function uses."""
    wanted = noters(function.program)
    if wanted.isdisjoint(function.mentioned):
        return
    for call in function.flow.calls:
        if call.dropped or call.node.kind != "call" or places.last_name(call.node.callee) not in wanted:
            continue
        callees = function.program.calls.callee(call.node, function).functions
        if len(callees) != 1 or callees[0] is function or not _says_what_changed(callees[0]):
            continue
        on = call.receiver if call.receiver is not None else (places.THIS,)
        for note in _notes_inside(callees[0]):
            if note.place[0] == places.THIS:
                yield note._replace(place=(*on, *note.place[1:]), helper=callees[0], told=call)


def _notes_inside(helper: Function) -> Iterator[Note]:
    yield from own_notes(helper)
    for inner in helper.lambdas():
        yield from own_notes(inner)


def _says_what_changed(helper: Function) -> bool:
    """Whether its answer is a bool, a number or a collection, rather than nothing or a status."""
    record = helper.record
    if record.kind != "method" or record.result in ("", "void") or "const" in record.qualifiers:
        return False
    if helper.language != "cpp" or not helper.says(_COMPARES):
        return False
    if not any(name.startswith("=") for name in helper.mentioned) and not helper.mentions("exchange"):
        return False
    kind = types.parse(record.result)
    return kind.is_value and helper.program.statuses.of(record.result, helper) is None


def _may_note(function: Function, write: e.Write) -> bool:
    if write.op != "=" or write.fresh or write.value is None:
        return False
    known = assignments.held(write.value)
    return known is None or known.kind == "copy" or (known.kind == "object" and bool(known.text))


@questions.flow_question
def _tests_by_word(function: Function) -> dict[str, list[e.Test]]:
    """The tests by the words that stand in them."""
    about: dict[str, list[e.Test]] = {}
    for test in function.flow.events:
        if isinstance(test, e.Test) and not test.asserted:
            for word in set(_words(test.value)):
                about.setdefault(word, []).append(test)
    return about


def _tests_before(about: dict[str, list[e.Test]], write: e.Write) -> list[e.Test]:
    """The tests in the text before a write in which the words of what it writes stand; the nearest of many."""
    words = list(_words(places.strip(write.value)))
    if not words or any(word not in about for word in words):
        return []
    fewest = min((about[word] for word in words), key=len)
    return fewest[: bisect_left(fewest, write.index, key=_index)][-_NEAR:]


def _index(event: e.Event) -> int:
    return event.index


def _words(value: r.Value | None) -> Iterator[str]:
    for inner in places.walk(value):
        match inner:
            case r.Name(text=word) | r.Literal(text=word) | r.Member(name=word):
                yield word


def _compares(function: Function, value: r.Value | None, write: e.Write) -> bool:
    """Whether the condition sets the place beside the very value that it is given later."""
    given = places.strip(write.value)
    if given is None:
        return False
    wanted, kind = text(given), type(given)
    place_seen = value_seen = False
    for inner in places.walk(value):
        if type(inner) is kind and text(inner) == wanted:
            value_seen = True
        elif isinstance(inner, _NAMES):
            place_seen = place_seen or assignments.place(function, inner) == write.place
        elif isinstance(inner, r.Call):
            place_seen = place_seen or _asks_about(function, inner, write.place)
    return place_seen and value_seen and not _orders(value)


def _orders(value: r.Value | None) -> bool:
    """`price < lowest_` finds the best, and notes nothing."""
    return any(isinstance(inner, r.Binary) and inner.op in ("<", ">", "<=", ">=") for inner in places.walk(value))


def _mentions(function: Function, value: r.Value | None, where: Place) -> bool:
    return any(assignments.place(function, inner) == where for inner in places.walk(value) if isinstance(inner, _NAMES))


def _asks_about(function: Function, call: r.Call, where: Place) -> bool:
    """Whether it is a short method of the project that looks at the member: `IsCurrent(now)`."""
    if not call.args or where[0] != places.THIS or len(where) != 2:
        return False
    callees = function.program.calls.callee(call, function).functions
    return (
        len(callees) == 1 and callees[0] is not function and callees[0].is_short and glance.says(callees[0], where[-1])
    )
