"""The status that a call returns is discarded, so a failure goes unnoticed.

## What it reports

- a status, error code or owned error pointer that is discarded by a plain statement, a cast to void or an assignment to
  `std::ignore`
- a status in a local that is never read, that is overwritten before it is checked, or of which a loop checks only the
  last one; an `int` that is overwritten, if the function checks every other result of the same callee
- a code on which depends whether written data is kept (`fsync`), also through functions of the project, if the function
  checks another call on the same object and answers with an outcome itself
- the answer of `read` and its like, which is -1 on failure, in an unsigned local, if no test of it tells a failure from
  a number
- an exception that is created and not thrown
- in a destructor also `std::error_code` results, enums and codes whose call decides whether data was written (`fsync`)

## Why it is a bug

The operation may have failed, but the program continues as if it had succeeded: data is lost, or the error appears far
from its cause. In a destructor this is the last chance to notice. A discarded error pointer also leaks.

## Example

bad:

```cpp
class Store {
 public:
  ~Store() { (void)Flush(); }
  absl::Status Flush();
};
```

```text
case.cc:3: error: the status returned by `Flush` is cast to void in a destructor
  help: check `.ok()` and log a failure; a destructor cannot return it
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

## How to fix it

Return the status, check it, or log it; in a destructor log it. If the failure can be ignored, say why in a comment.
`--fix` adds a log statement in destructors, with the logging macro of the file.

## What it does not report

- results taken by reference (`Status& Update(..)` returns its receiver)
- explicit idioms (`IgnoreError()`) and casts to void with a comment, but in a destructor only where the comment speaks
  of failure
- `LogicalResult` and other results whose failure is an ordinary answer
- statuses discarded while another failure is being handled or reported, and calls that only try (`..IfPossible`)
- calls that report the failure themselves, that fill only locals with defaults, or whose result most callers discard
- queries of which nothing reads the output, functions of a program that nothing calls, and prefetches
- calls after which the last error is checked (`cudaGetLastError`), by the function, a macro, a callee or every caller
- C interfaces whose functions all discard it, tests and benchmarks, statuses that the object also stores, callees that
  always succeed, codes of calls that destroy

## Known limitations

- All but the references are shown with `--certainty possible`.
- What counts as a status comes from the models and from the project: a class with `bool ok() const` and an explanation,
  or an enum marked `[[nodiscard]]`.
- Without type information a method is resolved by the declared type of its receiver, or by its name if all methods of
  that name return a status.
- A local marked as unused is reported like any other, and so is a plain statement with a reason next to it. A comma
  inside a larger expression, `(f(), x)`, is not analysed.

## Source

https://abseil.io/docs/cpp/guides/status and a review of XLA's GpuExecutable, whose destructor dropped the status of a
deallocation.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from ownlint import (
    Certainty,
    Edit,
    Finding,
    Fix,
    Function,
    Status,
    Step,
    assignments,
    because,
    events,
    exceptions,
    failure,
    glance,
    habits,
    must_look,
    pairs,
    places,
    questions,
    records,
    rule,
    tempered,
    text,
    trials,
    types,
    weaker,
)
from ownlint_rules.status import _answers as answers
from ownlint_rules.status import _destructors as destructors
from ownlint_rules.status import _stored_results as results
from ownlint_rules.status import _telling as telling
from ownlint_rules.status import _unread_outputs as outputs
from ownlint_rules.status import _unsigned_answers as unsigned

_NAMES = re.compile(rb'"(\w+)"')
"""Every name in an encoded body."""
_SAID = {
    "statement": "is ignored",
    "void cast": "is cast to void",
    "ignore": "is assigned to `std::ignore`",
}
_KINDS = {"enum": "error code", "result": "result"}
_LAST_CHANCE = re.compile(r"^_*(?:~|close|shutdown|tear_?down|destroy|finalize|cleanup|dispose)", re.IGNORECASE)
_BEST_EFFORT = re.compile(r"if_?possible|best_?effort|prefetch", re.IGNORECASE)
_ENDS = re.compile(r"(?:Destroy|Free|Release|(?:^|_)(?:destroy|free|release))(?![a-z])")
"""An object of a C library is given up: nothing can be done when that fails."""
_ASSIGNS = re.compile(glance.opens(records.Assign) + glance.opens(records.Name) + rb'"([^"]*)"\]')
_FEW_ASSIGNED = 3
_DROPS_INSIDE = (b'"void"', b'",",')
"""In an encoded body: a cast to void and a comma, wherever they stand."""
_HABIT = 4
_OUTCOMES = frozenset({"err", "error", "errno", "errcode", "ec", "status", "result", "outcome"})
"""Words of what a call fills in to say how it went."""
_DROPS = ("void cast", "ignore", "statement")
"""So many deliberate drops, in two functions or more, say that nobody in the project waits for this answer."""
_NEAR, _MANY = 48, 8
"""So many functions before and behind are looked at; so many that drop alike are an interface without an answer."""

_ON_PURPOSE = "it appears to be ignored on purpose"
_NO_STATUS = "the type of the result is not a status; `[[nodiscard]]` says that it matters"
_MEMBER = "harmless if code that was not analysed reads the member in the meantime"


@rule(severity="error", cwe=(252,), fixable=True)
def discarded_status(function: Function) -> Iterator[Finding]:
    if function.language != "cpp":
        return
    yield from _unread_errors(function)
    yield from _overwritten_codes(function)
    yield from _lost_writes(function)
    yield from _unsigned(function)
    yield from _unthrown(function)
    if not destructors.runs_last(function) and not function.program.statuses.may_drop(function):
        return
    stored = _stored(function)
    if stored or _may_drop_on_the_spot(function):
        for call in function.flow.calls:
            if call.dropped and call.index in function.flow.reachable and _may_answer(function, call.node):
                yield from _dropped(function, call)
    if stored:
        yield from _never_read(function, stored)
    yield from _lost_in_member(function)
    yield from _answered_to_nobody(function)


def _unread_errors(function: Function) -> Iterator[Finding]:
    """`std::error_code ec; rename(from, to, ec);` in a destructor."""
    for unread in destructors.unread_errors(function):
        said = f"is stored in `{unread.name}`, which is never read"
        certainty = because("intent", "the failure may be ignored on purpose")
        if unread.is_meant or function.has_comment_near(unread.call.span):
            certainty = because("possible", _ON_PURPOSE)
        if trials.is_trial(function):
            certainty = because("possible", trials.REASON)
        yield _finding(function, unread.call, unread.status, unread.status.name, said, certainty)


def _unthrown(function: Function) -> Iterator[Finding]:
    """`if (!p) std::invalid_argument("null");`."""
    for made in exceptions.unthrown(function):
        called = places.spelled(made)
        yield function.finding(
            made,
            f"`{called}` is created and not thrown",
            certainty=because("possible", trials.REASON) if trials.is_trial(function) else "certain",
            help="throw it, or remove the statement",
        )


def _unsigned(function: Function) -> Iterator[Finding]:
    """`size_t got = read(fd, data, size); if (got < 0) return;`."""
    for one in unsigned.unseen(function):
        called = text(one.call.node.callee)
        steps = () if one.test is None else (function.step(one.test, f"this is {one.holds} true"),)
        yield function.finding(
            one.call,
            f"a failure of `{called}` is taken for a large number, since `{one.local}` is unsigned",
            certainty=because("possible", trials.REASON) if trials.is_trial(function) else "certain",
            help=f"declare `{one.local}` as `ssize_t`, and check that it is not below 0",
            steps=steps,
            cause=called,
        )


def _lost_writes(function: Function) -> Iterator[Finding]:
    """`fsync(fd);` in a function that looks at what `write(fd, ..)` answers."""
    if not destructors.may_lose_writes(function) or destructors.runs_last(function):
        return
    for call in function.flow.calls:
        if destructors.loses_writes(function, call) and _answer(function, call)[1] is None:
            status = Status("int", "enum", False, (), (), "certain")
            certainty = _certainty(function, call, call.node, status, call.dropped)
            if function.has_comment_near(call.span) or function.has_comment_behind(call.span):
                certainty = because("possible", "there is a comment next to it")
            yield _finding(function, call, status, "int", _SAID[call.dropped], certainty)


def _answered_to_nobody(function: Function) -> Iterator[Finding]:
    """What a lambda answers to a caller that looks at no answer: `std::for_each`."""
    if function.record.kind != "lambda" or function.record.result:
        return
    callers = [model for model, _, _ in function.program.calls.called_by(function) if model.drops_answers]
    if not callers:
        return
    values = (places.strip(one.value) for one in function.statements if isinstance(one, records.Leave))
    answered = {(value.start, value.end) for value in values if value is not None}
    for call in function.flow.calls:
        if (call.node.start, call.node.end) not in answered or _is_no_work(function, call.node):
            continue
        written, status = _answer(function, call)
        if status is not None:
            said = f"goes to `{callers[0].name}`, which ignores it"
            certainty = _certainty(function, call, call.node, status, "statement")
            yield _finding(function, call, status, written, said, certainty)
            return


# --- before the body's paths are asked for ---


def _may_drop_on_the_spot(function: Function) -> bool:
    """Whether a statement, a cast to void or a comma drops what may be a status."""
    body = function.encoded
    return any(mark in body for mark in _DROPS_INSIDE) or any(
        _may_answer(function, call) for call in _loose_calls(function.statements)
    )


def _loose_calls(body: Iterable[records.Statement]) -> Iterator[records.Call]:
    """The calls whose answer a statement drops."""
    for statement in body:
        pending: list[records.Value | None] = []
        match statement:
            case records.Evaluate(value=value) | records.Loop(step=value):
                pending.append(value)
        while pending:
            match pending.pop():
                case records.Call() as call:
                    yield call
                case records.Conditional(then=then, other=other):
                    pending += [then, other]
                case records.Assign(target=records.Name(text=name), value=inner) if name.endswith("ignore"):
                    pending.append(inner)
                case records.Unary(value=inner) | records.Cast(value=inner):
                    pending.append(inner)


def _may_answer(function: Function, call: records.Call) -> bool:
    """Whether it, or what it is called on or given, can be a status: by names alone."""
    if destructors.runs_last(function):
        return True
    statuses = function.program.statuses
    inner: records.Value | None = call
    while isinstance(inner, records.Call):
        if isinstance(inner.callee, records.Lambda) or statuses.may_answer(places.last_name(inner.callee), function):
            return True
        if isinstance(inner.callee, records.Member):
            inner = inner.callee.base
        else:
            inner = places.strip(inner.args[0]) if len(inner.args) == 1 else None
    return False


# --- dropped on the spot ---


def _dropped(function: Function, call: events.CallEvent) -> Iterator[Finding]:
    if not _asks_alone(function, call.node):
        if _is_no_work(function, call.node):
            return
        written, status = _answer(function, call)
        if status is not None and _is_asked_of_argument(function, call):
            return
    else:
        written, status = "", None
    if status is not None:
        certainty = _certainty(function, call, call.node, status, call.dropped)
        if call.dropped != "statement" and _is_explained(function, call.span):
            certainty = because("possible", "there is a comment next to it")  # whoever wrote it has thought about it
        yield _finding(function, call, status, written, _SAID[call.dropped], certainty)
        return
    idiom = _discarding_idiom(function, call.node)
    if idiom is not None:
        inner, status, written = idiom
        said = f"is discarded by `{places.called(call.node)}`"
        certainty = because("possible", _ON_PURPOSE)
        if destructors.runs_last(function) and not _is_explained(function, call.span):
            certainty = _certainty(function, call, inner, status, "void cast")
        yield _finding(function, call, status, written, said, certainty, of=inner)


def _is_explained(function: Function, span: records.Span) -> bool:
    """Whether a comment says why an answer is dropped. In a destructor, where the outcome is lost for good, one that
    says what the call does is none."""
    return function.has_excuse_near(span) if destructors.runs_last(function) else function.has_comment_near(span)


def _is_asked_of_argument(function: Function, call: events.CallEvent) -> bool:
    """Whether a local that the call fills in says how it went, and is read later: `update(graph, &result_info)`."""
    filled = {
        given.value.text
        for given in map(places.strip, call.node.args)
        if isinstance(given, records.Unary) and given.op == "&" and isinstance(given.value, records.Name)
        if _tells_outcome(function, given.value)
    }
    return bool(filled) and any(
        isinstance(event, events.Read) and event.place[0] in filled for event in function.flow.after(call)
    )


def _tells_outcome(function: Function, local: records.Name) -> bool:
    if local.text not in function.locals:
        return False
    kind = types.parse(function.program.types.of(local, function))
    of_type = () if failure.is_number(kind.name) else pairs.words(kind.last)
    return not kind.pointers and not _OUTCOMES.isdisjoint((*pairs.words(local.text), *of_type))


def _is_no_work(function: Function, node: records.Call) -> bool:
    """Nothing was tried: a value is made, a member is looked at, or a macro has dealt with the outcome."""
    if node.kind in ("construct", "delete", "new"):
        return True
    innermost: records.Value = node
    while isinstance(innermost, records.Call) and isinstance(innermost.callee, records.Member):
        innermost = innermost.callee.base
    if isinstance(innermost, records.Call) and isinstance(innermost.callee, records.Name):
        is_macro = function.program.macros.role(places.last_name(innermost.callee)) not in ("", "discard")
    else:
        is_macro = False
    return is_macro or answers.makes_success(node) or _only_looks(function, node)


def _makes_failure(node: records.Call) -> bool:
    """`absl::InternalError("..")`: a pessimistic value to begin with."""
    name = places.last_name(node.callee)
    return (bool(node.args) and name.endswith("Error")) or name.lower() in ("failure", "error", "unknown")


def _is_made_by_its_type(node: records.Call, written: str) -> bool:
    """`Status s = Status::NotFound();`: likewise."""
    scope = node.callee.text.rpartition("::")[0] if isinstance(node.callee, records.Name) else ""
    return bool(scope) and types.parse(scope).last == types.parse(written).last


def _only_looks(function: Function, node: records.Call) -> bool:
    """A getter whose body does nothing but return a member."""
    for target in function.program.calls.callee(node, function).functions:
        match target.body:
            case (records.Leave(kind="return", value=records.Name(text=name)),) if not node.args:
                return target.home is not None and target.home.field(name) is not None
    return False


def _answer(function: Function, call: events.CallEvent) -> tuple[str, Status | None]:
    """What the call answers, as written, and what kind of outcome that is."""
    program = function.program
    written = program.calls.result_type(call.node, function)
    if call.awaited:
        awaited = types.parse(written).arguments
        written = awaited[0] if awaited else ""
    if types.parse(written).last == places.last_name(call.node.callee):
        return written, None  # a temporary, spelled like a call
    status = program.statuses.of(written, function)
    if status is None:
        written, status = _declared_answer(function, call.node, written)
    if status is not None and program.statuses.throws_instead(status, call.node, function):
        return written, None
    if status is None:
        status = destructors.code(function, call.node, written)
    decided = call.dropped != "statement" and not destructors.runs_last(function)
    if status is None and not decided and _must_be_used(function, call.node, written):
        status = Status(written, "result", True, (), (), because("type", _NO_STATUS))
    return written, status


def _declared_answer(function: Function, node: records.Call, written: str) -> tuple[str, Status | None]:
    """What the callee's declaration says, where a compiler's name for the type (`long`) no longer does."""
    if function.file.meanings:
        for record in function.program.calls.callee(node, function).records:
            status = function.program.statuses.of(record.result, function)
            if status is not None:
                return record.result, status
    return written, None


def _must_be_used(function: Function, node: records.Call, written: str) -> bool:
    """`[[nodiscard]] bool TryLock()`: a plain answer that its function says must be looked at."""
    kind = types.parse(written)
    found = function.program.calls.callee(node, function).records
    return kind.is_value and kind.last in ("bool", "int") and bool(found) and all(must_look(record) for record in found)


def _certainty(function: Function, at: events.Event, node: records.Call, status: Status, how: str) -> Certainty:
    program = function.program
    callee = program.calls.callee(node, function)
    sure = weaker(status.certainty, callee.certainty)
    name = places.last_name(node.callee)
    if program.models.is_droppable(callee.symbol, program.names.scopes(function)):
        return because("possible", f"the result of `{name}` is often ignored on purpose")
    if "future" in program.types.roles(status.name, function):
        return because("possible", f"`{name}` may be started to run in the background")
    if answers.are_kept(callee.functions):
        return because("possible", f"`{name}` stores the same result where it can be queried later")
    if answers.cannot_fail(callee.functions, node, status):
        return because("possible", f"no failing path through `{name}` was found")
    if answers.only_reports(callee.functions) or _reports(function, at, node):
        return because("possible", f"`{name}` reports the failure itself and also returns it")
    if (asked := answers.asked_later(function, at, node, status)) is not None:
        return because("possible", f"`{text(asked.callee)}` reports later whether `{name}` has failed")
    if outputs.finds_out_unread(function, node):
        return because("possible", f"nothing reads what `{name}` finds out")
    if outputs.is_never_run(function):
        return because("possible", f"nothing in the program calls `{function.name}`")
    if trials.is_trial(function):
        return because("possible", trials.REASON)
    if function.is_forgiven(at.span) and not _fills_what_is_read(function, at, node):
        return because("possible", "a comment above says that it may fail")
    last_chance = function.record.kind == "destructor" or bool(_LAST_CHANCE.match(function.name))
    if last_chance and telling.reports_each(function, node):
        return because("possible", f"`{name}` writes its failures to the log itself")
    if status.kind == "enum":
        # Error codes of C libraries are dropped on purpose wherever nothing can be done about them.
        decided = how != "statement" and status.nodiscard  # the compiler warns: a cast is a decision
        decided = decided and not _needs_what_it_acquires(function, at, node)
        if destructors.code(function, node, program.calls.result_type(node, function)) is not None:
            if telling.tells_itself(function, node):
                return because("possible", f"`{name}` writes to the log itself")
            return because("intent", f"the return code of `{name}` may be ignored on purpose")
        if decided or last_chance or _releases(function, node):
            return because("possible", f"the return code of `{name}` may be ignored on purpose")
        if _fills_only_what_is_set(function, node) and not _needs_what_it_acquires(function, at, node):
            return because("possible", f"the output of `{name}` already has a default value")
        return tempered(sure, because("intent", f"`{name}` returns an error code, which callers may ignore on purpose"))
    if how != "statement" and not last_chance and (status.advisory or _is_meant(function, at, node, how)):
        return because("possible", f"the result of `{name}` may be ignored on purpose here")
    silent = how == "statement" and not status.nodiscard
    given_up = status.kind == "value" and _releases(function, node)
    if silent and (given_up or _goes_without_saying(function, at, node, last_chance)):
        return because("possible", f"the result of `{name}` may be ignored on purpose here")
    return tempered(sure, because("intent", "the failure may be ignored on purpose"))


def _reports(function: Function, at: events.Event, node: records.Call) -> bool:
    """Whether the call is given the outcome that has failed, behind the test that has found so."""
    given = {inner.text for one in node.args for inner in places.walk(one) if isinstance(inner, records.Name)}
    if not given:
        return False
    for test, outcome in islice(function.flow.guards(at), _HABIT):
        cause, _ = failure.failing(function, test, outcome)
        if cause is None:
            continue
        inside = {
            inner.text for one in cause.node.args for inner in places.walk(one) if isinstance(inner, records.Name)
        }
        for name in sorted(given - inside):
            write = function.flow.last_write(test, (name,))
            if write is not None and any(inner is cause.node for inner in places.walk(write.value)):
                return True
    return False


def _fills_only_what_is_set(function: Function, node: records.Call) -> bool:
    """`int count = 0; cudaGetDeviceCount(&count);`: the locals that it writes to keep what they began with."""
    filled = [
        places.strip(argument.value)
        for argument in map(places.strip, node.args)
        if isinstance(argument, records.Unary) and argument.op == "&"
    ]
    names = [inner.text for inner in filled if isinstance(inner, records.Name)]
    return bool(names) and len(names) == len(filled) and all(_begins_with_constant(function, name) for name in names)


def _begins_with_constant(function: Function, name: str) -> bool:
    initial = places.strip(function.locals.get(name, ("", None))[1])
    match initial:  # `int count{0};`
        case records.Aggregate(items=(only,)) | records.Call(kind="construct", args=(only,)):
            initial = places.strip(only)
    if isinstance(initial, records.Name):  # `uint32_t node = UINT32_MAX;`
        return initial.text not in function.declared and assignments.held(initial) is not None
    return isinstance(initial, records.Literal)


def _goes_without_saying(function: Function, at: events.Event, node: records.Call, last_chance: bool) -> bool:
    """Where the compiler is silent nobody has to write a cast to say that the drop is meant."""
    if function.has_comment_behind(at.span):
        return True
    if _LAST_CHANCE.match(places.last_name(node.callee)) and function.has_comment_near(at.span):
        return True  # something is given up, and whoever wrote it has thought about it
    return not last_chance and (_is_meant(function, at, node, "statement") or _has_no_answer(function))


def _has_no_answer(function: Function) -> bool:
    """Whether it belongs to an interface for C that tells nobody of failures: many around it drop a status as well."""
    if 'extern "C"' not in function.record.qualifiers:
        return False
    near = range(max(function.index - _NEAR, 0), function.index + _NEAR + 1)
    found = (
        function.program.index.function_at(function.file, index)
        for index in near
        if index < len(function.file.functions)
    )
    alike = (other for other in found if other is not None and _drops_a_status(other))
    return len(list(islice(alike, _MANY))) == _MANY


def _drops_a_status(function: Function) -> bool:
    """Whether a plain statement drops a status, in a function for C that answers with nothing."""
    program = function.program
    if 'extern "C"' not in function.record.qualifiers or function.record.result != "void":
        return False
    return any(
        isinstance(statement, records.Evaluate)
        and isinstance(statement.value, records.Call)
        and program.statuses.of(program.calls.result_type(statement.value, function), function) is not None
        for statement in function.statements
    )


def _is_meant(function: Function, at: events.Event, node: records.Call, how: str) -> bool:
    """Whether an answer that is dropped on purpose needs no further word: something has failed already and is being
    dealt with or told, the call says that it only tries, or everybody drops this answer."""
    kinds = _DROPS if how == "statement" else ("void cast", "ignore")
    if how == "overwritten":
        return _is_habit(function, node, kinds)
    program = function.program
    if _BEST_EFFORT.search(places.last_name(node.callee)) or failure.is_dealing_with_one(function, at):
        return True
    told = any(program.statuses.of(program.types.of(argument, function), function) for argument in node.args)
    return told or (_is_habit(function, node, kinds) and not _fills_what_is_used(function, at, node))


def _fills_what_is_used(function: Function, at: events.Event, node: records.Call) -> bool:
    """Whether the call writes into an object of this function, which goes on to use it: then its failure matters here,
    unless everybody drops the answer."""
    filled: set[str] = set()
    for record in function.program.calls.callee(node, function).records:
        for parameter, argument in zip(record.parameters, node.args, strict=False):
            kind = types.parse(parameter.type)
            if (kind.pointers or kind.reference) and not kind.const and kind.last not in ("void", "char"):
                filled |= places.names_in(argument)
    filled &= function.locals.keys()
    if not filled or not any(_names(event, filled) for event in function.flow.after(at)):
        return False
    dropped, uses = _drops(function.program.index.callers_by_name(places.last_name(node.callee))[:40], node, _DROPS)
    return len(dropped) < uses


def _names(event: events.Event, wanted: set[str]) -> bool:
    """Whether an event reads one of some locals, or calls something with it."""
    return isinstance(event, events.Read) and event.place[0] in wanted


def _releases(function: Function, node: records.Call) -> bool:
    models = function.program.calls.callee(node, function).models
    if any(effect.verb == "release" for model in models for effect in model.effects):
        return True
    return bool(_ENDS.search(places.last_name(node.callee)))


def _is_habit(function: Function, node: records.Call, kinds: tuple[str, ...]) -> bool:
    """Whether those who call it nearly always drop its answer on purpose: then it is advice. It is none where it is
    tests that drop it, nor where they look at it."""
    callers = function.program.index.callers_by_name(places.last_name(node.callee))
    own = [caller for caller in callers if not trials.is_trial(caller)]
    return _mostly_drop(callers[:40], node, kinds) and (own == callers or _mostly_drop(own[:40], node, kinds))


def _mostly_drop(callers: list[Function], node: records.Call, kinds: tuple[str, ...]) -> bool:
    dropped, uses = _drops(callers, node, kinds)
    return len(dropped) >= _HABIT and len(set(dropped)) > 1 and 2 * len(dropped) >= uses


def _drops(callers: list[Function], node: records.Call, kinds: tuple[str, ...]) -> tuple[list[str], int]:
    """Who drops the answer of a function of that name, once for each call, and how many calls there are."""
    name = places.last_name(node.callee)
    dropped, uses = [], 0
    for caller in callers:
        for call in caller.flow.calls:
            if places.last_name(call.node.callee) == name:
                uses += 1
                if call.dropped in kinds or _goes_nowhere(caller, call):
                    dropped.append(caller.symbol)
    return dropped, uses


def _goes_nowhere(function: Function, call: events.CallEvent) -> bool:
    return any(
        write.fresh
        and places.strip(write.value) is call.node
        and not any(results.reads(event, write.place[0]) for event in function.flow.after(write))
        for write in function.flow.writes
    )


def _discarding_idiom(function: Function, node: records.Call) -> tuple[records.Call, Status, str] | None:
    """`Work().IgnoreError()`: the call inside, when the outer one is an idiom of its status type."""
    callee = node.callee
    inner = callee.base if isinstance(callee, records.Member) else node.args[0] if len(node.args) == 1 else None
    inner = places.strip(inner)
    if not isinstance(inner, records.Call) or inner.kind == "construct":
        return None
    written = function.program.calls.result_type(inner, function)
    status = function.program.statuses.of(written, function) or destructors.code(function, inner, written)
    name = places.last_name(callee)
    if status is None:
        return None
    is_idiom = any(name and name in idiom for idiom in status.discard)
    by_macro = function.program.macros.role(name) == "discard"
    if is_idiom or by_macro or _asks_alone(function, node) or _does_nothing(function, node):
        return inner, status, written
    return None


def _asks_alone(function: Function, node: records.Call) -> bool:
    """`Work().ok();` in a destructor: it is asked, and the answer dropped."""
    inner = node.callee.base if isinstance(node.callee, records.Member) else None
    if not isinstance(inner, records.Call) or node.args or not destructors.runs_last(function):
        return False
    status = function.program.statuses.of(function.program.calls.result_type(inner, function), function)
    return status is not None and f".{places.last_name(node.callee)}()" in status.ok


def _does_nothing(function: Function, node: records.Call) -> bool:
    """Whether the project's own callee has an empty body."""
    found = function.program.calls.callee(node, function).functions
    return bool(found) and all(not any(_acts(s) for s in one.statements) for one in found)


