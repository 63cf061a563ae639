"""What an expression of Python gives: the refs in it, and which owners it makes, keeps or loses.

Nothing here knows a library: models say what makes an owner, and what points to it without keeping it. What is not
known counts as keeping the owner alive: doubt is silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ownlint import (
    Certainty,
    File,
    Function,
    Span,
    because,
    bodies,
    closures,
    containment,
    instances,
    memory_models,
    places,
    python_builtins,
    text,
)
from ownlint import records as r
from ownlint_rules.buffers._address_records import (
    LENT,
    NOTHING,
    AddressState,
    AddressSummary,
    Ref,
    Refs,
    StoredRef,
    in_order,
    inside,
    whole,
)

_POINTERS = frozenset(["pointer", "loose pointer", "raw", "foreign", "struct", "owner"])
"""What looks at memory when something is taken from it."""
_LOST_AT = {"raw": "raw", "foreign": "foreign"}
_COMPARES = frozenset(["==", "!=", "<", ">", "<=", ">=", "is", "is not", "in", "not in", "%", "&", ">>", "//"])
UNOWNED = "harmless if the memory behind the address is never freed"
"""The reason where memory of nobody known is wrapped, without an owner."""
_ENDS = "the comprehension over it ends here"


def not_known(made: r.Value) -> str:
    """The reason where a call's result is taken for an object of its own."""
    return f"the result of `{text(made)}` may be kept alive elsewhere"


