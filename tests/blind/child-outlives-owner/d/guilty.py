"""Reads calibrated plates of the survey telescope."""

from dataclasses import dataclass

import h5py
import numpy as np

BANDS = ("u", "g", "r", "i", "z")


@dataclass
class Exposure:
    field: str
    airmass: float
    dark: np.ndarray
    bands: dict

    def stack(self, names=("g", "r", "i")):
        total = np.zeros(self.dark.shape, dtype=np.float64)
        for name in names:
            total += self.bands[name][:] - self.dark
        return total / len(names)

    def cutout(self, name, row, column, half=16):
        rows = slice(max(row - half, 0), row + half)
        columns = slice(max(column - half, 0), column + half)
        return self.bands[name][rows, columns]


def pick_bands(plate):
    group = plate["calibrated"]
    found = {}
    for name in BANDS:
        if name in group:
            found[name] = group[name]
    if not found:
        raise ValueError(f"{plate.filename}: no calibrated band")
    return found


def load_exposure(path):
    with h5py.File(path, "r") as plate:
        field = str(plate.attrs["field"])
        airmass = float(plate.attrs["airmass"])
        dark = plate["calibration/dark"][:]
        bands = pick_bands(plate)
    return Exposure(field, airmass, dark, bands)


def night_mean(paths):
    frames = [load_exposure(path).stack() for path in paths]
    return np.mean(frames, axis=0)


def brightest(path, name="r"):
    exposure = load_exposure(path)
    image = exposure.stack((name,))
    row, column = np.unravel_index(int(image.argmax()), image.shape)
    return exposure.field, exposure.cutout(name, int(row), int(column))
