"""The outcome of a call is thrown away, and the failure with it.

A call returns a status, an error code or an owned error pointer, and nobody looks. The operation may
have failed; the program goes on as if it had not. In a destructor this is the last chance to notice.

bad:

```cpp
class Store {
 public:
  ~Store() { (void)Flush(); }
  absl::Status Flush();
};
```

good:

```cpp
class Store {
 public:
  ~Store() {
    absl::Status status = Flush();
    if (!status.ok()) LOG(WARNING) << "flush failed: " << status;
  }
  absl::Status Flush();
};
```

Reported: a plain statement, a cast to void, an assignment to `std::ignore`, and a status that is stored in a
local nobody reads. What counts as a status comes from the models (values, enums, owned error pointers)
and from the project itself: a class of its own with a `bool ok() const` and something that explains.

Quiet: results taken by reference (`Status& Update(..)` hands back its receiver), idioms that say that the outcome is
meant to be dropped (`IgnoreError()` and its relatives; shown with `--certainty possible`), and a cast to void
with a comment beside it that says why.

Limits: by structure alone a method is resolved through the declared type of its receiver, or by its name where all
methods of that name in the project return a status.

Source: https://abseil.io/docs/cpp/guides/status and a review of XLA's GpuExecutable, whose destructor dropped the
status of a deallocation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Status, Step, events, places, records, rule, text, types, weaker

_SAID = {
    "statement": "is dropped",
    "void cast": "is cast to void",
    "ignore": "is assigned to `std::ignore`",
}
_LAST_CHANCE = re.compile(r"^(?:~|close|shutdown|tear_?down|destroy|finalize|cleanup|dispose)", re.IGNORECASE)


@rule(severity="error")
def discarded_status(function: Function) -> Iterator[Finding]:
    if not function.program.may_drop_status(function):
        return
    for call in function.flow.calls:
        if call.dropped and call.index in function.flow.reachable:
            yield from _dropped(function, call)
    yield from _never_read(function)


def _dropped(function: Function, call: events.Call) -> Iterator[Finding]:
    node = call.node
    name = places.last_name(node.callee)
    if node.kind in ("construct", "delete", "new") or function.program.role(name) and isinstance(node.callee, records.Name):
        return
    written = function.program.result_type(node, function)
    status = function.program.status(written, function)
    if status is not None:
        yield _finding(function, call, status, written, _SAID[call.dropped], _certainty(function, call, status))
        return
    idiom = _discarding_idiom(function, node)
    if idiom is not None:
        inner, status, written = idiom
        where = "possible"
        yield _finding(function, call, status, written, f"is discarded by `{name}`", where, of=inner)


def _certainty(function: Function, call: events.Call, status: Status) -> Certainty:
    callee = function.program.callee(call.node, function)
    sure = weaker(status.certainty, callee.certainty)
    if status.kind == "enum":
        # Error codes of C libraries are dropped on purpose wherever nothing can be done about them.
        sure = weaker(sure, "possible" if _releases(callee.models) or _LAST_CHANCE.match(function.name) else "likely")
    if call.dropped != "statement" and _explained(function, call):
        return "possible"
    return sure


def _releases(models: tuple[object, ...]) -> bool:
    return any(getattr(effect, "verb", "") == "release" for model in models for effect in getattr(model, "effects", ()))


def _explained(function: Function, call: events.Call) -> bool:
    """A comment on the same line or the line above; whoever wrote it has thought about it."""
    return function.has_comment_near(call.span)


def _finding(
    function: Function,
    call: events.Call,
    status: Status,
    written: str,
    said: str,
    certainty: Certainty,
    of: records.Call | None = None,
) -> Finding:
    node = of or call.node
    shown = text(node.callee)
    place = " in a destructor" if function.record.kind == "destructor" else ""
    what = "error" if status.kind == "pointer" else "status"
    return function.finding(
        call,
        f"the {what} of `{shown}` {said}{place}",
        certainty=certainty,
        help=_help(function, status),
        steps=tuple(_declared(function, node, written)),
    )


def _help(function: Function, status: Status) -> str:
    if status.kind == "pointer":
        return "test the error and destroy it; dropping the pointer leaks it"
    if function.record.kind == "destructor" or function.record.result in ("", "void"):
        return "test it and say so when it failed; nothing can be returned from here"
    return "return it, test it, or say in a comment why it does not matter"


def _declared(function: Function, node: records.Call, written: str) -> Iterator[Step]:
    """Where the callee says that it returns a status."""
    callee = function.program.callee(node, function)
    for target in callee.functions[:1]:
        span = records.Span(target.record.name_start, target.record.name_start + len(target.name.encode()))
        yield target.step(span, f"`{target.name}` returns `{written}`")


def _discarding_idiom(function: Function, node: records.Call) -> tuple[records.Call, Status, str] | None:
    """`Work().IgnoreError()`: the call inside, when the outer one is an idiom of its status type."""
    callee = node.callee
    inner = callee.base if isinstance(callee, records.Member) else node.args[0] if len(node.args) == 1 else None
    inner = places.strip(inner)
    if not isinstance(inner, records.Call) or inner.kind == "construct":
        return None
    written = function.program.result_type(inner, function)
    status = function.program.status(written, function)
    name = places.last_name(callee)
    if status is None or not any(name and name in idiom for idiom in status.discard):
        return None
    return inner, status, written


def _never_read(function: Function) -> Iterator[Finding]:
    """A local that takes a status and is never looked at, or is overwritten before anybody could look."""
    flow = function.flow
    for write in flow.writes:
        call = places.strip(write.value)
        if len(write.place) != 1 or not isinstance(call, records.Call) or call.kind in ("construct", "new", "macro"):
            continue
        if write.index not in flow.reachable or not function.is_local(write.place) or write.place[0] in _captured(function):
            continue
        if write.type and types.parse(write.type).reference:
            continue
        if not write.fresh and _is_parameter_by_reference(function, write.place[0]):
            continue
        local = write.place

        def looks(event: events.Event, local: tuple[str, ...] = local) -> bool:
            return (isinstance(event, events.Read) and event.place[0] == local[0]) or isinstance(event, events.Opaque)

        def replaces(event: events.Event, write: events.Write = write, local: tuple[str, ...] = local) -> bool:
            return isinstance(event, events.Write) and event is not write and event.place == local

        if any(looks(event) for event in flow.after(write, replaces)):
            continue
        written = function.program.type_of(call, function)
        status = function.program.status(written, function)
        if status is None or status.kind == "enum" or _marked_unused(function, write):
            continue
        event = next((c for c in flow.calls if c.node is call), None)
        if event is None:
            continue
        again = next((other for other in flow.after(write) if replaces(other)), None)
        said = f"goes to `{local[0]}`, which is {'overwritten' if again else 'never read'}"
        sure = weaker(status.certainty, function.program.callee(call, function).certainty)
        found = _finding(function, event, status, written, said, sure)
        yield found


def _captured(function: Function) -> frozenset[str]:
    """Locals a lambda may look at."""
    return frozenset(
        name
        for inner in function.lambdas()
        for name in function.locals
        if name.encode() in bytes(inner.record.body)
    )


def _is_parameter_by_reference(function: Function, name: str) -> bool:
    return any(p.name == name and ("&" in p.type or "*" in p.type) for p in function.record.parameters)


def _marked_unused(function: Function, write: events.Write) -> bool:
    return "unused" in write.type or write.place[0].startswith("_") or write.place[0] in ("unused", "ignored", "ignore")
