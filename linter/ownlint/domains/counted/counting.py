"""Who owns which counted reference at each point of a function: every way through it is followed, with what tests say.

Ways that know the same are one; of those that come to one event a bounded number is followed, so what is found was
seen on a way that exists, and what is not found may have been on one that was not followed. What a single call does
with a reference is `references`' answer, how one way sees the objects is `counts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ownlint.domains import exceptions, failure
from ownlint.domains.counted import marks, outs
from ownlint.domains.counted.counting_calls import CountingCalls
from ownlint.domains.counted.counting_tests import is_zero, written_name
from ownlint.domains.counted.counting_ways import CountSummary, CountTrouble, What, bare_value, result_place, there
from ownlint.domains.counted.counts import (
    NULL,
    OWING,
    ROUNDS,
    SOMETHING,
    CountDraft,
    CountState,
    HeldReference,
    Id,
    KnownPlace,
    is_owing,
)
from ownlint.domains.counted.followed import Followed
from ownlint.domains.counted.references import (
    Use,
    alternatives,
    gives_up_reference,
    maker_called,
    may_count,
    references,
)
from ownlint.domains.counted.slot_tables import is_slot
from ownlint.engine.assignments import spelled
from ownlint.engine.heap import Domain, Listener, follow, without_idle_tests
from ownlint.facts import records as r
from ownlint.finding import SOME_PATHS, Step
from ownlint.flow import events as e
from ownlint.flow.asked import constant_of, equals
from ownlint.flow.events import Event
from ownlint.flow.graph import addressed
from ownlint.flow.places import Place, last_name, render, walk
from ownlint.flow.remembered import remembered, remembered_of_text
from ownlint.project import types
from ownlint.project.callees import is_template_parameter
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, forget, program_question, question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Function
from ownlint.steps import spend

__all__ = [
    "NOT_ALL_FOLLOWED",
    "NOT_OWED_ELSEWHERE",
    "CountTrouble",
    "hands_out_new",
    "is_concerned",
    "summary",
    "trail",
    "troubles",
]

_STEPS_OF_PASSING = 8
"""One way through one event takes the time of so many steps, and more."""
_STEPS_OF_JUDGING = 2
"""And what becomes of one object where a way ends."""
_MOST_STATES = 48
"""So many ways that know different things are followed through one event."""
_ENTRIES_A_STEP = 4
"""So many entries of a state are shown and compared in the time of one step."""
_BY_WAY = frozenset({"leaked", "surplus", "null used"})
"""What is told by the way that leads there."""
_SEEN_LATER = frozenset({"stored borrowed", "stolen borrowed"})
"""What is told at the end of a path, of an event that stands before it."""
_BY_PATHS = frozenset({"released borrowed", "released given", "released twice", "returned borrowed"}) | frozenset(
    {"used after release", "retained after release"}
)
"""What is told of some of the paths to a place, and doubted where conditions may exclude these."""
_TAKEN_OR_LENT: tuple[set[Use], ...] = ({"lent", "stolen"}, {"lent", "released"})
_FAILED = KnownPlace("-")
NOT_ALL_FOLLOWED = "this function has too many paths to follow them all"
_SOME_OVERWRITE = "this happens only on some of the paths to the reassignment"
_NOT_READ = "harmless if code that was not understood releases it or passes it on"
NOT_OWED_ELSEWHERE = "harmless if such an exit is never taken; others release the reference or pass it on"
_PRESUMED = "that `{}` returns a new reference is inferred: another path releases `{}`"
_UNKNOWN = CountSummary("", True, ())


def troubles(function: Function) -> tuple[CountTrouble, ...]:
    """What goes wrong with counted references in the function, in source order."""
    if not is_concerned(function):
        return ()
    summary(function)  # walks, and keeps that, unless the function comes back to itself
    return _counted(function).troubles


@question
def is_concerned(function: Function) -> bool:
    """Asked before any flow is made: most functions deal in no counted references."""
    if function.language != "cpp":
        return False
    if may_count(function) or is_slot(function) or marks.taken(function):
        return True
    return not outs.filling_names(function.program).isdisjoint(function.mentioned)


class CountedFunction(NamedTuple):
    """What a walk over a function has come to."""

    troubles: tuple[CountTrouble, ...]
    summary: CountSummary


@flow_question
def _counted(function: Function) -> CountedFunction:
    counting = Counting(function)
    found = sorted(counting.run(), key=lambda one: (one.at.span, one.what, one.name))
    return CountedFunction(tuple(found), counting.summary())


def trail(function: Function, one: CountTrouble) -> tuple[Event, ...]:
    """The path by which a reference is lost, from where its object comes from."""
    found = _trails(function).get((one.what, one.site.index, one.at.index), ())
    return tuple(function.flow.events[index] for index in found)


@flow_question
def _trails(function: Function) -> dict[tuple[What, int, int], list[int]]:
    """By trouble, site and place the events of the path that leads there: by a second walk, as few functions are
    asked."""
    again, seen = Counting(function), Followed()
    again.walk(seen.see)
    return {
        (one.what, one.site.index, one.at.index): seen.trail(again.troubled[key], one.site.index)
        for key, one in again.found.items()
        if one.what == "leaked" and key in again.troubled
    }


def borrowed_at(function: Function, one: CountTrouble) -> tuple[Step, ...]:
    """Where a borrowed reference comes from, as a step of what is said of it."""
    if not isinstance(one.site, e.CallEvent):
        return ()
    return (function.step(one.site, f"`{last_name(one.site.node.callee)}` returns a borrowed reference here"),)


def hands_out_new(call: r.Call, function: Function) -> bool:
    """Whether a function of the project is called whose every way out hands the caller a reference of its own; of the
    methods of objects those that give up what the object owned."""
    if call.kind != "call":
        return False
    if isinstance(call.callee, r.Member):
        methods = function.program.calls.callee(call, function).functions if not call.args else ()
        return len(methods) == 1 and gives_up_reference(methods[0]) and summary(methods[0]).result == "new"
    if not isinstance(call.callee, r.Name) or call.callee.text in function.declared:
        return False
    made, known = maker_called(call, function), references(function.program)
    return made is not None and known.is_pointer(made.record.result, made) and summary(made).result == "new"


@program_question
def _summaries(program: Program) -> Circular[Function, CountSummary]:
    return Circular(_UNKNOWN)


def summary(function: Function) -> CountSummary:
    """What a caller sees of the function: the walk is the one that says what goes wrong in it, too."""
    if function.language != "cpp":
        return _UNKNOWN

    known = _summaries(function.program)

    def answer() -> CountSummary:
        try:
            return _counted(function).summary
        finally:
            if known.is_tentative:
                forget(_counted, function)

    return known.ask(function, answer)


def use_of(call: r.Call, index: int, function: Function) -> Use:
    """What becomes of argument `index` (from 0), as models say, or as the one function does that is called."""
    use = references(function.program).use(call, index, function)
    callee = function.program.calls.callee(call, function).only if not use and call.kind == "call" else None
    uses = summary(callee).arguments if callee is not None else ()
    return uses[index] if index < len(uses) else use


_CARRYING = frozenset({"|", "+", "-", "^"})
"""Operators that make another number of a pointer, from which it can be had again."""


class Counting(CountingCalls):
    """The walk over one function."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.exits: list[tuple[CountDraft, e.LeaveEvent, Id | None]] = []
        self.left: list[CountDraft] = []
        """What each exit path leaves behind, without what it answers with."""

    def summary_of(self, function: Function) -> CountSummary:
        return summary(function)

    def run(self, listener: Listener[CountState] | None = None) -> list[CountTrouble]:
        self.walk(listener)
        jumps = self.jumps_in_macros
        told = [(key, one) for key, one in self.found.items() if not jumps or one.what not in _BY_WAY]
        return [self.judged(key, one) for key, one in told]

    def walk(self, listener: Listener[CountState] | None = None) -> None:
        domain = Domain(self.passing_through, _met, _MOST_STATES, _in_order)
        self.complete = follow(self.flow, self.start(), domain, listener) and self.knows_all_tests

    @cached_property
    def followed(self) -> Followed:
        """What became of each state, by a second walk: few functions are asked."""
        again, seen = Counting(self.function), Followed()
        again.walk(seen.see)
        return seen

    @cached_property
    def jumps_in_macros(self) -> bool:
        """Whether a macro of the project hides a `goto`: where that leads is not known."""
        named = self.function.program.macros.named
        return any("goto" in macro.body for name in self.macros for macro in named(name))

    def judged(self, key: tuple[object, ...], one: CountTrouble) -> CountTrouble:
        troubled = len(self.troubled_there.get(there(one.what, one.at, one.where), ()))
        partly = one.what not in _SEEN_LATER and 0 < troubled < self.passed_by.get(one.at.index, 0)
        site = one.site
        if isinstance(site, e.CallEvent) and site.index in self.presumed:
            return one._replace(reason=_PRESUMED.format(last_name(site.node.callee), render(site.into or ("it",))))
        if one.what not in ("leaked", "surplus"):
            some = _SOME_OVERWRITE if one.what == "overwritten" else SOME_PATHS
            merged = partly and not (one.what in _BY_PATHS and self.followed.is_doomed(self.troubled[key]))
            return one._replace(reason=some if partly else "", merged=merged)
        if not self.complete:
            return one._replace(reason=NOT_ALL_FOLLOWED)
        if self.ends.get(one.site.index) == {False} and not self.is_left_settled(one.site):
            unread = any(one.site.index < part.index < one.at.index for part in self.flow.of(e.OpaqueEvent))
            return one._replace(reason=_NOT_READ) if unread else one._replace(always=True)
        return one._replace(reason=NOT_OWED_ELSEWHERE)

    def is_left_settled(self, site: Event) -> bool:
        """Whether a way leaves with an object of this site for which nothing is owed."""
        ids = [(site.index, round_) for round_ in range(ROUNDS + 1)]
        if site.index == self.flow.entry:
            ids += [(-2 - number, 0) for number in range(len(self.function.record.parameters))]
        spend(len(self.left))
        return any(
            one in draft.objects and not is_owing(draft.objects[one]) and not self.is_on_its_way(draft, one)
            for draft in self.left
            for one in ids
        )

    def is_on_its_way(self, draft: CountDraft, one: Id) -> bool:
        """One that never had a name was on its way to somebody when an exception came."""
        return self.naming(draft, one).on_its_way

    def start(self) -> CountState:
        draft = CountDraft(CountState())
        for number, parameter in enumerate(self.function.record.parameters):
            written = parameter.type
            if "&" not in written and self.is_object(parameter):
                own = number in self.owned
                held = HeldReference("new", 1, "no") if own else HeldReference("given", 0, "no")
                draft.places[(parameter.name,)] = draft.begin(-2 - number, held)
        return draft.state()

    def is_object(self, parameter: r.Parameter) -> bool:
        """Whether the argument is a bare reference: by its type, or because it is counted here."""
        written = parameter.type
        if self.references.is_pointer(written, self.function) or self.is_own(written):
            return True
        if is_template_parameter(written, self.function):
            return parameter.name in self.uses_of_names["released"]
        return types.parse(written).pointers == 1 and parameter.name in self.counted_names

    @cached_property
    def counted_names(self) -> frozenset[str]:
        """Names that are counted up more than once: one time can be for whoever calls, which it alone knows."""
        return frozenset(name for name, times in self.uses_of_names["retained"].items() if times > 1)

    @cached_property
    def uses_of_names(self) -> dict[Use, Counter[str]]:
        """How often each name is given to a call that releases it, and to one that counts it up."""
        found: dict[Use, Counter[str]] = {"released": Counter(), "retained": Counter()}
        for event in self.flow.calls:
            for index, argument in self.arguments(event.node):
                use = self.said_uses(event.node)[index] if isinstance(argument, r.Name) else ""
                if use in found and isinstance(argument, r.Name):
                    found[use][argument.text] += 1
        return found

    @cached_property
    def owned(self) -> frozenset[int]:
        """Arguments that the function is declared to take over."""
        return marks.taken(self.function)

    def is_own(self, written: str) -> bool:
        """`Thing* self` of a function in a table of slots."""
        return self.is_slot and types.parse(written).pointers == 1 and types.parse(written).last not in ("void", "char")

    def passing_through(self, event: Event, state: CountState) -> Iterator[tuple[int, CountState]]:
        spend(_STEPS_OF_PASSING)
        self.passing += 1
        self.passed_by[event.index] = self.passed_by.get(event.index, 0) + 1
        return self.step(event, state)

    def step(self, event: Event, state: CountState) -> Iterator[tuple[int, CountState]]:
        edges = self.flow.successors[event.index]
        if isinstance(event, e.Test):
            for target, outcome in edges:
                if outcome is None and not self.goes_to(event, state, target):
                    continue
                for draft in self.decided(event, CountDraft(state), outcome):
                    yield target, draft.state()
            return
        asked = event.node if isinstance(event, e.CallEvent) and self.leaves_on_error(event.node) else None
        for draft in self.passed(event, CountDraft(state)):
            after = draft.state()
            for target, _ in edges:
                then = self.flow.events[target]
                if isinstance(then, e.Mark) and then.what == "catch" and self.throws_nothing(event):
                    continue
                if asked is None:
                    yield target, after
                elif not (isinstance(then, e.LeaveEvent) and self.has_worked_last(draft, asked)):
                    yield target, self.settled(draft, then).state()

    @remembered
    def leaves_on_error(self, call: r.Call) -> bool:
        """A macro that leaves where an error is pending, and is not told about a value: `RETURN_IF_ERROR();`."""
        if self.function.program.macros.role(last_name(call.callee)) != "return on failure":
            return False
        said = [inner for argument in call.args for inner in walk(argument)]
        return not any(
            isinstance(inner, r.Call) or (isinstance(inner, r.Name) and inner.text in self.function.declared)
            for inner in said
        )

    @staticmethod
    def settled(draft: CountDraft, then: Event) -> CountDraft:
        """Behind such a macro: what has answered is there, or it has left because something did not."""
        way = draft.copy()
        for one, held in list(way.objects.items()):
            if isinstance(then, e.LeaveEvent) and held.null in ("maybe", "unknown") and held.kind == "new":
                way.make_null(one)
            elif held.null != "no":
                way.change(one, null="no")
        return way

    def passed(self, event: Event, draft: CountDraft) -> list[CountDraft]:
        found = self.gone_through(event, draft)
        for choice in self.choices(event):
            for one in found:
                one.places.pop(_chosen_at(choice), None)
        return found

    def gone_through(self, event: Event, draft: CountDraft) -> list[CountDraft]:
        match event:
            case e.CallEvent():
                for name in self.addressed(event.node):
                    self.forget_tests(draft, name)
                if self.never_comes_back(event):
                    return []
                found = self.call(event, draft)
                if found and found[0].marked(OWING) and self.throws(event):
                    thrown = e.LeaveEvent(event.span, "throw")
                    thrown.index = event.index
                    self.leave(thrown, found[0].copy())
                return found
            case e.Write():
                if (asked := self.comparison(event, draft)) is not None:
                    return list(self.write_outcomes(event, draft, asked))
                self.write(event, draft)
            case e.Read():
                self.read(event, draft)
            case e.End():
                self.end(event, draft)
            case e.LeaveEvent():
                self.leave(event, draft)
                return []
            case e.OpaqueEvent():
                for name in event.names:
                    self.lose(draft, (name,))
        return [draft]

    @remembered
    def addressed(self, call: r.Call) -> frozenset[str]:
        """See `graph.addressed`."""
        return addressed(call)

    def write(self, event: e.Write, draft: CountDraft) -> None:
        self.forget_tests(draft, written_name(event.place))
        self.lose_captured(draft, event.value)
        self.lose_carried(draft, event.value)
        self.lose_inner(event, draft)
        self.take_apart(event, draft)
        self.name_constant(event, draft)
        where, target = event.place, bare_value(event.target)
        if isinstance(target, r.Index) and not event.fresh:
            self.lose_keys(draft, target)
        if len(where) > 1 and isinstance(target, r.Member):
            self.reach_into(event, draft, where)
        value = self.chosen(event.value, draft)
        one = self.id_of(draft, value) if value is not None and event.op in ("=", "init") else None
        known = draft.places.get(where)
        if event.op == "++" and isinstance(known, KnownPlace) and "-" not in known.signs:
            draft.places[where] = KnownPlace("+", exact=False)
            return
        sees = not event.fresh and self.is_seen_by_others(target, where)
        old = draft.id_at(where)
        if event.type in self.macros:
            self.lose_named(draft, event.type)  # `APPEND_CHUNK` on a line of its own, and an assignment on the next
            old = None
        elif (event.fresh and where[0] in self.statics) or not (sees or self.holds_bare(event)):
            if one is not None:
                draft.forget(one)
            if where[0] not in self.statics:
                draft.places.pop(where, None)
                if one is None and isinstance(bare_value(value), r.Literal):
                    self.write_other(draft, where, value)
            self.drop_results(draft, value)
            return
        if sees:
            self.store(event, draft, where, one, old)
            self.drop_results(draft, value)
            return
        if old is not None and old != one:
            self.overwrite(event, draft, where, old)
        self.put(draft, where, one, value)
        self.drop_results(draft, value)

    def take_apart(self, event: e.Write, draft: CountDraft) -> None:
        """`{one, other}`: an array whose elements are locals has them now; any other object may be given on, with what
        it was made of, unless libraries alone look at it here."""
        made = bare_value(event.value)
        name = event.place[0] if event.fresh and len(event.place) == 1 and isinstance(made, r.Aggregate) else ""
        if name in self.arrays and isinstance(made, r.Aggregate):
            for index, item in enumerate(made.items):
                if (one := self.id_of(draft, item)) is not None:
                    draft.places[name, f"[{index}]"] = one
        elif not name or not self.is_only_lent(name):
            self.lose_items(draft, event.value)

    @remembered_of_text
    def is_only_lent(self, name: str) -> bool:
        """Whether the local is nothing but an argument of libraries' functions that look at it, itself, its address or
        one of its elements."""
        mentioned = sum(isinstance(one, r.Name) and one.text == name for one in self.function.values)
        lent = sum(
            self.said_uses(event.node)[index] == "lent"
            and all(not isinstance(inner, r.Call) for inner in walk(argument))
            and sum(isinstance(inner, r.Name) and inner.text == name for inner in walk(argument))
            for event in self.flow.calls
            for index, argument in self.arguments(event.node)
        )
        return mentioned == lent

    def lose_inner(self, event: e.Write, draft: CountDraft) -> None:
        """A part of a local struct that leads into an object may be all by which it is found again:
        `found.items = buffer->items;`."""
        if len(event.place) > 1 and event.place[0] in self.function.declared:
            self.lose_led_to(event.value, draft)
        elif isinstance(event.value, r.Aggregate) and any(
            last_name(bare_value(leave.value)) == event.place[-1] for leave in self.flow.leaves
        ):
            self.lose_parts(event.value, draft)

    def lose_parts(self, made: r.Aggregate, draft: CountDraft) -> None:
        """`{.items = buffer->items}` as what is returned."""
        for item in made.items:
            self.lose_led_to(item.value if isinstance(item, r.Pair) else item, draft)

    def lose_led_to(self, value: r.Value | None, draft: CountDraft) -> None:
        """What a member of an object leads into, `buffer->items`, leads back to the object, too."""
        for side in alternatives(value):
            inner = bare_value(side)
            if isinstance(inner, r.Member) and inner.arrow and (one := self.id_of(draft, inner.base)) is not None:
                draft.forget(one)

    def lose_keys(self, draft: CountDraft, target: r.Index) -> None:
        """A map keeps the key of what is put into it: `names_[name] = at;`."""
        for index in target.indexes:
            where = self.place(index)
            if where is not None and draft.id_at(where) is not None:
                self.lose(draft, where)

    @remembered
    def throws_nothing(self, event: Event) -> bool:
        return isinstance(event, e.CallEvent) and failure.throws_nothing(self.function, event)

    @remembered
    def throws(self, call: e.CallEvent) -> bool:
        """Whether an exception of a function of the project can come out of the call, and leave."""
        callee = self.function.program.calls.callee(call.node, self.function)
        known = len(callee.functions) == 1 and all(model.throws for model in callee.models)
        leaves = known and not exceptions.is_caught(self.function, call)
        return leaves and bool(exceptions.lets_out(self.function, call))

    @remembered
    def never_comes_back(self, event: e.CallEvent) -> bool:
        """Whether nothing runs behind a call."""
        return failure.never_comes_back(self.function, event.node)

    def comparison(self, event: e.Write, draft: CountDraft) -> r.Value | None:
        """What asks whether an object is NULL and is kept in a variable: `ok = item != NULL`."""
        bare = bare_value(event.value)
        if event.op not in ("=", "init") or len(event.place) > 1 or event.place[0] not in self.function.declared:
            return None
        match bare:
            case r.Binary(op="==" | "!=", left=left, right=right):
                nothing = [is_zero(bare_value(one)) or self.is_null(one) for one in (left, right)]
                asked = left if nothing[1] else right if nothing[0] else None
            case r.Unary(op="!" | "not", value=asked):
                pass
            case _:
                return None
        one = self.id_of(draft, asked) if asked is not None else None
        return bare if one is not None and draft.objects[one].null == "maybe" else None

    def write_outcomes(self, event: e.Write, draft: CountDraft, asked: r.Value) -> Iterator[CountDraft]:
        """One way for each outcome of what the variable is given."""
        for outcome in (True, False):
            way = draft.copy()
            self.write(event, way)
            if self.refine(asked, way, outcome):
                way.places[event.place] = KnownPlace("+") if outcome else NULL
                yield way

    def name_constant(self, event: e.Write, draft: CountDraft) -> None:
        """A local that is given a named constant: a later test may ask for another."""
        own, known, bare = event.place[0], self.function.declared, bare_value(event.value)
        if not isinstance(bare, r.Name) or event.op not in ("=", "init") or len(event.place) > 1:
            return
        constant = constant_of(bare)
        if constant and own in known and constant not in known:
            said = equals(own, constant)
            draft.tests = draft.tests - {(said, False)} | {(said, True)}

    @remembered
    def holds_bare(self, event: e.Write) -> bool:
        """Whether the local holds the bare reference, and does not own it."""
        written = event.type if event.fresh else self.function.locals.get(event.place[0], ("", None))[0]
        kind = types.parse(written)
        if kind.pointers or kind.is_placeholder or not written:
            return "&" not in written
        if kind.arguments:
            return False
        program, file, scope = self.function.program, self.function.file, self.function.record.scope
        expanded = types.parse(program.names.expand(written, file, scope))
        if expanded.pointers:
            return True
        if kind.last in ("int", "long", "bool", "Py_ssize_t", "size_t"):
            return True
        return self.references.is_pointer(written, self.function)

    def store(self, event: e.Write, draft: CountDraft, where: Place, one: Id | None, old: Id | None) -> None:
        """Into a place that others see: it has its own reference from now on, or takes ours."""
        if old is not None and old != one:
            held = draft.objects[old]
            if held.kind == "kept":
                draft.forget(old)  # moved out: the reference of the place is the function's now
            elif held.put >= 0 and held.owed >= 0:
                draft.forget(old)  # counted up: the place had a reference of its own
            elif held.put >= 0:
                draft.change(old, owed=held.owed + 1, put=-1)  # there for a while
        out = outs.led_to(bare_value(event.target), self.function)
        if one is not None:
            held = draft.objects[one]
            if out is not None and held.kind == "borrowed":
                pass  # whether it is counted up for the caller is known when the function is left
            elif held.kind == "new":
                self.ends.setdefault(self.site(one).index, set()).add(True)
                draft.change(one, owed=max(held.owed - 1, 0), stored=True)
            elif held.owed <= 0 and self.is_lasting(bare_value(event.target), where) and self.is_borrowed(held):
                draft.change(one, owed=held.owed - 1, put=event.index)
            else:
                draft.forget(one)
        draft.places.pop(where, None)
        if out is not None:
            if self.is_null(event.value):
                draft.places[out] = NULL
            else:
                draft.places[out] = one if one is not None and one in draft.objects else SOMETHING
        if one is not None and one in draft.objects and not isinstance(bare_value(event.target), r.Unary | r.Index):
            draft.places[where] = one
        elif one is None and isinstance(bare_value(event.value), r.Literal):
            self.write_other(draft, where, event.value)

    def overwrite(self, event: e.Write, draft: CountDraft, where: Place, old: Id) -> None:
        held = draft.objects[old]
        others = [place for place in draft.holders(old) if place != where]
        if held.kind == "new" and held.owed > 0 and not others and not held.stored and not held.pending:
            self.report("overwritten", draft, old, event, name=spelled(self.function, where))
            draft.forget(old)

    def read(self, event: e.Read, draft: CountDraft) -> None:
        where = event.place
        if len(where) == 1 and where[0] in self.macros:
            self.lose_named(draft, where[0])
        if (side := self.sides_read.get((event.node.start, event.node.end))) and draft.id_at(where) is not None:
            draft.places[_chosen_at(side[0])] = KnownPlace("+" if side[1] else "0")
        if id(event.node) in self.escaping and (put := draft.id_at(where)) is not None:
            draft.forget(put)
        if len(where) > 1 and isinstance(event.node, r.Member | r.Index):
            self.reach_into(event, draft, where)

    def reach_into(self, event: e.Read | e.Write, draft: CountDraft, where: Place) -> None:
        """`x->y`, `x[i]`: reads what `x` points to."""
        one = draft.id_at(where[:1])
        if one is None:
            known = draft.places.get(where[:1])
            if isinstance(known, KnownPlace) and "0" in known.signs:
                del draft.places[where[:1]]  # a way on which it is NULL ends here
            return
        dead = draft.is_dead(one)
        if dead >= 0:
            self.report("used after release", draft, one, event, None, dead, name=where[0])
            draft.forget(one)
        elif draft.objects[one].null == "maybe" and draft.objects[one].kind == "new":
            self.report("null used", draft, one, event, None, name=where[0])
            draft.change(one, null="no")

    def end(self, event: e.End, draft: CountDraft) -> None:
        ended = [event.place]
        if event.place[0] in self.arrays:
            ended = sorted(place for place in draft.places if place[0] == event.place[0])
        for place in ended:
            one = draft.id_at(place)
            draft.places.pop(place, None)
            if one is not None and not draft.is_named(one):
                self.settle(event, draft, one, spelled(self.function, place))

    def settle(self, event: Event, draft: CountDraft, one: Id, name: str = "") -> None:
        """Nobody holds it any more."""
        self.judge(event, draft, one, name)
        draft.forget(one)

    def judge(self, event: Event, draft: CountDraft, one: Id, name: str = "") -> None:
        """Whether one that nobody holds from here on was given up as it should be."""
        known = self.naming(draft, one)
        if known.on_its_way:
            return
        held = draft.objects[one]
        good = True
        if held.pending:
            pass
        elif held.owed > 0 and (held.kind in ("new", "borrowed") or self.is_too_many(held)):
            if not held.stored or held.raised >= 0:
                what: What = "leaked" if held.owed == 1 and held.taken < 0 else "surplus"
                if held.kind != "new" and (held.raised < 0 or (held.kind == "given" and not self.is_slot)):
                    what = "leaked"
                good = False
                said = name or self.given_first(held.raised) or known.name
                self.report(what, draft, one, event, None, held.raised, name=said)
        elif held.owed < 0 and held.put >= 0 and held.taken < 0 and held.freed < 0:
            putting = self.flow.events[held.put]
            self.report("stored borrowed", draft, one, putting, self.target_of(putting))
        elif held.owed < 0 and held.taken >= 0 and (held.kind != "given" or self.is_slot):
            taking = self.flow.events[held.taken]
            self.report("stolen borrowed", draft, one, taking, self.argument_of(taking, draft, one))
        self.ends.setdefault(self.site(one).index, set()).add(good)

    def target_of(self, putting: Event) -> r.Value | None:
        """Where an object is put by an assignment, or by a call that replaces what a place holds."""
        if isinstance(putting, e.CallEvent):
            replaced = self.replaced_by(putting.node)
            return putting.node.args[replaced[0]] if replaced is not None else None
        return putting.target if isinstance(putting, e.Write) else None

    def is_too_many(self, held: HeldReference) -> bool:
        """Whether an argument that is counted up is so for nobody: a function that no table names can take one
        reference for its caller, and not two."""
        return held.kind == "given" and (self.is_slot or held.owed > 1)

    def argument_of(self, event: Event, draft: CountDraft, one: Id) -> r.Value | None:
        if isinstance(event, e.CallEvent):
            for index, argument in self.arguments(event.node):
                if self.use(event, index) == "stolen":
                    return argument
        return None

    def leave(self, event: e.LeaveEvent, draft: CountDraft) -> None:
        self.lose_carried(draft, event.value)
        value = self.chosen(event.value, draft)
        if event.kind == "return" and draft.places.get(self.place(value) or ()) == _FAILED:
            self.asked(draft)  # who is told that it failed has not the object to release it
        one = self.id_of(draft, value) if event.kind == "return" else None
        if one is None and event.kind == "return" and self.returns_objects:
            one = self.kept_in(draft, value) if not _is_plain(value) else None
        if one is not None:
            dead = draft.is_dead(one)
            if dead >= 0:
                self.report("used after release", draft, one, event, value, dead)
                draft.forget(one)
                one = None
        self.drop_parts(event, draft, one)
        outs.give(self.function, draft)
        self.exits.append((draft.copy(), event, one))
        if event.kind == "return" and self.returns_objects:
            for other in self.answers(draft, value, one):
                self.give_back(event, draft, other)
        elif one is not None:
            self.ends.setdefault(self.site(one).index, set()).add(True)
            draft.forget(one)
        owing = sorted(draft.marked(OWING))
        spend(_STEPS_OF_JUDGING * len(owing))
        for other in owing:
            self.judge(event, draft, other)  # nothing is asked of this state any more: it need not forget them
        self.left.append(draft)

    def lose_carried(self, draft: CountDraft, value: r.Value | None) -> None:
        """A number that is made of a pointer carries the reference: `(uintptr_t)object | TAG`."""
        for inner in self.carrying_in(value):
            for side in (inner.left, inner.right):
                if (one := self.id_of(draft, side)) is not None:
                    draft.forget(one)

    @remembered
    def carrying_in(self, value: r.Value | None) -> tuple[r.Binary, ...]:
        return tuple(inner for inner in walk(value) if isinstance(inner, r.Binary) and inner.op in _CARRYING)

    def chosen(self, value: r.Value | None, draft: CountDraft) -> r.Value | None:
        """The side of `worked ? made : NULL` that is taken on this way, where it says so."""
        while isinstance(bare := bare_value(value), r.Conditional):
            then, other = self.were_read(bare, draft)
            if then is other:
                then, other = (self.refine(bare.condition, draft.copy(), outcome) for outcome in (True, False))
            if then is other:
                then, other = (self.may_have_run(side, draft) for side in (bare.then, bare.other))
            if then is other:
                break
            value = bare.then if then else bare.other
        return value

    def were_read(self, choice: r.Conditional, draft: CountDraft) -> tuple[bool, bool]:
        """Whether either side may have been read on this way: a side that is the name of an object leaves a mark."""
        mark = draft.places.get(_chosen_at(choice))
        if isinstance(mark, KnownPlace):
            return mark.signs == "+", mark.signs == "0"
        return self.leaves_no_mark(choice.then, draft), self.leaves_no_mark(choice.other, draft)

    def leaves_no_mark(self, side: r.Value, draft: CountDraft) -> bool:
        return not isinstance(bare_value(side), r.Name | r.Member) or self.id_of(draft, side) is None

    @cached_property
    def sides_read(self) -> dict[tuple[int, int], tuple[r.Conditional, bool]]:
        """By where it stands, a name that is one side of a conditional operator, and whether the condition holds."""
        return {
            (bare.start, bare.end): (choice, holds)
            for event in self.flow
            for choice in self.choices(event)
            for side, holds in ((choice.then, True), (choice.other, False))
            if isinstance(bare := bare_value(side), r.Name | r.Member)
        }

    def may_have_run(self, value: r.Value, draft: CountDraft) -> bool:
        """False for a call whose result would be known on this way, had it been called."""
        bare = bare_value(value)
        if not isinstance(bare, r.Call) or result_place(bare) in draft.places or id(bare) in self.escaping:
            return True
        if not isinstance(bare.callee, r.Name):
            return True  # a method may count up what it is called on, and give that
        return self.source(bare).call is not bare

    @cached_property
    def is_lender(self) -> bool:
        """Whether the function is declared to give no reference with what it answers."""
        return marks.is_lender(self.function)

    def answers(self, draft: CountDraft, value: r.Value | None, one: Id | None) -> list[Id]:
        """All objects that the value can be: both sides of `c ? a : b`."""
        found = [one] if one is not None else []
        sides = list(alternatives(value))
        for side in sides if len(sides) > 1 else ():
            if (other := self.id_of(draft, side) or self.kept_in(draft, side)) is not None and other not in found:
                found.append(other)
        return found

    def drop_parts(self, event: e.LeaveEvent, draft: CountDraft, returned: Id | None) -> None:
        """`return {x, 1};`: what is a part of the answer is the caller's."""
        for made in self.aggregates_in(event.value):
            self.lose_parts(made, draft)
            for item in made.items:
                if (one := self.id_of(draft, item)) is not None and one != returned:
                    draft.forget(one)
        for call in self.calls_in(event.value):
            if (one := draft.id_at(result_place(call))) is not None and one != returned:
                self.drop_result(call, draft)

    @remembered
    def aggregates_in(self, value: r.Value | None) -> tuple[r.Aggregate, ...]:
        return tuple(inner for inner in walk(value) if isinstance(inner, r.Aggregate))

    def give_back(self, event: e.LeaveEvent, draft: CountDraft, one: Id) -> None:
        held = draft.objects[one]
        counts = held.kind in ("new", "borrowed") or (held.kind == "given" and self.is_slot)
        counts = counts or (held.kind == "kept" and self.is_left_alone(draft, one))
        if held.owed > int(not self.is_lender) and not held.stored and counts:
            self.report("surplus", draft, one, event, event.value, held.raised)
            self.ends.setdefault(self.site(one).index, set()).add(False)
        elif held.owed <= 0 and self.is_slot and held.kind in ("borrowed", "given", "kept", "new"):
            because = held.taken if held.taken >= 0 else -1
            parts = [place for place in draft.holders(one) if len(place) > 1]
            if held.stored and parts and all(self.is_part_of_local(place) for place in parts):
                self.ends.setdefault(self.site(one).index, set()).add(True)  # it was lent to a struct of its own
            elif (not (held.stored and held.kind != "new") and held.null != "maybe") or held.kind == "borrowed":
                self.report("returned borrowed", draft, one, event, event.value, because)
        else:
            self.ends.setdefault(self.site(one).index, set()).add(True)
        draft.forget(one)

    def is_left_alone(self, draft: CountDraft, one: Id) -> bool:
        """Whether the places that others see have held the object all along, so that none of its counts is for them."""
        holders = draft.holders(one)
        seen = [place for place in holders if len(place) > 1 or place[0] not in self.function.declared]
        known = {place[-1] for place in seen}
        if not seen or any(
            self.is_seen_by_others(bare_value(write.target), write.place)
            and (write.place[-1] in known or self.place(write.value) in holders)
            for write in self.flow.writes
        ):
            return False
        roots = {place[:1] for place in seen}
        given = [
            (event, self.place(argument), self.use(event, index))
            for event in self.flow.calls
            for index, argument in self.arguments(event.node)
        ]
        changing = {event.index for event, where, use in given if where in roots and not use}
        return not any(
            changing & {later.index for later in self.flow.after(event)}
            for event, where, use in given
            if use == "retained" and where in seen
        )

    def summary(self) -> CountSummary:
        """What a caller sees; nothing where not every way was followed."""
        count = len(self.function.record.parameters)
        if not self.complete or not self.exits:
            return _UNKNOWN
        results: set[str] = set()
        lenders: set[int] = set()
        members: set[str] = set()
        made: set[str] = set()
        nullable = False
        uses: list[set[Use]] = [set() for _ in range(count)]
        for draft, leave, one in self.exits:
            if leave.kind == "throw":
                continue
            for number in range(count):
                if (use := self.seen(draft, number, one)) is not None:
                    uses[number].add(use)
            if one is not None:
                nullable = nullable or draft.objects[one].null != "no"
                results.add(self.answered(draft.objects[one]))
                lenders.add(self.lender(draft, one))
                members.add(self.member(draft, one))
                made.add(self.made(draft, one))
            elif self.answers_nothing(draft, self.chosen(leave.value, draft)):
                nullable = True
            else:
                results.add("?")
        _give_anew(results, uses)
        for number, seen in enumerate(uses):
            if seen in _TAKEN_OR_LENT and self.is_taken_on_success(number):
                uses[number] = {"stolen on success"}
        result = results.pop() if len(results) == 1 else "?"
        if result in ("borrowed", "?") and gives_up_reference(self.function):
            result, nullable = "new", False
        return CountSummary(
            result if result in ("new", "borrowed", "memory") else "",  # type: ignore[arg-type]
            nullable,
            tuple(one.pop() if len(one) == 1 else "" for one in uses),
            lenders.pop() if len(lenders) == 1 else -1,
            frozenset(number for number in range(count) if self.is_kept_at_an_exit((-2 - number, 0))),
            outs.filled(
                self.function,
                [(draft, self.signs(draft, leave, one)) for draft, leave, one in self.exits if leave.kind != "throw"],
                self.lender,
            ),
            members.pop() if len(members) == 1 else "",
            made.pop() if len(made) == 1 else "",
        )

    def is_taken_on_success(self, number: int) -> bool:
        """Whether an argument is taken over on the ways that answer 0, and on no other, each of which answers less."""
        for draft, leave, one in self.exits:
            use = self.seen(draft, number, one) if leave.kind != "throw" else None
            if use is not None and self.signs(draft.copy(), leave, one) != ("-" if use == "lent" else "0"):
                return False
        return True

    def is_kept_at_an_exit(self, given: Id) -> bool:
        return given in self.shared or any(
            given in draft.objects and self.is_shared(draft, given) for draft, _, _ in self.exits
        )

    def answers_nothing(self, draft: CountDraft, value: r.Value | None) -> bool:
        """Whether the value is NULL on this way, as it is written or as a test has said."""
        known = draft.places.get(self.place(value) or ())
        return isinstance(bare_value(value), r.Literal) or (isinstance(known, KnownPlace) and known.signs == "0")

    @staticmethod
    def answered(held: HeldReference) -> str:
        match held.kind:
            case "memory":
                return "memory"
            case _ if held.owed == 1:
                return "new"
            case "kept" | "borrowed" | "given" if held.owed == 0:
                return "given" if held.kind == "given" else "borrowed"
        return "?"

    def signs(self, draft: CountDraft, leave: e.LeaveEvent, one: Id | None) -> str:
        """The signs of what a way answers; empty where they are not known."""
        if one is not None:
            return "+" if draft.objects[one].null == "no" else ""
        where = ("%", "answer")
        self.write_other(draft, where, self.chosen(leave.value, draft))
        known = draft.places.pop(where, None)
        return known.signs if isinstance(known, KnownPlace) and len(known.signs) == 1 else ""

    @staticmethod
    def member(draft: CountDraft, one: Id) -> str:
        """The member from which the object was read, and which still holds it; empty where it is of elsewhere."""
        held = [place for place in draft.holders(one) if len(place) > 1 and place[0][:1] != "%"]
        return held[0][-1] if draft.objects[one].kind == "kept" and len(held) == 1 else ""

    def lender(self, draft: CountDraft, one: Id) -> int:
        """Which argument lends the object, itself or by what it lends; -1 where it is none."""
        for _ in range(4):
            held = draft.objects.get(one)
            if held is None or held.owner is None:
                return -1
            one = held.owner
            if -2 - len(self.function.record.parameters) < one[0] <= -2:
                return -2 - one[0]
        return -1

    def seen(self, draft: CountDraft, number: int, returned: Id | None) -> Use | None:
        """What has become of an argument on one way; None where it was NULL on that."""
        own = (-2 - number, 0)
        held, now = draft.objects.get(own), draft.places.get((self.function.record.parameters[number].name,))
        if held is None and isinstance(now, KnownPlace) and now.signs == "0":
            return None
        if held is None:
            return ""
        if returned == own:
            return "passed on" if held.owed == 0 else ""
        if held.owed == -1 and held.freed >= 0:
            return "released"
        if now != own:
            return ""
        return {0: "lent", -1: "stolen", 1: "retained"}.get(held.owed, "")  # type: ignore[return-value]


