"""Members that own raw handles, and what is put into them. Who ends that is asked in `_slot_enders`.

A slot is a data member, or a container that is one, into which some function puts a handle that it has acquired. A
class is looked at as the whole project defines it: the member of the header, the bodies of the sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Function,
    Program,
    duties,
    places,
    questions,
    resources,
    steps,
    types,
)
from ownlint import events as e
from ownlint import records as r

_HOLDS = frozenset({"container", "optional", "pair", "atomic"})
_PLAIN = types.SCALARS | {"void"}
BYTES_A_STEP = 256
_ELEMENTS = ("at", "back", "front", "value")
"""Methods of containers that answer with an element's place."""
_MOST_HELPERS = 3
"""So many functions are followed, one of which hands the handle on to the next."""
_DEEPEST_HOLDER = 4
"""So many structs in one another are looked into for a handle."""
_SAID = re.compile(rb'"([A-Za-z_]\w*)"')


class SlotStore(NamedTuple):
    """A function puts a handle that it acquired into a slot."""

    function: Function
    node: r.Node
    """The assignment, the call that inserts, or the initialiser."""
    made: resources.Acquisition
    element: bool
    at: int
    """Where the call starts that acquired it."""
    sure: bool
    """Nothing else in the function can have taken the handle over."""
    beside: frozenset[str] = frozenset()
    """The other members of the plain struct in which it is put there."""
    given_out: bool = False
    """The function's caller gets it as well."""


class Slot(NamedTuple):
    cls: Class
    field: r.Field
    stores: tuple[SlotStore, ...]