def _fills_what_is_read(function: Function, at: events.Event, node: records.Call) -> bool:
    """Whether a local array that the call is given is read after it: `read_version(device, text); print(text);`."""
    given = [one.text for one in map(places.strip, node.args) if isinstance(one, records.Name)]
    parameters = function.parameter_names
    arrays = [
        name for name in given if name in function.locals and name not in parameters and "[" in function.locals[name][0]
    ]
    return any(results.reads(event, name) for event in (function.flow.after(at) if arrays else ()) for name in arrays)


def _needs_what_it_acquires(function: Function, at: events.Event, node: records.Call) -> bool:
    """Whether the call acquires something into a local that is used after it and never tested:
    `(void)hipMalloc(&room, size); fill(room);`."""
    after = function.flow.after(at)
    for model in function.program.calls.callee(node, function).models:
        for effect in model.effects:
            if effect.verb != "acquire" or effect.place is None or effect.place.kind != "argument":
                continue
            name = destructors.filled(node.args[effect.place.index]) if effect.place.index < len(node.args) else ""
            if name and any(results.reads(event, name) for event in after):
                return not any(results.tests(event, name) for event in after)
    return False


def _acts(statement: records.Statement) -> bool:
    match statement:
        case records.Evaluate(value=records.Cast(type="void", value=records.Name())):
            return False
    return True


