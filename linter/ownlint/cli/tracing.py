"""`ownlint trace`: what is known of one function, event by event, and what becomes of each finding in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ownlint import analysis, catalogue, door, inputs, pipeline
from ownlint.analysis.trace import Trace, TracedEffect, TracedEvent, TracedStates, function_at, trace
from ownlint.choices import CERTAINTIES
from ownlint.cli.delivery import CannotRunError
from ownlint.contracting import read_all
from ownlint.finding import Finding
from ownlint.interplay import preferences, settle
from ownlint.outline import rule_infos
from ownlint.report.compose import compose
from ownlint.report.model import Sources, locate
from ownlint.report.sanitise import sanitise
from ownlint.report.trace_page import TraceLine, render
from ownlint.selection import RuleNames
from ownlint.sources import requirements, stubs
from ownlint.sources.discover import discover
from ownlint.sources.packages import installed

if TYPE_CHECKING:
    from ownlint.facts.records import FileRecord
    from ownlint.project.program import Program

_MOST_BYTES = 4 << 20


class TracedFinding(msgspec.Struct, frozen=True):
    """A finding in the function, and whether a check reports it: `reported`, else why not."""

    rule: str
    line: int
    column: int
    certainty: str
    message: str
    reported: bool
    why: str
    reason: str = ""
    assumed: tuple[str, ...] = ()


class TraceReport(msgspec.Struct, frozen=True):
    """What is shown."""

    trace: Trace
    findings: tuple[TracedFinding, ...]
    whole: int
    """So many rules are about the whole program, and were not asked."""


class _TraceAnswer(msgspec.Struct, frozen=True):
    trace: Trace | None
    is_read: bool
    """Some function of the file is."""


class _Position(NamedTuple):
    path: Path
    line: int


def position(written: str) -> _Position:
    """Of `FILE:LINE`, or `FILE:LINE:COLUMN` as reports have it."""
    match = re.fullmatch(r"(.+?):(\d{1,9})(?::\d{1,9})?:?", written)
    if match is None:
        raise CannotRunError(f"{written}: name a line, for example `src/cache.cc:42`")
    return _Position(Path(match[1]), int(match[2]))


def traced(options: pipeline.Options, line: int, *, whole: bool = False) -> TraceReport:
    """What is known of the function at that line of the file that is asked for; with `whole`, rules about the whole
    program are asked too. Raises a `RefusalError`."""
    config = options.settings.config
    found = discover(options.root, options.paths, config)
    asked = [source.relative for source in found.sources if source.asked]
    if not asked:
        raise CannotRunError(f"{options.paths[0]}: not a readable file")
    rules = catalogue.load()
    chosen = [rule for rule in rules if whole or rule.subject != "Program"]
    words = [word for rule in rules for word in rule.anchors]
    model_paths = inputs.model_paths(options.root, options.settings)
    facts, models = read_all(options, found, model_paths, words)
    required = requirements.stated(found.root)
    said = stubs.read(pipeline.stubs_of(found), found.root)
    contracts, _ = pipeline.contracts_of(inputs.contract_paths(options.root, options.settings))
    versions = {**{name: installed(name) for name in models.packages}, **config.versions}
    sources = pipeline.sources_of(options, facts.held())

    def build() -> Program:
        from ownlint.project.program import Program

        return Program(facts.files(), models, None, config.parity, required, versions, contracts, said)

    def at(path: str, offset: int) -> tuple[int, int]:
        lines = sources.lines(path)
        return lines.line(offset), lines.column(offset)

    def question(program: Program) -> _TraceAnswer:
        function = function_at(program, asked[0], line, at)
        is_read = any(one.path == asked[0] for one in program.functions)
        return _TraceAnswer(None if function is None else trace(function, at, chosen), is_read)

    size = sum(head.size for head in facts.heads)
    told = msgspec.json.decode(analysis.asked(build, question, size, pipeline.limits()), type=_TraceAnswer)
    if told.trace is None:
        why = "no function at this line" if told.is_read else "no rule analyses this file"
        raise CannotRunError(f"{options.paths[0]}:{line}: {why}")
    files = [head for head in facts.heads if head.path in asked]
    judged = _judged(told.trace.findings, files, sources, options)
    placed = _placed(told.trace, model_paths, options.root)
    return TraceReport(placed, tuple(judged), len(rules) - len(chosen))


def _judged(
    findings: Sequence[Finding], files: Sequence[FileRecord], sources: Sources, options: pipeline.Options
) -> Iterator[TracedFinding]:
    """What a check with these settings makes of each finding."""
    config = options.settings.config
    infos = {info.id: info for info in rule_infos()}
    known = RuleNames(infos.values())
    ran = known.selected(config)
    chosen = [one for one in findings if one.rule in ran]
    yields = preferences(catalogue.load())
    report = compose(chosen, files, sources, config, known=known, ran=ran, yields=yields)
    reported = {(one.rule, one.region, one.message) for one in report.findings}
    left = settle(chosen, yields, sources.line)
    least = CERTAINTIES.index(config.certainty)
    for finding in findings:
        one = locate([finding], sources)[0]
        why = ""
        if finding.rule not in ran:
            why = f"`{finding.rule}` is not selected; it is in the suite `{infos[finding.rule].suite}`"
        elif finding not in left:
            others = ", ".join(f"`{name}`" for name in yields.get(finding.rule, ()))
            why = f"another rule reports it: one of {others}"
        elif CERTAINTIES.index(finding.certainty) > least:
            why = f"its confidence is {finding.certainty}; only {config.certainty} or higher is reported"
        elif (one.rule, one.region, one.message) not in reported:
            why = "a comment or `per-file-ignores` suppresses it"
        place = one.region.line, one.region.column
        yield TracedFinding(one.rule, *place, one.certainty, one.message, not why, why, one.reason, finding.assumed)


def _placed(trace: Trace, models: Sequence[Path], root: Path) -> Trace:
    """With the file and the line of each model that an effect comes from."""
    named = {effect.of for event in trace.events for effect in event.effects if effect.source == "model"}
    places = {of: f"{of} ({place})" for of in named if (place := _place(of, models, root))}

    def placed(effect: TracedEffect) -> TracedEffect:
        return msgspec.structs.replace(effect, of=places.get(effect.of, effect.of))

    events = (
        msgspec.structs.replace(event, effects=tuple(map(placed, event.effects))) if event.effects else event
        for event in trace.events
    )
    return msgspec.structs.replace(trace, events=tuple(events))


def _place(of: str, models: Sequence[Path], root: Path) -> str:
    """Where a model file names the function of `library:name`; empty where none does in full."""
    library, _, name = of.partition(":")
    for path in (file for one in models for file in (sorted(one.glob("*.toml")) if one.is_dir() else (one,))):
        lines = door.read(path, _MOST_BYTES).decode("utf-8", "replace").splitlines()
        if not any(line.replace(" ", "") == f'name="{library}"' for line in lines):
            continue
        for number, line in enumerate(lines, 1):
            if line.startswith(("name", "names", "  ")) and f'"{name}"' in line:
                shown = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
                return f"{shown}:{number}"
    return ""


# --- shown ----------------------------------------------------------------------------------------


def text(report: TraceReport) -> str:
    """For people."""
    return "".join(f"{sanitise(line.text)}\n" for line in _lines(report))


def page(report: TraceReport) -> str:
    """The same as a page of HTML, with the order of the events drawn beside it."""
    return render(f"{report.trace.function} in {report.trace.path}", list(_lines(report)))


def _lines(report: TraceReport) -> Iterator[TraceLine]:
    trace = report.trace
    yield TraceLine("head", f"{trace.path}:{trace.first}: `{trace.function}`, to line {trace.last}")
    yield from (TraceLine("head", f"note: {note}") for note in trace.notes)
    for engine in trace.engines:
        if engine.skipped:
            yield TraceLine("head", f"{engine.name}: not analysed: {engine.skipped}")
        else:
            limit = "" if engine.complete else "; there were more, which were not followed"
            states = f"{engine.most} state{'s' * (engine.most != 1)}"
            reached = f"{engine.events} events are reachable, with at most {states} at one{limit}"
            yield TraceLine("head", f"{engine.name}: {reached}")
    yield TraceLine("head", "")
    last: dict[str, TracedStates] = {}
    for event in trace.events:
        yield from _event(event, last)
    yield TraceLine("head", "")
    yield from _findings(report)


def _event(event: TracedEvent, last: dict[str, TracedStates]) -> Iterator[TraceLine]:
    """What is known at an event stands before it, where it is something else than at the one before."""
    for states in event.states:
        before = last.get(states.engine)
        if before is None or before.states != states.states:
            yield from _states(states)
        last[states.engine] = states
    after = [target for target in event.next if target != f"#{event.index + 1}"]
    way = f"  -> {', '.join(after)}" if after and event.kind != "leave" else ""
    said = f"#{event.index:<3} {f'{event.line}:{event.column}':<8} {event.kind:<6} {event.code}".rstrip()
    leads = tuple(int(target[1:].partition(" ")[0]) for target in event.next)
    yield TraceLine("event", said + way, event.index, leads)
    for effect in event.effects:
        of = f"  [{effect.source}{': ' * bool(effect.of)}{effect.of}]"
        yield TraceLine("effect", f"{'':13} {effect.what}{of}")
    if event.held:
        yield TraceLine("effect", f"{'':13} under {event.held}")
    for states in event.states:
        yield from (TraceLine("refuted", f"{'':13} {states.engine}: {said}") for said in states.refuted)
    for one in event.incidents:
        doubt = f"; not certain: {one.reason}" if one.reason else ""
        dropped = f"; dropped: {one.dropped}" if one.dropped else ""
        yield TraceLine("incident", f"{'':13} {one.engine} finds: {one.what}{doubt}{dropped}")


def _states(states: TracedStates) -> Iterator[TraceLine]:
    several = len(states.states) > 1
    for number, lines in enumerate(states.states, 1):
        said = "; ".join(lines) or "nothing yet"
        yield TraceLine("state", f"     {states.engine}{f' {number}' if several else ''}: {said}")


def _findings(report: TraceReport) -> Iterator[TraceLine]:
    if not report.findings:
        which = "rule about functions, classes or bindings" if report.whole else "rule"
        yield TraceLine("finding", f"no {which} reports anything here")
    for one in report.findings:
        yield TraceLine("incident", f"{one.line}:{one.column}: {one.rule} ({one.certainty}): {one.message}")
        yield TraceLine("finding", f"  {'reported' if one.reported else f'not reported: {one.why}'}")
        if one.reason:
            assumed = f" (assumes: {', '.join(one.assumed)})"
            yield TraceLine("finding", f"  not certain: {one.reason}{assumed}")
    if report.whole:
        yield TraceLine("head", f"not run: the {report.whole} rules about a whole program (--whole-program)")
