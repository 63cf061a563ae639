"""Who owns which counted reference at each point of a function: every way through it is followed, with what tests say.

Ways that know the same are one; of those that come to one event a bounded number is followed, so what is found was
seen on a way that exists, and what is not found may have been on one that was not followed. What a single call does
with a reference is `references`' answer, how one way sees the objects is `counts`.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.program import events as e
from ownlint.program import types
from ownlint.program.assignments import place as named_place
from ownlint.program.counts import NULL, Draft, Held, Id, Known, State
from ownlint.program.events import Event
from ownlint.program.once import per_function
from ownlint.program.places import Place, last_name, render, strip, walk
from ownlint.program.references import Use, alternatives, arguments, format_letters, may_count, references
from ownlint.program.slot_tables import is_slot
from ownlint.program.subjects import Function

_MOST_STATES = 48
"""So many ways that know different things are followed through one event."""
_MOST_EVENTS = 6_000
_MOST_STEPS = 60_000
_MOST_REFERENCES = 3
_DEEPEST = 3
"""So deep are the project's own functions looked into."""

What = Literal[
    "leaked",  # a way out, or the end of the variable's life, with a reference that the function owes
    "overwritten",  # the only place that held it gets another value
    "surplus",  # handed on with one reference too many
    "released borrowed",
    "released given",  # after somebody took it over
    "released twice",
    "stolen borrowed",
    "returned borrowed",
    "used after release",
    "null used",
]


class Trouble(NamedTuple):
    what: What
    name: str
    """The place, or the call, as a user writes it."""
    site: Event
    """Where the object comes from; the entry for an argument."""
    at: Event
    """Where it goes wrong."""
    because: Event | None = None
    """Where it was released, taken over or lent."""
    where: r.Value | None = None
    """The expression at `at` that it is about."""
    always: bool = False
    """Every way out that has the object goes wrong like this."""


class Summary(NamedTuple):
    """What a caller sees of a function of the project."""

    result: Literal["new", "borrowed", ""]
    nullable: bool
    arguments: tuple[Use, ...]


_BY_WAY = frozenset({"leaked", "surplus", "null used"})
"""What is told by the way that leads there."""
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SMALL = {"0": 0, "1": 1, "-1": -1}
_SIGNS = {"-": -1, "0": 0, "+": 1}

_UNKNOWN = Summary("", True, ())


@per_function
def troubles(function: Function) -> tuple[Trouble, ...]:
    """What goes wrong with counted references in the function, in source order."""
    if function.language != "cpp" or not (may_count(function) or is_slot(function)):
        return ()
    found = Counting(function, 0).run()
    return tuple(sorted(found, key=lambda one: (one.at.span, one.what, one.name)))


@per_function
def summary(function: Function) -> Summary:
    return _summary(function, 1)


def _summary(function: Function, depth: int) -> Summary:
    known = function.known.get("references")
    if isinstance(known, Summary):
        return known
    if depth > _DEEPEST or function.language != "cpp":
        return _UNKNOWN
    function.known["references"] = _UNKNOWN  # of one that calls itself nothing is known
    counting = Counting(function, depth)
    counting.run()
    found = counting.summary()
    function.known["references"] = found
    return found