# --- stored, and never looked at ---


def _never_read(function: Function, stored: dict[int, records.Call]) -> Iterator[Finding]:
    """A local that takes a status and is never looked at, or is overwritten before anybody could look."""
    flow = function.flow
    last = destructors.runs_last(function)
    asserted = _asserted(function) if last else frozenset()
    voided = _voided(function) | asserted
    for write in flow.writes:
        call = stored.get(write.span.start)
        if call is None or write.index not in flow.reachable or len(write.place) != 1 or answers.makes_success(call):
            continue
        is_debug = function.is_of_debug_build(write.span)  # then assertions are there as well
        lost, then = results.lost(function, write, voided - asserted if is_debug else voided)
        if not lost or (lost == "overwritten" and _makes_failure(call)):
            continue
        written = function.program.types.of(write.value, function)
        if lost == "overwritten" and write.fresh and _is_made_by_its_type(call, written):
            continue
        status = function.program.statuses.of(written, function)
        if status is None and lost != results.NEXT_ITERATION:
            status = destructors.code(function, call, function.program.calls.result_type(call, function))
        elif status is not None and (status.kind == "enum" or (status.advisory and lost == results.NEXT_ITERATION)):
            continue
        if status is None:
            continue
        how = "overwritten" if lost in ("overwritten", results.NEXT_ITERATION) else "store"
        certainty = _certainty(function, write, call, status, how)
        unnamed = not write.place[0].strip("_")
        is_said = lost == "cast to void" and (
            _is_explained(function, write.span) or (write.place[0] in _disowned(function) and not last)
        )
        if is_said or unnamed or _keeps(function, written):
            certainty = because("possible", _ON_PURPOSE)
        elif lost == results.NEXT_ITERATION:
            certainty = weaker(certainty, because("path", "harmless if only the outcome of the last iteration matters"))
        if lost == "cast to void" and write.place[0] in _disowned(function):
            lost = "never read"
        elif lost == "cast to void" and asserted:
            lost = "read only by an assertion"
        said = f"is stored in `{write.place[0]}`, which is {lost}"
        yield _finding(function, call, status, written, said, certainty, then=then)


