"""What an expression points to on one way through a function, and what it looks at on the way there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ownlint.domains.memory.blocks import ELEMENTS, LOST, NULL, SOME, Cell, MemoryDraft, Pointer, varying
from ownlint.engine import lasting
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.asked import is_constant
from ownlint.flow.bodies import hidden_names
from ownlint.flow.places import CHAIN, THIS, last_name, strip, walk
from ownlint.flow.remembered import remembered, remembered_of_text
from ownlint.models.records import Effect, FunctionModel, Place
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import Answers, flow_question, program_question
from ownlint.project.subjects import Class, Function

ONE = "<one>"
"""The step from a container to where its only element leads; null where it has none."""
INSIDE = "<inside>"
"""The step from an optional, or the like, to the object that it holds in its own memory."""
SMART = frozenset({"smart pointer", "shared pointer"})
THIS_BLOCK = ("in", ("var", THIS), ())
_ARRAY = re.compile(rb'\]"')
_STEPPING = frozenset({"+", "-"})


@program_question
def keepers(program: Program) -> frozenset[str]:
    """Last names of what keeps what it is given, and of what lets go of what it has."""
    models = program.models
    return models.functions_with("keep", "argument 1") | models.functions_with("disown", "receiver")


def drops(model: FunctionModel) -> bool:
    """Whether a container lets go items that it counts; one that is released itself is gone with them."""
    return not model.has("release") and not _DROPPING.isdisjoint(model.effects)


_DROPPING = frozenset(
    {
        Effect("invalidate", Place("argument", 1), mode="deep"),
        Effect("erase", Place("argument", 2), Place("argument", 1)),
    }
)


@program_question
def emptying(program: Program) -> frozenset[str]:
    """Last names of what makes a container let go all that it counts."""
    return program.models.functions_with("invalidate", wanted=drops)


@program_question
def dropping(program: Program) -> frozenset[str]:
    """Last names of what makes one let go an item."""
    return emptying(program) | program.models.functions_with("erase", wanted=drops)


@program_question
def lending_items(program: Program) -> frozenset[str]:
    """Last names of what answers with an item that its container counts."""
    return program.models.functions_with("borrow", "result", lambda model: model.counted)


@program_question
def _keyed(program: Program) -> frozenset[str]:
    """Last names of what is told by its second argument which item is meant."""
    return lending_items(program) | dropping(program)


class Spans(NamedTuple):
    """Where expressions stand of which an event is told that does not say what is done with them."""

    dereferenced: frozenset[tuple[int, int]]
    addressed: frozenset[tuple[int, int]]
    """What is named for its address alone."""
    arguments: frozenset[tuple[int, int]]
    indexes: frozenset[str]
    """Not where, but what is named alone to say which element is meant."""


@flow_question
def spans(function: Function) -> Spans:
    """Of the whole body, in one walk."""
    dereferenced: set[tuple[int, int]] = set()
    addressed: set[tuple[int, int]] = set()
    arguments: set[tuple[int, int]] = set()
    indexes: set[str] = set()
    keyed = _keyed(function.program)
    for one in function.values:
        match one:
            case r.Unary(op="*" | "&" as op, value=value) if (inner := strip(value)) is not None:
                (dereferenced if op == "*" else addressed).add((inner.start, inner.end))
            case r.Call(callee=callee, args=args):
                if last_name(callee) in keyed and len(args) > 1 and isinstance(key := strip(args[1]), r.Name):
                    indexes.add(key.text)
                arguments.update((inner.start, inner.end) for each in args if (inner := strip(each)) is not None)
            case r.Index(indexes=(r.Name(text=name),)):
                indexes.add(name)
    return Spans(frozenset(dereferenced), frozenset(addressed), frozenset(arguments), frozenset(indexes))


class Pointers:
    """The expressions of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.program = function.program
        self.flow = function.flow
        self.event: e.Event = self.flow.events[self.flow.entry]
        self._members: dict[str, tuple[str, ...]] = {}
        self._holders: dict[str, bool] = {}
        self._declared: dict[str, tuple[str, r.Value | None] | None] = {}
        self._cells: dict[str, tuple[Cell, bool]] = {}
        """By name the cell that it stands for; what a reference is bound to stands there."""
        self._constants: dict[str, bool] = {}

    def looked_at(self, draft: MemoryDraft, pointer: Pointer, value: r.Value) -> None:
        """What `pointer`, which the code writes as `value`, points to is read or written."""
        raise NotImplementedError

    # --- names ---

    def declared(self, name: str) -> tuple[str, r.Value | None] | None:
        """The type and the first value of a local of the function, or of one around it."""
        if name not in self._declared:
            around: Function | None = self.function
            while around is not None and name not in around.locals:
                around = around.parent
            self._declared[name] = around.locals[name] if around is not None else None
        return self._declared[name]

    @cached_property
    def references(self) -> frozenset[str]:
        return references(self.function)

    @cached_property
    def hidden(self) -> frozenset[str]:
        return hidden(self.function)

    @cached_property
    def plain_objects(self) -> frozenset[str]:
        return plain_objects(self.function)

    @cached_property
    def bound_at(self) -> dict[tuple[int, int], list[tuple[str, r.Value]]]:
        return bound_at(self.function)

    @cached_property
    def decayed(self) -> frozenset[str]:
        return decayed(self.function)

    @cached_property
    def statics(self) -> frozenset[str]:
        return lasting.statics(self.function)

    # --- cells and pointers ---

    def cell(self, draft: MemoryDraft, value: r.Value | None, *, look: bool = False) -> Cell | None:
        """The place of memory that the expression names; None where it names none, or nobody knows which."""
        value = strip(value)
        match value:
            case r.Name(text=name):
                return self.cell_of_name(draft, name)
            case r.Member(base=base, name=name):
                if value.arrow and (held := self.held_inside(draft, base)) is not None:
                    return _inside(held, name)
                around = self.pointer(draft, base, look=look) if self.is_through_pointer(value) else None
                if around is not None and look:
                    self.looked_at(draft, around, base)
                if around is None:
                    around = self.cell(draft, base, look=look)
                return _inside(around, name)
            case r.Unary(op="*", value=inner):
                if (held := self.held_inside(draft, inner)) is not None:
                    return held
                pointer = self.pointer(draft, inner, look=look)
                if look:
                    self.looked_at(draft, pointer, inner)
                return _known(pointer)
            case r.Index(base=base, indexes=indexes):
                return self.element(draft, base, indexes, look=look)
            case r.Assign(target=target):
                return self.cell(draft, target, look=look)
            case r.Call():
                if (asked := asked_for_inside(self.function, value)) is not None:
                    return self.held_inside(draft, asked)
                return _known(draft.cells.get(result_cell(value), LOST)) if self.by_reference(value) else None
        return None

    def held_inside(self, draft: MemoryDraft, value: r.Value | None) -> Cell | None:
        """Where the object stands that a local holds in its own memory, an optional or the like."""
        bare = strip(value)
        if not isinstance(bare, r.Name) or bare.text not in self.function.locals:
            return None
        inside = self._holders.get(bare.text)
        if inside is None:
            inside = self._holders[bare.text] = holds_inside(self.function, bare.text)
        return _inside(self.cell(draft, bare), INSIDE) if inside else None

    @remembered
    def type_of(self, value: r.Value | None) -> str:
        """The type of an expression of the function; empty where it is not known."""
        return self.program.types.of(value, self.function)

    def is_through_pointer(self, member: r.Member) -> bool:
        if member.arrow:
            return True
        return isinstance(member.base, r.Name) and member.base.text == THIS

    def cell_of_name(self, draft: MemoryDraft, name: str) -> Cell | None:
        if name == CHAIN:
            return None
        found = self._cells.get(name)
        if found is None:
            found = self._cells[name] = self._meant_by(name.removeprefix("::"))
        own, is_bound = found
        return _known(draft.read(own)) if is_bound else own

    def _meant_by(self, plain: str) -> tuple[Cell, bool]:
        if self.declared(plain) is not None:
            return Cell(("var", plain)), plain in self.references
        home = self.function.home
        is_member = home is not None and plain != THIS and home.field(plain) is not None
        return Cell(THIS_BLOCK, (plain,)) if is_member else Cell(("var", plain)), False

    def element(self, draft: MemoryDraft, base: r.Value, indexes: tuple[r.Value, ...], *, look: bool) -> Cell | None:
        written = self.type_of(base)
        if self.is_container(written):
            around = self.elements(draft, self.cell(draft, base, look=look))
        elif "[" in written or self.keeps_place(written):
            around = self.cell(draft, base, look=look)
        elif types.parse(written).pointers:
            around = _known(self.pointer(draft, base, look=look))
        else:
            within = self.indexed_member(base)
            return self.element(draft, within, indexes, look=look) if within is not None else None
        if around is None:
            return None
        if look:
            self.looked_at(draft, around, base)
        return _inside(around, SOME if self.is_container(written) else self.step_of(indexes))

    @remembered
    def indexed_member(self, base: r.Value) -> r.Value | None:
        """The container in an object of the project whose elements `base[i]` answers with a reference to; None where
        its operator does something else."""
        cls = self.program.names.find_class(self.type_of(base), self.function.record.scope, self.function.file)
        name = operators(self.program).member(cls) if cls is not None else ""
        if not name:
            return None
        within = r.Member(base.start, base.end, base, name, False, base.start)
        written = self.type_of(within)
        return within if self.is_container(written) or self.keeps_place(written) or "[" in written else None

    def step_of(self, indexes: tuple[r.Value, ...]) -> str:
        """The step to an element: by a constant, by a variable as long as that stays what it is, or to any of them."""
        match indexes:
            case (r.Literal(text=number),):
                return f"[{number}]"
            case (r.Name(text=name),) if name in self.counting:
                return varying(name)
        return SOME

    @property
    def counting(self) -> frozenset[str]:
        """The locals by which an element is named, and which nobody but an assignment changes."""
        raise NotImplementedError

    @remembered_of_text
    def keeps_place(self, written: str) -> bool:
        """Whether it is a container whose elements stay where they are."""
        kind = types.parse(written)
        if kind.pointers or not kind.arguments:
            return False
        return "stable container" in self.program.types.roles(written, self.function)

    def elements(self, draft: MemoryDraft, container: Cell | None) -> Pointer | None:
        """Where a container holds its elements."""
        inside = _inside(container, ELEMENTS)
        return _known(draft.read(inside)) if inside is not None else None

    def parts(self, draft: MemoryDraft, written: str, value: r.Value | None) -> Iterator[tuple[str, Pointer]]:
        """The members of an object of the type that are pointers, or may be, and where each leads to, when the object
        becomes that value: `{h, 3}`, `Slot(h, 3)`, or another such object."""
        names, bare = self.members_of(written), strip(value)
        match bare:
            case r.Aggregate(kind="init", items=items, cut=False) | r.Call(kind="call" | "construct", args=items) if (
                names
            ):
                if (
                    isinstance(bare, r.Call)
                    and bare.kind == "call"
                    and last_name(bare.callee) != types.parse(written).last
                ):
                    return
                if len(items) == 1 and isinstance(only := strip(items[0]), r.Aggregate):
                    items = only.items
                for name, item in zip(names, items, strict=False):
                    if isinstance(item, r.Pair):
                        yield text(item.key, 100).removeprefix("."), self.pointer(draft, item.value)
                    else:
                        yield name, self.pointer(draft, item)
            case r.Name() | r.Member() | r.Index() | r.Unary(op="*") if names:
                source = self.cell(draft, bare)
                if source is not None:
                    yield from ((name, draft.read(Cell(source.block, (*source.path, name)))) for name in names)

    def members_of(self, written: str) -> tuple[str, ...]:
        """The members of a type that is copied member by member and made of them."""
        found = self._members.get(written)
        if found is None:
            found = self._members[written] = plain_members(self.function, written)
        return found

    @remembered_of_text
    def is_container(self, written: str) -> bool:
        """Whether it is one whose elements move when it grows."""
        kind = types.parse(written)
        if not written or kind.pointers:
            return False
        roles = self.program.types.roles(written, self.function)
        return "container" in roles and "stable container" not in roles

    @cached_property
    def gathering(self) -> frozenset[str]:
        """Locals, containers that begin empty, of which nobody has more than an element: things are put into them, they
        are asked for one, or a loop goes over them."""
        if keepers(self.program).isdisjoint(self.function.mentioned):
            return frozenset()
        asked, mentioned = Counter[str](), Counter[str]()
        for one in self.function.values:
            match one:
                case r.Name(text=name):
                    mentioned[name] += 1
                case r.Index(base=r.Name(text=name)):
                    asked[name] += 1
                case r.Call(callee=r.Member(base=r.Name(text=name), arrow=False)) if self.leaves_elements(one):
                    asked[name] += 1
        for statement in self.function.statements:
            if isinstance(statement, r.Loop) and isinstance(statement.iterable, r.Name):
                names = {f"={one.text}" for one in walk(statement.target) if isinstance(one, r.Name)}
                asked[statement.iterable.text] += names.isdisjoint(self.function.mentioned)
        return frozenset(
            name
            for name, (written, value) in self.function.locals.items()
            if value is None
            and mentioned[name] == asked[name] > 0
            and name not in self.hidden | self.statics
            and "container" in self.program.types.roles(written, self.function)
        )

    @remembered
    def leaves_elements(self, call: r.Call) -> bool:
        """Whether a method puts something in, or says where one element stands."""
        models = self.program.calls.callee(call, self.function).models
        return bool(models) and all(
            one.has("keep", "argument 1") or one.by_reference or not one.effects for one in models
        )

    def the_one_in(self, draft: MemoryDraft, container: r.Value) -> Pointer:
        """Where the only element of a container leads to."""
        if not isinstance(container, r.Name) or container.text not in self.gathering:
            return LOST
        held = draft.cells.get(Cell(("var", container.text), (ONE,)), LOST)
        return held if held != NULL else LOST

    def pointer(self, draft: MemoryDraft, value: r.Value | None, *, look: bool = False) -> Pointer:
        """Where the value of the expression points to."""
        match value:
            case r.Unary(op="&", value=r.Unary(op="*", value=inner)) if held := self.held_inside(draft, inner):
                return held
        value = strip(value)
        if isinstance(value, r.Index) and (one := self.the_one_in(draft, value.base)) is not LOST:
            return one
        match value:
            case r.Unary(op="&", value=r.Member() as inner) if types.parse(self.type_of(inner)).reference:
                return draft.read(self.cell(draft, inner))  # the member is another name for what it was bound to
            case r.Unary(op="&", value=inner):
                return self.cell(draft, inner) or LOST
            case r.Literal(kind="null"):
                return NULL
            case r.Literal(kind="int" | "bool", text=said):
                return Pointer(("number", said.lower()))
            case r.Binary(op=op, left=left, right=right) if op in _STEPPING and not self.is_pointer(right):
                return self.stepped(self.pointer(draft, left, look=look), left)
            case r.Conditional(then=then, other=other):
                chosen = draft.cells.get(result_cell(value))
                if chosen is not None:
                    return chosen
                one, two = self.pointer(draft, then), self.pointer(draft, other)
                return one if one == two else LOST
            case r.Aggregate(kind="init", items=(only,)):
                return self.pointer(draft, only, look=look)
            case r.Lambda(function=index):
                return Pointer(("lambda", index))
            case r.Call():
                return self.result(draft, value)
            case r.Name() if value.text == "NULL":
                return NULL
            case r.Name(text=name) if self.is_constant(value):
                return Pointer(("constant", name.rpartition("::")[2]))
            case r.Name(text=name) if name in self.decayed:
                return Cell(("var", name))
            case r.Name() | r.Member() | r.Index() | r.Unary() | r.Assign():
                return draft.read(self.cell(draft, value, look=look))
        return LOST

    def stepped(self, held: Pointer, value: r.Value | None) -> Pointer:
        """Where it leads when a number is added to what leads there: to another element of the same array."""
        if held.path[-1:] == (SOME,):
            return held
        known = _known(held)
        if known is None or not (self.is_pointer(value) and (not known.path or known.path[-1].startswith("["))):
            return LOST
        return Pointer(known.block, (*known.path[:-1], SOME))

    @remembered
    def is_pointer(self, value: r.Value | None) -> bool:
        """Whether it is a raw pointer by its type."""
        return bool(types.parse(self.type_of(value)).pointers)

    def is_constant(self, name: r.Name) -> bool:
        """Whether it is an enumerator, or a macro for a number, by its spelling: no variable of that name is known."""
        known = self._constants.get(name.text)
        if known is None:
            last, home = name.text.rpartition("::")[2], self.function.home
            known = self._constants[name.text] = (
                is_constant(name)
                and self.declared(name.text) is None
                and not self.program.index.variables_called(last)
                and (home is None or not home.field(last))
            )
        return known

    def result(self, draft: MemoryDraft, call: r.Call) -> Pointer:
        held = self.held_by(draft, call)
        if held is not None:
            return held
        if isinstance(call.callee, r.Member) and not call.args and self.gathering and self.by_reference(call):
            one = self.the_one_in(draft, call.callee.base)
            if one is not LOST:
                return one
        found = draft.cells.get(result_cell(call), LOST)
        return draft.read(_known(found)) if self.by_reference(call) else found

    def held_by(self, draft: MemoryDraft, call: r.Call) -> Pointer | None:
        """What a smart pointer holds, which is asked for it: `p.get()`."""
        owner = self.asked_for_held(call)
        return draft.read(self.cell(draft, owner)) if owner is not None else None

    @remembered
    def asked_for_held(self, call: r.Call) -> r.Value | None:
        """The smart pointer that a call asks for what it holds; None where it is no such call."""
        if not isinstance(call.callee, r.Member) or call.args or call.callee.arrow:
            return None
        if not any(model.has("borrow", "result") for model in self.program.calls.callee(call, self.function).models):
            return None
        written = self.type_of(call.callee.base)
        smart = not SMART.isdisjoint(self.program.types.roles(written, self.function))
        return call.callee.base if smart else None

    @remembered
    def by_reference(self, call: r.Call) -> bool:
        """Whether the call answers with a place, and not with what stands there."""
        callee = self.program.calls.callee(call, self.function)
        if any(model.by_reference for model in callee.models):
            return True
        return len(callee.functions) == 1 and types.parse(callee.functions[0].record.result).reference

    def touch(self, draft: MemoryDraft, value: r.Value) -> None:
        """The expression is evaluated for what stands there."""
        span = value.start, value.end
        if span in self.spans.addressed:
            return
        where = self.cell(draft, value, look=True)
        if span in self.spans.dereferenced:
            self.looked_at(draft, self.pointer(draft, value), value)
        elif where is not None and self.is_use(value):
            self.looked_at(draft, where, value)

    def is_use(self, value: r.Value) -> bool:
        """Whether what stands there is read: not of a plain variable, nor of a reference that is given to a call, since
        what becomes of that the callee says."""
        if not isinstance(value, r.Name):
            return True
        if self.is_captured(value.text):
            return True
        return value.text in self.references and (value.start, value.end) not in self.spans.arguments

    def is_captured(self, name: str) -> bool:
        """Whether a lambda names what the function around it has."""
        return (
            self.function.parent is not None
            and name not in self.function.locals
            and self.declared(name) is not None
            and name not in self.references
        )

    @cached_property
    def spans(self) -> Spans:
        return spans(self.function)

    def named(self, value: r.Value | None) -> str:
        """What a message calls it."""
        bare = strip(value)
        while isinstance(bare, r.Unary) and bare.op in ("&", "*"):
            bare = strip(bare.value)
        if isinstance(bare, r.Call):
            return f"{last_name(bare.callee)}()"
        return text(bare, 60) if bare is not None else ""


