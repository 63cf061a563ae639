"""Raw handles that a way out of a function loses: who held one, where it was acquired, which way lost it.

From where a local gets a handle, the walk follows every way on which nobody has taken it over yet. It carries how sure
that is, joins where ways meet, and looks at each event a few times at most: there is no enumeration of paths. What the
single event does with the handle is `holders`' answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, weaker
from ownlint.program import events as e
from ownlint.program import failure, types
from ownlint.program.assignments import place
from ownlint.program.disowning import disowning
from ownlint.program.holders import Holder, Meaning, parts
from ownlint.program.pairs import releasing_verb, words
from ownlint.program.places import Place, last_name, receiver, render, strip, walk
from ownlint.program.resources import PUTS, RESULT, Acquisition, resources
from ownlint.program.subjects import Class, Function

_MOST_VISITS = 400_000
"""Events that the walks of one function may look at together; what lies beyond is not looked at."""

_HELD, _PASSED, _UNSURE = 1, 2, 4
"""Held for certain; a stranger was given it, who shows no sign of keeping it; nobody knows."""

_TAKES = frozenset(
    {"take", "own", "owned", "adopt", "move", "release", "give", "transfer", "push", "add", "append", "insert"}
)
"""Words of functions that take over what they are given."""

Kind = Literal["failure", "skipped", "never", "overwritten", "disowned", "gathered"]


class Way(NamedTuple):
    """A way out on which the handle is lost. `cause` is what failed, where something did."""

    exit: e.Event
    cause: e.Call | None
    fails: bool
    certainty: Certainty


class Loss(NamedTuple):
    kind: Kind
    name: str
    """The holder, as a user writes it; of `disowned` the owner."""
    acquired: e.Event
    """The call that handed it out, or gave it up."""
    acquisition: Acquisition | None
    ways: tuple[Way, ...]
    ended: e.Event | None
    """Where it is released or kept on another way."""
    certainty: Certainty


class _Site(NamedTuple):
    """A local gets a handle at `start`."""

    holder: Holder
    call: e.Call
    start: e.Event
    acquisition: Acquisition
    owner: str
    certainty: Certainty


class _Trace(NamedTuple):
    start: int
    """The offset at which the walk begins."""
    live: dict[int, int]
    """Events that are reached with the handle still held, and how sure that is."""
    came: dict[int, int]
    ended: list[e.Event]
    """What ended the duty on some way."""
    out: list[tuple[e.Event, int]]
    """Where a way ends with the handle held: exits, ends of the local's life, later writes to it."""


class _Last(NamedTuple):
    """Rules ask one after the other about the same function."""

    function: Function
    losses: tuple[Loss, ...]


def losses(function: Function) -> tuple[Loss, ...]:
    """What the function loses, in source order."""
    if function.language != "cpp" or function.name == "main" or not _may_lose(function):
        return ()
    last = function.program.losses
    if isinstance(last, _Last) and last.function is function:
        return last.losses
    found = tuple(sorted(_Losing(function).all(), key=lambda loss: loss.acquired.span.start))
    function.program.losses = _Last(function, found)
    return found


def _may_lose(function: Function) -> bool:
    """Needs no decoding."""
    names = disowning(function.program).names
    return resources(function.program).may_acquire(function) or not names.isdisjoint(function.record.mentions)


