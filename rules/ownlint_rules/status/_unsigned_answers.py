"""Answers that are -1 where a call has failed, in a local that cannot be below 0: no test tells of the failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, events, places, records, types

_UNSIGNED = re.compile(r"(?:std::)?(?:size_t|uint(?:ptr|max)_t|uint(?:_fast|_least)?\d+_t|uint|ulong|unsigned\b.*)")
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_DECIDED = {"<": "never", ">=": "always"}
"""What comes of a comparison with 0."""


class Unseen(NamedTuple):
    """`local` takes what `call` answers; `test` asks whether that is below 0, which it never is."""

    call: events.CallEvent
    local: str
    test: records.Binary | None
    holds: str


def unseen(function: Function) -> Iterator[Unseen]:
    """The calls of which a failure is taken for a large number."""
    names = function.program.models.failing_below_zero
    if names.isdisjoint(function.mentioned):
        return
    for call in function.flow.calls:
        name = call.into[0] if call.into is not None and len(call.into) == 1 else ""
        if not name or places.last_name(call.node.callee) not in names or not _is_unsigned(function, name):
            continue
        callee = function.program.calls.callee(call.node, function)
        if callee.functions or not any(model.fails_below_zero for model in callee.models):
            continue
        if not _takes_it_whole(function, call, name) or call.index not in function.flow.reachable:
            continue
        looks = list(_looks(function, name))
        if looks and all(look is not None for look in looks):
            tests = [one for one in looks if isinstance(one, records.Binary)]
            decided = [(one, said) for one in tests if (said := _decided(one, name))]
            yield Unseen(call, name, *(decided[0] if decided else (None, "")))


def _is_unsigned(function: Function, name: str) -> bool:
    if name not in function.locals:
        return False
    written = function.program.names.expand(function.locals[name][0], function.file, function.record.scope)
    kind = types.parse(written)
    return kind.is_value and _UNSIGNED.fullmatch(kind.name) is not None


def _takes_it_whole(function: Function, call: events.CallEvent, name: str) -> bool:
    """Whether the local gets what the call answers and nothing else, at every place where it gets anything."""
    writes = [one for one in function.flow.writes_to((name,)) if one.value is not None]
    return all(one.op in ("=", "init") for one in writes) and any(
        places.strip(one.value) is call.node for one in writes
    )


def _looks(function: Function, name: str) -> Iterator[records.Value | None]:
    """What is done with the local: a value where nothing comes of a failure, None where it may be seen."""
    for value in function.values:
        match value:
            case records.Binary(left=left, op=op, right=right) if op in _TURNED:
                if _is_it(left, name) or _is_it(right, name):
                    other, sign = (right, op) if _is_it(left, name) else (left, _TURNED[op])
                    yield value if _passes_all(sign, other) else None
            case records.Binary(left=left, right=right) if _is_it(left, name) or _is_it(right, name):
                yield value
            case records.Index(indexes=(index,)) if _is_it(index, name):
                yield value
            case records.Cast(value=inner) if _is_it(inner, name):
                yield value if _UNSIGNED.fullmatch(value.type) else None
            case records.Assign(target=target, value=inner) if _is_it(inner, name) and not _is_it(target, name):
                yield None  # it goes on under another name
            case records.Call(args=args) if any(_is_it(one, name) for one in args):
                yield value if len(args) > 1 and not function.program.macros.named(_called(value)) else None
            case records.Aggregate(items=items) if any(_is_it(one, name) for one in items):
                yield None
            case records.Unary(op="&", value=inner) if _is_it(inner, name):
                yield None
            case records.Name(text="errno"):
                yield None
    for statement in function.statements:
        match statement:
            case records.Declare(value=given) | records.Leave(value=given) if _is_it(given, name):
                yield None


def _called(call: records.Call) -> str:
    return places.last_name(call.callee)


def _is_it(value: records.Value | None, name: str) -> bool:
    """Whether it is the local, or what puts the answer there: `(got = read(..)) < 0`."""
    inner = places.strip(value)
    if isinstance(inner, records.Assign):
        inner = places.strip(inner.target)
    return isinstance(inner, records.Name) and inner.text == name


def _passes_all(sign: str, other: records.Value) -> bool:
    """Whether a large number passes a comparison as any other that is more than 0 does."""
    bare = places.strip(other)
    if isinstance(bare, records.Literal) and bare.text == "0":
        return True
    return sign in ("<", "<=") and not isinstance(bare, records.Unary | records.Cast)


def _decided(test: records.Binary, name: str) -> str:
    """`never` or `always` for a comparison with 0 of which one outcome alone can be."""
    is_left = _is_it(test.left, name)
    other, sign = (test.right, test.op) if is_left else (test.left, _TURNED[test.op])
    bare = places.strip(other)
    is_zero = isinstance(bare, records.Literal) and bare.text == "0"
    return _DECIDED.get(sign, "") if is_zero else ""
