"""What calls do to memory: they end it, hand it out, look at it, and change pointers that others see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal

from ownlint.domains.counted.references import references
from ownlint.domains.failure import never_comes_back
from ownlint.domains.memory import effects, erasing, sharing, unknown_calls
from ownlint.domains.memory.blocks import (
    ELEMENTS,
    GIVEN_ON,
    ITEMS,
    LOST,
    NOTHING,
    NULL,
    OWNED,
    ROOM,
    SOME,
    Block,
    Cell,
    EndedBlock,
    MaybeEnds,
    MemoryCase,
    MemoryDraft,
    MemoryOutcome,
    MemorySummary,
    Path,
    Pointer,
    RunValue,
    content,
    given_back,
    home_of,
    is_varying,
    is_within,
    root,
    steps_to,
)
from ownlint.domains.memory.callables import KEPT, RunningFunction
from ownlint.domains.memory.moves import gives_away
from ownlint.domains.memory.owners import OWNERS, Owners, makes_owner
from ownlint.domains.memory.pointers import ONE, SMART, THIS_BLOCK, captured, drops, named, range_cell
from ownlint.domains.memory.pointers import references as _references
from ownlint.domains.memory.pointers import result_cell as _result
from ownlint.domains.memory.seen import (
    changes_elements,
    class_of,
    ends_what_it_holds,
    may_be_reserved,
    may_end,
    may_take,
    relevant,
)
from ownlint.engine import macro_calls, overrides
from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.finding import CERTAINTIES, Certainty, because, weaker
from ownlint.flow import events as e
from ownlint.flow.places import THIS, last_name, spelled, strip, walk
from ownlint.flow.remembered import remembered
from ownlint.models.records import REFERENCE, Effect, FunctionModel, Place, Verb
from ownlint.project import qualified, types
from ownlint.project.callees import Callee
from ownlint.project.pairs import releases_nothing
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Class, Function

_NO_ROOM = because("path", "this happens only if the container has no capacity left")
_MAY_HAVE_ROOM = because("value", "harmless if the capacity that is reserved elsewhere is enough")
_MAY_STAND_BEFORE = because("path", "this happens only if it, or an element before it, is erased")
_MAY_BE_KEPT = because("sharing", "harmless if something else still owns a reference to it")
_ORDERS = frozenset({"<", "<=", ">", ">=", "=="})
_HELD = "<held> "
_NO_NAME = r.Name(-1, -1, "")
_VALUE: Path = ("<value>",)
"""Asks not for what a reference is bound to, but for what stands there."""


class MemoryCalls(Owners):
    """The calls of one function."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.deep = False
        """Whether it is asked of all that is called what it looks at."""
        self.used: set[Block] = set()
        """Memory of the caller that is looked at while it lives."""
        self.handed: dict[Block, Certainty] = {}
        """The same, given to functions that nobody sees, with how sure it is that they look at it."""
        self.written: set[Cell] = set()
        """Cells of the caller that hold another pointer now."""
        self.writes = False
        """Others may be changed, too, and nobody knows which."""
        self.complete = True
        self.case: MemoryCase | MemoryOutcome | MaybeEnds | None = None
        """In which case the callee of this event does what it does."""
        self.ran: dict[RunValue, str] = {}
        """What was called of the caller's own, and under which name a way knows that."""
        self.runs: RunningFunction | None = None
        """What the call that is asked runs, where the code does not say so itself."""
        self.constructed: Pointer | None = None
        """The object whose constructor is asked."""
        self.called: dict[int, tuple[Callee, bool]] = {}
        """By call what it reaches, and whether nothing runs behind it."""
        self.changed: dict[tuple[str, int, int], tuple[frozenset[str] | None, r.Call, Callee]] = {}
        """By parameter, call and callee: see `unknown_calls.may_change`. These are held, so that their identities stay
        their own."""
        self.co_owned: set[Block | Cell] = set()
        """What is counted of which somebody else may have a reference, on some path that was followed."""
        self.given_to: dict[Block | Cell, dict[tuple[int, int], tuple[r.Call, int, Callee, Function | None]]] = {}
        """The calls that were given something, as which argument: asked when it ends whether they share it."""

    def meet_limit(self) -> None:
        """More had to be known of a state than is; all of it is forgotten."""
        self.complete = False

    def learn_case(self, draft: MemoryDraft, given: r.Value, case: MemoryCase) -> None:
        """What is known of an argument once it is known which case holds."""
        raise NotImplementedError

    def summary_of(self, function: Function, *, deep: bool) -> MemorySummary:
        """What another function of the project does to its caller's memory."""
        raise NotImplementedError

    # --- looking and ending ---

    def looked_at(self, draft: MemoryDraft, pointer: Pointer, value: r.Value) -> None:
        start = named(value)
        if pointer.block == ("var", start) and start not in self.references:
            if self.function.parent is not None and not self.is_own(start):
                self.used.add(pointer.block)  # a lambda can run when the scope around it has ended
            return  # whoever else can name a variable is in its scope: this is another of that name
        leads = draft.cells.get(Cell(("var", start)), LOST).block == pointer.block
        self.look(draft, pointer, self.named(value), variable=start if leads else "")

    def look(
        self,
        draft: MemoryDraft,
        pointer: Pointer,
        name: str,
        certainty: Certainty = "certain",
        through: str = "",
        variable: str = "",
    ) -> None:
        ended = draft.how_ended(pointer.block)
        if ended is not None and ended.why != "destroyed":
            self.report("used", name, ended, pointer.block, certainty, through, variable)
        elif self.is_seen(pointer.block):
            self.used.add(pointer.block)

    def end_block(self, draft: MemoryDraft, pointer: Pointer, how: EndedBlock, name: str, through: str = "") -> None:
        """The block that the pointer leads to is ended; one that has a path leads into the middle of one."""
        if pointer in (LOST, NULL) or pointer.path or pointer.is_number or draft.is_nothing(pointer.block):
            return
        if pointer.block[0] in ("lambda", "bound", "result"):
            return
        if how.kind.counted and (
            self.is_co_owned(sharing.named_by(pointer.block)) or not sharing.is_own(pointer.block, self.function)
        ):
            return
        before = draft.how_ended(pointer.block)
        given_back = before is not None and before.why == "destroyed" and how.by  # `x->~T(); free(x);`
        failed = before is not None and before.failed
        again = failed and self.flow.events[before.at].span == self.event.span  # type: ignore[union-attr]  # once more
        again = again or (before is not None and before.by_state)
        if before is not None and before.why != "scope" and not given_back and not again:
            self.report("ended again", name, before, pointer.block, through=through)
        elif before is None:
            self.released_while_owned(draft, pointer, how)
        draft.end(pointer.block, how)

    def destroy(self, draft: MemoryDraft, pointer: Pointer, cls: Class | None) -> None:
        """What the destructor of an object does to what it points to."""
        if cls is None or cls.record.destructor != "defined" or pointer in (LOST, NULL):
            return

        def given(name: str, path: Path) -> Pointer | None:
            return pointer if name == THIS and not path else None

        for method in cls.defined(f"~{cls.name}"):
            known = self.summary_of(method, deep=False)
            for one in known.runs:
                running = self.running(draft, self.translated(draft, one.called, given) or LOST, one.given and ())
                if running is not None:
                    self.run_value(draft, r.Call(self.event.span.start, self.event.span.end, _NO_NAME, ()), running)
            for block, how in known.ends:
                found = self.translated(draft, block, given)
                if found is not None:
                    name = str(block[2][-1]) if block[0] == "in" and block[2] else ""
                    ended = EndedBlock(self.event.index, "destructor", f"~{cls.name}", how.certainty, how.kind)
                    self.end_block(draft, found, ended, name, f"~{cls.name}")

    def held_paths(self, cls: Class | None) -> Iterator[Path]:
        """Members of an object of the class that lead to what its destructor ends."""
        for method in cls.defined(f"~{cls.name}") if cls is not None else ():
            for block, _ in self.summary_of(method, deep=False).ends:
                if block[0] == "in" and block[1] == THIS_BLOCK and block[2]:
                    yield block[2]

    def end_variable(self, draft: MemoryDraft, name: str) -> None:
        written = (self.declared(name) or ("", None))[0]
        own = Cell(("var", name))
        if "smart pointer" in self.program.types.roles(written, self.function):
            self.end_held(draft, own, NULL, name)
        elif name in self.function.released_at_end:
            self.end_cleaned(draft, own, name)
        elif name in self.sharing:
            self.end_shared(draft, own, NULL, name)
        elif self.is_container(written) and name in self.plain_objects:
            within = self.elements(draft, own)
            if within is not None:
                draft.end(within.block, EndedBlock(self.event.index, "scope", name))
        elif not types.parse(written).pointers and written:
            before = draft.how_ended(own.block)
            if before is not None and before.why == "destroyed" and self.has_destructor(written):
                self.report("ended again", name, before, own.block)
            else:
                self.destroy(draft, own, self.class_of(written))
        draft.end(own.block, EndedBlock(self.event.index, "scope", name))

    def end_cleaned(self, draft: MemoryDraft, own: Cell, name: str) -> None:
        """A local goes whose attribute says that it is released then: what was released before is so again."""
        held = draft.cells.get(own, LOST)
        before = draft.how_ended(held.block)
        if held in (LOST, NULL) or held.path or before is None or before.why != "released" or before.failed:
            return
        why = f"that its declaration releases `{name}` at the end of its scope is inferred from a name"
        self.report("ended again", name, before, held.block, because("unread-code", why))

    def end_held(self, draft: MemoryDraft, owner: Cell | None, then: Pointer, name: str = "") -> None:
        """A smart pointer gives up what it holds."""
        if owner is None:
            return
        held = draft.read(owner) if owner.block[0] == "in" else draft.cells.get(owner, LOST)
        if held != then and held.block[0] in ("made", "in"):
            self.end_block(draft, held, EndedBlock(self.event.index, "owner", name), name)

    def end_shared(self, draft: MemoryDraft, owner: Cell, then: Pointer, name: str) -> None:
        """A shared pointer gives up what it holds, which ends where no other one holds it."""
        held = draft.cells.get(owner, LOST)
        others = (Cell(("var", other)) for other in self.sharing if other != name)
        if held != then and held.block[0] == "made" and all(draft.read(other) != held for other in others):
            self.end_block(draft, held, EndedBlock(self.event.index, "owner", name), name)
        draft.write(owner, then)

    @cached_property
    def sharing(self) -> frozenset[str]:
        """Locals that are shared pointers and that nothing is copied from but others of these: nobody else holds what
        they hold."""
        function = self.function
        kinds = self.program.types
        found = {
            name
            for name, (written, held) in function.locals.items()
            if self.is_own(name)
            and "shared pointer"
            in kinds.roles(kinds.of(held, function) if types.parse(written).is_placeholder else written, function)
        }
        if not found:
            return frozenset()
        asked, given = Counter[str](), list[tuple[str, str]]()
        mentioned = Counter(one.text for one in function.values if isinstance(one, r.Name))
        for one in function.values:
            match one:
                case r.Member(base=r.Name(text=name)) | r.Unary(op="*", value=r.Name(text=name)):
                    asked[name] += 1
                case r.Assign(op="=", target=r.Name(text=name), value=value):
                    asked[name] += 1
                    if isinstance(value, r.Name):
                        given.append((value.text, name))
        given += [(held.text, name) for name, (_, held) in function.locals.items() if isinstance(held, r.Name)]
        while True:
            asked_for = asked + Counter(held for held, name in given if name in found)
            kept = {name for name in found if mentioned[name] == asked_for[name]}
            if kept == found:
                return frozenset(found)
            found = kept

    def has_destructor(self, written: str) -> bool:
        """Whether it is a class of the project that does something when its objects end."""
        cls = self.class_of(written)
        return cls is not None and cls.record.destructor in ("defined", "declared")

    def class_of(self, written: str) -> Class | None:
        """The project's class of that name."""
        return class_of(self.function, written)

    def expanded(self, written: str) -> str:
        return self.program.names.expand(written, self.function.file, self.function.record.scope)

    # --- what others see ---

    def is_own(self, name: str) -> bool:
        return name in self._own_names

    @cached_property
    def _own_names(self) -> frozenset[str]:
        return _own_names(self.function) - self.statics

    def is_seen(self, block: Block) -> bool:
        """Whether the caller sees the block, too."""
        start = root(block)
        if start[0] != "var" or (self.counting and is_varying(steps_to(block))):
            return False
        name = start[1]
        return not self.is_own(name) or (block != start and name in self._parameters)

    @cached_property
    def _parameters(self) -> frozenset[str]:
        return self.function.parameter_names | {THIS}

    def is_private(self, block: Block) -> bool:
        """Whether nobody else can write to the block."""
        return block[1] in self._private_names if block[0] == "var" else block[0] in ("result", "range", "bound")

    @cached_property
    def _private_names(self) -> frozenset[str]:
        return (self._own_names - (self.shared - self.references)) | {THIS}

    @cached_property
    def shared(self) -> frozenset[str]:
        return _shared(self.function)

    @cached_property
    def counting(self) -> frozenset[str]:
        named = self.spans.indexes & self.function.locals.keys()
        return named - self.references - self.hidden - self.shared if named else named

    def is_followed(self, block: Block) -> bool:
        """Whether memory that may end can be come by from the block."""
        return block[0] != "var" or not self.is_own(block[1]) or block[1] in self.relevant

    def is_led_to_later(self, block: Block) -> bool:
        """Whether something of which nothing is known may lead to the variable when its scope has ended: whatever has
        got its address."""
        return self.is_followed(block) and (block[1] in self.shared or block[1] in self.references)

    @cached_property
    def relevant(self) -> frozenset[str]:
        """Locals that may lead to memory which ends here."""
        return relevant(self.function)

    def shake(self, draft: MemoryDraft, node: r.Call, callee: Callee) -> None:
        """Somebody may have changed what others see."""
        self.writes = True
        name = last_name(node.callee)
        told = {cell.block for cell in draft.cells} | {one[1] for one in draft.ended if one[0] == "in"}
        told |= {pointer.block[1] for pointer in draft.cells.values() if pointer.block[0] == "in"}
        spared: dict[Block, frozenset[str]] = {}
        for one in self._parameters:
            block: Block = ("in", ("var", one), ())
            if block in told and self.is_private(block[1]) and draft.read(Cell(block[1])) == Pointer(block):
                changed = self.may_change(one, node, callee)
                if changed is not unknown_calls.ALL:
                    spared[block] = changed
        draft.shake(spared, because("unread-code", f"it is not known that `{name}` leaves the member unchanged"))

    def may_change(self, name: str, node: r.Call, callee: Callee) -> frozenset[str] | None:
        key = name, id(node), id(callee)
        if key not in self.changed:
            self.changed[key] = unknown_calls.may_change(self.function, name, node, callee), node, callee
        return self.changed[key][0]

    def note_write(self, where: Cell | None) -> None:
        """The cell holds another pointer, which the caller may see."""
        if where is not None and self.is_private(where.block):
            return
        if where is None or is_varying(where.path) or where.block[0] != "in" or not self.is_seen(where.block):
            self.writes = True
        else:
            self.written.add(where)

    # --- calls ---

    def call(self, event: e.CallEvent, draft: MemoryDraft) -> bool:
        """Whether the way goes on behind the call."""
        node = event.node
        if node.kind == "delete":
            self.delete(draft, node)
            return True
        self.given_away = []
        if self.offer(draft, node) or strip(node) is not node:
            return True
        if event.index not in self.called:
            self.called[event.index] = overrides.reached(node, self.function), never_comes_back(self.function, node)
        callee, is_last = self.called[event.index]
        if self.counts:
            self.share(draft, node, callee)
        if is_last:
            return False
        if node.kind == "new":
            self.make(event, draft)
        elif node.kind == "construct" or self.makes_owner(node):
            self.construct(draft, node)
        elif isinstance(node.callee, r.Member) and node.callee.name.startswith("~"):
            self.destruct(draft, node.callee)
        else:
            self.ordinary(draft, node, callee)
        for argument in node.args:
            self.move_out(draft, argument)
        self.regain_at_call(draft, node, callee)
        erasing.erase(draft, self.function, event)
        for where, how in self.given_away:
            draft.end(content(where), how)
        self.bind(draft, node)
        if (node.start, node.end) in self.spans.dereferenced:
            self.looked_at(draft, self.pointer(draft, node), node)
        return True

    @cached_property
    def counts(self) -> bool:
        """Whether the function deals in what is counted; of a lambda, the one around it may."""
        return sharing.counts(self.function)

    def share(self, draft: MemoryDraft, node: r.Call, callee: Callee) -> None:
        """What a call is given may have another owner from here on; what a function of the project does with it that
        is walked, its summary says."""
        runs = self.run_by_call(draft, node, callee)
        if runs is None and node.kind != "new" and self.members_of(spelled(node)):
            return  # `Slot(h, 3)` is made of copies of what it is given
        for index, argument in enumerate(node.args):
            block = self.given_block(draft, argument)
            meant = callee if runs is None else _callee_of(runs)
            if block is None:
                continue
            given_to = self.given_to.setdefault(sharing.named_by(block), {})
            given_to[id(node), index] = node, index, meant, runs

    def is_co_owned(self, named: Block | Cell) -> bool:
        """Whether there may be another reference to it by now."""
        given_to = self.given_to.pop(named, {})
        if named not in self.co_owned and any(self.is_shared_by(*one) for one in given_to.values()):
            self.co_owned.add(named)
        return named in self.co_owned

    def is_shared_by(self, node: r.Call, index: int, meant: Callee, runs: Function | None) -> bool:
        """Whether a call may take another reference to what it is given; `runs` is the function of the project that it
        runs, whose own walk says so where it is followed."""
        if not sharing.may_share(node, index, meant, self.function):
            return False
        is_walked = runs is not None and runs is not self.function and sharing.is_followed_there(runs, index)
        return runs is None or not (is_walked and self.summary_of(runs, deep=False).known)

    def given_block(self, draft: MemoryDraft, argument: r.Value) -> Block | None:
        """What an argument leads to, also a parameter that is not followed and never assigned to."""
        pointer, bare = self.pointer(draft, argument), strip(argument)
        if pointer is LOST and isinstance(bare, r.Name) and bare.text in self._parameters:
            return ("in", ("var", bare.text), ()) if f"={bare.text}" not in self.function.mentioned else None
        return pointer.block if pointer.block[0] in ("in", "late", "made") and not pointer.path else None

    def run_by_call(self, draft: MemoryDraft, node: r.Call, callee: Callee) -> Function | None:
        """The one function of the project that the call runs: by its name, as a constructor, or as what a value leads
        to."""
        if callee.only is not None:
            return callee.only
        if callee.functions or callee.models:
            return None
        if node.kind == "call" and (not isinstance(node.callee, r.Name) or self.is_variable(node.callee.text)):
            held = self.pointer(draft, node.callee)
            running = self.running(draft, held) if held.block[0] != "bound" else None
            return running.function if running is not None else None
        return self.constructor_of(node)

    def make(self, event: e.CallEvent, draft: MemoryDraft) -> None:
        """`new T(x)`: the object can hold what it is made of."""
        node = event.node
        made = draft.begin(("made", event.index, "new"))
        written = node.callee.text if isinstance(node.callee, r.Name) else ""
        if len(node.args) == 1 and not SMART.isdisjoint(self.program.types.roles(written, self.function)):
            draft.put(made, self.pointer(draft, node.args[0]))
        else:
            self.construct_at(draft, node, made)
        self.answer(draft, node, made)

    def construct_at(self, draft: MemoryDraft, node: r.Call, made: Pointer) -> bool:
        """What a constructor of the project leaves in the object; whether it is known."""
        meant = self.constructor_of(node)
        if meant is None:
            return False
        self.constructed = made
        self.own(draft, node, _callee_of(meant), meant)
        self.constructed = None
        return True

    def constructor_of(self, node: r.Call) -> Function | None:
        """The constructor that is meant, of a class whose objects end what they hold."""
        written = node.callee.text if isinstance(node.callee, r.Name) else ""
        if not written or not node.args or not ends_what_it_holds(self.function, written):
            return None
        cls = self.class_of(written)
        meant = [one for one in cls.constructors if self.can_take(one, node)] if cls is not None else []
        return meant[0] if len(meant) == 1 else None

    def can_take(self, constructor: Function, node: r.Call) -> bool:
        """Whether the constructor has places for these arguments: no copy is made of a pointer."""
        parameters = constructor.record.parameters
        if not sum(one.default is None for one in parameters) <= len(node.args) <= len(parameters):
            return False
        for parameter, argument in zip(parameters, node.args, strict=False):
            taken = types.parse(parameter.type)
            given = types.parse(self.type_of(argument))
            if given.name and given.pointers != taken.pointers and taken.last == constructor.name:
                return False
        return True

    def bind(self, draft: MemoryDraft, node: r.Value) -> None:
        raise NotImplementedError

    def answer(self, draft: MemoryDraft, call: r.Call, pointer: Pointer) -> None:
        own = Cell(("result", call.start, call.end))
        if pointer not in (LOST, NULL):
            draft.put(own, pointer)
        else:
            draft.remove(own)

    def delete(self, draft: MemoryDraft, node: r.Call) -> None:
        pointer = self.pointer(draft, node.args[0]) if node.args else LOST
        written = types.parse(self.type_of(node.args[0])) if node.args else None
        if written is not None and pointer.block not in draft.ended:
            if "smart pointer" in self.program.types.roles(written.name, self.function) and pointer not in (LOST, NULL):
                self.end_held(draft, pointer, NULL, self.named(node.args[0]))
            cls = self.program.names.find_class(written.name, self.function.record.scope, self.function.file)
            self.destroy(draft, pointer, cls)
        by = "delete" if written is not None and _is_room(written) else ""
        self.end_block(draft, pointer, EndedBlock(self.event.index, "released", by), self.named(node.args[0]))

    def construct(self, draft: MemoryDraft, node: r.Call) -> None:
        first = node.args[0] if node.args else None
        if isinstance(first, r.Pair):  # `new (place) T`
            place = self.pointer(draft, first.value)
            if place is not LOST:
                for one in [one for one in draft.ended if is_within(one, place.block)]:
                    draft.revive(one)
            self.answer(draft, node, place)
            return
        roles = self.program.types.roles(node.callee.text, self.function) if isinstance(node.callee, r.Name) else ()
        if len(node.args) == 1 and not OWNERS.isdisjoint(roles):
            self.adopt(draft, first, spelled(node))
        if not SMART.isdisjoint(roles):
            self.answer(draft, node, self.pointer(draft, first) if first is not None else NULL)
        elif (running := self.run_by(draft, node)) is not None:
            self.answer(draft, node, running)
        elif self.members_of(spelled(node)):
            self.answer(draft, node, LOST)
        elif not self.construct_at(draft, node, Pointer(_result(node).block)):
            self.lend_arguments(draft, node, None)
            self.answer(draft, node, LOST)

    def destruct(self, draft: MemoryDraft, callee: r.Member) -> None:
        target = self.pointer(draft, callee.base) if callee.arrow else self.cell(draft, callee.base)
        if target is not None:
            own = self.declared(callee.base.text) if isinstance(callee.base, r.Name) else None
            written = own[0] if own is not None else self.type_of(callee.base)
            self.destroy(draft, target, self.class_of(types.parse(written).name))
            how = EndedBlock(self.event.index, "destroyed", callee.name)
            self.end_block(draft, target, how, self.named(callee.base))

    def ordinary(self, draft: MemoryDraft, node: r.Call, callee: Callee) -> None:
        inside = macro_calls.written_out(node, self.program) if not callee.functions else ()
        for one in inside:
            if isinstance(one, r.Assign):
                where = self.cell(draft, one.target)
                draft.write(where, NULL)
                self.note_write(where)
            elif one.kind == "delete":
                self.delete(draft, one)
            else:
                self.ordinary(draft, one, self.program.calls.callee(one, self.function))
        if inside:
            return
        self.look_at_receiver(draft, node)
        if isinstance(node.callee, r.Name):
            self.read_moved(draft, node.callee)
        if not callee.functions and not self.program.macros.named(last_name(node.callee)):
            self.look_at_gone(draft, node)
        if self.calls_value(draft, node, callee):
            return
        if callee.models and not callee.functions:
            self.modelled(draft, node, callee.models)
        elif not callee.functions and self.construct_at(draft, node, Pointer(_result(node).block)):
            pass
        elif callee.only is not None:
            self.own(draft, node, callee, callee.only)
        else:
            self.unknown(draft, node, callee)

    def swap(self, draft: MemoryDraft, one: r.Value, other: r.Value) -> None:
        """Each place has what stood in the other; what lies inside of both is lost."""
        places = self.cell(draft, one), self.cell(draft, other)
        held = draft.read(places[0]), draft.read(places[1])
        for where, then in zip(places, reversed(held), strict=True):
            draft.write(where, then)
            self.note_write(where)

    def look_at_gone(self, draft: MemoryDraft, node: r.Call) -> None:
        """A pointer to a local whose scope has ended is no use to anybody."""
        for argument in node.args:
            if isinstance(strip(argument), r.Name):
                pointer = self.pointer(draft, argument)
                ended = draft.how_ended(pointer.block)
                if ended is not None and ended.why == "scope":
                    self.look(draft, pointer, self.named(argument), because("path", GIVEN_ON))

    def calls_value(self, draft: MemoryDraft, node: r.Call, callee: Callee) -> bool:
        """Whether what is called is no function by its name, but what a value leads to that is known on this way."""
        if isinstance(node.callee, r.Name) and not self.is_variable(node.callee.text):
            return False
        is_own = isinstance(node.callee, r.Name) and self.is_own(node.callee.text)
        if not is_own and (callee.functions or callee.models):
            return False
        if isinstance(node.callee, r.Member) and not self.may_be_field(node.callee):
            return False
        held = self.pointer(draft, node.callee)
        running = self.running(draft, held, tuple(self.pointer(draft, one) for one in node.args))
        if running is not None:
            if held.block[0] != "bound":
                running = RunningFunction(running.function)
            self.run_value(draft, node, running)
            return True
        if callee.functions or not self.is_seen(held.block):
            return False
        self.note_run(draft, held.block, tuple(self.pointer(draft, one) for one in node.args))
        writes = self.writes
        self.unknown(draft, node, callee)
        self.writes = writes
        return True

    def is_variable(self, name: str) -> bool:
        """Whether it names something that holds a value, and no function."""
        home = self.function.home
        if self.declared(name) is not None or (home is not None and home.field(name) is not None):
            return True
        return bool(self.program.index.variables_called(qualified.last(name)))

    def may_be_field(self, callee: r.Member) -> bool:
        """Whether what is called on an object is something that it holds, and no method: a field of its class. What is
        called in C always is."""
        if self.function.file.is_c:
            return True
        written = self.type_of(callee.base)
        cls = self.program.names.find_class(types.parse(written).name, self.function.record.scope, self.function.file)
        return cls is not None and cls.field(callee.name) is not None

    def note_run(self, draft: MemoryDraft, called: Block, given: tuple[Pointer, ...]) -> None:
        """The caller knows which function it is."""
        one = RunValue(called, tuple(g if g == NULL or g.is_number or self.is_seen(g.block) else LOST for g in given))
        draft.know(self.ran.setdefault(one, f"{NOTHING}has run {one!r}"), True)

    def run_value(
        self, draft: MemoryDraft, node: r.Call, running: RunningFunction, sure: Certainty = "certain"
    ) -> None:
        """A function is called that is not named by the call."""
        name, function = last_name(node.callee) or running.function.name, running.function
        if running.given is not None:
            node = r.Call(node.start, node.end, node.callee, ())
        around, self.runs = self.runs, running
        self.own(draft, node, Callee(name, (function.record,), (function,), (), sure), function)
        self.runs = around

    def is_callable(self, draft: MemoryDraft, value: r.Value) -> bool:
        return self.running(draft, self.pointer(draft, value), ()) is not None

    def by_reference(self, call: r.Call) -> bool:
        if isinstance(call.callee, r.Name) and self.is_own(call.callee.text):
            made = strip((self.declared(call.callee.text) or ("", None))[1])
            if isinstance(made, r.Lambda):
                inner = self.program.index.function_at(self.function.file, made.function)
                return inner is not None and types.parse(inner.record.result).reference
        return super().by_reference(call)

    def look_at_receiver(self, draft: MemoryDraft, node: r.Call) -> None:
        if not isinstance(node.callee, r.Member):
            return
        base = node.callee.base
        if node.callee.arrow:
            self.looked_at(draft, self.pointer(draft, base, look=True), base)
        else:
            where = self.cell(draft, base, look=True)
            if where is not None and where.block != THIS_BLOCK:
                self.looked_at(draft, where, base)

    # --- what libraries do ---

    def modelled(self, draft: MemoryDraft, node: r.Call, models: tuple[FunctionModel, ...]) -> None:
        answer = LOST
        told: set[Effect] = set()
        self.look_at_needed(draft, node, models)
        for one in dict.fromkeys(effects.by_models(node, models, self.program)):
            self.released(draft, node, one)
        for model in models:
            for effect in model.effects:
                if effect in told:  # one function under two names
                    continue
                told.add(effect)
                where = str(effect.place)
                if effect.verb == "acquire" and effect.place is not None and effect.place.kind == "argument":
                    self.fill(draft, node, effect.place.index)
                elif effect.verb in ("acquire", "own") and where == "result":
                    answer = draft.begin(("made", self.event.index, "result"))
                    if self.counts and sharing.is_shared(node, self.function):
                        self.co_owned.add(answer.block)
                    self.taken_by_result(draft, node, model, answer)
                elif effect.verb == "clear" and effect.place is not None and effect.place.index >= 0:
                    self.replace(draft, node, effect.place.index, NULL)
                elif effect.verb == "adopt" and model.has("release", str(effect.other)) and effect.other is not None:
                    self.replace(draft, node, effect.other.index, self.given_at(draft, node, effect.place))
                elif effect.verb == "disown" and where == "receiver":
                    answer = self.give_up(draft, node)
                elif effect.verb == "keep" and where == "argument 1" and node.args:
                    self.keep_in_container(draft, node)
                elif effect.verb == "invalidate" and where == "receiver":
                    self.invalidate(draft, node, model)
                elif effect.verb == "move":
                    answer = self.exchange(draft, node)
                elif effect.verb == "bind" and node.args:
                    answer = self.bind_arguments(draft, node)
                elif effect.verb == "call" and str(effect.other) == "arguments" and effect.place is not None:
                    self.call_argument(draft, node, effect.place.index)
                elif effect.verb == "swap" and len(node.args) == 2:
                    self.swap(draft, *node.args)
                elif effect.verb == "returns" and answer is LOST:
                    answer = self.given_at(draft, node, effect.place)
                elif effect.verb == "borrow" and where == "result" and answer is LOST:
                    answer = self.lent(draft, node, effect.other)
        if (dropping := next(filter(drops, models), None)) is not None:
            self.drop_items(draft, node, dropping.has("erase"))
        if any(model.has("erase") or model.has("clear", "receiver") for model in models):
            self.forget_elements(draft, node)
        if any(model.has("clear", "receiver") and not model.has("invalidate") for model in models):
            inside = self.inside_receiver(draft, node, ELEMENTS)  # somebody else has them now
            if inside is not None:
                draft.put(inside, draft.begin(("made", self.event.index, "elements")))
        if any(model.makes_room for model in models) and (inside := self.inside_receiver(draft, node, ROOM)):
            draft.put(inside, Pointer(("number", "1")))
        self.answer(draft, node, answer)

    def call_argument(self, draft: MemoryDraft, node: r.Call, index: int) -> None:
        """A library's function calls what it is given with the arguments behind that."""
        if index < len(node.args):
            called, *given = (self.pointer(draft, one) for one in node.args[index:])
            running = self.running(draft, called, tuple(given))
            if running is not None:
                self.run_value(draft, node, running)
            elif self.is_seen(called.block):
                self.note_run(draft, called.block, tuple(given))

    def forget_elements(self, draft: MemoryDraft, node: r.Call) -> None:
        """A container whose elements stay where they are has fewer of them."""
        if self.keeps_place(self.receiver_type(node)) and (inside := self.inside_receiver(draft, node, SOME)):
            draft.write(inside, LOST)

    def replace(self, draft: MemoryDraft, node: r.Call, index: int, then: Pointer) -> None:
        """A macro that is given a place assigns to it: `Py_CLEAR(x)`, `Py_SETREF(x, y)`."""
        if index < len(node.args):
            where = self.cell(draft, node.args[index])
            draft.write(where, then)
            self.note_write(where)

    def given_at(self, draft: MemoryDraft, node: r.Call, place: Place | None) -> Pointer:
        index = place.index if place is not None else -1
        return self.pointer(draft, node.args[index]) if 0 <= index < len(node.args) else LOST

    def exchange(self, draft: MemoryDraft, node: r.Call) -> Pointer:
        """`std::exchange(x, y)`: answers with what was there."""
        where = self.cell(draft, node.args[0]) if len(node.args) == 2 else None
        held = draft.read(where)
        if where is not None:
            draft.write(where, self.pointer(draft, node.args[1]))
            self.note_write(where)
        return held

    def look_at_needed(self, draft: MemoryDraft, node: r.Call, models: tuple[FunctionModel, ...]) -> None:
        """What a library's function works on has to be there."""
        for model in models:
            for effect in model.effects:
                index = (
                    effect.place.index if effect.verb in ("needs", "use", "adopt") and effect.place is not None else -1
                )
                if 0 <= index < len(node.args):
                    pointer = self.pointer(draft, node.args[index])
                    if pointer.path in ((), (SOME,)):
                        self.look(draft, pointer, self.named(node.args[index]), model.certainty, model.name)
        for index, argument in enumerate(node.args if self.deep or (draft.ended and self.counts) else ()):
            if sharing.is_lent(node, index, self.function):
                self.look(draft, self.pointer(draft, argument), self.named(argument))

    def needs_argument(self, call: r.Call, index: int) -> bool:
        callee = self.program.calls.callee(call, self.function)
        if index == 0 and effects.needs_first(callee, self.program):
            return True
        if len(callee.functions) == 1 and index < len(callee.functions[0].record.parameters):
            given: Block = ("in", ("var", callee.functions[0].record.parameters[index].name), ())
            return given in self.summary_of(callee.functions[0], deep=True).uses
        verbs: tuple[Verb, ...] = ("needs", "use", "adopt")
        return any(model.has(verb, f"argument {index + 1}") for model in callee.models for verb in verbs)

    def released(self, draft: MemoryDraft, node: r.Call, one: effects.ReleaseEffect) -> None:
        """A library's function, or half a pair, ends what it is given, or what stands at the address."""
        if references(self.program).use(node, one.at, self.function) not in ("", "released"):
            return
        argument = node.args[one.at]
        held = self.pointer(draft, argument)
        how = EndedBlock(self.event.index, "released", one.by, one.certainty, one.kind, one.may_fail)
        addressed = strip(argument)
        if isinstance(addressed, r.Unary) and addressed.op == "&":
            by_address = one.by_address or self.is_handle(addressed.value, one) == "pointer"
        else:
            by_address = one.by_address
        if by_address:
            where = self.real(held)
            held = draft.read(where)
            self.end_block(draft, held, how, self.named(argument))
            draft.write(where, NULL)
        elif self.is_handle(argument, one):
            self.end_block(draft, held, how, self.named(argument))

    def is_handle(self, value: r.Value, one: effects.ReleaseEffect) -> Literal["", "pointer", "value"]:
        """Whether the value can be a handle, by its type: a pointer, what a library calls so, a type out of sight, or a
        number where such a thing is named by one."""
        written = self.type_of(value)
        kind = types.parse(written)
        if not kind.name or kind.pointers:
            return "pointer" if kind.pointers else "value"
        if kind.is_scalar:
            return "value" if one.kind.number else ""
        roles = self.program.types.roles(written, self.function)
        if roles or kind.arguments:
            return "value" if "handle" in roles else ""
        cls = self.class_of(kind.name)
        return "value" if cls is None or releases_nothing(cls.record) else ""

    def fill(self, draft: MemoryDraft, node: r.Call, index: int) -> None:
        """A new object is handed out where the argument points to, or in the place that it is."""
        if not 0 <= index < len(node.args):
            return
        argument = node.args[index]
        written = types.parse(self.type_of(argument))
        is_place = bool(written.name) and not written.pointers
        where = self.cell(draft, argument) if is_place else self.real(self.pointer(draft, argument))
        if where is not None:
            if not where.path:
                draft.revive(where.block)
            draft.write(where, draft.begin(("made", self.event.index, f"argument {index + 1}")))

    def inside_receiver(self, draft: MemoryDraft, node: r.Call, step: str) -> Cell | None:
        if not isinstance(node.callee, r.Member):
            return None
        base = node.callee.base
        where = self.pointer(draft, base) if node.callee.arrow else self.cell(draft, base)
        if where in (None, LOST, NULL):
            return None
        assert where is not None
        return Cell(where.block, (*where.path, step))

    @remembered
    def receiver_type(self, node: r.Call) -> str:
        if not isinstance(node.callee, r.Member):
            return ""
        written = self.type_of(node.callee.base)
        return types.element(written) if node.callee.arrow else written

    def give_up(self, draft: MemoryDraft, node: r.Call) -> Pointer:
        if not isinstance(node.callee, r.Member):
            return LOST
        if "thread" in self.program.types.roles(self.receiver_type(node), self.function):
            self.detach(draft, node.callee.base)
            return LOST
        where = self.cell(draft, node.callee.base)
        held = draft.read(where)
        draft.write(where, NULL)
        self.note_write(where)
        self.let_go(draft, held)
        return held

    def keep_in_container(self, draft: MemoryDraft, node: r.Call) -> None:
        if isinstance(node.callee, r.Member) and named(node.callee.base) in self.gathering:
            one = Cell(("var", named(node.callee.base)), (ONE,))
            draft.put(one, self.pointer(draft, node.args[0]) if draft.cells.get(one, LOST) == NULL else LOST)
        kept, held = self.inside_receiver(draft, node, KEPT), self.pointer(draft, node.args[0])
        if kept is not None and isinstance(node.callee, r.Member):
            self.keep_lambda(draft, kept, held, node.callee.base, types.element(self.receiver_type(node)))

    def invalidate(self, draft: MemoryDraft, node: r.Call, model: FunctionModel) -> None:
        if model.has("erase"):
            return  # of an associative container: the other elements stay
        if self.is_behind_another(node):
            return  # what stands in front of an erased element stays where it is
        written = self.receiver_type(node)
        if isinstance(node.callee, r.Member) and "smart pointer" in self.program.types.roles(written, self.function):
            where = self.cell(draft, node.callee.base)
            then = self.pointer(draft, node.args[0]) if node.args else NULL
            self.end_held(draft, where, then, self.named(node.callee.base))
            if len(node.args) == 1:
                self.adopt(draft, node.args[0], written)
            draft.write(where, then)
            self.note_write(where)
            return
        if isinstance(node.callee, r.Member) and named(node.callee.base) in self.sharing and not node.callee.arrow:
            then = self.pointer(draft, node.args[0]) if node.args else NULL
            self.end_shared(draft, Cell(("var", named(node.callee.base))), then, named(node.callee.base))
            return
        inside = self.inside_receiver(draft, node, ELEMENTS) if self.is_container(written) else None
        if inside is None:
            return
        room = draft.cells.get(Cell(inside.block, (*inside.path[:-1], ROOM)), LOST)
        if model.has("keep") and room is not LOST:
            return
        if self.stands_in_front(draft, node, inside):
            return
        takes_out = any(effect.verb == "invalidate" and effect.mode == "deep" for effect in model.effects)
        doubt = _MAY_STAND_BEFORE if takes_out else self.room_doubt(node)
        how = EndedBlock(self.event.index, "moved", self.named(node.callee), doubt)
        self.forget_compared(draft, node, inside)
        self.elements_moved(draft, inside, how)
        self.note_write(inside)

    def room_doubt(self, node: r.Call) -> Certainty:
        """What is assumed of the capacity of a container that is given another element."""
        grown = node.callee.base if isinstance(node.callee, r.Member) else None
        return _MAY_HAVE_ROOM if grown is not None and may_be_reserved(self.function, grown) else _NO_ROOM

    @staticmethod
    def elements_moved(draft: MemoryDraft, inside: Cell, how: EndedBlock) -> None:
        if not draft.follows(inside.block):
            return  # where the new elements are cannot be said, and so nothing of the old ones
        before = draft.read(inside)
        if before is not LOST:
            draft.end(before.block, how)
        draft.put(inside, draft.begin(("made", how.at, f"elements of {'.'.join(inside.path[:-1])}")))

    def forget_compared(self, draft: MemoryDraft, node: r.Call, inside: Cell) -> None:
        """Forgets the iterators that were compared with the one at whose place elements are erased or put: the function
        knows which of them are good afterwards. `is_behind = it >= at; at = all.erase(at); if (is_behind) it = at;`."""
        place = strip(node.args[0]) if node.args else None
        if not isinstance(place, r.Name) or place.text not in self.function.declared:
            return
        block = draft.read(inside).block
        for name in _compared_with(self.function).get(place.text, ()):
            cell = Cell(("var", name))
            if draft.read(cell).block == block:
                draft.put(cell, LOST)

    def is_behind_another(self, node: r.Call) -> bool:
        """Whether what is erased was found from an element in front of it: `next = it + 1; all.erase(next)`."""
        if not node.args or last_name(node.callee) != "erase":
            return False
        found = strip(node.args[0])
        if isinstance(found, r.Name):
            found = strip(self.function.locals.get(found.text, ("", None))[1])
        if isinstance(found, r.Binary) and found.op == "+":
            from_element = strip(found.left)
        elif isinstance(found, r.Call) and last_name(found.callee) == "next" and found.args:
            from_element = strip(found.args[0])
        else:
            return False
        return isinstance(from_element, r.Name) and from_element.text in self.function.locals

    def stands_in_front(self, draft: MemoryDraft, node: r.Call, inside: Cell) -> bool:
        """Whether all that is known to point to the elements stays where it is: the iterator from whose place the
        erased one was stepped on, and that one itself, which gets the answer: `next = at; ++next; next =
        all.erase(next);`."""
        if len(node.args) != 1 or last_name(node.callee) != "erase" or not isinstance(strip(node.args[0]), r.Name):
            return False
        name = named(node.args[0])
        fronts = self.stepped_on_from(node, name)
        block = draft.read(inside).block
        staying = {Cell(("var", one)) for one in fronts | {name}} | {inside}
        return bool(fronts) and all(
            cell in staying or cell.block[0] == "result"  # of a call, in a statement before
            for cell, held in draft.cells.items()
            if held.block == block
        )

    def stepped_on_from(self, node: r.Call, name: str) -> frozenset[str]:
        """The locals that the iterator is copied from and then stepped on from, however the call is reached; nothing
        where it gets anything else but the call's answer, or where one of them may have caught up."""
        flow, begins, steps, answers = self.function.flow, dict[int, tuple[e.Write, str]](), set[int](), False
        for write in flow.writes_to((name,)):
            value = strip(write.value)
            if isinstance(value, r.Name) and write.op == "=" and value.text in self.function.locals:
                begins[write.index] = write, value.text
            elif write.op == "++":
                steps.add(write.index)
            elif value is node:
                answers = True
            elif not (write.fresh and write.value is None):
                return frozenset()
        fronts = frozenset(front for _, front in begins.values())
        moved = [one for front in fronts for one in flow.writes_to((front,)) if isinstance(one.target, r.Name)]
        late = [one for begin, _ in begins.values() for one in flow.after(begin, lambda event: event.index in steps)]
        late += [one for write in moved for one in flow.after(write, lambda event: event.index in begins)]
        return fronts if answers and all(one is not self.event for one in late) else frozenset()

    def lent(self, draft: MemoryDraft, node: r.Call, lender: Place | None) -> Pointer:
        """What a call answers that borrows it from its receiver or from an argument."""
        if lender is not None and lender.kind == "receiver":
            if not self.is_container(self.receiver_type(node)):
                return LOST
            inside = self.inside_receiver(draft, node, ELEMENTS)
            around = draft.read(inside)
            return Pointer(around.block, (SOME,)) if around is not LOST else LOST
        if lender is not None and lender.kind == "argument" and 0 <= lender.index < len(node.args):
            lending = node.args[lender.index]
            if self.is_container(self.type_of(lending)):
                within = self.elements(draft, self.cell(draft, lending))
                return Pointer(within.block, (SOME,)) if within is not None else LOST
            given = self.pointer(draft, lending)
            if given.path[-1:] == (SOME,) or given is LOST or given is NULL:
                return given
            if sharing.lends_item(node, self.function):
                step = self.step_of(node.args[1:2])
                return draft.read(Cell(given.block, (*given.path, step if step != SOME else f"[@{node.start}]")))
            # What is counted has elements with counts of their own.
            return LOST if self.counts else Pointer(given.block, (*given.path, SOME))
        return LOST

    def drop_items(self, draft: MemoryDraft, node: r.Call, is_one: bool) -> None:
        """A container that counts lets go what it has lent: all, or the item that the second argument names."""
        given = self.pointer(draft, node.args[0]) if node.args else LOST
        step = self.step_of(node.args[1:2]) if is_one else ITEMS
        if given not in (LOST, NULL) and step != SOME:
            self.drop_inside(draft, Cell(given.block, (*given.path, step)), last_name(node.callee))

    def drop_inside(self, draft: MemoryDraft, inside: Cell, by: str) -> None:
        """An item of a container that counts, or all of them, may end, since it has them no more."""
        how = EndedBlock(self.event.index, "erased", by, _MAY_BE_KEPT, REFERENCE)
        if inside.path[-1] == ITEMS:
            draft.end(("in", inside.block, inside.path), how)
        for item in sorted({one.block for one in draft.cells.values()}, key=repr):
            home = home_of(item)
            if home is None or home.block != inside.block or home.path[:-1] != inside.path[:-1]:
                continue
            if home.path[-1] == inside.path[-1] or (inside.path[-1] == ITEMS and home.path[-1][:1] == "["):
                if not self.is_co_owned(home) and draft.how_ended(item) is None:
                    draft.end(item, how)
                draft.write(home, LOST)

    # --- what functions of the project do ---

    def own(self, draft: MemoryDraft, node: r.Call, callee: Callee, function: Function) -> None:
        name = last_name(node.callee) or callee.symbol
        concerned = self.deep or self.is_concerned(draft, node, function)
        asks = concerned or self.asks_for(draft, node, function)
        known = self.summary_of(function, deep=concerned) if asks else None
        if known is None or not known.known:
            again = self.moved_so_far(draft) if function is self.function else []
            self.unknown(draft, node, callee, silent=True)
            for cell, how in again:
                if (around := self.seen_there(draft, node, function, cell.block)) is not None:
                    self.elements_moved(draft, Cell(around.block, around.path + cell.path), how)
            return
        for block in known.shared:
            if (target := self.seen_there(draft, node, function, block)) is not None:
                self.co_owned.add(sharing.named_by(target.block))
        doubt = because(
            "certain" if callee.certainty == "certain" else "guess",
            f"that this is the `{name}` that is called is inferred from its name",
        )
        for block in sorted(known.uses, key=repr):
            target = self.seen_there(draft, node, function, block)
            if target is not None:
                self.look(draft, target, self.name_there(node, function, block), doubt, name)
        for block, sure in known.handed:
            target = self.seen_there(draft, node, function, block) if block not in known.uses else None
            if target is not None:
                self.hand_on(draft, target, self.name_there(node, function, block), name, weaker(doubt, sure))
        ends = known.ends
        outcome = self.case if isinstance(self.case, MemoryOutcome) and self.case in known.outcomes else None
        if outcome is not None:
            ends += outcome.ends
        if isinstance(self.case, MemoryCase) and self.case in known.cases:
            ends += self.case.ends
            names = [parameter.name for parameter in function.record.parameters]
            self.learn_case(draft, node.args[names.index(self.case.parameter)], self.case)
        if isinstance(self.case, MaybeEnds):
            ends += self.case.ends
        self.given_away = [
            (
                Pointer(where.block, where.path + block[2]),
                EndedBlock(self.event.index, "given away", name, how.certainty),
            )
            for block, how in ends
            if block[0] == "content" and (where := self.seen_there(draft, node, function, block[1])) is not None
            if self.can_be_taken(node, function, str(root(block)[1]))
        ]
        ran = [
            (
                self.seen_there(draft, node, function, one.called),
                tuple(self.put_there(draft, node, function, given) for given in one.given),
            )
            for one in known.runs
        ]
        ended = [
            (how, self.seen_there(draft, node, function, block), block) for block, how in ends if block[0] != "content"
        ]
        moved = [
            (Cell(around.block, around.path + cell.path), weaker(how.certainty, callee.certainty))
            for cell, how in known.moves
            if (around := self.seen_there(draft, node, function, cell.block)) is not None
        ]
        answer = self.seen_there(draft, node, function, known.result.block) if known.result is not None else None
        puts = [
            (self.seen_there(draft, node, function, cell.block), cell.path, self.put_there(draft, node, function, put))
            for cell, put in known.puts
        ]
        written = [
            (self.seen_there(draft, node, function, cell.block), cell.path)
            for cell in known.written
            if (outcome is None or cell not in outcome.spares) and all(cell != inside for inside, _ in known.moves)
        ]
        writes = known.writes
        for held, args in ran:
            running = self.running(draft, held or LOST, args)
            if running is not None:
                self.run_value(draft, node, running, callee.certainty)
                continue
            if held is not None and self.is_seen(held.block):
                self.note_run(draft, held.block, args)
            else:
                writes = True
        for how, target, block in ended:
            if target is not None and block[0] == "in" and block[2][-1:] == (ITEMS,):
                self.drop_inside(draft, home_of(target.block) or target, name)
            elif target is not None:
                sure = weaker(how.certainty, callee.certainty)
                by = EndedBlock(self.event.index, "by callee", name, sure, how.kind, answers=how.answers)
                by = by._replace(by_state=how.by_state)
                self.end_block(draft, target, by, self.name_there(node, function, block), name)
        for inside, doubt in moved:
            self.forget_compared(draft, node, inside)
            self.elements_moved(draft, inside, EndedBlock(self.event.index, "moved", name, doubt))
        renewed = self.renewed_there(draft, node, function, known)
        for around, path in written:
            self.note_write(Cell(around.block, around.path + path) if around is not None else None)
            if around is not None:
                draft.write(Cell(around.block, around.path + path), LOST)
        if writes:
            self.shake(draft, node, callee)
            self.lend_receiver(draft, node)
        for around, path, put in puts:
            if around is not None and path == (OWNED,):
                self.taken_by_callee(draft, around, name)
            elif around is not None:
                draft.write(Cell(around.block, around.path + path), put)
        self.lend_arguments(draft, node, function)
        if answer is not None and known.result is not None:
            self.answer(draft, node, Pointer(answer.block, answer.path + known.result.path))
        elif renewed is not None:
            self.answer(draft, node, renewed)
        elif outcome is not None and outcome.answer is not LOST:
            draft.put(_result(node), outcome.answer)
        else:
            self.answer(draft, node, LOST)

    def renewed_there(
        self, draft: MemoryDraft, node: r.Call, function: Function, known: MemorySummary
    ) -> Pointer | None:
        """The element that the call answers, of those which it has left in a container."""
        if known.renewed is None:
            return None
        cell, path = known.renewed
        around = self.seen_there(draft, node, function, cell.block)
        held = draft.cells.get(Cell(around.block, around.path + cell.path)) if around is not None else None
        return Pointer(held.block, held.path + path) if held is not None else None

    def asks_for(self, draft: MemoryDraft, node: r.Call, function: Function) -> bool:
        """Whether what the function does to memory matters here, even if nothing has ended that it is given."""
        return (
            may_end(function)
            or self.constructed is not None
            or bool(self.held_in_receiver(draft, node))
            or self.fills_pointer(node, function)
            or (self.moves_something and gives_away(function))
            or self.may_answer_with(node, function)
            or any(self.is_callable(draft, one) for one in node.args)
            or (may_take(self.function) and makes_owner(function))
            or (changes_elements(function) and self.follows_elements(draft))
            or (self.counts and sharing.counts(function))
        )

    def follows_elements(self, draft: MemoryDraft) -> bool:
        """Whether something stands at an element here, or may where the function is called."""
        return changes_elements(self.function) or any(held.path[-1:] == (SOME,) for held in draft.cells.values())

    def moved_so_far(self, draft: MemoryDraft) -> list[tuple[Cell, EndedBlock]]:
        """Where a function that calls itself leaves other elements than there were, once more: by what stands on every
        path through it. Its summary is not known while it is walked."""
        end = self.flow.events[self.flow.exit]
        return [
            (Cell(block[1], block[2]), how._replace(at=self.event.index, by=self.function.name))
            for block, how in draft.ended.items()
            if how.why == "moved" and block[0] == "in" and self.is_seen(block)
            if self.flow.dominates(self.flow.events[how.at], end)
        ]

    def can_be_taken(self, node: r.Call, function: Function, name: str) -> bool:
        """Whether what is given as that parameter is less once it was moved from."""
        given = [
            argument for argument, one in zip(node.args, function.record.parameters, strict=False) if one.name == name
        ]
        return not given or types.parse(self.type_of(given[0])).pointers == 1 or self.is_movable(given[0])

    def may_answer_with(self, node: r.Call, function: Function) -> bool:
        """Whether a function of a statement or two may answer with the pointer that it is given, or that its object
        has."""
        result = types.parse(function.record.result)
        if not function.is_short or not (result.pointers or result.reference or self.is_handle_type(function)):
            return False
        if isinstance(node.callee, r.Name) and function.home is not None and THIS in self.relevant:
            return True
        given = (*node.args, node.callee.base) if isinstance(node.callee, r.Member) else node.args
        return any(isinstance(bare := strip(one), r.Name) and bare.text in self.relevant for one in given)

    def is_handle_type(self, function: Function) -> bool:
        """Whether what the function answers is an iterator, or a handle without a pointer's star. Where its type is not
        written, whether that is what a library lends: `auto begin() { return all_.begin(); }`."""
        result = function.record.result
        if types.parse(result).is_placeholder:
            answered = [strip(one.value) for one in function.statements if isinstance(one, r.Leave)]
            return len(answered) == 1 and any(
                model.has("borrow", "result")
                for one in answered
                if isinstance(one, r.Call)
                for model in self.program.calls.callee(one, function).models
            )
        return resources(self.program).raw(result, function) is not None or (
            "iterator" in self.program.types.roles(result, function)
        )

    def fills_pointer(self, node: r.Call, function: Function) -> bool:
        """Whether the function is given the place of a pointer of this one, to fill it."""
        return any(
            isinstance(bare := strip(argument), r.Unary)
            and bare.op == "&"
            and named(bare.value) in self.relevant
            and types.parse(parameter.type).pointers > 1
            for argument, parameter in zip(node.args, function.record.parameters, strict=False)
        )

    def put_there(self, draft: MemoryDraft, node: r.Call, function: Function, put: Pointer) -> Pointer:
        """What the callee has put somewhere, as the caller knows it."""
        if put == NULL or put.is_number:
            return put
        target = self.seen_there(draft, node, function, put.block)
        return Pointer(target.block, target.path + put.path) if target is not None else LOST

    def is_concerned(self, draft: MemoryDraft, node: r.Call, function: Function) -> bool:
        """Whether the call is given something, or its receiver or what it captures is something, of which a block has
        ended."""
        if not draft.ended or function.parent is self.function:
            return bool(draft.ended)
        gone = [one for one, how in draft.ended.items() if how.why != "moved" or draft.is_led_to(one)]
        if not gone:
            return False
        given = [self.pointer(draft, one) for one in node.args]
        given += [where for one in node.args if (where := self.cell(draft, one)) is not None]
        if isinstance(node.callee, r.Member) or unknown_calls.object_of(function) == THIS_BLOCK:
            receiver = self.receiver_there(draft, node) or LOST
            if any(one[0] != "content" and is_within(one, receiver.block) for one in gone):
                return True
            given.append(receiver)
        ended = [
            one for one in gone if one[0] != "content" and (root(one)[0] != "var" or not self.is_own(root(one)[1]))
        ]
        blocks = {one.block for one in given}
        if not blocks.isdisjoint(draft.ended) or any(is_within(one, block) for one in ended for block in blocks):
            return True
        return any(cell.block in blocks and pointer.block in draft.ended for cell, pointer in draft.cells.items())

    def seen_there(self, draft: MemoryDraft, node: r.Call, function: Function, block: Block) -> Pointer | None:
        """The block of the callee as the caller knows it."""
        if block[0] == "var":
            shared = self.is_shared_with(function, block[1])
            return Pointer(block) if shared and not self.is_copied_into(function, block[1]) else None
        return self.translated(draft, block, lambda name, path: self.given(draft, node, function, name, path))

    def translated(
        self, draft: MemoryDraft, block: Block, given: Callable[[str, Path], Pointer | None]
    ) -> Pointer | None:
        """A block of a callee, in which `given` says what the pointers lead to that the callee has by name."""
        if block[0] != "in":
            return None
        _, around, path = block
        if around[0] == "var":
            return given(around[1], path)
        outer = self.translated(draft, around, given)
        if outer is None:  # what a reference is bound to may be no place, but a value
            return given(around[1][1], _VALUE) if not path and around[0] == "in" and around[1][0] == "var" else None
        return self.real(draft.read(Cell(outer.block, outer.path + path)))

    @staticmethod
    def real(pointer: Pointer | None) -> Pointer | None:
        return None if pointer in (None, LOST, NULL) else pointer

    def is_shared_with(self, function: Function, name: str) -> bool:
        """Whether a variable is the same for both: a global, or what a lambda captures here."""
        if name in _own_names(function):
            return False
        return function.parent is self.function or name not in self.function.declared

    def is_copied_into(self, function: Function, name: str) -> bool:
        """Whether a lambda of this function has a copy of the variable."""
        if function.parent is not self.function:
            return False
        made = self.lambdas_of.get(function.index)
        captures = made.captures if made is not None else ()
        named_so = [one for one in captures if one.name == name]
        return any(not one.by_reference for one in named_so) or not (
            named_so or any(one.name == "&" for one in captures)
        )

    def given(self, draft: MemoryDraft, node: r.Call, function: Function, name: str, path: Path) -> Pointer | None:
        """What a pointer that the callee has by name points to when it begins."""
        bound = self.runs.given if self.runs is not None else None
        for index, parameter in enumerate(function.record.parameters):
            if parameter.name == name:
                refers = types.parse(parameter.type).reference and path != _VALUE
                if bound is not None:
                    return self.real(bound[index]) if index < len(bound) and not refers else None
                if index >= len(node.args) or (path and path != _VALUE):
                    return None
                argument = node.args[index]
                return self.cell(draft, argument) if refers else self.real(self.pointer(draft, argument))
        if name == THIS:
            if self.constructed is not None:
                return self.constructed if not path else None
            if bound is not None and self.runs is not None:
                return self.real(self.runs.on) if not path else None
            return self.receiver_there(draft, node) if not path else None
        if not self.is_shared_with(function, name):
            return None
        kept = Cell(("var", last_name(node.callee)), (_HELD + name,))
        found = draft.cells.get(kept, None) if not path else None
        return self.real(found if found is not None else draft.read(Cell(("var", name), path)))

    def receiver_there(self, draft: MemoryDraft, node: r.Call) -> Pointer | None:
        if not isinstance(node.callee, r.Member):
            return Pointer(THIS_BLOCK)
        base = node.callee.base
        if not node.callee.arrow:
            return self.cell(draft, base)
        return self.held_inside(draft, base) or self.real(self.pointer(draft, base))

    def name_there(self, node: r.Call, function: Function, block: Block) -> str:
        """What the caller calls the callee's block."""
        start = root(block)[1]
        for index, parameter in enumerate(function.record.parameters):
            if parameter.name == start and index < len(node.args):
                return self.named(node.args[index])
        steps = [step for step in _steps(block) if not step.startswith("<")]
        return steps[-1] if steps and start == THIS else str(start)

    def held_in_receiver(self, draft: MemoryDraft, node: r.Call) -> list[Cell]:
        """Members of the object that a method is called on of which it is known where they lead."""
        if not isinstance(node.callee, r.Member):
            return []
        where = self.receiver_there(draft, node)
        if where is None or where.block == THIS_BLOCK:
            return []
        depth = len(where.path)
        ended = (Cell(block[1], block[2]) for block in draft.ended if block[0] == "in")
        return [
            cell
            for cell in dict.fromkeys([*draft.cells, *ended])
            if cell.block == where.block and len(cell.path) > depth and cell.path[:depth] == where.path
        ]

    def lend_receiver(self, draft: MemoryDraft, node: r.Call) -> None:
        """What the members lead to of an object may be another behind one of its methods."""
        for cell in self.held_in_receiver(draft, node):
            if cell.path[-1] not in (ELEMENTS, ROOM):
                draft.put(cell, LOST)
        if isinstance(node.callee, r.Member) and not node.callee.arrow:
            roles = self.program.types.roles(self.receiver_type(node), self.function)
            where = self.cell(draft, node.callee.base) if not SMART.isdisjoint(roles) else None
            if where is not None:
                draft.put(where, LOST)

    def lend_arguments(self, draft: MemoryDraft, node: r.Call, function: Function | None) -> None:
        """What is given by reference, or as an object, may be another afterwards."""
        if function is None:
            parameters = _parameters(self.program.calls.callee(node, self.function))
        else:
            parameters = function.record.parameters
        for index, argument in enumerate(node.args):
            taken = types.parse(parameters[index].type) if index < len(parameters) else None
            bare = strip(argument)
            if not isinstance(bare, r.Name) or (taken is not None and not taken.reference):
                continue
            if taken is not None:
                draft.forget(f"={bare.text}")
                if bare.text in self.counting and not taken.const:
                    draft.count_on(bare.text, self.event.index)
            written = types.parse(self.type_of(bare))
            if taken is None and (written.pointers or not written.name):
                continue
            where = self.cell(draft, bare)
            if where is None or (taken is not None and "const" in parameters[index].type):
                continue
            for cell in [one for one in draft.cells if one.block == where.block]:
                draft.put(cell, LOST)

    def unknown(self, draft: MemoryDraft, node: r.Call, callee: Callee, *, silent: bool = False) -> None:
        name = last_name(node.callee)
        for argument in node.args:
            pointer = self.pointer(draft, argument)
            made_again = draft.how_ended(pointer.block)
            if made_again is not None and made_again.why == "destroyed":
                draft.revive(pointer.block)
        release = effects.by_pairs(node, callee, self.program) if not silent else None
        index = effects.given_back(node, callee, self.program)
        if index >= 0:
            draft.know(given_back(self.pointer(draft, node.args[index]).block), True)
        for index, argument in enumerate(node.args if not silent and not self.program.macros.named(name) else ()):
            pointer = self.pointer(draft, argument)
            is_told = pointer.block in draft.ended or self.is_seen(pointer.block)
            if is_told and not pointer.path and (release is None or release.at != index):
                self.hand_on(draft, pointer, self.named(argument), name, self.doubt(callee, index))
        if release is not None:
            self.released(draft, node, release)
            self.answer(draft, node, LOST)
            return
        made = effects.acquired(node, self.function) if not silent else None
        self.look_at_lent(draft, node, callee)
        self.shake(draft, node, callee)
        self.lend_receiver(draft, node)
        if self.program.macros.named(name):
            for argument in node.args:
                draft.write(self.cell(draft, argument), LOST)
        self.lend_arguments(draft, node, None)
        if made is not None and made.where.kind == "argument":
            self.fill(draft, node, made.where.index)
        self.answer(draft, node, LOST)

    def hand_on(self, draft: MemoryDraft, pointer: Pointer, name: str, through: str, doubt: Certainty) -> None:
        """A function that nobody sees is given what the pointer leads to."""
        ended = draft.how_ended(pointer.block)
        if ended is None and self.is_seen(pointer.block):
            self.handed[pointer.block] = min(doubt, self.handed.get(pointer.block, doubt), key=CERTAINTIES.index)
        elif (
            ended is not None
            and not ended.kind.number
            and (
                ended.why in ("released", "by callee", "owner") or (ended.why == "destructor" and not ended.kind.memory)
            )
        ):
            self.look(draft, pointer, name, doubt, through)

    def doubt(self, callee: Callee, index: int) -> Certainty:
        """What is assumed where a function that nobody sees is said to use an argument: little of one that is declared
        to take such handles, which are good for nothing else, and what the pair assumes of one that works on what a
        pair of its own file ends."""
        name = callee.symbol.rpartition("::")[2]
        if index == 0 and effects.needs_first(callee, self.program):
            return because("name", f"that `{name}` needs what it works on is inferred from its declaration")
        given = [types.parse(one.parameters[index].type) for one in callee.records if index < len(one.parameters)]
        is_typed = given and all(one.pointers == 1 and not one.is_scalar and one.last != "void" for one in given)
        return because("unread-code" if is_typed else "guess", f"what `{name}` does with it is not known")

    def look_at_lent(self, draft: MemoryDraft, node: r.Call, callee: Callee) -> None:
        """Who is given an element to read, by reference or by its address, looks at it."""
        for argument, parameter in zip(node.args, _parameters(callee), strict=False):
            taken, bare = types.parse(parameter.type), strip(argument)
            if taken.reference and (taken.pointers or not taken.const):
                continue
            refers = isinstance(bare, r.Name) and bare.text in self.references
            element = (self.cell(draft, bare) or LOST) if refers else self.pointer(draft, bare)
            ended = draft.how_ended(element.block)
            if ended is not None and ended.why == "moved":
                self.look(draft, element, self.named(argument))

    # --- locals ---

    def capture(self, draft: MemoryDraft, event: e.Write) -> None:
        """What a lambda copies stays as it is when the lambda is made."""
        made = strip(event.value)
        if not isinstance(made, r.Lambda) or len(event.place) != 1:
            return
        for capture in made.captures:
            if not capture.by_reference and capture.value is None and self.declared(capture.name) is not None:
                kept = Cell(("var", event.place[0]), (_HELD + capture.name,))
                draft.put(kept, draft.read(Cell(("var", capture.name))))

    def bind_one(self, draft: MemoryDraft, name: str, value: r.Value) -> None:
        own = Cell(("var", name))
        bare = strip(value)
        if isinstance(bare, r.Index) and not bare.indexes:
            around = None
            if self.is_container(self.type_of(bare.base)):
                around = self.elements(draft, self.cell(draft, bare.base))
            pointer = Pointer(around.block, (SOME,)) if around is not None else LOST
            if self.is_followed(("var", named(bare.base))):
                draft.put(range_cell(bare.start), pointer)
        elif name in self.references:
            pointer = self.cell(draft, value) or LOST
        else:
            pointer = self.pointer(draft, value)
        draft.begin(own.block)
        draft.put(own, pointer)

    def move_out(self, draft: MemoryDraft, value: r.Value | None) -> None:
        """What is moved from holds nothing any more."""
        for owner in self.moved_in(value):
            where = self.cell(draft, owner)
            if where is not None:
                draft.write(where, NULL)

    @remembered
    def moved_in(self, value: r.Value | None) -> tuple[r.Value, ...]:
        """The smart pointers that an expression moves from."""
        return tuple(
            one.args[0]
            for one in walk(value)
            if isinstance(one, r.Call)
            and one.args
            and strip(one) is not one
            and not SMART.isdisjoint(self.program.types.roles(self.type_of(one.args[0]), self.function))
        )


