"""Who owns a block: which place ends it some time, and what else takes it from there as well.

A place owns what it leads to by its type, a smart pointer or an owner that a model knows, or because the destructor of
its class ends that. That a callee or a temporary has adopted a block is noted at the block itself, and so a summary
says it of an argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ownlint.domains.memory.blocks import (
    LOST,
    NULL,
    OWNED,
    Block,
    Cell,
    EndedBlock,
    MemoryDraft,
    Path,
    Pointer,
    home_of,
    root,
    steps_to,
)
from ownlint.domains.memory.callables import LambdaObjects
from ownlint.domains.memory.pointers import SMART, THIS_BLOCK
from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because, tempered
from ownlint.flow import events as e
from ownlint.flow.places import THIS, last_name, receiver
from ownlint.models import habits
from ownlint.models.records import FunctionModel
from ownlint.project import types
from ownlint.project.pairs import words
from ownlint.project.program import Program
from ownlint.project.questions import program_question, question
from ownlint.project.subjects import Class, Function

OWNERS = SMART | {"scoped owner"}
_YES = Pointer(("number", "1"))


class CoOwner(NamedTuple):
    """A call takes over, or `releases`, what somebody else still owns."""

    at: e.CallEvent
    owner: str
    """Who owns it already: a place, `this`, a local that is not on the heap, or the raw pointer itself."""
    how: Literal["owner", "this", "address", "raw"]
    releases: bool
    """The call ends the block there and then."""
    certainty: Certainty
    block: Block
    before: e.Event | None = None
    """Where the raw pointer was adopted first."""


@program_question
def giving_up(program: Program) -> frozenset[str]:
    """Last names of what makes a smart pointer end what it holds, and gives it something else."""
    return program.models.functions_with("invalidate", "receiver", lambda model: model.has("adopt", "argument 1"))


@program_question
def owning_members(program: Program) -> frozenset[str]:
    """Names of members, of classes of the project, that are smart pointers: to assign one ends what it has held."""
    alone = program.models.names_of("smart pointer")
    alone |= {one.name for one in program.index.type_aliases if types.parse(one.target).last in alone}
    fields = (one for cls in program.classes if cls.file.language == "cpp" for one in cls.record.fields)
    return frozenset(one.name for one in fields if types.parse(one.type).last in alone)


@program_question
def owner_names(program: Program) -> frozenset[str]:
    """Last names of the types that end what they are made of, and of what gives such an object something else. What a
    model knows for an owner may be a class of the project that ends nothing."""
    plain = {cls.name: cls.record.destructor == "implicit" for cls in program.classes if cls.file.language == "cpp"}
    owners = program.models.names_of("smart pointer", "shared pointer", "scoped owner")
    owners -= {name for name in owners if plain.get(name)}
    aliases = {one.name for one in program.index.type_aliases if types.parse(one.target).last in owners}
    return owners | aliases | giving_up(program)


@question
def makes_owner(function: Function) -> bool:
    """Whether something that the function is given may get an owner there. Needs no decoding."""
    if function.language != "cpp" or owner_names(function.program).isdisjoint(function.mentioned):
        return False
    handles = resources(function.program).handle_names
    kinds = (types.parse(one.type) for one in function.record.parameters)
    return any(kind.last in handles or (kind.pointers == 1 and not kind.const) for kind in kinds)


@program_question
def takers(program: Program) -> frozenset[str]:
    """Last names of what may adopt an argument."""
    owners = owner_names(program)
    return owners | {one.name for one in program.calling(owners) if makes_owner(one)}


class Owners(LambdaObjects):
    """The owners that one function sees."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.adopted: dict[Block, e.Event] = {}
        """By block the event at which it was first adopted."""
        self.twice: dict[tuple[object, ...], CoOwner] = {}

    def held_paths(self, cls: Class | None) -> Iterator[Path]:
        """Members of an object of the class that lead to what its destructor ends."""
        raise NotImplementedError

    # --- who ends what a place leads to ---

    def expression(self, cell: Cell) -> r.Value | None:
        """One that names what stands there, where the way to it from a variable is known."""
        if cell.path:
            around = self.expression(Cell(cell.block, cell.path[:-1]))
            return r.Member(-1, -1, around, cell.path[-1]) if around is not None else None
        match cell.block:
            case ("var", name):
                return r.Name(-1, -1, name)
            case ("in", *home) | ("late", _, *home):
                pointer = self.expression(Cell(*home))
                refers = isinstance(pointer, r.Name) and pointer.text in self.references
                return r.Unary(-1, -1, "*", pointer) if pointer is not None and not refers else pointer
        return None

    def is_smart(self, cell: Cell) -> bool:
        """Whether a smart pointer stands there."""
        return self.is_typed_smart(self.expression(cell))

    def is_typed_smart(self, value: r.Value | None) -> bool:
        written = self.type_of(value)
        roles = self.program.types.roles(written, self.function) if not types.parse(written).pointers else ()
        return not SMART.isdisjoint(roles) and "intrusive pointer" not in roles

    def is_ended_by_object(self, cell: Cell) -> bool:
        """Whether it is a member of which the destructor of its object ends what it leads to."""
        around = self.expression(Cell(cell.block, cell.path[:-1])) if cell.path else None
        cls = self.class_named(types.parse(self.type_of(around)).name)
        return cls is not None and cls is not self.function.cls and cell.path[-1:] in self.held_paths(cls)

    def owner_of_block(self, draft: MemoryDraft, block: Block, value: r.Value, ended: EndedBlock | None) -> Cell | None:
        """A place that will end the block to which the value leads. An object has what it hands out; what is taken
        from its members, it may be about to forget. What is ended inside of its memory is no matter of the pointer."""
        home = home_of(block)
        held = [cell for cell, pointer in draft.cells.items() if pointer == Pointer(block)]
        if home is not None and draft.read(home) == Pointer(block):
            held.append(home)
        asked = receiver(value) if isinstance(value, r.Call) else None
        frees = ended is None or ended.kind.memory
        if frees and home is not None and home in held and self.is_typed_smart(asked):
            return home  # whatever led there: `it->second.get()`
        return next(
            (
                one
                for one in held
                if (frees and self.is_smart(one)) or (asked is not None and self.is_ended_by_object(one))
            ),
            None,
        )

    # --- what takes a block ---

    def makes_owner(self, node: r.Call) -> bool:
        """Whether it is an owner that is made, though it is spelled as a call: `std::shared_ptr<T>(p)`."""
        if not isinstance(node.callee, r.Name) or last_name(node.callee) not in owner_names(self.program):
            return False
        return not OWNERS.isdisjoint(self.program.types.roles(node.callee.text, self.function))

    def taken_by_callee(self, draft: MemoryDraft, held: Pointer, name: str) -> None:
        """A function of the project makes an owner of an argument, and leaves it to that."""
        why = because("unread-code", f"that `{name}` takes ownership is inferred from its body")
        for value in self.arguments(draft, held):
            self.taken(draft, value, held, why, shares=False)

    def adopt(self, draft: MemoryDraft, value: r.Value | None, written: str) -> None:
        """An owner of that type ends the value from here on."""
        held = self.pointer(draft, value)
        if value is None or held in (LOST, NULL) or held.is_number or not is_raw(self.function, value):
            return
        roles = self.plain_owner(written)
        if not roles or (held.block[0] == "var" and SMART.isdisjoint(roles)):
            return
        self.taken(draft, value, held, "certain", shares="shared pointer" in roles)

    def taken(self, draft: MemoryDraft, value: r.Value, held: Pointer, sure: Certainty, *, shares: bool) -> None:
        """Somebody adopts what the value leads to."""
        block = held.block
        if block[0] == "var":
            if self.is_own(block[1]) and not held.path and block[1] not in self.references:
                why = "harmless if the owner's deleter does not free it"
                self.note_twice(str(block[1]), "address", block, because(sure, why))
            return
        if held.path:
            return
        if block == THIS_BLOCK:
            if shares and self.function.record.kind != "constructor":
                why = because("sharing", "harmless if nothing else owns the object")
                self.note_twice(THIS, "this", block, tempered(sure, why))
            return
        self.still_owned(draft, value, block, None, sure)
        draft.put(Cell(block, (OWNED,)), _YES)
        self.adopted.setdefault(block, self.event)

    def taken_by_result(self, draft: MemoryDraft, node: r.Call, model: FunctionModel, made: Pointer) -> None:
        """What a library makes is the owner of an argument, unless there is none: `file = fdopen(fd, "r")`. The step to
        who owns it leads to the owner, so that a test which finds that to be NULL takes it back."""
        for effect in model.effects:
            if effect.verb != "adopt" or effect.mode != "on success" or effect.place is None or model.counted:
                continue
            if not 0 <= effect.place.index < len(node.args):
                continue
            value = node.args[effect.place.index]
            held = self.pointer(draft, value)
            if held in (LOST, NULL) or held.is_number or held.path or held.block[0] == "var":
                continue
            self.still_owned(draft, value, held.block, None, "certain")
            draft.put(Cell(held.block, (OWNED,)), made)
            self.adopted.setdefault(held.block, self.event)

    def still_owned(
        self, draft: MemoryDraft, value: r.Value, block: Block, ended: EndedBlock | None, sure: Certainty
    ) -> None:
        """Whether somebody else still owns what is taken, or `ended`, here."""
        owner = self.owner_of_block(draft, block, value, ended)
        has_one = draft.cells.get(Cell(block, (OWNED,)), NULL) not in (NULL, LOST)
        before = self.adopted.get(block) if has_one else None
        if before is not None and before is not self.event:
            name = text(value, 60)
            why = because("sharing", f"harmless if the first owner of `{name}` gives up ownership before this")
            self.note_twice(name, "raw", block, why, ended is not None, before)
        elif owner is not None:
            asked = receiver(value) if isinstance(value, r.Call) else None
            steps = [root(owner.block)[1], *steps_to(owner.block), *owner.path]
            name = text(asked, 60) if asked is not None else str(steps[-1])
            why = because("sharing", f"harmless if `{name}` gives up ownership elsewhere")
            self.note_twice(name, "owner", block, tempered(sure, why), ended is not None)

    def note_twice(
        self,
        owner: str,
        how: Literal["owner", "this", "address", "raw"],
        block: Block,
        certainty: Certainty,
        releases: bool = False,
        before: e.Event | None = None,
    ) -> None:
        assert isinstance(self.event, e.CallEvent)
        found = CoOwner(self.event, owner, how, releases, certainty, block, before)
        self.twice.setdefault((self.event.index, block), found)

    def let_go(self, draft: MemoryDraft, held: Pointer) -> None:
        """An owner gives up what it has held: then there was only one other."""
        draft.remove(Cell(held.block, (OWNED,)))
        for key in [key for key, one in self.twice.items() if one.block == held.block]:
            del self.twice[key]

    def released_while_owned(self, draft: MemoryDraft, held: Pointer, how: EndedBlock) -> None:
        """A call ends a block by hand, or in a callee."""
        for value in self.arguments(draft, held) if how.why in ("released", "by callee") else ():
            self.still_owned(draft, value, held.block, how, how.certainty)

    def arguments(self, draft: MemoryDraft, held: Pointer) -> list[r.Value]:
        """What is given to the call of this event that leads there."""
        given = self.event.node.args if isinstance(self.event, e.CallEvent) else ()
        return [value for value in given if self.pointer(draft, value) == held]

    def plain_owner(self, written: str) -> frozenset[str]:
        """The roles of an owner that deletes what it is given: one without a deleter of its own, or a count inside the
        object; none of any other type."""
        kind = types.parse(self.program.names.expand(written, self.function.file, self.function.record.scope))
        roles = frozenset(self.program.types.roles(kind.name, self.function))
        if roles.isdisjoint(OWNERS) or "intrusive pointer" in roles or len(kind.arguments) > 1:
            return frozenset()
        if not SMART.isdisjoint(roles):
            return roles
        cls = self.class_named(kind.name)  # it may own something else, and only lean on what it is given
        return roles if cls is None or not cls.constructors or any(self.held_paths(cls)) else frozenset()


def is_raw(function: Function, value: r.Value) -> bool:
    """Whether a value ends nothing of what it leads to, and who has it may change that."""
    written = function.program.types.of(value, function)
    raw = resources(function.program).raw(written, function) is not None and not types.parse(written).const
    return raw or (not written and isinstance(value, r.Call))


def lets_go(function: Function, found: CoOwner) -> bool:
    """Whether the owner is named as giving something up elsewhere in the function."""
    return found.how == "owner" and any(
        call is not found.at
        and (on := receiver(call.node)) is not None
        and text(on) == found.owner
        and not habits.LETS_GO.isdisjoint(words(last_name(call.node.callee)))
        for call in function.flow.calls
    )
