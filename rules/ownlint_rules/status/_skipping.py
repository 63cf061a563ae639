"""Who skips the work: the condition that reads what an assignment has left, and goes around what has failed.

A promise is looked for: whoever goes around goes on as if the work had been done. One who is refused, who gets the
outcome of the first time, or who does work of his own has been promised nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import (
    Certainty,
    Function,
    Place,
    Step,
    assignments,
    because,
    conditions,
    failure,
    glance,
    lasting,
    places,
    statements,
    types,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.status._unfinished import loop_heads

_SEEN_ELSEWHERE = frozenset({"flag", "bit", "object"})
_ASKS_EMPTY = frozenset({"empty", "size"})
_NEAR = 24
"""So many functions are looked into for who writes a member."""
_CLAIMS = frozenset({"flag", "entry", "object"})
"""Kinds that say of themselves that something is there; the others may as well be a step of many."""


class Skip(NamedTuple):
    """The condition because of which the work is not done the next time."""

    step: Step
    certainty: Certainty


def may_be_skipped(function: Function, announced: assignments.Assignment) -> bool:
    """Whether anything at all looks at what was announced; asked before the failures are, which cost more."""
    if announced.held.kind in _SEEN_ELSEWHERE or conditions.case_of(function, announced.event) is not None:
        return True
    given = conditions.Given(announced.place, announced.held)
    return bool(conditions.tests_about(function, given))


def skip_here(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> Skip | None:
    """A test on the way to the announcement that will turn out the other way, and then goes around the work."""
    flag = assignments.spelled(function, announced.place)
    given = conditions.Given(announced.place, announced.held)
    if _works_in_other_case(function, announced, failed):
        return None
    asking = [test for test in conditions.tests_about(function, given) if not test.asserted]
    settled = _settled(function, announced, failed) if asking else {}
    for test in _tests_for(function, announced, asking):
        now = conditions.can_come_to(function, test.value, given, frozenset(settled))
        if (
            now is None
            or _is_settled(function, test, settled)
            or _asks_what_is_filled(function, test, announced, failed)
            or _asks_what_is_made(function, test, now, announced, failed)
            or _asks_what_is_gone(function, test, now, announced, failed)
            or not (_is_made_of(function, test, announced) or _meets_again(function, announced, test.span))
        ):
            continue
        if skips(function, test, now, announced, failed):
            sure = _made_up_for(function, test, now, announced, failed)
            return Skip(function.step(test, failure.is_decided_by(function, flag, failed.cause)), sure)
    found = _other_case(function, announced)
    if found is not None and _meets_again(function, announced, r.Span(found.value.start, found.value.end)):
        return Skip(function.step(found.value, failure.is_decided_by(function, flag, failed.cause)), "certain")
    return None


def _works_in_other_case(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the work stands in the case that the state leads to, into which this one falls: it is done again."""
    found = conditions.case_of(function, announced.event)
    if found is None or failed.cause is None or assignments.place(function, found[0].value) != announced.place:
        return False
    return not found[1].start <= failed.cause.span.start < found[1].end


def _meets_again(function: Function, announced: assignments.Assignment, at: r.Span) -> bool:
    """Whether whoever comes next gets to that place with what was announced still there: nothing on the way has
    written it anew, as a loop does that begins each round with it, or as a call may that is given the object because
    of what was announced: `if (type == UNKNOWN) decode_next(decoder);`."""
    flow, given = function.flow, conditions.Given(announced.place, announced.held)
    owner, last = announced.place[:-1], announced.place[-1]
    seen, queue = {(flow.entry, False)}, [(flow.entry, False)]
    for current, asked in queue:
        event = flow.events[current]
        if at.start <= event.span.start < at.end:
            return True
        if isinstance(event, e.Write) and event.place == announced.place and not _is_static(function, event):
            continue
        if (
            isinstance(event, e.CallEvent)
            and owner
            and _gets(function, event, owner)
            and (asked or writes(function, event.node, last))
        ):
            continue
        known = conditions.comes_to(function, event.value, given) if isinstance(event, e.Test) else None
        for to, label in flow.successors[current]:
            following = to, asked or known is not None
            if following not in seen and (known is None or label is None or label is known):
                seen.add(following)
                queue.append(following)
    return False


def _is_static(function: Function, write: e.Write) -> bool:
    """Whether it is the initialization of a static, which runs once."""
    return write.fresh and write.place[0] in lasting.statics(function)


