"""What one body does with a member that owns a handle: whether it ends the handle, or hands it on.

Any call that may do so counts, whatever it is called: who asks wants to know that nobody does.
`SlotEnding.releases` is the strict question: whether the body ends it for certain.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ownlint import Class, Function, bodies, containers, lasting, pairs, places, questions, resources, types, undecoded
from ownlint import records as r

_ELEMENTS = frozenset({"begin", "front", "back", "top", "at", "data", "get", "value"})
_RANGES = frozenset({"begin", "end", "data"})
_WORDS = re.compile(r"\w+")
_COMMON = frozenset({"get", "data", "begin", "end", "size", "empty", "clear", "first", "second", "value", "ok"})


@questions.question
def ended_for_certain(function: Function) -> tuple[r.Value, ...]:
    """The arguments that calls of the body end, by a release that is known."""
    asked = resources.resources(function.program)
    return tuple(
        given
        for inner in function.values
        if isinstance(inner, r.Call)
        for ended in asked.released(inner, function)
        if ended.certainty != "possible" and (given := resources.argument_at(inner, ended.where)) is not None
    )


class SlotEnding:
    """Whether one body ends what a slot holds: what the slot's value may be called there, and what calls do with it."""

    def __init__(
        self,
        function: Function,
        cls: Class,
        field: str,
        is_ended: Callable[[r.Value], bool] | None = None,
        besides: frozenset[str] = frozenset(),
        others: frozenset[str] = frozenset(),
        is_replacing: Callable[[r.Call], bool] = lambda _: False,
    ) -> None:
        """`is_ended` says of another place whether something ends what is put there; without it, something does. The
        members of what the locals `besides` hold are not meant, nor are the members `others` of its elements.
        `is_replacing` says of a call that ends it that the slot always gets another after that."""
        self.function = function
        self.is_ended = is_ended
        self.name = field
        self.besides = besides
        self.others = others
        self.is_replacing = is_replacing
        self.cls = cls
        self.program = function.program
        self.resources: resources.Resources = resources.resources(function.program)
        self.accessors = undecoded.accessors(self.program).get(self.name, frozenset()) - _COMMON
        self.names: set[str] = set()
        self.copies: set[str] = set()
        """The local containers that the handles are copied into."""
        self.nulled = False
        self.lent = False
        """Whether `ends` has met an assignment that gives it to the caller through a parameter."""

    def ends(self) -> bool:
        """Whether the body ends what the slot holds, or hands it on."""
        function = self.function
        if _hands_over_to_its_like(function, self.cls):
            return False
        for initializer in function.record.initializers:
            if initializer.name != self.name and any(self.touches(arg) for arg in initializer.args):
                return True
        self.find_names()
        wrappers = self.find_copies()
        for inner in self.function.values:
            if isinstance(inner, r.Call) and self.ended_by(inner) and not self.is_replacing(inner):
                return True
            if isinstance(inner, r.Call) and self.hands_over_copy(inner, wrappers):
                return True
            if isinstance(inner, r.Assign) and (self.moved_by(inner) or _named(inner.value) in wrappers):
                return True
        return self.ends_by_key() or (self.returns_it() and (self.nulled or self.is_of_local()))

    def returns_it(self) -> bool:
        return any(
            isinstance(statement, r.Leave) and statement.kind == "return" and self.is_it(statement.value)
            for statement in self.function.statements
        )

    def is_of_local(self) -> bool:
        """Whether what is returned is the member of a struct that ends with the function: `return made.node;`."""
        return any(
            isinstance(statement, r.Leave)
            and isinstance(member := places.strip(statement.value), r.Member)
            and member.name == self.name
            and isinstance(member.base, r.Name)
            and types.parse(self.function.locals.get(member.base.text, ("*", None))[0]).is_value
            for statement in self.function.statements
        )

    def ends_by_key(self) -> bool:
        """Whether the body ends what it looks for in the slot: `live_.erase(block); free(block);`. Or it erases by what
        stands in an element that it ends: `live_.erase(block->id); delete block;`."""
        asked = [
            call
            for call in self.function.values
            if isinstance(call, r.Call)
            and places.last_name(call.callee) not in self.puts
            and self.touches(places.receiver(call))
        ]
        keys = {inner.text for call in asked for arg in call.args if isinstance(inner := places.strip(arg), r.Name)}
        erases = self.program.models.containers.erases
        for call in asked:
            if places.last_name(call.callee) in erases:
                keys.update(root.text for arg in call.args if (root := _root(arg)) and self.is_like_element(root))
        return any(
            isinstance(inner := places.strip(given), r.Name) and inner.text in keys
            for given in (ended_for_certain(self.function) if keys else ())
        )

    def is_like_element(self, value: r.Value) -> bool:
        """Whether an expression is a pointer of the type of which the container has elements."""
        found = self.cls.field(self.name)
        if found is None:
            return False
        held = types.parse(self.program.names.expand(found[1].type, found[0].file, found[0].symbol)).arguments
        element, kind = types.parse(held[-1] if held else ""), types.parse(self.program.types.of(value, self.function))
        return element.pointers == kind.pointers == 1 and element.last == kind.last

    def takes_out(self, is_slot: Callable[[r.Value], bool]) -> bool:
        """Whether the body empties the slot, and returns what was in it or puts that elsewhere; `is_slot` says of a
        place that it is."""
        self.find_names()
        emptied = any(
            isinstance(inner, r.Assign)
            and self.is_it(inner.target)
            and isinstance(places.strip(inner.value), r.Literal)
            and is_slot(inner.target)
            for inner in self.function.values
        )
        return emptied and (self.returns_it() or self.moves_it(is_slot))

    def moves_it(self, is_slot: Callable[[r.Value], bool]) -> bool:
        """Whether the body stores it in another member, which may have the same name."""
        return any(
            isinstance(inner, r.Assign)
            and isinstance(places.strip(inner.target), r.Member)
            and not is_slot(inner.target)
            and self.is_it(inner.value)
            for inner in self.function.values
        )

    def find_names(self) -> None:
        """What locals stand for it, wherever they are set."""
        for _ in range(2):
            for statement in self.function.statements:
                self.name_things(statement)
            for inner in self.function.values:
                if isinstance(inner, r.Assign) and self.is_local(inner.target) and self.touches(inner.value):
                    self.names.add(places.last_name(places.strip(inner.target)))
                elif isinstance(inner, r.Call):
                    self.name_swapped(inner)

    def name_swapped(self, call: r.Call) -> None:
        """`std::swap(all, all_)`, `all.swap(all_)`: the local has what the slot had."""
        sides = containers.swapped(call, self.program) or ()
        if any(map(self.touches, sides)):
            self.names.update(places.last_name(places.strip(one)) for one in sides if self.is_local(one))

    def find_copies(self) -> set[str]:
        """Adds the local containers and structs that the handle is copied into; answers with the locals that an object
        is made in which keeps the handle."""
        wrappers: set[str] = set()
        for inner in self.function.values:
            match inner:
                case r.Call(callee=r.Member(base=base, name=name), args=args) if name in self.puts:
                    kept = self.own_local(base) if any(self.touches(arg) for arg in args) else ""
                    if kept and self.keeps_object(kept):
                        wrappers.add(kept)
                    elif kept:
                        self.names.add(kept)
                        self.copies.add(kept)
                case r.Assign(target=r.Member() | r.Index() as target, value=value) if self.is_part(value):
                    if copied := self.own_local(target):
                        self.names.add(copied)
        return wrappers

    def hands_over_copy(self, call: r.Call, wrappers: set[str]) -> bool:
        """Whether a local container that the handles were copied into is given away as a whole: what becomes of its
        elements, nobody follows."""
        if places.last_name(call.callee) in self.puts and self.own_local(places.receiver(call)) in wrappers:
            return False
        return any(self.is_whole_copy(arg) for arg in call.args)

    def is_whole_copy(self, value: r.Value) -> bool:
        """Whether an argument is such a container, or leads to all of it: `all.data()`, `&all[0]`."""
        inner = places.strip(value)
        while True:
            match inner:
                case r.Unary(op="&", value=r.Index(base=held)) | r.Unary(op="&" | "*", value=held):
                    inner = places.strip(held)
                case r.Call(args=(), callee=r.Member(base=held, name=name)) if name in _RANGES:
                    inner = places.strip(held)
                case _:
                    return isinstance(inner, r.Name) and inner.text in self.copies

    @property
    def puts(self) -> frozenset[str]:
        return self.program.models.containers.puts

    def keeps_object(self, name: str) -> bool:
        """Whether a local is, or has as its element, an object of a class of the project that is no handle itself."""
        written = types.parse(self.program.types.of(r.Name(0, 0, name), self.function))
        return any(
            self.resources.raw(one, self.function) is None
            and self.program.names.find_class(one, self.function.record.scope, self.function.file) is not None
            for one in (written.name, *written.arguments)
        )

    def own_local(self, value: r.Value | None) -> str:
        """The local that holds the place by value, so that it ends with the call; empty when none does."""
        inner, is_far = places.around(value)
        if is_far or not isinstance(inner, r.Name) or inner.text not in self.function.locals:
            return ""
        kind = types.parse(self.function.locals[inner.text][0])
        is_static = inner.text in lasting.statics(self.function)
        return "" if kind.pointers or kind.reference or is_static else inner.text

    def is_part(self, value: r.Value | None) -> bool:
        """Whether the expression is the slot's value, one of its elements, or a part of one: not a number in it, nor
        what a pointer leads to."""
        inner = places.strip(value)
        while inner is not None and not self.is_said(inner):
            match inner:
                case r.Member(arrow=True, name=name) if name not in ("first", "second"):
                    return False
                case r.Member(base=base) | r.Index(base=base) | r.Unary(op="&" | "*", value=base):
                    inner = places.strip(base)
                case r.Call(args=(), callee=r.Member(base=base, name=name)) if name in _ELEMENTS:
                    inner = places.strip(base)
                case r.Call(args=args) if self.is_copying(inner):
                    inner = next((places.strip(arg) for arg in args if self.touches(arg)), None)
                case _:
                    return False
        return inner is not None and (inner is places.strip(value) or not self.is_number(value))

    def is_number(self, value: r.Value | None) -> bool:
        kind = types.parse(self.program.types.of(value, self.function))
        return kind.is_scalar and not kind.pointers

    def is_local(self, target: r.Value) -> bool:
        inner = places.strip(target)
        return isinstance(inner, r.Name) and inner.text in self.function.declared

    def name_things(self, statement: r.Statement) -> None:
        match statement:
            case r.Declare(names=names, value=value) if value is not None and self.touches(value):
                self.names.update(names)
            case r.Loop(kind="range", target=target, iterable=iterable) if self.touches(iterable):
                self.names.update(bodies.bound_names(target))

    def touches(self, value: r.Value | None) -> bool:
        """Whether the expression speaks of the slot."""
        if self.others:
            inner = places.strip(value)
            while isinstance(inner, r.Unary):
                inner = places.strip(inner.value)
            if isinstance(inner, r.Member) and inner.name in self.others:
                return False
        return any(self.is_said(inner) for inner in places.walk(value))

    def is_said(self, value: r.Value) -> bool:
        match value:
            case r.Member(name=name, base=base):
                return name == self.name and places.last_name(places.strip(base)) not in self.besides
            case r.Name(text=name):
                if name in self.names or (name == self.name and name not in self.function.declared):
                    return True
                return self.is_spelled(name)
            case r.Call():
                return places.last_name(value.callee) in self.accessors and not self.is_asked_of_another(
                    places.receiver(value)
                )
        return False

    def is_spelled(self, name: str) -> bool:
        """Whether it is a macro for the slot: `#define DOCUMENT static_cast<Document*>(document_)`."""
        found = self.program.macros.named(name)
        return any(macro.parameters is None and self.name in _WORDS.findall(macro.body) for macro in found)

    def is_asked_of_another(self, on: r.Value | None) -> bool:
        """Whether a method is called on a local of some other type, which has one of that name, too."""
        inner = places.strip(on)
        if not isinstance(inner, r.Name) or inner.text not in self.function.locals:
            return False
        written = types.parse(self.program.types.of(inner, self.function))
        own = {cls.name for cls in self.cls.ancestry}
        return bool(written.last) and written.is_value and not written.is_placeholder and written.last not in own

    def is_it(self, value: r.Value | None) -> bool:
        inner = places.strip(value)
        return inner is not None and self.is_said(inner)

    def ended_by(self, call: r.Call) -> bool:
        name = places.last_name(call.callee)
        on = places.receiver(call)
        given = [index for index, arg in enumerate(call.args) if self.touches(arg)]
        is_on = on is not None and self.touches(on)
        if not given and not is_on:
            return False
        if pairs.releasing_verb(name) and (given or not _is_container_call(name, call)):
            return True
        if is_on and self.is_part(on) and pairs.counts_down(name):
            return True
        for ended in self.resources.released(call, self.function):
            if ended.where.index in given or (ended.where.kind == "receiver" and is_on):
                return True
        if (name == "exchange" and given) or any(self.is_deleter(arg) for arg in call.args):
            return True
        return any(self.is_handed_over(call, index) for index in given)

    def is_handed_over(self, call: r.Call, index: int) -> bool:
        if not self.is_part(call.args[index]) and not isinstance(places.strip(call.args[index]), r.Call):
            return False
        if self.is_copying(call):
            return False
        taking = self.resources.taking(call, self.function, index)
        if taking == "kept" and call.kind == "call" and isinstance(call.callee, r.Member):
            return self.is_ended_by_keeper(call.callee)
        if taking in ("released", "adopted", "kept"):
            return True
        return taking == "unknown" and resources.said_to_end(call, index)

    def is_copying(self, call: r.Call) -> bool:
        """Whether the call makes another raw handle out of its arguments, which owns as little: `Extent(p, size)`."""
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        return bool(written) and self.resources.raw(written, self.function) is not None

    def is_ended_at(self, target: r.Value) -> bool:
        """Whether something ends what is put into that place. A copy in a local is followed instead."""
        return not self.own_local(target) and (self.is_ended is None or self.is_ended(target))

    def is_ended_by_keeper(self, method: r.Member) -> bool:
        """Whether something ends what a method keeps. A local that shares its object with others, as do the elements of
        a local container, does not end it with the call."""
        kind = types.parse(self.program.types.of(method.base, self.function))
        roles = self.program.types.roles(kind.name, self.function)
        if method.arrow and (kind.pointers or not {"shared pointer", "intrusive pointer"}.isdisjoint(roles)):
            return self.is_ended is None or self.is_ended(method.base)
        return self.is_ended_at(method.base)

    def is_deleter(self, value: r.Value) -> bool:
        """A lambda that releases what it is given, or a function named so: `std::for_each(b, e, free)`."""
        inner = places.strip(value)
        if isinstance(inner, r.Lambda):
            made = self.program.index.function_at(self.function.file, inner.function)
            return made is not None and bool(self.resources.duties.of(made).released)
        if isinstance(inner, r.Unary) and inner.op == "&":
            inner = inner.value
        return isinstance(inner, r.Name | r.Call) and bool(pairs.releasing_verb(places.last_name(inner)))

    def moved_by(self, assign: r.Assign) -> bool:
        """Put somewhere else that lives on."""
        target = places.strip(assign.target)
        if self.is_local(assign.target):
            return False
        if self.is_it(target) and isinstance(places.strip(assign.value), r.Literal):
            self.nulled = True
        if not self.is_part(assign.value):
            return False
        if self.is_for_caller(target):
            self.lent = True
            return False
        is_its_own = self.touches(target) if isinstance(target, r.Index) else places.last_name(target) == self.name
        return not is_its_own and self.is_ended_at(assign.target)

    def is_for_caller(self, target: r.Value | None) -> bool:
        """`*out = ..`, where `out` is a parameter."""
        inner = places.strip(target.value) if isinstance(target, r.Unary) and target.op == "*" else None
        return isinstance(inner, r.Name) and any(one.name == inner.text for one in self.function.record.parameters)


