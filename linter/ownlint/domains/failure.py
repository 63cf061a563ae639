"""How a function fails: the exits it takes because something it called did not work.

An exit is a failure when a macro takes it, when it throws, when it stands in the failing branch of a
test on a call's outcome or in a handler, or when it hands on the outcome of a call directly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from ownlint.domains.exceptions import is_caught, is_exception, is_handled, tries
from ownlint.engine import log_levels
from ownlint.engine.assignments import assigned, inserted, place
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because, weaker
from ownlint.flow import events as e
from ownlint.flow.asked import as_asked, is_null
from ownlint.flow.places import called, calls_in, last_name, names_in, receiver, strip, walk
from ownlint.models.records import Effect
from ownlint.project import types, undecoded
from ownlint.project.callees import taken_types
from ownlint.project.macro_exits import called_last
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_question
from ownlint.project.subjects import Function, Turn

_MADE_FIRST = re.compile(r"[\s(]*+(?:::)?(?:\w++::)*(\w++)\s*+[({]")
"""What the body of a macro makes, or calls, before anything else."""
_GOOD = re.compile(r"(?:is_?)?(?:ok|success|succeeded|valid|has_?value)|no_?error")
_BAD = re.compile(r"(?:is_?|has_?)?(?:err|error|fail|failed|failure|bad)")
_GOOD_ENDS = ("ok", "okstatus", "success", "succeeded", "none", "noerror")
_NUMBERS = re.compile(
    r"(?:std::)?(?:unsigned |signed )?"
    r"(?:int|long|short|char|ptrdiff_t|ssize_t|size_t|u?int\d*_t|errno_t|err_t|error_t)(?: int| long)*"
)
_LOOKS = re.compile(
    r"(?:Validate|Check|Verify|Is|Has|Can|Log|Assert|Expect|validate|check|verify|is|has|can|log|assert)(?![a-z])|status$"
)
_ASKS = re.compile(
    r"(?i:was|are|should|needs?|may|must|get|exists?|supports|contains|includes|matches|equals?|compare|lookup|find)(?![a-z])"
    r"|(?i:count|empty|size|length|begin|end|front|back|top|peek|data|value|at|first|last|min|max|test|any|all|none"
    r"|cast|dyn_cast|isa|status|state)$"
    r"|\w*(?:Exists|_exists)$"
)
_PREDICATE = re.compile(r"(?:is|has|was|are|can)(?:_|(?=[A-Z]))")
_CHECKS = re.compile(r"_Check(?:Exact)?$|Matches$")
"""`PyList_Check`, `PyErr_ExceptionMatches`: its answer is about the object."""
_LONGEST_PREDICATE = 60
_LONGEST_SURE = 4000
"""Bytes of the encoded body of a function that may answer with nothing but success."""
_LOGS = ("log", "debug log")
_DEEPEST_END = 2
"""Calls that are followed to the end of the program."""
_ON_A_PATH = because("path", "")
_WHERE_THROWN = because("exception", "")
_HAS_TO_BE_READ = frozenset({"nodiscard", "warn_unused_result", "gnu::warn_unused_result", "clang::warn_unused_result"})
"""Attributes by which callers have to read what a function answers."""
_PERHAPS_NOT = because("value", "`false` may not mean that it has failed")
_ASKED_OF_ONE = re.compile(r"(?i:code|error_?code)$")
"""A method of that name tells what a status holds; a free function of that name does work and answers with a code."""
_TELLS_OUTCOME = re.compile(r"(?:Get|get_?)?(?:[Ss]tatus|[Ee]rror|[Ee]rr|[Ee]rror_?[Cc]ode)(?:_?[Cc]ode)?")
"""A method without arguments of that name tells how it went."""
_BAD_CONSTANT = re.compile(
    r"(?:^|_|(?<=[a-z]))(?:ERR|ERROR|Error|FAIL|FAILED|FAILURE|Fail|Failed|Failure|FALSE|TOO_MANY)(?:_|$|(?=[A-Z]))"
)
_ERRNO = re.compile(
    r"E(?:2BIG|ACCES|ADDRINUSE|ADDRNOTAVAIL|AFNOSUPPORT|AGAIN|ALREADY|BADF|BADMSG|BUSY|CANCELED|CHILD|"
    r"CONNABORTED|CONNREFUSED|CONNRESET|DEADLK|DESTADDRREQ|DOM|EXIST|FAULT|FBIG|HOSTUNREACH|IDRM|ILSEQ|"
    r"INPROGRESS|INTR|INVAL|IO|ISCONN|ISDIR|LOOP|MFILE|MLINK|MSGSIZE|NAMETOOLONG|NETDOWN|NETRESET|"
    r"NETUNREACH|NFILE|NOBUFS|NODEV|NOENT|NOEXEC|NOLCK|NOLINK|NOMEM|NOMSG|NOPROTOOPT|NOSPC|NOSYS|NOTCONN|"
    r"NOTDIR|NOTEMPTY|NOTRECOVERABLE|NOTSOCK|NOTSUP|NOTTY|NXIO|OPNOTSUPP|OVERFLOW|OWNERDEAD|PERM|PIPE|"
    r"PROTO|PROTONOSUPPORT|PROTOTYPE|RANGE|ROFS|SPIPE|SRCH|TIMEDOUT|TXTBSY|WOULDBLOCK|XDEV)"
)
"""The error numbers of [cerrno.syn]: `return EINVAL;` is a failure, whether or not the header that defines it was
read."""


_MOST_GUARDS = 64
"""So many tests before an exit are looked at for the one that decides; a function of thousands of lines has as many."""
_MOST_PASSED = 512
"""So many are passed over on the way to those."""
_MOST_ANSWERING = 4
"""So many functions that a call may reach are asked which outcome they answer about."""


class Failure(msgspec.Struct, frozen=True):
    """An exit taken because `cause` failed (None when it is not known what did). `at` is where the way to the exit
    begins: the exit itself, or the `goto` that leads to it."""

    leave: e.LeaveEvent
    cause: e.CallEvent | None
    certainty: Certainty
    at: e.Event


@flow_question
def failures(function: Function) -> list[Failure]:
    """Every way in which the function leaves because something did not work, in source order."""
    return [
        _reasoned(function, failed)
        for failed in _failures(function)
        if failed.cause is None or failed.leave.kind == "throw" or not _is_sure_to_work(function, failed.cause)
    ]


def _reasoned(function: Function, failed: Failure) -> Failure:
    if failed.cause is None or failed.certainty == "certain":
        return failed
    why = f"this happens only if {fails(function, failed.cause, failed.leave)}"
    return msgspec.structs.replace(failed, certainty=because(failed.certainty, why))


def fails(function: Function, cause: e.CallEvent | None, exit: e.Event) -> str:
    """That a call fails before an exit, as a clause. A predicate does not fail: it is true or false there."""
    return answered(function, cause, exit) or f"{work(function, cause)} fails"


def decided(function: Function, turn: Turn, acquired: e.Event | None = None) -> str:
    """When a path turns to its end, as a clause: by the call that has failed, unless that is named like the one that
    `acquired` something; else by what the condition says."""
    cause = deciding(function, turn)
    if cause is None or is_like(cause, acquired):
        return turn.clause
    return f"{work(function, cause)} {'returns NULL' if turn.clause.endswith(' is NULL') else 'fails'}"


def deciding(function: Function, turn: Turn) -> e.CallEvent | None:
    """The call of which a test says that it has failed, so that the path turns to its end. A question does not fail."""
    if turn.decided is None:
        return None
    cause, certainty = failing(function, *turn.decided)
    if cause is None or certainty is None:
        return None
    return None if _is_question(cause.node) else cause


def _is_question(call: r.Call) -> bool:
    """Whether a call by its name answers about what it is given, and does not fail."""
    name = called(call)
    return bool(_PREDICATE.match(name) or _CHECKS.search(name))


def is_like(cause: e.CallEvent, other: e.Event | None) -> bool:
    """Whether two calls go by one name, so that a message which names one could mean the other."""
    return isinstance(other, e.CallEvent) and called(cause.node) == called(other.node) and cause is not other


def answered(function: Function, cause: e.CallEvent | None, exit: e.Event) -> str:
    """What a predicate answers before an exit, as "`h.is_null()` is true"; empty for any other call."""
    if cause is None or not _is_question(cause.node):
        return ""
    for test, outcome in islice(function.flow.guards(exit), _MOST_GUARDS):
        asked, holds = strip(test.value), outcome
        while isinstance(asked, r.Unary) and asked.op in ("!", "not"):
            asked, holds = strip(asked.value), not holds
        if asked is cause.node:
            return f"`{text(cause.node, _LONGEST_PREDICATE)}` is {'true' if holds else 'false'}"
    return ""


def work(function: Function, cause: e.CallEvent | None) -> str:
    """What fails, as a message says it: a call by its name with the class or namespace that is written before it. Of a
    macro that is written in capitals it is said that it is one: what it stands for fails."""
    if cause is None:
        return "the work"
    if cause.node.kind == "new":
        return "`new`"
    name = called(cause.node)
    callee = strip(cause.node.callee)
    written = callee.text.removeprefix("::") if isinstance(callee, r.Name) else name
    if name.isupper() and any(macro.parameters is not None for macro in function.program.macros.named(name)):
        return f"the macro `{name}`"
    return f"the construction of `{written}`" if cause.node.kind == "construct" else f"`{written}`"


def is_decided_by(function: Function, flag: str, cause: e.CallEvent | None) -> str:
    """What a message says of a test that decides whether the work is done."""
    is_call = cause is not None and cause.node.kind == "call"
    what = f"{work(function, cause)} is called" if is_call else "the work is done"
    return f"`{flag}` decides here whether {what}"


def is_dealing_with_one(function: Function, event: e.Event) -> bool:
    """Whether something is sure to have failed where the event stands: behind the failing outcome of a status's
    test, or in a handler."""
    if _is_behind_failure(function, event):
        return True
    return any(mark.span.holds(event.span) and function.flow.dominates(mark, event) for mark in function.flow.catches)


def _is_behind_failure(function: Function, event: e.Event) -> bool:
    """Whether a test above, however far, is known to have said that something has failed."""
    known = _sure_failures(function)
    passed: list[tuple[int, bool]] = []
    found = False
    for test, outcome in function.flow.guards(event):
        decided = known.get((test.index, outcome))
        if decided is not None:
            found = decided
            break
        passed.append((test.index, outcome))
        if failing(function, test, outcome)[1] == "certain":
            found = True
            break
    # What a test says holds for all that are further down, and what stands below has no more above it.
    known.update(dict.fromkeys(passed, found))
    return found


@flow_question
def _sure_failures(function: Function) -> dict[tuple[int, bool], bool]:
    """For an outcome of a test, whether it or one above it says that something has failed; filled as it is asked."""
    return {}


def _failures(function: Function) -> Iterator[Failure]:
    flow = function.flow
    for event in flow:
        if event.index not in flow.reachable:
            continue
        if isinstance(event, e.Mark) and event.what == "goto":
            yield from _by_goto(function, event)
        elif isinstance(event, e.LeaveEvent) and event.kind != "end":
            yield from _by_leave(function, event)


def _by_leave(function: Function, leave: e.LeaveEvent) -> Iterator[Failure]:
    if leave.via and function.program.macros.role(leave.via) != "leave":
        yield Failure(leave, cause_inside(function, leave), "certain", leave)
        return
    handled = list(_by_handler(function, leave))
    if handled:
        yield from handled
    elif leave.kind == "throw":
        found = _decided_by(function, leave)
        yield Failure(leave, found[0] if found is not None else None, "certain", leave)
    elif tested := list(_from_tests(function, leave)):
        yield from tested
    elif (chosen := _from_choice(function, leave)) is not None:
        yield chosen
    else:
        is_plain = types.parse(function.record.result).name == "bool"
        for call in _handed_on(function, leave):
            doubtful = is_plain and not _false_is_failure(function, leave, call)
            yield Failure(leave, call, weaker(_ON_A_PATH, _PERHAPS_NOT) if doubtful else _ON_A_PATH, leave)


def _by_goto(function: Function, mark: e.Event) -> Iterator[Failure]:
    """`if (err) goto out;`: the exit is a failure as far as the jump is, unless it says that all went well. A jump back
    is another attempt."""
    flow = function.flow
    if all(flow.events[to].span.start < mark.span.start for to, _ in flow.successors[mark.index]):
        return
    found = _decided_by(function, mark)
    if found is None:
        return
    nearest = _first_exits(function)
    behind = [nearest[target] for target, _ in function.flow.successors[mark.index]]
    leave = min((each for each in behind if each is not None), key=lambda each: each.index, default=None)
    if leave is not None and (leave.value is None or refuses(function, leave.value) is not False):
        cause, certainty = found
        yield Failure(leave, cause, weaker(certainty, _ON_A_PATH), mark)


@flow_question
def _first_exits(function: Function) -> list[e.LeaveEvent | None]:
    """For each event the first exit of the text that it can come to, itself included."""
    flow = function.flow
    found: list[e.LeaveEvent | None] = [None] * len(flow.events)
    for leave in flow.leaves:
        queue = [leave.index] if found[leave.index] is None else []
        for current in queue:
            if found[current] is None and not _never_returns(function, flow.events[current]):
                found[current] = leave
                queue += [source for source, _ in flow.predecessors[current] if found[source] is None]
    return found


def _never_returns(function: Function, event: e.Event) -> bool:
    return isinstance(event, e.CallEvent) and event.node.kind == "call" and ends_program(function, event.node)


def ends_program(function: Function, call: r.Call, depth: int = _DEEPEST_END) -> bool:
    """Whether the program ends there: `abort()`, or a function of the project's own that comes to it at its end."""
    if last_name(call.callee) not in _enders(function.program):
        return False
    callee = function.program.calls.callee(call, function)
    if any(effect.verb == "never returns" for model in callee.models for effect in model.effects):
        return True
    if callee.functions and any(map(_is_noreturn, callee.records)) and not any(map(_says_throw, callee.functions)):
        return True
    return depth > 0 and any(_comes_to_end(found, found.body, depth - 1) for found in callee.functions)


