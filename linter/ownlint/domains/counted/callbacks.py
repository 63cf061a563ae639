"""Requests: objects of which C is given a part together with a function that gives a reference back when it is called.

`start(&job->request, on_done)`, where `on_done` finds the job by the request and counts it down: the reference that the
caller takes for it is the request's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ownlint.domains.counted.counting_ways import CountedWays
from ownlint.domains.counted.references import alternatives, arguments
from ownlint.domains.entrances import meant
from ownlint.engine.assignments import place as named_place
from ownlint.facts import records as r
from ownlint.flow.bodies import values
from ownlint.flow.places import Place, strip, walk
from ownlint.project.subjects import Function

Of = Callable[[Function], CountedWays]
"""What is asked about the references of another function."""


def requests(call: r.Call, function: Function, of: Of) -> Iterator[Place]:
    """The variables of the objects that such a call begins a request of. A call that makes something of its own kind of
    the whole object says itself what it does with that: only parts are looked at."""
    if call.kind != "call":
        return
    parts = [found for _, one in arguments(call) if (found := _whole(function, one)) is not None]
    if parts and any(_gives_back(function, one, of) for _, one in arguments(call)):
        yield from dict.fromkeys(parts)


def _whole(function: Function, value: r.Value) -> Place | None:
    """`&job->request`, `job->handle`: the variable `job`."""
    inner = strip(value)
    if isinstance(inner, r.Unary) and inner.op == "&":
        inner = strip(inner.value)
    reached = False
    while isinstance(inner, r.Member):
        reached, inner = reached or inner.arrow, strip(inner.base)
    where = named_place(function, inner) if reached and isinstance(inner, r.Name) else None
    return where if where is not None and len(where) == 1 and where[0] in function.declared else None


def _gives_back(function: Function, value: r.Value, of: Of) -> bool:
    """Whether the value is, or can be, a function that counts down an object which its argument leads to."""
    for one in alternatives(value):
        inner = strip(one)
        callback = meant(function, inner) if isinstance(inner, r.Lambda | r.Unary | r.Name) else None
        if callback is None or callback is function:
            continue
        ways = of(callback)
        led = _led_to(ways)
        for event in callback.flow.calls:
            for index, argument in arguments(event.node):
                if _is_found_by(ways, argument, led) and ways.use(event, index) == "released":
                    return True
    return False


def _led_to(ways: CountedWays) -> frozenset[str]:
    """The locals that come out of a pointer which the function is given: by members, offsets, casts, look-ups."""
    callback = ways.function
    led = {one.name for one in callback.record.parameters if "*" in one.type}
    for statement in callback.statements:
        if isinstance(statement, r.Declare) and statement.value is not None and _leads(ways, statement.value, led):
            led.update(statement.names)
        for inner in (inner for value in values(statement) for inner in walk(value)):
            target = strip(inner.target) if isinstance(inner, r.Assign) and inner.op == "=" else None
            if isinstance(inner, r.Assign) and isinstance(target, r.Name) and _leads(ways, inner.value, led):
                led.add(target.text)
    return frozenset(led)


def _is_found_by(ways: CountedWays, argument: r.Value, led: frozenset[str]) -> bool:
    """Whether the argument is one of the locals, or is found by one there: what the function is given is a part, and
    nothing that is counted."""
    where = named_place(ways.function, strip(argument))
    if where is not None:
        return where[0] in led and all(where[0] != one.name for one in ways.function.record.parameters)
    return _leads(ways, argument, set(led))


def _leads(ways: CountedWays, value: r.Value, led: set[str]) -> bool:
    """Whether the value says one of the names, and no call in it makes an object."""
    inside = list(walk(value))
    return any(isinstance(inner, r.Name) and inner.text in led for inner in inside) and not any(
        isinstance(inner, r.Call) and _may_make(ways, inner) for inner in inside
    )


def _may_make(ways: CountedWays, call: r.Call) -> bool:
    known, summary = ways.references, ways.summary_at(call)
    if known.source(call, ways.function).kind == "new" or (summary is not None and summary.result == "new"):
        return True
    return known.is_library(call, ways.function)
