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

_BLAMED = 4
"""What took such a part of a budget, the fourth, is to blame where it is used up."""


class _Shares:
    """What the steps of one budget were spent on."""

    def __init__(self, budget: int) -> None:
        self._enough = budget // _BLAMED
        self._spent: dict[str, int] = {}
        self._what: object = None
        self._file = ""
        self._since = 0

    def looks_at(self, what: object, file: str, left: int) -> None:
        self._close(left)
        self._what, self._file, self._since = what, file, left

    def to_blame(self, left: int) -> object:
        """What was looked at last, where the file that it stands in took so much."""
        self._close(left)
        return self._what if self._spent.get(self._file, 0) > self._enough else None

    def _close(self, left: int) -> None:
        if self._what is not None:
            self._spent[self._file] = self._spent.get(self._file, 0) + self._since - left
        self._since = left


_left = _UNBOUNDED
_culprit: object = None
"""What the last cut-off was about; None where it was about nothing in particular."""
_budget = _UNBOUNDED
_shares: _Shares | None = None
"""None as long as nothing was looked at."""

Before = tuple[int, int, _Shares | None]
"""The budget that counted until another one did, as it stands in these three."""


def spend(steps: int = 1) -> None:
    """Raises `LimitError` when the steps of this judgement or answer are used up, and whenever one more is spent."""
    global _left, _culprit
    _left -= steps
    if _left < 0:
        if _left + steps >= 0:
            _culprit = None if _shares is None else _shares.to_blame(_left)
        raise LimitError(_TOO_LONG)


def looks_at(what: object, file: str) -> None:
    """What is spent from here on is spent on this, which stands in a file: a cut-off is about it where the file took a
    good part of the budget."""
    global _shares
    if _shares is None:
        _shares = _Shares(_budget)
    _shares.looks_at(what, file, _left)


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


def start(size: int) -> Before:
    """From here on a budget counts that fits something of `size` bytes; returns the one before."""
    global _left, _budget, _shares
    before = _left, _budget, _shares
    _left = _budget = BUDGET + PER_BYTE * size
    _shares = None
    return before


def stop(before: Before) -> bool:
    """Goes back to the budget before; whether the one that ends was kept. If it was not, neither is that one: what
    rests on an answer that was cut off is cut off, too, even where somebody kept the error quiet."""
    global _left, _budget, _shares
    kept = _left >= 0
    left, _budget, _shares = before
    _left = left if kept or left > _NO_BUDGET else -1
    return kept