def never_comes_back(function: Function, call: r.Call) -> bool:
    """Whether nothing runs behind a call: it ends the program, is declared so, or leaves by an exception whatever it is
    given; or a macro that does such a call last."""
    program = function.program
    callee = program.calls.callee(call, function)
    if any(model.has("never returns") for model in callee.models) or _is_final(callee.records, callee.functions):
        return True
    if callee.functions and ends_program(function, call):
        return True
    if callee.functions or not isinstance(call.callee, r.Name):
        return False
    macros = program.macros.named(last_name(call.callee))
    ending = _ending_classes(program) if macros else frozenset[str]()
    made = [_MADE_FIRST.match(macro.body) for macro in macros] if ending else []
    if made and all(one is not None and one[1] in ending for one in made):
        return True
    last = {called_last(macro.body) for macro in macros} - {""}
    return bool(last) and all(
        "never returns" in program.models.verbs(name)
        or _is_final((record for _, record in program.index.records_called(name)), program.index.functions_called(name))
        for name in last
    )


@program_question
def _ending_classes(program: Program) -> frozenset[str]:
    """The classes whose destructor is declared never to come back: `FAIL() << text` makes an object of one, which ends
    with the statement."""
    return frozenset(
        name.removeprefix("~")
        for name, record in program.index.declared_functions()
        if name.startswith("~") and _is_noreturn(record)
    )


def _is_final(records: Iterable[r.FunctionRecord], functions: Sequence[Function]) -> bool:
    if any(map(_is_noreturn, records)):
        return True
    return bool(functions) and all(_only_throws(one) for one in functions)