def named(value: r.Value | None) -> str:
    """The name from which a chain of members and elements goes out."""
    bare = strip(value)
    while isinstance(bare, r.Member | r.Index | r.Unary):
        bare = strip(bare.value if isinstance(bare, r.Unary) else bare.base)
    return bare.text if isinstance(bare, r.Name) else ""


class Operators:
    """What the `operator[]` of the classes of a program answer with."""

    def __init__(self) -> None:
        self._members: Answers[Class, str] = Answers()

    def member(self, cls: Class) -> str:
        """The member whose elements it answers with a reference to; empty where there is none, and where two differ."""
        return self._members.ask(cls, lambda: _indexed_by_operator(cls))


@program_question
def operators(program: Program) -> Operators:
    """The operators of a program; one object a program, since its answers are remembered."""
    return Operators()


def _indexed_by_operator(cls: Class) -> str:
    found: set[str] = set()
    for method in cls.defined("operator[]"):
        if not types.parse(method.record.result).reference:
            return ""
        found.update(_indexed(leave.value) for leave in method.flow.leaves if leave.kind == "return")
    name = found.pop() if len(found) == 1 else ""
    return name if name and cls.field(name) is not None else ""


def _indexed(value: r.Value | None) -> str:
    """The member of which the value is an element: `nodes_[i]`, `this->nodes_.at(i)`."""
    match strip(value):
        case r.Index(base=base) | r.Call(callee=r.Member(base=base, name="at"), args=(_,)):
            match strip(base):
                case r.Name(text=name) | r.Member(base=r.Name(text="this"), name=name):
                    return name
    return ""


