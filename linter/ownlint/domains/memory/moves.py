"""Objects that are moved from: who takes what `std::move` offers, and what counts as a use of what is left.

What an object holds is a block of its own, `("content", block, path)`; a move ends it, an assignment begins it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ownlint.domains.memory.blocks import Block, Cell, EndedBlock, MemoryDraft, What, content, is_varying, root
from ownlint.domains.memory.pointers import SMART, Pointers, captured, named
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because
from ownlint.flow.bodies import values
from ownlint.flow.places import THIS, last_name, strip, walk
from ownlint.models.records import FunctionModel, Verb
from ownlint.project import types
from ownlint.project.callees import Callee
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_question
from ownlint.project.subjects import Class, Function

Where = Literal[
    "argument",
    "receiver",
    "called",
    "dereferenced",
    "addressed",
    "indexed",
    "operand",
    "copied",
    "captured",
    "returned",
]
_HOLDERS = frozenset({"string", "container"})
_DEEPEST_MEMBER = 3
_UNARY: dict[str, Where] = {"*": "dereferenced", "&": "addressed"}
_WORD = re.compile(r"\w+")
_DEREFERENCING = frozenset({"dereferenced", "indexed"})


class ValueUse(NamedTuple):
    """What is done with the value of an expression: by which expression, or declaration, around it."""

    where: Where
    by: r.Value | r.Declare | None = None
    position: int = 0
    """Which argument it is, or which side of an operator."""


_NOTHING = ValueUse("operand")


def _unseen(name: str) -> Certainty:
    return because("unread-code", f"it is not known that `{name}` moves from it")


@program_question
def movers(program: Program) -> frozenset[str]:
    """Last names of what offers its argument to whoever takes it, or takes what it holds."""
    return program.models.functions_with("move")


def offered(call: r.Call, names: frozenset[str]) -> r.Value | None:
    """What the call offers: the `x` of `std::move(x)`."""
    moves = call.kind == "call" and isinstance(call.callee, r.Name) and 0 < len(call.args) < 3
    return call.args[0] if moves and last_name(call.callee) in names else None


@flow_question
def uses_moved(function: Function) -> bool:
    """Whether something is named again behind a move, or in the next round of a loop around one."""
    names = movers(function.program)
    if names.isdisjoint(function.mentioned) and not function.record.initializers:
        return False
    moved: dict[str, int] = {}
    last: dict[str, int] = {}
    for value in _values(function):
        for one in walk(value):
            if isinstance(one, r.Call) and (given := offered(one, names)) is not None:
                moved[named(given)] = min(moved.get(named(given), one.end), one.end)
            elif isinstance(one, r.Name):
                last[one.text] = max(last.get(one.text, 0), one.start)
    if not moved:
        return False
    rounds = [(one.start, one.end) for one in function.statements if isinstance(one, r.Loop)]
    return any(
        last.get(name, 0) > end or any(start < end <= stop for start, stop in rounds)
        for name, end in moved.items()
        if name
    )


@flow_question
def gives_away(function: Function) -> bool:
    """Whether something may be moved from that the caller gave, or of the object."""
    names = movers(function.program)
    if names.isdisjoint(function.mentioned) and not function.record.initializers:
        return False
    lent = {one.name for one in function.record.parameters if not types.parse(one.type).is_value}
    own = function.declared - lent
    return any(
        isinstance(one, r.Call) and (given := offered(one, names)) is not None and named(given) not in own
        for value in _values(function)
        for one in walk(value)
    )


def _values(function: Function) -> Iterator[r.Value]:
    for initializer in function.record.initializers:
        yield from initializer.args
    for statement in function.statements:
        yield from values(statement)


class Moves(Pointers):
    """What is moved from in one function."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.given_away: list[tuple[Cell, EndedBlock]] = []
        """What the call of this event takes from where it stands."""

    def report(
        self,
        what: What,
        name: str,
        ended: EndedBlock,
        block: Block,
        certainty: Certainty = "certain",
        through: str = "",
        variable: str = "",
    ) -> None:
        raise NotImplementedError

    def is_private(self, block: Block) -> bool:
        raise NotImplementedError

    def is_own(self, name: str) -> bool:
        raise NotImplementedError

    # --- what offers, and who takes ---

    def offer(self, draft: MemoryDraft, call: r.Call) -> bool:
        """Whether the call only offers what it is given; who takes that leaves it without its value."""
        if not self.moves_something:
            return False
        given = offered(call, movers(self.program))
        if given is None:
            return False
        where = self.cell(draft, given)
        casts = len(call.args) == 1
        taker = self.taker(call) if casts else EndedBlock(self.event.index, "given away", last_name(call.callee))
        if not casts and not _is_nothing(call.args[1]):
            taker = None
        if named(given) in self.twofold:
            return casts
        if where is not None and not is_varying(where.path) and taker is not None and self.is_movable(given):
            ended = draft.how_ended(content(where))
            if ended is not None and not self.is_filled_again(given, ended):
                self.report_moved(given, ended, where)
            taken = taker._replace(at=self.event.index)
            if casts:
                draft.end(content(where), taken)
            elif self.is_null_when_empty(given):
                self.given_away.append((where, taken))
        return casts

    def taker(self, call: r.Call) -> EndedBlock | None:
        """Who takes what the call offers; None where nobody does, or where that is for the callee to say."""
        context = self.contexts.get((call.start, call.end), _NOTHING)
        match context.where, context.by:
            case "copied", r.Declare() as declared if types.parse(declared.type).reference:
                return None
            case "copied" | "captured", _:
                return EndedBlock(0, "given away")
            case "argument", r.Call() as taking:
                return self.taking_call(taking, context.position)
        return None

    def taking_call(self, call: r.Call, index: int) -> EndedBlock | None:
        name = last_name(call.callee)
        sure, doubtful = EndedBlock(0, "given away", name), EndedBlock(0, "given away", name, _unseen(name))
        if call.kind == "macro" or self.program.macros.named(name):
            return None
        callee = self.program.calls.callee(call, self.function)
        records = self.records_of(call, callee)
        if records:
            kinds = {self.takes(record, index) for record in records}
            return {"value": sure, "rvalue": doubtful}.get(kinds.pop()) if len(kinds) == 1 else None
        if call.kind in ("construct", "new"):
            return sure
        if callee.models:
            if any(model.has(verb) for model in callee.models for verb in ("find", "borrow", "returns")):
                return None
            inserts = any(model.has("insert") for model in callee.models)  # only where there is none under that key
            return sure if not inserts else doubtful if self.is_dropped(call) else None
        return None if self.is_asked(call) or callee.functions else doubtful

    def records_of(self, call: r.Call, callee: Callee) -> tuple[r.FunctionRecord, ...]:
        """The project's functions that the call may mean; of an object that is made, its constructors."""
        if callee.records and call.kind == "call":
            return callee.records
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        cls = self.class_named(written) if written else None
        made = cls.constructors if cls is not None else ()
        declared = [one for one in cls.declarations if one.kind == "constructor"] if cls is not None else []
        records = [one.record for one in made] or declared
        return tuple(one for one in records if len(one.parameters) >= len(call.args))

    def takes(self, record: r.FunctionRecord, index: int) -> Literal["value", "rvalue", "own", ""]:
        """How the parameter takes what it is offered: as a copy of its own, or as a reference to look through."""
        if index >= len(record.parameters):
            return ""
        parameter = record.parameters[index]
        taken = types.parse(parameter.type)
        if not taken.reference:
            return "" if taken.pointers else "value"
        if not parameter.type.rstrip().endswith("&&"):
            return ""
        return "own" if record.defined else "rvalue"

    def is_dropped(self, call: r.Call) -> bool:
        around = self.contexts.get((call.start, call.end), None)
        return around is not None and around.where == "addressed"

    def is_asked(self, call: r.Call) -> bool:
        """Whether the call answers, and somebody looks at the answer: it may say that nothing was taken."""
        around = self.contexts.get((call.start, call.end), None)
        return around is not None and around.where == "operand"

    # --- what there is to move ---

    def is_null_when_empty(self, value: r.Value) -> bool:
        roles = self.program.types.roles(self.type_of(value), self.function)
        return not (SMART | {"callable"}).isdisjoint(roles)

    def is_movable(self, value: r.Value) -> bool:
        return self.is_movable_type(self.type_of(value), value)

    def is_movable_type(self, written: str, value: r.Value | None = None, depth: int = 0) -> bool:
        """Whether a move of it leaves less than was there. Of what is not known, nobody says so."""
        kind = types.parse(written)
        if not written or kind.pointers or kind.const or kind.is_scalar or depth > _DEEPEST_MEMBER:
            return False
        roles = frozenset(self.program.types.roles(written, self.function))
        if "stable container" in roles and "sequence" in roles and len(kind.arguments) > 1:
            return self.is_movable_type(kind.arguments[0], depth=depth + 1)  # an array holds its elements itself
        if roles & (SMART | _HOLDERS | {"callable"}):
            return True
        if roles & {"optional", "pair"}:
            return any(self.is_movable_type(one, depth=depth + 1) for one in kind.arguments)
        if kind.name in _WORD.findall(self.function.record.template):
            return True  # the caller knows what it is
        cls = self.class_named(kind.name)
        return cls is not None and self.is_movable_class(cls, depth)

    def is_movable_class(self, cls: Class, depth: int) -> bool:
        """Whether its objects hold something that a move takes, and it is not only copied."""
        special = [*cls.declarations, *(one.record for one in cls.methods)]
        moving = [one for one in special if one.kind == "constructor" or one.name == "operator="]
        last = [one.parameters[0].type.replace(" ", "") for one in moving if len(one.parameters) == 1]
        moves = any(one.endswith("&&") and cls.name in one for one in last)
        if moves and any(one.record.parameters[0].type.rstrip().endswith("&&") for one in _special(cls)):
            return True  # it says itself what it leaves
        copies = any(one.endswith(f"{cls.name}&") for one in last)
        if not moves and (copies or cls.record.destructor in ("declared", "defined")):
            return False
        fields = [field for field in cls.fields.values() if not field.static]
        return any(self.is_movable_type(field.type, depth=depth + 1) for field in fields)

    def class_named(self, written: str) -> Class | None:
        return self.program.names.find_class(
            self.program.names.expand(written, self.function.file, self.function.record.scope),
            self.function.record.scope,
            self.function.file,
        )

    # --- what is a use ---

    def read_moved(self, draft: MemoryDraft, value: r.Value) -> None:
        """An expression is read, of which a part may have been moved from."""
        if not self.is_any_moved(draft):
            return
        chain = list(_chain(value))
        for position, part in enumerate(chain):
            where = self.cell(draft, part)
            found = self.moved_around(draft, where) if where is not None else None
            if found is not None:
                ended, moved = found
                if self.is_content_used(chain, position) and not self.is_beside_move(part, ended):
                    self.report_moved(part, ended, moved)
                return

    def moved_around(self, draft: MemoryDraft, where: Cell) -> tuple[EndedBlock, Cell] | None:
        """How the object there, or one that it is a part of, was moved from."""
        for length in range(len(where.path), -1, -1):
            around = Cell(where.block, where.path[:length])
            ended = draft.how_ended(content(around))
            if ended is not None:
                return ended, around
        return None

    def is_beside_move(self, value: r.Value, ended: EndedBlock) -> bool:
        """Whether it stands in the call, or the assignment, that takes what is moved: which goes first, it may say."""
        move = self.flow.events[ended.at]
        around = self.contexts.get((move.span.start, move.span.end), _NOTHING).by
        return around is not None and around.span.holds(value.span)

    def write_into_moved(self, draft: MemoryDraft, target: r.Value | None) -> None:
        """An element, or what a pointer leads to, is written."""
        match strip(target):
            case r.Index(base=base) | r.Member(base=base, arrow=True) | r.Unary(op="*", value=base):
                self.read_moved(draft, base)

    def is_content_used(self, chain: list[r.Value], position: int) -> bool:
        part = chain[position]
        context = self.contexts.get((part.start, part.end), _NOTHING) if not position else _around(chain[position - 1])
        written = self.type_of(part)
        roles = frozenset(self.program.types.roles(written, self.function))
        if roles & SMART:
            return context.where in _DEREFERENCING or self.is_read_by_callee(context) or self.is_pointee_used(context)
        if "callable" in roles:
            return context.where == "called" or self.is_read_by_callee(context)
        if "optional" in roles:
            return context.where in _DEREFERENCING or self.is_read_by_callee(context)
        if roles & _HOLDERS:
            return self.is_read(context) or (context.where == "receiver" and self.hands_out(context))
        cls = self.class_named(types.parse(written).name)
        if cls is None or not self.is_movable_class(cls, 0):
            return False
        return self.is_read(context) or (context.where == "receiver" and self.is_constant_call(context))

    def is_pointee_used(self, context: ValueUse) -> bool:
        """Whether the owner is asked for the pointer, by whoever looks at what that leads to."""
        asking = context.by
        if context.where != "receiver" or not isinstance(asking, r.Call) or asking.args:
            return False
        if not any(model.has("borrow", "result") for model in self.models_of(asking)):
            return False
        used = self.contexts.get((asking.start, asking.end), _NOTHING)
        if used.where == "argument" and isinstance(used.by, r.Call):
            return self.needs_argument(used.by, used.position)
        return used.where in _DEREFERENCING

    def needs_argument(self, call: r.Call, index: int) -> bool:
        """Whether a function looks at what its argument, counted from 0, leads to."""
        raise NotImplementedError

    def is_read(self, context: ValueUse) -> bool:
        match context.where, context.by:
            case "indexed" | "dereferenced" | "returned" | "called", _:
                return True
            case "operand", r.Binary(op=op):
                return not (op == ">>" or (op == "<<" and context.position == 0))
            case "operand", r.Loop() | r.Index():  # a key is compared
                return True
            case "copied", r.Declare() as declared:
                return not types.parse(declared.type).reference
            case "copied", _:
                return True
        return self.is_read_by_callee(context)

    def is_read_by_callee(self, context: ValueUse) -> bool:
        """Whether it is given to a function that has it as a copy, or as a constant."""
        if context.where != "argument" or not isinstance(context.by, r.Call):
            return False
        callee = self.program.calls.callee(context.by, self.function)
        records = self.records_of(context.by, callee)
        if not records:
            return any(
                model.has(verb, f"argument {context.position + 1}") for model in callee.models for verb in _COPYING
            )
        return all(
            context.position < len(one.parameters) and _reads(one.parameters[context.position]) for one in records
        )

    def hands_out(self, context: ValueUse) -> bool:
        """Whether the method answers with something that the container holds."""
        if not isinstance(context.by, r.Call):
            return False
        models = self.program.calls.callee(context.by, self.function).models
        return any(model.by_reference or model.has("find") for model in models)

    def is_constant_call(self, context: ValueUse) -> bool:
        """Whether it is asked for something; a yes or no without arguments is about what was moved from, too."""
        if not isinstance(context.by, r.Call):
            return False
        records = self.program.calls.callee(context.by, self.function).records
        asks = not context.by.args and all(one.result == "bool" for one in records)
        return bool(records) and not asks and all("const" in one.qualifiers for one in records)

    def is_filled_again(self, value: r.Value, ended: EndedBlock) -> bool:
        """Whether something is put behind the move into a container, which then counts on being empty."""
        place, start = text(value), self.flow.events[ended.at].span.end
        return any(
            call.span.start > start
            and isinstance(call.node.callee, r.Member)
            and text(call.node.callee.base) == place
            and any(effect.verb in _CHANGING for model in self.models_of(call.node) for effect in model.effects)
            for call in self.flow.calls
        )

    def models_of(self, call: r.Call) -> tuple[FunctionModel, ...]:
        return self.program.calls.callee(call, self.function).models

    def report_moved(self, value: r.Value, ended: EndedBlock, where: Cell) -> None:
        self.report("used", text(strip(value) or value, 60), ended, content(where))

    # --- what gets a value again ---

    def is_any_moved(self, draft: MemoryDraft) -> bool:
        return self.moves_something and any(block[0] == "content" for block in draft.ended)

    def regain(self, draft: MemoryDraft, where: Cell | None) -> None:
        """A place gets a value, and with it all that is in it; an object of which a member does is not judged on."""
        if where is None or not self.is_any_moved(draft):
            return
        for block in [one for one in draft.ended if one[0] == "content"]:
            _, around, path = block
            if around == where.block and (_starts(path, where.path) or _starts(where.path, path)):
                draft.revive(block)

    def regain_at_call(self, draft: MemoryDraft, call: r.Call, callee: Callee) -> None:
        """What a function may give a new value: what it is given to change, its object, and what everybody sees."""
        if not self.is_any_moved(draft):
            return
        reached = set(self.given_to_change(call, callee))
        for block in [one for one in draft.ended if one[0] == "content"]:
            start = root(block)
            name = str(start[1]) if start[0] == "var" else ""
            if (
                name in reached
                or not (self.is_own(name) or name in (THIS, ""))
                or (block[1][0] == "var" and not self.is_private(block[1]) and not callee.models)
            ):
                draft.revive(block)

    def given_to_change(self, call: r.Call, callee: Callee) -> Iterator[str]:
        """The names from which goes out what the function may change."""
        records = self.records_of(call, callee)
        for index, argument in enumerate(call.args):
            kept = bool(records) and all(
                index < len(one.parameters) and _reads(one.parameters[index]) for one in records
            )
            kept = kept or any(model.has(verb) for model in callee.models for verb in _COPYING)
            inside = list(walk(argument)) if not kept else []
            names = movers(self.program)
            offers = [given for one in inside if isinstance(one, r.Call) and (given := offered(one, names)) is not None]
            for one in inside:
                if isinstance(one, r.Name) and not any(given.span.holds(one.span) for given in offers):
                    yield one.text
                elif isinstance(one, r.Lambda):
                    copies = {capture.name for capture in one.captures if not capture.by_reference}
                    yield from captured(self.function, one) - copies if "=" not in copies else ()
        constant = bool(records) and all("const" in one.qualifiers or "static" in one.qualifiers for one in records)
        if isinstance(call.callee, r.Member):
            base = strip(call.callee.base)
            changes = any(effect.verb in _CHANGING for model in callee.models for effect in model.effects)
            unknown = not callee.models and not self.is_asking(call)
            if base is not None and not constant and (changes or unknown):
                yield named(base)
        elif self.function.home is not None and not constant and not callee.models:
            yield from (THIS,) if not records or any(one.kind == "method" for one in records) else ()

    def is_asking(self, call: r.Call) -> bool:
        """Whether a method of an owner or a container, which models name, is called that changes nothing."""
        methods = self.program.models.containers
        if not isinstance(call.callee, r.Member) or call.args or call.callee.name in methods.clears | methods.erases:
            return False
        written = self.type_of(call.callee.base)
        roles = frozenset(self.program.types.roles(written, self.function))
        return bool(roles & (SMART | _HOLDERS | {"optional"})) and not call.callee.arrow

    # --- where expressions stand ---

    @cached_property
    def twofold(self) -> frozenset[str]:
        """Names that stand for an object in one block, and for a reference in another."""
        kinds: dict[str, set[bool]] = {}
        for one in self.function.statements:
            match one:
                case r.Declare(names=names, type=written):
                    pass
                case r.Loop(kind="range", target=target, type=written):
                    names = tuple(part.text for part in walk(target) if isinstance(part, r.Name))
                case _:
                    continue
            for name in names:
                kinds.setdefault(name, set()).add(types.parse(written).reference)
        return frozenset(name for name, found in kinds.items() if len(found) > 1)

    @cached_property
    def moves_something(self) -> bool:
        return uses_moved(self.function) or gives_away(self.function)

    @cached_property
    def contexts(self) -> dict[tuple[int, int], ValueUse]:
        found: dict[tuple[int, int], ValueUse] = {}
        for initializer in self.function.record.initializers:
            args = initializer.args
            is_member = self.function.home is not None and self.function.home.field(initializer.name) is not None
            around = r.Aggregate(args[0].start, args[-1].end, "init", args) if args else None
            for argument in args:  # what another constructor does with it is for that one to say
                _place(found, argument, ValueUse("copied", around) if is_member else _NOTHING)
        for statement in self.function.statements:
            match statement:
                case r.Declare(value=value) if value is not None:
                    _place(found, value, ValueUse("copied", statement))
                case r.Leave(value=value) if value is not None:
                    _place(found, value, ValueUse("returned"))
                case r.Evaluate(value=value):
                    _place(found, value, ValueUse("addressed"))
                case r.Loop(kind="range", iterable=walked) if walked is not None:
                    _place(found, walked, ValueUse("indexed"))
                case _:
                    for inner in values(statement):
                        _place(found, inner, _NOTHING)
        return found