def _is_noreturn(record: r.FunctionRecord) -> bool:
    return any("noreturn" in one.name.lower() for one in record.annotations)


def _says_throw(callee: Function) -> bool:
    """Whether it throws, itself or by what it calls. Needs no decoding."""
    return callee.says(undecoded.THROWS) or not undecoded.throwers(callee.program).isdisjoint(callee.mentioned)


def _only_throws(callee: Function) -> bool:
    return callee.says(undecoded.THROWS) and callee.record.result in ("", "void") and _always_throws(callee)


@flow_question
def _always_throws(callee: Function) -> bool:
    left = [leave for leave in callee.flow.leaves if leave.index in callee.flow.reachable]
    return bool(left) and all(leave.kind == "throw" for leave in left)


@program_question
def _enders(program: Program) -> frozenset[str]:
    """Last names of what ends the program, and of the functions that may come to it; needs no decoding."""
    mentioned = program.index.mentioned("cpp")
    found = {name for name in mentioned if "never returns" in program.models.verbs(name)}
    found |= {name for name, record in program.index.declared_functions() if _is_noreturn(record)} & mentioned
    for _ in range(_DEEPEST_END):
        found |= {
            function.name
            for function in program.calling(found)
            if function.language == "cpp" and function.record.result in ("", "void")
        }
    return frozenset(found)


def _comes_to_end(function: Function, body: Sequence[r.Statement], depth: int) -> bool:
    """Whether the last statement ends the program, on both sides where it is an `if`."""
    match body[-1:]:
        case [r.Evaluate(value=r.Call() as last)]:
            return ends_program(function, last, depth)
        case [r.Branch(then=then, other=other)]:
            return _comes_to_end(function, then, depth) and _comes_to_end(function, other, depth)
    return False


def _by_handler(function: Function, leave: e.LeaveEvent) -> Iterator[Failure]:
    """An exit inside a handler, once for each call that can have ended there."""
    flow = function.flow
    if leave.kind == "return" and not reports_failure(function, leave.value):
        return
    if not flow.catches:
        return
    around = [mark for mark in flow.catches if mark.span.holds(leave.span) and flow.dominates(mark, leave)]
    if around:
        mark = min(around, key=lambda mark: mark.span.end - mark.span.start)
        for source, _ in flow.predecessors[mark.index]:
            cause = flow.events[source]
            if not isinstance(cause, e.CallEvent) or not is_caught(function, cause):
                continue
            if not _may_fail_there(function, cause):
                continue
            if not _is_passed_on(function, mark) or throws(function, cause) is not None:
                yield Failure(leave, cause, _how_it_fails(function, cause), leave)


def throws_nothing(function: Function, call: e.CallEvent) -> bool:
    """Whether no exception comes out of a call: of what is declared `noexcept`, also by the standard library, whose
    containers, texts and views say so of what asks for their size or their elements, and whose exceptions of what they
    tell."""
    program, on = function.program, receiver(call.node)
    name = last_name(call.node.callee) if on is not None else ""
    if on is not None and name in _NOEXCEPT:
        written = program.types.of(on, function)
        if not written and name == "c_str":
            return True  # nothing else than texts has it
        roles = program.types.roles(written, function)
        if name == "reset" and "shared pointer" in roles and call.node.args:
            return False  # the new count is allocated
        return not _KEEPING.isdisjoint(roles)
    if on is not None and not call.node.args:
        if name == "what" and is_exception(function, on):
            return True
        if name == "value" and _is_known_to_be_there(function, call, on):
            return True
    declared = program.calls.callee(call.node, function).records
    return bool(declared) and all("noexcept" in record.qualifiers for record in declared)


def _is_known_to_be_there(function: Function, call: e.CallEvent, optional: r.Value) -> bool:
    """Whether a test above says that an optional has a value: `if (!found.has_value()) return;`."""
    said = text(optional)
    there = ((said, True), (f"{said}.has_value()", True))
    guards = islice(function.flow.guards(call), _MOST_GUARDS)
    return any(not test.asserted and as_asked(test.value, outcome) in there for test, outcome in guards)


_NOEXCEPT = frozenset(
    {"size", "length", "empty", "capacity", "data", "c_str", "begin", "end", "cbegin", "cend", "rbegin", "rend", "get"}
    | {"release", "reset", "swap", "clear"}
)
"""Methods of [container.requirements], [string.view] and [unique.ptr]."""
_KEEPING = frozenset({"container", "associative", "sequence", "string", "view", "smart pointer", "shared pointer"})


def _may_fail_there(function: Function, call: e.CallEvent) -> bool:
    """Whether a call inside of a `try` may throw because its work has failed. A log's macro, an operation of an atomic,
    and what is declared to throw nothing, does not."""
    program, on = function.program, receiver(call.node)
    if asks(function, call) or id(call.node) in _thrown_values(function):
        return False
    if program.macros.role(last_name(call.node.callee)) in _LOGS:
        return False
    if on is not None and "atomic" in program.types.roles(program.types.of(on, function), function):
        return False
    return not throws_nothing(function, call)


def _how_it_fails(function: Function, call: e.CallEvent) -> Certainty:
    """What the function asks how it went reports its failures so; that it throws as well is another assumption. So is
    that what is done about a failure fails in turn."""
    if throws(function, call) is not None:
        return _ON_A_PATH
    if call.index in _tested(function):
        return because("possible", f"{work(function, call)} reports its failures by its result, and may not throw")
    behind = islice(_deciding(function, call), _MOST_GUARDS)
    if any(failing(function, test, outcome)[1] is not None for test, outcome in behind):
        return because("possible", f"{work(function, call)} runs where something else has failed")
    return _ON_A_PATH


@flow_question
def _tested(function: Function) -> frozenset[int]:
    """The calls whose outcome a test of the function asks about."""
    tests = (event for event in function.flow if isinstance(event, e.Test) and not event.asserted)
    causes = (failing(function, test, outcome)[0] for test in tests for outcome in (True, False))
    return frozenset(cause.index for cause in causes if cause is not None)


def _is_passed_on(function: Function, mark: e.Mark) -> bool:
    """Whether a handler throws on what it has caught, and does nothing else: `catch (...) { throw; }`. It tells nothing
    of what is expected to fail."""
    handlers = (one for statement in tries(function) for one in statement.handlers)
    return any(one.span == mark.span and bool(one.body) and _throws_on(one) for one in handlers)


def _throws_on(handler: r.Handler) -> bool:
    for statement in handler.body:
        if not isinstance(statement, r.Leave) or statement.kind != "throw":
            return False
        match strip(statement.value):
            case None:
                pass
            case r.Name(text=name) if name == handler.name:
                pass
            case r.Call(callee=callee, args=(given,)):
                mentioned = names_in(given)
                if last_name(callee) != types.parse(handler.type).last or handler.name not in mentioned:
                    return False
            case _:
                return False
    return True


@flow_question
def _thrown_values(function: Function) -> frozenset[int]:
    """What a `throw` throws, by the identity of what makes it."""
    return frozenset(id(strip(leave.value)) for leave in function.flow.leaves if leave.kind == "throw")


def cause_inside(function: Function, leave: e.LeaveEvent) -> e.CallEvent | None:
    """What has failed where a macro leaves: the outermost call among its arguments, else the call whose outcome an
    argument holds."""
    within = function.flow.calls_of(leave)
    inside = [call for call in within if last_name(call.node.callee) != leave.via]
    found = max(inside, key=lambda call: (call.span.end - call.span.start, -call.span.start), default=None)
    if found is not None:
        return _worked(function, leave, found)
    macro = next((c for c in within if c.span == leave.span and last_name(c.node.callee) == leave.via), None)
    origins = (_origin(function, macro, argument) for argument in macro.node.args) if macro is not None else iter(())
    return next((origin for origin in origins if origin is not None), None)


