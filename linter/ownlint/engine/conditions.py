"""What a condition comes to once a place holds a value.

`if (ready_) return` says nothing by itself; given that `ready_` holds true it is known to return. The
answers are true, false and "cannot tell", and a condition of several parts is as known as its parts are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from ownlint.engine.assignments import Held, assigned, held, inserted, own_method, place
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.asked import is_constant
from ownlint.flow.places import THIS, Place, last_name, receiver, strip, walk
from ownlint.project import types, undecoded
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function

_DEPTH = 6
_KEYS = frozenset({"entry", "flag", "object", "state"})
"""What is held under a key that is there."""


class Given(msgspec.Struct, frozen=True):
    """The assumption that a place holds a value. `anywhere` lets any place with the same last step count: in other
    functions the same member is reached by other ways. `owner` is the class that declares the member, if that is known:
    the member of that name in another class is another thing."""

    place: Place
    held: Held
    anywhere: bool = False
    owner: str = ""


def comes_to(function: Function, value: r.Value | None, given: Given, depth: int = 0) -> bool | None:
    """Whether the condition holds under the assumption; None when that cannot be told."""
    if depth > _DEPTH:
        return None
    inner = strip(value)
    if isinstance(inner, (r.Name, r.Member, r.Index, r.Unary, r.Call)) and _is_given(function, inner, given):
        return given.held.truth
    match inner:
        case r.Literal(kind="bool") as said:
            return said.is_true
        case r.Literal(kind="null"):
            return False
        case r.Conditional(condition=asked, then=then, other=other):
            known = comes_to(function, asked, given, depth + 1)
            if known is not None:
                return comes_to(function, then if known else other, given, depth + 1)
            either = comes_to(function, then, given, depth + 1)
            return either if either == comes_to(function, other, given, depth + 1) else None
        case r.Unary(op="!" | "not", value=negated):
            return _not(comes_to(function, negated, given, depth + 1))
        case r.Binary(op="&&" | "||" as op, left=left, right=right):
            parts = comes_to(function, left, given, depth + 1), comes_to(function, right, given, depth + 1)
            settling = op == "||"
            if settling in parts:
                return settling
            return None if None in parts else not settling
        case r.Binary(op="==" | "!=" | "is" | "is not" as op, left=left, right=right):
            same = _same(function, left, right, given, depth)
            return same if op in ("==", "is") else _not(same)
        case r.Binary(op="in" | "not in" as op, left=key, right=container):
            where = place(function, container)
            if where is not None and (*where, f"[{text(key)}]") == given.place and given.held.kind in _KEYS:
                return op == "in"
        case r.Binary(op=">" | ">=" | "<" | "<=" as op, left=left, right=r.Literal(kind="int", text="0" | "1")):
            if given.held.kind in ("count", "entry", "flag") and comes_to(function, left, given, depth + 1) is True:
                return op in (">", ">=")
        case r.Binary(op="&", left=left, right=right):
            return _has_bit(function, left, right, given)
        case r.Binary(op=",", right=right):
            return comes_to(function, right, given, depth + 1)
        case r.Assign(op="++", target=target) if given.held.kind == "count" and _is_given(function, target, given):
            return True
        case r.Member(base=base, name="second"):
            return _inserts_again(function, base, given)
        case r.Call():
            return _call_comes_to(function, inner, given, depth)
        case r.Name(text=name):
            initial = computed_once(function, name)
            if initial is not None:
                return comes_to(function, initial, given, depth + 1)
    return None


def can_come_to(
    function: Function, value: r.Value | None, given: Given, settled: frozenset[Place] = frozenset(), depth: int = 0
) -> bool | None:
    """What a condition comes to where its other parts let it: `forced || !ready` is false unless it is forced.
    A part that looks at one of the `settled` places has the say itself."""
    known = comes_to(function, value, given, depth)
    if known is not None or depth > _DEPTH:
        return known
    match strip(value):
        case r.Unary(op="!" | "not", value=negated):
            return _not(can_come_to(function, negated, given, settled, depth + 1))
        case r.Name(text=name):
            initial = computed_once(function, name)
            return can_come_to(function, initial, given, settled, depth + 1) if initial is not None else None
        case r.Binary(op="&&" | "||", left=left, right=right) if not _looks_at(function, (left, right), settled):
            parts = {can_come_to(function, part, given, settled, depth + 1) for part in (left, right)} - {None}
            return parts.pop() if len(parts) == 1 else None
    return None


# --- what a call says of the parameters -----------------------------------------------------------------


def said_of_parameters(callee: Function, call: r.Call, known: Sequence[Given] = ()) -> Iterator[Given]:
    """What a call says of the parameters, by a constant argument or by what stands for one that is left out, where the
    callee does not change them. `known` is what an outer call says of the caller's own parameters."""
    outer = {given.place: given.held for given in known}
    for index, parameter in enumerate(callee.record.parameters):
        said = strip(call.args[index] if index < len(call.args) else parameter.default)
        constant = outer.get((said.text,)) if isinstance(said, r.Name) else None
        constant = constant if constant is not None else held(said)
        changed = any(not one.fresh for one in callee.flow.writes_to((parameter.name,)))
        if constant is not None and constant.kind != "copy" and not changed:
            yield Given((parameter.name,), constant)


