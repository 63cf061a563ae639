"""Reads the ring of microphone frames that the recorder process shares."""

from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import shared_memory

import numpy as np


@dataclass(frozen=True)
class RingLayout:
    name: str
    frames: int
    channels: int
    rate: int = 48_000

    @property
    def shape(self):
        return (self.frames, self.channels)


@contextmanager
def attached(layout):
    """The ring as an array of shape (frames, channels)."""
    segment = shared_memory.SharedMemory(name=layout.name)
    try:
        yield np.ndarray(layout.shape, dtype=np.float32, buffer=segment.buf)
    finally:
        segment.close()


def level(layout):
    """Root mean square of every channel."""
    with attached(layout) as ring:
        return np.sqrt(np.mean(ring * ring, axis=0))


def loudest_window(layout, seconds):
    """The stretch of the given length with the highest peak."""
    width = int(seconds * layout.rate)
    with attached(layout) as ring:
        peaks = np.abs(ring).max(axis=1)
        centre = int(peaks.argmax())
        start = max(0, min(centre - width // 2, layout.frames - width))
        window = ring[start:start + width]
    return window - window.mean(axis=0)


def describe(layout, seconds=0.5):
    window = loudest_window(layout, seconds)
    return {
        "rms": level(layout).tolist(),
        "peak": float(np.abs(window).max()),
        "frames": len(window),
    }
