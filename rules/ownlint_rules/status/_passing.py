"""Objects that end with the run that failed: nobody comes back to a half-done one.

`Serializer serializer(out); if (failed(serializer.Run())) return failure();`: what a failure leaves in such an object
misleads nobody. Who calls a function, and what then becomes of the object, is followed outwards until the object is
seen to end: it is a local of a function that leaves, or it is still being constructed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Function, Place, entrances, exceptions, failure, places, trials, types, wrapped_objects
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.status import _skipping as skipping

_MOST_HOLDERS = 60
"""Of so many functions, directly or not, that hand on the failure of one object all are asked."""


def ends_with_failure(function: Function, written: Place, failed: failure.Failure) -> bool:
    """Whether all who call the function give up the object that it has written to (`this`, a parameter) when it fails
    that way, or set that back; tests, which show no use, are not asked."""
    root = written[0]
    if not _is_given(function, root):
        return False
    queue = [(function, root, failed.leave.kind == "throw")]
    for holder, name, thrown in queue:
        found, tried = False, False
        for caller, call in _calls_of(holder):
            if trials.is_trial(caller):
                tried = True
                continue
            found = True
            outer = _as_caller_sees(caller, call, holder, name)
            if outer is None:
                return False
            if _is_set_back(caller, call, written) or _ends_program(caller, call):
                continue
            ways = _ways_out(caller, call, thrown)
            if not _is_given(caller, outer):
                if not _is_own(caller, outer) or not (ways or _is_not_used_again(caller, call, outer)):
                    return False
                continue
            if not ways:
                return False
            if outer == places.THIS and caller.record.kind == "constructor" and ways == {True}:
                continue
            queue += [one for way in sorted(ways) if (one := (caller, outer, way)) not in queue]
        if not (found or (tried and holder is not function)) or len(queue) > _MOST_HOLDERS:
            return False
    return True


def _is_given(function: Function, name: str) -> bool:
    """Whether it is called so from outside as well: its own object, what a parameter refers to, the answer of a
    function."""
    if name.endswith("()"):
        return True
    return name == places.THIS or any(name == one.name for one in function.record.parameters)


def _is_own(function: Function, name: str) -> bool:
    """Whether an object that the function calls so is its own, and ends with it."""
    declared = [one for one in function.statements if isinstance(one, r.Declare) and name in one.names]
    if not declared or any(one.static for one in declared):
        return False
    written = function.program.types.of(r.Name(-1, -1, name), function)
    if not types.parse(written).is_value:
        return False
    roles = function.program.types.roles(written, function)
    if "scoped owner" in roles:
        return "shared pointer" not in roles
    return function.program.names.find_class(written, function.record.scope, function.file) is not None


def _calls_of(function: Function) -> Iterator[tuple[Function, e.CallEvent]]:
    for caller in function.program.index.callers(function):
        if caller is function or caller.language != function.language:
            continue
        for call in caller.flow.calls:
            if places.last_name(call.node.callee) == function.name and entrances.may_come_to(
                function, call.node, caller
            ):
                yield caller, call


def _as_caller_sees(caller: Function, call: e.CallEvent, function: Function, name: str) -> str | None:
    """What the object is called in the caller, or what it is part of."""
    if name.endswith("()"):
        return name
    if name == places.THIS:
        on = places.strip(places.receiver(call.node))
        if (
            isinstance(on, r.Call)
            and isinstance(on.callee, r.Name)
            and not on.args
            and on.callee.text not in caller.locals
        ):
            return f"{on.callee.text}()"
        found: Place | None = wrapped_objects.receiver_of(caller, call)
    else:
        number = next(n for n, one in enumerate(function.record.parameters) if one.name == name)
        given = call.node.args[number] if number < len(call.node.args) else None
        found = wrapped_objects.object_place(caller, given)
    return found[0] if found else None


def _ways_out(caller: Function, call: e.CallEvent, thrown: bool) -> frozenset[bool]:
    """How the caller leaves because the call has failed: True by an exception, False by its result; nothing where it
    may go on."""
    if thrown:
        return frozenset() if exceptions.is_caught(caller, call) else frozenset((True,))
    ways = frozenset(one.leave.kind == "throw" for one in failure.failures(caller) if one.cause is call)
    handed_on = any(leave.kind == "return" and call in _calls_in(caller, leave) for leave in caller.flow.leaves)
    return ways | {False} if handed_on else ways


def _is_not_used_again(caller: Function, call: e.CallEvent, name: str) -> bool:
    """Whether a test of the outcome leads, where it has failed, to where the object is not used any more: `while
    (reader.Next(&row).ok())`."""
    for test in caller.flow.of(e.Test):
        for outcome in (True, False):
            if isinstance(test, e.Test) and failure.failing(caller, test, outcome)[0] is call:
                after = caller.flow.after(test, branch=outcome)
                return not any(_uses(event, name) for event in after if isinstance(event, e.CallEvent))
    return False


def _ends_program(caller: Function, call: e.CallEvent) -> bool:
    """Whether nothing runs behind a test that finds the call to have failed: `CHECK_OK(server.Start())`."""
    return any(
        isinstance(test, e.Test)
        and not test.asserted
        and failure.failing(caller, test, outcome)[0] is call
        and all(event.index != caller.flow.exit for event in caller.flow.after(test, branch=outcome))
        for test in caller.flow.of(e.Test)
        for outcome in (True, False)
    )


def _uses(call: e.CallEvent, name: str) -> bool:
    return name in places.names_in(call.node)


def _is_set_back(caller: Function, call: e.CallEvent, written: Place) -> bool:
    """Whether what the caller does where the call has failed writes what was set, or what it is in."""
    names = [step for step in written[1:] if not step.startswith("[")]
    return any(
        isinstance(event, e.CallEvent) and any(skipping.writes(caller, event.node, name) for name in names)
        for failed in failure.failures(caller)
        if failed.cause is call
        for event in caller.flow.after(failed.at)
    )


def _calls_in(caller: Function, leave: e.LeaveEvent) -> list[e.CallEvent | None]:
    return [caller.flow.call_of(one) for one in places.calls_in(leave.value)] if leave.value is not None else []