class Slots:
    """The slots of one program; see `slots`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.resources: resources.Resources = resources.resources(program)
        self._stores: questions.Answers[Function, list[tuple[Class, str, SlotStore]]] = questions.Answers()

    def of(self, cls: Class) -> list[Slot]:
        """The class's own slots, in the order of its members."""
        return [Slot(cls, field, tuple(stores)) for field, stores in self.fields(cls) if stores]

    def fields(self, cls: Class) -> Iterator[tuple[r.Field, list[SlotStore]]]:
        """All members of a class, in order, and what is put into each."""
        found = self.by_class.get(cls, {})
        for field in cls.record.fields:
            yield field, list(self._put_into(cls, field.name, found.get(field.name, ())))

    def _put_into(self, cls: Class, name: str, functions: Iterable[Function]) -> Iterator[SlotStore]:
        for function in functions:
            for home, member, store in self.stores_in(function):
                if home is cls and member == name:
                    yield store

    @questions.program_property
    def by_class(self) -> dict[Class, dict[str, list[Function]]]:
        """By the name of the member the functions that put something into it."""
        found: dict[Class, dict[str, list[Function]]] = {}
        for function, members in _storing(self.program).items():
            for cls, name in members:
                found.setdefault(cls, {}).setdefault(name, []).append(function)
        return found

    def stores_in(self, function: Function) -> list[tuple[Class, str, SlotStore]]:
        """What a function puts into slots: each with its class and the name of the member."""
        return self._stores.ask(function, lambda: self._stores_in(function))

    def _stores_in(self, function: Function) -> list[tuple[Class, str, SlotStore]]:
        if function.language != "cpp" or not self._acquires(function):
            return []
        reading = duties.Reading(function, self.resources)
        reading.read()
        found = []
        unfollowed: set[int] = set()
        for handed in reading.handed:
            made, at = handed.source.made, handed.source.at
            if made is None:
                continue
            kept = self._kept_by_helper(handed, function, _MOST_HELPERS)
            if kept is None:
                unfollowed.add(at)
                continue
            cls, field, element = kept
            found.append((cls, field.name, SlotStore(function, handed.call, made, element, at, True)))
        known = [(put, self._slot_at(put.target, function, put.made)) for put in reading.puts]
        known = [(put, held) for put, held in known if held is None or self._is_raw_there(put, held, reading)]
        carried = {put.at for put, held in known if held is not None and not reading.is_in_local(put.target)}
        for put, held in known:
            if held is None or _is_its_own(put) or (put.at in carried and reading.is_in_local(put.target)):
                continue  # a struct in a local that is put somewhere as a whole is a way there
            indexed = put.element or isinstance(put.target, r.Index)
            beside = self._beside(put, reading)
            found.append(
                (held[0], held[1].name, SlotStore(function, put.node, put.made, indexed, put.at, True, beside))
            )
        unfollowed |= self._ended_with_scope(reading)
        unfollowed |= {put.at for put in reading.puts if self._is_variable(put.target, function)}
        given_out = reading.come_out
        if types.parse(function.record.result).pointers:
            given_out |= {at for at, _, _ in reading.made}
        return [
            (
                cls,
                name,
                store._replace(
                    sure=store.at not in unfollowed
                    and not self._is_taken(store, reading)
                    and not _is_returned_beside(store, reading),
                    given_out=store.at in given_out,
                ),
            )
            for cls, name, store in found
        ]

    @staticmethod
    def _ended_with_scope(reading: duties.Reading) -> set[int]:
        """Where acquisitions start that a local holds whose attribute ends them with its scope, and that gives them to
        none: it is never set to null, and its address is nowhere asked for."""
        function, found = reading.function, set[int]()
        for name in function.cleaned:
            given_up = any(
                (isinstance(inner, r.Unary) and inner.op == "&" and places.is_name(inner.value, name))
                or (
                    isinstance(inner, r.Assign)
                    and places.is_name(inner.target, name)
                    and isinstance(places.strip(inner.value), r.Literal)
                )
                for inner in function.values
            )
            if not given_up:
                found.update(source.at for source in reading.names.get(name, ()) if source.made is not None)
        return found

    def _is_variable(self, target: r.Value | str, function: Function) -> bool:
        """Whether it is a variable outside of all functions, such as the head of a list: what is put there is found
        again from there."""
        if not isinstance(target, r.Name) or target.text in function.declared:
            return False
        is_member = function.home is not None and function.home.field(target.text) is not None
        return not is_member and self.program.index.is_variable(target.text)

    def _is_taken(self, store: SlotStore, reading: duties.Reading) -> bool:
        """Whether something else may take the handle over, or ends it on the way that puts it into the slot."""
        by = reading.elsewhere.get(store.at)
        if not by or -1 in by:
            return bool(by)
        flow = store.function.flow
        takers = [call for call in flow.calls if call.node.start in by]
        if {call.node.start for call in takers} != by:
            return True
        if not all(self._releases(call.node, store.function) for call in takers):
            return True  # whoever gets it on another way may own it here as well

        def is_anew(event: e.Event) -> bool:
            return isinstance(event, e.CallEvent) and event.node.start == store.at

        def puts(event: e.Event) -> bool:
            return store.node.start <= event.span.start and event.span.end <= store.node.end

        def takes(event: e.Event) -> bool:
            return isinstance(event, e.CallEvent) and event.node.start in by

        return any(flow.path(taker, puts, is_anew) is not None for taker in takers) or any(
            flow.path(event, takes, is_anew) is not None for event in flow if puts(event)
        )

    def _releases(self, call: r.Call, function: Function) -> bool:
        return any(ended.certainty != "possible" for ended in self.resources.released(call, function))

    def _slot_at(
        self, target: r.Value | str, function: Function, made: resources.Acquisition | None
    ) -> tuple[Class, r.Field] | None:
        """The member into which something is put, if it ends nothing of what it holds."""
        held = self.member(target, function)
        if held is None or held[1].static or _is_behind(target, held[1]):
            return None
        return held if self.is_raw(held[1].type, held[0], numbers=_may_be_number(made)) else None

    def _is_raw_there(self, put: duties.Put, held: tuple[Class, r.Field], reading: duties.Reading) -> bool:
        """Whether what a map holds where the handle is put ends nothing: the key, or what it leads to."""
        cls, field = held
        kind = types.parse(self.program.names.expand(field.type, cls.file, cls.symbol))
        if "associative" not in self.program.types.roles_at(field.type, cls.file, cls.symbol) or not kind.arguments[1:]:
            return True
        match put.node:
            case r.Call(args=(key, _, *_)):
                at = 0 if any(source.at == put.at for source in reading.sources(key)) else 1
            case r.Assign(target=r.Index()):
                at = 1
            case _:
                return True
        return self.is_raw(kind.arguments[at], cls, 1, numbers=_may_be_number(put.made))

    def _in_own_container(self, call: r.Call, method: Function, function: Function) -> tuple[Class, r.Field] | None:
        """The member on which a method of the project's own class template is called that keeps what it is given: such
        a class is a container of raw handles where its argument is one, and none of its code releases anything."""
        on, around = places.receiver(call), method.home
        held = self.member(on, function) if on is not None and around is not None else None
        if held is None or around is None or held[1].static or not around.record.template:
            return None
        return held

    def _beside(self, put: duties.Put, reading: duties.Reading) -> frozenset[str]:
        """The other members of a plain struct that is put around the handle: of `slots_.push_back(Slot{fd, n})`
        the one that gets `n`."""
        for inner in places.walk(put.node) if isinstance(put.node, r.Call | r.Assign) else ():
            if isinstance(inner, r.Call) and inner.kind == "construct" and isinstance(inner.callee, r.Name):
                written, items = inner.callee.text, inner.args
            elif isinstance(inner, r.Aggregate):
                target = put.target if not isinstance(put.target, str) else None
                kind = types.parse(self.program.types.of(target, reading.function))
                written, items = (kind.arguments or (kind.name,))[-1], inner.items
            else:
                continue
            cls = self.program.names.find_class(written, reading.function.record.scope, reading.function.file)
            if cls is None or cls.constructors or cls.record.destructor != "implicit":
                continue
            fields = [field.name for field in cls.record.fields if not field.static]
            for name, item in zip(fields, items, strict=False):
                if any(source.at == put.at for source in reading.sources(item)):
                    part = places.last_name(item.key) if isinstance(item, r.Pair) else name
                    return frozenset(fields) - {part}
        return frozenset()

    def _kept_by_helper(
        self, handed: duties.HandedToHelper, function: Function, depth: int
    ) -> tuple[Class, r.Field, bool] | None:
        """The one member into which the called function puts the argument, itself or by another helper, and whether
        as an element of it."""
        called = self.program.calls.callee(handed.call, function).functions
        if len(called) != 1 or not depth:
            return None
        reading = duties.Reading(called[0], self.resources)
        reading.read()
        given = duties.DutySource(handed.parameter)
        further = [one for one in reading.handed if one.source == given]
        kept = [(node, target) for index, node, target in reading.kept if index == handed.parameter]
        if len(kept) + len(further) != 1:
            return None
        if further:
            return self._kept_by_helper(further[0]._replace(source=handed.source), called[0], depth - 1)
        node, target = kept[0]
        held = self._slot_at(target, called[0], handed.source.made) or self._in_own_container(
            handed.call, called[0], function
        )
        return None if held is None else (*held, isinstance(node, r.Call) or isinstance(target, r.Index))

    def _acquires(self, function: Function) -> bool:
        """Whether the function acquires anything; where it cannot, its body needs no decoding."""
        calls = [call for one in function.record.initializers for arg in one.args for call in places.calls_in(arg)]
        if self.resources.may_acquire(function):
            calls += function.calls()
        return any(self.resources.acquisition(call, function) is not None for call in calls)

    def member(self, target: r.Value | str, function: Function) -> tuple[Class, r.Field] | None:
        """The data member that an expression stands for, or whose element it is."""
        if isinstance(target, str):
            return function.home.field(target) if function.home is not None else None
        value = places.strip(target)
        for _ in range(6):
            match value:
                case (
                    r.Index(base=base)
                    | r.Unary(op="*" | "&", value=base)
                    | r.Call(callee=r.Member(base=base, name="at" | "back" | "front" | "value"), kind="call")
                ):
                    value = places.strip(base)
                case r.Member(base=base, name="second"):
                    return self._behind_iterator(base, function)
                case r.Member(base=base, name=name):
                    return self.field_of(base, name, function)
                case r.Name(text=name):
                    return self._named(name, function)
                case _:
                    return None
        return None

    def _named(self, name: str, function: Function) -> tuple[Class, r.Field] | None:
        if name not in function.declared:
            return function.home.field(name) if function.home is not None else None
        place = function.flow.aliases.get(name)
        if place is not None and place[0] == places.THIS and function.home is not None:
            plain = [step for step in place[1:] if not step.startswith("[") and step not in ("first", "second")]
            if len(plain) == 1:
                return function.home.field(plain[0])
        written, initial = function.locals.get(name, ("", None))
        if initial is None or written.endswith("&&"):
            return None
        inner = places.strip(initial)
        is_address = isinstance(inner, r.Unary) and inner.op == "&"
        if "&" in written or (is_address and not _is_set_again(name, function)):
            return self.member(initial, function)
        return self._behind_iterator(inner, function)

    def _behind_iterator(self, value: r.Value | None, function: Function) -> tuple[Class, r.Field] | None:
        """The map that was searched for an iterator, or is walked over: `it->second` is an element of it."""
        if isinstance(value, r.Name):
            value = function.locals.get(value.text, ("", None))[1]
        inner = places.strip(value)
        if isinstance(inner, r.Member):
            inner = inner.base
        if isinstance(inner, r.Index):
            return self.member(inner, function)
        methods = self.program.models.containers
        searches = methods.keyed | methods.lends
        if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and inner.callee.name in searches:
            return self.member(inner.callee.base, function)
        return None

    def field_of(self, base: r.Value, name: str, function: Function) -> tuple[Class, r.Field] | None:
        if isinstance(base, r.Name) and base.text == places.THIS:
            return function.home.field(name) if function.home is not None else None
        written = self.program.types.holder(base, function)
        for part in (written, *types.parse(written).arguments):
            cls = self.program.names.find_class(part, function.record.scope, function.file) if part else None
            if cls is not None and (found := cls.field(name)) is not None:
                return found
        return None

    def is_raw(self, written: str, cls: Class, depth: int = 0, *, numbers: bool = False) -> bool:
        """Whether a member of this type ends nothing of what it holds. With `numbers`, a number may be a handle: what
        is put there is what a library's call has opened."""
        program, file, scope = self.program, cls.file, cls.symbol
        expanded = program.names.expand(written, file, scope)
        kind = types.parse(expanded)
        if kind.reference or not kind.name:
            return False
        roles = set(program.types.roles_at(expanded, file, scope))
        if numbers and not kind.pointers and kind.last == "int":
            return True
        if kind.pointers or not kind.arguments:
            if self.resources.raw_at(written.split("[")[0], file, scope) is not None:
                return True
            held = program.names.find_class(kind.name, scope, file) if 0 < depth < _DEEPEST_HOLDER else None
            if kind.pointers or roles or held is None:
                return False
            parts = (field.type for field in held.record.fields if not field.static)
            return not self.resources.owns_elements(f"std::vector<{expanded}>", file, scope) and any(
                self.is_raw(part, held, depth + 1, numbers=numbers) for part in parts
            )
        if roles & duties.OWNING or not roles & _HOLDS or self.resources.owns_elements(expanded, file, scope):
            return False
        return any(self.is_raw(argument, cls, depth + 1, numbers=numbers) for argument in kind.arguments[-2:])

    def first_store(self, slot: Slot) -> SlotStore:
        """The surest store, to show."""
        return next((store for store in slot.stores if store.sure), slot.stores[0])


