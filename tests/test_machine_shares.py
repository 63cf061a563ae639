"""What the machine has is shared among children: all of them together, whatever the number of jobs."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from ownlint import machine

GB = 1 << 30


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "proc/meminfo", "MemTotal: 99 kB\nMemAvailable:   16777216 kB\n")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    place = root / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_what_is_available_is_what_the_system_says(root: Path, tmp_path: Path) -> None:
    assert machine.memory(root) == 16 * GB
    assert machine.memory(tmp_path / "nothing") is None
    write(root, "proc/meminfo", "MemAvailable: much\n")
    assert machine.memory(root) is None


def test_a_control_group_has_less(root: Path) -> None:
    write(root, "proc/self/cgroup", "0::/a/b\n")
    write(root, "sys/fs/cgroup/a/memory.max", f"{2 * GB}\n")
    write(root, "sys/fs/cgroup/a/memory.current", f"{GB}\n")
    write(root, "sys/fs/cgroup/a/b/memory.max", "max\n")
    write(root, "sys/fs/cgroup/a/b/memory.current", "5\n")
    assert machine.memory(root) == GB
    write(root, "sys/fs/cgroup/a/memory.stat", f"anon 5\ninactive_file {GB // 2}\n")
    assert machine.memory(root) == GB + GB // 2


def test_so_has_one_of_the_first_version(root: Path) -> None:
    write(root, "proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/docker/1\n")
    write(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", f"{3 * GB}\n")
    write(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", f"{GB}\n")
    write(root, "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712\n")
    write(root, "sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes", "5\n")
    assert machine.memory(root) == 2 * GB


@pytest.mark.parametrize(("quota", "found"), [("100000 100000", 1), ("150000 100000", 2), ("10 100000", 1)])
def test_a_quota_of_time_is_a_number_of_processors(
    root: Path, monkeypatch: pytest.MonkeyPatch, quota: str, found: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert machine.processors(root) == 8
    write(root, "proc/self/cgroup", "0::/\n")
    write(root, "sys/fs/cgroup/cpu.max", quota)
    assert machine.processors(root) == found


@pytest.mark.parametrize("available", [GB // 2, 2 * GB, 7 * GB, 32 * GB, 512 * GB])
@pytest.mark.parametrize("jobs", [1, 2, 8, 64])
def test_all_readers_together_fit(available: int, jobs: int) -> None:
    some, memory = machine.shares(jobs, available)
    assert 1 <= some <= jobs
    assert memory <= machine.READER
    assert some * memory <= available or (some, memory) == (1, machine.LEAST_READER)


def test_where_nothing_is_known_nothing_changes() -> None:
    assert machine.shares(8, None) == (8, machine.READER)


def test_what_is_kept_for_good_is_not_looked_through() -> None:
    """The collector is as it was before."""
    assert gc.isenabled()
    with machine.kept_for_good():
        assert not gc.isenabled()
        kept: list[list[int]] = [[]]
    assert gc.isenabled()
    assert not any(one is kept for one in gc.get_objects())
    gc.disable()
    try:
        with machine.kept_for_good():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
