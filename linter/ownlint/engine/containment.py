"""Where in a Python object something sits: some element, a value of a dict, a place of a tuple, an attribute.

The interpreter of handles says of each of them the *slots* that lead to it, the outermost first. Digits are
places of a tuple, `.x` is an attribute, `=k` the value of a known key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow.places import last_name
from ownlint.project.closures import neighbours
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_question
from ownlint.project.subjects import Function

ANY = "*"
"""Some element."""
VALUE = "="
"""Some value of a dict."""
BURIED = "#"
"""Somewhere, where nobody takes it out: in a bound method, an iterator."""
HELD = "^"
"""How the slots begin of what a callable is bound to: `^0`, `^=key`, and `^name` for a captured variable."""

_CONTAINERS = frozenset(["list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Queue", "WeakKeyDictionary"])
_WRITTEN = re.compile(
    r"(?:\w+\.)*(?:list|dict|set|deque|List|Dict|Set|MutableSequence|MutableMapping|MutableSet)\b(?!\s*\|)"
)
"""Annotations that name a container."""


def value_slot(key: r.Value | None) -> str:
    """Where in a dict the value of that key sits."""
    if isinstance(key, r.Literal) and key.kind in ("str", "int"):
        return VALUE + (key.text.strip("\"'") if key.kind == "str" else key.text)
    return VALUE


def is_element(slot: str) -> bool:
    """An element of a container, not an attribute of an object nor what is out of reach."""
    return slot != BURIED and slot[:1] not in (".", HELD)


def fits(slot: str, indexes: tuple[r.Value, ...]) -> bool:
    """Whether an item with this index may be the one in the slot."""
    only = indexes[0] if len(indexes) == 1 and isinstance(indexes[0], r.Literal) else None
    if slot.isdigit() and only is not None and only.kind == "int":
        return only.text == slot
    if slot.startswith(VALUE) and slot != VALUE and only is not None:
        return value_slot(only) == slot
    return slot == ANY or slot.startswith(VALUE) or slot.isdigit()


def is_container(value: r.Value | None) -> bool:
    """Whether this makes a list, a dict or the like."""
    match value:
        case r.Aggregate(kind="list" | "dict" | "set") | r.Comprehension(kind="list" | "dict" | "set"):
            return True
        case r.Call(callee=callee):
            return last_name(callee) in _CONTAINERS
    return False


def holds_container(function: Function, place: r.Value) -> bool:
    """Whether an attribute of `self`, or a global, is assigned a container anywhere in the class or the module body."""
    of_object = isinstance(place, r.Member)
    scope = function.record.owner or function.record.scope if of_object else ""
    key = (function.path, scope, of_object)
    return text(place) in _known(function.program).ask(key, lambda: frozenset(_containers(function, place)))


def is_given_container(function: Function, parameter: str) -> bool:
    """Whether the parameter of a function of Python is a list, a dict or the like: its annotation says so, or all that
    the project calls by the function's name passes one there."""
    return _given(function.program).ask((function, parameter), lambda: _is_given_container(function, parameter))


def _is_given_container(function: Function, parameter: str) -> bool:
    names = [one.name for one in function.record.parameters]
    position = names.index(parameter)
    if written := function.record.parameters[position].type:
        return bool(_WRITTEN.match(written))
    if function.record.parent >= 0 or any(one.spread for one in function.record.parameters[: position + 1]):
        return False
    position -= bool(function.record.owner) and "static" not in function.record.qualifiers
    passed = [
        (caller, _argument(call, parameter, position))
        for caller in function.program.index.callers(function)
        for call in caller.calls()
        if last_name(call.callee) == function.name and _may_mean(call.callee, caller, function)
    ]
    return bool(passed) and all(_is_container_there(caller, value) for caller, value in passed)


def _may_mean(callee: r.Value, caller: Function, function: Function) -> bool:
    """Whether imports do not say that it is another function of that name."""
    start = callee.name_start if isinstance(callee, r.Member) else callee.start
    meaning = caller.program.names.meaning(caller.file, start)
    home = ".".join(one for one in (function.file.module.removesuffix(".__init__"), function.record.scope) if one)
    module = meaning.symbol.rpartition(".")[0] if meaning is not None else ""
    return not module or home == module or home.endswith("." + module) or module.endswith("." + home)


def _argument(call: r.Call, keyword: str, position: int) -> r.Value | None:
    for number, argument in enumerate(call.args):
        match argument:
            case r.Unary(op="spread" | "spread2"):
                return None
            case r.Pair(key=r.Name(text=name), value=value):
                if name == keyword:
                    return value
            case _:
                if number == position:
                    return argument
    return None


def _is_container_there(function: Function, value: r.Value | None) -> bool:
    """Whether what is passed was made as a container: there, as the first value of a local, or in an attribute."""
    if not isinstance(value, r.Name) or value.text not in function.declared:
        return is_container(value) or (value is not None and holds_container(function, value))
    if any(one.name == value.text for one in function.record.parameters):
        return False
    given = [
        source
        for statement in function.statements
        if isinstance(statement, r.Evaluate) and isinstance(statement.value, r.Assign)
        for target, source in _pairs(statement.value)
        if isinstance(target, r.Name) and target.text == value.text
    ]
    return bool(given) and all(map(is_container, given))


def _pairs(assign: r.Assign) -> Iterator[tuple[r.Value, r.Value]]:
    """What is assigned to what: `a, b = x, y` assigns twice."""
    match assign:
        case r.Assign(target=r.Aggregate(items=targets), value=r.Aggregate(items=sources)) if len(targets) == len(
            sources
        ):
            yield from zip(targets, sources, strict=True)
        case _:
            yield assign.target, assign.value


@program_question
def _given(program: Program) -> Answers[tuple[Function, str], bool]:
    """By function and parameter."""
    return Answers()


def _containers(function: Function, place: r.Value) -> Iterator[str]:
    return (
        text(statement.value.target)
        for other in neighbours(function, place)
        for statement in other.statements
        if isinstance(statement, r.Evaluate)
        and isinstance(statement.value, r.Assign)
        and is_container(statement.value.value)
    )


@program_question
def _known(program: Program) -> Answers[tuple[str, str, bool], frozenset[str]]:
    """By file and class, or by the file's module body: the places that are assigned a container."""
    return Answers()
