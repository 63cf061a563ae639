"""Benchmarks are scripts beside each other: their folders are where they look for one another."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
for _folder in (BENCHMARKS / "peers", BENCHMARKS):
    sys.path.insert(0, str(_folder))
