"""What a change takes out of a function, by the outlines of the function before and after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import Function, Program, Span, bodies, places, questions, text, types
from ownlint import records as r
from ownlint_rules.parity import _parity as parity


class Emptied(NamedTuple):
    """A body that does nothing any more, and a sibling of which the work is still done."""

    sibling: Function
    kept: Span
    does: str
    """What it still does there."""


def before(function: Function) -> Function | None:
    """The function as it was before the change under review; itself where that does not touch it, None when it was not
    there."""
    program = function.program
    if not program.is_touched(function):
        return function
    earlier = program.before
    if earlier is None or function.path not in program.earlier_paths:
        return None
    named = [
        one
        for one in earlier.index.functions_called(function.name)
        if one.symbol == function.symbol and one.record.kind == function.record.kind
    ]
    path = program.was_called(function.path)
    gone = [one for one in named if not _is_still_there(function, one)]
    there = [one for one in named if one.path == path] or ([] if path else gone)
    count = len(function.record.parameters)
    fitting = [one for one in there if _types(one) == _types(function)] or [
        one for one in there if len(one.record.parameters) == count
    ]
    if len(fitting) > 1:  # specialisations of a template go by one name
        now = [
            one
            for one in program.index.functions_called(function.name)
            if one.symbol == function.symbol and one.path == function.path and _types(one) == _types(function)
        ]
        return fitting[now.index(function)] if len(now) == len(fitting) and function in now else None
    return fitting[0] if fitting else None


def _is_still_there(function: Function, old: Function) -> bool:
    """Whether what the old function was is another one now, so that this one is new."""
    program = function.program
    alike = _now(program).ask(
        old.name,
        lambda: Counter((one.symbol, program.was_called(one.path)) for one in program.index.functions_called(old.name)),
    )
    itself = (function.symbol, program.was_called(function.path)) == (old.symbol, old.path)
    return alike[old.symbol, old.path] > itself


@questions.program_question
def _now(program: Program) -> questions.Answers[str, Counter[tuple[str, str]]]:
    """By name: the symbols and former paths of what is called so now."""
    return questions.Answers()


def _types(function: Function) -> tuple[str, ...]:
    return tuple(parameter.type for parameter in function.record.parameters)


def gap(old: Function, new: Function, at: Span) -> tuple[Span, Span]:
    """Where something that stood at `at` in the old body would stand in the new one: the range between its neighbours
    that are still there, and the one behind it (or in front, where it was the last)."""
    then, now = _outline(old), _outline(new)
    kept = dict(reversed(now.lines))
    front = [kept[line] for line, span in then.lines if span.end <= at.start and line in kept]
    behind = [kept[line] for line, span in then.lines if span.start >= at.end and line in kept]
    name = new.record.name_span
    start = max((span.start for span in front), default=name.start)
    end = next((span for span in behind if span.start > start), None)
    if end is None:
        known = {line for line, _ in then.lines}
        fresh = (span for line, span in now.lines if line not in known and span.start > start)
        last = next(fresh, None) or max(front, key=lambda span: span.start, default=name)
        return Span(start, new.record.end), last
    return Span(start, end.end), end


def _outline(function: Function) -> parity.FunctionOutline:
    return parity.of(function.program).outline(function)


# --- guards ------------------------------------------------------------------------------------------


def removed_guards(old: Function, new: Function) -> Iterator[parity.ParityGuard]:
    """The guards of the old body that the new one has no more, where it still deals with what they looked at: not moved
    to what it calls, to its callers or to a method beside it, not replaced by another question about the same, not made
    needless by a type."""
    then, now = _outline(old), _outline(new)
    kept = {asked.form for asked in now.asked}
    retyped = _retyped(old, new)
    reading = parity.ParityReading(parity.of(new.program), new)
    members = frozenset(map(parity.of(new.program).neutral, new.home.members)) if new.home is not None else frozenset()
    gone = [
        (guard, subjects)
        for guard in (*then.guards, *_unwrapped(then, now), *_unrepaired(old, new))
        if guard.form not in kept
        and retyped.isdisjoint(part for place in guard.names for part in place.split("."))
        and (guard.exit not in _NEED_SIBLING or _is_refused_by_sibling(new, guard))
        and not reading.passes_over(guard.condition)
        and (subjects := parity.known_subjects(guard, now, members if _is_refused_by_sibling(new, guard) else None))
    ]
    guards = [guard for guard, _ in gone]
    anew = bool(gone) and not (parity.is_alike(now, then, guards) or _is_only_shorter(then, now, guards))
    if anew:
        gone = [
            (guard, subjects)
            for guard, subjects in gone
            if guard.exit == "repairs" or _is_refused_by_sibling(new, guard)
        ]
    if not gone:
        return
    forms = {asked.form for asked in then.asked}
    said = {guard.message for guard in now.guards if guard.message and guard.form not in forms}
    for guard, subjects in gone:
        if guard.message in said:
            continue  # the same is refused, by another question
        need = reading.first_need(parity.nothing_of(guard)) or reading.first_element(guard.names)
        below = _asked_by_new_callees(old, new, anew or _is_refused_by_sibling(new, guard), guard, need)
        if (
            not (guard.exit == "repairs" and _is_worked_on_beside(new, guard))
            and not any(
                _replaces(reading, asked, need, subjects) for asked in _fresh_questions(then, now, anew, subjects)
            )
            and not any(_is_about(names, subjects, guard) for names in below)
            and not _is_asked_by_callers(new, subjects, guard)
            and not _is_asked_elsewhere(new, guard, anew)
        ):
            yield guard


def without_state(old: Function, new: Function) -> Iterator[parity.ParityGuard]:
    """The guards of the old body about state that its class does not have any more, where a sibling still refuses the
    same, by its words or its message, and nothing new asks or sees to it: the body, what calls it, a constructor."""
    then, now, known = _outline(old), _outline(new), parity.of(new.program)
    if old.home is None or new.home is None or not now.works:
        return
    gone = frozenset(map(known.neutral, old.home.members - new.home.members))
    about = [
        guard
        for guard in then.guards
        if guard.exit in _REFUSES and guard.names and gone.issuperset(map(parity.root_of, guard.names))
    ]
    forms = {guard.form for guard in then.guards}
    if not about or any(guard.exit in _REFUSES and guard.form not in forms for guard in now.guards):
        return
    for guard in about:
        if (
            any(
                kept.exit in _REFUSES and (kept.form == guard.form or (guard.message and kept.message == guard.message))
                for sibling in known.siblings(new)
                for kept in known.outline(sibling).guards
            )
            and not any(_asks_anew(caller, call) for caller, call in _calls_of(new))
            and not any(map(_new_works, new.home.constructors))
            and not _is_asked_elsewhere(new, guard, anew=False)
        ):
            yield guard


def _asks_anew(caller: Function, call: r.Call) -> bool:
    """Whether a caller asks something before the call that it did not ask before the change."""
    is_changed = caller.path in caller.program.earlier_paths
    return is_changed and any(one.span.end <= call.start for one in _asked_anew(caller, _outline(caller).asked))


def _asked_anew(function: Function, asked: Iterable[parity.AskedCondition]) -> list[parity.AskedCondition]:
    """Those of a function's conditions that it did not have before the change."""
    old = before(function)
    had = {one.form for one in _outline(old).asked} if old is not None else set()
    return [one for one in asked if one.form not in had]


