"""What only a destructor drops: codes that its class could have told of, and errors that calls put into a local.

Elsewhere an enum's value or a local `std::error_code` that nothing reads is often dropped on purpose. In a destructor
it is the last that is known of the failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ownlint import (
    Function,
    Program,
    Status,
    assignments,
    because,
    bodies,
    events,
    exceptions,
    failure,
    must_look,
    pairs,
    places,
    questions,
    records,
    text,
    types,
)

_OUTCOMES = re.compile(
    r"(?:Status|Result|Outcome|Error|Err|Errc|Code|Rc)(?:_t|Type|Kind)?$|_(?:status|result|error|rc)(?:_t)?$"
)
_FINE = re.compile(r"(?i)(?:\w+_)?k?(?:ok|okay|success|no_?err(?:or)?)$")
"""The first value of an enum whose values tell how something went."""
_CLEANS = re.compile(r"(?i)(?:re?move|delete|unlink|close|shut_?down|cancel|clear|disconnect|rmdir)")
"""Calls that throw unless they are given a code: given up either way."""
_GIVES_UP = re.compile(
    r"(?i)(?:rollback|roll|abort|stop|join|wait|quit|terminate|kill|interrupt|wake|notify|leave|exit|reset|cancel"
    r"|close|shut|shutdown|remove|delete|clear|disconnect|munmap|un\w+|de\w+)$"
)
"""Calls that undo or end something: nothing is lost where they fail."""
_CALLERS = 24
_DEEP = 3
_UNWANTED = re.compile(r"(?i)_*(?:ign|unused|dummy|drop|discard)")


class UnreadError(NamedTuple):
    """A call puts its outcome into a local that nothing reads."""

    call: records.Call
    name: str
    status: Status
    is_meant: bool


def runs_last(function: Function) -> bool:
    """Whether what fails in it cannot be told to a caller any more, and is the object's last: a destructor, a deleter,
    a function of C that frees what it is given, a lambda that a scope runs at its end, or what such alone call."""
    if function.record.kind == "destructor":
        return True
    return function.language == "cpp" and function.record.result in ("", "void") and _runs_last(function)


@questions.question
def _runs_last(function: Function) -> bool:
    if _is_deleter(function) or _frees_its_argument(function) or _is_cleanup(function) or _is_part(function):
        return True
    if function.record.kind == "method" and function.cls is not None:
        if "virtual" in function.record.qualifiers:
            return False
    elif function.record.kind != "function" or "static" not in function.record.qualifiers:
        return False
    callers = function.program.index.callers_by_name(function.name)
    return bool(callers) and all(
        (one.record.kind == "destructor" and (one.cls is function.cls or function.cls is None))
        or (one is not function and one.record.kind == "function" and _frees_its_argument(one))
        for one in callers
    )


def _frees_its_argument(function: Function) -> bool:
    """Whether it ends its only argument on every path that comes to its end: `PyObject_Free(self)`, `free(session)`."""
    record = function.record
    if record.kind != "function" or function.home is not None or len(record.parameters) != 1:
        return False
    name = record.parameters[0].name
    if not name or not types.parse(record.parameters[0].type).pointers:
        return False
    if not any(one == "delete" or pairs.releasing_verb(one) for one in function.mentioned):
        return False
    flow = function.flow
    ends = {call.index for call in flow.calls if _ends(function, call.node, name)}
    return bool(ends) and flow.always_before(flow.events[flow.exit], lambda event: event.index in ends)


def _ends(function: Function, node: records.Call, name: str) -> bool:
    if len(node.args) != 1 or assignments.place(function, node.args[0]) != (name,):
        return False
    if node.kind == "delete":
        return True
    models = function.program.calls.callee(node, function).models
    if models:
        return any(model.has("release", "argument 1") for model in models)
    return isinstance(node.callee, records.Member) and bool(pairs.releasing_verb(node.callee.name))


def _is_cleanup(function: Function) -> bool:
    """Whether it is a lambda that an object made of it runs when it ends: a scope's guard, or an owner's deleter."""
    if function.record.kind != "lambda" or function.parent is None or len(function.record.parameters) > 1:
        return False
    given = _given_lambdas(function.parent).get(function.index)
    if given is None:
        return False
    made = [given.type]
    if isinstance(given.to, records.Call):
        made += [function.program.calls.result_type(given.to, function.parent), text(given.to.callee)]
    roles = {role for one in made if one for role in function.program.types.roles(one, function.parent)}
    return "cleanup" in roles or (given.at > 0 and not roles.isdisjoint(_OWNERS))


class _GivenLambda(NamedTuple):
    """A lambda, of which something is made whose type is written, or that a call is given there."""

    type: str
    to: records.Value
    at: int


@questions.flow_question
def _given_lambdas(function: Function) -> dict[int, _GivenLambda]:
    """By their function, the lambdas of which locals and members are made."""
    found: dict[int, _GivenLambda] = {}
    for written, value in _made_in(function):
        for inner in places.walk(value):
            given = inner.args if isinstance(inner, records.Call) else (inner,) if inner is value else ()
            for at, one in enumerate(given):
                bare = places.strip(one)
                if isinstance(bare, records.Lambda):
                    found.setdefault(bare.function, _GivenLambda(written, inner, at))
    return found


def _is_part(function: Function) -> bool:
    """Whether it is a lambda that a library's function calls with the elements of something, in what runs last."""
    around = function.parent if function.record.kind == "lambda" else None
    return around is not None and runs_last(around) and any(function.program.calls.called_by(function))


