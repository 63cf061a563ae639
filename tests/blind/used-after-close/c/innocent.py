"""Temperature profiles of an ocean float from its HDF5 files."""

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

TEMPERATURE = ("temp_adjusted", "temp", "temperature")
PRESSURE = ("pres_adjusted", "pres", "pressure")


@dataclass
class Profile:
    cycle: int
    surface: float
    thermocline: float


def _first_of(group, names):
    for name in names:
        if name in group:
            return group[name]
    raise KeyError(f"none of {', '.join(names)} in {group.name}")


def _thermocline(pressure, temperature):
    """The pressure at which the temperature falls fastest."""
    gradient = np.diff(temperature) / np.diff(pressure)
    steepest = int(np.argmin(gradient))
    return float(pressure[steepest:steepest + 2].mean())


def read_profile(path):
    with h5py.File(path, "r") as f:
        cycle = int(f.attrs["cycle"])
        cast = f["cast"]
        pressure = _first_of(cast, PRESSURE)[()]
        temperature = _first_of(cast, TEMPERATURE)[()]
        if temperature.shape != pressure.shape:
            raise ValueError(f"{path}: the columns differ in length")
    order = np.argsort(pressure)
    pressure = pressure[order]
    temperature = np.asarray(temperature)[order]
    return Profile(cycle, float(temperature[0]),
                   _thermocline(pressure, temperature))


def read_float(folder):
    profiles = [read_profile(path) for path in sorted(Path(folder).glob("*.h5"))]
    return sorted(profiles, key=lambda profile: profile.cycle)
