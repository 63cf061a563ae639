"""Raw handles and heap memory that a way out of a function loses: who held one, where it was acquired, which way lost
it.

`owed` follows the ways; here is told what they come to: a leak when something failed, one on some paths only, one that
is never released, what is overwritten, what a container has gathered.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

from ownlint.domains import exceptions, failure
from ownlint.domains.memory import acquiring, exits, resizing
from ownlint.domains.memory.acquiring import handing
from ownlint.domains.memory.owed import HELD, PASSED, Acquired, OwedWalk, is_part_of
from ownlint.domains.memory.uses import ends_with_call, gives_itself, names_at
from ownlint.engine import assignments
from ownlint.engine.assignments import spelled
from ownlint.engine.copying import is_copying
from ownlint.engine.resources import RESULT, Acquisition, resources
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, Step, assumptions_of, because, weaker
from ownlint.flow import events as e
from ownlint.flow.places import (
    Place,
    called,
    calls_in,
    children,
    last_name,
    names_in,
    place_of,
    receiver,
    render,
    strip,
    walk,
)
from ownlint.project import types
from ownlint.project.pairs import releasing_verb, takes, words
from ownlint.project.questions import flow_question, question
from ownlint.project.subjects import Class, Function

_ORDER: tuple[Certainty, ...] = ("certain", "likely", "possible")
_NEAREST = 4
"""So many tests before an exit may be what it is about."""
_MOST_REFUTED = 16
"""So many leaks of a function are followed again with what tests say."""

_LOOPS = re.compile(rb'"(?:range|for)"')
_MEASURES = re.compile(r"size_(?:t|type)$|^(?:bool|float|double)$")
"""Types of numbers that are no handle."""
_ARRAY = re.compile(r"([^\[\]]+)\[([1-4])\]$")
"""The type of an array of a few elements."""
_ALLOCATES = re.compile(r"(?i:alloc|\balc\b)")

Kind = Literal["failure", "skipped", "never", "overwritten", "disowned", "gathered", "collected", "rest", "resized"]
"""`gathered` is lost where something fails, `collected` on every way out; `resized` where `p = realloc(p, n)` fails."""


class LosingWay(NamedTuple):
    """A way out on which the handle is lost. `cause` is what failed, where something did."""

    exit: e.Event
    cause: e.CallEvent | None
    fails: bool
    certainty: Certainty
    trail: tuple[e.Event, ...] = ()
    """The path to the exit, from the acquisition on."""

    @property
    def throws(self) -> bool:
        """Whether the function is left by the exception of the call that failed."""
        return self.exit is self.cause


class HandleLoss(NamedTuple):
    kind: Kind
    name: str
    """The holder, as a user writes it; of `disowned` the owner."""
    acquired: e.Event
    """The call that handed it out, or gave it up; of the `rest` of a container, the one that releases an element."""
    acquisition: Acquisition | None
    ways: tuple[LosingWay, ...]
    ended: e.Event | None
    """Where it is released or kept on another way."""
    certainty: Certainty


def losses(function: Function) -> tuple[HandleLoss, ...]:
    """What the function loses."""
    return (*(_losses(function) if _may_lose(function) else ()), *(map(_as_loss, resizing.overwritten(function))))


def _as_loss(one: resizing.Resized) -> HandleLoss:
    way = LosingWay(one.lost, one.call, True, because("path", f"this happens only if `{called(one.call.node)}` fails"))
    return HandleLoss("resized", one.name, one.call, None, (way,), None, way.certainty)


ENTRIES = frozenset({"main", "wmain", "WinMain", "wWinMain", "_tmain", "_tWinMain"})
"""Names of the functions that a process begins with, and ends with."""


@question
def _may_lose(function: Function) -> bool:
    if function.language != "cpp" or function.name in ENTRIES:
        return False
    if handing(function.program).may_hand_out(function) or acquiring.may_be_filled(function):
        return True
    return _may_leave_rest(function)


def _may_leave_rest(function: Function) -> bool:
    """Whether a loop may release elements. Needs no decoding."""
    if not function.says(_LOOPS):
        return False
    return function.mentions("delete") or any(releasing_verb(name) for name in function.mentioned)


def steps(function: Function, loss: HandleLoss, lost: str) -> Iterator[Step]:
    """How it comes to the loss, for a report; `lost` says what is lost."""
    told: set[str] = set()
    count, more = exits.shown([way.exit for way in loss.ways])
    for way in loss.ways[:count]:
        if way.cause is not None and way.cause is not loss.acquired:
            answer = "" if way.throws else failure.answered(function, way.cause, way.exit)
            work = failure.work(function, way.cause)
            work = f"this call of {work}" if failure.is_like(way.cause, loss.acquired) else work
            says = f"{work} can {'throw' if way.throws else 'fail'} here"
            says = f"{answer} on this path" if answer else says
            if says not in told:
                yield function.step(way.cause, says)
            told.add(says)
        if way.cause is None or way.exit.span != way.cause.span:
            trail = way.trail if way.cause is None else ()
            yield from exits.steps(function, way.exit, lost, trail, alone=len(loss.ways) == 1, acquired=loss.acquired)
    yield from exits.further(function, more, lost)
    yield from released_elsewhere(function, loss, lost)


def released_elsewhere(function: Function, loss: HandleLoss, lost: str) -> Iterator[Step]:
    """The step that shows where another path releases it."""
    if loss.ended is not None:
        does = "release" if releasing_call(loss) is not None else "pass on"
        does = does if isinstance(loss.ended, e.CallEvent) else "transfer ownership of"
        ended, held = loss.ended, ""
        if isinstance(ended, e.LeaveEvent) and isinstance(returned := strip(ended.value), r.Name):
            links = assignments.renaming(function, loss.name, returned.text, loss.acquired, ended)
            for link in links:
                given, got = text(strip(link.value) or returned), spelled(function, link.place)
                yield function.step(link, f"`{got}` is set to `{given}` here", "turn", aside=True)
            held = f", in `{returned.text}`" if links else ""
        yield function.step(ended, f"other paths {does} {lost} here{held}", aside=True)


def releasing_call(loss: HandleLoss) -> r.Call | None:
    """The call of another path that releases it; None where that may only take it over."""
    if not isinstance(loss.ended, e.CallEvent):
        return None
    return loss.ended.node if _is_release(loss.ended.node, loss.acquisition) else None


def _is_release(call: r.Call, acquisition: Acquisition | None) -> bool:
    name = last_name(call.callee)
    known = acquisition.releases if acquisition is not None else ()
    return call.kind == "delete" or bool(releasing_verb(name)) or name in {one.rpartition("::")[2] for one in known}


def _shown_end(walked: OwedWalk) -> e.Event | None:
    """Of the places where other paths are rid of it the first that releases it; else the first."""
    ends = walked.ended
    calls = (one for one in ends if isinstance(one, e.CallEvent))
    return next((one for one in calls if _is_release(one.node, walked.acquired.acquisition)), next(iter(ends), None))


def _is_of_c(acquisition: Acquisition) -> bool:
    """Whether it is the result of a library's function of C, whatever the type is called: a function ends it."""
    by_function = any("::" not in one and "delete" not in one for one in acquisition.releases)
    return by_function and acquisition.is_modelled and acquisition.where.kind == "result"


