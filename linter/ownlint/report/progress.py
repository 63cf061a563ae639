"""How far a long run has come: one line on a terminal that is gone when the run is over.

Nothing is shown of a run that is over soon, and nothing where nobody looks. No name of a file is shown.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Told = Callable[[str, int, int], None]
"""Is told what is done now, and how many of how many; of 0 when nobody knows."""

_SOON = 1.0
"""Seconds in which most runs are over."""


def nobody(what: str, done: int, of: int) -> None:
    """Is told, and shows nothing."""


@contextlib.contextmanager
def shown(quiet: bool) -> Iterator[Told]:
    """On standard error, when that is a terminal which can take a line back."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield nobody
        return
    line = _Line()
    try:
        yield line.told
    finally:
        line.end()


class _Line:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = ("finding files", 0, 0)
        self._ended = False
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._timer = threading.Timer(_SOON, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def told(self, what: str, done: int, of: int) -> None:
        with self._lock:
            self._now = (what, done, of)
            self._show()

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        what, count = (TextColumn(f"{{task.{field}}}", markup=False) for field in ("description", "fields[count]"))
        columns = (SpinnerColumn(), what, BarColumn(30), count)
        with self._lock:
            if self._ended:
                return
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
            self._task = self._bar.add_task("", total=None, count="")
            self._show()
            self._bar.start()

    def _show(self) -> None:
        if self._bar is not None and self._task is not None:
            what, done, of = self._now
            count = f"{done:,}/{of:,}" if of else ""
            self._bar.update(self._task, description=what, completed=done, total=of or None, count=count)

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()
