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

A finding needs all of this: the flag outlives the call (a member, something reached through a pointer, a
global), a path leads from setting it to an exit that is taken because a call failed, nothing on that
path takes it back, and somewhere a condition reads the flag to skip work. It is `certain` where the
same function tests the flag before it sets it, `likely` where another method of the class does.

Limits: flags that are set first on purpose so that a second call does nothing (`closed_`, `stopping_`) are
left alone by the words in their names. A flag reset by a cleanup object is seen only when the cleanup is
a lambda of the same function. Exceptions count only where the project's own callee throws.

Source: a review of GPU command-buffer caching in XLA, where an initialisation flag was set 21 lines
before the `Record` call it announced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Place, Step, events, places, records, rule, text, types
from ownlint.program.failure import Failure, failures, is_fallible, mentions_place, throws

# Set first on purpose: what they announce must not be tried twice, whether or not it works.
_ONCE_ONLY = re.compile(
    r"clos|finish|shut|cancel|abort|destroy|stop|terminat|dispos|exit|quit|delet|visit|seen|attempt|tried|dirty"
    r"|error|fail|invalid|stale|entered|warned|logged|printed|reported",
    re.IGNORECASE,
)
_SETTINGS = re.compile(r"(?:options?|params?|parameters?|spec|config|configuration|settings|flags|args|request|response|proto)_?$", re.IGNORECASE)
_STATE_LITERAL = re.compile(r"(?:^|::|_)(?:k[A-Z]|[A-Z][A-Z0-9_]{2,}$)")


@rule(severity="error")
def flag_set_before_success(function: Function) -> Iterator[Finding]:
    if function.record.kind in ("constructor", "destructor") or not _sets_something(function):
        return
    told: set[int] = set()
    for write in function.flow.writes:
        if not _announces(function, write) or write.span.start in told:
            continue
        failure = _failure_after(function, write)
        if failure is None:
            continue
        skipped = _skipped_by(function, write)
        if skipped is None:
            continue
        told.add(write.span.start)
        step, certainty = skipped
        yield _finding(function, write, failure, step, certainty)


def _finding(function: Function, write: events.Write, failure: Failure, skip: Step, certainty: Certainty) -> Finding:
    flag = places.render(write.place)
    work = f"`{places.last_name(failure.cause.node.callee)}`" if failure.cause is not None else "the work"
    steps = [skip] if skip.path != function.path or skip.span.start < write.span.start else []
    if failure.cause is not None:
        steps.append(function.step(failure.cause, "this can still fail"))
    if failure.leave.span != (failure.cause.span if failure.cause else None):
        steps.append(function.step(failure.leave, f"and then leaves with `{flag}` set"))
    if not steps or skip not in steps:
        steps.append(skip)
    return function.finding(
        write,
        f"`{flag}` is set before {work} has succeeded",
        certainty=certainty,
        help=f"set `{flag}` after {work} has succeeded, or take it back on the failing path",
        steps=tuple(steps),
    )


def _sets_something(function: Function) -> bool:
    return any(name.startswith("=") for name in function.record.mentions)


def _announces(function: Function, write: events.Write) -> bool:
    """Whether the write puts a flag or a state into something that outlives the call."""
    if write.op != "=" or write.fresh or write.place[-1].startswith("["):
        return False
    if not _is_set(write.value) or _ONCE_ONLY.search(write.place[-1]):
        return False
    if any(_SETTINGS.search(part) for part in write.place[:-1]):
        return False
    return _outlives(function, write.place)


def _is_set(value: records.Value | None) -> bool:
    match value:
        case records.Literal(kind="bool", text=shown):
            return shown == "true"
        case records.Name(text=name):
            return "::" in name and bool(_STATE_LITERAL.search(name)) or bool(re.match(r"k[A-Z]\w+$", name))
    return False