_COPYING: tuple[Verb, ...] = ("keep", "overwrite", "adopt", "own", "find", "insert")
_CHANGING = frozenset({"invalidate", "clear", "adopt", "keep", "insert", "overwrite", "erase", "disown"})


def _special(cls: Class) -> Iterator[Function]:
    """Constructors with a body that make an object of another one."""
    for one in cls.constructors:
        taken = [types.parse(parameter.type) for parameter in one.record.parameters]
        if len(taken) == 1 and taken[0].last == cls.name and not {"default", "delete"} & set(one.record.qualifiers):
            yield one


def _reads(parameter: r.Parameter) -> bool:
    taken = types.parse(parameter.type)
    return not taken.pointers and (not taken.reference or (taken.const and "&&" not in parameter.type))


def _is_nothing(value: r.Value) -> bool:
    return (isinstance(value, r.Literal) and value.kind == "null") or (
        isinstance(value, r.Aggregate) and not value.items
    )


def _starts(path: tuple[str, ...], outer: tuple[str, ...]) -> bool:
    return path[: len(outer)] == outer


def _chain(value: r.Value) -> Iterator[r.Value]:
    """The expression, and those that lead there, to the name from which it goes out."""
    current: r.Value | None = value
    while current is not None:
        yield current
        current = strip(current.base) if isinstance(current, r.Member | r.Index) else None


