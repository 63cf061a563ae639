from dataclasses import dataclass, field

import numpy as np


@dataclass
class Bounds:
    low: np.ndarray = field(default_factory=lambda: np.full(3, np.inf))
    high: np.ndarray = field(default_factory=lambda: np.full(3, -np.inf))

    def extend(self, xyz):
        np.minimum(self.low, xyz.min(axis=0), out=self.low)
        np.maximum(self.high, xyz.max(axis=0), out=self.high)

    @property
    def size(self):
        return self.high - self.low


class PointCloud:
    """A growing set of lidar returns.

    The coordinates live in one flat array so that the writer can dump them
    in one go; `points` shows them row by row.
    """

    def __init__(self, capacity=1024):
        self._flat = np.zeros(3 * capacity)
        self.points = self._flat.reshape(-1, 3)
        self.count = 0
        self.bounds = Bounds()

    def _reserve(self, rows):
        have = self._flat.size // 3
        if rows <= have:
            return
        self._flat.resize(3 * max(rows, 2 * have), refcheck=False)
        self.points = self._flat.reshape(-1, 3)

    def append(self, xyz):
        xyz = np.asarray(xyz, dtype=np.float64).reshape(-1, 3)
        if not len(xyz):
            return
        end = self.count + len(xyz)
        self._reserve(end)
        self.points[self.count : end] = xyz
        self.bounds.extend(xyz)
        self.count = end

    def voxel_ids(self, edge):
        cells = np.floor((self.points[: self.count] - self.bounds.low) / edge)
        return cells.astype(np.int64)

    def dump(self, path):
        self._flat[: 3 * self.count].tofile(path)
