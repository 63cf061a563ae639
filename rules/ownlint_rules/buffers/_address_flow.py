"""An abstract interpreter over the structured body of a Python function: which raw addresses outlive their owners.

States are kept apart path by path, at most so many of them, so that two branches that each bind an owner and its
address do not accuse each other.
"""

from __future__ import annotations

import msgspec

from ownlint import (
    SOME_PATHS,
    Certainty,
    Function,
    Span,
    because,
    bodies,
    closures,
    containment,
    decided,
    places,
    text,
    ways,
    weaker,
)
from ownlint import records as r
from ownlint_rules.buffers._address_calls import AddressCalls
from ownlint_rules.buffers._address_records import (
    LENT,
    NOTHING,
    AddressMisuse,
    AddressState,
    AddressSummary,
    Ref,
    Refs,
    Registered,
    Token,
    in_order,
    inside,
    whole,
)
from ownlint_rules.buffers._address_values import UNOWNED, AddressKnowledge

_RETURNED = "<returned>"
_LOOP_ENDS = "the loop over it ends here"
_WITH_ENDS = "its `with` block ends here"
_EXPECTS = frozenset(["raises", "assertRaises", "assertRaisesRegex", "suppress", "assertWarns", "warns"])
_NULLS = frozenset(["0", "None"])