def owner_advice(function: Function, otherwise: str) -> str:
    """What to do instead of releasing by hand, where the language has owners."""
    return "" if function.file.is_c else f", or {otherwise}"


def when(function: Function, loss: HandleLoss) -> str:
    """What fails, as a clause."""
    return _fails(function, loss.ways[0], loss.acquired)


def names_another(loss: HandleLoss) -> bool:
    """Whether the call that fails goes by the name of the one that has acquired it: a clause says it otherwise."""
    return any(way.cause is not None and failure.is_like(way.cause, loss.acquired) for way in loss.ways)


def _fails(function: Function, way: LosingWay, acquired: e.Event | None = None) -> str:
    if way.cause is not None:
        work = failure.work(function, way.cause)
        if failure.is_like(way.cause, acquired):
            if not way.throws and (condition := _taken(function, way, acquired)):
                return condition
            work = f"a later {work if way.cause.node.kind == 'new' else f'call of {work}'}"
        answer = "" if way.throws else failure.answered(function, way.cause, way.exit)
        return answer or f"{work} {'throws' if way.throws else 'fails'}"
    if isinstance(way.exit, e.LeaveEvent) and way.exit.via:
        return f"`{way.exit.via}` {'throws' if exits.throws(function, way.exit) else 'makes this function return'}"
    return _taken(function, way, acquired) or "this function fails"


def _taken(function: Function, way: LosingWay, acquired: e.Event | None) -> str:
    """When the exit is taken, as a clause; empty where no `if` around it decides that."""
    return failure.decided(function, function.turn(way.exit, way.trail), acquired)


def skipping(name: str) -> str:
    """The reason of a leak on some paths, which names none of them."""
    return f"harmless if the paths that do not release `{name}` are never taken"


def condition(function: Function, loss: HandleLoss) -> str:
    """When it is lost, as a clause, where one or two exits lose it and an `if` decides about each; else empty."""
    return either(_taken(function, way, loss.acquired) for way in loss.ways)


_MOST_EXITS = 2
"""So many conditions are named in a headline."""


def either(conditions: Iterable[str]) -> str:
    """One or two conditions, as a clause; empty where there are more, or one is not known."""
    found = list(dict.fromkeys(islice(conditions, _MOST_EXITS + 1)))
    return " or ".join(found) if all(found) and len(found) <= _MOST_EXITS else ""


@flow_question
def _losses(function: Function) -> tuple[HandleLoss, ...]:
    return tuple(sorted(_Losing(function).all(), key=lambda loss: loss.acquired.span.start))


_REST = Acquisition(RESULT, (), "rest", "certain")
_NEXT_ROUND = "harmless if the loop ends before it acquires another"