def _new_works(function: Function) -> frozenset[str]:
    """What a function calls since the change."""
    old = before(function)
    return _outline(function).works - (_outline(old).works if old is not None else frozenset())


def unhandled(old: Function, new: Function) -> Iterator[tuple[parity.ParityGuard, Span]]:
    """The conditions that there is nothing on which the old body left, and the new one does not, which works on it
    as if it were there, while a sibling still asks the same; and where it does."""
    then, now, known = _outline(old), _outline(new), parity.of(new.program)
    kept = {asked.form for asked in now.asked}
    retyped = _retyped(old, new)
    for guard in then.handled:
        if guard.form in kept or not retyped.isdisjoint(part for place in guard.names for part in place.split(".")):
            continue
        subjects = parity.known_subjects(guard, now)
        if (
            subjects
            and any(guard.form == asked.form for one in known.siblings(new) for asked in known.outline(one).asked)
            and (need := parity.ParityReading(known, new).first_need(guard.condition)) is not None
            and not any(
                _is_about(names, subjects, guard) for names in _asked_by_new_callees(old, new, True, guard, need)
            )
            and not _is_asked_by_callers(new, subjects, guard)
            and not _is_asked_elsewhere(new, guard, anew=True)
        ):
            yield guard, need


def _is_refused_by_sibling(new: Function, guard: parity.ParityGuard) -> bool:
    """Whether a sibling still takes the same for an error: then it is one, however the function was written anew."""
    known = parity.of(new.program)
    if guard.exit == "skips":
        siblings = (known.outline(sibling) for sibling in known.siblings(new))
        return any(kept.guard.form == guard.form for one in siblings for kept in one.branches)
    alike = _REFUSES if guard.exit in _REFUSES else (guard.exit,)
    form = parity.without_limits(guard.form)
    return (guard.exit in _REFUSES or guard.exit == "passes over") and any(
        parity.without_limits(kept.form) == form and kept.exit in alike
        for sibling in known.siblings(new)
        for kept in known.outline(sibling).guards
    )


