"""Weak borrows: values that point into an object of Python without keeping it alive, as raw addresses do.

An address is a handle that does not hold its token. What makes an owner, what takes an address of it, what copies a
pointer without its owner, and what stores one for good, models of raw memory say. What is not known counts as keeping
the owner alive: doubt is silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ownlint.domains.handles.handle_calls import HandleCalls
from ownlint.domains.handles.handle_chains import HandleChain
from ownlint.domains.handles.handle_flow import HandleInterpreter
from ownlint.domains.handles.handle_stores import Dependence
from ownlint.domains.handles.handles import (
    FOR_GOOD,
    NOTHING,
    PLAIN,
    Ending,
    Handle,
    HandleCase,
    HandleMisuse,
    Handles,
    HandleState,
    Stale,
    StoredHandle,
    Token,
    in_order,
    inside,
    is_given,
    is_out_of_reach,
    is_parameter,
    native,
    own,
)
from ownlint.domains.handles.lent import handle_behind
from ownlint.domains.instances import Kind, is_standard
from ownlint.domains.python_calls import CODE, MEMBER, PassedArgument, bound_to
from ownlint.engine.containment import ANY, fits
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.finding import Certainty, because, weaker
from ownlint.flow.bodies import values
from ownlint.flow.places import last_name, names_in, walk
from ownlint.models import python_builtins
from ownlint.models.memory import MemoryFact
from ownlint.project.subjects import Function

if TYPE_CHECKING:
    from ownlint.domains.handles.raw_memory import RawMemory

ADDRESS, FIELD, RAW, RAW_FIELD, FOREIGN_BUFFER, LENT = "address", "field", "raw", "raw field", "foreign", "lent"
"""At what an owner is lost: a bare number, a field of a structure, a raw pointer, one in a field, a buffer over foreign
memory, and a view of what an object frees when it dies: that holds its own address, and not the object."""

_POINTERS = frozenset(["pointer", "loose pointer", "raw", "foreign", "struct", "owner"])
"""What looks at memory when something is taken from it."""
_LOST_AT = {"raw": RAW, "foreign": FOREIGN_BUFFER}
_COMPARES = frozenset(["==", "!=", "<", ">", "<=", ">=", "is", "is not", "in", "not in", "%", "&", ">>", "//"])
_UNOWNED = because("unread-code", "harmless if the memory behind the address is never freed")
"""The doubt where memory of nobody known is wrapped, without an owner."""
_PART = HandleChain(0, (".",))
"""Of all that is no owner itself, but points into one."""
_NUMBERS = python_builtins.READS - {"map", "setattr", "int", "memoryview"} | {
    "hex",
    "oct",
    "bin",
    "divmod",
    "pow",
    "bytearray",
}
"""Functions that see a number, or copy what they read."""
_EXPECTS = frozenset(["raises", "assertRaises", "assertRaisesRegex", "suppress", "assertWarns", "warns"])
_NULLS = frozenset(["0", "None"])
_QUOTES = "\"'"


class AddressInterpreter(HandleInterpreter):
    """Runs one function abstractly and collects weak borrows that outlive their owners."""

    MOST_STEPS = 8_000
    MOST_CASES = 1

    def __init__(self, function: Function, classes: RawMemory, given: dict[str, Handles] | None = None) -> None:
        super().__init__(function, classes, given)
        self.known = classes
        self.memory = classes.memory
        self.of_project = False
        """Whether the project has what is called just now."""
        self.registering: dict[Span, r.Call] = {}
        """Calls that store a callback for good."""
        self._elements: dict[str, r.Value | None] | None = None
        self._symbols: dict[tuple[int, int], str] = {}
        self._kinds: dict[tuple[int, int], Kind | None] = {}

    def start(self) -> HandleState:
        """Parameters are objects of the caller, whatever their class."""
        state = super().start()
        for number, parameter in enumerate(self.function.record.parameters):
            own_object = number == 0 and self.function.record.owner and "static" not in self.function.record.qualifiers
            if not own_object and not parameter.spread and not state.get(parameter.name):
                kind = self.kind(r.Name(parameter.start, parameter.start, parameter.name))
                at = Span(parameter.start, parameter.end)
                cls = kind.type if kind is not None else ""
                handle = self.somebodys(cls, (-1 - number, 0), at, parameter.name)
                state = state.bind(parameter.name, frozenset({handle}), at, "")
        return state

    def kind(self, value: r.Value) -> Kind | None:
        place = value.start, value.end
        if place not in self._kinds:
            self._kinds[place] = self.known.instances.of(self.function, value)
        return self._kinds[place]

    def symbol(self, value: r.Value) -> str:
        if isinstance(value, r.Name) and self.state.get(value.text):
            return ""
        place = value.start, value.end
        if place not in self._symbols:
            self._symbols[place] = self.known.instances.symbol(self.function, value)
        return self._symbols[place]

    # --- expressions ---

    def use(self, handles: Handles, value: r.Value | None, kind: str = "use") -> Handles:
        """What reads through a pointer looks at its memory; a number does not."""
        for handle in in_order(native(handles)) if value is not None else ():
            self.touch(handle, value, None)
        return handles

    def touch(self, handle: Handle, value: r.Value | None, fact: MemoryFact | None) -> None:
        """Something looks at the memory through this handle; a number that is taken from it looks later."""
        role = self.memory.role(fact.returns) if fact is not None else ""
        if value is not None and not handle.holds and self.memory.role(handle.cls) in _POINTERS and role != "address":
            self.judge("use", handle, value.span, dead=not self.state.alive(handle.token))

    def binary(self, value: r.Binary) -> Handles:
        if value.op in ("&&", "||"):
            return super().binary(value)
        sides = self.value(value.left) | self.value(value.right)
        if value.op in _COMPARES:
            return NOTHING
        both = native(sides)
        if not both:
            return sides if value.op in ("+", "|") else NOTHING
        facts = [(handle, self.memory.member(handle.cls, "__add__")) for handle in in_order(both)]
        fresh = [handle.cls for handle, fact in facts if fact is not None and fact.keeps == "own"]
        if fresh or all(not handle.cls for handle in both):
            return frozenset({self.create(value, fresh[0] if fresh else "")})
        if value.op not in ("+", "-"):
            return NOTHING
        return frozenset(
            self.derived(handle, fact, value) if fact is not None else handle
            for handle, fact in facts
            if fact is not None or self.memory.role(handle.cls) == "address"
        )

    def aggregate(self, value: r.Aggregate) -> Handles:
        if value.kind != "fstring":
            return super().aggregate(value)
        for item in value.items:
            self.evaluate(item)
        return NOTHING

    def assignment(self, value: r.Assign, target: r.Value, op: str, inner: r.Value) -> Handles:
        if op in ("=", ":="):
            return super().assignment(value, target, op, inner)
        before, added = self.value(target), self.value(inner)
        if any(h.path for h in before) or self.is_container(target):
            self.put(target, inside(self.elements(added, inner), ANY), value.span)
        elif isinstance(target, r.Name) and any(self.memory.role(h.cls) == "address" for h in added):
            self.set_name(target.text, before | added, value.span, "")
        return NOTHING

    def member(self, value: r.Member) -> Handles:
        on = self.with_class(value.base, self.value(value.base), value.name)
        found = {h.out() for h in on if h.path[:1] == ("." + value.name,)} | self.of_object(value, on)
        for handle in in_order(native(on)):
            fact = self.memory.member(handle.cls, value.name)
            self.touch(handle, value.base, fact)
            if fact is not None and fact.source == 0:
                found |= self.borrowed(handle, fact, value)
        return frozenset(found)

    def borrowed(self, handle: Handle, fact: MemoryFact, value: r.Value) -> Handles:
        """What is taken from it; from a pointer that was made of a number nothing: what that points to is not its
        own."""
        blank = not handle.chain.steps and self.memory.role(handle.cls) == "pointer"
        if fact.keeps not in ("owner", "none") or blank:
            return NOTHING
        return frozenset({self.derived(handle, fact, value)})

    def with_class(self, base: r.Value, on: Handles, member: str) -> Handles:
        """With the class that having such a member shows; a call's unknown result gets a token of its own."""
        cls = self.memory.told_by.get(member, "")
        if not cls or self.objects(on):
            return on
        if native(on):
            return frozenset(h if h.cls or h.path else h._replace(cls=cls) for h in on)
        match base:
            case r.Binary(op=op) if op not in _COMPARES:
                return on | {self.create(base, cls)}
            case r.Call():
                return on | {self.create(base, cls)._replace(sure=_not_known(base))}
        return on

    def index(self, value: r.Index) -> Handles:
        on = self.value(value.base)
        for index in value.indexes:
            self.evaluate(index)
        exact = self.exact_slot(on, value.indexes)
        name = "__getitem__"
        match value.indexes:
            case (r.Aggregate(kind="slice"),):
                name = "[:]"
            case (r.Literal(kind="str", text=written),):
                name = f"[{written.strip(_QUOTES)}]"
        found: set[Handle] = set()
        for handle in in_order(on):
            if handle.path and name == "[:]":
                found.add(handle.out().inside(ANY))
            elif handle.path and (handle.path[0] == exact if exact else fits(handle.path[0], value.indexes)):
                found.add(handle.out())
        for handle in in_order(native(on)):
            fact = self.memory.member(handle.cls, name)
            self.touch(handle, value.base, fact)
            if fact is not None:
                found |= self.borrowed(handle, fact, value)
        return frozenset(found)

    def elements(self, handles: Handles, value: r.Value | None) -> Handles:
        """What iterating gives."""
        found: set[Handle] = set()
        for handle in handles:
            if handle.path:
                if handle.path[0] == ANY or handle.path[0].isdigit():
                    found.add(handle.out())
            elif (fact := self.memory.member(handle.cls, "__getitem__")) is not None and fact.keeps == "owner":
                found.add(handle)
        return frozenset(found)

    def out_of(self, handle: Handle, key: str) -> Handle:
        return handle.out()

    def derived(self, handle: Handle, fact: MemoryFact, value: r.Value) -> Handle:
        """What is borrowed from a handle: it keeps the owner as long as that did, and the fact keeps its source."""
        cls = handle.cls if fact.returns in ("", "self") else fact.returns
        holds, role = handle.holds and fact.keeps == "owner", self.memory.role(cls)
        if holds:
            loss = handle.loss if handle.loss == LENT else ""
        else:
            loss = role if role == FOREIGN_BUFFER else handle.loss or _LOST_AT.get(role, ADDRESS)
        taken, shown = (
            (handle.taken, handle.shown) if handle.loss and loss == handle.loss else (value.span, text(value))
        )
        return handle._replace(cls=cls, holds=holds, loss=loss, taken=taken, shown=shown, chain=_PART)

    # --- fields ---

    def assign(self, target: r.Value, handles: Handles, at: Span, source: r.Value | None = None) -> None:
        if isinstance(target, (r.Member, r.Index)):
            role = self.object_role(target.base)
            if role in ("struct", "raw", "pointer"):
                handles = self.put_in(handles, "raw" if role == "raw" else "struct", source or target)
                self.judge_fields(handles, at)
        super().assign(target, handles, at, source)

    def judge_fields(self, handles: Handles, at: Span) -> None:
        for handle in in_order(h for h in handles if not h.holds and h.loss in (FIELD, RAW_FIELD)):
            self.judge("store", handle, at, dead=not self.state.alive(handle.token))

    def put_in(self, handles: Iterable[Handle], role: str, at: r.Value) -> Handles:
        """What becomes of handles that are copied into fields of an object of that role."""
        found: set[Handle] = set()
        for handle in handles:
            lost = role == "raw" or (role == "struct" and self.memory.role(handle.cls) == "loose pointer")
            if handle.holds and lost and not (handle.path and role == "struct" and handle.path[0][:1] == "."):
                loss = RAW_FIELD if role == "raw" else FIELD
                handle = handle._replace(holds=False, loss=loss, chain=_PART)
                if not (at.start <= handle.taken.start and handle.taken.end <= at.end):
                    handle = handle._replace(taken=at.span, shown=text(at))
            found.add(handle)
        return frozenset(found)

    def object_role(self, base: r.Value) -> str:
        """What kind of object is written to; of a part of a structure, what the structure is."""
        roles = {self.memory.role(handle.cls) for handle in native(self.value(base))}
        for role in ("raw", "struct", "pointer"):
            if role in roles:
                return role
        kind = self.kind(base)
        if kind is not None and kind.instance:
            return self.memory.role(kind.type)
        if isinstance(base, (r.Member, r.Index)):
            outer = self.object_role(base.base)
            return outer if outer in ("raw", "struct", "pointer") else ""
        if isinstance(base, r.Name) and not roles and self.is_local(base):
            whole = self.element_of_what(base.text)
            return self.object_role(whole) if whole is not None else ""
        return ""

    def element_of_what(self, name: str) -> r.Value | None:
        """The array of which a local is an element: `slot = array[n]`, `for slot in array`, `for slot, x in zip(array,
        xs)`; each is written to in its place."""
        if self._elements is None:
            self._elements = {}
            for statement in self.function.statements:
                match statement:
                    case r.Evaluate(value=r.Assign(target=r.Name(text=target), op="=", value=given)):
                        found = [(target, given.base if isinstance(given, r.Index) else None)]
                    case r.Loop(kind="range", target=target, iterable=iterable) if target is not None:
                        found = list(_walked(target, iterable))
                    case _:
                        continue
                for target, whole in found:
                    alone = target not in self._elements and whole is not None and root(whole) != target
                    self._elements[target] = whole if alone else None
        return self._elements.get(name)

    def is_native(self, base: r.Value, name: str = "") -> bool:
        """What is written to keeps what it is given, but for what `put_in` has made of it."""
        return False

    def may_be_container(self, base: r.Value) -> bool:
        return True

    def is_local(self, value: r.Value) -> bool:
        """A variable of a function around is none: it outlives this one."""
        return isinstance(value, r.Name) and value.text in self.own_names and value.text not in self.parameters

    def put(self, container: r.Value, handles: Handles, at: Span, slot: str = "") -> None:
        name = root(container)
        if isinstance(container, r.Name) or name not in self.own_names or name in self.parameters:
            super().put(container, handles, at, slot)
        else:
            self.set_name(name, self.state.get(name) | handles, at, "")

    # --- calls ---

    def call(self, call: r.Call) -> Handles:
        found = self.of_memory(call)
        if found is None:
            found = super().call(call)
        if self.state.dependences:
            self.end_registrations(call)
        return found

    def of_memory(self, call: r.Call) -> Handles | None:
        """A function or a class of raw memory; None for others."""
        symbol = self.symbol(call.callee)
        if symbol and (fact := self.memory.function(symbol)) is not None:
            return self.by_memory(call, fact, NOTHING, self.evaluated(call)[0])
        kind = self.kind(call.callee)
        if kind is None or not kind.instance:
            return self.construct(call, kind.type) if kind is not None else None
        if (fact := self.memory.member(kind.type, "__call__")) is None:
            return None
        self.value(call.callee)
        return self.by_memory(call, fact, NOTHING, self.evaluated(call)[0])

    def evaluated(self, call: r.Call) -> tuple[list[Handles], list[Handles]]:
        arguments, given = super().evaluated(call)
        for number, argument in enumerate(call.args):
            if isinstance(argument, r.Unary) and argument.op == "spread2":
                arguments[number] = frozenset(h.out() for h in given[number] if h.path and not is_out_of_reach(h))
        return arguments, given

    def argument(
        self, call: r.Call, given: list[Handles], number: int, names: tuple[str, ...]
    ) -> tuple[r.Value, Handles] | None:
        """The argument of that number, by place or by name."""
        wanted = names[number - 1] if number <= len(names) else ""
        for position, value in enumerate(call.args):
            if isinstance(value, r.Pair):
                if isinstance(value.key, r.Name) and value.key.text == wanted:
                    return value.value, given[position]
            elif isinstance(value, r.Unary) and value.op.startswith("spread"):
                if value.op == "spread" and position < number:
                    return value.value, given[position]
            elif position == number - 1:
                return value, given[position]
        return None

    def by_memory(self, call: r.Call, fact: MemoryFact, on: Handles, given: list[Handles]) -> Handles:
        self.hand_over(call, fact, given)
        if fact.stores:
            self.stored_bare(call, fact, given)
            return NOTHING
        match fact.keeps:
            case "copy":
                if not fact.fills:
                    self.used(call, given)
                return NOTHING
            case "own":
                if not fact.consumes:
                    self.used(call, [handles for handles in given if not any(h.holds for h in handles)])
                doubt = f"`{text(call.callee)}` may return its own argument, which is alive"
                return self.filled(
                    call, fact.returns, given, because("unread-code", doubt) if fact.may_return else "certain"
                )
        number = fact.source
        found = (call, on) if number == 0 else self.argument(call, given, number, fact.parameters)
        if number and call.args and (found is None or isinstance(found[0], r.Literal)):
            found = (call.args[-1], given[-1])
        handles = found[1] if found is not None else NOTHING
        if fact.at_address:  # a number: a sum of which nothing else is known is not the owner of what lies there
            handles = frozenset(h for h in handles if h.is_python or h.path or h.cls)
        if found is not None and not native(handles):
            if fact.at_address and (made := self.lent(call, fact, found[0])):
                return made
            if not handles and fact.keeps == "owner" and isinstance(found[0], r.Call) and found[0] is not call:
                return frozenset({self.create(call, fact.returns)._replace(sure=_not_known(found[0]))})
        if self.memory.role(fact.returns) == "foreign":
            return self.wrapped(call, fact, handles, given)
        if fact.keeps == "none" and number and self.memory.role(fact.returns) != "address":
            self.used(call, [handles if handles is held else NOTHING for held in given])
        kept = {h for h in handles if h.path and fact.keeps == "owner"}  # what is in the fields of what it points to
        return frozenset(
            kept | {self.derived(h, fact, call) for h in handles if not h.is_python and (not h.path or h in kept)}
        )

    def stored_bare(self, call: r.Call, fact: MemoryFact, given: list[Handles]) -> None:
        """The receiver takes an address and forgets whose it is: a temporary is gone at once, and a local when the
        receiver, a local too, leaves without it."""
        found = self.argument(call, given, fact.stores, fact.parameters)
        if found is None or not isinstance(call.callee, r.Member):
            return
        value, handles = found
        bare = frozenset(
            h._replace(holds=False, loss=FIELD, taken=value.span, shown=text(value), chain=_PART)
            for h in native(handles)
        )
        self.judge_fields(bare, value.span)
        base = call.callee.base
        if self.is_local(base):
            self.put(base, inside(bare, ".*"), call.span)

    def wrapped(self, call: r.Call, fact: MemoryFact, handles: Handles, given: list[Handles]) -> Handles:
        """Memory that is wrapped: it knows no owner, unless one is given."""
        keeper = self.argument(call, given, fact.kept, fact.parameters) if fact.kept else None
        if keeper is not None and not (isinstance(keeper[0], r.Literal) and keeper[0].kind == "null"):
            return keeper[1]
        wrapped = frozenset(self.derived(h, fact, call) for h in native(handles))
        source = self.argument(call, given, fact.source, fact.parameters)
        if any(h.token[0] >= 0 for h in wrapped) or (source is not None and not handles and self.lasts(source[0])):
            return wrapped
        return frozenset({self.create(call, fact.returns)._replace(loss=FOREIGN_BUFFER, sure=_UNOWNED)})

    def lent(self, call: r.Call, fact: MemoryFact, address: r.Value) -> Handles:
        """Memory of which nobody here is the owner: the object's own, which frees it when it dies, or unknown."""
        handle = handle_behind(self.function, address, self.points)
        if not handle:
            return NOTHING
        doubt = because("caller", f"harmless if callers keep the object that `{handle}` was taken from alive")
        return frozenset({self.create(call, fact.returns)._replace(loss=LENT, sure=doubt, chain=_PART)})

    def points(self, call: r.Call) -> bool:
        """Whether its result points to what its first argument is: `byref(size)`."""
        fact = self.memory.function(self.known.instances.symbol(self.function, call.callee))
        return fact is not None and fact.source == 1

    def lasts(self, value: r.Value) -> bool:
        """Whether it is taken from a global or from `self`, which may live long enough."""
        name = root(value)
        return bool(name) and (name not in self.own_names or name in ("self", "cls"))

    def filled(self, call: r.Call, cls: str, given: list[Handles], sure: Certainty = "certain") -> Handles:
        """A new object, and in it what it was given; a library or a maker is no memory itself."""
        role = self.memory.role(cls)
        if role in ("library", "maker"):
            return NOTHING
        made = self.create(call, cls)._replace(sure=sure)
        fields: set[Handle] = set()
        for value, handles in zip(call.args, given, strict=True) if role in ("struct", "raw") else ():
            for handle in self.put_in((h for h in handles if not h.is_python), role, value):
                # Data of C takes pointers from data of C alone; bytes and arrays of Python are copied, or refused.
                kept = self.memory.role(handle.cls)
                if handle.cls and (kept in ("raw", "callback") if role == "raw" else kept != "owner"):
                    fields.add(handle._replace(path=()).inside(".*"))
        for handle in in_order(h for h in fields if h.loss in (RAW_FIELD, FIELD) and not h.holds):
            self.judge("store", handle, handle.taken, dead=not self.state.alive(handle.token))
        return frozenset({made, *fields})

    def construct(self, call: r.Call, cls: str) -> Handles:
        given = self.evaluated(call)[0]
        fact = self.memory.member(cls, "__init__")
        if self.memory.role(cls) == "callback":
            self.used(call, given)
            return frozenset({self.create(call, cls)}) if self.wraps_function(call) else NOTHING
        source = fact is not None and fact.source and self.argument(call, given, fact.source, fact.parameters)
        if fact is not None and source:
            made = frozenset(self.derived(h, _of(fact, cls), call) for h in native(source[1]))
            if made:
                return made
        return self.filled(call, cls, given)

    def wraps_function(self, call: r.Call) -> bool:
        """Whether the one argument can be a function of Python: a number is the address of one that exists."""
        if len(call.args) != 1:
            return False
        match call.args[0]:
            case r.Lambda() | r.Member():
                return True
            case r.Name(text=name):
                bound = self.known.instances.bindings(self.function).get(name, [])
                numbers = any(isinstance(v, (r.Call, r.Literal, r.Binary)) for v in bound)
                return None in bound or not numbers or self.is_partial(bound)
            case r.Call() as inner:
                return self.is_partial([inner])
            case r.Conditional(then=then, other=other):
                return all(isinstance(side, (r.Lambda, r.Member, r.Name)) for side in (then, other))
        return False

    def is_partial(self, bound: list[r.Value | None]) -> bool:
        """`partial(f, x)`, or what a function of the project makes of a function."""
        known, names = self.known.instances, self.function.program.names
        calls = [value for value in bound if isinstance(value, r.Call)]
        return bool(calls) and all(
            names.meant_name(self.function.file, value.callee) == "partial"
            or known.function(known.symbol(self.function, value.callee)) is not None
            for value in calls
        )

    def builtin(self, call: r.Call, name: str, arguments: list[Handles]) -> Handles | None:
        match name:
            case _ if name in _NUMBERS:
                return NOTHING
            case "memoryview":
                return arguments[0] if arguments else NOTHING
            case "int":
                return frozenset(self.as_number(h, call) for h in arguments[0]) if arguments else NOTHING
            case "setattr":
                self.escape_all(h for handles in arguments for h in handles if h.holds)
                return NOTHING
            case "map":
                parts = (self.elements(handles, call) for handles in arguments)
                return inside((h for part in parts for h in part), ANY)
        return super().builtin(call, name, arguments)

    def as_number(self, handle: Handle, call: r.Call) -> Handle:
        """`int(x)`: the address of some, and of an address itself."""
        fact = self.memory.member(handle.cls, "__int__") if not handle.path else None
        return self.derived(handle, fact, call) if fact is not None else handle

    # --- methods ---

    def method_of(
        self, call: r.Call, callee: r.Member, symbol: str, on: Handles, arguments: list[Handles], given: list[Handles]
    ) -> Handles:
        on = self.with_class(callee.base, on, callee.name)
        direct = in_order(native(on))
        known = any(handle.cls for handle in direct)
        if not known:
            told = self.memory.told_by.get(callee.name, "") if not self.objects(on) else ""
            kind = self.kind(callee.base) or (Kind(told, True) if told else None)
            if kind is not None:
                return self.of_instance(call, callee, kind, arguments)
        facts = [(handle, fact) for handle in direct if (fact := self.memory.member(handle.cls, callee.name))]
        if facts:
            return frozenset(h for handle, fact in facts for h in self.taken_by(call, callee, handle, fact, arguments))
        for handle in direct:
            self.touch(handle, callee.base, None)
        if not symbol and not known and (cls := self.known.fresh(callee.name, self.function.file)):
            doubt = because("later-use", f"that `{text(call.callee)}` returns a new object is inferred from its name")
            return frozenset({self.create(call, cls)._replace(sure=doubt)})
        if known:
            self.used(call, arguments)
            self.see(arguments)
            return NOTHING
        return self.python_method(call, callee, symbol, on, arguments, given)

    def taken_by(
        self, call: r.Call, callee: r.Member, handle: Handle, fact: MemoryFact, given: list[Handles]
    ) -> Handles:
        if fact.source == 0 and fact.keeps in ("owner", "none"):
            self.touch(handle, callee.base, fact)
            return frozenset({self.derived(handle, fact, call)})
        fact = _of(fact, handle.cls) if fact.keeps == "own" else fact
        return self.by_memory(call, fact, frozenset({handle}), given)

    def of_instance(self, call: r.Call, callee: r.Member, kind: Kind, given: list[Handles]) -> Handles:
        """A method of an object of a known class that has no token: a library, a maker, a class's own method."""
        fact = self.memory.member(kind.type, callee.name)
        if fact is not None:
            return self.by_memory(call, _of(fact, kind.type), NOTHING, given)
        self.used(call, given)
        if self.memory.role(kind.type) == "library":
            self.register(call, given, foreign=True)
        elif not self.register(call, given, foreign=False):
            self.see(given)
        return NOTHING

    # --- functions of the project, and those that nobody knows ---

    def project(
        self,
        call: r.Call,
        symbol: str,
        on: Handles,
        arguments: list[Handles],
        values: list[Handles],
        receiver: Handles = NOTHING,
    ) -> Handles:
        for handle in in_order(native(on)):
            self.touch(handle, call.callee, None)
        self.used(call, arguments)
        on = on or (self.code_called(symbol) if symbol else NOTHING) or self.only_method(call, receiver)
        self.of_project = any(h.cls.startswith((CODE, MEMBER)) for h in on)
        return super().project(call, symbol, on, arguments, values, receiver)

    def only_method(self, call: r.Call, receiver: Handles) -> Handles:
        """Of an object that nobody knows: the only method of that name."""
        if not isinstance(call.callee, r.Member) or self.objects(receiver):
            return NOTHING
        method = self.known.instances.only_method(call.callee.name)
        made = self.decorated(method) if method is not None else NOTHING
        static = method is not None and "static" in method.record.qualifiers
        itself = PassedArgument(receiver or frozenset({own(PLAIN)}))  # of an object of which nothing is known, too
        return made if static or not made else made | frozenset(bound_to([itself]))

    def invoke(
        self, call: r.Call, function: Function, arguments: dict[str, Handles], around: dict[str, Handles]
    ) -> Handles | None:
        """What belongs to the caller of this function, or to nobody known, is of no account to the one it calls. One
        that is given nothing, and says nothing of memory, does nothing to it."""
        given = [h for handles in (*arguments.values(), *around.values()) for h in handles if not h.is_python]
        if not given and not self.known.runs.concerned(function):
            return NOTHING
        followed = [h for h in given if _is_followed(h)]
        plain = all(h.path == () and any(h in handles for handles in arguments.values()) for h in followed)
        if plain and not (followed and any(map(self.objects, arguments.values()))):
            return self.by_parameters(call, function, arguments)
        passed, found = (
            {name: frozenset(h for h in handles if h.is_python or _is_followed(h)) for name, handles in every.items()}
            for every in (arguments, around)
        )
        return super().invoke(call, function, passed, found)

    def by_parameters(self, call: r.Call, function: Function, arguments: dict[str, Handles]) -> Handles | None:
        """What a function does that is given objects themselves, and none that others hold: it is looked at once."""
        summary = self.known.called(function, ())
        if summary is None:
            return None
        tokens: dict[Token, Handle] = {}
        others: dict[Token, list[Handle]] = {}
        for number, parameter in enumerate(function.record.parameters):
            objects = [h for h in in_order(arguments.get(parameter.name, NOTHING)) if not h.path]
            if first := next((h for h in objects if not h.is_python), next(iter(objects), None)):
                tokens[-1 - number, 0] = first
                others.setdefault(first.token, []).extend(h for h in objects if h is not first)
        found = set(self.carried_out(call, summary, tokens, arguments, set()))
        for token, beside in others.items():  # one of them stands for all
            if token in self.state.escaped:
                self.escape_all(frozenset(beside))
            found |= {h._replace(token=other.token) for h in found if h.token == token for other in beside}
            known = self.state.dependences
            stores = frozenset(d._replace(argument=o.token) for d in known if d.argument == token for o in beside)
            self.state = self.state._replace(dependences=known | stores) if stores else self.state
        return frozenset(found)

    def case(self, state: HandleState, generates: bool) -> HandleCase:
        """With the parameters that may be kept."""
        case = super().case(state, generates)
        tokens = ((-1 - number, 0) for number in range(len(self.function.record.parameters)))
        kept = (token for token in tokens if token in state.escaped or state.is_stored(token))
        return case._replace(kept=case.kept | frozenset(kept))

    def unknown(self, call: r.Call, symbol: str, arguments: list[Handles]) -> Handles:
        if self.of_project or (symbol and is_standard(symbol)):
            self.escape_all(h for handles in arguments for h in handles if h.holds)
        elif not self.register(call, arguments, foreign=False):
            self.see(arguments)
        return NOTHING

    def used(self, call: r.Call, given: list[Handles]) -> None:
        for value, handles in zip(call.args, given, strict=False):
            for handle in in_order(h for h in handles if not h.holds):
                dead = not self.state.alive(handle.token)
                direct = value.start <= handle.taken.start and handle.taken.end <= value.end
                if direct and handle.loss == ADDRESS:
                    doubt = because("possible", "the memory may stay valid until the call returns")
                    handle = handle._replace(sure=weaker(handle.sure, doubt))
                self.judge("use", handle, value.span, dead=dead)

    def see(self, given: list[Handles]) -> None:
        """A call that nobody knows may keep its arguments."""
        held = {h for handles in given for h in handles if h.holds and not h.is_python}
        callbacks = {h.token for h in held if self.memory.role(h.cls) == "callback"}
        self.escape_all(h for h in held if h.token not in callbacks)
        self.state = self.state._replace(doubtful=self.state.doubtful | callbacks)

    # --- callbacks ---

    def register(self, call: r.Call, given: list[Handles], *, foreign: bool) -> bool:
        """Whether one of the arguments is a callback that the function keeps by its address, as far as one can tell."""
        callee = last_name(call.callee)
        keeps = self.memory.keeps_callback(callee)
        passed = [h for handles in given for h in in_order(native(handles)) if h.holds]
        callbacks = [h for h in passed if self.memory.role(h.cls) == "callback" or (not h.cls and keeps)]
        if not callbacks or keeps is False:
            return False
        collects = python_builtins.ADDS_ONE | python_builtins.ADDS_MANY
        if keeps and not foreign and (callee in collects or self.known.instances.method(callee)):
            return False
        if keeps and not foreign and not isinstance(call.callee, (r.Member, r.Name)):
            return False
        name = text(call.callee)
        inferred = because("later-use", f"that `{name}` keeps the pointer after it returns is inferred from its name")
        sure = inferred if keeps else because("possible", f"it is not known whether `{name}` keeps it alive")
        for handle in callbacks:
            kept = Dependence(FOR_GOOD, handle.token, callee, 0, call.span, handle.shown, name, certainty=sure)
            HandleCalls.depends(self, kept, handle)  # it may be put into something yet: the end of the function tells
        return bool(keeps) and any(handle.cls for handle in callbacks)

    def end_registrations(self, call: r.Call) -> None:
        """A callback that a local holds until it is taken back, or while the foreign side runs, is kept long enough."""
        ends = self.memory.ends_callback(last_name(call.callee))
        given = {argument.text for argument in call.args if isinstance(argument, r.Name)}
        nulls = any(isinstance(argument, r.Literal) and argument.text in _NULLS for argument in call.args)
        left: set[Dependence] = set()
        for one in self.state.dependences:
            if one.at == call.span:
                self.registering[call.span] = call
                left.add(one)
                continue
            others = self.registered_with(one)
            local = bool(given & others) and others.isdisjoint(leaving_names(self.function))
            again = nulls and text(call.callee) == one.by
            if not ((ends or again or local) and self.state.alive(one.argument)):
                left.add(one)
        self.state = self.state._replace(dependences=frozenset(left))

    def registered_with(self, one: Dependence) -> set[str]:
        """Locals beside the callback in the call that has stored it."""
        call = self.registering.get(one.at)
        if call is None:
            return set()
        beside = [*call.args, *([call.callee.base] if isinstance(call.callee, r.Member) else ())]
        names = {value.text for value in beside if isinstance(value, r.Name) and self.is_local(value)}
        return {name for name in names if all(h.token != one.argument for h in self.state.get(name))}

    # --- what is handed over once ---

    def hand_over(self, call: r.Call, fact: MemoryFact, given: list[Handles]) -> None:
        """What can be handed over once, and what is filled anew."""
        filled = self.argument(call, given, fact.fills, fact.parameters) if fact.fills else None
        for handle in in_order(filled[1]) if filled is not None else ():
            self.state = self.state.forgiven(handle.token, HandleChain())
        taken = self.argument(call, given, fact.consumes, fact.parameters) if fact.consumes else None
        for handle in in_order(native(taken[1])) if taken is not None else ():
            of_caller = not handle.cls and is_parameter(handle.token)  # who knows what it is
            if of_caller or self.memory.role(handle.cls) in ("capsule", "address", "raw"):
                if handle.stale is not None and not of_caller:
                    self.judge_stale("again", handle, call.span)
                why = Stale(call.span, text(call), handle.shown, "consumed", "deep", handle.sure)
                self.state = self.state.invalidated(Ending(handle.token, HandleChain(), "deep", "consumed"), why)

    def judge_stale(self, kind: str, handle: Handle, at: Span) -> None:
        """What was handed over may be looked at."""
        if kind == "again":
            super().judge_stale(kind, handle, at)

    def is_assertion(self, value: r.Value) -> bool:
        """`with raises(E):`, or a name that was given such a context."""
        match value:
            case r.Call(callee=callee):
                return last_name(callee) in _EXPECTS
            case r.Name(text=name):
                module = self.known.instances.module_body(self.function.file)
                scopes = [self.function, *([module] if module is not None else [])]
                bound = (given for scope in scopes for given in self.known.instances.bindings(scope).get(name, []))
                return any(isinstance(given, r.Call) and last_name(given.callee) in _EXPECTS for given in bound)
        return False

    # --- judging ---

    def returned(self, statement: r.Leave) -> None:
        """Who gets the owner may keep it as long as what was stored."""
        super().returned(statement)
        self.escape_all(h for h in self.state.result if h.holds and h.token[0] >= 0)

    def judge_stored(self, stored: StoredHandle, *, kept: bool) -> None:
        handle = stored.handle
        if not handle.is_python:
            self.judge("store", handle, stored.at, dead=not kept)

    def judge(self, kind: str, handle: Handle, at: Span, *, dead: bool) -> None:
        if handle.holds:
            unowned = handle.loss == FOREIGN_BUFFER and kind in ("return", "store")
            dead = unowned or (handle.loss == LENT and kind == "return" and not handle.path)
            if not dead:
                return
        elif handle.token[0] < 0:  # the caller's own
            return
        key = (kind, at.start, at.end, handle.taken.start, handle.taken.end)
        self.reached[key] = self.reached.get(key, 0) + 1
        if not dead:
            return
        site, ended = handle.token[0], self.state.end_of(handle.token)
        temporary = ended is None and ("held", handle.token) not in self.state.names.index
        bare = handle.loss in (FIELD, RAW_FIELD) or (temporary and handle.loss in (ADDRESS, RAW))
        owner, made = self.owners.get(site, handle.shown), self.made.get(site, handle.taken)
        misuse = HandleMisuse(
            self.function, kind, handle.taken if bare else at, handle, owner, made, ended, handle.sure,
            temporary=temporary, used=at,
        )  # fmt: skip
        self.found.setdefault(key, []).append(misuse)

    def judge_dependence(self, kept: Dependence, kind: str, at: Span, gone: bool) -> None:
        """A callback that somebody else may keep is lost surely to one who may not keep it either."""
        doubtful = kept.argument in self.state.doubtful and kept.certainty != "possible"
        super().judge_dependence(kept, kind, at, gone and not doubtful)

    def first_of_each(self, found: list[HandleMisuse]) -> list[HandleMisuse]:
        """The first misuse of each handle taken, and one at a place: the others follow from it."""

        def rank(one: HandleMisuse) -> tuple[object, ...]:
            return (one.certainty == "possible", one.kind != "store", one.at, one.kind, one.child.taken)

        taken: dict[tuple[str, int], HandleMisuse] = {}
        for misuse in sorted(found, key=rank):
            taken.setdefault((_group(misuse), misuse.child.taken.start), misuse)
        first: dict[tuple[str, int], HandleMisuse] = {}
        for misuse in sorted(taken.values(), key=lambda m: (m.certainty == "possible", m.at, m.kind, m.child.taken)):
            at = _statement(misuse) if misuse.child.loss in (RAW_FIELD, FIELD) else misuse.at.start
            first.setdefault(("kept" if misuse.stored is not None else "", at), misuse)
        return sorted(first.values(), key=lambda m: (m.at, m.kind))