_OWNERS = frozenset({"scoped owner", "smart pointer", "shared pointer"})


def _made_in(function: Function) -> Iterator[tuple[str, records.Value]]:
    """What locals and members are made of, with their types."""
    for statement in function.statements:
        if isinstance(statement, records.Declare) and statement.value is not None:
            yield statement.type, statement.value
        for value in () if isinstance(statement, records.Declare) else bodies.values(statement):
            yield "", value
    for one in function.record.initializers:
        field = function.home.field(one.name) if function.home is not None else None
        if field is not None:
            yield field[1].type, records.Call(0, 0, records.Name(0, 0, one.name), one.args, "construct")


def _is_deleter(function: Function) -> bool:
    """Whether an owner calls it when it gives up what it owns: `std::unique_ptr<T, Closer>`."""
    if function.name != "operator()" or function.home is None or len(function.record.parameters) != 1:
        return False
    return function.record.result == "void" and function.home.name in _deleters(function.program)


@questions.program_question
def _deleters(program: Program) -> frozenset[str]:
    """The last names of the classes that aliases, members, variables and results name as deleters."""
    pending = [
        written
        for _, file in sorted(program.files.items())
        for written in (
            *(alias.target for alias in file.aliases),
            *(variable.type for variable in file.variables),
            *(field.type for cls in file.classes for field in cls.fields),
            *(one.result for one in file.functions),
        )
        if "unique_ptr" in written
    ]
    found = set()
    while pending:
        kind = types.parse(pending.pop())
        pending += [one for one in kind.arguments if "unique_ptr" in one]
        if kind.last == "unique_ptr" and len(kind.arguments) > 1:
            found.add(types.parse(kind.arguments[1]).last)
    return frozenset(found)


def code(function: Function, node: records.Call, written: str) -> Status | None:
    """The code that a call in a destructor answers with: a scoped enum of the project whose values tell how it went, a
    library's that a function of the project hands on."""
    kind = types.parse(written)
    if not kind.is_value or not runs_last(function):
        return None
    status = function.program.statuses.of(written, function)
    if status is not None:
        return status if status.kind == "enum" and _hands_on_work(function, node) else None
    enum = function.program.names.find_class(kind.name, function.record.scope, function.file, enum=True)
    if enum is None:
        return _explained(function, kind) or _number(function, node, written)
    if not enum.record.fields or (enum.record.kind != "enum class" and only_ends(places.last_name(node.callee))):
        return None
    tells = _FINE.match(enum.record.fields[0].name) or function.program.statuses.fails_below_zero(enum)
    if not _OUTCOMES.search(enum.name) or not tells:
        return None
    sure = because("type", f"`{enum.name}` is assumed to be a status because of its name and its values")
    return Status(enum.name, "enum", must_look(enum.record), (), (), sure)


def _hands_on_work(function: Function, node: records.Call) -> bool:
    """Whether the project's own callee does more than give something up; one that an interface asks others for, by its
    name."""
    callee = function.program.calls.callee(node, function)
    if only_ends(places.last_name(node.callee)):
        return False
    if not callee.functions:
        return bool(callee.records) and all("virtual" in record.qualifiers for record in callee.records)
    return not any(
        all(only_ends(places.last_name(call.node.callee)) for call in one.flow.calls) for one in callee.functions
    )


