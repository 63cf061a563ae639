"""Sweep: orders the stops by their bearing from the depot."""

from __future__ import annotations

import math

from .base import Job, Tour, TourError, tour_length


class SweepSolver:
    def solve(self, job: Job) -> Tour:
        if not job.stops:
            raise TourError(f"{job.vehicle}: no stops to visit")

        depot = job.depot
        ordered = sorted(
            job.stops,
            key=lambda s: math.atan2(s.lat - depot.lat, s.lon - depot.lon),
        )
        departure = max(0, ordered[0].ready_minute - 30)
        return Tour(job.vehicle, ordered, tour_length(depot, ordered), departure)
