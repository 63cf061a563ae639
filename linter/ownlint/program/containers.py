"""Maps that outlive a call: which one an expression stands for, what puts entries in, who looks first.

A map is known by its names, not by its object: the member `live_` reached as `this->live_`, `ctx->live_`, through a
reference or through a getter that returns it is one map. Two objects of one class are not told apart,
which errs on the side of silence: a look into either counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.program import events as e
from ownlint.program import types
from ownlint.program.lower import statements
from ownlint.program.places import last_name, receiver, strip, walk
from ownlint.program.subjects import Function

LOOKS = frozenset(
    {
        "find",
        "count",
        "contains",
        "lookup",
        "at",
        "equal_range",
        "lower_bound",
        "upper_bound",
        "has",
        "exists",
        "find_as",
    }
)
CLEARS = frozenset({"erase", "clear", "extract", "remove", "erase_if", "swap"})
INSERTS = frozenset({"insert", "emplace", "try_emplace", "insert_or_assign", "emplace_hint"})

_ELEMENT = frozenset({"find", "at", "begin", "lower_bound"})
_PAIRS = frozenset({"make_pair", "pair", "value_type", "make_tuple"})
_THROUGH = frozenset({"get", "value", "lock"})
_INDEX_ASSIGNED = re.compile(rb"\[8,\d+,\d+,\[[36],")
_HELPERS = 2
"""How many calls deep a helper may look."""


class Container(NamedTuple):
    names: tuple[str, ...]
    """By which it is known; an element of a map of maps has `[]` behind its map's name."""
    shown: str
    type: str
    parameter: int = -1
    """The parameter through which the function was handed the map, or -1."""

    def is_same(self, names: tuple[str, ...]) -> bool:
        return not set(self.names).isdisjoint(names)


class Insert(NamedTuple):
    event: e.Write | e.Call
    container: Container
    key: r.Value
    value: r.Value | None
    overwrites: bool
    """It replaces what is there; else what is there stays."""


class Look(NamedTuple):
    """The map is asked about a key, or the key is taken out."""

    event: e.Event
    asserted: bool
    through: str = ""
    """The helper that does it."""


# --- which map ------------------------------------------------------------------------------------


def container(function: Function, value: r.Value | None) -> Container | None:
    """The map an expression stands for; None when it is local to one call or cannot be told."""
    found = _names(function, value, 0)
    if found is None or value is None:
        return None
    names, parameter = found
    written = function.program.type_of(value, function)
    if "associative" not in function.program.roles(written, function):
        written = types.element(written)
        written = function.program.expand(written, function.file, function.record.scope) if written else ""
    return Container(names, text(value).replace("->", ".").removeprefix("this."), written, parameter)


def _names(function: Function, value: r.Value | None, depth: int) -> tuple[tuple[str, ...], int] | None:
    value = _bare(value)
    if value is None or depth > 6:
        return None
    match value:
        case r.Name(text=name):
            return _names_of_name(function, name, depth)
        case r.Member(base=base, name="second") if (inner := _element_of(function, base, depth)) is not None:
            return inner
        case r.Member(base=base, name=name, arrow=arrow):
            return None if not arrow and _is_local_value(function, base) else ((name,), -1)
        case r.Index(base=base):
            return _nested(_names(function, base, depth + 1))
        case r.Call(callee=r.Member(base=base, name="at")):
            return _nested(_names(function, base, depth + 1))
        case r.Call(callee=r.Member(base=base, name=name), args=()) if name in _THROUGH:
            return _names(function, base, depth + 1)
        case r.Call(kind="call") if last_name(value.callee):
            return _names_of_call(function, value, depth), -1
    return None


def _nested(found: tuple[tuple[str, ...], int] | None) -> tuple[tuple[str, ...], int] | None:
    return (tuple(name + "[]" for name in found[0]), found[1]) if found is not None else None


