"""In which order locks are taken: each place where one is waited for while another is held."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, product
from typing import NamedTuple

from ownlint import Function, Place, Program, Span, acquired, places, questions, steps
from ownlint import events as e


class Under(NamedTuple):
    """`wait` happens while the locks of `held` are held, which are of these `kinds`."""

    wait: acquired.Wait
    held: dict[Place, acquired.Key]
    kinds: frozenset[acquired.Key]


class Order(NamedTuple):
    """A wait happens in `function` while `held` is held, at `place`, among others."""

    held: acquired.Key
    place: Place
    function: Function
    under: Under

    @property
    def wait(self) -> acquired.Wait:
        return self.under.wait

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
    found = _both_ways(program)
    for held, taken in sorted(pair for pair in found if pair[0] < pair[1]):
        if (pair := _nearest(found[held, taken], found[taken, held])) is not None:
            one, other = pair
            yield (one, other) if one.where <= other.where else (other, one)


def _both_ways(program: Program) -> dict[tuple[acquired.Key, acquired.Key], list[Order]]:
    """The places where a lock is waited for while another is held, by both, of those that are waited for the other way
    round as well."""
    before: dict[acquired.Key, set[acquired.Key]] = {}
    for function, many in _waits(program).items():
        for under in many:
            before.setdefault(under.wait.key, set()).update(held for held, _ in _orders(function, under))
    both = {taken: {one for one in held if taken in before.get(one, ())} for taken, held in before.items()}
    found: dict[tuple[acquired.Key, acquired.Key], list[Order]] = {}
    for function, many in _waits(program).items():
        for under in many:
            taken = under.wait.key
            for held, place in _orders(function, under) if both[taken] else ():
                if held in both[taken]:
                    found.setdefault((held, taken), []).append(Order(held, place, function, under))
    return found


def _nearest(orders: list[Order], others: list[Order]) -> tuple[Order, Order] | None:
    """The plainest pair of places: of one object each, then taken there and then."""
    pairs = [(one, other) for one, other in product(orders, others) if not _are_apart(one, other)]
    return min(pairs, key=_rank, default=None)


def _are_apart(one: Order, other: Order) -> bool:
    """Whether a third lock is held at both places."""
    steps.looks_at(one.function, one.function.path)
    shared = one.under.kinds & other.under.kinds
    steps.spend(1 + len(shared) // 64)
    return not shared <= {one.held, other.held}


def _rank(pair: tuple[Order, Order]) -> tuple[bool, bool, tuple[str, Span], tuple[str, Span]]:
    one, other = pair
    apart = one.is_of_one_object is not other.is_of_one_object or not one.is_of_one_object
    below = one.wait.where is not one.function or other.wait.where is not other.function
    return apart, below, one.where, other.where


@questions.each_function
def _waits(function: Function) -> list[Under]:
    known = acquired.acquisitions(function.program)
    found = []
    for at, waits in groupby(known.waits_under_lock(function), key=lambda one: one.at):
        held = known.exclusive(function, at)
        kinds = frozenset(held.values())
        steps.spend(1 + len(held))
        found += [Under(wait, held, kinds) for wait in waits]
    return [under for under in found if any(_orders(function, under))]


def _orders(function: Function, under: Under) -> Iterator[tuple[acquired.Key, Place]]:
    """The locks under which there is a wait for another, with their places."""
    wait = under.wait
    for place, held in under.held.items():
        if held != wait.key and place not in wait.given_up and not _is_alone(function, place):
            yield held, place


def _is_alone(function: Function, lock: Place) -> bool:
    """Whether nobody else knows the lock's object yet, or any more."""
    return lock[0] == places.THIS and function.record.kind in ("constructor", "destructor")
