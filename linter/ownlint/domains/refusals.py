"""What makes a function a guard: it does nothing but refuse where a flag of its object says that it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ownlint.domains.failure import never_comes_back, reports_failure
from ownlint.domains.wrapped_objects import object_place
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.graph import Flow
from ownlint.flow.places import THIS, Place, children, last_name, strip
from ownlint.project import types
from ownlint.project.subjects import Class, Function

DEPTH = 4
"""Through so many calls an answer is followed."""
OF_LIFE = re.compile(r"null|valid|alive|open|closed|expired|load|attached|live|usable|connected", re.IGNORECASE)

_ASKS = re.compile(r"(?:is|has|was)(?![a-z])", re.IGNORECASE)

NUMBERS = frozenset({"int", "bool", "Py_ssize_t", "long"})

HOLDS_VALUES = frozenset(
    "container associative sequence string mutex view callable atomic pair".split()  # noqa: SIM905
) | {"condition variable"}

_REFUSING = re.compile(r"err|raise|fail|throw|invalid|closed|format", re.IGNORECASE)
"""What a function of C returns that says why it refuses."""


class ValidityGuard(msgspec.Struct, frozen=True):
    """`flags` are the places it asks, below the object: `(closed_,)`, `(owner, alive)`; `owners` those on which it
    calls another guard. `answers` when its answer must be looked at; `at` is where it refuses. `unready` when a
    fresh object is refused, too."""

    function: Function
    flags: frozenset[Place]
    owners: frozenset[Place]
    answers: bool
    at: e.Event
    unready: bool = False
    origin: ValidityGuard | None = None
    """The guard that it calls in the end."""
    inline: Class | None = None
    """The class whose functions make the check themselves, each in its own body or by a macro; `function` is the first
    of them."""

    @property
    def is_called(self) -> bool:
        """Whether others call it to make the check, rather than make it themselves: it answers with nothing else."""
        result = types.parse(self.function.record.result)
        return self.inline is None and (
            self.answers or result.name == "void" or bool(result.pointers or result.reference)
        )

    @property
    def name(self) -> str:
        return self.function.name if self.inline is None else min(self.flags)[-1]


def is_answer(written: str, function: Function) -> bool:
    """Whether a guard can have that result: none, a status, yes or no."""
    kind = types.parse(written)
    if kind.pointers or kind.reference:
        return False
    return kind.name in ("void", *NUMBERS) or function.program.statuses.of(written, function) is not None


def direct(function: Function, subject: Place) -> ValidityGuard | None:
    """A function that does nothing but refuse where a flag of the object says so: it throws, answers that it did not
    work, or that the object is gone (`if (warn_if_closed()) return;`)."""
    if any(not write.fresh for write in function.flow.writes):
        return None
    found = _refusing(function, subject, False)
    if found is None and types.parse(function.record.result).name == "bool":
        found = _refusing(function, subject, True)
    return found


def _refusing(function: Function, subject: Place, says_gone: bool) -> ValidityGuard | None:
    flags: set[Place] = set()
    at: e.Event | None = None
    unready = False
    refusing: set[int] = set()
    for event, test, outcome in refusals(function, says_gone):
        found = frozenset(flags_asked(function, test, subject))
        if not found:
            return None
        flags |= found
        at = at or event
        unready = unready or any(begins(function, flag, polarity(test, outcome)) for flag in found)
        refusing |= _after(function, event, outcome)
    if at is None or not _does_nothing_else(function, refusing):
        return None
    number = types.parse(function.record.result).name in NUMBERS
    if number and not _says_why(function, refusing):
        return None
    if not is_answer(function.record.result, function) and not only_hands_out(function):
        return None
    answers = types.parse(function.record.result).name != "void" and is_answer(function.record.result, function)
    return ValidityGuard(function, frozenset(flags), frozenset(), answers, at, unready)


def only_hands_out(function: Function) -> bool:
    """Whether all it returns are members: an accessor that throws where they are no longer good."""
    found = [leave.value for leave in function.flow.leaves if leave.kind == "return"]
    where = [object_place(function, value) for value in found]
    return bool(where) and all(one is not None and len(one) > 1 and one[0] == THIS for one in where)


def refusals(function: Function, says_gone: bool = False) -> Iterator[tuple[e.Event, r.Value, bool]]:
    """Where it throws, ends or answers that it did not work, or with `says_gone` that the object is gone; with what
    decides, empty where nothing does."""
    flow = function.flow
    number = types.parse(function.record.result).name in NUMBERS
    negative = any(_is_negative(leave.value) for leave in flow.leaves)
    for event in flow:
        if event.index not in flow.reachable:
            continue
        match event:
            case e.Test(value=value, asserted=False) if all(label for _, label in flow.successors[event.index]):
                yield event, value, False
            case e.LeaveEvent(kind="return", via=macro) if macro:
                call = next((c for c in flow.calls if c.span == event.span), None)
                yield event, call.node if call is not None else _NOTHING, True
            case e.LeaveEvent(kind="throw"):
                yield _decided(flow, event)
            case e.LeaveEvent(kind="return", value=r.Conditional() as value) if not number:
                for answer, outcome in ((value.then, True), (value.other, False)):
                    if _is_failure(function, answer):
                        yield event, value.condition, outcome
            case e.LeaveEvent(kind="return", value=value) if value is not None:
                if negative and not _is_negative(value):
                    continue  # beside -1 it is good news
                if says_gone:
                    if isinstance(value, r.Literal) and value.text == "true":
                        yield _decided(flow, event)
                elif _is_no(value) if number else _is_failure(function, value):
                    yield _decided(flow, event)
            case e.CallEvent(node=call) if call.kind == "call" and never_comes_back(function, call):
                yield _decided(flow, event)


_NOTHING = r.OpaqueValue(0, 0, "")


def _decided(flow: Flow, event: e.Event) -> tuple[e.Event, r.Value, bool]:
    test, outcome = next(iter(flow.guards(event)), (None, True))
    return event, test.value if test is not None else _NOTHING, outcome


def refuses(function: Function, leave: e.LeaveEvent) -> bool:
    """Whether it is left by an exception or, a function of C, with an error's answer."""
    if leave.kind == "throw":
        return True
    if leave.kind != "return" or function.home is not None:
        return False
    if _is_negative(leave.value):
        return True
    match strip(leave.value):
        case r.Literal(kind="null"):
            return True
        case r.Call(callee=callee):
            return bool(_REFUSING.search(last_name(callee)))
    return False


