"""What a test tells one way through a function about its counted references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache

from ownlint.domains.counted.counting_ways import CountedWays, bare_value
from ownlint.domains.counted.counts import MAYBE, PENDING, PRESENT, CountDraft, CountState, Id, KnownPlace
from ownlint.domains.counted.references import may_count, references
from ownlint.engine import ranges
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.asked import Asked, as_asked, constant_of, equals, plainly_asked
from ownlint.flow.places import Place, last_name, strip, walk
from ownlint.flow.remembered import remembered
from ownlint.project import types
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function
from ownlint.steps import spend

_MOST_TESTS = 64
"""The outcomes of so many tests are known on a way, of those that are asked first: each way has its own, and they are
looked through wherever two meet."""
ERROR = ("%error",)
"""Holds something where an error has been set, and nothing has run since that may clear it."""
_QUIET = frozenset({"release", "retain", "hold"})
"""What a call does that sets no error: it counts, or has to do with a lock."""
_SMALL = {"0": 0, "1": 1, "-1": -1, "true": 1, "false": 0}
_SIGNS = {"-": ranges.Range(-1, -1), "0": ranges.Range(0, 0), "+": ranges.Range(1, 1)}


class Tests(CountedWays):
    """What the outcome of a test tells; a way that contradicts it ends there."""

    def decided(self, event: e.Test, draft: CountDraft, outcome: bool | None) -> Iterator[CountDraft]:
        if event.asserted:
            outcome = True
        if outcome is None:
            yield draft
            return
        said, holds = self.sides(event.value)[outcome]
        if self.contradicts(event.value, draft, outcome):
            return
        if said in self.repeated:
            if (said, not holds) in draft.tests:
                return
            if holds and any((other, True) in draft.tests for other in self.rivals.get(said, ())):
                return
            draft.tests |= {(said, holds)}
        if self.refine(event.value, draft, outcome):
            for inner in self.calls_in(event.value):
                self.drop_result(inner, draft)
            yield draft

    @remembered
    def sides(self, value: r.Value) -> tuple[tuple[str, bool], tuple[str, bool]]:
        """What a test says that does not hold, and that holds."""
        return self.as_asked(value, False), self.as_asked(value, True)

    @remembered
    def asked_for_constants(self, value: r.Value) -> tuple[Asked | None, Asked | None]:
        """What a test that does not hold, and that holds, asks of a variable alone, with the constant that it asks for;
        None where it asks for none."""
        both = plainly_asked(value, False), plainly_asked(value, True)
        no, yes = (asked if asked is not None and asked.constant else None for asked in both)
        return no, yes

    def contradicts(self, value: r.Value, draft: CountDraft, outcome: bool) -> bool:
        """Whether a variable that is one constant on this way is asked for another: `status == DONE`."""
        asked = self.asked_for_constants(value)[outcome]
        if asked is None:
            return False
        (name,) = asked.names
        begun = equals(name, "")
        known = [(said, holds) for said, holds in draft.tests if said.startswith(begun)]
        return any(
            asked.outcome is not holds if said == asked.shown else asked.outcome and holds for said, holds in known
        )

    def as_asked(self, value: r.Value, outcome: bool) -> tuple[str, bool]:
        """What the outcome of a test says; of a variable that is only given a comparison, that."""
        bare = bare_value(value)
        if isinstance(bare, r.Name) and bare.text in self.function.locals:
            initial = bare_value(self.function.locals[bare.text][1])
            if isinstance(initial, r.Binary) and len(self.flow.writes_to((bare.text,))) == 1:
                return as_asked(initial, outcome)
        return as_asked(value, outcome)

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The tests whose outcome is known on a way."""
        return frozenset(self.asked_again[:_MOST_TESTS])

    @property
    def knows_all_tests(self) -> bool:
        """Whether no way goes on that a test before would have ended."""
        return len(self.asked_again) <= _MOST_TESTS

    @cached_property
    def asked_again(self) -> tuple[str, ...]:
        """Tests that are asked more than once, and call nothing: they stand in the function twice, or in a loop that
        writes to nothing of what they look at. One that rules out another counts as that."""
        said = Counter(self.rivals.keys())
        written = {written_name(write.place) for write in self.flow.writes}
        for test in self.flow.of(e.Test):
            if not isinstance(test, e.Test):
                continue
            parts = list(walk(test.value))
            if any(isinstance(inner, r.Call | r.Assign | r.OpaqueValue) for inner in parts):
                continue
            looked_at = {last_name(inner) for inner in parts if isinstance(inner, r.Name | r.Member)}
            again = looked_at and written.isdisjoint(looked_at) and test.index in self.in_cycles
            said[self.sides(test.value)[True][0]] += 2 if again else 1
        said.update(
            equals(*asked) for cases in self.switched.values() for asked in cases.values() if equals(*asked) in said
        )
        return tuple(one for one, times in said.items() if times > 1)

    @cached_property
    def switched(self) -> dict[int, dict[int, tuple[str, str]]]:
        """By where a `switch` over a variable starts, and where a case of it does, the variable and the constant."""
        found: dict[int, dict[int, tuple[str, str]]] = {}
        for switch in self.function.statements:
            name = bare_value(switch.value) if isinstance(switch, r.Switch) else None
            if isinstance(switch, r.Switch) and isinstance(name, r.Name):
                found[switch.start] = {
                    case.start: (name.text, constant)
                    for case in switch.cases
                    if len(case.values) == 1 and (constant := constant_of(case.values[0]))
                }
        return found

    def goes_to(self, event: e.Test, state: CountState, target: int) -> bool:
        """Whether a `switch` can go on with the case that begins there: its variable is no other constant."""
        cases = self.switched.get(event.span.start)
        asked = cases.get(self.flow.events[target].span.start) if cases else None
        if asked is None:
            return True
        own, begun = equals(*asked), equals(asked[0], "")
        return not any(
            said.startswith(begun) and holds is not (said == own) for said, holds in state.tests if holds or said == own
        )

    @cached_property
    def rivals(self) -> dict[str, frozenset[str]]:
        """By comparison of two things that call nothing, the others in the function that do not hold where it does:
        `at == size` where `at < size`."""
        by_sides: dict[frozenset[str], set[str]] = {}
        for test in self.flow.of(e.Test):
            if not isinstance(test, e.Test):
                continue
            match bare_value(test.value):
                case r.Binary(op=op, left=r.Name() as left, right=r.Name() | r.Member() | r.Literal() as right) if (
                    op in ranges.COMPARISONS
                ):
                    sides = frozenset((text(left), text(right)))
                    by_sides.setdefault(sides, set()).add(self.sides(test.value)[True][0])
        return {one: frozenset(said - {one}) for said in by_sides.values() if len(said) > 1 for one in said}

    @cached_property
    def in_cycles(self) -> frozenset[int]:
        """The events from which a way leads back to them, and those between two such: what is left when all are taken
        away that nothing leads to, and all that lead nowhere."""
        after = [{target for target, _ in self.flow.successors[event.index]} for event in self.flow]
        before: list[set[int]] = [set() for _ in after]
        for source, targets in enumerate(after):
            for target in targets:
                before[target].add(source)
        for leading, led in ((before, after), (after, before)):
            queue = [index for index, others in enumerate(leading) if not others]
            while queue:
                index = queue.pop()
                spend()
                for target in led[index]:
                    leading[target].discard(index)
                    if not leading[target]:
                        queue.append(target)
                led[index] = set()
        return frozenset(index for index, others in enumerate(after) if others)

    def forget_tests(self, draft: CountDraft, name: str) -> None:
        if gone := [one for one in draft.tests if name in one[0] and name in _words(one[0])]:
            draft.tests = draft.tests.difference(gone)

    def refine(self, value: r.Value, draft: CountDraft, outcome: bool) -> bool:
        """What the outcome tells; False where it cannot be on this way."""
        match bare_value(value):
            case r.Unary(op="!" | "not", value=inner):
                return self.refine(inner, draft, not outcome)
            case r.Binary(op=op, left=left, right=right) if op in ranges.COMPARISONS:
                left, right = self.constant(left), self.constant(right)
                if isinstance(left, r.Literal):
                    left, right, op = right, left, ranges.turned(op)
                if is_zero(right) and op in ("==", "!="):
                    return self.truth(left, draft, outcome == (op == "!="))
                if op in ("==", "!=") and outcome == (op == "=="):
                    for one, other in ((left, right), (right, left)):
                        if self.is_standing(other):
                            return not self.is_made_anew(one, draft) and self.truth(one, draft, True)
                return self.compared(op, left, draft, outcome, bare_value(right))
            case bare:
                asked = self.asked_by(bare, outcome) if isinstance(bare, r.Call) else []
                return all(self.truth(one, draft, there) for one, there in asked) and self.truth(bare, draft, outcome)

    def asked_by(self, call: r.Call, outcome: bool) -> list[tuple[r.Value, bool]]:
        """The arguments that are NULL, or are not, where a function of the project answers so."""
        callee = self.function.program.calls.callee(call, self.function)
        if len(callee.functions) != 1 or callee.models:
            return []
        implied = implied_by_answer(callee.functions[0])[outcome]
        return [(argument, implied[index]) for index, argument in enumerate(call.args) if index in implied]

    @remembered
    def is_standing(self, value: r.Value | None) -> bool:
        """Whether it is a library's own object, as `Py_None` is: what equals that is not NULL."""
        bare = bare_value(value)
        if isinstance(bare, r.Unary) and bare.op == "&":
            bare = bare_value(bare.value)
        return isinstance(bare, r.Name) and self.source(bare).kind == "borrowed"

    def is_made_anew(self, value: r.Value | None, draft: CountDraft) -> bool:
        """Whether it is an object of a class of its own, as a number or a text: none that the library itself has."""
        one = self.id_of(draft, value)
        made = self.site(one) if one is not None and draft.objects[one].kind == "new" else None
        model = self.model(made.node) if isinstance(made, e.CallEvent) else None
        if model is None or not model.has("acquire", "result") or model.has("keep", "result"):
            return False
        return isinstance(made, e.CallEvent) and self.function.program.models.atomic.fits(last_name(made.node.callee))

    def made(self, draft: CountDraft, one: Id | None) -> str:
        """The type of an object that was made here; empty where that is not known."""
        made = self.site(one) if one is not None and draft.objects[one].kind == "new" else None
        return self.made_by(made.node) if isinstance(made, e.CallEvent) else ""

    @remembered
    def made_by(self, call: r.Call) -> str:
        """The type of what a call makes: as models say, or as the function of the project does."""
        if (model := self.model(call)) is not None:
            makes = model.has("acquire", "result")
            return self.function.program.models.made_by(last_name(call.callee)) if makes else ""
        found = self.summary_at(call)
        return found.made if found is not None and found.result == "new" else ""

    @remembered
    def asked_type(self, call: r.Call) -> str:
        """The type of which a call answers with something for every object, and for no other."""
        asked = self.function.program.models.asked_by(last_name(call.callee)) if len(call.args) == 1 else ""
        return asked if asked and self.references.is_library(call, self.function) else ""

    @remembered
    def constant(self, value: r.Value) -> r.Value:
        """A macro of the project that stands for NULL is NULL."""
        bare = bare_value(value)
        if isinstance(bare, r.Name) and self.references.is_null(bare, self.function):
            return r.Literal(bare.start, bare.end, "null", bare.text)
        return bare if bare is not None else value

    def truth(self, value: r.Value | None, draft: CountDraft, there: bool) -> bool:
        """Whether it can be that the value is not NULL, or not 0."""
        if self.asks_for_errors(value):
            assert value is not None
            if there and self.has_worked_last(draft, value):
                return False
            if not there and ERROR in draft.places:
                return False
            for other in self.lost_answers(draft, value) if there else ():
                draft.change(other, pending=True)
            for other in draft.marked(MAYBE):
                if other not in draft.objects:
                    continue
                if there and self.has_failed_last(other, value):
                    draft.make_null(other)
                else:
                    draft.change(other, null="unknown" if there else "no")
            return True
        bare = bare_value(value)
        if isinstance(bare, r.Call) and (kind := self.asked_type(bare)):
            made = self.made(draft, self.id_of(draft, bare.args[0]))
            if made and there is not (made == kind):
                return False
        where = self.place(value)
        known = draft.places.get(where) if where is not None else None
        if isinstance(known, KnownPlace):
            self.asked(draft)
            left_over = known.signs.replace("0", "") if there else "0" if "0" in known.signs else ""
            if left_over and where is not None:
                draft.places[where] = known._replace(signs=left_over)
            return bool(left_over)
        one = self.id_of(draft, value)
        if one is not None:
            held = draft.objects[one]
            if there:
                draft.change(one, null="no")
                return True
            if held.null == "no":
                return False
            draft.make_null(one)
            return True
        if where is not None and isinstance(bare, r.Member) and self.is_filled(draft.id_at(where[:-1]), bare.name):
            return there
        if where is not None and isinstance(bare, r.Name) and where[0] in self.function.declared:
            if not there:
                draft.places[where] = KnownPlace("0", exact=False)
            elif where[0] in self.decisive:
                draft.places[where] = KnownPlace("-+", exact=False)
        return True

    @cached_property
    def decisive(self) -> frozenset[str]:
        """The variables of which a function of the project answers, where a test asks it, by whether they are NULL."""
        asked = [
            inner
            for test in self.flow.of(e.Test)
            if isinstance(test, e.Test)
            for inner in walk(test.value)
            if isinstance(inner, r.Call)
        ]
        implied = [one for call in asked for outcome in (True, False) for one in self.asked_by(call, outcome)]
        return frozenset(bare.text for value, _ in implied if isinstance(bare := bare_value(value), r.Name))

    def has_worked_last(self, draft: CountDraft, asked: r.Value) -> bool:
        """Whether the last call before the question has put an object into a variable on this way: then no error is
        pending. A result says so itself, and who asks all the same means another call."""
        return any(self.has_failed_last(one, asked) and self.is_filled_in(one) for one in draft.marked(PRESENT))

    def lost_answers(self, draft: CountDraft, asked: r.Value) -> list[Id]:
        """The objects on this way that cannot be there where an error is pending: the call answers with one of both."""
        there = [one for one in draft.marked(PRESENT) if self.has_failed_last(one, asked)]
        return there if there and self.is_only_cause(asked) else []

    @remembered
    def is_only_cause(self, asked: r.Value) -> bool:
        """Whether the question can be about no other error than that of the last call before it, which answers with an
        object where it has worked."""
        bare = bare_value(asked)
        question = next((call for call in self.flow.calls if call.node is bare), None)
        before = [call for call in self.flow.calls if call.node.end <= asked.start and self.can_fail(call.node)]
        model = self.model(before[-1].node) if before else None
        if question is None or model is None or not (model.has("acquire", "result") and model.has("may fail")):
            return False
        made = before[-1]
        after = {event.index for event in self.flow.after(made)}
        return all(
            event is made
            or self.leaves_no_error(event)
            or (event.index not in after and self.is_failure_seen(event, made))
            for event in self.flow.before(question, self.settles_errors)
        )

    def settles_errors(self, event: e.Event) -> bool:
        """Whether an error from before is asked for there, or cleared."""
        model = self.model(event.node) if isinstance(event, e.CallEvent) else None
        return model is not None and (model.has("check", "global") or model.has("release", "global"))

    def leaves_no_error(self, event: e.Event) -> bool:
        if not isinstance(event, e.CallEvent):
            return not isinstance(event, e.OpaqueEvent)
        model = self.model(event.node)
        if model is None:
            return not self.can_fail(event.node)
        return not model.has("may fail") and any(one.verb in _QUIET for one in model.effects)

    def is_failure_seen(self, event: e.Event, made: e.CallEvent) -> bool:
        """Whether a test of what the call answers leads away from `made`, or that is given the object: it fails of NULL
        itself."""
        if not isinstance(event, e.CallEvent):
            return False
        model, into = self.model(event.node), event.into
        if into and model is not None and model.counted and into in map(self.place, made.node.args):
            return True
        return any(
            isinstance(test, e.Test)
            and any(inner is event.node or (into and self.place(inner) == into) for inner in walk(test.value))
            and any(self.flow.path(test, lambda one: one is made, branch=outcome) is None for outcome in (True, False))
            for test in self.flow.after(event, lambda one: one is made)
        )

    def is_filled_in(self, one: Id) -> bool:
        """Whether the object comes through an argument: `PyDict_GetItemRef(dict, key, &item)`."""
        made = self.site(one)
        model = self.model(made.node) if isinstance(made, e.CallEvent) else None
        return model is not None and not model.has("acquire", "result")

    def has_failed_last(self, one: Id, asked: r.Value) -> bool:
        """Whether the call that makes the object is the last one before the question: then it is what has failed."""
        made = self.site(one)
        between = [
            call
            for call in self.flow.calls
            if made.index < call.index and call.node.end <= asked.start and self.can_fail(call.node)
        ]
        return isinstance(made, e.CallEvent) and made.node.end <= asked.start and not between

    @remembered
    def can_fail(self, call: r.Call) -> bool:
        """Whether the call may set an error: one that only counts does not, nor does a function of the project that
        calls nothing, or one of another library that is given nothing of Python's."""
        model = self.model(call)
        if model is not None:
            return model.has("may fail")
        if self.asks_for_errors(call):
            return False
        callee = self.function.program.calls.callee(call, self.function)
        if callee.all_defined and callee.certainty != "possible":
            return any(any(True for _ in one.calls()) for one in callee.functions)
        return not self.is_foreign(call) or any(self.may_be_python(argument) for argument in call.args)

    def is_foreign(self, call: r.Call) -> bool:
        """Whether it calls a function by a name that neither the project nor a local declares."""
        if call.kind != "call" or not isinstance(call.callee, r.Name) or call.callee.text in self.function.declared:
            return False
        program, name = self.function.program, last_name(call.callee)
        return not program.index.records_called(name) and not program.macros.named(name)

    def may_be_python(self, value: r.Value) -> bool:
        """Whether it leads to an object, a callback, or is of a type that is not known."""
        if isinstance(strip(value), r.Literal):
            return False
        written = self.function.program.types.of(value, self.function)
        kind = types.parse(written)
        if not written or kind.name == "void" or self.references.is_pointer(f"{kind.name}*", self.function):
            return True
        return (
            self.function.program.names.find_class(written, self.function.record.scope, self.function.file) is not None
        )

    def is_filled(self, one: Id | None, member: str) -> bool:
        """Whether the call that wrote the struct has put something into the member."""
        event = self.site(one) if one is not None else None
        model = self.model(event.node) if isinstance(event, e.CallEvent) else None
        return model is not None and member in model.fills

    @remembered
    def asks_for_errors(self, value: r.Value | None) -> bool:
        """Whether the call tells if a failure is pending: one of a library, or of the project that says no more."""
        bare = bare_value(value)
        if not isinstance(bare, r.Call):
            return False
        if (model := self.model(bare)) is not None:
            return model.has("check", "global")
        callee = self.function.program.calls.callee(bare, self.function).only
        return callee is not None and may_count(callee) and tells_errors(callee)

    def compared(self, op: str, left: r.Value, draft: CountDraft, outcome: bool, right: r.Value | None) -> bool:
        """Whether a comparison with a small number can come to this on this way."""
        where, said = self.place(left), text(right).lower() if isinstance(right, r.Literal | r.Unary) else ""
        if where is None or said not in _SMALL:
            return True
        other, known = _SMALL[said], draft.places.get(where)
        asked = ranges.Range(other, other)

        def may_be(signs: str) -> str:
            """Those of the signs with which it can come to this."""
            return "".join(one for one in signs if ranges.can_be(op, _SIGNS[one], asked) == outcome)

        if known is None:
            is_plain = not other and len(where) == 1 and where[0] in self.function.declared
            if is_plain and draft.id_at(where) is None and (left_over := may_be("-0+")):
                draft.places[where] = KnownPlace(left_over, exact=False)
            return True
        if not isinstance(known, KnownPlace) or (other and not known.exact):
            return True
        self.asked(draft)
        if left_over := may_be(known.signs):
            draft.places[where] = known._replace(signs=left_over)
        return bool(left_over)

    @staticmethod
    def asked(draft: CountDraft) -> None:
        for one in draft.marked(PENDING):
            draft.change(one, pending=False)