def root(value: r.Value) -> str:
    """The name that a chain of members and items begins with; empty where it begins with something else."""
    while isinstance(value, (r.Member, r.Index)):
        value = value.base
    return value.text if isinstance(value, r.Name) else ""


def _walked(target: r.Value, iterable: r.Value | None) -> Iterator[tuple[str, r.Value | None]]:
    """What a loop walks for each name of its target."""
    match target, iterable:
        case r.Aggregate(items=items), r.Call(callee=r.Name(text="zip"), args=args) if len(items) == len(args):
            for item, given in zip(items, args, strict=True):
                yield from _walked(item, given)
        case r.Aggregate(items=(r.Name(text=number), item)), r.Call(callee=r.Name(text="enumerate"), args=(given, *_)):
            yield number, None
            yield from _walked(item, given)
        case _:
            names = [part.text for part in walk(target) if isinstance(part, r.Name)]
            yield from ((name, iterable if isinstance(target, r.Name) else None) for name in names)


def leaving_names(function: Function) -> frozenset[str]:
    """Locals that are returned, or put into something, somewhere in the function."""
    found: set[str] = set()
    for statement in function.statements:
        if isinstance(statement, r.Leave) and statement.value is not None:
            found |= names_in(statement.value)
        for value in values(statement):
            for part in walk(value):
                match part:
                    case r.Assign(target=r.Member() | r.Index(), value=r.Name(text=name)):
                        found.add(name)
    return frozenset(found)


def _is_followed(handle: Handle) -> bool:
    return not handle.is_python and (handle.token[0] >= 0 or is_given(handle.token))


def _group(misuse: HandleMisuse) -> str:
    return "kept" if misuse.stored is not None else "consumed" if misuse.stale is not None else ""


def _statement(misuse: HandleMisuse) -> int:
    """Where the statement begins: one that fills several fields is told of once."""
    at = misuse.at.start
    return max((s.start for s in misuse.function.statements if s.start <= at < s.end), default=at)


def _not_known(made: r.Value) -> Certainty:
    """The doubt where a call's result is taken for an object of its own."""
    return because("possible", f"the result of `{text(made)}` may be kept alive elsewhere")


def _of(fact: MemoryFact, cls: str) -> MemoryFact:
    """The fact, where it speaks about the receiver's own class."""
    return replace(fact, returns=cls) if fact.returns in ("", "self") and fact.keeps != "copy" else fact
