"""Why something is reported, or is not: what is known of one function, and what engines and rules make of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from ownlint import catalogue
from ownlint.catalogue import Judgement, SubjectCase
from ownlint.crossing import border
from ownlint.domains import locks
from ownlint.domains.counted import told as counted
from ownlint.domains.memory import told as memory
from ownlint.engine.heap import SeenRun
from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.facts.base import Language, Span
from ownlint.facts.show import text
from ownlint.finding import Crash, Finding, reason_of
from ownlint.flow import events as e
from ownlint.flow.places import last_name, render
from ownlint.project.program import Program
from ownlint.project.subjects import Function
from ownlint.rule import Rule

At = Callable[[str, int], tuple[int, int]]
"""The line and the column, from 1, of a byte of a file."""
_MOST_EVENTS = 2000
"""A function of more is shown up to there."""


class TracedEffect(msgspec.Struct, frozen=True):
    """What is known of a call, and by what: `source` is `language`, `model`, `summary`, `pair`, `macro`, `unknown`."""

    source: str
    what: str
    of: str = ""
    """The model, as `library:name`; the function with its place; why it is unknown."""


class TracedStates(msgspec.Struct, frozen=True):
    """With what the paths come to an event that `engine` follows; `refuted` are the ways on that none of them takes."""

    engine: str
    states: tuple[tuple[str, ...], ...]
    refuted: tuple[str, ...] = ()


class TracedIncident(msgspec.Struct, frozen=True):
    """What an engine finds at an event; `dropped` says why no rule hears of it."""

    engine: str
    what: str
    reason: str = ""
    dropped: str = ""


class TracedEvent(msgspec.Struct, frozen=True):
    """One event; `next` are the events that can follow it, with the outcome of a test."""

    index: int
    line: int
    column: int
    kind: str
    code: str
    next: tuple[str, ...] = ()
    effects: tuple[TracedEffect, ...] = ()
    held: str = ""
    states: tuple[TracedStates, ...] = ()
    incidents: tuple[TracedIncident, ...] = ()


class TracedEngine(msgspec.Struct, frozen=True):
    """`skipped` says why it does not follow the function; else it went through `events` of them with at most `most`
    states at one."""

    name: str
    skipped: str = ""
    events: int = 0
    most: int = 0
    complete: bool = True


class Trace(msgspec.Struct, frozen=True):
    """All that is shown of one function. `findings` are what all rules say of it, whether they are selected or not."""

    function: str
    path: str
    first: int
    last: int
    language: str
    notes: tuple[str, ...]
    engines: tuple[TracedEngine, ...]
    events: tuple[TracedEvent, ...]
    findings: tuple[Finding, ...]


class _Engine(NamedTuple):
    name: str
    language: Language
    seen: Callable[[Function], SeenRun]
    does: Callable[[Function], Iterator[str]]
    """What a call of the function does, by its summary."""


_ENGINES = (
    _Engine("memory", "cpp", memory.seen, memory.does),
    _Engine("references", "cpp", counted.seen, counted.does),
    _Engine(
        "handles",
        "python",
        lambda function: border.of(function.program).seen_in(function),
        lambda _: iter(("its body is executed with the given arguments",)),
    ),
)


def _of(function: Function) -> list[_Engine]:
    """The engines that follow its language."""
    return [engine for engine in _ENGINES if engine.language == function.language]


def function_at(program: Program, path: str, line: int, at: At) -> Function | None:
    """The innermost function that a line of the file belongs to."""
    found = [
        one
        for one in program.functions
        if one.path == path and at(path, one.record.span.start)[0] <= line <= at(path, one.record.span.end)[0]
    ]
    return min(found, key=lambda one: one.record.span.end - one.record.span.start, default=None)


def trace(function: Function, at: At, rules: Sequence[Rule]) -> Trace:
    """What is known of the function. Of `rules`, those about the whole program cost the most."""
    runs: dict[str, SeenRun] = {}
    engines: list[TracedEngine] = []
    for engine in _of(function):
        run = engine.seen(function)
        most = max(map(len, run.states.values()), default=0)
        engines.append(TracedEngine(engine.name, run.skipped, len(run.states), most, run.complete))
        if not run.skipped:
            runs[engine.name] = run
    said = list(_said(function, rules))
    notes = [f"`{one.rule}` did not finish: {one.error}" for one in said if isinstance(one, Crash)]
    if function.record.opaque:
        notes.append("its body was not understood; no engine analyses it")
    if len(function.flow.events) > _MOST_EVENTS:
        notes.append(f"it has {len(function.flow.events)} events, of which {_MOST_EVENTS} are shown")
    span = function.record.span
    return Trace(
        function.symbol,
        function.path,
        at(function.path, span.start)[0],
        at(function.path, span.end)[0],
        function.language,
        tuple(notes),
        tuple(engines),
        tuple(_events(function, at, runs)),
        tuple(one for one in said if isinstance(one, Finding)),
    )


def _said(function: Function, rules: Sequence[Rule]) -> Iterator[Finding | Crash]:
    """What the rules about a function, its class, its bindings and the whole program say that begins in it."""
    program, span = function.program, function.record.span
    of_class = [function.home] if function.home is not None else []
    bound = [one for one in program.bindings if one.path == function.path and one.record.span.start in span]
    for kind, subjects in (("Function", [function]), ("Class", of_class), ("Binding", bound)):
        chosen = [rule for rule in rules if rule.subject == kind and function.language in rule.languages]
        for subject in subjects:
            for judgement in SubjectCase(chosen, subject, 1).judgements():
                yield from _judged(judgement, program, function.path, span)
    for rule in rules:
        if rule.subject == "Program" and function.language in rule.languages:
            for judgement in SubjectCase((rule,), program, 0).judgements():
                yield from _judged(judgement, program, function.path, span)


def _judged(judgement: Judgement, program: Program, path: str, span: Span) -> Iterator[Finding | Crash]:
    said = catalogue.judge(judgement, program)
    if isinstance(said, Crash):
        yield said
    else:
        yield from (one for one in said if one.path == path and one.span.start in span)


# --- events ---------------------------------------------------------------------------------------


def _events(function: Function, at: At, runs: dict[str, SeenRun]) -> Iterator[TracedEvent]:
    held = locks.held(function) if function.language == "cpp" else {}
    for event in function.flow.events[:_MOST_EVENTS]:
        line, column = at(function.path, event.span.start)
        kind, code = _shown(event)
        before = held.get(event.index)
        yield TracedEvent(
            event.index,
            line,
            column,
            kind,
            code,
            tuple(_next(function, event)),
            tuple(_effects(function, event, at)) if isinstance(event, e.CallEvent) else (),
            locks.describe(before) if before else "",
            tuple(_states(function, event, runs)),
            tuple(
                TracedIncident(name, one.what, one.reason, one.dropped)
                for name, run in runs.items()
                for one in run.incidents
                if one.at == event.index
            ),
        )


def _shown(event: e.Event) -> tuple[str, str]:
    match event:
        case e.CallEvent(node=node):
            return "call", text(node)
        case e.Read(node=node):
            return "read", text(node)
        case e.Write(place=place, value=value, op=op):
            given = text(value) if value is not None else "something"
            return "write", f"{render(place)} {'=' if op == 'init' else op} {given}"
        case e.End(place=place, why=why):
            return "end", f"{render(place)} ({why})"
        case e.LeaveEvent(kind=kind, value=value, via=via):
            said = text(value) if value is not None else ""
            return "leave", " ".join(part for part in (kind, said, f"(by {via})" if via else "") if part)
        case e.Test(value=value, asserted=asserted):
            return "test", text(value) + (" (asserted)" if asserted else "")
        case e.OpaqueEvent(text=said):
            return "not understood", said
        case e.Mark(what=what):
            return "mark", what
    return "event", ""


def _next(function: Function, event: e.Event) -> Iterator[str]:
    for target, outcome in function.flow.successors[event.index]:
        yield f"#{target}" if outcome is None else f"#{target} if {'true' if outcome else 'false'}"


def _states(function: Function, event: e.Event, runs: dict[str, SeenRun]) -> Iterator[TracedStates]:
    for name, run in runs.items():
        states = run.states.get(event.index)
        if states is None:
            continue
        passed = run.passed.get(event.index, {})
        refuted = [
            f"{passed.get(target, 0) or 'none'} of {passed[-1]} states can continue to #{target}"
            for target, _ in function.flow.successors[event.index]
            if passed and passed.get(target, 0) < passed[-1] and not isinstance(event, e.LeaveEvent)
        ]
        yield TracedStates(name, tuple(states), tuple(refuted))


# --- what a call does -----------------------------------------------------------------------------


def _effects(function: Function, event: e.CallEvent, at: At) -> Iterator[TracedEffect]:
    node, program = event.node, function.program
    if function.language == "python":
        yield from _python_effects(function, node, at)
        return
    if node.kind in ("delete", "new"):
        yield TracedEffect("language", "releases argument 1" if node.kind == "delete" else "returns memory")
        return
    callee = program.calls.callee(node, function)
    named = last_name(node.callee)
    found = False
    for model in callee.models:
        found = True
        said = ", ".join(map(str, model.effects)) or "nothing relevant"
        doubt = "" if model.certainty == "certain" else f" ({model.certainty}: {reason_of(model.certainty)})"
        yield TracedEffect("model", said + doubt, f"{model.library}:{model.name}")
    for target in callee.functions:
        found = True
        for what in _does(target):
            yield TracedEffect("summary", what, _place(target, at))
    if program.macros.named(named) or program.macros.role(named):
        found = True
        yield TracedEffect("macro", program.macros.role(named) or "no role is known", named)
    for effect in _duties(function, event):
        found = True
        yield effect
    if not found:
        why = f"`{named}` is not defined in the analysed files"
        if callee.records:
            why = reason_of(callee.certainty) or f"only a declaration of `{named}` was found"
        yield _unknown(why)


def _python_effects(function: Function, node: r.Call, at: At) -> Iterator[TracedEffect]:
    """What a method does depends on the object: the states say it."""
    callee, classes = node.callee, border.of(function.program)
    start = callee.name_start if isinstance(callee, r.Member) else callee.start
    meaning = function.program.names.meaning(function.file, start)
    symbol = meaning.symbol if meaning is not None else ""
    target = classes.code.function(symbol, function.file) if symbol else None
    if target is not None:
        for what in _does(target):
            yield TracedEffect("summary", what, _place(target, at))
    elif symbol and (made := classes.find(symbol)) is not None:
        yield TracedEffect("model", f"creates a {made.rpartition('.')[2]}", symbol)
    elif symbol and (fact := classes.function(symbol)) is not None:
        returned = fact.returns.rpartition(".")[2]
        ended = ", ".join(f"ends argument {number} ({reach})" for number, reach in fact.ends)
        said = [f"returns a {returned}" if returned else "", ended]
        yield TracedEffect("model", ", ".join(filter(None, said)) or "nothing relevant", symbol)
    elif not isinstance(callee, r.Member):
        yield _unknown(f"`{last_name(callee)}` is not defined in the analysed files")


def _unknown(why: str) -> TracedEffect:
    return TracedEffect("unknown", "its arguments may be stored, modified or passed on", why)


def _place(target: Function, at: At) -> str:
    return f"{target.symbol} at {target.path}:{at(target.path, target.record.span.start)[0]}"


def _does(target: Function) -> Iterator[str]:
    said = [what for engine in _of(target) for what in engine.does(target)]
    yield from said or ("nothing to its arguments",)


def _duties(function: Function, event: e.CallEvent) -> Iterator[TracedEffect]:
    """Of raw handles, what no model says."""
    if function.language != "cpp":
        return
    known = resources(function.program)
    made = known.acquisition(event.node, function)
    if made is not None and not made.is_modelled:
        ended = " or ".join(made.releases) or "an unknown target"
        yield TracedEffect("pair", f"acquires {made.where}, released by {ended}", made.why)
    callee = function.program.calls.callee(event.node, function)
    if not callee.models:
        for one in known.released(event.node, function):
            sure = reason_of(one.certainty)
            yield TracedEffect("pair", f"ends {one.where}", sure or "declared next to what acquires it")