def written_name(where: Place) -> str:
    """The name of what a write to the place changes: the member, not what it is a part of."""
    return next((step for step in reversed(where) if not step.startswith("[")), where[0])


@lru_cache(maxsize=1 << 12)
def _words(said: str) -> frozenset[str]:
    """What a test names."""
    return frozenset(re.findall(r"\w+", said))


def is_zero(value: r.Value | None) -> bool:
    """Whether NULL, 0 or false stands there."""
    return isinstance(value, r.Literal) and (value.kind == "null" or value.text.lower() in ("0", "false"))


@flow_question
def implied_by_answer(function: Function) -> dict[bool, dict[int, bool]]:
    """Which pointer arguments are not NULL (true) and which are (false) where the answer is not 0, and where it is."""
    given = {one.name: number for number, one in enumerate(function.record.parameters) if "*" in one.type}
    for write in function.flow.writes:
        if not write.fresh:
            given.pop(write.place[0], None)
    implied: dict[bool, dict[int, bool] | None] = {True: None, False: None}
    for leave in function.flow.leaves:
        answer = bare_value(leave.value)
        if not isinstance(answer, r.Literal) or not given:
            return {True: {}, False: {}}
        known: dict[int, bool] = {}
        for test, outcome in function.flow.guards(leave):
            name, is_there = _asks_for(test.value, outcome)
            if name in given:
                known.setdefault(given[name], is_there)
        truth = not is_zero(answer)
        before = implied[truth]
        implied[truth] = known if before is None else {n: there for n, there in known.items() if before.get(n) is there}
    return {truth: found or {} for truth, found in implied.items()}