def deciding(function: Function) -> frozenset[int]:
    """The tests on which the function refuses to go on."""
    flow = function.flow
    refusing = [leave for leave in flow.leaves if refuses(function, leave) or _is_failing(function, leave)]
    return frozenset(test.index for leave in refusing for test, _ in flow.guards(leave))


def _is_failing(function: Function, leave: e.LeaveEvent) -> bool:
    return leave.kind == "return" and leave.value is not None and _is_failure(function, leave.value)


def _after(function: Function, event: e.Event, outcome: bool) -> set[int]:
    """What runs only where it is refused."""
    test = next((test for test, _ in function.flow.guards(event)), None)
    return {one.index for one in function.flow.after(test, branch=outcome)} if test is not None else set()


def _is_failure(function: Function, value: r.Value) -> bool:
    """Whether a status is made on the spot that says no; one that is only handed on is an answer like another."""
    if function.program.statuses.of(function.record.result, function) is None:
        return False
    return isinstance(strip(value), (r.Call, r.Conditional)) and reports_failure(function, value)


def _is_no(value: r.Value) -> bool:
    """`false`, 0, -1, or a number's name with a minus before it, as `-ENODEV`."""
    inner = value.value if isinstance(value, r.Unary) and value.op == "-" else value
    if isinstance(inner, r.Literal) and inner is value and inner.text == "-1":
        return True
    if isinstance(inner, r.Name) and inner is not value:
        return inner.text.isupper()
    return isinstance(inner, r.Literal) and inner.text in ("false", "0", "1") and (inner is value or inner.text == "1")


def _is_negative(value: r.Value | None) -> bool:
    return value is not None and _is_no(value) and (isinstance(value, r.Unary) or text(value) == "-1")


def flags_asked(function: Function, value: r.Value, subject: Place, depth: int = 0) -> Iterator[Place]:
    """The members of the object, or of its owner, by which the condition is decided, also where a method asks them."""
    for inner in asked_in(value):
        if not isinstance(inner, (r.Name, r.Member, r.Call)):
            continue
        where = object_place(function, inner)
        if where is None or where[: len(subject)] != subject or not 2 <= len(where) - len(subject) + 1 <= 3:
            continue
        below = where[len(subject) :]
        if not any(step.endswith("()") for step in below):
            if can_be_flag(function, inner):
                yield below
        elif isinstance(inner, r.Call) and len(below) == 1 and depth < DEPTH:
            for asked in function.program.calls.callee(inner, function).functions:
                if asked.is_short and asked.cls is not None and types.parse(asked.record.result).name == "bool":
                    for value in (leave.value for leave in asked.flow.leaves if leave.value is not None):
                        yield from flags_asked(asked, value, (THIS,), depth + 1)