_REFUSES = ("throws", "fails", "aborts", "refuses", "validates")
_NEED_SIBLING = ("validates", "passes over")
"""What may be left out for many reasons."""


def _fresh_questions(
    then: parity.FunctionOutline, now: parity.FunctionOutline, anew: bool, subjects: frozenset[str]
) -> Iterator[parity.AskedCondition]:
    """The new body's further questions about the subjects. In one that was written anew a loop, and what asks how they
    stand to something else, has other reasons, unless it is a guard, too."""
    known = {(asked.form, asked.repeats) for asked in then.asked}
    leaving = {guard.form for guard in now.guards}
    for asked in now.asked:
        if (asked.form, asked.repeats) in known or (anew and asked.repeats):
            continue
        if not parity.covers(asked.names, subjects):
            continue
        if (
            not anew
            or asked.form in leaving
            or (parity.covers(asked.own, subjects) and parity.covers(subjects, asked.own))
        ):
            yield asked


def _replaces(
    reading: parity.ParityReading, asked: parity.AskedCondition, need: Span | None, subjects: frozenset[str]
) -> bool:
    """Whether a further question can stand for a guard: the project's own function asks what its body says, and who
    works on something as if it were there, or takes an element, asks too late whether it is."""
    if need is not None and asked.span.end > need.start:
        return False
    return not parity.covers(reading.judged_inside(asked), subjects)


def _unwrapped(then: parity.FunctionOutline, now: parity.FunctionOutline) -> Iterator[parity.ParityGuard]:
    """Conditions of which the body is still there, without the condition."""
    lines = {line for line, _ in now.lines}
    for branch in then.branches:
        if branch.lines <= lines:
            yield branch.guard


def _unrepaired(old: Function, new: Function) -> Iterator[parity.ParityGuard]:
    """Conditions that are gone with what was done on them, which a sibling still does on the same."""
    now, known = _outline(new), parity.of(new.program)
    for branch in _outline(old).branches:
        if branch.deeds.isdisjoint(now.deeds) and any(
            branch.guard.form == kept.guard.form and branch.works & kept.works
            for sibling in known.siblings(new)
            for kept in known.outline(sibling).branches
        ):
            yield branch.guard._replace(exit="repairs")


def _is_only_shorter(then: parity.FunctionOutline, now: parity.FunctionOutline, gone: list[parity.ParityGuard]) -> bool:
    """Whether the change took out the guards and what only they needed, and nothing else."""
    left = Counter(line for line, _ in then.lines)
    left.subtract(line for line, _ in now.lines)
    if not now.works or min(left.values(), default=0) < 0:
        return False
    feeding = parity.feeders(now, gone)
    starts = {guard.span.start for guard in gone}
    inside = {line for branch in then.branches if branch.guard.span.start in starts for line in branch.lines}
    return all(
        not left[line] or parity.words(line) & feeding or span.start in starts or line in inside
        for line, span in then.lines
    )


def _retyped(old: Function, new: Function) -> frozenset[str]:
    """Parameters, by number, and members of classes whose type is another now: what their guards asked may be settled
    by that."""
    pairs = zip(_types(old), _types(new), strict=False)
    parameters = {f"P{number}" for number, (one, other) in enumerate(pairs, 1) if one != other}
    then, now = _member_types(old.program, new), _member_types(new.program, new)
    neutral = parity.of(new.program).neutral
    others = {key[1] for key, type in then.items() if now.get(key, "") != type}
    return frozenset(parameters | {neutral(name) for name in others})