def _inside(around: Pointer | None, step: str) -> Cell | None:
    if around is None or around in (LOST, NULL):
        return None
    return Cell(around.block, (*around.path, step))


def _known(pointer: Pointer) -> Pointer | None:
    return None if pointer in (LOST, NULL) or pointer.is_number or pointer.block[0] == "lambda" else pointer


def result_cell(call: r.Call | r.Conditional) -> Cell:
    """Where what a call answers, or a choice between two values, stands until it is used."""
    return Cell(("result", call.start, call.end))


def captured(function: Function, made: r.Lambda) -> set[str]:
    """The locals that the lambda looks at, in whatever way it captures them."""
    names = {capture.name for capture in made.captures}
    inner = function.program.index.function_at(function.file, made.function) if "&" in names else None
    if inner is None:
        return names
    named_there = {one.text for one in inner.values if isinstance(one, r.Name)}
    return names | (named_there & function.locals.keys())


def range_cell(start: int) -> Cell:
    """Where the loop over a range that begins there keeps how far it has come."""
    return Cell(("range", start))


@flow_question
def references(function: Function) -> frozenset[str]:
    """Locals and parameters, also of the functions around it, that are other names for something."""
    current: Function | None = function
    found: set[str] = set()
    while current is not None:
        found |= _own_references(current)
        current = current.parent
    return frozenset(found)