class _Losing:
    """The losses of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.resources = resources(function.program)
        self.visits = 0
        self._failures: dict[int, list[failure.Failure]] | None = None
        self._jumps: dict[int, failure.Failure] = {}
        self._throws: dict[int, Certainty] | None = None
        self._meanings: dict[int, Meaning] = {}

    def all(self) -> Iterator[Loss]:
        live: list[tuple[_Site, _Trace]] = []
        for site in self.sites():
            trace = self.trace(site.holder, site.start, site.call, site.acquisition)
            live.append((site, trace))
            if (found := self.judge(site, trace)) is not None:
                yield found
            if self.visits > _MOST_VISITS:
                return
        yield from self.gathered(live)

    # --- where locals get handles ---

    def sites(self) -> Iterator[_Site]:
        for event in self.function.flow.calls:
            if event.asserted or event.index not in self.function.flow.reachable:
                continue
            found = self.handed_out(event.node)
            if found is None:
                continue
            acquisition, certainty, owner = found
            begun = self.begins(event, acquisition)
            if begun is None:
                continue
            start, held = begun
            if held is None or not self.may_hold(held, start) or self.looks_after_itself(event.node):
                continue
            holder = Holder(self.function, self.resources, held)
            if not holder.is_own_local(held[0]) or holder.is_ended_elsewhere():
                continue
            yield _Site(holder, event, start, acquisition, owner, certainty)

    def handed_out(self, call: r.Call) -> tuple[Acquisition, Certainty, str] | None:
        """What a call hands out, how sure that is, and the owner that gave it up, where one did."""
        given_up = disowning(self.function.program).gives_up(call, self.function)
        if given_up is not None:
            return Acquisition(RESULT, (), "given up", given_up), given_up, text(receiver(call))
        found = self.resources.acquisition(call, self.function)
        return (found, found.certainty, "") if found is not None else None

    def begins(self, event: e.Call, acquisition: Acquisition) -> tuple[e.Event, Place | None] | None:
        """The event from which on a place holds what the call hands out, and the place."""
        if acquisition.where.kind == "argument":
            index = acquisition.where.index
            if index >= len(event.node.args):
                return None
            argument = strip(event.node.args[index])
            if isinstance(argument, r.Unary) and argument.op == "&":
                argument = argument.value
            elif not self.is_reference_parameter(event.node, index):
                return None
            return event, place(self.function, argument)
        if event.into is None:
            return None
        for write in self.function.flow.writes:
            if write.value is None or write.index < event.index or write.op not in ("=", "init"):
                continue
            if write.value.start <= event.span.start and event.span.end <= write.value.end:
                if isinstance(strip(write.target), r.Unary) or not self.is_always(write.value, event.node):
                    return None
                return write, write.place if write.place == event.into else None
        return None

    def is_always(self, value: r.Value, call: r.Call) -> bool:
        """Whether the value is the handle whenever it is one at all: not `c ? malloc(n) : stack`."""
        return all(
            part is call or isinstance(part, r.Conditional | r.Unary | r.Literal) or _wraps(part, call)
            for part in parts(value)
        )

    def is_reference_parameter(self, call: r.Call, index: int) -> bool:
        found = self.function.program.callee(call, self.function).records
        written = [record.parameters[index].type for record in found if index < len(record.parameters)]
        return bool(written) and all("&" in one or one.rstrip().endswith("]") for one in written)

    def may_hold(self, held: Place, start: e.Event) -> bool:
        """Whether what begins to hold the handle ends without ending it."""
        if any(step.startswith("[") for step in held):
            return False
        program, function = self.function.program, self.function
        written = start.type if isinstance(start, e.Write) and start.type else ""
        if len(held) > 1:
            root = program.type_of(r.Name(0, 0, held[0]), function)
            return types.parse(root).is_value and self.is_plain_struct(root) and len(held) == 2
        written = written or function.locals.get(held[0], ("", None))[0]
        if types.parse(written).is_placeholder:
            written = program.type_of(r.Name(0, 0, held[0]), function) or written
        return self.is_raw(written)

    def is_raw(self, written: str, depth: int = 0) -> bool:
        program, function = self.function.program, self.function
        kind = types.parse(written)
        if kind.reference or written.rstrip().endswith("]"):
            return False
        if kind.pointers or kind.is_placeholder:
            return True
        expanded = types.parse(program.expand(written, function.file, function.record.scope))
        if expanded.pointers:
            return True
        if kind.arguments or expanded.arguments:
            whole = expanded if expanded.arguments else kind
            wrapped = program.status(written, function) is not None or "optional" in program.roles(written, function)
            return wrapped and depth == 0 and self.is_raw(whole.arguments[0], 1)
        if not _is_silent(program.roles(written, function)):
            return False
        cls = program.find_class(written, function.record.scope, function.file)
        return cls is None or self.is_plain_struct(written)

    def is_plain_struct(self, written: str) -> bool:
        """A struct whose end says nothing to its members."""
        program, function = self.function.program, self.function
        cls = program.find_class(written, function.record.scope, function.file)
        if cls is None:
            return not program.roles(written, function)
        return all(
            one.record.destructor in ("implicit", "defaulted") and (one is cls or not one.record.fields)
            for one in cls.ancestry
        )

    def looks_after_itself(self, call: r.Call) -> bool:
        """Whether what `new` makes can end itself, or hands itself to somebody where it is made."""
        if call.kind != "new" or not isinstance(call.callee, r.Name):
            return False
        cls = self.function.program.find_class(call.callee.text, self.function.record.scope, self.function.file)
        if cls is None:
            return False
        return any(_hands_itself_over(one) for one in cls.ancestry)

    # --- the walk ---

    def trace(self, holder: Holder, start: e.Event, call: e.Call, acquisition: Acquisition) -> _Trace:
        flow = self.function.flow
        meanings: dict[int, Meaning] = {}
        skipped = self.skipped_releases(holder, meanings)
        trace = _Trace(start.span.start, {}, {}, [], [])
        queue: list[int] = []

        def arrive(source: int, target: int, state: int) -> None:
            known = trace.live.get(target, 0)
            if known | state != known:
                trace.live[target] = known | state
                if target != start.index:
                    trace.came.setdefault(target, source)
                queue.append(target)

        for target, _ in flow.successors[start.index]:
            arrive(start.index, target, _HELD)
        while queue:
            self.visits += 1
            if self.visits > _MOST_VISITS:
                break
            current = queue.pop()
            event, state = flow.events[current], trace.live[current]
            if event is start:
                continue
            state = self.step(holder, event, state, meanings, trace, acquisition)
            if not state:
                continue
            if current == flow.exit:
                continue
            for target, label in flow.successors[current]:
                after = state
                if label is not None and isinstance(event, e.Test):
                    after = self.behind(holder, event, label, state, call, skipped)
                if after:
                    arrive(current, target, after)
        return trace

    def step(
        self,
        holder: Holder,
        event: e.Event,
        state: int,
        meanings: dict[int, Meaning],
        trace: _Trace,
        acquisition: Acquisition,
    ) -> int:
        """The state behind an event; 0 where somebody else has the duty from here on."""
        flow = self.function.flow
        meaning = self.meaning(holder, event, meanings)
        if isinstance(event, e.End) and event.place == holder.place:
            if len(holder.aliases) == 1:
                trace.out.append((event, state))
                return 0
            return state
        if isinstance(event, e.Write) and event.place == holder.place and event.op in ("=", "init"):
            return self.overwritten(holder, event, state, trace)
        if isinstance(event, e.Leave) and any(target == flow.exit for target, _ in flow.successors[event.index]):
            if not meaning:
                trace.out.append((event, state))
            else:
                trace.ended.append(event)
            return 0
        if meaning in ("released", "kept", "gone"):
            trace.ended.append(event)
            return 0
        if holder.several and isinstance(event, e.Mark) and event.what == "loop":
            inside = self.ended_in(holder, event, meanings) if trace.start not in event.span else None
            if inside is not None:
                trace.ended.append(inside)
                return 0
        if meaning == "unknown":
            assert isinstance(event, e.Call)
            if _speaks_of_the_same(event.node, acquisition) and holder.is_handle(event.node.args[0]):
                return _PASSED if state & (_HELD | _PASSED) else state
            return _UNSURE if state == _UNSURE or not self.is_disposed_later(holder, event, meanings) else _PASSED
        return state

    def ended_in(self, holder: Holder, loop: e.Event, meanings: dict[int, Meaning]) -> e.Event | None:
        """What releases or keeps elements of a container inside of a loop: once the loop is over they are gone, and
        where it runs for no round there were none."""
        for event in self.function.flow:
            if loop.span.start <= event.span.start and event.span.end <= loop.span.end:
                if self.meaning(holder, event, meanings) in ("released", "kept"):
                    return event
        return None

    def overwritten(self, holder: Holder, event: e.Write, state: int, trace: _Trace) -> int:
        if holder.says(event.value) or len(holder.aliases) > 1:
            return state if len(holder.aliases) > 1 else 0
        value = strip(event.value)
        if value is not None and not isinstance(value, r.Literal) and isinstance(value, r.Call):
            trace.out.append((event, state))
        return 0

    def meaning(self, holder: Holder, event: e.Event, meanings: dict[int, Meaning]) -> Meaning:
        if event.index not in meanings:
            meanings[event.index] = holder.meaning(event)
        return meanings[event.index]

    def is_disposed_later(self, holder: Holder, event: e.Event, meanings: dict[int, Meaning]) -> bool:
        """Whether the function goes on to release or keep it behind the call: then the callee has not taken it."""
        for later in self.function.flow.after(event):
            if later is event or later.index < event.index:
                continue
            if self.meaning(holder, later, meanings) in ("released", "kept"):
                return True
        return False

    def skipped_releases(self, holder: Holder, meanings: dict[int, Meaning]) -> dict[int, bool]:
        """Tests that decide about a release and nothing else, and the outcome that goes around it: `if (owned)
        free(p)` is for somebody who knows when it is there."""
        found: dict[int, bool] = {}
        flow = self.function.flow
        for branch in self.branches():
            for body, outcome in ((branch.then, False), (branch.other, True)):
                if not body:
                    continue
                inside = r.Span(body[0].start, body[-1].end)
                if any(
                    event.span.start in inside and self.meaning(holder, event, meanings) == "released"
                    for event in flow.calls
                ):
                    for test in flow.of(e.Test):
                        if branch.condition.start <= test.span.start < branch.condition.end:
                            found[test.index] = outcome
        return found

    def branches(self) -> list[r.Branch]:
        return [statement for statement in self.function.statements if isinstance(statement, r.Branch)]

    def behind(
        self, holder: Holder, test: e.Test, outcome: bool, state: int, call: e.Call, skipped: dict[int, bool]
    ) -> int:
        """The state behind one outcome of a test."""
        if holder.is_absent(test, outcome):
            return 0
        cause, certainty = failure.failing(self.function, test, outcome)
        if certainty is not None and cause is not None and cause.node is call.node:
            return 0
        if skipped.get(test.index) is outcome and certainty is None:
            _, other = failure.failing(self.function, test, not outcome)
            return _UNSURE if other is None else state
        return state

    # --- what it comes to ---

    def judge(self, site: _Site, trace: _Trace) -> Loss | None:
        ways = self.ways(site, trace)
        again = site.start.index in trace.live
        if not ways and not again:
            return None
        sure = [way for way in ways if way.certainty != "possible"]
        chosen = sure or ways
        ended = next(iter(sorted(trace.ended, key=lambda event: event.index)), None)
        unsure = any(state & _UNSURE for state in trace.live.values())
        certainty = weaker(site.certainty, *(self.best(chosen),) if chosen else ("likely",))
        name = site.owner or render(site.holder.place)

        def loss(kind: Kind, certainty: Certainty, ways: list[Way]) -> Loss:
            return Loss(kind, name, site.call, site.acquisition, tuple(ways), ended, certainty)

        failing = [way for way in chosen if way.fails]
        if site.owner:
            return loss("disowned", certainty, failing) if failing and (ended or unsure) else None
        if failing and (ended is not None or unsure):
            return loss("failure", certainty, failing)
        overwriting = [way for way in chosen if isinstance(way.exit, e.Write)]
        if overwriting or (again and not chosen):
            return loss(
                "overwritten", weaker(certainty, "likely"), overwriting or [Way(site.start, None, False, "likely")]
            )
        if ended is None:
            return loss("never", "possible" if unsure else certainty, chosen)
        return loss("skipped", weaker(certainty, "likely"), chosen)

    @staticmethod
    def best(ways: list[Way]) -> Certainty:
        order: tuple[Certainty, ...] = ("certain", "likely", "possible")
        return min((way.certainty for way in ways), key=order.index)

    def ways(self, site: _Site, trace: _Trace) -> list[Way]:
        found: list[Way] = []
        for event, state in trace.out:
            if isinstance(event, e.Leave) and event.via and site.holder.tests_itself(event):
                continue
            way = self.way(site.call, event, trace)
            if way is not None:
                found.append(way._replace(certainty=weaker(way.certainty, _sure(state))))
        for index, certainty in self.throws().items():
            event = self.function.flow.events[index]
            if index in trace.live and event is not site.call and event not in trace.ended:
                assert isinstance(event, e.Call)
                found.append(Way(event, event, True, weaker(certainty, _sure(trace.live[index]))))
        unique = {way.exit.index: way for way in reversed(found)}
        return [unique[index] for index in sorted(unique)]

    def way(self, call: e.Call, event: e.Event, trace: _Trace) -> Way | None:
        """How a way that ends at the event ends; None where it is the acquisition's own failure."""
        if not isinstance(event, e.Leave):
            caught = isinstance(event, e.End) and self.is_unwound(event)
            return Way(event, None, caught, "possible" if caught else "certain")
        if (jump := self.jump(event, trace)) is not None:
            if jump.cause is not None and jump.cause.node is call.node:
                return None
            return Way(jump.at, jump.cause, True, jump.certainty)
        known = self.failures().get(event.index, [])
        if known:
            if any(failed.cause is not None and failed.cause.node is call.node for failed in known):
                return None
            later = [failed for failed in known if failed.cause is None or failed.cause.index in trace.live]
            if later:
                return Way(event, later[0].cause, True, later[0].certainty)
        fails = event.kind == "throw" or failure.refuses(self.function, event.value) is True
        return Way(event, self.asked(event, trace) if fails else None, fails, "certain")

    def asked(self, leave: e.Leave, trace: _Trace) -> e.Call | None:
        """The call whose answer decides about the exit."""
        for test, _ in self.function.flow.guards(leave):
            inside = [c for c in self.function.flow.calls if c.index in trace.live and _contains(test.value, c.span)]
            if inside:
                return max(inside, key=lambda call: call.span.end - call.span.start)
        return None

    def is_unwound(self, event: e.End) -> bool:
        before = self.function.flow.predecessors[event.index]
        return any(isinstance(mark := self.function.flow.events[i], e.Mark) and mark.what == "catch" for i, _ in before)

    def jump(self, leave: e.Leave, trace: _Trace) -> failure.Failure | None:
        """The failing `goto` by which the way came."""
        self.failures()
        current = leave.index
        while current in trace.came:
            current = trace.came[current]
            if current in self._jumps:
                return self._jumps[current]
        return None

    def failures(self) -> dict[int, list[failure.Failure]]:
        """The function's failing exits by the index of the event that leaves."""
        if self._failures is None:
            self._failures = {}
            for failed in failure.failures(self.function):
                if failed.at is failed.leave:
                    self._failures.setdefault(failed.leave.index, []).append(failed)
                else:
                    self._jumps.setdefault(failed.at.index, failed)
        return self._failures

    def throws(self) -> dict[int, Certainty]:
        """Calls that may end in an exception that nothing here catches: of the project's own functions, of Python."""
        if self._throws is None:
            self._throws = {failed.leave.index: failed.certainty for failed in failure.thrown(self.function)}
            for call in self.function.flow.calls:
                if self.is_python(call.node) and not failure.is_caught(self.function, call):
                    self._throws[call.index] = "likely"
        return self._throws

    def is_python(self, call: r.Call) -> bool:
        """Whether a Python object is called: `callback(x)`, `module.attr("f")(x)`."""
        callee = strip(call.callee)
        if call.kind != "call" or not isinstance(callee, r.Name | r.Member | r.Call):
            return False
        if isinstance(callee, r.Call):
            return last_name(callee.callee) == "attr"
        if isinstance(callee, r.Name) and callee.text not in self.function.declared:
            return False
        roles = self.function.program.roles(self.function.program.type_of(callee, self.function), self.function)
        return "python object" in roles or "python handle" in roles

    # --- what a container has gathered ---

    def gathered(self, live: list[tuple[_Site, _Trace]]) -> Iterator[Loss]:
        told: set[Place] = set()
        for event in self.function.flow:
            found = self.put(event, live)
            if found is None:
                continue
            where, certainty, acquisition = found
            if where in told:
                continue
            holder = Holder(self.function, self.resources, where, several=True)
            if holder.is_ended_elsewhere():
                told.add(where)
                continue
            trace = self.trace(holder, event, _call_of(event), acquisition)
            site = _Site(holder, _call_of(event), event, acquisition, "", certainty)
            failing = [way for way in self.ways(site, trace) if way.fails and way.certainty != "possible"]
            unsure = any(state & _UNSURE for state in trace.live.values())
            if failing and (trace.ended or unsure):
                told.add(where)
                ended = next(iter(trace.ended), None)
                certainty = weaker(certainty, "likely", self.best(failing))
                yield Loss("gathered", render(where), event, acquisition, tuple(failing), ended, certainty)

    def put(self, event: e.Event, live: list[tuple[_Site, _Trace]]) -> tuple[Place, Certainty, Acquisition] | None:
        """The local container that an event puts a handle into."""
        if event.index not in self.function.flow.reachable:
            return None
        match event:
            case e.Call(node=node, receiver=(root,)) if last_name(node.callee) in PUTS:
                given: tuple[r.Value, ...] = node.args
            case e.Write(place=(root, step), value=value) if step.startswith("[") and value is not None:
                given = (value,)
            case _:
                return None
        if not self.gathers(root):
            return None
        for argument in given:
            if (found := self.held_by(argument, event, live)) is not None:
                return (root,), *found
        return None

    def held_by(
        self, value: r.Value, event: e.Event, live: list[tuple[_Site, _Trace]]
    ) -> tuple[Certainty, Acquisition] | None:
        """The acquisition behind what is put in: made on the spot, or held by a local until now."""
        inner = strip(value)
        if isinstance(inner, r.Call):
            made = self.handed_out(inner)
            if made is not None and made[0].where.kind == "result" and not self.looks_after_itself(inner):
                return made[1], made[0]
            if inner.kind != "construct":
                return None
        for site, trace in live:
            if trace.live.get(event.index, 0) & (_HELD | _PASSED) and site.holder.is_inside(inner):
                return site.certainty, site.acquisition
        return None

    def gathers(self, root: str) -> bool:
        """Whether a local is a container, or an array, that ends without ending what is in it."""
        function = self.function
        written = function.locals.get(root, ("", None))[0]
        if not written or "&" in written or root in {p.name for p in function.record.parameters}:
            return False
        if written.rstrip().endswith("]"):
            return not any(isinstance(s, r.Declare) and s.static and root in s.names for s in function.statements)
        kind = types.parse(written)
        if kind.pointers or "container" not in function.program.roles(written, function):
            return False
        return not self.resources.owns_elements(written, function.file, function.record.scope)