class Counting:
    """The walk over one function."""

    def __init__(self, function: Function, depth: int) -> None:
        self.function = function
        self.depth = depth
        self.flow = function.flow
        self.references = references(function.program)
        self.found: dict[tuple[object, ...], Trouble] = {}
        self.exits: list[tuple[Draft, e.Leave, Id | None]] = []
        self.ends: dict[int, set[bool]] = {}
        """By site whether ways out with its object were good."""
        self.complete = True
        self.is_slot = is_slot(function)

    # --- the walk ---

    def run(self) -> list[Trouble]:
        if len(self.flow.events) > _MOST_EVENTS:
            self.complete = False
            return []
        states: dict[int, set[State]] = {self.flow.entry: {self.start()}}
        queue, pending, steps = [self.flow.entry], {self.flow.entry}, 0
        done: dict[int, set[State]] = {}
        while queue:
            current = heapq.heappop(queue)
            pending.discard(current)
            fresh = states.get(current, set()) - done.setdefault(current, set())
            done[current] |= fresh
            event = self.flow.events[current]
            for state in sorted(fresh, key=_order):
                steps += 1
                for target, after in self.step(event, state):
                    known = states.setdefault(target, set())
                    if after in known:
                        continue
                    if len(known) >= _MOST_STATES or steps > _MOST_STEPS:
                        self.complete = False
                        continue
                    known.add(after)
                    if target not in pending:
                        pending.add(target)
                        heapq.heappush(queue, target)
        jumps = self.jumps_in_macros
        return [self.judged(one) for one in self.found.values() if not jumps or one.what not in _BY_WAY]

    @cached_property
    def jumps_in_macros(self) -> bool:
        """Whether a macro of the project hides a `goto`: where that leads is not known."""
        named = self.function.program.macros_named
        return any("goto" in macro.body for name in self.macros for macro in named(name))

    def judged(self, one: Trouble) -> Trouble:
        if one.what not in ("leaked", "surplus"):
            return one
        return one._replace(always=self.complete and self.ends.get(one.site.index) == {False})

    def start(self) -> State:
        draft = Draft(State())
        for number, parameter in enumerate(self.function.record.parameters):
            written = parameter.type
            if "&" not in written and (self.references.is_pointer(written, self.function) or self.is_own(written)):
                draft.places[(parameter.name,)] = draft.begin(-2 - number, Held("given", 0, "no"))
        return draft.state()

    def is_own(self, written: str) -> bool:
        """`Thing* self` of a function in a table of slots."""
        return self.is_slot and types.parse(written).pointers == 1 and types.parse(written).last not in ("void", "char")

    def step(self, event: Event, state: State) -> Iterator[tuple[int, State]]:
        edges = self.flow.successors[event.index]
        if isinstance(event, e.Test):
            for target, outcome in edges:
                for draft in self.decided(event, Draft(state), outcome):
                    yield target, draft.state()
            return
        asks = isinstance(event, e.Call) and self.leaves_on_error(event.node)
        for draft in self.passed(event, Draft(state)):
            after = draft.state()
            for target, _ in edges:
                yield target, self.settled(draft, self.flow.events[target]).state() if asks else after

    def leaves_on_error(self, call: r.Call) -> bool:
        """A macro that leaves where an error is pending, and is not told about a value: `RETURN_IF_ERROR();`."""
        if self.function.program.role(last_name(call.callee)) != "return on failure":
            return False
        said = [inner for argument in call.args for inner in walk(argument)]
        return not any(
            isinstance(inner, r.Call) or (isinstance(inner, r.Name) and inner.text in self.function.declared)
            for inner in said
        )

    @staticmethod
    def settled(draft: Draft, then: Event) -> Draft:
        """Behind such a macro: what has answered is there, or it has left because something did not."""
        way = draft.copy()
        for one, held in list(way.objects.items()):
            if isinstance(then, e.Leave) and held.null in ("maybe", "unknown") and held.kind == "new":
                way.make_null(one)
            elif held.null != "no":
                way.change(one, null="no")
        return way

    def passed(self, event: Event, draft: Draft) -> list[Draft]:
        match event:
            case e.Call():
                return self.call(event, draft)
            case e.Write():
                self.write(event, draft)
            case e.Read():
                self.read(event, draft)
            case e.End():
                self.end(event, draft)
            case e.Leave():
                self.leave(event, draft)
                return []
            case e.Opaque():
                for name in event.names:
                    self.lose(draft, (name,))
        return [draft]

    # --- values ---

    def place(self, value: r.Value | None) -> Place | None:
        value = _bare(value)
        if isinstance(value, r.Call):
            return ("%", str(value.start), str(value.end))
        if isinstance(value, r.Assign):
            value = value.target
        if isinstance(value, r.Unary) and value.op == "*":
            return None
        return named_place(self.function, value)

    def id_of(self, draft: Draft, value: r.Value | None) -> Id | None:
        """The object that the value is, on this way."""
        for one in alternatives(value):
            bare = _bare(one)
            if isinstance(bare, r.Unary) and bare.op == "&":
                continue
            where = self.place(bare)
            if (found := draft.id_at(where)) is not None:
                return found
            if isinstance(bare, r.Call) and self.is_view_of_handle(bare):
                assert isinstance(bare.callee, r.Member)
                return self.id_of(draft, bare.callee.base)
        return None

    def is_view_of_handle(self, call: r.Call) -> bool:
        """`h.ptr()` of a handle is what the handle is."""
        if not isinstance(call.callee, r.Member) or call.args:
            return False
        model = self.references.model(call, self.function)
        return model is not None and (model.has("borrow", "result") or model.has("returns", "receiver"))

    def is_seen_by_others(self, target: r.Value | None, where: Place) -> bool:
        """Whether the place outlives the function, or belongs to more than a plain local."""
        if isinstance(target, r.Unary | r.Index | r.Member):
            return True
        root = where[0]
        return len(where) > 1 or root not in self.function.declared or root in self.statics or root in self.outs

    @cached_property
    def statics(self) -> frozenset[str]:
        return frozenset(
            name for one in self.function.statements if isinstance(one, r.Declare) and one.static for name in one.names
        )

    @cached_property
    def outs(self) -> frozenset[str]:
        """Parameters by reference."""
        return frozenset(p.name for p in self.function.record.parameters if "&" in p.type)

    def lose(self, draft: Draft, place: Place) -> None:
        one = draft.id_at(place)
        if one is not None:
            draft.forget(one)
        draft.places.pop(place, None)

    def name_of(self, draft: Draft, one: Id, value: r.Value | None = None) -> str:
        bare = _bare(value)
        if isinstance(bare, r.Name | r.Member):
            return text(bare)
        named = sorted(render(p) for p, v in draft.places.items() if v == one and p[0] != "%")
        if named:
            return named[0]
        event = self.site(one)
        return f"{last_name(event.node.callee)}(…)" if isinstance(event, e.Call) else "it"

    def site(self, one: Id) -> Event:
        return self.flow.events[one[0]] if one[0] >= 0 else self.flow.events[self.flow.entry]

    def report(
        self,
        what: What,
        draft: Draft,
        one: Id,
        at: Event,
        value: r.Value | None = None,
        because: int = -1,
        name: str = "",
    ) -> None:
        site = self.site(one)
        reason = self.flow.events[because] if because >= 0 else None
        said = name or self.name_of(draft, one, value)
        self.found.setdefault((what, one[0], at.index), Trouble(what, said, site, at, reason, value))

    # --- calls ---

    def call(self, event: e.Call, draft: Draft) -> list[Draft]:
        call = event.node
        if call.kind == "delete":
            return [draft]
        if (macro := last_name(call.callee)) in self.macros:
            self.lose_named(draft, macro)
        self.look_at(event, draft)
        ways = [draft]
        given = [
            (index, argument, one)
            for index, argument in arguments(call)
            if (one := self.id_of(draft, argument) or self.counted_place(event, draft, index, argument)) is not None
        ]
        for index, argument, one in given:
            if one in draft.objects:
                ways += self.give(event, draft, index, argument, one)
        self.constants_given(event, draft)
        self.replace(event, draft)
        ways = [another for one_way in ways for another in self.through_addresses(event, one_way)]
        for one_way in ways:
            self.by_receiver(event, one_way)
            self.hand_out(event, one_way)
            self.drop_arguments(call, one_way)
            if event.dropped:
                self.drop_result(call, one_way)
        return ways

    def counted_place(self, event: e.Call, draft: Draft, index: int, argument: r.Value) -> Id | None:
        """A member or a global that is counted up."""
        if self.references.use(event.node, index, self.function) != "retained":
            return None
        return self.kept_in(draft, argument)

    def kept_in(self, draft: Draft, value: r.Value | None) -> Id | None:
        """The object in a place that others see, which has a reference of its own."""
        bare = _bare(value)
        if not isinstance(bare, r.Name | r.Member):
            return None
        where = self.place(bare)
        if where is None or where in draft.places or not self.is_seen_by_others(bare, where):
            return None
        if (
            where[0] in self.function.declared
            and not types.parse(self.function.locals.get(where[0], ("",))[0]).pointers
        ):
            return None  # a member of a local struct, an element of a local array
        if isinstance(bare, r.Name) and not (self.function.program.is_variable(bare.text) or len(where) > 1):
            if self.references.source(bare, self.function).kind != "borrowed":
                return None
            where = ("%object", bare.text)
            if (known := draft.id_at(where)) is not None:
                return known
        one = draft.begin(-1000 - bare.start, Held("kept", 0, "unknown"))
        draft.places[where] = one
        return one

    def look_at(self, event: e.Call, draft: Draft) -> None:
        """Arguments that are gone, or that may be NULL where nobody has looked."""
        call = event.node
        model = self.references.model(call, self.function)
        for index, argument in arguments(call):
            one = self.id_of(draft, argument)
            if one is None:
                continue
            held = draft.objects[one]
            use = self.references.use(call, index, self.function)
            dead = draft.is_dead(one)
            if dead >= 0:
                if held.dead >= 0 and use == "released":
                    self.report("released twice", draft, one, event, argument, held.dead)
                else:
                    self.report("used after release", draft, one, event, argument, dead)
                draft.forget(one)
            elif held.null == "maybe" and model is not None and model.has("needs", f"argument {index + 1}"):
                self.report("null used", draft, one, event, argument)
                draft.change(one, null="no")
        for index, argument in arguments(call):
            where = self.place(argument)
            known = draft.places.get(where) if where is not None else None
            if not isinstance(known, Known) or known.signs != "0" or where is None:
                continue
            use = self.references.use(call, index, self.function)
            if use not in ("released", "retained"):
                draft.places.pop(where)  # had it been NULL, the call would have failed
                if not known.exact:
                    continue
            if model is not None and model.has("needs", f"argument {index + 1}"):
                self.found.setdefault(
                    ("null used", where, event.index),
                    Trouble("null used", text(argument), event, event, None, argument),
                )

    def give(self, event: e.Call, draft: Draft, index: int, argument: r.Value, one: Id) -> list[Draft]:
        """What the call does with one object; the other ways that it opens."""
        use, call = self.use(event, index), event.node
        held = draft.objects[one]
        match use:
            case "released":
                self.release(event, draft, argument, one)
            case "retained":
                if held.count >= _MOST_REFERENCES:
                    draft.forget(one)
                else:
                    draft.change(one, count=held.count + 1, raised=event.index)
            case "stolen":
                self.steal(event, draft, argument, one)
            case "stolen on success":
                failed = draft.copy()
                failed.change(one, pending=True)
                failed.places[_result(call)] = Known("-")
                self.steal(event, draft, argument, one)
                draft.places[_result(call)] = NULL
                return [failed]
            case "lent":
                self.lend(event, draft, index, one)
            case "passed on":
                if not self.model_has(call, "retain", index):
                    draft.places[_result(call)] = one
                elif held.count < _MOST_REFERENCES:
                    draft.change(one, count=held.count + 1, raised=event.index)
                    draft.places[_result(call)] = one
            case "borrowed by an owner":
                pass
            case _:
                draft.forget(one)
        return []

    def use(self, event: e.Call, index: int) -> Use:
        use = self.references.use(event.node, index, self.function)
        if use or event.node.kind != "call":
            return use
        callee = self.function.program.callee(event.node, self.function)
        if len(callee.functions) != 1 or callee.certainty == "possible":
            return ""
        found = _summary(callee.functions[0], self.depth + 1).arguments
        return found[index] if index < len(found) else ""

    def model_has(self, call: r.Call, verb: str, index: int) -> bool:
        model = self.references.model(call, self.function)
        return model is not None and any(
            effect.verb == verb and effect.place is not None and effect.place.index == index for effect in model.effects
        )

    def release(self, event: e.Call, draft: Draft, argument: r.Value, one: Id) -> None:
        held = draft.objects[one]
        where = self.place(argument)
        clears = self.model_has(event.node, "clear", 0)
        if where is not None and self.is_seen_by_others(_bare(argument), where) and where[0] != "%":
            draft.forget(one)  # the place's own reference
        elif held.count > 0:
            draft.change(one, count=held.count - 1)
            self.ends.setdefault(self.site(one).index, set()).add(True)
            if held.count == 1 and held.kind == "new" and not held.stored:
                draft.change(one, freed=event.index, dead=-1 if one in self.shared else event.index)
        elif held.taken >= 0:
            self.report("released given", draft, one, event, argument, held.taken)
            draft.forget(one)
        elif held.freed >= 0 and not held.stored:
            self.report("released twice", draft, one, event, argument, held.freed)
            draft.forget(one)
        elif held.kind == "borrowed":
            self.report("released borrowed", draft, one, event, argument, one[0])
            draft.forget(one)
        elif held.kind == "given":
            if self.is_slot:
                self.report("released borrowed", draft, one, event, argument)
            draft.change(one, count=held.count - 1)
        else:
            draft.forget(one)
        if clears and where is not None:
            draft.places[where] = NULL

    def steal(self, event: e.Call, draft: Draft, argument: r.Value, one: Id) -> None:
        held = draft.objects[one]
        if held.kind == "kept" or held.stored:
            draft.forget(one)
            return
        self.ends.setdefault(self.site(one).index, set()).add(True)
        draft.change(one, count=held.count - 1, taken=event.index, owner=self.container(event, draft))

    def container(self, event: e.Call, draft: Draft) -> Id | None:
        model = self.references.model(event.node, self.function)
        for effect in model.effects if model is not None else ():
            if effect.verb == "adopt" and effect.other is not None and 0 <= effect.other.index < len(event.node.args):
                return self.id_of(draft, event.node.args[effect.other.index])
        return None

    def replace(self, event: e.Call, draft: Draft) -> None:
        """What stood in a container where something is put now may have been taken out."""
        into = self.container(event, draft)
        for other, lent in list(draft.objects.items()):
            if into is not None and lent.owner == into and lent.kind == "borrowed" and lent.taken < 0:
                draft.forget(other)

    def constants_given(self, event: e.Call, draft: Draft) -> None:
        """A library's own object that is given to who steals: `PyTuple_SET_ITEM(t, 0, NONE)`, settled by a count up."""
        for index, argument in arguments(event.node):
            bare = _bare(argument)
            if not isinstance(bare, r.Name) or self.references.source(bare, self.function).kind != "borrowed":
                continue
            where = ("%object", bare.text)
            one = draft.id_at(where)
            if one is None:
                one = draft.begin(event.index, Held("borrowed", 0, "no"))
                draft.places[where] = one
            match self.use(event, index):
                case "stolen":
                    self.steal(event, draft, argument, one)
                case "retained":
                    draft.change(one, count=min(draft.objects[one].count + 1, 2))
                case "lent":
                    pass
                case _:
                    draft.forget(one)

    def lend(self, event: e.Call, draft: Draft, index: int, one: Id) -> None:
        """The callee only looks, unless it keeps a reference of its own, or what it makes does."""
        model = self.references.model(event.node, self.function)
        if model is None or model.has("keep") or model.has("acquire", "result"):
            draft.change(one, stored=draft.objects[one].stored, null="unknown")
            self.shared.add(one)

    @cached_property
    def shared(self) -> set[Id]:
        """Objects that somebody else may keep alive."""
        return set()

    def by_receiver(self, event: e.Call, draft: Draft) -> None:
        """`h.dec_ref()`, `h.inc_ref()`, `h.release()` of a handle."""
        callee = event.node.callee
        if not isinstance(callee, r.Member):
            return
        one = self.id_of(draft, callee.base)
        if one is None:
            return
        model = self.references.model(event.node, self.function)
        if model is None:
            draft.forget(one)
        elif model.has("release", "receiver"):
            self.release(event, draft, callee.base, one)
        elif model.has("retain", "receiver"):
            draft.change(one, count=draft.objects[one].count + 1, raised=event.index)
        if one in draft.objects and model is not None and model.has("returns", "receiver"):
            draft.places[_result(event.node)] = one

    def through_addresses(self, event: e.Call, draft: Draft) -> list[Draft]:
        """`&x` among the arguments: what the callee writes there. One way for each answer that says whether it did."""
        ways = [draft]
        call = event.node
        model = self.references.model(call, self.function)
        letters = format_letters(call, model) if model is not None and model.format_lends else None
        lends = model.format_lends if model is not None else ""
        for index, argument in enumerate(call.args):
            bare = strip(argument)
            if not isinstance(bare, r.Unary) or bare.op != "&":
                continue
            where = named_place(self.function, bare.value)
            if where is None or where[0] not in self.function.declared:
                continue
            if model is not None and model.counted and model.has("acquire", f"argument {index + 1}"):
                self.lose_old(draft, where)
                if model.has("may fail"):
                    ways += self.without(event, draft, where, model.nullable)
                one = draft.begin(event.index, Held("new", 1, "unknown"))
                draft.places[where] = one
                self.shared.add(one)
            elif model is not None and model.counted and model.has("borrow", f"argument {index + 1}"):
                self.lose(draft, where)
                draft.places[where] = draft.begin(event.index, Held("borrowed", 0, "no"))
            elif letters is not None and letters.get(index, "?") in lends:
                draft.places.pop(where, None)
                draft.places[where] = draft.begin(event.index, Held("borrowed", 0, "unknown"))
            else:
                self.lose(draft, where)
        return ways

    def without(self, event: e.Call, draft: Draft, where: Place, nullable: bool) -> list[Draft]:
        """The ways on which the callee has nothing to write; `draft` is left with that on which it has."""
        answer = _result(event.node)
        others = (("-", False), ("0", not nullable))
        ways = []
        for sign, filled in others:
            way = draft.copy()
            way.places[answer] = Known(sign)
            way.places[where] = way.begin(event.index, Held("new", 1, "no")) if filled else NULL
            ways.append(way)
        draft.places[answer] = Known("+")
        return ways

    def lose_old(self, draft: Draft, where: Place) -> None:
        """The variable is written to: what it held before has been settled, or is nobody's business."""
        self.lose(draft, where)

    def hand_out(self, event: e.Call, draft: Draft) -> None:
        where = _result(event.node)
        if where in draft.places or id(event.node) in self.escaping:
            return
        source = self.references.source(event.node, self.function)
        if source.call is not event.node or source.model is None:
            self.by_summary(event, draft, where)
            return
        null = "maybe" if source.model.nullable else "no"
        if source.kind == "new":
            if source.model.has("retain", "argument 1") or source.model.has("retain", "receiver"):
                return
            one = draft.begin(event.index, Held("new", 1, null))  # type: ignore[arg-type]
            if source.model.has("keep", "result"):
                self.shared.add(one)
        elif source.kind == "borrowed":
            owner = self.id_of(draft, source.owner) or self.unknown_in(event, draft, source.owner)
            one = draft.begin(event.index, Held("borrowed", 0, null, owner))  # type: ignore[arg-type]
        else:
            return
        draft.places[where] = one

    def unknown_in(self, event: e.Call, draft: Draft, value: r.Value | None) -> Id | None:
        """Somebody else's object in a local: that it is one and the same is all that is known."""
        where = self.place(value)
        if where is None or where[0] == "%" or where in draft.places:
            return None
        one = draft.begin(-1_000_000 - event.index, Held("kept", 0, "unknown"))
        draft.places[where] = one
        return one

    def by_summary(self, event: e.Call, draft: Draft, where: Place) -> None:
        """What a function of the project hands out, or memory of an object."""
        model = self.references.model(event.node, self.function)
        if model is not None:
            for effect in model.effects:
                if effect.verb == "borrow" and str(effect.place) == "result" and effect.other is not None:
                    index = effect.other.index
                    owner = self.id_of(draft, event.node.args[index]) if 0 <= index < len(event.node.args) else None
                    if owner is not None and not model.counted and model.keeps is None:
                        draft.places[where] = draft.begin(event.index, Held("memory", 0, "unknown", owner))
            return
        if event.node.kind != "call":
            return
        callee = self.function.program.callee(event.node, self.function)
        if len(callee.functions) != 1 or callee.certainty == "possible" or callee.functions[0] is self.function:
            return
        made = callee.functions[0]
        if not (may_count(made) or made.is_short) or not self.references.is_pointer(made.record.result, made):
            return
        found = _summary(made, self.depth + 1)
        if found.result == "new":
            draft.places[where] = draft.begin(event.index, Held("new", 1, "maybe" if found.nullable else "no"))
        elif found.result == "borrowed":
            draft.places[where] = draft.begin(event.index, Held("borrowed", 0, "unknown"))

    def drop_arguments(self, call: r.Call, draft: Draft) -> None:
        """The results that were arguments of this call have no name from now on."""
        for _, argument in arguments(call):
            bare = _bare(argument)
            if isinstance(bare, r.Call):
                self.drop_result(bare, draft)
        if isinstance(call.callee, r.Member) and isinstance(_bare(call.callee.base), r.Call):
            inner = _bare(call.callee.base)
            assert isinstance(inner, r.Call)
            self.drop_result(inner, draft)

    def drop_result(self, call: r.Call, draft: Draft) -> None:
        """One that nobody holds is the subject of another rule: it was never held."""
        where = _result(call)
        one = draft.id_at(where)
        draft.places.pop(where, None)
        if one is not None and not draft.is_named(one) and draft.objects[one].owner is None:
            if not any(held.owner == one for held in draft.objects.values()):
                draft.forget(one)

    # --- places ---

    def write(self, event: e.Write, draft: Draft) -> None:
        self.forget_tests(draft, event.place[0])
        where, target = event.place, _bare(event.target)
        value = event.value
        one = self.id_of(draft, value) if value is not None and event.op in ("=", "init") else None
        sees = not event.fresh and self.is_seen_by_others(target, where)
        old = draft.id_at(where)
        if event.type in self.macros:
            self.lose_named(draft, event.type)  # `APPEND_CHUNK` on a line of its own, and an assignment on the next
            old = None
        elif event.fresh and not self.holds_bare(event):
            if one is not None:
                draft.forget(one)
            self.drop_results(draft, value)
            return
        if sees:
            self.store(event, draft, where, one, old)
            self.drop_results(draft, value)
            return
        if old is not None and old != one:
            self.overwrite(event, draft, where, old)
        draft.places.pop(where, None)
        if one is not None:
            draft.places[where] = one
        else:
            self.write_other(draft, where, value)
        self.drop_results(draft, value)

    def drop_results(self, draft: Draft, value: r.Value | None) -> None:
        """Of what the calls in an expression handed out, what nobody holds now went somewhere that is not looked at."""
        for inner in walk(value):
            if isinstance(inner, r.Call) and (where := _result(inner)) in draft.places:
                one = draft.id_at(where)
                del draft.places[where]
                if one is not None and not draft.is_named(one) and all(h.owner != one for h in draft.objects.values()):
                    if not draft.objects[one].stored and draft.objects[one].taken < 0:
                        draft.forget(one)

    def holds_bare(self, event: e.Write) -> bool:
        """Whether the local that begins holds the bare reference, and does not own it."""
        kind = types.parse(event.type)
        if kind.pointers or kind.is_placeholder or not event.type:
            return "&" not in event.type
        if kind.arguments:
            return False
        program, file, scope = self.function.program, self.function.file, self.function.record.scope
        expanded = types.parse(program.expand(event.type, file, scope))
        if expanded.pointers:
            return True
        if types.parse(event.type).last in ("int", "long", "bool", "Py_ssize_t", "size_t"):
            return True
        return self.references.is_pointer(event.type, self.function)

    def write_other(self, draft: Draft, where: Place, value: r.Value | None) -> None:
        bare = _bare(value)
        match bare:
            case r.Literal(kind="null"):
                draft.places[where] = NULL
            case r.Literal(kind="int" | "bool", text=said):
                draft.places[where] = NULL if said in ("0", "false") else Known("+", said == "1")
            case r.Unary(op="-", value=r.Literal(kind="int")):
                draft.places[where] = Known("-")
            case r.Call():
                known = draft.places.get(_result(bare))
                if isinstance(known, Known):
                    draft.places[where] = known
            case r.Name() | r.Member():
                source = self.place(bare)
                known = draft.places.get(source) if source is not None else None
                if isinstance(known, Known):
                    draft.places[where] = known
                elif source is not None and self.is_seen_by_others(bare, source):
                    one = self.kept_in(draft, bare)
                    if one is not None:
                        draft.places[where] = one

    def store(self, event: e.Write, draft: Draft, where: Place, one: Id | None, old: Id | None) -> None:
        """Into a place that others see: it has its own reference from now on, or takes ours."""
        if old is not None and old != one:
            held = draft.objects[old]
            if held.kind == "kept":
                draft.forget(old)  # moved out: the reference of the place is the function's now
        if one is not None:
            held = draft.objects[one]
            if held.kind == "new":
                self.ends.setdefault(self.site(one).index, set()).add(True)
                draft.change(one, count=max(held.count - 1, 0), stored=True)
            else:
                draft.forget(one)
        draft.places.pop(where, None)
        if one is not None and one in draft.objects and not isinstance(_bare(event.target), r.Unary | r.Index):
            draft.places[where] = one
        elif one is None and isinstance(_bare(event.value), r.Literal):
            self.write_other(draft, where, event.value)

    def overwrite(self, event: e.Write, draft: Draft, where: Place, old: Id) -> None:
        held = draft.objects[old]
        others = [place for place, value in draft.places.items() if value == old and place != where]
        if held.kind == "new" and held.count > 0 and not others and not held.stored and not held.pending:
            self.report("overwritten", draft, old, event, name=render(where))
            draft.forget(old)

    @cached_property
    def escaping(self) -> frozenset[int]:
        """What is assigned to somewhere that has no name, by the identity of the value: `*(T**)(base + offset) = x`."""
        return frozenset(
            id(_bare(inner.value))
            for statement in self.function.statements
            if isinstance(statement, r.Evaluate)
            for inner in walk(statement.value)
            if isinstance(inner, r.Assign) and inner.op == "=" and named_place(self.function, inner.target) is None
        )

    @cached_property
    def macros(self) -> dict[str, frozenset[str]]:
        """The project's macros that are statements of their own, and the names in their bodies."""
        found: dict[str, frozenset[str]] = {}
        said = {event.type for event in self.flow.writes if event.fresh}
        said |= {
            event.place[0] for event in self.flow.of(e.Read) if isinstance(event, e.Read) and len(event.place) == 1
        }
        said |= {last_name(call.node.callee) for call in self.flow.calls}
        for name in said:
            if bodies := self.function.program.macros_named(name):
                found[name] = frozenset(word for macro in bodies for word in re.findall(r"\w+", macro.body))
        return found

    def lose_named(self, draft: Draft, macro: str) -> None:
        for name in sorted(self.macros[macro] & self.function.declared):
            self.lose(draft, (name,))

    def read(self, event: e.Read, draft: Draft) -> None:
        where = event.place
        if len(where) == 1 and where[0] in self.macros:
            self.lose_named(draft, where[0])
        if id(event.node) in self.escaping and (put := draft.id_at(where)) is not None:
            draft.forget(put)
        if len(where) < 2:
            return
        one = draft.id_at(where[:1])
        if one is None or not isinstance(event.node, r.Member | r.Index):
            return
        dead = draft.is_dead(one)
        if dead >= 0:
            self.report("used after release", draft, one, event, None, dead, name=where[0])
            draft.forget(one)
        elif draft.objects[one].null == "maybe" and draft.objects[one].kind == "new":
            self.report("null used", draft, one, event, None, name=where[0])
            draft.change(one, null="no")

    def end(self, event: e.End, draft: Draft) -> None:
        one = draft.id_at(event.place)
        draft.places.pop(event.place, None)
        if one is None or draft.is_named(one):
            return
        self.settle(event, draft, one, render(event.place))

    def settle(self, event: Event, draft: Draft, one: Id, name: str = "") -> None:
        """Nobody holds it any more."""
        held = draft.objects[one]
        good = True
        if held.pending:
            pass
        elif held.count > 0 and (held.kind in ("new", "borrowed") or (held.kind == "given" and self.is_slot)):
            if not held.stored or held.raised >= 0:
                what: What = "leaked" if held.count == 1 and held.taken < 0 else "surplus"
                if held.kind != "new" and held.raised < 0:
                    what = "leaked"
                good = False
                self.report(what, draft, one, event, None, held.raised, name=name)
        elif held.count < 0 and held.taken >= 0 and (held.kind != "given" or self.is_slot):
            taking = self.flow.events[held.taken]
            self.report("stolen borrowed", draft, one, taking, self.argument_of(taking, draft, one))
        self.ends.setdefault(self.site(one).index, set()).add(good)
        draft.forget(one)

    def argument_of(self, event: Event, draft: Draft, one: Id) -> r.Value | None:
        if isinstance(event, e.Call):
            for index, argument in arguments(event.node):
                if self.use(event, index) == "stolen":
                    return argument
        return None

    # --- ways out ---

    def leave(self, event: e.Leave, draft: Draft) -> None:
        one = self.id_of(draft, event.value) if event.kind == "return" else None
        if one is None and event.kind == "return" and self.returns_objects:
            one = self.kept_in(draft, event.value)
        if one is not None:
            dead = draft.is_dead(one)
            if dead >= 0:
                self.report("used after release", draft, one, event, event.value, dead)
                draft.forget(one)
                one = None
        self.drop_parts(event, draft, one)
        self.exits.append((draft.copy(), event, one))
        if one is not None and self.returns_objects:
            self.give_back(event, draft, one)
        elif one is not None:
            draft.forget(one)
        for other in sorted(draft.objects):
            if other in draft.objects:
                self.settle(event, draft, other)

    def drop_parts(self, event: e.Leave, draft: Draft, returned: Id | None) -> None:
        """`return {x, 1};`: what is a part of the answer is the caller's."""
        for inner in walk(event.value):
            if isinstance(inner, r.Aggregate):
                for item in inner.items:
                    if (one := self.id_of(draft, item)) is not None and one != returned:
                        draft.forget(one)
        for inner in walk(event.value):
            if isinstance(inner, r.Call) and (one := draft.id_at(_result(inner))) is not None and one != returned:
                self.drop_result(inner, draft)

    def give_back(self, event: e.Leave, draft: Draft, one: Id) -> None:
        held = draft.objects[one]
        if held.count > 1 and not held.stored and held.kind == "new":
            self.report("surplus", draft, one, event, event.value, held.raised)
            self.ends.setdefault(self.site(one).index, set()).add(False)
        elif held.count <= 0 and self.is_slot and held.kind in ("borrowed", "given", "kept", "new"):
            because = held.taken if held.taken >= 0 else -1
            if (not (held.stored and held.kind != "new") and held.null != "maybe") or held.kind == "borrowed":
                self.report("returned borrowed", draft, one, event, event.value, because)
        else:
            self.ends.setdefault(self.site(one).index, set()).add(True)
        draft.forget(one)

    @cached_property
    def returns_objects(self) -> bool:
        written = self.function.record.result
        return self.references.is_pointer(written, self.function) or written.isupper() or not written

    def summary(self) -> Summary:
        """What a caller sees; nothing where not every way was followed."""
        count = len(self.function.record.parameters)
        if not self.complete or not self.exits:
            return _UNKNOWN
        results: set[str] = set()
        nullable = False
        uses: list[set[Use]] = [set() for _ in range(count)]
        for draft, leave, one in self.exits:
            if leave.kind == "throw":
                continue
            for number in range(count):
                held = draft.objects.get((-2 - number, 0))
                uses[number].add(self.seen(draft, number, held, one))
            if one is not None:
                held = draft.objects[one]
                kept = held.count == 0 and held.kind in ("kept", "borrowed")
                nullable = nullable or held.null != "no"
                results.add("new" if held.count == 1 else "borrowed" if kept else "?")
            elif isinstance(_bare(leave.value), r.Literal) or draft.places.get(self.place(leave.value) or ()) == NULL:
                nullable = True
            else:
                results.add("?")
        result = results.pop() if len(results) == 1 else "?"
        return Summary(
            "new" if result == "new" else "borrowed" if result == "borrowed" else "",
            nullable,
            tuple(one.pop() if len(one) == 1 else "" for one in uses),
        )

    def seen(self, draft: Draft, number: int, held: Held | None, returned: Id | None) -> Use:
        """What has become of an argument on one way."""
        if held is None or returned == (-2 - number, 0):
            return ""
        name = self.function.record.parameters[number].name
        if draft.places.get((name,)) != (-2 - number, 0):
            return ""
        return {0: "lent", -1: "stolen", 1: "retained"}.get(held.count, "")  # type: ignore[return-value]

    # --- tests ---

    def decided(self, event: e.Test, draft: Draft, outcome: bool | None) -> Iterator[Draft]:
        if event.asserted:
            outcome = True
        if outcome is None:
            yield draft
            return
        said = self.said(event.value)
        if said in self.repeated:
            known = draft.tests.get(said)
            if known is not None and known != outcome:
                return
            draft.tests[said] = outcome
        if self.refine(event.value, draft, outcome):
            for inner in walk(event.value):
                if isinstance(inner, r.Call):
                    self.drop_result(inner, draft)
            yield draft

    def said(self, value: r.Value) -> str:
        """The test as written; of a variable that is only given a comparison, the comparison."""
        bare = _bare(value)
        if isinstance(bare, r.Name) and bare.text in self.function.locals:
            initial = _bare(self.function.locals[bare.text][1])
            if isinstance(initial, r.Binary) and len(self.flow.writes_to((bare.text,))) == 1:
                return text(initial, 200)
        return text(value, 200)

    @cached_property
    def repeated(self) -> frozenset[str]:
        """Tests that stand in the function more than once, and call nothing."""
        said = [
            self.said(test.value)
            for test in self.flow.of(e.Test)
            if isinstance(test, e.Test)
            and not any(isinstance(inner, r.Call | r.Assign | r.OpaqueValue) for inner in walk(test.value))
        ]
        return frozenset(one for one in said if said.count(one) > 1)

    def forget_tests(self, draft: Draft, name: str) -> None:
        for said in [said for said in draft.tests if name in re.findall(r"\w+", said)]:
            del draft.tests[said]

    def refine(self, value: r.Value, draft: Draft, outcome: bool) -> bool:
        """What the outcome tells; False where it cannot be on this way."""
        match _bare(value):
            case r.Unary(op="!" | "not", value=inner):
                return self.refine(inner, draft, not outcome)
            case r.Binary(op=op, left=left, right=right) if op in _TURNED:
                left, right = self.constant(left), self.constant(right)
                if isinstance(left, r.Literal):
                    left, right, op = right, left, _TURNED[op]
                if _is_zero(right) and op in ("==", "!="):
                    return self.truth(left, draft, outcome == (op == "!="))
                return self.compared(op, left, draft, outcome, _bare(right))
            case bare:
                return self.truth(bare, draft, outcome)

    def constant(self, value: r.Value) -> r.Value:
        """A macro of the project that stands for NULL is NULL."""
        bare = _bare(value)
        if isinstance(bare, r.Name) and bare.text not in self.function.declared:
            bodies = {macro.body.strip("() ") for macro in self.function.program.macros_named(bare.text)}
            if bodies and bodies <= {"NULL", "nullptr", "0"}:
                return r.Literal(bare.start, bare.end, "null", bare.text)
        return bare if bare is not None else value

    def truth(self, value: r.Value | None, draft: Draft, there: bool) -> bool:
        """Whether it can be that the value is not NULL, or not 0."""
        if self.asks_for_errors(value):
            for other, held in list(draft.objects.items()):
                if held.null == "maybe":
                    draft.change(other, null="unknown" if there else "no")
            return True
        where = self.place(value)
        known = draft.places.get(where) if where is not None else None
        if isinstance(known, Known):
            self.asked(draft)
            left_over = known.signs.replace("0", "") if there else "0" if "0" in known.signs else ""
            if left_over and where is not None:
                draft.places[where] = known._replace(signs=left_over)
            return bool(left_over)
        one = self.id_of(draft, value)
        if one is not None:
            held = draft.objects[one]
            if there:
                draft.change(one, null="no")
                return True
            if held.null == "no":
                return False
            draft.make_null(one)
            return True
        bare = _bare(value)
        if where is not None and not there and isinstance(bare, r.Name) and where[0] in self.function.declared:
            draft.places[where] = Known("0", exact=False)
        return True

    def asks_for_errors(self, value: r.Value | None) -> bool:
        """Whether the call tells if a failure is pending."""
        bare = _bare(value)
        model = self.references.model(bare, self.function) if isinstance(bare, r.Call) else None
        return model is not None and model.has("check", "global")

    def compared(self, op: str, left: r.Value, draft: Draft, outcome: bool, right: r.Value | None) -> bool:
        """Whether a comparison with a small number can come to this on this way."""
        where, said = self.place(left), text(right) if isinstance(right, r.Literal | r.Unary) else ""
        if where is None or said not in _SMALL:
            return True
        other, known = _SMALL[said], draft.places.get(where)
        if known is None:
            if not other and len(where) == 1 and where[0] in self.function.declared and draft.id_at(where) is None:
                left_over = "".join(one for one in _SIGNS if _compare(_SIGNS[one], op, other) == outcome)
                if left_over:
                    draft.places[where] = Known(left_over, exact=False)
            return True
        if not isinstance(known, Known) or (other and not known.exact):
            return True
        self.asked(draft)
        left_over = "".join(one for one in known.signs if _compare(_SIGNS[one], op, other) == outcome)
        if left_over:
            draft.places[where] = known._replace(signs=left_over)
        return bool(left_over)

    @staticmethod
    def asked(draft: Draft) -> None:
        for one, held in list(draft.objects.items()):
            if held.pending:
                draft.change(one, pending=False)


def _result(call: r.Call) -> Place:
    return ("%", str(call.start), str(call.end))


def _bare(value: r.Value | None) -> r.Value | None:
    """Without casts and parentheses."""
    while isinstance(value, r.Cast):
        value = value.value
    return value


def _compare(one: int, op: str, other: int) -> bool:
    return {
        "==": one == other,
        "!=": one != other,
        "<": one < other,
        "<=": one <= other,
        ">": one > other,
        ">=": one >= other,
    }[op]


def _is_zero(value: r.Value | None) -> bool:
    return isinstance(value, r.Literal) and (value.kind == "null" or value.text in ("0", "false"))


def _order(state: State) -> tuple[object, ...]:
    return tuple(sorted(map(repr, state.places))), tuple(sorted(map(repr, state.objects)))
