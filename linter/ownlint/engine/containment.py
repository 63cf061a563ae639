"""Where in a Python object something sits: some element, a value of a dict, a place of a tuple, an attribute.

The flows of handles and of raw addresses say of each thing the *slots* that lead to it, the outermost first. Digits are
places of a tuple, `.x` is an attribute, `=k` the value of a known key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

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
"""Somewhere, where nobody takes it out: in a closure, a bound method, an iterator."""

_CONTAINERS = frozenset(["list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Queue", "WeakKeyDictionary"])


def value_slot(key: r.Value | None) -> str:
    """Where in a dict the value of that key sits."""
    if isinstance(key, r.Literal) and key.kind in ("str", "int"):
        return VALUE + (key.text.strip("\"'") if key.kind == "str" else key.text)
    return VALUE


def is_element(slot: str) -> bool:
    """An element of a container, not an attribute of an object nor what is out of reach."""
    return slot != BURIED and slot[:1] != "."


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


S = TypeVar("S")
"""What sits somewhere: a handle, a raw address."""


class ContainmentExpressions(Generic[S]):
    """What an expression gives: whatever sits in its value. A flow says what each kind of expression does."""

    # --- what a flow says ---

    def held_by(self, name: str) -> frozenset[S]:
        """What a name gives at this point."""
        raise NotImplementedError

    def member(self, value: r.Member) -> frozenset[S]:
        raise NotImplementedError

    def index(self, value: r.Index) -> frozenset[S]:
        raise NotImplementedError

    def call(self, call: r.Call) -> frozenset[S]:
        raise NotImplementedError

    def assignment(self, value: r.Assign, target: r.Value, op: str, inner: r.Value) -> frozenset[S]:
        raise NotImplementedError

    def binary(self, value: r.Binary) -> frozenset[S]:
        raise NotImplementedError

    def aggregate(self, value: r.Aggregate) -> frozenset[S]:
        raise NotImplementedError

    def unary(self, value: r.Unary) -> frozenset[S]:
        raise NotImplementedError

    def comprehension(self, value: r.Comprehension) -> frozenset[S]:
        raise NotImplementedError

    def closure(self, index: int) -> frozenset[S]:
        raise NotImplementedError

    def escape_names(self, names: tuple[str, ...]) -> None:
        raise NotImplementedError

    # --- what they have in common ---

    def evaluate(self, value: r.Value | None) -> None:
        """For its effects."""
        self.value(value)

    def value(self, value: r.Value | None) -> frozenset[S]:
        match value:
            case None | r.Literal():
                return frozenset()
            case r.Name(text=name):
                return self.held_by(name)
            case r.Member():
                return self.member(value)
            case r.Index():
                return self.index(value)
            case r.Call():
                return self.call(value)
            case r.Assign(target=target, op=op, value=inner):
                return self.assignment(value, target, op, inner)
            case r.Conditional(condition=condition, then=then, other=other):
                self.evaluate(condition)
                return self.value(then) | self.value(other)
            case r.Binary():
                return self.binary(value)
            case r.Aggregate():
                return self.aggregate(value)
            case r.Unary():
                return self.unary(value)
            case r.Pair(value=inner):
                return self.value(inner)
            case r.Comprehension():
                return self.comprehension(value)
            case r.Lambda(function=index):
                return self.closure(index)
            case r.OpaqueValue(names=names):
                self.escape_names(names)
        return frozenset()
