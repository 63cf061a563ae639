"""What the project's own functions do with handles: release a parameter, store it, hand out an owned one.

Read off the bodies as they are written, without asking in which order things run: a function that releases its
parameter on some path takes the duty over. Functions that call each other are read again until nothing changes;
answers only ever grow, so that ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ownlint.engine.copying import is_copied_into, is_copying
from ownlint.facts import records as r
from ownlint.finding import Certainty
from ownlint.flow import events as e
from ownlint.flow.bodies import bound_names, statements, values
from ownlint.flow.places import THIS, around, is_name, last_name, receiver, strip, walk
from ownlint.project import types
from ownlint.project.questions import GrowingNotes, noting, read
from ownlint.steps import LimitError, looks_at, spend

if TYPE_CHECKING:
    from ownlint.engine.resources import Acquisition, Resources
    from ownlint.project.subjects import Class, Function

OWNING = frozenset({"scoped owner", "smart pointer", "shared pointer", "intrusive pointer", "cleanup", "python object"})
"""Roles of the types that end what they hold."""

RECEIVER = -1
NUMBERS = (types.SCALARS - {"int"}) | {"string", "string_view", "void", "auto"}
"""Last names of types that are no handles, whatever stands for them."""
_BASES = 8
"""So many classes one above the other are followed."""
_PAIRS = frozenset({"make_pair", "pair", "make_tuple", "tuple", "value_type", "exchange"})
_DEEPEST = 16
"""So many functions are read inside of each other."""
_MOST_READINGS = 12
"""Of one function; only a knot of functions that call each other gets there, and what is known by then is kept."""


Part = tuple[int, str]
"""A parameter, counted from 0, and the name of a member of the struct that it is or points to."""


class Duty(NamedTuple):
    """What a call of one function does, parameters counted from 0 and the receiver as -1."""

    released: frozenset[int] = frozenset()
    adopted: frozenset[int] = frozenset()
    """Put into something that ends it: a smart pointer, a member that the class releases."""
    stored: frozenset[int] = frozenset()
    """Put into a member, a container or behind a pointer, and nobody says who ends it."""
    returned: frozenset[int] = frozenset()
    made: Acquisition | None = None
    """The result is an owned handle that was acquired here and is nowhere else."""
    outs: tuple[tuple[int, Acquisition], ...] = ()
    """The parameters through which an owned handle comes out."""
    strangers: frozenset[int] = frozenset()
    """Given to a callee that nobody sees."""
    parts: frozenset[Part] = frozenset()
    """The members of what is given that are released: of the struct around a handle."""
    kept_parts: frozenset[Part] = frozenset()
    """The members of what is given that are put somewhere that lives on; all of them where the name is empty."""


NOTHING = Duty()


class DutySource(NamedTuple):
    """What a value may be: a parameter, or what an acquisition handed out."""

    parameter: int
    made: Acquisition | None = None
    at: int = -1


class Duties:
    """The duties of all functions that were asked about, and of what they call: one fixpoint over the call graph.

    What a function calls is read before the rest of the function, so that most are read once. Where functions call each
    other in a circle, or in a long chain, one is read with what is known of its callees so far, and again when one of
    them turns out to do more.
    """

    NOTED = ("_known", "_notes", "_callers", "_waiting", "_readings", "_reading", "_inside")

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self._known: dict[Function, Duty] = {}
        self._notes: dict[Function, GrowingNotes] = {}
        self._callers: dict[Function, set[Function]] = {}
        self._waiting: list[Function] = []
        self._readings: dict[Function, int] = {}
        self._reading: Function | None = None
        self._inside = 0
        """How many functions are being read around the one that is."""

    def of(self, function: Function) -> Duty:
        if self._reading is not None:
            self._callers.setdefault(function, set()).add(self._reading)
        notes = self._notes.setdefault(function, GrowingNotes())
        read(notes)
        if function not in self._known:
            self._known[function] = NOTHING
            with noting() as rests_on:
                can_do = function.language == "cpp" and self._can_do_anything(function)
            notes.rest_on(rests_on)
            if can_do and self._reading is not None and self._inside < _DEEPEST:
                self._read(function)
            elif can_do:
                self._waiting.append(function)
        if self._reading is None:
            self._settle()
        return self._known[function]

    @property
    def is_settling(self) -> bool:
        """Whether a body is being read, and answers may still grow."""
        return self._reading is not None

    def _settle(self) -> None:
        while self._waiting:
            self._read(self._waiting.pop())

    def _read(self, function: Function) -> None:
        self._readings[function] = self._readings.get(function, 0) + 1
        if self._readings[function] > _MOST_READINGS:
            return
        around, self._reading = self._reading, function
        self._inside += around is not None
        looks_at(function, function.path)
        try:
            with noting() as rests_on:
                found = Reading(function, self.resources).read()
        except LimitError:
            if around is not None:  # that one is not to blame, and is read by whoever asks next
                self._waiting.append(around)
            raise
        finally:
            self._reading = around
            self._inside -= around is not None
            self._notes[function].rest_on(rests_on)
        if around is not None:
            looks_at(around, around.path)
        if found != self._known[function]:
            self._known[function] = found
            callers = self._callers.get(function, set()) - {*self._waiting, around}  # that one has not seen it yet
            self._waiting += sorted(callers, key=lambda caller: (caller.path, caller.index))

    def _can_do_anything(self, function: Function) -> bool:
        """Whether there is a handle that the function could do something with; needs no decoding."""
        record = function.record
        return (
            any(may_be_handle(parameter.type) for parameter in record.parameters)
            or self.resources.may_acquire(function)
            or self.resources.may_end_itself(function)
        )


class HandedToHelper(NamedTuple):
    """A handle is given to a function of the project that keeps it: as argument `parameter`, from 0."""

    call: r.Call
    parameter: int
    source: DutySource


class Put(NamedTuple):
    """An acquired handle is put somewhere that lives on: `target` is what is assigned to, the container that is called
    or, of a constructor, the name of the member. `at` is the offset of the call that acquired it."""

    node: r.Node
    target: r.Value | str
    made: Acquisition
    at: int
    element: bool


class Reading:
    """One function's body, read once from top to bottom."""

    def __init__(self, function: Function, resources: Resources) -> None:
        self.function = function
        self.resources = resources
        self.names: dict[str, set[DutySource]] = {}
        self.ends_itself = resources.may_end_itself(function)
        if self.ends_itself:
            self.names[THIS] = {DutySource(RECEIVER)}
        self.statics: set[str] = set()
        self.members: dict[str, set[Part]] = {}
        """The locals that hold a member of a parameter."""
        self.parts: set[Part] = set()
        self.kept_parts: set[Part] = set()
        for index, parameter in enumerate(function.record.parameters):
            if parameter.name and may_be_handle(parameter.type):
                self.names[parameter.name] = {DutySource(index)}
        self.acquires = resources.may_acquire(function) or bool(function.record.initializers)
        self.calls: dict[int, set[DutySource]] = {}
        self.released: set[int] = set()
        self.adopted: set[int] = set()
        self.stored: set[int] = set()
        self.returned: set[int] = set()
        self.strangers: set[int] = set()
        self.given_away: set[int] = set()
        """Where acquisitions start that somebody else got, too."""
        self.ended: dict[int, set[int]] = {}
        """By where acquisitions start, the calls that release them, by where those start."""
        self.made: list[tuple[int, Acquisition, int]] = []
        """What is returned: where it was acquired, what it is, and where it is returned."""
        self.puts: list[Put] = []
        self.kept: list[tuple[int, r.Node, r.Value | str]] = []
        """Parameters that are put somewhere that lives on: what does it, and where it is put."""
        self.handed: list[HandedToHelper] = []
        self.elsewhere: dict[int, set[int]] = {}
        """By where acquisitions start, the calls that release or adopt them, or may take them: where those start, or -1
        for what a lambda takes along."""
        self.borrowed_results = 0
        self.outs: dict[int, Acquisition] = {}
        self.come_out: set[int] = set()
        """Where acquisitions start that come out through a parameter."""
        self.counted: list[tuple[int, DutySource]] = []
        """Parameters that the body counts a reference to."""
        self.uncounted: dict[str, list[r.Assign]] = {}
        """By the local, the assignments that put it somewhere before a reference to it is counted."""

    def read(self) -> Duty:
        for initializer in self.function.record.initializers:
            self.initialise(initializer)
        if self.names or self.acquires:
            for statement in statements(self.function.body):
                self.calls.clear()
                self.statement(statement)
        for index, source in self.counted:
            self.comes_out(index, {source})
        returned = {at for at, _, _ in self.made}
        self.puts = [one for one in self.puts if not (one.made.is_counted and one.at in returned)]
        made = [one for at, one, by in self.made if at not in self.given_away and not self.is_ended_before(at, by)]
        owns = made and len(made) == len(self.made) and not self.borrowed_results and self.is_raw_result()
        return Duty(
            frozenset(self.released),
            frozenset(self.adopted - self.released),
            frozenset(self.stored - self.released - self.adopted),
            frozenset(self.returned),
            made[0] if owns else None,
            tuple(sorted(self.outs.items())),
            frozenset(self.strangers),
            frozenset(self.parts),
            frozenset(self.kept_parts),
        )

    def is_ended_before(self, at: int, returned: int) -> bool:
        """Whether some way leads from a release of what was acquired to where it is returned: one that ends it where
        the function fails does not."""
        by = self.ended.get(at)
        if not by:
            return False
        flow = self.function.flow

        def returns(event: e.Event) -> bool:
            value = event.value if isinstance(event, e.LeaveEvent) else None
            return value is not None and value.start <= returned < value.end

        def acquires(event: e.Event) -> bool:
            return isinstance(event, e.CallEvent) and event.node.start == at

        ends = [call for call in flow.calls if call.node.start in by]
        return {call.node.start for call in ends} != by or any(
            flow.path(end, returns, acquires) is not None for end in ends
        )

    def is_raw_result(self) -> bool:
        program, function = self.resources.program, self.function
        written = program.calls.inferred_result(function) or function.record.result
        if types.parse(written).arguments:
            status = program.models.status(written, program.names.scopes(function))
            is_optional = status is None and "optional" in program.types.roles(written, function)
            if is_optional or (status is not None and status.model.carries_value):
                written = types.parse(written).arguments[0]
        return self.resources.raw(written, function) is not None

    # --- statements ---

    def initialise(self, initializer: r.Initializer) -> None:
        for argument in initializer.args:
            self.look(argument)
            sources = self.sources(argument)
            if sources and not is_copied_into(self.function, initializer.name):
                self.put(sources, self.is_owned_member(initializer.name), initializer, initializer.name)

    def statement(self, statement: r.Statement) -> None:
        for value in values(statement):
            self.look(value)
        match statement:
            case r.Declare(names=(name,)) if statement.value is not None:
                if statement.static:
                    self.statics.add(name)
                    self.give_away(self.sources(statement.value))
                else:
                    self.declare(name, statement.type, statement.value)
            case r.Loop(kind="range", target=target, iterable=iterable):
                sources = self.sources(iterable)
                for name in bound_names(target):
                    self.names.setdefault(name, set()).update(sources)
            case r.Leave(kind="return") if statement.value is not None:
                self.returns(statement.value)

    def declare(self, name: str, written: str, value: r.Value) -> None:
        if isinstance(value, r.Call) and value.kind == "construct" and len(value.args) == 1:
            roles = self.resources.program.types.roles(written, self.function)
            if not roles and (types.parse(written).pointers or types.parse(written).is_placeholder):
                value = value.args[0]
        sources = self.sources(value)
        if sources and not is_copying(written, self.function):
            self.names.setdefault(name, set()).update(sources)
        if part_of := self.part_of(value):
            self.members.setdefault(name, set()).update(part_of)

    def returns(self, value: r.Value) -> None:
        inner = strip(value)
        if isinstance(inner, r.Conditional):
            self.returns(inner.then)
            self.returns(inner.other)
            return
        sources = self.sources(value)
        if not sources and not (isinstance(inner, r.Literal) or _is_failure(inner)):
            self.borrowed_results += 1
        for source in in_order(sources):
            if source.made is not None:
                self.made.append((source.at, source.made, value.start))
            else:
                self.returned.add(source.parameter)
                self.borrowed_results += 1

    # --- expressions ---

    def look(self, value: r.Value) -> None:
        """What the calls and assignments inside an expression do."""
        for inner in walk(value):
            if type(inner) is r.Call:
                self.call(inner)
            elif type(inner) is r.Assign and inner.op in ("=", ":="):
                self.assign(inner)
            elif type(inner) is r.Assign or type(inner) is r.Binary:
                self.operator(inner)
            elif type(inner) is r.Lambda:
                self.captured(inner)

    def operator(self, value: r.Assign | r.Binary) -> None:
        """What an operator of the project does with its right operand."""
        right = value.value if isinstance(value, r.Assign) else value.right
        if self.sources(right) or self.sources(pointed(right)):
            made = self.resources.program.calls.operator_call(value, self.function)
            if made is not None:
                self.call(made)

    def assign(self, assign: r.Assign) -> None:
        sources = self.sources(assign.value)
        target, value = assign.target, strip(assign.value)
        if self.lives_on(target):
            self.kept_parts.update(part for part in self.part_of(value) if not self.is_of(target, part[0]))
        if isinstance(value, r.Name) and isinstance(target, r.Member) and value.text in self.function.declared:
            self.uncounted.setdefault(value.text, []).append(assign)
        elif isinstance(target, r.Name):
            self.uncounted.pop(target.text, None)
        if not sources or is_copying(self.resources.program.types.of(target, self.function), self.function):
            return
        if isinstance(target, r.Name) and target.text in self.function.declared:
            if target.text in self.statics:
                self.give_away(sources)
            elif "*&" in self.parameter_type(target.text) and (index := self.parameter(target.text)) is not None:
                self.comes_out(index, sources)
            elif self.is_lasting_reference(target.text):
                self.put(sources, self.owns(self.resources.program.types.of(target, self.function)), assign, target)
            else:
                self.names.setdefault(target.text, set()).update(sources)
            return
        if isinstance(target, r.Unary) and target.op == "*" and isinstance(target.value, r.Name):
            index = self.parameter(target.value.text)
            if index is not None:
                self.comes_out(index, sources)
                self.stored.update(source.parameter for source in sources if source.made is None)
                return
        given = {one for one in sources if one.made is None and one.parameter != RECEIVER}
        self.put(sources - given if self.is_in_local(target) else sources, self.keeps(target), assign, target)
        self.carries(target, sources)

    def carries(self, target: r.Value, sources: set[DutySource]) -> None:
        """A plain struct in a local, of which one member gets a handle, has it wherever it is put: `w.scratch = p;
        workspaces_[layer] = w;`."""
        root, _ = around(target)
        if isinstance(root, r.Name) and self.is_in_local(target):
            carried = (one for one in sources if one.parameter != RECEIVER or one.made is not None)
            self.names.setdefault(root.text, set()).update(carried)

    def is_in_local(self, target: r.Value | str) -> bool:
        """Whether it is a member of a plain struct that is a local itself."""
        if isinstance(target, str) or not isinstance(strip(target), r.Member):
            return False
        root, is_far = around(target)
        if is_far or not isinstance(root, r.Name) or root.text not in self.function.locals or root.text in self.statics:
            return False
        written = self.function.locals[root.text][0]
        return types.parse(written).is_value and self.is_plain_class(written)

    def lives_on(self, target: r.Value) -> bool:
        """Whether a place is there when the call is over, as far as one sees: a member that is reached through a
        pointer or belongs to the object, what a pointer leads to, a global."""
        inner, is_far = around(target)
        if isinstance(inner, r.Unary):
            return inner.op == "*"
        if is_far or not isinstance(inner, r.Name):
            return is_far
        declared = inner.text in self.function.declared
        return not declared or inner.text in self.statics or self.is_lasting_reference(inner.text)

    def is_of(self, target: r.Value, parameter: int) -> bool:
        """Whether a place is reached by way of the parameter."""
        inner = strip(target)
        while isinstance(inner, r.Member | r.Index | r.Unary):
            inner = strip(inner.value if isinstance(inner, r.Unary) else inner.base)
        return isinstance(inner, r.Name) and DutySource(parameter) in self.names.get(inner.text, ())

    def keeps(self, target: r.Value) -> bool:
        """Whether a place ends what is put there: by its type, or by the destructor of its class."""
        name = last_name(target) if not isinstance(target, r.Index) else last_name(target.base)
        written = self.resources.program.types.of(target, self.function)
        return self.owns(written) or (_is_member(target) and self.is_released_member(name))

    def is_lasting_reference(self, name: str) -> bool:
        """Whether a local is another name for what is there when the call is over: `auto& slot = slots_[key]`."""
        written, initial = self.function.locals.get(name, ("", None))
        kind = types.parse(written)
        if not kind.reference or kind.const or written.endswith("&&"):
            return False
        inner, is_far = around(initial)
        if is_far or not isinstance(inner, r.Name):
            return is_far
        root = types.parse(self.function.locals.get(inner.text, ("&", None))[0])
        return inner.text not in self.function.declared or bool(root.pointers) or root.reference

    def is_lasting_address(self, name: str) -> bool:
        """Whether a local is the address of what is there when the call is over: `Node** slot = &slots_[key]`."""
        initial = strip(self.function.locals.get(name, ("", None))[1])
        if not isinstance(initial, r.Unary) or initial.op != "&" or self.parameter(name) is not None:
            return False
        return not isinstance(strip(initial.value), r.Name) and self.lives_on(initial.value)

    def comes_out(self, index: int, sources: set[DutySource]) -> None:
        for source in in_order(sources):
            if source.made is not None and not source.made.is_counted:
                self.come_out.add(source.at)
            if source.made is not None and source.at not in self.given_away and source.at not in self.ended:
                self.outs.setdefault(index, source.made)

    def call(self, call: r.Call) -> None:
        made = self.resources.acquisition(call, self.function) if self.acquires else None
        if made is not None and made.where.kind == "argument" and made.where.index < len(call.args):
            self.hands_out(call, made)
        args = [(index, arg) for index, arg in enumerate(call.args) if type(arg) is not r.Literal]
        given = [(index, sources) for index, arg in args if (sources := self.sources(arg))]
        on = self.sources(receiver(call)) if isinstance(call.callee, r.Member) else set()
        parts = [(index, found) for index, arg in args if (found := self.part_of(arg))]
        if self.ends_itself and isinstance(call.callee, r.Name) and call.kind == "call":
            on = {DutySource(RECEIVER)}  # a method of our own, perhaps
        linked = [(index, whole) for index, arg in args if (whole := self.whole_behind(arg))]
        if not (given or on or parts or linked):
            return
        if self.is_carrier(call):
            return
        ended = self.resources.released(call, self.function)
        sure = {one.where.index for one in ended if one.where.kind == "argument" and one.certainty != "possible"}
        self.parts.update(part for index, found in parts if index in sure for part in found)
        done = {one.where.index for one in ended if one.where.kind == "argument"}
        for index, found in parts:
            if index not in done and self.resources.taken(call, self.function, index) in ("adopted", "kept"):
                self.kept_parts |= found
        self.parts_of_given(call, given)
        for index, whole in linked:
            if self.resources.keeps_by_part(call, self.function, index):
                self.put(whole, False)
                self.goes_elsewhere(whole, call.start)
        for one in ended:
            if one.where.kind == "receiver":
                if isinstance(call.callee, r.Member) or one.certainty != "possible":
                    self.end(on, one.certainty, call)
            elif one.where.index < len(call.args):
                self.end(self.sources(call.args[one.where.index]), one.certainty, call)
        for index, sources in given:
            if index in done:
                continue
            if self.is_copied_out(call, index):
                self.put(sources, False)
                self.goes_elsewhere(sources, call.start)
                continue
            taking = self.resources.taken(call, self.function, index)
            if (
                taking == "kept"
                and call.kind == "call"
                and self.resources.program.calls.callee(call, self.function).functions
            ):
                self.put(sources, False)
                self.handed += [HandedToHelper(call, index, one) for one in in_order(sources)]
            elif taking == "kept" and isinstance(call.callee, r.Member) and call.kind == "call":
                self.put(sources, self.is_own_released(call.callee.base), call, call.callee.base)
            elif taking in ("adopted", "kept"):
                self.put(sources, taking == "adopted")
                self.goes_elsewhere(sources, call.start)
            elif taking == "unknown":
                self.strangers.update(source.parameter for source in sources if source.made is None)
                if self.resources.may_take_unseen(call, self.function, index):
                    self.give_away(sources)
                    self.goes_elsewhere(sources, call.start)

    def is_copied_out(self, call: r.Call, index: int) -> bool:
        """Whether a pointer itself is copied to somewhere else: `memcpy(slot, &data, sizeof(data))`."""
        inner = strip(call.args[index])
        return (
            isinstance(inner, r.Unary)
            and inner.op == "&"
            and self.is_pointer(inner.value)
            and self.resources.copies_struct(call, self.function, index)
        )

    def parts_of_given(self, call: r.Call, given: list[tuple[int, set[DutySource]]]) -> None:
        """What a callee does to the members of what it is given."""
        whole = [(index, source.parameter) for index, sources in given for source in sources if source.made is None]
        if not whole:
            return
        for index, parameter in whole:
            if self.resources.copies_struct(call, self.function, index):
                self.kept_parts.add((parameter, ""))
        for target in self.resources.program.calls.callee(call, self.function).functions:
            duty = self.resources.duties.of(target)
            for index, parameter in whole:
                self.parts.update((parameter, name) for at, name in duty.parts if at == index)
                self.kept_parts.update((parameter, name) for at, name in duty.kept_parts if at == index)

    def hands_out(self, call: r.Call, made: Acquisition) -> None:
        """The call writes an owned handle where the argument points to."""
        target = strip(call.args[made.where.index])
        source = DutySource(RECEIVER, made, call.start)
        if made.is_counted:
            if isinstance(target, r.Name) and target.text in self.function.declared:
                self.counts(target.text, source)
            return
        is_address = isinstance(target, r.Unary) and target.op == "&"
        inner = strip(target.value) if isinstance(target, r.Unary) and is_address else target
        if not isinstance(inner, r.Name) or inner.text not in self.function.declared:
            fills = is_address or self.takes_reference(call, made.where.index)
            if fills and isinstance(inner, r.Name | r.Member | r.Index):
                self.put({source}, self.owns(self.resources.program.types.of(inner, self.function)), call, inner)
                self.carries(inner, {source})
        elif self.is_lasting_reference(inner.text) if is_address else self.is_lasting_address(inner.text):
            self.put({source}, self.owns(self.resources.program.types.of(inner, self.function)), call, inner)
        elif not is_address and (index := self.parameter(inner.text)) is not None:
            self.comes_out(index, {source})
        else:
            self.names.setdefault(inner.text, set()).add(source)

    def counts(self, name: str, source: DutySource) -> None:
        """The local holds a reference of its own from here on, also where it was put somewhere just before."""
        self.names.setdefault(name, set()).add(source)
        if (index := self.parameter(name)) is not None:
            self.counted.append((index, source))
        for assign in self.uncounted.pop(name, ()):
            self.put({source}, self.keeps(assign.target), assign, assign.target)

    def takes_reference(self, call: r.Call, index: int) -> bool:
        records = self.resources.program.calls.callee(call, self.function).records
        return any(index < len(one.parameters) and "&" in one.parameters[index].type for one in records)

    def captured(self, made: r.Lambda) -> None:
        """What a lambda takes along lives on in it, for all we know."""
        for capture in made.captures:
            if capture.name in self.names and not capture.by_reference:
                self.give_away(self.names[capture.name])
                self.goes_elsewhere(self.names[capture.name], -1)
        inner = self.resources.program.index.function_at(self.function.file, made.function)
        if inner is not None and any(inner is one for one in self.function.running_lambdas()):
            self.ended_by(inner, made)

    def ended_by(self, inner: Function, made: r.Lambda) -> None:
        """What a lambda ends of what it captures: a cleanup, more often than not."""
        taken = {capture.name for capture in made.captures}
        hidden = inner.locals.keys() | inner.parameter_names
        takes_all = not taken.isdisjoint("&=")
        seen = {name for name in (*self.names, *self.members) if name in taken or (takes_all and name not in hidden)}
        seen.discard(THIS)
        if not seen:
            return
        reading = Reading(inner, self.resources)
        reading.acquires = False
        reading.names = {name: set(self.names[name]) for name in seen & self.names.keys()}
        reading.members = {name: set(self.members[name]) for name in seen & self.members.keys()}
        for statement in statements(inner.body):
            reading.calls.clear()
            reading.statement(statement)
        self.released |= reading.released
        self.parts |= reading.parts

    # --- what becomes of a source ---

    def end(self, sources: set[DutySource], certainty: Certainty, call: r.Call) -> None:
        """A release that only a name speaks of is a place out of sight where the handle went."""
        if certainty == "possible":
            self.put(sources, False)
        else:
            self.released.update(source.parameter for source in sources if source.made is None)
            for source in sources:
                self.ended.setdefault(source.at, set()).add(call.start)
        self.goes_elsewhere(sources, call.start)

    def goes_elsewhere(self, sources: set[DutySource], by: int) -> None:
        for source in sources:
            self.elsewhere.setdefault(source.at, set()).add(by)

    def put(
        self, sources: set[DutySource], owned: bool, node: r.Node | None = None, target: r.Value | str | None = None
    ) -> None:
        if node is not None and target is not None:
            for source in in_order(sources):
                if source.made is not None:
                    is_element = isinstance(node, r.Call) and source.made.where.kind == "result"
                    self.puts.append(Put(node, target, source.made, source.at, is_element))
                else:
                    self.kept.append((source.parameter, node, target))
        found = {source.parameter for source in sources if source.made is None and source.parameter != RECEIVER}
        (self.adopted if owned else self.stored).update(found)
        self.give_away(sources)

    def give_away(self, sources: set[DutySource]) -> None:
        self.given_away.update(source.at for source in sources if source.made is not None)

    def sources(self, value: r.Value | None) -> set[DutySource]:
        """What the value may be, as far as we follow it."""
        found = self._sources(strip(value))
        spend(1 + len(found) // 16)
        return found

    def _sources(self, inner: r.Value | None) -> set[DutySource]:
        match inner:
            case r.Name(text=name):
                return self.names.get(name, set())
            case r.Conditional(then=then, other=other):
                return self.sources(then) | self.sources(other)
            case r.Aggregate(items=items):
                return {source for item in items for source in self.sources(item)}
            case r.Pair(value=paired):
                return self.sources(paired)
            case r.Assign(value=assigned):
                return self.sources(assigned)
            case r.Unary(op="&", value=r.Index(base=block)):
                return found if (found := self.sources(block)) and self.is_pointer(block) else set()
            case r.Unary(op="&", value=operand):
                return {source for source in self.sources(operand) if source.parameter != RECEIVER}
            case r.Binary(op="+" | "-", left=left, right=right):  # who has a pointer inside of a block has the block
                given = ((one, self.sources(one)) for one in (left, right))
                return {source for one, found in given if found and self.is_pointer(one) for source in found}
            case r.Unary(op="*", value=r.Name(text=name)) if "**" in self.parameter_type(name):
                return self.names.get(name, set())
            case (
                r.Unary(op="*", value=around)
                | r.Call(callee=r.Member(base=around, name="value" | "ValueOrDie"), args=())
            ):
                return self.sources(around) if self.carries_value(around) else set()
            case r.Call(kind="macro", args=args) if self.is_unwrapping(inner):
                return {source for argument in args for source in self.sources(argument)}
            case r.Call():
                if id(inner) not in self.calls:  # asked of every call around it, too
                    self.calls[id(inner)] = self.sources_of_call(inner)
                return self.calls[id(inner)]
        return set()

    def is_pointer(self, value: r.Value) -> bool:
        return bool(types.parse(self.resources.program.types.of(value, self.function)).pointers)

    def is_unwrapping(self, call: r.Call) -> bool:
        """Whether a macro answers with what is in the status it is given, or leaves the function."""
        return self.resources.program.macros.role(last_name(call.callee)) in ("assign or return", "return on failure")

    def carries_value(self, value: r.Value) -> bool:
        """Whether it is a status or an optional around a value: `*found` of a `StatusOr`."""
        program, function = self.resources.program, self.function
        if not self.sources(value):
            return False
        written = program.types.of(value, function)
        status = program.models.status(written, program.names.scopes(function))
        if status is not None:
            return status.model.carries_value
        return "optional" in program.types.roles(written, function)

    def part_of(self, value: r.Value | None) -> set[Part]:
        """The members of parameters that the value is; `*parameter` is all of them."""
        inner = strip(value)
        if isinstance(inner, r.Name):
            return self.members.get(inner.text, set())
        if isinstance(inner, r.Conditional):
            return self.part_of(inner.then) | self.part_of(inner.other)
        name = ""
        if isinstance(inner, r.Unary) and inner.op == "*":
            inner = strip(inner.value)
        else:
            if not isinstance(inner, r.Member):
                return set()
            while isinstance(inner, r.Member):
                name, inner = inner.name, strip(inner.base)
        if not isinstance(inner, r.Name) or inner.text == THIS:
            return set()
        return {(source.parameter, name) for source in self.names.get(inner.text, ()) if source.made is None}

    def whole_behind(self, value: r.Value) -> set[DutySource]:
        """What the object may be of which the value is the address of a member: `&request->link`."""
        inner = strip(value)
        if not isinstance(inner, r.Unary) or inner.op != "&":
            return set()
        inner = strip(inner.value)
        if not isinstance(inner, r.Member):
            return set()
        while isinstance(inner, r.Member):
            inner = strip(inner.base)
        return self.names.get(inner.text, set()) if isinstance(inner, r.Name) and inner.text != THIS else set()

    def sources_of_call(self, call: r.Call) -> set[DutySource]:
        made = self.resources.acquisition(call, self.function) if self.acquires else None
        if made is not None and made.where.kind == "result":
            return set() if self.is_hung_on_this(call) else {DutySource(RECEIVER, made, call.start)}
        if self.is_carrier(call):
            return {source for argument in call.args for source in self.sources(argument)}
        if call.kind != "call" or not any(self.sources(arg) for arg in call.args):
            return set()
        through = self.resources.passes_on(call, self.function)
        return {source for index in through if index < len(call.args) for source in self.sources(call.args[index])}

    def is_hung_on_this(self, call: r.Call) -> bool:
        """`new Widget(this, ...)` of a class that nobody shows, or that hands it to such a base: it may hang itself on
        what it is given."""
        if call.kind != "new" or not isinstance(call.callee, r.Name):
            return False
        function, name = self.function, call.callee.text
        cls = self.resources.program.names.find_class(name, function.record.scope, function.file)
        given = [i for i, arg in enumerate(call.args) if is_name(arg, THIS)]
        return any(cls is None or hands_to_unseen_base(cls, index) for index in given)

    def is_carrier(self, call: r.Call) -> bool:
        """Whether the call makes a value of what it is given, and does nothing else with it."""
        return last_name(call.callee) in _PAIRS or (call.kind == "construct" and self.is_plain(call))

    def is_plain(self, call: r.Call) -> bool:
        """`Entry{handle, 3}`, which keeps what it is given and nothing more."""
        return self.is_plain_class(call.callee.text if isinstance(call.callee, r.Name) else "")

    def is_plain_class(self, written: str) -> bool:
        """Whether it names a struct that does nothing when its objects begin and end."""
        if "plain" in self.resources.program.types.roles(written, self.function):
            return True
        cls = self.resources.program.names.find_class(written, self.function.record.scope, self.function.file)
        return cls is not None and not cls.constructors and cls.record.destructor == "implicit"

    # --- members ---

    def is_owned_member(self, name: str) -> bool:
        """Whether a member ends what it is given: by its type, or by the destructor of the class."""
        home = self.function.home
        found = home.field(name) if home is not None else None
        return found is not None and (self.owns(found[1].type) or self.is_released_member(name))

    def owns(self, written: str) -> bool:
        return bool(written) and not OWNING.isdisjoint(self.resources.program.types.roles(written, self.function))

    def is_released_member(self, name: str) -> bool:
        home = self.function.home
        is_its_own = home is not None and home.destructor is self.function
        return not is_its_own and self.resources.end_of(home, name) is not None

    def is_own_released(self, value: r.Value) -> bool:
        """Whether it is a member of the function's own object, whose destructor ends what is in it."""
        match strip(value):
            case r.Name(text=name) if name not in self.function.declared:
                return self.is_released_member(name)
            case r.Member(base=r.Name(text="this"), name=name):
                return self.is_released_member(name)
        return False

    def parameter(self, name: str) -> int | None:
        return next((i for i, p in enumerate(self.function.record.parameters) if p.name == name), None)

    def parameter_type(self, name: str) -> str:
        index = self.parameter(name)
        return "" if index is None else self.function.record.parameters[index].type.replace(" ", "")


def hands_to_unseen_base(cls: Class, index: int, depth: int = _BASES) -> bool:
    """Whether a constructor gives what it gets at the index (from 0) to a base that nobody shows."""
    bases = {types.parse(base.name).last: base.name for base in cls.record.bases}
    for constructor in cls.constructors if depth else ():
        parameters = constructor.record.parameters
        for begun in constructor.record.initializers if index < len(parameters) else ():
            base = bases.get(types.parse(begun.name).last)
            handed = [at for at, argument in enumerate(begun.args) if is_name(argument, parameters[index].name)]
            if base is None or not handed:
                continue
            above = cls.program.names.find_class(base, cls.symbol, cls.file)
            if above is None or any(hands_to_unseen_base(above, at, depth - 1) for at in handed):
                return True
    return False


def in_order(sources: set[DutySource]) -> list[DutySource]:
    """As they stand in the source: a set gives them in another order each time."""
    return sorted(sources, key=lambda source: (source.at, source.parameter))


def pointed(value: r.Value) -> r.Value | None:
    """`p` of `*p`."""
    inner = strip(value)
    return inner.value if isinstance(inner, r.Unary) and inner.op == "*" else None


def may_be_handle(written: str) -> bool:
    """Whether a parameter of this type can be an owned raw handle: a pointer, or a small value; no number, no text
    that is constant."""
    kind = types.parse(written)
    if kind.pointers:
        return not (kind.last == "char" and kind.const) and "(" not in written
    if kind.arguments or kind.last in NUMBERS:
        return kind.reference and any("*" in argument for argument in kind.arguments) and not kind.const
    return "::" not in kind.name or not kind.name.startswith("std::")


def _is_member(target: r.Value) -> bool:
    return isinstance(target, r.Name | r.Member | r.Index)


def _is_failure(value: r.Value | None) -> bool:
    """What is returned in place of a handle: `{}`, `std::nullopt`."""
    return (isinstance(value, r.Aggregate) and not value.items) or (
        isinstance(value, r.Name) and last_name(value) == "nullopt"
    )
