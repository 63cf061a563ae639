"""Sweep: orders the stops by their bearing from the depot."""

from __future__ import annotations

import math

from .base import Job, Stop, Tour, tour_length


class SweepSolver:
    def solve(self, job: Job) -> Tour:
        depot = job.depot

        def bearing(stop: Stop) -> float:
            return math.atan2(stop.lat - depot.lat, stop.lon - depot.lon)

        by_bearing = sorted(job.stops, key=bearing)
        # Start after the widest gap, so that the tour never crosses it.
        start = max(
            range(len(by_bearing)),
            key=lambda i: (bearing(by_bearing[i]) - bearing(by_bearing[i - 1])) % math.tau,
        )
        ordered = by_bearing[start:] + by_bearing[:start]
        departure = max(0, ordered[0].ready_minute - 30)
        return Tour(job.vehicle, ordered, tour_length(depot, ordered), departure)