def _explained(function: Function, kind: types.Type) -> Status | None:
    """A plain struct of a truth and a reason: `struct Outcome { bool ok; std::string why; };`."""
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
    fields = cls.record.fields if cls is not None else ()
    if cls is None or not any(f.type == "bool" and _WORKED.fullmatch(f.name) for f in fields):
        return None
    if not any(_WHY.fullmatch(f.name) for f in fields):
        return None
    sure = because("type", f"`{cls.name}` is assumed to be a status because of its members")
    return Status(cls.name, "result", must_look(cls.record), (), (), sure)


_WORKED = re.compile(r"(?i)(?:is_?)?(?:ok|success|succeeded|success?ful|failed|good|error)_?")
_WHY = re.compile(
    r"(?i)(?:error|err|fail(?:ure)?)?_?(?:message|msg|why|reason|text|code|error|detail|description|what|errno)_?"
)


def only_ends(name: str) -> bool:
    """Whether a call of that name gives something up, undoes it or waits for its end."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)[:2]
    return bool(pairs.releasing_verb(name) or _CLEANS.match(name) or any(_GIVES_UP.match(word) for word in words))


def may_throw(function: Function, call: records.Call, depth: int = _DEEP) -> bool:
    """Whether a call reaches a `throw` of the project's own that nothing on the way catches."""
    for callee in function.program.calls.callee(call, function).functions:
        if "noexcept" in callee.record.qualifiers or callee is function:
            continue
        if any(leave.kind == "throw" for leave in callee.flow.leaves):
            return True
        if depth and any(
            not exceptions.is_caught(callee, inner) and may_throw(callee, inner.node, depth - 1)
            for inner in callee.flow.calls
        ):
            return True
    return False


def _number(function: Function, node: records.Call, written: str) -> Status | None:
    """The number or the truth by which a call tells whether it has worked: a library's, where what was written before
    is safe only then, or where others look at it; the project's own, where it answers so because something failed."""
    name, kind = places.last_name(node.callee), types.parse(written)
    if node.kind != "call":
        return None
    callee = function.program.calls.callee(node, function)
    if any(model.durable and _is_written(function, model.written_by, model.has("release")) for model in callee.models):
        return Status(written or "int", "enum", False, (), (), "certain")
    if written and kind.last != "bool" and not failure.is_number(written):
        return None
    if not callee.functions:
        if kind.last == "bool" or _is_of_known_type(function, node):
            return None
        if only_ends(name) or any(model.has("release") for model in callee.models):
            return None
        if not _is_looked_at(function, name):
            return None
        sure = because("convention", f"`{name}` is assumed to return an error code, since other callers check it")
        return Status(written or "int", "enum", False, (), (), sure)
    if not only_ends(name) and all(_tells_failure(one) for one in callee.functions):
        sure = because("convention", f"the return value of `{name}` is assumed to report success or failure")
        return Status(written, "enum", False, (), (), sure)
    return None


def may_lose_writes(function: Function) -> bool:
    """Whether it answers with a number or a truth, and says what makes sure that something is written. Needs no
    decoding."""
    return _answers(function) and not _keepers(function.program).isdisjoint(function.mentioned)


def loses_writes(function: Function, call: events.CallEvent) -> bool:
    """Whether a call makes sure that what was written is kept, or hands on how that went, and its answer is dropped by
    a function which fails where another call about the same object has failed."""
    if call.dropped != "statement" or not _keeps_writes(function, call.node) or not _tells_failure(function):
        return False
    if any(failure.failing(function, *guard)[0] is not None for guard in islice(function.flow.guards(call), _CALLERS)):
        return False  # something has failed already
    about = _given(call.node)
    causes = (one.cause for one in failure.failures(function) if one.cause is not None)
    return any(one is not call and not about.isdisjoint(_given(one.node)) for one in causes)


def _answers(function: Function) -> bool:
    result = function.record.result
    return function.language == "cpp" and (types.parse(result).last == "bool" or failure.is_number(result))


@questions.program_question
def _keepers(program: Program) -> frozenset[str]:
    """Last names of the libraries' functions without which what was written is not safe, and of the project's that say
    one and answer with an outcome."""
    found = program.models.functions_that(lambda model: model.durable)
    for _ in range(_DEEP):
        own = {one.name for one in program.calling(found) if _answers(one)}
        found |= own
    return found


