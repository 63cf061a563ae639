"""What a test asks, in one spelling: `!(a == b)` and `b != a` ask one thing, `p`, `p == NULL` and `p != 0` another."""

from __future__ import annotations

import re
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow.places import strip, walk

_CONSTANT = re.compile(r"(?:\w+::)+(?:k[A-Z]\w*|[A-Z]\w*)|k[A-Z]\w*|[A-Z][A-Z0-9_]+")
_COMPARES_TEXT = frozenset({"strcmp", "std::strcmp", "wcscmp"})
_PLAIN = (r.Name, r.Literal, r.Unary, r.Binary)
_LONGEST = 200
_OTHER_SIDE = {"!=": "==", "<=": ">", ">=": "<"}


class Asked(NamedTuple):
    """A condition on names alone, in one spelling, the side of it, and the names. Where a name is compared with a
    constant, that is told, too."""

    shown: str
    outcome: bool
    names: frozenset[str]
    constant: str = ""

    def contradicts(self, other: Asked) -> bool:
        """Whether both cannot be, if nothing changes in between: two sides of one, or two constants of one name."""
        if self.constant and other.constant and self.names == other.names:
            same = self.constant == other.constant
            return self.outcome is not other.outcome if same else self.outcome and other.outcome
        return self.shown == other.shown and self.outcome is not other.outcome


def as_asked(value: r.Value, outcome: bool) -> tuple[str, bool]:
    """What an outcome of a test says, in one spelling, and whether that holds or does not."""
    inner: r.Value = strip(value) or value
    if (compared := _compared(inner)) is not None:
        name, constant, is_equal = compared
        return equals(name, constant), outcome is is_equal
    match inner:
        case r.Unary(op="!" | "not", value=denied):
            return as_asked(denied, not outcome)
        case r.Binary(op="==" | "!=" as op, left=left, right=right) if is_null(right):
            return as_asked(left, outcome is (op == "!="))
        case r.Binary(op="==" | "!=" | "<" | ">" | "<=" | ">=" as op, left=left, right=right):
            said = _OTHER_SIDE.get(op, op)
            one, two = text(left, _LONGEST), text(right, _LONGEST)
            if said == ">" or (said == "==" and two < one):
                one, two = two, one
            return f"{one} {'==' if said == '==' else '<'} {two}", outcome is (said == op)
    return text(inner, _LONGEST), outcome


def equals(name: str, constant: str) -> str:
    """How it is spelled that a name is a constant."""
    return f"{name} == {constant}"


def plainly_asked(value: r.Value, outcome: bool) -> Asked | None:
    """What a test asks of names alone; None when it asks more."""
    inner: r.Value = strip(value) or value
    while isinstance(inner, r.Unary) and inner.op in ("!", "not"):
        inner, outcome = (strip(inner.value) or inner.value), not outcome
    shown, holds = as_asked(inner, outcome)
    if (compared := _compared(inner)) is not None:
        return Asked(shown, holds, frozenset({compared[0]}), compared[1])
    if isinstance(inner, r.Binary) and inner.op in ("==", "!=") and is_null(inner.right):
        inner = strip(inner.left) or inner.left
    parts = list(walk(inner))
    if not all(map(_is_plain, parts)):
        return None
    return Asked(shown, holds, frozenset(part.text for part in parts if isinstance(part, r.Name)))


def is_constant(value: r.Value | None) -> bool:
    """Whether it is spelled like an enumerator or another named constant."""
    return isinstance(value, r.Name) and _CONSTANT.fullmatch(value.text) is not None


def _is_plain(part: r.Value) -> bool:
    return isinstance(part, _PLAIN) and not (isinstance(part, r.Unary) and part.op in ("*", "&"))


def _compared(value: r.Value) -> tuple[str, str, bool] | None:
    """The name and the constant that a comparison is about, and whether it holds where they are equal:
    `kind == Kind::kBox`, `word != "end"`, `strcmp(word, "end")`."""
    match value:
        case r.Binary(op="==" | "!=" as op, left=left, right=right):
            inner = strip(left)
            if isinstance(inner, r.Call) and is_null(right):
                found = _compared(inner)
                return (found[0], found[1], op == "==") if found is not None else None
            for one, other in ((inner, right), (strip(right), left)):
                if isinstance(one, r.Name) and (constant := constant_of(other)) and not constant_of(one):
                    return one.text, constant, op == "=="
        case r.Call(callee=r.Name(text=callee), args=(left, right)) if callee in _COMPARES_TEXT:
            for one, other in ((strip(left), right), (strip(right), left)):
                if isinstance(one, r.Name) and (constant := constant_of(other)):
                    return one.text, constant, False
    return None


def constant_of(value: r.Value | None) -> str:
    """How a constant is written; a string made of a literal is that. Empty for what is none, and for nothing."""
    inner = strip(value)
    if isinstance(inner, r.Call) and len(inner.args) == 1 and isinstance(inner.callee, r.Name):
        inner = strip(inner.args[0])
        return inner.text if isinstance(inner, r.Literal) and inner.kind == "str" else ""
    if isinstance(inner, r.Literal):
        return inner.text if inner.kind in ("str", "int", "char") and not is_null(inner) else ""
    if isinstance(inner, r.Binary) and inner.op == "|":
        return _flags(inner)
    return inner.text if isinstance(inner, r.Name) and is_constant(inner) and not inner.text.startswith("NULL") else ""


def _flags(value: r.Binary) -> str:
    """Several constants in one: `READ | WRITE`, in whatever order."""
    parts, rest = list[str](), list[r.Value | None]([value])
    while rest:
        inner = strip(rest.pop())
        if isinstance(inner, r.Binary) and inner.op == "|":
            rest += (inner.left, inner.right)
        elif isinstance(inner, r.Name) and is_constant(inner):
            parts.append(inner.text)
        else:
            return ""
    return " | ".join(sorted(parts))


def is_null(value: r.Value | None) -> bool:
    return isinstance(value, r.Literal) and (value.kind == "null" or value.text == "0")
