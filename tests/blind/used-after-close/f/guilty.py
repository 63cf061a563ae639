"""Loading of electrode recordings for the spike sorter."""
import argparse
import logging
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

log = logging.getLogger("recordings")


@dataclass(frozen=True)
class Recording:
    subject: str
    rate: float
    samples: np.ndarray

    @property
    def duration(self):
        return self.samples.shape[-1] / self.rate


class FormatError(ValueError):
    pass


def _require(group, name):
    try:
        return group[name]
    except KeyError:
        raise FormatError(f"{group.file.filename}: no {name!r} in {group.name}") from None


def _window(rate, total, start, stop):
    first = max(0, int(start * rate))
    last = total if stop is None else min(total, int(stop * rate))
    if last <= first:
        raise FormatError(f"empty window {start}..{stop}")
    return slice(first, last)


def load_recording(path, electrode="raw", start=0.0, stop=None):
    """Reads the window [start, stop) in seconds of one electrode group."""
    handle = h5py.File(path, "r")
    try:
        group = _require(handle, "acquisition")
        signal = _require(group, electrode)
        if signal.ndim != 2:
            raise FormatError(f"{path}: {electrode} is not channels x time")
        rate = float(signal.attrs["rate"])
        subject = str(handle.attrs.get("subject", "unknown"))
        window = _window(rate, signal.shape[1], start, stop)
        log.debug("%s: %s of %d samples", path, window, signal.shape[1])
    finally:
        handle.close()
    samples = signal[:, window]
    return Recording(subject, rate, samples.astype(np.float32, copy=False))


def iter_recordings(folder, **window):
    for path in sorted(Path(folder).glob("*.h5")):
        try:
            yield load_recording(path, **window)
        except FormatError as exc:
            log.warning("skipped: %s", exc)


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--stop", type=float)
    options = parser.parse_args(argv)
    for recording in iter_recordings(options.folder, stop=options.stop):
        print(f"{recording.subject}: {recording.duration:.2f} s")


if __name__ == "__main__":
    main()