def may_come(function: Function, event: e.Event, given: Sequence[Given]) -> bool:
    """Whether a function comes to an event under all of these assumptions."""
    return not any(
        not test.asserted and comes_to(function, test.value, one) is (not outcome)
        for test, outcome in (function.flow.guards(event) if given else ())
        for one in given
    )


# --- which tests can be about a place -------------------------------------------------------------------


@flow_question
def tests_about(function: Function, given: Given) -> list[e.Test]:
    """The tests of the function that can come to something under an assumption about its own places, in source
    order; those that are only asserted are among them."""
    about, fixed, said_in = _tests_by_name(function)
    said = next((step for step in reversed(given.place) if not step.startswith("[")), given.place[-1])
    names = (said, *_askers(function, said))
    keys = [step for step in given.place if _LITERAL_KEY.fullmatch(step)]
    if keys:  # `table[3]` is not what a test of `table[4]` asks about
        tests = about.get(keys[-1], ())
        found = {test.index: test for test in tests if not said_in[test.index].isdisjoint(names)}
    else:
        found = {test.index: test for name in names for test in about.get(name, ())}
    found.update((test.index, test) for test in fixed)
    return [test for _, test in sorted(found.items()) if can_come_to(function, test.value, given) is not None]


def _askers(function: Function, name: str) -> set[str]:
    """Names of the short methods that look at something of that name, or ask one that does."""
    accessors = undecoded.accessors(function.program)
    found = set(accessors.get(name, ()))
    queue = list(found)
    for _ in range(_DEPTH):
        queue = [asking for asked in queue for asking in accessors.get(asked, ()) if asking not in found]
        found.update(queue)
    return found


@flow_question
def _tests_by_name(function: Function) -> tuple[dict[str, list[e.Test]], list[e.Test], dict[int, set[str]]]:
    """The tests by the names that stand in them, and in what their locals were computed from; and those of which
    some part is always the same; and the names by the test's index."""
    about: dict[str, list[e.Test]] = {}
    fixed: list[e.Test] = []
    said_in: dict[int, set[str]] = {}
    for test in function.flow.events:
        if isinstance(test, e.Test):
            names, literals = _names_in(function, test.value)
            said_in[test.index] = names
            for name in names:
                about.setdefault(name, []).append(test)
            if literals:
                fixed.append(test)
    return about, fixed, said_in


_LITERAL_KEY = re.compile(r"""\[(?:\d\w*|"[^"]*"|'[^']*')\]""")


def _names_in(function: Function, value: r.Value) -> tuple[set[str], bool]:
    """The names in a condition, followed to what they stand for, and whether `true` or `false` may be a part."""
    names: set[str] = set()
    literals = False
    pending: list[r.Value] = [value]
    for part in pending:
        for inner in walk(part):
            match inner:
                case r.Name(text=name) if name not in names:
                    names.update((name, last_name(inner), *function.flow.aliases.get(name, ())))
                    initial = computed_once(function, name)
                    if initial is not None:
                        pending.append(initial)
                case r.Member(name=name):
                    names.add(name)
                case r.Literal(kind="int" | "str" | "char", text=shown):
                    names.add(f"[{shown}]")
                case r.Literal(kind="bool"):
                    outer = strip(part)
                    literals = literals or not isinstance(outer, r.Binary) or outer.op in ("&&", "||", ",")
    return names, literals


