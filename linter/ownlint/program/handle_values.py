"""What an expression of Python gives: the handles in it, and what looking at them means.

Nothing here knows a library: members come from `Classes`. Whatever is not known (a call that takes the owner, a
name that a class inside the function looks at) counts as keeping the owner alive: doubt is silent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.program.closures import assigned_to, captured
from ownlint.program.handles import (
    ANY,
    AWAITED,
    BURIED,
    NOTHING,
    VALUE,
    Classes,
    Fact,
    Given,
    Handle,
    Handles,
    State,
    Stored,
    Token,
    in_order,
    inside,
)
from ownlint.program.places import last_name, walk
from ownlint.program.subjects import Function

_LOOKS_AT_NOTHING = frozenset(["isinstance", "issubclass", "type", "id", "callable", "bool", "super", "del"])
"""Builtins that see the Python object and not what it points to."""
_PRINTS = frozenset(["str", "repr", "print", "format", "ascii", "len", "hash", "int", "float", "bytes", "memoryview"])
_READS = _PRINTS | {"hasattr", "setattr", "dir", "vars", "sum", "any", "all", "map", "assert", "range", "round", "abs"}
_COLLECTS = frozenset(["list", "tuple", "sorted", "set", "frozenset", "deque", "reversed"])
_LAZY = frozenset(["iter", "filter", "enumerate", "zip"])
_ADDS_ONE = frozenset(["append", "add", "insert", "appendleft", "setdefault", "put"])
_ADDS_MANY = frozenset(["extend", "update", "extendleft"])
_TAKES_ONE = frozenset(["pop", "get", "popleft", "setdefault", "__getitem__"])
_MOVING = ("move", "insert", "append", "add", "adopt", "attach", "splice", "inline", "register", "keep")
"""Words in the names of calls that may make somebody else the owner: weak evidence, for silence alone."""
_CONTAINERS = frozenset(["list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Queue"])


class Values:
    """Evaluates expressions in `state`; whoever runs statements inherits, and judges."""

    def __init__(self, function: Function, classes: Classes) -> None:
        self.function = function
        self.classes = classes
        self.state = State()
        self.owners: dict[int, str] = {}
        self.made: dict[int, Span] = {}
        self.parameters = {parameter.name for parameter in function.record.parameters}
        self._first: dict[str, r.Value] | None = None

    # --- what inheritors decide ---

    def use(self, handles: Handles, value: r.Value | None) -> Handles:
        """Something looks at these handles; returns those that nothing is wrong with."""
        raise NotImplementedError

    def assign(self, target: r.Value, handles: Handles, at: Span, source: r.Value | None = None) -> None:
        raise NotImplementedError

    def set_name(self, name: str, handles: Handles, at: Span, how: str) -> None:
        raise NotImplementedError

    # --- expressions ---

    def evaluate(self, value: r.Value | None) -> None:
        """For its effects; a bare name has none."""
        if not isinstance(value, r.Name):
            self.value(value)

    def value(self, value: r.Value | None) -> Handles:
        match value:
            case None | r.Literal():
                return NOTHING
            case r.Name(text=name):
                return self.state.get(name)
            case r.Member(base=base):
                return self.member(value, base)
            case r.Index():
                return self.index(value)
            case r.Call():
                return self.call(value)
            case r.Assign(target=target, op=op, value=inner):
                return self.assignment(value, target, op, inner)
            case r.Conditional(condition=condition, then=then, other=other):
                self.evaluate(condition)
                return self.value(then) | self.value(other)
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

    def binary(self, value: r.Binary) -> Handles:
        left, right = self.value(value.left), self.value(value.right)
        if value.op in ("&&", "||"):
            return left | right
        if value.op in ("is", "is not") or any(_is_none(side) for side in (value.left, value.right)):
            return NOTHING
        if value.op in ("+", "|") and any(h.path for h in left | right):
            return left | right
        self.use(left, value.left)
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
                self.escape_all(handles)
            case "not":
                pass
            case _:
                self.use(handles, value.value)
        return NOTHING

    def aggregate(self, value: r.Aggregate) -> Handles:
        collected: Handles = NOTHING
        for position, item in enumerate(value.items):
            handles = self.value(item)
            if value.kind == "fstring":
                self.use(handles, item)
                continue
            if isinstance(item, r.Pair):
                self.evaluate(item.key)
            fixed = value.kind == "tuple" and not any(isinstance(i, r.Unary) and i.op == "spread" for i in value.items)
            collected |= inside(handles, VALUE if value.kind == "dict" else str(position) if fixed else ANY)
        return collected

    def assignment(self, value: r.Assign, target: r.Value, op: str, inner: r.Value) -> Handles:
        if op not in ("=", ":="):
            before, added = self.value(target), self.value(inner)
            if any(h.path for h in before) or self.is_container(target):
                self.put(target, inside(self.elements(added, inner), ANY), value.span)
            else:
                self.use(before, target)
            return NOTHING
        if isinstance(target, r.Aggregate) and isinstance(inner, r.Aggregate) and len(target.items) == len(inner.items):
            given = [self.value(item) for item in inner.items]
            for item, handles, source in zip(target.items, given, inner.items, strict=True):
                self.assign(item, handles, value.span, source)
            return NOTHING
        handles = self.value(inner)
        self.assign(target, handles, value.span, inner)
        return handles

    def comprehension(self, value: r.Comprehension) -> Handles:
        outer = {name: self.state.get(name) for name in _bound_by(value)}
        hidden: list[str] = []
        for clause in value.clauses:
            iterated = self.use(self.value(clause.iterable), clause.iterable)
            hidden.append(f"<iterator {clause.start}>")
            self.set_name(hidden[-1], iterated, clause.span, _COMPREHENSION_ENDS)
            self.assign(clause.target, self.elements(iterated, clause.iterable), clause.span, clause.iterable)
            for condition in clause.conditions:
                self.evaluate(condition)
        element = value.element
        if isinstance(element, r.Pair):
            self.evaluate(element.key)
        result = inside(self.value(element), VALUE if value.kind == "dict" else ANY)
        if value.kind == "generator":  # it holds what it iterates over while it lives
            result |= frozenset(h.inside(BURIED) for name in hidden for h in self.state.get(name))
        for name in hidden:
            self.set_name(name, NOTHING, Span(value.end, value.end), _COMPREHENSION_ENDS)
        for name, handles in outer.items():
            self.set_name(name, handles, Span(value.end, value.end), _COMPREHENSION_ENDS)
        return result

    def closure(self, index: int) -> Handles:
        """What a nested function looks at, it keeps."""
        names = captured(self.function, index)
        return frozenset(h.inside(BURIED) for name in sorted(names) for h in self.state.get(name))

    # --- members and items ---

    def member(self, value: r.Member, base: r.Value) -> Handles:
        on = self.value(base)
        native = self.use(frozenset(h for h in on if not h.path), base)
        stored = frozenset(h.out() for h in on if h.path[:1] == ("." + value.name,))
        return stored | frozenset(h for handle in native for h in self.attribute(handle, value))

    def attribute(self, handle: Handle, value: r.Member) -> Iterator[Handle]:
        fact = self.classes.member(handle.cls, value.name)
        if fact is not None and fact.called:
            yield handle.inside(BURIED)  # a bound method holds its receiver
        else:
            yield from self.taken(handle, fact, value)

    def taken(self, handle: Handle, fact: Fact | None, value: r.Value, element: bool = False) -> Iterator[Handle]:
        """What a member gives: a new handle into the same token, or nothing when it is plain data."""
        if fact is not None and fact.borrows and fact.source == 0:
            declared = fact.declared or handle.declared
            holds = fact.holds(handle.holds)
            yield Handle(fact.returns, handle.token, holds, value.span, text(value), element, declared)

    def elements(self, handles: Handles, value: r.Value | None) -> Handles:
        """What iterating gives."""
        out: set[Handle] = set()
        for handle in handles:
            if handle.path:
                if handle.path[0] == ANY or handle.path[0].isdigit():
                    out.add(handle.out())
                continue
            iterator = self.classes.member(handle.cls, "__iter__")
            known = iterator.returns if iterator is not None and iterator.returns else handle.cls
            fact = self.classes.member(known, "__next__")
            if fact is None and iterator is None:
                fact = self.classes.member(handle.cls, "__getitem__")
            if value is not None:
                out.update(self.taken(handle, fact, value, element=True))
        return frozenset(out)

    def index(self, value: r.Index) -> Handles:
        on = self.value(value.base)
        for index in value.indexes:
            self.evaluate(index)
        native = self.use(frozenset(h for h in on if not h.path), value.base)
        sliced = any(isinstance(i, r.Aggregate) and i.kind == "slice" for i in value.indexes)
        if sliced:
            parts = frozenset(h for handle in native for h in self.elements(frozenset({handle}), value.base))
            return inside(parts, ANY) | frozenset(_unplaced(h) for h in on if h.path)
        fact_of = self.classes.member
        found = {h for handle in native for h in self.taken(handle, fact_of(handle.cls, "__getitem__"), value)}
        return frozenset(found | {h.out() for h in on if h.path and _fits(h.path[0], value.indexes)})

    # --- calls ---

    def call(self, call: r.Call) -> Handles:
        symbol = self.symbol(call.callee)
        builtin = last_name(call.callee) if isinstance(call.callee, r.Name) else ""
        if symbol and not symbol.startswith("builtins."):
            builtin = ""
            made = self.native(call, symbol)
            if made is not None:
                return made
        if isinstance(call.callee, r.Member):
            return self.method(call, call.callee, symbol)
        self.evaluate(call.callee)
        arguments = [self.value(argument) for argument in call.args]
        if builtin and builtin not in self.function.declared:
            given = self.builtin(call, builtin, arguments)
            if given is not None:
                return given
        return self.own(call, symbol, arguments)

    def builtin(self, call: r.Call, name: str, arguments: list[Handles]) -> Handles | None:
        if name in _LOOKS_AT_NOTHING:
            return NOTHING
        if name == "getattr" and len(call.args) > 1:
            return self.by_literal_name(call, arguments[0])
        if (
            name not in _READS
            and name not in _COLLECTS
            and name not in _LAZY
            and name not in ("next", "max", "min", "dict")
        ):
            return None
        fine = [self.use(handles, value) for handles, value in zip(arguments, call.args, strict=True)]
        if name in _READS:
            return NOTHING
        if name == "dict":
            return frozenset(_as_value(h) for handles in fine for h in handles if h.path[:1] not in ((), (BURIED,)))
        parts = [self.elements(handles, value) for handles, value in zip(fine, call.args, strict=True)]
        taken: Handles = frozenset(h for part in parts for h in part)
        if name == "next":
            return parts[0] if parts else NOTHING
        if name in ("max", "min"):
            return taken if len(call.args) == 1 or taken else frozenset(h for handles in fine for h in handles)
        if name in _COLLECTS:
            return inside(taken, ANY)
        whole: Handles = frozenset(h for handles in fine for h in handles)
        if name in ("iter", "filter"):
            return whole
        slots = ["1"] if name == "enumerate" else [str(position) for position in range(len(parts))]
        paired = (inside(inside(part, slot), ANY) for part, slot in zip(parts, slots, strict=False))
        return frozenset(h for pairs in paired for h in pairs) | frozenset(h.inside(BURIED) for h in whole if h.holds)

    def by_literal_name(self, call: r.Call, on: Handles) -> Handles:
        name = call.args[1]
        written = name.text.strip("\"'") if isinstance(name, r.Literal) and name.kind == "str" else ""
        native = self.use(frozenset(h for h in on if not h.path), call.args[0])
        if not written.isidentifier():
            return NOTHING
        return frozenset(
            h for handle in native for h in self.taken(handle, self.classes.member(handle.cls, written), call)
        )

    def native(self, call: r.Call, symbol: str) -> Handles | None:
        """A constructor, a static factory or a function of a native module; None when it is none of them."""
        cls, name = self.classes.find(symbol), "__init__"
        if cls is None:
            head, _, name = symbol.rpartition(".")
            cls = self.classes.find(head) if head else None
        fact = self.classes.member(cls, name) if cls is not None else self.classes.function(symbol)
        if cls is None and fact is None:
            return None
        arguments = [self.value(argument) for argument in call.args]
        for argument, handles in zip(call.args, arguments, strict=True):
            self.use(handles, argument)
        if fact is None or not fact.returns:
            return NOTHING
        if fact.keeps == "own":
            return frozenset({self.create(call)._replace(cls=fact.returns, declared=fact.declared)})
        source = max(fact.source, 1) - 1
        if not fact.borrows or source >= len(arguments):
            return NOTHING
        return frozenset(
            Handle(fact.returns, h.token, fact.holds(h.holds), call.span, text(call), False, fact.declared)
            for h in arguments[source]
            if not h.path
        )

    def create(self, call: r.Call) -> Handle:
        """A new token, made by this call."""
        self.state = self.state.age(call.start)
        self.made[call.start] = call.span
        self.owners[call.start] = text(call)
        return Handle("", (call.start, 0), True, call.span, text(call))

    def method(self, call: r.Call, callee: r.Member, symbol: str) -> Handles:
        on = self.value(callee.base)
        arguments = [self.value(argument) for argument in call.args]
        native = frozenset(h for h in on if not h.path)
        if not native and (on or any(arguments)) and self.is_container(callee.base, on):
            return self.container_method(call, callee, on, arguments)
        if not native and not on:
            return self.own(call, symbol, arguments)
        fine = self.use(native, callee.base)
        facts = [(handle, self.classes.member(handle.cls, callee.name)) for handle in in_order(native)]
        for argument, handles in zip(call.args, arguments, strict=True):
            self.use(handles, argument)
            if any(fact is None for _, fact in facts):
                self.escape_all(h for h in handles if h.holds)
        if any(fact is not None and fact.moves for _, fact in facts):
            self.escape_all(h for handles in (native, *arguments) for h in handles)
        return frozenset(h for handle, fact in facts if handle in fine for h in self.taken(handle, fact, call))

    def container_method(self, call: r.Call, callee: r.Member, on: Handles, arguments: list[Handles]) -> Handles:
        name, base = callee.name, callee.base
        if name in _ADDS_ONE and arguments:
            self.put(base, inside(arguments[-1], VALUE if name == "setdefault" else ANY), call.span)
        elif name in _ADDS_MANY:
            for handles, value in zip(arguments, call.args, strict=True):
                values = frozenset(h for h in handles if h.path[:1] == (VALUE,))
                self.put(base, values | inside(self.elements(handles, value), ANY), call.span)
        if name in _TAKES_ONE:
            return frozenset(h.out() for h in on if h.path[0] != BURIED)
        if name in ("values", "copy"):
            return frozenset(h.out().inside(ANY) if h.path[0] == VALUE and name == "values" else h for h in on)
        if name == "items":
            return frozenset(h.out().inside("1").inside(ANY) for h in on if h.path[0] == VALUE)
        return NOTHING

    def own(self, call: r.Call, symbol: str, arguments: list[Handles]) -> Handles:
        """A function of the project, or one that nobody knows: then it may keep what it is given."""
        given: list[Given] = []
        tokens: dict[int, Token] = {}
        for position, handles in enumerate(arguments):
            self.use(handles, call.args[position])
            whole = [h for h in handles if not h.path]
            if len(whole) == 1 and len(handles) == 1 and not isinstance(call.args[position], (r.Pair, r.Unary)):
                given.append(Given(position, whole[0].cls, whole[0].holds))
                tokens[-1 - position] = whole[0].token
        keywords = any(isinstance(argument, (r.Pair, r.Unary)) for argument in call.args)
        summary = self.classes.called(self.function, symbol, tuple(given)) if symbol and not keywords else None
        if summary is None:
            moving = any(word in last_name(call.callee).lower() for word in _MOVING)
            known = isinstance(call.callee, r.Member) and self.is_known_receiver(call.callee.base)
            self.escape_all(h for handles in arguments for h in handles if (h.holds and not known) or moving)
            return NOTHING
        for position, handles in enumerate(arguments):
            if position in summary.kept or -1 - position not in tokens:
                self.escape_all(h for h in handles if h.holds)
        return frozenset(self.translated(summary.returns, tokens, call))

    def translated(self, handles: Handles, tokens: dict[int, Token], call: r.Call) -> Iterator[Handle]:
        """What a function of the project returns, in the words of this call."""
        fresh = [h for h in handles if h.token[0] >= 0]
        made = self.create(call) if fresh else None
        for handle in handles:
            token = made.token if made is not None and handle.token[0] >= 0 else tokens.get(handle.token[0])
            if token is not None:
                yield handle._replace(token=token, taken=call.span, shown=text(call), element=False)

    # --- containers ---

    def is_container(self, base: r.Value, held: Handles = NOTHING) -> bool:
        """Whether this is known to be a list, a dict or the like: what holds handles, and what was written as one."""
        if any(handle.path and handle.path[0] != BURIED for handle in held):
            return True
        if isinstance(base, r.Name) and base.text in self.function.declared:
            return _is_container(self.assigned(base.text))
        return any(_is_container(value) for value in assigned_to(self.function, base))

    def put(self, container: r.Value, handles: Handles, at: Span) -> None:
        """Into a container or an object: a local one carries them on, any other outlives the function."""
        if self.is_local(container):
            assert isinstance(container, r.Name)
            self.set_name(container.text, self.state.get(container.text) | handles, at, "")
        else:
            self.store(handles, at)

    def is_local(self, value: r.Value) -> bool:
        return isinstance(value, r.Name) and value.text in self.function.declared and value.text not in self.parameters

    def store(self, handles: Handles, at: Span, name: str = "") -> None:
        self.state = self.state._replace(stored=self.state.stored | {Stored(h, at, name) for h in handles})

    def escape_all(self, handles: Iterator[Handle] | Handles) -> None:
        self.state = self.state.escape(h.token for h in handles)

    def escape_names(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.escape_all(self.state.get(name))

    # --- names ---

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
        meaning = program.meaning(self.function.file, start)
        if meaning is None:
            return ""
        if meaning.symbol.startswith("*."):
            return program.star_import(self.function.file, meaning.symbol)
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


_COMPREHENSION_ENDS = "the comprehension over it ends here"


def _bound_by(value: r.Comprehension) -> list[str]:
    """Names that live in the comprehension alone."""
    return [name.text for clause in value.clauses for name in walk(clause.target) if isinstance(name, r.Name)]


def _is_none(value: r.Value) -> bool:
    return isinstance(value, r.Literal) and value.kind == "null"


def _is_container(value: r.Value | None) -> bool:
    match value:
        case r.Aggregate(kind="list" | "dict" | "set") | r.Comprehension(kind="list" | "dict" | "set"):
            return True
        case r.Call(callee=callee):
            return last_name(callee) in _CONTAINERS
    return False


def _fits(slot: str, indexes: tuple[r.Value, ...]) -> bool:
    """Whether an item with this index may be the one in the slot."""
    if slot.isdigit() and len(indexes) == 1 and isinstance(indexes[0], r.Literal) and indexes[0].kind == "int":
        return indexes[0].text == slot
    return slot in (ANY, VALUE) or slot.isdigit()


def _unplaced(handle: Handle) -> Handle:
    return handle.out().inside(ANY) if handle.path[0].isdigit() else handle


def _as_value(handle: Handle) -> Handle:
    """What is in a list of pairs, in a dict made of it."""
    match handle.path:
        case ("*", "1", *_) | ("*", "*", *_):
            return handle.out().out().inside(VALUE)
        case ("=", *_):
            return handle
    return handle.inside(BURIED)
