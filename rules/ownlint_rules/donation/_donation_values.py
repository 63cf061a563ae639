"""What an expression does to storage: who is taken from, who looks, what is a copy of what.

Nothing here knows a library: wrappers, members and functions come from the models. Doubt is silent: a value of which
nobody knows whether it is an array or a list has no items of its own, and an object that a call may have changed is as
good as new.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ownlint import SOME_PATHS, Certainty, Function, because, text, weaker
from ownlint import records as r
from ownlint_rules.donation._donation import (
    DonationInstance,
    DonationMisuse,
    DonationScope,
    DonationState,
    Items,
    Known,
    Loss,
    Own,
    Path,
    Take,
    union,
)
from ownlint_rules.donation._donation_callables import Callables

LIVE = "live"
"""The kind of a value that surely has storage to lose."""
PLAIN = "plain"
"""Plain data, or storage of somebody else's: nothing is lost."""


class Got(NamedTuple):
    """What an expression gives. Plain data has no path."""

    path: Path | None = None
    known: Known | None = None


NOTHING = Got()


class DonationSummary(NamedTuple):
    """What calling a function does: whom it takes from, which variables around it it looks at, which attributes of its
    receiver and which variables it sets."""

    takes: tuple[Take, ...] = ()
    looks: tuple[Path, ...] = ()
    sets: frozenset[str] = frozenset()


class World(Protocol):
    """The rest of the program."""

    callables: Callables

    def summary(self, own: Own) -> DonationSummary | None: ...
    def kind(self, value: r.Value | None, scope: DonationScope) -> str: ...
    def only_looks(self, function: Function, name: str) -> bool: ...
    def repeats(self, function: Function, name: str) -> bool: ...


