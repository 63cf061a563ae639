"""What each event of a function means for a raw handle that one of its locals holds.

A holder is a local (or a member of a local struct, or a local container of handles) together with the other locals
that were set from it. An event ends the duty, hands the handle to somebody of whom nobody knows what he does with it,
or says nothing. Which event comes after which is not asked here; see `losing`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from ownlint import (
    Function,
    Place,
    assignments,
    bodies,
    entrances,
    failure,
    glance,
    habits,
    lasting,
    pairs,
    places,
    resources,
    types,
)
from ownlint import events as e
from ownlint import records as r

Meaning = Literal["", "released", "kept", "gone", "unknown"]
"""`released`: by what ends the duty; `kept`: somebody else has it now; `gone`: nothing can be said from here on;
`unknown`: a callee that nobody sees was given it."""

_ELEMENTS = frozenset({"begin", "end", "data", "front", "back", "rbegin", "cbegin"})
_PLAIN = (r.Name, r.Member, r.Index)


class MentioningEvents:
    """The events of a function by the names that they say, so that nobody has to ask all of them."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.by_name: dict[str, list[e.Event]] = {}
        for event in function.flow:
            kind = type(event)
            if kind is e.CallEvent:
                self._add(event, _names(event.node))  # type: ignore[attr-defined]
            elif kind is e.Write:
                self._add(event, _names(event.value) | {event.place[0]} | _names(event.target))  # type: ignore[attr-defined]
            elif kind is e.LeaveEvent:
                self._add(event, _names(event.value))  # type: ignore[attr-defined]
            elif kind is e.OpaqueEvent:
                self._add(event, set(event.names))  # type: ignore[attr-defined]
            elif kind is e.Read and event.span.start in self.operands:
                self._add(event, _names(event.node))  # type: ignore[attr-defined]
        for name, bound in function.flow.aliases.items():
            self.by_name.setdefault(bound[0], []).extend(self.by_name.get(name, ()))

    @cached_property
    def operands(self) -> dict[int, r.Call]:
        """By where the name of a right operand begins: operators that the project defines, as calls."""
        found: dict[int, r.Call] = {}
        calls = self.function.program.calls
        for statement in self.function.statements:
            for value in bodies.values(statement):
                for inner in places.walk(value):
                    if not isinstance(inner, r.Assign | r.Binary):
                        continue
                    right = places.strip(inner.value if isinstance(inner, r.Assign) else inner.right)
                    named = places.strip(right.value) if isinstance(right, r.Unary) and right.op in "*&" else right
                    if isinstance(named, r.Name) and (made := calls.operator_call(inner, self.function)) is not None:
                        found[named.start] = made
        return found

    def tests_in(self, span: r.Span) -> list[e.Test]:
        """The tests that a condition is made of."""
        low = bisect_left(self._tests, span.start, key=lambda test: test.span.start)
        high = bisect_left(self._tests, span.end, key=lambda test: test.span.start)
        return self._tests[low:high]

    @cached_property
    def _tests(self) -> list[e.Test]:
        return sorted((one for one in self.function.flow if isinstance(one, e.Test)), key=lambda test: test.span.start)

    def _add(self, event: e.Event, names: set[str]) -> None:
        for name in names:
            self.by_name.setdefault(name, []).append(event)

    def of(self, name: str) -> list[e.Event]:
        return self.by_name.get(name, [])


def _names(value: r.Value | None) -> set[str]:
    return {inner.text for inner in places.walk(value) if type(inner) is r.Name}


