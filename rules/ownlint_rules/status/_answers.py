"""What a function can answer: a member that others tell of, nothing but success, whatever came of the work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ownlint import Class, Function, Status, conditions, failure, pairs, places, types, undecoded
from ownlint import events as e
from ownlint import records as r

_SUCCESS = re.compile(r"\b(?:(?:ok|success)(?: status)?|status (?:ok|success)|no error|error none)\Z")
_ASKS = frozenset({"is", "was", "has", "not"})
_WORDS = re.compile(r"\w++")
_CALLERS_UP, _CALLEES_DOWN = 2, 2


def makes_success(node: r.Call) -> bool:
    """`absl::OkStatus()`, `Status::OK()`, `success()`, `lib_ok_status()`."""
    said = pairs.words(places.last_name(node.callee))
    return not node.args and not _ASKS.intersection(said[:1]) and _SUCCESS.search(" ".join(said)) is not None


def are_kept(callees: Iterable[Function], depth: int = 2) -> bool:
    """Whether every answer is a member of the object asked, which others of its methods tell of. An overload that
    hands on what another answers says nothing of its own."""
    answers = [
        (callee, leave.value)
        for callee in callees
        for leave in _answers(callee)
        if not leave.via and not (isinstance(leave.value, r.Call) and _names(leave.value) == callee.name)
    ]
    return bool(answers) and depth > 0 and all(_is_told_of(callee, value, depth) for callee, value in answers)


def _names(call: r.Call) -> str:
    return types.parse(places.last_name(call.callee)).last


def _is_told_of(callee: Function, value: r.Value | None, depth: int) -> bool:
    match callee.home, value:
        case None, _:
            return False
        case home, r.Name(text=name):
            return _tells_of(home, name)
        case home, r.Call(callee=r.Name()) as call:
            return are_kept(home.defined(_names(call)), depth - 1)
    return False


def _tells_of(home: Class, name: str) -> bool:
    """Whether a method without arguments answers with the member, or with something of it."""
    return home.field(name) is not None and any(
        not method.record.parameters
        and any(
            isinstance(inner, r.Name) and inner.text == name
            for leave in _answers(method)
            for inner in places.walk(leave.value)
        )
        for method in home.methods
        if method.is_short
    )


def _makes_only_success(callee: Function, node: r.Call) -> bool:
    """`success()`, an empty status, or a function of C that is named after the type: `engineResultSuccess()`."""
    if makes_success(node) or (_is_empty(callee, node) and failure.refuses(callee, node) is False):
        return True
    named = types.parse(callee.record.result).last.lower() + "success"
    return not node.args and places.last_name(node.callee).lower() == named


def _is_empty(callee: Function, node: r.Call) -> bool:
    return not node.args and types.parse(callee.record.result).last == places.last_name(node.callee)


def cannot_fail(
    callees: Iterable[Function],
    call: r.Call,
    status: Status | None = None,
    depth: int = _CALLEES_DOWN,
    known: Sequence[conditions.Given] = (),
) -> bool:
    """Whether all that can be called answers this call with nothing but success. An argument, or what stands for one
    that is left out, can have a say in that: `wait(bool throws = true)`; `known` is what an outer call says of the
    caller's own parameters."""
    given = [(callee, list(conditions.said_of_parameters(callee, call, known))) for callee in callees]
    found = [
        (callee, leave, said)
        for callee, said in given
        for leave in _answers(callee)
        if conditions.may_come(callee, leave, said)
    ]
    return (
        bool(found)
        and not any("virtual" in callee.record.qualifiers for callee, _, _ in found)
        and all(_is_success(callee, leave, status, depth, said) for callee, leave, said in found)
    )


def only_reports(callees: Iterable[Function]) -> bool:
    """Whether all that can be called answers with the failure it is given, or with one that it makes."""
    found = list(callees)
    return bool(found) and all(failure.returned_parameter(one) >= 0 or _always_refuses(one) for one in found)


def _always_refuses(callee: Function) -> bool:
    found = _answers(callee)
    return bool(found) and all(
        not leave.via
        and (
            (failure.refuses(callee, leave.value) is True and not _looks_up(leave.value))
            or _is_the_error(callee, leave.value)
        )
        for leave in found
    )


def _is_the_error(callee: Function, value: r.Value | None) -> bool:
    """`return &unknown_opcode;`: an error that is never freed, the same for all calls."""
    match places.strip(value):
        case r.Unary(op="&", value=r.Name(text=name)) if name not in callee.declared:
            status = callee.program.statuses.of(callee.record.result, callee)
            return status is not None and status.kind == "pointer"
    return False