def _from_tests(function: Function, leave: e.LeaveEvent) -> Iterator[Failure]:
    """A `return` in the branch where a call is known to have failed, or one of several may have."""
    found = _decided_by(function, leave)
    outcomes = [found] if found is not None else _alternatives(function, leave)
    for cause, certainty in outcomes:
        if certainty == "certain" or reports_failure(function, leave.value) or _complains(function, leave):
            yield Failure(leave, cause, certainty, leave)


def _complains(function: Function, leave: e.LeaveEvent) -> bool:
    """Whether a function without a result writes an error to the log before it returns early."""
    if leave.kind != "return" or leave.value is not None:
        return False
    blocks = (body for one in function.statements if isinstance(one, r.Branch) for body in (one.then, one.other))
    around = [body for body in blocks if body and body[0].start <= leave.span.start < body[-1].end]
    nearest = min(around, key=lambda body: body[-1].end - body[0].start, default=())
    return log_levels.has_complaint(line for line in nearest if line.end <= leave.span.start)


def _decided_by(function: Function, event: e.Event) -> tuple[e.CallEvent | None, Certainty] | None:
    """The call that is known to have failed where the event is reached. What only looks like an outcome (a number,
    a bool) is one where its test decides this very event; a status is one however far away it was tested."""
    for distance, (test, outcome) in enumerate(islice(_deciding(function, event), _MOST_GUARDS)):
        cause, certainty = failing(function, test, outcome)
        if certainty is not None and (certainty == "certain" or distance == 0):
            return cause, certainty
    return None


def _deciding(function: Function, event: e.Event) -> Iterator[tuple[e.Test, bool]]:
    """The tests whose outcome is known at an event, nearest first, but for those that only end a loop, behind which it
    stands, or ask why something has failed that failed before."""
    for test, outcome in islice(function.flow.guards(event), _MOST_PASSED):
        ends_loop = any(not mark.span.holds(event.span) for mark in _loops_around(function, test))
        asks_why = "errno" in names_in(test.value)
        if not (test.asserted or ends_loop or asks_why):
            yield test, outcome


@flow_question
def _loops_around(function: Function, event: e.Event) -> list[e.Mark]:
    return [mark for mark in function.flow.loops_over(event.span.start) if mark.span.holds(event.span)]


def _alternatives(function: Function, leave: e.LeaveEvent) -> Iterator[tuple[e.CallEvent | None, Certainty]]:
    """`if (!Open() || !Seek()) return false`: the calls of which any may lead here."""
    for test, outcome in alternatives(function, leave):
        cause, certainty = failing(function, test, outcome)
        if certainty is not None:
            yield cause, certainty


def alternatives(function: Function, exit: e.Event) -> Iterator[tuple[e.Test, bool]]:
    """The tests of which each leads to an exit by itself, with the outcome that does; nothing where one decides."""
    flow, first = function.flow, exit
    while len(before := flow.predecessors[first.index]) == 1 and before[0][1] is None:
        first = flow.events[before[0][0]]
    if len(before) < 2:
        return
    for source, outcome in before:
        test = flow.events[source]
        if isinstance(test, e.Test) and outcome is not None:
            yield test, outcome


def _from_choice(function: Function, leave: e.LeaveEvent) -> Failure | None:
    """`return Work() ? OkStatus() : Error()`."""
    chosen = strip(leave.value)
    if not isinstance(chosen, r.Conditional):
        return None
    for test in function.flow.of(e.Test):
        if (
            isinstance(test, e.Test)
            and chosen.condition.start <= test.span.start
            and test.span.end <= chosen.condition.end
        ):
            for outcome, value in ((True, chosen.then), (False, chosen.other)):
                cause, certainty = failing(function, test, outcome)
                if certainty is not None and reports_failure(function, value):
                    return Failure(leave, cause, weaker(certainty, _ON_A_PATH), leave)
    return None


# --- what a test says about a call ----------------------------------------------------------------------


def names_outcome(name: str) -> bool:
    """Whether something of that last name is asked whether it has worked."""
    return _asks_whether(name) is not None or _is_asked_of(name) is not None


def _asks_whether(name: str) -> bool | None:
    """Whether a method says by its name that it asks whether something failed; false for whether it worked."""
    bad = _BAD.fullmatch(name.lower()) is not None
    return bad if bad or _GOOD.fullmatch(name.lower()) else None


def _is_said_by_member(function: Function, base: r.Value, name: str) -> bool | None:
    """The same of a member of a status: `if (!status.ok) return status;`."""
    bad = _asks_whether(name)
    known = bad is not None and function.program.statuses.of(function.program.types.of(base, function), function)
    return bad if known else None


def _is_asked_of(name: str) -> bool | None:
    """The same of a function that is given what it asks about."""
    bad = name.lower().endswith(("failed", "is_err", "iserror"))
    return bad if bad or name.lower().endswith(("succeeded", "is_ok", "isok")) else None


@flow_question
def failing(function: Function, test: e.Test, outcome: bool) -> tuple[e.CallEvent | None, Certainty | None]:
    """Whether `outcome` of the test means that a call failed, and which call."""
    value = _outcome_of(test.value)
    while isinstance(value, r.Unary) and value.op in ("!", "not"):
        value, outcome = _outcome_of(value.value), not outcome
    match value:
        case r.Call(callee=r.Member(base=base, name=name), args=()) if (bad := _asks_whether(name)) is not None:
            return (_origin(function, test, base), "certain") if outcome is bad else (None, None)
        case r.Member(base=base, name=name) if (bad := _is_said_by_member(function, base, name)) is not None:
            return (_origin(function, test, base), "certain") if outcome is bad else (None, None)
        case r.Call(callee=callee, args=(about, *_)) if (bad := _is_asked_of(last_name(callee))) is not None:
            return (_origin(function, test, about), "certain") if outcome is bad else (None, None)
        case r.Call(kind="call", args=(_, *_)) as call if (answered := _answered_about(function, call)) is not None:
            about, bad = answered
            return (_origin(function, test, about), "certain") if outcome is bad else (None, None)
        case r.Binary(op="==" | "!=" as op, left=left, right=right):
            tested, constant = (
                (right, left)
                if isinstance(left, r.Literal) or _constant_first(function, left, right)
                else (left, right)
            )
            good = _is_good(function, constant) and not _is_null(function, tested, constant)
            if good is not None and (outcome == (op == "==")) != good:
                return _likely(function, _origin(function, test, tested))
        case (
            r.Binary(op="<" | "<=", left=left, right=r.Literal(text="0"))
            | r.Binary(op=">", left=r.Literal(text="0"), right=left)
        ):
            return _likely(function, _origin(function, test, left)) if outcome else (None, None)
        case r.Binary(op=">=" | ">", left=left, right=r.Literal(text="0")):
            return _likely(function, _origin(function, test, left)) if not outcome else (None, None)
        case r.Call() | r.Name() | r.Member():
            return _by_truth(function, test, value, outcome)
    return None, None


def _answered_about(function: Function, call: r.Call) -> tuple[r.Value, bool] | None:
    """The outcome that a function of the project is given and says by its answer whether it is a failure, and the
    answer that says so: `if (save_error(into, open(&db))) return nullptr;`."""
    callees = function.program.calls.callee(call, function).functions
    said = {outcome_parameter(callee) for callee in islice(callees, _MOST_ANSWERING + 1)}
    if len(callees) > _MOST_ANSWERING or len(said) != 1:
        return None
    index, bad = said.pop()
    return (call.args[index], bad) if 0 <= index < len(call.args) else None


@flow_question
def outcome_parameter(callee: Function) -> tuple[int, bool]:
    """Which argument (from 0) every answer of a `bool` function says the outcome of, and whether true means that it has
    failed; -1 for none."""
    none = (-1, False)
    if types.parse(callee.record.result).name != "bool":
        return none
    found: set[tuple[int, bool]] = set()
    for leave in callee.flow.leaves:
        if leave.index not in callee.flow.reachable:
            continue
        answer = strip(leave.value)
        if isinstance(answer, r.Literal) and answer.kind == "bool":
            judged = (_judged_by(callee, test.value, outcome) for test, outcome in _deciding(callee, leave))
            index, failed = next((one for one in judged if one != none), none)
            found.add((index, failed is answer.is_true))
        else:
            found.add(_judged_by(callee, answer, True))
    return found.pop() if len(found) == 1 else none