def _overwritten_codes(function: Function) -> Iterator[Finding]:
    """A number that a call returns, overwritten by the next one before it is checked, although the function checks what
    the same callee returns elsewhere: `rc = run(a); rc = run(b); if (rc != 0) return rc;`."""
    assigned = Counter(_ASSIGNS.findall(function.encoded))
    for said, times in sorted(assigned.items()):
        name = said.decode()
        is_number = failure.is_number(function.locals.get(name, ("",))[0])
        if times < _FEW_ASSIGNED or not is_number or name in results.captured(function):
            continue
        writes = [write for write in function.flow.writes_to((name,)) if write.index in function.flow.reachable]
        called = [(write, call) for write in writes if (call := _answer_written(write)) is not None]
        for write, call in called if len(called) >= _FEW_ASSIGNED else ():
            lost, then = results.lost(function, write, frozenset())
            if lost != "overwritten" or then is None or _answer_written(then) is None:
                continue
            same = [one for one, other in called if one is not write and text(other.callee) == text(call.callee)]
            if same and all(results.is_checked(function, one) for one in same):
                status = Status("int", "enum", False, (), (), "certain")
                certainty = because("convention", f"elsewhere this function checks what `{text(call.callee)}` returns")
                said_so = f"is stored in `{name}`, which is overwritten"
                yield _finding(function, call, status, "int", said_so, certainty, then=then)