def _looks_up(value: r.Value | None) -> bool:
    """`cudaGetLastError()` is asked what has failed, where `failure()` makes one."""
    made = places.strip(value)
    return (
        isinstance(made, r.Call) and not made.args and places.last_name(made.callee).lower() not in ("failure", "error")
    )


def _is_success(
    callee: Function, leave: e.LeaveEvent, status: Status | None, depth: int, known: Sequence[conditions.Given]
) -> bool:
    if leave.via:  # `RETURN_IF_ERROR(load_default());`
        inside = failure.cause_inside(callee, leave)
        return inside is not None and _hands_on_success(callee, inside.node, status, depth, known)
    match places.strip(leave.value):
        case r.Call() as made:
            return _makes_only_success(callee, made) or _hands_on_success(callee, made, status, depth, known)
        case r.Name(text=name) if name in callee.locals:
            held = [_begun_with(one.value) for one in callee.flow.given_by(leave, (name,))]
            if held and all(_is_constant_success(callee, one, status) for one in held):
                return True
            write = callee.flow.last_write(leave, (name,))
            stored = places.strip(write.value) if write is not None else None
            return isinstance(stored, r.Call) and (
                _has_worked(callee, leave, stored) or _hands_on_success(callee, stored, status, depth, known)
            )
        case value:
            return _is_constant_success(callee, value, status)


def _begun_with(value: r.Value | None) -> r.Value | None:
    """`kOk` of `auto status(kOk);`."""
    match places.strip(value):
        case r.Call(kind="construct", args=(only,)):
            return places.strip(only)
        case inner:
            return inner


def _is_constant_success(callee: Function, value: r.Value | None, status: Status | None) -> bool:
    match value:
        case r.Literal(kind="null") | r.Name(text="NULL"):
            return status is not None and status.kind == "pointer"
        case r.Aggregate(items=()):
            return status is not None and status.kind == "value"
        case r.Name(text=name) if name not in callee.declared:
            good = callee.program.statuses.says_success(name)
            return bool(good) or (status is not None and status.is_success(name))
    return False


def _hands_on_success(
    callee: Function, made: r.Call, status: Status | None, depth: int, known: Sequence[conditions.Given]
) -> bool:
    """`return load_default();`, where that answers nothing but success. An overload that hands on what the others
    answer says nothing of its own."""
    targets = callee.program.calls.callee(made, callee) if depth > 0 else None
    if targets is None or not targets.all_defined:
        return False
    return cannot_fail([one for one in targets.functions if one is not callee], made, status, depth - 1, known)


def _has_worked(callee: Function, leave: e.LeaveEvent, stored: r.Call) -> bool:
    """`if (status.ok()) return status;`: the exit is reached only if what was stored last has worked."""
    return any(
        cause is not None and cause.node is stored
        for test, outcome in callee.flow.guards(leave)
        for cause, _ in (failure.failing(callee, test, not outcome),)
    )


def asked_later(
    function: Function, at: e.Event, node: r.Call, status: Status, depth: int = _CALLERS_UP
) -> r.Call | None:
    """The call after `at`, on every path, that reports whether an earlier one has failed and whose result is used: in
    the function, or in every caller."""
    is_repeated = places.last_name(node.callee) in status.repeated
    is_own = depth == _CALLERS_UP
    """In a caller something may have taken the error before a callee asks for it."""
    if not (status.asked_by or is_repeated):
        return None
    tests = {test.span.start for test in function.flow.of(e.Test)} if status.asked_by else set()
    checking = {one.start: one for one in function.values if isinstance(one, r.Call) and one.start in tests}
    """The macros that check: a test stands for each."""

    def reporting(event: e.Event) -> r.Call | None:
        if isinstance(event, e.Test):
            macro = checking.get(event.span.start)
            return macro if macro is not None and _asks_inside(function, macro, status) else None
        if not isinstance(event, e.CallEvent):
            return None
        if places.last_name(event.node.callee) in status.asked_by:
            reports = not event.dropped
        else:
            again = is_repeated and event is not at and (not event.dropped or _waits_again(event, status))
            reports = (
                _asks_inside(function, event.node, status)
                or (is_own and _hands_on_what_it_asked(function, event, status))
                or (again and _answers_alike(function, event.node, status))
            )
        return event.node if reports else None

    def is_settled(event: e.Event) -> bool:
        return reporting(event) is not None or _leaves_with_failure(function, event) or _throws_again(function, event)

    if function.flow.always_after(at, is_settled):
        found = next((call for event in function.flow.after(at) if (call := reporting(event)) is not None), None)
        if found is not None:
            return found
    around = function.parent if function.record.kind == "lambda" else None
    if around is not None and depth:
        held = [write for write in around.flow.writes if _is_lambda(write, function)]
        return asked_later(around, held[0], node, status, depth) if held else None
    above = [
        asked_later(caller, call, node, status, depth - 1)
        for caller in (function.program.index.callers(function) if depth and status.asked_by else ())
        for call in caller.flow.calls
        if caller is not function and function in caller.program.calls.callee(call.node, caller).functions
    ]
    return above[0] if above and all(above) else None


