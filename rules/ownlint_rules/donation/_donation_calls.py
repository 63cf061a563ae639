"""What a call does to the storage of its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Certainty, because, places, python_builtins, text, weaker
from ownlint import records as r
from ownlint_rules.donation._donation import Consumer, DonationInstance, Loss, Own, Path, Spec, Take
from ownlint_rules.donation._donation_specs import parameters_of
from ownlint_rules.donation._donation_values import LIVE, PLAIN, DonationSummary, DonationValues, Got, not_known


class Argument(NamedTuple):
    """An argument as a callee sees it: by position (-1 behind a spread one) or by name; `spread` is `*` or `**`."""

    value: r.Value
    got: Got
    position: int
    name: str = ""
    spread: str = ""


class DonationCalls(DonationValues):
    def call(self, call: r.Call) -> Got:
        symbol = self.dotted(call.callee)
        last = places.last_name(call.callee)
        if self.fits("expects", symbol or last) or (isinstance(call.callee, r.Member) and self.fits("expects", last)):
            return self.expected(call)
        if last == "getattr" and len(call.args) > 1 and symbol == "builtins.getattr":
            return self.by_literal_name(call)
        if self.switched(call, symbol):
            return Got()
        if isinstance(call.callee, r.Member):
            on = self.value(call.callee.base)
            done = self.method(call, call.callee, on)
            if done is not None:
                return done
        callee = self.known(call.callee) if not isinstance(call.callee, r.Call) else self.value(call.callee).known
        given = list(self.given(call))
        if isinstance(callee, Consumer):
            return self.consume(call, callee, given)
        if isinstance(callee, Own):
            return self.own(call, callee, given)
        if self.fits("maps", symbol) and given:
            return self.mapped(call, given)
        return self.library(call, symbol, given, callee)

    def dotted(self, value: r.Value) -> str:
        return self.canonical(self.callables.dotted(value, self.function))

    def expected(self, call: r.Call) -> Got:
        self.expecting += 1
        for argument in call.args:
            self.value(argument)
        self.expecting -= 1
        return Got()

    def by_literal_name(self, call: r.Call) -> Got:
        name = call.args[1]
        if isinstance(name, r.Literal) and name.kind == "str":
            return self.member(r.Member(call.start, call.end, call.args[0], name.text.strip("\"'"), False, call.end))
        return self.used(call.args[0])

    def switched(self, call: r.Call, symbol: str) -> bool:
        """A switch of the library's after which nothing is consumed."""
        if not self.fits("switched_by", symbol) or len(call.args) != 2:
            return False
        what, how = call.args
        if text(what).strip("\"'") in self.storage.switches and text(how) == "True":
            self.suspended += 1
        return True

    def given(self, call: r.Call) -> Iterator[Argument]:
        position = 0
        for argument in call.args:
            match argument:
                case r.Pair(key=r.Name(text=name), value=value):
                    yield Argument(value, self.value(value), -1, name)
                case r.Unary(op="spread", value=value):
                    yield Argument(value, self.value(value), position, spread="*")
                    position = -1
                case r.Unary(op="spread2", value=value):
                    yield Argument(value, self.value(value), -1, spread="**")
                case _:
                    yield Argument(argument, self.value(argument), position)
                    position += position >= 0

    # --- methods ---

    def method(self, call: r.Call, callee: r.Member, on: Got) -> Got | None:
        """Of a value that has storage, or of a callable; None when it is neither."""
        name = callee.name
        model = on.known.model if isinstance(on.known, Consumer) else None
        if model is not None and (name in model.inert or name in model.carries):
            for argument in call.args:
                self.value(argument)
            return Got(None, self.callables.called(call, self.scope, self.local))
        if on.path is None or on.known is not None:
            return None
        if name in self.storage.asks:
            self.state.revive(on.path)  # who asks knows what happens here
            return Got()
        if name in self.storage.ends and not call.args:
            if self.kind(on.path) == LIVE:
                self.take(on, callee.base, self.loss(callee.base, text(callee), "ended", "certain"))
            return Got()
        if name in self.storage.plain:
            return Got()
        if name in self.storage.reads:
            self.use(on, callee.base)
            given = [self.used(argument) for argument in call.args]
            same = name in self.storage.same_methods or self.is_asked_for_its_own(call.args[:1], callee.base, name)
            if same and self.kind(on.path) == LIVE:
                return on
            if name in self.storage.fetches:
                return Got()
            live = self.kind(on.path) == LIVE or any(g.path is not None and self.kind(g.path) == LIVE for g in given)
            return self.fresh(call, LIVE if live else self.kind(on.path))
        return None

    def is_asked_for_its_own(self, args: tuple[r.Value, ...], base: r.Value, name: str) -> bool:
        """`x.reshape(x.shape)`, `x.astype(x.dtype)`."""
        if name not in self.storage.same_when or len(args) != 1:
            return False
        asked = args[0]
        return isinstance(asked, r.Member) and asked.name in self.storage.plain and text(asked.base) == text(base)

    # --- functions of libraries, and those that nobody knows ---

    def library(self, call: r.Call, symbol: str, given: list[Argument], callee: object) -> Got:
        moved = self.moved(call, symbol, given)
        if moved is not None:
            return moved
        if isinstance(callee, Spec) or symbol == "functools.partial":
            return Got(None, self.callables.called(call, self.scope, self.local))
        if isinstance(call.callee, r.Call) and self.fits("looks", self.dotted(call.callee.callee)):
            return Got()
        first = given[0].got if given else Got()
        if self.fits("repeats", symbol) and given and not _once(call):
            self.repeated(given[0])
        looks = self.fits("looks", symbol)
        asked = len(given) > 1 and self.is_asked_for_its_own((given[1].value,), given[0].value, symbol)
        known = self.callables.called(call, self.scope, self.local)
        if not looks and not asked:
            self.use_all(call, given)
        if first.path is not None and (asked or self.fits("same", symbol)) and self.kind(first.path) == LIVE:
            return first
        if isinstance(known, DonationInstance):
            return self.constructed(call, given, known)
        if self.fits("elsewhere", symbol):
            return Got()
        if symbol == "builtins.list" or symbol == "builtins.tuple":
            return first if first.path in self.containers else self.fresh(call, "", known)
        if self.fits("made_by", symbol):
            return self.fresh(call, LIVE, known)
        if isinstance(call.callee, r.Member) and not symbol:
            on = self.value(call.callee.base)
            if on.path is not None and self.kind(on.path) != LIVE:
                self.state.revive(on.path)  # an object that nobody knows may have new contents now
        return self.fresh(call, "", known)

    def use_all(self, call: r.Call, given: list[Argument]) -> None:
        """Somebody gets the arguments: they look at them, and may change what objects among them hold."""
        grows = isinstance(call.callee, r.Member) and call.callee.name in python_builtins.ADDS_ONE | {
            "extend",
            "update",
        }
        for argument in given:
            if isinstance(argument.got.known, Own):
                self.look_around(argument)
            elif not grows:
                self.use(argument.got, argument.value)
                if argument.spread and argument.got.path is not None:
                    self.use_parts(argument)
            if argument.got.path is not None and argument.got.path not in self.containers and not argument.spread:
                self.revive_below(argument.got.path)

    def use_parts(self, argument: Argument) -> None:
        """`f(*args)` looks at every item."""
        assert argument.got.path is not None
        for loss in list(self.state.losses_inside(argument.got.path)):
            if not loss.told and not self.expecting:
                self.tell("use", argument.got.path, argument.value, loss)

    def look_around(self, argument: Argument) -> None:
        """A function is handed out that looks at variables around it."""
        assert isinstance(argument.got.known, Own)
        summary = self.world.summary(argument.got.known)
        for path in summary.looks if summary is not None and not self.expecting else ():
            self.judge("use", self.from_outside(path), argument.value)

    def repeated(self, argument: Argument) -> None:
        """It is called again and again: what it consumes the first time is gone the second time."""
        callee = argument.got.known
        if not isinstance(callee, Own) or self.expecting:
            return
        summary = self.world.summary(callee)
        for take in summary.takes if summary is not None else ():
            if take.outer:
                got = Got(self.from_outside((("outer", take.outer), *take.steps)))
                for number in (1, 2):
                    self.rounds.append(number)
                    loss = self.loss(argument.value, take.outer, "consumed", take.certainty, take.by)
                    self.consume_one(got, argument.value, loss, take.outer)
                    self.rounds.pop()

    def moved(self, call: r.Call, symbol: str, given: list[Argument]) -> Got | None:
        """A function that takes its first argument away itself, where a keyword says so."""
        model = self.callables.consuming.consumers.get(symbol)
        if model is None or model.is_wrapper or not given:
            return None
        keyword, constant = model.when
        asked = next((one.value for one in given if one.name == keyword), None)
        if not isinstance(asked, r.Literal) or asked.text != constant:
            return None
        self.use(given[0].got, given[0].value)
        self.take(
            given[0].got,
            given[0].value,
            self.loss(
                given[0].value,
                text(call.callee),
                "moved",
                because("value", "harmless if it only ever runs on a CPU"),
            ),
        )
        return self.fresh(call, LIVE)

    def constructed(self, call: r.Call, given: list[Argument], known: DonationInstance) -> Got:
        """An object of a class of the project: it holds what its fields are given."""
        got = self.fresh(call, "", known)
        assert got.path is not None
        fields = [field.name for cls in reversed(known.cls.ancestry) for field in cls.record.fields]
        declared = not known.cls.constructors
        for number, argument in enumerate(given):
            name = argument.name or (fields[argument.position] if 0 <= argument.position < len(fields) else str(number))
            if argument.got.path is not None and declared and not argument.spread:
                self.state.store((*got.path, "." + name), argument.got.path, argument.got.path)
        if declared and any(argument.got.path is not None for argument in given):
            self.containers.add(got.path)
        return got

    # --- leaf by leaf ---

    def mapped(self, call: r.Call, given: list[Argument]) -> Got:
        """A function is called on every leaf of the other arguments."""
        function, *trees = given
        callee = function.got.known
        if isinstance(callee, Consumer):
            return self.consume(call, callee, [t._replace(position=t.position - 1) for t in trees])
        if isinstance(callee, Own):
            names = parameters_of(callee)
            for name, tree in zip(names, trees, strict=False):
                if tree.got.path is not None and self.ends_all(callee, name):
                    sure = self.whether_live(tree.got.path, tree.value)
                    loss = self.loss(tree.value, text(call.callee), "ended", sure)
                    self.take(tree.got, tree.value, loss)
                    continue
                if not self.world.only_looks(callee.function, name):
                    self.use(tree.got, tree.value)
            if len(trees) == 1 and self.hands_on(callee) and trees[0].got.path is not None:
                return trees[0].got
            summary = self.world.summary(callee)
            if summary is not None and summary.takes:
                shown = text(function.value, 30)
                self.consume(
                    call,
                    Consumer(summary.takes, names, shown=shown),
                    [t._replace(position=t.position - 1) for t in trees],
                )
            return self.fresh(
                call, LIVE if trees and trees[0].got.path and self.kind(trees[0].got.path) == LIVE else ""
            )
        symbol = self.dotted(function.value)
        if not self.fits("looks", symbol) and not self.fits("expects", places.last_name(function.value)):
            for tree in trees:
                self.use(tree.got, tree.value)
        return (
            Got() if self.fits("elsewhere", symbol) else self.fresh(call, LIVE if self.fits("made_by", symbol) else "")
        )

    def hands_on(self, callee: Own) -> bool:
        """`lambda leaf: leaf`."""
        match callee.function.body, callee.function.record.parameters:
            case (r.Leave(kind="return", value=r.Name(text=name)),), (parameter,):
                return bool(parameter.name == name)
        return False

    def ends_all(self, callee: Own, name: str) -> bool:
        """`lambda leaf: leaf.delete()`."""
        match callee.function.body:
            case (r.Leave(value=value),) | (r.Evaluate(value=value),):
                match value:
                    case r.Call(callee=r.Member(base=r.Name(text=base), name=ending), args=()):
                        return bool(base == name and ending in self.storage.ends)
        return False

    # --- functions of the project ---

    def own(self, call: r.Call, callee: Own, given: list[Argument]) -> Got:
        names = parameters_of(callee)
        for argument in given:
            if argument.got.path is None and not isinstance(argument.got.known, Own):
                continue
            name = argument.name or (names[argument.position] if 0 <= argument.position < len(names) else "")
            if isinstance(argument.got.known, Own):
                self.look_around(argument)
                if name and self.world.repeats(callee.function, name):
                    self.repeated(argument)
            elif not (name and self.world.only_looks(callee.function, name)):
                self.use(argument.got, argument.value)
        known = self.callables.applied(callee, call, self.scope, self.local)
        summary = self.world.summary(callee)
        if summary is None:
            for argument in given:
                if argument.got.path is not None and argument.got.path not in self.containers:
                    self.revive_below(argument.got.path)
            return self.fresh(call, "", known)
        self.set_by(call, callee, summary)
        for path in summary.looks if not self.expecting else ():
            self.judge("use", self.from_outside(path), call)
        shown = places.last_name(call.callee) or text(call.callee, 30)
        outer = [take for take in summary.takes if take.outer]
        takes = summary.takes
        if any(isinstance(argument.got.known, Own) for argument in given):
            # What is called back may put new buffers into objects.
            takes = tuple(take for take in takes if take.position != 0 or not callee.bound)
            given = [a if _is_plain_name(a.value) else a._replace(got=Got()) for a in given]
        inner = tuple(self.of_receiver(call, callee, takes, shown))
        for take in outer:
            got = Got(self.from_outside((("outer", take.outer), *take.steps)))
            self.consume_one(got, call, self.loss(call, take.outer, "consumed", take.certainty, shown), take.outer)
        self.consume(call, Consumer(inner, names, shown=shown), given, looks=False)
        kind = self.world.kind(call, self.scope)
        return Got(None, known) if kind == PLAIN else self.fresh(call, kind, known)

    def of_receiver(self, call: r.Call, callee: Own, takes: tuple[Take, ...], shown: str) -> Iterator[Take]:
        """What a method takes of its receiver is taken here; the rest is yielded as the caller counts."""
        shift = callee.bound + callee.given
        for take in takes:
            if take.outer:
                continue
            if take.position >= shift or take.position < 0:
                yield take._replace(position=take.position - shift if take.position >= 0 else -1)
            elif take.position == 0 and callee.bound and isinstance(call.callee, r.Member):
                on = self.value(call.callee.base)
                if on.path is not None:
                    got = Got(self.state.resolve((*on.path, *take.steps)))
                    what = text(call.callee.base) + "".join(take.steps)
                    self.consume_one(got, call, self.loss(call, what, "consumed", take.certainty, shown), what)

    def set_by(self, call: r.Call, callee: Own, summary: DonationSummary) -> None:
        """Attributes and variables that the function gives a new value."""
        for name in summary.sets:
            if callee.bound and isinstance(call.callee, r.Member):
                on = self.value(call.callee.base)
                if on.path is not None:
                    path = self.state.resolve((*on.path, "." + name))
                    for known in [k for k in self.state.dead if k[: len(path)] == path]:
                        del self.state.dead[known]
            self.state.revive((("outer", name),))
            if name in self.state.names and name in self.shared:
                self.state.revive(self.state.names[name])

    @property
    def shared(self) -> frozenset[str]:
        """Names that functions inside of this one may set."""
        return frozenset()

    def from_outside(self, path: Path) -> Path:
        """A variable around a function that is called here, as it is known here."""
        name = path[0][1]
        known = self.state.names.get(name, path[:1])
        return self.state.resolve((*known, *path[1:]))

    # --- consuming ---

    def loss(self, at: r.Value, by: str, how: str, certainty: Certainty, shown: str = "") -> Loss:
        return Loss(at.span, text(at), shown or by, how, certainty, tuple(self.rounds))

    def consume(self, call: r.Call, callee: Consumer, given: list[Argument], *, looks: bool = True) -> Got:
        """A call that takes the storage of some of its arguments and looks at that of all."""
        for position, value in callee.held:
            given = [*given, Argument(value, self.value(value), -1, f"#{position}")]
        taken = [(argument, take) for argument in given for take in self.taken(callee, argument)]
        named = {take for argument, take in taken if argument.spread != "**"}
        taken = [(argument, take) for argument, take in taken if argument.spread != "**" or take not in named]
        if looks:
            gone = {id(argument) for argument, take in taken}
            for argument in given:
                self.use_argument(argument, id(argument) in gone)
        by = _shown(call, callee)
        if callee.takes and not self.expecting and self.twice(callee, by, given, taken):
            return self.fresh(call, LIVE)
        for argument, take in taken:
            got = self.part(argument, take)
            if got.path is None:
                continue
            live = self.kind(got.path) == LIVE or (got.path in self.containers and argument.spread == "")
            sure = weaker(
                callee.certainty,
                take.certainty,
                "certain" if live else because("value", not_known(argument.value)),
            )
            shown = text(argument.value) + "".join(take.steps)
            loss = Loss(argument.value.span, shown, by, "consumed", sure, tuple(self.rounds), callee.made)
            if call is self.dropped and len(taken) == 1 and self.stands_for(callee, argument, take):
                loss = loss._replace(target=shown, call=call.start)
            if not looks:
                self.consume_one(got, argument.value, loss, shown)
            else:
                self.take(got, argument.value, loss)
        if taken and self.raised and not self.expecting:
            self.fail_here()
        return self.fresh(call, LIVE if callee.model is not None else "")

    def stands_for(self, callee: Consumer, argument: Argument, take: Take) -> bool:
        """Whether the result surely has the shape of what was taken."""
        if callee.wraps is None or not take.name or take.steps or not isinstance(argument.value, (r.Name, r.Member)):
            return False
        leaves = [s.value for s in callee.wraps.statements if isinstance(s, r.Leave) and s.kind == "return"]
        return bool(leaves) and all(value is not None and _has_shape_of(value, take.name) for value in leaves)

    def use_argument(self, argument: Argument, taken: bool) -> None:
        got = argument.got
        if got.path is None or self.expecting:
            return
        if not self.judge("again" if taken else "use", got.path, argument.value):
            parts = [loss for loss in self.state.losses_inside(got.path) if not loss.told]
            for loss in parts:
                self.tell(
                    "again" if taken else "use",
                    got.path,
                    argument.value,
                    loss._replace(
                        certainty=weaker(
                            loss.certainty, because("value", f"harmless if `{loss.shown}` is not among the values used")
                        )
                    ),
                )

    def consume_one(self, got: Got, at: r.Value, loss: Loss, shown: str) -> None:
        """By a function of the project, out of sight: when it is gone already, that function meets it."""
        if got.path is None or self.expecting or self.suspended or self.kind(got.path) == PLAIN:
            return
        if self.kind(got.path) != LIVE:
            loss = loss._replace(certainty=weaker(loss.certainty, because("value", not_known(at))))
        self.judge("again", got.path, at)
        self.take(got, at, loss._replace(shown=shown))

    def taken(self, callee: Consumer, argument: Argument) -> Iterator[Take]:
        """What the callee takes of this argument."""
        for take in callee.takes:
            if argument.name.startswith("#"):
                fits = False
            elif argument.spread == "*":
                fits = take.position >= argument.position >= 0
            elif argument.spread == "**":
                fits = bool(take.name) and callee.keywords
            elif argument.name:
                fits = take.name == argument.name and callee.keywords
            else:
                fits = take.position == argument.position >= 0
            if fits:
                yield take
        if argument.name.startswith("#"):
            yield Take(-1, argument.name)

    def part(self, argument: Argument, take: Take) -> Got:
        """The part of an argument that is taken."""
        path = argument.got.path
        if path is None:
            return argument.got
        steps = list(take.steps)
        if argument.spread == "*":
            steps.insert(0, f"[{take.position - argument.position}]")
        elif argument.spread == "**":
            steps.insert(0, f"['{take.name}']")
            quoted = self.state.resolve((*path, f'["{take.name}"]'))
            if (*path, f'["{take.name}"]') in self.state.heap:
                return Got(quoted)
        return Got(self.state.resolve((*path, *steps)))

    def twice(self, callee: Consumer, by: str, given: list[Argument], taken: list[tuple[Argument, Take]]) -> bool:
        """One call gets the same storage twice, and takes it: it fails, and takes nothing."""
        for argument, take in taken:
            own = self.leaves(self.part(argument, take))
            if len(set(own)) < len(own):
                return self.tell_twice(callee, by, argument, own)
            for other in given:
                if other is argument or other.got.path is None or other.spread:
                    continue
                for path in self.leaves(other.got):
                    if any(_overlap(path, mine) for mine in own):
                        later = max(argument, other, key=lambda one: one.value.start)
                        return self.tell_twice(callee, by, later, [path])
        return False

    def leaves(self, got: Got) -> list[Path]:
        """What can be told apart in a value, twice what stands in it twice; plain data is none."""
        if got.path is None or self.kind(got.path) == PLAIN:
            return []
        below = [
            target
            for known, target in self.state.heap.items()
            if known[: len(got.path)] == got.path and known != got.path
        ]
        found = below if below and got.path in self.containers else [got.path, *below]
        return [path for path in found if self.kind(path) != PLAIN]

    def tell_twice(self, callee: Consumer, by: str, argument: Argument, paths: list[Path]) -> bool:
        live = all(self.kind(path) == LIVE for path in paths)
        certainty = weaker(callee.certainty, "certain" if live else because("value", not_known(argument.value)))
        loss = Loss(
            argument.value.span, text(argument.value), by, "consumed", certainty, tuple(self.rounds), callee.made
        )
        place = (argument.value.start, argument.value.end, tuple(self.rounds))
        self.reached[place] = self.reached.get(place, 0) + 1
        self.hits[place] = self.hits.get(place, 0) + 1
        self.note("twice", argument.value, loss, certainty)
        return True

    def fail_here(self) -> None:
        """The call may raise, and has taken its arguments all the same."""
        state = self.state.copy()
        for path, loss in state.dead.items():
            if loss.rounds == tuple(self.rounds) and not loss.told:
                state.dead[path] = loss._replace(failed=True)
        self.raised[-1].append(state)


def _is_plain_name(value: r.Value) -> bool:
    return isinstance(value, r.Name)


def _has_shape_of(value: r.Value, name: str) -> bool:
    """`s`, `s + x`, `x * s`, `s.at[0].set(x)`."""
    match value:
        case r.Name(text=text):
            return text == name
        case r.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
            return _has_shape_of(left, name) or _has_shape_of(right, name)
        case r.Call(callee=r.Member(base=r.Index(base=r.Member(base=base, name="at")))):
            return _has_shape_of(base, name)
    return False


def _shown(call: r.Call, callee: Consumer) -> str:
    """The callable in words: what is called, or what was wrapped where it has no name."""
    return callee.shown or text(call.callee, 30) if isinstance(call.callee, r.Call) else text(call.callee, 40)


def _overlap(one: Path, other: Path) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _once(call: r.Call) -> bool:
    """`timeit(f, number=1)`."""
    return any(
        isinstance(argument, r.Pair)
        and isinstance(argument.key, r.Name)
        and argument.key.text == "number"
        and isinstance(argument.value, r.Literal)
        and argument.value.text == "1"
        for argument in call.args
    )