class AddressValues(containment.ContainmentExpressions[Ref]):
    """Evaluates expressions in `state`; whoever runs statements inherits, and judges."""

    def __init__(self, function: Function, known: AddressKnowledge) -> None:
        self.function = function
        self.known = known
        self.memory = known.memory
        self.state = AddressState()
        self.owners: dict[int, str] = {}
        self.made: dict[int, Span] = {}
        self.doubts: dict[int, Certainty] = {}
        self.parameters = {parameter.name for parameter in function.record.parameters}
        self.declared = bodies.declared_names(function.record, function.body, True)

    # --- what inheritors decide ---

    def judge(self, kind: str, ref: Ref, at: Span, *, direct: bool = False) -> None:
        raise NotImplementedError

    def assign(self, target: r.Value, refs: Refs, at: Span, source: r.Value | None = None) -> None:
        raise NotImplementedError

    def set_name(self, name: str, refs: Refs, at: Span, how: str) -> None:
        raise NotImplementedError

    # --- expressions ---

    def held_by(self, name: str) -> Refs:
        return self.state.get(name)

    def binary(self, value: r.Binary) -> Refs:
        left, right = self.value(value.left), self.value(value.right)
        if value.op in ("&&", "||"):
            return left | right
        both = whole(left | right)
        if value.op in _COMPARES:
            return NOTHING
        if not both:
            return left | right if value.op in ("+", "|") else NOTHING
        facts = [(ref, self.memory.member(ref.cls, "__add__")) for ref in in_order(both)]
        fresh = [ref.cls for ref, fact in facts if fact is not None and fact.keeps == "own"]
        if fresh or all(not ref.cls for ref in both):
            return frozenset({self.create(value, fresh[0] if fresh else "")})
        if value.op in ("+", "-"):
            return frozenset(
                self.derived(ref, fact, value) if fact is not None else ref
                for ref, fact in facts
                if fact is not None or self.memory.role(ref.cls) == "address"
            )
        return NOTHING

    def unary(self, value: r.Unary) -> Refs:
        refs = self.value(value.value)
        match value.op:
            case "spread" | "spread2":
                return frozenset(ref.out() for ref in refs if ref.path and ref.path[0] != containment.BURIED)
            case "await":
                return refs
            case "yield" | "yield from":
                self.escape_all(refs)
        return NOTHING

    def aggregate(self, value: r.Aggregate) -> Refs:
        collected: Refs = NOTHING
        spread = any(isinstance(item, r.Unary) and item.op == "spread" for item in value.items)
        for position, item in enumerate(value.items):
            refs = self.value(item)
            if value.kind in ("fstring", "slice"):
                continue
            if isinstance(item, r.Pair):
                self.value(item.key)
            fixed = value.kind == "tuple" and not spread
            collected |= inside(
                refs, containment.VALUE if value.kind == "dict" else str(position) if fixed else containment.ANY
            )
        return collected

    def assignment(self, value: r.Assign, target: r.Value, op: str, inner: r.Value) -> Refs:
        if op not in ("=", ":="):
            before, added = self.value(target), self.value(inner)
            if any(ref.path for ref in before) or self.is_container(target):
                self.put(target, inside(frozenset(self.elements(added)), containment.ANY), value.span)
            elif isinstance(target, r.Name) and any(self.memory.role(ref.cls) == "address" for ref in added):
                self.set_name(target.text, before | added, value.span, "")
            return NOTHING
        if isinstance(target, r.Aggregate) and isinstance(inner, r.Aggregate) and len(target.items) == len(inner.items):
            given = [self.value(item) for item in inner.items]
            for item, refs, source in zip(target.items, given, inner.items, strict=True):
                self.assign(item, refs, value.span, source)
            return NOTHING
        refs = self.value(inner)
        self.assign(target, refs, value.span, inner)
        return refs

    def comprehension(self, value: r.Comprehension) -> Refs:
        bound = [
            part.text for clause in value.clauses for part in places.walk(clause.target) if isinstance(part, r.Name)
        ]
        outer = {name: self.state.get(name) for name in bound}
        for clause in value.clauses:
            refs = self.value(clause.iterable)
            self.assign(clause.target, frozenset(self.elements(refs)), clause.span, clause.iterable)
            for condition in clause.conditions:
                self.value(condition)
        element = value.element
        if isinstance(element, r.Pair):
            self.value(element.key)
        result = inside(self.value(element), containment.VALUE if value.kind == "dict" else containment.ANY)
        for name, before in outer.items():
            self.set_name(name, before, Span(value.end, value.end), _ENDS)
        return result

    def closure(self, index: int) -> Refs:
        """What a nested function looks at, it keeps."""
        names = closures.captured(self.function, index)
        return frozenset(ref.inside(containment.BURIED) for name in sorted(names) for ref in self.state.get(name))

    # --- members and items ---

    def member(self, value: r.Member) -> Refs:
        on = self.told(value.base, self.value(value.base), value.name)
        out = {ref.out() for ref in on if ref.path[:1] == ("." + value.name,)}
        for ref in in_order(whole(on)):
            fact = self.memory.member(ref.cls, value.name)
            self.touch(ref, value.base, fact)
            if fact is not None and fact.keeps in ("owner", "none") and fact.source == 0 and not self.is_blank(ref):
                out.add(self.derived(ref, fact, value))
        return frozenset(out)

    def is_blank(self, ref: Ref) -> bool:
        """A pointer that was made of a number: what it points to is not its own."""
        return ref.whole and self.memory.role(ref.cls) == "pointer"

    def told(self, base: r.Value, refs: Refs, name: str) -> Refs:
        """The refs, with the class that having such a member tells; a call's unknown result gets a token of its own."""
        cls = self.memory.told_by.get(name, "")
        if not cls:
            return refs
        if any(not ref.path for ref in refs):
            return frozenset(ref if ref.cls or ref.path else ref._replace(cls=cls) for ref in refs)
        match base:
            case r.Binary(op=op) if op not in _COMPARES:
                return refs | {self.create(base, cls)}
            case r.Call():
                made = self.create(base, cls)
                self.doubts[made.token[0]] = because("possible", not_known(base))
                return refs | {made}
        return refs

    def index(self, value: r.Index) -> Refs:
        on = self.value(value.base)
        for index in value.indexes:
            self.value(index)
        out: set[Ref] = {ref.out() for ref in on if ref.path and containment.fits(ref.path[0], value.indexes)}
        name = "__getitem__"
        match value.indexes:
            case (r.Aggregate(kind="slice"),):
                name = "[:]"
            case (r.Literal(kind="str", text=written),):
                name = f"[{written.strip(_QUOTES)}]"
        for ref in in_order(whole(on)):
            fact = self.memory.member(ref.cls, name)
            self.touch(ref, value.base, fact)
            if fact is not None and fact.keeps in ("owner", "none") and not self.is_blank(ref):
                out.add(self.derived(ref, fact, value))
        if name == "[:]":
            return frozenset(out) | frozenset(
                ref._replace(path=(containment.ANY, *ref.path[1:])) for ref in on if ref.path
            )
        return frozenset(out)

    def elements(self, refs: Refs) -> Iterator[Ref]:
        """What iterating gives."""
        for ref in refs:
            if ref.path and (ref.path[0] == containment.ANY or ref.path[0].isdigit()):
                yield ref.out()
                continue
            fact = self.memory.member(ref.cls, "__getitem__") if not ref.path else None
            if fact is not None and fact.keeps == "owner":
                yield ref

    def touch(self, ref: Ref, value: r.Value, fact: memory_models.MemoryFact | None) -> None:
        """Something looks at the memory through this ref; a number that is taken from it looks later."""
        role = self.memory.role(fact.returns) if fact is not None else ""
        if self.memory.role(ref.cls) in _POINTERS and role != "address":
            self.judge("use", ref, value.span)

    # --- owners ---

    def create(self, value: r.Value, cls: str, certainty: Certainty = "certain") -> Ref:
        """A new owner, made by this expression."""
        site = value.start if isinstance(value, r.Call) else value.end
        self.state = self.state.age(site)
        self.made[site] = value.span
        self.owners[site] = text(value)
        self.doubts.setdefault(site, certainty)
        return Ref(cls, (site, 0), True, value.span, text(value), whole=True)

    def derived(self, ref: Ref, fact: memory_models.MemoryFact, value: r.Value) -> Ref:
        """What a fact gives, taken from a ref: it holds as long as that did and the fact keeps its source."""
        cls = ref.cls if fact.returns in ("", "self") else fact.returns
        holds = ref.holds and fact.keeps == "owner"
        role = self.memory.role(cls)
        kept = LENT if ref.loss == LENT else ""
        loss = kept if holds else (role if role == "foreign" else ref.loss or _LOST_AT.get(role, "address"))
        taken, shown = (ref.taken, ref.shown) if ref.loss and loss == ref.loss else (value.span, text(value))
        return ref._replace(cls=cls, holds=holds, loss=loss, taken=taken, shown=shown, whole=False)

    def put_in(self, refs: Iterable[Ref], role: str, at: r.Value) -> Refs:
        """What becomes of refs that are copied into fields of an object of that role."""
        out: set[Ref] = set()
        for ref in refs:
            lost = role == "raw" or (role == "struct" and self.memory.role(ref.cls) == "loose pointer")
            if ref.holds and lost and not (ref.path and role == "struct" and ref.path[0][:1] == "."):
                loss = "raw field" if role == "raw" else "field"
                ref = ref._replace(holds=False, loss=loss, whole=False)
                if not (at.start <= ref.taken.start and ref.taken.end <= at.end):
                    ref = ref._replace(taken=at.span, shown=text(at))
            out.add(ref)
        return frozenset(out)

    # --- containers ---

    def container_method(self, call: r.Call, callee: r.Member, on: Refs, given: list[Refs]) -> Refs:
        name, base = callee.name, callee.base
        if name in python_builtins.ADDS_ONE and given:
            self.put(base, inside(given[-1], containment.VALUE if name == "setdefault" else containment.ANY), call.span)
        elif name in python_builtins.ADDS_MANY:
            for refs in given:
                values = frozenset(ref for ref in refs if ref.path[:1] == (containment.VALUE,))
                self.put(base, values | inside(self.elements(refs), containment.ANY), call.span)
        if name in python_builtins.TAKES_ONE:
            return frozenset(ref.out() for ref in on if ref.path and ref.path[0] != containment.BURIED)
        if name in ("values", "copy"):
            return frozenset(
                ref.out().inside(containment.ANY) if ref.path[:1] == (containment.VALUE,) else ref for ref in on
            )
        if name == "items":
            return frozenset(
                ref.out().inside("1").inside(containment.ANY) for ref in on if ref.path[:1] == (containment.VALUE,)
            )
        return NOTHING

    def is_container(self, base: r.Value, held: Refs = NOTHING) -> bool:
        """Whether this is known to be a list, a dict or the like."""
        if any(ref.path and ref.path[0] != containment.BURIED and ref.path[0][:1] != "." for ref in held):
            return True
        if isinstance(base, r.Name) and base.text in self.declared:
            return any(
                containment.is_container(value) for value in self.known.bindings(self.function).get(base.text, [])
            )
        return containment.holds_container(self.function, base)

    def put(self, container: r.Value, refs: Refs, at: Span, slot: str = "") -> None:
        """Into a container or an object: a local one carries them on, any other outlives the function. `slot` when
        what was there before is gone."""
        name = root(container)
        if name and name in self.declared and name not in self.parameters:
            kept = frozenset(ref for ref in self.state.get(name) if not slot or ref.path[:1] != (slot,))
            self.set_name(name, kept | refs, at, f"`{name}{slot}` is reassigned here" if slot else "")
        else:
            self.store(refs, at)

    def store(self, refs: Refs, at: Span, name: str = "") -> None:
        self.state = self.state.put_away(StoredRef(ref, at, name) for ref in refs)

    def escape_all(self, refs: Iterable[Ref]) -> None:
        self.state = self.state.escape(ref.token for ref in refs)

    def escape_names(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.escape_all(self.state.get(name))


class AddressKnowledge(instances.Instances):
    """What the values need to know of the program; `addresses` fills it in."""

    def summary(self, target: Function, caller: Function, given: bool) -> AddressSummary | None:
        raise NotImplementedError

    def target(self, caller: Function, call: r.Call, symbol: str) -> Function | None:
        raise NotImplementedError

    def shift(self, target: Function, call: r.Call) -> int:
        raise NotImplementedError

    def imported(self, file: File) -> frozenset[str]:
        raise NotImplementedError


_QUOTES = "\"'"


def root(value: r.Value) -> str:
    while isinstance(value, (r.Member, r.Index)):
        value = value.base
    return value.text if isinstance(value, r.Name) else ""
