"""What functions put into members: by assignments, by calls that take a reference over, and into containers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, events, glance, places, questions, references
from ownlint import records as r


class PutMember(NamedTuple):
    """At `at`, `value` is put into `into`, with its reference if `adopted`. `inside`: as an element of the container
    that stands there."""

    at: events.Event
    into: r.Value | None
    value: r.Value
    adopted: bool = False
    inside: bool = False


@questions.flow_question
def stores(function: Function) -> list[PutMember]:
    """In the order in which they stand; NULL is nothing."""
    known = references.references(function.program)
    found = (one for event in function.flow for one in _stored(function, event, known))
    return [one for one in found if isinstance(one.into, r.Member) and not known.is_null(one.value, function)]


def put(program: Program, path: str, member: str) -> Iterator[tuple[Function, r.Value]]:
    """What the functions of the file put into members of that name, and which."""
    for function in program.functions_in(path):
        for one in stores(function) if function.language == "cpp" and glance.says(function, member) else ():
            if places.last_name(one.into) == member and not one.inside:
                yield function, one.value


def _stored(function: Function, event: events.Event, known: references.References) -> Iterator[PutMember]:
    match event:
        case events.Write(fresh=False, target=target, value=value) if value is not None:
            yield PutMember(event, places.strip(target), value)
        case events.CallEvent(node=node):
            for given, where in known.adopted(node, function):
                yield PutMember(event, places.strip(where), given, adopted=True)
            containers, on = function.program.models.containers, places.receiver(node)
            is_put = on is not None and places.last_name(node.callee) in containers.keyed | containers.appends
            if is_put and (value := _element(function, node, known)) is not None:
                yield PutMember(event, places.strip(on), value, inside=True)


def _element(function: Function, call: r.Call, known: references.References) -> r.Value | None:
    """What is put into a container: `self->cache->emplace(key, value)`, `insert({key, value})`."""
    given = call.args[-1] if call.args else None
    while isinstance(inner := places.strip(given), r.Call | r.Aggregate):
        parts = inner.args if isinstance(inner, r.Call) else inner.items
        if isinstance(inner, r.Call) and (len(parts) != 2 or known.source(inner, function).kind == "new"):
            break
        given = parts[-1] if parts else None
    return given