def _callee_of(function: Function) -> Callee:
    """A call that is known to run the function."""
    return Callee(function.name, (function.record,), (function,), (), "certain")


def _parameters(callee: Callee) -> tuple[r.Parameter, ...]:
    """Those of the function that is called, where it is known which one that is."""
    return callee.records[0].parameters if len(callee.records) == 1 else ()


@flow_question
def _compared_with(function: Function) -> dict[str, tuple[str, ...]]:
    """By the name of a local those that tests compare with it."""
    found: dict[str, tuple[str, ...]] = {}
    for one in function.values:
        if isinstance(one, r.Binary) and one.op in _ORDERS:
            left, right = strip(one.left), strip(one.right)
            if isinstance(left, r.Name) and isinstance(right, r.Name):
                found[left.text] = (*found.get(left.text, ()), right.text)
                found[right.text] = (*found.get(right.text, ()), left.text)
    return found


@flow_question
def _shared(function: Function) -> frozenset[str]:
    """Locals whose address somebody may have: by `&`, by a reference, or in a lambda."""
    own = function.locals
    found = {_whose(own[name][1]) for name in _references(function) & own.keys()}
    for one in function.values:
        if isinstance(one, r.Unary) and one.op == "&":
            found.add(_whose(one.value))
        elif isinstance(one, r.Lambda):
            copied = {capture.name for capture in one.captures if not capture.by_reference}
            found |= captured(function, one) - copied
    return frozenset(found)


def _own_names(function: Function) -> frozenset[str]:
    """What the function declares itself, whatever is declared around it."""
    around = function.parent.declared if function.parent is not None else frozenset[str]()
    return (function.declared - around) | function.locals.keys()


def _whose(value: r.Value | None) -> str:
    """The variable in whose own memory the expression lies; none where the way there goes through a pointer."""
    bare = strip(value)
    while isinstance(bare, r.Member | r.Index) and not (isinstance(bare, r.Member) and bare.arrow):
        bare = strip(bare.base)
    return bare.text if isinstance(bare, r.Name) else ""


def _is_room(pointed: types.Type) -> bool:
    """Whether `delete` of a pointer of this type runs no destructor: the bytes in which an object was made."""
    return pointed.pointers == 1 and (pointed.last in ("void", "byte") or pointed.is_scalar)


def _steps(block: Block) -> list[str]:
    if block[0] != "in":
        return []
    return [*_steps(block[1]), *block[2]]