class AddressInterpreter(AddressCalls, ways.Ways[AddressState]):
    """Runs one function abstractly and collects misuses."""

    MOST_STATES = 8
    MOST_STEPS = 8_000

    def __init__(self, function: Function, known: AddressKnowledge) -> None:
        AddressCalls.__init__(self, function, known)
        ways.Ways.__init__(self)
        self.found: dict[tuple[str, int, int], list[AddressMisuse]] = {}
        self.reached: dict[tuple[str, int, int], int] = {}
        self.given_back: list[Refs | None] = []
        self.expected = 0
        """How many blocks are open that expect an error."""
        self.hidden = closures.kept_out_of_sight(function)
        self.outside = closures.outside_names(function)
        self.is_module = function.record.kind == "module"
        self.stays = function.record.kind in ("module", "class")
        self.looked_at = closures.read_by_functions(function) if self.is_module else frozenset[str]()
        self.leaving_names = leaving_names(function)

    # --- running ---

    def run(self) -> list[AddressMisuse]:
        state = AddressState()
        for number, parameter in enumerate(self.function.record.parameters):
            own = number == 0 and self.function.record.owner and "static" not in self.function.record.qualifiers
            if not own and not parameter.spread:
                kind = self.known.of(self.function, r.Name(parameter.start, parameter.start, parameter.name))
                at = Span(parameter.start, parameter.end)
                cls = kind.type if kind is not None else ""
                ref = Ref(cls, (-1 - number, 0), True, at, parameter.name, whole=True)
                state = state.bind(parameter.name, frozenset({ref}), at, "")
        if not self.follow(state):
            return []
        for state in self.ends:
            self.leave(state)
        out = []
        for key, misuses in sorted(self.found.items()):
            sure = "certain" if self.reached.get(key, 0) <= len(misuses) else because("path", SOME_PATHS)
            certainty = weaker(sure, *(misuse.certainty for misuse in misuses))
            out.append(msgspec.structs.replace(misuses[0], certainty=certainty))
        return _first_of_each(out)

    def summary(self) -> AddressSummary | None:
        """What a caller has to know, after `run`; None when it cannot be said."""
        if self.too_long:
            return None
        kept: set[int] = set()
        registers: set[tuple[int, str, Certainty]] = set()
        for state in self.ends:
            kept |= {n for n in range(len(self.function.record.parameters)) if state.is_kept((-1 - n, 0))}
            registers |= {
                (-1 - one.token[0], one.callee, one.certainty) for one in state.registered if one.token[0] < 0
            }
        told = sorted(entry for entry in registers if entry[0] not in kept)
        return AddressSummary(_common(self.given_back), frozenset(kept), tuple(told))

    def knowing(self, state: AddressState, facts: decided.Facts) -> AddressState:
        return state._replace(facts=facts)

    def not_understood(self, names: tuple[str, ...]) -> None:
        self.escape_names(names)

    def returns(self, statement: r.Leave) -> None:
        self.state = self.state.bind(_RETURNED, self.value(statement.value), statement.span, "")

    def returned(self, statement: r.Leave) -> None:
        refs = self.state.get(_RETURNED)
        self.state = self.state.bind(_RETURNED, NOTHING, statement.span, "")
        nothing = statement.value is None or isinstance(statement.value, r.Literal)
        self.hand_out(refs, statement.value)
        self.given_back.append(None if nothing else self.kept_on_return(refs))
        self.escape_all(ref for ref in refs if ref.holds and ref.token[0] >= 0)

    def define(self, statement: r.Nested) -> None:
        """A nested function holds what it looks at."""
        held = self.closure(statement.function) if statement.function >= 0 else NOTHING
        self.set_name(statement.name, held, statement.span, "`{name}` is reassigned here")

    # --- loops, handlers, contexts ---

    def begin(self, statement: r.Loop) -> None:
        if statement.kind != "range":
            return
        refs = self.value(statement.iterable)
        for ref in in_order(whole(refs)):
            self.touch(ref, statement.iterable or statement.target or r.Name(0, 0, ""), None)
        self.set_name(_iterator(statement), refs, statement.span, _LOOP_ENDS)

    def next_item(self, statement: r.Loop) -> None:
        if statement.target is not None:
            elements = frozenset(self.elements(self.state.get(_iterator(statement))))
            self.assign(statement.target, elements, statement.span, None)

    def finish(self, statement: r.Loop) -> None:
        self.set_name(_iterator(statement), NOTHING, Span(statement.end, statement.end), _LOOP_ENDS)

    def enter(self, statement: r.With) -> None:
        for name, item in zip(_contexts(statement), statement.items, strict=True):
            refs = self.value(item.value)
            self.set_name(name, refs, item.span, _WITH_ENDS)
            if item.target is not None:
                self.assign(item.target, refs, item.span, item.value)

    def within(self, statement: r.With, states: list[AddressState]) -> list[AddressState]:
        expected = any(self.expects_an_error(item.value) for item in statement.items)
        self.expected += expected
        states = self.block(statement.body, states)
        self.expected -= expected
        return states

    def exit(self, statement: r.With) -> None:
        for name in _contexts(statement):
            self.set_name(name, NOTHING, Span(statement.end, statement.end), _WITH_ENDS)

    def expects_an_error(self, value: r.Value) -> bool:
        """`with raises(E):`, or a name that was given such a context."""
        match value:
            case r.Call(callee=callee):
                return places.last_name(callee) in _EXPECTS
            case r.Name(text=name):
                module = self.known.module_body(self.function.file)
                scopes = [self.function, *([module] if module is not None else [])]
                bound = (given for scope in scopes for given in self.known.bindings(scope).get(name, []))
                return any(isinstance(given, r.Call) and places.last_name(given.callee) in _EXPECTS for given in bound)
        return False

    def delete(self, targets: tuple[r.Value, ...], at: Span) -> None:
        for target in targets:
            match target:
                case r.Name(text=name):
                    self.set_name(name, NOTHING, at, "`{name}` is deleted here")
                case r.Aggregate(items=items):
                    self.delete(items, at)
                case _:
                    self.value(target)

    # --- the end ---

    def leave(self, state: AddressState) -> None:
        """The function ends: what was stored outlives it, its locals do not. The names of a module stay."""

        def kept(token: Token) -> bool:
            return state.is_kept(token) or (self.stays and state.is_named(token))

        self.state = state
        for stored in sorted(state.stored.entries, key=lambda s: (s.at, s.name, s.ref.taken, s.ref.path)):
            ref = stored.ref
            if stored.name and ref not in state.get(stored.name):
                continue
            if ref.loss == "foreign" and ref.holds:
                self.note("store", ref, stored.at, because("unread-code", UNOWNED))
            elif not ref.holds:
                self.settle("store", ref, stored.at, dead=not kept(ref.token))
        for one in sorted(state.registered):
            lost = one.token[0] >= 0 and not kept(one.token)
            if lost and (one.certainty == "possible" or one.token not in state.seen):
                self.not_kept(one)

    def not_kept(self, one: Registered) -> None:
        site = one.token[0]
        ref = Ref("", one.token, True, self.made[site], self.owners[site])
        ended = self.state.end_of(one.token)
        temporary = one.at.start <= self.made[site].start and self.made[site].end <= one.at.end
        certainty = weaker(one.certainty, self.doubts.get(site, "certain"))
        misuse = AddressMisuse(
            self.function, "kept", one.at, ref, self.owners[site], self.made[site], ended, certainty,
            callee=one.callee, temporary=temporary,
        )  # fmt: skip
        self.found.setdefault(("kept", one.at.start, self.made[site].start), []).append(misuse)

    # --- judging ---

    def judge(self, kind: str, ref: Ref, at: Span, *, direct: bool = False) -> None:
        if not ref.holds:
            self.settle(kind, ref, at, dead=not self.state.alive(ref.token), direct=direct)

    def settle(self, kind: str, ref: Ref, at: Span, *, dead: bool, direct: bool = False) -> None:
        if ref.token[0] < 0:  # the caller's own
            return
        key = (kind, at.start, ref.taken.start)
        self.reached[key] = self.reached.get(key, 0) + 1
        if dead:
            cached = direct and ref.loss == "address"
            doubt = because("possible", "the memory may stay valid until the call returns") if cached else "certain"
            self.note(kind, ref, at, doubt)

    def note(self, kind: str, ref: Ref, at: Span, certainty: Certainty, before: Span | None = None) -> None:
        site = ref.token[0]
        made, owner = self.made.get(site), self.owners.get(site, ref.shown)
        ended = self.state.end_of(ref.token)
        certainty = weaker(certainty, self.doubts.get(site, "certain"))
        temporary = ended is None and not self.state.is_named(ref.token)
        place = self.place(kind, ref, at, temporary=temporary)
        misuse = AddressMisuse(
            self.function, kind, place, ref, owner, made, ended, certainty, before, temporary=temporary, used=at
        )  # fmt: skip
        self.found.setdefault((kind, at.start, ref.taken.start), []).append(misuse)

    def place(self, kind: str, ref: Ref, at: Span, *, temporary: bool) -> Span:
        """Where the mistake is: a temporary is lost where its address is taken, a pointer where it becomes a field."""
        if ref.loss in ("field", "raw field") or (temporary and ref.loss in ("address", "raw")):
            return ref.taken
        return at

    def consume_again(self, ref: Ref, call: r.Call, before: Span) -> None:
        if not self.expected:
            self.note("consumed", ref, call.span, "certain", before)

    def hand_out(self, refs: Refs, value: r.Value | None) -> None:
        """These leave the function; what holds their owner may leave with them."""
        kept = {ref.token for ref in refs if ref.holds}
        for ref in in_order(refs) if value is not None else ():
            assert value is not None
            if ref.loss == "foreign" and ref.holds:
                self.note("return", ref, value.span, because("unread-code", UNOWNED))
            elif ref.loss == LENT and ref.holds and not ref.path:
                self.note("return", ref, value.span, "certain")
            elif not ref.holds:
                gone = ref.token not in kept and not self.state.is_kept(ref.token)
                self.settle("return", ref, value.span, dead=gone)

    def kept_on_return(self, refs: Refs) -> Refs:
        """Without those that are dead when the caller gets them: they are reported here."""
        held = {ref.token for ref in refs if ref.holds}
        return frozenset(ref for ref in refs if ref.token in held or ref.token[0] < 0)

    # --- calls that end a registration ---

    def call(self, call: r.Call) -> Refs:
        refs = super().call(call)
        if self.state.registered:
            self.end_registrations(call)
        return refs

    def end_registrations(self, call: r.Call) -> None:
        """A callback that a local holds until it is taken back, or while the foreign side runs, is kept long enough."""
        name = places.last_name(call.callee)
        ends = self.memory.ends_callback(name)
        given = {argument.text for argument in call.args if isinstance(argument, r.Name)}
        nulls = any(isinstance(argument, r.Literal) and argument.text in _NULLS for argument in call.args)
        kept = set()
        for one in self.state.registered:
            held = self.state.alive(one.token)
            again = nulls and text(call.callee) == one.callee
            local = bool(given & set(one.others)) and not set(one.others) & self.leaving_names and call.span != one.at
            if not (held and (ends or again or local) and call.span != one.at):
                kept.add(one)
        self.state = self.state._replace(registered=frozenset(kept))

    # --- names ---

    def set_name(self, name: str, refs: Refs, at: Span, how: str) -> None:
        self.state = self.state.bind(name, refs, at, how)
        self.state = self.state._replace(facts=decided.without(name, self.state.facts))
        if name in self.hidden:
            self.escape_all(refs)

    def assign(self, target: r.Value, refs: Refs, at: Span, source: r.Value | None = None) -> None:
        match target:
            case r.Name(text=name):
                self.assign_name(name, refs, at)
                self.state = self.state._replace(facts=decided.bound(name, source, self.state.facts))
            case r.Aggregate(items=items):
                self.unpack(items, refs, at)
            case r.Unary(op="spread", value=inner):
                self.assign(inner, inside(refs, containment.ANY), at)
            case r.Member(base=base, name=name):
                self.assign_into(base, "." + name, refs, at, source or target)
            case r.Index(base=base, indexes=indexes):
                for index in indexes:
                    self.value(index)
                self.value(base)
                self.assign_into(base, containment.VALUE, refs, at, source or target)

    def assign_name(self, name: str, refs: Refs, at: Span) -> None:
        if name in self.outside:
            self.escape_all(ref for ref in refs if ref.holds)
            self.store(refs, at)
        elif self.function.record.kind == "class":
            self.store(refs, at)
        elif name in self.looked_at:
            self.store(refs, at, name)
        self.set_name(name, refs, at, "`{name}` is reassigned here")

    def assign_into(self, base: r.Value, slot: str, refs: Refs, at: Span, source: r.Value) -> None:
        role = self.object_role(base)
        if role in ("struct", "raw", "pointer"):
            refs = self.put_in(refs, "raw" if role == "raw" else "struct", source)
            for ref in in_order(refs):
                if not ref.holds and ref.loss in ("field", "raw field"):
                    self.judge("store", ref, at)
        self.put(base, inside(refs, slot), at, slot if slot[:1] == "." and isinstance(base, r.Name) else "")

    def object_role(self, base: r.Value) -> str:
        """What kind of object is written to; of a part of a structure, what the structure is."""
        roles = {self.memory.role(ref.cls) for ref in whole(self.value(base))}
        for role in ("raw", "struct", "pointer"):
            if role in roles:
                return role
        kind = self.known.of(self.function, base)
        if kind is not None and kind.instance:
            return self.memory.role(kind.type)
        if isinstance(base, (r.Member, r.Index)):
            outer = self.object_role(base.base)
            return outer if outer in ("raw", "struct", "pointer") else ""
        return ""

    def unpack(self, items: tuple[r.Value, ...], refs: Refs, at: Span) -> None:
        """`a, *b = pair`: what sits in a place goes to its target, what sits anywhere to all."""
        loose = frozenset(self.elements(whole(refs)))
        spread = any(isinstance(item, r.Unary) for item in items)
        for position, item in enumerate(items):
            placed = frozenset(
                ref.out()
                for ref in refs
                if ref.path and (ref.path[0] in (containment.ANY, str(position)) or (spread and ref.path[0].isdigit()))
            )
            self.assign(item, loose | placed, at)