@flow_question
def _own_references(function: Function) -> frozenset[str]:
    return frozenset(
        name
        for name, (written, value) in function.locals.items()
        if types.parse(written).reference and not _keeps_object(function, value)
    )


def _keeps_object(function: Function, value: r.Value | None) -> bool:
    """Whether a reference that begins so is the only name of an object, which lives as long: a call answers with it by
    value."""
    made = strip(value)
    if not isinstance(made, r.Call) or made.kind != "call" or function.language != "cpp":
        return False
    found = function.program.calls.callee(made, function)
    kind = types.parse(found.result)
    return found.certainty != "possible" and bool(found.records) and kind.is_value and not kind.is_placeholder


def declared_type(function: Function, name: str) -> str:
    """Of a local or parameter; where that is deduced, of what it begins as."""
    written, value = function.locals[name]
    return function.program.types.of(value, function) if types.parse(written).is_placeholder else written


def holds_inside(function: Function, name: str) -> bool:
    """Whether a local is an optional, or the like, that is no other's name: what it holds ends with it."""
    kind = types.parse(written := declared_type(function, name))
    if kind.pointers or types.parse(function.locals[name][0]).reference:
        return False
    roles, models = function.program.types.roles, function.program.models
    if any(types.parse(one).reference or "view" in roles(one, function) for one in kind.arguments):
        return False
    if "optional" in roles(written, function):
        return True
    status = models.status(written, function.program.names.scopes(function))
    return status is not None and status.model.carries_value


