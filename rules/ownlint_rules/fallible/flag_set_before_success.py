"""A flag says that work is done before the work has succeeded.

A method sets a flag (or moves a state on), then calls something that can fail. When it does fail, the
flag stays set; the next caller reads it, skips the work, and goes on with something that was never
done. One transient error becomes a permanent one.

bad:

```cpp
Status Session::Connect() {
  if (connected_) return OkStatus();
  connected_ = true;
  RETURN_IF_ERROR(Handshake());
  return OkStatus();
}
```

good:

```cpp
Status Session::Connect() {
  if (connected_) return OkStatus();
  RETURN_IF_ERROR(Handshake());
  connected_ = true;  // set once the handshake has succeeded
  return OkStatus();
}
```

Reported where all of this holds: what is set outlives the call (a member, something reached through a
pointer, a global); a path leads from setting it to an exit that is taken because a call failed; nothing on
that path takes it back; and a condition reads it so that the work is skipped the next time. It is `certain`
where the same function tests a flag or a state before it sets it, `likely` where another method does, and where the
flag is a count, a key in a set, the value applied last, or an object kept before it is usable.

Quiet where the second call is refused rather than skipped (`CHECK(!sent_)`, "already started"), where the failure
is remembered together with the flag, where a cleanup, a handler or a guard object takes the flag back, where a second
flag has the say, and for what is said first on purpose: names and methods that end things (`closed_`, `Stop`).

Limits: a call counts as fallible when its outcome is tested, returned or handed to a macro that returns; exceptions
count where the project's own callee throws, or where a handler of the same function turns them into an error.
A guard object is recognised by being given the flag, or by a destructor of the project's own that writes it.

Source: a review of GPU command-buffer caching in XLA, where an initialisation flag was set 21 lines
before the `Record` call it announced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    Step,
    conditions,
    events,
    failure,
    places,
    records,
    rule,
    statements,
    types,
    weaker,
)

# Said first on purpose: what they announce must not be tried twice, whether or not it works.
_ONCE_ONLY = re.compile(
    r"clos|finish|shut|cancel|abort|destroy|stop|terminat|dispos|exit|quit|delet|visit|seen|attempt|tried|dirty"
    r"|error|fail|invalid|stale|entered|warned|logged|printed|reported|eof|ended|drained",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?:(?:do|try|force|maybe|on|async|internal)_?)?(?:close|shut|stop|finish|cancel|abort|destroy|terminat|dispos|tear_?down|end(?![a-z])"
    r"|release|free|clear|reset|unload|disconnect|exit|quit|kill|halt|uninstall|deinit|unmap|unmount|drain)",
    re.IGNORECASE,
)
_SETTINGS = re.compile(
    r"(?:options?|opts|params?|parameters?|spec|config|configuration|settings|flags|args|request|response|reply|proto)_?$",
    re.IGNORECASE,
)
_SETTING_CALLS = frozenset({"store", "exchange", "test_and_set", "insert", "emplace", "try_emplace"})
_SURE_KINDS = frozenset({"flag", "state", "bit"})


class _Skip(NamedTuple):
    """The condition because of which the work is not done the next time."""

    step: Step
    certainty: Certainty


@rule(severity="error")
def flag_set_before_success(function: Function) -> Iterator[Finding]:
    if not _may_announce(function):
        return
    told: set[int] = set()
    failing: list[failure.Failure] | None = None
    for announced in conditions.assignments(function):
        if announced.event.span.start in told or not _announces(function, announced):
            continue
        if failing is None:
            failing = [*failure.failures(function), *failure.thrown(function)]
        for failed in _failures_after(function, announced, failing):
            skip = _skip_here(function, announced, failed) or _skip_elsewhere(function, announced, failed)
            if skip is not None:
                told.add(announced.event.span.start)
                yield _finding(function, announced, failed, skip)
                break


def _finding(function: Function, announced: conditions.Assignment, failed: failure.Failure, skip: _Skip) -> Finding:
    flag = places.render(announced.place)
    cause = failed.cause
    work = f"`{places.last_name(cause.node.callee)}`" if cause is not None else "the work"
    early = skip.step.path == function.path and skip.step.span.start <= announced.event.span.start
    steps = [skip.step] if early else []
    if cause is not None:
        steps.append(function.step(cause, "this can still fail"))
    if cause is None or failed.leave.span != cause.span:
        steps.append(function.step(failed.at, f"and then leaves with `{flag}` set"))
    if not early:
        steps.append(skip.step)
    sure: Certainty = "certain" if announced.held.kind in _SURE_KINDS else "likely"
    return function.finding(
        announced.event,
        f"`{flag}` is set before {work} has succeeded",
        certainty=weaker(sure, failed.certainty, skip.certainty),
        help=f"set `{flag}` after {work} has succeeded, or take it back on the failing path",
        steps=tuple(steps),
    )


# --- what announces --------------------------------------------------------------------------------------


def _may_announce(function: Function) -> bool:
    record = function.record
    if function.language != "cpp" or record.kind in ("constructor", "destructor") or _ENDING.match(record.name):
        return False
    return bool(record.mentions)


def _announces(function: Function, announced: conditions.Assignment) -> bool:
    """Whether a flag or a state that outlives the call is set, and not on purpose before the work."""
    place = announced.place
    names = [step for step in place if not step.startswith("[")]
    if not names or _ONCE_ONLY.search(names[-1]) or any(_SETTINGS.search(name) for name in names[:-1]):
        return False
    return _outlives(function, announced)


def _outlives(function: Function, announced: conditions.Assignment) -> bool:
    place = announced.place
    root = place[0]
    if root == places.THIS or not function.is_local(place):
        return not _is_setting(function, place)
    if len(place) == 1 or all(step.startswith("[") for step in place[1:]):
        return root in _statics(function)
    owner = function
    while root not in owner.locals and owner.parent is not None:
        owner = owner.parent
    written, initial = owner.locals.get(root, ("", None))
    kind = types.parse(function.program.type_of(records.Name(0, 0, root), function) or written)
    if _SETTINGS.search(kind.last) or _is_made_here(initial):
        return False
    if kind.pointers or types.parse(written).pointers or types.parse(written).reference:
        return not kind.const
    roles = function.program.roles(kind.name, function)
    if kind.last == "iterator" or any(
        role in ("smart pointer", "shared pointer", "intrusive pointer", "iterator") for role in roles
    ):
        return initial is not None or root in {p.name for p in owner.record.parameters}
    return kind.is_placeholder and isinstance(announced.event, events.Write) and _is_arrow(function, announced.event)


def _is_setting(function: Function, place: Place) -> bool:
    """A member of something whose type is called options."""
    if len(place) < 3 or function.home is None or (found := function.home.field(place[1])) is None:
        return False
    return bool(_SETTINGS.search(types.parse(found[1].type).last))


def _is_made_here(initial: records.Value | None) -> bool:
    """The local owns or is what it names, so that it ends with a failure."""
    held = conditions.held(initial)
    return held is not None and held.kind == "object" and not isinstance(places.strip(initial), records.Name)


def _is_arrow(function: Function, write: events.Write) -> bool:
    target = function.program.target(function, write)
    return isinstance(target, records.Member) and target.arrow


def _statics(function: Function) -> frozenset[str]:
    return frozenset(
        name
        for statement in statements(function.body)
        if isinstance(statement, records.Declare) and statement.static
        for name in statement.names
    )


# --- what can still fail, with the flag left set ---------------------------------------------------------------


def _failures_after(
    function: Function, announced: conditions.Assignment, failing: list[failure.Failure]
) -> Iterator[failure.Failure]:
    """Failing exits that a path from the announcement reaches with the flag still set, because of work that begins later."""
    if not failing or _taken_back_at_exit(function, announced):
        return

    def taken_back(event: events.Event) -> bool:
        return event is not announced.event and _takes_back(function, announced, event)

    def stop(event: events.Event) -> bool:
        return event in heads or taken_back(event)

    heads = _loop_heads(function, announced.event)
    after = {event.index for event in function.flow.after(announced.event, stop)}
    for failed in failing:
        cause = failed.cause
        if (
            cause is None
            or cause.index not in after
            or failed.at.index not in after
            or cause.node is getattr(announced.event, "node", None)
        ):
            continue
        if failure.only_looks(cause.node) or taken_back(cause):
            continue
        if cause is failed.at or function.flow.path(cause, lambda event, at=failed.at: event is at, stop) is not None:
            if failed.at is failed.leave or failed.leave in function.flow.after(failed.at, taken_back):
                yield failed


def _loop_heads(function: Function, event: events.Event) -> set[events.Event]:
    """Beginnings of the loops around the event: what the next round does is about something else."""
    return {
        mark
        for mark in function.flow.dominators(event)
        if isinstance(mark, events.Mark) and mark.what == "loop" and mark.span.start <= event.span.start < mark.span.end
    }


def _takes_back(function: Function, announced: conditions.Assignment, event: events.Event) -> bool:
    place = announced.place
    match event:
        case events.Write(place=where, value=value, op=op):
            if where == place:
                again = conditions.held(value) if op == "=" else None
                return again is None or (again.truth, again.text) != (announced.held.truth, announced.held.text)
            return (
                len(where) < len(place)
                and where != (places.THIS,)
                and places.covers(where, place)
                and not _is_part(event)
            )
        case events.Call(node=call, receiver=on):
            return _takes_back_by_call(function, announced, call, on)
    return False


def _is_part(event: events.Write) -> bool:
    return event.fresh or event.op != "="


def _takes_back_by_call(
    function: Function, announced: conditions.Assignment, call: records.Call, on: Place | None
) -> bool:
    place = announced.place
    name = places.last_name(call.callee)
    if (
        on is not None
        and (on == place or on == place[:-1])
        and name in ("store", "exchange", "clear", "reset", "erase", "pop_back", "extract")
    ):
        return on == place or name in ("erase", "clear", "reset", "pop_back", "extract")
    if any(
        isinstance(arg, records.Unary) and arg.op == "&" and conditions.place(function, arg.value) == place
        for arg in call.args
    ):
        return True
    setter = conditions.own_method(function, call)
    return setter is not None and setter is not function and _writes(setter, place[-1], 2)


def _writes(method: Function, name: str, depth: int) -> bool:
    """Whether a method of the class writes the member, itself or one call deeper."""
    if method.mentions("=" + name) or (
        f'"{name}"'.encode() in bytes(method.record.body) and method.mentions("store", "reset", "clear", "erase")
    ):
        return True
    if depth <= 1 or method.home is None:
        return False
    return any(
        inner is not method and _writes(inner, name, depth - 1)
        for called in method.record.mentions
        if not called.startswith("=")
        for inner in method.home.defined(called)
    )


def _taken_back_at_exit(function: Function, announced: conditions.Assignment) -> bool:
    """A cleanup lambda, a guard object that was given the flag, or a destructor writes it on the way out."""
    name = announced.place[-1]
    if any(_writes(inner, name, 1) for inner in function.lambdas()):
        return True
    for event in function.flow.of(events.Write):
        if (
            isinstance(event, events.Write)
            and event.fresh
            and isinstance(event.value, records.Call)
            and event.value.kind == "construct"
        ):
            if any(conditions.place(function, argument) == announced.place for argument in event.value.args):
                return True
            cls = function.program.find_class(event.type, function.record.scope, function.file)
            if cls is not None and cls.destructor is not None and _writes(cls.destructor, name, 1):
                return True
    return False


# --- who skips the work ------------------------------------------------------------------------------------------


def _skip_here(function: Function, announced: conditions.Assignment, failed: failure.Failure) -> _Skip | None:
    """A test on the way to the announcement that will turn out the other way, and then goes around the work."""
    flow = function.flow
    given = conditions.Given(announced.place, announced.held)
    flag = places.render(announced.place)
    said = f"`{flag}` decides here whether the work is done"
    before = flow.before(announced.event)
    for test in reversed(before):
        if not isinstance(test, events.Test) or test.asserted:
            continue
        now = conditions.comes_to(function, test.value, given)
        if now is None or not _avoids(function, test, now, announced.event, failed):
            continue
        if not _refused(function, test, now) and not _remembered(function, test, now, failed):
            return _Skip(function.step(test, said), "certain")
    if _is_other_case(function, announced):
        switch = conditions.case_of(function, announced.event)
        assert switch is not None
        return _Skip(function.step(switch[0].value, said), "certain")
    return _skip_within(function, announced, failed, said)


def _skip_within(
    function: Function, announced: conditions.Assignment, failed: failure.Failure, said: str
) -> _Skip | None:
    """The announcement is made in the condition itself: `if (done_.exchange(true)) return;`."""
    given = conditions.Given(announced.place, announced.held)
    for test in function.flow.of(events.Test):
        if not isinstance(test, events.Test) or test.asserted or not function.flow.dominates(announced.event, test):
            continue
        if not _leads_to(function, test, announced):
            continue
        now = conditions.comes_to(function, test.value, given)
        if now is None or not _avoids(function, test, now, failed.cause, failed):
            continue
        if not _refused(function, test, now) and not _remembered(function, test, now, failed):
            return _Skip(function.step(test, said), "certain")
    return None


def _leads_to(function: Function, test: events.Test, announced: conditions.Assignment) -> bool:
    """Whether the condition is, or was computed from, the announcing expression."""
    at = announced.event.span
    if test.span.start <= at.start and at.end <= test.span.end:
        return True
    inside = (
        conditions.computed_once(function, v.text) for v in places.walk(test.value) if isinstance(v, records.Name)
    )
    return any(initial is not None and initial.start <= at.start and at.end <= initial.end for initial in inside)


def _avoids(
    function: Function, test: events.Test, now: bool, announced: events.Event | None, failed: failure.Failure
) -> bool:
    """Whether one way out of the test leads to the announcement and the work, and the way it will go leads to neither."""
    flow = function.flow
    heads = _loop_heads(function, test)
    work = failed.cause
    taken = flow.after(test, lambda event: event in heads, branch=now)
    if announced in taken or work in taken:
        return False
    other = flow.after(test, lambda event: event in heads, branch=not now)
    return announced in other and (work is None or work in other)


def _refused(function: Function, test: events.Test, now: bool) -> bool:
    """Whether whoever comes next gets an error instead of a promise."""
    heads = _loop_heads(function, test)
    leaves = [
        event
        for event in function.flow.after(test, lambda e: e in heads, branch=now)
        if isinstance(event, events.Leave)
    ]
    return bool(leaves) and all(
        leave.kind == "throw" or bool(leave.via) or failure.refuses(function, leave.value) is True for leave in leaves
    )


def _remembered(function: Function, test: events.Test, now: bool, failed: failure.Failure) -> bool:
    """Whether whoever comes next gets the outcome of the first time: it is stored before the exit is taken."""
    if failed.cause is None or failed.leave.via:
        return False
    heads = _loop_heads(function, test)
    stored = {
        event.place
        for event in function.flow.dominators(failed.at)
        if isinstance(event, events.Write) and any(inner is failed.cause.node for inner in places.walk(event.value))
    }
    leaves = (
        event
        for event in function.flow.after(test, lambda e: e in heads, branch=now)
        if isinstance(event, events.Leave)
    )
    return any(leave.value is not None and conditions.place(function, leave.value) in stored for leave in leaves)


def _is_other_case(function: Function, announced: conditions.Assignment) -> bool:
    """Set inside one case of a `switch` over it, to a value that leads to another."""
    found = conditions.case_of(function, announced.event)
    if found is None or announced.held.kind != "state":
        return False
    switch, case = found
    if conditions.place(function, switch.value) != announced.place or not case.values:
        return False
    return all(
        isinstance(value, records.Name) and value.text.rsplit("::", 1)[-1] != announced.held.text.rsplit("::", 1)[-1]
        for value in case.values
    )


def _skip_elsewhere(function: Function, announced: conditions.Assignment, failed: failure.Failure) -> _Skip | None:
    """Another method, or a caller, that runs this function or the same work only while the flag is not set."""
    if announced.held.kind in ("copy", "count", "cleared", "entry"):
        return None
    flag = places.render(announced.place)
    given = conditions.Given(announced.place, announced.held, anywhere=True)
    work = failed.cause.node if failed.cause is not None else None
    wanted = {function.name} | ({places.last_name(work.callee)} if work is not None else set())
    for other in _neighbours(function):
        if (
            other is function
            or not other.mentions(*wanted)
            or announced.place[-1].encode() not in bytes(other.record.body)
        ):
            continue
        for test in other.flow.of(events.Test):
            if not isinstance(test, events.Test) or test.asserted:
                continue
            now = conditions.comes_to(other, test.value, given)
            if now is not None and _goes_around(other, test, now, wanted):
                return _Skip(other.step(test, f"`{other.name}` reads `{flag}` here and skips the work"), "likely")
    return None


def _neighbours(function: Function) -> list[Function]:
    methods = list(function.home.methods) if function.home is not None else []
    return methods + [
        caller for caller in function.program.callers(function) if caller not in methods and caller.language == "cpp"
    ]


def _goes_around(other: Function, test: events.Test, now: bool, wanted: set[str]) -> bool:
    heads = _loop_heads(other, test)

    def works(events_: list[events.Event]) -> bool:
        return any(
            isinstance(event, events.Call) and places.last_name(event.node.callee) in wanted for event in events_
        )

    if works(other.flow.after(test, lambda e: e in heads, branch=now)) or _refused(other, test, now):
        return False
    return works(other.flow.after(test, lambda e: e in heads, branch=not now))
