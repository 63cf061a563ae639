"""Where a handle stands among those of its owner: the chain of steps that leads from the owner to it.

Two handles with one chain are one native object; a chain that begins with another is a part of what that one stands
for, or lies below it. Steps of which nobody knows which element they pick are named after the place in the source
that picks it, so that two places never mean one object by accident.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Where = Literal["part", "same", "below", "above", "holder", "elsewhere"]
"""How a member's result stands to its receiver: a part that goes with it, the object itself, an object of its own
inside it, the one around it, the object of which the receiver is a part, or nobody knows."""

Reach = Literal["deep", "shallow", "below", "derived"]
"""What an invalidation ends: the object with everything taken from it, the object alone, objects inside it, or
everything taken from it but itself."""

PART, BELOW, APART = ".", "/", ">"
USERS = "&"
"""In the key of an element that a native iterator gave: several of them may belong to one object."""
INDEX = "$"
"""How the key begins of an element that a variable picks."""
_LONGEST = 400
_NOWHERE = 1 << 20
_DEEPEST = 24
_PICKS = 8
"""What was picked of what was picked so often is nowhere known."""


class HandleChain(NamedTuple):
    """`up` objects above the root, then `steps`: `.body`, `/[0]`."""

    up: int = 0
    steps: tuple[str, ...] = ()

    def step(self, where: Where, key: str, *, top: bool = False) -> HandleChain:
        """The chain of what a member gives; `top` says that nothing is around the root."""
        match where:
            case "same":
                return self
            case "holder":
                return self._held()
            case "above":
                return self._held()._around()
            case "elsewhere":
                return HandleChain(0 if top else _NOWHERE, (f"{BELOW}{'|'.join(self.steps)[-_LONGEST:]}{APART}{key}",))
        if len(self.steps) >= _DEEPEST:
            return HandleChain(_NOWHERE, (BELOW + key,))
        return HandleChain(self.up, (*self.steps, (BELOW if where == "below" else PART) + key))

    def _held(self) -> HandleChain:
        """The object that this is a part of."""
        last = max((n for n, step in enumerate(self.steps) if step.startswith(BELOW)), default=-1)
        return HandleChain(self.up, self.steps[: last + 1])

    def _around(self) -> HandleChain:
        if self.steps:
            return HandleChain(self.up, self.steps[:-1])._held()
        return HandleChain(self.up + 1 if self.up < _NOWHERE else _NOWHERE)

    def within(self, inner: HandleChain) -> HandleChain:
        """A chain that begins here and goes on as `inner`, which begins at somebody's root."""
        base = self._held() if inner.up else self
        for _ in range(min(inner.up, _DEEPEST)):
            base = base._around()
        steps = (*base.steps, *inner.steps)
        return HandleChain(base.up, steps) if len(steps) <= _DEEPEST else HandleChain(_NOWHERE, steps[-1:])

    def below(self, outer: HandleChain) -> tuple[str, ...] | None:
        """The steps from `outer` to here, None when this is not known to be at it or below it."""
        if self.up == outer.up and self.steps[: len(outer.steps)] == outer.steps:
            return self.steps[len(outer.steps) :]
        if outer.up > self.up and not outer.steps and outer.up < _NOWHERE:
            return (BELOW, *self.steps)
        return None

    def is_hit(self, outer: HandleChain, reach: Reach) -> bool:
        """Whether an invalidation of `outer` that reaches so far ends this."""
        steps = self.below(outer)
        if steps is None:
            return False
        match reach:
            case "deep":
                return True
            case "derived":
                return bool(steps)
            case "below":
                return any(step.startswith(BELOW) for step in steps)
        return not steps

    def picked(self, key: str) -> HandleChain:
        """One of several that this chain stands for."""
        if not self.steps:
            return HandleChain(self.up, (f"{PART}~{key}",))
        if self.steps[-1].count("~") >= _PICKS:
            return HandleChain(_NOWHERE, (f"{PART}~{key}",))
        return HandleChain(self.up, (*self.steps[:-1], f"{self.steps[-1]}~{key}"))

    @property
    def is_whole(self) -> bool:
        """Whether this is an owner itself: the one that was made, or one of several that were made there."""
        return not self.up and (not self.steps or (len(self.steps) == 1 and self.steps[0].startswith(f"{PART}~")))

    def unpicked(self) -> tuple[HandleChain, str]:
        """What this is one of, picked by a variable, and the key of it; nothing that there is where it is none."""
        last = self.steps[-1] if self.steps else ""
        before, _, key = last.rpartition("~")
        if not key.startswith(INDEX):
            return HandleChain(_NOWHERE, (APART,)), ""
        return HandleChain(self.up, self.steps[:-1] if before == PART else (*self.steps[:-1], before)), key

    def aged(self, site: int) -> HandleChain:
        """What was picked at that place before is another object than what is picked there now."""
        mark = f"@{site};"
        if not any(mark in step for step in self.steps):
            return self
        return HandleChain(self.up, tuple(_older(step) if mark in step else step for step in self.steps))

    def is_apart_in(self, other: HandleChain) -> bool:
        """Whether the other is what this, one of several that look at something, belongs to, as more may."""
        if not self.steps or USERS not in self.steps[-1]:
            return False
        mark = self.steps[-1].lstrip(PART + BELOW) if APART not in self.steps[-1] else self.steps[-1]
        return any(mark in step and (APART in step.replace(mark, "") or APART in mark) for step in other.steps)

    def once(self) -> HandleChain:
        """One of several that are known to be different objects."""
        return HandleChain(self.up, tuple(step.replace(USERS, "") for step in self.steps))

    def moved(self) -> HandleChain:
        """After elements were taken out or put in, a number no longer says which one it was."""
        if not any("[" in step for step in self.steps):
            return self
        return HandleChain(self.up, tuple(_older(step) if "[" in step else step for step in self.steps))


def _older(step: str) -> str:
    return step if step.endswith("'''") else step + "'"


def at(site: int) -> str:
    """The key of an element that is picked at this place, whichever it is."""
    return f"@{site};"


def by_variable(site: int) -> str:
    """The key of an element that is picked by a variable, as long as that is not set anew."""
    return f"{INDEX}@{site};"


def literal(texts: Iterable[str]) -> str:
    """The key of an element that is picked by constants; numbers stand in brackets, see `HandleChain.moved`."""
    written = list(texts)
    numbers = any(part.lstrip("-").isdigit() for part in written)
    return f"[{', '.join(written)}]" if numbers else f"({', '.join(written)})"