class Holder:
    """One place that holds a handle; `several` when it is a container of them."""

    def __init__(
        self,
        function: Function,
        known: resources.Resources,
        mentions: MentioningEvents,
        held: Place,
        *,
        several: bool = False,
    ) -> None:
        self.function = function
        self.resources = known
        self.mentions = mentions
        self.place = held
        self.several = several
        self.aliases: set[Place] = {held}
        self._find_aliases()

    # --- other names for it ---

    def _find_aliases(self) -> None:
        """Locals that are set from it. Without order: one that is set from it anywhere counts everywhere."""
        pending = [self.place]
        for current in pending:
            for event in self.mentions.of(current[0]):
                if not isinstance(event, e.Write) or event.place in self.aliases:
                    continue
                if not self.is_own_local(event.place[0]):
                    continue
                if self._is_the_handle(event) or (self.several and self._walks_over_it(event)):
                    self.aliases.add(event.place)
                    pending.append(event.place)

    @cached_property
    def concerned(self) -> dict[int, e.Event]:
        """The events that say any of its names, by index."""
        names = sorted({alias[0] for alias in self.aliases})
        return {event.index: event for name in names for event in self.mentions.of(name)}

    def _is_the_handle(self, event: e.Write) -> bool:
        if event.op not in ("=", "init") or not self.is_handle(self._source(event.value)):
            return False
        if isinstance(places.strip(event.target), r.Unary):
            return False  # `*out = handle`
        written = event.type or self.function.program.types.of(r.Name(0, 0, event.place[0]), self.function)
        if len(event.place) > 1:
            return types.parse(written).is_value and not self.ends_itself(written)
        return not self.ends_itself(written) or types.parse(written).pointers > 0

    def _source(self, value: r.Value | None) -> r.Value | None:
        """What a value is made of when it is the same handle still: `T* q(p)`, `p + 16`, `Check(p)` that returns what
        it is given."""
        inner = places.strip(value)
        while isinstance(inner, r.Binary) and inner.op in ("+", "-"):
            inner = places.strip(inner.left)
        if isinstance(inner, r.Call):
            if inner.kind == "construct" and len(inner.args) == 1 and isinstance(inner.callee, r.Name):
                return inner.args[0] if types.parse(inner.callee.text).pointers else inner
            if inner.kind == "call" and inner.args:
                through = self.resources.passes_on(inner, self.function)
                if len(through) == 1 and (index := next(iter(through))) < len(inner.args):
                    return inner.args[index]
        return inner

    def _walks_over_it(self, event: e.Write) -> bool:
        """`for (auto it = all.begin(); ...)`, `T** at = all.data()`, and the variable of a range-for."""
        inner = places.strip(event.value)
        if isinstance(inner, r.Call) and places.last_name(inner.callee) in _ELEMENTS:
            return self.is_handle(places.receiver(inner)) or any(self.is_handle(argument) for argument in inner.args)
        return event.fresh and isinstance(inner, r.Index) and self.is_handle(inner.base)

    def is_own_local(self, root: str) -> bool:
        """Whether it begins in this call and ends with it, and nothing with it: no reference, no static."""
        if root not in self.function.locals or root in self._statics or root in self.function.cleaned:
            return False
        return "&" not in self.function.locals[root][0]

    @cached_property
    def _statics(self) -> frozenset[str]:
        return lasting.statics(self.function)

    def ends_itself(self, written: str) -> bool:
        """Whether a value of this type ends what it holds."""
        program, function = self.function.program, self.function
        if types.parse(written).pointers:
            return False
        if not resources.OWNING.isdisjoint(program.types.roles(written, function)):
            return True
        cls = program.names.find_class(written, function.record.scope, function.file)
        return cls is not None and cls.record.destructor in ("declared", "defined")

    # --- what an expression says of it ---

    def is_handle(self, value: r.Value | None) -> bool:
        """Whether the value is the handle itself, or the struct around it; a look through the pointer is not."""
        inner = places.strip(value)
        if isinstance(inner, r.Unary) and inner.op == "*" and self._is_wrapped(inner.value):
            inner = places.strip(inner.value)  # the value of a status
        if isinstance(inner, r.Assign):
            inner = places.strip(inner.target)
        if (
            isinstance(inner, r.Call)
            and places.last_name(inner.callee) in ("value", "ValueOrDie", "get")
            and not inner.args
        ):
            inner = places.receiver(inner)
        if self.several and (element := self._element_of(inner)) is not None:
            return self.is_handle(element)
        if not isinstance(inner, _PLAIN):
            return False
        where = assignments.place(self.function, inner)
        return where is not None and self._is_alias(where)

    def _element_of(self, value: r.Value | None) -> r.Value | None:
        """The container in `all.back()`, `all.at(i).first`."""
        inner = value
        while isinstance(inner, r.Member):
            inner = places.strip(inner.base)
        found = isinstance(inner, r.Call) and places.last_name(inner.callee) in ("back", "front", "at")
        return places.receiver(inner) if found and isinstance(inner, r.Call) else None

    def _is_wrapped(self, value: r.Value) -> bool:
        """Whether the local is a status or an optional around the handle."""
        written = self.function.program.types.of(value, self.function)
        return not types.parse(written).pointers and bool(types.parse(written).arguments)

    def _is_alias(self, where: Place) -> bool:
        if where in self.aliases or any(places.covers(where, alias) for alias in self.aliases):
            return True
        return self.several and any(
            places.covers(alias, where) and where[len(alias)].startswith("[")
            for alias in self.aliases
            if len(where) > len(alias)
        )

    def is_address(self, value: r.Value | None) -> bool:
        inner = places.strip(value)
        return isinstance(inner, r.Unary) and inner.op == "&" and self.is_handle(inner.value)

    def is_inside(self, value: r.Value | None) -> bool:
        """Whether the handle becomes a part of the value: `{handle, 3}`, `Pair{handle}`, `c ? handle : other`."""
        inner = places.strip(value)
        if self.is_handle(inner) or self.is_address(inner):
            return True
        match inner:
            case r.Call(kind="call", callee=r.Name(text=name), args=args) if self._is_type(name):
                return any(self.is_inside(argument) for argument in args)
            case r.Aggregate(items=items):
                return any(self.is_inside(item) for item in items)
            case r.Pair(value=held) | r.Assign(value=held):
                return self.is_inside(held)
            case r.Conditional(then=then, other=other):
                return self.is_inside(then) or self.is_inside(other)
            case r.Binary(op=",", right=right):
                return self.is_inside(right)
            case r.Binary(op="+" | "-", left=left):
                return self.is_handle(self._source(left))
            case r.Call(kind="construct" | "new", args=args):
                return any(self.is_inside(argument) for argument in args)
            case r.Call() if self.several and places.last_name(inner.callee) in _ELEMENTS:
                return self.is_handle(places.receiver(inner))
        return False

    def _is_type(self, name: str) -> bool:
        """Whether `name(handle)` makes an object around it."""
        program, function = self.function.program, self.function
        if program.names.find_class(name, function.record.scope, function.file) is not None:
            return True
        return bool(program.types.roles(name, function))

    def says(self, value: r.Value | None) -> bool:
        """Whether the value names it in any way."""
        return any(self.is_handle(inner) for inner in places.walk(value))

    # --- what an event does with it ---

    def is_written_by(self, event: e.Write) -> bool:
        """Whether it holds something else from there on: not `*p = 3`, which writes to what it points to."""
        through = isinstance(places.strip(event.target), r.Unary)
        return event.place == self.place and event.op in ("=", "init") and not through

    def meaning(self, event: e.Event) -> Meaning:
        kind = type(event)
        if event.index not in self.concerned:
            if kind is not e.CallEvent:
                return ""
            return "gone" if self._ends_program(event.node) or self._is_said_by_macro(event.node) else ""  # type: ignore[attr-defined]
        if kind is e.CallEvent:
            return self._of_call(event)  # type: ignore[arg-type]
        if kind is e.Read:
            return self._of_operator(self.mentions.operands[event.span.start])
        if kind is e.Write:
            return self._of_write(event)  # type: ignore[arg-type]
        if kind is e.LeaveEvent:
            return self._of_leave(event)  # type: ignore[arg-type]
        if kind is e.OpaqueEvent:
            return "gone" if self.place[0] in event.names else ""  # type: ignore[attr-defined]
        return ""

    def _of_leave(self, event: e.LeaveEvent) -> Meaning:
        if event.value is None:
            return ""
        if self.is_inside(event.value) or self._is_interior(event.value):
            return "kept"
        return "gone" if any(self._is_asked(call) for call in places.calls_in(event.value)) else ""

    def _is_asked(self, call: r.Call) -> bool:
        """Whether a call is about the handle and answers something in which it may be."""
        about = self.is_handle(places.receiver(call)) or any(
            self.is_handle(one) or self._is_interior(one) for one in call.args
        )
        return about and not self.is_plain(call)

    def is_plain(self, value: r.Value | None) -> bool:
        """Whether a value can tell nothing but how it went: a number, a status, nothing at all."""
        program, function = self.function.program, self.function
        written = program.types.of(value, function)
        kind = types.parse(written)
        if kind.last in ("void", "bool", "float", "double") or failure.is_number(written):
            return True
        if isinstance(value, r.Call) and not written:  # nobody knows: it is what the function itself answers
            own = types.parse(function.record.result)
            return own.is_value and (own.last in ("void", "bool") or failure.is_number(function.record.result))
        status = program.statuses.of(written, function)
        return status is not None and not kind.arguments

    def _of_write(self, event: e.Write) -> Meaning:
        if event.place in self.aliases or event.value is None:
            return ""
        if event.fresh and self.several and self._walks_over_it(event):
            return ""
        made = places.strip(event.value)
        if isinstance(made, r.Call) and not self.is_inside(made):
            local = len(event.place) == 1 and self.is_own_local(event.place[0])
            given = any(self.is_handle(argument) or self._is_interior(argument) for argument in made.args)
            return "gone" if given and not local and not self.is_plain(made) else ""
        return "kept" if self.is_inside(event.value) or self._is_interior(event.value) else ""

    def _is_interior(self, value: r.Value | None) -> bool:
        """`&handle->base`, by which a struct of C is known to others."""
        inner = places.strip(value)
        if not isinstance(inner, r.Unary) or inner.op != "&":
            return False
        inner = places.strip(inner.value)
        while isinstance(inner, r.Member | r.Index):
            inner = places.strip(inner.base)
            if self.is_handle(inner):
                return True
        return False

    def _of_call(self, event: e.CallEvent) -> Meaning:
        node = event.node
        if event.asserted:
            return ""
        name = places.last_name(node.callee)
        if self._is_said_by_macro(node):
            return "gone"
        if self._is_compared_with_null(node):
            return "" if "NE" in name else "gone"
        if pairs.releasing_verb(name) and any(self._touches(one) or self._is_interior(one) for one in node.args):
            return "released"
        touching = [index for index, argument in enumerate(node.args) if self._touches(argument)]
        on = places.receiver(node)
        by_receiver = on is not None and self._is_called_on(node, on)
        if any(self._is_read_off(argument) for argument in node.args) and self._is_ended_by_number(node):
            return "released"
        if not touching and not by_receiver:
            return "gone" if self._ends_program(node) else ""
        if self.function.program.macros.role(name) in (
            "return on failure",
            "assign or return",
            "check",
            "assert",
            "log",
        ):
            # `CHECKED(thing_free, (thing))`: the macro calls what it is given
            others = (other for index, other in enumerate(node.args) if index not in touching)
            return "kept" if touching and any(self._ends_later(other) for other in others) else ""
        for ended in self.resources.released(node, self.function):
            if ended.where.kind == "receiver":
                if by_receiver:
                    return "released"
            elif ended.where.index in touching:
                return "released"
        meanings = {self._given(node, index) for index in touching}
        if by_receiver and self._hands_itself_over(node):
            meanings.add("gone")
        if by_receiver and self.several and name in ("swap", "extract", "release"):
            meanings.add("kept")
        return next((found for found in ("released", "kept", "gone", "unknown") if found in meanings), "")

    def _of_operator(self, call: r.Call) -> Meaning:
        """What an operator of the project does with its right operand."""
        found = self._given(call, len(call.args) - 1) if self._touches(call.args[-1]) else ""
        return found if found in ("released", "kept", "unknown") else ""

    def _is_said_by_macro(self, node: r.Call) -> bool:
        """Whether a macro of the project names the local in its body."""
        macros = (
            self.function.program.macros.named(places.last_name(node.callee)) if type(node.callee) is r.Name else []
        )
        names = {alias[0] for alias in self.aliases}
        return any(
            not names.isdisjoint(_WORDS.findall(macro.body))
            for macro in macros
            if not names & set(macro.parameters or ())
        )

    def _is_compared_with_null(self, node: r.Call) -> bool:
        """`EXPECT_EQ(handle, nullptr)`, which is a test of its own."""
        if len(node.args) != 2 or type(node.callee) is not r.Name:
            return False
        one, other = places.strip(node.args[0]), places.strip(node.args[1])
        return any(
            isinstance(null, r.Literal) and null.kind == "null" and self.is_handle(held)
            for null, held in ((one, other), (other, one))
        )

    def _hands_itself_over(self, node: r.Call) -> bool:
        """Whether the method gives the object it is called on to somebody."""
        return any(gives_itself(method) for method in self.function.program.calls.callee(node, self.function).functions)

    def _is_called_on(self, node: r.Call, on: r.Value) -> bool:
        """`handle->Unref()`; of a container `all.swap(other)`, and `all.back().Free()`."""
        if self.is_handle(on):
            return True
        inner = places.strip(on)
        return (
            isinstance(inner, r.Call)
            and places.last_name(inner.callee) in _ELEMENTS
            and self.is_handle(places.receiver(inner))
        )

    def is_given_to(self, node: r.Call) -> bool:
        """Whether the call gets the handle, as an argument of its own."""
        return any(self._touches(argument) for argument in node.args)

    def _touches(self, argument: r.Value) -> bool:
        if self.is_inside(argument):
            return True
        return self.is_pointee(argument)

    def is_computed_with(self, value: r.Value | None) -> bool:
        """`(void *)(((uintptr_t)handle + 15) & ~15)`: another address, from which one comes back to it."""
        inner = places.strip(value)
        if not isinstance(inner, r.Binary) or inner.op not in ("+", "-", "&", "|"):
            return False
        sides = (inner.left, inner.right)
        return any(self.is_handle(side) or self.is_computed_with(side) for side in sides)

    def is_pointee(self, value: r.Value | None) -> bool:
        """`*handle`, which a callee can take the address of."""
        inner = places.strip(value)
        return isinstance(inner, r.Unary) and inner.op == "*" and self.is_handle(inner.value)

    def _given(self, node: r.Call, index: int) -> Meaning:
        """What becomes of it as an argument."""
        argument = node.args[index]
        if self.is_pointee(argument):
            return self._given_pointee(node, index)
        if not self.is_handle(argument) and not self.is_address(argument):
            return "kept"  # inside of something else
        if assignments.assigned(node) is not None or not habits.OWNS.isdisjoint(
            pairs.words(places.last_name(node.callee))
        ):
            return "kept"
        if node.template and self._is_forwarded(node):
            return "kept"
        if any(self._ends_later(other) or self._takes_later(other) for other in node.args if other is not argument):
            return "kept"
        taking = self.resources.taking(node, self.function, index)
        if taking == "released" or (
            self._is_around(argument) and self.resources.ends_member(node, self.function, index)
        ):
            return "released"
        if taking in ("adopted", "kept"):
            return "kept"
        if len(self.place) > 1 and self.is_address(argument) and any(_is_far(other) for other in node.args):
            return "kept"  # `memcpy(&joystick->state, &local, sizeof(local))`: the struct around it is copied
        if self.several or (self.is_address(argument) and self._is_pointer()):
            return "" if self._only_looks(node, index) else "gone"
        if taking == "borrowed" or self._only_looks(node, index):
            return ""
        return "unknown"

    def _is_read_off(self, argument: r.Value) -> bool:
        """`socket->fd()`: the number by which the system knows the handle."""
        inner = places.strip(argument)
        return (
            isinstance(inner, r.Call)
            and not inner.args
            and inner.kind == "call"
            and self.is_handle(places.receiver(inner))
        )

    def _is_ended_by_number(self, node: r.Call) -> bool:
        """Whether the call ends what it was read off from."""
        return any(
            self._is_read_off(argument) and self.resources.taking(node, self.function, index) == "released"
            for index, argument in enumerate(node.args)
        )

    def _is_around(self, argument: r.Value) -> bool:
        """Whether the argument is the struct of which the handle is a member."""
        inner = places.strip(argument)
        inner = places.strip(inner.value) if isinstance(inner, r.Unary) and inner.op == "&" else inner
        where = assignments.place(self.function, inner) if isinstance(inner, _PLAIN) else None
        return where is not None and any(
            len(where) < len(alias) and places.covers(where, alias) for alias in self.aliases
        )

    def _given_pointee(self, node: r.Call, index: int) -> Meaning:
        """A value or a const reference looks; another reference may be the beginning of a link to it. An object that
        is made of it looks at it as long as it lives, unless its class ends what the reference leads to."""
        if self.several:
            return "gone"
        if node.kind in ("construct", "new"):
            return "kept" if self.resources.taking(node, self.function, index) == "adopted" else ""
        if self._only_looks(node, index):
            return ""
        found = self.function.program.calls.callee(node, self.function).records
        if found and all(
            types.parse(one.parameters[index].type).is_value for one in found if index < len(one.parameters)
        ):
            return ""
        taking = self.resources.taking(node, self.function, index)
        return "kept" if taking in ("kept", "adopted", "released") else "unknown" if taking == "unknown" else ""

    def _is_pointer(self) -> bool:
        """Whether who has its address can end it and put something else there."""
        written = self.function.program.types.of(r.Name(0, 0, self.place[0]), self.function)
        return len(self.place) == 1 and types.parse(written).pointers > 0

    def _is_forwarded(self, node: r.Call) -> bool:
        """`Make<T>(handle)`, which hands its arguments on to a constructor."""
        found = self.function.program.calls.callee(node, self.function).records
        return all(any("..." in given.type or given.spread for given in one.parameters) for one in found)

    def _ends_later(self, argument: r.Value) -> bool:
        """Whether an argument says who will end or get what another one holds: `free`, `&Thread::Main`."""
        inner = places.strip(argument)
        if isinstance(inner, r.Unary) and inner.op == "&":
            inner = inner.value
            if isinstance(inner, r.Name) and "::" in inner.text:
                return True
        return (
            isinstance(inner, r.Name)
            and inner.text not in self.function.declared
            and bool(pairs.releasing_verb(places.last_name(inner)))
        )

    def _takes_later(self, argument: r.Value) -> bool:
        """Whether an argument is a function of the project that ends or keeps what it will be given: a thread's."""
        inner = places.strip(argument)
        if not isinstance(inner, r.Lambda | r.Name | r.Unary):
            return False
        run = entrances.meant(self.function, inner)
        duty = self.resources.duties.of(run) if run is not None else None
        return duty is not None and bool(duty.released | duty.adopted | duty.stored)

    def _only_looks(self, node: r.Call, index: int) -> bool:
        """Whether the parameter that gets it is declared to change nothing: `const T*`, `const std::vector<T*>&`."""
        found = self.function.program.calls.callee(node, self.function).records
        kinds = [types.parse(record.parameters[index].type) for record in found if index < len(record.parameters)]
        return bool(kinds) and all(kind.const and (kind.pointers == 1 or kind.reference) for kind in kinds)

    def _ends_program(self, node: r.Call) -> bool:
        return failure.ends_program(self.function, node)

    # --- who ends it out of order ---

    def is_ended_elsewhere(self) -> bool:
        """Whether a lambda, or an object that was given the variable itself, sees what it holds at the end."""
        if any(self._is_ended_by(inner) for inner in self.function.running_lambdas()):
            return True
        return any(self._guards(event) for event in self.concerned.values() if isinstance(event, e.CallEvent))

    def _is_ended_by(self, inner: Function) -> bool:
        names = {alias[0] for alias in self.aliases}
        if not any(glance.says(inner, name) for name in names):
            return False
        if self.several:
            return True
        inside = Holder.__new__(Holder)
        inside.function, inside.resources = inner, self.resources
        inside.place, inside.several, inside.aliases = self.place, False, set(self.aliases)
        inside.mentions = MentioningEvents(inner)
        if any(inside.meaning(event) for event in inner.flow):
            return True
        return any(inside._is_ended_by(nested) for nested in inner.lambdas())

    def _guards(self, event: e.CallEvent) -> bool:
        """`Freer freer(&text)`, `Guard guard(text)` that takes it by reference."""
        node = event.node
        if node.kind != "construct" and not (node.kind == "call" and self._makes_object(node)):
            return False
        if any(self.is_address(argument) for argument in node.args):
            return True
        return any(
            self.is_handle(argument) and self._is_by_reference(node, index) for index, argument in enumerate(node.args)
        )

    def _makes_object(self, node: r.Call) -> bool:
        return isinstance(node.callee, r.Name) and self.ends_itself(node.callee.text)

    def _is_by_reference(self, node: r.Call, index: int) -> bool:
        written = node.callee.text if isinstance(node.callee, r.Name) else ""
        cls = self.function.program.names.find_class(written, self.function.record.scope, self.function.file)
        if cls is None:
            return False
        made = [
            one.parameters[index]
            for one in cls.declarations
            if one.kind == "constructor" and index < len(one.parameters)
        ]
        return any("&" in given.type and types.parse(given.type).last != cls.name for given in made)

    # --- tests ---

    def is_absent(self, value: r.Value | None, outcome: bool) -> bool:
        """Whether the outcome of a condition says that there is no handle, or that it is another one."""
        value = _expected(value)
        while isinstance(value, r.Unary) and value.op in ("!", "not"):
            value, outcome = _expected(value.value), not outcome
        if isinstance(value, r.Assign):
            value = places.strip(value.target)
        if self.is_handle(value):
            return not outcome
        match value:
            case r.Binary(op="==" | "!=" as op, left=left, right=right) if self._is_looked_at(
                left
            ) or self._is_looked_at(right):
                return outcome == (op == "==")
            case r.Binary(op="<" | "<=", left=left, right=right):
                return outcome if self._is_looked_at(left) else not outcome and self._is_looked_at(right)
            case r.Binary(op=">" | ">=", left=left, right=right):
                return not outcome if self._is_looked_at(left) else outcome and self._is_looked_at(right)
            case r.Member(base=base) if self.is_handle(base):
                return not outcome  # `if (handle.ptr)`
            case r.Call() if asked := self._asked(value):
                return outcome == (asked == "absent")
        return False

    def is_failed(self, test: e.Test, outcome: bool) -> bool:
        """Whether the object says itself that it came to nothing: `p->in_error()`. Who hands out an object that stands
        for none has nothing to get back."""
        value = places.strip(test.value)
        while isinstance(value, r.Unary) and value.op in ("!", "not"):
            value, outcome = places.strip(value.value), not outcome
        value = _expected(value)
        if not isinstance(value, r.Call) or value.args or not self.is_handle(places.receiver(value)):
            return False
        return outcome and _ABSENT.search(places.last_name(value.callee)) is not None

    def says_how_it_went(self, value: r.Value | None) -> bool:
        """Whether a condition compares what the object says itself of how it was made: `file.status() != Open`. One
        that is reached through a pointer is there in any case."""
        inner = places.strip(value)
        if not isinstance(inner, r.Binary) or inner.op not in ("==", "!="):
            return False
        return any(
            isinstance(part, r.Call)
            and not part.args
            and isinstance(part.callee, r.Member)
            and not part.callee.arrow
            and self.is_handle(part.callee.base)
            and not habits.OUTCOMES.isdisjoint(pairs.words(part.callee.name))
            for part in (places.strip(inner.left), places.strip(inner.right))
        )

    def _asked(self, call: r.Call) -> Literal["", "absent", "present"]:
        """Whether a call asks the handle if there is one, or if there is none. A method that is called through a
        pointer has one already, and a function that is not named as a question does something."""
        name = places.last_name(call.callee)
        on = places.receiver(call)
        if on is not None and not call.args:
            arrow = isinstance(call.callee, r.Member) and call.callee.arrow
            if arrow or not self.is_handle(on):
                return ""
        elif (
            on is not None or len(call.args) != 1 or not (self.is_handle(call.args[0]) or self.is_address(call.args[0]))
        ):
            return ""
        if _ABSENT.search(name):
            return "absent"
        return "present" if not _ASKS.isdisjoint(pairs.words(name)) or on is not None else ""

    def _is_looked_at(self, value: r.Value) -> bool:
        """The handle, or what it has for a number: `handle.id`, `handle.ptr`."""
        inner = places.strip(value)
        if isinstance(inner, r.Member) and not inner.arrow and not self.several:
            inner = places.strip(inner.base)
        return self.is_handle(inner)

    def tests_itself(self, leave: e.LeaveEvent) -> bool:
        """`RETURN_IF_NULL(handle)`, `RET_CHECK(handle != nullptr)`: a macro that leaves where there is none."""
        for call in self.function.flow.calls_of(leave):
            if call.span == leave.span and places.last_name(call.node.callee) == leave.via:
                return any(self._is_null_test(argument) for argument in call.node.args)
        return False

    def _is_null_test(self, value: r.Value) -> bool:
        inner = places.strip(value)
        while isinstance(inner, r.Unary) and inner.op in ("!", "not"):
            inner = places.strip(inner.value)
        if isinstance(inner, r.Binary) and inner.op in ("&&", "and"):
            return self.is_absent(inner.left, True) or self.is_absent(inner.right, True)
        if isinstance(inner, r.Binary) and inner.op in ("==", "!=", "<", ">", ">=", "<="):
            return self._is_looked_at(inner.left) or self._is_looked_at(inner.right)
        if isinstance(inner, r.Call) and len(inner.args) <= 1 and places.last_name(inner.callee):
            return self.is_handle(places.receiver(inner)) and not inner.args
        return self.is_handle(inner)