def _answer_written(event: events.Event) -> records.Call | None:
    """The call whose result is written, where that is all."""
    inner = places.strip(event.value) if isinstance(event, events.Write) and event.op in ("=", "init") else None
    if not isinstance(inner, records.Call) or inner.kind != "call":
        return None
    return inner if habits.ATOMICS.isdisjoint(pairs.words(places.last_name(inner.callee))) else None


def _keeps(function: Function, written: str) -> bool:
    """A value that does something by staying alive: `StatusOr<std::unique_ptr<T>>`."""
    for argument in types.parse(written).arguments[:1]:
        if any(role.endswith(("pointer", "guard")) for role in function.program.types.roles(argument, function)):
            return True
        cls = function.program.names.find_class(argument, function.record.scope, function.file)
        if cls is not None and cls.record.destructor not in ("implicit", "defaulted"):
            return True
    return False


def _stored(function: Function) -> dict[int, records.Call]:
    """By the start of what is written: the calls whose answer a statement stores in a local of this function.

    An assignment inside a larger expression hands its value on, so it is none of them. Nor is what a local takes
    that is set once and named again."""
    own: dict[str, str] = {}
    out: dict[int, records.Call] = {}
    said = Counter(_NAMES.findall(function.encoded))
    for statement in function.statements:
        match statement:
            case records.Declare(names=(name,), type=written, value=value, static=False):
                own[name] = written
                call = _stored_call(function, written, value) if _may_be_lost(function, name, said) else None
                if call is not None:
                    out[statement.start] = call
            case records.Evaluate(
                value=records.Assign(target=records.Name(text=name) as target, op="=", value=value)
            ) if name in own:
                call = _stored_call(function, own[name], value)
                if call is not None and not types.parse(own[name]).reference and not types.parse(own[name]).pointers:
                    out[target.start] = call
    return out