def made_by_new(store: SlotStore) -> r.Call | None:
    """The `new` whose object is stored."""
    made = (c for c in values(store.function) if isinstance(c, r.Call) and (c.start, c.kind) == (store.at, "new"))
    return next(made, None)


def values(function: Function) -> Iterator[r.Value]:
    """Those of its body, and before them those of its initialisers."""
    for initializer in function.record.initializers:
        for value in initializer.args:
            yield from places.walk(value)
    yield from function.values


def _is_set_again(name: str, function: Function) -> bool:
    return any(
        isinstance(event, e.Write) and not event.fresh and event.place == (name,) and isinstance(event.target, r.Name)
        for event in function.flow
    )


def _may_be_number(made: resources.Acquisition | None) -> bool:
    """Whether the handle may be a number: what a library's function answers with, that a model knows."""
    return made is not None and made.is_modelled and made.where.kind == "result"


def _is_its_own(put: duties.Put) -> bool:
    """`mem->data = mem;`: an object that refers to itself."""
    match put.node:
        case r.Assign(target=target, value=value):
            root, put_there = places.strip(target), places.strip(value)
            while isinstance(root, r.Member | r.Index):
                root = places.strip(root.base)
            return isinstance(root, r.Name) and isinstance(put_there, r.Name) and root.text == put_there.text
    return False


