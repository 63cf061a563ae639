"""Reads the trace of a seismometer from the recorder's shared memory."""

from dataclasses import dataclass
from multiprocessing import shared_memory

import numpy as np

HEADER = np.dtype([("rate", "<u4"), ("channels", "<u4"), ("samples", "<u8")])


@dataclass
class Arrival:
    channel: int
    second: float
    trace: np.ndarray


def _header(block):
    return np.frombuffer(bytes(block.buf[:HEADER.itemsize]), dtype=HEADER)[0]


def _samples(block, header):
    shape = (int(header["channels"]), int(header["samples"]))
    return np.ndarray(shape, dtype="<f4", buffer=block.buf,
                      offset=HEADER.itemsize)


class Station:
    def __init__(self, name, threshold=4.0, margin=0.5):
        self.name = name
        self.threshold = threshold
        self.margin = margin

    def _onset(self, trace, rate):
        short = max(1, rate // 2)
        energy = np.convolve(trace * trace, np.ones(short) / short, mode="valid")
        floor = float(np.median(energy)) or 1e-12
        above = np.flatnonzero(energy > self.threshold * floor)
        return int(above[0]) if above.size else None

    def arrivals(self):
        """The first arrival of each channel that has one."""
        block = shared_memory.SharedMemory(name=self.name)
        try:
            header = _header(block)
            rate = int(header["rate"])
            found = []
            for channel, trace in enumerate(_samples(block, header)):
                onset = self._onset(trace, rate)
                if onset is None:
                    continue
                first = max(0, onset - int(self.margin * rate))
                window = trace[first:onset + 2 * rate].copy()
                found.append(Arrival(channel, onset / rate, window))
            return found
        finally:
            block.close()


def peak_amplitudes(station):
    return {a.channel: float(np.abs(a.trace).max()) for a in station.arrivals()}
