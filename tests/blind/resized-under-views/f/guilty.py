"""An append-only store of sensor frames, kept in one flat numpy buffer."""

import numpy as np

_INITIAL_FRAMES = 64


class FrameStore:
    """Frames of `width` float64 samples each, with per-frame deltas."""

    def __init__(self, width):
        if width <= 0:
            raise ValueError("width must be positive")
        self._width = width
        self._count = 0
        self._samples = np.zeros(_INITIAL_FRAMES * width)
        self._energy = []

    def __len__(self):
        return self._count

    def _slot(self, index):
        start = index * self._width
        return self._samples[start : start + self._width]

    def _reserve(self, frames):
        needed = frames * self._width
        if needed > self._samples.size:
            size = max(needed, 2 * self._samples.size)
            self._samples.resize(size, refcheck=False)

    def append_frame(self, frame):
        """Appends `frame`, and returns its mean change from the last one."""
        frame = np.asarray(frame, dtype=np.float64)
        if frame.shape != (self._width,):
            raise ValueError(f"expected {self._width} samples, got {frame.shape}")
        previous = self._slot(self._count - 1) if self._count else None
        self._reserve(self._count + 1)
        self._slot(self._count)[:] = frame
        self._count += 1
        self._energy.append(float(frame @ frame))
        if previous is None:
            return 0.0
        return float(np.abs(frame - previous).mean())

    def extend(self, frames):
        return [self.append_frame(frame) for frame in frames]

    def snapshot(self):
        """A copy of all frames, one a row."""
        used = self._samples[: self._count * self._width]
        return used.reshape(self._count, self._width).copy()

    def loudest(self):
        """The index of the frame with the highest energy."""
        if not self._energy:
            raise IndexError("no frames yet")
        return int(np.argmax(self._energy))
