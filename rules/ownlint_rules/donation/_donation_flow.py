"""Runs one Python function abstractly, path by path: whose storage is used when it is gone.

Of a `try`, its handlers also begin with the states in which a call has failed after it took its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from ownlint import SOME_PATHS, Certainty, Function, Span, because, decided, places, ways, weaker
from ownlint import records as r
from ownlint_rules.donation._donation import DonationMisuse, DonationScope, DonationState, Items, Loss, Own, Path, Take
from ownlint_rules.donation._donation_calls import DonationCalls
from ownlint_rules.donation._donation_values import DonationSummary, Got, World, single_round


class DonationInterpreter(DonationCalls, ways.Ways[DonationState]):
    """Runs one function abstractly and collects misuses and what is taken."""

    MOST_STATES = 12
    MOST_STEPS = 8_000

    def __init__(self, function: Function, world: World, scope: DonationScope) -> None:
        DonationCalls.__init__(self, function, world, scope)
        ways.Ways.__init__(self)
        self.failed: dict[int, list[DonationState]] = {}
        """For each `try`, the states in which a call in it has failed."""

    def run(self) -> list[DonationMisuse]:
        start = DonationState()
        for parameter in self.function.record.parameters:
            start.bind(parameter.name, (("parameter", parameter.name),))
            if parameter.spread:
                self.containers.add(start.names[parameter.name])
        return self.misuses() if self.follow(start) else []

    def misuses(self) -> list[DonationMisuse]:
        """Sure is what happens whichever way leads there."""
        always = {place[:2] for place, count in self.hits.items() if count == self.reached[place]}
        differs = {place[:2] for place in self.lost & self.spared}
        out: list[DonationMisuse] = []
        for (start, end, *_), misuse in sorted(self.found.items()):
            whichever = misuse.kind == "twice" or (start, end) in always
            sure: Certainty = (
                "certain"
                if whichever
                else because("path", SOME_PATHS if (start, end) in differs else "only on some executions")
            )
            out.append(msgspec.structs.replace(misuse, certainty=weaker(misuse.certainty, sure)))
        return out

    def summary(self) -> DonationSummary | None:
        """What a caller has to know, after `run`."""
        if self.too_long or "generator" in self.function.record.qualifiers:
            return None
        takes: dict[Take, int] = {}
        firsts: dict[Take, Take] = {}
        for state in self.ends:
            every = {
                take._replace(by="", certainty="certain"): take
                for path, loss in sorted(state.dead.items(), key=str)
                if not loss.failed
                for take in self.as_take(state, path, loss)
            }
            for plain, take in every.items():
                first = firsts.setdefault(plain, take)
                takes[first] = takes.get(first, 0) + 1
        # What is taken on some ways alone may hang on the arguments: whether on this one is not known.
        found = [
            take._replace(
                certainty=take.certainty
                if count == len(self.ends)
                else because("possible", "the function donates it on some of its paths only")
            )
            for take, count in sorted(takes.items())
        ]
        sets = {name[1:] for name in self.function.mentioned if name.startswith("=")}
        looks = tuple(sorted((p for p in self.looked), key=str))
        return DonationSummary(tuple(found), looks, frozenset(sets))

    def as_take(self, state: DonationState, path: Path, loss: Loss) -> list[Take]:
        """A loss as the caller sees it; what was replaced in the object since is none."""
        origin = path[0]
        steps = tuple(str(step) for step in path[1:])
        if origin[0] == "made" or state.resolve(path) != path:
            return []
        if origin[0] == "outer":
            own = state.names.get(origin[1], path[:1]) == path[:1]
            return [Take(-1, "", steps, self.sure(loss), origin[1], loss.by)] if own else []
        names = [parameter.name for parameter in self.function.record.parameters]
        record = self.function.record.parameters[names.index(origin[1])]
        if record.spread:
            return []
        position = -1 if record.keyword_only else names.index(origin[1])
        return [Take(position, origin[1], steps, self.sure(loss), by=loss.by)]

    def sure(self, loss: Loss) -> Certainty:
        """That the callable takes it: whether there is anything to lose is the caller's to know."""
        return "possible" if loss.certainty == "possible" else "certain"

    # --- statements ---

    def distinct(self, states: Iterable[DonationState]) -> list[DonationState]:
        """Of states that say the same one, at most `MOST_STATES`."""
        out: list[DonationState] = []
        for state in states:
            state.prune()
            if not any(state.same(other) for other in out):
                out.append(state)
        return out[: self.MOST_STATES]

    def fork(self, states: Sequence[DonationState]) -> list[DonationState]:
        return [state.copy() for state in states]

    def knowing(self, state: DonationState, facts: decided.Facts) -> DonationState:
        other = state.copy()
        other.facts = facts
        return other

    def merged(self, then: list[DonationState], other: list[DonationState]) -> list[DonationState]:
        return self.distinct(then + other)

    def ask(self, condition: r.Value | None) -> None:
        if condition is not None:
            self.condition(condition)

    def choose(self, statement: r.Switch) -> None:
        self.condition(statement.value)

    def not_understood(self, names: tuple[str, ...]) -> None:
        self.revive_all(names)

    def evaluate(self, value: r.Value | None) -> None:
        """A statement: its value is dropped."""
        match value:
            case r.Assign(target=r.Name() as target, value=r.Call(args=(r.Name(start=at),)) as call) if (
                at in self.callables.modules.definitions(self.function.file) and at == target.start
            ):
                self.decorate(target, call)
            case r.Call(callee=r.Name(text="assert"), args=(condition, *_)):
                self.condition(condition)
            case r.Call():
                self.dropped = value
                self.value(value)
            case _:
                self.value(value)

    def decorate(self, target: r.Name, call: r.Call) -> None:
        path = self.state.names.get(target.text)
        inner = self.makes.get(path) if path is not None else None
        known = self.callables.decorated(call, inner, self.scope, self.local)
        self.state.bind(target.text, self.fresh(call, "", known).path or ())

    def define(self, statement: r.Nested) -> None:
        index = statement.function
        inner = self.function.program.index.function_at(self.function.file, index) if index >= 0 else None
        got = self.fresh(statement, "", Own(inner, around=self.scope) if inner is not None else None)  # type: ignore[arg-type]
        if inner is not None and got.path is not None:
            self.state.bind(statement.name, got.path)

    def returns(self, statement: r.Leave) -> None:
        if statement.value is None:
            return
        if statement.kind == "return":
            self.hand_out(statement.value)
        else:
            self.used(statement.value)

    def hand_out(self, value: r.Value) -> None:
        """Whoever gets it looks at it."""
        if isinstance(value, r.Aggregate) and value.kind in ("tuple", "list"):
            for item in value.items:
                self.hand_out(item)
            return
        got = self.value(value)
        if isinstance(value, (r.Name, r.Member, r.Index, r.Aggregate)):
            self.use(got, value)

    # --- loops ---

    def most_rounds(self, statement: r.Loop) -> int:
        return 1 if single_round(statement.iterable) else 2

    def begin(self, statement: r.Loop) -> None:
        if statement.kind == "range" and statement.iterable is not None:
            got = self.value(statement.iterable)
            if not isinstance(statement.iterable, r.Aggregate):
                self.use(got, statement.iterable)

    def next_item(self, statement: r.Loop) -> None:
        if statement.target is not None:
            for name in [part.text for part in _names(statement.target)]:
                self.state.forget(name)
            self.assign(statement.target, self.fresh(statement.target, ""), None)

    # --- handlers, contexts ---

    def attempt(self, statement: r.Try, states: list[DonationState]) -> tuple[list[DonationState], list[DonationState]]:
        before = self.fork(states)
        if any(handler.type and self.is_failure(handler.type) for handler in statement.handlers):
            for state in states:
                self.doubt_what_is_tried(state)
        self.raised.append([])
        after, raised = super().attempt(statement, states)
        self.failed[statement.start] = failed = self.raised.pop()
        if self.raised and not any(self.is_failure(handler.type) for handler in statement.handlers):
            self.raised[-1] += failed
        return after, before + raised[len(before) :]

    def caught(self, handler: r.Handler, statement: r.Try, raised: list[DonationState]) -> list[DonationState]:
        return raised + (self.failed[statement.start] if self.is_failure(handler.type) else [])

    def doubt_what_is_tried(self, state: DonationState) -> None:
        """Whoever tries this with what is gone may expect that it fails."""
        for path, loss in state.dead.items():
            if not loss.failed and loss.rounds == tuple(self.rounds):
                sure = weaker(loss.certainty, because("possible", "the `try` block may expect this to fail"))
                state.dead[path] = loss._replace(certainty=sure)

    def is_failure(self, written: str) -> bool:
        """Whether a handler takes what a call can raise that has taken its arguments."""
        words = written.replace("(", " ").replace(")", " ").replace(",", " ").replace("|", " ").split()
        return not words or any(word.rpartition(".")[2] in self.storage.failures for word in words)

    def enter(self, statement: r.With) -> None:
        for item in statement.items:
            got = self.value(item.value)
            if item.target is not None:
                self.assign(item.target, got, item.value)

    def within(self, statement: r.With, states: list[DonationState]) -> list[DonationState]:
        expecting = suspended = 0
        for item in statement.items:
            if isinstance(item.value, r.Call):
                symbol = self.canonical(self.callables.dotted(item.value.callee, self.function))
                expecting += self.fits("expects", symbol or places.last_name(item.value.callee))
                suspended += self.fits("suspends", symbol)
        self.expecting, self.suspended = self.expecting + expecting, self.suspended + suspended
        states = self.block(statement.body, states)
        self.expecting, self.suspended = self.expecting - expecting, self.suspended - suspended
        return states

    # --- names ---

    def delete(self, targets: tuple[r.Value, ...], at: Span) -> None:
        for target in targets:
            match target:
                case r.Name(text=name):
                    self.state.forget(name)
                    self.state.unbind(name)
                    self.state.revive((("outer", name),))
                case r.Aggregate(items=items):
                    self.delete(items, at)
                case r.Member() | r.Index():
                    got = self.value(target)
                    if got.path is not None:
                        self.state.revive(got.path)

    def assign(self, target: r.Value, got: Got, value: r.Value | None) -> None:
        match target:
            case r.Name(text=name):
                self.state.forget(name)
                self.state.bind(name, self.placed(target, got))
                self.shadow(name)
            case r.Unary(op="spread", value=inner):
                self.assign(inner, self.fresh(target, self.kind(got.path) if got.path is not None else ""), None)
            case r.Aggregate(items=items):
                self.unpack(items, got)
            case r.Member(base=base, name=name):
                on = self.value(base)
                if on.path is not None:
                    path = (*self.state.resolve(on.path), "." + name)
                    self.state.store(path, self.placed(target, got), ())
            case r.Index(base=base, indexes=indexes):
                self.assign_item(target, base, indexes, got)

    def assign_item(self, target: r.Index, base: r.Value, indexes: tuple[r.Value, ...], got: Got) -> None:
        on = self.value(base)
        for index in indexes:
            self.value(index)
        if on.path is None:
            return
        step = self.step(indexes)
        if step:
            self.state.store((*on.path, step), self.placed(target, got), ())
        else:
            self.revive_below(on.path)
            self.state.revive(on.path)

    def placed(self, target: r.Value, got: Got) -> Path:
        """The path that a name has from now on."""
        if got.path is not None and (got.known is None or got.path in self.makes or got.path[0][0] != "made"):
            return got.path
        if got.path is not None and got.known is not None:
            self.makes[got.path] = got.known
            return got.path
        made = self.fresh(target, "plain", got.known)
        assert made.path is not None
        return made.path

    def shadow(self, name: str) -> None:
        """A variable of others that is set here is another one from now on."""
        if name in self.others:
            self.state.revive((("outer", name),))

    @cached_property
    def others(self) -> frozenset[str]:
        return frozenset(n for s in self.function.statements if isinstance(s, r.Scope) for n in s.names)

    @cached_property
    def _shared(self) -> frozenset[str]:
        inner = self.function.program.index.nested(self.function)
        return frozenset(n for one in inner for s in one.statements if isinstance(s, r.Scope) for n in s.names)

    @property
    def shared(self) -> frozenset[str]:
        return self._shared

    def unpack(self, items: tuple[r.Value, ...], got: Got) -> None:
        known = got.known.items if isinstance(got.known, Items) else {}
        for number, item in enumerate(items):
            step = f"[{number}]"
            if got.path is None:
                self.assign(item, Got(None, known.get(step)), None)
                continue
            path = self.state.resolve((*got.path, step))
            if known.get(step) is not None:
                self.makes[path] = known[step]  # type: ignore[assignment]
            self.assign(item, Got(path, known.get(step)), None)


def _names(target: r.Value) -> list[r.Name]:
    match target:
        case r.Name():
            return [target]
        case r.Aggregate(items=items):
            return [name for item in items for name in _names(item)]
    return []
