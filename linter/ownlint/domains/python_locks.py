"""Locks of Python: which names stand for one, and which `with` takes which.

A name stands for a lock where the project gives it one that a model knows (`self._lock = threading.Lock()`), or says so
itself. What another `with` does by the name of a lock (`with self.lock_of(key):`) is a lock that is not compared
with any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ownlint.engine import glance
from ownlint.engine.assignments import place
from ownlint.facts import records as r
from ownlint.flow.places import Place, last_name, strip
from ownlint.patterns import AnyName
from ownlint.project.pairs import words
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_question
from ownlint.project.subjects import Function

_SAYS_LOCK = frozenset({"lock", "locks", "rlock", "mutex", "mutexes", "locked", "synchronized", "synchronised"})
_WITH = re.compile(glance.opens(r.With))
_BY_HAND = re.compile(rb'"acquire"')


class Contexts(NamedTuple):
    """The locks that the `with` statements of a function take."""

    taken: Mapping[tuple[int, int], Place]
    """By where the expression stands that gives it."""
    ended: Mapping[Place, Place]
    """By what a flow says that ends with the block."""


def takings(function: Function) -> int:
    """How often the body may take a lock. Needs no decoding."""
    body = function.encoded
    by_hand = len(_BY_HAND.findall(body)) if function.mentions("acquire") else 0
    return by_hand + len(_WITH.findall(body))


def is_lock(function: Function, value: r.Value | None) -> bool:
    """Whether an expression stands for a lock: a name, a member, or an element of a table of locks."""
    where = place(function, value) if not isinstance(strip(value), r.Call) else None
    name = next((step for step in reversed(where or ()) if not step.startswith("[")), "")
    return bool(name) and (not _SAYS_LOCK.isdisjoint(words(name)) or name in names(function.program))


def is_decorated(function: Function) -> bool:
    """Whether a decorator says that a lock is held in all of the function: `@synchronized`."""
    return any(not _SAYS_LOCK.isdisjoint(words(one.name.rpartition(".")[2])) for one in function.record.annotations)


@flow_question
def contexts(function: Function) -> Contexts:
    """What the function's `with` statements take."""
    taken: dict[tuple[int, int], Place] = {}
    ended: dict[Place, Place] = {}
    for statement in function.statements:
        for item in statement.items if isinstance(statement, r.With) else ():
            inner = strip(item.value)
            where = place(function, inner)
            alone: Place = (f"<with {item.start}>",)
            if isinstance(inner, r.Call):
                where = None if _SAYS_LOCK.isdisjoint(words(last_name(inner.callee))) else alone
            elif not is_lock(function, inner):
                where = None
            if where is not None:
                taken[item.value.start, item.value.end] = where
                end = item.target if item.target is not None else item.value
                ended[place(function, end) or alone] = where
    return Contexts(taken, ended)


@program_question
def names(program: Program) -> frozenset[str]:
    """Last names of the attributes and variables that are given a lock somewhere in the project."""
    known = program.models.python_locks
    last = AnyName({name.rpartition(".")[2] for name in known})
    return frozenset(
        name
        for function in program.saying(last)
        if function.language == "python" and known
        for name in _given_locks(function, known)
    )


def _given_locks(function: Function, known: frozenset[str]) -> Iterator[str]:
    for statement in function.statements:
        value = statement.value if isinstance(statement, r.Evaluate) else None
        while isinstance(value, r.Assign):
            if isinstance(value.target, r.Name | r.Member) and _makes_lock(function, value.value, known):
                yield last_name(value.target)
            value = value.value


def _makes_lock(function: Function, value: r.Value, known: frozenset[str]) -> bool:
    """`Lock()`, `lock or Lock()`, `field(default_factory=Lock)`."""
    match strip(value):
        case r.Call(callee=callee, args=args):
            if function.program.names.named(function.file, callee) in known:
                return True
            makers = (one.value for one in args if isinstance(one, r.Pair) and last_name(one.key) == "default_factory")
            return any(function.program.names.named(function.file, one) in known for one in makers)
        case r.Binary(op="||", left=left, right=right) | r.Conditional(then=left, other=right):
            return _makes_lock(function, left, known) or _makes_lock(function, right, known)
    return False
