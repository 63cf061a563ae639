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
is remembered together with the flag or in another one, where a cleanup, a handler or a guard object takes the flag
back, where a second flag or state has the say, where the object is destroyed on the failing way, where the flag keeps
the function from calling itself, where the way around the work does other work (the states of a parser), and for
what is said first on purpose: names and methods that end things (`closed_`, `Stop`). Shown with `--certainty
possible`: what an object no longer is or has (`has_name_ = false`), and an object that keeps an error of its own and
refuses the next call because of it.

Limits: a call counts as fallible when its outcome is tested, returned or handed to a macro that returns; exceptions
count where the project's own callee throws, or where a handler of the same function turns them into an error. A bool,
a number or a pointer is no outcome where the call only asks, by its name or because it is const. A guard object is
recognised by being given the flag, or by a destructor of the project's own that writes it. That callers throw
an object away after a failure, as a connection or a handshake, cannot be seen.

Source: a review of GPU command-buffer caching in XLA, where an initialisation flag was set 21 lines
before the `Record` call it announced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    Step,
    assignments,
    conditions,
    events,
    failure,
    glance,
    places,
    records,
    rule,
    statements,
    types,
    undoing,
    weaker,
)

# Said first on purpose: what they announce must not be tried twice, whether or not it works.
_ONCE_ONLY = re.compile(
    r"clos|finish|shut|cancel|abort|destroy|stop|terminat|dispos|exit|quit|delet|visit|seen|attempt|tried|dirty|dead"
    r"|err|fail|bad|broken|invalid|stale|warn|print|report|eof|ended|drain|exhaust|consum|disconnect|releas|freed|interrupt|kick"
    r"|logged$"
)
_ENDING = re.compile(
    r"(?:(?:do|try|force|maybe|on|async|internal)_?)?"
    r"(?:close|shut|stop|finish|cancel|abort|destroy|terminat|dispos|tear_?down|end(?![a-z])|release|free|clear|reset"
    r"|clean_?up|unload|disconnect|exit|quit|kill|halt|uninstall|deinit|unmap|unmount|drain)",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(r"(?:m_)?(?:is|has|have)(?:_|(?=[A-Z]))")
_SETTINGS = re.compile(
    r"(?:options?|opts|params?|parameters?|spec|config|configuration|settings|flags|args|request|response|reply|proto)_?$",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NEAR = 24
"""So many functions are looked into for who writes an error."""
_SURE_KINDS = frozenset({"flag", "state", "bit"})
_SEEN_ELSEWHERE = frozenset({"flag", "bit", "object"})
_CLAIMS = frozenset({"flag", "entry", "object"})
"""Kinds that say of themselves that something is there; the others may as well be a step of many."""


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
    for announced in assignments.assignments(function):
        if announced.event.span.start in told or not _announces(function, announced):
            continue
        if not _may_be_skipped(function, announced):
            continue
        if failing is None:
            failing = [*failure.failures(function), *failure.thrown(function)]
        for failed in _failures_after(function, announced, failing):
            skip = _skip_here(function, announced, failed) or _skip_elsewhere(function, announced, failed)
            if skip is not None:
                told.add(announced.event.span.start)
                yield _finding(function, announced, failed, skip)
                break


def _finding(function: Function, announced: assignments.Assignment, failed: failure.Failure, skip: _Skip) -> Finding:
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
        certainty=weaker(weaker(sure, skip.certainty), _how_likely(function, announced, failed)),
        help=f"set `{flag}` after {work} has succeeded, or take it back on the failing path",
        steps=tuple(steps),
    )


def _how_likely(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> Certainty:
    """What a caller handed in goes with the exception more often than not; what is or has something no longer is or
    has it, whatever comes next; and an object that keeps its own error refuses the next call."""
    unwound = failed.leave.kind == "throw" and function.is_local(announced.place)
    if unwound and announced.place[0] not in _statics(function):
        return "possible"
    if announced.held.kind == "cleared" and _DESCRIBES.match(announced.place[-1]):
        return "possible"
    return "possible" if _keeps_its_error(function, announced, failed) else failed.certainty


def _keeps_its_error(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the work leaves an error in the same object, which is asked for before the flag is set."""
    if failed.cause is None:
        return False
    asked = {
        name.text if isinstance(name, records.Name) else name.name
        for test in function.flow.dominators(announced.event)
        if isinstance(test, events.Test) and not test.asserted
        for name in places.walk(test.value)
        if isinstance(name, records.Name | records.Member) and _is_beside(function, name, announced.place)
    }
    answer = assignments.place(function, failed.leave.value) if failed.leave.value is not None else None
    if answer is not None and answer[:-1] == announced.place[:-1] and answer[-1] in asked:
        return True
    return any(_writes(function, failed.cause.node, name) for name in asked if _is_error(name))


def _is_beside(function: Function, value: records.Value, place: Place) -> bool:
    where = assignments.place(function, value)
    return where is not None and where != place and len(where) > 1 and where[:-1] == place[:-1]


def _is_error(name: str) -> bool:
    return any(word.lower().startswith(("err", "fail", "status", "bad")) for word in _WORDS.findall(name))


def _writes(function: Function, call: records.Call, name: str) -> bool:
    """Whether a call ends up writing a member of that name, a few calls down."""
    pending = list(function.program.callee(call, function).functions)
    seen = {function, *pending}
    for callee in pending:
        if callee.mentions("=" + name):
            return True
        if len(seen) < _NEAR:
            called = (f for inner in callee.flow.calls for f in function.program.callee(inner.node, callee).functions)
            fresh = [found for found in dict.fromkeys(called) if found not in seen]
            pending += fresh
            seen.update(fresh)
    return False


# --- what announces --------------------------------------------------------------------------------------


def _may_announce(function: Function) -> bool:
    """Whether it sets something that may be asked for again, and may leave early. Needs no decoding."""
    record = function.record
    if function.language != "cpp" or record.kind in ("constructor", "destructor") or _ENDING.match(record.name):
        return False
    names = set(glance.names_set(function))
    return any(_may_be_asked_for(function, name) for name in names) and glance.may_fail(function)


def _may_be_asked_for(function: Function, name: str) -> bool:
    if not name:
        return True
    if _is_said_once(name):
        return False
    if glance.asks_again(function, name):
        return True
    return any(other is not function and glance.may_ask(other, name) for other in _neighbours(function))


def _is_said_once(name: str) -> bool:
    return any(_ONCE_ONLY.match(word.lower()) for word in _WORDS.findall(name))


def _announces(function: Function, announced: assignments.Assignment) -> bool:
    """Whether a flag or a state that outlives the call is set, and not on purpose before the work."""
    place = announced.place
    names = [step for step in place if not step.startswith("[")]
    if not names or announced.held.kind == "emptied" or any(_SETTINGS.search(name) for name in names[:-1]):
        return False
    if _is_said_once(names[-1]) or (announced.held.kind == "state" and _is_said_once(announced.held.text)):
        return False
    if announced.held.kind == "entry" and function.is_local(place):
        return False  # A set that is handed about belongs to one run of an algorithm.
    if announced.held.kind == "cleared" and (_counts(function, place) or _is_null(function, announced)):
        return False
    return _outlives(function, announced)


def _counts(function: Function, place: Place) -> bool:
    """Whether it is a number that is counted with: zero is its beginning."""
    return any(write.place == place and write.op in ("++", "--", "+=", "-=") for write in function.flow.writes)


def _is_null(function: Function, announced: assignments.Assignment) -> bool:
    """Whether the zero is that of a pointer: nothing is there yet."""
    event = announced.event
    if announced.held.text != "0" or not isinstance(event, events.Write):
        return False
    written = function.program.type_of(function.program.target(function, event), function)
    return bool(types.parse(written).pointers) or any(
        _is_compared_with_null(function, test.value, announced.place)
        for test in function.flow.events
        if isinstance(test, events.Test)
    )


def _is_compared_with_null(function: Function, value: records.Value, place: Place) -> bool:
    for inner in places.walk(value):
        if isinstance(inner, records.Binary) and inner.op in ("==", "!="):
            for one, other in ((inner.left, inner.right), (inner.right, inner.left)):
                held = assignments.held(other)
                if held is not None and held.kind == "emptied" and assignments.place(function, one) == place:
                    return True
    return False


def _outlives(function: Function, announced: assignments.Assignment) -> bool:
    place = announced.place
    root = place[0]
    if root == places.THIS or not function.is_local(place):
        return not _is_setting(function, place)
    if len(place) == 1 or all(step.startswith("[") for step in place[1:]):
        return root in _statics(function) or _is_reached(function, root, announced)
    written, initial = _declaration(function, root)
    kind = types.parse(function.program.type_of(records.Name(0, 0, root), function) or written)
    if _SETTINGS.search(kind.last) or _is_made_here(initial):
        return False
    if kind.pointers or types.parse(written).pointers or types.parse(written).reference:
        return not kind.const
    roles = function.program.roles(kind.name, function)
    if kind.last == "iterator" or not _POINTING.isdisjoint(roles):
        return initial is not None or root in {p.name for p in function.record.parameters}
    return kind.is_placeholder and isinstance(announced.event, events.Write) and _is_arrow(function, announced.event)


_POINTING = frozenset({"smart pointer", "shared pointer", "intrusive pointer", "iterator"})


def _declaration(function: Function, root: str) -> tuple[str, records.Value | None]:
    """The type as written and the initial value of a local of the function or of those around it."""
    owner = function
    while root not in owner.locals and owner.parent is not None:
        owner = owner.parent
    return owner.locals.get(root, ("", None))


def _is_reached(function: Function, root: str, announced: assignments.Assignment) -> bool:
    """`bool& done` that is written, and `*done` of a `bool* done`. Another value is what the function answers with."""
    if announced.held.kind not in _SURE_KINDS:
        return False
    written = types.parse(_declaration(function, root)[0])
    if written.reference:
        return not written.const
    event = announced.event
    is_pointee = isinstance(event, events.Write) and isinstance(event.target, records.Unary) and event.target.op == "*"
    return bool(written.pointers) and (is_pointee or isinstance(event, events.Call))


def _is_setting(function: Function, place: Place) -> bool:
    """A member of something whose type is called options."""
    if len(place) < 3 or function.home is None or (found := function.home.field(place[1])) is None:
        return False
    return bool(_SETTINGS.search(types.parse(found[1].type).last))


def _is_made_here(initial: records.Value | None) -> bool:
    """The local owns or is what it names, so that it ends with a failure."""
    held = assignments.held(initial)
    return held is not None and held.kind == "object" and not isinstance(places.strip(initial), records.Name)


def _is_arrow(function: Function, write: events.Write) -> bool:
    target = function.program.target(function, write)
    return isinstance(target, records.Member) and target.arrow


def _statics(function: Function) -> frozenset[str]:
    return frozenset(
        name
        for statement in function.statements
        if isinstance(statement, records.Declare) and statement.static
        for name in statement.names
    )


# --- what can still fail, with the flag left set ---------------------------------------------------------------


def _failures_after(
    function: Function, announced: assignments.Assignment, failing: list[failure.Failure]
) -> Iterator[failure.Failure]:
    """Failing exits that a path from the announcement reaches with the flag still set, because of work that begins
    later."""
    if not failing or undoing.taken_back_at_exit(function, announced):
        return
    flow = function.flow
    heads = _loop_heads(function, announced.event)

    def taken_back(event: events.Event) -> bool:
        return event is not announced.event and undoing.takes_back(function, announced, event)

    def stop(event: events.Event) -> bool:
        return event in heads or taken_back(event)

    after = {event.index for event in flow.after(announced.event, stop)}
    for failed in failing:
        cause = failed.cause
        if cause is None or not {cause.index, failed.at.index} <= after or not _begins_after(cause, announced):
            continue
        if failure.only_looks(cause.node) or taken_back(cause) or undoing.calls_itself(function, cause.node):
            continue  # a flag set before the function calls itself keeps it from doing so twice
        if _is_said_again(function, announced, failed) or _is_thrown_away(function, announced, failed):
            continue
        stays = _leads(function, cause, failed.at, stop) and _leads(function, failed.at, failed.leave, taken_back)
        if stays and not _is_undone_by_handler(function, failed, taken_back):
            yield failed


def _is_undone_by_handler(
    function: Function, failed: failure.Failure, taken_back: Callable[[events.Event], bool]
) -> bool:
    """Whether what is thrown is caught in the function, and no way out from there leaves the flag set."""
    flow = function.flow

    def is_out(event: events.Event) -> bool:
        return any(target == flow.exit for target, _ in flow.successors[event.index])

    thrown_here = isinstance(flow.events[failed.leave.index], events.Leave) and failed.leave.kind == "throw"
    if not thrown_here or is_out(failed.leave):
        return False
    return not any(is_out(event) and not taken_back(event) for event in flow.after(failed.leave, taken_back))


def _is_said_again(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether every way from the call to the exit sets it anew: then that exit is the one that works."""
    later = set(function.flow.after(failed.cause)) if failed.cause is not None else set()
    return any(
        isinstance(event, events.Write)
        and event is not announced.event
        and event.place == announced.place
        and event in later
        and assignments.held(event.value) == announced.held
        for event in function.flow.dominators(failed.leave)
    )


def _is_thrown_away(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether what a local of the function points to is ended on every way from the call to the exit."""
    root = announced.place[0]
    if root not in function.locals or failed.cause is None:
        return False
    later = set(function.flow.after(failed.cause))
    return any(
        isinstance(event, events.Call) and event in later and _ends(event.node, root)
        for event in function.flow.dominators(failed.leave)
    )


def _ends(call: records.Call, name: str) -> bool:
    """`delete x`, `thing_destroy(x)`."""
    handed = any(isinstance(inner := places.strip(a), records.Name) and inner.text == name for a in call.args)
    words = _WORDS.findall(places.last_name(call.callee))
    return handed and (call.kind == "delete" or any(_ENDING.match(word) for word in words))


def _begins_after(cause: events.Call, announced: assignments.Assignment) -> bool:
    """In the text, too: what stands before the announcement is about an earlier round."""
    return cause is not announced.event and cause.span.start >= announced.event.span.start


def _leads(function: Function, one: events.Event, other: events.Event, stop: Callable[[events.Event], bool]) -> bool:
    if one.index == other.index:
        return True
    return function.flow.path(one, lambda event: event.index == other.index, stop) is not None


def _loop_heads(function: Function, event: events.Event) -> set[events.Event]:
    """Beginnings of the loops around the event: what the next round does is about something else."""
    return {
        mark
        for mark in function.flow.dominators(event)
        if isinstance(mark, events.Mark) and mark.what == "loop" and mark.span.start <= event.span.start < mark.span.end
    }


# --- who skips the work ------------------------------------------------------------------------------------------


def _may_be_skipped(function: Function, announced: assignments.Assignment) -> bool:
    """Whether anything at all looks at what was announced; asked before the failures are, which cost more."""
    if announced.held.kind in _SEEN_ELSEWHERE or conditions.case_of(function, announced.event) is not None:
        return True
    given = conditions.Given(announced.place, announced.held)
    return any(
        conditions.can_come_to(function, test.value, given) is not None
        for test in function.flow.events
        if isinstance(test, events.Test)
    )


def _skip_here(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> _Skip | None:
    """A test on the way to the announcement that will turn out the other way, and then goes around the work."""
    flag = places.render(announced.place)
    given = conditions.Given(announced.place, announced.held)
    if _works_in_other_case(function, announced, failed):
        return None
    settled = _settled(function, announced, failed)
    for test in _tests_for(function, announced):
        now = conditions.can_come_to(function, test.value, given, frozenset(settled))
        if now is None or _is_settled(function, test, settled):
            continue
        if _skips(function, test, now, announced, failed):
            return _Skip(function.step(test, f"`{flag}` decides here whether the work is done"), "certain")
    found = _other_case(function, announced)
    if found is not None:
        return _Skip(function.step(found.value, f"`{flag}` decides here whether the work is done"), "certain")
    return None


def _works_in_other_case(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the work stands in the case that the state leads to, into which this one falls: it is done again."""
    found = conditions.case_of(function, announced.event)
    if found is None or failed.cause is None or assignments.place(function, found[0].value) != announced.place:
        return False
    return not found[1].start <= failed.cause.span.start < found[1].end


def _settled(
    function: Function, announced: assignments.Assignment, failed: failure.Failure
) -> dict[Place, list[assignments.Held]]:
    """What is set only once the work has succeeded: a second flag that has the say."""
    if failed.cause is None:
        return {}
    found: dict[Place, list[assignments.Held]] = {}
    later = {event.index for event in function.flow.after(failed.cause)}
    for other in assignments.assignments(function):
        if other.place != announced.place and other.event.index in later and not function.is_local(other.place):
            found.setdefault(other.place, []).append(other.held)
    return found


def _is_settled(
    function: Function, test: events.Test, settled: dict[Place, list[assignments.Held]], anywhere: bool = False
) -> bool:
    """Whether the test is reached only where such a flag is set, or in the case of such a state."""
    return _is_settled_by_case(function, test, settled) or any(
        conditions.comes_to(function, guard.value, conditions.Given(place, held, anywhere)) is outcome
        for guard, outcome in function.flow.guards(test)
        for place, possible in settled.items()
        for held in possible
    )


def _is_settled_by_case(function: Function, test: events.Test, settled: dict[Place, list[assignments.Held]]) -> bool:
    found = conditions.case_of(function, test)
    if found is None:
        return False
    where = assignments.place(function, found[0].value)
    states = settled.get(where, ()) if where is not None else ()
    return any(held.kind == "state" and _has_case(found[1], held.text) for held in states)


def _tests_for(function: Function, announced: assignments.Assignment) -> Iterator[events.Test]:
    """The tests before the announcement, nearest first, and those that are made of it:
    `if (done_.exchange(true)) return;`."""
    flow = function.flow
    tests = [event for event in flow.events if isinstance(event, events.Test) and not event.asserted]
    before = {event.index for event in flow.before(announced.event)}
    around = _loop_heads(function, announced.event)
    for test in reversed(tests):
        if test.index in before and _loop_heads(function, test) <= around:
            yield test
    for test in tests:
        if flow.dominates(announced.event, test) and _is_made_of(function, test, announced):
            yield test


def _is_made_of(function: Function, test: events.Test, announced: assignments.Assignment) -> bool:
    """Whether the condition is, or was computed from, the announcing expression."""
    at = announced.event.span
    if test.span.start <= at.start and at.end <= test.span.end:
        return True
    inside = (
        conditions.computed_once(function, v.text) for v in places.walk(test.value) if isinstance(v, records.Name)
    )
    return any(initial is not None and initial.start <= at.start and at.end <= initial.end for initial in inside)


def _skips(
    function: Function, test: events.Test, now: bool, announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether the way the test will go is around the work, and promises what the work should have brought."""
    flow = function.flow
    heads = _loop_heads(function, test)
    taken = flow.after(test, lambda event: event in heads, branch=now)
    other = flow.after(test, lambda event: event in heads, branch=not now)
    work = failed.cause
    begins = [event for event in (announced.event, work) if event is not None and event.index > test.index]
    if any(event in taken or event not in other for event in begins):
        return False
    if _is_refused(function, test, now, taken) or _is_remembered(function, taken, failed):
        return False
    return _promises(function, taken, announced, failed) and not _is_noted(function, announced, failed)


def _promises(
    function: Function, taken: list[events.Event], announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether whoever goes around the work goes on as if it had been done. A way with work of its own is another
    branch of an algorithm, or another step of a protocol."""
    joined = set(function.flow.after(failed.cause)) if failed.cause is not None else set()
    own = [event for event in taken if event not in joined]
    if announced.held.kind in _CLAIMS:
        return not any(isinstance(event, events.Write) and event.place == announced.place for event in own)
    return not any(_acts(function, event) for event in own)


def _acts(function: Function, event: events.Event) -> bool:
    match event:
        case events.Write(fresh=False):
            return True
        case events.Call(node=call, asserted=False) if call.kind == "call":
            name = places.last_name(call.callee)
            if function.program.role(name) or failure.asks(function, event) or failure.only_looks(call):
                return False
            return failure.refuses(function, call) is None and not name.lower().startswith(("ok", "success"))
    return False


def _is_refused(function: Function, test: events.Test, now: bool, taken: list[events.Event]) -> bool:
    """Whether whoever comes next gets an error instead of a promise, or does not come back."""
    if all(label is not None and label is not now for _, label in function.flow.successors[test.index]):
        return True
    leaves = [event for event in taken if isinstance(event, events.Leave)]
    return bool(leaves) and all(_says_no(function, test, taken, leave) for leave in leaves)


def _says_no(function: Function, test: events.Test, taken: list[events.Event], leave: events.Leave) -> bool:
    if leave.kind == "throw" or leave.via or failure.refuses(function, leave.value) is True:
        return True
    where = assignments.place(function, leave.value) if leave.value is not None else None
    return where is not None and any(
        isinstance(event, events.Write)
        and event.place == where
        and failure.refuses(function, event.value) is True
        and function.flow.dominates(test, event)
        for event in taken
    )


def _is_remembered(function: Function, taken: list[events.Event], failed: failure.Failure) -> bool:
    """Whether whoever comes next gets the outcome of the first time: it is stored before the exit is taken, or
    looked up in what the work has left."""
    answers = [event.value for event in taken if isinstance(event, events.Leave) and event.value is not None]
    if answers and all(isinstance(answer, records.Binary) and answer.op in ("==", "!=") for answer in answers):
        return True
    if failed.cause is None or failed.leave.via:
        return False
    stored = {
        event.place
        for event in function.flow.dominators(failed.at)
        if isinstance(event, events.Write) and any(inner is failed.cause.node for inner in places.walk(event.value))
    }
    return any(assignments.place(function, answer) in stored for answer in answers)


def _is_noted(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the failing way sets something else because of which nobody comes as far as the flag again."""
    flow = function.flow
    tests = [test for test in flow.dominators(announced.event) if isinstance(test, events.Test)]
    for event in flow.dominators(failed.leave):
        if not isinstance(event, events.Write) or event.place == announced.place or function.is_local(event.place):
            continue
        held = assignments.held(event.value)
        if held is None or failed.cause is None or not flow.dominates(failed.cause, event):
            continue
        for test in tests:
            now = conditions.comes_to(function, test.value, conditions.Given(event.place, held))
            if now is not None and announced.event not in flow.after(test, branch=now):
                return True
    return False


def _other_case(function: Function, announced: assignments.Assignment) -> records.Switch | None:
    """The `switch` over the state in one case of which it is set to a value whose own case does nothing."""
    found = conditions.case_of(function, announced.event)
    if found is None or announced.held.kind != "state":
        return None
    switch, case = found
    if assignments.place(function, switch.value) != announced.place or _has_case(case, announced.held.text):
        return None
    other = next((c for c in switch.cases if _has_case(c, announced.held.text)), None)
    other = other or next((c for c in switch.cases if not c.values), None)
    return switch if other is not None and _does_nothing(switch, other) else None


def _has_case(case: records.Case, constant: str) -> bool:
    last = types.parse(constant).last
    return any(isinstance(value, records.Name) and types.parse(value.text).last == last for value in case.values)


def _does_nothing(switch: records.Switch, case: records.Case) -> bool:
    """Whether a case, with those it falls into, comes to an end without a call."""
    for following in switch.cases[switch.cases.index(case) :]:
        for statement in following.body:
            match statement:
                case records.Leave(kind="break" | "continue"):
                    return True
                case records.Leave(kind="return", value=value):
                    return not isinstance(value, records.Call) or not value.args
                case records.Block(body=body):
                    return not any(isinstance(inner, records.Evaluate) for inner in statements(body))
                case _:
                    return False
    return True


def _skip_elsewhere(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> _Skip | None:
    """Another method, or a caller, that runs this function or the same work only while the flag is not set."""
    if len(announced.place) == 1 and function.is_local(announced.place):
        return None  # What a parameter leads to: the caller has another name for it.
    wanted = {function.name}
    if announced.held.kind == "flag" and failed.cause is not None:
        wanted.add(places.last_name(failed.cause.node.callee))
    elif announced.held.kind not in _SEEN_ELSEWHERE:
        return None
    flag = places.render(announced.place)
    given = conditions.Given(announced.place, announced.held, anywhere=True)
    settled = _settled(function, announced, failed)
    for other in _neighbours(function):
        if other is function or not other.mentions(*wanted) or not glance.may_ask(other, announced.place[-1]):
            continue
        if not _knows(other, function):
            continue
        for test in other.flow.of(events.Test):
            if not isinstance(test, events.Test) or test.asserted:
                continue
            now = conditions.comes_to(other, test.value, given)
            if now is None or _is_settled(other, test, settled, anywhere=True):
                continue
            if _goes_around(other, test, now, wanted):
                return _Skip(other.step(test, f"`{other.name}` reads `{flag}` here and skips the work"), "likely")
    return None


def _neighbours(function: Function) -> list[Function]:
    """The methods of the class, then whatever calls something of its name."""
    methods = list(function.home.methods) if function.home is not None else []
    callers = function.program.callers(function)
    return methods + [caller for caller in callers if caller.language == "cpp" and caller.home is not function.home]


def _knows(other: Function, function: Function) -> bool:
    """Whether what it calls by the function's name is the function, and not another of that name."""
    if function.home is None or other.home is function.home:
        return True
    calls = (call for call in other.flow.calls if places.last_name(call.node.callee) == function.name)
    return any(function in other.program.callee(call.node, other).functions for call in calls)


def _goes_around(other: Function, test: events.Test, now: bool, wanted: set[str]) -> bool:
    heads = _loop_heads(other, test)
    taken = other.flow.after(test, lambda event: event in heads, branch=now)
    if _runs(taken, wanted) or _is_refused(other, test, now, taken):
        return False
    return _runs(other.flow.after(test, lambda event: event in heads, branch=not now), wanted)


def _runs(reached: Iterable[events.Event], wanted: set[str]) -> bool:
    return any(isinstance(event, events.Call) and places.last_name(event.node.callee) in wanted for event in reached)