def _root(value: r.Value | None) -> r.Name | None:
    """The local through which a part of an object is reached: `block` of `block->id` and of `block->id()`."""
    inner = places.strip(value)
    while isinstance(inner, r.Member) or (isinstance(inner, r.Call) and not inner.args):
        inner = places.strip(inner.base if isinstance(inner, r.Member) else inner.callee)
    return inner if isinstance(inner, r.Name) else None


def _named(value: r.Value | None) -> str:
    """The local that an expression is, or leads to."""
    inner = places.strip(value)
    while isinstance(inner, r.Unary) and inner.op in ("&", "*"):
        inner = places.strip(inner.value)
    return inner.text if isinstance(inner, r.Name) else ""


def _is_container_call(name: str, call: r.Call) -> bool:
    """`entries_.clear()`, `entries_.erase(it)`: the container forgets, the handles stay."""
    return name in ("clear", "erase", "pop_back", "drop_front")


def _hands_over_to_its_like(function: Function, cls: Class) -> bool:
    """A move, a copy or a swap: the handle stays in an object of the class."""
    return function.cls is cls and ("swap" in pairs.words(function.name) or other_object(function, cls) is not None)


def other_object(function: Function, cls: Class) -> r.Parameter | None:
    """The parameter of a constructor or an assignment operator that is given another object of the class."""
    given = function.record.parameters
    if len(given) != 1 or (function.record.kind != "constructor" and function.name != "operator="):
        return None
    kind = types.parse(given[0].type)
    return given[0] if kind.reference and not kind.pointers and kind.last == cls.name else None
