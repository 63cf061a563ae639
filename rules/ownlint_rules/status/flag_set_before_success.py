"""A flag is set before the work that it stands for has succeeded.

## What it reports

- a flag or state that outlives the call (a member, a global, something behind a pointer), and is set before a call that
  can fail
- a failing path on which it is not reset
- a condition that later skips the work because of the flag
- in Python the same of attributes and globals

## Why it is a bug

If the call fails, the flag stays set. The next caller sees it, skips the work and uses something that was never
initialized. One transient error becomes a permanent one.

## Example

bad:

```cpp
Status Session::Connect() {
  if (connected_) return OkStatus();
  connected_ = true;
  RETURN_IF_ERROR(Handshake());
  return OkStatus();
}
```

```text
case.cc:3: error: `connected_` is set before `Handshake`, which can fail: after a failure it is not retried
  help: set `connected_` after `Handshake` has succeeded, or reset it on the failing path
```

good:

```cpp
Status Session::Connect() {
  if (connected_) return OkStatus();
  RETURN_IF_ERROR(Handshake());
  connected_ = true;  // set once the handshake has succeeded
  return OkStatus();
}
```

## How to fix it

Set the flag after the work has succeeded, or reset it on the failing path (a scope guard does it on every path).

## What it does not report

- a second call that is refused rather than skipped (`CHECK(!sent_)`, "already started")
- a failure that is stored with the flag, and a cleanup, handler or guard object that resets the flag
- objects that are destroyed on failure, flags against recursion, states of a parser
- what is set first on purpose: names and methods that end things (`closed_`, `Stop`)
- with the default `--certainty`: flags that are cleared (`has_name_ = false`), objects that store their error or are
  notified on the failing path (`return Fail(status)`), callbacks that fail, flags that another method clears together,
  and flags that are set by `compare_exchange` where later callers get another member, such as a future

## Known limitations

- A finding is `certain` if the same function tests the flag before it sets it, and `likely` if another method does, or
  if the flag is a count, a key in a set, the last applied value or an object.
- A call counts as fallible if its outcome is tested, returned or passed to a macro that returns; exceptions count
  where the project's own callee throws or lets out what a library's function throws (through two functions), where
  the comment of its declaration says so (`@throws`), or where a handler in the same function turns them into an
  error; a handler that only rethrows does not. The result of a call that only queries, by its name or because it is
  const, is not an outcome.
- A flag that says what is still held (`mapped_`) is reported if a releasing method clears it first, can fail, and is
  called again by the destructor.
- A guard object is recognized by receiving the flag, or by a destructor of the project that writes it.

## Source

a review of GPU command-buffer caching in XLA, where an initialisation flag was set 21 lines before the `Record` call it
announced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    assignments,
    because,
    conditions,
    events,
    failure,
    glance,
    lasting,
    places,
    questions,
    records,
    rule,
    stored_calls,
    trials,
    types,
    weaker,
)
from ownlint_rules.status import _passing as passing
from ownlint_rules.status import _skipping as skipping
from ownlint_rules.status import _undoing as undoing
from ownlint_rules.status import _unfinished as unfinished

_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
# Said first on purpose: what they announce must not be tried twice, whether or not it works.
_ONCE_ONLY = re.compile(
    r"clos|finish|shut|cancel|abort|destroy|stop|terminat|dispos|exit|quit|delet|visit|seen|attempt|tried|called|invoked|dirty|dead"
    r"|err|fail|bad|broken|invalid|stale|warn|print|report|eof|ended|drain|exhaust|consum|disconnect|releas|freed|interrupt|kick"
    r"|logged$"
)
_OUTDATED = re.compile(r"dirty|stale|invalid|outdated")
# A state that promises nothing of the work.
_UNDER_WAY = re.compile(r"pending|progress|waiting|end$")
_ENDING = re.compile(
    r"(?:(?:do|try|force|maybe|on|async|internal)_?)?"
    r"(?:close|shut|stop|finish|cancel|abort|destroy|terminat|dispos|tear_?down|end(?![a-z])|release|free|clear|reset"
    r"|clean_?up|unload|disconnect|exit|quit|kill|halt|uninstall|deinit|unmap|unmount|drain)",
    re.IGNORECASE,
)
_RELEASING = re.compile(
    r"(?:(?:do|try|maybe|internal)_?)?(?:release|free|deallocate|unmap|unmount|unload|unregister|detach|destroy|return"
    r"|give_?back|deinit|uninstall)",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(r"(?:m_)?(?:is|has|have)(?:_|(?=[A-Z]))")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SURE_KINDS = frozenset({"flag", "state", "bit"})


@rule(
    severity="error",
    cwe=(696,),
    languages=("cpp", "python"),
    anchors=(
        r"\bR?Lock\(",
        r"\bCDLL\(",
        r"\bdlopen\(",
        r"\b(?:self|cls)\.\w+(?:\[[^\]\n]+\])? = (?:True\b|\"\w+\"|'\w+')",
        r"\b(?:self|cls)\.\w+\.add\(",
        r"\bglobal \w",
    ),
    yields_to=("recorded-before-success", "cached-before-success"),
)
def flag_set_before_success(function: Function) -> Iterator[Finding]:
    if not _may_announce(function):
        return
    again = _tries_again(function) if _is_ending(function) else None
    if _is_ending(function) and again is None:
        return
    told: set[int] = set()
    failing: list[failure.Failure] | None = None
    for announced in assignments.assignments(function):
        if announced.event.span.start in told or not _announces(function, announced):
            continue
        if again is not None and announced.held.kind != "cleared":
            continue
        if not skipping.may_be_skipped(function, announced):
            continue
        if failing is None:
            failing = [*failure.failures(function), *failure.thrown(function, passed=True)]
            if function.language == "python":  # what it returns is an answer, and no outcome
                failing = [failed for failed in failing if failed.leave.kind == "throw"]
            failing.sort(key=lambda failed: failed.certainty == "possible")  # one that is surer is reported
        for failed in unfinished.failures_after(function, announced, failing):
            skip = skipping.skip_here(function, announced, failed) or skipping.skip_elsewhere(
                function, announced, failed
            )
            if skip is not None:
                told.add(announced.event.span.start)
                yield _finding(function, announced, failed, skip, again)
                break


_DONE = {"cleared": ("cleared", "clear"), "object": ("assigned", "assign"), "copy": ("assigned", "assign")}


def _finding(
    function: Function,
    announced: assignments.Assignment,
    failed: failure.Failure,
    skip: skipping.Skip,
    again: Function | None,
) -> Finding:
    flag = assignments.spelled(function, announced.place)
    cause = failed.cause
    work = failure.work(function, cause)
    done, advice = _DONE.get(announced.held.kind, ("set", "set"))
    raises = "raise" if function.language == "python" else "throw" if failed.leave.kind == "throw" else "fail"
    early = skip.step.path == function.path and skip.step.span.start <= announced.event.span.start
    steps = [skip.step] if early else []
    is_apart = cause is None or failed.leave.span != cause.span
    fails = "fail" if is_apart else raises
    if cause is not None:
        steps.append(function.step(cause, f"{work} can {fails} here"))
    if is_apart:
        leaves = "returns" if failed.leave.kind != "throw" else f"{raises}s"
        steps.append(function.step(failed.at, f"this {leaves} with `{flag}` {done}"))
    if not early:
        steps.append(skip.step)
    sure: Certainty = "certain"
    if again is not None:
        steps.append(again.step(again.record, f"a retry of `{again.name}` sees the flag and does nothing"))
        sure = because("value", "harmless if a retry may do nothing")
    elif announced.held.kind not in _SURE_KINDS:
        sure = because("intent", f"harmless if `{function.name}` is not called again after a failure")
    before = f"{work}, which can {fails}" if cause is not None else "the work has succeeded"
    advised = f"{advice} `{flag}` after {work} has succeeded"
    if announced.held.kind == "object":
        advised = f"initialize a local variable, and assign it to `{flag}` after {work} has succeeded"
    if cause is not None and isinstance(failed.leave.value, records.Call) and failed.leave.value is cause.node:
        advised = f"store the result of {work}, {advice} `{flag}` if it is a success, and return it"
    else:
        advised += ", or reset it on the failing path"
    return function.finding(
        announced.event,
        f"`{flag}` is {done} before {before}: after a failure it is not retried",
        certainty=weaker(weaker(sure, skip.certainty), _how_likely(function, announced, failed)),
        help=advised,
        steps=tuple(steps),
    )


def _how_likely(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> Certainty:
    """What a caller handed in goes with the exception more often than not; what is or has something no longer is or
    has it, whatever comes next; and an object that keeps its own error refuses the next call."""
    if trials.is_trial(function):
        return because("possible", trials.REASON)
    unwound = failed.leave.kind == "throw" and function.is_local(announced.place)
    if unwound and announced.place[0] not in lasting.statics(function):
        return because(
            "possible", f"`{announced.place[0]}` is a local variable that may be discarded with the exception"
        )
    flag = assignments.spelled(function, announced.place)
    if announced.held.kind == "cleared" and _DESCRIBES.match(announced.place[-1]):
        return because("possible", f"`{flag}` may describe what is already gone, whatever follows")
    if _keeps_its_error(function, announced, failed):
        return because("possible", "the object stores its error and may refuse the next call")
    if undoing.tells_object(function, announced, failed):
        return because("possible", "the failing path notifies the object, which may refuse the next call")
    if failed.cause is not None and _is_callback(function, failed.cause):
        return because("possible", f"`{flag}` may say that the callback was called, which is not done twice")
    if _is_latch(function, announced):
        return because(
            "possible", f"`{flag}` lets one thread in, and the others may get the failure from what it shares"
        )
    if passing.ends_with_failure(function, announced.place, failed):
        return because("possible", "every known caller discards the object when it fails")
    if _is_at_top(function, announced):
        return because("possible", f"`{flag}` may be a different element afterwards")
    if _is_about_its_own_block(function, announced, failed):
        return because("possible", f"`{flag}` may describe only the block that it closes, which has succeeded")
    if _is_emptied_each_round(function, announced):
        return because(
            "possible", f"the flags next to `{flag}` are cleared together, perhaps before the work is redone"
        )
    return failed.certainty


def _is_latch(function: Function, announced: assignments.Assignment) -> bool:
    """Whether the flag is set where it is compared, in one step, to let one thread in, while those that come later get
    what the object keeps beside it, such as a future: that can tell them of the failure."""
    event = announced.event
    if not isinstance(event, events.CallEvent) or places.last_name(event.node.callee) not in assignments.SWAPS:
        return False
    is_set = conditions.Given(announced.place, announced.held)
    return any(
        _is_beside(function, part, announced.place)
        for leave in function.flow.leaves
        if event in function.flow.dominators(leave) and conditions.may_come(function, leave, (is_set,))
        for part in places.walk(leave.value)
    )


def _is_at_top(function: Function, announced: assignments.Assignment) -> bool:
    """Whether a member of the same object says which element it is, as the top of a stack does: who pushes changes
    that."""
    target = places.strip(announced.event.target) if isinstance(announced.event, events.Write) else None
    owner = assignments.place(function, target.base) if isinstance(target, records.Index) else None
    if not isinstance(target, records.Index) or owner is None or len(owner) < 2:
        return False
    chosen = (assignments.place(function, index) for index in target.indexes)
    return any(one is not None and len(one) > 1 and one[:-1] == owner[:-1] for one in chosen)


def _is_callback(function: Function, cause: events.CallEvent) -> bool:
    """Whether what can fail is a callback, which is notified once whether or not it succeeds."""
    program, callee = function.program, cause.node.callee
    if stored_calls.stored_calls(program).stored(function, callee) is not None:
        return True
    written = program.names.expand(program.types.of(callee, function), function.file, function.record.scope)
    return isinstance(callee, records.Member) and bool(types.called(written))


def _is_emptied_each_round(function: Function, announced: assignments.Assignment) -> bool:
    """Whether the flag is an element of a set that another method empties as a whole and then goes on with its work."""
    place, home = announced.place, function.home
    if home is None or not place[-1].startswith("["):
        return False
    held_in = next((step for step in reversed(place) if not step.startswith("[")), "")
    return any(
        _empties_and_goes_on(other, held_in)
        for other in home.methods
        if other is not function and other.record.kind == "method" and glance.says(other, held_in)
    )


def _empties_and_goes_on(method: Function, held_in: str) -> bool:
    empties = method.program.models.containers.empties
    return any(
        call.receiver is not None
        and call.receiver[-1] == held_in
        and not call.node.args
        and places.last_name(call.node.callee) in empties
        and any(isinstance(event, events.CallEvent) for event in method.flow.after(call))
        for call in method.flow.calls
    )


def _is_about_its_own_block(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether it closes a block of an `if` whose own work has succeeded, while what fails stands behind the block."""
    at, cause = announced.event, failed.cause
    blocks = [
        records.Span(body[0].start, body[-1].end)
        for branch in function.statements
        if isinstance(branch, records.Branch)
        for body in (branch.then, branch.other)
        if body and body[0].start <= at.span.start < body[-1].end
    ]
    if not blocks or cause is None:
        return False
    block = min(blocks, key=lambda span: span.end - span.start)
    if cause.span.start < block.end:
        return False
    return any(
        other.cause is not None and block.start <= other.cause.span.start < at.span.start
        for other in failure.failures(function)
    )


