"""How a function fails: the exits it takes because something it called did not work.

An exit is a failure when a macro takes it, when it throws, when it stands in the failing branch of a
test on a call's outcome, or when it hands on the outcome of a call directly.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ownlint.facts import records as r
from ownlint.finding import Certainty
from ownlint.program import events as e
from ownlint.program import types
from ownlint.program.places import calls_in, last_name, strip, walk
from ownlint.program.subjects import Function

_GOOD_WORDS = ("ok", "success", "succeeded", "none", "noerror")


class Failure(msgspec.Struct, frozen=True):
    """An exit taken because `cause` failed (None when it is not known what did)."""

    leave: e.Leave
    cause: e.Call | None
    certainty: Certainty


def failures(function: Function) -> list[Failure]:
    """Every way in which the function leaves because something did not work, in source order."""
    return list(_failures(function))


def _failures(function: Function) -> Iterator[Failure]:
    flow = function.flow
    for leave in flow.leaves:
        if leave.index not in flow.reachable or leave.kind == "end":
            continue
        if leave.via:
            yield Failure(leave, _cause_inside(function, leave), "certain")
        elif leave.kind == "throw":
            yield Failure(leave, _tested_cause(function, leave), "certain")
        elif (found := _from_test(function, leave)) is not None:
            yield found
        elif (call := _handed_on(function, leave)) is not None:
            yield Failure(leave, call, "likely")


def _cause_inside(function: Function, leave: e.Leave) -> e.Call | None:
    """The outermost call among a macro's arguments."""
    inside = [
        call
        for call in function.flow.calls
        if leave.span.start <= call.span.start and call.span.end <= leave.span.end and last_name(call.node.callee) != leave.via
    ]
    return max(inside, key=lambda call: (call.span.end - call.span.start, -call.span.start), default=None)


def _from_test(function: Function, leave: e.Leave) -> Failure | None:
    """A `return` in the branch where a call is known to have failed."""
    for test, outcome in function.flow.guards(leave):
        if test.asserted:
            continue
        cause, certainty = _failing(function, test, outcome)
        if certainty is not None:
            if certainty == "likely" and not _reports_failure(function, leave.value):
                continue
            return Failure(leave, cause, certainty)
    return None


def _tested_cause(function: Function, leave: e.Leave) -> e.Call | None:
    for test, outcome in function.flow.guards(leave):
        cause, certainty = _failing(function, test, outcome)
        if certainty is not None:
            return cause
    return None


def _failing(function: Function, test: e.Test, outcome: bool) -> tuple[e.Call | None, Certainty | None]:
    """Whether `outcome` of the test means that a call failed, and which call."""
    value = strip(test.value)
    while isinstance(value, r.Unary) and value.op in ("!", "not"):
        value, outcome = strip(value.value), not outcome
    match value:
        case r.Call(callee=r.Member(base=base, name=name)) if name.lower() in _GOOD_WORDS and not outcome:
            return _origin(function, test, base), "certain"
        case r.Call(callee=callee, args=(argument, *_)) if last_name(callee).lower().endswith(("succeeded", "is_ok", "isok")) and not outcome:
            return _origin(function, test, argument), "certain"
        case r.Call(callee=callee, args=(argument, *_)) if last_name(callee).lower().endswith(("failed", "is_err", "iserror")) and outcome:
            return _origin(function, test, argument), "certain"
        case r.Binary(op="==" | "!=" as op, left=left, right=right):
            good = _is_good(right) if not isinstance(left, r.Literal) else _is_good(left)
            tested = left if not isinstance(left, r.Literal) else right
            if good is not None and (outcome == (op == "==")) != good:
                origin = _origin(function, test, tested)
                return (origin, "likely") if origin is not None else (None, None)
        case r.Binary(op="<", left=left, right=r.Literal(text="0")) if outcome:
            origin = _origin(function, test, left)
            return (origin, "likely") if origin is not None else (None, None)
        case r.Call() if not outcome:
            origin = _origin(function, test, value)
            return (origin, "likely") if origin is not None else (None, None)
        case r.Name():
            origin = _origin(function, test, value)
            if origin is None:
                return None, None
            status = function.program.status(function.program.type_of(value, function), function)
            failing = status is not None and not any(".ok" in ok for ok in status.ok)
            if failing == outcome:
                return origin, "certain" if status is not None else "likely"
    return None, None


