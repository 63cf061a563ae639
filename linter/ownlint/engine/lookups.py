"""Who has asked a map about a key before an insert: the function itself, a helper it calls, those who call it.

An answer that only an assertion reads is none in a release build; one that changes nothing is none either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint.engine.containers import (
    Container,
    container,
    element,
    entry,
    is_same_key,
    made_from,
    names_of,
    origins,
)
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Step
from ownlint.flow import events as e
from ownlint.flow.places import last_name, receiver, strip, walk
from ownlint.project import pairs, types
from ownlint.project.questions import Answers, flow_question
from ownlint.project.subjects import Function

_HELPERS = 2
"""How many calls deep a helper may look."""
_ENDS = re.compile(
    r"abort|assert|check|crash|die|exit|fail|fatal|panic|raise|terminate|throw|unreachable", re.IGNORECASE
)
"""What is called like this and not defined here is not taken for a mere warning."""
_THROWS = re.compile(rb'"throw"')
_CALLERS = 2
"""How many calls up somebody may have looked."""


class Look(NamedTuple):
    """The map is asked about a key, or the key is taken out."""

    event: e.Event
    asserted: bool
    through: str = ""
    """The helper that does it."""


class Answer(NamedTuple):
    """Who looked: everybody, assertions alone, some who change nothing (`told`), some ways (`partly`), nobody."""

    kind: OneOf["guarded", "asserted", "told", "partly", "bare"]
    steps: tuple[Step, ...] = ()

    @property
    def is_mixed(self) -> bool:
        """Whether some callers look, and others do not."""
        return self.kind == "bare" and len(self.steps) > 1


# --- looks of one function ------------------------------------------------------------------------


def looks(function: Function, held: Container, key: r.Value | None, depth: int = 0) -> Sequence[Look]:
    """Where the function asks the map about the key or takes it out, itself or through a helper; every
    key counts when `key` is None. In source order."""
    of_any = _of_any_key(function).ask(
        (held.names, depth), lambda: tuple(_looks_at(function.flow, function, held, None, depth))
    )
    if key is None or not of_any:
        return of_any
    return tuple(_looks_at((look.event for look in of_any), function, held, key, depth))


@flow_question
def _of_any_key(function: Function) -> Answers[tuple[tuple[str, ...], int], tuple[Look, ...]]:
    """By the names of a map, and how deep in helpers the function is asked: one that registers hundreds is asked about
    each of their keys."""
    return Answers()


def _looks_at(
    some: Iterable[e.Event], function: Function, held: Container, key: r.Value | None, depth: int
) -> Iterator[Look]:
    asserted = _assertions(function)
    for event in some:
        found: Look | None = None
        match event:
            case e.CallEvent():
                found = _call_looks(function, event, held, key, depth)
            case e.Read(node=node) if (asked := _memberships(function).get((node.start, node.end))) is not None:
                if held.is_same(names_of(function, node)) and (key is None or is_same_key(function, asked, key)):
                    found = Look(event, False)
            case e.Read(node=node) if (
                not _is_written_through(function, node) and (at := _read_of(function, node)) is not None
            ):
                if at[0].is_same(held.names) and (key is None or is_same_key(function, at[1], key)):
                    found = Look(event, False)
        if found is None or (not found.through and _is_unheard(function, event)):
            continue
        inside = (
            found.asserted
            or any(event.span.start in span for span in asserted)
            or function.is_of_debug_build(event.span)
        )
        yield found._replace(asserted=inside or _only_asserted(function, event))


@flow_question
def _memberships(function: Function) -> dict[tuple[int, int], r.Value]:
    """What is looked for in a container of Python, by where the container stands: `key in table`."""
    if function.language != "python":
        return {}
    return {
        (value.right.start, value.right.end): value.left
        for value in function.values
        if isinstance(value, r.Binary) and value.op in ("in", "not in")
    }


def membership(function: Function, event: e.Event) -> r.Value | None:
    """What is looked for where a container is read for it: `key` of `key in table`."""
    return _memberships(function).get((event.span.start, event.span.end)) if isinstance(event, e.Read) else None


def _assertions(function: Function) -> list[r.Span]:
    return [event.span for event in function.flow if isinstance(event, e.Test) and event.asserted]


def _read_of(function: Function, node: r.Value) -> tuple[Container, r.Value] | None:
    """The map and the key, where an entry or a member of it is read."""
    while isinstance(node, r.Member | r.Unary | r.Cast):
        node = node.base if isinstance(node, r.Member) else node.value
    if isinstance(node, r.Index) or (isinstance(node, r.Name) and node.text in function.locals):
        at = element(function, node)
        if at is not None and not (isinstance(node, r.Index) and binds_reference(function, node)):
            return at
    return None


def _is_written_through(function: Function, node: r.Value) -> bool:
    """`slot` of `*slot = value`, which looks at nothing."""
    return isinstance(node, r.Name) and node.start in _written_through(function)


@flow_question
def _written_through(function: Function) -> frozenset[int]:
    """Where the names stand in what is written through: `slot` of `*slot = value`."""
    return frozenset(
        one.start
        for write in function.flow.writes
        if isinstance(write.target, r.Unary) and write.target.op == "*"
        for one in walk(write.target)
        if isinstance(one, r.Name)
    )


def binds_reference(function: Function, node: r.Value) -> bool:
    """`auto& slot = map[key];` and `auto* slot = &map[key];` look at nothing yet."""
    return any(bound.start <= node.start < bound.end for bound in _bound(function))


@flow_question
def _bound(function: Function) -> tuple[r.Value, ...]:
    """What the references of the function are bound to."""
    return tuple(
        statement.value
        for statement in function.statements
        if isinstance(statement, r.Declare) and statement.value is not None
        if statement.type.endswith("&") or (isinstance(statement.value, r.Unary) and statement.value.op == "&")
    )


def _call_looks(
    function: Function, event: e.CallEvent, held: Container, key: r.Value | None, depth: int
) -> Look | None:
    node = event.node
    name = last_name(node.callee)
    base = receiver(node)
    methods = function.container_methods
    if (
        base is not None
        and name in methods.looks | methods.takes | methods.keyed
        and held.is_same(names_of(function, base))
    ):
        if _is_only_bound(function, node, held):
            return None
        if name in methods.clears or key is None or not node.args:
            return Look(event, event.asserted)
        asked = entry(node)[:1] if name in methods.keyed else node.args
        return Look(event, event.asserted) if any(is_same_key(function, argument, key) for argument in asked) else None
    helpers = function.program.calls.callee(node, function).functions if depth < _HELPERS else ()
    for helper in helpers:
        if helper is not function and (look := _helper_looks(function, event, helper, held, key, depth)) is not None:
            return look
    return None if helpers else _stranger_looks(function, event, held, key)


def _is_only_bound(function: Function, call: r.Call, held: Container) -> bool:
    """Whether a method finds a place in a container that has several entries under one key, and says nothing of the key
    itself: `queue.upper_bound(now)`. The models say which methods of such a container look for a key."""
    if last_name(call.callee) not in function.container_methods.finds:
        return False
    if "multiple" not in function.program.types.roles_at(held.type, function.file, function.record.scope):
        return False
    models = function.program.calls.callee(call, function).models
    return not any(effect.verb == "find" for model in models for effect in model.effects)


def _stranger_looks(function: Function, event: e.CallEvent, held: Container, key: r.Value | None) -> Look | None:
    """`find_or_null(map, key)`, which the project does not define."""
    args = event.node.args
    handed = [argument for argument in args if held.is_same(names_of(function, argument))]
    others = [argument for argument in args if argument not in handed]
    if not handed or not others:
        return None
    if key is None or any(is_same_key(function, argument, key) for argument in others):
        return Look(event, event.asserted, last_name(event.node.callee))
    return None


def _helper_looks(
    function: Function, event: e.CallEvent, helper: Function, held: Container, key: r.Value | None, depth: int
) -> Look | None:
    inner = None
    for parameter, argument in zip(helper.record.parameters, event.node.args, strict=False):
        if key is not None and parameter.name and is_same_key(function, argument, key):
            inner = r.Name(0, 0, parameter.name)
    if key is not None and inner is None and not helper.mentions("clear"):
        return None
    inside = _handed_down(function, event.node, helper, held)
    methods = function.container_methods
    found = [look for look in looks(helper, inside, inner, depth + 1) if not _is_call_of(look, methods.keyed)]
    if not found:
        return None
    if (
        event.dropped == "statement"
        and helper.record.result not in ("", "void")
        and not helper.mentions_any(methods.takes)
        and not helper.says(_THROWS)
    ):
        return None
    return Look(event, event.asserted or all(look.asserted for look in found), helper.name)


def _is_call_of(look: Look, names: frozenset[str]) -> bool:
    return isinstance(look.event, e.CallEvent) and last_name(look.event.node.callee) in names


def _is_unheard(function: Function, event: e.Event) -> bool:
    """A question whose answer is thrown away."""
    if isinstance(event, e.CallEvent):
        methods = function.container_methods
        return bool(event.dropped) and last_name(event.node.callee) in methods.looks | methods.keyed
    return function.is_voided(event.span)


def _only_asserted(function: Function, event: e.Event) -> bool:
    """The answer goes to locals that only assertions read: `bool fresh = m.count(k) == 0; assert(fresh);`."""
    names = held_by(function, event)
    return bool(names) and asserting_read(function, names) is not None


def held_by(function: Function, event: e.Event) -> tuple[str, ...]:
    """The locals that begin with the outcome of the event; of `auto [at, fresh]` the one that says if it is new."""
    names = [
        write.place[0]
        for write in function.flow.writes
        if write.fresh and write.value is not None and len(write.place) == 1
        if write.value.start <= event.span.start < write.value.end
    ]
    parts = next((function.bound[name] for name in names if name in function.bound), ())
    return tuple(name for name in names if len(parts) != 2 or name != parts[0])


def asserting_read(function: Function, names: tuple[str, ...]) -> e.Read | None:
    """The first of the reads of these locals, when assertions are all that reads them."""
    asserted = _assertions(function)
    first: e.Read | None = None
    for event in function.flow:
        if not isinstance(event, e.Read) or event.place[0] not in names or event.place[1:2] == ("first",):
            continue
        if any(event.span.start in span for span in asserted):
            first = first or event
        elif not function.is_voided(event.span):
            return None
    return first


# --- who looked -----------------------------------------------------------------------------------


def who_looked(
    function: Function, event: e.Event, held: Container, key: r.Value | None, depth: int = _CALLERS
) -> Answer:
    """What every way to `event` has asked the map about the key: in this function, else in those who call it."""
    found = [look for look in looks(function, held, key) if look.event is not event]
    real = [look.event for look in found if not look.asserted]
    telling = [look for look in real if _only_tells(function, look, event)]
    deciding = {look.index for look in real if look not in telling}
    if deciding and function.flow.always_before(event, lambda before: before.index in deciding):
        return Answer("guarded")
    if any(_shares_conditions(function, function.flow.events[look], event) for look in sorted(deciding)):
        return Answer("guarded")
    asserted = [look for look in found if look.asserted and _comes_before(function, look.event, event)]
    if asserted:
        return Answer("asserted", (function.step(asserted[0].event, _said(function, asserted[0])),))
    if telling:
        return Answer("told", (function.step(telling[0], "the result of this check changes nothing"),))
    outer = _ask_around(function, held, key, depth)
    if outer.kind == "bare" and deciding:
        seen = function.flow.events[min(deciding)]
        return Answer("partly", (function.step(seen, "not every path makes this check"),))
    return outer


def _comes_before(function: Function, look: e.Event, event: e.Event) -> bool:
    """On every way to the event; the two sides of `#ifdef NDEBUG` are two ways."""
    return function.flow.dominates(look, event) or (
        function.is_of_debug_build(look.span) and event in function.flow.after(look)
    )


def _said(function: Function, look: Look) -> str:
    if function.is_of_debug_build(look.event.span):
        return "only debug builds check here"
    where = f" in `{look.through}`" if look.through else ""
    return f"only an assertion{where} checks for an existing entry"


def _only_tells(function: Function, look: e.Event, event: e.Event) -> bool:
    """`if (map.count(key)) warn("twice");`: both outcomes go on to the insert, and what they do in between
    touches neither the entry nor anything else that lasts."""
    flow = function.flow
    tests = [test for test in flow if isinstance(test, e.Test) and not test.asserted]
    test = next((t for t in tests if look.span.start in t.value.span), None)
    if test is None:
        return False
    ways = [flow.after(test, lambda other: other is test, branch=outcome) for outcome in (True, False)]
    if any(event not in way for way in ways):
        return False
    apart = [other for one, two in (ways, ways[::-1]) for other in one if other not in two]
    return all(_touches_nothing(function, other) for other in apart)


def _touches_nothing(function: Function, event: e.Event) -> bool:
    """A mark, a read, the end of a local, or a call that logs or is handed literals alone. One that may
    end the program, or is called as if it did, is none of these."""
    match event:
        case e.CallEvent(node=node, receiver=None):
            name = last_name(node.callee)
            if function.program.macros.role(name) == "log":
                return True
            told = all(isinstance(inner, r.Literal) for argument in node.args for inner in walk(argument))
            return told and not _may_not_return(function, node)
        case e.Mark() | e.End() | e.Read():
            return True
    return False


def _may_not_return(function: Function, call: r.Call) -> bool:
    callee = function.program.calls.callee(call, function)
    if any("noreturn" in annotation.name for record in callee.records for annotation in record.annotations):
        return True
    if callee.functions:
        return any(leave.kind == "throw" for made in callee.functions for leave in made.flow.leaves)
    return bool(_ENDS.search(last_name(call.callee)))


def _shares_conditions(function: Function, look: e.Event, event: e.Event) -> bool:
    """The look stands behind a condition, and the insert behind the same one: `if (k) find(k); if (k) insert(k);`."""

    def conditions(at: e.Event) -> set[tuple[str, bool]]:
        return {
            (text(test.value), outcome)
            for test, outcome in function.flow.guards(at)
            if not test.asserted and look.span.start not in test.value.span
        }

    behind = conditions(look)
    return bool(behind) and look.index < event.index and behind <= conditions(event)


def is_in(function: Function, event: e.Event, held: Container, key: r.Value) -> bool:
    """Whether the key is in the map there: a function was asked before that answers with the entry, or throws."""
    return any(
        look.through
        and not look.asserted
        and isinstance(look.event, e.CallEvent)
        and function.flow.dominates(look.event, event)
        and any(
            one.says(_THROWS) and types.parse(one.record.result).name not in ("", "void", "bool")
            for one in function.program.calls.callee(look.event.node, function).functions
        )
        for look in looks(function, held, key)
    )


# --- callers --------------------------------------------------------------------------------------


def callers_look(function: Function, held: Container, key: r.Value | None) -> bool:
    """Whether all who call the function have looked, or hand in a key that they have just made."""
    if _ask_around(function, held, key, _CALLERS).kind == "guarded":
        return True
    handed = [_handed_key(function, call.node, key) for _, call, _ in handing(function, held)]
    callers = [caller for caller, _, _ in handing(function, held)]
    written = function.program.types.of(strip(key), function) if key is not None else ""
    if key is not None and "string" in function.program.types.roles(written, function):
        made = (strip(one) for one in made_from(function, key))
        if any(isinstance(one, r.Member) for one in made):
            return False  # the name of an object is not counted, whatever else of the object is
    return bool(callers) and all(
        one is not None and is_counted(caller, one) for caller, one in zip(callers, handed, strict=True)
    )


def is_counted(function: Function, key: r.Value) -> bool:
    """Whether a key is a number that is counted up, or comes from a call that is named as one that makes it."""
    for made in made_from(function, key):
        for inner in walk(made):
            match inner:
                case r.Assign(op="++" | "+="):
                    return True
                case r.Call(callee=callee) if not _FRESH.isdisjoint(pairs.words(last_name(callee))):
                    return True
    return False


_FRESH = frozenset(
    {"next", "new", "alloc", "allocate", "generate", "unique", "fresh", "make", "create", "uuid", "free"}
)


def _ask_around(function: Function, held: Container, key: r.Value | None, depth: int) -> Answer:
    """Those who call the function, or the one around a lambda."""
    if depth == 0:
        return Answer("bare")
    if function.record.kind == "lambda" and function.parent is not None:
        made = next((o for o in function.parent.flow if function.record.start <= o.span.start), None)
        if made is not None:
            return who_looked(function.parent, made, held, key, depth - 1)
    steps: dict[str, list[Step]] = {"guarded": [], "asserted": [], "bare": []}
    for caller, call, outer in handing(function, held):
        answer = who_looked(caller, call, outer, _handed_key(function, call.node, key), depth - 1)
        match answer.kind:
            case "guarded":
                steps["guarded"].append(
                    caller.step(call, f"`{caller.name}` checks for an existing entry before it calls `{function.name}`")
                )
            case "asserted":
                at = answer.steps[0]
                steps["asserted"].append(Step(at.path, at.span, f"`{caller.name}` checks only in an assertion"))
            case _:
                steps["bare"].append(
                    caller.step(call, f"`{caller.name}` calls `{function.name}` without checking for an existing entry")
                )
    if steps["asserted"]:
        return Answer("asserted", tuple(steps["asserted"][:1] + steps["guarded"][:1]))
    if steps["guarded"] and not steps["bare"]:
        return Answer("guarded")
    return Answer("bare", tuple(steps["bare"][:1] + steps["guarded"][:1]))


def handing(function: Function, held: Container) -> Iterator[tuple[Function, e.CallEvent, Container]]:
    """The calls of the function in the project, with the map as the caller knows it. A map that the caller
    made for itself is left out."""
    for caller in function.program.index.callers(function):
        for call in caller.flow.calls:
            if last_name(call.node.callee) != function.name or caller is function:
                continue
            if function not in function.program.calls.callee(call.node, caller).functions:
                continue
            if held.parameter < 0:
                yield caller, call, held
            elif held.parameter < len(call.node.args):
                outer = container(caller, call.node.args[held.parameter])
                if outer is not None:
                    yield caller, call, outer


def _handed_down(caller: Function, call: r.Call, callee: Function, held: Container) -> Container:
    """The caller's map as the callee knows it: also by the parameter through which it is handed."""
    names = list(held.names)
    for parameter, argument in zip(callee.record.parameters, call.args, strict=False):
        if parameter.name and held.is_same(names_of(caller, argument)):
            names.append(parameter.name)
    return held._replace(names=tuple(dict.fromkeys(names)))


def _handed_key(function: Function, call: r.Call, key: r.Value | None) -> r.Value | None:
    """The argument the key is made from; None when it comes from elsewhere, and any key counts."""
    made_from = origins(function, key)
    for parameter, argument in zip(function.record.parameters, call.args, strict=False):
        if parameter.name in made_from:
            return argument
    return None
