"""What a call does with the counted references that one way through a function holds."""

from __future__ import annotations

from functools import cached_property

from ownlint.domains import numbers
from ownlint.domains.counted import outs
from ownlint.domains.counted.callbacks import requests
from ownlint.domains.counted.counting_tests import ERROR, Tests
from ownlint.domains.counted.counting_ways import CountTrouble, What, bare_value, result_place
from ownlint.domains.counted.counts import NULL, OUT, CountDraft, HeldReference, Id, Kind, KnownPlace, Null
from ownlint.domains.counted.outs import Filled, filling_names
from ownlint.domains.counted.references import (
    Use,
    gives_up_reference,
    maker_called,
    may_count,
    overwritten,
    owns_member,
)
from ownlint.engine.assignments import place as named_place
from ownlint.engine.macro_calls import written_out
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.places import Place, last_name, render, strip, walk
from ownlint.flow.remembered import remembered
from ownlint.models.formats import format_letters
from ownlint.models.records import Effect, FunctionModel
from ownlint.project import types

_MOST_REFERENCES = 6


def _keeps_given(effect: Effect) -> bool:
    """Whether something is kept that was given: not the result, which the argument it is asked of keeps."""
    return effect.verb == "keep" and (effect.place is None or effect.place.kind != "result")


def _is_of(test: r.Value, name: str) -> bool:
    """Whether a test is about the local, or asks how something went: not `if (owns)`."""
    bare = bare_value(test)
    while isinstance(bare, r.Unary) and bare.op in ("!", "not"):
        bare = bare_value(bare.value)
    return not isinstance(bare, r.Name | r.Member) or (isinstance(bare, r.Name) and bare.text == name)


_COUNTING: frozenset[Use] = frozenset({"released", "retained", "stolen", "stolen on success", "passed on"})
"""What changes the count of an argument."""


