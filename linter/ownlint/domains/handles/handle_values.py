"""What an expression of Python gives: the handles in it, and what looking at them means.

Nothing here knows a library: members come from `Classes`. Whatever is not known (a call that takes the owner, a
name that a class inside the function looks at) counts as keeping the owner alive: doubt is silent.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ownlint.domains.handles.handle_chains import INDEX, USERS, by_variable, literal
from ownlint.domains.handles.handle_chains import at as picked_at
from ownlint.domains.handles.handles import (
    AWAITED,
    LIST,
    NOTHING,
    Classes,
    Fact,
    Handle,
    Handles,
    HandleState,
    StoredHandle,
    Token,
    foreign,
    inside,
    native,
    own,
)
from ownlint.domains.python_calls import MEMBER
from ownlint.engine import decided
from ownlint.engine.containment import (
    ANY,
    BURIED,
    HELD,
    VALUE,
    fits,
    holds_container,
    is_container,
    is_element,
    is_given_container,
    value_slot,
)
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.finding import Step, weaker
from ownlint.flow.places import walk
from ownlint.project.subjects import Function


class HandleValues:
    """Evaluates expressions in `state`; whoever runs statements inherits, and judges."""

    def __init__(self, function: Function, classes: Classes) -> None:
        self.function = function
        self.classes = classes
        self.state = HandleState()
        self.owners: dict[int, str] = {}
        self.made: dict[int, Span] = {}
        self.parameters = function.parameter_names
        self.tops: set[int] = set()
        """Sites of tokens around which there is nothing."""
        self.guards: list[str] = []
        """Hidden names of what the `with` blocks around stand for, the innermost last."""
        self.inherited: set[int] = set()
        """Sites of tokens that other methods of the class made."""
        self.repeated = 0
        """How many comprehensions are around."""
        self.often: set[int] = set()
        """Sites where a comprehension makes several objects."""
        self.passing = False
        """What is used now is only passed to a function of the project, which is looked at itself."""
        self.maybe_run = 0
        """How many operands are around that are evaluated on some ways alone."""
        self.running: list[Function] = []
        """Functions inside this one, or of its module, that are being run as a part of it."""
        self._variables: dict[str, int] = {}
        self.variables: dict[str, int] = {}
        """Numbers of variables around the function."""
        self.unknown_names: set[str] = set()
        """Names that stand for no object."""
        self._first: dict[str, r.Value] | None = None

    # --- what inheritors decide ---

    def use(self, handles: Handles, value: r.Value | None, kind: str = "use") -> Handles:
        """Something looks at these handles; returns those that nothing is wrong with."""
        raise NotImplementedError

    def lookup(self, handle: Handle, value: r.Value) -> None:
        """An index is asked for what was erased behind its back."""
        raise NotImplementedError

    def yielded(self, handles: Handles, value: r.Unary) -> None:
        """A generator hands these out, and waits."""
        raise NotImplementedError

    def assign(self, target: r.Value, handles: Handles, at: Span, source: r.Value | None = None) -> None:
        raise NotImplementedError

    def set_name(self, name: str, handles: Handles, at: Span, how: str) -> None:
        raise NotImplementedError

    def call(self, call: r.Call) -> Handles:
        raise NotImplementedError

    # --- expressions ---

    def evaluate(self, value: r.Value | None) -> None:
        """For its effects; a bare name has none."""
        if not isinstance(value, r.Name):
            self.value(value)

    def name_value(self, value: r.Name) -> Handles:
        return self.state.get(value.text)

    def value(self, value: r.Value | None) -> Handles:
        match value:
            case None | r.Literal():
                return NOTHING
            case r.Name():
                return self.name_value(value)
            case r.Member():
                return self.member(value)
            case r.Index():
                return self.index(value)
            case r.Call():
                return self.call(value)
            case r.Assign(target=target, op=op, value=inner):
                return self.assignment(value, target, op, inner)
            case r.Conditional():
                return self.conditional(value)
            case r.Binary():
                return self.binary(value)
            case r.Aggregate():
                return self.aggregate(value)
            case r.Unary():
                return self.unary(value)
            case r.Pair(value=inner):
                return self.value(inner)
            case r.Comprehension():
                return self.comprehension(value)
            case r.Lambda(function=index):
                return self.closure(index)
            case r.OpaqueValue(names=names):
                self.escape_names(names)
        return NOTHING

    def conditional(self, value: r.Conditional) -> Handles:
        """One way or the other, where that makes a difference."""
        self.evaluate(value.condition)
        known = decided.answer(value.condition, self.state.facts)
        if known is not None:
            return self.value(value.then if known else value.other)
        before = self.state
        ways: list[tuple[Handles, HandleState]] = []
        for outcome, side in ((True, value.then), (False, value.other)):
            self.state = before._replace(facts=decided.assume(value.condition, outcome, before.facts))
            self.knows_by(value.condition, outcome)
            ways.append((self.value(side), self.state))
        (then, after), (other, behind) = ways
        if then == other and after._replace(facts=behind.facts) == behind:
            self.state = behind._replace(facts=decided.common(after.facts, behind.facts))
            return then
        handles, self.state = ways[self.choose_way(2)]
        return handles

    def choose_way(self, number: int) -> int:
        """Which of several ways is gone now: each of them is in its turn."""
        raise NotImplementedError

    def of_object(self, value: r.Member, on: Handles) -> Handles:
        """A method or a property of an object of the project."""
        raise NotImplementedError

    def binary(self, value: r.Binary) -> Handles:
        if value.op in ("&&", "||"):
            left = self.value(value.left)
            self.maybe_run += 1
            right = self.value(value.right)
            self.maybe_run -= 1
            return left | right
        left, right = self.value(value.left), self.value(value.right)
        if value.op in ("is", "is not") or any(_is_none(side) for side in (value.left, value.right)):
            return NOTHING
        if value.op in ("+", "|") and any(h.path for h in left | right):
            return left | right
        self.use(left, value.left)
        if value.op in ("in", "not in"):
            self.asked(native(right), "__contains__", value.right)
            if not self.maybe_run:
                self.shows_by(value.right, "__contains__")
        else:
            self.use(right, value.right)
        return NOTHING

    def unary(self, value: r.Unary) -> Handles:
        handles = self.value(value.value)
        match value.op:
            case "spread" | "spread2":
                return self.elements(handles, value.value)
            case "await":
                self.escape_all(h for h in handles if h.path[:1] != (AWAITED,))
                return frozenset(h.out() for h in handles if h.path[:1] == (AWAITED,))
            case "yield" | "yield from":
                self.yielded(handles, value)
            case "not":
                pass
            case _:
                self.use(handles, value.value)
        return NOTHING

    def aggregate(self, value: r.Aggregate) -> Handles:
        exact = _is_exact(value)
        collected: Handles = NOTHING
        for position, item in enumerate(value.items):
            handles = self.value(item)
            if value.kind == "fstring":
                self.use(handles, item)
                continue
            slot = str(position) if exact else ANY
            if isinstance(item, r.Pair):
                self.evaluate(item.key)
                slot = value_slot(item.key)
            collected |= inside(handles, VALUE if value.kind == "dict" and slot == ANY else slot)
        if exact and value.kind == "list" and (collected or not value.items):
            collected |= {own(f"{LIST}{len(value.items)}")}
        return collected

    def assignment(self, value: r.Assign, target: r.Value, op: str, inner: r.Value) -> Handles:
        if op not in ("=", ":="):
            before, added = self.value(target), self.value(inner)
            within = not native(before) and (self.is_container(target) or self.inner_container(target) is not None)
            if any(h.path for h in before) or within:
                self.put_below(target, inside(self.elements(added, inner), ANY), value.span)
            else:
                self.use(before, target)
                self.use(native(added), inner)
            return NOTHING
        if isinstance(target, r.Aggregate) and isinstance(inner, r.Aggregate) and len(target.items) == len(inner.items):
            given = [self.value(item) for item in inner.items]
            for item, handles, source in zip(target.items, given, inner.items, strict=True):
                self.assign(item, handles, value.span, source)
            return NOTHING
        if self.function.record.kind in ("module", "class") and _is_decoration(target, inner):
            return NOTHING  # what comes of it is asked where the function is called
        handles = self.value(inner)
        self.assign(target, handles, value.span, inner)
        return handles

    def comprehension(self, value: r.Comprehension) -> Handles:
        self.repeated += 1
        outer = {name: self.state.get(name) for name in _bound_by(value)}
        hidden: list[str] = []
        result = self.clauses(value, value.clauses, hidden)
        if value.kind == "set":
            result = once(result)
        if value.kind == "generator":  # it looks at this when it goes on
            names = (*hidden, *_read_later(value))
            result |= frozenset(h.inside(HELD + name) for name in names for h in native(self.state.get(name)))
        for name in hidden:
            self.done(self.state.get(name), value, value.span)
            self.set_name(name, NOTHING, Span(value.end, value.end), _COMPREHENSION_ENDS)
        for name, handles in outer.items():
            self.set_name(name, handles, Span(value.end, value.end), _COMPREHENSION_ENDS)
        self.repeated -= 1
        return result

    def clauses(self, value: r.Comprehension, clauses: tuple[r.Clause, ...], hidden: list[str]) -> Handles:
        """What comes of the clauses that are left: of a list whose elements are known one after the other."""
        if not clauses:
            element = value.element
            if isinstance(element, r.Pair):
                self.evaluate(element.key)
            return inside(self.value(element), VALUE if value.kind == "dict" else ANY)
        clause, *others = clauses
        iterated = self.use(self.value(clause.iterable), clause.iterable)
        hidden.append(f"<iterator {clause.start}>")
        self.set_name(hidden[-1], iterated, clause.span, _COMPREHENSION_ENDS)
        places = sorted({h.path[0] for h in iterated if h.path and h.path[0].isdigit()})
        exact = any(h.cls.startswith(LIST) and not h.path for h in iterated)
        parts = [frozenset(h.out() for h in iterated if h.path[:1] == (place,)) for place in places] if exact else []
        found: Handles = NOTHING
        again = self.repeated == 1 and bool(self.classes.anything) and not single_round(clause.iterable)
        for number in range(len(parts) or 1 + again):
            part = parts[number] if parts else self.elements(iterated, clause.iterable)
            self.assign(clause.target, part, clause.span, clause.iterable)
            for condition in clause.conditions:
                self.evaluate(condition)
                self.knows_by(condition, True)
            found |= self.clauses(value, tuple(others), hidden)
        return found

    def done(self, handles: Handles, call: r.Value, at: Span) -> None:
        """A generator or a context is done: it ends what it says."""
        raise NotImplementedError

    def closure(self, index: int) -> Handles:
        """A function, and what it looks at: that it keeps."""
        inner = self.function.program.index.function_at(self.function.file, index)
        if inner is None:
            return NOTHING
        names = sorted(self.classes.code.outer_names(inner))
        held = frozenset(h.inside(HELD + name) for name in names for h in self.state.get(name))
        return held | frozenset({own(self.classes.code.name_of(inner))})

    # --- members and items ---

    def member(self, value: r.Member) -> Handles:
        on = self.value(value.base)
        stored = frozenset(h.out() for h in on if h.path[:1] == ("." + value.name,))
        return stored | self.member_of(value, on)

    def member_of(self, value: r.Member, on: Handles) -> Handles:
        """What a member of these gives, but for what was put there."""
        asked = self.asked(native(on), value.name, value.base)
        return frozenset(h for handle in asked for h in self.attribute(handle, value)) | self.of_object(value, on)

    def asked(self, native: Handles, name: str, base: r.Value) -> Handles:
        """These are looked at by a member's name: some may be asked for on what is dead."""
        facts = ((h, self.classes.member(h.cls, name)) for h in native)
        fine = frozenset(h for h, fact in facts if fact is not None and fact.asks)
        return fine | self.use(native - fine, base)

    def attribute(self, handle: Handle, value: r.Member) -> Iterator[Handle]:
        fact = self.classes.member(handle.cls, value.name)
        if fact is not None and fact.called:
            yield own(MEMBER + value.name)
            yield handle.inside(HELD + "0")
        else:
            yield from self.taken(handle, fact, value, value.name)

    def taken(
        self, handle: Handle, fact: Fact | None, value: r.Value, key: str, element: bool = False
    ) -> Iterator[Handle]:
        """What a member gives: a new handle into the same token, or nothing when it is plain data."""
        if fact is not None and fact.is_of_known_class:
            yield self.somebodys(fact.returns, foreign(value.start), value.span, text(value))
        if fact is None or not fact.borrows or fact.source != 0:
            return
        if key.startswith("@"):
            site = int(key[1 : key.index(";")])
            self.state = self.state.picked_again(site)
            handle = handle._replace(chain=handle.chain.aged(site))
        if fact.shows and not self.maybe_run:
            self.shows(handle, fact.shows)
        chain = handle.chain.step(fact.where, key, top=handle.token[0] in self.tops)
        told = Step(self.function.path, value.span, fact.told, "lends") if fact.told else None
        declared = fact.declared or told or handle.declared
        holds = fact.holds(handle.holds)
        shown = text(value)
        cls = self.state.kinds.get((handle.token, chain), "") or fact.returns
        made = Handle(cls, handle.token, holds, value.span, shown, element, declared, (), chain, handle.stale)
        if fact.name:
            lent_by = (*handle.lent_by, fact.name)
            made = made._replace(sure=weaker(handle.sure, fact.sure), lent_by=lent_by)
        gaps = dict(handle.gaps) if fact.where == "below" else {}
        if (erased := gaps.get(key, gaps.get(""))) is not None:
            self.lookup(made._replace(stale=erased), value)
        else:
            yield made

    def elements(self, handles: Handles, value: r.Value | None) -> Handles:
        """What iterating gives."""
        out: set[Handle] = set()
        key = picked_at(-value.end) if value is not None else ""
        for handle in handles:
            if handle.path:
                if handle.path[0] == ANY or handle.path[0].isdigit():
                    out.add(self.out_of(handle, key))
                elif handle.path[0][0] == HELD and handle.stale is not None:  # a generator goes on
                    self.use(frozenset({handle.out()}), value)
                continue
            if handle.is_python:
                continue
            iterator = self.classes.member(handle.cls, "__iter__")
            known = iterator.returns if iterator is not None and iterator.returns else handle.cls
            fact = self.classes.member(known, "__next__")
            if fact is None and iterator is None:
                fact = self.classes.member(handle.cls, "__getitem__")
            if value is not None:
                mark = USERS if self.classes.role(handle.cls) == "iterator" else ""
                out.update(self.taken(handle, fact, value, key + mark, element=True))
        return frozenset(out)

    def out_of(self, handle: Handle, key: str) -> Handle:
        """A handle taken out of a container: of what sits anywhere in it, one of several."""
        if handle.path[0] not in (ANY, VALUE) or not key:
            return handle.out()
        if key.startswith("@"):
            self.state = self.state.picked_again(int(key[1:-1]))
            handle = handle._replace(chain=handle.chain.aged(int(key[1:-1])))
        ended = dict(handle.gaps).get(key) if key.startswith(INDEX) else None
        gaps = tuple(gap for gap in handle.gaps if not gap[0].startswith(INDEX))
        taken = handle.out()._replace(chain=handle.chain.picked(key), gaps=gaps)
        return taken._replace(stale=ended) if ended is not None and taken.stale is None else taken

    def index(self, value: r.Index) -> Handles:
        on = self.value(value.base)
        for index in value.indexes:
            self.evaluate(index)
        return self.indexed(value, on)

    def indexed(self, value: r.Index, on: Handles) -> Handles:
        """What an item of these is."""
        looked_at = self.use(native(on), value.base)
        sliced = any(isinstance(i, r.Aggregate) and i.kind == "slice" for i in value.indexes)
        if sliced:
            views = frozenset(h for h in looked_at if self.classes.member(h.cls, "[:]") is not None)
            if views:
                of_it = ((h, self.classes.member(h.cls, "[:]")) for h in views)
                return frozenset(
                    part for h, fact in of_it for part in self.taken(h, fact, value, self.index_key(value))
                )
            parts = frozenset(h for handle in looked_at for h in self.elements(frozenset({handle}), value.base))
            return inside(parts, ANY) | frozenset(_unplaced(h) for h in on if h.path)
        key = self.index_key(value)
        by_place = any(map(_is_place, value.indexes))
        found = {
            h
            for handle in looked_at
            for fact in ((by_place and self.classes.member(handle.cls, _BY_PLACE)) or self.item(handle.cls, key),)
            for h in self.taken(handle, fact, value, key)
        }
        exact = self.exact_slot(on, value.indexes)
        fitting = [h for h in on if h.path and (h.path[0] == exact if exact else fits(h.path[0], value.indexes))]
        return frozenset(found | {self.out_of(h, key) for h in fitting})

    def exact_slot(self, on: Handles, indexes: tuple[r.Value, ...]) -> str:
        """Which element an index means, of a list whose length is known."""
        lengths = {int(h.cls.removeprefix(LIST)) for h in on if not h.path and h.cls.startswith(LIST)}
        written = text(indexes[0]) if len(lengths) == len(indexes) == 1 else ""
        if not written.removeprefix("-").isdecimal() or len(written) > 2:
            return ""
        (length,), place = lengths, int(written)
        return str(place + length if place < 0 else place) if -length <= place < length else ""

    def index_key(self, value: r.Index) -> str:
        """Which element an index picks."""
        if all(isinstance(index, r.Literal) or _is_negative(index) for index in value.indexes):
            return literal(text(index).replace("'", '"') for index in value.indexes)
        match value:
            case r.Index(base=r.Name(), indexes=(r.Name(text=name),)) if name in self.function.declared:
                return by_variable(self.index_site(name))
        return picked_at(value.end)

    def index_site(self, name: str) -> int:
        """A number for what a variable picks."""
        return self._variables.setdefault(name, _VARIABLES - len(self._variables))

    def item(self, cls: str, key: str) -> Fact | None:
        """What an index gives: of a tuple what stands in that place, where its class says so."""
        named = self.classes.member(cls, _BY_STRING) if key.startswith('("') else None
        return self.classes.member(cls, key) or named or self.classes.member(cls, "__getitem__")

    # --- classes that show ---

    def knows_by(self, condition: r.Value | None, outcome: bool) -> None:
        """What a condition says of the classes of objects when it comes out so."""
        match condition:
            case r.Unary(op="not", value=inner):
                self.knows_by(inner, not outcome)
            case r.Binary(op="&&" | "||" as op, left=left, right=right) if (op == "&&") == outcome:
                self.knows_by(left, outcome)
                self.knows_by(right, outcome)
            case r.Binary(op="in" | "not in", right=r.Name() | r.Member() as right):
                self.shows_by(right, "__contains__")
            case r.Call(callee=r.Name(text="isinstance"), args=(r.Name() | r.Member() as asked, cls)) if outcome:
                named = self.classes.find(self.symbol(cls))
                if named is not None:
                    for handle in native(self.value(asked)):
                        self.shows(handle, named)

    def shows_by(self, value: r.Value, member: str) -> None:
        """It has that member."""
        for handle in native(self.value(value)):
            fact = self.classes.member(handle.cls, member)
            if fact is not None and fact.shows:
                self.shows(handle, fact.shows)

    def shows(self, handle: Handle, cls: str) -> None:
        """It is of that class, where nothing better is known of it."""
        if handle.cls != cls and self.classes.may_be(handle.cls, cls):
            self.state = self.state.shown_to_be(handle, cls)

    # --- containers ---

    def is_container(self, base: r.Value, held: Handles = NOTHING) -> bool:
        """Whether this is known to be a list, a dict or the like: what holds handles, and what was written as one."""
        if any(h.cls.startswith(LIST) if not h.path else is_element(h.path[0]) for h in held):
            return True
        if isinstance(base, r.Name) and base.text in self.function.declared:
            if base.text in self.parameters and self.assigned(base.text) is None:
                return is_given_container(self.function, base.text)
            return is_container(self.assigned(base.text))
        return holds_container(self.function, base)

    def inner_container(self, base: r.Value) -> tuple[r.Value, r.Value] | None:
        """The container of which this is an element, and the key: `found[key]`, `found.setdefault(key, [])`."""
        match base:
            case (
                r.Index(base=inner, indexes=(key,))
                | r.Call(callee=r.Member(base=inner, name="setdefault"), args=(key, _))
            ) if self.is_container(inner) or self.inner_container(inner) is not None:
                return inner, key
        return None

    def is_list(self, base: r.Value) -> bool:
        """Whether a local was made as a list, of which an index picks an element."""
        match self.assigned(base.text) if isinstance(base, r.Name) else None:
            case r.Aggregate(kind="list") | r.Comprehension(kind="list") | r.Call(callee=r.Name(text="list")):
                return True
            case r.Binary(op="*", left=r.Aggregate(kind="list")):
                return True
        return False

    def put_below(self, base: r.Value, handles: Handles, at: Span) -> None:
        """Into a container, or one that is an element of another: `found[key].append(op)`."""
        while (inner := self.inner_container(base)) is not None:
            base, key = inner
            handles = inside(handles, ANY if self.is_list(base) else value_slot(key))
        self.put(base, handles, at)

    def put(self, container: r.Value, handles: Handles, at: Span, slot: str = "") -> None:
        """Into a container or an object: a local one carries them on, any other outlives the function. `slot` when
        what was there before is gone."""
        local, name = self.is_local(container), container.text if isinstance(container, r.Name) else ""
        if local or name in self.parameters:
            kept = frozenset(h for h in self.state.get(name) if not slot or h.path[:1] != (slot,))
            self.set_name(name, kept | handles, at, f"`{name}{slot}` is reassigned here")
        match container:
            case r.Member(base=r.Name(text=owner) as base, name=attribute) if self.is_kept(base):
                added = inside(handles, "." + attribute)
                self.set_name(owner, self.state.get(owner) | added, at, "")
        if not local:
            self.store(handles, at, place=f"{name}{slot}" if name and slot[:1] == "." else f"{text(container)}[]")

    def is_local(self, value: r.Value) -> bool:
        return isinstance(value, r.Name) and value.text in self.function.declared and value.text not in self.parameters

    def loosen(self, container: r.Value, site: int) -> None:
        """Something was taken out of a container: what is still in it nobody knows, and what has ended may be gone."""
        match container:
            case r.Name(text=name):
                prefix: tuple[str, ...] = ()
            case r.Member(base=r.Name(text=name), name=attribute):
                prefix = ("." + attribute,)
            case _:
                return
        kept: set[Handle] = set()
        for handle in self.state.get(name):
            inner = handle.path[len(prefix) :]
            if handle.path[: len(prefix)] != prefix or not inner or not is_element(inner[0]):
                if not (handle.path == prefix and handle.cls.startswith(LIST)):
                    kept.add(handle)
            elif handle.stale is None:
                loose = handle.out().inside(ANY) if not prefix and inner[0].isdigit() else handle
                kept.add(loose._replace(chain=handle.chain.picked(picked_at(site))))
        self.set_name(name, frozenset(kept), container.span, "")

    def is_kept(self, value: r.Name) -> bool:
        """Whether what attributes of this hold is followed."""
        return self.is_local(value) or value.text in self.parameters

    def store(self, handles: Handles, at: Span, name: str = "", place: str = "") -> None:
        anew = place and not place.endswith("]")
        state = self.state.taken_from(place, f"{place}[]") if anew else self.state
        self.state = state.put_away(StoredHandle(h, at, name, place) for h in handles)

    def escape_all(self, handles: Iterator[Handle] | Handles) -> None:
        self.state = self.state.escape(h.token for h in handles)

    def escape_names(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.escape_all(self.state.get(name))

    def unpack(self, items: tuple[r.Value, ...], handles: Handles, at: Span, source: r.Value | None) -> None:
        """`a, *b = pair`: what sits in a place goes to its target, what sits anywhere to all."""
        whole = native(handles)
        tuples = frozenset(h for h in whole if any(map(partial(self.placed_in, h), range(len(items)))))
        loose = self.elements(whole - tuples, source)
        before_spread = next((n for n, item in enumerate(items) if isinstance(item, r.Unary)), len(items))
        spread = any(isinstance(item, r.Unary) for item in items)
        for position, item in enumerate(items):
            key = literal([str(position if position < before_spread else position - len(items))])
            placed = frozenset(
                self.out_of(h, f"*{position}" if isinstance(item, r.Unary) else key)  # one of many is not another
                for h in handles
                if h.path and (h.path[0] in (ANY, str(position)) or (spread and h.path[0].isdigit()))
            )
            single = NOTHING if isinstance(item, r.Unary) else frozenset(_numbered(h, key) for h in loose)
            of_tuples = frozenset(h for pair in tuples for h in self.place_of(pair, position, source))
            self.assign(item, (single or loose) | placed | of_tuples, at)

    def placed_in(self, handle: Handle, position: int) -> Fact | None:
        """What stands in that place of a library's tuple, where its class says so."""
        return self.classes.member(handle.cls, literal([str(position)]))

    def place_of(self, handle: Handle, position: int, source: r.Value | None) -> Iterator[Handle]:
        fact = self.placed_in(handle, position)
        if fact is not None and source is not None:
            yield from self.taken(handle, fact, source, literal([str(position)]))

    # --- names ---

    def typed(self, name_start: int, span: Span, shown: str, token: Token | None = None) -> Handles:
        """A handle of the class that an annotation gives the name which starts there: somebody else owns it."""
        meaning = self.function.program.names.meaning(self.function.file, name_start)
        written = meaning.type if meaning is not None else ""
        cls = self.classes.annotated(written.removesuffix("[]")) if written else None
        if cls is None:
            return NOTHING
        handle = self.somebodys(cls, token or foreign(name_start), span, shown)
        return frozenset({handle._replace(element=True).inside(ANY) if written.endswith("[]") else handle})

    def somebodys(self, cls: str, token: Token, span: Span, shown: str) -> Handle:
        """A handle of what nobody here owns."""
        self.own_root(cls, token, span, shown)
        return Handle(cls, token, True, span, shown)

    def own_root(self, cls: str, token: Token, span: Span, shown: str) -> None:
        self.made.setdefault(token[0], span)
        self.owners.setdefault(token[0], shown)
        if self.classes.role(cls) == "owner":
            self.tops.add(token[0])

    def symbol(self, value: r.Value) -> str:
        """The dotted name an expression resolves to through imports, or nothing."""
        match value:
            case r.Name(text=name):
                start = -1 if self.state.get(name) else value.start
            case r.Member():
                start = value.name_start
            case _:
                return ""
        program = self.function.program
        meaning = program.names.meaning(self.function.file, start)
        if meaning is None:
            return ""
        if meaning.symbol.startswith("*."):
            return program.names.star_import(self.function.file, meaning.symbol)
        return meaning.symbol

    def assigned(self, name: str) -> r.Value | None:
        """What a local is given first."""
        if self._first is None:
            self._first = {}
            for statement in self.function.statements:
                if isinstance(statement, r.Evaluate) and isinstance(statement.value, r.Assign):
                    target = statement.value.target
                    if isinstance(target, r.Name):
                        self._first.setdefault(target.text, statement.value.value)
        return self._first.get(name)

    def is_known_receiver(self, base: r.Value) -> bool:
        """A receiver whose class a model describes takes its arguments as the model says: it keeps none."""
        inner = self.assigned(base.text) if isinstance(base, r.Name) else base
        if not isinstance(inner, r.Call):
            return False
        symbol = self.symbol(inner.callee)
        return bool(symbol) and any(self.classes.find(name) for name in (symbol, symbol.rpartition(".")[0]))


def tells_of_classes(condition: r.Value | None) -> bool:
    """Whether how a condition comes out may say what class an object has."""
    match condition:
        case r.Unary(op="not", value=inner):
            return tells_of_classes(inner)
        case r.Binary(op="&&" | "||", left=left, right=right):
            return tells_of_classes(left) or tells_of_classes(right)
        case r.Binary(op="in" | "not in") | r.Call(callee=r.Name(text="isinstance")):
            return True
    return False


def single_round(iterable: r.Value | None) -> bool:
    """`range(1)`."""
    match iterable:
        case r.Call(callee=r.Name(text="range"), args=(r.Literal(text="0" | "1"),)):
            return True
    return False


_BY_STRING = '[""]'
"""The name of what an index gives that is a string."""
_BY_PLACE = "[...]"
"""The name of what an index gives that is written as a number, as several, as `...` or `()`."""
_VARIABLES = -(1 << 40)
"""Numbers below are those of variables that pick elements."""
MOST_EXACT = 4
"""Elements of a list that are told apart."""
_COMPREHENSION_ENDS = "the comprehension over it ends here"


def _bound_by(value: r.Comprehension) -> list[str]:
    """Names that live in the comprehension alone."""
    return [name.text for clause in value.clauses for name in walk(clause.target) if isinstance(name, r.Name)]


def _read_later(value: r.Comprehension) -> list[str]:
    """Names that a generator looks at when it goes on: all around it but where it begins to iterate."""
    first, *others = value.clauses
    parts = [value.element, *first.conditions, *(p for one in others for p in (one.iterable, *one.conditions))]
    bound = _bound_by(value)
    read = (inner.text for part in parts for inner in walk(part) if isinstance(inner, r.Name))
    return sorted({name for name in read if name not in bound})


def exact_length(handles: Handles) -> int | None:
    """Of a list of which it is known which element stands where."""
    lengths = [h for h in handles if not h.path and h.cls.startswith(LIST)]
    return int(lengths[0].cls.removeprefix(LIST)) if len(lengths) == 1 else None


def _is_exact(value: r.Aggregate) -> bool:
    """Whether it is known which element stands where."""
    spread = any(isinstance(i, r.Unary) and i.op == "spread" for i in value.items)
    return not spread and (value.kind == "tuple" or (value.kind == "list" and len(value.items) <= MOST_EXACT))


def _is_decoration(target: r.Value, value: r.Value) -> bool:
    """`f = decorator(f)`, which stands for the line above a `def`: both names are the one token there."""
    match value:
        case r.Call(args=(r.Name(start=start),)):
            return start == target.start
    return False


def _is_none(value: r.Value) -> bool:
    return isinstance(value, r.Literal) and value.kind == "null"


def once(handles: Handles) -> Handles:
    """Of several handles of one object a set keeps one."""
    return frozenset(h._replace(chain=h.chain.once()) for h in handles)


def _is_negative(value: r.Value) -> bool:
    return isinstance(value, r.Unary) and value.op == "-" and isinstance(value.value, r.Literal)


def _is_place(value: r.Value) -> bool:
    """What cannot be a name."""
    match value:
        case r.Literal(text=written):
            return not written.lstrip("rbufRBUF").startswith(("'", '"'))
        case r.Aggregate(kind="tuple"):
            return True
    return _is_negative(value)


def _numbered(element: Handle, key: str) -> Handle:
    """The element in a place, of all that were unpacked."""
    steps = element.chain.steps
    return (
        element._replace(chain=element.chain._replace(steps=(*steps[:-1], steps[-1][:1] + key))) if steps else element
    )


def _unplaced(handle: Handle) -> Handle:
    return handle.out().inside(ANY) if handle.path[0].isdigit() else handle


def as_value(handle: Handle) -> Handle:
    """What is in a list of pairs, in a dict made of it."""
    match handle.path:
        case ("*", "1", *_) | ("*", "*", *_):
            return handle.out().out().inside(VALUE)
    if handle.path[0].startswith(VALUE):
        return handle
    return handle.inside(BURIED)
