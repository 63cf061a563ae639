"""Nearest neighbour: quick, used while the dispatcher drags stops around."""

from __future__ import annotations

from .base import Job, Tour, TourError, distance_km, tour_length


class NearestSolver:
    def solve(self, job: Job) -> Tour:
        if not job.stops:
            raise TourError(f"{job.vehicle}: no stops to visit")

        remaining = list(job.stops)
        at = job.depot
        ordered = []
        while remaining:
            at = min(remaining, key=lambda stop: distance_km(at, stop))
            remaining.remove(at)
            ordered.append(at)
        departure = max(0, ordered[0].ready_minute - 30)
        return Tour(job.vehicle, ordered, tour_length(job.depot, ordered), departure)