def _may_be_lost(function: Function, name: str, said: Counter[bytes]) -> bool:
    """Whether it is assigned to, named only where it is declared, cast to void, or heard of here for the last time."""
    return (
        function.mentions("=" + name)
        or b"void" in said
        or said[name.encode()] < 2
        or name in _disowned(function)
        or destructors.runs_last(function)
    )


def _stored_call(function: Function, declared: str, value: records.Value | None) -> records.Call | None:
    if isinstance(value, records.Call) and value.kind == "construct" and len(value.args) == 1:
        value = value.args[0]  # `Status s(f());`
    value = places.strip(value)
    while isinstance(value, records.Unary) and value.op in ("await", "co_await"):
        value = value.value
    if not isinstance(value, records.Call) or value.kind != "call" or not _may_answer(function, value):
        return None
    kind = types.parse(declared)
    plain = declared.rstrip(" &")
    is_status = kind.is_placeholder or function.program.statuses.of(plain, function) is not None
    if not is_status and destructors.runs_last(function):
        is_status = destructors.code(function, value, plain) is not None
    return value if is_status else None


def _voided(function: Function) -> frozenset[int]:
    """Where the names in `(void)x;` stand."""
    found: set[int] = set()
    for statement in function.statements:
        match statement:
            case records.Evaluate(value=records.Cast(type="void", value=records.Name(start=start))):
                found.add(start)
            case records.Evaluate(value=records.Call() as call) if (name := _disowned_by(function, call)) is not None:
                found.add(name.start)
    return frozenset(found)


def _asserted(function: Function) -> frozenset[int]:
    """Where the names stand that only an assertion reads, which a release build leaves out."""
    tests = [
        event for event in function.flow if isinstance(event, events.Test) and event.asserted and not event.evaluated
    ]
    return frozenset(
        inner.start for test in tests for inner in places.walk(test.value) if isinstance(inner, records.Name)
    )


@questions.flow_question
def _disowned(function: Function) -> frozenset[str]:
    """The locals that a statement says to be ignored: `status.IgnoreError();`, `Q_UNUSED(status)`."""
    calls = (s.value for s in function.statements if isinstance(s, records.Evaluate))
    found = (_disowned_by(function, call) for call in calls if isinstance(call, records.Call))
    return frozenset(name.text for name in found if name is not None)