class _Losing:
    """The losses of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.flow = function.flow
        self.resources = resources(function.program)
        self.handing = handing(function.program)
        self._failures: dict[int, list[failure.Failure]] | None = None
        self._jumps: dict[int, failure.Failure] = {}
        self._throws: dict[int, Certainty] | None = None
        self._causes: dict[int, e.CallEvent] = {}
        """By the index of a call that throws, the call whose failure it throws for."""
        self._other: dict[Place, list[e.Write]] = {}
        """By variable what is written to it that is no handle."""
        self.refuted = 0

    def all(self) -> Iterator[HandleLoss]:
        live: list[OwedWalk] = []
        told: dict[tuple[object, ...], HandleLoss] = {}
        for acquired in self.acquired():
            walked = self.walk(acquired)
            if walked is None:
                continue
            live.append(walked)
            found = self.judge(walked)
            if found is not None:
                found = self.judge(self.again(walked))
            if found is None:
                continue
            # What is acquired in several branches and lost by the same exit is lost once; so is an array, by its parts.
            root, *parts = acquired.place
            is_element = len(parts) == 1 and parts[0].startswith("[")
            said = (root if is_element else acquired.place, *(way.exit.index for way in found.ways))
            if said not in told:
                told[said] = found
            elif is_element:
                told[said] = told[said]._replace(name=root)
        yield from told.values()
        yield from self.gathered(live)
        yield from self.rests()

    def walk(self, acquired: Acquired) -> OwedWalk | None:
        """The ways on which it is owed; None where somebody else sees to it at the end."""
        first = OwedWalk(self.function, acquired).go()
        again = first.live(acquired.start.index)
        if not (first.out or again or any(first.live(index) for index in self.throwing)):
            return first
        if first.is_guarded() or first.is_ended_in_lambda():
            return None
        return OwedWalk(self.function, acquired, first).go()

    def again(self, walked: OwedWalk) -> OwedWalk:
        """The same without ways that no test lets pass; itself where tests say too much to follow."""
        self.refuted += 1
        if self.refuted > _MOST_REFUTED or not self.flow.of(e.Test):
            return walked
        knowing = OwedWalk(self.function, walked.acquired, walked.seen, refuting=True).go()
        if not knowing.complete:
            asked = walked.decisive()
            knowing = OwedWalk(self.function, walked.acquired, walked.seen, refuting=True, asking_for=asked).go()
        if not knowing.complete:
            return walked
        knowing.uses = {**walked.uses, **knowing.uses}
        knowing.is_unsure = walked.is_unsure
        return knowing

    # --- where locals get handles ---

    def acquired(self) -> Iterator[Acquired]:
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
            if held is None or self.looks_after_itself(event.node):
                continue
            cleaned = held[0] in self.function.cleaned and held[0] in self.function.locals
            if not cleaned and not ends_with_call(self.function, held[0]):
                continue
            known = self.is_known(event.node, acquisition)
            for part in self.elements(held, acquisition) or (held,):
                if not self.may_hold(part, start, acquisition):
                    continue
                if self.is_mixed(part, start):
                    certainty = because("possible", f"`{render(part)}` is reassigned on other paths")
                elif event.node.kind == "new" and self.may_own(part, start):
                    certainty = because(
                        "possible", f"the type of `{render(part)}`, which is not known, may own the object"
                    )
                elif certainty != "certain" and self.is_number(part):
                    certainty = because("possible", f"`{render(part)}` may be a plain number")
                yield Acquired(event, start, part, acquisition, certainty, owner, known, cleaned=cleaned)

    def array(self, value: r.Value | None) -> re.Match[str] | None:
        """The type of a local array of a few elements, of the name of one."""
        inner = strip(value)
        if not isinstance(inner, r.Name) or any(one.name == inner.text for one in self.function.record.parameters):
            return None
        return _ARRAY.match(self.function.locals.get(inner.text, ("", None))[0])

    def elements(self, held: Place, acquisition: Acquisition) -> tuple[Place, ...]:
        """The elements of a local array of known size that a call fills, `int ends[2]`, where each is said by its
        number wherever one is said; nothing for what is no array."""
        if len(held) != 1 or acquisition.where.kind != "argument" or not acquisition.is_modelled:
            return ()
        array = self.array(r.Name(0, 0, held[0]))
        if array is None:
            return ()
        indexed = (
            inner.indexes
            for inner in self.function.values
            if isinstance(inner, r.Index) and isinstance(strip(inner.base), r.Name) and place_of(inner.base) == held
        )
        if not all(len(one) == 1 and isinstance(one[0], r.Literal) for one in indexed):
            return ()
        return tuple((held[0], f"[{number}]") for number in range(int(array[2])))

    def may_own(self, held: Place, start: e.Event) -> bool:
        """Whether a local is of a type of which nothing is known but that it is made of a pointer, `NodePtr node = new
        Node;`, and that the function does not delete."""
        names, function = self.function.program.names, self.function
        kind = types.parse(self.declared_type(held, start))
        if len(held) > 1 or not kind.is_value or kind.is_placeholder or kind.last in types.SCALARS:
            return False
        expanded = types.parse(names.expand(kind.name, function.file, function.record.scope))
        if expanded.pointers or names.find_class(kind.name, function.record.scope, function.file) is not None:
            return False
        return not any(
            event.node.kind == "delete" and any(place_of(one) == held for one in event.node.args)
            for event in self.flow.calls
        )

    def declared_type(self, held: Place, start: e.Event) -> str:
        """The type of a local as it is written, where it begins to hold something or where it is declared."""
        if isinstance(start, e.Write) and start.type:
            return start.type
        return self.function.locals.get(held[0], ("", None))[0]

    def is_number(self, held: Place) -> bool:
        """Whether what is held may be nothing but a number, for all that its type says."""
        program, function = self.function.program, self.function
        written = program.types.of(r.Name(0, 0, held[0]), function) if len(held) == 1 else ""
        return failure.is_number(program.names.expand(written, function.file, function.record.scope))

    def is_mixed(self, held: Place, start: e.Event) -> bool:
        """Whether the variable stands for something else at other times: `base = on_stack;`, a parameter that is only
        sometimes given another value."""
        if held not in self._other:
            self._other[held] = [event for event in self.flow.writes_to(held) if self.is_other(event, held)]
        if any(self.are_read_alike(start, other, held) for other in self._other[held]):
            return True
        if held[0] not in self.function.parameter_names:
            return False
        said = names_at(self.function)
        later = (event for event in self.flow if event.index > start.index and held[0] in said[event.index])
        return not all(self.flow.dominates(start, event) for event in later if not isinstance(event, e.End | e.Test))

    def are_read_alike(self, start: e.Event, other: e.Write, held: Place) -> bool:
        """Whether the same event may read what either of two writes has put into the variable. Where none does, as in
        the branches of a `switch` that use one variable in turn, neither value is taken for the other."""
        said = names_at(self.function)
        set_anew = {
            write.index
            for write in self.flow.writes_to(held)
            if write.op in ("=", "init") and held[0] not in names_in(write.value)
        }

        def is_set_anew(event: e.Event) -> bool:
            return event.index in set_anew

        behind, behind_other = ({event.index for event in self.flow.after(one, is_set_anew)} for one in (start, other))
        return any(
            held[0] in said[index] and not isinstance(self.flow.events[index], e.End)
            for index in (behind & behind_other) - set_anew
        )

    def is_other(self, event: e.Write, held: Place) -> bool:
        """Whether what is written to the variable is no handle."""
        value = strip(event.value)
        if event.op not in ("=", "init") or isinstance(strip(event.target), r.Unary) or held[0] in names_in(value):
            return False
        if isinstance(value, r.Member | r.Index) or (isinstance(value, r.Unary) and value.op == "&"):
            return True
        if isinstance(value, r.Name):
            return value.text not in ("NULL", "INVALID_HANDLE_VALUE")
        return isinstance(value, r.Call) and not any(self.handed_out(one) for one in calls_in(event.value))

    def handed_out(self, call: r.Call) -> tuple[Acquisition, Certainty, str] | None:
        """What a call hands out, how sure that is, and the owner that gave it up, where one did."""
        given_up = self.handing.gives_up(call, self.function)
        owner = receiver(call)
        if given_up is not None and owner is not None:
            return Acquisition(RESULT, (), "given up", given_up), given_up, text(owner)
        if call.kind != "new" and last_name(call.callee) not in self.handing.acquiring:
            made = acquiring.filled(self.function, call) or acquiring.part_of_new(self.function, call)
            return (made, made.certainty, "") if made is not None else None
        found = self.resources.acquisition(call, self.function)
        if found is None or self.is_in_place(call, found) or self.is_counted(call):
            return None
        if not found.is_modelled and self.is_of_arena(call):
            return None
        borrowed = any(_ALLOCATES.search(text(argument)) for argument in call.args)
        if borrowed:
            return found, because("possible", f"what `{called(call)}` is given may own its result"), ""
        return found, found.certainty, ""

    def is_counted(self, call: r.Call) -> bool:
        """References to Python objects have rules of their own, whatever the type of the local that gets one."""
        return any(model.counted for model in self.function.program.calls.callee(call, self.function).models)

    def is_of_arena(self, call: r.Call) -> bool:
        """Whether it is made of what ends everything at once that was made of it: called on it, or given it."""
        given = (receiver(call), *call.args)
        return any(
            acquiring.is_arena(self.function.program.types.of(one, self.function), self.function) for one in given
        )

    @staticmethod
    def is_in_place(call: r.Call, acquisition: Acquisition) -> bool:
        """`stream_init(memory)` answers what it is given."""
        return acquisition.where.kind == "result" and bool(call.args) and "init" in words(last_name(call.callee))

    def begins(self, event: e.CallEvent, acquisition: Acquisition) -> tuple[e.Event, Place | None] | None:
        """The event from which on a place holds what the call hands out, and the place."""
        if acquisition.where.kind == "argument":
            index = acquisition.where.index
            if index >= len(event.node.args):
                return None
            argument = strip(event.node.args[index])
            if isinstance(argument, r.Unary) and argument.op == "&":
                argument = argument.value
            elif not (
                self.is_reference_parameter(event.node, index)
                or self.is_used_so(event.node)
                or (acquisition.is_modelled and (self.array(argument) is not None or self.is_handle(argument)))
            ):
                return None
            return event, None if _is_behind_arrow(argument) else assignments.place(self.function, argument)
        if event.into is None:
            return None
        writes = self.flow.writes
        for position in range(bisect_left(writes, event.index, key=lambda write: write.index), len(writes)):
            write = writes[position]
            if write.value is None or write.op not in ("=", "init"):
                continue
            if write.value.start <= event.span.start and event.span.end <= write.value.end:
                target = strip(write.target)
                if isinstance(target, r.Unary) or not self.is_always(write.value, event.node):
                    return None
                if _is_behind_arrow(target):
                    return None
                return write, write.place if write.place == event.into else None
        return None

    def is_always(self, value: r.Value, call: r.Call) -> bool:
        """Whether the value is the handle whenever it is one at all: not `c ? malloc(n) : stack`."""
        return all(
            part is call or isinstance(part, r.Conditional | r.Unary | r.Literal) or _wraps(part, call)
            for part in _parts(value)
        )

    def is_reference_parameter(self, call: r.Call, index: int) -> bool:
        found = self.function.program.calls.callee(call, self.function).records
        written = [record.parameters[index].type for record in found if index < len(record.parameters)]
        return bool(written) and all("&" in one or one.rstrip().endswith("]") for one in written)

    def is_handle(self, value: r.Value | None) -> bool:
        """Whether a local is of a library's type of handles, which is an array that a call gets the address of:
        `mpz_t n; mpz_init(n);`."""
        inner = strip(value)
        if not isinstance(inner, r.Name) or any(one.name == inner.text for one in self.function.record.parameters):
            return False
        written = self.function.locals.get(inner.text, ("", None))[0]
        return types.parse(written).is_value and "handle" in self.function.program.types.roles(written, self.function)

    def is_used_so(self, call: r.Call) -> bool:
        """Whether an undeclared function begins what stands in a variable, judging by what the code ends:
        `mpz_init(x)`, of a type that is an array."""
        used = self.resources.used.get(last_name(call.callee))
        return used is not None and used.argument >= 0

    def may_hold(self, held: Place, start: e.Event, acquisition: Acquisition) -> bool:
        """Whether what begins to hold the handle ends without ending it."""
        if any(step.startswith("[") for step in held):
            array = _ARRAY.match(self.declared_type(held, start)) if len(held) == 2 else None
            return isinstance(start, e.CallEvent) and array is not None and self.is_raw(array[1])
        program, function = self.function.program, self.function
        if len(held) > 1:
            root = program.types.of(r.Name(0, 0, held[0]), function)
            if len(held) > 2 or not types.parse(root).is_value or not self.is_plain_struct(root):
                return False
            cls = program.names.find_class(root, function.record.scope, function.file)
            found = cls.field(held[1]) if cls is not None else None
            return found is None or "&" not in found[1].type  # a reference leads to what another object holds
        written = self.declared_type(held, start)
        if types.parse(written).is_placeholder:
            written = program.types.of(r.Name(0, 0, held[0]), function) or written
            if types.parse(written).is_placeholder:
                return _is_of_c(acquisition)
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

    def is_known(self, call: r.Call, acquisition: Acquisition) -> bool:
        """Whether all classes of what is made are the project's own, or it is of none: others may end themselves, but
        for the elements of an array. What a function with a body hands out may be known to others from there, unless
        that body is seen to make it and to show it to nobody."""
        if call.kind == "new" and isinstance(call.callee, r.Name):
            return call.callee.text.endswith("[]") or self.is_known_class(call.callee.text)
        at = acquisition.where.index
        for maker in self.function.program.calls.callee(call, self.function).functions:
            duty, record = self.resources.duties.of(maker), maker.record
            made = duty.made if at < 0 else dict(duty.outs).get(at)
            written = record.result if at < 0 else record.parameters[at].type
            if made is None or ("delete" in made.releases and not self.is_made_alone(types.parse(written).name)):
                return False
        return True

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

    def judge(self, walked: OwedWalk) -> HandleLoss | None:
        acquired = walked.acquired
        ways = self.ways(walked)
        again = bool(walked.live(acquired.start.index)) and not self.renews(acquired)
        if not ways and not again:
            return None
        chosen = [way for way in ways if way.certainty != "possible"] or ways
        ended, unsure = _shown_end(walked), walked.is_unsure
        handed = self.as_used(walked)
        certainty = weaker(handed, *(self.best(chosen),) if chosen else (because("path", _NEXT_ROUND),))
        if certainty == "certain":
            certainty = self.assumed(walked, chosen)
        name = acquired.owner or spelled(self.function, acquired.place)

        def loss(kind: Kind, certainty: Certainty, ways: list[LosingWay]) -> HandleLoss:
            came = tuple(way._replace(trail=tuple(walked.trail(way.exit.index))) for way in ways)
            return HandleLoss(kind, name, acquired.call, acquired.acquisition, came, ended, certainty)

        failing = [way for way in chosen if way.fails]
        if acquired.owner:
            return loss("disowned", certainty, failing) if failing and (ended or unsure) else None
        if failing and (ended is not None or unsure):
            return loss("failure", certainty, failing)
        overwriting = [way for way in chosen if isinstance(way.exit, e.Write)]
        if overwriting or (again and not chosen):
            empty = f"harmless if `{name}` is empty by then"
            harmless = because("value" if acquired.certainty == "certain" else "guess", empty)
            if overwriting and all(walked.was_asked(way.exit) for way in overwriting):
                harmless = "certain"
            if acquired.cleaned and ended is None and not unsure:
                harmless = "certain"  # nobody but the end of its scope releases it
            next_round = LosingWay(acquired.start, None, False, because("path", _NEXT_ROUND))
            return loss("overwritten", weaker(certainty, harmless), overwriting or [next_round])
        if ended is None:
            seen = unsure or not acquired.known or self.is_seen_through(walked)
            unread = because("possible", f"a call that was not analysed may release `{name}`")
            if self.may_last(acquired):
                unread, seen = (
                    because("possible", f"harmless if `{name}` is meant to last as long as the process"),
                    True,
                )
            return loss("never", unread if seen else certainty, chosen)
        passes = any(self.passes_release(way.exit, walked) for way in chosen)
        skips = because("conditions" if passes else "path", skipping(name))
        return loss("skipped", weaker(certainty, skips, self.said_by_names(walked, name)), chosen)

    def passes_release(self, exit: e.Event, walked: OwedWalk) -> bool:
        """Whether the way goes by where others release it: the conditions there, and those by which it is acquired, may
        exclude each other. An early return does not, nor does an exception that the function catches, nor what comes
        only after another was acquired, as in the next round of a loop."""
        if any(self.flow.dominates(mark, exit) for mark in self.flow.catches):
            return False
        return any(exit in self.flow.after(one, avoiding=walked.renews) for one in walked.ended)

    def may_last(self, acquired: Acquired) -> bool:
        """Whether it is of a kind that is acquired for what this brings about, and what is got from it, if anything
        is, outlives the function: a library that is loaded for all, a symbol that is returned."""
        models, name = self.function.program.models, acquired.place[0]
        if not any(models.kind(one.rpartition("::")[2]).lasting for one in acquired.acquisition.releases):
            return False
        got = [event for event in self.flow.calls if self.is_got_from(event.node, name)]
        holders = {event.into[0] for event in got if event.into is not None}
        outside = [event.value for event in self.flow.of(e.LeaveEvent) if isinstance(event, e.LeaveEvent)]
        outside += [write.value for write in self.flow.writes if not self.function.is_local(write.place)]
        return not got or any(isinstance(one := strip(value), r.Name) and one.text in holders for value in outside)

    def is_got_from(self, call: r.Call, name: str) -> bool:
        """Whether a model says that a call borrows what it answers from a local."""
        lenders = (model.lender for model in self.function.program.calls.callee(call, self.function).models)
        given = (strip(call.args[at]) for at in lenders if at is not None and 0 <= at < len(call.args))
        return any(isinstance(one, r.Name) and one.text == name for one in given)

    def as_used(self, walked: OwedWalk) -> Certainty:
        """How sure it is that the call hands something out. A pair that is inferred from names alone is one where
        another path releases the very object with it: the author knows that it has to be released."""
        acquired = walked.acquired
        ends = (last_name(event.node.callee) for event in walked.ended if isinstance(event, e.CallEvent))
        known = next((name for name in ends if name in acquired.acquisition.releases), "")
        if not known or assumptions_of(acquired.certainty) not in ({"name"}, {"convention"}):
            return acquired.certainty
        return because("convention", f"harmless if it need not be released; other paths call `{known}`")

    def said_by_names(self, walked: OwedWalk, name: str) -> Certainty:
        """What is taken for granted where nothing but the names of functions says that they release it."""
        ends = [event.node for event in walked.ended if isinstance(event, e.CallEvent)]
        if len(ends) < len(walked.ended) or not all(map(self.is_named_alone, ends)):
            return "certain"
        return because("name", f"that `{last_name(ends[0].callee)}` releases `{name}` is inferred from its name")

    def is_named_alone(self, call: r.Call) -> bool:
        """Whether a function ends something by its name alone: neither a model nor a body says so."""
        if call.kind != "call" or not releasing_verb(last_name(call.callee)):
            return False
        return all(ended.certainty != "certain" for ended in self.resources.released(call, self.function))

    def assumed(self, walked: OwedWalk, ways: list[LosingWay]) -> Certainty:
        """What is taken for granted where every step is known."""
        acquired = walked.acquired
        held, made = spelled(self.function, acquired.place), last_name(acquired.call.node.callee)
        if acquired.acquisition.where.kind == "argument":
            if self.is_handle(acquired.call.node.args[acquired.acquisition.where.index]):
                return "certain"  # it is begun in the variable itself, for which there is no null
            if ways and all(self.has_succeeded(way.exit, acquired) for way in ways):
                return "certain"
            return because("value", f"harmless if `{made}` returns nothing when it fails")
        for argument in map(strip, acquired.call.node.args):
            told = argument.value if isinstance(argument, r.Unary) and argument.op == "&" else None
            if isinstance(told, r.Name) and self.is_number((told.text,)):
                return because("value", f"harmless if `{made}` returns nothing when `{told.text}` reports a failure")
        if self.is_number(acquired.place) and not acquired.acquisition.is_modelled:
            return because("value", f"harmless if `{held}` is a number that refers to no resource")
        if len(acquired.place) > 1 or any(walked.live(index) for index in walked.blurred):
            return because("sharing", f"something else may refer to it as `{held}` and release it")
        if any(record.name == "main" for record in self.function.file.functions):
            return because("long-run", "harmless if the program exits soon afterwards")
        return "certain"

    def has_succeeded(self, event: e.Event, acquired: Acquired) -> bool:
        """Whether every way to the event has passed a test, a macro or a call that leaves when the acquisition has
        failed."""
        asked = [index for index in self.throws() if self.is_own_failure(index, acquired)]
        for index, known in self.failures().items():
            if any(one.cause is not None and is_part_of(acquired.call.node, one.cause.node) for one in known):
                leave = self.flow.events[index]
                if isinstance(leave, e.LeaveEvent) and leave.via:
                    asked += [source for source, _ in self.flow.predecessors[index]]
                else:
                    asked += [test.index for test, _ in islice(self.flow.guards(leave), 1)]
        return any(self.flow.dominates(self.flow.events[index], event) for index in asked)

    def renews(self, acquired: Acquired) -> bool:
        """Whether the call ends what the argument held before it puts something new there: `*p = realloc(*p, n)`."""
        released = self.resources.released(acquired.call.node, self.function)
        return any(one.where == acquired.acquisition.where for one in released)

    def is_seen_through(self, walked: OwedWalk) -> bool:
        """Whether something that was asked of the handle is held, too: who ends that may end it."""
        asked = (self.flow.events[index] for index in walked.givers)
        return any(
            isinstance(event, e.CallEvent)
            and event is not walked.acquired.call
            and event.into is not None
            and not walked.is_plain(event.node)
            and not self.function.program.calls.callee(event.node, self.function).models  # `strchr(text, ',')`
            for event in asked
        )

    @staticmethod
    def best(ways: list[LosingWay]) -> Certainty:
        return min((way.certainty for way in ways), key=_ORDER.index)

    def ways(self, walked: OwedWalk) -> list[LosingWay]:
        found: list[LosingWay] = []
        acquired = walked.acquired
        for index, how in sorted(walked.out.items()):
            event = self.flow.events[index]
            if isinstance(event, e.LeaveEvent) and event.via and self.is_about_none(event, walked):
                continue
            way = self.way(event, walked)
            if way is not None and isinstance(event, e.LeaveEvent) and self.jumps(event.via):
                # to a label that nobody sees from here
                way = way._replace(certainty=because("possible", f"`{event.via}` jumps to a label of this function"))
            if way is not None:
                found.append(way._replace(certainty=weaker(way.certainty, _sure(how, walked, event))))
        throws, ended = self.throws(), {event.index for event in walked.ended}
        for index in self.throwing if not acquired.cleaned else ():
            event = self.flow.events[index]
            state = walked.live(index)
            if self.is_own_failure(index, acquired):
                continue
            if state and event is not acquired.call and index not in ended:
                assert isinstance(event, e.CallEvent)
                found.append(LosingWay(event, event, True, weaker(throws[index], _sure(state, walked, event))))
        unique = {way.exit.index: way for way in reversed(found)}
        return [unique[index] for index in sorted(unique)]

    def is_own_failure(self, thrower: int, acquired: Acquired) -> bool:
        """Whether the call throws because the acquisition failed: `ensure(cudaMalloc(&p, n))`."""
        cause = self._causes.get(thrower)
        return cause is not None and is_part_of(acquired.call.node, cause.node)

    def is_about_none(self, leave: e.LeaveEvent, walked: OwedWalk) -> bool:
        """Whether a macro leaves because there is no handle, or because the call has failed that hands it out."""
        if leave.index in walked.own_tests:
            return True
        macros = (one.node for one in self.flow.calls_of(leave) if last_name(one.node.callee) == leave.via)
        return any(walked.told_by.is_asked(argument, leave) for macro in macros for argument in macro.args[:1])

    def way(self, event: e.Event, walked: OwedWalk) -> LosingWay | None:
        """How a way that ends at the event ends; None where it is the acquisition's own failure."""
        call = walked.acquired.call
        certainty: Certainty = "certain"
        if not isinstance(event, e.LeaveEvent):
            caught = isinstance(event, e.End) and self.is_unwound(event)
            unwound = because("possible", "a handler may know what was released")
            return LosingWay(event, None, caught, unwound if caught else "certain")
        if (jump := self.jump(event, walked)) is not None:
            if jump.cause is not None and is_part_of(call.node, jump.cause.node):
                why = self.otherwise(jump.at, walked)
                return LosingWay(jump.at, None, True, why) if why is not None else None
            return LosingWay(jump.at, jump.cause, True, jump.certainty)
        known = self.failures().get(event.index, [])
        if known:
            own = [one for one in known if one.cause is not None and is_part_of(call.node, one.cause.node)]
            later = [one for one in known if one not in own and (one.cause is None or walked.live(one.cause.index))]
            if own:  # of what is tried together, it is the acquisition that is expected to throw
                later = [one for one in later if one.cause and not exceptions.is_caught(self.function, one.cause)]
            if later:
                return LosingWay(event, later[0].cause, True, later[0].certainty)
            if own and event.via:
                return None
            if own:
                why = self.otherwise(event, walked)
                if why is None:
                    return None
                certainty = why
        fails = event.kind == "throw" or failure.refuses(self.function, event.value) is True
        return LosingWay(event, self.asked(event, walked) if fails else None, fails, certainty)

    def otherwise(self, exit: e.Event, walked: OwedWalk) -> Certainty | None:
        """How sure it is that an exit, which is taken where the acquisition has failed, is taken where it has not, too,
        by another test of the same condition: `if (!p || n < 3) return -1;`. None where no other one leads there."""
        call, found = walked.acquired.call, list[Certainty]()
        if self.is_released_by_argument(exit, walked):
            return None
        for test, outcome in failure.alternatives(self.function, exit):
            if not walked.live(test.index) or walked.ruled_out(test)[outcome]:
                continue
            cause, certainty = failure.failing(self.function, test, outcome)
            own = cause is not None and is_part_of(call.node, cause.node)
            if not own and certainty is None and not walked.told_by.is_asked(test.value, test):
                found.append(self.said_by_call(test.value, walked.acquired))
        return min(found, key=_ORDER.index) if found else None

    def is_released_by_argument(self, exit: e.Event, walked: OwedWalk) -> bool:
        """Whether something that the call was given is released just before the exit: what it hands out may be a part
        of that, as in `more = list_append(all, text); if (!more || !more->text) { list_free(all); return; }`."""
        given = {name for one in walked.acquired.call.node.args for name in names_in(one)}
        return any(
            walked.start.index < event.index < exit.index
            and any(not given.isdisjoint(names_in(one)) for one in event.node.args)
            and self.flow.dominates(event, exit)
            and bool(self.resources.released(event.node, self.function))
            for event in (self.flow.calls if given else ())
        )

    def said_by_call(self, value: r.Value, acquired: Acquired) -> Certainty:
        """How sure it is that there is something to release where a condition holds. It may ask for what the
        acquisition itself has set: what that was given the address of, a member of its object, or, where no model
        knows the function, anything that is no local."""
        call, local = acquired.call.node, self.function.locals
        given = {name for one in (receiver(call), *call.args) for name in names_in(one) if not self.is_number((name,))}
        given |= {name for one in call.args if isinstance(strip(one), r.Unary) for name in names_in(one)}
        asked = names_in(value)
        seen = acquired.acquisition.is_modelled or call.kind == "new" or asked <= local.keys()
        if "errno" in asked or not given.isdisjoint(asked) or not seen:
            made, told = called(call), text(value)
            return because("possible", f"harmless if `{made}` returns nothing when `{told}` reports a failure")
        return because("path", skipping(spelled(self.function, acquired.place)))

    def asked(self, leave: e.LeaveEvent, walked: OwedWalk) -> e.CallEvent | None:
        """The call whose answer decides about the exit, which is not one that is known to have worked there."""
        for test, outcome in islice(self.flow.guards(leave), _NEAREST):
            if failure.failing(self.function, test, not outcome)[1] is not None:
                continue
            found = (self.flow.call_of(call) for call in calls_in(test.value))
            inside = [
                call
                for call in found
                if call is not None and walked.live(call.index) and not failure.asks(self.function, call)
            ]
            if inside:
                return inside[0]
        return None

    def jumps(self, macro: str) -> bool:
        """Whether a macro of the project leaves by a `goto`."""
        return any(re.search(r"\bgoto\b", one.body) for one in self.function.program.macros.named(macro))

    def is_unwound(self, event: e.End) -> bool:
        before = self.flow.predecessors[event.index]
        return any(isinstance(mark := self.flow.events[i], e.Mark) and mark.what == "catch" for i, _ in before)

    def jump(self, leave: e.LeaveEvent, walked: OwedWalk) -> failure.Failure | None:
        """The failing `goto` by which the way came."""
        self.failures()
        if not self._jumps:
            return None
        found = walked.passed(leave.index, sorted(self._jumps))
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
            self._throws = {}
            for failed in failure.thrown(self.function):
                why = f"harmless if {failure.work(self.function, failed.cause)} never throws for what it is given here"
                said = because("value", why) if failed.certainty == "possible" else failed.certainty
                self._throws[failed.leave.index] = said
                if failed.cause is not None:
                    self._causes[failed.leave.index] = failed.cause
            for call in self.flow.calls:
                if self.is_python(call.node) and not exceptions.is_caught(self.function, call):
                    self._throws[call.index] = because(
                        "exception", f"this happens only if `{called(call.node)}` throws"
                    )
        return self._throws

    @cached_property
    def throwing(self) -> list[int]:
        return sorted(self.throws())

    def is_python(self, call: r.Call) -> bool:
        """Whether a Python object is called: `callback(x)`, `module.attr("f")(x)`."""
        callee = strip(call.callee)
        if call.kind != "call" or not isinstance(callee, r.Name | r.Member | r.Call):
            return False
        if isinstance(callee, r.Call):
            return last_name(callee.callee) == "attr"
        if isinstance(callee, r.Name) and callee.text not in self.function.declared:
            return False
        roles = self.function.program.types.roles(self.function.program.types.of(callee, self.function), self.function)
        return "python object" in roles or "python handle" in roles

    # --- what a container has gathered ---

    def gathered(self, live: list[OwedWalk]) -> Iterator[HandleLoss]:
        told: set[Place] = set()
        for event in self.flow:
            if not isinstance(event, e.CallEvent | e.Write):
                continue
            found = self.put(event, live)
            if found is None or found.place in told:
                continue
            walked = self.walk(found)
            if walked is None:
                told.add(found.place)
                continue
            if self.ways(walked):
                walked = self.again(walked)
            failing = [way for way in self.ways(walked) if way.fails and way.certainty != "possible"]
            if failing and (walked.ended or walked.is_unsure):
                told.add(found.place)
                why = because("path", f"this happens only if {_fails(self.function, failing[0], event)}")
                certainty = weaker(found.certainty, why, self.best(failing))
                ended = next(iter(walked.ended), None)
                name = spelled(self.function, found.place)
                yield HandleLoss("gathered", name, event, found.acquisition, tuple(failing), ended, certainty)
            elif found.known and not walked.ended and not walked.is_unsure and self.is_nowhere_else(event, found.place):
                ways = [way for way in self.ways(walked) if way.certainty != "possible"]
                if ways and not any(walked.live(index) for index in walked.blurred):
                    told.add(found.place)
                    name = spelled(self.function, found.place)
                    shared = because("sharing", f"something else may refer to the objects in `{name}` and release them")
                    certainty = weaker(found.certainty, shared, self.best(ways))
                    yield HandleLoss("collected", name, event, found.acquisition, tuple(ways), None, certainty)

    def is_nowhere_else(self, put: e.CallEvent | e.Write, container: Place) -> bool:
        """Whether only the container leads to what is put into it: it is made on the spot, or the local that held it is
        not read any more."""
        said = names_at(self.function)
        given = put.node.args if isinstance(put, e.CallEvent) else (put.value,)
        for name in {inner.text for one in given if isinstance(inner := strip(one), r.Name)}:

            def is_set_anew(event: e.Event, name: str = name) -> bool:
                return isinstance(event, e.Write) and event.place == (name,) and name not in names_in(event.value)

            later = self.flow.after(put, is_set_anew)
            if any(
                name in said[event.index]
                and event is not put
                and not isinstance(event, e.End)
                and not is_set_anew(event)
                for event in later
            ):
                return False
        return True

    # --- what a container still holds when the loop is left that releases its elements ---

    def rests(self) -> Iterator[HandleLoss]:
        known = self.function.locals if _may_leave_rest(self.function) else {}
        raw = [
            name for name, (written, _) in known.items() if ("*" in written or "<" in written) and self.gathers(name)
        ]
        if not raw:
            return
        loops = {one.span: one for one in self.function.statements if isinstance(one, r.Loop)}
        for head in self.flow.of(e.Mark):
            loop = loops.get(head.span) if isinstance(head, e.Mark) and head.what == "loop" else None
            released = list(self.in_each_round(loop, head)) if loop is not None else []
            for name in raw if released else ():
                if loop is None or not self.is_said_in(loop, name):
                    continue
                found = self.rest(
                    Acquired(released[0], head, (name,), _REST, "certain", several=True, rest=loop), released
                )
                if found is not None:
                    yield found

    def is_said_in(self, loop: r.Loop, name: str) -> bool:
        """Whether anything in the loop is about what the local has, by its name or by another one for it."""
        names = {name, *(other for other, bound in self.flow.aliases.items() if bound[0] == name)}
        said = names_at(self.function)
        return any(event.span.start in loop.span and not names.isdisjoint(said[event.index]) for event in self.flow)

    def in_each_round(self, loop: r.Loop, head: e.Event) -> Iterator[e.CallEvent]:
        """What releases something in the loop, and no round goes on to the next one past it."""
        back = [self.flow.events[one] for one, _ in self.flow.predecessors[head.index] if one > head.index]
        for call in self.flow.calls:
            is_inside = call.span.start in loop.span and all(self.flow.dominates(call, one) for one in back)
            if is_inside and self.resources.released(call.node, self.function):
                yield call

    def rest(self, acquired: Acquired, released: list[e.CallEvent]) -> HandleLoss | None:
        """The loss of what is behind the element that a round of a loop releases, where a failure leaves the loop."""
        walked = self.walk(acquired)
        ending = next((one for one in released if walked is not None and one.index in walked.of_elements), None)
        if walked is None or ending is None:
            return None
        on_elements = (self.flow.events[index] for index in walked.of_elements)
        if any(isinstance(one, e.CallEvent) and takes(last_name(one.node.callee)) for one in on_elements):
            return None  # `one->Ref(); ...; one->Unref();`: the rounds themselves take what they release
        failing = [way for way in self.ways(self.again(walked)) if way.fails]
        if not failing:
            return None
        why = because("path", f"this happens only if {_fails(self.function, failing[0])}")
        certainty = weaker(why, self.best(failing))
        return HandleLoss("rest", acquired.place[0], ending, None, tuple(failing), None, certainty)

    def put(self, event: e.CallEvent | e.Write, live: list[OwedWalk]) -> Acquired | None:
        """What the local container that an event puts a handle into holds from there on."""
        given: tuple[r.Value, ...]
        match event:
            case e.CallEvent(dropped="statement") if (lent := self.put_before(event)) is not None:
                given, root = (event.node,), lent
            case e.CallEvent(receiver=(root,)) if self.puts(event):
                given = event.node.args
            case e.Write(place=(root, step), value=value) if step.startswith("[") and value is not None:
                given = (value,)
            case _:
                return None
        if event.index not in self.flow.reachable or not self.gathers(root):
            return None
        for argument in given:
            if (found := self.held_by(argument, event, live)) is not None:
                certainty, acquisition, known = found
                return Acquired(_call_of(event), event, (root,), acquisition, certainty, known=known, several=True)
        return None

    def puts(self, event: e.CallEvent) -> bool:
        return last_name(event.node.callee) in self.function.program.models.containers.puts

    def put_before(self, event: e.CallEvent) -> str | None:
        """The container that holds what an owner gives up here: `all.push_back(one.get()); one.release();`."""
        owner = receiver(event.node)
        if not isinstance(owner, r.Name) or self.handing.gives_up(event.node, self.function) is None:
            return None
        for before in self.flow.calls:
            match before.receiver:
                case (root,) if before.index < event.index and self.puts(before) and self.flow.dominates(before, event):
                    if any(self.is_lent_by(value, owner.text) for value in before.node.args):
                        return root
        return None

    def is_lent_by(self, value: r.Value, owner: str) -> bool:
        """`owner.get()`."""
        call = strip(value)
        on = receiver(call) if isinstance(call, r.Call) else None
        if not isinstance(call, r.Call) or not isinstance(on, r.Name) or on.text != owner:
            return False
        models = self.function.program.calls.callee(call, self.function).models
        return any(model.has("borrow", "result") for model in models)

    def held_by(
        self, value: r.Value, event: e.Event, live: list[OwedWalk]
    ) -> tuple[Certainty, Acquisition, bool] | None:
        """The acquisition behind what is put in, made on the spot or held by a local until now; how sure it is, and
        whether all classes of what is made are known."""
        inner = strip(value)
        if isinstance(inner, r.Call):
            made = self.handed_out(inner)
            if made is not None and made[0].where.kind == "result" and not self.looks_after_itself(inner):
                return made[1], made[0], self.is_known(inner, made[0])
            if inner.kind != "construct":
                return None
        for walked in live:
            if walked.live(event.index) & (HELD | PASSED) and event.index in walked.put:
                return walked.acquired.certainty, walked.acquired.acquisition, walked.acquired.known
        return None

    def gathers(self, root: str) -> bool:
        """Whether a local is a container, or an array, that ends without ending what is in it."""
        function = self.function
        written = function.locals.get(root, ("", None))[0]
        if not written or "&" in written or root in function.parameter_names:
            return False
        if written.rstrip().endswith("]"):
            return not any(isinstance(s, r.Declare) and s.static and root in s.names for s in function.statements)
        kind = types.parse(written)
        if kind.pointers or "container" not in function.program.types.roles(written, function):
            return False
        if is_copying(written, function):
            return False
        return not self.resources.owns_elements(written, function.file, function.record.scope)


