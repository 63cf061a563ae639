"""Growing buffer for a three-component seismometer."""

import numpy as np

COMPONENTS = 3


class TraceBuffer:
    """Interleaved samples: vertical, north, east, vertical, north, ..."""

    def __init__(self, station, capacity=4096):
        self.station = station
        self._frames = capacity
        self._used = 0
        self._raw = np.zeros(COMPONENTS * capacity, dtype=np.float32)
        self._split()

    def _split(self):
        self._vertical = self._raw[0::COMPONENTS]
        self._north = self._raw[1::COMPONENTS]
        self._east = self._raw[2::COMPONENTS]

    def __len__(self):
        return self._used

    def _make_room(self, frames):
        wanted = self._used + frames
        if wanted <= self._frames:
            return
        while self._frames < wanted:
            self._frames *= 2
        self._raw.resize(COMPONENTS * self._frames, refcheck=False)

    def append(self, packet):
        block = np.asarray(packet, dtype=np.float32).reshape(-1)
        frames, rest = divmod(block.size, COMPONENTS)
        if rest:
            raise ValueError(f"{self.station}: broken packet of {block.size} samples")
        self._make_room(frames)
        start = COMPONENTS * self._used
        self._raw[start : start + block.size] = block
        self._used += frames

    def remove_drift(self, window=600):
        first = max(self._used - window, 0)
        for component in (self._vertical, self._north, self._east):
            recent = component[first : self._used]
            if recent.size:
                recent -= recent.mean()

    def peak(self):
        if not self._used:
            return 0.0
        horizontal = np.hypot(self._north[: self._used], self._east[: self._used])
        return float(max(np.abs(self._vertical[: self._used]).max(), horizontal.max()))


def replay(station, packets):
    buffer = TraceBuffer(station)
    for packet in packets:
        buffer.append(packet)
    buffer.remove_drift()
    return len(buffer), buffer.peak()
