"""Exceptions of C++: which classes come out of a call, and which handlers take them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import last_name, strip
from ownlint.project import types, undecoded
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Function

_DEEPEST_THROW = 8


def lets_out(function: Function, call: e.CallEvent) -> frozenset[str]:
    """The classes of the exceptions that can come out of a call: of a function that a model says throws, or that the
    project's callee throws, or lets out of what it calls in turn. One that is not known is the empty string."""
    if function.file.is_c:
        return frozenset()
    callee = function.program.calls.callee(call.node, function)
    by_models = (model.exceptions or ("",) for model in callee.models if model.throws)
    return frozenset[str]().union(*by_models, *(_lets_out(one) for one in callee.functions))


@program_question
def _letting_out(program: Program) -> Circular[Function, frozenset[str]]:
    return Circular(frozenset(), _DEEPEST_THROW)


def _lets_out(function: Function) -> frozenset[str]:
    if "noexcept" in function.record.qualifiers or function.language != "cpp":
        return frozenset()
    return _letting_out(function.program).ask(function, lambda: _leaving(function))


def _leaving(function: Function) -> frozenset[str]:
    """The classes of what leaves it: what it throws itself, and what none of its handlers takes of the rest."""
    passed = (
        thrown
        for call in function.flow.calls
        if call.index in function.flow.reachable
        for thrown in lets_out(function, call)
        if not is_handled(function, call, (thrown,)) and not function.is_of_debug_build(call.span)
    )
    return _thrown_by(function) | frozenset(passed)


def is_caught(function: Function, call: e.CallEvent) -> bool:
    """Whether the function itself handles what the call throws: it runs inside of a `try` that takes that, also one
    of a macro that it is given to."""
    if function.language == "cpp" and _is_given_to_catching(function, call):
        return True
    return is_handled(function, call, ()) and is_handled(function, call, lets_out(function, call))


def _is_given_to_catching(function: Function, call: e.CallEvent) -> bool:
    """Whether it is written in an argument of a macro that tries what it is given: `EXPECT_THROW(run(), Error)`."""
    return any(
        start <= call.span.start and call.span.end <= end and (start, end) != (call.span.start, call.span.end)
        for start, end in _catching(function)
    )


@flow_question
def _catching(function: Function) -> list[tuple[int, int]]:
    """Where macros of the project are used whose bodies take whatever is thrown: `catch (...)`."""
    macros = function.program.macros
    return [
        (outer.span.start, outer.span.end)
        for outer in function.flow.calls
        if isinstance(outer.node.callee, r.Name)
        and macros.named(outer.node.callee.text)
        and macros.takes_what_is_thrown(outer.node.callee.text)
    ]


def is_handled(function: Function, event: e.Event, thrown: Collection[str]) -> bool:
    """Whether handlers around the event may take all of these classes; without any, whatever is thrown."""
    handlers = [
        handler for statement in tries(function) if _covers(statement.body, event) for handler in statement.handlers
    ]
    return bool(handlers) and all(
        any(_may_take(function, handler.type, written) for handler in handlers) for written in thrown
    )


def is_exception(function: Function, value: r.Value) -> bool:
    """Whether something is a `std::exception`, or of a class that may derive from it and that a handler has caught."""
    if function.language != "cpp":
        return False
    inner = strip(value)
    handlers = [one for statement in tries(function) for one in statement.handlers if one.span.holds(value.span)]
    name = inner.text if isinstance(inner, r.Name) else ""
    caught = next((one.type for one in reversed(handlers) if name and one.name == name), "")
    written = types.parse(caught or function.program.types.of(value, function)).name
    if not written:
        return False
    named, is_whole = _lineage(function, function.program.names.expand(written, function.file, function.record.scope))
    return "exception" in named or (bool(caught) and not is_whole)


def thrown_class(function: Function, leave: e.LeaveEvent) -> str:
    """The qualified class that a `throw` creates; empty for any other value."""
    made = strip(leave.value)
    if not isinstance(made, r.Call) or not isinstance(made.callee, r.Name):
        return ""
    return function.program.names.expand(made.callee.text, function.file, function.record.scope)


