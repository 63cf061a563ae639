"""Whether the address of a local may stay somewhere: most are given to a call that is done with them when it returns.
Asked before a function is followed for what points into a local that has ended."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TypeGuard

from ownlint.domains.memory.pointers import named
from ownlint.engine import overrides
from ownlint.facts import records as r
from ownlint.flow.places import strip, walk
from ownlint.models.records import FunctionModel, Verb
from ownlint.project.program import Program
from ownlint.project.questions import flow_question, program_question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Function

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_KEEPING: tuple[Verb, ...] = ("keep", "adopt", "bind", "swap", "move", "call")


def may_stay(function: Function, names: AbstractSet[str]) -> bool:
    """Whether the address of one of those locals may get anywhere but into calls that hand it on nowhere."""
    done = {
        bare.span
        for call, index, bare in _given(function)
        if isinstance(bare, r.Unary) and within(bare.value, function) in names and not hands_on(call, index, function)
    }
    return any(
        _is_address(one) and one.span not in done and within(one.value, function) in names for one in function.values
    )


def _given(function: Function) -> Iterator[tuple[r.Call, int, r.Value]]:
    """The addresses and names that calls of the function get as they are."""
    for call in function.calls():
        for index, argument in enumerate(call.args):
            bare = strip(argument)
            if isinstance(bare, r.Name) or _is_address(bare):
                yield call, index, bare


def _is_address(value: r.Value | None) -> TypeGuard[r.Unary]:
    return isinstance(value, r.Unary) and value.op == "&"


def within(value: r.Value, function: Function) -> str:
    """The variable in which lies what `&value` leads to; empty where a pointer leads out of it, which in C++ may be an
    object that holds it in itself."""
    if not function.file.is_c:
        return named(value)
    bare = strip(value)
    while isinstance(bare, r.Member | r.Index) and not (isinstance(bare, r.Member) and bare.arrow):
        bare = strip(bare.base)
    return bare.text if isinstance(bare, r.Name) else ""


def hands_on(call: r.Call, index: int, function: Function) -> bool:
    """Whether the call may put what it is given into something, or answer with it."""
    if call.kind != "call":
        return True
    callee = overrides.reached(call, function)
    if (one := callee.only) is not None:
        parameters = one.record.parameters
        return index >= len(parameters) or parameters[index].name in _handed_on(one)
    if callee.functions:
        return False  # nothing is known of what they do
    if callee.models:
        return any(_keeps(model, index, asked=call.span not in _unasked(function)) for model in callee.models)
    if isinstance(call.callee, r.Name) and function.program.macros.named(call.callee.text):
        return True
    return not function.file.is_c and not (
        isinstance(call.callee, r.Name) and call.callee.text not in function.declared
    )


def _keeps(model: FunctionModel, index: int, *, asked: bool) -> bool:
    """Whether a library's function may put that argument somewhere, or, where its answer is `asked` for, give it."""
    if any(map(model.has, _KEEPING)):
        return True
    return asked and any(
        (effect.verb == "returns" and effect.place is not None and effect.place.index == index)
        or (effect.verb == "borrow" and str(effect.place) == "result")
        for effect in model.effects
    )


@flow_question
def _unasked(function: Function) -> frozenset[r.Span]:
    """Where calls stand whose answers nothing asks for."""
    whole = (strip(one.value) for one in function.statements if isinstance(one, r.Evaluate))
    return frozenset(one.span for one in whole if isinstance(one, r.Call))


@program_question
def _answers(program: Program) -> Circular[Function, frozenset[str]]:
    return Circular(frozenset())


def _handed_on(function: Function) -> frozenset[str]:
    """The parameters that the function may put into something, answer with, or give to one that does."""
    return _answers(function.program).ask(function, lambda: frozenset(_put_somewhere(function)))


def _put_somewhere(function: Function) -> Iterator[str]:
    names = function.parameter_names
    if function.record.opaque:  # what it does is not told
        return
    done = set(_only_read(function))
    done |= {
        bare.span
        for call, index, bare in _given(function)
        if (named(bare) in names) and not hands_on(call, index, function)
    }
    inside = {
        inner.span for one in function.values if _is_address(one) for inner in walk(one) if isinstance(inner, r.Name)
    }
    for statement in function.statements:
        if isinstance(statement, r.Leave) and isinstance(strip(statement.value), r.Member | r.Index):
            yield named(statement.value)  # what lies in it, as an array, is its address
    for one in function.values:
        if _is_address(one):
            if one.span not in done and named(one.value) in names:
                yield named(one.value)
        elif isinstance(one, r.Name) and one.text in names and one.span not in done and one.span not in inside:
            yield one.text
        elif isinstance(one, r.Lambda):
            yield from names


def _only_read(function: Function) -> Iterator[r.Span]:
    """Where names stand through which something is looked at, or which are only tested."""
    for one in function.values:
        match one:
            case r.Member(base=base, arrow=True) | r.Index(base=base) | r.Unary(op="*" | "!", value=base):
                yield from _span(base)
            case r.Binary(op=op, left=left, right=right) if op in _COMPARISONS:
                yield from _span(left)
                yield from _span(right)
            case r.Conditional(condition=condition):
                yield from _span(condition)
    for statement in function.statements:
        match statement:
            case r.Branch(condition=tested) | r.Loop(condition=tested):
                yield from _span(tested)
            case r.Evaluate(value=r.Cast(type="void", value=dropped)):
                yield from _span(dropped)


def _span(value: r.Value | None) -> Iterator[r.Span]:
    bare = strip(value)
    if isinstance(bare, r.Name):
        yield bare.span