def _call_of(event: e.Event) -> e.Call:
    """The event as the call that begins a walk; a write has none, and stands for itself."""
    if isinstance(event, e.Call):
        return event
    made = e.Call(event.span, r.Call(event.span.start, event.span.end, r.Name(0, 0, ""), ()))
    made.index = event.index
    return made


def _speaks_of_the_same(call: r.Call, acquisition: Acquisition) -> bool:
    """Whether a function is named as one of those that are about the handle: `thing_show` beside `thing_destroy`."""
    said = words(last_name(call.callee))
    for name in acquisition.releases:
        about = words(name)
        verb = next((at for at, word in enumerate(about) if releasing_verb(word)), 0)
        if verb and said[:verb] == about[:verb]:
            return bool(call.args) and not _TAKES.intersection(said)
    return False


def _contains(value: r.Value, span: r.Span) -> bool:
    return value.start <= span.start and span.end <= value.end


def _wraps(part: r.Value, call: r.Call) -> bool:
    return isinstance(part, r.Call) and any(inner is call for inner in walk(part))


def _is_silent(roles: tuple[str, ...]) -> bool:
    return not roles or set(roles) <= {"handle"}


def _sure(state: int) -> Certainty:
    return "certain" if state & _HELD else "likely" if state & _PASSED else "possible"


def _hands_itself_over(cls: Class) -> bool:
    """Whether a constructor gives `this` to somebody, or a method deletes it."""
    for method in cls.methods:
        if method.record.kind == "destructor" or b'"this"' not in bytes(method.record.body):
            continue
        for call in method.flow.calls:
            if any(
                isinstance(strip(argument), r.Name) and strip(argument).text == "this" for argument in call.node.args
            ):
                if call.node.kind == "delete" or method.record.kind == "constructor":
                    return True
        if method.record.kind == "constructor" and any(_is_this(write.value) for write in method.flow.writes):
            return True
    return False


def _is_this(value: r.Value | None) -> bool:
    inner = strip(value)
    return isinstance(inner, r.Name) and inner.text == "this"