class DonationValues:
    """Evaluates expressions in `state`; `donation_flow` runs statements, and so loops."""

    rounds: list[int]

    def __init__(self, function: Function, world: World, scope: DonationScope) -> None:
        self.function = function
        self.world = world
        self.scope = scope
        self.callables = world.callables
        self.storage = world.callables.consuming.storage
        self.fits = world.callables.consuming.fits
        self.canonical = function.program.models.canonical
        self.state = DonationState()
        self.kinds: dict[Path, str] = {}
        self.makes: dict[Path, Known] = {}
        self.containers: set[Path] = set()
        self.again = False
        """The second round of a comprehension runs."""
        self.expecting = 0
        """Above 0 where a failure is expected: nothing is reported, and nothing is taken."""
        self.suspended = 0
        self.raised: list[list[DonationState]] = []
        """For each `try` around, the states in which a call in it can have failed after it took its arguments."""
        self.dropped: r.Value | None = None
        """A statement that is nothing but a call: its result is dropped."""
        self.found: dict[tuple[int, int, int, int], DonationMisuse] = {}
        self.reached: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self.hits: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self.lost: set[tuple[int, int, Path]] = set()
        self.spared: set[tuple[int, int, Path]] = set()
        """Places with what is looked at there: where it was gone in a state of some path, and where it was not."""
        self.looked: set[Path] = set()

    # --- what statements decide ---

    def assign(self, target: r.Value, got: Got, value: r.Value | None) -> None:
        raise NotImplementedError

    # --- expressions ---

    def used(self, value: r.Value) -> Got:
        """Evaluates it; whoever asked looks at the storage."""
        got = self.value(value)
        self.use(got, value)
        return got

    def value(self, value: r.Value | None) -> Got:
        match value:
            case r.Name():
                return self.name(value)
            case r.Member():
                return self.member(value)
            case r.Index():
                return self.index(value)
            case r.Call():
                return self.call(value)
            case r.Assign():
                return self.assignment(value)
            case r.Conditional(condition=condition, then=then, other=other):
                self.condition(condition)
                return self.either(then, other, value)
            case r.Binary(op="&&" | "||", left=left, right=right):
                self.condition(left)
                return self.either(right, None, value, self.value(left) if _is_place(left) else Got())
            case r.Binary():
                return self.binary(value)
            case r.Aggregate():
                return self.aggregate(value)
            case r.Unary(op=op, value=inner):
                return self.unary(value, op, inner)
            case r.Pair(value=inner):
                return self.value(inner)
            case r.Comprehension():
                return self.comprehension(value)
            case r.Lambda(function=index):
                inner_function = self.function.program.index.function_at(self.function.file, index)
                return Got(None, Own(inner_function, around=self.scope) if inner_function is not None else None)
            case r.OpaqueValue(names=names):
                self.revive_all(names)
        return Got()

    def condition(self, value: r.Value) -> None:
        """Whether something holds: a bare name is looked at, and so is what is compared."""
        match value:
            case r.Unary(op="not", value=inner):
                self.condition(inner)
            case r.Name() | r.Member() | r.Index():
                got = self.value(value)
                if got.path is not None and self.kind(got.path) == LIVE and not isinstance(value, r.Member):
                    self.use(got, value)
            case _:
                self.value(value)

    def either(self, one: r.Value, other: r.Value | None, whole: r.Value, before: Got = NOTHING) -> Got:
        """One of two is evaluated, and nobody knows which."""
        start = self.state.copy()
        first = self.value(one)
        after, self.state = self.state, start
        second = self.value(other) if other is not None else before
        for path, loss in after.dead.items():
            if path not in self.state.dead:
                self.state.lose(path, loss._replace(certainty=weaker(loss.certainty, because("path", SOME_PATHS))))
        for name, path in after.names.items():
            if name not in self.state.names:
                self.state.bind(name, path)
        if first.path == second.path:
            return first
        kinds = {self.kind(g.path) if g.path is not None else PLAIN for g in (first, second)}
        return self.fresh(whole, kinds.pop() if len(kinds) == 1 else "", union([first.known, second.known]))

    def binary(self, value: r.Binary) -> Got:
        if value.op in ("is", "is not") or any(_is_none(side) for side in (value.left, value.right)):
            self.value(value.left)
            self.value(value.right)
            return Got()
        sides = [self.used(value.left), self.used(value.right)]
        if value.op in ("in", "not in", "from"):
            return Got()
        if any(got.path in self.containers for got in sides):
            return self.fresh(value, "")
        live = any(got.path is not None and self.kind(got.path) == LIVE for got in sides)
        if not live and all(got.path is None or self.kind(got.path) == PLAIN for got in sides):
            return Got()
        return self.fresh(value, LIVE if live else "")

    def unary(self, value: r.Unary, op: str, inner: r.Value) -> Got:
        if op == "not":
            self.condition(inner)
            return Got()
        if op == "await":
            got = self.value(inner)
            self.suspend_point()
            return got
        if op in ("yield", "yield from"):
            self.used(inner)
            self.suspend_point()
            return self.fresh(value, "")
        got = self.value(inner)
        if op in ("spread", "spread2"):
            return got
        self.use(got, inner)
        return self.fresh(value, self.kind(got.path)) if got.path is not None else Got()

    def suspend_point(self) -> None:
        """Others run now, and may change the attributes of any object."""
        for path in [path for path in self.state.dead if any(str(step).startswith(".") for step in path[1:])]:
            self.state.revive(path)

    def aggregate(self, value: r.Aggregate) -> Got:
        if value.kind in ("fstring", "slice"):
            for item in value.items:
                self.used(item)
            return Got()
        got = self.fresh(value, "")
        assert got.path is not None
        self.containers.add(got.path)
        known: dict[str, Known | None] = {}
        plain = True
        for number, item in enumerate(value.items):
            step = f"[{number}]"
            if isinstance(item, r.Pair):
                self.value(item.key)
                step = f"[{text(item.key)}]"
            one = self.value(item)
            plain = plain and (one.path is None or self.kind(one.path) == PLAIN)
            if one.path is not None and value.kind != "set":
                spread = isinstance(item, r.Unary)
                self.state.store((*got.path, step + "*" if spread else step), one.path, one.path)
            known[step] = one.known
        if plain:
            self.kinds[got.path] = PLAIN
        return got._replace(known=Items(known) if any(known.values()) else None)

    def assignment(self, value: r.Assign) -> Got:
        target, inner = value.target, value.value
        if value.op not in ("=", ":="):
            before, added = self.used(target), self.used(inner)
            kind = LIVE if any(g.path is not None and self.kind(g.path) == LIVE for g in (before, added)) else ""
            if before.path is None or before.path not in self.containers:
                self.assign(target, self.fresh(value, kind), None)
            return Got()
        if isinstance(target, r.Aggregate) and isinstance(inner, r.Aggregate) and len(target.items) == len(inner.items):
            given = [self.value(item) for item in inner.items]
            for item, one, source in zip(target.items, given, inner.items, strict=True):
                self.assign(item, one, source)
            return Got()
        got = self.value(inner)
        self.assign(target, got, inner)
        return got

    def comprehension(self, value: r.Comprehension) -> Got:
        outer = dict(self.state.names)
        again = self.again
        for number in (1,) if again else (1, 2):  # else each level inside another one would cost twice as much
            self.rounds.append(number)
            self.again = again or number == 2
            for clause in value.clauses:
                self.used(clause.iterable) if number == 1 else self.value(clause.iterable)
                self.assign(clause.target, self.fresh(clause.target, ""), None)
                for condition in clause.conditions:
                    self.condition(condition)
            element = value.element
            if isinstance(element, r.Pair):
                self.used(element.key)
            one = self.value(element)
            self.rounds.pop()
            if len(value.clauses) == 1 and single_round(value.clauses[0].iterable):
                break
        self.again = again
        for name in [name for name in self.state.names if name in outer]:
            self.state.bind(name, outer[name])
        got = self.fresh(value, self.kind(one.path) if one.path is not None else PLAIN)
        if got.path is not None:
            self.containers.add(got.path)
        return got

    # --- names, members, items ---

    def name(self, value: r.Name) -> Got:
        path = self.state.names.get(value.text)
        if path is None:
            if value.text in ("True", "False", "None"):
                return Got()
            path = (("outer", value.text),)
        return Got(path, self.known(value))

    def known(self, value: r.Value) -> Known | None:
        return self.callables.known(value, self.scope, self.local)

    def local(self, name: r.Name) -> Known | bool | None:
        path = self.state.names.get(name.text)
        if path is None or path[0][0] != "made":
            return True
        return self.makes.get(path)

    def member(self, value: r.Member) -> Got:
        base = self.value(value.base)
        inner = base.path is not None and value.name.startswith("_") and self.kind(base.path) == LIVE
        if value.name in self.storage.plain or value.name in self.storage.aside or base.path is None or inner:
            return Got(None, self.known(value))
        if value.name in self.storage.reads:
            self.use(base, value.base)
            return self.fresh(value, LIVE)
        path = self.state.resolve((*base.path, "." + value.name))
        known = self.makes.get(path)
        return Got(path, known if known is not None else self.known(value))

    def index(self, value: r.Index) -> Got:
        base = self.value(value.base)
        for index in value.indexes:
            self.used(index)
        if base.path is None:
            return Got(None, self.known(value))
        if self.kind(base.path) == LIVE and _is_whole(value.indexes):
            self.use(base, value.base)
            return base
        step = self.step(value.indexes)
        if step and self.has_items(base.path, step, value.indexes):
            path = self.state.resolve((*base.path, step))
            return Got(path, self.makes.get(path))
        if self.kind(base.path) != LIVE and self.state.loss(base.path) is not None:
            return Got((*base.path, "[?]"))  # an item of what is gone: whoever looks at it is told
        self.use(base, value.base)
        return self.fresh(value, self.kind(base.path), self.known(value))

    def step(self, indexes: tuple[r.Value, ...]) -> str:
        """Which item this is, as far as it can be told from others."""
        match indexes:
            case (r.Literal() as index,):
                return f"[{text(index)}]"
            case (r.Unary(op="-", value=r.Literal()) as index,):
                return f"[{text(index)}]"
            case (r.Name(text=name),):
                return f"[{self.state.names.get(name, name)}]"
        return ""

    def has_items(self, path: Path, step: str, indexes: tuple[r.Value, ...]) -> bool:
        """Whether this is known to be a list, a tuple or a dict, whose items are what they are."""
        if (
            path in self.containers
            or str(path[-1])[1:] in self.storage.parts
            or (*path, step) in self.state.heap
            or (*path, step) in self.state.dead
        ):
            return True
        return isinstance(indexes[0], r.Literal) and indexes[0].kind == "str"

    # --- kinds ---

    def kind(self, path: Path) -> str:
        """`LIVE`, `PLAIN`, or nothing when nobody knows."""
        for length in range(len(path), 0, -1):
            known = self.kinds.get(path[:length])
            if known is not None:
                return known
        origin = path[0]
        if origin[0] == "made":
            return ""
        found = self.kind_outside(path)
        self.kinds[path] = found
        return found

    def kind_outside(self, path: Path) -> str:
        origin = path[0]
        if origin[0] == "parameter" and len(path) == 1:
            dotted = self.canonical(self.callables.type_of(self.function, origin[1]))
            if self.fits("types", dotted):
                return LIVE
            return PLAIN if self.fits("foreign_types", dotted) else ""
        if len(path) == 1:
            found = self.callables.resolve(r.Name(0, 0, origin[1]), self.scope)
            return self.world.kind(*found) if found is not None else ""
        on = self.callables.name(r.Name(0, 0, origin[1]), self.scope)
        step = str(path[1])
        if isinstance(on, DonationInstance) and step.startswith("."):
            kinds = {
                self.world.kind(value, scope)
                for value, scope in self.callables.assigned(on.cls, step[1:])
                if value is not None and not _is_none(value)
            }
            return kinds.pop() if len(kinds) == 1 else LIVE if LIVE in kinds and "" not in kinds else ""
        return ""

    def fresh(self, value: r.Value, kind: str, known: Known | None = None) -> Got:
        """A new value, made here."""
        number = 0
        while self.state.is_used(origin := ("made", str(value.start), str(value.end), str(number))):
            number += 1
        path: Path = (origin,)
        for stale in [p for p in self.state.dead if p[0] == origin]:
            del self.state.dead[stale]
        self.kinds[path] = kind
        if known is not None:
            self.makes[path] = known
        else:
            self.makes.pop(path, None)
        self.containers.discard(path)
        return Got(path, known)

    # --- losses ---

    def use(self, got: Got, value: r.Value) -> None:
        """Somebody looks at the storage."""
        if got.path is None or self.expecting:
            return
        if got.path[0][0] == "outer" and self.state.loss(got.path) is None:
            self.looked.add(got.path)
        self.judge("use", got.path, value)
        if got.path in self.containers:
            for part in self.state.below(got.path)[1:]:
                self.judge("use", part, value)

    def judge(self, kind: str, path: Path, at: r.Value) -> bool:
        """Reports when the storage of `path` is gone; `kind` as in `DonationMisuse`."""
        place = (at.start, at.end, tuple(self.rounds))
        self.reached[place] = self.reached.get(place, 0) + 1
        loss = self.state.loss(path)
        (self.spared if loss is None else self.lost).add((at.start, at.end, path))
        if loss is None or loss.told:
            return loss is not None
        self.hits[place] = self.hits.get(place, 0) + 1
        self.tell(kind, path, at, loss)
        return True

    def whether_live(self, path: Path, at: r.Value) -> Certainty:
        """Whether there is storage to lose."""
        return "certain" if self.kind(path) == LIVE else because("value", not_known(at))

    def tell(self, kind: str, path: Path, at: r.Value, loss: Loss) -> None:
        certainty = weaker(loss.certainty, self.whether_live(path, at))
        if loss.failed:
            doubt: Certainty = because("path" if kind == "again" else "guess", f"on the path where `{loss.by}` fails")
            kind, certainty = "retry", weaker(doubt, certainty)
        elif kind == "again" and loss.at.start >= at.start and loss.rounds != tuple(self.rounds):
            kind = "round"
        self.note(kind, at, loss, certainty)
        self.state.told(loss)

    def note(self, kind: str, at: r.Value, loss: Loss, certainty: Certainty) -> None:
        key = (at.start, at.end, loss.at.start, loss.at.end)
        known = self.found.get(key)
        target = loss.target if loss.target == text(at) else ""
        made = DonationMisuse(self.function, kind, at.span, text(at), loss, certainty, target, loss.call)
        if known is None or known.certainty == weaker(known.certainty, certainty) != certainty:
            self.found[key] = made

    def take(self, got: Got, at: r.Value, loss: Loss) -> None:
        if got.path is None or self.expecting or self.suspended or self.kind(got.path) == PLAIN:
            return
        if got.path in self.containers:
            for part in self.state.below(got.path):
                if self.kind(part) != PLAIN:
                    self.state.take(part, loss)
        else:
            self.state.take(got.path, loss)

    def revive_all(self, names: tuple[str, ...]) -> None:
        for name in names:
            path = self.state.names.get(name, (("outer", name),))
            self.state.revive(path)

    def revive_below(self, path: Path) -> None:
        """Its parts may have been replaced."""
        for known in [k for k in self.state.dead if len(k) > len(path) and k[: len(path)] == path]:
            del self.state.dead[known]

    # --- calls: see `donation_calls` ---

    def call(self, call: r.Call) -> Got:
        raise NotImplementedError


def _is_place(value: r.Value) -> bool:
    return isinstance(value, (r.Name, r.Member, r.Index))


def _is_none(value: r.Value | None) -> bool:
    return isinstance(value, r.Literal) and value.kind == "null"


def _is_whole(indexes: tuple[r.Value, ...]) -> bool:
    """`[:]`, `[...]`."""
    match indexes:
        case (r.Aggregate(kind="slice", items=items),):
            return all(_is_none(item) for item in items)
        case (r.Literal(kind="other", text="..."),):
            return True
    return False


def single_round(iterable: r.Value | None) -> bool:
    """One round at most: `range(1)`, `[x]`."""
    match iterable:
        case r.Call(callee=r.Name(text="range"), args=(r.Literal(text="0" | "1"),)):
            return True
        case r.Aggregate(kind="list" | "tuple" | "set", items=(only,)):
            return not isinstance(only, r.Unary)
    return False


def not_known(at: r.Value) -> str:
    return f"it is not known whether `{text(at)}` has storage that can be donated"