def _keeps_writes(function: Function, node: records.Call, depth: int = _DEEP) -> bool:
    callee = function.program.calls.callee(node, function)
    if any(model.durable and not model.written_by for model in callee.models):
        return True
    if not depth or not callee.functions or only_ends(places.last_name(node.callee)):
        return False
    return all(
        one is not function
        and may_lose_writes(one)
        and any(not call.dropped and _keeps_writes(one, call.node, depth - 1) for call in one.flow.calls)
        and _tells_failure(one)
        for one in callee.functions
    )


def _given(node: records.Call) -> frozenset[str]:
    """What a call is about: what it is made on, and the places that it is given."""
    given = (*node.args, *((on,) if (on := places.receiver(node)) is not None else ()))
    return frozenset(text(one) for one in given if isinstance(places.strip(one), records.Name | records.Member))


def _is_of_known_type(function: Function, node: records.Call) -> bool:
    """Whether it is called as methods of containers are, or on an object of which models know the type: an atomic, a
    smart pointer. Models would say which of its methods return a code."""
    if not isinstance(node.callee, records.Member):
        return False
    program, methods = function.program, function.program.models.containers
    if node.callee.name in methods.takes | methods.puts:
        return True
    return not node.callee.arrow and bool(program.types.roles(program.types.of(node.callee.base, function), function))


def _is_written(function: Function, writers: tuple[str, ...], given_up: bool) -> bool:
    """Whether one of the functions that write is called by the class or file, or, for a deleter, at all; where the
    call is `given_up` by most, also whether what they answer is looked at."""
    return not writers or any(
        (caller.path == function.path or caller.home is function.home or _is_deleter(function))
        and (not given_up or any(places.last_name(call.node.callee) in writers for call in _tested(caller)))
        for name in writers
        for caller in function.program.index.callers_by_name(name)
    )


def _tells_failure(callee: Function, depth: int = _DEEP) -> bool:
    """Whether it answers with a failure where something that it called has failed, and with a success elsewhere; or
    hands on what such a function of the project answers."""
    leaves = [leave for leave in callee.flow.leaves if leave.kind == "return"]
    answers = [one for leave in leaves if not leave.via for one in _alternatives(leave.value)]
    failed = {one.leave: one.cause for one in failure.failures(callee) if one.cause is not None}
    if failure.is_number(callee.record.result):
        refused = any(isinstance(value, records.Unary) and value.op == "-" for value in answers)
        if not refused and not any(isinstance(value, records.Literal) and value.text == "0" for value in answers):
            handed = [callee.program.calls.callee(cause.node, callee).functions for cause in failed.values()]
            return bool(depth) and any(
                bool(targets) and all(one is not callee and _tells_failure(one, depth - 1) for one in targets)
                for targets in handed
            )
    if all(failure.refuses(callee, value) is True for value in answers):
        return False
    return any(
        failure.reports_failure(callee, leave.value)
        for leave in leaves
        if leave in failed or _is_short_of(callee, leave) or _asks_whether(callee, leave.value)
    )


def _alternatives(value: records.Value | None) -> Iterator[records.Value | None]:
    """`a ? b : c` answers with one of two."""
    inner = places.strip(value)
    if isinstance(inner, records.Conditional):
        yield from _alternatives(inner.then)
        yield from _alternatives(inner.other)
    else:
        yield inner


def _asks_whether(callee: Function, value: records.Value | None) -> bool:
    """`return fsync(fd) < 0 ? -errno : 0;`"""
    inner = places.strip(value)
    return isinstance(inner, records.Conditional) and any(
        model.has("may fail")
        for call in places.calls_in(inner.condition)
        for model in callee.program.calls.callee(call, callee).models
    )


def _is_short_of(callee: Function, leave: events.LeaveEvent) -> bool:
    """`if (fwrite(p, 1, n, f) != n) return false;`"""
    for test, _ in islice(callee.flow.guards(leave), 1):
        for inner in places.walk(test.value):
            if isinstance(inner, records.Call):
                return any(model.has("may fail") for model in callee.program.calls.callee(inner, callee).models)
    return False


def _is_looked_at(function: Function, name: str) -> bool:
    """Whether every other caller takes what a function of that name answers, and one asks whether it has worked."""
    looked_at = 0
    for caller in function.program.index.callers_by_name(name)[:_CALLERS]:
        tested = {id(call.node) for call in _tested(caller)}
        for call in caller.flow.calls:
            if places.last_name(call.node.callee) == name and not (caller is function and call.dropped):
                if call.dropped:
                    return False
                looked_at += id(call.node) in tested
    return looked_at > 0


