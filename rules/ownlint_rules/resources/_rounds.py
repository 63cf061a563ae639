"""Loops that release what a local container holds, one element in each round, and that a failure leaves before the last
round: the rest is never released.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint import Certainty, Function, because, bodies, failure, pairs, places, resources, text, types
from ownlint import events as e
from ownlint import records as r

_LOOPS = re.compile(rb'"(?:range|for)"')
_WALKS = frozenset({"begin", "cbegin", "rbegin"})


class LeftEarly(NamedTuple):
    """`leave` ends the loop over `container` when `test` comes out so; `release` is made in each round."""

    container: str
    leave: r.Leave
    release: r.Call
    test: e.Test
    certainty: Certainty


def left_early(function: Function) -> Iterator[LeftEarly]:
    """In source order, one for a loop."""
    if function.language != "cpp" or not _may_release(function):
        return
    for loop in function.statements:
        if isinstance(loop, r.Loop) and (found := _in_loop(function, loop)) is not None:
            yield found


def _may_release(function: Function) -> bool:
    """False when it has no loop that ends elements. Needs no decoding."""
    if not function.says(_LOOPS):
        return False
    return function.mentions("delete") or any(pairs.releasing_verb(name) for name in function.mentioned)


def _in_loop(function: Function, loop: r.Loop) -> LeftEarly | None:
    ways = list(_ways_out(loop.body, None))
    if not ways:
        return None
    made = list(_in_each_round(loop.body))
    for call in made:
        container = _released_element(function, loop, call)
        if not container or any(_takes_element(function, loop, one, container) for one in made):
            continue
        for leave, branch, outcome in ways:
            failed = _failing_test(function, branch, outcome)
            if failed is None or _says(branch.then if outcome else branch.other, container):
                continue
            if failed[0].span.start in call.span or _is_released_later(function, loop, leave, failed, container):
                continue
            sure = because("path", "on the path where the loop exits early")
            return LeftEarly(container, leave, call, failed[0], sure)
    return None


def _ways_out(
    body: Sequence[r.Statement], around: tuple[r.Branch, bool] | None
) -> Iterator[tuple[r.Leave, r.Branch, bool]]:
    """The statements that leave a loop under a condition, and the nearest one."""
    for statement in body:
        if isinstance(statement, r.Leave) and statement.kind in ("break", "return") and around is not None:
            yield statement, *around
        elif isinstance(statement, r.Branch):
            yield from _ways_out(statement.then, (statement, True))
            yield from _ways_out(statement.other, (statement, False))
        elif isinstance(statement, r.Block):
            yield from _ways_out(statement.body, around)


def _in_each_round(body: Sequence[r.Statement]) -> Iterator[r.Call]:
    """The calls that a round makes which nothing ends before: those under no condition."""
    for statement in body:
        match statement:
            case r.Evaluate(value=value) | r.Branch(condition=value):
                yield from places.calls_in(value)
            case r.Declare(value=value) if value is not None:
                yield from places.calls_in(value)
            case r.Block(body=inner):
                yield from _in_each_round(inner)


def _released_element(function: Function, loop: r.Loop, call: r.Call) -> str:
    """The local container whose element the call ends; empty where it ends something else."""
    given = [places.receiver(call), *call.args]
    walked = [_container_of(function, loop, value) for value in given]
    if not any(walked):
        return ""
    for ended in resources.resources(function.program).released(call, function):
        index = 0 if ended.where.kind == "receiver" else ended.where.index + 1
        if index < len(given) and walked[index]:
            return walked[index]
    return ""


def _takes_element(function: Function, loop: r.Loop, call: r.Call, container: str) -> bool:
    """Whether the round itself takes what it releases: `one->Ref(); ...; one->Unref();`."""
    if not pairs.takes(places.last_name(call.callee)):
        return False
    return any(_container_of(function, loop, value) == container for value in (places.receiver(call), *call.args))


def _container_of(function: Function, loop: r.Loop, value: r.Value | None) -> str:
    """The local container of which the value is the element of this round: by a range, an index or an iterator."""
    match places.strip(value):
        case r.Name(text=name) if loop.kind == "range":
            target, walked = places.strip(loop.target), places.strip(loop.iterable)
            is_element = isinstance(target, r.Name) and target.text == name
            return walked.text if is_element and isinstance(walked, r.Name) and _holds(function, walked.text) else ""
        case r.Index(base=r.Name(text=name), indexes=(r.Name(text=index),)) if _steps(loop, index):
            return name if _holds(function, name) else ""
        case r.Unary(op="*", value=r.Name(text=iterator)) if _steps(loop, iterator):
            bound = places.strip(function.locals.get(iterator, ("", None))[1])
            match bound:
                case r.Call(callee=r.Member(base=r.Name(text=name), name=begin)) if begin in _WALKS:
                    return name if _holds(function, name) else ""
    return ""


def _steps(loop: r.Loop, name: str) -> bool:
    """Whether the loop's head counts the name."""
    return any(isinstance(inner, r.Name) and inner.text == name for inner in places.walk(loop.step))


def _holds(function: Function, name: str) -> bool:
    """Whether a local is a container of bare pointers or handles, which nobody else has a share in."""
    written = function.locals.get(name, ("", None))[0]
    if not written or "&" in written or name in {parameter.name for parameter in function.record.parameters}:
        return False
    if written.rstrip().endswith("]"):
        return "*" in written
    kind = types.parse(written)
    if kind.pointers or "container" not in function.program.types.roles(written, function):
        return False
    scope = function.record.scope
    return not resources.resources(function.program).owns_elements(written, function.file, scope)


def _failing_test(function: Function, branch: r.Branch, outcome: bool) -> tuple[e.Test, bool] | None:
    """The test of the branch by which something has failed on that side, and how it comes out then."""
    asked = {value.span: truth for value, truth in _parts(branch.condition, outcome)}
    tests = (event for event in function.flow if isinstance(event, e.Test) and event.span in asked)
    failing = ((test, asked[test.span]) for test in tests)
    return next((one for one in failing if failure.failing(function, *one)[1] is not None), None)


def _parts(condition: r.Value, outcome: bool) -> Iterator[tuple[r.Value, bool]]:
    """What a condition is made of, and what each part may come to where the whole comes out so."""
    match places.strip(condition):
        case r.Unary(op="!", value=inner):
            yield from _parts(inner, not outcome)
        case r.Binary(op="&&" | "||", left=left, right=right):
            yield from _parts(left, outcome)
            yield from _parts(right, outcome)
        case None:
            return
        case inner:
            yield inner, outcome


def _is_released_later(
    function: Function, loop: r.Loop, leave: r.Leave, failed: tuple[e.Test, bool], container: str
) -> bool:
    """Whether something behind the loop, where the failure may lead, still says the container."""
    if leave.kind == "return":
        return False
    test, outcome = failed
    asked = text(test.value)
    for event in function.flow:
        if event.span.start < loop.end or not _says_in(event, container):
            continue
        if not any(text(one.value) == asked and other != outcome for one, other in function.flow.guards(event)):
            return True
    return False


def _says(body: Sequence[r.Statement], name: str) -> bool:
    """Whether statements of a branch name the container: they see to it."""
    return any(
        isinstance(inner, r.Name) and inner.text == name
        for statement in bodies.statements(tuple(body))
        for value in bodies.values(statement)
        for inner in places.walk(value)
    )


def _says_in(event: e.Event, name: str) -> bool:
    value = event.node if isinstance(event, e.CallEvent) else getattr(event, "value", None)
    return any(isinstance(inner, r.Name) and inner.text == name for inner in places.walk(value))
