"""Places: what a name, a member chain or an element stands for, as a path.

A place is a tuple of steps: the root (a local, a parameter, `this`, `self`, a global), then member
names and elements (`[k]`). Dereferencing is not a step: `p->x`, `(*p).x` and `p.x` are one place,
since what matters here is who owns it, not how it is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ownlint.facts import records as r
from ownlint.facts.show import text

Place = tuple[str, ...]

THIS = "this"

# Calls that hand on what they are given: the place of the result is the place of the argument.
_TRANSPARENT = frozenset({"move", "forward", "as_const", "ref", "cref", "addressof", "to_address", "launder"})


def place_of(
    value: r.Value | None, aliases: Mapping[str, Place] = {}, members: frozenset[str] = frozenset()
) -> Place | None:
    """The place `value` names, or None when it names none (a call's result, a literal).

    `aliases` replace a root by what it is bound to; a bare name among `members` is a member of `this`.
    """
    steps: list[str] = []
    while value is not None:
        match value:
            case r.Name(text=name):
                return _rooted(name, aliases, members) + tuple(reversed(steps))
            case r.Member(base=base, name=name):
                steps.append(name)
                value = base
            case r.Index(base=base, indexes=indexes):
                steps.append("[" + ", ".join(text(i) for i in indexes) + "]")
                value = base
            case r.Unary(op="*" | "&", value=inner) | r.Cast(value=inner):
                value = inner
            case r.Call(callee=callee, args=args, kind="call") if len(args) == 1 and last_name(callee) in _TRANSPARENT:
                value = args[0]
            case r.Call(callee=r.Member(base=base, name="get" | "value" | "lock" | "load"), args=()):
                value = base
            case r.Call(callee=r.Member(base=base, name="load"), args=(r.Name(text=order),)) if "memory_order" in order:
                value = base
            case r.Call(callee=r.Member(base=base, name="at"), args=(key,)):
                steps.append("[" + text(key) + "]")
                value = base
            case _:
                return None
    return None


def _rooted(name: str, aliases: Mapping[str, Place], members: frozenset[str]) -> Place:
    if name in aliases:
        return aliases[name]
    if name in members:
        return (THIS, name)
    return (name,)


def last_name(value: r.Value | None) -> str:
    """The last part of a callee's name: `find` of `m.find`, `move` of `std::move`; empty when it has none."""
    match value:
        case r.Name(text=name):
            return name.rsplit("::", 1)[-1].rsplit(".", 1)[-1]
        case r.Member(name=name):
            return name
        case r.Call(callee=callee, kind="construct" | "new"):
            return last_name(callee)
    return ""


def receiver(call: r.Call) -> r.Value | None:
    """What a method is called on."""
    return call.callee.base if isinstance(call.callee, r.Member) else None


def children(value: r.Value) -> Iterator[r.Value]:
    """The direct operands of a value, in the order in which they are evaluated."""
    match value:
        case r.Member(base=base):
            yield base
        case r.Index(base=base, indexes=indexes):
            yield base
            yield from indexes
        case r.Call(callee=callee, args=args):
            yield callee
            yield from args
        case r.Unary(value=inner) | r.Cast(value=inner):
            yield inner
        case r.Binary(left=left, right=right):
            yield left
            yield right
        case r.Assign(target=target, value=inner):
            if inner is not target:
                yield inner
            yield target
        case r.Lambda(captures=captures):
            for capture in captures:
                if capture.value is not None:
                    yield capture.value
        case r.Conditional(condition=condition, then=then, other=other):
            yield condition
            yield then
            yield other
        case r.Aggregate(items=items):
            yield from items
        case r.Pair(key=key, value=inner):
            yield inner
        case r.Comprehension(element=element, clauses=clauses):
            for clause in clauses:
                yield clause.iterable
                yield from clause.conditions
            yield element


def walk(value: r.Value | None) -> Iterator[r.Value]:
    """The value and everything inside it, outermost first."""
    stack = [value] if value is not None else []
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))


def calls_in(value: r.Value | None) -> Iterator[r.Call]:
    for inner in walk(value):
        if isinstance(inner, r.Call):
            yield inner


def strip(value: r.Value | None) -> r.Value | None:
    """Without casts, moves and the like around it."""
    while True:
        match value:
            case r.Cast(value=inner):
                value = inner
            case r.Call(callee=callee, args=(inner,), kind="call") if last_name(callee) in _TRANSPARENT:
                value = inner
            case _:
                return value


def covers(outer: Place, inner: Place) -> bool:
    """Whether `inner` lies inside `outer` or is it: `this.cache` covers `this.cache[k]`."""
    return inner[: len(outer)] == outer


def render(place: Place) -> str:
    """As a user would write it: `cache[k]`, `it.second`; a leading `this` is left out."""
    shown = place[1:] if place[0] == THIS and len(place) > 1 else place
    out = shown[0]
    for step in shown[1:]:
        out += step if step.startswith("[") else "." + step
    return out