@flow_question
def _thrown_by(callee: Function) -> frozenset[str]:
    if "noexcept" in callee.record.qualifiers or not callee.says(undecoded.THROWS):
        return frozenset()
    leaves = (leave for leave in callee.flow.leaves if leave.kind == "throw" and leave.index in callee.flow.reachable)
    thrown = ((leave, thrown_class(callee, leave)) for leave in leaves if not callee.is_of_debug_build(leave.span))
    return frozenset(written for leave, written in thrown if not is_handled(callee, leave, (written,)))


def _may_take(function: Function, handler: str, thrown: str) -> bool:
    """Whether a handler may take the class: it names the class or one of its bases, which may be out of sight. The
    standard library derives its own from nothing but its own."""
    kind = types.parse(function.program.names.expand(handler, function.file, function.record.scope))
    if not thrown or not kind.name or "..." in kind.name or function.language != "cpp":
        return True
    named, is_whole = _lineage(function, thrown)
    if kind.last in named:
        return True
    return not is_whole and (kind.name.startswith("std::") or not thrown.startswith("std::"))


def _lineage(function: Function, thrown: str) -> tuple[set[str], bool]:
    """The last names of a class and its bases, and whether these are all."""
    program = function.program
    named: set[str] = set()
    is_whole, pending = True, [thrown]
    while pending:
        name = pending.pop()
        last = types.parse(name).last
        if last in named:
            continue
        named.add(last)
        cls = program.names.find_class(name, "", function.file)
        if cls is not None:
            for one in cls.ancestry:
                named.add(one.record.name)
                pending += [base.name for base in one.record.bases]
        elif known := [model for model in program.models.classes(name) if "exception" in model.roles]:
            pending += known[0].bases
        else:
            is_whole = False
    return named, is_whole


@flow_question
def tries(function: Function) -> list[r.Try]:
    return [statement for statement in function.statements if isinstance(statement, r.Try) and statement.handlers]


def _covers(body: r.Body, event: e.Event) -> bool:
    return bool(body) and body[0].start <= event.span.start and event.span.end <= body[-1].end


def unthrown(function: Function) -> Iterator[r.Call]:
    """The objects of exceptions that a statement makes and drops: the `throw` is missing. Not of a class whose
    constructors do something themselves."""
    named = _exception_names(function.program) if function.language == "cpp" else frozenset[str]()
    if named.isdisjoint(function.mentioned):
        return
    for statement in function.statements:
        match statement:
            case r.Evaluate(value=r.Call(callee=r.Name() as callee, kind="call" | "construct") as made) if (
                last_name(callee) in named
            ):
                written = function.program.names.expand(callee.text, function.file, function.record.scope)
                if _is_plain_exception(function, types.parse(written).name):
                    yield made


def _is_plain_exception(function: Function, written: str) -> bool:
    """Whether an object of the class is an exception and nothing else: one of a library that only has the name,
    `nanobind::exception<T>(m, "T")`, may register it."""
    program = function.program
    cls = program.names.find_class(written, function.record.scope, function.file)
    if cls is None:
        return any("exception" in model.roles for model in program.models.classes(written))
    is_one = any("exception" in _lineage(function, base.name)[0] for base in cls.record.bases)
    return is_one and not any(map(_does_work, cls.constructors))


def _does_work(constructor: Function) -> bool:
    return bool(constructor.statements)


@program_question
def _exception_names(program: Program) -> frozenset[str]:
    """Last names of the classes that models call exceptions, and of those of the project that derive from one."""
    found = set(program.models.names_of("exception"))
    below: dict[str, list[str]] = {}
    for cls in program.classes:
        for base in cls.record.bases:
            below.setdefault(types.parse(base.name).last, []).append(cls.name)
    pending = list(found)
    while pending:
        new = set(below.get(pending.pop(), ())) - found
        found |= new
        pending += new
    return frozenset(found)