def _asks_for(value: r.Value, outcome: bool) -> tuple[str, bool]:
    """The name that a test asks for, and whether it is there where the test comes out so."""
    asked, is_there = _asked(value, outcome)
    return (asked.text, is_there) if isinstance(asked, r.Name) else ("", outcome)


def _asked(value: r.Value | None, outcome: bool) -> tuple[r.Value | None, bool]:
    """What a test asks for, and whether it is there where the test comes out so."""
    match bare_value(value):
        case r.Unary(op="!" | "not", value=inner):
            return _asked(inner, not outcome)
        case r.Binary(op="==" | "!=" as op, left=left, right=right) if is_zero(left) or is_zero(right):
            return _asked(right if is_zero(left) else left, outcome == (op == "!="))
        case bare:
            return bare, outcome


@flow_question
def tells_errors(function: Function) -> bool:
    """Whether the function does nothing but answer whether a failure is pending, which a call of a library tells it."""
    known, flow = references(function.program), function.flow

    def tells(value: r.Value | None, outcome: bool) -> bool:
        asked, is_there = _asked(value, outcome)
        model = known.model(asked, function) if isinstance(asked, r.Call) else None
        return is_there and model is not None and model.has("check", "global")

    if len(flow.calls) != 1 or flow.writes:
        return False
    for leave in flow.leaves:
        answer = bare_value(leave.value)
        told = list(flow.guards(leave))
        if not isinstance(answer, r.Literal):
            if told or not tells(answer, True):
                return False
        elif len(told) != 1 or not tells(told[0][0].value, told[0][1] is not is_zero(answer)):
            return False
    return bool(flow.leaves)
