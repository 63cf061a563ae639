# /// script
# requires-python = ">=3.10"
# dependencies = ["numpy>=2.0"]
# ///
"""Summaries of GPS tracks exported by the field loggers."""
import csv
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

EARTH_RADIUS_M = 6_371_000.0
COLUMNS = ("time", "lat", "lon", "elevation")


class TrackError(ValueError):
    pass


def haversine(lat, lon):
    """Distances in metres between consecutive points given in degrees."""
    lat, lon = np.radians(lat), np.radians(lon)
    dlat, dlon = np.diff(lat), np.diff(lon)
    a = np.sin(dlat / 2) ** 2 + np.cos(lat[:-1]) * np.cos(lat[1:]) * np.sin(dlon / 2) ** 2
    return 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(a))


@dataclass(frozen=True)
class Track:
    name: str
    time: np.ndarray
    lat: np.ndarray
    lon: np.ndarray
    elevation: np.ndarray

    @classmethod
    def from_rows(cls, name, rows):
        columns = {key: [] for key in COLUMNS}
        for row in rows:
            for key in COLUMNS:
                columns[key].append(float(row[key]))
        if len(columns["time"]) < 2:
            raise TrackError(f"{name}: too short")
        return cls(name, **{key: np.asfarray(values) for key, values in columns.items()})

    @property
    def length(self):
        return float(haversine(self.lat, self.lon).sum())

    @property
    def climb(self):
        steps = np.diff(self.elevation)
        return float(steps[steps > 0].sum())

    @property
    def pause(self):
        return float(np.ptp(self.time) - np.median(np.diff(self.time)) * (self.time.size - 1))


def read_track(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return Track.from_rows(Path(path).stem, csv.DictReader(stream))


def main(paths):
    for path in paths:
        try:
            track = read_track(path)
        except TrackError as exc:
            print(exc, file=sys.stderr)
            continue
        print(f"{track.name}: {track.length / 1000:.1f} km, +{track.climb:.0f} m")


if __name__ == "__main__":
    main(sys.argv[1:])
