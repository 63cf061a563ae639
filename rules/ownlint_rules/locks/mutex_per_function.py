"""Functions that modify the same objects each lock a mutex of their own.

## What it reports

- two functions of one file that each lock a function-local static mutex, and under it call the same function with a
  parameter of the same type that it may modify
- two such functions that access the same member, also of a class that a parameter points to, file variable or object
  returned by an accessor, which one of them modifies

## Why it is a bug

A function-local static mutex excludes only two calls of the same function. The other function runs at the same time
under its own mutex: a data race although every access is locked.

## Example

bad:

```cpp
Type PointType(Context* context) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  return Named(context, "point");
}
Type LineType(Context* context) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  return Named(context, "line");
}
```

```text
case.cc:2: warning: `mutex` does not exclude `LineType`, which calls `Named` under a mutex of its own
  help: use one mutex for both functions
case.cc:7: warning: `mutex` does not exclude `PointType`, which calls `Named` under a mutex of its own
  help: use one mutex for both functions
```

good:

```cpp
static std::mutex types_mutex;
Type PointType(Context* context) {
  std::lock_guard<std::mutex> lock(types_mutex);
  return Named(context, "point");
}
Type LineType(Context* context) {
  std::lock_guard<std::mutex> lock(types_mutex);
  return Named(context, "line");
}
```

## How to fix it

Share one mutex between the functions.

## What it does not report

- functions with other statics, which the mutex guards, unless they access the same object
- parameters that cannot be modified
- callees that acquire a lock of their own
- functions that hold another lock as well

## Known limitations

- Functions of different files are not compared.

## Source

a review of IREE's code generation, where each type of an MLIR context was made under a mutex of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Finding,
    Function,
    Program,
    Span,
    because,
    guard_classes,
    habits,
    locks,
    mutexes,
    pairs,
    places,
    questions,
    records,
    rule,
    text,
    types,
)
from ownlint import events as e
from ownlint_rules.locks import _guarded as guarded
from ownlint_rules.locks._tracing import Traced, Tracer, touched

_FREE = frozenset({"atomic", "mutex", "condition variable"})
_HAS_STATIC = re.compile(rb",true\]")


class _Own(NamedTuple):
    """A function that locks a mutex that is a static of its own, and what it calls with what under it: the callee, and
    the type of the parameter that it is given."""

    function: Function
    mutex: records.Declare
    name: str
    calls: dict[tuple[str, str], e.CallEvent]
    touches: dict[tuple[str, str], _OwnTouch]


class _OwnTouch(NamedTuple):
    """Something that outlives the call is touched with no other lock held; `changes` if anything changes it there."""

    event: e.Event
    changes: bool


@rule(severity="warning", cwe=(667,))
def mutex_per_function(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or not _may_have_one(function):
        return
    alike = _by_file(function.program).get(function.path, ())
    own = next((one for one in alike if one.function is function), None)
    if own is None:
        return
    for other in alike:
        if other is own or other.function.record.scope != function.record.scope:
            continue
        if (shared := _shared(own, other)) is not None:
            yield _finding(own, other, *shared)
            return


def _shared(own: _Own, other: _Own) -> tuple[str, e.Event, e.Event, bool] | None:
    """What both do: its name, where each does it, and whether it is a call."""
    called = own.calls.keys() & other.calls.keys()
    if called:
        callee, _ = key = min(called, key=lambda one: own.calls[one].index)
        return callee, own.calls[key], other.calls[key], True
    both = [
        (one.event, name, other.touches[scope, name].event)
        for (scope, name), one in own.touches.items()
        if (scope, name) in other.touches and (one.changes or other.touches[scope, name].changes)
    ]
    if not both:
        return None
    mine, name, theirs = min(both, key=lambda one: one[0].index)
    return name, mine, theirs, False


def _finding(own: _Own, other: _Own, name: str, mine: e.Event, theirs: e.Event, is_call: bool) -> Finding:
    does, done = ("calls", "called") if is_call else ("touches", "touched")
    harmless = f"`{name}` can be called by several threads" if is_call else "only one thread ever runs this"
    return own.function.finding(
        Span(own.mutex.start, own.mutex.end),
        f"`{own.name}` does not exclude `{other.function.name}`, which {does} `{name}` under a mutex of its own",
        certainty=because("threads", f"harmless if {harmless}"),
        help="use one mutex for both functions",
        steps=(
            own.function.step(mine, f"{done} under the first mutex"),
            other.function.step(theirs, f"{done} under the second mutex, in `{other.function.name}`"),
        ),
    )


def _may_have_one(function: Function) -> bool:
    return function.says(_HAS_STATIC) and not _spelled(function.program).isdisjoint(function.mentioned)


@questions.program_question
def _spelled(program: Program) -> frozenset[str]:
    return frozenset(guard_classes.guards(program).words | mutexes.mutexes(program).words)


@questions.program_question
def _by_file(program: Program) -> dict[str, tuple[_Own, ...]]:
    found: dict[str, list[_Own]] = {}
    for function in program.calling(_spelled(program)):
        if function.language == "cpp" and _may_have_one(function) and (own := _own(function)) is not None:
            found.setdefault(function.path, []).append(own)
    return {path: tuple(alike) for path, alike in found.items()}


def _own(function: Function) -> _Own | None:
    statics = [one for one in function.statements if isinstance(one, records.Declare) and one.static]
    known = mutexes.mutexes(function.program)
    own = [one for one in statics if known.is_mutex(one.type, function.file, function.record.scope)]
    if len(own) != 1:
        return None
    name = own[0].names[0]
    held = locks.held(function)
    changed = {
        parameter.name: kind.name
        for parameter in function.record.parameters
        if ((kind := types.parse(parameter.type)).pointers or kind.reference) and not kind.const
    }
    calls: dict[tuple[str, str], e.CallEvent] = {}
    for call in function.flow.calls if len(statics) == 1 else ():
        if call.node.kind != "call" or not any(one.lock == (name,) for one in held.get(call.index, ())):
            continue
        for argument in call.node.args:
            inner = places.strip(argument)
            if isinstance(inner, records.Name) and inner.text in changed and not _locks_itself(function, call):
                calls.setdefault((text(call.node.callee), changed[inner.text]), call)
    touches = _touches(function, name)
    return _Own(function, own[0], name, calls, touches) if calls or touches else None


def _touches(function: Function, mutex: str) -> dict[tuple[str, str], _OwnTouch]:
    """What is touched with that lock and no other, by the domain that it is a member of and its name."""
    held = locks.held(function)
    found: dict[tuple[str, str], _OwnTouch] = {}
    for domain in guarded.guarded(function.program).may_touch(function):
        tracer = Tracer(domain, function)
        for event in function.flow:
            if {one.lock for one in held.get(event.index, ())} != {(mutex,)}:
                continue
            for traced, changes in (*_touched(tracer, event), *_atomically(tracer, event)):
                if traced.member in domain.members:
                    _note(found, (domain.scope, traced.member), event, changes)
    for event in function.flow:
        if {one.lock for one in held.get(event.index, ())} == {(mutex,)}:
            for key, changes in _below_parameters(function, event):
                _note(found, key, event, changes)
    return found


def _touched(tracer: Tracer, event: e.Event) -> Iterator[tuple[Traced, bool]]:
    yield from ((traced, kind != "read") for traced, kind, _ in touched(tracer, event))


def _atomically(tracer: Tracer, event: e.Event) -> Iterator[tuple[Traced, bool]]:
    """What a function for shared places gets the address of, `std::atomic_store(&list, made)`: each such call is one
    step, but what is stored was made from what another has loaded."""
    if not isinstance(event, e.CallEvent) or not event.node.args:
        return
    words = pairs.words(places.last_name(event.node.callee))
    first = places.strip(event.node.args[0])
    if not habits.ATOMICS.isdisjoint(words) and isinstance(first, records.Unary) and first.op == "&":
        traced = tracer.trace(first)
        if traced is not None:
            yield traced, "load" not in words


def _note(found: dict[tuple[str, str], _OwnTouch], key: tuple[str, str], event: e.Event, changes: bool) -> None:
    before = found.get(key)
    if before is not None:
        event, changes = before.event, before.changes or changes
    found[key] = _OwnTouch(event, changes)


def _below_parameters(function: Function, event: e.Event) -> Iterator[tuple[tuple[str, str], bool]]:
    """The members, of the classes that parameters point to, that an event touches, or a function to which it hands
    such a parameter."""
    match event:
        case e.Read(place=(root, name, *_)) | e.Write(place=(root, name, *_)):
            cls = _pointed_to(function, root)
            found = cls.field(name) if cls is not None else None
            if found is not None and _FREE.isdisjoint(
                function.program.types.roles_at(found[1].type, found[0].file, found[0].symbol)
            ):
                yield (found[0].symbol, name), isinstance(event, e.Write)
        case e.CallEvent(node=node) if node.kind == "call" and not _locks_itself(function, event):
            for callee in function.program.calls.callee(node, function).functions[:1]:
                for parameter, argument in zip(callee.record.parameters, node.args, strict=False):
                    inner = places.strip(argument)
                    if not isinstance(inner, records.Name) or _pointed_to(function, inner.text) is None:
                        continue
                    for one in callee.flow:
                        if (
                            isinstance(one, e.Read | e.Write)
                            and one.place[0] == parameter.name
                            and callee is not function
                        ):
                            yield from _below_parameters(callee, one)


def _pointed_to(function: Function, name: str) -> Class | None:
    """The class that a parameter of that name points or refers to."""
    for parameter in function.record.parameters:
        kind = types.parse(parameter.type)
        if parameter.name == name and (kind.pointers == 1 or kind.reference):
            return function.program.names.find_class(kind.name, function.record.scope, function.file)
    return None


def _locks_itself(function: Function, call: e.CallEvent) -> bool:
    spelled = _spelled(function.program)
    bodies = function.program.calls.callee(call.node, function).functions
    return any(not spelled.isdisjoint(one.mentioned) for one in bodies)
