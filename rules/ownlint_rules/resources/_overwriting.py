"""Slots that are filled while they may still hold something: which store loses which handle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ownlint import Certainty, Function, Program, because, failure, places, questions, text
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources._emptying import SlotEnding
from ownlint_rules.resources._slot_enders import enders
from ownlint_rules.resources._slots import Slot, SlotStore

_HAS = frozenset({"contains", "count", "has_value", "valid", "is_valid", "has", "exists"})
_ENDS = frozenset({"end", "cend"})


_MOST_STORES = 32
"""Of one function into one slot, that are looked at."""


class Overwrite(NamedTuple):
    """A store loses what the slot holds. `found`: a test has just seen that it holds something; `stored`: the same
    function has put something there before; `used`: it has gone through it before; `refilled`: it has released another
    member of the object before, which it fills again; `full`: it never is empty. `at` is the function that shows it,
    which may be a caller."""

    store: SlotStore
    why: Literal["found", "stored", "used", "refilled", "full"]
    before: r.Node | e.Event | None
    certainty: Certainty
    at: Function


def overwrites(slot: Slot, program: Program) -> Iterator[Overwrite]:
    """The stores into a slot that somebody else ends, which lose what was there."""
    stores = [store for store in slot.stores if store.sure and _replaces(store)]
    ending = list(enders(program).enders(slot)) if stores else []
    if not ending:
        return
    seen: set[Function] = set()
    for store in stores:
        if store.function not in seen:
            seen.add(store.function)
            mine = [one for one in stores if one.function is store.function]
            yield from SlotFilling(store.function, slot, ending).lost(mine[:_MOST_STORES])


def _replaces(store: SlotStore) -> bool:
    """An assignment, or a call that writes through an argument; a container's `push_back` adds."""
    return isinstance(store.node, r.Assign) or (not store.element and isinstance(store.node, r.Call))


def _target(store: SlotStore) -> r.Value | None:
    """The place that is filled: what is assigned to, or whose address is given to the call."""
    match store.node:
        case r.Assign(target=target):
            return target
        case r.Call(args=args):
            given = [places.strip(arg) for arg in args]
            return next((inner.value for inner in given if isinstance(inner, r.Unary)), None)
    return None


def _is_own(store: SlotStore) -> bool:
    """Whether the place is a member of `this`: another object's, an element's, or what a local refers to, may be
    another each time."""
    match places.strip(_target(store)):
        case r.Name(text=name):
            return name not in store.function.declared
        case r.Member(base=r.Name(text="this")):
            return True
    return False


def _is_of_own(store: SlotStore) -> bool:
    """Whether the place is a member of `this` or an element of one: a test of another object's says nothing of it."""
    target = places.strip(_target(store))
    while isinstance(target, r.Index):
        target = places.strip(target.base)
    return isinstance(target, r.Name) or (
        isinstance(target, r.Member) and places.last_name(target.base) in ("this", "it")
    )


def _names_in(store: SlotStore) -> frozenset[str]:
    """What the place is reached through: when one of these is set, it is another place."""
    return places.names_in(_target(store))


def _is_set(event: e.Event, names: frozenset[str]) -> bool:
    """Whether one of the names gets another value."""
    return isinstance(event, e.Write) and len(event.place) == 1 and event.place[0] in names


class ShownFull(NamedTuple):
    """What shows that a slot holds something, and the function in which that stands."""

    why: Literal["used", "refilled"]
    event: e.Event
    function: Function


def is_member(value: r.Value | None, name: str, function: Function) -> bool:
    """Whether it is the member of `this` of that name."""
    match places.strip(value):
        case r.Name(text=text):
            return text == name and text not in function.declared
        case r.Member(base=base, name=text):
            return text == name and places.is_name(base, places.THIS)
    return False


