"""What an event does with a block that the function has to release: ends it, keeps it, looks at it.

The places that lead to the block are cells of the state, so that a copy, a reference and a member of a local struct are
the block as long as they hold it. What calls of libraries and of the project do to it, `resources` says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Set
from functools import cached_property
from typing import Literal

from ownlint.domains import entrances, failure
from ownlint.domains.counted.references import references
from ownlint.domains.memory.blocks import LOST, NULL, SOME, Block, Cell, MemoryDraft, Pointer
from ownlint.domains.memory.memory import MemoryWalk
from ownlint.domains.memory.pointers import bound_at
from ownlint.engine import assignments, containers, glance, lasting
from ownlint.engine.copying import copies_from, is_copying
from ownlint.engine.resources import OWNING, resources
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.graph import Flow
from ownlint.flow.places import THIS, last_name, names_in, receiver, strip, walk
from ownlint.models import habits
from ownlint.project import types
from ownlint.project.pairs import releasing_verb, words
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function

Use = Literal["", "released", "kept", "gone", "unknown"]
"""`released`: by what ends the duty; `kept`: somebody else has it now; `gone`: nothing can be said from here on;
`unknown`: a callee that nobody sees was given it."""

ENDINGS: frozenset[Use] = frozenset({"released", "kept"})
_ELEMENTS = frozenset({"begin", "end", "data", "front", "back", "rbegin", "cbegin"})
_ONE = frozenset({"back", "front", "at"})
_INNER = frozenset({"value", "ValueOrDie", "get"})
_LOOKING = frozenset({"return on failure", "assign or return", "check", "assert", "log"})
"""Roles of the macros that only look at what they are given."""


@flow_question
def names_at(function: Function) -> tuple[frozenset[str], ...]:
    """By event the names that it says."""
    operators, bound = operands(function), bound_at(function)
    return tuple(_names_at(event, operators, bound.keys()) for event in function.flow)


def _names_at(event: e.Event, operators: dict[int, r.Call], bound: Set[tuple[int, int]]) -> frozenset[str]:
    match event:
        case e.CallEvent(node=node):
            return names_in(node)
        case e.Write(value=value, place=place, target=target):
            return names_in(value) | names_in(target) | {place[0]}
        case e.LeaveEvent(value=value) | e.Test(value=value):
            return names_in(value)
        case e.OpaqueEvent(names=names):
            return frozenset(names)
        case e.Read(node=node) if event.span.start in operators or (node.start, node.end) in bound:
            return names_in(node)
        case e.End(place=place):
            return frozenset(place[:1])
    return frozenset()


def _is_idle(event: e.Event, operators: dict[int, r.Call], bound: Set[tuple[int, int]]) -> bool:
    """Whether nothing is done but to look at what is no part of an operator and not bound to a name."""
    if isinstance(event, e.Read):
        return event.span.start not in operators and (event.node.start, event.node.end) not in bound
    return isinstance(event, e.Mark)


class Stretches:
    """What a walk passes without a look, unless it is about its own block: events that follow each other and nothing
    else, and that do nothing to any block that they do not name."""

    def __init__(self, function: Function) -> None:
        flow = function.flow
        self.last = list(range(len(flow.events)))
        """By event the last one of the stretch that it stands in."""
        self.naming: dict[str, list[int]] = {}
        """By name the events that say it, in ascending order."""
        for index, names in enumerate(names_at(function)):
            for name in names:
                self.naming.setdefault(name, []).append(index)
        self.silent = silent = [self.is_silent(function, flow, event) for event in flow]
        for index in range(len(silent) - 2, -1, -1):
            if silent[index] and silent[index + 1]:
                self.last[index] = self.last[index + 1]
        self.idle = list(range(len(flow.events)))
        """By event the next one, itself perhaps, that does anything at all: reads and marks alone do nothing."""
        operators, bound = operands(function), bound_at(function)
        for index in range(len(silent) - 2, -1, -1):
            if silent[index] and _is_idle(flow.events[index], operators, bound.keys()):
                self.idle[index] = self.idle[index + 1]

    @staticmethod
    def is_silent(function: Function, flow: Flow, event: e.Event) -> bool:
        if flow.successors[event.index] != ((event.index + 1, None),):
            return False
        match event:
            case e.CallEvent(node=node):
                named = isinstance(node.callee, r.Name) and function.program.macros.named(last_name(node.callee))
                return not (named or failure.never_comes_back(function, node))
            case e.Mark(what=what):
                return what != "loop"
        return isinstance(event, e.Read | e.Write | e.End | e.OpaqueEvent)

    def behind(self, index: int, names: frozenset[str]) -> int:
        """The next event that a walk has to look at which stands at one, where it is about these names."""
        last = self.last[index]
        for name in names if last > index else ():
            naming = self.naming.get(name, ())
            position = bisect_left(naming, index)
            if position < len(naming):
                last = min(last, max(naming[position] - 1, index))
        return last + 1


@flow_question
def stretches(function: Function) -> Stretches:
    return Stretches(function)


@flow_question
def operands(function: Function) -> dict[int, r.Call]:
    """By where the name of a right operand begins: operators that the project defines, as calls."""
    found: dict[int, r.Call] = {}
    calls = function.program.calls
    for inner in function.values:
        if not isinstance(inner, r.Assign | r.Binary):
            continue
        right = strip(inner.value if isinstance(inner, r.Assign) else inner.right)
        named = strip(right.value) if isinstance(right, r.Unary) and right.op in "*&" else right
        if isinstance(named, r.Name) and (made := calls.operator_call(inner, function)) is not None:
            found[named.start] = made
    return found


class OwedUses(MemoryWalk):
    """The uses of one block; `several` when it is a local container, whose elements are owed."""

    def __init__(self, function: Function, block: Block, *, several: bool = False) -> None:
        super().__init__(function)
        self.block = block
        self.several = several
        self.resources = resources(self.program)
        self.said = names_at(function)
        self.names: set[str] = set()
        """Locals that lead to the block on some way."""

    # --- which cells lead to it ---

    def is_private(self, block: Block) -> bool:
        """What a local holds stays there: who is given its address is asked what becomes of the block."""
        return block[0] == "var" and self.is_own(block[1]) and block[1] not in self.references

    def is_followed(self, block: Block) -> bool:
        return block[0] == "var" and self.is_own(block[1])

    @cached_property
    def counting(self) -> frozenset[str]:
        """What is put into an element by a variable may be got out of it by another."""
        return frozenset()

    def keeps_place(self, written: str) -> bool:
        """So it is with containers."""
        return False

    def parts_written(self, draft: MemoryDraft, event: e.Write, where: Cell | None) -> list[tuple[str, Pointer]]:
        """Of a new local that has no members nothing else needs to be known."""
        if event.fresh and not self.members_of(event.type):
            return []
        return super().parts_written(draft, event, where)

    def cell_of_name(self, draft: MemoryDraft, name: str) -> Cell | None:
        if name in self.references and name in self.flow.aliases and Cell(("var", name)) not in draft.cells:
            root, *path = self.flow.aliases[name]  # bound before there was a block
            if self.declared(root) is not None:
                return Cell(("var", root), tuple(path))
        return super().cell_of_name(draft, name)

    def leading(self, draft: MemoryDraft) -> frozenset[str]:
        """The locals by which an event can be about the block."""
        found = {
            cell.block[1] for cell, held in draft.cells.items() if held.block == self.block and cell.block[0] == "var"
        }
        self.names |= found
        around = [name for name, bound in self.flow.aliases.items() if bound[0] in found]
        pointing = [
            cell.block[1]
            for cell, held in draft.cells.items()
            if held.block[0] == "var" and held.block[1] in found and cell.block[0] == "var"
        ]
        return frozenset((*found, *around, *pointing))

    def is_led_by(self, draft: MemoryDraft, where: Cell | None) -> bool:
        """Whether a cell, or an object with one inside, holds what leads to the block."""
        if where is None or where in (LOST, NULL):
            return False
        if draft.read(where).block == self.block or (self.several and where.block == self.block):
            return True
        depth = len(where.path)
        return any(
            held.block == self.block and cell.block == where.block and cell.path[:depth] == where.path
            for cell, held in draft.cells.items()
        )

    # --- what an expression says of it ---

    def is_it(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """Whether the value is the handle itself, or the struct around it; a look through the pointer is not."""
        inner = strip(value)
        if isinstance(inner, r.Unary) and inner.op == "*" and self.is_wrapped(inner.value):
            inner = strip(inner.value)  # the value of a status
        if isinstance(inner, r.Assign):
            inner = strip(inner.target)
        if isinstance(inner, r.Call) and last_name(inner.callee) in _INNER and not inner.args:
            inner = receiver(inner)
        if self.several and isinstance(inner, r.Member) and inner.arrow and self.is_plain(inner):
            return False  # a number in what an element leads to
        if self.several and (around := self.container_of(inner)) is not None:
            return self.is_it(draft, around)
        match inner:
            case r.Name() | r.Member() | r.Index():
                return self.is_led_by(draft, self.cell(draft, inner))
            case r.Unary(op="*", value=pointer):
                held = self.pointer(draft, pointer)  # `*out`, of a pointer to the local
                return held.block[0] == "var" and self.is_led_by(draft, held)
        return False

    def container_of(self, value: r.Value | None) -> r.Value | None:
        """The container in `all[i]`, `all.back()`, `all.at(i).first`, `all.find(key)->second`."""
        inner = value
        while isinstance(inner, r.Member):
            inner = strip(inner.base)
        if isinstance(inner, r.Index):
            return inner.base
        leading = _ONE if inner is value else _ONE | self.program.models.containers.ways_in
        found = isinstance(inner, r.Call) and last_name(inner.callee) in leading
        return receiver(inner) if found and isinstance(inner, r.Call) else None

    def is_wrapped(self, value: r.Value) -> bool:
        """Whether the local is a status or an optional around the handle."""
        kind = types.parse(self.program.types.of(value, self.function))
        return not kind.pointers and bool(kind.arguments)

    def is_address(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """Whether it is where the handle stands: `&p`, and a pointer that was set to it."""
        inner = strip(value)
        if isinstance(inner, r.Unary) and inner.op == "&":
            return self.is_it(draft, inner.value)
        if not isinstance(inner, r.Name | r.Member):
            return False
        held = self.pointer(draft, inner)
        return held.block[0] == "var" and self.is_led_by(draft, held)

    def is_inside(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """Whether the handle becomes a part of the value: `{handle, 3}`, `Pair{handle}`, `c ? handle : other`."""
        inner = strip(value)
        if self.is_it(draft, inner) or self.is_address(draft, inner):
            return True
        match inner:
            case r.Call(kind="call", callee=r.Name(text=name)) if self.is_type(name):
                return any(self.is_inside(draft, argument) for argument in self.kept_by(inner))
            case r.Aggregate(items=items):
                return any(self.is_inside(draft, item) for item in items)
            case r.Pair(value=held) | r.Assign(value=held):
                return self.is_inside(draft, held)
            case r.Unary(op="&", value=held) if isinstance(strip(held), r.Aggregate):
                return self.is_inside(draft, held)  # `&(struct arguments){.data = handle}`
            case r.Conditional(then=then, other=other):
                return self.is_inside(draft, then) or self.is_inside(draft, other)
            case r.Binary(op=",", right=right):
                return self.is_inside(draft, right)
            case r.Binary(op="+" | "-", left=left):
                return self.is_it(draft, self.source(left))
            case r.Call(kind="construct" | "new"):
                return any(self.is_inside(draft, argument) for argument in self.kept_by(inner))
            case r.Call() if self.several and last_name(inner.callee) in _ELEMENTS:
                return self.is_it(draft, receiver(inner))
        return False

    def kept_by(self, call: r.Call) -> Iterator[r.Value]:
        """The arguments that a call may keep: not what an object only copies from, as `std::string(text)` does."""
        for index, argument in enumerate(call.args):
            if not copies_from(call, self.function, index):
                yield argument

    def is_type(self, name: str) -> bool:
        """Whether `name(handle)` makes an object around it."""
        program, function = self.program, self.function
        if program.names.find_class(name, function.record.scope, function.file) is not None:
            return True
        return bool(program.types.roles(name, function))

    def source(self, value: r.Value | None) -> r.Value | None:
        """What a value is made of when it is the same handle still: `T* q(p)`, `p + 16`, `Check(p)` that returns what
        it is given."""
        inner = strip(value)
        while isinstance(inner, r.Binary) and inner.op in ("+", "-"):
            inner = strip(inner.left)
        if isinstance(inner, r.Call):
            if inner.kind == "construct" and len(inner.args) == 1 and isinstance(inner.callee, r.Name):
                return inner.args[0] if types.parse(inner.callee.text).pointers else self.wrapped_again(inner)
            if inner.kind == "construct":
                return self.wrapped_again(inner)
            if inner.kind == "call" and inner.args:
                through = self.resources.passes_on(inner, self.function)
                if len(through) == 1 and (index := next(iter(through))) < len(inner.args):
                    return inner.args[index]
        return inner

    def wrapped_again(self, made: r.Call) -> r.Value:
        """The handle that another value of its class, or of a base or heir of that, is made of by its own pointer:
        `Address(block.pointer(), size)`. Else the value itself."""
        got = strip(made.args[0]) if made.args else None
        on = receiver(got) if isinstance(got, r.Call) and not got.args else None
        if not isinstance(on, r.Name) or on.text not in self.function.locals or not isinstance(made.callee, r.Name):
            return made
        names, file, scope = self.program.names, self.function.file, self.function.record.scope
        held, given = self.program.types.of(on, self.function), self.program.types.of(got, self.function)
        if not types.parse(held).is_value or not types.parse(given).pointers:
            return made
        one, other = (names.find_class(types.parse(x).name, scope, file) for x in (held, made.callee.text))
        if one is None or other is None:
            return made
        return on if one in other.ancestry or other in one.ancestry else made

    def says(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """Whether the value names it in any way."""
        return any(self.is_it(draft, inner) for inner in walk(value))

    def is_interior(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """`&handle->base`, by which a struct of C is known to others."""
        inner = strip(value)
        if not isinstance(inner, r.Unary) or inner.op != "&":
            return False
        inner = strip(inner.value)
        while isinstance(inner, r.Member | r.Index):
            inner = strip(inner.base)
            if self.is_it(draft, inner):
                return True
        return False

    def is_pointee(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """`*handle`, which a callee can take the address of."""
        inner = strip(value)
        return isinstance(inner, r.Unary) and inner.op == "*" and self.is_it(draft, inner.value)

    def is_computed_with(self, draft: MemoryDraft, value: r.Value | None) -> bool:
        """`(void *)(((uintptr_t)handle + 15) & ~15)`: another address, from which one comes back to it."""
        inner = strip(value)
        if not isinstance(inner, r.Binary) or inner.op not in ("+", "-", "&", "|"):
            return False
        return any(self.is_it(draft, side) or self.is_computed_with(draft, side) for side in (inner.left, inner.right))

    def is_given(self, draft: MemoryDraft, argument: r.Value) -> bool:
        return self.is_inside(draft, argument) or self.is_pointee(draft, argument)

    def is_plain(self, value: r.Value | None) -> bool:
        """Whether a value cannot be the handle, nor lead to it: a number, a string, a status, nothing at all."""
        program, function = self.program, self.function
        written = program.types.of(value, function)
        kind = types.parse(written)
        if (kind.is_value and kind.last in ("void", "bool", "float", "double")) or failure.is_number(written):
            return True
        if is_copying(written, function):
            return True
        if isinstance(value, r.Call) and not written:
            if any(model.has("borrow", "result") for model in program.calls.callee(value, function).models):
                return False
            # Its type is not known: it is taken for what the function itself returns.
            own = types.parse(function.record.result)
            return own.is_value and (own.last in ("void", "bool") or failure.is_number(function.record.result))
        status = program.statuses.of(written, function)
        if status is not None and not kind.arguments:
            return True
        return isinstance(value, r.Call) and kind.pointers == 1 and self.is_object_apart(value, written)

    def is_object_apart(self, call: r.Call, written: str) -> bool:
        """Whether the call answers with a counted object, and all that it runs is seen to keep nothing of what it is
        given: such an object may show the memory of a handle, and does not own it."""
        if not self.program.calls.callee(call, self.function).functions:
            return False
        if not references(self.program).is_pointer(written, self.function):
            return False
        return all(self.resources.taking(call, self.function, at) == "borrowed" for at in range(len(call.args)))

    # --- what an event does with it ---

    def use(self, draft: MemoryDraft, event: e.Event, leading: frozenset[str]) -> Use:
        if leading.isdisjoint(self.said[event.index]):
            if not isinstance(event, e.CallEvent):
                return ""
            return "gone" if self.ends_program(event.node) or self.is_said_by_macro(event.node, leading) else ""
        match event:
            case e.CallEvent():
                return self.by_call(draft, event, leading)
            case e.Read() if (operator := operands(self.function).get(event.span.start)) is not None:
                return self.by_operator(draft, operator)
            case e.Write():
                return self.by_write(draft, event)
            case e.LeaveEvent():
                return self.by_leave(draft, event)
            case e.OpaqueEvent():
                return "gone"
        return ""

    def by_leave(self, draft: MemoryDraft, event: e.LeaveEvent) -> Use:
        if event.value is None or (event.kind == "return" and is_copying(self.function.record.result, self.function)):
            return ""
        if self.is_inside(draft, event.value) or self.is_interior(draft, event.value):
            return "kept"
        return "gone" if any(self.answers_from_it(draft, call) for call in walk(event.value)) else ""

    def answers_from_it(self, draft: MemoryDraft, call: r.Value) -> bool:
        """Whether a call is about the handle and answers something in which it may be."""
        if not isinstance(call, r.Call):
            return False
        about = self.is_it(draft, receiver(call)) or any(
            self.is_it(draft, one) or self.is_interior(draft, one) for one in self.kept_by(call)
        )
        return about and not self.is_plain(call)

    def by_write(self, draft: MemoryDraft, event: e.Write) -> Use:
        if event.value is None or self.is_copied_out_by(event):
            return ""
        if self.is_copied_by(draft, event):
            where = self.target_of(draft, event)
            return "" if where is not None and where.block[0] == "var" else "kept"
        made = strip(event.value)
        local = ends_with_call(self.function, event.place[0])
        if len(event.place) <= 2 and local and self.is_led_by(draft, self.target_of(draft, event)):
            return ""
        if isinstance(made, r.Call) and not self.is_inside(draft, made):
            given = any(self.is_it(draft, one) or self.is_interior(draft, one) for one in made.args)
            return "gone" if given and not (local and len(event.place) == 1) and not self.is_plain(made) else ""
        return "kept" if self.is_inside(draft, event.value) or self.is_interior(draft, event.value) else ""

    def is_copied_out_by(self, event: e.Write) -> bool:
        """Whether what is written to takes what the handle leads to: `name_ = text` of a string."""
        if event.fresh:
            written = event.type or self.program.types.of(r.Name(0, 0, event.place[0]), self.function)
        else:
            written = self.program.types.of(event.target, self.function)
        return is_copying(written, self.function)

    def target_of(self, draft: MemoryDraft, event: e.Write) -> Cell | None:
        if event.target is not None and not event.fresh:
            return self.cell(draft, event.target)
        root, *path = event.place
        return Cell(("var", root), tuple(path))

    def is_copied_by(self, draft: MemoryDraft, event: e.Write) -> bool:
        """Whether a local leads to it as well behind the write."""
        if not ends_with_call(self.function, event.place[0]) or isinstance(strip(event.target), r.Unary):
            return False
        if self.is_copied_out_by(event):
            return False
        if self.several and self.walks_over_it(draft, event):
            return True
        if event.op not in ("=", "init") or not self.is_it(draft, self.source(event.value)):
            return False
        written = event.type or self.program.types.of(r.Name(0, 0, event.place[0]), self.function)
        if len(event.place) > 1:
            return types.parse(written).is_value and not _ends_itself(self.function, written)
        return not _ends_itself(self.function, written) or types.parse(written).pointers > 0

    def walks_over_it(self, draft: MemoryDraft, event: e.Write) -> bool:
        """`for (auto it = all.begin(); ...)`, `T** at = all.data()`, and the variable of a range-for."""
        inner = strip(event.value)
        if isinstance(inner, r.Call) and last_name(inner.callee) in _ELEMENTS | self.program.models.containers.ways_in:
            return self.is_it(draft, receiver(inner)) or any(self.is_it(draft, argument) for argument in inner.args)
        return event.fresh and isinstance(inner, r.Index) and self.is_it(draft, inner.base)

    def bind_one(self, draft: MemoryDraft, name: str, value: r.Value) -> None:
        bare = strip(value)
        if self.several and isinstance(bare, r.Index) and not bare.indexes and self.is_it(draft, bare.base):
            draft.put(Cell(("var", name)), Pointer(self.block, (SOME,)))
        else:
            super().bind_one(draft, name, value)

    def by_call(self, draft: MemoryDraft, event: e.CallEvent, leading: frozenset[str]) -> Use:
        node = event.node
        if event.asserted or (self.several and self.exchanged(node) is not None):
            return ""
        name = last_name(node.callee)
        if self.is_said_by_macro(node, leading):
            return "gone"
        if self.is_compared_with_null(draft, node):
            return "" if "NE" in name else "gone"
        if releasing_verb(name) and any(self.is_given(draft, one) or self.is_interior(draft, one) for one in node.args):
            return "released"
        given = [index for index, argument in enumerate(node.args) if self.is_given(draft, argument)]
        on = receiver(node)
        by_receiver = on is not None and self.is_called_on(draft, node, on)
        if self.is_ended_by_number(draft, node):
            return "released"
        if not given and not by_receiver:
            if any(self.is_begun_with(draft, node, index) for index in range(len(node.args))):
                return "kept"
            return "gone" if self.ends_program(node) else ""
        if self.program.macros.role(name) in _LOOKING:
            # `CHECKED(thing_free, (thing))`: the macro calls what it is given
            others = (other for index, other in enumerate(node.args) if index not in given)
            return "kept" if given and any(self.ends_later(other) for other in others) else ""
        if given and any(model.has("swap") for model in self.program.calls.callee(node, self.function).models):
            return "kept"
        for ended in self.resources.released(node, self.function):
            if (ended.where.kind == "receiver" and by_receiver) or (
                ended.where.kind != "receiver" and ended.where.index in given
            ):
                return "released"
        found = {self.by_argument(draft, node, index) for index in given}
        if by_receiver and self.hands_itself_over(node):
            found.add("gone")
        if by_receiver and self.several and name in ("swap", "extract", "release"):
            found.add("kept")
        order: tuple[Use, ...] = ("released", "kept", "gone", "unknown")
        return next((one for one in order if one in found), "")

    def exchanged(self, node: r.Call) -> tuple[r.Name, r.Name] | None:
        """The two containers, both of which end with the function, of which each gets what the other has:
        `one.swap(other)`, `std::swap(one, other)`."""
        match tuple(map(strip, containers.swapped(node, self.program) or ())):
            case (r.Name() as one, r.Name() as other) if all(
                ends_with_call(self.function, name.text)
                and not _ends_itself(self.function, self.function.locals[name.text][0])
                for name in (one, other)
            ):
                return one, other
        return None

    def is_begun_with(self, draft: MemoryDraft, node: r.Call, index: int) -> bool:
        """`begin(&request->base, finished)`: a library of C has it by one of its members, until it calls back; or a
        list has it, by the member that links it."""
        if not self.is_interior(draft, node.args[index]):
            return False
        others = (other for at, other in enumerate(node.args) if at != index)
        return self.resources.keeps_by_part(node, self.function, index) or any(
            isinstance(strip(other), r.Name | r.Unary) and entrances.meant(self.function, strip(other)) is not None
            for other in others
        )

    def by_operator(self, draft: MemoryDraft, call: r.Call) -> Use:
        """What an operator of the project does with its right operand."""
        found = self.by_argument(draft, call, len(call.args) - 1) if self.is_given(draft, call.args[-1]) else ""
        return found if found != "gone" else ""

    def is_said_by_macro(self, node: r.Call, leading: frozenset[str]) -> bool:
        """Whether a macro of the project names the local in its body, itself or by another macro."""
        macros, name = self.program.macros, last_name(node.callee)
        return type(node.callee) is r.Name and bool(macros.named(name)) and not leading.isdisjoint(macros.words(name))

    def is_compared_with_null(self, draft: MemoryDraft, node: r.Call) -> bool:
        """`EXPECT_EQ(handle, nullptr)`, which is a test of its own."""
        if len(node.args) != 2 or type(node.callee) is not r.Name:
            return False
        one, other = strip(node.args[0]), strip(node.args[1])
        return any(
            isinstance(null, r.Literal) and null.kind == "null" and self.is_it(draft, held)
            for null, held in ((one, other), (other, one))
        )

    def hands_itself_over(self, node: r.Call) -> bool:
        """Whether the method gives the object it is called on to somebody."""
        callee = self.program.calls.callee(node, self.function)
        return any(gives_itself(method) for method in callee.functions) or self.resources.may_end_receiver(callee)

    def is_called_on(self, draft: MemoryDraft, node: r.Call, on: r.Value) -> bool:
        """`handle->Unref()`; of a container `all.swap(other)`, and `all.back().Free()`."""
        if self.is_it(draft, on):
            return True
        inner = strip(on)
        return isinstance(inner, r.Call) and last_name(inner.callee) in _ELEMENTS and self.is_it(draft, receiver(inner))

    def is_given_to(self, draft: MemoryDraft, node: r.Call) -> bool:
        """Whether the call gets the handle, as an argument of its own, and not what it leads to."""
        return any(self.is_given(draft, argument) for argument in self.kept_by(node))

    def by_argument(self, draft: MemoryDraft, node: r.Call, index: int) -> Use:
        """What becomes of it as an argument."""
        argument = node.args[index]
        if self.is_pointee(draft, argument):
            return self.by_pointee(node, index)
        where = self.is_address(draft, argument)
        if not self.is_it(draft, argument) and not where:
            # Inside of something else, unless it is where a part of it begins: `strcpy(text + 7, name)`.
            is_part = isinstance(strip(argument), r.Binary) and self.resources.taking(node, self.function, index)
            return "" if is_part == "borrowed" else "kept"
        if assignments.assigned(node) is not None or not habits.OWNS.isdisjoint(words(last_name(node.callee))):
            return "kept"
        if node.template and self.is_forwarded(node):
            return "kept"
        if any(self.ends_later(other) or self.takes_later(other) for other in node.args if other is not argument):
            return "kept"
        taking = self.resources.taking(node, self.function, index)
        members = self.members_around(draft, argument)
        around = bool(members)
        if taking == "released" or any(self.resources.ends_member(node, self.function, index, one) for one in members):
            return "released"
        if taking in ("adopted", "kept"):
            return "kept"
        if any(self.resources.keeps_member(node, self.function, index, one) for one in members):
            return "kept"
        if around and where and self.resources.copies_struct(node, self.function, index):
            return "kept"  # `memcpy(&joystick->state, &local, sizeof(local))`
        if self.several or (where and not around and self.is_a_pointer(argument)):
            return "" if self.only_looks(node, index) else "gone"
        if taking == "borrowed" or self.only_looks(node, index):
            return ""
        return "unknown"

    def members_around(self, draft: MemoryDraft, argument: r.Value) -> list[str]:
        """The members that lead to it of the struct that the argument is, or points to; nothing where it is none."""
        inner = strip(argument)
        inner = strip(inner.value) if isinstance(inner, r.Unary) and inner.op == "&" else inner
        where = self.cell(draft, inner) if isinstance(inner, r.Name | r.Member) else None
        if where is None or where in (LOST, NULL) or draft.read(where).block == self.block:
            return []
        depth = len(where.path)
        inside = [cell for cell, held in draft.cells.items() if held.block == self.block and cell.block == where.block]
        return sorted(
            {str(cell.path[depth]) for cell in inside if cell.path[:depth] == where.path and cell.path[depth:]}
        )

    def is_ended_by_number(self, draft: MemoryDraft, node: r.Call) -> bool:
        """Whether the call ends what a number was read off from: `close(socket->fd())`."""
        for index, argument in enumerate(node.args):
            inner = strip(argument)
            if isinstance(inner, r.Call) and not inner.args and inner.kind == "call":
                taken = self.is_it(draft, receiver(inner)) and self.resources.taking(node, self.function, index)
                if taken == "released":
                    return True
        return False

    def by_pointee(self, node: r.Call, index: int) -> Use:
        """A value or a const reference looks; another reference may be the beginning of a link to it. An object that
        is made of it looks at it as long as it lives, unless its class ends what the reference leads to."""
        if self.several:
            return "gone"
        taking = self.resources.taking(node, self.function, index)
        if node.kind in ("construct", "new"):
            return "kept" if taking == "adopted" else ""
        if self.only_looks(node, index):
            return ""
        found = self.program.calls.callee(node, self.function).records
        if found and all(
            types.parse(one.parameters[index].type).is_value for one in found if index < len(one.parameters)
        ):
            return ""
        return "kept" if taking in ("kept", "adopted", "released") else "unknown" if taking == "unknown" else ""

    def is_a_pointer(self, argument: r.Value) -> bool:
        """Whether who has its address can end it and put something else there."""
        inner = strip(argument)
        inner = strip(inner.value) if isinstance(inner, r.Unary) else inner
        return isinstance(inner, r.Name) and self.is_pointer(inner)

    def is_forwarded(self, node: r.Call) -> bool:
        """`Make<T>(handle)`, which hands its arguments on to a constructor."""
        found = self.program.calls.callee(node, self.function).records
        return all(any("..." in given.type or given.spread for given in one.parameters) for one in found)

    def ends_later(self, argument: r.Value) -> bool:
        """Whether an argument says who will end or get what another one holds: `free`, `&Thread::Main`."""
        inner = strip(argument)
        if isinstance(inner, r.Unary) and inner.op == "&":
            inner = inner.value
            if isinstance(inner, r.Name) and "::" in inner.text:
                return True
        return (
            isinstance(inner, r.Name)
            and inner.text not in self.function.declared
            and bool(releasing_verb(last_name(inner)))
        )

    def takes_later(self, argument: r.Value) -> bool:
        """Whether an argument is a function of the project that ends or keeps what it will be given: a thread's."""
        inner = strip(argument)
        if not isinstance(inner, r.Lambda | r.Name | r.Unary):
            return False
        run = entrances.meant(self.function, inner)
        duty = self.resources.duties.of(run) if run is not None else None
        return duty is not None and bool(duty.released | duty.adopted | duty.stored)

    def only_looks(self, node: r.Call, index: int) -> bool:
        """Whether the parameter that gets it is declared to change nothing: `const T*`, `const std::vector<T*>&`. A
        `const T&` of a template's own type is the pointer itself, which can be kept."""
        found = self.program.calls.callee(node, self.function).records
        given = [(record, record.parameters[index].type) for record in found if index < len(record.parameters)]
        is_pointer = self.is_a_pointer(node.args[index])
        return bool(given) and all(
            kind.const and (kind.pointers == 1 or (kind.reference and not (is_pointer and self.is_open(kind, record))))
            for record, written in given
            for kind in (types.parse(written),)
        )

    def is_open(self, kind: types.Type, record: r.FunctionRecord) -> bool:
        """Whether it is the type of a template's parameter, or one that is not known."""
        file, scope = self.function.file, record.owner
        return (
            not kind.arguments
            and not kind.is_scalar
            and not self.program.types.roles_at(kind.name, file, scope)
            and self.program.names.find_class(kind.name, scope, file) is None
        )

    def ends_program(self, node: r.Call) -> bool:
        return failure.ends_program(self.function, node)

    # --- who ends it out of order ---

    def is_guarded(self) -> bool:
        """Whether an object was given the variable itself, and sees what it holds at the end: `Freer freer(&text)`."""
        return not self.names.isdisjoint(_guarded(self.function))

    def lambdas_about_it(self, function: Function) -> Iterator[Function]:
        """The lambdas inside that may run and name one of the locals."""
        for inner in function.running_lambdas():
            if any(glance.says(inner, name) for name in sorted(self.names)):
                yield inner
            yield from self.lambdas_about_it(inner)