def _keeps_its_error(function: Function, announced: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the work leaves an error in the same object, which is asked for before the flag is set; or the failing
    way puts one there itself."""
    if failed.cause is None:
        return False
    if any(
        isinstance(event, events.Write)
        and event.index > announced.event.index
        and event.place != announced.place
        and event.place[:-1] == announced.place[:-1]
        and _is_error(event.place[-1])
        for event in function.flow.dominators(failed.leave)
    ):
        return True
    asked = {
        name.text if isinstance(name, records.Name) else name.name
        for test in function.flow.dominators(announced.event)
        if isinstance(test, events.Test) and not test.asserted
        for name in places.walk(test.value)
        if isinstance(name, records.Name | records.Member) and _is_beside(function, name, announced.place)
    }
    answer = assignments.place(function, failed.leave.value) if failed.leave.value is not None else None
    if answer is not None and answer[:-1] == announced.place[:-1] and answer[-1] in asked:
        return True
    return any(skipping.writes(function, failed.cause.node, name) for name in asked if _is_error(name))


def _is_beside(function: Function, value: records.Value, place: Place) -> bool:
    where = assignments.place(function, value)
    return where is not None and where != place and len(where) > 1 and where[:-1] == place[:-1]


def _is_error(name: str) -> bool:
    return any(word.lower().startswith(("err", "fail", "status", "bad")) for word in _WORDS.findall(name))


# --- what announces --------------------------------------------------------------------------------------


def _may_announce(function: Function) -> bool:
    """Whether it sets something that may be asked for again, and may leave early. Needs no decoding."""
    record = function.record
    if record.kind in ("constructor", "destructor", "module", "class"):
        return False
    if _is_ending(function) and not (function.home is not None and _RELEASING.match(record.name)):
        return False
    return glance.may_fail(function) and any(_may_be_asked_for(function, name) for name in glance.names_set(function))


def _is_ending(function: Function) -> bool:
    """Whether its name says that it ends something, which is announced first on purpose."""
    return bool(_ENDING.match(function.name) or _RELEASING.match(function.name))


def _tries_again(function: Function) -> Function | None:
    """The destructor of the class that calls what gives something back, itself or by another method: it counts on what
    the flag says."""
    destructor = function.home.destructor if function.home is not None else None
    if destructor is None or destructor is function:
        return None
    called = (
        [destructor, *(m for m in destructor.home.methods if destructor.mentions(m.name))] if destructor.home else []
    )
    return destructor if any(one is not function and one.mentions(function.name) for one in called) else None


def _may_be_asked_for(function: Function, name: str) -> bool:
    if not name:
        return True
    if _is_said_once(name) and not _wants_work(name):
        return False
    if glance.asks_again(function, name):
        return True
    return any(other is not function and glance.may_ask(other, name) for other in skipping.neighbours(function))


def _is_said_once(name: str) -> bool:
    return any(_ONCE_ONLY.match(word.lower()) for word in _WORDS.findall(name))


def _wants_work(name: str) -> bool:
    """Whether it says that there is work to be done, which is right before it and wrong once it is cleared."""
    return any(_OUTDATED.match(word.lower()) for word in _WORDS.findall(name))


def _is_under_way(state: str) -> bool:
    """Whether a state says that there is something left to wait for, or nothing left to read."""
    return any(_UNDER_WAY.match(word.lower()) for word in _WORDS.findall(state))


def _announces(function: Function, announced: assignments.Assignment) -> bool:
    """Whether a flag or a state that outlives the call is set, and not on purpose before the work."""
    place = announced.place
    names = [step for step in place if not step.startswith("[")]
    if not names or announced.held.kind == "emptied" or any(lasting.is_setting(name) for name in names[:-1]):
        return False
    state = announced.held.text if announced.held.kind == "state" else ""
    if announced.held.kind == "cleared" and _wants_work(names[-1]):
        return lasting.outlives(function, announced)  # `dirty_ = false`: the work is said to be done
    if _is_said_once(names[-1]) or _is_said_once(state) or _is_under_way(state):
        return False
    if announced.held.kind == "entry" and _is_numbered(function, announced.event):
        return False
    if announced.held.kind == "entry" and len(place) == 2 and function.is_local(place):
        return False  # A set that is handed about belongs to one run of an algorithm.
    op = announced.event.op if isinstance(announced.event, events.Write) else ""
    if (op == "=" and _counts(function, place)) or (op == "++" and _counts_down(function, place)):
        return False
    if announced.held.kind == "count" and _may_be_owed(function, place):
        return False
    if announced.held.kind == "cleared" and (_is_null(function, announced) or _is_taken(function, announced)):
        return False
    if announced.held.kind == "flag" and announced.held.text == "1" and _is_measured(function, place):
        return False
    return lasting.outlives(function, announced)


def _is_numbered(function: Function, event: events.Event) -> bool:
    """Whether the key is put in with the number that it comes in as."""
    if not isinstance(event, events.CallEvent) or event.receiver is None or len(event.node.args) < 2:
        return False
    return assignments.is_number_of(function, event.receiver, event.node.args[-1])


def _counts(function: Function, place: Place) -> bool:
    """Whether it is a number that is counted or computed with, rather than one that says how far the work has come."""
    if any(
        write.op in ("++", "--", "+=", "-=")
        or (isinstance(write.value, records.Binary) and write.value.op in _ARITHMETIC)
        for write in function.flow.writes_to(place)
    ):
        return True
    return place in _computed_with(function)


@questions.flow_question
def _computed_with(function: Function) -> frozenset[Place]:
    """The places by whose own names numbers are computed."""
    operands = (operand for value in function.values for operand in _operands(value))
    named = ((assignments.place(function, one), places.last_name(places.strip(one))) for one in operands)
    return frozenset(place for place, name in named if place is not None and place[-1] == name)


def _is_measured(function: Function, place: Place) -> bool:
    """Whether another method lets a function of the project work the number out: `measure(image, level_count_);`. Then
    one is a number like another."""
    if function.home is None or place[0] != places.THIS or len(place) != 2:
        return False
    return any(
        _is_filled(method, call, place[1])
        for method in function.home.methods
        if method is not function and glance.says(method, place[1])
        for call in method.flow.calls
    )


def _is_filled(method: Function, call: events.CallEvent, name: str) -> bool:
    """Whether the member is given to a reference to a number that is not `const`, or by its address to a pointer."""
    given = {number for number, one in enumerate(call.node.args) if _names_member(method, one, name)}
    return any(
        number in given and (kind := types.parse(parameter.type)).last in types.SCALARS - {"bool"} and not kind.const
        for callee in (method.program.calls.callee(call.node, method).functions if given else ())
        for number, parameter in enumerate(callee.record.parameters)
        if "&" in parameter.type or "*" in parameter.type
    )


def _names_member(method: Function, value: records.Value, name: str) -> bool:
    inner = places.strip(value)
    if isinstance(inner, records.Unary) and inner.op == "&":
        inner = places.strip(inner.value)
    return assignments.place(method, inner) == (places.THIS, name)


def _may_be_owed(function: Function, place: Place) -> bool:
    """Whether the function asks if the number is below zero: it says how many are left, and not how often something
    was done."""
    return any(
        isinstance(inner, records.Binary)
        and inner.op == "<"
        and isinstance(zero := places.strip(inner.right), records.Literal)
        and zero.text == "0"
        and any(assignments.place(function, part) == place for part in places.walk(inner.left))
        for event in function.flow.of(events.Test)
        if isinstance(event, events.Test)
        for inner in places.walk(event.value)
    )


def _counts_down(function: Function, place: Place) -> bool:
    """Whether the function counts it down as well: so many are waiting, not so often was it done."""
    return any(write.op in ("--", "-=") for write in function.flow.writes_to(place))


def _operands(value: records.Value) -> tuple[records.Value, ...]:
    """What a computed number is computed of."""
    if isinstance(value, records.Unary):
        return (value.value,) if value.op == "-" else ()
    if isinstance(value, records.Binary) and value.op in _ARITHMETIC:
        return (value.left, value.right)
    return ()


def _is_null(function: Function, announced: assignments.Assignment) -> bool:
    """Whether the zero is that of a pointer: nothing is there yet."""
    event = announced.event
    if announced.held.text != "0" or not isinstance(event, events.Write):
        return False
    written = function.program.types.of(function.target(event), function)
    return bool(types.parse(written).pointers) or any(
        _is_compared_with_null(function, test.value, announced.place)
        for test in function.flow.events
        if isinstance(test, events.Test)
    )


def _is_taken(function: Function, announced: assignments.Assignment) -> bool:
    """Whether a local has taken over the number that is set to 0: so much was waiting, and the local says what is done
    with it."""
    flow, event = function.flow, announced.event
    return announced.held.text == "0" and any(
        isinstance(one, events.Write)
        and len(one.place) == 1
        and function.is_local(one.place)
        and assignments.place(function, places.strip(one.value)) == announced.place
        and not any(one.index < other.index < event.index for other in flow.writes_to(announced.place))
        for one in flow.dominators(event)
    )


def _is_compared_with_null(function: Function, value: records.Value, place: Place) -> bool:
    for inner in places.walk(value):
        if isinstance(inner, records.Binary) and inner.op in ("==", "!="):
            for one, other in ((inner.left, inner.right), (inner.right, inner.left)):
                held = assignments.held(other)
                if held is not None and held.kind == "emptied" and assignments.place(function, one) == place:
                    return True
    return False