def _judged_by(callee: Function, asked: r.Value | None, outcome: bool) -> tuple[int, bool]:
    """The parameter whose value a test asks about, and whether `outcome` says that it is a failure; -1 for neither."""
    own = callee.record.parameters[bool(callee.itself) :]
    inner, asked_of = strip(asked), asked
    if isinstance(inner, r.Name) and inner.text in callee.locals and len(callee.flow.writes_to((inner.text,))) == 1:
        asked_of = strip(callee.locals[inner.text][1])
    named = names_in(asked_of)
    # `bool error = result != nullptr;` says by its name what NULL means.
    told = asked_of is not asked and isinstance(asked_of, r.Binary) and is_null(asked_of.right)
    numbers = [n for n, one in enumerate(own) if one.name in named and (told or not types.parse(one.type).pointers)]
    failed = says_failure(callee, asked, outcome) if len(numbers) == 1 else None
    return (-1, False) if failed is None else (numbers[0], failed)


def says_failure(function: Function, value: r.Value | None, outcome: bool) -> bool | None:
    """Whether a test of how something went says by its form alone that it has failed, whatever that was; None where the
    form says neither."""
    value = _outcome_of(value)
    while isinstance(value, r.Unary) and value.op in ("!", "not"):
        value, outcome = _outcome_of(value.value), not outcome
    match value:
        case r.Binary(op="==" | "!=" as op, left=left, right=right):
            first = isinstance(left, r.Literal) or _constant_first(function, left, right)
            constant, tested = (left, right) if first else (right, left)
            good = _is_good(function, constant) and not _is_null(function, tested, constant)
            return None if good is None else (outcome == (op == "==")) != good
        case r.Binary(op="<", right=r.Literal(text="0")):
            return outcome
        case r.Binary(op=">=", right=r.Literal(text="0")):
            return not outcome
        case r.Call(callee=callee):
            name = last_name(callee).lower()
            if name.endswith(("success", "succeeded", "is_ok", "isok")) or _GOOD.fullmatch(name):
                return not outcome
            return (
                outcome if name.endswith(("failure", "failed", "is_err", "iserror")) or _BAD.fullmatch(name) else None
            )
        case r.Name() | r.Member():
            name = last_name(value).lower()
            if _GOOD.fullmatch(name):
                return not outcome
            bad = _BAD.fullmatch(name) is not None or is_number(function.program.types.of(value, function))
            return outcome if bad else None
    return None


def _likely(function: Function, origin: e.CallEvent | None) -> tuple[e.CallEvent | None, Certainty | None]:
    """A number, a bool or a pointer is an outcome where the call can have done something: a question has an answer."""
    if origin is None or asks(function, origin):
        return None, None
    return origin, _ON_A_PATH


@flow_question
def asks(function: Function, call: e.CallEvent) -> bool:
    """Whether a call only looks something up or computes: by its name, by the `#define`, by its model, because it
    makes a number, or because it changes nothing it is called on."""
    return _asks_by_name(function, call) or _changes_nothing(function, call)


def _asks_by_name(function: Function, call: e.CallEvent) -> bool:
    name = last_name(call.node.callee)
    if isinstance(call.node.callee, r.Member) and _ASKED_OF_ONE.match(name):
        return True
    if _ASKS.match(name) or assigned(call.node) is not None or inserted(call.node, function) is not None:
        return True
    if name in types.SCALARS or function.program.macros.computes(name):
        return True
    return any(model.computes for model in function.program.calls.callee(call.node, function).models)


def _changes_nothing(function: Function, call: e.CallEvent) -> bool:
    """Whether it is a method that promises to leave its object as it is, or a function that only reads."""
    callee = function.program.calls.callee(call.node, function)
    if len(callee.functions) == 1 and _only_reads(callee.functions[0]):
        return True
    callees = callee.records
    looking = [taken_types(one) for one in callees if "const" in one.qualifiers]
    return bool(looking) and all(taken_types(one) in looking for one in callees)


@flow_question
def _only_reads(callee: Function) -> bool:
    """Whether a function answers with what it reads: it calls nothing and writes nothing that outlives it."""
    flow = callee.flow
    if flow.calls or "virtual" in callee.record.qualifiers or callee.record.result in ("", "void"):
        return False
    return all(write.fresh or (len(write.place) == 1 and callee.is_local(write.place)) for write in flow.writes)


def _constant_first(function: Function, left: r.Value, right: r.Value) -> bool:
    return (
        isinstance(left, r.Name) and _constant_is_good(function, left.text) is True and not isinstance(right, r.Literal)
    )


def _by_truth(
    function: Function, test: e.Test, value: r.Value, outcome: bool
) -> tuple[e.CallEvent | None, Certainty | None]:
    """`if (f())`, `if (x)` where `x` is what a call returned: true is failure for a number or a status that converts to
    its error, false is failure for everything else."""
    origin = _origin(function, test, value)
    if origin is None:
        return None, None
    program = function.program
    written = program.types.of(value, function)
    if (isinstance(value, r.Name) and types.parse(written).is_placeholder) or not written:
        written = program.calls.result_type(origin.node, function) or written
    status = program.statuses.of(written, function)
    if status is not None:
        failing = not any(ok == "_" or ".ok" in ok or "has_value" in ok or "bool" in ok for ok in status.ok)
        return (origin, "certain") if failing == outcome else (None, None)
    models = program.calls.callee(origin.node, function).models
    if any(model.answers_zero for model in models):
        return (origin, "certain") if outcome else (None, None)
    if not written and any(effect.verb == "acquire" and _is_argument(effect) for m in models for effect in m.effects):
        return origin, "possible"  # a number or a bool, and nobody says which of its answers is the good one
    failed = outcome if is_number(written) and not _says_zero(function, origin) else not outcome
    if not failed or (is_number(written) and isinstance(value, r.Call) and only_looks(origin.node)):
        return None, None
    return _likely(function, origin)


def _says_zero(function: Function, call: e.CallEvent) -> bool:
    """Whether the number that a call answers with is zero where it has failed: by what the one callee returns, and
    where none is known, as the function says of itself."""
    callees = function.program.calls.callee(call.node, function).functions
    return fails_by_zero(callees[0]) if len(callees) == 1 else not callees and fails_by_zero(function)


@flow_question
def fails_by_zero(function: Function) -> bool:
    """Whether what a function returns says that one is success and zero failure: `return 0;` on the way, `return 1;` at
    the end."""
    if not is_number(function.record.result):
        return False
    answers = [strip(leave.value) for leave in function.flow.leaves if leave.kind == "return"]
    said = [answer.text for answer in answers if isinstance(answer, r.Literal)]
    return "0" in said[:-1] and said[-1:] == ["1"] and set(said) == {"0", "1"} and isinstance(answers[-1], r.Literal)


def _false_is_failure(function: Function, leave: e.LeaveEvent, call: e.CallEvent) -> bool:
    """Whether a `bool` that is handed on says with `false` that the work has failed: callers have to read it, or its
    callee leaves early with `false`, or the function itself does so where something else has failed."""
    callee = function.program.calls.callee(call.node, function)
    if any(one.name in _HAS_TO_BE_READ for record in callee.records for one in record.annotations):
        return True
    if len(callee.functions) == 1 and fails_by_false(callee.functions[0]):
        return True
    return any(
        other is not leave and refuses(function, other.value) is True and next(_from_tests(function, other), None)
        for other in function.flow.leaves
        if other.kind == "return" and other.value is not None
    )