def _outlives(function: Function, place: Place) -> bool:
    if len(place) == 1:
        return not function.is_local(place)
    if place[0] == places.THIS:
        return True
    if not function.is_local(place):
        return True
    written = function.program.type_of(records.Name(0, 0, place[0]), function)
    kind = types.parse(written)
    if _SETTINGS.search(kind.last):
        return False
    if kind.pointers or kind.reference or place[0] not in function.locals:
        return bool(kind.pointers) or place[0] not in {p.name for p in function.record.parameters}
    return any(role in ("smart pointer", "shared pointer", "iterator") for role in function.program.roles(written, function)) or kind.last == "iterator"


def _failure_after(function: Function, write: events.Write) -> Failure | None:
    """The first failing exit that a path from the write reaches with the flag still set."""

    def taken_back(event: events.Event) -> bool:
        return isinstance(event, events.Write) and event is not write and event.place == write.place

    if _taken_back_by_lambda(function, write):
        return None
    after = {event.index for event in function.flow.after(write, taken_back)}
    for failure in failures(function):
        if failure.leave.index in after and (failure.cause is None or failure.cause.index in after):
            if failure.cause is not None and _only_checks(failure.cause):
                continue
            return failure
    for call in function.flow.calls:
        if call.index in after and not is_caught(function, call) and (leave := throws(function, call)) is not None:
            if is_fallible(function, call):
                return Failure(leave, call, "likely") if False else Failure(_exit_at(call), call, "likely")
    return None


def _exit_at(call: events.Call) -> events.Leave:
    leave = events.Leave(call.span, "throw")
    leave.index = call.index
    return leave


def is_caught(function: Function, call: events.Call) -> bool:
    """Whether a handler of the same function can catch what the call throws."""
    return any(
        isinstance(function.flow.events[target], events.Mark) and function.flow.events[target].what == "catch"  # type: ignore[attr-defined]
        for target, _ in function.flow.successors[call.index]
    )


def _taken_back_by_lambda(function: Function, write: events.Write) -> bool:
    """A cleanup object that writes the flag on the way out."""
    return any(inner.mentions("=" + write.place[-1]) for inner in function.lambdas())


def _only_checks(call: events.Call) -> bool:
    """Work is more than looking: what only validates or logs is not what a flag announces."""
    return bool(re.match(r"(?:Validate|Check|Verify|Is|Has|Log|Assert)(?![a-z])", places.last_name(call.node.callee)))


def _skipped_by(function: Function, write: events.Write) -> tuple[Step, Certainty] | None:
    """Where a condition reads the flag so that the work is skipped: in this function, else in its class."""
    last = write.place[-1]
    flag = places.render(write.place)
    for test, _ in function.flow.guards(write):
        if test.asserted or _aborts(function, test):
            continue
        if _looks_at(function, test.value, last):
            return function.step(test, f"`{flag}` decides here whether the work is done"), "certain"
    if function.home is None:
        return None
    for method in function.home.methods:
        if method.record is function.record or not _may_read(method, last):
            continue
        for event in method.flow:
            if isinstance(event, events.Test) and not event.asserted and mentions_place(event.value, last):
                if not _aborts(method, event) and _changes_course(method, event):
                    return method.step(event, f"`{method.name}` reads `{flag}` here and skips the work"), "likely"
    return None


def _may_read(method: Function, last: str) -> bool:
    return last.encode() in bytes(method.record.body)


def _looks_at(function: Function, value: records.Value, last: str) -> bool:
    """The condition reads the flag, itself or through a local that was computed from it."""
    if mentions_place(value, last):
        return True
    return any(
        isinstance(inner, records.Name)
        and inner.text in function.locals
        and mentions_place(function.locals[inner.text][1], last)
        for inner in places.walk(value)
    )


def _aborts(function: Function, test: events.Test) -> bool:
    """A guard that crashes instead of skipping: a one-shot object, not a cache."""
    return all(label is not False for _, label in function.flow.successors[test.index])


def _changes_course(method: Function, test: events.Test) -> bool:
    """One of the two ways leaves the method, or goes around a call."""
    flow = method.flow
    return any(
        isinstance(event, (events.Leave, events.Call))
        for branch in (True, False)
        for event in flow.after(test, branch=branch)
        if event not in flow.after(test, branch=not branch)
    ) or text(test.value) != ""