def _iterator(statement: r.Loop) -> str:
    """The hidden name of what a loop walks."""
    return f"<iterator {statement.start}>"


def _contexts(statement: r.With) -> list[str]:
    """The hidden names of what a `with` has entered."""
    return [f"<with {statement.start} {position}>" for position in range(len(statement.items))]


def leaving_names(function: Function) -> frozenset[str]:
    """Locals that are returned, or put into something, somewhere in the function."""
    found: set[str] = set()
    for statement in function.statements:
        if isinstance(statement, r.Leave) and statement.value is not None:
            found |= {part.text for part in places.walk(statement.value) if isinstance(part, r.Name)}
        for value in bodies.values(statement):
            for part in places.walk(value):
                match part:
                    case r.Assign(target=r.Member() | r.Index(), value=r.Name(text=name)):
                        found.add(name)
    return frozenset(found)


def _common(returned: list[Refs | None]) -> Refs:
    """What the returns hand out, `return None` aside."""
    return frozenset(ref for refs in returned if refs is not None for ref in refs)


def _first_of_each(found: list[AddressMisuse]) -> list[AddressMisuse]:
    """The first misuse of each ref taken, and one at a place: the others follow from it."""
    taken: dict[tuple[str, int], AddressMisuse] = {}
    for misuse in sorted(
        found, key=lambda m: (m.certainty == "possible", m.kind != "store", m.at, m.kind, m.ref.taken)
    ):
        group = misuse.kind if misuse.kind in ("consumed", "kept") else ""
        taken.setdefault((group, misuse.ref.taken.start), misuse)
    first: dict[tuple[str, int], AddressMisuse] = {}
    for misuse in sorted(taken.values(), key=lambda m: (m.certainty == "possible", m.at, m.kind, m.ref.taken)):
        at = _statement(misuse) if misuse.ref.loss in ("field", "raw field") else misuse.at.start
        first.setdefault((misuse.kind if misuse.kind == "kept" else "", at), misuse)
    return sorted(first.values(), key=lambda m: (m.at, m.kind))


def _statement(misuse: AddressMisuse) -> int:
    """Where the statement begins: one that fills several fields is told of once."""
    at = misuse.at.start
    return max((s.start for s in misuse.function.statements if s.start <= at < s.end), default=at)
