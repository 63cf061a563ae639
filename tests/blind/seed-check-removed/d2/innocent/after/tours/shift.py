"""Plans the tours of a shift, one job per vehicle."""

from __future__ import annotations

import logging
from typing import Dict, Iterable, List

from .base import Job, Solver, Tour, TourError
from .nearest import NearestSolver
from .sweep import SweepSolver

log = logging.getLogger(__name__)

SOLVERS: Dict[str, Solver] = {"nearest": NearestSolver(), "sweep": SweepSolver()}


def plan_shift(jobs: Iterable[Job], solver_name: str) -> List[Tour]:
    """Vehicles whose orders were all cancelled come with an empty job."""
    solver = SOLVERS[solver_name]
    tours = []
    for job in jobs:
        try:
            tours.append(solver.solve(job))
        except TourError as exc:
            log.warning("skipped: %s", exc)
    return tours