def _disowned_by(function: Function, call: records.Call) -> records.Name | None:
    name = places.last_name(call.callee)
    by_macro = len(call.args) == 1 and function.program.macros.role(name) == "discard"
    of = places.strip(call.args[0]) if by_macro else places.receiver(call)
    if not isinstance(of, records.Name) or (call.args and not by_macro) or of.text not in function.locals:
        return None
    status = function.program.statuses.of(function.program.types.of(of, function), function)
    return of if by_macro or (status is not None and any(name in idiom for idiom in status.discard)) else None


# --- stored in a member, and lost there ---


def _lost_in_member(function: Function) -> Iterator[Finding]:
    """A member that takes a status in a destructor, or takes the next one before anybody could look."""
    if function.home is None or not any(_takes_status(function, name) for name in function.mentioned):
        return
    for write in function.flow.writes:
        call = places.strip(write.value)
        if write.place[0] != places.THIS or len(write.place) != 2 or not isinstance(call, records.Call):
            continue
        if call.kind != "call" or write.op != "=" or answers.makes_success(call) or _makes_failure(call):
            continue
        status = _status_of_member(function, write)
        lost, then = ("", None)
        if status is not None and status.kind == "value":
            lost, then = _lost_there(function, write)
        if status is not None and lost and not status.advisory:
            trial: Certainty = (
                because("possible", trials.REASON) if trials.is_trial(function) else because("unread-code", _MEMBER)
            )
            certainty = weaker(trial, status.certainty, function.program.calls.callee(call, function).certainty)
            said = f"is stored in `{write.place[1]}`{lost}"
            yield _finding(
                function, call, status, function.program.types.of(call, function), said, certainty, "", then=then
            )


def _takes_status(function: Function, name: str) -> bool:
    """Whether the body assigns to a member whose type is called as a status is. Needs no decoding."""
    found = function.home.field(name[1:]) if name.startswith("=") and function.home is not None else None
    return found is not None and types.parse(found[1].type).last in function.program.statuses.names


def _status_of_member(function: Function, write: events.Write) -> Status | None:
    found = function.home.field(write.place[1]) if function.home is not None else None
    if found is None or not types.parse(found[1].type).is_value or isinstance(write.target, records.Unary):
        return None
    return function.program.statuses.of(found[1].type, function)


def _lost_there(function: Function, write: events.Write) -> tuple[str, events.Event | None]:
    """How what a member takes is lost, and where the next one takes its place; empty when somebody may look at it."""
    flow, name = function.flow, write.place[1]

    def may_look(event: events.Event) -> bool:
        if isinstance(event, events.Read):
            return name in event.place
        if isinstance(event, events.CallEvent) and not any(inner is event.node for inner in places.walk(write.value)):
            return _may_look_inside(function, event, name)
        return isinstance(event, events.OpaqueEvent)

    def is_replaced(event: events.Event) -> bool:
        return isinstance(event, events.Write) and event is not write and event.place == write.place

    if any(may_look(event) for event in flow.after(write, is_replaced)):
        return "", None
    if any(glance.says(inner, name) for inner in function.lambdas()):
        return "", None
    if flow.always_after(write, is_replaced):
        return ", which is overwritten", results.first_after(function, write, is_replaced)
    return (" in a destructor, where it can no longer be read" if function.record.kind == "destructor" else ""), None


def _may_look_inside(function: Function, call: events.CallEvent, name: str) -> bool:
    """Whether a call may look at the member: a method of the object's own, unless its body says nothing of it."""
    on = places.receiver(call.node)
    own = on is None or (isinstance(on, records.Name) and on.text == places.THIS)
    hands_on = places.THIS in places.names_in(call.node)
    if not own and not hands_on:
        return False
    callees = function.program.calls.callee(call.node, function)
    if hands_on or not callees.functions:
        return hands_on or callees.owner is not None
    return any(callee.home is function.home and not callee.is_short for callee in callees.functions) or any(
        glance.says(callee, name) for callee in callees.functions
    )


# --- what is said ---


def _finding(
    function: Function,
    at: events.Event | records.Node,
    status: Status,
    written: str,
    said: str,
    certainty: Certainty,
    place: str = " in a destructor",
    of: records.Call | None = None,
    then: events.Event | None = None,
) -> Finding:
    node = of or (at.node if isinstance(at, events.CallEvent) else at)
    assert isinstance(node, records.Call)
    place = place if function.record.kind == "destructor" else ""
    leaks = ": the error object leaks" if status.kind == "pointer" and said in _SAID.values() else ""
    return function.finding(
        at,
        f"the {_kind(function, status, node, written)} returned by `{text(node.callee)}` {said}{place}{leaks}",
        certainty=certainty,
        help=_help(function, status, node, written, said),
        steps=(*_declared(function, node, written), *_replaced(function, then), *_goes_on(function, at, node, written)),
        fix=_log_instead(function, node, status, written),
        cause=places.called(node),
    )


def _callee(function: Function, node: records.Call) -> Function | None:
    """The function that is called; of several of that name the one that is nearest in the tree."""
    found = function.program.calls.callee(node, function).functions
    here = function.path.split("/")

    def apart(target: Function) -> int:
        return -sum(
            1
            for _ in itertools.takewhile(
                lambda both: both[0] == both[1], zip(here, target.path.split("/"), strict=False)
            )
        )

    return min(found, key=apart, default=None)


def _kind(function: Function, status: Status, node: records.Call, written: str) -> str:
    """What the result is called: a number that is 0 on failure is no error code."""
    if status.kind == "pointer":
        return f"`{_as_in_c(written)}`"
    callee = _callee(function, node) if status.kind == "enum" and types.parse(written).is_scalar else None
    return "result" if callee is not None and failure.fails_by_zero(callee) else _KINDS.get(status.kind, "status")


def _replaced(function: Function, then: events.Event | None) -> Iterator[Step]:
    if then is not None:
        yield function.step(then, "it is overwritten here before it is checked")


