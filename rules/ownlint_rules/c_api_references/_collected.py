"""Types of C whose objects a collector looks through: which members they own, and which they show to it.

A type is a table of slots; its functions are known by what they do. What shows something to the collector is its
traverse function; what releases members of its own object are the functions that clear and end it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, places, references, types
from ownlint import records as r
from ownlint_rules.c_api_references import _lives as lives
from ownlint_rules.c_api_references._object_types import object_types
from ownlint_rules.c_api_references._stores import put

_DEEPEST = 3


class Hidden(NamedTuple):
    """`traverse` shows nothing of `member`, which `released` releases; `member` is "" for the object's own type. `open`
    says that Python puts into it what it likes."""

    traverse: Function
    member: str
    released: Function | None
    at: r.Node | None = None
    open: bool = False


def hidden(program: Program) -> Iterator[Hidden]:
    for kind in object_types(program):
        shown = _shown(kind.traverse) if kind.traverse is not None else None
        if kind.traverse is None or shown is None:
            continue
        members = {inner.name for one in shown for inner in one.members}
        seen: set[str] = set()
        for end in dict.fromkeys(kind.ends.values()):
            for deed in lives.deeds(end):
                for at in deed.members if deed.what == "released" else ():
                    member = at.name
                    if member not in members and member not in seen and _may_refer(deed.function, kind.path, at):
                        seen.add(member)
                        is_open = any(_is_lent(*one) for one in put(program, kind.path, member))
                        yield Hidden(kind.traverse, member, deed.function, at, is_open)
        if kind.on_heap and members and not any(True for one in shown for _ in places.calls_in(one.value)):
            yield Hidden(kind.traverse, "", None)


def _shown(traverse: Function) -> list[lives.Deed] | None:
    """Where the function shows something to the collector; None where more may be shown by code that was not analysed,
    or by way of a local: an element, a member of a member."""
    done = lives.deeds(traverse)
    shown = [one for one in done if one.what == "visited"]
    by_local = (isinstance(places.strip(one.value), r.Name) for one in shown)
    return None if any(by_local) or any(one.what != "visited" and one.is_unmodelled for one in done) else shown


def _may_refer(function: Function, path: str, at: r.Member) -> bool:
    """Whether the member can hold an object that leads back: no text, no number, as far as what is put there says."""
    program = function.program
    written = program.types.of(at, function)
    if (written and types.parse(written).last != "PyObject") or not _is_direct(at):
        return False
    given = (made for inside, value in put(program, path, at.name) for made in _made(inside, value))
    made = [value for value in given if not isinstance(value, r.Literal)]
    atomic = program.models.atomic
    return bool(made) and not all(isinstance(one, r.Call) and atomic.fits(places.last_name(one.callee)) for one in made)


def _is_lent(function: Function, value: r.Value) -> bool:
    """Whether it is an argument of Python's, of any type."""
    names = places.names_in(value)
    known = references.references(function.program)
    for call in function.flow.calls:
        model = known.model(call.node, function)
        letters = references.format_letters(call.node, model) if model is not None and model.format_lends else None
        letters = letters or {}
        for position in (at for at, letter in letters.items() if letter == "O" and letters.get(at - 1) != "!"):
            given = places.strip(call.node.args[position]) if position < len(call.node.args) else None
            if isinstance(given, r.Unary) and places.last_name(given.value) in names:
                return True
    return False


def _made(function: Function, value: r.Value, depth: int = 0) -> Iterator[r.Value | None]:
    """The value, or whatever a local that it names is given, or what callers in the same file pass for a parameter."""
    inner = places.strip(value)
    if not isinstance(inner, r.Name) or depth > _DEEPEST:
        yield inner
        return
    written = function.locals.get(inner.text, ("",))[0]
    if written and types.parse(written).last not in ("PyObject", "auto"):
        return  # an object of a class of its own, which is no longer looked into
    given = [write.value for write in function.flow.writes_to((inner.text,)) if write.value is not None]
    if given:
        yield from (places.strip(one) for one in given)
        return
    names = [parameter.name for parameter in function.record.parameters]
    passed = [
        (other, call.node.args[names.index(inner.text)])
        for other in function.program.functions_in(function.path)
        if inner.text in names and other.mentions(function.name)
        for call in other.flow.calls
        if places.last_name(call.node.callee) == function.name and len(call.node.args) == len(names)
    ]
    if not passed:
        yield inner
    for other, argument in passed:
        yield from _made(other, argument, depth + 1)


def _is_direct(at: r.Member) -> bool:
    """`self->member`, also of a struct inside of the object: no member of what another pointer leads to."""
    base = places.strip(at.base)
    return isinstance(base, r.Name) or (isinstance(base, r.Member) and not at.arrow and _is_direct(base))
