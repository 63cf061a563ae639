"""How far a long run has come: one line on a terminal that is gone when the run is over.

Nothing is shown of a run that is over soon, and nothing where nobody looks. No name of a file is shown.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Told = Callable[[str, int, int], None]
"""Is told what is done now, and how many of how many; of 0 when nobody knows."""

_SOON = 1.0
"""Seconds in which most runs are over."""

_BETWEEN = 0.1
"""Seconds between two looks at the line."""


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
    """Drawn by a thread of its own, which stands still while this process is copied: whatever lock it held then would
    never be given back in the copy."""

    def __init__(self) -> None:
        self._now = ("finding files", 0, 0)
        self._begins = time.monotonic() + _SOON
        self._ended = threading.Event()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._thread: threading.Thread | None = None
        self.go_on()
        _drawn.append(self)

    def told(self, what: str, done: int, of: int) -> None:
        self._now = (what, done, of)

    def go_on(self) -> None:
        self._ended.clear()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()

    def stand_still(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def end(self) -> None:
        _drawn.remove(self)
        self.stand_still()
        if self._bar is not None:
            self._show(self._bar)
            self._bar.stop()

    def _draw(self) -> None:
        if self._ended.wait(max(0.0, self._begins - time.monotonic())):
            return
        bar = self._bar or self._begin()
        while not self._ended.wait(_BETWEEN):
            self._show(bar)

    def _begin(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        what, count = (TextColumn(f"{{task.{field}}}", markup=False) for field in ("description", "fields[count]"))
        columns = (SpinnerColumn(), what, BarColumn(30), count)
        console = Console(stderr=True)
        bar = self._bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, auto_refresh=False)
        self._task = bar.add_task("", total=None, count="")
        bar.start()
        self._show(bar)
        return bar

    def _show(self, bar: Progress) -> None:
        assert self._task is not None
        what, done, of = self._now
        count = f"{done:,}/{of:,}" if of else ""
        bar.update(self._task, description=what, completed=done, total=of or None, count=count, refresh=True)


_drawn: list[_Line] = []
"""The line that is drawn now, if any."""


def _before_copy() -> None:
    for line in _drawn:
        line.stand_still()


def _after_copy() -> None:
    for line in _drawn:
        line.go_on()


os.register_at_fork(before=_before_copy, after_in_parent=_after_copy, after_in_child=_drawn.clear)
