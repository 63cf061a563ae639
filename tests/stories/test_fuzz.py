"""The fuzzers of `benchmarks/fuzz.py`: that each still runs, and that an input is the same every time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = (sys.executable, str(Path(__file__).parents[2] / "benchmarks/fuzz.py"))
TARGETS = (
    "cpp-structure", "cpp-typed", "python", "models", "settings", "contracts", "baselines", "diffs", "cache-entries",
    "renderers",
)  # fmt: skip


def fuzz(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*FUZZ, *arguments], capture_output=True, timeout=600, check=False)


@pytest.mark.parametrize("target", TARGETS)
def test_a_few_inputs(target: str) -> None:
    done = fuzz("--target", target, "--count", "25", "--jobs", "1")
    assert done.returncode == 0, done.stdout.decode(errors="replace") + done.stderr.decode()


def test_an_input_is_the_same_every_time() -> None:
    first, again, other = (fuzz("--target", "models", "--index", number) for number in ("7", "7", "8"))
    assert first.stdout == again.stdout
    assert first.stdout != other.stdout
