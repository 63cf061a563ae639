"""The light attacks of `benchmarks/hostile.py`, each in a process of its own: it adopts what is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from consoles import measured

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HOSTILE = (sys.executable, str(BENCHMARKS / "hostile.py"))


def _light() -> list[str]:
    listed = subprocess.run([*HOSTILE, "--light", "--list"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


@pytest.mark.parametrize("name", _light())
def test_it_holds(name: str) -> None:
    done = subprocess.run(
        [*HOSTILE, "--only", name], env=measured(os.environ), capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_attack_that_is_none_is_refused() -> None:
    done = subprocess.run([*HOSTILE, "--only", "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no such attack: nothing" in done.stderr