def _is_lambda(write: e.Write, function: Function) -> bool:
    """Whether a local of the function around begins with the lambda; one that is handed on may run whenever."""
    made = places.strip(write.value)
    return write.fresh and isinstance(made, r.Lambda) and made.start == function.record.start


def _waits_again(call: e.CallEvent, status: Status) -> bool:
    """Whether a call that is dropped as well can fail for earlier work alone: of several such calls the last one is
    reported. A query may be innocent for reasons of its own."""
    asks = any(isinstance(given, r.Unary) and given.op == "&" for given in map(places.strip, call.node.args))
    return call.dropped == "statement" and not asks and places.last_name(call.node.callee) in status.repeated


def _leaves_with_failure(function: Function, event: e.Event) -> bool:
    """Whether the event throws, itself or by a macro, or answers with a failure whatever came of the call."""
    match event:
        case e.LeaveEvent(kind="throw"):
            return True
        case e.LeaveEvent(via="", kind="return", value=value):
            return failure.refuses(function, value) is True
        case e.LeaveEvent(via=via):
            return via != "" and function.program.macros.only_throws(via)
    return False


def _throws_again(function: Function, event: e.Event) -> bool:
    """Whether a handler calls what throws by itself or by what it calls, and answers nothing: `catch (const Error& e) {
    fail(e.what()); }`."""
    if not isinstance(event, e.CallEvent) or event.node.kind != "call":
        return False
    if not any(function.flow.dominates(mark, event) for mark in function.flow.catches):
        return False
    throwers = undecoded.throwers(function.program)
    found = function.program.calls.callee(event.node, function).functions
    names = {one.name for one in found if not throwers.isdisjoint((one.name, *one.mentioned))}
    return bool(found) and all(
        types.parse(one.record.result).last == "void" and not names.isdisjoint((one.name, *one.mentioned))
        for one in found
    )


def _asks_inside(function: Function, node: r.Call, status: Status) -> bool:
    """Whether a macro or a function of the project, which gets no call as an argument, calls what reports a failure:
    `#define CHECK_LAST(why) do { auto e = cudaGetLastError(); if (e != cudaSuccess) exit(1); } while (0)`."""
    asking = frozenset(status.asked_by)
    if any(
        not asking.isdisjoint(_WORDS.findall(one.body))
        for one in function.program.macros.named(places.last_name(node.callee))
    ):
        return not any(isinstance(given, r.Call) for given in node.args)
    found = function.program.calls.callee(node, function).functions
    if not found or any(isinstance(given, r.Call) for given in node.args):
        return False
    return all(not asking.isdisjoint(one.mentioned) and (not node.args or _only_asks(one, asking)) for one in found)


def _only_asks(checker: Function, asking: frozenset[str]) -> bool:
    """Whether a function that is told where it is called answers nothing, and looks at what the library reports."""
    return types.parse(checker.record.result).last == "void" and any(
        places.last_name(event.node.callee) in asking and not event.dropped for event in checker.flow.calls
    )


def _hands_on_what_it_asked(function: Function, call: e.CallEvent, status: Status) -> bool:
    """Whether the callee throws, or answers with a failure that is not dropped, where `cudaGetLastError()` tells of
    one."""
    found = function.program.calls.callee(call.node, function).functions
    return bool(found) and all(
        one.mentions(*status.asked_by)
        and any(
            failed.cause is not None
            and places.last_name(failed.cause.node.callee) in status.asked_by
            and (not call.dropped or failed.leave.kind == "throw")
            for failed in failure.failures(one)
        )
        for one in found
    )


def _answers_alike(function: Function, node: r.Call, status: Status) -> bool:
    found = function.program.statuses.of(function.program.calls.result_type(node, function), function)
    return found is not None and found.repeated == status.repeated


def _answers(callee: Function) -> list[e.LeaveEvent]:
    return [leave for leave in callee.flow.leaves if leave.kind == "return"]