def _looks_at(function: Function, values: tuple[r.Value, ...], places: frozenset[Place]) -> bool:
    return any(place(function, inner) in places for value in values for inner in walk(value))


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


def _is_given(function: Function, value: r.Value, given: Given) -> bool:
    where = place(function, value)
    if where is None:
        return False
    if given.owner and where[-1] == given.place[-1] and (declared_in(function, value) or given.owner) != given.owner:
        return False
    if where == given.place:
        return True
    # A local that has the member's name is another thing.
    return given.anywhere and where[-1] == given.place[-1] and not (len(where) == 1 and function.is_local(where))


def declared_in(function: Function, value: r.Value | None) -> str:
    """The class that declares the member which an expression names; empty where that is not known."""
    where = place(function, value)
    inner = strip(value)
    if where is not None and len(where) == 2 and where[0] == THIS:
        found = function.home.field(where[-1]) if function.home is not None else None
    elif isinstance(inner, r.Member):
        shown = function.program.types
        fields = (cls.field(inner.name) for cls in shown.classes_of(shown.of(inner.base, function), function))
        found = next((one for one in fields if one is not None), None)
    else:
        return ""
    return found[0].symbol if found is not None else ""


# --- comparisons ----------------------------------------------------------------------------------------


def _same(function: Function, left: r.Value, right: r.Value, given: Given, depth: int) -> bool | None:
    """Whether two operands are equal."""
    one, other = strip(left), strip(right)
    if one is None or other is None:
        return None
    known = _one_equals(function, one, other, given, depth)
    return known if known is not None else _one_equals(function, other, one, given, depth)


def _one_equals(function: Function, one: r.Value, other: r.Value, given: Given, depth: int) -> bool | None:
    match other:
        case r.Literal(kind="bool") as said:
            known = comes_to(function, one, given, depth + 1)
            return None if known is None else known == said.is_true
        case r.Call(callee=callee, args=()) if last_name(callee) in ("end", "cend"):
            return False if _finds(function, one, given) else None
    one = _stood_in(one)
    if isinstance(one, (r.Name, r.Member, r.Index, r.Unary, r.Call)) and _is_given(function, one, given):
        return _equals(given.held, other)
    match one, other:
        case r.Assign(op="++", target=target), r.Literal(text="0" | "1"):
            return False if given.held.kind == "count" and _is_given(function, target, given) else None
        case ((r.Call() | r.Binary(op="&")), r.Literal(text="0")):
            return _not(comes_to(function, one, given, depth + 1))
    return None


def _finds(function: Function, value: r.Value, given: Given) -> bool:
    """Whether it is `m.find(k)`, or a local with its result, for the key that is assumed to be there."""
    looked_up = strip(computed_once(function, value.text)) if isinstance(value, r.Name) else value
    if not isinstance(looked_up, r.Call) or last_name(looked_up.callee) != "find":
        return False
    return _has_key(function, looked_up, given)


def _equals(holding: Held, other: r.Value) -> bool | None:
    """Whether what is held equals a constant, or the very expression it was copied from."""
    if holding.kind == "copy":
        return True if text(other) == holding.text else None
    if holding.kind == "object" and holding.text and text(other) == holding.text:
        return True
    if isinstance(other, r.Literal) and (other.kind == "null" or other.text == "0"):
        return _not(holding.truth)
    if holding.kind == "count" and isinstance(other, r.Literal) and other.text == "1":
        return False  # `if (++users == 1)` is the first, and is gone by
    if isinstance(other, r.Literal) and other.kind in ("int", "str") and holding.kind in ("flag", "cleared", "state"):
        return holding.text == other.text if holding.text else None
    if holding.kind in ("state", "flag") and is_constant(other) and isinstance(other, r.Name):
        return types.parse(holding.text).last == types.parse(other.text).last
    return None


def _has_bit(function: Function, left: r.Value, right: r.Value, given: Given) -> bool | None:
    """`flags & kReady`, and `flags.fetch_or(kReady) & kReady`."""
    if given.held.kind != "bit":
        return None
    for side, other in ((left, right), (right, left)):
        one = strip(side)
        if one is not None and _is_given(function, _stood_in(one), given) and text(other) == given.held.text:
            return True
    return None