def _names_of_name(function: Function, name: str, depth: int) -> tuple[tuple[str, ...], int] | None:
    around: Function | None = function
    while around is not None:
        for position, parameter in enumerate(around.record.parameters):
            if parameter.name == name:
                kind = types.parse(parameter.type)
                handed = bool(kind.pointers or kind.reference)
                return ((name,), position if around is function else -1) if handed else None
        if name in around.locals:
            return _names_of_local(around, name, depth)
        if name in around.flow.aliases:
            place = around.flow.aliases[name]
            named = [step for step in place if not step.startswith("[") and step not in ("first", "second")]
            return ((named[-1] + "[]" * sum(step.startswith("[") for step in place),), -1) if named else None
        if name in around.declared and around.parent is None:
            return None
        around = around.parent
    return (name.rsplit("::", 1)[-1],), -1


def _names_of_local(function: Function, name: str, depth: int) -> tuple[tuple[str, ...], int] | None:
    written, initial = function.locals[name]
    kind = types.parse(written)
    if (kind.pointers or kind.reference) and initial is not None:
        return _names(function, initial, depth + 1)
    static = any(isinstance(s, r.Declare) and s.static and name in s.names for s in statements(function.body))
    if static:
        return (name,), -1
    made = _bare(initial)
    if kind.is_placeholder and isinstance(made, r.Unary | r.Call):  # `auto* m = ...` was read as `auto`
        is_pointer = types.parse(function.program.type_of(initial, function)).pointers
        return _names(function, initial, depth + 1) if is_pointer else None
    return None


def _names_of_call(function: Function, call: r.Call, depth: int) -> tuple[str, ...]:
    """`ctx->live()` is what the getter returns, when the project says how it is written."""
    names = [last_name(call.callee) + "()"]
    for getter in function.program.callee(call, function).functions[:2]:
        returned = [s.value for s in statements(getter.body) if isinstance(s, r.Leave) and s.kind == "return"]
        if len(returned) == 1 and (inner := _names(getter, returned[0], depth + 1)) is not None:
            names += inner[0]
    return tuple(dict.fromkeys(names))


def _element_of(function: Function, value: r.Value, depth: int) -> tuple[tuple[str, ...], int] | None:
    """`it` of `it->second`, where `it` was found in a map of maps."""
    name = _bare(value)
    if not isinstance(name, r.Name) or name.text not in function.locals:
        return None
    made = _bare(function.locals[name.text][1])
    if isinstance(made, r.Call) and last_name(made.callee) in _ELEMENT:
        return _nested(_names(function, receiver(made), depth + 1))
    return None


def _is_local_value(function: Function, base: r.Value) -> bool:
    """Whether the root of a member chain is an object that ends with this call."""
    current: r.Value = base
    while isinstance(current, r.Member) and not current.arrow:
        current = current.base
    if not isinstance(current, r.Name) or current.text not in function.locals:
        return False
    kind = types.parse(function.locals[current.text][0])
    return kind.is_value and not any(p.name == current.text for p in function.record.parameters)


def _bare(value: r.Value | None) -> r.Value | None:
    """Without casts, moves, `*` and `&`."""
    value = strip(value)
    while isinstance(value, r.Unary) and value.op in ("*", "&"):
        value = strip(value.value)
    return value


# --- which key ------------------------------------------------------------------------------------


def key_text(function: Function, value: r.Value | None, depth: int = 0) -> str:
    """A key as it compares: casts are dropped, a local stands for what it was made from."""
    value = _bare(value)
    if isinstance(value, r.Name) and depth < 4 and value.text in function.locals:
        initial = _bare(function.locals[value.text][1])
        if isinstance(initial, r.Name | r.Member) and initial.start != value.start:
            return key_text(function, initial, depth + 1)
    return text(value).replace("->", ".") if value is not None else ""


def is_same_key(function: Function, one: r.Value, other: r.Value) -> bool:
    """The same key, or one that was made from the other."""
    if key_text(function, one) == key_text(function, other):
        return True
    return not _origins(function, one).isdisjoint(_origins(function, other))


def _origins(function: Function, value: r.Value | None) -> set[str]:
    """The names a key comes from, through the locals that hold it."""
    found: set[str] = set()
    queue = [value]
    for current in queue:
        for inner in walk(current):
            if not isinstance(inner, r.Name) or inner.text in found or inner.text == "this":
                continue
            if inner.text not in function.declared:
                continue
            found.add(inner.text)
            if inner.text in function.locals and len(queue) < 12:
                queue.append(function.locals[inner.text][1])
    return found


# --- inserts --------------------------------------------------------------------------------------


