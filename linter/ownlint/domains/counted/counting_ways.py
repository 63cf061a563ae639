"""Who owns which counted reference at each point of a function: how one way sees values and places.

What a single call does with a reference is `references`' answer; `counting` follows the ways.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from ownlint.domains.counted import outs
from ownlint.domains.counted.counts import CountDraft, HeldReference, Id, is_owing
from ownlint.domains.counted.outs import Filled
from ownlint.domains.counted.references import ReferenceSource, Use, alternatives, arguments, may_count, references
from ownlint.domains.counted.slot_tables import is_slot
from ownlint.engine import lasting
from ownlint.engine.assignments import place as named_place
from ownlint.engine.assignments import spelled
from ownlint.engine.glance import says
from ownlint.engine.resources import resources
from ownlint.engine.shared import Map
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Assumption, Certainty, because
from ownlint.flow import events as e
from ownlint.flow.events import Event
from ownlint.flow.places import Place, calls_in, last_name, walk
from ownlint.flow.remembered import remembered
from ownlint.models.records import FunctionModel
from ownlint.project import types
from ownlint.project.subjects import Function

What = Literal[
    "leaked",  # a way out, or the end of the variable's life, with a reference that the function owes
    "overwritten",  # the only place that held it gets another value
    "surplus",  # handed on with one reference too many
    "released borrowed",
    "released given",  # after somebody took it over
    "released twice",
    "stolen borrowed",
    "stored borrowed",
    "returned borrowed",
    "used after release",
    "retained after release",
    "null used",
]


_PART = 2
"""Steps of the place of an array's element."""


class CountTrouble(NamedTuple):
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
    reason: str = ""
    """Which paths it is seen on, where it is not seen on all; empty where they are not told apart."""
    merged: bool = False
    """Whether other paths that lead to the same place are right."""

    def doubt(self, assumed: Assumption, why: str) -> Certainty:
        """How sure it is for who assumes this of what the paths show, and says why where they say nothing."""
        return because("conditions" if self.merged else assumed, self.reason or why)


class CountSummary(NamedTuple):
    """What a caller sees of a function of the project."""

    result: Literal["new", "borrowed", "memory", ""]
    nullable: bool
    arguments: tuple[Use, ...]
    lender: int = -1
    """Which argument (from 0) lends the result, or has the memory that it points to."""
    shared: frozenset[int] = frozenset()
    """Arguments of which somebody may keep a reference."""
    filled: tuple[Filled, ...] = ()
    """Arguments through which a reference comes out."""
    member: str = ""
    """The member that holds the result, if every way answers with what stands there."""
    made: str = ""
    """The type of the result, if every way answers with an object of one type that a library has made, or with NULL."""


class Naming(NamedTuple):
    """What an object is called."""

    holders: Map[Place, bool] | None
    """The places that hold it."""
    name: str
    on_its_way: bool
    """It never had a name, but is argument or result of a call."""