def _stood_in(value: r.Value) -> r.Value:
    """The place of which a call answers what it held before: `std::exchange(stamp_, now)`."""
    if not isinstance(value, r.Call) or last_name(value.callee).startswith("compare_exchange"):
        return value
    target = assigned(value)
    return target[0] if target is not None else value


# --- calls ----------------------------------------------------------------------------------------------


def _inserts_again(function: Function, base: r.Value, given: Given) -> bool | None:
    inner = strip(base)
    again = isinstance(inner, r.Call) and inserted(inner, function) is not None and _has_key(function, inner, given)
    return False if again else None


def _has_key(function: Function, call: r.Call, given: Given) -> bool:
    """Whether the call asks a container for the key that is assumed to be there."""
    if not call.args or given.held.kind not in _KEYS:
        return False
    where = place(function, receiver(call))
    key = inserted(call, function) or call.args[0]
    return where is not None and (*where, f"[{text(key)}]") == given.place


def _call_comes_to(function: Function, call: r.Call, given: Given, depth: int) -> bool | None:
    name, on = last_name(call.callee), receiver(call)
    if (found := assigned(call)) is not None and _is_given(function, found[0], given):
        return False if name.startswith("compare_exchange") else given.held.truth
    if name in ("contains", "count", "find", "test") and _has_key(function, call, given):
        return True
    if inserted(call, function) is not None and _has_key(function, call, given):
        return False
    if name in ("has_value", "test", "is_set") and on is not None and _is_given(function, on, given):
        return given.held.truth
    if isinstance(call.callee, r.Name) and call.args and function.program.macros.role(name) == "hint":
        return comes_to(function, call.args[0], given, depth + 1)
    accessor = _accessor(function, call, given)
    return _accessor_comes_to(accessor, given, depth) if accessor is not None else None


def _accessor(function: Function, call: r.Call, given: Given) -> Function | None:
    """The method that is asked about the object whose member is assumed to hold something."""
    on = receiver(call)
    found = own_method(function, call)
    if found is not None:
        return found if found is not function and (given.anywhere or given.place[:-1] == (THIS,)) else None
    if on is None or not (given.anywhere or place(function, on) == given.place[:-1]):
        return None
    candidates = function.program.calls.callee(call, function).functions
    return candidates[0] if len(candidates) == 1 and candidates[0] is not function else None


def _accessor_comes_to(accessor: Function, given: Given, depth: int) -> bool | None:
    """What a short method answers that asks the member, whatever else it does, such as log."""
    if not accessor.is_short or accessor.mentions("=" + given.place[-1]):
        return None
    own = Given((THIS, given.place[-1]), given.held, given.anywhere, given.owner)
    answers: set[bool | None] = set()
    for leave in accessor.flow.leaves:
        guards = (
            (comes_to(accessor, test.value, own, depth + 1), outcome) for test, outcome in accessor.flow.guards(leave)
        )
        if leave.kind == "return" and not any(known is not None and known is not outcome for known, outcome in guards):
            answers.add(comes_to(accessor, leave.value, own, depth + 1))
    return answers.pop() if len(answers) == 1 else None


def computed_once(function: Function, name: str) -> r.Value | None:
    """What a local was initialised with, or the only thing that is ever assigned to it, where nothing else is put there
    later. A constant is there to be changed, by its address or a reference, so that it says nothing."""
    if name not in function.locals:
        return None
    _, initial = function.locals[name]
    later = [write for write in function.flow.writes_to((name,)) if not write.fresh]
    if initial is None and len(later) == 1 and later[0].op == "=" and not _is_lent(function, name):
        initial = later[0].value
    elif later:
        return None
    return None if initial is None or isinstance(strip(initial), r.Literal) else initial


def _is_lent(function: Function, name: str) -> bool:
    """Whether somebody is given the address of a local, by which it gets a value."""
    return any(
        isinstance(value, r.Unary) and value.op == "&" and last_name(value.value) == name for value in function.values
    )


@flow_question
def _switches(function: Function) -> list[r.Switch]:
    return [statement for statement in function.statements if isinstance(statement, r.Switch)]


def case_of(function: Function, event: e.Event) -> tuple[r.Switch, r.Case] | None:
    """The innermost `switch` and the case of it in which the event stands."""
    found = None
    for statement in _switches(function):
        if statement.start <= event.span.start < statement.end:
            case = next((c for c in statement.cases if c.start <= event.span.start < c.end), None)
            found = (statement, case) if case is not None else found
    return found