class SlotFilling:
    """One function that fills a slot."""

    def __init__(
        self, function: Function, slot: Slot, enders: list[Function], besides: frozenset[str] = frozenset()
    ) -> None:
        """The members of what the locals `besides` hold are not meant."""
        self.function = function
        self.flow = function.flow
        self.slot = slot
        self.ending = SlotEnding(function, slot.cls, slot.field.name, besides=besides)
        self.ending.find_names()
        self._fresh: frozenset[str] = frozenset()
        """The locals that hold a new handle until it is stored."""
        self._settled: questions.Answers[int, bool] = questions.Answers()
        self._all_enders = enders
        self.enders = frozenset(one.name for one in enders) - {function.name}
        self.lambdas = frozenset(one for one in enders if one.parent is function)

    def lost(self, stores: list[SlotStore]) -> Iterator[Overwrite]:
        at = [(store, event) for store in stores if (event := self._event(store)) is not None]
        self._fresh = frozenset(
            value.text
            for store, _ in at
            if isinstance(store.node, r.Assign) and isinstance(value := places.strip(store.node.value), r.Name)
        )
        self.ending.names -= {name for name in self._fresh & self.ending.names if self._only_grows_into(name)}
        for store, event in at:
            if self._is_ended_later(event) or self._is_grown(store) or self._is_handed_on(event):
                continue
            freed = (
                f"harmless if something else still refers to the object in `{self.slot.field.name}`, "
                "or it was released before"
            )
            found = self._found(store, event) if _is_of_own(store) else None
            earlier = self._earlier(store, event, at)
            if found is not None:
                yield Overwrite(store, "found", found, because("unread-code", freed), self.function)
            elif earlier is not None:
                yield Overwrite(store, "stored", earlier, because("unread-code", freed), self.function)
            elif self._is_unasked(store, event) and _is_own(store):
                shown = self.shown_full(event) or self._shown_by_caller()
                if shown is not None:
                    yield Overwrite(store, shown.why, shown.event, because("unread-code", freed), shown.function)
                elif self._is_always_full(store):
                    yield Overwrite(store, "full", None, because("unread-code", freed), self.function)

    def shown_full(self, at: e.Event) -> ShownFull | None:
        """What shows that the slot holds something where the function comes to an event: on a path that ends nothing it
        has gone through the slot before, or it has released another member of the object, which it fills again."""
        for event in self.flow.before(at, self.settles):
            if event is not at and self._goes_through(event):
                return ShownFull("used", event, self.function)
        released = next((event for event in self.flow.before(at) if self._ends_sibling(event)), None)
        if released is None or self.flow.always_before(at, self.settles):
            return None
        return ShownFull("refilled", released, self.function)

    def _shown_by_caller(self) -> ShownFull | None:
        """The same of a method of the object that calls this one on the object itself."""
        home = self.function.home
        if home is None:
            return None
        for caller in self.function.program.index.callers(self.function):
            if caller.home is None or caller.record.kind != "method" or caller is self.function:
                continue
            if home not in caller.home.ancestry and caller.home not in home.ancestry:
                continue
            filling: SlotFilling | None = None
            for call in caller.flow.calls:
                on = places.receiver(call.node)
                is_own = on is None or places.is_name(on, places.THIS)
                if places.last_name(call.node.callee) != self.function.name or not is_own:
                    continue
                filling = filling or SlotFilling(caller, self.slot, self._all_enders)
                if (shown := filling.shown_full(call)) is not None:
                    return shown
        return None

    def _goes_through(self, event: e.Event) -> bool:
        """Whether the object is used to which the slot of `this` points; not to link another to it."""
        if isinstance(event, e.Write) and any(self._is_pointee(inner) for inner in places.walk(event.target)):
            return False
        match event:
            case e.CallEvent(node=value) | e.Write(value=value) | e.Test(value=value):
                return any(self._is_pointee(inner) for inner in places.walk(value))
        return False

    def _is_pointee(self, value: r.Value) -> bool:
        match value:
            case r.Member(base=base, arrow=True) | r.Unary(op="*", value=base):
                return is_member(base, self.slot.field.name, self.function)
        return False

    def _ends_sibling(self, event: e.Event) -> bool:
        """Whether another member of the object is released, which the function fills again and the destructor releases
        as well."""
        home = self.function.home
        if not isinstance(event, e.CallEvent) or home is None or home.destructor is None:
            return False
        for ended in self.ending.resources.released(event.node, self.function):
            given = event.node.args[ended.where.index : ended.where.index + 1] if ended.where.kind == "argument" else ()
            name = places.last_name(places.strip(given[0])) if given else ""
            held = home.field(name) if name and name != self.slot.field.name else None
            if held is None or ended.certainty == "possible" or not is_member(given[0], name, self.function):
                continue
            filled = any(
                one.value is not None
                and is_member(one.target, name, self.function)
                and not isinstance(places.strip(one.value), r.Literal)
                for one in self.flow.writes
            )
            if filled and enders(self.function.program).is_released_by_destructor(Slot(home, held[1], ())):
                return True
        return False

    def _is_grown(self, store: SlotStore) -> bool:
        """Whether what hands out the new handle is given the old one: `buffer_ = realloc(buffer_, n)`."""
        return isinstance(store.node, r.Assign) and bool(self._consumers(store.node.value))

    def _only_grows_into(self, name: str) -> bool:
        """Whether a local never is the old handle: only a call that was given it fills the local."""
        return all(
            self._consumers(event.value)
            for event in self.flow
            if isinstance(event, e.Write) and event.place == (name,) and self.ending.touches(event.value)
        )

    def _consumers(self, value: r.Value | None) -> list[r.Call]:
        """The calls in an expression that are given the slot's value, and may answer with what it became."""
        return [
            inner
            for inner in places.walk(value)
            if isinstance(inner, r.Call)
            and any(self.ending.is_it(argument) for argument in inner.args)
            and not self.ending.is_number(inner)
        ]

    def _goes_into_new(self, write: e.Write) -> bool:
        """Whether the old handle is given to a call, and what comes of it is the new one, or a part of that:
        `bigger = realloc(old_, n)`, `fresh->next = Finish(old_)`."""
        root = write.place[0] if write.place else ""
        names = {root, *(inner.text for inner in places.walk(write.target) if isinstance(inner, r.Name))}
        return not self._fresh.isdisjoint(names) and bool(self._consumers(write.value))

    def _is_ended_later(self, store: e.Event) -> bool:
        """Whether a local that holds the old handle is given up behind the store."""
        return any(
            isinstance(event, e.CallEvent)
            and any(
                isinstance(inner := places.strip(arg), r.Name) and inner.text in self.ending.names
                for arg in event.node.args
            )
            and self.ending.ended_by(event.node)
            for event in self.flow.after(store)
        )

    def _is_handed_on(self, store: e.Event) -> bool:
        """Whether somebody else is given the new handle to keep: the place says which one is meant at present, and the
        old one is kept likewise."""
        return any(
            isinstance(event, e.CallEvent)
            and any(
                self.ending.is_part(argument)
                and not self.ending.names.intersection(
                    inner.text for inner in places.walk(argument) if isinstance(inner, r.Name)
                )
                and self.ending.is_handed_over(event.node, index)
                for index, argument in enumerate(event.node.args)
            )
            for event in self.flow.after(store)
        )

    def _event(self, store: SlotStore) -> e.Event | None:
        for event in self.flow:
            inside = store.node.start <= event.span.start and event.span.end <= store.node.end
            if not inside or event.index not in self.flow.reachable:
                continue
            if isinstance(store.node, r.Call):
                if isinstance(event, e.CallEvent) and event.node.start == store.node.start:
                    return event
            elif isinstance(event, e.Write):
                return event
        return None

    # --- what is known of the slot ---

    def _found(self, store: SlotStore, at: e.Event) -> e.Event | None:
        """A test that has seen the slot occupied, from which a path leads here that ends nothing. After a write to the
        index that both use, it was about another element; one of the array itself says nothing of any."""
        names = _names_in(store) - {self.slot.field.name}
        reached: dict[frozenset[str], set[int]] = {}
        is_element = isinstance(places.strip(_target(store)), r.Index)
        for test, occupied in self._tests:
            if is_element and self._is_about_all(test.value):
                continue
            shared = names.intersection(inner.text for inner in places.walk(test.value) if isinstance(inner, r.Name))
            if shared not in reached:
                reached[shared] = self._reached(at, shared) | {at.index}
            following = self.flow.successors[test.index]
            if any(label is occupied and target in reached[shared] for target, label in following):
                return test
        return None

    def _is_about_all(self, value: r.Value | None) -> bool:
        """Whether a test is about the slot as it is declared, and no element of it: `!rows_`, `rows_ == nullptr`."""
        inner = places.strip(value)
        sides = (inner.left, inner.right) if isinstance(inner, r.Binary) else (inner,)
        return any(
            isinstance(one, r.Name | r.Member) and places.last_name(one) == self.slot.field.name
            for one in map(places.strip, sides)
        )

    def _reached(self, store: e.Event, names: frozenset[str]) -> set[int]:
        """The events from which a path leads to the store that neither ends what the slot holds nor sets one of the
        names through which the place is reached."""

        def settles(one: e.Event) -> bool:
            return _is_set(one, names) or self.settles(one)

        return {event.index for event in self.flow.before(store, settles)}

    @cached_property
    def _tests(self) -> list[tuple[e.Test, bool]]:
        """The tests that see whether the slot holds something, each with the outcome that says so."""
        return [
            (event, occupied)
            for event in self.flow
            if isinstance(event, e.Test) and not event.asserted and not self._is_about_another(event.value)
            if (occupied := self.occupied(event.value)) is not None
        ]

    def _is_about_another(self, value: r.Value) -> bool:
        """Whether a test is about the member of a parameter: `rhs.node_ == nullptr`."""
        given = self.function.parameter_names
        return any(
            isinstance(inner, r.Member) and inner.name == self.slot.field.name and places.last_name(inner.base) in given
            for inner in places.walk(value)
        )

    def _earlier(self, store: SlotStore, event: e.Event, at: list[tuple[SlotStore, e.Event]]) -> r.Node | None:
        """A store of the same function into the same place, from which a way leads here that ends nothing."""
        names = _names_in(store)
        target = places.strip(_target(store))
        around = names if isinstance(target, r.Member | r.Index) else frozenset[str]()

        def settles(one: e.Event) -> bool:
            return _is_set(one, names) or self.settles(one) or self._is_given_away(one, around)

        reached: set[int] | None = None
        for other, before in at:
            if self._place(other) != self._place(store) or (before is event and not _is_own(store)):
                continue
            if reached is None:
                reached = {one.index for one in self.flow.before(event, settles)}
            if before.index in reached and not self.flow.excludes(before, event):
                return other.node
        return None

    def _is_given_away(self, event: e.Event, names: frozenset[str]) -> bool:
        """Whether a function that nobody sees is given the object that the place is in, and can empty it."""
        if not isinstance(event, e.CallEvent) or event.node.kind != "call":
            return False
        given = (places.strip(argument) for argument in event.node.args)
        if not any(isinstance(inner, r.Name) and inner.text in names for inner in given):
            return False
        callee = self.function.program.calls.callee(event.node, self.function)
        return not callee.functions and not callee.models

    @staticmethod
    def _place(store: SlotStore) -> str:
        target = _target(store)
        return text(target) if target is not None else ""

    def _is_unasked(self, store: SlotStore, event: e.Event) -> bool:
        if self.function.record.kind == "constructor" or store.element:
            return False
        return not self.flow.always_before(event, lambda one: self.settles(one))

    def _is_always_full(self, store: SlotStore) -> bool:
        """Whether every constructor fills the slot, and nobody but the destructor and who fills it sets or ends it."""
        cls, name = self.slot.cls, self.slot.field.name
        filling = {one.function for one in self.slot.stores if one.sure}
        makers = cls.constructors
        if not makers or not all(maker in filling for maker in makers):
            return False
        if len(makers) < sum(
            record.kind == "constructor" for record in cls.declarations if "delete" not in record.qualifiers
        ):
            return False
        if self.function.record.access == "private" or not self.enders <= {
            one.name for one in (cls.destructor,) if one
        }:
            return False
        others = (method for method in cls.methods if method not in filling)
        return not any(f"={name}" in method.mentioned for method in others)

    def settles(self, event: e.Event) -> bool:
        """What the slot holds is ended here, or asked for anew."""
        return self._settled.ask(event.index, lambda: self._settles_anew(event))

    def _settles_anew(self, event: e.Event) -> bool:
        match event:
            case e.CallEvent(node=call):
                return (
                    places.last_name(call.callee) in self.enders
                    or places.last_name(call.callee) in ("erase", "clear", "swap")
                    or not self.lambdas.isdisjoint(self.function.program.calls.callee(call, self.function).functions)
                    or failure.never_comes_back(self.function, call)
                    or self.ending.ended_by(call)
                )
            case e.Test(value=value):
                return self.asks(value) or self._asks_whose(value)
            case e.Write(value=value) if value is not None and self.ending.is_it(value):
                return True  # somebody else holds it from here
            case e.Write() if self._fresh and self._goes_into_new(event):
                return True
            case e.Write(value=value, target=target) if target is not None and self.ending.is_it(target):
                return isinstance(places.strip(value), r.Literal | r.Aggregate)
            case e.LeaveEvent() | e.OpaqueEvent():
                return True
        return False

    def asks(self, value: r.Value) -> bool:
        """Whether the test is about what the slot holds, in whatever words."""
        if self.occupied(value) is not None:
            return True
        inner = places.strip(value)
        return isinstance(inner, r.Binary) and (self.ending.is_it(inner.left) or self.ending.is_it(inner.right))

    def _asks_whose(self, value: r.Value) -> bool:
        """Whether the test is about a member that says whose the handle is: `if (mine_) free(p_);`."""
        inner = places.strip(value)
        while isinstance(inner, r.Unary) and inner.op in ("!", "not"):
            inner = places.strip(inner.value)
        return isinstance(inner, r.Name | r.Member) and places.last_name(inner) in self._owning_flags

    @cached_property
    def _owning_flags(self) -> frozenset[str]:
        """The members that decide in the destructor whether the handle is released."""
        cls, name = self.function.home or self.slot.cls, self.slot.field.name  # the handle may be in a base
        ended = self.ending.resources.end_of(cls, name)
        asked = (
            places.last_name(inner)
            for test, _ in (ended.function.flow.guards(ended.call) if ended is not None else ())
            for inner in places.walk(test.value)
            if isinstance(inner, r.Name | r.Member)
        )
        return frozenset(one for one in asked if one != name and cls.field(one) is not None)

    def occupied(self, value: r.Value | None) -> bool | None:
        """The outcome of the test that says that the slot holds something; None when it says nothing of that."""
        inner = places.strip(value)
        match inner:
            case r.Unary(op="!" | "not", value=operand):
                known = self.occupied(operand)
                return None if known is None else not known
            case r.Binary(op="==" | "!=" as op, left=left, right=right):
                for one, other in ((left, right), (right, left)):
                    if self.ending.is_it(one) and self._is_nothing(other):
                        return op == "!="
                return None
            case r.Call(callee=r.Member(base=base, name=name)) if self.ending.touches(base):
                return True if name in _HAS else None
            case r.Name(text=name) if name in self._inserted:
                return False
            case r.Name() | r.Member() | r.Index():
                return True if self.ending.is_it(inner.base if isinstance(inner, r.Index) else inner) else None
        return None

    @cached_property
    def _inserted(self) -> frozenset[str]:
        """The locals that say whether an insert has found nothing: `auto [it, fresh] = cache_.try_emplace(key)`."""
        keyed = self.function.program.models.containers.keyed
        return frozenset(
            statement.names[-1]
            for statement in self.function.statements
            if isinstance(statement, r.Declare)
            and isinstance(inner := places.strip(statement.value), r.Call)
            and places.last_name(inner.callee) in keyed
            and self.ending.touches(places.receiver(inner))
        )

    def _is_nothing(self, value: r.Value) -> bool:
        inner = places.strip(value)
        if isinstance(inner, r.Literal):
            return inner.kind == "null" or inner.text == "0"
        if isinstance(inner, r.Call) and places.last_name(inner.callee) in _ENDS:
            on = places.receiver(inner)
            return on is None or any(self.ending.is_said(one) for one in places.walk(on))
        return False