def asked_for_inside(function: Function, call: r.Call) -> r.Name | None:
    """The local that a call is asked for what that holds inside: `found.value()`, `std::get<Row>(found)`."""
    on = call.callee.base if isinstance(call.callee, r.Member) else call.args[0] if len(call.args) == 1 else None
    bare = strip(on)
    if not isinstance(bare, r.Name) or bare.text not in function.locals or (call.args and on is not call.args[0]):
        return None
    models = function.program.calls.callee(call, function).models
    lends = any(one.has("borrow", "result") for one in models)
    return bare if lends and holds_inside(function, bare.text) else None


@flow_question
def hidden(function: Function) -> frozenset[str]:
    """Names that stand for one local here and for another in a block inside."""
    if function.language != "cpp":
        return frozenset()
    return hidden_names(function.body, (one.name for one in function.record.parameters))


@flow_question
def plain_objects(function: Function) -> frozenset[str]:
    """Locals of which nothing but members are named, or that are assigned to one another: nobody else copies them,
    moves them or gives them away."""
    own = set(function.locals)
    bases = Counter[str]()
    mentioned = Counter[str]()
    for one in function.values:
        match one:
            case r.Name(text=name):
                mentioned[name] += 1
            case r.Member(base=r.Name(text=name)) | r.Index(base=r.Name(text=name)):
                bases[name] += 1
            case r.Assign(op="=", target=target, value=value):
                bases.update(side.text for side in (target, value) if isinstance(side, r.Name))
            case r.Lambda(captures=captures):
                own -= {capture.name for capture in captures}
                if not {capture.name for capture in captures}.isdisjoint({"&", "="}):
                    return frozenset()
    return frozenset(name for name in own if mentioned[name] == bases[name])