def _around(outer: r.Value) -> ValueUse:
    """What a member or an element does with what it is of."""
    arrow = isinstance(outer, r.Member) and outer.arrow
    return ValueUse("dereferenced" if arrow else "indexed", outer)


def _place(found: dict[tuple[int, int], ValueUse], value: r.Value, context: ValueUse) -> None:
    """Notes what is done with the value, and with all in it."""
    stack = [(value, context)]
    while stack:
        current, here = stack.pop()
        found.setdefault((current.start, current.end), here)
        stack.extend(_inside(current, here))


def _inside(value: r.Value, context: ValueUse) -> Iterable[tuple[r.Value, ValueUse]]:
    match value:
        case r.Call(callee=callee, args=args):
            if isinstance(callee, r.Member):
                yield callee.base, ValueUse("dereferenced" if callee.arrow else "receiver", value)
            else:
                yield callee, ValueUse("called", value)
            yield from ((one, ValueUse("argument", value, index)) for index, one in enumerate(args))
        case r.Member(base=base):
            yield base, _around(value)
        case r.Index(base=base, indexes=indexes):
            yield base, ValueUse("indexed", value)
            yield from ((one, ValueUse("operand", value)) for one in indexes)
        case r.Unary(op=op, value=inner):
            yield inner, ValueUse(_UNARY.get(op, "operand"), value)
        case r.Binary(op="&&" | "||" | ",", left=left, right=right):
            yield from ((left, _NOTHING), (right, _NOTHING))
        case r.Binary(left=left, right=right):
            yield from ((left, ValueUse("operand", value, 0)), (right, ValueUse("operand", value, 1)))
        case r.Assign(target=target, op=op, value=inner):
            yield target, ValueUse("addressed")
            yield inner, ValueUse("copied", value) if op == "=" else ValueUse("operand", value)
        case r.Cast(value=inner):
            yield inner, context
        case r.Conditional(condition=condition, then=then, other=other):
            yield from ((condition, _NOTHING), (then, context), (other, context))
        case r.Aggregate(items=items):
            yield from ((one, ValueUse("copied") if context.where != "argument" else context) for one in items)
        case r.Pair(value=inner):
            yield inner, context
        case r.Lambda(captures=captures):
            yield from ((one.value, ValueUse("captured")) for one in captures if one.value is not None)
