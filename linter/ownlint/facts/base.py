"""What is said of files without their facts. Every run needs it; `records` takes time to load, and most do not."""

from __future__ import annotations

from typing import Literal

import msgspec

FORMAT = 11
"""Raised whenever a record changes its fields, so that old cache entries are misses."""

LIBCLANG = "OWNLINT_LIBCLANG"
"""The variable of the environment that names another libclang than the installed one."""

Language = Literal["cpp", "python"]


class Span(msgspec.Struct, frozen=True, array_like=True, gc=False, order=True):
    """A range of bytes, `start` included, `end` not."""

    start: int
    end: int

    def __contains__(self, offset: int) -> bool:
        return self.start <= offset < self.end

    def holds(self, inner: Span) -> bool:
        """Whether all of it lies in this one."""
        return self.start <= inner.start and inner.end <= self.end
