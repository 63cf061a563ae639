"""Classes of Python around native handles: who ends one when it is collected, and what is made of a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Class, Function, Program, habits, lent, pairs, places, python_calls, questions
from ownlint import records as r


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
    return [child for cls in python if (ended := lent.freed_handles(cls)) for child in _made_of(cls, ended)]


def ends(cls: Class) -> bool:
    """Whether its objects end something when they are collected."""
    return any("__del__" in one.defined_here for one in cls.ancestry) or bool(lent.freed_handles(cls))


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
            handed = any(_is_lent(method.itself, _handed_through(method, one, code), ended) for one in parts)
            if handed or _takes_a_part(method, call, ended, code):
                passed = any(one is not None and _is_itself(method, one) for one in given)
                kept = (passed and _keeps(method, call, code)) or _is_put_in(method, call)
                yield PythonChild(method, call, made, cls, kept)


def _locals(method: Function) -> dict[str, r.Value]:
    """What the locals are given that are given something once."""
    found: dict[str, list[r.Value]] = {}
    for value in method.values:
        if isinstance(value, r.Assign) and isinstance(value.target, r.Name):
            found.setdefault(value.target.text, []).append(value.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _handed_through(method: Function, value: r.Value | None, code: python_calls.PythonCode) -> r.Value | None:
    """What a function of the project is given that gives it back: `checked(lib.part(self._handle))`."""
    if not isinstance(value, r.Call) or not value.args:
        return value
    for called in code.functions_called(value, method):
        given = _locals(called)
        back = [one.value for one in called.statements if isinstance(one, r.Leave) and one.kind == "return"]
        names = {one.text if isinstance(one, r.Name) and one.text not in given else "" for one in back}
        argument = code.given_parameters(value, method, called).values.get(names.pop()) if len(names) == 1 else None
        if argument is not None:
            return argument
    return value


def _keeps(method: Function, call: r.Call, code: python_calls.PythonCode) -> bool:
    """Whether an object that is given the one that makes it may keep it: it is stored, handed on or a bound method of
    it is taken. What has no constructor of its own keeps what it is given."""
    for constructor in code.functions_called(call, method):
        given = code.given_parameters(call, method, constructor).values
        names = {name for name, value in given.items() if _is_itself(method, value)}
        parts = {part.base.start: part.name for part in constructor.values if isinstance(part, r.Member)}
        stands = [part for part in constructor.values if isinstance(part, r.Name) and part.text in names]
        methods = {name for one in method.home.ancestry for name in one.defined_here} if method.home else set()
        if names:
            return any(one.start not in parts or parts[one.start] in methods for one in stands)
    return True


def _takes_a_part(method: Function, call: r.Call, ended: frozenset[str], code: python_calls.PythonCode) -> bool:
    """Whether an object that is given the one that makes it asks for a part of what that ends, and stores it."""
    for constructor in code.functions_called(call, method):
        given = code.given_parameters(call, method, constructor).values
        names = [name for name, value in given.items() if _is_itself(method, value)]
        locals_ = _locals(constructor) if names else {}
        for part in constructor.values if names else ():
            if isinstance(part, r.Assign) and isinstance(part.target, r.Member):
                value = locals_.get(part.value.text) if isinstance(part.value, r.Name) else part.value
                if any(_is_lent(name, _handed_through(constructor, value, code), ended) for name in names):
                    return True
    return False


def _is_lent(itself: str, call: r.Value | None, ended: frozenset[str]) -> bool:
    """Whether it asks for a part of what the object of that name ends, rather than for something new."""
    if not isinstance(call, r.Call):
        return False
    part = habits.COPIES.isdisjoint(pairs.words(places.last_name(call.callee)))
    return part and any(
        isinstance(one, r.Member) and isinstance(one.base, r.Name) and one.base.text == itself and one.name in ended
        for one in call.args[:1]
    )


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