@flow_question
def fails_by_false(function: Function) -> bool:
    """Whether a function of `bool` says with `false` that it has failed: `return false;` on the way, `return true;` at
    the end, and something done between. One that only asks answers a question with both."""
    if types.parse(function.record.result).name != "bool" or "const" in function.record.qualifiers:
        return False
    answers = [strip(leave.value) for leave in function.flow.leaves if leave.kind == "return"]
    said = [answer.is_true if isinstance(answer, r.Literal) else None for answer in answers]
    if False not in said[:-1] or said[-1:] != [True]:
        return False
    return any(isinstance(event, e.Write) and not event.fresh for event in function.flow) or bool(function.flow.calls)


def _is_argument(effect: Effect) -> bool:
    return effect.place is not None and effect.place.kind == "argument"


def is_number(written: str) -> bool:
    return bool(_NUMBERS.fullmatch(types.parse(written).name)) and types.parse(written).is_value


def _outcome_of(value: r.Value | None) -> r.Value | None:
    """Without what only stands around an outcome: casts, moves, `co_await`, an assignment inside the condition."""
    while True:
        value = strip(value)
        match value:
            case r.Unary(op="await" | "co_await", value=inner) | r.Assign(op="=", value=inner):
                value = inner
            case _:
                return value


def _is_good(function: Function, value: r.Value) -> bool | None:
    """What an outcome is compared with: true when it means success, false when it means failure, None when unclear."""
    match strip(value):
        case r.Literal(kind="null") | r.Literal(text="-1"):
            return False
        case r.Literal(kind="int", text="0"):
            return True
        case r.Literal(kind="bool") as said:
            return said.is_true
        case r.Name(text=name):
            return _constant_is_good(function, name)
        case r.Call(callee=callee, args=()):
            return _last_word_is_good(last_name(callee))
        case r.Unary(op="-"):
            return False
    return None


def _is_null(function: Function, tested: r.Value, constant: r.Value) -> bool:
    """Whether the zero that something is compared with is a null pointer: `if (handle == 0)`."""
    return text(constant) == "0" and bool(types.parse(function.program.types.of(tested, function)).pointers)


def _constant_is_good(function: Function, name: str) -> bool | None:
    good = _last_word_is_good(name)
    return good if good is not None else function.program.statuses.says_success(name)


def _last_word_is_good(name: str) -> bool | None:
    last = name.rsplit("::", 1)[-1].lower().replace("_", "")
    if "invalid" in last or "null" in last:
        return False
    return True if last.endswith(_GOOD_ENDS) or last.startswith(("ok", "success", "noerr")) else None


def _origin(function: Function, at: e.Event, value: r.Value | None) -> e.CallEvent | None:
    """The call whose outcome is looked at: in the value itself, or what the variable was last given."""
    flow = function.flow
    inner = _outcome_of(value)
    if isinstance(inner, r.Call) and inner.kind == "call":
        given = _given_back(function, inner)
        origin = (_origin(function, at, given) if given is not None else None) or flow.call_of(inner)
        return _worked(function, at, origin) if origin is not None else None
    wanted = place(function, inner) if isinstance(inner, (r.Name, r.Member, r.Index)) else None
    if wanted is None:
        return None
    event = flow.last_write(at, wanted)
    if event is None:
        return None
    outer = _outcome_of(event.value)
    if isinstance(outer, r.Call) and outer.kind == "construct" and _may_fail_to_be_made(function, outer):
        return flow.call_of(outer)
    if not isinstance(outer, r.Call) or outer.kind == "construct":
        outer = next(calls_in(event.value), None) if outer is not None else None
        if isinstance(outer, r.Call) and outer.kind == "construct":
            outer = next((call for call in calls_in(event.value) if call.kind == "call"), None)
    return flow.call_of(outer)


def _may_fail_to_be_made(function: Function, made: r.Call) -> bool:
    """Whether the object says by its truth whether it could be made: `std::ifstream in(path)`, or one of a class of the
    project that is converted for it."""
    models = function.program.calls.callee(made, function).models
    if not made.args or any(model.has("may fail") for model in models):
        return bool(made.args)
    written = made.template or text(made.callee)
    cls = function.program.names.find_class(written, function.record.scope, function.file)
    return cls is not None and (
        bool(cls.declared("operator!"))
        or any(record.kind == "conversion" for one in cls.ancestry for record in one.declarations)
    )


def _worked(function: Function, at: e.Event, call: e.CallEvent) -> e.CallEvent | None:
    """The call itself, unless it only tells an outcome: then what was called to get the object that is asked, or last
    called on it. `Run` of `Run().status()`, and of `x.Run(); x.status()`; None where that was not here."""
    asked = call.node.callee
    if not isinstance(asked, r.Member) or call.node.args or not _TELLS_OUTCOME.fullmatch(asked.name):
        return call
    origin = _origin(function, at, asked.base)
    if origin is not None or call.receiver is None:
        return origin
    before = (
        other
        for other in reversed(function.flow.calls)
        if other.index < call.index and other.receiver == call.receiver and not asks(function, other)
    )
    return next((other for other in before if function.flow.dominates(other, call)), None)


def _given_back(function: Function, call: r.Call) -> r.Value | None:
    """The argument that a function of the project answers with, whatever it does: `told("dump", status)`."""
    callee = function.program.calls.callee(call, function)
    if not call.args or len(callee.functions) != 1 or callee.functions[0] is function:
        return None
    index = returned_parameter(callee.functions[0])
    return call.args[index] if 0 <= index < len(call.args) else None


@flow_question
def returned_parameter(callee: Function) -> int:
    """Which parameter (from 0) every `return` answers with as it came in; -1 for none."""
    result, names = types.parse(callee.record.result), [parameter.name for parameter in callee.record.parameters]
    like = {one.name for one in callee.record.parameters if types.parse(one.type).last == result.last}
    if not like or result.name in ("", "void"):
        return -1
    answers = [strip(leave.value) for leave in callee.flow.leaves if leave.kind in ("return", "end")]
    said = {answer.text if isinstance(answer, r.Name) else "" for answer in answers}
    name = said.pop() if len(said) == 1 else ""
    if name not in like or any(not write.fresh for write in callee.flow.writes_to((name,))):
        return -1
    return names.index(name)


# --- what a returned value says ------------------------------------------------------------------------------


def reports_failure(function: Function, value: r.Value | None) -> bool:
    """Whether what is returned says, or may say, that it did not work."""
    match strip(value):
        case r.Name() | r.Member():
            return not _is_good(function, value) if value is not None else False
        case r.Aggregate(items=()):
            return function.program.statuses.of(function.record.result, function) is None
        case _:
            return refuses(function, value) is not False


def refuses(function: Function, value: r.Value | None) -> bool | None:
    """Whether what is returned is a failure made on the spot: true for `false`, null, `-1`, an error; false for
    success and for nothing at all; None for what may be either."""
    match strip(value):
        case None:
            return False
        case r.Literal(kind="bool") as said:
            return not said.is_true
        case r.Literal(kind="null"):
            return True
        case r.Literal(kind="int", text=shown):
            if fails_by_zero(function):
                return None if shown == "0" else False
            return (shown == "0") is bool(types.parse(function.record.result).pointers)
        case r.Literal():
            return None
        case r.Unary(op="-"):
            return True
        case r.Name(text=name):
            return _names_failure(function, name)
        case r.Call(callee=callee) as call:
            return _made_error(function, call, last_name(callee))
    return None


def _names_failure(function: Function, name: str) -> bool | None:
    """What a constant that is returned says by its name; None for what is no constant."""
    good = _last_word_is_good(name)
    if good is not None and ("::" in name or name.isupper() or name.startswith("k")):
        return not good
    if _ERRNO.fullmatch(name) or "nullopt" in name or _BAD_CONSTANT.search(types.parse(name).last):
        return True
    first = function.program.statuses.says_success(name) if "::" in name or not name[:1].islower() else None
    return None if first is None else not first


