"""Exits that lose something, in words: how a path comes there, and where to release it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ownlint.domains import failure
from ownlint.domains.memory.owed import is_part_of
from ownlint.facts import records as r
from ownlint.finding import Step
from ownlint.flow import events as e
from ownlint.project.subjects import Function

_MOST = 3
"""So many of several exits have a step of their own; where there is one more, that has, too."""

_JUMPS = {"break": "breaks out", "continue": "continues"}


def shown(exits: Sequence[e.Event]) -> tuple[int, Sequence[e.Event]]:
    """How many of them have a step each, and the others."""
    count = _MOST if len(exits) > _MOST + 1 else len(exits)
    return count, exits[count:]


def further(function: Function, others: Sequence[e.Event], lost: str) -> Iterator[Step]:
    """The step for all exits that have none of their own, at the first of them."""
    if others:
        says = f"the first of {len(others)} more exits that do not release {lost}"
        yield function.step(_leave(function, others[0]) or others[0], says, aside=True)


def steps(
    function: Function,
    at: e.Event,
    lost: str,
    trail: Sequence[e.Event] = (),
    *,
    alone: bool = True,
    acquired: e.Event | None = None,
) -> Iterator[Step]:
    """How a path comes to the exit that loses it. Of several exits each says in one sentence when it is taken."""
    turn = function.turn(at, trail)
    if not alone:
        step = _left_without(function, at, lost)
        clause = failure.decided(function, turn, acquired)
        when = f"if {clause}, " if clause else ""
        after = f" after `goto {turn.jump.label}`" if turn.jump is not None else ""
        yield Step(step.path, step.span, when + step.message + after, step.role, aside=True)
        return
    cause = failure.deciding(function, turn)
    outcome = turn.outcome
    if cause is not None and turn.asked is not None and is_part_of(cause.node, turn.asked):
        outcome = failure.decided(function, turn)
    elif cause is not None and cause is not acquired and not failure.is_like(cause, acquired):
        does = "return NULL" if turn.clause.endswith(" is NULL") else "fail"
        yield function.step(cause, f"{failure.work(function, cause)} can {does} here", "turn")
    if turn.asked is not None:
        yield function.step(turn.asked, f"{outcome} on this path", "turn")
    if turn.jump is not None:
        yield function.step(turn.jump, f"this jumps to `{turn.jump.label}`", "turn")
    yield _left_without(function, at, lost)


def _left_without(function: Function, at: e.Event, lost: str) -> Step:
    """The step that loses it: an exit of the function, a jump out of the block that has it, or the end of that."""
    leave = _leave(function, at)
    if leave is not None:
        leaves = _JUMPS.get(leave.kind, f"jumps to `{leave.label}`" if leave.label else "returns")
        return function.step(leave, f"this {leaves} without releasing {lost}")
    if not isinstance(at, e.End):
        return function.step(at, f"this {'throws' if throws(function, at) else 'returns'} without releasing {lost}")
    last = function.body[-1].end if function.body else -1
    what = "iteration" if ends_iteration(function, at) else "function" if at.span.start == last else "block"
    return function.step(at, f"the {what} ends without releasing {lost}")


def ends_iteration(function: Function, at: e.Event) -> bool:
    """Whether a path comes to the end of the body of a loop there, and not out of it."""
    if not isinstance(at, e.End) or _leave(function, at) is not None:
        return False
    return any(
        isinstance(one, r.Loop) and one.body and abs(one.end - at.span.end) <= 1 and one.body[-1].end <= at.span.start
        for one in function.statements
    )


def _leave(function: Function, at: e.Event) -> r.Leave | None:
    """The statement by which a path leaves the block of a local, or goes elsewhere."""
    if isinstance(at, e.LeaveEvent):
        return None
    ends = (at.span.start,) if isinstance(at, e.End) else (at.span.start, at.span.end)
    found = (one for one in function.statements if isinstance(one, r.Leave) and {one.start, one.end} & {*ends})
    return next(found, None)


def before_exits(function: Function, exits: Sequence[e.Event]) -> str:
    """Where to release it, for a help."""
    if len(exits) > 1:
        which = f"the {len(exits)}" if shown(exits)[1] else "these"
        return f"before each of {which} exits"
    leave, only = _leave(function, exits[0]), exits[0]
    if leave is not None:
        return f"before this `{leave.kind}`"
    if isinstance(only, e.End):
        return f"before this {'iteration' if ends_iteration(function, only) else 'block'} ends"
    return "before this throws" if throws(function, only) else "before this return"


def throws(function: Function, at: e.Event) -> bool:
    """Whether an exit is a `throw`, or a macro that leaves by one."""
    return isinstance(at, e.LeaveEvent) and (
        at.kind == "throw" or bool(at.via and function.program.macros.throws(at.via))
    )
