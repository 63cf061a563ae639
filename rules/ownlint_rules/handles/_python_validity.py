"""Python objects over a handle of a C library: the methods that ask whether the object is still open before they pass
the handle on, and those that do not.

What a class of `ctypes` or `cffi` says of itself is read: an attribute gets what a function of the library returns, a
method gives it back and sets an attribute, another method raises because of that attribute and is called by the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ownlint import Certainty, Class, Finding, Function, because, foreign, places, trials
from ownlint import events as e
from ownlint import records as r

_LEAST = 2
"""So many methods make the check where it is what is meant."""
_UNASKED = frozenset({"__init__", "__new__", "__del__", "__exit__", "__aexit__", "__eq__", "__ne__", "__hash__"})


class _HandleUse(NamedTuple):
    """`method` gives the handle to a function of the library."""

    method: Function
    event: e.CallEvent
    attribute: str
    callee: str
    checked: bool


def skipped(cls: Class) -> Iterator[Finding]:
    """The uses of a handle that are not checked although most of those in other methods are."""
    owned = handles(cls)
    ended = _ended(cls, owned) if owned else {}
    checks = _checks(cls, frozenset(ended)) if ended else {}
    if not ended:
        return
    uses = [
        use
        for method in cls.methods
        if _is_asked(method, ended, checks)
        for use in _uses(method, owned, checks, frozenset(ended))
    ]
    by_method: dict[Function, _HandleUse] = {}
    for use in uses:
        if use.method not in by_method or (by_method[use.method].checked and not use.checked):
            by_method[use.method] = use
    asked = [
        use
        for use in by_method.values()
        if use.checked or not _is_checked_outside(use.method, cls, checks, frozenset(ended))
    ]
    careful = [use for use in asked if use.checked]
    if not checks and len(careful) < _LEAST:
        return
    for use in asked:
        if not use.checked:
            yield _finding(use, careful, len(asked), checks, ended)


def _finding(
    use: _HandleUse,
    careful: list[_HandleUse],
    all_of_them: int,
    checks: dict[str, Function],
    ended: dict[str, tuple[Function, e.Event]],
) -> Finding:
    name, check = next(iter(checks.items()), ("", careful[0].method if careful else use.method))
    share = f"{len(careful)} of {all_of_them} similar functions"
    certainty: Certainty = because("convention", f"that the check is needed is inferred: {share} make the check")
    if len(careful) < _LEAST or 2 * len(careful) < all_of_them:
        certainty = because("possible", f"only {share} make the check")
    if trials.is_trial(use.method):
        certainty = because("possible", trials.REASON)
    ending, at = next(iter(ended.values()))
    steps = [ending.step(at, f"`{ending.name}` ends the object here")]
    raising = next((leave for leave in check.flow.leaves if leave.kind == "throw"), None)
    if raising is not None:
        steps.append(check.step(raising, f"`{name or check.name}` raises when the handle is no longer valid", "guards"))
    return use.method.finding(
        use.event,
        f"`{use.method.name}` passes `self.{use.attribute}` to `{use.callee}` without checking that its object is "
        f"still valid: {share} check first",
        certainty=certainty,
        help=_help(name, check, next(iter(ended))),
        steps=tuple(steps),
    )


def _help(name: str, check: Function, attribute: str) -> str:
    if not name:
        return f"check `self.{attribute}` first, as they do"
    return f"call `{name}` first" if not is_property(check) else f"use `self.{name}`, which checks"


# --- what the class is about ---


def handles(cls: Class) -> frozenset[str]:
    """Attributes that get a pointer which a declared function of a library returns."""
    declared = foreign.declared(cls.program)
    return frozenset(
        write.place[1]
        for method in (cls.methods if declared else ())
        for write in method.flow.writes
        if len(write.place) == 2 and write.place[0] == places.THIS and _is_made(write.value, method, declared)
    )


def _is_made(value: r.Value | None, function: Function, declared: Mapping[str, bool]) -> bool:
    """Whether a declared function that returns a pointer is called, or a local has what one has returned."""
    inner = places.strip(value)
    match inner:
        case r.Call(callee=r.Member(name=called)):
            return declared.get(called, False)
        case r.Name(text=name) if name in function.declared:
            written = [write.value for write in function.flow.writes_to((name,))]
            return len(written) == 1 and not isinstance(written[0], r.Name) and _is_made(written[0], function, declared)
    return False


def _ended(cls: Class, handles: frozenset[str]) -> dict[str, tuple[Function, e.Event]]:
    """Attributes that a method sets which also gives a handle back to its library, with the method: the handle itself,
    set to `None`, or a flag."""
    declared = foreign.declared(cls.program)
    found: dict[str, tuple[Function, e.Event]] = {}
    for method in cls.methods:
        if method.name in ("__init__", "__new__"):
            continue
        given = {
            name
            for call in method.flow.calls
            if isinstance(call.node.callee, r.Member) and call.node.callee.name in declared
            for argument in call.node.args
            if (name := attribute(argument, method)) in handles
        }
        if not given:
            continue
        for write in method.flow.writes:
            inner = places.strip(write.value)
            if len(write.place) == 2 and write.place[0] == places.THIS and isinstance(inner, r.Literal):
                is_handle = write.place[1] in handles
                if (is_handle and inner.kind == "null") or (not is_handle and inner.kind == "bool"):
                    found.setdefault(write.place[1], (method, write))
    return found


def attribute(value: r.Value | None, method: Function) -> str:
    """The attribute of `self` that an expression is, or was taken from into a local."""
    inner = places.strip(value)
    if isinstance(inner, r.Member) and isinstance(inner.base, r.Name) and inner.base.text in ("self", places.THIS):
        return inner.name
    if isinstance(inner, r.Name) and inner.text in method.declared:
        written = [write.value for write in method.flow.writes_to((inner.text,))]
        return attribute(written[0], method) if len(written) == 1 and not isinstance(written[0], r.Name) else ""
    return ""


def _checks(cls: Class, ended: frozenset[str]) -> dict[str, Function]:
    """Methods and properties that raise because of what an end sets, and do nothing else."""
    found: dict[str, Function] = {}
    for method in cls.methods:
        raises = method.is_short and any(
            leave.kind == "throw" and any(_asks(method, test, ended) for test, _ in method.flow.guards(leave))
            for leave in method.flow.leaves
        )
        if raises and all(call.node.kind == "construct" or _is_quiet(call) for call in method.flow.calls):
            found[method.name] = method
    return found


def _is_quiet(call: e.CallEvent) -> bool:
    """Whether the call only makes what is raised, or a text for it."""
    name = places.last_name(call.node.callee)
    return name[:1].isupper() or name in ("type", "repr", "str", "format")


def _asks(method: Function, test: e.Test, ended: frozenset[str]) -> bool:
    return any(attribute(inner, method) in ended for inner in places.walk(test.value))


def is_property(function: Function) -> bool:
    return any(one.name.rpartition(".")[2] in ("property", "cached_property") for one in function.record.annotations)


# --- who passes the handle on ---


def _is_asked(method: Function, ended: dict[str, tuple[Function, e.Event]], checks: dict[str, Function]) -> bool:
    """Whether a method is one that the check is for: it neither makes, ends nor checks the object."""
    if method.name in _UNASKED or method.name in checks:
        return False
    static = any(one.name in ("staticmethod", "classmethod") for one in method.record.annotations)
    return not static and not any(
        len(write.place) == 2 and write.place[0] == places.THIS and write.place[1] in ended
        for write in method.flow.writes
    )


def _uses(
    method: Function, handles: frozenset[str], checks: dict[str, Function], ended: frozenset[str]
) -> Iterator[_HandleUse]:
    declared = foreign.declared(method.program)
    for call in method.flow.calls:
        callee = call.node.callee
        if not isinstance(callee, r.Member) or callee.name not in declared:
            continue
        for argument in call.node.args:
            name = attribute(argument, method)
            if name in handles:
                yield _HandleUse(method, call, name, callee.name, _is_checked(method, call, checks, ended))
            elif name in checks:
                yield _HandleUse(method, call, name, callee.name, True)


def _is_checked(method: Function, at: e.Event, checks: dict[str, Function], ended: frozenset[str]) -> bool:
    """Whether every way to the event asks: by the check, by a decorator, by hand, by another method that does so."""
    if any(_is_checking_decorator(method, one.name, ended, checks) for one in method.record.annotations):
        return True
    if any(_asks(method, test, ended) for test, _ in method.flow.guards(at)):
        return True
    return any(
        isinstance(event, e.CallEvent) and _calls_check(method, event, checks, ended)
        for event in method.flow.dominators(at)
    ) or any(
        isinstance(inner, r.Member) and inner.name in checks and inner.end <= at.span.start for inner in method.values
    )


def _calls_check(method: Function, call: e.CallEvent, checks: dict[str, Function], ended: frozenset[str]) -> bool:
    callee = call.node.callee
    if not isinstance(callee, r.Member) or call.receiver != (places.THIS,) or method.home is None:
        return False
    if callee.name in checks:
        return True
    called = method.home.defined(callee.name)
    return bool(called) and all(
        one is not method
        and any(
            (isinstance(inner, r.Member) and inner.name in checks)
            or (isinstance(inner, r.Member) and attribute(inner, one) in ended)
            for inner in one.values
        )
        for one in called
    )


def _is_checking_decorator(method: Function, name: str, ended: frozenset[str], checks: dict[str, Function]) -> bool:
    """Whether a function of the project by which a method is decorated asks for what an end sets."""
    last = name.rpartition(".")[2]
    index = method.program.index
    return any(
        isinstance(value, r.Member) and (value.name in ended or value.name in checks)
        for function in index.functions_called(last)
        if function.language == "python" and (function.record.kind != "method" or function.home is method.home)
        for inner in (function, *index.nested(function))
        for value in inner.values
    )


def _is_checked_outside(method: Function, cls: Class, checks: dict[str, Function], ended: frozenset[str]) -> bool:
    """Whether it is a helper that methods of the class call behind the check, and nothing else calls."""
    if not method.name.startswith("_") or method.name.startswith("__"):
        return False
    callers = [one for one in cls.methods if one is not method and one.mentions(method.name)]
    calls = [
        (caller, call)
        for caller in callers
        for call in caller.flow.calls
        if places.last_name(call.node.callee) == method.name
    ]
    return bool(calls) and all(
        _is_checked(caller, call, checks, ended) or caller.name in _UNASKED for caller, call in calls
    )