def _made_error(function: Function, call: r.Call, name: str) -> bool | None:
    lowered = name.lower()
    if _last_word_is_good(name):
        return False
    status = function.program.statuses.of(function.program.types.of(call, function), function)
    if not call.args and status is not None and status.kind == "value" and name == status.name.rsplit("::", 1)[-1]:
        return False  # a class may be called `Failure`, and an empty one say that there was none
    if "error" in lowered or "fail" in lowered or lowered == "unexpected":
        return True
    scope = call.callee.text.rpartition("::")[0] if isinstance(call.callee, r.Name) else ""
    if (
        scope
        and function.program.statuses.of(scope, function) is not None
        and (call.args or _takes_why(function, scope, name))
    ):
        return True  # `Status::Busy("in progress")`
    if status is None:
        return True if _always_refuses(function, call) else None if call.args else False
    if call.kind == "construct" or name == status.name.rsplit("::", 1)[-1]:
        return bool(call.args) and _is_good(function, call.args[0]) is not True  # `Answer{0}`, `Answer(Code::kOk)`
    return None


def _always_refuses(function: Function, call: r.Call) -> bool:
    """Whether the call can only answer with a failure: `PyErr_Format(..); return NULL;`."""
    callees = function.program.calls.callee(call, function).functions if call.kind == "call" else ()
    return bool(callees) and all(
        callee.is_short
        and bool(callee.flow.leaves)
        and all(
            leave.kind == "return"
            and not isinstance(strip(leave.value), r.Call)
            and refuses(callee, leave.value) is True
            for leave in callee.flow.leaves
        )
        for callee in callees
    )


def _takes_why(function: Function, scope: str, name: str) -> bool:
    """`Status::Busy()`, of which another form takes a message."""
    cls = function.program.names.find_class(scope, function.record.scope, function.file)
    return cls is not None and any(record.parameters for record in cls.declared(name))


def _handed_on(function: Function, leave: e.LeaveEvent) -> list[e.CallEvent]:
    """The calls whose outcome `return f();` or `return outcome;` hands on; one of several where a local may have each,
    and nobody asked."""
    value, flow = _outcome_of(leave.value), function.flow
    found, is_code = [flow.call_of(value) if isinstance(value, r.Call) else None], False
    if isinstance(value, r.Name) and (found := [_origin(function, leave, value)]) == [None]:

        def asks_about(event: e.Event) -> bool:
            return isinstance(event, e.Test) and value.text in {last_name(inner) for inner in walk(event.value)}

        given = flow.given_by(leave, (value.text,), asks_about)
        found = [flow.call_of(_outcome_of(write.value)) for write in given]
        is_code = any(write.value is not None and refuses(function, write.value) is False for write in given)
    return [call for call in found if call is not None and _is_outcome(function, leave, call, is_code)]


def _is_outcome(function: Function, leave: e.LeaveEvent, call: e.CallEvent, is_code: bool) -> bool:
    """Whether what a call answers says how it went, where that is returned; with `is_code` a success can be, too."""
    program, name = function.program, last_name(call.node.callee)
    if (
        call.node.kind in ("construct", "new")
        or _only_copies(function, call.node)
        or not _works(call.node)
        or name.lower().startswith(("ok", "success"))
    ):
        return False
    written = program.calls.result_type(call.node, function)
    if program.statuses.of(written, function) is not None:  # a static function of the status itself tries nothing
        static = call.node.callee if isinstance(call.node.callee, r.Name) else None
        return static is None or types.parse(static.text.rpartition("::")[0]).last != types.parse(written).last
    if only_looks(call.node) or asks(function, call) or _tells_nothing(function, call):
        return False
    if not written and call.node is _outcome_of(leave.value):  # somebody's method, whose declaration is out of sight
        status = program.statuses.of(function.record.result, function)
        if status is not None and not status.advisory and call.receiver is not None and status.kind == "value":
            return True
    return _same_convention(function, leave, written, is_code)


def _only_copies(function: Function, call: r.Call) -> bool:
    """Whether what is called like a function is a class, whose constructors for so many arguments call nothing and
    throw nothing: to make the object cannot fail."""
    if not isinstance(call.callee, r.Name) or function.program.calls.callee(call, function).functions:
        return False
    written = types.parse(call.callee.text).name
    cls = function.program.names.find_class(written, function.record.scope, function.file)
    fitting = cls.declared(cls.name) if cls is not None else ()
    number = len(call.args)
    records = [one for one in fitting if one.kind == "constructor" and len(one.parameters) >= number]
    makers = [one for one in cls.methods if one.record in records] if cls is not None else []
    return len(makers) == len(records) > 0 and not any(
        isinstance(event, e.CallEvent | e.OpaqueEvent) or (isinstance(event, e.LeaveEvent) and event.kind == "throw")
        for maker in makers
        for event in maker.flow
    )


def _tells_nothing(function: Function, call: e.CallEvent) -> bool:
    """Whether all that can run there answers with one constant, which tells nothing: `return (0);` at every exit."""
    callee = function.program.calls.callee(call.node, function)
    if not callee.functions or any("virtual" in one.record.qualifiers for one in callee.functions):
        return False
    return all(_only_constant(one) for one in callee.functions)


def never_fails(function: Function, call: e.CallEvent) -> bool:
    """Whether all that can run there answers with one constant that means success: each of its other exits is behind a
    test that comes out one way."""
    callees = function.program.calls.callee(call.node, function)
    return _is_sure_to_work(function, call) or (
        callees.all_defined
        and _tells_nothing(function, call)
        and all(refuses(one, leave.value) is False for one in callees.functions for leave in _ways_out(one))
    )


def _is_sure_to_work(function: Function, call: e.CallEvent) -> bool:
    """Whether all that can run there is no long function, and answers with nothing but a success that it makes:
    `return Status();` at every exit."""
    callees = function.program.calls.callee(call.node, function)
    return callees.all_defined and all(
        len(one.encoded) <= _LONGEST_SURE and "virtual" not in one.record.qualifiers and _only_succeeds(one)
        for one in callees.functions
    )


@flow_question
def _only_succeeds(callee: Function) -> bool:
    ways = _ways_out(callee)
    return bool(ways) and all(
        leave.kind == "return" and not leave.via and _makes_success(callee, leave.value) for leave in ways
    )


def _makes_success(callee: Function, value: r.Value | None) -> bool:
    """Whether a value is a status without a failure: `error_code{}`, `Status::OK()`, `{}`, `kOk`."""
    status = callee.program.statuses.of(callee.record.result, callee)
    match strip(value):
        case r.Aggregate(items=()):
            return status is not None and status.kind == "value"
        case r.Call(args=()) as made if status is not None:
            name = last_name(made.callee)
            is_good = _last_word_is_good(name) is True or name == types.parse(callee.record.result).last
            return is_good and refuses(callee, made) is False
        case r.Name(text=name) if status is not None and name not in callee.declared:
            return _names_failure(callee, name) is False
    return False


def _ways_out(function: Function) -> list[e.LeaveEvent]:
    flow = function.flow
    return [leave for leave in flow.leaves if leave.kind != "end" and leave.index in flow.reachable]


@flow_question
def _only_constant(function: Function) -> bool:
    """Whether it leaves with the same literal wherever it does."""
    answers = [strip(leave.value) for leave in _ways_out(function)]
    written = {one.text if isinstance(one, r.Literal) else None for one in answers}
    return len(written) == 1 and None not in written


def _same_convention(function: Function, leave: e.LeaveEvent, written: str, is_code: bool) -> bool:
    """Both return the same simple type, and elsewhere the function returns what means success in it."""
    own = types.parse(function.record.result)
    if not written or types.parse(written).name != own.name or not own.is_value or own.name in ("auto", "void"):
        return False
    return is_code or any(other is not leave for other in successes(function))


@flow_question
def successes(function: Function) -> list[e.LeaveEvent]:
    """The exits that return success by name."""
    leaves = function.flow.leaves
    return [leave for leave in leaves if leave.value is not None and refuses(function, leave.value) is False]