def inserts(function: Function) -> Iterator[Insert]:
    """Everything that puts an entry under a key into a map that outlives the call."""
    if (
        not function.mentions(*INSERTS)
        and not _INDEX_ASSIGNED.search(bytes(function.record.body))
        and not _has_slot(function)
    ):
        return
    for event in function.flow:
        match event:
            case e.Write(op="=", target=target, fresh=False) if target is not None:
                if (found := element(function, target)) is not None:
                    yield Insert(event, found[0], found[1], event.value, True)
            case e.Call(node=r.Call(callee=r.Member(base=base, name=name)) as node) if name in INSERTS:
                parts = _entry(node)
                if parts and (held := container(function, base)) is not None:
                    overwrites = name == "insert_or_assign"
                    yield Insert(event, held, parts[0], parts[1] if len(parts) > 1 else None, overwrites)


def _has_slot(function: Function) -> bool:
    """Whether a local can be a reference to an element."""
    body = bytes(function.record.body)
    return b"[8," in body and b"[3," in body and (b'&"' in body or b'*"' in body)


def _entry(call: r.Call) -> tuple[r.Value, ...]:
    """The key, and the value where there is one, of a call that inserts; nothing when it inserts a range."""
    parts = call.args
    if last_name(call.callee) == "emplace_hint":
        parts = parts[1:]
    entry = strip(parts[-1]) if parts else None
    if isinstance(entry, r.Aggregate) and len(entry.items) == 2 and len(parts) < 3:
        return entry.items
    if isinstance(entry, r.Call) and last_name(entry.callee) in _PAIRS and len(entry.args) == 2 and len(parts) < 3:
        return entry.args
    if len(parts) == 2 and last_name(getattr(entry, "callee", None)) in ("end", "cend"):
        return ()
    if len(parts) == 3 and text(parts[0]).endswith("piecewise_construct"):
        return tuple(part.args[0] if isinstance(part, r.Call) and part.args else part for part in parts[1:])
    return parts


def element(function: Function, value: r.Value) -> tuple[Container, r.Value] | None:
    """The map and the key behind `map[key]`, `map.at(key)`, or a reference or pointer to such an element."""
    base: r.Value | None = None
    key: r.Value | None = None
    match _bare(value):
        case r.Index(base=base, indexes=(key,)):
            pass
        case r.Call(callee=r.Member(base=base, name="at"), args=(key,)):
            pass
        case r.Name(text=name) if name in function.locals:
            written, initial = function.locals[name]
            if initial is None or not ("&" in written or "*" in written) or isinstance(_bare(initial), r.Name):
                return None
            if "*" in written and not (isinstance(initial, r.Unary) and initial.op == "&"):
                return None
            return element(function, initial)
    if base is None or key is None:
        return None
    held = container(function, base)
    return (held, key) if held is not None else None


# --- looks ----------------------------------------------------------------------------------------


def looks(function: Function, held: Container, key: r.Value | None, depth: int = 0) -> list[Look]:
    """Where the function asks the map about the key or takes it out, itself or through a helper; every
    key counts when `key` is None. In source order."""
    return list(_looks(function, held, key, depth))


def _looks(function: Function, held: Container, key: r.Value | None, depth: int) -> Iterator[Look]:
    asserted = [event.span for event in function.flow if isinstance(event, e.Test) and event.asserted]
    for event in function.flow:
        found: Look | None = None
        match event:
            case e.Call():
                found = _call_looks(function, event, held, key, depth)
            case e.Read(node=node) if (at := _read_of(function, node)) is not None:
                if at[0].is_same(held.names) and (key is None or is_same_key(function, at[1], key)):
                    found = Look(event, False)
        if found is None or _is_unheard(function, event):
            continue
        inside = found.asserted or any(event.span.start in span for span in asserted)
        yield found._replace(asserted=inside or only_asserted(function, event))


def _read_of(function: Function, node: r.Value) -> tuple[Container, r.Value] | None:
    if isinstance(node, r.Index) or (isinstance(node, r.Name) and node.text in function.locals):
        at = element(function, node)
        if at is not None and not (isinstance(node, r.Index) and _binds_reference(function, node)):
            return at
    return None