def _call_of(event: e.CallEvent | e.Write) -> e.CallEvent:
    """The event as the call that begins a walk; a write has none, and stands for itself."""
    if isinstance(event, e.CallEvent):
        return event
    made = e.CallEvent(event.span, r.Call(event.span.start, event.span.end, r.Name(0, 0, ""), ()))
    made.index = event.index
    return made


def _wraps(part: r.Value, call: r.Call) -> bool:
    return isinstance(part, r.Call) and any(inner is call for inner in walk(part))


def _is_silent(roles: tuple[str, ...]) -> bool:
    return not roles or set(roles) <= {"handle"}


def _hands_itself_over(cls: Class) -> bool:
    """Whether a constructor gives `this` to somebody, or a method deletes it."""
    return any(
        gives_itself(method)
        for method in cls.methods
        if method.record.kind == "constructor" or (method.record.kind == "method" and method.mentions("delete"))
    )


def _sure(how: int, walked: OwedWalk, at: e.Event) -> Certainty:
    """That it is still held."""
    acquired = walked.acquired
    if how & HELD or (how & PASSED and acquired.certainty == "likely"):
        return "certain"
    if how & PASSED:
        events = (walked.flow.events[index] for index, use in walked.uses.items() if use == "unknown")
        calls = [event for event in events if isinstance(event, e.CallEvent) and event.index < at.index]
        callee = f"`{called(calls[0].node)}`" if calls else "a function that it is passed to"
        return because("unread-code", f"harmless if {callee} takes ownership of `{render(acquired.place)}`")
    return because("possible", f"ownership of `{render(acquired.place)}` may have been taken by then")


