"""Handles of a C library that code outside of the Python object releases which holds them, and releases them again.

What a class of `ctypes` or `cffi` says of itself is read, see `_python_validity`: an attribute gets what a function of
the library returns, a method gives it to the function that releases it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Certainty, Class, Function, Program, because, foreign, pairs, places, python_calls, questions
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.handles import _python_validity as python_validity

_ENDS = frozenset({"__del__", "__exit__", "__aexit__"})
"""Methods that Python calls by itself."""


class Holder(NamedTuple):
    """`method` of the class gives its attribute to a function that releases it, at `event`."""

    cls: Class
    attribute: str
    method: Function
    event: e.CallEvent


class ReleasedOutside(NamedTuple):
    call: e.CallEvent
    owner: r.Value
    holder: Holder
    certainty: Certainty


def released_outside(function: Function) -> Iterator[ReleasedOutside]:
    """The calls that release the handle of an object which keeps it."""
    holders = _holders(function.program)
    if function.language != "python" or not holders or not function.mentions(*holders):
        return
    code = python_calls.of(function.program)
    calls = {call.node.start: call for call in function.flow.calls}  # a `finally` is there for each way into it
    for call in calls.values():
        known = holders.get(places.last_name(call.node.callee), ())
        taken = _taken_from(call.node.args[0], function) if known and call.node.args else None
        cls = code.class_of_object(taken.base, function) if taken is not None else None
        if taken is None or cls is None or function.home in cls.ancestry:
            continue
        held = (one for one in known if one.cls in cls.ancestry and taken.name in (one.attribute, *_getters(one)))
        holder = next(held, None)
        if holder is not None and not _is_given_up(function, taken.base, holder):
            yield ReleasedOutside(call, taken.base, holder, _certainty(holder, cls))


@questions.program_question
def _holders(program: Program) -> dict[str, tuple[Holder, ...]]:
    """By the function of a library that releases them, the attributes of classes that it is given by methods."""
    declared, found = foreign.declared(program), dict[str, list[Holder]]()
    for cls in program.classes if declared else ():
        handles = python_validity.handles(cls) if cls.file.language == "python" else frozenset[str]()
        for method in cls.methods if handles else ():
            for call in method.flow.calls:
                name = places.last_name(call.node.callee)
                if name not in declared or not pairs.releasing_verb(name):
                    continue
                for argument in call.node.args[:1]:
                    attribute = python_validity.attribute(argument, method)
                    if attribute in handles:
                        found.setdefault(name, []).append(Holder(cls, attribute, method, call))
    return {name: tuple(held) for name, held in found.items()}


def _taken_from(value: r.Value, function: Function) -> r.Member | None:
    """The attribute that an argument is, or that a local was taken from."""
    inner = places.strip(value)
    if isinstance(inner, r.Name) and inner.text in function.declared:
        written = function.flow.writes_to((inner.text,))
        inner = places.strip(written[0].value) if len(written) == 1 else None
    return inner if isinstance(inner, r.Member) else None


def _getters(holder: Holder) -> Iterator[str]:
    """The properties that answer with the attribute."""
    for method in holder.cls.methods:
        if python_validity.is_property(method):
            returned = [leave.value for leave in method.flow.leaves if leave.kind == "return"]
            if any(python_validity.attribute(value, method) == holder.attribute for value in returned):
                yield method.name


def _is_given_up(function: Function, owner: r.Value, holder: Holder) -> bool:
    """Whether the function has the object forget its handle: an assignment, or a method that does and releases
    nothing."""
    place = places.place_of(owner)
    for event in function.flow:
        match event:
            case e.Write(place=(*around, name)) if name == holder.attribute and tuple(around) == place:
                return True
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name=name))) if places.place_of(base) == place:
                for method in holder.cls.defined(name):
                    if method is not holder.method and f"={holder.attribute}" in method.mentioned:
                        return not method.mentions(_name(holder), holder.method.name)
    return False


def _certainty(holder: Holder, cls: Class) -> Certainty:
    ends = [method for name in _ENDS for method in cls.defined(name)]
    if any(method is holder.method or method.mentions(holder.method.name) for method in ends):
        return because("convention", f"that it is released is inferred from the name `{_name(holder)}`")
    return because("possible", f"harmless if nothing calls `{holder.method.name}` afterwards")


def _name(holder: Holder) -> str:
    return places.last_name(holder.event.node.callee)
