"""What a function can answer: a member that others tell of, nothing but success, whatever came of the work."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ownlint import Class, Function, places, types
from ownlint import events as e
from ownlint import records as r


def makes_success(node: r.Call) -> bool:
    """`absl::OkStatus()`, `Status::OK()`, `success()`."""
    return not node.args and bool(re.fullmatch(r"ok|ok_?status|success", places.last_name(node.callee), re.IGNORECASE))


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
    """`success()`, or a function of C that is named after the type: `engineResultSuccess()`."""
    if makes_success(node):
        return True
    named = types.parse(callee.record.result).last.lower() + "success"
    return not node.args and places.last_name(node.callee).lower() == named


def cannot_fail(callees: Iterable[Function]) -> bool:
    """Whether all that can be called answers with nothing but success."""
    found = [(callee, leave) for callee in callees for leave in _answers(callee)]
    return (
        bool(found)
        and all(
            isinstance(leave.value, r.Call) and not leave.via and _makes_only_success(callee, leave.value)
            for callee, leave in found
        )
        and not any("virtual" in callee.record.qualifiers for callee, _ in found)
    )


def _answers(callee: Function) -> list[e.Leave]:
    return [leave for leave in callee.flow.leaves if leave.kind == "return"]