@flow_question
def bound_at(function: Function) -> dict[tuple[int, int], list[tuple[str, r.Value]]]:
    """By the span of what they are bound to, the locals that are declared there, with what they are bound to."""
    found: dict[tuple[int, int], list[tuple[str, r.Value]]] = {}
    for name, value in _declared(function):
        inner = strip(value)
        if isinstance(inner, r.Unary) and inner.op == "&":
            inner = strip(inner.value)
        if inner is not None:
            found.setdefault((inner.start, inner.end), []).append((name, value))
            if isinstance(inner, r.Unary) and inner.op == "*" and (pointed := strip(inner.value)) is not None:
                found.setdefault((pointed.start, pointed.end), []).append((name, value))
            if isinstance(inner, r.Index) and not inner.indexes:  # the element of a loop over a range
                found.setdefault((inner.base.start, inner.base.end), []).append((name, value))
    return found


def _declared(function: Function) -> Iterator[tuple[str, r.Value]]:
    """Each declaration of a local with what it gets; of the element of a loop over a range, the range at no index."""
    for statement in function.statements:
        match statement:
            case r.Declare(names=names, value=value) if value is not None:
                yield from ((name, value) for name in names)
            case r.Loop(kind="range", target=target, iterable=iterable) if iterable is not None:
                element = r.Index(statement.start, statement.end, iterable, ())
                yield from ((one.text, element) for one in walk(target) if isinstance(one, r.Name))


