"""Guards without a name: objects that hold a lock and end with the statement that makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ownlint import Function, Program, glance, guard_classes, mutexes, patterns, places, questions
from ownlint import events as e
from ownlint import records as r

_COMMA = re.compile(rb'%b",",' % glance.opens(r.Binary))


class Dropped(NamedTuple):
    """`call` makes a guard, or gets one from a function, and nobody keeps it."""

    call: e.CallEvent
    guard: guard_classes.GuardClass | None
    """None for one that a function of the project returns."""


def dropped_guards(function: Function) -> Iterator[Dropped]:
    makers = guard_classes.guards(function.program).makers
    if not _may_drop(function) and makers.isdisjoint(function.mentioned):
        return
    for call in function.flow.calls:
        if not call.dropped or call.node.kind not in ("call", "construct"):
            continue
        guard = _made(function, call.node)
        if guard is not None:
            yield Dropped(call, guard)
        elif call.dropped == "statement" and places.last_name(call.node.callee) in makers:
            result = function.program.calls.callee(call.node, function).result
            if result and guard_classes.guards(function.program).of(result, function) is not None:
                yield Dropped(call, None)


def _made(function: Function, call: r.Call) -> guard_classes.GuardClass | None:
    """The class of the object that the call makes; none where a function has that name, and in C, which has no
    destructors."""
    if not isinstance(call.callee, r.Name) or function.file.is_c:
        return None
    written, program = call.callee.text, function.program
    guard = guard_classes.guards(program).of(written, function)
    if guard is None:
        guard = mutexes.mutexes(program).holder(written, function)
    if guard is None or call.kind == "construct":
        return guard
    reached = program.calls.callee(call, function).records
    return None if any(record.kind != "constructor" for record in reached) else guard


def _may_drop(function: Function) -> bool:
    """False when no statement of the body begins with a guard's construction; needs no decoding."""
    words = _words(function.program)
    if words.isdisjoint(function.mentioned):
        return False
    return function.says(_made_at_once(words)) or function.says(_COMMA)


@questions.program_question
def _words(program: Program) -> frozenset[str]:
    """Last names of all guards."""
    return frozenset(guard_classes.guards(program).words).union(mutexes.mutexes(program).holders)


@lru_cache(maxsize=4)
def _made_at_once(words: frozenset[str]) -> patterns.AnyName:
    return patterns.AnyName(words, _MADE_AT_ONCE, last=True)


_MADE_AT_ONCE = re.compile(
    rb'(?:%b|%b",",|%b"void","[^"]*",|ignore"\],"=",)'
    % (glance.opens(r.Evaluate), glance.opens(r.Binary), glance.opens(r.Cast))
    + rb'%b%b"([^"]*)"' % (glance.opens(r.Call), glance.opens(r.Name))
)