def _works(call: r.Call) -> bool:
    """Whether a call does something that can fail, rather than make an error to report."""
    name = last_name(call.callee)
    return not (name.endswith(("Error", "Status", "error", "failure", "success")) or "Error" in name)


def only_looks(call: r.Call) -> bool:
    """Whether a call asks, validates or logs by its name: its failing leaves no work undone."""
    return bool(_LOOKS.match(last_name(call.callee)))


# --- exceptions -----------------------------------------------------------------------------------------------


@flow_question
def thrown(function: Function, *, passed: bool = False) -> list[Failure]:
    """The project's own callees that end in a `throw` which nothing here catches; `passed`: also those that only let
    out what a library's function throws. The exit has the call's index."""
    return list(_thrown(function, passed))


def _thrown(function: Function, passed: bool) -> Iterator[Failure]:
    for call in function.flow.calls:
        name = last_name(call.node.callee)
        is_passed = passed and name in undecoded.passers(function.program)[function.language]
        if call.index not in function.flow.reachable or not (is_passed or _may_throw(function, name)):
            continue
        if is_caught(function, call) or _asks_by_name(function, call):
            continue
        certainty, done = throws(function, call), _judged(function, call)
        if is_passed and certainty != _WHERE_THROWN and _passes_on(function, call):
            certainty = _WHERE_THROWN
        if certainty == "possible" and _changes_nothing(function, call):
            continue  # it refuses what it is asked; one that throws because something has failed does work
        if certainty is not None:
            leave = e.LeaveEvent(call.span, "throw")
            leave.index = call.index
            raises = "raises" if function.language == "python" else "throws"
            why = f"this happens only if {work(function, done or call)} {'fails' if done else raises}"
            sure = _WHERE_THROWN if done else certainty
            if function.language == "python" and sure == _WHERE_THROWN:
                sure = _ON_A_PATH  # so a call fails there, and callers go on
            yield Failure(leave, done or call, because(sure, why), call)


def _judged(function: Function, call: e.CallEvent) -> e.CallEvent | None:
    """The call whose outcome a helper is given that throws depending on it: `check(lib.open(path))`, or a local that
    has it."""
    given = [(n, _given_outcome(function, call, one)) for n, one in enumerate(call.node.args)]
    inner = [(n, done) for n, done in given if done is not None and not only_looks(done.node)]
    if not inner:
        return None
    for callee in function.program.calls.callee(call.node, function).functions:
        judging = _judging(callee)
        for n, done in inner:
            if n in judging and not asks(function, done):
                return done
    return None


def _given_outcome(function: Function, call: e.CallEvent, argument: r.Value) -> e.CallEvent | None:
    inner = strip(argument)
    return _origin(function, call, inner) if isinstance(inner, r.Name) else function.flow.call_of(inner)


@flow_question
def _judging(callee: Function) -> frozenset[int]:
    """The parameters, by their place among the arguments, of which the nearest test before a `throw` asks."""
    own = callee.record.parameters[bool(callee.itself) :]
    names = {one.name: number for number, one in enumerate(own)}
    found: set[int] = set()
    for leave in callee.flow.leaves:
        if leave.kind == "throw" and callee.flow.exit in _behind(callee, leave):
            for test, _ in islice(callee.flow.guards(leave), 1):
                asked = (inner.text for inner in walk(test.value) if isinstance(inner, r.Name))
                found |= {names[name] for name in asked if name in names}
    return frozenset(found)


def _may_throw(function: Function, name: str) -> bool:
    """Whether something of that name throws by itself, or is an object that is called."""
    throwers = undecoded.throwers(function.program)
    if name in undecoded.library_throwers(function.program)[function.language]:
        return True
    return name in throwers or not name or name in function.locals or "operator()" in throwers


def _passes_on(function: Function, call: e.CallEvent, depth: int = 1) -> bool:
    """Whether the project's callee lets out what a library's function throws."""
    return any(
        _lets_through(one, depth)
        for one in function.program.calls.callee(call.node, function).functions
        if one is not function
    )


def _lets_through(function: Function, depth: int) -> bool:
    names = undecoded.passers(function.program)[function.language]
    if function.file.is_c or function.name not in names:
        return False
    direct = undecoded.library_throwers(function.program)[function.language]
    return any(
        call.index in function.flow.reachable
        and not is_handled(function, call, ())
        and not function.is_of_debug_build(call.span)
        and (
            (name in direct and any(one.throws for one in function.program.calls.callee(call.node, function).models))
            or (name in names and depth < undecoded.PASSED and _passes_on(function, call, depth + 1))
        )
        for call in function.flow.calls
        if (name := last_name(call.node.callee)) in direct or name in names
    )


def throws(function: Function, call: e.CallEvent) -> Certainty | None:
    """Whether a call can end in a `throw`: likely where a model or its comment says so, or where the project's own
    callee throws because something it called has failed, possible where it may as well complain about a mistake of its
    caller."""
    if function.file.is_c:
        return None
    callee = function.program.calls.callee(call.node, function)
    if any(model.throws for model in callee.models) or any("throws" in one.qualifiers for one in callee.records):
        return _WHERE_THROWN
    found = [certainty for one in callee.functions if one is not function for certainty in _throws_of(one)]
    return _WHERE_THROWN if "likely" in found else "possible" if found else None


def _throws_of(callee: Function) -> tuple[Certainty, ...]:
    if "noexcept" in callee.record.qualifiers or not callee.says(undecoded.THROWS):
        return ()
    return _throws(callee)


@flow_question
def _throws(callee: Function) -> tuple[Certainty, ...]:
    return tuple(_each_throw(callee))


def _each_throw(callee: Function) -> Iterator[Certainty]:
    flow = callee.flow
    for leave in flow.leaves:
        if leave.kind != "throw" or leave.index not in flow.reachable or callee.is_of_debug_build(leave.span):
            continue
        if flow.exit in _behind(callee, leave):
            rethrown = any(isinstance(mark, e.Mark) and mark.what == "catch" for mark in flow.dominators(leave))
            has_failed = rethrown or _decided_by(callee, leave) is not None or _found_by_work(callee, leave)
            yield _WHERE_THROWN if has_failed else "possible"


def _found_by_work(callee: Function, leave: e.LeaveEvent) -> bool:
    """Whether the nearest test on the way to a `throw` compares what a call has brought, which no caller can know:
    `(version,) = conn.execute(..).fetchone()`, `if version > newest: raise`."""
    test, _ = next(_deciding(callee, leave), (None, False))
    if test is None or not isinstance(test.value, r.Binary):
        return False
    if not _is_up_to_caller(callee, test.value):
        return True
    for inner in walk(test.value):
        write = callee.flow.last_write(test, (inner.text,)) if isinstance(inner, r.Name) else None
        if write is not None and any(_brings(callee, call) for call in calls_in(write.value)):
            return True
    return False


def _is_up_to_caller(function: Function, value: r.Value, depth: int = 0) -> bool:
    """Whether a condition looks at something that a caller gives or that the object holds, rather than at what calls
    have answered here alone: `if (Clock::now() > deadline) throw timeout();`."""
    called = [call for call in calls_in(value) if not call.args and receiver(call) is None]
    if not called and depth == 0:
        return True
    names = {id(call.callee) for call in calls_in(value)}
    for inner in walk(value):
        if not isinstance(inner, r.Name) or id(inner) in names:
            continue
        if inner.text not in function.locals or len(function.flow.writes_to((inner.text,))) != 1:
            return True
        initial = function.locals[inner.text][1]
        if depth >= _DEEPEST_END or initial is None or _is_up_to_caller(function, initial, depth + 1):
            return True
    return False


def _brings(function: Function, call: r.Call) -> bool:
    """Whether a call does something, as far as its name and its callee say."""
    event = function.flow.call_of(call)
    if event is None or call.kind != "call" or only_looks(call):
        return False
    return not asks(function, event) and receiver(call) is not None


def _behind(function: Function, event: e.Event) -> set[int]:
    return {target for target, _ in function.flow.successors[event.index]}