def _member_types(program: Program, new: Function) -> dict[tuple[str, str], str]:
    """Of the members of classes in the changed files."""
    changed = (program.files.get(path) for path in sorted(new.program.earlier_paths))
    return {
        (cls.name, field.name): field.type
        for file in changed
        if file is not None
        for cls in file.classes
        for field in cls.fields
    }


def _asked_by_new_callees(
    old: Function, new: Function, anew: bool, guard: parity.ParityGuard, need: Span | None
) -> list[frozenset[str]]:
    """What the new body's further calls are given, about which they may ask in its place, and what they ask of their
    own object and of what they are given. In a body that was written `anew`, or beside a sibling that still asks, one
    that is not known asks where its name says so, or where its outcome is looked at; it may put right what it is
    given. After `need`, where the body works on what the guard looked at, it is too late to ask."""
    more = guard.exit in _REFUSES and parity.asks_more(guard.form)
    of_parts = bool(guard.names) and all("." in name for name in guard.names)
    reading = parity.ParityReading(parity.of(new.program), new)
    known = {reading.parity.neutral(places.last_name(call.callee)) for call in old.calls()}
    heard = _heard_calls(new) if anew else frozenset()
    found = []
    for call in new.calls():
        if reading.parity.neutral(places.last_name(call.callee)) in known:
            continue
        if need is not None and call.start >= need.end:
            continue
        callee = new.program.calls.callee(call, new)
        at_work = (
            need is not None and call.start >= need.start and not parity.is_named_check(places.last_name(call.callee))
        )
        if at_work and not callee.functions:
            continue  # `row.insert((*colors)[n])` takes it as if it were there
        if callee.functions:
            found += [names for one in callee.functions for names in reading.asked_by(call, one, more, of_parts)]
        elif not anew:
            found.append(reading.traced(call))
        elif _may_check(call, call.span in heard):
            found.append(reading.names_in(call))
        elif not callee.models and guard.exit == "repairs":
            found.append(frozenset(f"{place}.*" for place in map(reading.place, _objects_in(call)) if place))
    return found


def _heard_calls(function: Function) -> frozenset[Span]:
    """The calls of which a condition, a `return` or a macro that leaves looks at the outcome, also by a local."""
    found: set[Span] = set()
    tested: set[str] = set()
    kept: list[tuple[str, r.Value | None]] = []
    for statement in function.statements:
        values = list(bodies.values(statement))
        match statement:
            case r.Branch(condition=condition):
                tested.update(inner.text for inner in places.walk(condition) if isinstance(inner, r.Name))
                found.update(inner.span for inner in places.walk(condition) if isinstance(inner, r.Call))
            case r.Leave(kind="return", value=value) if value is not None:
                kept.append(("", value))
            case r.Declare(names=names, value=value):
                kept += [(name, value) for name in names]
            case r.Evaluate(value=r.Assign(target=r.Name(text=name), value=value)):
                kept.append((name, value))
            case r.Evaluate(value=r.Call() as call) if function.program.macros.role(places.last_name(call.callee)):
                found.update(
                    inner.span for value in values for inner in places.walk(value) if isinstance(inner, r.Call)
                )
    for name, value in kept:
        made = places.strip(value)
        if isinstance(made, r.Call) and (name in tested or not name):
            found.add(made.span)
    return frozenset(found)


def _may_check(call: r.Call, is_heard: bool) -> bool:
    """Whether a call of a function that is not known may be a check: by its name, or as its outcome is looked at and it
    is no view of a container."""
    name = places.last_name(call.callee)
    return parity.is_named_check(name) or (is_heard and not parity.is_view(name))


def _objects_in(call: r.Call) -> Iterator[r.Value]:
    """What a call is given or called on as it stands there, no part of it."""
    of = places.receiver(call) if not parity.is_view(places.last_name(call.callee)) else None
    for value in (*call.args, *([of] if of is not None else [])):
        if not isinstance(places.strip(value), (r.Call, r.Index)):
            yield value


def _is_about(asked: Iterable[str], subjects: frozenset[str], guard: parity.ParityGuard) -> bool:
    """Whether what others ask covers what the guard looked at, or what its locals were worked out from."""
    names, origins = list(asked), parity.made_of(guard)
    return parity.covers(names, subjects) or (bool(origins) and parity.covers(names, origins))