def _tested(function: Function) -> list[events.CallEvent]:
    """The calls of which a test asks whether they have failed."""
    tests = [event for event in function.flow.events if isinstance(event, events.Test)]
    found = (failure.failing(function, test, outcome)[0] for test in tests for outcome in (True, False))
    return [call for call in found if call is not None]


def unread_errors(function: Function) -> Iterator[UnreadError]:
    """In the order of the locals, and of the calls for each."""
    if not runs_last(function):
        return
    locals_ = {
        s.names[0]: s
        for s in function.statements
        if isinstance(s, records.Declare) and len(s.names) == 1 and not s.static and _is_empty(s.value)
    }
    found = {name: function.program.statuses.of(s.type, function) for name, s in locals_.items()}
    statuses = {name: status for name, status in found.items() if status is not None and status.kind == "value"}
    if not statuses:
        return
    given: dict[str, list[records.Call]] = {}
    calls: list[records.Call] = []
    for statement in function.statements:
        for value in bodies.values(statement):
            calls += places.calls_in(value)
            for inner in places.walk(value):
                if isinstance(inner, records.Name) and inner.text in statuses:
                    given.setdefault(inner.text, [])
                if isinstance(inner, records.Lambda):
                    for capture in inner.captures:
                        statuses.pop(capture.name, None)
    if any(isinstance(s, records.Opaque) for s in function.statements) or any(function.lambdas()):
        return
    for call in calls:
        for argument in call.args:
            name = filled(argument)
            if name in statuses and _answers_alone(function, call) and _is_known(function, call, name):
                given.setdefault(name, []).append(call)
    for name, status in statuses.items():
        into = given.get(name, [])
        if into:
            for call in _unread(function, name, into):
                is_meant = bool(_CLEANS.match(places.last_name(call.callee)) or _UNWANTED.match(name))
                yield UnreadError(call, name, status, is_meant)


def _is_empty(value: records.Value | None) -> bool:
    inner = places.strip(value)
    if isinstance(inner, records.Aggregate):
        return not inner.items
    return inner is None or (isinstance(inner, records.Call) and inner.kind == "construct" and not inner.args)


def filled(argument: records.Value) -> str:
    """`ec`, `&status`."""
    inner = places.strip(argument)
    if isinstance(inner, records.Unary) and inner.op == "&":
        inner = places.strip(inner.value)
    return inner.text if isinstance(inner, records.Name) else ""


def _answers_alone(function: Function, call: records.Call) -> bool:
    """Whether the call is a statement of its own, and the callee can write to the local."""
    if not any(isinstance(s, records.Evaluate) and _bare(s.value) is call for s in function.statements):
        return False
    callees = function.program.calls.callee(call, function).records
    for record in callees:
        for parameter, argument in zip(record.parameters, call.args, strict=False):
            kind = types.parse(parameter.type)
            if filled(argument) and kind.const and function.program.statuses.of(kind.name, function) is not None:
                return False
            if kind.is_value and function.program.statuses.of(parameter.type, function) is not None:
                return False
    return True


def _is_known(function: Function, call: records.Call, name: str) -> bool:
    """Whether the callee is given the local to write to: by its declaration, an address, or a library's function."""
    if function.program.calls.callee(call, function).records:
        return True
    if isinstance(call.callee, records.Name) and "::" in call.callee.text:
        return True
    return any(isinstance(places.strip(argument), records.Unary) and filled(argument) == name for argument in call.args)


def _bare(value: records.Value) -> records.Value:
    while isinstance(value, records.Cast):
        value = value.value
    return value


def _unread(function: Function, name: str, into: list[records.Call]) -> list[records.Call]:
    """Those of the calls that fill a local of which nothing reads the outcome, before another call fills it."""
    filling = {id(call): call for call in into}
    spans = [call.span for call in into]

    def is_filled(event: events.Event) -> bool:
        return isinstance(event, events.CallEvent) and id(event.node) in filling

    def is_read(event: events.Event) -> bool:
        if isinstance(event, events.Read) and event.place[0] == name:
            return not any(event.span.start in span for span in spans)
        return isinstance(event, events.OpaqueEvent)

    return [
        event.node
        for event in function.flow.calls
        if is_filled(event) and function.flow.path(event, is_read, is_filled) is None
    ]
