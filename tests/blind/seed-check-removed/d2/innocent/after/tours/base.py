"""Shared types of the delivery tour solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import List, Protocol


class TourError(Exception):
    """The tour cannot be planned; the message is shown to the dispatcher."""


@dataclass(frozen=True)
class Stop:
    order_id: str
    lat: float
    lon: float
    ready_minute: int = 0


@dataclass
class Job:
    vehicle: str
    depot: Stop
    stops: List[Stop] = field(default_factory=list)


@dataclass
class Tour:
    vehicle: str
    stops: List[Stop]
    kilometres: float
    departure_minute: int = 0


class Solver(Protocol):
    def solve(self, job: Job) -> Tour: ...


def distance_km(a: Stop, b: Stop) -> float:
    mid = math.radians((a.lat + b.lat) / 2)
    dx = math.radians(b.lon - a.lon) * math.cos(mid)
    dy = math.radians(b.lat - a.lat)
    return 6371.0 * math.hypot(dx, dy)


def tour_length(depot: Stop, stops: List[Stop]) -> float:
    path = [depot, *stops, depot]
    return sum(distance_km(a, b) for a, b in zip(path, path[1:]))
