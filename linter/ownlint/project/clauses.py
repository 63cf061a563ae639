"""The outcome of a condition in words: `` `p` is NULL``, `` `code` is nonzero``, `` `n < 0` ``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow.places import strip
from ownlint.project import types

if TYPE_CHECKING:
    from ownlint.project.subjects import Function

_LONGEST = 60
"""Characters of a condition in a message."""
_TRUTHS = frozenset({"bool", "_Bool"})


def clause(function: Function, asked: r.Value, holds: bool) -> str:
    """That a condition has this outcome, as it stands after an "if": a comparison that holds is enough."""
    written, as_written = asked, holds
    asked, holds = _without_not(asked, holds)
    if said := _about_null(function, asked, holds):
        return said
    shown = f"`{text(asked, _LONGEST)}`"
    if isinstance(asked, r.Binary):
        return shown if holds else f"{shown} is false"
    kind = types.parse(function.program.types.of(asked, function) if function.language == "cpp" else "")
    if kind.is_scalar and kind.last not in _TRUTHS:
        return f"{shown} is {'nonzero' if holds else 'zero'}"
    if (
        asked is not written and not kind.name and not isinstance(asked, r.Call)
    ):  # a number, a truth or a pointer: who knows
        shown = f"`{text(written, _LONGEST)}`"
        return shown if as_written else f"{shown} is false"
    return f"{shown} is {'true' if holds else 'false'}"


def outcome(function: Function, asked: r.Value, holds: bool) -> str:
    """The same as a whole clause: "`n < 0` is true"."""
    said = clause(function, asked, holds)
    return f"{said} is true" if said.endswith("`") else said


def _without_not(asked: r.Value, holds: bool) -> tuple[r.Value, bool]:
    while isinstance(asked, r.Unary) and asked.op in ("!", "not"):
        asked, holds = asked.value, not holds
    return asked, holds


def _about_null(function: Function, asked: r.Value, holds: bool) -> str:
    """Of a pointer of C or C++ whether it is NULL; empty of anything else."""
    if function.language != "cpp":
        return ""
    pointer, is_null = asked, not holds
    if isinstance(asked, r.Binary):
        if asked.op not in ("==", "!="):
            return ""
        left, right = asked.left, asked.right
        pointer, other = (right, left) if _is_null(left) else (left, right)
        if not _is_null(other) and not (text(other) == "0" and _is_pointer(function, pointer)):
            return ""
        is_null = holds is (asked.op == "==")
    elif not _is_pointer(function, asked):
        return ""
    if isinstance(pointer, r.Assign):
        pointer = pointer.target
    return f"`{text(pointer, _LONGEST)}` is {'NULL' if is_null else 'not NULL'}"


def _is_null(value: r.Value) -> bool:
    return isinstance(value, r.Literal) and value.kind == "null"


def _is_pointer(function: Function, value: r.Value) -> bool:
    inner = value.target if isinstance(value, r.Assign) else strip(value)
    return bool(types.parse(function.program.types.of(inner, function)).pointers)
