"""The pace of Python's garbage collector."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """What is imported, read and answered stays, and cycles among what goes are few: at Python's own pace a sixth of an
    analysis, and a quarter of a first run, would be spent in looking for them."""
    gc.set_threshold(200_000, 10, 20)
