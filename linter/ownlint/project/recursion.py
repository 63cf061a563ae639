"""Answers about functions that rest on answers about the functions that they call, so that none depends on who asked
before.

Such a question comes back to itself where functions call each other. What it is told then (`unknown`) is right for
whoever began, not for the functions on the way: their answers would be others had they been asked first. So they are
kept for this one question alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from ownlint.project.questions import GrowingNotes, Note, noting, read

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")
_NOBODY = 1 << 62
_CUT = -1
_LARGEST = 8
_DEEPEST = 64
"""So many questions stand below one another."""


class Circular(Generic[_Key, _Answer]):
    """A question that is being asked already is `unknown` to those below it, and what rests on that is tentative until
    it has been answered. The answer of one that comes back to itself is kept, too, but is not told to those in its
    circle: from where they begin, the circle looks otherwise.

    So deep as no code that was seen goes, the next question is `unknown`, too: a bound for the stack. What rests on
    that is kept for whoever began alone. And of a circle of more than `_LARGEST` the answers that its first question
    brought along are kept for all in it, or each would go round it once more: these depend on who asked first.
    """

    def __init__(
        self, unknown: _Answer, deepest: int = _DEEPEST, about: Callable[[_Key], Hashable] = lambda key: key
    ) -> None:
        """`about`: what a question is about. One about the same as a question under way is `unknown`, whatever else
        they differ in, or a function that calls itself with ever more would be asked about for ever."""
        self.unknown = unknown
        self.deepest = deepest
        self.about = about
        self._whole: dict[_Key, _Answer] = {}
        self._roots: dict[_Key, tuple[frozenset[Hashable], _Answer]] = {}
        self._tentative: dict[_Key, tuple[int, _Answer]] = {}
        self._under_way: dict[Hashable, int] = {}
        self._notes: dict[_Key, GrowingNotes] = {}
        """Of each question that was asked, what its answer was derived from."""
        self._leans = _NOBODY
        """The first question under way on which rests what is being answered."""

    @property
    def is_tentative(self) -> bool:
        """Whether what is being answered rests on a question that is still under way, or was not asked so deep."""
        return self._leans != _NOBODY

    def ask(self, key: _Key, answer: Callable[[], _Answer]) -> _Answer:
        """What `answer` says, which may ask further."""
        notes = self._notes.get(key)
        if notes is None:
            notes = self._notes[key] = GrowingNotes()
        read(notes)
        if key in self._whole:
            return self._whole[key]
        about = self.about(key)
        if about in self._under_way:
            self._leans = min(self._leans, self._under_way[about])
            return self.unknown
        if key in self._tentative:
            leans, found = self._tentative[key]
            self._leans = min(self._leans, leans)
            return found
        circle, found = self._roots.get(key, (frozenset(), self.unknown))
        if circle and self._under_way.keys().isdisjoint(circle):
            return found
        if len(self._under_way) >= self.deepest:
            self._leans = _CUT
            return self.unknown
        return self._asked(key, answer)

    def _asked(self, key: _Key, answer: Callable[[], _Answer]) -> _Answer:
        about = self.about(key)
        at = self._under_way[about] = len(self._under_way)
        before, self._leans = self._leans, _NOBODY
        rests_on: set[Note] = set()
        try:
            with noting() as rests_on:
                found = answer()
        except BaseException:
            self._leave(key, at, answered=False)
            self._leans = before
            raise
        finally:
            self._notes[key].rest_on(rests_on)
        leans, self._leans = self._leans, min(before, self._leans)
        if leans < at and at:
            del self._under_way[about]
            self._tentative[key] = leans, found
            return found
        self._leans = before
        circle = self._leave(key, at, answered=True)
        if leans == _NOBODY:
            self._whole[key] = found
        else:
            self._roots[key] = circle, found
        return found

    def _leave(self, key: _Key, at: int, *, answered: bool) -> frozenset[Hashable]:
        """The question is under way no longer, and what rested on it is forgotten: the circle in which it stood."""
        del self._under_way[self.about(key)]
        inside = [other for other, (leans, _) in self._tentative.items() if leans >= at or not at]
        forgotten = {other: self._tentative.pop(other)[1] for other in inside}
        if answered and len(inside) > _LARGEST:
            self._whole.update(forgotten)
        return frozenset(self.about(one) for one in (key, *inside))


def circles(steps: Mapping[_Key, Iterable[_Key]]) -> Iterator[list[_Key]]:
    """What leads to each other, step by step: each once, with all that it leads to and that leads back to it."""
    number: dict[_Key, int] = {}
    lowest: dict[_Key, int] = {}
    open_: list[_Key] = []
    for root in steps:
        waiting = [(root, iter(steps[root]))] if root not in number else []
        while waiting:
            at, others = waiting[-1]
            if at not in number:
                number[at] = lowest[at] = len(number)
                open_.append(at)
            other = next((one for one in others if one not in number or one in lowest), None)
            if other is not None:
                if other in number:
                    lowest[at] = min(lowest[at], number[other])
                else:
                    waiting.append((other, iter(steps.get(other, ()))))
                continue
            waiting.pop()
            if waiting:
                lowest[waiting[-1][0]] = min(lowest[waiting[-1][0]], lowest[at])
            if lowest[at] == number[at]:
                circle: list[_Key] = []
                while not circle or circle[-1] != at:
                    circle.append(open_.pop())
                    del lowest[circle[-1]]
                yield circle