def _binds_reference(function: Function, node: r.Value) -> bool:
    """`auto& slot = map[key];` looks at nothing yet."""
    return any(
        initial is not None and ("&" in written or "*" in written) and initial.start <= node.start < initial.end
        for written, initial in function.locals.values()
    )


def _call_looks(function: Function, event: e.Call, held: Container, key: r.Value | None, depth: int) -> Look | None:
    node = event.node
    name = last_name(node.callee)
    base = receiver(node)
    if base is not None and name in LOOKS | CLEARS | INSERTS and (found := _names(function, base, 0)) is not None:
        if not held.is_same(found[0]):
            return None
        if name in ("clear", "swap") or key is None or not node.args:
            return Look(event, event.asserted)
        asked = _entry(node)[:1] if name in INSERTS else node.args
        return Look(event, event.asserted) if any(is_same_key(function, argument, key) for argument in asked) else None
    handed = [argument for argument in node.args if (names := _names(function, argument, 0)) and held.is_same(names[0])]
    mapped = function.program.callee(node, function).functions if depth < _HELPERS else ()
    for helper in mapped:
        if helper is not function and (look := _helper_looks(function, event, helper, held, key, depth)) is not None:
            return look
    if handed and not mapped and any(argument not in handed for argument in node.args):
        others = [argument for argument in node.args if argument not in handed]
        if key is None or any(is_same_key(function, argument, key) for argument in others):
            return Look(event, event.asserted, name)  # `find_or_null(map, key)`
    return None


def _helper_looks(
    function: Function, event: e.Call, helper: Function, held: Container, key: r.Value | None, depth: int
) -> Look | None:
    inside = handed(function, event.node, helper, held)
    inner = None
    for parameter, argument in zip(helper.record.parameters, event.node.args, strict=False):
        if key is not None and parameter.name and is_same_key(function, argument, key):
            inner = r.Name(0, 0, parameter.name)
    if key is not None and inner is None and not helper.mentions("clear"):
        return None
    found = [look for look in looks(helper, inside, inner, depth + 1) if not _inserts_only(look)]
    if not found:
        return None
    if event.dropped == "statement" and helper.record.result not in ("", "void") and not helper.mentions(*CLEARS):
        return None
    return Look(event, event.asserted or all(look.asserted for look in found), helper.name)


def _inserts_only(look: Look) -> bool:
    return isinstance(look.event, e.Call) and last_name(look.event.node.callee) in INSERTS


def handed(caller: Function, call: r.Call, callee: Function, held: Container) -> Container:
    """The caller's map as the callee knows it: also by the parameter through which it is handed."""
    names = list(held.names)
    for parameter, argument in zip(callee.record.parameters, call.args, strict=False):
        found = _names(caller, argument, 0)
        if parameter.name and found is not None and held.is_same(found[0]):
            names.append(parameter.name)
    return held._replace(names=tuple(dict.fromkeys(names)))


def _is_unheard(function: Function, event: e.Event) -> bool:
    """A question whose answer is thrown away."""
    if isinstance(event, e.Call):
        return bool(event.dropped) and last_name(event.node.callee) in LOOKS | INSERTS
    return function.program.is_voided(function, event.span)


# --- assertions -----------------------------------------------------------------------------------


def only_asserted(function: Function, event: e.Event) -> bool:
    """The answer goes to locals that only assertions read: `bool fresh = m.count(k) == 0; assert(fresh);`."""
    names = held_by(function, event)
    return bool(names) and asserting_reads(function, names) is not None


def held_by(function: Function, event: e.Event) -> tuple[str, ...]:
    """The locals that begin with the outcome of the event."""
    return tuple(
        write.place[0]
        for write in function.flow.writes
        if write.fresh and write.value is not None and len(write.place) == 1
        if write.value.start <= event.span.start < write.value.end
    )


def asserting_reads(function: Function, names: tuple[str, ...]) -> e.Read | None:
    """The first of the reads of these locals, when assertions are all that reads them."""
    asserted = [event.span for event in function.flow if isinstance(event, e.Test) and event.asserted]
    first: e.Read | None = None
    for event in function.flow:
        if not isinstance(event, e.Read) or event.place[0] not in names:
            continue
        if any(event.span.start in span for span in asserted):
            first = first or event
        elif not function.program.is_voided(function, event.span):
            return None
    return first
