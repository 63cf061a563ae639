"""What a walk finds out of the events and expressions of its function: the same on every way that comes there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

_Walk = TypeVar("_Walk")
_Node = TypeVar("_Node")
_Answer = TypeVar("_Answer")


def remembered(ask: Callable[[_Walk, _Node], _Answer]) -> Callable[[_Walk, _Node], _Answer]:
    """A method whose answer rests on nothing but the event or expression that it is asked about, and on the function:
    it is worked out once for each. They are told apart by what they are, since comparing two of them goes through all
    that is in them; so whoever asks keeps them, and nothing else can stand in their place. Not for objects that live
    longer than the answer that is being worked out: what was read for it is noted only the first time."""
    name = f"remembered {ask.__name__}"

    @wraps(ask)
    def asked(walk: _Walk, node: _Node) -> _Answer:
        kept: dict[str, dict[int, tuple[_Node, _Answer]]] = walk.__dict__
        try:
            return kept[name][id(node)][1]
        except KeyError:
            pass
        found = ask(walk, node)
        kept.setdefault(name, {})[id(node)] = node, found
        return found

    return asked


def remembered_of_text(ask: Callable[[_Walk, str], _Answer]) -> Callable[[_Walk, str], _Answer]:
    """The same for a question about a name or a type as it is written."""
    name = f"remembered {ask.__name__}"

    @wraps(ask)
    def asked(walk: _Walk, said: str) -> _Answer:
        kept: dict[str, dict[str, _Answer]] = walk.__dict__
        try:
            return kept[name][said]
        except KeyError:
            pass
        found = ask(walk, said)
        kept.setdefault(name, {})[said] = found
        return found

    return asked
