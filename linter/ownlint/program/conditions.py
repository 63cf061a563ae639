"""What a condition comes to once a place holds a value, and what puts a value into a place.

`if (ready_) return` says nothing by itself; given that `ready_` holds true it is known to return. The
answers are true, false and "cannot tell", and a condition of several parts is as known as its parts are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.program import events as e
from ownlint.program.lower import statements
from ownlint.program.places import THIS, Place, assigned, inserted, last_name, place_of, receiver, strip
from ownlint.program.subjects import Function

_CONSTANT = re.compile(r"(?:\w+::)*(?:k[A-Z]\w*|[A-Z][A-Z0-9_]+)")
_MAKERS = re.compile(
    r"make_(?:unique|shared|intrusive|ref\w*)|Make(?:Unique|Shared|Ref\w*|Intrusive)|allocate_shared|WrapUnique"
)
_DEPTH = 6


class Held(msgspec.Struct, frozen=True):
    """What is put into a place. `kind`: `flag` (true or another constant), `cleared` (false), `state` (an enumerator),
    `bit`, `count`, `object` (something that was just made), `entry` (a key is present), `copy` (another place's value)."""

    kind: str
    truth: bool | None
    text: str = ""


class Assignment(msgspec.Struct, frozen=True):
    """`event` leaves `held` in `place`."""

    event: e.Event
    place: Place
    held: Held


class Given(msgspec.Struct, frozen=True):
    """The assumption that a place holds a value. `anywhere` lets any place with the same last step count: in other
    functions the same member is reached by other ways."""

    place: Place
    held: Held
    anywhere: bool = False


def place(function: Function, value: r.Value | None) -> Place | None:
    """The place an expression names inside `function`: references followed, members found below `this`."""
    members = (
        function.home.members - function.declared
        if function.home is not None and function.language == "cpp"
        else frozenset()
    )
    return place_of(value, function.flow.aliases, members)


# --- what is put where ------------------------------------------------------------------------------


def assignments(function: Function) -> Iterator[Assignment]:
    """Every value that is known to some degree and put into something the function does not declare there and then:
    by `=`, by a bit or a count, by an atomic's operations, by an insert, by a setter of the function's own class."""
    for event in function.flow:
        match event:
            case e.Write(fresh=False, place=where, value=value, op=op):
                held = _written(op, value, where)
                if held is not None:
                    yield Assignment(event, where, held)
            case e.Call(node=call):
                yield from _by_call(function, event, call)


def _written(op: str, value: r.Value | None, where: Place) -> Held | None:
    match op:
        case "=":
            return held(value) or (Held("entry", None) if where[-1].startswith("[") and len(where) > 1 else None)
        case "|=" if value is not None:
            return Held("bit", True, text(value))
        case "++":
            return Held("count", True)
    return None


def _by_call(function: Function, event: e.Call, call: r.Call) -> Iterator[Assignment]:
    if (found := assigned(call)) is not None:
        target, value = found
        where = place(function, target)
        what = held(value) if value is not None else Held("flag", True, "true")
        if where is not None and what is not None:
            yield Assignment(event, where, what)
    elif (key := inserted(call)) is not None and event.receiver is not None:
        yield Assignment(event, (*event.receiver, f"[{text(key)}]"), Held("entry", None))
    elif (setter := own_method(function, call)) is not None and setter is not function:
        yield from (Assignment(event, where, what) for where, what in _set_by(setter, call))


def held(value: r.Value | None) -> Held | None:
    """What is known of a value that is being stored; None when nothing is."""
    inner = strip(value)
    match inner:
        case r.Literal(kind="bool", text=shown):
            return Held("flag" if shown == "true" else "cleared", shown == "true", shown)
        case r.Literal(kind="int", text=shown):
            return Held("cleared" if shown == "0" else "flag" if shown == "1" else "state", shown != "0", shown)
        case r.Literal(kind="null"):
            return Held("cleared", False, "nullptr")
        case r.Name(text="TRUE"):
            return Held("flag", True, "true")
        case r.Name(text="FALSE"):
            return Held("cleared", False, "false")
        case r.Name(text=name) if is_constant(inner):
            return Held("state", None, name)
        case r.Name(text="this") | r.Unary(op="&") | r.Call(kind="new"):
            return Held("object", True)
        case r.Call(callee=callee) if _MAKERS.fullmatch(last_name(callee)):
            return Held("object", True)
        case r.Call(callee=callee, args=(made,)) if isinstance(made, r.Call) and made.kind == "new":
            return Held("object", True)
        case r.Assign(op="=", value=source):
            return held(source)
        case r.Name(text=name) | r.Member(name=name):
            return Held("copy", None, text(inner))
    return None


def is_constant(value: r.Value | None) -> bool:
    """Whether it is spelled like an enumerator or another named constant."""
    return isinstance(value, r.Name) and bool(
        _CONSTANT.fullmatch(value.text) or re.fullmatch(r"(?:\w+::)+[A-Z]\w*", value.text)
    )


def own_method(function: Function, call: r.Call) -> Function | None:
    """The method of the function's own class that is called on `this`."""
    on = receiver(call)
    if function.home is None or call.kind != "call" or not (on is None or (isinstance(on, r.Name) and on.text == THIS)):
        return None
    if on is None and not isinstance(call.callee, r.Name):
        return None
    found = [m for m in function.home.defined(last_name(call.callee)) if len(m.record.parameters) >= len(call.args)]
    return found[0] if len(found) == 1 else None


_SETTER_BYTES = 600


def _set_by(setter: Function, call: r.Call) -> Iterator[tuple[Place, Held]]:
    """What a method of one statement stores in a member: a constant, or an argument of the call."""
    if len(bytes(setter.record.body)) > _SETTER_BYTES or not any(m.startswith("=") for m in setter.record.mentions):
        return
    given = {p.name: argument for p, argument in zip(setter.record.parameters, call.args, strict=False)}
    if len(setter.body) != 1:
        return
    for write in setter.flow.writes:
        if write.op == "=" and not write.fresh and write.place[0] == THIS:
            value = strip(write.value)
            if isinstance(value, r.Name) and value.text in given:
                value = given[value.text]
            if (what := held(value)) is not None and what.kind != "copy":
                yield write.place, what


# --- what follows from it -----------------------------------------------------------------------------


def comes_to(function: Function, value: r.Value | None, given: Given, depth: int = 0) -> bool | None:
    """Whether the condition holds under the assumption; None when that cannot be told."""
    if depth > _DEPTH:
        return None
    inner = strip(value)
    if isinstance(inner, (r.Name, r.Member, r.Index, r.Unary, r.Call)) and _is_given(function, inner, given):
        return given.held.truth
    match inner:
        case r.Literal(kind="bool", text=shown):
            return shown == "true"
        case r.Unary(op="!" | "not", value=negated):
            return _not(comes_to(function, negated, given, depth + 1))
        case r.Binary(op="&&" | "||" as op, left=left, right=right):
            parts = comes_to(function, left, given, depth + 1), comes_to(function, right, given, depth + 1)
            settling = op == "||"
            if settling in parts:
                return settling
            return None if None in parts else not settling
        case r.Binary(op="==" | "!=" as op, left=left, right=right):
            same = _same(function, left, right, given, depth)
            return same if op == "==" else _not(same)
        case r.Binary(op=">" | ">=" | "<" | "<=" as op, left=left, right=r.Literal(kind="int", text="0" | "1")):
            if comes_to(function, left, given, depth + 1) is True and given.held.kind in ("count", "entry", "flag"):
                return op in (">", ">=")
        case r.Binary(op="&", left=left, right=right):
            return _bits(function, left, right, given)
        case r.Binary(op=",", right=right):
            return comes_to(function, right, given, depth + 1)
        case r.Assign(op="++", target=target) if _is_given(function, target, given):
            return True if given.held.kind == "count" else None
        case r.Member(base=base, name="second"):
            return _inserts_again(function, base, given)
        case r.Call():
            return _call_comes_to(function, inner, given, depth)
        case r.Name(text=name):
            initial = computed_once(function, name)
            if initial is not None:
                return comes_to(function, initial, given, depth + 1)
    return None


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


def _is_given(function: Function, value: r.Value, given: Given) -> bool:
    where = place(function, value)
    if where is None:
        return False
    if where == given.place:
        return True
    # A local that has the member's name is another thing.
    return given.anywhere and where[-1] == given.place[-1] and not (len(where) == 1 and function.is_local(where))


def _same(function: Function, left: r.Value, right: r.Value, given: Given, depth: int) -> bool | None:
    """Whether two operands are equal."""
    for one, other in ((strip(left), strip(right)), (strip(right), strip(left))):
        if one is None or other is None:
            continue
        if isinstance(other, r.Literal) and other.kind == "bool":
            known = comes_to(function, one, given, depth + 1)
            return None if known is None else known == (other.text == "true")
        if isinstance(one, (r.Name, r.Member, r.Index, r.Call)) and _is_given(function, one, given):
            return _equals(given.held, other)
        if (
            isinstance(one, r.Assign)
            and one.op == "++"
            and _is_given(function, one.target, given)
            and isinstance(other, r.Literal)
        ):
            return False if given.held.kind == "count" and other.text in ("0", "1") else None
        if isinstance(other, r.Literal) and other.text == "0" and isinstance(one, r.Call):
            return _not(comes_to(function, one, given, depth + 1))
        if isinstance(other, r.Call) and last_name(other.callee) in ("end", "cend") and not other.args:
            looked_up = (
                one
                if isinstance(one, r.Call)
                else strip(computed_once(function, one.text))
                if isinstance(one, r.Name)
                else None
            )
            if (
                isinstance(looked_up, r.Call)
                and last_name(looked_up.callee) == "find"
                and _has_key(function, looked_up, given)
            ):
                return False
    return None


def _equals(holding: Held, other: r.Value) -> bool | None:
    """Whether what is held equals a constant, or the very expression it was copied from."""
    if holding.kind == "copy":
        return True if text(other) == holding.text else None
    if isinstance(other, r.Literal) and (other.kind == "null" or other.text == "0"):
        return _not(holding.truth)
    if isinstance(other, r.Literal) and other.kind == "int" and holding.kind in ("flag", "cleared", "state", "count"):
        return holding.text == other.text if holding.text else None
    if holding.kind in ("state", "flag") and is_constant(other) and isinstance(other, r.Name):
        return holding.text.rsplit("::", 1)[-1] == other.text.rsplit("::", 1)[-1]
    return None


def _bits(function: Function, left: r.Value, right: r.Value, given: Given) -> bool | None:
    for one, other in ((left, right), (right, left)):
        inner = strip(one)
        if (
            given.held.kind == "bit"
            and inner is not None
            and _is_given(function, inner, given)
            and text(other) == given.held.text
        ):
            return True
    return None


def _inserts_again(function: Function, base: r.Value, given: Given) -> bool | None:
    inner = strip(base)
    return (
        False
        if isinstance(inner, r.Call) and inserted(inner) is not None and _has_key(function, inner, given)
        else None
    )


def _has_key(function: Function, call: r.Call, given: Given) -> bool:
    """Whether the call asks a container for the key that is assumed to be there."""
    if not call.args or given.held.kind not in ("entry", "flag", "object", "state"):
        return False
    where = place(function, receiver(call))
    return where is not None and (*where, f"[{text(call.args[0])}]") == given.place


def _call_comes_to(function: Function, call: r.Call, given: Given, depth: int) -> bool | None:
    found = assigned(call)
    if found is not None and _is_given(function, found[0], given):
        return False if last_name(call.callee).startswith("compare_exchange") else given.held.truth
    name = last_name(call.callee)
    if name in ("contains", "count", "find") and _has_key(function, call, given):
        return True
    if inserted(call) is not None and _has_key(function, call, given):
        return False
    on = receiver(call)
    if name in ("has_value", "test", "is_set") and on is not None and _is_given(function, on, given):
        return given.held.truth
    if call.args:
        return None
    accessor, below = own_method(function, call), given.place[:-1] == (THIS,)
    if accessor is None and on is not None:
        where = place(function, on)
        candidates = function.program.callee(call, function).functions
        accessor = candidates[0] if len(candidates) == 1 else None
        below = given.anywhere or where == given.place[:-1]
    if accessor is None or accessor is function or not below:
        return None
    return _accessor_comes_to(accessor, given, depth)


def _accessor_comes_to(accessor: Function, given: Given, depth: int) -> bool | None:
    """What a method that only answers a question about the member answers."""
    if len(bytes(accessor.record.body)) > _SETTER_BYTES or accessor.record.parameters:
        return None
    match accessor.body:
        case (r.Leave(kind="return", value=value),):
            return comes_to(accessor, value, Given((THIS, given.place[-1]), given.held, given.anywhere), depth + 1)
    return None


def computed_once(function: Function, name: str) -> r.Value | None:
    """What a local was initialised with, where nothing assigns to it later."""
    if name not in function.locals:
        return None
    _, initial = function.locals[name]
    if initial is None or any(write.place == (name,) and not write.fresh for write in function.flow.writes):
        return None
    return initial


def case_of(function: Function, event: e.Event) -> tuple[r.Switch, r.Case] | None:
    """The innermost `switch` and the case of it in which the event stands."""
    found = None
    for statement in statements(function.body):
        if isinstance(statement, r.Switch) and statement.start <= event.span.start < statement.end:
            case = next((c for c in statement.cases if c.start <= event.span.start < c.end), None)
            found = (statement, case) if case is not None else found
    return found