class CountedWays:
    """What is asked of one function while its ways are followed."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.flow = function.flow
        self.references = references(function.program)
        self.found: dict[tuple[object, ...], CountTrouble] = {}
        self.named: dict[Id, Naming] = {}
        """How each object was called when it was last asked."""
        self.passing = 0
        """The number of the state that is followed through an event right now."""
        self.passed_by: dict[int, int] = {}
        """By event how many states were followed through it."""
        self.troubled: dict[tuple[object, ...], set[int]] = {}
        """By trouble the numbers of the states that have it."""
        self.troubled_there: dict[tuple[What, int, int], set[int]] = {}
        """The same by what is wrong at which event with which value, whatever object that is in each state."""
        self.ends: dict[int, set[bool]] = {}
        """By site whether ways out with its object were good."""
        self.complete = True
        self.is_slot = is_slot(function)

    def summary_of(self, function: Function) -> CountSummary:
        """What a caller sees of another function of the project."""
        raise NotImplementedError

    @remembered
    def model(self, call: r.Call) -> FunctionModel | None:
        """What a library says of a call in the function: see `References.model`."""
        return self.references.model(call, self.function)

    @remembered
    def source(self, value: r.Value | None) -> ReferenceSource:
        """What an expression of the function hands out: see `References.source`."""
        return self.references.source(value, self.function)

    @remembered
    def said_uses(self, call: r.Call) -> tuple[Use, ...]:
        """By argument (from 0) what becomes of it: see `References.use`."""
        return tuple(self.references.use(call, index, self.function) for index in range(len(call.args)))

    @remembered
    def arguments(self, call: r.Call) -> tuple[tuple[int, r.Value], ...]:
        return tuple(arguments(call))

    @remembered
    def place(self, value: r.Value | None) -> Place | None:
        value = bare_value(value)
        if isinstance(value, r.Call):
            return result_place(value)
        if isinstance(value, r.Assign):
            value = value.target
        if isinstance(value, r.Unary) and value.op == "*":
            return outs.led_to(value, self.function)
        return named_place(self.function, value)

    @remembered
    def choices(self, event: Event) -> tuple[r.Conditional, ...]:
        """The conditional operators whose value is assigned, returned or an argument."""
        values: list[r.Value | None] = []
        if isinstance(event, e.CallEvent):
            values = [*event.node.args]
        elif isinstance(event, e.Write | e.LeaveEvent):
            values = [event.value]
        return tuple(bare for value in values if isinstance(bare := bare_value(value), r.Conditional))

    def chosen(self, value: r.Value | None, draft: CountDraft) -> r.Value | None:
        """The side of a conditional operator that is taken on this way, where it says so."""
        raise NotImplementedError

    def id_of(self, draft: CountDraft, value: r.Value | None) -> Id | None:
        """The object that the value is, on this way."""
        places = self.where_it_may_be(value)
        if len(places) > 1 and isinstance(bare_value(value), r.Conditional):
            places = self.where_it_may_be(self.chosen(value, draft))
        for where in places:
            if (found := draft.id_at(where)) is not None:
                return found
        return None

    @remembered
    def where_it_may_be(self, value: r.Value | None) -> tuple[Place, ...]:
        """The places of which the first that holds an object holds the one that the value is."""
        found: list[Place | None] = []
        for one in alternatives(value):
            bare = bare_value(one)
            if isinstance(bare, r.Unary) and bare.op == "&":
                continue
            found.append(self.place(bare))
            if isinstance(bare, r.Name):
                found.append(self.whole(bare.text))
            if isinstance(bare, r.Call) and self.is_view_of_handle(bare):
                assert isinstance(bare.callee, r.Member)
                found += self.where_it_may_be(bare.callee.base)
                break
        return tuple(where for where in found if where is not None)

    def whole(self, name: str) -> Place | None:
        """`type`, where `type = &heap->type`: the first part of an object has its address, and stands for it. A
        reference is the part itself."""
        part, written = self.flow.aliases.get(name, ()), self.function.locals.get(name, ("",))[0]
        return part[:1] if len(part) > 1 and "*" in written and "&" not in written else None

    @remembered
    def is_view_of_handle(self, call: r.Call) -> bool:
        """`h.ptr()` of a handle is what the handle is."""
        if not isinstance(call.callee, r.Member) or call.args:
            return False
        model = self.model(call)
        return model is not None and (model.has("borrow", "result") or model.has("returns", "receiver"))

    def is_seen_by_others(self, target: r.Value | None, where: Place) -> bool:
        """Whether the place outlives the function, or belongs to more than a plain local."""
        root = where[0]
        if isinstance(target, r.Index) and root in self.arrays and len(where) == _PART:
            return False
        if isinstance(target, r.Unary | r.Index | r.Member):
            return True
        return len(where) > 1 or root not in self.function.declared or root in self.statics or root in self.outs

    @cached_property
    def arrays(self) -> frozenset[str]:
        """Local arrays of pointers of which only elements at written places are used: each of those is a local."""
        known = {
            name
            for name, (written, value) in self.function.locals.items()
            if written.endswith("]") and "*" in written and name not in self.statics and _is_listed(value)
        }
        if not known:
            return frozenset()
        mentioned: Counter[str] = Counter()
        for inner in self.function.values:
            match inner:
                case r.Index(base=r.Name(text=name), indexes=(r.Literal(kind="int"),)):
                    mentioned[name] -= 1
                case r.Name(text=name):
                    mentioned[name] += 1
        return frozenset(name for name in known if not mentioned[name])

    @cached_property
    def statics(self) -> frozenset[str]:
        """Locals that own what they hold: those that stay, and those that a function ends when they go."""
        stay = lasting.statics(self.function)
        return self.function.cleaned | frozenset(name for name in stay if not self.is_filled_each_time(name))

    def is_filled_each_time(self, name: str) -> bool:
        """Whether nobody looks at what an earlier call left in the static: what each call puts there takes its place,
        as in any local."""
        fillings = [write for write in self.flow.writes_to((name,)) if write.op == "=" and not write.fresh]
        if not any(isinstance(bare_value(write.value), r.Call) for write in fillings):
            return False
        known = {write.index for write in fillings}
        looks = (event for event in self.flow if event.index not in known and _looks_at(event, name))
        return all(self.flow.always_before(look, lambda one: one.index in known) for look in looks)

    @cached_property
    def outs(self) -> frozenset[str]:
        """Parameters by reference."""
        return frozenset(p.name for p in self.function.record.parameters if "&" in p.type)

    def lose(self, draft: CountDraft, place: Place) -> None:
        one = draft.id_at(place)
        if one is not None:
            self.give_on(draft, one)
        draft.places.pop(place, None)

    def name_of(self, draft: CountDraft, one: Id, value: r.Value | None = None) -> str:
        return _written(value) or self.naming(draft, one).name

    def naming(self, draft: CountDraft, one: Id) -> Naming:
        """What an object is called by the places that hold it: the same until these change, at however many exits."""
        holders = draft.holding(one)
        known = self.named.get(one)
        if known is not None and known.holders is holders:
            return known
        places = holders.listed() if holders is not None else []
        named = sorted(
            place[1] if place[0] in ("%object", "%element") else spelled(self.function, place)
            for place in places
            if place[0] != "%"
        )
        event = self.site(one)
        unnamed = f"{last_name(event.node.callee)}(…)" if isinstance(event, e.CallEvent) else "it"
        on_its_way = bool(places) and all(place[0] == "%" for place in places)
        found = self.named[one] = Naming(holders, named[0] if named else unnamed, on_its_way)
        return found

    def given_first(self, at: int) -> str:
        """What the call there is given first: `list` of `Py_INCREF(list)`; empty if that has no name."""
        event = self.flow.events[at] if at >= 0 else None
        return _written(next(iter(event.node.args), None)) if isinstance(event, e.CallEvent) else ""

    def site(self, one: Id) -> Event:
        return self.flow.events[one[0]] if one[0] >= 0 else self.flow.events[self.flow.entry]

    def report(
        self,
        what: What,
        draft: CountDraft,
        one: Id,
        at: Event,
        value: r.Value | None = None,
        because: int = -1,
        name: str = "",
    ) -> None:
        site = self.site(one)
        reason = self.flow.events[because] if because >= 0 else None
        key = (what, one[0], at.index)
        if key not in self.found:
            said = name or self.name_of(draft, one, value)
            self.found[key] = CountTrouble(what, said, site, at, reason, value)
        self.troubled.setdefault(key, set()).add(self.passing)
        self.troubled_there.setdefault(there(what, at, value), set()).add(self.passing)

    def kept_in(self, draft: CountDraft, value: r.Value | None) -> Id | None:
        """The object in a place that others see, which has a reference of its own."""
        bare = bare_value(value)
        if isinstance(bare, r.Index) and self.is_slot and isinstance(bare.base, r.Name):
            return self.in_array(draft, bare, bare.base.text)
        if not isinstance(bare, r.Name | r.Member):
            return None
        where = self.place(bare)
        if where is None or where in draft.places or not self.is_seen_by_others(bare, where):
            return None
        if isinstance(bare, r.Name) and bare.text in self.flow.aliases and bare.text in self.function.declared:
            return None  # the address of a part of something
        if self.is_part_of_local(where):
            return None
        if isinstance(bare, r.Name) and not (
            self.function.program.index.is_variable(bare.text) or len(where) > 1 or bare.text in self.statics
        ):
            if self.source(bare).kind != "borrowed":
                return None
            where = ("%object", bare.text)
            if (known := draft.id_at(where)) is not None:
                return known
        one = draft.begin(-1000 - bare.start, HeldReference("kept", 0, "unknown"))
        draft.places[where] = one
        return one

    def is_part_of_local(self, where: Place) -> bool:
        """Whether it is a local, a member of a local struct or an element of a local array: what is read from there is
        the function's own, whoever has the address."""
        return (
            where[0] in self.function.declared
            and not types.parse(self.function.locals.get(where[0], ("",))[0]).pointers
        )

    def in_array(self, draft: CountDraft, value: r.Index, name: str) -> Id | None:
        """An element of the array of arguments that a slot is called with."""
        given = next((one for one in self.function.record.parameters if one.name == name), None)
        if given is None or types.parse(given.type).pointers != 2:
            return None
        where = ("%element", text(value))
        if (known := draft.id_at(where)) is not None:
            return known
        one = draft.begin(-1000 - value.start, HeldReference("kept", 0, "no"))
        draft.places[where] = one
        return one

    def use(self, event: e.CallEvent, index: int) -> Use:
        use = self.said_uses(event.node)[index]
        if use or (found := self.summary_at(event.node)) is None:
            return use
        said = found.arguments[index] if index < len(found.arguments) else ""
        return said or ("lent" if index in self.looked_at(event.node) else "")

    @remembered
    def looked_at(self, call: r.Call) -> frozenset[int]:
        """The arguments that the one function of the project which is called there does no more with than look at them
        and write to what is in them. What its own walk follows is not asked about: that has told."""
        callee, found = self.function.program.calls.callee(call, self.function).functions[0], self.summary_at(call)
        if callee is self.function:
            return frozenset()
        told = found is not None and bool(found.arguments)
        duty = resources(callee.program).duties.of(callee)
        kept = duty.released | duty.adopted | duty.stored | duty.returned | duty.strangers
        kept |= {number for number, _ in duty.kept_parts}
        given = (number for number, one in enumerate(callee.record.parameters) if types.parse(one.type).pointers == 1)
        return frozenset(number for number in frozenset(given) - kept if self.is_uncounted(callee, number, told))

    def is_uncounted(self, callee: Function, number: int, told: bool) -> bool:
        """Whether nothing in a function counts an argument under its name, and its walk, if it has `told` anything, did
        not follow it."""
        if not may_count(callee):
            return True
        parameter = callee.record.parameters[number]
        if told and (is_slot(callee) or self.references.is_pointer(parameter.type, callee)):
            return False

        def is_it(value: r.Value | None) -> bool:
            return isinstance(bare := bare_value(value), r.Name) and bare.text == parameter.name

        if any(is_it(write.value) for write in callee.flow.writes):
            return False
        return not any(
            is_it(argument) and self.references.use(event.node, index, callee) != "lent"
            for event in callee.flow.calls
            for index, argument in arguments(event.node)
        )

    @remembered
    def summary_at(self, call: r.Call) -> CountSummary | None:
        """What a caller sees of the one function of the project that is called there."""
        callee = self.function.program.calls.callee(call, self.function).only if call.kind == "call" else None
        return self.summary_of(callee) if callee is not None else None

    def model_has(self, call: r.Call, verb: str, index: int) -> bool:
        model = self.model(call)
        return model is not None and any(
            effect.verb == verb and effect.place is not None and effect.place.index == index for effect in model.effects
        )

    @remembered
    def replaced_by(self, call: r.Call) -> tuple[int, int] | None:
        """`Py_SETREF(place, other)`: the argument whose reference is released, and the one that it gets."""
        model = self.model(call)
        for effect in model.effects if model is not None else ():
            if effect.verb != "adopt" or effect.place is None or effect.other is None or effect.other.index < 0:
                continue
            into, given = effect.other.index, effect.place.index
            if max(into, given) < len(call.args) and self.model_has(call, "release", into):
                return into, given
        return None

    def is_borrowed(self, held: HeldReference) -> bool:
        return held.kind == "borrowed" or (held.kind == "given" and self.is_slot)

    def is_lasting(self, target: r.Value | None, where: Place) -> bool:
        """A member of an object, or a variable that outlives the function."""
        if isinstance(target, r.Member):
            return target.arrow
        return isinstance(target, r.Name) and where[0] not in self.outs

    def container(self, event: e.CallEvent, draft: CountDraft) -> Id | None:
        model = self.model(event.node)
        for effect in model.effects if model is not None else ():
            if effect.verb == "adopt" and effect.other is not None and 0 <= effect.other.index < len(event.node.args):
                return self.id_of(draft, event.node.args[effect.other.index])
        return None

    @cached_property
    def shared(self) -> set[Id]:
        """Objects that somebody else may keep alive."""
        return set()

    def drop_result(self, call: r.Call, draft: CountDraft) -> None:
        """One that nobody holds is the subject of another rule: it was never held."""
        where = result_place(call)
        one = draft.id_at(where)
        draft.places.pop(where, None)
        if one is None or draft.is_named(one) or draft.objects[one].owner is not None:
            return
        if not draft.borrowers(one):
            draft.forget(one)

    @remembered
    def calls_in(self, value: r.Value | None) -> tuple[r.Call, ...]:
        return tuple(calls_in(value))

    def drop_results(self, draft: CountDraft, value: r.Value | None) -> None:
        """Of what the calls in an expression handed out, what nobody holds now went somewhere that is not looked at."""
        for inner in self.calls_in(value):
            if (where := result_place(inner)) in draft.places:
                one = draft.id_at(where)
                del draft.places[where]
                if one is None or draft.is_named(one) or draft.borrowers(one):
                    continue
                if not draft.objects[one].stored and draft.objects[one].taken < 0:
                    draft.forget(one)

    @cached_property
    def escaping(self) -> frozenset[int]:
        """What is assigned to somewhere that has no name, by the identity of the value: `*(T**)(base + offset) = x`."""
        return frozenset(
            id(bare_value(inner.value))
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
            if self.function.program.macros.named(name):
                found[name] = self.function.program.macros.words(name)
        return found

    @remembered
    def lambdas_in(self, value: r.Value | None) -> tuple[r.Lambda, ...]:
        """Those in an expression that capture something, if that may be kept."""
        if not isinstance(value, r.Lambda | r.Call | r.Aggregate | r.Cast):
            return ()
        return tuple(inner for inner in walk(value) if isinstance(inner, r.Lambda) and inner.captures)

    def lose_captured(self, draft: CountDraft, value: r.Value | None) -> None:
        """What a lambda has is settled when that runs: by a guard, or by somebody later on."""
        for inner in self.lambdas_in(value):
            made = self.function.program.index.function_at(self.function.file, inner.function)
            for name in sorted({place[0] for place in draft.places} & self.function.declared):
                if made is not None and says(made, name):
                    self.lose(draft, (name,))

    def lose_items(self, draft: CountDraft, value: r.Value | None) -> None:
        """What an object is made of that has no name, or is given on: `{one, 1}`, `Slot{.held = one}`."""
        bare = bare_value(value)
        for item in bare.items if isinstance(bare, r.Aggregate) else ():
            inner = item.value if isinstance(item, r.Pair) else item
            if (one := self.id_of(draft, inner)) is not None:
                self.give_on(draft, one)
            self.lose_items(draft, inner)

    def give_on(self, draft: CountDraft, one: Id) -> None:
        """Who has the object from here on may release it."""
        if is_owing(draft.objects[one]):
            self.ends.setdefault(self.site(one).index, set()).add(True)
        draft.forget(one)

    def lose_named(self, draft: CountDraft, macro: str) -> None:
        for name in sorted(self.macros[macro] & self.function.declared):
            self.lose(draft, (name,))

    @cached_property
    def returns_objects(self) -> bool:
        written = self.function.record.result
        return self.references.is_pointer(written, self.function) or written.isupper() or not written


def _is_listed(value: r.Value | None) -> bool:
    """Whether an array begins empty, or with one value a place."""
    return value is None or (
        isinstance(value, r.Aggregate) and all(not isinstance(one, r.Pair | r.Aggregate) for one in value.items)
    )


def _looks_at(event: Event, name: str) -> bool:
    match event:
        case e.CallEvent(node=value) | e.Read(node=value) | e.Test(value=value) | e.LeaveEvent(value=value):
            pass
        case e.Write(value=value, fresh=fresh):
            if fresh and event.place == (name,):
                return False
        case e.OpaqueEvent(names=names):
            return name in names
        case _:
            return False
    return any(
        (isinstance(inner, r.Name) and inner.text == name) or isinstance(inner, r.Lambda) for inner in walk(value)
    )


def result_place(call: r.Call) -> Place:
    return _result_place(call.start, call.end)


@lru_cache(maxsize=1 << 12)
def _result_place(start: int, end: int) -> Place:
    return ("%", str(start), str(end))


def bare_value(value: r.Value | None) -> r.Value | None:
    """Without casts and parentheses."""
    while isinstance(value, r.Cast):
        value = value.value
    return value


def _written(value: r.Value | None) -> str:
    """A name or a member as it is written; empty for anything else."""
    bare = bare_value(value)
    return text(bare) if isinstance(bare, r.Name | r.Member) else ""


def there(what: What, at: Event, value: r.Value | None) -> tuple[What, int, int]:
    """What is wrong, the event, and where the value begins that is concerned."""
    return what, at.index, value.start if value is not None else -1
