"""In which order locks are taken: each place where one is waited for while another is held."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from ownlint import Function, Place, Program, Span, acquired, places, questions
from ownlint import events as e


class Order(NamedTuple):
    """`wait` happens in `function` while `held` is held, at `place`, and `others` beside it."""

    held: acquired.Key
    place: Place
    function: Function
    wait: acquired.Wait
    others: frozenset[acquired.Key]

    @property
    def event(self) -> e.Event:
        return self.function.flow.events[self.wait.at]

    @property
    def where(self) -> tuple[str, Span]:
        return self.function.path, self.event.span

    @property
    def is_of_one_object(self) -> bool:
        """Whether both locks are members of the same object, or one is there but once."""
        return self.held.single or self.wait.key.single or self.place[:-1] == self.wait.lock[:-1]


def reversed_orders(program: Program) -> Iterator[tuple[Order, Order]]:
    """Pairs of locks of which each is waited for somewhere while the other is held, and no third lock keeps these two
    places apart; each pair once, by the nearest places that show it."""
    found: dict[tuple[acquired.Key, acquired.Key], list[Order]] = {}
    for order in (order for many in _orders(program).values() for order in many):
        found.setdefault((order.held, order.wait.key), []).append(order)
    for (held, taken), orders in sorted(found.items()):
        if held < taken and (taken, held) in found:
            pairs = [
                (one, other)
                for one, other in product(orders, found[taken, held])
                if one.others.isdisjoint(other.others)
            ]
            if pairs:
                one, other = min(pairs, key=_rank)
                yield (one, other) if one.where <= other.where else (other, one)


def _rank(pair: tuple[Order, Order]) -> tuple[bool, bool, tuple[str, Span], tuple[str, Span]]:
    """The plainest pair first: of one object each, then taken there and then."""
    one, other = pair
    apart = one.is_of_one_object is not other.is_of_one_object or not one.is_of_one_object
    below = one.wait.where is not one.function or other.wait.where is not other.function
    return apart, below, one.where, other.where


@questions.each_function
def _orders(function: Function) -> list[Order]:
    known = acquired.acquisitions(function.program)
    found = []
    for wait in known.waits_under_lock(function):
        keys = known.exclusive(function, wait.at)
        for place, held in keys.items():
            if held != wait.key and place not in wait.given_up and not _is_alone(function, place):
                found.append(Order(held, place, function, wait, frozenset(keys.values()) - {held, wait.key}))
    return found


def _is_alone(function: Function, lock: Place) -> bool:
    """Whether nobody else knows the lock's object yet, or any more."""
    return lock[0] == places.THIS and function.record.kind in ("constructor", "destructor")