def _goes_on(function: Function, at: events.Event | records.Node, node: records.Call, written: str) -> Iterator[Step]:
    """Where the function then reports that all went well, in a status of the same type."""
    if types.parse(function.record.result).last != types.parse(written).last or not isinstance(at, events.CallEvent):
        return
    after = {one.index for one in function.flow.after(at)}
    exit_ = next((one for one in failure.successes(function) if one.index in after), None)
    if exit_ is not None and exit_.value is not None:
        said = f"this returns `{text(exit_.value)}` even if `{places.called(node)}` has failed"
        yield function.step(exit_, said)


def _log_instead(function: Function, node: records.Call, status: Status, written: str) -> Fix | None:
    """In a destructor of a file that writes to the log by a stream: `if (auto s = f(); !s.ok()) LOG(WARNING) << s;`."""
    ok = next((ok for ok in status.ok if re.fullmatch(r"\.\w+\(\)", ok)), None)
    if function.record.kind != "destructor" or status.kind != "value" or ok is None:
        return None
    statement = _voiding(function, node)
    macro = telling.stream_in_use(function) if statement is not None else None
    if statement is None or macro is None:
        return None
    name = next(name for name in ("status", "outcome", "dropped") if not glance.says(function, name))
    shown = telling.shown_by(function, name, status, written)
    said = f'{macro} << "{places.last_name(node.callee)} failed{": " if shown else ""}"{shown};'
    before = Edit(function.path, records.Span(statement.start, node.start), f"if (auto {name} = ")
    behind = Edit(function.path, records.Span(node.end, statement.end), f"; !{name}{ok}) {{ {said} }}")
    return Fix("log the failure", (before, behind), safe=True)


def _voiding(function: Function, node: records.Call) -> records.Statement | None:
    """The statement that does nothing but cast the call to void, where an `if` may take its place."""
    for statement in function.statements:
        match statement:
            case records.Branch(then=(only,), other=other) if other and node.start in only.span:
                return None  # an `else` would change its mind
            case records.Evaluate(value=records.Cast(type="void", value=inner)) if inner is node:
                return statement
    return None


def _help(function: Function, status: Status, node: records.Call, written: str, said: str) -> str:
    check, called = _check(status), text(node.callee)
    answer = f"`{function.record.result}`" if function.record.result else "nothing"
    returns = f"`{function.name}` returns {answer}"
    is_same = types.parse(function.record.result).last == types.parse(written).last
    if status.kind == "pointer":
        kind = _as_in_c(written)
        stored = f"`{kind}{'' if kind.endswith('*') else ' '}err = {called}(...);`"
        if is_same:
            return f"return it: {stored}, then `if (err) return err;`"
        freed = status.discard[0].replace("(_)", "(err)") if status.discard else ""
        handled = f"`if (err) {{ ...; {freed}; }}`" if freed else "handle and free it"
        return f"{returns}, so handle the failure here: {stored}, then {handled}"
    macro = _macro_in_use(function, status)
    if macro:
        return f"check it as elsewhere in this file: `{macro}({called}(...))`"
    if function.record.kind == "lambda" and not function.record.result:
        return f"{check} here, or store it in a variable that the lambda captures"
    if function.record.kind == "destructor":
        return f"{check} and log a failure; a destructor cannot return it"
    silenced = f"write `(void){called}(...)` with a comment that says why it can be ignored"
    if said == _SAID["void cast"]:
        silenced = "say in a comment why it can be ignored"
    if function.record.result in ("", "void"):
        return f"{returns}, so {check} and report a failure here{_raising(function)}, or {silenced}"
    return f"return it, {check}, or {silenced}" if is_same else f"{returns}, so {check} here, or {silenced}"


def _as_in_c(written: str) -> str:
    """A pointer's type as it stands in a declaration of C."""
    bare = written.rstrip("* ")
    stars = "*" * written.count("*", len(bare))
    return f"{bare} {stars}" if stars else written


_UNRAISABLE = ", for example with `PyErr_WriteUnraisable`"


def _raising(function: Function) -> str:
    """How a function without an answer reports it, in a file whose functions set errors of the interpreter."""
    setting = function.program.models.functions_with("acquire", "global")
    beside = function.program.functions_in(function.path)
    return _UNRAISABLE if any(one.mentions_any(setting) for one in beside) else ""


def _check(status: Status) -> str:
    """How it is checked, as the model of its type has it: `_ == cudaSuccess`, `.ok()`."""
    for idiom in status.ok:
        if (constant := idiom.partition("_ == ")[2]) and not idiom.startswith("!"):
            return f"compare it with `{constant}`"
        if idiom.startswith("."):
            return f"check `{idiom}`"
    return "check it"


_CHECKS = re.compile(r"[A-Z0-9_]*(?:CHECK|TRY)[A-Z0-9_]*")
_MOST_READ = 4


def _macro_in_use(function: Function, status: Status) -> str:
    """A macro of checks that some function of the file wraps around calls with such a status: `NCCLCHECK`."""
    statuses, types_of = function.program.statuses, function.program.types.of
    beside = (one for one in function.program.functions_in(function.path) if one is not function)
    for other in itertools.islice((one for one in beside if any(map(_CHECKS.fullmatch, one.mentioned))), _MOST_READ):
        for call in other.calls():
            name = places.last_name(call.callee)
            given = places.strip(call.args[0]) if len(call.args) == 1 else None
            if isinstance(given, records.Call) and _CHECKS.fullmatch(name):
                found = statuses.of(types_of(given, other), other)
                if found is not None and found.name == status.name:
                    return name
    return ""


def _declared(function: Function, node: records.Call, written: str) -> Iterator[Step]:
    """Where the callee says that it returns a status."""
    target = _callee(function, node)
    if target is None:
        return
    if target.record.kind == "lambda":
        yield target.step(records.Span(target.record.start, target.record.start + 1), f"this returns `{written}`")
    elif types.parse(written).is_scalar and failure.fails_by_zero(target):
        yield target.step(target.record.name_span, f"`{target.name}` returns 0 on failure")
    else:
        code = "its error code as " if types.parse(written).is_scalar else ""
        yield target.step(target.record.name_span, f"`{target.name}` returns {code}`{_as_in_c(written)}`")
