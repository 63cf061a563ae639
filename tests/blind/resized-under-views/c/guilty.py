"""Particles of the fireworks game."""
import numpy as np

CELL = np.dtype([("x", "f4"), ("y", "f4"), ("vx", "f4"), ("vy", "f4"), ("age", "f4")])
GRAVITY = -9.81


class Swarm:
    """A growing pool of particles, with one array for each column."""

    def __init__(self, capacity=256, lifetime=3.0):
        self.cells = np.zeros(capacity, dtype=CELL)
        self.count = 0
        self.lifetime = lifetime
        self._bind_columns()

    def _bind_columns(self):
        self.x = self.cells["x"]
        self.y = self.cells["y"]
        self.vx = self.cells["vx"]
        self.vy = self.cells["vy"]
        self.age = self.cells["age"]

    def spawn(self, x, y, vx, vy):
        if self.count == len(self.cells):
            self.cells.resize(2 * len(self.cells), refcheck=False)
        slot = self.count
        self.count += 1
        self.cells[slot] = (x, y, vx, vy, 0.0)
        return slot

    def burst(self, x, y, sparks, speed, rng):
        for angle in rng.uniform(0.0, 2.0 * np.pi, size=sparks):
            self.spawn(x, y, speed * np.cos(angle), speed * np.sin(angle))

    def step(self, dt):
        live = slice(0, self.count)
        self.vy[live] += GRAVITY * dt
        self.x[live] += self.vx[live] * dt
        self.y[live] += self.vy[live] * dt
        self.age[live] += dt
        self._sweep()

    def _sweep(self):
        keep = np.flatnonzero(self.age[: self.count] < self.lifetime)
        self.cells[: len(keep)] = self.cells[keep]
        self.count = len(keep)

    def positions(self):
        return np.column_stack([self.x[: self.count], self.y[: self.count]])
