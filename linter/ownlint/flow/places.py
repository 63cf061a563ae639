"""Places: what a name, a member chain or an element stands for, as a path.

A place is a tuple of steps: the root (a local, a parameter, `this`, `self`, a global), then member
names and elements (`[k]`). Dereferencing is not a step: `p->x`, `(*p).x` and `p.x` are one place,
since what matters here is who owns it, not how it is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.steps import spend

Place = tuple[str, ...]
"""What a name, a member chain or an element stands for: its parts, outermost first."""

THIS = "this"
CHAIN = "<chain>"
"""What the C++ frontend writes for the part of a long chain that it made a statement of its own: a result, no place."""

# Calls that hand on what they are given: the place of the result is the place of the argument.
_TRANSPARENT = frozenset({"move", "forward", "as_const", "ref", "cref", "addressof", "to_address", "launder"})


def place_of(
    value: r.Value | None, aliases: Mapping[str, Place] = {}, members: frozenset[str] = frozenset()
) -> Place | None:
    """The place `value` names, or None when it names none (a call's result, a literal).

    `aliases` replace a root by what it is bound to, and a call without arguments (`Table::Get()`) by the object that
    it always answers with; a bare name among `members` is a member of `this`.
    """
    kind = type(value)
    steps: list[str] = []
    while kind in _WAYS:
        base, step = _WAYS[kind](value)
        if base is None and kind is r.Call:
            break
        value = base
        if step:
            steps.append(step)
        kind = type(value)
    if isinstance(value, r.Call) and aliases:
        rooted = _standing(value, aliases)
        return (*rooted, *reversed(steps)) if rooted else None
    if not isinstance(value, r.Name) or value.text == CHAIN:
        return None
    rooted = _rooted(value.text, aliases, members)
    return (*rooted, *reversed(steps)) if steps else rooted


def _rooted(name: str, aliases: Mapping[str, Place], members: frozenset[str]) -> Place:
    if name in aliases:
        return aliases[name]
    return (THIS, name) if name in members else (name,)


def _standing(call: r.Call, aliases: Mapping[str, Place]) -> Place:
    """Of a call that always answers with one object, its place; else empty."""
    if call.args or call.kind != "call" or not isinstance(call.callee, r.Name):
        return ()
    return aliases.get(call.callee.text.removeprefix("::") + "()", ())


def _through_member(value: r.Member) -> tuple[r.Value, str]:
    return value.base, value.name


def _through_index(value: r.Index) -> tuple[r.Value, str]:
    return value.base, "[" + ", ".join(text(index) for index in value.indexes) + "]"


def _through_unary(value: r.Unary) -> tuple[r.Value | None, str]:
    return (value.value if value.op in ("*", "&") else None), ""


def _through_cast(value: r.Cast) -> tuple[r.Value, str]:
    return value.value, ""


def _through_call(value: r.Call) -> tuple[r.Value | None, str]:
    """A call that hands on what it is given, or what it is called on."""
    match value:
        case r.Call(args=(inner,)) if hands_on(value):
            return inner, ""
        case r.Call(callee=r.Member(base=base, name="get" | "value" | "lock" | "load"), args=()):
            return base, ""
        case r.Call(callee=r.Member(base=base, name="load"), args=(r.Name(text=order),)) if "memory_order" in order:
            return base, ""
        case r.Call(callee=r.Member(base=base, name="at"), args=(key,)):
            return base, "[" + text(key) + "]"
    return None, ""


_WAYS: dict[type, Callable[[Any], tuple[r.Value | None, str]]] = {
    r.Member: _through_member,
    r.Index: _through_index,
    r.Unary: _through_unary,
    r.Cast: _through_cast,
    r.Call: _through_call,
}
"""From a value one step towards the root of its place, by type: this is asked of nearly every value."""


def last_name(value: r.Value | None) -> str:
    """The last part of a callee's name: `find` of `m.find`, `move` of `std::move`; empty when it has none."""
    kind = type(value)
    while kind is r.Call and value.kind in ("construct", "new"):  # type: ignore[union-attr]
        value = value.callee  # type: ignore[union-attr]
        kind = type(value)
    if kind is r.Name:
        name: str = value.text  # type: ignore[union-attr]
        return name.rsplit("::", 1)[-1].rsplit(".", 1)[-1] if ":" in name or "." in name else name
    return value.name if kind is r.Member else ""  # type: ignore[union-attr]


def is_placement(value: r.Value) -> bool:
    """Whether an argument is the memory in which `new (memory) T(...)` makes its object."""
    return isinstance(value, r.Pair) and last_name(value.key) == "<placement>"


_LONGEST_NAME = 40


def called(call: r.Call) -> str:
    """How a message names what is called, never empty: `find` of `m.find(k)`, `o.attr("read")` of
    `o.attr("read")(n)`, `(lambda)` of one that is called at once."""
    callee = strip(call.callee)
    if name := last_name(callee):
        return name
    if isinstance(callee, r.Lambda):
        return "(lambda)"
    return text(callee, _LONGEST_NAME) if callee is not None else call.kind


def spelled(call: r.Call) -> str:
    """What is called, as it is spelled: of a call that makes an object its type, `std::lock_guard<std::mutex>`."""
    name = call.callee.text if isinstance(call.callee, r.Name) else ""
    return f"{name}<{call.template}>" if call.template else name


def receiver(call: r.Call) -> r.Value | None:
    """What a method is called on."""
    return call.callee.base if isinstance(call.callee, r.Member) else None


def children(value: r.Value) -> tuple[r.Value, ...]:
    """The direct operands of a value, in the order in which they are evaluated."""
    operands = _CHILDREN.get(type(value))
    return operands(value) if operands is not None else ()


def _of_comprehension(value: r.Comprehension) -> tuple[r.Value, ...]:
    parts = [part for clause in value.clauses for part in (clause.iterable, *clause.conditions)]
    return (*parts, value.element)


_CHILDREN: dict[type, Callable[[Any], tuple[r.Value, ...]]] = {
    r.Member: lambda value: (value.base,),
    r.Index: lambda value: (value.base, *value.indexes),
    r.Call: lambda value: (value.callee, *value.args),
    r.Unary: lambda value: (value.value,),
    r.Cast: lambda value: (value.value,),
    r.Binary: lambda value: (value.left, value.right),
    r.Assign: lambda value: (value.target,) if value.op in ("++", "--") else (value.value, value.target),
    r.Lambda: lambda value: tuple([c.value for c in value.captures if c.value is not None]),
    r.Conditional: lambda value: (value.condition, value.then, value.other),
    r.Aggregate: lambda value: value.items,
    r.Pair: lambda value: (value.value,),
    r.Comprehension: _of_comprehension,
}


def walk(value: r.Value | None) -> Iterator[r.Value]:
    """The value and everything inside it, outermost first."""
    stack = [value] if value is not None else []
    seen = 0
    while stack:
        if not seen & 63:
            spend(1 if not seen else 64)
        seen += 1
        current = stack.pop()
        yield current
        operands = _CHILDREN.get(type(current))
        if operands is not None:
            stack.extend(operands(current)[::-1])


def everything_in(tops: Iterable[r.Value]) -> Iterator[r.Value]:
    """The values and everything inside them, each outermost first. Is not counted: for what is kept, which is paid for
    when it is used."""
    for top in tops:
        stack = [top]
        while stack:
            current = stack.pop()
            yield current
            operands = _CHILDREN.get(type(current))
            if operands is not None:
                stack.extend(operands(current)[::-1])


def calls_in(value: r.Value | None) -> Iterator[r.Call]:
    for inner in walk(value):
        if isinstance(inner, r.Call):
            yield inner


def strip(value: r.Value | None) -> r.Value | None:
    """Without casts, moves and the like around it; `&*p` is `p`."""
    while True:
        kind = type(value)
        if kind is r.Cast:
            value = value.value  # type: ignore[union-attr]
        elif kind is r.Call and hands_on(value):  # type: ignore[arg-type]
            value = value.args[0]  # type: ignore[union-attr]
        elif kind is r.Unary and value.op == "&" and type(value.value) is r.Unary and value.value.op == "*":  # type: ignore[union-attr]
            value = value.value.value  # type: ignore[union-attr]
        else:
            return value


def is_name(value: r.Value | None, name: str) -> bool:
    """Whether an expression is that name alone."""
    inner = strip(value)
    return isinstance(inner, r.Name) and inner.text == name


def is_one_of(value: r.Value | None, names: Container[str]) -> bool:
    """Whether an expression is one of those names alone."""
    inner = strip(value)
    return isinstance(inner, r.Name) and inner.text in names


def names_in(value: r.Value | None) -> frozenset[str]:
    """The names that an expression says."""
    return frozenset([inner.text for inner in walk(value) if type(inner) is r.Name])


def says(value: r.Value | None, name: str) -> bool:
    """Whether the name stands in an expression, also as that of a member."""
    return any(isinstance(inner, r.Name | r.Member) and last_name(inner) == name for inner in walk(value))


def streamed_into(value: r.Value) -> r.Value:
    """What a chain of `<<` writes to: `log` of `log << a << b`; another expression is itself."""
    while isinstance(value, r.Binary) and value.op == "<<":
        value = value.left
    return value


def around(value: r.Value | None) -> tuple[r.Value | None, bool]:
    """What a member or an element is inside of, `a` of `a.b[0].c`, and whether a pointer leads there on the way: then
    it is the member behind that pointer, `p->b` of `p->b.c`."""
    inner = strip(value)
    while isinstance(inner, r.Member | r.Index):
        if isinstance(inner, r.Member) and inner.arrow:
            return inner, True
        inner = strip(inner.base)
    return inner, False


def hands_on(call: r.Call) -> bool:
    """Whether the call answers with what it is given: `std::move(x)`."""
    return call.kind == "call" and len(call.args) == 1 and last_name(call.callee) in _TRANSPARENT


def covers(outer: Place, inner: Place) -> bool:
    """Whether `inner` lies inside `outer` or is it: `this.cache` covers `this.cache[k]`."""
    return inner[: len(outer)] == outer


def render(place: Place, arrows: frozenset[Place] = frozenset()) -> str:
    """As a user would write it: `cache[k]`, `it.second`; a leading `this` is left out. `arrows` are the places that are
    written with an arrow before their last member."""
    first = 1 if place[0] == THIS and len(place) > 1 else 0
    out = place[first]
    for at, step in enumerate(place[first + 1 :], first + 2):
        out += step if step.startswith("[") else ("->" if place[:at] in arrows else ".") + step
    return out


def is_plain_new(call: r.Call) -> bool:
    """Whether it is a `new` that throws where there is no memory, and so never answers with null."""
    return call.kind == "new" and call.callee.start - call.start < _NOTHROW


_NOTHROW = len("new(nothrow)")