def _is_returned_beside(store: SlotStore, reading: duties.Reading) -> bool:
    """Whether it is put into a struct that is a local, which ends with the function, and another local returns it: the
    caller has it, the struct only lends it to who is called."""
    function, node = reading.function, store.node
    if not isinstance(node, r.Assign) or not reading.is_in_local(node.target):
        return False
    root = places.around(node.target)[0]
    returned = {
        inner.text
        for leave in function.flow.leaves
        if leave.kind == "return" and isinstance(inner := places.strip(leave.value), r.Name)
    }
    if isinstance(root, r.Name) and root.text in returned:
        return False
    return any(source.at == store.at for name in returned for source in reading.names.get(name, ()))


def _is_behind(target: r.Value | str, field: r.Field) -> bool:
    """`*out_ = make()`: the member says where the handle is wanted, and somebody else owns that place."""
    inner = places.strip(target) if not isinstance(target, str) else None
    return isinstance(inner, r.Unary) and inner.op == "*" and places.last_name(inner.value) == field.name


def texts(function: Function) -> list[bytes]:
    """The texts in an encoded body: names, and what strings say."""
    body = function.encoded
    steps.spend(1 + len(body) // BYTES_A_STEP)
    return _SAID.findall(body)


WORDS = re.compile(r"\w+")


@questions.each_function
def _storing(function: Function) -> tuple[tuple[Class, str], ...]:
    """The slots into which it puts something: classes and the names of their members."""
    return tuple(dict.fromkeys((cls, name) for cls, name, _ in slots(function.program).stores_in(function)))


@questions.program_question
def slots(program: Program) -> Slots:
    """The slots of a program; one object a program, since its answers are remembered."""
    return Slots(program)


def is_by_constructor(store: SlotStore, cls: Class) -> bool:
    return store.function.record.kind == "constructor" and store.function.cls is cls