def _is_far(value: r.Value) -> bool:
    """The address of a part of something that is reached through a pointer."""
    inner = places.strip(value)
    if not isinstance(inner, r.Unary) or inner.op != "&":
        return False
    part = places.strip(inner.value)
    return isinstance(part, r.Member) and part.arrow


def _expected(value: r.Value | None) -> r.Value | None:
    """What a test is about inside of `UNLIKELY(p == nullptr)`, which tells the compiler what to expect."""
    inner = places.strip(value)
    while isinstance(inner, r.Call) and inner.args and _EXPECTS.search(places.last_name(inner.callee)):
        inner = places.strip(inner.args[0])
    return inner


_EXPECTS = re.compile(r"likely$|builtin_expect$", re.IGNORECASE)
_ABSENT = re.compile(r"null|empty|invalid|fail|err|none|absent|missing|unset|bad|nil|closed", re.IGNORECASE)
_ASKS = frozenset({"is", "has", "ok", "valid", "good", "exists", "present", "succeeded", "alive", "open", "set"})


def gives_itself(method: Function) -> bool:
    """Whether a body hands out `this`: as an argument, or into a place."""
    if b'"this"' not in method.encoded:
        return False
    values = [argument for call in method.flow.calls for argument in call.node.args]
    values += [write.value for write in method.flow.writes if write.value is not None]
    return any(_is_this(value) for value in values)


def _is_this(value: r.Value | None) -> bool:
    inner = places.strip(value)
    if isinstance(inner, r.Unary) and inner.op == "*":
        inner = inner.value
    return isinstance(inner, r.Name) and inner.text == places.THIS


def parts(value: r.Value | None) -> Iterator[r.Value]:
    """The value and what it chooses between or is wrapped around."""
    inner = places.strip(value)
    if inner is None:
        return
    yield inner
    if isinstance(inner, r.Conditional):
        yield from parts(inner.then)
        yield from parts(inner.other)
    elif isinstance(inner, r.Unary):
        yield from parts(inner.value)
    elif isinstance(inner, r.Call) and inner.kind == "macro":
        for argument in places.children(inner)[1:]:
            yield from parts(argument)


_WORDS = re.compile(r"\w++")
