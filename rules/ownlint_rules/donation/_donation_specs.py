"""Wrapper calls: which positions and names they say are consumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from ownlint import Certainty, Function, Step, because, consumer_models, places, python_builtins, weaker
from ownlint import records as r
from ownlint_rules.donation._donation import Consumer, DonationScope, Own, Spec, Take

Word = int | str
Constant = tuple[tuple[Word, ...], Certainty] | None
"""The numbers and texts that an expression stands for, and whether it always does; None when nobody knows."""

_MOST = 64


def constant(
    value: r.Value | None,
    scope: DonationScope,
    resolve: Callable[[r.Value, DonationScope], tuple[r.Value, DonationScope] | None],
) -> Constant:
    """`resolve` says what a name or a member is bound to."""
    return _constant(value, scope, resolve, 12)


def _constant(
    value: r.Value | None,
    scope: DonationScope,
    resolve: Callable[[r.Value, DonationScope], tuple[r.Value, DonationScope] | None],
    depth: int,
) -> Constant:
    if depth == 0:
        return None

    def inner(one: r.Value) -> Constant:
        return _constant(one, scope, resolve, depth - 1)

    match value:
        case r.Literal(kind="int", text=written) if written.isdigit():
            return (int(written),), "certain"
        case r.Literal(kind="str", text=written):
            return (written.strip("rRbBuU\"'"),), "certain"
        case r.Literal(kind="null"):
            return (), "certain"
        case r.Unary(op="-", value=r.Literal(kind="int", text=written)) if written.isdigit():
            return (-int(written),), "certain"
        case r.Aggregate(kind="tuple" | "list" | "set", items=items, cut=False):
            return _joined([inner(i.value if isinstance(i, r.Unary) and i.op == "spread" else i) for i in items])
        case r.Binary(op="+", left=left, right=right):
            return _joined([inner(left), inner(right)])
        case r.Conditional(then=then, other=other):
            return _either(inner(then), inner(other))
        case r.Binary(op="||" | "&&", left=left, right=right):
            return _either(inner(left), inner(right))
        case r.Call(callee=callee, args=(one,)) if places.last_name(callee) in python_builtins.COLLECTS - {
            "deque",
            "reversed",
        }:
            return inner(one)
        case r.Call(callee=r.Name(text="range"), args=bounds) if 0 < len(bounds) <= 2:
            return _range([inner(bound) for bound in bounds])
        case r.Name() | r.Member():
            found = resolve(value, scope)
            return None if found is None else _constant(*found, resolve, depth - 1)
    return None


def _joined(parts: list[Constant]) -> Constant:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return tuple(word for words, _ in known for word in words), weaker(*(sure for _, sure in known))


def _either(one: Constant, other: Constant) -> Constant:
    """A condition between two: both count, and neither is sure."""
    words = tuple(word for part in (one, other) if part is not None for word in part[0])
    return (
        (tuple(dict.fromkeys(words)), because("path", "the donated arguments depend on a condition")) if words else None
    )


def _range(bounds: list[Constant]) -> Constant:
    numbers = [part[0][0] for part in bounds if part is not None and len(part[0]) == 1]
    if len(numbers) < len(bounds) or not all(isinstance(number, int) for number in numbers):
        return None
    whole = [number for number in numbers if isinstance(number, int)]
    return tuple(range(*whole))[:_MOST], "certain"


def spec_of(
    model: consumer_models.ConsumerModel,
    keywords: Iterable[tuple[str, r.Value]],
    read: Callable[[r.Value], Constant],
    made: Step | None,
    before: Spec | None = None,
) -> Spec:
    """What these keywords of the wrapper say; `before` is what it was told earlier."""
    spec = before or Spec(model, made=made)
    for keyword, value in keywords:
        found = read(value) if keyword in (model.positions, model.by_name, model.static) else ((), "certain")
        if found is None:
            spec = msgspec.structs.replace(
                spec, certainty=because("possible", f"the value of `{keyword}` is not known")
            )
            continue
        words, sure = found
        numbers = tuple(word for word in words if isinstance(word, int))
        if keyword == model.positions:
            spec = msgspec.structs.replace(spec, positions=numbers, certainty=weaker(spec.certainty, sure), made=made)
        elif keyword == model.by_name:
            names = tuple(word for word in words if isinstance(word, str))
            spec = msgspec.structs.replace(spec, names=names, certainty=weaker(spec.certainty, sure), made=made)
        elif keyword == model.static:
            spec = msgspec.structs.replace(spec, static=numbers)
    return spec


def consumer_of(
    spec: Spec, shown: str, parameters: tuple[str, ...], wraps: Function | None, unread: frozenset[str]
) -> Consumer:
    """The callable that a wrapper makes. `unread` are parameters the wrapped function never looks at: a compiler drops
    them, and nothing is taken from them."""
    takes: dict[int | str, Take] = {}
    for position in spec.positions:
        if position < 0:
            continue  # counted from an end that is not known here
        name = parameters[position] if position < len(parameters) else ""
        if name not in unread and position not in spec.static:
            takes[position] = Take(position, name)
    for name in spec.names:
        place = parameters.index(name) if name in parameters else -1
        if name not in unread:
            takes[place if place >= 0 else name] = Take(place, name)
    found = tuple(sorted(takes.values()))
    return Consumer(found, parameters, spec.model, shown, spec.made, spec.certainty, tuple(sorted(spec.static)), wraps)


def parameters_of(own: Own) -> tuple[str, ...]:
    """The names of the positional parameters that are still open."""
    names: list[str] = []
    for parameter in own.function.record.parameters:
        if parameter.spread or parameter.keyword_only:
            break
        names.append(parameter.name)
    return tuple(names[own.given + own.bound :])
