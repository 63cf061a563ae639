"""Answers about a whole function or a whole program, worked out once and shared by all who ask.

What is told of one event after another (every exit, every test) would otherwise be found again by each rule. What is
kept must not be changed by those who get it, unless it is itself a memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, overload

from ownlint.steps import LimitError, cut_off, start, stop

if TYPE_CHECKING:
    from ownlint.project.program import Program
    from ownlint.project.subjects import Binding, Function

_Rest = ParamSpec("_Rest")
_Answer = TypeVar("_Answer")


class _GivenUp:
    """Kept in the place of an answer that took too many steps: it is not begun again for whoever asks next."""


_GIVEN_UP = _GivenUp()


def _within(size: int, ask: Callable[[], _Answer]) -> _Answer | _GivenUp:
    """What is answered with a budget of its own that fits something of `size` bytes."""
    before = start(size)
    answer: _Answer | _GivenUp = _GIVEN_UP
    try:
        answer = ask()
    except LimitError:
        pass
    finally:
        whole = stop(before)
    return answer if whole else _GIVEN_UP


def _told(answer: _Answer | _GivenUp) -> _Answer:
    """What `_within` has answered.

    Raises:
        LimitError: it took too many steps.
    """
    if isinstance(answer, _GivenUp):
        cut_off()
    return answer


def once(
    ask: Callable[Concatenate[Function, _Rest], _Answer],
) -> Callable[Concatenate[Function, _Rest], _Answer]:
    """Keeps what `ask` answers, by its further arguments, as long as the function's flow is kept; so it may hold
    events."""

    @wraps(ask)
    def asked(function: Function, /, *rest: _Rest.args, **named: _Rest.kwargs) -> _Answer:
        known = function.flow.known
        key = (ask, rest)
        if key not in known:
            known[key] = _within(function.file.size, lambda: ask(function, *rest, **named))
        answer: _Answer | _GivenUp = known[key]
        return _told(answer)

    return asked


class _Keeper(Protocol):
    """Whatever has a memory of its own."""

    @property
    def known(self) -> dict[Any, Any]: ...

    @property
    def size(self) -> int: ...


_Of = TypeVar("_Of", bound=_Keeper)


def _kept(ask: Callable[[_Of], _Answer]) -> Callable[[_Of], _Answer]:
    @wraps(ask)
    def asked(of: _Of) -> _Answer:
        known = of.known
        if ask not in known:
            known[ask] = _within(of.size, lambda: ask(of))
        answer: _Answer | _GivenUp = known[ask]
        return _told(answer)

    return asked


def per_function(ask: Callable[[Function], _Answer]) -> Callable[[Function], _Answer]:
    """Keeps what `ask` answers as long as the program is kept: for small answers that need no flow."""
    return _kept(ask)


def per_binding(ask: Callable[[Binding], _Answer]) -> Callable[[Binding], _Answer]:
    """Keeps what `ask` answers as long as the binding's record is looked at by the same subject."""
    return _kept(ask)


def per_program(ask: Callable[[Program], _Answer]) -> Callable[[Program], _Answer]:
    """Keeps what `ask` answers as long as the program is kept."""
    return _kept(ask)


class shared_property(cached_property[_Answer]):  # noqa: N801 - a decorator, named as such
    """An attribute about the whole program of an object that has one (or is it), worked out once: it has a budget of
    its own, so that who happens to ask first does not pay for what all ask."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> _Answer: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Self | _Answer:
        if instance is None:
            return self
        of: Program = getattr(instance, "program", instance)
        before = start(of.size)
        try:
            answer: _Answer = super().__get__(instance, owner)
            return answer
        finally:
            stop(before)