def _is_asked_by_callers(function: Function, subjects: frozenset[str], guard: parity.ParityGuard) -> bool:
    """Whether all who call the function ask before: about the arguments that they give."""
    found = False
    members = function.home.members if function.home is not None else frozenset()
    for caller, call in _calls_of(function):
        reading = parity.ParityReading(parity.of(function.program), caller)
        named, made = (
            frozenset(reading.in_words_of(call, sorted(places_), members))
            for places_ in (subjects, parity.made_of(guard))
        )
        of = reading.place(places.receiver(call))
        earlier = [one for one in _outline(caller).asked if one.span.end <= call.start]
        asked = {name for one in earlier for name in one.names} - {f"{of}.*"}
        element = places.strip(places.receiver(call))
        whole = text(element.base) if isinstance(element, r.Index) else ""
        if whole:
            asked.discard(of)  # what is asked of a container says nothing of its elements
        getters = {
            places.last_name(inner.callee)
            for inner in caller.calls()
            if of
            and reading.place(on := places.receiver(inner)) == of
            and any(inner.start in one.span for one in earlier)
            if not whole or on is None or text(on) != whole
        }
        asked.update(f"{of}.{part}" for name in getters for part in _read_by(function, name))
        known = bool(named) or all(map(parity.is_of_parameter, subjects))
        if not ((known and parity.covers(asked, named)) or (made and parity.covers(asked, made))):
            return False
        found = True
    return found


def _read_by(function: Function, name: str) -> Iterator[str]:
    """The members of a function's object that its method of that name reads; all of them where it is not known."""
    found = function.cls.defined(name) if function.cls is not None else []
    neutral = parity.of(function.program).neutral
    for method in found[:1]:
        members = method.home.members if method.home is not None else frozenset()
        yield from (neutral(one) for one in sorted(members) if b'"%b"' % one.encode() in method.encoded)
    if not found:
        yield "*"


def _calls_of(function: Function) -> Iterator[tuple[Function, r.Call]]:
    """The calls of a function, also through a base class that declares it, and through a table of functions."""
    family = function.cls.ancestry if function.cls is not None else ()
    for caller in function.program.index.callers(function):
        for call in caller.calls():
            if places.last_name(call.callee) == function.name:
                callee = function.program.calls.callee(call, caller)
                if function in callee.functions or (callee.owner is not None and callee.owner in family):
                    yield caller, call
    for slot in parity.of(function.program).slots(function):
        for caller in function.program.index.callers_by_name(slot.member):
            for call in caller.calls():
                if isinstance(call.callee, r.Member) and call.callee.name == slot.member:
                    table = function.program.types.of(call.callee.base, caller)
                    if not table or types.parse(table).last == slot.type:
                        yield caller, call


def _is_worked_on_beside(function: Function, guard: parity.ParityGuard) -> bool:
    """Whether another function of the class or the file does something new to what the guard looked at."""
    roots = {place.partition(".")[0] for place in guard.names}
    for other in _beside(function):
        old = before(other)
        fresh = _changes(other) - (_changes(old) if old is not None else frozenset())
        if any(change.root in roots for change in fresh):
            return True
    return False


class _Change(NamedTuple):
    root: str
    how: str


def _changes(function: Function) -> frozenset[_Change]:
    """What a function does to members: methods that are no views, assignments, initialisers."""
    neutral, outline = parity.of(function.program).neutral, _outline(function)
    called = (_Change(deed.partition(".")[0], deed) for deed in outline.deeds if not parity.is_view(deed))
    assigned = (
        _Change(line.split()[1], line) for line, _ in outline.lines if line.startswith("Evaluate ") and " = " in line
    )
    made = (_Change(neutral(one.name), neutral(" ".join(map(text, one.args)))) for one in function.record.initializers)
    return frozenset((*called, *assigned, *made))