def asked_in(value: r.Value) -> Iterator[r.Value]:
    """The parts of a condition that are asked themselves, rather than passed to a function that does something."""
    stack = [value]
    while stack:
        inner = stack.pop()
        yield inner
        called = inner.callee if isinstance(inner, r.Call) else None
        if isinstance(called, r.Member) and called.arrow and not OF_LIFE.search(called.name):
            continue  # `model_->is_trained()`: the pointer is used, and its target asked for another state
        name = last_name(inner.callee) if isinstance(inner, r.Call) and inner.args else ""
        if isinstance(inner, r.Call) and inner.args and not (_ASKS.match(name) or OF_LIFE.search(name)):
            stack += [inner.callee.base] if isinstance(inner.callee, r.Member) else []
        else:
            stack += children(inner)


def terms(value: r.Value) -> Iterator[r.Value]:
    """What a condition compares, asks or negates; not what lies behind it."""
    stack: list[r.Value] = [value]
    while stack:
        inner = strip(stack.pop())
        match inner:
            case r.Unary(op="!" | "not", value=asked):
                stack.append(asked)
            case r.Binary(left=left, right=right):
                stack += [left, right]
            case r.Call(callee=callee, args=args):
                yield inner
                stack += [*([callee.base] if isinstance(callee, r.Member) else []), *args]
            case r.Index(base=base, indexes=indexes):
                stack += [base, *indexes]
            case r.Name() | r.Member():
                yield inner


def can_be_flag(function: Function, value: r.Value) -> bool:
    """A bool, a number, a pointer, an enumerator: no container, no text. Of an unknown type it can."""
    program = function.program
    written = program.types.of(value, function)
    roles = program.types.roles(written, function) if written else ()
    return types.parse(written).name != "char" and HOLDS_VALUES.isdisjoint(roles)


def polarity(value: r.Value, outcome: bool) -> bool:
    """What a flag is where the outcome of the test is known."""
    inner = strip(value)
    while isinstance(inner, r.Unary) and inner.op in ("!", "not"):
        inner, outcome = strip(inner.value), not outcome
    if isinstance(inner, r.Binary) and inner.op in ("==", "!="):
        none = any(isinstance(side, r.Literal) and is_false(side) for side in (inner.left, inner.right))
        outcome = outcome if (inner.op == "==") != none else not outcome
    return outcome


def is_false(constant: r.Literal) -> bool:
    return constant.kind == "null" or constant.text in ("0", "false")


def begins(function: Function, flag: Place, bad: bool) -> bool:
    """Whether a fresh object has the flag as a refused one has it: it is not ready yet, rather than no longer."""
    cls = function.cls
    found = cls.field(flag[0]) if cls is not None and len(flag) == 1 else None
    if cls is None or found is None or found[1].value is None:
        return False
    initial = strip(found[1].value)
    if isinstance(initial, r.Aggregate) and len(initial.items) == 1:
        initial = initial.items[0]
    if not isinstance(initial, r.Literal):
        return False
    truth = not is_false(initial)
    set_by = any(
        any(init.name == flag[0] for init in one.record.initializers) or one.mentions(f"={flag[0]}")
        for one in cls.constructors
    )
    return truth == bad and not set_by


def _does_nothing_else(function: Function, refusing: set[int]) -> bool:
    """Besides the refusal there are only questions, and perhaps a lock."""
    flow = function.flow
    tests = [event.span for event in flow.of(e.Test)]
    answers = [leave.span for leave in flow.leaves]
    work = [
        call
        for call in flow.calls
        if call.index not in refusing
        and not any(call.span.start in span for span in tests)
        and not (
            any(call.span.start in span for span in answers)
            and (not call.node.args or _is_failure(function, call.node))
        )
        and not is_accessor(call)
    ]
    return all(call.node.kind == "construct" for call in work)


def _says_why(function: Function, refusing: set[int]) -> bool:
    """Whether it reports something before it answers no; without that it is a mere question."""
    return any(call.index in refusing for call in function.flow.calls)


def is_accessor(call: e.CallEvent) -> bool:
    return not call.node.args and isinstance(call.node.callee, r.Member) and call.dropped == ""