class CountingCalls(Tests):
    """Calls: what they take over, count, hand out and write through addresses."""

    def call(self, event: e.CallEvent, draft: CountDraft) -> list[CountDraft]:
        call = event.node
        if call.kind == "delete":
            return [draft]
        if (macro := last_name(call.callee)) in self.macros:
            self.lose_named(draft, macro)
        self.note_error(call, draft)
        self.look_at(event, draft)
        for argument in call.args:
            self.lose_captured(draft, argument)
            self.lose_items(draft, argument)
        ways = [draft]
        assigned = self.assigned_by_macro(call)
        given = [
            (index, argument, one)
            for index, argument in self.arguments_taken(event, draft)
            if (one := self.id_of(draft, argument) or self.counted_place(event, draft, index, argument)) is not None
        ]
        moved = self.moved_into_local(call)
        for index, argument, one in given:
            if one not in draft.objects or (moved is not None and index == moved[1]):
                continue
            taken = bare_value(self.chosen(call.args[index], draft))
            if argument is not taken and self.use(event, index) in _COUNTING:
                draft.forget(one)  # one side of `c ? a : b`, and whether it is that one is not known
            else:
                ways += self.give(event, draft, index, argument, one)
        if moved is not None:
            self.move_in(draft, moved[0], call.args[moved[1]])
        self.constants_given(event, draft, {index for index, _, _ in given})
        self.members_given(event)
        self.begin_request(event, draft)
        self.replace(event, draft)
        ways = [another for one_way in ways for another in self.through_addresses(event, one_way)]
        for one_way in ways:
            self.by_receiver(event, one_way)
            self.hand_out(event, one_way)
            self.drop_arguments(call, one_way)
            for where in assigned:
                self.lose(one_way, where)
            if event.dropped:
                self.drop_result(call, one_way)
        return ways

    def arguments_taken(self, event: e.CallEvent, draft: CountDraft) -> tuple[tuple[int, r.Value], ...]:
        """The arguments, of `c ? a : b` both sides unless it is known which is taken on this way."""
        given = self.arguments(event.node)
        if not self.choices(event):
            return given
        taken = [bare_value(self.chosen(argument, draft)) for argument in event.node.args]
        return tuple(
            (index, argument)
            for index, argument in given
            if argument is taken[index] or isinstance(taken[index], r.Conditional)
        )

    def note_error(self, call: r.Call, draft: CountDraft) -> None:
        """`PyErr_SetString(..)` leaves an error behind, which stays until something may clear it."""
        model = self.model(call)
        if model is not None and model.has("acquire", "global"):
            draft.places[ERROR] = KnownPlace("+")
        elif ERROR in draft.places and (model is None or model.has("release", "global")):
            draft.places.pop(ERROR)

    @remembered
    def assigned_by_macro(self, call: r.Call) -> list[Place]:
        """What a macro of the project is given and assigns to: `#define DROP(v) do { Py_XDECREF(v); v = NULL; }`."""
        found = []
        for macro in self.function.program.macros.named(last_name(call.callee)):
            assigned = overwritten(macro)
            for name, argument in zip(macro.parameters or (), call.args, strict=False):
                if name in assigned and (where := self.place(argument)) is not None:
                    found.append(where)
        return found

    def begin_request(self, event: e.CallEvent, draft: CountDraft) -> None:
        """Where C is given a part of an object, and a function that counts it down: that one's reference is taken
        before, and then it may be the request's by now, or is taken afterwards."""
        for where in self.requests(event.node):
            if (one := draft.id_at(where)) is None:
                continue
            held = draft.objects[one]
            if held.raised >= 0 and held.owed > (held.kind == "new"):
                draft.forget(one)
            else:
                draft.change(one, lent=True)

    @remembered
    def requests(self, call: r.Call) -> tuple[Place, ...]:
        return tuple(requests(call, self.function, type(self)))

    @remembered
    def moved_into_local(self, call: r.Call) -> tuple[Place, int] | None:
        """`Py_SETREF(made, other)`: the local whose reference is released and that gets another, and the index of what
        it gets. A place that others see has a reference of its own, which is given to it."""
        if (replaced := self.replaced_by(call)) is None:
            return None
        into, given = replaced
        where = self.place(call.args[into])
        if where is not None and not self.is_seen_by_others(bare_value(call.args[into]), where):
            return where, given
        return None

    def put_by_call(self, event: e.CallEvent, draft: CountDraft, index: int, one: Id) -> bool:
        """`Py_XSETREF(self->item, borrowed)`: a place that others see has it from now on, uncounted."""
        replaced, held = self.replaced_by(event.node), draft.objects[one]
        if replaced is None or replaced[1] != index or held.owed > 0 or not self.is_borrowed(held):
            return False
        target = bare_value(event.node.args[replaced[0]])
        where = self.place(target)
        if where is None or not self.is_seen_by_others(target, where) or not self.is_lasting(target, where):
            return False
        draft.change(one, owed=held.owed - 1, put=event.index)
        draft.places[where] = one
        return True

    def move_in(self, draft: CountDraft, where: Place, value: r.Value) -> None:
        self.put(draft, where, self.id_of(draft, value), value)

    def put(self, draft: CountDraft, where: Place, one: Id | None, value: r.Value | None) -> None:
        """The place refers to `one` from here on; where there is none, to whatever the value is."""
        draft.places.pop(where, None)
        if one is not None:
            draft.places[where] = one
        else:
            self.write_other(draft, where, value)

    def write_other(self, draft: CountDraft, where: Place, value: r.Value | None) -> None:
        bare = bare_value(value)
        match bare:
            case r.Literal(kind="null"):
                draft.places[where] = NULL
            case r.Literal(kind="int" | "bool", text=said):
                sign = "-" if said.startswith("-") else "+"
                small = said.lower()
                draft.places[where] = (
                    NULL if small in ("0", "false") else KnownPlace(sign, small in ("1", "-1", "true"))
                )
            case r.Unary(op="-", value=r.Literal(kind="int")):
                draft.places[where] = KnownPlace("-")
            case r.Call():
                known = draft.places.get(result_place(bare))
                if isinstance(known, KnownPlace):
                    draft.places[where] = known
            case r.Name() | r.Member():
                source = self.place(bare)
                known = draft.places.get(source) if source is not None else None
                if isinstance(known, KnownPlace):
                    draft.places[where] = known
                elif source is not None and self.is_seen_by_others(bare, source):
                    one = self.kept_in(draft, bare)
                    if one is not None:
                        draft.places[where] = one

    def counted_place(self, event: e.CallEvent, draft: CountDraft, index: int, argument: r.Value) -> Id | None:
        """A member or a global that is counted up."""
        if self.said_uses(event.node)[index] != "retained":
            return None
        return self.kept_in(draft, argument)

    def look_at(self, event: e.CallEvent, draft: CountDraft) -> None:
        """Arguments that are gone, or that may be NULL where nobody has looked."""
        call = event.node
        needed = self.needed(call)
        for index, argument in self.arguments_taken(event, draft):
            one = self.id_of(draft, argument)
            if one is None:
                continue
            held = draft.objects[one]
            use = self.said_uses(call)[index]
            dead = draft.is_dead(one)
            if dead >= 0:
                if held.dead >= 0 and use == "released":
                    self.report("released twice", draft, one, event, argument, held.dead)
                else:
                    retains = held.dead >= 0 and (use == "retained" or self.model_has(call, "retain", index))
                    what: What = "retained after release" if retains else "used after release"
                    self.report(what, draft, one, event, argument, dead)
                draft.forget(one)
            elif held.null != "no" and index in needed:
                if held.null == "maybe":
                    self.report("null used", draft, one, event, argument)
                draft.change(one, null="no")
        for index, argument in self.arguments(call):
            where = self.place(argument)
            known = draft.places.get(where) if where is not None else None
            if not isinstance(known, KnownPlace) or known.signs != "0" or where is None:
                continue
            use = self.said_uses(call)[index]
            if use not in ("released", "retained"):
                draft.places.pop(where)  # had it been NULL, the call would have failed
                is_set = known.exact and not self.is_filled_elsewhere(where)
                asked = self.asked_just_before(event, where) if index in needed and not is_set else None
                if asked is not None:
                    self.null_given(event, argument, asked)
                if not is_set:
                    continue
            if index in needed:
                self.null_given(event, argument)
        for index in needed:
            if self.is_null(call.args[index]):
                self.null_given(event, call.args[index])

    @remembered
    def needed(self, call: r.Call) -> tuple[int, ...]:
        """The arguments (from 0) that must not be NULL, by what a model says, or of what a macro calls with them:
        `#define Sack_Check(o) PyObject_TypeCheck(o, &Sack_Type)`."""
        model = self.model(call)
        if model is not None:
            given = (effect.place.index for effect in model.effects if effect.verb == "needs" and effect.place)
            return tuple(sorted(index for index in set(given) if 0 <= index < len(call.args)))
        if call.kind != "call" or not self.references.is_macro(call):
            return ()
        steps = written_out(call, self.function.program)[:1]  # what comes behind may be under a condition
        inner = next((step for step in steps if isinstance(step, r.Call)), None)
        if inner is None or (called := self.model(inner)) is None:
            return ()
        return tuple(
            index
            for index, argument in enumerate(call.args)
            if any(one is argument and called.has("needs", f"argument {at + 1}") for at, one in enumerate(inner.args))
        )

    def is_null(self, value: r.Value | None) -> bool:
        """Whether it is written there as NULL, or as a macro that stands for it."""
        bare = bare_value(value)
        return bare is not None and isinstance(found := self.constant(bare), r.Literal) and found.kind == "null"

    def null_given(self, event: e.CallEvent, argument: r.Value, asked: e.Test | None = None) -> None:
        key = ("null used", self.place(argument) or argument.start, event.index)
        self.found.setdefault(key, CountTrouble("null used", text(argument), event, event, asked, argument))

    def asked_just_before(self, event: e.CallEvent, where: Place) -> e.Test | None:
        """The test for NULL that is the last one on every way to the call, if what stands in between goes on for
        certain: `if (item == NULL) PyErr_SetString(..); use(item);`."""
        waiting, seen = [event.index], set[int]()
        asked: set[int] = set()
        while waiting:
            for source, _ in self.flow.predecessors[waiting.pop()]:
                match before := self.flow.events[source]:
                    case e.Test(value=value, asserted=asserted):
                        if asserted or not any(self.place(inner) == where for inner in walk(value)):
                            return None
                        asked.add(source)
                    case e.Write(place=place) if place == where:
                        return None
                    case e.CallEvent(node=node) if not self.goes_on(node):
                        return None
                    case _ if source not in seen:
                        seen.add(before.index)
                        waiting.append(source)
        last = self.flow.events[asked.pop()] if len(asked) == 1 else None
        return last if isinstance(last, e.Test) else None

    def goes_on(self, call: r.Call) -> bool:
        """Whether it is known what is called: no macro, which may leave."""
        if self.model(call) is not None:
            return True
        callee = self.function.program.calls.callee(call, self.function)
        return not self.references.is_macro(call) and bool(callee.records or callee.models)

    def is_filled_elsewhere(self, where: Place) -> bool:
        """Whether something else than NULL is written there, too: under which condition, and whether that is the one
        under which it is used, is not followed."""
        written = (bare_value(write.value) for write in self.flow.writes_to(where))
        return any(not (isinstance(value, r.Literal) and value.kind == "null") for value in written)

    def give(self, event: e.CallEvent, draft: CountDraft, index: int, argument: r.Value, one: Id) -> list[CountDraft]:
        """What the call does with one object; the other ways that it opens."""
        use, call = self.use(event, index), event.node
        held = draft.objects[one]
        if use in ("released", "stolen") and self.is_kept_by_callee(call, index):
            self.shared.add(one)
        match use:
            case "released":
                self.release(event, draft, argument, one)
            case "retained":
                if held.lent:
                    draft.change(one, lent=False)
                elif held.kind == "borrowed" and isinstance(bare_value(argument), r.Call):
                    # `Py_INCREF(PyTuple_GET_ITEM(all, i))` under no name: for the slot, or who looks there again
                    draft.forget(one)
                elif held.owed >= _MOST_REFERENCES:
                    draft.forget(one)
                else:
                    draft.change(one, owed=held.owed + 1, raised=event.index)
            case "stolen":
                if not self.put_by_call(event, draft, index, one):
                    self.steal(event, draft, argument, one)
            case "stolen on success":
                failed = draft.copy()
                failed.change(one, pending=True)
                failed.places[result_place(call)] = KnownPlace("-")
                self.steal(event, draft, argument, one)
                draft.places[result_place(call)] = NULL
                return [failed]
            case "lent":
                self.lend(event, draft, index, one)
            case "passed on":
                if not self.model_has(call, "retain", index):
                    draft.places[result_place(call)] = one
                elif held.owed < _MOST_REFERENCES:
                    draft.change(one, owed=held.owed + 1, raised=event.index)
                    draft.places[result_place(call)] = one
            case "borrowed by an owner":
                pass
            case "" if held.stored and outs.led_to(bare_value(argument), self.function) is not None:
                pass  # the reference is the caller's by now, and only looked at
            case _:
                self.give_on(draft, one)
        return []

    def is_kept_by_callee(self, call: r.Call, index: int) -> bool:
        """Whether a function of the project gives the argument to somebody who keeps it."""
        if self.said_uses(call)[index]:
            return False
        found = self.summary_at(call)
        return found is not None and index in found.shared

    def release(self, event: e.CallEvent, draft: CountDraft, argument: r.Value, one: Id) -> None:
        held = draft.objects[one]
        where = self.place(argument)
        clears = self.model_has(event.node, "clear", 0)
        if where is not None and self.is_seen_by_others(bare_value(argument), where) and where[0] != "%":
            draft.forget(one)  # the place's own reference
        elif held.owed > 0:
            draft.change(one, owed=held.owed - 1)
            self.ends.setdefault(self.site(one).index, set()).add(True)
            if held.owed == 1 and held.kind == "new" and not held.stored:
                draft.change(one, freed=event.index, dead=-1 if self.is_shared(draft, one) else event.index)
        elif held.taken >= 0:
            self.report("released given", draft, one, event, argument, held.taken)
            draft.forget(one)
        elif held.put >= 0 and held.raised > held.put:
            draft.forget(one)  # what the place was given is taken back
        elif held.freed >= 0 and not held.stored and held.kind != "given":
            self.report("released twice", draft, one, event, argument, held.freed)
            draft.forget(one)
        elif held.kind == "borrowed":
            if not self.is_replaced(one):
                self.report("released borrowed", draft, one, event, argument, one[0])
            draft.forget(one)
        elif held.kind == "given":
            if self.is_slot:
                self.report("released borrowed", draft, one, event, argument)
            draft.change(one, owed=held.owed - 1, freed=event.index)
        else:
            draft.forget(one)
        if where is not None and where[:2] == OUT:
            draft.places.pop(where, None)  # nothing is left in the caller's variable that anybody owes
        if clears and where is not None:
            draft.places[where] = NULL

    def is_replaced(self, one: Id) -> bool:
        """Whether another object is written later to the member from which a macro has read it:
        `Py_DECREF(PyArray_DESCR(a)); fields(a)->descr = other;`. The member's own reference is released."""
        site = self.site(one) if one[0] >= 0 else None
        model = self.model(site.node) if isinstance(site, e.CallEvent) else None
        if model is None or not model.member or not isinstance(site, e.CallEvent) or not site.node.args:
            return False
        owner = named_place(self.function, strip(site.node.args[0]))
        return owner is not None and any(
            isinstance(write, e.Write)
            and isinstance(target := bare_value(write.target), r.Member)
            and target.name == model.member
            and named_place(self.function, strip(target.base)) == owner
            for write in self.flow.after(site)
        )

    def steal(self, event: e.CallEvent, draft: CountDraft, argument: r.Value, one: Id) -> None:
        held = draft.objects[one]
        constant = any(place[0] == "%object" for place in draft.holders(one))
        if (held.kind == "kept" and not constant) or held.stored:
            draft.forget(one)
            return
        self.ends.setdefault(self.site(one).index, set()).add(True)
        into = self.container(event, draft)
        if into is not None and self.has_room(event, draft, into):
            draft.places[result_place(event.node)] = NULL
        draft.change(one, owed=held.owed - 1, taken=event.index, owner=into)

    def has_room(self, event: e.CallEvent, draft: CountDraft, into: Id) -> bool:
        """Whether the container was made here with a place for what is put in, so that the call cannot fail."""
        model, held, made = self.model(event.node), draft.objects[into], self.site(into)
        if model is None or not model.room_made_by or held.kind != "new" or held.stored:
            return False
        if not isinstance(made, e.CallEvent) or (maker := self.model(made.node)) is None:
            return False
        return maker.name in model.room_made_by and self.is_below(event, made)

    def is_below(self, put: e.CallEvent, made: e.CallEvent) -> bool:
        """Whether the index may be one of those that the container was made for; it is where nothing is known."""
        if len(put.node.args) < 2 or not made.node.args:
            return False
        index = numbers.within(put.node.args[1], self.function, put)
        size = numbers.within(made.node.args[0], self.function, made)
        return index.low < size.high

    def replace(self, event: e.CallEvent, draft: CountDraft) -> None:
        """What stood in a container where something is put now may have been taken out."""
        into = self.container(event, draft)
        for other in draft.borrowers(into) if into is not None else ():
            lent = draft.objects[other]
            if lent.kind == "borrowed" and lent.taken < 0 and lent.put < 0:
                draft.forget(other)

    def constants_given(self, event: e.CallEvent, draft: CountDraft, seen: set[int]) -> None:
        """A library's own object that is given to who steals: `PyTuple_SET_ITEM(t, 0, NONE)`, settled by a count up.
        Arguments that are `seen` have been dealt with as what the place holds."""
        for index, argument, name in self.constants_in(event.node):
            if index in seen:
                continue
            where = ("%object", name)
            one = draft.id_at(where)
            if one is None:
                one = draft.begin(event.index, HeldReference("borrowed", 0, "no"))
                draft.places[where] = one
            match self.use(event, index):
                case "stolen":
                    self.steal(event, draft, argument, one)
                case "retained":
                    draft.change(one, owed=min(draft.objects[one].owed + 1, 2))
                case "lent":
                    pass
                case "released":
                    draft.forget(one)
                    for equal, own in self.equal_to(event):
                        if own == name and (released := self.id_of(draft, equal)) is not None:
                            draft.forget(released)
                case _:
                    draft.forget(one)

    @remembered
    def equal_to(self, event: e.CallEvent) -> tuple[tuple[r.Value, str], ...]:
        """What has been found to be a library's own object on every way to the call, with that one's name:
        `if (found == Py_None) Py_DECREF(Py_None);`."""
        found: list[tuple[r.Value, str]] = []
        for test, outcome in self.flow.guards(event):
            asked = bare_value(test.value)
            if isinstance(asked, r.Binary) and asked.op in ("==", "!=") and outcome == (asked.op == "=="):
                for one, other in ((asked.left, asked.right), (asked.right, asked.left)):
                    if isinstance(bare := bare_value(other), r.Name) and self.is_standing(bare):
                        found.append((one, bare.text))
        return tuple(found)

    @remembered
    def constants_in(self, call: r.Call) -> tuple[tuple[int, r.Value, str], ...]:
        """The arguments that are such objects, and their names."""
        return tuple(
            (index, argument, bare.text)
            for index, argument in self.arguments(call)
            if isinstance(bare := bare_value(argument), r.Name) and self.source(bare).kind == "borrowed"
        )

    @remembered  # it is told once
    def members_given(self, event: e.CallEvent) -> None:
        """What a member of the slot's own object holds is given to who steals, and the member goes on to hold it:
        `PyTuple_SET_ITEM(t, i, self->values[i])`."""
        for index, argument in self.arguments(event.node):
            bare = bare_value(argument)
            member = bare.base if isinstance(bare, r.Index) else bare
            if not isinstance(member, r.Member) or not self.is_slot or self.use(event, index) != "stolen":
                continue
            said = text(argument)
            if self.is_of_own_object(member) and not self.is_changed_here(member.name, said):
                key = ("stolen borrowed", argument.start, event.index)
                entry = self.flow.events[self.flow.entry]
                self.found.setdefault(key, CountTrouble("stolen borrowed", said, entry, event, None, argument))

    def is_of_own_object(self, member: r.Member) -> bool:
        """Whether it is a member of what the slot is called on, which nobody else is given here."""
        if not isinstance(member.base, r.Name) or not member.arrow or not self.function.record.parameters:
            return False
        own = self.function.record.parameters[0].name
        names = {own} | {
            write.place[0]
            for write in self.flow.writes
            if isinstance(bare := bare_value(write.value), r.Name) and bare.text == own and len(write.place) == 1
        }
        return member.base.text in names and not any(
            isinstance(given := bare_value(argument), r.Name)
            and given.text in names
            and not self.references.is_library(call.node, self.function)
            and self.model(call.node) is None
            for call in self.flow.calls
            for argument in call.node.args
        )

    def is_changed_here(self, member: str, said: str) -> bool:
        """Whether the function writes to the member, hands it on otherwise than as an element, or counts it up."""
        if any(member in write.place for write in self.flow.writes):
            return True
        for call in self.flow.calls:
            for index, argument in self.arguments(call.node):
                if text(argument) == said:
                    if self.said_uses(call.node)[index] in ("retained", "passed on"):
                        return True
                elif not isinstance(argument, r.Index) and any(
                    isinstance(inner, r.Member) and inner.name == member for inner in walk(argument)
                ):
                    return True
        return False

    def lend(self, event: e.CallEvent, draft: CountDraft, index: int, one: Id) -> None:
        """The callee only looks, unless it keeps a reference of its own, or what it makes does."""
        model = self.model(event.node)
        if model is None and (found := self.summary_at(event.node)) is not None and index not in found.shared:
            draft.change(one, null="unknown")
        elif model is None or model.calls or any(_keeps_given(effect) for effect in model.effects):
            draft.change(one, null="unknown")
            self.shared.add(one)
            self.given_on.add(one)
        elif model.has("acquire", "result"):  # what it makes may hold it, as long as that lives
            draft.change(one, null="unknown")
            self.lent.setdefault(event.index, set()).add(one)

    def by_receiver(self, event: e.CallEvent, draft: CountDraft) -> None:
        """`h.dec_ref()`, `h.inc_ref()`, `h.release()` of a handle."""
        callee = event.node.callee
        if not isinstance(callee, r.Member):
            return
        one = self.id_of(draft, callee.base)
        if one is None:
            return
        model = self.model(event.node)
        if model is None:
            draft.forget(one)
        elif model.has("release", "receiver"):
            self.release(event, draft, callee.base, one)
        elif model.has("retain", "receiver"):
            draft.change(one, owed=draft.objects[one].owed + 1, raised=event.index)
        if one in draft.objects and model is not None and model.has("returns", "receiver"):
            draft.places[result_place(event.node)] = one

    def through_addresses(self, event: e.CallEvent, draft: CountDraft) -> list[CountDraft]:
        """`&x` among the arguments: what the callee writes there. One way for each answer that says whether it did."""
        ways = [draft]
        call = event.node
        model = self.model(call)
        answer = result_place(call)
        nothing = draft.copy() if model is not None and model.together else None
        letters = self.format_letters(call) if model is not None and model.format_lends else None
        lends = model.format_lends if model is not None else ""
        for index, argument in enumerate(call.args):
            bare = strip(argument)
            if not isinstance(bare, r.Unary) or bare.op != "&":
                continue
            where = named_place(self.function, bare.value)
            if where is None or where[0] not in self.function.declared:
                continue
            if len(where) > 1:
                self.lose(draft, where)
                continue
            if model is not None and model.counted and model.has("acquire", f"argument {index + 1}"):
                self.lose_old(event, draft, where)
                if model.has("may fail"):
                    ways += self.without(event, draft, where, model)
                there = nothing is not None or model.has("may fail")
                null: Null = "maybe" if model.rest_nullable and index else "no" if there else "unknown"
                one = draft.begin(event.index, HeldReference("new", 1, null))
                draft.places[where] = one
                self.shared.add(one)
                if nothing is not None:
                    self.lose(nothing, where)
            elif model is not None and model.counted and model.has("borrow", f"argument {index + 1}"):
                draft.places.pop(where, None)  # what it has held is settled where the function is left
                owner = self.lender_of(event, draft, model, index)
                draft.places[where] = draft.begin(event.index, HeldReference("borrowed", 0, "no", owner))
            elif model is not None and (owner := self.lender_of(event, draft, model, index)) is not None:
                self.lose(draft, where)
                draft.places[where] = draft.begin(event.index, HeldReference("memory", 0, "unknown", owner))
            elif model is not None and model.counted and model.has("release", f"argument {index + 1}"):
                if (held := draft.id_at(where)) is not None:
                    self.release(event, draft, bare.value, held)
                    self.lose(draft, where)  # empty now, and may be released again
            elif letters is not None and model is not None and letters.get(index, "?") in model.format_acquires:
                if nothing is None:
                    nothing = draft.copy()
                    nothing.places[answer], draft.places[answer] = NULL, KnownPlace("+")
                self.lose(draft, where)
                draft.places[where] = draft.begin(event.index, HeldReference("new", 1, "no"))
                self.lose(nothing, where)
            elif letters is not None and letters.get(index, "?") in lends:
                draft.places.pop(where, None)
                draft.places[where] = draft.begin(event.index, HeldReference("borrowed", 0, "unknown"))
            elif model is None and (out := self.filled_at(call, index)) is not None:
                ways += self.fill(event, draft, where, out)
            else:
                self.lose(draft, where)
        return ways if nothing is None else [*ways, nothing]

    @remembered
    def format_letters(self, call: r.Call) -> dict[int, str] | None:
        """See `references.format_letters`."""
        model = self.model(call)
        return format_letters(call, model) if model is not None else None

    def filled_at(self, call: r.Call, index: int) -> Filled | None:
        """What a function of the project writes to where the argument leads, if that is a reference."""
        if call.kind != "call" or last_name(call.callee) not in filling_names(self.function.program):
            return None
        found = self.summary_at(call)
        return next((one for one in found.filled if one.parameter == index), None) if found is not None else None

    def fill(self, event: e.CallEvent, draft: CountDraft, where: Place, out: Filled) -> list[CountDraft]:
        """The way on which there was nothing to write; `draft` is left with that on which there was."""
        answer = result_place(event.node)
        known = draft.places.get(answer)
        self.lose(draft, where)
        ways = []
        if out.failed and known is None:
            for sign in out.failed:
                way = draft.copy()
                way.places[answer] = KnownPlace(sign)
                ways.append(way)
        if out.worked and known is None:
            draft.places[answer] = NULL if out.worked == "0" else KnownPlace(out.worked)
        if out.kind == "borrowed":
            asked = event.node.args[out.lender] if 0 <= out.lender < len(event.node.args) else None
            owner = self.id_of(draft, asked) or self.unknown_in(event, draft, asked)
            draft.places[where] = draft.begin(event.index, HeldReference("borrowed", 0, "unknown", owner))
            return ways
        # Where the answer does not tell, nobody may owe it.
        one = draft.begin(event.index, HeldReference("new", 1, "no", pending=not out.worked))
        draft.places[where] = one
        self.shared.add(one)
        return ways

    def lender_of(self, event: e.CallEvent, draft: CountDraft, model: FunctionModel, index: int) -> Id | None:
        """Whose object, or memory, the call writes through argument `index`."""
        for effect in model.effects:
            if effect.verb == "borrow" and effect.place is not None and effect.place.index == index:
                other = effect.other.index if effect.other is not None else -1
                return self.id_of(draft, event.node.args[other]) if 0 <= other < len(event.node.args) else None
        return None

    def without(self, event: e.CallEvent, draft: CountDraft, where: Place, model: FunctionModel) -> list[CountDraft]:
        """The ways on which the callee has nothing to write; `draft` is left with that on which it has."""
        answer = result_place(event.node)
        if model.fails_by_zero:
            others = [("0", False)]
        else:
            others = [("-", False)] if model.answers_zero else [("-", False), ("0", not model.nullable)]
        ways = []
        for sign, filled in others:
            way = draft.copy()
            way.places[answer] = KnownPlace(sign)
            way.places[where] = way.begin(event.index, HeldReference("new", 1, "no")) if filled else NULL
            ways.append(way)
        draft.places[answer] = KnownPlace("0" if model.answers_zero else "+")
        return ways

    def lose_old(self, event: e.CallEvent, draft: CountDraft, where: Place) -> None:
        """The variable is written to: what it held before has to be settled."""
        one = draft.id_at(where)
        held = draft.objects[one] if one is not None else None
        if one is not None and held is not None and held.kind == "new" and held.null == "no" and held.owed > 0:
            others = [place for place in draft.holders(one) if place != where]
            if not others and not held.stored and not held.pending:
                self.report("overwritten", draft, one, event, name=render(where))
        self.lose(draft, where)

    def hand_out(self, event: e.CallEvent, draft: CountDraft) -> None:
        where = result_place(event.node)
        if where in draft.places or id(event.node) in self.escaping:
            return
        source = self.source(event.node)
        if source.call is event.node and source.kind == "borrowed" and source.model is None:
            draft.places[where] = draft.begin(event.index, HeldReference("borrowed", 0, "maybe"))
            return
        if source.call is not event.node or source.model is None:
            if self.is_kept_by_argument(event.node):
                draft.places[where] = draft.begin(event.index, HeldReference("kept", 0, "no"))
                return
            self.by_summary(event, draft, where)
            if where not in draft.places and self.is_presumed_new(event):
                draft.places[where] = one = draft.begin(event.index, HeldReference("new", 1, "unknown"))
                self.shared.add(one)
                self.presumed.add(event.index)
            return
        is_there = source.kind == "new" or source.model.never_null  # what is lent may be NULL where that is asked
        null = "maybe" if source.model.nullable else "no" if is_there else "unknown"
        if source.kind == "new":
            if source.model.has("retain", "receiver"):
                return
            if source.model.has("retain", "argument 1"):  # one more reference to what somebody else has
                draft.places[where] = one = draft.begin(event.index, HeldReference("new", 1, "unknown"))
                self.shared.add(one)
                return
            lent = tuple(sorted(other for other in self.lent.get(event.index, ()) if other in draft.objects))
            one = draft.begin(event.index, HeldReference("new", 1, null, holds=lent))  # type: ignore[arg-type]
            if source.model.has("keep", "result"):
                self.shared.add(one)
        elif source.kind == "borrowed":
            owner = self.id_of(draft, source.owner) or self.unknown_in(event, draft, source.owner)
            one = draft.begin(event.index, HeldReference("borrowed", 0, null, owner))  # type: ignore[arg-type]
        else:
            return
        draft.places[where] = one

    def is_shared(self, draft: CountDraft, one: Id) -> bool:
        """Whether something that lives may have a reference to it."""
        return one in self.shared or draft.is_held(one, self.given_on)

    @cached_property
    def given_on(self) -> set[Id]:
        """What a call may keep, other than the object that it was read from."""
        return set()

    @cached_property
    def lent(self) -> dict[int, set[Id]]:
        """What the call of an event looks at that makes something of it."""
        return {}

    @cached_property
    def presumed(self) -> set[int]:
        """Calls that are taken to hand out a new reference, by their events."""
        return set()

    @remembered
    def is_presumed_new(self, event: e.CallEvent) -> bool:
        """Whether nobody says what the call hands out, and the function releases the local that gets it, under no
        condition that has nothing to do with it."""
        into, node = event.into, event.node
        if into is None or into[0] not in self.released or len(into) > 1 or node.kind != "call":
            return False
        if self.model(node) is not None or self.references.is_macro(node):
            return False
        later = [release for release in self.released[into[0]] if release.index > event.index]
        held = (
            {one.index for one in self.flow.after(event, lambda one: self.sets_anew(one, into, node))} if later else ()
        )
        return any(
            all(_is_of(test.value, into[0]) for test, _ in self.flow.guards(release) if test.index > event.index)
            for release in later
            if release.index in held
        )

    @staticmethod
    def sets_anew(event: e.Event, where: Place, call: r.Call) -> bool:
        """Whether a local gets something else than what the call has handed out."""
        return (
            isinstance(event, e.Write)
            and event.place == where
            and not any(inner is call for inner in walk(event.value))
        )

    @cached_property
    def released(self) -> dict[str, list[e.CallEvent]]:
        """By local for a bare reference where the function releases it, of those of which no reference is taken there:
        what a call puts into them belongs to the function."""
        known, locals_ = self.references, self.function.locals
        releases: dict[str, list[e.CallEvent]] = {}
        others = {*self.function.parameter_names, *self.statics}
        for event in self.flow.calls:
            for index, argument in self.arguments(event.node):
                bare = bare_value(argument)
                if isinstance(bare, r.Unary) and bare.op == "&" and isinstance(bare.value, r.Name):
                    others.add(bare.value.text)
                elif isinstance(bare, r.Name):
                    use = known.use(event.node, index, self.function)
                    if use == "released":
                        releases.setdefault(bare.text, []).append(event)
                    elif use == "retained":
                        others.add(bare.text)
        if not releases:
            return releases
        others |= {write.place[0] for write in self.flow.writes if self.puts_another(write)}
        return {
            name: where
            for name, where in releases.items()
            if name not in others and name in locals_ and known.is_pointer(locals_[name][0], self.function)
        }

    def puts_another(self, write: e.Write) -> bool:
        """Whether the local gets what no call has handed out as new: NULL is nothing."""
        value = bare_value(write.value)
        if len(write.place) > 1 or (write.fresh and value is None) or self.is_null(value):
            return False
        return not isinstance(value, r.Call) or self.source(value).kind == "borrowed"

    def is_kept_by_argument(self, call: r.Call) -> bool:
        """Whether the result is an object that an argument keeps, and whose reference may be moved out: there is a
        function that gives a new reference to the same."""
        model = self.model(call)
        return model is not None and not model.counted and bool(model.replaced_by) and model.has("borrow", "result")

    def unknown_in(self, event: e.CallEvent, draft: CountDraft, value: r.Value | None) -> Id | None:
        """Somebody else's object in a local: that it is one and the same is all that is known."""
        where = self.place(value)
        if where is None or where[0] == "%" or where in draft.places:
            return None
        one = draft.begin(-1_000_000 - event.index, HeldReference("kept", 0, "unknown"))
        draft.places[where] = one
        return one

    def by_summary(self, event: e.CallEvent, draft: CountDraft, where: Place) -> None:
        """What a function of the project hands out, or memory of an object."""
        model = self.model(event.node)
        if model is not None:
            for effect in model.effects:
                if effect.verb == "borrow" and str(effect.place) == "result" and effect.other is not None:
                    index = effect.other.index
                    owner = self.id_of(draft, event.node.args[index]) if 0 <= index < len(event.node.args) else None
                    if owner is not None and not model.counted and model.keeps is None:
                        kind = self.asked_type(event.node)
                        null: Null = "no" if kind and kind == self.made(draft, owner) else "unknown"
                        draft.places[where] = draft.begin(event.index, HeldReference("memory", 0, null, owner))
            return
        made = maker_called(event.node, self.function)
        if made is None or not types.parse(made.record.result).pointers:
            return
        found = self.summary_of(made)
        asked = event.node.args[found.lender] if 0 <= found.lender < len(event.node.args) else None
        match found.result:
            case "new":
                draft.places[where] = draft.begin(
                    event.index, HeldReference("new", 1, "maybe" if found.nullable else "no")
                )
            case "borrowed" if not self.is_counted_by_owner(event):
                owner = self.id_of(draft, asked) or self.unknown_in(event, draft, asked)
                lent: Kind = "borrowed"
                if found.member and not owns_member(made.home, found.member, self.function.program):
                    lent = "kept"  # by an object that may only look at it, while its maker owns it
                draft.places[where] = draft.begin(event.index, HeldReference(lent, 0, "unknown", owner))
            case "memory" if (owner := self.id_of(draft, asked)) is not None:
                draft.places[where] = draft.begin(event.index, HeldReference("memory", 0, "unknown", owner))

    def is_counted_by_owner(self, event: e.CallEvent) -> bool:
        """Whether the object that lends by a method counts by another that is called here, or gives up its reference:
        `held.incref();`, `held.release();`."""
        if event.receiver is None or not isinstance(event.node.callee, r.Member):
            return False
        others = (
            (other, made)
            for other in self.flow.calls
            if other is not event and other.receiver == event.receiver
            for made in self.function.program.calls.callee(other.node, self.function).functions
        )
        return any(
            (may_count(made) and not made.record.result.strip("void ")) or (other.dropped and gives_up_reference(made))
            for other, made in others
        )

    def drop_arguments(self, call: r.Call, draft: CountDraft) -> None:
        """The results that were arguments of this call have no name from now on."""
        for _, argument in self.arguments(call):
            bare = bare_value(argument)
            if isinstance(bare, r.Call):
                self.drop_result(bare, draft)
        if isinstance(call.callee, r.Member) and isinstance(bare_value(call.callee.base), r.Call):
            inner = bare_value(call.callee.base)
            assert isinstance(inner, r.Call)
            self.drop_result(inner, draft)