def _is_asked_elsewhere(function: Function, guard: parity.ParityGuard, anew: bool) -> bool:
    """Whether another function of the changed files, no sibling, asks since the change in the same words, whatever the
    object is called there that the words are about: a constructor, what makes a parameter, another method. Of a body
    that was written anew, also whether one asks something else about the same members."""
    members = frozenset(filter(None, map(_as_members, guard.names))) if anew else frozenset()
    asked_for = _bare(guard.shown)
    known, is_there = parity.of(function.program), parity.nothing_of(guard) != ""
    for other in _changed(function):
        reading = parity.ParityReading(known, other)
        asking = [
            one
            for one in _outline(other).asked
            if _bare(one.shown) == asked_for
            or (members and parity.covers(_asked_members(reading, one, is_there), members))
        ]
        if asking and _asked_anew(other, asking):
            return True
    return False


def _asked_members(reading: parity.ParityReading, asked: parity.AskedCondition, is_there: bool) -> Iterator[str]:
    """The members that a condition asks about; for whether something `is_there`, before it is worked on."""
    for name in asked.names:
        member = _as_members(name)
        if member and not (is_there and reading.is_needed(name)):
            yield member


_PATH_TO = re.compile(r"(?<![\w.:>])(?:\w++(?:\(\))?(?:\.|->|::))+(?=\w++(?!(?:\(\))?(?:\.|->|::)))|\b_++|(?<!_)_++\b")


def _bare(shown: str) -> str:
    """A condition without what its names are members of, and without what marks them as such: `rate.hz <= 0` and
    `hz_ <= 0` are one."""
    return _PATH_TO.sub("", shown)


def _changed(function: Function) -> Iterator[Function]:
    """The other functions of the files that the change touches, but for its siblings."""
    program = function.program
    passed = {function, *parity.of(program).siblings(function)}
    for path in sorted(program.earlier_paths):
        file = program.files.get(path)
        if file is None:
            continue
        for number in range(len(file.functions)):
            other = program.index.function_at(file, number)
            if other is not None and other not in passed:
                yield other


def _as_members(place: str) -> str:
    """A place without the parameter that it is a part of."""
    return "" if parity.is_of_parameter(place) and "." not in place else parity.without_parameter(place)


def _beside(function: Function) -> Iterable[Function]:
    """The other functions of its class, the bases and the file, as far as the change touches their files."""
    family = function.cls.ancestry if function.cls is not None else ()
    methods = [method for cls in family for method in cls.methods]
    index, file = function.program.index, function.file
    here = (index.function_at(file, number) for number in range(len(file.functions)))
    found = dict.fromkeys((*methods, *(one for one in here if one is not None)))
    return [one for one in found if one is not function and one.path in function.program.earlier_paths]


# --- bodies ------------------------------------------------------------------------------------------


def emptied(old: Function, new: Function) -> Emptied | None:
    """The first sibling that still does some of what the old body did, where the new one does nothing, though it is
    called, and where nothing beside it does it instead."""
    then, now = _outline(old), _outline(new)
    if not now.is_idle or not then.works or not new.program.index.is_called(new.name):
        return None
    known = parity.of(new.program)
    if any(_took_over(other, then.works) for other in (*_beside(new), *(caller for caller, _ in _calls_of(new)))):
        return None
    conditions = {asked.form for asked in then.asked}
    for sibling in known.siblings(new):
        other = known.outline(sibling)
        for asked in other.asked:
            if asked.form in conditions:
                return Emptied(sibling, asked.span, f"checks `{asked.shown}`")
        for call in sibling.calls():
            name = places.last_name(call.callee)
            if known.neutral(name) in then.works & other.works:
                return Emptied(sibling, call.span, f"calls `{name}`")
    return None


def _took_over(function: Function, works: frozenset[str]) -> bool:
    """Whether a function calls some of this since the change."""
    return not works.isdisjoint(_new_works(function))


# --- releases ----------------------------------------------------------------------------------------


def removed_releases(old: Function, new: Function) -> Iterator[parity.Release]:
    """What the old body gave back and the new one does not, though it takes it as before and does nothing new to it."""
    then, now = _outline(old), _outline(new)
    if not parity.is_alike(then, now):
        return
    left = Counter((release.name, release.what) for release in now.releases)
    kept = Counter(line for line, _ in now.lines)
    fresh = [parity.words(line) for line in kept - Counter(line for line, _ in then.lines)]
    for release in then.releases:
        key = (release.name, release.what)
        left[key] -= 1
        words = parity.words(release.what)
        if left[key] >= 0 or any(not words.isdisjoint(line) for line in fresh):
            continue
        if any(words <= parity.words(line) and line in kept for line, _ in then.lines):
            yield release
