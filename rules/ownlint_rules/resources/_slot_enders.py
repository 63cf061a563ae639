"""Who ends what a slot holds: destructors, methods, callers, macros, and whoever else the project shows.

Where something could end the handle and that cannot be told, it counts as ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain

from ownlint import (
    CERTAINTIES,
    Certainty,
    Class,
    Function,
    Program,
    because,
    duties,
    glance,
    pairs,
    patterns,
    places,
    questions,
    resources,
    steps,
    tempered,
    types,
    undecoded,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources import _holders as holders
from ownlint_rules.resources import _module_states as module_states
from ownlint_rules.resources._borrowing import Borrowed, puts, whose
from ownlint_rules.resources._emptying import SlotEnding, ended_for_certain
from ownlint_rules.resources._slots import BYTES_A_STEP, WORDS, Slot, SlotStore, made_by_new, slots, texts, values


class SlotEnders:
    """What ends the slots of one program; see `enders`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.resources: resources.Resources = resources.resources(program)
        self.slots = slots(program)
        self._spelled: questions.Answers[str, patterns.AnyName] = questions.Answers()
        self._saying: questions.Answers[tuple[str, str], list[Function]] = questions.Answers()
        self._elsewhere: questions.Answers[str, list[Function]] = questions.Answers()
        self._meant: questions.Answers[tuple[Function, str], list[tuple[Class, r.Field] | None]] = questions.Answers()
        self._asked: list[r.Field] = []
        """The members of which it is being asked whether something ends what they hold."""

    def containers(self, cls: Class) -> list[Slot]:
        """The class's own containers of raw handles whose elements its destructor releases, by whomever they are
        filled."""
        if cls.destructor is None or cls.file.language != "cpp":
            return []
        holding = [
            Slot(cls, field, tuple(stores))
            for field, stores in self.slots.fields(cls)
            if not field.static and types.parse(field.type).arguments and self.slots.is_raw(field.type, cls)
        ]
        return [slot for slot in holding if self.is_released_by_destructor(slot)]

    def is_leaked(self, slot: Slot) -> Certainty | None:
        """How sure it is that nobody ends what the slot holds; None when somebody does, or may."""
        stores = [store for store in slot.stores if store.sure and not store.made.may_be_of_arena]
        stores = [store for store in stores if self._is_first_place(slot, store)]
        stores = [store for store in stores if not self._is_ended_elsewhere(slot, store)]
        if not stores or _says_why(slot.field) or self.is_immortal(slot.cls):
            return None
        if next(self.enders(slot), None) is not None or self._is_taken_back(slot) or self._is_taken_out(slot):
            return None
        if any(self._are_all_ended(release) for store in stores for release in store.made.releases):
            return None
        if (
            self._is_only_listed(slot)
            or slot.field.name in self._released_by_macros
            or self._is_listed_elsewhere(slot, stores)
        ):
            return None
        certainty = min((store.made.certainty for store in stores), key=CERTAINTIES.index)
        if all(self._is_ended_by_caller(store) for store in stores):
            return None
        if (slot.cls.record.destructor == "declared" and slot.cls.destructor is None) or all(
            self._belongs_to_another(store) or self._is_handed_out(store, slot) or self._leaves_the_project(store)
            for store in stores
        ):
            certainty = because("possible", "something else may own it or release it")
        if slot.cls.record.kind == "union" or slot.field.overlaid:
            certainty = because("possible", "the code that knows what the union holds may release it as that")
        if slot.cls.name in module_states.never_cleared(self.program):
            certainty = because(
                "possible", "the module clears nothing of its state, which lives to the interpreter's end"
            )
        if slot.cls in holders.kept_for_good(self.program):
            certainty = because("possible", f"nothing shows that a `{slot.cls.name}` is ever released")
        if self._ends_itself(slot):
            certainty = because("possible", f"what `{slot.field.name}` points to deletes itself")
        if any(_may_be_borrowed(store) for store in stores) or self._is_lent_elsewhere(slot):
            certainty = because("possible", f"`{slot.field.name}` may hold what it does not own as well")
        return tempered(certainty, because("unread-code", "code that was not analysed could release it"))

    def _are_all_ended(self, release: str) -> bool:
        """Whether the project calls a function that releases such handles without being given one: `glfwTerminate()`
        ends whatever windows there are."""
        name = release.rpartition("::")[2]
        return any(
            places.last_name(event.node.callee) == name
            and not event.node.args
            and places.receiver(event.node) is None
            and event.node.kind == "call"
            for function in self.program.index.callers_by_name(name)
            for event in function.flow.calls
        )

    def _is_first_place(self, slot: Slot, store: SlotStore) -> bool:
        """Whether what is put into several members is put into this one first, containers before others: its leak is
        reported there alone."""
        others = self._places_of(store)
        if len(others) < 2:
            return True
        puts = [
            (not one.element, one.node.start, other) for other in others for one in other.stores if one.at == store.at
        ]
        return min(puts, key=lambda put: put[:2])[2].field is slot.field

    def _is_ended_elsewhere(self, slot: Slot, store: SlotStore) -> bool:
        """Whether the same object is put into another member, too, and somebody ends what that holds: the tail of a
        list whose nodes hang on its head, an index of what a vector owns."""
        return any(
            other.field is not slot.field and next(self.enders(other), None) is not None
            for other in self._places_of(store)
        )

    def _places_of(self, store: SlotStore) -> list[Slot]:
        """All members that what was acquired there is put into."""
        stores = self.slots.stores_in(store.function)
        members = dict.fromkeys((cls, name) for cls, name, one in stores if one.at == store.at)
        return [
            slot
            for cls in dict.fromkeys(cls for cls, _ in members)
            for slot in self.slots.of(cls)
            if (cls, slot.field.name) in members
        ]

    def _is_taken_back(self, slot: Slot) -> bool:
        """Whether what the slot holds sets it itself when it ends: then somebody else ends it."""
        cls = self._pointed(slot)
        return (
            cls is not None
            and cls.destructor is not None
            and cls is not slot.cls
            and f"={slot.field.name}" in cls.destructor.mentioned
            and slot.field.name not in cls.fields
        )

    def _ends_itself(self, slot: Slot) -> bool:
        """Whether a method of what the slot points to deletes its own object, and is not named to release it: nothing
        asks for that, it goes when its work is done."""
        cls = self._pointed(slot)
        return cls is not None and any(
            not pairs.releasing_verb(method.name) and not pairs.counts_down(method.name)
            for method in self.resources.deleting_this(cls)
        )

    def _pointed(self, slot: Slot) -> Class | None:
        pointee = types.parse(self.program.names.expand(slot.field.type, slot.cls.file, slot.cls.symbol))
        return self.program.names.find_class(pointee.name, slot.cls.symbol, slot.cls.file)

    def _belongs_to_another(self, store: SlotStore) -> bool:
        """The object is made with what may keep it: `new Button(this)` of a class that nobody here defines."""
        made = made_by_new(store)
        if made is None or not made.args:
            return False
        written = made.callee.text if isinstance(made.callee, r.Name) else ""
        cls = self.program.names.find_class(written, store.function.record.scope, store.function.file)
        if cls is None:
            return any(self._is_pointer(arg, store.function) for arg in made.args)
        return any(
            (self._is_pointer(arg, store.function) or _may_change(cls, index))
            and duties.hands_to_unseen_base(cls, index)
            for index, arg in enumerate(made.args)
        )

    def _is_handed_out(self, store: SlotStore, slot: Slot) -> bool:
        """Whether the handle may be owned elsewhere, and the member only remembers it: the caller gets each that the
        function creates. One that is created on first use is the member's."""
        function, name, begin = store.function, slot.field.name, store.node.start
        if store.element or not isinstance(store.node, r.Assign | r.Call):
            return False
        is_answer = types.parse(function.record.result).pointers and any(
            leave.kind == "return" and leave.span.start > begin and _named(leave.value) == name
            for leave in function.flow.leaves
        )
        return bool(is_answer or store.given_out) and not any(
            places.last_name(part) == name
            for test in function.flow
            if isinstance(test, e.Test) and test.span.start < begin
            for part in places.walk(test.value)
        )

    def _leaves_the_project(self, store: SlotStore) -> bool:
        """Whether it is put into a local struct that is returned, and only code out of sight calls the function; or
        into one that a parameter points to, where that becomes of the caller's."""
        function, node = store.function, store.node
        filled = (node.target,) if isinstance(node, r.Assign) else node.args if isinstance(node, r.Call) else ()
        roots = {inner.text for one in filled for inner in places.walk(one) if isinstance(inner, r.Name)}
        if any(self._returns_unseen(function, root) or self._fills_unseen(function, root) for root in roots):
            return True
        lent = [
            (caller, places.strip(call.args[index]))
            for index, parameter in enumerate(function.record.parameters)
            if parameter.name in roots and types.parse(parameter.type).pointers == 1
            for caller in self.program.index.callers(function)
            for call in caller.calls()
            if places.last_name(call.callee) == function.name and index < len(call.args)
        ]
        return bool(lent) and all(
            isinstance(one, r.Unary)
            and one.op == "&"
            and isinstance(one.value, r.Name)
            and self._returns_unseen(caller, one.value.text)
            for caller, one in lent
        )

    def _returns_unseen(self, function: Function, name: str) -> bool:
        """Whether the function returns that local by value, and only code out of sight calls it."""
        return (
            name in function.locals
            and not (kind := types.parse(function.locals[name][0])).pointers
            and not kind.reference
            and not self.program.index.is_called(function.name)
            and any(leave.kind == "return" and places.is_name(leave.value, name) for leave in function.flow.leaves)
        )

    def _fills_unseen(self, function: Function, name: str) -> bool:
        """Whether it fills a struct that a parameter leads to, is declared for code out of sight alone, which calls it,
        and no function of the project is named to release such a struct."""
        given = next((one for one in function.record.parameters if one.name == name), None)
        kind = types.parse(given.type if given is not None else "")
        return (
            (kind.pointers == 1 or kind.reference)
            and function.record.kind == "function"
            and bool(self.program.index.declarations_of(function.name))
            and not self.program.index.is_called(function.name)
            and kind.last not in self.resources.destroyed
        )

    def _is_ended_by_caller(self, store: SlotStore) -> bool:
        """Whether a function that gets the handle as the answer of this one releases it."""
        function = store.function
        if not types.parse(function.record.result).pointers:
            return False
        return any(
            isinstance(inner := places.strip(ended), r.Name) and self._is_answer(inner.text, function, caller)
            for caller in self._anywhere(function.name)
            for ended in ended_for_certain(caller)
        )

    @staticmethod
    def _is_answer(name: str, function: Function, caller: Function) -> bool:
        initial = places.strip(caller.locals.get(name, ("", None))[1])
        return isinstance(initial, r.Call) and places.last_name(initial.callee) == function.name

    def _is_pointer(self, value: r.Value, function: Function) -> bool:
        inner = places.strip(value)
        if isinstance(inner, r.Name) and inner.text == places.THIS:
            return True
        return bool(types.parse(self.program.types.of(inner, function)).pointers)

    def is_immortal(self, cls: Class) -> bool:
        """Whether objects of the class live as long as the program: a function keeps one in a static of its own, one
        stands outside of all functions, or the class has a method like `GetInstance` and lets nobody destroy it."""
        return cls.name in self._immortal or _is_singleton(cls)

    @questions.program_property
    def _immortal(self) -> frozenset[str]:
        """Last names of the classes of static objects and arrays, of what statics point to, also of those that macros
        declare, and of what a template that keeps itself in a static is made for."""
        keeping: set[str] = set()
        wanted = {cls.name for cls in self.program.classes if cls in self.slots.by_class}
        found = wanted & self._of_variables
        for file in self.program.files.values():
            made = (written for macro in file.macros for written in _MADE_STATIC.findall(macro.body))
            found |= {types.parse(written).last for written in made} & wanted
        for function in self.program.saying(_STATIC):
            own = {function.home.name} if function.home is not None and function.home.record.template else set[str]()
            if (wanted | own).isdisjoint(_words_in(function)):
                continue
            for statement in function.statements:
                if isinstance(statement, r.Declare) and statement.static:
                    written = self.program.types.of(statement.value, function) if statement.value else ""
                    kinds = (types.parse(statement.type), types.parse(written))
                    names = {name for kind in kinds for name in (kind.last, *(_lasts(kind.arguments)))}
                    found |= names & wanted
                    keeping |= names & own
        for function in self.program.functions if keeping else ():
            kind = types.parse(function.record.result)
            if kind.last in keeping:
                found |= set(_lasts(kind.arguments)) & wanted
        return frozenset(found)

    @questions.program_property
    def _of_variables(self) -> frozenset[str]:
        """Last names of the types of variables outside of functions, which live as long as the program."""
        files = self.program.files.values()
        return frozenset(types.parse(one.type.partition("[")[0]).last for file in files for one in file.variables)

    def released_by_destructor(self, cls: Class) -> tuple[Class, r.Field] | None:
        """A member whose handle the destructor releases; the first of them, and the class that has it: this one, or a
        base."""
        for owner, field in ((one, field) for one in cls.ancestry for field in one.record.fields):
            if self._is_ended_by_destructor(cls, field) and self.slots.is_raw(field.type, owner, numbers=True):
                return owner, field
        return None

    def is_released_by_destructor(self, slot: Slot) -> bool:
        """Whether the destructor ends what the slot holds, itself or through a method of the class."""
        return self._is_ended_by_destructor(slot.cls, slot.field)

    def _is_ended_by_destructor(self, cls: Class, field: r.Field) -> bool:
        end = self.resources.end_of(cls, field.name) if not field.static else None
        return end is not None and end.certainty != "possible"

    def borrowed(self, slot: Slot) -> Iterator[Borrowed]:
        """What the class's functions put into the slot, and does not belong to them."""
        mixed = {store.function for store in slot.stores}
        for function in self._near(slot.cls, slot.field.name):
            for node, target, value in puts(function):
                found = self.slots.member(target, function)
                if found is not None and found[1] is slot.field:
                    of = whose(value, function, is_mixed=function in mixed)
                    if of:
                        yield Borrowed(function, node, of)

    def enders(self, slot: Slot) -> Iterator[Function]:
        """The functions that end what the slot holds, or hand it on, as far as the project shows them."""
        name = slot.field.name
        seen: set[int] = set()
        filling = (store.function for store in slot.stores)
        for function in chain(self._near(slot.cls, name), filling, self._anywhere(name)):
            if id(function) not in seen:
                seen.add(id(function))
                if self._ends(function, slot):
                    yield function

    def _is_taken_out(self, slot: Slot) -> bool:
        """Whether some function empties the slot and hands on what was in it."""
        return any(
            SlotEnding(function, slot.cls, slot.field.name).takes_out(partial(self._is_of, slot, function))
            for function in self._takers(slot)
        )

    def _is_only_listed(self, slot: Slot) -> bool:
        """Whether it is a set of handles from which one is taken out by itself, `live_.erase(handle)`: who asks for
        that has the handle."""
        kind = types.parse(self.program.names.expand(slot.field.type, slot.cls.file, slot.cls.symbol))
        if not kind.arguments or not self.slots.is_raw(kind.arguments[0], slot.cls, 1):
            return False
        wanted = types.parse(kind.arguments[0])
        return any(
            isinstance(argument := places.strip(call.args[0]), r.Name)
            and types.parse(self.program.types.of(argument, function)).last == wanted.last
            and argument.text in function.parameter_names
            for function in self._near(slot.cls, slot.field.name)
            if function.mentions("erase")
            for call in function.calls()
            if len(call.args) == 1 and places.last_name(call.callee) == "erase"
            if (on := places.receiver(call)) is not None and self._is_of(slot, function, on)
        )

    def _is_listed_elsewhere(self, slot: Slot, stores: list[SlotStore]) -> bool:
        """Whether a function of the class asks a library for such handles one by one, and releases them: of
        `while (s = sqlite3_next_stmt(db_, nullptr)) sqlite3_finalize(s);` the library's own list has what the slot
        holds."""
        releases = {name.rpartition("::")[2] for store in stores for name in store.made.releases}
        own = chain(slot.cls.methods, (slot.cls.destructor,) if slot.cls.destructor is not None else ())
        return any(
            self._is_answer_of_library(argument, method)
            for method in own
            if not releases.isdisjoint(method.mentioned)
            for event in method.flow.calls
            if places.last_name(event.node.callee) in releases
            for argument in event.node.args[:1]
        )

    def _is_answer_of_library(self, value: r.Value, function: Function) -> bool:
        """Whether the value is what a function answers with that has no body here, and hands out nothing to own."""
        return any(
            isinstance(call.callee, r.Name)
            and not self.program.calls.callee(call, function).functions
            and self.resources.acquisition(call, function) is None
            for call in _answered_by(value, function)
        )

    def _is_lent_elsewhere(self, slot: Slot) -> bool:
        """Whether some function lets it point into other memory: `e->name = table + offset`."""
        return bool(types.parse(slot.field.type).pointers) and any(
            isinstance(inner, r.Assign)
            and inner.op == "="
            and _is_inside(inner.value)
            and self._is_of(slot, function, inner.target)
            for function in self._takers(slot)
            for inner in function.values
        )

    def _is_of(self, slot: Slot, function: Function, target: r.Value) -> bool:
        found = self.slots.member(target, function)
        return found is not None and found[1] is slot.field

    def _takers(self, slot: Slot) -> Iterator[Function]:
        """The functions that set something of the name."""
        return (one for one in self.program.calling({f"={slot.field.name}"}) if one.language == "cpp")

    def _near(self, cls: Class, name: str) -> Iterator[Function]:
        """Functions of the class and of its files that say the name."""
        yield from (method for method in cls.methods if self._may_say(method, name))
        key = _stem(cls.path), name
        saying = self._saying.ask(key, lambda: [f for f in self._by_stem.get(key[0], ()) if self._may_say(f, name)])
        yield from (f for f in saying if f.home is not cls)

    def _may_say(self, function: Function, name: str) -> bool:
        spelled = self._spelled.ask(name, lambda: patterns.strings([name, *sorted(self._macros_saying.get(name, ()))]))
        return function.says(spelled)

    @questions.program_property
    def _macros_saying(self) -> dict[str, set[str]]:
        """For each name in question the macros without parameters that say it."""
        wanted = {name for fields in self.slots.by_class.values() for name in fields}
        found: dict[str, set[str]] = {}
        for file in self.program.files.values():
            for macro in file.macros:
                for word in wanted.intersection(WORDS.findall(macro.body)) if macro.parameters is None else ():
                    found.setdefault(word, set()).add(macro.name)
        return found

    @questions.program_property
    def _released_by_macros(self) -> frozenset[str]:
        """The names in question that macros with parameters release: most of these are bodies of functions, for classes
        that are not known here."""
        wanted = {name for fields in self.slots.by_class.values() for name in fields}
        releasing = {"delete", *resources.resources(self.program).releasing_names}
        macros = [one for file in self.program.files.values() for one in file.macros if one.parameters is not None]
        releasing |= {one.name for one in macros if not releasing.isdisjoint(WORDS.findall(one.body))}
        found: set[str] = set()
        for macro in macros:
            for statement in macro.body.split(";"):
                words = WORDS.findall(statement)
                if not releasing.isdisjoint(words):
                    found |= wanted.intersection(words)
        return frozenset(found)

    @questions.program_property
    def _by_stem(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.program.functions:
            found.setdefault(_stem(function.path), []).append(function)
        return found

    def _anywhere(self, name: str) -> Iterator[Function]:
        """Functions of the whole project that release something and say the name, or call what answers with it."""
        words_said = {name, *undecoded.accessors(self.program).get(name, ())}
        for word in sorted(words_said):
            known = self._sayers.get(word)
            yield from self._elsewhere.ask(word, partial(self._releasing_and_saying, word)) if known is None else known

    def _releasing_and_saying(self, word: str) -> list[Function]:
        return [function for function in self._releasing if glance.says(function, word)]

    @questions.program_property
    def _releasing(self) -> list[Function]:
        return list(self.program.calling(self.resources.releasing_calls | self._wrappers))

    @questions.program_property
    def _wrappers(self) -> frozenset[str]:
        """Last names of the project's functions that may release what they are given: `void unmap_all(void* at)` that
        calls `munmap(at, n)`. Needs no decoding."""
        return frozenset(
            function.name
            for function in self.program.calling(self.resources.releasing_calls)
            if function.language == "cpp"
            and function.record.kind in ("function", "method")
            and any(duties.may_be_handle(parameter.type) for parameter in function.record.parameters)
        )

    @questions.program_property
    def _sayers(self) -> dict[str, list[Function]]:
        """For each name in question the releasing functions that say it."""
        wanted = {name for fields in self.slots.by_class.values() for name in fields}
        for name in list(wanted):
            wanted.update(undecoded.accessors(self.program).get(name, ()))
        found: dict[str, list[Function]] = {name: [] for name in sorted(wanted)}
        for function in self._releasing:
            for one in set(texts(function)):
                if (word := one.decode()) in wanted:
                    found[word].append(function)
        return found

    def _ends(self, function: Function, slot: Slot) -> bool:
        if self._means_another(function, slot):
            return False
        is_ended = partial(self._is_ended_at, slot, function)
        made = self._made_around(slot, function)
        beside = frozenset[str]()
        if slot.stores:
            beside = frozenset.intersection(*(store.beside for store in slot.stores))
        is_replacing = partial(self._is_replacing, slot, function)
        ending = SlotEnding(function, slot.cls, slot.field.name, is_ended, made, beside, is_replacing)
        return ending.ends() or (ending.lent and self._is_given_up(function, ending))

    def _is_replacing(self, slot: Slot, function: Function, call: r.Call) -> bool:
        """Whether a release makes room for a successor: on every path from it the function acquires what it puts into
        the slot, and that one is owed in turn. (`if (it != end) dev->Free(it->second); it->second = dev->Allocate(n);`)
        """
        acquired = {store.at for store in slot.stores if store.function is function}
        flow = function.flow
        released = [event for event in flow.calls if event.node.start == call.start] if acquired else []

        def is_left(event: e.Event) -> bool:
            return event.index == flow.exit

        def acquires(event: e.Event) -> bool:
            return isinstance(event, e.CallEvent) and event.node.start in acquired

        return bool(released) and all(flow.path(event, is_left, acquires) is None for event in released)

    def _is_given_up(self, function: Function, ending: SlotEnding) -> bool:
        """Whether who is given it through a parameter may have to release it: the function forgets it then, or some
        caller releases something."""
        return any(caller is not function for caller in self._anywhere(function.name))

    def _made_around(self, slot: Slot, function: Function) -> frozenset[str]:
        """The locals that hold an object which the function fills and puts away:
        what it ends of that object on other paths is undone there. (`if (!e->name) { fclose(e->file); return 0; }`)
        Not one that may hold what was put away before: `if (known) e = entries[key];`."""
        stores = [store for store in slot.stores if store.function is function]
        found: set[str] = set()
        for store in stores:
            target = places.strip(store.node.target) if isinstance(store.node, r.Assign) else None
            root = places.strip(target.base) if isinstance(target, r.Member) else None
            if isinstance(root, r.Name) and root.text in function.locals and self._is_put_away(root.text, store, slot):
                found.add(root.text)
        return frozenset(found)

    def _is_put_away(self, name: str, store: SlotStore, slot: Slot) -> bool:
        function, flow = store.function, store.function.flow
        written, initial = function.locals[name]
        kind = types.parse(written)
        made = [write.value for write in flow.writes_to((name,))]
        if any(isinstance(places.strip(value), r.Index | r.Member | r.Unary) for value in made):
            return False
        is_new = any(
            isinstance(inner := places.strip(value), r.Call) and self.resources.acquisition(inner, function) is not None
            for value in (initial, *made)
        )
        if not is_new and not (kind.is_value and not kind.is_placeholder):
            return False
        puts = self.program.models.containers.puts

        def is_away(event: e.Event) -> bool:
            match event:
                case e.Write(value=value, place=place, fresh=False):
                    return places.is_name(value, name) and place[:1] != (name,)
                case e.LeaveEvent(kind="return", value=value):
                    return places.is_name(value, name)
                case e.CallEvent(node=node):
                    return places.last_name(node.callee) in puts and any(places.is_name(arg, name) for arg in node.args)
            return False

        begun = (event for event in flow if store.node.start <= event.span.start and event.span.end <= store.node.end)
        return any(flow.path(event, is_away) is not None for event in begun)

    def _means_another(self, function: Function, slot: Slot) -> bool:
        """Whether the name is that of a member of another class wherever the body says it."""
        if function.home is slot.cls:
            return False
        name = slot.field.name
        meant = self._meant.ask((function, name), lambda: list(self._members_meant(function, name)))
        return bool(meant) and all(found is not None and self._is_apart(found, slot) for found in meant)

    def _members_meant(self, function: Function, name: str) -> Iterator[tuple[Class, r.Field] | None]:
        """Whose member it is wherever the body says the name; None where that is not known."""
        told: set[int] = set()
        for value in values(function):
            if isinstance(value, r.Member) and value.name == name:
                found = self.slots.field_of(value.base, name, function)
            elif isinstance(value, r.Name) and value.text == name and name not in function.declared:
                found = function.home.field(name) if function.home is not None else None
            else:
                continue
            if id(found[1] if found is not None else None) not in told:
                told.add(id(found[1] if found is not None else None))
                yield found

    def _is_apart(self, found: tuple[Class, r.Field], slot: Slot) -> bool:
        """Whether a member has nothing to do with the slot: neither class is the other's base, nor shows its elements
        as an object of the other does (`entries_.begin()`)."""
        cls, field = found
        if cls is slot.cls or slot.cls in cls.ancestry or cls in slot.cls.ancestry:
            return False
        return slot.cls.name not in types.parse(field.type).name.split("::")

    def _is_ended_at(self, slot: Slot, function: Function, target: r.Value) -> bool:
        """Whether something ends the handle of the slot that is put into another place, too."""
        found = self.slots.member(target, function)
        if found is None:
            return True
        cls, field = found
        if field is slot.field or types.parse(field.type).is_scalar:
            return False
        if self.is_immortal(cls) or cls.name in self._of_variables:
            return True  # a pool that the whole program has
        if field.static or field in self._asked or not self.slots.is_raw(field.type, cls):
            return field not in self._asked
        self._asked.append(field)
        try:
            other = Slot(cls, field, ())
            return next(self.enders(other), None) is not None
        finally:
            self._asked.pop()


_STATIC = patterns.constant(re.compile(rb",true\]"))
_MADE_STATIC = re.compile(
    r"\bstatic\s++(?:const\s++)?([A-Za-z_][\w:]*+)(?:\s*+\*++\s*+(?:const\s++)?|\s++)[\w#]++\s*+[({=;]"
)
"""In a macro: `static Registrar registrar_##name(#name);`."""


_ON_PURPOSE = re.compile(
    r"leak|never (?:be )?(?:freed|deleted|destroyed|released)|not owned|owned by|un-?owned|does(?: not|n't) own|"
    r"borrowed|lives? (?:as long|for)|process lifetime|static lifetime|arena|weak",
    re.IGNORECASE,
)


def _is_singleton(cls: Class) -> bool:
    own = [record for record in cls.declarations if record.access != "public" and record.name == f"~{cls.name}"]
    return bool(own) and any(
        "static" in record.qualifiers
        and not record.parameters
        and pairs.is_getter(record.name)
        and (kind := types.parse(record.result)).last == cls.name
        and bool(kind.pointers or kind.reference)
        for record in cls.declarations
    )


def _says_why(field: r.Field) -> bool:
    """Whether the member's comment says that somebody else owns it, or that nobody needs to."""
    return bool(field.comment) and _ON_PURPOSE.search(field.comment) is not None


def _may_be_borrowed(store: SlotStore) -> bool:
    """Whether it is put there through a local that was given something inside of other memory on another way:
    `name = strdup(s)`, or else `name = table + offset`. Who releases the one must not release the other."""
    if not isinstance(store.node, r.Assign) or not isinstance(given := places.strip(store.node.value), r.Name):
        return False
    if given.text not in store.function.locals:
        return False
    written = [store.function.locals[given.text][1]]
    written += [write.value for write in store.function.flow.writes_to((given.text,))]
    return any(_is_inside(value) for value in written)


def _is_inside(value: r.Value | None) -> bool:
    """Whether it is a literal, or an address that is computed from another: `table + n`, `&table[n]`."""
    inner = places.strip(value)
    match inner:
        case r.Binary(op="+") | r.Unary(op="&"):
            return True
        case r.Literal(kind="str"):
            return True
    return False


def _may_change(cls: Class, index: int) -> bool:
    """Whether a constructor may change the object that it gets at the index (from 0), and so make it a parent: by a
    reference that is not constant."""
    return any(
        (kind := types.parse(parameter.type)).reference and not kind.const and not parameter.type.endswith("&&")
        for constructor in cls.constructors
        for parameter in constructor.record.parameters[index : index + 1]
    )


def _words_in(function: Function) -> set[str]:
    steps.spend(1 + len(function.encoded) // BYTES_A_STEP)
    return {said.decode() for said in _TYPE_WORDS.findall(function.encoded)}


def _lasts(arguments: tuple[str, ...]) -> Iterator[str]:
    return (types.parse(argument).last for argument in arguments)


_TYPE_WORDS = re.compile(rb"[A-Za-z_]\w*")


def _named(value: r.Value | None) -> str:
    inner = places.strip(value)
    return places.last_name(inner) if isinstance(inner, r.Name | r.Member) else ""


def _stem(path: str) -> str:
    """What a header and its source have in common: the last part of the path without its ending."""
    last = path.rsplit("/", 1)[-1].split(".", 1)[0]
    for ending in ("_inl", "-inl", "_impl", "Impl", "_internal"):
        last = last.removesuffix(ending)
    return last.lower()


def _answered_by(value: r.Value, function: Function) -> Iterator[r.Call]:
    """The call whose answer it is, or those whose answers the local has held that it is."""
    inner = places.strip(value)
    written = [inner]
    if isinstance(inner, r.Name) and inner.text in function.locals:
        given = (one.value for one in function.flow.writes_to((inner.text,)))
        written = [places.strip(one) for one in (function.locals[inner.text][1], *given)]
    return (one for one in written if isinstance(one, r.Call) and one.kind == "call")


@questions.program_question
def enders(program: Program) -> SlotEnders:
    """Who ends the slots of a program; one object a program, since its answers are remembered."""
    return SlotEnders(program)
