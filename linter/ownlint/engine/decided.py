"""What a path knows of its own conditions: that a flag was set, that a name was asked before.

Two tests of one name go the same way as long as the name is not bound anew. Only names count, alone, negated, or
compared with a constant: what a call answers may change.
"""

from __future__ import annotations

from ownlint.engine.shared import Map
from ownlint.facts import records as r
from ownlint.facts.show import text

Facts = Map[str, frozenset[tuple[str, bool]]]
"""By the name that conditions are about: the condition, and how it came out."""
NO_FACTS: Facts = Map()


def answer(condition: r.Value | None, facts: Facts) -> bool | None:
    """How the condition comes out, where that is known."""
    match condition:
        case r.Literal(kind="bool", text=written):
            return written == "True"
        case r.Unary(op="not", value=inner):
            known = answer(inner, facts)
            return None if known is None else not known
        case r.Binary(op="&&", left=left, right=right):
            both = answer(left, facts), answer(right, facts)
            return False if False in both else True if both == (True, True) else None
        case r.Binary(op="||", left=left, right=right):
            both = answer(left, facts), answer(right, facts)
            return True if True in both else False if both == (False, False) else None
    name, key, turned = _simple(condition)
    known_of = facts.get(name, frozenset()) if name else frozenset()
    for outcome in (True, False):
        if (key, outcome) in known_of:
            return outcome != turned
    return None


def assume(condition: r.Value | None, outcome: bool, facts: Facts) -> Facts:
    """What is known where the condition came out so."""
    match condition:
        case r.Unary(op="not", value=inner):
            return assume(inner, not outcome, facts)
        case r.Binary(op="&&" | "||" as op, left=left, right=right):
            if outcome == (op == "&&"):
                return assume(right, outcome, assume(left, outcome, facts))
            return facts
    name, key, turned = _simple(condition)
    return facts.set(name, facts.get(name, frozenset()) | {(key, outcome != turned)}) if name else facts


def without(name: str, facts: Facts) -> Facts:
    """The name means something else from now on."""
    return facts.without(name)


def common(one: Facts, other: Facts) -> Facts:
    """What is known in both."""
    if one is other:
        return one
    both = one
    for name, known in one.items():
        left = known & other.get(name, frozenset())
        both = both.set(name, left) if left else both.without(name)
    return both


def bound(name: str, value: r.Value | None, facts: Facts) -> Facts:
    """The name is bound to this."""
    facts = without(name, facts)
    if isinstance(value, r.Literal) and value.kind in ("bool", "null"):
        known = frozenset({(name, value.text == "True"), (f"{name} is None", value.kind == "null")})
        facts = facts.set(name, known)
    return facts


def _simple(condition: r.Value | None) -> tuple[str, str, bool]:
    """The name that is asked, what is asked of it, and whether in the negative."""
    match condition:
        case r.Name(text=name):
            return name, name, False
        case r.Binary(op="is" | "is not" | "==" | "!=" as op, left=r.Name(text=name), right=r.Literal() as right):
            positive = "is" if op.startswith("is") else "=="
            return name, f"{name} {positive} {text(right)}", op in ("is not", "!=")
    return "", "", False