def _give_anew(results: set[str], uses: list[set[Use]]) -> None:
    """Who answers with its argument on some ways, and gives that up on all others for a new reference, has taken it
    over and answers with a new one."""
    passing = [use for use in uses if "passed on" in use]
    if results == {"given", "new"} and len(passing) == 1 and passing[0] <= {"passed on", "released", "stolen"}:
        results.remove("given")
        passing[0].clear()
        passing[0].add("stolen")


def _is_plain(value: r.Value | None) -> bool:
    """A cast to what is no pointer: `(Py_ssize_t)group->count`."""
    return isinstance(value, r.Cast) and not types.parse(value.type).pointers


def _met(states: list[CountState], before: Sequence[CountState]) -> Iterable[CountState]:
    return without_idle_tests(
        states,
        lambda one: ((one.places, one.objects, one.loose), one.tests),
        lambda one, said: one._replace(tests=frozenset(test for test in one.tests if test[0] != said)),
    )


def _in_order(states: list[CountState]) -> list[CountState]:
    spend(sum(len(one.places.entries) + len(one.objects.entries) for one in states) // _ENTRIES_A_STEP)
    return sorted(states, key=_order)


def _order(state: CountState) -> tuple[object, ...]:
    return state.places.shown(), state.objects.shown()


def _chosen_at(choice: r.Conditional) -> Place:
    """Where it is kept which side of a conditional operator has been read."""
    return "%", f"side {choice.start}"
