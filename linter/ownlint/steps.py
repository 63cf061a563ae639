"""Work is counted in steps, and what takes too many of them is cut off: on every machine at the same place.

Every loop of the engine that can run long spends a step for each thing that it looks at. A *judgement*, one rule on one
subject, may spend so many; an answer that is worked out once for all who ask (see `questions`) has a budget of its own,
so that nobody pays for what others ask too. Rules need not know of it.

The meter belongs to the process: one thread asks.
"""

from __future__ import annotations

from typing import NoReturn

BUDGET = 1_000_000
"""Steps of one judgement or of one answer. A step is four or five microseconds, so that a cut-off takes about five
seconds. What took most, in percent of this and of `PER_BYTE`: MLIR 16.0.6 14, tensorstore 0.1.86 6, lmdb 3.0.0 and
leveldb 1.23 5, jax 0.10.2 3, onnx 1.23.2, pyopencl 2026.1.4, flax 0.12.12, pyarrow 26.0.1 and contourpy 1.3.3 1, h5py
3.16.0 and optax 0.2.8 less."""

PER_BYTE = 1
"""Further steps for each byte of the files that an answer is about: all, where it is about the program."""


_TOO_LONG = "it takes too many steps"


class LimitError(Exception):
    """So many steps were spent that the answer is given up."""


_UNBOUNDED = 1 << 62
_NO_BUDGET = _UNBOUNDED >> 1
"""Above it no budget counts, however much was spent before one does."""

_left = _UNBOUNDED
_culprit: object = None
"""What the last cut-off was about; None where it was about nothing in particular."""
_looked_at: object = None
"""What is looked at in this budget, and what was left of it when that began."""
_left_then = 0


def spend(steps: int = 1) -> None:
    """Raises `LimitError` when the steps of this judgement or answer are used up, and whenever one more is spent."""
    global _left, _culprit
    _left -= steps
    if _left < 0:
        if _left + steps >= 0:
            _culprit = _looked_at if _left_then - _left > BUDGET // 2 else None
        raise LimitError(_TOO_LONG)


def looks_at(what: object) -> None:
    """What is spent from here on is spent on this: a cut-off on which half of a budget went is about it."""
    global _looked_at, _left_then
    _looked_at, _left_then = what, _left


def culprit() -> object:
    """What the last cut-off was about; None where it was about nothing in particular."""
    return _culprit


def cut_off(about: object = None) -> NoReturn:
    """What is asked for was given up before, because of what it was `about`: whoever asks gets no further.

    Raises:
        LimitError: always.
    """
    global _left, _culprit
    _culprit = about
    if _left < _NO_BUDGET:
        _left = -1
    raise LimitError(_TOO_LONG)


def start(size: int) -> int:
    """From here on a budget counts that fits something of `size` bytes; returns what was left of the one before."""
    global _left, _looked_at
    before, _left = _left, BUDGET + PER_BYTE * size
    _looked_at = None
    return before


def stop(before: int) -> bool:
    """Goes back to the budget before; whether the one that ends was kept. If it was not, neither is that one: what
    rests on an answer that was cut off is cut off, too, even where somebody kept the error quiet."""
    global _left, _looked_at
    _looked_at = None
    kept = _left >= 0
    _left = before if kept or before > _NO_BUDGET else -1
    return kept
