"""The walk from where a local gets a handle along every way on which nobody has taken it over yet.

It carries how sure that is, joins where ways meet, and looks at each event a few times at most: there is no
enumeration of paths. What a single event does with the handle is `holders`' answer. A function may hold thousands of
handles: a walk passes the events of a basic block that are not about its own in one step.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush

from ownlint import (
    Certainty,
    Function,
    Place,
    assignments,
    because,
    failure,
    habits,
    pairs,
    places,
    questions,
    resources,
    steps,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources._holders import Holder, Meaning
from ownlint_rules.resources._outcomes import Outcomes

_VISIT = 4
"""Steps of one visit of an event: what it means is asked, and what fails there."""

HELD, PASSED, UNSURE = 1, 2, 4
"""Held for certain; a stranger was given it, who shows no sign of keeping it; nobody knows."""


class _Blocks:
    """What a walk passes without a look, unless it is about its own handle: which events follow each other and
    nothing else, and which mean the same for every handle: nothing."""

    def __init__(self, function: Function) -> None:
        flow = function.flow
        count = len(flow.events)
        silent = [self._is_silent(function, event) for event in flow]
        self.first, self.last = list(range(count)), list(range(count))
        """Where the stretch of silent events around an event begins, and its last one."""
        for index in range(1, count):
            if silent[index] and silent[index - 1] and len(flow.predecessors[index]) == 1:
                self.first[index] = self.first[index - 1]
        for index in range(count - 2, -1, -1):
            if self.first[index + 1] == self.first[index]:
                self.last[index] = self.last[index + 1]
        self.silent = silent
        self.ends: dict[Place, list[int]] = {}
        for index, event in enumerate(flow.events):
            if isinstance(event, e.End):
                self.ends.setdefault(event.place, []).append(index)

    @staticmethod
    def _is_silent(function: Function, event: e.Event) -> bool:
        if function.flow.successors[event.index] != [(event.index + 1, None)]:
            return False
        match event:
            case e.CallEvent(node=node):
                by_macro = isinstance(node.callee, r.Name) and function.program.macros.named(
                    places.last_name(node.callee)
                )
                return not by_macro and not failure.ends_program(function, node)
            case e.Mark(what=what):
                return what != "loop"
            case e.Read() | e.Write() | e.End() | e.OpaqueEvent():
                return True
        return False


@questions.flow_question
def _blocks(function: Function) -> _Blocks:
    return _Blocks(function)


class _Bodies:
    """The bodies of all branches of a function, and which of them stand around a position of the text."""

    def __init__(self, function: Function) -> None:
        found: list[tuple[r.Span, r.Branch]] = []
        for branch in function.statements:
            if isinstance(branch, r.Branch):
                bodies = (body for body in (branch.then, branch.other) if body)
                found += [(r.Span(body[0].start, body[-1].end), branch) for body in bodies]
        found.sort(key=lambda one: one[0].start)
        self._found = found
        self._starts = [span.start for span, _ in found]
        self._around: list[int] = []
        """For each the last one before it that ends behind its beginning, -1 for none."""
        for position, (span, _) in enumerate(found):
            above = position - 1
            while above != -1 and found[above][0].end <= span.start:
                above = self._around[above]
            self._around.append(above)

    def around(self, at: int) -> Iterator[tuple[r.Span, r.Branch]]:
        position = bisect_right(self._starts, at) - 1
        while position != -1:
            steps.spend()
            if at in self._found[position][0]:
                yield self._found[position]
            position = self._around[position]


@questions.flow_question
def _bodies(function: Function) -> _Bodies:
    return _Bodies(function)


class Walk:
    """`start` is the event from which on the holder holds what `call` handed out.

    Raises:
        LimitError: the function has too many handles on too many paths.
    """

    def __init__(
        self,
        holder: Holder,
        start: e.Event,
        call: r.Call,
        acquisition: resources.Acquisition,
        status: Place | None = None,
    ) -> None:
        self.holder = holder
        self.function = holder.function
        self.flow = holder.function.flow
        self.start = start
        self.call = call
        self.acquisition = acquisition
        self.outcomes = Outcomes(holder.function, start, call, status)
        self._blocks = _blocks(holder.function)
        self._own = sorted({start.index, *holder.concerned, *self._blocks.ends.get(holder.place, ())})
        """The events that are about the handle."""
        self._live: dict[int, int] = {}
        """Events that are reached with the handle still held, and how sure that is. Of a stretch that is passed in one
        step the first."""
        self._passed: dict[int, int] = {}
        """By the first of each such stretch, how sure it is behind it."""
        self._came: dict[int, int] = {}
        self.ended: list[e.Event] = []
        """What ended the duty on some way."""
        self.out: list[tuple[e.Event, int]] = []
        """Where a way ends with the handle held: exits, ends of the local's life, later writes to it."""
        self._meanings: questions.Answers[int, Meaning] = questions.Answers()
        self._decided = self.flow.decided(start)
        """What is known where the handle comes from."""
        self._run()

    @property
    def unsure(self) -> bool:
        return any(state & UNSURE for state in self._live.values())

    def state(self, index: int) -> int:
        """How sure it is that the handle is still held where an event is reached; 0 where it is not."""
        first = self._blocks.first[index]
        if not self._blocks.silent[index]:
            return self._live.get(index, 0)
        before = bisect_right(self._own, index) - 1
        if before >= 0 and self._own[before] >= first:
            first = min(self._own[before] + 1, index)
        return self._live.get(index, 0) if first == index else self._passed.get(first, 0)

    def reached(self, indexes: Sequence[int]) -> Iterator[int]:
        """Those of some events, in ascending order, that are reached with the handle still held."""
        for first in self._live:
            for position in range(bisect_left(indexes, first), len(indexes)):
                steps.spend()
                index = indexes[position]
                if index > self._last(first):
                    break
                if self.state(index):
                    yield index

    def passed(self, index: int, marks: Sequence[int]) -> int | None:
        """The last of some events, in ascending order, on the way by which an event was first reached."""
        current = index
        while current in self._came:
            steps.spend()
            current = self._came[current]
            position = bisect_right(marks, self._last(current)) - 1
            if position >= 0 and marks[position] >= current:
                return marks[position]
        return None

    def _last(self, index: int) -> int:
        """The end of the stretch that begins with an event: itself, where that is about the handle."""
        last: int = self._blocks.last[index]
        if last == index:
            return index
        position = bisect_left(self._own, index)
        if position == len(self._own) or self._own[position] > last:
            return last
        return max(int(self._own[position]) - 1, index)

    def _run(self) -> None:
        flow = self.flow
        queue: list[int] = []

        def arrive(source: int, target: int, state: int) -> None:
            known = self._live.get(target, 0)
            if known | state != known:
                self._live[target] = known | state
                if target != self.start.index:
                    self._came.setdefault(target, source)
                queue.append(target)

        for target, _ in flow.successors[self.start.index]:
            arrive(self.start.index, target, HELD)
        while queue:
            steps.spend(_VISIT)
            current = queue.pop()
            event = flow.events[current]
            if event is self.start or current == flow.exit:
                continue
            last = self._last(current)
            if last != current:
                self._passed[current] = self._live[current]
                arrive(current, last + 1, self._live[current])
                continue
            state = self._step(event, self._live[current])
            for target, label in flow.successors[current] if state else ():
                after = state
                if label is not None and isinstance(event, e.Test):
                    after = self._behind(event, label, state)
                if after:
                    arrive(current, target, after)

    def _step(self, event: e.Event, state: int) -> int:
        """The state behind an event; 0 where somebody else has the duty from here on."""
        holder, meaning = self.holder, self._meaning(event)
        if isinstance(event, e.End) and event.place == holder.place:
            if len(holder.aliases) > 1:
                return state
            self.out.append((event, state))
            return 0
        if isinstance(event, e.Write) and holder.is_written_by(event):
            return self._overwritten(event, state)
        if isinstance(event, e.LeaveEvent) and any(
            target == self.flow.exit for target, _ in self.flow.successors[event.index]
        ):
            if meaning:
                self.ended.append(event)
            else:
                self.out.append((event, state))
            return 0
        if meaning in ("released", "kept", "gone"):
            if not (isinstance(event, e.CallEvent) and failure.ends_program(self.function, event.node)):
                self.ended.append(event)
            return 0
        if isinstance(event, e.Mark) and event.what == "loop":
            return self._around_loop(event, state)
        if meaning == "unknown":
            node = event.node if isinstance(event, e.CallEvent) else None
            if node and _speaks_of_the_same(node, self.acquisition) and holder.is_handle(node.args[0]):
                return PASSED if state & (HELD | PASSED) else state
            return UNSURE if state == UNSURE or not self._is_before_ending(event.index) else PASSED
        return state

    def _around_loop(self, loop: e.Event, state: int) -> int:
        """A loop that releases or keeps the elements of a container or an array: once it is over they are gone, and
        where it runs for no round there were none."""
        endings = self._endings if self.holder.several else self._by_element
        if not endings or self.start.span.start in loop.span:
            return state
        inside = next((one for one in endings if one.span.start in loop.span), None)
        if inside is not None:
            self.ended.append(inside)
            return 0
        return state

    def _overwritten(self, event: e.Write, state: int) -> int:
        if len(self.holder.aliases) > 1:
            return state
        if not self.holder.says(event.value) and isinstance(places.strip(event.value), r.Call):
            self.out.append((event, state))
        return 0

    def _meaning(self, event: e.Event) -> Meaning:
        return self._meanings.ask(event.index, lambda: self.holder.meaning(event))

    @cached_property
    def _endings(self) -> list[e.Event]:
        """What releases it or keeps it, anywhere."""
        return [one for one in self.holder.concerned.values() if self._meaning(one) in ("released", "kept")]

    @cached_property
    def _by_element(self) -> list[e.Event]:
        """Stores of one element of an array: `all[i] = block + i`."""
        return [
            one for one in self._endings if isinstance(one, e.Write) and isinstance(places.strip(one.value), r.Binary)
        ]

    def _is_before_ending(self, index: int) -> bool:
        """Whether the function goes on from there to release or keep it: what is called there has not taken it."""
        before, waiting = self._before
        while waiting and -waiting[0] > index:
            steps.spend()
            current = -heappop(waiting)
            for source, _ in self.flow.predecessors[current]:
                if source < current and source not in before:
                    before.add(source)
                    heappush(waiting, -source)
        return index in before

    @cached_property
    def _before(self) -> tuple[set[int], list[int]]:
        """The events found so far behind which it is released or kept, and as a heap those whose predecessors nobody
        has asked for, the last first."""
        waiting = [-event.index for event in self._endings]
        heapify(waiting)
        return set(), waiting

    # --- tests ---

    def _behind(self, test: e.Test, outcome: bool, state: int) -> int:
        """The state behind one outcome of a test."""
        if self._is_absent(test, outcome) or self.flow.rules_out(self._decided, test, outcome):
            return 0
        if self.call.kind != "new" and self.holder.is_failed(test, outcome):
            return UNSURE
        cause, certainty = failure.failing(self.function, test, outcome)
        other_cause, other = failure.failing(self.function, test, not outcome)
        if certainty is not None:
            if cause is not None and is_part_of(self.call, cause.node):
                return 0
            if (cause is None or not self.state(cause.index)) and self.outcomes.is_asked(test.value, test):
                return 0
            return state if cause is not None else UNSURE
        if other is not None and self._is_taken_on_success(test, outcome, other_cause):
            return 0
        if (test.index, outcome) in self._around:
            return UNSURE if other is None else state
        return state

    def _is_absent(self, test: e.Test, outcome: bool) -> bool:
        """Whether the outcome of a test says that there is no handle: by itself, by a variable that says so, or because
        the call has failed that would have handed it out."""
        if self.holder.is_absent(self._noted(test.value), outcome):
            return True
        failed = self.outcomes.failed(test, outcome)
        if failed is None or (self.call.kind != "new" and self.holder.says_how_it_went(test.value)):
            # Whoever has it goes on with it.
            return not self._is_said_behind(test, outcome) and self._is_said_behind(test, not outcome)
        return failed

    def _noted(self, value: r.Value) -> r.Value:
        """What a variable stands for that is set once, by asking the handle: `failed = fd < 0`."""
        inner = places.strip(value)
        if isinstance(inner, r.Unary) and inner.op in ("!", "not"):
            return r.Unary(inner.start, inner.end, inner.op, self._noted(inner.value))
        if not isinstance(inner, r.Name):
            return value
        reached = [
            write
            for write in self.flow.writes_to((inner.text,))
            if write.index > self.start.index and write.index in self.outcomes.behind
        ]
        noted = places.strip(reached[0].value) if len(reached) == 1 else None
        return noted if isinstance(noted, r.Binary | r.Unary) and self.holder.says(noted) else value

    def _is_said_behind(self, test: e.Test, outcome: bool) -> bool:
        """Whether anything behind the outcome of a test is about the handle."""
        return any(event.index in self.holder.concerned for event in self.flow.after(test, branch=outcome))

    def _is_taken_on_success(self, test: e.Test, outcome: bool, cause: e.CallEvent | None) -> bool:
        """A callee that was given the handle, whose failure gives it back to be released: where it has not failed and
        nobody says the name any more, it has it."""
        if cause is not None:
            if not self.holder.is_given_to(cause.node) or not self.state(cause.index):
                return False
        elif not any(self._answers(event, test) for event in self.holder.concerned.values()):
            return False
        released = {one.index for one in self._endings}
        behind = self.flow.after(test, branch=not outcome)
        if not any(event.index in released for event in behind):
            return False
        if cause is not None and not habits.PUTS_IN.isdisjoint(pairs.words(places.last_name(cause.node.callee))):
            return True
        return not any(
            event.index in self.holder.concerned and event.index > test.index and event.index not in released
            for event in self.flow.after(test, branch=outcome)
        )

    def _answers(self, event: e.Event, test: e.Test) -> bool:
        """Whether a call that is given the handle sets what is tested: on one of several ways to the test."""
        return (
            isinstance(event, e.CallEvent)
            and event.into is not None
            and self.state(event.index) != 0
            and self.holder.is_given_to(event.node)
            and any(
                assignments.place(self.function, inner) == event.into
                for inner in places.walk(test.value)
                if isinstance(inner, r.Name)
            )
        )

    @cached_property
    def _around(self) -> set[tuple[int, bool]]:
        """The outcomes of tests that go around what releases or keeps it, and nothing else: `if (owned) free(p)` is for
        somebody who knows when it is there."""
        ending = [one.span.start for one in self._endings if not isinstance(one, e.LeaveEvent)]
        found: set[tuple[int, bool]] = set()
        if not ending:
            return found
        whole = {
            (id(branch), span): (branch, span) for at in ending for span, branch in _bodies(self.function).around(at)
        }
        several = Counter(branch for branch, _ in whole)
        for (branch_id, _), (branch, span) in whole.items():
            if several[branch_id] == 1:
                found |= self._outcomes_around(branch, span)
        return found

    def _outcomes_around(self, branch: r.Branch, body: r.Span) -> set[tuple[int, bool]]:
        """The outcomes of the tests of a condition that lead neither into that body nor to another of the tests."""
        condition = branch.condition.span
        return {
            (test.index, label)
            for test in self.holder.mentions.tests_in(condition)
            for target, label in self.flow.successors[test.index]
            if label is not None and (at := self.flow.events[target].span.start) not in body and at not in condition
        }


def is_part_of(call: r.Call, outer: r.Call) -> bool:
    """Whether it is that call, or stands in its arguments."""
    return call is outer or (
        outer.start <= call.start and call.end <= outer.end and any(inner is call for inner in places.walk(outer))
    )


def sure(state: int, holder: Holder, made: Certainty) -> Certainty:
    """That it is still held. `made` is how sure it is that there is something to hold."""
    if state & HELD or (state & PASSED and made == "likely"):
        return "certain"
    if state & PASSED:
        return because("unread-code", f"`{places.render(holder.place)}` is passed to a function that may keep it")
    return "possible"


def _speaks_of_the_same(call: r.Call, acquisition: resources.Acquisition) -> bool:
    """Whether a function is named as one of those that are about the handle: `thing_show` beside `thing_destroy`."""
    said = pairs.words(places.last_name(call.callee))
    for name in acquisition.releases:
        about = pairs.words(name)
        verb = next((at for at, word in enumerate(about) if pairs.releasing_verb(word)), 0)
        if verb and said[:verb] == about[:verb]:
            return bool(call.args) and habits.TAKES_OVER.isdisjoint(said)
    return False
