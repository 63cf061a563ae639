"""Classes of Python around native handles: who ends one when it is collected, and what is made of a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, habits, pairs, places, python_calls, questions
from ownlint import records as r

_FINALIZE = "weakref.finalize"


class PythonChild(NamedTuple):
    """`value` in `function`, a method of `source`, makes an object of the class `made` of what a call gives that is
    told the handle which `source` ends. `kept`: the object itself is passed on, or put into what is made."""

    function: Function
    value: r.Call
    made: Class
    source: Class
    kept: bool


@questions.program_question
def children(program: Program) -> list[PythonChild]:
    """In source order."""
    python = [cls for cls in program.classes if cls.file.language == "python"]
    return [child for cls in python if (ended := _ended(cls)) for child in _made_of(cls, ended)]


def ends(cls: Class) -> bool:
    """Whether its objects end something when they are collected."""
    return any("__del__" in one.defined_here or any(True for _ in _finalized(one)) for one in cls.ancestry)


def _ended(cls: Class) -> frozenset[str]:
    """The attributes that are handed to a function when an object of the class is collected."""
    found = {name for one in cls.ancestry for name in _finalized(one)}
    for method in cls.defined("__del__"):
        found.update(name for call in method.calls() for name in _given(method, call.args))
    return frozenset(found)


def _finalized(cls: Class) -> Iterator[str]:
    for method in cls.methods:
        for call in method.calls() if method.mentions("finalize") else ():
            meaning = cls.program.names.named(cls.file, call.callee)
            if meaning == _FINALIZE and call.args and _is_itself(method, call.args[0]):
                yield from _given(method, call.args[2:])


def _given(method: Function, args: tuple[r.Value, ...]) -> Iterator[str]:
    """The attributes of the object among arguments."""
    for argument in args:
        if isinstance(argument, r.Member) and _is_itself(method, argument.base):
            yield argument.name


def _is_itself(method: Function, value: r.Value) -> bool:
    return isinstance(value, r.Name) and value.text == method.itself


def _made_of(cls: Class, ended: frozenset[str]) -> Iterator[PythonChild]:
    code = python_calls.of(cls.program)
    for method in cls.methods:
        if method.record.kind != "method" or not method.itself:
            continue
        locals_ = _locals(method)
        for call in method.calls():
            meaning = cls.program.names.named(cls.file, call.callee)
            made = code.cls(meaning, cls.file) if meaning else None
            if made is None or made is cls or not _passes_a_part_on(made):
                continue
            given = [places.strip(one.value if isinstance(one, r.Pair) else one) for one in call.args]
            parts = (locals_.get(one.text) if isinstance(one, r.Name) else one for one in given)
            if any(isinstance(part, r.Call) and _is_lent(method, part, ended) for part in parts):
                kept = any(one is not None and _is_itself(method, one) for one in given) or _is_put_in(method, call)
                yield PythonChild(method, call, made, cls, kept)


def _locals(method: Function) -> dict[str, r.Value]:
    """What the locals are given that are given something once."""
    found: dict[str, list[r.Value]] = {}
    for value in method.values:
        if isinstance(value, r.Assign) and isinstance(value.target, r.Name):
            found.setdefault(value.target.text, []).append(value.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _is_lent(method: Function, call: r.Call, ended: frozenset[str]) -> bool:
    """Whether it asks for a part of what the object ends, rather than for something new."""
    lent = habits.COPIES.isdisjoint(pairs.words(places.last_name(call.callee)))
    return lent and not ended.isdisjoint(_given(method, call.args[:1]))


def _passes_a_part_on(cls: Class) -> bool:
    """Whether methods of the class hand an attribute to functions."""
    methods = (method for one in cls.ancestry for method in one.methods if method.record.kind == "method")
    return any(True for method in methods for call in method.calls() for _ in _given(method, call.args))


def _is_put_in(method: Function, made: r.Call) -> bool:
    """Whether the object is put into an attribute of what is made: `child._owner = self`."""
    names = {
        value.target.text
        for value in method.values
        if isinstance(value, r.Assign) and value.value is made and isinstance(value.target, r.Name)
    }
    return any(
        isinstance(value, r.Assign)
        and isinstance(value.target, r.Member)
        and isinstance(value.target.base, r.Name)
        and value.target.base.text in names
        and any(_is_itself(method, inner) for inner in places.walk(value.value))
        for value in method.values
    )
