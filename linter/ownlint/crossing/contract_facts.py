"""What a contract says about a member, in the words in which Python handles are followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ownlint.domains.handles.handle_chains import Reach
from ownlint.domains.handles.handles import VIEW, Fact
from ownlint.finding import CERTAINTIES, Certainty, Step
from ownlint.models.contract_records import ALL, Lent, MemberContract

_NOT_CALLED = ("property", "property_rw", "field", "field_rw")


def fact_of_members(
    members: Sequence[MemberContract],
    cls: str,
    named: Callable[[str], str],
    declared: Callable[[MemberContract], Step | str],
) -> Fact | None:
    """`cls` is the class whose members they are, `named` the name of a class of the same contract; `declared` tells
    where one is bound. Overloads are told apart by how many arguments they take; those that are not, by what they
    agree on."""
    facts = [(len(one.takes), _fact(one, cls, named, declared(one))) for one in members]
    if not facts:
        return None
    first = facts[0][1]
    if len(facts) == 1 or all(_same(fact, first) for _, fact in facts):
        return first
    if not first.called:
        return None
    return msgspec.structs.replace(_agreed([fact for _, fact in facts]), overloads=tuple(facts))


def setter_of(member: MemberContract, cls: str, declared: Step | str) -> Fact:
    """The assignment to an attribute."""
    told, step = (declared, None) if isinstance(declared, str) else ("", declared)
    return Fact("copy", declared=step, told=told, name=f"{member.name}=", stores=_stores(member))


def _fact(one: MemberContract, cls: str, named: Callable[[str], str], declared: Step | str) -> Fact:
    told, step = (declared, None) if isinstance(declared, str) else ("", declared)
    called = one.kind not in _NOT_CALLED
    everything: tuple[tuple[int, Reach], ...] = ((0, "derived"),) if ALL in one.invalidates else ()
    base = Fact(
        "copy",
        called=called,
        declared=step,
        told=told,
        name=one.name,
        parameters=one.names,
        ends=everything,
        ends_members=tuple(name for name in one.invalidates if name != ALL),
        stores=_stores(one) if called else (),
    )
    returns = named(one.returns) if one.returns else ""
    if one.kind == "init":
        return msgspec.structs.replace(base, keeps="own", returns=cls, constructs=True)
    lent = max(one.borrows, key=gravity, default=None)
    if lent is None or lent.certainty == "possible":
        owned = one.category == "new" and returns and lent is None
        # Of another object of a known class nobody knows who owns it.
        return msgspec.structs.replace(base, keeps="own" if owned else "copy", returns=returns)
    return msgspec.structs.replace(
        base,
        keeps="owner" if lent.protected else "none",
        returns=returns or VIEW,
        source=_number(lent.source),
        sure=lent.certainty,
    )


def _stores(one: MemberContract) -> tuple[tuple[int, int, Certainty], ...]:
    """Argument, holder (0 for the receiver or what is made), and how sure it is; those that nobody protects."""
    bad = (kept for kept in one.stores if not kept.protected and kept.certainty != "possible")
    return tuple((kept.argument, _number(kept.into), kept.certainty) for kept in bad)


def _number(place: str) -> int:
    """The argument, 0 for the receiver and for what is made."""
    return int(place.removeprefix("argument ")) if place.startswith("argument ") else 0


def gravity(one: Lent) -> tuple[bool, int]:
    return not one.protected, -CERTAINTIES.index(one.certainty)


def _same(one: Fact, other: Fact) -> bool:
    return _essence(one) == _essence(other)


def _essence(one: Fact) -> tuple[object, ...]:
    return one.keeps, one.returns, one.source, one.called, one.stores, one.ends, one.ends_members


def _agreed(facts: Sequence[Fact]) -> Fact:
    """What all of them say, for a call of which nobody knows which is meant."""
    first = facts[0]
    if all((fact.keeps, fact.returns, fact.source) == (first.keeps, first.returns, first.source) for fact in facts):
        return msgspec.structs.replace(first, stores=(), ends=(), ends_members=())
    return Fact("own", first.returns, name=first.name) if first.constructs else Fact("copy", name=first.name)
