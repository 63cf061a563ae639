"""Read detector runs and print a short summary of each spectrum."""
import sys

import h5py
import numpy as np


class Spectrum:
    def __init__(self, energies, counts, live_time):
        self.energies = energies
        self.counts = counts
        self.live_time = live_time

    @property
    def rate(self):
        return self.counts.sum() / self.live_time

    def peak(self):
        return self.energies[int(self.counts.argmax())]


def load_spectrum(path, detector, window=None):
    run = h5py.File(path, "r")
    group = run["detectors"][detector]
    offset, gain = group.attrs["calibration"]
    live_time = float(group.attrs["live_time"])
    raw = group["counts"][:]
    channels = raw.shape[0]
    run.close()

    energies = offset + gain * np.arange(channels)
    if window is None:
        first, last = 0, channels
    else:
        first, last = np.searchsorted(energies, window)
    counts = np.asarray(raw[first:last], dtype=np.int64)
    return Spectrum(energies[first:last], counts, live_time)


def main(paths):
    for path in paths:
        spectrum = load_spectrum(path, "hpge0", window=(50.0, 2700.0))
        print(f"{path}: {spectrum.rate:.1f}/s, peak at {spectrum.peak():.2f} keV")


if __name__ == "__main__":
    main(sys.argv[1:])