@flow_question
def decayed(function: Function) -> frozenset[str]:
    """Arrays of inner blocks whose address another local is given: `text = buffer`."""
    if not function.says(_ARRAY):
        return frozenset()
    inner = {name: one for one in inner_declarations(function) for name in one.names}
    arrays = {name for name, one in inner.items() if is_array(one.type) and not one.static}
    given: dict[str, bool] = {}
    for one in function.values if arrays else ():
        value = strip(one.value) if isinstance(one, r.Assign) and one.op == "=" else None
        if isinstance(one, r.Assign) and isinstance(value, r.Name) and value.text in arrays:
            points = bool(types.parse(function.program.types.of(one.target, function)).pointers)
            given[value.text] = points and given.get(value.text, True)  # a string copies what is there
    return frozenset(name for name, points in given.items() if points and function.locals[name][0] == inner[name].type)


def is_array(written: str) -> bool:
    """Whether what is declared with the type is an array, whose name stands for the address of its first element."""
    return written.rstrip().endswith("]")


_MOST_MEMBERS = 8


def plain_members(function: Function, written: str) -> tuple[str, ...]:
    """The members, in their order, of a type that is copied member by member and made of them: a struct that declares
    nothing else of it, a pair. Nothing for any other type."""
    kind = types.parse(written)
    if kind.pointers or not kind.name:
        return ()
    names, scope, file = function.program.names, function.record.scope, function.file
    expanded = names.expand(written, file, scope)
    if len(types.parse(expanded).arguments) == 2 and "pair" in function.program.types.roles(expanded, function):
        return ("first", "second")
    cls = names.find_class(kind.name, scope, file) or names.find_class(expanded, scope, file)
    if cls is None or cls.record.bases or cls.record.destructor == "declared":
        return ()
    fields = [field.name for field in cls.record.fields if not field.static]
    declared = any(one.kind == "constructor" or one.name == "operator=" for one in cls.declarations)
    return tuple(fields) if len(fields) <= _MOST_MEMBERS and not declared else ()


def inner_declarations(function: Function) -> Iterator[r.Declare]:
    for statement in function.statements:
        if isinstance(statement, r.Block | r.Branch | r.Loop):
            for part in bodies_inside(statement):
                yield from (one for one in part if isinstance(one, r.Declare))


def bodies_inside(statement: r.Block | r.Branch | r.Loop) -> tuple[tuple[r.Statement, ...], ...]:
    match statement:
        case r.Branch(then=then, other=other):
            return (then, other)
        case _:
            return (statement.body,)
