"""Values of which nobody knows the class, where any of them may matter: arrays, and trees of them.

Each is an object. Its parts are steps of its chain, and what they were when they are asked for again, so that what has
ended of it is kept by place. A call may end a whole tree: each leaf that is known, wherever it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint.domains.handles.handle_chains import HandleChain, literal
from ownlint.domains.handles.handle_functions import OwnCalls
from ownlint.domains.handles.handles import (
    MADE,
    NOTHING,
    PLAIN,
    Classes,
    Ending,
    Fact,
    Handle,
    Handles,
    Stale,
    Token,
    foreign,
    in_order,
    native,
    own,
)
from ownlint.domains.python_calls import CODE, OBJECT, PassedArgument
from ownlint.engine.containment import ANY, VALUE, value_slot
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import because, weaker
from ownlint.project.subjects import Function

_MOST_LEAVES = 8
_PLACES = 1 << 60
"""Sites of what is no call: where it ends, times this, and where it begins."""
_ARITHMETIC = frozenset(["+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "==", "!=", "<", ">", "<=", ">="])


class GivenArgument(NamedTuple):
    """What a call gives for a parameter: from 1 on, 0 where it is none that is known."""

    number: int
    handles: Handles
    value: r.Value
    shown: str


class Trees(OwnCalls):
    def __init__(self, function: Function, classes: Classes) -> None:
        super().__init__(function, classes)
        self.anything = classes.anything

    def is_tree(self, handle: Handle) -> bool:
        return not handle.is_python and self.classes.role(handle.cls) == "tree"

    def fresh(self, value: r.Value, cls: str = "") -> Handles:
        """A new object."""
        if not self.anything:
            return NOTHING
        return frozenset({self.create(value, cls or self.anything)})

    def is_known(self, handle: Handle) -> bool:
        """Whether the class is not just any."""
        return handle.cls != self.anything

    def kind_of(self, handles: Iterable[Handle]) -> str:
        """The class of what is made of these: the one that is known, where one of them has it."""
        classes = {h.cls for h in handles if self.is_tree(h)}
        return next((cls for cls in sorted(classes) if cls != self.anything), self.anything) if classes else ""

    def site(self, value: r.Value) -> int:
        return value.start if isinstance(value, r.Call) else value.end * _PLACES + value.start

    # --- names ---

    def name_value(self, value: r.Name) -> Handles:
        found = super().name_value(value)
        if not self.anything:
            return found
        if found or value.text in self.own_names or value.text in self.unknown_names:
            return frozenset(h for h in found if h.cls != PLAIN)
        meaning = self.symbol(value)
        known = self.outer(value) if not meaning or meaning.endswith("." + value.text) else NOTHING
        if meaning and not known:
            self.unknown_names.add(value.text)
        return known

    def outer(self, value: r.Name) -> Handles:
        """A variable around the function: of the class of what the module gives it."""
        if value.text in _CONSTANTS or value.text in self.classes.code.names_of(self.function.file):
            return NOTHING
        cls = self.anything
        source = self.classes.code.value_of_global(self.function.file, value.text)
        if source is not None and self._values_open < 3:
            self._values_open += 1
            before = self.state
            found = self.value(source)
            self.state = before
            self._values_open -= 1
            cls = self.kind_of(native(found))
            if not cls:
                return NOTHING
        number = self.variables.setdefault(value.text, len(self.variables) + 1)
        made = self.somebodys(cls, foreign(-number), value.span, value.text)
        self.state = self.state.bind(value.text, frozenset({made}), value.span, "")
        return frozenset({made})

    def code_named(self, value: r.Name) -> Handles:
        made = self.classes.made_of(self.function, value)
        return frozenset({own(made)}) if made else super().code_named(value)

    # --- parts ---

    def part(self, handle: Handle, key: str, value: r.Value, shown: str = "") -> Handle:
        return self.as_it_is(
            handle._replace(
                chain=handle.chain.step("part", key), taken=value.span, shown=shown or text(value), element=False
            )
        )

    def as_it_is(self, handle: Handle) -> Handle:
        if handle.stale is None and (why := self.state.end_of_part(handle.token, handle.chain)) is not None:
            return handle._replace(stale=why)
        return handle

    def taken(
        self, handle: Handle, fact: Fact | None, value: r.Value, key: str, element: bool = False
    ) -> Iterator[Handle]:
        if fact is not None and fact.keeps == "own" and fact.returns:
            at = r.Index(value.start, value.end, value, ()) if element and isinstance(value, r.Call) else value
            yield self.create(at, fact.returns)._replace(shown=text(value), element=element)
            return
        for made in super().taken(handle, fact, value, key, element):
            yield self.as_it_is(made) if self.is_tree(made) else made

    def member(self, value: r.Member) -> Handles:
        if not self.anything:
            return super().member(value)
        on = self.value(value.base)
        stored = frozenset(h.out() for h in on if h.path[:1] == ("." + value.name,))
        if any(not h.path for h in stored):
            return frozenset(h for h in stored if h.cls != PLAIN)
        if not on and (made := self.classes.made_of(self.function, value)):
            return frozenset({own(made)})
        return stored | self.member_of(value, on)

    def of_object(self, value: r.Member, on: Handles) -> Handles:
        found = super().of_object(value, on)
        if found or not self.anything:
            return found
        fact = self.classes.member(self.anything, value.name)
        if fact is None or not fact.unknown or any(h.path[:1] == ("." + value.name,) for h in on):
            return NOTHING
        parts = ((h, self.declared_part(h, value.name)) for h in self.objects(on))
        return frozenset(self.part(h._replace(cls=cls), value.name, value) for h, cls in parts if cls != PLAIN)

    def declared_part(self, itself: Handle, name: str) -> str:
        """The class that the object's own class declares an attribute with."""
        home = self.class_of(frozenset({itself}))
        found = home.field(name) if home is not None else None
        written = found[1].type if found is not None else ""
        known = (self.classes.annotated(one) for one in (written, f"builtins.{written}") if written)
        return next((cls for cls in known if cls and not cls.startswith(OBJECT)), self.anything)

    def indexed(self, value: r.Index, on: Handles) -> Handles:
        trees = frozenset(h for h in on if not h.path and self.is_tree(h))
        if not self.anything or not trees:
            return frozenset(h for h in super().indexed(value, on) if h.cls != PLAIN)
        slot = value_slot(value.indexes[0]) if len(value.indexes) == 1 else VALUE
        stored = frozenset(h.out() for h in on if h.path[:1] == (slot,) and slot != VALUE)
        if any(not h.path for h in stored):
            return frozenset(h for h in stored if h.cls != PLAIN)
        return stored | frozenset(found for h in in_order(trees) for found in self.item_of(h, value))

    def item_of(self, handle: Handle, value: r.Index) -> Iterator[Handle]:
        live = handle.cls != self.anything
        if live and _is_whole(value.indexes):
            yield from self.use(frozenset({handle}), value.base)
            return
        key = self.index_key(value)
        part = self.part(handle, key, value)
        gone = part.stale is not None and (handle.stale is None or not live)
        if gone or self.item(handle.cls, key) is not None:
            yield part
        elif self.use(frozenset({handle}), value.base):
            yield from self.fresh(value, handle.cls)

    def item(self, cls: str, key: str) -> Fact | None:
        return self.classes.member(cls, key) if self.classes.role(cls) == "tree" else super().item(cls, key)

    def placed_in(self, handle: Handle, position: int) -> Fact | None:
        if self.is_tree(handle):
            return Fact("owner", handle.cls, called=False)
        return super().placed_in(handle, position)

    def renew(self, base: r.Value, key: str, handles: Handles, slot: str) -> None:
        """A part of an object is something else from now on."""
        if not self.anything:
            return
        put = frozenset(h.inside(slot) for h in handles or {own(PLAIN)})
        for itself in in_order(h for h in self.value(base) if not h.path and h.token[0] != own("").token[0]):
            part = itself.chain.step("part", key)
            self.state = self.state.renewed(itself.token, part)
            self.state = self.state.with_attributes(itself.token, put, slot, itself.chain)

    def looks_only(self, callee: r.Value) -> bool:
        """`jax.make_jaxpr(f)(x)`."""
        fact = self.classes.function(self.symbol(callee.callee)) if isinstance(callee, r.Call) else None
        return fact is not None and bool(fact.asks_of)

    # --- what is made of them ---

    def binary(self, value: r.Binary) -> Handles:
        if not self.anything or value.op not in _ARITHMETIC:
            return super().binary(value)
        sides = self.value(value.left), self.value(value.right)
        if any(isinstance(side, r.Literal) and side.kind == "null" for side in (value.left, value.right)):
            return NOTHING
        for handles, side in zip(sides, (value.left, value.right), strict=True):
            self.use(handles, side)
        inner = frozenset(h for handles in sides for h in handles if h.path)
        if inner and value.op in ("+", "|"):
            return inner
        cls = self.kind_of(h for handles in sides for h in native(handles))
        return self.fresh(value, cls) if cls else NOTHING

    def unary(self, value: r.Unary) -> Handles:
        found = super().unary(value)
        if self.anything and value.op in ("-", "~", "+"):
            cls = self.kind_of(native(self.value(value.value))) if isinstance(value.value, r.Name) else self.anything
            return self.fresh(value, cls) if cls else NOTHING
        return found

    # --- calls that end them ---

    def library_made(self, callee: r.Value) -> str:
        """The callable of a library's making that is called."""
        on: Handles = NOTHING
        match callee:
            case r.Name() | r.Index():
                on = self.value(callee)
            case r.Member(base=r.Name(text=name), name=attribute):
                on = frozenset(h.out() for h in self.state.get(name) if h.path[:1] == ("." + attribute,))
            case r.Call() | r.Member():
                pass
            case _:
                return ""
        names = sorted({h.cls for h in on if h.cls.startswith((MADE, CODE))})
        if names:
            name = names[self.choose_way(len(names))]
            return name if name.startswith(MADE) else ""
        return self.classes.made_of(self.function, callee)

    def places(self, call: r.Call, fact: Fact) -> Iterator[GivenArgument]:
        """What is given for which parameter; of what is spread, the parts that go to those that end."""
        position = 0
        ends = [number for number, _ in fact.ends]
        for argument in call.args:
            match argument:
                case r.Pair(key=r.Name(text=keyword), value=value):
                    number = fact.parameters.index(keyword) + 1 if keyword in fact.parameters else 0
                    yield GivenArgument(number, self.value(value), value, text(value))
                case r.Unary(op="spread", value=value):
                    whole = self.value(value)
                    yield GivenArgument(0, whole, value, text(value))
                    for number in ends if position >= 0 else ():
                        if number > position:
                            key = literal([str(number - position - 1)])
                            part = self.parts_at(whole, key, str(number - position - 1), value)
                            yield GivenArgument(number, part, value, text(value) + key)
                    position = -1
                case r.Unary(op="spread2", value=value):
                    whole = self.value(value)
                    yield GivenArgument(0, whole, value, text(value))
                    written = {a.key.text for a in call.args if isinstance(a, r.Pair) and isinstance(a.key, r.Name)}
                    for number in ends:
                        name = fact.parameters[number - 1] if number <= len(fact.parameters) else ""
                        if name and name not in written and (position < number):
                            part = self.parts_at(whole, literal([f'"{name}"']), VALUE + name, value)
                            yield GivenArgument(number, part, value, f'{text(value)}["{name}"]')
                case _:
                    position += position >= 0
                    yield GivenArgument(max(position, 0), self.value(argument), argument, text(argument))

    def parts_at(self, whole: Handles, key: str, slot: str, value: r.Value) -> Handles:
        trees = (self.part(h, key, value, text(value) + key) for h in whole if not h.path and self.is_tree(h))
        return frozenset(trees) | frozenset(h.out() for h in whole if h.path[:1] == (slot,))

    def consume(self, call: r.Call, fact: Fact) -> Handles:
        """A call that looks at all it is given, and ends some of it."""
        if fact.runs:
            return self.run_often(call, fact)
        if call.args and self.is_left(call, fact, call.args[0], 1):
            return self.value(call.args[0])
        if fact.where == "same":
            first, *_ = *map(self.value, call.args), NOTHING
            known = any(self.is_known(h) for h in self.leaves(first))
            return first if known else self.fresh(call, fact.returns)
        ends = {number for number, _ in fact.ends}
        given = list(self.places(call, fact))
        if not ends or not self.is_given_twice(call, fact, given, ends):
            for one in given:
                self.use_whole(one.handles, one.value, "again" if one.number in ends else "use", taken=bool(ends))
            gone = [self.end_whole(one, call, fact) for one in given if one.number in ends]
            if any(gone):
                self.raised_there(call)
        return self.fresh(call, fact.returns) if fact.returns else NOTHING

    def is_left(self, call: r.Call, fact: Fact, what: r.Value, first: int = 0) -> bool:
        """`x.reshape(x.shape)`, `jnp.reshape(x, x.shape)`."""
        asked = call.args[first] if len(call.args) == first + 1 else None
        return isinstance(asked, r.Member) and asked.name in fact.kept and text(asked.base) == text(what)

    def leaves(self, handles: Handles) -> list[Handle]:
        """What is known of a tree."""
        return [h for h in in_order(handles) if self.is_tree(h) and self.is_reached(h)]

    def is_reached(self, handle: Handle) -> bool:
        return not handle.path or all(slot == ANY or slot[0] in "=.0123456789" for slot in handle.path)

    def use_whole(self, handles: Handles, value: r.Value, kind: str = "use", *, taken: bool = False) -> None:
        """With all that lies in it; `taken`, by a call that meets what is gone of it."""
        self.use(native(handles), value, kind)
        for handle in self.leaves(handles):
            if handle.path and handle.stale is not None:
                self.judge_stale(kind, handle, value.span)
            for inner, why in self.state.dead.get(handle.token, ()) if taken and handle.stale is None else ():
                if inner.below(handle.chain):
                    doubt = because("value", f"harmless if `{why.target}` is not among the values used")
                    stale = why._replace(certainty=weaker(why.certainty, doubt))
                    self.judge_stale(kind, handle._replace(stale=stale), value.span)

    def end_whole(self, given: GivenArgument, call: r.Call, fact: Fact) -> bool:
        alive = [h for h in self.leaves(given.handles) if h.stale is None]
        how = fact.how or "consumed"
        why = Stale(given.value.span, text(call), given.shown, how, "deep", fact.sure)
        tops = [h for h in alive if not h.path]
        if len({(h.token, h.chain) for h in tops}) > 1:
            self.end_there(tops, given.value, why)
            alive = [h for h in alive if h.path]
        whole = [h for h in self.objects(given.handles) if h.stale is None]  # an object of the project, and all it has
        for token, chain in sorted({(h.token, h.chain) for h in (*alive, *whole)}):
            self.end_part(token, chain, why)
        return bool(alive or tops or whole)

    def end_part(self, token: Token, chain: HandleChain, why: Stale) -> None:
        ending = Ending(token, chain, "deep", why.how, why.call.partition("(")[0])
        self.state = self.state.invalidated(ending, why).lost(token, chain, why)

    def raised_there(self, call: r.Call) -> None:
        """The call may raise, and has ended what it was given all the same."""
        before = self.state
        at = call.span

        def fail(handle: Handle) -> Handle:
            fresh = handle.stale is not None and handle.stale.at.start in at
            return handle._replace(stale=handle.stale._replace(failed=True)) if fresh and handle.stale else handle

        words = [h.token for _, handles in before.names.entries.items() for h in handles if h.stale is not None]
        self.state = before.changed(dict.fromkeys(words), fail)._replace(failing=True)
        self.raise_here()
        self.state = before

    def raise_here(self) -> None:
        """The state is one in which a call has raised: whoever runs statements overrides it."""

    def is_given_twice(self, call: r.Call, fact: Fact, given: list[GivenArgument], ends: set[int]) -> bool:
        """Whether the call gets one object twice, and ends it: it fails, and ends nothing."""
        for one in given:
            if one.number not in ends:
                continue
            mine = [h for h in self.leaves(one.handles) if h.stale is None]
            places = [(h.token, h.chain) for h in mine]
            if len(set(places)) < len(places) and len({h.path for h in mine}) == len(mine):
                return self.told_twice(call, mine[0], one, fact)
            for other in given:
                if other is one or other.value is one.value:
                    continue
                for handle in self.leaves(other.handles):
                    if handle.stale is None and any(_overlap(handle, h) for h in mine):
                        later = max(one, other, key=lambda g: g.value.start)
                        return self.told_twice(call, handle, later, fact)
        return False

    def told_twice(self, call: r.Call, handle: Handle, given: GivenArgument, fact: Fact) -> bool:
        why = Stale(given.value.span, text(call), given.shown, fact.how or "consumed", "deep", fact.sure)
        self.judge_stale("twice", handle._replace(stale=why), given.value.span)
        return True

    # --- calls that call what they are given ---

    def run_often(self, call: r.Call, fact: Fact) -> Handles:
        if not call.args:
            return NOTHING
        function, *others = call.args
        on = self.value(function)
        given = [self.value(value.value if isinstance(value, r.Pair) else value) for value in others]
        if fact.runs == "again":
            number = next((a.value for a in others if isinstance(a, r.Pair) and text(a.key) == "number"), None)
            written = r.Call(function.start, function.end, function, ())
            self.by_inner = True
            for _ in range(1 if isinstance(number, r.Literal) and number.text == "1" else 2):
                self.run_code(written, on, [])
            self.by_inner = False
            return NOTHING
        cls = self.kind_of(h for handles in given for h in handles)
        made = self.library_made(function) if isinstance(function, (r.Name, r.Member)) else ""
        if made:
            written = r.Call(call.start, call.end, function, tuple(others))
            return self.consume(written, self.classes.made(made))
        if any(h.cls.startswith(CODE) for h in on):
            return self.run_each(call, on, given, cls)
        known = self.classes.function(self.symbol(function)) if self.symbol(function) else None
        if known is None or not known.asks_of:
            for handles, value in zip(given, others, strict=True):
                self.use_whole(handles, value)
        return (
            self.fresh(call, known.returns if known is not None else cls) if known is None or known.returns else NOTHING
        )

    def run_each(self, call: r.Call, on: Handles, given: list[Handles], cls: str) -> Handles:
        """A function gets each leaf of the first, and what lies in the others; what is the leaf itself comes back."""
        first, *others = given or [NOTHING]
        rest = [PassedArgument(frozenset(h._replace(path=()) for h in self.leaves(handles))) for handles in others]
        results: list[tuple[Handle, Handles]] = []
        for leaf in self.leaves(first)[:_MOST_LEAVES]:
            got = self.run_code(call, on, [PassedArgument(frozenset({leaf._replace(path=())})), *rest])
            if got is None:
                self.use_whole(first, call.args[-1])
            results.append((leaf, got or NOTHING))
        if not results:
            self.run_code(call, on, [PassedArgument(NOTHING), *rest])
        same = [{(h.token, h.chain) for h in got} == {(leaf.token, leaf.chain)} for leaf, got in results]
        if same and all(same):
            return first
        return self.fresh(call, cls) if not results or any(got for _, got in results) else NOTHING

    # --- what others do ---

    def create(self, call: r.Value, cls: str = "") -> Handle:
        raise NotImplementedError

    def judge_stale(self, kind: str, handle: Handle, at: r.Span) -> None:
        raise NotImplementedError

    def end_there(self, alive: list[Handle], value: r.Value, why: Stale) -> None:
        raise NotImplementedError

    def choose_way(self, number: int) -> int:
        raise NotImplementedError


_CONSTANTS = frozenset(["True", "False", "None"])


def _is_whole(indexes: tuple[r.Value, ...]) -> bool:
    """`[:]`, `[...]`."""
    match indexes:
        case (r.Aggregate(kind="slice", items=items),):
            return all(isinstance(item, r.Literal) and item.kind == "null" for item in items)
        case (r.Literal(kind="other", text="..."),):
            return True
    return False


def _overlap(one: Handle, other: Handle) -> bool:
    return one.token == other.token and (one.chain.is_hit(other.chain, "deep") or other.chain.is_hit(one.chain, "deep"))