def _is_good(value: r.Value) -> bool | None:
    """What an outcome is compared with: true when it means success, false when it means failure, None when unclear."""
    match strip(value):
        case r.Literal(kind="null") | r.Literal(text="-1"):
            return False
        case r.Literal(kind="int", text="0"):
            return True
        case r.Literal(kind="bool", text=shown):
            return shown in ("true", "True")
        case r.Name(text=name):
            return _last_word_is_good(name)
        case r.Call(callee=callee, args=()):
            return _last_word_is_good(last_name(callee))
        case r.Unary(op="-"):
            return False
    return None


def _last_word_is_good(name: str) -> bool | None:
    last = name.rsplit("::", 1)[-1].lower()
    return True if last.endswith(_GOOD_WORDS) or last.startswith(("ok", "success")) else None


def _origin(function: Function, test: e.Test, value: r.Value | None) -> e.Call | None:
    """The call whose outcome is tested: in the test itself, or what the tested variable was last given."""
    flow = function.flow
    inner = strip(value)
    if isinstance(inner, r.Call):
        return next((call for call in flow.calls if call.node is inner), None)
    if not isinstance(inner, r.Name):
        return None
    for event in flow.dominators(test):
        if isinstance(event, e.Write) and event.place == (inner.text,):
            outer = strip(event.value)
            if not isinstance(outer, r.Call):
                found = [call for call in calls_in(event.value)]
                outer = found[0] if found else None
            return next((call for call in flow.calls if call.node is outer), None)
    return None


def _reports_failure(function: Function, value: r.Value | None) -> bool:
    """Whether what is returned says that it did not work."""
    match strip(value):
        case None:
            return False
        case r.Literal(kind="bool", text=shown):
            return shown in ("false", "False")
        case r.Literal(kind="null"):
            return True
        case r.Literal(kind="int", text=shown):
            return shown != "0"
        case r.Unary(op="-"):
            return True
        case r.Name() | r.Member():
            return True
        case r.Call(callee=callee) as call:
            name = last_name(callee).lower()
            return not (name in ("ok", "okstatus", "success") or _last_word_is_good(last_name(callee)) is True) and (
                "error" in name or "fail" in name or function.program.status(function.program.type_of(call, function), function) is not None
            )
    return True


def _handed_on(function: Function, leave: e.Leave) -> e.Call | None:
    """The call whose status a `return f();` hands on."""
    value = strip(leave.value)
    if not isinstance(value, r.Call) or value.kind in ("construct", "new"):
        return None
    if last_name(value.callee).lower().startswith(("ok", "success")):
        return None
    program = function.program
    written = program.result_type(value, function)
    if program.status(written, function) is None or not _works(function, value):
        return None
    return next((call for call in function.flow.calls if call.node is value), None)


def _works(function: Function, call: r.Call) -> bool:
    """Whether a call does something that can fail, rather than make an error to report (`InvalidArgumentError(...)`)."""
    name = last_name(call.callee)
    return not (name.endswith(("Error", "Status", "error", "failure", "success")) or "Error" in name)


def is_fallible(function: Function, call: e.Call) -> bool:
    """Whether a call's result says if it worked, or the project's own callee throws."""
    program = function.program
    if call.node.kind in ("construct", "new", "delete"):
        return False
    if program.status(program.result_type(call.node, function), function) is not None:
        return True
    return throws(function, call) is not None


def throws(function: Function, call: e.Call) -> e.Leave | None:
    """The `throw` in the project's own callee that a call can end in."""
    for callee in function.program.callee(call.node, function).functions:
        if callee is function or "noexcept" in callee.record.qualifiers:
            continue
        for leave in callee.flow.leaves:
            if leave.kind == "throw" and leave.index in callee.flow.reachable:
                exits = callee.flow.successors[leave.index]
                if any(target == callee.flow.exit for target, _ in exits):
                    return leave
    return None


def mentions_place(value: r.Value | None, last: str) -> bool:
    """Whether an expression looks at a member or variable of that last name."""
    for inner in walk(value):
        match inner:
            case r.Member(name=name) if name == last:
                return True
            case r.Name(text=name) if types.parse(name).last == last:
                return True
    return False