def _parts(value: r.Value | None) -> Iterator[r.Value]:
    """The value and what it chooses between or is wrapped around."""
    inner = strip(value)
    if inner is None:
        return
    yield inner
    if isinstance(inner, r.Conditional):
        yield from _parts(inner.then)
        yield from _parts(inner.other)
    elif isinstance(inner, r.Unary):
        yield from _parts(inner.value)
    elif isinstance(inner, r.Call) and inner.kind == "macro":
        for argument in children(inner)[1:]:
            yield from _parts(argument)


def _is_behind_arrow(value: r.Value | None) -> bool:
    """Whether it is a part of what a pointer or an iterator leads to: nothing that ends with the call."""
    inner = strip(value)
    while isinstance(inner, r.Member):
        if inner.arrow:
            return True
        inner = strip(inner.base)
    return False


# --- owners that let go ---


_MAKERS = frozenset({"make_unique", "make_unique_for_overwrite"})


class GivenUp(NamedTuple):
    name: str
    """The owner."""
    at: e.CallEvent
    made: e.Event
    """Where it gets what it gives up."""


def given_up(function: Function) -> Iterator[GivenUp]:
    """Of locals that are made around a new object, and whose pointer nobody asks for: who keeps it on purpose says so
    in a comment, by a cast to void, or gives it to somebody before."""
    found = handing(function.program)
    if found.giving_up.isdisjoint(function.mentioned):
        return
    for event in function.flow.calls:
        on = receiver(event.node)
        if event.dropped != "statement" or not isinstance(on, r.Name) or on.text not in function.locals:
            continue
        if found.gives_up(event.node, function) != "certain" or function.has_comment_near(event.span):
            continue
        made = [write for write in function.flow.writes_to((on.text,)) if write.fresh]
        if len(made) == 1 and _makes(made[0].value) and not _is_seen(function, on.text, event):
            yield GivenUp(on.text, event, made[0])


def _makes(value: r.Value | None) -> bool:
    """`new T`, `unique_ptr<T>(new T)`, `make_unique<T>()`: nobody else has it."""
    inner = strip(value)
    match inner:
        case r.Call(kind="new"):
            return True
        case r.Call(callee=callee) if last_name(callee) in _MAKERS:
            return True
        case r.Call(kind="construct", args=(only,)) | r.Call(callee=r.Name(), args=(only,)):
            return _makes(only)
    return False


def _is_seen(function: Function, name: str, but: e.CallEvent) -> bool:
    """Whether a call gets the owner, or is made on the object, or the owner is given to something: who does may have
    the pointer."""
    for event in function.flow:
        match event:
            case e.CallEvent(node=node) if event is not but and name in names_in(node):
                return True
            case e.Write(value=value, fresh=False) | e.LeaveEvent(value=value) if name in names_in(value):
                return True
            case e.Write(value=value, place=place) if place != (name,) and name in names_in(value):
                return True
    return False