def ends_with_call(function: Function, root: str) -> bool:
    """Whether a local begins in this call and ends with it, and nothing with it: no reference, no static."""
    if root not in function.locals or root in lasting.statics(function) or root in function.cleaned:
        return False
    return "&" not in function.locals[root][0]


def gives_itself(method: Function) -> bool:
    """Whether a body hands out `this`: as an argument, or into a place."""
    if b'"this"' not in method.encoded:
        return False
    values = [argument for call in method.flow.calls for argument in call.node.args]
    values += [write.value for write in method.flow.writes if write.value is not None]
    return any(_is_this(value) for value in values)


def _is_this(value: r.Value | None) -> bool:
    inner = strip(value)
    if isinstance(inner, r.Unary) and inner.op == "*":
        inner = inner.value
    return isinstance(inner, r.Name) and inner.text == THIS


def _ends_itself(function: Function, written: str) -> bool:
    """Whether a value of this type ends what it holds."""
    if types.parse(written).pointers:
        return False
    if not OWNING.isdisjoint(function.program.types.roles(written, function)):
        return True
    cls = function.program.names.find_class(written, function.record.scope, function.file)
    return cls is not None and cls.record.destructor in ("declared", "defined")


@flow_question
def _guarded(function: Function) -> frozenset[str]:
    """Variables that objects are made of, which see what they hold at the end: `Freer freer(&text)`."""
    found: set[str] = set()
    for event in function.flow.calls:
        node = event.node
        bound = [name for index in range(len(node.args)) if (name := _bound_to(function, node, index))]
        if bound and (
            node.kind == "construct"
            or (node.kind == "call" and isinstance(node.callee, r.Name) and _ends_itself(function, node.callee.text))
        ):
            found.update(bound)
    return frozenset(found)


def _bound_to(function: Function, node: r.Call, index: int) -> str:
    """The variable that an object is made of, where it is not made of what the variable holds."""
    inner = strip(node.args[index])
    address = isinstance(inner, r.Unary) and inner.op == "&"
    inner = strip(inner.value) if isinstance(inner, r.Unary) and address else inner
    while isinstance(inner, r.Member):
        inner = None if inner.arrow else strip(inner.base)
    if not isinstance(inner, r.Name):
        return ""
    return inner.text if address or _is_by_reference(function, node, index) else ""


def _is_by_reference(function: Function, node: r.Call, index: int) -> bool:
    written = node.callee.text if isinstance(node.callee, r.Name) else ""
    cls = function.program.names.find_class(written, function.record.scope, function.file)
    if cls is None:
        return False
    made = [
        one.parameters[index] for one in cls.declarations if one.kind == "constructor" and index < len(one.parameters)
    ]
    return any("&" in given.type and types.parse(given.type).last != cls.name for given in made)
