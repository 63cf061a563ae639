"""The outcome of a condition in words: `` `p` is NULL``, `` `code` is nonzero``, `` `n < 0` ``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow.places import strip

_LONGEST = 60
"""Characters of a condition in a message."""

KindOf = Callable[[r.Value], Literal["pointer", "number", "truth", ""]]
"""What a value is by its type; empty where that is not known, or the language has no such thing."""


def clause(asked: r.Value, holds: bool, kind_of: KindOf) -> str:
    """That a condition has this outcome, as it stands after an "if": a comparison that holds is enough."""
    written, as_written = asked, holds
    while isinstance(asked, r.Unary) and asked.op in ("!", "not"):
        asked, holds = asked.value, not holds
    if said := _about_null(asked, holds, kind_of):
        return said
    shown = f"`{text(asked, _LONGEST)}`"
    if isinstance(asked, r.Binary):
        return shown if holds else f"{shown} is false"
    kind = kind_of(asked)
    if kind == "number":
        return f"{shown} is {'nonzero' if holds else 'zero'}"
    if asked is not written and not kind and not isinstance(asked, r.Call):  # a number, a truth or a pointer: who knows
        shown = f"`{text(written, _LONGEST)}`"
        return shown if as_written else f"{shown} is false"
    return f"{shown} is {'true' if holds else 'false'}"


def outcome(asked: r.Value, holds: bool, kind_of: KindOf) -> str:
    """The same as a whole clause: "`n < 0` is true"."""
    said = clause(asked, holds, kind_of)
    return f"{said} is true" if said.endswith("`") else said


def _about_null(asked: r.Value, holds: bool, kind_of: KindOf) -> str:
    """Of a pointer whether it is NULL; empty of anything else."""
    pointer, is_null = asked, not holds
    if isinstance(asked, r.Binary):
        if asked.op not in ("==", "!="):
            return ""
        left, right = asked.left, asked.right
        pointer, other = (right, left) if _is_null(left) else (left, right)
        if kind_of(_named(pointer)) != "pointer" and not (_is_null(other) and text(other) != "None"):
            return ""
        if not _is_null(other) and text(other) != "0":
            return ""
        is_null = holds is (asked.op == "==")
    elif kind_of(_named(asked)) != "pointer":
        return ""
    return f"`{text(_named(pointer), _LONGEST)}` is {'NULL' if is_null else 'not NULL'}"


def _named(value: r.Value) -> r.Value:
    inner = strip(value) or value
    return inner.target if isinstance(inner, r.Assign) else inner


def _is_null(value: r.Value) -> bool:
    return isinstance(value, r.Literal) and value.kind == "null"
