"""What a call in Python does with raw memory: makes an owner, takes an address, keeps a callback, uses up a capsule."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ownlint import (
    Certainty,
    Function,
    Span,
    because,
    containment,
    instances,
    memory_models,
    places,
    python_builtins,
    text,
)
from ownlint import records as r
from ownlint_rules.buffers import _lent as lent
from ownlint_rules.buffers._address_records import (
    LENT,
    NOTHING,
    AddressSummary,
    Ref,
    Refs,
    Registered,
    Token,
    in_order,
    inside,
    whole,
)
from ownlint_rules.buffers._address_values import (
    UNOWNED,
    AddressValues,
    not_known,
    root,
)

_PLAIN = (python_builtins.READS | python_builtins.LOOKS_AT_NOTHING) - {"map", "setattr", "int", "memoryview", "del"}
_PLAIN |= {"hex", "oct", "bin", "divmod", "pow", "bytearray"}
_SEES = (
    _PLAIN
    | python_builtins.COLLECTS
    | {"int", "memoryview", "iter", "next", "enumerate", "zip", "map", "setattr", "getattr"}
)


class AddressCalls(AddressValues):
    """Evaluates calls."""

    def call(self, call: r.Call) -> Refs:
        symbol = self.known.symbol(self.function, call.callee) if not self.is_shadowed(call.callee) else ""
        if symbol and (fact := self.memory.function(symbol)) is not None:
            return self.by_fact(call, fact, NOTHING, self.arguments(call))
        if isinstance(call.callee, r.Name) and symbol in ("", f"builtins.{call.callee.text}"):
            given = self.builtin(call, call.callee.text)
            if given is not None:
                return given
        kind = self.known.of(self.function, call.callee)
        if kind is not None and not kind.instance:
            return self.construct(call, kind.type)
        if kind is not None and (fact := self.memory.member(kind.type, "__call__")) is not None:
            self.value(call.callee)
            return self.by_fact(call, fact, NOTHING, self.arguments(call))
        if isinstance(call.callee, r.Member):
            return self.method(call, call.callee, symbol)
        for ref in in_order(whole(self.value(call.callee))):
            self.touch(ref, call.callee, None)
        return self.unknown(call, symbol, self.arguments(call))

    def is_shadowed(self, callee: r.Value) -> bool:
        return isinstance(callee, r.Name) and bool(self.state.get(callee.text))

    def arguments(self, call: r.Call) -> list[Refs]:
        return [self.value(argument) for argument in call.args]

    def argument(
        self, call: r.Call, given: list[Refs], number: int, names: tuple[str, ...]
    ) -> tuple[r.Value, Refs] | None:
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

    def by_fact(self, call: r.Call, fact: memory_models.MemoryFact, on: Refs, given: list[Refs]) -> Refs:
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
                    self.used(call, [refs for refs in given if not any(ref.holds for ref in refs)])
                certainty: Certainty = "certain"
                if fact.may_return:
                    certainty = because(
                        "unread-code", f"`{text(call.callee)}` may return its own argument, which is alive"
                    )
                return self.filled(call, fact.returns, given, certainty)
        number = fact.source
        found = (call, on) if number == 0 else self.argument(call, given, number, fact.parameters)
        if number and call.args and (found is None or isinstance(found[0], r.Literal)):
            found = (call.args[-1], given[-1])
        refs = found[1] if found is not None else NOTHING
        if found is not None and not refs and fact.at_address and (made := self.lent(call, fact, found[0])):
            return made
        if (
            not refs
            and found is not None
            and fact.keeps == "owner"
            and isinstance(found[0], r.Call)
            and found[0] is not call
        ):
            return frozenset({self.create(call, fact.returns, because("possible", not_known(found[0])))})
        if self.memory.role(fact.returns) == "foreign":
            return self.foreign(call, fact, refs, given)
        if fact.keeps == "none" and number and self.memory.role(fact.returns) != "address":
            self.used(call, [refs if refs is held else NOTHING for held in given])
        gives = {self.derived(ref, fact, call) for ref in refs if not ref.path or fact.keeps == "owner"}
        if fact.keeps == "owner":  # what is in the fields of what it points to
            gives |= {ref for ref in refs if ref.path}
        return frozenset(gives)

    def stored_bare(self, call: r.Call, fact: memory_models.MemoryFact, given: list[Refs]) -> None:
        """The receiver takes an address and forgets whose it is: a temporary is gone at once, and a local when the
        receiver, a local too, leaves without it."""
        found = self.argument(call, given, fact.stores, fact.parameters)
        if found is None or not isinstance(call.callee, r.Member):
            return
        value, refs = found
        bare = frozenset(
            ref._replace(holds=False, loss="field", taken=value.span, shown=text(value), whole=False)
            for ref in refs
            if not ref.path
        )
        for ref in in_order(bare):
            self.judge("store", ref, value.span)
        base = call.callee.base
        if isinstance(base, r.Name) and base.text in self.declared and base.text not in self.parameters:
            self.put(base, inside(bare, ".*"), call.span)

    def foreign(self, call: r.Call, fact: memory_models.MemoryFact, refs: Refs, given: list[Refs]) -> Refs:
        """Memory that is wrapped: it knows no owner, unless one is given."""
        keeper = self.argument(call, given, fact.kept, fact.parameters) if fact.kept else None
        if keeper is not None and not (isinstance(keeper[0], r.Literal) and keeper[0].kind == "null"):
            return keeper[1]
        wrapped = frozenset(self.derived(ref, fact, call) for ref in whole(refs))
        source = self.argument(call, given, fact.source, fact.parameters)
        if any(ref.token[0] >= 0 for ref in wrapped) or (source is not None and not refs and self.lasts(source[0])):
            return wrapped
        made = self.create(call, fact.returns)
        self.doubts[made.token[0]] = because("unread-code", UNOWNED)
        return frozenset({made._replace(loss="foreign")})

    def lent(self, call: r.Call, fact: memory_models.MemoryFact, address: r.Value) -> Refs:
        """Memory of which nobody here is the owner: the object's own, which frees it when it dies, or unknown."""
        handle = lent.handle_behind(self.function, address, self.points)
        if not handle:
            return NOTHING
        made = self.create(call, fact.returns)
        self.doubts[made.token[0]] = because(
            "caller", f"harmless if callers keep the object that `{handle}` was taken from alive"
        )
        return frozenset({made._replace(loss=LENT, whole=False)})

    def points(self, call: r.Call) -> bool:
        """Whether its result points to what its first argument is: `byref(size)`."""
        fact = self.memory.function(self.known.symbol(self.function, call.callee))
        return fact is not None and fact.source == 1

    def lasts(self, value: r.Value) -> bool:
        """Whether it is taken from a global or from `self`, which may live long enough."""
        name = root(value)
        return bool(name) and (name not in self.declared or name in ("self", "cls"))

    def filled(self, call: r.Call, cls: str, given: list[Refs], certainty: Certainty = "certain") -> Refs:
        """A new object, and in it what it was given; a library or a maker is no memory itself."""
        if self.memory.role(cls) in ("library", "maker"):
            return NOTHING
        made = self.create(call, cls, certainty)
        role = self.memory.role(cls)
        if role not in ("struct", "raw"):
            return frozenset({made})
        fields: set[Ref] = set()
        for value, refs in zip(call.args, given, strict=True):
            for ref in self.put_in(refs, role, value):
                # Data of C takes pointers from data of C alone; bytes and arrays of Python are copied, or refused.
                kept = self.memory.role(ref.cls)
                if ref.cls and (kept in ("raw", "callback") if role == "raw" else kept != "owner"):
                    fields.add(ref._replace(path=()).inside(".*"))
        for ref in in_order(fields):
            if ref.loss in ("raw field", "field"):
                self.judge("store", ref, ref.taken)
        return frozenset({made, *fields})

    def construct(self, call: r.Call, cls: str) -> Refs:
        given = self.arguments(call)
        fact = self.memory.member(cls, "__init__")
        if self.memory.role(cls) == "callback":
            self.used(call, given)
            return frozenset({self.create(call, cls)}) if self.wraps_function(call) else NOTHING
        source = fact is not None and fact.source and self.argument(call, given, fact.source, fact.parameters)
        if fact is not None and source:
            fact = _of(fact, cls)
            made = frozenset(self.derived(ref, fact, call) for ref in whole(source[1]))
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
                bound = self.known.bindings(self.function).get(name, [])
                return (
                    None in bound
                    or not any(isinstance(v, (r.Call, r.Literal, r.Binary)) for v in bound)
                    or self.is_partial(bound)
                )
            case r.Call() as inner:
                return self.is_partial([inner])
            case r.Conditional(then=then, other=other):
                return all(isinstance(side, (r.Lambda, r.Member, r.Name)) for side in (then, other))
        return False

    def is_partial(self, values: list[r.Value | None]) -> bool:
        """`partial(f, x)`, or what a function of the project makes of a function."""
        calls = [value for value in values if isinstance(value, r.Call)]
        return bool(calls) and all(
            self.known.program.names.meant_name(self.function.file, value.callee) == "partial"
            or self.known.function(self.known.symbol(self.function, value.callee)) is not None
            for value in calls
        )

    def method(self, call: r.Call, callee: r.Member, symbol: str) -> Refs:
        on = self.told(callee.base, self.value(callee.base), callee.name)
        given = self.arguments(call)
        direct = whole(on)
        if not any(ref.cls for ref in direct):
            told = self.memory.told_by.get(callee.name, "")
            kind = self.known.of(self.function, callee.base) or (instances.Kind(told, True) if told else None)
            if kind is not None:
                return self.of_instance(call, callee, kind, given)
        facts = [(ref, fact) for ref in in_order(direct) if (fact := self.memory.member(ref.cls, callee.name))]
        if facts:
            return frozenset(made for ref, fact in facts for made in self.of_ref(call, callee, ref, fact, given))
        for ref in in_order(direct):
            self.touch(ref, callee.base, None)
        if not symbol and (cls := self.fresh(callee.name)) and not any(ref.cls for ref in direct):
            inferred = f"that `{text(call.callee)}` returns a new object is inferred from its name"
            return frozenset({self.create(call, cls, because("later-use", inferred))})
        if any(ref.cls for ref in direct):
            self.used(call, given)
            self.see(given)
            return NOTHING
        if (on or any(given)) and self.is_container(callee.base, on):
            return self.container_method(call, callee, on, given)
        return self.unknown(call, symbol, given)

    def of_ref(
        self, call: r.Call, callee: r.Member, ref: Ref, fact: memory_models.MemoryFact, given: list[Refs]
    ) -> Refs:
        if fact.source == 0 and fact.keeps in ("owner", "none"):
            self.touch(ref, callee.base, fact)
            return frozenset({self.derived(ref, fact, call)})
        if fact.keeps == "own":
            fact = _of(fact, ref.cls)
        return self.by_fact(call, fact, frozenset({ref}), given)

    def of_instance(self, call: r.Call, callee: r.Member, kind: instances.Kind, given: list[Refs]) -> Refs:
        """A method of an object of a known class that has no token: a library, a maker, a class's own method."""
        fact = self.memory.member(kind.type, callee.name)
        if fact is not None:
            return self.by_fact(call, _of(fact, kind.type), NOTHING, given)
        self.used(call, given)
        if self.memory.role(kind.type) == "library":
            self.register(call, given, foreign=True)
        elif not self.register(call, given, foreign=False):
            self.see(given)
        return NOTHING

    def fresh(self, name: str) -> str:
        """The class whose method of that name makes new memory, where its library is imported here."""
        for cls in self.memory.fresh.get(name, ()):
            if cls.partition(".")[0] in self.known.imported(self.function.file):
                return cls
        return ""

    def unknown(self, call: r.Call, symbol: str, given: list[Refs]) -> Refs:
        """A function of the project, or one that nobody knows."""
        self.used(call, given)
        target = self.known.target(self.function, call, symbol)
        summary = self.known.summary(target, self.function, any(given)) if target is not None else None
        if summary is not None and target is not None:
            return self.own(call, target, summary, given)
        if target is not None or (symbol and instances.is_standard(symbol)):
            self.escape_all(ref for refs in given for ref in refs if ref.holds)
            return NOTHING
        if not self.register(call, given, foreign=False):
            self.see(given)
        return NOTHING

    def own(self, call: r.Call, target: Function, summary: AddressSummary, given: list[Refs]) -> Refs:
        passed: dict[int, Refs] = {}
        names = [parameter.name for parameter in target.record.parameters]
        shift = self.known.shift(target, call)
        for position, (value, refs) in enumerate(zip(call.args, given, strict=True)):
            if isinstance(value, r.Pair) and isinstance(value.key, r.Name) and value.key.text in names:
                passed[names.index(value.key.text)] = refs
            elif isinstance(value, r.Unary):
                self.see([refs])
            else:
                passed[position + shift] = refs
        for parameter, refs in passed.items():
            if parameter in summary.kept:
                self.escape_all(ref for ref in refs if ref.holds)
        for parameter, callee, certainty in summary.registers:
            for ref in in_order(whole(passed.get(parameter, NOTHING))):
                self.add_registration(ref, call, callee, certainty)
        return frozenset(self.translated(summary.returns, passed, call))

    def translated(self, refs: Refs, passed: dict[int, Refs], call: r.Call) -> Iterator[Ref]:
        """What a function of the project returns, in the words of this call."""
        fresh = sorted({ref.token for ref in refs if ref.token[0] >= 0})
        tokens: dict[Token, Ref] = {}
        for number, token in enumerate(fresh):
            site = call.start + number
            self.state = self.state.age(site)
            self.made[site], self.owners[site] = call.span, text(call)
            self.doubts.setdefault(site, "certain")
            tokens[token] = Ref("", (site, 0), True, call.span, text(call))
        for ref in refs:
            if ref.token in tokens:
                yield ref._replace(token=tokens[ref.token].token, taken=call.span, shown=text(call))
            for source in whole(passed.get(-1 - ref.token[0], NOTHING)) if ref.token[0] < 0 else ():
                cls = ref.cls or source.cls
                loss = ref.loss or source.loss
                holds = ref.holds and source.holds
                yield source._replace(
                    cls=cls, holds=holds, loss=loss, taken=call.span, shown=text(call), path=ref.path, whole=ref.whole
                )

    # --- what calls do with what they are given ---

    def used(self, call: r.Call, given: list[Refs]) -> None:
        for value, refs in zip(call.args, given, strict=False):
            for ref in in_order(refs):
                if not ref.holds:
                    direct = value.start <= ref.taken.start and ref.taken.end <= value.end
                    self.judge("use", ref, value.span, direct=direct)

    def see(self, given: list[Refs]) -> None:
        """A call that nobody knows may keep its arguments."""
        held = frozenset(ref.token for refs in given for ref in refs if ref.holds)
        callbacks = {t for refs in given for t in (r.token for r in refs if self.memory.role(r.cls) == "callback")}
        self.state = self.state.escape(held - callbacks)._replace(seen=self.state.seen | (held & callbacks))

    def register(self, call: r.Call, given: list[Refs], *, foreign: bool) -> bool:
        """Whether one of the arguments is a callback that the function keeps by its address, as far as one can tell."""
        callee = places.last_name(call.callee)
        keeps = self.memory.keeps_callback(callee)
        passed = [ref for refs in given for ref in in_order(whole(refs)) if ref.holds]
        callbacks = [r for r in passed if self.memory.role(r.cls) == "callback" or (not r.cls and keeps)]
        if not callbacks or keeps is False:
            return False
        if (
            keeps
            and not foreign
            and (callee in python_builtins.ADDS_ONE or callee in python_builtins.ADDS_MANY or self.known.method(callee))
        ):
            return False
        if keeps and not foreign and not isinstance(call.callee, (r.Member, r.Name)):
            return False
        name = text(call.callee)
        inferred, unknown = (
            f"that `{name}` keeps it alive is inferred from its name",
            f"it is not known whether `{name}` keeps it alive",
        )
        certainty = because("later-use", inferred) if keeps else because("possible", unknown)
        for ref in callbacks:
            self.add_registration(ref, call, name, certainty)
        return bool(keeps) and any(ref.cls for ref in callbacks)

    def add_registration(self, ref: Ref, call: r.Call, callee: str, certainty: Certainty) -> None:
        if not ref.holds or self.memory.role(ref.cls) not in ("callback", ""):
            return
        others = [a.text for a in call.args if isinstance(a, r.Name) and a.text in self.declared - self.parameters]
        if isinstance(call.callee, r.Member) and isinstance(call.callee.base, r.Name):
            others += [name for name in (call.callee.base.text,) if name in self.declared - self.parameters]
        others = [name for name in others if ref not in self.state.get(name)]
        made = Registered(ref.token, call.span, callee, certainty, tuple(sorted(others)))
        self.state = self.state._replace(registered=self.state.registered | {made})

    def hand_over(self, call: r.Call, fact: memory_models.MemoryFact, given: list[Refs]) -> None:
        """What can be handed over once, and what is filled anew."""
        if fact.fills and (found := self.argument(call, given, fact.fills, fact.parameters)) is not None:
            tokens = {ref.token for ref in found[1]}
            kept = frozenset(entry for entry in self.state.consumed if entry[0] not in tokens)
            self.state = self.state._replace(consumed=kept)
        if not fact.consumes:
            return
        found = self.argument(call, given, fact.consumes, fact.parameters)
        for ref in in_order(whole(found[1]) if found is not None else ()):
            if self.memory.role(ref.cls) in ("capsule", "address", "raw"):
                before = next((at for token, at in self.state.consumed if token == ref.token), None)
                if before is not None:
                    self.consume_again(ref, call, before)
                self.state = self.state._replace(consumed=self.state.consumed | {(ref.token, call.span)})

    def consume_again(self, ref: Ref, call: r.Call, before: Span) -> None:
        raise NotImplementedError

    def as_number(self, ref: Ref, call: r.Call) -> Ref:
        """`int(x)`: the address of some, and of an address itself."""
        fact = self.memory.member(ref.cls, "__int__") if not ref.path else None
        return self.derived(ref, fact, call) if fact is not None else ref

    def builtin(self, call: r.Call, name: str) -> Refs | None:
        if name in self.declared or name not in _SEES:
            return None
        given = self.arguments(call)
        if name == "memoryview":
            return given[0] if given else NOTHING
        if name in _PLAIN:
            return NOTHING
        if name == "int":
            return frozenset(self.as_number(ref, call) for ref in given[0]) if given else NOTHING
        if name == "setattr":
            self.escape_all(ref for refs in given for ref in refs if ref.holds)
            return NOTHING
        if name == "getattr":
            return NOTHING
        parts = [frozenset(self.elements(refs)) for refs in given]
        if name == "next":
            return parts[0] if parts else NOTHING
        if name in ("enumerate", "zip"):
            slots = ["1"] if name == "enumerate" else [str(position) for position in range(len(parts))]
            return frozenset(
                ref
                for part, slot in zip(parts, slots, strict=False)
                for ref in inside(inside(part, slot), containment.ANY)
            )
        return inside((ref for part in parts for ref in part), containment.ANY)


def _of(fact: memory_models.MemoryFact, cls: str) -> memory_models.MemoryFact:
    """The fact, where it speaks about the receiver's own class."""
    return replace(fact, returns=cls) if fact.returns in ("", "self") and fact.keeps != "copy" else fact
