"""What the machine has for us: its processors and its memory, as far as this process and its container may use them."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path("/")
_GROUPS = "sys/fs/cgroup"
_UNLIMITED = 1 << 60
"""The first version of control groups writes about this much where there is no limit."""


def processors(root: Path = _ROOT) -> int:
    """How many may run at a time, at least one: those this process is bound to, and no more than its quota of time."""
    try:
        found = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        found = os.cpu_count() or 1
    for quota, period in _quotas(root):
        found = min(found, -(-quota // period))
    return max(1, found)


def memory(root: Path = _ROOT) -> int | None:
    """Bytes that can be used now without taking them from others; None where the system does not tell."""
    found = [_available(root), *_left_in_groups(root)]
    return min((one for one in found if one is not None), default=None)


def _available(root: Path) -> int | None:
    for line in _text(root / "proc/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable" and value.split()[:1] and value.split()[0].isdigit():
            return int(value.split()[0]) * 1024
    return None


def _left_in_groups(root: Path) -> Iterator[int]:
    """What the limits of the control groups around this process leave, in both versions."""
    for folder in _groups(root, ""):
        yield from _left(folder, "memory.max", "memory.current", "inactive_file")
    for folder in _groups(root, "memory"):
        yield from _left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _left(folder: Path, limit: str, usage: str, reclaimable: str) -> Iterator[int]:
    most, used = _number(folder / limit), _number(folder / usage)
    if most is not None and used is not None and most < _UNLIMITED:
        pages = (line.split() for line in _text(folder / "memory.stat").splitlines())
        cached = next((int(p[1]) for p in pages if len(p) == 2 and p[0] == reclaimable and p[1].isdigit()), 0)
        yield max(0, most - used + cached)


def _quotas(root: Path) -> Iterator[tuple[int, int]]:
    """Microseconds of processor time, and the period for which they are given."""
    for folder in _groups(root, ""):
        words = _text(folder / "cpu.max").split()
        if len(words) == 2 and all(word.isdigit() for word in words) and int(words[1]):
            yield int(words[0]), int(words[1])
    for folder in _groups(root, "cpu"):
        quota, period = _number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us")
        if quota is not None and period:
            yield quota, period


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """The control group of this process and those around it; `controller` is empty for the second version. In a
    container its own group is often shown as the topmost one."""
    base = root / _GROUPS / controller if controller else root / _GROUPS
    for line in _text(root / "proc/self/cgroup").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3 and (controller in parts[1].split(",") if controller else not parts[1]):
            folder = parts[2].strip("/")
            while folder:
                yield base / folder
                folder = folder.rpartition("/")[0]
            yield base


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


# --- shares ---------------------------------------------------------------------------------------------

READER = 4 << 30
"""Bytes of address space that a reader may have where there is enough."""

LEAST_READER = 1 << 30
"""With less, large files are not read: rather fewer at a time. Half of it is the stack, of which little is used."""

LEAST_ANALYSIS = 2 << 30


def shares(jobs: int, available: int | None) -> tuple[int, int]:
    """How many files are read at a time, at most `jobs`, and the address space of each reader in bytes, so that all of
    them together fit into three quarters of what is available."""
    if available is None:
        return jobs, READER
    whole = available * 3 // 4
    fitting = max(1, min(jobs, whole // LEAST_READER))
    return fitting, max(LEAST_READER, min(READER, whole // fitting))


def analysis(available: int | None, otherwise: int) -> int:
    """The address space of those that analyse, which follow the readers: three quarters of what is available."""
    return otherwise if available is None else max(LEAST_ANALYSIS, available * 3 // 4)


@contextmanager
def kept_for_good() -> Iterator[None]:
    """Around what makes many objects that stay until the end: they are not looked through for garbage, now or later."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


_SMALL = 16 << 20


def collect_rarely(size: int = _SMALL) -> None:
    """What is imported, read and answered stays, and cycles among what goes are few: at the pace that Python's garbage
    collector has of its own, a sixth of an analysis and a quarter of a first run would be spent in looking for them.
    `size`: bytes of the project; of a small one nothing that is made has to be taken back."""
    gc.set_threshold(2_000_000 if size < _SMALL else 200_000, 10, 20)
