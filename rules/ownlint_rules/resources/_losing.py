"""Raw handles that a way out of a function loses: who held one, where it was acquired, which way lost it.

From where a local gets a handle, the walk follows every way on which nobody has taken it over yet. It carries how sure
that is, joins where ways meet, and looks at each event a few times at most: there is no enumeration of paths. What the
single event does with the handle is `holders`' answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

from ownlint import (
    Certainty,
    Class,
    Function,
    Place,
    Step,
    assignments,
    because,
    failure,
    pairs,
    places,
    questions,
    resources,
    text,
    types,
    weaker,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources import _arenas as arenas
from ownlint_rules.resources import _filled as filled
from ownlint_rules.resources._handing import handing
from ownlint_rules.resources._holders import Holder, MentioningEvents, gives_itself, parts
from ownlint_rules.resources._walks import HELD, PASSED, Walk, is_part_of, sure

_NEAREST = 4
"""So many tests before an exit may be what it is about."""
_MOST_STEPS = 3

_MEASURES = re.compile(r"size_(?:t|type)$|^(?:bool|float|double)$")
"""Types of numbers that are no handle."""
_ALLOCATES = re.compile(r"(?i:alloc|\balc\b)")

Kind = Literal["failure", "skipped", "never", "overwritten", "disowned", "gathered"]


class LosingWay(NamedTuple):
    """A way out on which the handle is lost. `cause` is what failed, where something did."""

    exit: e.Event
    cause: e.CallEvent | None
    fails: bool
    certainty: Certainty


class HandleLoss(NamedTuple):
    kind: Kind
    name: str
    """The holder, as a user writes it; of `disowned` the owner."""
    acquired: e.Event
    """The call that handed it out, or gave it up."""
    acquisition: resources.Acquisition | None
    ways: tuple[LosingWay, ...]
    ended: e.Event | None
    """Where it is released or kept on another way."""
    certainty: Certainty


class _Site(NamedTuple):
    """A local gets a handle at `start`."""

    holder: Holder
    call: e.CallEvent
    start: e.Event
    acquisition: resources.Acquisition
    owner: str
    certainty: Certainty
    known: bool
    """What is made can be seen: an object that nobody sees may end itself."""


def losses(function: Function) -> tuple[HandleLoss, ...]:
    """What the function loses, in source order."""
    return _losses(function) if _may_lose(function) else ()


@questions.question
def _may_lose(function: Function) -> bool:
    if function.language != "cpp" or function.name == "main":
        return False
    return handing(function.program).may_hand_out(function) or filled.may_be_filled(function)


def steps(function: Function, loss: HandleLoss, lost: str) -> Iterator[Step]:
    """How it comes to the loss, for a report; `lost` says what is lost."""
    for way in loss.ways[:_MOST_STEPS]:
        if way.cause is not None and way.cause is not loss.acquired:
            yield function.step(way.cause, "this can fail")
        if way.cause is None or way.exit.span != way.cause.span:
            yield function.step(way.exit, f"and this leaves with {lost}")
    if loss.ended is not None:
        yield function.step(loss.ended, "only here somebody takes it over")


def when(function: Function, loss: HandleLoss) -> str:
    """What fails, as a clause."""
    return _fails(function, loss.ways[0])


def _fails(function: Function, way: LosingWay) -> str:
    if way.cause is None:
        return "this function fails"
    name = places.last_name(way.cause.node.callee)
    is_test = any(macro.parameters is not None for macro in function.program.macros.named(name))
    return f"`{name}` makes this function return" if is_test else f"`{name}` fails"


@questions.flow_question
def _losses(function: Function) -> tuple[HandleLoss, ...]:
    return tuple(sorted(_Losing(function).all(), key=lambda loss: loss.acquired.span.start))


_NEXT_ROUND = "harmless if the loop is left before it acquires another"


class _Losing:
    """The losses of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.flow = function.flow
        self.resources = resources.resources(function.program)
        self.handing = handing(function.program)
        self._failures: dict[int, list[failure.Failure]] | None = None
        self._jumps: dict[int, failure.Failure] = {}
        self._throws: dict[int, Certainty] | None = None

    @cached_property
    def mentions(self) -> MentioningEvents:
        return MentioningEvents(self.function)

    def all(self) -> Iterator[HandleLoss]:
        live: list[tuple[_Site, Walk]] = []
        told: set[tuple[object, ...]] = set()
        for site in self.sites():
            status = site.call.into if site.acquisition.where.kind == "argument" else None
            trace = self.walk(site.holder, site.start, site.call.node, site.acquisition, status)
            live.append((site, trace))
            found = self.judge(site, trace)
            # What is acquired in several branches and lost by the same exit is lost once.
            if found is not None and (said := (site.holder.place, *(way.exit.index for way in found.ways))) not in told:
                told.add(said)
                yield found
        yield from self.gathered(live)

    def walk(
        self,
        holder: Holder,
        start: e.Event,
        call: r.Call,
        acquisition: resources.Acquisition,
        status: Place | None = None,
    ) -> Walk:
        return Walk(holder, start, call, acquisition, status)

    # --- where locals get handles ---

    def sites(self) -> Iterator[_Site]:
        for event in self.flow.calls:
            if event.into is None and (event.node.kind != "call" or not event.node.args):
                continue  # nobody here holds what it hands out
            found = self.handed_out(event.node)
            if found is None or event.asserted or event.index not in self.flow.reachable:
                continue
            acquisition, certainty, owner = found
            begun = self.begins(event, acquisition)
            if begun is None:
                continue
            start, held = begun
            if held is None or not self.may_hold(held, start) or self.looks_after_itself(event.node):
                continue
            holder = Holder(self.function, self.resources, self.mentions, held)
            if not holder.is_own_local(held[0]) or holder.is_ended_elsewhere():
                continue
            if self.is_mixed(holder, start):
                certainty = because("possible", f"`{places.render(held)}` stands for something else at other times")
            elif certainty != "certain" and self.is_number(held):
                certainty = because("possible", f"`{places.render(held)}` may be a plain number")
            yield _Site(holder, event, start, acquisition, owner, certainty, self.is_known(event.node))

    def is_number(self, held: Place) -> bool:
        """Whether what is held may be nothing but a number, for all that its type says."""
        program, function = self.function.program, self.function
        written = program.types.of(r.Name(0, 0, held[0]), function) if len(held) == 1 else ""
        return failure.is_number(program.names.expand(written, function.file, function.record.scope))

    def is_mixed(self, holder: Holder, start: e.Event) -> bool:
        """Whether the variable stands for something else at other times: `base = on_stack;`, a parameter that is only
        sometimes given another value."""
        for event in holder.mentions.of(holder.place[0]):
            if isinstance(event, e.Write) and holder.is_written_by(event) and not holder.says(event.value):
                value = places.strip(event.value)
                if isinstance(value, r.Member | r.Index) or (isinstance(value, r.Unary) and value.op == "&"):
                    return True
                if isinstance(value, r.Name) and value.text not in ("NULL", "INVALID_HANDLE_VALUE"):
                    return True
                if isinstance(value, r.Call) and not any(self.handed_out(one) for one in places.calls_in(event.value)):
                    return True
        if holder.place[0] not in {parameter.name for parameter in self.function.record.parameters}:
            return False
        later = (event for event in holder.concerned.values() if event.index > start.index)
        return not all(self.flow.dominates(start, event) for event in later)

    def handed_out(self, call: r.Call) -> tuple[resources.Acquisition, Certainty, str] | None:
        """What a call hands out, how sure that is, and the owner that gave it up, where one did."""
        given_up = self.handing.gives_up(call, self.function)
        owner = places.receiver(call)
        if given_up is not None and owner is not None:
            return resources.Acquisition(resources.RESULT, (), "given up", given_up), given_up, text(owner)
        if call.kind != "new" and places.last_name(call.callee) not in self.handing.acquiring:
            made = filled.filled(self.function, call) or filled.part_of_new(self.function, call)
            return (made, made.certainty, "") if made is not None else None
        found = self.resources.acquisition(call, self.function)
        if found is None or self.is_in_place(call, found) or self.is_counted(call):
            return None
        if not found.is_modelled and self.is_of_arena(call):
            return None
        borrowed = any(_ALLOCATES.search(text(argument)) for argument in call.args)
        if borrowed:
            return found, because("possible", f"what `{places.last_name(call.callee)}` is given may own its result"), ""
        return found, found.certainty, ""

    def is_counted(self, call: r.Call) -> bool:
        """References to Python objects have rules of their own, whatever the type of the local that gets one."""
        return any(model.counted for model in self.function.program.calls.callee(call, self.function).models)

    def is_of_arena(self, call: r.Call) -> bool:
        """Whether it is made of what ends everything at once that was made of it: called on it, or given it."""
        given = (places.receiver(call), *call.args)
        return any(arenas.is_arena(self.function.program.types.of(one, self.function), self.function) for one in given)

    @staticmethod
    def is_in_place(call: r.Call, acquisition: resources.Acquisition) -> bool:
        """`stream_init(memory)` answers what it is given."""
        return (
            acquisition.where.kind == "result"
            and bool(call.args)
            and "init" in pairs.words(places.last_name(call.callee))
        )

    def begins(self, event: e.CallEvent, acquisition: resources.Acquisition) -> tuple[e.Event, Place | None] | None:
        """The event from which on a place holds what the call hands out, and the place."""
        if acquisition.where.kind == "argument":
            index = acquisition.where.index
            if index >= len(event.node.args):
                return None
            argument = places.strip(event.node.args[index])
            if isinstance(argument, r.Unary) and argument.op == "&":
                argument = argument.value
            elif not self.is_reference_parameter(event.node, index):
                return None
            return event, assignments.place(self.function, argument)
        if event.into is None:
            return None
        writes = self.flow.writes
        for position in range(bisect_left(writes, event.index, key=lambda write: write.index), len(writes)):
            write = writes[position]
            if write.value is None or write.op not in ("=", "init"):
                continue
            if write.value.start <= event.span.start and event.span.end <= write.value.end:
                if isinstance(places.strip(write.target), r.Unary) or not self.is_always(write.value, event.node):
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
        found = self.function.program.calls.callee(call, self.function).records
        written = [record.parameters[index].type for record in found if index < len(record.parameters)]
        return bool(written) and all("&" in one or one.rstrip().endswith("]") for one in written)

    def may_hold(self, held: Place, start: e.Event) -> bool:
        """Whether what begins to hold the handle ends without ending it."""
        if any(step.startswith("[") for step in held):
            return False
        program, function = self.function.program, self.function
        written = start.type if isinstance(start, e.Write) and start.type else ""
        if len(held) > 1:
            root = program.types.of(r.Name(0, 0, held[0]), function)
            return types.parse(root).is_value and self.is_plain_struct(root) and len(held) == 2
        written = written or function.locals.get(held[0], ("", None))[0]
        if types.parse(written).is_placeholder:
            written = program.types.of(r.Name(0, 0, held[0]), function) or written
        return self.is_raw(written) and not self.is_python_object(written)

    def is_python_object(self, written: str) -> bool:
        """References to Python objects have rules of their own."""
        return not {"python object", "python handle"}.isdisjoint(
            self.function.program.types.roles(written, self.function)
        )

    def is_raw(self, written: str, depth: int = 0) -> bool:
        program, function = self.function.program, self.function
        kind = types.parse(written)
        if kind.reference or written.rstrip().endswith("]"):
            return False
        if kind.pointers == 0 and _MEASURES.search(kind.last):
            return False
        if kind.pointers:
            return True
        if kind.is_placeholder:
            return False
        expanded = types.parse(program.names.expand(written, function.file, function.record.scope))
        if expanded.pointers:
            return True
        if kind.arguments or expanded.arguments:
            whole = expanded if expanded.arguments else kind
            wrapped = program.statuses.of(written, function) is not None or "optional" in program.types.roles(
                written, function
            )
            return wrapped and depth == 0 and self.is_raw(whole.arguments[0], 1)
        if not _is_silent(program.types.roles(written, function)):
            return False
        cls = program.names.find_class(written, function.record.scope, function.file)
        return cls is None or self.is_plain_struct(written)

    def is_plain_struct(self, written: str) -> bool:
        """A struct whose end says nothing to its members."""
        program, function = self.function.program, self.function
        cls = program.names.find_class(written, function.record.scope, function.file)
        if cls is None:
            return not program.types.roles(written, function)
        return all(
            one.record.destructor in ("implicit", "defaulted") and (one is cls or not one.record.fields)
            for one in cls.ancestry
        )

    def looks_after_itself(self, call: r.Call) -> bool:
        """Whether what `new` makes can end itself, or hands itself to somebody where it is made."""
        if call.kind != "new" or not isinstance(call.callee, r.Name):
            return False
        cls = self.function.program.names.find_class(call.callee.text, self.function.record.scope, self.function.file)
        if cls is None:
            return False
        return any(_hands_itself_over(one) for one in cls.ancestry)

    def is_known(self, call: r.Call) -> bool:
        """Whether all classes of what is made are the project's own, or it is of none. What a function with a body
        hands out may be known to others from there, unless that body is seen to make it and to show it to nobody."""
        if call.kind == "new" and isinstance(call.callee, r.Name):
            return self.is_known_class(call.callee.text.removesuffix("[]"))
        made = self.function.program.calls.callee(call, self.function).functions
        duties = [self.resources.duties.of(one).made for one in made]
        return all(
            one is not None
            and ("delete" not in one.releases or self.is_made_alone(types.parse(maker.record.result).name))
            for maker, one in zip(made, duties, strict=True)
        )

    def is_made_alone(self, written: str) -> bool:
        """Whether nobody but who makes an object of the class knows of it from the start."""
        cls = self.function.program.names.find_class(written, self.function.record.scope, self.function.file)
        return self.is_known_class(written) and not (cls and any(_hands_itself_over(one) for one in cls.ancestry))

    def is_known_class(self, written: str) -> bool:
        if failure.is_number(written) or written in ("bool", "float", "double", "wchar_t") or "*" in written:
            return True
        cls = self.function.program.names.find_class(written, self.function.record.scope, self.function.file)
        return cls is not None and all(len(one.bases) == len(one.record.bases) for one in cls.ancestry)

    # --- what it comes to ---

    def judge(self, site: _Site, trace: Walk) -> HandleLoss | None:
        ways = self.ways(site, trace)
        again = bool(trace.state(site.start.index))
        if not ways and not again:
            return None
        sure = [way for way in ways if way.certainty != "possible"]
        chosen = sure or ways
        ended = next(iter(sorted(trace.ended, key=lambda event: event.index)), None)
        unsure = trace.unsure
        certainty = weaker(site.certainty, *(self.best(chosen),) if chosen else (because("likely", _NEXT_ROUND),))
        name = site.owner or places.render(site.holder.place)

        def loss(kind: Kind, certainty: Certainty, ways: list[LosingWay]) -> HandleLoss:
            return HandleLoss(kind, name, site.call, site.acquisition, tuple(ways), ended, certainty)

        failing = [way for way in chosen if way.fails]
        if site.owner:
            return loss("disowned", certainty, failing) if failing and (ended or unsure) else None
        if failing and (ended is not None or unsure):
            return loss("failure", certainty, failing)
        overwriting = [way for way in chosen if isinstance(way.exit, e.Write)]
        if overwriting or (again and not chosen):
            return loss(
                "overwritten",
                weaker(
                    certainty,
                    because(
                        "likely" if site.certainty == "certain" else "possible",
                        f"harmless if `{name}` is empty by then",
                    ),
                ),
                overwriting or [LosingWay(site.start, None, False, because("likely", _NEXT_ROUND))],
            )
        if ended is None:
            seen = unsure or not site.known or self.is_seen_through(site)
            return loss(
                "never",
                because("possible", f"a call that was not read may release `{name}`") if seen else certainty,
                chosen,
            )
        return loss(
            "skipped", weaker(certainty, because("likely", f"on a path that does not release `{name}`")), chosen
        )

    def is_seen_through(self, site: _Site) -> bool:
        """Whether something that was asked of the handle is held, too: who ends that may end it."""
        return any(
            isinstance(event, e.CallEvent)
            and event is not site.call
            and event.into is not None
            and site.holder.is_given_to(event.node)
            and not site.holder.is_plain(event.node)
            and not self.function.program.calls.callee(
                event.node, self.function
            ).models  # `strchr(text, ',')` ends nothing
            for event in site.holder.concerned.values()
        )

    def is_own_test(self, site: _Site, leave: e.LeaveEvent) -> bool:
        """Whether a macro leaves because there is no handle."""
        return bool(leave.via) and (site.holder.tests_itself(leave) or self.tests_status(site, leave))

    def tests_status(self, site: _Site, leave: e.LeaveEvent) -> bool:
        """`FAIL_IF(res != DONE, ..)` of the call that writes the handle through an argument: where it fails, there is
        none. Only of the first test: what `res` holds later is another call's."""
        status = site.call.into if site.acquisition.where.kind == "argument" else None
        if status is None or len(status) != 1:
            return False
        given = [write.index for write in self.flow.writes_to(status) if site.call.index < write.index < leave.index]
        if len(given) > 1:
            return False
        return any(
            call.span == leave.span
            and places.last_name(call.node.callee) == leave.via
            and any(
                isinstance(inner, r.Name) and (inner.text,) == status
                for argument in call.node.args[:1]
                for inner in places.walk(argument)
            )
            for call in self.flow.calls_of(leave)
        )

    @staticmethod
    def best(ways: list[LosingWay]) -> Certainty:
        order: tuple[Certainty, ...] = ("certain", "likely", "possible")
        return min((way.certainty for way in ways), key=order.index)

    def ways(self, site: _Site, trace: Walk) -> list[LosingWay]:
        found: list[LosingWay] = []
        for event, state in trace.out:
            if isinstance(event, e.LeaveEvent) and self.is_own_test(site, event):
                continue
            way = self.way(site.call, event, trace)
            if way is not None and isinstance(event, e.LeaveEvent) and self.jumps(event.via):
                # to a label that nobody sees from here
                way = way._replace(certainty=because("possible", f"`{event.via}` jumps to a label of this function"))
            if way is not None:
                found.append(way._replace(certainty=weaker(way.certainty, sure(state, site.holder))))
        throws = self.throws()
        for index in trace.reached(self.throwing):
            event = self.flow.events[index]
            if event is not site.call and event not in trace.ended:
                assert isinstance(event, e.CallEvent)
                found.append(
                    LosingWay(event, event, True, weaker(throws[index], sure(trace.state(index), site.holder)))
                )
        unique = {way.exit.index: way for way in reversed(found)}
        return [unique[index] for index in sorted(unique)]

    def way(self, call: e.CallEvent, event: e.Event, trace: Walk) -> LosingWay | None:
        """How a way that ends at the event ends; None where it is the acquisition's own failure."""
        if not isinstance(event, e.LeaveEvent):
            caught = isinstance(event, e.End) and self.is_unwound(event)
            return LosingWay(event, None, caught, "possible" if caught else "certain")
        if (jump := self.jump(event, trace)) is not None:
            if jump.cause is not None and is_part_of(call.node, jump.cause.node):
                return None
            return LosingWay(jump.at, jump.cause, True, jump.certainty)
        known = self.failures().get(event.index, [])
        if known:
            if any(failed.cause is not None and is_part_of(call.node, failed.cause.node) for failed in known):
                return None
            later = [failed for failed in known if failed.cause is None or trace.state(failed.cause.index)]
            if later:
                return LosingWay(event, later[0].cause, True, later[0].certainty)
        fails = event.kind == "throw" or failure.refuses(self.function, event.value) is True
        return LosingWay(event, self.asked(event, trace) if fails else None, fails, "certain")

    def asked(self, leave: e.LeaveEvent, trace: Walk) -> e.CallEvent | None:
        """The call whose answer decides about the exit."""
        for test, _ in islice(self.flow.guards(leave), _NEAREST):
            found = (self.flow.call_of(call) for call in places.calls_in(test.value))
            inside = [call for call in found if call is not None and trace.state(call.index)]
            if inside:
                return inside[0]
        return None

    def jumps(self, macro: str) -> bool:
        """Whether a macro of the project leaves by a `goto`."""
        return any(re.search(r"\bgoto\b", one.body) for one in self.function.program.macros.named(macro))

    def is_unwound(self, event: e.End) -> bool:
        before = self.flow.predecessors[event.index]
        return any(isinstance(mark := self.flow.events[i], e.Mark) and mark.what == "catch" for i, _ in before)

    def jump(self, leave: e.LeaveEvent, trace: Walk) -> failure.Failure | None:
        """The failing `goto` by which the way came."""
        self.failures()
        if not self._jumps:
            return None
        found = trace.passed(leave.index, sorted(self._jumps))
        return self._jumps[found] if found is not None else None

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
            for call in self.flow.calls:
                if self.is_python(call.node) and not failure.is_caught(self.function, call):
                    self._throws[call.index] = because(
                        "likely", f"on the path where `{places.last_name(call.node.callee)}` throws"
                    )
        return self._throws

    @cached_property
    def throwing(self) -> list[int]:
        return sorted(self.throws())

    def is_python(self, call: r.Call) -> bool:
        """Whether a Python object is called: `callback(x)`, `module.attr("f")(x)`."""
        callee = places.strip(call.callee)
        if call.kind != "call" or not isinstance(callee, r.Name | r.Member | r.Call):
            return False
        if isinstance(callee, r.Call):
            return places.last_name(callee.callee) == "attr"
        if isinstance(callee, r.Name) and callee.text not in self.function.declared:
            return False
        roles = self.function.program.types.roles(self.function.program.types.of(callee, self.function), self.function)
        return "python object" in roles or "python handle" in roles

    # --- what a container has gathered ---

    def gathered(self, live: list[tuple[_Site, Walk]]) -> Iterator[HandleLoss]:
        told: set[Place] = set()
        saying: dict[int, list[tuple[_Site, Walk]]] = {}
        for site, trace in live:
            for index in site.holder.concerned:
                saying.setdefault(index, []).append((site, trace))
        for event in self.flow:
            if not isinstance(event, e.CallEvent | e.Write):
                continue
            found = self.put(event, saying.get(event.index, []))
            if found is None:
                continue
            where, certainty, acquisition = found
            if where in told:
                continue
            holder = Holder(self.function, self.resources, self.mentions, where, several=True)
            if holder.is_ended_elsewhere():
                told.add(where)
                continue
            trace = self.walk(holder, event, _call_of(event).node, acquisition)
            site = _Site(holder, _call_of(event), event, acquisition, "", certainty, True)
            failing = [way for way in self.ways(site, trace) if way.fails and way.certainty != "possible"]
            unsure = trace.unsure
            if failing and (trace.ended or unsure):
                told.add(where)
                ended = next(iter(trace.ended), None)
                certainty = weaker(
                    certainty,
                    because("likely", f"on the path where {_fails(self.function, failing[0])}"),
                    self.best(failing),
                )
                yield HandleLoss("gathered", places.render(where), event, acquisition, tuple(failing), ended, certainty)

    def put(
        self, event: e.Event, live: list[tuple[_Site, Walk]]
    ) -> tuple[Place, Certainty, resources.Acquisition] | None:
        """The local container that an event puts a handle into."""
        puts = self.function.program.models.containers.puts
        match event:
            case e.CallEvent(node=node, receiver=(root,)) if places.last_name(node.callee) in puts:
                given: tuple[r.Value, ...] = node.args
            case e.Write(place=(root, step), value=value) if step.startswith("[") and value is not None:
                given = (value,)
            case _:
                return None
        if event.index not in self.flow.reachable or not self.gathers(root):
            return None
        for argument in given:
            if (found := self.held_by(argument, event, live)) is not None:
                return (root,), *found
        return None

    def held_by(
        self, value: r.Value, event: e.Event, live: list[tuple[_Site, Walk]]
    ) -> tuple[Certainty, resources.Acquisition] | None:
        """The acquisition behind what is put in: made on the spot, or held by a local until now."""
        inner = places.strip(value)
        if isinstance(inner, r.Call):
            made = self.handed_out(inner)
            if made is not None and made[0].where.kind == "result" and not self.looks_after_itself(inner):
                return made[1], made[0]
            if inner.kind != "construct":
                return None
        for site, trace in live:
            if trace.state(event.index) & (HELD | PASSED) and site.holder.is_inside(inner):
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
        if kind.pointers or "container" not in function.program.types.roles(written, function):
            return False
        return not self.resources.owns_elements(written, function.file, function.record.scope)


def _call_of(event: e.Event) -> e.CallEvent:
    """The event as the call that begins a walk; a write has none, and stands for itself."""
    if isinstance(event, e.CallEvent):
        return event
    made = e.CallEvent(event.span, r.Call(event.span.start, event.span.end, r.Name(0, 0, ""), ()))
    made.index = event.index
    return made


def _wraps(part: r.Value, call: r.Call) -> bool:
    return isinstance(part, r.Call) and any(inner is call for inner in places.walk(part))


def _is_silent(roles: tuple[str, ...]) -> bool:
    return not roles or set(roles) <= {"handle"}


def _hands_itself_over(cls: Class) -> bool:
    """Whether a constructor gives `this` to somebody, or a method deletes it."""
    return any(
        gives_itself(method)
        for method in cls.methods
        if method.record.kind == "constructor" or (method.record.kind == "method" and method.mentions("delete"))
    )
