"""An error object that the caller owns is checked and never released.

## What it reports

- an error pointer that the caller owns and only tests, on a path to an exit or to the next error in the same variable
- an error pointer that is tested in the call expression, so that nothing can free it

## Why it is a bug

These interfaces return a pointer to an error, or null. Testing it is not enough: each failure leaks the error object.

## Example

bad:

```cpp
bool Start(const PJRT_Api* api, PJRT_Client_Create_Args* args) {
  PJRT_Error* error = api->PJRT_Client_Create(args);
  if (error != nullptr) return false;
  return true;
}
```

```text
case.cc:2: error: `error` is owned here and leaks
  help: free `error` or pass it on if it is not null
```

good:

```cpp
bool Start(const PJRT_Api* api, PJRT_Client_Create_Args* args) {
  PJRT_Error* error = api->PJRT_Client_Create(args);
  if (error == nullptr) return true;
  PJRT_Error_Destroy_Args destroy{.error = error};
  api->PJRT_Error_Destroy(&destroy);
  return false;
}
```

## How to fix it

Store the error in a variable, and free it or pass it on if it is not null.

## What it does not report

- errors that are returned, stored, captured, or passed to a function that is not known to only read them
- paths on which the pointer is known to be null
- errors that a getter lends

## Known limitations

- Which types own an error is known only from models (`kind = "pointer"`).
- A function that receives the error is assumed to take ownership, unless a model says that it only reads it (`check
  argument 1`).
- Errors in members are not tracked.

## Source

https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h, where "the caller is responsible for freeing the
returned PJRT_Error*"; iree/base/status.h says the same of `iree_status_t`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    Status,
    because,
    events,
    failure,
    glance,
    places,
    records,
    rule,
    text,
    types,
    typestate,
    weaker,
)
from ownlint_rules.status import _answers as answers

_COMPARES = frozenset({"==", "!=", "&&", "||", "<", ">", "<=", ">="})
_States = frozenset[str]


class _ErrorTaking(NamedTuple):
    """`write` puts an error that is owned from there on into the local `place`."""

    write: events.Write
    place: Place
    call: records.Call
    status: Status


_HANDED_ON = "the callee may free it"


@rule(severity="error", cwe=(401,), yields_to=("discarded-status",))
def owned_error_leaked(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or not function.program.statuses.names_owned_error(function):
        return
    yield from _tested_on_the_spot(function)
    looked = _looks(function)
    for taken in _taken(function):
        yield from _left_behind(function, taken, looked)


def _owned(function: Function, call: records.Call) -> Status | None:
    """The kind of error that the answer of a call owns."""
    if call.kind != "call" or not places.last_name(call.callee):
        return None
    status = function.program.statuses.of(function.program.calls.result_type(call, function), function)
    return status if status is not None and status.kind == "pointer" else None


def _taken(function: Function) -> Iterator[_ErrorTaking]:
    """The errors that a call leaves in a local of this function."""
    captured = {name for inner in function.lambdas() for name in function.locals if glance.says(inner, name)}
    pointed = _pointed_to(function)
    for write in function.flow.writes:
        if len(write.place) != 1 or write.index not in function.flow.reachable or not function.is_local(write.place):
            continue
        name = write.place[0]
        if name in captured or name in pointed or function.program.types.of(_name(name), function).endswith("&"):
            continue
        call = places.strip(write.value)
        if not isinstance(call, records.Call) or call.kind != "call" or _only_asks(function, call):
            continue
        if answers.makes_success(call):
            continue  # there is no error to own
        status = _owned(function, call) or _declared(function, write)
        if status is not None:
            yield _ErrorTaking(write, write.place, call, status)


def _name(name: str) -> records.Name:
    return records.Name(0, 0, name)


def _declared(function: Function, write: events.Write) -> Status | None:
    """What the type of the local says, where the callee is out of sight."""
    written = function.locals.get(write.place[0], ("", None))[0]
    if "const" in written.split():
        return None
    status = function.program.statuses.of(written, function)
    return status if status is not None and status.kind == "pointer" else None


def _only_asks(function: Function, node: records.Call) -> bool:
    call = next((event for event in function.flow.calls if event.node is node), None)
    return call is None or failure.asks(function, call)


def _pointed_to(function: Function) -> set[str]:
    """The locals whose address is taken: others may free what is in them."""
    found: set[str] = set()
    for event in function.flow.events:
        for value in _values(event):
            for inner in places.walk(value):
                if isinstance(inner, records.Unary) and inner.op == "&" and isinstance(inner.value, records.Name):
                    found.add(inner.value.text)
    return found


# --- what only looks at it ---


def _values(event: events.Event) -> tuple[records.Value, ...]:
    match event:
        case events.CallEvent(node=node):
            return (node,)
        case events.Test(value=value):
            return (value,)
        case events.Write(value=value) | events.LeaveEvent(value=value) if value is not None:
            return (value,)
    return ()


def _looks(function: Function) -> set[int]:
    """Where names stand that are only compared, tested, or given to what only looks."""
    found: set[int] = set()
    for event in function.flow.events:
        for value in _values(event):
            if isinstance(event, events.Test):
                found |= _starts(value)
            for inner in places.walk(value):
                for part in _looked_at(function, inner):
                    found |= _starts(part)
    return found


def _starts(value: records.Value | None) -> set[int]:
    inner = places.strip(value)
    return {inner.start} if isinstance(inner, records.Name) else set()


def _looked_at(function: Function, value: records.Value) -> tuple[records.Value, ...]:
    match value:
        case records.Binary(op=op, left=left, right=right) if op in _COMPARES:
            return left, right
        case records.Unary(op="!" | "not", value=inner):
            return (inner,)
        case records.Conditional(condition=condition):
            return (condition,)
        case records.Member(base=base):
            return (base,)
        case records.Cast(type="bool" | "void", value=inner):
            return (inner,)
        case records.Call(args=args) if args and _only_looks(function, value):
            return args
    return ()


def _only_looks(function: Function, call: records.Call) -> bool:
    """Whether a model says that the call looks at its argument, and nothing else."""
    models = function.program.calls.callee(call, function).models
    verbs = {effect.verb for model in models for effect in model.effects}
    return bool(verbs) and verbs <= {"check"}


# --- the way out ---


def _left_behind(function: Function, taken: _ErrorTaking, looked: set[int]) -> Iterator[Finding]:
    flow = function.flow
    handed_on: list[events.Event] = []

    def transfer(event: events.Event, states: _States) -> _States:
        if event is taken.write:
            return frozenset({"owned", "null"})
        if isinstance(event, events.Write) and event.place == taken.place:
            return frozenset({"gone"})
        if isinstance(event, events.OpaqueEvent):
            return frozenset({"gone"})
        if isinstance(event, events.Read) and event.place[0] == taken.place[0] and event.span.start not in looked:
            if "owned" in states:
                handed_on.append(event)
            return frozenset({"gone"})
        return states

    def branch(event: events.Event, outcome: bool, states: _States) -> _States:
        null = _null_when(function, event, taken) if isinstance(event, events.Test) else None
        if null is None or not states & {"owned", "null"}:
            return states
        return states - {"owned"} if null is outcome else states - {"null"}

    before = typestate.forward(flow, frozenset({"gone"}), transfer, lambda one, other: one | other, branch)
    for event in flow.events:
        states = before.get(event.index, frozenset())
        if "owned" in states and _ends(event, taken) and _was_tested(function, taken):
            certainty: Certainty = (
                because("path", "only on some paths; on others it is passed on") if handed_on else "certain"
            )
            yield _finding(function, taken, event, certainty)
            return


def _ends(event: events.Event, taken: _ErrorTaking) -> bool:
    """Whether the local is out of reach from here on."""
    if isinstance(event, events.LeaveEvent):
        return True
    return isinstance(event, events.Write) and event.place == taken.place


def _was_tested(function: Function, taken: _ErrorTaking) -> bool:
    """What nobody has looked at is dropped, and told of elsewhere."""
    name = taken.place[0]
    return any(isinstance(event, events.Read) and event.place[0] == name for event in function.flow.after(taken.write))


def _null_when(function: Function, test: events.Test, taken: _ErrorTaking) -> bool | None:
    """The outcome of the test that says that there is no error; None where it says nothing of it."""
    value: records.Value | None = places.strip(test.value)
    outcome = False
    while True:
        match value:
            case records.Unary(op="!" | "not", value=inner):
                value, outcome = places.strip(inner), not outcome
            case records.Assign(op="=", target=target):
                value = places.strip(target)
            case _:
                break
    match value:
        case records.Name(text=name) if (name,) == taken.place:
            return outcome
        case records.Binary(op="==" | "!=" as op, left=left, right=right):
            for one, other in ((places.strip(left), right), (places.strip(right), left)):
                if isinstance(one, records.Name) and (one.text,) == taken.place and _is_null(other):
                    return outcome if op == "!=" else not outcome
        case records.Call(callee=callee, args=(argument, *_)):
            asked = places.strip(argument)
            if isinstance(asked, records.Name) and (asked.text,) == taken.place:
                return _says_ok(taken.status, places.last_name(callee), outcome)
    return None


def _is_null(value: records.Value) -> bool:
    return isinstance(value, records.Literal) and (value.kind == "null" or value.text == "0")


def _says_ok(status: Status, name: str, outcome: bool) -> bool | None:
    """Whether it is one of the questions by which errors of this type are asked."""
    asked = f"{name}(_)" in status.ok
    return not outcome if asked else None


# --- on the spot ---


def _tested_on_the_spot(function: Function) -> Iterator[Finding]:
    """`if (api->Start(args) != nullptr)`, `iree_status_is_ok(Begin())`."""
    told: set[int] = set()
    for event in function.flow.events:
        for value in _values(event):
            looked: list[records.Value] = [value] if isinstance(event, events.Test) else []
            looked += [part for inner in places.walk(value) for part in _looked_at(function, inner)]
            for part in looked:
                call = places.strip(part)
                if not isinstance(call, records.Call) or call.start in told or _owned(function, call) is None:
                    continue
                if not _only_asks(function, call) and not _is_lent(function, call):
                    told.add(call.start)
                    yield _spot(function, call)


def _is_lent(function: Function, call: records.Call) -> bool:
    """Whether the call gives back what it was given, or a macro stands for it."""
    if function.program.macros.role(places.last_name(call.callee)):
        return True
    return any(
        types.parse(function.program.types.of(argument, function)).pointers
        and function.program.statuses.of(function.program.types.of(argument, function), function) is not None
        for argument in call.args
    )


def _spot(function: Function, call: records.Call) -> Finding:
    return function.finding(
        call,
        f"the error of `{text(call.callee)}` is owned here and leaks",
        certainty=weaker(function.program.calls.callee(call, function).certainty, because("sharing", _HANDED_ON)),
        help="store it in a variable, and free it or pass it on",
        cause=places.called(call),
    )


def _finding(function: Function, taken: _ErrorTaking, end: events.Event, certainty: Certainty) -> Finding:
    name = taken.place[0]
    said = "is not freed on this path" if isinstance(end, events.LeaveEvent) else "is overwritten here"
    return function.finding(
        taken.write,
        f"`{name}` is owned here and leaks",
        certainty=weaker(certainty, taken.status.certainty),
        help=f"free `{name}` or pass it on if it is not null",
        steps=(function.step(end, f"`{name}` {said}"),),
    )
