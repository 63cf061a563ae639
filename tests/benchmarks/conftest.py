"""Benchmarks are scripts beside each other: their folders are where they look for one another."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from verdict_records import Round

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
for _folder in (BENCHMARKS / "peers", BENCHMARKS):
    sys.path.insert(0, str(_folder))


@pytest.fixture(scope="session")
def rounds() -> Mapping[str, Round]:
    """The verdicts of all rounds, which take a second to read."""
    from verdict_records import read_all

    return read_all()