def _gets(function: Function, call: e.CallEvent, owner: Place) -> bool:
    """Whether the call is given the object, or what it is part of."""
    given = [call.receiver, *(assignments.place(function, argument) for argument in call.node.args)]
    return any(one is not None and owner[: len(one)] == one for one in given)


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
    function: Function, test: e.Test, settled: dict[Place, list[assignments.Held]], anywhere: bool = False
) -> bool:
    """Whether the test is reached only where such a flag is set, or in the case of such a state."""
    return _is_settled_by_case(function, test, settled) or any(
        conditions.comes_to(function, guard.value, conditions.Given(place, held, anywhere)) is outcome
        for guard, outcome in function.flow.guards(test)
        for place, possible in settled.items()
        for held in possible
    )


def _asks_what_is_filled(
    function: Function, test: e.Test, announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether another test, of the object that the work fills, sends control either to the announcement or to this
    test: `if (data_.empty()) { width_ = w; data_.assign(n); } else if (width_ != w)`."""
    filled = failed.cause.receiver if failed.cause is not None else None
    if filled is None or len(filled) < 2:
        return False
    begun = {(guard.index, outcome) for guard, outcome in function.flow.guards(announced.event)}
    return any(
        assignments.place(function, inner) == filled
        for guard, outcome in function.flow.guards(test)
        if (guard.index, not outcome) in begun
        for inner in places.walk(guard.value)
    )


def _asks_what_is_made(
    function: Function, test: e.Test, now: bool, announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether another part of the condition asks for what the work makes, which a failure leaves empty:
    `if (db && mode == db_mode) return 0;`, then `db_mode = mode; return open(&db, mode);`."""
    cause = failed.cause
    if cause is None:
        return False
    made = {
        assignments.place(function, argument.value)
        for argument in cause.node.args
        if isinstance(argument, r.Unary) and argument.op == "&"
    }
    for write in function.flow.writes:
        named = places.strip(write.value)
        source = conditions.computed_once(function, named.text) if isinstance(named, r.Name) else write.value
        if any(one is cause.node for one in places.walk(source)):
            made.add(write.place)
    empty = assignments.Held("emptied", False, "nullptr")
    asked = [(test, now), *function.flow.guards(test)]
    return any(
        conditions.comes_to(function, one.value, conditions.Given(place, empty)) is (not outcome)
        for place in made
        if place is not None and place != announced.place
        for one, outcome in asked
    )


def _asks_what_is_gone(
    function: Function, test: e.Test, now: bool, announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether another part of the condition asks for what is emptied before the work is tried, and so decides the next
    time: `if (face_ && file == file_) return;`, then `face_ = nullptr`."""
    asked = [(test, now), *function.flow.guards(test)]
    return any(
        other.place != announced.place
        and not function.is_local(other.place)
        and function.flow.dominates(other.event, failed.at)
        and any(
            conditions.comes_to(function, one.value, conditions.Given(other.place, other.held)) is (not outcome)
            for one, outcome in asked
        )
        for other in assignments.assignments(function)
    )


def _is_settled_by_case(function: Function, test: e.Test, settled: dict[Place, list[assignments.Held]]) -> bool:
    found = conditions.case_of(function, test)
    if found is None:
        return False
    where = assignments.place(function, found[0].value)
    states = settled.get(where, ()) if where is not None else ()
    return any(held.kind == "state" and _has_case(found[1], held.text) for held in states)


def _tests_for(function: Function, announced: assignments.Assignment, tests: list[e.Test]) -> Iterator[e.Test]:
    """Of these, the tests before the announcement, nearest first, and those that are made of it:
    `if (done_.exchange(true)) return;`."""
    if not tests:
        return
    flow = function.flow
    before = {event.index for event in flow.before(announced.event)}
    around = loop_heads(function, announced.event)
    for test in reversed(tests):
        if test.index in before and loop_heads(function, test) <= around:
            yield test
    for test in tests:
        if flow.dominates(announced.event, test) and _is_made_of(function, test, announced):
            yield test


def _is_made_of(function: Function, test: e.Test, announced: assignments.Assignment) -> bool:
    """Whether the condition is, or was computed from, the announcing expression."""
    at = announced.event.span
    if test.span.start <= at.start and at.end <= test.span.end:
        return True
    if announced.held.kind == "count" and any(
        assignments.place(function, inner) == announced.place for inner in places.walk(test.value)
    ):
        return True  # `users++; if (users == 1) ...`
    inside = (conditions.computed_once(function, v.text) for v in places.walk(test.value) if isinstance(v, r.Name))
    return any(initial is not None and initial.start <= at.start and at.end <= initial.end for initial in inside)


def skips(
    function: Function, test: e.Test, now: bool, announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether the way the test will go is around the work, and promises what the work should have brought."""
    flow = function.flow
    heads = loop_heads(function, test)
    taken = flow.after(test, lambda event: event in heads, branch=now)
    other = flow.after(test, lambda event: event in heads, branch=not now)
    work = failed.cause
    begins = [event for event in (announced.event, work) if event is not None and event.index > test.index]
    if not begins or any(event in taken or event not in other for event in begins):
        return False
    if _is_refused(function, test, now, taken, failed) or _is_remembered(function, taken, announced, failed):
        return False
    return _promises(function, taken, announced, failed) and not _is_noted(function, announced, failed)


def _is_like(event: e.Event, work: e.CallEvent) -> bool:
    """Whether the same is called on the same object."""
    return (
        isinstance(event, e.CallEvent)
        and event is not work
        and event.node.kind == "call"
        and event.receiver == work.receiver
        and len(event.node.args) == len(work.node.args)
        and places.last_name(event.node.callee) == places.last_name(work.node.callee) != ""
    )


def _promises(
    function: Function, taken: list[e.Event], announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether whoever goes around the work goes on as if it had been done. A way with work of its own is another
    branch of an algorithm, or another step of a protocol."""
    joined = set(function.flow.after(failed.cause)) if failed.cause is not None else set()
    own = [event for event in taken if event not in joined]
    if _is_found_empty(function, taken, announced):
        return False
    if announced.held.kind in _CLAIMS:
        return not any(isinstance(event, e.Write) and event.place == announced.place for event in own)
    return not any(_acts(function, event) for event in own)


def _is_found_empty(function: Function, taken: list[e.Event], announced: assignments.Assignment) -> bool:
    """Whether the entry is a container that begins empty, and the next caller asks whether it still is:
    `if (pools_[key].empty()) return create(key);`."""
    made = places.strip(announced.event.value) if isinstance(announced.event, e.Write) else None
    match made:
        case r.Call(args=(), kind=kind, template=template) if kind == "construct" or template:
            pass  # `std::queue<int>()`
        case r.Aggregate(items=()):
            pass
        case _:
            return False
    return any(
        isinstance(inner, r.Call)
        and places.last_name(inner.callee) in _ASKS_EMPTY
        and assignments.place(function, places.receiver(inner)) == announced.place
        for event in taken
        if isinstance(event, e.Test)
        for inner in places.walk(event.value)
    )


def _acts(function: Function, event: e.Event) -> bool:
    match event:
        case e.Write(fresh=False):
            return True
        case e.CallEvent(node=call, asserted=False) if call.kind == "call":
            name = places.last_name(call.callee)
            if function.program.macros.role(name) or failure.asks(function, event) or failure.only_looks(call):
                return False
            return failure.refuses(function, call) is None and not name.lower().startswith(("ok", "success"))
    return False


def _is_refused(
    function: Function, test: e.Test, now: bool, taken: list[e.Event], failed: failure.Failure | None = None
) -> bool:
    """Whether whoever comes next gets an error instead of a promise, such as the one of the failure itself, or does
    not come back."""
    if all(label is not None and label is not now for _, label in function.flow.successors[test.index]):
        return True
    leaves = [event for event in taken if isinstance(event, e.LeaveEvent)]
    return bool(leaves) and all(
        _says_no(function, test, taken, leave) or (failed is not None and _says_the_same(leave, failed.leave))
        for leave in leaves
    )


def _says_the_same(leave: e.LeaveEvent, failing: e.LeaveEvent) -> bool:
    """Whether both return one constant, which is the failure then: `return 0;`."""
    said = assignments.held(leave.value)
    constant = said is not None and said.kind in ("flag", "cleared", "emptied", "state")
    return constant and not failing.via and leave.kind == "return" and said == assignments.held(failing.value)


def _says_no(function: Function, test: e.Test, taken: list[e.Event], leave: e.LeaveEvent) -> bool:
    if leave.kind == "throw" or leave.via or failure.refuses(function, leave.value) is True:
        return True
    where = assignments.place(function, leave.value) if leave.value is not None else None
    return where is not None and any(
        isinstance(event, e.Write)
        and event.place == where
        and failure.refuses(function, event.value) is True
        and function.flow.dominates(test, event)
        for event in taken
    )


def _is_remembered(
    function: Function, taken: list[e.Event], announced: assignments.Assignment, failed: failure.Failure
) -> bool:
    """Whether whoever comes next gets the outcome of the first time: it is stored before the exit is taken, or
    looked up in what the work has left; or what was put there says no, and is the answer itself."""
    answers = [event.value for event in taken if isinstance(event, e.LeaveEvent) and event.value is not None]
    if answers and all(_asks_further(function, answer) for answer in answers):
        return True
    if answers and announced.held.kind == "cleared":
        return all(assignments.place(function, answer) == announced.place for answer in answers)
    if answers and all(isinstance(answer, r.Binary) and answer.op in ("==", "!=") for answer in answers):
        return True
    if failed.cause is None or failed.leave.via:
        return False
    stored = {
        event.place
        for event in function.flow.dominators(failed.at)
        if isinstance(event, e.Write)
        and (not function.is_local(event.place) or event.place[0] in lasting.statics(function))
        and any(inner is failed.cause.node for inner in places.walk(event.value))
    }
    return any(assignments.place(function, answer) in stored for answer in answers)


def _made_up_for(
    function: Function, test: e.Test, now: bool, announced: assignments.Assignment, failed: failure.Failure
) -> Certainty:
    """Possible where the path around the work returns what only its success sets, in something beside the flag:
    `if (tried) return works;`. The failure is then kept, perhaps on purpose. So it is where the same is called there,
    too."""
    if failed.cause is None:
        return "certain"
    heads = loop_heads(function, test)
    taken = function.flow.after(test, lambda event: event in heads, branch=now)
    if any(_is_like(event, failed.cause) for event in taken):
        return because("possible", f"{failure.work(function, failed.cause)} is called on the path around it, too")
    answers = [assignments.place(function, event.value) for event in taken if isinstance(event, e.LeaveEvent)]
    later = {event.place for event in function.flow.after(failed.cause) if isinstance(event, e.Write)}
    before = {
        event.place
        for event in function.flow.dominators(failed.leave)
        if isinstance(event, e.Write) and not _is_static(function, event)
    }
    same = assignments.place(function, failed.leave.value)
    is_plain = types.parse(function.record.result).name == "bool"
    if answers and all(
        answer is not None
        and (is_plain or answer == same)
        and answer != announced.place
        and answer in later - before
        and (not function.is_local(answer) or answer[0] in lasting.statics(function))
        for answer in answers
    ):
        return because("possible", f"`{places.render(answers[0] or ())}` may keep the outcome for every later call")
    return "certain"


def _asks_further(function: Function, answer: r.Value) -> bool:
    """`return made_ ? 0 : -1;`: another thing decides whether the next one is refused."""
    inner = places.strip(answer)
    return isinstance(inner, r.Conditional) and any(
        failure.refuses(function, arm) is True for arm in (inner.then, inner.other)
    )


def _is_noted(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the failing way sets something else because of which nobody comes as far as the flag again."""
    flow = function.flow
    tests = [test for test in flow.dominators(announced.event) if isinstance(test, e.Test)]
    later = {event.index for event in flow.after(failed.cause)} if failed.cause is not None and tests else set[int]()
    for event in flow.dominators(failed.leave):
        where = assignments.place(function, event.target) if isinstance(event, e.Write) and event.target else None
        if not isinstance(event, e.Write) or where is None or where == announced.place or function.is_local(where):
            continue
        held = assignments.held(event.value)
        if held is None or event.index not in later:
            continue
        for test in tests:
            now = conditions.comes_to(function, test.value, conditions.Given(where, held))
            if now is not None and announced.event not in flow.after(test, branch=now):
                return True
    return False


def _other_case(function: Function, announced: assignments.Assignment) -> r.Switch | None:
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


def _has_case(case: r.Case, constant: str) -> bool:
    last = types.parse(constant).last
    return any(isinstance(value, r.Name) and types.parse(value.text).last == last for value in case.values)


def _does_nothing(switch: r.Switch, case: r.Case) -> bool:
    """Whether a case, with those it falls into, comes to an end without a call."""
    for following in switch.cases[switch.cases.index(case) :]:
        for statement in following.body:
            match statement:
                case r.Leave(kind="break" | "continue"):
                    return True
                case r.Leave(kind="return", value=value):
                    return not isinstance(value, r.Call) or not value.args
                case r.Block(body=body):
                    return not any(isinstance(inner, r.Evaluate) for inner in statements(body))
                case _:
                    return False
    return True


def skip_elsewhere(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> Skip | None:
    """Another method, or a caller, that runs this function or the same work only while the flag is not set."""
    if len(announced.place) == 1 and function.is_local(announced.place):
        return None  # What a parameter leads to: the caller has another name for it.
    wanted = {function.name}
    if announced.held.kind == "flag" and failed.cause is not None:
        wanted.add(places.last_name(failed.cause.node.callee))
    elif announced.held.kind not in _SEEN_ELSEWHERE:
        return None
    flag = assignments.spelled(function, announced.place)
    owner = _declared_in(function, announced)
    given = conditions.Given(announced.place, announced.held, anywhere=True, owner=owner)
    settled: dict[Place, list[assignments.Held]] | None = None
    for other in neighbours(function):
        if other is function or not other.mentions_any(wanted) or not glance.may_ask(other, announced.place[-1]):
            continue
        if not _knows(other, function):
            continue
        if other.record.kind == "destructor" and announced.held.kind != "cleared":
            continue  # to try once more what has failed is not what a destructor is for
        for test in other.flow.of(e.Test):
            if not isinstance(test, e.Test) or test.asserted:
                continue
            now = conditions.comes_to(other, test.value, given)
            if now is None:
                continue
            settled = settled if settled is not None else _settled(function, announced, failed)
            if _is_settled(other, test, settled, anywhere=True) or _is_set_anew(other, test, announced):
                continue
            if _goes_around(other, test, now, wanted):
                sure = because("later-use", f"harmless if nothing calls `{other.name}` after the failure")
                return Skip(other.step(test, f"`{other.name}` reads `{flag}` here and skips the work"), sure)
    return None


def _is_set_anew(other: Function, test: e.Test, announced: assignments.Assignment) -> bool:
    """Whether the flag is given another value on every way to the test, in its own function."""
    return any(
        isinstance(event, e.Write)
        and event.op == "="
        and event.place == announced.place
        and (held := assignments.held(event.value)) is not None
        and held.kind not in ("copy", "object")
        and (held.truth, held.text) != (announced.held.truth, announced.held.text)
        for event in other.flow.dominators(test)
    )


def _declared_in(function: Function, announced: assignments.Assignment) -> str:
    """The class that declares the flag; empty where that is not known."""
    match announced.event:
        case e.Write(target=target):
            pass
        case e.CallEvent(node=call):
            target = places.receiver(call)
        case _:
            return ""
    is_flag = assignments.place(function, target) == announced.place
    return conditions.declared_in(function, target) if is_flag else ""


def neighbours(function: Function) -> list[Function]:
    """The methods of the class, then whatever calls something of its name."""
    methods = list(function.home.methods) if function.home is not None else []
    callers = function.program.index.callers(function)
    others = (caller for caller in callers if caller.home is not function.home)
    return methods + [caller for caller in others if caller.language == function.language]


def _knows(other: Function, function: Function) -> bool:
    """Whether what it calls by the function's name is the function, and not another of that name."""
    if function.home is None or other.home is function.home:
        return True
    calls = (call for call in other.flow.calls if places.last_name(call.node.callee) == function.name)
    return any(function in other.program.calls.callee(call.node, other).functions for call in calls)


def _goes_around(other: Function, test: e.Test, now: bool, wanted: set[str]) -> bool:
    heads = loop_heads(other, test)
    taken = other.flow.after(test, lambda event: event in heads, branch=now)
    if _runs(taken, wanted) or _is_refused(other, test, now, taken):
        return False
    return _runs(other.flow.after(test, lambda event: event in heads, branch=not now), wanted)


def _runs(reached: Iterable[e.Event], wanted: set[str]) -> bool:
    return any(isinstance(event, e.CallEvent) and places.last_name(event.node.callee) in wanted for event in reached)


def writes(function: Function, call: r.Call, name: str) -> bool:
    """Whether a call ends up writing a member of that name, a few calls down."""
    pending = list(function.program.calls.callee(call, function).functions)
    seen = {function, *pending}
    for callee in pending:
        if callee.mentions("=" + name) and any(
            write.place[-1] == name and (len(write.place) > 1 or not callee.is_local(write.place))
            for write in callee.flow.writes
        ):
            return True
        if len(seen) < _NEAR:
            called = (
                f for inner in callee.flow.calls for f in function.program.calls.callee(inner.node, callee).functions
            )
            fresh = [found for found in dict.fromkeys(called) if found not in seen]
            pending += fresh
            seen.update(fresh)
    return False
