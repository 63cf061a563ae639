"""Answers about functions that rest on answers about the functions that they call, so that none depends on who asked
before.

Such a question comes back to itself where functions call each other. What it is told then (`unknown`) is right for
whoever began, not for the functions on the way: their answers would be others had they been asked first. So they are
kept for this one question alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")
_NOBODY = 1 << 62


class Bounded(Generic[_Key, _Answer]):
    """At most `deepest` questions below one another; the next is `unknown`. An answer is that of its depth: it is told
    at another one only when it did not come to the bound and would not have come to it there. What calls itself is
    followed until it is too deep."""

    def __init__(self, deepest: int, unknown: _Answer) -> None:
        self.deepest = deepest
        self.unknown = unknown
        self._whole: dict[_Key, tuple[_Answer, int]] = {}
        """With how many questions stood below one another, this one counted."""
        self._cut: dict[tuple[_Key, int], _Answer] = {}
        self._depth = 0
        self._reached = 0
        """The greatest depth below what is being answered; more than `deepest` where it was cut."""

    def ask(self, key: _Key, answer: Callable[[], _Answer]) -> _Answer:
        """What `answer` says, which may ask further."""
        depth = self._depth
        if depth >= self.deepest:
            self._reached = self.deepest + 1
            return self.unknown
        if key in self._whole:
            found, height = self._whole[key]
            if depth + height <= self.deepest:
                self._reached = max(self._reached, depth + height)
                return found
        if (key, depth) in self._cut:
            self._reached = self.deepest + 1
            return self._cut[key, depth]
        before, self._reached = self._reached, depth + 1
        self._depth = depth + 1
        try:
            found = answer()
        finally:
            self._depth = depth
            reached, self._reached = self._reached, max(before, self._reached)
        if reached > self.deepest:
            self._cut[key, depth] = found
        else:
            self._whole[key] = found, reached - depth
        return found


class Circular(Generic[_Key, _Answer]):
    """At any depth. A question that is being asked already is `unknown` to those below it, and what rests on that is
    tentative until it has been answered. The answer of one that comes back to itself is kept, too, but is not told to
    those in its circle: from where they begin, the circle looks otherwise."""

    def __init__(self, unknown: _Answer) -> None:
        self.unknown = unknown
        self._whole: dict[_Key, _Answer] = {}
        self._roots: dict[_Key, tuple[frozenset[_Key], _Answer]] = {}
        self._tentative: dict[_Key, tuple[int, _Answer]] = {}
        self._under_way: dict[_Key, int] = {}
        self._leans = _NOBODY
        """The first question under way on which rests what is being answered."""

    def ask(self, key: _Key, answer: Callable[[], _Answer]) -> _Answer:
        """What `answer` says, which may ask further."""
        if key in self._whole:
            return self._whole[key]
        if key in self._under_way:
            self._leans = min(self._leans, self._under_way[key])
            return self.unknown
        if key in self._tentative:
            leans, found = self._tentative[key]
            self._leans = min(self._leans, leans)
            return found
        circle, found = self._roots.get(key, (frozenset(), self.unknown))
        if circle and self._under_way.keys().isdisjoint(circle):
            return found
        return self._asked(key, answer)

    def _asked(self, key: _Key, answer: Callable[[], _Answer]) -> _Answer:
        at = self._under_way[key] = len(self._under_way)
        before, self._leans = self._leans, _NOBODY
        try:
            found = answer()
        finally:
            del self._under_way[key]
            leans, self._leans = self._leans, min(before, self._leans)
        if leans < at:
            self._tentative[key] = leans, found
            return found
        self._leans = before
        if leans == _NOBODY:
            self._whole[key] = found
            return found
        inside = {other for other, (on, _) in self._tentative.items() if on >= at}
        for other in inside:
            del self._tentative[other]
        self._roots[key] = frozenset({key, *inside}), found
        return found
