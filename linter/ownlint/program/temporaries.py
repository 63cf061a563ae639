"""Guards without a name: objects that hold a lock and end with the statement that makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.patterns import AnyName
from ownlint.program import events as e
from ownlint.program.glance import opens
from ownlint.program.guard_classes import GuardClass, guards
from ownlint.program.mutexes import mutexes
from ownlint.program.once import per_program
from ownlint.program.places import last_name
from ownlint.program.program import Program
from ownlint.program.subjects import Function

_COMMA = re.compile(rb'%b",",' % opens(r.Binary))


class Dropped(NamedTuple):
    """`call` makes a guard, or gets one from a function, and nobody keeps it."""

    call: e.Call
    guard: GuardClass | None
    """None for one that a function of the project returns."""


def dropped_guards(function: Function) -> Iterator[Dropped]:
    makers = guards(function.program).makers
    if not _may_drop(function) and makers.isdisjoint(function.record.mentions):
        return
    for call in function.flow.calls:
        if not call.dropped or call.node.kind not in ("call", "construct"):
            continue
        guard = _made(function, call.node)
        if guard is not None:
            yield Dropped(call, guard)
        elif call.dropped == "statement" and last_name(call.node.callee) in makers:
            result = function.program.callee(call.node, function).result
            if result and guards(function.program).of(result, function) is not None:
                yield Dropped(call, None)


def _made(function: Function, call: r.Call) -> GuardClass | None:
    """The class of the object that the call makes; none where a function has that name."""
    if not isinstance(call.callee, r.Name):
        return None
    written, program = call.callee.text, function.program
    guard = guards(program).of(written, function)
    if guard is None and (argument := mutexes(program).holder(written, function)):
        guard = GuardClass(written, argument)
    if guard is None or call.kind == "construct":
        return guard
    reached = program.callee(call, function).records
    return None if any(record.kind != "constructor" for record in reached) else guard


def _may_drop(function: Function) -> bool:
    """False when no statement of the body begins with a guard's construction; needs no decoding."""
    words = _words(function.program)
    if words.isdisjoint(function.record.mentions):
        return False
    return function.says(_made_at_once(words)) or function.says(_COMMA)


@per_program
def _words(program: Program) -> frozenset[str]:
    """Last names of all guards."""
    return frozenset(guards(program).words).union(mutexes(program).holders)


@lru_cache(maxsize=4)
def _made_at_once(words: frozenset[str]) -> AnyName:
    return AnyName(words, _MADE_AT_ONCE, last=True)


_MADE_AT_ONCE = re.compile(
    rb'(?:%b|%b",",|%b"void","[^"]*",|ignore"\],"=",)' % (opens(r.Evaluate), opens(r.Binary), opens(r.Cast))
    + rb'%b%b"([^"]*)"' % (opens(r.Call), opens(r.Name))
)
