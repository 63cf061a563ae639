"""A check or a change happens in debug builds only.

## What it reports

- the call of a guard (a function that fails depending on a flag) inside an assertion, and nowhere else in the function
- an assignment, an increment, an insertion, an erasure or a call that modifies state inside an assertion
- in a bound function, a range check of an argument that only an assertion makes

## Why it is a bug

Release builds remove assertions, with everything inside them. The guard, the change or the range check does not happen
in the build that users run.

## Example

bad:

```cpp
class Queue {
 public:
  bool start() {
    running_ = true;
    return true;
  }
  void boot() { assert(start()); }
 private:
  bool running_ = false;
};
```

```text
case.cc:7: error: `start` is called only in debug builds, but it sets `running_`
  help: call `start` outside the assertion, and assert on its result
```

good:

```cpp
class Queue {
 public:
  bool start() {
    running_ = true;
    return true;
  }
  void boot() {
    bool started = start();
    assert(started);
    (void)started;
  }
 private:
  bool running_ = false;
};
```

## How to fix it

Do it outside the assertion, and assert on the result.

## What it does not report

- queries and const methods
- values that only assertions read
- code that release builds do not compile

## Known limitations

- The effects of functions that are not found are not guessed.
- Comparisons in functions that are not bound are the callers' contract.
- A lookup in a container that the function then modifies under the same key is `possible`.

## Source

the assertions of MLIR's Python bindings (`liveOperations.count(...) == 0` in IRCore.cpp), and the oldest trap of
`assert`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ownlint import (
    Finding,
    Function,
    because,
    containers,
    events,
    places,
    records,
    rule,
    text,
    types,
    undecoded,
    validity,
    weaker,
)

_GIVES = frozenset({"release", "exchange", "fetch_add", "fetch_sub", "test_and_set"})
_SIZES = frozenset({"size", "length", "count"})
_QUESTION = re.compile(r"(?:[Ii]s|[Hh]as|[Cc]an|[Gg]et)(?![a-z])|[Ff]ind|[Vv]erify|[Cc]heck|[Vv]alid")
_THROWS = re.compile(rb'"throw"')
_QUESTIONS = frozenset({"empty", "get", "ok", "has_value", "begin", "end", "isa", "data", "front", "back"})
_DEPTH = 2
"""How many calls deep a function may make its change."""


@rule(severity="error", cwe=(754,), yields_to=("unguarded-registry-insert", "validity-check-skipped"))
def assert_only_guard(function: Function) -> Iterator[Finding]:
    if not _may_assert(function) or function.file.is_debug(function.record.start) or not _does_something(function):
        return
    for test in function.flow.events:
        if not isinstance(test, events.Test) or not test.asserted or test.evaluated:
            continue
        if test.index in function.flow.reachable and not function.file.is_debug(test.span.start):
            named = _macro_of(function, test)
            by_name = because("name", f"harmless if `{named}` evaluates its argument in every build")
            for found in list(_judge(function, test))[:1]:
                guessed = function.program.macros.is_taken_by_name(named)
                sure = weaker(found.certainty, by_name) if guessed else found.certainty
                yield msgspec.structs.replace(found, certainty=sure)


def _macro_of(function: Function, test: events.Test) -> str:
    """The name of the macro that asserts."""
    for statement in function.statements:
        value = statement.value if isinstance(statement, records.Evaluate) else None
        for call in places.calls_in(value):
            if call.span == test.span:
                return places.last_name(call.callee)
    return ""


def _may_assert(function: Function) -> bool:
    return not undecoded.asserting(function.program).isdisjoint(function.mentioned)


def _is_debug_only(function: Function, name: str) -> bool:
    program = function.program
    return program.macros.role(name) == "assert"


def _does_something(function: Function) -> bool:
    """Whether something beside questions that everybody knows stands in an assertion. Needs no flow."""
    for statement in function.statements:
        value = statement.value if isinstance(statement, records.Evaluate) else None
        for call in places.calls_in(value):
            if _is_debug_only(function, places.last_name(call.callee)):
                for inner in (inner for argument in call.args for inner in places.walk(argument)):
                    if isinstance(inner, records.Assign) or _is_call(inner):
                        return True
    return False


def _is_call(value: records.Value) -> bool:
    return isinstance(value, records.Call) and places.last_name(value.callee) not in _QUESTIONS


def _judge(function: Function, test: events.Test) -> Iterator[Finding]:
    for inner in places.walk(test.value):
        match inner:
            case records.Assign(target=target) if not _is_passing(target) and _is_meant(function, inner):
                yield _change(function, inner, f"modifies `{text(target)}`")
            case records.Call() if inner.kind in ("call", "macro"):
                yield from _called(function, test, inner)
    yield from _ranges(function, test)


def _changes(function: Function) -> frozenset[str]:
    methods = function.program.models.containers
    return methods.takes | methods.keyed | methods.appends


def _is_passing(target: records.Value) -> bool:
    """`++Iterator(root)`: an object that ends with the assertion."""
    inner = places.strip(target)
    return isinstance(inner, records.Call) and not isinstance(inner.callee, records.Member)


# --- calls ----------------------------------------------------------------------------------------


def _called(function: Function, test: events.Test, call: records.Call) -> Iterator[Finding]:
    name, on = places.last_name(call.callee), places.receiver(call)
    roles = _roles(function, on)
    if name in _changes(function) and roles & {"container", "associative", "set", "sequence"}:
        if not _is_for_assertions(function, on):
            yield _change(function, call, f"runs `{text(call)}`")
        return
    if name in _GIVES and roles & {"smart pointer", "atomic", "scoped owner", "intrusive pointer"}:
        yield _change(function, call, f"runs `{text(call)}`")
        return
    if name in function.program.models.containers.looks and on is not None:
        yield from _overwritten(function, test, call)
    callee = function.program.calls.callee(call, function)
    if len(callee.functions) != 1 or callee.functions[0] is function:
        return
    target = callee.functions[0]
    if target.record.kind == "constructor":
        return  # the object ends with the assertion
    if (flag := _refuses(function, target)) and not _is_asked_anyway(function, call, target):
        yield function.finding(
            call,
            f"`{name}` is called only in debug builds, but it is the check of `{flag}`",
            help=f"call `{name}` outside the assertion",
            steps=(target.step(target.record.name_span, "the check"),),
        )
    elif (stored := _stored_by(target, len(call.args), _DEPTH)) and not _is_asked_anyway(function, call, target):
        yield function.finding(
            call,
            f"`{name}` is called only in debug builds, but it sets `{stored[0]}`",
            certainty=because("possible", f"`{name}` looks like a getter that caches its result")
            if _QUESTION.match(name)
            else because("later-use", f"harmless if a release build does not need `{stored[0]}`"),
            help=f"call `{name}` outside the assertion, and assert on its result",
            steps=(stored[1].step(stored[2], "the modification"),),
        )


def _refuses(function: Function, target: Function) -> str:
    """The flag a guard of the project asks; empty when the function is none."""
    cls = target.cls
    if cls is None or not target.says(_THROWS):
        return ""
    for guard in validity.of(function.program).guards_of(cls):
        if (
            guard.function is target
            and guard.flags
            and any(True for leave in target.flow.leaves if leave.kind == "throw")
        ):
            return min(guard.flags)[-1]
    return ""


def _is_asked_anyway(function: Function, call: records.Call, target: Function) -> bool:
    """Whether the same function is called outside of assertions, too."""
    return any(
        not other.asserted and other.node is not call and places.last_name(other.node.callee) == target.name
        for other in function.flow.calls
        if target in function.program.calls.callee(other.node, function).functions
    )


def _stored_by(target: Function, count: int, depth: int) -> tuple[str, Function, events.Event] | None:
    """What a function leaves changed for others: where it stands, and how it is called there."""
    if "const" in target.record.qualifiers or target.file.is_debug(target.record.start):
        return None
    given = {p.name for p in target.record.parameters[:count] if "&" in p.type or "*" in p.type}
    for event in target.flow:
        if event.index not in target.flow.reachable or target.file.is_debug(event.span.start):
            continue
        match event:
            case events.Write(fresh=False, place=place) if _lasts(target, place, given) and not _is_lazy(target, event):
                return places.render(place), target, event
            case events.CallEvent(node=node, receiver=on) if on is not None and _lasts(target, on, given):
                kept = _roles(target, places.receiver(node))
                if places.last_name(node.callee) in _changes(target) and kept & {
                    "associative",
                    "set",
                    "sequence",
                    "container",
                }:
                    return places.render(on), target, event
    for call in target.flow.calls if depth else ():
        if call.asserted or places.receiver(call.node) is not None:
            continue
        callee = target.program.calls.callee(call.node, target)
        inner = callee.functions[0] if len(callee.functions) == 1 else None
        if inner is not None and inner is not target and inner.home is target.home and _has_this(inner):
            found = _stored_by(inner, len(call.node.args), depth - 1)
            if found is not None:
                return found
    return None


def _is_lazy(target: Function, write: events.Write) -> bool:
    """`if (!cache_) cache_ = make();`: a question that remembers its answer."""
    return not isinstance(places.strip(write.value), records.Literal) and any(
        write.place[-1] in (places.last_name(inner) for inner in places.walk(test.value))
        for test, _ in target.flow.guards(write)
    )


def _has_this(function: Function) -> bool:
    return function.home is not None and function.record.kind == "method" and "static" not in function.record.qualifiers


def _roles(function: Function, value: records.Value | None) -> set[str]:
    return set(function.program.types.roles(function.program.types.of(value, function), function))


def _lasts(target: Function, place: places.Place, given: set[str]) -> bool:
    """A member, what a parameter refers to, or a global, unless debug builds alone have it or it may change in
    const methods too."""
    if place[0] == places.THIS:
        found = target.home.field(place[1]) if len(place) > 1 and target.home is not None else None
        if found is None:
            return False
        owner, field = found
        return not owner.file.is_debug(field.start) and "mutable" not in field.type
    if place[0] in given:
        return len(place) > 1
    return not target.is_local(place) and target.program.index.is_variable(place[0])


# --- looks ----------------------------------------------------------------------------------------


def _overwritten(function: Function, test: events.Test, call: records.Call) -> Iterator[Finding]:
    """`assert(!m.count(k)); m[k] = v;`"""
    held = containers.container(function, places.receiver(call))
    if held is None or not call.args:
        return
    for insert in containers.inserts(function):
        if not insert.overwrites or insert.event.index < test.index or not held.is_same(insert.container.names):
            continue
        if containers.is_same_key(function, insert.key, call.args[0]) and not _is_looked_up(function, call, held):
            yield function.finding(
                call,
                f"`{held.shown}` is checked for an existing entry `{text(call.args[0])}` only in debug builds",
                certainty=because("possible", f"it is not known whether `{text(call.args[0])}` can already be present"),
                help="insert with `try_emplace` and check its result",
                steps=(function.step(insert.event, "this overwrites the existing entry"),),
            )
            return


def _is_looked_up(function: Function, call: records.Call, held: containers.Container) -> bool:
    return any(
        not other.asserted
        and other.node is not call
        and places.last_name(other.node.callee) in function.program.models.containers.looks
        and held.is_same(containers.names_of(function, places.receiver(other.node)))
        for other in function.flow.calls
    )


def _ranges(function: Function, test: events.Test) -> Iterator[Finding]:
    """A number from Python that only the assertion compares with a size."""
    for inner in places.walk(test.value):
        match inner:
            case records.Binary(op="<" | "<=", left=records.Name(text=name), right=bound):
                pass
            case records.Binary(op=">" | ">=", left=bound, right=records.Name(text=name)):
                pass
            case _:
                continue
        if not any(places.last_name(call.callee) in _SIZES for call in places.calls_in(bound)):
            continue
        is_given = name in function.parameter_names and _is_bound(function)
        if is_given and not _is_compared(function, name):
            yield function.finding(
                inner,
                f"the range check for `{name}`, which Python supplies, exists only in debug builds",
                certainty=because("caller", "harmless if the Python code around it checks the range"),
                help=f"throw if `{name}` is out of range",
            )


def _is_bound(function: Function) -> bool:
    return bool(function.program.bindings) and validity.of(function.program).bound_as(function) is not None


def _is_compared(function: Function, name: str) -> bool:
    """Whether another condition, or a call that is handed the number, can refuse it."""
    return any(
        isinstance(other, events.Test) and not other.asserted and name in places.names_in(other.value)
        for other in function.flow
    )


# --- changes --------------------------------------------------------------------------------------


def _change(function: Function, inner: records.Value, does: str) -> Finding:
    return function.finding(
        inner,
        f"only a debug build {does}",
        help="do it outside the assertion, and assert on its result",
    )


def _is_meant(function: Function, assign: records.Assign) -> bool:
    """Whether the assignment stands for something outside of assertions. A function of one assertion that counts does
    nothing in a release build, and says so."""
    if assign.op in ("++", "--") and len(function.body) == 1:
        return False
    return not _is_for_assertions(function, assign.target)


def _is_for_assertions(function: Function, target: records.Value | None) -> bool:
    """Whether it is a local that nothing but assertions reads, or a member of debug builds."""
    root = places.strip(target)
    while isinstance(root, records.Member | records.Index | records.Unary):
        root = places.strip(root.value if isinstance(root, records.Unary) else root.base)
    if not isinstance(root, records.Name):
        return False
    if root.text not in function.locals:
        found = function.home.field(root.text) if function.home is not None else None
        return found is not None and found[0].file.is_debug(found[1].start)
    written = types.parse(function.locals[root.text][0])
    if written.reference or written.pointers:
        return False
    asserted = [event.span for event in function.flow if isinstance(event, events.Test) and event.asserted]
    return all(
        any(event.span.start in span for span in asserted) or function.is_voided(event.span)
        for event in function.flow
        if isinstance(event, events.Read) and event.place[0] == root.text
    )
