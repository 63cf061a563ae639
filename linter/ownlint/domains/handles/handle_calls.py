"""What calls do with handles: those of libraries, builtins, containers, and the project's own functions.

A call that a model knows may end handles, see `handle_chains`; one that nobody knows may keep what it is given, and
put other things where it can reach.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ownlint.domains import python_calls
from ownlint.domains.handles.handle_chains import HandleChain, Reach, literal
from ownlint.domains.handles.handle_chains import at as picked_at
from ownlint.domains.handles.handle_stores import Dependence, without
from ownlint.domains.handles.handle_trees import Trees
from ownlint.domains.handles.handle_values import MOST_EXACT, as_value, exact_length, once
from ownlint.domains.handles.handles import (
    CLOSING,
    LIST,
    NOTHING,
    PLAIN,
    Ending,
    Fact,
    Handle,
    Handles,
    How,
    Stale,
    Token,
    foreign,
    in_order,
    inside,
    is_given,
    native,
    own,
)
from ownlint.domains.python_calls import OBJECT
from ownlint.engine.containment import ANY, BURIED, VALUE, is_element, value_slot
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, Step, because, weaker
from ownlint.flow.places import last_name
from ownlint.models import habits, python_builtins

_CHANGES = python_builtins.ADDS_ONE | python_builtins.ADDS_MANY | python_builtins.REMOVES | {"sort", "reverse"}
_ADDS = python_builtins.ADDS_ONE | python_builtins.ADDS_MANY
_CLOSING = frozenset(["contextlib.closing", "contextlib.aclosing"])


class HandleCalls(Trees):
    """Evaluates calls."""

    def call(self, call: r.Call) -> Handles:
        if self.anything and (made_of := self.classes.made_of(self.function, call)):
            self.evaluated(call)
            return frozenset({own(made_of)})
        if self.anything and (made_of := self.library_made(call.callee)):
            return self.by_fact(call, self.classes.made(made_of))
        if self.anything and self.looks_only(call.callee):
            self.evaluated(call)
            return NOTHING
        symbol = self.symbol(call.callee)
        builtin = last_name(call.callee) if isinstance(call.callee, r.Name) else ""
        if symbol and not symbol.startswith("builtins."):
            builtin = ""
            made = self.native(call, symbol)
            if made is not None:
                return made
            if symbol in python_builtins.KEEPS_KEYWORDS:
                return self.keeping_keywords(call)
            if symbol == "functools.partial" and call.args:
                return self.partial(call)
        if self.is_left_as_it_is(call, symbol):
            return self.value(call.args[0])
        if isinstance(call.callee, r.Member):
            return self.method(call, call.callee, symbol)
        on = self.value(call.callee)
        held = (h.out() for h in on if h.path == (BURIED,))  # a closure, or a bound method: it looks at what it holds
        self.use(frozenset(h for h in held if h.stale is not None), call.callee)
        arguments, given = self.evaluated(call)
        if builtin and builtin not in self.function.declared:
            done = self.builtin(call, builtin, arguments)
            if done is not None:
                return done
        return self.project(call, symbol, on, arguments, given)

    def is_left_as_it_is(self, call: r.Call, symbol: str) -> bool:
        """`functools.wraps(f)(inner)`."""
        by = self.symbol(call.callee.callee) if isinstance(call.callee, r.Call) else symbol
        return by in python_calls.SAME and len(call.args) == 1

    def evaluated(self, call: r.Call) -> tuple[list[Handles], list[Handles]]:
        """What each argument gives, of a spread one its elements; and of a spread one what it is taken from."""
        if not call.args:
            return [], []
        given = [self.value(a.value if isinstance(a, r.Unary) and a.op.startswith("spread") else a) for a in call.args]
        arguments = [
            self.elements(handles, a.value) if isinstance(a, r.Unary) and a.op.startswith("spread") else handles
            for a, handles in zip(call.args, given, strict=True)
        ]
        return arguments, given

    def partial(self, call: r.Call) -> Handles:
        """A callable, and what it is bound to."""
        bound, *given = python_calls.arguments_of(call, self.evaluated(call)[1])
        first = len(python_calls.bound_arguments(bound.values))
        held = (one._replace(values=one.values or frozenset({own(PLAIN)})) for one in given)  # each keeps its place
        return bound.values | frozenset(python_calls.bound_to(held, first))

    def keeping_keywords(self, call: r.Call) -> Handles:
        """An object that has its keyword arguments for attributes."""
        given = list(python_calls.arguments_of(call, self.evaluated(call)[1]))
        return frozenset(h.inside("." + one.keyword) for one in given if one.keyword for h in one.values)

    # --- builtins ---

    def builtin(self, call: r.Call, name: str, arguments: list[Handles]) -> Handles | None:
        if name in python_builtins.LOOKS_AT_NOTHING:
            return NOTHING
        if name == "getattr" and len(call.args) > 1:
            return self.by_literal_name(call, arguments[0])
        if self.anything and (fact := self.classes.function(f"builtins.{name}")) is not None and fact.asks_of:
            return NOTHING
        if (
            name not in python_builtins.READS
            and name not in python_builtins.COLLECTS
            and name not in python_builtins.LAZY
            and name not in ("next", "max", "min", "dict")
        ):
            return None
        if name == "len" and arguments:  # a sequence knows its length
            arguments = [frozenset(h for h in arguments[0] if self.classes.role(h.cls) != "sequence" or not h.stale)]
        if name in python_builtins.SHOWS:
            arguments = [frozenset(h for h in handles if not self.shows_dead(h)) for handles in arguments]
        fine = [self.use(handles, value) for handles, value in zip(arguments, call.args, strict=False)]
        if name in python_builtins.READS:
            view = self.classes.function(f"builtins.{name}")
            return self.result(call, view, self.placed(call, fine, view)) if view is not None else NOTHING
        if name == "dict":
            return frozenset(as_value(h) for handles in fine for h in handles if h.path[:1] not in ((), (BURIED,)))
        parts = [self.elements(handles, value) for handles, value in zip(fine, call.args, strict=True)]
        taken: Handles = frozenset(h for part in parts for h in part)
        if name == "next":
            return parts[0] if parts else NOTHING
        if name in ("max", "min"):
            return taken if len(call.args) == 1 or taken else frozenset(h for handles in fine for h in handles)
        if name in python_builtins.COLLECTS:
            return inside(once(taken) if name in ("set", "frozenset") else taken, ANY)
        whole: Handles = frozenset(h for handles in fine for h in handles)
        if name in ("iter", "filter"):
            return whole
        slots = ["1"] if name == "enumerate" else [str(position) for position in range(len(parts))]
        paired = (inside(inside(part, slot), ANY) for part, slot in zip(parts, slots, strict=False))
        return frozenset(h for pairs in paired for h in pairs) | frozenset(h.inside(BURIED) for h in whole if h.holds)

    def shows_dead(self, handle: Handle) -> bool:
        """Whether it can be printed when it is dead."""
        fact = self.classes.member(handle.cls, "__repr__")
        return fact is not None and fact.asks and not handle.path

    def by_literal_name(self, call: r.Call, on: Handles) -> Handles:
        name = call.args[1]
        written = name.text.strip("\"'") if isinstance(name, r.Literal) and name.kind == "str" else ""
        looked_at = self.use(native(on), call.args[0])
        if not written.isidentifier():
            return NOTHING
        return frozenset(
            h
            for handle in looked_at
            for h in self.taken(handle, self.classes.member(handle.cls, written), call, written)
        )

    # --- libraries ---

    def native(self, call: r.Call, symbol: str) -> Handles | None:
        """A constructor, a static factory or a function of a library; None when it is none of them."""
        cls, name = self.classes.find(symbol), "__init__"
        if cls is None:
            head, _, name = symbol.rpartition(".")
            cls = self.classes.find(head) if head else None
        fact = self.classes.member(cls, name) if cls is not None else self.classes.function(symbol)
        if cls is None and fact is None:
            return None
        fact = fact.written(call) if fact is not None else None
        derived = self.classes.derived(symbol) if cls is not None else ""
        if derived and fact is not None:  # whose own constructor may take anything
            fact = msgspec.structs.replace(fact, stores=(), parameters=())
        return self.by_fact(call, fact, derived)

    def by_fact(self, call: r.Call, fact: Fact | None, derived: str = "") -> Handles:
        if fact is not None and fact.whole:
            return self.consume(call, fact)
        arguments = self.looked_at_by(call, fact)
        placed = self.placed(call, arguments, fact)
        if fact is None:
            return NOTHING
        self.effects(fact, call, (NOTHING, None), placed)
        made = self.result(call, fact, placed)
        if derived:
            made = frozenset(h._replace(derived=derived) for h in made)
        self.keep_addresses(fact, call, made, placed)
        return made

    def looked_at_by(self, call: r.Call, fact: Fact | None) -> list[Handles]:
        """The arguments of a library's call, without those that are dead."""
        arguments = [self.value(argument) for argument in call.args]
        asked = fact.asks_of if fact is not None else ()
        return [
            handles if position in asked else self.use(handles, _given(value))
            for position, (handles, value) in enumerate(zip(arguments, call.args, strict=True), 1)
        ]

    def result(self, call: r.Call, fact: Fact, placed: dict[int, tuple[Handles, r.Value]]) -> Handles:
        """What a constructor or function of a library gives."""
        if not fact.returns:
            return NOTHING
        if fact.keeps == "own":
            return frozenset({self.create(call, fact.returns)._replace(declared=fact.declared)})
        if fact.keeps == "own unless inserted":
            return frozenset({self.built(call, fact, placed)})
        handles, _ = placed.get(max(fact.source, 1), (NOTHING, None))
        if fact.is_of_known_class:
            return frozenset({self.somebodys(fact.returns, foreign(call.start), call.span, text(call))})
        if not fact.borrows:
            return NOTHING
        key = literal([fact.returns if fact.constructs else last_name(call.callee)])
        told = Step(self.function.path, call.span, fact.told, "lends") if fact.told else fact.declared
        return frozenset(
            Handle(
                fact.returns,
                h.token,
                fact.holds(h.holds),
                call.span,
                text(call),
                False,
                told,
                (),
                h.chain.step(fact.where, key, top=h.token[0] in self.tops),
                h.stale,
                sure=weaker(h.sure, fact.sure),
            )
            for h in handles
            if not h.path and not h.is_python and (not fact.given or h.cls in fact.given)
        )

    def placed(self, call: r.Call, arguments: list[Handles], fact: Fact | None) -> dict[int, tuple[Handles, r.Value]]:
        """The arguments by the number of their parameter, from 1 on."""
        found: dict[int, tuple[Handles, r.Value]] = {}
        for position, (argument, handles) in enumerate(zip(call.args, arguments, strict=True), 1):
            match argument:
                case r.Unary(op="spread" | "spread2"):
                    break
                case r.Pair(key=r.Name(text=keyword), value=value):
                    named = fact.parameters.index(keyword) + 1 if fact and keyword in fact.parameters else -position
                    found[named] = (handles, value)
                case _:
                    found[position] = (handles, argument)
        return found

    def create(self, call: r.Value, cls: str = "") -> Handle:
        """A new token, made by this call."""
        site = self.site(call)
        self.state = self.state.age(site)
        if self.made.get(site) != call.span:
            self.made[site], self.owners[site] = call.span, text(call)
        if self.repeated:
            self.often.add(site)
        if self.classes.role(cls) == "owner":
            self.tops.add(site)
        return Handle(cls, (site, 0), True, call.span, self.owners[site])

    def built(self, call: r.Call, fact: Fact, placed: dict[int, tuple[Handles, r.Value]]) -> Handle:
        """What is put where the innermost `with` of an insertion point says, or the one that is passed; nobody knows
        where else."""
        given = [h for handles, _ in placed.values() for h in handles if self.is_guard(h)]
        around = given or in_order(native(self.state.get(self.guards[-1]))) if self.guards or given else []
        if len(around) == 1:
            self.use(frozenset(around), call)
        if len(around) != 1 or around[0].stale is not None:
            return self.somebodys(fact.returns, foreign(call.start), call.span, text(call))
        key = picked_at(call.end)
        self.state = self.state.picked_again(call.end)
        if around[0].chain.steps[-1:] == (f".({around[0].cls})",):
            self.added(around[0]._replace(chain=around[0].chain._replace(steps=around[0].chain.steps[:-1])), call)
        chain = around[0].chain.step("elsewhere", key, top=around[0].token[0] in self.tops)
        return Handle(fact.returns, around[0].token, False, call.span, text(call), chain=chain)

    def is_guard(self, handle: Handle) -> bool:
        return not handle.path and self.classes.role(handle.cls) == "guard"

    # --- methods ---

    def method(self, call: r.Call, callee: r.Member, symbol: str) -> Handles:
        if isinstance(callee.base, r.Call) and _is_super(callee.base.callee):
            return self.of_super(call, callee.name)
        on = self.value(callee.base)
        return self.method_of(call, callee, symbol, on, *self.evaluated(call))

    def method_of(
        self, call: r.Call, callee: r.Member, symbol: str, on: Handles, arguments: list[Handles], given: list[Handles]
    ) -> Handles:
        whole = native(on) or (self.told(callee) if not on else NOTHING)
        for handle in whole:
            left = without(self.state.dependences, handle.token, callee.name)
            self.state = self.state._replace(dependences=left)
        if whole and not self.is_unknown_method(whole, callee.name):
            return self.native_method(call, callee.name, callee.base, whole, arguments)
        return self.python_method(call, callee, symbol, on, arguments, given)

    def python_method(
        self, call: r.Call, callee: r.Member, symbol: str, on: Handles, arguments: list[Handles], given: list[Handles]
    ) -> Handles:
        """A method of a container, of an object of the project, or of what nobody knows."""
        stored = frozenset(h.out() for h in on if h.path[:1] == ("." + callee.name,))
        if (on or any(arguments)) and not self.objects(on) and not stored:
            inner = callee.name in _ADDS and self.inner_container(callee.base) is not None
            if inner or self.is_container(callee.base, on):
                return self.container_method(call, callee, on, arguments)
        if self.objects(on) and not any(h.is_python for h in stored):
            stored = self.of_object(callee, on)
        return self.project(call, symbol, stored, arguments, given, on)

    def is_unknown_method(self, on: Handles, name: str) -> bool:
        """Whether nobody knows what a call of it does."""
        facts = [self.classes.member(handle.cls, name) for handle in on] if self.anything else []
        return bool(facts) and all(fact is not None and fact.unknown for fact in facts)

    def of_super(self, call: r.Call, name: str) -> Handles:
        """The method that a base has."""
        code, home = self.classes.code, self.function.cls
        itself = self.state.get(self.function.record.parameters[0].name) if self.function.record.parameters else NOTHING
        cls = self.class_of(itself)
        found = code.method(cls, name, home) if cls is not None and home is not None else None
        arguments, given = self.evaluated(call)
        made = self.decorated(found) if found is not None else NOTHING
        held = frozenset(python_calls.bound_to([python_calls.PassedArgument(itself)])) if made else NOTHING
        return self.project(call, "", made | held, arguments, given, itself)

    def bound_method(
        self, call: r.Call, name: str, arguments: list[python_calls.PassedArgument[Handle]]
    ) -> Handles | None:
        """What a method does that was bound to a name."""
        if not arguments or any(one.spread for one in arguments):
            return None
        (receiver, *others), at = arguments, call.callee
        bound = [
            r.Pair(at.start, at.end, r.Name(at.start, at.end, one.keyword), at) if one.keyword else at
            for one in others[: len(others) - len(call.args)]
        ]
        on = native(receiver.values)
        only = one(on)
        base: r.Value = r.Name(at.start, at.end, only.shown) if only is not None else at
        callee = r.Member(at.start, at.end, base, name, False, -1)
        written = msgspec.structs.replace(call, callee=callee, args=(*bound, *call.args))
        return self.native_method(written, name, base, on, [one.values for one in others])

    def native_method(self, call: r.Call, name: str, base: r.Value, on: Handles, arguments: list[Handles]) -> Handles:
        known_as = [(handle, self.classes.member(handle.cls, name)) for handle in in_order(on)]
        facts = [(handle, fact.written(call) if fact is not None else None) for handle, fact in known_as]
        asks = all(fact is not None and fact.asks for _, fact in facts)
        fine = on if asks else self.use(on, base)
        asked = frozenset.intersection(*(frozenset(fact.asks_of if fact is not None else ()) for _, fact in facts))
        arguments = [
            handles if number in asked else self.use(handles, _given(value))
            for number, (handles, value) in enumerate(zip(arguments, call.args, strict=True), 1)
        ]
        for handles in arguments:
            if any(fact is None for _, fact in facts):
                self.escape_all(h for h in handles if h.holds)
        given: Handles = NOTHING
        for handle, fact in facts:
            if fact is None or handle not in fine:
                continue
            placed = self.placed(call, arguments, fact)
            if fact.visits:
                self.visited(call, fact, handle, arguments)
            elif fact.keeps == "own" and fact.returns and not fact.moves:
                given |= {handle if self.is_left(call, fact, base) else self.create(call, fact.returns)}
            elif fact.keeps == "own unless inserted" and fact.returns:
                given |= {self.built(call, fact, placed)}
            elif fact.source:
                given |= self.result(call, fact, placed)
            else:
                given |= frozenset(self.taken(handle, fact, call, _key_of(call, name)))
        known = [fact for _, fact in facts if fact is not None]
        if known:
            placed = self.placed(call, arguments, known[0])
            given |= self.moved(call, known[0], on & fine, placed)
            if fine:
                self.effects(known[0], call, (on & fine, base), placed)
                self.keep_addresses(known[0], call, on & fine, placed)
        return given

    def told(self, callee: r.Member) -> Handles:
        """Of a parameter of which nobody says what it is, or of an attribute of one: what has such a member, and no
        other class has, where the file speaks of that library."""
        match callee.base:
            case (r.Name(text=name) | r.Member(base=r.Name(text=name))) as base if name in self.parameters:
                cls = self.classes.told_by(self.function, callee.name)
                return frozenset({self.somebodys(cls, foreign(base.start), base.span, text(base))}) if cls else NOTHING
        return NOTHING

    def moved(self, call: r.Call, fact: Fact, on: Handles, placed: dict[int, tuple[Handles, r.Value]]) -> Handles:
        """Ownership goes elsewhere: into what it is put in, or to the receiver itself."""
        if not fact.moves:
            return NOTHING
        for whom, where in fact.adopts:
            part, whole = (one(on if n == 0 else placed.get(n, (NOTHING, None))[0]) for n in (whom, where))
            if part is None or whole is None:
                self.escape_all(h for handles in (on, *(given for given, _ in placed.values())) for h in handles)
                return NOTHING
            self.added(whole, call)
            inner = whole.chain.step("elsewhere", picked_at(call.end), top=whole.token[0] in self.tops)
            self.transfer(part, whole.token, inner, holds=False)
            self.state = self.state.mutated(whole.token)
            return NOTHING
        part = one(on)
        if part is None or not fact.returns:
            self.escape_all(h for handles in (on, *(given for given, _ in placed.values())) for h in handles)
            return (
                frozenset(h for handle in on for h in self.taken(handle, fact, call, "")) if fact.borrows else NOTHING
            )
        new = self.create(call, fact.returns)
        self.transfer(part, new.token, HandleChain(), holds=True)
        self.state = self.state.mutated(part.token)
        return frozenset({new})

    def transfer(self, part: Handle, token: Token, chain: HandleChain, *, holds: bool) -> None:
        """The object of `part`, and all that lies in it, belongs to another owner from now on. What is the object
        itself holds it then, or no longer does."""

        def move(handle: Handle) -> Handle:
            inner = handle.chain.below(part.chain) if handle.token == part.token else None
            if inner is None:
                return handle
            whole = holds and not any(step.startswith("/") for step in inner)
            return handle._replace(token=token, chain=chain.within(HandleChain(0, inner)), holds=whole)

        self.state = self.state.changed((part.token,), move)

    # --- containers ---

    def container_method(self, call: r.Call, callee: r.Member, on: Handles, arguments: list[Handles]) -> Handles:
        name, base = callee.name, callee.base
        if name == "clear":
            self.state = self.state.taken_from(f"{text(base)}[]")
        if name == "append" and len(arguments) == 1 and self.appended(base, on, arguments[0], call.span):
            return NOTHING
        if name == "pop" and not call.args and not self.often_run and (last := self.popped(base, on)) is not None:
            return last
        if name in _CHANGES:
            self.unexact(base)
            on = self.value(base)
        if name in python_builtins.ADDS_ONE and arguments:
            self.put_below(base, inside(arguments[-1], VALUE if name == "setdefault" else ANY), call.span)
        elif name in python_builtins.ADDS_MANY:
            for handles, value in zip(arguments, call.args, strict=True):
                values = frozenset(h for h in handles if h.path[:1] == (VALUE,))
                self.put_below(base, values | inside(self.elements(handles, value), ANY), call.span)
        takes = name in python_builtins.TAKES_ONE or name == "popitem"
        taken = self.taken_out(call, name, on) if takes else NOTHING
        if name in python_builtins.REMOVES:
            self.loosen(base, -call.end)
        if name == "popitem":
            return inside(taken, "1")
        if name in python_builtins.TAKES_ONE:
            return taken
        if name in ("values", "copy"):
            return frozenset(h.out().inside(ANY) if h.path and _is_value(h) and name == "values" else h for h in on)
        if name == "items":
            return frozenset(h.out().inside("1").inside(ANY) for h in on if h.path and _is_value(h))
        return NOTHING

    def appended(self, base: r.Value, on: Handles, handles: Handles, at: r.Span) -> bool:
        """Whether it is known which element of a list that is."""
        number = exact_length(on)
        if number is None or number >= MOST_EXACT or self.often_run or not self.is_local(base):
            return False
        self.put(base, inside(handles, str(number)), at)
        assert isinstance(base, r.Name)
        held = frozenset(h for h in self.state.get(base.text) if h.path or not h.cls.startswith(LIST))
        self.set_name(base.text, held | {own(f"{LIST}{number + 1}")}, at, "")
        return True

    def popped(self, base: r.Value, on: Handles) -> Handles | None:
        """The last element of a list whose length is known; it is not in it any more."""
        length = exact_length(on)
        if not length or not isinstance(base, r.Name) or not self.is_local(base):
            return None
        last = frozenset(h for h in on if h.path[:1] == (str(length - 1),))
        shorter = frozenset(h for h in on - last if h.path or not h.cls.startswith(LIST))
        self.set_name(base.text, shorter | {own(f"{LIST}{length - 1}")}, base.span, "")
        return frozenset(h.out() for h in last)

    @property
    def often_run(self) -> bool:
        """Whether what is evaluated now is in a loop."""
        return bool(self.repeated)

    def unexact(self, base: r.Value) -> None:
        """A list of which it is no longer known which element stands where."""
        held = self.state.get(base.text) if isinstance(base, r.Name) else NOTHING
        if isinstance(base, r.Name) and any(h.cls.startswith(LIST) and not h.path for h in held):
            loose = (h.out().inside(ANY) if h.path and h.path[0].isdigit() else h for h in held)
            kept = frozenset(h for h in loose if h.path or not h.cls.startswith(LIST))
            self.set_name(base.text, kept, base.span, "")

    def taken_out(self, call: r.Call, name: str, on: Handles) -> Handles:
        """`found.get(key)`, `ops.pop()`."""
        key = call.args[0] if call.args else None
        known = value_slot(key) if key is not None else VALUE
        fits = [h for h in on if h.path and is_element(h.path[0])]
        if known != VALUE:
            fits = [h for h in fits if h.path[0] in (ANY, VALUE, known)]
        return frozenset(self.out_of(h, picked_at(call.end)) for h in fits)

    # --- what a call ends ---

    def effects(
        self,
        fact: Fact,
        call: r.Call,
        receiver: tuple[Handles, r.Value | None],
        placed: dict[int, tuple[Handles, r.Value]],
    ) -> None:
        """Marks what the call makes stale."""
        if fact.spared_by and any(_says_no(argument, fact.spared_by) for argument in call.args):
            return
        if fact.ends_members:
            self.outdate(fact, call, receiver[0])
        for number in fact.restores:
            for handle in receiver[0] if number == 0 else placed.get(number, (NOTHING, None))[0]:
                self.state = self.state.restored(handle.token)
                if self.is_tree(handle):
                    self.state = self.state.forgiven(handle.token, handle.chain)
        for number, reach in fact.ends:
            handles, value = receiver if number == 0 else placed.get(number, (NOTHING, None))
            if fact.of and number == 0:
                handles = self.element_of(handles, fact.of, call)
            if value is not None:
                self.end(handles, value, reach, call, in_order(receiver[0]) if number else (), fact)

    def outdate(self, fact: Fact, at: r.Call | r.Index, on: Handles) -> None:
        """What some members of the receiver gave is dead from now on, with all that was taken from it."""
        owner = one(on)
        if owner is None:
            return
        depth = len(owner.lent_by)
        if isinstance(at, r.Index):
            target, said = text(at.base), f"del {text(at)}"
        else:
            target = text(at.callee.base) if isinstance(at.callee, r.Member) else owner.shown
            said = text(at)
        why = Stale(at.span, said, target, "outdated", "derived", owner.sure)

        def end(handle: Handle) -> Handle:
            hit = handle.token == owner.token and handle.stale is None and handle.lent_by[:depth] == owner.lent_by
            dead = hit and any(name in fact.ends_members for name in handle.lent_by[depth : depth + 1])
            return handle._replace(stale=why._replace(certainty=handle.sure)) if dead else handle

        self.state = self.state.changed((owner.token,), end)

    def keep_addresses(
        self, fact: Fact, call: r.Call, holders: Handles, placed: dict[int, tuple[Handles, r.Value]]
    ) -> None:
        """The call stores the addresses of arguments, and nothing keeps them alive; or references to them, which do."""
        self.escape_all(h for number in fact.retains for h in placed.get(number, (NOTHING, None))[0] if h.holds)
        for number, into, sure in fact.stores:
            given, value = placed.get(number, (NOTHING, None))
            around = holders if into == 0 else placed.get(into, (NOTHING, None))[0]
            self.keep_address(fact, number, sure, (given, value), around, call)

    def keep_address(
        self,
        fact: Fact,
        number: int,
        sure: Certainty,
        given: tuple[Handles, r.Value | None],
        holders: Handles,
        at: r.Node,
    ) -> None:
        handles, value = given
        told = Step(self.function.path, at.span, fact.told, "lends") if fact.told else fact.declared
        for holder in in_order(native(holders)):
            for handle in in_order(h for h in native(handles) if h.holds and h.token != holder.token):
                kept = Dependence(
                    holder.token,
                    handle.token,
                    fact.name,
                    number,
                    at.span,
                    text(value) if value is not None else handle.shown,
                    holder.shown,
                    told,
                    sure,
                    handle.derived,
                )
                self.depends(kept, handle)

    def depends(self, kept: Dependence, handle: Handle) -> None:
        """Something has to live as long as a native object: whoever judges overrides this."""
        self.state = self.state._replace(dependences=self.state.dependences | {kept})

    def element_of(self, handles: Handles, member: str, call: r.Call) -> Handles:
        """What the first argument picks from a member of these; nothing when nobody knows which."""
        key = call.args[0] if call.args else None
        if not isinstance(key, r.Literal):
            return NOTHING
        picked = literal([text(key)])
        return frozenset(h._replace(chain=h.chain.step("part", member).step("part", picked)) for h in handles)

    def end(
        self,
        handles: Handles,
        value: r.Value,
        reach: Reach,
        by: r.Node,
        knowing: Sequence[Handle] = (),
        fact: Fact | None = None,
    ) -> None:
        """One object, and what it reaches; of several that it may be, nobody knows which. `knowing` are those through
        which it is done."""
        told = fact is None or not fact.given
        if not handles and reach == "deep" and isinstance(value, r.Name) and isinstance(by, r.Call) and told:
            self.end_unknown(value, by)
        alive = [h for h in native(handles) if h.stale is None]
        objects = {(h.token, h.chain) for h in alive}
        if not objects:
            return
        handle = in_order(alive)[0]
        how = "disowned" if fact is not None and fact.disowns else self.how(handle, reach)
        of = fact.of if fact is not None else ""
        call = text(by) if isinstance(by, r.Call) else f"del {text(value)}"
        target = f"{text(value)}.{of}[{text(by.args[0])}]" if of and isinstance(by, r.Call) else text(value)
        marks = fact.marks if fact is not None else ()
        why = Stale(by.span, call, target, how, reach, marks=marks, asked=handle.taken)
        if len(objects) == 1 and how == "erased" and self.is_root(handle.token, handle.chain):
            self.root_erased(handle, by.span, call)
        elif len(objects) == 1:
            self.noted(handle, how, by, value)
            self.state = self.state.invalidated(Ending(handle.token, handle.chain, reach, how), why)
            if self.is_tree(handle):
                self.state = self.state.lost(handle.token, handle.chain, why)
            if how == "erased":
                self.forgotten_by_indexes(handle, why, knowing)
                self.state = self.state.mutated(handle.token)
        elif reach in ("deep", "shallow"):
            self.end_there(alive, value, why)
        elif all(token[0] in self.inherited or is_given(token) for token, _ in objects):  # whoever has put it there
            for token, chain in sorted(objects):
                self.state = self.state.invalidated(Ending(token, chain, reach, how), why)

    def end_unknown(self, value: r.Name, by: r.Call) -> None:
        """An argument of which nobody knew the class: now somebody says that it is a handle, and that it ends."""
        if value.text in self.parameters and not self.state.get(value.text):
            why = Stale(by.span, text(by), value.text, "erased", "deep")
            ended = self.somebodys("", foreign(value.start), by.span, value.text)._replace(stale=why)
            self.set_name(value.text, frozenset({ended}), by.span, "")

    def end_there(self, alive: list[Handle], value: r.Value, why: Stale) -> None:
        """Whichever of several objects it was that this name or attribute stands for."""
        slot: tuple[str, ...] = ()
        match value:
            case r.Name(text=name):
                pass
            case r.Member(base=r.Name(text=name), name=attribute):
                slot = ("." + attribute,)
            case _:
                return
        ended = {h._replace(path=slot): h._replace(path=slot, stale=why) for h in alive}
        self.set_name(name, frozenset(ended.get(h, h) for h in self.state.get(name)), why.at, "")

    def how(self, handle: Handle, reach: Reach) -> How:
        if reach == "below":
            return "changed"
        match self.classes.role(handle.cls):
            case "owner" | "checked":
                return "closed"
            case "storage":
                return "emptied"
        return "outdated" if reach == "derived" else "erased"

    def is_root(self, token: Token, chain: HandleChain) -> bool:
        """Whether this is what its owner will free by itself, when it goes."""
        return chain.is_whole and token[0] in self.tops

    def root_erased(self, handle: Handle, at: r.Span, call: str) -> None:
        """What an owner will free is freed by hand: whoever judges overrides this."""

    def noted(self, handle: Handle, how: How, by: r.Node, value: r.Value) -> None:
        """An object ends: whoever looks at what goes on around it overrides this."""

    def added(self, where: Handle, by: r.Node) -> None:
        """Something is put behind the last element of `where`."""

    def visited(self, call: r.Call, fact: Fact, on: Handle, arguments: list[Handles]) -> None:
        """A function among the arguments is called with each of what the member gives."""

    def forgotten_by_indexes(self, erased: Handle, why: Stale, knowing: Sequence[Handle]) -> None:
        """An index still knows what was erased behind its back."""
        *before, last = erased.chain.steps or ("",)
        above = HandleChain(erased.chain.up, tuple(before))

        perhaps = why._replace(
            certainty=because("possible", "it is not known whether the entry is the one that is looked up")
        )

        def mark(handle: Handle) -> Handle:
            if handle.token != erased.token or handle in knowing or self.classes.role(handle.cls) != "index":
                return handle
            if handle.chain == above:
                return handle._replace(gaps=(*handle.gaps, (last[1:], why)))
            inside = erased.chain.below(handle.chain.step("holder", ""))
            return handle._replace(gaps=(*handle.gaps, ("", perhaps))) if inside else handle

        self.state = self.state.changed((erased.token,), mark)

    # --- the project's own functions ---

    def project(
        self,
        call: r.Call,
        symbol: str,
        on: Handles,
        arguments: list[Handles],
        values: list[Handles],
        receiver: Handles = NOTHING,
    ) -> Handles:
        """A function of the project, or one that nobody knows: then it may keep what it is given."""
        known = on or (self.code_called(symbol) if symbol else NOTHING)
        self.passing = bool(known)
        for argument, handles in zip(call.args, arguments, strict=True):
            if not handles:
                continue
            emptied = frozenset(h for h in handles if h.stale is not None and h.stale.how == "emptied")
            closed = frozenset(h for h in handles if self.is_closed_itself(h))  # a Python object like another
            if not self.anything:
                self.use(handles - emptied - closed, _given(argument))
        self.passing = False
        if symbol in _CLOSING and arguments:
            return inside(native(arguments[0]), CLOSING)
        code = self.classes.code
        cls = (
            code.cls(symbol, self.function.file) if symbol and not on and code.is_one(last_name(call.callee)) else None
        )
        if cls is not None and self.classes.find(symbol) is None:
            return self.constructed(call, cls, symbol, list(python_calls.arguments_of(call, values)))
        if known and (done := self.run_code(call, known, list(python_calls.arguments_of(call, values)))) is not None:
            return done if done or self.anything else self.declared_result(call, symbol)
        for handle in (h for handles in arguments for h in handles if h.stale is not None and h.stale.how == "emptied"):
            self.state = self.state.restored(handle.token)  # it may get its memory again there
        if self.anything:
            self.given_to_unknown(call, values, receiver)
        self.forget_attributes(call, receiver, arguments)
        return self.unknown(call, symbol, arguments)

    def is_closed_itself(self, handle: Handle) -> bool:
        """What was closed, not what was taken out of it."""
        closed = handle.stale is not None and handle.stale.how == "closed"
        return closed and self.classes.role(handle.cls) in ("owner", "checked")

    def unknown(self, call: r.Call, symbol: str, arguments: list[Handles]) -> Handles:
        moving = any(word in last_name(call.callee).lower() for word in habits.MOVES_ON)
        known = isinstance(call.callee, r.Member) and self.is_known_receiver(call.callee.base)
        self.escape_all(h for handles in arguments for h in handles if (h.holds and not known) or moving)
        for token in sorted({h.token for handles in arguments for h in handles}):
            self.state = self.state.mutated(token)
        return self.declared_result(call, symbol)

    def declared_result(self, call: r.Call, symbol: str) -> Handles:
        """What the function says it returns: somebody else's."""
        cls = self.classes.result(symbol) if symbol or self.anything else None
        if cls is not None and cls == self.anything:
            return self.fresh(call)
        return frozenset({self.somebodys(cls, foreign(call.start), call.span, text(call))}) if cls else NOTHING

    def given_to_unknown(self, call: r.Call, values: list[Handles], receiver: Handles) -> None:
        """They are looked at, and what lies in them may be something else afterwards."""
        grows = isinstance(call.callee, r.Member) and call.callee.name in _CHANGES
        for handles, argument in zip(values, call.args, strict=True):
            if not grows:
                self.use_whole(handles, _given(argument))
            for handle in native(handles):
                self.state = self.state.renewed(handle.token, handle.chain, "derived")
        for handle in receiver:
            if not handle.path and (handle.cls == self.anything or handle.cls.startswith(OBJECT)):
                self.state = self.state.renewed(handle.token, handle.chain).forgotten_end(handle.token, handle.chain)

    def forget_attributes(self, call: r.Call, receiver: Handles, arguments: list[Handles]) -> None:
        """Attributes of an object that somebody else may have set anew."""
        for handles in (receiver, *arguments):
            for itself in self.objects(handles):
                self.escape_all(h for h in handles if h.path and h.path[0][0] == ".")
                self.state = self.state.with_attributes(itself.token, NOTHING)
        owner = call.callee.base if isinstance(call.callee, r.Member) else None
        for value in (owner, *call.args):
            if not isinstance(value, r.Name) or value.text not in self.parameters:
                continue
            held = self.state.get(value.text)
            gone = frozenset(h for h in held if h.path and h.path[0][0] == ".")
            if gone:
                self.escape_all(gone)
                self.set_name(value.text, held - gone, call.span, "")


def one(handles: Handles) -> Handle | None:
    """The only native object among them."""
    whole = in_order(native(handles))
    return whole[0] if len({(h.token, h.chain) for h in whole}) == 1 else None


def _is_super(callee: r.Value) -> bool:
    return isinstance(callee, r.Name) and callee.text == "super"


def _says_no(argument: r.Value, keyword: str) -> bool:
    match argument:
        case r.Pair(key=r.Name(text=name), value=r.Literal(text="False")):
            return name == keyword
    return False


def _given(argument: r.Value) -> r.Value:
    return argument.value if isinstance(argument, r.Pair) else argument


def _is_value(handle: Handle) -> bool:
    return handle.path[0].startswith(VALUE)


def _key_of(call: r.Call, name: str) -> str:
    """Which of several a call picks: that is known where all arguments are constants."""
    if all(isinstance(argument, r.Literal) for argument in call.args):
        return name + literal(text(argument).replace("'", '"') for argument in call.args) * bool(call.args)
    return picked_at(call.end)
