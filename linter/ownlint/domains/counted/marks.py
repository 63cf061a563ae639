"""What attributes of a declaration say of counted references: that the result is only lent, that an argument is taken
over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.flow.places import last_name
from ownlint.project.program import Program
from ownlint.project.subjects import Function

LENDS = "lends result"
TAKES = "takes argument"
_WORDS = re.compile(r"\w++")
_BORROWED = "borrow"
"""What a mark has in its name, whoever defines it, that says so."""


def is_lender(function: Function) -> bool:
    """Whether its own declaration says that it only lends what it answers with."""
    return any(True for _ in _marks(function.program, function.name, LENDS, function.record))


def taken(function: Function) -> frozenset[int]:
    """Which arguments (from 0) its own declaration says that it takes over."""
    return _numbers(_marks(function.program, function.name, TAKES, function.record))


def call_lends(program: Program, call: r.Call) -> bool:
    """Whether what is called is declared to lend its result."""
    return isinstance(call.callee, r.Name) and any(True for _ in _marks(program, last_name(call.callee), LENDS))


def taken_by(program: Program, call: r.Call) -> frozenset[int]:
    """Which arguments (from 0) what is called is declared to take over."""
    return _numbers(_marks(program, last_name(call.callee), TAKES)) if isinstance(call.callee, r.Name) else frozenset()


def _marks(program: Program, name: str, role: str, *records: r.FunctionRecord) -> Iterator[str]:
    """The arguments of the marks of that role, of everything that is declared by the name."""
    for record in (*records, *program.index.declarations_of(name)):
        for mark in record.annotations:
            words = [
                mark.name,
                *(word for macro in program.macros.named(mark.name) for word in _WORDS.findall(macro.body)),
            ]
            if any(
                program.macros.role(word) == role or (role == LENDS and _BORROWED in word.lower()) for word in words
            ):
                yield mark.arguments


def _numbers(written: Iterator[str]) -> frozenset[int]:
    words = (word.strip() for one in written for word in one.split(","))
    return frozenset(int(word) - 1 for word in words if word.isdecimal())
